# shellcheck shell=bash
# Sourced by run.sh: the benchmarks of readers of recordings. Data, measurements.
#
# STACKCOLLAPSE_PERF=path names stackcollapse-perf.pl (not distributed here: its licence is the CDDL).
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

format_names=(folded austin perf bpftrace stacks sample callgrind gperftools
    speedscope cpuprofile heapprofile chrome firefox stackprof jfr pprof mojo jfr_binary)
# The reader of a row that is not called as its format is.
reader_of() { case $1 in mojo) echo austin ;; jfr_binary) echo jfr ;; *) echo "$1" ;; esac; }
if [ -n "$quick" ]; then format_runs=3 format_samples=10000; else format_runs=7 format_samples=100000; fi
compile_generator

step "making recordings of $format_samples samples"
"$data/generate" --seed 1 --nodes 60000 --output "$data/recorded.folded"
for format in "${format_names[@]}"; do
    python "$here/formats/recordings.py" "$format" "$format_samples" <"$data/recorded.folded" >"$data/recording.$format"
    note "format_size_$format" ours "$format_samples" "$(stat -c %s "$data/recording.$format")"
done

if [ -z "$peers_only" ]; then
    step "measuring readers"
    compile_with_core reader_bench "$here/formats/reader_bench.c"
    for format in "${format_names[@]}"; do
        "$data/reader_bench" "$format_runs" "$(reader_of "$format")" "$format" "$format_samples" "$data/recording.$format"
        "$data/reader_bench" --memory "$(reader_of "$format")" "$format" "$format_samples" "$data/recording.$format"
    done >>"$results"
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
fi
if command -v jfr >/dev/null; then
    # it reads nothing whose name ends otherwise
    cp "$data/recording.jfr_binary" "$data/recording_binary.jfr"
    format_program format_jfr_binary jfr_print "$(stat -c %s "$data/recording.jfr_binary")" \
        jfr print --json --stack-depth 64 "$data/recording_binary.jfr"
fi
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
tell "formats: median of $format_runs; 1 warm-up"
