#!/usr/bin/env bash
#
# pg_upgrade.sh: takes a server of PostgreSQL 15 with data of scan's over to 17, 18 and 19 by pg_upgrade, one after the
# other, and asks all the same.
#
# It happens in a bare sid, which has 18 and 19 (chroot.sh).  15 is this system's and 17 trixie's: their programs, and the
# libraries that sid has in another version, are copied to /old-15 and /old-17 there.  One database has the newest
# catalog, with a kept scan; one has that of 1.2, which is brought up to the newest at last.  After each step the kept scan
# is not used until the statement that sql/administration.md gives has checked it.

set -euo pipefail
cd "$(dirname "$0")/../.."
source test/package/chroot.sh

majors=(15 17 18 19)
root=$chroots/sid
options='-k /upgrade -p 54321 -c listen_addresses= -c jit=off'
check=$(sed -n '/^SELECT .*scan_kept_check.* FROM scan_kept WHERE NOT usable;$/p' sql/administration.md)
[ "$(echo "$check" | wc -l)" = 1 ] && [ -n "$check" ] || die "sql/administration.md gives no statement, or more than one"
PG_CONFIG=$(PG_MAJOR=15 bash test/find_pg_config.sh) || die "needs PostgreSQL 15 here"
export PG_CONFIG

bin_of() {
    case $1 in
        15 | 17) echo "/old-$1/usr/lib/postgresql/$1/bin" ;;
        *) echo "/usr/lib/postgresql/$1/bin" ;;
    esac
}

# The system whose packages have this version; empty: this one.
home_of() {
    case $1 in
        15) ;;
        17) echo "$chroots/trixie" ;;
        *) echo "$root" ;;
    esac
}

run_at() {
    if [ -z "$1" ]; then "${@:2}"; else inside "$@"; fi
}

# Builds scan beside a server and installs it there, or below a folder.  Optimizing takes longer than all the rest.
install_scan() {
    local major=$1 home=$2 to=${3:-}
    if [ -n "$home" ]; then
        refresh_source "$home/scan-upgrade-$major"
        inside "$home" make -s -C "/scan-upgrade-$major" "PG_CONFIG=/usr/lib/postgresql/$major/bin/pg_config" SCAN_OPTIMIZE='-O1 -g0' install ${to:+"DESTDIR=$to"}
    else
        make -s --no-print-directory install "DESTDIR=$root$to"
    fi >"$chroots/upgrade-$major.log" 2>&1 || die "scan for $major: see $chroots/upgrade-$major.log"
}

# The programs of an older server find their own folders from where they lie.
copy_server() {
    local major=$1 home=$2 to=$root/old-$1 file
    rm -rf "$to"
    mkdir -p "$to/usr/lib/postgresql" "$to/usr/share/postgresql" "$to/libraries"
    cp -RL "$home/usr/lib/postgresql/$major" "$to/usr/lib/postgresql/"
    cp -RL "$home/usr/share/postgresql/$major" "$to/usr/share/postgresql/"
    for file in $(run_at "$home" ldd "/usr/lib/postgresql/$major/bin/"{postgres,psql,initdb,pg_dump} | sed -nE 's/.* => (\/[^ ]+) .*/\1/p' | sort -u); do
        if ! inside "$root" sh -c "ldconfig -p | grep -qF '$(basename "$file")'"; then
            cp -L "$home$file" "$to/libraries/"
        fi
    done
    if [ -n "$home" ]; then
        rm -rf "$home/old"
        install_scan "$major" "$home" /old
        cp -R "$home/old/." "$to"
    else
        install_scan "$major" "$home" "/old-$major"
    fi
}

as_postgres() {
    inside "$root" runuser -u postgres -- env "LD_LIBRARY_PATH=/old-15/libraries:/old-17/libraries" sh -c "cd /upgrade && $1"
}

psql_of() {
    as_postgres "$(bin_of "$1")/psql -Xqt -v ON_ERROR_STOP=1 -h /upgrade -p 54321 -f $2 $3"
}

say_to() {
    as_postgres "$(bin_of "$1")/psql -XqAt -v ON_ERROR_STOP=1 -h /upgrade -p 54321 -c \"$2\" $3"
}

start() {
    as_postgres "$(bin_of "$1")/pg_ctl start -s -w -D data-$1 -l data-$1.log -o '$options'" </dev/null
}

stop() {
    as_postgres "$(bin_of "$1")/pg_ctl stop -s -w -D data-$1"
}

# Tables, indexes, views and what was computed: of what lasts, all that has a type or a function of ours in it.
write_scripts() {
    cat >"$root/upgrade/made.sql" <<'SQL'
CREATE TABLE reading AS SELECT i AS id, i % 5 AS p, hashint4(i) / 7.0::float8 AS v, (hashint4(i) % 1000 / 8.0)::float4 AS narrow FROM generate_series(1, 5000) AS i;
CREATE TABLE piece AS SELECT p, scan_total(v) AS total, affine(0.5, v ORDER BY id) AS map FROM reading GROUP BY p;
INSERT INTO piece VALUES (6, '-0', NULL), (7, 'NaN', '(Infinity,)'), (8, NULL, '(1,2)');
CREATE INDEX piece_total ON piece USING hash (total);
CREATE VIEW sums AS SELECT p, exact_sum(v) AS v FROM reading GROUP BY p;
CREATE VIEW running AS SELECT id, scan_sum(v) OVER w AS s, exact_sum(v) OVER w AS e, scan_ema(v, 0.25) OVER w AS ema FROM reading WINDOW w AS (PARTITION BY p ORDER BY id);
CREATE VIEW moving AS SELECT id, exact_sum(v) OVER (ORDER BY id ROWS 9 PRECEDING) AS e FROM reading;
CREATE MATERIALIZED VIEW kept AS SELECT id, scan_locf(nullif(v, 0)) OVER (ORDER BY id) AS x FROM reading;
CREATE FUNCTION total_of(int) RETURNS float8 LANGUAGE sql AS 'SELECT exact_sum(v) FROM reading WHERE p = $1';
SQL
    cat test/package/stored_states.sql >>"$root/upgrade/made.sql"
    cat >"$root/upgrade/asked.sql" <<'SQL'
SET enable_seqscan = off;
SELECT 'piece', md5(string_agg(t::text, '|' ORDER BY p)) FROM piece AS t;
SELECT 'sums', md5(string_agg(t::text, '|' ORDER BY p)) FROM sums AS t;
SELECT 'running', md5(string_agg(t::text, '|' ORDER BY id)) FROM running AS t;
SELECT 'moving', md5(string_agg(t::text, '|' ORDER BY id)) FROM moving AS t;
SELECT 'kept', md5(string_agg(t::text, '|' ORDER BY id)) FROM kept AS t;
SELECT 'function', string_agg(total_of(g)::text, ' ' ORDER BY g) FROM generate_series(0, 5) AS g;
SELECT 'by the index', count(*) FROM piece AS a JOIN piece AS b ON a.total = b.total;
SELECT 'all', scan_total(total) FROM piece WHERE p < 5;
SELECT 'at', p, map * 1.5::float8 FROM piece WHERE p < 5 ORDER BY p;
SELECT 'states', sum_of(sum), corr_of(pairs), total_of_states(total) FROM state;
SELECT 'state', md5(string_agg(s::text, '|' ORDER BY p)) FROM state AS s;
SQL
    cat >"$root/upgrade/keep.sql" <<'SQL'
CREATE SCHEMA "Books";
CREATE TABLE "Books".entry AS SELECT i AS id, i % 7 AS account, i % 1000 / 4.0::float8 AS amount FROM generate_series(1, 50000) AS i;
ALTER TABLE "Books".entry ALTER id SET NOT NULL, ALTER account SET NOT NULL, ADD PRIMARY KEY (id);
CREATE INDEX ON "Books".entry (account, id);
SET search_path = "Books", public;
DO $$ BEGIN PERFORM scan_keep('Balance', 'SELECT exact_sum(amount) OVER (PARTITION BY account ORDER BY id) AS total FROM "Books".entry'); END $$;
INSERT INTO "Books".entry VALUES (50001, 3, 0.1), (50002, 3, 0.2);
SQL
    # what is compared with, and then the same by the kept scan
    cat >"$root/upgrade/balances.sql" <<'SQL'
LOAD 'scan';
SET scan.kept = :kept;
SELECT 'balances', account, exact_sum(amount) FROM "Books".entry WHERE id <= 40000 GROUP BY account ORDER BY account;
SELECT 'last', * FROM (SELECT id, exact_sum(amount) OVER (PARTITION BY account ORDER BY id) AS total FROM "Books".entry WHERE account = 3) AS q ORDER BY id DESC LIMIT 5;
SQL
}

# What both databases say; `when` is a part of the file's name.
ask() {
    local database
    for database in fresh old_catalog; do
        psql_of "$1" asked.sql "$database" >"$root/upgrade/$database.$2" || die "$database, $2: see above"
        cmp "$root/upgrade/$database.begin" "$root/upgrade/$database.$2" || die "$database answers otherwise ($2)"
    done
}

# How many kept scans are used, and how many are not.
used() {
    say_to "$1" "SELECT count(*) FILTER (WHERE usable) || ' ' || count(*) FILTER (WHERE NOT usable) FROM scan_kept" fresh
}

balances() {
    psql_of "$1" balances.sql "fresh -v kept=$2"
}

# True if a call of its function reads the tree, by an index, and not the table.
reads_kept() {
    local scans="SELECT sum(pg_stat_get_xact_numscans(indexrelid)) FROM pg_index WHERE indrelid = '\\\"Books\\\".\\\"Balance\\\"'::regclass"
    [ "$(say_to "$1" "BEGIN; $scans; SELECT FROM \\\"Books\\\".\\\"Balance_total\\\"(3); $scans; ROLLBACK" fresh | grep . | sort -u | wc -l)" = 2 ]
}

ask_kept() {
    local major=$1 rows
    [ "$(used "$major")" = "$2" ] || die "kept scans that are used and not used in $major: $(used "$major"), not $2"
    rows=$(balances "$major" off)
    [ "$(echo "$rows" | grep -c .)" = 12 ] || die "the table does not answer in $major"
    [ "$rows" = "$(balances "$major" force)" ] || die "the kept scan answers otherwise in $major"
}

# The minor versions of November 2026, such as 15.20 and 17.12, note an option of each column that 18.6 and 19rc1 do not
# know: pg_upgrade to these fails for any table, also without scan.  There the options go first.
forget_options() {
    local from=$1 to=$2 database
    if grep -q pg_attver "$root$(bin_of "$to")/postgres"; then return; fi
    for database in fresh old_catalog; do
        say_to "$from" "UPDATE pg_attribute SET attoptions = nullif(array(SELECT o FROM unnest(attoptions) AS o WHERE o !~ '^pg_attver='), '{}') WHERE attoptions::text ~ 'pg_attver='" "$database"
    done
}

upgrade() {
    local from=$1 to=$2
    as_postgres "$(bin_of "$to")/initdb -k -D data-$to -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null"
    as_postgres "$(bin_of "$to")/pg_upgrade -b $(bin_of "$from") -B $(bin_of "$to") -d data-$from -D data-$to -U postgres >pg_upgrade-$to.log 2>&1" || {
        tail -n 30 "$root/upgrade/pg_upgrade-$to.log" >&2
        die "pg_upgrade from $from to $to has failed"
    }
    start "$to"
    ask "$to" "$to"
    ask_kept "$to" '0 1'
    ! reads_kept "$to" || die "a kept scan is read that was not checked"
    [ "$(say_to "$to" "$check" fresh)" = 'Books|Balance|0' ] || die "the statement of administration.md finds differences in $to"
    ask_kept "$to" '1 0'
    reads_kept "$to" || die "the kept scan is not read after its check in $to"
    # a change that is logged by its triggers
    say_to "$to" "INSERT INTO \\\"Books\\\".entry VALUES (${to}0000, 3, 0.3)" fresh
    ask_kept "$to" '1 0'
    echo "pg_upgrade: $from to $to: the same answers"
}

# A server that is left running would keep the folder busy.
stop_all() {
    for running in "$root"/upgrade/*/postmaster.pid; do
        if [ -f "$running" ]; then kill -INT "$(head -n 1 "$running")" && sleep 2; fi
    done
    unmount_all
}

need_root
trap stop_all EXIT
for major in 17 18 19; do
    make_root "$(suite_of "$major")" "$(home_of "$major")"
    mount_inside "$(home_of "$major")"
    install_server "$major" "$(home_of "$major")"
done
for major in "${majors[@]}"; do
    case $major in
        15 | 17) copy_server "$major" "$(home_of "$major")" ;;
        *) install_scan "$major" "$root" ;;
    esac
done
rm -rf "$root/upgrade"
mkdir "$root/upgrade"
write_scripts
inside "$root" chown -R postgres /upgrade

as_postgres "$(bin_of 15)/initdb -k -D data-15 -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null"
start 15
for database in fresh old_catalog; do say_to 15 "CREATE DATABASE $database" postgres; done
say_to 15 'CREATE EXTENSION scan' fresh
say_to 15 "CREATE EXTENSION scan VERSION '1.2'" old_catalog
for database in fresh old_catalog; do
    psql_of 15 made.sql "$database"
    psql_of 15 asked.sql "$database" >"$root/upgrade/$database.begin"
    [ "$(grep -c . "$root/upgrade/$database.begin")" -ge 15 ] || die "not all was answered"
done
psql_of 15 keep.sql fresh
ask_kept 15 '1 0'
reads_kept 15 || die "the kept scan is not read in 15"
for ((i = 1; i < ${#majors[@]}; i++)); do
    forget_options "${majors[i - 1]}" "${majors[i]}"
    stop "${majors[i - 1]}"
    upgrade "${majors[i - 1]}" "${majors[i]}"
done
say_to 19 'ALTER EXTENSION scan UPDATE' old_catalog
ask 19 updated
version=$(say_to 19 "SELECT extversion || ' of PostgreSQL ' || current_setting('server_version') FROM pg_extension WHERE extname = 'scan'" old_catalog)
stop 19
echo "pg_upgrade: the same answers at each step, of the newest catalog and of that of 1.2, which was brought up to $version"
