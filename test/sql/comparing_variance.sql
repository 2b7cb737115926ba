-- compare_profiles and compare_stats: moderated variances, floors under variances, the stable size factor.
\pset null NULL
SET extra_float_digits = 0;
-- Moderated variances: a run of its own can be compared with others, and statistics say the same
CREATE TEMP TABLE calm AS
SELECT n, flamegraph_agg(ARRAY['main', 'f' || k], (100 * k + (n * 7 + k * 3) % 5)::float8) AS profile
FROM generate_series(1, 8) AS n, generate_series(1, 12) AS k GROUP BY n;
CREATE TEMP VIEW calm_groups AS
SELECT array_agg(profile ORDER BY n) FILTER (WHERE n <= 4) AS before, array_agg(profile ORDER BY n) FILTER (WHERE n > 4) AS after,
	array_agg(profile + 'main;f3 40'::flamegraph ORDER BY n) FILTER (WHERE n > 4) AS slower FROM calm;
SELECT key, round(delta) AS delta, round(df) AS df, q_value < 0.001 AS sure
FROM calm_groups, compare_profiles(before, slower, variance => 'moderated') WHERE significant;
SELECT count(*) FILTER (WHERE a.t = b.t AND a.df = b.df AND a.q_value = b.q_value AND a.stddev = b.stddev) AS the_same, count(*)
FROM calm_groups, LATERAL (SELECT stats(p) FROM unnest(before) AS p) AS x (before_stats),
	LATERAL (SELECT stats(p) FROM unnest(slower) AS p) AS y (after_stats),
	compare_profiles(before, slower, variance => 'moderated') AS a JOIN compare_stats(before_stats, after_stats, variance => 'moderated') AS b USING (key);
SELECT count(*) FILTER (WHERE significant) AS found, count(t) AS tested, count(*)
FROM calm_groups, compare_profiles(before, slower[1:1], variance => 'moderated');
SELECT reduced_difference(before, slower, method => 'welch', variance => 'moderated') ~ 'main;f3' AS found,
	nnodes(reduced_difference(before, slower, method => 'welch', variance => 'moderated')) FROM calm_groups;
-- the deviation of a run is what t divides by
SELECT bool_and(abs(delta / (stddev * sqrt(1 / 4.0 + 1 / 4.0)) - t) < 1e-9) AS own FROM calm_groups, compare_profiles(before, slower);

-- Floors: two groups without variation, of a Poisson count or of noise; 10 / sqrt(10 / 2 + 20 / 2)
CREATE TEMP VIEW still AS SELECT array_fill('a 10'::flamegraph, ARRAY[2]) AS before, array_fill('a 20'::flamegraph, ARRAY[2]) AS after;
SELECT 'none' AS floor, round(t::numeric, 3) AS t, df, stddev FROM still, compare_profiles(before, after)
UNION ALL SELECT 'unit', round(t::numeric, 3), round(df::numeric, 3), round(stddev::numeric, 3) FROM still, compare_profiles(before, after, poisson_unit => 1)
UNION ALL SELECT 'noise', round(t::numeric, 3), round(df::numeric, 3), round(stddev::numeric, 3) FROM still, compare_profiles(before, after, before_noise => before, after_noise => after)
UNION ALL SELECT 'moderated', round(t::numeric, 3), round(df::numeric, 3), round(stddev::numeric, 3) FROM still, compare_profiles(before, after, before_noise => before, after_noise => after, variance => 'moderated')
UNION ALL SELECT 'statistics', round(t::numeric, 3), round(df::numeric, 3), round(stddev::numeric, 3)
FROM still, compare_stats((SELECT stats(p) FROM unnest(before) AS p), (SELECT stats(p) FROM unnest(after) AS p), before_noise => 'a 20', after_noise => 'a 40');
-- two runs without a sample where four had 8: of 6 runs, 8 / 6 (1 / 4 + 1 / 2) = 1
SELECT v AS variance, t, stddev ^ 2 AS of_a_run
FROM unnest(ARRAY['own', 'moderated']) AS v, compare_profiles(array_fill('a 2'::flamegraph, ARRAY[4]), array_fill(''::flamegraph, ARRAY[2]), poisson_unit => 1, variance => v);
-- of contexts the noise is that of all stacks below
SELECT key, round(stddev::numeric, 3) AS stddev
FROM compare_profiles(ARRAY['a;b 10', 'a;b 10']::flamegraph[], ARRAY['a;b 20', 'a;b 20']::flamegraph[], 'node',
	before_noise => ARRAY[E'a 1\na;b 10', E'a 1\na;b 10']::flamegraph[], after_noise => ARRAY['a;b 20', E'a;b 20\nc 5']::flamegraph[]) ORDER BY key;

-- Runs of fixed length in which most of the frequent stacks grew: below x, which has 4 of 10 stacks
CREATE TEMP TABLE fixed_runs AS
SELECT n, flamegraph_agg(ARRAY['main', CASE WHEN k <= 4 THEN 'x' ELSE 'y' END, 'f' || k], v::float8) AS before,
	flamegraph_agg(ARRAY['main', CASE WHEN k <= 4 THEN 'x' ELSE 'y' END, 'f' || k], v::float8 * CASE WHEN k <= 4 THEN 1 ELSE 0.5 END) AS after
FROM generate_series(1, 6) AS n, generate_series(1, 10) AS k,
	LATERAL (SELECT CASE WHEN k <= 7 THEN 100 + (n * 7 + k * 3) % 5 ELSE 2 + (n + k) % 3 END) AS s (v) GROUP BY n;
SELECT factor, level, array_agg(key ORDER BY key) FILTER (WHERE significant) AS called, max(round(mean_after)) AS largest
FROM (SELECT array_agg(before) AS before, array_agg(after) AS after FROM fixed_runs) AS runs,
	unnest(ARRAY['median_ratio', 'stable']) AS factor, unnest(ARRAY['stack', 'node']) AS level,
	compare_profiles(before, after, level, size_factor => factor) GROUP BY factor, level ORDER BY factor, level DESC;
-- nothing differs: the ratio of the totals
SELECT bool_or(significant) AS called, max(abs(delta)) < 1e-9 AS equal
FROM (SELECT array_agg(before) AS before, array_agg(before * 3) AS after FROM fixed_runs) AS runs, compare_profiles(before, after, size_factor => 'stable');
-- functions by themselves: only what is called different is left out
SELECT key FROM (SELECT array_agg(before) AS before, array_agg(before * 3 + 'main;y;f5 50'::flamegraph) AS after FROM fixed_runs) AS runs,
	compare_profiles(before, after, 'self', size_factor => 'stable') WHERE significant;

\pset format unaligned
\pset tuples_only on
SELECT t.try($$SELECT compare_profiles(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], variance => 'pooled')$$,
	$$SELECT compare_profiles(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], variance => NULL)$$,
	$$SELECT compare_profiles(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], poisson_unit => -1)$$,
	$$SELECT compare_profiles(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], poisson_unit => 'NaN')$$,
	$$SELECT compare_profiles(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], before_noise => ARRAY['a 1']::flamegraph[])$$,
	$$SELECT compare_profiles(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], before_noise => ARRAY['a 1', 'a 1']::flamegraph[], after_noise => ARRAY['a 1']::flamegraph[])$$,
	$$SELECT compare_profiles(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], before_noise => ARRAY['a -1']::flamegraph[], after_noise => ARRAY['a 1']::flamegraph[])$$,
	$$SELECT reduced_difference(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], variance => 'none')$$);
