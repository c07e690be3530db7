#!/usr/bin/env bash
#
# refresh.sh [EXAMPLE [FOLDER]]: writes add_EXAMPLE.diff anew, after the sources have changed around it.
#
#   test/guide/refresh.sh                    does the following for each diff
#   test/guide/refresh.sh EXAMPLE            applies the diff to a copy of HEAD, and writes it from the copy
#   test/guide/refresh.sh EXAMPLE FOLDER     writes it from a copy that somebody has edited
#
# The copy is a git worktree, which is removed at the end.  If there are conflicts, the first form leaves them in the
# copy and prints the command of the last form.  To change the example itself, make a copy and edit it:
#
#   git worktree add --detach FOLDER && git -C FOLDER apply "$PWD/test/guide/add_EXAMPLE.diff"

set -euo pipefail
cd "$(dirname "$0")/../.."

if [ $# -eq 0 ]; then
    for diff in test/guide/add_*.diff; do
        example=${diff#test/guide/add_}
        test/guide/refresh.sh "${example%.diff}"
    done
    exit
fi
diff=$PWD/test/guide/add_$1.diff

# The files of the diffs, in the order in which test/guide/README.md walks through them.
order='src/op/monoid.h
src/op/binding.h
src/op/gains.h
src/op/exact_statistics.h
src/op/list.h
sql/scan--1.2--1.3.sql
test/law/oracle.c
test/sql/matrix.sql
test/sql/profit_factor.sql
expected/profit_factor.out
expected/abilities.out
sql/README.md'

# One line of context in the pages, whose sentences change often; three in the sources.
write_diff() {
    local folder=$1
    if git -C "$folder" grep -nE '^(<<<<<<<|>>>>>>>) ' || git -C "$folder" ls-files --others | grep '\.rej$'; then
        echo "refresh: there are conflicts left in $folder (remove .rej files when their hunks are applied)" >&2
        exit 1
    fi
    git -C "$folder" add --all
    {
        git -C "$folder" diff --cached --no-color --no-ext-diff -O <(echo "$order") HEAD -- . ':!*.md'
        git -C "$folder" diff --cached --no-color --no-ext-diff -O <(echo "$order") -U1 HEAD -- '*.md'
    } >"$diff.new"
    mv "$diff.new" "$diff"
    git worktree remove --force "$folder"
    git --no-pager diff --stat -- "$diff"
}

if [ $# -gt 1 ]; then
    write_diff "$(realpath "$2")"
    exit
fi
# A merge needs the versions of the files that the diff was made from.  Without them, hunks that fit are applied and
# the others left in files .rej.
apply_diff() {
    git -C "$folder" apply --whitespace=nowarn --3way "$diff" && return
    [ -z "$(git -C "$folder" ls-files --unmerged)" ] || return
    git -C "$folder" apply --whitespace=nowarn --reject "$diff"
}

folder=$(mktemp -d /tmp/scan-guide.XXXXXX)
git worktree add --quiet --detach "$folder" HEAD
if apply_diff; then
    write_diff "$folder"
else
    echo "refresh: resolve the conflicts (or apply what the .rej files say) in $folder, then run:" >&2
    echo "    test/guide/refresh.sh $1 $folder" >&2
    exit 1
fi
