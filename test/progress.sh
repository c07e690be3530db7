# progress.sh: tells what a script is doing while a step takes long.  The scripts under test/ source it.
#
#   begin TEXT [DETAIL]            a step begins: prints TEXT, then, whenever progress_every seconds have passed without
#                                  any output, TEXT again with the time so far and what the command DETAIL prints
#   begin_silently TEXT [DETAIL]   the same, but does not print TEXT when the step begins
#   end                            the step has ended: prints TEXT and how long the step took
#   end_silently                   the step has ended; prints nothing
#
# A remark in parentheses at the end of TEXT, as "(about a minute)", is printed only when the step begins.
#
# There is one step at a time.  The script may set:
#
#   progress_name     what each line begins with; unless set, the name of the script
#   progress_after    after how many seconds `begin` prints TEXT; 0, the default, is at once.  A step that ends earlier
#                     prints nothing.
#   progress_every    8 unless set, so that a line comes at least every ten seconds on a busy machine too
#   progress_log      a file that all other output goes to: where it grows, something was printed
#   progress_fd       where the lines go: 1, the default, is standard output, 2 standard error

progress_name=$(basename "$0" .sh)
progress_after=0
progress_every=8
progress_log=
progress_fd=1
progress_pid=

tell_progress() {
    printf '%s: %s\n' "$progress_name" "$*" >&"$progress_fd"
}

size_of_log() {
    if [ -n "$progress_log" ]; then stat -c %s "$progress_log" || true; fi
}

# Whether the script still runs: it has a process, and not one that has ended and that nobody has asked about yet.
script_runs() {
    local stat
    read -r stat <"/proc/$$/stat" && [[ $stat != *") Z "* ]]
}

# In the background; it ends with the script, however the script ends.  Only descriptor 9 leads to the output, and it is
# closed to commands that wait: a reader of the output is to see its end when the script ends.
watch_progress() {
    local text=$1 detail=$2 began=$SECONDS spoke=$SECONDS size=- now more
    progress_fd=9
    if [ "$progress_delay" -gt 0 ]; then
        sleep "$progress_delay" 9>&-
        tell_progress "$text ..."
    fi
    while sleep 1 9>&- && script_runs; do
        now=$(size_of_log)
        if [ "$now" != "$size" ]; then
            size=$now spoke=$SECONDS
        elif [ $((SECONDS - spoke)) -ge "$progress_every" ]; then
            more=
            if [ -n "$detail" ]; then more=$("$detail" || true); fi
            tell_progress "${text% (*} ... $((SECONDS - began)) s${more:+: $more}"
            spoke=$SECONDS
        fi
    done
}

start_watching() {
    progress_text=$1
    progress_began=$SECONDS
    watch_progress "$1" "${2:-}" 9>&"$progress_fd" >/dev/null 2>&1 </dev/null &
    progress_pid=$!
}

begin() {
    progress_delay=$progress_after
    if [ "$progress_delay" -eq 0 ]; then tell_progress "$1 ..."; fi
    start_watching "$@"
}

begin_silently() {
    progress_delay=0
    start_watching "$@"
}

end_silently() {
    if [ -n "$progress_pid" ]; then
        # not TERM: bash in its first moments as a child has the script's traps still, and would run that of EXIT
        kill -KILL "$progress_pid" 2>/dev/null || true
        wait "$progress_pid" 2>/dev/null || true
        progress_pid=
    fi
}

end() {
    local took=$((SECONDS - progress_began))
    end_silently
    if [ "$progress_delay" -eq 0 ] || [ "$took" -ge "$progress_delay" ]; then
        tell_progress "${progress_text% (*}: $took s"
    fi
}
