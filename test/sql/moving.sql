-- moving: moving_median, moving_percentile_cont, moving_percentile_disc, moving_mode and
-- moving_count_distinct give over any frame what core's ordered-set aggregates and
-- count(DISTINCT) give over the same rows.
\pset null -
SET intervalstyle = postgres;
SELECT i, x, array_agg(x) OVER w AS frame, moving_median(x) OVER w AS median, moving_percentile_cont(x, 0.25) OVER w AS cont, moving_percentile_disc(x, 0.25) OVER w AS disc,
       moving_mode(x) OVER w AS mode, moving_count_distinct(x) OVER w AS distinct
FROM (VALUES (1, NULL), (2, 3), (3, 1), (4, 1), (5, NULL), (6, 2), (7, 2), (8, 7), (9, NULL), (10, NULL), (11, NULL), (12, 5)) AS t(i, x) WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i;

-- Values of many types, with NULLs, ties, and equal values that look different.  No partition
-- has more than six rows: so few are sorted stably by core, and answers are compared by their text.
CREATE TYPE oracle.kind AS ENUM ('small', 'medium', 'large');
CREATE TABLE moving AS
SELECT i, i / 6 AS p, oracle.draw(i, 1, 4)::int AS k, CASE WHEN oracle.draw(i, 2, 5) > 0 THEN oracle.draw(i, 3, 3)::int END AS int4,
       ('{0,-0,1,1.5,-2,NaN,Infinity,-Infinity,1e300,NULL,NULL}'::float8[])[1 + oracle.draw(i, 4, 11)] AS float8,
       ('{0,-0,0.1,NaN,NULL}'::float4[])[1 + oracle.draw(i, 5, 5)] AS float4, ('{1,1.0,1.00,2,2.0,NaN,-3,NULL}'::numeric[])[1 + oracle.draw(i, 6, 8)] AS "numeric",
       ('{a,A,b,B,á,"",NULL}'::text[])[1 + oracle.draw(i, 7, 7)] AS "text", ('{a,A,b,B,NULL}'::text[])[1 + oracle.draw(i, 8, 5)] COLLATE oracle.caseless AS caseless,
       ('{1 mon,30 days,720:00,-1 day,1 mon -1 day,0,2 years 00:00:00.5,NULL}'::interval[])[1 + oracle.draw(i, 9, 8)] AS "interval",
       ('{2000-01-01 12:00,infinity,-infinity,1999-12-31,NULL}'::timestamptz[])[1 + oracle.draw(i, 10, 5)] AS "timestamptz", oracle.draw(i, 11, 3) > 0 AS bool,
       ('{small,medium,large,NULL}'::oracle.kind[])[1 + oracle.draw(i, 12, 4)] AS enum, ARRAY[oracle.draw(i, 13, 3)::numeric, 1] AS "array",
       repeat('long', 5000) || oracle.draw(i, 14, 3) AS toasted, (ARRAY['1','1.0','[1,2]',NULL]::jsonb[])[1 + oracle.draw(i, 15, 4)] AS jsonb,
       md5(oracle.draw(i, 16, 4)::text)::uuid AS uuid, ('{a,"a ",b}'::char(2)[])[1 + oracle.draw(i, 17, 3)] AS bpchar
FROM generate_series(0, 299) AS i
ORDER BY p, k, i; -- rows that tie keep this order, whoever sorts them
ALTER TABLE moving ALTER toasted SET STORAGE EXTENDED;
UPDATE moving SET toasted = toasted || '';
ANALYZE moving;
SELECT pg_column_size(toasted) < 1000 AS compressed FROM moving LIMIT 1;

CREATE TABLE moving_frame (frame text);
INSERT INTO moving_frame VALUES ('ROWS 2 PRECEDING'), ('ROWS UNBOUNDED PRECEDING'), ('ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING'), ('ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING'), ('ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING'),
  ('ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING'), ('ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING'), ('ROWS CURRENT ROW'), ('RANGE UNBOUNDED PRECEDING'), ('RANGE 1 PRECEDING'), ('RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING'),
  ('RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING'), ('GROUPS 1 PRECEDING'), ('GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING'), ('GROUPS BETWEEN 1 FOLLOWING AND 3 FOLLOWING'), ('ROWS 3 PRECEDING EXCLUDE CURRENT ROW'),
  ('GROUPS 1 PRECEDING EXCLUDE GROUP'), ('ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES');

-- A call over all these frames.  Which rows are in a frame, and in which order, is what core's array_agg says.
CREATE FUNCTION oracle.compare_moving(ours text, core text) RETURNS TABLE (rows bigint, "NULL" boolean, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
  query text;
BEGIN
  SELECT string_agg(format('SELECT y::text AS ours, (SELECT (%s)::text FROM unnest(frame)) AS core FROM (SELECT %s OVER w AS y, array_agg(moving) OVER w AS frame FROM moving WINDOW w AS (PARTITION BY p ORDER BY k %s)) AS t', core, ours, frame), ' UNION ALL ')
  INTO query FROM moving_frame;
  RETURN QUERY EXECUTE 'SELECT count(*), bool_or(t.ours IS NULL), count(*) FILTER (WHERE t.ours IS DISTINCT FROM t.core) FROM (' || query || ') AS t';
END $$;
-- Core's percentile_cont of floats, operator by operator: on arm64 and s390x, core's own function fuses the multiplication and the addition.
CREATE FUNCTION oracle.percentile_cont(x float8[], fraction float8) RETURNS float8 LANGUAGE sql AS $$
  SELECT CASE WHEN ceil(place) = floor(place) THEN x[place + 1] ELSE x[floor(place) + 1] + (place - floor(place)) * (x[ceil(place) + 1] - x[floor(place) + 1]) END
  FROM (SELECT fraction * (cardinality(x) - 1) AS place) AS p
$$;
CREATE TABLE moving_call AS
SELECT format(ours, type) AS ours, format(core, type) AS core
FROM (VALUES ('moving_median(%I)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY %I)', '{float8,interval,float4}'::text[]),
             ('moving_median(%1$I)', 'CASE WHEN count(%1$I) %% 2 = 1 THEN (array_agg(%1$I::numeric ORDER BY %1$I))[(count(%1$I) + 1) / 2] ELSE ((array_agg(%1$I::numeric ORDER BY %1$I))[count(%1$I) / 2] + (array_agg(%1$I::numeric ORDER BY %1$I))[count(%1$I) / 2 + 1]) / 2 END', '{int4,numeric}'),
             ('moving_percentile_cont(%1$I, 0.3)', 'CASE WHEN 3 * count(%1$I) %% 10 = 3 THEN (array_agg(%1$I::numeric ORDER BY %1$I))[3 * (count(%1$I) - 1) / 10 + 1]
               ELSE (array_agg(%1$I::numeric ORDER BY %1$I))[3 * (count(%1$I) - 1) / 10 + 1] + (0.3 * (count(%1$I) - 1) - floor(0.3 * (count(%1$I) - 1))) * ((array_agg(%1$I::numeric ORDER BY %1$I))[3 * (count(%1$I) - 1) / 10 + 2] - (array_agg(%1$I::numeric ORDER BY %1$I))[3 * (count(%1$I) - 1) / 10 + 1]) END', '{int4,numeric}'),
             ('moving_percentile_cont(%I, 0)', 'percentile_cont(0) WITHIN GROUP (ORDER BY %I)', '{float8,interval}'),
             ('moving_percentile_cont(%1$I, 0.3)', 'oracle.percentile_cont(array_agg(%1$I ORDER BY %1$I) FILTER (WHERE %1$I IS NOT NULL), 0.3)', '{float8}'),
             ('moving_percentile_cont(%I, 0.3)', 'percentile_cont(0.3) WITHIN GROUP (ORDER BY %I)', '{interval}'),
             ('moving_percentile_cont(%I, 1)', 'percentile_cont(1) WITHIN GROUP (ORDER BY %I)', '{float8,interval}'),
             ('moving_percentile_cont(%I, NULL)', 'percentile_cont(NULL::float8) WITHIN GROUP (ORDER BY %I)', '{float8,interval}'),
             ('moving_percentile_disc(%I, 0.4)', 'percentile_disc(0.4) WITHIN GROUP (ORDER BY %I)', '{int4,float8,float4,numeric,text,caseless,interval,timestamptz,bool,enum,array,toasted,jsonb,uuid,bpchar}'),
             ('moving_percentile_disc(%I, 0)', 'percentile_disc(0) WITHIN GROUP (ORDER BY %I)', '{numeric,bool}'),
             ('moving_percentile_disc(%I, 1)', 'percentile_disc(1) WITHIN GROUP (ORDER BY %I)', '{numeric,bool}'),
             ('moving_percentile_disc(%I, NULL)', 'percentile_disc(NULL::float8) WITHIN GROUP (ORDER BY %I)', '{numeric,bool}'),
             ('moving_mode(%I)', 'mode() WITHIN GROUP (ORDER BY %I)', '{int4,float8,float4,numeric,text,caseless,interval,timestamptz,bool,enum,array,toasted,jsonb,uuid,bpchar}'),
             ('moving_count_distinct(%I)', 'count(DISTINCT %I)', '{int4,float8,float4,numeric,text,caseless,interval,timestamptz,bool,enum,array,toasted,jsonb,uuid,bpchar}')) AS f(ours, core, types), unnest(types) AS type;
SELECT m.ours, c.* FROM moving_call AS m, oracle.compare_moving(m.ours, m.core) AS c;
-- Without OVER, by group, with FILTER, DISTINCT, and another order of the rows, in which they are equal; over no rows.
SELECT p, moving_median(float8), extract(epoch FROM moving_percentile_cont("interval", 0.25)) / 86400 AS "days of cont", moving_percentile_disc("text", 0.75) AS disc, moving_mode(enum) AS mode, moving_count_distinct("array") AS distinct, moving_median(DISTINCT int4) AS "median of distinct" FROM moving WHERE p < 4 GROUP BY p ORDER BY p;
SELECT count(*) AS groups, count(*) FILTER (WHERE (a, b, c, d, e)::text IS DISTINCT FROM (f, g, h, i, j)::text) AS wrong
FROM (SELECT moving_median(float8) FILTER (WHERE k > 1) AS a, moving_percentile_cont("interval", 0.9) AS b, moving_percentile_disc("numeric", 0.5) AS c, moving_mode("numeric") AS d, moving_count_distinct(jsonb) AS e,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY float8) FILTER (WHERE k > 1) AS f, percentile_cont(0.9) WITHIN GROUP (ORDER BY "interval") AS g, percentile_disc(0.5) WITHIN GROUP (ORDER BY "numeric") AS h, mode() WITHIN GROUP (ORDER BY "numeric") AS i, count(DISTINCT jsonb) AS j
      FROM moving GROUP BY p) AS t;
SELECT moving_percentile_disc(x, 0.5 ORDER BY i) AS forward, moving_percentile_disc(x, 0.5 ORDER BY -i) AS backward, moving_mode(x ORDER BY i) AS mode, moving_mode(x ORDER BY -i) AS "mode backward" FROM (VALUES (1, 1.0), (2, 1.00), (3, 1.000)) AS t(i, x);
SELECT moving_median(float8), moving_percentile_cont(float8, 2) AS cont, moving_percentile_disc(float8, 2) AS disc, moving_mode(float8) AS mode, moving_count_distinct(float8) AS distinct FROM moving WHERE false;
-- A window with FILTER, and one through the plan node.
SELECT count(*), count(*) FILTER (WHERE y IS DISTINCT FROM (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY m.i) FROM moving AS m WHERE m.p = t.p AND m.i BETWEEN t.i - 3 AND t.i - 1 AND m.bool)) AS wrong
FROM (SELECT p, i, moving_median(i) FILTER (WHERE bool) OVER (PARTITION BY p ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS y FROM moving) AS t;
BEGIN;
SET LOCAL scan.prefixscan = force;
SELECT i, moving_mode(k) OVER w AS mode, scan_sum(k) OVER w AS sum, count(*) OVER w, moving_median(k) OVER (ORDER BY i) FROM moving WHERE i < 5 WINDOW w AS (ORDER BY i ROWS 2 PRECEDING);
COMMIT;

-- Hundreds of values that all leave while the frame has rows, all NULL, and then come again.
SELECT count(*), count(median) AS medians, count(*) FILTER (WHERE (median::float8, mode, "distinct") IS DISTINCT FROM (SELECT (percentile_cont(0.5) WITHIN GROUP (ORDER BY y), mode() WITHIN GROUP (ORDER BY y), count(DISTINCT y)) FROM LATERAL (SELECT CASE WHEN j / 700 % 2 = 0 THEN j * 7 % 997 END AS y FROM generate_series(i - 499, i) AS j WHERE j >= 0) AS f)) AS wrong
FROM (SELECT i, moving_median(x) OVER w AS median, moving_mode(x) OVER w AS mode, moving_count_distinct(x) OVER w AS distinct FROM (SELECT i, CASE WHEN i / 700 % 2 = 0 THEN i * 7 % 997 END AS x FROM generate_series(0, 5000) AS i) AS s WINDOW w AS (ORDER BY i ROWS 499 PRECEDING)) AS t WHERE i % 10 = 0;

-- The fraction: core's errors for one that is none.  It must be the same for all rows of a frame, or of a group.
SELECT f AS fraction, c AS call, oracle.error_of(replace('SELECT percentile_X(' || f || ') WITHIN GROUP (ORDER BY float8) FROM moving', 'X', c)) AS core,
       oracle.error_of(replace('SELECT moving_percentile_X(float8, ' || f || ') OVER (ROWS 2 PRECEDING) FROM moving', 'X', c)) AS moving
FROM unnest('{-0.1,1.1,95,''NaN'',''Infinity''}'::text[]) AS f, unnest('{cont,disc}'::text[]) AS c;
SELECT oracle.error_of(format('SELECT moving_percentile_cont(x, f) OVER (ORDER BY i %s) FROM (VALUES (1, 10, 0.1), (2, NULL, %s), (3, 30, 0.1)) AS t(i, x, f)', frame, f)) AS error, frame, f
FROM unnest('{ROWS 1 PRECEDING,ROWS CURRENT ROW,ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING,""}'::text[]) AS frame, unnest('{0.2,"NULL",0.1}'::text[]) AS f;
SELECT oracle.error_of('SELECT moving_percentile_disc(i, CASE i WHEN 1 THEN NULL ELSE 0.5 END) FROM generate_series(1, 2) AS i') AS "NULL first";
SELECT p, i, moving_percentile_cont(i, f) OVER (PARTITION BY p ORDER BY i ROWS 2 PRECEDING) FROM (VALUES ('low', 0), ('median', 0.5), ('high', 1)) AS t(p, f), generate_series(1, 4) AS i ORDER BY f, i;
SELECT i, moving_percentile_cont(i, 'NaN') FILTER (WHERE i > 2) OVER (ORDER BY i ROWS CURRENT ROW) FROM generate_series(1, 2) AS i;

-- Types that have no order, and no type at all.
SELECT oracle.error_of(q) FROM unnest(ARRAY['SELECT moving_mode(x) FROM (VALUES (''{}''::json)) AS t(x)', 'SELECT moving_count_distinct(x) OVER () FROM (VALUES (''(1,2)''::point)) AS t(x)', 'SELECT moving_mode(ARRAY[x]) FROM (VALUES (''(1,2)''::point)) AS t(x)',
  'SELECT moving_median(x) FROM (VALUES (''a''::text)) AS t(x)', 'SELECT moving_mode(x || y) FROM (SELECT x COLLATE "C" AS x, x COLLATE "POSIX" AS y FROM (VALUES (''a'')) AS t(x)) AS t', 'SELECT moving_mode()']) AS q;
-- A value that is not the same when it leaves as when it came: WindowAgg begins the frame anew.
SET scan.prefixscan = off;
CREATE SEQUENCE moving_sequence;
CREATE FUNCTION oracle.liar(step int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN step * nextval('moving_sequence'); END$$;
SELECT i, moving_median(oracle.liar(i / i)) OVER (ORDER BY i ROWS 1 PRECEDING) AS rising FROM generate_series(1, 5) AS i;
SELECT i, moving_median(oracle.liar(i / -i)) OVER (ORDER BY i ROWS 1 PRECEDING) AS falling FROM generate_series(1, 5) AS i;
SELECT i, moving_mode(oracle.liar(i / -i)) OVER (ORDER BY i ROWS 1 PRECEDING) AS mode FROM generate_series(1, 5) AS i;
-- PrefixScan computes it once.
SET scan.prefixscan = force;
SELECT i, moving_median(oracle.liar(i / i)) OVER (ORDER BY i ROWS 1 PRECEDING) AS once FROM generate_series(1, 5) AS i;
RESET scan.prefixscan;
DROP TABLE moving, moving_frame, moving_call;
