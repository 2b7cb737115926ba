-- What was loaded wrongly: what the functions refuse and say. What they leave is compared in test/t/087_store_corrections.pl.
SELECT count(profiling.import_flamegraph(b, 'main;f 1', suite => s, parameters => p::jsonb, started_at => timestamptz '2025-06-01 UTC' + n * interval '1 day', branch => 'trunk', metric => n, metric_unit => 's'))
FROM generate_series(1, 2) AS n, (VALUES ('sort', 'wrong', '{}'), ('srot', 'wrong', '{}'), ('scan', 'wrong', '{"n": 1}'), ('scan', 'wrong', '{"n": 2}'), ('sort', 'wrong 2', '{}')) AS v (b, s, p);
CREATE FUNCTION t.number(name text, suite text DEFAULT 'wrong', parameters jsonb DEFAULT '{}') RETURNS bigint LANGUAGE sql AS $$
	SELECT benchmark_id FROM profiling.benchmark AS b WHERE (b.name, b.suite, b.parameters) = (number.name, number.suite, number.parameters)
$$;
CREATE FUNCTION t.refused(statement text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT regexp_replace(line, '\m[0-9]{1,3}\M', 'N', 'g') FROM t.try(statement) AS line
$$;

-- What is not there, or is there several times
SELECT l.* FROM unnest(ARRAY[$$SELECT profiling.delete_run(0)$$, $$SELECT profiling.delete_run(NULL)$$, $$SELECT profiling.delete_run((SELECT min(test_run_id) FROM profiling.test_run WHERE branch = 'trunk'), 0)$$,
	$$SELECT profiling.delete_branch('trnuk')$$, $$SELECT profiling.delete_branch('trunk', 'nothing%')$$, $$SELECT profiling.delete_branch(NULL)$$,
	$$SELECT profiling.delete_benchmark(0)$$, $$SELECT profiling.delete_benchmark('scn', 'wrong')$$, $$SELECT profiling.delete_benchmark('scan')$$, $$SELECT profiling.delete_benchmark('sort', 'wrong%')$$,
	$$SELECT profiling.rename_benchmark('sort', 'x')$$, $$SELECT profiling.rename_benchmark('srt', 'x', 'wrong')$$, $$SELECT profiling.rename_benchmark('sort', 'sort', 'wrong')$$, $$SELECT profiling.rename_benchmark('sort', NULL, 'wrong')$$,
	$$SELECT profiling.rename_benchmark('sort', '', 'wrong')$$, $$SELECT profiling.rename_benchmark('srot', 'sort', 'wrong')$$, $$SELECT profiling.rename_benchmark('sort', 'sort', 'wrong', 'wrong 2')$$,
	$$SELECT profiling.merge_benchmarks(0, t.number('sort'))$$, $$SELECT profiling.merge_benchmarks(t.number('sort'), NULL)$$, $$SELECT profiling.merge_benchmarks(t.number('sort'), t.number('sort'))$$]) AS s, t.refused(s) AS l
WHERE l NOT LIKE '%Failing row contains%';
BEGIN;
UPDATE profiling.benchmark SET metric_direction = 'higher' WHERE benchmark_id = t.number('sort');
SELECT t.refused($$SELECT profiling.merge_benchmarks(t.number('srot'), t.number('sort'))$$);
ROLLBACK;
-- Metrics of one run in two units: as an import of them
BEGIN;
SELECT profiling.import_flamegraph('ms', 'main;f 2', suite => 'wrong', started_at => '2025-06-02 UTC', branch => 'trunk', metric => 1000, metric_unit => 'ms') > 0 AS loaded;
SELECT t.refused($$SELECT profiling.merge_benchmarks(t.number('ms'), t.number('sort'))$$);
DELETE FROM profiling.profile_data AS d USING profiling.profile AS p WHERE d.profile_id = p.profile_id AND p.benchmark_id = t.number('ms');
SELECT t.refused($$SELECT profiling.merge_benchmarks(t.number('ms'), t.number('sort'))$$);
ROLLBACK;
SELECT count(*) FROM profiling.benchmark_alias;

-- Two that are one: the same profiles count once.
SELECT benchmarks, profiles, rollups, rebuilt FROM profiling.merge_benchmarks(t.number('srot'), t.number('sort'));
SELECT r.repetitions, r.metric_sum, r.flamegraph FROM profiling.rollup AS r WHERE r.benchmark_id = t.number('sort') ORDER BY r.started_at;
-- Names that lead on: merged, renamed, renamed back; other parameters than those that were merged are another benchmark.
BEGIN;
INSERT INTO profiling.watch (watch_id, suite, benchmark) OVERRIDING SYSTEM VALUE VALUES (500, 'wrong', 'sort');
SELECT regexp_replace(l, '\m[0-9]+\M', 'N') AS line FROM t.try($$SELECT profiling.rename_benchmark('sort', 'order', 'wrong', 'right')$$) AS l;
ROLLBACK;
SELECT benchmarks FROM profiling.rename_benchmark('sort', 'order', 'wrong', 'right');
SELECT profiling.import_flamegraph('srot', 'main;f 1', suite => 'wrong', started_at => '2025-06-09 UTC', branch => 'trunk') > 0 AS loaded;
SELECT profiling.import_flamegraph('sort', 'main;f 1', suite => 'wrong', parameters => '{"n": 9}', started_at => '2025-06-09 UTC', branch => 'trunk') > 0 AS loaded;
SELECT profiling.import_flamegraph('srot', 'main;f 1', suite => 'wrong', parameters => '{"n": 9}', started_at => '2025-06-09 UTC', branch => 'trunk') > 0 AS another;
SELECT suite, name, parameters, new_suite, new_name, new_parameters FROM profiling.benchmark_alias ORDER BY suite, name;
SELECT b.suite, b.name, b.parameters, count(*) FROM profiling.benchmark AS b JOIN profiling.profile AS p USING (benchmark_id) WHERE b.suite IN ('right', 'wrong') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
-- a name that leads elsewhere is taken
SELECT t.refused($$SELECT profiling.rename_benchmark('scan', 'sort', 'wrong')$$);
SELECT benchmarks FROM profiling.rename_benchmark('order', 'sort', 'right', 'wrong');
SELECT suite, name, parameters, new_suite, new_name, new_parameters FROM profiling.benchmark_alias ORDER BY suite, name;
SELECT * FROM profiling.check(deep => true);

-- check() shows aliases that have no effect, and those that lead nowhere.
BEGIN;
INSERT INTO profiling.benchmark_alias (suite, name, parameters_id, new_suite, new_name) VALUES ('wrong', 'scan', md5('null')::uuid, 'wrong', 'nothing');
SELECT problem, table_name, benchmark_id = t.number('scan', 'wrong', '{"n": 1}') AS of_one, detail FROM profiling.check() ORDER BY problem, detail;
-- A circle ends.
INSERT INTO profiling.benchmark_alias (suite, name, parameters_id, new_suite, new_name) VALUES ('', 'here', md5('null')::uuid, '', 'there'), ('', 'there', md5('null')::uuid, '', 'here');
SELECT profiling.ensure_benchmark('', 'here') > 0 AS made;
ROLLBACK;

-- All of it again
SELECT benchmarks FROM profiling.delete_benchmark('sort', 'wrong 2');
SELECT l FROM t.refused($$SELECT profiling.delete_benchmark('sort', 'wrong')$$) AS l;
SELECT (profiling.delete_benchmark(b.benchmark_id)).benchmarks FROM profiling.benchmark AS b WHERE b.suite IN ('wrong', 'right') ORDER BY b.benchmark_id;
SELECT count(*) FROM profiling.benchmark_alias;
SELECT count(*) FROM profiling.test_run WHERE branch = 'trunk';
SELECT * FROM profiling.check(deep => true);
SELECT regexp_replace(detail, '\m[0-9]+\M', 'N', 'g') AS detail FROM profiling.job_log WHERE step = 'correction' ORDER BY log_id;
