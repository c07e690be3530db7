#!/usr/bin/env bash
#
# diagnose.sh PART CHECK LIBRARY RESULTS: why a part of run.sh failed.  run.sh runs it by itself where it stops at the
# first failure (call A), and as the part `diagnose`, with DIAGNOSE_LINE='sum(int8)', when asked to.
#
#   - which line is bad: the last that `check` had begun before its first failure, or the one that was being measured
#   - what the driver wrote to the kernel's log (Xid)
#   - if no line is known: `check smoke` without measurements, which has other lines run although one cannot
#   - that line by itself, each launch waited for (CUDA_LAUNCH_BLOCKING=1): which call fails
#   - that line by itself under compute-sanitizer's memcheck: which access
#   - the end of the server's log
#
# Only that line is measured and offered, and no rate is measured at the start (SCAN_MEASURE_LINE, SCAN_MEASURE_ROWS).
# The exit status is 0: it is the failed part that fails.

set -uo pipefail
cd "$(dirname "$0")" || exit
# shellcheck source=test/gpu/sessions.sh
. ./sessions.sh

part=$1 check=$2 library=$3 results=$4
limit=$((${SCAN_PART_SECONDS:-60} - 2))
printf '| diagnosis | |\n|-----------|-|\n' >"$results/diagnosis.txt"

# A row of the table, which is there even if the diagnosis itself has to be ended.
found() {
    echo "| $1 | $2 |" >>"$results/diagnosis.txt"
    table_row diagnose "$1" 0 text "$2"
}

# The line that the output of a check is about: sum(int8), say.
bad_line() {
    awk '
        /measuring [a-z_0-9]+\([a-z_0-9]+\)/ && measured == "" { match($0, /measuring [^ :]+\)/); measured = substr($0, RSTART + 10, RLENGTH - 10) }
        /measuring sort/ && measured == "" { measured = "sort" }
        /^# ([a-z_0-9]+\([a-z_0-9]+\)|sort)$/ && !failed { begun = $2 }
        /^not ok line / && !failed { sub(/:$/, "", $5); begun = $4 "(" $5 ")"; failed = 1 }
        /^not ok / { failed = 1 }
        /^# all as on the CPU/ { begun = "" }
        END { print measured != "" ? measured : begun }
    ' "$1" 2>/dev/null
}

# run PART COMMAND...: for a PARTth of the time that is left: the end of what it says, and how it ended.
run() {
    local seconds=$(((limit - SECONDS) / $1)) status=0
    shift
    if [ "$seconds" -lt 1 ]; then
        said='no time was left'
        return
    fi
    timeout -k 1 "$seconds" "$@" >"$results/diagnose.said" 2>&1 || status=$?
    case $status in
        0) said='no failure' ;;
        124 | 137) said="no end after $seconds s" ;;
        *) said="exit status $status" ;;
    esac
    grep -vE '^ok |^# ([a-z_0-9]*\([a-z_0-9]*\)|sort)$' "$results/diagnose.said" | tail -n 60
}

# The first line of the last command's output that says what was wrong.
first_error() {
    grep -m 1 -E '========= (Invalid|Program hit|ERROR|Race|Uninit|Hazard)|^not ok|^Bail out|error while|[Ee]rror' "$results/diagnose.said" |
        sed 's/^=* *//; s/|/ /g' | cut -c 1-150
}

line=${DIAGNOSE_LINE:-}
for said in "$results/$part.txt" "$results"/server/*; do
    [ -n "$line" ] || [ ! -f "$said" ] || line=$(bad_line "$said")
done
found 'failed part' "${part:-none}"

echo "--- the kernel's log"
xids=$(dmesg 2>/dev/null | grep -iE 'NVRM|Xid' | tail -n 20)
echo "${xids:-nothing of the driver}"
found 'Xid' "$(grep -oE 'Xid.*' <<<"$xids" | tail -n 1 | tr '|' ' ' | cut -c 1-150 | grep . || echo none)"

if [ -z "$line" ] && [ -x "$check" ]; then
    echo '--- check smoke, nothing measured'
    SCAN_MEASURE_ROWS=0 run 3 "$check" "$library" smoke
    found 'check smoke, nothing measured' "$said; $(first_error)"
    case $said in 'no failure') ;; *) line=$(bad_line "$results/diagnose.said") ;; esac
fi
found 'bad line' "${line:-not known}"

if [ -n "$line" ]; then
    export SCAN_MEASURE_ROWS=0 SCAN_MEASURE_LINE=$line
    function=${line%%(*}
    # sorts come with scans of other lines; there is no function of the name `none`, so sorts alone run
    if [ "$line" = sort ]; then
        unset SCAN_MEASURE_LINE
        function=none
    fi
    # as in the part that failed
    case $part in
        check) word=${CHECK_SIZE:-few} guard= ;;
        guarded) word=tiny guard=1 ;;
        *) word=smoke guard= ;;
    esac
    echo "--- $line by itself, each launch waited for"
    CUDA_LAUNCH_BLOCKING=1 SCAN_GPU_CHECK=$guard run 3 "$check" "$library" "$word" "$function"
    found "$line, CUDA_LAUNCH_BLOCKING=1" "$said; $(first_error)"
    echo "--- $line by itself, under memcheck"
    if command -v compute-sanitizer >/dev/null; then
        SCAN_GPU_CHECK=2 run 2 compute-sanitizer --tool memcheck --error-exitcode 1 "$check" "$library" smoke "$function"
        if [ "$said" = 'no failure' ] && [ "$word" != smoke ]; then
            SCAN_GPU_CHECK=2 run 1 compute-sanitizer --tool memcheck --error-exitcode 1 "$check" "$library" least "$function"
        fi
        found "$line, memcheck" "$said; $(first_error)"
    else
        found "$line, memcheck" 'not run: compute-sanitizer is not here'
    fi
fi

for log in "$results"/server/*; do
    [ -e "$log" ] || continue
    echo "--- $log"
    tail -n 40 "$log"
    found "the server's log" "$(grep -E 'scan|ERROR|FATAL|PANIC|WARNING' "$log" | tail -n 1 | tr '|' ' ' | cut -c 1-150)"
done
rm -f "$results/diagnose.said"
echo
cat "$results/diagnosis.txt"
