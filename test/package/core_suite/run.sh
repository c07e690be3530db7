#!/usr/bin/env bash
#
# run.sh FOLDER PART: runs a part of PostgreSQL's own tests with the server that test/cluster.sh has started.
#
# core_suite.sh calls it, once with scan loaded and once without.  PART is regress, isolation or contrib.  FOLDER has the
# tests (regress, isolation, contrib) and gets their output; the server's user owns it, since the server reads and writes
# files there, too.  ../lib beside it has the libraries of the tests.  pg_regress compares the output with files that may
# be of another minor version and of other settings, so its verdict on one test says nothing: what the tests print counts.
# PART.server is the server's processor time.

set -euo pipefail

folder=$1
part=$2
pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")/../test
# A test that hangs is to end some day.
limit=45m

as_server() {
    if [ "$(id -u)" = 0 ]; then
        runuser -u "$(stat -c %U "$folder")" -- "$@"
    else
        "$@"
    fi
}

# The processor time of the server in seconds: its process with those that have ended, and those that still run.
server_seconds() {
    local server process
    server=$(head -n 1 "$PGHOST/../data/postmaster.pid")
    # a process may end while this runs; the name of a process, in parentheses, may have blanks
    for process in /proc/[0-9]*; do sed 's/(.*)/name/' "$process/stat" 2>/dev/null || true; done |
        awk -v server="$server" -v ticks="$(getconf CLK_TCK)" \
            '$1 == server || $4 == server { sum += $14 + $15 + $16 + $17 } END { printf "%.2f 0\n", sum / ticks }'
}

# tests PROGRAM INPUT OUTPUT LOG ARG...
tests() {
    local program=$1 input=$2 output=$3 log=$4 status=0
    shift 4
    (cd "$input" && as_server timeout "$limit" "$program" --inputdir="$input" --outputdir="$output" --dlpath="$(dirname "$folder")/lib" \
        --bindir="$PG_BINDIR" --host="$PGHOST" --port="$PGPORT" --user="$PGUSER" --max-concurrent-tests=20 "$@") >"$log" 2>&1 </dev/null || status=$?
    # 1: a test differs from what is expected
    if [ "$status" -gt 1 ]; then echo "$log: status $status" >>"$folder/$part.failed"; fi
}

# The tests of one module, as core_suite.sh has read them from its Makefile: REGRESS | ISOLATION | options.
contrib() {
    local module=$1 regress isolation options
    IFS='|' read -r regress isolation options <"$module/tests"
    if [ -n "$regress" ]; then
        # shellcheck disable=SC2086
        tests "$pgxs/regress/pg_regress" "$module" "$module" "$module.log" --dbname=contrib_regression $options $regress
    fi
    if [ -n "$isolation" ]; then
        as_server mkdir -p "$module/isolation"
        # shellcheck disable=SC2086
        tests "$pgxs/isolation/pg_isolation_regress" "$module" "$module/isolation" "$module.isolation.log" --dbname=isolation_regression $options $isolation
    fi
}

case $part in
    regress) tests "$pgxs/regress/pg_regress" "$folder/regress" "$folder/regress" "$folder/regress.log" --dbname=regression --schedule="$folder/regress/parallel_schedule" ;;
    isolation) tests "$pgxs/isolation/pg_isolation_regress" "$folder/isolation" "$folder/isolation" "$folder/isolation.log" --dbname=isolation_regression --schedule="$folder/isolation/isolation_schedule" ;;
    contrib) for module in "$folder"/contrib/*/tests; do contrib "$(dirname "$module")"; done ;;
    *) exit 2 ;;
esac
server_seconds >"$folder/$part.server"
