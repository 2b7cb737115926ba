#!/usr/bin/env bash
# Records this extension while its SQL tests run, with perf, for bench/quality/suspects.sh. Needs perf and the right to
# attach it; takes about two minutes.
#
#   test/data/suspects/record.sh >test/data/suspects/recording.folded
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd -P)
cluster=recording

# Within the server's environment: $2 is where the recording goes.
if [ "${1:-}" = --inside ]; then
    server=$(psql -X -At -d postgres -c "SELECT pg_read_file('postmaster.pid')" | sed -n 1p)
    psql -X -q -d postgres -c 'CREATE DATABASE recorded'
    psql -X -q -d recorded -c 'SET client_min_messages = error' -c 'CREATE EXTENSION flamegraph_store CASCADE'
    perf record -q -F 1999 -g -o "$2" -p "$server" -- sleep 100 &
    sleep 1
    cd test
    for _ in 1 2 3; do
        for f in sql/*.sql; do
            case $f in */init.sql | */unrelated_sql.sql | */kept_memory.sql) continue ;; esac
            timeout 20 psql -X -q -d recorded -f "$f" >/dev/null 2>&1 || true
        done
    done
    wait
    exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q "$top" "$work/tree"
cd "$work/tree"
export OPTFLAGS='-O1 -g -fno-inline -fno-partial-inlining -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-ipa-cp -fno-ipa-sra -fno-ipa-icf'
tools/private-install.sh >&2
tools/server.sh init "$cluster" >&2
tools/server.sh run "$cluster" test/data/suspects/record.sh --inside "$work/perf.data" >&2
# A sample is a line about it, a line for each frame, the innermost first, and an empty line.
perf script -i "$work/perf.data" -F ip,sym,dso 2>/dev/null | awk '
    NF == 0 { if (stack != "") count[stack]++; stack = ""; next }
    $NF ~ /flamegraph[a-z_]*\.so\)$/ && $2 != "[unknown]" { stack = stack == "" ? $2 : $2 ";" stack }
    END { for (stack in count) if (count[stack] > 1) print stack, count[stack] }' | sort
