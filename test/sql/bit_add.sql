-- bit_add: binary addition by the scan over carries, in words of 64 bits.
SELECT bit_add(B'110', B'011') AS "6 + 3", bit_add(B'1', B'1') AS "1 + 1", bit_add(B'0', B'0') AS "0 + 0", bit_add(B'1', B'11111') AS "1 + 31",
       bit_add(B'', B'') AS empty, bit_add(B'', B'101') AS "0 + 5", bit_add(B'101', B'') AS "5 + 0", bit_add(NULL, B'1') AS null_a, bit_add(B'1', NULL) AS null_b;
SELECT pg_typeof(bit_add('1', '1')), bit_add(5::bit(4), 6::bit(8)::varbit) AS "5 + 6";

-- The oracle: digit by digit from the right, as on paper.
CREATE FUNCTION pg_temp.on_paper(a varbit, b varbit) RETURNS varbit LANGUAGE plpgsql AS $$
DECLARE
  n int := greatest(length(a), length(b)) + 1;
  x text := lpad(a::text, n, '0'); y text := lpad(b::text, n, '0');
  sum text := ''; digit int; carry int := 0;
BEGIN
  FOR i IN REVERSE n .. 1 LOOP
    digit := substr(x, i, 1)::int + substr(y, i, 1)::int + carry;
    sum := digit % 2 || sum;
    carry := digit / 2;
  END LOOP;
  RETURN sum::varbit;
END $$;
-- All pairs of up to 5 bits.
CREATE TEMP TABLE small AS
SELECT CASE WHEN n = 0 THEN B''::varbit ELSE lpad(right(x::bit(8)::text, n), n, '0')::varbit END AS bits FROM generate_series(0, 5) AS n, generate_series(0, (1 << n) - 1) AS x;
SELECT count(*) AS pairs, count(*) FILTER (WHERE bit_add(a.bits, b.bits) <> pg_temp.on_paper(a.bits, b.bits) OR length(bit_add(a.bits, b.bits)) <> greatest(length(a.bits), length(b.bits)) + 1) AS wrong
FROM small AS a, small AS b;
-- Lengths around bytes and words: random bits, and bits that hand carries on over whole words.
CREATE FUNCTION pg_temp.some_bits(n int, seed bigint) RETURNS varbit LANGUAGE sql AS $$
  SELECT coalesce(string_agg(CASE seed % 5 WHEN 0 THEN '1' WHEN 1 THEN (oracle.draw(i, seed, 40) > 0)::int::text
                                           WHEN 2 THEN (i = n)::int::text ELSE oracle.draw(i, seed, 2)::text END, '' ORDER BY i), '')::varbit
  FROM generate_series(1, n) AS i
$$;
CREATE TEMP TABLE wide AS
SELECT n, seed, pg_temp.some_bits(n, seed) AS bits
FROM unnest(ARRAY[0, 1, 7, 8, 9, 15, 62, 63, 64, 65, 71, 72, 73, 126, 127, 128, 129, 191, 192, 193, 320, 517]) AS n, generate_series(0, 4) AS seed;
SELECT count(*) AS pairs, count(*) FILTER (WHERE bit_add(a.bits, b.bits) <> pg_temp.on_paper(a.bits, b.bits)) AS wrong,
       count(*) FILTER (WHERE bit_add(a.bits, b.bits) <> bit_add(b.bits, a.bits)) AS "a + b <> b + a"
FROM wide AS a, wide AS b WHERE (a.n + b.n + a.seed + 3 * b.seed) % 3 = 0;
-- The bits after the string are zeros, as PostgreSQL counts on: equal sums are equal bytes.
SELECT count(*) AS pairs, count(*) FILTER (WHERE varbit_send(bit_add(a.bits, b.bits)) <> varbit_send(bit_add(a.bits, b.bits)::text::varbit)) AS wrong FROM wide AS a, wide AS b WHERE a.seed = 0 AND b.seed < 2;
-- Millions of bits: one carry goes all the way, by every algorithm; and (a + b) + c = a + (b + c).
CREATE TEMP TABLE long AS SELECT repeat('1', 3000001)::varbit AS ones, (SELECT string_agg(md5(i::text), '' ORDER BY i) FROM generate_series(1, 20000) AS i) AS hex;
SELECT a.name AS algorithm, set_config('scan.algorithm', a.name, false) <> '' AND
       bit_add(ones, B'1')::text = '1' || repeat('0', 3000001) AS "all ones + 1", bit_add(ones, ones)::text = repeat('1', 3000001) || '0' AS twice
FROM long, unnest(ARRAY['sequential', 'hillis_steele', 'blelloch', 'blocked', 'auto']) AS a (name);
SELECT length(ltrim(bit_add(bit_add(a, b), c)::text, '0')) AS bits, ltrim(bit_add(bit_add(a, b), c)::text, '0') = ltrim(bit_add(a, bit_add(b, c))::text, '0') AS associative
FROM (SELECT ('x' || left(hex, 400000))::varbit AS a, ('x' || right(hex, 399999))::varbit AS b, ('x' || substr(hex, 12345, 300000))::varbit AS c FROM long) AS t;
