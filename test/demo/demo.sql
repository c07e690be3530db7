/*
 * demo.sql: real data, scanned.  `make demo` runs it; by hand, from the
 * project's root: psql -X -q -v ON_ERROR_STOP=1 -f test/demo/demo.sql
 *
 * Eleven short tables, each headed by the call that makes it.  The first and the
 * last are also proofs: it fails unless every count of the file comes back, and
 * unless the loops give the answers of the scans.  All tables are temporary, so
 * nothing but the extension stays in the database.
 */

\set ON_ERROR_STOP on
\pset footer off
\pset pager off
\pset null '-'
SET client_min_messages = warning;

CREATE EXTENSION IF NOT EXISTS scan;

-- ------------------------------------------------------------- the files

CREATE TEMP TABLE vix (day date PRIMARY KEY, open numeric(8,2), high numeric(8,2), low numeric(8,2), close numeric(8,2));
\copy vix FROM 'test/demo/vix-daily.csv' (FORMAT csv, HEADER)

CREATE TEMP TABLE bond (day date PRIMARY KEY, yield numeric(5,2));
\copy bond FROM 'test/demo/us-10y-yield-monthly.csv' (FORMAT csv, HEADER)

CREATE TEMP TABLE covid (day date PRIMARY KEY, china bigint, us bigint, united_kingdom bigint, italy bigint,
                         france bigint, germany bigint, spain bigint, iran bigint);
\copy covid FROM 'test/demo/covid-key-countries.csv' (FORMAT csv, HEADER)

ANALYZE vix, bond, covid;

SELECT count(*) AS days, min(day) AS first, max(day) AS last FROM vix \gset vix_
\echo
\echo 'scan: exact scans over ordered rows, on real data'
\echo
\echo '  VIX, the volatility index of the US stock market:' :vix_days 'trading days,' :vix_first 'to' :vix_last
SELECT count(*) AS months, max(day) AS last FROM bond \gset bond_
SELECT count(*) AS days FROM covid \gset covid_
\echo '  yield of the 10-year US Treasury bond:' :bond_months 'months'
\echo '  confirmed COVID-19 cases:' :covid_days 'days in 8 countries'

-- ------------------------------------------------- 1. totals that restart

\echo
\echo
\echo '1. Running totals that start again'
\echo '   scan_sum(new_cases) OVER (PARTITION BY country ORDER BY day)'
\echo '   scan_sum(new_cases, reset => opening) OVER (ORDER BY country, day)'
\echo
\echo '   The file counts all cases up to a day.  Taken apart into daily differences and summed'
\echo '   up again, by partition or in one pass that resets at each country, it must come back.'
\echo

-- A correction makes a difference negative; it is a row like any other.
CREATE TEMP TABLE cases AS
SELECT country, day, total,
       total - coalesce(lag(total) OVER w, 0) AS new_cases,
       row_number() OVER w = 1 AS opening
FROM covid CROSS JOIN LATERAL (VALUES
         ('China', china), ('US', us), ('United Kingdom', united_kingdom), ('Italy', italy),
         ('France', france), ('Germany', germany), ('Spain', spain), ('Iran', iran)) AS c (country, total)
WINDOW w AS (PARTITION BY country ORDER BY day);

CREATE TEMP TABLE rebuilt AS
SELECT country, day, total, new_cases,
       scan_sum(new_cases) OVER (PARTITION BY country ORDER BY day) AS by_partition,
       scan_sum(new_cases, reset => opening) OVER (ORDER BY country, day) AS by_reset
FROM cases;

SELECT country,
       count(*) AS days,
       count(*) FILTER (WHERE new_cases < 0) AS "corrected down",
       max(total) FILTER (WHERE day = last_day) AS "in the file",
       max(by_partition) FILTER (WHERE day = last_day) AS "by partition",
       max(by_reset) FILTER (WHERE day = last_day) AS "by reset"
FROM rebuilt CROSS JOIN (SELECT max(day) AS last_day FROM rebuilt) AS l
GROUP BY country
ORDER BY "in the file" DESC;

SELECT count(*) FILTER (WHERE by_partition = total AND by_reset = total) AS exact, count(*) AS all FROM rebuilt \gset rows_
\echo '  ' :rows_exact 'of' :rows_all 'rows rebuilt exactly'

DO $$
BEGIN
    IF EXISTS (SELECT FROM rebuilt WHERE by_partition IS DISTINCT FROM total OR by_reset IS DISTINCT FROM total) THEN
        RAISE EXCEPTION 'the running totals do not give back the file';
    END IF;
END
$$;

-- ------------------------------------------------------------ 2. sessions

\echo
\echo
\echo '2. Sessions'
\echo '   scan_session(day, interval ''4 days'') OVER (ORDER BY day)'
\echo
\echo '   A session ends where the next day is more than a long weekend away.  The exchange'
\echo '   closed that long after 11 September 2001, at New Year 2007 and for the hurricane of 2012.'
\echo

SELECT session, min(day) AS "from", max(day) AS "to", count(*) AS "trading days"
FROM (SELECT day, scan_session(day, interval '4 days') OVER (ORDER BY day) AS session FROM vix) AS s
GROUP BY session
ORDER BY session;

-- -------------------------------------------------------- 3. forward fill

\echo
\echo '3. Forward fill'
\echo '   scan_locf(yield) OVER (ORDER BY day)'
\echo '   scan_locf(yield, max_gap => 3) OVER (ORDER BY day)'
\echo
\echo '   A monthly yield carried onto trading days: until the next one comes, or over at most'
\echo '   three rows.'
\echo

SELECT * FROM (
    SELECT day, close AS vix, yield,
           scan_locf(yield) OVER w AS carried,
           scan_locf(yield, max_gap => 3) OVER w AS "at most 3 rows"
    FROM vix FULL JOIN bond USING (day)
    WINDOW w AS (ORDER BY day)) AS filled
WHERE vix IS NOT NULL AND day BETWEEN '2026-05-28' AND '2026-06-08'
ORDER BY day;

-- ------------------------------------------------- 4. a floor at zero

\echo
\echo '4. A running total with a floor'
\echo '   scan_clamped_sum(change - 0.5, lower => 0, upper => NULL) OVER (ORDER BY day)'
\echo
\echo '   CUSUM, a watch for drifts: calm days wear the total down but never below zero, so that'
\echo '   it answers at once when the VIX climbs.  A plain total is thousands in debt by then.'
\echo

SELECT * FROM (
    SELECT day, close AS vix, change,
           scan_clamped_sum(change - 0.5, lower => 0, upper => NULL) OVER w AS "with a floor",
           scan_sum(change - 0.5) OVER w AS plain
    FROM (SELECT day, close, close - lag(close) OVER (ORDER BY day) AS change FROM vix) AS c
    WINDOW w AS (ORDER BY day)) AS cusum
WHERE day BETWEEN '2020-02-18' AND '2020-02-28'
ORDER BY day;

-- ---------------------------------------------------------- 5. compaction

SELECT count(*) AS kept FROM (SELECT scan_compact_index(close > 50) OVER (ORDER BY day) AS place FROM vix) AS p WHERE place IS NOT NULL \gset
\echo
\echo '5. Compaction'
\echo '   scan_compact_index(close > 50) OVER (ORDER BY day)'
\echo '   scan_compact(day, close > 50) OVER (ORDER BY day)'
\echo
\echo '   The VIX closed above 50 on' :kept 'of' :vix_days 'days.  Each kept row learns its place, and the kept'
\echo '   values move to the top: the first four rows hold what four rows far below held.'
\echo

SELECT row_number() OVER (ORDER BY day) AS row, day, close AS vix,
       scan_compact_index(close > 50) OVER (ORDER BY day) AS place,
       scan_compact(day, close > 50) OVER (ORDER BY day) AS "kept day",
       scan_compact(close, close > 50) OVER (ORDER BY day) AS "kept vix"
FROM vix
ORDER BY day
LIMIT 4;

SELECT * FROM (
    SELECT row_number() OVER (ORDER BY day) AS row, day, close AS vix,
           scan_compact_index(close > 50) OVER (ORDER BY day) AS place
    FROM vix) AS p
WHERE place <= 4
ORDER BY day;

-- ------------------------------------------------------- 6. an automaton

\echo
\echo '6. A finite automaton'
\echo '   scan_state(input, ''{{0,0,1},{0,1,1}}'') OVER (ORDER BY day)'
\echo
\echo '   input: 0 below 20, 1 up to 30, 2 above.  state: 0 calm, 1 alarm.  Only a close above 30'
\echo '   raises the alarm, only one below 20 ends it; between the two it depends on what was.'
\echo '   The last eight changes:'
\echo

SELECT day, vix, CASE state WHEN 0 THEN 'calm' ELSE 'alarm' END AS becomes, days AS "after days" FROM (
    SELECT day, vix, state, n - lag(n) OVER (ORDER BY day) AS days FROM (
        SELECT day, vix, n, state, lag(state) OVER (ORDER BY day) AS before FROM (
            SELECT day, close AS vix, row_number() OVER (ORDER BY day) AS n,
                   scan_state(CASE WHEN close < 20 THEN 0 WHEN close <= 30 THEN 1 ELSE 2 END,
                              '{{0,0,1},{0,1,1}}') OVER (ORDER BY day) AS state
            FROM vix) AS s) AS b
    WHERE state <> before
    ORDER BY day DESC
    LIMIT 8) AS c
ORDER BY day;

-- ----------------------------------------------------- 7. exact float totals

\echo
\echo '7. Floating-point totals that are right'
\echo '   scan_sum(x) OVER (PARTITION BY series ORDER BY place)'
\echo
\echo '   sum() rounds at every row, so its last digits depend on the order of the rows.'
\echo '   scan_sum() is the exact sum, rounded once: one answer in any order.'
\echo

CREATE TEMP TABLE numbers AS
SELECT 'VIX closes' AS series, row_number() OVER w AS place, close::float8 AS x FROM vix WINDOW w AS (ORDER BY day)
UNION ALL
SELECT 'VIX log returns', row_number() OVER w, ln(close / lag(close) OVER w)::float8 FROM vix WINDOW w AS (ORDER BY day)
UNION ALL
SELECT '1e16, 1, -1e16', place, x FROM unnest('{1e16,1,-1e16}'::float8[]) WITH ORDINALITY AS u (x, place);

CREATE TEMP TABLE totals AS
SELECT series, 'forward' AS "order", place, place = max(place) OVER (PARTITION BY series) AS last,
       sum(x) OVER (PARTITION BY series ORDER BY place ROWS UNBOUNDED PRECEDING) AS "sum()",
       scan_sum(x) OVER (PARTITION BY series ORDER BY place) AS "scan_sum()"
FROM numbers
UNION ALL
SELECT series, 'backward', place, place = 1,
       sum(x) OVER (PARTITION BY series ORDER BY place DESC ROWS UNBOUNDED PRECEDING),
       scan_sum(x) OVER (PARTITION BY series ORDER BY place DESC)
FROM numbers;

SELECT series, "order", "sum()", "scan_sum()" FROM totals WHERE last ORDER BY series DESC, "order" DESC;

SELECT count(*) FILTER (WHERE "sum()" <> "scan_sum()") AS off FROM totals WHERE series = 'VIX closes' AND "order" = 'forward' \gset
\echo '   Along the VIX closes sum() is off by some digits on' :off 'of' :vix_days 'days.'

-- ------------------------------------------------- 8. smoothing a series

-- A Butterworth filter of order 2, H(s) = 1 / (s^2 + sqrt(2) s + 1), by the bilinear
-- transform s = (1 - 1/z) / (k (1 + 1/z)).  k = tan(pi / 60) puts the cut-off, where half
-- the power passes, at a period of 60 rows.  The numerator and the denominator both add up
-- to 4 k^2: what stands still comes out as it is.
SELECT ARRAY[k * k, 2 * k * k, k * k] AS numerator,
       ARRAY[1 + sqrt(2) * k + k * k, 2 * k * k - 2, 1 - sqrt(2) * k + k * k] AS denominator
FROM (SELECT tan(pi() / 60) AS k) AS cut_off \gset

CREATE TEMP TABLE smooth AS
SELECT day, close,
       scan_ema(close, alpha => 0.1) OVER w AS ema,
       start + scan_filter(close - start, :'numerator', :'denominator') OVER w AS low_pass
FROM (SELECT day, close, first_value(close) OVER (ORDER BY day) AS start FROM vix) AS v
WINDOW w AS (ORDER BY day);

\echo
\echo
\echo '8. Smoothing'
\echo '   scan_ema(close, alpha => 0.1) OVER (ORDER BY day)'
\echo '   start + scan_filter(close - start, numerator, denominator) OVER (ORDER BY day)'
\echo
\echo '   A moving average, and a Butterworth low-pass of order 2 with its cut-off at 60 trading'
\echo '   days.  A filter starts from zeros, so it is fed the distance from the first close, start.'
\echo '   The VIX of March 2020, and the highest that each of the three comes to that year:'
\echo

SELECT day, close AS vix, round(ema::numeric, 2) AS ema, round(low_pass::numeric, 2) AS low_pass
FROM smooth
WHERE day BETWEEN '2020-03-09' AND '2020-03-20'
ORDER BY day;

SELECT series, day AS "highest on", round(level, 2) AS level FROM (
    SELECT DISTINCT ON (place) place, series, day, level
    FROM smooth CROSS JOIN LATERAL (VALUES
             (1, 'vix', close), (2, 'ema', ema::numeric), (3, 'low_pass', low_pass::numeric)) AS s (place, series, level)
    WHERE day BETWEEN '2020-01-01' AND '2020-12-31'
    ORDER BY place, level DESC) AS highest
ORDER BY place;

-- -------------------------------------------------- 9. compound interest

CREATE TEMP TABLE account AS
SELECT day, yield,
       scan_recurrence(1 + yield / 1200, 100, init => 1000) OVER w AS balance,
       scan_recurrence(1 + yield::float8 / 1200, 100, init => 1000) OVER w AS in_float8,
       1000 + scan_sum(100) OVER w AS paid_in
FROM bond
WINDOW w AS (ORDER BY day);

\echo
\echo '9. Compound interest'
\echo '   scan_recurrence(1 + yield / 1200, 100, init => 1000) OVER (ORDER BY day)'
\echo '   1000 + scan_sum(100) OVER (ORDER BY day)'
\echo
\echo '   An account that is opened with 1000, bears the 10-year yield of the month and then gets'
\echo '   another 100: at the end of each decade, and of the file.  In numeric and in float8.'
\echo

SELECT day, yield, round(balance, 10) AS "balance, numeric", in_float8 AS "balance, float8",
       paid_in AS "paid in", round(balance - paid_in, 2) AS interest,
       round(100 * (balance - paid_in) / balance, 1) AS "% of balance"
FROM account
WHERE extract(month FROM day) = 12 AND extract(year FROM day)::int % 10 = 9 OR day = :'bond_last'
ORDER BY day;

-- By way of its text: the cast of a float8 to numeric keeps 15 digits only.
SELECT trim(to_char(max(abs(in_float8::text::numeric - balance) / balance), '9.9EEEE')) AS apart FROM account \gset
\echo '   Over all' :bond_months 'months the two are at most' :apart 'of the balance apart.'

-- ---------------------------------------------------- 10. moving windows

CREATE TEMP TABLE bands AS
SELECT day, close, exact_avg(close::float8) OVER w AS middle, 2 * exact_stddev_pop(close::float8) OVER w AS width,
       moving_median(close::float8) OVER w AS median
FROM vix
WINDOW w AS (ORDER BY day ROWS 19 PRECEDING);

\echo
\echo
\echo '10. Moving windows'
\echo '   exact_avg(close) OVER (ORDER BY day ROWS 19 PRECEDING)'
\echo '   moving_median(close) OVER (ORDER BY day ROWS 19 PRECEDING)'
\echo
\echo '   Bollinger bands: the average of the last 20 closes, and twice their standard deviation on'
\echo '   either side.  The days on which the VIX closed furthest above, in widths of the band:'
\echo

SELECT day, close AS vix, round(middle::numeric, 2) AS average, round(median::numeric, 2) AS median,
       round((middle + width)::numeric, 2) AS "upper band", round(((close - middle) / width)::numeric, 2) AS widths
FROM bands
WHERE width > 0
ORDER BY (close - middle) / width DESC, day
LIMIT 5;

-- ------------------------------------------- 11. beside other ways to ask

\echo
\echo
\echo '11. What else one would write'
\echo
\echo '   The average of 8 and the numeric balance of 9, by a PL/pgSQL loop and by a recursive CTE'
\echo '   that steps along the primary key.  Both round the balance to 16 digits at every row, as'
\echo '   scan_recurrence does.  Medians of 15 turns; apart: the largest difference from the scan,'
\echo '   relative to it.'
\echo

CREATE FUNCTION pg_temp.ema_loop() RETURNS TABLE (day date, y float8) LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT vix.day, close::float8 AS x FROM vix ORDER BY vix.day LOOP
        day := r.day;
        y := CASE WHEN y IS NULL THEN r.x ELSE 0.9::float8 * y + 0.1::float8 * r.x END;
        RETURN NEXT;
    END LOOP;
END
$$;

CREATE FUNCTION pg_temp.balance_loop() RETURNS TABLE (day date, y numeric) LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    y := 1000;
    FOR r IN SELECT bond.day, yield FROM bond ORDER BY bond.day LOOP
        day := r.day;
        y := round((1 + r.yield / 1200) * y + 100, 16);
        RETURN NEXT;
    END LOOP;
END
$$;

CREATE TEMP TABLE form (place serial, answer text, form text, query text);
INSERT INTO form (answer, form, query) VALUES
    ('average', 'scan_ema', 'SELECT day, scan_ema(close, alpha => 0.1) OVER (ORDER BY day) AS y FROM vix'),
    ('average', 'PL/pgSQL loop', 'SELECT day, y FROM pg_temp.ema_loop()'),
    ('average', 'recursive CTE', $$
        WITH RECURSIVE r (day, y) AS (
            (SELECT day, close::float8 FROM vix ORDER BY day LIMIT 1)
            UNION ALL
            SELECT n.day, 0.9::float8 * r.y + 0.1::float8 * n.close::float8
            FROM r, LATERAL (SELECT v.day, close FROM vix AS v WHERE v.day > r.day ORDER BY v.day LIMIT 1) AS n)
        SELECT day, y FROM r$$),
    ('balance', 'scan_recurrence', $$
        SELECT day, scan_recurrence(1 + yield / 1200, 100, init => 1000) OVER (ORDER BY day) AS y FROM bond$$),
    ('balance', 'PL/pgSQL loop', 'SELECT day, y FROM pg_temp.balance_loop()'),
    ('balance', 'recursive CTE', $$
        WITH RECURSIVE r (day, y) AS (
            (SELECT day, round((1 + yield / 1200) * 1000 + 100, 16) FROM bond ORDER BY day LIMIT 1)
            UNION ALL
            SELECT n.day, round((1 + n.yield / 1200) * r.y + 100, 16)
            FROM r, LATERAL (SELECT b.day, yield FROM bond AS b WHERE b.day > r.day ORDER BY b.day LIMIT 1) AS n)
        SELECT day, y FROM r$$);

-- The forms take turns, so that what else the machine does disturbs all alike; turn 0
-- only warms up.  count(y) makes every answer and sends none.
CREATE TEMP TABLE took (place int, ms float8);
CREATE TEMP TABLE agreement (place int, rows bigint, apart float8);
SET jit = off;
DO $$
DECLARE
    f record;
    began timestamptz;
BEGIN
    FOR turn IN 0..15 LOOP
        FOR f IN SELECT * FROM form ORDER BY place LOOP
            began := clock_timestamp();
            EXECUTE 'SELECT count(y) FROM (' || f.query || ' OFFSET 0) AS q';
            IF turn > 0 THEN
                INSERT INTO took VALUES (f.place, 1000 * extract(epoch FROM clock_timestamp() - began));
            END IF;
        END LOOP;
    END LOOP;
    FOR f IN SELECT form.*, first_value(query) OVER (PARTITION BY answer ORDER BY place) AS scan FROM form LOOP
        EXECUTE format('INSERT INTO agreement SELECT %s, count(a.y - b.y), max(abs(a.y - b.y) / b.y)
                        FROM (%s) AS a JOIN (%s) AS b USING (day)', f.place, f.query, f.scan);
    END LOOP;
END
$$;
RESET jit;

SELECT answer, form, rows, round(ms::numeric, 2) AS milliseconds,
       round((ms / first_value(ms) OVER (PARTITION BY answer ORDER BY place))::numeric, 1) AS "times scan", apart
FROM form JOIN agreement USING (place)
     JOIN (SELECT place, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS ms FROM took GROUP BY place) AS m USING (place)
ORDER BY place;

DO $$
BEGIN
    IF EXISTS (SELECT FROM form JOIN agreement USING (place)
                    JOIN (VALUES ('average', (SELECT count(*) FROM vix), 1e-12),
                                 ('balance', (SELECT count(*) FROM bond), 0)) AS must (answer, rows, apart) USING (answer)
               WHERE agreement.rows <> must.rows OR agreement.apart > must.apart) THEN
        RAISE EXCEPTION 'a loop or a recursive CTE does not give the answers of the scan';
    END IF;
END
$$;
\echo '   The averages agree within 1e-12, the balances to the last digit.'

\echo
\echo
\echo 'That was scan.  Next: README.md explains every function, `make test` runs the tests,'
\echo '`test/cluster.sh psql` opens a throw-away server to play with (CREATE EXTENSION scan).'
\echo
