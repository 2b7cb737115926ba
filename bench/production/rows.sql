-- What make.sql and fill.sql have made, as a peer keeps it: variable minutes.
SET timezone = 'UTC';
CREATE UNIQUE INDEX ON batch (n);
CREATE UNLOGGED TABLE row_of AS
SELECT u.at, u.pod, l.i AS stack, k.value
FROM batch AS b, unnest(b.services, b.profiles, b.times, b.pods) AS u (service, fg, at, pod), stacks(u.fg) AS k
	JOIN pool AS l ON l.service = 1 AND l.stack = k.stack
WHERE u.service = 's1' AND b.n >= (:minutes - 1440) / 2;
CREATE INDEX ON row_of (at);
VACUUM ANALYZE;
