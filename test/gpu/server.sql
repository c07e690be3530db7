-- What the server says of its device, and queries that fail unless the device runs them and has the CPU's answers.
\ir ready.sql
SELECT * FROM scan_status \gx
\timing on
CREATE TABLE x AS SELECT i, i % 1000 AS g, hashint8(i)::int8 AS n, hashint8(i) / 1024.0::float8 AS f
    FROM generate_series(1, :rows) AS i ORDER BY hashint8(i);
ANALYZE x;
SET scan.prefixscan = force;
\set query 'SELECT i, scan_sum(n) OVER w AS n, scan_sum(f) OVER w AS f, max(n) OVER w AS m FROM x WINDOW w AS (PARTITION BY g ORDER BY i)'
SET scan.debug_require = gpu;
CREATE TABLE on_gpu AS :query;
SET scan.debug_require = cpu;
SET scan.device = cpu;
CREATE TABLE on_cpu AS :query;
RESET scan.debug_require;
SELECT count(*) AS rows, count(*) FILTER (WHERE a.n <> b.n OR float8send(a.f) <> float8send(b.f) OR a.m <> b.m) AS differ
    FROM on_gpu AS a JOIN on_cpu AS b USING (i);
SELECT jobs, rows, fallbacks FROM scan_status;
SELECT 1 / (count(*) = :rows)::int AS same FROM on_gpu AS a JOIN on_cpu AS b USING (i)
    WHERE a.n = b.n AND float8send(a.f) = float8send(b.f) AND a.m = b.m;
