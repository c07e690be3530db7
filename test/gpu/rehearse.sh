#!/usr/bin/env bash
#
# rehearse.sh [LIBRARY.so] [A | B]...: what a machine with a GPU will see, here and without one: the bundle is packed with
# test/gpu/build/scan_emulated.so (or scan_mock.so, if told), unpacked in a folder of its own, and run from there by a
# user who may do nothing and has nothing in the environment.  A and B are the calls of run.sh; without them all parts
# run.  All come to their end on few rows, some with longer limits than a device gets, since an emulated one is slow, and
# the archive has what each said.  PARTS as for run.sh.  ROOT=1: root runs it, as on a machine that is lent for minutes.

set -euo pipefail
cd "$(dirname "$0")/../.."

library=test/gpu/build/scan_emulated.so
case ${1:-} in
    *.so)
        library=$1
        shift
        ;;
esac
make -s --no-print-directory -f test/gpu/Makefile emulated emulated_variants
test/gpu/bundle.sh "$library"

elsewhere=$(mktemp -d "/tmp/scan rehearsal.XXXXXX")
trap 'rm -rf "$elsewhere"' EXIT
tar -xzf test/gpu/build/bundle.tar.gz -C "$elsewhere"
chmod 755 "$elsewhere"
as_nobody=()
if [ "$(id -u)" = 0 ] && [ -z "${ROOT:-}" ]; then
    chown -R nobody: "$elsewhere"
    as_nobody=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi

# rehearse [CALL]
status=0
rehearse() {
    local part out=$elsewhere/out${1:-}
    (cd "$elsewhere" && "${as_nobody[@]}" env -i PATH=/usr/bin:/bin TRY=1 TOTAL=2000 LIBRARIES=all \
        LIMITS="smoke=100 check=400 guarded=400 regression=900 gpu.t=300 ${LIMITS:-}" PARTS="${PARTS:-}" \
        bundle/tree/test/gpu/run.sh ${1:+"$1"} "out${1:-}") || status=$?
    for part in $(sed -nE 's/^([^ ]+) +ok,.*/\1/p' "$out/summary.txt"); do
        [ -n "$(tar -xOzf "$out/results.tar.gz" "results/$part.txt" | head -c 1)" ] || {
            echo "rehearse: the archive has nothing of $part" >&2
            status=1
        }
    done
    echo "rehearse: $(wc -l <"$out/table.csv") figures, an archive of $(stat -c %s "$out/results.tar.gz") bytes"
    if [ -n "${KEEP:-}" ]; then
        mkdir -p "$KEEP/out${1:-}"
        cp "$out"/* "$KEEP/out${1:-}"
    fi
}

for call in "${@:-}"; do
    rehearse "$call"
done
exit $status
