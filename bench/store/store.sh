#!/usr/bin/env bash
# The store at scale: import, the nightly comparison, search, views, disk and memory. Makes the data, starts a private
# server that waits for its disk as a real one does, measures, prints one table.
#
#   bench/store/store.sh [--quick]
#
#   --quick   fewer profiles: a minute or two, for a first look; says little about the bars
#
# The extension must be in the private installation (tools/private-install.sh; `make bench-store` does that). The
# recordings go to tmp/bench-data/store (9.5 GB; they are kept for the next time), the table also to
# bench/results.md. Profiles are loaded by client/flamegraph-load, or FLAMEGRAPH_LOAD; without it two sessions
# of psql have the server read the files. README.md explains the rows.
set -euo pipefail
# The children's sorting and number formats must not depend on the caller.
export LC_ALL=C

# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
cluster=store
results=$data/store.tsv
environment=$data/store.environment
loader=${FLAMEGRAPH_LOAD:-$top/client/flamegraph-load}

in_server "$cluster" "$@"

if [ -n "$quick" ]; then
    files=100 benchmarks=10 many_benchmarks=20 small_benchmarks=20 small_runs=20 runs=3
else
    files=1700 benchmarks=100 many_benchmarks=1000 small_benchmarks=100 small_runs=100 runs=7
fi
history=10     # runs that the nightly comparison looks back to
repetitions=10 # of a run, where there are several
nodes=60000
program=1

: >"$results"
: >"$environment"
tell "date: $(date -u +%Y-%m-%d)"
tell "processor: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | sed -n 1p), $(nproc) cores"

# --- the server: everything that a real one does ----------------------------------------------------------------------

memory=$(awk '/^MemTotal:/ {print int($2 / 1024)}' /proc/meminfo 2>/dev/null || echo 4096)
buffers=$((memory / 4 > 2048 ? 2048 : memory / 4))
psql -X -q -v ON_ERROR_STOP=1 -d postgres <<SQL
ALTER SYSTEM SET shared_buffers = '${buffers}MB';
ALTER SYSTEM SET fsync = on;
ALTER SYSTEM SET synchronous_commit = on;
ALTER SYSTEM SET full_page_writes = on;
ALTER SYSTEM SET wal_level = replica;
ALTER SYSTEM SET max_wal_size = '8GB';
ALTER SYSTEM SET checkpoint_timeout = '15min';
SQL
"$top/tools/server.sh" stop "$cluster"
"$top/tools/server.sh" start "$cluster"
eval "$("$top/tools/server.sh" env "$cluster")"
psql -X -q -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE bench'
tell "server: $(query -At -c "SELECT 'PostgreSQL ' || current_setting('server_version')"), shared_buffers ${buffers} MB," \
    "work_mem $(query -At -c 'SHOW work_mem'); fsync, synchronous_commit, full_page_writes, autovacuum on"
postmaster=$(query -At -c "SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)")

new_store() {
    query -c 'SET client_min_messages = warning' -c 'DROP EXTENSION IF EXISTS flamegraph_store, flamegraph' \
        -c 'CREATE EXTENSION flamegraph_store CASCADE'
    query -c 'CALL profiling.maintain()'
}

now() { printf '%s\n' "${EPOCHREALTIME/./}"; }

# timed measure size work command ...: one run of a command
timed() {
    local measure=$1 size=$2 work=$3 start end
    shift 3
    start=$(now)
    "$@"
    end=$(now)
    printf '%s\tours\t%s\t%s\t%s\n' "$measure" "$size" "$work" "$(awk "BEGIN {print ($end - $start) / 1e6}")" >>"$results"
}

# The largest memory of each kind of process, shared buffers not counted: "kind bytes", as long as the file is there.
watch_memory() {
    local pid
    while [ -e "$1" ]; do
        for pid in $(pgrep -P "$postmaster") $(pgrep -x flamegraph-load); do
            awk -v name="$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")" '
                /^VmHWM:/ {high = $2} /^RssShmem:/ {shared = $2}
                END {if (name ~ /bench \[local\]/) print "backend", (high - shared) * 1024
                    else if (name ~ /flamegraph-load/) print "loader", high * 1024}' "/proc/$pid/status" 2>/dev/null || true
        done >>"$1.seen"
        # Looking for processes takes as long as an import; a peak is seen as long as its process is there.
        sleep 1
    done
}

# with_memory measure size command ...: notes the peak of the backends, and of the loader if it runs
with_memory() {
    local measure=$1 size=$2 file=$data/watching kind bytes
    shift 2
    : >"$file"
    : >"$file.seen"
    watch_memory "$file" &
    local watcher=$!
    "$@"
    rm -f "$file"
    wait "$watcher"
    while read -r kind bytes; do
        note "${measure}_$kind" ours "$size" "$bytes"
    done < <(awk '$2 > most[$1] {most[$1] = $2} END {for (kind in most) print kind, most[kind]}' "$file.seen")
}

# --- recordings -------------------------------------------------------------------------------------------------------

compile_generator
directory=$data/store
mkdir -p "$directory"
step "making $files recordings"
make_file() {
    local file
    file=$directory/$(printf '%04d' "$1").folded
    if [ -s "$file" ]; then return; fi
    "$data/generate" --nodes "$nodes" --seed "$program" --profile-seed "$1" --output "$file.new"
    # what is searched for: 1 % have it
    if [ $(($1 % 100)) -eq 50 ]; then printf 'needle;in the haystack 3\n' >>"$file.new"; fi
    mv "$file.new" "$file"
}
for half in 0 1; do
    for ((i = 1 + half; i <= files; i += 2)); do make_file "$i"; done &
done
wait
if [ -n "$quick" ]; then
    # Of a full run there may be more. Hard links, because the client follows no symbolic ones in a directory.
    rm -rf "$data/store-quick"
    mkdir "$data/store-quick"
    for ((i = 1; i <= files; i++)); do ln "$directory/$(printf '%04d' "$i").folded" "$data/store-quick/"; done
    directory=$data/store-quick
fi
bytes=$(find -H "$directory" -name '*.folded' -printf '%s\n' | awk '{s += $1} END {printf "%.0f\n", s}')
tell "recordings: $files of $nodes nodes, folded text of $((bytes / 1000000)) MB, $((bytes / files / 1000)) kB each"

# --- import -----------------------------------------------------------------------------------------------------------

# load benchmark run file-or-directory ...
load() {
    local benchmark=$1 run=$2 half loading=()
    shift 2
    if [ -x "$loader" ]; then
        "$loader" -q -d bench -j 2 --benchmark "$benchmark" --run "$run" --repetition auto "$@" >"$data/load.log"
        return
    fi
    find -H "$@" -name '*.folded' | sort >"$data/load.files"
    for half in 0 1; do
        awk -v half="$half" -v benchmark="$benchmark" -v run="$run" 'NR % 2 == half {
            printf "SELECT profiling.import_profile(\x27%s\x27, pg_read_binary_file(\x27%s\x27), started_at => \x27%s\x27, repetition => %d) \\gset\n",
                benchmark, $0, run, NR}' "$data/load.files" | query >"$data/load.log" &
        loading[half]=$!
    done
    wait "${loading[@]}" # not for the watcher of memory
}

# A call for each run.
load_runs() {
    local all=("$directory"/*.folded) i
    for ((i = 0; i < files; i += repetitions)); do
        load runs "$(date -u -d "2026-11-01 UTC + $i minutes" '+%F %T UTC')" "${all[@]:i:repetitions}"
    done
}

if [ -x "$loader" ]; then tell "loader: flamegraph-load -j 2"; else tell "loader: two sessions of psql, files read by the server"; fi

# Both as somebody would have it: all files at once, and a call for each run.
for way in one runs; do
    new_store
    query -c CHECKPOINT
    # From the system's cache, which may have lost what an earlier run of the suite made.
    find -H "$directory" -name '*.folded' -exec cat {} + >/dev/null
    before=$(query -At -c 'SELECT pg_current_wal_lsn()')
    step "importing $files profiles ($way)"
    if [ "$way" = one ]; then
        with_memory store_import "$files" timed store_import "$files" 1 load one '2026-11-01 UTC' "$directory"
    else
        timed store_import_runs "$files" 1 load_runs
    fi
    note "store_wal_$way" ours "$files" "$(query -At -c "SELECT pg_current_wal_lsn() - '$before'::pg_lsn")"
    loaded=$(query -At -c 'SELECT count(*) FROM profiling.profile WHERE nodes BETWEEN 60000 AND 60002')
    if [ "$loaded" -ne "$files" ]; then echo "store.sh: $loaded of $files profiles were loaded" >&2 && exit 1; fi
    if [ "$way" = one ]; then
        timed store_fold "$files" 1 query -At -o /dev/null -c 'SELECT profiling.fold_rollups(benchmark_id) FROM profiling.benchmark'
    fi
done

# Disk: of the second way, before the night.
all_nodes=$((files * nodes))
size_of() { query -At -c "SELECT sum($1)::float8 / $all_nodes FROM pg_inherits WHERE inhparent = 'profiling.profile_data'::regclass"; }
note store_bytes_value ours "$files" "$(query -At -c "SELECT sum(pg_column_size(flamegraph))::float8 / $all_nodes FROM profiling.profile_data")"
note store_bytes_table ours "$files" "$(size_of 'pg_table_size(inhrelid)')"
note store_bytes_index ours "$files" "$(size_of 'pg_indexes_size(inhrelid)')"
note store_bytes_rollup ours "$files" "$(query -At -c "SELECT pg_total_relation_size('profiling.rollup')::float8 / $all_nodes")"

# --- search -----------------------------------------------------------------------------------------------------------

# query_times measure size statement: several times in one session, warm
query_times() {
    local i
    {
        printf 'SET jit = off;\n'
        for ((i = 0; i <= runs; i++)); do
            printf "SELECT clock_timestamp() AS started \\\\gset\n\\\\o /dev/null\n%s;\n\\\\o\n" "$3"
            printf "SELECT '%s', 'ours', %s, 1, extract(epoch FROM clock_timestamp() - :'started'::timestamptz);\n" "$1" "$2"
        done
    } | query -At -F $'\t' | sed 1d >>"$results"
}

query -c 'VACUUM ANALYZE'
step "searching in large profiles"
query_times store_search_large "$files" "SELECT * FROM profiling.frame_search('needle')"

# --- the night --------------------------------------------------------------------------------------------------------

# Runs of one profile each, out of the recordings; compared with those before: one night.
query -c 'CREATE TABLE public.recording AS SELECT row_number() OVER (ORDER BY profile_id) - 1 AS n, flamegraph FROM profiling.profile_data'
# Each half has runs of its own: in one transaction each they would wait for each other's.
fill_runs() { # benchmarks, first and last run, more arguments of the import
    local half
    for half in 0 1; do
        query -o /dev/null -c "SELECT count(profiling.import_flamegraph('benchmark ' || b, r.flamegraph,
            started_at => '2026-11-01 UTC'::timestamptz + make_interval(days => d, secs => b % 2), metric => 10 + random(), metric_unit => 's' $4))
            FROM generate_series(1, $1) AS b, generate_series($2, $3) AS d, public.recording AS r
            WHERE b % 2 = $half AND r.n = (b * 17 + d) % $files" &
    done
    wait
}
night() { # measure, benchmarks, more arguments of the import
    local failed
    step "filling $2 benchmarks of $history + 1 runs ($1)"
    query -c 'SET client_min_messages = warning' -c 'DROP EXTENSION flamegraph_store' -c 'CREATE EXTENSION flamegraph_store' \
        -c 'CALL profiling.maintain()'
    fill_runs "$2" 1 "$history" "$3"
    query -c 'UPDATE profiling.rollup SET checked_at = now()'
    fill_runs "$2" $((history + 1)) $((history + 1)) "$3"
    query -c 'VACUUM ANALYZE' -c CHECKPOINT
    step "the night"
    with_memory "$1" "$2" timed "$1" "$2" 1 query -c 'CALL profiling.watch_run()'
    failed=$(query -At -c "SELECT count(*) FILTER (WHERE outcome <> 'ok') || ' of ' || count(*) FROM profiling.job_log WHERE step = 'watch'")
    if [ "$failed" != "0 of $2" ]; then echo "store.sh: the night failed for $failed benchmarks" >&2 && exit 1; fi
}
night store_watch "$benchmarks" ''
# As readers of weighted samples give it: each run has three vectors for one, and two of them are read.
night store_watch_samples "$benchmarks" ", unit => 'nanoseconds', samples => r.flamegraph, noise => r.flamegraph * 2"
night store_watch_many "$many_benchmarks" ''

# --- many small profiles ----------------------------------------------------------------------------------------------

small=$((small_benchmarks * small_runs))
step "filling $small small profiles"
query -c 'DROP EXTENSION flamegraph_store' -c 'DROP TABLE public.recording' -c 'CREATE EXTENSION flamegraph_store' \
    -c 'CALL profiling.maintain()' -c 'CREATE TABLE public.recording (n int, folded text)'
"$data/generate" --nodes 1000 --frames 2000 --seed "$program" --profile-seed 1 --profiles 100 --format copy --output "$data/small.copy"
query -c 'COPY public.recording FROM STDIN' <"$data/small.copy"
for half in 0 1; do
    query -o /dev/null -c "SELECT count(profiling.import_flamegraph('benchmark ' || b,
            flamegraph_from_folded(r.folded) + (CASE WHEN (b + d) % 100 = 50 THEN 'needle;in the haystack 3' ELSE '' END)::flamegraph
                + (CASE WHEN d = $small_runs AND b % 5 = 0 THEN 'slow;path 500' ELSE '' END)::flamegraph,
            suite => 'suite ' || b % 5, branch => 'main', commit => md5(d::text),
            started_at => now() - make_interval(days => 100, hours => -d), metric => 10 + random(), metric_unit => 's'))
        FROM generate_series(1, $small_benchmarks) AS b, generate_series(1, $small_runs) AS d
            JOIN public.recording AS r ON r.n = (SELECT min(n) FROM public.recording) + (d * 7) % 100
        WHERE b % 2 = $half" &
done
wait
query -o /dev/null -c "SELECT profiling.import_observations('benchmark ' || b, array_agg('f' || l), array_agg(x::float8), array_agg(x * l + random()),
        suite => 'suite ' || b % 5, branch => 'main', commit => md5(d::text), started_at => now() - make_interval(days => 100, hours => -d), unit => 's')
    FROM generate_series(1, $small_benchmarks) AS b, generate_series($small_runs - 1, $small_runs) AS d, generate_series(1, 5) AS l,
        generate_series(1, 20) AS x
    GROUP BY b, d"
query -c 'UPDATE profiling.rollup AS r SET checked_at = now() FROM (SELECT max(started_at) AS newest FROM profiling.rollup) AS m WHERE r.started_at < m.newest'
query -c 'CALL profiling.watch_run()'
query -c 'VACUUM ANALYZE' -c CHECKPOINT
step "searching and viewing"
query_times store_search "$small" "SELECT * FROM profiling.frame_search('needle')"
query_times store_search_prefix "$small" "SELECT * FROM profiling.frame_search('needl*')"
query_times store_search_runs "$small" "SELECT * FROM profiling.frame_search('needle', per => 'run')"
for view in benchmark_overview benchmark_trend latest_profile hot_frame open_regression regression_history team_regression model_change storage; do
    query_times "store_view_$view" "$small" "SELECT * FROM profiling.$view"
done
tell "small profiles: $small_benchmarks benchmarks x $small_runs runs, 1000 nodes each, $(query -At -c 'SELECT count(*) FROM profiling.regression') findings"

step "done"
psql -X -q -d postgres -c 'DROP DATABASE bench'
markdown=$here/results.md
if [ -n "$quick" ]; then markdown=$data/latest.md; fi
python "$here/report.py" ${quick:+--quick} --markdown "$markdown" "$environment" "$results"
