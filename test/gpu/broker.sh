#!/usr/bin/env bash
#
# broker.sh: jobs end to end, from a session through the broker's slots to the device and back: run.sh runs it within
# cluster.sh, with scan.device = gpu.
#
#   - what a job without work takes: the wake-ups of both sides
#   - one, two and four sessions at once, beside the CPU's time for the same queries
#   - the program killed in the middle of queries: they have their answers, and how long it takes until it is back
#
# BROKER_ROWS (2000000) rows, and BROKER_JOBS (2000) jobs of three rows.  Fails where an answer is not the CPU's.

set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=test/gpu/sessions.sh
. ./sessions.sh

rows=${BROKER_ROWS:-2000000}
jobs=${BROKER_JOBS:-2000}
answers=$(mktemp -d)
trap 'rm -rf "$answers"' EXIT

window='SELECT count(s), bit_xor(s) FROM (SELECT scan_sum(n) OVER (PARTITION BY g ORDER BY i) AS s FROM x OFFSET 0) AS t'
array='SELECT md5(array_scan_sum(n)::text) FROM a'

prepare() {
    sql -f ready.sql
    sql -v rows="$rows" <<'SQL'
CREATE TABLE x AS SELECT i, i % 1000 AS g, hashint8(i)::int8 AS n FROM generate_series(1, :rows) AS i ORDER BY hashint8(i);
CREATE TABLE a AS SELECT array_agg(n) AS n FROM x;
ANALYZE x;
CREATE FUNCTION short_jobs(jobs int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    since timestamptz := clock_timestamp();
BEGIN
    FOR i IN 1 .. jobs LOOP
        PERFORM array_scan_sum(ARRAY[i, 2, 3]);
    END LOOP;
    RETURN extract(epoch FROM clock_timestamp() - since) * 1e6 / jobs;
END $$;
SQL
}

on() {
    echo "LOAD 'scan'; SET scan.prefixscan = force; SET scan.device = $1; SET scan.debug_require = $1"
}

wake_ups() {
    local device
    for device in cpu gpu; do
        figure broker "a job of three rows, $device" 3 us "$(sql -c "$(on $device)" -c "SELECT short_jobs($jobs)::numeric(20,3)")"
    done
}

# at_once SESSIONS DEVICE NAME QUERY: three times each; all answers have to be $expected.
at_once() {
    local sessions=$1 device=$2 name=$3 query=$4 from took i processes=()
    from=$(milliseconds)
    for ((i = 0; i < sessions; i++)); do
        sql -c "$(on "$device")" -c "$query" -c "$query" -c "$query" >"$answers/$i" 2>&1 &
        processes+=($!)
    done
    for i in "${processes[@]}"; do
        wait "$i" || wrong=1
    done
    took=$(($(milliseconds) - from))
    for ((i = 0; i < sessions; i++)); do
        same "$name, $sessions sessions, $device" "$expected" "$(sort -u "$answers/$i")"
    done
    figure broker "$name, $sessions sessions, $device" "$rows" ms "$took"
    figure broker "$name, $sessions sessions, $device" "$rows" 'rows/s' \
        "$((sessions * 3 * rows * 1000 / (took > 0 ? took : 1)))"
}

# The program of this server, by its command line.
program() {
    local process
    for process in /proc/[0-9]*; do
        if tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -q "/scan_gpu .*$(dirname "$PGHOST")/data"; then
            echo "${process#/proc/}"
        fi
    done
}

# Asks on and on while $answers/asking is there.
ask() {
    while [ -e "$answers/asking" ]; do
        sql -c "LOAD 'scan'; SET scan.prefixscan = force" -c "$window" || return 1
    done
}

# A query that loses its job to the kill is the CPU's.
killed() {
    local from before pid asking
    before=$(sql -c 'SELECT restarts FROM scan_status')
    pid=$(program)
    if [ -z "$pid" ]; then
        echo 'broker: the program is not there'
        return 1
    fi
    touch "$answers/asking"
    ask >"$answers/killed" 2>&1 &
    asking=$!
    sleep 0.3
    from=$(milliseconds)
    kill -KILL "$pid"
    sql <<SQL
DO \$\$ BEGIN
    WHILE (SELECT restarts <= $before OR state <> 'ready' FROM scan_status) LOOP PERFORM pg_sleep(0.005); END LOOP;
END \$\$
SQL
    figure broker 'the program, killed, is back after' 0 ms "$(($(milliseconds) - from))"
    rm "$answers/asking"
    wait "$asking" || wrong=1
    expected=$(sql -c "$(on cpu)" -c "$window")
    same 'queries while the program was killed' "$expected" "$(sort -u "$answers/killed")"
    figure broker 'queries while the program was killed' "$rows" answered "$(wc -l <"$answers/killed")"
    figure broker 'a job of three rows after that, gpu' 3 us \
        "$(sql -c "$(on gpu)" -c "SELECT short_jobs($jobs)::numeric(20,3)")"
}

prepare
wake_ups
for sessions in 1 2 4; do
    for device in cpu gpu; do
        expected=$(sql -c "$(on cpu)" -c "$window")
        at_once $sessions $device 'a window' "$window"
        expected=$(sql -c "$(on cpu)" -c "$array")
        at_once $sessions $device 'an array' "$array"
    done
done
killed
sql -c 'SELECT * FROM scan_status' -x
exit $wrong
