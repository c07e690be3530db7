-- WindowReduce: rows of a window that are filtered and aggregated as columns.  Stock PostgreSQL is the oracle.
SET search_path = public;
\pset null -
LOAD 'scan';
CREATE TABLE reduced AS
SELECT i AS id, nullif(i % 7, 6) AS p, CASE WHEN i % 5 <> 0 THEN 'k' || i % 3 END AS k, (i * 37) % 101 AS t, nullif(i % 11, 10) AS v, (i % 13)::bigint * 1000000007 AS v8,
       CASE i % 17 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN NULL WHEN 4 THEN inf - inf ELSE i / 7.0 END::float8 AS f, (CASE i % 9 WHEN 0 THEN 'NaN' WHEN 1 THEN '1.50' WHEN 2 THEN '1.5' ELSE (i / 8.0)::text END)::numeric AS num,
       date '2024-01-01' + i AS d, i % 4 = 1 AS b, i % 3 AS few, i % 300 AS g
FROM generate_series(1, 3000) AS i, (VALUES ('Infinity'::float8)) AS z (inf); -- inf - inf is a NaN with another sign
CREATE TABLE none (LIKE reduced);
ANALYZE reduced;
ANALYZE none;
SET max_parallel_workers_per_gather = 0;
SET scan.prefixscan = force;
SET scan.reduce = force;
SET scan.debug_require = node;

-- what EXPLAIN shows
SET scan.device = cpu; -- the same plan where the tests run on a device
EXPLAIN (COSTS OFF) SELECT count(*), max(s) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS s FROM reduced) AS q WHERE s > 1000 AND s IS NOT NULL;
EXPLAIN (COSTS OFF) SELECT p, max(s), count(*) FILTER (WHERE f > 3) + 1 FROM (SELECT p, f, sum(v) OVER (PARTITION BY p ORDER BY id) AS s FROM reduced) AS q GROUP BY p HAVING min(s) > 2;
-- 18 and newer print more: decimals of rows, buffers, and whether a node is disabled.
CREATE FUNCTION pg_temp.explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE printed text;
BEGIN
	FOR printed IN EXECUTE 'EXPLAIN ' || query LOOP
		RETURN QUERY SELECT regexp_replace(line, '(rows=\d+)\.00', '\1', 'g') FROM regexp_split_to_table(printed, '\n') AS line
			WHERE line !~ '^ *(Buffers|Disabled):';
	END LOOP;
END $$;
SELECT pg_temp.explained($$(ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT id, s FROM (SELECT id, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE s < 20 AND id + s > 3$$);
EXPLAIN (VERBOSE, COSTS OFF) SELECT count(gap), max(c) FROM (SELECT v - lag(v) OVER w AS gap, num - lag(num) OVER w AS dn, coalesce(lag(id) OVER w, 0) AS c, id + 1 AS more FROM reduced WINDOW w AS (PARTITION BY p ORDER BY id)) AS q WHERE gap > 1 AND dn > 2;
SELECT pg_temp.explained($$(COSTS OFF, FORMAT YAML) SELECT p, count(*) FROM (SELECT p, row_number() OVER (PARTITION BY p ORDER BY id) AS n FROM reduced OFFSET 0) AS q WHERE n > 3 GROUP BY p$$);
RESET scan.device;

-- Each query runs in stock PostgreSQL, in the node, and in the node with little memory.  The same: the rows, or the error.
CREATE FUNCTION pg_temp.answer(setting text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
	PERFORM set_config('scan.prefixscan', setting, true), set_config('scan.debug_require', CASE WHEN setting = 'off' THEN 'allow' ELSE 'node' END, true);
	EXECUTE 'SELECT string_agg(x::text, E''\n'' ORDER BY x::text) FROM (' || query || ') AS x' INTO answer;
	RETURN answer;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP plan := plan || line; END LOOP;
	RETURN plan;
END $$;
CREATE FUNCTION pg_temp.reduces(query text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN pg_temp.plan(query) LIKE '%WindowReduce%' THEN 'reduces' ELSE 'as in core' END
$$;
CREATE TABLE questions (n int GENERATED ALWAYS AS IDENTITY, node text, asked text, query text);
\set window 'SELECT *, sum(v) OVER w AS s, lag(f) OVER w AS l, row_number() OVER w AS n, max(num) OVER w AS m FROM reduced WINDOW w AS (PARTITION BY p, k ORDER BY id)'
INSERT INTO questions (asked, query) SELECT q, replace(replace(q, '@none', '(SELECT *, sum(v) OVER w AS s FROM none WINDOW w AS (PARTITION BY p ORDER BY id)) AS q'), '@', '(' || :'window' || ') AS q') FROM unnest(ARRAY[
-- aggregates of every kind, with NULLs and without rows
  'SELECT count(*), count(v), count(1), count(NULL), sum(v), sum(v8), sum(s), sum(f), sum(num), avg(v), avg(v8), avg(f), avg(num) FROM @',
  'SELECT min(v), max(s), min(f), max(f), min(num), max(m), min(d), max(d), bool_and(b), bool_or(b), every(v > 0), bit_and(v), bit_or(n), bit_xor(v8) FROM @',
  'SELECT stddev(f), var_pop(l), stddev_pop(f::float4), variance(l), var_samp(f), stddev_samp(l) FROM @ WHERE f < 1000',
  'SELECT count(*), sum(v), min(s), avg(f), bool_and(b) FROM @none',
  'SELECT p, count(*), sum(s) FROM @none GROUP BY p',
  'SELECT count(*), sum(s) FROM @ WHERE s < -1',
  'SELECT p, k, count(*) FROM @ WHERE s < -1 GROUP BY p, k',
  'SELECT count(s) FROM @none HAVING count(*) > 0',
-- groups: of the partitions, of their first columns, in another order, by other columns
  'SELECT p, k, sum(f), avg(f), max(m), count(*) FROM @ GROUP BY p, k',
  'SELECT p, sum(f), max(m), count(*) FROM @ GROUP BY p',
  'SELECT k, p, count(s), sum(v) FROM @ GROUP BY k, p', 'SELECT g, few, count(s), sum(v) FROM (SELECT g, few, v, sum(v) OVER (PARTITION BY few, g ORDER BY id) AS s FROM reduced) AS q GROUP BY g, few',
  'SELECT k, count(s), sum(v) FROM @ GROUP BY k',
  'SELECT p, k, s, count(*) FROM @ GROUP BY p, k, s',
  'SELECT p, k FROM @ WHERE s > 3 GROUP BY p, k',
  'SELECT p, sum(s) FROM @ WHERE p = 3 GROUP BY p',
  'SELECT s, count(*) FROM @ WHERE s = 5 GROUP BY s',
  'SELECT p + 1, sum(s) FROM @ GROUP BY p + 1',
  'SELECT p, k, sum(s) FROM @ GROUP BY GROUPING SETS ((p), (p, k))',
  'SELECT p, max(s) - min(s), p * 2, upper(k) FROM @ GROUP BY p, k HAVING sum(s) > 50 AND p > 1',
  'SELECT num, count(*) FROM (SELECT num, sum(v) OVER (PARTITION BY num ORDER BY id) AS s FROM reduced) AS q WHERE s > 1 GROUP BY num',
  'SELECT f IS NULL, f <> 0, count(s) FROM (SELECT f, sum(v) OVER (PARTITION BY f ORDER BY id) AS s FROM reduced) AS q GROUP BY f',
  'SELECT k, count(*), sum(s) FROM (SELECT k, sum(v) OVER (PARTITION BY k, p ORDER BY id) AS s FROM reduced) AS q GROUP BY k',
-- conditions of every kind
  'SELECT id, s FROM @ WHERE s > 2 AND s <= 40::bigint AND 3 <= n AND v <> 4::smallint AND s >= v',
  'SELECT id, s FROM @ WHERE f < 3.5 OR l IS NULL', 'SELECT id, s FROM @ WHERE f = ''NaN'' AND l > 3::float4', 'SELECT id, s FROM @ WHERE f = 0', 'SELECT id, s FROM @ WHERE f >= l', 'SELECT id, s FROM @ WHERE -0.0::float8 = f AND NOT b',
  'SELECT id, s FROM @ WHERE m > 1.5 AND num <= m', 'SELECT id, s FROM @ WHERE num = 1.5', 'SELECT id, s FROM @ WHERE m = ''NaN''::numeric AND s > 1000', 'SELECT id, s FROM @ WHERE d BETWEEN ''2024-03-01'' AND ''2024-04-01'' AND d <> ''2024-03-05''',
  'SELECT id, s FROM @ WHERE b', 'SELECT id, s FROM @ WHERE b < true', 'SELECT id, s FROM @ WHERE b IS NOT TRUE AND k LIKE ''k%''', 'SELECT id, s FROM @ WHERE k = ''k1'' AND n % 3 = 1', 'SELECT id, s FROM @ WHERE n IN (1, 5, 9)', 'SELECT id, s FROM @ WHERE s > NULL::int',
  'SELECT id, s FROM @ WHERE n > 3 AND (n = 4 OR k > ''k0'')', 'SELECT id, s FROM @ WHERE s IS DISTINCT FROM v', 'SELECT id, s FROM @ WHERE n > (SELECT count(*) FROM reduced WHERE id > 2990)', 'SELECT count(*) FILTER (WHERE n > 3 AND b), sum(f) FILTER (WHERE l IS NULL), count(v) FILTER (WHERE false) FROM @ WHERE s > 3',
  'SELECT id, s FROM @ WHERE d > timestamp ''2024-05-05''', 'SELECT id, s FROM @ WHERE q.p = 3 AND s > 9', 'SELECT q FROM @ WHERE n % 50 = 7', 'SELECT id, s + n, l * 2 FROM @ WHERE s = 700 OR n % 50 = 7',
  'SELECT g, count(*), min(s), max(id) FROM (SELECT g, id, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM reduced) AS q WHERE s > 45 GROUP BY g', 'SELECT id, s FROM @ WHERE f = ''NaN''', 'SELECT id, s FROM @ WHERE f > ''Infinity''',
-- by loops, of which one would fail at rows that a condition before it has left out
  'SELECT id, s FROM @ WHERE n % 4 <> 0 AND 100 / (n % 4) > 30 AND s + n > 20', 'SELECT count(*) FILTER (WHERE s % 7 <> 0 AND 9 / (s % 7) = 4), sum(v) FILTER (WHERE s + v > n * 2) FROM @ WHERE n * 2 - s <> 5', 'SELECT p, count(*) FILTER (WHERE 9 / nullif(s % 7, 0) = 4) FROM @ WHERE n - s < 5 GROUP BY p',
  'SELECT id, s FROM @ WHERE s % 4 IS NULL OR (n > 3) = b', 'SELECT sum(sqrt(3 - n)), count(*) FILTER (WHERE n % 7 = 6 AND n > (SELECT 1 / (count(*) - 3000) FROM reduced)) FROM @', 'SELECT id, x FROM (SELECT id, v - lag(v) OVER w AS x, sqrt(id) AS y FROM reduced WINDOW w AS (ORDER BY id)) AS q WHERE x % 3 = 1 AND y > 4', 'SELECT id FROM @ WHERE s::int + 2147483600 > 0', 'SELECT id FROM @ WHERE s < 20 AND s::int + 2147483600 > 0',
-- errors: of conditions, arguments, transitions, results and HAVING, at the row at which core raises them, and none before
  'SELECT id FROM @ WHERE 10 / (id - 2000) > 0 AND s > 3', 'SELECT id FROM @ WHERE s > 3 AND 10 / (s - 3) > 0', 'SELECT id FROM @ WHERE s > 3 AND 10 / s > 0', 'SELECT sum(10 / (s - 20)) FROM @', 'SELECT count(*) FILTER (WHERE 1 / (n - 5) > 0) FROM @ WHERE s < 5',
  'SELECT sum(f * 1e308), sum(10 / (n - 1)) FROM @', 'SELECT id, s FROM @ WHERE 10 / (n - 100) < 5 AND sqrt(50 - n) >= 0', 'SELECT sum(1 / (n - 100)), sum(sqrt(50 - n)) FROM @ WHERE s > -1', 'SELECT sum(big), avg(big) FROM (SELECT 1.7e308::float8 AS big, s FROM @) AS z WHERE s > 3', 'SELECT p, k, sum(s) FROM @ GROUP BY p, k HAVING 1 / (count(s) - 400) < 1', 'SELECT id FROM @ WHERE n > (SELECT 1 / (count(*) - 3000) FROM reduced)',
  'SELECT id FROM @ WHERE s < -1 AND n > (SELECT 1 / (count(*) - 3000) FROM reduced)', 'SELECT max(s) FROM (SELECT 100 / (id - 500) + sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q', 'SELECT sum(v8 * v8 * v8), max(s) FROM @', 'SELECT sum(num), avg(f * 1e300) FROM @ WHERE s / (id - 2500) < 10',
-- rows of several windows, of views, above and below other nodes, and again for each row of another table
  'SELECT p, max(a), min(z) FROM (SELECT p, sum(v) OVER (PARTITION BY p ORDER BY id) AS a, count(*) OVER (ORDER BY t, id) AS z FROM reduced) AS q WHERE z > 10 GROUP BY p',
  'SELECT g, (SELECT count(*) FROM @ WHERE s > g AND few = 1) FROM generate_series(1, 40, 13) AS g', 'SELECT g, c FROM generate_series(0, 3) AS g, LATERAL (SELECT count(*) AS c FROM (SELECT id, sum(v) OVER (ORDER BY id) AS s FROM reduced WHERE few = g) AS q WHERE s > 100) AS c',
  'SELECT z.id, q.s FROM reduced AS z JOIN @ ON q.id = z.id WHERE q.s < 9 AND z.t > 50', 'SELECT z.id, q.s FROM reduced AS z LEFT JOIN @ ON q.id = z.id AND q.s < 9 WHERE z.id < 50', 'SELECT sum(n) OVER (ORDER BY id) FROM @ WHERE s > 70', 'SELECT id FROM @ WHERE s > 70 UNION ALL SELECT id FROM @ WHERE s < 3',
-- expressions that are computed below an outer join; one reads whole rows
  'SELECT z.id, y.x FROM reduced AS z LEFT JOIN (SELECT q.id, p + n AS x FROM @ WHERE s < 40) AS y ON y.id = z.id', 'SELECT z.id, y.x FROM reduced AS z LEFT JOIN (SELECT q.id, q IS NULL AS x FROM @ WHERE s < 40) AS y ON y.id = z.id',
  'SELECT id FROM reduced AS z WHERE EXISTS (SELECT FROM @ WHERE q.id = z.id AND q.s < 3)', 'WITH q AS MATERIALIZED (SELECT * FROM @ WHERE s < 20) SELECT a.id FROM q AS a JOIN q AS b USING (id)',
  'SELECT count(DISTINCT s), sum(v ORDER BY id), string_agg(k, '','' ORDER BY id) FROM @ WHERE s > 5', 'SELECT max(k), count(s) FROM @', 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY s) FROM @',
  'SELECT id, s FROM (SELECT id, sum(v) OVER (ORDER BY id) + 1 AS s FROM reduced) AS q WHERE s > 14900', 'SELECT count(*) FROM (SELECT generate_series(1, 2), sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE s > 3',
  'SELECT count(*) FROM (SELECT DISTINCT p, sum(v) OVER (PARTITION BY p) AS s FROM reduced) AS q WHERE s > 3', 'SELECT count(*) FROM (SELECT id, rank() OVER (PARTITION BY p ORDER BY t) AS r FROM reduced) AS q WHERE r <= 3',
  'SELECT length(w), count(*) FROM (SELECT repeat(k, 50000) AS w, sum(v) OVER (PARTITION BY repeat(k, 50000) ORDER BY id) AS s FROM reduced WHERE id < 40) AS q WHERE s > 3 GROUP BY w', 'SELECT length(w) FROM (SELECT repeat(k, 50000) AS w, sum(v) OVER (ORDER BY id) AS s FROM reduced WHERE id < 40) AS q WHERE s > 30']) AS q;
-- columns that the subquery computes: by loops, by the executor, and of both kinds
\set computed 'SELECT id, p, k, v - lag(v) OVER w AS gap, v8 * 3 - sum(v) OVER w AS big, f / nullif(lag(f) OVER w, 0) AS ratio, coalesce(lag(v) OVER w, v, 0) AS before, num - lag(num) OVER w AS dn, d - lag(d) OVER w AS days, d::timestamp - lag(d::timestamp) OVER w AS span, CASE WHEN t - lag(t) OVER w <= 16 THEN 0 WHEN v <> 0 AND p > 2 THEN 100 / v ELSE 1 END AS starts, k || lag(k) OVER w AS kk, 7 AS seven, NOT (b OR v IS NULL) AS flag, CASE WHEN ts - lag(ts) OVER w > interval ''1 day 2 hours'' OR lag(ts) OVER w IS NULL THEN 1 ELSE 0 END AS session, ts - lag(ts) OVER w AS silence FROM (SELECT *, d + interval ''7 hours'' * v AS ts FROM reduced OFFSET 0) AS r WINDOW w AS (PARTITION BY p, k ORDER BY id)'
INSERT INTO questions (asked, query) SELECT q, replace(q, '#', '(' || :'computed' || ') AS q') FROM unnest(ARRAY[
  'SELECT id, gap, big, ratio, before, dn, days, span, starts, kk, seven, flag, session, silence FROM # WHERE id % 7 <> 3', 'SELECT * FROM # WHERE gap > 3', 'SELECT id, big FROM # WHERE big > 20000000000', 'SELECT id FROM # WHERE ratio > 1', 'SELECT id FROM # WHERE before = 3 AND gap IS NULL', 'SELECT id, dn FROM # WHERE dn < -3', 'SELECT id FROM # WHERE days > 15',
  'SELECT id, silence FROM # WHERE silence > interval ''16 days''', 'SELECT id FROM # WHERE span >= interval ''1 month'' OR kk = ''k1k1''', 'SELECT id, x FROM (SELECT id, coalesce(ts - lag(ts) OVER (PARTITION BY p ORDER BY id), interval ''36 hours'') AS x FROM (SELECT *, d + interval ''29 days'' * v AS ts FROM reduced OFFSET 0) AS r) AS q WHERE x > interval ''30 hours''', 'SELECT id FROM # WHERE silence <> span AND silence > interval ''-1 year''', 'SELECT count(*) FROM (SELECT ts - lag(ts) OVER (ORDER BY id) > interval ''1 mon'' OR v = 3 AS x FROM (SELECT *, d + interval ''29 days'' * v AS ts FROM reduced OFFSET 0) AS r) AS q WHERE x', 'SELECT id FROM # WHERE flag AND starts > 1', 'SELECT id FROM # WHERE gap = days', 'SELECT id, seven FROM # WHERE span = NULL::interval OR kk IS NULL',
  'SELECT count(gap), sum(gap), min(big), max(ratio), avg(before), sum(starts), bool_or(flag), max(silence), min(days), sum(seven), sum(session) FROM #', 'SELECT p, k, count(gap), sum(gap), min(big), max(ratio), avg(before), sum(starts), max(silence), avg(dn), sum(session) FROM # WHERE days < 40 GROUP BY p, k', 'SELECT p, sum(dn), sum(ratio) FROM # WHERE starts = 1 GROUP BY p', 'SELECT count(*) FILTER (WHERE gap > 2), sum(gap) FILTER (WHERE flag) FROM #',
  'SELECT count(*), max(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) - count(*) OVER (ORDER BY t, id) AS x FROM reduced) AS q WHERE x < 9', 'SELECT max(x) FROM (SELECT p, sum(v) - lag(sum(v)) OVER (ORDER BY p) AS x FROM reduced GROUP BY p) AS q WHERE x IS NOT NULL', 'SELECT sum(x) FROM (SELECT p + 1 + sum(v) OVER (PARTITION BY p + 1 ORDER BY id) AS x FROM reduced) AS q WHERE x > 5',
  'SELECT count(*) FROM (SELECT now() AS x, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE x IS NOT NULL AND s > 7', 'SELECT count(x) FROM (SELECT current_date - date ''2024-01-01'' > 3 AS x, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE x AND s > 3',
-- errors of these columns, with those of conditions, arguments and transitions; one of a column that nothing reads
  'SELECT count(*) FROM (SELECT 10 / (lag(id) OVER (ORDER BY id) - 2000) AS x FROM reduced) AS q WHERE x > 0', 'SELECT sum(x) FROM (SELECT v8 * 9000000 * lag(v8) OVER (ORDER BY id) AS x FROM reduced) AS q', 'SELECT p, sum(x) FROM (SELECT p, (v8 * 200)::int - lag(v) OVER (PARTITION BY p ORDER BY id) AS x FROM reduced) AS q GROUP BY p', 'SELECT id, x FROM (SELECT id, 10 / (lag(id) OVER w - 1500) AS x, sqrt(1400 - lag(id) OVER w) AS y FROM reduced WINDOW w AS (ORDER BY id)) AS q WHERE x < 3 AND y >= 0',
  'SELECT id, x FROM (SELECT id, 10 / (lag(id) OVER w - 1500) AS x FROM reduced WINDOW w AS (ORDER BY id)) AS q WHERE x < 3 AND sqrt(1400 - id) >= 0', 'SELECT id, x FROM (SELECT id, 10 / (lag(id) OVER w - 1300) AS x FROM reduced WINDOW w AS (ORDER BY id)) AS q WHERE x < 3 AND sqrt(1400 - id) >= 0', 'SELECT sum(f * 1e308), max(x) FROM (SELECT f, 10 / (lag(id) OVER w - 2) AS x FROM reduced WINDOW w AS (ORDER BY id)) AS q', 'SELECT sum(f * 1e308), max(x) FROM (SELECT f, 10 / (lag(id) OVER w - 2999) AS x FROM reduced WINDOW w AS (ORDER BY id)) AS q',
  'SELECT sum(sqrt(1000 - id)) FROM (SELECT id, 10 / (lag(id) OVER w - 2000) AS x FROM reduced WINDOW w AS (ORDER BY id)) AS q WHERE x IS NOT NULL', 'SELECT count(*) FROM (SELECT sum(v) OVER w AS s FROM reduced WINDOW w AS (ORDER BY id), u AS (ORDER BY 10 / (id - 2000))) AS q WHERE s > 3', 'SELECT max(x) FROM (SELECT CASE WHEN lag(v) OVER w <> 0 THEN 100 / lag(v) OVER w END AS x FROM reduced WINDOW w AS (ORDER BY id)) AS q', 'SELECT max(x) FROM (SELECT CASE WHEN lag(v) OVER w <> 1 THEN 100 / lag(v) OVER w END AS x FROM reduced WINDOW w AS (ORDER BY id)) AS q',
  'SELECT max(x) FROM (SELECT coalesce(lag(v) OVER w, 1 / v) AS x FROM reduced WINDOW w AS (ORDER BY id)) AS q', 'SELECT count(*) FROM (SELECT exp(sum(v) OVER (ORDER BY id)) AS x FROM reduced) AS q WHERE x > 5', 'SELECT count(*) FROM (SELECT 1.0 / (lag(id) OVER (ORDER BY id) - 5) AS x FROM reduced) AS q WHERE x > (SELECT sqrt(count(*) - 3001)::numeric FROM reduced)', 'SELECT id FROM (SELECT id, num / (lag(v) OVER (ORDER BY id) - 9) AS x FROM reduced) AS q WHERE x > (SELECT 1 / (count(*) - 3000) FROM reduced)',
-- and what is left to core: it belongs to the subquery, or has to be computed once for each row
  'SELECT count(*) FROM (SELECT sum(v) OVER (ORDER BY id) + (SELECT max(few) FROM reduced) AS s FROM reduced) AS q WHERE s > 3', 'SELECT z, (SELECT count(*) FROM (SELECT sum(v) OVER (ORDER BY id) + z AS s FROM reduced) AS q WHERE s > 100) FROM generate_series(1, 3) AS z', 'SELECT count(*) FROM (SELECT random() + sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE s > -1']) AS q;
UPDATE questions SET node = pg_temp.reduces(query);
SELECT node, count(*) FROM questions GROUP BY node ORDER BY node;
SELECT asked FROM questions WHERE node <> 'reduces' ORDER BY n;
SELECT asked, pg_temp.answer('off', query) AS core, pg_temp.answer('force', query) AS node FROM questions WHERE pg_temp.answer('off', query) IS DISTINCT FROM pg_temp.answer('force', query);
SET scan.work_mem = '64kB';
SELECT asked FROM questions WHERE pg_temp.answer('off', query) IS DISTINCT FROM pg_temp.answer('force', query);
RESET scan.work_mem;
-- they are of both kinds
SELECT count(*) FILTER (WHERE pg_temp.answer('off', query) ~ '^[0-9A-Z]{5} ') BETWEEN 15 AND 40 AS "some fail" FROM questions;

-- a row that LIMIT does not reach raises no error
SELECT id, s FROM (SELECT id, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE 10 / (id - 4) < 100 LIMIT 2;
SELECT id, s FROM (SELECT id, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE 10 / (id - 4) < 100 LIMIT 4;
SELECT id, x FROM (SELECT id, 10 / (lag(id) OVER (ORDER BY id) - 4) AS x FROM reduced) AS q WHERE x > -9 LIMIT 2;
SELECT id, x FROM (SELECT id, 10 / (lag(id) OVER (ORDER BY id) - 4) AS x FROM reduced) AS q WHERE x > -9 LIMIT 4;
SELECT id, x FROM (SELECT id, round(10 / (lag(id) OVER (ORDER BY id) - 4.0)) AS x FROM reduced) AS q WHERE x > -9 LIMIT 2;
-- float sums from left to right in the window's order, the largest value first or last
SELECT sum(x), avg(x) FROM (SELECT x, row_number() OVER (ORDER BY o) AS n FROM (VALUES (1, 1e16::float8), (2, 1), (3, 1), (4, -1e16)) AS z (o, x) OFFSET 0) AS q;
SELECT sum(x), avg(x) FROM (SELECT x, row_number() OVER (ORDER BY o) AS n FROM (VALUES (1, 1::float8), (2, 1), (3, 1e16), (4, -1e16)) AS z (o, x) OFFSET 0) AS q;

-- a cursor, forward and from the start again
BEGIN;
DECLARE part SCROLL CURSOR FOR SELECT id, s FROM (SELECT id, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE s % 10 = 0;
FETCH 2 FROM part;
MOVE ABSOLUTE 0 FROM part;
FETCH 3 FROM part;
COMMIT;
-- comparisons of all types for which there are loops: with another column, a value, what a subquery returns, and NULLs
CREATE TABLE kinds AS
SELECT i AS id, x::int2 AS i2, y AS i4, (x * 5000000000)::int8 AS i8, (y / 4.0)::float4 AS f4, CASE x WHEN 2 THEN 'NaN' ELSE x / 4.0 END::float8 AS f8,
       x::money AS c, x > 1 AS b, y > 0 AS b2, chr(66 + x)::"char" AS ch, (5 + x)::oid AS o, ('0/' || 5 + y)::pg_lsn AS lsn, (5 + x)::text::xid8 AS x8,
       date '2024-01-01' + x AS d, date '2024-01-01' + y AS d2, timestamp '2024-01-01' + x * interval '1 day' AS t,
       timestamptz '2024-01-01' + y * interval '1 day' AS tz, time '12:00' + x * interval '1 hour' AS h,
       CASE y WHEN 3 THEN 'NaN' ELSE y * 1.5 END::numeric AS n, x * 1.50 AS n2, x * interval '1 month' AS iv,
       CASE WHEN y = 2 THEN '170000000 years' ELSE y * interval '30 days' END AS iv2
FROM (SELECT i, nullif(i % 6, 5) - 2 AS x, nullif(i % 7, 6) - 3 AS y FROM generate_series(1, 200) AS i) AS z;
CREATE TABLE compared AS
SELECT format('SELECT count(*), sum(id) FROM (SELECT *, sum(id) OVER (ORDER BY id) AS s FROM kinds) AS q WHERE s > 3 AND %s %s %s', a, op, b) AS query
FROM unnest('{i2,i4,i8}'::text[]) AS a, unnest('{i2,i4,i8,1::int2,2,5000000000,(SELECT 1)}'::text[]) AS b, unnest('{<,<=,=,>=,>,<>}'::text[]) AS op
UNION ALL SELECT format('SELECT count(*), sum(id) FILTER (WHERE %s %s %s) FROM (SELECT *, sum(id) OVER (ORDER BY id) AS s FROM kinds) AS q WHERE s > 3', a, op, b)
FROM (VALUES ('f4', 'f8'), ('f8', 'f4'), ('f8', '''NaN'''), ('f4', '0.25::float4'), ('c', 'c'), ('c', '1::money'), ('b', 'b2'), ('b', 'true'), ('ch', '''B'''), ('o', '6::oid'),
      ('lsn', '''0/5'''), ('x8', '''6'''), ('d', 'd2'), ('d', '''2024-01-02'''), ('t', '''2024-01-02'''), ('tz', '(SELECT max(tz) FROM kinds)'), ('h', '''12:00'''), ('n', 'n2'),
      ('n2', '1.5'), ('1.5', 'n'), ('n', '''NaN'''), ('n', '(SELECT 1.5)'), ('iv', 'iv2'), ('iv', '''30 days'''), ('iv2', '(SELECT interval ''1 mon'')'), ('i4', 'NULL::int'),
      ('n', 'NULL')) AS z (a, b), unnest('{<,<=,=,>=,>,<>}'::text[]) AS op;
SELECT pg_temp.reduces(query) AS node, count(*), count(DISTINCT pg_temp.answer('off', query)) > 30 AS "many answers" FROM compared GROUP BY 1;
SELECT query, pg_temp.answer('off', query), pg_temp.answer('force', query) FROM compared WHERE pg_temp.answer('off', query) IS DISTINCT FROM pg_temp.answer('force', query);

-- rows that EvalPlanQual may ask for again, and what else is left to core
SET scan.device = cpu;
EXPLAIN (COSTS OFF) SELECT z.id FROM reduced AS z JOIN (SELECT id, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q USING (id) WHERE q.s > 3 FOR UPDATE OF z;
EXPLAIN (COSTS OFF) UPDATE reduced SET v = 0 FROM (SELECT id, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE q.id = reduced.id AND q.s < 0;
RESET scan.device;
SET scan.reduce = off;
SET scan.device = cpu;
EXPLAIN (COSTS OFF) SELECT count(s) FROM (SELECT sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE s > 3;
RESET scan.device;
RESET scan.reduce;

-- by costs, too; in several processes core combines the results, or gathers whole groups
RESET scan.prefixscan;
SET scan.device = cpu;
EXPLAIN (COSTS OFF) SELECT count(s) FROM (SELECT sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE s > 3;
RESET scan.device;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET scan.prefixscan = force;
SET scan.reduce = force;
SET scan.device = cpu;
EXPLAIN (COSTS OFF) SELECT count(*), sum(n), max(d) FROM (SELECT d, v AS n, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM reduced) AS q WHERE s > 3;
EXPLAIN (COSTS OFF) SELECT k, g, avg(s) FROM (SELECT g, k, sum(v) OVER (PARTITION BY g, k ORDER BY id) AS s FROM reduced) AS q GROUP BY k, g;
RESET scan.device;
-- (a Gather computes the value of a subquery of an expression before any row asks for it)
SELECT asked FROM questions WHERE asked !~ 'f\)|f |l\)|float|big|ratio|sqrt|-1 AND n|string_agg' AND pg_temp.answer('off', query) IS DISTINCT FROM pg_temp.answer('force', query);
-- sums and averages whose transition values are not their results: core gets these, serialized, and combines them
CREATE TABLE far AS
SELECT i AS id, i % 60 AS g, (i % 9 - 4)::int2 AS i2, nullif(i % 11, 10) AS i4, 9223372036854775807 - i % 3 AS high, -9223372036854775807 - i % 2 AS low, (i % 7 - 3) * 2666666666666666666 AS near,
       round(i / 8.0, i % 6) AS num, CASE WHEN i % 5 < 2 THEN i % 5 * 1e40 - 1e-30 END AS wide, CASE WHEN i % 60 = 7 THEN 9.9e131071 WHEN i % 60 = 8 THEN -9.9e131071 ELSE 0.25 END AS huge,
       CASE WHEN i % 60 = 7 THEN 'NaN' ELSE 1.0 END::numeric AS nan, CASE WHEN i % 60 = 7 THEN 'Infinity' WHEN i % 60 = 8 THEN '-Infinity' ELSE 1.50 END::numeric AS inf, NULL::numeric AS nothing, repeat('1', 5000)::numeric AS toasted
FROM generate_series(1, 1200) AS i;
CREATE TABLE sums (n int GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO sums (query) SELECT replace(q, '@', '(SELECT *, sum(i4) OVER (PARTITION BY g ORDER BY id) AS s FROM far) AS q') FROM unnest(ARRAY[
  'SELECT avg(i2), avg(i4), avg(s), sum(s), sum(high), avg(high), sum(low), avg(low), sum(near), avg(near) FROM @', 'SELECT sum(high), sum(low), sum(near), avg(near) FROM @ WHERE s > 40 AND id % 2 = 0',
  'SELECT sum(num), avg(num), sum(wide), avg(wide), sum(toasted), avg(toasted) FROM @ WHERE s > 3', 'SELECT sum(num) - sum(num), sum(num - num), avg(num) * 0, sum(wide) FILTER (WHERE id < 40), avg(wide) FILTER (WHERE g = 5) FROM @ WHERE s IS NOT NULL', 'SELECT avg(num), sum(num), avg(i2), count(*) FROM @ WHERE s > 3 AND id = 77',
  'SELECT sum(huge), avg(huge) FROM @ WHERE s > -1 AND id <= 60', 'SELECT sum(huge) FROM @ WHERE s > -1', 'SELECT sum(huge) FROM @ WHERE s > -1 AND g <> 8', 'SELECT avg(huge) FROM @ WHERE s > -1 AND g <> 7',
  'SELECT sum(nan), avg(nan), sum(inf), avg(inf) FROM @ WHERE s > 3', 'SELECT sum(inf), avg(inf) FROM @ WHERE s > 3 AND g <> 8', 'SELECT sum(inf), avg(inf) FROM @ WHERE s > 3 AND g <> 7', 'SELECT sum(inf), avg(inf) FROM @ WHERE s > 3 AND g NOT IN (7, 8)',
  'SELECT sum(nothing), avg(nothing), sum(high) FILTER (WHERE s < -1), avg(i4) FILTER (WHERE s < -1), avg(low) FILTER (WHERE i4 IS NULL AND s < -1) FROM @', 'SELECT sum(num), avg(num), sum(high), avg(high), avg(i2), count(*) FROM @ WHERE s < -1', 'SELECT sum(num), avg(num), sum(high), avg(high), avg(i2), count(*) FROM @ WHERE g = 12 AND s > 3',
  'SELECT avg(i4) + sum(high), avg(num) FROM @ WHERE s > 3 HAVING avg(near) > -7e17 AND sum(low) < 0', 'SELECT avg(i4) FROM @ WHERE s > 3 HAVING avg(num) IS NULL',
  'SELECT sum(10 / (id - 700)), avg(high + 1) FROM @ WHERE s > 3']) AS q;
SET scan.device = cpu;
EXPLAIN (COSTS OFF) SELECT avg(i2), avg(i4), sum(high), avg(low), sum(num) FILTER (WHERE i4 > 3), avg(num) FROM (SELECT *, sum(i4) OVER (PARTITION BY g ORDER BY id) AS s FROM far) AS q WHERE s > 3;
RESET scan.device;
SELECT count(*) FILTER (WHERE plan LIKE 'Finalize Aggregate%Gather%WindowReduce%PARTIAL%Parallel Custom Scan (PrefixScan)%') AS combined, count(*) FROM sums, LATERAL pg_temp.plan(query) AS plan;
SELECT query, pg_temp.answer('off', query) AS core, pg_temp.answer('force', query) AS node FROM sums WHERE pg_temp.answer('off', query) IS DISTINCT FROM pg_temp.answer('force', query);
-- in workers alone, so that a process has all rows or none, and in core's own plan for one process
SET parallel_leader_participation = off;
SELECT query, pg_temp.answer('off', query) AS core, pg_temp.answer('force', query) AS node FROM sums WHERE pg_temp.answer('off', query) IS DISTINCT FROM pg_temp.answer('force', query);
RESET parallel_leader_participation;
CREATE TABLE answers AS SELECT n, query, pg_temp.answer('force', query) AS node FROM sums;
SET max_parallel_workers_per_gather = 0;
SELECT query, node, pg_temp.answer('off', query) AS core FROM answers WHERE node IS DISTINCT FROM pg_temp.answer('off', query);
SET max_parallel_workers_per_gather = 2;
SELECT n, node FROM answers WHERE length(node) < 400 ORDER BY n;
DROP TABLE far, sums, answers;
-- sums and averages of floats are not divided among processes
SET scan.device = cpu;
EXPLAIN (COSTS OFF) SELECT avg(f) FROM (SELECT f, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM reduced) AS q WHERE s > 3;
EXPLAIN (COSTS OFF) SELECT sum(f) FROM (SELECT f, sum(v) OVER (PARTITION BY p, k ORDER BY id) AS s FROM reduced) AS q WHERE s > 3;
RESET scan.device;
-- exact ones are, and rows may come in any order; one that begins with a state, or whose groups have another function, is left to core
CREATE TABLE exacts AS SELECT i AS id, nullif(i % 11, 10) AS v, i % 60 AS g, CASE i % 83 WHEN 0 THEN '-0' WHEN 1 THEN NULL WHEN 2 THEN 1e308 WHEN 3 THEN -1e308 ELSE i / 7.0 END::float8 AS f FROM generate_series(1, 1200) AS i;
ANALYZE exacts;
CREATE AGGREGATE begun(float8) (SFUNC = exact_add_float8, STYPE = exact_state, FINALFUNC = exact_final_sum_float8, INITCOND = '\x00000000000000010000000000000000000000000000000000000000000000000000000000000000110100000000000000010000',
  MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, MSTYPE = exact_state, MFINALFUNC = exact_final_sum_float8);
CREATE AGGREGATE squared(float8) (SFUNC = exact_add_square, STYPE = exact_state, FINALFUNC = exact_final_avg, COMBINEFUNC = exact_combine, PARALLEL = SAFE,
  MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, MSTYPE = exact_state, MFINALFUNC = exact_final_avg);
SET scan.device = cpu;
EXPLAIN (COSTS OFF) SELECT exact_avg(f), exact_corr(f, v), exact_kurtosis(f), exact_sum(f) FROM (SELECT *, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM exacts) AS q WHERE s > 3;
EXPLAIN (COSTS OFF) SELECT begun(f) FROM (SELECT *, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM exacts) AS q WHERE s > 3;
EXPLAIN (COSTS OFF) SELECT squared(f) FROM (SELECT *, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM exacts) AS q WHERE s > 3;
RESET scan.device;
SELECT query FROM (SELECT replace(q, '@', '(SELECT *, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM exacts) AS q WHERE s > 3') AS query FROM unnest(ARRAY[
  'SELECT exact_avg(f), exact_corr(f, v), exact_kurtosis(f), exact_sum(f) FROM @', 'SELECT g, exact_sum(f), exact_var_pop(f), exact_sum(f::real) FILTER (WHERE abs(f) < 1e30), exact_sum(v), exact_avg(v::bigint) FROM @ GROUP BY g', 'SELECT begun(f), squared(v) FROM @',
  'SELECT exact_sum(f) FROM @ AND id % 83 <> 3', 'SELECT exact_skewness(v), exact_covar_samp(v, f), exact_regr_slope(f, f) FROM @ AND f IS NULL', 'SELECT v, exact_sum(f), exact_weighted_avg(f, v) FROM @ AND abs(f) < 1e30 GROUP BY v ORDER BY v']) AS q) AS asked
WHERE pg_temp.answer('off', query) IS DISTINCT FROM pg_temp.answer('force', query) OR pg_temp.answer('off', query) IS NULL;
-- core takes one transition value for several statistics of the same pair, whichever is the first
SELECT exact_covar_pop(y, x) IS NOT NULL AS covar, exact_corr(y, x) IS NOT NULL AS corr, exact_regr_slope(y, x) IS NOT NULL AS slope FROM (SELECT f AS y, id::float8 AS x, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM exacts) AS q WHERE s > 3 AND abs(y) < 1e30;
-- an aggregate of ours over a domain
CREATE DOMAIN amount AS float8;
CREATE AGGREGATE amounts(amount) (SFUNC = exact_add_float8, STYPE = exact_state, FINALFUNC = exact_final_sum_float8, COMBINEFUNC = exact_combine, MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, MSTYPE = exact_state, MFINALFUNC = exact_final_sum_float8, PARALLEL = SAFE);
SELECT amounts(f::amount) = exact_sum(f) AS "the same" FROM (SELECT *, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM exacts) AS q WHERE s > 3 AND abs(f) < 1e30;
SELECT bool_and(a IS NOT DISTINCT FROM e AND m IS NOT DISTINCT FROM n) AS "the same" FROM (SELECT amounts(f::amount) OVER w AS a, exact_sum(f) OVER w AS e, amounts(f::amount) OVER (w ROWS 3 PRECEDING) AS m, exact_sum(f) OVER (w ROWS 3 PRECEDING) AS n FROM exacts WHERE abs(f) < 1e30 WINDOW w AS (PARTITION BY g ORDER BY id)) AS q;
DROP AGGREGATE amounts(amount);
DROP DOMAIN amount;
-- a function of an aggregate that changes makes a cached plan stale
SET plan_cache_mode = force_generic_plan;
PREPARE stale AS SELECT exact_avg(f) FROM (SELECT *, sum(v) OVER (PARTITION BY g ORDER BY id) AS s FROM exacts) AS q WHERE s > 3 AND abs(f) < 1e30;
EXECUTE stale;
ALTER FUNCTION exact_remove_float8(exact_state, float8) VOLATILE;
EXECUTE stale;
ALTER FUNCTION exact_remove_float8(exact_state, float8) IMMUTABLE;
EXECUTE stale;
DEALLOCATE stale;
RESET plan_cache_mode;
DROP AGGREGATE begun(float8), squared(float8);
DROP TABLE exacts;
RESET max_parallel_workers_per_gather;
SET max_parallel_workers_per_gather = 0;

-- a generic plan: parameters, a NULL, and a table that changes
PREPARE above (bigint, int) AS SELECT p, count(*), max(s) FROM (SELECT p, id AS n, sum(v8) OVER (PARTITION BY p ORDER BY id) AS s FROM reduced) AS q WHERE s > $1 AND n < $2 GROUP BY p HAVING count(*) > $2 - 2990 ORDER BY p;
SET plan_cache_mode = force_generic_plan;
EXECUTE above (600, 2999);
EXECUTE above (NULL, 3000);
ALTER TABLE reduced ADD more int, DROP few;
EXECUTE above (600, 2000);
DROP TABLE none;
CREATE INDEX ON reduced (p, id) INCLUDE (v8);
EXECUTE above (1400000000000, 2999);
SET scan.device = cpu;
EXPLAIN (COSTS OFF) EXECUTE above (1, 2);
RESET scan.device;
DEALLOCATE above;
RESET ALL;

-- a view that hides rows: a function that leaks sees none of them
CREATE VIEW hidden WITH (security_barrier) AS SELECT id, s FROM (SELECT id, p, sum(v) OVER (ORDER BY id) AS s FROM reduced) AS q WHERE p = 3 AND s < 100;
CREATE FUNCTION leak(bigint) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE NOTICE 'leaked %', $1; RETURN true; END $$;
SELECT * FROM hidden WHERE leak(s);
DROP VIEW hidden;
DROP FUNCTION leak;
DROP TABLE reduced, questions;
