-- In PrefixScan a job of ours spans partitions: each begins as if it stood alone.  WindowAgg,
-- which takes row after row, is the oracle.
SET search_path = public;
LOAD 'scan';
CREATE TEMP TABLE job_rows AS
SELECT p, i, (p * 31 + i * 17) % 11 - 5 AS v, CASE WHEN (p + i) % 5 <> 0 THEN ((p * 7 + i * 13) % 9 - 4) / 8.0::float8 END AS x,
       i % 9 = 0 AS reset
FROM generate_series(1, 120) AS p, LATERAL generate_series(1, p % 41) AS i;
CREATE TEMP TABLE job_functions (call text);
INSERT INTO job_functions VALUES
	('scan_sum(v::int8)'), ('scan_sum(x)'), ('scan_sum(x, exclusive => true)'), ('scan_sum(x, reset => reset)'),
	('scan_sum(x, reset => reset, exclusive => true)'), ('scan_sum(x, init => ''0.5''::scan_total)'),
	('scan_sum(x, init => ''0.5'', exclusive => true)'), ('scan_sum(x, init => NULL)'),
	('scan_sum(x, init => ''0.5'', reset => reset)'), ('scan_sum(v::int4, exclusive => true)'),
	('scan_clamped_sum(v::int8, -3, 7)'), ('scan_clamped_sum(v::int8, -3, 7, init => 2, reset => reset)'),
	('scan_clamped_sum(x, -0.5, 0.75, init => 0.25)'), ('scan_product(1 + x / 8)'),
	('scan_product(1 + x / 8, reset => reset)'), ('scan_ema(x, 0.25)'), ('scan_ema(x, 0.25, reset => reset)'),
	('scan_recurrence(0.9::float8, x)'), ('scan_recurrence(1 + x / 8, x, init => 3, reset => reset)'),
	('scan_recurrence(ARRAY[coalesce(x / 4, 0), 0.25], v, ''{1,-2}'')'), ('scan_recurrence(''{0.5,-0.25,0.125}''::float8[], x, ''{0,0,1}'', reset => reset)'),
	('scan_filter(x, ARRAY[0.25, 0.5]::float8[], ARRAY[0.5, -0.25]::float8[])'), ('scan_carry(v > 2, v = 2)'),
	('scan_locf(x)'), ('scan_split_index(v > 0)');
CREATE FUNCTION pg_temp.job_answers(node text, call text, frame text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answers text;
BEGIN
	PERFORM set_config('scan.prefixscan', node, true);
	EXECUTE format('SELECT md5(string_agg(p || '' '' || i || '' '' || coalesce(y::text, ''-''), '','' ORDER BY p, i)) || '' '' || count(y)'
		' FROM (SELECT p, i, %s OVER (%s) AS y FROM job_rows OFFSET 0) AS s', call, frame) INTO answers;
	RETURN answers;
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;
SELECT call, split_part(pg_temp.job_answers('force', call, frame), ' ', 2) AS answers
FROM job_functions, (VALUES ('PARTITION BY p ORDER BY i'), ('PARTITION BY p % 7 ORDER BY p, i'), ('ORDER BY p, i'), ('PARTITION BY p, i')) AS f (frame)
WHERE pg_temp.job_answers('force', call, frame) IS DISTINCT FROM pg_temp.job_answers('off', call, frame);
-- all of them ran, and gave answers
SELECT call, split_part(pg_temp.job_answers('force', call, 'PARTITION BY p ORDER BY i'), ' ', 2) AS answers FROM job_functions;
-- so does one in an array of coefficients, where it has a term
CREATE TEMP TABLE job_arrays AS
SELECT i, CASE i WHEN 40 THEN '{0.5}' WHEN 70 THEN '{1,NULL}' WHEN 90 THEN NULL ELSE ARRAY[0.5, 1 / i::float8] END AS a,
       CASE WHEN i <> 40 THEN i END AS b
FROM generate_series(1, 100) AS i;
SET scan.prefixscan = force;
SELECT count(y), sum(y) FROM (SELECT scan_recurrence(a, b, '{0,1}') OVER (ORDER BY i) AS y FROM job_arrays LIMIT 69) AS s;
SELECT count(y) FROM (SELECT scan_recurrence(a, b, '{0,1}') OVER (ORDER BY i) AS y FROM job_arrays LIMIT 70) AS s;
SET scan.prefixscan = off;
SELECT count(y), sum(y) FROM (SELECT scan_recurrence(a, b, '{0,1}') OVER (ORDER BY i) AS y FROM job_arrays LIMIT 69) AS s;
-- an error in a later partition comes at its row: those before it are answered
CREATE TEMP TABLE job_overflow AS
SELECT p, i, CASE WHEN p = 3 AND i = 20 THEN 9223372036854775807 ELSE i END AS v
FROM generate_series(1, 5) AS p, generate_series(1, 30) AS i;
SET scan.prefixscan = force;
SELECT count(y), max(p * 100 + i) FROM (SELECT p, i, scan_sum(v) OVER (PARTITION BY p ORDER BY i) AS y FROM job_overflow LIMIT 79) AS s;
SELECT count(y) FROM (SELECT scan_sum(v) OVER (PARTITION BY p ORDER BY i) AS y FROM job_overflow LIMIT 80) AS s;
