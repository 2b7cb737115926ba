# shellcheck shell=bash
# Sourced by run.sh: the benchmarks of performance models. Data, tables, measurements.
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

model_seed=1
# Bandwidths: about that of the rule of thumb for 10,000 points, and about what a search finds.
wide=50 narrow=5
if [ -n "$quick" ]; then
    points=100000 search=1000 model_runs=3 model_slow_runs=1
    point_sizes="{1000,3000,10000,30000,100000}"
else
    points=1000000 search=3000 model_runs=7 model_slow_runs=3
    point_sizes="{1000,3000,10000,30000,100000,300000,1000000}"
fi

have_peers=1
if ! python -c 'import numpy, pandas, scipy, statsmodels.api' 2>"$data/models.log"; then
    echo "numpy, pandas, scipy or statsmodels is missing (see $data/models.log): their lines stay empty" >&2
    have_peers=
fi

step "loading $points points"
query -c 'CREATE UNLOGGED TABLE bench.point_shuffled (x float8, y float8)'
python "$here/models/data.py" "$model_seed" "$points" | query -c 'COPY bench.point_shuffled FROM STDIN'
query -v sizes="$point_sizes" -f "$here/models/load.sql"
query -c CHECKPOINT

model_variables=(-v points="$points" -v search="$search" -v wide="$wide" -v narrow="$narrow" -v runs="$model_runs"
    -v slow_runs="$model_slow_runs")
if [ -z "$peers_only" ]; then
    step "measuring models"
    query "${model_variables[@]}" -f "$here/models/measure_ours.sql"
    step "cancelling models"
    query "${model_variables[@]}" -f "$here/models/cancel.sql" 2>&1 |
        { grep -v 'canceling statement due to statement timeout' >&2 || true; }
fi
if [ -n "$have_peers" ]; then
    step "measuring numpy, pandas and statsmodels"
    python "$here/models/peers.py" "$model_runs" "$model_slow_runs" "$points" "$search" "$wide" "$narrow" \
        "$data/models.answers" >>"$results"
    query -c 'COPY bench.answer FROM STDIN' <"$data/models.answers"
    tell "peers of models: $(python -W ignore -c 'import numpy, pandas, scipy, statsmodels
for module in (numpy, pandas, scipy, statsmodels):
    print(module.__name__, module.__version__, end=", ")')one thread"
else
    tell "peers of models: could not be installed"
fi
if [ -z "$peers_only" ] || [ -n "$have_peers" ]; then query -f "$here/models/check.sql"; fi
tell "points of models: $points, seed $model_seed"
tell "runs of models: median of $model_runs, of $model_slow_runs for what takes long; 1 warm-up, but none of statsmodels"
