-- exact_pairs: exact_covar_*, exact_corr and exact_regr_*: whole, in groups, over frames that move.  Every bit of them is
-- compared by test/t/exact_pairs.t; here is what they do with what is no number, with no pairs, and with lines.
\pset null -
-- The traps of moving correlations, in which core's results are wrong: numbers that are large and close, one that passes through.
-- Core's digits are not printed, since on arm64 and s390x the compiler fuses multiplications and additions in core's functions.
SELECT i, y, x, exact_corr(y, x) OVER w, abs(corr(y, x) OVER w - exact_corr(y, x) OVER w) > 0.0001 AS "core's is off", exact_regr_slope(y, x) OVER w, abs(regr_slope(y, x) OVER w / exact_regr_slope(y, x) OVER w - 1) > 0.01 AS "core's is off"
FROM (VALUES (1, 1e9::float8, 1::float8), (2, 1e9 + 1e-6, 2), (3, 1e9 + 2e-6, 1e16), (4, 1e9 + 1e-6, 4), (5, 1e9, 5), (6, 1e9 - 2e-6, 7)) AS t (i, y, x)
WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
SELECT max(abs(exact_corr)) AS "never above 1"
FROM (SELECT exact_corr(0.1 * x, x) OVER w FROM (SELECT i, 1 + oracle.draw(i, 1, 1000) / 7.0::float8 AS x FROM generate_series(1, 3000) AS i) AS t WINDOW w AS (ORDER BY i ROWS 2 PRECEDING)) AS t;
-- No pairs, NULLs, one pair, lines, NaN and infinities: as core has them, but that one infinity is a vertical line in 19.  Core's squares
-- of the least numbers are 0, since they are rounded.
SELECT name, exact_covar_pop(y, x) AS pop, exact_covar_samp(y, x) AS samp, exact_corr(y, x) AS corr, exact_regr_slope(y, x) AS slope, exact_regr_intercept(y, x) AS intercept, exact_regr_r2(y, x) AS r2,
       row(exact_covar_pop(y, x), exact_covar_samp(y, x), exact_corr(y, x), exact_regr_slope(y, x), exact_regr_intercept(y, x), exact_regr_r2(y, x)) IS NOT DISTINCT FROM row(covar_pop(y, x), covar_samp(y, x), corr(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x)) OR name = 'one inf' AS "as core"
FROM (VALUES ('none', ARRAY[]::float8[], ARRAY[]::float8[]), ('NULLs', '{NULL,1,NULL}', '{1,NULL,NULL}'), ('one', '{3}', '{2}'), ('one, and NULLs', '{3,NULL,4}', '{2,5,NULL}'), ('one NaN', '{NaN}', '{1}'), ('one inf', '{1}', '{Infinity}'), ('vertical', '{1,2,3}', '{2,2,2}'),
  ('horizontal', '{2,2,2}', '{1,2,3}'), ('a point', '{1,1}', '{2,2}'), ('NaN', '{1,NaN,3}', '{1,2,4}'), ('inf', '{1,2,3}', '{1,Infinity,4}'), ('vertical NaN', '{1,NaN,3}', '{2,2,2}'), ('horizontal inf', '{2,2,2}', '{1,-Infinity,3}'), ('a line', '{1,3,5,7}', '{0,1,2,3}'),
  ('falling', '{1,0,-1}', '{4,6,8}'), ('-0', '{-0,-0,0}', '{0,-0,1}'), ('a few', '{1,3,2,5}', '{1,2,3,4}'), ('the least', '{0,5e-324,0}', '{0,5e-324,5e-324}')) AS t (name, ys, xs)
  LEFT JOIN LATERAL unnest(ys, xs) AS u (y, x) ON true GROUP BY name ORDER BY name;
-- The ends of what there is: a correlation is never out of range, the others may be.
SELECT exact_corr(y, x), exact_regr_r2(y, x) FROM unnest('{1.7e308,-1.7e308,1e308}'::float8[], '{5e-324,-5e-324,0}'::float8[]) AS t (y, x);
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT exact_covar_pop(y, y) FROM unnest('{1.7e308,-1.7e308}'::float8[]) AS y$$, $$SELECT exact_covar_samp(y, -y) FROM unnest('{1e155,-1e155}'::float8[]) AS y$$, $$SELECT exact_regr_slope(y, x) FROM unnest('{1e308,-1e308}'::float8[], '{1e-5,0}'::float8[]) AS t (y, x)$$,
  $$SELECT exact_regr_intercept(y, x) FROM unnest('{1e308,-1e308}'::float8[], '{2,1}'::float8[]) AS t (y, x)$$, $$SELECT exact_regr_slope(y, x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM unnest('{1,2,1e308}'::float8[], '{1,2,2.000001}'::float8[]) AS t (y, x)$$, $$SELECT exact_corr(1.5)$$, $$SELECT exact_corr('x'::text, 1)$$,
  $$SELECT exact_add_pair(NULL, 1, 2)$$, $$SELECT exact_combine_pairs(NULL, NULL)$$]) AS q;
-- Against plain SQL: eighths, whose sums are exact as numeric, and quotients and roots of 100 digits.
CREATE TABLE pair AS SELECT i, i % 7 AS g, CASE WHEN oracle.draw(i, 3, 20) > 0 THEN oracle.draw(i, 1, 20001) - 10000 END AS a, CASE WHEN oracle.draw(i, 4, 20) > 0 THEN oracle.draw(i, 2, 401) - 200 END AS b FROM generate_series(1, 2000) AS i;
ANALYZE pair;
CREATE VIEW pair_oracle AS
SELECT g, n, CASE WHEN n > 0 THEN 1e40 * xy / (64 * n * n) / 1e40 END::float8 AS pop, CASE WHEN n > 1 THEN 1e40 * xy / (64 * n * (n - 1)) / 1e40 END::float8 AS samp, CASE WHEN xx > 0 AND yy > 0 THEN sign(xy) * sqrt(1e100 * xy * xy / (xx * yy)) / 1e50 END::float8 AS corr,
       CASE WHEN xx > 0 THEN 1e40 * xy / xx / 1e40 END::float8 AS slope, CASE WHEN xx > 0 THEN 1e40 * (sb2 * sa - sb * sab) / (8 * xx) / 1e40 END::float8 AS intercept, CASE WHEN xx > 0 AND yy > 0 THEN 1e40 * xy * xy / (xx * yy) / 1e40 WHEN xx > 0 THEN 1 END::float8 AS r2
FROM (SELECT *, n * sb2 - sb * sb AS xx, n * sa2 - sa * sa AS yy, n * sab - sa * sb AS xy
      FROM (SELECT g, count(*)::numeric AS n, sum(a)::numeric AS sa, sum(b)::numeric AS sb, sum(a * a)::numeric AS sa2, sum(b * b)::numeric AS sb2, sum(a * b)::numeric AS sab FROM pair WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY g) AS s) AS t;
SELECT count(*) AS groups, count(*) FILTER (WHERE row(o.pop, o.samp, o.corr, o.slope, o.intercept, o.r2) IS DISTINCT FROM row(e.pop, e.samp, e.corr, e.slope, e.intercept, e.r2)) AS different, min(o.n) AS smallest
FROM pair_oracle AS o JOIN (SELECT g, exact_covar_pop(y, x) AS pop, exact_covar_samp(y, x) AS samp, exact_corr(y, x) AS corr, exact_regr_slope(y, x) AS slope, exact_regr_intercept(y, x) AS intercept, exact_regr_r2(y, x) AS r2 FROM (SELECT g, a / 8.0::float8 AS y, b / 8.0::float8 AS x FROM pair) AS p GROUP BY g) AS e USING (g);
-- A frame that moves gives the bits of one that is summed anew, in WindowAgg and in PrefixScan.
CREATE FUNCTION different_frames() RETURNS TABLE (rows bigint, different bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE row(c, s, r, k) IS DISTINCT FROM (SELECT row(exact_covar_samp(a, b), exact_regr_slope(a, b), exact_corr(a, b), exact_regr_intercept(a, b)) FROM pair AS p WHERE p.i BETWEEN t.i - 6 AND t.i))
  FROM (SELECT i, exact_covar_samp(a, b) OVER w AS c, exact_regr_slope(a, b) OVER w AS s, exact_corr(a, b) OVER w AS r, exact_regr_intercept(a, b) OVER w AS k FROM pair WINDOW w AS (ORDER BY i ROWS 6 PRECEDING)) AS t WHERE i % 10 = 0 $$;
SET scan.prefixscan = off;
SELECT * FROM different_frames();
SET scan.prefixscan = force;
SELECT * FROM different_frames();
RESET scan.prefixscan;
-- No numeric is rounded by a silent cast.
SELECT exact_corr(1.5, 2.5);
-- Pairs of a bigint and a float: both are taken as they are.
SELECT exact_regr_slope(y, x) AS "float, bigint", exact_regr_slope(x, y) AS "bigint, float", exact_regr_slope(y, x::float8) AS rounded, exact_covar_pop(y, x), exact_covar_pop(x, y), exact_corr(y, x) = exact_corr(x, y) AS same, exact_regr_intercept(x, y), exact_regr_r2(y, x)
FROM (VALUES (0.5::float8, 9007199254740992), (1.5, 9007199254740993), (2.5, 9007199254740994), (NULL, 1), (7, NULL)) AS t(y, x);
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[$$SELECT exact_corr(1.5, 2::float8)$$, $$SELECT exact_corr(1::float8, 2.5)$$, $$SELECT exact_covar_samp(1.5, 2::bigint)$$, $$SELECT exact_regr_slope(1, 2.5)$$, $$SELECT exact_regr_r2(1.5, 2::real) OVER ()$$]) AS q;
