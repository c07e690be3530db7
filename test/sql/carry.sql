-- carry: scan_carry, c = generate or (propagate and c'), the carry out of each row.
\pset null -
SELECT i, g, p, reset,
       scan_carry(g, p) OVER w AS carry,
       scan_carry(g, p, true) OVER w AS "carry in",
       scan_carry(generate => g, propagate => p, carry_in => true, reset => reset) OVER w AS "carry in, segments"
FROM (VALUES (1, NULL, true, false), (2, false, true, false), (3, true, false, NULL), (4, false, true, false), (5, true, NULL, false),
             (6, false, false, false), (7, NULL, NULL, true), (8, false, true, false), (9, false, true, true)) AS t(i, g, p, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;

-- What it is for: adding long binary numbers, whose bits are rows, lowest first.
CREATE FUNCTION pg_temp.number(bits boolean[]) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
  v numeric := 0;
BEGIN
  FOR k IN REVERSE coalesce(array_length(bits, 1), 0)..1 LOOP
    v := 2 * v + bits[k]::int;
  END LOOP;
  RETURN v;
END $$;
CREATE TEMP TABLE pair_of_numbers AS
SELECT n, s, i, CASE s WHEN 1 THEN true WHEN 2 THEN i = 1 WHEN 3 THEN i % 2 = 0 ELSE oracle.draw(i, n, 2) = 0 END AS a,
       CASE s WHEN 1 THEN true WHEN 2 THEN true WHEN 3 THEN i % 2 = 1 ELSE oracle.draw(i, n + 1, 2) = 0 END AS b
FROM unnest(ARRAY[1, 2, 3, 64, 1023, 1024, 1025, 3000]) AS n, generate_series(1, 4) AS s, generate_series(1, n) AS i;
WITH added AS (
  SELECT n, s, carry_in, i, a, b,
         scan_carry(a AND b, a OR b, carry_in) OVER w AS carry,
         scan_carry(a AND b, a <> b, carry_in) OVER w AS carry2      -- an exclusive or will do as well
  FROM pair_of_numbers, (VALUES (false), (true)) AS t(carry_in) WINDOW w AS (PARTITION BY n, s, carry_in ORDER BY i)
), summed AS (
  SELECT *, (a <> b) <> coalesce(lag(carry) OVER (PARTITION BY n, s, carry_in ORDER BY i), carry_in) AS bit FROM added
)
SELECT count(*) AS additions, sum(rows) AS rows, count(*) FILTER (WHERE a + b + carry_in::int IS DISTINCT FROM c) AS wrong, sum(unlike) AS unlike, max(length(c::text)) AS digits
FROM (SELECT n, s, carry_in, count(*) AS rows, count(*) FILTER (WHERE carry <> carry2) AS unlike,
             pg_temp.number(array_agg(a ORDER BY i)) AS a, pg_temp.number(array_agg(b ORDER BY i)) AS b,
             pg_temp.number(array_agg(bit ORDER BY i) || (array_agg(carry ORDER BY i DESC))[1]) AS c
      FROM summed GROUP BY n, s, carry_in) AS t;

-- Against a plain loop, with NULLs (a row with one is skipped) and segments.
CREATE FUNCTION pg_temp.loop(carry_in boolean, use_reset boolean)
RETURNS TABLE (size int, i int, y boolean) LANGUAGE plpgsql AS $$
DECLARE
  r record;
  previous int := -1;               -- the partition before
  carry boolean;
BEGIN
  FOR r IN SELECT * FROM pg_temp.sample AS s ORDER BY s.size, s.i LOOP
    IF r.size <> previous OR (use_reset AND r.reset) THEN
      carry := carry_in; y := NULL;
    END IF;
    previous := r.size;
    IF r.g IS NOT NULL AND r.p IS NOT NULL THEN
      carry := r.g OR (r.p AND carry);
      y := carry;
    END IF;
    size := r.size; i := r.i;
    RETURN NEXT;
  END LOOP;
END $$;
CREATE TEMP TABLE sample AS
SELECT size, i, reset, CASE WHEN h & 7 <> 0 THEN h >> 8 & 3 = 0 END AS g, CASE WHEN h & 56 <> 0 THEN h >> 10 & 7 <> 0 END AS p FROM oracle.cell;
SELECT carry_in, use_reset, count(*) AS compared, count(*) FILTER (WHERE f.y IS DISTINCT FROM o.y) AS different, count(*) FILTER (WHERE f.y) AS carries
FROM (VALUES (false), (true)) AS ins(carry_in), (VALUES (false), (true)) AS resets(use_reset),
     LATERAL (SELECT size, i, scan_carry(g, p, carry_in, use_reset AND reset) OVER (PARTITION BY size ORDER BY i) FROM sample) AS f(size, i, y)
     FULL JOIN LATERAL (SELECT * FROM pg_temp.loop(carry_in, use_reset)) AS o(size, i, y) USING (size, i)
GROUP BY carry_in, use_reset ORDER BY carry_in, use_reset;
