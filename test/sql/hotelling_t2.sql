-- Hotelling's T2: what stands in for numbers, messages, levels, min_df. The numbers are in the golden cases.
CREATE TEMP TABLE g AS SELECT
	ARRAY[E'a 10\nb 20\nk 5', E'a 12\nb 19\nk 5', E'a 11\nb 23\nk 5', E'a 9\nb 20\nk 5', E'a 10\nb 22\nk 5']::flamegraph[] AS before,
	ARRAY[E'a 14\nb 21\nk 5\nn 3', E'a 15\nb 20\nk 5\nn 3', E'a 13\nb 22\nk 5\nn 3', E'a 16\nb 19\nk 5\nn 3']::flamegraph[] AS after;

SELECT status, n1, n2, p, kept, dropped, dropped_weight, round(t2::numeric, 9) AS t2, df1, df2, round(p_value::numeric, 9) AS p_value
FROM g, hotelling_test(before, after, 0.05);
SELECT key, round(delta::numeric, 9) AS delta, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper,
	round(variance::numeric, 6) AS variance, significant, certain
FROM g, hotelling_intervals(before, after, alpha => 0.05);
SELECT s.stack, round(s.value::numeric, 9) AS value FROM g, stacks(reduced_difference(before, after, alpha => 0.05)) AS s;

-- stacks that few profiles have: n in 4 of 9, its values 3 in each
SELECT status, p, kept, dropped, dropped_weight FROM g, hotelling_test(before, after, min_df => 4);
SELECT status, p, kept, dropped, dropped_weight FROM g, hotelling_test(before, after, min_df => 5);
SELECT status, p, kept, dropped, dropped_weight FROM g, hotelling_test(before, after, min_df => 10);

-- empty and NULL arrays, single profiles: a row that says so, no interval, no difference
SELECT * FROM hotelling_test(NULL, '{}');
SELECT status, n1, n2, p, kept, dropped FROM g, hotelling_test(before[:1], after);
SELECT count(*) FROM g, hotelling_intervals(before[:1], after);
SELECT reduced_difference(before[:1], after) IS NULL AS unknown, reduced_difference(NULL, NULL) IS NULL AS nothing FROM g;
-- too many stacks, with the hint; what is certain is so without a test
SELECT status, p, df1, df2, round(t2::numeric, 9) AS t2, round(f_critical::numeric, 9) AS f_critical FROM g, hotelling_test(before[:2], after[:2], 0.05, 'stack', 1);
SELECT status, p, df1, df2 FROM g, hotelling_test(before[:2] || '{z 1}'::flamegraph[], after[:2] || '{y 1}'::flamegraph[]);
SELECT key, round(delta::numeric, 6) AS delta, lower, upper, round(variance::numeric, 6) AS variance, significant, certain
FROM hotelling_intervals(ARRAY[E'a 1\nb 2\nc 3\nk 1', E'a 2\nb 1\nc 5\nk 1']::flamegraph[], ARRAY[E'a 2\nb 2\nc 4\nk 2', E'a 1\nb 3\nc 4\nk 2']::flamegraph[]);
SELECT reduced_difference(ARRAY[E'a 1\nb 2\nc 3', E'a 2\nb 1\nc 5']::flamegraph[], ARRAY[E'a 2\nb 2\nc 4', E'a 1\nb 3\nc 4']::flamegraph[]) IS NULL AS unknown;

-- no variation: two constants that differ
SELECT status, p, df1, df2 FROM hotelling_test('{a 1,a 1}', '{a 3,a 3}');
SELECT * FROM hotelling_intervals('{a 1,a 1}', '{a 3,a 3}');
SELECT reduced_difference('{a 1,a 1}', '{a 3,a 3}');
SELECT status, p, kept FROM hotelling_test('{"",""}', '{"",""}');

-- levels: m;a and m;b, their caller is their sum; f calls itself
CREATE TEMP TABLE l AS SELECT
	ARRAY[E'm;a 10\nm;b 20', E'm;a 12\nm;b 19', E'm;a 11\nm;b 23', E'm;a 9\nm;b 20', E'm;a 10\nm;b 22']::flamegraph[] AS before,
	ARRAY[E'm;a 14\nm;b 21', E'm;a 15\nm;b;b 20', E'm;a 13\nm;b 22', E'm;a 16\nm;b 19']::flamegraph[] AS after;
SELECT level, status, p, kept FROM l, unnest(ARRAY['stack', 'node', 'frame', 'self']) AS level, hotelling_test(before, after, level => level);
SELECT level, key, round(delta::numeric, 6) AS delta
FROM l, unnest(ARRAY['stack', 'node', 'frame', 'self']) AS level, hotelling_intervals(before, after, level => level) ORDER BY level, key;

-- the same by Welch's test: what compare_profiles calls significant
SELECT s.stack, round(s.value::numeric, 9) AS value FROM g, stacks(reduced_difference(before, after, 0.05, method => 'welch')) AS s;
SELECT method, alpha, level, min_df, (SELECT count(*) FROM stacks(r)) AS stacks,
	r = (SELECT coalesce(flamegraph_agg(key, delta), '') FROM compare_profiles(before, after, level, alpha => alpha, min_df => min_df) WHERE significant) AS same
FROM l, unnest(ARRAY['stack', 'node', 'frame', 'self']) AS level, (VALUES (0.05, 1), (0.001, 1), (0.05, 9)) AS v (alpha, min_df),
	LATERAL (SELECT 'welch' AS method, reduced_difference(before, after, alpha, level, min_df, 'welch') AS r) AS x;
SELECT reduced_difference(before, after[:1], method => 'welch') IS NULL AS one, reduced_difference(NULL, NULL, method => 'welch') IS NULL AS none FROM g;

-- no warning where there are five profiles or more for a stack
SELECT count(*) FROM g, hotelling_intervals(before || before, after || after);

-- a group may be one profile again and again, a profile may be empty, values may be negative
SELECT status, p, n1, n2, round(t2::numeric, 9) AS t2 FROM hotelling_test(ARRAY['a -5', '', 'a 1']::flamegraph[], ARRAY['a 2', 'a 3', 'a 4']::flamegraph[]);

-- arguments
\set VERBOSITY sqlstate
SELECT hotelling_test('{a 1,NULL}', '{}');
SELECT hotelling_test('{}', '{NULL}');
SELECT hotelling_test('{}', '{}', alpha => 0);
SELECT hotelling_test('{}', '{}', alpha => 1);
SELECT hotelling_test('{}', '{}', alpha => 'NaN');
SELECT hotelling_test('{}', '{}', alpha => 'Infinity');
SELECT hotelling_test('{}', '{}', level => 'stacks');
SELECT hotelling_test('{}', '{}', min_df => 0);
SELECT reduced_difference('{}', '{}', method => 't');
SELECT hotelling_test('{}', '{}', alpha => NULL);
SELECT hotelling_test('{}', '{}', level => NULL);
SELECT hotelling_test('{}', '{}', min_df => NULL);
SELECT reduced_difference('{}', '{}', method => NULL);
SELECT hotelling_test('{a 1e200,a 2e200}', '{a 1,a 2}');
\set VERBOSITY default
SELECT hotelling_test('{a 1,NULL}', '{}');
SELECT hotelling_test('{}', '{}', level => 'stacks');
SELECT hotelling_test('{}', '{}', min_df => 0);
SELECT hotelling_test('{}', '{}', alpha => 5);
SELECT hotelling_test('{a 1e200,a 2e200}', '{a 1,a 2}');
