-- cost: scan_cost, what the units that go out of a stock have cost.
\pset null -
SELECT i, quantity, price, scan_cost(quantity, price) OVER w AS fifo, scan_cost(quantity, price, 'lifo') OVER w AS lifo, scan_cost(quantity, price, 'average') OVER w AS average,
       scan_cost(quantity, price, reset => i = 6) OVER w AS "fifo, reset"
FROM (VALUES (1, 10, 2.00), (2, 5, 3.50), (3, -4, NULL), (4, -8, 9.99), (5, NULL, 1), (6, 3, 1.1), (7, 2, NULL), (8, 0, 7), (9, -3, NULL)) AS t(i, quantity, price)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Digits: as many as quantity and price have together; an average has those of numeric's division, and the last to go out what is left.
SELECT i, quantity, price, scan_cost(quantity, price) OVER w AS fifo, scan_cost(quantity, price, method => 'average') OVER w AS average
FROM (VALUES (1, 1.5, 0.0001), (2, -0.5, NULL), (3, 1, 3), (4, -0.25, NULL), (5, -1.75, NULL), (6, 3, 1), (7, -1, NULL), (8, -2, NULL)) AS t(i, quantity, price)
WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, scan_cost(quantity, price) OVER w AS fifo, scan_cost(quantity, price, 'lifo') OVER w AS lifo
FROM (VALUES (1, 1e40, 1e-40), (2, 9223372036854775807, 9223372036854775807), (3, 1, 1e-30), (4, -1, NULL), (5, -1e40, NULL), (6, -1, NULL), (7, -9223372036854775806, NULL)) AS t(i, quantity, price)
WINDOW w AS (ORDER BY i) ORDER BY i;
-- Units of any type go in by a cast that loses nothing; floats, which would be rounded, do not.
SELECT scan_cost(q::int2, p::int8) OVER (ORDER BY q DESC) FROM (VALUES (3, 9007199254740993), (-2, 0)) AS t(q, p);
SELECT oracle.error_of(q) FROM unnest(ARRAY[
  'SELECT scan_cost(1::float8, 1) OVER ()', 'SELECT scan_cost(-1, 1) OVER ()', 'SELECT scan_cost(-1, 1, ''average'') OVER ()', 'SELECT scan_cost(q, 1, ''average'') OVER (ORDER BY i) FROM (VALUES (1, 2.5), (2, -3)) AS t(i, q)',
  'SELECT scan_cost(q, 1, ''lifo'') OVER (ORDER BY i) FROM (VALUES (1, 1e30), (2, 2.5), (3, -2e30)) AS t(i, q)', 'SELECT scan_cost(1, 1, ''hifo'') OVER ()', 'SELECT scan_cost(1, 1, NULL) OVER ()',
  'SELECT scan_cost(1, 1, i::text) OVER () FROM generate_series(1, 2) AS i', 'SELECT scan_cost(''NaN'', 1) OVER ()', 'SELECT scan_cost(1, ''-Infinity'') OVER ()']) AS q;
-- An error belongs to its row.
SELECT oracle.rows_of('SELECT scan_cost(q, 2) OVER (ORDER BY i) FROM (VALUES (1, 2), (2, -1), (3, -2)) AS t(i, q)');
-- What went out and what is left have cost what came in.
SELECT method, count(*) AS compared, count(*) FILTER (WHERE out_and_left <> came_in) AS different
FROM (SELECT method, p, sum(cost) AS out_and_left, sum(quantity * price) FILTER (WHERE quantity > 0) AS came_in
      FROM (SELECT method, p, i, quantity, price, scan_cost(quantity, price, method) OVER (PARTITION BY method, p ORDER BY i) AS cost
            FROM (SELECT method, p, i, CASE WHEN i = 501 THEN -sum(quantity) OVER (PARTITION BY method, p) ELSE quantity END AS quantity, oracle.draw(i, p + 70, 900)::numeric / 100 AS price
                  FROM unnest(ARRAY['fifo', 'lifo', 'average']) AS method, generate_series(1, 20) AS p,
                       LATERAL (SELECT i, CASE WHEN i = 501 THEN NULL WHEN i % 2 = 1 THEN 10 + oracle.draw(i, p + 60, 90)::numeric / 7 ELSE -oracle.draw(i, p + 61, 11) END AS quantity FROM generate_series(1, 501) AS i OFFSET 0) AS q) AS m) AS c
      GROUP BY method, p) AS t GROUP BY method ORDER BY method;
