#!/usr/bin/env bash
#
# demo/run.sh, which is `make demo`: the demo, from a bare machine on.
#
# Installs what is missing, builds scan, and gives demo.sql to psql with a
# throw-away server.  Each step says what it does and how long it took.  The output
# of the build is shown only if the build fails.

set -euo pipefail
cd "$(dirname "$0")/../.."
source test/progress.sh
progress_name=demo

test/bootstrap.sh demo
installed=$SECONDS
PG_CONFIG=$(test/find_pg_config.sh)
export PG_CONFIG

build_detail() {
    echo "$(find src gpu -name '*.o' | wc -l) of $(find src gpu -name '*.c' | wc -l) files are compiled"
}

# Says nothing where everything is built already.
progress_after=1
begin "building scan (about a minute on two cores)" build_detail
if ! build=$(make --no-print-directory -j "$(nproc)" all 2>&1 </dev/null); then
    end_silently
    echo "$build" >&2
    exit 1
fi
end
built=$SECONDS

# A line at a time, so that a reader of a pipe sees what runs.
tell_progress "starting a throw-away server, then running test/demo/demo.sql in psql (about 40 s) ..."
test/cluster.sh stdbuf -oL psql -X -q -v ON_ERROR_STOP=1 -f test/demo/demo.sql
tell_progress "$SECONDS s in all: packages $installed s, build $((built - installed)) s, server and demo $((SECONDS - built)) s"
