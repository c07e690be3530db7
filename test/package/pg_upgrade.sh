#!/usr/bin/env bash
#
# pg_upgrade.sh: takes a server of PostgreSQL 15 with data of scan's over to 17 by pg_upgrade, and asks both the same.
#
# It happens in a bare trixie, which has 17 (chroot.sh).  15 is this system's, whose programs and the libraries that
# trixie has in another version are copied to /old there.  One database has the newest catalog, one that of 1.2, which
# is brought up to the newest afterwards.

set -euo pipefail
cd "$(dirname "$0")/../.."
source test/package/chroot.sh

old=15
new=17
root=$chroots/trixie
PG_CONFIG=$(bash test/find_pg_config.sh)
export PG_CONFIG
[ "$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')" = "$old" ] || die "needs PostgreSQL $old here"

# The programs of 15 find their own folders from where they lie.
copy_old_server() {
    local to=$root/old file
    rm -rf "$to"
    mkdir -p "$to/usr/lib/postgresql" "$to/usr/share/postgresql" "$to/libraries"
    cp -RL "/usr/lib/postgresql/$old" "$to/usr/lib/postgresql/"
    cp -RL "/usr/share/postgresql/$old" "$to/usr/share/postgresql/"
    make -s --no-print-directory
    make -s --no-print-directory install "DESTDIR=$to"
    for file in $(ldd "$to/usr/lib/postgresql/$old/bin/"{postgres,psql,initdb} | sed -nE 's/.* => (\/[^ ]+) .*/\1/p' | sort -u); do
        if ! inside "$root" sh -c "ldconfig -p | grep -qF '$(basename "$file")'"; then
            cp -L "$file" "$to/libraries/"
        fi
    done
}

as_postgres() {
    inside "$root" runuser -u postgres -- env "LD_LIBRARY_PATH=/old/libraries" sh -c "cd /upgrade && $1"
}

psql_of() {
    as_postgres "$1/psql -Xqt -v ON_ERROR_STOP=1 -h /upgrade -p 54321 -f $2 $3"
}

start() {
    as_postgres "$1/pg_ctl start -s -w -D $2 -l $2.log -o '-k /upgrade -p 54321 -c listen_addresses= -c jit=off'" </dev/null
}

stop() {
    as_postgres "$1/pg_ctl stop -s -w -D $2"
}

# Tables, indexes, views and what was computed: of what lasts, all that has a type or a function of ours in it.
write_scripts() {
    cat >"$root/upgrade/made.sql" <<'SQL'
CREATE TABLE reading AS SELECT i AS id, i % 5 AS p, hashint4(i) / 7.0::float8 AS v FROM generate_series(1, 5000) AS i;
CREATE TABLE piece AS SELECT p, scan_total(v) AS total, affine(0.5, v ORDER BY id) AS map FROM reading GROUP BY p;
INSERT INTO piece VALUES (6, '-0', NULL), (7, 'NaN', '(Infinity,)'), (8, NULL, '(1,2)');
CREATE INDEX piece_total ON piece USING hash (total);
CREATE VIEW sums AS SELECT p, exact_sum(v) AS v FROM reading GROUP BY p;
CREATE VIEW running AS SELECT id, scan_sum(v) OVER w AS s, exact_sum(v) OVER w AS e, scan_ema(v, 0.25) OVER w AS ema FROM reading WINDOW w AS (PARTITION BY p ORDER BY id);
CREATE VIEW moving AS SELECT id, exact_sum(v) OVER (ORDER BY id ROWS 9 PRECEDING) AS e FROM reading;
CREATE MATERIALIZED VIEW kept AS SELECT id, scan_locf(nullif(v, 0)) OVER (ORDER BY id) AS x FROM reading;
CREATE FUNCTION total_of(int) RETURNS float8 LANGUAGE sql AS 'SELECT exact_sum(v) FROM reading WHERE p = $1';
SQL
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
SQL
}

# What both databases say; `when` is the name of the file.
ask() {
    local database
    for database in fresh old_catalog; do
        psql_of "$1" asked.sql "$database" >"$root/upgrade/$database.$2" || die "$database, $2: see above"
    done
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
make_root "$(suite_of $new)" "$root"
mount_inside "$root"
install_server "$new" "$root" python3 python3-scipy python3-pandas
copy_source "$root/scan-$new"
inside "$root" "PG_MAJOR=$new" make -s -C "/scan-$new" install "PG_CONFIG=/usr/lib/postgresql/$new/bin/pg_config" >/dev/null
copy_old_server
rm -rf "$root/upgrade"
mkdir "$root/upgrade"
write_scripts
inside "$root" chown -R postgres /upgrade

from=/old/usr/lib/postgresql/$old/bin
to=/usr/lib/postgresql/$new/bin
as_postgres "$from/initdb -D before -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null"
as_postgres "$to/initdb -D after -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null"
start "$from" before
as_postgres "$from/psql -Xq -h /upgrade -p 54321 -c 'CREATE DATABASE fresh' -c 'CREATE DATABASE old_catalog' postgres"
as_postgres "$from/psql -Xq -h /upgrade -p 54321 -c 'CREATE EXTENSION scan' fresh"
as_postgres "$from/psql -Xq -h /upgrade -p 54321 -c \"CREATE EXTENSION scan VERSION '1.2'\" old_catalog"
for database in fresh old_catalog; do
    psql_of "$from" made.sql "$database"
done
ask "$from" before
stop "$from" before
as_postgres "$to/pg_upgrade -b $from -B $to -d before -D after -U postgres >pg_upgrade.log 2>&1" || {
    tail -n 30 "$root/upgrade/pg_upgrade.log" >&2
    die "pg_upgrade has failed"
}
start "$to" after
ask "$to" after
as_postgres "$to/psql -Xq -h /upgrade -p 54321 -v ON_ERROR_STOP=1 -c 'ALTER EXTENSION scan UPDATE' old_catalog"
ask "$to" updated
version=$(as_postgres "$to/psql -Xqt -h /upgrade -p 54321 -c \"SELECT extversion || ' ' || version() FROM pg_extension WHERE extname = 'scan'\" old_catalog")
stop "$to" after
for when in after updated; do
    for database in fresh old_catalog; do
        cmp "$root/upgrade/$database.before" "$root/upgrade/$database.$when" || die "$database answers otherwise ($when)"
    done
done
[ "$(grep -c . "$root/upgrade/fresh.after")" -ge 13 ] || die "not all was answered"
echo "pg_upgrade: the same answers before and after, of the newest catalog and of that of 1.2, which was brought up to$version"
