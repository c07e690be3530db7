-- semantics: what all window functions of scan share: frames, arguments, defaults,
-- constants, and that they work wherever a window function may stand.
\pset null -
CREATE TEMP TABLE account AS SELECT * FROM (VALUES
  ('ann', 1, 10, 'opening'), ('ann', 2, -3, 'payment'), ('ann', 3, NULL, 'payment'), ('ann', 4, 20, 'opening'), ('ann', 5, 5, 'payment'),
  ('bob', 1, 7, 'opening'), ('bob', 2, 1, 'payment')) AS t(account, at, amount, kind);
-- The first example of the manual:
SELECT account, at, amount, scan_sum(amount, reset => kind = 'opening') OVER (PARTITION BY account ORDER BY at) FROM account ORDER BY account, at;

-- A frame clause has no effect, as with row_number(): not its start, its end, its exclusion, its mode.
SELECT count(*) AS compared, count(*) FILTER (WHERE y <> f1 OR y <> f2 OR y <> f3 OR y <> f4 OR y <> f5 OR y <> f6) AS different
FROM (SELECT scan_sum(i) OVER (ORDER BY i) AS y,
             scan_sum(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS f1,
             scan_sum(i) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS f2,
             scan_sum(i) OVER (ORDER BY i ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING) AS f3,
             scan_sum(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS f4,
             scan_sum(i) OVER (ORDER BY i RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS f5,
             scan_sum(i) OVER (ORDER BY i GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) AS f6
      FROM generate_series(1, 2000) AS i) AS t;
-- Peers are rows like others; DESC, NULLS FIRST; without ORDER BY the rows are taken as they come.
SELECT i, scan_sum(1) OVER (ORDER BY i / 2) AS peers, scan_sum(i) OVER (ORDER BY i DESC) AS descending,
       scan_sum(i) OVER (ORDER BY nullif(i, 3) NULLS FIRST) AS nulls_first FROM generate_series(1, 4) AS i ORDER BY i;
SELECT i, scan_sum(i) OVER () FROM unnest(ARRAY[3, 1, 2]) AS i;

-- Arguments by place, by name, mixed, left out; unknown literals; types that are cast.
SELECT i, scan_sum(value => i, exclusive => true) OVER w AS a, scan_sum(i, exclusive => true, reset => i = 3) OVER w AS b, scan_sum(i, NULL) OVER w AS c, scan_sum(i, 'f', 'on') OVER w AS d,
       scan_locf(value => nullif(i, 2), reset => false) OVER w AS e, scan_clamped_sum(i, init => 1, upper => 4, lower => NULL) OVER w AS f, scan_session("at" => i, gap => 0) OVER w AS g, scan_split_index("bit" => i > 2) OVER w AS h
FROM generate_series(1, 3) AS i WINDOW w AS (ORDER BY i);
-- Every row a segment of its own; a reset that is a constant or NULL.
SELECT i, scan_sum(i, true) OVER w AS "true", scan_sum(i, true, true) OVER w AS "true, exclusive", scan_sum(i, false) OVER w AS "false", scan_min(-i, NULL) OVER w AS "null", scan_count(true, i = 2) OVER w AS count
FROM generate_series(1, 3) AS i WINDOW w AS (ORDER BY i);
SELECT pg_typeof(scan_sum(1::int2) OVER w) AS int2, pg_typeof(scan_sum(1) OVER w) AS int4, pg_typeof(scan_sum(1::int8) OVER w) AS int8, pg_typeof(scan_sum(1::float4) OVER w) AS float4,
       pg_typeof(scan_sum(1::float8) OVER w) AS float8, pg_typeof(scan_sum(1.0) OVER w) AS numeric, pg_typeof(scan_sum('1 day'::interval) OVER w) AS interval, pg_typeof(scan_sum('01:00'::time) OVER w) AS time,
       pg_typeof(scan_product(1) OVER w) AS product, pg_typeof(scan_bit_or(1::int2) OVER w) AS bit_or, pg_typeof(scan_bit_or(B'01') OVER w) AS bits, pg_typeof(scan_min('a'::varchar) OVER w) AS varchar FROM generate_series(1, 1) WINDOW w AS ();
SELECT scan_session('2024-01-01'::date, '1 day') OVER () AS session, scan_locf(NULL::int, '2') OVER () AS locf, oracle.error_of('SELECT scan_sum(''1'') OVER ()') AS sum, oracle.error_of('SELECT scan_min(''1'') OVER ()') AS min;
-- A domain is scanned as what it is a domain of, bit(n) keeps its length, a typmod its digits.
CREATE DOMAIN oracle.cents AS int8 CHECK (value >= 0);
CREATE DOMAIN oracle.label AS text COLLATE "C";
SELECT scan_sum(x) OVER w AS sum, scan_max(x) OVER w AS max, scan_locf(x) OVER w AS locf, scan_min(t) OVER w AS text, scan_bit_xor(b) OVER w AS bits, scan_sum(n) OVER w AS numeric
FROM (VALUES (1, 5::oracle.cents, 'b'::oracle.label, B'0101'::bit(4), 1.50::numeric(5, 2)), (2, NULL, 'a', B'0011', 2), (3, 3, 'B', NULL, 0.25)) AS t(i, x, t, b, n) WINDOW w AS (ORDER BY i);

-- What must be constant must be so in a partition, and may differ between partitions.
SELECT p, i, scan_sum(i, false, p = 2) OVER (PARTITION BY p ORDER BY i) AS sum, scan_locf(nullif(i, 2), p - 1) OVER (PARTITION BY p ORDER BY i) AS locf, scan_session(i, p - 1) OVER (PARTITION BY p ORDER BY i) AS session
FROM generate_series(1, 2) AS p, generate_series(1, 3) AS i ORDER BY p, i;
SELECT oracle.rows_of('SELECT ' || call || ' OVER (ORDER BY i) FROM generate_series(1, 4) AS i') AS rows, call FROM unnest(ARRAY[
  'scan_sum(i, false, i > 2)', 'scan_min(i, false, i > 2)', 'scan_count(true, false, i > 2)', 'scan_fold(i, ''int4pl(int4,int4)'', false, i > 2)',
  'scan_fold(i, CASE WHEN i > 2 THEN ''int4mul(int4,int4)'' ELSE ''int4pl(int4,int4)'' END::regprocedure)', 'scan_locf(i, i / 3)', 'scan_session(i, i / 3)', 'scan_session(i::float8, i / 3)',
  'scan_session(i::numeric, i / 3)', 'scan_session(now() + i * interval ''1 day'', i / 3 * interval ''1 day'')', 'scan_clamped_sum(i, i / 3, 100)', 'scan_clamped_sum(i, 0, 100 + i / 3)', 'scan_clamped_sum(i, 0, 100, i / 3)', 'scan_clamped_sum(i, nullif(i / 3, 0), 100)',
  'scan_clamped_sum(i::numeric, i / 3, 100)', 'scan_clamped_sum(i::numeric, 0, 100, i / 3)', 'scan_state(0, CASE WHEN i > 2 THEN ''{{0,1}}''::int[] ELSE ''{{0,0}}'' END)', 'scan_state(0, ''{{0},{1}}'', i / 3)', 'scan_carry(true, true, i > 2)']) AS call;

-- Beside other window functions, in the same and in other windows; inside expressions and CASE; FILTER is for aggregates only.
SELECT i, row_number() OVER w, sum(i) OVER w AS sum, scan_sum(i) OVER w AS scan, 2 * scan_max(i) OVER w + 1 AS expression, lag(i) OVER w AS lag,
       scan_sum(i) OVER (PARTITION BY i % 2 ORDER BY i) AS other, CASE WHEN i > 2 THEN scan_count(i > 1) OVER w END AS "case", scan_sum(i) OVER (w ROWS 1 PRECEDING) - sum(i) OVER (w ROWS 1 PRECEDING) AS frames
FROM generate_series(1, 4) AS i WINDOW w AS (ORDER BY i DESC) ORDER BY i;
SELECT scan_sum(i) FILTER (WHERE i > 1) OVER () FROM generate_series(1, 2) AS i;
SELECT scan_sum(i) FROM generate_series(1, 2) AS i;
SELECT i FROM generate_series(1, 2) AS i WHERE scan_sum(i) OVER () > 1;
-- Over aggregates, under DISTINCT, in ORDER BY, in a subquery with LIMIT, of an empty table, through a view.
SELECT kind, sum(amount), scan_sum(sum(amount)) OVER (ORDER BY kind), scan_max(count(*)) OVER (ORDER BY kind) FROM account GROUP BY kind ORDER BY kind;
SELECT DISTINCT scan_bool_or(i > 2) OVER (ORDER BY i) FROM generate_series(1, 4) AS i ORDER BY 1;
SELECT i FROM generate_series(1, 4) AS i ORDER BY scan_sum(CASE WHEN i > 2 THEN -i ELSE i END) OVER (ORDER BY i), i LIMIT 2;
SELECT scan_sum(i) OVER (ORDER BY i) FROM generate_series(1, 0) AS i;
SELECT count(*) FROM account AS a WHERE false AND EXISTS (SELECT scan_sum(1) OVER ());
CREATE VIEW oracle.running AS SELECT i, scan_sum(i, reset => i = 3) OVER (ORDER BY i) AS total FROM generate_series(1, 4) AS i;
-- 16 and newer leave out the i.
SELECT replace(pg_get_viewdef('oracle.running'), 'i.', '') AS running;
SELECT * FROM oracle.running WHERE i > 1;
-- The error of a row that nobody asks for is not raised: LIMIT stops before it.
SELECT scan_sum(x) OVER (ORDER BY i) FROM (VALUES (1, 9223372036854775807), (2, 0), (3, 1)) AS t(i, x) LIMIT 2;
-- A condition on row_number() that stops the window early; one on the scan itself, which may not.
SELECT * FROM (SELECT i, row_number() OVER w AS n, scan_sum(i) OVER w AS y FROM generate_series(1, 100) AS i WINDOW w AS (ORDER BY i)) AS t WHERE n <= 3;
SELECT * FROM (SELECT p, i, row_number() OVER w AS n, scan_sum(i) OVER w AS y, scan_locf(i::text) OVER w AS t FROM generate_series(1, 2) AS p, generate_series(1, 100) AS i WINDOW w AS (PARTITION BY p ORDER BY i)) AS t WHERE n <= 2;
SELECT * FROM (SELECT i, scan_sum(5 - i) OVER (ORDER BY i) AS y FROM generate_series(1, 12) AS i) AS t WHERE y <= 4;
-- Cursors, forwards and back; prepared statements with generic plans; rescans.
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT i, scan_sum(i) OVER (ORDER BY i) FROM generate_series(1, 5) AS i;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH LAST FROM c;
COMMIT;
SET plan_cache_mode = force_generic_plan;
PREPARE prepared(int, boolean) AS SELECT i, scan_sum(i, i = $1, $2) OVER (ORDER BY i) FROM generate_series(1, 4) AS i;
EXECUTE prepared(3, false);
EXECUTE prepared(2, true);
RESET plan_cache_mode;
SELECT k, array_agg(y ORDER BY i) FROM generate_series(1, 3) AS k, LATERAL (SELECT i, scan_sum(i, i = k, k = 3) OVER (ORDER BY i) AS y FROM generate_series(1, 4) AS i) AS t GROUP BY k ORDER BY k;
SELECT k, (SELECT string_agg(y, ' ' ORDER BY i) FROM (SELECT i, scan_min(repeat(chr(109 - i + k), 2)) OVER (ORDER BY i) AS y FROM generate_series(1, 3) AS i OFFSET 0) AS t) FROM generate_series(1, 3) AS k;
-- Many partitions of one row each, many functions at once.
SELECT count(*) AS rows, sum(a) AS a, sum(b) AS b, sum(c) AS c, sum(d) AS d, sum(e::int) AS e, sum(f) AS f
FROM (SELECT scan_sum(i) OVER w AS a, scan_product(2) OVER w AS b, scan_min(i::text) OVER w::int AS c, scan_compact(i, true) OVER w AS d, scan_carry(true, false) OVER w AS e, scan_session(i, 1) OVER w AS f
      FROM generate_series(1, 20000) AS i WINDOW w AS (PARTITION BY i ORDER BY i)) AS t;
-- In parallel plans the scan runs above the workers.
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT count(*) AS compared, count(*) FILTER (WHERE y <> wanted) AS different
FROM (SELECT scan_sum(h % 1000) OVER (ORDER BY size, i) AS y, sum(h % 1000) OVER (ORDER BY size, i) AS wanted FROM oracle.cell) AS t;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
-- The extension may live in any schema; every function says what it does.
ALTER EXTENSION scan SET SCHEMA oracle;
SELECT i, oracle.scan_sum(i) OVER (ORDER BY i), oracle.scan_max(i::text) OVER (ORDER BY i), oracle.array_scan_sum(ARRAY[i, i]) FROM generate_series(1, 2) AS i;
ALTER EXTENSION scan SET SCHEMA public;
SELECT count(*) > 0 AS functions, count(*) FILTER (WHERE obj_description(objid, 'pg_proc') IS NULL) AS without_comment
FROM pg_depend WHERE classid = 'pg_proc'::regclass AND refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'scan');
-- Constants are compared by value: 1.0 is 1.00, and 0 is -0.
SELECT i, scan_clamped_sum(i::numeric, CASE WHEN i = 1 THEN 1.0 ELSE 1.00 END, 2) OVER (ORDER BY i) AS numeric,
       scan_session(i::float8, CASE WHEN i = 1 THEN 0 ELSE -0.0::float8 END) OVER (ORDER BY i) AS float8
FROM generate_series(1, 3) AS i ORDER BY i;
-- Rows wider than work_mem over 16 are let go in time: nothing spills.
SET work_mem = '4MB';
CREATE FUNCTION oracle.spilled(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text; found boolean := false;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
    found := found OR line ~ 'temp .*written';
  END LOOP;
  RETURN found;
END $$;
SELECT oracle.spilled('SELECT scan_sum(1) OVER (), length(w) FROM (SELECT repeat(''x'', 400000 + i) AS w FROM generate_series(1, 100) AS i OFFSET 0) AS t') AS wide_rows_spill;
RESET work_mem;
