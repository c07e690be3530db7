#!/usr/bin/env bash
#
# coverage/run.sh, which is `make coverage`: which lines and branches of src/ the tests reach.
#
# It builds a copy of this checkout with the counters of gcov and without optimization, runs the tests there, and adds the
# counts up (report.py).  It puts the result into README.md beside it, and fails if a folder is below its goal or a line that no
# test reaches has no reason in unreached.txt.  A test that fails does not end the run, because a build without
# optimization takes longer than some tests wait; its name is printed.
#
# Logs, and a list of all lines and branches that are not reached, are in test/coverage/build.
#
#   SCAN_COVERAGE_FOLDER    where the copy is made and kept; unless set, a temporary folder that goes with the script
#   SCAN_COVERAGE_TESTS     TAP tests, by name, in the place of all
#
# Every process of the server writes its counts when it ends by exit().  So the folder is open to the server's user, and
# cluster.sh stops its servers by `fast`, since `immediate` ends processes by _exit().

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/package/chroot.sh
source test/package/results.sh
source test/progress.sh
results=test/coverage/README.md

# Tests that run nothing of src/ that no other test runs, and take long or cannot work in this copy:
left_out=(
    arrows cluster format names progress    # read the source, or test scripts
    bench demo figures              # run functions that other tests run
    device gpu_bundle               # kernels of the GPU, run on the CPU, and the script of test/gpu
    ptx_layout ptx_run              # kernels of the GPU, as the CUDA compiler translates them
    compile_commands fast_math gdb guide unknown_fields versions    # compile copies of the source
    core_changes                    # reads headers of the server
    soak                            # a minute of random queries, with other counts each time
)
logs=$PWD/test/coverage/build

leave_nothing() {
    end_silently
    if [ -z "${SCAN_COVERAGE_FOLDER:-}" ]; then rm -rf "$tree"; fi
}

make_tree() {
    tree=${SCAN_COVERAGE_FOLDER:-$(mktemp -d /tmp/scan-coverage.XXXXXX)}
    trap leave_nothing EXIT
    copy_source "$tree"
    chmod -R a+rwX "$tree"
}

# Makes what follows build with counters.  Nothing is inlined, so that each line has its counts once.  The library has the
# loops for AVX-512, which run on every processor by src/cpu/avx512_emulated.h.
set_environment() {
    PG_CONFIG=$(test/find_pg_config.sh)
    counters='--coverage -Dalways_inline=unused -Wno-psabi'
    COPT="$counters -DSCAN_INSTRUCTIONS=SCAN_AVX512_EMULATED"
    SCAN_OPTIMIZE='-O0 -g0'
    SCAN_CLUSTER_STOP=fast
    SCAN_CLUSTER_QUIET=1
    export PG_CONFIG COPT SCAN_OPTIMIZE SCAN_CLUSTER_STOP SCAN_CLUSTER_QUIET
}

# step LOG TEXT COMMAND...: what fails is named, and the script goes on.
step() {
    local log=$logs/$1.log text=$2 status=0
    shift 2
    begin "$text"
    (cd "$tree" && "$@") >"$log" 2>&1 </dev/null || status=$?
    end
    if [ "$status" -ne 0 ]; then
        # what pg_regress, prove, and the laws print of a failure
        grep -E '\.\.\. FAILED|^not ok +[0-9]+ +- |^not ok [^0-9]|\(Wstat: ' "$log" || tail -n 5 "$log"
    fi
}

build() {
    local log=$logs/build.log
    begin "building with counters (two minutes on two cores)"
    if ! make -s --no-print-directory -C "$tree" -j 2 all >"$log" 2>&1 </dev/null; then
        tail -n 40 "$log"
        exit 1
    fi
    # object files and their counts go together
    chmod -R a+rwX "$tree"
    end
}

# The programs of the laws, with the loops for these vector instructions.
laws() {
    local instructions=$1 build=test/law/build/$1 law
    mkdir -p "$build"
    make -s --no-print-directory -j 2 build_laws "B=$build" "COPT=$counters -DSCAN_INSTRUCTIONS=SCAN_$instructions" || return
    for law in $(make -s -f test/law/Makefile "B=$build" list_laws); do
        "$law" "$instructions" few || echo "not ok $law"
    done
}

tap_tests() {
    local tests
    if [ -n "${SCAN_COVERAGE_TESTS:-}" ]; then
        read -r -a tests <<<"$SCAN_COVERAGE_TESTS"
    else
        mapfile -t tests < <(find test/t -name '*.t' -printf '%f\n' | sed 's/\.t$//' | grep -vxF "$(printf '%s\n' "${left_out[@]}")" | sort)
    fi
    tests=("${tests[@]/#/test/t/}")
    test/cluster.sh prove --timer -j 3 "${tests[@]/%/.t}"
}

# The table and the list, in README.md.
report() {
    local text log=$logs/report.log status=0
    begin "adding the counts up"
    text=$(test/coverage/report.py "$tree" --detail "$logs/unreached.txt" 2>"$log") || status=$?
    end
    if [ -n "$text" ] && [ -z "${SCAN_COVERAGE_TESTS:-}" ]; then put_between coverage "$text"; fi
    echo "$text"
    cat "$log" >&2
    return "$status"
}

test/bootstrap.sh
mkdir -p "$logs"
make_tree
set_environment
build
for name in SSE2 AVX2 AVX512_EMULATED; do
    step "laws_$name" "laws with the loops for $name" laws "$name"
done
step regression "regression tests" test/cluster.sh make -s --no-print-directory "PG_CONFIG=$PG_CONFIG" installcheck
step tap "TAP tests" tap_tests
report
