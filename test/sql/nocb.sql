-- nocb: scan_nocb(value, max_gap, reset), the next observation carried backward, over at most max_gap rows.
\pset null -
SELECT i, x, reset,
       scan_nocb(x) OVER w AS filled,
       scan_nocb(x, 2) OVER w AS "2 rows",
       scan_nocb(x, 0) OVER w AS "0 rows",
       scan_nocb(x, NULL, reset) OVER w AS segments,
       scan_nocb(x, max_gap => 1, reset => reset) OVER w AS "1 row, segments",
       scan_nocb(x, reset => true) OVER w AS "every row"
FROM (VALUES (1, NULL, false), (2, 'one', false), (3, NULL, NULL), (4, NULL, false), (5, NULL, false),
             (6, 'two', true), (7, NULL, false), (8, NULL, true), (9, NULL, false), (10, 'three', NULL), (11, NULL, false)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- Against scan_locf over the rows in the opposite order, where a segment begins at the row before a head: sizes 0..1025,
-- by value and by reference, every max_gap, by the node and by WindowAgg.
CREATE TEMP TABLE sample AS
SELECT size, i, reset, CASE WHEN h & 3 = 0 THEN (h >> 40)::int END AS n, CASE WHEN h & 3 = 0 THEN repeat(h::text, (h >> 8 & 15)::int) END AS t
FROM oracle.cell;
SET client_min_messages = warning;
CREATE VIEW pg_temp.compared AS
SELECT gap, use_reset, count(*) AS compared, count(*) FILTER (WHERE n IS DISTINCT FROM n2 OR t IS DISTINCT FROM t2) AS different, count(n) AS filled
FROM (SELECT gap, use_reset, scan_nocb(n, gap, r) OVER w AS n, scan_nocb(t, gap, r) OVER w AS t, scan_locf(n, gap, below) OVER b AS n2, scan_locf(t, gap, below) OVER b AS t2
      FROM (SELECT *, lead(r) OVER (PARTITION BY gap, use_reset, size ORDER BY i) AS below
            FROM (SELECT *, use_reset AND reset AS r FROM sample, (VALUES (NULL::bigint), (0), (1), (3), (9223372036854775807)) AS gaps(gap), (VALUES (false), (true)) AS resets(use_reset)) AS s) AS s
      WINDOW w AS (PARTITION BY gap, use_reset, size ORDER BY i), b AS (PARTITION BY gap, use_reset, size ORDER BY i DESC)) AS t
GROUP BY gap, use_reset ORDER BY gap, use_reset;
RESET client_min_messages;
SET scan.prefixscan = force;
SELECT * FROM pg_temp.compared;
SET scan.prefixscan = off;
SELECT * FROM pg_temp.compared WHERE different > 0 OR filled = 0;
RESET scan.prefixscan;

-- A value is kept by copy, whatever form it comes in: out of line and compressed
-- in a table; as an array that is being built; a row; a name.
CREATE TEMP TABLE stored AS
SELECT i, CASE WHEN i % 3 = 0 THEN repeat(md5(i::text), 1000) END AS compressed FROM generate_series(1, 9) AS i;
ALTER TABLE stored ADD external text;
ALTER TABLE stored ALTER external SET STORAGE external;
UPDATE stored SET external = compressed;
SELECT count(*) AS compared,
       count(*) FILTER (WHERE filled IS DISTINCT FROM wanted OR filled2 IS DISTINCT FROM wanted) AS different
FROM (SELECT scan_nocb(compressed) OVER (ORDER BY i) AS filled, scan_nocb(external) OVER (ORDER BY i) AS filled2,
             repeat(md5(((i + 2) / 3 * 3)::text), 1000) AS wanted FROM stored) AS t;
SELECT i, scan_nocb(CASE WHEN i % 2 = 0 THEN array_append(ARRAY[i], 0) END) OVER w AS array,
       scan_nocb(CASE WHEN i % 2 = 0 THEN ROW(i, 'x')::oracle.pair END) OVER w AS row,
       scan_nocb(CASE WHEN i % 2 = 0 THEN i::float8 / 2 END) OVER w AS float8,
       scan_nocb(CASE WHEN i % 2 = 0 THEN 'n' || i END::name) OVER w AS name
FROM generate_series(1, 4) AS i WINDOW w AS (ORDER BY i);
-- No rows, one row, a reset in every row, a flag that is NULL.
SELECT scan_nocb(i) OVER () FROM generate_series(1, 0) AS i;
SELECT scan_nocb(NULL::text) OVER () AS none, scan_nocb(1) OVER () AS one, scan_nocb(1, reset => NULL) OVER () AS unknown;
-- Errors, and those of rows that are read ahead: row 5 is read when row 3 is asked for.
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_nocb(i, -1)', 'scan_nocb(i, i)', 'scan_nocb(nullif(i, 1), nullif(i, 3))', 'scan_nocb(NULL)']) AS call;
SELECT node, oracle.rows_of('SELECT scan_nocb(CASE WHEN i IN (1, 2) THEN 1 WHEN i = 5 THEN 1 / (i - 5) END) OVER (ORDER BY i) FROM generate_series(1, 9) AS i')
FROM unnest(ARRAY['off', 'force']) AS node, LATERAL set_config('scan.prefixscan', node, false);
RESET scan.prefixscan;
