-- One run against those before it: deviation_scores, sample_check, correlation, expand_context, expand_step, regression_report.
\pset null NULL
SET extra_float_digits = 0;
CREATE TEMP TABLE run AS SELECT ARRAY[flamegraph E'a 10\nb 5\ng 4', E'a 12\nb 5\ng 4', E'a 14\nb 5\ng 4'] AS history, flamegraph E'a 20\nb 5\nn 3' AS current;

-- a has mean 12 and deviation 2, floored to sqrt(12); n and g have none, floored to 1 and 2. With 2 degrees of freedom
-- p = 1 - t / sqrt(t^2 + 2), t = score / sqrt(4/3): 0.183503, 0.121690, 0.225403; all have q = 0.225403 * 4 / 3
SELECT key, expected, stddev, actual, diff, round(score::numeric, 9) AS score, raw_score, round(p_value::numeric, 6) AS p_value, round(q_value::numeric, 6) AS q_value, status, n
FROM run, deviation_scores(history, current);
-- without a floor, with another one, with a unit of 4
SELECT key, score, raw_score FROM run, deviation_scores(history, current, poisson_unit => 0) WHERE key IN ('a', 'n', 'g');
SELECT key, score, raw_score FROM run, deviation_scores(history, current, poisson_unit => 0, zero_std => 'zero') WHERE key IN ('a', 'n', 'g');
SELECT key, score FROM run, deviation_scores(history, current, poisson_unit => 0, min_std => 4) ORDER BY key;
SELECT key, round((score * score)::numeric, 9) AS squared FROM run, deviation_scores(history, current, poisson_unit => 4) ORDER BY key;
-- the last two runs only: mean 13
SELECT key, expected, round((stddev * stddev)::numeric, 9) AS variance, n FROM run, deviation_scores(history, current, 2) WHERE key = 'a';
-- metrics: a function and what it calls, recursion once
SELECT metric, string_agg(format('%s %s', key, actual), ', ' ORDER BY key) AS actual
FROM unnest(ARRAY['total', 'self', 'potential:1']) AS metric, deviation_scores(ARRAY[flamegraph 'x 1', 'x 2'], E'a;b;a;c 1\na 2', metric => metric) GROUP BY metric ORDER BY metric;
-- from statistics: the same at level frame; keys are stacks at level stack
SELECT count(*) FILTER (WHERE (a.expected, a.stddev, a.actual, a.diff, a.score, a.raw_score, a.p_value, a.q_value, a.status, a.n) = (b.expected, b.stddev, b.actual, b.diff, b.score, b.raw_score, b.p_value, b.q_value, b.status, b.n)) AS same, count(*)
FROM run, deviation_scores(history, current) AS a FULL JOIN LATERAL (SELECT s.* FROM (SELECT stats(h, 'frame') AS st FROM unnest(history) AS h) AS x, deviation_scores(st, current) AS s) AS b USING (key);
SELECT key, expected, actual, status FROM (SELECT stats(h) AS st FROM unnest('{"m;a 1","m;a 3"}'::flamegraph[]) AS h) AS x, deviation_scores(st, E'm;a 2\nm;b 1') ORDER BY key;

-- noise: no variance is below it. Of a 4 (own) and 3, of the new run 48: 48 + 4/3 over 4/3 is 37; n had none, now 9: 9 / (4/3)
SELECT key, round((stddev * stddev)::numeric, 9) AS variance, round(df::numeric, 9) AS df FROM run, deviation_scores(history, current, poisson_unit => 0, history_noise => '{a 3,a 3,a 3}', current_noise => E'a 48\nn 9') WHERE key IN ('a', 'n');
SELECT key, round((stddev * stddev)::numeric, 9) AS variance, round(df::numeric, 9) AS df FROM run, deviation_scores((SELECT stats(h, 'frame') FROM unnest(history) AS h), current, poisson_unit => 0, history_noise => 'a 9', current_noise => E'a 48\nn 9') WHERE key IN ('a', 'n');
SELECT count(*) FROM run, deviation_scores(history, current, history_noise => '{a 3}');
SELECT count(*) FROM run, deviation_scores(history, current, current_noise => 'a -3');
-- moderated: two functions that vary alike have one variance, and twice the degrees of freedom
SELECT key, round((stddev * stddev)::numeric, 9) AS variance, df FROM deviation_scores(ARRAY[flamegraph E'a 9\nb 11', E'a 11\nb 13', E'a 10\nb 12'], E'a 10\nb 15', poisson_unit => 0, variance => 'moderated') ORDER BY key;
SELECT count(*) FROM run, deviation_scores(history, current, variance => 'lent');
-- searches: 8 over what runs before vary by (4, noise 3) and the new one at least (56 of m, 48 of x): (56 + 4/3) / (4/3)
CREATE TEMP TABLE weighed AS SELECT '{m;x 10,m;x 12,m;x 14}'::flamegraph[] AS history, flamegraph 'm;x 20' AS current, '{m;x 3,m;x 3,m;x 3}'::flamegraph[] AS history_noise, flamegraph E'm 1\nm;x 48\nm;q 7' AS current_noise, '{"poisson_unit": 0}'::jsonb AS o;
SELECT step, context, round((64 / score ^ 2)::numeric, 9) AS variance, raw_score FROM weighed, expand_context(history, current, 'm', 'child', 'greedy', o, history_noise, current_noise);
SELECT context, round((64 / score ^ 2)::numeric, 9) AS variance, raw_score FROM weighed, expand_step(history, current, 'm', 'child', o, history_noise, current_noise);
SELECT section, step, frame, round((64 / score ^ 2)::numeric, 9) AS variance, raw_score FROM weighed, regression_report(history, current, 1, 'deviation', o, history_noise, current_noise);
-- of a window its noise only; of noise that is known on one side the other one has none
SELECT step, round((diff * diff / score ^ 2)::numeric, 9) AS variance FROM weighed, expand_context(history, current, 'm', options => o || '{"window_size": 2}', history_noise => ARRAY['m;x 1000', 'm;x 5', 'm;x 6']::flamegraph[]);
-- a candidate has the score of deviation_scores, whatever is known
CREATE TEMP TABLE varied AS SELECT array_agg(fg ORDER BY run) FILTER (WHERE run < 6) AS history, array_agg(fg * 30 ORDER BY run) FILTER (WHERE run < 6) AS noise, sum(fg) FILTER (WHERE run = 6) AS current FROM (SELECT run, flamegraph_agg(ARRAY['main', 'g' || i % 7, 'f' || i], 1000 / i + t.random(run || ' ' || i, 100)) AS fg FROM generate_series(1, 6) AS run, generate_series(1, 40) AS i GROUP BY run) AS r;
SELECT v, with_noise, count(*), count(*) FILTER (WHERE abs(r.score - d.score) <= 1e-12 * abs(d.score)) AS same, bool_or(r.score <> d.own) AS differ
FROM varied, unnest('{own,moderated}'::text[]) AS v, unnest('{f,t}'::bool[]) AS with_noise,
	LATERAL (SELECT leaf(m.key) AS frame, m.score, o.score AS own FROM deviation_scores(history, current, variance => v, history_noise => CASE WHEN with_noise THEN noise END, current_noise => CASE WHEN with_noise THEN current * 30 END) AS m JOIN deviation_scores(history, current) AS o USING (key)) AS d
	FULL JOIN LATERAL (SELECT * FROM regression_report(history, current, 100, 'deviation', jsonb_build_object('variance', v, 'max_depth', 0), CASE WHEN with_noise THEN noise END, CASE WHEN with_noise THEN current * 30 END) WHERE section = 'candidate') AS r USING (frame)
GROUP BY 1, 2 ORDER BY 1 DESC, 2;
-- contexts borrow from functions: main and 7 + 40 contexts below it
SELECT selection, count(*) AS contexts, count(*) FILTER (WHERE abs(s.score - d.score) <= 1e-12 * abs(d.score)) AS starts_same, count(*) FILTER (WHERE s.score <> o.score) AS different
FROM varied, unnest('{greedy,informed}'::text[]) AS selection,
	LATERAL (SELECT DISTINCT context, step, score FROM expand_context(history, current, 'main', selection => selection, options => '{"max_breadth": 100, "threshold": -1e9, "variance": "moderated"}')) AS s
	JOIN LATERAL (SELECT DISTINCT context, score FROM expand_context(history, current, 'main', selection => selection, options => '{"max_breadth": 100, "threshold": -1e9}')) AS o USING (context)
	LEFT JOIN LATERAL (SELECT * FROM deviation_scores(history, current, variance => 'moderated') WHERE leaf(key) = 'main') AS d ON s.step = 0 GROUP BY 1 ORDER BY 1;
-- a run twice as slow after runs of different speed: only c differs; its repetitions do not agree, either
CREATE TEMP TABLE speed AS SELECT array_agg(10000 * s * flamegraph E'm;a 1\nm;b 2\nm;c 1\nm;d 2\nm;e 3' ORDER BY s) AS history, 20000 * flamegraph E'm;a 1\nm;b 2\nm;c 2\nm;d 2\nm;e 3' AS current, 20000 * flamegraph 'm;c 1' AS more FROM unnest('{0.5,1,1.5,1,0.5,1.5}'::float8[]) AS s;
SELECT key, round(expected) AS expected, round(actual) AS actual, p_value < 0.01 AS differs FROM speed, run_scores(history, current, 'self') ORDER BY key;
SELECT key, p_value < 0.01 AS differs FROM speed, run_scores(history, current, 'self', repetitions => ARRAY[current, current + more, current - more]) WHERE key = 'c';
SELECT count(*) AS differ FROM speed, run_scores(history, current, 'self', variance => 'own') WHERE p_value < 0.01;

-- what is compared there: without a common speed the plain difference, with it that of c, whose share grew from 1 to 2
SELECT run_difference(history, current, 'own') = current - 10000 * flamegraph E'm;a 1\nm;b 2\nm;c 1\nm;d 2\nm;e 3' AS plain FROM speed;
SELECT bool_and(abs(frame_total(run_difference(history, current), key::text) - (r.actual - r.expected)) < 1e-9) AS agrees FROM speed, run_scores(history, current, 'self') AS r;
SELECT run_difference(history, NULL) FROM speed;
SELECT run_difference('{a 1}', 'a 2');
-- which of them a change comes from: b, which a calls; in a circle the one with most of its own; contexts
SELECT change_origins('{m,a,b}', E'm 1\nm;a 2\nm;a;b 20') AS chain, change_origins('{m,a,b}', E'm;a 3\nm;a;b 25\nm;a;b;a 1\nm;a;b;a;b 4') AS circle,
	change_origins('{m,m;a,m;a;b}', E'm 1\nm;a 20\nm;a;b 2', 'node') AS contexts, change_origins('{m,m;a}', E'm;a 2', 'stack') AS stacks, change_origins('{}', 'a 1') AS none;
SELECT change_origins(ARRAY[NULL]::stackpath[], 'a 1');

-- what tests assume: ten totals that rise have tau 1, 2 / 10! of the orders are as far; neither total nor key stands apart
SELECT check_name, round(statistic::numeric, 6) AS statistic, verdict FROM sample_check((SELECT array_agg(flamegraph_from_folded(convert_to(format('a %s', i), 'UTF8')) ORDER BY i) FROM generate_series(1, 10) AS i));
SELECT round((p_value * 3628800)::numeric, 6) AS of_all_orders FROM sample_check((SELECT array_agg(flamegraph_from_folded(convert_to(format('a %s', i), 'UTF8')) ORDER BY i) FROM generate_series(1, 10) AS i)) WHERE check_name = 'drift';
SELECT check_name, statistic, p_value, verdict FROM sample_check('{a 1,a 2}');
SELECT check_name, verdict FROM sample_check(NULL);

-- correlation: c against 1..4 is 104 / sqrt(5 * 2390) by values and 1 by ranks
CREATE TEMP TABLE cost AS SELECT array_agg(fg ORDER BY i) AS profiles, array_agg(i ORDER BY i)::float8[] AS metric
FROM (VALUES (1, flamegraph E'a 1\nb 4\nc 1\nr 1'), (2, E'a 2\nb 3\nc 8\nr 1'), (3, E'a 3\nb 2\nc 27'), (4, E'a 4\nb 1\nc 64')) AS v (i, fg);
SELECT method, sign, (SELECT string_agg(format('%s %s %s/%s', frame, round(score::numeric, 9), benchmarks, f.n), ', ' ORDER BY round(score::numeric, 9) DESC, frame) FROM frame_correlation(profiles, metric, method => method, sign => sign) AS f) AS scores
FROM cost, unnest(ARRAY['pearson', 'spearman']) AS method, unnest(ARRAY['positive', 'negative', 'both']) AS sign;
SELECT sign, ARRAY(SELECT frame FROM frame_correlation(profiles, metric, missing => 'zero', sign => sign)) AS strongest_first FROM cost, unnest(ARRAY['positive', 'negative', 'both']) AS sign;
-- r is in two profiles only: as 0 where it is missing it has -2 / sqrt(5)
SELECT frame, round(score::numeric, 9) AS score, n FROM cost, frame_correlation(profiles, metric, missing => 'zero', sign => 'negative') WHERE frame = 'r';
SELECT frame, round(score::numeric, 9) AS score, n FROM cost, frame_correlation(profiles, metric, min_profiles => 2, sign => 'both') WHERE frame = 'r';
-- a NULL metric drops its profile
SELECT frame, round(score::numeric, 9) AS score, n FROM cost, frame_correlation(profiles, ARRAY[1, 2, 3, NULL], sign => 'both') WHERE frame = 'a';
-- two benchmarks: a falls in the second
CREATE TEMP TABLE two AS SELECT profiles || profiles[:3] AS profiles, metric || ARRAY[3, 2, 1]::float8[] AS metric, ARRAY['x', 'x', 'x', 'x', 'y', 'y', 'y'] AS benchmark_of FROM cost;
SELECT combine, round(score::numeric, 9) AS score, benchmarks, n FROM two, unnest(ARRAY['avg', 'max', 'min', 'median']) AS combine, frame_correlation(profiles, metric, benchmark_of, combine => combine, sign => 'both') AS f WHERE frame = 'a' ORDER BY 1;
SELECT benchmark, n, round(coefficient::numeric, 9) AS coefficient, samples, metrics FROM two, correlation_points(profiles, metric, 'a', benchmark_of) ORDER BY 1;
SELECT count(*) AS unknown FROM two, correlation_points(profiles, metric, 'zzz', benchmark_of);

-- levels: self is potential:0, total is frame, and potential:1 what is in the last two frames of a stack, each once
CREATE TEMP TABLE deep AS SELECT array_agg(fg ORDER BY i) AS profiles, array_agg(i * i ORDER BY i)::float8[] AS metric
FROM (VALUES (1, flamegraph E'm;a;b;a 5\nm;a 1\nm;c;c;c 2\nm 3'), (2, E'm;a;b;a 7\nm;a;b 9\nm;c;c;c 1\nm;c 4'), (3, E'm;a;b;a 2\nm;a 8\nm;c;b;c 6\nm 1'), (4, E'm;a;b;a 9\nm;b;c 5\nm;a;a;c 3')) AS v (i, fg);
SELECT one, other, count(*) AS frames, count(*) FILTER (WHERE a = b) AS the_same FROM deep, (VALUES ('potential:0', 'self'), ('total', 'frame'), ('potential:65535', 'total'), ('potential:1', 'self'), ('potential:1', 'total')) AS l (one, other), frame_correlation(profiles, metric, level => one, sign => 'both') AS a JOIN LATERAL frame_correlation(profiles, metric, level => other, sign => 'both') AS b USING (frame) GROUP BY one, other ORDER BY one, other DESC;
CREATE TEMP TABLE naive AS SELECT frame, i, sum(value) FILTER (WHERE frame = ANY (f[greatest(1, cardinality(f) - 1):])) AS value
FROM deep, unnest(profiles) WITH ORDINALITY AS p (fg, i), stacks(fg) AS s, frames(s.stack) AS f, LATERAL (SELECT DISTINCT u FROM unnest(f) AS u) AS d (frame) GROUP BY frame, i;
SELECT frame, c.n, round(c.score::numeric, 9) AS score, round(n.score::numeric, 9) AS naive FROM deep, frame_correlation(profiles, metric, level => 'potential:1', sign => 'both') AS c FULL JOIN (SELECT frame, count(*) AS n, corr(coalesce(value, 0), i * i) AS score FROM naive GROUP BY frame) AS n USING (frame) ORDER BY frame;
SELECT frame, samples = (SELECT array_agg(coalesce(value, 0) ORDER BY i) FROM naive AS n WHERE n.frame = f.frame) AS the_same, samples FROM deep, unnest(ARRAY['a', 'b', 'c', 'm']) AS f (frame), correlation_points(profiles, metric, frame, level => 'potential:1') ORDER BY frame;
SELECT level, samples FROM deep, unnest(ARRAY['self', 'potential:0', 'frame', 'total']) WITH ORDINALITY AS l (level, i), correlation_points(profiles, metric, 'a', level => level) ORDER BY i;
-- calling contexts: every prefix of the stacks, with what is below it, and corr()
CREATE TEMP TABLE naive_node AS SELECT subpath(s.stack, 0, d)::text AS frame, i, sum(value) AS value
FROM deep, unnest(profiles) WITH ORDINALITY AS p (fg, i), stacks(fg) AS s, generate_series(1, depth(s.stack)) AS d GROUP BY 1, 2;
SELECT frame, c.n, round(c.score::numeric, 9) AS score, round(coalesce(n.score, 0)::numeric, 9) AS naive, c.n = n.n AND abs(c.score - coalesce(n.score, 0)) < 1e-9 AS the_same
FROM deep, frame_correlation(profiles, metric, level => 'node', sign => 'both', min_profiles => 2) AS c
	FULL JOIN (SELECT frame, count(*) AS n, corr(value, i * i) AS score FROM naive_node GROUP BY frame HAVING count(*) >= 2) AS n USING (frame) ORDER BY frame COLLATE "C";
SELECT frame, n, samples = (SELECT array_agg(value ORDER BY i) FROM naive_node AS n WHERE n.frame = f.frame) AS the_same FROM deep, unnest(ARRAY['m', 'm;a;b', 'm;a;b;a']) AS f (frame), correlation_points(profiles, metric, frame, level => 'node') ORDER BY frame;
SELECT count(*) AS contexts, count(*) FILTER (WHERE c.n = 4) AS zeros FROM deep, frame_correlation(profiles, metric, level => 'node', sign => 'both', missing => 'zero') AS c;
SELECT frame, frame::stackpath = 'm;a\;b' AS a_path, n FROM frame_correlation('{"m;a\\;b 1","m;a\\;b 2","m;a\\;b 4"}', '{1,2,3}', level => 'node') ORDER BY frame;

-- contexts: y below a is new
CREATE TEMP TABLE night AS SELECT '{"m;a;x 10","m;a;x 12","m;a;x 11"}'::flamegraph[] AS history, flamegraph E'm;a;x 11\nm;a;y 9\nm;b;y 1' AS current;
SELECT trace, step, frame, context, round(diff::numeric, 9) AS diff, round(candidate_diff::numeric, 9) AS candidate_diff, round(score::numeric, 6) AS score, status FROM night, expand_context(history, current, 'm', options => '{"max_breadth": 2}');
SELECT trace, step, frame, context, diff, candidate_diff, status FROM night, expand_context(history, current, 'y', 'parent');
SELECT count(*) AS unknown FROM night, expand_context(history, current, 'zzz');
SELECT trace, step, frame, context, diff, round(score::numeric, 9) AS score FROM cost, expand_context(ARRAY['m;a 1'::flamegraph, 'm;a 2', 'm;a 3', 'm;a 5'], metric, NULL, 'm');
SELECT frame, context, diff, candidate_diff, status FROM (SELECT s.*, '' AS status FROM night, expand_step(history, current, 'm;a') AS s) AS x;
SELECT frame, recency, mode_shift, depth_novelty FROM night, expand_step(history, current, 'm;a', options => '{"ages": {"y": 1296000, "x": 2592000}, "half_life": "15 days"}') ORDER BY frame;
SELECT rank, section, trace, step, frame, expected, actual, diff, candidate_diff, status FROM night, regression_report(history, current, 1);
SELECT count(DISTINCT rank) AS reported, min(rank), max(rank) FROM night, regression_report(history, current, 3);
SELECT count(*) AS none FROM night, regression_report(history, current, 0);
SELECT (SELECT count(*) FROM night, deviation_scores(history, NULL)) AS scores, (SELECT count(*) FROM night, expand_context(history, NULL, 'm')) AS contexts, (SELECT count(*) FROM night, expand_step(history, current, NULL)) AS steps, (SELECT count(*) FROM night, regression_report(history, NULL)) AS report, (SELECT count(*) FROM deviation_scores(NULL::flamestats, 'a 1')) AS stats;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM deviation_scores('{a 1}'::flamegraph[], 'a 1')$$,
	$$SELECT * FROM deviation_scores(NULL::flamegraph[], 'a 1')$$,
	$$SELECT * FROM deviation_scores('{a 1,NULL}'::flamegraph[], 'a 1')$$,
	$$SELECT * FROM deviation_scores('{a 1,a 2}'::flamegraph[], 'a 1', 1)$$,
	$$SELECT * FROM deviation_scores('{a 1,a 2}'::flamegraph[], 'a 1', NULL)$$,
	$$SELECT * FROM deviation_scores('{a 1,a 2}'::flamegraph[], 'a 1', metric => 'potential')$$,
	$$SELECT * FROM deviation_scores('{a 1,a 2}'::flamegraph[], 'a 1', poisson_unit => -1)$$,
	$$SELECT * FROM deviation_scores('{a 1,a 2}'::flamegraph[], 'a 1', min_std => 'NaN')$$,
	$$SELECT * FROM deviation_scores('{a 1,a 2}'::flamegraph[], 'a 1', zero_std => 'one')$$,
	$$SELECT * FROM deviation_scores('{a 1,a 2}', 'a 1')$$,
	$$SELECT * FROM sample_check('{a 1,NULL}')$$,
	$$SELECT * FROM sample_check('{a 1}', 'x')$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1}')$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1,2}', '{x}')$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1,2}', '{x,NULL}')$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1,NaN}')$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1,2}', level => 'stack')$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1,2}', level => 'potential:65536')$$,
	$$SELECT * FROM correlation_points('{a 1,a 2}', '{1,2}', 'a;;b', level => 'node')$$,
	$$SELECT * FROM correlation_points('{a 1,a 2}', '{1,2}', 'a', level => 'stack')$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1,2}', min_profiles => 1)$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1,2}', sign => 'any')$$,
	$$SELECT * FROM frame_correlation('{a 1,a 2}', '{1,2}', combine => NULL)$$,
	$$SELECT * FROM expand_context('{a 1,a 2}'::flamegraph[], 'a 1'::flamegraph, 'a', 'up')$$,
	$$SELECT * FROM expand_context('{a 1,a 2}'::flamegraph[], 'a 1'::flamegraph, 'a', selection => 'wild')$$,
	$$SELECT * FROM expand_context('{a 1,a 2}'::flamegraph[], 'a 1'::flamegraph, 'a', options => '{"depth": 3}')$$,
	$$SELECT * FROM expand_context('{a 1,a 2}'::flamegraph[], 'a 1'::flamegraph, 'a', options => '{"variance": "lent"}')$$,
	$$SELECT * FROM expand_context('{a 1,a 2}'::flamegraph[], 'a 1'::flamegraph, 'a', history_noise => '{a 1}')$$,
	$$SELECT * FROM expand_step('{a 1,a 2}'::flamegraph[], 'a 1'::flamegraph, 'a', history_noise => '{a 1,a -1}')$$,
	$$SELECT * FROM regression_report('{a 1,a 2}', 'a 1', current_noise => 'a -1')$$,
	$$SELECT * FROM expand_context('{a 1,a 2}'::flamegraph[], 'a 1'::flamegraph, 'a', options => '{"weights": [1, 2]}')$$,
	$$SELECT * FROM expand_context('{a 1,a 2}'::flamegraph[], 'a 1'::flamegraph, 'a', options => '{"half_life": "a while"}')$$,
	$$SELECT * FROM expand_context('{a 1,a 2}'::flamegraph[], '{1}'::float8[], NULL, 'a')$$,
	$$SELECT * FROM regression_report('{a 1,a 2}', 'a 1', -1)$$,
	$$SELECT * FROM regression_report('{a 1,a 2}', 'a 1', NULL)$$,
	$$SELECT * FROM regression_report('{a 1,a 2}', 'a 1', selection => 'greedy')$$
) AS errors;
