# shellcheck shell=bash
# Sourced by run.sh: the benchmarks of profiles. Data, tables, measurements.
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

nodes=60000
seed=1
if [ -n "$quick" ]; then
    profiles=20 pairs=5 runs=5 slow_runs=1 small=100000 partial=10000
    growth_sizes=(10000 30000 100000)
    stored_sizes=(1000 10000 60000)
else
    profiles=200 pairs=20 runs=11 slow_runs=3 small=1000000 partial=100000
    growth_sizes=(10000 30000 100000 300000 1000000)
    stored_sizes=(1000 10000 60000 415783)
fi
largest=${growth_sizes[-1]}
# every size once
mapfile -t sizes < <(printf '%s\n' "$nodes" "${growth_sizes[@]}" "${stored_sizes[@]}" | sort -nu)

# --- programs ---------------------------------------------------------------------------------------------------------

step "building"
compile_generator
compile -std=gnu11 -O3 -Wall -Wextra -o "$data/peers" "$here/profiles/peers.c" -lz
if [ -z "$peers_only" ]; then compile_with_core core_bench "$here/profiles/core_bench.c"; fi

find_duckdb

generate() { "$data/generate" --seed "$seed" "$@"; }

# --- files ------------------------------------------------------------------------------------------------------------

step "making profiles of ${sizes[*]} nodes"
: >"$data/facts"
for n in "${sizes[@]}"; do
    generate --nodes "$n" --facts --output "$data/$n.sorted" 2>>"$data/facts"
    generate --nodes "$n" --order shuffled --output "$data/$n.shuffled"
    generate --nodes "$n" --profile-seed 2 --output "$data/$n.other"
done

size_of() { stat -c %s "$1"; }

# -n: no file name and no time in the header, so that the size depends on the content only
for n in "${stored_sizes[@]}"; do
    generate --nodes "$n" --format pprof --output "$data/$n.pprof"
    gzip -n -6 -c "$data/$n.sorted" >"$data/$n.sorted.gz"
    gzip -n -6 -c "$data/$n.pprof" >"$data/$n.pprof.gz"
    note size folded "$n" "$(size_of "$data/$n.sorted")"
    note size folded_gzip "$n" "$(size_of "$data/$n.sorted.gz")"
    note size pprof_gzip "$n" "$(size_of "$data/$n.pprof.gz")"
done

# --- tables -----------------------------------------------------------------------------------------------------------

step "loading $profiles recordings of $nodes nodes"
for n in "${sizes[@]}"; do
    for ordering in sorted shuffled; do
        generate --nodes "$n" --order "$ordering" --format copy |
            sed "s/^[0-9]*/$n\t$ordering/" |
            query -c 'COPY bench.folded FROM STDIN'
    done
done
# Timed, from a file that the system has in its cache: rows against values.
timed() { # measure side size command...
    local start=$EPOCHREALTIME
    "${@:4}"
    awk -v m="$1" -v side="$2" -v size="$3" -v s="$start" -v e="$EPOCHREALTIME" \
        'BEGIN { printf "%s\t%s\t%s\t1\t%.6f\n", m, side, size, e - s }' >>"$results"
}
load_rows() { query -c 'COPY bench.stack_row FROM STDIN' <"$data/rows"; }
load_values() {
    query -c 'COPY bench.recording FROM STDIN' <"$data/recordings"
    query -c 'INSERT INTO bench.profile SELECT profile_id, flamegraph_from_folded(data) FROM bench.recording'
}
generate --nodes "$nodes" --profiles "$profiles" --format rows >"$data/rows"
timed load stack_table "$nodes" load_rows
query -v largest="$largest" -v small="$small" -f "$here/profiles/load_small.sql"
# Five programs, so that there are more than 100,000 different stacks. What ltree does not allow becomes "_"; of deeper
# stacks the first 20 frames, because GiST over ltree fails with paths of 2 kB.
for program in 1 2 3 4 5; do
    generate --seed "$program" --nodes "$largest" --order shuffled --format rows
done | cut -f 2 | cut -d ';' -f 1-20 | sed 's/[^A-Za-z0-9_;]/_/g' | awk '!seen[$0]++ && n++ < 100000' |
    query -c 'COPY bench.stack_text (stack) FROM STDIN'
query -f "$here/profiles/load_paths.sql"
query -c 'CREATE INDEX ON bench.stack_row (profile_id)' -c 'VACUUM ANALYZE bench.stack_row, bench.folded'
if [ -z "$peers_only" ]; then
    query -c 'CREATE UNLOGGED TABLE bench.profile (profile_id int, fg flamegraph)'
    generate --nodes "$nodes" --profiles "$profiles" --format copy >"$data/recordings"
    timed load ours "$nodes" load_values
    query -f "$here/profiles/load_ours.sql"
    step "loading a tree of $largest nodes"
    for program in 1 2; do
        generate --seed "$program" --nodes "$((largest / 2))" --format copy | cut -f 2 |
            query -c 'COPY bench.half_folded FROM STDIN'
        for recording in 2 3 4; do
            generate --seed "$program" --profile-seed "$recording" --nodes "$largest" --format copy | cut -f 2 |
                query -c 'COPY bench.partial_folded FROM STDIN'
        done
    done
    query -v partial="$partial" -f "$here/profiles/load_trees.sql"
fi
note table_size stack_table "$nodes" "$(query -At -c "SELECT pg_table_size('bench.stack_row')")"
query -c CHECKPOINT

# --- measuring --------------------------------------------------------------------------------------------------------

variables=(-v largest="$largest" -v small="$small" -v nodes="$nodes" -v profiles="$profiles" -v pairs="$pairs" -v runs="$runs" -v slow_runs="$slow_runs")
if [ -z "$peers_only" ]; then
    step "measuring the extension"
    query "${variables[@]}" -f "$here/profiles/measure_ours.sql"
    query "${variables[@]}" -f "$here/profiles/measure_paths_ours.sql"
    query "${variables[@]}" -f "$here/profiles/measure_trees_ours.sql"
    step "measuring recursive SQL over the tree"
    query -c "ALTER DATABASE bench SET bench.largest = $largest"
    query "${variables[@]}" -f "$here/profiles/measure_trees_peers.sql"
    step "measuring the core"
    for n in "${sizes[@]}"; do
        "$data/core_bench" "$((n > 100000 ? slow_runs : runs))" "$n" "$data/$n.sorted" "$data/$n.shuffled" \
            "$data/$n.other" >>"$results"
    done
    "$data/core_bench" --sum "$runs" "$nodes" "$data/recordings" >>"$results"
fi
step "measuring the peers"
query "${variables[@]}" -f "$here/profiles/measure_peers.sql"
if query -c 'CREATE EXTENSION ltree'; then
    query "${variables[@]}" -f "$here/profiles/measure_paths_ltree.sql"
    query -f "$here/profiles/check_answers.sql"
fi
if [ -n "$duckdb" ]; then
    read -r stacks total < <(query -At -F ' ' -c 'SELECT count(DISTINCT stack), sum(value) FROM bench.stack_row')
    node "$here/profiles/duckdb.js" "$duckdb" "$runs" "$nodes" "$profiles" "$pairs" \
        "$data/rows" "$data/rows.duckdb" "$stacks" "$total" >>"$results"
fi
"$data/peers" "$runs" "$nodes" "$data/$nodes.sorted" "$data/$nodes.other" >>"$results"
for ordering in sorted shuffled; do
    python "$here/profiles/peers.py" "$runs" "$nodes" "$ordering" "$data/$nodes.$ordering" >>"$results"
done

if [ -n "$duckdb" ]; then
    tell "DuckDB: @duckdb/node-api $duckdb_version, threads = 1"
else
    tell "DuckDB: could not be installed"
fi
tell "recordings: $profiles of $nodes nodes; seed $seed; $(sed -n "s/.*nodes $nodes, //p" "$data/facts")"
tell "runs of recordings: median of $runs, of $slow_runs for what takes long (peers in SQL; above 100,000 nodes); 1 warm-up"
# Gigabytes that nobody needs any more and that are made again in seconds.
rm -f "$data/rows" "$data/recordings" "$data"/*.sorted "$data"/*.shuffled "$data"/*.other
