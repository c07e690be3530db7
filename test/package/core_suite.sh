#!/usr/bin/env bash
#
# core_suite.sh [MAJOR [FORM...]]: runs PostgreSQL's own tests with scan in the server, and without it, and compares what
# they print: the regression tests, the isolation tests, and the tests of contrib.
#
# With scan, the library is preloaded and scan.prefixscan is `force`.  Both servers have the same settings otherwise.
# There are two forms, and without FORM both run:
#
#   plain      PostgreSQL's settings
#   parallel   force_parallel_mode = regress (debug_parallel_query from 16 on), parallel plans cost nothing, and no table
#              or index is too small for them
#
# What EXPLAIN prints may differ, and so may rows whose order the query leaves open; core_suite/ties.txt lists the queries
# where that happens and says why.  Any other difference is printed, and the script fails.  See core_suite/compare.pl.
#
# The tests are those of Debian's source package postgresql-MAJOR, or of the folder that SCAN_SOURCE_MAJOR names.  They may
# belong to another minor version than the server, since only the two runs are compared with each other.  If the server
# of MAJOR (15 unless told) is not installed here, the script runs in a Debian system of its own (see chroot.sh: 3 GB),
# and needs root and debootstrap.
#
#   test/package/core_suite.sh 15 plain
#   SCAN_SOURCE_17=~/postgresql-17.5 test/package/core_suite.sh 17
#
# SCAN_CORE_PARTS='regress isolation contrib' names the parts to run.  SCAN_CORE_KEEP=FOLDER keeps what the tests print in
# FOLDER, which must not exist.
#
# SCAN_CORE_QUICK=1 leaves out the isolation tests, and the modules of contrib, that have neither a window nor DISTINCT in
# any script.  The planner gets paths of scan only at the window and distinct steps of a query (prefix_scan_paths() in
# src/node/plan/plan.c), so no plan of these tests can have a node of scan.  They would only test that the hooks of scan
# leave other statements alone; the regression tests, which always run in full, have statements of every kind for that.

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/package/chroot.sh
source test/progress.sh
here=test/package/core_suite
major=${1:-15}
shift || true
forms=("$@")
if [ $# -eq 0 ]; then forms=(plain parallel); fi
parts=${SCAN_CORE_PARTS:-regress isolation contrib}
work=
failed=0
for part in $parts; do
    case $part in
        regress | isolation | contrib) ;;
        *) die "SCAN_CORE_PARTS: there is no part $part" ;;
    esac
done
for form in "${forms[@]}"; do
    case $form in
        plain | parallel) ;;
        *) die "there is no form $form" ;;
    esac
done
[[ $parts == *[a-z]* ]] || die "SCAN_CORE_PARTS names no part"

# ---- the sources

# A bare Debian has no lists of packages, from which mirror_of reads; apt says what it would download as lists.
find_mirrors() {
    local targets
    targets=$(apt-get --print-uris update 2>/dev/null || true)
    mirror=${mirror:-$(sed -nE "s#^'(http.*)/dists/[a-z]+/InRelease' .*#\1#p" <<<"$targets" | head -n 1)}
    security=${security:-$(sed -nE "s#^'(http.*)/dists/[a-z]+-security/InRelease' .*#\1#p" <<<"$targets" | head -n 1)}
    [ -n "$mirror" ] || die "apt names no mirror: SCAN_MIRROR=... does"
}

# The versions of the source package that apt knows by the lists below a folder, the newest first.
versions_of_source() {
    apt-cache "$@" showsrc "postgresql-$major" 2>/dev/null | sed -n 's/^Version: //p' | sort -ruV
}

# Downloads the source package by an apt configuration of its own, and prints the name of the archive.  A mirror may list
# a version that it does not have, so the versions are tried one after the other.
download_source() {
    local suite=$1 to=$2 version apt options
    if [ -z "$suite" ]; then die "Debian has no source of PostgreSQL $major: SCAN_SOURCE_$major=... names a folder with it"; fi
    find_mirrors
    apt=$to/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    echo "deb-src $mirror $suite main" >"$apt/sources.list"
    if [ -n "$security" ] && [ "$suite" != sid ]; then echo "deb-src $security $suite-security main" >>"$apt/sources.list"; fi
    # as root, apt would leave the download to a user who may not write here
    options=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
    apt-get -qq "${options[@]}" update >"$apt/log" 2>&1 || true
    for version in $(versions_of_source "${options[@]}"); do
        if (cd "$to" && apt-get -qq "${options[@]}" source --download-only "postgresql-$major=$version") >>"$apt/log" 2>&1; then
            find "$to" -maxdepth 1 -name '*.orig.tar.*'
            return
        fi
    done
    cat "$apt/log" >&2
    die "cannot download the source of postgresql-$major from $mirror (apt's messages are above): SCAN_SOURCE_$major=... names a folder with it"
}

# A bare Debian has no bzip2, but python3 comes with the server's headers.
decompress() {
    if command -v bzip2 >/dev/null; then
        bzip2 -dc "$1"
    else
        python3 -c 'import bz2, shutil, sys; shutil.copyfileobj(bz2.open(sys.argv[1]), sys.stdout.buffer, 1 << 20)' "$1"
    fi
}

# Puts the tests of core's source into $work/source.
get_source() {
    local folder=SCAN_SOURCE_$major archive
    folder=${!folder:-}
    mkdir "$work/source"
    if [ -z "$folder" ]; then
        mkdir "$work/download"
        archive=$(download_source "$(suite_of "$major")" "$work/download")
        decompress "$archive" | tar -xf - -C "$work/download" --wildcards '*/src/test/regress' '*/src/test/isolation' '*/contrib'
        folder=$(find "$work/download" -mindepth 1 -maxdepth 1 -name "postgresql-*" -type d)
    fi
    cp -R "$folder/src/test/regress" "$folder/src/test/isolation" "$folder/contrib" "$work/source"
    rm -rf "$work/download"
    # VACUUM FULL of pg_class can deadlock with a test beside it that creates tables
    sed -i -E '/^test: .* vacuum( |$)/ { s/ vacuum( |$)/\1/; a test: vacuum
}' "$work/source/regress/parallel_schedule"
}

# Whether a script in the folder of a module, or the file of an isolation test, has a window or DISTINCT.  A window without
# "OVER (" has a WINDOW clause.
may_meet_scan() {
    grep -rqiE --include='*.sql' --include='*.spec' '\<over[[:space:]]*\(|\<window\>|\<distinct\>' "$1"
}

# Leaves out what SCAN_CORE_QUICK leaves out.
leave_out() {
    local module name schedule=$work/source/isolation/isolation_schedule
    sed -n 's/^test: *//p' "$schedule" | xargs -n 1 >"$work/specs"
    while read -r name; do
        if may_meet_scan "$work/source/isolation/specs/$name.spec"; then echo "test: $name"; fi
    done <"$work/specs" >"$schedule"
    for module in "$work"/source/contrib/*/tests; do
        module=$(dirname "$module")
        if ! may_meet_scan "$module"; then rm "$module/tests"; fi
    done
}

# Reads from the Makefile of a module of contrib: REGRESS | ISOLATION | options, the settings that its tests need, and its
# libraries.  A module whose library is not installed has no tests: those of Perl and Python are packages of their own.
read_module() {
    local module=$1 regress isolation options conf libraries library
    # shellcheck disable=SC2016
    IFS='|' read -r regress isolation options conf libraries < <(make -s -C "$module" USE_PGXS=1 "PG_CONFIG=$PG_CONFIG" \
        --eval 'show-tests: ; @echo "$(strip $(REGRESS))|$(strip $(ISOLATION))|$(filter --load-extension=% --encoding=%,$(REGRESS_OPTS) $(ISOLATION_OPTS))|$(notdir $(filter %.conf,$(REGRESS_OPTS) $(ISOLATION_OPTS)))|$(MODULES) $(MODULE_big)"' show-tests 2>/dev/null)
    for library in $libraries; do
        if [ ! -e "$("$PG_CONFIG" --pkglibdir)/$library.so" ]; then return; fi
    done
    if [ -z "$regress$isolation" ]; then return; fi
    echo "$regress|$isolation|$options" >"$module/tests"
    for conf in $conf; do cat "$module/$conf"; done >>"$work/contrib.conf"
}

prepare() {
    local module library
    PG_CONFIG=$(test/find_pg_config.sh)
    export PG_CONFIG
    make -s -j "$(nproc)" "PG_CONFIG=$PG_CONFIG" all >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; die "scan does not build"; }
    get_source
    mkdir "$work/lib"
    ${CC:-cc} -O1 -fPIC -shared -w "-I$("$PG_CONFIG" --includedir-server)" -o "$work/lib/regress.so" "$work/source/regress/regress.c"
    # the tests look for these beside regress.so
    for library in autoinc refint; do ln -s "$("$PG_CONFIG" --pkglibdir)/$library.so" "$work/lib"; done
    for module in "$work"/source/contrib/*/; do
        if [ -f "$module/Makefile" ]; then read_module "${module%/}"; fi
    done
    if [ -n "${SCAN_CORE_QUICK:-}" ]; then leave_out; fi
}

# ---- the runs

# conf FORM SIDE PART: the settings of a server.
conf() {
    local form=$1 side=$2 part=$3 preload='' mode=debug_parallel_query
    if [ "$major" -lt 16 ]; then mode=force_parallel_mode; fi
    # as pg_regress sets them for servers that it makes itself, or what only takes time
    printf '%s\n' 'max_prepared_transactions = 10' 'jit = off' 'max_wal_size = 4GB' 'compute_query_id = regress'
    if [ "$part" = contrib ]; then
        grep -vE '^ *(shared_preload_libraries|wal_level)' "$work/contrib.conf"
        echo 'wal_level = logical'
        preload=$(sed -nE "s/^ *shared_preload_libraries *= *'(.*)'.*/\1/p" "$work/contrib.conf" | paste -sd ,)
    fi
    if [ "$form" = parallel ]; then
        printf '%s\n' "$mode = regress" 'parallel_setup_cost = 0' 'parallel_tuple_cost = 0' 'min_parallel_table_scan_size = 0' 'min_parallel_index_scan_size = 0'
    fi
    if [ "$side" = scan ]; then
        preload=${preload:+$preload,}scan
        echo 'scan.prefixscan = force'
    fi
    echo "shared_preload_libraries = '$preload'"
}

# Runs one part with one server.  Keeps the processor time of all but the server, which run.sh keeps.
run_part() {
    local form=$1 side=$2 part=$3 TIMEFORMAT='%U %S'
    {
        time SCAN_CLUSTER_QUIET=1 SCAN_CLUSTER_CONF=$(conf "$form" "$side" "$part") \
            test/cluster.sh "$here/run.sh" "$work/$form/$side" "$part" >"$work/$form/$side.$part.log" 2>&1 </dev/null
    } 2>"$work/$form/$side.$part.time"
}

# Runs all parts at once, since isolation tests mostly wait.  Each part has two servers, one without scan and one with it:
# some regression tests would see the transactions that isolation tests have open.
run_form() {
    local form=$1 side part run runs=()
    mkdir "$work/$form"
    for side in core scan; do
        cp -R "$work/source" "$work/$form/$side"
    done
    ln -s ../lib "$work/$form/lib"
    if [ "$(id -u)" = 0 ]; then chown -R "$(id -u postgres >/dev/null 2>&1 && echo postgres || echo nobody)" "$work/$form"; fi
    for part in $parts; do
        for side in core scan; do
            run_part "$form" "$side" "$part" &
            runs+=($!)
        done
    done
    # a server that does not start has nothing to compare
    for run in "${runs[@]}"; do
        wait "$run" || {
            cat "$work/$form"/*.log
            failed=1
        }
    done
}

# ---- the comparison

# compare FORM SUITE FOLDER: adds what one suite comes to.
compare() {
    local form=$1 suite=$2 folder=$3 line
    perl "$here/compare.pl" "$form" "$suite" "$work/$form/core/$folder" "$work/$form/scan/$folder" >"$work/compared"
    line=$(tail -n 1 "$work/compared")
    head -n -1 "$work/compared"
    read -r -a line <<<"${line//[^0-9 ]/}"
    for i in "${!line[@]}"; do sums[i]=$((${sums[i]:-0} + line[i])); done
}

# How many tests a part has by its schedule, or by the Makefiles of contrib.
tests_of() {
    local folder=$work/source
    case $1 in
        regress) sed -n 's/^test: *//p' "$folder/regress/parallel_schedule" | wc -w ;;
        isolation) sed -n 's/^test: *//p' "$folder/isolation/isolation_schedule" | wc -w ;;
        contrib) cut -d '|' -f 1,2 "$folder"/contrib/*/tests | tr '|' ' ' | wc -w ;;
    esac
}

complain() {
    echo "core_suite: $*"
    failed=1
}

# Fails if too little was compared.  $3: how many tests there are at the least; $4: how many plans show a node of scan.
check_part() {
    local form=$1 part=$2 least=$3 shown=$4 tests bad log side
    tests=$(tests_of "$part")
    if [ "$tests" -lt "$least" ]; then complain "$part: only $tests tests in the source"; fi
    if [ "${sums[0]}" -ne "$tests" ]; then complain "$part: ${sums[0]} files compared, of $tests tests"; fi
    if [ "${sums[6]}" -lt "$shown" ]; then complain "$part: only ${sums[6]} plans have a node of scan"; fi
    for side in core scan; do
        if [ -e "$work/$form/$side/$part.failed" ]; then complain "$(cat "$work/$form/$side/$part.failed")"; fi
    done
    # Tests that cannot do their work may print the same errors twice.  Core alone differs from what its source expects in
    # some tests, if the source is of another minor version.
    bad=$(find "$work/$form/core" -path "*/core/$part*.log" -exec cat {} + | grep -cE '^not ok|\.\.\. FAILED' || true)
    if [ "$form" = plain ] && [ "$bad" -gt 30 ]; then complain "$bad tests fail without scan"; fi
}

# The processor time of one part in both servers, or of all parts.
seconds_of() {
    cat "$work/$1"/{core,scan}."$2".time "$work/$1"/{core,scan}/"$2".server 2>/dev/null | awk '{ sum += $1 + $2 } END { printf "%.0f", sum }'
}

# The line of one part, after the differences.
tell_part() {
    local form=$1 part=$2 sums=(0 0 0 0 0 0 0) module
    case $part in
        contrib)
            for module in "$work"/source/contrib/*/tests; do
                module=contrib/$(basename "$(dirname "$module")")
                compare "$form" "$module" "$module"
                compare "$form" "$module" "$module/isolation"
            done
            ;;
        *) compare "$form" "$part" "$part" ;;
    esac
    echo "core_suite: $version, $form, $part: ${sums[0]} files compared, ${sums[1]} differ: ${sums[2]} by a plan, ${sums[3]} by the order of rows, ${sums[4]} by ties, ${sums[5]} otherwise ($(seconds_of "$form" "$part") s of processor time)"
    if [ "${sums[5]}" -gt 0 ]; then failed=1; fi
    check_part "$@"
}

run_here() {
    local form part quick=
    if [ -n "${SCAN_CORE_QUICK:-}" ]; then quick=1; fi
    work=${SCAN_CORE_KEEP:-}
    if [ -n "$work" ]; then mkdir "$work"; else work=$(mktemp -d /tmp/scan-core.XXXXXX); fi
    work=$(realpath "$work")
    chmod 755 "$work"
    trap 'end_silently; [ -n "${SCAN_CORE_KEEP:-}" ] || rm -rf "$work"' EXIT
    begin "PostgreSQL's tests and scan"
    prepare
    end
    version=$("$("$PG_CONFIG" --bindir)/postgres" --version | sed -E 's/^postgres \(PostgreSQL\) ([^ ]+).*/\1/')
    for form in "${forms[@]}"; do
        begin "$parts of $version, $form"
        run_form "$form"
        end
        for part in $parts; do
            case $part in
                regress) tell_part "$form" regress 150 20 ;;
                isolation) tell_part "$form" isolation "${quick:-90}" 0 ;;
                contrib) tell_part "$form" contrib "${quick:-100}" 3 ;;
            esac
        done
    done
    exit "$failed"
}

# The same in a system of Debian that has the server.
elsewhere() {
    local suite root archive source=SCAN_SOURCE_$major
    need_root
    suite=$(suite_of "$major")
    if [ -z "$suite" ]; then die "Debian has no PostgreSQL $major"; fi
    root=$chroots/$suite
    make_root "$suite" "$root"
    mount_inside "$root"
    install_server "$major" "$root"
    copy_source "$root/scan-core-$major"
    rm -rf "$root/core-source-$major"
    if [ -n "${!source:-}" ]; then
        cp -R "${!source}" "$root/core-source-$major"
        export "$source=/core-source-$major"
    else
        work=$(mktemp -d "$root/tmp/scan-core.XXXXXX")
        mkdir "$root/core-source-$major"
        archive=$(download_source "$suite" "$work")
        decompress "$archive" | tar -xf - -C "$root/core-source-$major" --strip-components=1
        rm -rf "$work"
    fi
    inside "$root" "PG_CONFIG=/usr/lib/postgresql/$major/bin/pg_config" "SCAN_SOURCE_$major=/core-source-$major" "SCAN_CORE_PARTS=$parts" \
        "SCAN_CORE_KEEP=${SCAN_CORE_KEEP:-}" "SCAN_CORE_QUICK=${SCAN_CORE_QUICK:-}" "/scan-core-$major/$here/../core_suite.sh" "$major" "${forms[@]}"
}

# Whether the server of MAJOR, and what an extension is built with, are installed here.
is_here() {
    local pg_config
    export PG_MAJOR=$major
    pg_config=$(test/find_pg_config.sh) && [[ $("$pg_config" --version) =~ ^PostgreSQL\ $major([^0-9]|$) ]]
}

# Whether this system is the release of Debian that has the server: what is missing is installed then.
is_of_this_release() {
    (source /etc/os-release && [ "${VERSION_CODENAME:-}" = "$(suite_of "$major")" ]) 2>/dev/null
}

if is_of_this_release; then PG_MAJOR=$major test/bootstrap.sh demo; fi
if is_here; then
    run_here
else
    elsewhere
fi
