#!/usr/bin/env bash
# The quality of the verdicts: how often the tests of two groups of profiles, of one run, of sequences and of nights are
# wrong, and what they find, on samples of which the truth is known and on recordings in which nothing changes. Prints the
# tables; exit status 1 if a bar is missed.
#
#   bench/quality/quality.sh [--quick] [--part PART,...] [--noise FOLDER]... [--record-noise]
#
#   --quick           a tenth of the repetitions: for a first look, says nothing about the bars
#   --part PART,...   groups, few, peers, fixed, history, series, noise, night, store, services; default all of them. Bars of other parts are
#                     not shown
#   --noise FOLDER    recordings of bench/record-noise, besides those of test/data/noise; LOADSAMPLES such as idle5000 in
#                     the folder's name says which they are
#   --record-noise    records those of 5,000 samples first, at rest and with all cores busy: about twenty-five minutes
#
# The extension must be in the private installation (tools/private-install.sh; `make bench-quality` does that). The
# tables also go to bench/results/quality.md, all figures to quality.json there. README.md explains them.
set -euo pipefail
# The children's sorting and number formats must not depend on the caller.
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
top=$(dirname "$here")
data=$top/tmp/quality-data
cluster=quality
seed=1

inside=
quick=
parts=groups,few,peers,fixed,history,series,noise,night,store,services
noise=()
record=
given=("$@")
while [ $# -gt 0 ]; do
    case $1 in
        --inside) inside=1 ;;
        --quick) quick=1 ;;
        --part) parts=$2 && shift ;;
        --noise) noise+=("$(cd "$2" && pwd -P)") && shift ;;
        --record-noise) record=1 ;;
        --help)
            sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) echo "quality.sh: unknown option $1 (see --help)" >&2 && exit 2 ;;
    esac
    shift
done

# Debian's own first: it is the one that has numpy.
python() {
    if [ -x /usr/bin/python3 ]; then /usr/bin/python3 "$@"; else python3 "$@"; fi
}

if [ -z "$inside" ]; then
    "$top/tools/deps.sh" --bench || true
    if ! python -c 'import numpy' 2>/dev/null; then
        echo "quality.sh: the samples are made with numpy (python3-numpy), which is missing" >&2
        exit 2
    fi
    "$top/tools/server.sh" init "$cluster"
    exec "$top/tools/server.sh" run "$cluster" "$here/quality/quality.sh" --inside ${given[@]+"${given[@]}"}
fi

mkdir -p "$data" "$here/results"
step() { printf '%4ss  %s\n' "$SECONDS" "$*" >&2; }
query() { psql -X -q -v ON_ERROR_STOP=1 -d quality "$@"; }

cores=$(nproc)
running=0

# Beside others, one for each core.
beside() {
    if [ "$running" -ge "$cores" ]; then wait -n; running=$((running - 1)); fi
    "$@" &
    running=$((running + 1))
}
wait_for_all() { while [ "$running" -gt 0 ]; do wait -n; running=$((running - 1)); done; }
has_part() { case ,$parts, in *,"$1",*) return 0 ;; *) return 1 ;; esac; }

# --- the recording ------------------------------------------------------------------------------------------------------

psql -X -q -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE quality'
query -c 'CREATE EXTENSION flamegraph' -f "$here/quality/quality.sql"
# One core, and no remarks on groups that are too small for T2: that is known here.
query -c 'ALTER DATABASE quality SET max_parallel_workers_per_gather = 0' \
    -c 'ALTER DATABASE quality SET client_min_messages = error'
query <<SQL
CREATE TEMP TABLE recorded (version text, run int, profile flamegraph);
\copy recorded FROM '$top/test/data/pgbench/profiles.tsv'
INSERT INTO quality.recording SELECT 'pgbench', run, profile FROM recorded WHERE version = 'noindex';
INSERT INTO quality.stack
SELECT row_number() OVER (ORDER BY value DESC, stack), stack, value
FROM stacks((SELECT sum(profile) FROM quality.recording));
SQL
query -At -c 'SELECT json_build_array(value, frames(stack)) FROM quality.stack ORDER BY n' >"$data/recording"

# --- scenarios -----------------------------------------------------------------------------------------------------------

times() { echo $((quick ? ($1 + 9) / 10 : $1)); }

# sample NAME REPETITIONS METHOD[:REPETITIONS],... STACKS BEFORE AFTER [KEY=VALUE ...]: see data.py and
# quality.sql; expensive methods see the first repetitions only.
sample() {
    local name=$1 repetitions method functions=false names=() limits=()
    repetitions=$(times "$2")
    IFS=, read -ra methods <<<"$3"
    for method in "${methods[@]}"; do
        names+=("\"${method%:*}\"")
        case $method in *:*) limits+=("$(times "${method#*:}")") ;; *) limits+=("$repetitions") ;; esac
    done
    case " $* " in *' functions=1 '*) functions=true ;; esac
    step "$name"
    python "$here/quality/data.py" sample "$seed" "$repetitions" "$data/recording" "${@:4}" |
        query -c 'CREATE TEMP TABLE sample OF quality.sample' -c 'COPY sample FROM STDIN' \
            -c "CALL quality.judge_sample('$name', '{$(IFS=, && echo "${names[*]}")}',
                '{$(IFS=, && echo "${limits[*]}")}', $functions)"
}

# peers NAME REPETITIONS METHOD,... LEVEL STACKS BEFORE AFTER [KEY=VALUE ...]: what R's packages say of the same samples
peers() {
    local name=$1 repetitions level=$4 arguments
    repetitions=$(times "$2")
    arguments=("$level" "$seed" "$repetitions" "$data/recording" "${@:5}")
    step "$name: $3 on $level"
    python "$here/quality/data.py" matrices "${arguments[@]}" | Rscript "$here/quality/peers.R" "$3" |
        python "$here/quality/data.py" judge "${arguments[@]}" | sed "s/^/$name\t/" | query -c 'COPY quality.result FROM STDIN'
}

# oracle NAME REPETITIONS LEVEL STACKS BEFORE AFTER [KEY=VALUE ...]
oracle() {
    step "$1: known variances"
    python "$here/quality/data.py" oracle "$3" "$seed" "$(times "$2")" "$data/recording" "${@:4}" | sed "s/^/$1\t/" |
        query -c 'COPY quality.result FROM STDIN'
}

# series NAME REPETITIONS STEP
series() {
    step "$1"
    python "$here/quality/data.py" series "$seed" "$(times "$2")" "$3" |
        query -c 'CREATE TEMP TABLE series OF quality.series' -c 'COPY series FROM STDIN' \
            -c "CALL quality.judge_series('$1')"
}

# recording NAME REPETITIONS SOURCE METHODS BEFORE AFTER
recording() {
    step "$1"
    query -c "CALL quality.judge_recording('$1', '$3', string_to_array('$4', ','), $5, $6, $(times "$2"), $seed)"
}

# Without a change the rate is the probability of any alarm at all: it takes more repetitions to know.
part_groups() {
    local per_key="welch stack,welch node,maxt stack:200,maxt node:200" effect stacks repetitions energy
    for effect in 0 0.01 0.05; do
        if [ "$effect" = 0 ]; then repetitions=1000 energy=energy; else repetitions=500 energy=energy:200; fi
        for stacks in 20 50 80 95; do
            beside sample "groups $effect $stacks" "$repetitions" "$per_key,hotelling,t2 stack:200,energy:200" \
                "$stacks" 50 50 effect="$effect"
        done
        beside sample "groups $effect 400" "$repetitions" "$per_key,$energy" 400 50 50 effect="$effect"
    done
    beside sample "uniform 0.01 400" 500 "welch stack,welch node,maxt node:200" 400 50 50 effect=0.01 uniform=1
}

both="welch stack,welch node,welch frame,moderated stack,moderated node,moderated frame"
both+=",counts stack,counts node,counts frame"

# few_runs RUNS -> the repetitions that it takes and that are affordable
few_runs() { case $1 in 3 | 5) echo 150 ;; 10) echo 100 ;; *) echo 30 ;; esac; }

part_few() {
    local effect runs spread louder
    for runs in 50 10 5 3; do
        for effect in 0 0.01; do
            for spread in 0 0.5 1; do
                for louder in 1 2; do
                    beside sample "few $effect $runs $spread $louder" "$(few_runs "$runs")" "$both" 400 "$runs" "$runs" \
                        effect="$effect" noise=0.1 spread="$spread" louder="$louder"
                done
            done
        done
        for spread in 0 0.5 1; do
            for effect in 0 0.01; do
                beside sample "zipf $effect $runs $spread" "$(few_runs "$runs")" "$both" 400 "$runs" "$runs" effect="$effect" \
                    noise=0.1 spread="$spread" zipf=1 uniform=1
            done
        done
        beside sample "few 0.05 $runs 0 1" 100 "$both,energy" 400 "$runs" "$runs" effect=0.05 noise=0.1
    done
    for effect in 0 0.01; do
        beside sample "energy $effect 5" 400 energy 400 5 5 effect="$effect" noise=0.1
        beside sample "energy $effect 10" 400 energy 400 10 10 effect="$effect" noise=0.1
    done
    for runs in 3 5 10; do
        beside recording "recorded groups $runs" 400 pgbench "$both" "$runs" "$runs"
    done
}

part_peers() {
    local runs
    if ! Rscript -e 'library(limma); library(edgeR)' >/dev/null 2>&1; then
        echo 'quality.sh: without R, limma and edgeR (r-bioc-limma, r-bioc-edger) the peers are left out' >&2
        return
    fi
    # What a test finds that knows the variances.
    for runs in 3 5 10 50; do
        beside oracle "few 0.01 $runs 0 1" "$(few_runs "$runs")" node 400 "$runs" "$runs" effect=0.01 noise=0.1 spread=0 louder=1
    done
    for runs in 3 5 10; do
        beside peers "few 0.01 $runs 0 1" "$(few_runs "$runs")" limma,voom node 400 "$runs" "$runs" effect=0.01 noise=0.1 \
            spread=0 louder=1
        beside peers "few 0.01 $runs 0 1" "$(few_runs "$runs")" limma,voom stack 400 "$runs" "$runs" effect=0.01 noise=0.1 \
            spread=0 louder=1
        beside peers "few 0.01 $runs 0 1" 30 edger node 400 "$runs" "$runs" effect=0.01 noise=0.1 spread=0 louder=1
        beside peers "few 0.01 $runs 0 1" 30 edger stack 400 "$runs" "$runs" effect=0.01 noise=0.1 spread=0 louder=1
    done
}

part_fixed() {
    local ways="welch stack,welch node,median_ratio stack,median_ratio node,stable stack,stable node" stacks
    for stacks in 50 95 400; do
        beside sample "fixed $stacks" 250 "$ways" "$stacks" 50 50 effect=0.05 fixed=1
    done
    beside sample "fixed 400 minority" 250 "$ways" 400 50 50 effect=0.05 fixed=1 minority=1
}

part_history() {
    local ways="scores total,scores self,scores_moderated total,scores_moderated self,scores_counts total,scores_counts self" spread
    beside sample "history 10000" 1000 "$ways" 400 10 1
    beside sample "history 470" 1000 "$ways" 400 10 1 samples=470
    beside sample "history noise" 1000 "$ways" 400 10 1 noise=0.1
    ways="scores self,scores_moderated self,scores_counts self"
    for spread in 0 0.5 1; do
        beside sample "function 0 $spread" 1000 "$ways" 400 10 1 noise=0.1 spread="$spread" functions=1
        beside sample "function 0.03 $spread" 500 "$ways" 400 10 1 effect=0.03 noise=0.1 spread="$spread" functions=1
    done
    beside recording "recorded history" 1000 pgbench 'scores total,scores self' 10 1
    beside recording "recorded groups 12" 1000 pgbench "$both,energy" 12 12
}

part_series() {
    beside series "series 0" 2000 0
    beside series "series 3" 1000 3
    beside sample "sequence 0" 500 cuts 400 30 30
    beside sample "sequence 0.05" 200 cuts 400 30 30 effect=0.05
}

# The ways to test a night; the last one is what the store does.
ways="time own none,samples own none,time own floor,samples own floor,samples moderated none,time moderated floor"
ways+=",samples moderated floor,run"
today="time own none"
ours=run

# Recordings of 5,000 samples are made on demand; those of 500 are here.
committed=("$top"/test/data/noise/*/)
folders=("${committed[@]}")
if [ -n "$record" ]; then
    for load in idle busy; do
        step "recording ${load}5000"
        "$here/record-noise" --samples 5000 --repetitions 5 --load "$load" "$data/${load}5000"
        noise+=("$data/${load}5000")
    done
fi
folders+=(${noise[@]+"${noise[@]}"})

read_noise() {
    step "reading recordings"
    query -c 'CREATE EXTENSION flamegraph_store' -f "$here/quality/noise.sql"
    python "$here/quality/noise.py" "${folders[@]}" | query -c 'COPY quality.night_file FROM STDIN'
    query -c 'CALL quality.read_nights()'
    case " ${folders[*]}" in
        *5000*) ;;
        *) echo 'quality.sh: without --record-noise or --noise the recordings of 5,000 samples are left out' >&2 ;;
    esac
}

# quiet SOURCE KIND; slow SOURCE KIND EFFECT
quiet() {
    step "quiet nights of $1, $2"
    query -c "CALL quality.judge_quiet_nights('$1', '$2', string_to_array('$ways', ','), 0.01)"
}
slow() {
    step "slow nights of $1, $2, $3"
    query -c "CALL quality.judge_slow_nights('$1', '$2', string_to_array('$ways', ','), 0.01, $3, $(times 5))"
}

part_noise() {
    local source kind effect runs
    while read -r source kind; do
        beside quiet "$source" "$kind"
        for effect in 0.03 0.06; do beside slow "$source" "$kind" "$effect"; done
        for runs in 3 5 10; do
            beside recording "noise groups $runs $source $kind" 200 "$source $kind" "$both" "$runs" "$runs"
        done
    done < <(query -At -F ' ' -c 'SELECT DISTINCT source, kind FROM quality.recorded_night ORDER BY 1, 2')
}

# drawn NAME SAMPLES BENCHMARKS NIGHTS EFFECT [whole]
drawn() {
    step "$1"
    python "$here/quality/nights.py" "$seed" "$(times "$3")" "${@:4}" <"$data/pool$2" |
        query -c 'CREATE TEMP TABLE drawn OF quality.drawn_night' -c 'COPY drawn FROM STDIN' -c 'ANALYZE drawn' \
            -c "CALL quality.judge_drawn('$1', '{$today,$ours}')"
}

# The nightly watch itself over benchmarks drawn from recordings, in a store of its own, with its defaults: a row for each night.
watch_drawn() {
    local benchmarks night nights=40
    benchmarks=$(times 60)
    step "the store: $benchmarks drawn benchmarks, $nights nights"
    psql -X -q -d postgres -c 'CREATE DATABASE quality_many'
    store() { PGOPTIONS='-c client_min_messages=error' psql -X -q -v ON_ERROR_STOP=1 -d quality_many "$@"; }
    store -c 'CREATE EXTENSION flamegraph_store CASCADE' \
        -c 'CREATE TABLE stack (n int PRIMARY KEY, stack stackpath, leaf int, frame text)' \
        -c 'CREATE TABLE drawn (benchmark int, night int, repetition int, program text, slow int, stacks int[], samples float8[], value float8[], noise float8[])' \
        -c "CREATE FUNCTION profile_of(stacks int[], counts float8[]) RETURNS flamegraph LANGUAGE sql AS 'SELECT flamegraph_agg(s.stack, u.count)
            FROM unnest(stacks, counts) AS u (n, count) JOIN stack AS s USING (n)'"
    query -c 'COPY quality.pool_stack TO STDOUT' | store -c 'COPY stack FROM STDIN'
    python "$here/quality/nights.py" "$seed" "$benchmarks" "$nights" 0 whole <"$data/pool500" | store -c 'COPY drawn FROM STDIN'
    for ((night = 1; night <= nights; night++)); do
        echo "SELECT count(profiling.import_flamegraph('b' || benchmark, profile_of(stacks, value), repetition => repetition, commit => 'c$night',
            started_at => timestamptz '2026-01-01 UTC' + $night * interval '1 day', unit => 'us', samples => profile_of(stacks, samples),
            noise => profile_of(stacks, noise))) FROM drawn WHERE night = $night;
            CALL profiling.watch_run();"
    done | store >/dev/null
    store -At -c "COPY (
        SELECT 'many watched', 'watch', n.night, f.n, f.n, NULL, NULL
        FROM generate_series(11, $nights) AS n (night), LATERAL (
            SELECT count(*) AS n FROM profiling.regression AS r JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
            WHERE t.commit = 'c' || n.night) AS f) TO STDOUT" | query -c 'COPY quality.result FROM STDIN'
    psql -X -q -d postgres -c 'DROP DATABASE quality_many'
}

part_night() {
    query -c "CALL quality.fill_pool()"
    query -At -c "SELECT json_build_array(program, night, medium, stacks, leaves, samples, value, noise) FROM quality.pool,
        LATERAL (SELECT array_agg(DISTINCT s.leaf) AS medium
                 FROM quality.pool_stack AS s JOIN quality.medium_function AS m ON s.frame = m.frame
                 WHERE concat_ws(' ', m.source, m.kind) = program) AS m" >"$data/pool"
    grep -E '^\["[a-z]+500 ' "$data/pool" >"$data/pool500"
    grep -E '^\["[a-z]+5000 ' "$data/pool" >"$data/pool5000" || true
    beside drawn "many quiet" 500 200 70 0
    beside drawn "many slow" 500 400 11 0.05
    beside drawn "whole slow" 500 400 11 0.05 whole
    if [ -s "$data/pool5000" ]; then beside drawn "whole slow 5000" 5000 60 11 0.05 whole; fi
    beside watch_drawn
}

# The nightly watch itself over the committed recordings, in a store of its own, with its defaults.
watch_nights() {
    step "the store: ${#committed[@]} sets of recorded nights"
    psql -X -q -d postgres -c 'CREATE DATABASE quality_store'
    PGOPTIONS='-c client_min_messages=error' psql -X -q -v ON_ERROR_STOP=1 -d quality_store -c 'CREATE EXTENSION flamegraph_store CASCADE' \
        -c 'CREATE TABLE night_file (source text, kind text, night int, repetition int, data bytea)'
    python "$here/quality/noise.py" "${committed[@]}" | psql -X -q -d quality_store -c 'COPY night_file FROM STDIN'
    for ((night = 1; night <= 40; night++)); do
        echo "SELECT count(profiling.import_profile(source || ' ' || kind, data, repetition => repetition, commit => 'c$night',
            started_at => timestamptz '2026-01-01 UTC' + $night * interval '1 day')) FROM night_file WHERE night = $night;
            CALL profiling.watch_run();"
    done | psql -X -q -v ON_ERROR_STOP=1 -d quality_store >/dev/null
    # A row for each benchmark and night that had ten nights before it; wrong: the findings that were opened.
    psql -X -q -At -d quality_store -c "COPY (
        SELECT 'watched ' || b.name, 'watch', n.night, f.n, f.n, NULL, NULL
        FROM profiling.benchmark AS b, generate_series(11, 40) AS n (night),
             LATERAL (SELECT count(*) AS n FROM profiling.regression AS r JOIN profiling.test_run AS t
                          ON t.test_run_id = r.first_test_run_id
                      WHERE r.benchmark_id = b.benchmark_id AND t.commit = 'c' || n.night) AS f) TO STDOUT" |
        query -c 'COPY quality.result FROM STDIN'
    psql -X -q -d postgres -c 'DROP DATABASE quality_store'
}
part_store() { beside watch_nights; }

# drawn_services NAME SEED SERVICES DAYS EFFECT SHARE: the watch of services over the last day, or two, of drawn ones, each alone and
# all that there are together: a row for each hour of a service, wrong: findings about what did not change.
drawn_services() {
    local base=quality_services_$2 way alone
    step "$1"
    psql -X -q -d postgres -c "CREATE DATABASE $base"
    on() { PGOPTIONS='-c client_min_messages=error' psql -X -q -v ON_ERROR_STOP=1 -d "$base" "$@"; }
    on -c 'CREATE EXTENSION flamegraph_store CASCADE' -f "$here/quality/services.sql"
    python "$here/quality/services.py" "$2" "$(times "$3")" "$4" "$5" "$6" | on -c 'COPY drawn FROM STDIN'
    on -c 'CALL load()' -c 'CALL profiling.compact()'
    for way in alone together; do
        alone=$([ "$way" = alone ] && echo true || echo false)
        on -c "CREATE TABLE $way AS SELECT row_number() OVER (ORDER BY w.hour, w.service) AS n, w.* FROM watched(7, $4 - 1, $alone) AS w"
        on -At -c "COPY (SELECT '$1', '$way', n, findings, findings - grown,
            CASE WHEN substr(service, 2)::int < $6 * $(times "$3") AND $5 > 0 THEN (grown > 0)::int ELSE 0 END,
            CASE WHEN substr(service, 2)::int < $6 * $(times "$3") AND $5 > 0 THEN (grown > 0)::int END FROM $way) TO STDOUT" |
            query -c 'COPY quality.result FROM STDIN'
    done
    psql -X -q -d postgres -c "DROP DATABASE $base"
}

part_services() {
    beside drawn_services "services quiet" 11 18 9 0 1
    beside drawn_services "services all 0.2" 12 18 8 0.2 1
    beside drawn_services "services some 0.4" 13 18 8 0.4 0.3
}

if has_part noise || has_part night; then read_noise; fi
for part in store services groups few peers fixed history series noise night; do
    if has_part "$part"; then "part_$part"; fi
done
wait_for_all

# --- the tables -------------------------------------------------------------------------------------------------------------

step "done"
query -c 'COPY (SELECT * FROM quality.result ORDER BY 1, 2, 3) TO STDOUT' >"$data/results.tsv"
psql -X -q -d postgres -c 'DROP DATABASE quality'
python "$here/quality/report.py" --seed "$seed" ${quick:+--quick} --markdown "$here/results/quality.md" \
    --json "$here/results/quality.json" "$data/results.tsv"
