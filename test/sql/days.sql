-- days: limits between dates that are integers, numbers of days.
\pset null -
SET datestyle = iso;
SET intervalstyle = postgres;
SET timezone = 'UTC';
-- Between dates, an integer counts days.  A literal without a type is an interval, as it is for other times.
SELECT at, scan_session(at, 2) OVER w AS "2 days", scan_session(at, 2::smallint) OVER w AS smallint, scan_session(at, '2 days') OVER w AS interval, scan_session(at, 0) OVER w AS "0 days",
       scan_locf(x, at, 2) OVER w AS locf, scan_nocb(x, at, 2) OVER w AS nocb, scan_interpolate(x, at, 5) OVER w AS interpolate, scan_interpolate(x, at, 4) OVER w AS "4 days"
FROM (VALUES (1, '2024-02-27'::date), (NULL, '2024-02-29'), (NULL, '2024-03-01'), (6, '2024-03-03'), (NULL, '2024-03-03'), (NULL, NULL), (NULL, '2024-03-31')) AS t(x, at) WINDOW w AS (ORDER BY at) ORDER BY at;
-- No day is added beyond the end of time, and infinities are as far from each other as `at > previous + gap` says.
SELECT at, scan_session(at, 2147483647) OVER w AS longest, scan_session(at, 0) OVER w AS shortest FROM unnest('{-infinity,-infinity,4713-01-01 BC,2024-01-01,294276-12-31,infinity,infinity}'::date[]) AS at WINDOW w AS (ORDER BY at) ORDER BY at;
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_session(''2024-01-01''::date + i, -1)', 'scan_session(''2024-01-01''::date + i, i)', 'scan_session(''2024-01-01''::date + i, NULL)', 'scan_session(''2024-01-01''::date + i, NULL::integer)', 'scan_locf(i, ''2024-01-01''::date + i, -1)',
  'scan_nocb(i, ''2024-01-01''::date + i, -1)', 'scan_interpolate(i, ''2024-01-01''::date + i, -1)', 'scan_session(''6000-01-01''::date + i, 1::bigint)', 'scan_session(''400000-01-01''::date + i, 1)', 'scan_session(now() + i * interval ''1 day'', 1)']) AS call;
