# chroot.sh: systems of Debian in folders of their own, for versions.sh, install.sh and pg_upgrade.sh, which source it.
#
# They are made by debootstrap below SCAN_CHROOTS (/var/tmp/scan-chroots unless told) and kept, so that a second run
# takes no download.  Needs root, debootstrap, and a network.

# The mirrors that this system itself has its packages from, of releases and of what mends them.
mirror_of() {
    apt-cache policy | sed -nE "s#^ *[0-9]+ (http[^ ]*) [a-z]+$1/main .*#\1#p" | head -n 1
}

mirror=${SCAN_MIRROR:-$(mirror_of '')}
security=${SCAN_SECURITY_MIRROR:-$(mirror_of -security)}
chroots=${SCAN_CHROOTS:-/var/tmp/scan-chroots}

die() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 1
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

need_root() {
    [ -n "$mirror" ] || die "apt names no mirror: SCAN_MIRROR=... does"
    [ "$(id -u)" = 0 ] || die "needs root, for chroot"
    command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"
    mkdir -p "$chroots"
    trap unmount_all EXIT
}

# The release of Debian that has a version of PostgreSQL; nothing: none has.
suite_of() {
    case $1 in
        15) echo bookworm ;;
        17) echo trixie ;;
        18 | 19) echo sid ;;
    esac
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
