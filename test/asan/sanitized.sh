# sanitized.sh: a copy of this checkout in test/asan/build that is built with AddressSanitizer and UBSan, and a server's
# environment for it.  asan/run.sh and bytes/run.sh source it, from the root of the checkout.
#
# PostgreSQL itself is the installed one; its processes get libasan by LD_PRELOAD (start_first.c).  A process ends at a
# finding of AddressSanitizer, and goes on after one of UBSan, so that a run finds more than one.
#
# detect_leaks=0: a process of PostgreSQL frees little before it ends, because its memory contexts end with it.
# detect_stack_use_after_return=0: the check moves variables from the stack, where core measures its depth.

source test/progress.sh
build=$PWD/test/asan/build
tree=$build/tree
logs=$build/logs

# Brings the copy up to date, and keeps what was built in it.
copy_tree() {
    mkdir -p "$tree"
    git ls-files --cached --others --exclude-standard | sort >"$build/files"
    xargs -a "$build/files" -d '\n' cp -pu --parents -t "$tree"
    # what is gone from the checkout must go from the copy
    (cd "$tree" && find src gpu test -type f \( -name '*.[ch]' -o -name '*.t' -o -name '*.sql' \) | sort) |
        comm -23 - "$build/files" | (cd "$tree" && xargs -r -d '\n' rm -f)
}

set_environment() {
    local preload
    PG_CONFIG=$(test/find_pg_config.sh)
    preload=$("${CC:-gcc}" -print-file-name=libasan.so)
    if [ ! -f "$preload" ]; then
        echo "asan: ${CC:-gcc} has no libasan here" >&2
        exit 1
    fi
    # -O1: the build takes half the time of -O2, and a report names more lines
    COPT="-I$PWD/test/asan/include -fsanitize=address,undefined -fno-omit-frame-pointer"
    SCAN_OPTIMIZE='-O1 -g'
    SCAN_CLUSTER_QUIET=1
    # the server's user reads and writes here
    reports=$(mktemp -d /tmp/scan-asan.XXXXXX)
    trap 'end_silently; rm -rf "$reports"' EXIT
    chmod 777 "$reports"
    "${CC:-gcc}" -shared -fPIC -Wl,-z,initfirst -o "$reports/start_first.so" test/asan/start_first.c
    SCAN_CLUSTER_PRELOAD="$(realpath "$preload") $reports/start_first.so"
    # UBSan writes to the server's log whatever its options say, since AddressSanitizer has come first
    SCAN_CLUSTER_LOG=$reports
    ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=0:max_malloc_fill_size=0:abort_on_error=1:log_path=$reports/report"
    UBSAN_OPTIONS=print_stacktrace=1
    export PG_CONFIG COPT SCAN_OPTIMIZE SCAN_CLUSTER_LOG SCAN_CLUSTER_PRELOAD SCAN_CLUSTER_QUIET ASAN_OPTIONS UBSAN_OPTIONS
}

# step LOG TEXT COMMAND...: runs a command in the copy.  What fails is named, and the script goes on.
failed=0
step() {
    local log=$logs/$1.log text=$2
    shift 2
    begin "$text"
    if ! (cd "$tree" && "$@") >"$log" 2>&1 </dev/null; then
        failed=1
        end
        grep -E '\.\.\. FAILED|^not ok +[0-9]+ +- |#   Failed test|\(Wstat: ' "$log" || tail -n 20 "$log"
        return 0
    fi
    end
}

build_sanitized() {
    mkdir -p "$logs"
    copy_tree
    set_environment
    step build "building with the sanitizers (two minutes on two cores)" make -s --no-print-directory -j 2 "PG_CONFIG=$PG_CONFIG" all
    [ "$failed" -eq 0 ] || exit 1
}

# Prints each report once, though many processes may have met the same, and keeps all of them in $logs.
show_reports() {
    local report
    for report in "$reports"/report* "$reports"/server*; do
        [ -f "$report" ] && grep -qE 'ERROR: AddressSanitizer|runtime error:' "$report" || continue
        failed=1
        cp "$report" "$logs"
        echo "asan: $logs/$(basename "$report")"
        sed -E 's/==[0-9]+==//; s/0x[0-9a-f]+//g; s/\(T[0-9]+\)//; s/pc +bp.*//' "$report" >"$report.text"
        grep -m 1 -A 12 -E 'ERROR: AddressSanitizer|runtime error:' "$report.text" >"$report.head"
        if [ -f "$reports/seen.$(cksum <"$report.head" | tr -d ' ')" ]; then continue; fi
        touch "$reports/seen.$(cksum <"$report.head" | tr -d ' ')"
        cat "$report.head"
    done
}
