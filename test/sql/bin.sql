-- bin: scan_bin, the number of the bin of a row, filled up to a capacity.
\pset null -
SELECT i, x, reset, scan_bin(x, 10) OVER w AS int4, scan_bin(x, 10, true) OVER w AS overfill, scan_bin(x, 10, reset => reset) OVER w AS segments, scan_bin(x, 10, overfill => true, reset => reset) OVER w AS both,
       scan_bin(x::int2, 10) OVER w AS int2, scan_bin(value => x::int8, capacity => 10) OVER w AS int8, scan_bin(x::float8, 10) OVER w AS float8, scan_bin(x::float8, 10, true) OVER w AS "overfill", scan_bin(x::numeric, 10) OVER w AS numeric, scan_bin(x::numeric, 10, true, reset) OVER w AS both
FROM (VALUES (1, NULL, false), (2, 4, false), (3, 6, false), (4, 0, false), (5, NULL, false), (6, 1, NULL), (7, 12, false), (8, 0, false), (9, 10, false), (10, 5, true), (11, 5, false), (12, NULL, true), (13, 11, false), (14, 3, false)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Empty, one row, only NULLs; nothing fits into a bin of nothing, and all into one without a limit.
SELECT scan_bin(i, 1) OVER () FROM generate_series(1, 0) AS i;
SELECT scan_bin(i, 1) OVER (), scan_bin(i::float8, 1) OVER () AS float8, scan_bin(i::numeric, 1) OVER () AS numeric FROM generate_series(7, 7) AS i;
SELECT scan_bin(NULL::int, 1) OVER (), scan_bin(NULL::float8, 1) OVER () AS float8, scan_bin(NULL::numeric, 1) OVER () AS numeric FROM generate_series(1, 2) AS i;
SELECT i, scan_bin(i, 0) OVER w AS none, scan_bin(i, 0, true) OVER w AS overfill, scan_bin(0, 0) OVER w AS nothing, scan_bin(0, 0, true) OVER w AS "nothing, overfilled", scan_bin(i * 1e308, 'Infinity') OVER w AS float8, scan_bin(i::numeric, 'Infinity') OVER w AS numeric
FROM generate_series(0, 3) AS i WINDOW w AS (ORDER BY i);
-- Integers: totals may be wider than the type.
SELECT i, x, scan_bin(x, 9223372036854775807) OVER w, scan_bin(x, 9223372036854775807, true) OVER w AS overfill, scan_bin(x, 9223372036854775806) OVER w AS "one less", scan_bin(x, 9223372036854775806, true) OVER w AS "overfill, one less"
FROM (VALUES (1, 9223372036854775806), (2, 1), (3, 9223372036854775807), (4, 0), (5, 9223372036854775806), (6, 9223372036854775807), (7, 1)) AS t(i, x) WINDOW w AS (ORDER BY i);
-- Floats: ten times 0.1 is more than 1 as a real number, and three times less than 0.3 is not; sums of rounded numbers say other things.
SELECT i, scan_bin(0.1::float8, 1) OVER w, scan_bin(0.1::float8, 1, true) OVER w AS overfill, scan_bin(0.1, 1) OVER w AS numeric, scan_bin(x, 1) OVER w AS deep, scan_bin(x, 1, true) OVER w AS "deep, overfilled"
FROM (SELECT i, CASE i % 4 WHEN 1 THEN 1 - power(2::float8, -53) WHEN 2 THEN power(2::float8, -53) WHEN 3 THEN power(2::float8, -1074) ELSE 0 END AS x FROM generate_series(1, 12) AS i) AS t WINDOW w AS (ORDER BY i);
SELECT i, x, scan_bin(x, 1) OVER w AS "1", scan_bin(x, 1, true) OVER w AS "1, overfill", scan_bin(x, 1e308) OVER w AS "1e308", scan_bin(x, 'Infinity') OVER w AS "Infinity", scan_bin(x, 'Infinity', true) OVER w AS "Infinity, overfill",
       scan_bin(x::numeric, 1) OVER w AS numeric, scan_bin(x::numeric, 1, true) OVER w AS "numeric, overfill", scan_bin(x::numeric, 'Infinity') OVER w AS "numeric, Infinity", scan_bin(x::numeric, 'Infinity', true) OVER w AS "numeric, both"
FROM (VALUES (1, '-0'::float8), (2, 1), (3, 0), (4, 'Infinity'), (5, 0), (6, 'NaN'), (7, 0), (8, 'NaN'), (9, 1e308), (10, 1e308), (11, 1e308), (12, 'Infinity'), (13, 1)) AS t(i, x) WINDOW w AS (ORDER BY i);
-- numeric, also beyond 128 bits.
SELECT i, scan_bin(x, 1e40) OVER w, scan_bin(x, 1e40, true) OVER w AS overfill, scan_bin(x, 1e40 - 1e-10) OVER w AS less, scan_bin(x, 3) OVER w AS "3"
FROM (VALUES (1, 1e40 - 3), (2, 2.5), (3, 0.5), (4, 1e-10), (5, 1e40 + 1), (6, 1e-300), (7, 3 - 1e-300), (8, 1e-300), (9, 0)) AS t(i, x) WINDOW w AS (ORDER BY i);
-- Errors, at their row.
SELECT oracle.rows_of(format('SELECT scan_bin(x%s, 10) OVER (ORDER BY i) FROM (VALUES (1, 3), (2, 4), (3, -1), (4, 5)) AS t(i, x)', type)) AS rows FROM unnest('{::int2,"",::int8,::float8,::numeric}'::text[]) AS type;
SELECT call, oracle.error_of(format('SELECT %s OVER (ORDER BY i) FROM generate_series(1, 100) AS i', call)) AS error
FROM unnest(ARRAY['scan_bin(50 - i, 10)', 'scan_bin(50.5 - i, 10)', 'scan_bin(50.5::float8 - i, 10)', 'scan_bin(CASE WHEN i < 40 THEN i ELSE ''-Infinity''::float8 END, 10)', 'scan_bin(CASE WHEN i < 40 THEN i ELSE ''-Infinity''::numeric END, 10)',
  'scan_bin(i, -1)', 'scan_bin(i::float8, -0.5)', 'scan_bin(i::float8, ''NaN'')', 'scan_bin(i::numeric, -0.50)', 'scan_bin(i::numeric, ''NaN'')', 'scan_bin(i::numeric, ''-Infinity'')', 'scan_bin(i, NULL)', 'scan_bin(i::float8, NULL)', 'scan_bin(i::numeric, NULL)',
  'scan_bin(i, 10, NULL)', 'scan_bin(i, i)', 'scan_bin(i::float8, i)', 'scan_bin(i::numeric, i)', 'scan_bin(i, 10, i > 2)', 'scan_bin(i::numeric, 10, i > 2)', 'scan_bin(i)', 'scan_bin(''1'', ''2'')']) AS call;

-- Against a loop over exact numbers, sizes 0..1025, with NULLs and resets.
CREATE FUNCTION pg_temp.bins(x numeric[], reset boolean[], capacity numeric, overfill boolean) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  total numeric; number bigint; y bigint[] := '{}';
BEGIN
  FOR i IN 1 .. coalesce(array_length(x, 1), 0) LOOP
    IF reset[i] THEN number := NULL; END IF;
    IF x[i] IS NOT NULL THEN
      IF number IS NULL THEN number := 1; total := x[i];
      ELSIF (overfill AND total >= capacity) OR (NOT overfill AND total + x[i] > capacity) THEN number := number + 1; total := x[i];
      ELSE total := total + x[i];
      END IF;
    END IF;
    y := y || number;
  END LOOP;
  RETURN y;
END $$;
CREATE FUNCTION pg_temp.compared(value text, number text, capacity text, OUT compared bigint, OUT different bigint, OUT bins bigint)
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('
    WITH rows AS (
      SELECT use_reset, overfill, size, i, use_reset AND reset AS reset, CASE WHEN NOT hole THEN %1$s END AS x
      FROM oracle.cell, (VALUES (false), (true)) AS t(use_reset), (VALUES (false), (true)) AS o(overfill)
    ), wanted AS (
      SELECT use_reset, overfill, size, i, w FROM (SELECT use_reset, overfill, size, array_agg(%2$s ORDER BY i) AS x, array_agg(reset ORDER BY i) AS reset FROM rows GROUP BY use_reset, overfill, size) AS parts,
             unnest(pg_temp.bins(x, reset, (%3$s)::numeric, overfill)) WITH ORDINALITY AS u(w, i)
    ), answers AS (
      SELECT use_reset, overfill, size, i, scan_bin(x, %3$s, overfill, reset) OVER (PARTITION BY use_reset, overfill, size ORDER BY i) AS y FROM rows
    )
    SELECT count(*), count(*) FILTER (WHERE y IS DISTINCT FROM w), max(y) FROM answers FULL JOIN wanted USING (use_reset, overfill, size, i)', value, number, capacity)
  INTO compared, different, bins;
END $$;
SELECT t.*, c.*
FROM (VALUES ('(h & 31)::int2', 'x::numeric', '100'), ('(h & 31)::int4', 'x::numeric', '40'), ('(h & 31)::int8', 'x::numeric', '31'), ('h & 9223372036854775807', 'x::numeric', '9223372036854775807'),
             ('(h & 31)::float8 / 10', 'oracle.exact(x)', '10'), ('(h & 3)::float8 / 10', 'oracle.exact(x)', '1'), ('((h & 3) + 1) * 0.25::float8', 'oracle.exact(x)', '2'), ('((h & 3) + 1) * oracle.two(-53 * (h >> 3 & 1)::int)', 'oracle.exact(x)', '4'),
             ('(h & 31) / 10.0', 'x', '10'), ('(h & 31) / 10.0', 'x', '1.5'), ('(h & 1048575) * power(10::numeric, (h >> 20 & 63)::int - 30)', 'x', '1e36')) AS t(value, number, capacity),
     LATERAL pg_temp.compared(value, number, capacity) AS c;
