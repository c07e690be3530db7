#!/usr/bin/env bash
#
# companions.sh [COMPANION...]: runs scan in one server with other extensions of PostgreSQL 15, and compares each answer
# and each error with those of the same server without scan.  Then it prints a table and puts it into RESULTS.md.
#
# companions.t is the test, companions/Companions.pm the list of companions.  Debian's packages are installed in a
# Debian 12 of their own (see chroot.sh: 2 GB), so nothing of this system changes.  What Debian does not have is built
# there from source, where SCAN_COMPANIONS_SOURCE names a folder with pg_hint_plan, pg_ivm, pgvector and timescaledb in
# it.  A companion without source is not run, and its row says so.  Needs root and debootstrap.  SCAN_COMPANIONS_JOBS
# companions run at a time, two unless told.  With SCAN_COMPANIONS_EVERY=5, each shape runs a fifth of the queries.
#
#   SCAN_COMPANIONS_SOURCE=~/source test/package/companions.sh
#   test/package/companions.sh auto_explain 'all that observe'

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/package/chroot.sh
source test/package/results.sh
root=$chroots/bookworm-companions
tree=$root/scan
sources=${SCAN_COMPANIONS_SOURCE:-}
jobs=${SCAN_COMPANIONS_JOBS:-2}
rows=()

# list EXPRESSION [NAME...]: what Perl makes of the list of companions.
list() {
    perl -Itest/package/companions -MCompanions -e "$1" "${@:2}"
}

# The folder of the source that a companion needs; nothing: it is a package.
source_of() {
    # shellcheck disable=SC2016
    list 'print Companions::named($ARGV[0])->{source} // ""' "$1"
}

# Installs all packages, if an earlier run has not.
make_system() {
    local packages
    make_root bookworm "$root"
    mount_inside "$root"
    # shellcheck disable=SC2016
    packages=$(list 'print join " ", "cmake", Companions::packages(map { $_->{name} } @Companions::all)')
    if [ "$(cat "$root/installed" 2>/dev/null)" = "$packages" ]; then return; fi
    if [ -n "$security" ]; then
        echo "deb $security bookworm-security main" >"$root/etc/apt/sources.list.d/security.list"
    fi
    install_server 15 "$root"
    # shellcheck disable=SC2086
    apt_inside "$root" install $packages
    echo "$packages" >"$root/installed"
}

# Builds and installs what has source, in the system of its own.  An extension that is there already is kept.
install_source() {
    local name=$1 log=$root-$1.log
    [ ! -e "$root/usr/lib/postgresql/15/lib/built-$name" ] || return 0
    echo "companions: building $name" >&2
    rm -rf --one-file-system "$root/source/$name"
    mkdir -p "$root/source"
    cp -R "$sources/$name" "$root/source/$name"
    case $name in
        timescaledb)
            inside "$root" sh -c "cd /source/$name && cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DAPACHE_ONLY=1 -DREGRESS_CHECKS=OFF -DTAP_CHECKS=OFF -DUSE_OPENSSL=0 -DWARNINGS_AS_ERRORS=OFF && make -C build -j2 install" >"$log" 2>&1
            ;;
        *) inside "$root" make -C "/source/$name" -j2 with_llvm=no OPTFLAGS= install >"$log" 2>&1 ;;
    esac || die "$name: see $log"
    touch "$root/usr/lib/postgresql/15/lib/built-$name"
}

build_scan() {
    refresh_source "$tree"
    inside "$root" make -s -C /scan >"$root-build.log" 2>&1 || die "scan: see $root-build.log"
    inside "$root" make -s -C /scan/test/package/companions with_llvm=no >>"$root-build.log" 2>&1 || die "explain_at_start: see $root-build.log"
}

# A name as files can have it.
file_of() {
    echo "${1//[^a-z_]/-}"
}

run_companion() {
    local name=$1 file row status=0
    file=$(file_of "$name")
    row=/tmp/companion-$file
    rm -f "$root$row"
    inside "$root" env -C /scan "SCAN_COMPANION=$name" "SCAN_COMPANION_ROW=$row" "SCAN_COMPANION_EVERY=${SCAN_COMPANIONS_EVERY:-1}" prove -v test/package/companions.t >"$root-$file.log" 2>&1 </dev/null || status=$?
    [ -e "$root$row" ] || echo "| $name | | $(date +%F) | did not end | | | | |" >"$root$row"
    echo "companions: $(cat "$root$row")" >&2
    [ "$status" = 0 ] || echo "companions: $name: see $root-$file.log" >&2
    return "$status"
}

main() {
    local name part source failed=0 begun=0 names run=()
    need_root
    if [ $# -eq 0 ]; then
        # shellcheck disable=SC2016
        mapfile -t names < <(list 'print "$_->{name}\n" for @Companions::all')
        set -- "${names[@]}"
    fi
    make_system
    build_scan
    for name in "$@"; do
        source=$(source_of "$name")
        # a companion of several has several sources
        if [ -n "$source" ] && [ -d "$sources/$source" ]; then
            # shellcheck disable=SC2016
            for part in $(list 'print join " ", Companions::sources($ARGV[0])' "$name"); do install_source "$part"; done
        elif [ -n "$source" ]; then
            rows+=("| $name | source not given | | not run | | | | |")
            continue
        fi
        run+=("$name")
    done
    for name in "${run[@]}"; do
        if [ "$begun" -ge "$jobs" ]; then wait -n || failed=1; fi
        run_companion "$name" &
        begun=$((begun + 1))
    done
    for ((; begun > 0; begun--)); do wait -n || [ $? = 127 ] || failed=1; done
    for name in "${run[@]}"; do rows+=("$(cat "$root/tmp/companion-$(file_of "$name")")"); done
    update_table companions '| companion | version | date | load orders | runs | wrong rows | errors that are only with scan | errors without scan, too |' '[^|]*[^| ]' "$@"
    exit "$failed"
}

main "$@"
