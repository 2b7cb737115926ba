#!/usr/bin/env bash
# Makes a release of what is committed, in two commits: the release itself, and the beginning of the next version.
#
#   release.sh NEXT       NEXT is the version that begins, e.g. 0.2.0
#
# The install scripts of a release go to sql/released and never change again; sql/released/SHA256SUMS says so, and lint
# compares. From then on the topics in sql/ are those of the next version. tools/upgrade_script.py writes what they change
# into sql/flamegraph--OLD--NEXT.sql, sql/store/flamegraph_store--OLD--NEXT.sql and the same of sql/jobs; what it cannot know, the changes of
# tables, is written by hand into upgrade-OLD.sql beside them. test/t/006_upgrade.pl compares an updated database with a
# fresh one.
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

run_make -s "flamegraph--$version.sql" "flamegraph_store--$version.sql" "flamegraph_jobs--$version.sql"
mkdir -p sql/released
cp "flamegraph--$version.sql" "flamegraph_store--$version.sql" "flamegraph_jobs--$version.sql" sql/released/
(cd sql/released && sha256sum ./*.sql >SHA256SUMS)
sed -i "s/^## \[Unreleased\] ${version//./\\.}$/## [$version] - $(date +%F)/" CHANGELOG.md
sed -i 's/"release_status": ".*"/"release_status": "stable"/' META.json
sed -i "1s/UNRELEASED/unstable/; 0,/^ -- .*/s/^\( -- .*>\)  .*/\1  $(date -R)/" debian/changelog
git add sql/released CHANGELOG.md META.json debian/changelog
git commit -q -m "Release $version" -m "The install scripts are kept as they are from now on."

# --- the next version -------------------------------------------------------------------------------------------------

# The parts by hand are in the upgrade scripts that were just released.
git rm -q --ignore-unmatch sql/upgrade-*.sql sql/store/upgrade-*.sql sql/jobs/upgrade-*.sql
: >"sql/upgrade-$version.sql"
: >"sql/store/upgrade-$version.sql"
: >"sql/jobs/upgrade-$version.sql"
sed -i "s/^RELEASED *= .*/RELEASED     = $version/" Makefile
sed -i "s/^default_version *= .*/default_version = '$next'/" flamegraph.control flamegraph_store.control flamegraph_jobs.control
sed -i "s/\"version\": \"${version//./\\.}\"/\"version\": \"$next\"/; s/--${version//./\\.}\.sql/--$next.sql/" META.json
sed -i "0,/^## \[$version\]/s//## [Unreleased] $next\n\n## [$version]/" CHANGELOG.md
{
    printf 'postgresql-flamegraph (%s-1) UNRELEASED; urgency=medium\n\n  * New release.\n\n' "$next"
    printf '%s  %s\n\n' "$(grep -m 1 -o '^ -- .*>' debian/changelog)" "$(date -R)"
    cat debian/changelog
} >debian/changelog.new
mv debian/changelog.new debian/changelog
tools/upgrade_script.py
git add Makefile sql flamegraph.control flamegraph_store.control flamegraph_jobs.control META.json CHANGELOG.md debian/changelog
git commit -q -m "Begin $next" -m "What changes in the SQL from here on is in the upgrade scripts, too."
git --no-pager log --oneline -2
