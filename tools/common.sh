# shellcheck shell=bash
# Sourced by the scripts in tools/ and demo/: where things are, and who runs the private server.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$top" || exit 1

PG_CONFIG=${PG_CONFIG:-pg_config}
export PG_CONFIG
# The private installation must be readable by the server's user, whatever mask a CI system came with.
umask 022

say() { printf '%s\n' "$*"; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

cpus() { nproc 2>/dev/null || echo 2; }

# make, detached from a make that may have called us: its job server is not open to scripts. Switches that matter
# to the build are passed on by name.
run_make() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES \
        make --no-print-directory -j"$(cpus)" PG_CONFIG="$PG_CONFIG" ${OPTFLAGS:+OPTFLAGS="$OPTFLAGS"} "$@"
}

# --- the server's user -----------------------------------------------------------------------------------------------
# PostgreSQL refuses to run as root, and rightly so: for root the server runs as an unprivileged user.

if [ "$(id -u)" -ne 0 ]; then
    server_user=$(id -un 2>/dev/null || id -u)
elif id postgres >/dev/null 2>&1; then
    server_user=postgres
else
    server_user=nobody
fi

as_server_user() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    elif command -v runuser >/dev/null; then
        # HOME of root is neither readable nor wanted.
        HOME=/nonexistent runuser -u "$server_user" -- "$@"
    else
        HOME=/nonexistent setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --init-groups -- "$@"
    fi
}

give_to_server_user() {
    if [ "$(id -u)" -eq 0 ]; then chown -R "$server_user:" "$@"; fi
}

# True if the server's user can come as far as this directory.
within_reach() { as_server_user test -x "$1" -a -r "$1" 2>/dev/null; }

# --- places -----------------------------------------------------------------------------------------------------------

# The directory for clusters and the private installation: tmp/ of the tree, or, where the server's user cannot come
# that far (a clone below a home directory of mode 700), a directory of its own, whose name is kept in tmp/away.
find_base() {
    local place
    mkdir -p "$top/tmp"
    if within_reach "$top/tmp"; then
        base=$top/tmp
        return
    fi
    if [ -f "$top/tmp/away" ]; then
        base=$(cat "$top/tmp/away")
        # Nobody else may have put something in its place.
        if [ -d "$base" ] && [ ! -L "$base" ] && [ -O "$base" ] && within_reach "$base"; then return; fi
    fi
    for place in "${TMPDIR:-/tmp}" /tmp /var/tmp; do
        base=$(mktemp -d "$place/flamegraph.XXXXXX") || continue
        chmod 755 "$base"
        if within_reach "$base"; then
            printf '%s\n' "$base" >"$top/tmp/away"
            say "user $server_user cannot reach $top: the private server goes to $base" >&2
            return
        fi
        rmdir "$base"
    done
    die "found no directory that user $server_user can reach"
}

# The directory of the private installation's programs, as tools/private-install.sh has left it.
private_bindir() {
    [ -f "$base/bindir" ] || die "no private installation; run tools/private-install.sh"
    cat "$base/bindir"
}

# --- counting ---------------------------------------------------------------------------------------------------------
# Every stage of the tests ends with a line "N passed, N failed", from which tools/test.sh adds up.

passed=0
failed=0

# failing NAME...: of each stage, what failed goes to a file, which tools/test.sh shows as the last thing of all. Whoever
# sees only the end of a log sees what to look for.
failing() { printf '%s\n' "$@" >>"${FAILING:-/dev/null}"; }

# check NAME COMMAND...: one counted check; its output is shown only when it fails
check() {
    local name=$1 out status=0
    shift
    out=$("$@" 2>&1) || status=$?
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
        say "  ok      $name"
    else
        failed=$((failed + 1))
        say "  FAILED  $name"
        failing "$name"
        say "${out//$'\n'/$'\n'          }" | sed '1s/^/          /'
    fi
}

counts() {
    say "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# Reads the counts from the last "N passed, N failed" line of a file into $got_passed and $got_failed; the file's
# program ended with STATUS. A program that died without counting, or failed without saying so, is one failure.
# shellcheck disable=SC2034 # the results are read by the scripts that source this file
read_counts() {
    local file=$1 status=$2 line
    got_passed=0
    got_failed=0
    line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed$' "$file" | tail -n 1) || true
    if [ -n "$line" ]; then
        got_passed=${line%% *}
        got_failed=${line##*, }
        got_failed=${got_failed%% *}
    fi
    if [ "$got_failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ -z "$line" ]; }; then got_failed=1; fi
}
