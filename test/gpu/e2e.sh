#!/usr/bin/env bash
#
# e2e.sh: whole queries in a server, by the CPU in one process, by the device with slots of 16 MB and of 512 MB, and by
# the CPU with 7 workers: whether a device is worth it.  run.sh runs it, without a server: it starts two, since the size
# of a slot is set at the start, and both are there all the time, so that the four ways can take turns.
#
#   - eight queries and one whose sort keys are too long for one job, over E2E_ROWS (4000000) rows
#   - two of core's aggregates of floats over frames of 10,000 rows, over a tenth of the rows
#
# Where the card is for one process at a time (its compute mode), there is one server, without the slots of 16 MB.
#
# Three rounds (E2E_ROUNDS); the table has the medians.  A round that would not end within SCAN_PART_SECONDS does not
# begin.  A row's time is psql's, of a query that counts its answers: the second of a session, since the first one also
# maps the slots, and has them pinned, which took half of its time in some; a table of its own has the first.  What a job
# takes is what EXPLAIN (ANALYZE) says of the second, once for each query and way, and so is which device ran it.  Fails
# where the answers of two ways differ in a bit.

set -euo pipefail
cd "$(dirname "$0")"

conf() {
    cat e2e.conf
    echo "scan.gpu_library = '${E2E_LIBRARY:-scan_cuda}'"
    echo "scan.gpu_slot_size = '$1'"
    echo "scan.gpu_slots = $2"
    echo "${E2E_CONF:-}" # for tests
}

card_is_exclusive() {
    command -v nvidia-smi >/dev/null && timeout 10 nvidia-smi --query-gpu=compute_mode --format=csv,noheader 2>/dev/null | grep -q Exclusive
}

case ${1:-} in
    '')
        if card_is_exclusive; then
            echo 'the card is for one process: there are no slots of 16 MB'
            SCAN_CLUSTER_CONF=$(conf "${E2E_SLOT:-512MB}" 2) exec ../cluster.sh "$PWD/e2e.sh" one
        fi
        SCAN_CLUSTER_CONF=$(conf 16MB 4) exec ../cluster.sh "$PWD/e2e.sh" small
        ;;
    small)
        SCAN_E2E_SMALL=$PGHOST SCAN_CLUSTER_CONF=$(conf "${E2E_SLOT:-512MB}" 2) exec ../cluster.sh "$PWD/e2e.sh" both
        ;;
esac

# shellcheck source=test/gpu/sessions.sh
. ./sessions.sh

large=$PGHOST
hosts=(${SCAN_E2E_SMALL:+"$SCAN_E2E_SMALL"} "$large")
rows=${E2E_ROWS:-4000000}
rounds=${E2E_ROUNDS:-3}
workers=7
samples=$(mktemp -d)
trap 'rm -rf "$samples"' EXIT

# ---- the queries: a name, the columns, the table, and a condition ----

p='OVER (PARTITION BY k ORDER BY t)'
queries=(
    "row_number()|row_number() $p|x|"
    "sum(int8)|sum(a) $p|x|"
    "three scans of one column|sum(a) $p; min(a) $p; max(a) $p|x|"
    "three scans of three columns|sum(a) $p; max(b) $p; scan_sum(f) $p|x|"
    "six functions|sum(a) $p; count(*) $p; row_number() $p; min(v) $p; max(v) $p; rank() $p|x|"
    'scan_ema(float8), rows in order|scan_ema(f, 0.1) OVER (ORDER BY id)|x|'
    "two sums, of 1,000 and of many keys|sum(a) $p; sum(a) OVER (PARTITION BY m ORDER BY t)|x|"
    'top 3 of each key|row_number() OVER (PARTITION BY k ORDER BY t DESC)|x|y0 <= 3'
    'sum(int8) by key and timestamp|sum(a) OVER (PARTITION BY k ORDER BY ts)|x|'
    'sum(float8), ROWS 9999 PRECEDING|sum(f) OVER (ORDER BY id ROWS 9999 PRECEDING)|x_tenth|'
    'stddev(float8), ROWS 9999 PRECEDING|stddev(f) OVER (ORDER BY id ROWS 9999 PRECEDING)|x_tenth|'
)
columns_of_ways=(cpu gpu_16MB gpu_512MB cpu_7_workers)
ways=(cpu ${SCAN_E2E_SMALL:+gpu_16MB} gpu_512MB cpu_7_workers)

# parse QUERY: its name, table and condition, and the columns as y0, y1 ...
parse() {
    local all i=0 column
    IFS='|' read -r name all table condition <<<"$1"
    columns=()
    named=
    IFS=';' read -ra all <<<"$all"
    for column in "${all[@]}"; do
        columns+=("y$i")
        named+=", $column AS y$i"
        i=$((i + 1))
    done
}

# statement OUTER...: what is done with the rows: `count(y0)` of each column, say
statement() {
    local IFS=,
    echo "SELECT $* FROM (SELECT id$named FROM $table) AS s${condition:+ WHERE $condition}"
}

counted() {
    local outer=() y
    for y in "${columns[@]}"; do outer+=("count($y)"); done
    statement "${outer[@]}"
}

# Every bit of every answer, and whose it is; a NaN has no other bits than another.
hashed() {
    local outer=() y i=0
    for y in "${columns[@]}"; do
        outer+=("count($y)" "bit_xor(hashtextextended($y::text, id * 16 + $i))")
        i=$((i + 1))
    done
    statement "${outer[@]}"
}

# ---- the ways ----

# in_way WAY ARG...: psql there, with its settings
in_way() {
    local way=$1 settings="LOAD 'scan'; SET scan.prefixscan = force; SET work_mem = '2GB'; SET scan.work_mem = '2GB';"
    local host=${hosts[0]}
    shift
    case $way in
        gpu_16MB) settings+=' SET scan.device = gpu;' ;;
        gpu_512MB)
            settings+=' SET scan.device = gpu;'
            host=$large
            ;;
        *) settings+=' SET scan.device = cpu;' ;;
    esac
    case $way in
        *workers)
            settings+=" SET scan.parallel = on; SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0;
                SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;"
            ;;
        *) settings+=' SET max_parallel_workers_per_gather = 0;' ;;
    esac
    PGHOST=$host sql -c "$settings" "$@"
}

# The query's times in ms as the first and the second one of a session, to the samples of query and way.
timed() {
    local query times
    query=$(counted)
    mapfile -t times < <(in_way "$1" -c '\timing on' -c "$query" -c "$query" | sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p')
    echo "${times[0]}" >>"$samples/$q.$1.first"
    echo "${times[1]}" >>"$samples/$q.$1"
}

# What EXPLAIN says of the jobs, of all PrefixScan nodes together: `jobs all in wait gpu out`, in ms, and why the CPU.
explained() {
    local query
    query=$(counted)
    in_way "$1" -o /dev/null -c "$query" -c '\o' -c "EXPLAIN (ANALYZE, COSTS off) $query" >"$samples/plan"
    awk '
        /^ *Device: / {
            if (match($0, /gpu \([0-9]+ of [0-9]+ jobs\)/)) {
                split(substr($0, RSTART, RLENGTH), word, /[( ]+/)
                jobs += word[2]
                all += word[4]
            }
            if (match($0, /cpu: .*/)) why = substr($0, RSTART + 5)
            else if ($0 ~ /Device: cpu$/) why = "no job of its own"
        }
        /^ *Time: pull .*copy in/ {
            sub(/.*copy in /, "")
            gsub(/[a-z, ]+/, " ")
            copy_in += $1; wait += $2; device += $3; out += $4
        }
        / Workers Launched: / && $NF > launched { launched = $NF }
        END { printf "%d %d %.3f %.3f %.3f %.3f %d %s\n", jobs, all, copy_in, wait, device, out, launched, why }
    ' "$samples/plan" >"$samples/$q.$1.jobs"
    { echo "--- $name, $1"; cat "$samples/plan"; } >>"$samples/plans"
}

# Asks all ways for the answers, which nobody times, so at once.
ask() {
    local way
    for way in "${ways[@]}"; do
        in_way "$way" -c "$(hashed)" >"$samples/$q.$way.answer" 2>&1 &
    done
}

# The answers of all ways have to be those of the first.
compare() {
    local way
    parse "${queries[$1]}"
    for way in "${ways[@]:1}"; do
        same "$name, $way" "$(cat "$samples/$1.cpu.answer")" "$(cat "$samples/$1.$way.answer")"
    done
    grep -qE '^[0-9]+\|' "$samples/$1.cpu.answer" || same "$name, cpu" 'an answer' "$(cat "$samples/$1.cpu.answer")"
    echo "$name" >>"$samples/compared"
}

# As many queries at once as there are processors for.
compare_all() {
    local at_once=$(($(nproc) / 5)) from=0 i
    for ((q = 0; q < ${#queries[@]}; q++)); do
        parse "${queries[q]}"
        ask
        if [ $((q + 1 - from)) -ge "$at_once" ] || [ $((q + 1)) = ${#queries[@]} ]; then
            wait
            for ((i = from; i <= q; i++)); do compare "$i"; done
            from=$((q + 1))
        fi
    done
}

# ---- rounds ----

# Each query by each way once; the first round also has what EXPLAIN says.
round() {
    local way
    for ((q = 0; q < ${#queries[@]}; q++)); do
        parse "${queries[q]}"
        for way in "${ways[@]}"; do
            timed "$way"
            [ "$1" -gt 1 ] || explained "$way"
        done
    done
}

prepare() {
    local host processes=() process
    for host in "${hosts[@]}"; do
        PGHOST=$host sql -v rows="$rows" -v bits="$(awk -v n="$rows" 'BEGIN { while (2 ^ bits <= n) bits++; print bits }')" \
            -f e2e.sql >"$samples/prepare.${#processes[@]}" 2>&1 &
        processes+=($!)
    done
    for process in "${!processes[@]}"; do
        wait "${processes[process]}" || {
            cat "$samples/prepare.$process"
            exit 1
        }
    done
}

# ---- the tables ----

# The median of a file's lines.
median() {
    sort -n "$1" | awk '{ x[NR] = $1 } END { if (NR) print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}

# of a query's table
rows_of() {
    if [ "$table" = x ]; then echo "$rows"; else echo $((rows / 10)); fi
}

ns() {
    awk -v ms="$1" -v rows="$2" 'BEGIN { printf "%.1f", ms * 1e6 / rows }'
}

say_times() {
    local way n ms first cells
    printf '\n| %-36s | %9s | %9s | %16s | %16s | %16s |\n' 'ns a row (times as fast as the CPU)' rows cpu 'gpu, 16 MB' 'gpu, 512 MB' \
        "cpu, $workers workers"
    printf '|%s|\n' '--------------------------------------|-----------|-----------|------------------|------------------|------------------'
    for ((q = 0; q < ${#queries[@]}; q++)); do
        parse "${queries[q]}"
        n=$(rows_of)
        cells=
        first=
        for way in "${columns_of_ways[@]}"; do
            [ -s "$samples/$q.$way" ] || {
                cells+=$(printf ' %16s |' -)
                continue
            }
            ms=$(median "$samples/$q.$way")
            first=${first:-$ms}
            table_row e2e "$name, $way" "$n" ms "$ms"
            cells+=$(printf ' %9s' "$(ns "$ms" "$n")")
            [ "$way" = cpu ] || cells+=$(awk -v a="$first" -v b="$ms" 'BEGIN { printf " %5.2fx", a / b }')
            cells+=' |'
        done
        printf '| %-36s | %9s |%s\n' "$name" "$n" "$cells"
    done
}

say_first_times() {
    local way n ms cells
    printf '\n| %-36s | %9s | %9s | %9s | %9s | %s\n' 'first query of a session, ns a row' rows cpu 'gpu, 16 MB' 'gpu, 512 MB' \
        "cpu, $workers workers"
    printf '|%s|\n' '--------------------------------------|-----------|-----------|------------|-------------|---------------'
    for ((q = 0; q < ${#queries[@]}; q++)); do
        parse "${queries[q]}"
        n=$(rows_of)
        cells=
        for way in "${columns_of_ways[@]}"; do
            [ -s "$samples/$q.$way.first" ] || {
                cells+=$(printf ' %9s |' -)
                continue
            }
            ms=$(median "$samples/$q.$way.first")
            table_row e2e "$name, $way" "$n" 'first ms' "$ms"
            cells+=$(printf ' %9s |' "$(ns "$ms" "$n")")
        done
        printf '| %-36s | %9s |%s\n' "$name" "$n" "$cells"
    done
}

say_jobs() {
    local way n jobs all in wait gpu out launched why
    printf '\n| %-36s | %-9s | %9s | %7s | %7s | %7s | %7s | %s\n' 'what its jobs took, ns a row' slots 'gpu jobs' in wait gpu out \
        'why the CPU'
    printf '|%s\n' '--------------------------------------|-----------|-----------|---------|---------|---------|---------|------------'
    for ((q = 0; q < ${#queries[@]}; q++)); do
        parse "${queries[q]}"
        n=$(rows_of)
        for way in gpu_16MB gpu_512MB; do
            [ -s "$samples/$q.$way.jobs" ] || continue
            read -r jobs all in wait gpu out launched why <"$samples/$q.$way.jobs"
            printf '| %-36s | %-9s | %9s | %7s | %7s | %7s | %7s | %s\n' "$name" "${way#gpu_}" "$jobs of $all" "$(ns "$in" "$n")" \
                "$(ns "$wait" "$n")" "$(ns "$gpu" "$n")" "$(ns "$out" "$n")" "$why"
            table_row e2e "$name, $way" "$n" 'jobs on the device' "$jobs"
            table_row e2e "$name, $way" "$n" 'in ms' "$in"
            table_row e2e "$name, $way" "$n" 'wait ms' "$wait"
            table_row e2e "$name, $way" "$n" 'gpu ms' "$gpu"
            table_row e2e "$name, $way" "$n" 'out ms' "$out"
            [ -z "$why" ] || table_row e2e "$name, $way" "$n" 'why the CPU' "$why"
        done
        [ -s "$samples/$q.cpu_7_workers.jobs" ] || continue
        read -r jobs all in wait gpu out launched why <"$samples/$q.cpu_7_workers.jobs"
        table_row e2e "$name, cpu_7_workers" "$n" launched "$launched"
    done
}

# How many lines a file has; 0 where there is none.
lines_of() {
    if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi
}

# ---- all of it ----

measure() {
    local finished=0 took=0 began host
    prepare
    echo "the tables are made after $SECONDS s"
    while [ "$finished" -lt "$rounds" ]; do
        # the rounds after the first do not explain, and take less than half of its time
        if [ "$finished" -gt 0 ] && [ $((SECONDS + took / (finished == 1 ? 2 : 1))) -gt $((${SCAN_PART_SECONDS:-600} - 10)) ]; then
            echo "no time for round $((finished + 1))"
            break
        fi
        began=$SECONDS
        round $((finished + 1))
        took=$((SECONDS - began))
        finished=$((finished + 1))
        echo "round $finished: $took s" | tee -a "$samples/finished"
        [ "$finished" -gt 1 ] || compare_all
    done
    [ "$wrong" != 0 ] || echo "the answers of all ways to $(lines_of "$samples/compared") queries have the same bits"
    for host in "${hosts[@]}"; do
        PGHOST=$host sql -x -c 'SELECT device, pinned, jobs, rows, fallbacks, restarts FROM scan_status'
    done
    exit $wrong
}

# In a process of its own: where its time is up, the tables are printed of what there is.
measure &
measuring=$!
trap 'kill "$measuring" 2>/dev/null || true' TERM
status=0
wait "$measuring" || status=$?
wait "$measuring" 2>/dev/null || true
if [ -s "$samples/0.cpu" ]; then
    say_times
    say_first_times
    say_jobs
    table_row e2e rounds "$rows" number "$(lines_of "$samples/finished")"
    table_row e2e 'queries whose answers were compared' "$rows" number "$(lines_of "$samples/compared")"
    printf '\n%s\n' "$(cat "$samples/plans")"
fi
exit $status
