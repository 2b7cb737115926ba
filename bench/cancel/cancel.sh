#!/usr/bin/env bash
# How soon a cancelled statement ends, for every kind of operation on large values: prints a table (cancel.pl).
set -euo pipefail
# shellcheck source=tools/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tools/common.sh"

status=0
summary=$(tools/tap.sh bench/cancel/cancel.pl) || status=$?
find_base
sed -n 's/^# |/|/p' "$base/tap.log"
if [ "$status" -ne 0 ]; then say "$summary" >&2; fi
exit "$status"
