#!/usr/bin/env bash
# Whose commit was it? Slow-downs are put into functions that commits of this repository have changed, the nightly watch
# finds them, and profiling.suspects() is asked. Prints a table; exit status 1 if a bar is missed: the true commit first
# in 80 % of the cases, among the first three in 95 %, found by the watch in 90 %.
#
#   bench/quality/suspects.sh [--cases N] [--seed N] [--quick]
#
#   --cases N   default 60
#   --seed N    default 1
#   --quick     10 cases: for a first look, says nothing about the bars
#
# The extensions must be in the private installation (tools/private-install.sh; `make bench-quality` does that). The
# history of this clone must be whole; without it nothing is asked. suspects.py says how cases are drawn.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(dirname "$(dirname "$here")")
data=$top/tmp/quality-data
cluster=suspects
cases=60
seed=1

inside=
quick=
while [ $# -gt 0 ]; do
    case $1 in
        --inside) inside=1 ;;
        --quick) quick=1 cases=10 ;;
        --cases) cases=$2 && shift ;;
        --seed) seed=$2 && shift ;;
        --help)
            sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) echo "suspects.sh: unknown option $1 (see --help)" >&2 && exit 2 ;;
    esac
    shift
done

# Debian's own first: it is the one that has numpy.
python() {
    if [ -x /usr/bin/python3 ]; then /usr/bin/python3 "$@"; else python3 "$@"; fi
}

if [ -z "$inside" ]; then
    mkdir -p "$data"
    status=0
    python "$here/suspects.py" cases "$seed" "$cases" "$top/test/data/suspects/recording.folded" "$top" \
        >"$data/suspects.tsv" || status=$?
    if [ "$status" = 3 ]; then
        echo "suspects.sh: the history of this clone is not whole, so there are no cases" >&2
        exit 0
    fi
    [ "$status" = 0 ] || exit "$status"
    "$top/tools/server.sh" init "$cluster"
    exec "$top/tools/server.sh" run "$cluster" "$here/suspects.sh" --inside --cases "$cases" ${quick:+--quick}
fi

psql -X -q -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE suspects'
query() { psql -X -q -v ON_ERROR_STOP=1 -d suspects "$@"; }
query -c 'CREATE EXTENSION flamegraph_store CASCADE' 2>/dev/null
query -c 'ALTER DATABASE suspects SET client_min_messages = error' \
    -c 'ALTER DATABASE suspects SET max_parallel_workers_per_gather = 0'
"$top/client/flamegraph-commits" -f -d suspects "$top" >/dev/null
query <<SQL
CREATE TABLE cases (n int, run int, started_at timestamptz, commit text, stacks text, blamed text, function text, way text, commits int);
\copy cases FROM '$data/suspects.tsv'
SELECT count(profiling.import_flamegraph('case ' || n, stacks::flamegraph, started_at => started_at, branch => 'main',
    commit => commit)) FROM cases \g /dev/null
-- Each benchmark is a night of its own.
UPDATE profiling.watch SET direction = 'degradation';
CREATE TABLE asked AS
SELECT c.n, c.way, c.commits, c.function, c.blamed, b.benchmark_id,
    (SELECT w.opened FROM profiling.watch_benchmark(b.benchmark_id) AS w) AS opened
FROM cases AS c JOIN profiling.benchmark AS b ON b.name = 'case ' || c.n
WHERE c.run = 0;
CREATE TABLE answer AS
SELECT a.n, a.way, a.commits, r.level, r.subject::text AS subject, s.rank, a.function, a.blamed, r.regression_id
FROM asked AS a LEFT JOIN LATERAL (SELECT r.* FROM profiling.regression AS r WHERE r.benchmark_id = a.benchmark_id
        ORDER BY r.q_value, r.p_value, r.score DESC LIMIT 1) AS r ON true
    LEFT JOIN LATERAL (SELECT s.rank FROM profiling.suspects(r.regression_id, NULL) AS s WHERE r.regression_id IS NOT NULL
        AND s.commit = a.blamed) AS s ON true;
\copy (SELECT n, way, commits, level, subject, rank, function, blamed, regression_id FROM answer ORDER BY n) TO '$data/suspects-answers.tsv'
SQL
status=0
python "$here/suspects.py" report "$data/suspects-answers.tsv" || status=$?
psql -X -q -d postgres -c 'DROP DATABASE suspects'
[ -n "$quick" ] || exit "$status"
