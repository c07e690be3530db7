-- network: scan_network, the classical parallel scans as operators (level, source, target).
SELECT * FROM scan_network('kogge_stone', 4);
SELECT * FROM scan_network('sklansky', 5);
SELECT * FROM scan_network('brent_kung', 7);
SELECT * FROM scan_network('ladner_fischer', 8);
SELECT * FROM scan_network('ladner_fischer', 8, k => 1);
SELECT * FROM scan_network('han_carlson', 6);
SELECT kind, count(n.*) FROM unnest(ARRAY['kogge_stone', 'sklansky', 'brent_kung', 'ladner_fischer', 'han_carlson']) AS kind LEFT JOIN scan_network(kind, 1) AS n ON true GROUP BY kind ORDER BY kind;
SELECT count(*) AS kind, (SELECT count(*) FROM scan_network('sklansky', NULL)) AS n, (SELECT count(*) FROM scan_network('sklansky', 2, NULL)) AS k FROM scan_network(NULL, 8);
SELECT scan_network('brent_kung', 3) AS "in the select list";
SELECT oracle.error_of('SELECT count(*) FROM scan_network(' || q || ')') FROM unnest(ARRAY[
  $$'brentkung', 8$$, $$'Sklansky', 8$$, $$'', 8$$, $$'sklansky', 0$$, $$'sklansky', -1$$, $$'sklansky', 65537$$, $$'sklansky', 65536$$,
  $$'sklansky', 8, 0$$, $$'kogge_stone', 8, 1$$, $$'brent_kung', 8, 1$$, $$'han_carlson', 8, 1$$,
  $$'ladner_fischer', 8, -1$$, $$'ladner_fischer', 8, 3$$, $$'ladner_fischer', 8, 4$$, $$'ladner_fischer', 9, 4$$, $$'ladner_fischer', 1, 0$$, $$'ladner_fischer', 1, 1$$]) AS q;

-- Each network run over strings, which join in one order only: at every level all at
-- once, from what stood there before.  Then place i must hold the places 0 to i.
CREATE FUNCTION pg_temp.wrong_places(kind text, n int, k int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  place text[] := ARRAY(SELECT chr(1000 + i) FROM generate_series(0, n - 1) AS i);
  before text[];
  o record;
  level int := -1;
BEGIN
  FOR o IN SELECT * FROM scan_network(kind, n, k) AS s LOOP
    IF o.level NOT IN (level, level + 1) THEN RAISE 'level % after level %', o.level, level; END IF;
    IF o.level > level THEN before := place; level := o.level; END IF;
    IF place[o.target + 1] <> before[o.target + 1] THEN RAISE 'place % twice at level %', o.target, level; END IF;
    place[o.target + 1] := before[o.source + 1] || before[o.target + 1];
  END LOOP;
  RETURN count(*) FROM generate_series(0, n - 1) AS i
         WHERE place[i + 1] <> (SELECT string_agg(chr(1000 + j), '' ORDER BY j) FROM generate_series(0, i) AS j);
END $$;
CREATE TEMP TABLE kind AS
SELECT kind, NULL::int AS k FROM unnest(ARRAY['kogge_stone', 'sklansky', 'brent_kung', 'han_carlson']) AS kind
UNION ALL SELECT 'ladner_fischer', k FROM generate_series(0, 10) AS k;
CREATE FUNCTION pg_temp.log2(n int) RETURNS int LANGUAGE sql AS 'SELECT count(*)::int FROM generate_series(0, 30) AS m WHERE 1 << m < n';  -- rounded up
SELECT kind, k, count(*) AS networks, sum(pg_temp.wrong_places(kind, n, k)) AS wrong
FROM kind CROSS JOIN (SELECT generate_series(1, 70) UNION ALL SELECT unnest(ARRAY[127, 128, 129, 255, 300])) AS size (n)
WHERE k IS NULL OR k <= pg_temp.log2(n) GROUP BY kind, k ORDER BY kind, k;

-- Depth, size and fan-out.  The fan-out of a network is the largest number of operators
-- that take the same place at the same level.
CREATE TEMP TABLE measured AS
SELECT kind, k, n, m, s.*
FROM kind CROSS JOIN (SELECT n, pg_temp.log2(n) AS m FROM (SELECT generate_series(1, 140) UNION SELECT 1 << m FROM generate_series(8, 13) AS m) AS size (n)) AS size,
     LATERAL (SELECT coalesce(max(level) + 1, 0) AS depth, coalesce(sum(takes), 0) AS size, coalesce(max(takes), 0) AS fan_out
              FROM (SELECT level, count(*) AS takes FROM scan_network(kind, n, k) GROUP BY level, source) AS t) AS s
WHERE k IS NULL OR k <= m;
SELECT kind, k, depth, size, fan_out FROM measured WHERE n = 1024 ORDER BY kind, k;
-- The closed forms for n = 2^m.  F(i) are Fibonacci's numbers; a Ladner-Fischer network
-- with k = m is paired down to one place, as Brent and Kung's.
CREATE TEMP TABLE fibonacci AS SELECT i, scan_recurrence('{1,1}'::float8[], 0, init => '{0,1}') OVER (ORDER BY i) AS f FROM generate_series(1, 30) AS i;
SELECT kind, count(*) AS networks,
       count(*) FILTER (WHERE depth <> CASE kind WHEN 'kogge_stone' THEN m WHEN 'sklansky' THEN m WHEN 'brent_kung' THEN greatest(2 * m - 1, 0)
                                                 WHEN 'han_carlson' THEN m + (m > 1)::int ELSE least(m + k, greatest(2 * m - 1, 0)) END) AS "wrong depth",
       count(*) FILTER (WHERE size <> CASE kind WHEN 'kogge_stone' THEN n * m - n + 1 WHEN 'sklansky' THEN n * m / 2 WHEN 'brent_kung' THEN 2 * n - 2 - m
                                                WHEN 'han_carlson' THEN n * m / 2
                                                ELSE -- k pairings, then 4n - F(m + 5) + 1 for what is left
                                                     2 * (n - (n >> k)) - k + 4 * (n >> k) - (SELECT f FROM fibonacci WHERE i = m - k + 5) + 1 END) AS "wrong size",
       count(*) FILTER (WHERE fan_out <> CASE WHEN n = 1 THEN 0 WHEN kind = 'sklansky' THEN n / 2 WHEN kind = 'ladner_fischer' THEN greatest(n >> (k + 1), 1) ELSE 1 END) AS "wrong fan-out"
FROM measured WHERE n = 1 << m GROUP BY kind ORDER BY kind;
-- For any n: the recurrences that the networks are made by, and the bounds of the papers.
CREATE TEMP TABLE paired AS   -- sizes by k, the core of Ladner and Fischer's at k = 0, no core at k = 31
WITH RECURSIVE grown (n, zero, one, none, depth) AS (
  SELECT 1, ARRAY[0], ARRAY[0], ARRAY[0], ARRAY[0]
  UNION ALL
  SELECT n + 1,
         zero || (one[(n + 2) / 2] + zero[(n + 1) / 2] + (n + 1) / 2),
         one || (zero[(n + 2) / 2] + 2 * ((n + 1) / 2) - 1),
         none || (none[(n + 2) / 2] + 2 * ((n + 1) / 2) - 1),
         depth || (depth[(n + 2) / 2] + 1 + (n + 1 > 3)::int)
  FROM grown WHERE n < 140)
SELECT n, zero[n] AS zero, one[n] AS one, none[n] AS none, depth[n] AS depth FROM grown;
SELECT kind, count(*) AS networks,
       count(*) FILTER (WHERE CASE kind WHEN 'kogge_stone' THEN depth <> m OR size <> (SELECT coalesce(sum(n - (1 << l)), 0) FROM generate_series(0, m - 1) AS l)
                                        WHEN 'sklansky' THEN depth <> m OR size <> (SELECT sum(length(replace(i::bit(16)::text, '0', ''))) FROM generate_series(0, n - 1) AS i)
                                        WHEN 'brent_kung' THEN (depth, size) <> (SELECT p.depth, p.none FROM paired AS p WHERE p.n = s.n)
                                        WHEN 'han_carlson' THEN n > 3 AND (depth <> m + 1 OR size <> 2 * (n / 2) - 1 + (SELECT h.size FROM measured AS h WHERE h.kind = 'kogge_stone' AND h.n = (s.n + 1) / 2))
                                        ELSE CASE k WHEN 0 THEN depth <> m OR size <> (SELECT p.zero FROM paired AS p WHERE p.n = s.n)
                                                    WHEN 1 THEN size <> (SELECT p.one FROM paired AS p WHERE p.n = s.n) ELSE false END
                                             OR depth > m + k OR size >= 2 * (1 + oracle.two(-k)) * n END) AS wrong
FROM measured AS s WHERE n <= 140 GROUP BY kind ORDER BY kind;
