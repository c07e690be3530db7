-- kept: kept scans (src/kept): a first example, names and definitions that change, transactions.  Each read of a kept scan is
-- compared with the plain query over the same rows (oracle.compare in setup.sql), as text, so that display scales, NaN and -0
-- count.  kept_aggregates.sql has the aggregates, kept_keys.sql the types of keys and partitions, kept_writes.sql the statements
-- that change a table, kept_limits.sql what cannot be kept, privileges and what is left behind.
\pset null -
-- plain queries are what the kept scans are compared with
SET scan.kept = off;
SET client_min_messages = warning;
CREATE SCHEMA ledger;
SET search_path = ledger, public;

-- ---- a first example

CREATE TABLE payment (id int PRIMARY KEY, account int NOT NULL, day date NOT NULL, amount numeric NOT NULL, posted boolean NOT NULL DEFAULT true);
CREATE INDEX ON payment (account, day, id);
INSERT INTO payment SELECT i, i % 3, date '2026-01-01' + i % 100, i * 0.01 FROM generate_series(1, 3000) AS i;
SELECT scan_keep('payment_kept', $$
  SELECT sum(amount) OVER w AS balance, count(*) OVER w AS entries FROM payment WHERE posted
  WINDOW w AS (PARTITION BY account ORDER BY day, id) $$);
SELECT * FROM payment_kept_total(1);
SELECT * FROM payment_kept_before(1, '2026-02-01');
SELECT * FROM payment_kept_before(1, '2026-02-01', 1000);
SELECT * FROM payment_kept_between(1, '2026-02-01', '2026-03-01');
SELECT * FROM payment_kept_last(1, 3);
SELECT name, source, definition, tree, log, usable, reason, remedy, tree_bytes > 0 AS tree_bytes, log_bytes >= 0 AS log_bytes FROM scan_kept;
-- a row of January comes late, one is posted no more, one moves to another account, one goes
INSERT INTO payment VALUES (4001, 1, '2026-01-20', 1000000, true);
UPDATE payment SET posted = false WHERE id = 1;
UPDATE payment SET account = 2 WHERE id = 4;
DELETE FROM payment WHERE id = 7;
SELECT * FROM payment_kept_total(1);
SELECT sum(amount) AS balance, count(*) AS entries FROM payment WHERE posted AND account = 1;
SELECT count(*), sum(scan_rows) FROM payment_kept_log;
CALL scan_kept_compact('payment_kept');
SELECT count(*) FROM payment_kept_log;
SELECT * FROM payment_kept_total(1);
SELECT * FROM payment_kept_before(1, '2026-02-01');
SELECT sum(amount) AS balance, count(*) AS entries FROM payment WHERE posted AND account = 1 AND day < '2026-02-01';
-- what there is: the tree and its log, a view, functions with names and types of the definition, triggers
\d payment_kept
\d payment_kept_log
\df payment_kept*
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'payment'::regclass ORDER BY tgname;
SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_class AS c WHERE relname LIKE 'payment_kept%' AND relkind = 'm' ORDER BY 1;
-- no rows: what the aggregates give
SELECT * FROM payment_kept_total(99);
SELECT * FROM payment_kept_total(NULL);
SELECT * FROM payment_kept_before(1, '-infinity');
SELECT * FROM payment_kept_before(1, NULL);
SELECT * FROM payment_kept_before(1, '2026-02-01', NULL);
SELECT * FROM payment_kept_between(1, '2026-03-01', '2026-02-01');
SELECT * FROM payment_kept_between(1, NULL, '2026-02-01');
SELECT * FROM payment_kept_last(99, 3);
SELECT * FROM payment_kept_last(1, 0);
SELECT count(*) FROM payment_kept_last(1, 9223372036854775807);
SELECT oracle.error_of('SELECT * FROM payment_kept_last(1, -1)'), oracle.error_of('SELECT * FROM payment_kept_last(1, NULL)');
-- scan_kept_check finds what is wrong, and builds it anew
SELECT scan_kept_check('payment_kept');
-- nobody writes or refreshes tree and log
SELECT oracle.error_of(command) FROM unnest('{UPDATE payment_kept SET entries = 7,DELETE FROM payment_kept_log,TRUNCATE payment_kept,INSERT INTO payment_kept_log SELECT * FROM payment_kept_log,REFRESH MATERIALIZED VIEW payment_kept,REFRESH MATERIALIZED VIEW payment_kept_log,ALTER TABLE payment_kept ADD COLUMN more int,ALTER MATERIALIZED VIEW payment_kept_log ALTER COLUMN entries TYPE int,COPY payment_kept_log FROM STDIN}'::text[]) AS command;
-- ... or only in a way that is noticed
BEGIN;
REFRESH MATERIALIZED VIEW payment_kept_log WITH NO DATA;
SELECT usable, reason FROM scan_kept WHERE name = 'payment_kept';
INSERT INTO payment VALUES (4002, 1, '2026-02-20', 7, true);
SELECT entries FROM payment_kept_total(1);
SELECT scan_kept_check('payment_kept');
SELECT usable, entries FROM payment_kept_total(1), scan_kept WHERE name = 'payment_kept';
ROLLBACK;
-- those of a table that is not logged are tables: scan_kept_check finds what its owner has done to them, and builds them anew
CREATE UNLOGGED TABLE loose AS SELECT * FROM payment;
ALTER TABLE loose ALTER id SET NOT NULL, ALTER day SET NOT NULL;
SELECT scan_keep('loose_kept', $$SELECT sum(amount) OVER w AS balance, count(*) OVER w AS entries FROM loose WHERE posted WINDOW w AS (PARTITION BY account ORDER BY day, id)$$) > 0 AS kept;
UPDATE loose_kept SET entries = entries + 1 WHERE account = 1 AND scan_split;
SELECT entries FROM loose_kept_total(1);
SELECT scan_kept_check('loose_kept') > 0 AS wrong;
SELECT entries FROM loose_kept_total(1);
SELECT scan_kept_check('loose_kept');
DELETE FROM loose_kept WHERE ctid = (SELECT min(ctid) FROM loose_kept WHERE NOT scan_split);
SELECT scan_kept_check('loose_kept') > 0 AS wrong;
INSERT INTO loose VALUES (4002, 1, '2026-02-20', 7, true);
INSERT INTO loose_kept_log SELECT * FROM loose_kept_log;
SELECT scan_kept_check('loose_kept') > 0 AS wrong;
SELECT scan_kept_check('loose_kept');
DROP TABLE loose CASCADE;
-- without triggers for a while, as pg_restore --disable-triggers does it: the rows are read, until it is checked
ALTER TABLE payment DISABLE TRIGGER ALL;
INSERT INTO payment VALUES (5001, 1, '2026-01-20', 100, true);
ALTER TABLE payment ENABLE TRIGGER ALL;
SELECT name, usable, reason, remedy FROM scan_kept;
SELECT * FROM payment_kept_total(1);
SELECT sum(amount), count(*) FROM payment WHERE posted AND account = 1;
INSERT INTO payment VALUES (5002, 1, '2026-01-20', 200, true);
SELECT scan_kept_check('payment_kept') > 0 AS wrong;
SELECT name, usable, reason, remedy FROM scan_kept;
SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = 'payment'::regclass ORDER BY tgname;
INSERT INTO payment VALUES (5003, 1, '2026-01-20', 400, true);
SELECT * FROM payment_kept_total(1);
SELECT sum(amount), count(*) FROM payment WHERE posted AND account = 1;
DROP TRIGGER scan_kept_payment_kept_rows ON payment;
DELETE FROM payment WHERE id IN (1001, 1004);
SELECT scan_kept_check('payment_kept') > 0 AS wrong;
DELETE FROM payment WHERE id IN (1007, 1010);
SELECT * FROM payment_kept_total(1);
SELECT sum(amount), count(*) FROM payment WHERE posted AND account = 1;
SELECT scan_unkeep('payment_kept');
DROP TABLE payment;

-- ---- names and changes of the schema

-- a table that is not logged
CREATE UNLOGGED TABLE quick (id int NOT NULL, v int);
INSERT INTO quick SELECT i, i FROM generate_series(1, 1000) AS i;
SELECT oracle.keep('quick_kept', 'quick', '{}', '{id}', '{sum(v)}');
INSERT INTO quick VALUES (500, 7);
SELECT relname, relkind, relpersistence FROM pg_class WHERE relname LIKE 'quick_kept%' AND relkind IN ('r', 'm') ORDER BY 1;
SELECT * FROM oracle.compare('quick_kept', 20);
-- the table is logged, its log and tree are not: the rows are read
ALTER TABLE quick SET LOGGED;
INSERT INTO quick VALUES (501, 7);
SELECT * FROM oracle.compare('quick_kept', 20);
SELECT oracle.error_of('CALL scan_kept_compact(''quick_kept'')');
SELECT scan_kept_check('quick_kept');
SELECT relname, relkind, relpersistence FROM pg_class WHERE relname LIKE 'quick_kept%' AND relkind IN ('r', 'm') ORDER BY 1;
INSERT INTO quick VALUES (502, 7);
SELECT * FROM oracle.compare('quick_kept', 20);
SELECT * FROM oracle.check_all();
SELECT oracle.unkeep('quick_kept');
DROP TABLE quick;
-- names that need quotes
CREATE SCHEMA "Odd ""schema"" %s";
CREATE TABLE "Odd ""schema"" %s"."Odd ' table $1" ("Part 'p'" text, "select" int NOT NULL, "Key ""k""" bigint NOT NULL, "%I" numeric);
INSERT INTO "Odd ""schema"" %s"."Odd ' table $1" SELECT (ARRAY['a''b', 'c"d', '\e', NULL])[1 + i % 4], i % 50, i, i * 0.5 FROM generate_series(1, 400) AS i;
SELECT scan_keep($$Kept 'of' "odd" $1 %s\$$, $$SELECT sum("%I") OVER w AS "Sum 's'", count(*) OVER w AS "count ""c""" FROM "Odd ""schema"" %s"."Odd ' table $1" WHERE "Part 'p'" IS DISTINCT FROM 'q''' WINDOW w AS (PARTITION BY "Part 'p'" ORDER BY "select", "Key ""k""")$$);
INSERT INTO "Odd ""schema"" %s"."Odd ' table $1" VALUES ('a''b', -5, 0, 1000), ('q''', 1, 1, 1);
UPDATE "Odd ""schema"" %s"."Odd ' table $1" SET "select" = 3 WHERE "select" = 2;
SELECT k."Sum 's'" = (SELECT sum("%I") FROM "Odd ""schema"" %s"."Odd ' table $1" WHERE "Part 'p'" = 'a''b' AND ("select", "Key ""k""") < (20, 100)) AS same, k."count ""c""" FROM "Odd ""schema"" %s"."Kept 'of' ""odd"" $1 %s\_before"('a''b', 20, 100) AS k;
CALL scan_kept_compact($$Kept 'of' "odd" $1 %s\$$);
SELECT k."Sum 's'" = (SELECT sum("%I") FROM "Odd ""schema"" %s"."Odd ' table $1" WHERE "Part 'p'" IS NULL AND "select" BETWEEN 10 AND 19) AS same FROM "Odd ""schema"" %s"."Kept 'of' ""odd"" $1 %s\_between"(NULL, 10, 20) AS k;
TRUNCATE "Odd ""schema"" %s"."Odd ' table $1";
SELECT * FROM "Odd ""schema"" %s"."Kept 'of' ""odd"" $1 %s\_total"('a''b');
SELECT scan_unkeep($$Kept 'of' "odd" $1 %s\$$);
DROP SCHEMA "Odd ""schema"" %s" CASCADE;
-- the longest name; columns named as parameters are, and as columns of the result; alias of the table and its columns; ONLY
CREATE TABLE edge (rows int, "from" int NOT NULL, "to" int NOT NULL, v int);
INSERT INTO edge SELECT i % 2, i % 20, i % 30, i FROM generate_series(1, 500) AS i;
SELECT oracle.keep(repeat('n', 40)::name, 'edge', '{rows}', '{"\"from\"","\"to\""}', '{sum(v),count(*)}');
INSERT INTO edge SELECT i % 2, i % 20, i % 30, i FROM generate_series(501, 800) AS i;
SELECT * FROM oracle.compare(repeat('n', 40)::name);
SELECT scan_keep('edge_kept', 'SELECT sum(d) OVER w AS name, count(*) OVER w AS "order", sum(x.d + 1) OVER w AS r FROM ONLY edge AS x (a, b, c, d) WHERE x.d % 2 = 0 WINDOW w AS (PARTITION BY a ORDER BY b, x.c GROUPS UNBOUNDED PRECEDING);');
SELECT * FROM edge_kept_before(0, 10, 3);
SELECT sum(v) AS name, count(*) AS "order", sum(v + 1) AS r FROM edge WHERE rows = 0 AND ("from", "to") < (10, 3) AND v % 2 = 0;
SELECT scan_unkeep('edge_kept'), oracle.unkeep(name) IS NOT NULL AS unkeep FROM oracle.kept_case;
DROP TABLE edge;
-- columns, tables and schemas that are renamed or moved; columns that come and go
CREATE TABLE moved (gone int, id int NOT NULL, p int, v int);
INSERT INTO moved SELECT 0, i, i % 2, i FROM generate_series(1, 1000) AS i;
SELECT oracle.keep('moved_kept', 'moved', '{p}', '{id}', '{sum(v),count(*)}');
ALTER TABLE moved RENAME v TO value;
ALTER TABLE moved RENAME id TO number;
ALTER TABLE moved RENAME p TO part;
ALTER TABLE moved RENAME TO renamed;
UPDATE oracle.kept_case SET renamed = true, source = 'renamed', partition = '{part}', key = '{number}', aggregate = '{sum(value),count(*)}';
INSERT INTO renamed SELECT 0, i, i % 2, i FROM generate_series(1001, 1100) AS i;
SELECT * FROM oracle.compare('moved_kept');
ALTER TABLE renamed DROP gone, ADD new text DEFAULT 'x';
INSERT INTO renamed SELECT i, i % 2, i, '8' FROM generate_series(1101, 1200) AS i;
SELECT * FROM oracle.compare('moved_kept');
CALL scan_kept_compact('moved_kept');
SELECT * FROM oracle.compare('moved_kept');
-- the rows that NAME_last returns have the columns that there were
SELECT number, part, value, a1, a2 FROM (SELECT number, part, value, sum(value) OVER w AS a1, count(*) OVER w AS a2 FROM renamed WHERE part = 1 WINDOW w AS (PARTITION BY part ORDER BY number)) AS s ORDER BY number DESC LIMIT 2;
SELECT * FROM moved_kept_last(1, 2);
ALTER TABLE renamed ALTER new DROP DEFAULT, ALTER new TYPE int USING 7;
SELECT * FROM moved_kept_last(1, 2);
CREATE SCHEMA elsewhere;
ALTER TABLE renamed SET SCHEMA elsewhere;
UPDATE oracle.kept_case SET source = 'elsewhere.renamed';
DELETE FROM elsewhere.renamed WHERE number % 5 = 0;
SELECT * FROM oracle.compare('moved_kept');
CALL scan_kept_compact('moved_kept');
DELETE FROM elsewhere.renamed WHERE number % 7 = 0;
SELECT * FROM oracle.compare('moved_kept');
VACUUM FULL elsewhere.renamed, moved_kept, moved_kept_log;
REINDEX TABLE moved_kept;
CLUSTER moved_kept_log USING moved_kept_log_p_scan_bucket_idx;
CALL scan_kept_compact('moved_kept');
SELECT * FROM oracle.compare('moved_kept');
-- the extension in another schema
SELECT scan_set_schema('elsewhere');
DELETE FROM elsewhere.renamed WHERE number % 11 = 0;
SELECT count(*) FROM moved_kept_total(1);
SELECT elsewhere.scan_set_schema('public');
SELECT * FROM oracle.compare('moved_kept');
-- what would make it wrong is refused by PostgreSQL
SELECT q, rtrim(oracle.error_of(q), '.') AS error_of FROM unnest(ARRAY['ALTER TABLE elsewhere.renamed DROP part', 'ALTER TABLE elsewhere.renamed ALTER value TYPE bigint USING value * 2', 'ALTER TABLE elsewhere.renamed ALTER number TYPE bigint', 'DROP TABLE elsewhere.renamed']) AS q;
-- tables that come to inherit, are inherited from, or get what could not be kept: writes work, and reads are right
CREATE TABLE ancestor (number int NOT NULL, part int, value int, new int);
CREATE TABLE whole (number int NOT NULL, part int, value int, new int) PARTITION BY LIST (number);
-- Runs commands; returns for each whether it was refused, and then an example of each read that is wrong.
CREATE FUNCTION attempt(commands text[]) RETURNS TABLE (command text, read text, wrong text) LANGUAGE plpgsql AS $$
DECLARE
  c text;
BEGIN
  FOREACH c IN ARRAY commands LOOP
    command := c; read := NULL; wrong := NULL;
    BEGIN
      EXECUTE c;
    EXCEPTION WHEN feature_not_supported OR wrong_object_type OR object_not_in_prerequisite_state OR undefined_table THEN
      wrong := 'refused';
    END;
    RETURN NEXT;
  END LOOP;
  RETURN QUERY SELECT 'compared', a.read, nullif(a.example, '-') FROM oracle.compare('moved_kept', 5) AS a;
END $$;
BEGIN;
SELECT command, read, wrong FROM attempt('{CREATE TABLE heir () INHERITS (elsewhere.renamed),"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)","INSERT INTO heir VALUES (2001, 1, 2001, 10)",UPDATE elsewhere.renamed SET value = 1,DROP TABLE heir}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{ALTER TABLE elsewhere.renamed INHERIT ancestor,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)",UPDATE ancestor SET value = 1}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{ALTER TABLE whole ATTACH PARTITION elsewhere.renamed DEFAULT,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)",UPDATE whole SET value = 1,ALTER TABLE whole DETACH PARTITION elsewhere.renamed}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{ALTER TABLE elsewhere.renamed ALTER number DROP NOT NULL,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)"}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{ALTER TABLE elsewhere.renamed ADD twice int GENERATED ALWAYS AS (value * 2) STORED,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)"}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
DROP TABLE ancestor, whole;
-- its own tables lose an index, or are dropped: writes work, and reads are right
BEGIN;
SELECT command, read, wrong FROM attempt('{DROP INDEX moved_kept_log_p_scan_bucket_idx,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)"}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
BEGIN;
SELECT command, read, wrong FROM attempt('{CREATE INDEX ON moved_kept (scan_rows),DROP INDEX moved_kept_p_scan_level_scan_bucket_idx,"INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10)"}') WHERE command = 'compared' OR command LIKE 'INSERT%';
ROLLBACK;
-- triggers that are disabled, or dropped: the rows are read
ALTER TABLE elsewhere.renamed DISABLE TRIGGER scan_kept_moved_kept_rows;
INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10);
SELECT * FROM oracle.compare('moved_kept', 20);
ALTER TABLE elsewhere.renamed ENABLE TRIGGER scan_kept_moved_kept_rows;
SELECT * FROM oracle.compare('moved_kept', 20);
SELECT oracle.error_of('CALL scan_kept_compact(''moved_kept'')');
DROP TRIGGER scan_kept_moved_kept_rows ON elsewhere.renamed;
DELETE FROM elsewhere.renamed WHERE number = 2001;
SELECT * FROM oracle.compare('moved_kept', 20);
INSERT INTO elsewhere.renamed VALUES (2001, 1, 2001, 10);
SELECT * FROM oracle.compare('moved_kept', 20);
SELECT oracle.unkeep('moved_kept');
DROP SCHEMA elsewhere CASCADE;
-- triggers of others that call the function of the triggers change nothing
CREATE TABLE other (id int NOT NULL, v int);
CREATE TABLE mine (id int NOT NULL, v int);
SELECT oracle.keep('other_kept', 'other', '{}', '{id}', '{sum(v),count(*)}');
CREATE TRIGGER wrong AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION scan_kept_log('other_kept');
CREATE TRIGGER twice AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION scan_kept_log('other_kept');
SELECT oracle.error_of('INSERT INTO mine VALUES (1, 1)');
SELECT oracle.error_of('INSERT INTO other VALUES (1, 1)') IS NOT NULL;
SELECT coalesce(sum(different), 0) AS different FROM oracle.compare('other_kept');
DROP TRIGGER twice ON other;
CREATE TRIGGER before BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION scan_kept_log('other_kept');
SELECT oracle.error_of('INSERT INTO other VALUES (2, 1)') IS NOT NULL;
DROP TRIGGER before ON other;
INSERT INTO other VALUES (3, 1);
SELECT coalesce(sum(different), 0) AS different FROM oracle.compare('other_kept');
SELECT oracle.unkeep('other_kept');
DROP TABLE other, mine;

-- ---- transactions

CREATE TABLE late (id int NOT NULL, v int);
INSERT INTO late SELECT i, i FROM generate_series(1, 1000) AS i;
BEGIN;
SELECT scan_keep('late_kept', 'SELECT sum(v) OVER (ORDER BY id) FROM late');
INSERT INTO late VALUES (0, 7);
SELECT * FROM late_kept_total();
ROLLBACK;
SELECT oracle.error_of('SELECT scan_unkeep(''late_kept'')');
BEGIN;
INSERT INTO late VALUES (0, 7);
SAVEPOINT s;
SELECT scan_keep('late_kept', 'SELECT sum(v) OVER (ORDER BY id) FROM late');
INSERT INTO late VALUES (0, 7);
SELECT * FROM late_kept_total();
ROLLBACK TO s;
SELECT oracle.error_of('SELECT * FROM late_kept_total()');
SELECT scan_keep('late_kept', 'SELECT sum(v) OVER (ORDER BY id) FROM late');
COMMIT;
SELECT * FROM late_kept_total();
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO late VALUES (0, 7);
SELECT * FROM late_kept_total();
SELECT oracle.error_of('CALL scan_kept_compact(''late_kept'')');
COMMIT;
SELECT * FROM late_kept_total();
-- a read-only transaction reads, and changes nothing
BEGIN READ ONLY;
SELECT * FROM late_kept_total();
SELECT oracle.error_of('CALL scan_kept_compact(''late_kept'')') LIKE '25006: cannot execute % in a read-only transaction' AS compact, oracle.error_of('SELECT scan_unkeep(''late_kept'')') LIKE '25006: %' AS unkeep;
COMMIT;
-- an error in an expression is one of the statement that writes
SELECT scan_unkeep('late_kept');
SELECT scan_keep('late_kept', 'SELECT sum(10 / v) OVER (ORDER BY id) FROM late');
INSERT INTO late VALUES (1, 0);
SELECT * FROM late_kept_total();
SELECT scan_unkeep('late_kept');
DROP SCHEMA ledger CASCADE;
