#!/usr/bin/env bash
#
# run.sh [A | B] [OUT]: on a machine with a GPU, and with a bundle of bundle.sh: everything that takes a device.
#
# Either from within an unpacked bundle (bundle/tree/test/gpu/run.sh), or from the source, which then unpacks
# test/gpu/build/bundle.tar.gz; or SCAN_BUNDLE names an unpacked one.  No right is needed but to write to /tmp and to OUT.
#
# A first run on a card is two calls, since a card is lent for minutes and the first bug should not take them all:
#
#   A            165 s at most: machine, smoke, check, server and guarded; stops at the first failure, and diagnoses it
#   B            530 s at most: the figures, by their weight: whole queries first; what takes less than its limit leaves
#                time for what comes later
#
# The parts:
#
#   machine      the card, its driver and bus, what the server's user finds of them
#   smoke        a column of every line, without bits and with, in several jobs; a sort
#   check        the library against the CPU, without a server
#   guarded      `check tiny` with each buffer between red zones (gpu/guard.h)
#   classics     the classical scans against a loop
#   server       `check smoke` as the server's user; a query that has to run on the device, and has the CPU's answers
#   regression   the regression tests with scan.device = gpu, or those in REGRESSION
#   bench        rates of kernels, CUB's beside them, the bus
#   variants     the kernels compiled in another way, beside them as they are
#   profile      counters of nine kernels, where Nsight Compute is there
#   jobs         jobs against the CPU's loops, without a server
#   e2e          whole queries in a server: CPU, device with small slots and large, 7 workers
#   soak         each line at 16 million rows, 50 times: the same bits
#   broker       1, 2 and 4 sessions, wake-ups, a killed program
#   parallel     window queries in 0 to 15 workers, without the device
#   gpu.t        the way of a job, with the mock device, where perl has prove
#   memcheck ..  `check tiny` and the classical scans under each tool of compute-sanitizer, where there is one
#   diagnose     why a part failed, where call A stops; by name, of the line in DIAGNOSE_LINE
#
# PARTS="smoke bench" runs some.  Each has its time limit, and all together TOTAL seconds (570); a part that fails or
# hangs keeps none from running (parts.sh), but with STOP=1, as in call A.  OUT (test/gpu/build/results unless told) gets
# three files: results.tar.gz with every part's output, table.csv with all figures, and summary.txt, which also is what
# is printed last.  results.py makes the section of RESULTS.md of them.
#
# For a try without a GPU: TRY=1 makes all of it small, LIMITS="soak=20 bench=30" gives parts other limits, and with
# LIBRARIES=all the machine's own shared libraries give way to the bundle's.

set -uo pipefail
# ldconfig and runuser; compute-sanitizer and ncu
export PATH=$PATH:/usr/sbin:/sbin:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer

# of a file, seen from where run.sh was started
absolute() {
    case $1 in
        '' | /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
}

call=
case ${1:-} in
    A | B)
        call=$1
        shift
        ;;
esac
out=$(absolute "${1:-}")
SCAN_BUNDLE=$(absolute "${SCAN_BUNDLE:-}")
self=$(cd "$(dirname "$0")" && pwd)/run.sh
cd "$(dirname "$self")/../.." || exit

# all parts, in their order, and for how many seconds each may run
limits='machine=20 smoke=60 check=150 guarded=90 classics=60 server=90 regression=240 bench=150 variants=60 profile=60 jobs=120
e2e=150 soak=240 broker=120 parallel=240 gpu.t=180 memcheck=90 racecheck=90 initcheck=90 synccheck=90 diagnose=60'
if [ -n "${TRY:-}" ]; then
    export CHECK_SIZE=${CHECK_SIZE:-tiny} SERVER_ROWS=${SERVER_ROWS:-20000} BENCH_ROWS=${BENCH_ROWS:-10007} \
        JOBS_ROWS=${JOBS_ROWS:-8000} SOAK_ROWS=${SOAK_ROWS:-9001} SOAK_RUNS=${SOAK_RUNS:-4} \
        BROKER_ROWS=${BROKER_ROWS:-50000} BROKER_JOBS=${BROKER_JOBS:-50} PARALLEL_ROWS=${PARALLEL_ROWS:-50000} \
        VARIANT_ROWS=${VARIANT_ROWS:-10007} PROFILE_ROWS=${PROFILE_ROWS:-10007} E2E_ROWS=${E2E_ROWS:-50000} E2E_SLOT=${E2E_SLOT:-64MB}
fi
case $call in
    A)
        parts='machine smoke check server guarded'
        limits='machine=15 smoke=40 check=50 server=45 guarded=25 diagnose=60'
        TOTAL=${TOTAL:-165}
        STOP=${STOP:-1}
        export CHECK_SIZE=${CHECK_SIZE:-few} SERVER_ROWS=${SERVER_ROWS:-500000}
        ;;
    B)
        # what a card is worth first; the limits add up to TOTAL
        parts='machine e2e bench soak broker jobs profile variants regression memcheck'
        limits='machine=15 e2e=150 bench=70 soak=50 broker=45 jobs=35 profile=40 variants=30 regression=50 memcheck=45'
        TOTAL=${TOTAL:-530}
        export SANITIZER_SIZE=${SANITIZER_SIZE:-least} BENCH_PARTS=${BENCH_PARTS:-scans cub frames sort bus} \
            SOAK_ROWS=${SOAK_ROWS:-4194304} SOAK_RUNS=${SOAK_RUNS:-30} \
            REGRESSION=${REGRESSION:-array_sum change clamped compact counter moving reduce semantics}
        ;;
    # all but the diagnosis
    *) parts=$(for pair in $limits; do echo "${pair%=*}"; done | grep -vx diagnose | paste -sd " ") ;;
esac
export SERVER_ROWS=${SERVER_ROWS:-2000000}

# ---- the parts ----

on_device="shared_preload_libraries = 'scan'
scan.gpu_library = 'scan_cuda'
scan.device = gpu"

# of a program: that it is the one that the emulator runs
suffix() {
    if [ ! -x "$bundle/programs/$1" ]; then echo _emulated; fi
}

program() {
    echo "$bundle/programs/$1$(suffix "$1")"
}

regression() {
    local tests=${REGRESSION:-}
    [ -n "$tests" ] || tests=$(cd test/sql && ls ./*.sql | sed 's|^\./||; s/\.sql$//' | grep -v '^setup$')
    mkdir -p "$results/regress"
    cp -r expected "$results/regress"
    # shellcheck disable=SC2086
    SCAN_CLUSTER_CONF=$on_device exec test/cluster.sh "$bindir/pg_regress" --inputdir=test \
        --outputdir="$results/regress" --bindir="$bindir" --encoding=UTF8 --dbname=contrib_regression setup $tests
}

bench() {
    # shellcheck disable=SC2086
    exec "$(program bench)" ${BENCH_PARTS:-} ${BENCH_ROWS:+"$BENCH_ROWS"}
}

# as_server COMMAND...: as the user who runs the server (cluster.sh)
as_server() {
    if [ "$SCAN_SERVER_USER" = "$(id -un)" ]; then "$@"; else runuser -u "$SCAN_SERVER_USER" -- "$@"; fi
}

# The server's log goes with the results.
server() {
    mkdir -p "$results/server"
    chmod 777 "$results/server"
    echo "--- check smoke as $SCAN_SERVER_USER, nothing measured"
    (cd / && SCAN_MEASURE_ROWS=0 as_server "$bundle/programs/check" "$device" smoke) || return
    echo '--- the server'
    # before this part's time is up, the broker ends a program that hangs while it opens the device, and says at which line
    SCAN_GPU_READY_MS=${SCAN_GPU_READY_MS:-25000} SCAN_CLUSTER_LOG=$results/server SCAN_CLUSTER_CONF=$on_device exec test/cluster.sh \
        psql -X -v ON_ERROR_STOP=1 -v rows="$SERVER_ROWS" -f "$PWD/test/gpu/server.sql"
}

# sanitizer TOOL: without what the library measures when it opens, which no tool is meant to look at
sanitizer() {
    local run=(compute-sanitizer --tool "$1" --error-exitcode 1)
    SCAN_MEASURE_ROWS=0 SCAN_GPU_CHECK=2 "${run[@]}" "$bundle/programs/check" "$device" "${SANITIZER_SIZE:-tiny}" || return
    [ -n "${SANITIZER_SIZE:-}" ] || "${run[@]}" "$(program classics)" few
}

# Replaces this process where it can, so that timeout's signal reaches the program itself.
run_part() {
    export SCAN_CLUSTER_ROOT=$bundle
    case $1 in
        smoke) exec "$bundle/programs/check" "$device" smoke ;;
        check) exec "$bundle/programs/check" "$device" ${CHECK_SIZE:+"$CHECK_SIZE"} ;;
        guarded) SCAN_GPU_CHECK=1 exec "$bundle/programs/check" "$device" tiny ;;
        classics) exec "$(program classics)" ${CHECK_SIZE:+"$CHECK_SIZE"} ;;
        machine) exec test/gpu/machine.sh ;;
        bench) bench ;;
        variants) exec test/gpu/variants.sh "$bundle/programs" "$(suffix bench)" ;;
        profile) exec test/gpu/profile.sh "$(program bench)" ;;
        e2e) exec test/gpu/e2e.sh ;;
        diagnose) exec test/gpu/diagnose.sh "${SCAN_FAILED:-}" "$bundle/programs/check" "$device" "$results" ;;
        jobs) exec "$bundle/programs/jobs" "$device" "${JOBS_ROWS:-10000000}" ;;
        soak) exec "$bundle/programs/soak" "$device" ${SOAK_ROWS:+"$SOAK_ROWS"} ${SOAK_RUNS:+"$SOAK_RUNS"} ;;
        server) server ;;
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
SCAN_SERVER_USER=$(id -un)
if [ "$(id -u)" = 0 ]; then
    SCAN_SERVER_USER=$(id -un postgres 2>/dev/null || echo nobody)
fi
export SCAN_SERVER_USER
if [ ! -d /usr/share/zoneinfo ] && [ -d "$SCAN_BUNDLE/zoneinfo" ] && [ -w /usr/share ]; then
    cp -r "$SCAN_BUNDLE/zoneinfo" /usr/share/zoneinfo
fi

case " ${PARTS:-$parts} " in
    *' machine '*) ;;
    *) timeout 20 test/gpu/machine.sh >"$results/machine.txt" 2>&1 ;;
esac

failed=
for name in ${PARTS:-$parts}; do
    if [ -n "$failed" ] && [ -n "${STOP:-}" ]; then
        say "$(printf '%-18s not run: %s failed' "$name" "$failed")"
    elif can_run "$name"; then
        part "$name" "$(limit_of "$name")" || failed=${failed:-$name}
        if [ "$failed" = "$name" ] && [ -n "${STOP:-}" ]; then
            SCAN_FAILED=$name part diagnose "$(limit_of diagnose)"
        fi
        if [ -e "$results/diagnosis.txt" ]; then
            tee -a "$results/summary.txt" <"$results/diagnosis.txt"
            rm "$results/diagnosis.txt"
        fi
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
