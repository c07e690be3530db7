-- match: scan_match and scan_match_variable, a regular expression over rows.  test/t/match.t compares them with a
-- matcher that goes back.
CREATE TABLE price AS
SELECT i, x, lag(x) OVER (ORDER BY i) AS before
FROM unnest('{90,80,70,75,85,85,60,50,55,NULL,40,45}'::int[]) WITH ORDINALITY AS t (x, i);

-- a fall and a rise
SELECT i, x, scan_match('a b+ c+', true, x < before, x > before) OVER w AS match,
       scan_match_variable('a b+ c+', true, x < before, x > before) OVER w AS letter
FROM price WINDOW w AS (ORDER BY i);

-- what is preferred
CREATE FUNCTION matched(pattern text, rows text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(coalesce(match || letter, '-'), ' ' ORDER BY i)
  FROM (SELECT i, scan_match(pattern, c ~ '[aA]', c ~ '[bA]', c = 'c') OVER w AS match,
               scan_match_variable(pattern, c ~ '[aA]', c ~ '[bA]', c = 'c') OVER w AS letter
        FROM regexp_split_to_table(rows, '') WITH ORDINALITY AS t (c, i) WINDOW w AS (ORDER BY i)) AS s $$;
SELECT pattern, matched(pattern, 'aAbxAAcab') FROM unnest(ARRAY['a', 'a b', 'b a', 'a | b', 'b | a', 'a+', 'a+?', 'a+? b', 'a* b', 'a*?', 'a??', 'a{2}', 'a{2,}',
  'a{,2}?', 'a{1,2} b', '(a | a b)(c | b)', '(a | b)* c', '(a | b)*? c', '()', '(() | a)*', '(a*)*', '(a??)*', '^ a', 'b $', '^ a | b $', 'a ^', '(a $)*', 'c?', 'A B']) AS pattern;

-- a table without rows, partitions of one row, NULLs, conditions without a type, domains, an array
SELECT scan_match('a', true) OVER () FROM price WHERE false;
CREATE DOMAIN flag AS boolean;
SELECT i, scan_match('^ a | b $', x < 80, NULL) OVER (PARTITION BY i) AS one, scan_match('a', NULL) OVER () AS none,
       scan_match('a b', (x > 50)::flag, x < 80) OVER w AS a_domain, scan_match('a b', VARIADIC ARRAY[x > 50, x < 80]) OVER w AS an_array,
       scan_match('a', VARIADIC CASE WHEN i < 3 THEN ARRAY[true] END) OVER w AS null_array
FROM price WINDOW w AS (ORDER BY i);

-- the node, LIMIT, late arguments, prepared statements, views
SET scan.debug_require = node;
SET scan.device = cpu; -- the same plan where run.sh of test/gpu runs the tests on a device
EXPLAIN (COSTS OFF) SELECT scan_match('a b', x > 50, x < 80) OVER (ORDER BY i) FROM price;
RESET scan.device;
SELECT i, scan_match('a b?', x > 50, 10 / (i - 5) > -20) OVER (ORDER BY i) AS match FROM price;
RESET scan.debug_require;
SELECT i, scan_match('a b+', true, 10 / (i - 5) > -20) OVER (ORDER BY i) AS match FROM price LIMIT 3;
SELECT i, scan_match('a', 10 / (i - 5) > -20) OVER (ORDER BY i) AS match FROM price LIMIT 4;
PREPARE matches(text, int) AS SELECT array_agg(m ORDER BY i) FROM (SELECT i, scan_match($1, x > $2, x < 80) OVER (ORDER BY i) AS m FROM price) AS s;
SET plan_cache_mode = force_generic_plan;
EXECUTE matches('a b', 50);
EXECUTE matches('a+', 60);
RESET plan_cache_mode;
CREATE VIEW matched_view AS
  SELECT i, scan_match('a b', x > 50, x < 80) OVER w AS m, scan_match('a b', VARIADIC ARRAY[x > 50, x < 80]) OVER w AS v FROM price WINDOW w AS (ORDER BY i);
-- 16 and newer leave out the name of the table.
SELECT replace(pg_get_viewdef('matched_view'), 'price.', '');
DO $$ BEGIN EXECUTE 'CREATE VIEW matched_again AS ' || pg_get_viewdef('matched_view'); END $$;
SELECT count(*), count(m) FROM matched_view NATURAL JOIN matched_again;

-- patterns by partition; none changes within one
SELECT i % 2 AS p, i, scan_match(CASE i % 2 WHEN 0 THEN 'a+' ELSE 'a' END, x < 80) OVER (PARTITION BY i % 2 ORDER BY i) FROM price;

-- patterns that a machine that goes back would take forever for
SET statement_timeout = '60s';
SELECT count(m) FROM (SELECT scan_match('(a?){40} a{40}', i % 41 > 0) OVER (ORDER BY i) AS m FROM generate_series(1, 20000) AS i) AS s;
SELECT count(m) FROM (SELECT scan_match('((a*)*)* b', i > 0, i < 0) OVER (ORDER BY i) AS m FROM generate_series(1, 20000) AS i) AS s;
SELECT count(m), max(m) FROM (SELECT scan_match('a (b* c)?', i > 0, i > 0, i < 0) OVER (ORDER BY i) AS m FROM generate_series(1, 100000) AS i) AS s;
SELECT count(m) FROM (SELECT scan_match('(a | b)* a (a | b){60} c', i * 7919 % 13 < 6, i > 0, i % 5000 = 0) OVER (ORDER BY i) AS m FROM generate_series(1, 20000) AS i) AS s;
SELECT count(m), max(m) FROM (SELECT scan_match('(a | b | c | d | e | f | g | h | i | j)+ k', i & 1 > 0, i & 2 > 0, i & 4 > 0, i & 8 > 0, i & 16 > 0, i & 32 > 0, i & 64 > 0, i & 128 > 0,
  i & 256 > 0, i & 512 > 0, i & 1024 = 0) OVER (ORDER BY i) AS m FROM generate_series(1, 20000) AS i) AS s;
RESET statement_timeout;

-- errors
SELECT left(pattern, 20) AS pattern, error FROM unnest(ARRAY['', ' ', '|a', 'a|', 'a||b', '(', ')', '(a', 'a)', '*', 'a**', 'a+*', 'a{', 'a{}', 'a{,}', 'a{2', 'a{2,1}', 'a{x}', 'a{1001}', 'a.', 'a1', 'é', 'a ü', '^+ d', '[a]',
  'a{999}', '(a{100}){100}', '((((){1000}){1000}){1000}){1000} z', repeat('(', 101) || 'a' || repeat(')', 101), 'a{99999999999}']) AS pattern,
  LATERAL oracle.error_of(format('SELECT scan_match(%L, true, false, NULL) OVER ()', pattern)) AS error;
SELECT scan_match(NULL, true) OVER ();
SELECT scan_match('a', 1) OVER ();
SELECT scan_match('a', 'true') OVER ();
SELECT scan_match('a', ARRAY[1]) OVER ();
SELECT scan_match('a b', VARIADIC ARRAY[true]) OVER ();
SELECT scan_match('a', VARIADIC '{{true}}'::boolean[]) OVER ();
SELECT scan_match('a', VARIADIC ARRAY[true, false], true) OVER ();
SELECT scan_match('a b', i > 3) OVER () FROM price;
SELECT scan_match('a b', x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3,
  x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3, x > 3) OVER () FROM price;
SELECT scan_match(CASE WHEN i < 5 THEN 'a' ELSE 'b' END, x > 3, x < 3) OVER (ORDER BY i) FROM price;
SELECT oracle.error_of($$SELECT scan_match('a') OVER ()$$);
