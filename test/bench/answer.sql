-- answer.sql: what a function costs a row in PrefixScan beside its input and its output.
--
--   test/cluster.sh psql -X -q -f test/bench/answer.sql
--
-- `answer` of EXPLAIN (ANALYZE): five million rows by 1,000 partitions, in memory, one process; the least of three.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS scan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
LOAD 'scan';
SET scan.work_mem = '2GB';
CREATE TEMP TABLE series AS
SELECT i AS id, hashint4(i) % 1000 AS p, hashint4(i + 7) AS i4, hashint8(i + 7)::int8 * 1000 AS i8, hashint4(i + 9)::float8 AS f8, hashint4(i) % 3 = 0 AS b
FROM generate_series(1, 5000000) AS i;
VACUUM ANALYZE series;
CREATE TEMP TABLE call (row_number int GENERATED ALWAYS AS IDENTITY, call text);
INSERT INTO call (call)
SELECT format('%s OVER (%s)', f, w)
FROM (VALUES ('PARTITION BY p ORDER BY id'), ('PARTITION BY p')) AS w (w),
     (VALUES ('count(*)'), ('sum(i4)'), ('max(i4)'), ('sum(f8)'), ('avg(f8)'), ('sum(i8)'), ('avg(i4)'), ('sum(i4) FILTER (WHERE b)'), ('scan_sum(i8)')) AS f (f);
INSERT INTO call (call)
SELECT format('%s OVER (PARTITION BY p ORDER BY id ROWS %s PRECEDING)', f, n) FROM (VALUES ('max(i4)'), ('min(f8)'), ('sum(i4)'), ('sum(f8)')) AS f (f), (VALUES (9), (99)) AS n (n);
CREATE TEMP TABLE took (call text, ns float8);
DO $$
DECLARE c record; plan json;
BEGIN
    FOR round IN 1 .. 3 LOOP
        FOR c IN SELECT * FROM call LOOP
            EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) SELECT ' || c.call || ' FROM series' INTO plan;
            INSERT INTO took VALUES (c.call, (plan -> 0 -> 'Plan' ->> 'Answer Time')::float8 * 1e6 / 5e6);
        END LOOP;
    END LOOP;
END $$;
SELECT call, round(min(ns)::numeric, 1) AS "answer, ns a row" FROM took JOIN call USING (call) GROUP BY call, row_number ORDER BY row_number;
