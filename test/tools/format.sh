#!/usr/bin/env bash
#
# format.sh [--check], which is `make format`: gives every C and CUDA file of src/, gpu/ and test/ the layout of
# .clang-format.  With --check it changes nothing, prints what clang-format would change as FILE:LINE:COLUMN, and fails if
# there is anything (test/t/format.t).
#
# Only clang-format 14 will do, since each version lays some lines out in another way.  CLANG_FORMAT names one of your own.

set -euo pipefail
cd "$(dirname "$0")/../.."

clang_format=${CLANG_FORMAT:-clang-format-14}
version=$("$clang_format" --version 2>/dev/null) || {
    echo "format: there is no $clang_format; Debian 12 has it in the package clang-format-14" >&2
    exit 2
}
if [[ $version != *"version 14."* ]]; then
    echo "format: $clang_format is $version, and only version 14 gives the layout of this tree" >&2
    exit 2
fi

mode=(-i)
if [ "${1:-}" = --check ]; then mode=(--dry-run -Werror); fi

# What was built, and copies of this tree, are nobody's to format.
find src gpu test -name build -prune -o -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    sort -z | xargs -0 -P 2 -n 150 "$clang_format" "${mode[@]}"
