#!/usr/bin/env bash
#
# figures/run.sh, which is `make figures`: the numbers by psql from a throw-away server, the
# pictures from the numbers.  Installs matplotlib if that is missing.

set -euo pipefail
cd "$(dirname "$0")/../.."

test/bootstrap.sh figures
PG_CONFIG=$(test/find_pg_config.sh)
export PG_CONFIG
make --no-print-directory all >/dev/null

test/cluster.sh bash -euc 'for name in networks traces vix; do
    psql -X -q --csv -v ON_ERROR_STOP=1 -f "test/figures/$name.sql" >"test/figures/$name.csv"
done'
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import matplotlib' 2>/dev/null; then
        "$python" test/figures/draw.py
        exec "$python" test/bench/chart.py test/bench/results/queries.json test/bench/queries.svg
    fi
done
echo "figures: no python3 with matplotlib" >&2
exit 1
