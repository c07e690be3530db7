-- nocb_by_age: scan_nocb(value, at, max_age, reset), the next observation unless it comes too late.
\pset null -
SET datestyle = iso;
SET intervalstyle = postgres;
SET timezone = 'UTC';
-- scan_nocb by age: the next value, if its "at" is not after the row's "at" + max_age.  A value in a row without "at" is
-- shown there, and is not carried.
SELECT i, x, at, reset, scan_nocb(x, at, 2) OVER w AS "age 2", scan_nocb(x, at, 0) OVER w AS "age 0", scan_nocb(x, at, NULL::bigint) OVER w AS "no limit", scan_nocb(x, at, max_age => 2, reset => reset) OVER w AS segments,
       scan_nocb(x, at::int8, 2) OVER w AS int8, scan_nocb(x, at::float8, 2) OVER w AS float8, scan_nocb(x, at::numeric, 2) OVER w AS numeric, scan_nocb(x, '2024-01-01'::date + at, '2 days') OVER w AS date, scan_nocb(x, '2024-01-01'::date + at, 2) OVER w AS days,
       scan_nocb(x, '2024-01-01'::timestamp + at * interval '1 s', '2 s') OVER w AS timestamp, scan_nocb(x, '2024-01-01'::timestamptz + at * interval '1 s', '2 s') OVER w AS timestamptz
FROM (VALUES (1, NULL, 1, false), (2, NULL, 2, NULL), (3, NULL, NULL, false), (4, 'lost', NULL, false), (5, 'one', 4, false), (6, NULL, 4, false), (7, 'two', 5, true), (8, NULL, 6, false), (9, NULL, 9, false), (10, 'three', 9, NULL), (11, NULL, 9, true), (12, NULL, 10, false)) AS t(i, x, at, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- It is scan_locf over the rows in the opposite order, where ages are numbers: sizes 0..1025, by value and by reference,
-- by the node and by WindowAgg.
CREATE TEMP TABLE sample AS
SELECT size, i, reset, sum(h >> 8 & 3) OVER (PARTITION BY size ORDER BY i)::int8 AS at, CASE WHEN h & 3 = 0 THEN (h >> 40)::int END AS n, CASE WHEN h & 3 = 0 THEN repeat(h::text, (h >> 8 & 15)::int) END AS t FROM oracle.cell;
SET client_min_messages = warning;
CREATE VIEW pg_temp.compared AS
SELECT age, use_reset, count(*) AS compared, count(*) FILTER (WHERE n IS DISTINCT FROM n2 OR t IS DISTINCT FROM t2) AS different, count(n) AS filled
FROM (SELECT age, use_reset, scan_nocb(n, at, age, r) OVER w AS n, scan_nocb(t, at, age, r) OVER w AS t, scan_locf(n, -at, age, below) OVER b AS n2, scan_locf(t, -at, age, below) OVER b AS t2
      FROM (SELECT *, lead(r) OVER (PARTITION BY age, use_reset, size ORDER BY i) AS below
            FROM (SELECT *, use_reset AND reset AS r FROM sample, (VALUES (NULL::bigint), (0), (1), (4), (9223372036854775807)) AS ages(age), (VALUES (false), (true)) AS resets(use_reset)) AS s) AS s
      WINDOW w AS (PARTITION BY age, use_reset, size ORDER BY i), b AS (PARTITION BY age, use_reset, size ORDER BY i DESC)) AS t
GROUP BY age, use_reset ORDER BY age, use_reset;
RESET client_min_messages;
SET scan.prefixscan = force;
SELECT * FROM pg_temp.compared;
SET scan.prefixscan = off;
SELECT * FROM pg_temp.compared WHERE different > 0 OR filled = 0;
RESET scan.prefixscan;
-- Errors.  "at" must not run backwards; of the rows ahead, that of the next value counts.
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_nocb(i, -i, 5)', 'scan_nocb(nullif(i, 2), (-i)::int8, 5)', 'scan_nocb(nullif(i, 2), ''2024-01-04''::date - i, ''1 day'')', 'scan_nocb(i, i, -1)', 'scan_nocb(i, i::int8, -1::int8)', 'scan_nocb(i, i, ''NaN''::float8)', 'scan_nocb(i, now(), ''-1 day'')',
  'scan_nocb(i, i, i)', 'scan_nocb(i, i, nullif(i, 3))']) AS call;
SELECT node, oracle.rows_of('SELECT scan_nocb(nullif(i, 3), CASE i WHEN 5 THEN 0 ELSE i END, 9) OVER (ORDER BY i) FROM generate_series(1, 5) AS i') AS own,
       oracle.rows_of('SELECT scan_nocb(CASE WHEN i IN (1, 5) THEN i END, CASE i WHEN 5 THEN 2 ELSE i END, 9) OVER (ORDER BY i) FROM generate_series(1, 5) AS i') AS ahead
FROM unnest(ARRAY['off', 'force']) AS node, LATERAL set_config('scan.prefixscan', node, false);
RESET scan.prefixscan;
