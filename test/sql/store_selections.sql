-- Asking the store without looking anything up: names and numbers, shares over units, why there is nothing. What is
-- expected is computed a second time, from the stacks.
BEGIN;
TRUNCATE profiling.benchmark, profiling.test_run, profiling.profile, profiling.profile_data, profiling.rollup, profiling.regression,
	profiling.observation, profiling.fitted_model, profiling.job_log, profiling.owner, profiling.frame_rule, profiling.frame_commit RESTART IDENTITY;
CREATE FUNCTION t.put_asked(benchmark text, fg flamegraph, day int, branch text DEFAULT 'main', event text DEFAULT 'cpu', unit text DEFAULT 'samples',
		repetition int DEFAULT 0, suite text DEFAULT 's', parameters jsonb DEFAULT '{}') RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, fg, suite => put_asked.suite, parameters => put_asked.parameters,
		started_at => timestamptz '2026-01-01 UTC' + day * interval '1 day', branch => put_asked.branch, commit => put_asked.branch || day, version => 'v' || day % 2,
		event => put_asked.event, unit => put_asked.unit, repetition => put_asked.repetition)
$$;
-- a program of Node.js in microseconds, one of perf in nanoseconds, one of JFR in samples with two events, an empty one
SELECT count(t.put_asked(b, f, d, 'main', e, u)) AS loaded
FROM (VALUES ('node', flamegraph E'main;parse;read 300\nmain;parse;main;read 100\nmain;render 600', 1, 'cpu', 'microseconds'), ('node', E'main;parse;read 500\nmain;gc 100', 2, 'cpu', 'microseconds'),
	('perf', E'main;read 5e9\nmain;memcpy 3e9', 1, 'cpu', 'nanoseconds'), ('perf', E'main;memcpy 2e9', 3, 'cpu', 'nanoseconds'),
	('jfr', E'run;read 3\nrun;parse 7', 2, 'cpu', 'samples'), ('jfr', E'run;alloc 1024', 2, 'alloc', 'bytes'), ('jfr', E'run;read 30\nrun;parse 70', 4, 'cpu', 'milliseconds'), ('none', '', 2, 'cpu', 'samples')) AS v (b, f, d, e, u);
SELECT count(t.put_asked('node', f, d, 'dev')) AS loaded FROM (VALUES (flamegraph E'main;parse;read 30\nmain;cache 20', 5), (E'main;parse 40\nmain;cache;new 10', 6), (E'main;rare 1\nmain;read 9', 7)) AS v (f, d);

-- A profile with the words of its benchmark and run
SELECT count(*) AS profiles, count(*) FILTER (WHERE (f.suite, f.benchmark, f.parameters, f.branch, f.commit, f.version, f.started_at)
		IS NOT DISTINCT FROM (b.suite, b.name, b.parameters, t.branch, t.commit, t.version, t.started_at)) AS the_same
FROM profiling.profile_full AS f JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS t USING (test_run_id);
SELECT benchmark, branch, commit, version, started_at AT TIME ZONE 'UTC' AS started_at, unit, flamegraph FROM profiling.profile_full WHERE branch = 'dev' ORDER BY started_at LIMIT 1;
SELECT a.attname, col_description(a.attrelid, a.attnum) AS comment FROM pg_attribute AS a
WHERE a.attrelid = 'profiling.profile_full'::regclass AND a.attname IN ('benchmark', 'branch', 'unit', 'flamegraph') ORDER BY 1;
-- what is not asked for is not read: tables in the plan, the partition of each as profile_data
CREATE FUNCTION t.tables_read(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan;
	RETURN (SELECT string_agg(name, ' ' ORDER BY name) FROM (SELECT DISTINCT regexp_replace(r #>> '{}', '^profile_data_.*', 'profile_data') AS name
		FROM jsonb_path_query(plan, 'strict $.**."Relation Name"') AS r) AS n);
END
$$;
SELECT columns, t.tables_read(format('SELECT %s FROM profiling.profile_full', columns)) AS reads
FROM unnest(ARRAY['total', 'event, flamegraph', 'benchmark, total', 'commit', 'suite, branch, flamegraph', '*']) AS columns;
-- of a selection: what it is selected by, once
CREATE FUNCTION t.reads_of(statement text, relation text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan;
	RETURN (SELECT count(*) FROM jsonb_path_query(plan, 'strict $.**."Relation Name"') AS r WHERE r #>> '{}' = relation);
END
$$;
SELECT columns, t.reads_of(format('SELECT %s FROM profiling.profiles(%L)', columns, 'node'), 'benchmark') AS benchmark, t.reads_of(format('SELECT %s FROM profiling.profiles(%L)', columns, 'node'), 'test_run') AS test_run
FROM unnest(ARRAY['total', 'flamegraph', 'benchmark', 'commit']) AS columns;

-- The share of a function over benchmarks of any unit: each counts as much, one without the function as 0. Of several units or events
-- of one benchmark the mean. A recursive function counts once in a stack, what calls it has it, too.
CREATE FUNCTION t.shares(selected bigint[], by_run bool) RETURNS TABLE (unit_of bigint, frame text, self float8, total float8) LANGUAGE sql AS $$
	WITH stack AS (
		SELECT CASE WHEN by_run THEN p.test_run_id ELSE p.benchmark_id END AS unit_of, p.event || ' in ' || p.unit AS kind, ARRAY(SELECT unnest(frames(s.stack))) AS f, s.value
		FROM profiling.profile_full AS p, stacks(p.flamegraph) AS s WHERE p.profile_id = ANY (selected)
	), whole AS (SELECT unit_of, kind, sum(value) AS total FROM stack GROUP BY 1, 2),
	kinds AS (SELECT unit_of, count(*) AS n FROM whole GROUP BY 1)
	SELECT s.unit_of, u.frame, sum(CASE WHEN s.f[cardinality(s.f)] = u.frame THEN s.value ELSE 0 END / w.total) / k.n, sum(s.value / w.total) / k.n
	FROM stack AS s JOIN whole AS w USING (unit_of, kind) JOIN kinds AS k USING (unit_of), LATERAL (SELECT DISTINCT unnest(s.f) AS frame) AS u GROUP BY s.unit_of, u.frame, k.n
$$;
SELECT frame, round(value::numeric, 6) AS value, value = share AS the_same, benchmarks FROM profiling.bottlenecks(branch => 'main', event => NULL, measure => 'share');
SELECT frame, round(share::numeric, 6) AS share, benchmarks FROM profiling.bottlenecks(branch => 'main', measure => 'self_share', max_rows => 3);
CREATE FUNCTION t.asked(branch text, event text) RETURNS bigint[] LANGUAGE sql AS $$
	SELECT array_agg(profile_id) FROM profiling.profile_full AS f WHERE f.branch = coalesce(asked.branch, f.branch) AND f.event = coalesce(asked.event, f.event)
$$;
WITH s AS (SELECT * FROM (VALUES ('main', 'cpu'), ('main', NULL), (NULL, 'cpu'), ('dev', 'cpu')) AS v (branch, event), unnest(ARRAY['share', 'total_share', 'self_share']) AS measure),
	e AS (SELECT coalesce(s.branch, '') AS branch, coalesce(s.event, '') AS event, measure, frame, count(*) AS benchmarks, sum(CASE WHEN measure = 'self_share' THEN self ELSE total END)
			/ (SELECT count(DISTINCT unit_of) FROM t.shares(t.asked(s.branch, s.event), false)) AS value
		FROM s, LATERAL t.shares(t.asked(s.branch, s.event), false) GROUP BY s.branch, s.event, measure, frame),
	b AS (SELECT coalesce(s.branch, '') AS branch, coalesce(s.event, '') AS event, measure, b.* FROM s,
		LATERAL profiling.bottlenecks(branch => s.branch, event => s.event, measure => measure, max_rows => NULL) AS b)
SELECT branch, event, measure, count(*) AS frames, count(*) FILTER (WHERE abs(b.value - e.value) < 1e-12 AND b.benchmarks = e.benchmarks) AS the_same
FROM e FULL JOIN b USING (branch, event, measure, frame) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
-- the largest first, and no more rows than asked for
SELECT string_agg(frame, ' ') AS self FROM profiling.bottlenecks('node', branch => 'main', measure => 'self_share', max_rows => 2);

-- Functions that are in at least so many of the selected runs
SELECT frame, runs, of_runs, round(share::numeric, 6) AS share FROM profiling.in_runs(branch => 'dev');
SELECT string_agg(frame, ' ' ORDER BY frame) AS only_on_the_branch FROM (SELECT frame FROM profiling.in_runs(2, branch => 'dev') EXCEPT SELECT frame FROM profiling.in_runs(1, branch => 'main')) AS f;
WITH s AS (SELECT * FROM unnest(ARRAY[1, 2, 3]) AS n, unnest(ARRAY['cpu', NULL]) AS event),
	e AS (SELECT n, coalesce(event, '') AS event, frame, count(*) AS runs, of_runs, sum(total) / of_runs AS share
		FROM s, LATERAL (SELECT count(DISTINCT f.test_run_id) AS of_runs FROM profiling.profile_full AS f WHERE f.event = coalesce(s.event, f.event)) AS r, LATERAL t.shares(t.asked(NULL, s.event), true)
		GROUP BY n, s.event, frame, of_runs HAVING count(*) >= n),
	i AS (SELECT n, coalesce(event, '') AS event, i.* FROM s, LATERAL profiling.in_runs(n, event => s.event) AS i)
SELECT n AS min_runs, event, count(*) AS frames, count(*) FILTER (WHERE i.runs = e.runs AND i.of_runs = e.of_runs AND abs(i.share - e.share) < 1e-12) AS the_same
FROM e FULL JOIN i USING (n, event, frame) GROUP BY 1, 2 ORDER BY 1, 2;

-- One function over time as a share of its run, and the floor of its deviation: that of a count of samples, in shares
SELECT count(t.put_asked('trend', format(E'main;f %s\nmain;g;f 2\nmain;g %s', v, w)::flamegraph, n::int, repetition => r)) AS loaded
FROM (VALUES (40, 60, 1), (44, 150, 2), (42, 60, 3), (90, 60, 4), (1, 0.5, 5)) AS v (v, w, n), generate_series(0, 5) AS r WHERE r < 1 + n % 2 * 5;
SELECT count(*) AS pending FROM profiling.rollup WHERE pending <> '{}';
SELECT commit, round(value::numeric, 4) AS value, round(mean::numeric, 4) AS mean, round(stddev::numeric, 4) AS stddev, round(score::numeric, 3) AS score, outside FROM profiling.frame_trend('trend', 'f', 'share');
WITH run AS (
	SELECT measure, test_run_id, started_at, commit, sum(total) AS whole,
		sum((SELECT sum(s.value) FROM stacks(f.flamegraph) AS s WHERE CASE measure WHEN 'self_share' THEN leaf(s.stack) = 'g' ELSE s.stack ? 'g' END)) / sum(total) AS value
	FROM profiling.profile_full AS f, unnest(ARRAY['self_share', 'total_share', 'share']) AS measure WHERE benchmark = 'trend' GROUP BY 1, 2, 3, 4
), moving AS (
	SELECT *, avg(value) OVER w AS mean, stddev_samp(value) OVER w AS spread FROM run WINDOW w AS (PARTITION BY measure ORDER BY started_at ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)
), expected AS (
	SELECT *, greatest(spread, sqrt(greatest(mean, 1 / whole) / whole)) AS deviation FROM moving
)
SELECT measure, count(*) AS runs, count(f.score) AS scores, count(*) FILTER (WHERE abs(e.value - f.value) < 1e-12 AND abs(e.mean - f.mean) IS NOT DISTINCT FROM abs(f.mean - e.mean) AND coalesce(abs(e.mean - f.mean) < 1e-12, e.mean IS NULL)
	AND coalesce(abs((e.value - e.mean) / e.deviation - f.score) < 1e-9, e.spread IS NULL AND f.score IS NULL)) AS the_same
FROM expected AS e, LATERAL profiling.frame_trend('trend', 'g', e.measure, 2) AS f WHERE f.test_run_id = e.test_run_id GROUP BY 1 ORDER BY 1;
-- the deviation of shares is that of totals where every run is of the same size
SELECT count(t.put_asked('even', format(E'main;f %s\nmain;g %s', v, 100 - v)::flamegraph, n::int)) AS loaded FROM unnest(ARRAY[40, 44, 41, 60]) WITH ORDINALITY AS v (v, n);
SELECT count(*) AS runs, count(*) FILTER (WHERE s.score IS NOT DISTINCT FROM t.score OR abs(s.score - t.score) < 1e-9) AS same_score FROM profiling.frame_trend('even', 'f', 'share') AS s JOIN profiling.frame_trend('even', 'f') AS t USING (test_run_id);

-- By its number or by its name
SELECT benchmark_id AS trend FROM profiling.benchmark WHERE name = 'trend' \gset
SELECT count(t.put_asked('step', format(E'main;f %s\nmain;g 500', CASE n WHEN 12 THEN 400 ELSE 100 + n % 3 END)::flamegraph, n)) AS loaded FROM generate_series(1, 12) AS n;
SELECT benchmark_id AS step FROM profiling.benchmark WHERE name = 'step' \gset
SELECT (SELECT array_agg(f) FROM profiling.frame_trend('trend', 'f', 'self', 3, 1.5, branch => 'main') AS f) = (SELECT array_agg(f) FROM profiling.frame_trend(:trend, 'f', 'self', 3, 1.5, branch => 'main') AS f) AS frame_trend,
	(SELECT array_agg(r) FROM profiling.report('trend', options => '{"candidates": 2}') AS r) = (SELECT array_agg(r) FROM profiling.report(:trend, options => '{"candidates": 2}') AS r) AS report,
	profiling.report_text('trend') = profiling.report_text(:trend) AS report_text, profiling.report_text('trend') ~ 'Benchmark name:\*\* trend' AS of_trend,
	(SELECT array_agg(d) FROM profiling.detect('step') AS d) = (SELECT array_agg(d) FROM profiling.detect(:step) AS d) AS detect, (SELECT string_agg(subject::text, ' ') FROM profiling.detect('step')) AS found;
SELECT runs, opened FROM profiling.watch_benchmark('step');
SELECT runs, opened FROM profiling.watch_benchmark(:step);
-- a number that is sent as text; a name that is a number comes first
SELECT profiling.benchmark_called(:'trend') = :trend AS as_text, count(*) AS runs FROM profiling.frame_trend(:'trend', 'f');
SELECT profiling.benchmark_called(b::text) = b AS the_named_one FROM (SELECT t.put_asked(:'trend', 'a 1', 1) > 0) AS p, LATERAL (SELECT benchmark_id AS b FROM profiling.benchmark WHERE name = 'jfr' AND p IS NOT NULL) AS j;
SELECT profiling.benchmark_called(:'trend') = :trend AS still, (SELECT name FROM profiling.benchmark WHERE benchmark_id = profiling.benchmark_called(:'trend')) AS name;
-- several of a name, none, nearly
SELECT count(t.put_asked('sort', 'a 1', 1, suite => s, parameters => p)) AS loaded FROM (VALUES ('s', jsonb '{"n": 10}'), ('s', '{"n": 100}'), ('u', '{}')) AS v (s, p);
SELECT * FROM t.try($$SELECT count(*) FROM profiling.report('sort')$$, $$SELECT count(*) FROM profiling.frame_trend('trends', 'f')$$, $$SELECT count(*) FROM profiling.detect('nod')$$,
	$$SELECT profiling.report_text('quite another')$$, $$SELECT count(*) FROM profiling.watch_benchmark('JFR')$$, $$SELECT count(*) FROM profiling.report(NULL)$$, $$SELECT profiling.benchmark_called('sort', 'u') > 0$$,
	$$SELECT count(*) FROM profiling.detect('9999')$$);
SELECT profiling.benchmark_called('step', NULL) = :step AS any_suite;
-- names that others have loaded write nothing on a terminal: a color, a new line, right to left
SELECT t.put_asked(E'hos\x1b[31mtile\n\u202e', 'a 1', 1, suite => E'\u009b31m', branch => E'\x07') > 0 AS loaded;
SELECT * FROM t.try($$SELECT profiling.benchmark_called('hostile')$$, $$SELECT count(*) FROM profiling.profiles(suite => 'zzz')$$);

-- Where a function occurs, over time
SELECT benchmark, commit, started_at AT TIME ZONE 'UTC' AS started_at, share FROM profiling.frame_search('read', per => 'run', suite => 's', sort => 'time');
SELECT per, sort, count(*) AS rows, count(*) FILTER (WHERE n = o) AS in_order
FROM unnest(ARRAY['profile', 'run', 'benchmark']) AS per, unnest(ARRAY['time', 'share']) AS sort, LATERAL (
	SELECT r.n, row_number() OVER (ORDER BY CASE WHEN sort = 'time' THEN r.started_at END, r.share DESC NULLS LAST, r.suite, r.benchmark, r.test_run_id, r.profile_id) AS o
	FROM profiling.frame_search('main', per => per, event => NULL, sort => sort) WITH ORDINALITY AS r (suite, benchmark, test_run_id, commit, profile_id, event, samples, total, share, started_at, n)) AS s
GROUP BY 1, 2 ORDER BY 1, 2;
-- of a benchmark: the newest of the runs that have it
SELECT benchmark, started_at = (SELECT max(f.started_at) FROM profiling.profile_full AS f WHERE f.benchmark = s.benchmark AND f.event = 'cpu' AND f.flamegraph ? 'gc') AS newest FROM profiling.frame_search('gc', per => 'benchmark') AS s;
SELECT * FROM t.try($$SELECT count(*) FROM profiling.frame_search('read', sort => 'name')$$, $$SELECT count(*) FROM profiling.frame_search('nowhere', per => 'day')$$);

-- Why there is nothing: one NOTICE for each call
SELECT count(*) FROM profiling.profiles('nods');
SELECT count(*) FROM profiling.profiles(suite => 'S%');
SELECT count(*) FROM profiling.profiles('node', event => 'alocc');
SELECT count(*) FROM profiling.profiles(event => 'alocc');
SELECT profiling.merged(branch => 'mian') IS NULL AS nothing;
SELECT profiling.average('node', branch => 'codec') IS NULL AS nothing;
SELECT profiling.complete('node', branch => 'dev', version => 'v3') IS NULL AS nothing;
SELECT count(*) FROM profiling.bottlenecks('jfr', branch => 'main', commits => '{main9999}', measure => 'share');
SELECT count(*) FROM profiling.bottlenecks('node', branch => 'dev', measure => 'correlation', labels => '{"host": "x"}', since => '2026-01-01');
SELECT count(*) FROM profiling.correlate(event => 'wall');
SELECT count(*) FROM profiling.in_runs(2, 'nods');
SELECT count(*) FROM profiling.frame_search('read', branch => 'deb');
SELECT count(*) FROM profiling.profiles_of('{"version": "2"}');
SELECT * FROM t.try($$SELECT count(*) FROM profiling.compare('{"branch": "man"}', '{"branch": "dev"}')$$);
SELECT count(*) FROM profiling.frame_trend('jfr', 'read', event => 'wall');
SELECT count(*) FROM profiling.frame_trend('jfr', 'read', branch => 'dev');
-- none for what has a profile, and none for a plan
SELECT count(*) FROM profiling.profiles('node', runs => 1);
DO $$ BEGIN EXECUTE 'EXPLAIN SELECT * FROM profiling.profiles(''nods'')'; END $$;
-- frames that are nowhere: patterns of LIKE, of the shell, a prefix, a regular expression's characters; those that are there are looked for as they are written
SELECT count(*) FROM profiling.frame_search('*alloc*');
SELECT count(*) FROM profiling.frame_search('%mem%');
SELECT count(*) FROM profiling.frame_search('x*');
SELECT count(*) FROM profiling.frame_search('f(a[])');
SELECT count(t.put_asked('cpp', E'main;f(a[]) 1\nmain;"x*y" 2\nmain;50% 3\nmain;pre f(a[]) 4', 8)) AS loaded;
SELECT what, (SELECT count(*) FROM profiling.frame_search(what)) AS rows FROM unnest(ARRAY['f(a[])', '"x*y"', '50%', 'mem*']) AS what;
SELECT samples FROM profiling.frame_search('*;~"f\\(a\\[\\]\\)";*');
-- names that are near: an other case, a letter more or less, two letters changed, a part of it
SELECT word, profiling.nearest_names(word, '{main,dev,release-1.2,release-1.3,feature/codec,Master,""}') AS nearest FROM unnest(ARRAY['mian', 'MAIN', 'devel', 'release', 'codec', '%codec%', 'master', 'relaese-1.2', 'x', '', '%']) AS word;

-- Rule sets, once and for all that is loaded from then on
SELECT profiling.use_frame_rules('java') AS java, array_length(frame_rules('java'), 1) AS of_java, profiling.use_frame_rules('java') AS again, profiling.use_frame_rules('threads', benchmark => 'perf%') AS threads, profiling.use_frame_rules('cpp', 's') AS cpp;
SELECT count(*) AS rules, count(*) FILTER (WHERE (pattern, replacement) = (rules[n][1], rules[n][2])) AS in_order FROM (SELECT *, row_number() OVER (ORDER BY ordinal, rule_id) AS n FROM profiling.frame_rule) AS f, (SELECT frame_rules('java') || frame_rules('threads') || frame_rules('cpp') AS rules) AS r;
SELECT DISTINCT suite, benchmark FROM profiling.frame_rule ORDER BY 1, 2;
-- one that was taken away comes back, behind the others
DELETE FROM profiling.frame_rule WHERE ordinal = 2;
SELECT profiling.use_frame_rules('java') AS java;
SELECT ordinal, pattern = (frame_rules('java'))[2][1] AS the_same FROM profiling.frame_rule ORDER BY ordinal DESC LIMIT 1;
-- lambdas of JDK 17 (a number and an address), 21 (an address, with JFR's class number and without) and 25; threads of perf
SELECT count(t.put_asked(b, f, 9, suite => 'rules')) AS loaded FROM (VALUES ('jdk', flamegraph 'App$$Lambda$88+0x00007fbcf4007a08.1790421142.run;main-1 1'), ('jdk', 'App$$Lambda+0x00007f7c8c00a3d8.702061917.run;main-1 2'), ('jdk', 'App$$Lambda/0x00007f7c8c00a3d8.run;main-1 4'),
	('jdk', 'App$$Lambda.0x000000003f080210.run;main-1 8'), ('perf of java', 'java-23024/23031;work 1'), ('perf of java', 'java-4;work 2')) AS v (b, f);
SELECT benchmark, sum(flamegraph) AS profile FROM profiling.profile_full WHERE suite = 'rules' GROUP BY 1 ORDER BY 1;
SELECT * FROM t.try($$SELECT profiling.use_frame_rules('go')$$, $$SELECT profiling.use_frame_rules('java', benchmark => 'a\')$$, $$SELECT profiling.use_frame_rules(NULL)$$);
ROLLBACK;
