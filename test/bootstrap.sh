#!/usr/bin/env bash
#
# bootstrap.sh [PURPOSE]: makes sure that this machine has what building and testing
# scan takes: a C compiler, make, PostgreSQL with its server headers, perl with
# prove, python3 with SciPy, pandas and gmpy2, and clang-format 14 where it can be had.
# `make test` and .ci/run call it first.
# The purpose `demo`, of `make demo`, leaves out what only tests need;
# `compiler` and `server` are its two halves where demo/headers.sh has unpacked the
# headers: a compiler with make, and a server without headers.
# `figures` adds matplotlib, which only `make figures` needs; `soak` adds sqlsmith
# and valgrind, without which `make soak` does less.
#
# It asks for each thing itself rather than for a package, so that a compiler
# or a PostgreSQL of one's own counts.  What is missing is installed with apt
# when that needs no more than root or sudo; else the command is printed for
# somebody else to type.  With nothing missing it does nothing, in no time.
#
# The PostgreSQL is the newest of those that scan supports which apt has (see
# pg_majors.sh).  PG_MAJOR=16 asks for another one, PG_CONFIG=/path/to/pg_config for
# one that is there already.

set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:-}

source test/progress.sh
source test/pg_majors.sh

# Debian makes and starts a cluster with every new PostgreSQL.  Nobody asked
# us for one: this file says so while the packages are unpacked, then it goes.
no_cluster_dir=/etc/postgresql-common/createcluster.d
no_cluster_file=$no_cluster_dir/scan-bootstrap.conf

die() {
    end_silently
    echo "bootstrap: $*" >&2
    exit 1
}

# A compiler without the C library's headers is of no use, and Debian only
# recommends the one with the other.
compiler_works() {
    echo '#include <stdio.h>' | "${CC:-gcc}" -fsyntax-only -x c - 2>/dev/null
}

perl_tests_work() {
    command -v prove >/dev/null && perl -MTest::More -e 1 2>/dev/null
}

# A python3 of one's own comes first in PATH and need not see Debian's packages.
python_has() {
    python3 -c "import $1" 2>/dev/null || /usr/bin/python3 -c "import $1" 2>/dev/null
}

missing_for_tests() {
    perl_tests_work || echo perl
    # exact rationals, for test/t/rationals.t
    python3 -c 'import fractions' 2>/dev/null || echo python3
    # what test/t/against_scipy.t and arrays.t compare with: 20 MB
    python_has 'scipy, pandas' || echo python3-scipy python3-pandas
    # MPFR, for test/t/mpfr.t: 1 MB, since gcc has brought the library
    python_has gmpy2 || echo python3-gmpy2
    # what test/t/format.t checks the layout with, and skips without: 11 MB, since PostgreSQL has brought libllvm14.
    # Only Debian 12 has version 14, and a user who may install nothing tests without it.
    if grep -qs '^VERSION_ID="12"' /etc/os-release && grep -qs '^ID=debian' /etc/os-release && may_become_root_silently; then
        command -v clang-format-14 >/dev/null || echo clang-format-14
    fi
}

server_works() {
    [ -x "/usr/lib/postgresql/$1/bin/postgres" ] && [ -x "/usr/lib/postgresql/$1/bin/psql" ]
}

# The server's package, and that of its headers.  Where apt does not know a version that will do, these are the names by
# which every release of Debian has its own.
server_packages() {
    local major
    if major=$(major_to_install); then
        echo "postgresql-$major" "postgresql-server-dev-$major"
    else
        echo postgresql postgresql-server-dev-all
    fi
}

missing_packages() {
    compiler_works || echo gcc libc6-dev
    command -v make >/dev/null || echo make
    case $purpose in
        compiler) return ;;
        server)
            server_works "$(major_to_install)" || server_packages | cut -d ' ' -f 1
            return
            ;;
        demo) ;;
        *) missing_for_tests ;;
    esac
    [ "$purpose" != soak ] || command -v sqlsmith >/dev/null || echo sqlsmith
    [ "$purpose" != soak ] || command -v valgrind >/dev/null || echo valgrind
    [ "$purpose" != figures ] || python_has matplotlib || echo python3-matplotlib
    test/find_pg_config.sh >/dev/null || server_packages
}

may_become_root_silently() {
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null
}

# Without a terminal sudo must not ask; with one, it may.
may_become_root() {
    may_become_root_silently && return 0
    command -v sudo >/dev/null && [ -t 0 ] && sudo -v
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

forbid_clusters() {
    trap allow_clusters EXIT
    as_root mkdir -p "$no_cluster_dir"
    echo 'create_main_cluster = false' | as_root tee "$no_cluster_file" >/dev/null
}

allow_clusters() {
    as_root rm -f "$no_cluster_file"
    as_root rmdir --ignore-fail-on-non-empty "$no_cluster_dir"
}

# Only what apt complains of is shown.
apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" </dev/null >/dev/null
}

# Where the install is, for who waits: the package that dpkg works on, once all are downloaded.
install_detail() {
    if [ /var/log/dpkg.log -nt "$no_cluster_file" ]; then
        echo "dpkg is at $(tail -n 1 /var/log/dpkg.log | awk '{ print $5 }')"
    else
        echo "downloading"
    fi
}

read -r -d '' -a missing < <(missing_packages) || true
[ "${#missing[@]}" -gt 0 ] || exit 0

if [ -n "${PG_CONFIG:-}" ] && ! test/find_pg_config.sh >/dev/null; then
    die "PG_CONFIG=$PG_CONFIG: no pg_config of a PostgreSQL with server, psql and server headers"
fi
if ! command -v apt-get >/dev/null; then
    die "please install what Debian calls: ${missing[*]}"
fi
if ! may_become_root; then
    # the demo asks for its halves one after the other, but a user asks the administrator once
    case $purpose in
        compiler | server) read -r -d '' -a missing < <(for purpose in compiler server; do missing_packages; done | tr ' ' '\n' | sort -u) || true ;;
    esac
    echo "bootstrap: some packages are missing and this user may not install them; please have this run:" >&2
    echo >&2
    echo "    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    echo >&2
    exit 1
fi

forbid_clusters
# The second half of the demo's packages has the lists of the first.
if [ -z "$(find /var/lib/apt/lists -maxdepth 1 -type f -mmin -5 2>/dev/null)" ]; then
    begin "updating apt's lists of packages (some seconds)"
    # One source out of order need not matter to us; the install tells.
    apt_get update || echo "bootstrap: apt-get update failed, going on with the lists at hand" >&2
    end
    # the lists tell which PostgreSQL there is
    read -r -d '' -a missing < <(missing_packages) || true
fi
# which PostgreSQL it is has to be known before a compiler is installed in vain
if [ "$purpose" != server ] && ! test/find_pg_config.sh >/dev/null; then
    major=$(major_to_install) ||
        die "apt has no PostgreSQL ${pg_majors[-1]} to ${pg_majors[0]} with server headers; PG_CONFIG=... names one that is there already"
    tell_progress "PostgreSQL $major will be used; PG_MAJOR=... asks for another one"
fi
begin "installing packages with apt (${missing[*]}: about a minute)" install_detail
apt_get install -y --no-install-recommends "${missing[@]}" ||
    die "apt did not install them; PG_MAJOR=... asks for another PostgreSQL"
end

read -r -d '' -a missing < <(missing_packages) || true
[ "${#missing[@]}" -eq 0 ] || die "still missing after the install: ${missing[*]}"
