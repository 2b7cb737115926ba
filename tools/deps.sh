#!/usr/bin/env bash
# Installs with apt what building and testing needs and what is missing. Quick and silent when nothing is.
#
#   deps.sh [--bench]
#
#   --bench   also what the benchmarks compare models and readers with
#
# PG_CONFIG picks the server, PG_MAJOR the version of PostgreSQL that is installed where there is none.
set -euo pipefail

PG_CONFIG=${PG_CONFIG:-pg_config}

build=(
    gcc libc6-dev make
    liblapacke-dev libopenblas-dev      # linear algebra, in a module of its own
    zlib1g-dev                          # gzip
    libzstd-dev                         # stored values
    libpq-dev                           # the client, flamegraph-load
)
# Unit tests run under both compilers' sanitizers; libclang-rt-dev holds clang's and libFuzzer.
tests=(git clang libclang-rt-dev clang-tidy cppcheck shellcheck perl libipc-run-perl python3 gzip procps util-linux)
# Other readers of JSON and of XML, which fuzzers compare ours with.
tests+=(libyajl-dev libexpat1-dev)

# An editor for the language server (at most one of its tests is skipped without it).
tests+=(neovim)

# Clients that read the store's views; node and npm, too, where they are there.
tests+=(python3-psycopg2 libpostgresql-jdbc-java default-jdk-headless)

# For the system's own python.
bench=(python3-numpy python3-scipy python3-pandas python3-statsmodels python3-protobuf)

packages=("${build[@]}" "${tests[@]}")
if [ "${1:-}" = --bench ]; then packages+=("${bench[@]}"); fi

# --- root -------------------------------------------------------------------------------------------------------------

as_root=()

# How to become root; asked only when it is needed, because sudo reports those who may not.
may_install() {
    if [ "$(id -u)" -eq 0 ] || [ ${#as_root[@]} -gt 0 ]; then return 0; fi
    command -v sudo >/dev/null || return 1
    if sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
    elif [ -t 0 ]; then
        as_root=(sudo)
    else
        return 1
    fi
}

run() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@"; }

updated=
# Once. A list that cannot be brought up to date may still do; the installation decides.
update() {
    if [ -n "$updated" ]; then return; fi
    updated=yes
    run apt-get update -qq || echo "deps: apt-get update failed; trying with the lists that are there" >&2
}

# --- which PostgreSQL -------------------------------------------------------------------------------------------------

# The version that this release of Debian has; nothing on a machine that has never got the lists of packages.
release_major() {
    LC_ALL=C apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9][0-9]*\)$/\1/p' | sort -n | tail -n 1
}

# The server that pg_config belongs to, if there is one with its headers; else the one this release of Debian has.
bindir=
pgxs=$("$PG_CONFIG" --pgxs 2>/dev/null) || pgxs=
if [ -n "$pgxs" ] && [ -f "$pgxs" ]; then
    major=$("$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
    bindir=$("$PG_CONFIG" --bindir)
else
    major=${PG_MAJOR:-}
fi

if ! command -v dpkg-query >/dev/null; then
    if [ -n "$bindir" ]; then
        echo "deps: not a Debian system; assuming that these are there in another form: ${packages[*]}" >&2
        exit 0
    fi
    echo "deps: not a Debian system; install PostgreSQL ${major:-14 or later} with its server headers, and: ${packages[*]}" >&2
    exit 1
fi

if [ -z "$major" ]; then major=$(release_major); fi
if [ -z "$major" ]; then
    if may_install; then update; fi
    major=$(release_major)
fi
if [ -z "$major" ]; then
    echo "deps: apt knows no package postgresql; run \"apt-get update\" as root, or set PG_MAJOR" >&2
    exit 1
fi

# A server that does not come from a package (built by hand) is taken as it is.
if [ -z "$bindir" ] || [ ! -x "$bindir/postgres" ] || [ -n "$(dpkg-query -S "$bindir/postgres" 2>/dev/null)" ]; then
    packages+=("postgresql-$major" "postgresql-server-dev-$major" "postgresql-client-$major")
fi

# What tests can do without: pg_cron, which runs the store's nightly job. Installed where there are such packages.
optional=("postgresql-$major-cron")
# Pictures are looked at in a browser, driven by packages that the tests get from npm; pdftotext reads what is printed.
# Chromium without a user's interface draws the same with two thirds of the processor time.
optional+=(chromium-headless-shell poppler-utils)
# A renderer of Markdown, as of those that reports are posted to.
optional+=(cmark-gfm)
# Node may have come from elsewhere, with an npm of its own.
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then optional+=(nodejs npm); fi

# --- what is missing --------------------------------------------------------------------------------------------------

# dpkg-query complains about names it has never heard of; those are missing, too.
installed=" $({ dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "${packages[@]}" "${optional[@]}" chromium 2>/dev/null || true; } |
    sed -n 's/^.i *//p' | tr '\n' ' ') "
missing=()
for p in "${packages[@]}"; do
    case $installed in *" $p "*) ;; *) missing+=("$p") ;; esac
done
add_optional() {
    for p in "${optional[@]}"; do
        if [ "$p" = chromium-headless-shell ] && ! apt-cache show "$p" >/dev/null 2>&1; then p=chromium; fi
        case "$installed ${missing[*]} " in *" $p "*) continue ;; esac
        if apt-cache show "$p" >/dev/null 2>&1; then missing+=("$p"); fi
    done
}
required=${#missing[@]}
add_optional
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

command="apt-get install -y --no-install-recommends"
if ! may_install; then
    if [ "$required" -eq 0 ]; then exit 0; fi
    echo "deps: packages are missing; as root, run:" >&2
    echo "    apt-get update && $command ${missing[*]}" >&2
    exit 1
fi

echo "deps: installing ${missing[*]}"
update
add_optional
# shellcheck disable=SC2086 # the command is a list of plain words
if ! run $command "${missing[@]}" -qq </dev/null; then
    echo "deps: installation failed; as root, run:" >&2
    echo "    apt-get update && $command ${missing[*]}" >&2
    exit 1
fi
