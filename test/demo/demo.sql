/*
 * demo.sql: stock queries with and without PrefixScan, then the functions of scan on real data.  `make demo` runs it;
 * by hand, from the project's root: psql -X -q -v ON_ERROR_STOP=1 -f test/demo/demo.sql
 *
 * The demo checks its own answers and fails where one is wrong: PrefixScan must give the rows of WindowAgg, exact_sum
 * the true total, the running totals the file that they were made from, and a loop the totals of scan_clamped_sum.
 * All tables are temporary, but for those of ledger.sql, whose schema is dropped at the end: only the extension stays in
 * the database, and the pictures in test/demo/out.
 *
 * psql's -v changes the sizes: rows=250000 is the number of generated readings; moving_rows=20000 how many of them
 * the moving average takes, and unless it is set stock PostgreSQL takes about a second for them; entries=2000000 is the
 * size of the ledger of part 9.  out=FOLDER is where the pictures go.
 */

\set ON_ERROR_STOP on
\if :{?rows} \else \set rows 250000 \endif
\if :{?out} \else \set out test/demo/out \endif
\pset footer off
\pset pager off
\pset null '-'
\encoding UTF8
SET client_min_messages = warning;

CREATE EXTENSION IF NOT EXISTS scan;
-- The first call of a function of scan loads the library, and with it PrefixScan.
SELECT scan_sum(1) OVER () AS loaded \gset

\echo
\echo 'scan: window functions that look back over ordered rows, exact totals of floats, and'
\echo 'PrefixScan, a plan node that runs stock window queries faster'

-- -------------------------------------- 1. stock queries, with and without

SELECT to_char(:rows, 'FM999,999,999') AS rows_shown \gset
\echo
\echo
\echo '1. Stock queries, with and without PrefixScan'
\echo
\echo '   The queries use only PostgreSQL''s own functions.  Each runs unchanged, without PrefixScan'
\echo '   (SET scan.prefixscan = off) and with it (the default).  The data are' :rows_shown 'readings, which'
\echo '   generate_series makes by a fixed formula: 1,000 devices report in turn, one each second.'
\echo

CREATE TEMP TABLE reading AS
SELECT id::int, (id * 7919 % 1000)::int AS device, timestamp '2026-01-01' + id * interval '1 second' AS at,
       cents::int, (cents / 100.0)::numeric(10,2) AS amount, (cents / 100.0)::float8 AS value
FROM generate_series(1, :rows::bigint) AS id CROSS JOIN LATERAL (SELECT id * 7919 % 100003 AS cents) AS c;
ANALYZE reading;

-- Memory that keeps all rows of both, and no JIT compilation for either.
SET work_mem = '256MB';
SET jit = off;

-- The milliseconds that a query takes; all rows are computed, and none is sent.
CREATE FUNCTION pg_temp.milliseconds(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz := clock_timestamp();
BEGIN
    EXECUTE 'SELECT count(y) FROM (' || query || ' OFFSET 0) AS q';
    RETURN 1000 * extract(epoch FROM clock_timestamp() - began);
END
$$;

-- The last readings, as many as stock PostgreSQL averages in about a second, by the time that 3,000 of them take.
CREATE TEMP TABLE recent AS SELECT * FROM reading WHERE id > :rows - 3000;
SET scan.prefixscan = off;
SELECT pg_temp.milliseconds('SELECT avg(value) OVER (ORDER BY id ROWS 999 PRECEDING) AS y FROM recent') AS probe_ms \gset
RESET scan.prefixscan;
\if :{?moving_rows} \else
SELECT least(:rows, max(rows)) AS moving_rows
FROM unnest('{5000,10000,15000,20000,30000,40000,50000,75000,100000,150000,200000,300000,400000,500000}'::int[]) AS rows
WHERE rows = 5000 OR rows * :probe_ms / 2500 <= 1300 \gset
\endif
SELECT to_char(:moving_rows, 'FM999,999,999') AS moving_rows_shown \gset
TRUNCATE recent;
INSERT INTO recent SELECT * FROM reading WHERE id > :rows - :moving_rows;
ANALYZE recent;

CREATE TEMP TABLE stock (place int PRIMARY KEY, name text, query text, takes bigint, gives bigint, ms_off float8, ms_on float8);
INSERT INTO stock (place, name, takes, query) VALUES
    (1, 'moving average of 1,000 rows', :moving_rows,
     'SELECT id, avg(value) OVER (ORDER BY id ROWS 999 PRECEDING) AS y FROM recent'),
    (2, 'latest row of each device', :rows,
     'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY device ORDER BY at DESC) AS y FROM reading) AS r WHERE y = 1'),
    (3, 'running total of each device', :rows,
     'SELECT id, sum(amount) OVER (PARTITION BY device ORDER BY at) AS y FROM reading');

-- The plan of a query.
CREATE FUNCTION pg_temp.plan(query text) RETURNS TABLE (line bigint, plan text) LANGUAGE plpgsql AS $$
BEGIN
    line := 0;
    FOR plan IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        line := line + 1;
        RETURN NEXT;
    END LOOP;
END
$$;

-- Runs a query without PrefixScan and with it, and fails unless both give the same rows.  *= compares rows bit for bit.
CREATE FUNCTION pg_temp.compare(the_place int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s stock := (SELECT s FROM stock AS s WHERE place = the_place);
    differ bigint;
BEGIN
    SET scan.prefixscan = off;
    EXECUTE 'CREATE TEMP TABLE answer_off AS ' || s.query;
    RESET scan.prefixscan;
    IF NOT EXISTS (SELECT FROM pg_temp.plan(s.query) WHERE plan ~ 'PrefixScan') THEN
        RAISE EXCEPTION 'the % does not run in PrefixScan', s.name;
    END IF;
    EXECUTE 'CREATE TEMP TABLE answer_on AS ' || s.query;
    -- both answers are there
    SELECT count(*) INTO differ FROM answer_off AS a FULL JOIN answer_on AS b USING (id) WHERE (a *= b) IS NOT TRUE;
    IF differ > 0 THEN
        RAISE EXCEPTION 'the % has % rows that differ with PrefixScan', s.name, differ;
    END IF;
    UPDATE stock SET gives = (SELECT count(*) FROM answer_on) WHERE place = the_place;
    DROP TABLE answer_off, answer_on;
END
$$;

-- The best of up to three turns, without and with PrefixScan in turn, so that other work of the machine disturbs both alike.
-- A slow machine takes fewer turns.
CREATE FUNCTION pg_temp.measure(the_place int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    the_query text := (SELECT query FROM stock WHERE place = the_place);
    began timestamptz := clock_timestamp();
    ms float8;
BEGIN
    FOR turn IN 1..3 LOOP
        EXIT WHEN clock_timestamp() - began > interval '3 seconds';
        SET scan.prefixscan = off;
        ms := pg_temp.milliseconds(the_query);
        UPDATE stock SET ms_off = least(ms_off, ms) WHERE place = the_place;
        RESET scan.prefixscan;
        ms := pg_temp.milliseconds(the_query);
        UPDATE stock SET ms_on = least(ms_on, ms) WHERE place = the_place;
    END LOOP;
END
$$;

\echo '   Comparing all rows, then timing up to three turns of each, which takes some seconds:'
\echo '   ... moving average over recent, a table of the last' :moving_rows_shown 'readings: stock PostgreSQL takes about a second'
DO $$ BEGIN PERFORM pg_temp.compare(1), pg_temp.measure(1); END $$;
\echo '   ... latest rows'
DO $$ BEGIN PERFORM pg_temp.compare(2), pg_temp.measure(2); END $$;
\echo '   ... running totals'
DO $$ BEGIN PERFORM pg_temp.compare(3), pg_temp.measure(3); END $$;
\echo

CREATE FUNCTION pg_temp.shown(ms float8) RETURNS numeric LANGUAGE sql AS $$
    SELECT round(ms::numeric, CASE WHEN ms < 10 THEN 1 ELSE 0 END)
$$;

SELECT name AS query, takes AS "rows read", gives AS "rows given", pg_temp.shown(ms_off) AS "without, ms",
       pg_temp.shown(ms_on) AS "with, ms", pg_temp.shown(ms_off / ms_on) AS "times as fast"
FROM stock
ORDER BY place;

\echo '   Times are the least of up to three turns, in one process, with work_mem = 256MB and jit = off.'
\echo '   Every row given with PrefixScan equals, bit for bit, the row given without it; the demo stops'
\echo '   at a difference.  The plans, shortened:'

-- Both plans of a query side by side: the nodes, with what orders their rows.
CREATE FUNCTION pg_temp.plans(the_place int) RETURNS TABLE ("without PrefixScan" text, "with PrefixScan" text) LANGUAGE plpgsql AS $$
DECLARE
    the_query text := (SELECT query FROM stock WHERE place = the_place);
BEGIN
    SET scan.prefixscan = off;
    CREATE TEMP TABLE plan_off AS SELECT row_number() OVER (ORDER BY line) AS line, plan FROM pg_temp.plan(the_query)
    WHERE line = 1 OR plan ~ '->|Sort Key';
    RESET scan.prefixscan;
    CREATE TEMP TABLE plan_on AS SELECT row_number() OVER (ORDER BY line) AS line, plan FROM pg_temp.plan(the_query)
    WHERE line = 1 OR plan ~ '->|Partition By|Order By|Keeps';
    RETURN QUERY SELECT f.plan, coalesce(o.plan, '') FROM plan_off AS f FULL JOIN plan_on AS o USING (line) ORDER BY line;
    DROP TABLE plan_off, plan_on;
END
$$;

\pset null ''
\echo
\echo '   SELECT id, avg(value) OVER (ORDER BY id ROWS 999 PRECEDING) FROM recent'
\echo
SELECT * FROM pg_temp.plans(1);
\echo
\echo '   SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY device ORDER BY at DESC) AS y'
\echo '                  FROM reading) AS r WHERE y = 1'
\echo
SELECT * FROM pg_temp.plans(2);
\echo
\echo '   SELECT id, sum(amount) OVER (PARTITION BY device ORDER BY at) FROM reading'
\echo
SELECT * FROM pg_temp.plans(3);
\pset null '-'

-- ------------------------------------------------- 2. exact totals of floats

\echo
\echo
\echo '2. Exact totals of floats'
\echo '   exact_sum(value)'
\echo '   scan_sum(close) OVER (ORDER BY day)'
\echo
\echo '   sum() rounds a float8 total at every row, so its last digits depend on the order of the rows.'
\echo '   exact_sum() and the running scan_sum() round the true total once: one answer in any order.'
\echo

CREATE TEMP TABLE total (place int, call text, rows text, query text, answer text, ms float8);
INSERT INTO total (place, call, rows, query) VALUES
    (1, 'sum(value)', 'as stored', 'SELECT sum(value) FROM reading'),
    (2, 'sum(value)', 'backward', 'SELECT sum(value) FROM (SELECT value FROM reading ORDER BY id DESC OFFSET 0) AS r'),
    (3, 'exact_sum(value)', 'as stored', 'SELECT exact_sum(value) FROM reading'),
    (4, 'exact_sum(value)', 'backward', 'SELECT exact_sum(value) FROM (SELECT value FROM reading ORDER BY id DESC OFFSET 0) AS r'),
    (5, 'sum(value::numeric)', 'as stored', 'SELECT sum(value::numeric) FROM reading'),
    (6, 'sum(x)', '1e16, 1, -1e16', 'SELECT sum(x) FROM unnest(''{1e16,1,-1e16}''::float8[]) AS x'),
    (7, 'exact_sum(x)', '1e16, 1, -1e16', 'SELECT exact_sum(x) FROM unnest(''{1e16,1,-1e16}''::float8[]) AS x');

DO $$
DECLARE
    t record;
    began timestamptz;
    the_answer text;
    truth float8 := (SELECT sum(cents) / 100.0 FROM reading);
BEGIN
    FOR turn IN 1..3 LOOP
        FOR t IN SELECT * FROM total LOOP
            began := clock_timestamp();
            EXECUTE t.query INTO the_answer;
            UPDATE total SET answer = the_answer, ms = least(ms, 1000 * extract(epoch FROM clock_timestamp() - began)) WHERE place = t.place;
        END LOOP;
    END LOOP;
    IF EXISTS (SELECT FROM total WHERE call = 'exact_sum(value)' AND answer::float8 <> truth) THEN
        RAISE EXCEPTION 'exact_sum does not give the true total, %', truth;
    END IF;
END
$$;

SELECT call, rows, answer, CASE WHEN place < 6 THEN pg_temp.shown(ms) END AS milliseconds FROM total ORDER BY place;

RESET work_mem;
RESET jit;

-- --------------------------------------------------------- the real data

CREATE TEMP TABLE vix (day date PRIMARY KEY, open numeric(8,2), high numeric(8,2), low numeric(8,2), close numeric(8,2));
\copy vix FROM 'test/demo/vix-daily.csv' (FORMAT csv, HEADER)

CREATE TEMP TABLE bond (day date PRIMARY KEY, yield numeric(5,2));
\copy bond FROM 'test/demo/us-10y-yield-monthly.csv' (FORMAT csv, HEADER)

CREATE TEMP TABLE covid (day date PRIMARY KEY, china bigint, us bigint, united_kingdom bigint, italy bigint,
                         france bigint, germany bigint, spain bigint, iran bigint);
\copy covid FROM 'test/demo/covid-key-countries.csv' (FORMAT csv, HEADER)

ANALYZE vix, bond, covid;

SELECT count(*) AS off
FROM (SELECT sum(close::float8) OVER w AS rounded, scan_sum(close::float8) OVER w AS exact FROM vix WINDOW w AS (ORDER BY day)) AS s
WHERE rounded <> exact \gset
SELECT count(*) AS days, min(day) AS first, max(day) AS last FROM vix \gset vix_
SELECT count(*) AS months, max(day) AS last FROM bond \gset bond_
SELECT count(*) AS days FROM covid \gset covid_
\echo '   The demo checks exact_sum() against the total in whole hundredths.  Along the' :vix_days 'closes of the VIX,'
\echo '   the last digits of the running sum(close) are wrong on' :off 'days.'
\echo
\echo
\echo 'The rest runs on real data:'
\echo '   VIX, the volatility index of the US stock market:' :vix_days 'trading days,' :vix_first 'to' :vix_last
\echo '   yield of the 10-year US Treasury bond:' :bond_months 'months'
\echo '   confirmed COVID-19 cases:' :covid_days 'days in 8 countries'

-- ------------------------------------------------- 3. totals that restart

\echo
\echo
\echo '3. Running totals that start again'
\echo '   scan_sum(new_cases) OVER (PARTITION BY country ORDER BY day)'
\echo '   scan_sum(new_cases, reset => opening) OVER (ORDER BY country, day)'
\echo
\echo '   The file holds the cases up to each day.  The demo takes the totals apart into daily differences'
\echo '   and sums the differences again, by partition and in one pass that resets at each country.'
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

-- ------------------------------------------------------------ 4. sessions

\echo
\echo
\echo '4. Sessions'
\echo '   scan_session(day, interval ''4 days'') OVER (ORDER BY day)'
\echo
\echo '   A session ends where the next trading day is more than four days away.  The exchange stayed'
\echo '   closed that long after 11 September 2001, at New Year 2007 and in the hurricane of 2012.'
\echo

SELECT session, min(day) AS "from", max(day) AS "to", count(*) AS "trading days"
FROM (SELECT day, scan_session(day, interval '4 days') OVER (ORDER BY day) AS session FROM vix) AS s
GROUP BY session
ORDER BY session;

-- -------------------------------------------------------- 5. forward fill

\echo
\echo '5. Forward fill'
\echo '   scan_locf(yield) OVER (ORDER BY day)'
\echo '   scan_locf(yield, max_gap => 3) OVER (ORDER BY day)'
\echo
\echo '   Each trading day gets the latest monthly yield: without a limit, or for at most three rows.'
\echo

SELECT * FROM (
    SELECT day, close AS vix, yield,
           scan_locf(yield) OVER w AS carried,
           scan_locf(yield, max_gap => 3) OVER w AS "at most 3 rows"
    FROM vix FULL JOIN bond USING (day)
    WINDOW w AS (ORDER BY day)) AS filled
WHERE vix IS NOT NULL AND day BETWEEN '2026-05-28' AND '2026-06-08'
ORDER BY day;

-- ------------------------------------------------- 6. a floor at zero

\echo
\echo '6. A running total with a floor'
\echo '   scan_clamped_sum(change - 0.5, lower => 0, upper => NULL) OVER (ORDER BY day)'
\echo
\echo '   CUSUM, a watch for rises: each day adds its change less 0.5, and the total never falls below zero.'
\echo '   So the total rises at once when the VIX climbs.  A plain total is thousands below zero by then.'
\echo

CREATE TEMP TABLE cusum AS
SELECT day, close, change,
       scan_clamped_sum(change - 0.5, lower => 0, upper => NULL) OVER w AS with_floor,
       scan_sum(change - 0.5) OVER w AS plain
FROM (SELECT day, close, close - lag(close) OVER (ORDER BY day) AS change FROM vix) AS c
WINDOW w AS (ORDER BY day);

SELECT day, close AS vix, change, with_floor AS "with a floor", plain
FROM cusum
WHERE day BETWEEN '2020-02-18' AND '2020-02-28'
ORDER BY day;

\echo '   Stock PostgreSQL has no window function for a floor.  The same total over all' :rows_shown 'readings,'
\echo '   written in three ways; the least of two turns (this takes about 10 seconds):'
\echo

-- By the primary key a recursive CTE finds each next row.
ALTER TABLE reading ADD PRIMARY KEY (id);

CREATE FUNCTION pg_temp.floor_loop() RETURNS TABLE (id int, y bigint) LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    y := 0;
    FOR r IN SELECT reading.id, cents - 50000 AS x FROM reading ORDER BY reading.id LOOP
        id := r.id;
        y := greatest(y + r.x, 0);
        RETURN NEXT;
    END LOOP;
END
$$;

CREATE TEMP TABLE form (place int, form text, query text, ms float8);
INSERT INTO form (place, form, query) VALUES
    (1, 'scan_clamped_sum', 'SELECT id, scan_clamped_sum(cents - 50000, lower => 0, upper => NULL) OVER (ORDER BY id) AS y FROM reading'),
    (2, 'PL/pgSQL loop', 'SELECT id, y FROM pg_temp.floor_loop()'),
    (3, 'recursive CTE', $$
        WITH RECURSIVE r (id, y) AS (
            SELECT 0, 0::bigint
            UNION ALL
            SELECT n.id, greatest(r.y + n.cents - 50000, 0) FROM r JOIN reading AS n ON n.id = r.id + 1)
        SELECT id, y FROM r WHERE id > 0$$);

DO $$
DECLARE
    f form;
    the_ms float8;
    equal bigint;
BEGIN
    FOR turn IN 1..2 LOOP
        FOR f IN SELECT * FROM form ORDER BY place LOOP
            the_ms := pg_temp.milliseconds(f.query);
            UPDATE form SET ms = least(ms, the_ms) WHERE place = f.place;
        END LOOP;
    END LOOP;
    FOR f IN SELECT * FROM form WHERE place > 1 ORDER BY place LOOP
        EXECUTE format('SELECT count(*) FROM (%s) AS a JOIN (%s) AS b USING (id) WHERE a.y = b.y', f.query, (SELECT query FROM form WHERE place = 1))
        INTO equal;
        IF equal <> (SELECT count(*) FROM reading) THEN
            RAISE EXCEPTION 'only % rows of the % equal those of scan_clamped_sum', equal, f.form;
        END IF;
    END LOOP;
END
$$;

SELECT form, pg_temp.shown(ms) AS milliseconds, pg_temp.shown(ms / min(ms) FILTER (WHERE place = 1) OVER ()) AS "times as long"
FROM form
ORDER BY place;
\echo '   All three give the same rows.'

-- ------------------------------------------------------ 7. a state machine

\echo
\echo
\echo '7. A state machine'
\echo '   scan_state(input, ''{{0,0,1},{0,1,1}}'') OVER (ORDER BY day)'
\echo
\echo '   input: 0 below 20, 1 from 20 to 30, 2 above 30.  state: 0 calm, 1 alarm.  Only a close above 30'
\echo '   raises the alarm, and only a close below 20 ends it; between the two the state stays.'
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

-- ----------------------------------------------------- 8. moving windows

CREATE TEMP TABLE bands AS
SELECT day, close, exact_avg(close::float8) OVER w AS middle, 2 * exact_stddev_pop(close::float8) OVER w AS width,
       moving_median(close::float8) OVER w AS median
FROM vix
WINDOW w AS (ORDER BY day ROWS 19 PRECEDING);

\echo
\echo '8. Moving windows'
\echo '   exact_avg(close) OVER (ORDER BY day ROWS 19 PRECEDING)'
\echo '   moving_median(close) OVER (ORDER BY day ROWS 19 PRECEDING)'
\echo
\echo '   Bollinger bands: the average of the last 20 closes, and twice their standard deviation on'
\echo '   either side.  The days on which the VIX closed furthest above the average; at distance 1 it is on'
\echo '   the upper band:'
\echo

SELECT day, close AS vix, round(middle::numeric, 2) AS average, round(median::numeric, 2) AS median,
       round((middle + width)::numeric, 2) AS "upper band", round(((close - middle) / width)::numeric, 2) AS distance
FROM bands
WHERE width > 0
ORDER BY (close - middle) / width DESC, day
LIMIT 5;

\echo
\echo '   The VIX of 2020.  Each column is three trading days.  █ the closes  ░ the Bollinger band'
\echo

-- A line is 4 points high.
CREATE TEMP TABLE chart AS
SELECT place, min(day) AS first, min(close) AS least, max(close) AS most, min(middle - width) AS lower, max(middle + width) AS upper
FROM (SELECT *, (row_number() OVER (ORDER BY day) - 1) / 3 AS place FROM bands WHERE day BETWEEN '2020-01-01' AND '2020-12-31') AS b
GROUP BY place;

\pset tuples_only on
\pset format unaligned
SELECT format('   %3s %s%s', label, CASE label WHEN '' THEN '│' ELSE '┤' END, rtrim(cells)) FROM (
    SELECT level, CASE WHEN level % 5 = 0 THEN (level * 4)::text ELSE '' END AS label,
           string_agg(CASE WHEN level BETWEEN round(least / 4) AND round(most / 4) THEN '█'
                           WHEN level BETWEEN round(lower / 4) AND round(upper / 4) THEN '░'
                           ELSE ' ' END, '' ORDER BY place) AS cells
    FROM chart CROSS JOIN generate_series(2, 21) AS level
    GROUP BY level) AS lines
ORDER BY level DESC;
SELECT '       └' || repeat('─', count(*)::int) FROM chart;
SELECT '        ' || rtrim(string_agg(rpad(to_char(month, 'Mon'), columns), '' ORDER BY month))
FROM (SELECT date_trunc('month', first) AS month, count(*)::int AS columns FROM chart GROUP BY month) AS m;
\pset tuples_only off
\pset format aligned

-- ------------------------------------------ running totals that are kept

\ir ledger.sql

-- ----------------------------------------------------------- the pictures

\ir svg.sql
\ir pictures.sql

\echo
\echo
\echo 'Pictures, which SQL has drawn; a browser shows them:'
\echo '   ' :speed_svg '  the times of part 1 and part 6'
\echo '   ' :vix_svg '    the VIX of 2020 with its Bollinger band and its moving median'
\echo '   ' :cusum_svg '  the VIX since 1990, with and without a floor'
\echo
\echo 'Next: sql/README.md explains every function, sql/prefixscan.md the plan node, and'
\echo 'test/bench/RESULTS.md has all measurements.  `test/cluster.sh psql` opens a throw-away server'
\echo 'to play with (CREATE EXTENSION scan), and `make test` runs the tests.'
\echo
