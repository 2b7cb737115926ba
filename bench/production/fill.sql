-- Every other batch of make.sql: variables minutes, services, base, and part (0 or 1), of which each has a connection and a core.
SET timezone = 'UTC';
SET jit = off;
INSERT INTO batch
SELECT n, b.* FROM generate_series(:part, (:minutes - 1) / 2, 2) AS n, LATERAL (
	SELECT array_agg('s' || s), array_agg(piece(s, m, p, 1) + piece(s, m, p, 2)
			+ CASE WHEN (m / 60) % 24 BETWEEN 8 AND 20 THEN piece(s, m, p, 3) ELSE '' END),
		array_agg(:'base'::timestamptz - (:minutes - m) * interval '1 min'), array_agg('pod-' || p),
		array_agg(jsonb_build_object('version', '1.' || (m + s * 97) / 2880))
	FROM generate_series(2 * n, 2 * n + 1) AS m, generate_series(1, :services) AS s, generate_series(0, 19) AS p
	WHERE m % s = 0) AS b (services, profiles, times, pods, labels)
WHERE b.services IS NOT NULL;
