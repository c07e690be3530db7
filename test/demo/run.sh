#!/usr/bin/env bash
#
# demo/run.sh, which is `make demo`: from a bare machine to real data scanned.
#
# Installs what is missing, builds scan, and gives demo.sql to psql with a
# throw-away server.  The build is heard of only if it fails.

set -euo pipefail
cd "$(dirname "$0")/../.."

test/bootstrap.sh
PG_CONFIG=$(test/find_pg_config.sh)
export PG_CONFIG

if ! build=$(make --no-print-directory all 2>&1 </dev/null); then
    echo "$build" >&2
    exit 1
fi
test/cluster.sh psql -X -q -v ON_ERROR_STOP=1 -f test/demo/demo.sql
