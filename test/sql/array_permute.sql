-- array_permute: array_compact, array_split, array_radix_sort: elements that change places,
-- beside the same written with unnest, ORDER BY and array_agg.
\pset null -
SELECT array_compact('{a,b,c,d}'::text[], '{t,f,NULL,t}') AS text, array_compact('{1,NULL,3}'::int4[], '{f,t,t}') AS "NULL kept", array_compact('{1.5,2,3}'::float8[], '{t,t,t}') AS "all", array_compact('{1,2}'::int8[], '{f,NULL}') AS "none", array_compact('{}'::date[], '{}') AS empty,
       array_compact(NULL::int4[], '{t}') AS "NULL", array_compact('{1}'::int4[], NULL) AS "NULL keep";
SELECT array_split('{a,b,c,d}'::text[], '{t,f,f,t}') AS text, array_split('{1,NULL,3}'::int4[], '{t,f,f}') AS "with NULL", array_split('{1,2,3}'::int2[], '{t,t,t}') AS "all true", array_split('{}'::int8[], '{}') AS empty, array_split(NULL::int4[], '{t}') AS "NULL";
SELECT array_radix_sort('{3,-1,NULL,2,NULL}'::int8[]) AS int8, array_radix_sort('{2147483647,-2147483648,0,-1}'::int4[]) AS int4, array_radix_sort('{32767,-32768,0,-1}'::int2[]) AS int2, array_radix_sort('{9223372036854775807,-9223372036854775808,0,-1,1}'::int8[]) AS ends,
       array_radix_sort('{}'::int4[]) AS empty, array_radix_sort('{NULL,NULL}'::int8[]) AS nulls, array_radix_sort('{5}'::int2[]) AS one, array_radix_sort('{7,7,7}'::int8[]) AS same, array_radix_sort(NULL::int4[]) AS "NULL";
-- Dimensions and lower bounds stay, but for what was compacted: one dimension, from the first lower bound on.
SELECT array_compact('[5:8]={1,2,3,4}'::int4[], '{f,t,f,t}') AS compact, array_compact('[0:1][1:2]={{a,b},{c,d}}'::text[], '{t,f,t,t}') AS "of two dimensions", array_split('[0:1][1:2]={{1,2},{3,4}}'::int4[], '{{t,f},{t,f}}') AS split, array_split('[-1:1]={a,b,c}'::text[], '{t,f,f}') AS "split of text",
       array_radix_sort('[2:3][0:1]={{4,NULL},{2,3}}'::int4[]) AS sort, array_compact(('{1,2,3,4}'::int8[])[2:3], '{f,t}') AS slice, pg_typeof(array_compact('{1}'::pg_catalog.varchar[], '{t}')) AS type;

-- Elements of every size, NULLs, sizes around a tile, and 100000, which is more than a batch of 65536.  (What an element looks like is told by its number.)
CREATE TEMP TABLE cell AS SELECT size, i, oracle.hash(i, size + 3) AS h, oracle.draw(i, size + 4, 10) < 3 AS hole FROM unnest('{1,2,7,8,9,1023,1024,1025}'::int[]) AS size, generate_series(1, size) AS i;
CREATE TEMP TABLE large AS SELECT size, i, oracle.hash(i, size + 3) AS h, oracle.draw(i, size + 4, 10) < 3 AS hole FROM unnest('{100000}'::int[]) AS size, generate_series(1, size) AS i;
CREATE TEMP TABLE answer (type text, f text, arrays bigint, elements bigint, different bigint);
CREATE FUNCTION pg_temp.answer(type text, element text, source text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- flags: at random, all true, none, every third element, a run
  EXECUTE format('CREATE TEMP TABLE line AS SELECT size, fill, flags, i, CASE WHEN NOT (fill AND hole) THEN (%s)::%s END AS x,
      CASE flags WHEN 0 THEN h >> 20 & 1 = 0 WHEN 1 THEN true WHEN 2 THEN false WHEN 3 THEN i %% 3 = 0 ELSE i BETWEEN size / 4 AND size / 2 END AS flag
    FROM %s, unnest(''{f,t}''::boolean[]) AS fill, unnest(''{0,1,2,3,4}''::int[]) AS flags ', element, type, source);
  CREATE TEMP TABLE filled AS SELECT size, array_agg(x ORDER BY i) AS x, array_agg(flag ORDER BY i) AS flag, array_agg(CASE WHEN flag OR i % 2 = 0 THEN flag END ORDER BY i) AS unsure,
    array_agg(x ORDER BY i) FILTER (WHERE flag) AS compact, array_agg(x ORDER BY flag, i) AS split FROM line GROUP BY size, fill, flags;
  INSERT INTO answer SELECT type, 'compact', count(*), sum(size), count(*) FILTER (WHERE array_send(array_compact(x, flag)) IS DISTINCT FROM array_send(coalesce(compact, x[2:1]))) FROM filled;
  INSERT INTO answer SELECT type, 'compact, NULL flags', count(*), sum(size), count(*) FILTER (WHERE array_send(array_compact(x, unsure)) IS DISTINCT FROM array_send(coalesce(compact, x[2:1]))) FROM filled;
  INSERT INTO answer SELECT type, 'split', count(*), sum(size), count(*) FILTER (WHERE array_send(array_split(x, flag)) IS DISTINCT FROM array_send(split)) FROM filled;
  DROP TABLE line, filled;
END $$;
SELECT count(pg_temp.answer(type, x, 'cell')) AS types FROM (VALUES ('bool', 'h & 1 = 0'), ('"char"', 'chr(33 + abs(h % 90)::int)'), ('int2', 'i'), ('int4', 'i'), ('int8', 'h'), ('float8', 'i'), ('date', '''2000-01-01''::date + i'), ('tid', 'format(''(%s,1)'', i)'), ('macaddr', 'substr(md5(h::text), 1, 12)'),
  ('timetz', '(''00:00''::time + i * interval ''1 s'')'), ('interval', 'make_interval(secs => i)'), ('uuid', 'md5(h::text)'), ('name', 'md5(h::text)'), ('point', 'point(i, h)'), ('box', 'box(point(i, h), point(h, i))'),
  ('text', 'repeat(''x'', (h & 15)::int) || i'), ('numeric', 'h * 0.001'), ('bytea', 'decode(md5(h::text), ''hex'')'), ('oracle.mood', '(enum_range(NULL::oracle.mood))[1 + abs(h % 3)]'), ('oracle.pair', 'ROW(i, h::text)::oracle.pair')) AS t(type, x);
SELECT count(pg_temp.answer(type, x, 'large')) AS types FROM (VALUES ('int8', 'h')) AS t(type, x);
SELECT f, count(DISTINCT type) AS types, sum(arrays) AS arrays, sum(elements) AS elements, sum(different) AS different FROM answer GROUP BY f ORDER BY f;
SET scan.algorithm = blelloch;
TRUNCATE answer;
SELECT count(pg_temp.answer(type, x, 'cell')) AS types FROM (VALUES ('int4', 'i'), ('interval', 'make_interval(secs => i)')) AS t(type, x);
SELECT f, count(DISTINCT type) AS types, sum(arrays) AS arrays, sum(elements) AS elements, sum(different) AS different FROM answer GROUP BY f ORDER BY f;
RESET scan.algorithm;

-- Sorted: full range and narrow ones, around 0, at the ends, few values, in order, in reverse, NULLs.
WITH kind(kind, x) AS (SELECT * FROM unnest(ARRAY['full', '48 bits', '20 bits', 'bytes', 'near 0', 'low end', 'high end', 'two', 'one', 'ascending', 'descending'], ARRAY[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])),
     line AS (SELECT kind, c.size, holes, hole AND holes AS hole, i, CASE x WHEN 0 THEN h WHEN 1 THEN h >> 16 WHEN 2 THEN h >> 44 WHEN 3 THEN h & 255 WHEN 4 THEN h % 3 WHEN 5 THEN '-9223372036854775808'::int8 + (h & 1023) WHEN 6 THEN 9223372036854775807 - (h & 1023)
                                                               WHEN 7 THEN CASE WHEN h & 1 = 0 THEN '-9223372036854775808'::int8 ELSE 9223372036854775807 END WHEN 8 THEN -5 WHEN 9 THEN i ELSE -i END AS x
              FROM kind, (SELECT * FROM cell UNION ALL SELECT * FROM large) AS c, unnest('{f,t}'::boolean[]) AS holes WHERE size < 100000 OR (x IN (0, 4, 10) AND NOT holes)),
     filled AS (SELECT kind, array_agg(CASE WHEN NOT hole THEN x END ORDER BY i) AS x8, array_agg(CASE WHEN NOT hole THEN x END ORDER BY CASE WHEN NOT hole THEN x END) AS y8,
                       array_agg(CASE WHEN NOT hole THEN x::bit(32)::int4 END ORDER BY i) AS x4, array_agg(CASE WHEN NOT hole THEN x::bit(32)::int4 END ORDER BY CASE WHEN NOT hole THEN x::bit(32)::int4 END) AS y4,
                       array_agg(CASE WHEN NOT hole THEN (x >> 48)::int2 END ORDER BY i) AS x2, array_agg(CASE WHEN NOT hole THEN (x >> 48)::int2 END ORDER BY CASE WHEN NOT hole THEN (x >> 48)::int2 END) AS y2
                FROM line GROUP BY kind, size, holes)
SELECT kind, count(*) AS arrays, sum(cardinality(x8)) AS elements, count(*) FILTER (WHERE array_send(array_radix_sort(x8)) IS DISTINCT FROM array_send(y8)) AS "int8 different",
       count(*) FILTER (WHERE array_send(array_radix_sort(x4)) IS DISTINCT FROM array_send(y4)) AS "int4 different", count(*) FILTER (WHERE array_send(array_radix_sort(x2)) IS DISTINCT FROM array_send(y2)) AS "int2 different" FROM filled GROUP BY kind ORDER BY kind;
-- array_split by one bit after another is the sort.
CREATE FUNCTION pg_temp.sorted(x int4[], bits int) RETURNS int4[] LANGUAGE plpgsql AS $$
BEGIN
  FOR b IN 0 .. bits - 1 LOOP x := array_split(x, ARRAY(SELECT v >> b & 1 = 1 FROM unnest(x) WITH ORDINALITY AS t(v, i) ORDER BY i)); END LOOP;
  RETURN x;
END $$;
SELECT pg_temp.sorted(x, 10) = array_radix_sort(x) AS same, (array_radix_sort(x))[1:5] AS first FROM (SELECT array_agg((h & 1023)::int4 ORDER BY i) AS x FROM cell WHERE size = 1025) AS t;
-- Arrays as they come: compressed and out of line, in a variable.
CREATE TEMP TABLE stored AS SELECT array_agg(i % 1000 ORDER BY i) AS a, array_agg(i % 1000 = 999 ORDER BY i) AS f FROM generate_series(1, 100000) AS i;
SELECT cardinality(array_compact(a, f)) AS compact, (array_split(a, f))[99901:] = array_compact(a, f) AS split, (array_radix_sort(a))[1:3] AS sort FROM stored;
CREATE FUNCTION pg_temp.used(n int, OUT x int8[], OUT b boolean[]) LANGUAGE plpgsql AS $$
BEGIN
  x := '{}'; b := '{}';
  FOR k IN 1..n LOOP x[k] := -k; b[k] := k % 2 = 0; x := array_radix_sort(x); END LOOP;
  x := array_split(x, b) || array_compact(x, b);
END $$;
SELECT * FROM pg_temp.used(5);
SELECT oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT array_compact('{1,2,3}'::int4[], '{t}')$$,
  $$SELECT array_compact('{}'::text[], '{t}')$$,
  $$SELECT array_split('{1,2}'::int8[], '{}')$$,
  $$SELECT array_split('{1,2,3}'::int8[], '{t,f,NULL}')$$,
  $$SELECT array_radix_sort('{1.5}'::numeric[])$$,
  $$SELECT array_radix_sort('{2,1}')$$]) AS q;
