-- Getting data into the store.

-- What is there, in the order of loading.
CREATE VIEW t.stored AS
SELECT p.profile_id AS id, b.suite, b.name, b.parameters, r.started_at::date AS run, r.branch, r.commit, p.event, p.unit, p.period, p.instance,
	p.repetition AS rep, p.metric, p.source, p.total, p.nodes, p.frames, p.truncated_share AS cut, p.reshaped,
	replace(p.flamegraph::text, E'\n', ', ') AS flamegraph, replace(p.truncated::text, E'\n', ', ') AS truncated
FROM profiling.profile_full AS p JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS r USING (test_run_id)
ORDER BY p.profile_id;
CREATE VIEW t.rolled AS
SELECT b.name, r.event, r.unit, r.branch, r.span, r.started_at::date, cardinality(r.run_ids) AS runs, r.repetitions AS reps, r.total,
	r.truncated_total AS cut, r.metric_count AS metrics, r.metric_sum, r.metric_unit, replace(profiling.summed(r.flamegraph, r.benchmark_id, r.pending)::text, E'\n', ', ') AS flamegraph
FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id)
ORDER BY b.name COLLATE "C", r.event COLLATE "C", r.unit COLLATE "C", r.branch COLLATE "C", r.started_at, r.test_run_id;

-- With defaults only
SELECT profiling.import_flamegraph('defaults', E'main;parse 3\nmain 1') > 0 AS loaded;
SELECT suite, name, parameters, branch, commit, event, unit, period, instance, rep, metric, source, total, nodes, frames, cut, reshaped, flamegraph, truncated
FROM t.stored;
SELECT p.recorded_at = r.started_at AND r.started_at BETWEEN now() - interval '1 hour' AND now() AS recorded_now, b.metric_direction
FROM profiling.profile AS p JOIN profiling.test_run AS r USING (test_run_id) JOIN profiling.benchmark AS b USING (benchmark_id);

-- Everything said
SELECT profiling.import_flamegraph(benchmark => 'all', fg => E'main;parse 3\nmain 1', truncated => 'parse 4', suite => 'nightly', parameters => '{"n": 10}',
	started_at => '2026-01-05', branch => 'dev', commit => 'abc', version => '1.2', labels => '{"host": "a"}', event => 'alloc', unit => 'bytes',
	period => 512, recorded_at => '2026-01-05 10:00', duration => '1 minute', instance => 'i1', repetition => 2, metric => 1.5, metric_unit => 's',
	source => 'all.folded', options => '{}') > 0 AS loaded;
SELECT suite, name, parameters, run, branch, commit, event, unit, period, instance, rep, metric, source, total, nodes, frames, cut, reshaped, flamegraph, truncated
FROM t.stored WHERE name = 'all';
SELECT version, r.labels, p.labels, recorded_at, duration, metric_unit FROM profiling.test_run AS r JOIN profiling.profile AS p USING (test_run_id) WHERE branch = 'dev';

-- A repeated load is harmless: the same number, a NOTICE, nothing new.
CREATE FUNCTION t.load(fg flamegraph, benchmark text DEFAULT 'again', started_at timestamptz DEFAULT '2026-01-05', repetition int DEFAULT 0,
		options jsonb DEFAULT '{}', metric float8 DEFAULT NULL, metric_unit text DEFAULT '', source text DEFAULT '', labels jsonb DEFAULT '{}')
	RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, fg, started_at => load.started_at, repetition => load.repetition, options => load.options,
		metric => load.metric, metric_unit => load.metric_unit, source => load.source, labels => load.labels)
$$;
SELECT t.load('a;b 1') AS first \gset
SELECT t.load('a;b 1') = :first AS the_same;
SELECT rep, flamegraph FROM t.stored WHERE name = 'again';
SELECT * FROM t.rolled WHERE name = 'again';
-- The same content is the same profile, whatever file it comes from; the first source is kept, and named.
SELECT t.load('a;b 1', source => '/tmp/f') = :first AS from_a_file;
SELECT t.load('a;b 3', 'moved', source => '/builds/1/f') AS first_of_file \gset
SELECT t.load('a;b 3', 'moved', source => '/builds/1/f') = :first_of_file AS same_path, t.load('a;b 3', 'moved', source => '/builds/2/f') = :first_of_file AS another_path,
	t.load('a;b 3', 'moved') = :first_of_file AS no_path;
SELECT source, rep FROM t.stored WHERE name = 'moved';
-- These are others: another repetition, content, run; equal objects of labels are equal, however they are written.
SELECT t.load('a;b 1', repetition => 1) <> :first AS repetition, t.load('a;b 2') <> :first AS content,
	t.load('a;b 1', started_at => '2026-01-06') <> :first AS run, t.load('a;b 1', labels => '{"b": 1, "a": 2}') <> :first AS labels;
SELECT t.load('a;b 1', labels => '{"a":2,"b":1}') <> :first AS labels;
SELECT * FROM t.rolled WHERE name = 'again';

-- The rollup is what the aggregates say, for every level, in whatever order things came.
SELECT t.load(format(E'main;a %s\nmain;b;a %s\nmain;c%s 1', i, 30 - i, i)::flamegraph, 'sums', repetition => i, metric => i, metric_unit => 's') IS NOT NULL AS loaded
FROM generate_series(1, 20) AS i;
SELECT * FROM t.rolled WHERE name = 'sums';
SELECT profiling.summed(r.flamegraph, r.benchmark_id, r.pending) = s.fg AS sum, cardinality(r.pending) AS pending, r.stats_node IS NULL AS no_moments
FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id),
	LATERAL (SELECT sum(flamegraph) AS fg FROM profiling.profile_full AS p WHERE p.benchmark_id = b.benchmark_id) AS s
WHERE b.name = 'sums';
SELECT profiling.fold_rollups(benchmark_id) FROM profiling.benchmark WHERE name = 'sums';
SELECT profiling.fold_rollups(benchmark_id) AS again FROM profiling.benchmark WHERE name = 'sums';
SELECT r.flamegraph = s.fg AS sum, profiling.stats_of(r.stats_stack, r.flamegraph, 'stack') = s.stack AS stack, r.stats_node = s.node AS node,
	r.stats_frame = s.frame AS frame, r.stats_self = s.self AS self, profile_count(r.stats_stack) AS n
FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id), LATERAL (
	SELECT sum(flamegraph) AS fg, stats(flamegraph, 'stack') AS stack, stats(flamegraph, 'node') AS node,
		stats(flamegraph, 'frame') AS frame, stats(flamegraph, 'self') AS self
	FROM (SELECT p.flamegraph FROM profiling.profile_full AS p WHERE p.benchmark_id = b.benchmark_id ORDER BY p.profile_id) AS o) AS s
WHERE b.name = 'sums';
-- of a single profile the moments follow from it
SELECT stats_node, profiling.stats_of(r.stats_node, r.flamegraph, 'node') = (SELECT stats(v, 'node') FROM (VALUES (r.flamegraph)) AS v (v)) AS moments
FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'defaults';
-- A metric in another unit is refused, and nothing of it stays.
SELECT regexp_replace(o, 'benchmark \d+, run \d+', 'benchmark N, run N') AS try FROM t.try($$SELECT t.load('a 1', 'sums', repetition => 6, metric => 7, metric_unit => 'ms')$$) AS o;
SELECT count(*), max(rep) FROM t.stored WHERE name = 'sums';
SELECT t.load('a 1', 'sums', repetition => 7) IS NOT NULL AS without_metric;
SELECT * FROM t.rolled WHERE name = 'sums';

-- A unit that is not that of the run before is told, once per run: what has another unit is not compared.
SELECT t.load('a 1', 'units', '2026-01-05', metric => 60, metric_unit => 's') IS NOT NULL AS loaded;
SELECT t.load('a 2', 'units', '2026-01-06', metric => 61, metric_unit => 's') IS NOT NULL AS same_unit;
SELECT t.load('a 3', 'units', '2026-01-07', metric => 60000, metric_unit => 'ms') IS NOT NULL AS in_ms;
SELECT t.load('a 4', 'units', '2026-01-07', repetition => 1, metric => 60001, metric_unit => 'ms') IS NOT NULL AS once_a_run;
SELECT t.load('a 5', 'units', '2026-01-08') IS NOT NULL AS without_metric;
SELECT t.load('a 6', 'units', '2026-01-08', repetition => 1, metric => 60) IS NOT NULL AS without_unit;
-- The run before is the newest of those that are older, of the same branch and event, for the metric of those that have one.
SELECT t.load('a 7', 'units', '2026-01-06 12:00', metric => 60, metric_unit => 's') IS NOT NULL AS in_between, t.load('a 8', 'units', '2026-01-01', metric => 60, metric_unit => 'h') IS NOT NULL AS first;
SELECT profiling.import_flamegraph('units', 'a 9', started_at => '2026-01-09', branch => 'dev', metric => 1, metric_unit => 'h') IS NOT NULL AS branch,
	profiling.import_flamegraph('units', 'a 9', started_at => '2026-01-09', event => 'alloc', unit => 'bytes', metric => 1, metric_unit => 'h') IS NOT NULL AS event;
SELECT profiling.import_flamegraph('units', 'a 9', started_at => '2026-01-10', unit => 'nanoseconds', metric => 60) IS NOT NULL AS both_units;
SELECT profiling.import_flamegraph('units', 'a 9', started_at => '2026-01-10', metric => 60) IS NOT NULL AS both_units_of_a_run;
SELECT profiling.import_flamegraph('units', 'a 9', started_at => '2026-01-11', unit => 'nanoseconds', metric => 60) IS NOT NULL AS one_of_them;

-- Frame rules: the most general and the most special one, in their order; a changed rule makes nothing new.
INSERT INTO profiling.frame_rule (ordinal, benchmark, pattern, replacement) VALUES (2, '%', '_[0-9]+$', ''), (1, 'rules', '^lambda_1$', 'lambda');
SELECT t.load(E'lambda_1;f_12 1\nlambda_1;f_13 2\n g_1 3', 'rules') AS first \gset
SELECT flamegraph, reshaped, nodes FROM t.stored WHERE name = 'rules';
UPDATE profiling.frame_rule SET pattern = 'x', replacement = 'y' WHERE ordinal = 2;
SELECT t.load(E'lambda_1;f_12 1\nlambda_1;f_13 2\n g_1 3', 'rules') = :first AS the_same;
DELETE FROM profiling.frame_rule;
SELECT t.load(E'lambda_1;f_12 1\nlambda_1;f_13 2\n g_1 3', 'rules') = :first AS the_same;

-- Stacks that the profiler has cut off at its limit are kept apart; the limit does not make another profile of it.
SELECT t.load(E'a;b;c 1\na;b 2\nb;c;d 4', 'deep', options => '{"max_depth": 3}') AS first \gset
SELECT total, nodes, cut, reshaped, flamegraph, truncated FROM t.stored WHERE name = 'deep';
SELECT t.load(E'a;b;c 1\na;b 2\nb;c;d 4', 'deep') = :first AS the_same;
SELECT t.load(E'a;b;c 1\na;b 2\nb;c;d 4', 'deep', options => '{"max_depth": 4}', repetition => 1) IS NOT NULL AS whole;
SELECT cut, flamegraph, truncated FROM t.stored WHERE name = 'deep' AND rep = 1;
SELECT * FROM t.rolled WHERE name = 'deep';
-- an empty one, and a difference
SELECT t.load('', 'empty') IS NOT NULL AS empty, t.load(E'a 1\nb -1', 'empty', repetition => 1) IS NOT NULL AS difference;
SELECT total, nodes, cut, flamegraph FROM t.stored WHERE name = 'empty';

-- What is refused
SELECT * FROM t.try($$SELECT t.load(NULL)$$, $$SELECT t.load('a 1', NULL)$$, $$SELECT t.load('a 1', '')$$,
	$$SELECT t.load('a 1', options => '{"max_depth": 0}')$$, $$SELECT t.load('a 1', options => '{"max_depth": 1.5}')$$,
	$$SELECT t.load('a 1', options => '{"max_depth": "3"}')$$, $$SELECT t.load('a 1', options => '{"depth": 3}')$$,
	$$SELECT t.load('a 1', labels => '[]')$$, $$SELECT t.load('a 1', metric => 'NaN')$$, $$SELECT t.load('a 1', started_at => 'infinity')$$,
	$$SELECT t.load('a 1', source => repeat('x', 1001))$$, $$SELECT profiling.import_flamegraph('b', 'a 1', period => 0)$$,
	$$SELECT profiling.import_flamegraph('b', 'a 1', event => '')$$) AS line
WHERE line NOT LIKE '%Failing row contains%';
-- A time that lies in the future would make every later run an older one.
SELECT * FROM t.try($$SELECT t.load('a 1', started_at => '9999-12-31 UTC')$$, $$SELECT t.load('a 1', started_at => 'infinity')$$, $$SELECT t.load('a 1', started_at => now() + interval '25 hours')$$,
	$$SELECT profiling.import_flamegraph('b', 'a 1', started_at => '2026-01-05', recorded_at => '9999-12-31 UTC')$$,
	$$SELECT profiling.import_observations('b', '{f}', '{1}', '{1}', started_at => '9999-12-31 UTC')$$, $$SELECT profiling.ensure_test_run('9999-12-31 UTC')$$) AS line
WHERE line NOT LIKE '%DETAIL: It is%';
SELECT t.load('a 1', 'clock', started_at => now() + interval '23 hours') IS NOT NULL AS a_clock_may_be_wrong_by_hours;
SELECT count(*) AS benchmarks_left FROM profiling.benchmark WHERE name IN ('b', '');
-- NULL is as good as leaving it out.
SELECT profiling.import_flamegraph('nulls', 'a 1', NULL, NULL, NULL, '2026-01-05', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) IS NOT NULL AS loaded;
SELECT profiling.import_flamegraph('nulls', 'a 1', started_at => '2026-01-05') IS NOT NULL AS the_same;

--
-- import_profile
--
SELECT profiling.import_profile('bytes', 'main;parse 3', started_at => '2026-01-05', source => 'x') AS first \gset
SELECT profiling.import_profile('bytes', convert_to('flamegraph:1:' || replace(encode(flamegraph_send('main;parse 3'), 'base64'), E'\n', ''), 'UTF8'), started_at => '2026-01-05', source => 'x') = :first AS the_same;
SELECT event, unit, period, total, flamegraph FROM t.stored WHERE name = 'bytes';
-- the caller knows better what it is
SELECT profiling.import_profile('bytes', 'main;parse 3', started_at => '2026-01-05', event => 'wall', unit => 'nanoseconds', period => 10) <> :first AS another;
SELECT event, unit, period, total, flamegraph FROM t.stored WHERE name = 'bytes';
SELECT left(line, 9) AS state FROM t.try($$SELECT profiling.import_profile('bytes', 'main;parse')$$, $$SELECT profiling.import_profile('bytes', NULL)$$) AS line
WHERE line ~ '^    [0-9A-Z]{5} ';

-- A recording of several events becomes a profile for each. (A reader that finds this in any recording, in the place of the real one.)
CREATE OR REPLACE FUNCTION profiling.recorded_profiles(data bytea, format text, options jsonb, OUT event text, OUT name text, OUT unit text,
		OUT period float8, OUT complete flamegraph, OUT truncated flamegraph, OUT samples flamegraph, OUT noise flamegraph)
	RETURNS SETOF record LANGUAGE sql BEGIN ATOMIC
	SELECT * FROM (VALUES
		('lock', 'jdk.JavaMonitorEnter', 'nanoseconds', 0, flamegraph 'main;wait 5', NULL, flamegraph 'main;wait 2', flamegraph 'main;wait 13'),
		('cpu', 'jdk.ExecutionSample', 'samples', 2e7, flamegraph 'main;run 7', flamegraph 'run 1', NULL, NULL),
		('alloc', 'jdk.ObjectAllocationSample', 'bytes', 0, flamegraph 'main;new 4096', NULL, NULL, NULL)) AS v
	WHERE convert_from($1, 'UTF8') <> 'none';
END;
DISCARD PLANS;
SELECT profiling.import_profile('events', 'several', started_at => '2026-01-05', metric => 9) AS id \gset
SELECT id = :id AS returned, event, unit, period, metric, total, cut, flamegraph, truncated FROM t.stored WHERE name = 'events';
SELECT event, samples, noise FROM profiling.profile_full WHERE benchmark = 'events' AND samples IS NOT NULL;
SELECT profiling.import_profile('events', 'several', started_at => '2026-01-05', event => 'alloc') AS id \gset
SELECT event AS returned FROM t.stored WHERE id = :id;
SELECT profiling.import_profile('events', 'several', started_at => '2026-01-05', event => 'jdk.JavaMonitorEnter') AS id \gset
SELECT event AS returned FROM t.stored WHERE id = :id;
SELECT profiling.import_profile('events', 'several', started_at => '2026-01-05', event => 'io') AS id \gset
SELECT event AS the_first_of_the_file FROM t.stored WHERE id = :id;
SELECT * FROM t.rolled WHERE name = 'events';
SELECT * FROM t.try($$SELECT profiling.import_profile('events', 'several', unit => 'samples')$$, $$SELECT profiling.import_profile('events', 'none')$$);
CREATE OR REPLACE FUNCTION profiling.recorded_profiles(data bytea, format text, options jsonb, OUT event text, OUT name text, OUT unit text,
		OUT period float8, OUT complete flamegraph, OUT truncated flamegraph, OUT samples flamegraph, OUT noise flamegraph)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000 ROWS 3 BEGIN ATOMIC
	SELECT r.event, r.name, r.unit, r.period, r.complete, r.truncated, r.samples, r.noise FROM read_recording($1, $2, $3) AS r;
END;
DISCARD PLANS;
-- Two profiles of one event and unit are one.
SELECT format(E'web 1 [0] 1.5: 250 %s: \n\t55d0 main+0x24 (/bin/web)\n\nweb 1 [0] 1.6: 250 %s: \n\t55d1 idle+0x1 (/bin/web)\n\n', 'cycles:u', 'cycles:k') AS two \gset
SELECT event, name, unit FROM read_recording(:'two');
SELECT event, name, unit FROM read_recording(:'two', options => '{"stored_names": true}');
SELECT profiling.import_profile('names', :'two', started_at => '2026-01-05') IS NOT NULL AS loaded;
SELECT event, unit, flamegraph FROM t.stored WHERE name = 'names';
-- An event's name does not depend on what else is in the file: the night with one stray sample is a night like the others.
SELECT night, night || stray AS stray, night || replace(stray, 'cycles', 'page-faults') AS others
FROM format(E'a 1 1.0: 250 %s: \n\t4011 main+0x1 (/a)\n\n', 'cycles:u') AS night, format(E'a 1 1.1: 1 %s: \n\t4011 entry+0x1 (/a)\n\n', 'cycles') AS stray \gset
SELECT profiling.import_profile('nights', :'night', started_at => '2026-01-05') < profiling.import_profile('nights', :'stray', started_at => '2026-01-06') AS loaded;
SELECT event, unit, period, total, flamegraph FROM t.stored WHERE name = 'nights' ORDER BY total;
SELECT samples, noise FROM read_recording(:'stray', options => '{"stored_names": true}');
SELECT event, thread, stack, value FROM recording_samples(:'stray');
-- The event that the caller names is for what has none, or is the only one.
SELECT event, name FROM read_recording(:'stray', options => '{"event": "wall"}');
SELECT event, name FROM read_recording(:'others', options => '{"event": "wall"}');
-- The only profile has the event that the caller names, also when that is the default; without one it has the file's.
SELECT event, name, unit FROM read_recording(:'two', options => '{"selection": "cycles:k", "event": "wall"}');
SELECT profiling.import_profile('one name', :'two', options => '{"selection": "cycles:k"}', started_at => '2026-01-05', event => v.event) IS NOT NULL AS loaded
FROM (VALUES (1, 'wall'), (2, NULL)) AS v (n, event) ORDER BY v.n;
SELECT profiling.import_profile('one name', 'P1;T1;app.py:main:5 100', 'austin', started_at => '2026-01-05', event => v.event) IS NOT NULL AS loaded
FROM (VALUES (1, NULL), (2, 'cpu')) AS v (n, event) ORDER BY v.n;
SELECT event, unit, flamegraph FROM t.stored WHERE name = 'one name';

--
-- import_observations
--
SELECT profiling.import_observations('points', '{f,f,g}', '{1,2,1}', '{10,20,5}', started_at => '2026-01-05', unit => 'ms') AS new;
SELECT profiling.import_observations('points', '{f,f,g}', '{1,2,1}', '{10,20,5}', started_at => '2026-01-05', unit => 'ms') AS new;
SELECT profiling.import_observations('points', '{f,f,g}', '{1,2,1}', '{10,20,5}', started_at => '2026-01-05', unit => 'ms', repetition => 1) AS new;
SELECT location, x, y, unit, ordinal FROM profiling.observation ORDER BY observation_id;
SELECT profiling.import_observations('points', '{}', NULL, '{}') AS new;
SELECT * FROM t.try($$SELECT profiling.import_observations('points', '{f}', '{1,2}', '{1}')$$, $$SELECT profiling.import_observations('points', '{f,NULL}', '{1,2}', '{1,2}')$$,
	$$SELECT profiling.import_observations('points', '{f}', '{NULL}', '{1}')$$, $$SELECT profiling.import_observations('points', '{f}', '{NaN}', '{1}')$$,
	$$SELECT profiling.import_observations('points', '{f}', '{1}', '{Infinity}')$$) AS line
WHERE line NOT LIKE '%Failing row contains%';
-- as COPY does it
INSERT INTO profiling.observation (benchmark_id, test_run_id, location, x, y)
SELECT profiling.ensure_benchmark('', 'points'), profiling.ensure_test_run('2026-01-05'), 'h', g, g FROM generate_series(1, 3) AS g;
SELECT count(*), count(load_id), count(DISTINCT test_run_id) FROM profiling.observation;

-- Nothing wrong in all of this
SELECT * FROM profiling.check(deep => true);
