-- networks.sql: the five parallel scans of scan_network for 16 places, an operator a row.
--
-- final: the target has its prefix after this operator; fan_out: how many operators take the
-- same source at this level; depth, size and most_fan_out: of the whole network.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS scan;
SELECT name, depth, size, max(fan_out) OVER (PARTITION BY place) AS most_fan_out, level, source, target, final, fan_out
FROM (SELECT place, name, level, source, target,
             max(level) OVER (PARTITION BY place) + 1 AS depth,
             count(*) OVER (PARTITION BY place) AS size,
             level = max(level) OVER (PARTITION BY place, target) AS final,
             count(*) OVER (PARTITION BY place, level, source) AS fan_out
      FROM (VALUES (1, 'Kogge-Stone', 'kogge_stone', NULL), (2, 'Sklansky', 'sklansky', NULL),
                   (3, 'Han-Carlson', 'han_carlson', NULL), (4, 'Ladner-Fischer, k = 1', 'ladner_fischer', 1),
                   (5, 'Brent-Kung', 'brent_kung', NULL)) AS network (place, name, kind, k),
           scan_network(kind, 16, k)) AS operators
ORDER BY place, level, target;
