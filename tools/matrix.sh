#!/usr/bin/env bash
# Other releases of Debian and other servers: "make demo" and "make test-all" there as a newcomer runs them, from a fresh
# clone of what is committed here. One line each at the end. For developers, by hand; needs root for releases.
#
#   matrix.sh [OPTION ...] [trixie|sid|...|/path/to/pg_config ...]      (trixie and sid when none is named)
#
#   --folder PREFIX    where: PREFIX-RELEASE (a folder is made with debootstrap and used again), PREFIX-pgVERSION, and
#                      logs beside them; tmp/matrix by default
#   --stages "S ..."   these stages of the tests (see tools/test.sh) instead of all of them, e.g. "build installcheck tap"
#   --no-demo          the tests only
#   --new              debootstrap again where a folder is there already
#
# tools/folder.sh says what a release in a folder sees of this machine.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
# shellcheck source=tools/folder.sh
. "$top/tools/folder.sh"

usage() {
    sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

prefix=$top/tmp/matrix
stages=
demo=yes
new=
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --folder) prefix=${2:?} && shift ;;
        --stages) stages=${2:?} && shift ;;
        --no-demo) demo= ;;
        --new) new=yes ;;
        -*) usage ;;
        *) targets+=("$1") ;;
    esac
    shift
done
if [ ${#targets[@]} -eq 0 ]; then targets=(trixie sid); fi
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
mkdir -p "$(dirname "$prefix")"

# --- the two commands -------------------------------------------------------------------------------------------------

# timed LOG COMMAND ...: its output to the log, its time to $seconds
timed() {
    local log=$1 begin=$SECONDS status=0
    shift
    "$@" >"$log" 2>&1 || status=$?
    seconds=$((SECONDS - begin))
    return "$status"
}

if [ -n "$stages" ]; then
    test_command="make deps && tools/test.sh $stages"
else
    test_command="make test-all"
fi

# run_both NAME RUNNER: RUNNER executes a shell command in the clone
run_both() {
    local name=$1 runner=$2 log=$prefix-$1 line status=0
    line=$name
    if [ -n "$demo" ]; then
        if timed "$log.demo.log" "$runner" "make demo"; then
            line+="  demo ok ($seconds s)"
        else
            line+="  demo FAILED ($seconds s, $log.demo.log)"
            failed=$((failed + 1))
        fi
    fi
    timed "$log.test.log" "$runner" "$test_command" || status=$?
    read_counts "$log.test.log" "$status"
    line+="  tests $got_passed passed, $got_failed failed ($seconds s)"
    failed=$((failed + got_failed))
    line+=$(stage_times "$log.test.log")
    # shellcheck disable=SC2016 # for the inner shell
    line+="  $("$runner" '${PG_CONFIG:-pg_config} --version' 2>/dev/null || true)"
    lines+=("$line")
    say "$line"
}

# "; build 1/0 23 s, unit 1234/0 120 s" from the lines of tools/test.sh
stage_times() {
    sed -n 's/^--- \([a-z-]*\) *\([0-9]*\) passed, \([0-9]*\) failed *(\([0-9]*\) s)$/\1 \2\/\3 \4 s/p' "$1" |
        paste -sd, | sed 's/^/: /; s/,/, /g'
}

in_release() { in_folder "$prefix-$target" sh -c "cd /srv/flamegraph && $1"; }

with_server() { (cd "$clone" && PG_CONFIG=$target sh -c "$1") </dev/null; }

lines=()
failed=0
for target in "${targets[@]}"; do
    case $target in
        */*)
            name=pg$("$target" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/') || die "$target is no pg_config"
            clone=$prefix-$name
            fresh_clone "$clone"
            run_both "$name" with_server
            ;;
        *)
            have_folder "$prefix-$target" "$target" "$new"
            fresh_clone "$prefix-$target/srv/flamegraph"
            run_both "$target" in_release
            ;;
    esac
done

say
printf '%s\n' "${lines[@]}"
[ "$failed" -eq 0 ]
