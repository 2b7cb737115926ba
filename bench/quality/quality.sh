#!/usr/bin/env bash
# The quality of the verdicts: how often the tests of two groups of profiles, of one run and of sequences are wrong, and
# what they find, on samples of which the truth is known. Prints the tables; exit status 1 if a bar is missed.
#
#   bench/quality/quality.sh [--quick]
#
#   --quick   a tenth of the repetitions: for a first look, says nothing about the bars
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
while [ $# -gt 0 ]; do
    case $1 in
        --inside) inside=1 ;;
        --quick) quick=1 ;;
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
    exec "$top/tools/server.sh" run "$cluster" "$here/quality/quality.sh" --inside ${quick:+--quick}
fi

mkdir -p "$data" "$here/results"
step() { printf '%4ss  %s\n' "$SECONDS" "$*" >&2; }
query() { psql -X -q -v ON_ERROR_STOP=1 -d quality "$@"; }

# --- the recording ------------------------------------------------------------------------------------------------------

psql -X -q -v ON_ERROR_STOP=1 -d postgres -c 'CREATE DATABASE quality'
query -c 'CREATE EXTENSION flamegraph' -f "$here/quality/quality.sql"
# One core, and no remarks on groups that are too small for T2: that is known here.
query -c 'ALTER DATABASE quality SET max_parallel_workers_per_gather = 0' \
    -c 'ALTER DATABASE quality SET client_min_messages = error'
query <<SQL
CREATE TEMP TABLE recorded (version text, run int, profile flamegraph);
\copy recorded FROM '$top/test/data/pgbench/profiles.tsv'
INSERT INTO quality.recording SELECT run, profile FROM recorded WHERE version = 'noindex';
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
    local name=$1 repetitions method names=() limits=()
    repetitions=$(times "$2")
    IFS=, read -ra methods <<<"$3"
    for method in "${methods[@]}"; do
        names+=("\"${method%:*}\"")
        case $method in *:*) limits+=("$(times "${method#*:}")") ;; *) limits+=("$repetitions") ;; esac
    done
    step "$name"
    query -c 'TRUNCATE quality.sample'
    python "$here/quality/data.py" sample "$seed" "$repetitions" "$data/recording" "${@:4}" |
        query -c 'COPY quality.sample FROM STDIN'
    query -v name="$name" -v methods="{$(IFS=, && echo "${names[*]}")}" -v limits="{$(IFS=, && echo "${limits[*]}")}" \
        <<<"CALL quality.judge_sample(:'name', :'methods', :'limits')"
}

# series NAME REPETITIONS STEP
series() {
    step "$1"
    query -c 'TRUNCATE quality.series'
    python "$here/quality/data.py" series "$seed" "$(times "$2")" "$3" | query -c 'COPY quality.series FROM STDIN'
    query -v name="$1" <<<"CALL quality.judge_series(:'name')"
}

# recording NAME REPETITIONS METHODS BEFORE AFTER
recording() {
    step "$1"
    query -v name="$1" -v methods="{$3}" -v n1="$4" -v n2="$5" -v repetitions="$(times "$2")" -v seed="$seed" \
        <<<"CALL quality.judge_recording(:'name', :'methods', :n1, :n2, :repetitions, :seed)"
}

# Without a change the rate is the probability of any alarm at all: it takes more repetitions to know.
per_key="welch stack,welch node,maxt stack:200,maxt node:200"
for effect in 0 0.01 0.05; do
    if [ "$effect" = 0 ]; then repetitions=1000 energy=energy; else repetitions=500 energy=energy:200; fi
    for stacks in 20 50 80 95; do
        sample "groups $effect $stacks" "$repetitions" "$per_key,hotelling,t2 stack:200,energy:200" \
            "$stacks" 50 50 effect="$effect"
    done
    sample "groups $effect 400" "$repetitions" "$per_key,$energy" 400 50 50 effect="$effect"
done
sample "uniform 0.01 400" 500 "welch stack,welch node,maxt node:200" 400 50 50 effect=0.01 uniform=1
for effect in 0 0.01 0.05; do
    for runs in 5 10 20 50; do
        sample "few $effect $runs" $((runs > 20 ? 200 : 400)) "welch stack,welch node,energy" \
            400 "$runs" "$runs" effect="$effect" noise=0.1
    done
done
per_key="welch stack,welch node,ratio stack,ratio node"
for stacks in 50 95 400; do
    sample "fixed $stacks" 400 "$per_key" "$stacks" 50 50 effect=0.05 fixed=1
done
sample "fixed 400 minority" 400 "$per_key" 400 50 50 effect=0.05 fixed=1 minority=1

sample "history 10000" 2000 "scores total,scores self" 400 10 1
sample "history 470" 2000 "scores total,scores self" 400 10 1 samples=470
sample "history noise" 2000 "scores total,scores self" 400 10 1 noise=0.1
recording "recorded history" 1000 "scores total,scores self" 10 1
recording "recorded groups" 1000 "welch stack,welch node,energy" 12 12

series "series 0" 2000 0
series "series 3" 1000 3
sample "sequence 0" 500 cuts 400 30 30
sample "sequence 0.05" 200 cuts 400 30 30 effect=0.05

# --- the tables -------------------------------------------------------------------------------------------------------------

step "done"
query -c 'COPY (SELECT * FROM quality.result ORDER BY 1, 2, 3) TO STDOUT' >"$data/results.tsv"
psql -X -q -d postgres -c 'DROP DATABASE quality'
python "$here/quality/report.py" --seed "$seed" ${quick:+--quick} --markdown "$here/results/quality.md" \
    --json "$here/results/quality.json" "$data/results.tsv"
