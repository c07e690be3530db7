-- funnel: scan_funnel, how many steps in order were reached within a time of the first one.  Random rows: test/t/funnel.t.
\pset null -
SET timezone = 'Europe/Berlin';
CREATE TABLE visit AS SELECT * FROM (VALUES (1, timestamptz '2026-03-01 09:00', 'ad'), (1, '2026-03-01 09:10', 'cart'), (1, '2026-03-01 09:50', 'paid'), (2, '2026-03-01 09:00', 'ad'), (2, '2026-03-01 09:30', 'ad'), (2, '2026-03-01 10:20', 'cart'), (2, '2026-03-01 10:31', 'paid'), (3, '2026-03-01 09:00', 'cart'), (3, '2026-03-01 09:05', 'paid'), (4, NULL, 'ad'), (4, '2026-03-01 09:05', NULL)) AS t (visitor, at, page);
SELECT visitor, scan_funnel(at, '1 hour', page = 'ad', page = 'cart', page = 'paid' ORDER BY at) AS steps, scan_funnel(at, '1 hour', page = 'ad' ORDER BY at) AS first, scan_funnel(at, '1 hour', VARIADIC ARRAY[page = 'ad', page = 'paid'] ORDER BY at) AS "array",
       scan_funnel(at, '1 hour', 'strict_order', page = 'ad', page = 'paid' ORDER BY at) AS "in order"
FROM visit GROUP BY visitor ORDER BY visitor;
SELECT visitor, at, page, scan_funnel(at, interval '1 hour', page = 'ad', page = 'cart', page = 'paid') OVER (PARTITION BY visitor ORDER BY at) AS so_far, scan_funnel(at, interval '1 hour', page = 'ad', page = 'cart', page = 'paid') OVER (PARTITION BY visitor ORDER BY at ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS from_here FROM visit ORDER BY visitor, at;
-- No row, only rows that are skipped, NULL conditions, one row that satisfies all steps, a chain whose first row is the latest that can be.
SELECT scan_funnel(1, 2, true) FILTER (WHERE false) AS none, scan_funnel(NULL::int8, 2, true) AS skipped, scan_funnel(1, 2, NULL::bool, true) AS "NULL", scan_funnel(1, 2, true, true) AS one;
SELECT scan_funnel(at, within, a, b, c ORDER BY at) AS latest, scan_funnel(at, within, 'strict_order', a, b, c ORDER BY at) AS strict_order
FROM (VALUES (0, true, false, false), (1, false, true, false), (5, true, false, false), (6, false, true, false), (9, false, false, true)) AS t (at, a, b, c), (VALUES (4), (3), (8), (9)) AS w (within) GROUP BY within ORDER BY within;
-- Equal times: one row advances a chain by one step; with strict_increase, an older chain is not hidden by a first step of the same time.
SELECT name, scan_funnel(at, 10, a, b ORDER BY i) AS plain, scan_funnel(at, 10, 'strict_increase', a, b ORDER BY i) AS strict_increase
FROM (VALUES ('same row', 1, 1, true, true), ('same time', 1, 1, true, false), ('same time', 2, 1, false, true), ('older chain', 1, 0, true, false), ('older chain', 2, 5, true, false), ('older chain', 3, 5, false, true), ('too old', 1, 0, true, false), ('too old', 2, 11, true, false), ('too old', 3, 11, false, true)) AS t (name, i, at, a, b) GROUP BY name ORDER BY name;
-- strict_order ends with a row of no step, or of a step too far ahead, but not before the first step; a row of several steps counts as its highest.
SELECT name, scan_funnel(i, 100, 'strict_order', position('a' IN s) > 0, position('b' IN s) > 0, position('c' IN s) > 0 ORDER BY i) AS steps, scan_funnel(i, 100, 'strict_order strict_increase', position('a' IN s) > 0, position('b' IN s) > 0, position('c' IN s) > 0 ORDER BY i) AS both
FROM (VALUES ('abc'), ('a-bc'), ('-cabc'), ('ab-c'), ('acb'), ('abab'), ('aac'), ('bcabbbc')) AS t (name), LATERAL regexp_split_to_table(name, '') WITH ORDINALITY AS u (s, i) GROUP BY name ORDER BY name;
SELECT scan_funnel(i, 100, 'strict_order', position('a' IN s) > 0, position('b' IN s) > 0, position('c' IN s) > 0 ORDER BY i) AS steps FROM (VALUES (1, 'a'), (2, 'ac')) AS t (i, s);
-- All types.  Months by the calendar: from January 30th, 23:00, there is more time than from the 31st.
SELECT scan_funnel(at, '1 month', a, b ORDER BY at), scan_funnel(at AT TIME ZONE 'Europe/Berlin', '1 month', a, b ORDER BY at), scan_funnel(at::date, '1 month', a, b ORDER BY at)
FROM (VALUES (timestamp '2026-01-30 23:00', true, false), ('2026-01-31 01:00', true, false), ('2026-02-28 22:00', false, true)) AS t (at, a, b);
SELECT scan_funnel(at::int2, 1::int2, a, b ORDER BY i) AS int2, scan_funnel(at, 1, a, b ORDER BY i) AS int4, scan_funnel(at::int8, 1, a, b ORDER BY i) AS int8, scan_funnel(at::real, 1, a, b ORDER BY i) AS float4, scan_funnel(at::float8, 0.9, a, b ORDER BY i) AS float8, scan_funnel(at::numeric, 0.9, a, b ORDER BY i) AS numeric, scan_funnel(at::numeric, 1, a, b ORDER BY i) AS numeric FROM (VALUES (1, 1, true, false), (2, 2, false, true)) AS t (i, at, a, b);
-- Infinite times and limits.
SELECT scan_funnel(at, 1, a, b ORDER BY i) AS one, scan_funnel(at, 'Infinity', a, b ORDER BY i) AS infinity, scan_funnel(at::numeric, 'Infinity', a, b ORDER BY i) AS numeric FROM (VALUES (1, '-Infinity'::float8, true, false), (2, 5, false, true), (3, 'NaN', false, true)) AS t (i, at, a, b);
SELECT scan_funnel(at, '1 day', a, b ORDER BY at), scan_funnel(at, '200000 years', a, b ORDER BY at), scan_funnel(at, '-1 day 30 hours', a, b ORDER BY at) FROM (VALUES (timestamp '-infinity', true, false), ('4713-01-01 00:00 BC', true, false), ('294276-12-31 23:59', false, true), ('infinity', false, true)) AS t (at, a, b);
-- Views, and what PostgreSQL prints of them; 16 and newer leave out the name of the table.
CREATE VIEW steps AS SELECT visitor, at, scan_funnel(at, '1 hour', page = 'ad', page = 'paid') OVER w AS y, scan_funnel(at, '1 hour', 'strict_order', VARIADIC ARRAY[page = 'ad', page = 'paid']) OVER w AS z FROM visit WINDOW w AS (PARTITION BY visitor ORDER BY at);
SELECT replace(pg_get_viewdef('steps'), 'visit.', '');
DO $$ BEGIN EXECUTE 'CREATE VIEW steps_again AS ' || pg_get_viewdef('steps'); END $$;
SELECT count(*), count(y), count(z) FROM steps NATURAL JOIN steps_again;
-- Errors.
SELECT q, oracle.error_of(q) FROM unnest(ARRAY[
  $$SELECT scan_funnel(at, '1 hour', page = 'ad' ORDER BY at DESC) FROM visit$$, $$SELECT scan_funnel(at, '1 hour', page = 'ad') OVER (ORDER BY at DESC) FROM visit WHERE visitor = 1$$, $$SELECT scan_funnel(-i, 1::numeric, true) FROM generate_series(1, 2) AS i$$,
  $$SELECT scan_funnel(1, -1, true)$$, $$SELECT scan_funnel(now(), '-1 hour', true)$$, $$SELECT scan_funnel(1.5, 'NaN', true)$$, $$SELECT scan_funnel(1, NULL::int, true)$$, $$SELECT scan_funnel(i, i, true) FROM generate_series(1, 2) AS i$$, $$SELECT scan_funnel(i, i::numeric, true) FROM generate_series(1, 2) AS i$$, $$SELECT scan_funnel(now(), i * interval '1 day', true) FROM generate_series(1, 2) AS i$$,
  $$SELECT scan_funnel(1, 1, 'strict', true)$$, $$SELECT scan_funnel(1, 1, '', true)$$, $$SELECT scan_funnel(1, 1, NULL::text, true)$$, $$SELECT scan_funnel(i, 9, CASE i WHEN 1 THEN 'strict_order' ELSE 'strict_increase' END, true) FROM generate_series(1, 2) AS i$$,
  $$SELECT scan_funnel(1, 1, VARIADIC NULL::bool[])$$, $$SELECT scan_funnel(1, 1, VARIADIC '{}'::bool[])$$, $$SELECT scan_funnel(1, 1, VARIADIC '{{t},{f}}'::bool[])$$, $$SELECT scan_funnel(i, 9, VARIADIC array_fill(true, ARRAY[i])) FROM generate_series(1, 2) AS i$$, $$SELECT scan_funnel(1, 1)$$, $$SELECT scan_funnel(1, 1, true, 5)$$, $$SELECT scan_funnel(1, 1, NULL, true)$$, $$SELECT scan_funnel(1, 1, 'strict_order', true, 'x')$$, $$SELECT scan_funnel(1, 1, 'strict_order')$$, $$SELECT scan_funnel(i, 1, true) OVER (ORDER BY i) FROM generate_series(1, 2) AS i WHERE i = 1$$, $$SELECT scan_funnel(now()::time, '1 hour', true)$$]) AS q;
