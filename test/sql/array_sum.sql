-- array_sum: array_scan_sum, the batch executor from SQL: every type, every
-- algorithm, sizes around its tile of 1024 rows and around 65536.
\pset null -
SELECT array_scan_sum('{1,2,3,NULL,5}'::int4[]) AS inclusive,
       array_scan_sum('{1,2,3,NULL,5}'::int4[], exclusive => true) AS exclusive,
       array_scan_sum('{1,2,3,NULL,5}'::int4[], '{f,f,t,NULL,f}') AS segments,
       array_scan_sum('{1,2,3,NULL,5}'::int4[], '{f,f,t,NULL,f}', true) AS "segments, exclusive";
SELECT array_scan_sum('{-1,NULL,32767}'::int2[]) AS int2, array_scan_sum('{2147483647,2147483647}'::int4[]) AS int4,
       array_scan_sum('{9223372036854775807,-1}'::int8[]) AS int8, array_scan_sum('{0.1,0.2,NULL,NaN}'::float4[]) AS float4, array_scan_sum('{1e16,1,-1e16}'::float8[]) AS float8;
SELECT pg_typeof(array_scan_sum('{1}'::int2[])) AS int2, pg_typeof(array_scan_sum('{1}'::int4[])) AS int4, pg_typeof(array_scan_sum('{1}'::int8[])) AS int8,
       pg_typeof(array_scan_sum('{1}'::float4[])) AS float4, pg_typeof(array_scan_sum('{1}'::float8[])) AS float8, pg_typeof(array_scan_sum(ARRAY[1, 2])) AS literal;
-- Nothing in, nothing out; leading NULLs; only NULLs.
SELECT array_scan_sum('{}'::int8[]) AS empty, array_scan_sum(NULL::int8[]) AS null, array_scan_sum('{}'::float8[], '{}') AS empties, array_scan_sum('{}'::int4[], NULL, true) AS exclusive,
       array_scan_sum('{NULL,NULL,7}'::int8[]) AS leading, array_scan_sum('{NULL,NULL,7}'::float8[], exclusive => true) AS exclusive_leading, array_scan_sum('{NULL,NULL}'::float4[]) AS nulls,
       array_scan_sum('{5}'::int8[]) AS one, array_scan_sum('{5}'::int8[], '{t}', true) AS one_exclusive;
-- Bounds and dimensions stay; the elements are taken in storage order.
SELECT array_scan_sum('[5:7]={1,2,3}'::int8[]) AS bounds, array_scan_sum('{{1,2,3},{4,5,6}}'::int8[]) AS dimensions, array_scan_sum('[0:1][-1:0]={{1,2},{3,NULL}}'::float8[]) AS both,
       array_scan_sum('{{1,2},{3,4}}'::int4[], '{f,f,t,f}') AS "flat reset", array_scan_sum('{{1,2},{3,4}}'::int4[], '{{f,f},{t,f}}') AS "square reset", array_scan_sum('[5:7]={1,2,3}'::int8[], '[0:2]={f,t,f}') AS "other bounds";
SELECT array_ndims(array_scan_sum(array_fill(1, ARRAY[2, 2, 2, 2, 2, 2]))), (array_scan_sum(array_fill(1, ARRAY[2, 2, 2, 2, 2, 2])))[2][2][2][2][2][2] AS last;
-- The reset array has as many elements as the values.
SELECT oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT array_scan_sum('{1,2,3}'::int8[], '{f,t}')$$,
  $$SELECT array_scan_sum('{1,2,3}'::float8[], '{}')$$,
  $$SELECT array_scan_sum('{}'::float4[], '{f}')$$,
  $$SELECT array_scan_sum('{1}'::int2[], NULL, NULL)$$]) AS q;

-- Every algorithm, inclusive and exclusive, with and without segments, at sizes around
-- a tile (1024 rows), around a batch (65536) and a few tiles into the next batch,
-- gives the bytes that scan_sum() gives row by row.
CREATE TEMP TABLE sample AS
SELECT size, array_agg((h >> 48)::int2 ORDER BY i) AS i2, array_agg((h >> 33)::int4 ORDER BY i) AS i4, array_agg(h >> 18 ORDER BY i) AS i8,
       array_agg(((h >> 40) * oracle.two((h & 63)::int - 56))::float4 ORDER BY i) AS f4, array_agg((h >> 11) * oracle.two((h & 511)::int - 308) ORDER BY i) AS f8,
       array_agg(CASE oracle.draw(h, 4, size) WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE CASE WHEN h & 1023 = 0 THEN 1 ELSE '-0'::float8 END END ORDER BY i) AS z8,
       array_agg(oracle.draw(h, 1, 10) < 3 ORDER BY i) AS hole, array_agg(CASE oracle.draw(h, 2, 50) WHEN 0 THEN true WHEN 1 THEN NULL ELSE false END ORDER BY i) AS reset
FROM unnest(ARRAY[1, 2, 3, 7, 8, 9, 255, 1023, 1024, 1025, 2048, 65535, 65536, 65537, 68000]) AS size, generate_series(1, size) AS i, LATERAL (SELECT oracle.hash(i, size) AS h) AS r
GROUP BY size;
CREATE TEMP TABLE answer (size int, type text, fill text, resets boolean, exclusive boolean, algorithm text, y text);
CREATE FUNCTION pg_temp.answer(type text, col text, large int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  fill text; resets boolean; exclusive boolean; algorithm text;
BEGIN
  -- (large arrays: only without NULLs and segments, and with both)
  EXECUTE format('CREATE TEMP TABLE filled AS SELECT size, fill, array_agg(u.x ORDER BY i) AS x, array_agg(u.reset ORDER BY i) AS reset
                  FROM sample, (VALUES (''full''), (''some'')) AS fills(fill), LATERAL (SELECT i, CASE WHEN NOT (fill = ''some'' AND t.hole) THEN x END AS x, t.reset FROM unnest(%s, hole, reset) WITH ORDINALITY AS t(x, hole, reset, i)) AS u
                  WHERE size <= 2048 OR size = ANY (%L) GROUP BY size, fill', col, large);
  FOREACH resets IN ARRAY '{f,t}'::boolean[] LOOP
    FOREACH exclusive IN ARRAY '{f,t}'::boolean[] LOOP
      EXECUTE format('INSERT INTO answer SELECT size, %L, fill, %L, %L, ''scan_sum'', md5(array_send(array_agg(y ORDER BY i)))
        FROM (SELECT size, fill, i, scan_sum(u.x, u.reset AND %L, %L) OVER (PARTITION BY size, fill ORDER BY i) AS y FROM filled, unnest(filled.x, filled.reset) WITH ORDINALITY AS u(x, reset, i)
              WHERE size <= 2048 OR (fill = ''some'') = %L) AS t GROUP BY size, fill', type, resets, exclusive, resets, exclusive, resets);
      FOREACH algorithm IN ARRAY '{auto,sequential,hillis_steele,blelloch,blocked}'::text[] LOOP
        PERFORM set_config('scan.algorithm', algorithm, true);
        EXECUTE format('INSERT INTO answer SELECT size, %L, fill, %L, %L, %L, md5(array_send(array_scan_sum(x, %s, %L))) FROM filled WHERE size <= 2048 OR (fill = ''some'') = %L',
                       type, resets, exclusive, algorithm, CASE WHEN resets THEN 'reset' ELSE 'NULL' END, exclusive, resets);
      END LOOP;
    END LOOP;
  END LOOP;
  DROP TABLE filled;
END $$;
SELECT count(pg_temp.answer(type, col, large::int[])) AS types
FROM (VALUES ('int2', 'i2', '{}'), ('int4', 'i4', '{}'), ('int8', 'i8', '{65535,65536,65537,68000}'), ('float4', 'f4', '{}'), ('float8', 'f8', '{65537,68000}'), ('float8, zeros, NaN', 'z8', '{}')) AS t(type, col, large);
SELECT a.type, a.algorithm, count(*) AS arrays, sum(a.size) AS elements, count(*) FILTER (WHERE a.y IS DISTINCT FROM o.y) AS different
FROM answer AS a LEFT JOIN answer AS o ON (a.size, a.type, a.fill, a.resets, a.exclusive) = (o.size, o.type, o.fill, o.resets, o.exclusive) AND o.algorithm = 'scan_sum'
WHERE a.algorithm <> 'scan_sum' GROUP BY a.type, a.algorithm ORDER BY a.type, a.algorithm;
-- (These are many different answers, not one:)
SELECT count(*) AS answers, count(DISTINCT y) AS different FROM answer WHERE algorithm = 'auto';

-- Arrays as they come: out of line and compressed in a table, being built, from a subquery, in a loop.
CREATE TEMP TABLE stored AS SELECT array_agg(i ORDER BY i) AS a FROM generate_series(1, 100000) AS i;
SELECT (array_scan_sum(a))[100000] AS stored, (array_scan_sum(array_append(a, 1)))[100001] AS appended, (array_scan_sum(ARRAY(SELECT generate_series(1, 10))))[10] AS subquery FROM stored;
CREATE FUNCTION pg_temp.changed(n int, OUT scanned bigint[], OUT wanted bigint[]) LANGUAGE plpgsql AS $$
BEGIN
  scanned := array_fill(1::bigint, ARRAY[6]); wanted := scanned;
  FOR k IN 1..n LOOP
    scanned := array_scan_sum(scanned); scanned[3] := k;
    wanted := ARRAY(SELECT sum(x) OVER (ORDER BY i) FROM unnest(wanted) WITH ORDINALITY AS t(x, i)); wanted[3] := k;
  END LOOP;
  scanned := array_scan_sum(scanned);
  wanted := ARRAY(SELECT sum(x) OVER (ORDER BY i) FROM unnest(wanted) WITH ORDINALITY AS t(x, i));
END $$;
SELECT n, (pg_temp.changed(n)).* FROM generate_series(0, 3) AS n;
