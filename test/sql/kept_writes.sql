-- kept_writes: kept scans (src/kept) while the table is changed in every way, with partitions and composite keys, compared as
-- kept.sql does it.
\pset null -
-- plain queries are what the kept scans are compared with
SET scan.kept = off;
SET client_min_messages = warning;
CREATE SCHEMA ledger;
SET search_path = ledger, public;

-- ---- partitions, composite keys

CREATE TABLE parted (id int PRIMARY KEY, p int, t text COLLATE oracle.english, c text COLLATE "C", n numeric, b bytea, k int NOT NULL, name text COLLATE oracle.english NOT NULL, x numeric NOT NULL, at timestamptz NOT NULL, v int);
CREATE FUNCTION parted(i int) RETURNS SETOF parted LANGUAGE sql AS $$
  SELECT i, nullif(oracle.draw(i, 1, 5), 4)::int, (ARRAY['a', 'A', 'ä', 'z', 'Zoë', '', NULL])[1 + oracle.draw(i, 2, 7)], (ARRAY['a', 'A', repeat('long', 100), NULL])[1 + oracle.draw(i, 3, 4)],
    (ARRAY[1.0, 1.00, 1.000, -2, 0, 'NaN', 'Infinity', NULL])[1 + oracle.draw(i, 4, 8)], nullif(('\x0' || oracle.draw(i, 5, 3))::bytea, '\x02'), oracle.draw(i, 6, 40)::int,
    (ARRAY['b', 'B', 'a', 'Ä'])[1 + oracle.draw(i, 7, 4)], (ARRAY[1.0, 1.00, -1.5, 2, 'NaN'])[1 + oracle.draw(i, 8, 5)], timestamptz '2026-01-01 00:00 UTC' + oracle.draw(i, 9, 300) * interval '1 day', oracle.draw(i, 10, 1000)::int
$$;
-- with indexes by which the rows of a part are found, but for parted_c
CREATE INDEX ON parted (p, k, id);
CREATE INDEX ON parted (t, k, name, x);
CREATE INDEX ON parted (n, k);
CREATE INDEX ON parted (p, t, at);
INSERT INTO parted SELECT r.* FROM generate_series(1, 400) AS i, parted(i) AS r;
SELECT oracle.keep('parted_int', 'parted', '{p}', '{k,id}', '{sum(v),count(*)}'), oracle.keep('parted_text', 'parted', '{t}', '{k,name,x}', '{sum(v),count(*)}'), oracle.keep('parted_c', 'parted', '{c}', '{at}', '{sum(v),count(*)}'),
       oracle.keep('parted_numeric', 'parted', '{n}', '{k,x,name,id}', '{sum(v),count(*)}', 'v % 10 <> 0'), oracle.keep('parted_two', 'parted', '{p,t}', '{at,id}', '{sum(x),count(*)}'), oracle.keep('parted_three', 'parted', '{n,b,c}', '{k}', '{sum(v),count(*)}');
SELECT * FROM oracle.compare_all();
INSERT INTO parted SELECT r.* FROM generate_series(901, 1050) AS i, parted(i) AS r;
UPDATE parted SET p = (p + 1) % 4, t = t || 'x' WHERE id % 6 = 0;
UPDATE parted SET n = n * 1.0, x = x + 1, v = v + 1, c = NULL WHERE id % 10 = 0;
DELETE FROM parted WHERE id % 8 = 0;
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all();
-- a partition that equals another in its order, and not in its bytes, is the same one
SELECT (SELECT a1 FROM parted_numeric_total(1)) = (SELECT a1 FROM parted_numeric_total(1.00000)) AS same;
-- partitions that go, and come again
DELETE FROM parted WHERE p = 1 OR n = 1 OR t IS NULL;
CALL oracle.compact_all();
INSERT INTO parted SELECT r.* FROM generate_series(2401, 2600) AS i, parted(i) AS r;
SELECT * FROM oracle.compare_all();
CALL oracle.compact_all();
SELECT * FROM oracle.compare_all();

-- ---- every way to change a table

COPY parted (id, p, t, n, k, name, x, at, v) FROM STDIN (FORMAT csv);
3001,0,a,1.0000,5,b,1,2026-01-01 00:00Z,17
3002,,,,5,b,1,2026-01-01 00:00Z,18
3003,3,"",1,5,B,1.0,2027-01-01 00:00Z,19
\.
INSERT INTO parted SELECT r.* FROM generate_series(2590, 2610) AS i, parted(i) AS r ON CONFLICT (id) DO UPDATE SET v = parted.v + 1, k = excluded.k + 1, p = NULL;
INSERT INTO parted SELECT r.* FROM generate_series(2590, 2620) AS i, parted(i) AS r ON CONFLICT DO NOTHING;
MERGE INTO parted USING (SELECT r.* FROM generate_series(2600, 2640) AS i, parted(i) AS r) AS s ON s.id = parted.id
WHEN MATCHED AND s.id % 2 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET k = s.k + 7, v = s.v + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.*);
WITH gone AS (DELETE FROM parted WHERE id % 17 = 0 RETURNING *), changed AS (UPDATE parted SET v = -v WHERE id % 17 = 1 RETURNING *)
INSERT INTO parted (id, p, t, k, name, x, at, v) SELECT id + 10000, p, t, k, name, x, at, v FROM gone UNION ALL SELECT id + 10000, p, t, k, name, x, at, v FROM changed;
UPDATE parted SET id = id;
DELETE FROM parted WHERE false;
SELECT * FROM oracle.compare_all();
-- savepoints, a read in the transaction that has written, and one that is rolled back
BEGIN;
SELECT * FROM parted_int_total(2);
INSERT INTO parted (id, p, k, name, x, at, v) VALUES (20001, 2, 1, 'a', 1, now(), 1000000);
SELECT * FROM parted_int_total(2);
SAVEPOINT s;
UPDATE parted SET p = 2;
SELECT (SELECT a2 FROM parted_int_total(2)) = (SELECT count(*) FROM parted) AS all;
ROLLBACK TO s;
SELECT * FROM parted_int_total(2);
CALL scan_kept_compact('parted_int');
SELECT * FROM parted_int_total(2);
ROLLBACK;
SELECT * FROM parted_int_total(2);
-- a cursor reads the rows of its snapshot
BEGIN;
DECLARE c CURSOR FOR SELECT count(*) = max(a2) AS same FROM parted, parted_int_total(2) WHERE p = 2;
DELETE FROM parted WHERE id % 2 = 0;
CALL scan_kept_compact('parted_int');
FETCH c;
ROLLBACK;
-- changed by a cascade, and by a function
CREATE TABLE parent (id int PRIMARY KEY);
INSERT INTO parent VALUES (1), (2), (3);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE, v int);
SELECT oracle.keep('child_kept', 'child', '{parent}', '{id}', '{sum(v)}');
INSERT INTO child SELECT i, 1 + i % 3, i FROM generate_series(1, 100) AS i;
DELETE FROM parent WHERE id = 1;
UPDATE parent SET id = 7 WHERE id = 2;
SELECT * FROM child_kept_total(7);
SELECT * FROM oracle.compare('child_kept');
-- reads inside of the statement that writes see the rows so far, as the plain query does
CREATE TABLE seen (id int, kept bigint, plain bigint);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO seen SELECT new.id, a1, (SELECT sum(v) FROM child WHERE parent = 3) FROM child_kept_total(3);
  RETURN NULL;
END $$;
CREATE TRIGGER a_see AFTER INSERT OR UPDATE ON child FOR EACH ROW EXECUTE FUNCTION see();
INSERT INTO child SELECT i, 3, i FROM generate_series(201, 210) AS i;
UPDATE child SET v = v + 1 WHERE id > 208;
COPY child FROM STDIN (FORMAT csv);
301,3,1
302,3,10
\.
SELECT count(*), count(*) FILTER (WHERE kept IS DISTINCT FROM plain) AS different, min(kept) < max(kept) AS grows FROM seen;
CREATE FUNCTION total_of_child(p int) RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT a1 FROM child_kept_total(p)';
INSERT INTO child SELECT i, 3, total_of_child(3) FROM generate_series(401, 403) AS i;
SELECT v FROM child WHERE id > 400 ORDER BY id;
DROP TRIGGER a_see ON child;
-- the replica's trigger
SET session_replication_role = replica;
INSERT INTO child SELECT i, 3, i FROM generate_series(501, 510) AS i;
UPDATE child SET v = v + 1, parent = 7 WHERE id > 505;
DELETE FROM child WHERE id % 5 = 0;
RESET session_replication_role;
SELECT * FROM oracle.compare('child_kept');
SET session_replication_role = replica;
TRUNCATE child;
RESET session_replication_role;
SELECT * FROM child_kept_total(7);
SELECT count(*) FROM child_kept;
-- two-phase and aborted transactions leave what the table has
BEGIN;
INSERT INTO child VALUES (1, 3, 1);
ROLLBACK;
SELECT count(*) FROM child_kept_log;
SELECT oracle.unkeep('child_kept');
DROP TABLE child, parent, seen CASCADE;
DROP FUNCTION see, total_of_child;

-- TRUNCATE, also in a transaction that is rolled back
BEGIN;
TRUNCATE parted;
SELECT * FROM parted_int_total(2);
INSERT INTO parted SELECT r.* FROM generate_series(1, 100) AS i, parted(i) AS r;
SELECT * FROM oracle.compare_all(5);
ROLLBACK;
SELECT * FROM oracle.compare_all(5);
TRUNCATE parted;
SELECT (SELECT count(*) FROM parted_int) AS tree, (SELECT count(*) FROM parted_int_log) AS log;
-- at several sizes, compacted each time
CREATE PROCEDURE grow() LANGUAGE plpgsql AS $$
DECLARE
  size int;
  all_different bigint := 0;
  all_compared bigint := 0;
  all_sound boolean := true;
BEGIN
  FOREACH size IN ARRAY '{1,2,256,257,600}'::int[] LOOP
    INSERT INTO parted SELECT r.* FROM generate_series((SELECT coalesce(max(id), 0) + 1 FROM parted), size) AS i, parted(i) AS r;
    CALL oracle.compact_all();
    SELECT all_different + sum(different), all_compared + sum(compared), all_sound AND bool_and(oracle.is_sound(a.name, CASE WHEN a.name <> 'parted_numeric' THEN (SELECT count(*) FROM parted) ELSE (SELECT count(*) FROM parted WHERE v % 10 <> 0) END))
      INTO all_different, all_compared, all_sound FROM oracle.compare_all(3) AS a;
  END LOOP;
  FOREACH size IN ARRAY '{10,0}'::int[] LOOP
    DELETE FROM parted WHERE id > size;
    CALL oracle.compact_all();
    SELECT all_different + sum(different), all_compared + sum(compared), all_sound AND bool_and(oracle.is_sound(a.name, CASE WHEN a.name <> 'parted_numeric' THEN (SELECT count(*) FROM parted) ELSE (SELECT count(*) FROM parted WHERE v % 10 <> 0) END))
      INTO all_different, all_compared, all_sound FROM oracle.compare_all(3) AS a;
  END LOOP;
  RAISE WARNING '% compared, % different, sound: %', all_compared, all_different, all_sound;
END $$;
CALL grow();
SELECT * FROM oracle.check_all();
SELECT bool_and(oracle.unkeep(name) IS NOT NULL) FROM oracle.kept_case;
DROP TABLE parted CASCADE;
DROP SCHEMA ledger CASCADE;
