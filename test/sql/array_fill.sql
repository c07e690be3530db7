-- array_fill: array_scan_locf, array_scan_nocb, array_scan_interpolate and array_scan_session, over arrays of all types of "at".
\pset null -
SET datestyle = iso;
SET intervalstyle = postgres;
SET timezone = 'UTC';
-- Arrays.  The shape is that of the first one.
SELECT array_scan_locf('[0:4]={1,NULL,NULL,2,NULL}'::int[]) AS locf, array_scan_locf('{1,NULL,NULL,2}'::int[], 1) AS "1 row", array_scan_locf('{a,NULL,NULL,b}'::text[], reset => '{f,f,t,f}') AS segments, array_scan_locf('{{1,NULL},{NULL,2}}'::int[]) AS two,
       array_scan_nocb('{NULL,NULL,2,NULL}'::int[]) AS nocb, array_scan_nocb('{NULL,NULL,2}'::int[], 1) AS "1 row", array_scan_nocb('{NULL,NULL,b}'::text[], reset => '{f,t,f}') AS segments;
SELECT array_scan_locf('{a,NULL,NULL}'::text[], '{1,2,4}'::bigint[], 2) AS int8, array_scan_locf('{a,NULL,NULL}'::text[], '{1,2,4}'::int[], 2) AS int4, array_scan_locf('{a,NULL,NULL}'::text[], '{1,2,4}'::numeric[], 2.5) AS numeric, array_scan_locf('{a,NULL,NULL}'::text[], '{2024-01-01,2024-01-02,2024-01-04}'::date[], 2) AS days,
       array_scan_locf('{a,NULL,NULL}'::text[], '{2024-01-01,2024-01-02,2024-01-04}'::date[], '2 days') AS date, array_scan_nocb('{NULL,NULL,a}'::text[], '{1,2,4}'::bigint[], 2) AS nocb, array_scan_nocb('{NULL,NULL,a}'::text[], '{2024-01-01,2024-01-02,2024-01-04}'::timestamptz[], '2 days') AS timestamptz;
SELECT array_scan_session('{1,2,5,NULL,6}'::int[], 2) AS int4, array_scan_session('{1,2,5}'::numeric[], 2.5) AS numeric, array_scan_session('{2024-01-01,2024-01-02,2024-01-05}'::date[], 2) AS days, array_scan_session('{2024-01-01,2024-01-02,2024-01-05}'::date[], '2 days') AS date,
       array_scan_session('{2024-01-01,2024-01-02,2024-01-05}'::timestamp[], '2 days', '{f,t,f}') AS timestamp, array_scan_session('{}'::int[], 1) AS empty, array_scan_session(NULL::int[], 1) AS none;
-- Of array_scan_interpolate, the digits of a bigint and of a numeric count.  A literal without a type is an array of double precision.
SELECT array_scan_interpolate('{0,NULL,1}', at) AS bigint, array_scan_interpolate('{0,NULL,1}', at::numeric[]) AS numeric, array_scan_interpolate('{0,NULL,1}', at::float8[]) AS "as float8", array_scan_interpolate('{0,NULL,1}', at, 2) AS "gap 2", array_scan_interpolate('{0,NULL,1}', at, 1.9999999999999999999) AS less
FROM (VALUES ('{9007199254740992,9007199254740993,9007199254740994}'::bigint[])) AS t(at);
SELECT array_scan_interpolate(ARRAY[0, NULL, 1], ARRAY[1, 2, 5]) AS integer, array_scan_interpolate(ARRAY[0, NULL, 1], '{1,2,5}'::smallint[], 4) AS smallint, array_scan_interpolate('{0,NULL,1}', '{1,2,5}', 3.5) AS gap, array_scan_interpolate('{0,NULL,1}', '{1,2,5}', '4') AS "literal gap", array_scan_interpolate('{0,NULL,1}', '{1,2,5}', NULL, '{f,f,t}') AS segments,
       array_scan_interpolate('{0,NULL,1}', '{2024-01-01,2024-01-02,2024-01-05}'::date[]) AS date, array_scan_interpolate('{0,NULL,1}', '{2024-01-01,2024-01-02,2024-01-05}'::date[], 3) AS days, array_scan_interpolate('{0,NULL,1}', '{2024-01-01,2024-01-02,2024-01-05}'::timestamp[], '4 days') AS timestamp;
SELECT q, oracle.error_of('SELECT ' || q) FROM unnest(ARRAY['array_scan_locf(''{1,2}''::int[], -1)', 'array_scan_locf(''{1,2}''::int[], ''{1}''::int[], 1)', 'array_scan_nocb(''{1,NULL,2}''::int[], ''{1,3,2}''::int[], 1)', 'array_scan_session(''{1,2}''::int[], -1)', 'array_scan_session(''{1,2}''::int[], NULL)',
  'array_scan_session(''{1,2}''::int[], 1, ''{t}'')', 'array_scan_locf(''1 2''::int2vector)', 'array_scan_interpolate(''{1,NULL,2}'', ''{1,2,3}'', ''-1'')', 'array_scan_interpolate(''{1,NULL,2}'', ''{1,2,3}''::bigint[], -1)', 'array_scan_interpolate(''{1,NULL,2}'', ''{1,2,x}'')', 'array_scan_interpolate(''{1,NULL,2}'', ''{1,2,3}'', ''x'')']) AS q;
