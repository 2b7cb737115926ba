-- Profiles of services: variables minutes, others, other_minutes. Table made has them one by one, batch in arrays of 200, row_of the
-- day of the first service as rows of numbered stacks.
SET timezone = 'UTC';
SELECT setseed(0.5);
CREATE UNLOGGED TABLE pool AS
SELECT i, ('runtime.goexit;net/http.(*conn).serve;github.com/example/shop/internal/handlers.(*Server).Handle' || i % 7
	|| ';github.com/example/shop/pkg/module' || i % 41 || '.(*Thing).DoSomething' || i % 41 || ';github.com/example/lib/codec.(*Decoder).decode' || i % 331
	|| ';encoding/json.(*decodeState).object' || i % 1000 || ';runtime.mallocgc' || i % 3)::stackpath AS stack
FROM generate_series(0, 3999) AS i;
CREATE UNIQUE INDEX ON pool (i);
-- m and p in it, so that each profile is drawn anew
CREATE UNLOGGED TABLE made AS
SELECT s.service, date_trunc('hour', now()) - m * interval '1 min' AS at, 'pod-' || p AS pod,
	(SELECT flamegraph_agg(l.stack, 1) FROM (SELECT floor(4000 * power(random(), 4) + 0 * m * p)::int AS i FROM generate_series(1, 90)) AS draw JOIN pool AS l USING (i)) AS fg
FROM (SELECT 's0' AS service, :minutes AS minutes UNION ALL SELECT 's' || n, :other_minutes FROM generate_series(1, :others) AS n) AS s,
	generate_series(1, s.minutes) AS m, generate_series(0, 19) AS p;
CREATE UNLOGGED TABLE row_of AS
SELECT d.service, d.at, d.pod, l.i AS stack, k.value FROM made AS d, stacks(d.fg) AS k JOIN pool AS l ON l.stack = k.stack WHERE d.service = 's0';
CREATE INDEX ON row_of (service, at);
CREATE UNLOGGED TABLE batch AS
SELECT n, array_agg(service) AS services, array_agg(fg) AS profiles, array_agg(at) AS times, array_agg(pod) AS pods
FROM (SELECT *, (row_number() OVER (ORDER BY at, service, pod) - 1) / 200 AS n FROM made) AS m GROUP BY n;
CREATE UNIQUE INDEX ON batch (n);
VACUUM ANALYZE;
