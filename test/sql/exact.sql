-- exact: exact_sum, exact_avg, exact_var_*, exact_stddev_*: whole, in groups, in parallel, over frames that move.
-- Every bit of them is compared by test/t/exact.t; here is what they do with what is no number, and with no rows.
\pset null -
-- The traps of sums and variances, and core beside them.
SELECT exact_avg(x), avg(x), exact_var_pop(x), var_pop(x), exact_stddev_samp(x), stddev_samp(x) FROM unnest('{1e16,1,-1e16}'::float8[]) AS x;
SELECT exact_var_samp(1e12 + x) = exact_var_samp(x) AS "the same variance", var_samp(1e12 + x) = var_samp(x) AS "core's" FROM (SELECT i / 1024.0::float8 AS x FROM generate_series(1, 1000) AS i) AS t;
-- Nothing, NULLs, one row, zeros, NaN and infinities: as core has them, whose squares of the least numbers are 0 only because they are rounded.
SELECT name, exact_sum(x), exact_avg(x), exact_var_pop(x), exact_var_samp(x), exact_stddev_pop(x), exact_stddev_samp(x),
       row(exact_avg(x), exact_var_pop(x), exact_var_samp(x), exact_stddev_pop(x), exact_stddev_samp(x)) IS NOT DISTINCT FROM row(avg(x), var_pop(x), var_samp(x), stddev_pop(x), stddev_samp(x)) AS "as core"
FROM (VALUES ('none', ARRAY[]::float8[]), ('NULLs', '{NULL,NULL}'), ('one', '{3}'), ('one and NULLs', '{NULL,3,NULL}'), ('one -0', '{-0}'), ('zeros', '{-0,-0}'), ('mixed zeros', '{-0,0}'), ('-5e-324 of three', '{-5e-324,0,0}'), ('one NaN', '{NaN}'),
  ('NaN', '{1,NaN,Infinity}'), ('one inf', '{Infinity}'), ('inf', '{Infinity,1,1}'), ('-inf', '{-Infinity,1}'), ('both inf', '{Infinity,-Infinity}'), ('a few', '{1,2,3,6}')) AS t (name, v) LEFT JOIN LATERAL unnest(v) AS x ON true GROUP BY name ORDER BY name;
-- The ends of what there is: an average is never beyond the doubles, a variance may be; core gives up where a sum is.
SELECT exact_avg(x), exact_stddev_pop(x) FROM unnest('{1.7e308,1.7e308}'::float8[]) AS x;
SELECT exact_avg(x), exact_stddev_pop(x) FROM unnest('{1.7e308,-1.7e308}'::float8[]) AS x;
SELECT exact_avg(x), exact_var_pop(x), exact_stddev_pop(x), exact_stddev_samp(x) FROM unnest('{0,1.5e-323}'::float8[]) AS x;
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT exact_sum(x) FROM unnest('{1.7e308,1.7e308}'::float8[]) AS x$$, $$SELECT exact_var_pop(x) FROM unnest('{1.7e308,-1.7e308}'::float8[]) AS x$$, $$SELECT exact_stddev_samp(x) FROM unnest('{1.7e308,-1.7e308}'::float8[]) AS x$$,
  $$SELECT avg(x) FROM unnest('{1.7e308,1.7e308}'::float8[]) AS x$$, $$SELECT exact_sum(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM unnest('{3e38,3e38,1}'::float4[]) AS x$$, $$SELECT exact_avg('x'::text)$$]) AS q;
-- Other types come as double precision; only the sum of reals is a real.
SELECT pg_typeof(exact_sum(1::real)), pg_typeof(exact_avg(1::real)), pg_typeof(exact_sum(1)), pg_typeof(exact_var_pop(1::numeric));
SELECT exact_avg(x) AS "avg", exact_avg(DISTINCT x), exact_avg(x) FILTER (WHERE x > 0.2), exact_stddev_pop(x ORDER BY -x) FROM unnest('{0.1,0.1,0.2,0.3,NULL}'::real[]) AS x;
-- What enters a frame leaves it without a trace: a huge number, NaN, infinities, -0, all of it.
CREATE TEMP TABLE passing AS SELECT * FROM unnest('{1,1e300,2,NaN,3,Infinity,-Infinity,NULL,4,-0,-0,0,NULL,NULL,5e-324,0.1}'::float8[]) WITH ORDINALITY AS t (x, i);
SELECT i, x, exact_sum(x) OVER w, exact_avg(x) OVER w, exact_var_pop(x) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND CURRENT ROW), exact_stddev_samp(x) OVER w FROM passing WINDOW w AS (ORDER BY i ROWS 1 PRECEDING) ORDER BY i;
SELECT i, exact_sum(x::real) OVER w, exact_avg(x) FILTER (WHERE i <> 9) OVER w AS filtered, exact_sum(x) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE TIES) AS rest, exact_avg(x) OVER (ORDER BY i RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS "range", exact_stddev_pop(x) OVER (ORDER BY i GROUPS BETWEEN 2 FOLLOWING AND 3 FOLLOWING)
FROM passing WHERE i NOT IN (2, 15) WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
-- A frame that moves gives the bits of one that is summed anew.
CREATE TABLE wide AS SELECT i, (oracle.draw(i, 1, 2000001) - 1000000) * oracle.two((oracle.draw(i, 2, 600) - 300)::int) AS x FROM generate_series(1, 3000) AS i;
ANALYZE wide;
SELECT count(*) AS rows, count(*) FILTER (WHERE row(s, a, v, d) IS DISTINCT FROM (SELECT row(exact_sum(x), exact_avg(x), exact_var_pop(x), exact_stddev_samp(x)) FROM wide AS w WHERE w.i BETWEEN t.i - 6 AND t.i)) AS different
FROM (SELECT i, exact_sum(x) OVER w AS s, exact_avg(x) OVER w AS a, exact_var_pop(x) OVER w AS v, exact_stddev_samp(x) OVER w AS d FROM wide WINDOW w AS (ORDER BY i ROWS 6 PRECEDING)) AS t WHERE i % 10 = 0;
-- What an aggregate has taken in so far is of a type: it travels as text, as a cluster sends it, and adds up elsewhere to the same bits.
CREATE AGGREGATE taken_in(float8) (SFUNC = exact_add_float8, STYPE = exact_state, COMBINEFUNC = exact_combine, PARALLEL = SAFE);
CREATE AGGREGATE taken_in_squared(float8) (SFUNC = exact_add_square, STYPE = exact_state);
CREATE AGGREGATE sum_of_states(exact_state) (SFUNC = exact_combine, STYPE = exact_state, FINALFUNC = exact_final_sum_float8);
CREATE AGGREGATE deviation_of_states(exact_state) (SFUNC = exact_combine, STYPE = exact_state, FINALFUNC = exact_final_stddev_samp);
SELECT taken_in(x) FROM unnest('{1,2.5,-0,NULL,NaN}'::float8[]) AS x;
SELECT taken_in(x) IS NULL AS "nothing", sum_of_states(NULL), deviation_of_states(NULL) FROM (SELECT 1.5::float8 WHERE false) AS t (x);
SELECT count(*) AS pieces, sum_of_states(s::text::exact_state) = (SELECT exact_sum(x) FROM wide) AS "sum", deviation_of_states(q::text::exact_state) = (SELECT exact_stddev_samp(x) FROM wide) AS deviation
FROM (SELECT taken_in(x) AS s, taken_in_squared(x) AS q FROM wide GROUP BY i % 7) AS t;
SELECT name, sum_of_states(s), sum_of_states(s) IS NOT DISTINCT FROM exact_sum(x) AS same FROM (SELECT name, x, taken_in(x) AS s FROM (VALUES ('-0', '{-0,-0}'::float8[]), ('zeros', '{-0,0}'), ('inf', '{1,Infinity}'), ('-inf', '{-Infinity,-Infinity,NULL}'), ('inf - inf', '{-Infinity,Infinity}'),
  ('NaN', '{NaN,1}'), ('gone', '{1e300,-1e300,1}'), ('ends', '{-1.7e308,1.7e308,-1.7e308,5e-324}')) AS t (name, v), unnest(v) WITH ORDINALITY AS u (x, i) GROUP BY name, i, x) AS t GROUP BY name ORDER BY name;
-- In and out again, whatever it holds; texts that are none are refused.
SELECT count(*) AS states, count(*) FILTER (WHERE s::text::exact_state::text = s::text) AS "the same", max(length(s::text)) AS longest FROM (SELECT taken_in_squared(x) AS s FROM wide GROUP BY i % 97 UNION ALL SELECT taken_in(x) FROM unnest('{1.7e308,5e-324}'::float8[]) AS x UNION ALL SELECT taken_in_squared(x) FROM unnest('{1.7e308,5e-324}'::float8[]) AS x) AS t;
SELECT taken_in(1.5::float8) AS one \gset
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[$$SELECT ''::exact_state$$, $$SELECT '\x'::exact_state$$, $$SELECT '\x0'::exact_state$$, $$SELECT '\x0g'::exact_state$$, $$SELECT 'x00'::exact_state$$,
  format('SELECT %L::exact_state', :'one' || '00'), format('SELECT %L::exact_state', left(:'one', -2)), format('SELECT %L::exact_state', overlay(:'one' placing 'ff' from 3)), format('SELECT %L::exact_state', overlay(:'one' placing '02' from 33)),
  format('SELECT %L::exact_state', overlay(:'one' placing '50' from 83)), format('SELECT %L::exact_state', left(:'one', -8) || 'ffffffff'), $$SELECT exact_add_float8(NULL, 1)$$, $$SELECT exact_combine(NULL, NULL)$$]) AS q;
-- Of values that were removed and never came in, too, as a kept scan logs them; added to these values they leave nothing.
CREATE AGGREGATE taken_out(float8) (SFUNC = exact_remove_float8, STYPE = exact_state, INITCOND = '\x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
CREATE AGGREGATE pairs_out(float8, float8) (SFUNC = exact_remove_pair, STYPE = exact_state, INITCOND = '\xffffffffffffffff000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
SELECT x, s::text::exact_state::text = s::text AS "the same", (SELECT sum_of_states(t) FROM (VALUES (s::text::exact_state), (came)) AS v (t)) AS "8"
FROM (SELECT x, taken_out(x) AS s, (SELECT taken_in(y) FROM unnest(ARRAY[x, 8]) AS y) AS came FROM unnest('{1.5,0,-0,NaN,Infinity,-Infinity}'::float8[]) AS x GROUP BY x, x::text) AS r ORDER BY x, x::text;
SELECT s::text::exact_state::text = s::text AS "the same", left(s::text, 18) AS kind FROM (SELECT pairs_out(4, 7) AS s) AS r;
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[format('SELECT %L::exact_state', '\xfffffffffffffffb' || substr(:'one', 3)), format('SELECT %L::exact_state', '\xffffffffffffffff' || repeat('f', 16) || substr(:'one', 3))]) AS q;
DROP AGGREGATE taken_out(float8), pairs_out(float8, float8), taken_in(float8), taken_in_squared(float8), sum_of_states(exact_state), deviation_of_states(exact_state);
-- Workers add up in any order.
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT exact_sum(i::real), exact_sum(x), exact_avg(x), exact_var_pop(x), exact_var_samp(x), exact_stddev_pop(x), exact_stddev_samp(x) FROM wide;
SELECT (SELECT row(exact_sum(x), exact_avg(x), exact_var_pop(x), exact_var_samp(x), exact_stddev_pop(x), exact_stddev_samp(x)) FROM wide) = (SELECT row(exact_sum(x), exact_avg(x), exact_var_pop(x), exact_var_samp(x), exact_stddev_pop(x), exact_stddev_samp(x)) FROM (SELECT x FROM wide ORDER BY abs(x)) AS t) AS "the same in parallel and in order";
RESET ALL;
DROP TABLE wide;
-- A running sum that overflows: the rows before it come, and the error at its own row.
LOAD 'scan';
SET scan.prefixscan = force;
SET scan.debug_require = 'node';
BEGIN;
DECLARE overflows CURSOR FOR SELECT id, exact_sum(x) OVER (PARTITION BY id > 3 ORDER BY id) FROM (VALUES (1, 1::float8), (2, 2), (3, 3), (4, 4), (5, 1e308), (6, 1e308), (7, -1e308)) AS t (id, x);
FETCH 5 FROM overflows;
FETCH overflows;
ROLLBACK;
SELECT id, exact_sum(x) OVER (ORDER BY id) FROM (VALUES (1, 1::float8), (2, 1e308), (3, 1e308), (3, -1e308), (4, 4)) AS t (id, x);
-- An argument behind a NULL is computed, and may fail; a FILTER is asked first.
SELECT id, exact_covar_samp(y, 9223372036854775800 + id) OVER (ORDER BY id) FROM (VALUES (1, 1::bigint), (2, 2), (9, NULL)) AS t (id, y);
SELECT exact_corr(y, 9223372036854775800 + id) FROM (SELECT *, sum(id) OVER (ORDER BY id) AS s FROM (VALUES (1, 1::bigint), (2, 2), (9, NULL)) AS t (id, y) OFFSET 0) AS q WHERE s > 0;
SELECT id, exact_covar_samp(y, 9223372036854775800 + id) FILTER (WHERE id < 9) OVER (ORDER BY id) FROM (VALUES (1, 1::bigint), (2, 2), (9, NULL)) AS t (id, y);
RESET scan.debug_require;
RESET scan.prefixscan;
