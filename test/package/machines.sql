-- machines.sql: calls every function of the extension and prints the answers, for machines.sh, which compares them with
-- the answers of another machine.
--
-- The data come from a fixed formula, so they are the same everywhere.  The calls are made out of the catalog: an
-- argument gets an expression by its name and type, or else the column of its type.  Each call runs in PrefixScan and
-- in WindowAgg; WindowAgg's answers are printed only where they differ.  A call that fails prints its error.
--
--   test/cluster.sh psql -XAtq -f test/package/machines.sql
SET client_min_messages = warning;
SET extra_float_digits = 3;
SET timezone = 'UTC';
SET jit = off;
CREATE EXTENSION scan;
LOAD 'scan';

-- The same 32 bits for a number on every machine.
CREATE FUNCTION mixed(i bigint, salt bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS
  $$ SELECT ((((i * 2654435761 + salt * 40503) % 4294967296) # (i * 69069 % 65536)) * 1664525 + 1013904223) % 4294967296 $$;

-- `mild` values rarely make a call fail; `edge` values are often the least or greatest of their type, or not finite.
CREATE TABLE mild (i int8, p int4, "bool" bool, int2 int2, int4 int4, int8 int8, float4 float4, float8 float8, "numeric" numeric, "text" text, "bit" bit(11), varbit varbit, "interval" interval, date date, "timestamp" timestamp, timestamptz timestamptz, affine_map affine_map, scan_total scan_total, times int8, positive int4);
CREATE TABLE edge (LIKE mild);
INSERT INTO mild
SELECT i, i / 60,
       CASE WHEN a % 9 > 0 THEN b % 3 = 0 END,
       CASE WHEN b % 8 > 0 THEN a % 9 - 4 END,
       CASE WHEN c % 8 > 0 THEN a % 2001 - 1000 END,
       CASE WHEN a % 7 > 0 THEN b % 4000001 - 2000000 END,
       CASE WHEN b % 7 > 0 THEN ((a - 2147483648.0) / 3.0 * 10.0 ^ (c % 9 - 12))::float4 END,
       CASE WHEN c % 7 > 0 THEN ((a - 2147483648.0) / 3.0)::float8 * ('1e' || (b % 13 - 14))::float8 END,
       CASE WHEN a % 11 > 0 THEN ((b - 2147483648.0) / 1000 * (c % 5))::numeric END,
       CASE WHEN b % 11 > 0 THEN repeat(chr(97 + (a % 26)::int), (c % 5)::int) || chr(228 + (b % 20)::int) END,
       CASE WHEN c % 11 > 0 THEN a::bit(11) END,
       (a::bit(32)::text || b::bit(32)::text)::varbit,
       CASE WHEN a % 13 > 0 THEN (b % 5 - 2) * interval '1 month' + (c % 41 - 20) * interval '1 day' + (a % 100001 - 50000) * interval '0.001 s' END,
       date '1999-12-20' + (i * 3 + a % 3)::int,
       timestamp '1999-12-31 22:00' + i * interval '1 hour' + a % 3600000 * interval '0.001 s',
       timestamptz '1999-12-31 22:00+00' + i * interval '1 hour' + b % 3600000 * interval '0.001 s',
       (((a - 2147483648.0) / 2200000000.0)::float8, ((b - 2147483648.0) / 7.0)::float8)::affine_map,
       (((b - 2147483648.0) / 7.0)::float8 * ('1e' || (a % 41 - 20))::float8)::scan_total,
       i * 1000 + a % 1000, (a % 40)::int
FROM (SELECT i, mixed(i, 1) AS a, mixed(i, 2) AS b, mixed(i, 3) AS c FROM generate_series(0, 239) AS i) AS r;
INSERT INTO edge
SELECT i, p, "bool",
       CASE a % 6 WHEN 0 THEN 32767 WHEN 1 THEN -32768 ELSE int2 END,
       CASE a % 6 WHEN 0 THEN 2147483647 WHEN 1 THEN -2147483648 ELSE int4 END,
       CASE a % 6 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 ELSE int8 END,
       CASE a % 12 WHEN 0 THEN 'Infinity' WHEN 1 THEN '-Infinity' WHEN 2 THEN 'NaN' WHEN 3 THEN '-0' WHEN 4 THEN '1e-45' WHEN 5 THEN '-3.4e38' ELSE float4 END,
       CASE a % 12 WHEN 0 THEN '1e300' WHEN 1 THEN CASE WHEN p = 1 THEN '-Infinity' ELSE '-1e300'::float8 END WHEN 2 THEN CASE WHEN p = 2 THEN 'NaN' ELSE '5e-324'::float8 END WHEN 3 THEN '-0' WHEN 4 THEN '-2.2250738585072014e-308' WHEN 5 THEN '1.7976931348623157e308' ELSE float8 END,
       CASE a % 8 WHEN 0 THEN 'Infinity' WHEN 1 THEN 'NaN' WHEN 2 THEN 1e-40 WHEN 3 THEN 9.99e45 WHEN 4 THEN 0.000 ELSE "numeric" END,
       CASE a % 4 WHEN 0 THEN '' WHEN 1 THEN repeat('long ', 500) ELSE "text" END,
       "bit", varbit,
       CASE a % 6 WHEN 0 THEN interval '178000000 years' WHEN 1 THEN interval '-178000000 years' ELSE "interval" END,
       date, "timestamp", timestamptz,
       CASE a % 6 WHEN 0 THEN ('1e200', 'Infinity')::affine_map WHEN 1 THEN ('-0', '5e-324')::affine_map ELSE affine_map END,
       CASE a % 6 WHEN 0 THEN 'Infinity'::scan_total WHEN 1 THEN '-0'::float8::scan_total WHEN 2 THEN '1.7976931348623157e308'::float8::scan_total ELSE scan_total END,
       times, positive
FROM (SELECT *, mixed(i, 4) AS a FROM mild) AS r;
ANALYZE;

-- What an argument gets, by its name and type; for another name of that type, the row whose name is empty.
CREATE TABLE argument (name text, type text, expression text, function text);
INSERT INTO argument VALUES
  ('', 'boolean', '"bool"'), ('', 'smallint', 'int2'), ('', 'integer', 'int4'), ('', 'bigint', 'int8'), ('', 'real', 'float4'), ('', 'double precision', 'float8'), ('', 'numeric', '"numeric"'), ('', 'bit', '"bit"'),
  ('', 'bit varying', 'varbit'), ('', 'interval', '"interval"'), ('', 'date', 'date'), ('', 'timestamp without time zone', '"timestamp"'), ('', 'timestamp with time zone', 'timestamptz'), ('', 'affine_map', 'affine_map'), ('', 'scan_total', 'scan_total'),
  ('reset', 'boolean', 'i % 50 = 7'), ('reset', 'boolean', 'false'), ('exclusive', 'boolean', 'false'), ('exclusive', 'boolean', 'true'), ('overfill', 'boolean', 'true'), ('adjust', 'boolean', 'true'), ('adjust', 'boolean', 'false'),
  ('carry_in', 'boolean', 'true'), ('at', 'smallint', 'i::int2'), ('at', 'integer', 'times::int4'), ('at', 'bigint', 'times'), ('at', 'double precision', 'times::float8 / 7'), ('at', 'numeric', 'times / 7.0'),
  ('max_gap', 'bigint', '2000'), ('max_gap', 'bigint', 'NULL'), ('max_gap', 'double precision', '300'), ('max_gap', 'numeric', '300'), ('max_gap', 'interval', '''4 days'''), ('max_age', 'bigint', '1500'), ('max_age', 'double precision', '200'), ('max_age', 'numeric', '200'),
  ('max_age', 'interval', '''90 minutes'''), ('lower', 'bigint', '-900'), ('upper', 'bigint', '700'), ('lower', 'double precision', '-1000'), ('upper', 'double precision', '1e5'), ('lower', 'numeric', '-1000'), ('upper', 'numeric', '1e5'),
  ('init', 'bigint', '3'), ('init', 'double precision', '0.1'), ('init', 'numeric', '0.1'), ('init', 'scan_total', '''1e30''::float8::scan_total'), ('init', 'double precision[]', '''{0.5,-0.25}'''), ('capacity', 'bigint', '1500'), ('capacity', 'double precision', '1e4'), ('capacity', 'numeric', '1e6'),
  ('gap', 'bigint', '1100'), ('gap', 'double precision', '150'), ('gap', 'numeric', '150'), ('gap', 'interval', '''1 hour'''), ('input', 'integer', 'positive % 3'), ('transitions', 'integer[]', '''{{1,2,0},{2,0,1},{0,0,2}}'''), ('start', 'integer', '1'),
  ('m', 'double precision[]', 'ARRAY[[1, (affine_map).a], [(affine_map).a / 3, 0.5]]'), ('op', 'regprocedure', '''scan_total_add(scan_total,scan_total)'''), ('quantity', 'numeric', 'CASE WHEN i % 60 < 3 THEN 2000.5 ELSE (positive - 22)::numeric / 4 END'), ('price', 'numeric', '1 + abs("numeric")'),
  ('method', 'text', 'CASE WHEN false THEN '''' ELSE ''linear'' END'), ('a', 'double precision', '(affine_map).a'), ('b', 'double precision', 'float8'), ('a', 'numeric', 'round("numeric" % 3, 1)'), ('a', 'double precision[]', 'ARRAY[(affine_map).a, 0.25]'),
  ('numerator', 'double precision[]', '''{0.3,0.2,0.1}'''), ('denominator', 'double precision[]', '''{1,-0.7,0.2}'''), ('alpha', 'double precision', '0.3'), ('half_life', 'interval', '''100 minutes'''), ('fraction', 'double precision', '0.3'),
  ('value', 'anyelement', 'int8'), ('value', 'anyelement', 'float8'), ('value', 'anyelement', '"numeric"'), ('value', 'anyelement', '"text"'), ('value', 'anyelement', '"interval"'), ('value', 'anyelement', 'timestamptz'),
  ('gap', 'scan_days', '1'), ('max_age', 'scan_days', '2'), ('max_gap', 'scan_days', '4'), ('max_gap', 'scan_rows', '''3'''), ('max_gap', 'smallint', '2::smallint'), ('max_gap', 'integer', '3'), ('reset', 'scan_flag', '''f'''), ('max_gap', 'scan_amount', '''300'''), ('quantity', 'scan_amount', '''2000.5'''), ('price', 'scan_amount', '''0.125'''),
  ('at', 'scan_axis', '(SELECT array_agg(times::float8 / 7 ORDER BY i) FROM one)::text'), ('value', 'anycompatible', 'scan_total'), ('init', 'anyelement', '''1e30''::float8::scan_total'), ('x', 'double precision', '(affine_map).b'), ('x', 'bigint', 'int4::int8'), ('x', 'numeric', 'int8::numeric / 1000'), ('y', 'double precision', 'float8');
-- Of the functions over arrays: elements, or what is no array at all.
INSERT INTO argument VALUES ('before', 'integer', '3'), ('after', 'integer', '1'), ('keep', 'boolean', '"bool" IS TRUE'), ('values', 'anyelement', 'int4'), ('values', 'anyelement', 'float8'), ('values', 'anyelement', '"text"'), ('values', 'anyelement', '"numeric"');

-- Of one function, rather than what others get for that name.
INSERT INTO argument VALUES
  ('value', 'smallint', 'abs(int2)', 'scan_bin'), ('value', 'integer', 'positive', 'scan_bin'), ('value', 'bigint', 'positive::int8 * 90', 'scan_bin'), ('value', 'double precision', 'abs(float8)', 'scan_bin'), ('value', 'numeric', 'abs("numeric")', 'scan_bin'),
  ('method', 'text', '''fifo''', 'scan_cost'), ('method', 'text', '''lifo''', 'scan_cost'), ('method', 'text', '''average''', 'scan_cost'), ('method', 'text', '''linear''', 'time_average'), ('method', 'text', '''previous''', 'time_average'), ('method', 'text', '''previous''', 'scan_integral'),
  ('value', 'anyelement', 'scan_total', 'scan_fold'), ('bits', 'boolean', '"bool" IS TRUE', 'array_split'), ('bit', 'boolean', '"bool" IS TRUE', 'scan_split_index'),
  ('y', 'numeric', 'int4::numeric', NULL);

-- The calls of a function: its arguments in all combinations.
CREATE FUNCTION calls_of(f pg_proc) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  lists text[] := '{""}'; whole text; kind text; named text; array_function bool := f.proname ~ '^array_';
BEGIN
  FOR i IN 1 .. f.pronargs LOOP
    whole := format_type(f.proargtypes[i - 1], NULL);
    named := coalesce(f.proargnames[i], '');
    kind := CASE WHEN array_function THEN replace(replace(whole, 'anyarray', 'anyelement'), '[]', '') ELSE whole END;
    -- of the rows that fit, those that say most
    SELECT array_agg(l || CASE WHEN i > 1 THEN ', ' ELSE '' END ||
                     CASE WHEN array_function AND whole <> kind THEN format(CASE WHEN kind ~ '^any' THEN '(SELECT array_agg(%s ORDER BY i) FROM one)' ELSE '(SELECT array_agg((%s)::%s ORDER BY i) FROM one)' END, a.expression, kind) ELSE format(CASE WHEN kind ~ '^any' THEN '%s' ELSE '(%s)::%s' END, a.expression, kind) END)
    INTO lists
    FROM unnest(lists) AS l, argument AS a
    WHERE a.type = kind AND a.name IN (named, '') AND coalesce(a.function, f.proname) = f.proname
      AND NOT EXISTS (SELECT FROM argument AS b WHERE b.type = kind AND b.name IN (named, '') AND coalesce(b.function, f.proname) = f.proname AND (b.name <> '', b.function IS NOT NULL) > (a.name <> '', a.function IS NOT NULL));
  END LOOP;
  RETURN QUERY SELECT f.proname || '(' || l || ')' FROM unnest(lists) AS l;
  IF lists IS NULL THEN
    RETURN NEXT f.oid::regprocedure || ' gets no arguments';
  END IF;
END $$;

-- One call over one table, as one line for each way to run it.
CREATE TABLE way (kind text, query text);
INSERT INTO way VALUES
  ('w', 'SELECT i, %s OVER (PARTITION BY p ORDER BY i) AS y FROM %s'),
  ('a', 'SELECT i, %s OVER (PARTITION BY p ORDER BY i) AS y FROM %s'),
  ('a', 'SELECT i, %s OVER (PARTITION BY p ORDER BY i ROWS BETWEEN 5 PRECEDING AND 1 PRECEDING) AS y FROM %s'),
  ('a', 'SELECT i, %s OVER (ORDER BY i ROWS BETWEEN 90 PRECEDING AND CURRENT ROW) AS y FROM %s'),
  ('g', 'SELECT p AS i, %s AS y FROM %s GROUP BY p'),
  ('f', 'SELECT i, %s AS y FROM %s'),
  ('r', 'SELECT p AS i, y FROM (SELECT DISTINCT p FROM %2$s) AS q, LATERAL (WITH one AS (SELECT * FROM %2$s AS t WHERE t.p = q.p) SELECT %1$s AS y) AS r');
CREATE FUNCTION show(call text, query text, data text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  prefixscan text; answer text; first text;
BEGIN
  FOREACH prefixscan IN ARRAY '{force,off}'::text[] LOOP
    PERFORM set_config('scan.prefixscan', prefixscan, false);
    BEGIN
      EXECUTE format('SELECT string_agg(coalesce(y::text, ''~''), '' '' ORDER BY i) FROM (%s) AS t', format(query, call, data)) INTO answer;
    EXCEPTION WHEN OTHERS THEN
      answer := SQLSTATE || ' ' || SQLERRM;
    END;
    IF answer IS DISTINCT FROM first THEN
      RETURN NEXT concat_ws(' | ', prefixscan, format(query, call, data), answer);
    END IF;
    first := answer;
  END LOOP;
END $$;

\echo -- window functions, aggregates, and functions of arrays, out of the catalog
SELECT show.*
FROM (SELECT f, f.proname, CASE WHEN f.proname ~ '^array_' THEN 'r' ELSE f.prokind END AS kind FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'scan' AND d.deptype = 'e' JOIN pg_proc AS f ON d.classid = 'pg_proc'::regclass AND f.oid = d.objid) AS f,
     calls_of(f.f) AS call, way, unnest('{mild,edge}'::text[]) AS data, show(call, query, data)
WHERE (f.kind IN ('a', 'w', 'r') OR f.proname ~ '^(affine_(compose|apply)|bit_add|scan_total_(add|eq|ne|of_float8|to_float8|to_numeric|send|out))$') AND (way.kind = f.kind OR way.kind = 'g' AND f.kind = 'a')
ORDER BY f.proname COLLATE "C", call COLLATE "C", way.query COLLATE "C", data;

\echo -- states between processes, as the bytes of their messages
CREATE AGGREGATE total_state(float8) (SFUNC = total_add_float8, STYPE = total_state);
CREATE AGGREGATE total_state_total(scan_total) (SFUNC = total_add_total, STYPE = total_state);
CREATE AGGREGATE total_state_int8(int8) (SFUNC = total_add_int8, STYPE = total_state);
CREATE AGGREGATE total_state_numeric(numeric) (SFUNC = total_add_numeric, STYPE = total_state);
CREATE AGGREGATE exact_state(float8) (SFUNC = exact_add_float8, STYPE = exact_state);
CREATE AGGREGATE exact_state_float4(float4) (SFUNC = exact_add_float4, STYPE = exact_state);
CREATE AGGREGATE exact_state_square(float8) (SFUNC = exact_add_square, STYPE = exact_state);
CREATE AGGREGATE exact_state_pair(float8, float8) (SFUNC = exact_add_pair, STYPE = exact_state);
CREATE AGGREGATE exact_state_pair_int8(int8, int8) (SFUNC = exact_add_pair_int8, STYPE = exact_state);
CREATE AGGREGATE exact_state_pair_float8_int8(float8, int8) (SFUNC = exact_add_pair_float8_int8, STYPE = exact_state);
CREATE AGGREGATE exact_state_pair_int8_float8(int8, float8) (SFUNC = exact_add_pair_int8_float8, STYPE = exact_state);
CREATE AGGREGATE exact_state_pair_numeric(numeric, numeric) (SFUNC = exact_add_pair_numeric, STYPE = exact_state);
CREATE AGGREGATE state_time_average(float8, timestamptz) (SFUNC = time_average_add_timestamptz, STYPE = exact_state);
CREATE AGGREGATE state_time_average(float8, float8) (SFUNC = time_average_add_float8, STYPE = exact_state);
SELECT show.*
FROM (VALUES ('total', 'total_state(float8)'), ('total', 'total_state_total(scan_total)'), ('total', 'total_state_int8(int8)'), ('total', 'total_state_numeric("numeric")'), ('exact', 'exact_state(float8)'), ('exact', 'exact_state_float4(float4)'), ('exact', 'exact_state_square(float8)'),
             ('exact', 'exact_state_pair(float8, (affine_map).b)'), ('exact', 'exact_state_pair_int8(int4, int8)'), ('exact', 'exact_state_pair_float8_int8(float8, int8)'), ('exact', 'exact_state_pair_int8_float8(int8, float8)'), ('exact', 'exact_state_pair_numeric("numeric", int8)'), ('exact', 'state_time_average(float8, timestamptz ORDER BY i)'), ('exact', 'state_time_average(float8, times::float8 / 7 ORDER BY i)')) AS c(type, call),
     (VALUES ('%s_state_send(%s)'), ('%s_state_out(%s)')) AS s(message), unnest('{mild,edge}'::text[]) AS data, show(format(message, type, call), 'SELECT p AS i, %s AS y FROM %s GROUP BY p', data)
ORDER BY call, message, data;

\echo -- functions that no table gives arguments
SELECT show.*
FROM unnest(ARRAY['csr_multiply(''{0,2,3,3,6}''::int4[], ''{0,2,1,0,2,3}''::int4[], (SELECT array_agg(float8 ORDER BY i) FROM (SELECT i, float8 FROM mild WHERE float8 IS NOT NULL ORDER BY i LIMIT 6) AS v), ''{1e10,-0.1,3,1e-300}'')',
                  'csr_multiply(''{0,2,3,3,6}''::int8[], ''{0,2,1,0,2,3}''::int8[], ''{1e300,1e300,0.1,-1e16,1,1e16}'', ''{1e10,-0.1,-1e10,1}'')',
                  'tridiagonal_solve(''{0,1,0.5,0.25}'', ''{4,3,-2,7}'', ''{1,0.3,1e-3,0}'', ''{1,2,3,1e10}'')', 'tridiagonal_solve(''{0,1}'', ''{0,0}'', ''{1,0}'', ''{1,2}'')',
                  'array_radix_sort((SELECT array_agg(int2 ORDER BY i) FROM edge WHERE int2 IS NOT NULL))', 'array_radix_sort((SELECT array_agg(int4 ORDER BY i) FROM edge WHERE int4 IS NOT NULL))', 'array_radix_sort((SELECT array_agg(int8 ORDER BY i) FROM edge WHERE int8 IS NOT NULL))',
                  'array_radix_sort((SELECT array_agg((mixed(i, 5) - 2147483648)::int4 ORDER BY i) FROM generate_series(1, 300) AS i))',
                  '(SELECT array_agg(t::text) FROM scan_trace(''blelloch'', ''{3,1,4,1,5,9,2,6}'') AS t)', '(SELECT array_agg(t::text) FROM scan_network(''sklansky'', 8) AS t)',
                  'array_scan_interpolate((SELECT array_agg(float8 ORDER BY i) FROM mild), (SELECT array_agg(times::float8 / 7 ORDER BY i) FROM mild), 300)']) AS call, show(call, 'SELECT 1 AS i, %s AS y FROM (SELECT) AS %s', 'q');

\echo -- orders by each type: where each row is among its peers and the others
SELECT show.*
FROM unnest(ARRAY['"bool"', 'int2', 'int4', 'int8', 'float4', 'float8', '"numeric"', '"text"', '"bit"', 'varbit', '"interval"', 'date', '"timestamp"', 'timestamptz', '"text" COLLATE "C"', 'int2::text::bytea', 'md5(i::text)::uuid', 'int8::text::name', '"text"::bpchar', 'ARRAY[int4]', '(float8, int2)', '"char"(int2::text)', 'positive::oid', 'make_time(mod(positive, 24), 0, mod(positive * 7, 60))', '(''08:00:2b:01:02:'' || lpad(to_hex(positive), 2, ''0''))::macaddr', '(''10.1.2.'' || positive)::inet']) AS key, (VALUES ('%s'), ('%s DESC'), ('"bool", %s NULLS FIRST, i')) AS o(by),
     unnest('{mild,edge}'::text[]) AS data, show('row_number()', 'SELECT i, rank() OVER w || '','' || scan_sum(i) OVER (ORDER BY ' || format(by, key) || ', i) || '','' || sum(i) OVER w AS y, %s OVER w AS z FROM %s WINDOW w AS (ORDER BY ' || format(by, key) || ')', data)
ORDER BY key, by, data;
