#!/usr/bin/env bash
#
# find_pg_config.sh: prints which pg_config everything under test/ builds and
# runs with, and fails, printing nothing, when there is none that will do.
#
# Named outright by PG_CONFIG, it is that one or none.  Otherwise Debian's
# package of major version PG_MAJOR, or of the newest version that is here, and
# last whatever pg_config is in the PATH, for an installation of one's own.  It
# will do when the server and what an extension is built with are both there:
# pg_config alone comes with the client library too.

set -euo pipefail

source "$(dirname "$0")/pg_majors.sh"

will_do() {
    local pg_config=$1
    command -v "$pg_config" >/dev/null || return 1
    [ -x "$("$pg_config" --bindir)/postgres" ] &&
        [ -x "$("$pg_config" --bindir)/psql" ] &&
        [ -f "$("$pg_config" --pgxs)" ] &&
        [ -f "$("$pg_config" --includedir-server)/postgres.h" ]
}

if [ -n "${PG_CONFIG:-}" ]; then
    candidates=("$PG_CONFIG")
elif [ -n "${PG_MAJOR:-}" ]; then
    candidates=("/usr/lib/postgresql/$PG_MAJOR/bin/pg_config")
else
    candidates=("${pg_majors[@]/#//usr/lib/postgresql/}")
    candidates=("${candidates[@]/%//bin/pg_config}" pg_config)
fi

for candidate in "${candidates[@]}"; do
    if will_do "$candidate"; then
        realpath -s "$(command -v "$candidate")"
        exit 0
    fi
done
exit 1
