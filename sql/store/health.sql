
--
-- what last night left open
--
-- A night goes on when a benchmark fails, and CI goes on when nothing was compared. What that leaves is seen here, and
-- nowhere has somebody to remember what should have been there.
--

CREATE TYPE health_problem AS (problem text, suite text, benchmark text, event text, at timestamptz, detail text);
COMMENT ON TYPE health_problem IS 'a row of night_health';

CREATE FUNCTION failed_steps() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_waiting CONSTANT bigint[] := profiling.benchmarks_to_watch();
BEGIN
	RETURN QUERY
	SELECT l.outcome, b.suite, b.name, NULL::text, l.started_at, CASE l.outcome
		WHEN 'failed' THEN format('The comparison failed: %s.', l.detail)
		ELSE format('The comparison was skipped: %s.', l.detail) END
	FROM (SELECT DISTINCT ON (o.benchmark_id) o.* FROM profiling.job_log AS o
			WHERE o.step = 'watch' AND o.benchmark_id IS NOT NULL ORDER BY o.benchmark_id, o.log_id DESC) AS l
		JOIN profiling.benchmark AS b ON b.benchmark_id = l.benchmark_id
	-- Somebody may have compared it by hand since.
	WHERE l.outcome <> 'ok' AND l.benchmark_id = ANY (v_waiting)
	UNION ALL
	SELECT l.outcome, b.suite, b.name, NULL::text, l.started_at, format('A step of %s() failed: %s.', l.step, l.detail)
	FROM profiling.job_log AS l LEFT JOIN profiling.benchmark AS b ON b.benchmark_id = l.benchmark_id
	WHERE l.step NOT IN ('watch', 'compact') AND l.outcome = 'failed'
		AND l.started_at > now() - interval '2 days';
END
$$;
COMMENT ON FUNCTION failed_steps()
	IS 'benchmarks whose last comparison failed or was skipped, and what the end of a night, maintain() and prune() '
		'failed at in two days';

CREATE FUNCTION not_compacted() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_done timestamptz;
	v_left record;
BEGIN
	-- compact() tries again every few minutes, and has a line in the log each time: one row for each thing.
	RETURN QUERY
	SELECT 'compact', 'production'::text, s.name, t.event, f.at, format('A step of compact() failed %s: %s. Nothing is '
			'lost: profiles stay as they are until it can be done.%s', CASE f.times
				WHEN 1 THEN 'once' ELSE format('%s times in two days', f.times) END, f.detail,
			CASE WHEN f.detail LIKE '%out of range%' THEN ' Their sum is more than a number can be: send this event in '
				'a larger unit, and give the service a row of profiling.retention with raw null.' ELSE '' END)
	FROM (SELECT l.detail, max(l.started_at) AS at, count(*) AS times,
				substring(l.detail FROM 'of service ([0-9]{1,18}),')::bigint AS service_id,
				substring(l.detail FROM 'stream ([0-9]{1,18}) ')::bigint AS stream_id
			FROM profiling.job_log AS l
			WHERE l.step = 'compact' AND l.outcome = 'failed' AND l.started_at > now() - interval '2 days'
			GROUP BY l.detail) AS f
		LEFT JOIN profiling.service AS s ON s.service_id = f.service_id
		LEFT JOIN profiling.stream AS t ON t.service_id = f.service_id AND t.stream_id = f.stream_id;
	SELECT max(l.started_at) INTO v_done FROM profiling.job_log AS l WHERE l.step = 'compact' AND l.outcome = 'ok';
	IF v_done > now() - interval '3 hours' THEN
		RETURN;
	END IF;
	SELECT count(*) AS profiles, min(i.recorded_at) AS since INTO v_left
	FROM profiling.incoming AS i WHERE i.recorded_at < now() - interval '3 hours';
	IF v_left.profiles > 0 THEN
		RETURN NEXT ROW('compact', NULL, NULL, NULL, v_left.since, format('%s of services, the oldest of %s, %s in no '
			'block yet, which takes ten times the room; compact() %s.',
			CASE v_left.profiles WHEN 1 THEN 'A profile' ELSE v_left.profiles || ' profiles' END, v_left.since,
			CASE v_left.profiles WHEN 1 THEN 'is' ELSE 'are' END,
			coalesce('last did something at ' || v_done::text, 'has not done anything yet')))
			::profiling.health_problem;
	END IF;
END
$$;
COMMENT ON FUNCTION not_compacted()
	IS 'what compact() failed at in two days, and profiles of services that are older than three hours and in no block '
		'when it has done nothing for as long';

CREATE FUNCTION missed_jobs() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_new CONSTANT int := cardinality(profiling.benchmarks_to_watch());
	v_called timestamptz;
	v_month CONSTANT date := profiling.month_of(now());
BEGIN
	SELECT max(l.started_at) INTO v_called FROM profiling.job_log AS l WHERE l.step = 'watch_run';
	IF v_new > 0 AND coalesce(v_called < now() - interval '2 days', true) THEN
		RETURN NEXT ROW('not_watched', NULL, NULL, NULL, v_called, format('%s %s runs that were not compared; '
			'watch_run() was %s.', v_new, CASE v_new WHEN 1 THEN 'benchmark has' ELSE 'benchmarks have' END,
			coalesce('last called at ' || v_called::text, 'never called')))::profiling.health_problem;
	END IF;
	SELECT max(l.started_at) INTO v_called FROM profiling.job_log AS l WHERE l.step = 'maintain' AND l.outcome = 'ok';
	-- It has a partition to make each month.
	IF EXISTS (SELECT 1 FROM profiling.profile) AND (coalesce(v_called < now() - interval '35 days', true)
			OR NOT EXISTS (SELECT 1 FROM profiling.partition_months() AS p WHERE p.month = v_month)) THEN
		RETURN NEXT ROW('maintain', NULL, NULL, NULL, v_called, format('maintain() %s, and there is %s partition for '
			'%s.', coalesce('last did something at ' || v_called::text, 'has not done anything yet'),
			CASE WHEN EXISTS (SELECT 1 FROM profiling.partition_months() AS p WHERE p.month = v_month) THEN 'a'
				ELSE 'no' END, to_char(v_month, 'YYYY-MM')))::profiling.health_problem;
	END IF;
END
$$;
COMMENT ON FUNCTION missed_jobs()
	IS 'new runs without a call of watch_run() in two days, profiles without maintain() in 35';

CREATE FUNCTION switched_off(benchmark_id bigint, event text) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN NOT EXISTS (SELECT 1 FROM profiling.watches_of(switched_off.benchmark_id, switched_off.event))
		AND EXISTS (SELECT 1 FROM profiling.watch AS w JOIN profiling.benchmark AS b ON b.name LIKE w.benchmark
				AND b.suite LIKE w.suite AND switched_off.event LIKE w.event
			WHERE b.benchmark_id = switched_off.benchmark_id AND NOT w.enabled);
EXCEPTION WHEN OTHERS THEN
	-- A watch row that cannot be applied makes its benchmarks fail, which is seen, and not this view.
	RETURN false;
END
$$;
COMMENT ON FUNCTION switched_off(bigint, text)
	IS 'whether somebody has switched off the watching of a benchmark and event: no watch row is in force, and one '
		'that matches is not enabled';

CREATE FUNCTION stopped_benchmarks() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_row record;
BEGIN
	FOR v_row IN
		SELECT g.benchmark_id, b.suite, b.name, g.event, g.newest, format('The newest run began at %s; usually there '
			'are %s between two runs.', g.newest, CASE WHEN g.gap < 172800 THEN format('%s hours', round(g.gap / 3600))
				ELSE format('%s days', round(g.gap / 86400)) END) AS words
		FROM (SELECT o.benchmark_id, o.event, max(o.started_at) AS newest, count(*) AS runs,
				percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM o.gap)::float8) AS gap
			FROM (SELECT d.*, d.started_at - lead(d.started_at) OVER w AS gap, row_number() OVER w AS age
				FROM (SELECT DISTINCT r.benchmark_id, r.event, r.started_at FROM profiling.rollup AS r
					WHERE r.span = 'run' AND profiling.has_begun(r.started_at)) AS d
				WINDOW w AS (PARTITION BY d.benchmark_id, d.event ORDER BY d.started_at DESC)) AS o
			WHERE o.age <= 20 GROUP BY 1, 2) AS g
			JOIN profiling.benchmark AS b ON b.benchmark_id = g.benchmark_id
		-- In seconds: three gaps before now may lie before the first time that there is.
		WHERE g.runs >= 3 AND extract(epoch FROM now() - g.newest)::float8 > greatest(3 * g.gap, 172800)
	LOOP
		-- Asked of those that are left, not of every run.
		CONTINUE WHEN profiling.switched_off(v_row.benchmark_id, v_row.event);
		RETURN NEXT ROW('stopped', v_row.suite, v_row.name, v_row.event, v_row.newest, v_row.words)
			::profiling.health_problem;
	END LOOP;
END
$$;
COMMENT ON FUNCTION stopped_benchmarks()
	IS 'benchmarks and events whose newest run is older than two days and than three times the usual gap, the median '
		'of the last 20; of at least 3 runs, and not switched off';

CREATE FUNCTION newest_rollups(OUT benchmark_id bigint, OUT event text, OUT unit text, OUT branch text,
		OUT test_run_id bigint, OUT before_id bigint) RETURNS SETOF record
	LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id, n.before_id
	FROM (SELECT o.benchmark_id, o.event, o.branch, o.test_run_id, o.started_at, o.age,
			lead(o.test_run_id) OVER w AS before_id,
			max(o.started_at) OVER (PARTITION BY o.benchmark_id, o.event) AS newest
		FROM (SELECT d.*, row_number() OVER (PARTITION BY d.benchmark_id, d.event, d.branch
				ORDER BY d.started_at DESC, d.test_run_id DESC) AS age
			FROM (SELECT DISTINCT u.benchmark_id, u.event, u.branch, u.test_run_id, u.started_at
				FROM profiling.rollup AS u WHERE u.span = 'run' AND profiling.has_begun(u.started_at)) AS d) AS o
		WHERE o.age <= 2
		WINDOW w AS (PARTITION BY o.benchmark_id, o.event, o.branch ORDER BY o.age)) AS n
		JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.branch = n.branch
			AND r.test_run_id = n.test_run_id
	-- A branch that nobody works on any more is no problem of last night.
	WHERE n.age = 1 AND n.started_at > n.newest - interval '7 days';
END
$$;
COMMENT ON FUNCTION newest_rollups()
	IS 'the newest run of each benchmark, event and branch that had one within a week of the newest of all, and the '
		'run before it on its branch';

CREATE FUNCTION changed_units() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY
	SELECT 'unit_changed', b.suite, b.name, n.event, r.started_at, format('On branch "%s" %s.', n.branch, w.words)
	FROM profiling.newest_rollups() AS n
		JOIN profiling.benchmark AS b ON b.benchmark_id = n.benchmark_id
		JOIN LATERAL profiling.rollups_of(n.benchmark_id, ARRAY[n.test_run_id]) AS r ON r.event = n.event
			AND r.unit = n.unit AND r.branch = n.branch
		CROSS JOIN LATERAL (SELECT array_agg(o.unit ORDER BY o.unit COLLATE "C") AS units,
			max(o.metric_unit) FILTER (WHERE o.metric_count > 0) AS metric_unit
			FROM profiling.rollups_of(n.benchmark_id, ARRAY[n.before_id]) AS o
			WHERE o.event = n.event AND o.branch = n.branch) AS p
		CROSS JOIN LATERAL (VALUES
			(n.unit <> ALL (p.units), format('the profiles are in "%s", those of the run before in "%s"', n.unit,
				array_to_string(p.units, '", "'))),
			(r.metric_count > 0 AND r.metric_unit <> p.metric_unit,
				format('the metric is in "%s", that of the run before in "%s"', r.metric_unit, p.metric_unit)),
			(r.metric_count = 0 AND p.metric_unit IS NOT NULL,
				format('there is no metric, and the run before has one in "%s"', p.metric_unit))) AS w (is_so, words)
	WHERE w.is_so;
END
$$;
COMMENT ON FUNCTION changed_units()
	IS 'newest runs whose profiles or metric have another unit than the run before them, or no metric';

CREATE FUNCTION not_compared_runs() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_row record;
BEGIN
	FOR v_row IN
		SELECT n.benchmark_id, b.suite, b.name, n.event, r.started_at,
			format('On branch "%s" the newest run was not compared%s: %s.', n.branch,
				CASE WHEN r.compared_with IS NULL THEN '' ELSE ' as a whole' END, r.not_compared) AS words
		FROM profiling.newest_rollups() AS n
			JOIN profiling.benchmark AS b ON b.benchmark_id = n.benchmark_id
			JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.unit = n.unit
				AND r.branch = n.branch AND r.test_run_id = n.test_run_id
		WHERE r.checked_at IS NOT NULL AND r.not_compared IS NOT NULL
	LOOP
		CONTINUE WHEN profiling.switched_off(v_row.benchmark_id, v_row.event);
		RETURN NEXT ROW('not_compared', v_row.suite, v_row.name, v_row.event, v_row.started_at, v_row.words)
			::profiling.health_problem;
	END LOOP;
END
$$;
COMMENT ON FUNCTION not_compared_runs()
	IS 'newest runs that the night has looked at and could not compare, but for those whose watch row is switched off';

CREATE FUNCTION odd_times() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY
	SELECT 'future', b.suite, b.name, o.event, o.moment, format('%s a time in the future, the latest %s; what '
		'has not begun does not count.',
		CASE o.rows WHEN 1 THEN 'A profile has' ELSE format('%s profiles have', o.rows) END, o.moment)
	FROM (SELECT p.benchmark_id, p.event, count(*) AS rows, max(greatest(t.started_at, p.recorded_at)) AS moment
		FROM profiling.profile AS p JOIN profiling.test_run AS t ON t.test_run_id = p.test_run_id
		WHERE NOT profiling.has_begun(t.started_at) OR NOT profiling.has_begun(p.recorded_at) GROUP BY 1, 2) AS o
		JOIN profiling.benchmark AS b ON b.benchmark_id = o.benchmark_id
	UNION ALL
	SELECT 'old', b.suite, b.name, o.event, o.moment, format('%s before 2000, the oldest at %s.',
		CASE o.rows WHEN 1 THEN 'A run began' ELSE format('%s runs began', o.rows) END, o.moment)
	FROM (SELECT r.benchmark_id, r.event, count(*) AS rows, min(r.started_at) AS moment FROM profiling.rollup AS r
		WHERE r.started_at < timestamptz '2000-01-01 00:00:00+00' GROUP BY 1, 2) AS o
		JOIN profiling.benchmark AS b ON b.benchmark_id = o.benchmark_id
	UNION ALL
	SELECT 'default_partition', NULL, NULL, NULL, min(d.recorded_at), format('%s of the last 90 days in the '
		'default partition, where retention deletes row by row; maintain() moves them.',
		CASE count(*) WHEN 1 THEN 'A profile is' ELSE format('%s profiles are', count(*)) END)
	FROM profiling.profile_data_default AS d WHERE d.recorded_at > now() - interval '90 days' HAVING count(*) > 0;
END
$$;
COMMENT ON FUNCTION odd_times()
	IS 'runs and profiles of the future, runs before 2000, and young profiles in the default partition';

CREATE FUNCTION failed_cron_jobs() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT EXISTS (SELECT 1 FROM pg_extension AS x WHERE x.extname = 'pg_cron') THEN
		RETURN;
	END IF;
	RETURN QUERY EXECUTE $cron$
		SELECT 'cron', NULL::text, NULL::text, NULL::text, d.start_time, format('pg_cron could not run %s: %s.%s',
			d.command, coalesce(nullif(btrim(d.return_message, E' .\n'), ''), 'no message'),
			CASE WHEN d.return_message LIKE '%connection%' THEN ' With cron.use_background_workers = on and a restart '
				'of the server it needs no connection.' ELSE '' END)
		FROM (SELECT DISTINCT ON (r.command) r.* FROM cron.job_run_details AS r
			WHERE r.database = current_database() AND r.command = ANY ($1)
				AND r.status IN ('failed', 'succeeded')
				AND EXISTS (SELECT 1 FROM cron.job AS j WHERE j.jobid = r.jobid)
			ORDER BY r.command, r.runid DESC) AS d
		WHERE d.status = 'failed'
	$cron$ USING ARRAY(SELECT j.command FROM profiling.scheduled_jobs() AS j);
EXCEPTION WHEN insufficient_privilege OR undefined_table OR undefined_column THEN
	-- Who may not read the table of pg_cron is told nothing about it; others see what is wrong.
	RETURN;
END
$$;
COMMENT ON FUNCTION failed_cron_jobs()
	IS 'jobs of schedule() whose last run pg_cron reports as failed; none where its table is not there or may not be '
		'read';

CREATE VIEW night_health AS
SELECT h.problem, h.suite, h.benchmark, h.event, h.at, h.detail
FROM (SELECT p.* FROM failed_steps() AS p
	UNION ALL SELECT p.* FROM missed_jobs() AS p
	UNION ALL SELECT p.* FROM not_compacted() AS p
	UNION ALL SELECT p.* FROM failed_cron_jobs() AS p
	UNION ALL SELECT p.* FROM stopped_benchmarks() AS p
	UNION ALL SELECT p.* FROM changed_units() AS p
	UNION ALL SELECT p.* FROM not_compared_runs() AS p
	UNION ALL SELECT p.* FROM odd_times() AS p) AS h;
COMMENT ON VIEW night_health IS 'what last night left open, a sentence each; no rows when all is well';
COMMENT ON COLUMN night_health.problem
	IS 'failed, skipped, not_watched, maintain, compact, cron, stopped, unit_changed, not_compared, future, old or '
		'default_partition';
COMMENT ON COLUMN night_health.suite IS 'suite of the benchmark; null where it is about no benchmark';
COMMENT ON COLUMN night_health.benchmark IS 'name of the benchmark; null where it is about none';
COMMENT ON COLUMN night_health.event IS 'event of the profiles; null where it is about none';
COMMENT ON COLUMN night_health.at
	IS 'when: the run, the step that failed, the last call; null for what has never happened';
COMMENT ON COLUMN night_health.detail IS 'what is wrong, in a sentence or two';
