-- total: exact_sum, the type scan_total and its aggregates, scan_sum that continues
-- from a total, affine maps.
\pset null -
-- Any order gives the same bits; the exact value can be seen.
SELECT exact_sum(x), scan_total(x), scan_total(x)::numeric AS "as numeric", scan_total(x)::float8 AS rounded, sum(x) AS "sum, for comparison" FROM unnest('{0.1,0.2,0.3,1e16,-1e16}'::float8[]) AS x;
SELECT exact_sum(x), exact_sum(x::float4) AS real, pg_typeof(exact_sum(x::float4)) FROM generate_series(1, 10) AS i, LATERAL (SELECT 0.1::float8 AS x) AS t;
-- Specials: core's rules; only -0 makes -0; a total beyond the doubles is an error only when it is rounded.
SELECT name, exact_sum(x), scan_total(x) FROM (VALUES ('none', ARRAY[]::float8[]), ('NULLs', '{NULL,NULL}'), ('one NULL', '{1,NULL,2}'), ('zeros', '{-0,-0}'), ('mixed zeros', '{-0,0}'), ('cancel', '{1,-1,-0}'), ('NaN', '{1,NaN,Infinity}'),
  ('inf', '{Infinity,1e308,1e308}'), ('both inf', '{Infinity,-Infinity}'), ('-inf', '{-Infinity,1}'), ('out and back', '{1e308,1e308,-1e308}'), ('far apart', '{1,1e-40}')) AS t(name, v) LEFT JOIN LATERAL unnest(v) AS x ON true GROUP BY name ORDER BY name;
SELECT oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT exact_sum(x) FROM unnest('{1.7e308,1.7e308}'::float8[]) AS x$$, $$SELECT exact_sum(x) FROM unnest('{3e38,3e38}'::float4[]) AS x$$, $$SELECT ('1.7e308'::scan_total + '1.7e308')::float8$$,
  $$SELECT '0.1'::scan_total$$, $$SELECT '1e-324'::scan_total$$, $$SELECT '1e332'::scan_total$$, $$SELECT 'one'::scan_total$$, $$SELECT ''::scan_total$$, $$SELECT '1e100000'::scan_total$$, $$SELECT t + t FROM CAST('1e331' AS scan_total) AS t$$, $$SELECT scan_total(t) FROM generate_series(1, 9), CAST('-1e331' AS scan_total) AS t$$]) AS q;
-- Numbers with more digits or exponents than numeric takes: an error names the total's type, and zeros around a value count for nothing.
SELECT left(text, 24) AS text, length(text) AS length, left(oracle.error_of(format('SELECT %L::scan_total', text)), 60) AS error, CASE WHEN oracle.error_of(format('SELECT %L::scan_total', text)) = 'no error' THEN text::scan_total END AS total
FROM unnest(ARRAY['1e-20000', '-1e-20000', '1e200000', '1e99999999999999999999', '-1e-99999999999999999999', '1e', '1e+', '0e-20000', '-0e99999999999999999999', '-0.' || repeat('0', 20000), '2.5' || repeat('0', 20000), '.5e1', '5.e-1', '00012.50', repeat('0', 200000) || '7', '1' || repeat('0', 20000) || 'e-20000', '0.' || repeat('0', 20000) || '1e20001', ' +1E3 ', '0.1' || repeat('0', 20000)]) AS text;
SELECT left((scan_total(x))::text, 12) || '...' AS "beyond the doubles", length(scan_total(x)::text) AS digits FROM unnest('{1.7e308,1.7e308}'::float8[]) AS x;
-- Text and binary say all of it: the numbers of all binades, and sums of many of them.
SELECT t, t::scan_total AS again FROM unnest('{0,-0,-0.0,1,-1,0.5,-2.75,18446744073709551616,-18446744073709551616,9223372036854775808,-9223372036854775808,NaN,Infinity,-Infinity, 42 }'::text[]) AS t;
CREATE TEMP TABLE binade AS
SELECT e, s * oracle.two(e) * (1 + oracle.draw(e, s, 4503599627370496) * oracle.two(-52)) AS x FROM generate_series(-1074, 1022, 7) AS e, unnest(ARRAY[1, -1]) AS s;
SELECT count(*) AS values, count(*) FILTER (WHERE t::text::scan_total <> t OR scan_total_send(t::text::scan_total) <> scan_total_send(t)) AS "text differs", count(*) FILTER (WHERE t::float8 <> x) AS "cast differs", count(*) FILTER (WHERE t::numeric <> oracle.exact(x)) AS "numeric differs"
FROM (SELECT x, x::scan_total AS t FROM binade) AS t;
SELECT count(*) AS totals, count(*) FILTER (WHERE t::text::scan_total <> t) AS "text differs", count(*) FILTER (WHERE t::numeric <> n) AS "numeric differs"
FROM (SELECT scan_total(x) AS t, sum(oracle.exact(x)) AS n FROM binade, generate_series(1, 30) AS g WHERE oracle.draw(e, g, 5) = 0 GROUP BY g) AS t;
-- Equal is equal as a number; -0 is another total than 0. Both orders of a join.
SELECT '0.5'::scan_total + '0.25' = '0.75' AS same, '0.5'::scan_total <> '0.75' AS other, '0'::scan_total = '-0' AS zeros, ('1'::scan_total + '-1') = '0' AS cancelled, '-0'::scan_total + '-0' AS "-0", '-0'::scan_total + '0' AS "0", 'NaN'::scan_total = ('Infinity'::scan_total + '-Infinity') AS nan;

-- Totals of wild numbers: serial, shuffled, from workers, from pieces, and as the last
-- row of scan_sum; and the total of totals.
CREATE TABLE wild AS
SELECT i, oracle.draw(i, 1, 7) AS g, CASE WHEN oracle.draw(i, 2, 50) > 0 THEN (CASE WHEN oracle.hash(i, 3) < 0 THEN -1 ELSE 1 END) * oracle.two(oracle.draw(i, 4, 1900)::int - 950) * (1 + oracle.draw(i, 5, 4503599627370496) * oracle.two(-52)) END AS x,
       ((oracle.hash(i, 6) >> 40) * oracle.two(oracle.draw(i, 7, 90)::int - 80))::float4 AS f4
FROM generate_series(1, 20000) AS i;
ALTER TABLE wild SET (parallel_workers = 3);
ANALYZE wild;
CREATE TEMP TABLE sums (way text, x bytea, f4 bytea, total scan_total);
SET max_parallel_workers_per_gather = 0;
INSERT INTO sums SELECT 'serial', float8send(exact_sum(x)), float4send(exact_sum(f4)), scan_total(x) FROM wild;
INSERT INTO sums SELECT 'shuffled', float8send(exact_sum(x)), float4send(exact_sum(f4)), scan_total(x) FROM (SELECT * FROM wild ORDER BY oracle.hash(i, 99)) AS t;
INSERT INTO sums SELECT 'by size', float8send(exact_sum(x ORDER BY abs(x))), float4send(exact_sum(f4 ORDER BY abs(f4))), scan_total(x ORDER BY abs(x)) FROM wild;
INSERT INTO sums SELECT 'scan_sum', float8send(x), float4send(f4), NULL FROM (SELECT i, scan_sum(x) OVER w AS x, scan_sum(f4) OVER w AS f4 FROM wild WINDOW w AS (ORDER BY i)) AS t WHERE i = 20000;
INSERT INTO sums SELECT 'pieces', float8send(scan_total(t)::float8), float4send(exact_sum(f4)::float4), scan_total(t) FROM (SELECT scan_total(x) AS t, exact_sum(f4) AS f4 FROM wild GROUP BY g) AS t;
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT exact_sum(x), exact_sum(f4), scan_total(x) FROM wild;
CREATE FUNCTION pg_temp.parallel_sums(OUT x float8, OUT f4 float4, OUT t scan_total) LANGUAGE plpgsql AS $$
DECLARE
  line text; launched boolean := false;
BEGIN
  -- (INSERT plans no workers: asked for here, and that they came)
  FOR line IN EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT exact_sum(w.x), exact_sum(w.f4), scan_total(w.x) FROM wild AS w LOOP
    launched := launched OR line ~ 'Workers Launched: [1-9]';
  END LOOP;
  IF NOT launched THEN RAISE 'no workers'; END IF;
  SELECT exact_sum(w.x), exact_sum(w.f4), scan_total(w.x) INTO x, f4, t FROM wild AS w;
END $$;
INSERT INTO sums SELECT 'parallel', float8send(x), float4send(f4), t FROM pg_temp.parallel_sums() AS s(x, f4, t);
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
SELECT s.way, s.x = o.x AS float8, s.f4 = o.f4 AS float4, s.total = o.total AS total FROM sums AS s, sums AS o WHERE o.way = 'serial' ORDER BY s.way;
SELECT oracle.is_nearest((SELECT sum(oracle.exact(x)) FROM wild), exact_sum(x)) AS "rounded right" FROM wild;
-- Many groups, by hashing; FILTER; DISTINCT; as a window aggregate, whose state goes on after it was shown.
SELECT count(*) AS groups, count(*) FILTER (WHERE e IS DISTINCT FROM o) AS different FROM (SELECT i % 5000, exact_sum(x) AS e, (sum(oracle.exact(x)))::float8 AS o FROM wild WHERE x BETWEEN -1 AND 1 GROUP BY i % 5000) AS t;
SELECT exact_sum(x) FILTER (WHERE x > 1), exact_sum(DISTINCT x) FROM unnest('{0.5,1.5,1.5,2.5,NULL}'::float8[]) AS x;
SELECT count(*) AS rows, count(*) FILTER (WHERE a IS DISTINCT FROM b OR a IS DISTINCT FROM c::float8) AS different
FROM (SELECT exact_sum(x) OVER (ORDER BY i) AS a, scan_sum(x) OVER (ORDER BY i) AS b, scan_total(x) OVER (ORDER BY i) AS c FROM wild WHERE i <= 3000) AS t;

-- A scan cut into pieces: totals of the pieces, the exclusive scan of the totals, and
-- each piece from its seed. Seven uneven pieces: one row, none, only NULLs among them.
CREATE TEMP TABLE cut AS
SELECT w.*, p.piece, i IN (9, 6500, 13000, 13001) AS reset FROM wild AS w JOIN (VALUES (1, 1, 1), (2, 2, 4000), (3, 4001, 4010), (4, 4011, 4010), (5, 4011, 12345), (6, 12346, 12400), (7, 12401, 20000)) AS p(piece, first, last) ON i BETWEEN first AND last;
UPDATE cut SET x = NULL WHERE piece = 3;
SELECT piece, count(*), count(x) FROM cut GROUP BY piece ORDER BY piece;
CREATE TEMP VIEW seed AS
SELECT piece, scan_total(total) OVER (ORDER BY piece ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS init
FROM (SELECT piece, scan_total(x) AS total FROM generate_series(1, 7) AS piece LEFT JOIN cut USING (piece) GROUP BY piece) AS t;
SELECT count(*) AS rows, count(y) AS shown, count(*) FILTER (WHERE y IS DISTINCT FROM whole OR float8send(y) <> float8send(whole)) AS different, count(*) FILTER (WHERE e IS DISTINCT FROM whole_e) AS "exclusive differs"
FROM (SELECT scan_sum(x, init) OVER p AS y, scan_sum(x, init, exclusive => true) OVER p AS e, scan_sum(x) OVER w AS whole, scan_sum(x, exclusive => true) OVER w AS whole_e
      FROM cut JOIN seed USING (piece) WINDOW p AS (PARTITION BY piece ORDER BY i), w AS (ORDER BY i)) AS t;
-- With resets a piece that has one passes on only what came after its last one.
CREATE TEMP VIEW seed_reset AS
SELECT piece, scan_total(total) OVER (PARTITION BY segment ORDER BY piece) AS after
FROM (SELECT piece, total, scan_count(has_reset) OVER (ORDER BY piece) AS segment
      FROM (SELECT piece, bool_or(reset) IS TRUE AS has_reset, scan_total(x) FILTER (WHERE i >= coalesce(last_reset, 0)) AS total
            FROM generate_series(1, 7) AS piece LEFT JOIN (SELECT *, max(i) FILTER (WHERE reset) OVER (PARTITION BY piece) AS last_reset FROM cut) AS c USING (piece) GROUP BY piece) AS t) AS t;
SELECT count(*) AS rows, count(*) FILTER (WHERE y IS DISTINCT FROM whole) AS different, count(*) FILTER (WHERE e IS DISTINCT FROM whole_e) AS "exclusive differs"
FROM (SELECT scan_sum(x, init, reset) OVER p AS y, scan_sum(x, init, reset, true) OVER p AS e, scan_sum(x, reset) OVER w AS whole, scan_sum(x, reset, true) OVER w AS whole_e
      FROM cut JOIN (SELECT piece, lag(after) OVER (ORDER BY piece) AS init FROM seed_reset) AS s USING (piece) WINDOW p AS (PARTITION BY piece ORDER BY i), w AS (ORDER BY i)) AS t;
SELECT i, x, scan_sum(x, init => '100.5'::scan_total) OVER w AS y, scan_sum(x, '100.5'::scan_total, exclusive => true) OVER w AS before, scan_sum(x, '100.5'::scan_total, i = 3) OVER w AS reset, scan_sum(x, NULL::scan_total) OVER w AS "no init"
FROM (VALUES (1, NULL::float8), (2, 0.5), (3, NULL), (4, 2)) AS t(i, x) WINDOW w AS (ORDER BY i);
SELECT scan_sum(x, '1.7e308'::scan_total + '1.7e308') OVER (ORDER BY i) AS "back in range" FROM (VALUES (1, -1.7e308::float8)) AS t(i, x);
SELECT oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT scan_sum(x, '1.7e308'::scan_total + '1.7e308') OVER (ORDER BY i) FROM (VALUES (1, NULL::float8)) AS t(i, x)$$,
  $$SELECT scan_sum(x, x::scan_total) OVER (ORDER BY x) FROM unnest('{1,2}'::float8[]) AS x$$,
  $$SELECT scan_sum(x, NULL) OVER () FROM unnest('{1,2}'::float8[]) AS x$$]) AS q;

-- Totals hash: the same total by two ways is one group, -0 and 0 are two.
CREATE TEMP TABLE hashed AS
SELECT scan_total(x) AS t FROM (SELECT i / 3 AS g, 0.1 * oracle.draw(i, 9, 50)::float8 AS x FROM generate_series(1, 3000) AS i) AS s GROUP BY g
UNION ALL SELECT * FROM unnest('{0,-0,NaN,Infinity,-Infinity,NULL}'::scan_total[]);
INSERT INTO hashed SELECT (t + '1e300') + '-1e300' FROM hashed;
SELECT count(*) AS groups, sum(n) AS rows, (SELECT count(DISTINCT t::text) FROM hashed) + 1 AS texts FROM (SELECT count(*) AS n FROM hashed GROUP BY t) AS s;
SELECT t, count(*) FROM hashed WHERE t IN ('0', '-0', 'NaN', 'Infinity') OR t IS NULL GROUP BY t ORDER BY t::text;
CREATE INDEX ON hashed USING hash (t);
SET enable_seqscan = off;
SELECT count(*) FROM hashed WHERE t = 'NaN';
RESET enable_seqscan;
SELECT ARRAY['1', '-0']::scan_total[] = ARRAY['1', '-0']::scan_total[] AS "same array", count(*) AS "a union" FROM (TABLE hashed UNION TABLE hashed) AS u;
CREATE TEMP TABLE parted (t scan_total) PARTITION BY HASH (t);
CREATE TEMP TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TEMP TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted TABLE hashed;
SELECT count(*) AS rows, count(DISTINCT tableoid) AS partitions, (SELECT count(*) FROM (SELECT t FROM parted GROUP BY t HAVING min(tableoid) <> max(tableoid)) AS s) AS split FROM parted;

-- What the aggregate has taken in so far is of a type: it travels as text, as a cluster sends it, and adds up elsewhere.
CREATE AGGREGATE taken_in(float8) (SFUNC = total_add_float8, STYPE = total_state, COMBINEFUNC = total_combine);
CREATE AGGREGATE total_of_states(total_state) (SFUNC = total_combine, STYPE = total_state, FINALFUNC = total_final);
SELECT taken_in(x), total_of_states(NULL) FROM unnest('{1,2.5,-0,NULL}'::float8[]) AS x;
SELECT name, left(total_of_states(s::text::total_state)::text, 20) AS total, total_of_states(s)::text = scan_total(x)::text AS same FROM (SELECT name, x, taken_in(x) AS s FROM (VALUES ('-0', '{-0,-0}'::float8[]), ('zeros', '{-0,0}'), ('NULL', '{NULL}'), ('inf', '{1,Infinity}'), ('-inf', '{-Infinity,-Infinity,NULL}'),
  ('inf - inf', '{-Infinity,Infinity}'), ('NaN', '{NaN,1}'), ('gone', '{1e300,-1e300,1}'), ('ends', '{-1.7e308,1.7e308,-1.7e308,5e-324}')) AS t (name, v), unnest(v) WITH ORDINALITY AS u (x, i) GROUP BY name, i, x) AS t GROUP BY name ORDER BY name;
SELECT count(*) AS pieces, total_of_states(s::text::total_state) = (SELECT scan_total(x) FROM wild) AS "the total" FROM (SELECT taken_in(x) AS s FROM wild GROUP BY i % 7) AS t;
SELECT oracle.error_of(q) FROM unnest(ARRAY[$$SELECT ''::total_state$$, $$SELECT '\x00000000'::total_state$$, $$SELECT '\x0g'::total_state$$, $$SELECT '\xff0000'::total_state$$, $$SELECT total_add_float8(NULL, 1)$$, $$SELECT total_combine(NULL, NULL)$$]) AS q;
DROP AGGREGATE taken_in(float8), total_of_states(total_state);

-- Affine maps: rows of a recurrence as one map. Newest on the left; not commutative.
SELECT '(3,1)'::affine_map * '(2,5)' AS "3(2y+5)+1", '(2,5)'::affine_map * '(3,1)' AS "2(3y+1)+5", '(2,5)'::affine_map * 7 AS "19", affine(a, b ORDER BY i) AS map, affine(a, b ORDER BY i DESC) AS "the other way", (affine(a, b ORDER BY i)).b
FROM (VALUES (1, 2::float8, 5::float8), (2, 3, 1), (3, NULL, 4), (4, 4, NULL)) AS t(i, a, b);
SELECT affine(a, b) AS none, affine(NULL::affine_map) AS "only NULL" FROM (VALUES (1::float8, 1::float8)) AS t(a, b) WHERE false;
SELECT '(-0,-0)'::affine_map * '(1,1)' AS zeros, '(NaN,1)'::affine_map * '(0,2)' AS nan, '(Infinity,0)'::affine_map * 2 AS inf, '(1,)'::affine_map * 2 AS "NULL", '(,1)'::affine_map * '(1,1)' AS "NULL too";
SELECT oracle.error_of(q) FROM unnest(ARRAY[$$SELECT '(1e200,0)'::affine_map * '(1e200,0)'$$, $$SELECT '(1e200,0)'::affine_map * 1e200$$, $$SELECT affine(a, 0) FROM unnest('{1e200,1e200}'::float8[]) AS a$$, $$SELECT affine(1e200, b) FROM unnest('{1e200,1}'::float8[]) AS b$$]) AS q;
-- A NaN or an infinity of one number does not excuse the overflow of the other.
SELECT oracle.error_of(q) FROM unnest(ARRAY[$$SELECT '(10,0)'::affine_map * '(NaN,1e308)'$$, $$SELECT '(1e200,Infinity)'::affine_map * '(1e200,0)'$$]) AS q;
-- A map with a NULL in it is skipped.
SELECT affine(m) AS "4(2y+3)+5", affine(m) FILTER (WHERE a IS NULL OR b IS NULL) AS none FROM unnest('{NULL,"(2,3)","(,7)","(7,)",NULL,"(4,5)"}'::affine_map[]) AS m;
SELECT affine(a, 0) AS "left and came back" FROM unnest('{1e200,1e200,1e-200}'::float8[]) AS a;
-- The numbers are the last answers of scan_product and of scan_recurrence from 0; as a window aggregate it shows them all.
CREATE TEMP TABLE rec AS SELECT i, 1 + oracle.draw(i, 1, 1000) * 1e-6::float8 AS a, (oracle.draw(i, 2, 1000) - 500) * 0.001::float8 AS b, (i * i) % 7 AS piece FROM generate_series(1, 9000) AS i;
SELECT count(*) AS rows, count(*) FILTER (WHERE (m).a <> p OR (m).b <> r) AS different FROM (SELECT affine(a, b) OVER w AS m, scan_product(a) OVER w AS p, scan_recurrence(a, b) OVER w AS r FROM rec WINDOW w AS (ORDER BY i)) AS t;
-- The three steps of a recurrence in seven pieces. Small integers: exactly; balances: to the last few digits.
CREATE TEMP TABLE exact_rec AS SELECT i, CASE WHEN oracle.draw(i, 3, 3) = 0 THEN -1 ELSE 1 END::float8 AS a, oracle.draw(i, 4, 9)::float8 - 4 AS b FROM generate_series(1, 9000) AS i;
SELECT kind, count(*) AS rows, count(*) FILTER (WHERE y <> whole) AS different, bool_and(abs(y - whole) <= 1e-12 * abs(whole)) AS close
FROM (SELECT kind, scan_recurrence(a, b, init) OVER (PARTITION BY kind, piece ORDER BY i) AS y, scan_recurrence(a, b, 100) OVER (PARTITION BY kind ORDER BY i) AS whole
      FROM (SELECT 'integers' AS kind, i, a, b FROM exact_rec UNION ALL SELECT 'balances', i, a, b + 1 FROM rec) AS r
           CROSS JOIN LATERAL (SELECT CASE WHEN i <= 1 THEN 1 WHEN i <= 900 THEN 2 WHEN i <= 910 THEN 3 WHEN i <= 4096 THEN 4 WHEN i <= 5000 THEN 5 WHEN i <= 8999 THEN 6 ELSE 7 END AS piece) AS c
           JOIN (SELECT kind, piece, coalesce(affine(map) OVER (PARTITION BY kind ORDER BY piece ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) * 100, 100) AS init
                 FROM (SELECT kind, piece, affine(a, b ORDER BY i) AS map FROM (SELECT 'integers' AS kind, i, a, b FROM exact_rec UNION ALL SELECT 'balances', i, a, b + 1 FROM rec) AS r
                       CROSS JOIN LATERAL (SELECT CASE WHEN i <= 1 THEN 1 WHEN i <= 900 THEN 2 WHEN i <= 910 THEN 3 WHEN i <= 4096 THEN 4 WHEN i <= 5000 THEN 5 WHEN i <= 8999 THEN 6 ELSE 7 END AS piece) AS c GROUP BY kind, piece) AS m) AS s USING (kind, piece)) AS t
GROUP BY kind ORDER BY kind;
DROP TABLE wild CASCADE;
