-- code_path_potential and subtree_potential (Lundberg and Rettig 2024).
\pset null NULL

-- code_path_potential_two: over the sum of two profiles
SELECT * FROM code_path_potential(flamegraph E'A 1\nA;B 3\nB;A 2' + E'A;B 4\nC 10\nD;C 0.5');
-- potential_neo4j_ab
SELECT * FROM subtree_potential(E'A 0.25\nA;A 0.5\nA;B 0.25', 1);
-- potential_figure_5_1
SELECT * FROM subtree_potential(E'A 1\nA;X 2\nA;X;A 4\nA;X;A;Y 8\nA;X;A;Y;Z 16\nA;X;A;Y;Z;W 32\nA;V 64\nA;V;U;T 128\nA;V;U;T;S 256', 3);
-- potential_deep: thousands of equal frames
CREATE TEMP TABLE deep AS SELECT (repeat('f;', 4999) || E'f 3\n' || repeat('f;', 2500) || E'g;h 4\n' || repeat('g;', 2999) || 'g 2')::flamegraph AS fg;
SELECT p.* FROM deep, subtree_potential(fg, 20) p;
-- by another way, for degrees from 64 on
SELECT n, p.* FROM deep, unnest(ARRAY[0, 63, 64, 65, 2499, 2500, 2501, 4999, 65535, 2147483647]) n, subtree_potential(fg, n) p ORDER BY n, potential DESC, frame COLLATE "C";

-- degree 0 is the code path potential
SELECT n, p.* FROM unnest(ARRAY[0, 1, 2, 3, 100]) n, subtree_potential(E'A;B;A 1\nA;B 2\nB;A;C 4\n 3', n) p ORDER BY n, potential DESC, frame COLLATE "C";
SELECT * FROM code_path_potential(E'A;B;A 1\nA;B 2\nB;A;C 4\n 3');
-- ties by frame, bytewise
SELECT * FROM code_path_potential(E'b 1\na 1\nB 1\né 1\nz 1\na b 1');
-- shares of the total, which the empty stack belongs to; of 0 null
SELECT * FROM code_path_potential(E' 3\na;b 1');
SELECT * FROM code_path_potential(E'a 3\nb -3');
SELECT * FROM subtree_potential(E'a;b 3\na;c -5', 1);
-- nothing
SELECT * FROM code_path_potential('');
SELECT * FROM code_path_potential(' 5');
SELECT * FROM code_path_potential(NULL);
SELECT * FROM subtree_potential(NULL, 1);
SELECT * FROM subtree_potential('a 1', NULL);
SELECT frame, potential FROM subtree_potential(fg => 'a;b 1', degree => 1);
-- in the select list and with LIMIT
SELECT (subtree_potential(flamegraph E'a;b 1\nb 2', 1)).*;
SELECT frame FROM code_path_potential(E'a 1\nb 2\nc 3') LIMIT 2;
SELECT i, p.* FROM (VALUES (1, flamegraph 'a 1'), (2, NULL), (3, ''), (4, 'b;c 2')) v(i, f), code_path_potential(f) p ORDER BY i, p.potential DESC;

-- over several profiles: by samples, or each profile with the same weight
SELECT p.* FROM (SELECT sum(f) AS f FROM (VALUES (flamegraph 'a;b 90'), (E'a 5\nc 5')) v(f)) x, subtree_potential(f, 1) p;
SELECT p.* FROM (SELECT sum(f / total(f)) AS f FROM (VALUES (flamegraph 'a;b 90'), (E'a 5\nc 5')) v(f)) x, subtree_potential(f, 1) p;

-- against the definition: the sum of the values of stacks that have the frame
-- among their last n + 1 frames; naive counts it each time
CREATE FUNCTION pg_temp.generated(seed int) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT flamegraph_agg(ARRAY(SELECT chr(97 + t.random(format('%s %s %s', seed, i, d), 4)) FROM generate_series(1, t.random(format('%s %s', seed, i), 8)) d), t.random(format('v %s %s', seed, i), 41) - 20)
	FROM generate_series(1, 40) i
$$;
WITH p AS MATERIALIZED (SELECT seed, pg_temp.generated(seed) AS f FROM generate_series(1, 20) seed),
	n AS (SELECT unnest(ARRAY[0, 1, 2, 3, 5, 8, 64, 100]) AS n),
	s AS MATERIALIZED (SELECT seed, frames(stack) AS stack, value FROM p, stacks(f)),
	a AS MATERIALIZED (SELECT DISTINCT seed, frame FROM s, unnest(stack) frame),
	expected AS (
		SELECT a.seed, n, frame, coalesce(sum(value) FILTER (WHERE count > 0), 0) AS potential, coalesce(sum(value * count), 0) AS naive
		FROM a JOIN s USING (seed), n, LATERAL (SELECT count(*) FROM unnest(stack[greatest(1, cardinality(stack) - n):]) b WHERE b = frame) x GROUP BY a.seed, n, frame),
	found AS (SELECT seed, n, o.* FROM p, n, subtree_potential(f, n) o)
SELECT count(*) AS compared, count(*) FILTER (WHERE e.frame IS NULL OR o.frame IS NULL) AS unmatched, bool_and(o.potential = e.potential) AS potential, bool_and(o.naive = e.naive) AS naive, bool_and(o.correction = e.naive - e.potential) AS correction,
	bool_and(o.share IS NOT DISTINCT FROM o.potential / nullif(w.whole, 0)) AS share
FROM expected e FULL JOIN found o USING (seed, n, frame) JOIN (SELECT seed, total(f) AS whole FROM p) w USING (seed);
-- linear in the profile, and code_path_potential is degree 0
SELECT bool_and(p.potential = coalesce(x.potential, 0) + 3 * coalesce(y.potential, 0)) AS linear
FROM generate_series(1, 10) i, subtree_potential(pg_temp.generated(i) + 3 * pg_temp.generated(i + 100), 2) p LEFT JOIN LATERAL (SELECT * FROM subtree_potential(pg_temp.generated(i), 2)) x USING (frame) LEFT JOIN LATERAL (SELECT * FROM subtree_potential(pg_temp.generated(i + 100), 2)) y USING (frame);
SELECT bool_and(a.potential = b.potential AND a.share IS NOT DISTINCT FROM b.share AND b.correction = 0) AS same FROM generate_series(1, 10) i, code_path_potential(pg_temp.generated(i)) a JOIN LATERAL (SELECT * FROM subtree_potential(pg_temp.generated(i), 0)) b USING (frame);

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM subtree_potential('a 1', -1)$$,
	$$SELECT * FROM subtree_potential('a 1', -2147483648)$$,
	$$SELECT * FROM subtree_potential('', -1)$$,
	$$SELECT * FROM subtree_potential(E'a;b 1.7e308\na;c 1.7e308', 1)$$,
	$$SELECT * FROM subtree_potential(E'a;b 1.7e308\na;c 1.7e308', 100)$$,
	$$SELECT count(*) FROM subtree_potential(E'a;b 1.7e308\na;c 1.7e308', 0)$$,
	$$SELECT * FROM subtree_potential('a;a 1.7e308', 1)$$,
	$$SELECT * FROM subtree_potential('a 1', 'x')$$);
