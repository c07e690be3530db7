-- change: scan_change, the number of the run of values that are not distinct; NULL is a value.
\pset null -
SELECT i, x, reset,
       scan_change(x) OVER w AS text, scan_change(x, reset IS TRUE) OVER w AS segments, scan_change(value => x, reset => reset) OVER w AS named,
       scan_change(ascii(x)) OVER w AS int4, scan_change(ascii(x)::int2) OVER w AS int2, scan_change(ascii(x)::int8) OVER w AS int8,
       scan_change(ascii(x)::float4) OVER w AS float4, scan_change(ascii(x)::float8) OVER w AS float8, scan_change(ascii(x)::numeric) OVER w AS numeric,
       scan_change(x = 'a') OVER w AS bool, scan_change(ROW(x, 1)) OVER w AS "row"
FROM (VALUES (1, NULL, false), (2, NULL, NULL), (3, 'a', false), (4, 'a', true), (5, 'b', false), (6, NULL, false), (7, NULL, true), (8, 'b', false), (9, 'a', false), (10, 'a', false)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Empty, one row, only NULLs.
SELECT scan_change(i) OVER () FROM generate_series(1, 0) AS i;
SELECT scan_change(i) OVER (), scan_change(i::text) OVER () AS text FROM generate_series(1, 1) AS i;
SELECT scan_change(NULL::int) OVER (), scan_change(NULL::text) OVER () AS text, scan_change(NULL::int, i = 3) OVER (ORDER BY i) AS segments FROM generate_series(1, 3) AS i;
-- Equality is the type's: -0 is 0, NaN is NaN, 1.0 is 1.00, a day is 24 hours; other bits are no change.
SELECT i, scan_change(f) OVER w AS float8, scan_change(f::float4) OVER w AS float4, scan_change(n) OVER w AS numeric, scan_change(iv) OVER w AS interval
FROM (VALUES (1, 0::float8, 1.0, '1 day'::interval), (2, '-0', 1.00, '24 hours'), (3, 'NaN', 1.000, '23:59:60'), (4, 'NaN', 'NaN', '30 days'), (5, 'Infinity', 'NaN', '1 mon'), (6, '-Infinity', 'Infinity', NULL)) AS t(i, f, n, iv)
WINDOW w AS (ORDER BY i);
SELECT i, scan_change(x COLLATE "C") OVER w AS c, scan_change(x COLLATE oracle.caseless) OVER w AS caseless, scan_change(x::bpchar) OVER w AS bpchar, scan_change(x::bpchar COLLATE oracle.caseless) OVER w AS "caseless bpchar"
FROM (VALUES (1, 'a'), (2, 'A'), (3, 'a '), (4, 'a'), (5, 'b')) AS t(i, x) WINDOW w AS (ORDER BY i);
-- Several columns: NULLs in a row are equal, and a row of NULLs is no NULL.
SELECT i, scan_change(ROW(a, b)) OVER w, scan_change(CASE WHEN i <> 6 THEN ROW(a, b) END) OVER w AS with_null
FROM (VALUES (1, 1, 'x'), (2, 1, NULL), (3, 1, NULL), (4, NULL, NULL), (5, NULL, NULL), (6, NULL, NULL), (7, 1, 'x')) AS t(i, a, b) WINDOW w AS (ORDER BY i);
-- No equality, and no collation that could be chosen: as IS DISTINCT FROM says.
SELECT oracle.error_of(format('SELECT scan_change(x) OVER () FROM (VALUES (%s)) AS t(x)', v)) AS error
FROM unnest('{"''1''::json", "''1''::xml", "''(1,2)''::point", "ROW(1, ''2''::json)", "ARRAY[''1''::json]", "''1''"}'::text[]) AS v;
SELECT oracle.error_of('SELECT scan_change(ROW(x)) OVER () FROM (VALUES (''1''::json), (''1'')) AS t(x)') AS error;
SELECT oracle.error_of('SELECT scan_change(a || b) OVER () FROM (VALUES (''1'' COLLATE "C", ''2'' COLLATE "POSIX"), (''1'', ''2'')) AS t(a, b)') AS error;
SELECT oracle.error_of('SELECT scan_change() OVER ()') AS error;

-- Against the sum of IS DISTINCT FROM and lag, sizes 0..1025, with NULLs and resets.
CREATE FUNCTION pg_temp.compared(value text, OUT compared bigint, OUT different bigint, OUT runs bigint)
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('
    WITH rows AS (
      SELECT use_reset, size, i, use_reset AND reset AS reset, count(*) FILTER (WHERE use_reset AND reset) OVER (PARTITION BY use_reset, size ORDER BY i) AS segment,
             CASE WHEN NOT hole THEN %s END AS x
      FROM oracle.cell, (VALUES (false), (true)) AS t(use_reset)
    ), steps AS (
      SELECT *, row_number() OVER s AS number, x IS DISTINCT FROM lag(x) OVER s AS step FROM rows WINDOW s AS (PARTITION BY use_reset, size, segment ORDER BY i)
    ), answers AS (
      SELECT sum((step OR number = 1)::int) OVER (PARTITION BY use_reset, size, segment ORDER BY i) AS wanted,
             scan_change(x, reset => reset) OVER (PARTITION BY use_reset, size ORDER BY i) AS y
      FROM steps
    )
    SELECT count(*), count(*) FILTER (WHERE y IS DISTINCT FROM wanted), max(y) FROM answers', value)
  INTO compared, different, runs;
END $$;
CREATE DOMAIN pg_temp.few AS int CHECK (value < 4);
SELECT value, c.*
FROM unnest(ARRAY['(h & 1)::int2', '(h & 1)::int4', 'CASE h & 3 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -1 ELSE 0 END', '(h & 3)::int::pg_temp.few', 'h & 1 = 0', '(h & 1)::int::text::"char"',
  '(''{0,-0,NaN,Infinity}''::float4[])[1 + (h & 3)]', '(''{0,-0,NaN,-Infinity}''::float8[])[1 + (h & 3)]', 'round((h & 1)::numeric, (h >> 1 & 3)::int)', '(h & 1)::oid', '(h & 1)::int::money',
  '''2000-01-01''::date + (h & 1)::int', '''2000-01-01''::timestamp + (h & 1) * interval ''1 s''', '''2000-01-01''::timestamptz + (h & 1) * interval ''1 s''', '''12:00''::time + (h & 1) * interval ''1 s''',
  '(''{12:00+00,13:00+01,12:00+00,12:00+02}''::timetz[])[1 + (h & 3)]', '(''{1 day,24 hours,30 days,1 mon}''::interval[])[1 + (h & 3)]', '(h & 1)::text COLLATE "C"', '(''{a,A,b,B}''::text[])[1 + (h & 3)] COLLATE oracle.caseless',
  '(''{a,"a ",b}''::bpchar[])[1 + h % 3]', '(h & 1)::text::varchar', '(h & 1)::text::name', 'decode(''0'' || (h & 1), ''hex'')', '(h & 1)::bit(3)', 'md5((h & 1)::text)::uuid', '''10.0.0.0''::inet + (h & 1)',
  '(''{low,middling,high}''::oracle.mood[])[1 + h % 3]', 'ARRAY[h & 1, NULL]', 'ARRAY[CASE WHEN h < 0 THEN 0 ELSE ''-0''::float8 END]', 'ROW(h & 1, ''x'')::oracle.pair', 'ROW(h & 1, CASE WHEN h & 2 = 0 THEN ''x'' END)',
  'int8range(h & 1, 5)', 'jsonb_build_object(''a'', h & 1)', 'repeat((h & 1)::text, 3000)', 'h & 127']) AS value, LATERAL pg_temp.compared(value) AS c;

-- Arrays.
SELECT array_scan_change('{1,1,2,NULL,NULL,2}'::int[]) AS int4, array_scan_change('{1,1,2,NULL,NULL,2}'::int[], '{f,t,f,f,t,NULL}') AS segments, array_scan_change('{1,1,2,NULL,NULL,2}'::text[], '{f,t,f,f,t,NULL}') AS text,
       array_scan_change('{NaN,NaN,0,-0}'::float8[]) AS float8, array_scan_change('[2:3][0:1]={{a,a},{b,b}}'::text[]) AS bounds, array_scan_change('{}'::int[]) AS empty, array_scan_change(NULL::int[]) AS "null";
SELECT array_scan_change(ARRAY[ROW(1, 'x'), ROW(1, 'x'), NULL, ROW(2, 'x')]::oracle.pair[]) AS pairs, array_scan_change('{a,A,b}'::text[] COLLATE oracle.caseless) AS caseless;
SELECT oracle.error_of(call) AS error FROM unnest(ARRAY['SELECT array_scan_change(ARRAY[''1''::json])', 'SELECT array_scan_change(''{1,2}''::int[], ''{t}'')', 'SELECT array_scan_change(''1 2''::int2vector)']) AS call;
WITH parts AS (SELECT size, array_agg(CASE WHEN NOT hole THEN h & 1 END ORDER BY i) AS x, array_agg(reset ORDER BY i) AS reset FROM oracle.cell GROUP BY size)
SELECT size, count(*) AS compared, count(*) FILTER (WHERE y IS DISTINCT FROM s OR yt IS DISTINCT FROM s) AS different
FROM (SELECT size, i, scan_change(CASE WHEN NOT hole THEN h & 1 END, reset => reset) OVER (PARTITION BY size ORDER BY i) AS s FROM oracle.cell) AS rows
JOIN (SELECT size, y, yt, i FROM parts, unnest(array_scan_change(x, reset), array_scan_change(x::text[], reset)) WITH ORDINALITY AS u(y, yt, i)) AS arrays USING (size, i)
GROUP BY size ORDER BY size;
