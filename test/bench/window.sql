-- window.sql: what a row of scan_sum costs beside stock sum(), in one run.
--
--   test/cluster.sh psql -X -q -f test/bench/window.sql
--
-- Five million rows in heap order, one partition, no sort: the arithmetic and the
-- calls stand out as far as they ever do.  Arms are interleaved, medians of 9
-- rounds; stock runs at the best of three settings of work_mem, chosen by its own
-- medians.  `row_number()` is the floor: the node, with a function that does next
-- to nothing.  count() above keeps the rows from being sent anywhere.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS scan;
LOAD 'scan';
SET scan.prefixscan = off; -- the functions alone; queries.py has the node
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;

CREATE TEMP TABLE rows AS
SELECT (i * 7919 % 100003)::int4 AS a_int4,
       (i * 7919 % 100003)::int8 AS a_int8,
       random() AS a_float8,
       round((random() * 1000)::numeric, 2) AS a_numeric
FROM generate_series(1::int8, 5000000) i;
ANALYZE rows;
SELECT count(*) AS rows FROM rows;

CREATE TEMP TABLE arm (arm text, call text, work_mem text);
INSERT INTO arm VALUES ('row_number', 'row_number()', '64MB');
INSERT INTO arm SELECT 'sum ' || t, format('sum(a_%s)', t), m
FROM unnest('{int4,int8,float8,numeric}'::text[]) t, unnest('{4MB,64MB,2GB}'::text[]) m;
INSERT INTO arm SELECT 'scan_sum ' || t, format('scan_sum(a_%s)', t), '64MB'
FROM unnest('{int4,int8,float8,numeric}'::text[]) t;

CREATE TEMP TABLE took (arm text, work_mem text, ns float8);
DO $$
DECLARE
    a record;
    started timestamptz;
BEGIN
    FOR round IN 0..9 LOOP
        FOR a IN SELECT * FROM arm LOOP
            PERFORM set_config('work_mem', a.work_mem, true);
            started := clock_timestamp();
            EXECUTE format('SELECT count(r) FROM (SELECT %s OVER (ROWS UNBOUNDED PRECEDING) r FROM rows OFFSET 0) s', a.call);
            IF round > 0 THEN   -- the first is for the caches
                INSERT INTO took VALUES (a.arm, a.work_mem, extract(epoch FROM clock_timestamp() - started) * 1e9 / 5e6);
            END IF;
        END LOOP;
    END LOOP;
END
$$;

\echo ns per row, median (and least) of 9; stock at its best work_mem
WITH median AS (
    SELECT arm, work_mem, percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) AS ns, min(ns) AS least
    FROM took GROUP BY arm, work_mem
), best AS (
    SELECT DISTINCT ON (arm) * FROM median ORDER BY arm, ns
)
SELECT t AS type,
       round(s.ns) || ' (' || round(s.least) || ')' AS "sum()", s.work_mem AS "at work_mem",
       round(o.ns) || ' (' || round(o.least) || ')' AS "scan_sum()",
       round((s.ns / o.ns)::numeric, 2) AS "times as fast",
       round(f.ns) AS "row_number()"
FROM unnest('{int4,int8,float8,numeric}'::text[]) t
     JOIN best s ON s.arm = 'sum ' || t
     JOIN best o ON o.arm = 'scan_sum ' || t
     JOIN best f ON f.arm = 'row_number';
