#!/usr/bin/env bash
# The zip for PGXN: what is committed, nothing else. It is unpacked, built and installed into an empty folder before
# it is left in tmp/dist.
#
#   dist.sh [--tar FILE]
#
#   --tar FILE    only the same files as a compressed tar, without debian/: the original sources of a Debian package
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The version stands in several files, and each of them is read by somebody else.
version=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" flamegraph.control)
[ -n "$version" ] || die "flamegraph.control says no version"
for f in flamegraph_store flamegraph_jobs; do
    [ "$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$f.control")" = "$version" ] ||
        die "flamegraph and $f have different versions"
done
[ "$(sed -n 's/^ *"version": "\(.*\)",\{0,1\}$/\1/p' META.json | grep -v '^1\.0\.0$' | sort -u)" = "$version" ] ||
    die "META.json has another version than $version"

git diff --quiet HEAD -- || say "note: changes that are not committed are not in it" >&2

if [ "${1:-}" = --tar ]; then
    git archive --format=tar.gz --prefix="flamegraph-$version/" -o "${2:?}" HEAD ':(exclude)debian'
    exit
fi

dist=$top/tmp/dist
zip=$dist/flamegraph-$version.zip
rm -rf "$dist"
mkdir -p "$dist/unpacked" "$dist/installed"
git archive --format=zip --prefix="flamegraph-$version/" -o "$zip" HEAD
python3 -m zipfile -e "$zip" "$dist/unpacked"
(
    cd "$dist/unpacked/flamegraph-$version"
    # As it comes out of a zip: what is no script of the build does not need to be executable.
    find . -type f -exec chmod a-x {} +
    run_make -s all
    run_make -s install DESTDIR="$dist/installed"
) >"$dist/log" 2>&1 || die "what is in the zip cannot be built and installed; see $dist/log"
for f in flamegraph flamegraph_store flamegraph_jobs; do
    [ -n "$(find "$dist/installed" -name "$f--$version.sql")" ] || die "$f--$version.sql was not installed"
done
rm -rf "$dist/unpacked" "$dist/installed"
say "$zip"
