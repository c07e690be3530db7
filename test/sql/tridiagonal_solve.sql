-- tridiagonal_solve: two first-order recurrences over the pivots, then refinement.
SET extra_float_digits = 1;
SELECT tridiagonal_solve('{0,1,1}', '{2,2,2}', '{1,1,0}', '{4,8,8}') AS x, tridiagonal_solve('{}', '{}', '{}', '{}') AS empty,
       tridiagonal_solve('{7}', '{4}', '{8}', '{1}') AS one, tridiagonal_solve('{NaN,1}', '{2,2}', '{1,Infinity}', '{4,5}') AS "not used",
       tridiagonal_solve('{0,0}', '{2,-4}', '{0,0}', '{0,-0}') AS zeros, tridiagonal_solve('[0:1]={0,1}', '[5:6]={2,2}', '{1,0}', '{4,5}') AS bounds;
SELECT tridiagonal_solve(NULL, '{1}', '{1}', '{1}') AS lower, tridiagonal_solve('{1}', NULL, '{1}', '{1}') AS diagonal,
       tridiagonal_solve('{1}', '{1}', NULL, '{1}') AS upper, tridiagonal_solve('{1}', '{1}', '{1}', NULL) AS rhs;
-- A first pivot that loses everything below it: refinement brings it back.  Powers far apart.
SELECT tridiagonal_solve('{0,1,1}', '{1e-20,2,2}', '{1,1,0}', '{4,8,8}') AS x,
       tridiagonal_solve('{0,1e-300,1}', '{1e300,2,1e-300}', '{1,1e-310,0}', '{1e300,4,1e-300}') AS powers,
       tridiagonal_solve('{0,0}', '{1,1}', '{0,0}', '{3e-324,1e308}') AS "as they are";
-- NaN and infinities are not solved around.
SELECT tridiagonal_solve('{0,1}', '{2,2}', '{1,0}', '{NaN,1}') AS nan, tridiagonal_solve('{0,0}', '{2,2}', '{0,0}', '{Infinity,1}') AS infinity;

SELECT oracle.error_of('SELECT tridiagonal_solve(' || q || ')') FROM unnest(ARRAY[
  $$'{0,1}', '{0,1}', '{1,0}', '{1,1}'$$,
  $$'{0,1,1}', '{1,1,5}', '{1,1,0}', '{1,1,1}'$$,
  $$'{0}', '{0}', '{0}', '{0}'$$,
  $$'{0,1}', '{1e-300,1}', '{1e300,0}', '{1,1}'$$,
  $$'{0}', '{1e-300}', '{0}', '{1e300}'$$,
  $$'{0,1}', '{1,1}', '{0}', '{1,1}'$$,
  $$'{0,1}', '{1,1}', '{0,1}', '{}'$$,
  $$'{0,NULL}', '{1,1}', '{0,1}', '{1,1}'$$,
  $$'{0,1}', '{1,1}', '{0,1}', '{1,NULL}'$$,
  $$'{{0,1}}', '{1,1}', '{0,1}', '{1,1}'$$]) AS q;

-- A singular matrix whose second pivot rounding has kept from being 0: a warning.  One that
-- is close to singular and still solved: none.
SELECT tridiagonal_solve('{0,1}', '{3,1}', '{3,0}', '{1,3}') AS singular;
SELECT tridiagonal_solve('{0,1}', '{1,1.0000000000001}', '{1,0}', '{2,2.0000000000001}') AS "close to it";

-- Systems of integers with a solution of integers: it is that one.  The diagonal
-- dominates in the first, only just (2 against 1 + 1) in the second, not at all in the third.
CREATE TEMP TABLE system AS
SELECT kind, n, i,
       CASE kind WHEN 'dominant' THEN oracle.draw(i, n, 19) - 9 WHEN 'just' THEN -1 ELSE oracle.draw(i, n, 9) + 1 END::float8 AS lower,
       CASE kind WHEN 'dominant' THEN oracle.draw(i, n + 1000, 30) + 20 WHEN 'just' THEN 2 ELSE oracle.draw(i, n + 1000, 9) + 1 END::float8 AS diagonal,
       CASE kind WHEN 'dominant' THEN oracle.draw(i, n + 2000, 19) - 9 WHEN 'just' THEN -1 ELSE -oracle.draw(i, n + 2000, 9) - 1 END::float8 AS upper,
       (oracle.draw(i, n + 3000, 2000001) - 1000000)::float8 AS x
FROM unnest(ARRAY['dominant', 'just', 'signs']) AS kind, unnest(ARRAY[1, 2, 3, 10, 100, 1000, 4096, 4097]) AS n, generate_series(1, n) AS i;
CREATE TEMP TABLE solved AS
SELECT kind, n, x, tridiagonal_solve(lower, diagonal, upper, rhs) AS y
FROM (SELECT kind, n, array_agg(lower ORDER BY i) AS lower, array_agg(diagonal ORDER BY i) AS diagonal, array_agg(upper ORDER BY i) AS upper,
             array_agg(rhs ORDER BY i) AS rhs, array_agg(x ORDER BY i) AS x
      FROM (SELECT *, coalesce(lower * lag(x) OVER w, 0) + diagonal * x + coalesce(upper * lead(x) OVER w, 0) AS rhs
            FROM system WINDOW w AS (PARTITION BY kind, n ORDER BY i)) AS s
      GROUP BY kind, n) AS t;
SELECT kind, count(*) AS systems, sum(n) AS rows, count(*) FILTER (WHERE x <> y) AS wrong FROM solved GROUP BY kind ORDER BY kind;

-- Nothing that can be set changes a bit.
CREATE TEMP TABLE long AS
SELECT array_agg(1 - sin(i) ORDER BY i) AS lower, array_agg(3 + cos(i) ORDER BY i) AS diagonal, array_agg(sin(i * i) ORDER BY i) AS upper, array_agg(cos(i * 7) ORDER BY i) AS rhs
FROM generate_series(1, 20000) AS i;
SELECT a.name AS algorithm, set_config('scan.algorithm', a.name, false) <> '' AND
       tridiagonal_solve(lower, diagonal, upper, rhs) = (SELECT tridiagonal_solve(lower, diagonal, upper, rhs) FROM long) AS same
FROM long, unnest(ARRAY['sequential', 'hillis_steele', 'blelloch', 'blocked', 'auto']) AS a (name);
-- A matrix so close to singular that what is left of its right-hand side is beyond the doubles: a warning.
SELECT tridiagonal_solve('{0,1e100}', '{3.0000000000000002e100,8.333333333333333e100}', '{2.5e101,0}', '{0,1e308}') IS NOT NULL AS solved;
-- Solutions beyond the doubles: on the way down, on the way up.
SELECT tridiagonal_solve('{0,1e200,1e200}', '{1,1,1}', '{0,0,0}', '{1,1,1}');
SELECT tridiagonal_solve('{0,0}', '{1e-300,1}', '{0,0}', '{1e300,1}');
SELECT tridiagonal_solve('{0,1e300}', '{1,1}', '{1e300,0}', '{1e300,1e300}');
