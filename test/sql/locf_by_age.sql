-- locf_by_age: scan_locf(value, at, max_age, reset), the last observation unless it is too old.
\pset null -
SET datestyle = iso;
SET timezone = 'UTC';
-- A row whose "at" is NULL is skipped: it has the answer of the row before, and 'four' is not observed.
SELECT i, x, at, reset,
       scan_locf(x, at, 2) OVER w AS "age 2",
       scan_locf(x, at, 0) OVER w AS "age 0",
       scan_locf(x, at, NULL::bigint) OVER w AS "no limit",
       scan_locf(x, at, max_age => 2, reset => reset) OVER w AS segments,
       scan_locf(x, at::int8, 2) OVER w AS int8, scan_locf(x, at::numeric, 2) OVER w AS numeric, scan_locf(x, at::float8, 2) OVER w AS float8,
       scan_locf(x, '2024-01-01'::date + at, '2 days') OVER w AS date,
       scan_locf(x, '2024-01-01'::timestamp + at * interval '1 s', '2 s') OVER w AS timestamp,
       scan_locf(x, '2024-01-01'::timestamptz + at * interval '1 s', '2 s') OVER w AS timestamptz
FROM (VALUES (1, NULL, 1, false), (2, 'one', 2, false), (3, NULL, 2, NULL), (4, NULL, 4, false), (5, NULL, NULL, false), (6, NULL, 5, false), (7, NULL, NULL, false),
             (8, 'two', 6, true), (9, NULL, 7, false), (10, 'four', NULL, false), (11, NULL, 8, true), (12, 'three', 9, NULL), (13, NULL, 12, false)) AS t(i, x, at, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- Ages are exact: no difference overflows, and 0.4 is more than 0.1 above 0.3, though not if rounded.
SELECT i, scan_locf(x, at, 9223372036854775807) OVER w AS longest, scan_locf(x, at, 9223372036854775806) OVER w AS less FROM (VALUES (1, 1, -1::int8), (2, NULL, 9223372036854775806), (3, NULL, 9223372036854775807)) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, at, scan_locf(x, at, 0.1::float8) OVER w, at <= first_value(at) OVER w + 0.1 AS rounded FROM (VALUES (1, 1, 0.3::float8), (2, NULL, 0.4), (3, NULL, 0.5)) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
-- Infinities: nothing is infinitely old but what was seen before all time.
SELECT i, scan_locf(x, at, 1e300) OVER w AS float8, scan_locf(x, at::numeric, 1e300::numeric) OVER w AS numeric, scan_locf(x, at, 'Infinity'::float8) OVER w AS infinite,
       scan_locf(x, CASE at WHEN 0 THEN '2024-01-01' ELSE at::text END::timestamptz, '100000 years') OVER w AS timestamptz
FROM (VALUES (1, 'x', '-Infinity'::float8), (2, NULL, '-Infinity'), (3, NULL, 0), (4, 'y', 'Infinity'), (5, NULL, 'Infinity')) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
-- The calendar: a day is 23 hours in New York's March, and a month is what it is.
SET timezone = 'America/New_York';
SELECT at, scan_locf(x, at, '1 day') OVER w AS "1 day", scan_locf(x, at, '24 hours') OVER w AS "24 hours"
FROM (VALUES (1, '2024-03-09 12:00'::timestamptz), (NULL, '2024-03-10 12:00'), (NULL, '2024-03-10 12:30'), (NULL, '2024-03-10 13:00'), (NULL, '2024-03-10 13:30')) AS t(x, at) WINDOW w AS (ORDER BY at) ORDER BY at;
SET timezone = 'UTC';
SELECT at, scan_locf(x, at, '1 month') OVER w AS date, scan_locf(x, at::timestamp, '1 month 1 day') OVER w AS timestamp FROM (VALUES (1, '2024-01-31'::date), (NULL, '2024-02-29'), (NULL, '2024-03-01'), (NULL, '2024-03-02')) AS t(x, at) WINDOW w AS (ORDER BY at) ORDER BY at;

-- Against two scan_locf and a CASE: sizes 0..1025, values by value and by reference.
CREATE TEMP TABLE sample AS
SELECT size, i, reset, sum(h >> 8 & 3) OVER (PARTITION BY size ORDER BY i) AS at, CASE WHEN h & 3 = 0 THEN repeat(h::text, (h >> 8 & 15)::int) END AS t, CASE WHEN h & 3 = 0 THEN (h >> 40)::int END AS n FROM oracle.cell;
SELECT kind, use_reset, count(*) AS compared, count(*) FILTER (WHERE y IS DISTINCT FROM z OR yn IS DISTINCT FROM zn) AS different, count(y) AS filled
FROM (SELECT 'int8' AS kind, use_reset, scan_locf(t, at::int8, 4, r) OVER w AS y, scan_locf(n, at::int8, 4, r) OVER w AS yn,
             CASE WHEN at <= scan_locf(CASE WHEN t IS NOT NULL THEN at END, NULL::bigint, r) OVER w + 4 THEN scan_locf(t, NULL::bigint, r) OVER w END AS z,
             CASE WHEN at <= scan_locf(CASE WHEN n IS NOT NULL THEN at END, NULL::bigint, r) OVER w + 4 THEN scan_locf(n, NULL::bigint, r) OVER w END AS zn
      FROM sample, (VALUES (false), (true)) AS u(use_reset), LATERAL (SELECT reset AND use_reset AS r) AS s WINDOW w AS (PARTITION BY use_reset, size ORDER BY i)
      UNION ALL
      SELECT 'timestamptz', use_reset, scan_locf(t, m, '4 months', r) OVER w, scan_locf(n, m, '4 months', r) OVER w,
             CASE WHEN m <= scan_locf(CASE WHEN t IS NOT NULL THEN m END, NULL::bigint, r) OVER w + interval '4 months' THEN scan_locf(t, NULL::bigint, r) OVER w END,
             CASE WHEN m <= scan_locf(CASE WHEN n IS NOT NULL THEN m END, NULL::bigint, r) OVER w + interval '4 months' THEN scan_locf(n, NULL::bigint, r) OVER w END
      FROM sample, (VALUES (false), (true)) AS u(use_reset), LATERAL (SELECT reset AND use_reset AS r, '2024-01-31'::timestamptz + at * interval '29 days' AS m) AS s
      WINDOW w AS (PARTITION BY use_reset, size ORDER BY i)) AS t
GROUP BY kind, use_reset ORDER BY kind, use_reset;

-- Which function a call without types means.
SELECT scan_locf(1, 2) OVER () AS "max_gap", scan_locf(1, 2, false) OVER () AS "max_gap, reset", scan_locf(1, 2, 3) OVER () AS age, scan_locf(1, 2::int8, 3.5) OVER () AS "numeric age", scan_locf(1, now(), '1 day') OVER () AS moment;

-- Errors.
SELECT call, oracle.error_of(format('SELECT %s OVER (PARTITION BY i > 3 ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_locf(i, -i, 5)', 'scan_locf(nullif(i, 2), (-i)::int8, 5)', 'scan_locf(i, CASE i WHEN 2 THEN NULL ELSE -i END::numeric, 5)', 'scan_locf(i, ''2024-01-04''::date - i, ''1 day'')', 'scan_locf(i, ''2024-01-04''::timestamp - i * interval ''1 s'', ''1 day'')', 'scan_locf(i, ''2024-01-04 00:00+00''::timestamptz - i * interval ''1 s'', ''1 day'')',
  'scan_locf(i, CASE i WHEN 1 THEN ''NaN'' ELSE i::float8 END, 5)',
  'scan_locf(i, i, -1)', 'scan_locf(i, i::int8, -1::int8)', 'scan_locf(i, i, ''NaN''::float8)', 'scan_locf(i, i, -0.5::numeric)', 'scan_locf(i, now(), ''-1 day'')', 'scan_locf(i, now(), ''1 month -31 days'')',
  'scan_locf(i, i, i)', 'scan_locf(i, now(), i * interval ''1 day'')', 'scan_locf(i, i, nullif(i, 3))', 'scan_locf(i, -i, 5, reset => true)']) AS call;
