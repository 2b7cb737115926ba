#!/usr/bin/env bash
# Records the profiles in this folder anew:
#
#     ./record.sh [FOLDER]            (default: the folder of this script)
#
# writes FOLDER/before.folded, after.folded, complete.folded, truncated.folded
# and, on standard output, one line of figures per file.
#
# Needs a JDK 17 and python3. What can be set:
#
#     JDK       where java, javac and jfr are       (default: those in PATH)
#     REQUESTS  how many requests the shop works off       (default: 75000)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
mkdir -p "$out"
out=$(cd "$out" && pwd)
requests=${REQUESTS:-75000}
if [ -n "${JDK:-}" ]; then PATH=$JDK:$PATH; fi

work=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mapfile -t sources < <(find "$here/src" -name '*.java' | sort)
javac -g -d "$work/classes" "${sources[@]}"

# record VERSION DEPTH: the whole run, the JVM's start included. profile.jfc
# samples each running Java thread every 10 ms. Without DebugNonSafepoints the
# lines would be those of the nearest safepoint, not where the sample was.
record() {
    java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints \
        -XX:StartFlightRecording:settings=profile,filename="$work/$1.$2.jfr" \
        -XX:FlightRecorderOptions:stackdepth="$2" -Xlog:jfr+startup=off -Xlog:jfr=off \
        -Xmx256m -cp "$work/classes" shop.Shop "$1" "$requests" >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
    jfr print --json --stack-depth 100 --events jdk.ExecutionSample \
        "$work/$1.$2.jfr" >"$work/$1.$2.json"
}

# fold FILE JSON [OPTION...]
fold() {
    python3 "$here/fold.py" "${@:3}" <"$work/$2" >"$out/$1" 2>"$work/figures" ||
        { cat "$work/figures" >&2; exit 1; }
    echo "$1 $(cat "$work/figures")"
}

echo "file samples stacks frames mindepth maxdepth"
record before 64
fold before.folded before.64.json --thread
record after 64
fold after.folded after.64.json --thread
record before 10
fold complete.folded before.10.json --truncated no
fold truncated.folded before.10.json --truncated yes
