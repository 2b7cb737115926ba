#!/usr/bin/env bash
# TAP tests (test/t/*.pl): they start servers of their own with PostgreSQL's test library, from the private
# installation, as an unprivileged user. The current directory is the top of the tree. Arguments pick scripts: --few, those that
# every change is tested with, --more, the others, or names; all of them without an argument.
# Their numbers are in tens: 00 the extension in a database, 01 golden cases, 02 values, 03 limits, 04 indexes and
# plans, 05 formats, 06 linear algebra, 07 the client, 08 the store, 09 the manual.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tools/private-install.sh
find_base

bindir=$(private_bindir)
src=$(dirname "$("$PG_CONFIG" --pgxs)")/..

# What draws in a browser, calls recorders, viewers and editors of others, counts each block that is executed, compares plans of all
# kinds, dumps types and jobs, or repeats something at random: these take half of the time of all scripts, and
# `make test` is to take ten minutes.
more=" 020_dump_restore 031_polls 040_aggregates 041_stackpath_indexes 043_parallel 044_stackquery_ltree 051_perf_fields
    052_recording_commands 053_jfr_binary 077_editor 095_store_noise 101_jobs_dump 110_jobs_large "
more=${more//$'\n'/ }

which=all
case ${1:-} in --few | --more) which=${1#--} && shift ;; esac
scripts=("$@")
add_script() {
    local kind="few"
    if [ ! -f "$1" ] || [[ " ${scripts[*]} " == *" $1 "* ]]; then return; fi
    if [[ $more == *" $(basename "$1" .pl) "* ]]; then kind="more"; fi
    if grep -q '^use Browser;' "$1"; then kind="more"; fi
    if [ "$which" = all ] || [ "$which" = "$kind" ]; then scripts+=("$1"); fi
}
if [ ${#scripts[@]} -eq 0 ]; then
    # The longest first, so that none of them is alone at the end.
    for s in 031_polls 083_store_cron 056_pictures_browser 062_pictures_parts 098_store_pages_browser 090_docs 064_plots_browser \
        087_store_corrections 080_store_dump 067_flame_chart_browser 042_fdw 043_parallel 020_dump_restore 085_store_nights 058_other_viewers \
        040_aggregates 070_load 082_store_watch 110_jobs_large 091_services_faults 094_store_filters 041_stackpath_indexes 103_jobs_import \
        095_store_noise 065_samples 051_perf_fields 071_load_hostile 050_formats 101_jobs_dump; do
        add_script "test/t/$s.pl"
    done
    for s in test/t/*.pl; do add_script "$s"; done
fi
if [ ! -f "${scripts[0]}" ]; then
    say "  no test in test/t"
    say "0 passed, 1 failed"
    exit 1
fi

# The library that counts its work between two interrupt polls, where it is asked for.
polls=$base/build/polls/flamegraph_polls.so
if [[ " ${scripts[*]} " == *" test/t/031_polls.pl "* ]]; then
    mkdir -p "$base/build/polls"
    run_make -s -f tools/polls.mk
    if [ "$base" != "$top/tmp" ]; then cp tmp/build/polls/flamegraph_polls.so "$polls"; fi
fi

# Where the tree is out of reach for the server's user, the tests run in a copy of what they may read.
work=$top
if [ "$base" != "$top/tmp" ]; then
    work=$base/tree
    rm -rf "$work"
    mkdir -p "$work"
    for f in test bench docs demo grafana sql expected README.md CHANGELOG.md META.json flamegraph*.control flamegraph*--*.sql client; do
        if [ -e "$f" ]; then cp -R "$f" "$work/"; fi
    done
    find src -name '*.c' -exec cp --parents {} "$work" \;
    cp --parents tools/spent.py "$work"
fi

rm -rf "$base/tap"
mkdir -p "$base/tap/home" "$base/tap/logs"
give_to_server_user "$base/tap"
log=$base/tap.log
# Four scripts at a time on two processors: they wait for servers, for each other's transactions and for pg_cron, too.
jobs=${TAP_JOBS:-4}

# Clusters are copies of one: initdb takes longer than many a script. From 16 on the library does that by itself.
template=$base/tap/template
make_template() {
    as_server_user env LANG=C.UTF-8 "$bindir/initdb" -A trust -N -D "$@" >"$base/tap/initdb.txt" 2>&1 ||
        die "initdb failed: $(cat "$base/tap/initdb.txt")"
}
make_template "$template"

# What every server of the library gets; a script may say otherwise. Nothing in them is worth a disk's time, but what
# is committed outlives a server that is killed (synchronous_commit is not off): scripts rely on it. The costs of
# our functions make the planner compile queries over a few rows, which took most of the time of many a script:
# 040_aggregates.pl is the one that has it done.
cat >"$base/tap/server.conf" <<'CONF'
jit = off
full_page_writes = off
max_wal_size = 2GB
CONF

# Without the right of everybody to create in the schema public, as it is from 15 on.
perl=perl
major=$("$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
if [ "$major" -lt 15 ]; then perl='perl -MPublicSchema'; elif [ "$major" -lt 16 ]; then
    perl='perl -MClusterTemplate'
    if grep -q -- '--locale=C' "${scripts[@]}"; then make_template "${template}_c" --encoding=UTF8 --locale=C; fi
fi

status=0
(
    cd "$work"
    for v in ${!PG@}; do
        case $v in PG_CONFIG) ;; *) unset "$v" ;; esac
    done
    # LANG decides the encoding of the clusters that the tests create. PostgreSQL 15 reads TESTDIR, later versions
    # the other two.
    # shellcheck disable=SC2016 # these are for the inner shell
    printf '%s\0' "${scripts[@]}" |
        as_server_user env HOME="$base/tap/home" LANG=C.UTF-8 PATH="$bindir:$PATH" PGPORT=65432 \
            INITDB_TEMPLATE="$template" TEMP_CONFIG="$base/tap/server.conf" TESTDIR="$base/tap" TESTDATADIR="$base/tap/tmp_check" TESTLOGDIR="$base/tap/tmp_check/log" \
            top_builddir="$base/tap" PG_REGRESS="$src/test/regress/pg_regress" \
            PERL5LIB="$src/test/perl:$work/test/t" LOGS="$base/tap/logs" SPENT="$base/tap/spent" PERL_COMMAND="$perl" FLAMEGRAPH_POLLS="$polls" \
            xargs -0 -n 1 -P "$jobs" sh -c 'log=$LOGS/$(basename "$1")
                tools/spent.py "$SPENT" "$(basename "$1" .pl)" $PERL_COMMAND "$1" </dev/null >"$log" 2>&1
                status=$?
                echo "$1 .. exit status $status" >>"$log"
                [ "$status" -eq 0 ]' sh
) || status=$?
cat "$base"/tap/logs/* >"$log"
cat "$base/tap/spent" >>"${SPENT:-/dev/null}"

# Each test is a line of its own; subtests are indented. A failure that is expected (TODO) is none.
passed=$(grep -cE '^ok ' "$log") || true
failed=$(grep -E '^not ok ' "$log" | grep -cvE '# TODO') || true
# A script that died, or ran another number of tests than it planned: then Test::More ends with another status than the number of
# its failures. That is all that prove would be good for, which is another Perl for each script.
for f in "$base"/tap/logs/*; do
    name=$(basename "$f" .pl)
    bad=$(grep -E '^not ok ' "$f" | grep -vE '# TODO') || true
    if [ -n "$bad" ]; then failing "${bad//not ok/$name: not ok}"; fi
    if grep -qE " \.\. exit status ($(grep -c . <<<"$bad" || true)|0)\$" "$f"; then continue; fi
    failed=$((failed + 1))
    # The library keeps what goes to the standard error to itself.
    last=$(grep -hE ' at .* line [0-9]+\.$' "$base/tap/tmp_check/log/regress_log_$name" | tail -n 1) || true
    failing "$name: ended after $(grep -cE '^ok ' "$f" || true) tests that passed: ${last:-$(grep '^# Looks like' "$f" || true)}"
done
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi

grep -E '^(.*\.pl \.\.|1\.\.0 # SKIP|ok .*# skip)' "$log" | sed 's/^/    /' || true
if [ "$failed" -gt 0 ]; then
    say "    the log without what passed ($log); the servers' logs are in $base/tap/tmp_check/log"
    grep -vE '^ok ' "$log" | tail -n 200 | sed 's/^/      /'
fi
counts
