#!/usr/bin/env bash
#
# demo.sh: runs `make demo` in a bare Debian 12, a system with nothing but apt that chroot.sh makes, prints the lines that
# tell the time of each step, and how long it took in all.  The pictures of the demo are copied to test/demo/out.

set -euo pipefail
cd "$(dirname "$0")/../.."
# A folder of its own, as what another script has mounted must stay when this one ends.
SCAN_CHROOTS=${SCAN_CHROOTS:-/var/tmp/scan-chroots}/demo
source test/package/chroot.sh

bare=$chroots/bare
root=$chroots/run
log=$chroots/demo.log

need_root
make_root bookworm "$bare"
if [ -d "$root" ]; then
    unmount_all
    rm -rf --one-file-system "$root"
fi
cp -a "$bare" "$root"
if [ -n "$security" ]; then
    echo "deb $security bookworm-security main" >"$root/etc/apt/sources.list.d/security.list"
fi
mount_inside "$root"
copy_source "$root/scan"

# There is no make yet: its recipe is this script.
began=$SECONDS
inside "$root" bash /scan/test/demo/run.sh >"$log" 2>&1 </dev/null || {
    tail -n 40 "$log" >&2
    die "the demo failed: see $log"
}
took=$((SECONDS - began))
grep -E '^(bootstrap|cluster|demo): .*: [0-9]+ s$|^demo: [0-9]+ s in all|^ (moving|latest|running|scan_clamped|PL/pgSQL|recursive)' "$log"
mkdir -p test/demo/out
cp "$root"/scan/test/demo/out/*.svg test/demo/out
unmount_all
rm -rf --one-file-system "$root"
echo "make demo in a bare Debian 12: $took s ($log)"
