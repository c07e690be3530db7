-- recipes: what README suggests, on more rows, against the ways that people have without it.
CREATE TEMP TABLE sale AS
SELECT i, date '2020-01-01' + (i + oracle.draw(i, 2, 5) / 4 + 3 * (oracle.draw(i / 20, 1, 3)))::int AS day, 1 + oracle.draw(i, 3, 7)::int AS item, (oracle.draw(i, 4, 41) - 20)::int AS change,
       oracle.draw(i, 5, 2001)::numeric / 100 - 9.9 AS rate
FROM generate_series(1, 3000) AS i;
ANALYZE sale;

-- Gaps and islands, against the days that are as far apart as their numbers.
WITH day AS (SELECT DISTINCT day FROM sale),
     ours AS (SELECT min(day) AS begins, max(day) AS ends FROM (SELECT day, scan_session(day, gap => interval '1 day') OVER (ORDER BY day) AS island FROM day) AS t GROUP BY island),
     theirs AS (SELECT min(day) AS begins, max(day) AS ends FROM (SELECT day, day - row_number() OVER (ORDER BY day)::int AS island FROM day) AS t GROUP BY island)
SELECT count(*) AS islands, count(*) FILTER (WHERE ours.begins IS NULL OR theirs.begins IS NULL) AS wrong FROM ours FULL JOIN theirs USING (begins, ends);

-- An inventory that is never below 0 and never above 50, against a recursive query.
WITH RECURSIVE row AS (SELECT item, change, row_number() OVER (PARTITION BY item ORDER BY i) AS n FROM sale),
     theirs AS (SELECT item, 0::bigint AS n, 0 AS stock FROM row WHERE n = 1
                UNION ALL SELECT row.item, row.n, least(50, greatest(0, theirs.stock + row.change)) FROM theirs JOIN row ON row.item = theirs.item AND row.n = theirs.n + 1)
SELECT count(*) AS rows, count(*) FILTER (WHERE ours <> stock) AS wrong, count(*) FILTER (WHERE ours IN (0, 50)) AS "at a bound"
FROM (SELECT item, n, scan_clamped_sum(change, lower => 0, upper => 50) OVER (PARTITION BY item ORDER BY n) AS ours FROM row) AS o JOIN theirs USING (item, n);

-- A line of sight, against all points before.
CREATE TEMP TABLE ground AS SELECT km, (100 * sin(km / 40.0) + oracle.draw(km, 7, 60))::float8 AS metres FROM generate_series(1, 800) AS km;
WITH seen_at AS (SELECT km, atan2(metres - 250, km * 1000) AS angle FROM ground)
SELECT count(*) AS points, count(*) FILTER (WHERE seen) AS seen, count(*) FILTER (WHERE seen <> NOT EXISTS (SELECT FROM seen_at AS b WHERE b.km < o.km AND b.angle >= o.angle)) AS wrong
FROM (SELECT km, angle, coalesce(angle > scan_max(angle, exclusive => true) OVER (ORDER BY km), true) AS seen FROM seen_at) AS o;

-- Horner's rule, against powers; and a number from its digits, against PostgreSQL's reading of it.
SELECT count(*) AS polynomials, count(*) FILTER (WHERE horner <> power) AS wrong
FROM (SELECT p, (array_agg(y ORDER BY i DESC))[1] AS horner, sum(coefficient * power(x, degree - i)) AS power
      FROM (SELECT p, i, degree, coefficient, x, scan_recurrence(x, coefficient) OVER (PARTITION BY p ORDER BY i) AS y
            FROM generate_series(1, 200) AS p, LATERAL (SELECT (oracle.draw(p, 8, 41) - 20)::numeric / 4 AS x, p % 8 AS degree) AS d, LATERAL generate_series(0, degree) AS i,
                 LATERAL (SELECT (oracle.draw(i, p, 19) - 9)::numeric AS coefficient) AS c) AS t GROUP BY p) AS t;
SELECT (array_agg(y ORDER BY i DESC))[1] = '31415926535897932384626433832795028841971' AS digits
FROM (SELECT i, scan_recurrence(10, digit::numeric) OVER (ORDER BY i) AS y FROM regexp_split_to_table('31415926535897932384626433832795028841971', '') WITH ORDINALITY AS d (digit, i)) AS t;

-- A lexer, against regular expressions.
CREATE TEMP TABLE source AS
SELECT string_agg((ARRAY[' ', 'x', 'y', 'sum', '1', '20', '+', '*(', ')', '=', '  ', 'b7'])[1 + oracle.draw(i, 9, 12)], '' ORDER BY i) AS text FROM generate_series(1, 4000) AS i;
WITH ours AS (
  SELECT row_number() OVER (ORDER BY tokens) AS n, string_agg(letter, '' ORDER BY i) AS token, (ARRAY['name', 'number', 'sign'])[min(state)] AS kind
  FROM (SELECT i, letter, state, scan_count(state = 3 OR state <> before) OVER (ORDER BY i) AS tokens
        FROM (SELECT i, letter, state, lag(state, 1, 0) OVER (ORDER BY i) AS before
              FROM (SELECT i, letter, scan_state(CASE WHEN letter = ' ' THEN 0 WHEN letter ~ '[a-z]' THEN 1 WHEN letter ~ '[0-9]' THEN 2 ELSE 3 END,
                                                 '{{0,1,2,3},{0,1,1,3},{0,1,2,3},{0,1,2,3}}') OVER (ORDER BY i) AS state
                    FROM source, regexp_split_to_table(text, '') WITH ORDINALITY AS r (letter, i)) AS a) AS b) AS c
  WHERE state <> 0 GROUP BY tokens),
theirs AS (SELECT n, m[1] AS token FROM source, regexp_matches(text, '[a-z][a-z0-9]*|[0-9]+|[^ a-z0-9]', 'g') WITH ORDINALITY AS r (m, n))
SELECT count(*) AS tokens, count(*) FILTER (WHERE ours.token IS DISTINCT FROM theirs.token OR kind <> CASE WHEN theirs.token ~ '^[a-z]' THEN 'name' WHEN theirs.token ~ '^[0-9]' THEN 'number' ELSE 'sign' END) AS wrong
FROM ours FULL JOIN theirs USING (n);
-- A digit right after a number's letters is the one place where the two could differ: 2b is 2 and b.
SELECT scan_state(class, '{{0,1,2,3},{0,1,1,3},{0,1,2,3},{0,1,2,3}}') OVER (ORDER BY i) FROM unnest('{2,1,2,2,0,2,3,3}'::int[]) WITH ORDINALITY AS t (class, i);

-- Quicksort, all segments at once: a segment is named by where it begins, and is split into
-- what is below its first value, that value, and the rest.
CREATE TEMP TABLE unsorted AS SELECT 1::bigint AS segment, i AS place, oracle.draw(i, 11, 700) AS x FROM generate_series(1, 2000) AS i;
DO $$
DECLARE
  passes int := 0;
BEGIN
  WHILE EXISTS (SELECT FROM unsorted GROUP BY segment HAVING count(*) > 1) LOOP
    CREATE TEMP TABLE split AS
    SELECT CASE WHEN x < pivot THEN segment WHEN is_pivot THEN goes_to ELSE pivot_goes_to + 1 END AS segment, goes_to AS place, x
    FROM (SELECT *, max(goes_to) FILTER (WHERE is_pivot) OVER (PARTITION BY segment) AS pivot_goes_to
          FROM (SELECT *, segment - 1 + scan_split_index(x >= pivot) OVER (PARTITION BY segment ORDER BY place) AS goes_to
                FROM (SELECT *, first_value(x) OVER w AS pivot, row_number() OVER w = 1 AS is_pivot FROM unsorted WINDOW w AS (PARTITION BY segment ORDER BY place)) AS a) AS b) AS c;
    DROP TABLE unsorted;
    ALTER TABLE split RENAME TO unsorted;
    passes := passes + 1;
  END LOOP;
  RAISE NOTICE 'passes between 10 and 60: %', passes BETWEEN 10 AND 60;
END $$;
SELECT count(*) AS rows, count(*) FILTER (WHERE place <> n OR x <> sorted) AS wrong
FROM (SELECT place, x, row_number() OVER (ORDER BY place) AS n FROM unsorted) AS a JOIN (SELECT oracle.draw(i, 11, 700) AS sorted, row_number() OVER (ORDER BY oracle.draw(i, 11, 700)) AS n FROM generate_series(1, 2000) AS i) AS b USING (n);

-- A sparse matrix in a table, against a join.
CREATE TEMP TABLE entry AS SELECT DISTINCT oracle.draw(i, 12, 200)::int AS row, oracle.draw(i, 13, 90)::int AS col, (1 + oracle.draw(i / 7, 14, 9))::float8 AS value FROM generate_series(1, 900) AS i;
DELETE FROM entry AS a USING entry AS b WHERE a.row = b.row AND a.col = b.col AND a.value > b.value;
WITH ends AS (SELECT row, sum(count(col)) OVER (ORDER BY row) AS until FROM generate_series(0, 199) AS row LEFT JOIN entry USING (row) GROUP BY row),
     csr AS (SELECT 0::bigint || array_agg(until::bigint ORDER BY row) AS row_ptr, (SELECT array_agg(col ORDER BY row, col) FROM entry) AS col_idx, (SELECT array_agg(value ORDER BY row, col) FROM entry) AS "values" FROM ends)
SELECT count(*) AS rows, count(*) FILTER (WHERE y <> coalesce(wanted, 0)) AS wrong, count(*) FILTER (WHERE wanted IS NULL) AS empty
FROM (SELECT y, n - 1 AS row FROM csr, unnest(csr_multiply(row_ptr, col_idx, "values", ARRAY(SELECT (x * x)::float8 FROM generate_series(0, 89) AS x))) WITH ORDINALITY AS u (y, n)) AS o
     LEFT JOIN (SELECT row, sum(value * col * col) AS wanted FROM entry GROUP BY row) AS t USING (row);

-- Returns and drawdowns, against a recursive query and a window of stock.
WITH RECURSIVE theirs AS (SELECT 1 AS i, round(1 + rate / 100, 20) AS level FROM sale WHERE i = 1
                          UNION ALL SELECT theirs.i + 1, round(level * (1 + rate / 100), 20) FROM theirs JOIN sale ON sale.i = theirs.i + 1 WHERE theirs.i < 300)
SELECT count(*) AS rows, count(*) FILTER (WHERE abs(ours.level - theirs.level) > 1e-15) AS "wrong level", count(*) FILTER (WHERE drawdown <> wanted) AS "wrong drawdown", count(*) FILTER (WHERE drawdown < 0) AS down
FROM (SELECT i, level, level / scan_max(level) OVER w - 1 AS drawdown, level / max(level) OVER (ORDER BY i) - 1 AS wanted
      FROM (SELECT i, scan_product(1 + rate / 100) OVER (ORDER BY i) AS level FROM sale WHERE i <= 300) AS t WINDOW w AS (ORDER BY i)) AS ours JOIN theirs USING (i);

-- An IIR low-pass of order 2, against a recursive query; and pages of a session in one pass,
-- against the sum of a flag.
WITH RECURSIVE theirs AS (SELECT 0 AS i, 0::float8 AS x1, 0::float8 AS x2, 0::float8 AS y, 0::float8 AS y2
                          UNION ALL SELECT theirs.i + 1, change::float8, x1, 0.1 * change + 0.2 * x1 + 0.1 * x2 + 0.9 * y - 0.3 * y2, y FROM theirs JOIN sale ON sale.i = theirs.i + 1)
SELECT count(*) AS rows, count(*) FILTER (WHERE abs(ours - y) > 1e-12) AS wrong
FROM (SELECT i, scan_filter(change, '{0.1,0.2,0.1}', '{1,-0.9,0.3}') OVER (ORDER BY i) AS ours FROM sale) AS o JOIN theirs USING (i);
SELECT count(*) AS rows, count(*) FILTER (WHERE ours <> theirs) AS wrong, max(ours) > 100 AS "many sessions"
FROM (SELECT scan_session(at, interval '2 hours') OVER w AS ours, sum(fresh) OVER w AS theirs
      FROM (SELECT i, item, at, CASE WHEN at - lag(at) OVER (PARTITION BY item ORDER BY at, i) <= interval '2 hours' THEN 0 ELSE 1 END AS fresh
            FROM (SELECT i, item, timestamp '2024-01-01' + i * interval '13 minutes' + oracle.draw(i, 15, 90) * interval '1 minute' AS at FROM sale) AS c) AS t
      WINDOW w AS (PARTITION BY item ORDER BY at, i ROWS UNBOUNDED PRECEDING)) AS s;
