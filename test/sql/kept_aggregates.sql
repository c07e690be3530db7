-- kept_aggregates: kept scans (src/kept) of every aggregate, at every row, compared as kept.sql does it.
\pset null -
-- plain queries are what the kept scans are compared with
SET scan.kept = off;
SET client_min_messages = warning;
CREATE SCHEMA ledger;
SET search_path = ledger, public;

-- ---- every aggregate, at every row

-- NULLs; numerics of several scales, NaN, infinities, and such as need more than 128 bits; floats with -0, NaN and infinities
CREATE FUNCTION entry(i int) RETURNS TABLE (id int, key int, v2 smallint, v4 int, v8 bigint, n numeric, f8 float8, f4 real, flag boolean) LANGUAGE sql AS $$
  SELECT i, (oracle.draw(i, 1, 200) - 100)::int, nullif(oracle.draw(i, 2, 100) - 50, 7)::smallint, nullif(oracle.draw(i, 3, 2000000) - 1000000, 3)::int,
         CASE WHEN oracle.draw(i, 4, 10) > 0 THEN oracle.hash(i, 5) / 4096 END,
         CASE oracle.draw(i, 6, 60) WHEN 0 THEN NULL WHEN 1 THEN oracle.draw(i, 7, 1000) * 1e-20 WHEN 2 THEN 1e45 * oracle.draw(i, 8, 9) - 1e45 WHEN 3 THEN oracle.draw(i, 9, 100000)
                                    ELSE (oracle.draw(i, 9, 100000) - 50000) * 0.01 END,
         CASE oracle.draw(i, 10, 30) WHEN 0 THEN NULL WHEN 1 THEN '-0' WHEN 2 THEN 1e300 WHEN 3 THEN -1e-300 ELSE (oracle.draw(i, 11, 2000001) - 1000000) / 7.0::float8 END,
         CASE oracle.draw(i, 12, 30) WHEN 0 THEN NULL WHEN 1 THEN '-0' ELSE (oracle.draw(i, 13, 2001) - 1000) / 7.0::real END, nullif(oracle.draw(i, 14, 3), 2)::int::boolean
$$;
CREATE TABLE every AS SELECT e.* FROM generate_series(1, 400) AS i, entry(i) AS e;
ALTER TABLE every ALTER key SET NOT NULL, ALTER id SET NOT NULL;
CREATE INDEX ON every (key, id);
SELECT oracle.keep('every_core', 'every', '{}', '{key,id}', '{count(*),count(n),count(f8),sum(v2),sum(v4),sum(v8),sum(n),avg(v2),avg(v4),avg(v8),avg(n),sum(n) FILTER (WHERE flag),count(*) FILTER (WHERE v4 > 0),sum(v4 * 2 + v2)}');
SELECT oracle.keep('every_exact', 'every', '{}', '{key,id}',
  '{exact_sum(f8),exact_sum(f4),exact_avg(f8),exact_var_pop(f8),exact_var_samp(f8),exact_stddev_pop(f8),exact_stddev_samp(f8),exact_sum(f8) FILTER (WHERE flag),exact_avg(f8 / 3 + v4)}', 'abs(coalesce(f8, 0)) < 1e10');
SELECT oracle.keep('every_pair', 'every', '{}', '{key,id}',
  ARRAY['exact_covar_pop(f8, f4)', 'exact_covar_samp(v8, f8)', 'exact_corr(f8, v4)', 'exact_regr_slope(f4, v8)', 'exact_regr_intercept(f8, f4)', 'exact_regr_r2(v8, v4) FILTER (WHERE flag)'], 'abs(coalesce(f8, 0)) < 1e10');
SELECT oracle.keep('every_power', 'every', '{}', '{key,id}',
  ARRAY['exact_weighted_avg(f8, v4)', 'exact_skewness(f8)', 'exact_kurtosis(v8)', 'exact_kurtosis_pop(n) FILTER (WHERE scale(n) < 99 AND abs(n) < 1e99)'], 'abs(coalesce(f8, 0)) < 1e10');
SELECT oracle.keep('every_more', 'every', '{}', '{key,id}',
  ARRAY['min(v2)', 'max(v4)', 'min(v8)', 'max(f8)', 'min(f4) FILTER (WHERE flag)', 'max(v4::numeric(12,2))', 'min(v8::text)', 'max(date ''2026-01-01'' + v2)', 'min(interval ''1 hour'' * v2 + timestamp ''2026-01-01'')', 'max((''{low,middling,high}''::oracle.mood[])[1 + abs(v2) % 3])',
        'bit_and(v4)', 'bit_or(v8)', 'bit_and(v2) FILTER (WHERE flag)', 'exact_sum(f4)']);
SELECT oracle.keep('every_group', 'every', '{}', '{key,id}',
  ARRAY['bool_and(v2 < 49)', 'bool_and(v2 < 50)', 'bool_or(flag)', 'bool_or(v2 > 48)', 'every(flag) FILTER (WHERE v4 > 0)', 'bit_xor(v2)', 'bit_xor(v4)', 'bit_xor(v8)', 'exact_sum(v2)', 'exact_sum(v8)', 'exact_sum(n)', 'exact_avg(v4)', 'exact_avg(v8)', 'exact_avg(n)',
        'scan_total(f8)', 'scan_total(v8)']);
SELECT oracle.keep('every_spread', 'every', '{}', '{key,id}',
  ARRAY['var_pop(v2)', 'exact_var_samp(v2)', 'stddev_pop(v2)', 'stddev(v2)', 'exact_var_pop(v4)', 'variance(v4)', 'exact_stddev_pop(v4)', 'stddev_samp(v4)', 'var_pop(v8)', 'var_samp(v8)', 'exact_stddev_pop(v8)', 'exact_stddev_samp(v8)',
        'exact_var_pop(n)', 'variance(n)', 'stddev_pop(n)', 'exact_stddev_samp(n)', 'stddev(n) FILTER (WHERE flag)', 'var_samp(v4 * 2 + n)']);
SELECT * FROM oracle.compare('every_core', 10000);
SELECT * FROM oracle.compare('every_more', 100);
SELECT * FROM oracle.compare('every_group', 10000);
SELECT * FROM oracle.compare('every_exact', 10000);
SELECT * FROM oracle.compare('every_pair', 10000);
SELECT * FROM oracle.compare('every_power', 10000);
SELECT * FROM oracle.compare('every_spread', 10000);
SELECT oracle.is_sound('every_core', 400), oracle.is_sound('every_core', 401);
-- changes: new rows, values, keys, rows that go
INSERT INTO every SELECT e.* FROM generate_series(701, 900) AS i, entry(i) AS e;
UPDATE every SET n = n * 1.000, f8 = -f8, v8 = v8 + 1 WHERE id % 5 = 0;
UPDATE every SET key = -key WHERE id % 7 = 0;
UPDATE every SET flag = NOT flag, f4 = NULL WHERE id % 11 = 0;
DELETE FROM every WHERE id % 3 = 0;
SELECT * FROM oracle.compare_all(50);
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all(50);
SELECT oracle.is_sound('every_core', (SELECT count(*) FROM every));
-- many rows at one place, so that leaves are split, and then none
INSERT INTO every SELECT e.id, 5, v2, v4, v8, n, f8, f4, flag FROM generate_series(2001, 2400) AS i, entry(i) AS e;
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all();
SELECT oracle.is_sound('every_core', (SELECT count(*) FROM every));
DELETE FROM every WHERE key = 5;
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all();
SELECT oracle.is_sound('every_core', (SELECT count(*) FROM every));
-- numerics: the widest scale goes, numbers beyond 128 bits cancel each other, NaN and infinities come and go
CREATE FUNCTION sums() RETURNS TABLE (total text, plain text, mean text, plain_mean text) LANGUAGE sql AS $$
  SELECT a7::text, (SELECT sum(n) FROM every)::text, a11::text, (SELECT avg(n) FROM every)::text FROM every_core_total()
$$;
DELETE FROM every WHERE n <> trunc(n, 2);
SELECT * FROM sums();
UPDATE every SET n = trunc(n) WHERE n < 1e40;
SELECT * FROM sums();
UPDATE every SET n = trim_scale(n);
SELECT * FROM sums();
INSERT INTO every (id, key, n) VALUES (5001, 50, 'NaN'), (5002, -50, 'Infinity'), (5003, 0, '-Infinity'), (5004, 0, '0.00000'), (5005, 0, 1e-1000);
CREATE FUNCTION halves() RETURNS TABLE (key int, before text, plain text) LANGUAGE sql AS $$
  SELECT k, a7::text, (SELECT sum(n) FROM every AS e WHERE e.key < k)::text FROM unnest('{-60,-10,10,60}'::int[]) AS k, every_core_before(k) ORDER BY k
$$;
UPDATE every SET n = 1 WHERE id < 5000;
DELETE FROM every WHERE id = 5005;
SELECT * FROM halves();
CALL oracle.compact_all();
SELECT * FROM halves();
DELETE FROM every WHERE id = 5003;
SELECT * FROM halves();
CALL oracle.compact_all();
SELECT * FROM halves();
DELETE FROM every WHERE id BETWEEN 5000 AND 5002;
SELECT * FROM halves();
DELETE FROM every WHERE id = 5004;
SELECT * FROM halves();
CALL oracle.compact_all();
SELECT * FROM halves();
SELECT * FROM oracle.check_all();
-- the same values with more digits, and with none; digits that cancel each other in a statement, while the sum does not
CREATE TABLE digits (id int NOT NULL, n numeric, flag boolean);
INSERT INTO digits SELECT i, i % 10, i % 2 = 0 FROM generate_series(1, 600) AS i;
SELECT scan_keep('digits_kept', 'SELECT sum(n) OVER (ORDER BY id) AS total, sum(n) FILTER (WHERE flag) OVER (ORDER BY id) AS flagged FROM digits');
UPDATE digits SET n = n * 1.0000;
SELECT * FROM digits_kept_total();
UPDATE digits SET n = trim_scale(n);
SELECT * FROM digits_kept_total();
UPDATE digits SET n = id * 0.001;
UPDATE digits SET flag = NOT flag;
SELECT *, (SELECT sum(n) FROM digits WHERE flag) AS plain FROM digits_kept_total();
CALL scan_kept_compact('digits_kept');
SELECT *, (SELECT sum(n) FROM digits WHERE flag) AS plain FROM digits_kept_total();
SELECT scan_unkeep('digits_kept');
DROP TABLE digits;
-- variances: 1 and -1 leave and 0 and 0 come, so that only the sum of the squares changes; what leaves and comes back makes no delta
CREATE TABLE spread (id int PRIMARY KEY, n numeric, i bigint);
INSERT INTO spread VALUES (1, 1.0, 1), (2, -1.0, -1), (3, 0.0, 0), (4, 5.0, 5);
SELECT scan_keep('spread_kept', 'SELECT variance(n) OVER w AS var, stddev_pop(n) OVER w AS dev, exact_var_samp(i) OVER w AS exact_var, exact_stddev_pop(i) OVER w AS exact_dev FROM spread WINDOW w AS (ORDER BY id)');
CREATE FUNCTION spread() RETURNS TABLE (kept text, plain text, same boolean, log bigint) LANGUAGE sql SET scan.kept = off AS $$
  SELECT s::text, p::text, s::text = p::text, (SELECT count(*) FROM spread_kept_log) FROM spread_kept_total() AS s, (SELECT variance(n) AS var, stddev_pop(n) AS dev, var_samp(i) AS exact_var, stddev_pop(i) AS exact_dev FROM spread) AS p
$$;
SELECT * FROM spread();
UPDATE spread SET n = 0.0, i = 0 WHERE id < 3;
SELECT * FROM spread();
UPDATE spread SET n = n + 0.0, i = i + 0;
UPDATE spread SET n = CASE id WHEN 3 THEN 5.0 ELSE 0.0 END, i = CASE id WHEN 3 THEN 5 ELSE 0 END WHERE id > 2;
SELECT * FROM spread();
CALL scan_kept_compact('spread_kept');
SELECT scan_kept_check('spread_kept');
-- one value, none, and decimals that go
TRUNCATE spread;
SELECT * FROM spread();
COPY spread FROM STDIN;
1	7.000	-9223372036854775808
\.
SELECT * FROM spread();
INSERT INTO spread VALUES (2, 8, 9223372036854775807), (3, 9.00000, NULL);
SELECT * FROM spread();
DELETE FROM spread WHERE id IN (1, 3);
INSERT INTO spread VALUES (4, 8.5, 4);
SELECT * FROM spread();
-- the root of 10^20 + 10^10, just below 10^10 + 0.5, has no decimals, and numeric_sqrt() shows 10000000000.50000
DELETE FROM spread;
INSERT INTO spread SELECT i, v, v FROM unnest('{20000000000,-20000000000,200000,-200000,0,0,0,0}'::bigint[]) WITH ORDINALITY AS u(v, i);
SELECT * FROM spread();
-- a square that would have more decimals than a numeric has is refused, as one with more digits is
SELECT oracle.error_of('INSERT INTO spread VALUES (9, 1e-8192, 1)'), oracle.error_of('INSERT INTO spread VALUES (9, 1e65536, 1)'), oracle.error_of('INSERT INTO spread VALUES (9, 1e-8191, 1), (10, 1e65535 , 1)');
SELECT kept = plain AS same FROM spread();
SELECT scan_kept_check('spread_kept');
-- a plain query reads them
INSERT INTO spread SELECT i, i * 0.01, i FROM generate_series(100, 3000) AS i;
ANALYZE spread;
SET scan.kept = force;
EXPLAIN (COSTS OFF) SELECT variance(n), exact_stddev_pop(i) FROM spread WHERE id < 2000;
RESET scan.kept;
DROP TABLE spread CASCADE;
-- floats: NaN and infinities
INSERT INTO every (id, key, f8, v8) VALUES (5001, 20, 'NaN', 1), (5002, 40, 'Infinity', 2), (5003, 60, '-Infinity', 3);
SELECT oracle.unkeep('every_exact'), oracle.unkeep('every_pair');
SELECT oracle.keep('every_exact', 'every', '{}', '{key,id}', ARRAY['exact_sum(f8)', 'exact_avg(f8)', 'exact_sum(f4)', 'exact_corr(f8, v8)', 'exact_var_pop(f8)'], 'f8 IS NULL OR abs(f8) < 1e10 OR abs(f8) > 1e305');
SELECT * FROM oracle.compare_all();
UPDATE every SET f8 = 'Infinity' WHERE id = 5001;
DELETE FROM every WHERE id = 5003;
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
UPDATE every SET f8 = '-0';
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all();
-- no rows, one row
DELETE FROM every;
SELECT * FROM every_core_total();
SELECT * FROM every_more_total();
SELECT * FROM every_group_total();
SELECT * FROM every_exact_total();
SELECT * FROM every_spread_total();
CALL oracle.compact_all();
SELECT * FROM every_core_total();
SELECT * FROM every_exact_total();
SELECT oracle.is_sound('every_core', 0);
INSERT INTO every SELECT * FROM entry(1);
SELECT * FROM oracle.compare_all();
TRUNCATE every;
SELECT * FROM every_core_total();
SELECT * FROM oracle.check_all();
SELECT bool_and(oracle.unkeep(name) IS NOT NULL) FROM oracle.kept_case;
DROP TABLE every CASCADE;

-- ---- aggregates without an inverse

CREATE TABLE peak (id int PRIMARY KEY, sensor int, v int, f float8, note text);
INSERT INTO peak SELECT i, i % 2, oracle.draw(i, 1, 1000), oracle.draw(i, 2, 1000) - 500, 'x' FROM generate_series(1, 1200) AS i;
SELECT oracle.keep('peak_kept', 'peak', '{sensor}', '{id}', '{min(v),max(f),bit_or(v),min(note),exact_sum(f)}');
CREATE FUNCTION stale() RETURNS TABLE (deltas bigint, stale bigint, stale_nodes bigint, different bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE scan_stale), (SELECT count(*) FROM peak_kept WHERE scan_stale), (SELECT sum(different)::bigint FROM oracle.compare('peak_kept', 40)) FROM peak_kept_log
$$;
SELECT * FROM stale();
-- values that leave and come back make no delta; those that others absorb make none that is stale
UPDATE peak SET note = 'x', v = v, f = f + 0;
SELECT * FROM stale();
UPDATE peak SET f = f + 1, note = 'w' WHERE id = 100;
INSERT INTO peak VALUES (5000, 0, 7, 7, 'x');
SELECT * FROM stale();
UPDATE peak SET v = v | 1024 WHERE id = 200;
SELECT * FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
-- the extremes go: in a savepoint, by a new value, by another place
BEGIN;
DELETE FROM peak WHERE v < 5 OR f > 495;
SELECT stale > 0 AS stale, stale_nodes, different FROM stale();
SAVEPOINT a;
DELETE FROM peak WHERE id % 2 = 0;
SELECT a1, a2 FROM peak_kept_total(0);
ROLLBACK TO a;
SELECT stale > 0 AS stale, stale_nodes, different FROM stale();
ROLLBACK;
SELECT * FROM stale();
SELECT a1, a2, a3, a4 FROM peak_kept_total(0);
DELETE FROM peak WHERE v < 5 OR id = 100;
UPDATE peak SET f = -f WHERE f > 490;
UPDATE peak SET id = id + 10000 WHERE v BETWEEN 5 AND 7;
UPDATE peak SET sensor = 3 WHERE id % 400 = 0;
SELECT stale > 0 AS stale, stale_nodes, different FROM stale();
SELECT a1, a2, a3, a4 FROM peak_kept_total(0);
SELECT min(v), max(f), bit_or(v), min(note) FROM peak WHERE sensor = 0;
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
-- a new place, and all that are there
INSERT INTO peak SELECT i, 9, i, i, 'y' FROM generate_series(50001, 50020) AS i;
DELETE FROM peak WHERE id > 50010;
SELECT stale, different FROM stale();
DELETE FROM peak WHERE id > 50000;
SELECT stale, different FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
DELETE FROM peak WHERE id % 3 > 0;
SELECT stale > 10 AS stale, different FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
SELECT scan_kept_check('peak_kept');
-- a wrong extreme is found
CREATE UNLOGGED TABLE wrong AS SELECT * FROM peak;
ALTER TABLE wrong ALTER id SET NOT NULL;
SELECT scan_keep('wrong_kept', 'SELECT max(v) OVER (ORDER BY id) AS a1 FROM wrong') > 0 AS kept;
UPDATE wrong_kept SET a1 = a1 + 1 WHERE scan_split;
SELECT scan_kept_check('wrong_kept') > 0 AS wrong;
SELECT scan_kept_check('wrong_kept');
DROP TABLE wrong CASCADE;
-- 0 and -0: the last of them, in the order of the rows
UPDATE peak SET f = CASE WHEN oracle.draw(id, 3, 2) = 0 THEN '-0' ELSE '0' END::float8;
SELECT stale > 0 AS stale, different FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT stale_nodes > 0 AS stale_nodes, different FROM stale();
SELECT scan_kept_check('peak_kept');
UPDATE peak SET f = 1 WHERE id % 5 = 0;
SELECT different FROM stale();
UPDATE peak SET f = 0;
SELECT different FROM stale();
CALL scan_kept_compact('peak_kept');
SELECT * FROM stale();
TRUNCATE peak;
INSERT INTO peak VALUES (1, 1, 1, 1, 'x');
SELECT * FROM stale();
SELECT oracle.unkeep('peak_kept');
DROP TABLE peak;
-- the same in one node, which a compaction computes from rows in another order
CREATE TABLE tie (id int PRIMARY KEY, f float8);
INSERT INTO tie VALUES (3, -5), (2, '-0'), (1, '0'), (0, -7);
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT scan_keep('tie_kept', 'SELECT max(f) OVER (ORDER BY id) AS high, min(f) OVER (ORDER BY id) AS low FROM tie');
DELETE FROM tie WHERE id = 3;
SELECT * FROM tie_kept_total();
CALL scan_kept_compact('tie_kept');
SELECT scan_stale, scan_rows FROM tie_kept;
SELECT * FROM tie_kept_total();
SELECT max(f), min(f) FROM (SELECT f FROM tie ORDER BY id) AS t;
RESET enable_indexscan;
RESET enable_bitmapscan;
SELECT scan_unkeep('tie_kept');
DROP TABLE tie;

-- ---- window functions of scan

CREATE TABLE run (id int PRIMARY KEY, s smallint, i int, b bigint, n numeric, f real, d float8, flag boolean);
CREATE FUNCTION run(i int) RETURNS SETOF run LANGUAGE sql AS $$
  SELECT i, nullif(oracle.draw(i, 1, 9), 0)::smallint, nullif(oracle.draw(i, 2, 9), 0)::int, nullif(oracle.hash(i, 3) / 4096, 0), CASE WHEN i % 7 > 0 THEN round(oracle.draw(i, 4, 99999) / 1000.0, i % 4) END,
         CASE oracle.draw(i, 5, 9) WHEN 0 THEN NULL WHEN 1 THEN '-0' ELSE oracle.draw(i, 6, 99) / 7.0 END::real, CASE oracle.draw(i, 7, 9) WHEN 0 THEN NULL WHEN 1 THEN '-0' ELSE (oracle.draw(i, 8, 99) - 50) / 7.0 END, nullif(oracle.draw(i, 9, 3), 2)::int::boolean
$$;
INSERT INTO run SELECT r.* FROM generate_series(1, 500) AS i, run(i) AS r;
SELECT scan_keep('run_kept', $$SELECT scan_sum(s) OVER w AS a1, scan_sum(i) OVER w AS a2, scan_sum(b) OVER w AS a3, scan_sum(n) OVER w AS a4, scan_sum(f) OVER w AS a5, scan_sum(exclusive => false, value => d) OVER w AS a6, scan_count(flag) OVER w AS a7, scan_sum(d, reset => NULL) OVER w AS a8 FROM run WINDOW w AS (ORDER BY id)$$);
-- how many rows differ from the window query: in the last rows, and before each row
CREATE FUNCTION run_differences() RETURNS TABLE (rows bigint, last bigint, before bigint) LANGUAGE sql SET scan.prefixscan = off AS $$
  WITH plain AS (SELECT id, row(scan_sum(s) OVER w, scan_sum(i) OVER w, scan_sum(b) OVER w, scan_sum(n) OVER w, scan_sum(f) OVER w, scan_sum(d) OVER w, scan_count(flag) OVER w, scan_sum(d) OVER w)::text AS now FROM run WINDOW w AS (ORDER BY id))
  SELECT count(*), count(*) FILTER (WHERE now IS DISTINCT FROM got), count(*) FILTER (WHERE coalesce(earlier, '(,,,,,,0,)') IS DISTINCT FROM (SELECT b::text FROM run_kept_before(id) AS b))
  FROM (SELECT *, lag(now) OVER (ORDER BY id) AS earlier FROM plain) AS p FULL JOIN (SELECT id, row(a1, a2, a3, a4, a5, a6, a7, a8)::text AS got FROM run_kept_last(10000)) AS k USING (id)
$$;
SELECT * FROM run_differences();
INSERT INTO run SELECT r.* FROM generate_series(901, 1000) AS i, run(i) AS r;
UPDATE run SET n = n * 1.00, d = '-0', flag = NOT flag WHERE id % 3 = 0;
UPDATE run SET id = -id WHERE id % 11 = 0;
DELETE FROM run WHERE id < -500 OR id % 13 = 0;
SELECT * FROM run_differences();
CALL scan_kept_compact('run_kept');
SELECT * FROM run_differences();
SELECT scan_kept_check('run_kept');
-- beyond bigint, as in the window query
INSERT INTO run (id, b) VALUES (2001, 9223372036854775807), (2002, 9223372036854775807), (2003, -9223372036854775807);
SELECT oracle.error_of('SELECT a3 FROM run_kept_before(2003)'), oracle.error_of('SELECT a3 FROM run_kept_before(2002)');
SELECT a3 - 9223372036854775807 = (SELECT sum(b) FROM run WHERE id < 2000) AS same FROM run_kept_total();
SELECT scan_unkeep('run_kept');
DROP TABLE run CASCADE;
DROP SCHEMA ledger CASCADE;
