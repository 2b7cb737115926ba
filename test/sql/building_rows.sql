-- Profiles as rows: stacks(), nodes(), node_facts().
\pset null NULL

-- stacks: canonical order
SELECT * FROM stacks(E' 5\na b 1\na;c 2\na 3\na!;b 4\na;b;c 5\nA;b 7');
SELECT * FROM stacks('');
SELECT * FROM stacks(NULL);
SELECT stack, frames(stack), value FROM stacks(E'a\\;b;c 1\nC:\\\\;x 2\n\\# z 5');
-- in the select list, with LIMIT, twice at once
SELECT (stacks(flamegraph E'a 1\nb;c 2')).*;
SELECT stacks(flamegraph E'a 1\nb;c 2');
SELECT stack FROM stacks(E'a 1\nb 2\nc 3') LIMIT 2;
SELECT x.stack, y.value FROM stacks(E'a 1\nb 2') x, stacks(E'a 10\nb 20') y WHERE x.stack = y.stack;
SELECT i, s.* FROM (VALUES (1, flamegraph E'a 1\nb 2'), (2, NULL), (3, ''), (4, E' 7')) v(i, f), stacks(f) s ORDER BY i, s.stack;
SELECT i, s.* FROM (VALUES (1, flamegraph 'a 1'), (2, NULL), (3, '')) v(i, f) LEFT JOIN LATERAL stacks(f) s ON true ORDER BY i;
-- rows make the profile again
SELECT flamegraph_agg(stack, value) = f AS again FROM (VALUES (flamegraph E' 5\na b 1.5\na;c -2\na 3e300\na\\;x;b 4')) v(f), stacks(f) GROUP BY f;
-- numbers are float8: as float8 prints them
SELECT stack, value FROM stacks(E'a 1e15\nb 0.1\nc 1e-5\nd 123456789012345678');

-- nodes: algebra_figure2 (Tornetta 2023, figure 2)
SELECT * FROM nodes(E'A;B 1\nA;C;D 5\nA;C 1\nA 2');
SELECT * FROM node_facts(E'A;B 1\nA;C;D 5\nA;C 1\nA 2');
-- the virtual root is no row, but its value is part of the whole
SELECT * FROM nodes(E' 4\na;b 6');
SELECT * FROM nodes(' 5');
SELECT * FROM nodes('');
SELECT * FROM nodes(NULL);
SELECT * FROM node_facts(NULL);
-- recursion: ancestors with the same frame
SELECT node, parent, stack, recursion, self, total FROM nodes(E'A;B;B 1\nA;C;A;A 2\nA;C;B;A 1\nB;A 1');
SELECT max(recursion), count(*), sum(self), max(total), max(depth) FROM nodes((repeat('f;', 4999) || 'f 3')::flamegraph);
-- signed values: a total may cancel; shares of 0 are null
SELECT node, stack, self, total, self_share, total_share FROM nodes(E'a;b 3\na;c -3\nd 4');
SELECT node, stack, self, total, self_share, total_share FROM nodes(E'a 3\nb -3');
SELECT node, stack, self, total, self_share, total_share FROM nodes(E'a 3\nb -5');
-- shares are shares of total(fg), also where plain addition would lose it
SELECT total(E'a 1e16\nb 1\nc -1e16'), n.stack, n.self, n.self_share, n.total_share FROM nodes(E'a 1e16\nb 1\nc -1e16') n;
-- order, numbers and columns of both functions agree
SELECT (SELECT json_agg(to_jsonb(n) - 'stack' ORDER BY node)::text FROM nodes(f) n) = (SELECT json_agg(to_jsonb(n) ORDER BY node)::text FROM node_facts(f) n) AS same,
	(SELECT array_agg(node) = array_agg(i) FROM (SELECT node, row_number() OVER ()::int AS i FROM nodes(f)) x) AS numbered,
	(SELECT bool_and(stack > before) FROM (SELECT stack, lag(stack) OVER () AS before FROM nodes(f)) x WHERE before IS NOT NULL) AS in_order
FROM (VALUES (flamegraph E'a;b;c 1\na;b 2\na;d 3\nb 4\nb;a;b 5\n 6')) v(f);
-- parents
SELECT c.node, c.stack, p.stack AS parent FROM nodes(E'a;b;c 1\na;d 3\nb 4') c LEFT JOIN nodes(E'a;b;c 1\na;d 3\nb 4') p ON p.node = c.parent ORDER BY 1;
SELECT node, frame, depth FROM nodes(E'a;b;c 1\na;d 3') LIMIT 2;
SELECT (nodes(flamegraph 'a;b 1')).total_share;

-- against the definition: totals, self, depth, recursion of every prefix
CREATE FUNCTION pg_temp.generated(seed int) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT flamegraph_agg(ARRAY(SELECT chr(97 + t.random(format('%s %s %s', seed, i, d), 4)) FROM generate_series(1, t.random(format('%s %s', seed, i), 7)) d), t.random(format('v %s %s', seed, i), 41) - 20)
	FROM generate_series(1, 40) i
$$;
WITH p AS MATERIALIZED (SELECT seed, pg_temp.generated(seed) AS f FROM generate_series(1, 20) seed),
	s AS MATERIALIZED (SELECT seed, frames(stack) AS stack, value FROM p, stacks(f)),
	expected AS (
		SELECT seed, prefix, sum(value) FILTER (WHERE stack = prefix) AS self, sum(value) AS total, cardinality(prefix) AS depth,
			(SELECT count(*) FROM unnest(prefix[:cardinality(prefix) - 1]) a WHERE a = prefix[cardinality(prefix)]) AS recursion
		FROM s, LATERAL (SELECT stack[:d] AS prefix FROM generate_series(1, cardinality(stack)) d) x GROUP BY seed, prefix),
	found AS (SELECT p.seed, n.* FROM p, nodes(f) n)
SELECT count(*) > 500 AS many, count(*) FILTER (WHERE expected.prefix IS NULL OR found.node IS NULL) AS unmatched, bool_and(found.self = coalesce(expected.self, 0)) AS self, bool_and(found.total = expected.total) AS total,
	bool_and(found.depth = expected.depth) AS depth, bool_and(found.recursion = expected.recursion) AS recursion, bool_and(found.frame = leaf(found.stack)) AS frame,
	bool_and(found.total_share IS NOT DISTINCT FROM found.total / nullif(w.whole, 0)) AS total_share, bool_and(found.self_share IS NOT DISTINCT FROM found.self / nullif(w.whole, 0)) AS self_share
FROM expected FULL JOIN found ON found.seed = expected.seed AND frames(found.stack) = expected.prefix
	JOIN (SELECT seed, total(f) AS whole FROM p) w ON w.seed = coalesce(found.seed, expected.seed);

-- a value that an aggregate has just made
SELECT n.* FROM (SELECT sum(f) AS f FROM (VALUES (flamegraph 'a;b 1'), ('a;b -1'), ('a;c 2'), ('a 1')) v(f)) x, nodes(f) n;
SELECT s.* FROM (SELECT sum(f) AS f FROM (VALUES (flamegraph 'a;b 1'), ('a;b -1'), ('a;c 2')) v(f)) x, stacks(f) s;

\pset format unaligned
\pset tuples_only on
-- an inclusive value that does not fit
SELECT t.try($$SELECT count(*) FROM nodes(E'a;b 1.7e308\na;c 1.7e308')$$, $$SELECT count(*) FROM node_facts(E'a;b 1.7e308\na;c 1.7e308')$$, $$SELECT count(*) FROM stacks(E'a;b 1.7e308\na;c 1.7e308')$$);
