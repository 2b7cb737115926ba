-- The views for dashboards: numbers that can be worked out by hand, typed columns, and nothing that reads all profiles.
BEGIN;
TRUNCATE profiling.benchmark, profiling.test_run, profiling.profile, profiling.profile_data, profiling.rollup, profiling.regression,
	profiling.observation, profiling.fitted_model, profiling.job_log, profiling.owner, profiling.frame_rule, profiling.frame_commit RESTART IDENTITY;
-- 12 runs with metrics 1 to 12 and two repetitions each, one on another branch, one of another event
SELECT count(profiling.import_flamegraph('b', format(E'main;f %s\nmain;g 10', 10 * n + r)::flamegraph, truncated => CASE n WHEN 12 THEN 'h 3'::flamegraph END, suite => 's', parameters => '{"n": 1}',
	started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => 'main', commit => 'c' || n, metric => n, metric_unit => 's', repetition => r)) AS loaded
FROM generate_series(1, 12) AS n, generate_series(0, 1) AS r;
SELECT profiling.import_flamegraph('b', 'main;x 1', suite => 's', parameters => '{"n": 1}', started_at => '2026-01-05 12:00 UTC', branch => 'dev', commit => 'd', metric => 99, metric_unit => 's') > 0 AS loaded,
	profiling.import_flamegraph('b', 'main;x 4096', suite => 's', parameters => '{"n": 1}', started_at => '2026-01-13 UTC', branch => 'main', commit => 'c12', event => 'alloc', unit => 'bytes') > 0 AS loaded;

-- the 10 runs before have the metrics 2 to 11: mean 6.5, standard deviation 3.0277; 3 of 130.5 + 3 were cut off
SELECT benchmark_id, suite, name, parameters, event, unit, branch, runs, last_started_at AT TIME ZONE 'UTC' AS last_started_at, last_commit, metric, metric_unit, metric_mean,
	round(metric_score::numeric, 4) AS metric_score, total, open_findings, round(truncated_share::numeric, 4) AS truncated_share
FROM profiling.benchmark_overview ORDER BY event;
SELECT parameters, branch, started_at AT TIME ZONE 'UTC' AS started_at, commit, metric, metric_mean, round(metric_lower::numeric, 3) AS lower, round(metric_upper::numeric, 3) AS upper, total, repetitions
FROM profiling.benchmark_trend WHERE event = 'cpu' ORDER BY branch, started_at;
SELECT suite, name, parameters, event, unit, branch, commit, repetitions, total, flamegraph FROM profiling.latest_profile ORDER BY event;
SELECT parameters, event, branch, frame, self, round(self_share::numeric, 4) AS self_share, total, total_share, rank FROM profiling.hot_frame ORDER BY event, rank;

-- findings
INSERT INTO profiling.regression (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id, method, level, subject, subject_id, expected, actual, diff, relative, kind, status, closed_at, team)
SELECT 1, 'cpu', 'samples', 'main', 3, 4, 'deviation', 'frame', stackpath(ARRAY[f]), profiling.subject_id(stackpath(ARRAY[f])), 10, 10 + d, d, d / 10.0, k, s, CASE WHEN s NOT IN ('open', 'acknowledged') THEN now() END, t
FROM (VALUES ('f', 5, 'degradation', 'open', 'one'), ('g', 20, 'degradation', 'acknowledged', 'one'), ('h', 30, 'degradation', 'resolved', 'one'),
	('i', -4, 'optimization', 'open', 'two'), ('j', 7, 'degradation', 'false_positive', 'two'), ('k', 1, 'degradation', 'open', '')) AS v (f, d, k, s, t);
SELECT regression_id, suite, name, parameters, subject, kind, status, team, first_commit, last_commit FROM profiling.regression_history ORDER BY 1;
SELECT regression_id, subject, status FROM profiling.open_regression ORDER BY 1;
SELECT team, open, worst, oldest = now() AS oldest FROM profiling.team_regression ORDER BY 1;
SELECT open_findings FROM profiling.benchmark_overview WHERE event = 'cpu';

-- models: 2 x + 1 becomes x squared
SELECT count(profiling.import_observations('m', array_agg('sort'::text), array_agg(x::float8), array_agg(CASE n WHEN 3 THEN x * x ELSE 2 * x + 1 END::float8),
	started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => 'main', commit => 'c' || n, unit => 'ms')) OVER () AS loaded
FROM generate_series(1, 3) AS n, generate_series(1, 20) AS x GROUP BY n;
SELECT runs, opened FROM profiling.watch_benchmark((SELECT benchmark_id FROM profiling.benchmark WHERE name = 'm'));
SELECT name, parameters, location, unit, branch, commit, previous_kind, kind, round(previous_r_square::numeric, 3) AS previous_r_square, round(r_square::numeric, 3) AS r_square, result FROM profiling.model_change;

-- Types that a driver sees
SELECT c.relname AS view, string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY a.attnum) AS columns
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
WHERE c.relnamespace = 'profiling'::regnamespace AND c.relname IN ('benchmark_overview', 'benchmark_trend', 'hot_frame', 'team_regression') GROUP BY 1 ORDER BY 1;
-- None of them but storage reads profile_data.
SELECT DISTINCT v.relname FROM pg_rewrite AS r JOIN pg_class AS v ON v.oid = r.ev_class AND v.relkind = 'v' AND v.relnamespace = 'profiling'::regnamespace
	JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
WHERE d.refobjid IN ('profiling.profile_data'::regclass, 'profiling.profile_full'::regclass) ORDER BY 1;
ROLLBACK;
