#!/usr/bin/env bash
#
# bytes/run.sh, which is `make fuzz`: gives random bytes to everything that reads bytes, under AddressSanitizer and UBSan.
#
#   job         a job off the ring: gpu/job.c and the loops of the mock device, by libFuzzer (job.c).  Needs clang-14.
#   receive     the receive functions of the types, with every function that takes such a value, and the functions of arrays,
#               in a server (receive.c, receive.sql).  Its build is that of `make asan`.
#
# Each first looks for a planted defect, and fails if it does not find it.  A finding is printed, and kept below
# test/bytes/build/found or test/asan/build/logs.
#
#   SECONDS_EACH=60     how long each of the two runs
#   SEED=1              of `receive`
#   ONLY=job            one of the two

set -euo pipefail
cd "$(dirname "$0")/../.."
source test/asan/sanitized.sh

B=test/bytes/build
seconds=${SECONDS_EACH:-60}
seed=${SEED:-$RANDOM}

# fuzz_job PROGRAM SECONDS: libFuzzer ends at the first finding.
fuzz_job() {
    mkdir -p "$B/corpus" "$B/found"
    UBSAN_OPTIONS=print_stacktrace=1 "$1" -max_total_time="$2" -max_len=24576 -timeout=30 -rss_limit_mb=2048 -print_final_stats=1 \
        "-artifact_prefix=$B/found/" "${@:3}" "$B/corpus" "$B/seed" >"$B/job.log" 2>&1
}

job() {
    if ! "${CLANG:-clang-14}" --version >/dev/null 2>&1; then
        echo "fuzz: job: skipped, there is no clang-14 (apt-get install clang-14)"
        return
    fi
    begin "building the fuzzer of jobs"
    make -s --no-print-directory -j 2 -f test/bytes/Makefile
    if [ ! -d "$B/seed" ]; then
        mkdir -p "$B/seed"
        FOLDER="$B/seed" "$B/seeds" seeds few >"$B/seeds.log"
    fi
    end
    begin "job: a planted defect"
    if fuzz_job "$B/planted" 60 -artifact_prefix="$B/planted."; then
        echo "fuzz: job: the planted defect was not found" >&2
        failed=1
    fi
    end
    begin "job: $seconds seconds"
    if fuzz_job "$B/job" "$seconds"; then
        end
        sed -n 's/^stat::number_of_executed_units: */fuzz: job: nothing found in this many jobs: /p' "$B/job.log"
    else
        end
        failed=1
        grep -m 1 -A 12 -E 'ERROR: |runtime error' "$B/job.log" || tail -n 20 "$B/job.log"
    fi
}

# receive_server PLANTED SECONDS: psql's output; fails if the server ends a session.
receive_server() {
    # what is within two levels of quotes is the server's user's to read
    (cd "$tree" && test/cluster.sh psql -X -q -A -t -v planted="$1" -v seconds="$2" -v seed="$seed" -v library="$reports/receive" -f test/bytes/receive.sql)
}

receive() {
    build_sanitized
    # shellcheck disable=SC2086
    "${CC:-gcc}" -shared -fPIC -O1 -g $COPT "-I$("$PG_CONFIG" --includedir-server)" -Isrc -o "$reports/receive.so" test/bytes/receive.c
    begin "receive: a planted defect"
    if receive_server true 30 >"$logs/planted.log" 2>&1 || ! grep -q "in fuzz_planted" "$reports"/report* 2>/dev/null; then
        echo "fuzz: receive: the planted defect was not found" >&2
        tail -n 5 "$logs/planted.log" >&2
        failed=1
    fi
    rm -f "$reports"/report* "$reports"/server*
    end
    begin "receive: $seconds seconds"
    if ! receive_server false "$seconds" >"$logs/receive.log" 2>&1; then failed=1; fi
    end
    cat "$logs/receive.log"
    # a statement that accepted nothing, or an error that only a defect raises
    if grep -q '^SELECT ' "$logs/receive.log"; then failed=1; fi
    show_reports
    if [ "$failed" -ne 0 ]; then echo "fuzz: receive: SEED=$seed" >&2; fi
}

for part in ${ONLY:-job receive}; do "$part"; done
exit "$failed"
