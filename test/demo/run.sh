#!/usr/bin/env bash
#
# demo/run.sh, which is `make demo`: the demo, from a bare machine on.
#
# Installs what is missing, builds scan, and gives demo.sql to psql with a
# throw-away server.  Each step says what it does and how long it took.  The output
# of the build is shown only if the build fails.
#
# On a bare machine the compiler comes first, so that the build runs while apt
# installs the server.

set -euo pipefail
cd "$(dirname "$0")/../.."
source test/progress.sh
progress_name=demo

build_log=$(mktemp /tmp/scan-demo.XXXXXX)
build_pid=
trap 'rm -f "$build_log"; [ -z "$build_pid" ] || kill "$build_pid" 2>/dev/null || true' EXIT

build() {
    make --no-print-directory -j "$(nproc)" all >"$build_log" 2>&1 </dev/null
}

build_detail() {
    echo "$(find src gpu -name '*.o' | wc -l) of $(find src gpu -name '*.c' | wc -l) files are compiled"
}

if ! test/find_pg_config.sh >/dev/null && [ -z "${PG_CONFIG:-}" ]; then
    test/bootstrap.sh compiler
    if PG_CONFIG=$(test/demo/headers.sh); then
        export PG_CONFIG
        tell_progress "building scan (about a minute on two cores), while apt installs the server ..."
        build &
        build_pid=$!
        env -u PG_CONFIG test/bootstrap.sh server
    else
        unset PG_CONFIG
    fi
fi
[ -n "$build_pid" ] || test/bootstrap.sh demo
PG_CONFIG=$(test/find_pg_config.sh)
export PG_CONFIG
installed=$SECONDS

# Says nothing where everything is built already.
progress_after=1
begin "building scan (about a minute on two cores)" build_detail
# what the build in the background has not done, and why it failed, is what this one does
if [ -n "$build_pid" ]; then
    wait "$build_pid" || true
    build_pid=
fi
if ! build; then
    end_silently
    cat "$build_log" >&2
    exit 1
fi
end
built=$SECONDS

# A line at a time, so that a reader of a pipe sees what runs.
tell_progress "starting a throw-away server, then running test/demo/demo.sql in psql (about 40 s) ..."
test/cluster.sh stdbuf -oL psql -X -q -v ON_ERROR_STOP=1 -f test/demo/demo.sql
tell_progress "$SECONDS s in all: packages $installed s, build $((built - installed)) s, server and demo $((SECONDS - built)) s"
