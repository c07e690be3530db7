-- array_moving_*: the aggregates over ROWS frames are the oracle.

SET client_min_messages = notice;
SELECT array_moving_sum(ARRAY[1, 2, 3, 4], 1), array_moving_sum(ARRAY[1, 2, NULL, 4]::int8[], 0, 2);
SELECT array_moving_sum('{1e16,1,-1e16,1}'::float8[], 2), array_moving_avg('{0.1,0.2,0.3}'::float8[], 1, 1);
SELECT array_moving_min('[5:7]={b,a,c}'::text[], 1), array_moving_max('{{1,5},{2,NULL}}'::int4[], 1);
SELECT array_moving_median('{1,100,2,3}'::float8[], 1, 1), array_moving_avg(ARRAY[1, 2, 4], 1);
SELECT array_moving_median('{1 day,3 days,2 hours}'::interval[], 1, 1);
SELECT array_moving_sum('{}'::float8[], 3), array_moving_sum(NULL::float8[], 3), array_moving_max('{NULL,NULL}'::int4[], 3);
-- the widest windows there are
SELECT array_moving_sum(ARRAY[1, 2, 3], 2147483647, 2147483647), array_moving_sum(ARRAY[1, 2, 3], 0, 0);

-- elements with NULLs, equal ones that differ (1.0 and 1.00, 0 and -0), NaN, infinities and the limits of types
CREATE TABLE array_moving_data AS
SELECT i, CASE WHEN hashint4(i) % 7 = 0 THEN NULL ELSE (hashint4(i) % 100)::int2 END AS int2,
       CASE WHEN hashint4(i) % 5 = 0 THEN NULL ELSE hashint4(i) END AS int4,
       CASE hashint4(i) % 6 WHEN 0 THEN NULL WHEN 1 THEN 9223372036854775807 WHEN 2 THEN -9223372036854775808
                            ELSE hashint4(i)::int8 END AS int8,
       CASE hashint4(i) % 9 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN '-0' WHEN 3 THEN 'Infinity' WHEN 4 THEN '0'
                            ELSE hashint4(i) * 1e-3 END::float4 AS float4,
       CASE hashint4(i) % 9 WHEN 0 THEN NULL WHEN 1 THEN 1e300 WHEN 2 THEN '-0' WHEN 3 THEN -1e300 WHEN 4 THEN '0'
                            ELSE hashint4(i) * 1e-3 END::float8 AS float8,
       CASE hashint4(i) % 5 WHEN 0 THEN NULL WHEN 1 THEN 1.0 WHEN 2 THEN 1.00 ELSE hashint4(i) / 8.0 END AS "numeric",
       CASE hashint4(i) % 5 WHEN 0 THEN NULL WHEN 1 THEN '1 month' WHEN 2 THEN '30 days'
                            ELSE hashint4(i) * interval '1 second' END AS "interval",
       CASE hashint4(i) % 5 WHEN 0 THEN NULL ELSE chr(97 + abs(hashint4(i)) % 20) || repeat('x', i % 3) END AS "text"
FROM generate_series(1, 300) AS i;

DO $$
DECLARE
  line record;
  width record;
  ours text;
  oracle text;
  compared int := 0;
BEGIN
  FOR line IN
    SELECT * FROM (VALUES ('sum', 'sum', '{int2,int4,int8,numeric}'::text[]), ('sum', 'exact_sum', '{float4,float8}'),
                          ('avg', 'avg', '{int2,int4,int8,numeric}'), ('avg', 'exact_avg', '{float8}'),
                          ('min', 'min', '{int2,int4,int8,float4,float8,numeric,interval,text}'),
                          ('max', 'max', '{int2,int4,int8,float4,float8,numeric,interval,text}'),
                          ('median', 'moving_median', '{float8,interval}')) AS v (ours, aggregate, types)
                  CROSS JOIN unnest(types) AS type
  LOOP
    FOR width IN SELECT * FROM (VALUES (0, 0), (1, 0), (0, 1), (7, 2), (2, 40), (299, 0), (0, 299), (300, 1000)) AS v (before, after)
    LOOP
      EXECUTE format('SELECT array_moving_%s(array_agg(%I ORDER BY i), %s, %s)::text FROM array_moving_data',
                     line.ours, line.type, width.before, width.after) INTO ours;
      EXECUTE format('SELECT array_agg(x ORDER BY i)::text FROM (SELECT i, %s(%I) OVER (ORDER BY i ROWS BETWEEN %s PRECEDING AND %s FOLLOWING) AS x FROM array_moving_data) AS s',
                     line.aggregate, line.type, width.before, width.after) INTO oracle;
      compared := compared + 1;
      IF ours IS DISTINCT FROM oracle THEN
        RAISE WARNING 'array_moving_%(%[], %, %) differs: % instead of %', line.ours, line.type, width.before, width.after, ours, oracle;
      END IF;
    END LOOP;
  END LOOP;
  RAISE NOTICE '% compared', compared;
END $$;

-- more elements than a block answers, and windows wider than a block
DO $$
DECLARE
  line record;
  width record;
  same boolean;
  compared int := 0;
BEGIN
  CREATE TEMP TABLE many AS
  SELECT i, CASE WHEN hashint4(i) % 5 <> 0 THEN hashint4(i) END AS int4, CASE WHEN hashint4(i) % 7 <> 0 THEN hashint4(i) * 1e-3 END::float8 AS float8,
         CASE WHEN hashint4(i) % 9 <> 0 THEN hashint4(i) / 8.0 END AS "numeric", md5(i::text) AS "text"
  FROM generate_series(1, 150000) AS i;
  FOR line IN
    SELECT * FROM (VALUES ('sum', 'sum', 'int4'), ('sum', 'exact_sum', 'float8'), ('avg', 'avg', 'numeric'), ('max', 'max', 'int4'), ('min', 'min', 'text'),
                          ('median', 'moving_median', 'float8')) AS v (ours, aggregate, type)
  LOOP
    FOR width IN SELECT * FROM (VALUES (9, 4), (70000, 20)) AS v (before, after)
    LOOP
      EXECUTE format('SELECT array_moving_%s(array_agg(%I ORDER BY i), %s, %s) = (SELECT array_agg(x ORDER BY i) FROM (SELECT i, %s(%I) OVER (ORDER BY i ROWS BETWEEN %s PRECEDING AND %s FOLLOWING) AS x FROM many) AS s) FROM many',
                     line.ours, line.type, width.before, width.after, line.aggregate, line.type, width.before, width.after) INTO same;
      compared := compared + 1;
      IF same IS NOT TRUE THEN
        RAISE WARNING 'array_moving_%(%[], %, %) differs', line.ours, line.type, width.before, width.after;
      END IF;
    END LOOP;
  END LOOP;
  DROP TABLE many;
  RAISE NOTICE '% compared', compared;
END $$;

SELECT array_moving_sum(ARRAY[1, 2], -1);
SELECT array_moving_sum(ARRAY[1, 2], 1, -3);
SELECT array_moving_max(ARRAY[1, 2], NULL);
SELECT array_moving_max(ARRAY[point '(1,2)'], 1);
SELECT array_moving_sum('{3e38,3e38}'::float4[], 1);
SELECT array_moving_median('{1,2}'::float8[], 1, NULL);
DROP TABLE array_moving_data;
