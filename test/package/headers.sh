#!/usr/bin/env bash
#
# headers.sh [MAJOR...]: reads all of src/ by the compiler with the server headers of other versions of PostgreSQL, 17, 18
# and 19 unless told, as errors of what it warns of.  It is for CI, which runs the tests with one version only
# (versions.sh has the others); it takes a minute, needs no rights, and changes nothing of the system.
#
# The headers are Debian's, of trixie, sid and experimental, downloaded and unpacked into a temporary folder by
# an apt with lists of its own.  What cannot be had is said, and is no failure.

set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mirror=${SCAN_MIRROR:-$(apt-cache policy 2>/dev/null | sed -nE 's#^ *[0-9]+ (http[^ ]*) [a-z]+/main .*#\1#p' | head -n 1)}
failed=0

suite_of() {
    case $1 in
        15) echo bookworm ;;
        17) echo trixie ;;
        18) echo sid ;;
        19) echo experimental ;;
    esac
}

# apt-get with lists, downloads and a state of its own; of the system's it has the keys and how the mirror is reached.
apt() {
    apt-get -qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$folder/state" \
        -o Dir::State::status=/dev/null -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User= -o Acquire::Check-Valid-Until=false \
        -o Acquire::Languages=none "$@"
}

# Unpacks the headers of a version below $folder; fails if they cannot be had.
get_headers() {
    local major=$1 suite
    suite=$(suite_of "$major")
    [ -n "$suite" ] && [ -n "$mirror" ] || return
    rm -rf "$folder/state" "$folder/cache" "$folder/download"
    mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/download"
    echo "deb $mirror $suite main" >"$folder/sources.list"
    apt update >"$folder/log" 2>&1 || return
    (cd "$folder/download" && apt download "postgresql-server-dev-$major") >>"$folder/log" 2>&1 || return
    dpkg-deb -x "$folder"/download/*.deb "$folder/$major"
    # they were configured for a newer C library than there may be here, and a compiler with another typeof (below)
    sed -i -E 's/^(#define HAVE_DECL_STRLC(PY|AT)) 1/\1 0/' "$folder/$major/usr/include/postgresql/$major/server/pg_config.h"
}

# The compiler reads all files, and warns of everything that the build warns of but what only its optimizer sees.
# pg_config of every Linux defines _GNU_SOURCE, and the Makefile the number of the build.
read_all() {
    local server=$folder/$1/usr/include/postgresql/$1/server
    printf '%s\0' src/*.c src/*/*.c src/*/*/*.c |
        xargs -0 -n 8 -P "$(nproc)" "${CC:-cc}" -fsyntax-only -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
            -Wno-missing-field-initializers -Werror -Dtypeof_unqual=__typeof__ -D_GNU_SOURCE \
            '-DSCAN_BUILD=UINT64_C(0)' -Isrc -I "$server"
}

[ $# -gt 0 ] || set -- 17 18 19
for major in "$@"; do
    if ! get_headers "$major"; then
        echo "headers: $major cannot be had ($(tail -n 1 "$folder/log" 2>/dev/null || true)): not read"
    elif read_all "$major"; then
        echo "headers: src/ is read with those of PostgreSQL $(sed -nE 's/^#define PG_VERSION "(.*)"/\1/p' "$folder/$major/usr/include/postgresql/$major/server/pg_config.h")"
    else
        echo "headers: src/ does not compile with PostgreSQL $major"
        failed=1
    fi
done
exit "$failed"
