# results.sh: the tables of RESULTS.md that versions.sh, machines.sh and companions.sh write, and that of
# test/coverage/README.md that coverage/run.sh writes; all source it.
#
# A table stands between <!-- NAME --> and <!-- end of NAME -->.  Its rows begin with a key: the version, the machine, the
# companion.

results=test/package/RESULTS.md

# table_rows NAME: prints the rows that a table has, without its heading.
table_rows() {
    sed -n "/^<!-- $1 -->/,/^<!-- end of $1 -->/p" "$results" | grep '^| ' | tail -n +2
}

# put_between NAME TEXT: puts the text in the place of what stands between the marks.
put_between() {
    TEXT=$2 perl -0pi -e "s/(<!-- $1 -->\n).*?(<!-- end of $1 -->)/\$1\$ENV{TEXT}\n\$2/s" "$results"
}

# update_table NAME HEADING KEY_PATTERN KEY...: puts the array `rows` in the place of the rows of these keys, prints the
# table, and writes it.  The rows of other keys stay.
update_table() {
    local name=$1 heading=$2 pattern=$3 table row
    shift 3
    while read -r row; do
        case " $* " in
            *" $(echo "$row" | sed -E "s/^\| ($pattern).*/\1/") "*) ;;
            *) rows+=("$row") ;;
        esac
    done < <(table_rows "$name")
    table=$(printf '%s\n' "$heading" "$(echo "$heading" | sed 's/[^|]//g; s/|/|---/g; s/---$//')" "$(printf '%s\n' "${rows[@]}" | sort)")
    echo "$table"
    put_between "$name" "$table"
}
