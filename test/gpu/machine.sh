#!/usr/bin/env bash
#
# machine.sh: what explains the figures and the failures of a machine with a GPU: the card, its driver and its bus, what
# the server's user finds of them, and which programs are there.  run.sh runs it first.  One table, and the same lines
# in the table of table.h.  A field that the machine does not tell is left out.

set -uo pipefail
cd "$(dirname "$0")" || exit
# shellcheck source=test/gpu/sessions.sh
. ./sessions.sh

# row WHAT VALUE
row() {
    [ -n "$2" ] || return 0
    printf '| %-26s | %s\n' "$1" "$2"
    table_row machine "$1" 0 text "$2"
}

# The fields of `nvidia-smi -q` that matter, as `name|value`.  Its lines are indented by their depth, four blanks each:
# a field is known by the headings above it.
card() {
    timeout 10 nvidia-smi -q 2>/dev/null | awk '
        BEGIN {
            split("Driver Version|CUDA Version|Product Name|Persistence Mode|MIG Mode/Current|PCIe Generation/Max|PCIe Generation/Current|" \
                "Link Width/Max|Link Width/Current|Clocks/SM|Clocks/Memory|Max Clocks/SM|Max Clocks/Memory|" \
                "FB Memory Usage/Total|FB Memory Usage/Used|Compute Mode|ECC Mode/Current|GPU Current Temp|" \
                "Clocks Event Reasons/SW Power Cap", list, "|")
            for (i in list) wanted[list[i]] = 1
        }
        {
            match($0, /^ */)
            depth = RLENGTH / 4
            colon = index($0, " : ")
            name = colon ? substr($0, RLENGTH + 1, colon - RLENGTH - 1) : substr($0, RLENGTH + 1)
            sub(/ +$/, "", name)
            above[depth] = name
            if (!colon) next
            path = depth > 1 ? above[depth - 1] "/" name : name
            if (!(path in wanted)) path = name
            if (path in wanted && !(path in seen)) {
                seen[path] = 1
                print path "|" substr($0, colon + 3)
            }
        }'
}

version_of() {
    command -v "$1" >/dev/null && { timeout 5 "$1" --version 2>/dev/null || true; } | grep -m 1 -E '[0-9]+\.[0-9]+' | cut -c 1-90
}

echo '| machine                    | |'
echo '|----------------------------|-|'
cards=$(card)
if [ -n "$cards" ]; then
    while IFS='|' read -r name value; do
        row "$name" "$value"
    done <<<"$cards"
else
    row 'nvidia-smi' "$(command -v nvidia-smi >/dev/null && { timeout 10 nvidia-smi 2>&1 | head -n 1; } || echo 'not here')"
fi
row libcuda "$(ldconfig -p 2>/dev/null | grep "libcuda\.so" | sed 's/^[[:space:]]*//' | paste -sd ';' | grep . || echo none)"
# shellcheck disable=SC2012
row 'device files' "$(ls -l /dev/nvidia* 2>/dev/null | awk '/^[cb]/ { print $1, $3, $NF }' | paste -sd ';' | grep . || echo none)"
row LD_LIBRARY_PATH "${LD_LIBRARY_PATH:-}"
row CUDA_VISIBLE_DEVICES "${CUDA_VISIBLE_DEVICES:-}"
row user "$(id -un) ($(id -u))"
row "the server's user" "${SCAN_SERVER_USER:-$(id -un)}"
row processors "$(nproc)"
row processor "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)"
row memory "$(free -m 2>/dev/null | awk '/^Mem:/ { print $2 " MiB, " $7 " MiB free" }')"
row '/dev/shm' "$(df -m /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 " MiB free" }')"
row 'locked memory, most' "$(ulimit -l)"
row kernel "$(uname -sr)"
row 'C library' "$(getconf GNU_LIBC_VERSION 2>/dev/null)"
for program in nvcc ncu compute-sanitizer prove python3; do
    row "$program" "$(version_of "$program" || echo 'not here')"
done
row 'kernel log' "$(dmesg 2>/dev/null | grep -iE 'NVRM|Xid' | tail -n 1 | cut -c 1-120)"
row bundle "$(cat "${SCAN_BUNDLE:-.}/commit" 2>/dev/null)"
row date "$(date -u +%F)"
