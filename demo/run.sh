#!/usr/bin/env bash
# The demo, in a private server (tmp/demo): loads the recorded profiles (load.sql), compares them
# (demo.sql), shows the store that watches such profiles every night (store.sql), draws some of it (pictures.sql), and says
# what limits a recorded build (job.sql).
#
#   run.sh         load afresh and show
#   run.sh psql    a shell on the demo's database, which is loaded if it is not there
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/common.sh"

database=demo

run_sql() { psql -X -q -v ON_ERROR_STOP=1 -P pager=off -P footer=off -d "$@"; }

load() {
    # Without the notice that there was none.
    run_sql postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $database" \
        -c "CREATE DATABASE $database"
    run_sql "$database" -f demo/load.sql
}

case ${1:-} in
    "")
        tools/private-install.sh
        exec tools/server.sh run demo demo/run.sh --show
        ;;
    psql)
        shift
        tools/private-install.sh
        exec tools/server.sh join demo demo/run.sh --shell "$@"
        ;;
    --show)
        mkdir -p tmp/demo
        load
        run_sql "$database" -f demo/demo.sql
        run_sql "$database" -f demo/store.sql
        run_sql "$database" -f demo/pictures.sql
        run_sql "$database" -f demo/job.sql
        run_sql "$database" -f demo/outlook.sql
        ;;
    --shell)
        shift
        # The last things that load.sql and store.sql create.
        if [ "$(psql -XAtq -d "$database" -c "SELECT to_regclass('profile') IS NOT NULL AND to_regclass('demo_is_loaded') IS NOT NULL" \
            2>/dev/null)" != t ]; then
            mkdir -p tmp/demo
            load
            run_sql "$database" -f demo/store.sql >/dev/null
        fi
        exec psql -d "$database" "$@"
        ;;
    *) die "usage: demo/run.sh [psql [ARG ...]]" ;;
esac
