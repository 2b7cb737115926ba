#!/usr/bin/env bash
# Runs stages of the tests one after the other, and adds up. A stage that fails does not keep the next from running. The
# last line is "N passed, N failed".
#
#   test.sh                 make test: what a change is tested with, in ten minutes: build unit installcheck tap
#   test.sh more            make test-more: what is left: sanitizers fuzz-smoke lint tap-more
#   test.sh all             make test-all: both
#   test.sh STAGE ...       these, and fuzz-sql
#
# FLAMEGRAPH_TEST_LONG=1 (make test-long) does more of the same where that takes long: all random inputs under sanitizers,
# longer fuzzing, more states in clang's analyzer, the largest value through a dump.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# malloc asks for large pages where the system has them for who asks (and the C library can): the first touch of a page is an
# expensive thing on a virtual machine, and Perl alone starts in half of the time.
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}

stages=("$@")
# For every build of the extension below; the same flags everywhere, or each stage would build it again.
# Nobody looks at the symbols of what is built only to be tested, and they are an eighth of what building it takes.
export WERROR=1 OPTFLAGS="${OPTFLAGS:--O3} -g0"
of_a_change=(build unit installcheck tap)
others=(sanitizers fuzz-smoke lint tap-more)
case "${stages[*]}" in
    '') stages=("${of_a_change[@]}") ;;
    more) stages=("${others[@]}") ;;
    all) stages=("${of_a_change[@]}" "${others[@]}") ;;
esac

fuzz_seconds=12
if [ -n "${FLAMEGRAPH_TEST_LONG:-}" ]; then fuzz_seconds=80; fi

# The extension builds without a warning and can be installed; also what the stages after it test.
build() {
    if tools/private-install.sh; then
        say "1 passed, 0 failed"
    else
        say "0 passed, 1 failed"
        return 1
    fi
}

# Both fuzzers run for a time that is set, so they run side by side, once the core's are built. Those of the core are two at a
# time, because they take longer. The seed is set, so that a commit is tested alike each time: what is new
# is looked for by `make fuzz` and `make fuzz-sql`, whose seeds are the clock's.
fuzz_smoke() {
    local name status=0 seconds=${FUZZ_SECONDS:-$fuzz_seconds}
    # What is wrong with it fuzz.sh says.
    run_make -s -f tools/core.mk OUT=tmp/build/unit-clang CC=clang fuzz >/dev/null 2>&1 || true
    tools/fuzz-sql.sh --seconds "$seconds" --seed 1 >tmp/test-logs/fuzz-sql.log 2>&1 &
    FUZZ_JOBS=2 FUZZ_SECONDS=$((seconds / 2)) tools/fuzz.sh --smoke >tmp/test-logs/fuzz-core.log 2>&1 || status=1
    wait $! || status=1
    for name in core sql; do
        sed -E '/^[0-9]+ passed, [0-9]+ failed$/d' "tmp/test-logs/fuzz-$name.log"
        read_counts "tmp/test-logs/fuzz-$name.log" 0
        passed=$((passed + got_passed))
        failed=$((failed + got_failed))
        # Those of the core name themselves.
        if [ "$name" = sql ] && [ "$got_failed" -gt 0 ]; then
            failing "sql: $(grep -m 1 FAILED tmp/test-logs/fuzz-sql.log || true) (see tmp/test-logs/fuzz-sql.log)"
        fi
    done
    say "$passed passed, $failed failed"
    return "$status"
}

# The optimised build tries all random inputs and lets each allocation fail.
sanitizers() {
    if [ -z "${FLAMEGRAPH_TEST_LONG:-}" ]; then export UNIT_SWEEPS=few; fi
    UNIT_COMPILERS=clang tools/unit.sh
}

stage() {
    case $1 in
        build) build ;;
        unit) UNIT_COMPILERS=gcc tools/unit.sh ;;
        sanitizers) sanitizers ;;
        fuzz-smoke) fuzz_smoke ;;
        fuzz-sql) tools/fuzz-sql.sh --seconds "${FUZZ_SECONDS:-60}" ;;
        lint) tools/lint.sh ;;
        installcheck) tools/regress.sh ;;
        tap) tools/tap.sh --few ;;
        tap-more) tools/tap.sh --more ;;
        *) die "no stage \"$1\"" ;;
    esac
}

title() {
    case $1 in
        build) say "The extension, built with warnings as errors" ;;
        unit) say "Unit tests of the core as it is shipped" ;;
        sanitizers) say "Unit tests of the core under sanitizers" ;;
        fuzz-smoke) say "Fuzzers of the core and of SQL side by side, ${FUZZ_SECONDS:-$fuzz_seconds} s" ;;
        fuzz-sql) say "Statements at random over both extensions, ${FUZZ_SECONDS:-60} s" ;;
        lint) say "Static checks" ;;
        installcheck) say "SQL tests (pg_regress) in a private server" ;;
        tap) say "TAP tests with servers of their own" ;;
        tap-more) say "More of them: browsers, programs of others, interrupts, plans" ;;
    esac
}

mkdir -p tmp/test-logs
# Lines "CPU WALL NAME" of the unit tests and of the TAP scripts.
export SPENT=$top/tmp/test-logs/spent
# What failed, a line each.
failures=$top/tmp/test-logs/failures
: >"$SPENT"
: >"$failures"
summary=()
total_passed=0
total_failed=0
for s in "${stages[@]}"; do
    say
    say "=== $s: $(title "$s")"
    begin=$SECONDS
    log=tmp/test-logs/$s.log
    export FAILING=$top/tmp/test-logs/$s.failing
    : >"$FAILING"
    status=0
    # The counting line is shown once, below, so that the very last line of all is the only one of its form.
    stage "$s" 2>&1 | tee "$log" | sed -uE '/^[0-9]+ passed, [0-9]+ failed$/d' || status=$?
    read_counts "$log" "$status"
    total_passed=$((total_passed + got_passed))
    total_failed=$((total_failed + got_failed))
    line=$(printf '%-13s %5d passed, %d failed  (%d s)' "$s" "$got_passed" "$got_failed" $((SECONDS - begin)))
    say "--- $line"
    summary+=("$line")
    if [ "$got_failed" -gt 0 ]; then
        if [ ! -s "$FAILING" ]; then failing "$(grep -m 1 -iE 'error|FAILED' "$log" || true) (see $log, exit status $status)"; fi
        sed "s/^/$s: /" "$FAILING" >>"$failures"
    fi
    # The stages after it still run, on a build with warnings.
    if [ "$s" = build ] && [ "$got_failed" -gt 0 ]; then unset WERROR; fi
done

say
printf '    %s\n' "${summary[@]}"
if [ -s "$SPENT" ]; then
    say
    say "    what took the most processor time, seconds (and by the clock):"
    # All of it is read: sort would die of a closed pipe, and with it the run.
    sort -rn "$SPENT" | awk 'NR <= 10 {w = $2; c = $1; sub(/^[^ ]+ [^ ]+ /, ""); printf "    %7.1f  (%.0f)  %s\n", c, w, $0}'
fi
if [ "$total_failed" -gt 0 ]; then
    say
    say "failed:"
    head -n 18 "$failures" | cut -c 1-200 | sed 's/^/    /'
    more=$(($(wc -l <"$failures") - 18))
    if [ "$more" -gt 0 ]; then say "    and $more more, in $failures"; fi
fi
say
say "$total_passed passed, $total_failed failed"
[ "$total_failed" -eq 0 ]
