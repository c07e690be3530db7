#!/usr/bin/env bash
#
# deb.sh, which is `make deb`: packages of scan for every PostgreSQL whose server headers are
# installed, as test/package/build/postgresql-N-scan_*.deb.
#
# Where nvcc is found, or NVCC names it, postgresql-N-scan-gpu has the CUDA library, apart; NVCC=none is for none.
# MAINTAINER="Name <address>" says who vouches for them.  Needs debhelper; lintian is asked if it is there.

set -euo pipefail
cd "$(dirname "$0")/../.."

maintainer=${MAINTAINER:-the scan developers <scan@localhost>}
out=$PWD/test/package/build
stage=$(mktemp -d /tmp/scan-deb.XXXXXX)
trap 'rm -rf "$stage"' EXIT
gpu=${NVCC:-$(command -v nvcc || true)}
[ "$gpu" != none ] || gpu=
export NVCC=$gpu
source=$stage/scan-$(sed -nE 's/^\t"version": "(.*)",$/\1/p' META.json)

die() {
    echo "deb: $*" >&2
    exit 1
}

# The versions of which an extension can be built.
majors() {
    local pg_config
    for pg_config in /usr/lib/postgresql/*/bin/pg_config; do
        [ -x "$pg_config" ] || continue
        [ -f "$("$pg_config" --pgxs)" ] && [ -f "$("$pg_config" --includedir-server)/postgres.h" ] || continue
        basename "$(dirname "$(dirname "$pg_config")")"
    done | sort -n
}

# The source, of a checkout or of an unpacked archive, without what was built.
copy_source() {
    mkdir -p "$source"
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard | tar --null -cf - -T - | tar -xf - -C "$source"
    else
        tar --exclude=./test/package/build -cf - . | tar -xf - -C "$source"
        make -s -C "$source" clean >/dev/null 2>&1 || true
    fi
}

# The package of a version of the server.  A library may call what its minor version's headers have and an older
# server has not.
write_package() {
    local minor
    minor=$(dpkg-query -f '${source:Upstream-Version}' -W "postgresql-server-dev-$2")
    sed "s/@MAJOR@/$2/g; s/@MINOR@/$minor/g" "$1"
}

# debian/ in the source, with a package for each version.
write_debian() {
    local major depends=
    cp -r test/package/debian "$source/debian"
    cd "$source/debian"
    printf '%s\n' "$@" >majors
    if [ -n "$gpu" ]; then touch with-gpu; fi
    for major in "$@"; do depends+=", postgresql-server-dev-$major"; done
    {
        sed "s|@BUILD_DEPENDS@|$depends|" control.in
        for major in "$@"; do
            write_package package.in "$major"
            if [ -n "$gpu" ]; then write_package package-gpu.in "$major"; fi
        done
    } | sed "s|@MAINTAINER@|$maintainer|" >control
    sed "s|@MAINTAINER@|$maintainer|" changelog.in >changelog
    for major in "$@"; do
        # the program that owns a GPU is PostgreSQL's to start, and lies beside its library
        # CHANGELOG.md keeps its name, since the other pages link to it
        printf '%s\n' "postgresql-$major-scan: executable-in-usr-lib" "postgresql-$major-scan: wrong-name-for-upstream-changelog" \
            >"postgresql-$major-scan.lintian-overrides"
    done
    rm -f ./*.in
}

command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || die "needs debhelper: apt-get install debhelper fakeroot"
read -r -d '' -a all < <(majors) || true
[ "${#all[@]}" -gt 0 ] || die "no server headers: apt-get install postgresql-server-dev-15"
copy_source
(write_debian "${all[@]}")
(cd "$source" && dpkg-buildpackage -us -uc -b >"$stage/log" 2>&1) || { tail -n 40 "$stage/log" >&2; die "the build failed"; }
mkdir -p "$out"
rm -f "$out"/*.deb
cp "$stage"/*.deb "$out"
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$stage"/*.changes
fi
ls "$out"/*.deb
