#!/usr/bin/env bash
# Unit tests of the core: built with gcc and with clang, both under AddressSanitizer (with leaks) and
# UndefinedBehaviorSanitizer. Each program prints "N passed, N failed" as its last line.
# UNIT_COMPILERS picks the compilers; arguments pick programs by name (tools/unit.sh test_codec).
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Some kernels spread addresses wider than the sanitizers of this age expect; they then fail at random.
plain_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then plain_addresses=(setarch "$(uname -m)" -R); fi
# A null pointer instead of an abort when memory runs out: the core has to survive that.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

for compiler in ${UNIT_COMPILERS:-gcc clang}; do
    out=tmp/build/unit-$compiler
    mkdir -p "$out"
    say "  $compiler, address and undefined behaviour sanitizers"
    if ! run_make -s -f tools/core.mk OUT="$out" CC="$compiler" unit; then
        say "    FAILED to build"
        failed=$((failed + 1))
        continue
    fi
    for source in test/core/test_*.c; do
        [ -f "$source" ] || continue
        program=$(basename "$source" .c)
        if [ $# -gt 0 ] && [[ " $* " != *" $program "* ]]; then continue; fi
        status=0
        timeout 600 "${plain_addresses[@]}" "$out/$program" >"$out/$program.log" 2>&1 || status=$?
        read_counts "$out/$program.log" "$status"
        passed=$((passed + got_passed))
        failed=$((failed + got_failed))
        say "    $program: $got_passed passed, $got_failed failed"
        if [ "$got_failed" -gt 0 ]; then
            say "    exit status $status; the end of $out/$program.log:"
            tail -n 60 "$out/$program.log" | sed 's/^/      /'
        fi
    done
done
if [ $((passed + failed)) -eq 0 ]; then
    say "  no unit test was found"
    failed=1
fi
counts
