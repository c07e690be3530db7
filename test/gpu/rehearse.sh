#!/usr/bin/env bash
#
# rehearse.sh [LIBRARY.so]: what a machine with a GPU will see, here and without one: the bundle is packed with
# test/gpu/build/scan_emulated.so (or scan_mock.so, if told), unpacked in a folder of its own, and run from there by a
# user who may do nothing and has nothing in the environment.  All parts come to their end on few rows, some with
# longer limits than a device gets, since an emulated one is slow, and the archive has what each said.  PARTS as for run.sh.

set -euo pipefail
cd "$(dirname "$0")/../.."

library=${1:-test/gpu/build/scan_emulated.so}
make -s --no-print-directory -f test/gpu/Makefile emulated
test/gpu/bundle.sh "$library"

elsewhere=$(mktemp -d "/tmp/scan rehearsal.XXXXXX")
trap 'rm -rf "$elsewhere"' EXIT
tar -xzf test/gpu/build/bundle.tar.gz -C "$elsewhere"
mkdir "$elsewhere/out"
chmod 755 "$elsewhere"
as_nobody=()
if [ "$(id -u)" = 0 ]; then
    chown -R nobody: "$elsewhere"
    as_nobody=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
status=0
(cd "$elsewhere" && "${as_nobody[@]}" env -i PATH=/usr/bin:/bin TRY=1 TOTAL=2000 LIBRARIES=all \
    LIMITS='regression=900 gpu.t=300' PARTS="${PARTS:-}" bundle/tree/test/gpu/run.sh out) || status=$?

for part in $(sed -nE 's/^([^ ]+) +ok,.*/\1/p' "$elsewhere/out/summary.txt"); do
    [ -n "$(tar -xOzf "$elsewhere/out/results.tar.gz" "results/$part.txt" | head -c 1)" ] || {
        echo "rehearse: the archive has nothing of $part" >&2
        status=1
    }
done
echo "rehearse: $(wc -l <"$elsewhere/out/table.csv") figures, an archive of $(stat -c %s "$elsewhere/out/results.tar.gz") bytes"
exit $status
