-- compaction.sql: scan_compact and scan_split_index in WindowAgg and in PrefixScan.
--
--   test/cluster.sh psql -X -q -f test/bench/compaction.sql
--
-- Three million rows, of which one in four is kept; one process; the two nodes in turn, medians of 5, with memory for
-- all rows (scan.work_mem and work_mem 2GB), and with 1MB for a partition of all rows.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS scan;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
LOAD 'scan';
CREATE TEMP TABLE series AS
SELECT i AS id, hashint4(i) % 1000 AS p, hashint4(i + 7) AS v, hashint4(i) & 3 = 0 AS keep, md5(i::text) AS t FROM generate_series(1, 3000000) AS i;
VACUUM ANALYZE series;

CREATE TEMP TABLE call (row_number int GENERATED ALWAYS AS IDENTITY, call text);
INSERT INTO call (call)
SELECT format(f, w)
FROM (VALUES ('PARTITION BY p ORDER BY id'), ('ORDER BY id')) AS w (w),
     (VALUES ('scan_compact(v, keep) OVER (%s)'), ('scan_compact(t, keep) OVER (%s)'), ('scan_split_index(keep) OVER (%s)')) AS f (f);
CREATE TEMP TABLE took (call text, memory text, node text, ns float8);
DO $$
DECLARE c record; m text; n text; plan json;
BEGIN
    FOR round IN 1 .. 5 LOOP
        FOR c IN SELECT * FROM call LOOP
            FOREACH m IN ARRAY ARRAY['2GB', '1MB'] LOOP
                FOREACH n IN ARRAY ARRAY['off', 'force'] LOOP
                    CONTINUE WHEN m = '1MB' AND c.call LIKE '%PARTITION%';
                    PERFORM set_config('scan.prefixscan', n, false), set_config('work_mem', m, false), set_config('scan.work_mem', m, false);
                    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT ' || c.call || ' FROM series' INTO plan;
                    INSERT INTO took VALUES (c.call, m, n, (plan -> 0 ->> 'Execution Time')::float8 * 1e6 / 3e6);
                END LOOP;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
SELECT call, memory, round(off::numeric) AS "WindowAgg, ns a row", round(on_::numeric) AS "PrefixScan, ns a row", round((off / on_)::numeric, 1) AS times
FROM (SELECT call, memory, percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) FILTER (WHERE node = 'off') AS off,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) FILTER (WHERE node = 'force') AS on_
      FROM took GROUP BY call, memory) AS s
     JOIN call USING (call)
ORDER BY memory DESC, row_number;
