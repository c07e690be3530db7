#!/usr/bin/env bash
#
# versions.sh [MAJOR...]: builds scan with other versions of PostgreSQL and runs
# `make test-world`, but for PostgreSQL's own tests, with each (16 17 18 19 unless told),
# then 20,000 random queries (SCAN_RANDOM_QUERIES), and prints two tables of what came of it, by version and by feature,
# which it puts into RESULTS.md.
#
# versions.sh test [MAJOR...] runs `make test` instead, but for the laws, which do not depend on the server (17 18 19
# unless told).  It prints what failed, and leaves RESULTS.md alone: `make test-versions` and .ci/run call it.  A
# version that cannot be had is said, and is no failure.
#
# Each version is Debian's: 15 of bookworm, 17 of trixie, 18 of sid, 19 of experimental over
# sid.  No release of Debian has 16.  A version that Debian does not have, or not the one that you
# want, is built from PostgreSQL's source, in a bookworm system, if SCAN_SOURCE_MAJOR names a folder
# with that source:
#
#   SCAN_SOURCE_16=~/postgresql-16.2 test/package/versions.sh 16
#
# See chroot.sh for the systems: 3 GB each.

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/package/chroot.sh
source test/package/results.sh
rows=()
feature_rows=()
failures=0
world=1
for_tests=(python3 python3-scipy python3-pandas python3-gmpy2)

# What a run says of itself: the last line, and the tests that failed.
tell() {
    local root=$1 bin=$2 origin=$3 log=$4 version summary failed
    version=$(inside "$root" "$bin/postgres" --version | sed -E 's/^postgres \(PostgreSQL\) ([^ ]+).*/\1/')
    summary=$(sed -nE 's/^([0-9]+ passed, [0-9]+ failed)$/\1/p' "$log" | tail -n 1)
    failed=$(sed -nE 's/^(test\/t\/[a-z0-9_]+\.t) +\(Wstat: [1-9].*/\1/p; s/^not ok +[0-9]+ +- ([a-z_0-9]+) .*/\1/p' "$log" | sort -u | paste -sd ' ')
    rows+=("| $version | $(date +%F) | $origin | ${summary:-did not build or did not end} | $(grep -c ' skipped: ' "$log" || true) | ${failed:-none} |")
}

# The TAP tests of a feature, by the beginnings of their names.
declare -A tests_of=(
    [node]='node|plan_nodes|frames|window_regress|parallel|presorted|sort|nulls'
    [kept]='kept_'
    [skip]='skip_|first_rows|top'
    [reduce]='reduce_'
    [pages]='pages|readme|recipes|guide|demo|figures|quotes'
    [upgrade]='upgrade'
)

# passed_of LOG PATTERN: how many of these files passed, how many were skipped, and which failed.
passed_of() {
    local file="test/t/($2)[a-z0-9_]*\.t" skipped bad
    skipped=$(grep -cE "$file \.+ skipped" "$1" || true)
    bad=$(grep -E "^$file +\(Wstat: [1-9]" "$1" | sed -E 's/^test.t.([a-z0-9_]+).*/\1/' | sort -u | paste -sd ' ' || true)
    echo "$(grep -cE "$file \.+ ok" "$1" || true)$([ "$skipped" = 0 ] || echo ", $skipped skipped")${bad:+, failed: $bad}"
}

# passed_by_pg_regress LOG NAME...: the same of regression tests or specs.
passed_by_pg_regress() {
    local log=$1 name passed=0 bad=
    shift
    for name in "$@"; do
        if grep -qE "^(ok +[0-9]+ +[-+] $name |(test|  ) +$name +\.\.\. ok )" "$log"; then passed=$((passed + 1)); else bad+=" $name"; fi
    done
    echo "$passed${bad:+, failed:$bad}"
}

names_in() {
    local file
    for file in test/"$1"/*."$2"; do basename "$file" ".$2"; done
}

# The random queries of node_random.t, more than test-world has, and then the row of the version.
tell_features() {
    local root=$1 bin=$2 log=$3 built=passed number=${SCAN_RANDOM_QUERIES:-20000} random version feature cells
    grep -q '^== TAP tests ==' "$log" || built=failed
    version=$(inside "$root" "$bin/postgres" --version | sed -E 's/^postgres \(PostgreSQL\) ([^ ]+).*/\1/')
    random=$(inside "$root" "PG_CONFIG=$bin/pg_config" "SCAN_TEST_QUERIES=$number" env -C "/scan-$major" test/cluster.sh \
        prove test/t/node_random.t 2>&1 </dev/null | tee "${log%.log}-random.log" | sed -nE 's/^Result: PASS$/0 different/p; s/^Result: FAIL$/failed/p' || true)
    cells="$built | $(passed_by_pg_regress "$log" $(names_in sql sql)) | $(passed_by_pg_regress "$log" $(names_in specs spec))"
    for feature in node kept skip reduce pages; do cells+=" | $(passed_of "$log" "${tests_of[$feature]}")"; done
    feature_rows+=("| $version | $(date +%F) | $cells | $number: ${random:-did not end} | $(passed_of "$log" upgrade) |")
}

run_version() {
    local major=$1 source=SCAN_SOURCE_$1 suite root bin origin log=$chroots/test-$1.log
    source=${!source:-}
    suite=$(suite_of "$major")
    origin=$suite
    if [ -z "$suite$source" ]; then
        rows+=("| $major | | not in Debian | not run: needs \`SCAN_SOURCE_$major\` | | |")
        return
    fi
    if [ -n "$source" ]; then
        suite=bookworm
        origin="built from source"
    fi
    root=$chroots/$suite
    make_root "$suite" "$root"
    mount_inside "$root"
    if [ -n "$source" ]; then
        bin=/usr/local/pgsql-$major/bin
        build_server "$major" "$root" "$source" "${for_tests[@]}"
    else
        bin=/usr/lib/postgresql/$major/bin
        install_server "$major" "$root" "${for_tests[@]}"
    fi
    copy_source "$root/scan-$major"
    if [ -n "$world" ]; then
        echo "versions: all tests with PostgreSQL $major ($log)"
        inside "$root" "PG_CONFIG=$bin/pg_config" SCAN_TEST_WITHOUT=core make -s -C "/scan-$major" test-world >"$log" 2>&1 </dev/null || true
    else
        # optimizing more takes as long as the tests
        echo "versions: the tests with $(inside "$root" "$bin/postgres" --version)"
        inside "$root" "PG_CONFIG=$bin/pg_config" SCAN_TEST_WITHOUT=laws SCAN_OPTIMIZE='-O1 -g0' make -s -C "/scan-$major" test >"$log" 2>&1 </dev/null ||
            show_failure "$log"
        tail -n 1 "$log"
    fi
    tell "$root" "$bin" "$origin" "$log"
    if [ -n "$world" ]; then tell_features "$root" "$bin" "$log"; fi
}

# From the first failure on; what passed before is of no use there.
show_failure() {
    failures=$((failures + 1))
    grep -vE ' \.\. ok |\.\.\. ok ' "$1" | tail -n 150
}

need_root
if [ "${1:-}" = test ]; then
    world=
    shift
    [ $# -gt 0 ] || set -- 17 18 19
else
    [ $# -gt 0 ] || set -- 16 17 18 19
fi
for major in "$@"; do
    run_version "$major"
done
if [ -z "$world" ]; then exit $((failures > 0)); fi
update_table versions '| PostgreSQL | date | Debian release | tests | skipped files | failed tests |' '[0-9]+' "$@"
rows=("${feature_rows[@]}")
update_table features '| PostgreSQL | date | build | regression | isolation | node | kept | skip | reduce | pages | random queries | upgrade |' '[0-9]+' "$@"
