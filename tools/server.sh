#!/usr/bin/env bash
# A private PostgreSQL server: its cluster in tmp/NAME, reached by a socket only, free of the system's cluster.
#
#   server.sh init NAME            a new cluster in the place of an old one
#   server.sh start|stop NAME
#   server.sh status NAME          exit status 0 if it runs
#   server.sh env NAME             shell assignments that make libpq find it: eval "$(server.sh env demo)"
#   server.sh run NAME CMD ...     start it (init if need be), run a command with that environment, stop it
#   server.sh join NAME CMD ...    the same for an interactive command, which may also join a run that is under way
#   server.sh psql NAME [ARG ...]  join with psql
#   server.sh remove               stop every server of this tree and remove clusters and private installation
#
# tools/private-install.sh comes first: its programs are the ones that run.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}

port=5432 # names the socket's file; nothing else can be in its directory

find_base
action=${1:-}
name=${2:-}
if [ "$action" != remove ]; then
    [[ $name =~ ^[a-z][a-z0-9_]*$ ]] || usage
fi
use_cluster() {
    name=$1
    cluster=$base/$name
    data=$cluster/data
}
use_cluster "${name:-none}"

# The server's process, if it runs. A killed server leaves its file behind, and the number may belong to any other
# process by now: the postmaster is known by its working directory.
server_pid() {
    local pid
    pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null) || return 1
    [ "$(readlink "/proc/$pid/cwd" 2>/dev/null)" = "$data" ] || return 1
    printf '%s\n' "$pid"
}

ctl() {
    # In the cluster's directory, because the server's user may not be allowed to be in ours. 9 is the lock of "run".
    (cd "$cluster" && as_server_user "$(private_bindir)/pg_ctl" -D "$data" -s -w -t 60 "$@") 9>&-
}

stop() {
    if server_pid >/dev/null; then
        ctl stop -m fast || ctl stop -m immediate
    fi
    if [ -f "$cluster/socket" ]; then
        rm -rf -- "$(cat "$cluster/socket")"
        rm -f "$cluster/socket"
    fi
}

server_major() { "$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/'; }

# Up to PostgreSQL 14 everybody may create objects in the schema public of every database, and flamegraph_store refuses
# to be created beside such a schema. From 15 on this is as it is here.
close_public() {
    local db
    if [ "$(server_major)" -ge 15 ]; then return; fi
    # A server of one user: the cluster does not run yet, and nobody else can go into template0.
    for db in template0 template1 postgres; do
        (cd "$cluster" && as_server_user "$(private_bindir)/postgres" --single -D "$data" "$db" \
            <<<'REVOKE CREATE ON SCHEMA public FROM PUBLIC' >>"$cluster/initdb.log" 2>&1) ||
            die "no right could be revoked: $(cat "$cluster/initdb.log")"
    done
}

init() {
    stop
    rm -rf "$cluster"
    mkdir -p "$data"
    chmod 755 "$cluster"
    chmod 700 "$data"
    : >"$cluster/log"
    give_to_server_user "$data" "$cluster/log"
    local locale=C.UTF-8
    locale -a 2>/dev/null | grep -i '^C\.utf-\?8$' >/dev/null || locale=C
    (cd "$cluster" && as_server_user "$(private_bindir)/initdb" -D "$data" -U postgres -A trust -N -E UTF8 \
        --locale="$locale" --no-instructions >"$cluster/initdb.log" 2>&1) ||
        die "initdb failed: $(cat "$cluster/initdb.log")"
    close_public
    # Nothing in here is worth a disk's time: it can be made again.
    {
        echo "listen_addresses = ''"
        echo "unix_socket_permissions = 0700"
        echo "max_worker_processes = 16" # background workers and parallel queries at the same time
        # Our functions' costs, which parallel plans need, make the planner compile queries over a few rows, too.
        echo "jit = off"
        echo "fsync = off"
        echo "synchronous_commit = off"
        echo "full_page_writes = off"
        echo "shared_buffers = 256MB"
        echo "max_wal_size = 2GB"
        echo "timezone = 'UTC'"
        echo "log_timezone = 'UTC'"
        # Containers often have 64 MB of POSIX shared memory, too little for parallel queries.
        if [ "$(df -Pk /dev/shm 2>/dev/null | awk 'END {print $4 + 0}')" -lt 500000 ]; then
            echo "dynamic_shared_memory_type = mmap"
        fi
    } | as_server_user tee -a "$data/postgresql.conf" >/dev/null
}

# A cluster that the present programs can open.
usable() {
    [ -f "$cluster/log" ] && [ "$(cat "$data/PG_VERSION" 2>/dev/null)" = "$(server_major)" ] &&
        [ "$(stat -c %U "$data")" = "$server_user" ]
}

start() {
    local socket
    if server_pid >/dev/null; then return; fi
    usable || init
    rm -f "$data/postmaster.pid"
    # A socket's path may have 107 bytes, which the tree's own path can exceed. The directory is what keeps others
    # out: within it everybody is trusted.
    socket=$(mktemp -d /tmp/flamegraph.XXXXXX)
    chmod 700 "$socket"
    give_to_server_user "$socket"
    printf '%s\n' "$socket" >"$cluster/socket"
    if ! ctl start -l "$cluster/log" -o "-k $socket -p $port" </dev/null >/dev/null; then
        stop
        die "the server did not start: $(tail -n 20 "$cluster/log")"
    fi
}

print_env() {
    [ -f "$cluster/socket" ] || die "server \"$name\" does not run"
    echo "export PGHOST='$(cat "$cluster/socket")' PGPORT=$port PGUSER=postgres"
}

# The environment may hold settings for another server (PGSERVICE, PGSSLMODE, PGOPTIONS ...).
enter_env() {
    local v
    for v in ${!PG@}; do
        case $v in PG_* | PGXS) ;; *) unset "$v" ;; esac
    done
    eval "$(print_env)"
}

lock() {
    exec 9>"$base/$name.lock"
    flock -n 9
}

# Holds the cluster for the length of a command. A server that runs although nobody holds the lock is left over from
# a run that was killed.
begin_run() {
    child=
    trap stop EXIT
    trap 'exit 143' TERM HUP
    stop
    start
    enter_env
}

case $action in
    init)
        lock || die "server \"$name\" is in use by another run in this tree"
        init
        ;;
    start) start ;;
    stop) stop ;;
    status)
        if pid=$(server_pid); then
            say "server \"$name\" runs (process $pid, socket in $(cat "$cluster/socket"))"
        else
            say "server \"$name\" does not run"
            exit 1
        fi
        ;;
    env) print_env ;;
    run)
        shift 2
        [ $# -gt 0 ] || usage
        lock || die "server \"$name\" is in use by another run in this tree"
        begin_run
        # In the background, because bash acts on a signal only when its foreground command has ended.
        trap 'kill "$child" 2>/dev/null || true; exit 130' INT
        trap 'kill "$child" 2>/dev/null || true; exit 143' TERM HUP
        "$@" <&0 9>&- &
        child=$!
        status=0
        wait "$child" || status=$?
        exit "$status"
        ;;
    join | psql)
        shift 2
        if [ "$action" = psql ]; then set -- psql "$@"; fi
        [ $# -gt 0 ] || usage
        if ! lock; then
            server_pid >/dev/null || die "server \"$name\" is just starting or stopping; try again"
            enter_env
            exec "$@" 9>&-
        fi
        begin_run
        # Ctrl-C belongs to the command: psql cancels its query and goes on.
        trap : INT
        status=0
        "$@" 9>&- || status=$?
        exit "$status"
        ;;
    remove)
        for c in "$base"/*/data; do
            [ -d "$c" ] || continue
            use_cluster "$(basename "$(dirname "$c")")"
            stop
        done
        rm -rf "$top/tmp"
        case $base in "$top"/*) ;; *) rm -rf -- "$base" ;; esac
        ;;
    *) usage ;;
esac
