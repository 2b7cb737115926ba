#!/usr/bin/env bash
# Records the run times in this folder anew:
#
#     ./record.sh [FOLDER]            (default: the folder of this script)
#
# writes FOLDER/hash.csv, array.csv, again.csv, hash.folded, array.folded, again.folded
# and, on standard output, a line of figures per file. Takes some six minutes.
#
# Needs gcc, binutils and patch; as root it runs with real-time priority. What can be
# set:
#
#     ROUNDS    how often each recording is repeated       (default: 5)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
out=${1:-$here}
mkdir -p "$out"
out=$(cd "$out" && pwd)
rounds=${ROUNDS:-5}

work=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

flags=(-std=gnu11 -ffp-contract=off -I"$top/src" -I"$top/src/core" -O1 -fno-pie)
# What is inline in a header is no function of the program.
trace=(-fno-inline -finstrument-functions -finstrument-functions-exclude-file-list=.h)

mkdir "$work/core"
for source in "$top"/src/core/{base,profile}/*.c; do
    gcc "${flags[@]}" "${trace[@]}" -c "$source" -o "$work/core/$(basename "$source" .c).o"
done
ar rc "$work/hash.a" "$work"/core/*.o

# The other version: the dictionary of frame names as a growing array.
patch -s -o "$work/builder.c" "$top/src/core/profile/builder.c" "$here/src/growing_array.diff"
gcc "${flags[@]}" "${trace[@]}" -Wno-unused-function -c "$work/builder.c" -o "$work/core/builder.o"
ar rc "$work/array.a" "$work"/core/*.o

for version in hash array; do
    gcc "${flags[@]}" -no-pie -o "$work/$version" "$here"/src/*.c "$work/$version.a" -lm
    # of two functions with one name the second is "name.2"
    nm --defined-only "$work/$version" |
        awk '$2 ~ /[tT]/ {n = ++count[$3]; print $1, $3 (n > 1 ? "." n : "")}' >"$work/$version.symbols"
done

# A call of some milliseconds is interrupted by whatever else the machine does, unless we
# come first.
first=()
if chrt -f 1 true 2>/dev/null; then first=(chrt -f 1); fi

# run NAME VERSION EVERY MOST ROUND
run() {
    "${first[@]}" "$work/$2" "$work/$2.symbols" "$3" "$4" "$top/test/data/pgbench/noindex" "$top/test/data/pgbench/index" \
        "$work/$1-$3.rows.$5" "$work/$1-$3.profile.$5"
}

# The versions take turns, so that a change of the machine meets them alike.
for ((round = 1; round <= rounds; round++)); do
    for level in "10 40" "20 20"; do
        read -r every most <<<"$level"
        run hash hash "$every" "$most" "$round"
        run array array "$every" "$most" "$round"
        run again hash "$every" "$most" "$round"
    done
done

# Of each call the least time of all rounds; without functions that take less than 150 ns
# on the average, because a reading of the clock takes 50.
least_rows() {
    paste -d, "$@" | awk -F, '
        function flush() {
            if (n > 0 && sum / n >= 150) printf "%s", text
            text = ""; sum = n = 0
        }
        $1 != location {flush(); location = $1}
        {
            total = $3; own = $4
            for (i = 5; i <= NF; i += 4) {
                if ($i != $1 || $(i + 1) != $2) {print "rounds differ" >"/dev/stderr"; failed = 1; exit}
                if ($(i + 2) < total) total = $(i + 2)
                if ($(i + 3) < own) own = $(i + 3)
            }
            text = text $1 "," $2 "," total "," own "\n"; sum += total; n++
        }
        END {if (failed) exit 1; flush()}'
}

least_profile() {
    awk '!($1 in own) || $2 < own[$1] {own[$1] = $2} END {for (f in own) print f, own[f]}' "$@" | sort
}

for name in hash array again; do
    {
        echo every,location,x,total,own
        for every in 10 20; do
            least_rows "$work/$name-$every".rows.* | sed "s/^/$every,/"
        done
    } >"$out/$name.csv"
    least_profile "$work/$name-10".profile.* >"$out/$name.folded"
    awk -F, -v file="$name.csv" 'NR > 1 {k[$2]; if ($2 == "map_begin") {n[$1]++; t[$1] += $4}} END {
        printf "%s: %d rows, %d functions, mean of map_begin %.0f (every 10th call), %.0f (20th)\n",
            file, NR - 1, length(k), t[10] / n[10], t[20] / n[20]}' "$out/$name.csv"
    awk -v file="$name.folded" '{t += $2} END {printf "%s: %d functions, %.0f ms\n", file, NR, t / 1e6}' "$out/$name.folded"
done
