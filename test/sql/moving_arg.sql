-- moving_arg: moving_arg_min, moving_arg_max, moving_first and moving_last: ties, NULLs, types, groups, errors.
-- test/t/moving_args.t compares them with loops.
\pset null -
CREATE TABLE quotes AS SELECT * FROM (VALUES (1, 'b', 3::int, 2.5::numeric), (2, 'a', 1, 7), (3, 'c', 1, 7.00), (4, NULL, 5, 1), (5, 'd', NULL, 9), (6, 'e', 5, 2), (7, 'f', 2, NULL)) AS t (i, x, k, n);
SELECT moving_arg_min(x, k ORDER BY i) AS arg_min, moving_arg_max(x, k ORDER BY i) AS arg_max, moving_first(x, k ORDER BY i) AS first, moving_last(x, k ORDER BY i) AS last, moving_last(x, k ORDER BY i) FILTER (WHERE x IS NOT NULL) AS "not NULL", moving_arg_max(x, n ORDER BY i) FROM quotes;
SELECT i, x, k, moving_arg_min(x, k) OVER w AS arg_min, moving_arg_max(x, k) OVER w AS arg_max, moving_first(x, k) OVER w AS first, moving_last(x, k) OVER w AS last FROM quotes WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;
SELECT i, moving_arg_min(x, k) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW), moving_arg_max(i, x) FILTER (WHERE k > 1) OVER (ORDER BY i ROWS 3 PRECEDING), moving_last(x, k) OVER (ORDER BY i ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) FROM quotes ORDER BY i;
-- No rows, only NULL keys, a NULL that wins.
SELECT moving_arg_min(x, k), moving_last(x, k) FROM quotes WHERE false;
SELECT moving_arg_min(x, NULL::int), moving_arg_min(NULL::text, k), moving_arg_max(x, k ORDER BY i) FROM quotes;
-- Open, high, low and close of a minute, in any order of the rows.
SELECT minute, moving_first(price, at) AS open, max(price) AS high, min(price) AS low, moving_last(price, at) AS close
FROM (VALUES (time '09:00:40', 12.5), ('09:00:10', 11), ('09:01:30', 13), ('09:00:59', 12), ('09:01:05', 12.75)) AS t (at, price), date_trunc('minute', at) AS minute GROUP BY minute ORDER BY minute;
-- Any types, and a key that is no column.
SELECT pg_typeof(moving_arg_min(ARRAY[i], x)), moving_arg_min(ARRAY[i], x), moving_arg_max(x, ARRAY[k, i]), moving_arg_max(ROW(i, x), -k ORDER BY i), moving_first(i, 'same' ORDER BY i), moving_last(k, x COLLATE "C") FROM quotes;
SELECT moving_arg_max(t, length(t)) = repeat('long', 5000) AS wide, moving_arg_min(length(t), t COLLATE "C") FROM (SELECT repeat('long', i) AS t FROM generate_series(1, 5000) AS i) AS t;
-- A type without an order, and collations that differ.
SELECT q, oracle.error_of(q) FROM unnest(ARRAY['SELECT moving_arg_min(1, ''{}''::json)', 'SELECT moving_last(1, point(1, 2)) OVER ()', 'SELECT moving_arg_min(x COLLATE "C", x COLLATE "POSIX") FROM quotes', 'SELECT moving_arg_min(1)']) AS q;
DROP TABLE quotes;
