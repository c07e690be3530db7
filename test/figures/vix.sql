-- vix.sql: the VIX around March 2020, its exponential moving average and a low-pass.
--
-- The filter is the one of test/demo/demo.sql: a Butterworth low-pass of order 2 with its
-- cut-off at a period of 60 trading days, fed with the distance from the first close.  All
-- three run from 1990 on; what is drawn is cut out afterwards.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS scan;
CREATE TEMP TABLE vix (day date PRIMARY KEY, open numeric(8,2), high numeric(8,2), low numeric(8,2), close numeric(8,2));
\copy vix FROM 'test/demo/vix-daily.csv' (FORMAT csv, HEADER)
SELECT day, close, round(ema::numeric, 3) AS ema, round(low_pass::numeric, 3) AS low_pass
FROM (SELECT day, close,
             scan_ema(close, alpha => 0.1) OVER w AS ema,
             start + scan_filter(close - start, numerator, denominator) OVER w AS low_pass
      FROM (SELECT day, close, first_value(close) OVER (ORDER BY day) AS start FROM vix) AS v
           CROSS JOIN (SELECT ARRAY[k * k, 2 * k * k, k * k] AS numerator,
                              ARRAY[1 + sqrt(2) * k + k * k, 2 * k * k - 2, 1 - sqrt(2) * k + k * k] AS denominator
                       FROM (SELECT tan(pi() / 60) AS k) AS cut_off) AS butterworth
      WINDOW w AS (ORDER BY day)) AS smooth
WHERE day BETWEEN '2019-09-01' AND '2020-12-31'
ORDER BY day;
