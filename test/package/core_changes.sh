#!/usr/bin/env bash
#
# core_changes.sh [FOLDER]: says what a new version of PostgreSQL has changed for scan.  It compares the fields of core's
# window nodes with those that scan knows (core_fields.pl), and compiles src/.  It exits with 1 if there is a new field,
# or if src/ does not compile.  It is meant to run every night.
#
# FOLDER is a checkout of PostgreSQL, or a folder of server headers.  Without FOLDER: the headers of the newest version
# that Debian experimental has.  A checkout that is not configured is copied, and its headers are generated in the copy,
# which needs bison, flex and perl.
#
#   git -C ~/postgresql pull && test/package/core_changes.sh ~/postgresql

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/package/server_headers.sh

die() {
    echo "core_changes: $*" >&2
    exit 2
}

# Sets $server for a checkout: its own headers, or those that are generated in a copy.
headers_of_checkout() {
    local copy=$folder/postgresql
    server=$1/src/include
    [ -e "$server/pg_config.h" ] && [ -e "$server/utils/fmgroids.h" ] && return
    mkdir "$copy"
    tar -C "$1" --exclude=.git -cf - . | tar -xf - -C "$copy"
    (cd "$copy" && ./configure --without-icu --without-readline --without-zlib && make -s -C src/backend generated-headers) \
        >"$folder/log" 2>&1 </dev/null || { tail -n 5 "$folder/log" >&2 && die "no headers can be made of $1"; }
    server=$copy/src/include
}

if [ $# -eq 0 ]; then
    { read_suite experimental && unpack_headers "$(newest_major)"; } || die "no headers can be had: $(tail -n 1 "$folder/log")"
elif [ -e "$1/nodes/primnodes.h" ]; then
    server=$1
elif [ -e "$1/src/include/nodes/primnodes.h" ]; then
    headers_of_checkout "$1"
else
    die "$1 has no headers of PostgreSQL"
fi

failed=0
echo "core_changes: PostgreSQL $(version_of_headers)"
if test/package/core_fields.pl "$server"; then
    echo "core_changes: scan knows all fields of its window nodes"
else
    failed=1
fi
# past the refusal of unknown versions in src/compat.h
if read_sources -DSCAN_REVIEW; then
    echo "core_changes: src/ compiles"
else
    echo "core_changes: src/ does not compile"
    failed=1
fi
exit "$failed"
