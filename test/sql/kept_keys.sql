-- kept_keys: kept scans (src/kept) by keys of every type, at the ends of the types, and by partitions of many types, compared as
-- kept.sql does it.
\pset null -
-- plain queries are what the kept scans are compared with
SET scan.kept = off;
SET client_min_messages = warning;
CREATE SCHEMA ledger;
SET search_path = ledger, public;

-- ---- types of the first key

CREATE TABLE keyed (id int PRIMARY KEY, s smallint NOT NULL, i int NOT NULL, b bigint NOT NULL, d date NOT NULL, t timestamp NOT NULL, z timestamptz NOT NULL, v int);
CREATE FUNCTION keyed(i int) RETURNS SETOF keyed LANGUAGE sql AS $$
  SELECT i, CASE i % 9 WHEN 0 THEN -32768 WHEN 1 THEN 32767 ELSE oracle.draw(i, 1, 500) - 250 END::smallint,
    CASE i % 9 WHEN 0 THEN -2147483648 WHEN 1 THEN 2147483647 ELSE oracle.draw(i, 2, 500) - 250 END::int,
    CASE i % 9 WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 ELSE oracle.hash(i, 3) END,
    CASE i % 9 WHEN 0 THEN '-infinity' WHEN 1 THEN 'infinity' WHEN 2 THEN '4713-01-01 BC' WHEN 3 THEN '5874897-12-31' ELSE date '2026-01-01' + oracle.draw(i, 4, 500)::int END,
    CASE i % 9 WHEN 0 THEN '-infinity' WHEN 1 THEN 'infinity' WHEN 2 THEN '4713-01-01 BC' WHEN 3 THEN '294276-12-31 23:59:59.999999' ELSE timestamp '2026-01-01' + oracle.draw(i, 5, 500) * interval '1 hour' END,
    CASE i % 9 WHEN 0 THEN '-infinity' WHEN 1 THEN 'infinity' ELSE timestamptz '2026-03-28 00:00 UTC' + oracle.draw(i, 6, 500) * interval '20 min' END, i % 100
$$;
INSERT INTO keyed SELECT k.* FROM generate_series(1, 400) AS i, keyed(i) AS k;
SELECT c, oracle.keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c, 'id'], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM oracle.compare_all();
INSERT INTO keyed SELECT k.* FROM generate_series(601, 1000) AS i, keyed(i) AS k;
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
UPDATE keyed SET (s, i, b, d, t, z) = (SELECT k.s, k.i, k.b, k.d, k.t, k.z FROM keyed(keyed.id + 4) AS k) WHERE id % 2 = 0;
DELETE FROM keyed WHERE id % 13 = 0;
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all();
-- bounds at the ends of the types, and beside them
CREATE FUNCTION ends() RETURNS TABLE (key text, compared bigint, different bigint, example text) LANGUAGE plpgsql SET scan.prefixscan = off AS $$
DECLARE
  type text; bounds text[]; lower text; upper text; got text; plain text;
BEGIN
  FOR key, type, bounds IN VALUES ('s', 'smallint', ARRAY['-32768', '-32767', '0', '32766', '32767']), ('i', 'int', ARRAY['-2147483648', '-2147483647', '0', '2147483646', '2147483647']),
    ('b', 'bigint', ARRAY['-9223372036854775808', '-9223372036854775807', '0', '9223372036854775806', '9223372036854775807']), ('d', 'date', ARRAY['-infinity', '4713-01-01 BC', '2026-05-05', '5874897-12-31', 'infinity']),
    ('t', 'timestamp', ARRAY['-infinity', '4713-01-01 BC', '2026-01-05', '294276-12-31 23:59:59.999999', 'infinity']), ('z', 'timestamptz', ARRAY['-infinity', '4713-01-01 BC', '2026-03-30', '294276-12-31 15:59:59.999999', 'infinity']) LOOP
    compared := 0; different := 0; example := NULL;
    FOR lower, upper, got, plain IN EXECUTE format($q$
      SELECT l, u, (SELECT row(k.*)::text FROM %1$I(l::%2$s, u::%2$s) AS k), (SELECT row(sum(v), count(*))::text FROM keyed WHERE %3$I >= l::%2$s AND %3$I < u::%2$s) FROM unnest(%4$L::text[]) AS l, unnest(%4$L::text[]) AS u
      UNION ALL SELECT u, NULL, (SELECT row(k.*)::text FROM %5$I(u::%2$s) AS k), (SELECT row(sum(v), count(*))::text FROM keyed WHERE %3$I < u::%2$s) FROM unnest(%4$L::text[]) AS u
      UNION ALL SELECT u, n::text, (SELECT row(k.*)::text FROM %5$I(u::%2$s, n) AS k), (SELECT row(sum(v), count(*))::text FROM keyed WHERE (%3$I, id) < (u::%2$s, n)) FROM unnest(%4$L::text[]) AS u, unnest('{-1,600,10000}'::int[]) AS n$q$,
      'keyed_' || key || '_between', type, key, bounds, 'keyed_' || key || '_before') LOOP
      compared := compared + 1;
      IF got IS DISTINCT FROM plain THEN
        different := different + 1; example := format('%s, %s: %s, not %s', lower, upper, got, plain);
      END IF;
    END LOOP;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM ends();
SELECT * FROM oracle.check_all();
SELECT bool_and(oracle.unkeep(name) IS NOT NULL) FROM oracle.kept_case;
-- built of nothing, of one row, of 300 rows with one key, of type limits only
TRUNCATE keyed;
SELECT c, oracle.keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM oracle.compare_all();
SELECT * FROM keyed_z_total();
CALL oracle.compact_all();
INSERT INTO keyed SELECT * FROM keyed(1);
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all();
INSERT INTO keyed SELECT n, k.s, k.i, k.b, k.d, k.t, k.z, n FROM generate_series(2, 300) AS n, keyed(5) AS k;
CALL oracle.compact_all();
INSERT INTO keyed SELECT n, k.s, k.i, k.b, k.d, k.t, k.z, n FROM generate_series(301, 600) AS n, keyed(6) AS k;
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all();
SELECT * FROM oracle.check_all();
SELECT bool_and(oracle.unkeep(name) IS NOT NULL) FROM oracle.kept_case;
SELECT c, oracle.keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM oracle.compare_all();
SELECT * FROM oracle.check_all();
SELECT bool_and(oracle.unkeep(name) IS NOT NULL) FROM oracle.kept_case;
DELETE FROM keyed WHERE id > 1;
SELECT c, oracle.keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM oracle.compare_all();
SELECT * FROM oracle.check_all();
SELECT bool_and(oracle.unkeep(name) IS NOT NULL) FROM oracle.kept_case;
TRUNCATE keyed;
INSERT INTO keyed SELECT k.* FROM generate_series(1, 500) AS i, keyed(i * 9 + i % 2) AS k;
SELECT c, oracle.keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c, 'id'], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM ends();
DELETE FROM keyed WHERE id % 4 = 0;
SELECT * FROM ends();
CALL oracle.compact_all();
SELECT * FROM ends();
SELECT * FROM oracle.compare_all();
SELECT * FROM oracle.check_all();
SELECT bool_and(oracle.unkeep(name) IS NOT NULL) FROM oracle.kept_case;
DROP TABLE keyed CASCADE;

-- partitions of many types, among them such where values are equal that are not the same: -0 and 0, a day and 24 hours, 1 and 1.0;
-- a column of the table named as its alias in the queries that read it
CREATE DOMAIN shop_number AS int CHECK (value >= 0);
CREATE TABLE kinds (id int NOT NULL, r int4range, a int[], e oracle.mood, c oracle.pair, f float8, s interval, ch char(5), vc varchar(9), u uuid, bo bool, m money, dom shop_number, j jsonb, bi bit(3), wide text, v int);
CREATE FUNCTION kinds(i int) RETURNS SETOF kinds LANGUAGE sql AS $$
  SELECT i, int4range(i % 3, 5), (ARRAY['{1,2}', '{}', '{NULL}', NULL, '[2:3]={1,2}'])[1 + oracle.draw(i, 1, 5)]::int[], (ARRAY['low', 'high', NULL])[1 + oracle.draw(i, 2, 3)]::oracle.mood, (ARRAY[row(1, 'a'), row(1, NULL), row(NULL, NULL), NULL]::oracle.pair[])[1 + oracle.draw(i, 3, 4)],
    (ARRAY['0', '-0', 'NaN', 'Infinity', '1.5', NULL])[1 + oracle.draw(i, 4, 6)]::float8, (ARRAY['1 day', '24 hours', '1 mon', '30 days', NULL])[1 + oracle.draw(i, 5, 5)]::interval, (ARRAY['a', 'a  ', 'b', NULL])[1 + oracle.draw(i, 6, 4)], (ARRAY['a', 'a  ', 'b', NULL])[1 + oracle.draw(i, 7, 4)],
    md5((i % 3)::text)::uuid, (ARRAY[true, false, NULL])[1 + oracle.draw(i, 8, 3)], (i % 3)::numeric::money, i % 4, (ARRAY['1', '1.0', '{"a":1}'])[1 + i % 3]::jsonb, (i % 8)::bit(3), repeat('wide', 600) || i % 3, i
$$;
INSERT INTO kinds SELECT k.* FROM generate_series(1, 200) AS i, kinds(i) AS k;
SELECT count(oracle.keep(('kinds_' || c)::name, 'kinds', ARRAY[c], '{id}', '{sum(v),count(*)}')) FROM unnest('{r,a,e,c,f,s,ch,vc,u,bo,m,dom,j,bi,wide}'::text[]) AS c;
SELECT * FROM oracle.compare_all(3);
INSERT INTO kinds SELECT k.* FROM generate_series(401, 900) AS i, kinds(i) AS k;
DELETE FROM kinds WHERE id % 7 = 0;
SELECT * FROM oracle.compare_all(3);
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all(3);
SELECT * FROM oracle.check_all();
SELECT bool_and(oracle.unkeep(name) IS NOT NULL) FROM oracle.kept_case;
DROP TABLE kinds CASCADE;
DROP SCHEMA ledger CASCADE;
