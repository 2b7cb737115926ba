
--
-- one benchmark
--

CREATE FUNCTION new_runs(benchmark_id bigint) RETURNS TABLE (event text, unit text, branch text, run_ids bigint[],
		checked_ids bigint[], repetitions int[], is_newest bool)
	LANGUAGE sql STABLE ROWS 3
	BEGIN ATOMIC
		SELECT g.event, g.unit, g.branch,
			-- Where there is no history yet, the newest run is compared with the others.
			CASE WHEN g.checked >= 2 OR g.n = 1 THEN g.ids ELSE g.ids[g.n - g.newest + 1 :] END,
			g.ids, g.repetitions, g.is_newest
		FROM (SELECT u.event, u.unit, u.branch, u.ids, u.repetitions, pg_catalog.cardinality(u.ids) AS n, c.checked,
				CASE WHEN pg_catalog.cardinality(u.ids) + c.checked - u.of_newest >= 2 THEN u.of_newest
					ELSE 1 END AS newest,
				NOT coalesce(c.last > u.last, false) AS is_newest
			FROM (SELECT r.event, r.unit, r.branch, pg_catalog.array_agg(r.test_run_id ORDER BY r.started_at,
				r.test_run_id) AS ids,
						pg_catalog.array_agg(r.repetitions ORDER BY r.started_at, r.test_run_id) AS repetitions,
							max(r.started_at) AS last,
						-- how many of the newest executable
						(count(*) FILTER (WHERE (t.commit, t.version) = (n.commit, n.version)))::int AS of_newest
					FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
						CROSS JOIN LATERAL (SELECT v.commit, v.version
							FROM rollup AS o JOIN test_run AS v ON v.test_run_id = o.test_run_id
							WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = r.unit
								AND o.branch = r.branch
								AND o.checked_at IS NULL AND o.span = 'run' AND has_begun(o.started_at)
							ORDER BY o.started_at DESC, o.test_run_id DESC LIMIT 1) AS n
					WHERE r.benchmark_id = new_runs.benchmark_id AND r.checked_at IS NULL AND r.span = 'run'
						AND has_begun(r.started_at)
					GROUP BY r.event, r.unit, r.branch) AS u
				CROSS JOIN LATERAL (SELECT count(*)::int AS checked, max(r.started_at) AS last FROM rollup AS r
					WHERE r.benchmark_id = new_runs.benchmark_id AND r.event = u.event AND r.unit = u.unit
						AND r.branch = u.branch
						AND r.checked_at IS NOT NULL AND r.span = 'run' AND has_begun(r.started_at)) AS c) AS g
		ORDER BY g.event COLLATE "C", g.unit COLLATE "C", g.branch COLLATE "C";
	END;
COMMENT ON FUNCTION new_runs(bigint)
	IS 'runs that were not compared yet and have begun, per event, unit and branch; run_ids: those to compare (all, '
		'or without a history those of the newest executable, or the newest); is_newest: false when a newer run was '
		'compared already';

CREATE FUNCTION families_of(benchmark_id bigint) RETURNS int
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT count(*)::int FROM new_runs(families_of.benchmark_id) AS n,
			watches_of(families_of.benchmark_id, n.event) AS w
		WHERE w.method NOT IN ('integral', 'local_statistics');
	END;
COMMENT ON FUNCTION families_of(bigint) IS 'how many families of tests the new runs of a benchmark are';

CREATE TYPE changes AS (opened int, updated int, closed int, ids bigint[]);
COMMENT ON TYPE changes IS 'what became of the findings of a benchmark tonight; ids: those that were opened or closed';

CREATE FUNCTION opened(so_far changes, benchmark_id bigint, finding finding, fg flamegraph) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_id CONSTANT bigint := profiling.open_finding(opened.benchmark_id, opened.finding, opened.fg);
BEGIN
	IF v_id IS NOT NULL THEN
		so_far.opened := so_far.opened + 1;
		so_far.ids := so_far.ids || v_id;
	END IF;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION opened(changes, bigint, finding, flamegraph) IS 'open_finding(), counted';

CREATE FUNCTION resolved(so_far changes, benchmark_id bigint, regression_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now()
	WHERE r.benchmark_id = resolved.benchmark_id AND r.regression_id = resolved.regression_id;
	so_far.closed := so_far.closed + 1;
	so_far.ids := so_far.ids || resolved.regression_id;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION resolved(changes, bigint, bigint) IS 'closes a finding that is not there any more, counted';

CREATE FUNCTION watch_group(so_far changes, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run CONSTANT bigint := run_ids[cardinality(run_ids)];
	w profiling.watch;
	f profiling.finding;
	s record;
	v_fg profiling.rollup.flamegraph%TYPE;
BEGIN
	SELECT profiling.summed(r.flamegraph, r.benchmark_id, r.pending) INTO v_fg FROM profiling.rollup AS r
	WHERE r.benchmark_id = watch_group.benchmark_id AND r.event = watch_group.event AND r.unit = watch_group.unit
		AND r.branch = watch_group.branch AND r.test_run_id = v_run;
	-- Before anything is closed: what ends tonight shall not be opened as its opposite.
	FOR w IN SELECT * FROM profiling.watches_of(watch_group.benchmark_id, watch_group.event) AS o
		WHERE o.method NOT IN ('integral', 'local_statistics')
	LOOP
		FOR f IN SELECT * FROM profiling.found(w, watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, watch_group.run_ids, watch_group.families)
		LOOP
			so_far := profiling.opened(so_far, watch_group.benchmark_id, f, v_fg);
		END LOOP;
	END LOOP;
	FOR s IN SELECT a.* FROM profiling.seen_again(watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, v_run) AS a
		WHERE a.regression_id <> ALL (so_far.ids)
	LOOP
		IF s.is_there THEN
			UPDATE profiling.regression AS r SET last_test_run_id = v_run, actual = s.actual,
				diff = s.actual - r.expected,
				relative = profiling.ratio(s.actual - r.expected, abs(r.expected)), score = s.score
			WHERE r.benchmark_id = watch_group.benchmark_id AND r.regression_id = s.regression_id;
			so_far.updated := so_far.updated + 1;
		ELSE
			so_far := profiling.resolved(so_far, watch_group.benchmark_id, s.regression_id);
		END IF;
	END LOOP;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION watch_group(changes, bigint, text, text, text, bigint[], int)
	IS 'compares the new runs of one event, unit and branch with history: opens, updates and closes findings';

CREATE FUNCTION watch_locations(so_far changes, watch watch, benchmark_id bigint, branch text,
		test_run_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	o record;
	f profiling.finding;
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
BEGIN
	-- Open ones are compared with what was before them.
	FOR o IN SELECT * FROM profiling.open_locations(watch_locations.benchmark_id, watch_locations.branch,
		(watch).method,
		watch_locations.test_run_id)
	LOOP
		UPDATE profiling.regression AS r SET last_test_run_id = watch_locations.test_run_id, actual = c.actual,
			diff = c.diff,
			relative = c.relative, score = c.score
		FROM profiling.found_in_models(watch, watch_locations.benchmark_id, watch_locations.branch,
			watch_locations.test_run_id,
			profiling.models_before(watch_locations.benchmark_id, watch_locations.branch, o.first_test_run_id,
				(watch).baseline)) AS c
		WHERE r.benchmark_id = watch_locations.benchmark_id AND r.regression_id = o.regression_id
			AND c.subject_id = o.subject_id AND c.unit = o.unit AND c.kind = o.kind;
		IF FOUND THEN
			so_far.updated := so_far.updated + 1;
		ELSE
			so_far := profiling.resolved(so_far, watch_locations.benchmark_id, o.regression_id);
		END IF;
	END LOOP;
	FOR f IN SELECT * FROM profiling.found_in_models(watch, watch_locations.benchmark_id, watch_locations.branch,
			watch_locations.test_run_id, NULL::bigint) AS c
		-- back to what was before a finding that ends with this run
		WHERE NOT EXISTS (SELECT FROM profiling.regression AS r
			WHERE r.benchmark_id = watch_locations.benchmark_id AND r.regression_id = ANY (so_far.ids)
				AND r.method = c.method
				AND r.status = 'resolved' AND r.level = 'location' AND r.subject_id = c.subject_id AND r.unit = c.unit
				AND r.branch = c.branch)
	LOOP
		so_far := profiling.opened(so_far, watch_locations.benchmark_id, f, v_none);
	END LOOP;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION watch_locations(changes, watch, bigint, text, bigint)
	IS 'compares the models of a run with those before it by a watch row: opens, updates and closes findings';

CREATE FUNCTION watch_models(so_far changes, benchmark_id bigint, test_run_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_branch CONSTANT text := (SELECT t.branch FROM profiling.test_run AS t
		WHERE t.test_run_id = watch_models.test_run_id);
	w profiling.watch;
BEGIN
	PERFORM profiling.fit_run(watch_models.benchmark_id, watch_models.test_run_id);
	FOR w IN SELECT * FROM profiling.watches_of(watch_models.benchmark_id, ''::text) AS o
		WHERE o.method IN ('integral', 'local_statistics')
	LOOP
		so_far := profiling.watch_locations(so_far, w, watch_models.benchmark_id, v_branch, watch_models.test_run_id);
	END LOOP;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION watch_models(changes, bigint, bigint)
	IS 'fits the models of a run and compares them with those before';

CREATE FUNCTION watch_benchmark(benchmark_id bigint, families int DEFAULT NULL, OUT runs int, OUT opened int,
		OUT updated int, OUT closed int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := watch_benchmark.benchmark_id;
	v_families int := watch_benchmark.families;
	v_done profiling.changes := ROW(0, 0, 0, '{}'::bigint[]);
	g record;
	v_run bigint;
	v_newest bigint;
BEGIN
	-- Somebody else is at it; what is new is seen by that session, or the next time.
	IF NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch', v_id)) THEN
		opened := 0;
		updated := 0;
		closed := 0;
		RETURN;
	END IF;
	runs := 0;
	v_families := coalesce(v_families, profiling.families_of(v_id));
	PERFORM profiling.fold_rollups(v_id, NULL::bigint);

	FOR g IN SELECT * FROM profiling.new_runs(v_id) LOOP
		runs := runs + cardinality(g.checked_ids);
		IF g.is_newest THEN
			v_newest := g.run_ids[cardinality(g.run_ids)];
			v_done := profiling.watch_group(v_done, v_id, g.event, g.unit, g.branch, g.run_ids, v_families);
		END IF;
		-- A repetition that came meanwhile is looked at the next time.
		UPDATE profiling.rollup AS r SET checked_at = now()
		FROM unnest(g.checked_ids, g.repetitions) AS u (test_run_id, repetitions)
		WHERE r.benchmark_id = v_id AND r.event = g.event AND r.unit = g.unit AND r.branch = g.branch
			AND r.test_run_id = u.test_run_id AND r.repetitions = u.repetitions;
	END LOOP;
	FOREACH v_run IN ARRAY profiling.unfitted_runs(v_id) LOOP
		runs := runs + 1;
		v_newest := v_run;
		v_done := profiling.watch_models(v_done, v_id, v_run);
	END LOOP;

	opened := v_done.opened;
	updated := v_done.updated;
	closed := v_done.closed;
	IF opened + closed > 0 THEN
		PERFORM pg_notify('profiling_regression', json_build_object('benchmark_id', v_id, 'test_run_id', v_newest,
			'opened', opened, 'closed', closed, 'regression_ids', v_done.ids[:50])::text);
	END IF;
END
$$;
COMMENT ON FUNCTION watch_benchmark(bigint, int)
	IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings and '
		'sends one NOTIFY profiling_regression with ids; returns how many runs were looked at (null: another session '
		'is at it) and what became of findings; families: how many families of tests there are tonight, by default '
		'those of this benchmark';

CREATE FUNCTION detect(benchmark_id bigint, test_run_id bigint DEFAULT NULL) RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run bigint := detect.test_run_id;
	v_families int;
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
BEGIN
	IF v_run IS NULL THEN
		SELECT t.test_run_id INTO v_run FROM profiling.test_run AS t
		WHERE t.test_run_id IN (
				SELECT r.test_run_id FROM profiling.rollup AS r WHERE r.benchmark_id = detect.benchmark_id
					AND r.span = 'run'
				UNION SELECT o.test_run_id FROM profiling.fitted_model AS o WHERE o.benchmark_id = detect.benchmark_id)
			AND profiling.has_begun(t.started_at)
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1;
	END IF;
	SELECT count(*) INTO v_families FROM profiling.rollup AS r, profiling.watches_of(r.benchmark_id, r.event) AS w
	WHERE r.benchmark_id = detect.benchmark_id AND r.test_run_id = v_run AND r.span = 'run'
		AND w.method NOT IN ('integral', 'local_statistics');
	RETURN QUERY
	SELECT d.*
	FROM profiling.rollup AS r, profiling.watches_of(r.benchmark_id, r.event) AS w,
		LATERAL profiling.found(w, r.benchmark_id, r.event, r.unit, r.branch, ARRAY[v_run], v_families) AS f,
		LATERAL profiling.with_team(f, profiling.summed(r.flamegraph, r.benchmark_id, r.pending)) AS d
	WHERE r.benchmark_id = detect.benchmark_id AND r.test_run_id = v_run AND r.span = 'run'
		AND w.method NOT IN ('integral', 'local_statistics')
	UNION ALL
	SELECT d.*
	FROM profiling.test_run AS t, profiling.watches_of(detect.benchmark_id, ''::text) AS w,
		LATERAL profiling.found_in_models(w, detect.benchmark_id, t.branch, v_run, NULL::bigint) AS f,
		LATERAL profiling.with_team(f, v_none) AS d
	WHERE t.test_run_id = v_run AND w.method IN ('integral', 'local_statistics');
END
$$;
COMMENT ON FUNCTION detect(bigint, bigint)
	IS 'what the nightly comparison finds in one run (by default the newest) of a benchmark; nothing is written; the '
		'columns are those of regression';


--
-- all benchmarks
--

CREATE FUNCTION benchmarks_to_watch() RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(b.benchmark_id ORDER BY b.benchmark_id), '{}'::bigint[])
		FROM benchmark AS b
		WHERE EXISTS (SELECT FROM rollup AS r WHERE r.benchmark_id = b.benchmark_id AND r.checked_at IS NULL
			AND has_begun(r.started_at))
			OR pg_catalog.cardinality(unfitted_runs(b.benchmark_id)) > 0;
	END;
COMMENT ON FUNCTION benchmarks_to_watch() IS 'benchmarks with runs that were not compared yet, for a loop that commits';

CREATE FUNCTION families_or_none(benchmark_id bigint) RETURNS int
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN profiling.families_of(families_or_none.benchmark_id);
EXCEPTION WHEN OTHERS THEN
	-- watch_step() comes to the same error, and records it.
	RETURN 0;
END
$$;
COMMENT ON FUNCTION families_or_none(bigint)
	IS 'families_of() a benchmark, 0 where that fails: what is wrong with one benchmark does not keep the others from '
		'being compared';

CREATE FUNCTION begin_night(OUT log_id bigint, OUT families int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT coalesce(sum(profiling.families_or_none(b.id)), 0) INTO families
		FROM unnest(profiling.benchmarks_to_watch()) AS b (id);
	-- A night that was cut short goes on, and two sessions at once share one: alpha is that of all its families.
	SELECT greatest(begin_night.families, max(substring(l.detail FROM '^([0-9]{1,9}) families')::int)) INTO families
		FROM profiling.job_log AS l
	WHERE l.step = 'watch_run' AND l.finished_at IS NULL AND l.started_at > now() - interval '1 day';
	INSERT INTO profiling.job_log AS l (step, outcome, detail) VALUES ('watch_run', 'ok', families
		|| ' families of tests')
	RETURNING l.log_id INTO log_id;
END
$$;
COMMENT ON FUNCTION begin_night()
	IS 'writes into job_log that a night begins, and how many families of tests it has: those of the benchmarks with '
		'new runs, or of a night that has not ended, if that is more';

CREATE FUNCTION end_night(log_id bigint) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		UPDATE job_log AS l SET finished_at = clock_timestamp()
		WHERE l.step = 'watch_run' AND l.finished_at IS NULL AND l.log_id <= end_night.log_id;
	END;
COMMENT ON FUNCTION end_night(bigint)
	IS 'writes into job_log that a night has ended, and those before it that were cut short';

CREATE FUNCTION watch_step(benchmark_id bigint, families int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done record;
	v_detail text;
BEGIN
	v_done := profiling.watch_benchmark(watch_step.benchmark_id, watch_step.families);
	IF v_done.runs IS NULL THEN
		PERFORM profiling.log_job('watch'::text, 'skipped'::text, v_started, 'another session is at it'::text,
			watch_step.benchmark_id);
	ELSIF v_done.runs > 0 THEN
		PERFORM profiling.log_job('watch'::text, 'ok'::text, v_started,
			format('%s runs, %s opened, %s updated, %s closed', v_done.runs, v_done.opened, v_done.updated,
			v_done.closed),
			watch_step.benchmark_id);
	END IF;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job('watch'::text, 'failed'::text, v_started,
		concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')), watch_step.benchmark_id);
END
$$;
COMMENT ON FUNCTION watch_step(bigint, int)
	IS 'watch_benchmark(); what it did, or why it failed, is recorded in job_log';

CREATE PROCEDURE watch_run()
	LANGUAGE plpgsql AS $$
DECLARE
	v_night pg_catalog.record;
	v_ids bigint[];
	v_id bigint;
BEGIN
	v_night := profiling.begin_night();
	v_ids := profiling.benchmarks_to_watch();
	COMMIT;
	FOREACH v_id IN ARRAY v_ids LOOP
		PERFORM profiling.watch_step(v_id, v_night.families);
		COMMIT;
	END LOOP;
	PERFORM profiling.end_night(v_night.log_id);
	COMMIT;
END
$$;
COMMENT ON PROCEDURE watch_run()
	IS 'every night: compares the new runs of all benchmarks, each in a transaction of its own; what fails is '
		'recorded in job_log and the others go on; called alone';
