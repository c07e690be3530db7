-- array_recurrence: array_scan_recurrence, the rows of scan_recurrence as a job over
-- arrays: the same bits by every algorithm.
\pset null -
SELECT array_scan_recurrence('{1.5,1.5,0.1}'::float8[], '{10,10,0}') AS balance, array_scan_recurrence('{1.5,1.5,0.1}'::float8[], '{10,10,0}', 100) AS "from 100",
       array_scan_recurrence('{1.5,1.5,0.1}'::float8[], '{10,10,0}', init => 100, reset => '{f,t,NULL}') AS "again at 2",
       array_scan_recurrence('{NULL,1.5,2,0.1,3}'::float8[], '{1,10,NULL,0,NULL}') AS "NULLs";
-- Empty, NULL, other shapes: the result has that of the first array.
SELECT array_scan_recurrence('{}'::float8[], '{}') AS empty, array_scan_recurrence(NULL::float8[], '{1}') AS "NULL", array_scan_recurrence('{1}'::float8[], NULL) AS "NULL too", array_scan_recurrence('{1,2}'::float8[], '{NULL,NULL}') AS "only NULLs",
       array_scan_recurrence('[5:7]={1,2,3}'::float8[], '{1,1,1}') AS bounds, array_scan_recurrence('{{1,2},{3,4}}'::float8[], '{1,1,1,1}', 0, '{f,f,t,f}') AS square;
-- From the first operand on that is not finite; an answer beyond the doubles; what is not an argument.
SELECT array_scan_recurrence('{2,0,0.5,1}'::float8[], '{1,Infinity,1,NaN}', 1) AS "not finite";
SELECT oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT array_scan_recurrence('{2,2}'::float8[], '{1e308,1e308}')$$,
  $$SELECT array_scan_recurrence('{1,2,3}'::float8[], '{1,2}')$$,
  $$SELECT array_scan_recurrence('{1,2}'::float8[], '{1,2}', 0, '{f}')$$,
  $$SELECT array_scan_recurrence('{1,2}'::float8[], '{1,2}', NULL)$$]) AS q;

-- Kinds of data: averages, compounding, a near 1, random signs, small integers whose
-- every answer is a tie, decays into the subnormals, wild exponents.
CREATE FUNCTION pg_temp.unit(i bigint, s bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$SELECT oracle.draw(i, s, 4503599627370496) * oracle.two(-52)$$;
CREATE TEMP TABLE sample AS
SELECT kind, size, array_agg(a ORDER BY i) AS a, array_agg(b ORDER BY i) AS b, array_agg(CASE WHEN oracle.draw(i, 1, 10) >= 3 THEN a END ORDER BY i) AS a_some, array_agg(CASE WHEN oracle.draw(i, 2, 10) >= 1 THEN b END ORDER BY i) AS b_some,
       array_agg(CASE oracle.draw(i, 3, 700) WHEN 0 THEN true WHEN 1 THEN NULL ELSE false END ORDER BY i) AS reset
FROM unnest(ARRAY[1, 2, 7, 8, 9, 63, 64, 65, 255, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 9000, 65537]) AS size, generate_series(0, 6) AS kind, generate_series(1, size) AS i,
     LATERAL (SELECT CASE kind WHEN 0 THEN 0.98 WHEN 1 THEN 1 + 1e-3 * pg_temp.unit(i, 4) WHEN 2 THEN 1 + 1e-5 * (pg_temp.unit(i, 4) - 0.5) WHEN 3 THEN 2.2 * (pg_temp.unit(i, 4) - 0.5)
                     WHEN 4 THEN 0.5 WHEN 5 THEN CASE WHEN oracle.draw(i, 7, 900) = 0 THEN 0 ELSE 0.3 + 0.6 * pg_temp.unit(i, 4) END ELSE oracle.two(oracle.draw(i, 4, 200)::int - 150) END AS a,
                     CASE kind WHEN 4 THEN oracle.draw(i, 5, 9) - 4 WHEN 5 THEN CASE WHEN oracle.draw(i, 7, 900) = 0 THEN -1 ELSE 0 END WHEN 6 THEN oracle.two(oracle.draw(i, 6, 400)::int - 200) * (pg_temp.unit(i, 5) - 0.5) ELSE pg_temp.unit(i, 5) - 0.5 END AS b) AS row
WHERE size < 65537 OR kind IN (0, 4)
GROUP BY kind, size;
CREATE TEMP TABLE answer (kind int, size int, fill text, resets boolean, algorithm text, y text);
CREATE FUNCTION pg_temp.answer(fill text, a text, b text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  resets boolean; algorithm text;
BEGIN
  FOREACH resets IN ARRAY '{f,t}'::boolean[] LOOP
    EXECUTE format('INSERT INTO answer SELECT kind, size, %L, %L, ''scan_recurrence'', md5(array_send(array_agg(y ORDER BY i)))
      FROM (SELECT kind, size, i, scan_recurrence(u.a, u.b, 0.5, u.reset AND %L) OVER (PARTITION BY kind, size ORDER BY i) AS y FROM sample, unnest(%s, %s, reset) WITH ORDINALITY AS u(a, b, reset, i)) AS t GROUP BY kind, size', fill, resets, resets, a, b);
    FOREACH algorithm IN ARRAY '{auto,sequential,hillis_steele,blelloch,blocked}'::text[] LOOP
      PERFORM set_config('scan.algorithm', algorithm, true);
      EXECUTE format('INSERT INTO answer SELECT kind, size, %L, %L, %L, md5(array_send(array_scan_recurrence(%s, %s, 0.5, %s))) FROM sample', fill, resets, algorithm, a, b, CASE WHEN resets THEN 'reset' ELSE 'NULL' END);
    END LOOP;
  END LOOP;
END $$;
SELECT count(pg_temp.answer(fill, a, b)) AS fills FROM (VALUES ('full', 'a', 'b'), ('some', 'a_some', 'b_some')) AS t(fill, a, b);
SELECT a.algorithm, count(*) AS arrays, sum(a.size) AS elements, count(*) FILTER (WHERE a.y IS DISTINCT FROM o.y) AS different
FROM answer AS a LEFT JOIN answer AS o ON (a.kind, a.size, a.fill, a.resets) = (o.kind, o.size, o.fill, o.resets) AND o.algorithm = 'scan_recurrence'
WHERE a.algorithm <> 'scan_recurrence' GROUP BY a.algorithm ORDER BY a.algorithm;
-- (These are many different answers, not one:)
SELECT count(*) AS answers, count(DISTINCT y) AS different FROM answer WHERE algorithm = 'auto';
