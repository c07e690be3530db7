-- session: scan_session, the number of the session a row lies in: a new one where
-- at > previous + gap, previous being the row before that has a value.
\pset null -
SET datestyle = iso;
SET intervalstyle = postgres;
SELECT i, at, reset,
       scan_session(at, 5) OVER w AS "gap 5",
       scan_session(at, 0) OVER w AS "gap 0",
       scan_session(at, gap => 5, reset => reset) OVER w AS segments,
       scan_session(at::int2, 5) OVER w AS int2, scan_session(at::int8, 5) OVER w AS int8,
       scan_session(at::float8, 5) OVER w AS float8, scan_session(at::numeric, 5) OVER w AS numeric,
       scan_session('2024-01-01'::date + at, '5 days') OVER w AS date,
       scan_session('2024-01-01'::timestamp + make_interval(mins => at), '5 min') OVER w AS timestamp,
       scan_session('2024-01-01'::timestamptz + make_interval(mins => at), '5 min') OVER w AS timestamptz
FROM (VALUES (1, NULL, false), (2, 1, false), (3, 3, false), (4, 8, false), (5, 14, NULL), (6, 14, true),
             (7, NULL, true), (8, 30, false), (9, NULL, false), (10, 35, false), (11, 50, false), (12, 20, false), (13, 25, false)) AS t(i, at, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- Integers: a step may be wider than the type.
SELECT i, at, scan_session(at, 9223372036854775807) OVER w AS "largest gap", scan_session(at, 9223372036854775806) OVER w AS "one less", scan_session(at, 0) OVER w AS "gap 0"
FROM (VALUES (1, -9223372036854775808), (2, -1), (3, 9223372036854775806), (4, 9223372036854775807), (5, -9223372036854775808), (6, 0), (7, 9223372036854775807)) AS t(i, at)
WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, scan_session(at::int2, 65534) OVER w AS int2, scan_session(at::int2, 65535) OVER w AS int2_wide, scan_session(at::int4 * 65536, 65535 * 65536::bigint - 1) OVER w AS int4
FROM (VALUES (1, -32768), (2, 32767)) AS t(i, at) WINDOW w AS (ORDER BY i);

-- float8: the step is exact.  0.4 lies more than 0.1 above 0.3, though 0.3 + 0.1 = 0.4
-- when rounded; 1e16 + 1 is no double at all; from -1e-20 to 1 it is more than 1, from
-- 1e-20 less.
SELECT i, at, gap, scan_session(at, gap) OVER (PARTITION BY gap ORDER BY i), CASE WHEN gap < 1e300 THEN at > lag(at) OVER (PARTITION BY gap ORDER BY i) + gap END AS rounded
FROM (VALUES (1, 0.1::float8, 0.1::float8), (2, 0.2, 0.1), (3, 0.3, 0.1), (4, 0.4, 0.1), (5, 0.5, 0.1), (1, 1e16, 1), (2, 1e16 + 2, 1), (3, 1e16 + 2, 1),
             (4, -1e-20, 1), (5, 1, 1), (6, 1e-20, 1), (7, 1, 1),
             (1, -1.7e308, 1.7e308), (2, 0, 1.7e308), (3, 1.7e308, 1.7e308), (4, -1.7e308, 1.7e308), (5, 1.7e308, 1.7e308),
             (1, 0, 4.9e-324), (2, 4.9e-324, 4.9e-324), (3, 1.5e-323, 4.9e-324)) AS t(i, at, gap)
ORDER BY gap, i;
-- Infinity: nothing but NaN follows it; everything follows minus infinity, at any finite gap.
SELECT i, at, scan_session(at, 1) OVER w AS float8, scan_session(at, 'Infinity') OVER w AS "infinite gap", scan_session(at::numeric, 1) OVER w AS numeric,
       scan_session(at::numeric, 'Infinity') OVER w AS "infinite gap",
       scan_session(d, '1 day') OVER w AS date, scan_session(d::timestamp, '1 day') OVER w AS timestamp, scan_session(d::timestamptz, '1 day') OVER w AS timestamptz
FROM (VALUES (1, '-Infinity'::float8, '-infinity'::date), (2, '-Infinity', '-infinity'), (3, 5, '2024-01-01'), (4, 'Infinity', 'infinity'), (5, 'Infinity', 'infinity'), (6, 6, '2024-01-02'), (7, 'NaN', NULL), (8, 'NaN', NULL), (9, 'Infinity', NULL)) AS t(i, at, d)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- No step is wider than an infinite gap: minus infinity plus infinity is NaN, and nothing is above that.
SELECT x, scan_session(x, 'Infinity') OVER w AS float8, scan_session(x::numeric, 'Infinity') OVER w AS numeric FROM (VALUES ('-Infinity'::float8), ('NaN')) AS t(x) WINDOW w AS (ORDER BY x);

-- The calendar: a day is 23 hours in New York's March, 25 in its November; a month
-- is what it is.
SET timezone = 'America/New_York';
SELECT at, scan_session(at, '1 day') OVER w AS "1 day", scan_session(at, '24 hours') OVER w AS "24 hours"
FROM (VALUES ('2024-03-09 12:00'::timestamptz), ('2024-03-10 12:30'), ('2024-03-11 12:30')) AS t(at) WINDOW w AS (ORDER BY at);
SELECT at, scan_session(at, '1 day') OVER w AS "1 day", scan_session(at, '24 hours') OVER w AS "24 hours"
FROM (VALUES ('2024-11-02 12:00'::timestamptz), ('2024-11-03 11:30'), ('2024-11-04 11:30')) AS t(at) WINDOW w AS (ORDER BY at);
SELECT at, scan_session(at, '1 month') OVER w AS timestamptz, scan_session(at::timestamp, '1 month') OVER w AS timestamp, scan_session(at::date, '1 month') OVER w AS date,
       scan_session(at::date, '30 days') OVER w AS "30 days"
FROM (VALUES ('2024-01-31'::timestamptz), ('2024-02-29'), ('2024-03-29'), ('2024-04-30')) AS t(at) WINDOW w AS (ORDER BY at);
RESET timezone;
-- The ends of the calendar: the gap reaches beyond the last timestamp there is.
SELECT scan_session(at, '100000 years') OVER w AS months, scan_session(at, '36500000 days') OVER w AS days, scan_session(at::timestamptz, '876000000 hours') OVER w AS hours, scan_session(at::date, '36500000 days') OVER w AS date
FROM (VALUES ('4713-01-01 BC'::timestamp), ('0001-01-01'), ('294276-12-31')) AS t(at) WINDOW w AS (ORDER BY at);

-- Against plain comparisons of each value with the value before (`step`), sizes
-- 0..1025, with NULLs, descending steps, resets.
CREATE FUNCTION pg_temp.compared(at text, gap text, step text, OUT compared bigint, OUT different bigint, OUT sessions bigint)
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('
    WITH rows AS (
      SELECT size, i, use_reset AND reset AS reset, use_reset, %s AS at,
             count(*) FILTER (WHERE use_reset AND reset) OVER (PARTITION BY use_reset, size ORDER BY i) AS segment
      FROM sample, (VALUES (false), (true)) AS t(use_reset)
    ), given AS (
      SELECT *, lag(at) OVER (PARTITION BY use_reset, size, segment ORDER BY i) AS previous FROM rows WHERE at IS NOT NULL
    ), numbered AS (
      SELECT *, 1 + count(*) FILTER (WHERE %s) OVER (PARTITION BY use_reset, size, segment ORDER BY i) AS number FROM given
    ), wanted AS (
      SELECT use_reset, size, i, max(number) OVER (PARTITION BY use_reset, size, r.segment ORDER BY i) AS y
      FROM rows AS r LEFT JOIN numbered USING (use_reset, size, i)
    ), scanned AS (
      SELECT use_reset, size, i, scan_session(at, %s, reset) OVER (PARTITION BY use_reset, size ORDER BY i) AS y FROM rows
    )
    SELECT count(*), count(*) FILTER (WHERE s.y IS DISTINCT FROM w.y), max(s.y)
    FROM scanned AS s FULL JOIN wanted AS w USING (use_reset, size, i)', at, step, gap)
  INTO compared, different, sessions;
END $$;
CREATE TEMP TABLE sample AS
SELECT size, i, reset, CASE WHEN NOT hole THEN sum(h & 15) OVER (PARTITION BY size ORDER BY i) - CASE WHEN h >> 8 & 15 = 0 THEN 20 ELSE 0 END END AS n, h FROM oracle.cell;
SELECT t.*, c.*
FROM (VALUES ('n::int2', '15', 'at::int8 - previous > 15'),
             ('n::int4', '20', 'at - previous > 20'),
             ('n::int8', '0', 'at > previous'),
             ('CASE WHEN n IS NOT NULL THEN h END', '9223372036854775807', 'at::numeric - previous > 9223372036854775807'),
             ('n::float8 / 10', '1.5', 'oracle.exact(at) - oracle.exact(previous) > 1.5'),
             ('n::float8 / 10', '0.1', 'oracle.exact(at) - oracle.exact(previous) > oracle.exact(0.1)'),
             ('n::float8 * 1e300', '2e301', 'oracle.exact(at) - oracle.exact(previous) > oracle.exact(2e301)'),
             ('n::numeric / 3', '5', 'at - previous > 5'),
             ('''2024-01-01''::date + n::int', '''15 days''', 'at - previous > 15'),
             ('''2024-01-01''::date + n::int', '''15 days 1 hour''', 'at > previous + interval ''15 days 1 hour'''),
             ('''2024-01-01''::date + n::int', '''1 month -16 days''', 'at > previous + interval ''1 month -16 days'''),
             ('''2024-01-01''::timestamp + n * interval ''1 min''', '''15 min''', 'at > previous + interval ''15 min'''),
             ('''2024-01-01''::timestamptz + n * interval ''1 hour''', '''1 day''', 'at > previous + interval ''1 day'''),
             ('''2024-01-01''::timestamptz + n * interval ''1 day''', '''0.5 mon''', 'at > previous + interval ''0.5 mon''')) AS t(at, gap, step),
     LATERAL pg_temp.compared(at, gap, step) AS c;
-- A gap that leads beyond the end of time: nothing is further apart.
SELECT at, scan_session(at, '1 month') OVER w AS "1 month", scan_session(at::timestamptz, '1 day') OVER w AS "1 day", scan_session(at, '400000 years') OVER w AS "400000 years"
FROM (VALUES ('294276-12-01'::timestamp), ('294276-12-02'), ('294276-12-31 12:00')) AS t(at) WINDOW w AS (ORDER BY at) ORDER BY at;
