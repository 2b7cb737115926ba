-- change_points: when a series of numbers or of profiles changed, by E-divisive (Matteson and James 2014).
\pset null NULL

-- numbers as a slow implementation in Python finds them
SELECT change_at, mean_before, mean_after, round(statistic::numeric, 9) AS statistic, p_value FROM change_points('{12,10,11,13,12,14,11,12,10,13,17,18,16,19,17,18,20,16,18,17,11,12,13,10,12,11,14,12,12,11}'::float8[], min_segment => 4, alpha => 0.05, permutations => 99, seed => 7);
SELECT change_at, round(mean_before::numeric, 6) AS mean_before, round(mean_after::numeric, 6) AS mean_after, round(statistic::numeric, 9) AS statistic, p_value FROM change_points('{2,6,4,3,1,0,0,7,3,5,5,3,3,3,5,12,7,7}'::float8[], 3, 0, 0.3, 49, 27);
-- the same as profiles
SELECT change_at, round(distance::numeric, 6) AS distance, round(statistic::numeric, 9) AS statistic, p_value FROM change_points((SELECT array_agg(flamegraph_agg ORDER BY n) FROM (SELECT n, flamegraph_agg('main;f', v) FROM unnest('{2,6,4,3,1,0,0,7,3,5,5,3,3,3,5,12,7,7}'::float8[]) WITH ORDINALITY u(v, n) GROUP BY n) s), 3, 0, 0.3, 49, 27);

-- a step of nothing but the shape: the totals stay
SELECT change_at, round(distance::numeric, 9) AS distance, round(statistic::numeric, 9) AS statistic, p_value, abs(distance - norm(d)) < 1e-12 AS is_norm FROM (SELECT array_agg(CASE WHEN i <= 12 THEN E'a 9\nb 1' ELSE E'a 7\nb;c 3' END::flamegraph + ('a ' || 0.01 * (i % 3))::flamegraph ORDER BY i) AS p FROM generate_series(1, 24) i) s, change_points(p) c,
	LATERAL (SELECT avg(f) FILTER (WHERE n >= change_at) - avg(f) FILTER (WHERE n < change_at) AS d FROM unnest(p) WITH ORDINALITY u(f, n)) a;

-- min_effect: what is too small is taken back, the smallest first; up and down again are two changes
CREATE TEMP TABLE s AS SELECT name, array_agg((v + i % 3 * 0.1)::float8 ORDER BY i) AS v, array_agg(('a ' || v + i % 3 * 0.1)::flamegraph ORDER BY i) AS p FROM generate_series(0, 59) i,
	LATERAL (VALUES ('steps', CASE WHEN i < 20 THEN 100 WHEN i < 40 THEN 103 ELSE 150 END), ('bump', CASE WHEN i BETWEEN 20 AND 29 THEN 130 ELSE 100 END), ('none', 100)) x(name, v) GROUP BY name;
SELECT name, min_effect, array(SELECT change_at FROM change_points(v, 5, min_effect)) AS series, array(SELECT change_at FROM change_points(p, 5, min_effect)) AS profiles FROM s, unnest('{0,0.05,0.2,0.25,0.6}'::float8[]) min_effect ORDER BY name COLLATE "C", min_effect;
-- from zero every change is infinitely large
SELECT change_at, mean_before, mean_after FROM change_points(array_fill(0::float8, ARRAY[10]) || array_fill(1::float8, ARRAY[10]), min_effect => 1e300);
SELECT change_at, distance FROM change_points(array_fill(''::flamegraph, ARRAY[10]) || array_fill('a 1'::flamegraph, ARRAY[10]), min_effect => 1e300);

-- null elements are skipped, and keep their places
SELECT change_at, mean_before, mean_after FROM change_points(ARRAY[NULL, 1, 1, 1, NULL, 1, 1, NULL, NULL, 5, 5, 5, 5, 5, NULL]::float8[], permutations => 199);
-- too short, nothing, NULL
SELECT (SELECT count(*) FROM change_points('{1,1,1,1,9,9,9,9,9}'::float8[])) AS nine, (SELECT count(*) FROM change_points('{}'::float8[])) AS nothing, (SELECT count(*) FROM change_points(NULL::float8[])) AS null_series, (SELECT count(*) FROM change_points('{}'::flamegraph[])) AS no_profile, (SELECT count(*) FROM change_points(NULL::flamegraph[])) AS null_profiles, (SELECT count(*) FROM change_points('{NULL,NULL}'::float8[])) AS nulls;
-- fewer than 1/alpha - 1 permutations can find nothing
SELECT (SELECT count(*) FROM change_points(v, permutations => 98)) AS with_98, (SELECT count(*) FROM change_points(v, permutations => 99)) AS with_99 FROM s WHERE name = 'bump';
-- then which frames moved across it
SELECT c.change_at, d.stack, round(d.value) AS value FROM s, change_points(p, 5, 0.3) c, LATERAL (SELECT avg(f) FILTER (WHERE n >= change_at) - avg(f) FILTER (WHERE n < change_at) AS delta FROM unnest(p) WITH ORDINALITY u(f, n)) x, stacks(delta) d WHERE name = 'steps';

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM change_points('{1,2}'::float8[], 1)$$,
	$$SELECT * FROM change_points('{1,2}'::float8[], -3)$$,
	$$SELECT * FROM change_points('{1,2}'::float8[], NULL)$$,
	$$SELECT * FROM change_points('{1,2}'::float8[], alpha => NULL)$$,
	$$SELECT * FROM change_points('{a 1}'::flamegraph[], min_effect => NULL)$$,
	$$SELECT * FROM change_points('{a 1}'::flamegraph[], seed => NULL)$$,
	$$SELECT * FROM change_points('{1,2}'::float8[], min_effect => -0.1)$$,
	$$SELECT * FROM change_points('{1,2}'::float8[], min_effect => 'NaN')$$,
	$$SELECT * FROM change_points('{1,2}'::float8[], alpha => 0)$$,
	$$SELECT * FROM change_points('{1,2}'::float8[], alpha => 1)$$,
	$$SELECT * FROM change_points('{1,2}'::float8[], alpha => 'Infinity')$$,
	$$SELECT * FROM change_points('{a 1}'::flamegraph[], permutations => 0)$$,
	$$SELECT * FROM change_points('{a 1,NULL}'::flamegraph[])$$,
	$$SELECT * FROM change_points('{1,NaN}'::float8[])$$,
	$$SELECT * FROM change_points('{1,-Infinity}'::float8[])$$,
	$$SELECT * FROM change_points('{-1e308,1e308,-1e308,1e308}'::float8[], 2)$$,
	$$SELECT * FROM change_points(array_fill(0::float8, ARRAY[65537]))$$,
	$$SELECT * FROM change_points('{1,2,3}')$$
) AS errors;
