-- profiling.verdict(): a row for whatever was loaded, and "ok" only where something was compared.
BEGIN;
TRUNCATE profiling.benchmark, profiling.test_run, profiling.profile, profiling.profile_data, profiling.rollup, profiling.regression,
	profiling.observation, profiling.fitted_model, profiling.job_log RESTART IDENTITY;
-- run n of a benchmark: f takes its share, g about 500
CREATE FUNCTION t.load(benchmark text, n int, f int DEFAULT 100, branch text DEFAULT 'main', metric float8 DEFAULT 7, metric_unit text DEFAULT 's', unit text DEFAULT 'samples',
	event text DEFAULT 'cpu', parameters jsonb DEFAULT '{}', suite text DEFAULT '', repetition int DEFAULT 0) RETURNS void LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, format(E'main;f %s\nmain;g %s', f + n % 3, 500 + n * 7 % 20)::flamegraph, started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day',
		branch => load.branch, commit => 'commit' || to_char(n, 'FM00'), metric => load.metric + (n % 3) * 0.01, metric_unit => CASE WHEN load.metric IS NULL THEN '' ELSE load.metric_unit END, unit => load.unit, event => load.event,
		parameters => load.parameters, suite => load.suite, repetition => load.repetition)
$$;
CREATE FUNCTION t.watch() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s: %s runs, %s opened', b.name, w.runs, w.opened), '; ' ORDER BY b.name, b.benchmark_id) FROM profiling.benchmark AS b, profiling.watch_benchmark(b.benchmark_id) AS w WHERE w.runs > 0
$$;
-- nothing is there
SELECT * FROM t.try($$SELECT profiling.verdict('commit01')$$, $$SELECT profiling.verdict('')$$, $$SELECT profiling.verdict(NULL)$$);
-- loaded, and not looked at; then the first runs, which others are compared with
SELECT t.load('b', 1), t.load('b', 2) \g /dev/null
SELECT * FROM profiling.verdict('commit01');
SELECT t.watch();
SELECT * FROM profiling.verdict('commit01') UNION ALL SELECT * FROM profiling.verdict('commit02');
SELECT count(t.load('b', n)) FROM generate_series(3, 9) AS n;
SELECT t.watch();
-- several at once are one group
SELECT commit, compared_with, compared_since, not_compared FROM profiling.rollup JOIN profiling.test_run USING (test_run_id) ORDER BY test_run_id;
SELECT * FROM profiling.verdict('commit03') UNION ALL SELECT * FROM profiling.verdict('commit09');
-- quiet, slower, slower still there, gone
SELECT t.load('b', 10) \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit10');
SELECT t.load('b', 11, 200) \g /dev/null
SELECT * FROM profiling.verdict('commit11');
SELECT t.watch();
SELECT * FROM profiling.verdict('commit11');
SELECT level, subject, round(relative::numeric, 4) AS relative, kind, status FROM profiling.regression;
SELECT t.load('b', 12, 200) \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit12');
SAVEPOINT s;
UPDATE profiling.regression SET status = 'false_positive', closed_at = now();
SELECT * FROM profiling.verdict('commit11');
ROLLBACK TO s;
UPDATE profiling.regression SET status = 'acknowledged';
SELECT * FROM profiling.verdict('commit11');
-- the worst of two, one of them new: the metric and a function, a function that nothing was expected of
UPDATE profiling.regression SET relative = 0.3;
INSERT INTO profiling.regression (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id, method, level, subject, subject_id, expected, actual, diff, relative, kind)
SELECT benchmark_id, event, 's', branch, first_test_run_id, last_test_run_id, 'welch', 'metric', '', md5('')::uuid, 7, 12, 5, 5.0 / 7, 'degradation' FROM profiling.regression;
SELECT * FROM profiling.verdict('commit11');
UPDATE profiling.regression SET relative = NULL WHERE level = 'frame';
SELECT * FROM profiling.verdict('commit11');
SELECT profiling.percent(x) FROM unnest(ARRAY[0, 0.004, -0.5, 1e5, 1e7, '-Infinity', NULL]::float8[]) AS x;
DELETE FROM profiling.regression WHERE level = 'metric';
SELECT t.load('b', 13) \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit11') UNION ALL SELECT * FROM profiling.verdict('commit13');
-- a group in which something was found: only its oldest run is blamed, of the others nobody knows
SELECT count(t.load('b', n, 300)) FROM generate_series(14, 16) AS n;
SELECT t.watch();
SELECT * FROM profiling.verdict('commit14') UNION ALL SELECT * FROM profiling.verdict('commit15');
-- late, and a late repetition of one that was compared
SELECT t.load('b', 0), t.load('b', 10, repetition => 1) \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit00') UNION ALL SELECT * FROM profiling.verdict('commit10');

-- units: of the metric, which is gone, or forgotten; of the profiles
SELECT count(t.load('units', n)) FROM generate_series(1, 6) AS n;
SELECT t.watch();
SELECT t.load('units', 7, metric => 7000, metric_unit => 'ms') \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit07', 'units');
SELECT t.load('units', 8) \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit08', 'units');
SELECT t.load('units', 9, metric => NULL) \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit09', 'units');
SELECT t.load('units', 10, unit => 'nanoseconds') \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit10', 'units');
-- nothing is compared by the metric: its unit does not matter
SAVEPOINT s;
UPDATE profiling.watch SET method = 'energy';
SELECT count(t.load('energy', n, metric_unit => CASE n WHEN 20 THEN 'ms' ELSE 's' END)) FROM generate_series(1, 20) AS n;
SELECT t.watch();
SELECT * FROM profiling.verdict('commit20', 'energy');
SELECT t.load('energy', 21) \g /dev/null
SELECT t.watch();
SELECT * FROM profiling.verdict('commit21', 'energy');
ROLLBACK TO s;

-- rows of watch: none in force, history by a baseline, methods that need several runs
INSERT INTO profiling.watch (benchmark, method, baseline, enabled) VALUES ('off', 'deviation', 'window:10', false), ('named', 'deviation', 'commit:nothing', true);
UPDATE profiling.watch SET enabled = false WHERE watch_id = 0;
INSERT INTO profiling.watch (benchmark, method, options) VALUES ('several', 'hotelling', '{"recent": 4}'), ('since', 'change_point', '{"min_segment": 3}');
INSERT INTO profiling.watch (benchmark, method, level) VALUES ('number', 'deviation', 'metric');
SELECT count(t.load(b, n)) FROM unnest(ARRAY['off', 'named', 'several', 'since']) AS b, generate_series(1, 2) AS n;
SELECT count(t.load('number', n, metric => NULL)) FROM generate_series(1, 4) AS n;
SELECT t.watch();
SELECT v.* FROM profiling.verdict('commit02') AS v WHERE benchmark NOT IN ('b', 'units');
SELECT v.* FROM profiling.verdict('commit04', 'number') AS v;
SELECT count(t.load(b, n)) FROM unnest(ARRAY['several', 'since']) AS b, generate_series(3, 6) AS n;
SELECT t.watch();
SELECT v.* FROM profiling.verdict('commit06', 's%') AS v;
UPDATE profiling.watch SET enabled = true WHERE watch_id = 0;

-- nobody has looked for degradations
SAVEPOINT s;
UPDATE profiling.watch SET direction = 'optimization';
SELECT v.* FROM profiling.verdict('commit06', 's%') AS v;
UPDATE profiling.watch SET direction = 'degradation' WHERE benchmark = 'several';
SELECT v.* FROM profiling.verdict('commit06', 's%') AS v;
ROLLBACK TO s;

-- permutation tests of so few runs that no p-value is small enough: 10 of all for change_point, 4 + 5 for energy
SELECT count(t.load('since', n)) FROM generate_series(7, 10) AS n;
SELECT t.watch();
SELECT v.* FROM profiling.verdict('commit10', 'since') AS v;
-- a window that can never be large enough is named
INSERT INTO profiling.watch (benchmark, method, baseline, enabled) VALUES ('narrow', 'energy', 'window:3', true), ('narrow', 'deviation', 'window:3', false);
SELECT count(t.load('narrow', n)) FROM generate_series(1, 12) AS n;
SELECT t.watch();
SELECT v.* FROM profiling.verdict('commit12', 'narrow') AS v;
SELECT m AS method, l.alpha, families, of_new,
	profiling.needed_before(jsonb_populate_record(o, jsonb_build_object('alpha', l.alpha, 'method', m, 'options', '{}'::jsonb)), of_new, families) AS needed
FROM profiling.watch AS o, unnest(ARRAY['deviation', 'energy', 'change_point']) AS m, (VALUES (0.01, 1), (0.01, 100), (1e-100, 1)) AS v (a, families), generate_series(1, 3, 2) AS of_new,
	LATERAL (SELECT a::float8) AS l (alpha)
WHERE o.watch_id = 0 ORDER BY m, families, l.alpha DESC, of_new;
SELECT before, (SELECT p_value <= 0.01 FROM energy_test((SELECT array_agg(format('a %s', 100 + i)::flamegraph) FROM generate_series(1, before) AS i),
	(SELECT array_agg(format('b %s', 100 + i)::flamegraph) FROM generate_series(1, 5) AS i), false, 99999, 42)) AS can FROM (VALUES (3), (4)) AS v (before);

-- a comparison that failed, one that was skipped
SELECT t.load('b', 17) \g /dev/null
INSERT INTO profiling.job_log (step, outcome, detail, benchmark_id) SELECT 'watch', 'failed', '22003 value out of range', benchmark_id FROM profiling.benchmark WHERE name = 'b';
SELECT * FROM profiling.verdict('commit17');
INSERT INTO profiling.job_log (step, outcome, detail, benchmark_id) SELECT 'watch', 'skipped', 'another session is at it', benchmark_id FROM profiling.benchmark WHERE name = 'b';
SELECT * FROM profiling.verdict('commit17');

-- rows that would look alike; arguments
SELECT t.load('like', 30, branch => 'main'), t.load('like', 30, branch => 'dev', parameters => '{"n": 1}'), t.load('like', 30, suite => 's', unit => 'bytes'), t.load('like', 30, event => 'alloc') \g /dev/null
SELECT * FROM profiling.verdict('commit30');
SELECT * FROM profiling.verdict('commit30', branch => 'dev');
SELECT * FROM profiling.verdict('commit30', 'li%', NULL, event => 'alloc');
SELECT event, verdict FROM profiling.verdict('commit30', suite => 's%');
-- a commit by its first characters, 7 at least
UPDATE profiling.test_run SET commit = 'abcdef0123' WHERE commit = 'commit30';
SELECT count(*) FROM profiling.verdict('abcdef0');
-- the one that is called so, if there is one
SELECT t.load('b', 31) \g /dev/null
UPDATE profiling.test_run SET commit = 'abcdef01' WHERE commit = 'commit31';
SELECT benchmark FROM profiling.verdict('abcdef01') AS v;
SELECT * FROM t.try($$SELECT profiling.verdict('abcdef')$$, $$SELECT profiling.verdict('abcdef0', 'lik')$$, $$SELECT profiling.verdict('abcdef0', event => 'wall')$$);
-- the future; a run without a profile; runs of old months
INSERT INTO profiling.test_run (started_at, commit, labels_id) VALUES ('2026-05-05', 'nothing here', profiling.object_id('{}'));
SELECT * FROM t.try($$SELECT profiling.verdict('nothing here')$$);
UPDATE profiling.test_run SET started_at = '9999-01-01 UTC' WHERE commit = 'commit17';
UPDATE profiling.rollup AS r SET started_at = t.started_at FROM profiling.test_run AS t WHERE t.test_run_id = r.test_run_id AND t.commit = 'commit17';
SET LOCAL timezone = 'UTC';
SELECT * FROM profiling.verdict('commit17');
UPDATE profiling.watch SET baseline = 'window:1';
SELECT profiling.merge_rollups(benchmark_id, '1 day', 0) > 0 AS merged FROM profiling.benchmark WHERE name = 'units';
SELECT * FROM profiling.verdict('commit02', 'units');

-- observations
SELECT count(profiling.import_observations('m', array_agg('sort'::text), array_agg(x::float8), array_agg(CASE n WHEN 3 THEN x * x ELSE 2 * x + 1 END::float8),
	started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => 'main', commit => 'models' || n, unit => 'ms')) OVER () AS loaded
FROM generate_series(1, 3) AS n, generate_series(1, 20) AS x GROUP BY n;
SELECT * FROM profiling.verdict('models1') UNION ALL SELECT * FROM profiling.verdict('models3');
SELECT t.watch();
SELECT * FROM profiling.verdict('models3');
INSERT INTO profiling.watch (method, level) VALUES ('integral', 'location');
DELETE FROM profiling.fitted_model;
SELECT t.watch();
SELECT * FROM profiling.verdict('models1') UNION ALL SELECT * FROM profiling.verdict('models2') UNION ALL SELECT * FROM profiling.verdict('models3');
UPDATE profiling.watch SET direction = 'optimization' WHERE method = 'integral';
SELECT * FROM profiling.verdict('models2');
SELECT profiling.import_observations('few', '{f,f}', '{1,2}', '{1,2}', started_at => '2026-01-09', commit => 'models9') AS loaded;
SELECT t.watch();
SELECT * FROM profiling.verdict('models9');
ROLLBACK;
