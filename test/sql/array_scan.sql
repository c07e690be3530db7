-- array_scan: every scan over arrays beside the window function of the same name and
-- type, and beside core's aggregates: all types, with and without NULLs, segments and
-- `exclusive`, at sizes around a tile (1024) and at 100000.
\pset null -
SELECT array_scan_sum('{1.5,NULL,2.25}'::numeric[]) AS numeric, array_scan_sum(ARRAY[1.5, 2]) AS literal, array_scan_sum('{1 day,12:00,NULL,-1 month}'::interval[], exclusive => true) AS interval,
       array_scan_product('{2,3,NULL,4}'::int4[]) AS product, array_scan_product('{1e200,1e200,1e-300}'::float8[], '{f,t,f}') AS "product, reset",
       array_scan_count('{t,NULL,f,t}') AS count, array_scan_count('{t,NULL,f,t}', '{f,f,t,f}', true) AS "count, reset, exclusive";
SELECT array_scan_min('{b,c,NULL,a}'::text[]) AS min, array_scan_max('{2024-02-29,2024-01-01,infinity}'::date[]) AS max, array_scan_bool_and('{NULL,t,f,t}') AS bool_and, array_scan_bool_or('{f,NULL,t,f}', '{f,f,f,t}') AS bool_or,
       array_scan_bit_and('{7,6,4}'::int2[], exclusive => true) AS bit_and, array_scan_bit_or('{001,100}'::bit(3)[]) AS bit_or, array_scan_bit_xor('{5,5,1}'::int8[]) AS bit_xor;
SELECT array_scan_clamped_sum('{5,-9,8,NULL,8}'::int4[], 0, 10) AS clamped, array_scan_clamped_sum('{5,-9,8}'::int8[], NULL, 10, init => 100) AS "from 100", array_scan_clamped_sum('{0.5,-9,8}'::numeric[], 0, 7.25, 1, '{f,f,t}') AS numeric,
       array_scan_clamped_sum('{0.1,0.2,-5}'::float8[], 0, NULL) AS float8, array_scan_recurrence('{1.5,1.5,0.1}'::numeric[], '{10,NULL,0}', 100) AS recurrence;
SELECT pg_typeof(array_scan_sum('{1}'::numeric[])) AS sum, pg_typeof(array_scan_sum('{1}'::interval[])) AS interval, pg_typeof(array_scan_product('{1}'::int2[])) AS product, pg_typeof(array_scan_min('{1}'::int2[])) AS min,
       pg_typeof(array_scan_max('{a}'::name[])) AS max, pg_typeof(array_scan_clamped_sum('{1}'::int2[], 0, 1)) AS clamped, pg_typeof(array_scan_clamped_sum('{1}'::numeric[], 0, 1)) AS "clamped numeric";

-- The rows, and what is scanned: a function, a type, a value made of the hash h of row
-- i, core's aggregate, and the answer of an exclusive scan where there is none.
CREATE TEMP TABLE scanned (place serial, f text, type text, x text, core text, unit text DEFAULT 'NULL', more text DEFAULT '');
INSERT INTO scanned (f, type, x, core, unit) VALUES
  ('sum', 'int2', '(h >> 48)::int2', 'sum(x)', '0'), ('sum', 'int4', '(h >> 32)::int4', 'sum(x)', '0'), ('sum', 'int8', 'h >> 12', 'sum(x)', '0'),
  ('sum', 'float4', '((h >> 40) * oracle.two((h & 63)::int - 56))::float4', NULL, '0'), ('sum', 'float8', '(h >> 11) * oracle.two((h & 511)::int - 308)', NULL, '0'),
  ('sum', 'numeric', '(h >> 12) * CASE h & 3 WHEN 0 THEN 1 WHEN 1 THEN 0.001 ELSE 1e-30 END', 'sum(x)', '0'),
  ('sum', 'interval', 'make_interval(months => (h & 63)::int - 32, days => (h >> 8 & 255)::int - 128, secs => (h >> 40) * 0.001)', 'sum(x)', '''0''::interval'),
  ('product', 'int2', '(ARRAY[-2,-1,1,1,3])[1 + abs(h % 5)]::int2', 'oracle.product(x)', '1'), ('product', 'int4', '(ARRAY[-2,-1,1,1,7])[1 + abs(h % 5)]', 'oracle.product(x)', '1'),
  ('product', 'int8', '(ARRAY[-2,-1,1,1,4294967296])[1 + abs(h % 5)]', 'oracle.product(x)', '1'), ('product', 'numeric', '(ARRAY[0.5,-1,1,1.0,12.5])[1 + abs(h % 5)]', 'oracle.product(x)', '1'),
  ('product', 'float8', '(h >> 11) * oracle.two((h & 3)::int - 53)', NULL, '1'),
  ('count', 'bool', 'h & 1 = 0', 'count(*) FILTER (WHERE x)', '0'), ('bool_and', 'bool', 'h & 15 <> 0', 'bool_and(x)', 'true'), ('bool_or', 'bool', 'h & 15 = 0', 'bool_or(x)', 'false'),
  ('bit_and', 'int2', '(h >> 48)::int2 | 1', 'bit_and(x)', '-1::int2'), ('bit_and', 'int4', '(h >> 32)::int4 | 1', 'bit_and(x)', '-1'), ('bit_and', 'int8', 'h | 1', 'bit_and(x)', '-1'), ('bit_and', 'bit', '(h::bit(64) || B''1'')', 'bit_and(x)', 'NULL'),
  ('bit_or', 'int2', '(1 << abs(h % 15)::int)::int2', 'bit_or(x)', '0::int2'), ('bit_or', 'int4', '1 << abs(h % 32)::int', 'bit_or(x)', '0'), ('bit_or', 'int8', '1::int8 << abs(h % 64)::int', 'bit_or(x)', '0'), ('bit_or', 'bit', '(h::bit(64) || B''1'')', 'bit_or(x)', 'NULL'),
  ('bit_xor', 'int2', '(h >> 48)::int2', 'bit_xor(x)', '0::int2'), ('bit_xor', 'int4', '(h >> 32)::int4', 'bit_xor(x)', '0'), ('bit_xor', 'int8', 'h', 'bit_xor(x)', '0'), ('bit_xor', 'bit', '(h::bit(64) || B''1'')', 'bit_xor(x)', 'NULL');
-- (Random values, near 0 for those whose equals differ, and with the special ones.)
INSERT INTO scanned (f, type, x, core)
SELECT f, type, x, format('oracle.%s(x)', f) FROM unnest('{min,max}'::text[]) AS f, (VALUES
  ('int2', '(h >> 48)::int2'), ('int4', '(h >> 32)::int4'), ('int8', 'h'), ('numeric', 'CASE h & 7 WHEN 0 THEN ''NaN'' WHEN 1 THEN 1.0 WHEN 2 THEN 1.00 ELSE h % 100 END'),
  ('float4', 'CASE h & 7 WHEN 0 THEN ''NaN'' WHEN 1 THEN ''-0'' WHEN 2 THEN 0 ELSE (h % 3)::float4 END'), ('float8', 'CASE h & 7 WHEN 0 THEN ''NaN'' WHEN 1 THEN ''-0'' WHEN 2 THEN 0 ELSE (h % 3)::float8 END'),
  ('date', 'CASE h & 255 WHEN 0 THEN ''infinity'' WHEN 1 THEN ''-infinity'' ELSE ''2000-01-01''::date + (h % 10000)::int END'), ('timestamp', 'CASE h & 255 WHEN 0 THEN ''infinity'' WHEN 1 THEN ''-infinity'' ELSE ''2000-01-01''::timestamp + h % 1000000 * interval ''1 s'' END'),
  ('timestamptz', 'CASE h & 255 WHEN 0 THEN ''infinity'' WHEN 1 THEN ''-infinity'' ELSE ''2000-01-01''::timestamptz + h % 1000000 * interval ''1 s'' END'), ('time', '''12:00''::time + h % 10000 * interval ''1 s'''),
  ('timetz', '(''12:00''::time + h % 10000 * interval ''1 s'')::timetz'), ('interval', '(ARRAY[''1 mon'', ''30 days'', ''720:00'', ''1 day'', ''-1 s'']::interval[])[1 + abs(h % 5)]'), ('money', '(h % 100000)::money'), ('oid', '(h & 4294967295)::oid'),
  ('bool', 'h & 15 = 0'), ('"char"', 'chr(33 + abs(h % 90)::int)::"char"'), ('text', 'repeat(md5(h::text), 1 + (h & 3)::int)'), ('text COLLATE oracle.english', 'chr(65 + abs(h % 50)::int)'), ('name', 'md5(h::text)::name'), ('bytea', 'decode(md5(h::text), ''hex'')'),
  ('uuid', 'md5(h::text)::uuid'), ('inet', '(''10.0.0.0''::inet + (h & 65535))'), ('macaddr', 'substr(md5(h::text), 1, 12)::macaddr'), ('tid', 'format(''(%s,1)'', h & 65535)::tid'), ('int4range', 'int4range((h % 100)::int, 1000)'),
  ('oracle.mood', '(enum_range(NULL::oracle.mood))[1 + abs(h % 3)]'), ('oracle.pair', 'ROW((h % 10)::int, md5(h::text))::oracle.pair')) AS t(type, x);
-- (Of equals oracle.min keeps the newer; scan_min of bpchar does not, as core's min() does not, and a collation without case is not an oracle.min's.)
INSERT INTO scanned (f, type, x) SELECT f, type, x FROM unnest('{min,max}'::text[]) AS f, (VALUES ('bpchar', '(chr(65 + abs(h % 9)::int) || repeat('' '', (h >> 8 & 3)::int))::bpchar'), ('text COLLATE oracle.caseless', 'chr((ARRAY[65, 97])[1 + (h & 1)::int] + abs(h % 9)::int)')) AS t(type, x);
INSERT INTO scanned (f, type, x, more)
SELECT 'clamped_sum', type, x, more FROM (VALUES ('int2', '(h >> 48)::int2'), ('int4', '(h >> 32)::int4'), ('int8', 'h >> 8'), ('numeric', '(h >> 32) * 0.001'), ('float8', '(h >> 11) * oracle.two((h & 15)::int - 30)')) AS t(type, x),
  (VALUES (', -1000000, 2000000, 5'), (', 0, NULL, 0'), (', NULL, NULL, -7')) AS m(more);

CREATE TEMP TABLE answer (place int, size int, fill text, resets boolean, exclusive boolean, way text, y text);
CREATE FUNCTION pg_temp.answer(s scanned, small boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  resets boolean; exclusive boolean; args text; cast_ text := CASE WHEN (s.f, s.type) = ('sum', 'int8') THEN '::int8' ELSE '' END;
  element text := split_part(s.type, ' COLLATE', 1); collation_ text := substr(s.type, length(split_part(s.type, ' COLLATE', 1)) + 1);
BEGIN
  EXECUTE format('CREATE TEMP TABLE line AS SELECT size, fill, i, CASE WHEN NOT (fill = ''some'' AND hole) THEN (%s)::%s END AS x, reset FROM %s, unnest(%L::text[]) AS fill', s.x, element, CASE WHEN small THEN 'oracle.cell' ELSE 'large' END, CASE WHEN small THEN '{full,some}' ELSE '{some}' END);
  CREATE TEMP TABLE filled AS SELECT size, fill, array_agg(x ORDER BY i) AS x, array_agg(reset ORDER BY i) AS reset FROM line GROUP BY size, fill;
  FOREACH resets IN ARRAY '{f,t}'::boolean[] LOOP
    FOREACH exclusive IN ARRAY '{f,t}'::boolean[] LOOP
      CONTINUE WHEN exclusive AND s.f = 'clamped_sum';
      args := CASE WHEN s.f = 'clamped_sum' THEN format('%s, %%s', s.more) ELSE format(', %%s, %L', exclusive) END;
      EXECUTE format('INSERT INTO answer SELECT %s, size, fill, %L, %L, ''array'', md5(array_send(array_scan_%s(x%s%s))) FROM filled', s.place, resets, exclusive, s.f, collation_, format(args, CASE WHEN resets THEN 'reset' ELSE 'NULL' END));
      EXECUTE format('INSERT INTO answer SELECT %s, size, fill, %L, %L, ''window'', md5(array_send(array_agg(y ORDER BY i))) FROM (SELECT size, fill, i, scan_%s(x%s%s) OVER (PARTITION BY size, fill ORDER BY i) AS y FROM line) AS t GROUP BY size, fill',
                     s.place, resets, exclusive, s.f, collation_, format(args, format('reset AND %L', resets)));
      CONTINUE WHEN s.core IS NULL OR (s.core LIKE 'oracle.%' AND NOT small);
      EXECUTE format('INSERT INTO answer SELECT %s, size, fill, %L, %L, ''core'', md5(array_send(array_agg(%s ORDER BY i))) FROM (SELECT size, fill, i, %s OVER (PARTITION BY size, fill, segment ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND %s) AS y
        FROM (SELECT *, count(*) FILTER (WHERE reset AND %L) OVER (PARTITION BY size, fill ORDER BY i) AS segment FROM line) AS s) AS t GROUP BY size, fill',
                     s.place, resets, exclusive, CASE WHEN exclusive THEN format('coalesce(y%s, %s)', cast_, s.unit) ELSE 'y' || cast_ END,
                     regexp_replace(s.core, '\(x', '(x' || collation_), CASE WHEN exclusive THEN '1 PRECEDING' ELSE 'CURRENT ROW' END, resets);
    END LOOP;
  END LOOP;
  DROP TABLE line, filled;
END $$;
SET scan.prefixscan = off;    -- core's WindowAgg, for core's aggregates
SELECT count(pg_temp.answer(s, true)) AS scans FROM scanned AS s;
CREATE TEMP TABLE large AS SELECT 100000 AS size, i, oracle.draw(i, 7, 500) = 0 AS reset, oracle.draw(i, 8, 10) < 3 AS hole, oracle.hash(i, 9) AS h FROM generate_series(1, 100000) AS i;
SELECT count(pg_temp.answer(s, false)) AS scans FROM scanned AS s WHERE (f, type, more) IN (('sum', 'int4', ''), ('sum', 'numeric', ''), ('count', 'bool', ''), ('min', 'text', ''), ('clamped_sum', 'int8', ', 0, NULL, 0'));
SELECT s.f, o.way, count(DISTINCT s.type) AS types, count(*) AS arrays, count(*) FILTER (WHERE a.y IS DISTINCT FROM o.y) AS different, string_agg(DISTINCT s.type, ', ') FILTER (WHERE a.y IS DISTINCT FROM o.y) AS "of types"
FROM (SELECT * FROM answer WHERE way <> 'array') AS o FULL JOIN (SELECT * FROM answer WHERE way = 'array') AS a USING (place, size, fill, resets, exclusive) JOIN scanned AS s USING (place)
GROUP BY s.f, o.way ORDER BY min(place), o.way;
-- (These are many different answers, not one:)
SELECT count(*) AS answers, count(DISTINCT y) AS different FROM answer WHERE way = 'array';
RESET scan.prefixscan;

-- Beside a loop over the elements, written down without a thought of scans: recurrences
-- and clamped sums, whose rows core cannot say.
CREATE FUNCTION pg_temp.recurrence(a numeric[], b numeric[], init numeric, reset boolean[]) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
  y numeric; result numeric[] := '{}';
BEGIN
  FOR i IN 1 .. cardinality(a) LOOP
    IF reset[i] THEN y := NULL; END IF;
    IF a[i] IS NOT NULL AND b[i] IS NOT NULL THEN y := round(a[i] * coalesce(y, init) + b[i], greatest(16, scale(b[i]), scale(init))); END IF;
    result := result || y;
  END LOOP;
  RETURN result;
END $$;
CREATE FUNCTION pg_temp.clamped(x numeric[], lower numeric, upper numeric, init numeric, reset boolean[]) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
  y numeric; result numeric[] := '{}';
BEGIN
  FOR i IN 1 .. cardinality(x) LOOP
    IF reset[i] THEN y := NULL; END IF;
    IF x[i] IS NOT NULL THEN y := coalesce(y, init) + x[i]; y := greatest(lower, least(upper, y)); END IF;
    result := result || y;
  END LOOP;
  RETURN result;
END $$;
SELECT size, count(*) AS arrays, count(*) FILTER (WHERE array_scan_recurrence(a, b, 3, r) IS DISTINCT FROM pg_temp.recurrence(a, b, 3, r)) AS "other recurrences",
       count(*) FILTER (WHERE array_scan_clamped_sum(b, -100, 150.5, 1, r) IS DISTINCT FROM pg_temp.clamped(b, -100, 150.5, 1, r)) AS "other clamped sums",
       count(*) FILTER (WHERE array_scan_clamped_sum(b::int8[], -100, 150, 1, r)::text IS DISTINCT FROM pg_temp.clamped(b::int8[], -100, 150, 1, r)::text) AS "other clamped integers"
FROM (SELECT size, coalesce(array_agg(CASE WHEN NOT (hole AND holes) THEN (h % 3) / 2.0 END ORDER BY i) FILTER (WHERE i IS NOT NULL), '{}') AS a, coalesce(array_agg(CASE WHEN h & 7 <> 0 OR NOT holes THEN h % 40 END ORDER BY i) FILTER (WHERE i IS NOT NULL), '{}') AS b,
             coalesce(array_agg(reset AND resets ORDER BY i) FILTER (WHERE i IS NOT NULL), '{}') AS r
      FROM unnest('{0,1,2,3,1023,1024,1025}'::int[]) AS size LEFT JOIN oracle.cell USING (size), unnest('{f,t}'::boolean[]) AS holes, unnest('{f,t}'::boolean[]) AS resets GROUP BY size, holes, resets) AS t
GROUP BY size ORDER BY size;

-- Shapes: the result has that of the first array; the elements go in storage order.
SELECT array_scan_sum('[0:1][2:3]={{1.5,2},{NULL,4}}'::numeric[]) AS sum, array_scan_min('[-2:0]={c,b,NULL}'::text[]) AS min, array_scan_max('{{1,3},{2,5}}'::int4[], '{f,f,t,f}') AS max, array_scan_count('{{t,f},{t,t}}', '{{f,t},{f,t}}') AS count,
       array_scan_clamped_sum('[5:6]={1,2}'::numeric[], 0, 2) AS clamped, array_scan_recurrence('{{1},{2}}'::numeric[], '[7:8]={1,1}', 1) AS recurrence, array_scan_max(('{5,1,7,3}'::int4[])[2:3]) AS slice, array_scan_sum(('{5,1,7,3}'::numeric[])[2:]) AS "slice of numeric";
SELECT array_scan_sum('{}'::numeric[]) AS sum, array_scan_min('{}'::text[]) AS min, array_scan_max('{}'::float8[], '{}', true) AS max, array_scan_count('{}') AS count, array_scan_product('{}'::int4[]) AS product, array_scan_clamped_sum('{}'::int4[], 0, 1) AS clamped,
       array_scan_recurrence('{}'::numeric[], '{}') AS recurrence, array_scan_sum(NULL::numeric[]) AS "NULL", array_scan_min(NULL::text[]) AS "NULL min", array_scan_sum('{NULL,NULL}'::numeric[]) AS nulls, array_scan_min('{NULL}'::text[], exclusive => true) AS "nulls min",
       array_scan_recurrence(NULL::numeric[], '{1}') AS "NULL a", array_scan_recurrence('{1}'::numeric[], NULL::numeric[]) AS "NULL b";
SELECT array_scan_product(NULL::float8[]) AS "NULL product", array_scan_clamped_sum(NULL::int4[], 0, 1) AS "NULL clamped", array_scan_clamped_sum(NULL::float8[], 0, 1) AS "NULL clamped float8";
-- Arrays as they come: compressed and out of line, of domains, being built in a loop.
CREATE TEMP TABLE stored AS SELECT array_agg(i::numeric ORDER BY i) AS a, array_agg(repeat('x', 20) || i % 1000 ORDER BY i) AS t FROM generate_series(1, 50000) AS i;
SELECT (array_scan_sum(a))[50000] AS sum, (array_scan_max(t))[50000] AS max, (array_scan_sum(array_append(a, 1)))[50001] AS appended FROM stored;
CREATE DOMAIN pg_temp.positive AS int4 CHECK (value > 0);
CREATE DOMAIN pg_temp.word AS text CHECK (value <> '');
CREATE DOMAIN pg_temp.words AS text[];
SELECT array_scan_min('{3,1,2}'::pg_temp.positive[]) AS integers, pg_typeof(array_scan_min('{3,1,2}'::pg_temp.positive[]))::text LIKE '%positive[]' AS "of the domain", array_scan_sum('{3,1}'::pg_temp.positive[]::int4[]) AS sum,
       array_scan_max('{a,b,a}'::pg_temp.word[]) AS words, array_scan_max('{a,b,a}'::pg_temp.words) AS "domain of arrays";
CREATE FUNCTION pg_temp.changed(n int, OUT scanned numeric[], OUT wanted numeric[]) LANGUAGE plpgsql AS $$
BEGIN
  scanned := array_fill(1.5, ARRAY[5]); wanted := scanned;
  FOR k IN 1..n LOOP
    scanned := array_scan_sum(scanned); scanned[3] := k; scanned := array_scan_max(scanned);
    wanted := ARRAY(SELECT sum(x) OVER (ORDER BY i) FROM unnest(wanted) WITH ORDINALITY AS t(x, i)); wanted[3] := k;
    wanted := ARRAY(SELECT max(x) OVER (ORDER BY i) FROM unnest(wanted) WITH ORDINALITY AS t(x, i));
  END LOOP;
END $$;
SELECT n, (pg_temp.changed(n)).* FROM generate_series(0, 3) AS n;
-- One call that sees elements of one type after another (a varchar[] is taken for a text[] as it is), and one after an error.
SELECT k, array_scan_max(CASE k WHEN 2 THEN '{x,y}'::varchar[]::text[] ELSE '{c,b,d}' END) FROM generate_series(1, 3) AS k;
CREATE FUNCTION pg_temp.again(x numeric[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN array_scan_product(x);
EXCEPTION WHEN numeric_value_out_of_range THEN RETURN SQLERRM;
END $$;
SELECT pg_temp.again(x) FROM (VALUES ('{2,3}'::numeric[]), (array_fill(1e30000, ARRAY[5])), ('{2,3}')) AS t(x);
-- One call from places that lie at other depths of the stack.
CREATE FUNCTION pg_temp.deep(depth int, x int4[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  below text := '';
BEGIN
  IF depth > 0 THEN below := pg_temp.deep(depth - 1, x) || ' '; END IF;
  RETURN below || array_scan_product(x)::text;
END $$;
SELECT pg_temp.deep(3, '{2,3,4}');
CREATE FUNCTION pg_temp.total(x numeric[]) RETURNS numeric[] LANGUAGE plpgsql AS $$ BEGIN RETURN array_scan_sum(x); END $$;
SELECT pg_temp.total('{1,2}'), (SELECT pg_temp.total('{3,4}')), ARRAY(SELECT pg_temp.total(ARRAY[i, i])::text FROM generate_series(1, 2) AS i) AS several;
-- Errors name the arguments.
SELECT oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT array_scan_sum('{1,2,3}'::numeric[], '{f,t}')$$,
  $$SELECT array_scan_min('{a}'::text[], '{}')$$,
  $$SELECT array_scan_recurrence('{1,2}'::numeric[], '{1}')$$,
  $$SELECT array_scan_clamped_sum('{1,2}'::int8[], 0, 1, 0, '{t}')$$,
  $$SELECT array_scan_sum('{1}'::numeric[], NULL, NULL)$$,
  $$SELECT array_scan_clamped_sum('{1}'::numeric[], 0, 1, NULL)$$,
  $$SELECT array_scan_clamped_sum('{1}'::int4[], 0, 1, NULL)$$,
  $$SELECT array_scan_recurrence('{1}'::numeric[], '{1}', NULL)$$,
  $$SELECT array_scan_clamped_sum('{1}'::int4[], 2, 1)$$,
  $$SELECT array_scan_clamped_sum('{1}'::float8[], 2, 1.5)$$,
  $$SELECT array_scan_clamped_sum('{1}'::float8[], 'NaN', 1)$$,
  $$SELECT array_scan_clamped_sum('{1}'::numeric[], 2, 1)$$,
  $$SELECT array_scan_sum('{178000000 years,178000000 years}'::interval[])$$,
  $$SELECT array_scan_product('{1e300,1e300}'::float8[])$$,
  $$SELECT array_scan_bit_or(ARRAY[B'101', B'1'])$$,
  $$SELECT array_scan_min(ARRAY['<a/>'::xml])$$,
  $$SELECT array_scan_max(ARRAY[point '(1,1)'])$$,
  $$SELECT array_scan_sum('{1,2}')$$,
  $$SELECT array_scan_min('{1,2}')$$,
  $$SELECT array_scan_recurrence('{1}', '{1}')$$]) AS q;
