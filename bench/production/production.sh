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

# One service for a whole day, the others for some hours; 20 pods each, a profile a minute.
if [ -n "$quick" ]; then
    minutes=240 others=3 other_minutes=60 runs=3
else
    minutes=1440 others=9 other_minutes=240 runs=7
fi
day=$((20 * minutes))
all=$((day + others * 20 * other_minutes))

: >"$results"
: >"$environment"
tell "date: $(date -u +%Y-%m-%d)"
tell "processor: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1), $(nproc) cores"
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

# --- profiles: of a program with 4,000 stacks, few of which are hot; names are as long as Go's --------------------------

step "making $all profiles"
query -o /dev/null -v minutes="$minutes" -v others="$others" -v other_minutes="$other_minutes" -f "$here/production/make.sql"
tell "profiles: $(query -At -c "SELECT count(*) || ' of ' || round(avg(nnodes(fg))) || ' nodes and ' || round(avg(nstacks(fg))) || ' stacks, '
    || count(DISTINCT service) || ' services x ' || count(DISTINCT pod) || ' pods' FROM made")"
batches=$(query -At -c 'SELECT max(n) FROM batch')
query -c "INSERT INTO profiling.retention (raw, minutes, hours, days) VALUES ('7 days', '14 days', '90 days', '1 year')"
# As compact() makes them ahead of time.
query -o /dev/null -c "SELECT profiling.add_production_partition('incoming', now() - make_interval(hours => h)) FROM generate_series(0, 25) AS h" \
    -c CHECKPOINT

# --- loads: a statement and a commit for 200 profiles, values ready ----------------------------------------------------

# load STEP FROM: every STEPth batch
load() {
    local n
    for ((n = $2; n <= batches; n += $1)); do
        printf 'SELECT profiling.ingest_batch(services, profiles, times, pods) FROM batch WHERE n = %s;\n' "$n"
    done | query -o /dev/null
}
two_loads() {
    load 2 0 &
    load 2 1
    wait
}
step "loading by one connection"
timed production_load "$all" "$all" load 1 0
query -c 'TRUNCATE profiling.incoming' -o /dev/null -c CHECKPOINT
step "loading by two"
timed production_load_two "$all" "$all" two_loads
query -c CHECKPOINT
step "window before it is compacted"
window="SELECT profiling.window_profile('s0')"
query_times production_incoming ours "$day" "$window"

# --- blocks ---------------------------------------------------------------------------------------------------------------

step "compacting"
timed production_compact "$all" "$all" query -c "CALL profiling.compact('0')"
query -c 'VACUUM ANALYZE' -c CHECKPOINT
query -At -F $'\t' >>"$results" <<SQL
SELECT 'production_bytes', 'ours', $all, sum(pg_total_relation_size(p.inhrelid)) / (SELECT sum(profiles) FROM profiling.block), 0
FROM pg_inherits AS p WHERE p.inhparent = 'profiling.block'::regclass;
SELECT 'production_bytes_value', 'ours', $all, sum(bytes) / sum(profiles), 0 FROM profiling.service_storage WHERE resolution = 'raw';
SQL
step "asking"
query_times production_window ours "$day" "$window"
query_times production_window rows "$day" "SELECT stack, sum(value) FROM row_of WHERE service = 's0' GROUP BY stack"
query_times production_pod ours "$day" "SELECT profiling.window_profile('s0', h, h + interval '1 hour', instances => '{pod-7}') FROM (SELECT date_trunc('hour', now()) - interval '2 hours') AS t (h)"
query_times production_trend ours "$day" "SELECT count(*) FROM profiling.window_trend('runtime.mallocgc1', '1 minute', 's0')"
query_times production_search ours "$all" "SELECT * FROM profiling.window_search('github.com/example/lib/codec.(*Decoder).decode330')"
query_times production_compare ours "$day" "SELECT count(*) FROM (SELECT date_trunc('hour', now()) - interval '2 hours') AS t (h),
    profiling.window_compare(jsonb_build_object('service', 's0', 'since', h - interval '1 hour', 'until', h),
        jsonb_build_object('service', 's0', 'since', h, 'until', h + interval '1 hour'))"

step "done"
psql -X -q -d postgres -c 'DROP DATABASE bench'
markdown=$here/results.md
if [ -n "$quick" ]; then markdown=$data/latest.md; fi
python "$here/report.py" ${quick:+--quick} --markdown "$markdown" "$environment" "$results"
