#!/usr/bin/env bash
#
# versions.sh [MAJOR...]: builds scan with other versions of PostgreSQL and runs all of
# `make test` with each (16 17 18 19 unless told), then prints a table of what came of it and
# puts it into RESULTS.md.
#
# Each version is Debian's: 15 of bookworm, 17 of trixie, 18 of sid, 19 of experimental over
# sid.  16 was never in a release, and is skipped with that said.  The systems are made by
# debootstrap below SCAN_CHROOTS (/var/tmp/scan-chroots unless told) and kept, so that a second
# run takes no download.  Needs root, debootstrap, a network, and 3 GB a system.

set -euo pipefail
cd "$(dirname "$0")/../.."

mirror=${SCAN_MIRROR:?names a mirror of Debian}
chroots=${SCAN_CHROOTS:-/var/tmp/scan-chroots}
results=test/package/RESULTS.md
rows=()

die() {
    echo "versions: $*" >&2
    exit 1
}

suite_of() {
    case $1 in
        15) echo bookworm ;;
        17) echo trixie ;;
        18 | 19) echo sid ;;
    esac
}

inside() {
    local root=$1
    shift
    chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

apt_inside() {
    inside "$1" apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends "${@:2}" >/dev/null
}

# A system with nothing but what a compiler and the tests need; services are not started there.
make_root() {
    local suite=$1 root=$2
    [ -d "$root" ] && return
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
        die "debootstrap $suite: see $root.log"
    # a mirror may be one of some time ago
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90scan"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    if [ "$suite" = sid ]; then
        echo "deb $mirror experimental main" >"$root/etc/apt/sources.list.d/experimental.list"
    fi
}

mount_inside() {
    local root=$1
    mountpoint -q "$root/proc" || mount --bind /proc "$root/proc"
    mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
    mountpoint -q "$root/dev/shm" || mount -t tmpfs tmpfs "$root/dev/shm"
}

unmount_all() {
    local at
    for at in "$chroots"/*/dev/shm "$chroots"/*/dev "$chroots"/*/proc; do
        if mountpoint -q "$at" 2>/dev/null; then umount "$at" || true; fi
    done
}

install_server() {
    local major=$1 root=$2 from=()
    [ "$major" = 19 ] && from=(-t experimental)
    apt_inside "$root" update
    mkdir -p "$root/etc/postgresql-common/createcluster.d"
    echo 'create_main_cluster = false' >"$root/etc/postgresql-common/createcluster.d/scan.conf"
    apt_inside "$root" install make gcc g++ libc6-dev perl python3 python3-scipy python3-pandas
    apt_inside "$root" install "${from[@]}" "postgresql-$major" "postgresql-server-dev-$major"
}

# The files of this checkout, committed or not, without what was built.
copy_source() {
    rm -rf "$1"
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$1"
}

# What a run says of itself: the last line, and the tests that failed.
tell() {
    local major=$1 root=$2 log=$3 version summary failed
    version=$(inside "$root" "/usr/lib/postgresql/$major/bin/postgres" --version | sed -E 's/^postgres \(PostgreSQL\) ([^ ]+).*/\1/')
    summary=$(sed -nE 's/^([0-9]+ passed, [0-9]+ failed)$/\1/p' "$log" | tail -n 1)
    failed=$(sed -nE 's/^(test\/t\/[a-z0-9_]+\.t) +\(Wstat: [1-9].*/\1/p; s/^not ok +[0-9]+ +- ([a-z_0-9]+) .*/\1/p' "$log" | sort -u | paste -sd ' ')
    rows+=("| $version | $(suite_of "$major") | ${summary:-did not build or did not end} | $(grep -c ' skipped: ' "$log" || true) files | ${failed:-none} |")
}

run_version() {
    local major=$1 suite root log
    suite=$(suite_of "$major")
    if [ -z "$suite" ]; then
        rows+=("| $major | not in Debian | not run | | |")
        return
    fi
    root=$chroots/$suite
    log=$chroots/test-$major.log
    make_root "$suite" "$root"
    mount_inside "$root"
    install_server "$major" "$root"
    copy_source "$root/scan-$major"
    echo "versions: make test with PostgreSQL $major ($log)"
    inside "$root" "PG_MAJOR=$major" make -s -C "/scan-$major" test >"$log" 2>&1 </dev/null || true
    tell "$major" "$root" "$log"
}

# Puts the rows in the place of those that RESULTS.md has.
write_table() {
    local table
    table=$(printf '%s\n' "| PostgreSQL | of | make test | skipped | failed in |" "|---|---|---|---|---|" "${rows[@]}")
    echo "$table"
    TABLE=$table perl -0pi -e 's/(<!-- versions -->\n).*?(<!-- end of versions -->)/$1$ENV{TABLE}\n$2/s' "$results"
}

[ "$(id -u)" = 0 ] || die "needs root, for chroot"
command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"
[ $# -gt 0 ] || set -- 16 17 18 19
mkdir -p "$chroots"
trap unmount_all EXIT
for major in "$@"; do
    run_version "$major"
done
write_table
