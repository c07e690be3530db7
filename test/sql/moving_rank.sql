-- moving_rank: moving_rank and moving_percent_rank: ties, NULLs, frames, groups, errors.  test/t/moving_rank.t compares them
-- with loops.
\pset null -
CREATE TABLE scores AS SELECT * FROM (VALUES (1, 30), (2, 10), (3, 20), (4, NULL), (5, 20), (6, 20), (7, 50), (8, 5)) AS t (i, x);
SELECT i, x, moving_rank(x) OVER w, moving_percent_rank(x) OVER w, moving_rank(-x) OVER w AS descending, moving_rank(x) FILTER (WHERE i % 2 = 1) OVER w AS odd FROM scores WINDOW w AS (ORDER BY i ROWS 3 PRECEDING) ORDER BY i;
-- Over the whole partition so far, the last rank is that of rank().
SELECT i, x, moving_rank(x) OVER (ORDER BY i) AS "so far", moving_rank(x) OVER (ORDER BY i ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING) AS ahead, moving_rank(x) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS without FROM scores ORDER BY i;
SELECT moving_rank(x ORDER BY i), moving_rank(x ORDER BY x) AS greatest, moving_percent_rank(x ORDER BY i DESC) FROM scores;
SELECT moving_rank(x), moving_percent_rank(x) FROM scores WHERE false;
SELECT moving_percent_rank(x ORDER BY i) AS one FROM scores WHERE i < 2;
-- Any type, zeros of both signs, NaN.
SELECT i, moving_rank(x) OVER w, moving_percent_rank(x) OVER w FROM (VALUES (1, 'NaN'::float8), (2, 0), (3, '-0'), (4, 'Infinity'), (5, 'NaN')) AS t (i, x) WINDOW w AS (ORDER BY i ROWS 4 PRECEDING) ORDER BY i;
SELECT moving_rank(repeat(chr(97 + i % 3), 3000) ORDER BY i), moving_rank(ARRAY[i % 4, i] ORDER BY i) FROM scores;
SELECT q, oracle.error_of(q) FROM unnest(ARRAY['SELECT moving_rank(''{}''::json)', 'SELECT moving_percent_rank(point(1, 2)) OVER ()', 'SELECT moving_rank()']) AS q;
DROP TABLE scores;
