-- node.sql: whole window queries by PrefixScan beside WindowAgg, in one run.
--
--   SCAN_CLUSTER_CONF='shared_buffers=2GB' test/cluster.sh psql -X -q -f test/bench/node.sql
--
-- Core at work_mem 4MB, 64MB and 2GB, the node at scan.work_mem 1GB; the arms take
-- turns, twice, the better time counts.  count() keeps the rows here.  -v rows=N for
-- another size.
\set ON_ERROR_STOP on
\if :{?rows}
\else
    \set rows 5000000
\endif
CREATE EXTENSION IF NOT EXISTS scan;
LOAD 'scan';
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET scan.work_mem = '1GB';
CREATE TABLE bench_node AS
SELECT i::int8 AS id, (i % 1000)::int4 AS p1k, (hashint8(i) & 1048575)::int4 AS p1m,
       timestamptz '2024-01-01' + (hashint8(i + 7)::int8 & 2147483647) * interval '1 millisecond' AS ts,
       (i % 1000)::int8 AS v8, (i % 1000)::int4 AS v4, i * 0.01::float8 AS f8, (i % 100000) / 100.0 AS num
FROM generate_series(1, :rows) AS i;
CREATE INDEX ON bench_node (id);
VACUUM ANALYZE bench_node;

CREATE TEMP TABLE query (place int, query text, calls text);
INSERT INTO query VALUES
    (1, 'sum(int8) ORDER BY id, by the index', 'sum(v8) OVER (ORDER BY id) AS y'),
    (2, 'sum(int8) ORDER BY ts', 'sum(v8) OVER (ORDER BY ts) AS y'),
    (3, 'sum(int8) PARTITION BY p1k ORDER BY ts', 'sum(v8) OVER (PARTITION BY p1k ORDER BY ts) AS y'),
    (4, 'sum(int8) PARTITION BY p1m ORDER BY ts', 'sum(v8) OVER (PARTITION BY p1m ORDER BY ts) AS y'),
    (5, 'sum(float8) PARTITION BY p1k ORDER BY ts', 'sum(f8) OVER (PARTITION BY p1k ORDER BY ts) AS y'),
    (6, 'sum(numeric) PARTITION BY p1k ORDER BY ts', 'sum(num) OVER (PARTITION BY p1k ORDER BY ts) AS y'),
    (7, 'row_number() PARTITION BY p1k ORDER BY ts', 'row_number() OVER (PARTITION BY p1k ORDER BY ts) AS y'),
    (8, 'lag(int8) PARTITION BY p1k ORDER BY ts', 'lag(v8) OVER (PARTITION BY p1k ORDER BY ts) AS y'),
    (9, 'six functions PARTITION BY p1k ORDER BY ts', 'sum(v8) OVER w AS y, count(*) OVER w AS y2, row_number() OVER w AS y3, min(v4) OVER w AS y4, max(v4) OVER w AS y5, rank() OVER w AS y6'),
    (10, 'scan_sum(float8) ORDER BY id, by the index', 'scan_sum(f8) OVER (ORDER BY id) AS y'),
    (11, 'scan_ema(float8) ORDER BY id, by the index', 'scan_ema(f8, 0.1) OVER (ORDER BY id) AS y');
CREATE TEMP TABLE took (place int, arm text, ms float8);
DO $$
DECLARE
    q record; a record; started timestamptz;
BEGIN
    FOR round IN 1..2 LOOP
        FOR q IN SELECT * FROM query ORDER BY place LOOP
            FOR a IN SELECT * FROM (VALUES ('4MB', 'off', '4MB'), ('64MB', 'off', '64MB'), ('2GB', 'off', '2GB'), ('node', 'force', '64MB')) AS arm(arm, node, work_mem) LOOP
                PERFORM set_config('scan.node', a.node, false), set_config('work_mem', a.work_mem, false);
                started := clock_timestamp();
                EXECUTE 'SELECT count(y) FROM (SELECT ' || q.calls || ' FROM bench_node WINDOW w AS (PARTITION BY p1k ORDER BY ts) OFFSET 0) AS s';
                INSERT INTO took VALUES (q.place, a.arm, extract(epoch FROM clock_timestamp() - started) * 1000);
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
\echo ns a row: core at its best work_mem, the node, and how many times faster it is
SELECT query, round(core * 1e6 / :rows) AS core, at, round(node * 1e6 / :rows) AS node, round((core / node)::numeric, 1) AS times
FROM query JOIN (SELECT place, min(ms) FILTER (WHERE arm <> 'node') AS core, (array_agg(arm ORDER BY ms) FILTER (WHERE arm <> 'node'))[1] AS at,
                        min(ms) FILTER (WHERE arm = 'node') AS node
                 FROM took GROUP BY place) AS t USING (place)
ORDER BY place;
DROP TABLE bench_node;
