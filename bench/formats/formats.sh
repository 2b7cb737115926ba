# shellcheck shell=bash
# Sourced by run.sh: the benchmarks of readers of recordings. Data, measurements.
#
# STACKCOLLAPSE_PERF=path names stackcollapse-perf.pl (not distributed here: its licence is the CDDL), SPEEDSCOPE_SOURCE=path a
# clone of speedscope, whose readers are then built by npm below tmp/. What is not there is told, and its lines stay empty.
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

format_names=(folded austin perf bpftrace stacks sample callgrind gperftools
    speedscope cpuprofile heapprofile chrome firefox stackprof jfr instruments pprof pprof_stacks otlp mojo jfr_binary)
# The reader of a row that is not called as its format is.
reader_of() { case $1 in mojo) echo austin ;; jfr_binary) echo jfr ;; pprof_stacks) echo pprof ;; *) echo "$1" ;; esac; }
# A stack a sample is what is measured there, and many of them.
samples_of() { case $1 in pprof_stacks) echo $((3 * format_samples)) ;; *) echo "$format_samples" ;; esac; }
if [ -n "$quick" ]; then format_runs=3 format_samples=10000; else format_runs=7 format_samples=100000; fi
compile_generator

step "making recordings of $format_samples samples"
"$data/generate" --seed 1 --nodes 60000 --output "$data/recorded.folded"
for format in "${format_names[@]}"; do
    python "$here/formats/recordings.py" "$format" "$(samples_of "$format")" <"$data/recorded.folded" >"$data/recording.$format"
    note "format_size_$format" ours "$(samples_of "$format")" "$(stat -c %s "$data/recording.$format")"
done

if [ -z "$peers_only" ]; then
    step "measuring readers"
    compile_with_core reader_bench "$here/formats/reader_bench.c"
    for format in "${format_names[@]}"; do
        "$data/reader_bench" "$format_runs" "$(reader_of "$format")" "$format" "$(samples_of "$format")" "$data/recording.$format"
        "$data/reader_bench" --memory "$(reader_of "$format")" "$format" "$(samples_of "$format")" "$data/recording.$format"
    done >>"$results"
fi

# Files of 200 MB: what is kept may grow with the profile, and not with the file. Of a stack a sample it is one of 35 MB,
# as all of it is the profile.
declare -A large_samples=(
    [perf]=165000 [callgrind]=830000 [sample]=715000 [chrome]=505000 [speedscope]=3780000 [cpuprofile]=22000000
    [heapprofile]=4450000 [firefox]=16900000 [stackprof]=4200000 [jfr]=40000
    [gperftools]=600000 [pprof]=600000 [pprof_stacks]=900000 [otlp]=600000 [mojo]=600000 [jfr_binary]=600000
)
# These are short a sample: the same ones so many times.
declare -A large_times=([gperftools]=7 [pprof]=11 [otlp]=29 [mojo]=8 [jfr_binary]=22)
if [ -z "$peers_only$quick" ]; then
    step "measuring the memory of large files"
    for format in "${!large_samples[@]}"; do
        python "$here/formats/recordings.py" "$format" "${large_samples[$format]}" \
            ${large_times[$format]:+"${large_times[$format]}"} <"$data/recorded.folded" >"$data/recording.large"
        note "format_large_size_$format" ours "${large_samples[$format]}" "$(stat -c %s "$data/recording.large")"
        "$data/reader_bench" --memory "$(reader_of "$format")" "$format" "${large_samples[$format]}" "$data/recording.large" |
            sed 's/^format_memory_/format_large_/' >>"$results"
    done
    rm -f "$data/recording.large"
fi

step "measuring other programs"
# The processor's time, of all threads, as of the readers.
format_program() { # measure side bytes command...
    local run spent TIMEFORMAT='%U %S'
    for ((run = 0; run <= 3; run++)); do
        spent=$({ time "${@:4}" >/dev/null 2>"$data/format.log"; } 2>&1) || return 1
        if [ "$run" -eq 0 ]; then continue; fi
        awk -v measure="$1" -v side="$2" -v n="$format_samples" -v w="$3" \
            '{ printf "%s\t%s\t%d\t%d\t%.6f\n", measure, side, n, w, $1 + $2 }' <<<"$spent" >>"$results"
    done
}
if [ -n "${STACKCOLLAPSE_PERF:-}" ]; then
    format_program format_perf stackcollapse_perf "$(stat -c %s "$data/recording.perf")" \
        perl "$STACKCOLLAPSE_PERF" "$data/recording.perf"
else
    echo "STACKCOLLAPSE_PERF does not say where stackcollapse-perf.pl is: its line stays empty" >&2
fi
if command -v inferno-collapse-perf >/dev/null; then
    format_program format_perf inferno_collapse "$(stat -c %s "$data/recording.perf")" inferno-collapse-perf "$data/recording.perf"
else
    echo "inferno is not installed (cargo install inferno): its line stays empty" >&2
fi
if command -v jfr >/dev/null; then
    # it reads nothing whose name ends otherwise
    cp "$data/recording.jfr_binary" "$data/recording_binary.jfr"
    format_program format_jfr_binary jfr_print "$(stat -c %s "$data/recording.jfr_binary")" \
        jfr print --json --stack-depth 64 "$data/recording_binary.jfr"
fi
compile -O3 -o "$data/expat_alone" "$here/formats/expat_alone.c" -lexpat
for ((run = 0; run <= 3; run++)); do
    if [ "$run" -gt 0 ]; then "$data/expat_alone" "$data/recording.instruments" "$format_samples" >>"$results"; fi
done
for format in pprof pprof_stacks otlp instruments; do
    # a machine without Debian's python3-protobuf has empty lines
    python "$here/formats/other_readers.py" "$format" "$(samples_of "$format")" "$data/recording.$format" >>"$results" || true
done
for format in speedscope cpuprofile heapprofile chrome firefox stackprof jfr; do
    python - "$data/recording.$format" "$format" "$format_samples" >>"$results" <<'PYTHON'
import json
import sys
import time

text = open(sys.argv[1], "rb").read()
for run in range(4):
    start = time.process_time()
    json.loads(text)
    if run > 0:
        print(f"format_{sys.argv[2]}", "json_load", sys.argv[3], len(text), time.process_time() - start, sep="\t")
PYTHON
done

# speedscope's own readers, in node: until the profile is there, nothing is drawn.
speedscope=$top/tmp/bench-speedscope
speedscope_build() {
    [ -f "${SPEEDSCOPE_SOURCE:-}/src/import/index.ts" ] || return 1
    mkdir -p "$speedscope"
    [ -f "$speedscope/package.json" ] || echo '{"private": true}' >"$speedscope/package.json"
    (cd "$speedscope" && npm install --no-package-lock --no-save --no-audit --no-fund --silent esbuild@0.28.2 jszip@3.1.5 \
        pako@1.0.6 protobufjs@6.8.8 source-map@0.6.1 uint8array-json-parser@0.0.2 &&
        echo 'module.exports = {}' >nothing.cjs &&
        echo "export {importProfileGroupFromText} from '$SPEEDSCOPE_SOURCE/src/import/index'" >entry.ts &&
        NODE_PATH=node_modules npx esbuild entry.ts --bundle --platform=node --outfile=readers.cjs --log-level=error \
            --alias:jfrview=./nothing.cjs --alias:jfrview/jfrview_bg.wasm=./nothing.cjs) >"$speedscope/log" 2>&1
}
# It goes by the name of a file, too.
speedscope_name() {
    case $1 in
        perf) echo app.linux-perf.txt ;;
        callgrind) echo callgrind.app ;;
        cpuprofile | heapprofile) echo "app.$1" ;;
        *) echo "app.$1.json" ;;
    esac
}
if speedscope_build; then
    for format in perf callgrind speedscope cpuprofile heapprofile chrome firefox stackprof; do
        node "$here/formats/speedscope.js" "$speedscope/readers.cjs" "$data/recording.$format" "$(speedscope_name "$format")" \
            "format_$format" "$format_samples" >>"$results" || echo "speedscope does not read the recording of $format" >&2
    done
else
    echo "SPEEDSCOPE_SOURCE names no clone of speedscope that could be built: its lines stay empty" >&2
fi
tell "formats: median of $format_runs; 1 warm-up"
