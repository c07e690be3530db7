-- ema_by_time: scan_ema(value, at, half_life, reset) over times without a zone.
\pset null -
SET datestyle = iso;
SET intervalstyle = postgres;
SET timezone = 'UTC';
-- scan_ema by times without a zone: a day has 24 hours, whatever the session's zone is.
SET timezone = 'Europe/Berlin';
SELECT at, scan_ema(x, at, '1 day') OVER w AS timestamp, scan_ema(x, at::date, '1 day') OVER w AS date, scan_ema(x, at::timestamptz, '1 day') OVER w AS timestamptz, scan_ema(x, at, '1 day', reset => x = 9) OVER w AS segments
FROM (VALUES (1, timestamp '2024-03-30 00:00'), (3, '2024-03-31 00:00'), (NULL, '2024-03-31 12:00'), (5, '2024-04-01 00:00'), (9, '2024-04-02 00:00'), (7, '2024-04-02 00:00'), (7, NULL)) AS t(x, at) WINDOW w AS (ORDER BY at, x DESC) ORDER BY at, x DESC;
SET timezone = 'UTC';
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_ema(i, ''2024-01-04''::date - i, ''1 day'')', 'scan_ema(i, ''2024-01-04''::timestamp - i * interval ''1 s'', ''1 day'')', 'scan_ema(i, ''infinity''::date, ''1 day'')', 'scan_ema(i, ''-infinity''::timestamp, ''1 day'')', 'scan_ema(i, ''2024-01-04''::date, ''-1 day'')']) AS call;
