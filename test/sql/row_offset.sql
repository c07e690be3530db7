-- lag, lead and nth_value with an offset that is no constant: of each row, or of a plan that starts.  WindowAgg is the oracle.
SET search_path = public;
\pset null -
LOAD 'scan';
CREATE TEMP TABLE shift AS
SELECT i AS id, nullif(abs(hashint4(i)) % 5, 4) AS p, nullif(abs(hashint4(i + 1)) % 12, 11) - 5 AS n, CASE WHEN i % 7 <> 0 THEN repeat('v', i % 5) || i END AS t,
       (ARRAY[0, 1, -1, 2147483647, -2147483647, -2147483648, NULL, 40, -40])[1 + i % 9] AS far, i % 3 = 0 AS b
FROM generate_series(1, 400) AS i ORDER BY hashint4(i);
CREATE TEMP TABLE few AS SELECT i AS id, (i - 1) / 4 AS p, (ARRAY[1, NULL, 0, -1, 2, 5, -2147483648, 2147483647])[i] AS n, 'v' || i AS t FROM generate_series(1, 8) AS i;
ANALYZE shift;
ANALYZE few;
SET scan.prefixscan = force;
-- without scan.debug_require, WindowAgg might run a window of this test unnoticed
SET scan.debug_require = node;

-- what they mean: NULL, 0, negative, outside of the partition, the ends of int
SELECT id, p, n, lag(t, n) OVER w, lead(t, n) OVER w, lag(t, n, 'none') OVER w AS "lag or none", lag(t, -n) OVER w AS "lag -n", lag(t, NULL) OVER w AS "lag NULL", lag(t, -1) OVER w AS "lag -1",
       lead(t, -1, 'none') OVER w AS "lead -1", lead(t, -2147483648) OVER w AS far, nth_value(t, id) OVER w AS nth, nth_value(t, NULL) OVER w AS "nth NULL"
FROM few WHERE n IS NULL OR n > -2147483648 WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id;
SELECT id, nth_value(t, id) OVER w AS nth, lag(t, id - 3) OVER w FROM few WINDOW w AS (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) ORDER BY id;
-- core negates no -2147483648 in an expression; as an offset it is outside
SELECT id, lag(t, n) OVER w, lead(t, n, 'none') OVER w FROM few WINDOW w AS (ORDER BY id) ORDER BY id;
SET scan.device = cpu; -- the same plan where the tests run on a device
EXPLAIN (COSTS OFF) SELECT lag(t, n) OVER w, sum(n) OVER w FROM few WINDOW w AS (PARTITION BY p ORDER BY id);
EXPLAIN (COSTS OFF) SELECT lag(t, -2) OVER w, nth_value(t, n + 3) OVER w FROM few WINDOW w AS (PARTITION BY p ORDER BY id);
RESET scan.device;
-- n is at least 1: an error at its row, which a LIMIT does not reach
SELECT nth_value(t, n) OVER (ORDER BY id) FROM few;
SELECT nth_value(t, 0) OVER (ORDER BY id) FROM few;
SELECT nth_value(t, -5) OVER (ORDER BY id ROWS 2 PRECEDING) FROM few;
SELECT id, nth_value(t, 3 - id) OVER (ORDER BY id) FROM few LIMIT 2;
SELECT id, nth_value(t, 3 - id) OVER (ORDER BY id) FROM few LIMIT 3;
SELECT id, nth_value(t, CASE WHEN id < 3 THEN 1 ELSE 0 END) OVER (ORDER BY id) FROM few LIMIT 2;
SELECT count(*) FROM (SELECT nth_value(t, 3 - id) OVER (ORDER BY id) FROM few OFFSET 0) AS s;
-- offsets, values and defaults that fail, at the rows at which core computes them
SELECT id, lag(t, 6 / (3 - id)) OVER (ORDER BY id) FROM few LIMIT 2;
SELECT id, lag(t, 6 / (3 - id)) OVER (ORDER BY id) FROM few LIMIT 3;
SELECT id, lag(10 / (id - 8), 1 + id % 2) OVER (ORDER BY id) FROM few ORDER BY id;
SELECT id, lead(10 / (id - 8), 1 + id % 2) OVER (ORDER BY id) FROM few ORDER BY id;
SELECT id, lag(id, id - 1, 1 / (id - 9)) OVER (ORDER BY id), lag(id, 2 - id % 2, 1 / (id - 2)) OVER (ORDER BY id) FROM few ORDER BY id;
SELECT id, lag(id, id % 3, 1 / (id - 1)) OVER (ORDER BY id) FROM few ORDER BY id;

-- Each call over each frame, by the node and by WindowAgg, with much memory and with little.
CREATE TEMP TABLE calls (call text);
INSERT INTO calls VALUES ('lag(t, n)'), ('lead(t, n)'), ('lag(id, n, -id)'), ('lead(t, n + id % 3, t || id)'), ('lag(t, far, ''far'')'), ('lead(t, far)'), ('lag(n::numeric / 3, abs(n))'), ('lag(t, CASE WHEN b THEN n END)'),
  ('lag(t, (SELECT 3))'), ('lead(t, (SELECT min(n) FROM few))'), ('lag(t, id)'), ('lead(t, 400 - id)'), ('lag(NULL::text, n)'), ('nth_value(t, abs(n) + 1)'), ('nth_value(t, nullif(abs(n), 0))'),
  ('nth_value(id, CASE WHEN b THEN id END)'), ('nth_value(t, 2147483647)'), ('nth_value(t, 1 + abs(far / 2))'), ('nth_value(repeat(t, 3), (SELECT 2))'), ('lag(row(id, t), n)'), ('lag(ARRAY[id, n], n)'),
  ('lag(t, n) OVER w || coalesce(lead(t, n + 0) OVER w, nth_value(t, id % 4 + 1) OVER w, first_value(t) OVER w, ''-'') || ntile(3) OVER w || sum(n) OVER w || cume_dist() OVER w || coalesce(lag(id, -n)'), ('nth_value(t, n)');
CREATE TEMP TABLE frames (frame text);
INSERT INTO frames VALUES ('PARTITION BY p ORDER BY id'), ('ORDER BY id'), ('PARTITION BY p ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING'), ('ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING'),
  ('PARTITION BY b ORDER BY id GROUPS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW'), ('PARTITION BY b ORDER BY id RANGE BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE TIES'),
  ('PARTITION BY p, n, t ORDER BY id ROWS UNBOUNDED PRECEDING'), ('ORDER BY p, id GROUPS 5 PRECEDING'), ('PARTITION BY id');
CREATE FUNCTION pg_temp.answers(node text, memory text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answers text;
BEGIN
	PERFORM set_config('scan.prefixscan', node, true), set_config('scan.work_mem', memory, true);
	EXECUTE format('SELECT md5(string_agg(s::text, '','' ORDER BY s::text)) || '' '' || count(y) FROM (%s OFFSET 0) AS s', query) INTO answers;
	RETURN answers;
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;
CREATE FUNCTION pg_temp.query(call text, frame text) RETURNS text LANGUAGE sql AS $$
SELECT 'SELECT id, ' || CASE WHEN call LIKE '%coalesce(lag(%' THEN call || ' OVER w, 0)' ELSE call || ' OVER w' END || ' AS y FROM shift WINDOW w AS (' || frame || ')'
$$;
SELECT call, frame, m FROM calls, frames, (VALUES ('64MB'), ('64kB')) AS memory (m)
WHERE pg_temp.answers('force', m, pg_temp.query(call, frame)) IS DISTINCT FROM pg_temp.answers('off', m, pg_temp.query(call, frame));
SELECT call, count(*) AS frames, count(DISTINCT answers) AS different FROM (SELECT call, pg_temp.answers('force', '64MB', pg_temp.query(call, frame)) AS answers FROM calls, frames) AS s GROUP BY call ORDER BY call;

-- a partition beyond memory, and values of 100 kB
CREATE TEMP TABLE wide AS SELECT i AS id, i % 2 AS p, hashint4(i) % 60 AS n, repeat(chr(65 + i % 26), CASE WHEN i % 10 = 0 THEN 100000 ELSE i % 50 END) AS t FROM generate_series(1, 300) AS i;
ANALYZE wide;
SELECT q FROM (VALUES ('SELECT id, lag(t, n) OVER (PARTITION BY p ORDER BY id) AS y FROM wide'), ('SELECT id, lead(t || id, n, t) OVER (ORDER BY id) AS y, ntile(3) OVER (ORDER BY id) FROM wide'),
  ('SELECT id, nth_value(t, abs(n) + 1) OVER (ORDER BY id) AS y, max(t) OVER (ORDER BY id) AS m FROM wide'), ('SELECT id, nth_value(t, abs(n) % 9 + 1) OVER (ORDER BY id ROWS 9 PRECEDING) AS y FROM wide')) AS queries (q)
WHERE pg_temp.answers('force', '64kB', q) IS DISTINCT FROM pg_temp.answers('off', '64kB', q) OR pg_temp.answers('force', '64kB', q) !~ '^\w{32} \d+$';

-- a parameter: the same at each row, and known when the plan starts
SET plan_cache_mode = force_generic_plan;
PREPARE shifted (int) AS SELECT id, lag(t, $1) OVER w, lead(t, $1, 'none') OVER w, nth_value(t, $1) OVER w AS nth, last_value(t) OVER w AS last FROM few WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id;
PREPARE in_frame (int) AS SELECT id, nth_value(t, $1) OVER (PARTITION BY p ORDER BY id ROWS 2 PRECEDING), lag(t, $1) OVER (PARTITION BY p ORDER BY id ROWS 2 PRECEDING) FROM few ORDER BY id;
EXECUTE in_frame (2);
EXECUTE in_frame (-2);
EXECUTE shifted (1);
EXECUTE shifted (2);
EXECUTE shifted (NULL);
EXECUTE shifted (0);
EXECUTE shifted (2147483647);
PREPARE back (int) AS SELECT id, lag(t, $1) OVER w, lead(t, $1, 'none') OVER w FROM few WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY id;
SET scan.device = cpu;
EXPLAIN (COSTS OFF) EXECUTE back (-1);
EXPLAIN (COSTS OFF) EXECUTE back (5000);
RESET scan.device;
EXECUTE back (-1);
EXECUTE back (-2147483648);
EXECUTE back (5000);
RESET plan_cache_mode;

-- an offset from outside, anew for each scan; above an outer join; below a condition on the first rows
SELECT k, id, lag, nth FROM generate_series(-1, 2) AS k, LATERAL (SELECT id, lag(t, k) OVER w, nth_value(t, k + 2) OVER w AS nth FROM few WHERE p = 0 WINDOW w AS (ORDER BY id)) AS s ORDER BY k, id;
SELECT s.id, few.id AS other, lag(few.t, few.n) OVER w, lead(s.id, few.n, -1) OVER w FROM generate_series(1, 10) AS s (id) LEFT JOIN few ON few.id = s.id - 1 AND few.n < 9 WINDOW w AS (ORDER BY s.id) ORDER BY s.id;
SELECT * FROM (SELECT id, p, row_number() OVER w AS r, lead(t, id) OVER w, lag(t, n) OVER w FROM few WINDOW w AS (PARTITION BY p ORDER BY id)) AS s WHERE r <= 2 ORDER BY id;
SELECT id, lead(t, id) OVER (ORDER BY id) FROM few ORDER BY id LIMIT 3;
SELECT lag(id, id - 1) OVER (ORDER BY id), lag(id, -n) OVER (ORDER BY id) FROM few WHERE false;

-- several processes take whole partitions
CREATE TABLE shift_shared AS SELECT * FROM shift;
ANALYZE shift_shared;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET scan.device = cpu;
EXPLAIN (COSTS OFF) SELECT count(y), max(y) FROM (SELECT lag(t, n) OVER (PARTITION BY id % 50 ORDER BY id) AS y FROM shift_shared) AS s;
RESET scan.device;
SELECT count(y), max(y), sum(length(y)) FROM (SELECT lag(t, n) OVER (PARTITION BY id % 50 ORDER BY id) AS y FROM shift_shared) AS s;
SELECT count(y), max(y), sum(length(y)) FROM (SELECT nth_value(t, id % 5 + 1) OVER (PARTITION BY id % 50 ORDER BY id) AS y FROM shift_shared) AS s;
SET max_parallel_workers_per_gather = 0;
SET scan.debug_require = allow;
SET scan.prefixscan = off;
SELECT count(y), max(y), sum(length(y)) FROM (SELECT lag(t, n) OVER (PARTITION BY id % 50 ORDER BY id) AS y FROM shift_shared) AS s;
SELECT count(y), max(y), sum(length(y)) FROM (SELECT nth_value(t, id % 5 + 1) OVER (PARTITION BY id % 50 ORDER BY id) AS y FROM shift_shared) AS s;
DROP TABLE shift_shared;

-- What stays in WindowAgg: rows below that may fail, where a row behind the first is not asked for
SET scan.prefixscan = force;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE INDEX ON few (id);
SELECT id, lag(t, 1 - id) OVER (ORDER BY id) FROM few WHERE 1 / (5 - id) >= 0 ORDER BY id LIMIT 2;
-- a caller that may stop at any row, though the planner takes it to want all of them
SET enable_seqscan = on;
SET cursor_tuple_fraction = 1;
BEGIN;
DECLARE one CURSOR FOR SELECT id, lag(id, CASE WHEN p < 0 THEN 1 ELSE 0 END) OVER w, count(*) OVER w FROM few WHERE 1 / (id - 5) IS NOT NULL WINDOW w AS (ROWS UNBOUNDED PRECEDING);
FETCH 3 FROM one;
FETCH 1 FROM one;
ROLLBACK;
