#!/usr/bin/env bash
# Services in production at scale: loads, compaction, bytes, windows. Makes the data, starts a private server that waits for its
# disk as a real one does, measures, prints one table.
#
#   bench/production/production.sh [--quick]
#
#   --quick   fewer profiles: half a minute, for a first look; says little about the bars
#
# The extension must be in the private installation (tools/private-install.sh; `make bench-production` does that). The
# table also goes to bench/results.md. README.md explains the rows.
set -euo pipefail
# The children's sorting and number formats must not depend on the caller.
export LC_ALL=C

# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
cluster=production
results=$data/production.tsv
environment=$data/production.environment

in_server "$cluster" "$@"

# The first service sends a profile a minute from each of 20 pods, the others less often: a million in eight days.
if [ -n "$quick" ]; then
    minutes=1440 services=4 runs=3
else
    minutes=$((8 * 1440)) services=50 runs=7
fi
day=28800

: >"$results"
: >"$environment"
tell "date: $(date -u +%Y-%m-%d)"
tell "processor: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | sed -n 1p), $(nproc) cores"
psql -X -q -v ON_ERROR_STOP=1 -d postgres <<SQL
ALTER SYSTEM SET shared_buffers = '1GB';
ALTER SYSTEM SET fsync = on;
ALTER SYSTEM SET synchronous_commit = on;
ALTER SYSTEM SET full_page_writes = on;
ALTER SYSTEM SET wal_level = replica;
ALTER SYSTEM SET max_wal_size = '8GB';
SQL
"$top/tools/server.sh" stop "$cluster"
"$top/tools/server.sh" start "$cluster"
eval "$("$top/tools/server.sh" env "$cluster")"
psql -X -q -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE bench'
query -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION flamegraph_store CASCADE'
tell "server: $(query -At -c "SELECT 'PostgreSQL ' || current_setting('server_version')"), shared_buffers 1 GB, fsync, autovacuum on"

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

# query_times measure side size query: a warm one first, which does not count
query_times() {
    local i
    {
        printf 'SET jit = off;\n'
        for ((i = 0; i <= runs; i++)); do
            printf "SELECT clock_timestamp() AS started \\\\gset\n\\\\o /dev/null\n%s;\n\\\\o\n" "$4"
            printf "SELECT '%s', '%s', %s, 1, extract(epoch FROM clock_timestamp() - :'started'::timestamptz);\n" "$1" "$2" "$3"
        done
    } | query -At -F $'\t' | sed 1d >>"$results"
}

# --- profiles ------------------------------------------------------------------------------------------------------------

base=$(query -At -c "SELECT to_char(date_trunc('hour', now(), 'UTC'), 'YYYY-MM-DD HH24:00 UTC')" | sed "s/ UTC/+00/")
step "making profiles of $services services"
make() { query -o /dev/null -v minutes="$minutes" -v services="$services" -v base="$base" -f "$here/production/$1.sql" "${@:2}"; }
make make
make fill -v part=0 &
make fill -v part=1
wait $!
make rows
all=$(query -At -c 'SELECT sum(cardinality(services)) FROM batch')
tell "profiles: $(query -At -F ' ' -c "SELECT '$all of ' || min(mean) || ', ' || percentile_disc(0.5) WITHIN GROUP (ORDER BY mean) || ' and ' || max(mean)
    || ' nodes, $services services x 20 pods, ' || $minutes / 1440 || ' days'
    FROM (SELECT round(avg(nnodes(u.fg))) AS mean FROM batch AS b, unnest(b.services, b.profiles) AS u (service, fg) WHERE b.n % 50 = 0 GROUP BY right(u.service, -1)::int % 3) AS k")"
batches=$(query -At -c 'SELECT max(n) FROM batch')
query -c "INSERT INTO profiling.retention (raw, minutes, hours, days) VALUES ('10 days', '14 days', '90 days', '1 year')"
# As compact() makes them ahead of time.
query -o /dev/null -c "SELECT profiling.add_production_partition('incoming', now() - make_interval(hours => h)) FROM generate_series(-2, $minutes / 60 + 1) AS h" \
    -c CHECKPOINT

# --- loads: a statement and a commit for 200 profiles, values ready ----------------------------------------------------

# load STEP FROM: every STEPth batch
load() {
    local n
    for ((n = $2; n <= batches; n += $1)); do
        printf 'SELECT profiling.ingest_batch(services, profiles, times, pods, labels) FROM batch WHERE n = %s;\n' "$n"
    done | query -o /dev/null
}
two_loads() {
    load 2 0 &
    load 2 1
    wait
}
step "loading by one connection"
timed production_load "$all" "$all" load 1 0
query -c CHECKPOINT
compact() { query -c "CALL profiling.compact('0')"; }
two_compactions() {
    compact &
    compact
    wait $!
}
step "compacting by two"
timed production_compact_two "$all" "$all" two_compactions
query -c 'TRUNCATE profiling.incoming, profiling.block' -o /dev/null -c CHECKPOINT
step "loading by two"
timed production_load_two "$all" "$all" two_loads
query -c CHECKPOINT
step "window before it is compacted"
# last INTERVAL: the window of that length that ends where the profiles end
last() { printf "since => '%s'::timestamptz - interval '%s', until => '%s'" "$base" "$1" "$base"; }
window="SELECT profiling.window_profile('s1', $(last '24 hours'))"
query_times production_incoming ours "$day" "$window"

# --- blocks ---------------------------------------------------------------------------------------------------------------

# A loader that sends one profile at a time meanwhile: how long does the slowest one take?
probe() {
    {
        printf 'SET jit = off;\n'
        while [ -e "$data/compacting" ]; do
            printf "SELECT clock_timestamp() AS started \\gset\n"
            printf "SELECT profiling.ingest('probe', fg => 'main;f 1', recorded_at => clock_timestamp()) \\g /dev/null\n"
            printf "SELECT 'production_probe', 'ours', %s, 1, extract(epoch FROM clock_timestamp() - :'started'::timestamptz);\n" "$all"
            sleep 0.05
        done
    } | query -At -F $'\t' | sort -t $'\t' -g -k 5 | tail -n 1 >>"$data/probes"
}
step "compacting"
: >"$data/compacting"
: >"$data/probes"
probe &
timed production_compact "$all" "$all" compact
rm "$data/compacting"
wait
cat "$data/probes" >>"$results"
query -c 'VACUUM ANALYZE' -c CHECKPOINT
# Of services with profiles of 360 nodes, 1,000 and 1,500: their values, and their share of indexes and rows.
query -At -F $'\t' >>"$results" <<SQL
SELECT CASE n WHEN 1 THEN 'production_bytes' WHEN 2 THEN 'production_bytes_1000' ELSE 'production_bytes_1500' END, 'ours', $all, value + rest, 0
FROM (SELECT right(service, -1)::int % 3 AS n, sum(bytes) / sum(profiles) AS value FROM profiling.service_storage
        WHERE resolution = 'raw' GROUP BY right(service, -1)::int % 3) AS s,
    (SELECT ((SELECT sum(pg_total_relation_size(p.inhrelid)) FROM pg_inherits AS p WHERE p.inhparent = 'profiling.block'::regclass)
        - sum(bytes)) / sum(profiles) AS rest FROM profiling.service_storage WHERE resolution = 'raw') AS r;
SELECT 'production_bytes_rest', 'ours', $all,
    ((SELECT sum(pg_total_relation_size(p.inhrelid)) FROM pg_inherits AS p WHERE p.inhparent = 'profiling.block'::regclass)
        - sum(bytes)) / sum(profiles), 0 FROM profiling.service_storage WHERE resolution = 'raw';
SQL
for n in 1 2 0; do
    query -At -c "SELECT encode(flamegraph_to_pprof(u.fg, 'cpu', 'samples'), 'base64') || '.' FROM batch AS b, unnest(b.services, b.profiles) AS u (service, fg)
        WHERE b.n > (SELECT max(n) FROM batch) - 60 AND right(u.service, -1)::int % 3 = $n LIMIT 300" |
        python -c "import base64, gzip, sys
sizes = [len(gzip.compress(base64.b64decode(text))) for text in sys.stdin.read().split('.')[:-1]]
print('production_bytes%s\tpprof\t$all\t%s\t0' % ({1: '', 2: '_1000', 0: '_1500'}[$n], sum(sizes) / len(sizes)))" >>"$results"
done

step "asking"
query_times production_window ours "$day" "$window"
query_times production_window rows "$day" "SELECT stack, sum(value) FROM row_of GROUP BY stack"
if [ "$minutes" -ge $((7 * 1440)) ]; then
    query_times production_week ours $((7 * day)) "SELECT profiling.window_profile('s1', $(last '7 days'))"
fi
query_times production_pod ours "$day" "SELECT profiling.window_profile('s1', $(last '1 hour'), instances => '{pod-7}')"
query_times production_pod rows "$day" "SELECT stack, sum(value) FROM row_of WHERE at >= '$base'::timestamptz - interval '1 hour' AND pod = 'pod-7' GROUP BY stack"
query_times production_trend ours "$day" "SELECT count(*) FROM profiling.window_trend('runtime.mallocgc1', '1 minute', 's1', $(last '24 hours'))"
query_times production_search ours "$all" "SELECT * FROM profiling.window_search('github.com/example/lib/codec.(*Decoder).decode330', $(last '7 days'))"
query_times production_compare ours "$day" "SELECT count(*) FROM profiling.window_compare(
    jsonb_build_object('service', 's1', 'since', '$base'::timestamptz - interval '2 hours', 'until', '$base'::timestamptz - interval '1 hour'),
    jsonb_build_object('service', 's1', 'since', '$base'::timestamptz - interval '1 hour', 'until', '$base'::timestamptz))"
step "watching"
watch_services() { query -c "CALL profiling.watch_services('0')"; }
# As if the call of an hour before had been made: the last hour of each service is left.
query -c "INSERT INTO profiling.service_hour (service_id, event, unit, hour)
    SELECT DISTINCT service_id, event, unit, '$base'::timestamptz - interval '2 hours' FROM profiling.stream WHERE service_id IN
        (SELECT service_id FROM profiling.service WHERE name LIKE 's%')"
timed production_watch "$services" "$(query -At -c "SELECT count(*) FROM profiling.hours_to_watch(now())")" watch_services
tell "watched: $(query -At -c "SELECT string_agg(format('%s hours compared with %s others', n, compared_with), ', ' ORDER BY compared_with)
    FROM (SELECT compared_with, count(*) AS n FROM profiling.service_hour WHERE compared_with IS NOT NULL GROUP BY 1) AS h")"
find_duckdb
if [ -n "$duckdb" ]; then
    query -c "\\copy (SELECT extract(epoch FROM at)::bigint, pod, stack, value FROM row_of ORDER BY at, pod) TO '$data/row_of.csv' (FORMAT csv)"
    node "$here/production/duckdb.js" "$duckdb" "$runs" "$day" "$all" "$data/row_of.csv" "$data/row_of.duckdb" >>"$results"
    rm -f "$data/row_of.csv" "$data/row_of.duckdb"
    tell "DuckDB: @duckdb/node-api $duckdb_version, threads = 1"
fi

step "series in the core"
compile_with_core series_bench "$here/production/series_bench.c"
"$data/series_bench" "$runs" >>"$results"

step "done"
psql -X -q -d postgres -c 'DROP DATABASE bench'
markdown=$here/results.md
if [ -n "$quick" ]; then markdown=$data/latest.md; fi
python "$here/report.py" ${quick:+--quick} --markdown "$markdown" "$environment" "$results"
