#!/usr/bin/env bash
#
# versions.sh [MAJOR...]: builds scan with other versions of PostgreSQL and runs all of
# `make test` with each (16 17 18 19 unless told), then prints a table of what came of it and
# puts it into RESULTS.md.
#
# Each version is Debian's: 15 of bookworm, 17 of trixie, 18 of sid, 19 of experimental over
# sid.  16 was never in a release, and is skipped with that said.  See chroot.sh for the systems:
# 3 GB each.

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/package/chroot.sh
source test/package/results.sh
rows=()

# What a run says of itself: the last line, and the tests that failed.
tell() {
    local major=$1 root=$2 log=$3 version summary failed
    version=$(inside "$root" "/usr/lib/postgresql/$major/bin/postgres" --version | sed -E 's/^postgres \(PostgreSQL\) ([^ ]+).*/\1/')
    summary=$(sed -nE 's/^([0-9]+ passed, [0-9]+ failed)$/\1/p' "$log" | tail -n 1)
    failed=$(sed -nE 's/^(test\/t\/[a-z0-9_]+\.t) +\(Wstat: [1-9].*/\1/p; s/^not ok +[0-9]+ +- ([a-z_0-9]+) .*/\1/p' "$log" | sort -u | paste -sd ' ')
    rows+=("| $version | $(suite_of "$major") | ${summary:-did not build or did not end} | $(grep -c ' skipped: ' "$log" || true) | ${failed:-none} |")
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
    install_server "$major" "$root" python3 python3-scipy python3-pandas
    copy_source "$root/scan-$major"
    echo "versions: make test with PostgreSQL $major ($log)"
    inside "$root" "PG_MAJOR=$major" make -s -C "/scan-$major" test >"$log" 2>&1 </dev/null || true
    tell "$major" "$root" "$log"
}

need_root
[ $# -gt 0 ] || set -- 16 17 18 19
for major in "$@"; do
    run_version "$major"
done
update_table versions '| PostgreSQL | Debian release | make test | skipped files | failed tests |' '[0-9]+' "$@"
