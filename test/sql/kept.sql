-- kept: kept scans (src/kept): their results.  Each read of a kept scan is compared with the plain query over the same rows, as
-- text, so that display scales, NaN and -0 count.  kept_limits.sql has what cannot be kept, privileges and what is left behind.
\pset null -
SET client_min_messages = warning;
CREATE SCHEMA ledger;
SET search_path = ledger, public;

-- ---- a first example

CREATE TABLE payment (id int PRIMARY KEY, account int NOT NULL, day date NOT NULL, amount numeric NOT NULL, posted boolean NOT NULL DEFAULT true);
CREATE INDEX ON payment (account, day, id);
INSERT INTO payment SELECT i, i % 3, date '2026-01-01' + i % 100, i * 0.01 FROM generate_series(1, 3000) AS i;
SELECT scan_keep('payment_kept', $$
  SELECT sum(amount) OVER w AS balance, count(*) OVER w AS entries FROM payment WHERE posted
  WINDOW w AS (PARTITION BY account ORDER BY day, id) $$);
SELECT * FROM payment_kept_total(1);
SELECT * FROM payment_kept_before(1, '2026-02-01');
SELECT * FROM payment_kept_before(1, '2026-02-01', 1000);
SELECT * FROM payment_kept_between(1, '2026-02-01', '2026-03-01');
SELECT * FROM payment_kept_last(1, 3);
SELECT name, source, definition, tree, log, usable, reason, remedy, tree_bytes > 0 AS tree_bytes, log_bytes >= 0 AS log_bytes FROM scan_kept;
-- a row of January comes late, one is posted no more, one moves to another account, one goes
INSERT INTO payment VALUES (4001, 1, '2026-01-20', 1000000, true);
UPDATE payment SET posted = false WHERE id = 1;
UPDATE payment SET account = 2 WHERE id = 4;
DELETE FROM payment WHERE id = 7;
SELECT * FROM payment_kept_total(1);
SELECT sum(amount) AS balance, count(*) AS entries FROM payment WHERE posted AND account = 1;
SELECT count(*), sum(scan_rows) FROM payment_kept_log;
CALL scan_kept_compact('payment_kept');
SELECT count(*) FROM payment_kept_log;
SELECT * FROM payment_kept_total(1);
SELECT * FROM payment_kept_before(1, '2026-02-01');
SELECT sum(amount) AS balance, count(*) AS entries FROM payment WHERE posted AND account = 1 AND day < '2026-02-01';
-- what there is: the tree and its log, a view, functions with names and types of the definition, triggers
\d payment_kept
\d payment_kept_log
\df payment_kept*
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'payment'::regclass ORDER BY tgname;
SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_class AS c WHERE relname LIKE 'payment_kept%' AND relkind = 'r' ORDER BY 1;
-- no rows: what the aggregates give
SELECT * FROM payment_kept_total(99);
SELECT * FROM payment_kept_total(NULL);
SELECT * FROM payment_kept_before(1, '-infinity');
SELECT * FROM payment_kept_before(1, NULL);
SELECT * FROM payment_kept_before(1, '2026-02-01', NULL);
SELECT * FROM payment_kept_between(1, '2026-03-01', '2026-02-01');
SELECT * FROM payment_kept_between(1, NULL, '2026-02-01');
SELECT * FROM payment_kept_last(99, 3);
SELECT * FROM payment_kept_last(1, 0);
SELECT count(*) FROM payment_kept_last(1, 9223372036854775807);
SELECT oracle.error_of('SELECT * FROM payment_kept_last(1, -1)'), oracle.error_of('SELECT * FROM payment_kept_last(1, NULL)');
-- scan_kept_check finds what is wrong, and builds it anew
SELECT scan_kept_check('payment_kept');
UPDATE payment_kept SET entries = entries + 1 WHERE account = 1 AND scan_split;
SELECT entries FROM payment_kept_total(1);
SELECT scan_kept_check('payment_kept') > 0 AS wrong;
SELECT entries FROM payment_kept_total(1);
SELECT scan_kept_check('payment_kept');
DELETE FROM payment_kept WHERE ctid = (SELECT min(ctid) FROM payment_kept WHERE NOT scan_split);
SELECT scan_kept_check('payment_kept') > 0 AS wrong;
INSERT INTO payment VALUES (4002, 1, '2026-02-20', 7, true);
INSERT INTO payment_kept_log SELECT * FROM payment_kept_log;
SELECT scan_kept_check('payment_kept') > 0 AS wrong;
SELECT scan_kept_check('payment_kept');
-- without triggers for a while, as pg_restore --disable-triggers does it: the rows are read, until it is checked
ALTER TABLE payment DISABLE TRIGGER ALL;
INSERT INTO payment VALUES (5001, 1, '2026-01-20', 100, true);
ALTER TABLE payment ENABLE TRIGGER ALL;
SELECT name, usable, reason, remedy FROM scan_kept;
SELECT * FROM payment_kept_total(1);
SELECT sum(amount), count(*) FROM payment WHERE posted AND account = 1;
INSERT INTO payment VALUES (5002, 1, '2026-01-20', 200, true);
SELECT scan_kept_check('payment_kept') > 0 AS wrong;
SELECT name, usable, reason, remedy FROM scan_kept;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'payment'::regclass ORDER BY tgname;
INSERT INTO payment VALUES (5003, 1, '2026-01-20', 400, true);
SELECT * FROM payment_kept_total(1);
SELECT sum(amount), count(*) FROM payment WHERE posted AND account = 1;
DROP TRIGGER scan_kept_payment_kept_delete ON payment;
DELETE FROM payment WHERE id IN (1001, 1004);
SELECT scan_kept_check('payment_kept') > 0 AS wrong;
DELETE FROM payment WHERE id IN (1007, 1010);
SELECT * FROM payment_kept_total(1);
SELECT sum(amount), count(*) FROM payment WHERE posted AND account = 1;
SELECT scan_unkeep('payment_kept');
DROP TABLE payment;

-- ---- the oracle

-- A kept scan of the tests: the plain query has the same aggregates and no OVER, or one with other frames.
CREATE TABLE kept_case (name name PRIMARY KEY, source text, partition text[], key text[], aggregate text[], condition text, renamed boolean DEFAULT false);
CREATE FUNCTION keep(name name, source text, partition text[], key text[], aggregate text[], condition text DEFAULT 'true') RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_case VALUES (name, source, partition, key, aggregate, condition);
  RETURN scan_keep(name, format('SELECT %s FROM %s WHERE %s WINDOW w AS (%s ORDER BY %s)',
    (SELECT string_agg(format('%s OVER w AS a%s', a, i), ', ' ORDER BY i) FROM unnest(aggregate) WITH ORDINALITY AS u (a, i)),
    source, condition, 'PARTITION BY ' || nullif(array_to_string(partition, ', '), ''), array_to_string(key, ', ')));
END $$;
CREATE FUNCTION unkeep(kept name) RETURNS boolean LANGUAGE sql AS $$
  DELETE FROM kept_case WHERE name = kept;
  SELECT scan_unkeep(kept) IS NULL;
$$;

-- The columns of an alias, each followed by a comma and blank.
CREATE FUNCTION columns_of(alias text, columns text[]) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(format('%s.%s, ', alias, c), '' ORDER BY i), '') FROM unnest(columns) WITH ORDINALITY AS u (c, i)
$$;

-- Compares all reads of a kept scan with the plain query:
--   window: NAME_before with each number of keys, at each row that is kept (or at `most` of them)
--   before: NAME_before with all keys, where partition and key are of two rows, kept or not
--   between: NAME_between, from and to of two rows, in any order
--   total: NAME_total, of each partition
--   last: NAME_last, of each partition: first key and running aggregates of the last row, the last 3 and 100
-- The counts of comparisons are 0 where the table is empty.  `example` is one that differs.
CREATE FUNCTION reads(kept name, most int) RETURNS TABLE (read text, partition_and_key text, plain text, got text)
LANGUAGE plpgsql SET scan.prefixscan = off AS $$
DECLARE
  c kept_case;
  columns text; part text; same text; keys int; rest text; sample text;
BEGIN
  SELECT * INTO c FROM kept_case WHERE name = kept;
  columns := array_to_string(c.aggregate, ', ');
  part := columns_of('t', c.partition);
  SELECT coalesce(string_agg(format('t.%s IS NOT DISTINCT FROM p.%s AND ', x, x), ''), '') INTO same FROM unnest(c.partition) AS x;
  FOR keys IN 1 .. cardinality(c.key) LOOP
    rest := columns_of('t', c.key[1:keys]);
    -- a table with columns of the partition, of the key, and w, ordered by a hash of itself
    RETURN QUERY EXECUTE format(
      $q$SELECT 'window', place, w, row(b.*)::text FROM (SELECT * FROM (SELECT DISTINCT %1$s row(%3$s)::text AS w, row(%2$s)::text AS place FROM %4$s AS t WHERE %5$s
            WINDOW w AS (%6$s ORDER BY %7$s GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS t ORDER BY hashtextextended(place, 0), place LIMIT %8$s) AS t, %9$I(%2$s) AS b$q$,
      part || rest, rtrim(part || rest, ', '), (SELECT string_agg(a || ' OVER w', ', ' ORDER BY i) FROM unnest(c.aggregate) WITH ORDINALITY AS u (a, i)),
      c.source, c.condition, 'PARTITION BY ' || nullif(rtrim(part, ', '), ''), rtrim(rest, ', '), most, kept || '_before');
  END LOOP;
  sample := format('(SELECT *, row_number() OVER (ORDER BY hashtextextended(r::text, %%s), r::text) AS sampled FROM %s AS r LIMIT 4)', c.source);
  RETURN QUERY EXECUTE format(
    $q$SELECT 'before', row(%1$s)::text, w, row(b.*)::text FROM %2$s AS p, %3$s AS k,
       LATERAL (SELECT row(%4$s)::text AS w FROM %5$s AS t WHERE %6$s row(%7$s) < row(%8$s) AND (%9$s)) AS o, %10$I(%1$s) AS b$q$,
    rtrim(columns_of('p', c.partition) || columns_of('k', c.key), ', '), format(sample, 1), format(sample, 2), columns, c.source, same,
    rtrim(columns_of('t', c.key), ', '), rtrim(columns_of('k', c.key), ', '), c.condition, kept || '_before');
  RETURN QUERY EXECUTE format(
    $q$SELECT 'between', row(%1$s k.%2$s, l.%2$s)::text, w, row(b.*)::text FROM %3$s AS p JOIN %4$s AS k ON (k.sampled + p.sampled) %% 3 = 0, %5$s AS l,
       LATERAL (SELECT row(%6$s)::text AS w FROM %7$s AS t WHERE %8$s t.%2$s >= k.%2$s AND t.%2$s < l.%2$s AND (%9$s)) AS o, %10$I(%1$s k.%2$s, l.%2$s) AS b$q$,
    columns_of('p', c.partition), c.key[1], format(sample, 3), format(sample, 4), format(sample, 5), columns, c.source, same, c.condition, kept || '_between');
  RETURN QUERY EXECUTE format(
    $q$SELECT 'total', row(%1$s)::text, w, row(b.*)::text FROM (SELECT DISTINCT %2$s FROM %3$s AS p) AS p,
       LATERAL (SELECT row(%4$s)::text AS w FROM %3$s AS t WHERE %5$s (%6$s)) AS o, %7$I(%1$s) AS b$q$,
    rtrim(columns_of('p', c.partition), ', '), coalesce(nullif(rtrim(columns_of('p', c.partition), ', '), ''), '1'), c.source, columns, same, c.condition, kept || '_total');
  -- its columns have the names that they had when it was made
  IF c.renamed THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    $q$SELECT 'last', row(%1$s most)::text, wanted, found FROM (SELECT DISTINCT %2$s FROM %3$s AS p) AS p, unnest('{1,3,100}'::int[]) AS most,
       LATERAL (SELECT string_agg(w, ' ' ORDER BY position) AS wanted FROM (SELECT row(%11$s, %5$s)::text AS w, row_number() OVER (ORDER BY %8$s) AS position FROM %3$s AS t WHERE %6$s (%7$s) WINDOW w AS (ORDER BY %4$s)) AS t WHERE position <= most) AS o,
       LATERAL (SELECT string_agg(row(%11$s, %9$s)::text, ' ') AS found FROM %10$I(%1$s most) AS t) AS b$q$,
    columns_of('p', c.partition), coalesce(nullif(rtrim(columns_of('p', c.partition), ', '), ''), '1'), c.source, rtrim(columns_of('t', c.key), ', '),
    (SELECT string_agg(a || ' OVER w', ', ' ORDER BY i) FROM unnest(c.aggregate) WITH ORDINALITY AS u (a, i)), same, c.condition,
    (SELECT string_agg(format('t.%s DESC', x), ', ' ORDER BY i) FROM unnest(c.key) WITH ORDINALITY AS u (x, i)), (SELECT string_agg('t.a' || i, ', ' ORDER BY i) FROM generate_series(1, cardinality(c.aggregate)) AS i), kept || '_last', 't.' || c.key[1]);
END $$;
CREATE FUNCTION compare(kept name, most int DEFAULT 50) RETURNS TABLE (read text, compared bigint, different bigint, example text) LANGUAGE sql AS $$
  SELECT read, count(*), count(*) FILTER (WHERE plain IS DISTINCT FROM got),
         max(format('%s: %s, not %s', partition_and_key, got, plain)) FILTER (WHERE plain IS DISTINCT FROM got)
  FROM reads(kept, most) GROUP BY read ORDER BY read
$$;
-- All kept scans of the tests at once.
CREATE FUNCTION compare_all(most int DEFAULT 10) RETURNS TABLE (name name, compared bigint, different bigint, example text) LANGUAGE sql AS $$
  SELECT c.name, count(read), count(*) FILTER (WHERE plain IS DISTINCT FROM got), max(format('%s %s: %s, not %s', read, partition_and_key, got, plain)) FILTER (WHERE plain IS DISTINCT FROM got)
  FROM kept_case AS c LEFT JOIN LATERAL reads(c.name, most) ON true GROUP BY c.name ORDER BY c.name
$$;
-- Whether a tree that was compacted is one: the rows of a split node are those of its children, no leaf above level 0 has more than
-- 256 rows, the log is empty, and the leaves have `rows` rows.
CREATE FUNCTION is_sound(kept name, rows bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  part text; sound boolean;
BEGIN
  SELECT string_agg(quote_ident(attname) || ', ', '' ORDER BY attnum) INTO part FROM pg_attribute, kept_case AS c WHERE c.name = kept AND attrelid = kept::text::regclass AND attnum BETWEEN 1 AND cardinality(c.partition);
  EXECUTE format($q$WITH node AS MATERIALIZED (SELECT row(%1$s 0) AS part, scan_level AS level, scan_bucket AS bucket, scan_split AS split, scan_rows AS rows FROM %2$I)
    SELECT coalesce(sum(rows) FILTER (WHERE NOT split), 0) = %3$s AND coalesce(bool_and(split OR level = 0 OR rows <= 256), true)
           AND NOT EXISTS (SELECT FROM node AS n WHERE split AND rows <> (SELECT coalesce(sum(c.rows), 0) FROM node AS c WHERE c.part = n.part AND c.level = n.level - 1 AND c.bucket >> 2 = n.bucket))
           AND NOT EXISTS (SELECT FROM %4$I)
    FROM node$q$, part, kept, rows, kept || '_log') INTO sound;
  RETURN sound;
END $$;
-- Whether each kept scan of the tests is used, and its nodes agree with the rows.
CREATE FUNCTION check_all() RETURNS TABLE (kept_scans bigint, checked bigint, used bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE scan_kept_check(c.name) = 0), (SELECT count(*) FROM scan_kept AS k JOIN kept_case USING (name) WHERE k.usable) FROM kept_case AS c
$$;
CREATE PROCEDURE compact_all() LANGUAGE plpgsql AS $$
DECLARE
  c name;
BEGIN
  FOR c IN SELECT name FROM kept_case ORDER BY name LOOP
    CALL scan_kept_compact(c);
  END LOOP;
END $$;

-- ---- every aggregate, at every row

-- NULLs; numerics of several scales, NaN, infinities, and such as need more than 128 bits; floats with -0, NaN and infinities
CREATE FUNCTION entry(i int) RETURNS TABLE (id int, key int, v2 smallint, v4 int, v8 bigint, n numeric, f8 float8, f4 real, flag boolean) LANGUAGE sql AS $$
  SELECT i, (oracle.draw(i, 1, 200) - 100)::int, nullif(oracle.draw(i, 2, 100) - 50, 7)::smallint, nullif(oracle.draw(i, 3, 2000000) - 1000000, 3)::int,
         CASE WHEN oracle.draw(i, 4, 10) > 0 THEN oracle.hash(i, 5) / 4096 END,
         CASE oracle.draw(i, 6, 60) WHEN 0 THEN NULL WHEN 1 THEN oracle.draw(i, 7, 1000) * 1e-20 WHEN 2 THEN 1e45 * oracle.draw(i, 8, 9) - 1e45 WHEN 3 THEN oracle.draw(i, 9, 100000)
                                    ELSE (oracle.draw(i, 9, 100000) - 50000) * 0.01 END,
         CASE oracle.draw(i, 10, 30) WHEN 0 THEN NULL WHEN 1 THEN '-0' WHEN 2 THEN 1e300 WHEN 3 THEN -1e-300 ELSE (oracle.draw(i, 11, 2000001) - 1000000) / 7.0::float8 END,
         CASE oracle.draw(i, 12, 30) WHEN 0 THEN NULL WHEN 1 THEN '-0' ELSE (oracle.draw(i, 13, 2001) - 1000) / 7.0::real END, nullif(oracle.draw(i, 14, 3), 2)::int::boolean
$$;
CREATE TABLE every AS SELECT e.* FROM generate_series(1, 700) AS i, entry(i) AS e;
ALTER TABLE every ALTER key SET NOT NULL, ALTER id SET NOT NULL;
CREATE INDEX ON every (key, id);
SELECT keep('every_core', 'every', '{}', '{key,id}', '{count(*),count(n),count(f8),sum(v2),sum(v4),sum(v8),sum(n),avg(v2),avg(v4),avg(v8),avg(n),sum(n) FILTER (WHERE flag),count(*) FILTER (WHERE v4 > 0),sum(v4 * 2 + v2)}');
SELECT keep('every_exact', 'every', '{}', '{key,id}',
  '{exact_sum(f8),exact_sum(f4),exact_avg(f8),exact_var_pop(f8),exact_var_samp(f8),exact_stddev_pop(f8),exact_stddev_samp(f8),exact_sum(f8) FILTER (WHERE flag),exact_avg(f8 / 3 + v4)}', 'abs(coalesce(f8, 0)) < 1e10');
SELECT keep('every_pair', 'every', '{}', '{key,id}',
  ARRAY['exact_covar_pop(f8, f4)', 'exact_covar_samp(v8, f8)', 'exact_corr(f8, v4)', 'exact_regr_slope(f4, v8)', 'exact_regr_intercept(f8, f4)', 'exact_regr_r2(v8, v4) FILTER (WHERE flag)'], 'abs(coalesce(f8, 0)) < 1e10');
SELECT keep('every_more', 'every', '{}', '{key,id}',
  ARRAY['min(v2)', 'max(v4)', 'min(v8)', 'max(f8)', 'min(f4) FILTER (WHERE flag)', 'max(v4::numeric(12,2))', 'min(v8::text)', 'max(date ''2026-01-01'' + v2)', 'min(interval ''1 hour'' * v2 + timestamp ''2026-01-01'')', 'max((''{low,middling,high}''::oracle.mood[])[1 + abs(v2) % 3])',
        'bit_and(v4)', 'bit_or(v8)', 'bit_and(v2) FILTER (WHERE flag)', 'exact_sum(f4)']);
SELECT keep('every_group', 'every', '{}', '{key,id}',
  ARRAY['bool_and(v2 < 49)', 'bool_and(v2 < 50)', 'bool_or(flag)', 'bool_or(v2 > 48)', 'every(flag) FILTER (WHERE v4 > 0)', 'bit_xor(v2)', 'bit_xor(v4)', 'bit_xor(v8)', 'exact_sum(v2)', 'exact_sum(v8)', 'exact_sum(n)', 'exact_avg(v4)', 'exact_avg(v8)', 'exact_avg(n)',
        'scan_total(f8)', 'scan_total(v8)']);
SELECT * FROM compare('every_core', 10000);
SELECT * FROM compare('every_more', 200);
SELECT * FROM compare('every_group', 10000);
SELECT * FROM compare('every_exact', 10000);
SELECT * FROM compare('every_pair', 10000);
SELECT is_sound('every_core', 700), is_sound('every_core', 701);
-- changes: new rows, values, keys, rows that go
INSERT INTO every SELECT e.* FROM generate_series(701, 1000) AS i, entry(i) AS e;
UPDATE every SET n = n * 1.000, f8 = -f8, v8 = v8 + 1 WHERE id % 5 = 0;
UPDATE every SET key = -key WHERE id % 7 = 0;
UPDATE every SET flag = NOT flag, f4 = NULL WHERE id % 11 = 0;
DELETE FROM every WHERE id % 3 = 0;
SELECT * FROM compare_all(100);
CALL compact_all();
SELECT * FROM compare_all(100);
SELECT is_sound('every_core', (SELECT count(*) FROM every));
-- many rows at one place, so that leaves are split, and then none
INSERT INTO every SELECT e.id, 5, v2, v4, v8, n, f8, f4, flag FROM generate_series(2001, 2800) AS i, entry(i) AS e;
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare_all();
SELECT is_sound('every_core', (SELECT count(*) FROM every));
DELETE FROM every WHERE key = 5;
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare('every_core', 10000);
SELECT * FROM compare('every_more', 200);
SELECT * FROM compare('every_group', 200);
SELECT * FROM compare('every_exact', 10000);
SELECT * FROM compare('every_pair', 10000);
SELECT is_sound('every_core', (SELECT count(*) FROM every));
-- numerics: the widest scale goes, numbers beyond 128 bits cancel each other, NaN and infinities come and go
CREATE FUNCTION sums() RETURNS TABLE (total text, plain text, mean text, plain_mean text) LANGUAGE sql AS $$
  SELECT a7::text, (SELECT sum(n) FROM every)::text, a11::text, (SELECT avg(n) FROM every)::text FROM every_core_total()
$$;
DELETE FROM every WHERE n <> trunc(n, 2);
SELECT * FROM sums();
UPDATE every SET n = trunc(n) WHERE n < 1e40;
SELECT * FROM sums();
UPDATE every SET n = trim_scale(n);
SELECT * FROM sums();
INSERT INTO every (id, key, n) VALUES (5001, 50, 'NaN'), (5002, -50, 'Infinity'), (5003, 0, '-Infinity'), (5004, 0, '0.00000'), (5005, 0, 1e-1000);
CREATE FUNCTION halves() RETURNS TABLE (key int, before text, plain text) LANGUAGE sql AS $$
  SELECT k, a7::text, (SELECT sum(n) FROM every AS e WHERE e.key < k)::text FROM unnest('{-60,-10,10,60}'::int[]) AS k, every_core_before(k) ORDER BY k
$$;
UPDATE every SET n = 1 WHERE id < 5000;
DELETE FROM every WHERE id = 5005;
SELECT * FROM halves();
CALL compact_all();
SELECT * FROM halves();
DELETE FROM every WHERE id = 5003;
SELECT * FROM halves();
CALL compact_all();
SELECT * FROM halves();
DELETE FROM every WHERE id BETWEEN 5000 AND 5002;
SELECT * FROM halves();
DELETE FROM every WHERE id = 5004;
SELECT * FROM halves();
CALL compact_all();
SELECT * FROM halves();
SELECT * FROM check_all();
-- the same values with more digits, and with none; digits that cancel each other in a statement, while the sum does not
CREATE TABLE digits (id int NOT NULL, n numeric, flag boolean);
INSERT INTO digits SELECT i, i % 10, i % 2 = 0 FROM generate_series(1, 600) AS i;
SELECT scan_keep('digits_kept', 'SELECT sum(n) OVER (ORDER BY id) AS total, sum(n) FILTER (WHERE flag) OVER (ORDER BY id) AS flagged FROM digits');
UPDATE digits SET n = n * 1.0000;
SELECT * FROM digits_kept_total();
UPDATE digits SET n = trim_scale(n);
SELECT * FROM digits_kept_total();
UPDATE digits SET n = id * 0.001;
UPDATE digits SET flag = NOT flag;
SELECT *, (SELECT sum(n) FROM digits WHERE flag) AS plain FROM digits_kept_total();
CALL scan_kept_compact('digits_kept');
SELECT *, (SELECT sum(n) FROM digits WHERE flag) AS plain FROM digits_kept_total();
SELECT scan_unkeep('digits_kept');
DROP TABLE digits;
-- floats: NaN and infinities
INSERT INTO every (id, key, f8, v8) VALUES (5001, 20, 'NaN', 1), (5002, 40, 'Infinity', 2), (5003, 60, '-Infinity', 3);
SELECT unkeep('every_exact'), unkeep('every_pair');
SELECT keep('every_exact', 'every', '{}', '{key,id}', ARRAY['exact_sum(f8)', 'exact_avg(f8)', 'exact_sum(f4)', 'exact_corr(f8, v8)', 'exact_var_pop(f8)'], 'f8 IS NULL OR abs(f8) < 1e10 OR abs(f8) > 1e305');
SELECT * FROM compare_all();
UPDATE every SET f8 = 'Infinity' WHERE id = 5001;
DELETE FROM every WHERE id = 5003;
SELECT * FROM compare_all();
CALL compact_all();
UPDATE every SET f8 = '-0';
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare_all();
-- no rows, one row
DELETE FROM every;
SELECT * FROM every_core_total();
SELECT * FROM every_more_total();
SELECT * FROM every_group_total();
SELECT * FROM every_exact_total();
CALL compact_all();
SELECT * FROM every_core_total();
SELECT * FROM every_exact_total();
SELECT is_sound('every_core', 0);
INSERT INTO every SELECT * FROM entry(1);
SELECT * FROM compare_all();
TRUNCATE every;
SELECT * FROM every_core_total();
SELECT * FROM check_all();
SELECT bool_and(unkeep(name) IS NOT NULL) FROM kept_case;
DROP TABLE every CASCADE;

-- ---- aggregates without an inverse

CREATE TABLE peak (id int PRIMARY KEY, sensor int, v int, f float8, note text);
INSERT INTO peak SELECT i, i % 2, oracle.draw(i, 1, 1000), oracle.draw(i, 2, 1000) - 500, 'x' FROM generate_series(1, 2000) AS i;
SELECT keep('peak_kept', 'peak', '{sensor}', '{id}', '{min(v),max(f),bit_or(v),min(note),exact_sum(f)}');
CREATE FUNCTION stale() RETURNS TABLE (deltas bigint, stale bigint, stale_nodes bigint, different bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE scan_stale), (SELECT count(*) FROM peak_kept WHERE scan_stale), (SELECT sum(different)::bigint FROM compare('peak_kept', 40)) FROM peak_kept_log
$$;
SELECT * FROM stale();
-- values that leave and come back make no delta; those that others absorb make none that is stale
UPDATE peak SET note = 'x', v = v, f = f + 0;
SELECT * FROM stale();
UPDATE peak SET f = f + 1, note = 'w' WHERE id = 100;
INSERT INTO peak VALUES (5000, 0, 7, 7, 'x');
SELECT * FROM stale();
UPDATE peak SET v = v | 1024 WHERE id = 200;
SELECT * FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
-- the extremes go: in a savepoint, by a new value, by another place
BEGIN;
DELETE FROM peak WHERE v < 5 OR f > 495;
SELECT stale > 0 AS stale, stale_nodes, different FROM stale();
SAVEPOINT a;
DELETE FROM peak WHERE id % 2 = 0;
SELECT a1, a2 FROM peak_kept_total(0);
ROLLBACK TO a;
SELECT stale > 0 AS stale, stale_nodes, different FROM stale();
ROLLBACK;
SELECT * FROM stale();
SELECT a1, a2, a3, a4 FROM peak_kept_total(0);
DELETE FROM peak WHERE v < 5 OR id = 100;
UPDATE peak SET f = -f WHERE f > 490;
UPDATE peak SET id = id + 10000 WHERE v BETWEEN 5 AND 7;
UPDATE peak SET sensor = 3 WHERE id % 400 = 0;
SELECT stale > 0 AS stale, stale_nodes, different FROM stale();
SELECT a1, a2, a3, a4 FROM peak_kept_total(0);
SELECT min(v), max(f), bit_or(v), min(note) FROM peak WHERE sensor = 0;
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
-- a new place, and all that are there
INSERT INTO peak SELECT i, 9, i, i, 'y' FROM generate_series(50001, 50020) AS i;
DELETE FROM peak WHERE id > 50010;
SELECT stale, different FROM stale();
DELETE FROM peak WHERE id > 50000;
SELECT stale, different FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
DELETE FROM peak WHERE id % 3 > 0;
SELECT stale > 20 AS stale, different FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
SELECT scan_kept_check('peak_kept');
-- a wrong extreme is found
UPDATE peak_kept SET a1 = a1 + 1 WHERE scan_split;
SELECT scan_kept_check('peak_kept') > 0 AS wrong;
SELECT * FROM stale();
-- 0 and -0: the last of them, in the order of the rows
UPDATE peak SET f = CASE WHEN oracle.draw(id, 3, 2) = 0 THEN '-0' ELSE '0' END::float8;
SELECT stale > 0 AS stale, different FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT stale_nodes > 0 AS stale_nodes, different FROM stale();
SELECT scan_kept_check('peak_kept');
UPDATE peak SET f = 1 WHERE id % 5 = 0;
SELECT different FROM stale();
UPDATE peak SET f = 0;
SELECT different FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
TRUNCATE peak;
INSERT INTO peak VALUES (1, 1, 1, 1, 'x');
SELECT * FROM stale();
SELECT unkeep('peak_kept');
DROP TABLE peak;
-- the same in one node, which a compaction computes from rows in another order
CREATE TABLE tie (id int PRIMARY KEY, f float8);
INSERT INTO tie VALUES (3, -5), (2, '-0'), (1, '0'), (0, -7);
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT scan_keep('tie_kept', 'SELECT max(f) OVER (ORDER BY id) AS high, min(f) OVER (ORDER BY id) AS low FROM tie');
DELETE FROM tie WHERE id = 3;
SELECT * FROM tie_kept_total();
CALL scan_kept_compact('tie_kept');
SELECT scan_stale, scan_rows FROM tie_kept;
SELECT * FROM tie_kept_total();
SELECT max(f), min(f) FROM (SELECT f FROM tie ORDER BY id) AS t;
RESET enable_indexscan;
RESET enable_bitmapscan;
SELECT scan_unkeep('tie_kept');
DROP TABLE tie;

-- ---- window functions of scan

CREATE TABLE run (id int PRIMARY KEY, s smallint, i int, b bigint, n numeric, f real, d float8, flag boolean);
CREATE FUNCTION run(i int) RETURNS SETOF run LANGUAGE sql AS $$
  SELECT i, nullif(oracle.draw(i, 1, 9), 0)::smallint, nullif(oracle.draw(i, 2, 9), 0)::int, nullif(oracle.hash(i, 3) / 4096, 0), CASE WHEN i % 7 > 0 THEN round(oracle.draw(i, 4, 99999) / 1000.0, i % 4) END,
         CASE oracle.draw(i, 5, 9) WHEN 0 THEN NULL WHEN 1 THEN '-0' ELSE oracle.draw(i, 6, 99) / 7.0 END::real, CASE oracle.draw(i, 7, 9) WHEN 0 THEN NULL WHEN 1 THEN '-0' ELSE (oracle.draw(i, 8, 99) - 50) / 7.0 END, nullif(oracle.draw(i, 9, 3), 2)::int::boolean
$$;
INSERT INTO run SELECT r.* FROM generate_series(1, 900) AS i, run(i) AS r;
SELECT scan_keep('run_kept', $$SELECT scan_sum(s) OVER w AS a1, scan_sum(i) OVER w AS a2, scan_sum(b) OVER w AS a3, scan_sum(n) OVER w AS a4, scan_sum(f) OVER w AS a5, scan_sum(exclusive => false, value => d) OVER w AS a6, scan_count(flag) OVER w AS a7, scan_sum(d, reset => NULL) OVER w AS a8 FROM run WINDOW w AS (ORDER BY id)$$);
-- how many rows differ from the window query: in the last rows, and before each row
CREATE FUNCTION run_differences() RETURNS TABLE (rows bigint, last bigint, before bigint) LANGUAGE sql SET scan.prefixscan = off AS $$
  WITH plain AS (SELECT id, row(scan_sum(s) OVER w, scan_sum(i) OVER w, scan_sum(b) OVER w, scan_sum(n) OVER w, scan_sum(f) OVER w, scan_sum(d) OVER w, scan_count(flag) OVER w, scan_sum(d) OVER w)::text AS now FROM run WINDOW w AS (ORDER BY id))
  SELECT count(*), count(*) FILTER (WHERE now IS DISTINCT FROM got), count(*) FILTER (WHERE coalesce(earlier, '(,,,,,,0,)') IS DISTINCT FROM (SELECT b::text FROM run_kept_before(id) AS b))
  FROM (SELECT *, lag(now) OVER (ORDER BY id) AS earlier FROM plain) AS p FULL JOIN (SELECT id, row(a1, a2, a3, a4, a5, a6, a7, a8)::text AS got FROM run_kept_last(10000)) AS k USING (id)
$$;
SELECT * FROM run_differences();
INSERT INTO run SELECT r.* FROM generate_series(901, 1000) AS i, run(i) AS r;
UPDATE run SET n = n * 1.00, d = '-0', flag = NOT flag WHERE id % 3 = 0;
UPDATE run SET id = -id WHERE id % 11 = 0;
DELETE FROM run WHERE id < -500 OR id % 13 = 0;
SELECT * FROM run_differences();
CALL scan_kept_compact('run_kept');
SELECT * FROM run_differences();
SELECT scan_kept_check('run_kept');
-- beyond bigint, as in the window query
INSERT INTO run (id, b) VALUES (2001, 9223372036854775807), (2002, 9223372036854775807), (2003, -9223372036854775807);
SELECT oracle.error_of('SELECT a3 FROM run_kept_before(2003)'), oracle.error_of('SELECT a3 FROM run_kept_before(2002)');
SELECT a3 - 9223372036854775807 = (SELECT sum(b) FROM run WHERE id < 2000) AS same FROM run_kept_total();
SELECT scan_unkeep('run_kept');
DROP TABLE run CASCADE;

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
INSERT INTO keyed SELECT k.* FROM generate_series(1, 600) AS i, keyed(i) AS k;
SELECT c, keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c, 'id'], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM compare_all();
INSERT INTO keyed SELECT k.* FROM generate_series(601, 1200) AS i, keyed(i) AS k;
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare_all();
UPDATE keyed SET (s, i, b, d, t, z) = (SELECT k.s, k.i, k.b, k.d, k.t, k.z FROM keyed(keyed.id + 4) AS k) WHERE id % 2 = 0;
DELETE FROM keyed WHERE id % 13 = 0;
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare_all();
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
SELECT * FROM check_all();
SELECT bool_and(unkeep(name) IS NOT NULL) FROM kept_case;
-- built of nothing, of one row, of 300 rows with one key, of type limits only
TRUNCATE keyed;
SELECT c, keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM compare_all();
SELECT * FROM keyed_z_total();
CALL compact_all();
INSERT INTO keyed SELECT * FROM keyed(1);
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare_all();
INSERT INTO keyed SELECT n, k.s, k.i, k.b, k.d, k.t, k.z, n FROM generate_series(2, 300) AS n, keyed(5) AS k;
CALL compact_all();
INSERT INTO keyed SELECT n, k.s, k.i, k.b, k.d, k.t, k.z, n FROM generate_series(301, 600) AS n, keyed(6) AS k;
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare_all();
SELECT * FROM check_all();
SELECT bool_and(unkeep(name) IS NOT NULL) FROM kept_case;
SELECT c, keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM compare_all();
SELECT * FROM check_all();
SELECT bool_and(unkeep(name) IS NOT NULL) FROM kept_case;
DELETE FROM keyed WHERE id > 1;
SELECT c, keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM compare_all();
SELECT * FROM check_all();
SELECT bool_and(unkeep(name) IS NOT NULL) FROM kept_case;
TRUNCATE keyed;
INSERT INTO keyed SELECT k.* FROM generate_series(1, 700) AS i, keyed(i * 9 + i % 2) AS k;
SELECT c, keep(('keyed_' || c)::name, 'keyed', '{}', ARRAY[c, 'id'], '{sum(v),count(*)}') FROM unnest('{s,i,b,d,t,z}'::text[]) AS c;
SELECT * FROM ends();
DELETE FROM keyed WHERE id % 4 = 0;
SELECT * FROM ends();
CALL compact_all();
SELECT * FROM ends();
SELECT * FROM compare_all();
SELECT * FROM check_all();
SELECT bool_and(unkeep(name) IS NOT NULL) FROM kept_case;
DROP TABLE keyed CASCADE;

-- ---- partitions, composite keys

CREATE TABLE parted (id int PRIMARY KEY, p int, t text COLLATE oracle.english, c text COLLATE "C", n numeric, b bytea, k int NOT NULL, name text COLLATE oracle.english NOT NULL, x numeric NOT NULL, at timestamptz NOT NULL, v int);
CREATE FUNCTION parted(i int) RETURNS SETOF parted LANGUAGE sql AS $$
  SELECT i, nullif(oracle.draw(i, 1, 5), 4)::int, (ARRAY['a', 'A', 'ä', 'z', 'Zoë', '', NULL])[1 + oracle.draw(i, 2, 7)], (ARRAY['a', 'A', repeat('long', 100), NULL])[1 + oracle.draw(i, 3, 4)],
    (ARRAY[1.0, 1.00, 1.000, -2, 0, 'NaN', 'Infinity', NULL])[1 + oracle.draw(i, 4, 8)], nullif(('\x0' || oracle.draw(i, 5, 3))::bytea, '\x02'), oracle.draw(i, 6, 40)::int,
    (ARRAY['b', 'B', 'a', 'Ä'])[1 + oracle.draw(i, 7, 4)], (ARRAY[1.0, 1.00, -1.5, 2, 'NaN'])[1 + oracle.draw(i, 8, 5)], timestamptz '2026-01-01 00:00 UTC' + oracle.draw(i, 9, 300) * interval '1 day', oracle.draw(i, 10, 1000)::int
$$;
-- with indexes by which the rows of a part are found, but for parted_c
CREATE INDEX ON parted (p, k, id);
CREATE INDEX ON parted (t, k, name, x);
CREATE INDEX ON parted (n, k);
CREATE INDEX ON parted (p, t, at);
INSERT INTO parted SELECT r.* FROM generate_series(1, 600) AS i, parted(i) AS r;
SELECT keep('parted_int', 'parted', '{p}', '{k,id}', '{sum(v),count(*)}'), keep('parted_text', 'parted', '{t}', '{k,name,x}', '{sum(v),count(*)}'), keep('parted_c', 'parted', '{c}', '{at}', '{sum(v),count(*)}'),
       keep('parted_numeric', 'parted', '{n}', '{k,x,name,id}', '{sum(v),count(*)}', 'v % 10 <> 0'), keep('parted_two', 'parted', '{p,t}', '{at,id}', '{sum(x),count(*)}'), keep('parted_three', 'parted', '{n,b,c}', '{k}', '{sum(v),count(*)}');
SELECT * FROM compare_all();
INSERT INTO parted SELECT r.* FROM generate_series(901, 1300) AS i, parted(i) AS r;
UPDATE parted SET p = (p + 1) % 4, t = t || 'x' WHERE id % 6 = 0;
UPDATE parted SET n = n * 1.0, x = x + 1, v = v + 1, c = NULL WHERE id % 10 = 0;
DELETE FROM parted WHERE id % 8 = 0;
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare_all();
-- a partition that equals another in its order, and not in its bytes, is the same one
SELECT (SELECT a1 FROM parted_numeric_total(1)) = (SELECT a1 FROM parted_numeric_total(1.00000)) AS same;
-- partitions that go, and come again
DELETE FROM parted WHERE p = 1 OR n = 1 OR t IS NULL;
CALL compact_all();
SELECT * FROM compare_all();
INSERT INTO parted SELECT r.* FROM generate_series(2001, 2600) AS i, parted(i) AS r;
SELECT * FROM compare_all();
CALL compact_all();
SELECT * FROM compare_all();

-- ---- every way to change a table

COPY parted (id, p, t, n, k, name, x, at, v) FROM STDIN (FORMAT csv);
3001,0,a,1.0000,5,b,1,2026-01-01 00:00Z,17
3002,,,,5,b,1,2026-01-01 00:00Z,18
3003,3,"",1,5,B,1.0,2027-01-01 00:00Z,19
\.
INSERT INTO parted SELECT r.* FROM generate_series(2590, 2610) AS i, parted(i) AS r ON CONFLICT (id) DO UPDATE SET v = parted.v + 1, k = excluded.k + 1, p = NULL;
INSERT INTO parted SELECT r.* FROM generate_series(2590, 2620) AS i, parted(i) AS r ON CONFLICT DO NOTHING;
MERGE INTO parted USING (SELECT r.* FROM generate_series(2600, 2640) AS i, parted(i) AS r) AS s ON s.id = parted.id
WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET k = s.k + 7, v = s.v + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.*);
WITH gone AS (DELETE FROM parted WHERE id % 17 = 0 RETURNING *), changed AS (UPDATE parted SET v = -v WHERE id % 17 = 1 RETURNING *)
INSERT INTO parted (id, p, t, k, name, x, at, v) SELECT id + 10000, p, t, k, name, x, at, v FROM gone UNION ALL SELECT id + 10000, p, t, k, name, x, at, v FROM changed;
UPDATE parted SET id = id;
DELETE FROM parted WHERE false;
SELECT * FROM compare_all();
-- savepoints, a read in the transaction that has written, and one that is rolled back
BEGIN;
SELECT * FROM parted_int_total(2);
INSERT INTO parted (id, p, k, name, x, at, v) VALUES (20001, 2, 1, 'a', 1, now(), 1000000);
SELECT * FROM parted_int_total(2);
SAVEPOINT s;
UPDATE parted SET p = 2;
SELECT (SELECT a2 FROM parted_int_total(2)) = (SELECT count(*) FROM parted) AS all;
ROLLBACK TO s;
SELECT * FROM parted_int_total(2);
CALL scan_kept_compact('parted_int');
SELECT * FROM parted_int_total(2);
ROLLBACK;
SELECT * FROM parted_int_total(2);
-- a cursor reads the rows of its snapshot
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) = max(a2) AS same FROM parted, parted_int_total(2) WHERE p = 2;
DELETE FROM parted WHERE id % 2 = 0;
CALL scan_kept_compact('parted_int');
FETCH c;
ROLLBACK;
-- changed by a cascade, and by a function
CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent VALUES (1), (2), (3);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE, v int);
SELECT keep('child_kept', 'child', '{parent}', '{id}', '{sum(v)}');
INSERT INTO child SELECT i, 1 + i % 3, i FROM generate_series(1, 100) AS i;
DELETE FROM parent WHERE id = 1;
UPDATE parent SET id = 7 WHERE id = 2;
SELECT * FROM child_kept_total(7);
SELECT * FROM compare('child_kept');
-- reads inside of the statement that writes see the rows so far, as the plain query does
CREATE TABLE seen (id int, kept bigint, plain bigint);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO seen SELECT new.id, a1, (SELECT sum(v) FROM child WHERE parent = 3) FROM child_kept_total(3);
  RETURN NULL;
END $$;
CREATE TRIGGER a_see AFTER INSERT OR UPDATE ON child FOR EACH ROW EXECUTE FUNCTION see();
INSERT INTO child SELECT i, 3, i FROM generate_series(201, 210) AS i;
UPDATE child SET v = v + 1 WHERE id > 208;
COPY child FROM STDIN (FORMAT csv);
301,3,1
302,3,10
\.
SELECT count(*), count(*) FILTER (WHERE kept IS DISTINCT FROM plain) AS different, min(kept) < max(kept) AS grows FROM seen;
CREATE FUNCTION total_of_child(p int) RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT a1 FROM child_kept_total(p)';
INSERT INTO child SELECT i, 3, total_of_child(3) FROM generate_series(401, 403) AS i;
SELECT v FROM child WHERE id > 400 ORDER BY id;
DROP TRIGGER a_see ON child;
-- the replica's trigger
SET session_replication_role = replica;
INSERT INTO child SELECT i, 3, i FROM generate_series(501, 510) AS i;
UPDATE child SET v = v + 1, parent = 7 WHERE id > 505;
DELETE FROM child WHERE id % 5 = 0;
RESET session_replication_role;
SELECT * FROM compare('child_kept');
SET session_replication_role = replica;
TRUNCATE child;
RESET session_replication_role;
SELECT * FROM child_kept_total(7);
SELECT count(*) FROM child_kept;
-- two-phase and aborted transactions leave what the table has
BEGIN;
INSERT INTO child VALUES (1, 3, 1);
ROLLBACK;
SELECT count(*) FROM child_kept_log;
SELECT unkeep('child_kept');
DROP TABLE child, parent, seen CASCADE;
DROP FUNCTION see, total_of_child;

-- TRUNCATE, also in a transaction that is rolled back
BEGIN;
TRUNCATE parted;
SELECT * FROM parted_int_total(2);
INSERT INTO parted SELECT r.* FROM generate_series(1, 300) AS i, parted(i) AS r;
SELECT * FROM compare_all(20);
ROLLBACK;
SELECT * FROM compare_all(20);
TRUNCATE parted;
SELECT (SELECT count(*) FROM parted_int) AS tree, (SELECT count(*) FROM parted_int_log) AS log;
-- at several sizes, compacted each time
CREATE PROCEDURE grow() LANGUAGE plpgsql AS $$
DECLARE
  size int;
  all_different bigint := 0;
  all_compared bigint := 0;
  all_sound boolean := true;
BEGIN
  FOREACH size IN ARRAY '{1,2,256,257,1100}'::int[] LOOP
    INSERT INTO parted SELECT r.* FROM generate_series((SELECT coalesce(max(id), 0) + 1 FROM parted), size) AS i, parted(i) AS r;
    CALL ledger.compact_all();
    SELECT all_different + sum(different), all_compared + sum(compared), all_sound AND bool_and(is_sound(a.name, CASE WHEN a.name <> 'parted_numeric' THEN (SELECT count(*) FROM parted) ELSE (SELECT count(*) FROM parted WHERE v % 10 <> 0) END))
      INTO all_different, all_compared, all_sound FROM compare_all(3) AS a;
  END LOOP;
  FOREACH size IN ARRAY '{700,10,0}'::int[] LOOP
    DELETE FROM parted WHERE id > size;
    CALL ledger.compact_all();
    SELECT all_different + sum(different), all_compared + sum(compared), all_sound AND bool_and(is_sound(a.name, CASE WHEN a.name <> 'parted_numeric' THEN (SELECT count(*) FROM parted) ELSE (SELECT count(*) FROM parted WHERE v % 10 <> 0) END))
      INTO all_different, all_compared, all_sound FROM compare_all(3) AS a;
  END LOOP;
  RAISE WARNING '% compared, % different, sound: %', all_compared, all_different, all_sound;
END $$;
CALL grow();
SELECT * FROM check_all();
SELECT bool_and(unkeep(name) IS NOT NULL) FROM kept_case;
DROP TABLE parted CASCADE;

-- partitions of many types, among them such where values are equal that are not the same: -0 and 0, a day and 24 hours, 1 and 1.0;
-- a column of the table named as its alias in the queries that read it
CREATE DOMAIN shop_number AS int CHECK (value >= 0);
CREATE TABLE kinds (id int NOT NULL, r int4range, a int[], e oracle.mood, c oracle.pair, f float8, s interval, ch char(5), vc varchar(9), u uuid, bo bool, m money, dom shop_number, j jsonb, bi bit(3), wide text, v int);
CREATE FUNCTION kinds(i int) RETURNS SETOF kinds LANGUAGE sql AS $$
  SELECT i, int4range(i % 3, 5), (ARRAY['{1,2}', '{}', '{NULL}', NULL, '[2:3]={1,2}'])[1 + oracle.draw(i, 1, 5)]::int[], (ARRAY['low', 'high', NULL])[1 + oracle.draw(i, 2, 3)]::oracle.mood, (ARRAY[row(1, 'a'), row(1, NULL), row(NULL, NULL), NULL]::oracle.pair[])[1 + oracle.draw(i, 3, 4)],
    (ARRAY['0', '-0', 'NaN', 'Infinity', '1.5', NULL])[1 + oracle.draw(i, 4, 6)]::float8, (ARRAY['1 day', '24 hours', '1 mon', '30 days', NULL])[1 + oracle.draw(i, 5, 5)]::interval, (ARRAY['a', 'a  ', 'b', NULL])[1 + oracle.draw(i, 6, 4)], (ARRAY['a', 'a  ', 'b', NULL])[1 + oracle.draw(i, 7, 4)],
    md5((i % 3)::text)::uuid, (ARRAY[true, false, NULL])[1 + oracle.draw(i, 8, 3)], (i % 3)::numeric::money, i % 4, (ARRAY['1', '1.0', '{"a":1}'])[1 + i % 3]::jsonb, (i % 8)::bit(3), repeat('wide', 600) || i % 3, i
$$;
INSERT INTO kinds SELECT k.* FROM generate_series(1, 400) AS i, kinds(i) AS k;
SELECT count(keep(('kinds_' || c)::name, 'kinds', ARRAY[c], '{id}', '{sum(v),count(*)}')) FROM unnest('{r,a,e,c,f,s,ch,vc,u,bo,m,dom,j,bi,wide}'::text[]) AS c;
SELECT * FROM compare_all(5);
INSERT INTO kinds SELECT k.* FROM generate_series(401, 800) AS i, kinds(i) AS k;
DELETE FROM kinds WHERE id % 7 = 0;
SELECT * FROM compare_all(5);
CALL compact_all();
SELECT * FROM compare_all(5);
SELECT * FROM check_all();
SELECT bool_and(unkeep(name) IS NOT NULL) FROM kept_case;
DROP TABLE kinds CASCADE;

-- ---- names and changes of the schema

-- a table that is not logged
CREATE UNLOGGED TABLE quick (id int NOT NULL, v int);
INSERT INTO quick SELECT i, i FROM generate_series(1, 1000) AS i;
SELECT keep('quick_kept', 'quick', '{}', '{id}', '{sum(v)}');
INSERT INTO quick VALUES (500, 7);
SELECT relname, relpersistence FROM pg_class WHERE relname LIKE 'quick_kept%' AND relkind = 'r' ORDER BY 1;
SELECT * FROM compare('quick_kept', 20);
-- the table is logged, its log and tree are not: the rows are read
ALTER TABLE quick SET LOGGED;
INSERT INTO quick VALUES (501, 7);
SELECT * FROM compare('quick_kept', 20);
SELECT oracle.error_of('CALL scan_kept_compact(''quick_kept'')');
SELECT scan_kept_check('quick_kept');
SELECT relname, relpersistence FROM pg_class WHERE relname LIKE 'quick_kept%' AND relkind = 'r' ORDER BY 1;
INSERT INTO quick VALUES (502, 7);
SELECT * FROM compare('quick_kept', 20);
SELECT * FROM check_all();
SELECT unkeep('quick_kept');
DROP TABLE quick;
-- names that need quotes
CREATE SCHEMA "Odd ""schema"" %s";
CREATE TABLE "Odd ""schema"" %s"."Odd ' table $1" ("Part 'p'" text, "select" int NOT NULL, "Key ""k""" bigint NOT NULL, "%I" numeric);
INSERT INTO "Odd ""schema"" %s"."Odd ' table $1" SELECT (ARRAY['a''b', 'c"d', '\e', NULL])[1 + i % 4], i % 50, i, i * 0.5 FROM generate_series(1, 400) AS i;
SELECT scan_keep($$Kept 'of' "odd" $1 %s\$$, $$SELECT sum("%I") OVER w AS "Sum 's'", count(*) OVER w AS "count ""c""" FROM "Odd ""schema"" %s"."Odd ' table $1" WHERE "Part 'p'" IS DISTINCT FROM 'q''' WINDOW w AS (PARTITION BY "Part 'p'" ORDER BY "select", "Key ""k""")$$);
INSERT INTO "Odd ""schema"" %s"."Odd ' table $1" VALUES ('a''b', -5, 0, 1000), ('q''', 1, 1, 1);
UPDATE "Odd ""schema"" %s"."Odd ' table $1" SET "select" = 3 WHERE "select" = 2;
SELECT k."Sum 's'" = (SELECT sum("%I") FROM "Odd ""schema"" %s"."Odd ' table $1" WHERE "Part 'p'" = 'a''b' AND ("select", "Key ""k""") < (20, 100)) AS same, k."count ""c""" FROM "Odd ""schema"" %s"."Kept 'of' ""odd"" $1 %s\_before"('a''b', 20, 100) AS k;
CALL scan_kept_compact($$Kept 'of' "odd" $1 %s\$$);
SELECT k."Sum 's'" = (SELECT sum("%I") FROM "Odd ""schema"" %s"."Odd ' table $1" WHERE "Part 'p'" IS NULL AND "select" BETWEEN 10 AND 19) AS same FROM "Odd ""schema"" %s"."Kept 'of' ""odd"" $1 %s\_between"(NULL, 10, 20) AS k;
TRUNCATE "Odd ""schema"" %s"."Odd ' table $1";
SELECT * FROM "Odd ""schema"" %s"."Kept 'of' ""odd"" $1 %s\_total"('a''b');
SELECT scan_unkeep($$Kept 'of' "odd" $1 %s\$$);
DROP SCHEMA "Odd ""schema"" %s" CASCADE;
-- the longest name; columns named as parameters are, and as columns of the result; alias of the table and its columns; ONLY
CREATE TABLE edge (rows int, "from" int NOT NULL, "to" int NOT NULL, v int);
INSERT INTO edge SELECT i % 2, i % 20, i % 30, i FROM generate_series(1, 500) AS i;
SELECT keep(repeat('n', 40)::name, 'edge', '{rows}', '{"\"from\"","\"to\""}', '{sum(v),count(*)}');
INSERT INTO edge SELECT i % 2, i % 20, i % 30, i FROM generate_series(501, 800) AS i;
SELECT * FROM compare(repeat('n', 40)::name);
SELECT scan_keep('edge_kept', 'SELECT sum(d) OVER w AS name, count(*) OVER w AS "order", sum(x.d + 1) OVER w AS r FROM ONLY edge AS x (a, b, c, d) WHERE x.d % 2 = 0 WINDOW w AS (PARTITION BY a ORDER BY b, x.c GROUPS UNBOUNDED PRECEDING);');
SELECT * FROM edge_kept_before(0, 10, 3);
SELECT sum(v) AS name, count(*) AS "order", sum(v + 1) AS r FROM edge WHERE rows = 0 AND ("from", "to") < (10, 3) AND v % 2 = 0;
SELECT scan_unkeep('edge_kept'), unkeep(name) IS NOT NULL AS unkeep FROM kept_case;
DROP TABLE edge;
-- columns, tables and schemas that are renamed or moved; columns that come and go
CREATE TABLE moved (gone int, id int NOT NULL, p int, v int);
INSERT INTO moved SELECT 0, i, i % 2, i FROM generate_series(1, 1000) AS i;
SELECT keep('moved_kept', 'moved', '{p}', '{id}', '{sum(v),count(*)}');
ALTER TABLE moved RENAME v TO value;
ALTER TABLE moved RENAME id TO number;
ALTER TABLE moved RENAME p TO part;
ALTER TABLE moved RENAME TO renamed;
UPDATE kept_case SET renamed = true, source = 'renamed', partition = '{part}', key = '{number}', aggregate = '{sum(value),count(*)}';
INSERT INTO renamed SELECT 0, i, i % 2, i FROM generate_series(1001, 1100) AS i;
SELECT * FROM compare('moved_kept');
ALTER TABLE renamed DROP gone, ADD new text DEFAULT 'x';
INSERT INTO renamed SELECT i, i % 2, i, '8' FROM generate_series(1101, 1200) AS i;
SELECT * FROM compare('moved_kept');
CALL scan_kept_compact('moved_kept');
SELECT * FROM compare('moved_kept');
-- the rows that NAME_last returns have the columns that there were
SELECT number, part, value, a1, a2 FROM (SELECT number, part, value, sum(value) OVER w AS a1, count(*) OVER w AS a2 FROM renamed WHERE part = 1 WINDOW w AS (PARTITION BY part ORDER BY number)) AS s ORDER BY number DESC LIMIT 2;
SELECT * FROM moved_kept_last(1, 2);
ALTER TABLE renamed ALTER new DROP DEFAULT, ALTER new TYPE int USING 7;
SELECT * FROM moved_kept_last(1, 2);
CREATE SCHEMA elsewhere;
ALTER TABLE renamed SET SCHEMA elsewhere;
UPDATE kept_case SET source = 'elsewhere.renamed';
DELETE FROM elsewhere.renamed WHERE number % 5 = 0;
SELECT * FROM compare('moved_kept');
CALL scan_kept_compact('moved_kept');
DELETE FROM elsewhere.renamed WHERE number % 7 = 0;
SELECT * FROM compare('moved_kept');
VACUUM FULL elsewhere.renamed, moved_kept, moved_kept_log;
REINDEX TABLE moved_kept;
CLUSTER moved_kept_log USING moved_kept_log_p_scan_bucket_idx;
CALL scan_kept_compact('moved_kept');
SELECT * FROM compare('moved_kept');
-- the extension in another schema
SELECT scan_set_schema('elsewhere');
DELETE FROM elsewhere.renamed WHERE number % 11 = 0;
SELECT count(*) FROM moved_kept_total(1);
SELECT elsewhere.scan_set_schema('public');
SELECT * FROM compare('moved_kept');
-- what would make it wrong is refused by PostgreSQL
SELECT q, oracle.error_of(q) FROM unnest(ARRAY['ALTER TABLE elsewhere.renamed DROP part', 'ALTER TABLE elsewhere.renamed ALTER value TYPE bigint USING value * 2', 'ALTER TABLE elsewhere.renamed ALTER number TYPE bigint', 'DROP TABLE elsewhere.renamed']) AS q;
-- tables that come to inherit, are inherited from, or get what could not be kept: writes work, and reads are right
CREATE TABLE ancestor (number int NOT NULL, part int, value int, new int);
CREATE TABLE whole (number int NOT NULL, part int, value int, new int) PARTITION BY LIST (number);
-- Runs commands; returns for each whether it was refused, and then an example of each read that is wrong.
CREATE FUNCTION attempt(commands text[]) RETURNS TABLE (command text, read text, wrong text) LANGUAGE plpgsql AS $$
DECLARE
  c text;
BEGIN
  FOREACH c IN ARRAY commands LOOP
    command := c; read := NULL; wrong := NULL;
    BEGIN
      EXECUTE c;
    EXCEPTION WHEN feature_not_supported OR wrong_object_type OR object_not_in_prerequisite_state OR undefined_table THEN
      wrong := 'refused';
    END;
    RETURN NEXT;
  END LOOP;
  RETURN QUERY SELECT 'compared', a.read, nullif(a.example, '-') FROM compare('moved_kept', 5) AS a;
END $$;
BEGIN;
SELECT command, read, wrong FROM attempt('{CREATE TABLE heir () INHERITS (elsewhere.renamed),"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)","INSERT INTO heir VALUES (2001, 1, 2001, 10)",UPDATE elsewhere.renamed SET value = 1,DROP TABLE heir}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{ALTER TABLE elsewhere.renamed INHERIT ancestor,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)",UPDATE ancestor SET value = 1}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{ALTER TABLE whole ATTACH PARTITION elsewhere.renamed DEFAULT,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)",UPDATE whole SET value = 1,ALTER TABLE whole DETACH PARTITION elsewhere.renamed}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{ALTER TABLE elsewhere.renamed ALTER number DROP NOT NULL,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)"}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{ALTER TABLE elsewhere.renamed ADD twice int GENERATED ALWAYS AS (value * 2) STORED,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)"}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
DROP TABLE ancestor, whole;
-- its own tables lose an index, or are dropped: writes work, and reads are right
BEGIN;
SELECT command, read, wrong FROM attempt('{DROP INDEX moved_kept_log_p_scan_bucket_idx,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)"}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{CREATE INDEX ON moved_kept (scan_rows),DROP INDEX moved_kept_p_scan_level_scan_bucket_idx,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)"}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
-- triggers that are disabled, or dropped: the rows are read
ALTER TABLE elsewhere.renamed DISABLE TRIGGER scan_kept_moved_kept_insert;
INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10);
SELECT * FROM compare('moved_kept', 20);
ALTER TABLE elsewhere.renamed ENABLE TRIGGER scan_kept_moved_kept_insert;
SELECT * FROM compare('moved_kept', 20);
SELECT oracle.error_of('CALL scan_kept_compact(''moved_kept'')');
DROP TRIGGER scan_kept_moved_kept_delete ON elsewhere.renamed;
DELETE FROM elsewhere.renamed WHERE number = 2001;
SELECT * FROM compare('moved_kept', 20);
INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10);
SELECT * FROM compare('moved_kept', 20);
SELECT unkeep('moved_kept');
DROP SCHEMA elsewhere CASCADE;
-- triggers of others that call the function of the triggers change nothing
CREATE TABLE other (id int NOT NULL, v int);
CREATE TABLE mine (id int NOT NULL, v int);
SELECT keep('other_kept', 'other', '{}', '{id}', '{sum(v),count(*)}');
CREATE TRIGGER wrong AFTER INSERT ON mine REFERENCING NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION scan_kept_log('other_kept');
CREATE TRIGGER twice AFTER INSERT ON other REFERENCING NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION scan_kept_log('other_kept');
SELECT oracle.error_of('INSERT INTO mine VALUES (1, 1)');
SELECT oracle.error_of('INSERT INTO other VALUES (1, 1)') IS NOT NULL;
SELECT coalesce(sum(different), 0) AS different FROM compare('other_kept');
DROP TRIGGER twice ON other;
CREATE TRIGGER before BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION scan_kept_log('other_kept');
SELECT oracle.error_of('INSERT INTO other VALUES (2, 1)') IS NOT NULL;
DROP TRIGGER before ON other;
INSERT INTO other VALUES (3, 1);
SELECT coalesce(sum(different), 0) AS different FROM compare('other_kept');
SELECT unkeep('other_kept');
DROP TABLE other, mine;

-- ---- transactions

CREATE TABLE late (id int NOT NULL, v int);
INSERT INTO late SELECT i, i FROM generate_series(1, 1000) AS i;
BEGIN;
SELECT scan_keep('late_kept', 'SELECT sum(v) OVER (ORDER BY id) FROM late');
INSERT INTO late VALUES (0, 7);
SELECT * FROM late_kept_total();
ROLLBACK;
SELECT oracle.error_of('SELECT scan_unkeep(''late_kept'')');
BEGIN;
INSERT INTO late VALUES (0, 7);
SAVEPOINT s;
SELECT scan_keep('late_kept', 'SELECT sum(v) OVER (ORDER BY id) FROM late');
INSERT INTO late VALUES (0, 7);
SELECT * FROM late_kept_total();
ROLLBACK TO s;
SELECT oracle.error_of('SELECT * FROM late_kept_total()');
SELECT scan_keep('late_kept', 'SELECT sum(v) OVER (ORDER BY id) FROM late');
COMMIT;
SELECT * FROM late_kept_total();
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO late VALUES (0, 7);
SELECT * FROM late_kept_total();
SELECT oracle.error_of('CALL scan_kept_compact(''late_kept'')');
COMMIT;
SELECT * FROM late_kept_total();
-- a read-only transaction reads, and changes nothing
BEGIN READ ONLY;
SELECT * FROM late_kept_total();
SELECT oracle.error_of('CALL scan_kept_compact(''late_kept'')') LIKE '25006: cannot execute % in a read-only transaction' AS compact, oracle.error_of('SELECT scan_unkeep(''late_kept'')') LIKE '25006: %' AS unkeep;
COMMIT;
-- an error in an expression is one of the statement that writes
SELECT scan_unkeep('late_kept');
SELECT scan_keep('late_kept', 'SELECT sum(10 / v) OVER (ORDER BY id) FROM late');
INSERT INTO late VALUES (1, 0);
SELECT * FROM late_kept_total();
SELECT scan_unkeep('late_kept');
DROP SCHEMA ledger CASCADE;
