-- overflow: an error belongs to the row whose result is out of range: the rows before
-- it are returned, and nothing that happens on the way to an answer is an error.
-- Also the vectors of float sums that are exact, rounded once, and special.
\pset null -
SET intervalstyle = postgres;
-- bigint.  Each line: what a cursor gets from scan_sum, from its exclusive form, and
-- array_scan_sum's answers under all five algorithms (one line if they agree).
CREATE FUNCTION pg_temp.arrays(type text, v text, exclusive boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  a text; y text; answers text[] := '{}';
BEGIN
  FOREACH a IN ARRAY '{auto,sequential,hillis_steele,blelloch,blocked}'::text[] LOOP
    PERFORM set_config('scan.algorithm', a, true);
    y := oracle.rows_of(format('SELECT array_to_string(array_scan_sum(%L::%s[], exclusive => %L), '', '', ''NULL'')', v, type, exclusive));
    IF NOT y = ANY (answers) THEN answers := answers || y; END IF;
  END LOOP;
  RETURN array_to_string(answers, ' OR ');
END $$;
CREATE FUNCTION pg_temp.windows(type text, v text, exclusive boolean) RETURNS text LANGUAGE sql AS $$
  SELECT oracle.rows_of(format('SELECT scan_sum(x, exclusive => %L) OVER (ORDER BY i) FROM unnest(%L::%s[]) WITH ORDINALITY AS t(x, i)', exclusive, v, type))
$$;
SELECT what, pg_temp.windows('int8', v, false) AS scan_sum, pg_temp.windows('int8', v, true) AS exclusive, pg_temp.arrays('int8', v, false) AS arrays, pg_temp.arrays('int8', v, true) AS arrays_exclusive
FROM (VALUES (1, 'MAX 1', '{9223372036854775807,1}'), (2, 'MAX 1 -1', '{9223372036854775807,1,-1}'), (3, 'MIN -1 1 0', '{-9223372036854775808,-1,1,0}'),
             (4, 'MAX 0 MIN', '{9223372036854775807,0,-9223372036854775808}'), (5, 'MIN MIN', '{-9223372036854775808,-9223372036854775808}'),
             (6, 'MIN MAX 1 MAX', '{-9223372036854775808,9223372036854775807,1,9223372036854775807}'), (7, 'MAX NULL 1 NULL', '{9223372036854775807,NULL,1,NULL}')) AS t(n, what, v)
ORDER BY n \gx
-- A reset saves the row; an exclusive scan does not mind a total that a reset hides.
SELECT oracle.rows_of($$SELECT scan_sum(x, i = 2) OVER (ORDER BY i) FROM (VALUES (1, 9223372036854775807), (2, 1)) AS t(i, x)$$) AS reset,
       oracle.rows_of($$SELECT scan_sum(x, i = 3, true) OVER (ORDER BY i) FROM (VALUES (1, 9223372036854775807), (2, 1), (3, 5), (4, 1)) AS t(i, x)$$) AS hidden,
       oracle.error_of($$SELECT array_scan_sum('{9223372036854775807,1,5,1}'::int8[], '{f,f,t,f}', true)$$) AS array;
-- The very row, wherever it lies: MAX - k, then ones; rows delivered before the error.
CREATE FUNCTION pg_temp.delivered(query text, OUT delivered int, OUT error text) LANGUAGE plpgsql AS $$
DECLARE
  c refcursor; y text;
BEGIN
  delivered := 0;
  OPEN c NO SCROLL FOR EXECUTE query;
  LOOP
    FETCH c INTO y;
    EXIT WHEN NOT FOUND;
    delivered := delivered + 1;
  END LOOP;
EXCEPTION WHEN OTHERS THEN
  error := SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT k, d.*, e.delivered AS exclusive, pg_temp.arrays('int8', (ARRAY[9223372036854775807 - k] || array_fill(1::int8, ARRAY[k + 1]))::text, false) AS arrays,
       (SELECT y = 9223372036854775807 FROM (SELECT (array_scan_sum(ARRAY[9223372036854775807 - k] || array_fill(1::int8, ARRAY[k])))[k + 1] AS y) AS t) AS one_fewer
FROM unnest(ARRAY[1, 7, 1022, 1023, 1024, 5000]) AS k,
     LATERAL pg_temp.delivered(format('SELECT scan_sum(CASE i WHEN 0 THEN 9223372036854775807 - %s ELSE 1 END) OVER (ORDER BY i) FROM generate_series(0, %1$s + 5) AS i', k)) AS d,
     LATERAL pg_temp.delivered(format('SELECT scan_sum(CASE i WHEN 0 THEN 9223372036854775807 - %s ELSE 1 END, exclusive => true) OVER (ORDER BY i) FROM generate_series(0, %1$s + 5) AS i', k)) AS e;
-- Narrow types have room.
SELECT max(a) AS int2, max(b) AS int4 FROM (SELECT scan_sum(32767::int2) OVER (ORDER BY i) AS a, scan_sum(2147483647) OVER (ORDER BY i) AS b FROM generate_series(1, 3000) AS i) AS t;
-- interval: months, days and microseconds each have a range; the next row may bring one back.
SELECT pg_temp.windows('interval', v, false) AS scan_sum, pg_temp.windows('interval', v, true) AS exclusive
FROM (VALUES ('{178956970 years,7 mons,1 mon}'), ('{2147483647 days,1 day,-1 day}'), ('{-2147483648 days,-1 day}'), ('{2562047788:00:54.775807,00:00:00.000001,00:00:00}'),
             ('{2147483647 days,NULL,1 mon}'), ('{178956970 years,-1 mon,8 mons}')) AS t(v);
-- numeric has none of this, up to its own limits.
SELECT scan_sum(x) OVER (ORDER BY i) FROM (VALUES (1, 9223372036854775807::numeric), (2, 1e30), (3, -1e30)) AS t(i, x);
SELECT oracle.rows_of($$SELECT length((scan_product(1e131071) OVER ())::text) FROM generate_series(1, 2)$$) AS product;
SELECT scan_product(1e131071, exclusive => true) OVER (ORDER BY i) IN (1, 1e131071) AS product, scan_sum(9e131071, exclusive => true) OVER (ORDER BY i) IN (0, 9e131071) AS sum
FROM generate_series(1, 2) AS i;

-- Floats: the vectors.  Both entry points and all algorithms must give `wanted`: those that do not are shown.
CREATE TEMP TABLE vector (n serial, v float8[], wanted text);
INSERT INTO vector (v, wanted) VALUES
(ARRAY[1, oracle.two(-53), oracle.two(-106)], '1, 1, 1.0000000000000002'),
(ARRAY[1 + oracle.two(-52), oracle.two(-53), -oracle.two(-300)], '1.0000000000000002, 1.0000000000000004, 1.0000000000000002'),
('{1e16,1,-1e16}', '1e+16, 1e+16, 1'),
('{1e308,1e308}', '1e+308, 22003: value out of range: overflow'),
('{1e308,1e308,-1e308}', '1e+308, 22003: value out of range: overflow'),
('{1e308,1e308,Infinity}', '1e+308, 22003: value out of range: overflow'),
('{-1e308,-1e308,NaN}', '-1e+308, 22003: value out of range: overflow'),
(ARRAY[1.7976931348623157e308, oracle.two(969), oracle.two(969)], '1.7976931348623157e+308, 1.7976931348623157e+308, 22003: value out of range: overflow'),
(ARRAY[1.7976931348623157e308, oracle.two(970)], '1.7976931348623157e+308, 22003: value out of range: overflow'),
(ARRAY[1.7976931348623157e308, oracle.two(969), -oracle.two(917), oracle.two(969)], '1.7976931348623157e+308, 1.7976931348623157e+308, 1.7976931348623157e+308, 1.7976931348623157e+308'),
('{1e308,-1e308,1e-308,5e-324,-1e-308}', '1e+308, 0, 1e-308, 1.0000000000000004e-308, 5e-324'),
('{Infinity,1e308,1e308}', 'Infinity, Infinity, Infinity'),
('{Infinity,-Infinity,1}', 'Infinity, NaN, NaN'),
('{1,-Infinity,1e308,NaN,Infinity}', '1, -Infinity, -Infinity, NaN, NaN'),
('{-0,-0,0,-0}', '-0, -0, 0, 0'),
('{NULL,-0,NULL,1,-1,-0}', 'NULL, -0, -0, 1, 0, 0'),
('{1,-1,-0}', '1, 0, 0'),
(ARRAY[oracle.two(-1022), -4.9406564584124654e-324], '2.2250738585072014e-308, 2.225073858507201e-308'),
('{0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1}', '0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6000000000000001, 0.7000000000000001, 0.8, 0.9, 1'),
('{1e-300,1e300,1,-1e300,-1}', '1e-300, 1e+300, 1e+300, 1, 1e-300'),
('{}', '');
SELECT wanted, pg_temp.windows('float8', v::text, false) AS scan_sum, pg_temp.arrays('float8', v::text, false) AS arrays FROM vector
WHERE (pg_temp.windows('float8', v::text, false), pg_temp.arrays('float8', v::text, false)) <> (wanted, regexp_replace(wanted, '^.*22003', '22003')) ORDER BY n;
SELECT count(*) AS vectors, count(*) FILTER (WHERE pg_temp.windows('float8', v::text, false) = wanted) AS by_row,
       count(*) FILTER (WHERE pg_temp.arrays('float8', v::text, false) = regexp_replace(wanted, '^.*22003', '22003')) AS by_batch FROM vector;
-- There is one NaN, whatever it came from.
SELECT v, array_agg(DISTINCT encode(float8send(y), 'hex')) AS scan_sum, (SELECT array_agg(DISTINCT encode(float8send(y), 'hex')) FROM unnest(array_scan_sum(v)) AS y WHERE y = 'NaN') AS array
FROM (VALUES (1, '{1,NaN,1}'::float8[]), (2, '{Infinity,-Infinity,1}'), (3, '{-Infinity,Infinity,NaN}'), (4, ARRAY[-('NaN'::float8), 1])) AS vectors(n, v),
     LATERAL (SELECT scan_sum(x) OVER (ORDER BY i) AS y FROM unnest(v) WITH ORDINALITY AS t(x, i)) AS t
WHERE y = 'NaN' GROUP BY n, v ORDER BY n;
-- Exclusive: the answer of a row is the inclusive one of the row before, 0 in the first.
SELECT n, wanted AS inclusive, pg_temp.windows('float8', v::text, true) AS scan_sum, pg_temp.arrays('float8', v::text, true) AS arrays
FROM vector WHERE n IN (2, 4, 5, 8, 15, 16) ORDER BY n \gx
-- real is rounded once, from the exact sum; by way of a double the first three end one off.
SELECT wanted, pg_temp.windows('float4', v, false) AS scan_sum, pg_temp.arrays('float4', v, false) AS arrays,
       CASE WHEN n <= 3 THEN (SELECT sum(x::float8)::float4 FROM unnest(v::float4[]) AS x) END AS by_double
FROM (VALUES (1, '1, 1, 1.0000001', ARRAY[1, oracle.two(-24), oracle.two(-80)]::text),
             (2, '1.0000001, 1.0000002, 1.0000001', ARRAY[1 + oracle.two(-23), oracle.two(-24), -oracle.two(-80)]::text),
             (3, '-1, -1, -1.0000001', ARRAY[-1, -oracle.two(-24), -oracle.two(-80)]::text),
             (4, '3e+38, 22003: value out of range: overflow', '{3e38,3e38}'),
             (5, '3.4028235e+38, 3.4028235e+38, 22003: value out of range: overflow', ARRAY[3.4028234663852886e38, oracle.two(102), oracle.two(102)]::text),
             (6, '1e-45, 3e-45, 1e-45', '{1e-45,1e-45,-1e-45}'), (7, '-0, -0, 0', '{-0,-0,0}'), (8, 'Infinity, NaN', '{Infinity,-Infinity}')) AS t(n, wanted, v)
ORDER BY n;
