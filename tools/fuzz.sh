#!/usr/bin/env bash
# The fuzzers: every test/fuzz/fuzz_NAME.c, built with clang and libFuzzer, started from test/fuzz/corpus/NAME.
#
#   fuzz.sh [NAME ...]      FUZZ_SECONDS (600) for each target
#   fuzz.sh --smoke         FUZZ_SECONDS (60) in all, split over the targets, or 1,000 inputs of each for a second
#
# They run on a copy of the corpus in tmp/fuzz (--smoke: tmp/fuzz-smoke, afresh each time), so the tree stays as it
# is. What they find is kept in finds/ there; NAME/corpus holds the inputs that reached new code, and a long run goes
# on from those of the last.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

smoke=
seed=()
most=()
work=tmp/fuzz
if [ "${1:-}" = --smoke ]; then
    smoke=1
    # A commit is tested alike each time; campaigns have other seeds.
    seed=(-seed=1)
    work=tmp/fuzz-smoke
    rm -rf "$work"
    shift
fi

# Inputs that are set gain nothing from the comparisons that a campaign learns from; they run what the unit tests run.
build=(OUT=tmp/build/fuzz COMPARISONS=1)
if [ -n "$smoke" ]; then build=(OUT=tmp/build/unit-clang); fi
out=${build[0]#OUT=}
mkdir -p "$out" "$work/finds"
if ! run_make -s -f tools/core.mk "${build[@]}" CC=clang fuzz; then
    say "  FAILED to build"
    failing "the fuzzers do not build"
    say "0 passed, 1 failed"
    exit 1
fi

targets=()
for source in test/fuzz/fuzz_*.c; do
    [ -f "$source" ] || continue
    name=$(basename "$source" .c)
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]] && [[ " $* " != *" ${name#fuzz_} "* ]]; then continue; fi
    targets+=("$name")
done
if [ ${#targets[@]} -eq 0 ]; then
    say "  no fuzz target was found"
    say "0 passed, 1 failed"
    exit 1
fi

if [ -n "$smoke" ]; then
    seconds=$((${FUZZ_SECONDS:-60} / ${#targets[@]}))
    [ "$seconds" -gt 0 ] || seconds=1
    # What takes microseconds an input has seen enough of them then.
    if [ -z "${FLAMEGRAPH_TEST_LONG:-}" ]; then most=("-runs=$((1000 * seconds))"); fi
else
    seconds=${FUZZ_SECONDS:-600}
fi

plain_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then plain_addresses=(setarch "$(uname -m)" -R); fi
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

declare -A target_of=() status_of=()

start() {
    local name=$1 dir=$work/$1 seeds dict=()
    mkdir -p "$dir/corpus"
    for seeds in "test/fuzz/corpus/${name#fuzz_}" "test/fuzz/corpus/$name"; do
        if [ -d "$seeds" ]; then cp -R "$seeds/." "$dir/corpus/"; fi
    done
    if [ -f "test/fuzz/$name.dict" ]; then dict=("-dict=test/fuzz/$name.dict"); fi
    # An input that takes longer than 10 s is a find: loops have to stay near linear. Naming each function that is new starts a
    # symbolizer, which took longer than a second's inputs.
    "${plain_addresses[@]}" "$out/$name" -print_funcs=0 -max_total_time="$seconds" "${seed[@]}" "${most[@]}" -timeout=10 -rss_limit_mb=3072 \
        -print_final_stats=1 -artifact_prefix="$work/finds/$name-" "${dict[@]}" "$dir/corpus" \
        >"$dir/log" 2>&1 </dev/null &
    target_of[$!]=$name
}

# Waits for one of those that run.
finish_one() {
    local pid status=0
    wait -n -p pid || status=$?
    status_of[${target_of[$pid]}]=$status
    unset "target_of[$pid]"
}

# As many at a time as there are processors, or FUZZ_JOBS.
jobs=${FUZZ_JOBS:-$(cpus)}
say "  ${#targets[@]} targets, $seconds s each"
trap 'kill "${!target_of[@]}" 2>/dev/null || true; exit 130' INT TERM
for name in "${targets[@]}"; do
    if [ ${#target_of[@]} -ge "$jobs" ]; then finish_one; fi
    start "$name"
done
while [ ${#target_of[@]} -gt 0 ]; do finish_one; done

for name in "${targets[@]}"; do
    log=$work/$name/log
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ "${status_of[$name]}" -eq 0 ]; then
        passed=$((passed + 1))
        say "  ok      $name: ${runs:-?} inputs"
    else
        failed=$((failed + 1))
        failing "$name: $log"
        say "  FAILED  $name: the input is in $work/finds; the end of $log:"
        tail -n 60 "$log" | sed 's/^/          /'
    fi
done
counts
