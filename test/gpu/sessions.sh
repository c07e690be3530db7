#!/usr/bin/env bash
#
# sessions.sh: sourced by the scripts that run.sh runs as parts: queries by psql, figures for the table, and answers
# that have to be the same.

wrong=0

sql() {
    psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"
}

# table_row PART WHAT ROWS MEASURE VALUE: adds it to the table of table.h; a value may be a text.
table_row() {
    if [ -n "${SCAN_TABLE:-}" ]; then
        printf '%s,"%s",%s,%s,"%s"\n' "$1" "${2//\"/\"\"}" "$3" "$4" "${5//\"/\"\"}" | sed -E 's/,"(-?[0-9.]+)"$/,\1/' >>"$SCAN_TABLE"
    fi
}

# figure PART WHAT ROWS MEASURE VALUE: prints it, and adds it to the table.
figure() {
    printf '%-60s %10s rows %12s %s\n' "$2" "$3" "$5" "$4"
    table_row "$@"
}

# same WHAT EXPECTED GOT: says where they differ, and remembers that they did.
same() {
    if [ "$2" != "$3" ]; then
        echo "DIFFERENT: $1: $3 and not $2"
        wrong=1
    fi
}

milliseconds() {
    echo $(($(date +%s%N) / 1000000))
}

# time_of RUNS SETTINGS QUERY: psql's time of the query in ms, the least of so many runs, and in $answer its answer.  The
# first of a session plans, and finds the table's pages.
time_of() {
    local said i
    said=$({
        printf '%s;\n\\timing on\n' "$2"
        for ((i = 0; i < $1; i++)); do printf '%s;\n' "$3"; done
    } | sql)
    answer=$(grep -v '^Time: ' <<<"$said" | sort -u)
    least=$(sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' <<<"$said" | sort -n | head -n 1)
}
