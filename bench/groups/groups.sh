# shellcheck shell=bash
# Sourced by run.sh: the benchmarks of groups and sequences of profiles. Data, tables, measurements.
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

group_nodes=60000
group_seed=1
# Columns of the larger matrix, and of the one with the bar.
matrix=1000 columns=500
# The recordings of the rows, and all of them, for growth.
if [ -n "$quick" ]; then
    group=20 group_all=60 group_runs=3 group_slow_runs=1
    group_sizes="{20,35,60}"
else
    group=100 group_all=200 group_runs=7 group_slow_runs=3
    group_sizes="{20,35,60,100,200}"
fi

have_peers=1
if ! python -c 'import numpy, scipy.stats' 2>"$data/groups.log"; then
    echo "numpy or scipy is missing (see $data/groups.log): their lines stay empty" >&2
    have_peers=
fi
compile_generator

# --- data -------------------------------------------------------------------------------------------------------------

step "making $group_all recordings of $group_nodes nodes"
# Recordings in turns: the second group has the even numbers, and there what runs through one frame takes a tenth more.
generate_rows() { "$data/generate" --seed "$group_seed" --nodes "$group_nodes" --format rows "$@"; }
changed_frame=$(generate_rows --order shuffled | awk -F '\t' 'NR == 40 {split($2, f, ";"); print f[8]}')
recordings_of() { # fresh recordings
    generate_rows --fresh "$1" --profiles "$2" | awk -F '\t' -v OFS='\t' -v frame=";$changed_frame;" \
        '$1 % 2 == 0 && index($2 ";", frame) {$3 = int($3 * 1.1 + 0.5)} {print}'
}
# "close" recordings have fewer stacks of their own, so that all of them have fewer than 100,000 nodes.
recordings_of 10 "$group_all" >"$data/usual"
recordings_of 1 "$group" >"$data/close"
python "$here/groups/data.py" "$group_seed" "$((2 * matrix))" "$matrix" >"$data/matrix"

group_variables=(-v n="$group" -v runs="$group_runs" -v slow_runs="$group_slow_runs" -v frame="$changed_frame"
    -v sizes="$group_sizes" -v matrix="$matrix" -v columns="$columns")
query -c 'CREATE UNLOGGED TABLE bench.group_row (kind text, run int, stack text, value float8)'
for kind in usual close; do
    sed "s/^/$kind\t/" "$data/$kind" | query -c 'COPY bench.group_row FROM STDIN'
done
if [ -z "$peers_only" ]; then
    query -c 'CREATE UNLOGGED TABLE bench.matrix (run int, place int, counts float8[])' \
        -c 'CREATE UNLOGGED TABLE bench.matrix_stack (n int GENERATED ALWAYS AS IDENTITY, stack stackpath)' \
        -c 'CREATE UNLOGGED TABLE bench.run AS
            SELECT kind, run, flamegraph_from_folded(string_agg(stack || $$ $$ || value, chr(10))) AS fg
            FROM bench.group_row GROUP BY kind, run ORDER BY kind, run'
    query -c 'COPY bench.matrix FROM STDIN' <"$data/matrix"
    generate_rows --order shuffled | awk -F '\t' -v n="$matrix" 'NR <= n {print $2}' |
        query -c 'COPY bench.matrix_stack (stack) FROM STDIN'
    query "${group_variables[@]}" -f "$here/groups/load.sql"
fi
query -c CHECKPOINT

# --- measuring --------------------------------------------------------------------------------------------------------

# The peak of a session of its own, beyond the pages of the server's cache that it has seen.
peak_of() { # measure query
    query -At -v result="SELECT $2" -f "$here/measure_memory.sql" |
        { read -r bytes && note "$1" ours "$group" "$bytes"; }
}

if [ -z "$peers_only" ]; then
    step "measuring tests of groups"
    query "${group_variables[@]}" -f "$here/groups/measure_ours.sql"
    step "measuring their memory"
    where="WHERE kind = 'usual' AND n = $group"
    # In the select list, where the executor keeps no rows; counted, because what is not used is not computed.
    rows_of() { echo "count(x) FROM (SELECT $1 AS x FROM bench.sample_of $where OFFSET 0) AS s"; }
    peak_of group_memory_array "$(rows_of 'cardinality(every)')"
    peak_of group_memory_welch "$(rows_of "compare_profiles(before, after, 'node')")"
    peak_of group_memory_energy "$(rows_of 'energy_test(before, after)')"
    peak_of group_memory_changes "$(rows_of 'change_points(every)')"
    peak_of group_memory_maxt "$(where=${where/usual/close} && rows_of "compare_profiles(before, after, 'node', 'maxt')")"
    peak_of group_memory_stats "pg_column_size(stats(fg, 'node')) FROM bench.run WHERE kind = 'usual' AND run <= $group"
    step "cancelling tests of groups"
    query "${group_variables[@]}" -f "$here/groups/cancel.sql" 2>&1 |
        { grep -v 'canceling statement due to statement timeout' >&2 || true; }
fi
if [ -n "$have_peers" ]; then
    step "measuring numpy and scipy"
    python "$here/groups/peers.py" "$group_runs" "$group_slow_runs" "$group" "$columns" "$data" >>"$results"
    query -c 'COPY bench.answer FROM STDIN' <"$data/groups.answers"
    tell "peers of groups: $(python -W ignore -c 'import numpy, scipy
for module in (numpy, scipy):
    print(module.__name__, module.__version__, end=", ")')one thread"
else
    tell "peers of groups: could not be installed"
fi
if [ -z "$peers_only" ]; then
    query -f "$here/groups/check.sql"
    tell "groups of profiles: $(query -At -c "
        SELECT string_agg(format('%s %s recordings have %s nodes and %s stacks together', n, kind, nnodes(sum), nstacks(sum)), ', ' ORDER BY kind DESC)
        FROM (SELECT kind, count(*) AS n, sum(fg) FROM bench.run WHERE run <= $group GROUP BY kind) AS s")"
fi
tell "runs of groups: median of $group_runs, of $group_slow_runs for what takes long; 1 warm-up"
rm -f "$data/usual" "$data/close" "$data/matrix"
