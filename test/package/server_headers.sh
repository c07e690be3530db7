# server_headers.sh: server headers of versions of PostgreSQL that are not installed, and what the compiler says of src/
# with them; headers.sh and core_changes.sh source it.
#
# The headers are Debian's, of trixie, sid and experimental, downloaded and unpacked into a temporary folder by
# an apt with lists of its own.  It needs no rights, and changes nothing of the system.

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mirror=${SCAN_MIRROR:-$(apt-cache policy 2>/dev/null | sed -nE 's#^ *[0-9]+ (http[^ ]*) [a-z]+/main .*#\1#p' | head -n 1)}

suite_of() {
    case $1 in
        15) echo bookworm ;;
        17) echo trixie ;;
        18) echo sid ;;
        19) echo experimental ;;
    esac
}

# A program of apt, with lists, downloads and a state of its own; of the system's it has the keys and how the mirror is
# reached.
apt() {
    "$1" -qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$folder/state" \
        -o Dir::State::status=/dev/null -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User= -o Acquire::Check-Valid-Until=false \
        -o Acquire::Languages=none "${@:2}"
}

# Has apt know the packages of a suite.
read_suite() {
    [ -n "$1" ] && [ -n "$mirror" ] || return
    rm -rf "$folder/state" "$folder/cache" "$folder/download"
    mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/download"
    echo "deb $mirror $1 main" >"$folder/sources.list"
    apt apt-get update >"$folder/log" 2>&1
}

# Prints the newest version of PostgreSQL that the suite has which apt knows.
newest_major() {
    apt apt-cache pkgnames postgresql-server-dev- | sed -nE 's/^postgresql-server-dev-([0-9]+)$/\1/p' | sort -n | tail -n 1
}

# Unpacks the headers of a version of that suite; $server is their folder then.
unpack_headers() {
    local major=$1
    (cd "$folder/download" && apt apt-get download "postgresql-server-dev-$major") >>"$folder/log" 2>&1 || return
    dpkg-deb -x "$folder"/download/*.deb "$folder/$major"
    server=$folder/$major/usr/include/postgresql/$major/server
    # they were configured for a newer C library than there may be here, and a compiler with another typeof (below)
    sed -i -E 's/^(#define HAVE_DECL_STRLC(PY|AT)) 1/\1 0/' "$server/pg_config.h"
}

version_of_headers() {
    sed -nE 's/^#define PG_VERSION "(.*)"/\1/p' "$server/pg_config.h"
}

# read_sources FLAG...: the compiler reads all of src/ with the headers in $server, and warns of everything that the build
# warns of but what only its optimizer sees.  pg_config of every Linux defines _GNU_SOURCE, and the Makefile the number of
# the build.
read_sources() {
    printf '%s\0' src/*.c src/*/*.c src/*/*/*.c |
        xargs -0 -n 8 -P "$(nproc)" "${CC:-cc}" -fsyntax-only -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
            -Wno-missing-field-initializers -Werror -Dtypeof_unqual=__typeof__ -D_GNU_SOURCE \
            '-DSCAN_BUILD=UINT64_C(0)' "$@" -Isrc -I "$server"
}
