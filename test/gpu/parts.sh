#!/usr/bin/env bash
#
# parts.sh: sourced by run.sh: runs one part after another, each for so long and no longer, and keeps what they say.
#
# $self --part NAME runs a part, in a process group of its own.  A part whose time is up gets a SIGTERM, and a SIGKILL
# five seconds later (KILL_AFTER); then whatever it has started and left behind is killed, too: a hung program would keep
# the device from the next part.  A part that ends with status 77 could not run here, and its last line says why: that is
# no failure.  A part finds its limit in SCAN_PART_SECONDS.  After each part $out has all that there is so far, since whoever runs run.sh may
# have a time limit as well.
#
#   self       run.sh, as an absolute path
#   results    a folder: each part's output goes to NAME.txt there, and figures to table.csv (see table.h)
#   out        a folder for results.tar.gz, table.csv and summary.txt
#   deadline   by $SECONDS when all has to be over

start_results() {
    mkdir -p "$results" "$out"
    out=$(cd "$out" && pwd)
    export SCAN_TABLE="$results/table.csv"
    echo 'part,what,rows,measure,value' >"$SCAN_TABLE"
    : >"$results/summary.txt"
}

say() {
    printf '%s\n' "$1" | tee -a "$results/summary.txt"
}

# Kills what a part has left: whatever has its mark in the environment that it was started with.
end_left_behind() {
    local environ pid
    grep -slzxF -- "SCAN_RUN_PART=$1" /proc/[0-9]*/environ | while read -r environ; do
        pid=${environ#/proc/}
        kill -KILL "${pid%/environ}" 2>/dev/null && echo "parts: process ${pid%/environ} was left behind" >>"$2"
    done
}

hand_over() {
    tar -czf "$out/results.new" -C "$(dirname "$results")" "$(basename "$results")" &&
        mv "$out/results.new" "$out/results.tar.gz"
    cp "$results/table.csv" "$results/summary.txt" "$out"
}

# part NAME LIMIT: runs it for LIMIT seconds at most, and says how it ended.  Fails where the part does.
part() {
    local name=$1 limit=$2 status=0 from=$SECONDS how mark
    if [ $((deadline - SECONDS)) -lt "$limit" ]; then
        limit=$((deadline - SECONDS))
    fi
    if [ "$limit" -lt 1 ]; then
        say "$(printf '%-18s NOT RUN: no time was left' "$name")"
        hand_over
        return 1
    fi
    mark=$results/$name
    SCAN_RUN_PART=$mark SCAN_PART_SECONDS=$limit timeout -k "${KILL_AFTER:-5}" "$limit" "$self" --part "$name" \
        >"$results/$name.txt" 2>&1 </dev/null || status=$?
    end_left_behind "$mark" "$results/$name.txt"
    case $status in
        0) how=ok ;;
        77) how="not run: $(tail -n 1 "$results/$name.txt" | cut -c 1-150)" ;;
        124 | 137) how="KILLED: its $limit s were up" ;;
        *) how="FAILED ($status)" ;;
    esac
    if [ $status = 137 ] && [ $((SECONDS - from)) -lt "$limit" ]; then
        how="FAILED ($status)" # by somebody else
    fi
    printf 'run,"%s",0,s,%d\n' "$name" $((SECONDS - from)) >>"$SCAN_TABLE"
    say "$(printf '%-18s %s, %d s' "$name" "$how" $((SECONDS - from)))"
    if [ $status != 0 ] && [ $status != 77 ]; then
        tail -n 15 "$results/$name.txt" | cut -c 1-200 | sed 's/^/    /' | tee -a "$results/summary.txt"
    fi
    hand_over
    [ $status = 0 ] || [ $status = 77 ]
}
