
--
-- when something wrong was loaded
--
-- Runs, branches and benchmarks are taken away, renamed and merged so that what is left
-- equals a store that was loaded without them, or under the right name. A correction is
-- one transaction and alone: imports, the night and retention wait for it, and it waits
-- for them. A rollup of a run goes with its run. One of a month is computed anew from the
-- profiles of its other runs, by the same steps as import and maintain() take; where some
-- of these are gone, nobody can tell the runs apart any more, and that is an error.
--

CREATE TYPE correction AS (benchmarks int, runs int, profiles bigint, rollups bigint, rebuilt bigint,
	observations bigint, models bigint, findings bigint);
COMMENT ON TYPE correction
	IS 'how many rows a correction has taken away, or given to another benchmark; rebuilt: rollups that were computed '
		'anew';

CREATE FUNCTION begin_correction(what text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.need_access(what, 'admin'::text);
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION '%() needs a transaction of isolation level READ COMMITTED', what USING
			ERRCODE = 'feature_not_supported',
			DETAIL = 'An older snapshot does not show what others have loaded since.';
	END IF;
	PERFORM pg_advisory_xact_lock(hashtextextended('flamegraph_store correction', 0));
END
$$;
COMMENT ON FUNCTION begin_correction(text)
	IS 'refuses who may not correct, and waits until nobody else loads or watches';

--
-- rollups
--

CREATE FUNCTION replay_runs(benchmark_id bigint, event text, unit text, branch text,
		test_run_ids bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	p profiling.profile;
	v record;
BEGIN
	FOR p IN SELECT o.* FROM profiling.profile AS o
		WHERE o.benchmark_id = replay_runs.benchmark_id AND o.event = replay_runs.event
			AND o.unit = replay_runs.unit AND o.test_run_id = ANY (replay_runs.test_run_ids)
		ORDER BY o.profile_id
	LOOP
		SELECT d.flamegraph, d.truncated, d.samples, d.noise, t.started_at INTO v
		FROM profiling.profile_data AS d, profiling.test_run AS t
		WHERE d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
			AND t.test_run_id = p.test_run_id;
		CONTINUE WHEN NOT FOUND;
		PERFORM profiling.fold_in_time(p, replay_runs.branch);
		PERFORM profiling.add_to_rollup(p, replay_runs.branch, v.started_at, v.flamegraph,
			(SELECT m.truncated_total FROM profiling.measures_of(v.flamegraph, v.truncated) AS m), v.samples, v.noise);
	END LOOP;
END
$$;
COMMENT ON FUNCTION replay_runs(bigint, text, text, text, bigint[])
	IS 'makes the rollups of some runs, which have none, from their profiles, as import has made them';

CREATE FUNCTION merge_replayed(benchmark_id bigint, event text, unit text, branch text,
		test_run_ids bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
BEGIN
	PERFORM profiling.fold_rollups(merge_replayed.benchmark_id, u.id)
	FROM unnest(merge_replayed.test_run_ids) AS u (id);
	FOR g IN
		SELECT r.metric_unit, profiling.month_of(r.started_at) AS month, array_agg(r.test_run_id) AS ids
		FROM profiling.rollup AS r
		WHERE r.benchmark_id = merge_replayed.benchmark_id AND r.event = merge_replayed.event
			AND r.unit = merge_replayed.unit AND r.branch = merge_replayed.branch
			AND r.test_run_id = ANY (merge_replayed.test_run_ids)
		GROUP BY 1, 2
		ORDER BY 1, 2
	LOOP
		PERFORM profiling.merge_month(merge_replayed.benchmark_id, merge_replayed.event, merge_replayed.unit,
			merge_replayed.branch, g.metric_unit, g.ids);
	END LOOP;
END
$$;
COMMENT ON FUNCTION merge_replayed(bigint, text, text, text, bigint[])
	IS 'merges the rollups of some runs to months, as maintain() does it';

CREATE FUNCTION touched_rollups(benchmark_ids bigint[], event text, unit text, branch text, run_ids bigint[],
		OUT keys bigint[], OUT runs bigint[], OUT months bigint[], OUT repetitions bigint, OUT present bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- A run that was merged to a month has a row of its own again when something was loaded into it later.
	runs := ARRAY(SELECT DISTINCT u.id FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
		WHERE r.benchmark_id = ANY (touched_rollups.benchmark_ids) AND r.event = touched_rollups.event
			AND r.unit = touched_rollups.unit AND r.branch = touched_rollups.branch
			AND r.run_ids && touched_rollups.run_ids ORDER BY 1);
	SELECT array_agg(DISTINCT r.test_run_id), array_agg(DISTINCT u.id),
		coalesce(array_agg(DISTINCT u.id) FILTER (WHERE r.span = 'month'), '{}')
	INTO keys, touched_rollups.runs, months
	FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
	WHERE r.benchmark_id = ANY (touched_rollups.benchmark_ids) AND r.event = touched_rollups.event
		AND r.unit = touched_rollups.unit AND r.branch = touched_rollups.branch
		AND r.run_ids && touched_rollups.runs;
	SELECT sum(r.repetitions) INTO touched_rollups.repetitions FROM profiling.rollup AS r
	WHERE r.benchmark_id = ANY (touched_rollups.benchmark_ids) AND r.event = touched_rollups.event
		AND r.unit = touched_rollups.unit AND r.branch = touched_rollups.branch AND r.test_run_id = ANY (keys);
	SELECT count(*) INTO present
	FROM profiling.profile AS p JOIN profiling.profile_data AS d ON d.benchmark_id = p.benchmark_id
		AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
	WHERE p.benchmark_id = ANY (touched_rollups.benchmark_ids) AND p.event = touched_rollups.event
		AND p.unit = touched_rollups.unit AND p.test_run_id = ANY (touched_rollups.runs);
END
$$;
COMMENT ON FUNCTION touched_rollups(bigint[], text, text, text, bigint[])
	IS 'the rollups of one event, unit and branch that some runs are in, and those that share a run with these: their '
		'keys, their runs, those that are in months, how many profiles they sum up and how many of these are here';

CREATE FUNCTION refuse_months(what text, benchmark_id bigint, event text, branch text, hint text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RAISE EXCEPTION '% cannot be told apart any more from other runs', refuse_months.what USING
		ERRCODE = 'object_not_in_prerequisite_state',
		DETAIL = (SELECT format('Benchmark %s, event "%s", branch "%s": the runs were merged to a month, and not all '
				'of its profiles are still here.',
			profiling.benchmark_in_words(b.suite, b.name, b.parameters), refuse_months.event, refuse_months.branch)
			FROM profiling.benchmark AS b WHERE b.benchmark_id = refuse_months.benchmark_id),
		HINT = refuse_months.hint;
END
$$;
COMMENT ON FUNCTION refuse_months(text, bigint, text, text, text)
	IS 'the error for a sum whose parts are gone';

CREATE FUNCTION leave_rollups(benchmark_id bigint, run_ids bigint[], whole_months bool,
		OUT deleted bigint, OUT rebuilt bigint)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
	t record;
	v_months bigint[];
	v_rest bigint[];
BEGIN
	rebuilt := 0;
	FOR g IN
		SELECT DISTINCT r.event, r.unit, r.branch FROM profiling.rollup AS r
		WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.run_ids && leave_rollups.run_ids
			AND NOT r.run_ids <@ leave_rollups.run_ids
		ORDER BY 1, 2, 3
	LOOP
		v_months := ARRAY(SELECT DISTINCT u.id FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
			WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.run_ids && leave_rollups.run_ids AND r.span = 'month');
		t := profiling.touched_rollups(ARRAY[leave_rollups.benchmark_id], g.event, g.unit, g.branch, v_months);
		IF t.present <> t.repetitions AND NOT coalesce(leave_rollups.whole_months, false) THEN
			PERFORM profiling.refuse_months(format('run %s',
				(SELECT min(u.id) FROM unnest(leave_rollups.run_ids) AS u (id) WHERE u.id = ANY (t.months))),
				leave_rollups.benchmark_id, g.event, g.branch, 'With the argument whole_months => true the sums of '
				'these months go, but for runs whose profiles are here.'::text);
		END IF;
		v_rest := ARRAY(SELECT u.id FROM unnest(t.runs) AS u (id) WHERE u.id <> ALL (leave_rollups.run_ids));
		DELETE FROM profiling.rollup AS r WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.event = g.event
			AND r.unit = g.unit AND r.branch = g.branch AND r.test_run_id = ANY (t.keys);
		PERFORM profiling.replay_runs(leave_rollups.benchmark_id, g.event, g.unit, g.branch, v_rest);
		PERFORM profiling.merge_replayed(leave_rollups.benchmark_id, g.event, g.unit, g.branch, v_rest);
		rebuilt := rebuilt + cardinality(t.keys);
	END LOOP;
	DELETE FROM profiling.rollup AS r
	WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.run_ids <@ leave_rollups.run_ids;
	GET DIAGNOSTICS deleted = ROW_COUNT;
END
$$;
COMMENT ON FUNCTION leave_rollups(bigint, bigint[], bool)
	IS 'takes runs out of the rollups of a benchmark: their own go, months are computed anew from the profiles of '
		'their other runs';

--
-- findings: what was seen in a run that is gone
--

CREATE FUNCTION runs_of_finding(benchmark_id bigint, event text, branch text, level text,
		run_ids bigint[]) RETURNS TABLE (test_run_id bigint, started_at timestamptz)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT t.test_run_id, t.started_at FROM test_run AS t
		WHERE t.test_run_id <> ALL (runs_of_finding.run_ids) AND t.branch = runs_of_finding.branch
			AND t.test_run_id IN (SELECT pg_catalog.unnest(r.run_ids) FROM rollup AS r
				WHERE r.benchmark_id = runs_of_finding.benchmark_id AND r.event = runs_of_finding.event
					AND r.branch = runs_of_finding.branch AND runs_of_finding.level <> 'location'
				UNION SELECT m.test_run_id FROM fitted_model AS m
				WHERE m.benchmark_id = runs_of_finding.benchmark_id AND runs_of_finding.level = 'location');
	END;
COMMENT ON FUNCTION runs_of_finding(bigint, text, text, text, bigint[])
	IS 'the runs in which a finding can have been seen, without these';

CREATE FUNCTION leave_findings(benchmark_id bigint, run_ids bigint[]) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_deleted bigint;
BEGIN
	-- Of the runs from the first to the last one that it was seen in.
	UPDATE profiling.regression AS f SET first_test_run_id = s.first_id, last_test_run_id = s.last_id
	FROM (SELECT o.regression_id, (array_agg(c.test_run_id ORDER BY c.started_at, c.test_run_id))[1] AS first_id,
			(array_agg(c.test_run_id ORDER BY c.started_at DESC, c.test_run_id DESC))[1] AS last_id
		FROM profiling.regression AS o JOIN profiling.test_run AS a ON a.test_run_id = o.first_test_run_id
			JOIN profiling.test_run AS z ON z.test_run_id = o.last_test_run_id
			CROSS JOIN LATERAL profiling.runs_of_finding(o.benchmark_id, o.event, o.branch, o.level,
				leave_findings.run_ids) AS c
		WHERE o.benchmark_id = leave_findings.benchmark_id
			AND (o.first_test_run_id = ANY (leave_findings.run_ids)
				OR o.last_test_run_id = ANY (leave_findings.run_ids))
			AND (c.started_at, c.test_run_id) >= (a.started_at, a.test_run_id)
			AND (c.started_at, c.test_run_id) <= (z.started_at, z.test_run_id)
		GROUP BY o.regression_id) AS s
	WHERE f.benchmark_id = leave_findings.benchmark_id AND f.regression_id = s.regression_id;
	-- Nobody but the runs that go has seen these.
	DELETE FROM profiling.regression AS f WHERE f.benchmark_id = leave_findings.benchmark_id
		AND (f.first_test_run_id = ANY (leave_findings.run_ids) OR f.last_test_run_id = ANY (leave_findings.run_ids));
	GET DIAGNOSTICS v_deleted = ROW_COUNT;
	-- What one of them has closed, being the newest then, is open again. The next night looks at it.
	UPDATE profiling.regression AS f SET closed_at = NULL,
		status = CASE f.status WHEN 'went_away' THEN 'pending' ELSE 'open' END
	WHERE f.benchmark_id = leave_findings.benchmark_id AND f.status IN ('resolved', 'went_away')
		AND f.level <> 'location'
		AND EXISTS (SELECT 1 FROM profiling.rollup AS r
			WHERE r.benchmark_id = f.benchmark_id AND r.event = f.event AND r.branch = f.branch AND r.span = 'run'
				AND (r.unit = f.unit OR f.level = 'metric') AND r.checked_at = f.closed_at
				AND r.test_run_id = ANY (leave_findings.run_ids)
				AND NOT EXISTS (SELECT 1 FROM profiling.rollup AS n
					WHERE n.benchmark_id = r.benchmark_id AND n.event = r.event AND n.unit = r.unit
						AND n.branch = r.branch AND n.checked_at = r.checked_at
						AND n.test_run_id <> ALL (leave_findings.run_ids)
						AND (n.started_at, n.test_run_id) > (r.started_at, r.test_run_id)))
		AND NOT EXISTS (SELECT 1 FROM profiling.regression AS o
			WHERE o.benchmark_id = f.benchmark_id AND o.event = f.event AND o.unit = f.unit AND o.branch = f.branch
				AND o.method = f.method AND o.level = f.level AND o.subject_id = f.subject_id
				AND o.regression_id <> f.regression_id
				AND (o.status IN ('open', 'acknowledged', 'pending') OR o.closed_at = f.closed_at
					AND o.regression_id > f.regression_id));
	RETURN v_deleted;
END
$$;
COMMENT ON FUNCTION leave_findings(bigint, bigint[])
	IS 'lets no finding of a benchmark refer to these runs, whose rollups are still there: those that others have '
		'seen, too, keep these; the rest goes; what a run of these has closed is open again; returns how many went';

CREATE FUNCTION look_again(benchmark_id bigint, run_ids bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- A group that was compared together begins with another run.
	UPDATE profiling.rollup AS r SET compared_since = (SELECT o.test_run_id FROM profiling.rollup AS o
			WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = r.unit AND o.branch = r.branch
				AND o.compared_since = r.compared_since AND o.test_run_id <> ALL (look_again.run_ids)
			ORDER BY o.started_at, o.test_run_id LIMIT 1)
	WHERE r.benchmark_id = look_again.benchmark_id AND r.compared_since = ANY (look_again.run_ids);
	-- The newest run that is left is compared again, with what is left.
	UPDATE profiling.rollup AS r SET checked_at = NULL
	FROM (SELECT DISTINCT ON (o.event, o.unit, o.branch) o.event, o.unit, o.branch, o.test_run_id
		FROM profiling.rollup AS o
		WHERE o.benchmark_id = look_again.benchmark_id AND o.span = 'run'
			AND o.test_run_id <> ALL (look_again.run_ids) AND profiling.has_begun(o.started_at)
			AND EXISTS (SELECT 1 FROM profiling.rollup AS g
				WHERE g.benchmark_id = o.benchmark_id AND g.event = o.event AND g.unit = o.unit
					AND g.branch = o.branch AND g.span = 'run' AND g.test_run_id = ANY (look_again.run_ids)
					-- looked at before, though it may be to be looked at again
					AND (g.checked_at IS NOT NULL OR g.compared_with IS NOT NULL OR g.not_compared IS NOT NULL))
		ORDER BY o.event, o.unit, o.branch, o.started_at DESC, o.test_run_id DESC) AS n
	WHERE r.benchmark_id = look_again.benchmark_id AND r.event = n.event AND r.unit = n.unit
		AND r.branch = n.branch AND r.test_run_id = n.test_run_id;
	-- Its models are fitted again, for the same reason, if they can be.
	DELETE FROM profiling.fitted_model AS m USING (
		SELECT DISTINCT ON (t.branch) t.test_run_id
		FROM profiling.test_run AS t
		WHERE t.test_run_id <> ALL (look_again.run_ids) AND profiling.has_begun(t.started_at)
			AND t.test_run_id IN (SELECT o.test_run_id FROM profiling.fitted_model AS o
				WHERE o.benchmark_id = look_again.benchmark_id)
			AND t.branch IN (SELECT g.branch FROM profiling.fitted_model AS o
				JOIN profiling.test_run AS g ON g.test_run_id = o.test_run_id
				WHERE o.benchmark_id = look_again.benchmark_id AND g.test_run_id = ANY (look_again.run_ids))
		ORDER BY t.branch, t.started_at DESC, t.test_run_id DESC) AS n
	WHERE m.benchmark_id = look_again.benchmark_id AND m.test_run_id = n.test_run_id
		AND NOT EXISTS (SELECT 1 FROM profiling.fitted_model AS k
			WHERE k.benchmark_id = m.benchmark_id AND k.test_run_id = m.test_run_id
				AND (SELECT count(DISTINCT o.x) FROM profiling.observation AS o
					WHERE o.benchmark_id = k.benchmark_id AND o.test_run_id = k.test_run_id
						AND o.location = k.location AND o.unit = k.unit) < 3);
END
$$;
COMMENT ON FUNCTION look_again(bigint, bigint[])
	IS 'lets the next night compare the newest run of each event, unit and branch again that loses one of these runs, '
		'whose rollups are still there';

--
-- taking away
--

CREATE FUNCTION leave_test_runs(run_ids bigint[]) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_used CONSTANT bigint[] := ARRAY(SELECT DISTINCT u.id FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
		WHERE r.run_ids && leave_test_runs.run_ids);
	v_named CONSTANT bigint[] := ARRAY(
		SELECT p.test_run_id FROM profiling.profile AS p WHERE p.test_run_id = ANY (leave_test_runs.run_ids)
		UNION SELECT o.test_run_id FROM profiling.observation AS o WHERE o.test_run_id = ANY (leave_test_runs.run_ids)
		UNION SELECT m.test_run_id FROM profiling.fitted_model AS m WHERE m.test_run_id = ANY (leave_test_runs.run_ids)
		UNION SELECT f.first_test_run_id FROM profiling.regression AS f
			WHERE f.first_test_run_id = ANY (leave_test_runs.run_ids)
		UNION SELECT f.last_test_run_id FROM profiling.regression AS f
			WHERE f.last_test_run_id = ANY (leave_test_runs.run_ids));
	v_deleted int;
BEGIN
	DELETE FROM profiling.test_run AS t WHERE t.test_run_id = ANY (leave_test_runs.run_ids)
		AND t.test_run_id <> ALL (v_used) AND t.test_run_id <> ALL (v_named);
	GET DIAGNOSTICS v_deleted = ROW_COUNT;
	RETURN v_deleted;
END
$$;
COMMENT ON FUNCTION leave_test_runs(bigint[])
	IS 'takes those of these runs away that nothing is left of; returns how many';

CREATE FUNCTION runs_of_benchmark(benchmark_id bigint) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(DISTINCT o.id ORDER BY o.id), '{}'::bigint[])
		FROM (SELECT p.test_run_id AS id FROM profile AS p WHERE p.benchmark_id = runs_of_benchmark.benchmark_id
			UNION ALL SELECT pg_catalog.unnest(r.run_ids) FROM rollup AS r
				WHERE r.benchmark_id = runs_of_benchmark.benchmark_id
			UNION ALL SELECT o.test_run_id FROM observation AS o WHERE o.benchmark_id = runs_of_benchmark.benchmark_id
			UNION ALL SELECT m.test_run_id FROM fitted_model AS m WHERE m.benchmark_id = runs_of_benchmark.benchmark_id
			UNION ALL SELECT pg_catalog.unnest(ARRAY[f.first_test_run_id, f.last_test_run_id]) FROM regression AS f
				WHERE f.benchmark_id = runs_of_benchmark.benchmark_id) AS o;
	END;
COMMENT ON FUNCTION runs_of_benchmark(bigint) IS 'the runs that a benchmark has anything of';

CREATE FUNCTION benchmarks_of_run(test_run_id bigint) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(DISTINCT o.id ORDER BY o.id), '{}'::bigint[])
		FROM (SELECT p.benchmark_id AS id FROM profile AS p WHERE p.test_run_id = benchmarks_of_run.test_run_id
			UNION ALL SELECT r.benchmark_id FROM rollup AS r WHERE benchmarks_of_run.test_run_id = ANY (r.run_ids)
			UNION ALL SELECT o.benchmark_id FROM observation AS o WHERE o.test_run_id = benchmarks_of_run.test_run_id
			UNION ALL SELECT m.benchmark_id FROM fitted_model AS m WHERE m.test_run_id = benchmarks_of_run.test_run_id
			UNION ALL SELECT f.benchmark_id FROM regression AS f
				WHERE benchmarks_of_run.test_run_id IN (f.first_test_run_id, f.last_test_run_id)) AS o;
	END;
COMMENT ON FUNCTION benchmarks_of_run(bigint) IS 'the benchmarks that have anything of a run';

CREATE FUNCTION take_runs(so_far correction, benchmark_id bigint, run_ids bigint[],
		whole_months bool) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_rows bigint;
	v_rollups record;
BEGIN
	so_far.findings := so_far.findings + profiling.leave_findings(take_runs.benchmark_id, take_runs.run_ids);
	PERFORM profiling.look_again(take_runs.benchmark_id, take_runs.run_ids);
	-- Months are computed from what is left, after it was found out whether all of it is here.
	v_rollups := profiling.leave_rollups(take_runs.benchmark_id, take_runs.run_ids, take_runs.whole_months);
	so_far.rollups := so_far.rollups + v_rollups.deleted;
	so_far.rebuilt := so_far.rebuilt + v_rollups.rebuilt;
	DELETE FROM profiling.profile_data AS d USING profiling.profile AS p
	WHERE p.benchmark_id = take_runs.benchmark_id AND p.test_run_id = ANY (take_runs.run_ids)
		AND d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id;
	DELETE FROM profiling.profile AS p
	WHERE p.benchmark_id = take_runs.benchmark_id AND p.test_run_id = ANY (take_runs.run_ids);
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	so_far.profiles := so_far.profiles + v_rows;
	DELETE FROM profiling.observation AS o
	WHERE o.benchmark_id = take_runs.benchmark_id AND o.test_run_id = ANY (take_runs.run_ids);
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	so_far.observations := so_far.observations + v_rows;
	DELETE FROM profiling.fitted_model AS m
	WHERE m.benchmark_id = take_runs.benchmark_id AND m.test_run_id = ANY (take_runs.run_ids);
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	so_far.models := so_far.models + v_rows;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION take_runs(correction, bigint, bigint[], bool)
	IS 'takes all that a benchmark has of these runs away, counted';

CREATE FUNCTION nothing_corrected() RETURNS correction
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW(0, 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint)::correction;
	END;
COMMENT ON FUNCTION nothing_corrected() IS 'a correction that has not begun to count';

CREATE FUNCTION log_correction(what text, done correction, benchmark_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.log_job('correction'::text, 'ok'::text, now(),
		format('%s: %s', what, array_to_string(ARRAY(SELECT format('%s %s', c.value, c.key)
			FROM json_each_text(to_json(done)) WITH ORDINALITY AS c (key, value, n)
			WHERE c.value <> '0' ORDER BY c.n), ', ')), log_correction.benchmark_id);
END
$$;
COMMENT ON FUNCTION log_correction(text, correction, bigint) IS 'writes into job_log what a correction has done';

CREATE FUNCTION delete_run(test_run_id bigint, benchmark_id bigint DEFAULT NULL,
		whole_months bool DEFAULT false) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run CONSTANT bigint := delete_run.test_run_id;
	v_done profiling.correction := profiling.nothing_corrected();
	v_ids bigint[];
	v_id bigint;
BEGIN
	PERFORM profiling.begin_correction('delete_run'::text);
	IF NOT EXISTS (SELECT 1 FROM profiling.test_run AS t WHERE t.test_run_id = v_run) THEN
		RAISE EXCEPTION 'there is no run %', coalesce(v_run::text, 'NULL') USING
			ERRCODE = 'no_data_found', HINT = 'The numbers of runs are in profiling.test_run.';
	END IF;
	v_ids := ARRAY(SELECT u.id FROM unnest(profiling.benchmarks_of_run(v_run)) AS u (id)
		WHERE delete_run.benchmark_id IS NULL OR u.id = delete_run.benchmark_id ORDER BY 1);
	IF delete_run.benchmark_id IS NOT NULL AND cardinality(v_ids) = 0 THEN
		RAISE EXCEPTION 'run % has nothing of benchmark %', v_run, delete_run.benchmark_id USING
			ERRCODE = 'no_data_found', HINT = 'The numbers of benchmarks are in profiling.benchmark.';
	END IF;
	FOREACH v_id IN ARRAY v_ids LOOP
		v_done := profiling.take_runs(v_done, v_id, ARRAY[v_run], delete_run.whole_months);
	END LOOP;
	v_done.runs := profiling.leave_test_runs(ARRAY[v_run]);
	PERFORM profiling.log_correction(format('delete_run(%s)', v_run), v_done, delete_run.benchmark_id);
	RETURN v_done;
END
$$;
COMMENT ON FUNCTION delete_run(bigint, bigint, bool)
	IS 'takes a run away, of all benchmarks or of one, with all that came of it; of a run that was merged to a month '
		'the month is computed anew, and an error where its profiles are gone, but for whole_months, which then takes '
		'the sum of the month away; for access admin';

CREATE FUNCTION delete_branch(branch text, benchmark text DEFAULT '%', suite text DEFAULT '%') RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_done profiling.correction := profiling.nothing_corrected();
	v_branch_runs bigint[];
	v_runs bigint[];
	v_all_runs bigint[] := '{}';
	b record;
BEGIN
	PERFORM profiling.begin_correction('delete_branch'::text);
	v_branch_runs := ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t WHERE t.branch = delete_branch.branch);
	FOR b IN SELECT o.benchmark_id FROM profiling.benchmark AS o
		WHERE o.name LIKE coalesce(delete_branch.benchmark, '%') AND o.suite LIKE coalesce(delete_branch.suite, '%')
		ORDER BY 1
	LOOP
		v_runs := ARRAY(SELECT u.id FROM unnest(profiling.runs_of_benchmark(b.benchmark_id)) AS u (id)
			WHERE u.id = ANY (v_branch_runs));
		CONTINUE WHEN cardinality(v_runs) = 0;
		v_done := profiling.take_runs(v_done, b.benchmark_id, v_runs, false);
		v_all_runs := v_all_runs || v_runs;
	END LOOP;
	IF cardinality(v_all_runs) = 0 THEN
		RAISE EXCEPTION 'no run of branch "%" was found', delete_branch.branch USING
			ERRCODE = 'no_data_found',
			HINT = CASE WHEN cardinality(v_branch_runs) > 0 THEN 'Its runs have nothing of the benchmarks that match.'
				ELSE profiling.names_hint(delete_branch.branch, ARRAY(SELECT DISTINCT t.branch COLLATE "C"
					FROM profiling.test_run AS t ORDER BY 1)) END;
	END IF;
	v_done.runs := profiling.leave_test_runs(v_all_runs);
	PERFORM profiling.log_correction(format('delete_branch(%L)', delete_branch.branch), v_done, NULL::bigint);
	RETURN v_done;
END
$$;
COMMENT ON FUNCTION delete_branch(text, text, text)
	IS 'takes all runs of a branch away, of benchmarks and suites by patterns of LIKE, with all that came of them; for '
		'access admin';

CREATE FUNCTION delete_benchmark(benchmark_id bigint) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := delete_benchmark.benchmark_id;
	v_done profiling.correction := profiling.nothing_corrected();
	v_runs bigint[];
	b record;
BEGIN
	PERFORM profiling.begin_correction('delete_benchmark'::text);
	DELETE FROM profiling.benchmark AS o WHERE o.benchmark_id = v_id RETURNING o.* INTO b;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'there is no benchmark %', coalesce(v_id::text, 'NULL') USING
			ERRCODE = 'no_data_found', HINT = 'The numbers of benchmarks are in profiling.benchmark.';
	END IF;
	v_done.benchmarks := 1;
	v_runs := profiling.runs_of_benchmark(v_id);
	DELETE FROM profiling.profile_data AS d WHERE d.benchmark_id = v_id;
	DELETE FROM profiling.profile AS p WHERE p.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.profiles = ROW_COUNT;
	DELETE FROM profiling.rollup AS r WHERE r.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.rollups = ROW_COUNT;
	DELETE FROM profiling.observation AS o WHERE o.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.observations = ROW_COUNT;
	DELETE FROM profiling.fitted_model AS m WHERE m.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.models = ROW_COUNT;
	DELETE FROM profiling.regression AS f WHERE f.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.findings = ROW_COUNT;
	DELETE FROM profiling.candidate AS c WHERE c.benchmark_id = v_id;
	DELETE FROM profiling.job_log AS l WHERE l.benchmark_id = v_id;
	-- Aliases that lead nowhere would make it anew.
	LOOP
		DELETE FROM profiling.benchmark_alias AS a
		WHERE NOT EXISTS (SELECT 1 FROM profiling.benchmark AS o WHERE o.suite = a.new_suite AND o.name = a.new_name
				AND (a.new_parameters IS NULL OR o.parameters = a.new_parameters))
			AND NOT EXISTS (SELECT 1 FROM profiling.benchmark_alias AS n
				WHERE n.suite = a.new_suite AND n.name = a.new_name);
		EXIT WHEN NOT FOUND;
	END LOOP;
	v_done.runs := profiling.leave_test_runs(v_runs);
	PERFORM profiling.log_correction(format('delete_benchmark(%s) %s', v_id,
		profiling.benchmark_in_words(b.suite, b.name, b.parameters)), v_done, NULL::bigint);
	RETURN v_done;
END
$$;
COMMENT ON FUNCTION delete_benchmark(bigint)
	IS 'takes a benchmark away with all that is known of it, its lines in job_log and the names that led to it, and '
		'the runs that had no other one; for access admin';

CREATE FUNCTION delete_benchmark(name text, suite text DEFAULT '%') RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.begin_correction('delete_benchmark'::text);
	RETURN profiling.delete_benchmark(profiling.benchmark_called(delete_benchmark.name,
		coalesce(delete_benchmark.suite, '%')));
END
$$;
COMMENT ON FUNCTION delete_benchmark(text, text)
	IS 'the same for the one benchmark of this name, in suites that match a pattern of LIKE';
