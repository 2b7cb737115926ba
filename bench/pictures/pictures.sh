# shellcheck shell=bash
# Sourced by run.sh: the benchmarks of pictures. Data, tables, measurements.
#
# FLAMEGRAPH_PL=path names flamegraph.pl (not distributed here: its licence is the CDDL), INFERNO=path names
# inferno-flamegraph. Their lines stay empty without them.
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

picture_nodes=60000
picture_large=415783
if [ -n "$quick" ]; then
    picture_runs=5 picture_slow_runs=1 picture_groups=5
    picture_sizes=(10000 30000 100000)
    picture_samples=10000 picture_benchmarks=20 picture_nights=12
else
    picture_runs=7 picture_slow_runs=3 picture_groups=20
    picture_sizes=(10000 30000 100000 300000 1000000)
    picture_samples=100000 picture_benchmarks=100 picture_nights=30
fi
compile_generator

# --- data -------------------------------------------------------------------------------------------------------------

mapfile -t picture_all < <(printf '%s\n' "$picture_nodes" "$picture_large" "${picture_sizes[@]}" | sort -nu)
step "making profiles of ${picture_all[*]} nodes"
generate_picture() { "$data/generate" --seed 1 "$@"; }
query -c 'CREATE UNLOGGED TABLE bench.picture (size int, run int, data text, fg flamegraph)' \
    -c 'ALTER TABLE bench.picture ALTER data SET STORAGE EXTERNAL'
for n in "${picture_all[@]}"; do
    generate_picture --nodes "$n" --format copy | sed "s/^[0-9]*/$n\t0/" |
        query -c 'COPY bench.picture (size, run, data) FROM STDIN'
done
# 32 MB or so: what flamegraph.pl gets is the same text.
generate_picture --nodes "$picture_large" --output "$data/picture.folded"
generate_picture --nodes "$picture_nodes" --fresh 10 --profiles "$((2 * picture_groups))" --format copy |
    awk -F '\t' -v OFS='\t' -v n="$picture_nodes" '{print n, NR, $2}' |
    query -c 'COPY bench.picture (size, run, data) FROM STDIN'
# 100 MB or so of the text of perf script.
generate_picture --nodes "$picture_nodes" | python "$here/formats/recordings.py" perf "$picture_samples" >"$data/picture.perf"
query -c 'CREATE UNLOGGED TABLE bench.night (benchmark int, night int, data text)'
for ((benchmark = 1; benchmark <= picture_benchmarks; benchmark++)); do
    "$data/generate" --seed "$benchmark" --nodes 2000 --frames 500 --profiles "$picture_nights" --format copy |
        awk -F '\t' -v OFS='\t' -v benchmark="$benchmark" '{print benchmark, NR, $2}'
done | query -c 'COPY bench.night FROM STDIN'

# --- measuring --------------------------------------------------------------------------------------------------------

# Programs that read a file and write a picture: wall time, and the bytes of a box.
picture_program() { # side command...
    local run start
    for ((run = 0; run <= picture_slow_runs; run++)); do
        start=$EPOCHREALTIME
        "${@:2}" "$data/picture.folded" >"$data/picture.$1.svg" 2>"$data/picture.log" || return 1
        if [ "$run" -eq 0 ]; then continue; fi
        awk -v side="$1" -v n="$picture_large" -v w="$(stat -c %s "$data/picture.folded")" -v s="$start" \
            -v e="$EPOCHREALTIME" 'BEGIN { printf "picture_text\t%s\t%d\t%d\t%.6f\n", side, n, w, e - s }' >>"$results"
    done
    # one rectangle is the background
    note picture_box_bytes "$1" "$picture_large" \
        "$(awk -v bytes="$(stat -c %s "$data/picture.$1.svg")" '{n += gsub(/<rect /, "")} END {print bytes / (n - 1)}' \
            "$data/picture.$1.svg")"
}

if [ -z "$peers_only" ]; then
    step "measuring pictures"
    query -c "UPDATE bench.picture SET fg = flamegraph_from_folded(data)" -c 'VACUUM bench.picture'
    query -v runs="$picture_runs" -v slow_runs="$picture_slow_runs" -v nodes="$picture_nodes" -v large="$picture_large" \
        -v sizes="{$(IFS=, && echo "${picture_sizes[*]}")}" -f "$here/pictures/measure_ours.sql"
    query -v runs="$picture_runs" -v slow_runs="$picture_slow_runs" -v recording="$data/picture.perf" \
        -v samples="$picture_samples" -v benchmarks="$picture_benchmarks" -f "$here/pictures/measure_charts.sql"
fi
step "measuring other programs"
if [ -n "${FLAMEGRAPH_PL:-}" ]; then picture_program flamegraph_pl perl "$FLAMEGRAPH_PL" --minwidth 0.5 --width 1200; fi
if [ -n "${INFERNO:-}" ]; then picture_program inferno "$INFERNO" --minwidth 0.5 --width 1200; fi

# In a browser: paint, zoom, search. Where there is none the lines stay empty.
if [ -z "$peers_only" ] && [ -f "$here/pictures/browser.mjs" ]; then
    step "measuring in Chromium"
    query -At -c "SELECT flamegraph_svg(fg, min_width => 0.05) FROM bench.picture WHERE size = $picture_nodes AND run = 0" \
        >"$data/picture.$picture_nodes.svg"
    query -At -c "SELECT flamegraph_svg(fg, options => '{\"max_nodes\": 1000000}') FROM bench.picture
        WHERE size = $picture_large AND run = 0" >"$data/picture.$picture_large.svg"
    browser_files=("$data/picture.$picture_nodes.svg" "$data/picture.$picture_large.svg")
    # d3-flame-graph, where its packages are there: the same boxes.
    if [ -d "$here/../test/viewers/node_modules/d3-flame-graph" ]; then
        query -At -c "SELECT flamegraph_to_json(fg) FROM bench.picture WHERE size = $picture_nodes AND run = 0" \
            >"$data/picture.$picture_nodes.json"
        browser_files+=("$data/picture.$picture_nodes.json")
    fi
    if [ -f "$data/picture.flamegraph_pl.svg" ]; then browser_files+=("$data/picture.flamegraph_pl.svg"); fi
    if node "$here/pictures/browser.mjs" "${browser_files[@]}" >"$data/browser.lines" 2>"$data/browser.log"; then
        cat "$data/browser.lines" >>"$results"
    else
        echo "no measurements in a browser (see $data/browser.log): their lines stay empty" >&2
    fi
fi
tell "pictures: median of $picture_runs, of $picture_slow_runs for what takes long; 1 warm-up"
