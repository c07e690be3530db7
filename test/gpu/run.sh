#!/usr/bin/env bash
#
# run.sh [RESULTS]: on a machine with a GPU, and with a bundle of bundle.sh: everything
# that takes a device, in one go.
#
#   1 check      the library against the CPU, without a server; the classical scans against a loop
#   2 sanitizer  the same on small columns under compute-sanitizer, where there is one
#   3 regression the regression tests with scan.device = gpu
#   4 server     gpu.t with the mock device, where perl has prove; a query that has to run
#                on the device
#   5 bench      rates
#
# A part that fails keeps none from running.  Each one's output is a file in RESULTS
# (test/gpu/build/results unless told), with summary.txt beside them, which also is what
# is printed last.  PARTS="1 5" runs some.  CHECK_SIZE=few, SERVER_ROWS and BENCH_ROWS make
# it smaller, for a try with the emulator.

set -uo pipefail
cd "$(dirname "$0")/../.."

results=${1:-test/gpu/build/results}
parts=${PARTS:-1 2 3 4 5}
export SERVER_ROWS=${SERVER_ROWS:-2000000}
build=test/gpu/build
unpacked=$(mktemp -d /tmp/scan-gpu.XXXXXX)
trap 'rm -rf "$unpacked"' EXIT

mkdir -p "$results"
results=$(cd "$results" && pwd)
: >"$results/summary.txt"
tar -xzf "$build/bundle.tar.gz" -C "$unpacked"
chmod -R a+rX "$unpacked" # the server runs as another user where we are root
bundle=$unpacked/bundle
pkglibdir=$(echo "$bundle"/usr/lib/postgresql/*/lib)
bindir=$(echo "$bundle"/usr/lib/postgresql/*/bin)
device=$pkglibdir/scan_cuda.so
if [ ! -d /usr/share/zoneinfo ] && [ -d "$bundle/zoneinfo" ] && [ -w /usr/share ]; then
    cp -r "$bundle/zoneinfo" /usr/share/zoneinfo
fi

wants() {
    case " $parts " in *" $1 "*) ;; *) return 1 ;; esac
}

# with the bundle's libraries, after those that the machine names itself
bundled() {
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$bundle/libraries" "$@"
}

# part NAME COMMAND...: keeps the output, and says how it ended.
part() {
    local name=$1 status=0 from=$SECONDS
    shift
    "$@" >"$results/$name.txt" 2>&1 </dev/null || status=$?
    printf '%-18s %s, %d s\n' "$name" "$([ $status = 0 ] && echo ok || echo "FAILED ($status)")" \
        $((SECONDS - from)) | tee -a "$results/summary.txt"
    if [ $status != 0 ]; then
        tail -n 15 "$results/$name.txt" | sed 's/^/    /' | tee -a "$results/summary.txt"
    fi
}

on_device="shared_preload_libraries = 'scan'
scan.gpu_library = 'scan_cuda'
scan.device = gpu"

# what the server says of its device, and a query that fails unless the device runs it
server_query() {
    SCAN_CLUSTER_ROOT=$bundle SCAN_CLUSTER_CONF=$on_device bundled test/cluster.sh bash -c '
        for i in $(seq 100); do
            [ "$(psql -XAtc "SELECT state FROM scan_status" 2>/dev/null)" = ready ] && break
            [ $i = 1 ] && psql -Xqc "CREATE EXTENSION scan"
            sleep 0.2
        done
        psql -X -v ON_ERROR_STOP=1 -v rows="$SERVER_ROWS" <<SQL
SELECT * FROM scan_status \gx
\timing on
CREATE TABLE x AS SELECT i, i % 1000 AS g, hashint8(i)::int8 AS n, hashint8(i) / 1024.0::float8 AS f
    FROM generate_series(1, :rows) AS i;
ANALYZE x;
SET scan.debug_require = gpu;
CREATE TABLE on_gpu AS SELECT i, scan_sum(n) OVER w AS n, scan_sum(f) OVER w AS f FROM x WINDOW w AS (PARTITION BY g ORDER BY i);
SET scan.debug_require = allow;
SET scan.device = cpu;
CREATE TABLE on_cpu AS SELECT i, scan_sum(n) OVER w AS n, scan_sum(f) OVER w AS f FROM x WINDOW w AS (PARTITION BY g ORDER BY i);
SELECT count(*) AS rows, count(*) FILTER (WHERE a.n <> b.n OR float8send(a.f) <> float8send(b.f)) AS differ
    FROM on_gpu AS a JOIN on_cpu AS b USING (i);
SELECT jobs, rows, fallbacks FROM scan_status;
SELECT 1 / (count(*) = :rows)::int AS same FROM on_gpu AS a JOIN on_cpu AS b USING (i)
    WHERE a.n = b.n AND float8send(a.f) = float8send(b.f);
SQL'
}

regression() {
    local tests
    tests=$(cd test/sql && ls ./*.sql | sed 's|^\./||; s/\.sql$//' | grep -v '^setup$')
    mkdir -p "$results/regress"
    cp -r expected "$results/regress"
    # shellcheck disable=SC2086
    SCAN_CLUSTER_ROOT=$bundle SCAN_CLUSTER_CONF=$on_device bundled test/cluster.sh \
        "$bindir/pg_regress" --inputdir=test --outputdir="$results/regress" --bindir="$bindir" \
        --encoding=UTF8 --dbname=contrib_regression setup $tests
}

{
    nvidia-smi 2>&1 || echo "no nvidia-smi"
    nvcc --version 2>&1 | tail -n 2
    uname -a
    git log -1 --format='commit %h %s' 2>/dev/null
} >"$results/machine.txt"

# the one for the device, or the one that the emulator runs
program() {
    local path=$bundle/programs/$1
    if [ -x "$path" ]; then echo "$path"; else echo "${path}_emulated"; fi
}

if wants 1; then
    part check bundled "$bundle/programs/check" "$device" ${CHECK_SIZE:-}
    part classics bundled "$(program classics)" ${CHECK_SIZE:-}
fi
if wants 2 && command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck synccheck; do
        part "$tool" bundled compute-sanitizer --tool $tool --error-exitcode 1 "$bundle/programs/check" "$device" tiny
        part "$tool.classics" bundled compute-sanitizer --tool $tool --error-exitcode 1 "$(program classics)" few
    done
fi
if wants 3; then part regression regression; fi
if wants 4; then
    part server server_query
    if command -v prove >/dev/null; then
        part gpu.t env SCAN_CLUSTER_ROOT="$bundle" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$bundle/libraries" \
            SCAN_CLUSTER_CONF= test/cluster.sh prove test/t/gpu.t
    fi
fi
if wants 5; then
    part bench bundled "$(program bench)" ${BENCH_ROWS:-}
fi

cat "$results/machine.txt"
if [ -f "$results/bench.txt" ]; then cat "$results/bench.txt"; fi
echo
cat "$results/summary.txt"
! grep -q FAILED "$results/summary.txt"
