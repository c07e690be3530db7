-- exact_product: few values, zeros, what is no number, all types, products out of range on the way, errors.  Every bit of
-- it is compared by test/t/products.t.
\pset null -
SELECT name, exact_product(x)
FROM (VALUES (1, 'none', ARRAY[]::float8[]), (2, 'NULL', '{NULL}'), (3, 'one', '{7}'), (4, 'NULL between', '{2,NULL,-3}'), (5, 'zero', '{0,5}'), (6, '-0', '{-0,5}'), (7, 'NaN', '{NaN,0}'), (8, 'infinity', '{Infinity,-2}'), (9, 'both', '{-Infinity,-Infinity}'), (10, 'infinity and 0', '{Infinity,0}'),
             (11, 'beyond on the way', '{1e300,1e300,1e-300,1e-300}'), (12, 'below on the way', '{1e-300,-1e-300,1e300,1e300}'), (13, 'subnormal', '{1e-200,1e-120}'), (14, 'rounded once', '{0.1,0.2,0.3,0.7,10}')) AS t (i, name, v) LEFT JOIN LATERAL unnest(v) AS x ON true
GROUP BY i, name ORDER BY i;
-- Next to the middle of two doubles, where 128 bits do not tell on which side: the factors of 2^240 - 1, and two of 54 bits.
SELECT exact_product(x) = 2::float8 ^ 240 * 9007199254740994 AS "below the middle", exact_product(x) FILTER (WHERE i > 1) = 2::float8 ^ 240 * 1801439850948199 AS "exact, less 1"
FROM unnest('{5,1801439850948199,3,3,5,5,7,11,13,17,31,41,61,97,151,241,257,331,673,1321,61681,394783681,4278255361,4562284561,46908728641}'::float8[]) WITH ORDINALITY AS t (x, i);
-- Values leave a frame without a trace.
SELECT i, x, exact_product(x) OVER w, exact_product(x::numeric) FILTER (WHERE x < 'Infinity') OVER w AS "numeric" FROM (VALUES (1, 2::float8), (2, 0), (3, 3), (4, -5), (5, 'NaN'), (6, 7), (7, 'Infinity'), (8, -1), (9, NULL), (10, 1e200), (11, 1e200), (12, 1e-200), (13, 4)) AS t (i, x)
WHERE i <> 10 WINDOW w AS (ORDER BY i ROWS 1 PRECEDING) ORDER BY i;
-- Integers and numerics are exact.
SELECT exact_product(i::smallint), exact_product(i), exact_product(i::bigint * 1000000000000), exact_product(i + 0.50), pg_typeof(exact_product(i)), pg_typeof(exact_product(i::real)) FROM generate_series(-3, 25, 4) AS i;
SELECT i, exact_product(i) OVER w, exact_product(i - 4.5) OVER w, exact_product(nullif(i, 4)::bigint) OVER w FROM generate_series(1, 8) AS i WINDOW w AS (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) ORDER BY i;
SELECT exact_product(x), exact_product(x) FILTER (WHERE x < 'NaN'), exact_product(x) FILTER (WHERE false) FROM unnest('{NaN,Infinity,-2}'::numeric[]) AS x;
-- A total return: the growth of some days, multiplied.
SELECT day, round((exact_product(1 + change) OVER (ORDER BY day ROWS 2 PRECEDING) - 1)::numeric, 6) AS three_days FROM (VALUES (1, 0.01::float8), (2, -0.02), (3, 0.005), (4, 0.03)) AS t (day, change) ORDER BY day;
SELECT q, oracle.error_of(q) FROM unnest(ARRAY['SELECT exact_product(x) FROM unnest(''{1e200,1e200}''::float8[]) AS x', 'SELECT exact_product(x) FROM unnest(''{1e-200,1e-200}''::float8[]) AS x', 'SELECT exact_product(x) FROM unnest(''{1e100000,1e100000}''::numeric[]) AS x', 'SELECT exact_product(''x'')']) AS q;
-- Nobody calls a function of internal values; minor releases refuse it in words of their own.
SELECT oracle.error_of('SELECT exact_unmultiply_numeric(NULL, 1)') ~ '^(42883: function .* does not exist|0A000: cannot accept a value of type internal)$' AS refused;
-- Several processes multiply: the product of all is next to the middle of two doubles, and its factors lie far apart; no process, or one alone, has some other values.
CREATE TABLE factors AS SELECT i, i % 3 AS g, CASE WHEN i % 800 = 1 THEN ('{5,1801439850948199,3,3,5,5,7,11,13,17,31,41,61,97,151,241,257,331,673,1321,61681,394783681,4278255361,4562284561,46908728641}'::float8[])[i / 800 + 1] WHEN i % 7 > 0 THEN (-1) ^ i END AS x FROM generate_series(1, 20000) AS i;
ALTER TABLE factors SET (parallel_workers = 2);
ANALYZE factors;
CREATE VIEW products AS SELECT g, exact_product(x) AS float, exact_product(x) FILTER (WHERE i > 1) AS exact, exact_product(x * nullif(i, 12000)) FILTER (WHERE i BETWEEN 11990 AND 12000) AS "one process",
       exact_product(CASE i WHEN 77 THEN 0 ELSE x END) AS zero, exact_product(CASE i WHEN 15000 THEN 'NaN' WHEN 78 THEN 0 ELSE x END) AS nan, exact_product(CASE WHEN i > 19000 AND x < 0 AND i % 1000 = 1 THEN '-Infinity' ELSE x END) AS infinity,
       exact_product(x) FILTER (WHERE false) AS "none", exact_product(x::numeric) AS "numeric", exact_product(nullif(i % 2, 0)::smallint) + exact_product((x + i % 2)::int) FILTER (WHERE i > 100 AND i % 2 = 0) AS integers, exact_product(i::bigint) FILTER (WHERE i % 4000 = 0) AS bigint,
       exact_product(x::numeric) FILTER (WHERE false) AS "no numeric" FROM factors GROUP BY g;
CREATE TABLE in_one_process AS SELECT * FROM products;
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT exact_product(x), exact_product(i) FROM factors;
SELECT count(*) AS groups, count(*) FILTER (WHERE a IS NOT DISTINCT FROM b) AS "the same in several processes" FROM products AS a FULL JOIN in_one_process AS b USING (g);
SELECT exact_product(x) = (SELECT exact_product(v) FROM (SELECT x AS v FROM factors ORDER BY i DESC LIMIT 20000) AS t) AS "next to the middle" FROM factors;
RESET ALL;
SELECT g, "float", "exact", "one process", "zero", "nan", "infinity", "none", length("numeric"::text) AS digits, "integers", "bigint", "no numeric" FROM in_one_process ORDER BY g;
DROP VIEW products;
DROP TABLE factors, in_one_process;
