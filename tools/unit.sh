#!/usr/bin/env bash
# Unit tests of the core: of the extension's own objects, and of the core built with clang under AddressSanitizer (with
# leaks) and UndefinedBehaviorSanitizer. Each test prints "N passed, N failed" as its last line.
# UNIT_COMPILERS picks the compilers; arguments pick tests by name (tools/unit.sh test_codec).
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Some kernels spread addresses wider than the sanitizers of this age expect; they then fail at random.
plain_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then plain_addresses=(setarch "$(uname -m)" -R); fi
# A null pointer instead of an abort when memory runs out: the core has to survive that.
# What was released is kept aside for a while, so that a use of it is seen. Pages that are new to the process cost more than
# that: of 256 MB, which is what it keeps by itself, a quarter of all time goes into them.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
ASAN_OPTIONS+=:quarantine_size_mb=8
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# The sweeps let each allocation fail once in the fast one, and random inputs are all tried there; under the sanitizers they
# try fewer, unless FLAMEGRAPH_TEST_LONG is set.
# run COMPILER TEST: its output, and its exit status go to files beside it, what it took to $SPENT, as
# tools/spent.py writes it
run() {
    local out=tmp/build/unit-$1 status=0 TIMEFORMAT='%U %S %R'
    if [ "$1" != "${compilers[0]}" ] && [ -z "${FLAMEGRAPH_TEST_LONG:-}" ]; then export UNIT_SWEEPS=few; fi
    { time timeout 1800 "${plain_addresses[@]}" "$out${some:+/some}/unit" "$2" >"$out/$2.log" 2>&1 </dev/null || status=$?; } 2>"$out/$2.times"
    echo "$status" >"$out/$2.status"
    awk -v name="$2 ($1)" 'END {printf "%.2f %.2f %s\n", $1 + $2, $3, name}' "$out/$2.times" >>"${SPENT:-/dev/null}"
}

programs=()
some=
for source in test/core/*/test_*.c; do
    [ -f "$source" ] || continue
    program=$(basename "$source" .c)
    if [ $# -gt 0 ] && [[ " $* " != *" $program "* ]]; then continue; fi
    programs+=("$program")
    if [ $# -gt 0 ]; then some+=" $source"; fi
done
compilers=()
for compiler in ${UNIT_COMPILERS:-gcc clang}; do
    out=tmp/build/unit-$compiler
    mkdir -p "$out"
    some_of_them=()
    if [ -n "$some" ]; then some_of_them=(UNIT_DIR="$out/some" UNIT_TESTS="$some"); fi
    if [[ $compiler != gcc* ]] || tools/private-install.sh &&
        run_make -s -f tools/core.mk OUT="$out" CC="$compiler" "${some_of_them[@]}" unit; then
        compilers+=("$compiler")
    else
        say "  $compiler: FAILED to build"
        failing "$compiler: does not build"
        failed=$((failed + 1))
    fi
done

# As many at a time as there are processors.
running=0
trap 'kill $(jobs -p) 2>/dev/null || true; exit 130' INT TERM
for program in "${programs[@]}"; do
    for compiler in "${compilers[@]}"; do
        if [ "$running" -ge "$(cpus)" ]; then
            wait -n || true
            running=$((running - 1))
        fi
        run "$compiler" "$program" &
        running=$((running + 1))
    done
done
wait

for compiler in "${compilers[@]}"; do
    case $compiler in
        gcc*) say "  $compiler, the objects of the extension" ;;
        *) say "  $compiler, address and undefined behaviour sanitizers" ;;
    esac
    for program in "${programs[@]}"; do
        log=tmp/build/unit-$compiler/$program.log
        status=$(cat "tmp/build/unit-$compiler/$program.status")
        read_counts "$log" "$status"
        passed=$((passed + got_passed))
        failed=$((failed + got_failed))
        say "    $program: $got_passed passed, $got_failed failed"
        if [ "$got_failed" -gt 0 ]; then
            failing "$program ($compiler): $got_failed failed, exit status $status; $log"
            say "    exit status $status; the end of $log:"
            tail -n 60 "$log" | sed 's/^/      /'
        fi
    done
done
if [ $((passed + failed)) -eq 0 ]; then
    say "  no unit test was found"
    failed=1
fi
counts
