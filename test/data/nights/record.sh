#!/usr/bin/env bash
# Records the profiles in this folder anew:
#
#     ./record.sh [FOLDER]            (default: the folder of this script)
#
# writes FOLDER/profiles.tsv and, on standard output, one line of figures per recording.
#
# Needs node 20 and python3. NICE sets the priority of the recorded program; a negative one needs root (default: 0).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
mkdir -p "$out"
out=$(cd "$out" && pwd)

work=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cp "$here"/src/*.js "$work/"
cd "$work"
unset NODE_OPTIONS SLOW ROOM CODEC

# What the branch codec tries: how often the library goes over a text. In main it is 2.
tried=(0 5 8 4 7 9 5 6 8 4 9 6 7)

# program BENCHMARK BRANCH NIGHT [OPTION...]: V8's profiler gives the time of an inlined function to its caller in some
# runs and not in others, and threads that compile or collect garbage meanwhile come at other times in every run; so
# neither is there.
program() {
    local settings=()
    if [ "$2" = codec ]; then settings+=(CODEC="${tried[$3]}"); fi
    if [ "$2" = main ]; then
        case $1 in
            orders)
                if [ "$3" -ge 6 ]; then settings+=(ROOM=1); fi
                if [ "$3" -ge 9 ]; then settings+=(SLOW=1); fi
                ;;
            search) if [ "$3" -ge 7 ] && [ "$3" -le 9 ]; then settings+=(SLOW=1); fi ;;
        esac
    fi
    env "${settings[@]}" nice -n "${NICE:-0}" node --no-turbo-inlining --single-threaded "${@:4}" main.js "$1" >output
    # The work of all versions comes to the same; only a library that is set otherwise says something else.
    if [ "$2" = main ]; then
        [ ! -e "expected.$1" ] || cmp "expected.$1" output
        mv output "expected.$1"
    fi
}

# keep NIGHT BENCHMARK BRANCH EVENT REPETITION
keep() {
    cp metric "$1.$2.$3.$4.$5.metric"
    mv folded "$1.$2.$3.$4.$5.folded"
    echo "$* $(cat metric) $(awk '{ sum += $NF } END { print sum, NR }' "$1.$2.$3.$4.$5.folded")"
}

# record_cpu NIGHT BENCHMARK BRANCH REPETITION: once more where the profiler has lost samples, since the machine was busy
# with something else: normal is one in 0.31 ms.
record_cpu() {
    local lost
    for _ in $(seq 20); do
        program "$2" "$3" "$1" --cpu-prof --cpu-prof-interval=250 --cpu-prof-dir=. --cpu-prof-name=run.cpuprofile
        node "$here/../startup/fold.js" <run.cpuprofile >folded 2>/dev/null
        lost=$(awk -v ms="$(cat metric)" '{ n += $NF } END { if (ms > 0.34 * n) print "lost" }' folded)
        [ "$lost" ] || break
        echo "$* again"
    done
    keep "$1" "$2" "$3" cpu "$4"
}

# record_allocations NIGHT BENCHMARK
record_allocations() {
    program "$2" main "$1" --require="$here/allocations.js"
    mv allocations folded
    keep "$1" "$2" main alloc 1
}

# Warm-up: pages of the programs, the processor's clock.
for benchmark in orders search render; do program "$benchmark" main 1; done

echo "night benchmark branch event repetition metric total stacks"
# The nights by turns, and back again, so that a drift of the machine meets all alike.
turns=(7 2 11 5 9 1 12 4 8 3 10 6)
for n in $(seq 0 11); do
    night=${turns[$n]}
    for benchmark in orders search render; do
        record_cpu "$night" "$benchmark" main 1
        record_cpu "$night" "$benchmark" codec 1
        record_allocations "$night" "$benchmark"
    done
done
for n in $(seq 11 -1 0); do
    night=${turns[$n]}
    for benchmark in orders search render; do
        record_cpu "$night" "$benchmark" codec 2
        record_cpu "$night" "$benchmark" main 2
    done
done

# For COPY: newlines and backslashes escaped as its text format asks.
python3 - >"$out/profiles.tsv" <<'PY'
import hashlib
import pathlib
import sys

for path in sorted(pathlib.Path().glob("*.folded"), key=lambda path: (int(path.name.split(".")[0]), path.name)):
    night, benchmark, branch, event, repetition, _ = path.name.split(".")
    commit = hashlib.sha1(f"{branch} {night}".encode()).hexdigest()[:10]
    unit, period = ("samples", "\\N") if event == "cpu" else ("bytes", "4096")
    # Under the allocation profiler the time is another one.
    metric = path.with_suffix(".metric").read_text().strip() if event == "cpu" else "\\N"
    text = path.read_text()
    for byte, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        text = text.replace(byte, escape)
    sys.stdout.write("\t".join((night, benchmark, branch, commit, event, unit, period, repetition, metric, text)) + "\n")
PY
