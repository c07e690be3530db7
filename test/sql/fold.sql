-- fold: scan_fold, y = op(y', value) in row order, op being any function of two
-- arguments that the caller may execute.
\pset null -
SET intervalstyle = postgres;
SELECT i, x, reset,
       scan_fold(x, 'textcat(text,text)') OVER w AS joined,
       scan_fold(x, 'textcat(text,text)', reset) OVER w AS segments,
       scan_fold(x, op => 'textcat(text,text)', exclusive => true) OVER w AS before,
       scan_fold(x, 'textcat(text,text)', reset, true) OVER w AS "segments, before"
FROM (VALUES (1, NULL, false), (2, 'a', false), (3, 'b', NULL), (4, NULL, false), (5, 'c', true), (6, 'd', false), (7, NULL, true), (8, 'e', false)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Core's functions: by value and by reference; one that is not associative shows the order.
SELECT i, scan_fold(i, 'int4mi(int4,int4)') OVER w AS "10-1-..", scan_fold(i::numeric, 'numeric_mul(numeric,numeric)') OVER w AS product, scan_fold(i::int8, 'int8larger(int8,int8)') OVER w AS max,
       scan_fold(ARRAY[i], 'array_cat(anycompatiblearray,anycompatiblearray)') OVER w AS polymorphic, scan_fold(interval '1 day' * i, 'interval_pl(interval,interval)') OVER w AS interval,
       scan_fold(jsonb_build_object(i % 2, i), 'jsonb_concat(jsonb,jsonb)') OVER w AS json, scan_fold(int4range(i, i + 2), 'range_merge(anyrange,anyrange)') OVER w AS range
FROM unnest(ARRAY[10, 1, 2, 3]) WITH ORDINALITY AS t(i, n) WINDOW w AS (ORDER BY n) ORDER BY n;
-- The user's own, in SQL and in PL/pgSQL.  A strict one is not called with a NULL.
CREATE FUNCTION oracle.pair_up(a text, b text) RETURNS text LANGUAGE sql AS $$SELECT '(' || a || ' ' || b || ')'$$;
CREATE FUNCTION oracle.pair_up_slowly(a text, b text) RETURNS text LANGUAGE plpgsql STRICT AS $$BEGIN RETURN format('(%s %s)', a, b); END$$;
CREATE FUNCTION oracle.either(a anyelement, b anyelement) RETURNS anyelement LANGUAGE plpgsql AS $$BEGIN RETURN CASE WHEN a::text > b::text THEN a ELSE b END; END$$;
CREATE FUNCTION oracle.next_pair(a oracle.pair, b oracle.pair) RETURNS oracle.pair LANGUAGE sql AS $$SELECT (a).a + (b).a, (b).b || (a).b$$;
SELECT i, x, scan_fold(x, 'oracle.pair_up(text,text)') OVER w AS sql, scan_fold(x, 'oracle.pair_up_slowly(text,text)') OVER w AS plpgsql,
       scan_fold(x, 'oracle.either(anyelement,anyelement)') OVER w AS polymorphic, scan_fold(ROW(i, x)::oracle.pair, 'oracle.next_pair(oracle.pair,oracle.pair)') OVER w AS row
FROM (VALUES (1, 'c'), (2, NULL), (3, 'a'), (4, 'd')) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
-- When op gives NULL, that is the total: a strict op is not called any more, another sees it.
CREATE FUNCTION oracle.up_to_9(a int, b int) RETURNS int LANGUAGE sql STRICT AS 'SELECT CASE WHEN a + b <= 9 THEN a + b END';
CREATE FUNCTION oracle.up_to_9_again(a int, b int) RETURNS int LANGUAGE sql AS 'SELECT CASE WHEN coalesce(a, 0) + b <= 9 THEN coalesce(a, 0) + b END';
SELECT i, scan_fold(i, 'oracle.up_to_9(int,int)') OVER w AS strict, scan_fold(i, 'oracle.up_to_9_again(int,int)') OVER w AS called,
       scan_fold(i, 'oracle.up_to_9(int,int)', i = 5) OVER w AS "strict, reset", scan_fold(i, 'oracle.up_to_9_again(int,int)', exclusive => true) OVER w AS "called, exclusive"
FROM generate_series(1, 7) AS i WINDOW w AS (ORDER BY i);
-- op may be handed in as text or by number, and may differ from partition to partition.
SELECT p, i, scan_fold(i, p::regprocedure) OVER (PARTITION BY p ORDER BY i) FROM (VALUES ('int4pl(int4,int4)'), ('int4mul(int4,int4)')) AS ops(p), generate_series(2, 4) AS i ORDER BY p, i;
SELECT scan_fold(i, 'int4pl'::regproc::oid) OVER (ORDER BY i) FROM generate_series(1, 3) AS i;
-- An error of op belongs to its row.
SELECT oracle.rows_of($$SELECT scan_fold(x, 'int4div(int4,int4)') OVER (ORDER BY i) FROM (VALUES (1, 100), (2, 5), (3, 0), (4, 1)) AS t(i, x)$$) AS divided,
       oracle.rows_of($$SELECT scan_fold(x, 'int2pl(int2,int2)') OVER (ORDER BY i) FROM (VALUES (1, 32767::int2), (2, 0::int2), (3, 1::int2)) AS t(i, x)$$) AS added;

-- An exclusive fold does not do what it does not show.
SELECT scan_fold(x, 'int4div(int4,int4)', exclusive => true) OVER (ORDER BY i) FROM (VALUES (1, 100), (2, 5), (3, 0)) AS t(i, x);
-- op may have settings and rights of its own, run queries, fold, and catch errors.
CREATE FUNCTION oracle.busy(a int, b int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  y int;
BEGIN
  BEGIN
    y := 1 / (b - 3);
  EXCEPTION WHEN division_by_zero THEN RETURN a + 1000;
  END;
  SELECT max(f) INTO y FROM (SELECT scan_fold(i, 'int4pl(int4,int4)') OVER (ORDER BY i) AS f FROM generate_series(1, b) AS i) AS t;
  RETURN a + y;
END $$;
SELECT i, scan_fold(i, 'oracle.busy(int,int)') OVER (ORDER BY i) FROM generate_series(1, 5) AS i;

-- Who may not execute op may not fold with it; and one may lose the right.
CREATE FUNCTION oracle.secret(a int, b int) RETURNS int LANGUAGE sql AS 'SELECT 42';
REVOKE EXECUTE ON FUNCTION oracle.secret FROM public;
CREATE ROLE regress_scan_user;
SET ROLE regress_scan_user;
SELECT scan_fold(i, 'oracle.secret(int,int)') OVER () FROM generate_series(1, 2) AS i;
SELECT scan_fold(i, 'int4pl(int4,int4)') OVER (ORDER BY i) FROM generate_series(1, 2) AS i;
RESET ROLE;
GRANT EXECUTE ON FUNCTION oracle.secret TO regress_scan_user;
SET ROLE regress_scan_user;
PREPARE folded AS SELECT scan_fold(i, 'oracle.secret(int,int)') OVER (ORDER BY i) FROM generate_series(1, 2) AS i;
EXECUTE folded;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION oracle.secret FROM regress_scan_user;
SET ROLE regress_scan_user;
EXECUTE folded;
RESET ROLE;
DEALLOCATE folded;
DROP ROLE regress_scan_user;

-- Against core: sums, products of matrices (no two of which commute), long texts.
CREATE FUNCTION oracle.affine(f bigint[], g bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT    -- first f, then g, mod 10007
AS 'SELECT ARRAY[f[1] * g[1] % 10007, (f[2] * g[1] + g[2]) % 10007]';
CREATE AGGREGATE oracle.affine(bigint[]) (sfunc = oracle.affine, stype = bigint[]);
WITH sample AS (
  SELECT size, i, reset, count(*) FILTER (WHERE reset) OVER (PARTITION BY size ORDER BY i) AS segment,
         CASE WHEN NOT hole THEN (h >> 40)::int8 END AS n, CASE WHEN NOT hole THEN ARRAY[1 + (h & 8191), h >> 20 & 8191] END AS f, CASE WHEN NOT hole THEN right(h::text, 4) END AS t
  FROM oracle.cell)
SELECT count(*) AS compared,
       count(*) FILTER (WHERE sum IS DISTINCT FROM sum_wanted) AS sums_differ, count(*) FILTER (WHERE affine IS DISTINCT FROM affine_wanted) AS affines_differ,
       count(*) FILTER (WHERE text IS DISTINCT FROM text_wanted) AS texts_differ, count(*) FILTER (WHERE before IS DISTINCT FROM before_wanted) AS befores_differ
FROM (SELECT scan_fold(n, 'int8pl(int8,int8)', reset) OVER w AS sum, sum(n) OVER s AS sum_wanted,
             scan_fold(f, 'oracle.affine(bigint[],bigint[])', reset) OVER w AS affine, oracle.affine(f) OVER s AS affine_wanted,
             scan_fold(t, 'textcat(text,text)', reset) OVER w AS text, string_agg(t, '') OVER s AS text_wanted,
             scan_fold(t, 'textcat(text,text)', reset, true) OVER w AS before, string_agg(t, '') OVER (s ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_wanted
      FROM sample WINDOW w AS (PARTITION BY size ORDER BY i), s AS (PARTITION BY size, segment ORDER BY i)) AS t;

-- With init: a state of any type, and op(state, value) from the first row on.  It need not be associative.
CREATE FUNCTION oracle.balance(y numeric, x numeric) RETURNS numeric LANGUAGE sql AS $$SELECT CASE WHEN y + x < 0 THEN y + x - 25 ELSE y + x END$$; -- an overdraft has a fee
CREATE FUNCTION oracle.longest(y text[], x text) RETURNS text[] LANGUAGE sql STRICT AS $$SELECT ARRAY[CASE WHEN length(x) > length(y[1]) THEN x ELSE y[1] END, (y[2]::int + 1)::text]$$;
SELECT i, x, reset, scan_fold(x, 'oracle.balance(numeric,numeric)', init => 100.0) OVER w AS balance, scan_fold(x, 'oracle.balance(numeric,numeric)', init => 100.0, reset => reset) OVER w AS segments,
       scan_fold(x, 'oracle.balance(numeric,numeric)', init => 100.0, exclusive => true) OVER w AS before, scan_fold(x, 'oracle.balance(numeric,numeric)', 100.0, reset, true) OVER w AS "segments, before",
       scan_fold(x::text, 'oracle.longest(text[],text)', init => '{"",0}'::text[]) OVER w AS longest
FROM (VALUES (1, -50, false), (2, -60.5, false), (3, 20, NULL), (4, -100, true), (5, -1, false)) AS t(i, x, reset) WINDOW w AS (ORDER BY i) ORDER BY i;
-- A strict op skips NULL values, and a NULL state stays; another is called with them.  Before the first value there is no answer, or init.
CREATE FUNCTION oracle.next_state(y int, x int) RETURNS int LANGUAGE sql AS 'SELECT coalesce(y, 0) * 10 + coalesce(x, 9)';
CREATE FUNCTION oracle.next_state_strict(y int, x int) RETURNS int LANGUAGE sql STRICT AS 'SELECT nullif(y * 10 + x, 127)';
SELECT i, x, scan_fold(x, 'oracle.next_state(int,int)', init => 1) OVER w AS called, scan_fold(x, 'oracle.next_state_strict(int,int)', init => 1) OVER w AS strict,
       scan_fold(x, 'oracle.next_state(int,int)', init => 1, exclusive => true) OVER w AS "called, before", scan_fold(x, 'oracle.next_state_strict(int,int)', init => 1, exclusive => true) OVER w AS "strict, before",
       scan_fold(x, 'oracle.next_state(int,int)', init => NULL::int) OVER w AS "from NULL", scan_fold(x, 'oracle.next_state_strict(int,int)', init => NULL::int) OVER w AS "strict, from NULL",
       scan_fold(x, 'oracle.next_state_strict(int,int)', init => 1, reset => i = 6) OVER w AS "strict, reset"
FROM (VALUES (1, NULL), (2, 2), (3, NULL), (4, 7), (5, 1), (6, NULL), (7, 3)) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
-- States and values of many types; op may be polymorphic.
SELECT i, scan_fold(i, 'array_append(anycompatiblearray,anycompatible)', init => '{}'::int[]) OVER w AS array, scan_fold(i::int2, 'int82pl(int8,int2)', init => 9007199254740993) OVER w AS int8,
       scan_fold(interval '1 month', 'timestamp_pl_interval(timestamp,interval)', init => timestamp '2024-01-31') OVER w AS at, scan_fold(i, 'oracle.either(anyelement,anyelement)', init => 2) OVER w AS polymorphic,
       scan_fold(x, 'oracle.next_pair(oracle.pair,oracle.pair)', init => ROW(0, '')::oracle.pair) OVER w AS row, scan_fold(i % 2 = 0, 'booleq(bool,bool)', init => true) OVER w AS bool
FROM generate_series(1, 3) AS i, LATERAL (SELECT ROW(i, chr(96 + i))::oracle.pair AS x) AS t WINDOW w AS (ORDER BY i) ORDER BY i;
-- The third argument by place is reset where it is boolean, as it was before there was an init.
SELECT i, scan_fold(i, 'int4pl(int4,int4)', i = 3) OVER w AS reset, scan_fold(i, 'int4pl(int4,int4)', 3) OVER w AS init FROM generate_series(1, 4) AS i WINDOW w AS (ORDER BY i);
-- Errors: of op at its row, and an exclusive fold does not do what it does not show.
CREATE DOMAIN oracle.small AS int CHECK (value < 10);
SELECT oracle.rows_of($$SELECT scan_fold(x, 'int4div(int4,int4)', init => 100) OVER (ORDER BY i) FROM (VALUES (1, 5), (2, 0), (3, 1)) AS t(i, x)$$) AS divided,
       oracle.rows_of($$SELECT scan_fold(x, 'int4div(int4,int4)', init => 100, exclusive => true) OVER (ORDER BY i) FROM (VALUES (1, 5), (2, 0)) AS t(i, x)$$) AS before,
       oracle.rows_of($$SELECT scan_fold(x, 'int4pl(int4,int4)', init => 5::oracle.small) OVER (ORDER BY i) FROM (VALUES (1, 4), (2, 1)) AS t(i, x)$$) AS domain;
SELECT oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT scan_fold(1, 'int4pl(int4,int4)', init => 1::int8) OVER ()$$, $$SELECT scan_fold('a'::text, 'int4pl(int4,int4)', init => 1) OVER ()$$, $$SELECT scan_fold(1, 'int4eq(int4,int4)', init => 1) OVER ()$$,
  $$SELECT scan_fold(1, 'sum(int4)', init => 1) OVER ()$$, $$SELECT scan_fold(1, NULL, init => 1) OVER ()$$, $$SELECT scan_fold(1, 'int4pl(int4,int4)', init => i) OVER () FROM generate_series(1, 2) AS i$$,
  $$SELECT scan_fold(1, 'int4pl(int4,int4)', init => 1, exclusive => NULL) OVER ()$$]) AS q;
-- Against a loop.
CREATE FUNCTION oracle.folded(wanted int) RETURNS TABLE (i int, y bigint, before bigint) LANGUAGE plpgsql AS $$
DECLARE
  r record;
BEGIN
  y := 7;
  FOR r IN SELECT c.i, reset, CASE WHEN NOT hole THEN (h >> 44)::int END AS x FROM oracle.cell AS c WHERE size = wanted ORDER BY c.i LOOP
    IF r.reset THEN y := 7; END IF;
    before := y;
    i := r.i;
    IF r.x IS NOT NULL THEN y := (y * 31 + r.x) % 1000003; END IF;
    RETURN NEXT;
  END LOOP;
END $$;
CREATE FUNCTION oracle.mixed(y bigint, x int) RETURNS bigint LANGUAGE sql STRICT AS 'SELECT (y * 31 + x) % 1000003';
SELECT count(*) AS compared, count(*) FILTER (WHERE coalesce(ours, 7) IS DISTINCT FROM y) AS different, count(*) FILTER (WHERE ours_before IS DISTINCT FROM f.before) AS "before differ"
FROM (SELECT size, i, scan_fold(x, 'oracle.mixed(int8,int4)', 7::int8, reset) OVER w AS ours, scan_fold(x, 'oracle.mixed(int8,int4)', 7::int8, reset, true) OVER w AS ours_before
      FROM (SELECT *, CASE WHEN NOT hole THEN (h >> 44)::int END AS x FROM oracle.cell) AS c WINDOW w AS (PARTITION BY size ORDER BY i)) AS o
     JOIN (SELECT size, f.* FROM (SELECT DISTINCT size FROM oracle.cell) AS sizes, oracle.folded(size) AS f) AS f USING (size, i);
