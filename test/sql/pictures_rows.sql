-- nested_set: rows that Grafana's flame graph panel draws.
\pset null NULL

-- level 0 is the total, with the empty stack's value as its own; then parents before children, siblings bytewise
SELECT * FROM nested_set(E'main;parse 35\nmain;parse;read 40\nmain 10\nidle 15\n 3');
SELECT * FROM nested_set(flamegraph E'main;parse 35\nmain;parse;read 40\nmain 10\n 3', E'main;parse 50\nmain;x 1\n 4');
-- what is left out leaves no row, and what is above keeps its values
SELECT * FROM nested_set(E'a;b;c 1\na;d 9\na 40\ne 50', 0.1);
SELECT * FROM nested_set(E'a;b;c 1\na;d 9\na 40\ne 50', max_depth => 1);
SELECT * FROM nested_set(E'a;b;c 1\na;d 9\na 40\ne 50', 0, 0);
-- of two: large enough on one side
SELECT * FROM nested_set(flamegraph E'a;b 1\na;c 99', E'a;b 500\na;c 400\na;d 9\nz 91', 0.05);
-- whole profiles, at one side only, none at all, NULL
SELECT * FROM nested_set('');
SELECT * FROM nested_set(' 7');
SELECT * FROM nested_set(flamegraph '', 'a 1', 0.5);
SELECT * FROM nested_set(flamegraph '', '');
SELECT count(*) FROM nested_set(NULL::flamegraph);
SELECT count(*) FROM nested_set(NULL, flamegraph 'a 1');
SELECT count(*) FROM nested_set(flamegraph 'a 1', NULL::flamegraph);
-- names are as they are
SELECT level, label IN ('total', E'\u202E</title>', 'a;b') AS same FROM nested_set(E'\u202E</title>;total;a\\;b 1');
-- types of the columns: what a panel takes for numbers and for names
SELECT pg_typeof(level) AS level, pg_typeof(value) AS value, pg_typeof(self) AS self, pg_typeof(label) AS label, pg_typeof(value_right) AS value_right, pg_typeof(self_right) AS self_right FROM nested_set(flamegraph '', '');

--
-- Against nodes(), on random profiles
--
CREATE TEMP TABLE random AS
SELECT id, coalesce((SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c;d', 'é', '"ab"'])[1 + t.random(format('f %s %s %s', id, i, d), 2 + id % 4)] FROM generate_series(1, t.random(format('d %s %s', id, i), 8)) d), 1 + t.random(format('v %s %s', id, i), 21)) FROM generate_series(1, id % 19) i), '') AS f FROM generate_series(1, 100) id;
CREATE TEMP VIEW pair AS SELECT a.id, a.f AS before, b.f AS after FROM random a JOIN random b ON b.id = a.id % 100 + 1;
-- one profile: each row in order is the root or the next node that is large enough and whose parents are
CREATE FUNCTION pg_temp.rows_of(f flamegraph, share float8, deepest int) RETURNS jsonb LANGUAGE sql AS $$
	WITH RECURSIVE n AS MATERIALIZED (SELECT * FROM nodes(f) WHERE total >= share * total(f) AND depth <= coalesce(deepest, 100)),
	shown AS (
		SELECT 0 AS node, 0 AS level, total(f) AS value, f -> '' AS self, 'total' AS label
		UNION ALL SELECT n.node, n.depth, n.total, n.self, n.frame FROM shown JOIN n ON n.parent = shown.node
	)
	SELECT jsonb_agg(jsonb_build_array(level, value, self, label) ORDER BY node) FROM shown
$$;
SELECT share, deepest, count(*) AS compared, sum(jsonb_array_length(found)) > 100 AS many, count(*) FILTER (WHERE found IS DISTINCT FROM pg_temp.rows_of(f, share, deepest)) AS wrong
FROM random, (VALUES (0::float8, NULL::int), (0.0837, NULL), (0.25, NULL), (1, NULL), (0.0837, 2), (0, 0)) v(share, deepest), LATERAL (SELECT (SELECT jsonb_agg(jsonb_build_array(level, value, self, label) ORDER BY n) FROM nested_set(f, share, deepest) WITH ORDINALITY AS s (level, value, self, label, n)) AS found) x
GROUP BY share, deepest ORDER BY share, deepest;
-- two profiles: the stacks of both; the path of a row is made of the labels above it
CREATE FUNCTION pg_temp.with_paths(before flamegraph, after flamegraph, share float8, deepest int, OUT n bigint, OUT path stackpath, OUT value float8, OUT self float8, OUT value_right float8, OUT self_right float8) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
	r record;
	names text[] = '{}';
BEGIN
	FOR r IN SELECT * FROM nested_set(before, after, share, deepest) LOOP
		names = names[1:r.level - 1] || CASE WHEN r.level > 0 THEN ARRAY[r.label] ELSE '{}' END;
		n = coalesce(n + 1, 0);
		path = stackpath(names); value = r.value; self = r.self; value_right = r.value_right; self_right = r.self_right;
		RETURN NEXT;
	END LOOP;
END $$;
CREATE TEMP TABLE paths AS SELECT id, share, before, after, p.* FROM pair, unnest('{0,0.11,0.4}'::float8[]) AS share, pg_temp.with_paths(before, after, share, NULL) AS p;
SELECT share, count(*) > 100 AS many, count(*) FILTER (WHERE value <> (before ->> path) OR value_right <> (after ->> path) OR self <> (before -> path) OR self_right <> (after -> path)) AS wrong_values, count(*) FILTER (WHERE n > 0 AND value < share * total(before) AND value_right < share * total(after)) AS too_small
FROM paths GROUP BY share ORDER BY share;
-- none is missing: of all nodes of either those that are large enough on one side
SELECT share, count(*) AS profiles, count(*) FILTER (WHERE got IS DISTINCT FROM expected) AS wrong
FROM (SELECT id, share, array_agg(path ORDER BY n) FILTER (WHERE n > 0) AS got FROM paths GROUP BY id, share) g
JOIN (SELECT id, share, (SELECT array_agg(stack ORDER BY stack) FROM (SELECT stack FROM nodes(before) WHERE total >= share * total(before) UNION SELECT stack FROM nodes(after) WHERE total >= share * total(after)) u) AS expected FROM pair, unnest('{0,0.11,0.4}'::float8[]) AS share) e USING (id, share)
GROUP BY share ORDER BY share;
-- the same profile on both sides is the one-sided form twice
SELECT count(*) AS wrong FROM random, LATERAL (SELECT jsonb_agg(jsonb_build_array(level, value, self, label, value, self)) AS one FROM nested_set(f, 0.05, 3)) a, LATERAL (SELECT jsonb_agg(jsonb_build_array(level, value, self, label, value_right, self_right)) AS two FROM nested_set(f, f, 0.05, 3)) b WHERE one <> two;

-- deep and wide
SELECT count(*), max(level), min(value), max(value) FROM nested_set((repeat('a;', 65534) || 'a 3')::flamegraph);
SELECT count(*), max(level), sum(self), sum(self_right) FROM nested_set((SELECT flamegraph_agg('f' || i, i) FROM generate_series(1, 5000) i), (SELECT flamegraph_agg('f' || i, i) FROM generate_series(2500, 7500) i));

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT nested_set(E'a 2\nb -1')$$,
	$$SELECT nested_set(flamegraph 'a 2', 'b -1')$$,
	$$SELECT nested_set(flamegraph 'a -2', 'b 1')$$,
	$$SELECT nested_set('a 1', -0.01)$$,
	$$SELECT nested_set('a 1', 1.01)$$,
	$$SELECT nested_set('a 1', 'NaN'::float8)$$,
	$$SELECT nested_set('a 1', NULL::float8)$$,
	$$SELECT nested_set('a 1', 0, -1)$$,
	$$SELECT nested_set(flamegraph 'a 1', flamegraph 'a 1', 2)$$,
	$$SELECT nested_set(flamegraph 'a 1', flamegraph 'a 1', 0, -1)$$,
	$$SELECT nested_set(E'a 1e308\nb 1e308')$$,
	$$SELECT nested_set(flamegraph 'a 1', E'a 1e308\nb 1e308')$$);
