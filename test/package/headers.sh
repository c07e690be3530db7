#!/usr/bin/env bash
#
# headers.sh [MAJOR...]: reads all of src/ by the compiler with the server headers of other versions of PostgreSQL, 17, 18
# and 19 unless told, as errors of what it warns of.  It is for CI, which runs the tests with one version only
# (versions.sh has the others); it takes a minute.  A field of a window node that scan does not know is a failure, too
# (core_fields.pl).  What cannot be had is said, and is no failure.

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/package/server_headers.sh
failed=0

[ $# -gt 0 ] || set -- 17 18 19
for major in "$@"; do
    if ! { read_suite "$(suite_of "$major")" && unpack_headers "$major"; }; then
        echo "headers: $major cannot be had ($(tail -n 1 "$folder/log" 2>/dev/null || true)): not read"
    elif ! test/package/core_fields.pl "$server"; then
        echo "headers: scan does not know these fields of PostgreSQL $major"
        failed=1
    elif read_sources; then
        echo "headers: src/ is read with those of PostgreSQL $(version_of_headers)"
    else
        echo "headers: src/ does not compile with PostgreSQL $major"
        failed=1
    fi
done
exit "$failed"
