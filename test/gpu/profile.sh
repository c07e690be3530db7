#!/usr/bin/env bash
#
# profile.sh BENCH: Nsight Compute's counters of the kernels of `bench profile`, at PROFILE_ROWS (16777216) rows: how
# much of the memory's bandwidth, how many warps, how often a scheduler issues, and what the warps wait for.  Each kernel
# is launched once; of a sort's kernels of one name the first launch counts.
#
# The clocks are left as they are.  A counter that a version of ncu does not know ends it, so a second try asks for the
# three that matter most.  Exit status 77: it cannot run here (no ncu, or the driver keeps the counters to itself).

set -uo pipefail
cd "$(dirname "$0")" || exit
# shellcheck source=test/gpu/sessions.sh
. ./sessions.sh

bench=$1
rows=${PROFILE_ROWS:-16777216}
few=dram__throughput.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active
few+=,smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
many=gpu__time_duration.sum,$few,smsp__issue_active.avg.pct_of_peak_sustained_active
many+=,smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio,smsp__inst_executed.sum,launch__registers_per_thread
said=$(mktemp)
trap 'rm -f "$said"' EXIT

command -v ncu >/dev/null || {
    echo 'ncu is not here'
    exit 77
}

look() {
    ncu --clock-control none --profile-from-start off --csv --page raw --metrics "$1" "$bench" profile "$rows" >"$said" 2>&1
}

look "$many" || {
    if grep -q ERR_NVGPUCTRPERM "$said"; then
        cat "$said"
        echo 'the driver keeps the counters for the administrator (ERR_NVGPUCTRPERM)'
        exit 77
    fi
    cat "$said"
    echo '--- once more, fewer counters'
    look "$few" || {
        cat "$said"
        exit 1
    }
}

# A line of ncu's CSV is one launch, all its fields quoted; the first names the fields, the second their units.
awk -v rows="$rows" '
    function short(name) {
        gsub(/\(bool\)/, "", name)
        sub(/^void /, "", name)
        if (index(name, ">(")) name = substr(name, 1, index(name, ">("))
        else sub(/\(.*/, "", name)
        if (name ~ /cub::/ || length(name) > 44) {
            sub(/<.*/, "", name)
            sub(/.*::/, "", name)
        }
        return name
    }
    function label(metric) {
        if (metric ~ /^gpu__time/) return "us"
        if (metric ~ /^dram__throughput/) return "memory %"
        if (metric ~ /^sm__warps_active/) return "warps %"
        if (metric ~ /^smsp__issue_active/) return "issue %"
        if (metric ~ /long_scoreboard/) return "memory wait"
        if (metric ~ /barrier/) return "barrier wait"
        if (metric ~ /^smsp__inst_executed/) return "instr/row"
        if (metric ~ /^launch__registers/) return "registers"
        return ""
    }
    /^"/ {
        line = $0
        sub(/^"/, "", line)
        sub(/"$/, "", line)
        n = split(line, field, /","/)
        if (!heads) {
            for (i = 1; i <= n; i++) {
                if (field[i] == "Kernel Name") kernel = i
                if (label(field[i]) != "") { at[++heads] = i; head[heads] = label(field[i]) }
            }
            printf "| %-44s |", "kernel, " rows " rows"
            for (h = 1; h <= heads; h++) printf " %12s |", head[h]
            printf "\n|----------------------------------------------|"
            for (h = 1; h <= heads; h++) printf "--------------|"
            printf "\n"
            next
        }
        if (!units) { units = 1; for (h = 1; h <= heads; h++) unit[h] = field[at[h]]; if (field[kernel] == "") next }
        name = short(field[kernel])
        if (name in seen || name == "") next
        seen[name] = 1
        printf "| %-44s |", name
        for (h = 1; h <= heads; h++) {
            value = field[at[h]]
            gsub(/,/, "", value)
            if (head[h] == "us" && unit[h] ~ /^n/) value /= 1000
            if (head[h] == "us" && unit[h] ~ /^m/) value *= 1000
            if (head[h] == "instr/row") value = value * 32 / rows
            printf " %12.1f |", value
            if (ENVIRON["SCAN_TABLE"] != "")
                printf "profile,\"%s\",%d,%s,%.6g\n", name, rows, head[h], value >> ENVIRON["SCAN_TABLE"]
        }
        printf "\n"
        kernels++
    }
    END { if (kernels == 0) exit 1 }
' "$said" || {
    cat "$said"
    echo 'ncu told of no kernel'
    exit 1
}
