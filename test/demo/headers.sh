#!/usr/bin/env bash
#
# demo/headers.sh: prints a pg_config with which scan can be built, and which names the server that runs the demo.
#
# Where PostgreSQL's server headers are installed, that is their own pg_config.  Else this unpacks Debian's package
# postgresql-server-dev-N below test/demo/build, with the client's package, which has pg_config, and installs nothing:
# the first one depends on clang and LLVM, 300 MB that the demo has no use for and that take 20 seconds to install.
# pg_config tells folders by the place that it lies in; so a script in front of it tells the headers, which are unpacked,
# from the server's folders, which are the system's.  Fails, with what apt says, where the packages cannot be
# had, and silently in a folder with a blank in its name: make takes such a name for two.

set -euo pipefail
cd "$(dirname "$0")/../.."

source test/pg_majors.sh
folder=$PWD/test/demo/build

if test/find_pg_config.sh; then
    exit
fi
if [ -x "$folder/pg_config" ]; then
    echo "$folder/pg_config"
    exit
fi
major=$(major_to_install)
case $folder in *[[:space:]]*) exit 1 ;; esac
rm -rf "$folder"
mkdir -p "$folder"
(cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download "postgresql-server-dev-$major" "postgresql-client-$major") >&2
for package in "$folder"/*.deb; do dpkg -x "$package" "$folder"; done
cat >"$folder/pg_config" <<SCRIPT
#!/bin/sh
# written by test/demo/headers.sh
case \$1 in
    --pgxs | --includedir* | --pkgincludedir) exec '$folder/usr/lib/postgresql/$major/bin/pg_config' "\$@" ;;
    *) '$folder/usr/lib/postgresql/$major/bin/pg_config' "\$@" | sed 's#$folder##g' ;;
esac
SCRIPT
chmod +x "$folder/pg_config"
echo "$folder/pg_config"
