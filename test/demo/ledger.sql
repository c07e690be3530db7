/*
 * ledger.sql: the demo's part on kept scans; demo.sql reads it.
 *
 * A ledger in a schema of its own, since the table of a kept scan cannot be temporary; the schema is dropped at the end.
 * Every result of a kept scan is compared with the plain query's, and the demo fails where they differ.
 * psql's -v entries=2000000 is the size of the ledger.
 */

\if :{?entries} \else \set entries 2000000 \endif
SELECT to_char(:entries, 'FM999,999,999') AS entries_shown \gset

\echo
\echo
\echo '9. Running totals that are kept'
\echo '   scan_keep(''balance'', $$SELECT sum(amount) OVER w AS total FROM entry'
\echo '                          WINDOW w AS (PARTITION BY account ORDER BY day, id)$$)'
\echo
\echo '   A ledger of' :entries_shown 'entries, of which one account has a fifth.  Each query is stock SQL, and runs twice:'
\echo '   from the table, where it reads all entries of the account, and unchanged from the kept scan, where it'
\echo '   reads a few sums of parts of it, and the entries at one end.'
\echo

DROP SCHEMA IF EXISTS scan_demo CASCADE;
CREATE SCHEMA scan_demo;
SET search_path = scan_demo, public;
CREATE TABLE entry (id bigint PRIMARY KEY, account int NOT NULL, day date NOT NULL, amount numeric(12,2) NOT NULL);
INSERT INTO entry SELECT i, CASE WHEN i % 5 = 0 THEN 0 ELSE 1 + i * 7919 % 1023 END, date '2024-01-01' + (i * 1000 / :entries)::int, (i * 7919 % 200001 - 100000) / 100.0
FROM generate_series(1, :entries::bigint) AS i;
CREATE INDEX ON entry (account, day, id);
ANALYZE entry;
SELECT scan_keep('balance', $$SELECT sum(amount) OVER w AS total FROM entry WINDOW w AS (PARTITION BY account ORDER BY day, id)$$) AS kept \gset

-- The milliseconds of a query and its rows, with a setting of scan.kept; the least of a few turns.
CREATE FUNCTION timed(query text, kept text, turns int, OUT ms float8, OUT rows text) LANGUAGE plpgsql AS $$
DECLARE
    began timestamptz;
BEGIN
    PERFORM set_config('scan.kept', kept, false);
    FOR i IN 1 .. turns LOOP
        began := clock_timestamp();
        EXECUTE format('SELECT string_agg(q::text, chr(10)) FROM (%s) AS q', query) INTO rows;
        ms := least(ms, 1000 * extract(epoch FROM clock_timestamp() - began));
    END LOOP;
END $$;

CREATE TABLE question AS
SELECT * FROM (VALUES
    (1, 'the last 20 entries of account 0 with their balance',
     'SELECT id, total FROM (SELECT *, sum(amount) OVER (PARTITION BY account ORDER BY day, id) AS total FROM entry) AS s WHERE account = 0 ORDER BY day DESC, id DESC LIMIT 20'),
    (2, 'the balance of account 0 on 2026-01-01',
     'SELECT sum(amount) AS total FROM entry WHERE account = 0 AND day < ''2026-01-01'''),
    (3, 'what account 0 has turned over in March 2026',
     'SELECT sum(amount) AS total FROM entry WHERE account = 0 AND day >= ''2026-03-01'' AND day < ''2026-04-01'''),
    (4, 'its entries of one day, with their balance',
     'SELECT id, total FROM (SELECT *, sum(amount) OVER (PARTITION BY account ORDER BY day, id) AS total FROM entry) AS s WHERE account = 0 AND day = ''2026-03-01'' ORDER BY id'),
    (5, 'the total of each account',
     'SELECT account, sum(amount) AS total FROM entry GROUP BY account ORDER BY account')) AS q(n, question, query);
CREATE TABLE answer AS
SELECT q.n, q.question, p.ms AS plain_ms, k.ms AS kept_ms, p.rows AS plain_rows, k.rows AS kept_rows, false AS late
FROM question AS q, timed(q.query, 'off', 2) AS p, timed(q.query, 'auto', 5) AS k;

-- An entry of 2024 arrives late, as other entries do: it changes every later balance.
INSERT INTO entry VALUES (0, 0, '2024-02-29', 1000000);
INSERT INTO answer
SELECT q.n, q.question, p.ms, k.ms, p.rows, k.rows, true
FROM question AS q, timed(q.query, 'off', 1) AS p, timed(q.query, 'auto', 5) AS k;

SELECT question AS "query", round(plain_ms::numeric, 1) AS "table, ms", round(kept_ms::numeric, 2) AS "kept, ms", CASE WHEN late THEN 'yes' ELSE 'no' END AS "a late entry before"
FROM answer ORDER BY late, n;
\echo '   The first query before, and with the kept scan:'
\echo
SET scan.kept = off;
EXPLAIN (COSTS OFF) SELECT id, total FROM (SELECT *, sum(amount) OVER (PARTITION BY account ORDER BY day, id) AS total FROM entry) AS s WHERE account = 0 ORDER BY day DESC, id DESC LIMIT 20;
SET scan.kept = auto;
EXPLAIN (COSTS OFF) SELECT id, total FROM (SELECT *, sum(amount) OVER (PARTITION BY account ORDER BY day, id) AS total FROM entry) AS s WHERE account = 0 ORDER BY day DESC, id DESC LIMIT 20;
DO $$
BEGIN
    IF EXISTS (SELECT FROM answer WHERE plain_rows IS DISTINCT FROM kept_rows) THEN
        RAISE EXCEPTION 'a query differs with the kept scan';
    END IF;
    IF (SELECT count(DISTINCT plain_rows) <> 2 FROM answer WHERE n = 1) THEN
        RAISE EXCEPTION 'the late entry has changed nothing';
    END IF;
END $$;
SELECT pg_size_pretty(pg_total_relation_size('balance')) AS tree_size, pg_size_pretty(pg_table_size('entry')) AS entry_size \gset
\echo '   All rows are the same.  The sums take' :tree_size 'beside' :entry_size 'of entries.'

RESET search_path;
SET client_min_messages = error;
DROP SCHEMA scan_demo CASCADE;
SET client_min_messages = warning;
