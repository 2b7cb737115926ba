-- energy_test: two groups of profiles by their L1 distances (Szekely and Rizzo 2004).
\pset null NULL

-- by hand: 2/3 (2 (3 + 2)/2 - 2/4) = 3; of the labellings {1,2|4} {1,4|2} {2,4|1} with 3, 1, 2 one is as large
SELECT * FROM energy_test('{a 1,a 2}', '{a 4}', normalised => false);
SELECT * FROM energy_test('{a 4}', '{a 1,a 2}', normalised => false);
-- normalised they are all the same
SELECT * FROM energy_test('{a 1,a 2}', '{a 4}');
-- four against four without a common stack: only the two labellings of the C(8,4) = 70 that keep them apart
SELECT statistic, p_value = 2 / 70.0::float8 AS two_of_70, exact FROM energy_test(array_fill('a 1'::flamegraph, ARRAY[4]), array_fill('b 1'::flamegraph, ARRAY[4]));
-- the definition: pairs of a profile with itself count, and empty profiles have distance 1 from all others
SELECT abs(statistic - 2*3/5.0 * (2*dxy - dxx - dyy)) < 1e-12 AS as_defined FROM (SELECT ARRAY['a 1', '']::flamegraph[] AS x, ARRAY[E'a 1\nb 1', 'b 4', 'a;c 2']::flamegraph[] AS y) v,
	LATERAL (SELECT avg(norm(coalesce(rescale(p), '') - coalesce(rescale(q), ''))) AS dxy FROM unnest(x) p, unnest(y) q) a, LATERAL (SELECT avg(norm(coalesce(rescale(p), '') - coalesce(rescale(q), ''))) AS dxx FROM unnest(x) p, unnest(x) q) b,
	LATERAL (SELECT avg(norm(coalesce(rescale(p), '') - coalesce(rescale(q), ''))) AS dyy FROM unnest(y) p, unnest(y) q) c, energy_test(x, y);
-- too few profiles
SELECT n, e.* FROM (VALUES (1, '{}'::flamegraph[], '{a 1}'::flamegraph[]), (2, '{a 1}', NULL), (3, NULL, NULL), (4, '{a 1}', '{a 2}'), (5, '{"",""}', '{"",""}')) v(n, x, y), energy_test(x, y, false) e ORDER BY n;
-- many: permutations are drawn; neither order nor sides matter, the seed does
CREATE TEMP TABLE p AS SELECT i, g, flamegraph_agg('f' || f, t.random(format('e %s %s', i, f), 20) + CASE WHEN g = 2 AND f = 1 THEN 2 ELSE 0 END) AS fg FROM generate_series(1, 40) i, LATERAL (SELECT 1 + i % 2) s(g), generate_series(1, 5) f GROUP BY 1, 2;
CREATE TEMP TABLE e AS SELECT n, e.* FROM
	(SELECT 1 AS n, array_agg(fg ORDER BY i) FILTER (WHERE g = 1) AS x, array_agg(fg ORDER BY i) FILTER (WHERE g = 2) AS y FROM p UNION ALL SELECT 2, array_agg(fg ORDER BY i DESC) FILTER (WHERE g = 1), array_agg(fg ORDER BY i % 7, i) FILTER (WHERE g = 2) FROM p
	 UNION ALL SELECT 3, array_agg(fg ORDER BY i % 5, i) FILTER (WHERE g = 2), array_agg(fg ORDER BY i DESC) FILTER (WHERE g = 1) FROM p) v, energy_test(x, y, false) e;
SELECT count(DISTINCT (statistic, p_value)) AS different, bool_or(exact) AS exact, min(p_value) AS p_value FROM e;
SELECT count(DISTINCT p_value) > 1 AS seeds_differ, min(p_value) > 0 AS never_zero, max(p_value) - min(p_value) < 0.1 AS alike FROM generate_series(1, 5) seed, LATERAL energy_test((SELECT array_agg(fg) FROM p WHERE g = 1), (SELECT array_agg(fg) FROM p WHERE g = 2), false, 999, seed);
SELECT p_value FROM energy_test((SELECT array_agg(fg + E'new 100') FROM p WHERE g = 1), (SELECT array_agg(fg) FROM p WHERE g = 2), permutations => 99);

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM energy_test('{a 1,NULL}', '{a 1}')$$,
	$$SELECT * FROM energy_test('{a 1}', '{a 1,NULL}')$$,
	$$SELECT * FROM energy_test('{a 1}', '{a 1}', NULL)$$,
	$$SELECT * FROM energy_test('{a 1}', '{a 1}', permutations => NULL)$$,
	$$SELECT * FROM energy_test('{a 1}', '{a 1}', seed => NULL)$$,
	$$SELECT * FROM energy_test('{a 1}', '{a 1}', permutations => 0)$$,
	$$SELECT * FROM energy_test('{a 1}', '{a 1}', permutations => -5)$$,
	$$SELECT * FROM energy_test('{a 1e308}', '{b 1e308}', false)$$,
	$$SELECT * FROM energy_test(array_fill('a 1'::flamegraph, ARRAY[8192]), '{a 1}')$$
) AS errors;
