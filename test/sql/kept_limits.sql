-- kept_limits: kept scans (src/kept): what is refused and why, who may do what, and what scan_unkeep and DROP leave behind.
-- kept.sql compares their results.
\pset null -
-- plain queries are what the kept scans are compared with
SET scan.kept = off;
SET client_min_messages = warning;
CREATE SCHEMA ledger;
SET search_path = ledger, public;

-- ---- what cannot be kept

CREATE TABLE sale (id int PRIMARY KEY, shop int, at timestamptz NOT NULL, day date, code text NOT NULL, price numeric, weight float8, share real, ok boolean, span interval NOT NULL DEFAULT '1 day', mood oracle.mood NOT NULL DEFAULT 'low', where_at point, caseless text COLLATE oracle.caseless, big numeric NOT NULL DEFAULT 0, clock time NOT NULL DEFAULT '0:00', uid uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000', real_key float8 NOT NULL DEFAULT 0);
CREATE VIEW sale_view AS SELECT * FROM sale;
CREATE MATERIALIZED VIEW sale_matview AS SELECT * FROM sale;
CREATE TABLE sale_parted (id int NOT NULL, price int) PARTITION BY RANGE (id);
CREATE TABLE sale_part PARTITION OF sale_parted FOR VALUES FROM (0) TO (100);
CREATE TABLE sale_parent (id int PRIMARY KEY, price int);
CREATE TABLE sale_child () INHERITS (sale_parent);
CREATE TEMP TABLE sale_temp (id int NOT NULL, price int);
CREATE FOREIGN DATA WRAPPER kept_wrapper;
CREATE SERVER kept_server FOREIGN DATA WRAPPER kept_wrapper;
CREATE FOREIGN TABLE sale_foreign (id int NOT NULL, price int) SERVER kept_server;
ALTER TABLE sale_child ADD PRIMARY KEY (id);
CREATE TABLE sale_generated (id int NOT NULL, price int, gross int GENERATED ALWAYS AS (price * 2) STORED);
CREATE FUNCTION volatile_of(x numeric) RETURNS numeric LANGUAGE sql VOLATILE AS 'SELECT x';
CREATE AGGREGATE own_sum (numeric) (SFUNC = numeric_add, STYPE = numeric);
CREATE AGGREGATE own_max (int) (SFUNC = int4larger, STYPE = int, COMBINEFUNC = int4larger, SORTOP = >);
CREATE AGGREGATE own_count (int) (SFUNC = int8inc_any, STYPE = int8, INITCOND = '7');
CREATE FUNCTION refusals(definitions text[]) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT E'\n' || d || E'\n    ' || replace(oracle.error_of(format('SELECT scan_keep(%L, %L)', 'refused', d)), ' | ', E'\n    ') FROM unnest(definitions) AS d
$$;
-- one that inherits, a partition, and one with a generated column can
SELECT scan_keep('kept', format('SELECT count(*) OVER (ORDER BY id) FROM %s', t)), scan_unkeep('kept') FROM unnest('{sale_child,sale_part,sale_generated}'::text[]) AS t;
\pset format unaligned
\pset tuples_only on
-- tables
SELECT refusals(ARRAY[
  'SELECT count(*) OVER (ORDER BY id) FROM sale_view', 'SELECT count(*) OVER (ORDER BY id) FROM sale_matview', 'SELECT count(*) OVER (ORDER BY id) FROM ONLY sale_parted',
  'SELECT count(*) OVER (ORDER BY id) FROM sale_parent', 'SELECT count(*) OVER (ORDER BY id) FROM ONLY sale_parent', 'SELECT count(*) OVER (ORDER BY id) FROM sale_temp', 'SELECT count(*) OVER (ORDER BY id) FROM sale_foreign',
  'SELECT count(*) OVER (ORDER BY oid) FROM pg_class', 'SELECT count(*) OVER (ORDER BY id) FROM no_such_table', 'SELECT count(*) OVER (ORDER BY i) FROM generate_series(1, 3) AS i',
  'SELECT count(*) OVER (ORDER BY i) FROM (VALUES (1)) AS v (i)', 'SELECT count(*) OVER (ORDER BY id) FROM sale TABLESAMPLE SYSTEM (100)', 'SELECT count(*) OVER ()',
  'SELECT sum(tableoid::bigint) OVER (ORDER BY id) FROM sale', 'SELECT count(*) OVER (ORDER BY id) FROM sale WHERE ctid > ''(0,1)''', 'SELECT count(*) FILTER (WHERE xmin IS NOT NULL) OVER (ORDER BY id) FROM sale']);
-- queries
SELECT refusals(ARRAY[
  'SELECT count(*) OVER (ORDER BY s.id) FROM sale AS s, sale_parent AS c', 'SELECT count(*) OVER (ORDER BY s.id) FROM sale AS s LEFT JOIN sale_parent AS c USING (id)', 'SELECT count(*) OVER (ORDER BY id) FROM (SELECT * FROM sale) AS s',
  'WITH s AS (SELECT * FROM sale) SELECT count(*) OVER (ORDER BY id) FROM s', 'SELECT count(*) OVER (ORDER BY id) FROM sale WHERE id IN (SELECT 1)', 'SELECT count(*) OVER (ORDER BY id) FROM sale UNION ALL SELECT 1', 'SELECT DISTINCT count(*) OVER (ORDER BY id) FROM sale',
  'SELECT count(*) OVER (ORDER BY id) FROM sale GROUP BY id', 'SELECT count(*) OVER (ORDER BY id) FROM sale LIMIT 3', 'SELECT count(*) OVER (ORDER BY id) FROM sale OFFSET 3', 'SELECT count(*) OVER (ORDER BY id) FROM sale ORDER BY id', 'SELECT count(*) OVER (ORDER BY id) FROM sale FOR UPDATE',
  'SELECT count(*) FROM sale', 'SELECT shop, sum(price) FROM sale GROUP BY shop', 'SELECT sum(count(*)) OVER () FROM sale', 'SELECT count(*) OVER (ORDER BY id), generate_series(1, 2) FROM sale', 'SELECT id, count(*) OVER (ORDER BY id) FROM sale', 'SELECT count(*) OVER (ORDER BY id) + 1 FROM sale', 'SELECT * FROM sale', 'SELECT FROM sale',
  'SELECT count(*) OVER (ORDER BY id) FROM sale WHERE at < now()', 'SELECT count(*) OVER (ORDER BY id) FROM sale WHERE volatile_of(price) > 1', 'SELECT count(*) OVER (ORDER BY id) FROM sale WHERE at > ''2026-01-01''::date',
  'SELECT sum(volatile_of(price)) OVER (ORDER BY id) FROM sale', 'SELECT sum(price) FILTER (WHERE random() < 0.5) OVER (ORDER BY id) FROM sale', 'SELECT sum(price) FILTER (WHERE current_user = code) OVER (ORDER BY id) FROM sale',
  'TABLE sale', 'VALUES (1)', 'DELETE FROM sale', 'DROP TABLE sale', 'SELECT 1; SELECT 2', 'SELECT count(*) OVER (ORDER BY id) FROM sale; DROP TABLE sale', '', 'no query', 'SELECT count(*) OVER (ORDER BY id) INTO sale_copy FROM sale', 'SELECT count(*) OVER (ORDER BY $1) FROM sale']);
-- the place of an error is one in the definition
SELECT scan_keep('misspelt', 'SELECT count(*) OVER (ORDER BY idd) FROM sale');
SELECT scan_keep('misspelt', 'SELECT count(*) OVER (ORDER BY id) FORM sale');
-- windows
SELECT refusals(ARRAY[
  'SELECT count(*) OVER () FROM sale', 'SELECT count(*) OVER (PARTITION BY shop) FROM sale', 'SELECT count(*) OVER (ORDER BY id), count(*) OVER (ORDER BY at) FROM sale', 'SELECT count(*) OVER (ORDER BY id), count(*) OVER (PARTITION BY shop ORDER BY id) FROM sale',
  'SELECT count(*) OVER (ORDER BY id DESC) FROM sale', 'SELECT count(*) OVER (ORDER BY id, at DESC) FROM sale', 'SELECT count(*) OVER (ORDER BY id USING >) FROM sale', 'SELECT count(*) OVER (ORDER BY day) FROM sale', 'SELECT count(*) OVER (ORDER BY id, price) FROM sale',
  'SELECT count(*) OVER (ORDER BY code) FROM sale', 'SELECT count(*) OVER (ORDER BY big) FROM sale', 'SELECT count(*) OVER (ORDER BY real_key) FROM sale', 'SELECT count(*) OVER (ORDER BY span) FROM sale', 'SELECT count(*) OVER (ORDER BY mood) FROM sale', 'SELECT count(*) OVER (ORDER BY clock) FROM sale', 'SELECT count(*) OVER (ORDER BY uid) FROM sale',
  'SELECT count(*) OVER (ORDER BY id + 1) FROM sale', 'SELECT count(*) OVER (ORDER BY at::date) FROM sale', 'SELECT count(*) OVER (PARTITION BY shop + 1 ORDER BY id) FROM sale', 'SELECT count(*) OVER (PARTITION BY lower(code) ORDER BY id) FROM sale', 'SELECT count(*) OVER (PARTITION BY caseless ORDER BY id) FROM sale',
  'SELECT count(*) OVER (PARTITION BY where_at ORDER BY id) FROM sale', 'SELECT count(*) OVER (ORDER BY ctid) FROM sale', 'SELECT count(*) OVER (PARTITION BY tableoid ORDER BY id) FROM sale', 'SELECT count(*) OVER (PARTITION BY code COLLATE "C" ORDER BY id) FROM sale',
  'SELECT count(*) OVER (ORDER BY id ROWS 3 PRECEDING) FROM sale', 'SELECT count(*) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) FROM sale', 'SELECT count(*) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM sale',
  'SELECT count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM sale', 'SELECT count(*) OVER (ORDER BY id RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) FROM sale', 'SELECT count(*) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM sale',
  'SELECT count(*) OVER (ORDER BY id RANGE UNBOUNDED PRECEDING EXCLUDE TIES) FROM sale']);
-- aggregates
SELECT refusals(ARRAY[
  'SELECT sum(weight) OVER (ORDER BY id) FROM sale', 'SELECT avg(weight) OVER (ORDER BY id) FROM sale', 'SELECT sum(share) OVER (ORDER BY id) FROM sale', 'SELECT avg(share) OVER (ORDER BY id) FROM sale', 'SELECT sum(span) OVER (ORDER BY id) FROM sale', 'SELECT avg(span) OVER (ORDER BY id) FROM sale', 'SELECT sum(price::money) OVER (ORDER BY id) FROM sale',
  'SELECT min(price) OVER (ORDER BY id) FROM sale', 'SELECT max(price + 1) OVER (ORDER BY id) FROM sale', 'SELECT min(span) OVER (ORDER BY id) FROM sale', 'SELECT max(caseless) OVER (ORDER BY id) FROM sale', 'SELECT max(code::bpchar) OVER (ORDER BY id) FROM sale', 'SELECT min(ARRAY[id]) OVER (ORDER BY id) FROM sale', 'SELECT bit_or(id::bit(8)) OVER (ORDER BY id) FROM sale', 'SELECT bit_xor(id::bit(8)) OVER (ORDER BY id) FROM sale', 'SELECT own_max(id) OVER (ORDER BY id) FROM sale', 'SELECT own_count(id) OVER (ORDER BY id) FROM sale', 'SELECT variance(weight) OVER (ORDER BY id) FROM sale', 'SELECT stddev(weight) OVER (ORDER BY id) FROM sale',
  'SELECT corr(weight, share) OVER (ORDER BY id) FROM sale', 'SELECT string_agg(code, '','') OVER (ORDER BY id) FROM sale', 'SELECT array_agg(id) OVER (ORDER BY id) FROM sale', 'SELECT row_number() OVER (ORDER BY id) FROM sale', 'SELECT lag(price) OVER (ORDER BY id) FROM sale', 'SELECT first_value(price) OVER (ORDER BY id) FROM sale',
  'SELECT scan_sum(id, reset => ok) OVER (ORDER BY id) FROM sale', 'SELECT scan_sum(exclusive => true, value => id) OVER (ORDER BY id) FROM sale', 'SELECT scan_sum(weight, ''1''::scan_total) OVER (ORDER BY id) FROM sale', 'SELECT scan_sum(span) OVER (ORDER BY id) FROM sale', 'SELECT scan_count(ok, ok) OVER (ORDER BY id) FROM sale', 'SELECT scan_total(price) OVER (ORDER BY id) FROM sale', 'SELECT scan_total(weight::scan_total) OVER (ORDER BY id) FROM sale', 'SELECT scan_min(id) OVER (ORDER BY id) FROM sale', 'SELECT scan_bool_and(ok) OVER (ORDER BY id) FROM sale', 'SELECT scan_bit_xor(id) OVER (ORDER BY id) FROM sale', 'SELECT scan_product(id) OVER (ORDER BY id) FROM sale', 'SELECT scan_ema(weight, 0.5) OVER (ORDER BY id) FROM sale', 'SELECT moving_median(price) OVER (ORDER BY id) FROM sale', 'SELECT own_sum(price) OVER (ORDER BY id) FROM sale',
  'SELECT var_pop(share) OVER (ORDER BY id) FROM sale', 'SELECT count(DISTINCT id) OVER (ORDER BY id) FROM sale', 'SELECT exact_corr(price, price) OVER (ORDER BY id) FROM sale']);
-- names, arguments, transactions, owners
SELECT format(E'%s\n    %s', call, oracle.error_of('SELECT ' || call)) FROM unnest(ARRAY[
  $$scan_keep('', 'SELECT count(*) OVER (ORDER BY id) FROM sale')$$, $$scan_keep(repeat('n', 41), 'SELECT count(*) OVER (ORDER BY id) FROM sale')$$, $$scan_keep(repeat('ö', 21), 'SELECT count(*) OVER (ORDER BY id) FROM sale')$$,
  $$scan_keep('sale', 'SELECT count(*) OVER (ORDER BY id) FROM sale')$$, $$scan_keep(NULL, 'SELECT count(*) OVER (ORDER BY id) FROM sale') IS NULL$$, $$scan_keep('x', NULL) IS NULL$$,
  $$scan_keep('x', 'SELECT count(*) OVER (ORDER BY id), count(*) OVER (ORDER BY id) FROM sale')$$, $$scan_keep('x', 'SELECT count(*) OVER (ORDER BY id) AS scan_rows FROM sale')$$, $$scan_keep('x', 'SELECT count(*) OVER w AS shop FROM sale WINDOW w AS (PARTITION BY shop ORDER BY id)')$$,
  $$scan_keep('x', 'SELECT count(*) OVER w AS price FROM sale WINDOW w AS (ORDER BY id)')$$,
  $$scan_keep('x', 'SELECT count(*) OVER w AS scan_level FROM sale WINDOW w AS (ORDER BY id)')$$,
  $$scan_unkeep('no_such')$$, $$scan_unkeep(NULL) IS NULL$$]) AS call;
SELECT oracle.error_of('CALL scan_kept_compact(''no_such'')'), oracle.error_of('CALL scan_kept_compact(NULL)') <> 'no error';
SELECT oracle.error_of('SELECT scan_kept_part(''sale'', ''--'')'), oracle.error_of('SELECT scan_kept_part(NULL, ''--'')'), oracle.error_of('SELECT scan_kept_log()');
SELECT scan_keep('sale_kept', 'SELECT count(*) OVER (ORDER BY id) FROM sale;  ');
-- a name that is taken; another schema may have it, too
CREATE SCHEMA other;
CREATE TABLE other.sale (id int NOT NULL);
INSERT INTO other.sale VALUES (7);
SELECT oracle.error_of($$SELECT scan_keep('sale_kept', 'SELECT count(*) OVER (ORDER BY id) FROM sale')$$), oracle.error_of($$SELECT scan_keep('sale_kept', 'SELECT count(*) OVER (ORDER BY id) FROM other.sale')$$);
SELECT scan_kept_check('sale_kept'), scan_kept_check('other.sale_kept'), (SELECT count FROM other.sale_kept_total()), (SELECT count FROM ledger.sale_kept_total());
SELECT schema, name, remedy FROM scan_kept ORDER BY schema;
SET search_path = public;
SELECT oracle.error_of($$SELECT scan_kept_check('sale_kept')$$), oracle.error_of($$SELECT scan_kept_check('no.sale_kept')$$), oracle.error_of($$SELECT scan_kept_check('a.b.c')$$);
SET search_path = ledger, public;
SELECT scan_unkeep('other.sale_kept');
-- more columns than there is room for
SELECT oracle.error_of(format('SELECT scan_keep(''many'', %L)', 'SELECT ' || string_agg('count(*) OVER w AS c' || i, ', ') || ' FROM sale WINDOW w AS (ORDER BY id)')) <> 'no error' AS aggregates FROM generate_series(1, 1000) AS i;
SELECT format('CREATE TABLE keys (%s)', string_agg(format('k%s int NOT NULL', i), ', ')) FROM generate_series(1, 101) AS i \gexec
SELECT oracle.error_of(format('SELECT scan_keep(''many'', %L)', 'SELECT count(*) OVER w FROM keys WINDOW w AS (ORDER BY ' || string_agg('k' || i, ', ') || ')')) <> 'no error' AS keys FROM generate_series(1, 101) AS i;
SELECT oracle.error_of(format('SELECT scan_keep(''many'', %L)', 'SELECT count(*) OVER w FROM keys WINDOW w AS (PARTITION BY ' || string_agg('k' || i, ', ') || ' ORDER BY k101)')) <> 'no error' AS partitions FROM generate_series(1, 40) AS i;
-- calls of the functions behind those that scan_keep makes
SELECT oracle.error_of(format('SELECT * FROM scan_kept_part(%s', call)) FROM unnest(ARRAY[
  $$'sale_kept', '-)', 1::int8) AS r(n int8)$$, $$'sale_kept', '-)', 1) AS r(n int4)$$, $$'sale_kept', '-)', 1) AS r(n int8, m int8)$$, $$'sale_kept', '-)', 1, 2) AS r(n int8)$$, $$'sale_kept', '-)', 1)$$,
  $$'sale_kept', '[)', 1) AS r(n int8)$$, $$'sale_kept', '--', 1) AS r(n int8)$$, $$'sale_kept', '??') AS r(n int8)$$, $$'sale_kept', NULL) AS r(n int8)$$]) AS call;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT oracle.error_of($$SELECT scan_keep('x', 'SELECT count(*) OVER (ORDER BY id) FROM sale')$$);
COMMIT;
\pset format aligned
\pset tuples_only off
SELECT scan_unkeep('sale_kept');
DROP SCHEMA other CASCADE;
SELECT name FROM scan_kept;

-- ---- who may do what

CREATE ROLE regress_kept_owner;
CREATE ROLE regress_kept_reader;
CREATE ROLE regress_kept_writer;
CREATE SCHEMA desk;
GRANT USAGE ON SCHEMA ledger, desk TO PUBLIC;
GRANT CREATE ON SCHEMA desk TO regress_kept_owner;
SET ROLE regress_kept_owner;
CREATE TABLE desk.entry (id int NOT NULL, account int, amount numeric, secret text, note text DEFAULT 'n');
INSERT INTO desk.entry SELECT i, i % 2, i, 's' FROM generate_series(1, 1000) AS i;
SELECT scan_keep('entry_kept', 'SELECT sum(amount) OVER w, count(secret) OVER w FROM desk.entry WINDOW w AS (PARTITION BY account ORDER BY id)');
GRANT SELECT (id, account, amount) ON desk.entry TO regress_kept_reader;
GRANT INSERT, UPDATE, DELETE, TRUNCATE, SELECT (id, account) ON desk.entry TO regress_kept_writer;
-- another one
SET ROLE regress_kept_reader;
SELECT q, oracle.error_of(q) FROM unnest(ARRAY['SELECT scan_keep(''x'', ''SELECT sum(amount) OVER (ORDER BY id) FROM desk.entry'')', 'SELECT scan_unkeep(''entry_kept'')', 'CALL scan_kept_compact(''entry_kept'')', 'SELECT scan_kept_check(''entry_kept'')', 'SELECT desk.entry_kept_total(0)', 'SELECT desk.entry_kept_last(0, 1)', 'SELECT scan_kept_part(''desk.entry_kept'', ''--'', 0)',
  'TABLE desk.entry_kept', 'TABLE desk.entry_kept_log', 'TABLE desk.entry_kept_definition', 'TABLE scan_kept_definition', 'DELETE FROM desk.entry_kept', 'INSERT INTO desk.entry_kept_log DEFAULT VALUES', 'DELETE FROM scan_kept_definition']) AS q;
RESET ROLE;
GRANT SELECT (secret) ON desk.entry TO regress_kept_reader;
SET ROLE regress_kept_reader;
SELECT * FROM desk.entry_kept_total(0);
SELECT * FROM desk.entry_kept_before(1, 500);
SELECT oracle.error_of('TABLE desk.entry_kept');
-- NAME_last shows all columns of the table
SELECT oracle.error_of('SELECT * FROM desk.entry_kept_last(0, 1)');
SELECT name, source, usable, reason FROM scan_kept WHERE name = 'entry_kept';
RESET ROLE;
REVOKE SELECT (amount) ON desk.entry FROM regress_kept_reader;
SET ROLE regress_kept_reader;
SELECT oracle.error_of('SELECT desk.entry_kept_before(0, 10)'), oracle.error_of('SELECT desk.entry_kept_between(0, 1, 10)'), oracle.error_of('SELECT desk.entry_kept_total(0)');
RESET ROLE;
GRANT SELECT ON desk.entry TO regress_kept_reader;
REVOKE SELECT (id, account, amount, secret) ON desk.entry FROM regress_kept_reader;
SET ROLE regress_kept_reader;
SELECT * FROM desk.entry_kept_total(0);
SELECT * FROM desk.entry_kept_last(0, 2);
-- a writer needs no privileges on the tables of the kept scan
SET ROLE regress_kept_writer;
INSERT INTO desk.entry VALUES (1001, 1, 0.5, 's');
UPDATE desk.entry SET amount = 1 WHERE id = 10;
DELETE FROM desk.entry WHERE id = 11;
SELECT oracle.error_of('SELECT * FROM desk.entry_kept_total(1)');
SET ROLE regress_kept_reader;
SELECT * FROM desk.entry_kept_total(1);
SELECT sum(amount), count(secret) FROM desk.entry WHERE account = 1;
SET ROLE regress_kept_writer;
TRUNCATE desk.entry;
SET ROLE regress_kept_reader;
SELECT * FROM desk.entry_kept_total(1);
-- the function of the triggers is called by triggers only; a view reads as its owner
SET ROLE regress_kept_owner;
INSERT INTO desk.entry SELECT i, i % 2, i, 's' FROM generate_series(1, 1000) AS i;
CREATE VIEW desk.total AS SELECT * FROM desk.entry_kept_total(1);
CREATE FUNCTION desk.total_of(a int) RETURNS numeric LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT sum FROM desk.entry_kept_total(a)';
GRANT SELECT ON desk.total TO regress_kept_writer;
SET ROLE regress_kept_writer;
SELECT oracle.error_of('TABLE desk.total');
SELECT desk.total_of(1);
-- row security: computed from the rows that the user may see
SET ROLE regress_kept_owner;
CREATE POLICY few ON desk.entry FOR SELECT TO regress_kept_reader USING (id % 100 = 0);
ALTER TABLE desk.entry ENABLE ROW LEVEL SECURITY;
SELECT * FROM desk.entry_kept_total(0);
SET ROLE regress_kept_reader;
SELECT * FROM desk.entry_kept_total(0);
SELECT * FROM desk.entry_kept_before(0, 500);
SELECT sum(amount), count(secret) FROM desk.entry WHERE account = 0 AND id < 500;
SELECT * FROM desk.entry_kept_last(0, 2);
SET row_security = off;
SELECT oracle.error_of('SELECT * FROM desk.entry_kept_total(0)');
RESET row_security;
SET ROLE regress_kept_owner;
ALTER TABLE desk.entry FORCE ROW LEVEL SECURITY;
SELECT * FROM desk.entry_kept_total(0);
-- a tree is not built of the rows that a policy shows
SELECT oracle.error_of('CALL scan_kept_compact(''entry_kept'')') !~ '^(no error|XX)' AS compact, oracle.error_of('SELECT scan_kept_check(''entry_kept'')') !~ '^(no error|XX)' AS check, oracle.error_of($$SELECT scan_keep('forced', 'SELECT count(*) OVER (ORDER BY id) FROM desk.entry')$$) <> 'no error' AS keep;
ALTER TABLE desk.entry NO FORCE ROW LEVEL SECURITY;
CALL scan_kept_compact('entry_kept');
SELECT * FROM desk.entry_kept_total(0);
-- what others have made of it is not dropped with it
SELECT oracle.error_of('SELECT scan_unkeep(''entry_kept'')');
DROP VIEW desk.total;
-- a member of the owner's role, and a superuser, make objects of the table's owner
RESET ROLE;
GRANT regress_kept_owner TO regress_kept_writer;
SET ROLE regress_kept_writer;
CALL scan_kept_compact('entry_kept');
SELECT scan_unkeep('entry_kept');
SELECT scan_keep('entry_kept', 'SELECT sum(amount) OVER w, count(secret) OVER w FROM desk.entry WINDOW w AS (PARTITION BY account ORDER BY id)');
RESET ROLE;
SELECT scan_keep('entry_super', 'SELECT count(*) OVER (ORDER BY id) FROM desk.entry');
CREATE FUNCTION owners() RETURNS TABLE (owner regrole, objects bigint) LANGUAGE sql AS $$
  SELECT owner, count(*) FROM (SELECT relowner FROM pg_class WHERE relname LIKE 'entry\_%' AND relkind IN ('m', 'v') UNION ALL SELECT proowner FROM pg_proc WHERE proname LIKE 'entry\_%') AS o (owner) GROUP BY owner ORDER BY owner::regrole::text
$$;
SELECT owner FROM owners();
-- so the owner may do what concerns them
SET ROLE regress_kept_owner;
INSERT INTO desk.entry VALUES (2001, 1, 1, 's');
SELECT oracle.error_of('CALL scan_kept_compact(''entry_super'')');
TRUNCATE desk.entry;
INSERT INTO desk.entry SELECT i, i % 2, i, 's' FROM generate_series(1, 900) AS i;
SELECT * FROM desk.entry_super_total();
-- and a new owner, too
RESET ROLE;
-- the new owner may have no right to make what a check makes
ALTER TABLE desk.entry OWNER TO regress_kept_reader;
SELECT oracle.error_of($$SELECT scan_kept_check('entry_kept')$$) LIKE '%denied for schema desk%' AS denied;
GRANT CREATE ON SCHEMA desk TO regress_kept_reader;
SELECT oracle.error_of('CALL scan_kept_compact(''entry_kept'')');
SELECT scan_kept_check('entry_kept'), scan_kept_check('entry_super');
SET ROLE regress_kept_reader;
CALL scan_kept_compact('entry_kept');
TRUNCATE desk.entry;
SELECT * FROM desk.entry_super_total();
SELECT oracle.error_of('SELECT scan_unkeep(''entry_kept'')');
RESET ROLE;
SELECT oracle.error_of('SELECT scan_unkeep(''entry_super'')');
SELECT name FROM scan_kept;
DROP TABLE desk.entry CASCADE;

-- ---- its own objects, altered by their owner: nothing is read from them, and the results stay right

-- (a table that is not logged has tables as tree and log, which can be altered)
SET ROLE regress_kept_owner;
CREATE UNLOGGED TABLE desk.part (id int PRIMARY KEY, account int, amount numeric);
INSERT INTO desk.part SELECT i, i % 2, i FROM generate_series(1, 1000) AS i;
RESET ROLE;
CREATE FUNCTION desk.own(v numeric) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_user <> 'regress_kept_owner' THEN RAISE EXCEPTION 'runs as %', current_user; END IF; RETURN v; END $$;
SET ROLE regress_kept_owner;
SELECT scan_keep('part_kept', 'SELECT sum(amount) FILTER (WHERE desk.own(7) = 7 AND desk.own(amount) = amount) OVER w, count(*) OVER w FROM desk.part WINDOW w AS (PARTITION BY account ORDER BY id)');
CREATE FUNCTION desk.part_state(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  state text;
BEGIN
  EXECUTE change;
  INSERT INTO desk.part SELECT max(id) + 1, 1, 1000000 FROM desk.part;
  SELECT concat_ws(' | ', t.sum IS NOT DISTINCT FROM (SELECT sum(amount) FROM desk.part WHERE account = 1), k.usable, k.reason) INTO state
  FROM desk.part_kept_total(1) AS t, scan_kept AS k WHERE name = 'part_kept';
  RAISE EXCEPTION USING MESSAGE = state || ' | ' || oracle.error_of('SELECT scan_kept_check(''part_kept'')');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLERRM;
END $$;
-- f for "right": by then the definition is another one
SELECT change, desk.part_state(change) AS "right, used, why not, check" FROM unnest(ARRAY[
  'SELECT',
  'ALTER TABLE desk.part_kept ALTER COLUMN sum TYPE bigint USING 7',
  'ALTER TABLE desk.part_kept_log ALTER COLUMN count TYPE text',
  'ALTER TABLE desk.part_kept_log ALTER COLUMN scan_rows TYPE text',
  'ALTER TABLE desk.part_kept ADD COLUMN more text DEFAULT ''x''',
  'ALTER TABLE desk.part_kept DROP COLUMN count',
  'ALTER TABLE desk.part_kept_log DROP COLUMN scan_stale',
  'CREATE INDEX ON desk.part_kept_log ((scan_rows + 1))',
  'CREATE INDEX ON desk.part_kept_log (scan_rows) WHERE scan_rows > 1',
  'CREATE UNIQUE INDEX ON desk.part_kept_log (scan_bucket)',
  'CREATE INDEX ON desk.part_kept_log (scan_rows)',
  'DROP INDEX desk.part_kept_account_scan_level_scan_bucket_idx; CREATE INDEX ON desk.part_kept (account DESC, scan_level, scan_bucket)',
  'CREATE OR REPLACE VIEW desk.part_kept_definition AS SELECT sum(amount * 2) OVER w, count(*) OVER w FROM desk.part WINDOW w AS (PARTITION BY account ORDER BY id)',
  'CREATE OR REPLACE VIEW desk.part_kept_definition AS SELECT sum(amount) OVER w, count(*) OVER w, count(*) OVER w AS more FROM desk.part WINDOW w AS (PARTITION BY account ORDER BY id)']) AS change;
-- replaced, and put back while rows were logged
BEGIN;
CREATE OR REPLACE VIEW desk.part_kept_definition AS SELECT sum(amount * 2) OVER w, count(*) OVER w FROM desk.part WINDOW w AS (PARTITION BY account ORDER BY id);
INSERT INTO desk.part VALUES (5001, 1, 1);
CREATE OR REPLACE VIEW desk.part_kept_definition AS SELECT sum(amount) OVER w, count(*) OVER w FROM desk.part WINDOW w AS (PARTITION BY account ORDER BY id);
SELECT sum = (SELECT sum(amount) FROM desk.part WHERE account = 1) AS "right" FROM desk.part_kept_total(1);
ROLLBACK;
-- a check cannot tell two changes by its own transaction apart
BEGIN;
CREATE OR REPLACE VIEW desk.part_kept_definition AS SELECT sum(amount * 2) OVER w, count(*) OVER w FROM desk.part WINDOW w AS (PARTITION BY account ORDER BY id);
SELECT oracle.error_of($$SELECT scan_kept_check('part_kept')$$);
ROLLBACK;
-- whoever compacts, checks or looks computes the expressions as the owner
INSERT INTO desk.part SELECT i, 1, 1 FROM generate_series(6000, 7000) AS i;
RESET ROLE;
ALTER TABLE desk.part SET (fillfactor = 90);
SELECT scan_kept_check('part_kept') >= 0 AS checked;
SELECT usable, reason FROM scan_kept WHERE name = 'part_kept';
SET ROLE regress_kept_owner;
INSERT INTO desk.part SELECT i, 1, 1 FROM generate_series(7001, 8000) AS i;
RESET ROLE;
CALL scan_kept_compact('part_kept');
-- another owner takes it over by the check
CREATE OR REPLACE FUNCTION desk.own(v numeric) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN v; END $$;
GRANT CREATE ON SCHEMA desk TO regress_kept_reader;
ALTER TABLE desk.part OWNER TO regress_kept_reader;
SELECT usable, reason FROM scan_kept WHERE name = 'part_kept';
SELECT sum = (SELECT sum(amount) FROM desk.part WHERE account = 1) AS "right" FROM desk.part_kept_total(1);
SELECT scan_kept_check('part_kept');
SELECT usable, reason FROM scan_kept WHERE name = 'part_kept';
SELECT relname, relowner::regrole FROM pg_class WHERE relname LIKE 'part\_kept%' AND relkind IN ('r', 'v') ORDER BY 1;
DROP TABLE desk.part CASCADE;

-- ---- functions, operators and tables of others in the search_path

CREATE SCHEMA hostile;
CREATE FUNCTION hostile.scan_kept_total(name, VARIADIC "any") RETURNS record LANGUAGE internal AS 'now';
CREATE FUNCTION hostile.trap(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE EXCEPTION 'trapped as %', current_user; END$$;
CREATE OPERATOR hostile.= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.trap);
CREATE OPERATOR hostile.< (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.trap);
CREATE OPERATOR hostile.>= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.trap);
CREATE OPERATOR hostile.<= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.trap);
CREATE FUNCTION hostile.max(int) RETURNS int LANGUAGE sql AS 'SELECT 1/0';
CREATE FUNCTION hostile.count() RETURNS int LANGUAGE sql AS 'SELECT 1/0';
CREATE DOMAIN hostile.int4 AS text CHECK (value = 'trapped');
CREATE DOMAIN hostile.bytea AS text CHECK (value = 'trapped');
CREATE DOMAIN hostile.int8 AS text CHECK (value = 'trapped');
CREATE TABLE hostile.scan_kept_definition (name name, trapped int);
CREATE TABLE hostile.target (id int, v int);
CREATE TABLE target (id int NOT NULL, p int, v int);
INSERT INTO target SELECT i, i % 2, i FROM generate_series(1, 1000) AS i;
SET search_path = hostile, pg_catalog, ledger, public;
SELECT scan_keep('target_kept', 'SELECT sum(v) OVER w FROM ledger.target WINDOW w AS (PARTITION BY p ORDER BY id)');
INSERT INTO ledger.target VALUES (500, 1, 7);
SELECT * FROM ledger.target_kept_before(1, 501);
CALL scan_kept_compact('target_kept');
SELECT * FROM ledger.target_kept_between(1, 499, 501);
SELECT * FROM ledger.target_kept_last(1, 2);
UPDATE ledger.target SET v = 1 WHERE id OPERATOR(pg_catalog.=) 500;
SELECT * FROM ledger.target_kept_total(1);
SELECT scan_kept_check('target_kept');
TRUNCATE ledger.target;
SELECT * FROM ledger.target_kept_total(1);
SELECT scan_unkeep('target_kept');
SET search_path = '';
SELECT public.scan_keep('target_kept', 'SELECT sum(v) OVER w FROM ledger.target WINDOW w AS (PARTITION BY p ORDER BY id)');
INSERT INTO ledger.target VALUES (500, 1, 7);
SELECT * FROM ledger.target_kept_before(1, 501);
CALL public.scan_kept_compact('target_kept');
SELECT * FROM ledger.target_kept_total(1);
SELECT public.scan_unkeep('target_kept');
SET search_path = ledger, public;
DROP SCHEMA hostile CASCADE;
DROP TABLE target;

-- ---- nothing is left

DROP OWNED BY regress_kept_owner, regress_kept_reader, regress_kept_writer;
DROP ROLE regress_kept_owner, regress_kept_reader, regress_kept_writer;
DROP SCHEMA desk CASCADE;
CREATE TABLE plain (id int NOT NULL, p text, v float8);
INSERT INTO plain SELECT i, 'p' || i % 3, i FROM generate_series(1, 1000) AS i;
CREATE FUNCTION objects() RETURNS TABLE (kind text, objects bigint) LANGUAGE sql AS $$
  SELECT 'relations', count(*) FROM pg_class UNION ALL SELECT 'functions', count(*) FROM pg_proc UNION ALL SELECT 'triggers', count(*) FROM pg_trigger UNION ALL SELECT 'types', count(*) FROM pg_type
  UNION ALL SELECT 'dependencies', count(*) FROM pg_depend UNION ALL SELECT 'owners', count(*) FROM pg_shdepend UNION ALL SELECT 'comments', count(*) FROM pg_description
  UNION ALL SELECT 'rules', count(*) FROM pg_rewrite UNION ALL SELECT 'attributes', count(*) FROM pg_attribute UNION ALL SELECT 'kept scans', count(*) FROM scan_kept_definition
$$;
CREATE TEMP TABLE before AS SELECT * FROM objects();
SELECT scan_keep('plain_kept', 'SELECT exact_sum(v) OVER w, count(*) OVER w FROM plain WINDOW w AS (PARTITION BY p ORDER BY id)');
SELECT kind FROM objects() AS o JOIN before AS b USING (kind) WHERE o.objects > b.objects ORDER BY kind;
INSERT INTO plain VALUES (1, 'p', 1);
CALL scan_kept_compact('plain_kept');
SELECT scan_unkeep('plain_kept');
SELECT kind, o.objects - b.objects AS more FROM objects() AS o JOIN before AS b USING (kind) WHERE o.objects <> b.objects ORDER BY kind;
INSERT INTO plain VALUES (1, 'p', 1);
-- and the name is free
SELECT scan_keep('plain_kept', 'SELECT exact_sum(v) OVER w, count(*) OVER w FROM plain WINDOW w AS (PARTITION BY p ORDER BY id)');
SELECT scan_unkeep('plain_kept');
-- DROP TABLE takes it along, and the name is free
SELECT scan_keep('plain_kept', 'SELECT exact_sum(v) OVER w, count(*) OVER w FROM plain WINDOW w AS (PARTITION BY p ORDER BY id)');
DROP TABLE plain CASCADE;
SELECT (SELECT count(*) FROM pg_class WHERE relname LIKE 'plain\_kept%') AS relations, (SELECT count(*) FROM pg_proc WHERE proname LIKE 'plain\_kept%') AS functions, (SELECT count(*) FROM scan_kept) AS "kept scans";
CREATE TABLE plain (id int NOT NULL, p text, v float8);
SELECT oracle.error_of($$SELECT scan_keep('plain_kept', 'SELECT exact_sum(v) OVER w, count(*) OVER w FROM plain WINDOW w AS (PARTITION BY p ORDER BY id)')$$);
-- its tables, dropped by hand: the table can be written, and the rest be dropped
SELECT oracle.error_of('DROP TABLE plain_kept') IS NOT NULL, oracle.error_of('DROP TABLE plain_kept_log CASCADE') IS NOT NULL;
SELECT oracle.error_of($$INSERT INTO plain VALUES (1, 'p', 1)$$);
SELECT oracle.error_of($$SELECT scan_unkeep('plain_kept')$$) ~ '^(no error|42704)';
SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'scan_kept_plain%';
-- DROP EXTENSION takes all along
DROP TABLE plain CASCADE;
CREATE TABLE plain (id int NOT NULL, p text, v float8);
BEGIN;
SELECT scan_keep('plain_kept2', 'SELECT exact_sum(v) OVER w, count(*) OVER w FROM plain WINDOW w AS (PARTITION BY p ORDER BY id)');
DROP EXTENSION scan CASCADE;
SELECT (SELECT count(*) FROM pg_class WHERE relname LIKE 'plain\_kept2%') AS relations, (SELECT count(*) FROM pg_proc WHERE proname LIKE 'plain\_kept2%') AS functions, (SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'scan_kept_plain%') AS triggers;
INSERT INTO plain VALUES (1, 'p', 1);
ROLLBACK;
DROP SCHEMA ledger CASCADE;
