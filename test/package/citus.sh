#!/usr/bin/env bash
#
# citus.sh [--table]: starts a cluster of Citus on loopback, a coordinator and two workers, and runs citus.t on it;
# --table measures with a million rows, too, and puts the table into RESULTS.md.
#
# Citus is the one that is installed for the server of pg_config; or what CITUS_SOURCE is, a folder with its source; or
# what CITUS_BUILD makes, a program that is given a folder to build in and installs into DESTDIR.  Neither is put
# into the system: they are installed below test/package/build, which is kept.

set -euo pipefail
cd "$(dirname "$0")/../.."

results=test/package/RESULTS.md
over=$PWD/test/package/build/citus
build=${CITUS_BUILD:-../shared/citus/build.sh}

die() {
    echo "citus: $*" >&2
    exit 1
}

build_source() {
    local out=$over/build.log
    (cd "$CITUS_SOURCE" && ./configure --without-libcurl --without-lz4 --without-zstd "PG_CONFIG=$PG_CONFIG" &&
        make -j"$(nproc)" && make install "DESTDIR=$over/root") >"$out" 2>&1 || die "see $out"
}

install_citus() {
    local root=$over/root
    if [ -f "$("$PG_CONFIG" --pkglibdir)/citus.so" ]; then
        return
    fi
    export SCAN_CLUSTER_OVER=$root
    if [ -f "$root$("$PG_CONFIG" --pkglibdir)/citus.so" ]; then
        return
    fi
    mkdir -p "$over"
    if [ -n "${CITUS_SOURCE:-}" ]; then
        build_source
    elif [ -x "$build" ] || [ -f "$build" ]; then
        DESTDIR=$root bash "$build" "$over/source" || die "$build has not built it"
    else
        die "there is no Citus: install it, or say where its source is (CITUS_SOURCE)"
    fi
}

# Puts the table in the place of the one that RESULTS.md has.
write_results() {
    local out
    out=$(mktemp)
    awk -v table="$1" '
        /^<!-- end of citus -->/ { skip = 0 }
        !skip { print }
        /^<!-- citus -->/ { while ((getline line < table) > 0) print line; skip = 1 }
    ' "$results" >"$out"
    cat "$out" >"$results"
    rm -f "$out"
}

PG_CONFIG=$(bash test/find_pg_config.sh) || die "there is no PostgreSQL; test/bootstrap.sh installs one"
export PG_CONFIG
install_citus
make --no-print-directory -s
prove test/package/citus.t
if [ "${1:-}" = --table ]; then
    table=$(mktemp)
    SCAN_CITUS_ROWS=1000000 SCAN_CITUS_TABLE=$table prove test/package/citus.t
    write_results "$table"
    rm -f "$table"
fi
