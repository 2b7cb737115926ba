#!/usr/bin/env bash
# Records the perf files of this directory again: postgres.perf.gz (two events with periods), flat.perf (no call
# chains) and tracepoints.perf (events without period), and folds them by collapse.py. As root, with perf and
# PostgreSQL installed. Every recording is another one, so this is for a new version of perf, not for the tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
bin=$("${PG_CONFIG:-pg_config}" --bindir)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
install -d -o postgres "$work/pg"

cat >"$work/query.sql" <<'SQL'
create table t as select i, md5(i::text) m from generate_series(1,40000) i
select count(*), max(m) from t a join t b using (i)
select m from t order by m limit 5
SQL
cat >"$work/work.py" <<'PY'
import hashlib
b = bytearray(1 << 20)
for i in range(60):
    b[i * 4096] = 1
    hashlib.sha256(b).digest()
PY
su postgres -c "$bin/initdb -D $work/pg/data -A trust >/dev/null"

perf record -q -e cpu-clock/freq=199/ -e page-faults/period=40/ -g -o "$work/postgres.data" \
    su postgres -c "$bin/postgres --single -D $work/pg/data postgres <$work/query.sql >/dev/null"
perf script -i "$work/postgres.data" --comm postgres | tee "$work/postgres.perf" | gzip -9n >postgres.perf.gz
perf record -q -F 99 -e cpu-clock -o "$work/flat.data" /usr/bin/python3 "$work/work.py"
perf script -i "$work/flat.data" --comm python3 >flat.perf
perf record -q -e sched:sched_switch -e sched:sched_wakeup -g -o "$work/tracepoints.data" \
    sh -c 'sleep 0.01; sleep 0.01; true'
perf script -i "$work/tracepoints.data" >tracepoints.perf

./collapse.py cpu-clock/freq=199/ <"$work/postgres.perf" >postgres.cpu-clock.folded
./collapse.py page-faults/period=40/ <"$work/postgres.perf" >postgres.page-faults.folded
./collapse.py cpu-clock flat <flat.perf >flat.folded
./collapse.py sched:sched_switch <tracepoints.perf >tracepoints.sched_switch.folded
