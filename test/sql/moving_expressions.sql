-- moving_expressions: aggregates over frames that move, of arguments that may fail and behind FILTERs that may fail: the methods are those of columns.
-- test/t/entering_rows.t has their errors.
CREATE TABLE prices AS SELECT i, i % 5 AS p, (i * 37 % 101)::float8 AS high, (i * 17 % 31)::float8 AS low, i * 7919 % 1009 AS k, (i * 7919 % 1009) / 8.0 AS n, CASE WHEN i % 9 > 0 THEN 'T' || i * 31 % 97 END AS t, timestamptz '2026-01-01' + i * interval '1 hour' AS at FROM generate_series(1, 2500) AS i;
ANALYZE prices;
LOAD 'scan';
SET scan.prefixscan = force;
SET scan.debug_require = node;
SET max_parallel_workers_per_gather = 0;
-- what EXPLAIN calls the method of an aggregate of a column, and of an expression; and whether PostgreSQL has the same rows
CREATE FUNCTION pg_temp.method(call text, frame text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; BEGIN
  FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT %s OVER (PARTITION BY p ORDER BY i %s) FROM prices', call, frame) LOOP
    IF line LIKE '%Frame Methods%' THEN RETURN substring(line FROM '\((.*)\)'); END IF;
  END LOOP; RETURN 'no PrefixScan'; END $$;
CREATE FUNCTION pg_temp.rows(call text, frame text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text; BEGIN
  EXECUTE format('SELECT md5(string_agg(i || coalesce(x::text, ''-''), '','' ORDER BY i)) FROM (SELECT i, %s OVER (PARTITION BY p ORDER BY i %s) AS x FROM prices) AS s', call, frame) INTO result;
  RETURN result; END $$;
CREATE FUNCTION pg_temp.same(call text, frame text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE node text := pg_temp.rows(call, frame); small text; core text; BEGIN
  SET LOCAL scan.work_mem = '64kB';
  small := pg_temp.rows(call, frame);
  SET LOCAL scan.debug_require = allow; SET LOCAL scan.prefixscan = off;
  core := pg_temp.rows(call, frame);
  SET LOCAL scan.prefixscan = force; SET LOCAL scan.debug_require = node; SET LOCAL scan.work_mem = '4MB';
  RETURN node = core AND small = core; END $$;
CREATE TABLE calls AS SELECT * FROM (VALUES (1, 'max(high)', 'max(high - low)'), (2, 'avg(high)', 'avg(high * 2)'), (3, 'sum(high)', 'sum(abs(low - high))'), (4, 'stddev(high)', 'stddev(sqrt(high))'), (5, 'max(k)', 'max(k * 2)'),
  (6, 'sum(k)', 'sum(k + 1)'), (7, 'avg(k)', 'avg(k % 7)'), (8, 'count(k) FILTER (WHERE k > 3)', 'count(k) FILTER (WHERE k + 1 > 3)'), (9, 'max(n)', 'max(n * 2)'), (10, 'sum(n)', 'sum(round(n, 1))'), (11, 'max(t)', 'max(lower(t))'),
  (12, 'min(at)', 'min(at + interval ''1 day'')'), (13, 'max(at)', 'max(at::date)'), (14, 'bit_or(k)', 'bit_or(abs(k))'), (15, 'bool_and(k > 3)', 'bool_and(k + 1 > 3)'), (16, 'covar_pop(high, low)', 'covar_pop(high * 2, low - high)'),
  (17, 'string_agg(t, '','')', 'string_agg(lower(t), '','')'), (18, 'exact_sum(high)', 'exact_sum(high / 3)'), (19, 'exact_corr(high, low)', 'exact_corr(high + k, low * 2)'), (20, 'moving_median(k)', 'moving_median(k / 2)'), (21, 'moving_mode(t)', 'moving_mode(lower(t))'),
  (22, 'moving_count_distinct(k)', 'moving_count_distinct(k / 7) FILTER (WHERE n * 2 > 5)'), (23, 'moving_last(t, k)', 'moving_last(lower(t), k + 1)'), (24, 'moving_rank(k)', 'moving_rank(k + 1)'), (25, 'time_average(high, i)', 'time_average(high * 2, i + 1)'), (26, 'array_agg(k)', 'array_agg(k + 1)')) AS v (i, of_column, of_expression);
SELECT i, of_expression, pg_temp.method(of_column, 'ROWS 40 PRECEDING') AS column, nullif(pg_temp.method(of_expression, 'ROWS 40 PRECEDING'), pg_temp.method(of_column, 'ROWS 40 PRECEDING')) AS "expression, if another" FROM calls ORDER BY i;
SELECT i, of_expression, pg_temp.same(of_expression, 'ROWS BETWEEN 40 PRECEDING AND 2 FOLLOWING') AS rows, pg_temp.same(of_expression, 'RANGE BETWEEN 70 PRECEDING AND 20 PRECEDING') AS range, pg_temp.same(of_expression, 'GROUPS BETWEEN 5 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW') AS groups FROM calls ORDER BY i;
SET scan.device = cpu; -- the same plan where the tests run on a device
EXPLAIN (COSTS OFF) SELECT max(high - low) OVER w, avg(high * 2) FILTER (WHERE k + 1 > 3) OVER w, count(*) OVER w FROM prices WINDOW w AS (ORDER BY i ROWS 1000 PRECEDING);
RESET scan.device;
-- a frame that no row leaves calls the aggregate's functions, once for each row
SELECT pg_temp.method('max(high - low)', 'ROWS BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING');
DROP TABLE calls, prices;
