-- csr_multiply: sparse matrix times vector, every entry a dot product rounded once.
SET extra_float_digits = 1;
-- The matrix (1 0 2; 0 0 0; 0 3 0) times (10, 20, 30); an empty row gives 0.
SELECT csr_multiply(ARRAY[0, 2, 2, 3], ARRAY[0, 2, 1], '{1,2,3}', '{10,20,30}') AS y,
       csr_multiply(ARRAY[0, 2, 2, 3]::bigint[], ARRAY[0, 2, 1], '{1,2,3}', '{10,20,30}') AS "bigint row pointers";
-- No rows; rows and no columns; a column that is met twice; columns in any order; other lower bounds.
SELECT csr_multiply('{0}'::int[], '{}', '{}', '{}') AS nothing, csr_multiply('{0}'::int[], '{}', '{}', '{1,2}') AS "no rows",
       csr_multiply('{0,0,0}'::bigint[], '{}', '{}', '{}') AS "no columns", csr_multiply('{0,3}'::int[], '{1,0,1}', '{2,3,5}', '{10,100}') AS "any order",
       csr_multiply('[0:1]={0,1}'::int[], '[7:7]={0}', '[-3:-3]={2}', '[5:5]={4}') AS bounds;
SELECT csr_multiply(NULL::int[], '{}', '{}', '{}') AS null_1, csr_multiply('{0}'::int[], NULL, '{}', '{}') AS null_2,
       csr_multiply('{0}'::int[], '{}', NULL, '{}') AS null_3, csr_multiply('{0}'::int[], '{}', '{}', NULL) AS null_4;
-- Rounded once: what cancels leaves what was small; products that overflow or sink below
-- the subnormals on the way; -0 is 0; NaN and infinities as in IEEE arithmetic.
SELECT csr_multiply('{0,3,6,8,9,11,12,14}'::int[], '{0,1,2,0,0,0,3,4,5,6,7,6,6,8}',
                    ARRAY[1e16, 1, -1e16, 1e308, 1e308, -1e308, 1e300, -1e300, -0.0, 1, 1, 1, 1, 1]::float8[],
                    ARRAY[1, 1, 1, 1e200, 1e200, 7, 'Infinity', 'NaN', '-Infinity']::float8[]) AS y;
SELECT csr_multiply('{0,2}'::int[], '{0,1}', ARRAY[1e-200, 1], ARRAY[1e-200, 1]::float8[]) AS tiny,
       csr_multiply('{0,2}'::int[], '{0,0}', ARRAY[1.5, -0.5], ARRAY[5e-324]) AS subnormal;

-- What is malformed is an error that says where.
SELECT oracle.error_of('SELECT csr_multiply(' || q || ')') FROM unnest(ARRAY[
  $$'{}'::int[], '{}', '{}', '{}'$$,
  $$'{1,1}'::int[], '{0}', '{1}', '{1}'$$,
  $$'{-1,1}'::bigint[], '{0}', '{1}', '{1}'$$,
  $$'{0,2,1,2}'::int[], '{0,0}', '{1,1}', '{1}'$$,
  $$'{0,9223372036854775807,1}'::bigint[], '{0}', '{1}', '{1}'$$,
  $$'{0,1}'::int[], '{0,0}', '{1,1}', '{1}'$$,
  $$'{0,4294967297}'::bigint[], '{0}', '{1}', '{1}'$$,
  $$'{0,3}'::int[], '{0,0}', '{1,1}', '{1}'$$,
  $$'{0}'::int[], '{0}', '{1}', '{1}'$$,
  $$'{0,2}'::int[], '{0}', '{1,1}', '{1}'$$,
  $$'{0,2}'::int[], '{0,2}', '{1,1}', '{1,1}'$$,
  $$'{0,2}'::int[], '{0,-1}', '{1,1}', '{1,1}'$$,
  $$'{0,1}'::int[], '{0}', '{1}', '{}'$$,
  $$'{0,NULL}'::int[], '{0}', '{1}', '{1}'$$,
  $$'{0,1}'::int[], '{NULL}', '{1}', '{1}'$$,
  $$'{0,1}'::int[], '{0}', '{NULL}', '{1}'$$,
  $$'{0,1}'::int[], '{0}', '{1}', '{NULL}'$$,
  $$'{{0,1}}'::bigint[], '{0}', '{1}', '{1}'$$,
  $$'{0,1}'::int[], '{{0}}', '{1}', '{1}'$$,
  $$'{0,1}'::int[], '{0}', '{{1}}', '{1}'$$,
  $$'{0,1}'::int[], '{0}', '{1}', '{{1}}'$$,
  $$'{0,1}'::int[], '{0}', '{1e200}', '{1e200}'$$,
  $$'{0,1}', '{0}', '{1}', '{1}'$$]) AS q;

-- Against sums of products in exact arithmetic: rows of 0 to 40 values over 50 columns,
-- of sizes that are alike or far apart, some of them cancelling.
CREATE TEMP TABLE matrix AS
SELECT row, i, oracle.draw(i, row, 50)::int AS col,
       CASE WHEN i % 3 = 1 THEN -1 ELSE 1 END * (1 + oracle.draw(i, row + 1000, 4503599627370496) * oracle.two(-52)) *
       oracle.two(CASE row % 4 WHEN 0 THEN 0 WHEN 1 THEN oracle.draw(i, row + 2000, 120)::int - 60 WHEN 2 THEN (i / 4)::int * 30 ELSE 5 * (i / 2)::int END) AS value
FROM generate_series(0, 299) AS row, generate_series(1, oracle.draw(row, 3, 41)) AS i;
CREATE TEMP TABLE vector AS
SELECT col, (1 + oracle.draw(col, 9, 4503599627370496) * oracle.two(-52)) * oracle.two(CASE WHEN col % 2 = 0 THEN 0 ELSE col END) AS x FROM generate_series(0, 49) AS col;
CREATE TEMP TABLE csr AS
SELECT array_agg(until ORDER BY row) AS row_ptr, (SELECT array_agg(col ORDER BY row, i) FROM matrix) AS col_idx,
       (SELECT array_agg(value ORDER BY row, i) FROM matrix) AS "values", (SELECT array_agg(x ORDER BY col) FROM vector) AS x
FROM (SELECT -1 AS row, 0 AS until
      UNION ALL SELECT row, (sum(count(m.i)) OVER (ORDER BY row))::int FROM generate_series(0, 299) AS row LEFT JOIN matrix AS m USING (row) GROUP BY row) AS r;
SELECT count(*) AS compared, count(*) FILTER (WHERE y IS DISTINCT FROM oracle.round8(exact, false)) AS wrong,
       count(*) FILTER (WHERE y <> plain) AS "where sum() is off", count(*) FILTER (WHERE n = 0) AS empty
FROM (SELECT y, row - 1 AS row FROM csr, unnest(csr_multiply(row_ptr, col_idx, "values", x)) WITH ORDINALITY AS u (y, row)) AS a
     JOIN (SELECT row, count(i) AS n, coalesce(sum(oracle.exact(value) * oracle.exact(x)), 0) AS exact, sum(value * x ORDER BY i) AS plain
           FROM generate_series(0, 299) AS row LEFT JOIN (matrix JOIN vector USING (col)) USING (row) GROUP BY row) AS b USING (row);
SELECT count(*) AS rows, count(*) FILTER (WHERE csr_multiply(row_ptr::bigint[], col_idx, "values", x) IS DISTINCT FROM csr_multiply(row_ptr, col_idx, "values", x)) AS wrong FROM csr;
-- A PL/pgSQL array, which is an expanded one inside.
DO $$
DECLARE
  p int[] := '{0}'; c int[] := '{}'; v float8[] := '{}'; x float8[] := '{}';
BEGIN
  FOR i IN 0 .. 9 LOOP
    x[i + 1] := i; c[i + 1] := 9 - i; v[i + 1] := 1; p[i + 2] := i + 1;
  END LOOP;
  RAISE NOTICE '%', csr_multiply(p, c, v, x);
END $$;
-- Rows with more entries than are taken between two checks for interrupts; the products of the second are below the doubles.
SELECT csr_multiply(ARRAY[0, 70000, 140000], array_cat(array_fill(0, ARRAY[70000]), array_fill(1, ARRAY[70000])), array_cat(array_fill(0.5::float8, ARRAY[70000]), array_fill(1e-200::float8, ARRAY[70000])), ARRAY[3, 1e-115]::float8[]) AS y;
