-- bucket_average: time_summary and scan_time_average, the average over time of buckets.  Random rows: test/t/bucket_average.t.
\pset null -
SET datestyle = iso;
SET timezone = 'UTC';
CREATE TABLE bucket_reading AS SELECT * FROM (VALUES (1, timestamptz '2026-01-01 08:30', 20::float8), (1, '2026-01-01 09:30', 30), (1, '2026-01-01 09:45', 10), (1, '2026-01-01 11:15', 40), (2, '2026-01-01 09:00', 5), (2, NULL, 7), (2, '2026-01-01 09:10', NULL)) AS t (device, at, x);
-- One level of SQL.
SELECT device, date_bin('1 hour', at, '2026-01-01') AS bucket, avg(x),
       scan_time_average(time_summary(x, at ORDER BY at), date_bin('1 hour', at, '2026-01-01'), date_bin('1 hour', at, '2026-01-01') + '1 hour') OVER w AS linear,
       scan_time_average(time_summary(x, at, 'previous' ORDER BY at), date_bin('1 hour', at, '2026-01-01'), date_bin('1 hour', at, '2026-01-01') + '1 hour') OVER w AS previous
FROM bucket_reading WHERE at IS NOT NULL GROUP BY device, date_bin('1 hour', at, '2026-01-01') WINDOW w AS (PARTITION BY device ORDER BY date_bin('1 hour', at, '2026-01-01')) ORDER BY device, bucket;
-- Buckets without rows, of all types, in WindowAgg and in PrefixScan.
CREATE VIEW bucket AS SELECT b, (SELECT time_summary(x, at ORDER BY at) FROM (VALUES (3, 6::float8), (5, 10), (31, 36)) AS t (at, x) WHERE at >= b AND at < b + 10) AS s, (SELECT time_summary(x, at::float8, 'previous' ORDER BY at) FROM (VALUES (3, 6::float8), (5, 10), (31, 36)) AS t (at, x) WHERE at >= b AND at < b + 10) AS p,
  (SELECT time_summary(x, date '2026-01-01' + at ORDER BY at) FROM (VALUES (3, 6::float8), (5, 10), (31, 36)) AS t (at, x) WHERE at >= b AND at < b + 10) AS d, (SELECT time_summary(x, at::int8 ORDER BY at) FROM (VALUES (3, 6::float8), (5, 10), (31, 36)) AS t (at, x) WHERE at >= b AND at < b + 10) AS i FROM generate_series(-10, 40, 10) AS b;
SET scan.prefixscan = off;
SELECT b, scan_time_average(s, b, b + 10) OVER w AS linear, scan_time_average(p, b, b + 10) OVER w AS previous, scan_time_average(d, date '2026-01-01' + b, date '2026-01-11' + b) OVER w AS date, scan_time_average(i, b::int8, b::int8 + 10) OVER w AS int8 FROM bucket WINDOW w AS (ORDER BY b);
SET scan.prefixscan = force;
SELECT b, scan_time_average(s, b, b + 10) OVER w AS linear, scan_time_average(p, b, b + 10) OVER w AS previous, scan_time_average(d, date '2026-01-01' + b, date '2026-01-11' + b) OVER w AS date, scan_time_average(i, b::int8, b::int8 + 10) OVER w AS int8 FROM bucket WINDOW w AS (ORDER BY b);
RESET scan.prefixscan;
-- A row at a bound, rows of one time, infinities and NaN, limits of the types.
SELECT name, method, b, scan_time_average(CASE method WHEN 'linear' THEN l ELSE p END, b, b + 10) OVER (PARTITION BY name, method ORDER BY b) AS average
FROM (SELECT name, b, time_summary(x, at::float8, 'linear' ORDER BY at, x) FILTER (WHERE at >= b AND at < b + 10) AS l, time_summary(x, at::float8, 'previous' ORDER BY at, x) FILTER (WHERE at >= b AND at < b + 10) AS p
      FROM (VALUES ('bound', 0, 1::float8), ('bound', 10, 3), ('one time', 4, 1), ('one time', 4, 5), ('inf', 5, 1), ('inf', 15, 'Infinity'), ('nan', 5, 'NaN'), ('nan', 15, 1), ('large', 5, 1.7e308), ('large', 15, 1.7e308), ('least', 5, 5e-324), ('least', 15, 0)) AS t (name, at, x), generate_series(0, 10, 10) AS b GROUP BY name, b) AS s, (VALUES ('linear'), ('previous')) AS m (method) ORDER BY name, method, b;
SELECT b, scan_time_average(s, b, u) OVER (ORDER BY b) FROM (SELECT b, u, (SELECT time_summary(x, at ORDER BY at) FROM (VALUES (-9223372036854775808, 0::float8), (9223372036854775807, 1)) AS t (at, x) WHERE at BETWEEN b AND u) AS s FROM (VALUES (-9223372036854775808, -1), (0, 9223372036854775807)) AS v (b, u)) AS t;
-- A summary may be stored, and holds no address.
CREATE TABLE bucket_stored AS SELECT 1 AS b, time_summary(i, i::int8 ORDER BY i) AS s FROM generate_series(1, 5) AS i;
SELECT scan_time_average(s, 0::int8, 9::int8) OVER (), s::text::exact_state::text = s::text AS same FROM bucket_stored;
SELECT time_summary(1, 1) FILTER (WHERE false) IS NULL AS none, (SELECT count(DISTINCT md5(s::text)) FROM (SELECT time_summary(i, i::int8) AS s FROM generate_series(1, 3) AS i, generate_series(1, 3) AS g GROUP BY g) AS t) AS "of equal rows";
-- Errors.
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT scan_time_average(s, 2::int8, 9::int8) OVER () FROM bucket_stored$$, $$SELECT scan_time_average(s, 0::int8, 4::int8) OVER () FROM bucket_stored$$, $$SELECT scan_time_average(s, 9::int8, 0::int8) OVER () FROM bucket_stored$$, $$SELECT scan_time_average(s, NULL, 9::int8) OVER () FROM bucket_stored$$, $$SELECT scan_time_average(s, 0::float8, 9::float8) OVER () FROM bucket_stored$$,
  $$SELECT scan_time_average(s, 0, 'Infinity'::float8) OVER () FROM bucket_stored$$, $$SELECT scan_time_average(s, date '2026-01-01', 'infinity') OVER () FROM bucket_stored$$, $$SELECT scan_time_average(s, timestamp '2026-01-01', '2026-01-02') OVER () FROM bucket_stored$$, $$SELECT scan_time_average(s, b::int8, 9::int8) OVER (ORDER BY b DESC) FROM (SELECT -b AS b, s FROM bucket_stored UNION ALL SELECT 0, s FROM bucket_stored) AS t$$,
  $$SELECT scan_time_average(s, b, b + 9) OVER (ORDER BY b) FROM (SELECT 0::int8 AS b, s FROM bucket_stored UNION ALL SELECT 9, time_summary(1, 9::int8, 'previous')) AS t$$, $$SELECT scan_time_average(exact_state, 0::int8, 9::int8) OVER () FROM (SELECT '\x00'::text::exact_state) AS t$$, $$SELECT time_summary(1, 1, 'locf')$$, $$SELECT time_summary(1, 1.5)$$, $$SELECT time_summary(-i, -i::int8) FROM generate_series(1, 2) AS i$$]) AS q;
