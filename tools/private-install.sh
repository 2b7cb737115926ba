#!/usr/bin/env bash
# Builds the extension and puts it into a private installation of PostgreSQL (tmp/inst), so that demo and tests
# neither write into the system's directories nor need root.
#
# PostgreSQL finds its library and share directories relative to the program that runs, symbolic links resolved. So a
# tree that mirrors the absolute paths of the real installation serves, if the programs that look for those
# directories are copies in it; everything else can be links to the real files.
#
# WERROR=1 in the environment makes warnings errors.
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

find_base
inst=$base/inst
bindir=$("$PG_CONFIG" --bindir) || die "$PG_CONFIG does not work; run make deps"
pkglibdir=$("$PG_CONFIG" --pkglibdir)
sharedir=$("$PG_CONFIG" --sharedir)
mandir=$("$PG_CONFIG" --mandir)
[ -x "$bindir/postgres" ] || die "no server program in $bindir; run make deps"

# One build at a time in this tree.
exec 8>"$base/build.lock"
flock 8

build() { run_make -s with_llvm=no "$@" 8>&-; }
build all

# link_all FROM TO: links to everything in FROM, except to a flamegraph that is installed on the system
link_all() {
    local f
    mkdir -p "$2"
    for f in "$1"/*; do
        case ${f##*/} in flamegraph*) ;; *) ln -s "$f" "$2/" ;; esac
    done
}

make_mirror() {
    local f new=$inst.new
    rm -rf "$new"
    mkdir -p "$new$bindir" "$new$pkglibdir" "$new$sharedir"
    link_all "$bindir" "$new$bindir"
    # These ask where they are themselves.
    for f in postgres initdb pg_ctl pg_config; do
        rm -f "$new$bindir/$f"
        cp "$bindir/$f" "$new$bindir/$f"
    done
    link_all "$pkglibdir" "$new$pkglibdir"
    link_all "$sharedir" "$new$sharedir"
    # Directories that the extension writes to, or where another version of it may lie, are no links themselves.
    for f in "$pkglibdir/bitcode" "$sharedir/extension" "$mandir" "$mandir/man1"; do
        if [ -L "$new$f" ]; then
            rm -f "$new$f"
            link_all "$f" "$new$f"
        fi
    done
    rm -rf "$inst"
    mv "$new" "$inst"
}

# Whether the mirror still shows what is installed. Directories count because another extension may have arrived.
key=$("$PG_CONFIG" --version; stat -L -c '%n %s %Y' "$bindir" "$bindir/postgres" "$pkglibdir" "$sharedir/extension" \
    tools/private-install.sh)
if [ "$(cat "$inst/key" 2>/dev/null)" != "$key" ]; then
    make_mirror
    printf '%s\n' "$key" >"$inst/key"
fi

if [ "$("$inst$bindir/pg_config" --sharedir)" = "$inst$sharedir" ] &&
    (cd "$base" && as_server_user "$inst$bindir/postgres" --version >/dev/null); then
    build install DESTDIR="$inst" >/dev/null
    bindir=$inst$bindir
else
    # Built so that it does not move, or on a file system that runs no programs: then only the real place is left.
    say "the private installation does not run; installing into the system's PostgreSQL"
    if [ -w "$pkglibdir" ]; then
        build install >/dev/null
    else
        sudo env PATH="$PATH" make -s with_llvm=no PG_CONFIG="$PG_CONFIG" install >/dev/null
    fi
fi
printf '%s\n' "$bindir" >"$base/bindir"
