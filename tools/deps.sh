#!/usr/bin/env bash
# Installs with apt what building and testing needs and what is missing. Quick and silent when nothing is.
#
#   deps.sh [--bench]
#
#   --bench   also what the benchmarks compare performance models with
set -euo pipefail

PG_CONFIG=${PG_CONFIG:-pg_config}

# The server that pg_config belongs to, if there is one with its headers; else the one this release of Debian has.
pgxs=$("$PG_CONFIG" --pgxs 2>/dev/null) || pgxs=
if [ -n "$pgxs" ] && [ -f "$pgxs" ]; then
    major=$("$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
    bindir=$("$PG_CONFIG" --bindir)
else
    major=${PG_MAJOR:-15}
    bindir=
fi

build=(
    gcc libc6-dev make
    liblapacke-dev libopenblas-dev      # linear algebra, in a module of its own
    libprotobuf-c-dev protobuf-c-compiler zlib1g-dev    # pprof
    libyajl-dev                         # JSON formats
    libpq-dev                           # the client, flamegraph-load
)
# Unit tests run under both compilers' sanitizers; libclang-rt-dev holds clang's and libFuzzer.
tests=(git clang libclang-rt-dev clang-tidy cppcheck shellcheck perl libipc-run-perl python3 gzip procps util-linux)

# Clients that read the store's views; node and npm, too, where they are there.
tests+=(python3-psycopg2 libpostgresql-jdbc-java default-jdk-headless)

# What tests can do without: pg_cron, which runs the store's nightly job. Installed where there is such a package.
optional=("postgresql-$major-cron")

# For the system's own python.
bench=(python3-numpy python3-scipy python3-pandas python3-statsmodels)

packages=("${build[@]}" "${tests[@]}")
if [ "${1:-}" = --bench ]; then packages+=("${bench[@]}"); fi
# A server that does not come from a package (built by hand) is taken as it is.
if [ -z "$bindir" ] || [ ! -x "$bindir/postgres" ] || [ -n "$(dpkg-query -S "$bindir/postgres" 2>/dev/null)" ]; then
    packages+=("postgresql-$major" "postgresql-server-dev-$major" "postgresql-client-$major")
fi

if ! command -v dpkg-query >/dev/null; then
    if [ -n "$bindir" ]; then
        echo "deps: not a Debian system; assuming that these are there in another form: ${packages[*]}" >&2
        exit 0
    fi
    echo "deps: not a Debian system; install PostgreSQL $major with its server headers, and: ${packages[*]}" >&2
    exit 1
fi

# dpkg-query complains about names it has never heard of; those are missing, too.
installed=" $({ dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "${packages[@]}" "${optional[@]}" 2>/dev/null || true; } |
    sed -n 's/^.i *//p' | tr '\n' ' ') "
missing=()
for p in "${packages[@]}"; do
    case $installed in *" $p "*) ;; *) missing+=("$p") ;; esac
done
add_optional() {
    for p in "${optional[@]}"; do
        case "$installed ${missing[*]} " in *" $p "*) continue ;; esac
        if apt-cache show "$p" >/dev/null 2>&1; then missing+=("$p"); fi
    done
}
required=${#missing[@]}
add_optional
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

command="apt-get install -y --no-install-recommends"
install="$command ${missing[*]}"
if [ "$(id -u)" -eq 0 ]; then
    as_root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
elif command -v sudo >/dev/null && [ -t 0 ]; then
    as_root=(sudo)
elif [ "$required" -eq 0 ]; then
    exit 0
else
    echo "deps: packages are missing; as root, run:" >&2
    echo "    apt-get update && $install" >&2
    exit 1
fi

echo "deps: installing ${missing[*]}"
run() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@"; }
# A list that cannot be brought up to date may still do; the installation decides.
run apt-get update -qq || echo "deps: apt-get update failed; trying with the lists that are there" >&2
add_optional
install="$command ${missing[*]}"
# shellcheck disable=SC2086 # the command is a list of plain words
if ! run $install -qq </dev/null; then
    echo "deps: installation failed; as root, run:" >&2
    echo "    apt-get update && $install" >&2
    exit 1
fi
