#!/usr/bin/env bash
# Debian packages: postgresql-NN-flamegraph for every server that the release has, and flamegraph-load. Built by
# Debian's own tools from what is committed here.
#
#   packages.sh                                        for this machine; the packages go to tmp/packages
#   packages.sh [--folder PREFIX] [--new] RELEASE ...  each release (bookworm, trixie, sid) in a folder made with
#                                                      debootstrap, as a test: built, looked at by lintian, installed,
#                                                      and tested by autopkgtest, which runs the SQL tests against what
#                                                      was installed. The packages stay in PREFIX-RELEASE/srv/packages
#
#   --folder PREFIX    PREFIX-RELEASE are the folders; tmp/packages by default
#   --new              debootstrap again where a folder is there already
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=tools/folder.sh
. "$top/tools/folder.sh"

usage() {
    sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

prefix=$top/tmp/packages
new=
releases=()
while [ $# -gt 0 ]; do
    case $1 in
        --folder) prefix=${2:?} && shift ;;
        --new) new=yes ;;
        -*) usage ;;
        *) releases+=("$1") ;;
    esac
    shift
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

version=$(sed -n '1s/.*(\(.*\)-.*).*/\1/p' debian/changelog)

# export_source FOLDER: the original sources beside a tree of them with debian/
export_source() {
    mkdir -p "$1"
    tools/dist.sh --tar "$1/postgresql-flamegraph_$version.orig.tar.gz"
    tar -C "$1" -xzf "$1/postgresql-flamegraph_$version.orig.tar.gz"
    git archive HEAD debian | tar -C "$1/flamegraph-$version" -xf -
}

# Steps in the folder; each is a command that a packager would give.
prepare='apt-get update -qq &&
    apt-get install -y -qq --no-install-recommends build-essential debhelper devscripts lintian autopkgtest \
        postgresql-server-dev-all postgresql-common &&
    cd /srv/packages/source && pg_buildext updatecontrol &&
    apt-get build-dep -y -qq --no-install-recommends ./ &&
    (id builder || useradd --create-home builder) && chown -R builder: /srv/packages'
build='cd /srv/packages/source && su builder -c "dpkg-buildpackage --no-sign"'
look='cd /srv/packages && su builder -c "lintian --fail-on error --tag-display-limit 0 *.changes"'
test='cd /srv/packages && autopkgtest --no-built-binaries --user builder ./*.deb source// -- null'

# step NAME COMMAND: counted
step() {
    local begin=$SECONDS
    if in_folder "$folder" sh -c "export DEBIAN_FRONTEND=noninteractive; $2" >"$folder.$1.log" 2>&1; then
        passed=$((passed + 1))
        say "  ok      $release: $1 ($((SECONDS - begin)) s)"
    else
        failed=$((failed + 1))
        say "  FAILED  $release: $1; see $folder.$1.log"
        tail -n 30 "$folder.$1.log" | sed 's/^/          /'
        return 1
    fi
}

test_release() {
    local release=$1 folder=$prefix-$1
    have_folder "$folder" "$release" "$new"
    rm -rf "$folder/srv/packages"
    export_source "$folder/srv/packages"
    mv "$folder/srv/packages/flamegraph-$version" "$folder/srv/packages/source"
    step prepare "$prepare" && step build "$build" && step lintian "$look" && step autopkgtest "$test" || return 0
    (cd "$folder/srv/packages" && ls -1 ./*.deb)
}

if [ ${#releases[@]} -gt 0 ]; then
    for r in "${releases[@]}"; do test_release "$r"; done
    counts
    exit
fi

command -v pg_buildext >/dev/null ||
    die "pg_buildext is missing: apt-get install build-essential debhelper devscripts postgresql-server-dev-all"
rm -rf "$prefix"
export_source "$prefix"
cd "$prefix/flamegraph-$version"
pg_buildext updatecontrol
# SQL tests of a build need a server that root must not run; packages.sh RELEASE runs them.
DEB_BUILD_OPTIONS="nocheck ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage --no-sign --build=binary
ls -1 "$prefix"/*.deb
