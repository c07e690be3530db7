-- matrix: function x type x {no NULLs, 30% NULLs, only NULLs} x {no reset, random
-- reset, also NULL} x {inclusive, exclusive} x {one partition, many partitions}
-- x sizes 0, 1, 2, 3, 1023, 1024, 1025.  Every answer is compared, as text, with
-- core's aggregate over the rows of its segment so far (a segment is what lies
-- between two resets), or with exact arithmetic where core has no such aggregate.
-- The first wrong answer of a case is shown in a NOTICE.
-- A new line of the list changes nothing in the output.
\set ECHO none
SET intervalstyle = postgres;
SET client_min_messages = notice;

-- One line a function and type.  `value` makes the value of a row from its random
-- h; `oracle` says what the answer is, %1$s being the window; an exclusive scan
-- begins with `unit`.
CREATE TEMP TABLE tested (n serial, function text, type text, value text, oracle text, unit text);

INSERT INTO tested (function, type, value, oracle, unit) VALUES
('scan_sum', 'smallint', '(h % 32768)::int2', 'sum(x) OVER %1$s', '0'),
('scan_sum', 'integer', '(h % 2147483648)::int4', 'sum(x) OVER %1$s', '0'),
('scan_sum', 'bigint', 'h / 2000', '(sum(x) OVER %1$s)::int8', '0'),
('scan_sum', 'real', '((h >> 40) * oracle.two((h & 127)::int - 88))::float4',
 'oracle.round4(sum(oracle.exact(x)) OVER %1$s, bool_and(oracle.is_minus_zero(x)) OVER %1$s)', '0::float4'),
('scan_sum', 'float8', '(h >> 11) * oracle.two((h & 511)::int - 308)',
 'oracle.round8(sum(oracle.exact(x)) OVER %1$s, bool_and(oracle.is_minus_zero(x)) OVER %1$s)', '0::float8'),
('scan_sum', 'float8, cents', '(h % 10000000)::float8 / 100',
 'oracle.round8(sum(oracle.exact(x)) OVER %1$s, bool_and(oracle.is_minus_zero(x)) OVER %1$s)', '0::float8'),
('scan_sum', 'float8, zeros, NaN, infinities',
 $$CASE h & 1023 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity'
   ELSE CASE h & 3 WHEN 0 THEN 0 WHEN 1 THEN (h & 1) - 0.5::float8 ELSE '-0'::float8 END END$$,
 'oracle.round8(sum(x::numeric) OVER %1$s, bool_and(oracle.is_minus_zero(x)) OVER %1$s)', '0::float8'),
('scan_sum', 'numeric', 'round((h % 1000000)::numeric / 1000, (h & 3)::int)', 'sum(x) OVER %1$s', '0'),
('scan_sum', 'numeric, NaN, infinities',
 $$CASE h & 511 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity'
   ELSE h::numeric * power(10::numeric, (h & 63)::int) END$$, 'sum(x) OVER %1$s', '0'),
('scan_sum', 'interval', 'make_interval(months => (h % 100)::int, days => (h % 99)::int, secs => h % 1000000000 / 1000.0)',
 'sum(x) OVER %1$s', 'interval ''0'''),
('scan_product', 'smallint', '(CASE WHEN h % 397 = 0 THEN 0 ELSE (''{1,-1,2,-2,3,10,7,-9}''::int2[])[1 + (h & 7)] END)::int2',
 'oracle.product(x) OVER %1$s', '1'),
('scan_product', 'integer', 'CASE WHEN h % 397 = 0 THEN 0 ELSE (''{1,-1,2,-2,3,-1000,7,2147483647}''::int4[])[1 + (h & 7)] END',
 'oracle.product(x) OVER %1$s', '1'),
('scan_product', 'bigint', 'CASE WHEN h % 97 = 0 THEN h ELSE (''{1,-1,2,-2,3,10,-1,5}''::int8[])[1 + (h & 7)] END',
 'oracle.product(x) OVER %1$s', '1'),
('scan_product', 'numeric', 'round((h % 1000)::numeric / 100, (h & 3)::int)', 'oracle.product(x) OVER %1$s', '1'),
('scan_product', 'numeric, NaN, infinities', $$CASE h & 255 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE (h % 3)::numeric END$$,
 'oracle.product(x) OVER %1$s', '1'),
('scan_bool_and', 'boolean', 'h & 7 <> 0', 'bool_and(x) OVER %1$s', 'true'),
('scan_bool_or', 'boolean', 'h & 7 = 0', 'bool_or(x) OVER %1$s', 'false'),
('scan_count', 'boolean', 'h & 3 = 0', 'count(*) FILTER (WHERE x) OVER %1$s', '0');

INSERT INTO tested (function, type, value, oracle, unit)
SELECT 'scan_' || f, t, format(v, CASE f WHEN 'bit_and' THEN '~(1::int8 << (h & 63)::int)' WHEN 'bit_or' THEN '(1::int8 << (h & 63)::int)' ELSE 'h' END),
       f || '(x) OVER %1$s', CASE WHEN t LIKE 'bit%' THEN NULL WHEN f = 'bit_and' THEN '-1' ELSE '0' END
FROM unnest('{bit_and,bit_or,bit_xor}'::text[]) AS f,
     (VALUES ('smallint', '(%s >> 48)::int2'), ('integer', '(%s >> 32)::int4'), ('bigint', '%s'),
             ('bit(20)', '(%s)::bit(20)'), ('bit(131)', 'repeat((%s)::bit(64)::text, 3)::bit(131)')) AS types(t, v);

-- Core's extreme, or for a type without one ours, made from < and >.
INSERT INTO tested (function, type, value, oracle)
SELECT 'scan_' || f, t, v, a || f || '(x) OVER %1$s'
FROM unnest('{min,max}'::text[]) AS f, (VALUES
  ('smallint', '', '(h % 32768)::int2'),
  ('integer', '', '(h % 2147483648)::int4'),
  ('bigint', '', 'h'),
  ('real', '', $$CASE h & 255 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE (h % 1000)::float4 / 8 END$$),
  ('float8', '', $$CASE h & 255 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE (h % 1000)::float8 / 7 END$$),
  ('float8, 0 = -0', '', $$CASE WHEN h < 0 THEN 0 ELSE '-0'::float8 END$$),
  ('numeric', '', $$CASE h & 255 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE h::numeric * power(10::numeric, (h & 63)::int) END$$),
  ('numeric, 1.0 = 1.00', '', 'round((h % 2)::numeric, (h & 3)::int)'),
  ('text, "C"', '', $$(substr('aAbBzZ', 1 + (h & 7)::int % 6, 1) || h) COLLATE "C"$$),
  ('text, English', '', $$(substr('aAbBzZ', 1 + (h & 7)::int % 6, 1) || h) COLLATE oracle.english$$),
  ('text, a = A', '', $$substr('aAbBzZ', 1 + (h & 7)::int % 6, 1) COLLATE oracle.caseless$$),
  ('bpchar, "a" = "a "', '', $$(substr('ab', 1 + (h & 1)::int, 1) || repeat(' ', (h >> 1 & 3)::int))::bpchar$$),
  ('character varying', '', 'left(h::text, 3)::varchar'),
  ('name', 'oracle.', 'h::text::name'),
  ('"char"', 'oracle.', $$chr(33 + (h & 63)::int)::"char"$$),
  ('boolean', 'oracle.', 'h & 7 <> 0'),
  ('bytea', 'oracle.', $$substr(int8send(h), 1, 1 + (h & 7)::int)$$),
  ('bit(20)', 'oracle.', 'h::bit(20)'),
  ('uuid', 'oracle.', 'md5(h::text)::uuid'),
  ('date', '', $$CASE h & 255 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE '2000-01-01'::date + (h % 100000)::int END$$),
  ('time', '', $$'12:00'::time + make_interval(secs => h % 80000)$$),
  ('time with time zone', '', $$('12:00'::time + make_interval(secs => h % 80000))::text::timetz AT TIME ZONE make_interval(hours => (h & 7)::int)$$),
  ('timestamp', '', $$'2000-01-01'::timestamp + make_interval(secs => h % 1000000000)$$),
  ('timestamp with time zone', '', $$CASE h & 255 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE '2000-01-01'::timestamptz + make_interval(secs => h % 1000000000) END$$),
  ('interval, 1 day = 24 hours', '', $$('{1 day,24 hours,23:59:60,0 days,3 days,72 hours,1 mon,30 days}'::interval[])[1 + (h & 7)]$$),
  ('integer[]', '', 'ARRAY[h & 3, h >> 2 & 3, h >> 4 & 3]::int[]'),
  ('float8[], {0} = {-0}', '', $$ARRAY[CASE WHEN h < 0 THEN 0 ELSE '-0'::float8 END]$$),
  ('text[]', '', 'ARRAY[left(h::text, 3), NULL]'),
  ('enum', '', $$('{low,middling,high,low}'::oracle.mood[])[1 + (h & 3)]$$),
  ('inet', '', $$'10.0.0.0'::inet + (h & 65535)$$),
  ('oid', '', '(h & 4294967295)::oid'),
  ('row type', 'oracle.', 'ROW(h & 15, h & 255)::oracle.pair'),
  ('int8range', 'oracle.', 'int8range(h & 255, 256 + (h >> 8 & 255))'),
  ('jsonb', 'oracle.', 'jsonb_build_object(''a'', h & 255)')) AS types(t, a, v);

SET client_min_messages = warning; -- 19 tells that the function is of a temporary type
CREATE FUNCTION oracle.compare(t tested, OUT cases int, OUT compared bigint, OUT different bigint)
LANGUAGE plpgsql AS $$
DECLARE
  filled text;                      -- the column with no, some, only NULLs
  resets boolean;
  sizes int[];                      -- of one partition, or all in many
  scanned text;                     -- the window the scan sees
  segments text;                    -- the parts the oracle sums apart
  call text;
  query text;
  wrong record;
BEGIN
  cases := 0; compared := 0; different := 0;
  EXECUTE format('CREATE TEMP TABLE sample AS
    SELECT size, i, p, reset, x AS x_full, CASE WHEN hole THEN NULL ELSE x END AS x_some, CASE WHEN i < 0 THEN x END AS x_none
    FROM (SELECT *, (%s) AS x FROM oracle.cell OFFSET 0) AS c', t.value);
  FOREACH filled IN ARRAY '{x_full,x_some,x_none}'::text[] LOOP
    FOREACH resets IN ARRAY '{f,t}'::boolean[] LOOP
      FOR sizes IN VALUES ('{0}'::int[]), ('{1}'), ('{2}'), ('{3}'), ('{1023}'), ('{1024}'), ('{1025}'), ('{0,1,2,3,1023,1024,1025}') LOOP
        scanned := CASE WHEN array_length(sizes, 1) > 1 THEN 'PARTITION BY size, p ORDER BY i' ELSE 'ORDER BY i' END;
        segments := CASE WHEN array_length(sizes, 1) > 1 THEN 'size, p, segment' ELSE 'segment' END;
        call := t.function || CASE WHEN resets THEN '(x, reset%s)' ELSE '(x%s)' END;
        query := format('
          SELECT i, reset, y, y_exclusive, wanted, wanted_exclusive
          FROM (SELECT i, reset, format(''%%L'', %s OVER w) AS y, format(''%%L'', %s OVER w) AS y_exclusive,
                       format(''%%L'', %s) AS wanted, format(''%%L'', coalesce(%s, %s)) AS wanted_exclusive
                FROM (SELECT i, size, p, reset, %s AS x, %s AS segment FROM sample WHERE size = ANY (%L)) AS s
                WINDOW w AS (%s),
                       inclusive AS (PARTITION BY %s ORDER BY i ROWS UNBOUNDED PRECEDING),
                       exclusive AS (PARTITION BY %s ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS t',
          format(call, ''), format(call, ', exclusive => true'), format(t.oracle, 'inclusive'), format(t.oracle, 'exclusive'), coalesce(t.unit, 'NULL'),
          filled, CASE WHEN resets THEN format('count(*) FILTER (WHERE reset) OVER (%s)', scanned) ELSE '0' END,
          sizes, scanned, segments, segments);
        cases := cases + 2;
        BEGIN
          FOR wrong IN EXECUTE format('
            SELECT 2 * count(*) AS compared, sum((y <> wanted)::int + (y_exclusive <> wanted_exclusive)::int) AS different,
                   (array_agg(q ORDER BY i) FILTER (WHERE y <> wanted OR y_exclusive <> wanted_exclusive))[1] AS first
            FROM (%s) AS q', query) LOOP
            compared := compared + wrong.compared;
            different := different + coalesce(wrong.different, 0);
            IF wrong.different > 0 THEN
              RAISE NOTICE '% %, %, sizes %, resets %: % wrong, first %', t.function, t.type, filled, sizes, resets, wrong.different, wrong.first;
            END IF;
          END LOOP;
        EXCEPTION WHEN OTHERS THEN
          RAISE NOTICE '% %, %, sizes %, resets %: %', t.function, t.type, filled, sizes, resets, SQLERRM;
          different := different + 1;
        END;
      END LOOP;
    END LOOP;
  END LOOP;
  DROP TABLE sample;
END $$;
SET client_min_messages = notice;
\set ECHO all
-- All lines have the same number of cases and of answers, and none that differs.
SELECT count(*) > 100 AS lines, c.cases, c.compared, c.different
FROM (SELECT * FROM tested ORDER BY n OFFSET 0) AS t, LATERAL oracle.compare(t) AS c GROUP BY 2, 3, 4;
-- Window functions of (value, reset, exclusive) that the list lacks; product.sql tests this one.
SELECT p.oid::regprocedure
FROM pg_proc AS p JOIN pg_type AS v ON v.oid = p.proargtypes[0]
WHERE p.prokind = 'w' AND p.prosrc ~ '^scan_' AND p.proargtypes[1] = 'bool'::regtype AND p.proargtypes[2] = 'bool'::regtype AND p.pronargs = 3
      AND NOT EXISTS (SELECT FROM tested AS t WHERE t.function = p.proname AND (v.typname = 'anyelement' OR regexp_replace(t.type, '[(,].*', '') IN (v.typname, v.oid::regtype::text)));
-- Can this find a mistake?  The largest so far compared with min(), a sum that
-- starts again with one that does not, another unit:
SET client_min_messages = warning;
SELECT t.function, t.oracle, t.unit, c.compared > 0 AND c.different > 0 AS found
FROM (VALUES (0, 'scan_max', 'text', 'h::text', 'min(x) OVER %1$s', NULL),
             (0, 'scan_max', 'numeric', 'round(1, (h & 3)::int)', '(array_agg(x) OVER %1$s)[1]', NULL),
             (0, 'scan_sum', 'integer', '1', 'sum(x) OVER %1$s + segment', '0'),
             (0, 'scan_bit_or', 'integer', '1', 'bit_or(x) OVER %1$s', '1')) AS t(n, function, type, value, oracle, unit),
     LATERAL oracle.compare(ROW(t.*)::tested) AS c;
