-- queries.sql: the tables and the queries of companions.t.
--
-- A query begins with a line "--- NAME", and ends with an ORDER BY that leaves no choice.  {7} is a constant, or, where
-- the query is prepared, a parameter with this value.  After the name:
--
--   own      calls functions of scan, so a server without scan cannot answer it
--   core     has a window that PrefixScan leaves to WindowAgg
--   plan     has no window: it does not run, and its plan has to be the same with scan and without
--   fails    and the SQLSTATE: it fails at one of its rows, and a cursor that ends before does not
CREATE TABLE data AS
SELECT i AS id,
       CASE WHEN hashint4(i) % 13 <> 0 THEN abs(hashint4(i + 1)) % 7 END AS p,
       abs(hashint4(i + 2)) % 40 AS o,
       CASE WHEN hashint4(i) % 9 <> 0 THEN hashint4(i + 3) % 100000 END AS x,
       hashint4(i + 4)::bigint * 1234567 AS n,
       (CASE hashint4(i) % 29 WHEN 0 THEN '-0' WHEN 1 THEN NULL ELSE (hashint4(i + 5) / 1e3)::text END)::float8 AS f,
       (hashint4(i + 6) / 1e4)::float4 AS f4,
       (CASE hashint4(i) % 31 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL ELSE (hashint4(i + 7) / 1e2)::text END)::numeric AS num,
       CASE WHEN hashint4(i) % 8 <> 0 THEN chr(97 + abs(hashint4(i + 8)) % 26) || abs(hashint4(i + 9)) % 20 END AS t,
       date '2024-01-01' + i / 3 AS d,
       timestamptz '2024-01-01 00:00+00' + abs(hashint4(i + 10)) % 90000 * interval '1 minute' AS ts,
       abs(hashint4(i + 11)) % 1000 * interval '1 hour' AS iv,
       CASE WHEN hashint4(i) % 10 <> 0 THEN hashint4(i + 12) % 3 = 0 END AS b
FROM generate_series(1, 400, 2) AS i;
CREATE UNIQUE INDEX ON data (id);
CREATE INDEX ON data (p, id);
CREATE TABLE reading AS SELECT i % 9 AS device, i AS at, hashint4(i) % 1000 AS value FROM generate_series(1, 3000) AS i;
CREATE INDEX ON reading (device, at);
CREATE TABLE parts (LIKE data) PARTITION BY RANGE (id);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (150);
CREATE TABLE parts_middle PARTITION OF parts FOR VALUES FROM (150) TO (300);
CREATE TABLE parts_high PARTITION OF parts FOR VALUES FROM (300) TO (MAXVALUE);
CREATE INDEX ON parts (id);
INSERT INTO parts SELECT * FROM data;
CREATE VIEW ranked AS SELECT id, p, x, rank() OVER (PARTITION BY p ORDER BY o) AS r FROM data;
CREATE FUNCTION same(int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN $1; END';
CREATE FUNCTION first_rows(int) RETURNS TABLE (id int, n bigint) LANGUAGE sql STABLE AS 'SELECT id, row_number() OVER (ORDER BY id) FROM data WHERE id <= $1';
CREATE ROLE someone;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO someone;
VACUUM ANALYZE;

--- running total
SELECT p, id, sum(x) OVER (PARTITION BY p ORDER BY id) FROM data WHERE id <= {390} ORDER BY p, id
--- running total, the order of the window
SELECT id, sum(n) OVER (ORDER BY id), count(x) OVER (ORDER BY id) FROM data WHERE id > {10} ORDER BY id
--- ranks
SELECT id, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY o) ORDER BY id
--- numbers of rows
SELECT id, row_number() OVER (ORDER BY o, id), ntile(7) OVER (PARTITION BY b ORDER BY id) FROM data ORDER BY id
--- neighbours
SELECT id, lag(t) OVER w, lead(x, 3, -1) OVER w, lag(iv, 2) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY ts, id) ORDER BY id
--- first, last and nth value
SELECT id, first_value(t) OVER w, last_value(f) OVER w, nth_value(num, 4) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY p, id
--- differences
SELECT id, x - lag(x) OVER (ORDER BY id) AS step, coalesce(lag(t) OVER (ORDER BY id), 'none') || t FROM data ORDER BY id
--- ROWS frame
SELECT id, sum(x) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND {2} FOLLOWING), count(*) OVER (ORDER BY id ROWS {5} PRECEDING) FROM data ORDER BY id
--- ROWS frames, one may fail, core
SELECT id, avg(num) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND {2} FOLLOWING), sum(x) OVER (ORDER BY id ROWS {5} PRECEDING) FROM data ORDER BY id
--- ROWS frame to the end
SELECT id, max(t) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM data ORDER BY id
--- RANGE frame, interval
SELECT id, count(*) OVER w, sum(x) OVER w FROM data WINDOW w AS (ORDER BY ts RANGE BETWEEN interval '2 hours' PRECEDING AND CURRENT ROW) ORDER BY id
--- RANGE frame, integer
SELECT id, sum(x) OVER (PARTITION BY p ORDER BY o RANGE BETWEEN {2} PRECEDING AND 1 FOLLOWING) FROM data ORDER BY id
--- GROUPS frame
SELECT id, max(t) OVER (ORDER BY o GROUPS BETWEEN {1} PRECEDING AND 1 FOLLOWING), count(*) OVER (ORDER BY o GROUPS 2 PRECEDING) FROM data ORDER BY id
--- EXCLUDE
SELECT id, sum(x) OVER (PARTITION BY p ORDER BY o, id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW), count(*) OVER (ORDER BY o GROUPS 1 PRECEDING EXCLUDE TIES) FROM data ORDER BY id
--- FILTER
SELECT id, sum(x) FILTER (WHERE b) OVER w, count(*) FILTER (WHERE x > {100}) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- windows of other windows
SELECT id, sum(x) OVER whole, sum(x) OVER running, avg(x) OVER (running ROWS 2 PRECEDING) FROM data WINDOW whole AS (PARTITION BY p), running AS (whole ORDER BY id) ORDER BY id
--- floats
SELECT id, sum(f) OVER w, avg(f) OVER w, stddev_samp(f) OVER w, corr(f, x) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- floats over a moving frame
SELECT id, sum(f4) OVER w, min(f) OVER w, var_pop(f) OVER w FROM data WINDOW w AS (ORDER BY id ROWS 6 PRECEDING) ORDER BY id
--- numeric
SELECT id, sum(num) OVER w, max(num) OVER w, avg(n) OVER w FROM data WINDOW w AS (PARTITION BY b ORDER BY id) ORDER BY id
--- intervals and dates
SELECT id, sum(iv) OVER w, avg(iv) OVER w, max(d) OVER w, min(ts) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- collected values
SELECT id, string_agg(t, ',') OVER w, array_agg(x) OVER w, jsonb_agg(p) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id ROWS 2 PRECEDING) ORDER BY id
--- text keys
SELECT id, count(*) OVER (PARTITION BY left(t, 1) ORDER BY t COLLATE "C"), rank() OVER (ORDER BY upper(t) DESC NULLS LAST) FROM data ORDER BY id
--- first rows by row_number
SELECT * FROM (SELECT p, id, x, row_number() OVER (PARTITION BY p ORDER BY x DESC NULLS LAST, id) AS k FROM data) AS s WHERE k <= {2} ORDER BY p, id
--- first rows by rank
SELECT * FROM (SELECT p, id, o, rank() OVER (PARTITION BY p ORDER BY o) AS k FROM data) AS s WHERE k <= 2 ORDER BY p, id
--- first rows by DISTINCT ON
SELECT DISTINCT ON (device) device, at, value FROM reading ORDER BY device, at DESC
--- latest rows
SELECT device, at, value FROM (SELECT *, row_number() OVER (PARTITION BY device ORDER BY at DESC) AS k FROM reading) AS s WHERE k = 1 ORDER BY device
--- aggregates of a window
SELECT p, sum(s), max(r), count(*) FROM (SELECT p, sum(x) OVER w AS s, rank() OVER w AS r FROM data WINDOW w AS (PARTITION BY p ORDER BY id)) AS q GROUP BY p ORDER BY p
--- a window of aggregates
SELECT p, count(*), sum(count(*)) OVER (ORDER BY p), rank() OVER (ORDER BY sum(x)) FROM data WHERE id < {350} GROUP BY p ORDER BY p
--- a join above
SELECT a.id, a.s, r.value FROM (SELECT id, sum(x) OVER (ORDER BY id) AS s FROM data) AS a JOIN reading AS r ON r.at = a.id WHERE r.device > {3} ORDER BY a.id
--- a join below
SELECT a.id, r.value, sum(r.value) OVER (PARTITION BY a.p ORDER BY a.id) FROM data AS a JOIN reading AS r ON r.at = a.id ORDER BY a.id
--- LIMIT
SELECT id, sum(x) OVER (ORDER BY id) FROM data ORDER BY id LIMIT {20} OFFSET 3
--- a lateral window
SELECT g, l.id, l.s FROM generate_series(1, 4) AS g, LATERAL (SELECT id, sum(x + g) OVER (ORDER BY id) AS s FROM data WHERE id <= g * 10) AS l ORDER BY g, l.id
--- WITH, used twice
WITH w AS MATERIALIZED (SELECT id, sum(x) OVER (ORDER BY id) AS s FROM data) SELECT a.id, a.s, b.s FROM w AS a JOIN w AS b ON b.id = a.id + {1} ORDER BY a.id
--- UNION ALL
SELECT 1 AS k, id, sum(x) OVER (ORDER BY id) AS s FROM data UNION ALL SELECT 2, id, count(*) OVER (PARTITION BY p) FROM data ORDER BY k, id
--- a subquery in an argument
SELECT id, sum(x + (SELECT max(value) FROM reading WHERE at < {99})) OVER (ORDER BY id) FROM data ORDER BY id
--- partitions of a table
SELECT id, sum(x) OVER (ORDER BY id), lag(t) OVER (PARTITION BY p ORDER BY id) FROM parts ORDER BY id
--- a view, and DISTINCT
SELECT DISTINCT p, r FROM ranked WHERE r < {30} ORDER BY p, r
--- a set-returning function
SELECT i, sum(i) OVER (ORDER BY i), n FROM generate_series(1, {60}) AS i LEFT JOIN first_rows(50) ON id = i ORDER BY i
--- one window for WindowAgg, core
SELECT id, sum(same(id)) OVER (ORDER BY id), rank() OVER (PARTITION BY p ORDER BY o) FROM data ORDER BY id
--- a row that fails, fails 22012
SELECT id, sum(100 / (id - {201})) OVER (ORDER BY id) FROM data ORDER BY id
--- a frame that fails, fails 22013
SELECT id, sum(x) OVER (ORDER BY id ROWS {0} - 1 PRECEDING) FROM data ORDER BY id
--- totals with resets, own
SELECT id, scan_sum(x, reset => b) OVER w, scan_count(b) OVER w, scan_max(t) OVER w, scan_sum(f) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- filled gaps, own
SELECT id, scan_locf(x) OVER w, scan_nocb(t) OVER w, scan_interpolate(x::float8, id) OVER w FROM data WINDOW w AS (ORDER BY id) ORDER BY id
--- recurrences, own
SELECT id, scan_ema(f, 0.1) OVER w, scan_recurrence(0.5, num) OVER w, scan_clamped_sum(x::numeric, 0, 100000) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- sessions and states, own
SELECT id, scan_session(id, {2}) OVER w, scan_change(t) OVER w, scan_state(o % 2, '{{0,1},{1,0}}') OVER w, scan_fold(x::bigint, 'int8pl(int8,int8)') OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id
--- exact aggregates over a frame, own
SELECT id, exact_sum(f) OVER w, exact_avg(f) OVER w, exact_var_pop(num) OVER w FROM data WINDOW w AS (ORDER BY id ROWS {9} PRECEDING) ORDER BY id
--- moving aggregates, own
SELECT id, moving_median(f) OVER w, moving_mode(o) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id ROWS 20 PRECEDING) ORDER BY id
--- exact aggregates of groups, own
SELECT p, exact_sum(f), exact_avg(f4), rank() OVER (ORDER BY exact_sum(f)) FROM data GROUP BY p ORDER BY p
--- a total that leaves its type, own, fails 22003
SELECT id, scan_sum(9223372036854775807 / {150}) OVER (ORDER BY id) FROM data ORDER BY id
--- plan of a join, plan
SELECT a.id, b.value FROM data AS a JOIN reading AS b ON b.at = a.id WHERE a.p = 3 ORDER BY b.value
--- plan of groups, plan
SELECT p, count(*), sum(x), max(t) FROM data GROUP BY p HAVING count(*) > 3 ORDER BY 2
--- plan of the first rows, plan
SELECT * FROM reading WHERE device = 3 ORDER BY at DESC LIMIT 4
--- plan over partitions, plan
SELECT count(*) FROM parts WHERE id BETWEEN 120 AND 180
--- plan of partitions in order, plan
SELECT id, t FROM parts ORDER BY id LIMIT 10
--- plan of EXISTS, plan
SELECT id FROM data AS a WHERE EXISTS (SELECT FROM reading AS r WHERE r.at = a.id AND r.value > a.o) ORDER BY id
--- plan of a union, plan
SELECT id FROM data WHERE p = 1 UNION SELECT at FROM reading WHERE device = 1
--- plan of WITH RECURSIVE, plan
WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < 9) SELECT * FROM r JOIN data ON id = i
--- plan of grouping sets, plan
SELECT p, b, count(*) FROM data GROUP BY GROUPING SETS ((p), (b), ()) ORDER BY 1, 2
--- plan of a lateral join, plan
SELECT a.id, l.at FROM data AS a, LATERAL (SELECT at FROM reading WHERE device = a.p ORDER BY at DESC LIMIT 2) AS l WHERE a.id < 20
--- plan of an update, plan
UPDATE data SET x = r.value FROM reading AS r WHERE r.at = data.id AND data.p = 2
--- plan of a deletion, plan
DELETE FROM parts WHERE id IN (SELECT at FROM reading WHERE device = 4)
