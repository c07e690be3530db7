-- lag: scan_lag and scan_lead(value, "offset", reset), the n-th value that is not NULL before and after a row.
\pset null -
SELECT i, x, reset, scan_lag(x) OVER w AS lag, scan_lag(x, 2) OVER w AS "lag 2", scan_lag(x, 0) OVER w AS "lag 0", scan_lag(x, reset => reset) OVER w AS "segments",
       scan_lead(x) OVER w AS lead, scan_lead(x, 2) OVER w AS "lead 2", scan_lead(x, 0) OVER w AS "lead 0", scan_lead(x, "offset" => 1, reset => reset) OVER w AS "segments",
       scan_lag(x, reset => true) OVER w || scan_lead(x, 1, true) OVER w AS "every row"
FROM (VALUES (1, NULL, false), (2, 'one', false), (3, NULL, NULL), (4, 'two', false), (5, NULL, false), (6, 'three', true), (7, NULL, false), (8, NULL, true), (9, 'four', false), (10, 'five', NULL), (11, NULL, false)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- Against an array of the values in front of each row and behind it: sizes 0..1025, by value and by reference, by the
-- node and by WindowAgg.
CREATE TEMP TABLE sample AS
SELECT use_reset, size, i, use_reset AND reset AS reset, count(*) FILTER (WHERE use_reset AND reset) OVER (PARTITION BY use_reset, size ORDER BY i) AS segment,
       CASE WHEN h & 3 = 0 THEN (h >> 40)::int END AS n, CASE WHEN h & 3 = 0 THEN repeat(h::text, (h >> 8 & 15)::int) END AS t
FROM oracle.cell, (VALUES (false), (true)) AS resets(use_reset) WHERE size <= 300 OR size >= 1023;
CREATE TEMP TABLE numbered AS
SELECT *, count(n) OVER (PARTITION BY use_reset, size, segment ORDER BY i) AS upto FROM sample;
CREATE TEMP VIEW compared AS
WITH numbers AS (SELECT use_reset, size, segment, upto, n, t FROM numbered WHERE n IS NOT NULL),
     answers AS (SELECT k, a.*, scan_lag(n, k, reset) OVER w AS n1, scan_lag(t, k, reset) OVER w AS t1, scan_lead(n, k, reset) OVER w AS n2, scan_lead(t, k, reset) OVER w AS t2
                 FROM numbered AS a, (VALUES (1), (2), (5), (100)) AS k(k) WINDOW w AS (PARTITION BY k, use_reset, size ORDER BY i))
SELECT k, count(*) AS compared, count(a.n1) AS found,
       count(*) FILTER (WHERE (a.n1, a.t1) IS DISTINCT FROM (b.n, b.t) OR (a.n2, a.t2) IS DISTINCT FROM (c.n, c.t)) AS different
FROM answers AS a
LEFT JOIN numbers AS b ON (b.use_reset, b.size, b.segment) = (a.use_reset, a.size, a.segment) AND b.upto = a.upto - k + (a.n IS NULL)::int
LEFT JOIN numbers AS c ON (c.use_reset, c.size, c.segment) = (a.use_reset, a.size, a.segment) AND c.upto = a.upto + k
GROUP BY k ORDER BY k;
SET scan.prefixscan = force;
SELECT * FROM compared;
SET scan.prefixscan = off;
SELECT * FROM compared WHERE different > 0 OR found = 0;
RESET scan.prefixscan;

-- An offset that is larger than any partition, and one of which state is not saved.
SELECT count(*) FILTER (WHERE a IS NOT NULL OR b IS NOT NULL) AS beyond, count(c) AS far, count(*) FILTER (WHERE c <> i - 257 OR d <> i + 257) AS wrong
FROM (SELECT i, scan_lag(i, 9223372036854775807) OVER w AS a, scan_lead(i, 9223372036854775807) OVER w AS b, scan_lag(i, 257) OVER w AS c, scan_lead(i, 257) OVER w AS d
      FROM generate_series(1, 1000) AS i WINDOW w AS (ORDER BY i)) AS t;
-- A value is kept by copy, whatever form it comes in.
SELECT i, scan_lag(CASE WHEN i % 2 = 0 THEN array_append(ARRAY[i], 0) END) OVER w AS array, scan_lead(CASE WHEN i % 2 = 0 THEN ROW(i, 'x')::oracle.pair END) OVER w AS row,
       scan_lag(CASE WHEN i % 2 = 0 THEN i::float8 / 2 END, 2) OVER w AS float8, scan_lead(CASE WHEN i % 2 = 0 THEN 'n' || i END::name, 2) OVER w AS name
FROM generate_series(1, 6) AS i WINDOW w AS (ORDER BY i);
-- No rows, one row, only NULLs, an offset for each partition, a flag that is NULL.
SELECT scan_lag(i) OVER (), scan_lead(i) OVER () FROM generate_series(1, 0) AS i;
SELECT scan_lag(1) OVER (), scan_lead(1) OVER (), scan_lag(NULL::int, 0) OVER () AS none, scan_lead(1, 0, NULL) OVER () AS one;
SELECT p, i, scan_lag(i, p) OVER w, scan_lead(i, p) OVER w FROM generate_series(0, 2) AS p, generate_series(1, 3) AS i WINDOW w AS (PARTITION BY p ORDER BY i);
-- Errors, and those of rows that are read ahead: row 5 is read when row 2 is asked for.
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_lag(i, -1)', 'scan_lead(i, -1)', 'scan_lag(i, i)', 'scan_lead(i, i)', 'scan_lag(i, NULL)', 'scan_lead(i, NULL)', 'scan_lag(NULL)', 'scan_lag(i, 1.5)', 'scan_lead(i, true)']) AS call;
SELECT node, oracle.rows_of('SELECT scan_lead(CASE WHEN i IN (1, 2, 3) THEN i WHEN i = 5 THEN 1 / (i - 5) END) OVER (ORDER BY i) FROM generate_series(1, 9) AS i')
FROM unnest(ARRAY['off', 'force']) AS node, LATERAL set_config('scan.prefixscan', node, false);
RESET scan.prefixscan;
