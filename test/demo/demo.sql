/*
 * demo.sql: real data, scanned.  `make demo` runs it; by hand, from the
 * project's root: psql -X -q -v ON_ERROR_STOP=1 -f test/demo/demo.sql
 *
 * Seven short tables, each headed by the call that makes it.  The first is
 * also a proof: it fails unless every count of the file comes back.  All
 * tables are temporary, so nothing but the extension stays in the database.
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
SELECT count(*) AS months FROM bond \gset bond_
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

\echo
\echo
\echo 'That was scan.  Next: README.md explains every function, `make test` runs the tests,'
\echo '`test/cluster.sh psql` opens a throw-away server to play with (CREATE EXTENSION scan).'
\echo
