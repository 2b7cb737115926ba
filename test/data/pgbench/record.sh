#!/usr/bin/env bash
# Records the profiles in this folder anew:
#
#     ./record.sh [FOLDER]            (default: the folder of this script)
#
# writes FOLDER/noindex/NN.folded, FOLDER/index/NN.folded, FOLDER/profiles.tsv
# and, on standard output, one line of figures per recording.
#
# Needs perf, python3 and PostgreSQL's programs, and the right to profile (run
# it as root; the server then runs as the user postgres). What can be set:
#
#     PGBIN         where initdb, postgres, pgbench, psql are; they should have
#                   their symbols, see README.md (default: pg_config --bindir)
#     RUNS          recordings per group                          (default: 24)
#     TRANSACTIONS  transactions per recording                   (default: 100)
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
bin=${PGBIN:-$(pg_config --bindir)}
runs=${RUNS:-24}
transactions=${TRANSACTIONS:-100}
mkdir -p "$out"
out=$(cd "$out" && pwd)

# A cluster of our own, in a folder of our own, reached by its socket only:
# nothing here can meet another cluster of this machine.
work=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
export PGHOST=$work PGDATABASE=postgres PGUSER=postgres PGOPTIONS='' PGTZ=UTC
perf_pid=

# A server refuses to run as root.
if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$work"
    as_postgres() { runuser -u postgres -- "$@"; }
else
    as_postgres() { "$@"; }
fi

finish() {
    status=$?
    trap - EXIT INT TERM
    if [ -n "$perf_pid" ]; then kill "$perf_pid" 2>/dev/null || true; fi
    if [ -e "$work/data/postmaster.pid" ]; then
        as_postgres "$bin/pg_ctl" -D "$work/data" -m immediate -w stop >/dev/null || true
    fi
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The server's user may not be allowed to read the checkout.
cp "$here"/*.sql "$work/"
chmod 644 "$work"/*.sql
cd "$work"

as_postgres "$bin/initdb" -D "$work/data" -U postgres -A trust --no-sync \
    --encoding=UTF8 --locale=C >/dev/null
# Settings: whatever would work at a moment of its own choosing is off.
cat >>"$work/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$work'
shared_buffers = 128MB
autovacuum = off
jit = off
max_parallel_workers_per_gather = 0
synchronous_commit = off
checkpoint_timeout = 1h
max_wal_size = 4GB
CONF
as_postgres "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w start >/dev/null
postmaster=$(head -n 1 "$work/data/postmaster.pid")

mkfifo control ack

# prepare VERSION: the tables as they are before a recording.
prepare() {
    as_postgres "$bin/psql" -Xqf setup.sql
    if [ "$1" = index ]; then as_postgres "$bin/psql" -Xqf change.sql; fi
    as_postgres "$bin/psql" -Xqc 'VACUUM (ANALYZE) orders, customers'
    # Else the first touch of each page after somebody's checkpoint (a full
    # page image in the log) would fall on one recording and not on another.
    as_postgres "$bin/psql" -Xqc 'CHECKPOINT'
}

# load SEED TRANSACTIONS: a fixed number of transactions, and by the seed the
# same ones in both groups, on one connection.
load() {
    if ! as_postgres "$bin/pgbench" -n -f workload.sql -c 1 -t "$2" \
        --random-seed="$1" >pgbench.out 2>&1 ||
        ! grep -q "actually processed: $2/$2\$" pgbench.out; then
        cat pgbench.out >&2
        exit 1
    fi
}

# tell COMMAND: to the running perf, and wait until it has obeyed.
tell() {
    echo "$1" >&8
    read -r -t 20 -u 9 _ || { cat perf.err >&2; exit 1; }
}

# record VERSION RUN
record() {
    prepare "$1"
    # Attached to the postmaster, perf follows the backends it forks from now
    # on, and those only: checkpointer and the others were there before.
    exec 8<>control 9<>ack
    perf record -e cpu-clock -F 999 -g -p "$postmaster" --no-buildid-cache \
        -D -1 --control fifo:control,ack -o perf.data >perf.err 2>&1 8>&- 9>&- &
    perf_pid=$!
    tell enable
    load "$2" "$transactions"
    tell stop
    wait "$perf_pid" || { cat perf.err >&2; exit 1; }
    perf_pid=
    exec 8>&- 9>&-

    mkdir -p "$out/$1"
    file=$out/$1/$(printf %02d "$2").folded
    perf script -i perf.data --no-inline -F comm,pid,ip,sym,dso 2>script.err |
        python3 "$here/collapse.py" --skip-pid "$postmaster" --root PostgresMain \
            >"$file" 2>figures || { cat script.err figures >&2; exit 1; }
    echo "$1 $(printf %02d "$2") $(cat figures)"
    # Without symbols most frames have no name, and the profile no use.
    awk '$5 + 0 > 5 { exit 1 }' figures || {
        echo "more than 5 % of the frames have no name: is $bin/postgres stripped?" >&2
        exit 1
    }
}

# Warm-up: pages of the programs, catalogs, the processor's clock.
for version in noindex index; do
    prepare "$version"
    load 0 "$transactions"
done

# In turns, so that a drift of the machine meets both groups alike.
echo "version run samples stacks nodes depth unnamed rootless"
for run in $(seq "$runs"); do
    record noindex "$run"
    record index "$run"
done

# The same for COPY: newlines and backslashes escaped as its text format asks.
python3 - "$out" "$runs" >"$out/profiles.tsv" <<'PY'
import pathlib
import sys

for version in "noindex", "index":
    for run in range(1, int(sys.argv[2]) + 1):
        text = (pathlib.Path(sys.argv[1]) / version / f"{run:02}.folded").read_bytes()
        for byte, escape in ((b"\\", b"\\\\"), (b"\n", b"\\n"), (b"\r", b"\\r"), (b"\t", b"\\t")):
            text = text.replace(byte, escape)
        sys.stdout.buffer.write(b"%s\t%d\t%s\n" % (version.encode(), run, text))
PY
