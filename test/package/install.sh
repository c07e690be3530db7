#!/usr/bin/env bash
#
# install.sh [DEB]: installs a package that `make deb` has made, for PostgreSQL 15 unless told, in a
# bare system with nothing but apt; runs a query; purges it; and fails if anything of it is left.

set -euo pipefail
cd "$(dirname "$0")/../.."
source test/package/chroot.sh

deb=${1:-$(ls test/package/build/postgresql-15-scan_*.deb)}
root=$chroots/bookworm-bare
major=$(basename "$deb" | cut -d - -f 2)

as_postgres() {
    inside "$root" runuser -u postgres -- "$@"
}

# The files of scan, wherever packages put files; PostgreSQL has some of its own that end alike.
files_of_scan() {
    inside "$root" find /usr /etc /var -xdev \( -name 'scan*' -o -name 'postgresql-*-scan*' \) \
        -path '*postgresql*' ! -path '*/bitcode/*' ! -path '/var/lib/postgresql/*' ! -path '/var/cache/*' | sort
}

need_root
make_root bookworm "$root"
if [ -n "$security" ]; then
    echo "deb $security bookworm-security main" >"$root/etc/apt/sources.list.d/security.list"
fi
mount_inside "$root"
cp "$deb" "$root/tmp/"
apt_inside "$root" update
files_of_scan >"$chroots/before"

apt_inside "$root" install "/tmp/$(basename "$deb")"
inside "$root" pg_ctlcluster "$major" main restart
as_postgres psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
DROP DATABASE IF EXISTS demo;
CREATE DATABASE demo;
\c demo
CREATE EXTENSION scan;
SELECT day, amount, scan_sum(amount, reset => amount = 0) OVER (ORDER BY day)
FROM (VALUES (1, 5), (2, 3), (3, 0), (4, 2)) AS t (day, amount);
\c postgres
DROP DATABASE demo;
SQL
inside "$root" pg_ctlcluster "$major" main stop
[ -n "$(files_of_scan)" ] || die "the package has installed nothing"

apt_inside "$root" purge "$(basename "$deb" | cut -d _ -f 1)"
files_of_scan | diff "$chroots/before" - || die "the purge has left something"
echo "installed, used and purged: $(basename "$deb")"
