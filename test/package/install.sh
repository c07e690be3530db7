#!/usr/bin/env bash
#
# install.sh [DEB]: installs a package that `make deb` has made, for PostgreSQL 15 unless told, in a
# bare system with nothing but apt, of the release that has this PostgreSQL; runs a query; purges it; and fails if anything
# of it is left.  The package with the CUDA library, where there is one beside it, goes with it: without a device the server
# says so and runs everything.  Before the purge the tests of the source package that lies beside it (debian/tests) are run
# by autopkgtest: it has to be of this version of PostgreSQL alone, as SCAN_MAJORS=18 makes it.

set -euo pipefail
cd "$(dirname "$0")/../.."
source test/package/chroot.sh

deb=${1:-$(ls test/package/build/postgresql-15-scan_*.deb)}
major=$(basename "$deb" | cut -d - -f 2)
suite=$(suite_of "$major")
root=$chroots/$suite-bare

as_postgres() {
    inside "$root" runuser -u postgres -- "$@"
}

# The files of scan, wherever packages put files; PostgreSQL has some of its own that end alike.
files_of_scan() {
    inside "$root" find /usr /etc /var -xdev \( -name 'scan*' -o -name 'postgresql-*-scan*' \) \
        -path '*postgresql*' ! -path '*/bitcode/*' ! -path '/usr/include/*' ! -path '/var/lib/postgresql/*' ! -path '/var/cache/*' | sort
}

# debian/tests as autopkgtest runs them, against the package that is installed.
run_package_tests() {
    rm -rf "$root/scan-tests"
    mkdir "$root/scan-tests"
    cp "$(dirname "$deb")"/scan_*.{dsc,tar.xz} "$root/scan-tests"
    apt_inside "$root" install autopkgtest dpkg-dev
    inside "$root" sh -c "autopkgtest --no-built-binaries '/tmp/$(basename "$deb")' /scan-tests/*.dsc -- null" >"$chroots/autopkgtest.log" 2>&1 ||
        die "autopkgtest: see $chroots/autopkgtest.log"
    sed -nE '/^installcheck +/p' "$chroots/autopkgtest.log" | tail -n 1
    # bare again
    rm -rf "$root/scan-tests"
    apt_inside "$root" autoremove --purge autopkgtest dpkg-dev
}

need_root
make_root "$suite" "$root"
if [ -n "$security" ] && [ "$suite" != sid ]; then
    echo "deb $security $suite-security main" >"$root/etc/apt/sources.list.d/security.list"
fi
mount_inside "$root"
gpu=${deb/-scan_/-scan-gpu_}
[ -f "$gpu" ] || gpu=
cp "$deb" ${gpu:+"$gpu"} "$root/tmp/"
apt_inside "$root" update
# Purges the packages that a failed run has left installed.
mapfile -t left < <(inside "$root" sh -c "dpkg-query -W -f '\${Package}\n' 'postgresql-*-scan*'" 2>/dev/null || true)
if [ "${#left[@]}" -gt 0 ]; then apt_inside "$root" purge "${left[@]}"; fi
files_of_scan >"$chroots/before"

apt_inside "$root" install "/tmp/$(basename "$deb")" ${gpu:+"/tmp/$(basename "$gpu")"}
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
if [ -n "$gpu" ]; then
    inside "$root" test -f "/usr/lib/postgresql/$major/lib/scan_cuda.so" || die "there is no CUDA library"
    as_postgres psql -Xqc "ALTER SYSTEM SET shared_preload_libraries = 'scan'" postgres
    inside "$root" pg_ctlcluster "$major" main restart
    sleep 2
    as_postgres psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION scan' -c 'SELECT state, reason FROM scan_status' -c 'DROP EXTENSION scan' postgres
    as_postgres psql -Xqc 'ALTER SYSTEM RESET shared_preload_libraries' postgres
fi
inside "$root" pg_ctlcluster "$major" main stop
run_package_tests
[ -n "$(files_of_scan)" ] || die "the package has installed nothing"

apt_inside "$root" purge "$(basename "$deb" | cut -d _ -f 1)" ${gpu:+"$(basename "$gpu" | cut -d _ -f 1)"}
files_of_scan | diff "$chroots/before" - || die "the purge has left something"
echo "installed, used and purged: $(basename "$deb")"
