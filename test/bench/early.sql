-- early.sql: what it costs to pull rows that may raise an error one by one, as WindowAgg does.
--
--   test/cluster.sh psql -X -q -f test/bench/early.sql
--
-- WHERE x * 2 > ... may overflow at any row.  Four arms take turns: WindowAgg; PrefixScan where
-- all rows will be read; PrefixScan below a LIMIT, which pulls rows one by one; and the same
-- LIMIT over rows that cannot fail.  Medians of 5.  No row is left out or sent.  Rows come in
-- the order of the table, or of an index.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS scan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET enable_sort = off;
SET enable_bitmapscan = off;
LOAD 'scan';
CREATE TEMP TABLE series AS SELECT i AS id, hashint4(i) % 1000 AS x, i / 100 AS p FROM generate_series(1, 1000000) AS i;
CREATE INDEX ON series (p, id);
VACUUM ANALYZE series;

CREATE TEMP TABLE call (row_number int GENERATED ALWAYS AS IDENTITY, call text);
INSERT INTO call (call) VALUES
    ('row_number() OVER ()'), ('sum(x) OVER (ROWS UNBOUNDED PRECEDING)'), ('sum(x) OVER (PARTITION BY p ORDER BY id)'),
    ('count(*) OVER (PARTITION BY p)'), ('lag(x) OVER (PARTITION BY p ORDER BY id), scan_sum(x) OVER (PARTITION BY p ORDER BY id)');
CREATE TEMP TABLE arm (arm text, node text, query text);
INSERT INTO arm VALUES
    ('core', 'off', 'SELECT %s FROM series WHERE x * 2 > -5000'), ('all', 'force', 'SELECT %s FROM series WHERE x * 2 > -5000'),
    ('limit', 'force', 'SELECT %s FROM series WHERE x * 2 > -5000 LIMIT 999999999'), ('safe', 'force', 'SELECT %s FROM series WHERE x > -5000 LIMIT 999999999');
CREATE TEMP TABLE took (call text, arm text, ns float8);
DO $$
DECLARE c record; a record; plan json;
BEGIN
    FOR round IN 1 .. 5 LOOP
        FOR c IN SELECT * FROM call LOOP
            FOR a IN SELECT * FROM arm LOOP
                PERFORM set_config('scan.prefixscan', a.node, false);
                EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || format(a.query, c.call) INTO plan;
                INSERT INTO took VALUES (c.call, a.arm, (plan -> 0 ->> 'Execution Time')::float8 * 1e6 / 1e6);
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
CREATE TEMP VIEW median AS
SELECT call, arm, percentile_cont(0.5) WITHIN GROUP (ORDER BY ns)::int AS ns FROM took GROUP BY call, arm;
SELECT call, max(ns) FILTER (WHERE arm = 'core') AS "WindowAgg", max(ns) FILTER (WHERE arm = 'all') AS "no LIMIT",
       max(ns) FILTER (WHERE arm = 'limit') AS "one by one", max(ns) FILTER (WHERE arm = 'safe') AS "cannot fail"
FROM median JOIN call USING (call) GROUP BY call, row_number ORDER BY row_number;
