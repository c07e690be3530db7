-- product: scan_product(float8) and scan_clamped_sum(float8): real numbers, rounded
-- once a row.  Exact arithmetic in numeric is the oracle; oracle.exact keeps all bits.
\pset null -
-- A prefix may leave the range of doubles below and come back; 3e-601 is shown as +0.
SELECT i, x, scan_product(x) OVER w AS product, scan_product(x, reset => i = 5) OVER w AS "reset at 5",
       scan_product(x, exclusive => true) OVER w AS before
FROM (VALUES (1, NULL), (2, 0.1::float8), (3, 3), (4, 1e-300), (5, 1e-300), (6, NULL), (7, -1e300), (8, 1e300)) AS t(i, x)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Zeros, signs, NaN and infinities; a product that is zero is +0.
SELECT i, x, scan_product(x) OVER w AS product, scan_product(x, i = 4) OVER w AS "reset at 4", oracle.bits(scan_product(x) OVER w) < 0 AS negative
FROM (VALUES (1, -2::float8), (2, '-0'), (3, 5), (4, -3), (5, 'Infinity'), (6, 0), (7, 2)) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
-- Above, the row with the overflow is an error, unless nobody sees it.
SELECT oracle.rows_of('SELECT scan_product(x) OVER (ORDER BY i) FROM (VALUES (1, 1e200::float8), (2, 1e108), (3, 1e10), (4, 1e-300)) AS t(i, x)') AS inclusive,
       oracle.rows_of('SELECT scan_product(x, false, true) OVER (ORDER BY i) FROM (VALUES (1, 1e200::float8), (2, 1e108), (3, 1e10)) AS t(i, x)') AS exclusive,
       oracle.rows_of('SELECT scan_product(x, i = 4, true) OVER (ORDER BY i) FROM (VALUES (1, 1e200::float8), (2, 1e108), (3, 1e10), (4, 7), (5, 1)) AS t(i, x)') AS "exclusive, reset";
-- Every rounding of products of up to 40 random factors, against exact products.
CREATE TEMP TABLE factor AS
SELECT s, i, (CASE oracle.draw(i, s, 2) WHEN 0 THEN 1 ELSE -1 END) * (1 + oracle.draw(i, s + 1000, 4503599627370496) * oracle.two(-52)) *
       oracle.two(CASE s % 4 WHEN 0 THEN 0 WHEN 1 THEN -26 WHEN 2 THEN oracle.draw(i, s + 2000, 40)::int - 20 ELSE -60 END) AS x,
       oracle.draw(i, s + 3000, 10) = 0 AS reset
FROM generate_series(1, 100) AS s, generate_series(1, 18) AS i;
CREATE AGGREGATE pg_temp.product(numeric) (sfunc = numeric_mul, stype = numeric);
SELECT count(*) AS compared, count(*) FILTER (WHERE oracle.bits(y) <> oracle.bits(CASE WHEN abs(v) < 1e-324 THEN 0 ELSE v::float8 END)) AS wrong,
       count(*) FILTER (WHERE abs(y) < 2.2250738585072014e-308) AS subnormal
FROM (SELECT scan_product(x) OVER w AS y, pg_temp.product(oracle.exact(x)) OVER (w ROWS UNBOUNDED PRECEDING) AS v FROM factor WINDOW w AS (PARTITION BY s ORDER BY i)) AS t;
-- Segments are partitions, bit for bit; and 9000 factors near 1 cross two chunks: the
-- exact product of the first chunk, rounded to 53 bits, times the second's.
SELECT count(*) AS compared, count(*) FILTER (WHERE oracle.bits(a) <> oracle.bits(b)) AS differ
FROM (SELECT scan_product(x, reset) OVER (PARTITION BY s ORDER BY i) AS a, scan_product(x) OVER (PARTITION BY s, segment ORDER BY i) AS b
      FROM (SELECT *, count(*) FILTER (WHERE reset) OVER (PARTITION BY s ORDER BY i) AS segment FROM factor) AS f) AS t;
SELECT i, scan_product(1 + oracle.two(-52)) OVER (ORDER BY i) = (1 + i * oracle.two(-52)) AS "near 1 + i u" FROM generate_series(1, 9000) AS i ORDER BY i % 4096 <> 0, i LIMIT 2;
SELECT count(*) AS rows, count(*) FILTER (WHERE y = CASE i % 4 WHEN 1 THEN 1.5 WHEN 2 THEN 1.5 * oracle.two(1000) WHEN 3 THEN 1.5 * oracle.two(500) ELSE 1 END) AS right
FROM (SELECT i, scan_product(CASE i % 4 WHEN 1 THEN 1.5 WHEN 2 THEN oracle.two(1000) WHEN 3 THEN oracle.two(-500) ELSE oracle.two(-500) / 1.5 END) OVER (ORDER BY i) AS y
      FROM generate_series(1, 4) AS i) AS t;

-- scan_clamped_sum(float8).
SELECT i, x, scan_clamped_sum(x, 0, 1) OVER w AS "0 to 1", scan_clamped_sum(x, 0, NULL) OVER w AS "from 0", scan_clamped_sum(x, NULL, 0.5, 0.25) OVER w AS "to 0.5 from 0.25",
       scan_clamped_sum(x, 0, 1, 0, i = 5) OVER w AS "reset at 5"
FROM (VALUES (1, NULL), (2, 0.1::float8), (3, 0.2), (4, NULL), (5, 0.3), (6, -0.7), (7, 1e-20), (8, 5), (9, -1e-20)) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
-- Infinities meet the bounds, a NaN stays; what a bound cuts is no overflow.
SELECT i, x, scan_clamped_sum(x, -1, 1e308) OVER w AS bounded, scan_clamped_sum(x, '-Infinity', 'Infinity') OVER w AS "infinite bounds"
FROM (VALUES (1, 1e308::float8), (2, 7e307), (3, '-Infinity'), (4, 'Infinity'), (5, 'NaN'), (6, 1)) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT oracle.rows_of('SELECT scan_clamped_sum(x, 0, NULL) OVER (ORDER BY i) FROM (VALUES (1, 1e308::float8), (2, 7e307), (3, 1e308)) AS t(i, x)') AS overflow;
-- Against a loop in exact arithmetic; sixty-four draws of bounds, many of them met.
CREATE FUNCTION pg_temp.loop(lower float8, upper float8, init float8) RETURNS TABLE (s int, i int, y numeric) LANGUAGE plpgsql AS $$
DECLARE
  r record; previous int := -1; total numeric;
  l numeric := oracle.exact(lower); u numeric := oracle.exact(upper);
BEGIN
  FOR r IN SELECT f.s, f.i, oracle.exact(f.x) AS x, f.reset FROM factor AS f WHERE f.s % 4 IN (0, 2) ORDER BY f.s, f.i LOOP
    IF r.s <> previous OR r.reset THEN total := oracle.exact(init); END IF;
    previous := r.s;
    total := total + r.x;
    IF total < l THEN total := l; END IF;
    IF total > u THEN total := u; END IF;
    s := r.s; i := r.i; y := total;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT count(*) AS compared, count(*) FILTER (WHERE f.y <> o.y::float8) AS wrong, count(*) FILTER (WHERE f.y IN (lower, upper)) > 100 AS met
FROM (SELECT -0.5 - k, k * 0.7, k * 0.1 FROM generate_series(0, 7) AS k) AS b(lower, upper, init),
     LATERAL (SELECT s, i, scan_clamped_sum(x, lower, upper, init, reset) OVER (PARTITION BY s ORDER BY i) AS y FROM factor WHERE s % 4 IN (0, 2)) AS f
     JOIN LATERAL pg_temp.loop(lower, upper, init) AS o USING (s, i);
-- Errors.
SELECT oracle.error_of('SELECT scan_clamped_sum(1::float8, 2, 1) OVER ()') AS crossed,
       oracle.error_of('SELECT scan_clamped_sum(1::float8, ''NaN'', 1) OVER ()') AS "NaN bound",
       oracle.error_of('SELECT scan_clamped_sum(1::float8, 0, 1, NULL) OVER ()') AS "NULL init",
       oracle.error_of('SELECT scan_product(1::float8, false, NULL) OVER ()') AS "NULL exclusive";
