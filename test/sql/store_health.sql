-- The view night_health: each problem by itself, and nothing where all is well.
SET timezone = 'UTC';
-- an import says by itself when a unit changes, with times that do not stay
SET client_min_messages = warning;
BEGIN;
TRUNCATE profiling.benchmark, profiling.test_run, profiling.profile, profiling.profile_data, profiling.rollup, profiling.regression,
	profiling.observation, profiling.fitted_model, profiling.job_log RESTART IDENTITY;
-- times as days before now; a month's name and dates do not stay
CREATE VIEW t.health AS
SELECT problem, concat_ws('/', nullif(suite, ''), benchmark) AS benchmark, event, CASE WHEN at > now() THEN -1 ELSE round(extract(epoch FROM now() - at) / 86400) END AS days,
	regexp_replace(regexp_replace(detail, '[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d(\.\d+)? \d{4} UTC', 'TIME', 'g'), '\d{4}-\d\d', 'MONTH') AS detail
FROM profiling.night_health ORDER BY problem COLLATE "C", 2, event COLLATE "C", detail COLLATE "C";
CREATE FUNCTION t.run(benchmark text, days float8, unit text DEFAULT 'samples', metric float8 DEFAULT 7, metric_unit text DEFAULT 's', branch text DEFAULT 'main', event text DEFAULT 'cpu', suite text DEFAULT '')
RETURNS void LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, 'main;f 100', started_at => now() - run.days * interval '1 day', branch => run.branch, unit => run.unit,
		metric => run.metric, metric_unit => CASE WHEN run.metric IS NULL THEN '' ELSE run.metric_unit END, event => run.event, suite => run.suite)
$$;
SELECT * FROM t.health;
-- loaded, and neither maintain() nor watch_run() was ever called
SELECT t.run('b', n) FROM generate_series(1, 12) AS n \g /dev/null
SELECT * FROM t.health;
SELECT count(profiling.add_partition((now() - n * interval '30 days')::date)) > 0 AS made FROM generate_series(-1, 1) AS n;
INSERT INTO profiling.job_log (step, outcome, started_at) VALUES ('maintain', 'ok', now() - interval '34 days'), ('watch_run', 'ok', now() - interval '3 days');
SELECT * FROM t.health;
UPDATE profiling.job_log SET started_at = now() - interval '1 day' WHERE step = 'watch_run';
SELECT * FROM t.health;
SELECT opened FROM profiling.benchmark AS b, profiling.watch_benchmark(b.benchmark_id) WHERE b.name = 'b';
UPDATE profiling.job_log SET started_at = now() - interval '36 days';
SELECT * FROM t.health;
UPDATE profiling.job_log SET started_at = now();
SELECT * FROM t.health;

CREATE FUNCTION t.harm(VARIADIC statements text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	s text;
	found text[];
BEGIN
	FOREACH s IN ARRAY statements LOOP
		BEGIN
			EXECUTE s;
			found := ARRAY(SELECT h::text FROM t.health AS h);
			RAISE EXCEPTION 'undo';
		EXCEPTION WHEN raise_exception THEN
			RETURN NEXT s;
			RETURN QUERY SELECT '    ' || f FROM unnest(found) AS f;
		END;
	END LOOP;
END
$$;
CREATE FUNCTION t.watched() RETURNS void LANGUAGE sql AS 'SELECT profiling.watch_benchmark(benchmark_id) FROM profiling.benchmark';
-- jobs: what failed last, and not what was mended since
SELECT t.harm(
	$$INSERT INTO profiling.job_log (step, outcome, detail, benchmark_id) VALUES ('watch', 'failed', 'but compared by hand since', 1)$$,
	$$INSERT INTO profiling.job_log (step, outcome, detail, benchmark_id) VALUES ('watch', 'failed', '22003 value out of range', 1); UPDATE profiling.rollup SET checked_at = NULL WHERE test_run_id = 1$$,
	$$INSERT INTO profiling.job_log (step, outcome, detail, benchmark_id) VALUES ('watch', 'skipped', 'another session is at it', 1); UPDATE profiling.rollup SET checked_at = NULL WHERE test_run_id = 1$$,
	$$INSERT INTO profiling.job_log (step, outcome, detail, benchmark_id) VALUES ('watch', 'failed', 'x', 1), ('watch', 'ok', '1 runs', 1); UPDATE profiling.rollup SET checked_at = NULL WHERE test_run_id = 1$$,
	$$INSERT INTO profiling.job_log (step, outcome, detail, benchmark_id, started_at) VALUES ('maintain', 'failed', 'rollups: no', 1, now()), ('prune', 'failed', 'rows: no', NULL, now()), ('prune', 'failed', 'old', NULL, now() - interval '3 days')$$);
-- runs that stay away: 2 days at least, 3 gaps at least; what is switched off may
SELECT t.harm(
	$$UPDATE profiling.rollup SET started_at = started_at - interval '23 hours'$$,
	$$UPDATE profiling.rollup SET started_at = started_at - interval '1 day 1 hour'$$,
	$$UPDATE profiling.rollup SET started_at = started_at - interval '2 days 1 hour'$$,
	$$UPDATE profiling.rollup SET started_at = started_at - interval '9 days'; INSERT INTO profiling.watch (benchmark, enabled) VALUES ('b', false)$$,
	$$UPDATE profiling.rollup SET started_at = now() - (now() - started_at) / 24$$,
	$$UPDATE profiling.rollup SET started_at = now() - (now() - started_at) / 24 - interval '2 days'$$,
	$$UPDATE profiling.rollup SET started_at = now() - (now() - started_at) * 4 - interval '8 days'$$,
	$$UPDATE profiling.rollup SET started_at = now() - (now() - started_at) * 4 - interval '9 days'$$,
	$$DELETE FROM profiling.rollup WHERE test_run_id < 11; UPDATE profiling.rollup SET started_at = started_at - interval '1 year'$$,
	-- 2300 years between two: three times that ago there was no time
	$$DELETE FROM profiling.rollup WHERE test_run_id > 3; UPDATE profiling.rollup SET started_at = now() - (365 + 840000 * (test_run_id - 1)) * interval '1 day'$$);
-- units, of the newest run; the branch of last year is not asked
SELECT t.run('u', n, branch => b) FROM generate_series(1, 5) AS n, unnest(ARRAY['main', 'dev']) AS b \g /dev/null
SELECT t.run('u', n, unit => CASE n WHEN 70 THEN 'bytes' ELSE 'samples' END, branch => 'gone') FROM generate_series(70, 75) AS n \g /dev/null
SELECT t.watched() \g /dev/null
SELECT * FROM t.health;
SELECT t.harm(
	$$SELECT t.run('u', 0, unit => 'nanoseconds'), t.watched()$$,
	$$SELECT t.run('u', 0, metric_unit => 'ms', branch => 'dev'), t.watched()$$,
	$$SELECT t.run('u', 0, metric => NULL), t.watched()$$,
	-- once, not for ever
	$$SELECT t.run('u', 0.1, metric_unit => 'ms'), t.run('u', 0, metric_unit => 'ms'), t.watched()$$);
-- too little history, no watch row, a row that is switched off
SELECT t.harm(
	$$SELECT t.run('new', 0.1, suite => 's'), t.run('new', 0, suite => 's', event => 'alloc'), t.watched()$$,
	$$UPDATE profiling.watch SET benchmark = 'c%' WHERE watch_id = 0; SELECT t.run('b', 0), t.watched()$$,
	$$INSERT INTO profiling.watch (benchmark, enabled) VALUES ('b', false)$$,
	$$INSERT INTO profiling.watch (benchmark, enabled) VALUES ('b', false); SELECT t.run('b', 0), t.watched()$$);
-- times; the default partition
SELECT t.harm(
	$$UPDATE profiling.test_run SET started_at = '9999-01-01'::timestamptz + test_run_id * interval '1 day' WHERE test_run_id IN (1, 2)$$,
	$$UPDATE profiling.profile SET recorded_at = '9999-01-01' WHERE profile_id = 1$$,
	$$SELECT t.run('b', 20000), t.run('u', 30000), t.run('u', 30001), t.watched()$$,
	$$SELECT t.run('b', 85), t.watched()$$);
ROLLBACK;
RESET timezone;
RESET client_min_messages;
