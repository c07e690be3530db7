#!/usr/bin/env bash
#
# deb.sh, which is `make deb`: Debian's source package, and packages of scan for every PostgreSQL whose server headers are
# installed, as test/package/build/*.dsc, postgresql-N-scan_*.deb and what goes with them.  debian/ at the top says how.
#
# Where nvcc is found, or NVCC names it, postgresql-N-scan-gpu has the CUDA library, apart; NVCC=none is for none.  Such
# packages come without a source package, which has no nvcc to name.
# SCAN_MAJORS='17 18' builds for these versions only.  MAINTAINER and SCAN_URL go into the packages (address.sh).
# SCAN_DEB_CHECK=1 runs the regression tests against each package before it is made; SCAN_DEB_SOURCE=1 makes the source
# package alone.
# Needs debhelper and postgresql-server-dev-all, or its parts; lintian is asked if it is there.

set -euo pipefail
cd "$(dirname "$0")/../.."

umask 022 # for what lies in the packages
out=$PWD/test/package/build
stage=$(mktemp -d /tmp/scan-deb.XXXXXX)
trap 'rm -rf "$stage"' EXIT
gpu=${NVCC:-$(command -v nvcc || true)}
[ "$gpu" != none ] || gpu=
export NVCC=$gpu
version=$(sed -nE 's/^\t"version": "(.*)",$/\1/p' META.json)
source=$stage/scan-$version

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
    chmod -R u+rwX,go=rX "$source"
}

# What Debian calls the upstream source: all but debian/.  The same source gives the same bytes, whoever packs it when.
pack_source() {
    tar -C "$stage" --exclude="scan-$version/debian" --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
        --mtime="@$SOURCE_DATE_EPOCH" -cf - "scan-$version" | xz -T1 >"$stage/scan_$version.orig.tar.xz"
}

# What debian/ does not say itself: which servers there are.  The GPU's packages stand in control.in without the word that
# pg_buildext replaces, because it builds one package for each server.
write_debian() {
    local major
    for major in $gpu_majors; do sed "s/PGVERSION/$major/g" debian/gpu.in >>debian/control.in; done
    pg_buildext updatecontrol >"$stage/log" 2>&1 || { cat "$stage/log" >&2; die "pg_buildext has failed"; }
}

command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || die "needs debhelper: apt-get install build-essential debhelper"
command -v pg_buildext >/dev/null && [ -f /usr/share/perl5/Debian/Debhelper/Sequence/pgxs.pm ] ||
    die "needs PostgreSQL's build system: apt-get install postgresql-server-dev-all"
PG_SUPPORTED_VERSIONS=${SCAN_MAJORS:-$(majors)}
[ -n "$PG_SUPPORTED_VERSIONS" ] || die "no server headers: apt-get install postgresql-server-dev-all"
export PG_SUPPORTED_VERSIONS
if [ -z "${SCAN_DEB_CHECK:-}" ]; then
    export DEB_BUILD_PROFILES="nocheck ${DEB_BUILD_PROFILES:-}" DEB_BUILD_OPTIONS="nocheck ${DEB_BUILD_OPTIONS:-}"
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dpkg-parsechangelog -l debian/changelog -S Timestamp)}
export SOURCE_DATE_EPOCH
gpu_majors=${gpu:+$PG_SUPPORTED_VERSIONS}

copy_source
test/package/address.sh "$source"
cd "$source"
write_debian
pack_source
# -d: postgresql-server-dev-all may be there in parts
kind=${gpu:+-b}
if [ -n "${SCAN_DEB_SOURCE:-}" ]; then kind=-S; fi
dpkg-buildpackage -us -uc -d $kind >"$stage/log" 2>&1 || { tail -n 40 "$stage/log" >&2; die "the build failed"; }
mkdir -p "$out"
rm -f "$out"/*.deb "$out"/scan_*
find "$stage" -maxdepth 1 \( -name '*.deb' -o -name 'scan_*' \) -exec cp {} "$out" \;
if command -v lintian >/dev/null; then
    # an older lintian knows older standards
    suppress=newer-standards-version
    # nobody has vouched for them
    [ -n "${MAINTAINER:-}" ] || suppress+=,bogus-mail-host,bogus-mail-host-in-debian-changelog
    lintian --allow-root --fail-on error,warning --suppress-tags "$suppress" "$stage"/*.changes
fi
find "$out" -name '*.deb' -o -name '*.dsc' | sort
