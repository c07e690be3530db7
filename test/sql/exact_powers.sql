-- exact_powers: exact_skewness* and exact_kurtosis*: few values, equal ones, what is no number, all types.  Every bit of
-- them is compared by test/t/exact_powers.t.
\pset null -
SELECT name, exact_skewness(x), exact_skewness_pop(x), exact_kurtosis(x), exact_kurtosis_pop(x)
FROM (VALUES (1, 'none', ARRAY[]::float8[]), (2, 'NULL', '{NULL}'), (3, 'one', '{7}'), (4, 'two', '{1,2}'), (5, 'three', '{1,2,4,NULL}'), (6, 'four', '{1,2,4,8}'),
             (7, 'equal', '{0.1,0.1,0.1,0.1,0.1}'), (8, 'zeros', '{0,-0,0,-0}'), (9, 'symmetric', '{1,2,3,4,5}'), (10, 'NaN', '{NaN,1,2,3}'), (11, 'NaN of two', '{NaN,1}'), (12, 'infinity', '{Infinity,1,2,3}'),
             (13, 'the least', '{0,0,0,4.94065645841247e-324}'), (14, 'the greatest', '{1.7e308,-1.7e308,-1.7e308,-1.7e308}'), (15, 'large and close', '{1e15,1000000000000000.125,1000000000000000.25,1000000000000001}')) AS t (i, name, v) LEFT JOIN LATERAL unnest(v) AS x ON true
GROUP BY i, name ORDER BY i;
-- No type is rounded: bigints and numerics that differ in digits that no double has, and the same values in another unit.
SELECT exact_skewness(x), exact_skewness(x::float8) AS rounded, exact_kurtosis(x), exact_kurtosis(x - 9007199254740993) AS "the same" FROM unnest('{9007199254740993,9007199254740994,9007199254740995,9007199254740999}'::bigint[]) AS x;
SELECT exact_skewness(x), exact_skewness(x * 1e-200) AS "the same", exact_kurtosis(x), exact_kurtosis(x * 1e200) AS "the same" FROM unnest('{1.00000000000000000001,1.00000000000000000002,1.00000000000000000003,1.00000000000000000007}'::numeric[]) AS x;
SELECT pg_typeof(exact_skewness(x::smallint)), exact_skewness(x::smallint) = exact_skewness(x::integer) AND exact_skewness(x::real) = exact_skewness(x::float8) AND exact_skewness(x::bigint) = exact_skewness(x::numeric) AND exact_skewness(x) = exact_skewness(x::bigint) AS same FROM unnest('{1,5,7,100}'::int[]) AS x;
SELECT exact_skewness(x), exact_kurtosis(x), exact_kurtosis(x) FILTER (WHERE x < 'NaN') FROM unnest('{NaN,1,2,3.5,4}'::numeric[]) AS x;
-- A numeric of more places changes the unit, in whichever order the rows come.
SELECT exact_kurtosis(x ORDER BY x) = exact_kurtosis(x ORDER BY x DESC) AS same FROM unnest('{1,2.5,3.00001,1e-100,1e300,-7}'::numeric[]) AS x;
-- Values leave a frame without a trace.
SELECT i, exact_skewness(x) OVER w, exact_kurtosis_pop(x) OVER w FROM (VALUES (1, 1::float8), (2, 2), (3, 'NaN'), (4, 1e300), (5, 1), (6, 2), (7, 4), (8, 8)) AS t (i, x) WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
SELECT i, exact_skewness(x) OVER w, exact_kurtosis_pop(x) OVER w FROM (VALUES (1, 1::numeric), (2, 2), (3, 'NaN'), (4, 1e300), (5, 1), (6, 2), (7, 4), (8, 8)) AS t (i, x) WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
-- Errors.
SELECT q, oracle.error_of(q) FROM unnest(ARRAY['SELECT exact_skewness(1e312)', 'SELECT exact_kurtosis(-1e-313)', 'SELECT exact_skewness(x) FROM unnest(ARRAY[1e311, 1e-312, 9e311, 3]) AS x', 'SELECT exact_skewness(''x'')', 'SELECT exact_add_powers(NULL, 1)']) AS q;
-- a state of numerics and one of other numbers have units of their own
CREATE AGGREGATE powers_of(float8) (SFUNC = exact_add_powers, STYPE = exact_state);
CREATE AGGREGATE powers_of(numeric) (SFUNC = exact_add_powers_numeric, STYPE = exact_state);
CREATE AGGREGATE joined(exact_state) (SFUNC = exact_combine_powers, STYPE = exact_state, FINALFUNC = exact_final_skewness);
SELECT oracle.error_of($$SELECT joined(s) FROM (SELECT powers_of(x::float8) FROM generate_series(1, 9) AS x UNION ALL SELECT powers_of(x::numeric) FROM generate_series(1, 9) AS x) AS t (s)$$);
SELECT joined(s) FROM (SELECT powers_of(x::float8) FROM unnest('{1,2,9}'::int[]) AS x UNION ALL SELECT powers_of(NULL::numeric)) AS t (s);
DROP AGGREGATE powers_of(float8), powers_of(numeric), joined(exact_state);
