# chroot.sh: systems of Debian in folders of their own, for the scripts here, which source it.
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
mounted=()

die() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 2
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
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
        rm -rf --one-file-system "$root"
        die "debootstrap $suite: $(tail -n 1 "$root.log")"
    }
    # a mirror may be one of some time ago
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90scan"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    if [ "$suite" = sid ]; then
        echo "deb $mirror experimental main" >"$root/etc/apt/sources.list.d/experimental.list"
        # PostgreSQL alone: -t experimental would also take its perl, which the packages of sid do not go with
        printf '%s\n' 'Package: postgresql-*19 libpq5 libpq-dev' 'Pin: release a=experimental' 'Pin-Priority: 900' \
            >"$root/etc/apt/preferences.d/postgresql-19"
    fi
}

# A system of another kind of processor: its packages are unpacked, and not configured, which qemu would take a quarter
# of an hour for.  The kernel runs its programs by qemu-user-static, through binfmt_misc.
make_foreign_root() {
    local arch=$1 suite=$2 root=$3 packages=$4 package kind
    [ -e "$root/unpacked" ] && return
    rm -rf --one-file-system "$root"
    debootstrap --arch="$arch" --foreign --variant=minbase --include="$packages" "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
        die "debootstrap $arch: see $root.log"
    for package in "$root"/var/cache/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -xf - --keep-directory-symlink -C "$root"
    done
    rm -rf "$root/debootstrap" "$root"/var/cache/apt/archives/*.deb
    # debootstrap may have made a link of it
    if [ -L "$root/proc" ]; then rm "$root/proc"; fi
    mkdir -p "$root/proc"
    # what configuring would have done
    cp "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
    cp "$root/usr/share/base-passwd/group.master" "$root/etc/group"
    echo 'postgres:x:101:103::/var/lib/postgresql:/bin/sh' >>"$root/etc/passwd"
    echo 'postgres:x:103:' >>"$root/etc/group"
    for kind in account auth password session; do
        echo "$kind required pam_permit.so" | tee "$root/etc/pam.d/common-$kind" >"$root/etc/pam.d/common-$kind-noninteractive"
    done
    ln -sf mawk "$root/usr/bin/awk"
    touch "$root/unpacked"
}

need_qemu() {
    local cpu=$1
    [ -e /proc/sys/fs/binfmt_misc/register ] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    [ -e "/proc/sys/fs/binfmt_misc/qemu-$cpu" ] || update-binfmts --enable "qemu-$cpu" ||
        die "needs qemu: apt-get install qemu-user-static binfmt-support"
}

mount_inside() {
    local root=$1
    mountpoint -q "$root/proc" || mount --bind /proc "$root/proc"
    mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
    mountpoint -q "$root/dev/shm" || mount -t tmpfs tmpfs "$root/dev/shm"
    mounted+=("$root")
}

# Only what this run has used: another one may be using the others.  Lazily, since a process that ends may still be there.
unmount_all() {
    local root at
    for root in "${mounted[@]}"; do
        for at in "$root/dev/shm" "$root/dev" "$root/proc"; do
            if mountpoint -q "$at" 2>/dev/null; then umount --lazy "$at"; fi
        done
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

# What builds scan beside a server, and more packages, such as those that its tests need.
install_tools() {
    apt_inside "$1" update
    apt_inside "$1" install make gcc g++ libc6-dev perl "${@:2}"
}

# PostgreSQL, and the same.
install_server() {
    local major=$1 root=$2
    mkdir -p "$root/etc/postgresql-common/createcluster.d"
    echo 'create_main_cluster = false' >"$root/etc/postgresql-common/createcluster.d/scan.conf"
    install_tools "$root" "${@:3}"
    apt_inside "$root" install "postgresql-$major" "postgresql-server-dev-$major"
}

# Builds a server with contrib from PostgreSQL's source, into /usr/local/pgsql-MAJOR of a system.  A server that is there
# already is kept.  Then more packages, as above.
build_server() {
    local major=$1 root=$2 source=$3 log=$chroots/build-$1.log
    local built=/usr/local/pgsql-$major from=/usr/src/postgresql-$major
    install_tools "$root" "${@:4}"
    [ -x "$root$built/bin/postgres" ] && return
    apt_inside "$root" install bison flex pkg-config libreadline-dev zlib1g-dev libicu-dev libxml2-dev
    rm -rf "$root$from"
    mkdir -p "$root$from"
    tar -C "$source" --exclude=.git -cf - . | tar -xf - -C "$root$from"
    {
        inside "$root" env -C "$from" ./configure "--prefix=$built" --with-icu --with-libxml &&
            inside "$root" make -s -C "$from" -j "$(nproc)" world-bin &&
            inside "$root" make -s -C "$from" install-world-bin
    } >"$log" 2>&1 </dev/null || die "PostgreSQL $major: see $log"
    rm -rf "${root:?}$from"
}

# The files of this checkout, committed or not, without what was built.
copy_source() {
    rm -rf "$1"
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$1"
}

# Puts the built files of one folder into another.
copy_built() {
    # not all of these folders are there
    (cd "$1" && { find src gpu test/law/build -type f "${@:3}" ! -name '*.[ch]' ! -name '*.cu*' -print0 2>/dev/null || true; }) | tar --null -C "$1" -cf - -T - | tar -xf - -C "$2"
}

# The files of this checkout, with what an earlier run has built there.
refresh_source() {
    rm -rf "$1.before"
    if [ -d "$1" ]; then mv "$1" "$1.before"; fi
    copy_source "$1"
    if [ -d "$1.before" ]; then copy_built "$1.before" "$1"; fi
}
