#!/usr/bin/env bash
#
# cluster.sh COMMAND [ARG...]: runs COMMAND with a PostgreSQL server of its
# own that has scan installed, and leaves nothing behind.
#
#   test/cluster.sh psql                       play with scan
#   test/cluster.sh make installcheck          the regression tests
#
# Neither a running server nor the system's PostgreSQL is touched, and no
# right is needed but to write to /tmp.  That takes a private installation: a
# PostgreSQL program finds its library and share folders by the way that leads
# to them from the folder it was started from.  So the programs are copied
# below a temporary folder, what is in the two other folders is linked below it
# under the same names, and `make install DESTDIR=` puts scan among the links.
#
# COMMAND finds PGHOST, PGPORT, PGUSER, PGDATABASE and PG_CONFIG set, and the
# private programs in PG_BINDIR and first in PATH.  Its exit status is ours.
#
#   PG_CONFIG, PG_MAJOR    which PostgreSQL (see find_pg_config.sh)
#   SCAN_CLUSTER_ROOT      such a private installation that is there already, with scan in
#                          it (test/gpu/bundle.sh makes one): nothing is built or copied
#   SCAN_CLUSTER_CONF      more lines for postgresql.conf
#   SCAN_CLUSTER_PORT      its port, where there is more than a socket
#   SCAN_CLUSTER_QUIET     1: only failures are printed, not which steps take more than two seconds
#   SCAN_CLUSTER_STOP      how the server is stopped: immediate unless set, or fast, by which its processes end by exit()
#   SCAN_CLUSTER_PRELOAD   libraries that the dynamic linker loads into the server's processes first (LD_PRELOAD)
#   SCAN_CLUSTER_LOG       a folder in which the server keeps a log that is not removed with it
#   SCAN_CLUSTER_OVER      a folder that something else was installed into by DESTDIR=; goes with it

set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
# A step that takes more than two seconds says so on standard error.
source "$project/test/progress.sh"
progress_fd=2
progress_after=2

folder=      # everything is in here, and goes with it
step=        # what is being set up; its output, $log, matters only if it fails
log=
command_pid= # COMMAND, once it runs

say() {
    echo "cluster: $*" >&2
}

# The server refuses to run as root, so for root somebody else runs it.  It
# starts in its own folder: root's current one may be closed to that user.
as_server() {
    if [ "$(id -u)" = 0 ]; then
        (cd "$folder" && runuser -u "$server_user" -- "$@")
    else
        (cd "$folder" && "$@")
    fi
}

make_folder() {
    # Not TMPDIR: the name of a socket has to be short.
    folder=$(mktemp -d /tmp/scan.XXXXXX)
    mkdir "$folder/data" "$folder/socket"
    if [ "$(id -u)" = 0 ]; then
        server_user=nobody
        if id -u postgres >/dev/null 2>&1; then
            server_user=postgres
        fi
        # Mode 700 stays: `trust` means that whoever reaches the socket is in.
        chown "$server_user" "$folder" "$folder/data" "$folder/socket"
    fi
}

install_scan() {
    local root="$folder/root" bindir pkglibdir sharedir
    bindir=$("$PG_CONFIG" --bindir)
    pkglibdir=$("$PG_CONFIG" --pkglibdir)
    sharedir=$("$PG_CONFIG" --sharedir)

    umask 022 # for the server's user, when root makes this
    mkdir -p "$PG_BINDIR" "$root$pkglibdir" "$root$sharedir"
    cp -R "$bindir/." "$PG_BINDIR"
    cp -as "$pkglibdir/." "$root$pkglibdir"
    cp -as "$sharedir/." "$root$sharedir"

    # What builds must see the real paths: COMMAND gets the real pg_config.
    rm -f "$PG_BINDIR/pg_config"
    # A scan that the system has must not shine through.
    rm -f "$root$pkglibdir"/{,plugins/}scan.so "$root$pkglibdir"/scan_{gpu,mock.so,cuda.so} "$root$sharedir/extension/scan.control" "$root$sharedir"/extension/scan--*.sql

    if [ -n "${SCAN_CLUSTER_OVER:-}" ]; then
        cp -R "$SCAN_CLUSTER_OVER/." "$root"
    fi
    make --no-print-directory -C "$project" install "DESTDIR=$root" "PG_CONFIG=$PG_CONFIG"
}

make_database() {
    as_server "$PG_BINDIR/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync
    cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$folder/socket'
port = $PGPORT
fsync = off
full_page_writes = off
timezone = 'UTC'
${SCAN_CLUSTER_CONF:-}
CONF
}

start_server() {
    as_server env ${SCAN_CLUSTER_PRELOAD:+"LD_PRELOAD=$SCAN_CLUSTER_PRELOAD"} "$PG_BINDIR/pg_ctl" start -s -w -D "$folder/data" ${SCAN_CLUSTER_LOG:+-l "$SCAN_CLUSTER_LOG/server.$$"}
}

# set_up STEP LOG FUNCTION.  The output matters only if the step fails, and then
# leave_nothing shows it.  A subshell, so that a failure anywhere in FUNCTION
# ends it: bash forgets `set -e` wherever a status is asked for.
set_up() {
    step=$1
    log="$folder/$2.log"
    if [ -z "${SCAN_CLUSTER_QUIET:-}" ]; then begin "$step"; fi
    ("$3") >"$log" 2>&1 </dev/null
    if [ -z "${SCAN_CLUSTER_QUIET:-}" ]; then end; fi
    step=
}

# No setting of the caller's may lead COMMAND to another server.
set_environment() {
    local name
    for name in "${!PG@}"; do
        case $name in
            PG_*) ;;
            *) unset "$name" ;;
        esac
    done
    if [ -n "${SCAN_CLUSTER_ROOT:-}" ]; then
        PG_BINDIR=$(echo "$SCAN_CLUSTER_ROOT"/usr/lib/postgresql/*/bin)
        PG_CONFIG="$PG_BINDIR/pg_config"
    else
        # a machine that has run the demo has its headers in the demo's folder
        PG_CONFIG=$("$project/test/find_pg_config.sh" || PG_CONFIG=$project/test/demo/build/pg_config "$project/test/find_pg_config.sh") || {
            say "no PostgreSQL to run; test/bootstrap.sh installs one"
            exit 1
        }
        PG_BINDIR="$folder/root$("$PG_CONFIG" --bindir)"
    fi
    PGHOST="$folder/socket"
    # Only names the socket.  No server is likely to have this number, so what
    # loses PGHOST finds none rather than somebody's.
    PGPORT=${SCAN_CLUSTER_PORT:-65432}
    PGUSER=postgres
    PGDATABASE=postgres
    PATH="$PG_BINDIR:$PATH"
    LC_ALL=C.UTF-8
    export PG_CONFIG PGHOST PGPORT PGUSER PGDATABASE PG_BINDIR PATH LC_ALL
}

# In the background, since bash puts off a signal until a program in front has
# ended.  There it would be deaf to Ctrl-C and have no input, hence `env` and
# `<&0`.
run_command() {
    local status=0
    env --default-signal=INT,QUIT -- "$@" <&0 &
    command_pid=$!
    wait "$command_pid" || status=$?
    # A signal ends `wait`, not the command.
    while kill -0 "$command_pid" 2>/dev/null; do
        status=0
        wait "$command_pid" || status=$?
    done
    return "$status"
}

# Ctrl-C has reached COMMAND as well, and it is for COMMAND to say what that
# means: psql only drops a line.
on_interrupt() {
    [ -n "$command_pid" ] || exit 130
}

on_terminate() {
    [ -n "$command_pid" ] || exit 143
    kill -TERM "$command_pid" 2>/dev/null || true
}

leave_nothing() {
    local status=$?
    trap '' INT TERM HUP # a second Ctrl-C must not leave the server running
    end_silently
    if [ -n "$step" ] && [ "$status" -lt 128 ]; then
        say "$step failed:"
        tail -n 40 "$log" >&2
    fi
    if [ -n "$folder" ]; then
        if [ -f "$folder/data/postmaster.pid" ]; then
            as_server "$PG_BINDIR/pg_ctl" stop -s -w -m "${SCAN_CLUSTER_STOP:-immediate}" -D "$folder/data" || true
        fi
        rm -rf "$folder"
    fi
    exit "$status"
}

if [ $# -eq 0 ]; then
    echo "usage: $0 COMMAND [ARG...]" >&2
    exit 2
fi

trap leave_nothing EXIT
trap on_interrupt INT
trap on_terminate TERM HUP

make_folder
set_environment
if [ -z "${SCAN_CLUSTER_ROOT:-}" ]; then
    set_up "building and installing scan" install install_scan
fi
set_up "making a database" initdb make_database
set_up "starting the server" server start_server
run_command "$@"
