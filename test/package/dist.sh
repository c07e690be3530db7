#!/usr/bin/env bash
#
# dist.sh, which is `make dist`: the archive for PGXN, test/package/build/scan-VERSION.zip, of what
# is committed.  Whoever unpacks it needs no git.

set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(sed -nE 's/^\t"version": "(.*)",$/\1/p' META.json)
out=test/package/build/scan-$version.zip

git rev-parse --is-inside-work-tree >/dev/null 2>&1 || {
    echo "dist: needs a checkout, for git archive" >&2
    exit 1
}
# PGXN reads both
grep -q "^default_version = '${version%.*}'" scan.control || {
    echo "dist: META.json says $version, scan.control says otherwise" >&2
    exit 1
}
python3 -c 'import json; json.load(open("META.json"))'
mkdir -p "$(dirname "$out")"
git archive --format=zip --prefix="scan-$version/" -o "$out" HEAD
echo "$out"
