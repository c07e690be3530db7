-- setup: the extension, and the slow but obviously right ways (schema oracle)
-- that the tests compare with.  It runs first; the others share its database.
\set ECHO none
\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION scan;
CREATE SCHEMA oracle;

-- Types and collations to scan.
CREATE TYPE oracle.mood AS ENUM ('low', 'middling', 'high');
CREATE TYPE oracle.pair AS (a int, b text);
CREATE COLLATION oracle.english (provider = icu, locale = 'en');
CREATE COLLATION oracle.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

-- Random data that are the same in every run: a number for row i of stream s.
CREATE FUNCTION oracle.hash(i bigint, s bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS 'SELECT hashint8extended(i, s)';

CREATE FUNCTION oracle.draw(i bigint, s bigint, n bigint) RETURNS bigint    -- 0 .. n-1
LANGUAGE sql IMMUTABLE AS 'SELECT (hashint8extended(i, s) & 9223372036854775807) % n';

-- The rows that most tests scan: sizes around the executor's tile of 1024 and
-- the smallest ones.  `size` is a partition, (size, p) a finer one; `reset` is
-- true, false or NULL; `hole` says where a test may put NULLs.
CREATE TABLE oracle.cell AS
SELECT size, i,
       1 + oracle.draw(i, size + 10, 5)::int AS p,
       CASE oracle.draw(i, size + 20, 20) WHEN 0 THEN true WHEN 1 THEN NULL ELSE false END AS reset,
       oracle.draw(i, size + 30, 100) < 30 AS hole,
       oracle.hash(i, size + 40) AS h
FROM unnest(ARRAY[0, 1, 2, 3, 1023, 1024, 1025]) AS size, generate_series(1, size) AS i
ORDER BY oracle.hash(i, size);          -- a scan has to sort them
ANALYZE oracle.cell;

-- Exact floats.  Powers of two as numeric; a double's bits as a number.
CREATE TABLE oracle.power2 AS
WITH RECURSIVE up(e, value) AS (
  SELECT 0, 1::numeric UNION ALL SELECT e + 1, value * 2 FROM up WHERE e < 972
), down(e, value) AS (
  SELECT 0, 1::numeric UNION ALL SELECT e - 1, value * 0.5 FROM down WHERE e > -1074
)
SELECT e, value FROM up UNION ALL SELECT e, value FROM down WHERE e < 0;
ALTER TABLE oracle.power2 ADD PRIMARY KEY (e);
ANALYZE oracle.power2;

CREATE FUNCTION oracle.two(n int) RETURNS float8       -- 2^n
LANGUAGE sql IMMUTABLE AS 'SELECT power(2::float8, n)';

CREATE FUNCTION oracle.bits(x float8) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$SELECT ('x' || encode(float8send(x), 'hex'))::bit(64)::bigint$$;

CREATE FUNCTION oracle.of_bits(b bigint) RETURNS numeric   -- b >= 0; infinity's bits are 2^1024
LANGUAGE sql STABLE AS $$
  SELECT CASE b >> 52
           WHEN 0 THEN b * (SELECT value FROM oracle.power2 WHERE e = -1074)
           ELSE ((b & 4503599627370495) | 4503599627370496) *
                (SELECT value FROM oracle.power2 WHERE e = (b >> 52)::int - 1075)
         END
$$;

CREATE FUNCTION oracle.exact(x float8) RETURNS numeric     -- x::numeric keeps 15 digits, this all
LANGUAGE sql STABLE AS $$
  SELECT CASE
           WHEN x IN ('NaN', 'Infinity', '-Infinity') THEN x::numeric
           WHEN x < 0 THEN -oracle.of_bits(oracle.bits(-x))
           ELSE oracle.of_bits(oracle.bits(abs(x)))
         END
$$;

-- A scan_sum of floats: the exact sum, rounded once.  numeric becomes a float
-- by way of its decimal digits and strtod, which rounds correctly; only the
-- sign of zero has to be seen to.
CREATE FUNCTION oracle.is_minus_zero(x float8) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT AS 'SELECT x = 0 AND oracle.bits(x) < 0';

CREATE FUNCTION oracle.round8(total numeric, only_minus_zeros boolean) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$SELECT CASE WHEN only_minus_zeros THEN '-0' ELSE total::float8 END$$;

CREATE FUNCTION oracle.round4(total numeric, only_minus_zeros boolean) RETURNS float4
LANGUAGE sql IMMUTABLE AS $$SELECT CASE WHEN only_minus_zeros THEN '-0' ELSE total::float4 END$$;

-- What "correctly rounded" means, by definition: no double is nearer, and of
-- two that are as near it is the even one.
CREATE FUNCTION oracle.is_nearest(v numeric, y float8) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
  b bigint := oracle.bits(abs(y));
  mid_above numeric := 0.5 * (oracle.of_bits(b) + oracle.of_bits(b + 1));
  mid_below numeric := CASE WHEN b = 0 THEN -mid_above ELSE 0.5 * (oracle.of_bits(b) + oracle.of_bits(b - 1)) END;
BEGIN
  IF sign(v) * sign(y::numeric) < 0 THEN RETURN false; END IF;
  RETURN (abs(v) > mid_below AND abs(v) < mid_above)
      OR (b % 2 = 0 AND abs(v) IN (mid_below, mid_above));
END $$;

-- Aggregates that core lacks.  `smaller` keeps the newer of equals, as core's
-- min() does for all types but bpchar.
CREATE AGGREGATE oracle.product(numeric) (sfunc = numeric_mul, stype = numeric);
CREATE FUNCTION oracle.smaller(anyelement, anyelement) RETURNS anyelement
LANGUAGE sql IMMUTABLE STRICT AS 'SELECT CASE WHEN $1 < $2 THEN $1 ELSE $2 END';
CREATE FUNCTION oracle.larger(anyelement, anyelement) RETURNS anyelement
LANGUAGE sql IMMUTABLE STRICT AS 'SELECT CASE WHEN $1 > $2 THEN $1 ELSE $2 END';
CREATE AGGREGATE oracle.min(anyelement) (sfunc = oracle.smaller, stype = anyelement);
CREATE AGGREGATE oracle.max(anyelement) (sfunc = oracle.larger, stype = anyelement);

-- The error a query ends in: SQLSTATE: message | detail | hint.
CREATE FUNCTION oracle.error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  m text; d text; h text;
BEGIN
  EXECUTE query;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT;
  -- what core says of a call that it finds no function for is worded anew in 19
  IF SQLSTATE IN ('42883', '42725') AND m ~ '^function [a-z_]+[(].*[)] (does not exist|is not unique)$' THEN
    RETURN SQLSTATE || ': ' || m;
  END IF;
  RETURN concat_ws(' | ', SQLSTATE || ': ' || m, nullif(d, ''), nullif(h, ''));
END $$;

-- The one-column rows that a cursor delivers, one FETCH each, and the error, if
-- one ends them.
CREATE FUNCTION oracle.rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  c refcursor; y text; seen text[] := '{}';
BEGIN
  OPEN c NO SCROLL FOR EXECUTE query;
  LOOP
    FETCH c INTO y;
    EXIT WHEN NOT FOUND;
    seen := seen || coalesce(y, 'NULL');
  END LOOP;
  CLOSE c;
  RETURN array_to_string(seen, ', ');
EXCEPTION WHEN OTHERS THEN
  RETURN array_to_string(seen || (SQLSTATE || ': ' || SQLERRM), ', ');
END $$;

GRANT USAGE ON SCHEMA oracle TO public;
\set ECHO all
-- Are the oracles right?  Every row count must be large, every `wrong` 0.
-- exact() keeps every bit, in all binades:
SELECT count(*) AS compared,
       count(*) FILTER (WHERE oracle.exact(x)::float8 <> x OR NOT oracle.is_nearest(oracle.exact(x), x)) AS wrong
FROM (SELECT s * oracle.two(e) * (1 + oracle.draw(e, 1, 4503599627370496) * oracle.two(-52)) AS x
      FROM generate_series(-1074, 1022, 3) AS e, unnest(ARRAY[1, -1]) AS s) t;
-- The rounding of numeric, on numbers at, just above and just below the middle
-- between two doubles, is the nearest double by definition:
SELECT count(*) AS compared, count(*) FILTER (WHERE NOT oracle.is_nearest(v, oracle.round8(v, false))) AS wrong,
       count(*) FILTER (WHERE is_middle) AS middles
FROM (SELECT s * (0.5 * (oracle.of_bits(b) + oracle.of_bits(b + 1)) + d * oracle.of_bits(1)) AS v, d = 0 AS is_middle
      FROM generate_series(1, 400) AS k,
           LATERAL (SELECT CASE k % 4 WHEN 0 THEN k WHEN 1 THEN (k::bigint << 52) - 1
                           ELSE oracle.hash(k, 2) & 9214364837600034815 END AS b) AS x,
           unnest(ARRAY[1, -1]) AS s, unnest(ARRAY[-1, 0, 1]) AS d) t;
-- and it is not indifferent: the neighbour of a right answer is wrong.
SELECT oracle.is_nearest(1, 1) AS one, oracle.is_nearest(1, 1 + oracle.two(-52)) AS above, oracle.is_nearest(1, 1 - oracle.two(-53)) AS below;
-- The rows to scan:
SELECT size, count(*), count(DISTINCT p) AS partitions, count(*) FILTER (WHERE reset) AS resets,
       count(*) FILTER (WHERE reset IS NULL) AS unknown, count(*) FILTER (WHERE hole) AS holes
FROM oracle.cell GROUP BY size ORDER BY size;
