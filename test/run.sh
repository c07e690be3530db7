#!/usr/bin/env bash
#
# run.sh [NAME...], which is `make test` and `make test-world`: the tests, from a bare machine on.
#
#   test/run.sh                   each feature once: all but the TAP tests of world.txt, the laws without sanitizers
#   SCAN_TEST_WORLD=1             all tests
#   SCAN_TEST_WORLD=rest          those that the first form leaves out
#   SCAN_TEST_WITHOUT='core ptx_run'    of the world, not PostgreSQL's own tests, and not test/t/ptx_run.t
#   test/run.sh top matrix kept_builds    single tests: test/t/top.t, test/sql/matrix.sql, and test/specs/kept_builds.spec
#
# Installs what is missing, builds with warnings as errors, then runs the algebra
# laws and beside them the regression tests with the specs of isolationtester, and the
# TAP tests, the last two each against a throw-away server.  A part that fails does not keep the next from
# running.  The last line adds up what the parts reported; a part that reports
# nothing, or fails without saying in what, counts as one failure.
#
# While a part runs without output, a line every ten seconds says what runs, and each part
# ends with its time (progress.sh).

set -euo pipefail
cd "$(dirname "$0")/.."

source test/progress.sh
progress_name='test'
progress_after=1
export SCAN_CLUSTER_QUIET=1
# the mark of our processes, for running_tests
export SCAN_TEST_RUN=$$

passed=0
failed=0
log=$(mktemp /tmp/scan-test.XXXXXX)
progress_log=$log
trap 'end_silently; rm -f "$log" "$log.regress" "$log.status" "$log.why"' EXIT

# Two at a time, each with its lines together: the laws have two halves that take about as long.
make_quietly=(make -s --no-print-directory -j 2 -O)

# run TITLE DETAIL COMMAND...: shows the output as it comes and keeps it for counting.  While
# there is none, DETAIL says how far the part is.
run() {
    printf '\n== %s ==\n\n' "$1"
    begin_silently "$1" "$2"
    shift 2
    status=0
    "$@" 2>&1 </dev/null | tee "$log" || status=$?
    end
}

count() {
    grep -cE -- "$1" "$log" || true
}

# add PASSED FAILED: what the part that has just run comes to.
add() {
    local part_passed=$1 part_failed=$2
    if [ "$part_failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$part_passed" -eq 0 ]; }; then
        part_failed=1
    fi
    passed=$((passed + part_passed))
    failed=$((failed + part_failed))
}

# What follows says, for who waits, how far a part is.

build_detail() {
    echo "$(find src gpu -name '*.o' | wc -l) of $(find src gpu -name '*.c' | wc -l) files are compiled"
}

laws_detail() {
    echo "$(count '^ok ') laws hold, $(regression_detail)"
}

regression_detail() {
    echo "$(grep -cE '^(not )?ok +[0-9]|^(test|  ) .*\.\.\. ' "$log.regress" || true) regression tests are done"
}

# The test files that run now, each with its seconds.
running_tests() {
    local process words stat uptime
    read -r uptime _ </proc/uptime
    for process in /proc/[0-9]*; do
        # a process may have ended, or be somebody else's
        mapfile -d '' -t words <"$process/cmdline" || continue
        [[ ${words[0]:-} == *perl && ${words[1]:-} =~ test/t/([a-z0-9_]+\.t)$ ]] || continue
        grep -qzx "SCAN_TEST_RUN=$$" "$process/environ" || continue
        # the 22nd field is the time at which it began, in hundredths since the system did; a name may have blanks
        read -r stat <"$process/stat" || continue
        mapfile -d ' ' -t words <<<"${stat##*) }"
        echo "${BASH_REMATCH[1]} $((${uptime%.*} - words[19] / 100))"
    done 2>/dev/null | sort -k 1,1 -k 2,2nr | sort -u -k 1,1 | sort -k 2,2nr |
        awk '{ printf "%s%s (%d s)", (NR > 1 ? ", " : ""), $1, $2 }'
}

tap_detail() {
    echo "$(count '\.t \.+ ') of $files files are done, running: $(running_tests)"
}

build() {
    progress_log=
    begin "building scan with warnings as errors (about a minute on two cores)" build_detail
    if ! "${make_quietly[@]}" WERROR=1 all >"$log" 2>&1 </dev/null; then
        cat "$log"
        failed=$((failed + 1))
    fi
    end
    progress_log=$log
}

# Runs the laws over a third of the random columns; `make laws` runs them over all.
laws() {
    run "laws of the algebra" laws_detail "${make_quietly[@]}" WERROR=1 LAWS_SIZE=few "$1"
    add "$(count '^ok ')" "$(count '^not ok ')"
}

# In the background: they take one core, and the laws leave it to them at times.
start_regression_tests() {
    {
        code=0
        test/cluster.sh make -s --no-print-directory "PG_CONFIG=$PG_CONFIG" "$@" installcheck >"$log.regress" 2>&1 </dev/null || code=$?
        echo "$code" >"$log.status"
    } &
    regression=$!
}

show_regression_tests() {
    cat "$log.regress"
    return "$(cat "$log.status")"
}

end_regression_tests() {
    begin "waiting for the regression tests" regression_detail
    wait "$regression"
    end
    run "regression tests" '' show_regression_tests
    # Up to PostgreSQL 15 "test NAME ... ok", from 16 on "ok 1 - NAME".
    add "$(count '^ok +[0-9]|^(test|  ) .*\.\.\. ok ')" "$(count '^not ok +[0-9]|^(test|  ) .*\.\.\. FAILED ')"
    if [ "$status" -ne 0 ] && [ -f regression.diffs ]; then
        head -n 500 regression.diffs
    fi
}

# prove_tests TITLE ARG...: prove names the files that failed, each with the number of
# its tests that did: none, where a file died between two.
prove_tests() {
    local all bad died title=$1
    shift
    files=$(printf '%s\n' "$@" | grep -c '\.t$')
    run "$title" tap_detail test/cluster.sh prove --timer "$@"
    all=$(sed -nE 's/^Files=[0-9]+, Tests=([0-9]+),.*/\1/p' "$log")
    bad=$(sed -nE 's/.*\(Wstat: .* Failed: ([0-9]+)\)$/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
    died=$(count '\(Wstat: [1-9].* Failed: 0\)$')
    add $((${all:-0} - bad)) $((bad + died))
    # The files that failed; what they said, with the seeds of random tests, stands above that.
    if [ "$status" -ne 0 ]; then
        grep -E -A 12 '^#   Failed test' "$log" | grep '^#' >>"$log.why" || true
        grep -E '^# SCAN_TEST_SEED' "$log" >>"$log.why" || true
        sed -n '/^Test Summary Report/,/^Files=/p' "$log" >>"$log.why"
    fi
}

is_left_out() {
    [[ " ${SCAN_TEST_WITHOUT:-} " == *" $1 "* ]]
}

# world_tests [PATTERN]: prints the TAP tests of world.txt, or those whose lines have the pattern, the longest first.
world_tests() {
    grep -e "${1:-^}" test/world.txt | awk '!/^#/ && NF { print $2, $1 }' | sort -rn | awk '{ print "test/t/" $2 ".t" }'
}

# Three at a time, since each waits for its server half of the time, but for cancel.t, which looks at the clock.  The
# longest begin first: one that begins last runs alone, with a core idle beside it.
tap_tests() {
    local world others=()
    mapfile -t world < <(world_tests | grep -vxF "$(printf 'test/t/%s.t\n' cancel ${SCAN_TEST_WITHOUT:-})")
    if [ "$which" != rest ]; then
        mapfile -t others < <(find test/t -name '*.t' | grep -vxFf <(world_tests) | sort)
    fi
    if [ "$which" = first ]; then
        # those of which a part is run, by their own choice
        mapfile -t world < <(world_tests ' a part: ')
        export SCAN_TEST_PART=1
    fi
    prove_tests "TAP tests" -j 3 "${world[@]}" "${others[@]}"
    if [ "$which" != first ]; then
        prove_tests "TAP tests that look at the clock" test/t/cancel.t
    fi
}

# PostgreSQL's own tests with scan in the server.
core_tests() {
    run "PostgreSQL's own tests" '' env SCAN_CORE_QUICK="${SCAN_CORE_QUICK-1}" test/package/core_suite.sh "$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')" plain
    add "$(sed -nE 's/^core_suite: .*: ([0-9]+) files compared.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')" 0
}

# single_tests NAME...: the TAP tests, the regression tests and the specs of these names.
single_tests() {
    local name tap=() sql=() specs=()
    for name in "$@"; do
        if [ -f "test/t/$name.t" ]; then
            tap+=("test/t/$name.t")
        elif [ -f "test/sql/$name.sql" ]; then
            sql+=("$name")
        elif [ -f "test/specs/$name.spec" ]; then
            specs+=("$name")
        else
            echo "run.sh: there is neither test/t/$name.t nor test/sql/$name.sql nor test/specs/$name.spec" >&2
            exit 2
        fi
    done
    build
    if [ ${#sql[@]} -gt 0 ]; then
        # setup creates the extension, and what the others compare with
        sql=(setup $(printf '%s\n' "${sql[@]}" | grep -vx setup))
    fi
    if [ ${#sql[@]} -gt 0 ] || [ ${#specs[@]} -gt 0 ]; then
        start_regression_tests "REGRESS=${sql[*]}" "ISOLATION=${specs[*]}"
        end_regression_tests
    fi
    if [ ${#tap[@]} -gt 0 ]; then
        prove_tests "TAP tests" "${tap[@]}"
    fi
}

case ${SCAN_TEST_WORLD:-} in
    '') which=first ;;
    rest) which=rest ;;
    *) which=all ;;
esac

test/bootstrap.sh
PG_CONFIG=$(test/find_pg_config.sh)
export PG_CONFIG

if [ $# -gt 0 ]; then
    single_tests "$@"
else
    build
    case $which in
        first)
            # they end while the TAP tests run
            start_regression_tests
            is_left_out laws || laws laws_plain
            tap_tests
            end_regression_tests
            ;;
        rest)
            laws laws_asan
            tap_tests
            ;;
        all)
            start_regression_tests
            laws laws
            end_regression_tests
            tap_tests
            ;;
    esac
    if [ "$which" != first ] && ! is_left_out core; then core_tests; fi
fi

# Who keeps only the end of what was printed sees here why tests failed: the last lines, which name the files, rather
# than the first.
if [ "$failed" -ne 0 ] && [ -s "$log.why" ]; then
    printf '\n== why ==\n\n'
    cut -c 1-200 "$log.why" | tail -n 60
fi
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
