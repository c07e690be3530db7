-- state: scan_state, a finite automaton over rows: transitions[state + 1][input + 1].
\pset null -
-- Has the input so far an odd number of ones?  A NULL is no input.
SELECT i, x, reset,
       scan_state(x, '{{0,1},{1,0}}') OVER w AS odd,
       scan_state(x, '{{0,1},{1,0}}', 1) OVER w AS "from 1",
       scan_state(x, '{{0,1},{1,0}}', start => 1, reset => reset) OVER w AS "from 1, segments"
FROM (VALUES (1, NULL, false), (2, 1, false), (3, 0, false), (4, 1, false), (5, NULL, true), (6, 1, NULL), (7, 0, true)) AS t(i, x, reset)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Where does 'abab' end?  Knuth, Morris and Pratt's automaton; a = 0, b = 1, other = 2.
SELECT string_agg(letter, ' ' ORDER BY i) AS text, string_agg(state::text, ' ' ORDER BY i) AS states,
       array_agg(i ORDER BY i) FILTER (WHERE state = 4) AS ends
FROM (SELECT i, letter, scan_state(CASE letter WHEN 'a' THEN 0 WHEN 'b' THEN 1 ELSE 2 END,
                                   '{{1,0,0},{1,2,0},{3,0,0},{1,4,0},{3,0,0}}') OVER (ORDER BY i) AS state
      FROM string_to_table('abacababababxabab', NULL) WITH ORDINALITY AS t(letter, i)) AS t;

-- Against a plain loop: random tables of 1, 2, 7 and 40 states, sizes 0..1025.
CREATE TEMP TABLE machine AS
SELECT states, inputs, (SELECT array_agg(line ORDER BY s) FROM (
         SELECT s, array_agg(oracle.draw(s * 1000 + x, states, states)::int ORDER BY x) AS line
         FROM generate_series(1, states) AS s, generate_series(1, inputs) AS x GROUP BY s) AS t) AS transitions
FROM (VALUES (1, 1), (2, 3), (7, 5), (40, 2), (3, 300)) AS t(states, inputs);
CREATE FUNCTION pg_temp.loop(m machine, start int, use_reset boolean)
RETURNS TABLE (size int, i int, y int) LANGUAGE plpgsql AS $$
DECLARE
  r record;
  previous int := -1;               -- the partition before
  state int;
BEGIN
  FOR r IN SELECT * FROM pg_temp.sample AS s ORDER BY s.size, s.i LOOP
    IF r.size <> previous OR (use_reset AND r.reset) THEN
      state := start; y := NULL;
    END IF;
    previous := r.size;
    IF r.x IS NOT NULL THEN
      state := m.transitions[state + 1][r.x % m.inputs + 1];
      y := state;
    END IF;
    size := r.size; i := r.i;
    RETURN NEXT;
  END LOOP;
END $$;
CREATE TEMP TABLE sample AS SELECT size, i, reset, CASE WHEN NOT hole THEN (h & 65535)::int END AS x FROM oracle.cell;
SELECT states, inputs, use_reset, count(*) AS compared, count(*) FILTER (WHERE f.y IS DISTINCT FROM o.y) AS different, count(DISTINCT f.y) AS seen
FROM machine AS m, (VALUES (false), (true)) AS resets(use_reset),
     LATERAL (SELECT size, i, scan_state(x % inputs, transitions, states - 1, use_reset AND reset) OVER (PARTITION BY size ORDER BY i) FROM sample) AS f(size, i, y)
     FULL JOIN LATERAL (SELECT * FROM pg_temp.loop(m, states - 1, use_reset)) AS o(size, i, y) USING (size, i)
GROUP BY states, inputs, use_reset ORDER BY states, inputs, use_reset;
-- Tables may differ from partition to partition, and start in another state.
SELECT p, i, scan_state(1, CASE p WHEN 1 THEN '{{0,1},{1,0}}'::int[] ELSE '{{0,1},{0,2},{0,0}}' END, p - 1) OVER (PARTITION BY p ORDER BY i)
FROM generate_series(1, 2) AS p, generate_series(1, 4) AS i ORDER BY p, i;
-- A state outside the table is an error of the row that makes it, an input of its own.
SELECT oracle.rows_of($$SELECT scan_state(x, '{{0,1},{1,7}}') OVER (ORDER BY i) FROM (VALUES (1, 0), (2, 1), (3, 0), (4, 1), (5, 0)) AS t(i, x)$$) AS state,
       oracle.rows_of($$SELECT scan_state(x, '{{0,1},{1,0}}') OVER (ORDER BY i) FROM (VALUES (1, 0), (2, 1), (3, 2), (4, 1)) AS t(i, x)$$) AS input;
