#!/usr/bin/env bash
# Random queries by sqlsmith (Debian's package sqlsmith; nothing else needs it) over a database with both extensions and
# a filled store, as a role that may read and load and nothing else. Counts the errors by class of SQLSTATE; a crash or an
# internal error (XX...) is a failure, but for those that PostgreSQL has without us. The server's log with the statements
# is tmp/sqlsmith/log.
#
#   test/fuzz/sqlsmith.sh [STATEMENTS (50000) [SEED]]
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tools/common.sh"

statements=${1:-50000}
seed=${2:-$(($(date +%s) % 1000000))}
sessions=2

set_up() {
    psql -XqAt -v ON_ERROR_STOP=1 postgres <<'SQL'
CREATE ROLE smith_owner LOGIN;
CREATE ROLE smith LOGIN;
CREATE DATABASE smith OWNER smith_owner;
ALTER DATABASE smith SET search_path = flame, pg_catalog;
ALTER SYSTEM SET log_error_verbosity = verbose;
DO 'BEGIN PERFORM pg_reload_conf(); END';
SQL
    psql -XqAt -v ON_ERROR_STOP=1 -U smith_owner smith <<'SQL'
SET client_min_messages = warning;
CREATE SCHEMA flame;
CREATE EXTENSION flamegraph SCHEMA flame;
CREATE EXTENSION flamegraph_store;
GRANT USAGE ON SCHEMA flame TO smith;
SQL
    perl -Itest/t -MWire -MStore -e '
        package Server { sub host { $ENV{PGHOST} } sub port { $ENV{PGPORT} } }
        my $db = Wire->connect(bless({}, "Server"), "smith", user => "smith_owner");
        Store::fill($db);
        $db->run("SELECT profiling.grant_access(\$\$smith\$\$, access) FROM unnest(\$\${reader,loader}\$\$::text[]) AS access")'
    # Models and statistics, which the store has few of, and queries.
    psql -XqAt -v ON_ERROR_STOP=1 -U smith_owner smith <<'SQL'
CREATE TABLE flame.sample AS
  SELECT i, format(E'main;a%s %s\nmain;b;c%s 2', i % 7, i, i % 3)::flamegraph AS fg, ('main;a' || i)::stackpath AS path, ('*;a' || i)::stackquery AS query,
    fit(ARRAY[1, 2, 3, i], ARRAY[2, i, 4, 5], 'linear') AS model, (SELECT stats(v, 'node') FROM unnest(ARRAY['main;a 1', 'main;b 2']::flamegraph[]) AS t (v)) AS stats
  FROM generate_series(1, 50) AS i;
INSERT INTO flame.sample SELECT 0, E'a 1e308\na;b 1e308\nc -1e308', '', '*', fit('{1,2,3}', '{1e308,-1e308,1e308}', 'regressogram'), NULL;
GRANT SELECT ON flame.sample TO smith;
SQL
}

run_all() {
    local n pids=() status=0
    for ((n = 0; n < sessions; n++)); do
        # It complains about what it does not know in a later version of PostgreSQL, at length.
        sqlsmith --target="host=$PGHOST port=$PGPORT dbname=smith user=smith" --max-queries=$((statements / sessions)) --seed=$((seed + n)) \
            >"tmp/sqlsmith/session-$n.log" 2>&1 &
        pids+=($!)
    done
    # The exit status says little: sqlsmith fails by its last query, too.
    for n in "${pids[@]}"; do wait "$n" || status=$?; done
    return 0
}

if [ "${SQLSMITH_INSIDE:-}" = 1 ]; then
    set_up
    run_all
    exit 0
fi

command -v sqlsmith >/dev/null || die "sqlsmith is missing: apt-get install sqlsmith"
find_base
tools/private-install.sh
tools/server.sh init sqlsmith
mkdir -p tmp/sqlsmith
begin=$SECONDS
SQLSMITH_INSIDE=1 tools/server.sh run sqlsmith "$top/test/fuzz/sqlsmith.sh" "$statements" "$seed"
seconds=$((SECONDS - begin))

log=$base/sqlsmith/log
say "  $statements statements, seed $seed, $seconds s; errors by class:"
sed -nE 's/^.*(ERROR|FATAL|PANIC): +([0-9A-Z]{2})[0-9A-Z]{3}: .*/\2/p' "$log" | sort | uniq -c | awk '{printf "    %s %d\n", $2, $1}'
check "no session ended before its last statement" sh -c '! grep -l "terminate called\|Segmentation" tmp/sqlsmith/session-*.log'
# shellcheck disable=SC2016 # $1 is the inner shell's
check "no crash" sh -c '! grep -A 3 "was terminated by signal\|PANIC: " "$1"' sh "$log"
# The parser's, of unknown literals; of types' modifiers that no syntax gives; of states of aggregates that are called by hand.
known='failed to find conversion function from unknown|invalid INTERVAL typmod|unrecognized time interval type|expected 2-element int8 array'
say "    XX that PostgreSQL has without us: $(grep -E '(ERROR|FATAL): +XX' "$log" | grep -cE "$known" || true)"
# shellcheck disable=SC2016 # $1 and $2 are the inner shell's
check "no other internal error" sh -c '! grep -A 30 -E "(ERROR|FATAL): +XX" "$1" | grep -vE "$2" | grep -A 30 -E "(ERROR|FATAL): +XX"' sh "$log" "$known"
counts
