#!/usr/bin/env bash
#
# parallel.sh: window queries in PrefixScan by 0, 2, 4, 8 and 15 workers, beside WindowAgg: run.sh runs it within
# cluster.sh with parallel.conf.  No device takes part: what is measured is the machine's cores.
#
# PARALLEL_ROWS (4000000) rows; WindowAgg runs once, since it would take most of the time.  Fails where an answer is not WindowAgg's.

set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=test/gpu/sessions.sh
. ./sessions.sh

rows=${PARALLEL_ROWS:-4000000}

sql -v rows="$rows" <<'SQL'
CREATE EXTENSION scan;
CREATE TABLE x AS SELECT i, hashint8(i) % 100000 AS g, hashint8(i) AS h, hashint8(i) / 1024.0::float8 AS f
    FROM generate_series(1, :rows) AS i ORDER BY hashint8(-i);
ALTER TABLE x SET (parallel_workers = 15);
VACUUM ANALYZE x;
SQL

names=('sum by partitions' 'five functions by partitions' 'running sum of all rows' 'moving sum and average by partitions'
    'exact float sum by partitions')
queries=(
    'SELECT count(s), bit_xor(s) FROM (SELECT sum(h) OVER (PARTITION BY g ORDER BY i) AS s FROM x) AS t'
    'SELECT bit_xor(a), bit_xor(b), bit_xor(c), bit_xor(d), bit_xor(e) FROM (SELECT sum(h) OVER w AS a, rank() OVER w AS b,
        lag(h) OVER w AS c, count(*) OVER w AS d, max(h) OVER w AS e FROM x WINDOW w AS (PARTITION BY g ORDER BY i)) AS t'
    'SELECT count(s), bit_xor(s) FROM (SELECT sum(h) OVER (ORDER BY h, i) AS s FROM x) AS t'
    'SELECT bit_xor(s), sum(a) FROM (SELECT sum(h) OVER w AS s, avg(h) OVER w AS a FROM x
        WINDOW w AS (PARTITION BY g ORDER BY i ROWS 99 PRECEDING)) AS t'
    'SELECT bit_xor(hashfloat8(s)) FROM (SELECT scan_sum(f) OVER (PARTITION BY g ORDER BY i) AS s FROM x) AS t'
)
in_parallel="LOAD 'scan'; SET scan.prefixscan = force; SET scan.debug_require = node; SET scan.parallel = on;
    SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0"

# How many workers took part, of those that the plan asks for.
launched() {
    sql -c "$1" -c "EXPLAIN (ANALYZE, COSTS off, TIMING off) $2" | sed -n 's/.*Workers Launched: //p' | sort -n | tail -n 1
}

for ((q = 0; q < ${#queries[@]}; q++)); do
    query=${queries[q]}
    time_of 1 "LOAD 'scan'; SET scan.prefixscan = off; SET max_parallel_workers_per_gather = 0" "$query"
    expected=$answer
    figure parallel "${names[q]}, WindowAgg" "$rows" ms "$least"
    for workers in 0 2 4 8 15; do
        settings="$in_parallel; SET max_parallel_workers_per_gather = $workers"
        time_of 3 "$settings" "$query"
        same "${names[q]}, $workers workers" "$expected" "$answer"
        figure parallel "${names[q]}, $workers workers" "$rows" ms "$least"
        figure parallel "${names[q]}, $workers workers" "$rows" launched "$(launched "$settings" "$query" | grep . || echo 0)"
    done
done
exit $wrong
