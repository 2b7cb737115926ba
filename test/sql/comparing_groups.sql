-- compare_profiles and compare_stats: two groups of profiles, key by key.
\pset null NULL
SET extra_float_digits = 0;
CREATE TEMP TABLE run (id int, after bool, fg flamegraph);
-- golden/algebra: welch_small, and a key that went away
INSERT INTO run SELECT row_number() OVER (), after, fg FROM (VALUES (false, flamegraph E'a 10\nb 20\nk 5\ng 1'), (false, E'a 12\nb 19\nk 5\ng 1'), (false, E'a 11\nb 23\nk 5\ng 1'), (false, E'a 9\nb 20\nk 5\ng 1'), (false, E'a 10\nb 22\nk 5\ng 1'),
	(true, E'a 14\nb 21\nk 5\nn 3'), (true, E'a 15\nb 20\nk 5\nn 3'), (true, E'a 13\nb 22\nk 5\nn 3'), (true, E'a 16\nb 19\nk 5\nn 3')) v(after, fg);
CREATE TEMP TABLE two AS SELECT array_agg(fg ORDER BY id) FILTER (WHERE NOT after) AS before, array_agg(fg ORDER BY id) FILTER (WHERE after) AS after, stats(fg) FILTER (WHERE NOT after) AS s1, stats(fg) FILTER (WHERE after) AS s2 FROM run;
SELECT key, mean_before, mean_after, round(delta::numeric, 6) AS delta, round(relative::numeric, 6) AS relative, round(t::numeric, 6) AS t, round(df::numeric, 6) AS df, round(p_value::numeric, 9) AS p_value, round(q_value::numeric, 9) AS q_value, change, significant
FROM two, compare_profiles(before, after) WHERE abs(t) < 'infinity';
SELECT key, delta, relative, t, df, p_value, q_value, lower, upper, change, significant FROM two, compare_profiles(before, after) WHERE abs(t) = 'infinity';
-- intervals of 95 and 99.9 %
SELECT key, round(lower::numeric, 9) AS lower, round(upper::numeric, 9) AS upper FROM two, compare_profiles(before, after) WHERE key = 'a';
SELECT key, round(lower::numeric, 6) AS lower, round(upper::numeric, 6) AS upper, significant FROM two, compare_profiles(before, after, alpha => 0.001) WHERE key = 'a';
-- the four corrections of the same p-values
SELECT c, string_agg(format('%s %s', key, round(q_value::numeric, 6)), ', ' ORDER BY key) FROM two, unnest(ARRAY['none', 'bh', 'holm', 'bonferroni']) c, compare_profiles(before, after, correction => c) GROUP BY c ORDER BY c;
-- fewer keys, fewer tests
SELECT string_agg(format('%s %s', key, round(q_value::numeric, 6)), ', ' ORDER BY key) FROM two, compare_profiles(before, after, correction => 'bonferroni', min_df => 5);
-- maxT: 126 relabellings of 5 + 4; the two certain keys are as large in no other
SELECT key, q_value * 126 AS of_126, significant FROM two, compare_profiles(before, after, method => 'maxt') ORDER BY key;
-- seeded where there are more
CREATE TEMP TABLE large AS SELECT array_agg(fg ORDER BY id) FILTER (WHERE id <= 12) AS before, array_agg(fg ORDER BY id) FILTER (WHERE id > 12) AS after
FROM (SELECT id, flamegraph_agg('f' || k, 10 + t.random(format('%s %s', id, k), 8) + CASE WHEN id > 12 AND k = 3 THEN 9 ELSE 0 END) AS fg FROM generate_series(1, 24) id, generate_series(1, 30) k GROUP BY id) v;
SELECT count(*), count(*) FILTER (WHERE significant) AS significant, min(q_value) AS least, bool_and(q_value >= p_value OR q_value = 0.001) AS adjusted FROM large, compare_profiles(before, after, method => 'maxt');
SELECT (SELECT array_agg(q_value ORDER BY key) FROM compare_profiles(before, after, method => 'maxt')) = (SELECT array_agg(q_value ORDER BY key) FROM compare_profiles(before, after, method => 'maxt', seed => 42)) AS same_seed,
	(SELECT array_agg(q_value ORDER BY key) FROM compare_profiles(before, after, method => 'maxt')) = (SELECT array_agg(q_value ORDER BY key) FROM compare_profiles(before, after, method => 'maxt', seed => 43)) AS other_seed FROM large;
SELECT min(q_value) * 100 AS of_99 FROM large, compare_profiles(before, after, method => 'maxt', permutations => 99);
-- between Bonferroni and none, for independent keys
SELECT bool_and(m.q_value <= b.q_value + 0.05 AND m.q_value >= m.p_value - 0.05) AS between FROM large, compare_profiles(before, after, method => 'maxt', permutations => 9999) m JOIN LATERAL compare_profiles(before, after, correction => 'bonferroni') b USING (key);

--
-- Against the formulas, over rows
--
CREATE TEMP TABLE random_run AS
SELECT g, id, after, flamegraph_agg(ARRAY['main', 'f' || t.random(format('f %s %s %s', g, id, i), 4), 'g' || t.random(format('g %s %s %s', g, id, i), 4)], 1 + t.random(format('v %s %s %s', g, id, i), 40 + 30 * after::int)) AS fg
FROM generate_series(1, 6) g, generate_series(1, 11) id, generate_series(1, 12) i, LATERAL (SELECT id > 6 AS after) x GROUP BY g, id, after;
CREATE FUNCTION pg_temp.at(fg flamegraph, level text) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT CASE level WHEN 'stack' THEN fg WHEN 'node' THEN cumulate(fg) WHEN 'frame' THEN frame_totals(fg) WHEN 'self' THEN k_context(fg, 0) END
$$;
CREATE TEMP TABLE oracle AS
WITH leveled AS (SELECT g, id, after, level, pg_temp.at(fg, level) AS fg FROM random_run, unnest(ARRAY['stack', 'node', 'frame', 'self']) level),
	 keys AS (SELECT DISTINCT g, level, stack FROM leveled, stacks(fg)),
	 value AS (SELECT k.g, k.level, k.stack, l.after, l.fg -> k.stack AS v FROM keys k JOIN leveled l USING (g, level)),
	 side AS (SELECT g, level, stack, after, avg(v) AS m, var_samp(v) / count(*) AS w, count(*) - 1 AS f, count(*) FILTER (WHERE v <> 0) AS have FROM value GROUP BY g, level, stack, after)
SELECT g, level, stack, b.m AS m1, a.m AS m2, a.m - b.m AS delta, CASE WHEN a.w + b.w > 1e-20 THEN (a.m - b.m) / sqrt(a.w + b.w) END AS t, CASE WHEN a.w + b.w > 1e-20 THEN (a.w + b.w) ^ 2 / (a.w ^ 2 / a.f + b.w ^ 2 / b.f) END AS df, a.have + b.have AS have
FROM side a JOIN side b USING (g, level, stack) WHERE a.after AND NOT b.after;
CREATE TEMP TABLE sides AS SELECT g, level, array_agg(fg) FILTER (WHERE NOT after) AS before, array_agg(fg) FILTER (WHERE after) AS after, stats(fg, level) FILTER (WHERE NOT after) AS s1, stats(fg, level) FILTER (WHERE after) AS s2 FROM random_run, unnest(ARRAY['stack', 'node', 'frame', 'self']) level GROUP BY g, level;
SELECT o.level, count(*) AS keys, count(c.key) AS found, count(*) FILTER (WHERE abs(c.delta - o.delta) > 1e-9 OR abs(c.t - o.t) > 1e-9 * (1 + abs(o.t)) OR abs(c.df - o.df) > 1e-9 * o.df OR abs(c.mean_before - o.m1) + abs(c.mean_after - o.m2) > 1e-9) AS wrong
FROM oracle o FULL JOIN (SELECT g, level, key, c.mean_before, c.mean_after, delta, t, df FROM sides, compare_profiles(before, after, level) c) c ON (o.g, o.level, o.stack) = (c.g, c.level, c.key) GROUP BY o.level ORDER BY o.level;
-- min_df counts the profiles of both groups
SELECT d, (SELECT count(*) FROM oracle WHERE have >= d) = (SELECT count(*) FROM sides, compare_profiles(before, after, level, min_df => d)) AS as_many FROM unnest(ARRAY[1, 2, 5, 11, 12]) d;
-- Benjamini and Hochberg over rows
SELECT count(*) AS keys, count(*) FILTER (WHERE abs(q_value - q) > 1e-12) AS wrong FROM (SELECT g, level, q_value, least(1, min(p_value * m / r) OVER (PARTITION BY g, level ORDER BY p_value DESC, r DESC)) AS q FROM (SELECT g, level, p_value, q_value, count(*) OVER (PARTITION BY g, level) AS m, rank() OVER (PARTITION BY g, level ORDER BY p_value) + count(*) OVER (PARTITION BY g, level, p_value) - 1 AS r FROM sides, compare_profiles(before, after, level)) x) y;
-- statistics say the same as profiles
SELECT level, size, c, count(*) AS keys, count(*) FILTER (WHERE abs(a.mean_before - b.mean_before) + abs(a.mean_after - b.mean_after) + abs(a.delta - b.delta) + abs(a.p_value - b.p_value) + abs(a.q_value - b.q_value) > 1e-9 OR abs(a.t - b.t) > 1e-9 * (1 + abs(b.t)) OR abs(a.df - b.df) > 1e-9 * b.df
	OR abs(a.lower - b.lower) + abs(a.upper - b.upper) > 1e-9 * (1 + abs(b.lower) + abs(b.upper)) OR a.change IS DISTINCT FROM b.change OR a.significant <> b.significant OR (a.relative = b.relative) IS FALSE AND abs(a.relative - b.relative) > 1e-9) AS different
FROM (VALUES ('none', 'bh'), ('median_ratio', 'holm'), ('total', 'none')) v(size, c), sides, compare_profiles(before, after, level, correction => c, size_factor => size) a FULL JOIN LATERAL compare_stats(s1, s2, c, size_factor => size) b USING (key) GROUP BY level, size, c ORDER BY 1, 2, 3;
-- rows come by p_value, then by key
SELECT bool_and(ok) FROM (SELECT (lag(p_value) OVER w, lag(key) OVER w) < (p_value, key) IS NOT FALSE AS ok FROM (SELECT g, level, i, p_value, key FROM sides, LATERAL (SELECT row_number() OVER () AS i, * FROM compare_profiles(before, after, level)) c) x WINDOW w AS (PARTITION BY g, level ORDER BY i)) y;

--
-- Size factors, small groups, refusals
--
CREATE TEMP TABLE fixed AS SELECT ARRAY[flamegraph E'a 10\nb 20\nc 30\nd 1', E'a 10\nb 20\nc 30'] AS before, ARRAY[flamegraph E'a 5\nb 10\nc 90\nn 50', E'a 5\nb 10\nc 90'] AS after;
SELECT key, mean_before, mean_after, delta, p_value FROM fixed, compare_profiles(before, after, size_factor => 'median_ratio') WHERE key ~ 'a|b|c' ORDER BY key;
SELECT key, mean_after FROM fixed, compare_profiles(before, after, size_factor => 'median_ratio', min_mean => 60);
SELECT key, mean_before, mean_after, delta, relative, t, df, p_value, q_value, lower, upper, change, significant FROM compare_profiles(ARRAY[flamegraph E'a 1\nb 2'], ARRAY[flamegraph 'a 2', E'a 4\nc 1']) ORDER BY key;
SELECT count(*) FROM compare_profiles(ARRAY[flamegraph '', ''], ARRAY[flamegraph '', '']);
SELECT key, delta, p_value, change FROM compare_profiles(ARRAY[flamegraph ' 4', ' 5', ' 6'], ARRAY[flamegraph ' -1', ' -2', ' -3']);
-- in the select list, with LIMIT, and from an aggregate
SELECT (compare_profiles(before, after)).key FROM two LIMIT 2;
SELECT key, change FROM compare_profiles((SELECT array_agg(fg) FROM run WHERE NOT after), (SELECT array_agg(fg) FROM run WHERE after)) WHERE significant;
\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM compare_profiles(NULL, ARRAY[flamegraph 'a 1'])$$,
	$$SELECT * FROM compare_profiles(ARRAY[flamegraph 'a 1'], '{}')$$,
	$$SELECT * FROM compare_profiles(ARRAY[flamegraph 'a 1', NULL], ARRAY[flamegraph 'a 1'])$$,
	$$SELECT * FROM compare_profiles(ARRAY[flamegraph 'a 1'], ARRAY[NULL, flamegraph 'a 1'])$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, 'leaf')$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, NULL)$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, method => 't')$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, correction => 'fdr')$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, correction => NULL)$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, method => 'maxt', correction => 'holm')$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, size_factor => 'median')$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, size_factor => 'median_ratio', min_mean => 500)$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, size_factor => 'median_ratio', min_mean => 'NaN')$$,
	$$SELECT * FROM two, compare_profiles(before, ARRAY[flamegraph 'a -1', ''], size_factor => 'total')$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, alpha => 0)$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, alpha => 1)$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, alpha => 'NaN')$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, min_df => 0)$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, permutations => 0)$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, method => 'maxt', permutations => 100001)$$,
	$$SELECT * FROM two, compare_profiles(before, two.after, seed => NULL)$$,
	$$SELECT * FROM two, compare_stats(s1, NULL)$$,
	$$SELECT * FROM two, compare_stats(NULL, s2)$$,
	$$SELECT * FROM sides a, sides b, compare_stats(a.s1, b.s2) WHERE a.level = 'node' AND b.level = 'self'$$,
	$$SELECT * FROM two, compare_stats(s1, s2, 'maxt')$$);
