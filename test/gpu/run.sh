#!/usr/bin/env bash
#
# run.sh [OUT]: on a machine with a GPU, and with a bundle of bundle.sh: everything that takes a device, in one go.
#
# Either from within an unpacked bundle (bundle/tree/test/gpu/run.sh), or from the source, which then unpacks
# test/gpu/build/bundle.tar.gz; or SCAN_BUNDLE names an unpacked one.  No right is needed but to write to /tmp and to OUT.
#
#   smoke        a column of every line, without bits and with, in several jobs; a sort
#   check        the library against the CPU, without a server
#   guarded      `check tiny` with each buffer between red zones (gpu/guard.h)
#   classics     the classical scans against a loop
#   server       a query that has to run on the device, and has the CPU's answers
#   regression   the regression tests with scan.device = gpu
#   bench        rates of kernels, CUB's beside them, the bus
#   jobs         whole jobs against the CPU's loops
#   soak         each line at 16 million rows, 50 times: the same bits
#   broker       1, 2 and 4 sessions, wake-ups, a killed program
#   parallel     window queries in 0 to 15 workers, without the device
#   gpu.t        the way of a job, with the mock device, where perl has prove
#   memcheck ..  `check tiny` and the classical scans under each tool of compute-sanitizer, where there is one
#
# PARTS="smoke bench" runs some.  Each has its time limit, and all together TOTAL seconds (570); a part that fails or
# hangs keeps none from running (parts.sh).  OUT (test/gpu/build/results unless told) gets three files: results.tar.gz
# with every part's output, table.csv with all figures, and summary.txt, which also is what is printed last.
#
# For a try without a GPU: TRY=1 makes all of it small, LIMITS="soak=20 bench=30" gives parts other limits, and with
# LIBRARIES=all the machine's own shared libraries give way to the bundle's.

set -uo pipefail
export PATH=$PATH:/usr/sbin:/sbin # ldconfig, and runuser

# of a file, seen from where run.sh was started
absolute() {
    case $1 in
        '' | /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
}

out=$(absolute "${1:-}")
SCAN_BUNDLE=$(absolute "${SCAN_BUNDLE:-}")
self=$(cd "$(dirname "$0")" && pwd)/run.sh
cd "$(dirname "$self")/../.." || exit

# all parts, in their order, and for how many seconds each may run
limits='smoke=60 check=150 guarded=90 classics=60 server=90 regression=240 bench=150 jobs=120 soak=240 broker=120
parallel=240 gpu.t=180 memcheck=90 racecheck=90 initcheck=90 synccheck=90'
if [ -n "${TRY:-}" ]; then
    export CHECK_SIZE=${CHECK_SIZE:-tiny} SERVER_ROWS=${SERVER_ROWS:-20000} BENCH_ROWS=${BENCH_ROWS:-10007} \
        JOBS_ROWS=${JOBS_ROWS:-8000} SOAK_ROWS=${SOAK_ROWS:-9001} SOAK_RUNS=${SOAK_RUNS:-4} \
        BROKER_ROWS=${BROKER_ROWS:-50000} BROKER_JOBS=${BROKER_JOBS:-50} PARALLEL_ROWS=${PARALLEL_ROWS:-50000}
fi
export SERVER_ROWS=${SERVER_ROWS:-2000000}

# ---- the parts ----

on_device="shared_preload_libraries = 'scan'
scan.gpu_library = 'scan_cuda'
scan.device = gpu"

# the one for the device, or the one that the emulator runs
program() {
    local path=$bundle/programs/$1
    if [ -x "$path" ]; then echo "$path"; else echo "${path}_emulated"; fi
}

regression() {
    local tests
    tests=$(cd test/sql && ls ./*.sql | sed 's|^\./||; s/\.sql$//' | grep -v '^setup$')
    mkdir -p "$results/regress"
    cp -r expected "$results/regress"
    # shellcheck disable=SC2086
    SCAN_CLUSTER_CONF=$on_device exec test/cluster.sh "$bindir/pg_regress" --inputdir=test \
        --outputdir="$results/regress" --bindir="$bindir" --encoding=UTF8 --dbname=contrib_regression setup $tests
}

# sanitizer TOOL: fewer rows of what the library measures when it opens, which no tool is meant to look at
sanitizer() {
    local run=(compute-sanitizer --tool "$1" --error-exitcode 1)
    SCAN_MEASURE_ROWS=4096 SCAN_GPU_CHECK=2 "${run[@]}" "$bundle/programs/check" "$device" tiny && "${run[@]}" "$(program classics)" few
}

# Replaces this process where it can, so that timeout's signal reaches the program itself.
run_part() {
    export SCAN_CLUSTER_ROOT=$bundle
    case $1 in
        smoke) exec "$bundle/programs/check" "$device" smoke ;;
        check) exec "$bundle/programs/check" "$device" ${CHECK_SIZE:+"$CHECK_SIZE"} ;;
        guarded) SCAN_GPU_CHECK=1 exec "$bundle/programs/check" "$device" tiny ;;
        classics) exec "$(program classics)" ${CHECK_SIZE:+"$CHECK_SIZE"} ;;
        bench) exec "$(program bench)" ${BENCH_ROWS:+"$BENCH_ROWS"} ;;
        jobs) exec "$bundle/programs/jobs" "$device" "${JOBS_ROWS:-10000000}" ;;
        soak) exec "$bundle/programs/soak" "$device" ${SOAK_ROWS:+"$SOAK_ROWS"} ${SOAK_RUNS:+"$SOAK_RUNS"} ;;
        server)
            SCAN_CLUSTER_CONF=$on_device exec test/cluster.sh \
                psql -X -v ON_ERROR_STOP=1 -v rows="$SERVER_ROWS" -f "$PWD/test/gpu/server.sql"
            ;;
        regression) regression ;;
        broker)
            SCAN_CLUSTER_CONF=$on_device exec test/cluster.sh test/gpu/broker.sh
            ;;
        parallel)
            SCAN_CLUSTER_CONF="$(cat test/gpu/parallel.conf)" exec test/cluster.sh test/gpu/parallel.sh
            ;;
        gpu.t) SCAN_CLUSTER_CONF='' exec test/cluster.sh prove test/t/gpu.t ;;
        *check) sanitizer "$1" ;;
        *)
            echo "run: there is no part $1" >&2
            exit 2
            ;;
    esac
}

limit_of() {
    local pair limit=90
    for pair in $limits ${LIMITS:-}; do
        [ "${pair%=*}" != "$1" ] || limit=${pair#*=}
    done
    echo "$limit"
}

# The parts find those of the bundle's libraries that the machine has not.  No more: its own programs run in the parts,
# too, and `runuser`, which starts a server for root, may need a newer one of its own.
find_libraries() {
    local file own=
    mkdir "$work/libraries"
    [ "${LIBRARIES:-}" = all ] || own=$(ldconfig -p)
    for file in "$SCAN_BUNDLE"/libraries/*; do
        [ ! -e "$file" ] || grep -qF $'\t'"${file##*/} (" <<<"$own" || ln -s "$file" "$work/libraries"
    done
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$work/libraries"
}

# What a machine has no program for is no failure.
can_run() {
    case $1 in
        gpu.t) command -v prove >/dev/null ;;
        memcheck | racecheck | initcheck | synccheck) command -v compute-sanitizer >/dev/null ;;
    esac
}

# ---- all of them ----

if [ "${1:-}" = --part ]; then
    bundle=$SCAN_BUNDLE
    results=$(dirname "$SCAN_TABLE")
    bindir=$(echo "$bundle"/usr/lib/postgresql/*/bin)
    device=$(echo "$bundle"/usr/lib/postgresql/*/lib)/scan_cuda.so
    run_part "$2"
    exit
fi

# shellcheck source=test/gpu/parts.sh
. test/gpu/parts.sh

deadline=$((SECONDS + ${TOTAL:-570}))
out=${out:-test/gpu/build/results}
work=$(mktemp -d /tmp/scan-gpu.XXXXXX)
trap 'rm -rf "$work"' EXIT
results=$work/results
chmod 755 "$work" # the server runs as another user where we are root
start_results

if [ -z "$SCAN_BUNDLE" ] && [ -d ../programs ]; then
    SCAN_BUNDLE=$(cd .. && pwd)
elif [ -z "$SCAN_BUNDLE" ]; then
    tar -xzf test/gpu/build/bundle.tar.gz -C "$work" || exit
    SCAN_BUNDLE=$work/bundle
    chmod -R a+rX "$SCAN_BUNDLE"
fi
export SCAN_BUNDLE
find_libraries
if [ ! -d /usr/share/zoneinfo ] && [ -d "$SCAN_BUNDLE/zoneinfo" ] && [ -w /usr/share ]; then
    cp -r "$SCAN_BUNDLE/zoneinfo" /usr/share/zoneinfo
fi

{
    timeout 20 nvidia-smi 2>&1 || echo "no nvidia-smi"
    nvcc --version 2>/dev/null | tail -n 2
    uname -srm
    grep -m 1 'model name' /proc/cpuinfo
    echo "$(nproc) processors"
    cat "$SCAN_BUNDLE/commit" 2>/dev/null
} >"$results/machine.txt"

for name in ${PARTS:-$(for pair in $limits; do echo "${pair%=*}"; done)}; do
    if can_run "$name"; then
        part "$name" "$(limit_of "$name")"
    else
        say "$(printf '%-18s not run: its program is not here' "$name")"
    fi
done
hand_over

echo
cat "$results/machine.txt"
echo
cat "$results/summary.txt"
! grep -qE '^[^ ]+ +(FAILED|KILLED|NOT RUN)' "$results/summary.txt"
