#!/usr/bin/env bash
#
# address.sh [FOLDER]: writes where the project lives on the web, and who vouches for its packages, into what packagers
# read: META.json and debian/ of that folder, this checkout unless told.
#
#   SCAN_URL=https://...            the repository's page; unless told, that of the remote `origin`
#   MAINTAINER='Name <address>'     unless told, the one that the files name stays
#
# The files of the repository have neither: a copy of it may live anywhere.  Whoever publishes one runs this script once
# and commits what it has written.  deb.sh and dist.sh, and so the workflow of releases, run it on their own copies.

set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$here}

# The page of a repository by what git calls it.  Who may push there is nobody's business: user and password go.
page_of() {
    echo "$1" | sed -nE 's#\.git/?$##; s#^(ssh://)?git@([^:/]+)[:/]#https://\2/#; s#^(https://)[^@/]*@#\1#; s#^(https://[^ "<>]+[^/])/*$#\1#p'
}

url=${SCAN_URL:-$(git -C "$here" remote get-url origin 2>/dev/null || true)}
url=$(page_of "$url")

if [ -n "${MAINTAINER:-}" ]; then
    export MAINTAINER
    perl -pi -e 's/^(\t"maintainer": ").*(",)$/$1$ENV{MAINTAINER}$2/' "$folder/META.json"
    perl -pi -e 's/^(Maintainer: ).*/$1$ENV{MAINTAINER}/' "$folder/debian/control.in"
    # the changelog's newest entry, and those that name nobody
    perl -0pi -e 's/^( -- ).*?(  \w\w\w, )/$1$ENV{MAINTAINER}$2/m; s/^( -- ).*<scan\@localhost>/$1$ENV{MAINTAINER}/mg' "$folder/debian/changelog"
fi

if [ -z "$url" ]; then
    echo "address: SCAN_URL says no page, nor does a remote: META.json and debian/ name none" >&2
    exit 0
fi
export url
perl -0pi -e 's/\t"resources": \{.*?\n\t\},\n//s;
    s#(?=\t"meta-spec")#\t"resources": {\n\t\t"homepage": "$ENV{url}",\n\t\t"bugtracker": {\n\t\t\t"web": "$ENV{url}/issues"\n\t\t},\n\t\t"repository": {\n\t\t\t"url": "$ENV{url}.git",\n\t\t\t"web": "$ENV{url}",\n\t\t\t"type": "git"\n\t\t}\n\t},\n#' "$folder/META.json"
perl -0pi -e 's/^(Homepage|Vcs-Browser|Vcs-Git): .*\n//mg;
    s#^(?=Rules-Requires-Root)#Homepage: $ENV{url}\nVcs-Browser: $ENV{url}\nVcs-Git: $ENV{url}.git\n#m' "$folder/debian/control.in"
perl -0pi -e 's/^Source: .*\n//m; s#^(Upstream-Name: .*\n)#$1Source: $ENV{url}\n#m' "$folder/debian/copyright"
printf 'version=4\n%s/tags .*/v?(\\d[\\d.]*)\\.tar\\.gz\n' "$url" >"$folder/debian/watch"
