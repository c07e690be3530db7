-- compact: stream compaction (scan_compact_index, scan_compact) and the split of
-- a radix sort (scan_split_index).
\pset null -
SELECT i, x, keep,
       scan_compact_index(keep) OVER w AS place,
       scan_compact(x, keep) OVER w AS packed
FROM (VALUES (1, 'a', true), (2, 'b', false), (3, 'c', NULL), (4, NULL, true), (5, 'e', true)) AS t(i, x, keep)
WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, b, scan_split_index(b) OVER w AS place
FROM (VALUES (1, true), (2, false), (3, true), (4, false), (5, false)) AS t(i, b)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- All kept, none kept, partitions of one row and of none:
SELECT p, i, scan_compact_index(keep) OVER w AS place, scan_compact(i, keep) OVER w AS packed, scan_split_index(keep) OVER w AS split
FROM (VALUES ('all', 1, true), ('all', 2, true), ('none', 1, false), ('none', 2, false), ('one', 1, true), ('not one', 1, false)) AS t(p, i, keep)
WINDOW w AS (PARTITION BY p ORDER BY i) ORDER BY p, i;
SELECT count(*) FROM (SELECT scan_compact_index(true) OVER (), scan_compact(1, true) OVER (), scan_split_index(true) OVER () FROM generate_series(1, 0)) AS t;

-- Against row_number() over the kept rows, the false rows: sizes 0..1025.
CREATE FUNCTION pg_temp.compared(rows regclass, OUT compared bigint, OUT different bigint, OUT kept bigint)
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($q$
    WITH scanned AS (
      SELECT size, i, x, keep, row_number() OVER w AS n,
             scan_compact_index(keep) OVER w AS place, scan_compact(x, keep) OVER w AS packed,
             scan_split_index(keep IS TRUE) OVER w AS split
      FROM %s WINDOW w AS (PARTITION BY size ORDER BY i)
    ), kept AS (
      SELECT size, i, x, row_number() OVER (PARTITION BY size ORDER BY i) AS place FROM %1$s WHERE keep
    ), split AS (
      SELECT size, i, row_number() OVER (PARTITION BY size ORDER BY keep IS TRUE, i) AS place FROM %1$s
    )
    SELECT count(*), count(*) FILTER (WHERE s.place IS DISTINCT FROM k.place OR s.packed IS DISTINCT FROM p.x OR s.split IS DISTINCT FROM t.place), count(k.i)
    FROM scanned AS s LEFT JOIN kept AS k USING (size, i) LEFT JOIN kept AS p ON (p.size, p.place) = (s.size, s.n) LEFT JOIN split AS t ON (t.size, t.i) = (s.size, s.i)
  $q$, rows) INTO compared, different, kept;
END $$;
CREATE TEMP TABLE by_value AS SELECT size, i, CASE WHEN NOT hole THEN h END AS x, CASE h & 3 WHEN 0 THEN false WHEN 1 THEN NULL ELSE true END AS keep FROM oracle.cell;
CREATE TEMP TABLE by_reference AS SELECT size, i, CASE WHEN NOT hole THEN repeat('x', (h & 255)::int) || h END AS x, h & 7 = 0 AS keep FROM oracle.cell;
CREATE TEMP TABLE two_bytes AS SELECT size, i, (h & 32767)::int2 AS x, h & 3 = 1 AS keep FROM oracle.cell;
SELECT * FROM pg_temp.compared('by_value');
SELECT * FROM pg_temp.compared('two_bytes');
SELECT * FROM pg_temp.compared('by_reference');
-- Partitions far larger than the memory allowed: they go to disk, and come back.
SET work_mem = '64kB';
CREATE TEMP TABLE large AS
SELECT size, i, repeat(md5(i::text), 1 + i % 20) AS x, oracle.hash(i, 1) & 1 = 0 AS keep
FROM unnest(ARRAY[50000, 20000]) AS size, generate_series(1, size) AS i;
SELECT * FROM pg_temp.compared('large');
-- ... also when rows are read again from the start.
SELECT k, count(*) AS compared, count(*) FILTER (WHERE t.x IS DISTINCT FROM s.x) AS different
FROM generate_series(1, 3) AS k CROSS JOIN LATERAL (
  SELECT row_number() OVER w AS n, scan_compact(x, i % (k + 1) = 0) OVER w AS x FROM large WHERE size = 20000 WINDOW w AS (ORDER BY i)) AS t
  LEFT JOIN large AS s ON s.size = 20000 AND s.i = t.n * (k + 1)
GROUP BY k ORDER BY k;
-- ... and a NULL in such a partition is an error.
SET scan.work_mem = '64kB';
SELECT oracle.error_of('SELECT scan_split_index(CASE WHEN i <> 15000 THEN keep END) OVER (ORDER BY i) FROM large WHERE size = 20000');
RESET scan.work_mem;
RESET work_mem;

-- What it is for: three passes of scan_split_index are a radix sort of 3 bits.
WITH pass0 AS (SELECT i AS place, (i * 5 % 8)::int AS key FROM generate_series(1, 12) AS i),
     pass1 AS (SELECT key, scan_split_index(key & 1 = 1) OVER (ORDER BY place) AS place FROM pass0),
     pass2 AS (SELECT key, scan_split_index(key & 2 = 2) OVER (ORDER BY place) AS place FROM pass1),
     pass3 AS (SELECT key, scan_split_index(key & 4 = 4) OVER (ORDER BY place) AS place FROM pass2)
SELECT (SELECT string_agg(key::text, ' ' ORDER BY place) FROM pass0) AS before,
       (SELECT string_agg(key::text, ' ' ORDER BY place) FROM pass3) AS sorted;
