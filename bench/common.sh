# shellcheck shell=bash
# Sourced by run.sh and by its parts: where things are, and what all of them need.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(dirname "$here")
data=$top/tmp/bench-data
results=$data/results.tsv
environment=$data/environment # what is printed above the table
mkdir -p "$data"

step() { printf '%4ss  %s\n' "$SECONDS" "$*" >&2; }
query() { psql -X -q -v ON_ERROR_STOP=1 -d bench "$@"; }
tell() { printf '%s\n' "$*" >>"$environment"; }

# measure side size work: of what has no time
note() { printf '%s\t%s\t%s\t%s\t0\n' "$@" >>"$results"; }

compile() { "${CC:-gcc}" "$@"; }
compile_generator() {
    compile -std=gnu11 -O3 -Wall -Wextra -I"$top/src" -o "$data/generate" "$here"/generator/*.c "$top/src/core/base/random.c"
}

# The core as it is in the extension: sources, dialect and libraries from the one list of them, and the same
# optimisation. MAKEFLAGS of a make that called us would only confuse this one.
compile_with_core() { # program source
    local core
    # shellcheck disable=SC2016 # make expands these
    read -ra core < <(cd "$top" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -f tools/sources.mk \
        --eval='print-core: ; @echo $(C_DIALECT) $(INCLUDES) $(CORE_SRCS) $(CORE_LIBS)' print-core)
    # shellcheck disable=SC2086 # it may be several flags
    (cd "$top" && compile ${OPTFLAGS:--O3} -o "$data/$1" "$2" "${core[@]}")
}

# Debian's own first: a python built by hand may be slower, and it is a peer here.
python() {
    if [ -x /usr/bin/python3 ]; then /usr/bin/python3 "$@"; else python3 "$@"; fi
}

# in_server CLUSTER ARG...: for a script whose only option is --quick. Starts it again in a new server, which is stopped
# whatever happens; in there it sets $quick and comes back.
in_server() {
    local option inside=
    quick=
    for option in "${@:2}"; do
        case $option in
            --inside) inside=1 ;;
            --quick) quick=1 ;;
            --help)
                sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"
                exit 0
                ;;
            *) echo "${0##*/}: unknown option $option (see --help)" >&2 && exit 2 ;;
        esac
    done
    if [ -n "$inside" ]; then return; fi
    "$top/tools/server.sh" init "$1"
    exec "$top/tools/server.sh" run "$1" "$(realpath "$0")" --inside ${quick:+--quick}
}

# DuckDB through npm, below tmp/ and without a lock file: $duckdb is its module. A machine without it has one peer less,
# and $duckdb is empty.
find_duckdb() {
    duckdb_version=1.5.6-r.1
    local room=$top/tmp/bench-duckdb/$duckdb_version
    local log=$top/tmp/bench-duckdb/log
    duckdb=$room/node_modules/@duckdb/node-api
    mkdir -p "$room"
    if duckdb_works; then return; fi
    rm -rf "${room:?}"
    mkdir -p "$room"
    echo '{"private": true}' >"$room/package.json"
    (cd "$room" && npm install --no-package-lock --no-save --no-audit --no-fund --silent "@duckdb/node-api@$duckdb_version") >"$log" 2>&1 || true
    if duckdb_works; then return; fi
    echo "DuckDB cannot be installed (see $log): its lines stay empty" >&2
    duckdb=
}
duckdb_works() { node -e 'require(process.argv[1])' "$duckdb" 2>/dev/null; }
