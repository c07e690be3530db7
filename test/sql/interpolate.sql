-- interpolate: scan_interpolate(value, at, max_gap, reset): a NULL is the point on the line between the known values
-- before and after it.
\pset null -
SET datestyle = iso;
SET timezone = 'UTC';
SET extra_float_digits = 1;
-- Beyond the known values there is no line.  A value without "at" is shown, and is no point of a line.  Where two known
-- values have the same "at", a NULL between them is the earlier one.
SELECT i, x, at, reset,
       scan_interpolate(x, at) OVER w AS filled,
       scan_interpolate(x, at, 4) OVER w AS "gap 4",
       scan_interpolate(x, at, max_gap => 3, reset => reset) OVER w AS "gap 3, segments",
       scan_interpolate(x, at, reset => reset) OVER w AS segments,
       scan_interpolate(x, at::int8) OVER w AS int8, scan_interpolate(x, at::numeric) OVER w AS numeric,
       scan_interpolate(x, '2024-01-01'::date + at, '4 days') OVER w AS date,
       scan_interpolate(x, '2024-01-01'::timestamp + at * interval '1 s', '4 s') OVER w AS timestamp,
       scan_interpolate(x, '2024-01-01'::timestamptz + at * interval '1 s', '3 s') OVER w AS timestamptz
FROM (VALUES (1, NULL, 0, false), (2, 1, 1, false), (3, NULL, 2, false), (4, NULL, 2, NULL), (5, NULL, NULL, false), (6, 7, NULL, false), (7, NULL, 4, false), (8, 3, 5, false),
             (9, NULL, 6, false), (10, NULL, 7, true), (11, 0, 8, false), (12, NULL, 8, false), (13, 10, 8, false), (14, NULL, 9, false), (15, 12, 11, NULL), (16, NULL, 12, false)) AS t(i, x, at, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- No overflow, and one rounding: the points are those of real arithmetic.
SELECT i, x, scan_interpolate(x, i::float8) OVER w AS y FROM (VALUES (1, '-1.7976931348623157e308'::float8), (2, NULL), (3, NULL), (4, '1.7976931348623157e308')) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, x, scan_interpolate(x, at) OVER w AS y FROM (VALUES (1, 1::float8, '-1.7976931348623157e308'::float8), (2, NULL, 0), (3, NULL, 1e308), (4, 2, '1.7976931348623157e308')) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, scan_interpolate(x, at) OVER w AS int8 FROM (VALUES (1, 0::float8, -9223372036854775808), (2, NULL, -9223372036854775807), (3, NULL, 0), (4, NULL, 9223372036854775806), (5, 18446744073709551615, 9223372036854775807)) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
-- Midpoints go to the even double, also among the smallest ones.
SELECT i, x, scan_interpolate(x, i::int8) OVER w AS y, scan_interpolate(x, i * 0.001) OVER w AS numeric FROM (VALUES (1, 1::float8), (2, NULL), (3, 1.0000000000000002), (4, NULL), (5, 1.0000000000000004), (6, 5e-324), (7, NULL), (8, 1e-323), (9, NULL), (10, 0), (11, NULL), (12, -5e-324)) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
-- NaN and infinities: between a finite value and an infinity is the infinity, and NaN between two of them.
SELECT i, x, scan_interpolate(x, i / 2 * 2) OVER w AS y, scan_interpolate(x, i::numeric) OVER w AS numeric FROM (VALUES (1, 1::float8), (2, NULL), (3, 'Infinity'), (4, NULL), (5, '-Infinity'), (6, NULL), (7, 'NaN'), (8, NULL), (9, '-0'), (10, NULL), (11, '-0')) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
-- The longest hole is by the calendar: from noon to noon it is 23 hours in New York's March.
SET timezone = 'America/New_York';
SELECT at, scan_interpolate(x, at, '1 day') OVER w AS "1 day", scan_interpolate(x, at, '23 hours') OVER w AS "23 hours", scan_interpolate(x, at, '22:59') OVER w AS less
FROM (VALUES (0, '2024-03-09 12:00'::timestamptz), (NULL, '2024-03-10 00:00'), (NULL, '2024-03-10 06:00'), (23, '2024-03-10 12:00')) AS t(x, at) WINDOW w AS (ORDER BY at) ORDER BY at;
SELECT at, scan_interpolate(x, at, '1 month') OVER w AS "1 month", scan_interpolate(x, at, '28 days') OVER w AS "28 days" FROM (VALUES (0, '2024-01-31'::date), (NULL, '2024-02-01'), (29, '2024-02-29')) AS t(x, at) WINDOW w AS (ORDER BY at) ORDER BY at;
SET timezone = 'UTC';

-- Arrays.
SELECT array_scan_interpolate(ARRAY[1, NULL, NULL, 4, NULL], ARRAY[1, 2, 2.5, 4, 5]) AS filled, array_scan_interpolate(ARRAY[1, NULL, 3, NULL, NULL, 6], ARRAY[1, 2, 3, 4, 5, 6], 2) AS short,
       array_scan_interpolate(ARRAY[1, NULL, NULL, 4], ARRAY[1, 2, 3, 4], reset => ARRAY[false, false, true, false]) AS segments, array_scan_interpolate('[3:5]={1,NULL,2}', '{1,NULL,3}') AS "no at", array_scan_interpolate('{}', '{}') AS empty, array_scan_interpolate(NULL, '{}') AS none;
SELECT call, oracle.error_of('SELECT ' || call) AS error FROM unnest(ARRAY['array_scan_interpolate(ARRAY[1,2], ARRAY[1])', 'array_scan_interpolate(ARRAY[1,NULL,3], ARRAY[1,3,2])', 'array_scan_interpolate(ARRAY[1,NULL,3], ARRAY[1,2,3], -1)',
  'array_scan_interpolate(ARRAY[1,2], ARRAY[1,2], 1, ARRAY[true])', 'array_scan_interpolate(ARRAY[1,NULL,3], ARRAY[1,2,''NaN''::float8])']) AS call;

-- Errors.  "at" must not run backwards; of the rows ahead, that of the next known value counts.
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_interpolate(i, -i)', 'scan_interpolate(nullif(i, 2), (-i)::int8)', 'scan_interpolate(nullif(i, 2), (-i)::numeric)', 'scan_interpolate(nullif(i, 2), ''2024-01-04''::date - i)', 'scan_interpolate(nullif(i, 2), ''2024-01-04''::timestamp - i * interval ''1 s'')',
  'scan_interpolate(i, ''infinity''::date)', 'scan_interpolate(i, CASE i WHEN 3 THEN ''infinity'' ELSE ''2024-01-01'' END::timestamptz)', 'scan_interpolate(i, ''-Infinity''::float8)', 'scan_interpolate(i, ''NaN''::numeric)',
  'scan_interpolate(i, i, -1)', 'scan_interpolate(i, i::int8, -1::int8)', 'scan_interpolate(i, i, ''NaN''::float8)', 'scan_interpolate(i, now(), ''-1 day'')', 'scan_interpolate(i, i, i)']) AS call;
SELECT node, oracle.rows_of('SELECT scan_interpolate(nullif(i, 3), CASE i WHEN 5 THEN 0 ELSE i END) OVER (ORDER BY i) FROM generate_series(1, 5) AS i') AS own,
       oracle.rows_of('SELECT scan_interpolate(CASE WHEN i IN (1, 5) THEN i END, CASE i WHEN 5 THEN 2 ELSE i END) OVER (ORDER BY i) FROM generate_series(1, 5) AS i') AS ahead,
       oracle.rows_of('SELECT scan_interpolate(CASE WHEN i IN (1, 2, 5) THEN 1 / (5 - i) END, i) OVER (ORDER BY i) FROM generate_series(1, 9) AS i') AS value
FROM unnest(ARRAY['off', 'force']) AS node, LATERAL set_config('scan.prefixscan', node, false);
-- Halfway between a value and its negative; beside infinities; at the place of the next known value.
SELECT i, scan_interpolate(y, i) OVER (ORDER BY i) AS zero, scan_interpolate(-y, i::numeric) OVER (ORDER BY i) AS "zero, numeric", scan_interpolate(z, i) OVER (ORDER BY i) AS infinite, scan_interpolate(z, i::numeric) OVER (ORDER BY i) AS "infinite, numeric",
       scan_interpolate(y, at) OVER (ORDER BY i) AS next, scan_interpolate(y, at::numeric) OVER (ORDER BY i) AS "next, numeric"
FROM (VALUES (1, -1.5::float8, 'Infinity'::float8, 1), (2, NULL, NULL, 3), (3, 1.5, 5, 3), (4, NULL, NULL, 3), (5, 1, '-Infinity', 4)) AS t(i, y, z, at) ORDER BY i;
-- Products of value and time that are beyond the doubles, and points that are small beside them.
SELECT i, scan_interpolate(y, at) OVER (ORDER BY i) AS y FROM (VALUES (1, 1.7e308::float8, 0::int8), (2, NULL, 4000000000), (3, 1.7e308, 9000000000), (4, NULL, 9000000001), (5, 1.7e308, 9223372036854775807)) AS t(i, y, at) ORDER BY i;
SELECT i, scan_interpolate(y, at) OVER (ORDER BY i) AS y FROM (VALUES (1, 5.9e-272::float8, 0), (2, NULL, 10), (3, 5.9e-272, 1000)) AS t(i, y, at) ORDER BY i;
RESET scan.prefixscan;
