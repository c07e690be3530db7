-- time_average: the average of a value over time.  Every bit is compared by test/t/time_average.t.
\pset null -
-- A sensor that is read now and then: avg() weighs every row alike.
CREATE TABLE sensor AS SELECT * FROM (VALUES (1, timestamptz '2026-01-01 00:00Z', 20::float8), (2, '2026-01-01 01:00Z', 30), (3, '2026-01-01 01:01Z', 40), (4, '2026-01-01 01:01Z', 10), (5, '2026-01-01 01:02Z', NULL), (6, NULL, 99), (7, '2026-01-01 03:00Z', 20)) AS t (i, at, x);
SELECT avg(x), time_average(x, at ORDER BY at, i) AS linear, time_average(x, at, 'linear' ORDER BY at, i) AS "linear too", time_average(x, at, 'previous' ORDER BY at, i) AS previous FROM sensor WHERE at IS NOT NULL;
SELECT i, x, time_average(x, at) OVER w AS linear, time_average(x, at, 'previous') OVER w AS previous FROM sensor WHERE at IS NOT NULL WINDOW w AS (ORDER BY at, i ROWS 1 PRECEDING) ORDER BY i;
-- All types of `at` are of one mind.
SELECT time_average(x, d), time_average(x, d::timestamp), time_average(x, d::timestamp AT TIME ZONE 'UTC'), time_average(x, (d - '2026-01-01')::int8), time_average(x, (d - '2026-01-01')::float8), time_average(x, d - '2026-01-01')
FROM (VALUES (1.5::float8, date '2026-01-01'), (2.5, '2026-01-02'), (4, '2026-01-05')) AS t (x, d);
-- No rows, NULLs, one row, rows of one time, NaN and infinities; a step of no time counts for nothing.
SELECT name, time_average(x, at ORDER BY i) AS linear, time_average(x, at, 'previous' ORDER BY i) AS previous
FROM (VALUES ('none', ARRAY[]::float8[], ARRAY[]::int8[]), ('NULLs', '{NULL,1}', '{1,NULL}'), ('one', '{3}', '{7}'), ('one -0', '{-0}', '{7}'), ('one NaN', '{NaN}', '{7}'), ('one time', '{3,NaN,5}', '{7,7,7}'), ('two', '{1,2}', '{0,10}'), ('zeros', '{-0,-0}', '{0,1}'), ('NaN', '{1,NaN,1}', '{1,2,3}'),
  ('inf at last', '{1,Infinity}', '{1,2}'), ('both inf', '{Infinity,-Infinity,1}', '{1,2,3}'), ('inf for no time', '{1,Infinity,1,3}', '{1,2,2,3}'), ('all of bigint', '{1,2,7}', '{-9223372036854775808,0,9223372036854775807}'), ('the largest', '{1.7976931348623157e308,1.7976931348623157e308}', '{1,2}'), ('the least', '{5e-324,0,5e-324}', '{0,1,2}')) AS t (name, xs, ats)
  LEFT JOIN LATERAL unnest(xs, ats) WITH ORDINALITY AS u (x, at, i) ON true GROUP BY name ORDER BY name;
-- Against plain SQL: an area as a sum of numerics.
CREATE TABLE reading AS SELECT i, i % 13 AS g, sum(oracle.draw(i, 2, 4)) OVER (ORDER BY i)::int8 AS at, CASE WHEN oracle.draw(i, 3, 10) > 0 THEN oracle.draw(i, 1, 20001) - 10000 END AS x FROM generate_series(1, 3000) AS i;
ANALYZE reading;
CREATE VIEW area AS
SELECT g, (1e40 * sum((x + ahead) * (next - at)) / (2 * (max(at) - min(at))) / 1e40)::float8 AS linear, (1e40 * sum(x * (next - at)) / (max(at) - min(at)) / 1e40)::float8 AS previous
FROM (SELECT g, x::numeric AS x, at::numeric AS at, lead(x) OVER w AS ahead, lead(at) OVER w AS next FROM reading WHERE x IS NOT NULL WINDOW w AS (PARTITION BY g ORDER BY at, i)) AS t GROUP BY g;
SELECT count(*) AS groups, count(*) FILTER (WHERE row(a.linear, a.previous) IS DISTINCT FROM row(t.linear, t.previous)) AS different
FROM area AS a JOIN (SELECT g, time_average(x, at ORDER BY at, i) AS linear, time_average(x, at, 'previous' ORDER BY at, i) AS previous FROM reading GROUP BY g) AS t USING (g);
-- A frame that moves gives the bits of one that is averaged anew, in WindowAgg and in PrefixScan.
CREATE FUNCTION different_averages() RETURNS TABLE (rows bigint, different bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE row(l, p, h) IS DISTINCT FROM (SELECT row(time_average(x, at ORDER BY at, i), time_average(x, at, 'previous' ORDER BY at, i), time_average(x, at ORDER BY at, i) FILTER (WHERE r.i <> t.i)) FROM reading AS r WHERE r.i BETWEEN t.i - 6 AND t.i))
  FROM (SELECT i, time_average(x, at) OVER w AS l, time_average(x, at, 'previous') OVER w AS p, time_average(x, at) OVER (ORDER BY at, i ROWS 6 PRECEDING EXCLUDE CURRENT ROW) AS h FROM reading WINDOW w AS (ORDER BY at, i ROWS 6 PRECEDING)) AS t WHERE i % 10 = 0 $$;
SET scan.prefixscan = off;
SELECT * FROM different_averages();
SET scan.prefixscan = force;
SELECT * FROM different_averages();
RESET scan.prefixscan;
-- Errors.
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT time_average(x, at ORDER BY x) FROM sensor$$, $$SELECT time_average(x, at) OVER (ORDER BY i DESC ROWS 2 PRECEDING) FROM sensor$$, $$SELECT time_average(x, 'infinity'::date) FROM sensor$$, $$SELECT time_average(x, 'NaN'::float8) FROM sensor$$,
  $$SELECT time_average(x, at, 'locf') FROM sensor$$, $$SELECT time_average(x, at, NULL) FROM sensor$$, $$SELECT time_average(x, at, CASE i WHEN 1 THEN 'linear' ELSE 'previous' END) FROM sensor$$, $$SELECT time_average(x, at::time) FROM sensor$$, $$SELECT time_average_add_int8(NULL, 1, 2)$$]) AS q;
-- time_average by numeric times: their digits count.  By the functions for double precision, these two differ.
SELECT time_average(x, at ORDER BY at) AS linear, time_average(x, at, 'previous' ORDER BY at) AS previous, time_average(x, at::float8 ORDER BY at) AS "as float8"
FROM (VALUES (0, 1767225600.000000001), (1, 1767225600.000000002), (0, 1767225600.000000004)) AS t(x, at);
SELECT at, x, time_average(x, at) OVER w AS linear, time_average(x, at, 'previous') OVER w AS previous, time_average(x, at) OVER (ORDER BY i ROWS 3 PRECEDING EXCLUDE CURRENT ROW) AS hole
FROM (VALUES (1, 0.1, 1::float8), (2, 0.1, 3), (3, NULL, 7), (4, 0.4, NULL), (5, 1e30, 'Infinity'), (6, 1e30, 5), (7, 2e30, 5), (8, 3e30, '-Infinity'), (9, 4e30, 'NaN'), (10, 5e30, -0.0)) AS t(i, at, x) WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
-- A function with the wrong volatility gives the row that leaves another time than it came with: the frame is averaged anew.
CREATE SEQUENCE oracle.at_turn;
CREATE FUNCTION oracle.next_at(i int) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN nextval('oracle.at_turn'); END $$;
SET scan.prefixscan = off;
SELECT i, time_average(i, oracle.next_at(i)) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 6) AS i;
RESET scan.prefixscan;
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT time_average(i, (9 - i)::numeric) FROM generate_series(1, 3) AS i$$, $$SELECT time_average(1, 'NaN'::numeric)$$, $$SELECT time_average(1, 'Infinity'::numeric) OVER (ROWS 2 PRECEDING)$$, $$SELECT time_average(1, 2.5, 'locf')$$, $$SELECT time_average(1, 2.5, NULL)$$,
  $$SELECT time_average(1, i::numeric, CASE i WHEN 1 THEN 'linear' ELSE 'previous' END) FROM generate_series(1, 3) AS i$$]) AS q;
