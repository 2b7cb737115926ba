-- recursion_edges, recursion_pairs, recursion_edge_count, node_potential (Lundberg and Rettig 2024, sections 4.1.1 and 5.2).
\pset null NULL

-- recursion_edges_small: one edge from the nearest ancestor of the same frame, in the order of the descendants
SELECT * FROM recursion_edges(E'A;B;B 1\nA;C;A;A 2\nA;C;B;A 1');
SELECT * FROM recursion_pairs(E'A;B;B 1\nA;C;A;A 2\nA;C;B;A 1');
SELECT recursion_edge_count(E'A;B;B 1\nA;C;A;A 2\nA;C;B;A 1');
-- as many edges per node as there are nearest descendants; siblings are no recursion
SELECT ancestor, descendant, distance FROM recursion_edges(E'a;a 1\na;b;a 1\na;b;c;a;a 1\na;b 1\nb;a 1\nc;b;a 1');
-- figure 3.6 of Lumnitz 2021: a2, c2 and c3 are recursive
SELECT ancestor, descendant, distance FROM recursion_edges(E'a 1\na;b;c 2\na;b;a 3\na;c;c 4\na;c;b;c 5');
-- potential_neo4j_ab: p_1(A1) = 1, c_1(A1) = 0.5, p_1(A2) = 0.5
SELECT * FROM node_potential(E'A 0.25\nA;A 0.5\nA;B 0.25', 1);
-- potential_figure_5_1: c_3(A1) = p_1(A2) = 4 + 8
SELECT * FROM node_potential(E'A 1\nA;X 2\nA;X;A 4\nA;X;A;Y 8\nA;X;A;Y;Z 16\nA;X;A;Y;Z;W 32\nA;V 64\nA;V;U;T 128\nA;V;U;T;S 256', 3);
-- the degree by which the recursion comes within reach
SELECT n, p.* FROM generate_series(0, 5) n, node_potential(E'a;b;c;a;d 1\na 2', n) p WHERE p.frame = 'a' ORDER BY n, p.stack;
-- ties in the order of the stacks, frame by frame
SELECT * FROM node_potential(E'b 1\na 1\na;b 1\na b 1\né 1\nB 1', 0);

-- nothing, the empty stack, values that cancel, odd frames
SELECT v.f, recursion_edge_count(f) AS edges, (SELECT count(*) FROM recursion_edges(f)) AS edge_rows, (SELECT count(*) FROM recursion_pairs(f)) AS pair_rows, (SELECT count(*) FROM node_potential(f, 3)) AS potentials FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), (E' 5\na;a 1')) v(f);
SELECT * FROM node_potential(E'a;b;a 3\na;b -3\nc;c -5', 1);
SELECT ancestor, descendant, distance FROM recursion_edges(E'a\\;b;\\\\;a\\;b 1\n x;#y; x;"q" 2\nö;Ö;ö;o 3');
SELECT stack, frame, potential, correction FROM node_potential(E'a\\;b;\\\\;a\\;b 1\n x;#y; x;"q" 2\nö;Ö;ö;o 3', 2);
-- not the empty stack: it is no node
SELECT * FROM node_potential(E' 5\na 1', 2147483647);
SELECT recursion_edge_count(NULL), (SELECT count(*) FROM recursion_edges(NULL)) AS edges, (SELECT count(*) FROM recursion_pairs(NULL)) AS pairs, (SELECT count(*) FROM node_potential(NULL, 1)) AS potential, (SELECT count(*) FROM node_potential('a 1', NULL)) AS no_degree;
SELECT pg_typeof(recursion_edge_count('a 1')), (recursion_pairs('a;a 1')).distance, (SELECT frame FROM node_potential(fg => 'a 1', degree => 0));
SELECT descendant FROM recursion_edges('a;a;a;a 1') LIMIT 2;
SELECT i, e.descendant FROM (VALUES (1, flamegraph 'a;a 1'), (2, NULL), (3, 'b 1'), (4, 'c;c;c 1')) v(i, f), recursion_edges(f) e;

--
-- Against the definitions, on random profiles with much recursion; every second one is signed.
--
CREATE TEMP TABLE random AS
SELECT id, (SELECT flamegraph_agg(ARRAY(SELECT chr(97 + t.random(format('f %s %s %s', id, i, d), 1 + id % 4)) FROM generate_series(1, t.random(format('d %s %s', id, i), 9)) d), t.random(format('v %s %s', id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, 2 + id % 19) i) AS f FROM generate_series(1, 200) id;
CREATE TEMP TABLE node AS SELECT id, n.node, parent, stack, frame, depth, self FROM random, nodes(f) n;
ANALYZE node;
-- of all ancestors with the same frame, the deepest
CREATE TEMP TABLE edge AS
SELECT DISTINCT ON (d.id, d.node) d.id, a.node AS ancestor_node, d.node AS descendant_node, a.stack AS ancestor, d.stack AS descendant, d.depth - a.depth AS distance
FROM node d JOIN node a USING (id, frame) WHERE a.stack @> d.stack AND a.node <> d.node ORDER BY d.id, d.node, a.depth DESC;
SELECT (SELECT count(*) FROM edge) AS expected, count(*) AS found, count(*) FILTER (WHERE x.descendant_node IS NULL OR e.descendant_node IS NULL OR (x.ancestor_node, x.ancestor, x.descendant, x.distance) IS DISTINCT FROM (e.ancestor_node, e.ancestor, e.descendant, e.distance)) AS wrong
FROM edge x FULL JOIN (SELECT id, e.* FROM random, recursion_edges(f) e) e USING (id, descendant_node);
SELECT count(*) AS found, count(*) FILTER (WHERE x.descendant_node IS NULL OR p.descendant_node IS NULL OR (x.ancestor_node, x.distance) IS DISTINCT FROM (p.ancestor_node, p.distance)) AS wrong
FROM edge x FULL JOIN (SELECT id, p.* FROM random, recursion_pairs(f) p) p USING (id, descendant_node);
SELECT count(*) AS profiles, sum(recursion_edge_count(f)) AS edges, count(*) FILTER (WHERE recursion_edge_count(f) <> (SELECT count(*) FROM edge e WHERE e.id = r.id)) AS wrong_count,
	count(*) FILTER (WHERE recursion_edge_count(f) <> (SELECT count(*) FROM nodes(f) WHERE recursion > 0)) AS not_as_nodes FROM random r;
SELECT count(*) FILTER (WHERE descendant_node <= before) AS out_of_order FROM (SELECT descendant_node, lag(descendant_node) OVER (PARTITION BY id ORDER BY ordinality) AS before FROM random, recursion_edges(f) WITH ORDINALITY) x;

-- p_0(u) = base(u), p_n(u) = base(u) + sum of p_(n-1) of its children; c_n(u) = sum of p_(n-distance)(v) over its edges u -> v within n
CREATE TEMP TABLE p (id int, node int, n int, potential float8, PRIMARY KEY (n, id, node));
INSERT INTO p SELECT id, node, 0, self FROM node;
DO $$
BEGIN
	FOR degree IN 1 .. 8 LOOP
		INSERT INTO p SELECT u.id, u.node, degree, u.self + coalesce(sum(c.potential), 0)
		FROM node u LEFT JOIN node v ON v.id = u.id AND v.parent = u.node LEFT JOIN p c ON c.n = degree - 1 AND c.id = v.id AND c.node = v.node GROUP BY u.id, u.node, u.self;
		ANALYZE p;
	END LOOP;
END
$$;
CREATE TEMP TABLE expected AS
SELECT u.id, u.n, node.stack, node.frame, u.potential, coalesce(sum(v.potential), 0) AS correction
FROM p u JOIN node USING (id, node) LEFT JOIN edge e ON e.id = u.id AND e.ancestor_node = u.node AND e.distance <= u.n LEFT JOIN p v ON v.id = u.id AND v.node = e.descendant_node AND v.n = u.n - e.distance
GROUP BY u.id, u.n, node.stack, node.frame, u.potential;
SELECT (SELECT count(*) FROM expected) AS expected, count(*) AS found, count(*) FILTER (WHERE x.id IS NULL OR o.id IS NULL OR (x.frame, x.potential, x.correction) IS DISTINCT FROM (o.frame, o.potential, o.correction)) AS wrong, count(*) FILTER (WHERE x.correction <> 0) AS corrected
FROM expected x FULL JOIN (SELECT id, n, o.* FROM random, generate_series(0, 8) n, node_potential(f, n) o) o USING (id, n, stack);
-- no profile is deeper than 8: a greater degree changes nothing
SELECT count(*) AS compared, count(*) FILTER (WHERE (x.potential, x.correction) IS DISTINCT FROM (o.potential, o.correction)) AS wrong FROM random, unnest(ARRAY[9, 63, 64, 65, 2147483647]) n, node_potential(f, n) o JOIN expected x USING (stack) WHERE x.id = random.id AND x.n = 8 AND random.id <= 40;
-- summed by frame, potential - correction is the subtree potential
SELECT count(*) AS compared, count(*) FILTER (WHERE s.frame IS NULL OR x.frame IS NULL OR s.potential <> x.potential OR s.naive <> x.naive OR s.correction <> x.correction) AS wrong
FROM (SELECT id, n, frame, sum(potential - correction) AS potential, sum(potential) AS naive, sum(correction) AS correction FROM expected GROUP BY id, n, frame) x FULL JOIN (SELECT id, n, s.* FROM random, generate_series(0, 8) n, subtree_potential(f, n) s) s USING (id, n, frame);
-- the largest first, then by stack
SELECT count(*) AS found, count(*) FILTER (WHERE potential > before OR potential = before AND stack <= before_stack) AS out_of_order
FROM (SELECT potential, stack, lag(potential) OVER w AS before, lag(stack) OVER w AS before_stack FROM random, node_potential(f, 2) WITH ORDINALITY WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
-- linear: a node that is in one of the profiles only has 0 in the other
SELECT count(*) AS compared, count(*) FILTER (WHERE s.potential <> coalesce(x.potential, 0) + coalesce(y.potential, 0) OR s.correction <> coalesce(x.correction, 0) + coalesce(y.correction, 0)) AS wrong
FROM random a JOIN random b ON b.id = a.id + 1 CROSS JOIN node_potential(a.f + b.f, 3) s LEFT JOIN expected x ON x.id = a.id AND x.n = 3 AND x.stack = s.stack LEFT JOIN expected y ON y.id = b.id AND y.n = 3 AND y.stack = s.stack;

-- deep: one frame, two in turn, all distinct
CREATE TEMP TABLE deep AS SELECT * FROM (VALUES ('one', (repeat('a;', 59999) || 'a 1')::flamegraph), ('two', (repeat('a;b;', 29999) || 'a;b 1')::flamegraph), ('distinct', (SELECT string_agg('f' || i, ';' ORDER BY i) || ' 1' FROM generate_series(1, 60000) i)::flamegraph)) v(kind, f);
SELECT kind, recursion_edge_count(f), p.* FROM deep, LATERAL (SELECT count(*) AS pairs, min(distance), max(distance), bool_and(descendant_node - ancestor_node = distance) AS chained FROM recursion_pairs(f)) p ORDER BY kind COLLATE "C";
-- rows come one by one: the first needs no path of 60,000 frames
SELECT depth((e).ancestor) AS ancestor, depth((e).descendant) AS descendant FROM (SELECT recursion_edges(f) AS e FROM deep WHERE kind = 'two' LIMIT 1) x;
-- the value is at the end: the last n + 1 nodes reach it
SELECT n, p.potential, p.correction, depth(p.stack) FROM (SELECT (repeat('f;', 1999) || E'f 1\nf 2')::flamegraph AS f) v, unnest(ARRAY[0, 1, 2]) n, node_potential(f, n) p WHERE potential <> 0 ORDER BY n, p.potential DESC, p.stack;
SELECT n, p.potential, p.correction FROM (SELECT (repeat('f;', 1999) || E'f 1\nf 2')::flamegraph AS f) v, unnest(ARRAY[63, 64, 1998, 1999, 2000]) n, node_potential(f, n) p WHERE p.stack = 'f' ORDER BY n;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM node_potential('a 1', -1)$$,
	$$SELECT * FROM node_potential('', -2147483648)$$,
	$$SELECT * FROM node_potential('a 1', 1.5)$$,
	$$SELECT * FROM node_potential('a 1')$$,
	$$SELECT * FROM node_potential(E'a;b 1.7e308\na;c 1.7e308', 1)$$,
	$$SELECT recursion_edge_count(E'a;a 1.7e308\na;b 1.7e308')$$,
	$$SELECT recursion_edge_count('a')$$);
