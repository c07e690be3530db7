/*
 * pictures.sql: the pictures of the demo, as SVG files.  demo.sql includes it after svg.sql, when the tables stock, form,
 * bands and cusum hold its answers.  A query makes each picture, and \g writes what the query gives.
 */

\set speed_svg :out /speed.svg
\set vix_svg :out /vix.svg
\set cusum_svg :out /cusum.svg
\setenv SCAN_DEMO_OUT :out
\! mkdir -p "$SCAN_DEMO_OUT"

-- A step of 1, 2 or 5 times a power of ten that divides a length into four to ten parts.
CREATE FUNCTION pg_temp.tick_step(length float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT max(step)
    FROM generate_series(-6, 9) AS e CROSS JOIN LATERAL (VALUES (10::float8 ^ e), (2 * 10::float8 ^ e), (5 * 10::float8 ^ e)) AS s (step)
    WHERE step * 4 <= length
$$;

-- ------------------------------------------------------------- speed.svg

-- Bars in groups, a group for each query, on one axis of time.
CREATE TEMP TABLE bar AS
SELECT place AS query, bar, format('%s, over %s rows', name, to_char(takes, 'FM999,999,999')) AS title, label, ms, ours,
       CASE WHEN ours THEN format('%s times as fast', pg_temp.shown(ms_off / ms_on)) END AS note
FROM stock CROSS JOIN LATERAL (VALUES (1, 'without PrefixScan', ms_off, false), (2, 'with PrefixScan', ms_on, true)) AS b (bar, label, ms, ours)
UNION ALL
SELECT 4, 4 - place, format('running total with a floor, over %s rows', to_char((SELECT count(*) FROM reading), 'FM999,999,999')), form, ms, place = 1,
       CASE WHEN place = 1 THEN format('%s times as fast as the loop', pg_temp.shown((SELECT ms FROM form WHERE place = 2) / ms)) END
FROM form;

WITH placed AS (
    SELECT *, 70 + 24 * row_number() OVER (ORDER BY query, bar) + 36 * (query - 1) AS y FROM bar
), axis AS (
    SELECT max(ms) AS longest, max(y) + 28 AS bottom, pg_temp.tick_step(max(ms)) AS step FROM placed
), grid AS (
    SELECT string_agg(concat_ws(E'\n',
               pg_temp.line(x, 74, x, bottom),
               pg_temp.label(x, bottom + 18, to_char(tick, 'FM999,999,990'), 'middle', 12, '#555555')), E'\n') AS elements
    FROM axis CROSS JOIN LATERAL generate_series(0, longest::numeric, step::numeric) AS tick
         CROSS JOIN LATERAL pg_temp.map(tick, 0, longest, 180, 720) AS x
), bars AS (
    SELECT string_agg(concat_ws(E'\n',
               CASE WHEN bar = 1 THEN pg_temp.label(180, y - 8, title, 'start', 14, '#111111', 'bold') END,
               pg_temp.label(172, y + 14, label, 'end'),
               pg_temp.box(180, y, greatest(x - 180, 1), 19, CASE WHEN ours THEN '#0072b2' ELSE '#a6a6a6' END),
               pg_temp.label(greatest(x, 181) + 7, y + 14, concat_ws(', ', to_char(ms, CASE WHEN ms < 10 THEN 'FM990.0' ELSE 'FM999,999,990' END) || ' ms', note),
                             'start', 13, '#333333', CASE WHEN ours THEN 'bold' ELSE 'normal' END)), E'\n' ORDER BY query, bar) AS elements
    FROM placed CROSS JOIN axis CROSS JOIN LATERAL pg_temp.map(ms, 0, longest, 180, 720) AS x
)
SELECT pg_temp.picture(900, (bottom + 78)::int, 'The same rows in less time',
           'Three stock queries, unchanged, and a total that stock SQL needs a loop for. One process; least of up to three turns.',
           'Data: readings that the demo generates by a formula. Drawn by SQL: test/demo/pictures.sql.',
           concat_ws(E'\n', grid.elements, bars.elements, pg_temp.line(180, 74, 180, bottom, '#555555'),
                     pg_temp.label(450, bottom + 38, 'milliseconds', 'middle', 12, '#555555')))
FROM axis CROSS JOIN grid CROSS JOIN bars
\g (format=unaligned tuples_only=on) :speed_svg

-- --------------------------------------------------------------- vix.svg

-- 2020 from x = 60 to x = 876; the VIX from 0 at y = 440 to 90 at y = 110.
WITH placed AS (
    SELECT day, close, median, close > middle + width AND width > 0 AS above,
           pg_temp.map(day - date '2020-01-01', 0, 366, 60, 876) AS x,
           pg_temp.map(close, 0, 90, 440, 110) AS y_close, pg_temp.map(median, 0, 90, 440, 110) AS y_median,
           pg_temp.map(middle, 0, 90, 440, 110) AS y_middle,
           pg_temp.map(middle + width, 0, 90, 440, 110) AS y_upper, pg_temp.map(middle - width, 0, 90, 440, 110) AS y_lower
    FROM bands
    WHERE day BETWEEN '2020-01-01' AND '2020-12-31'
), curves AS (
    SELECT concat_ws(E'\n',
               pg_temp.area(string_agg(pg_temp.point(x, y_upper), ' ' ORDER BY day) || ' ' || string_agg(pg_temp.point(x, y_lower), ' ' ORDER BY day DESC), '#cfe4f2'),
               pg_temp.curve(string_agg(pg_temp.point(x, y_middle), ' ' ORDER BY day), '#56b4e9'),
               pg_temp.curve(string_agg(pg_temp.point(x, y_median), ' ' ORDER BY day), '#e69f00', 2),
               pg_temp.curve(string_agg(pg_temp.point(x, y_close), ' ' ORDER BY day), '#222222', 1.6),
               string_agg(pg_temp.dot(x, y_close, 3.8, '#d55e00'), E'\n') FILTER (WHERE above)) AS elements
    FROM placed
), highest AS (
    SELECT pg_temp.label(x + 10, y_close + 4, format('%s on %s', close, to_char(day, 'FMDD FMMonth')), 'start', 12, '#333333') AS elements
    FROM placed
    ORDER BY close DESC
    LIMIT 1
), grid AS (
    SELECT string_agg(pg_temp.line(60, y, 876, y) || E'\n' || pg_temp.label(52, y + 4, level::text, 'end', 12, '#555555'), E'\n') AS elements
    FROM generate_series(0, 90, 10) AS level CROSS JOIN LATERAL pg_temp.map(level, 0, 90, 440, 110) AS y
), months AS (
    SELECT string_agg(pg_temp.line(x, 440, x, 446, '#555555') || E'\n' || pg_temp.label(x + 34, 458, to_char(month, 'Mon'), 'middle', 12, '#555555'), E'\n') AS elements
    FROM generate_series(timestamp '2020-01-01', '2020-12-01', '1 month') AS month
         CROSS JOIN LATERAL pg_temp.map(month::date - date '2020-01-01', 0, 366, 60, 876) AS x
), legend AS (
    SELECT concat_ws(E'\n',
               pg_temp.line(60, 84, 86, 84, '#222222', 2), pg_temp.label(92, 88, 'close'),
               pg_temp.line(148, 84, 174, 84, '#56b4e9', 2), pg_temp.label(180, 88, 'average of 20 days'),
               pg_temp.box(332, 77, 26, 14, '#cfe4f2'), pg_temp.label(364, 88, 'Bollinger band'),
               pg_temp.line(490, 84, 516, 84, '#e69f00', 2), pg_temp.label(522, 88, 'median of 20 days'),
               pg_temp.dot(676, 84, 3.8, '#d55e00'), pg_temp.label(686, 88, 'close above the band')) AS elements
)
SELECT pg_temp.picture(900, 510, 'The VIX of 2020 and its Bollinger band',
           'The band is the moving average of 20 closes, and twice their standard deviation on either side.',
           'Data: CBOE Volatility Index, test/demo/vix-daily.csv, from github.com/datasets/finance-vix. Drawn by SQL: test/demo/pictures.sql.',
           concat_ws(E'\n', grid.elements, months.elements, curves.elements, highest.elements, pg_temp.line(60, 440, 876, 440, '#555555'), legend.elements,
                     pg_temp.label(468, 478, '2020', 'middle', 12, '#555555'),
                     format('<text transform="translate(18,275) rotate(-90)" text-anchor="middle" font-size="12" fill="#555555">VIX, points</text>')))
FROM grid CROSS JOIN months CROSS JOIN curves CROSS JOIN highest CROSS JOIN legend
\g (format=unaligned tuples_only=on) :vix_svg

-- ------------------------------------------------------------- cusum.svg

-- Three panels, one below the other, 130 pixels high, of all years from x = 70 to x = 876.
CREATE TEMP TABLE panel (panel int, title text, colour text, low float8, high float8, step float8, bottom float8);
INSERT INTO panel
SELECT panel, title, colour, low, high, pg_temp.tick_step(high - low), 68 + 165 * panel
FROM (SELECT 1 AS panel, 'VIX, close, in points' AS title, '#222222' AS colour, 0::float8 AS low, max(close)::float8 AS high FROM cusum
      UNION ALL
      SELECT 2, 'running total of (change - 0.5), with a floor: scan_clamped_sum(change - 0.5, lower => 0, upper => NULL)', '#0072b2', 0, max(with_floor) FROM cusum
      UNION ALL
      SELECT 3, 'the same total without a floor: scan_sum(change - 0.5)', '#a6a6a6', min(plain), 0 FROM cusum) AS p;

WITH time AS (
    SELECT date_trunc('year', min(day))::date AS first, max(day) AS last FROM cusum
), placed AS (
    SELECT panel, day, value, pg_temp.map(day - first, 0, last - first, 70, 876) AS x, pg_temp.map(value, low, high, bottom, bottom - 125) AS y
    FROM cusum CROSS JOIN time CROSS JOIN LATERAL (VALUES (1, close), (2, with_floor), (3, plain)) AS v (panel, value) JOIN panel USING (panel)
    WHERE value IS NOT NULL
), curves AS (
    SELECT string_agg(pg_temp.curve(points, colour, 1.1), E'\n') AS elements
    FROM (SELECT panel, string_agg(pg_temp.point(x, y), ' ' ORDER BY day) AS points FROM placed GROUP BY panel) AS p JOIN panel USING (panel)
), frames AS (
    SELECT string_agg(concat_ws(E'\n',
               pg_temp.label(70, bottom - 134, title, 'start', 13, '#333333', 'bold'),
               pg_temp.line(70, bottom, 876, bottom, '#555555')), E'\n') AS elements
    FROM panel
), grid AS (
    SELECT string_agg(pg_temp.line(70, y, 876, y) || E'\n' || pg_temp.label(62, y + 4, to_char(tick, 'FM999,990'), 'end', 11, '#555555'), E'\n') AS elements
    FROM panel CROSS JOIN LATERAL generate_series((ceil(low / step) * step)::numeric, high::numeric, step::numeric) AS tick
         CROSS JOIN LATERAL pg_temp.map(tick, low, high, bottom, bottom - 125) AS y
), years AS (
    SELECT string_agg(pg_temp.line(x, 108, x, 563, '#eeeeee') || E'\n' || pg_temp.label(x, 581, extract(year FROM year)::text, 'middle', 12, '#555555'), E'\n') AS elements
    FROM time CROSS JOIN LATERAL generate_series(first::timestamp, last, '5 years') AS year
         CROSS JOIN LATERAL pg_temp.map(year::date - first, 0, last - first, 70, 876) AS x
), peaks AS (
    -- the day of the highest total of a year, for the four highest
    SELECT string_agg(pg_temp.dot(x, y, 3, '#d55e00') || E'\n' || pg_temp.label(x - 6, y + 5, to_char(day, 'Mon YYYY'), 'end', 11), E'\n') AS elements
    FROM (SELECT * FROM (SELECT DISTINCT ON (date_trunc('year', day)) * FROM placed WHERE panel = 2 ORDER BY date_trunc('year', day), value DESC) AS p
          ORDER BY value DESC LIMIT 4) AS p
)
SELECT pg_temp.picture(900, 622, 'A running total with a floor rises at once when the VIX does',
           'CUSUM of the VIX: each day adds its change less 0.5. With a floor the total is near zero when the VIX begins to climb.',
           'Data: CBOE Volatility Index, test/demo/vix-daily.csv, from github.com/datasets/finance-vix. Drawn by SQL: test/demo/pictures.sql.',
           concat_ws(E'\n', years.elements, grid.elements, frames.elements, curves.elements, peaks.elements))
FROM years CROSS JOIN grid CROSS JOIN frames CROSS JOIN curves CROSS JOIN peaks
\g (format=unaligned tuples_only=on) :cusum_svg
