#!/usr/bin/env bash
#
# dist.sh, which is `make dist`: the archive for PGXN, test/package/build/scan-VERSION.zip, of what
# is committed.  Whoever unpacks it needs no git.  META.json there names the repository (address.sh).

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

# The commit, but for the files that name the repository, as a commit that no branch has: the same one each time, with the
# date that the archive gives its files.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/tree"
git archive HEAD META.json debian | tar -xf - -C "$stage/tree"
test/package/address.sh "$stage/tree"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$stage/tree/META.json"
date=$(git log -1 --format=%cI)
export GIT_INDEX_FILE=$stage/index GIT_AUTHOR_NAME=scan GIT_AUTHOR_EMAIL=scan@localhost GIT_AUTHOR_DATE=$date \
    GIT_COMMITTER_NAME=scan GIT_COMMITTER_EMAIL=scan@localhost GIT_COMMITTER_DATE=$date
git read-tree HEAD
git "--work-tree=$stage/tree" add META.json debian
commit=$(git commit-tree "$(git write-tree)" -p HEAD -m "scan $version")

mkdir -p "$(dirname "$out")"
git archive --format=zip --prefix="scan-$version/" -o "$out" "$commit"
echo "$out"
