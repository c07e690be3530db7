-- hard.sql: recurrences of the values that are hard to prove, beside those that are not: what a
-- row takes in PrefixScan, its scan and its order included.
--
--   test/cluster.sh psql -X -q -f test/bench/hard.sql
--
-- The cells take turns; medians of 5.  Values: random numbers; zeros; a 1 every thousand rows
-- and zeros between, so that answers die away; e^(-i/50), which dies away itself; whole
-- numbers, whose answers tie; prices in cents.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS scan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
LOAD 'scan';
SET scan.prefixscan = force;
CREATE TEMP TABLE series AS
SELECT i, sin(hashint4(i)) AS random, 0::float8 AS zeros, (i % 1000 = 0)::int::float8 AS bursts,
       exp(greatest(-i / 50::float8, -700)) AS decay, (hashint4(i) % 1000)::float8 AS whole,
       round((100 + 10 * sin(i / 50.0))::numeric, 2)::float8 AS cents, ARRAY[1.2 + 0.1 * sin(i), -0.4] AS swinging
FROM generate_series(1, 200000) AS i;
VACUUM ANALYZE series;

CREATE TEMP TABLE call (row_number int GENERATED ALWAYS AS IDENTITY, call text);
INSERT INTO call (call) VALUES
    ('scan_sum(x)'), ('scan_ema(x, 0.1)'), ('scan_ema(x, 0.25, adjust => true)'), ('scan_recurrence(0.999, x)'),
    ('scan_recurrence(''{1,-0.5}''::float8[], x, ''{0,0}'')'), ('scan_recurrence(swinging, x, ''{0,0}'')'),
    ('scan_filter(x, ''{0.0675,0.1349,0.0675}'', ''{1,-1.143,0.4128}'')'), ('scan_clamped_sum(x, 0, 100)');
CREATE TEMP TABLE took (call text, column_name text, ns float8);
DO $$
DECLARE c record; x text; started timestamptz;
BEGIN
    FOR round IN 1 .. 5 LOOP
        FOR c IN SELECT * FROM call LOOP
            FOREACH x IN ARRAY '{random,zeros,bursts,decay,whole,cents}'::text[] LOOP
                started := clock_timestamp();
                EXECUTE format('SELECT count(y) FROM (SELECT %s OVER (ORDER BY i) AS y FROM (SELECT i, swinging, %I AS x FROM series) AS s OFFSET 0) AS s', c.call, x);
                INSERT INTO took VALUES (c.call, x, extract(epoch FROM clock_timestamp() - started) * 1e9 / 200000);
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
CREATE TEMP VIEW median AS
SELECT call, column_name, percentile_cont(0.5) WITHIN GROUP (ORDER BY ns)::int AS ns FROM took GROUP BY call, column_name;
SELECT call, max(ns) FILTER (WHERE column_name = 'random') AS random, max(ns) FILTER (WHERE column_name = 'zeros') AS zeros,
       max(ns) FILTER (WHERE column_name = 'bursts') AS bursts, max(ns) FILTER (WHERE column_name = 'decay') AS decay,
       max(ns) FILTER (WHERE column_name = 'whole') AS whole, max(ns) FILTER (WHERE column_name = 'cents') AS cents
FROM median JOIN call USING (call) GROUP BY call, row_number ORDER BY row_number;
