-- clamped: scan_clamped_sum, y = min(upper, max(lower, y' + x)).
\pset null -
-- A stock that cannot be sold below zero nor filled above 100:
SELECT i, x, reset,
       sum(x) OVER w AS sum,
       scan_clamped_sum(x, 0, 100) OVER w AS stock,
       scan_clamped_sum(x, 0, NULL) OVER w AS "not below 0",
       scan_clamped_sum(x, NULL, 100) OVER w AS "not above 100",
       scan_clamped_sum(x, NULL, NULL) OVER w AS free,
       scan_clamped_sum(x, lower => 0, upper => 100, init => 50) OVER w AS "from 50",
       scan_clamped_sum(x, 0, 100, 50, reset) OVER w AS "from 50, segments",
       scan_clamped_sum(x, 0, 100, 1000) OVER w AS "from 1000",
       scan_clamped_sum(x, 7, 7) OVER w AS seven
FROM (VALUES (1, NULL, false), (2, 30, false), (3, -50, NULL), (4, 10, false), (5, NULL, false), (6, 95, false),
             (7, -5, true), (8, NULL, true), (9, 60, false)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- Against a plain loop.  Its arithmetic is numeric, so nothing overflows on the way.
CREATE FUNCTION pg_temp.loop(lower numeric, upper numeric, init numeric, use_reset boolean)
RETURNS TABLE (size int, i int, y numeric) LANGUAGE plpgsql AS $$
DECLARE
  r record;
  previous int := -1;               -- the partition before
  total numeric;
BEGIN
  FOR r IN SELECT s.size, s.i, s.reset, s.x::numeric FROM pg_temp.sample AS s ORDER BY s.size, s.i LOOP
    IF r.size <> previous OR (use_reset AND r.reset) THEN
      total := init; y := NULL;
    END IF;
    previous := r.size;
    IF r.x IS NOT NULL THEN
      total := total + r.x;
      IF total < lower THEN total := lower; END IF;
      IF total > upper THEN total := upper; END IF;
      y := total;
    END IF;
    size := r.size; i := r.i;
    RETURN NEXT;
  END LOOP;
END $$;
CREATE TEMP TABLE sample AS SELECT size, i, reset, CASE WHEN NOT hole THEN (h % 10000)::int2 END AS x FROM oracle.cell;
SELECT lower, upper, init, use_reset, count(*) AS compared,
       count(*) FILTER (WHERE f.y2 IS DISTINCT FROM o.y OR f.y4 IS DISTINCT FROM o.y OR f.y8 IS DISTINCT FROM o.y OR f.y IS DISTINCT FROM o.y) AS different,
       min(f.y2), max(f.y2)
FROM (VALUES (NULL::bigint, NULL::bigint), (0, NULL), (NULL, 5000), (-5000, 5000), (3, 3), (-9223372036854775808, 9223372036854775807)) AS bounds(lower, upper),
     (VALUES (0::bigint), (1000000)) AS inits(init), (VALUES (false), (true)) AS resets(use_reset),
     LATERAL (SELECT size, i, scan_clamped_sum(x, lower, upper, init, use_reset AND reset) OVER w,
                     scan_clamped_sum(x::int4, lower, upper, init, use_reset AND reset) OVER w,
                     scan_clamped_sum(x::int8, lower, upper, init, use_reset AND reset) OVER w,
                     scan_clamped_sum(x::numeric, lower, upper, init, use_reset AND reset) OVER w
              FROM sample WINDOW w AS (PARTITION BY size ORDER BY i)) AS f(size, i, y2, y4, y8, y)
     FULL JOIN LATERAL (SELECT * FROM pg_temp.loop(lower, upper, init, use_reset)) AS o(size, i, y) USING (size, i)
GROUP BY lower, upper, init, use_reset ORDER BY lower, upper, init, use_reset;

-- Totals that leave bigint before the clamp brings them back:
CREATE TEMP TABLE wide AS SELECT size, i, reset, CASE WHEN NOT hole THEN h END AS x FROM oracle.cell;
DROP TABLE sample;
ALTER TABLE wide RENAME TO sample;
SELECT lower, upper, count(*) AS compared, count(*) FILTER (WHERE f.y IS DISTINCT FROM o.y) AS different,
       count(*) FILTER (WHERE f.y = lower) AS at_lower, count(*) FILTER (WHERE f.y = upper) AS at_upper
FROM (VALUES (-9223372036854775808, 9223372036854775807), (-9223372036854775808, -9223372036854775807),
             (9223372036854775806, 9223372036854775807), (0, 9223372036854775807), (-1000000000000000000, 0)) AS bounds(lower, upper),
     LATERAL (SELECT size, i, scan_clamped_sum(x, lower::bigint, upper::bigint, 0, reset) OVER (PARTITION BY size ORDER BY i) FROM sample) AS f(size, i, y)
     FULL JOIN LATERAL (SELECT * FROM pg_temp.loop(lower, upper, 0, true)) AS o(size, i, y) USING (size, i)
GROUP BY lower, upper ORDER BY lower, upper;
-- With no bound on that side there is nothing to bring them back (an error belongs
-- to its row: the rows before it are delivered).
SELECT oracle.rows_of($$SELECT scan_clamped_sum(x, 0, NULL) OVER (ORDER BY i)
  FROM (VALUES (1, 9223372036854775807), (2, -1), (3, 1), (4, 1)) AS t(i, x)$$) AS upwards,
       oracle.rows_of($$SELECT scan_clamped_sum(x, NULL, 0) OVER (ORDER BY i)
  FROM (VALUES (1, -9223372036854775807), (2, -1), (3, -1)) AS t(i, x)$$) AS downwards;
SELECT scan_clamped_sum(x, NULL, 9223372036854775807) OVER (ORDER BY x DESC) AS upwards,
       scan_clamped_sum(-x, -9223372036854775808, NULL) OVER (ORDER BY x DESC) AS downwards
FROM (VALUES (9223372036854775807), (9223372036854775806), (-5)) AS t(x);

-- numeric: fractions, scales, huge numbers, infinite bounds, NaN.
SELECT i, x, scan_clamped_sum(x, 0.5, 10.25) OVER w AS clamped, scan_clamped_sum(x, 0, 'Infinity', 1.000) OVER w AS "not below 0",
       scan_clamped_sum(x, -1e30, 1e30) OVER w AS wide
FROM (VALUES (1, 1.50), (2, -7), (3, 1e31), (4, -0.125), (5, 'Infinity'), (6, -1), (7, 'NaN'), (8, 1)) AS t(i, x)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Bounds may differ from partition to partition.
SELECT p, i, scan_clamped_sum(i, 0, p) OVER (PARTITION BY p ORDER BY i) FROM generate_series(3, 5) AS p, generate_series(1, 3) AS i ORDER BY p, i;
