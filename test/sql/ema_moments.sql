-- ema_moments: scan_ema_var, scan_ema_stddev, scan_ema_covar, scan_ema_corr: exponentially weighted statistics.
\pset null -
SELECT i, x, y, reset, scan_ema_var(x, 0.5) OVER w AS var, scan_ema_var(x, 0.5, bias => true) OVER w AS biased, scan_ema_var(x, 0.5, adjust => true) OVER w AS adjusted, scan_ema_var(x, 0.5, true, true) OVER w AS both,
       scan_ema_stddev(x, 0.5) OVER w AS stddev, scan_ema_covar(y, x, 0.5) OVER w AS covar, scan_ema_covar(y, x, 0.5, true, true) OVER w AS both, scan_ema_corr(y, x, 0.5) OVER w AS corr, scan_ema_corr(y, x, 0.5, true) OVER w AS adjusted
FROM (VALUES (1, 1, 2, false), (2, 3, NULL, false), (3, NULL, 1, NULL), (4, 5, 7, false), (5, 9, 3, false), (6, 9, 3, false)) AS t(i, x, y, reset) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, x, reset, scan_ema_var(x, 0.5, reset => reset) OVER w AS var, scan_ema_stddev(x, 0.5, false, true, reset) OVER w AS stddev, scan_ema_covar(x, -x, 0.5, reset => reset) OVER w AS covar, scan_ema_corr(x, -x, 0.5, reset => reset) OVER w AS corr
FROM (VALUES (1, 1, false), (2, 3, false), (3, NULL, true), (4, NULL, NULL), (5, 5, false), (6, 9, NULL), (7, 1, true)) AS t(i, x, reset) WINDOW w AS (ORDER BY i) ORDER BY i;
-- Over the definition: with weights w, sum w (x - mx) (y - my) / sum w, and the factor (sum w)^2 / ((sum w)^2 - sum w^2).
CREATE FUNCTION pg_temp.by_definition(y numeric[], x numeric[], alpha numeric, adjust boolean, bias boolean) RETURNS numeric LANGUAGE sql AS $$
  SELECT CASE WHEN bias THEN c WHEN w * w > ww THEN c * w * w / (w * w - ww) END
  FROM (SELECT sum(v) AS w, sum(v * v) AS ww, sum(v * a * b) / sum(v) - sum(v * a) / sum(v) * (sum(v * b) / sum(v)) AS c
        FROM (SELECT a, b, round(CASE WHEN i = 1 OR adjust THEN 1 ELSE alpha END * power(1 - alpha, cardinality(x) - i), 60) AS v FROM unnest(y, x) WITH ORDINALITY AS t(a, b, i)) AS t) AS t $$;
SELECT alpha, adjust, bias, count(*) AS compared, count(*) FILTER (WHERE abs(var - pg_temp.by_definition(xs, xs, alpha, adjust, bias)) > 1e-13 * var) AS wrong,
       count(*) FILTER (WHERE abs(stddev * stddev - var) > 1e-14 * var) AS roots, count(*) FILTER (WHERE abs(covar - pg_temp.by_definition(ys, xs, alpha, adjust, bias)) > 1e-13) AS pairs
FROM (SELECT alpha, adjust, bias, scan_ema_var(x, alpha, adjust, bias) OVER w::numeric AS var, scan_ema_stddev(x, alpha, adjust, bias) OVER w::numeric AS stddev, scan_ema_covar(y, x, alpha, adjust, bias) OVER w::numeric AS covar,
             array_agg(x::numeric) OVER w AS xs, array_agg(y::numeric) OVER w AS ys
      FROM (SELECT i, i * i % 17 AS x, i * 7 % 11 AS y FROM generate_series(1, 40) AS i) AS t, (VALUES (0.5), (0.125), (1)) AS a(alpha), (VALUES (false), (true)) AS d(adjust), (VALUES (false), (true)) AS b(bias)
      WINDOW w AS (PARTITION BY alpha, adjust, bias ORDER BY i)) AS t GROUP BY alpha, adjust, bias ORDER BY alpha, adjust, bias;
-- No cancellation: 1e9 with a spread of 1e-3 has the statistics of the spread; an outlier is forgotten.
SELECT count(*) AS compared, max(abs(a / b - 1)) < 1e-12 AS spread, max(abs(c - d)) < 1e-12 AS corr
FROM (SELECT scan_ema_var(1e9 + i % 7 / 1024.0, 0.01) OVER w AS a, scan_ema_var(i % 7 / 1024.0, 0.01) OVER w AS b, scan_ema_corr(1e9 + i % 7 / 1024.0, i % 5 - 1e12, 0.01) OVER w AS c, scan_ema_corr(i % 7, i % 5, 0.01) OVER w AS d FROM generate_series(1, 1000) AS i WINDOW w AS (ORDER BY i)) AS t WHERE b > 0;
SELECT a, b, abs(a / b - 1) < 1e-12 AS forgotten FROM (SELECT i, scan_ema_var(CASE WHEN i = 1 THEN 1e30 ELSE i % 7 END, 0.75) OVER w AS a, scan_ema_var(i % 7, 0.75) OVER w AS b FROM generate_series(1, 500) AS i WINDOW w AS (ORDER BY i)) AS t WHERE i = 500;
-- Sizes whose squares no double holds; a result that none holds is an error.
SELECT i, scan_ema_stddev(x, 0.5) OVER w AS stddev, scan_ema_stddev(1e-290 * x, 0.5) OVER w AS small, scan_ema_stddev(1e300 * x, 0.5) OVER w AS large, scan_ema_covar(1e300 * x, 1e-300 * x, 0.5) OVER w AS covar, scan_ema_corr(1e300 * x, -1e-290 * x, 0.5) OVER w AS corr, scan_ema_var(1e-290 * x, 0.5) OVER w AS var
FROM (VALUES (1, 1::float8), (2, 2), (3, 4)) AS t(i, x) WINDOW w AS (ORDER BY i);
SELECT oracle.rows_of(format('SELECT %s OVER (ORDER BY i) FROM unnest(''{1,2e200,1.7e308,-1.7e308}''::float8[]) WITH ORDINALITY AS t(x, i)', call)) AS rows FROM unnest(ARRAY['scan_ema_var(x, 0.5, bias => true)', 'scan_ema_stddev(x, 0.5)']) AS call;
-- What was before a column repeats a value fades, and keeps its correlation.  A zero before tiny values is a value like others.
SELECT alpha, i, corr, stddev, var FROM (SELECT alpha, i, scan_ema_corr(y, x, alpha) OVER w AS corr, scan_ema_stddev(x, alpha) OVER w AS stddev, scan_ema_var(x, alpha) OVER w AS var
      FROM (SELECT i, CASE WHEN i < 4 THEN i * i ELSE 5.3 END AS x, CASE WHEN i < 4 THEN i * i % 5 ELSE 0.1 END AS y FROM generate_series(1, 20000) AS i) AS t, (VALUES (0.5), (0.1), (0.01)) AS a(alpha)
      WINDOW w AS (PARTITION BY alpha ORDER BY i)) AS t WHERE i IN (100, 1060, 8000, 20000) ORDER BY alpha, i;
SELECT i, scan_ema_stddev(x, 0.5) OVER w AS stddev, scan_ema_stddev(1e300 * x, 0.5) OVER w AS large, scan_ema_corr(i * i, x, 0.5) OVER w AS corr, scan_ema_corr(i * i, 1e300 * x, 0.5) OVER w AS same
FROM (VALUES (1, 0::float8), (2, 1e-300), (3, 3e-300), (4, 2e-300)) AS t(i, x) WINDOW w AS (ORDER BY i);
-- Infinities and NaN stay until the segment ends.  -0 is 0.
SELECT i, x, scan_ema_var(x, 0.5, reset => i = 7) OVER w AS var, scan_ema_var(x, 0.5, bias => true, reset => i = 7) OVER w AS biased, scan_ema_corr(x, i, 0.5, reset => i = 7) OVER w AS corr, scan_ema_covar(i, x, 0.5, bias => true, reset => i = 7) OVER w AS covar
FROM (VALUES (1, 1::float8), (2, '-0'), (3, 'Infinity'), (4, 2), (5, 'NaN'), (6, NULL), (7, 'NaN'), (8, 1)) AS t(i, x) WINDOW w AS (ORDER BY i);
-- What does not vary has a variance of 0 and no correlation.
SELECT i, scan_ema_var(1e9 + 0.1, 0.3) OVER w AS var, scan_ema_var(1, 0.3, bias => true) OVER w AS biased, scan_ema_covar(1, i, 0.3) OVER w AS covar, scan_ema_corr(1, i, 0.3) OVER w AS corr, scan_ema_corr(i, 3 * i, 0.3) OVER w AS same, scan_ema_corr(i, -i, 0.3, true) OVER w AS opposite FROM generate_series(1, 3) AS i WINDOW w AS (ORDER BY i);
-- Alpha of 1 leaves one weight; the smallest alpha leaves all.
SELECT i, scan_ema_var(i, 1) OVER w AS var, scan_ema_var(i, 1, true, true) OVER w AS biased, scan_ema_corr(i, i, 1) OVER w AS corr, scan_ema_var(i, '5e-324') OVER w AS tiny, scan_ema_var(i, '5e-324', true) OVER w AS "all", var_samp(i) OVER w FROM generate_series(1, 3) AS i WINDOW w AS (ORDER BY i);
-- No rows, one row, only NULLs.
SELECT scan_ema_var(i, 0.5) OVER () FROM generate_series(1, 0) AS i;
SELECT scan_ema_var(1, 0.5) OVER (), scan_ema_stddev(1, 0.5, bias => true) OVER (), scan_ema_covar(1, 2, 0.5) OVER (), scan_ema_covar(1, 2, 0.5, bias => true) OVER () AS biased, scan_ema_corr(1, 2, 0.5) OVER (), scan_ema_var(NULL, 0.5, true, true) OVER () AS none, scan_ema_corr(NULL, 1, 0.5) OVER () AS pair;
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 3) AS i', call)) AS error
FROM unnest(ARRAY['scan_ema_var(i, 0)', 'scan_ema_stddev(i, 1.5)', 'scan_ema_covar(i, i, ''NaN'')', 'scan_ema_corr(i, i, -1)', 'scan_ema_var(i, NULL)', 'scan_ema_var(i, 0.5, NULL)', 'scan_ema_var(i, 0.5, true, NULL)', 'scan_ema_var(i, 1.0 / i)', 'scan_ema_corr(i, i, 0.5, i = 1)', 'scan_ema_covar(i, i, 0.5, false, i = 1)']) AS call;
-- Over arrays.
SELECT array_scan_ema_var('{1,3,NULL,5}', 0.5) AS var, array_scan_ema_stddev('{1,3,NULL,5}', 0.5, true, true) AS stddev, array_scan_ema_covar('{1,3,NULL,5}', '{2,1,1,NULL}', 0.5) AS covar, array_scan_ema_corr('{1,3,NULL,5}', '{2,1,1,7}', 0.5, reset => '{f,f,t,f}') AS corr, array_scan_ema_var('{}', 0.5) AS empty, array_scan_ema_var(NULL, 0.5) AS none;
SELECT oracle.error_of('SELECT ' || q) FROM unnest(ARRAY['array_scan_ema_var(''{1}'', NULL)', 'array_scan_ema_covar(''{1}'', ''{1,2}'', 0.5)', 'array_scan_ema_corr(''{1}'', ''{1}'', 2)']) AS q;
