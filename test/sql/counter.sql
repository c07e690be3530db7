-- counter: scan_counter, what a counter that falls back to 0 now and then has gained: + (x - x') where x >= x', else + x.
\pset null -
SELECT i, x, reset, scan_counter(x) OVER w AS int4, scan_counter(x, reset) OVER w AS segments, scan_counter(x::int2) OVER w AS int2, scan_counter(value => x::int8) OVER w AS int8,
       scan_counter(x::float4) OVER w AS float4, scan_counter(x::float8 / 10) OVER w AS float8, scan_counter(x / 10.0, reset) OVER w AS numeric
FROM (VALUES (1, NULL, false), (2, 100, false), (3, 130, false), (4, NULL, NULL), (5, 10, false), (6, 10, false), (7, 25, true), (8, 45, false), (9, NULL, true), (10, 5, false), (11, 4, false)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Empty, one row, only NULLs.
SELECT scan_counter(i) OVER () FROM generate_series(1, 0) AS i;
SELECT scan_counter(i) OVER (), scan_counter(i::float8) OVER () AS float8, scan_counter(i * 1.50) OVER () AS numeric FROM generate_series(7, 7) AS i;
SELECT scan_counter(NULL::int) OVER (), scan_counter(NULL::float8) OVER () AS float8, scan_counter(NULL::numeric) OVER () AS numeric FROM generate_series(1, 2) AS i;
-- Integers: a step may be wider than the type; the gain must fit, at its row.
SELECT oracle.rows_of(format('SELECT scan_counter(x) OVER (ORDER BY i) FROM unnest(%L::bigint[]) WITH ORDINALITY AS t(x, i)', x)) AS rows
FROM unnest(ARRAY['{-9223372036854775808,-1,9223372036854775806}', '{-9223372036854775808,-1,0,-5}', '{0,9223372036854775807,0}', '{0,9223372036854775807,1}', '{0,9223372036854775807,NULL,-9223372036854775808,-2}',
                  '{9223372036854775807,-9223372036854775808,-1}', '{9223372036854775807,-9223372036854775808,9223372036854775807}', '{1,0,9223372036854775807}']) AS x;
SELECT i, scan_counter(x) OVER (ORDER BY i) FROM (VALUES (1, '-32768'::int2), (2, '32767'), (3, '-32768')) AS t(i, x);
SELECT i, scan_counter(x) OVER (ORDER BY i) FROM (VALUES (1, -2147483648), (2, 2147483647), (3, -2147483648)) AS t(i, x);
-- Floats: the real gain, rounded once.  A sum of rounded steps is another number; a gain of zero is +0.
SELECT i, x, scan_counter(x) OVER w, sum(CASE WHEN i = 1 THEN 0 WHEN x >= y THEN x - y ELSE x END) OVER w AS rounded
FROM (SELECT i, x, lag(x) OVER (ORDER BY i) AS y FROM (VALUES (1, 0.1::float8), (2, 0.2), (3, 0.3), (4, 1e16), (5, 0.3), (6, 0.6), (7, 1e-20), (8, 0), (9, '-0')) AS t(i, x)) AS t WINDOW w AS (ORDER BY i);
SELECT p, i, x, scan_counter(x) OVER (PARTITION BY p ORDER BY i)
FROM (VALUES (1, 1, '-0'::float8), (1, 2, '-0'), (1, 3, 0), (2, 1, 5), (2, 2, '-0'), (3, 1, 1e308), (3, 2, -1e308), (3, 3, 4e307), (3, 4, 0)) AS t(p, i, x) ORDER BY p, i;
-- A gain that is a small difference of large parts of a sum.
SELECT i, x, scan_counter(x) OVER (ORDER BY i) FROM unnest(ARRAY[-oracle.two(150), oracle.two(90), 0, -oracle.two(150), -oracle.two(151), 1, -oracle.two(90)]) WITH ORDINALITY AS t(x, i);
-- Out of range at its row, and back again.
SELECT oracle.rows_of(format('SELECT scan_counter(x) OVER (ORDER BY i) FROM unnest(%L::float8[]) WITH ORDINALITY AS t(x, i)', x)) AS rows
FROM unnest(ARRAY['{0,1e308,0,1e308}', '{0,1e308,0,7e307,0}', '{-1.7e308,1.7e308}', '{1e308,0,1.7976931348623157e308,-1e308,1e308}', '{0,1.7976931348623157e308,4e291,1.1e292}']) AS x;
-- Infinities and NaN: step by step, by PostgreSQL's order and arithmetic, as numeric.
SELECT x, oracle.rows_of(format('SELECT scan_counter(x) OVER (ORDER BY i) FROM unnest(%L::float8[]) WITH ORDINALITY AS t(x, i)', x)) AS float8,
       oracle.rows_of(format('SELECT scan_counter(x) OVER (ORDER BY i) FROM unnest(%L::numeric[]) WITH ORDINALITY AS t(x, i)', x)) AS numeric
FROM unnest(ARRAY['{Infinity}', '{Infinity,5,7}', '{Infinity,Infinity,5}', '{5,Infinity,7}', '{5,Infinity,Infinity}', '{5,-Infinity,7}', '{-Infinity,5}', '{-Infinity,-Infinity}', '{Infinity,-Infinity,5}', '{NaN,5,6}', '{NaN,Infinity}', '{NaN,NaN}', '{5,NaN,6}', '{NaN,-Infinity,Infinity}', '{Infinity,NULL,5,NULL}']) AS x;
-- numeric: the largest scale so far; wide numbers, and numbers that core must add.
SELECT i, x, scan_counter(x) OVER (ORDER BY i) FROM (VALUES (1, 1.5), (2, 2.25), (3, 4), (4, 1.000), (5, NULL), (6, 2)) AS t(i, x);
SELECT i, x, scan_counter(x) OVER (ORDER BY i) FROM (VALUES (1, 1e40), (2, 1e40 + 1), (3, 3e-20), (4, 1e60), (5, NULL), (6, 0.5)) AS t(i, x);
SELECT oracle.error_of('SELECT scan_counter(x) OVER (ORDER BY i) FROM (VALUES (1, 0), (2, 9e131071), (3, 8e131071), (4, 9e131071)) AS t(i, x)') AS error;
SELECT oracle.error_of(call) AS error FROM unnest(ARRAY['SELECT scan_counter(''1'') OVER ()', 'SELECT scan_counter(true) OVER ()', 'SELECT scan_counter(1, false, true) OVER ()']) AS call;

-- Against plain sums of the steps, sizes 0..1025, with NULLs, falls and resets; exact numerics stand for floats.
CREATE FUNCTION pg_temp.compared(value text, number text, answer text, OUT compared bigint, OUT different bigint, OUT falls bigint)
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('
    WITH rows AS (
      SELECT use_reset, size, i, use_reset AND reset AS reset, count(*) FILTER (WHERE use_reset AND reset) OVER (PARTITION BY use_reset, size ORDER BY i) AS segment,
             CASE WHEN NOT hole THEN %1$s END AS x
      FROM oracle.cell, (VALUES (false), (true)) AS t(use_reset)
    ), counted AS (
      SELECT *, count(x) OVER (PARTITION BY use_reset, size, segment ORDER BY i) AS n FROM rows
    ), steps AS (
      SELECT *, x < lag(x) OVER s AS falls, %2$s AS number, lag(%2$s) OVER s AS before FROM counted WHERE x IS NOT NULL WINDOW s AS (PARTITION BY use_reset, size, segment ORDER BY i)
    ), gains AS (
      SELECT use_reset, size, segment, n, falls, sum(CASE WHEN before IS NULL THEN 0 WHEN falls THEN number ELSE number - before END) OVER (PARTITION BY use_reset, size, segment ORDER BY i) AS gain FROM steps
    ), answers AS (
      SELECT use_reset, size, segment, n, i, scan_counter(x, reset) OVER (PARTITION BY use_reset, size ORDER BY i) AS y FROM counted
    )
    SELECT count(*), count(*) FILTER (WHERE y IS DISTINCT FROM %3$s), count(*) FILTER (WHERE falls) FROM answers LEFT JOIN gains USING (use_reset, size, segment, n)', value, number, answer)
  INTO compared, different, falls;
END $$;
SELECT t.*, c.*
FROM (VALUES ('(h & 1023)::int2', 'x::numeric', 'gain'), ('(h & 65535)::int4', 'x::numeric', 'gain'), ('(i * 100 + (h & 127))::int4', 'x::numeric', 'gain'), ('h >> 20', 'x::numeric', 'gain'),
             ('(h & 1023)::float8 / 10', 'oracle.exact(x)', 'oracle.round8(gain, false)'), ('(h >> 11) * oracle.two((h & 511)::int - 308)', 'oracle.exact(x)', 'oracle.round8(gain, false)'),
             ('(i * 100 + (h & 127)) / 7.0::float8', 'oracle.exact(x)', 'oracle.round8(gain, false)'), ('(h & 3) * oracle.two(53) + (h >> 4 & 3)', 'oracle.exact(x)', 'oracle.round8(gain, false)'),
             ('round((h & 1048575)::numeric / 1000, (h & 3)::int)', 'x', 'gain'), ('(h >> 3) * (''1e'' || (h & 63)::int - 20)::numeric', 'x', 'gain')) AS t(value, number, answer),
     LATERAL pg_temp.compared(value, number, answer) AS c;

-- Arrays.
SELECT array_scan_counter('{5,7,NULL,2}'::int2[]) AS int2, array_scan_counter('{5,7,NULL,2}'::int4[], '{f,f,t,NULL}') AS int4, array_scan_counter('{0,9223372036854775807}'::int8[]) AS int8,
       array_scan_counter('{0.1,0.2,0.3,1e16,0.3}'::float8[]) AS float8, array_scan_counter('{1.5,2.25,1}'::numeric[], '{f,f,f}') AS numeric, array_scan_counter('[0:1]={3,4}'::int[]) AS bounds, array_scan_counter('{}'::int[]) AS empty, array_scan_counter(NULL::float8[]) AS "null";
SELECT oracle.error_of(call) AS error FROM unnest(ARRAY['SELECT array_scan_counter(''{0,9223372036854775807,1}''::int8[])', 'SELECT array_scan_counter(''{1,2}''::int[], ''{t}'')', 'SELECT array_scan_counter(''{0,1e308,0,1e308}''::float8[])']) AS call;

-- A counter that wraps at a given value: + (x - x') where x >= x', else + (x - x' + wraps_at).
SELECT i, x, reset, scan_counter(x, 256) OVER w AS int4, scan_counter(x, wraps_at => 256, reset => reset) OVER w AS segments, scan_counter(x::int2, 256) OVER w AS int2, scan_counter(x::int8, 4294967296) OVER w AS int8, scan_counter(x::float4, 256) OVER w AS float4,
       scan_counter(x / 10::float8, 25.6, reset) OVER w AS float8, scan_counter(x / 10.0, 25.60, reset) OVER w AS numeric, scan_counter(x, 18446744073709551616) OVER w AS wide
FROM (VALUES (1, NULL, false), (2, 100, false), (3, 250, false), (4, NULL, NULL), (5, 10, false), (6, 10, false), (7, 255, true), (8, 0, false), (9, NULL, true), (10, 5, false), (11, 4, false)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT scan_counter(i, 7) OVER () FROM generate_series(1, 0) AS i;
SELECT scan_counter(0, 1) OVER (), scan_counter(NULL::float8, 1) OVER () AS float8, scan_counter(NULL::numeric, 1) OVER () AS numeric, scan_counter('-0'::float8, 5e-324::float8) OVER () AS zero, scan_counter(0.00, 1.000) OVER () AS scale, pg_typeof(scan_counter(1::int2, 2) OVER ()) AS type;
SELECT p, i, scan_counter(i, p) OVER (PARTITION BY p ORDER BY i) FROM (VALUES (4, 3), (5, 4), (5, 3)) AS t(p, i);
-- The gain must fit, at its row; the exact gain of floats is rounded once.
SELECT oracle.rows_of(format('SELECT scan_counter(x, 9223372036854775807) OVER (ORDER BY i) FROM unnest(%L::bigint[]) WITH ORDINALITY AS t(x, i)', x)) AS rows FROM unnest(ARRAY['{0,9223372036854775806,0}', '{5,9223372036854775806,4,5}', '{5,4,3}']) AS x;
SELECT oracle.rows_of(format('SELECT scan_counter(x, %s) OVER (ORDER BY i) FROM unnest(%L::float8[]) WITH ORDINALITY AS t(x, i)', wraps, x)) AS rows FROM (VALUES ('1', '{0.1,0.3,0.2,0.1}'), ('1.7e308', '{1e308,5e307,4e307}'), ('5e-324', '{0,0,-0}'), ('1e16', '{1e-20,1,0,1}')) AS t(wraps, x);
SELECT node, x, oracle.rows_of(format('SELECT scan_counter(x, 10) OVER (ORDER BY i) FROM unnest(%L::%s[]) WITH ORDINALITY AS t(x, i)', x, type)) AS rows
FROM unnest(ARRAY['off', 'force']) AS node, LATERAL set_config('scan.prefixscan', node, false), (VALUES ('int', '{5,-1}'), ('int2', '{5,10}'), ('bigint', '{3,11}'), ('float8', '{1,9.5,-5e-324}'), ('float8', '{1,10}'), ('float8', '{NaN}'), ('float8', '{Infinity}'), ('numeric', '{9.99,10.00}'), ('numeric', '{-0.1}'), ('numeric', '{NaN}'), ('numeric', '{-Infinity}')) AS t(type, x);
RESET scan.prefixscan;
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_counter(i, 0)', 'scan_counter(i::bigint, -1)', 'scan_counter(i, ''NaN''::float8)', 'scan_counter(i::float8, ''Infinity''::float8)', 'scan_counter(i, ''Infinity''::numeric)', 'scan_counter(i, -0.5)', 'scan_counter(i, i + 10)', 'scan_counter(i, NULL::int)', 'scan_counter(i, wraps_at => NULL)', 'scan_counter(i, ''100'')', 'scan_counter(i, 100, 5)']) AS call;
-- A literal without a type is `reset`.
SELECT i, scan_counter(i, NULL) OVER w AS "null", scan_counter(i::float8, 'f') OVER w AS f, scan_counter(i * 1.5, 't') OVER w AS t, scan_counter(i::int2, reset => NULL) OVER w AS int2, scan_counter(i::int8, 'false') OVER w AS int8, scan_counter(i, 4, NULL) OVER w AS third FROM generate_series(1, 3) AS i WINDOW w AS (ORDER BY i);
