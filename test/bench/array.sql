-- array.sql: array_scan_sum over ten million elements, end to end.
--
--   test/cluster.sh psql -X -q -f test/bench/array.sql
--
-- In PL/pgSQL, so that the array is in memory and no client is waited for.
-- "assigned": y := array_scan_sum(x), which copies the result into the variable;
-- "element": (array_scan_sum(x))[n], which does not.  "copy": y := x, the least
-- that any function with an array for a result could cost when assigned.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS scan;
SET client_min_messages = warning;
SET jit = off;
CREATE TEMP TABLE took (what text, ns float8);
DO $$
DECLARE
    n constant int := 10000000;
    started timestamptz;
    i8 int8[];
    f8 float8[];
    y8 int8[];
    yf float8[];
    last int8;
    lastf float8;
BEGIN
    SELECT array_agg(i * 7919 % 100003) INTO i8 FROM generate_series(1::int8, n) i;
    SELECT array_agg(random()) INTO f8 FROM generate_series(1, n) i;
    FOR round IN 0..9 LOOP
        started := clock_timestamp();
        y8 := i8;
        INSERT INTO took VALUES ('copy', extract(epoch FROM clock_timestamp() - started) * 1e9 / n);
        started := clock_timestamp();
        y8 := array_scan_sum(i8);
        INSERT INTO took VALUES ('int8 assigned', extract(epoch FROM clock_timestamp() - started) * 1e9 / n);
        started := clock_timestamp();
        last := (array_scan_sum(i8))[n];
        INSERT INTO took VALUES ('int8 element', extract(epoch FROM clock_timestamp() - started) * 1e9 / n);
        y8 := NULL;
        started := clock_timestamp();
        yf := array_scan_sum(f8);
        INSERT INTO took VALUES ('float8 assigned', extract(epoch FROM clock_timestamp() - started) * 1e9 / n);
        started := clock_timestamp();
        lastf := (array_scan_sum(f8))[n];
        INSERT INTO took VALUES ('float8 element', extract(epoch FROM clock_timestamp() - started) * 1e9 / n);
        yf := NULL;
    END LOOP;
END
$$;
\echo ns per element, ten million elements, 10 rounds
SELECT what, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ns)::numeric, 1) AS median, round(min(ns)::numeric, 1) AS least
FROM took GROUP BY what ORDER BY what;
