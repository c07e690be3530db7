-- traces.sql: the two classical scans of eight numbers, a step a row.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS scan;
SELECT algorithm, step, phase, work, span, state
FROM (VALUES (1, 'hillis_steele'), (2, 'blelloch')) AS a (place, algorithm), scan_trace(algorithm, '{3,1,7,0,4,1,6,3}')
ORDER BY place, step;
