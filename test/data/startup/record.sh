#!/usr/bin/env bash
# Records the profiles in this folder anew:
#
#     ./record.sh [FOLDER]            (default: the folder of this script)
#
# writes FOLDER/profiles.tsv and, on standard output, one line of figures per recording.
#
# Needs node 20 and python3. What can be set:
#
#     RUNS   recordings per group                   (default: 50)
#     NICE   priority of the recorded program; a negative one needs root (default: 0)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
runs=${RUNS:-50}
mkdir -p "$out"
out=$(cd "$out" && pwd)

work=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cp "$here"/src/*.js "$work/"
cd "$work"
unset NODE_OPTIONS FIXED

# program VERSION [OPTION...]: without inlining, since V8's profiler gives the time of an inlined function to its
# caller in some runs and not in others.
program() {
    local settings=()
    if [ "$1" = new ]; then settings=(FIXED=1 NODE_OPTIONS=--require=./startup.js); fi
    env "${settings[@]}" nice -n "${NICE:-0}" node --no-turbo-inlining "${@:2}" main.js >output
    # Both versions do the same.
    [ ! -e expected ] || cmp expected output
    mv output expected
}

# record VERSION RUN
record() {
    program "$1" --cpu-prof --cpu-prof-interval=250 --cpu-prof-dir=. --cpu-prof-name=run.cpuprofile
    node "$here/fold.js" <run.cpuprofile >"$1.$2.folded" 2>figures
    echo "$1 $2 $(cat figures)"
}

# Warm-up: pages of the programs, the processor's clock.
for version in old new; do
    program "$version"
    program "$version"
done

# In turns, so that a drift of the machine meets both groups alike.
echo "version run samples stacks interval"
for run in $(seq "$runs"); do
    record old "$run"
    record new "$run"
done

# For COPY: newlines and backslashes escaped as its text format asks.
python3 - "$runs" >"$out/profiles.tsv" <<'PY'
import pathlib
import sys

for version in "old", "new":
    for run in range(1, int(sys.argv[1]) + 1):
        text = pathlib.Path(f"{version}.{run}.folded").read_bytes()
        for byte, escape in ((b"\\", b"\\\\"), (b"\n", b"\\n"), (b"\r", b"\\r"), (b"\t", b"\\t")):
            text = text.replace(byte, escape)
        sys.stdout.buffer.write(b"%s\t%d\t%s\n" % (version.encode(), run, text))
PY
