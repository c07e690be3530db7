-- time_in_state: the time for which a state is true, from each row to the next.  Random rows: test/t/time_average.t.
\pset null -
SET intervalstyle = postgres;
SET timezone = 'Europe/Berlin';
CREATE TABLE pump AS SELECT * FROM (VALUES (1, timestamptz '2026-03-28 08:00', true), (2, '2026-03-28 09:30', false), (3, '2026-03-28 10:00', true), (4, '2026-03-28 10:00', NULL), (5, '2026-03-28 11:00', true), (6, NULL, false), (7, '2026-03-30 12:00', true)) AS t (i, at, runs);
SELECT time_in_state(runs, at ORDER BY at, i) AS runs, time_in_state(NOT runs, at ORDER BY at, i) AS stands, time_in_state(runs IS NULL, at ORDER BY at, i) AS unknown, time_in_state(true, at ORDER BY at) AS all, max(at) - min(at) AS difference FROM pump WHERE at IS NOT NULL;
SELECT i, at, runs, time_in_state(runs, at) OVER w AS so_far, time_in_state(runs, at) OVER (ORDER BY at, i ROWS 2 PRECEDING) AS "of three rows" FROM pump WINDOW w AS (ORDER BY at, i) ORDER BY at, i;
-- All types of `at`.
SELECT time_in_state(s, d ORDER BY d) AS date, time_in_state(s, d::timestamp ORDER BY d) AS timestamp, time_in_state(s, d::timestamptz ORDER BY d) AS timestamptz, time_in_state(s, d - '2026-01-01' ORDER BY d) AS int4, time_in_state(s, (d - '2026-01-01')::int8 ORDER BY d) AS int8, time_in_state(s, (d - '2026-01-01')::float8 ORDER BY d) AS float8, time_in_state(s, (d - '2026-01-01')::numeric(9,2) ORDER BY d) AS numeric
FROM (VALUES (true, date '2026-03-28'), (false, '2026-03-30'), (true, '2026-04-01')) AS t (s, d);
-- No rows, rows that are skipped, one row, equal times; limits of the types; the exact sum of doubles.
SELECT time_in_state(true, 1) FILTER (WHERE false) AS none, time_in_state(true, NULL::int8) AS skipped, time_in_state(true, 1) AS one, time_in_state(NULL, 1) AS unknown, time_in_state(true, NULL::numeric) AS skipped, time_in_state(true, 1.5) AS one FROM generate_series(1, 1);
SELECT time_in_state(true, at ORDER BY at) FROM (VALUES (-9223372036854775808), (-2)) AS t (at);
SELECT time_in_state(s, at ORDER BY at) FROM (VALUES (true, '4713-01-01 BC'::timestamp), (true, '294276-12-31 23:59:59.999999')) AS t (s, at);
SELECT time_in_state(s, at ORDER BY at) FROM (VALUES (true, 0.1::float8), (false, 0.3), (true, 1e300), (false, 1.0000000000000002e300)) AS t (s, at);
SELECT i, time_in_state(i % 2 = 0, at) OVER (ORDER BY i ROWS 1 PRECEDING) AS float8, time_in_state(i % 2 = 0, at::text::numeric) OVER (ORDER BY i ROWS 1 PRECEDING) AS numeric FROM (VALUES (1, 0.1::float8), (2, 1e-30), (3, 1e30), (4, 1.5e30), (5, 1.5e30)) AS t (i, v), LATERAL (SELECT CASE WHEN i = 1 THEN -1 ELSE v END) AS u (at);
-- Errors.
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT time_in_state(runs, at ORDER BY at DESC) FROM pump$$, $$SELECT time_in_state(true, -i::numeric) FROM generate_series(1, 2) AS i$$, $$SELECT time_in_state(true, -i) OVER (ORDER BY i ROWS 1 PRECEDING) FROM generate_series(1, 2) AS i$$, $$SELECT time_in_state(true, 'infinity'::date)$$, $$SELECT time_in_state(true, 'NaN'::float8)$$, $$SELECT time_in_state(true, 'NaN'::numeric)$$,
  $$SELECT time_in_state(true, at ORDER BY at) FROM (VALUES (-9223372036854775808), (0)) AS t (at)$$, $$SELECT time_in_state(true, at ORDER BY at) FROM (VALUES (-1.7e308::float8), (1.7e308)) AS t (at)$$, $$SELECT time_in_state(1, 1)$$, $$SELECT time_in_state(true, now()::time)$$, $$SELECT time_in_state_add_int8(NULL, true, 1)$$]) AS q;
