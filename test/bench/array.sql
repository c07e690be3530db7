-- array.sql: functions over arrays of ten million elements, end to end.
--
--   test/cluster.sh psql -X -q -f test/bench/array.sql
--
-- In PL/pgSQL, so that the array is in memory and no client is waited for.
-- "assigned": y := array_scan_sum(x), which copies the result into the variable;
-- "element": (array_scan_sum(x))[n], which does not.  "copy": y := x, the least
-- that any function with an array for a result could cost when assigned.
--
-- Beside them the SQL that says the same, of as many elements, with memory for all of them;
-- and plain.c, the loops that anyone would write in C, is run apart.
--
-- Time is the processor's, as in plain.c: what else the machine does counts less.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS scan;
SET client_min_messages = warning;
SET jit = off;
SET work_mem = '4GB';
SET max_parallel_workers_per_gather = 0;
-- nanoseconds, to the last tick of the clock
CREATE FUNCTION pg_temp.cpu() RETURNS float8 LANGUAGE sql AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 $$;
CREATE TEMP TABLE took (place serial, what text, way text, ns float8);
DO $$
DECLARE
    n constant int := 10000000;
    started float8;
    i8 int8[];
    f8 float8[];
    a8 float8[];
    keep boolean[];
    y8 int8[];
    yf float8[];
    last int8;
    lastf float8;
BEGIN
    SELECT array_agg(hashint8extended(i, 1) >> 16) INTO i8 FROM generate_series(1::int8, n) i;
    SELECT array_agg(random()) INTO f8 FROM generate_series(1, n) i;
    a8 := array_fill(0.98::float8, ARRAY[n]);
    SELECT array_agg(hashint8extended(i, 2) & 1 = 0) INTO keep FROM generate_series(1::int8, n) i;
    FOR round IN 0..9 LOOP
        started := pg_temp.cpu();
        y8 := i8;
        INSERT INTO took (what, way, ns) VALUES ('copy', 'assigned', (pg_temp.cpu() - started) / n);
        started := pg_temp.cpu();
        y8 := array_scan_sum(i8);
        INSERT INTO took (what, way, ns) VALUES ('array_scan_sum(int8[])', 'assigned', (pg_temp.cpu() - started) / n);
        started := pg_temp.cpu();
        last := (array_scan_sum(i8))[n];
        INSERT INTO took (what, way, ns) VALUES ('array_scan_sum(int8[])', 'element', (pg_temp.cpu() - started) / n);
        y8 := NULL;
        started := pg_temp.cpu();
        yf := array_scan_sum(f8);
        INSERT INTO took (what, way, ns) VALUES ('array_scan_sum(float8[])', 'assigned', (pg_temp.cpu() - started) / n);
        started := pg_temp.cpu();
        lastf := (array_scan_sum(f8))[n];
        INSERT INTO took (what, way, ns) VALUES ('array_scan_sum(float8[])', 'element', (pg_temp.cpu() - started) / n);
        started := pg_temp.cpu();
        yf := array_scan_recurrence(a8, f8);
        INSERT INTO took (what, way, ns) VALUES ('array_scan_recurrence(float8[])', 'assigned', (pg_temp.cpu() - started) / n);
        started := pg_temp.cpu();
        lastf := (array_scan_recurrence(a8, f8))[n];
        INSERT INTO took (what, way, ns) VALUES ('array_scan_recurrence(float8[])', 'element', (pg_temp.cpu() - started) / n);
        yf := NULL;
        started := pg_temp.cpu();
        last := (array_compact(i8, keep))[1];
        INSERT INTO took (what, way, ns) VALUES ('array_compact(int8[]), half kept', 'element', (pg_temp.cpu() - started) / n);
        started := pg_temp.cpu();
        last := (array_split(i8, keep))[1];
        INSERT INTO took (what, way, ns) VALUES ('array_split(int8[])', 'element', (pg_temp.cpu() - started) / n);
        started := pg_temp.cpu();
        last := (array_radix_sort(i8))[1];
        INSERT INTO took (what, way, ns) VALUES ('array_radix_sort(int8[]), 48 bits', 'element', (pg_temp.cpu() - started) / n);
    END LOOP;
END
$$;
-- What one writes without them.
CREATE FUNCTION pg_temp.in_sql(what text, query text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    n constant int := 10000000;
    started float8;
    i8 int8[];
    f8 float8[];
    a8 float8[];
    keep boolean[];
BEGIN
    SELECT array_agg(hashint8extended(i, 1) >> 16), array_agg(random()), array_agg(0.98), array_agg(hashint8extended(i, 2) & 1 = 0)
    INTO i8, f8, a8, keep FROM generate_series(1::int8, n) i;
    FOR round IN 0..2 LOOP
        started := pg_temp.cpu();
        EXECUTE query USING i8, f8, a8, keep;
        INSERT INTO took (what, way, ns) VALUES (what, 'in SQL', (pg_temp.cpu() - started) / n);
    END LOOP;
END
$$;
SET scan.prefixscan = off;    -- stock PostgreSQL
SELECT pg_temp.in_sql(what, query) FROM (VALUES
    ('array_scan_sum(int8[])', 'SELECT array_agg(y ORDER BY i) FROM (SELECT i, sum(x) OVER (ORDER BY i) AS y FROM unnest($1) WITH ORDINALITY AS t(x, i)) AS s'),
    ('array_scan_sum(float8[])', 'SELECT array_agg(y ORDER BY i) FROM (SELECT i, sum(x) OVER (ORDER BY i) AS y FROM unnest($2) WITH ORDINALITY AS t(x, i)) AS s'),
    ('array_scan_recurrence(float8[])', 'WITH RECURSIVE r(i, y) AS (SELECT 0, 0::float8 UNION ALL SELECT i + 1, ($3)[i + 1] * y + ($2)[i + 1] FROM r WHERE i < 10000000) SELECT array_agg(y ORDER BY i) FROM r WHERE i > 0'),
    ('array_compact(int8[]), half kept', 'SELECT array_agg(x ORDER BY i) FROM unnest($1, $4) WITH ORDINALITY AS t(x, keep, i) WHERE keep'),
    ('array_split(int8[])', 'SELECT array_agg(x ORDER BY keep, i) FROM unnest($1, $4) WITH ORDINALITY AS t(x, keep, i)'),
    ('array_radix_sort(int8[]), 48 bits', 'SELECT array_agg(x ORDER BY x) FROM unnest($1) AS t(x)')) AS q(what, query)
\g /dev/null
\echo ns of the processor per element: ten million, 10 rounds; in SQL 3 rounds
SELECT what, way, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ns)::numeric, 1) AS median, round(min(ns)::numeric, 1) AS least
FROM took GROUP BY what, way ORDER BY min(place);
