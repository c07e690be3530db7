# pg_majors.sh: the versions of PostgreSQL that scan supports, and which of them a machine can have; find_pg_config.sh,
# bootstrap.sh and demo/headers.sh source it.

# The newest first.
pg_majors=(19 18 17 16 15)

# True if apt knows a server and its headers, and could install both: Debian's experimental has servers whose
# dependencies the release does not have.
apt_can_install() {
    local both=("postgresql-$1" "postgresql-server-dev-$1")
    [ "$(apt-cache policy "${both[@]}" 2>/dev/null | grep -c 'Candidate: [0-9]')" = 2 ] &&
        apt-get -qq -s install "${both[@]}" >/dev/null 2>&1
}

# Prints the version to install: PG_MAJOR, or that of a server which is here without headers, or the newest that apt has.
# Fails, printing nothing, where apt has none or has no lists of packages yet.
major_to_install() {
    local major
    if [ -n "${PG_MAJOR:-}" ]; then
        echo "$PG_MAJOR"
        return
    fi
    for major in "${pg_majors[@]}"; do
        if [ -x "/usr/lib/postgresql/$major/bin/postgres" ]; then
            echo "$major"
            return
        fi
    done
    for major in "${pg_majors[@]}"; do
        if apt_can_install "$major"; then
            echo "$major"
            return
        fi
    done
    return 1
}
