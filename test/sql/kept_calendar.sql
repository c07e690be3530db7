-- kept_calendar: the intervals of kept scans (src/kept/interval.c): those of the calendar for times, of which each
-- width is tried, and grain, down to which nodes are stored where there are few rows.  kept_keys.sql has dates and integers, to the
-- ends of their types.
\pset null -
-- plain queries are what the kept scans are compared with
SET scan.kept = off;
SET client_min_messages = warning;
SET timezone = UTC;
CREATE SCHEMA ledger;
SET search_path = ledger, public;

-- the widths, as a user would write them, and what the library should count by them
CREATE TABLE width (number int, us bigint);
INSERT INTO width SELECT n - 1, (extract(epoch FROM w) * 1000000)::bigint FROM unnest('{1 us,4 us,20 us,100 us,400 us,2 ms,10 ms,40 ms,200 ms,1 s,5 s,15 s,1 min,5 min,15 min,1 h,6 h,1 day,4 days,16 days,64 days,256 days,1024 days,4096 days,16384 days,65536 days,262144 days,1048576 days,4194304 days,16777216 days,67108864 days}'::interval[]) WITH ORDINALITY AS w(w, n);
CREATE TABLE visit (id int PRIMARY KEY, t timestamp NOT NULL, z timestamptz NOT NULL, v int);
CREATE FUNCTION at(us numeric) RETURNS timestamp LANGUAGE sql IMMUTABLE AS $$
  SELECT timestamp '2000-01-01' + div(us, 86400000000)::int * interval '1 day' + mod(us, 86400000000)::bigint * interval '1 us' $$;
CREATE FUNCTION us(at timestamp) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE at WHEN '-infinity' THEN -9223372036854775808 WHEN 'infinity' THEN 9223372036854775807 ELSE (extract(epoch FROM at) - 946684800) * 1000000 END $$;

-- how many nodes of a tree there are, and how many do not have the rows of their interval, one by one
CREATE FUNCTION nodes(kept name, key text, OUT nodes bigint, OUT wrong bigint, OUT example text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$
    WITH used AS (SELECT k.scan_level, k.scan_bucket, k.scan_rows, w.us FROM %1$I AS k, scan_kept_definition AS d JOIN width AS w ON true WHERE d.name = %1$L AND w.number = d.smallest + k.scan_level),
    rows AS (SELECT l.us, floor(us(%2$I::timestamp) / l.us) AS bucket, count(*) AS plain FROM visit, (SELECT DISTINCT us FROM used) AS l GROUP BY 1, 2)
    SELECT count(*), count(*) FILTER (WHERE scan_rows <> COALESCE(plain, 0)), min(format('level %%s, bucket %%s: %%s, not %%s', scan_level, scan_bucket, scan_rows, plain)) FILTER (WHERE scan_rows <> COALESCE(plain, 0))
    FROM used AS u LEFT JOIN rows AS r ON r.us = u.us AND r.bucket = u.scan_bucket$q$, kept, key) INTO nodes, wrong, example;
END $$;

-- each width: 80 rows let the library choose it; 700 others, also at the first and the last key of its intervals, split nodes
CREATE FUNCTION each_width(key text, every int) RETURNS TABLE (us bigint, smallest int, nodes bigint, wrong bigint, levels int, compared bigint, different bigint) LANGUAGE plpgsql SET scan.prefixscan = off AS $$
BEGIN
  FOR us, smallest IN SELECT w.us, w.number FROM width AS w WHERE number <= 28 AND number % every = 0 ORDER BY number LOOP
    TRUNCATE visit;
    INSERT INTO visit SELECT i, at(n), at(n), i FROM generate_series(1, 80) AS i, LATERAL (SELECT floor(i * us::numeric / 64) AS n) AS s;
    PERFORM scan_keep('visit_kept', format('SELECT sum(v) OVER w AS total, count(*) OVER w AS n FROM visit WINDOW w AS (ORDER BY %I)', key));
    INSERT INTO visit SELECT 1000 + i, at(n), at(n), i FROM generate_series(1, 700) AS i, LATERAL (SELECT floor((i - 50) * us::numeric / 128) - i % 2 AS n) AS s WHERE n > -210866803200000000;
    SELECT d.smallest INTO smallest FROM scan_kept_definition AS d WHERE name = 'visit_kept';
    CALL scan_kept_compact('visit_kept');
    SELECT n.nodes, n.wrong INTO nodes, wrong FROM nodes('visit_kept', key) AS n;
    SELECT count(DISTINCT scan_level) INTO levels FROM visit_kept;
    SELECT count(*), count(*) FILTER (WHERE got IS DISTINCT FROM plain) INTO compared, different FROM (
      SELECT (SELECT row(k.*)::text FROM visit_kept_before(b) AS k), (SELECT row(sum(v), count(*))::text FROM visit WHERE t < b)
      FROM generate_series(0, 5) AS i, generate_series(-1, 1) AS j, at(i * us::numeric + j) AS b
      UNION ALL
      SELECT (SELECT row(k.*)::text FROM visit_kept_between(b, at(i * us::numeric + j + us)) AS k), (SELECT row(sum(v), count(*))::text FROM visit WHERE t >= b AND t < at(i * us::numeric + j + us))
      FROM generate_series(0, 5) AS i, generate_series(-1, 1) AS j, at(i * us::numeric + j) AS b) AS c(got, plain);
    PERFORM scan_unkeep('visit_kept');
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM each_width('t', 1);
SELECT count(*), sum(w.wrong), sum(w.different) FROM each_width('z', 4) AS w;

-- a hundred days around the origin, a row each 12 minutes: days, and four of them from 2000-01-01 on, whatever the session's time zone
TRUNCATE visit;
INSERT INTO visit SELECT i, t, t AT TIME ZONE 'UTC', i % 100 FROM generate_series(1, 12000) AS i, LATERAL (SELECT timestamp '1999-12-25' + i * interval '12 min' AS t) AS s;
CREATE INDEX ON visit (z, id);
SET timezone = 'America/St_Johns';
SELECT scan_keep('visit_kept', 'SELECT sum(v) OVER w AS total, count(*) OVER w AS n FROM visit WINDOW w AS (ORDER BY z, id)');
SELECT scan_level, round(w.us / 3600000000) AS hours, count(*), min(scan_bucket), max(scan_bucket), min(scan_rows), max(scan_rows), bool_or(scan_split) AS split FROM visit_kept, scan_kept_definition AS d JOIN width AS w ON true
WHERE d.name = 'visit_kept' AND w.number = d.smallest + scan_level GROUP BY 1, 2 ORDER BY 1;
SET timezone = UTC;
SELECT * FROM nodes('visit_kept', 'z');
UPDATE visit SET z = z - interval '7 days' WHERE id % 3 = 0;
DELETE FROM visit WHERE id % 5 = 0;
INSERT INTO visit SELECT i + 20000, z, z, 1 FROM generate_series(1, 10) AS i, unnest('{-infinity,infinity,4713-01-01 BC,294276-12-31 UTC}'::timestamptz[]) WITH ORDINALITY AS z(z, n) WHERE i % 4 + 1 = n;
CALL scan_kept_compact('visit_kept');
SELECT * FROM visit_kept_before('-infinity') UNION ALL SELECT * FROM visit_kept_before('2000-01-01 UTC') UNION ALL SELECT * FROM visit_kept_before('infinity');
SELECT sum(v), count(*) FROM visit WHERE z < '-infinity' UNION ALL SELECT sum(v), count(*) FROM visit WHERE z < '2000-01-01 UTC' UNION ALL SELECT sum(v), count(*) FROM visit WHERE z < 'infinity';
SELECT * FROM nodes('visit_kept', 'z');
SELECT scan_kept_check('visit_kept');
SELECT scan_unkeep('visit_kept');

-- ---- grain: two rows a day, and a node for each day, or for what else it says

TRUNCATE visit;
INSERT INTO visit SELECT i, t, t, i FROM generate_series(0, 119) AS i, LATERAL (SELECT timestamp '1999-12-15' + i * interval '12 hours' AS t) AS s;
CREATE FUNCTION keep(definition text, grain interval) RETURNS text LANGUAGE sql AS $$ SELECT scan_unkeep('visit_kept') WHERE to_regclass('visit_kept') IS NOT NULL; SELECT oracle.error_of(format('SELECT scan_keep(%L, %L, %L)', 'visit_kept', definition, grain)) $$;
CREATE FUNCTION levels() RETURNS TABLE (scan_level smallint, seconds numeric, nodes bigint, split bigint, rows numeric) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY
  SELECT k.scan_level, trim_scale(w.us / 1000000.0), count(*), count(*) FILTER (WHERE k.scan_split), sum(k.scan_rows) FROM visit_kept AS k, scan_kept_definition AS d JOIN width AS w ON true
  WHERE d.name = 'visit_kept' AND w.number = d.smallest + k.scan_level GROUP BY 1, 2 ORDER BY 1; END $$;
SELECT keep('SELECT sum(v) OVER w AS total, count(*) OVER w AS n FROM visit WINDOW w AS (ORDER BY z, id)', NULL);
SELECT * FROM levels();
SELECT keep('SELECT sum(v) OVER w AS total, count(*) OVER w AS n, min(v) OVER w AS least FROM visit WINDOW w AS (ORDER BY z, id)', '1 day');
SELECT name, grain FROM scan_kept;
SELECT * FROM levels();
SELECT * FROM nodes('visit_kept', 'z');
-- rows that come late, move and go: a day that is new has a node, and one without rows has none
CREATE FUNCTION days(OUT wrong bigint, OUT days bigint, OUT plain bigint) LANGUAGE sql AS $$
  SELECT (SELECT n.wrong FROM nodes('visit_kept', 'z') AS n), (SELECT count(*) FROM visit_kept, scan_kept_definition AS d WHERE name = 'visit_kept' AND d.smallest + scan_level = 17), (SELECT count(DISTINCT z::date) FROM visit) $$;
INSERT INTO visit SELECT 1000 + i, t, t, i FROM generate_series(1, 20) AS i, LATERAL (SELECT timestamp '1998-01-01 23:59:59.999999' + i * interval '5 days' AS t) AS s;
UPDATE visit SET z = z + interval '1 day' - interval '1 us' WHERE id % 4 = 0;
DELETE FROM visit WHERE z >= '2000-01-01' AND z < '2000-01-04';
CALL scan_kept_compact('visit_kept');
SELECT * FROM days();
SELECT * FROM levels();
SELECT scan_kept_check('visit_kept');
DELETE FROM visit WHERE id > 1000 OR z > '2000-02-01';
INSERT INTO visit SELECT 2000 + i, t, t, i FROM generate_series(1, 400) AS i, LATERAL (SELECT timestamp '2000-02-01' + i * interval '1 min' AS t) AS s;
CALL scan_kept_compact('visit_kept');
SELECT * FROM days();
SELECT scan_kept_check('visit_kept');
SELECT b, (SELECT row(k.*) FROM visit_kept_between(b, b + interval '1 day') AS k), (SELECT row(sum(v), count(*), min(v)) FROM visit WHERE z >= b AND z < b + interval '1 day') FROM unnest('{1999-12-31,2000-01-01,2000-01-30,2000-02-01}'::timestamptz[]) AS b;
-- no row of the table is read for whole days
SET scan.kept = force;
CREATE FUNCTION pg_temp.starts(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
    IF line ~ '^Starts From' THEN RETURN NEXT line; END IF;
  END LOOP;
END $$;
SELECT * FROM pg_temp.starts($$SELECT sum(v), count(*) FROM visit WHERE z >= '1999-12-17' AND z < '2000-01-31'$$);
SET scan.kept = off;
-- made again, it has the same grain
DROP INDEX visit_kept_scan_level_scan_bucket_idx;
SELECT usable, grain FROM scan_kept;
SELECT scan_kept_check('visit_kept');
SELECT usable, grain FROM scan_kept;
SELECT * FROM days();
CREATE ROLE kept_heir;
GRANT ALL ON SCHEMA ledger TO kept_heir;
ALTER TABLE visit OWNER TO kept_heir;
SELECT scan_kept_check('visit_kept');
SELECT usable, grain FROM scan_kept;
SELECT * FROM days();
SELECT col_description('visit_kept'::regclass, 1);
ALTER TABLE visit OWNER TO CURRENT_USER;
-- other grains: the widest intervals that are not wider
CREATE FUNCTION finest(key text, grain interval) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  RETURN concat_ws(' ', NULLIF(keep(format('SELECT count(*) OVER w AS n FROM visit WINDOW w AS (ORDER BY %I)', key), grain), 'no error'),
    (SELECT format('nodes of %s s: %s', min(seconds), (array_agg(nodes ORDER BY scan_level))[1]) FROM levels())); END $$;
SELECT grain, finest('t', grain) FROM unnest('{1 us,59 s,90 min,1 day,1 mon}'::interval[]) AS grain;
ALTER TABLE visit ADD COLUMN d date GENERATED ALWAYS AS (t::date) STORED NOT NULL;
SELECT grain, keep('SELECT count(*) OVER w AS n FROM visit WINDOW w AS (ORDER BY t)', grain) FROM unnest('{0,-1 day,1 mon -40 days}'::interval[]) AS grain;
SELECT keep('SELECT count(*) OVER w AS n FROM visit WINDOW w AS (ORDER BY id)', '1 day');
SELECT keep('SELECT count(*) OVER w AS n FROM visit WINDOW w AS (ORDER BY d)', '1 year');
SELECT count(DISTINCT d) FROM visit;
SELECT scan_level, count(*) FROM visit_kept GROUP BY 1 ORDER BY 1 LIMIT 2;
SELECT scan_keep(NULL, 'SELECT 1'), scan_keep('x', NULL, '1 day');
DROP SCHEMA ledger CASCADE;
DROP ROLE kept_heir;
