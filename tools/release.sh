#!/usr/bin/env bash
# Makes a release of what is committed, in two commits: the release itself, and the beginning of the next version.
#
#   release.sh NEXT       NEXT is the version that begins, e.g. 0.2.0
#
# The install scripts of a release go to sql/released and never change again; sql/released/SHA256SUMS says so, and lint
# compares. From then on the topics in sql/ are those of the next version, and what they change is written down in the
# upgrade scripts, too: sql/flamegraph--OLD--NEXT.sql and sql/store/flamegraph_store--OLD--NEXT.sql. They are empty at
# first. test/t/006_upgrade.pl compares an updated database with a fresh one.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

next=${1:-}
[[ $next =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "usage: release.sh NEXT, e.g. release.sh 0.2.0"
version=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" flamegraph.control)
[ "$version" != "$next" ] || die "$next is the version of the tree already"
git diff --quiet HEAD -- || die "there are changes that are not committed"
grep -q "^## \[Unreleased\] ${version//./\\.}$" CHANGELOG.md || die "CHANGELOG.md has no section \"[Unreleased] $version\""

# --- the release ------------------------------------------------------------------------------------------------------

run_make -s "flamegraph--$version.sql" "flamegraph_store--$version.sql"
mkdir -p sql/released
cp "flamegraph--$version.sql" "flamegraph_store--$version.sql" sql/released/
(cd sql/released && sha256sum ./*.sql >SHA256SUMS)
sed -i "s/^## \[Unreleased\] ${version//./\\.}$/## [$version] - $(date +%F)/" CHANGELOG.md
sed -i 's/"release_status": ".*"/"release_status": "stable"/' META.json
sed -i "1s/UNRELEASED/unstable/; 0,/^ -- .*/s/^\( -- .*>\)  .*/\1  $(date -R)/" debian/changelog
git add sql/released CHANGELOG.md META.json debian/changelog
git commit -q -m "Release $version" -m "The install scripts are kept as they are from now on."

# --- the next version -------------------------------------------------------------------------------------------------

# upgrade EXTENSION FILE: an upgrade script that does nothing yet
upgrade() {
    printf '%s\n' "-- complain if script is sourced in psql, rather than via ALTER EXTENSION" \
        "\\echo Use \"ALTER EXTENSION $1 UPDATE TO '$next'\" to load this file. \\quit" >"$2"
    git add "$2"
}
upgrade flamegraph "sql/flamegraph--$version--$next.sql"
upgrade flamegraph_store "sql/store/flamegraph_store--$version--$next.sql"
sed -i "s/^default_version *= .*/default_version = '$next'/" flamegraph.control flamegraph_store.control
sed -i "s/\"version\": \"${version//./\\.}\"/\"version\": \"$next\"/; s/--${version//./\\.}\.sql/--$next.sql/" META.json
sed -i "0,/^## \[$version\]/s//## [Unreleased] $next\n\n## [$version]/" CHANGELOG.md
{
    printf 'postgresql-flamegraph (%s-1) UNRELEASED; urgency=medium\n\n  * New release.\n\n' "$next"
    printf '%s  %s\n\n' "$(grep -m 1 -o '^ -- .*>' debian/changelog)" "$(date -R)"
    cat debian/changelog
} >debian/changelog.new
mv debian/changelog.new debian/changelog
git add flamegraph.control flamegraph_store.control META.json CHANGELOG.md debian/changelog
git commit -q -m "Begin $next" -m "What changes in the SQL from here on is written down in the upgrade scripts, too."
git --no-pager log --oneline -2
