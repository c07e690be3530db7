-- integral: scan_integral(value, at, method, reset): the area so far, in value times seconds, or units of a number.
\pset null -
SET datestyle = iso;
SET timezone = 'UTC';
SET extra_float_digits = 1;
-- A row without a value or without "at" is skipped: 'linear' draws the line over it, 'previous' holds the value before it.
SELECT i, x, at, reset,
       scan_integral(x, at) OVER w AS linear, scan_integral(x, at, 'previous') OVER w AS previous,
       scan_integral(x, at, reset => reset) OVER w AS "linear, segments", scan_integral(x, at, 'previous', reset) OVER w AS "previous, segments",
       scan_integral(x, at::int8) OVER w AS int8, scan_integral(x, at::numeric, 'previous') OVER w AS numeric,
       scan_integral(x, '2024-01-01'::date + at) OVER w AS date,
       scan_integral(x, '2024-01-01'::timestamp + at * interval '1 s') OVER w AS timestamp, scan_integral(x, '2024-01-01'::timestamptz + at * interval '1 ms', 'previous') OVER w AS timestamptz
FROM (VALUES (1, NULL, 0, false), (2, 1, 1, false), (3, 3, 3, false), (4, NULL, 4, NULL), (5, 9, NULL, false), (6, 5, 5, false), (7, 7, 5, false), (8, NULL, 6, true), (9, 2, 7, false), (10, -2, 9, false), (11, 1, 10, true)) AS t(i, x, at, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- One rounding: 0.1 for a second a thousand times is 100, where a sum of floats drifts.
SELECT scan_integral AS area, drifts FROM (SELECT i, scan_integral(x, i * interval '1 s' + '2024-01-01'::timestamptz, 'previous') OVER w, sum(x) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS drifts FROM (SELECT i, 0.1::float8 AS x FROM generate_series(0, 1000) AS i) AS s WINDOW w AS (ORDER BY i)) AS t WHERE i = 1000;
SELECT i, x, scan_integral(x, i) OVER w AS y, sum(x) OVER w - x AS rounded FROM (VALUES (1, 1e16::float8), (2, 1), (3, -1e16), (4, 0)) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, scan_integral(x, i, 'previous') OVER w AS y FROM (VALUES (1, 1e16::float8), (2, 1), (3, -1e16), (4, 0)) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
-- Nothing overflows on the way: steps wider than bigint, products beyond the doubles, products below them.
SELECT i, scan_integral(x, at) OVER w AS int8 FROM (VALUES (1, 1::float8, -9223372036854775808), (2, 1, 9223372036854775807)) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, scan_integral(x, at, 'previous') OVER w AS float8 FROM (VALUES (1, 1e300::float8, 0::float8), (2, -1e300, 1e300), (3, 3, 2e300), (4, 5e-324, 2.0000000000000004e300), (5, 1, '1.7e308')) AS t(i, x, at) WHERE i <> 2 WINDOW w AS (PARTITION BY i > 2 ORDER BY i) ORDER BY i;
SELECT i, scan_integral(x, at, 'previous') OVER w AS cancels FROM (VALUES (1, 1e300::float8, 0::float8), (2, -1e300, 0), (3, NULL, 2e300), (4, 7, 1), (5, 0, 3)) AS t(i, x, at) WHERE i <> 3 WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, scan_integral(x, at) OVER w AS tiny FROM (VALUES (1, 5e-324::float8, 0::float8), (2, 5e-324, 0.5), (3, 5e-324, 1), (4, 5e-324, 1.5), (5, 5e-324, 2.5)) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, scan_integral(x, at) OVER w AS seconds FROM (VALUES (1, 1e308::float8, '2024-01-01'::timestamptz), (2, 1e308, '2024-01-01 00:00:00.5'), (3, -1e308, '2024-01-01 00:00:01.5')) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, scan_integral(x, at) OVER w AS numeric FROM (VALUES (1, 1e-300::float8, 0), (2, 1e-300, 1e300), (3, 0.1, 1e300 + 1e-20)) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
-- NaN and infinities: as in a sum; a step of no time adds nothing.
SELECT i, x, at, scan_integral(x, at) OVER w AS linear, scan_integral(x, at, 'previous') OVER w AS previous, scan_integral(x, at::numeric) OVER w AS numeric FROM (VALUES (1, 'NaN'::float8, 1), (2, 1, 1), (3, 2, 2), (4, 'Infinity', 3), (5, 1, 4), (6, '-Infinity', 5), (7, 1, 6)) AS t(i, x, at) WINDOW w AS (ORDER BY i) ORDER BY i;
-- An area out of range is an error at its row.
SELECT node, oracle.rows_of('SELECT scan_integral(x, at, ''previous'') OVER (ORDER BY at) FROM (VALUES (1e308::float8, 1), (1e308, 2), (1, 3), (1, 4)) AS t(x, at)') AS float8,
       oracle.rows_of('SELECT scan_integral(x, at, ''previous'') OVER (ORDER BY at) FROM (VALUES (1e308::float8, 1::numeric), (1e308, 2), (1, 3), (1, 4)) AS t(x, at)') AS numeric
FROM unnest(ARRAY['off', 'force']) AS node, LATERAL set_config('scan.prefixscan', node, false);
RESET scan.prefixscan;

-- Against exact sums of numerics, rounded once: sizes 0..1025.
CREATE TEMP TABLE sample AS
SELECT size, i, reset, sum(h >> 8 & 3) OVER (PARTITION BY size ORDER BY i) AS at, CASE WHEN NOT hole THEN (h >> 11)::float8 / 1e9 * oracle.two((h & 31)::int) END AS x FROM oracle.cell;
WITH rows AS (
  SELECT *, count(*) FILTER (WHERE reset) OVER (PARTITION BY size ORDER BY i) AS segment FROM sample
), steps AS (
  SELECT *, oracle.exact(x) AS v, lag(oracle.exact(x)) OVER w AS v1, at - lag(at) OVER w AS step FROM rows WHERE x IS NOT NULL WINDOW w AS (PARTITION BY size, segment ORDER BY i)
), wanted AS (
  SELECT size, i, coalesce(sum((v + v1) * step * 0.5) OVER w, 0)::float8 AS linear, coalesce(sum(v1 * step) OVER w, 0)::float8 AS previous FROM steps WINDOW w AS (PARTITION BY size, segment ORDER BY i)
), scanned AS (
  SELECT size, i, x, scan_integral(x, at::int8, reset => reset) OVER w AS linear, scan_integral(x, at::float8, 'previous', reset) OVER w AS previous, scan_integral(x, at, 'linear', reset) OVER w AS numeric FROM sample WINDOW w AS (PARTITION BY size ORDER BY i)
)
SELECT count(*) AS compared, count(*) FILTER (WHERE s.linear IS DISTINCT FROM w.linear OR s.previous IS DISTINCT FROM w.previous OR s.numeric IS DISTINCT FROM w.linear) AS different
FROM (SELECT * FROM scanned WHERE x IS NOT NULL) AS s FULL JOIN wanted AS w USING (size, i);

-- Errors.
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_integral(i, -i)', 'scan_integral(i, (-i)::int8)', 'scan_integral(i, (-i)::numeric)', 'scan_integral(i, ''2024-01-04''::date - i)', 'scan_integral(i, ''2024-01-04''::timestamp - i * interval ''1 s'')', 'scan_integral(nullif(i, 2), ''2024-01-04 00:00+00''::timestamptz - i * interval ''1 s'')',
  'scan_integral(i, ''infinity''::date)', 'scan_integral(i, ''-infinity''::timestamp)', 'scan_integral(i, ''Infinity''::float8)', 'scan_integral(i, ''NaN''::numeric)',
  'scan_integral(i, i, ''trapezoid'')', 'scan_integral(i, i, NULL)', 'scan_integral(i, i, CASE WHEN i < 3 THEN ''linear'' ELSE ''previous'' END)', 'scan_integral(i, -i, reset => true)']) AS call;
-- An area that is negative when a product below the doubles comes, and is nearly cancelled: 2^-1071 is left.
SELECT i, scan_integral(y, at, 'previous') OVER (ORDER BY i) AS y FROM (VALUES (1, -1::float8, 0::float8), (2, 7.9e-323, 1), (3, 1, 1.5), (4, 0, 2.5)) AS t(i, y, at) ORDER BY i;
