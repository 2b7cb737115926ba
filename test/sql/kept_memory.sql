-- flamegraph.kept_memory: large arrays that a session keeps from call to call, and no answer depends on it.
CREATE TEMP TABLE large AS
SELECT p, flamegraph_agg(stackpath(ARRAY['main', 'f' || i % 97, 'g' || i % 1009, 'h' || (i * p) % 10007]), i % 13 + 1) AS fg
FROM generate_series(1, 3) AS p, generate_series(1, 20000) AS i GROUP BY p;
CREATE FUNCTION pg_temp.kept() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts WHERE name = 'flamegraph blocks' $$;
CREATE FUNCTION pg_temp.answers() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT concat_ws(' ', (SELECT md5(flamegraph_send(sum(fg))) FROM large), (SELECT md5(stats(fg)::text) FROM large),
		(SELECT md5(string_agg((a.fg - b.fg)::text, ',' ORDER BY a.p, b.p)) FROM large a, large b),
		(SELECT count(*) FROM compare_profiles((SELECT array_agg(fg) FROM large), (SELECT array_agg(fg * 2) FROM large))),
		(SELECT md5(string_agg(flamegraph_to_pprof(fg, 'x', 'y')::text, ',' ORDER BY p)) FROM large)) $$;
SELECT nnodes(fg) FROM large ORDER BY p;

SHOW flamegraph.kept_memory;
SELECT pg_temp.answers() AS answers \gset
-- some, and within the bound
SELECT pg_temp.kept() > 1000000 AS kept, pg_temp.kept() <= 32 * 1024 * 1024 + 100000 AS bounded;
-- too few for all that is needed at once, which makes no difference
SET flamegraph.kept_memory = '500kB';
SELECT pg_temp.kept() <= 500 * 1024 + 100000 AS given_back;
SELECT pg_temp.answers() = :'answers' AS same, pg_temp.kept() <= 500 * 1024 + 100000 AS bounded;
SET flamegraph.kept_memory = 0;
SELECT pg_temp.kept() <= 100000 AS none, pg_temp.answers() = :'answers' AS same, pg_temp.kept() <= 100000 AS still_none;

-- what was lent to a statement that fails comes back: the next one takes the same blocks
SET flamegraph.kept_memory = '4MB';
SELECT pg_temp.answers() = :'answers' AS same;
SELECT t.try('SELECT sum(fg)::text || (1 / count(*) FILTER (WHERE false)) FROM large', 'SELECT distance(fg - fg * 2, fg, 3) FROM large');
SELECT pg_temp.answers() = :'answers' AS same, pg_temp.kept() <= 4 * 1024 * 1024 + 100000 AS bounded;

-- the setting becomes smaller while blocks are lent: they are given back when they come back
DO $$
DECLARE
	total flamegraph;
BEGIN
	SET LOCAL flamegraph.kept_memory = '32MB';
	SELECT sum(fg) INTO total FROM large;
	SET LOCAL flamegraph.kept_memory = 0;
	total := total + total;
	PERFORM nnodes(total);
END $$;
SET flamegraph.kept_memory = 0;
SELECT pg_temp.kept() <= 100000 AS none;

-- PostgreSQL 17 says the unit of the limits, too.
SELECT replace(replace(o, '(0 kB', '(0'), '1048576 kB)', '1048576)') AS try
FROM t.try($$SET flamegraph.kept_memory = -1$$, $$SET flamegraph.kept_memory = '2GB'$$, $$SET flamegraph.kept_memory = 'much'$$) AS o;
RESET flamegraph.kept_memory;
DROP TABLE large;
