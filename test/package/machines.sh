#!/usr/bin/env bash
#
# machines.sh [MACHINE...]: builds scan for other processors, runs its tests there, and compares its answers with those
# of x86-64.  Then it prints a table and puts it into RESULTS.md.
#
#   arm64, s390x          a Debian 12 of this kind, run by qemu: s390x is big-endian.  A cross compiler builds scan with
#                         the headers of that system, because a compiler under qemu takes ten times as long.
#   sse2, avx2, avx512    this x86-64, with loops for no wider vectors than these (src/cpu/instructions.h)
#   avx512_emulated       this x86-64, with the loops for AVX-512 and its instructions in plain C (src/cpu/avx512_emulated.h)
#
# Without arguments: all that this processor can run.  Each machine prints the answers of machines.sql, which have to be
# the same everywhere.  Needs root, debootstrap, qemu-user-static, binfmt-support, gcc-aarch64-linux-gnu and
# gcc-s390x-linux-gnu.  See chroot.sh for the systems: 1.2 GB each.
#
#   SCAN_MACHINES_QUERIES=4000 SCAN_MACHINES_TESTS='laws answers' test/package/machines.sh arm64
#   SCAN_MACHINES_MINUTES=30             ends a test that takes longer (180 minutes unless told), and the table says so
#   SCAN_MACHINES_REGRESS='setup cost'   runs these regression tests in this order; setup has to be the first

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/package/chroot.sh
source test/package/results.sh
regress=${SCAN_MACHINES_REGRESS:-}
queries=${SCAN_MACHINES_QUERIES:-1000}
minutes=${SCAN_MACHINES_MINUTES:-180}
tests=${SCAN_MACHINES_TESTS:-laws regress stock random answers}
packages=ca-certificates,make,libc6-dev,perl,mawk,runit-helper,postgresql-15,postgresql-server-dev-15
answers=(psql -XAtq -f test/package/machines.sql)
rows=()

cpu_of() {
    case $1 in
        arm64) echo aarch64 ;;
        s390x) echo s390x ;;
    esac
}

# True if this processor has what a build for it needs.
can_run() {
    case $1 in
        sse2) grep -qw sse2 /proc/cpuinfo ;;
        avx2) grep -w avx2 /proc/cpuinfo | grep -qw fma ;;
        avx512) grep -w avx512f /proc/cpuinfo | grep -qw avx512dq ;;
        avx512_emulated) [ "$(uname -m)" = x86_64 ] ;;
        *) [ -n "$(cpu_of "$1")" ] ;;
    esac
}

# As a user who sits at that machine would: in the folder of its source.
on_machine() {
    local machine=$1 run=(timeout "${minutes}m" env "SCAN_TEST_QUERIES=$queries")
    shift
    case $machine in
        arm64 | s390x) inside "$root" env -C /scan SCAN_TEST_EMULATED=1 "${run[@]}" "$@" ;;
        *) env -C "$tree" "${run[@]}" "$@" ;;
    esac
}

# Builds in $tree: the library with its programs, and the laws.  What an earlier run has built there is kept.
build() {
    local machine=$1 cpu
    local make=(env "QEMU_LD_PREFIX=$root" make -s -C "$tree" WERROR=1) # for pg_config of another machine
    refresh_source "$tree"
    cpu=$(cpu_of "$machine")
    if [ -n "$cpu" ]; then
        make+=("PG_CONFIG=$root/usr/lib/postgresql/15/bin/pg_config" "CC=$cpu-linux-gnu-gcc --sysroot=$root")
    else
        # only the objects of src/cpu differ from those that are built here already
        copy_built . "$tree" -name '*.o' ! -path 'src/cpu/*' ! -path 'test/law/*'
        make+=("COPT=-DSCAN_INSTRUCTIONS=SCAN_${machine^^} -Wno-psabi")
    fi
    "${make[@]}" all build_laws
}

# count PATTERN: the lines of $log.
count() {
    grep -cE "$1" "$log" || true
}

# Runs a test, and prints how it ended.
run_test() {
    local machine=$1 name=$2 log=$3 summary status=0
    local prove=(test/cluster.sh prove -v)
    case $name in
        laws)
            # shellcheck disable=SC2016
            on_machine "$machine" sh -c '
                for law in $(make -s -f test/law/Makefile list_laws); do
                    case $law in
                        */laws) $law cc ;; # it has no smaller matrix
                        *) $law cc few ;;
                    esac || echo "not ok $law"
                done' >"$log" 2>&1 || status=$?
            summary="$(count '^ok') passed, $(count '^not ok') failed"
            ;;
        regress)
            on_machine "$machine" test/cluster.sh make -s installcheck ${regress:+"REGRESS=$regress"} >"$log" 2>&1 </dev/null || status=$?
            summary="$(count '^(test|  ) .*\.\.\. ok ') passed, $(count '^(test|  ) .*\.\.\. FAILED ') failed"
            ;;
        stock) on_machine "$machine" "${prove[@]}" test/t/stock_floats.t >"$log" 2>&1 </dev/null || status=$? ;;
        random) on_machine "$machine" "${prove[@]}" test/t/node_random.t >"$log" 2>&1 </dev/null || status=$? ;;
        answers)
            on_machine "$machine" test/cluster.sh "${answers[@]}" >"$log" 2>"$log.error" </dev/null || status=$?
            summary="$(diff "$expected" "$log" | grep -c '^<' || true) of $(wc -l <"$expected") differ"
            ;;
    esac
    case $name in
        stock | random) summary="$(count '^ok ') passed, $(count '^not ok ') failed" ;;
    esac
    if [ "$name" = random ]; then summary="$queries queries: $summary"; fi
    case $status in
        0) ;;
        124) summary+=", ended after $minutes min" ;;
        *) [[ $summary =~ [1-9][0-9]*" failed"|[1-9][0-9]*" of " ]] || summary+=", did not end" ;;
    esac
    echo "$summary"
}

run_machine() {
    local machine=$1 log name begin row cells=() before=()
    # a machine that is new has no row
    IFS='|' read -r -a before < <(table_rows machines | grep "^| $machine |") || true
    root=$chroots/bookworm-$machine
    tree=$root/scan
    if [ -n "$(cpu_of "$machine")" ]; then
        need_qemu "$(cpu_of "$machine")"
        make_foreign_root "$machine" bookworm "$root" "$packages"
        mount_inside "$root"
    fi
    echo "machines: $machine" >&2
    if ! build "$machine" >"$root-build.log" 2>&1; then
        rows+=("| $machine | $(date +%F) | did not build: see $root-build.log | | | | |")
        return
    fi
    for name in laws regress stock random answers; do
        if [[ " $tests " != *" $name "* ]]; then
            # what an earlier run found
            cells+=("$(echo "${before[${#cells[@]} + 3]:-not run}" | xargs)")
            continue
        fi
        log=$root-$name.log
        begin=$SECONDS
        cells+=("$(run_test "$machine" "$name" "$log") ($(((SECONDS - begin + 30) / 60)) min)")
        echo "machines: $machine: $name: ${cells[-1]}" >&2
    done
    row="| $machine | $(date +%F) | $(printf '%s | ' "${cells[@]}")"
    rows+=("${row% }")
}

need_root
if [ $# -eq 0 ]; then
    for machine in sse2 avx2 avx512 avx512_emulated arm64 s390x; do
        if can_run "$machine"; then set -- "$@" "$machine"; fi
    done
fi
for machine in "$@"; do
    can_run "$machine" || die "this processor cannot run $machine"
done
expected=$chroots/answers-x86-64.log
test/cluster.sh "${answers[@]}" >"$expected"
for machine in "$@"; do
    run_machine "$machine"
done
update_table machines '| machine | date | laws | regression tests | stock functions | random queries | answers |' '[a-z0-9_]+' "$@"
