#!/usr/bin/env bash
# The SQL tests: pg_regress over test/sql, compared with expected/.
#
# With PGHOST or PGPORT set they run against that server, where the extension has to be installed ("make
# installcheck" as packagers know it); else in a private server. Beside it they run in a second one with other settings
# that must not change any result: lz4 for stored values and a linguistic default collation. Each waits for its server
# half of the time.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

run_private() {
    local settings status
    tools/private-install.sh
    for settings in test other; do
        tools/server.sh init "$settings"
        tools/server.sh run "$settings" tools/regress.sh --inside "$settings" >"tmp/regress-$settings.log" 2>&1 &
    done
    status=0
    for settings in test other; do wait -n || status=1; done
    for settings in test other; do
        sed -E '/^[0-9]+ passed, [0-9]+ failed$/d' "tmp/regress-$settings.log"
        read_counts "tmp/regress-$settings.log" 0
        passed=$((passed + got_passed))
        failed=$((failed + got_failed))
        sed -nE "s/^ *(test ([^ ]+) +\.\.\. (FAILED|failed)|not ok [0-9]+ *[-+] +([^ ]+)).*/\2\4 ($settings server)/p" \
            "tmp/regress-$settings.log" >>"${FAILING:-/dev/null}"
    done
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
    counts
}

if [ "${1:-}" != --inside ] && [ -z "${PGHOST:-}${PGPORT:-}" ]; then
    if run_private; then exit 0; else exit 1; fi
fi

# Sorted, except that a test "init" comes first. pg_regress stops at a name that occurs twice, so does the shell.
tests=()
if [ -f test/sql/init.sql ]; then tests+=(init); fi
for f in test/sql/*.sql; do
    [ -f "$f" ] || continue
    t=$(basename "$f" .sql)
    if [ "$t" != init ]; then tests+=("$t"); fi
    if [ -f "sql/$t.sql" ]; then
        die "test/sql/$t.sql: give it another name; pg_regress, called by hand, would run the install script sql/$t.sql"
    fi
done
if [ ${#tests[@]} -eq 0 ]; then
    say "  no test in test/sql"
    say "0 passed, 1 failed"
    exit 1
fi

pgxs=$("$PG_CONFIG" --pgxs)
pg_regress=$(dirname "$pgxs")/../test/regress/pg_regress
version=$("$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
options=(--inputdir="$top/test" --bindir="$("$PG_CONFIG" --bindir)" --encoding=UTF8)

# regress DATABASE OPTION...
regress() {
    local db=$1 out=tmp/regress/$1 status=0 ok bad t
    shift
    rm -rf "$out"
    mkdir -p "$out/expected"
    # PostgreSQL up to 15 looks for both below its output directory first, later versions do so when told to.
    ln -s "$top/test/sql" "$out/sql"
    if [ "$version" -ge 16 ]; then set -- --expecteddir="$top/$out" "$@"; fi
    for t in expected/*.out; do
        if [ -f "$t" ]; then ln -s "$top/$t" "$out/expected/"; fi
    done
    # Against a new test's missing output pg_regress gives up; against an empty one it shows all of it.
    for t in "${tests[@]}"; do
        if [ ! -f "expected/$t.out" ]; then : >"$out/expected/$t.out"; fi
    done
    "$pg_regress" "${options[@]}" --outputdir="$top/$out" --dbname="$db" "$@" "${tests[@]}" >"$out/log" 2>&1 ||
        status=$?
    # "test NAME ... ok 12 ms" up to PostgreSQL 15, TAP from 16 on
    ok=$(grep -cE '^(test .* \.\.\. ok|ok )' "$out/log") || true
    bad=$(grep -cE '^(test .* \.\.\. (FAILED|failed)|not ok )' "$out/log") || true
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    # Tests that were never reached have not passed.
    if [ $((ok + bad)) -lt ${#tests[@]} ]; then bad=$((${#tests[@]} - ok)); fi
    passed=$((passed + ok))
    failed=$((failed + bad))
    grep -E '^(test |ok |not ok )' "$out/log" | sed 's/^/    /' || true
    if [ -f "$out/regression.diffs" ]; then
        head -n 400 "$out/regression.diffs"
        say "    (the whole of it: $out/regression.diffs; the outputs: $out/results)"
    elif [ "$bad" -gt 0 ]; then
        tail -n 50 "$out/log" | sed 's/^/    /'
    fi
}

if [ "${1:-} ${2:-}" != "--inside other" ]; then
    say "  default settings"
    regress contrib_regression
else
    # A build without lz4 has one method only; ICU as default collation came with 15.
    settings=
    if psql -XqAtc "SET default_toast_compression = 'lz4'" postgres >/dev/null 2>&1; then
        settings="default_toast_compression = 'lz4'"
    fi
    collation=
    if psql -XqAtc "CREATE DATABASE other_settings TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu
                    ICU_LOCALE 'sv-SE'" postgres 2>/dev/null; then
        collation=", collation sv-SE"
    else
        psql -XqAtc "CREATE DATABASE other_settings TEMPLATE template0 ENCODING 'UTF8'" postgres
    fi
    say "  ${settings:-default compression}$collation"
    {
        # As pg_regress sets them for a database that it creates itself.
        for s in "lc_messages = 'C'" "lc_monetary = 'C'" "lc_numeric = 'C'" "lc_time = 'C'" "bytea_output = 'hex'" \
            "timezone_abbreviations = 'Default'" "${settings:-work_mem = '4MB'}"; do
            echo "ALTER DATABASE other_settings SET $s;"
        done
    } | psql -Xq -v ON_ERROR_STOP=1 postgres
    regress other_settings --use-existing
fi
counts
