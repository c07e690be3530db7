-- gapfill: scan_gapfill, the starts of the buckets without a time.  Random arrays: test/t/gapfill.t.
\pset null -
SET datestyle = iso;
SET timezone = 'Europe/Berlin';
SELECT * FROM scan_gapfill(ARRAY[timestamp '2026-01-01 08:10', '2026-01-01 11:40', NULL, '2026-01-01 09:09'], '1 hour') AS g;
SELECT * FROM scan_gapfill(ARRAY[timestamp '2026-01-01 08:10', '2026-01-01 11:40'], '1 hour', '2026-01-01 07:00', '2026-01-01 14:00') AS g;
SELECT * FROM scan_gapfill(ARRAY[timestamp '2026-01-01 08:10', '2026-01-01 11:40'], '1 hour', "from" => '2026-01-01 08:00') AS g;
SELECT * FROM scan_gapfill(ARRAY[timestamp '2026-01-01 08:10', '2026-01-01 11:40'], '1 hour', "to" => '2026-01-01 10:10') AS g;
-- Months count from "from"; days follow the clocks.
SELECT * FROM scan_gapfill(ARRAY[date '2024-01-31', '2024-06-01'], '1 month') AS g;
SELECT * FROM scan_gapfill('{}'::timestamptz[], '1 day', '2026-03-28 02:30', '2026-03-31') AS g;
SELECT * FROM scan_gapfill('{}'::timestamptz[], '8 hours', '2026-03-28 18:00', '2026-03-29 18:00') AS g;
-- Numbers.
SELECT ARRAY(SELECT scan_gapfill('{3,9,4}'::int[], 2)) AS int4, ARRAY(SELECT scan_gapfill('{3,9,4}'::int8[], 2)) AS int8, ARRAY(SELECT scan_gapfill('{3,9,4}'::numeric[], 1.5)) AS numeric, ARRAY(SELECT scan_gapfill('{9223372036854775806}'::int8[], 2, 9223372036854775801, 9223372036854775807)) AS "the last ones", ARRAY(SELECT scan_gapfill('{2147483640}'::int[], 5, 2147483630, 2147483647)) AS "of int4";
-- Nothing to fill: no times, only NULL, bounds that exclude all.
SELECT (SELECT count(*) FROM scan_gapfill('{}'::int[], 1)) AS "no times", (SELECT count(*) FROM scan_gapfill(NULL::int[], 1, 1)) AS "no array", (SELECT count(*) FROM scan_gapfill(NULL::int[], 1, 1, 4)) AS "but bounds", (SELECT count(*) FROM scan_gapfill('{NULL}'::int[], 1, NULL, 5)) AS "NULL", (SELECT count(*) FROM scan_gapfill('{1,9}'::int[], 1, 5, 5)) AS empty, (SELECT count(*) FROM scan_gapfill('{1,9}'::int[], 1, 10)) AS "all before";
-- With the fills.
CREATE TABLE gapfill_reading AS SELECT * FROM (VALUES (1, timestamp '2026-01-01 08:00', 20::float8), (1, '2026-01-01 11:00', 26), (2, '2026-01-01 09:00', 5), (2, '2026-01-01 11:00', 7)) AS t (device, at, x);
SELECT at, x, scan_locf(x) OVER w AS last, scan_interpolate(x, at) OVER w AS line FROM (SELECT at, x FROM gapfill_reading WHERE device = 1 UNION ALL SELECT g, NULL FROM scan_gapfill(ARRAY(SELECT at FROM gapfill_reading WHERE device = 1), '1 hour') AS g) AS t WINDOW w AS (ORDER BY at) ORDER BY at;
SELECT device, at, scan_locf(x) OVER w AS last FROM (SELECT device, at, x FROM gapfill_reading UNION ALL SELECT device, g, NULL FROM (SELECT device, array_agg(at) AS ats FROM gapfill_reading GROUP BY device) AS d, scan_gapfill(ats, '1 hour', NULL, '2026-01-01 13:00') AS g) AS t WINDOW w AS (PARTITION BY device ORDER BY at) ORDER BY device, at;
-- Errors.
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT scan_gapfill('{1}'::int[], 0)$$, $$SELECT scan_gapfill('{1}'::int[], NULL)$$, $$SELECT scan_gapfill('{1}'::numeric[], 'NaN')$$, $$SELECT scan_gapfill('{1}'::numeric[], -1)$$, $$SELECT scan_gapfill('{}'::timestamp[], '1 month -1 day')$$, $$SELECT scan_gapfill('{}'::timestamp[], '0')$$, $$SELECT scan_gapfill('{}'::date[], '36 hours')$$,
  $$SELECT scan_gapfill('{infinity}'::date[], '1 day')$$, $$SELECT scan_gapfill('{NaN}'::numeric[], 1)$$, $$SELECT scan_gapfill('{}'::timestamp[], '1 day', '-infinity')$$, $$SELECT scan_gapfill('{}'::numeric[], 1, 1, 'Infinity')$$, $$SELECT scan_gapfill('{1}'::float8[], 1)$$, $$SELECT count(*) FROM scan_gapfill('{}'::timestamp[], '100000 years', '2026-01-01', '294276-12-31')$$]) AS q;
