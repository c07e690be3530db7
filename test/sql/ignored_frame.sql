-- A function of ours with a frame that says more than "so far" is warned of; one that says it, or an aggregate, is not.

SET client_min_messages = notice;
SELECT scan_sum(x::float8) OVER w, scan_max(x) OVER w, scan_ema(x::float8, 0.5) OVER w, row_number() OVER w, exact_sum(x::float8) OVER w
FROM generate_series(1, 2) AS x WINDOW w AS (ORDER BY x ROWS 1 PRECEDING);
SELECT scan_sum(x) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM generate_series(1, 2) AS x;
SELECT scan_count(x > 1) OVER (ORDER BY x ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW) FROM generate_series(1, 2) AS x;
-- also those that WindowAgg has to evaluate, and inside of a query
SELECT scan_compact_index(x > 1) OVER (ORDER BY x GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM generate_series(1, 2) AS x;
SELECT sum(y) FROM (SELECT scan_min(x) OVER (ORDER BY x ROWS 3 PRECEDING) AS y FROM generate_series(1, 2) AS x) AS s;

SELECT scan_sum(x) OVER (), scan_sum(x) OVER (ORDER BY x), scan_sum(x) OVER (ORDER BY x ROWS UNBOUNDED PRECEDING),
       scan_sum(x) OVER (ORDER BY x GROUPS UNBOUNDED PRECEDING), sum(x) OVER (ORDER BY x ROWS 1 PRECEDING),
       first_value(x) OVER (ORDER BY x ROWS 1 PRECEDING)
FROM generate_series(1, 2) AS x;
SET scan.prefixscan = off;
SELECT scan_max(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM generate_series(1, 2) AS x;
