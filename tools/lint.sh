#!/usr/bin/env bash
# Static checks; each is one counted test and a warning is a failure. LINT_DEPTH is how many states of one function
# clang's analyzer looks at. With 30,000, of FLAMEGRAPH_TEST_LONG, it comes to the end of as many functions as with 60,000,
# in half of the time; with 3,000 of eight in ten of those, in a fifth of that. Its own 225,000 are worth a run by hand now and then.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The compile flags, from the one place where they are written.
# shellcheck disable=SC2016 # make expands it
setting() { printf 'include tools/sources.mk\nprint:\n\t@echo $(%s)\n' "$1" | make -s -f - print; }
read -ra core_srcs <<<"$(setting CORE_SRCS)"
read -ra pg_srcs <<<"$(setting PG_SRCS) $(setting LINALG_SRCS)"
read -ra client_srcs <<<"$(setting CLIENT_SRCS) $(setting LSP_SRCS)"
read -ra common_flags <<<"$(setting C_DIALECT) $(setting INCLUDES)"
read -ra core_flags <<<"$(setting CORE_WARNINGS)"
read -ra pg_flags <<<"$(setting PG_WARNINGS) -isystem $("$PG_CONFIG" --includedir-server)"
common_flags+=(-D_GNU_SOURCE)

core_is_pure() {
    ! grep -nE '#include *["<](postgres|fmgr|c\.h|utils/|catalog/|access/|lib/|nodes/|mb/|libpq|pg/|\.\./pg)' \
        src/core/*/*.[ch]
}

cppcheck_run() {
    # --force would walk through each combination of #ifdefs; the headers of the system say nothing new.
    cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr \
        --error-exitcode=1 --suppressions-list=tools/cppcheck.suppressions --template=gcc \
        -j "$(cpus)" -Isrc -D__GNUC__=12 "$@"
}

# each FUNCTION ARG...: FUNCTION ARG... FILE... for all of $files, sixteen to a process, as many of those as there are processors.
# What starting clang-tidy takes is more than what it then does for a file.
each() { printf '%s\0' "${files[@]}" | xargs -0 -P "$(cpus)" -n 16 bash -euc '"$@"' each "$@"; }

# The build has used PostgreSQL's compiler with the same warnings as errors; clang has to be content, too. clang-tidy is
# that compiler and gives its warnings with its own (clang-diagnostic-* in .clang-tidy); none come out of the optimiser.
# tidy FLAG... FILE...: a file ends in .c, a flag does not
tidy() {
    local word flags=() helped=() plain=() status=0 depth=(-Xclang -analyzer-config -Xclang "max-nodes=$depth_of_lint")
    for word; do
        case $word in
            # Where fg_fail() is defined no macro can stand for it.
            src/core/base/context.c) plain+=("$word") ;;
            *.c) helped+=("$word") ;;
            *) flags+=("$word") ;;
        esac
    done
    if [ ${#helped[@]} -gt 0 ]; then clang-tidy --quiet "${helped[@]}" -- "${flags[@]}" -include tools/analyzer.h "${depth[@]}" || status=1; fi
    if [ ${#plain[@]} -gt 0 ]; then clang-tidy --quiet "${plain[@]}" -- "${flags[@]}" "${depth[@]}" || status=1; fi
    return "$status"
}

# What the dynamic linker sees of the module: the entry points of SQL functions and nothing else.
exports() {
    local so=flamegraph.so others
    [ -f "$so" ] || { echo "no $so; build it first" && return 1; }
    others=$(nm -D --defined-only "$so" | awk '
        {name[$NF] = 1}
        END {for (n in name) if (n !~ /^(Pg_magic_func|_PG_init|_PG_fini|pg_finfo_.*)$/ && !(("pg_finfo_" n) in name)) print n}')
    [ -z "$others" ] || { echo "exported, though nothing looks it up: $others" && return 1; }
    [ "$(nm -D --defined-only "$so" | grep -c ' pg_finfo_')" -gt 0 ] || { echo "no entry point is exported" && return 1; }
}

# OpenBLAS starts threads when it is loaded, which must not happen to every backend that uses a profile.
no_blas() { [ -f flamegraph.so ] && ! objdump -p flamegraph.so | grep -E 'NEEDED.*(blas|lapack|gomp)'; }

# The module that does, and offers the main module one name.
linalg_module() {
    local so=flamegraph_linalg.so
    [ -f "$so" ] || { echo "no $so; build it first" && return 1; }
    objdump -p "$so" | grep -E 'NEEDED.*lapack' >/dev/null || { echo "$so is not linked with LAPACK" && return 1; }
    [ "$(nm -D --defined-only "$so" | awk '{print $NF}' | grep -vE '^Pg_magic_func$')" = flamegraph_linalg_1 ]
}

versions_agree() {
    local version
    version=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" flamegraph.control)
    python3 - "$version" <<'PY'
import json, sys
version = sys.argv[1]
meta = json.load(open('META.json'))
for key in ('name', 'abstract', 'version', 'maintainer', 'license', 'provides', 'meta-spec'):
    assert key in meta, 'META.json: no ' + key
assert meta['version'] == version, 'META.json: version ' + meta['version']
for name, what in meta['provides'].items():
    assert what['version'] == version, 'META.json: version of ' + name
assert version in open('CHANGELOG.md').read(), 'CHANGELOG.md does not name ' + version
PY
}

no_machine_paths() {
    ! grep -rnIE '(^|[^A-Za-z0-9_.:-])/(work|root|home/[a-z]+)/' --include='*' \
        Makefile META.json README.md CHANGELOG.md flamegraph.control flamegraph_store.control flamegraph_jobs.control src client sql docs demo tools .ci bench test/t test/core test/sql 2>/dev/null |
        grep -vE 'tools/lint\.sh'
}

# A promise without its test is none.
promises_have_tests() {
    local f missing=0
    while read -r f; do
        compgen -G "$f" >/dev/null || { echo "docs/security.md names $f, which is not there" && missing=1; }
    done < <(grep -oE 'test/[A-Za-z0-9_./*]+\.(c|pl|sql)' docs/security.md | sort -u)
    [ "$missing" -eq 0 ]
}

released_scripts_unchanged() {
    if [ ! -d sql/released ]; then return 0; fi
    (
        cd sql/released
        sha256sum --check --quiet --strict SHA256SUMS
        # None that the sums do not know.
        for f in ./*.sql; do grep -qF "  $f" SHA256SUMS; done
    )
}

# What is wider than an editor's window is not read to its end. A tab is four columns.
sql_lines_fit() {
    local f long
    long=$(find sql -name '*.sql' ! -name '*--*--*' | sort | while read -r f; do
        expand -t 4 "$f" | awk -v f="$f" 'length($0) > 120 {print f ":" FNR ": " length($0) " columns, 120 is the most"}'
    done)
    [ -z "$long" ] || { printf '%s\n' "$long" && return 1; }
}

# A suppression of a file that has moved is none, and says nothing about it.
suppressed_files_exist() {
    local f missing=0
    while read -r f; do
        [ -f "$f" ] || { echo "tools/cppcheck.suppressions names $f, which is not there" && missing=1; }
    done < <(sed -n 's/^[A-Za-z]*:\([^:]*\).*/\1/p' tools/cppcheck.suppressions | sort -u)
    [ "$missing" -eq 0 ]
}

# Who writes into a pipe that its reader has closed dies of it, at some times and not at others, and under pipefail the
# script with it. So what takes the first lines reads the others too.
pipes_are_read_to_the_end() {
    ! grep -nE '\| *(head\b|grep +-[A-Za-z]*[qm]|sed [^|]*[0-9$/]q\b|awk [^|]*\bexit\b)' "$@"
}

# The number is where a script stands in its room's ten; two of one number have no order.
tap_numbers_unique() {
    local twice
    twice=$(printf '%s\n' test/t/[0-9]*.pl | sed -E 's#.*/([0-9]+)_.*#\1#' | sort | uniq -d)
    [ -z "$twice" ] || { echo "number of two scripts in test/t: $twice" && return 1; }
}

export -f tidy
export depth_of_lint=${LINT_DEPTH:-3000}
if [ -n "${FLAMEGRAPH_TEST_LONG:-}" ]; then depth_of_lint=${LINT_DEPTH:-30000}; fi
if [ ${#core_srcs[@]} -gt 0 ]; then
    files=("${core_srcs[@]}")
    check "cppcheck, core" cppcheck_run "${files[@]}"
    check "clang and clang-tidy, core" each tidy "${common_flags[@]}"
    check "the core includes nothing of PostgreSQL" core_is_pure
    check "imports go down: $(python3 tools/imports.py | sed -n 1p)" python3 tools/imports.py
    check "modules have tests: $(python3 tools/tested.py | sed -n 1p)" python3 tools/tested.py
fi
if [ ${#client_srcs[@]} -gt 0 ]; then
    files=("${client_srcs[@]}")
    client_flags=("${common_flags[@]}" "${core_flags[@]}" -isystem "$("$PG_CONFIG" --includedir)")
    check "cppcheck, client" cppcheck_run "${files[@]}"
    check "clang and clang-tidy, client" each tidy "${client_flags[@]}"
fi
if [ ${#pg_srcs[@]} -gt 0 ]; then
    files=("${pg_srcs[@]}")
    check "cppcheck, glue" cppcheck_run --include=tools/cppcheck-postgres.h "${files[@]}"
    check "clang and clang-tidy, glue" each tidy "${common_flags[@]}" "${pg_flags[@]}"
    check "the module builds, and the client" env WERROR=1 tools/private-install.sh
    check "the module exports its entry points only" exports
    check "the module does not load BLAS" no_blas
    check "the module of linear algebra does" linalg_module
fi
check "META.json, CHANGELOG.md and the control file agree" versions_agree
check "the tests that docs/security.md promises are there" promises_have_tests
check "links, and paths that pages name, lead somewhere" tools/links.py
check "the files that cppcheck is told about are there" suppressed_files_exist
check "scripts in test/t have numbers of their own" tap_numbers_unique
check "no function has more than 60 lines" python3 tools/function_lengths.py
check "no line of SQL is wider than 120 columns" sql_lines_fit
check "no path of one machine in the sources" no_machine_paths
check "the install scripts of releases are what they were" released_scripts_unchanged
check "the upgrade scripts are those of what is in sql" python3 tools/upgrade_script.py --check
scripts=()
for f in tools/*.sh demo/*.sh bench/*.sh bench/*/*.sh test/*.sh test/*/*.sh test/data/*/*.sh .ci/run; do
    if [ -f "$f" ]; then scripts+=("$f"); fi
done
files=("${scripts[@]}")
check "shellcheck" each shellcheck -x
check "what a script writes into a pipe is read to its end" pipes_are_read_to_the_end "${scripts[@]}"
counts
