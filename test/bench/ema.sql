-- ema.sql: an exponential moving average of a million rows, as scan_ema and as what
-- people write without it, in one run.
--
--   test/cluster.sh psql -X -q -f test/bench/ema.sql
--
-- The arms take turns; medians of 3.  A recursive CTE needs an index to step by, and
-- has one.  All four give the average of the same rows; count() keeps them here.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS scan;
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET work_mem = '256MB';
LOAD 'scan';
CREATE TEMP TABLE series AS SELECT i, sin(i)::float8 AS x FROM generate_series(1, 1000000) i;
ALTER TABLE series ADD PRIMARY KEY (i);
VACUUM ANALYZE series;

CREATE FUNCTION pg_temp.ema_loop() RETURNS SETOF float8 LANGUAGE plpgsql AS $$
DECLARE r record; y float8;
BEGIN
    FOR r IN SELECT x FROM series ORDER BY i LOOP
        y := CASE WHEN y IS NULL THEN r.x ELSE 0.9::float8 * y + 0.1::float8 * r.x END;
        RETURN NEXT y;
    END LOOP;
END $$;
CREATE FUNCTION pg_temp.ema_step(y float8, x float8) RETURNS float8 LANGUAGE plpgsql AS
    'BEGIN RETURN CASE WHEN y IS NULL THEN x ELSE 0.9::float8 * y + 0.1::float8 * x END; END';
CREATE AGGREGATE pg_temp.ema(float8) (sfunc = pg_temp.ema_step, stype = float8);

CREATE TEMP TABLE arm (arm text, query text);
INSERT INTO arm VALUES
    ('scan_ema', 'SELECT scan_ema(x, 0.1) OVER (ORDER BY i) AS y FROM series'),
    ('PL/pgSQL loop', 'SELECT * FROM pg_temp.ema_loop() AS y'),
    ('custom aggregate', 'SELECT pg_temp.ema(x) OVER (ORDER BY i) AS y FROM series'),
    ('recursive CTE', 'WITH RECURSIVE r(i, y) AS (SELECT i, x FROM series WHERE i = 1
        UNION ALL SELECT s.i, 0.9::float8 * r.y + 0.1::float8 * s.x FROM r JOIN series s ON s.i = r.i + 1) SELECT y FROM r');
CREATE TEMP TABLE took (arm text, ns float8);
DO $$
DECLARE a record; started timestamptz;
BEGIN
    FOR round IN 0..3 LOOP
        FOR a IN SELECT * FROM arm LOOP
            started := clock_timestamp();
            EXECUTE 'SELECT count(y) FROM (' || a.query || ' OFFSET 0) t';
            IF round > 0 THEN
                INSERT INTO took VALUES (a.arm, extract(epoch FROM clock_timestamp() - started) * 1e9 / 1e6);
            END IF;
        END LOOP;
    END LOOP;
END $$;
\echo ns per row, median of 3, and times scan_ema
SELECT arm, round(ns) AS ns, round((ns / min(ns) FILTER (WHERE arm = 'scan_ema') OVER ())::numeric, 1) AS times
FROM (SELECT arm, percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) AS ns FROM took GROUP BY arm) m ORDER BY ns;
