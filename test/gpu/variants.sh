#!/usr/bin/env bash
#
# variants.sh PROGRAMS [SUFFIX]: `bench scans` as it is, and of the kernels compiled in another way (bench_checked,
# bench_spin200: see Makefile), at VARIANT_ROWS (33554432) rows, on the same warm card; then CUB's sort of pairs beside
# that of words (bench keys).  One table of the times, as a part of the time of the kernels as they are.  What is not in
# the bundle is not here, and the table says so.

set -uo pipefail
cd "$(dirname "$0")" || exit
# shellcheck source=test/gpu/sessions.sh
. ./sessions.sh

programs=$1 suffix=${2:-}
rows=${VARIANT_ROWS:-33554432}
figures=$(mktemp -d)
trap 'rm -rf "$figures"' EXIT
failed=0

# figures of one program go to a table of its own
measure() {
    SCAN_TABLE=$figures/$1 "$programs/$1$suffix" "${@:2}" "$rows" >"$figures/said" 2>&1 || {
        cat "$figures/said"
        failed=1
    }
}

there=(bench)
for variant in bench_checked bench_spin200; do
    if [ -x "$programs/$variant$suffix" ]; then
        there+=("$variant")
    else
        echo "$variant is not here"
    fi
done
for program in "${there[@]}"; do
    measure "$program" scans
done

printf '| %-44s | %9s |' "scans of $rows rows, ms" bench
for variant in "${there[@]:1}"; do printf ' %22s |' "$variant"; done
printf '\n'
awk -v there="${there[*]}" -v rows="$rows" -v folder="$figures" '
    BEGIN {
        programs = split(there, program, " ")
        for (p = 1; p <= programs; p++)
            while ((getline line < (folder "/" program[p])) > 0) {
                split(line, part, "\"")
                split(part[3], field, ",")
                if (field[2] != rows || field[3] != "ms") continue
                if (p == 1) name[++names] = part[2]
                ms[program[p], part[2]] = field[4]
            }
        for (i = 1; i <= names; i++) {
            printf "| %-44s | %9.3f |", name[i], ms["bench", name[i]]
            for (p = 2; p <= programs; p++) {
                part_of = ms[program[p], name[i]] / ms["bench", name[i]]
                printf " %9.3f, %8.1f %% |", ms[program[p], name[i]], 100 * part_of
                if (ENVIRON["SCAN_TABLE"] != "")
                    printf "variants,\"%s, %s\",%d,%% of bench,%.6g\n", name[i], program[p], rows, 100 * part_of >> ENVIRON["SCAN_TABLE"]
            }
            printf "\n"
        }
    }'
"$programs/bench$suffix" keys "$rows" || failed=1
exit $failed
