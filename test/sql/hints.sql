-- hints: calls that users try and that there is no form for, and literals without a type beside them.
\pset null -
SET datestyle = iso;
SET intervalstyle = postgres;
SET timezone = 'UTC';
-- Calls of forms that there are not: the error says what to write.
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_locf(i, now())', 'scan_locf(i, current_date)', 'scan_locf(i, i / 2.0)', 'scan_nocb(i, now()::timestamp)', 'scan_nocb(i, i::real)', 'scan_locf(i, ''x'')', 'scan_nocb(i, i, NULL)', 'scan_nocb(i, -1, NULL)', 'scan_nocb(i, 1, ''x'')', 'scan_sum(i, init => 100)', 'scan_sum(i::bigint, 100)', 'scan_sum(i * 0.1, init => 2.5, reset => i = 2)',
  'scan_cost(i::float8, 2.5)', 'scan_cost(i, 2.5::float8)', 'scan_cost(i::real, 2::float8, ''lifo'')', 'scan_cost(''x'', 1)',
  'scan_interpolate(i)', 'scan_interpolate(i::float8)', 'scan_ema(i, span => 9)', 'scan_ema(i::numeric, span => 9, adjust => true)', 'scan_ema(i, reset => i = 2, span => 2.5)', 'scan_ema(i)',
  'moving_percentile_cont(0.5, i)', 'moving_percentile_disc(0.5, i * 1000)', 'moving_percentile_cont(fraction => i * 100, value => 0.5)']) AS call;
SELECT scan_locf(i, NULL) OVER w AS "no limit", scan_locf(nullif(i, 2), '1') OVER w AS "1 row", scan_nocb(nullif(i, 1), '0') OVER w AS "0 rows", scan_locf(nullif(i, 2), '1', i = 2) OVER w AS reset, scan_nocb(nullif(i, 1), 0, NULL) OVER w AS "0, NULL", scan_nocb(nullif(i, 1), NULL, NULL) OVER w AS "NULL, NULL", scan_nocb(nullif(i, 1), 1::smallint, 't') OVER w AS "1, t", scan_nocb(nullif(i, 1), 1::bigint, NULL) OVER w AS "1, NULL",
       scan_cost('2', '0.5') OVER w AS cost, scan_cost(CASE WHEN i > 1 THEN -1 ELSE 2 END, '2.5') OVER w AS price
FROM generate_series(1, 3) AS i WINDOW w AS (ORDER BY i);
SELECT scan_ema(i, '0.5') OVER w AS "'0.5'", scan_ema(i, 1) OVER w AS "1", scan_ema(i::numeric, 0.5::real) OVER w AS "real", scan_ema(i, 0.5, true) OVER w AS adjust, scan_ema(i, alpha => 0.5, reset => i = 2) OVER w AS reset FROM generate_series(1, 3) AS i WINDOW w AS (ORDER BY i);
-- A column as the second argument of scan_change is reset: a warning says so, unless the argument is named.
SELECT i, scan_change(i / 2, b) OVER w AS reset, scan_change(i / 2, reset => b) OVER w AS named, scan_change(ROW(i / 2, b)) OVER w AS "two columns", scan_change(i / 2, b AND true) OVER w AS expression, scan_change(b, reset => NULL) OVER w AS one
FROM (SELECT i, i > 2 AS b FROM generate_series(1, 4) AS i) AS t WINDOW w AS (ORDER BY i);
CREATE VIEW oracle.runs_by_column AS WITH t AS (SELECT i, i > 2 AS b FROM generate_series(1, 4) AS i) SELECT max(run) AS runs FROM (SELECT scan_change(i / 2, b) OVER (ORDER BY i) AS run FROM t) AS r;
SELECT * FROM oracle.runs_by_column;
SELECT i FROM generate_series(1, 2) AS i WHERE (SELECT max(run) FROM (SELECT scan_change(i, b) OVER (ORDER BY b) AS run FROM (VALUES (true), (false)) AS t (b)) AS r) = 2;
-- A window in the other direction makes one session of all rows, which a warning says.
SELECT scan_session(i, 1) OVER (ORDER BY i DESC) FROM (VALUES (1), (5), (9)) AS t (i);
SELECT scan_session(i, 1) OVER (PARTITION BY i % 2 ORDER BY i DESC NULLS LAST, -i) FROM (VALUES (1), (5), (9)) AS t (i);
SELECT scan_session(-i, 1) OVER (ORDER BY i DESC) AS forward, scan_session(i, 1) OVER (ORDER BY -i DESC) AS forward_too FROM (VALUES (1), (5), (9)) AS t (i);
-- What is written with the types of the literals is read again.
CREATE VIEW oracle.literal_forms AS SELECT scan_locf(i, '1') OVER w AS a, scan_nocb(i, 1, 'f') OVER w AS n, scan_session('2024-01-01'::date + i, 3) OVER w AS b, scan_cost('1', i) OVER w AS c, array_scan_interpolate('{1,NULL,2}', '{1,2,3}', '2') AS d FROM generate_series(1, 3) AS i, generate_series(0, 0) AS beside WINDOW w AS (ORDER BY i);
SELECT pg_get_viewdef('oracle.literal_forms', true);
SELECT oracle.error_of(format('CREATE VIEW oracle.same_forms AS %s', pg_get_viewdef('oracle.literal_forms'))) AS "read again";
SELECT count(*) FROM (TABLE oracle.literal_forms EXCEPT TABLE oracle.same_forms) AS t;
