-- exact_weighted: exact_weighted_avg by position and by weight: NULLs, no weight, what is no number, errors.  Every bit of it is
-- compared by test/t/exact_weighted.t and test/t/exact_pairs.t.
\pset null -
SELECT i, x, exact_weighted_avg(x) OVER w AS by_position, exact_weighted_avg(x, n) OVER w AS by_weight, exact_weighted_avg(x) OVER (ORDER BY i ROWS 2 PRECEDING EXCLUDE CURRENT ROW) AS without
FROM (VALUES (1, 10::float8, 1::bigint), (2, 20, 3), (3, NULL, 5), (4, 40, NULL), (5, 'NaN', 0), (6, 60, 0), (7, 1e300, -1), (8, 5, 1), (9, 6, 1), (10, 8, 2)) AS t (i, x, n) WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
-- Values leave without a trace, and no bigint is rounded.
SELECT i, exact_weighted_avg(x) OVER w, exact_weighted_avg(x::bigint - 9007199254740993) OVER w AS "bigint" FROM (VALUES (1, 9007199254740993), (2, 9007199254740994), (3, 9007199254740993), (4, 9007199254740996)) AS t (i, x) WINDOW w AS (ORDER BY i ROWS 1 PRECEDING) ORDER BY i;
SELECT exact_weighted_avg(x ORDER BY x) AS ascending, exact_weighted_avg(x ORDER BY x DESC) AS descending, exact_weighted_avg(x, 1) AS average, exact_weighted_avg(x, x) FROM unnest('{1,2,3,10}'::int[]) AS x;
-- No rows, weights that add up to 0, infinities, and a real, which is a double precision.
SELECT exact_weighted_avg(x), exact_weighted_avg(x, x) FROM unnest('{}'::float8[]) AS x;
SELECT exact_weighted_avg(x, 0) AS no_weight, exact_weighted_avg(x, x - 2) AS in_sum, exact_weighted_avg(x, 'Infinity'::float8), exact_weighted_avg(x::real, x::bigint) FROM unnest('{1,2,3}'::float8[]) AS x;
-- The volume-weighted average price of a day.
SELECT day, exact_weighted_avg(price, volume) AS vwap FROM (VALUES (1, 10.5::float8, 100), (1, 11, 300), (2, 9, 50)) AS trades (day, price, volume) GROUP BY day ORDER BY day;
SELECT q, oracle.error_of(q) FROM unnest(ARRAY['SELECT exact_weighted_avg(1.5)', 'SELECT exact_weighted_avg(1.5, 2)', 'SELECT exact_weighted_avg(1::float8, 2.5)', 'SELECT exact_weighted_avg(2::bigint, 2.5) OVER ()', 'SELECT exact_weighted_avg(x, y) FROM (VALUES (1.7e308::float8, 2::float8), (-1.7e308, -1.5)) AS t (x, y)']) AS q;
