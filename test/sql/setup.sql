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

-- A kept scan of the tests: the plain query has the same aggregates and no OVER, or one with other frames.
CREATE TABLE oracle.kept_case (name name PRIMARY KEY, source text, partition text[], key text[], aggregate text[], condition text, renamed boolean DEFAULT false);
CREATE FUNCTION oracle.keep(name name, source text, partition text[], key text[], aggregate text[], condition text DEFAULT 'true') RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO oracle.kept_case VALUES (name, source, partition, key, aggregate, condition);
  RETURN scan_keep(name, format('SELECT %s FROM %s WHERE %s WINDOW w AS (%s ORDER BY %s)',
    (SELECT string_agg(format('%s OVER w AS a%s', a, i), ', ' ORDER BY i) FROM unnest(aggregate) WITH ORDINALITY AS u (a, i)),
    source, condition, 'PARTITION BY ' || nullif(array_to_string(partition, ', '), ''), array_to_string(key, ', ')));
END $$;
CREATE FUNCTION oracle.unkeep(kept name) RETURNS boolean LANGUAGE sql AS $$
  DELETE FROM oracle.kept_case WHERE name = kept;
  SELECT scan_unkeep(kept) IS NULL;
$$;

-- The columns of an alias, each followed by a comma and blank.
CREATE FUNCTION oracle.columns_of(alias text, columns text[]) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(string_agg(format('%s.%s, ', alias, c), '' ORDER BY i), '') FROM unnest(columns) WITH ORDINALITY AS u (c, i)
$$;

-- Compares all reads of a kept scan with the plain query:
--   window: NAME_before with each number of keys, at each row that is kept (or at `most` of them)
--   before: NAME_before with all keys, where partition and key are of two rows, kept or not
--   between: NAME_between, from and to of two rows, in any order
--   total: NAME_total, of each partition
--   last: NAME_last, of each partition: first key and running aggregates of the last row, the last 3 and 100
-- The counts of comparisons are 0 where the table is empty.  `example` is one that differs.
CREATE FUNCTION oracle.reads(kept name, most int) RETURNS TABLE (read text, partition_and_key text, plain text, got text)
LANGUAGE plpgsql SET scan.prefixscan = off AS $$
DECLARE
  c oracle.kept_case;
  columns text; part text; same text; keys int; rest text; sample text;
BEGIN
  SELECT * INTO c FROM oracle.kept_case WHERE name = kept;
  columns := array_to_string(c.aggregate, ', ');
  part := oracle.columns_of('t', c.partition);
  SELECT coalesce(string_agg(format('t.%s IS NOT DISTINCT FROM p.%s AND ', x, x), ''), '') INTO same FROM unnest(c.partition) AS x;
  FOR keys IN 1 .. cardinality(c.key) LOOP
    rest := oracle.columns_of('t', c.key[1:keys]);
    -- a table with columns of the partition, of the key, and w, ordered by a hash of itself
    RETURN QUERY EXECUTE format(
      $q$SELECT 'window', place, w, row(b.*)::text FROM (SELECT * FROM (SELECT DISTINCT %1$s row(%3$s)::text AS w, row(%2$s)::text AS place FROM %4$s AS t WHERE %5$s
            WINDOW w AS (%6$s ORDER BY %7$s GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS t ORDER BY hashtextextended(place, 0), place LIMIT %8$s) AS t, %9$I(%2$s) AS b$q$,
      part || rest, rtrim(part || rest, ', '), (SELECT string_agg(a || ' OVER w', ', ' ORDER BY i) FROM unnest(c.aggregate) WITH ORDINALITY AS u (a, i)),
      c.source, c.condition, 'PARTITION BY ' || nullif(rtrim(part, ', '), ''), rtrim(rest, ', '), most, kept || '_before');
  END LOOP;
  sample := format('(SELECT *, row_number() OVER (ORDER BY hashtextextended(r::text, %%s), r::text) AS sampled FROM %s AS r LIMIT 4)', c.source);
  RETURN QUERY EXECUTE format(
    $q$SELECT 'before', row(%1$s)::text, w, row(b.*)::text FROM %2$s AS p, %3$s AS k,
       LATERAL (SELECT row(%4$s)::text AS w FROM %5$s AS t WHERE %6$s row(%7$s) < row(%8$s) AND (%9$s)) AS o, %10$I(%1$s) AS b$q$,
    rtrim(oracle.columns_of('p', c.partition) || oracle.columns_of('k', c.key), ', '), format(sample, 1), format(sample, 2), columns, c.source, same,
    rtrim(oracle.columns_of('t', c.key), ', '), rtrim(oracle.columns_of('k', c.key), ', '), c.condition, kept || '_before');
  RETURN QUERY EXECUTE format(
    $q$SELECT 'between', row(%1$s k.%2$s, l.%2$s)::text, w, row(b.*)::text FROM %3$s AS p JOIN %4$s AS k ON (k.sampled + p.sampled) %% 3 = 0, %5$s AS l,
       LATERAL (SELECT row(%6$s)::text AS w FROM %7$s AS t WHERE %8$s t.%2$s >= k.%2$s AND t.%2$s < l.%2$s AND (%9$s)) AS o, %10$I(%1$s k.%2$s, l.%2$s) AS b$q$,
    oracle.columns_of('p', c.partition), c.key[1], format(sample, 3), format(sample, 4), format(sample, 5), columns, c.source, same, c.condition, kept || '_between');
  RETURN QUERY EXECUTE format(
    $q$SELECT 'total', row(%1$s)::text, w, row(b.*)::text FROM (SELECT DISTINCT %2$s FROM %3$s AS p) AS p,
       LATERAL (SELECT row(%4$s)::text AS w FROM %3$s AS t WHERE %5$s (%6$s)) AS o, %7$I(%1$s) AS b$q$,
    rtrim(oracle.columns_of('p', c.partition), ', '), coalesce(nullif(rtrim(oracle.columns_of('p', c.partition), ', '), ''), '1'), c.source, columns, same, c.condition, kept || '_total');
  -- its columns have the names that they had when it was made
  IF c.renamed THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format(
    $q$SELECT 'last', row(%1$s most)::text, nullif(array_to_string(wanted[1:most], ' '), ''), found FROM (SELECT DISTINCT %2$s FROM %3$s AS p) AS p,
       LATERAL (SELECT array_agg(w ORDER BY position) AS wanted FROM (SELECT row(%11$s, %5$s)::text AS w, row_number() OVER (ORDER BY %8$s) AS position FROM %3$s AS t WHERE %6$s (%7$s) WINDOW w AS (ORDER BY %4$s)) AS t WHERE position <= 100) AS o,
       unnest('{1,3,100}'::int[]) AS most,
       LATERAL (SELECT string_agg(row(%11$s, %9$s)::text, ' ') AS found FROM %10$I(%1$s most) AS t) AS b$q$,
    oracle.columns_of('p', c.partition), coalesce(nullif(rtrim(oracle.columns_of('p', c.partition), ', '), ''), '1'), c.source, rtrim(oracle.columns_of('t', c.key), ', '),
    (SELECT string_agg(a || ' OVER w', ', ' ORDER BY i) FROM unnest(c.aggregate) WITH ORDINALITY AS u (a, i)), same, c.condition,
    (SELECT string_agg(format('t.%s DESC', x), ', ' ORDER BY i) FROM unnest(c.key) WITH ORDINALITY AS u (x, i)), (SELECT string_agg('t.a' || i, ', ' ORDER BY i) FROM generate_series(1, cardinality(c.aggregate)) AS i), kept || '_last', 't.' || c.key[1]);
END $$;
CREATE FUNCTION oracle.compare(kept name, most int DEFAULT 50) RETURNS TABLE (read text, compared bigint, different bigint, example text) LANGUAGE sql AS $$
  SELECT read, count(*), count(*) FILTER (WHERE plain IS DISTINCT FROM got),
         max(format('%s: %s, not %s', partition_and_key, got, plain)) FILTER (WHERE plain IS DISTINCT FROM got)
  FROM oracle.reads(kept, most) GROUP BY read ORDER BY read
$$;
-- All kept scans of the tests at once.
CREATE FUNCTION oracle.compare_all(most int DEFAULT 10) RETURNS TABLE (name name, compared bigint, different bigint, example text) LANGUAGE sql AS $$
  SELECT c.name, count(read), count(*) FILTER (WHERE plain IS DISTINCT FROM got), max(format('%s %s: %s, not %s', read, partition_and_key, got, plain)) FILTER (WHERE plain IS DISTINCT FROM got)
  FROM oracle.kept_case AS c LEFT JOIN LATERAL oracle.reads(c.name, most) ON true GROUP BY c.name ORDER BY c.name
$$;
-- Whether a tree that was compacted is one: the rows of a split node are those of its children, no leaf above level 0 has more than
-- 256 rows, the log is empty, and the leaves have `rows` rows.
CREATE FUNCTION oracle.is_sound(kept name, rows bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  part text; sound boolean;
BEGIN
  SELECT string_agg(quote_ident(attname) || ', ', '' ORDER BY attnum) INTO part FROM pg_attribute, oracle.kept_case AS c WHERE c.name = kept AND attrelid = kept::text::regclass AND attnum BETWEEN 1 AND cardinality(c.partition);
  EXECUTE format($q$WITH node AS MATERIALIZED (SELECT row(%1$s 0) AS part, scan_level AS level, scan_bucket AS bucket, scan_split AS split, scan_rows AS rows FROM %2$I)
    SELECT coalesce(sum(rows) FILTER (WHERE NOT split), 0) = %3$s AND coalesce(bool_and(split OR level = 0 OR rows <= 256), true)
           AND NOT EXISTS (SELECT FROM node AS n WHERE split AND rows <> (SELECT coalesce(sum(c.rows), 0) FROM node AS c WHERE c.part = n.part AND c.level = n.level - 1 AND c.bucket >> 2 = n.bucket))
           AND NOT EXISTS (SELECT FROM %4$I)
    FROM node$q$, part, kept, rows, kept || '_log') INTO sound;
  RETURN sound;
END $$;
-- Whether each kept scan of the tests is used, and its nodes agree with the rows.
CREATE FUNCTION oracle.check_all() RETURNS TABLE (kept_scans bigint, checked bigint, used bigint) LANGUAGE sql AS $$
  SELECT count(*), count(*) FILTER (WHERE scan_kept_check(c.name) = 0), (SELECT count(*) FROM scan_kept AS k JOIN oracle.kept_case USING (name) WHERE k.usable) FROM oracle.kept_case AS c
$$;
CREATE PROCEDURE oracle.compact_all() LANGUAGE plpgsql AS $$
DECLARE
  c name;
BEGIN
  FOR c IN SELECT name FROM oracle.kept_case ORDER BY name LOOP
    CALL scan_kept_compact(c);
  END LOOP;
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
