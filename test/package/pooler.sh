#!/usr/bin/env bash
#
# pooler.sh: runs pooler.t: PrefixScan for users who are not superusers, behind PgBouncer.
#
# PgBouncer is the one in PATH, or else Debian's package, unpacked below test/package/build: installing it would start a
# pooler as a service, which nobody has asked for.  PG_MAJOR and PG_CONFIG choose the PostgreSQL (find_pg_config.sh).

set -euo pipefail
cd "$(dirname "$0")/../.."

unpacked=$PWD/test/package/build/pgbouncer

die() {
    echo "pooler: $*" >&2
    exit 1
}

unpack_pgbouncer() {
    local packages=() library deb
    # the libraries that Debian's PgBouncer needs beside those that PostgreSQL's own packages bring
    for library in $(apt-cache depends pgbouncer | sed -nE 's/^ *Depends: (libevent-[0-9.]+-?[0-9a-z]*|lib(c-ares|cares)[0-9a-z]*)$/\1/p'); do
        packages+=("$library")
    done
    mkdir -p "$unpacked"
    (cd "$unpacked" && apt-get -qq -o APT::Sandbox::User=root download pgbouncer "${packages[@]}") || die "apt does not have pgbouncer"
    for deb in "$unpacked"/*.deb; do dpkg -x "$deb" "$unpacked"; done
    chmod -R a+rX "$unpacked"
}

if ! command -v pgbouncer >/dev/null && [ ! -x "$unpacked/usr/sbin/pgbouncer" ]; then
    unpack_pgbouncer
fi
PATH=$PATH:$unpacked/usr/sbin
LD_LIBRARY_PATH=$(find "$unpacked" -name '*.so.*' -printf '%h\n' 2>/dev/null | sort -u | paste -sd :)
export PATH LD_LIBRARY_PATH
prove test/package/pooler.t
