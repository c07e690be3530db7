#!/usr/bin/env bash
#
# asan/run.sh [TEST...], which is `make asan`: runs the extension in a server under AddressSanitizer and UBSan (sanitized.sh).
#
# It runs the regression tests and TAP tests: those that it names below, or those that are named as arguments (node_random,
# `regress` for the regression tests, or matrix for one of them).  It fails if a test fails or a sanitizer reports
# something, and prints the reports at the end.  The objects in the checkout are left alone; a second run compiles what has
# changed.
#
#   SCAN_ASAN_QUERIES     how many random queries node_random.t runs, 300 unless set

set -euo pipefail
cd "$(dirname "$0")/../.."
source test/asan/sanitized.sh

# What compares results, each part of the extension once.  Not what looks at times, memory or the source.
tests=(node node_random node_errors node_early pages top units sort vectors gaps exact exact_pairs counters rationals time_average decimal odd_values
    corrupt nulls skip_random parallel through_mock kept_queries kept_windows)

# NAME...: all regression tests, or those that are named; setup makes what the others need.
regression_tests() {
    test/cluster.sh make -s --no-print-directory "PG_CONFIG=$PG_CONFIG" ${1:+"REGRESS=setup $*"} installcheck
}

wanted=("$@")
[ $# -gt 0 ] || wanted=(regress "${tests[@]}")
SCAN_TEST_QUERIES=${SCAN_ASAN_QUERIES:-300}
# AddressSanitizer takes memory of its own, as an emulator does, so node_random.t does not measure it
SCAN_TEST_EMULATED=1
export SCAN_TEST_QUERIES SCAN_TEST_EMULATED
rm -rf "$logs"
build_sanitized
for name in "${wanted[@]}"; do
    if [ "$name" = regress ]; then
        step regress "regression tests" regression_tests
    elif [ -f "test/sql/$name.sql" ] && [ ! -f "test/t/$name.t" ]; then
        step "$name" "regression test $name" regression_tests "$name"
    else
        step "$name" "$name.t" test/cluster.sh prove "test/t/$name.t"
    fi
done
show_reports
if [ "$failed" -eq 0 ]; then echo "asan: nothing found"; else echo "asan: see $logs" >&2; fi
exit "$failed"
