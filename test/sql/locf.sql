-- locf: the last observation carried forward, over at most max_gap rows.
\pset null -
SELECT i, x, reset,
       scan_locf(x) OVER w AS filled,
       scan_locf(x, 2) OVER w AS "2 rows",
       scan_locf(x, 0) OVER w AS "0 rows",
       scan_locf(x, NULL, reset) OVER w AS segments,
       scan_locf(x, max_gap => 1, reset => reset) OVER w AS "1 row, segments"
FROM (VALUES (1, NULL, false), (2, 'one', false), (3, NULL, NULL), (4, NULL, false), (5, NULL, false),
             (6, 'two', true), (7, NULL, false), (8, NULL, true), (9, NULL, false), (10, 'three', NULL)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- Against a plain loop: sizes 0..1025, by value and by reference, every max_gap.
CREATE FUNCTION pg_temp.loop(gap bigint, use_reset boolean)
RETURNS TABLE (size int, i int, n int, t text) LANGUAGE plpgsql AS $$
DECLARE
  r record;
  previous int := -1;               -- the partition before
  place int;                        -- of the last value
BEGIN
  FOR r IN SELECT * FROM pg_temp.sample AS s ORDER BY s.size, s.i LOOP
    IF r.size <> previous OR (use_reset AND r.reset) THEN
      n := NULL; t := NULL; place := NULL;
    END IF;
    previous := r.size;
    IF r.n IS NOT NULL THEN
      n := r.n; t := r.t; place := r.i;
    ELSIF place < r.i - gap THEN
      n := NULL; t := NULL;
    END IF;
    size := r.size; i := r.i;
    RETURN NEXT;
  END LOOP;
END $$;
CREATE TEMP TABLE sample AS
SELECT size, i, reset, CASE WHEN h & 3 = 0 THEN (h >> 40)::int END AS n, CASE WHEN h & 3 = 0 THEN repeat(h::text, (h >> 8 & 15)::int) END AS t
FROM oracle.cell;
SELECT gap, use_reset, count(*) AS compared, count(*) FILTER (WHERE f IS DISTINCT FROM o) AS different, count(f.n) AS filled
FROM (VALUES (NULL::bigint), (0), (1), (3), (9223372036854775807)) AS gaps(gap), (VALUES (false), (true)) AS resets(use_reset),
     LATERAL (SELECT size, i, scan_locf(n, gap, use_reset AND reset) OVER w, scan_locf(t, gap, use_reset AND reset) OVER w
              FROM sample WINDOW w AS (PARTITION BY size ORDER BY i)) AS f(size, i, n, t)
     FULL JOIN LATERAL (SELECT * FROM pg_temp.loop(gap, use_reset)) AS o(size, i, n, t) USING (size, i)
GROUP BY gap, use_reset ORDER BY gap, use_reset;

-- A value is kept by copy, whatever form it comes in: out of line and compressed
-- in a table; as an array that is being built; a row; a domain.
CREATE TEMP TABLE stored AS
SELECT i, CASE WHEN i % 3 = 1 THEN repeat(md5(i::text), 1000) END AS compressed FROM generate_series(1, 9) AS i;
ALTER TABLE stored ADD external text;
ALTER TABLE stored ALTER external SET STORAGE external;
UPDATE stored SET external = compressed;
SELECT count(*) AS compared,
       count(*) FILTER (WHERE filled IS DISTINCT FROM wanted OR filled2 IS DISTINCT FROM wanted) AS different
FROM (SELECT scan_locf(compressed) OVER (ORDER BY i) AS filled, scan_locf(external) OVER (ORDER BY i) AS filled2,
             repeat(md5(((i - 1) / 3 * 3 + 1)::text), 1000) AS wanted FROM stored) AS t;
SELECT i, scan_locf(CASE WHEN i % 2 = 1 THEN array_append(ARRAY[i], 0) END) OVER w AS array,
       scan_locf(CASE WHEN i % 2 = 1 THEN ROW(i, 'x')::oracle.pair END) OVER w AS row,
       scan_locf(CASE WHEN i % 2 = 1 THEN i::float8 / 2 END) OVER w AS float8,
       scan_locf(CASE WHEN i % 2 = 1 THEN 'n' || i END::name) OVER w AS name
FROM generate_series(1, 4) AS i WINDOW w AS (ORDER BY i);
