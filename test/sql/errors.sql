-- errors: every error that the source can raise, once, with its SQLSTATE, message,
-- detail and hint; and the ones that core raises for wrong calls of ours.
\pset null -
SET intervalstyle = postgres;
\pset format unaligned
\pset tuples_only on
\set QUIET on
CREATE FUNCTION oracle.void(a int, b int) RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION oracle.three(a int, b int, c int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION oracle.several(a int, b int) RETURNS SETOF int LANGUAGE sql AS 'SELECT 1';
CREATE PROCEDURE oracle.proc(a int, b int) LANGUAGE sql AS '';
CREATE AGGREGATE oracle.agg(int, int) (sfunc = oracle.three, stype = int);
CREATE FUNCTION oracle.forbidden(a int, b int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE DOMAIN oracle.percent AS int CHECK (value BETWEEN 0 AND 100);
CREATE SEQUENCE oracle.turn;
CREATE OPERATOR oracle.!!! (rightarg = boolean, function = scan_compact_index);
-- The calls are windows over the rows i = 1, 2, 3.
CREATE FUNCTION pg_temp.windows(calls text[]) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT E'\n' || call || E'\n    ' || replace(oracle.error_of('SELECT ' || call || ' OVER (ORDER BY i) FROM generate_series(1, 3) AS i'), ' | ', E'\n    ') FROM unnest(calls) AS call
$$;
CREATE FUNCTION pg_temp.plain(calls text[]) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT E'\n' || call || E'\n    ' || replace(oracle.error_of('SELECT ' || call), ' | ', E'\n    ') FROM unnest(calls) AS call
$$;

-- What must be constant changes, or is NULL where that makes no sense.
SELECT pg_temp.windows(ARRAY[
  'scan_sum(i, false, i > 1)',
  'scan_min(i::text, false, nullif(i > 1, true))',
  'scan_locf(i, nullif(i, 3))',
  'scan_clamped_sum(i, -i, 5)',
  'scan_clamped_sum(i::numeric, 0.50, i / 2.0)',
  'scan_session(now() + i * interval ''1 hour'', i * interval ''1 day'')',
  'scan_state(i, ARRAY[[i, 0], [0, i]])',
  'scan_fold(i, (ARRAY[''int4pl(int4,int4)'', ''int4mul(int4,int4)'', NULL])[i]::regprocedure)',
  'scan_sum(i, false, NULL)',
  'scan_max(i, false, NULL)',
  'scan_clamped_sum(i, 0, 10, NULL)',
  'scan_clamped_sum(i::numeric, 0, 10, NULL)',
  'scan_session(i, NULL)',
  'scan_session(now(), NULL)',
  'scan_state(i, NULL)',
  'scan_state(i, ''{{0}}'', NULL)',
  'scan_carry(true, true, NULL)',
  'scan_fold(i, NULL)',
  'scan_fold(i, ''int4pl(int4,int4)'', false, NULL)']);

-- Totals out of range.
SELECT pg_temp.windows(ARRAY[
  'scan_sum(9223372036854775807)',
  'scan_sum(1e308::float8)',
  'scan_sum(''3e38''::float4)',
  'scan_sum(interval ''100000000 years'')',
  'scan_sum((''1e'' || 131071)::numeric * 9)',
  'scan_product((''1e'' || 131071)::numeric)',
  'scan_clamped_sum(9223372036854775807, 0, NULL)',
  'scan_matrix_product(''{{1e200}}'')',
  'scan_bit_and(substring(B''101'', 1, i))',
  'scan_bit_or(substring(B''101'', 1, i))',
  'scan_bit_xor(substring(B''101'', 1, i))']);

-- Arguments that are wrong in themselves.
SELECT pg_temp.windows(ARRAY[
  'scan_min(point(i, i))',
  'scan_max(json_build_array(i))',
  'scan_min(ARRAY[point(i, i)])',
  'scan_min((SELECT a || b FROM (SELECT i || ''x'' COLLATE "C" AS a, ''y'' COLLATE oracle.english AS b OFFSET 0) AS t))',
  'scan_locf(i, -1)',
  'scan_split_index(i < 3 OR NULL)',
  'scan_split_index(nextval(''oracle.turn'') % 2 = 0)',
  'scan_clamped_sum(i, 3, 2)',
  'scan_clamped_sum(i::numeric, 0.10, 0.1 - i)',
  'scan_clamped_sum(i::numeric, ''NaN'', NULL)',
  'scan_session(i, -1)',
  'scan_session(i::float8, -0.5)',
  'scan_session(i::float8, ''NaN'')',
  'scan_session(i::numeric, -0.50)',
  'scan_session(i::numeric, ''NaN'')',
  'scan_session(current_date + i, ''-1 day'')',
  'scan_session(''2024-01-01''::timestamp, ''1 day -25 hours'')',
  'scan_state(i, ''{0,1}'')',
  'scan_state(i, ''{}'')',
  'scan_state(i, ''{{0,NULL}}'')',
  'scan_state(0, ''{{0,1}}'', 1)',
  'scan_state(0, ''{{0,1}}'', -1)',
  'scan_state(i, ''{{0,0}}'')',
  'scan_state(-i, ''{{0,0}}'')',
  'scan_state(i, ''{{0,5,0}}'')',
  'scan_state(i, ''{{0,-5,0}}'')',
  'scan_matrix_product(''{{1,2}}'')',
  'scan_matrix_product(''{1,2}'')',
  'scan_matrix_product(''{}'')',
  'scan_matrix_product(''{{1,NULL},{3,4}}'')',
  'scan_matrix_product(CASE i WHEN 1 THEN ''{{1}}''::float8[] ELSE ''{{1,2},{3,4}}'' END)']);

-- scan_fold: what op may be, and what it may raise itself.
REVOKE EXECUTE ON FUNCTION oracle.forbidden FROM public;
CREATE ROLE regress_scan_errors;
SET ROLE regress_scan_errors;
SELECT pg_temp.plain(ARRAY['scan_fold(1, ''oracle.forbidden(int,int)'') OVER ()']);
RESET ROLE;
DROP ROLE regress_scan_errors;
SELECT pg_temp.windows(ARRAY[
  'scan_fold(i, 1::oid)',
  'scan_fold(i, 0::oid)',
  'scan_fold(i, ''abs(int)'')',
  'scan_fold(i, ''oracle.three(int,int,int)'')',
  'scan_fold(i, ''oracle.agg(int,int)'')',
  'scan_fold(i, ''oracle.proc(int,int)'')',
  'scan_fold(i, ''oracle.several(int,int)'')',
  'scan_fold(i, ''nth_value(anyelement,int)'')',
  'scan_fold(i, ''oracle.void(int,int)'')',
  'scan_fold(i, ''int8pl(int8,int8)'')',
  'scan_fold(i, ''int4eq(int4,int4)'')',
  'scan_fold(i, ''array_cat(anycompatiblearray,anycompatiblearray)'')',
  'scan_fold(i::oracle.percent, ''int4mi(int4,int4)'')',
  'scan_fold(i, ''no_such_function(int,int)'')',
  'scan_fold(2 - i, ''int4div(int4,int4)'')']);

-- A window function by a way round OVER that core leaves open.
SELECT pg_temp.plain(ARRAY['OPERATOR(oracle.!!!) true']);

-- Arrays.
SELECT pg_temp.plain(ARRAY[
  'array_scan_sum(''{1,2}''::int8[], ''{t}'')',
  'array_scan_sum(''{1,2}''::float8[], NULL, NULL)',
  'array_scan_sum(''{9223372036854775807,1}''::int8[])',
  'array_scan_sum(''{1e308,1e308}''::float8[])',
  'array_scan_sum(''{3e38,3e38}''::float4[])',
  'array_scan_sum(array_fill(0::int2, ARRAY[134217727]))']);

-- Settings.
SELECT pg_temp.plain(ARRAY[
  'set_config(''scan.algorithm'', ''quick'', false)']);

-- Calls that do not fit, as core words them.
SELECT pg_temp.windows(ARRAY[
  'scan_sum(i::text)',
  'scan_sum(i, ''maybe'')',
  'scan_sum(i, reset => 1)',
  'scan_sum(i, no_such => true)',
  'scan_min()',
  'scan_compact(i)',
  'scan_min(DISTINCT i)',
  'scan_locf(NULL)',
  'scan_product(interval ''1 day'')']);
SELECT pg_temp.plain(ARRAY['scan_sum(1)', '1 FROM (SELECT 1) AS t WHERE scan_count(true) OVER () = 1']);
