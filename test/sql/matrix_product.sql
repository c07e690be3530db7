-- matrix_product: scan_matrix_product, the running product of square matrices,
-- the newest on the left, every entry an exactly rounded dot product.
\pset null -
SET extra_float_digits = 1;
-- Fibonacci's numbers, and powers that do not commute: turning (t), then shearing (s).
SELECT i, scan_matrix_product('{{1,1},{1,0}}') OVER (ORDER BY i) AS fibonacci FROM generate_series(1, 6) AS i;
SELECT i, name, m, scan_matrix_product(m) OVER (ORDER BY i) AS product, scan_matrix_product(m, name = 't') OVER (ORDER BY i) AS "from each t"
FROM (VALUES (1, 's', '{{1,1},{0,1}}'::float8[]), (2, 't', '{{0,-1},{1,0}}'), (3, NULL, NULL), (4, 's', '{{1,1},{0,1}}'), (5, 't', '{{0,-1},{1,0}}')) AS t(i, name, m);
-- 1x1 matrices are numbers; before the first one there is no product; NULLs are skipped.
SELECT i, m, reset, scan_matrix_product(m) OVER w, scan_matrix_product(m, reset) OVER w AS segments
FROM (VALUES (1, NULL::float8[], false), (2, '{{2}}', false), (3, '{{3}}', NULL), (4, NULL, false), (5, NULL, true), (6, '{{0.5}}', false)) AS t(i, m, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- An entry is the exact dot product, rounded once: 1e16 + 1 - 1e16 is 1, and 1/3 * 3 - 1
-- shows what 1/3 lacks.
SELECT scan_matrix_product(m) OVER (ORDER BY i)
FROM (VALUES (1, '{{1,0,0},{1,0,0},{1,0,0}}'::float8[]), (2, '{{1e16,1,-1e16},{0.3333333333333333,0.3333333333333333,0.3333333333333333},{1e308,1e308,-1e308}}')) AS t(i, m);
SELECT scan_matrix_product(m) OVER (ORDER BY i)
FROM (VALUES (1, '{{3,0},{-1,1}}'::float8[]), (2, ARRAY[[1.0::float8 / 3, 1], [1 + oracle.two(-52), 1]])) AS t(i, m);
-- Products below and above the doubles' range on the way, or that end in the subnormals:
SELECT scan_matrix_product(m) OVER (ORDER BY i)
FROM (VALUES (1, '{{1e200,1e-200},{1e200,1e-200}}'::float8[]), (2, '{{1e200,-1e200},{1e-120,1e-120}}'), (3, '{{1e-300,0},{0,-1e-300}}'), (4, '{{1e-300,0},{0,1}}')) AS t(i, m);
SELECT oracle.rows_of($$SELECT scan_matrix_product('{{1e200}}') OVER () FROM generate_series(1, 3)$$) AS overflow;
-- NaN and infinities, as IEEE multiplication and addition have them:
SELECT i, m, scan_matrix_product(m) OVER (ORDER BY i)
FROM (VALUES (1, '{{1,2},{0,1}}'::float8[]), (2, '{{Infinity,0},{0,1}}'), (3, '{{1,1},{0,1}}'), (4, '{{0,1},{1,0}}')) AS t(i, m);

-- Against dot products in exact arithmetic, row by row: k x k.
CREATE FUNCTION pg_temp.products(k int)
RETURNS TABLE (i int, y float8[]) LANGUAGE plpgsql AS $$
DECLARE
  r record;
  product float8[];
BEGIN
  FOR r IN SELECT * FROM pg_temp.sample AS s WHERE s.k = products.k ORDER BY s.i LOOP
    IF r.reset THEN product := NULL; END IF;
    IF r.m IS NOT NULL THEN
      IF product IS NULL THEN
        product := r.m;
      ELSE
        SELECT array_agg(line ORDER BY a) INTO product
        FROM (SELECT a, array_agg(entry ORDER BY b) AS line
              FROM (SELECT a, b, sum(oracle.exact(r.m[a][c]) * oracle.exact(product[c][b]))::float8 AS entry
                    FROM generate_series(1, k % 10) AS a, generate_series(1, k % 10) AS b, generate_series(1, k % 10) AS c GROUP BY a, b) AS e
              GROUP BY a) AS l;
      END IF;
    END IF;
    i := r.i; y := product;
    RETURN NEXT;
  END LOOP;
END $$;
CREATE TEMP TABLE sample AS
SELECT k, i, oracle.draw(i, k, 40) = 0 AS reset, CASE WHEN oracle.draw(i, k + 1, 10) > 0 THEN m END AS m
FROM generate_series(1, 5) AS k, generate_series(1, 80) AS i,
     LATERAL (SELECT array_agg(line ORDER BY a) AS m
              FROM (SELECT a, array_agg((oracle.hash(i * 100 + a * 10 + b, k) >> 11) * oracle.two((oracle.draw(i * 100 + a * 10 + b, k, 8) - 56)::int) ORDER BY b) AS line
                    FROM generate_series(1, k) AS a, generate_series(1, k) AS b GROUP BY a) AS l) AS t;
-- k in 11..15: products of two, of few numbers of very different sizes, so that terms cancel.
INSERT INTO sample
SELECT k, i, i % 2 = 1 AS reset, m
FROM generate_series(11, 15) AS k, generate_series(1, 200) AS i,
     LATERAL (SELECT array_agg(line ORDER BY a) AS m
              FROM (SELECT a, array_agg(sign * (1 + (oracle.hash(n, 1) >> 12) * oracle.two(-51)) * oracle.two((n * n * 15 - 250)::int) ORDER BY b) AS line
                    FROM generate_series(1, k - 10) AS a, generate_series(1, k - 10) AS b,
                         LATERAL (SELECT oracle.draw(i * 100 + a * 10 + b, k, 6) AS n, oracle.draw(i * 100 + a * 10 + b, k + 1, 3) - 1 AS sign) AS d GROUP BY a) AS l) AS t;
SELECT k, count(*) AS compared, count(*) FILTER (WHERE f.y::text IS DISTINCT FROM o.y::text) AS different
FROM (SELECT DISTINCT sample.k FROM sample) AS k,
     LATERAL (SELECT i, scan_matrix_product(m, reset) OVER (ORDER BY i) FROM sample AS s WHERE s.k = k.k) AS f(i, y)
     FULL JOIN LATERAL (SELECT * FROM pg_temp.products(k)) AS o(i, y) USING (i)
GROUP BY k ORDER BY k;
-- Many partitions, longer than a tile, products that are permutations: exact in any order.
SELECT p, count(*) AS compared, count(*) FILTER (WHERE y <> CASE i % 3 WHEN 0 THEN '{{1,0,0},{0,1,0},{0,0,1}}'::float8[] WHEN 1 THEN '{{0,1,0},{0,0,1},{1,0,0}}' ELSE '{{0,0,1},{1,0,0},{0,1,0}}' END) AS different
FROM (SELECT p, i, scan_matrix_product('{{0,1,0},{0,0,1},{1,0,0}}') OVER (PARTITION BY p ORDER BY i) AS y FROM generate_series(1, 3) AS p, generate_series(1, 1500) AS i) AS t
GROUP BY p ORDER BY p;
-- A segment may have matrices of another size than the one before.
SELECT i, scan_matrix_product(m, i = 2) OVER (ORDER BY i) AS y FROM (VALUES (1, '{{2}}'::float8[]), (2, '{{1,2},{3,4}}'), (3, '{{1,0},{0,2}}')) AS t(i, m) ORDER BY i;
