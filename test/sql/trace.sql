-- trace: scan_trace, the steps of the two classical trees with work and span so far.
SELECT * FROM scan_trace('hillis_steele', '{3,1,7,0,4,1,6,3}');
SELECT * FROM scan_trace('blelloch', '{3,1,7,0,4,1,6,3}');
-- Other lengths: Blelloch's tree is filled up with zeros.
SELECT * FROM scan_trace('hillis_steele', '{5,5,5}');
SELECT * FROM scan_trace('blelloch', '{5,5,5}');
SELECT a AS algorithm, t.* FROM unnest(ARRAY['hillis_steele', 'blelloch']) AS a, scan_trace(a, '{7}') AS t;
SELECT a AS algorithm, t.* FROM unnest(ARRAY['hillis_steele', 'blelloch']) AS a, scan_trace(a, '{}') AS t;
SELECT count(*) AS algorithm, (SELECT count(*) FROM scan_trace('blelloch', NULL)) AS "values" FROM scan_trace(NULL, '{1}');
-- A total beyond bigint is an error, also one on the way; up to the last bit it is none.
SELECT oracle.error_of('SELECT count(*) FROM scan_trace(' || q || ')') FROM unnest(ARRAY[
  $$'hillis_steele', '{9223372036854775807,1}'$$, $$'hillis_steele', '{-9223372036854775807,-1,0}'$$, $$'hillis_steele', '{-9223372036854775807,-1,-1}'$$,
  $$'blelloch', '{9223372036854775807,1}'$$, $$'blelloch', '{9223372036854775807,-1,1,0}'$$, $$'blelloch', '{1,9223372036854775807,-5,-6}'$$,
  $$'sequential', '{1}'$$, $$'Blelloch', '{1}'$$, $$'blelloch', '{1,NULL}'$$, $$'blelloch', '{{1,2}}'$$,
  $$'blelloch', array_fill(1::bigint, ARRAY[1048577])$$]) AS q;

-- Every length up to 70 and some larger ones: what every element is after every step, by
-- its definition; the answer; and work and span by their closed forms.
CREATE TEMP TABLE input AS
SELECT n, ARRAY(SELECT oracle.draw(i, n, 2001) - 1000 FROM generate_series(1, n) AS i) AS x FROM (SELECT generate_series(1, 70) UNION SELECT unnest(ARRAY[255, 256, 257, 1024, 1500])) AS s (n);
-- Hillis and Steele: after step s the sum of the last 2^s elements.
SELECT count(*) AS steps, count(*) FILTER (WHERE state <> ARRAY(SELECT p[i + 1] - p[greatest(i - (1::bigint << step), 0) + 1] FROM generate_series(1, n) AS i)) AS "wrong state",
       count(*) FILTER (WHERE step <> span OR work <> (SELECT coalesce(sum(n - (1 << s)), 0) FROM generate_series(0, step - 1) AS s)) AS "wrong work or span",
       count(*) FILTER (WHERE last AND state <> array_scan_sum(x)) AS "wrong answer", count(*) FILTER (WHERE last AND 1::bigint << step < n) AS "too few steps"
FROM (SELECT n, x, 0 || array_scan_sum(x) AS p, t.*, step = max(step) OVER (PARTITION BY n) AS last FROM input, scan_trace('hillis_steele', x) AS t) AS t;
-- Blelloch: going up, at step s every 2^s-th element is the sum of the 2^s up to it; going
-- down, at width w, of every w elements the last has what is before all of them.
SELECT phase, count(*) AS steps, count(*) FILTER (WHERE cardinality(state) <> 1 << m OR EXISTS (
         SELECT FROM generate_series(1, 1 << m) AS i WHERE CASE phase WHEN 'up-sweep' THEN i % (1 << step) = 0 AND state[i] <> p[i + 1] - p[i - (1 << step) + 1]
                                                                      WHEN 'down-sweep' THEN i % (1 << (2 * m + 1 - step)) = 0 AND state[i] <> p[i - (1 << (2 * m + 1 - step)) + 1]
                                                                      WHEN 'clear' THEN i = 1 << m AND state[i] <> 0 ELSE state[i] <> coalesce(x[i], 0) END)) AS "wrong state",
       count(*) FILTER (WHERE last AND state[:n] <> array_scan_sum(x, exclusive => true)) AS "wrong answer",
       count(*) FILTER (WHERE last AND (work, span) <> (2 * ((1 << m) - 1), 2 * m)) AS "wrong work or span", count(*) FILTER (WHERE last) AS arrays
FROM (SELECT n, x, m, 0 || array_scan_sum(x || array_fill(0::bigint, ARRAY[(1 << m) - n])) AS p, t.*, step = max(step) OVER (PARTITION BY n) AS last
      FROM (SELECT *, (SELECT count(*)::int FROM generate_series(0, 30) AS e WHERE 1 << e < n) AS m FROM input) AS i, scan_trace('blelloch', x) AS t) AS t
GROUP BY phase ORDER BY phase;
