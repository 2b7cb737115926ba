#!/usr/bin/env bash
# The benchmarks: makes the data, starts a private server, measures, prints one table.
#
#   bench/run.sh [--quick] [--peers-only] [--part profiles|models|groups|pictures|formats|jobs]
#
#   --quick        fewer recordings, smaller sizes, fewer runs: some two minutes, for a first look
#   --peers-only   only what the extension is compared with; needs no extension
#   --part PART    only the benchmarks of profiles, of performance models, of groups, of pictures, of formats, or of jobs
#
# The extension must be in the private installation (tools/private-install.sh; `make bench` does that). The data goes
# to tmp/bench-data. The tables of a full run go to bench/results.md, those of a reduced one to tmp/bench-data/latest.md.
# README.md explains the rows.
set -euo pipefail
# The children's sorting and number formats must not depend on the caller.
export LC_ALL=C

# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cluster=bench

inside=
quick=
peers_only=
parts=(profiles models groups pictures formats jobs)
while [ $# -gt 0 ]; do
    case $1 in
        --inside) inside=1 ;;
        --quick) quick=1 ;;
        --peers-only) peers_only=1 ;;
        --part)
            case ${2:-} in
                profiles | models | groups | pictures | formats | jobs) parts=("$2") ;;
                *) echo "run.sh: --part must be profiles, models, groups, pictures, formats or jobs" >&2 && exit 2 ;;
            esac
            shift
            ;;
        --help)
            sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) echo "run.sh: unknown option $1 (see --help)" >&2 && exit 2 ;;
    esac
    shift
done

has_part() { case " ${parts[*]} " in *" $1 "*) ;; *) return 1 ;; esac; }

if [ -z "$inside" ]; then
    # The peers in Python. A machine that cannot install them has empty lines.
    if has_part models || has_part groups || has_part jobs; then "$top/tools/deps.sh" --bench || true; fi
    # A new cluster each time: no bloat, no statistics of the last run. server.sh stops it whatever happens.
    "$top/tools/server.sh" init "$cluster"
    part=()
    if [ ${#parts[@]} -eq 1 ]; then part=(--part "${parts[0]}"); fi
    exec "$top/tools/server.sh" run "$cluster" "$here/run.sh" --inside ${quick:+--quick} \
        ${peers_only:+--peers-only} "${part[@]}"
fi

: >"$results"
: >"$environment"
tell "date: $(date -u +%Y-%m-%d)"
tell "processor: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | sed -n 1p), $(nproc) cores"
tell "compiler: $(compile --version | sed -n 1p)"

# --- database ---------------------------------------------------------------------------------------------------------

# Both sides shall be warm: the stack table of the full run has some 700 MB.
memory=$(awk '/^MemTotal:/ {print int($2 / 1024)}' /proc/meminfo 2>/dev/null || echo 4096)
buffers=$((memory / 4 > 2048 ? 2048 : memory / 4))
psql -X -q -v ON_ERROR_STOP=1 -d postgres <<SQL
ALTER SYSTEM SET shared_buffers = '${buffers}MB';
ALTER SYSTEM SET autovacuum = off;
SQL
"$top/tools/server.sh" stop "$cluster"
"$top/tools/server.sh" start "$cluster"
eval "$("$top/tools/server.sh" env "$cluster")"
psql -X -q -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE bench'
tell "server: $(query -At -c "SELECT 'PostgreSQL ' || current_setting('server_version')"), shared_buffers ${buffers} MB," \
    "work_mem 1 GB, no parallel plans, no JIT"
query -f "$here/schema.sql"
if [ -z "$peers_only" ]; then query -c 'CREATE EXTENSION flamegraph'; fi

# --- the parts --------------------------------------------------------------------------------------------------------

if has_part profiles; then
    # shellcheck source=bench/profiles/profiles.sh
    . "$here/profiles/profiles.sh"
fi
if has_part models; then
    # shellcheck source=bench/models/models.sh
    . "$here/models/models.sh"
fi
if has_part groups; then
    # shellcheck source=bench/groups/groups.sh
    . "$here/groups/groups.sh"
fi
if has_part pictures; then
    # shellcheck source=bench/pictures/pictures.sh
    . "$here/pictures/pictures.sh"
fi
if has_part formats; then
    # shellcheck source=bench/formats/formats.sh
    . "$here/formats/formats.sh"
fi
if has_part jobs; then
    # shellcheck source=bench/jobs/jobs.sh
    . "$here/jobs/jobs.sh"
fi
query -c 'COPY (SELECT measure, side, size, work, seconds FROM bench.sample ORDER BY ordinal) TO STDOUT' >>"$results"

# --- the table --------------------------------------------------------------------------------------------------------

step "done"
psql -X -q -d postgres -c 'DROP DATABASE bench'
markdown=$here/results.md
if [ -n "$quick$peers_only" ]; then markdown=$data/latest.md; fi
python "$here/report.py" ${quick:+--quick} --markdown "$markdown" "$environment" "$results"
