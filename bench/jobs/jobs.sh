# shellcheck shell=bash
# Sourced by run.sh: the benchmarks of jobs of distributed systems. Data, tables, measurements.
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# How many times the supersteps of the golden job: 5,400 to 500,000 phases. For the growth its measurements are halved,
# in the smallest job as in the largest, which so has five million and more.
if [ -n "$quick" ]; then
    job_runs=3 job_slow_runs=1
    job_tiles=(1 3 10)
else
    job_runs=7 job_slow_runs=3
    job_tiles=(1 3 10 31 93)
fi
job_stretches=(10 100 1000)
golden=$data/job
if ! python -c 'import numpy' 2>"$data/jobs.log"; then
    echo "numpy is missing (see $data/jobs.log): there is no job to measure" >&2
    return 0
fi

# --- data -------------------------------------------------------------------------------------------------------------

step "making the golden job"
python "$top/test/data/golden/jobs/gen_job.py" --out "$golden" >"$data/jobs.log"
make_jobs() {
    local table tiles stretch
    query -c 'SET client_min_messages = warning; CREATE EXTENSION flamegraph_jobs' -f "$here/jobs/load.sql"
    for table in phase_type precedence phase resource_type resource usage blocking rule phase_resource; do
        query -c "COPY bench.golden_$table FROM STDIN (FORMAT csv, HEADER)" <"$golden/$table.csv"
    done
    query -At -c 'SELECT bench.make_model()'
    for tiles in "${job_tiles[@]}"; do
        query -At -c "SELECT bench.make_job($tiles, 1, 2)"
    done
    query -At -c 'SELECT bench.make_job(1, 1, 1)'
    for stretch in "${job_stretches[@]}"; do query -At -c "SELECT bench.make_job(1, $stretch, 1)"; done
    # VACUUM cannot mark pages as visible to all before the commits of their rows are on disk.
    query -c CHECKPOINT -c 'VACUUM ANALYZE' -c CHECKPOINT
}

# --- measuring --------------------------------------------------------------------------------------------------------

if [ -z "$peers_only" ]; then
    step "loading it ${job_tiles[*]} times as large"
    make_jobs >/dev/null
    read -r job_largest job_phases <<<"$(query -At -F ' ' -c 'SELECT job_id, phases FROM bench.job ORDER BY phases DESC LIMIT 1')"
    step "measuring jobs"
    query -v runs="$job_runs" -v slow_runs="$job_slow_runs" -f "$here/jobs/measure_ours.sql"
    step "measuring their memory"
    job_three=$(query -At -c "SELECT bench.three($job_largest)" | tr '\n' ' ')
    query -At -v result="$job_three" -v work_mem=64MB -f "$here/measure_memory.sql" |
        { read -r bytes && note job_memory ours "$job_phases" "$bytes"; }
    query -At -v result="$job_three" -f "$here/measure_memory.sql" | { read -r bytes && note job_memory_rows ours "$job_phases" "$bytes"; }
    step "cancelling analyses of jobs"
    query -v phases="$job_phases" -f "$here/jobs/cancel.sql" 2>&1 |
        { grep -Ev "canceling statement due to statement timeout|^CONTEXT:" >&2 || true; }
    tell "jobs: $(query -At -c "SELECT string_agg(format('%s phases and %s measurements', phases, measurements), ', ' ORDER BY phases)
        FROM bench.job WHERE cuts = 2"), for the growth; else $(query -At -c "SELECT format('%s phases and %s measurements', phases,
        measurements) FROM bench.job WHERE cuts = 1 AND stretch = 1")"
fi
step "measuring jobs with numpy"
python "$here/jobs/peers.py" "$job_runs" "$golden" "$data/jobs.answers" >>"$results"
query -c 'COPY bench.answer FROM STDIN' <"$data/jobs.answers"
query -f "$here/jobs/check.sql"
tell "peers of jobs: numpy $(python -c 'import numpy; print(numpy.__version__)'), written for this, one thread, arrays in memory"
tell "runs of jobs: median of $job_runs, of $job_slow_runs for what takes long; 1 warm-up"
rm -rf "$golden"
