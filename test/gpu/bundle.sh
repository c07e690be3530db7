#!/usr/bin/env bash
#
# bundle.sh [LIBRARY.so]: packs PostgreSQL with scan installed, the programs of test/gpu and all of the source that
# they read, for a machine with a GPU that has neither PostgreSQL nor a network: bundle/tree/test/gpu/run.sh runs
# everything there, wherever it is unpacked, and whoever does.
#
# A PostgreSQL program finds its folders by the way that leads to them from its own, so
# its files can lie below any folder.  With them go the shared libraries that they need,
# all but the C library's: the other machine's must be as new.  LIBRARY is what becomes of
# scan_cuda.so: gpu/scan_cuda.so unless told, which `make gpu` has to have built.  With
# test/gpu/build/scan_emulated.so, or scan_mock.so, all of run.sh can be tried without a GPU.
#
# Makes test/gpu/build/bundle.tar.gz, and fails where it is larger than MOST_MIB (64).

set -euo pipefail
cd "$(dirname "$0")/../.."

library=${1:-gpu/scan_cuda.so}
build=test/gpu/build
root=$build/bundle
pg_config=$(test/find_pg_config.sh)
bindir=$("$pg_config" --bindir)
pkglibdir=$("$pg_config" --pkglibdir)
sharedir=$("$pg_config" --sharedir)
regress=$(dirname "$("$pg_config" --pgxs)")/../test/regress/pg_regress

[ -f "$library" ] || {
    echo "bundle: there is no $library: \`make gpu\` builds it" >&2
    exit 1
}

rm -rf "$root"
mkdir -p "$root$bindir" "$root$pkglibdir" "$root$sharedir" "$root/libraries" "$root/programs" "$root/tree"

for program in postgres initdb pg_ctl psql pg_config pg_isready; do
    cp -L "$bindir/$program" "$root$bindir"
done
cp -L "$regress" "$root$bindir"
# what initdb and the tests load; others, such as the languages that are installed here, take more room than all the rest
for name in plpgsql dict_snowball; do
    cp -L "$pkglibdir/$name.so" "$root$pkglibdir"
done
(cd "$sharedir" && tar -ch --exclude=man --exclude=locale --exclude=contrib .) | tar -x -C "$root$sharedir"

make -s --no-print-directory install "DESTDIR=$PWD/$root" "PG_CONFIG=$pg_config" >/dev/null
cp "$library" "$root$pkglibdir/scan_cuda.so"

make -s --no-print-directory -f test/gpu/Makefile "$build/check" "$build/soak" "$build/jobs"
cp "$build/check" "$build/soak" "$build/jobs" "$root/programs"
# those for a device, or, with another library than scan_cuda.so, those that the emulator runs
for program in bench classics; do
    case $library in *scan_cuda.so) ;; *) program=${program}_emulated ;; esac
    [ -x "$build/$program" ] || {
        echo "bundle: there is no $build/$program: see test/gpu/README.md" >&2
        exit 1
    }
    cp "$build/$program" "$root/programs"
done
# if they are built
for program in bench_checked bench_spin200; do
    case $library in *scan_cuda.so) ;; *) program=${program}_emulated ;; esac
    [ ! -x "$build/$program" ] || cp "$build/$program" "$root/programs"
done
cp -r --parents expected test/sql test/cluster.sh test/progress.sh test/find_pg_config.sh test/t/*.pm test/t/gpu.t test/gpu/*.sh test/gpu/*.sql \
    test/gpu/*.conf "$root/tree"
git log -1 --format='commit %h %s' >"$root/commit" 2>/dev/null || true

find "$root" -type f \( -name '*.so' -o -perm -u+x \) -exec strip --strip-unneeded {} + 2>/dev/null || true

# what they need, but for the C library; a driver's libcuda is the other machine's
find "$root$bindir" "$root$pkglibdir" "$root/programs" -type f -exec ldd {} + 2>/dev/null |
    awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libanl|libutil|libnss_.*|libcuda)\.so' |
    while read -r file; do
        cp -L "$file" "$root/libraries"
    done
if [ -d /usr/share/zoneinfo ]; then
    (cd /usr/share && tar -ch --exclude=right --exclude=posix zoneinfo) | tar -x -C "$root"
fi

tar -C "$build" -czf "$build/bundle.tar.gz" bundle
bytes=$(stat -c %s "$build/bundle.tar.gz")
echo "bundle: $build/bundle.tar.gz, $((bytes / 1048576)) MiB"
[ "$bytes" -le $((${MOST_MIB:-64} * 1048576)) ] || {
    echo "bundle: that is more than ${MOST_MIB:-64} MiB" >&2
    exit 1
}
