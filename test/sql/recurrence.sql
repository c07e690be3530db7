-- recurrence: scan_recurrence, scan_filter, scan_ema: real numbers inside a chunk of
-- 4096 rows, each answer rounded once.  Exact arithmetic in numeric is the oracle.
\pset null -
-- A balance that compounds, NULL rows left out, segments, initial values.
SELECT i, rate, paid, scan_recurrence(rate, paid) OVER w AS balance, scan_recurrence(rate, paid, init => 100) OVER w AS "from 100",
       scan_recurrence(rate, paid, 100, i = 5) OVER w AS "from 100, again at 5"
FROM (VALUES (1, NULL, 10::float8), (2, 1.5::float8, 10), (3, 1.5, NULL), (4, 1.5, 10), (5, 0.1, 0), (6, -1, 1)) AS t(i, rate, paid) WINDOW w AS (ORDER BY i) ORDER BY i;
-- Fibonacci by order 2; a filter by hand: y = x/2 + x'/2 + y'/2; a moving mean (order 0).
SELECT i, scan_recurrence('{1,1}'::float8[], 0, '{1,0}') OVER w AS fibonacci, scan_filter(i, '{1,1}', '{2,-1}') OVER w AS filter, scan_filter(i, '{0.5,0.5}', '{1}') OVER w AS mean,
       scan_filter(i, '{1}', '{1,-1}', i = 4) OVER w AS "sum, again at 4"
FROM generate_series(1, 6) AS i WINDOW w AS (ORDER BY i) ORDER BY i;
-- Not finite from there on; zero is +0; the subnormals are rounded right on both sides.
SELECT i, a, b, scan_recurrence(a, b, 1) OVER w AS y FROM (VALUES (1, 2::float8, 1::float8), (2, 0, 'Infinity'), (3, 0.5, 1), (4, 0, 1), (5, 1, 1)) AS t(i, a, b) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT scan_recurrence(0.6::float8, 0::float8, -3e-308::float8) OVER () AS "-1.8e-308", scan_recurrence(0.6::float8, 0::float8, 3e-308::float8) OVER () AS "1.8e-308",
       oracle.bits(scan_recurrence(-0.5::float8, '-0'::float8, 5e-324::float8) OVER ()) AS "bits of +0";
SELECT i, y FROM (SELECT i, scan_recurrence(a, 0, -3e-308) OVER (PARTITION BY a ORDER BY i) AS y, a FROM unnest(ARRAY[0.8, 0.9]::float8[]) AS a, generate_series(1, 6) AS i) AS t WHERE (a, i) IN ((0.8, 2), (0.9, 6));
SELECT s, i, y FROM (SELECT s, i, scan_recurrence(0.9::float8, 0::float8, s) OVER (PARTITION BY s ORDER BY i) AS y FROM unnest(ARRAY[1, -1]::float8[]) AS s, generate_series(1, 8000) AS i) AS t
WHERE i IN (1, 100, 4096, 4097, 6800, 7000, 7071, 7072, 7080, 8000) ORDER BY s DESC, i;
-- Values half way between two subnormals, 2.5 and 3.5 times the least one: the even one of both.
SELECT y1, scan_recurrence(CASE i WHEN 1 THEN 0 ELSE 1.5::float8 END, CASE i WHEN 1 THEN y1 ELSE b2 END, 0) OVER (PARTITION BY y1 ORDER BY i) AS y
FROM (VALUES (2.225073858507202e-308::float8, -3.3376107877608016e-308::float8), (2.225073858507203e-308, -3.3376107877608026e-308), (-2.225073858507203e-308, 3.3376107877608026e-308)) AS t(y1, b2), generate_series(1, 2) AS i ORDER BY y1, i;
-- Random series of up to 24 rows against exact arithmetic: orders 1 and 2.
CREATE TEMP TABLE series AS
SELECT s, i, CASE s % 5 WHEN 0 THEN 0.98 WHEN 1 THEN (oracle.draw(i, s, 2001) - 1000) * 0.001 WHEN 2 THEN 0.5 WHEN 3 THEN oracle.draw(i, s, 3)::float8 - 1 ELSE 1 + (oracle.draw(i, s, 2001) - 1000) * 1e-8 END AS a,
       CASE s % 5 WHEN 2 THEN oracle.draw(i, s + 1000, 9)::float8 - 4 WHEN 3 THEN (oracle.draw(i, s + 1000, 7) - 3) * oracle.two(-53) ELSE (oracle.draw(i, s + 1000, 4503599627370496) - 2251799813685248) * oracle.two(-51) END AS b,
       oracle.draw(i, s + 2000, 8) = 0 AS reset, oracle.draw(i, s + 3000, 6) = 0 AS hole
FROM generate_series(1, 120) AS s, generate_series(1, 24) AS i;
CREATE FUNCTION pg_temp.loop(use_reset boolean, holes boolean, second float8) RETURNS TABLE (s int, i int, y float8) LANGUAGE plpgsql AS $$
DECLARE
  r record; previous int := -1; y1 numeric; y2 numeric; this numeric; shown float8;
  c numeric := oracle.exact(second);
BEGIN
  FOR r IN SELECT x.s, x.i, oracle.exact(x.a) AS a, oracle.exact(x.b) AS b, x.reset, x.hole FROM series AS x ORDER BY x.s, x.i LOOP
    IF r.s <> previous OR (use_reset AND r.reset) THEN y1 := 1; y2 := 0.5; shown := NULL; END IF;
    previous := r.s;
    IF NOT (holes AND r.hole) THEN
      this := r.a * y1 + c * y2 + r.b;
      y2 := y1; y1 := this; shown := this::float8 + 0;
    END IF;
    s := r.s; i := r.i; y := shown;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT use_reset, holes, count(*) AS compared, count(*) FILTER (WHERE oracle.bits(f.y) IS DISTINCT FROM oracle.bits(o.y)) AS wrong
FROM unnest(ARRAY[true, false]) AS use_reset, unnest(ARRAY[true, false]) AS holes,
     LATERAL (SELECT s, i, scan_recurrence(a, CASE WHEN NOT (holes AND hole) THEN b END, 1, use_reset AND reset) OVER (PARTITION BY s ORDER BY i) AS y FROM series) AS f
     JOIN LATERAL pg_temp.loop(use_reset, holes, 0) AS o USING (s, i) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT use_reset, holes, count(*) AS compared, count(*) FILTER (WHERE oracle.bits(f.y) IS DISTINCT FROM oracle.bits(o.y)) AS wrong
FROM unnest(ARRAY[true, false]) AS use_reset, unnest(ARRAY[true, false]) AS holes,
     LATERAL (SELECT s, i, scan_recurrence(CASE WHEN NOT (holes AND hole) THEN ARRAY[a, -0.3] END, b, '{1,0.5}', use_reset AND reset) OVER (PARTITION BY s ORDER BY i) AS y FROM series) AS f
     JOIN LATERAL pg_temp.loop(use_reset, holes, -0.3) AS o USING (s, i) GROUP BY 1, 2 ORDER BY 1, 2;
-- Segments are partitions, bit for bit.
SELECT count(*) AS compared, count(*) FILTER (WHERE a IS DISTINCT FROM b OR c IS DISTINCT FROM d OR e IS DISTINCT FROM f) AS differ
FROM (SELECT scan_recurrence(a, b, 3, reset) OVER p AS a, scan_recurrence(a, b, 3) OVER q AS b, scan_ema(b, 0.3, true, reset) OVER p AS c, scan_ema(b, 0.3, true) OVER q AS d,
             scan_filter(b, '{1,2,1}', '{4,-1,0.5}', reset) OVER p AS e, scan_filter(b, '{1,2,1}', '{4,-1,0.5}') OVER q AS f
      FROM (SELECT *, count(*) FILTER (WHERE reset) OVER (PARTITION BY s ORDER BY i) AS segment FROM series) AS x
      WINDOW p AS (PARTITION BY s ORDER BY i), q AS (PARTITION BY s, segment ORDER BY i)) AS t;
-- A chunk ends after 4096 applied rows, wherever they stand: NULL rows do not count.
SELECT count(*) AS compared, count(*) FILTER (WHERE x IS DISTINCT FROM y) AS differ
FROM (SELECT a.y AS x, b.y FROM (SELECT i, scan_recurrence(1.00001::float8, (i % 7)::float8 / 3) OVER (ORDER BY i) AS y FROM generate_series(1, 9000) AS i) AS a
      JOIN (SELECT i, last, scan_recurrence(1.00001::float8, CASE WHEN last THEN (i % 7)::float8 / 3 END) OVER (ORDER BY i, last) AS y
            FROM generate_series(1, 9000) AS i, unnest(ARRAY[false, true]) AS last) AS b USING (i) WHERE last) AS t;
-- numeric: rounded to max(16, scale of b, scale of init) digits, half away from zero.
SELECT i, scan_recurrence(1.1, b, init => 0.5) OVER w AS y, scan_recurrence(1 / 3.0, b, 0.000000000000000000001) OVER w AS "21 digits", scan_recurrence('NaN', b) OVER w AS nan
FROM (VALUES (1, 10::numeric), (2, NULL), (3, 0.25), (4, -3)) AS t(i, b) WINDOW w AS (ORDER BY i) ORDER BY i;
-- Random numerics of many scales, ties among them, against a loop that rounds by that rule: text by text.
CREATE TEMP TABLE decimals AS
SELECT s, i, CASE WHEN oracle.draw(i, s + 4000, 8) > 0 THEN CASE s % 3 WHEN 0 THEN 0.5 ELSE round((oracle.draw(i, s + 4100, 2000000000000) - 1000000000000) / 900000000000.0, oracle.draw(i, s + 4200, 22)::int) END END AS a,
       CASE WHEN oracle.draw(i, s + 4300, 8) > 0 THEN round((oracle.draw(i, s + 4400, 2000000000000) - 1000000000000) / 7000000000.0, oracle.draw(i, s + 4500, CASE s % 3 WHEN 1 THEN 16 ELSE 26 END)::int) END AS b,
       round(s / 7.0, (s % 21)::int) AS init, (ARRAY[true, NULL, false, false, false, false, false, false])[1 + oracle.draw(i, s + 4600, 8)] AS reset
FROM generate_series(1, 120) AS s, generate_series(1, 24) AS i;
CREATE FUNCTION pg_temp.decimal_loop(use_reset boolean) RETURNS TABLE (s int, i int, y text) LANGUAGE plpgsql AS $$
DECLARE
  r record; previous int := -1; before numeric;
BEGIN
  FOR r IN SELECT * FROM decimals AS x ORDER BY x.s, x.i LOOP
    IF r.s <> previous OR (use_reset AND r.reset) THEN before := r.init; y := NULL; END IF;
    previous := r.s;
    IF r.a IS NOT NULL AND r.b IS NOT NULL THEN
      before := round(r.a * before + r.b, greatest(16, scale(r.b), scale(r.init)));
      y := before::text;
    END IF;
    s := r.s; i := r.i;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT use_reset, count(*) AS compared, count(f.y) AS "not NULL", count(DISTINCT scale(f.y)) AS scales, count(*) FILTER (WHERE f.y::text IS DISTINCT FROM o.y) AS wrong
FROM unnest(ARRAY[true, false]) AS use_reset,
     LATERAL (SELECT s, i, scan_recurrence(a, b, init, use_reset AND reset) OVER (PARTITION BY s ORDER BY i) AS y FROM decimals) AS f
     JOIN LATERAL pg_temp.decimal_loop(use_reset) AS o USING (s, i) GROUP BY 1 ORDER BY 1;
-- scan_ema as pandas has it: by hand, NULL rows neither age nor reset.
SELECT i, x, scan_ema(x, 0.5) OVER w AS ema, scan_ema(x, 0.5, adjust => true) OVER w AS adjusted, scan_ema(x, alpha => 1) OVER w AS "alpha 1",
       scan_ema(x, timestamptz '2024-01-01 00:00+00' + i * i * interval '1 hour', interval '3 hours') OVER w AS "by time"
FROM (VALUES (0, NULL), (1, 1::float8), (2, 2), (3, NULL), (4, 6)) AS t(i, x) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT count(*) AS compared, count(*) FILTER (WHERE abs(y - z) > 1e-13 * abs(z)) AS far_off
FROM (SELECT scan_ema(10 + b, 0.25, true) OVER w AS y, sum((10 + b) * power(0.75::float8, -i)) OVER w / sum(power(0.75::float8, -i)) OVER w AS z FROM series WINDOW w AS (PARTITION BY s ORDER BY i)) AS t;
-- A quotient that underflows is +0 too.
SELECT i, scan_ema(x, 0.1, adjust => true) OVER (ORDER BY i) FROM (VALUES (1, -5e-324::float8), (2, 0), (3, 0)) AS t(i, x) ORDER BY i;
-- A loop of floats, by definition.  It rounds at every row, so it is compared within 1e-12.  Where
-- alpha is 1/4 or 1/2 and x a whole number up to 14, 24 rows take at most 52 bits: nothing is rounded
-- but the one division of adjust, and every bit must be the same.
CREATE FUNCTION pg_temp.ema_loop(alpha float8, adjust boolean, use_reset boolean, holes boolean) RETURNS TABLE (s int, i int, y float8) LANGUAGE plpgsql AS $$
DECLARE
  r record; previous int := -1; above float8; weights float8;
BEGIN
  FOR r IN SELECT x.s, x.i, 10 + x.b AS x, x.reset, x.hole FROM series AS x ORDER BY x.s, x.i LOOP
    IF r.s <> previous OR (use_reset AND r.reset) THEN above := 0; weights := 0; y := NULL; END IF;
    previous := r.s;
    IF NOT (holes AND r.hole) THEN
      IF adjust THEN
        above := (1 - alpha) * above + r.x; weights := (1 - alpha) * weights + 1;
        y := above / weights;
      ELSE
        y := CASE WHEN y IS NULL THEN r.x ELSE (1 - alpha) * y + alpha * r.x END;
      END IF;
    END IF;
    s := r.s; i := r.i;
    RETURN NEXT;
  END LOOP;
END $$;
SELECT adjust, use_reset, holes, count(*) AS compared, count(*) FILTER (WHERE (f.y IS NULL) <> (o.y IS NULL) OR abs(f.y - o.y) > 1e-12 * o.y) AS far_off,
       count(*) FILTER (WHERE exact) AS "compared exactly", count(*) FILTER (WHERE exact AND oracle.bits(f.y) IS DISTINCT FROM oracle.bits(o.y)) AS wrong
FROM unnest(ARRAY[0.25, 0.5, 0.1, 0.9, 1]) AS alpha, unnest(ARRAY[true, false]) AS adjust, unnest(ARRAY[true, false]) AS use_reset, unnest(ARRAY[true, false]) AS holes,
     LATERAL (SELECT s, i, s % 5 = 2 AND alpha IN (0.25, 0.5) AS exact,
                     scan_ema(CASE WHEN NOT (holes AND hole) THEN 10 + b END, alpha, adjust, use_reset AND reset) OVER (PARTITION BY s ORDER BY i) AS y FROM series) AS f
     JOIN LATERAL pg_temp.ema_loop(alpha, adjust, use_reset, holes) AS o USING (s, i) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
-- Errors.
CREATE FUNCTION pg_temp.windows(calls text[]) RETURNS TABLE (call text, error text) LANGUAGE sql AS $$
  SELECT call, oracle.error_of('SELECT ' || call || ' OVER (ORDER BY i) FROM generate_series(1, 3) AS i') FROM unnest(calls) AS call
$$;
SELECT * FROM pg_temp.windows(ARRAY[
  'scan_ema(i, 0)', 'scan_ema(i, 1.5)', 'scan_ema(i, ''NaN'')', 'scan_ema(i, NULL)', 'scan_ema(i, 0.5, NULL)',
  'scan_ema(i, now(), ''0'')', 'scan_ema(i, now(), NULL)', 'scan_ema(i, timestamptz ''infinity'', ''1 day'')', 'scan_ema(i, timestamptz ''2024-01-01 00:00+00'' - i * interval ''1 day'', ''1 day'')',
  'scan_recurrence(1::float8, i, NULL)', 'scan_recurrence(1e200::float8, 1, 1e200)', 'scan_recurrence(1::numeric, i, NULL)',
  'scan_recurrence(ARRAY[1::float8], i, ''{}'')', 'scan_recurrence(ARRAY[1::float8], i, ''{1,2}'')', 'scan_recurrence(ARRAY[1::float8], i, ''{{1}}'')', 'scan_recurrence(ARRAY[1::float8], i, ''{NULL}'')',
  'scan_recurrence(ARRAY[1::float8], i, array_fill(1::float8, ARRAY[17]))', 'scan_recurrence(ARRAY[1::float8], i, NULL)',
  'scan_filter(i, ''{1}'', ''{0,1}'')', 'scan_filter(i, ''{}'', ''{1}'')', 'scan_filter(i, ''{1}'', array_fill(1::float8, ARRAY[18]))', 'scan_filter(i, NULL, ''{1}'')', 'scan_filter(1e308::float8, ''{1,1}'', ''{1}'')', 'scan_filter(0, ''{1}'', ''{5e-324}'')', 'scan_filter(0, ''{1}'', ''{5e-324,1}'')']);
SELECT oracle.rows_of('SELECT scan_recurrence(1e200::float8, 1, 1) OVER (ORDER BY i) FROM generate_series(1, 3) AS i') AS "overflow at its row";
-- An array of another length among many rows.
SELECT i, oracle.error_of(format('SELECT scan_recurrence(CASE WHEN i <> %s THEN ''{0.5,0.25}''::float8[] ELSE ''{0.5}'' END, 1::float8, ''{0,0}'') OVER (ORDER BY i) FROM generate_series(1, 10000) AS i', i)) AS error
FROM (VALUES (1), (2), (5000)) AS t(i);
-- Of a long value the beginning is shown.
SELECT scan_filter(i, CASE WHEN i < 3 THEN array_fill(0.123456789::float8, ARRAY[9]) ELSE ARRAY[1::float8] END, '{1}') OVER (ORDER BY i) FROM generate_series(1, 3) AS i;
