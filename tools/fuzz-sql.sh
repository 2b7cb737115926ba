#!/usr/bin/env bash
# The SQL fuzzer (test/fuzz/sql.pl): statements at random over everything that the extensions define, in a private
# server. FUZZ_SECONDS (600) or --seconds; the other options are those of the fuzzer. The server's log is
# tmp/fuzz_sql/log.
#
#   fuzz-sql.sh [--seconds N] [--seed N] ...
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tools/private-install.sh
tools/server.sh init fuzz_sql
exec tools/server.sh run fuzz_sql perl test/fuzz/sql.pl --seconds "${FUZZ_SECONDS:-600}" "$@"
