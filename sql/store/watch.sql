
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

-- plpgsql keeps the plan from benchmark to benchmark: planning takes longer than counting.
CREATE FUNCTION families_of(benchmark_id bigint) RETURNS int
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (
		SELECT count(*)::int FROM profiling.new_runs(families_of.benchmark_id) AS n,
			profiling.watches_of(families_of.benchmark_id, n.event) AS w
		WHERE w.method NOT IN ('integral', 'local_statistics')
			-- What has no history is not tested, and takes nothing of alpha.
			AND n.is_newest AND cardinality((profiling.compared_runs(w, families_of.benchmark_id, n.event, n.unit,
				n.branch, n.run_ids)).before_ids) >= 2 - (w.method = 'drift')::int);
END
$$;
COMMENT ON FUNCTION families_of(bigint)
	IS 'how many families of tests the new runs of a benchmark are: those that have a history to be compared with';

CREATE TYPE changes AS (opened int, updated int, closed int, ids bigint[], pending int, went_away int, shifted int,
	untested text);
COMMENT ON TYPE changes
	IS 'what became of the findings of a benchmark tonight; ids: those that are new or were closed; pending: new ones '
		'that wait for later runs; went_away: those that were gone before these came; shifted: those of the opened '
		'ones that nobody is told of, because their cost only moved; untested: what could not be tested, and why, '
		'in words';

CREATE FUNCTION changes_in_words(runs int, done changes) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN concat_ws(', ', format('%s runs, %s opened, %s updated, %s closed', runs, (done).opened, (done).updated,
		(done).closed),
		CASE WHEN (done).pending > 0 THEN (done).pending || ' pending' END,
		CASE WHEN (done).went_away > 0 THEN (done).went_away || ' went away' END,
		CASE WHEN (done).shifted > 0 THEN (done).shifted || ' shifted' END, (done).untested);
END
$$;
COMMENT ON FUNCTION changes_in_words(int, changes) IS 'what became of the findings of a benchmark, for job_log';

CREATE FUNCTION kept_back(done changes) RETURNS jsonb
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
			'pending'::text, nullif((kept_back.done).pending, 0),
			'went_away'::text, nullif((kept_back.done).went_away, 0),
			'shift'::text, nullif((kept_back.done).shifted, 0)));
	END;
COMMENT ON FUNCTION kept_back(changes)
	IS 'how many findings the filters of one benchmark kept from people, for job_log.kept_back; without those that '
		'kept none';

CREATE FUNCTION opened_now(so_far changes, finding regression) RETURNS changes
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	so_far.opened := so_far.opened + 1;
	so_far.shifted := so_far.shifted + (NOT profiling.is_told(finding))::int;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION opened_now(changes, regression) IS 'counts a finding that is open from now on';

CREATE FUNCTION opened(so_far changes, benchmark_id bigint, finding finding, fg flamegraph, confirm int) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := profiling.open_finding(opened.benchmark_id, opened.finding, opened.fg, opened.confirm);
	v_new CONSTANT profiling.regression := (SELECT r FROM profiling.regression AS r
		WHERE r.benchmark_id = opened.benchmark_id AND r.regression_id = v_id);
BEGIN
	IF v_id IS NULL THEN
		RETURN so_far;
	END IF;
	so_far.ids := so_far.ids || v_id;
	IF v_new.status <> 'pending' THEN
		RETURN profiling.opened_now(so_far, v_new);
	END IF;
	so_far.pending := so_far.pending + 1;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION opened(changes, bigint, finding, flamegraph, int) IS 'open_finding(), counted';

CREATE FUNCTION resolved(so_far changes, benchmark_id bigint, regression_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Who was told that it is there is told that it is gone.
	UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now(), notified_at = NULL
	WHERE r.benchmark_id = resolved.benchmark_id AND r.regression_id = resolved.regression_id;
	so_far.closed := so_far.closed + 1;
	so_far.ids := so_far.ids || resolved.regression_id;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION resolved(changes, bigint, bigint) IS 'closes a finding that is not there any more, counted';

CREATE FUNCTION seen_or_gone(so_far changes, benchmark_id bigint, unit text, regression_id bigint, is_there bool,
		actual float8, score float8, run_ids bigint[]) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f CONSTANT profiling.regression := (SELECT r FROM profiling.regression AS r
		WHERE r.benchmark_id = seen_or_gone.benchmark_id AND r.regression_id = seen_or_gone.regression_id);
	v_more CONSTANT int := CASE WHEN is_there THEN profiling.seen_more(f, seen_or_gone.unit, seen_or_gone.run_ids) END;
BEGIN
	-- One that is open already does not depend on the last repetitions alone.
	IF f.status = 'pending' AND (NOT is_there OR v_more = 0) THEN
		RETURN profiling.went_away(so_far, f.benchmark_id, f.regression_id);
	ELSIF NOT is_there THEN
		RETURN profiling.resolved(so_far, f.benchmark_id, f.regression_id);
	END IF;
	UPDATE profiling.regression AS r SET actual = seen_or_gone.actual, diff = seen_or_gone.actual - r.expected,
		relative = profiling.ratio(seen_or_gone.actual - r.expected, abs(r.expected)), score = seen_or_gone.score
	WHERE r.benchmark_id = f.benchmark_id AND r.regression_id = f.regression_id;
	RETURN profiling.seen_by(so_far, f.benchmark_id, f.regression_id, v_more, run_ids[cardinality(run_ids)]);
END
$$;
COMMENT ON FUNCTION seen_or_gone(changes, bigint, text, bigint, bool, float8, float8, bigint[])
	IS 'brings a finding up to date after seen_again(), or closes it, counted';

CREATE FUNCTION not_tested(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[])
	RETURNS text
	-- The test itself has told the session already.
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET client_min_messages = 'warning' AS $$
#variable_conflict use_column
DECLARE
	v_runs record;
	v_status text;
BEGIN
	IF (watch).method <> 'hotelling' OR (watch).level = 'metric' THEN
		RETURN NULL;
	END IF;
	v_runs := profiling.compared_runs(watch, not_tested.benchmark_id, not_tested.event, not_tested.unit,
		not_tested.branch, not_tested.run_ids);
	-- Too little history is what not_compared says.
	IF cardinality(v_runs.before_ids) < 2 THEN
		RETURN NULL;
	END IF;
	v_status := profiling.hotelling_status(
		(profiling.run_means(not_tested.benchmark_id, not_tested.event, not_tested.unit, v_runs.before_ids)).fgs,
		(profiling.run_means(not_tested.benchmark_id, not_tested.event, not_tested.unit, v_runs.ids)).fgs,
		(watch).level, (watch).alpha, coalesce((profiling.checked_options(watch) ->> 'min_df')::int, 1));
	RETURN CASE WHEN v_status <> 'ok' THEN format('watch row %s (hotelling) could not test event "%s", branch "%s": %s',
		(watch).watch_id, not_tested.event, not_tested.branch, v_status) END;
END
$$;
COMMENT ON FUNCTION not_tested(watch, bigint, text, text, text, bigint[])
	IS 'why a watch row of method hotelling could not test new runs, such as too many stacks for so few runs, in words '
		'for job_log; null where it could, and for other methods';

CREATE FUNCTION watch_group(so_far changes, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run CONSTANT bigint := run_ids[cardinality(run_ids)];
	v_fg CONSTANT profiling.rollup.flamegraph%TYPE := profiling.profile_of_run(watch_group.benchmark_id,
		watch_group.event, watch_group.unit, watch_group.branch, v_run);
	w profiling.watch;
	f profiling.finding;
	s record;
	v_family record;
BEGIN
	-- Before anything is closed: what ends tonight shall not be opened as its opposite.
	FOR w IN SELECT * FROM profiling.watches_of(watch_group.benchmark_id, watch_group.event) AS o
		WHERE o.method NOT IN ('integral', 'local_statistics')
	LOOP
		v_family := profiling.found_in_family(w, watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, watch_group.run_ids, watch_group.families::float8);
		FOREACH f IN ARRAY coalesce(v_family.findings, '{}') LOOP
			so_far := profiling.opened(so_far, watch_group.benchmark_id, f, v_fg, w.confirm);
		END LOOP;
		PERFORM profiling.propose_family(w, watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, watch_group.run_ids, watch_group.families, v_family.p_value);
		so_far.untested := nullif(concat_ws(', ', so_far.untested, profiling.not_tested(w, watch_group.benchmark_id,
			watch_group.event, watch_group.unit, watch_group.branch, watch_group.run_ids)), '');
	END LOOP;
	FOR s IN SELECT a.* FROM profiling.seen_again(watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, v_run) AS a
		WHERE a.regression_id <> ALL (so_far.ids)
	LOOP
		so_far := profiling.seen_or_gone(so_far, watch_group.benchmark_id, watch_group.unit, s.regression_id,
			s.is_there,
			s.actual, s.score, watch_group.run_ids);
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
	v_ended bigint[];
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
BEGIN
	-- Open ones are compared with what was before them.
	FOR o IN SELECT * FROM profiling.open_locations(watch_locations.benchmark_id, watch_locations.branch,
		(watch).method,
		watch_locations.test_run_id)
	LOOP
		SELECT c.* INTO f
		FROM profiling.found_in_models(watch, watch_locations.benchmark_id, watch_locations.branch,
			watch_locations.test_run_id,
			profiling.models_before(watch_locations.benchmark_id, watch_locations.branch, o.first_test_run_id,
				(watch).baseline)) AS c
		WHERE c.subject_id = o.subject_id AND c.unit = o.unit AND c.kind = o.kind LIMIT 1;
		IF FOUND THEN
			UPDATE profiling.regression AS r
			SET actual = f.actual, diff = f.diff, relative = f.relative, score = f.score
			WHERE r.benchmark_id = watch_locations.benchmark_id AND r.regression_id = o.regression_id;
			so_far := profiling.seen_by(so_far, watch_locations.benchmark_id, o.regression_id, 1,
				watch_locations.test_run_id);
		ELSIF o.status = 'pending' THEN
			so_far := profiling.went_away(so_far, watch_locations.benchmark_id, o.regression_id);
		ELSE
			so_far := profiling.resolved(so_far, watch_locations.benchmark_id, o.regression_id);
		END IF;
	END LOOP;
	v_ended := so_far.ids;
	FOR f IN SELECT * FROM profiling.found_in_models(watch, watch_locations.benchmark_id, watch_locations.branch,
			watch_locations.test_run_id, NULL::bigint) AS c
	LOOP
		-- back to what was before a finding that ends with this run
		CONTINUE WHEN EXISTS (SELECT 1 FROM profiling.regression AS r
			WHERE r.benchmark_id = watch_locations.benchmark_id AND r.regression_id = ANY (v_ended)
				AND r.method = f.method
				AND r.status IN ('resolved', 'went_away') AND r.level = 'location' AND r.subject_id = f.subject_id
				AND r.unit = f.unit AND r.branch = f.branch);
		so_far := profiling.opened(so_far, watch_locations.benchmark_id, f, v_none, (watch).confirm);
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

--
-- what was compared, for those who ask for a verdict
--

CREATE FUNCTION metric_left_out(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		before_ids bigint[]) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_last CONSTANT bigint := run_ids[cardinality(run_ids)];
	n record;
	b record;
BEGIN
	SELECT r.metric_count > 0 AS has_one, r.metric_unit AS unit,
		-- of several events one has it
		r.metric_count = 0 OR metric_left_out.event = (SELECT o.event FROM profiling.rollup AS o
			WHERE o.benchmark_id = r.benchmark_id AND o.test_run_id = v_last AND o.metric_count > 0
			ORDER BY o.event <> 'cpu', o.event COLLATE "C", o.unit COLLATE "C" LIMIT 1) AS is_here
	INTO n FROM profiling.rollup AS r
	WHERE r.benchmark_id = metric_left_out.benchmark_id AND r.event = metric_left_out.event
		AND r.unit = metric_left_out.unit AND r.branch = metric_left_out.branch AND r.test_run_id = v_last;
	-- A run before it that was not compared for its metric makes several units, too.
	SELECT count(*) FILTER (WHERE r.metric_count > 0) AS metrics,
		coalesce((array_agg(r.metric_count > 0 ORDER BY u.n DESC))[1], false) AS last_has_one,
		string_agg(DISTINCT format('"%s"', r.metric_unit), ', ') FILTER (WHERE r.metric_count > 0) AS units
	INTO b FROM unnest(before_ids || metric_left_out.run_ids[:cardinality(metric_left_out.run_ids) - 1])
			WITH ORDINALITY AS u (id, n)
		JOIN profiling.rollup AS r ON r.benchmark_id = metric_left_out.benchmark_id
			AND r.event = metric_left_out.event AND r.unit = metric_left_out.unit AND r.test_run_id = u.id
			AND r.span = 'run';
	RETURN CASE WHEN b.metrics < 1 OR NOT n.is_here THEN NULL
		WHEN NOT n.has_one AND b.last_has_one THEN 'it has no metric, and the run before it has one'
		WHEN n.has_one AND b.units <> format('"%s"', n.unit)
			THEN format('its metric is in "%s", those of the runs before it are in %s', n.unit, b.units) END;
END
$$;
COMMENT ON FUNCTION metric_left_out(bigint, text, text, text, bigint[], bigint[])
	IS 'why the metric of new runs cannot be compared with the runs before them, though these have one; else null';

CREATE FUNCTION needed_before(watch watch, of_new int, families int) RETURNS int
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_least CONSTANT float8 := (watch).alpha / greatest(families, 1);
	v_recent CONSTANT int := greatest(of_new, profiling.recent_runs(watch));
	v_segment CONSTANT int := coalesce((profiling.checked_options(watch) ->> 'min_segment')::int, 5);
	v_all int := CASE (watch).method WHEN 'change_point' THEN 2 * v_segment ELSE 2 + v_recent END;
	v_part int;
BEGIN
	IF (watch).method NOT IN ('energy', 'change_point') THEN
		-- The deviation of two runs has one degree of freedom: at the alpha of a night not even ten times as many
		-- samples stand out, so that nothing was found says nothing.
		RETURN CASE (watch).method WHEN 'deviation' THEN 3 ELSE 2 END;
	END IF;
	-- The p-value of a permutation test is at least one over the number of ways to make two groups of these sizes; two
	-- of the same size may change places. A thousand runs are more than there will be.
	LOOP
		v_part := CASE (watch).method WHEN 'change_point' THEN v_all / 2 ELSE v_recent END;
		EXIT WHEN v_all >= 1000
			OR (SELECT sum(ln((v_all - v_part + i)::float8 / i)) FROM generate_series(1, v_part) AS i)
			- CASE WHEN (watch).method = 'change_point' OR v_all = 2 * v_part THEN ln(2::float8) ELSE 0 END
			>= - ln(v_least) - 1e-9;
		v_all := v_all + 1;
	END LOOP;
	RETURN v_all - CASE (watch).method WHEN 'change_point' THEN of_new ELSE v_recent END;
END
$$;
COMMENT ON FUNCTION needed_before(watch, int, int)
	IS 'how many runs a watch row must have before new ones to be able to find anything: 2, 3 for deviations, or as '
		'many as a permutation test needs for a p-value of alpha';

CREATE FUNCTION history_of(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int,
		OUT before_ids bigint[], OUT lacks int, OUT words text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_method CONSTANT text := (watch).method;
	v_metric CONSTANT bool := v_method = 'correlation' OR (watch).level = 'metric';
	v_needed CONSTANT int := profiling.needed_before(watch, cardinality(run_ids), families);
	-- runs that go with the new ones into the group that is compared
	v_besides CONSTANT int := CASE WHEN v_method IN ('change_point', 'correlation') THEN 0
		ELSE greatest(0, profiling.recent_runs(watch) - cardinality(run_ids)) END;
	v_n int;
BEGIN
	before_ids := (profiling.compared_runs(watch, history_of.benchmark_id, history_of.event, history_of.unit,
		history_of.branch, run_ids)).before_ids;
	SELECT coalesce(sum(cardinality(r.run_ids)), 0) INTO v_n FROM profiling.rollup AS r
	WHERE r.benchmark_id = history_of.benchmark_id AND r.event = history_of.event AND r.unit = history_of.unit
		AND (r.span = 'run' OR v_method = 'drift' AND r.branch = history_of.branch) AND r.test_run_id = ANY (before_ids)
		AND (r.metric_count > 0 OR NOT v_metric);
	lacks := greatest(0, v_needed - v_n);
	IF v_method = 'drift' THEN
		words := format('too little history: %s %s at least %s before it, %s are needed, and %s of today', v_n,
			CASE v_n WHEN 1 THEN 'run' ELSE 'runs' END, profiling.ago_of(watch), v_needed,
			profiling.recent_runs(watch));
		RETURN;
	END IF;
	IF lacks > 0 AND cardinality(before_ids) = 0 AND v_besides > 0 THEN
		v_n := cardinality(profiling.runs_before(history_of.benchmark_id, history_of.event, history_of.unit,
			history_of.branch, run_ids[1], 'window:10'::text));
	END IF;
	words := format('too little history: %s %s before it%s, %s are needed', v_n,
		CASE v_n WHEN 1 THEN 'run' ELSE 'runs' END || CASE WHEN v_metric THEN ' with a metric' ELSE '' END,
		CASE WHEN v_method IN ('change_point', 'correlation') OR (watch).baseline LIKE 'window:%'
				AND cardinality(before_ids) < substr((watch).baseline, 8)::int THEN ''
			ELSE format(' by baseline "%s"', (watch).baseline) END, v_needed + v_besides);
END
$$;
COMMENT ON FUNCTION history_of(watch, bigint, text, text, text, bigint[], int)
	IS 'the runs that a watch row compares new runs with, how many it lacks, and that in words';

CREATE FUNCTION other_unit(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT format('the unit of the profiles is "%s", that of the runs before it "%s"', other_unit.unit, o.unit)
		FROM profiling.rollup AS o JOIN profiling.test_run AS n ON n.test_run_id = other_unit.test_run_id
		WHERE o.benchmark_id = other_unit.benchmark_id AND o.event = other_unit.event AND o.unit <> other_unit.unit
			AND o.branch = other_unit.branch AND o.span = 'run'
			AND (o.started_at, o.test_run_id) < (n.started_at, n.test_run_id)
		ORDER BY o.started_at DESC, o.test_run_id DESC, o.unit COLLATE "C" LIMIT 1);
END
$$;
COMMENT ON FUNCTION other_unit(bigint, text, text, text, bigint)
	IS 'words about runs before a run whose profiles of the same event have another unit; null when there are none';

CREATE FUNCTION comparison_of(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[], families int,
		OUT compared_with int, OUT not_compared text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	w profiling.watch;
	h record;
	v_least int;
	v_before bigint[];
	v_metric bool := false;
BEGIN
	not_compared := 'no watch row is in force for it';
	FOR w IN SELECT o.* FROM profiling.watches_of(comparison_of.benchmark_id, comparison_of.event) AS o
		WHERE o.method NOT IN ('integral', 'local_statistics')
	LOOP
		v_metric := v_metric OR w.method IN ('deviation', 'welch', 'correlation') OR w.level = 'metric';
		h := profiling.history_of(w, comparison_of.benchmark_id, comparison_of.event, comparison_of.unit,
			comparison_of.branch, run_ids, families);
		IF h.lacks = 0 AND cardinality(h.before_ids) > coalesce(compared_with, 0) THEN
			compared_with := cardinality(h.before_ids);
			v_before := h.before_ids;
		ELSIF h.lacks > 0 AND (v_least IS NULL OR h.lacks < v_least) THEN
			v_least := h.lacks;
			not_compared := h.words;
		END IF;
	END LOOP;
	IF compared_with IS NOT NULL THEN
		not_compared := CASE WHEN v_metric THEN profiling.metric_left_out(comparison_of.benchmark_id,
			comparison_of.event, comparison_of.unit, comparison_of.branch, run_ids, v_before) END;
	ELSIF v_least IS NOT NULL THEN
		not_compared := coalesce(profiling.other_unit(comparison_of.benchmark_id, comparison_of.event,
			comparison_of.unit, comparison_of.branch, run_ids[1]), not_compared);
	END IF;
END
$$;
COMMENT ON FUNCTION comparison_of(bigint, text, text, text, bigint[], int)
	IS 'with how many earlier runs the watch rows in force compare new runs, null for none; what is left out, and why';

CREATE FUNCTION mark_checked(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		checked_ids bigint[], repetitions int[], is_newest bool, families int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT record := profiling.comparison_of(mark_checked.benchmark_id, mark_checked.event, mark_checked.unit,
		mark_checked.branch, mark_checked.run_ids, families);
BEGIN
	UPDATE profiling.rollup AS r SET checked_at = now(),
		compared_with = CASE WHEN NOT is_newest THEN r.compared_with WHEN u.is_compared THEN c.compared_with END,
		compared_since = CASE WHEN NOT is_newest THEN r.compared_since
			WHEN u.is_compared AND c.compared_with IS NOT NULL THEN mark_checked.run_ids[1] END,
		-- A late repetition changes nothing about what a run was compared with when it was new.
		not_compared = CASE WHEN NOT is_newest AND r.compared_with IS NULL
				THEN coalesce(r.not_compared, 'a newer run was compared before it was loaded')
			WHEN NOT is_newest THEN r.not_compared
			WHEN NOT u.is_compared THEN 'it is one of the first runs: later ones are compared with it'
			ELSE c.not_compared END
	FROM (SELECT o.test_run_id, o.repetitions, o.test_run_id = ANY (mark_checked.run_ids) AS is_compared
		FROM unnest(checked_ids, mark_checked.repetitions) AS o (test_run_id, repetitions)) AS u
	WHERE r.benchmark_id = mark_checked.benchmark_id AND r.event = mark_checked.event AND r.unit = mark_checked.unit
		AND r.branch = mark_checked.branch AND r.test_run_id = u.test_run_id
		-- A repetition that came meanwhile is looked at the next time.
		AND r.repetitions = u.repetitions;
END
$$;
COMMENT ON FUNCTION mark_checked(bigint, text, text, text, bigint[], bigint[], int[], bool, int)
	IS 'writes into the rollups of new runs that the night has looked at them, and with what they were compared; the '
		'arguments are a row of new_runs()';

CREATE FUNCTION compare_new_runs(benchmark_id bigint, families int, OUT runs int, OUT done changes)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := compare_new_runs.benchmark_id;
	v_families CONSTANT int := coalesce(compare_new_runs.families, profiling.families_of(v_id));
	g record;
	v_run bigint;
BEGIN
	done := ROW(0, 0, 0, '{}'::bigint[], 0, 0, 0, NULL);
	-- Somebody else is at it; what is new is seen by that session, or the next time.
	IF NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch', v_id)) THEN
		RETURN;
	END IF;
	-- merge_rollups() takes the same rows in another order.
	PERFORM pg_advisory_xact_lock(hashtextextended('flamegraph_store months', v_id));
	runs := 0;
	PERFORM profiling.fold_rollups(v_id, NULL::bigint);
	FOR g IN SELECT * FROM profiling.new_runs(v_id) LOOP
		runs := runs + cardinality(g.checked_ids);
		IF g.is_newest THEN
			done := profiling.watch_group(done, v_id, g.event, g.unit, g.branch, g.run_ids, v_families);
		END IF;
		PERFORM profiling.mark_checked(v_id, g.event, g.unit, g.branch, g.run_ids, g.checked_ids, g.repetitions,
			g.is_newest, v_families);
	END LOOP;
	FOREACH v_run IN ARRAY profiling.unfitted_runs(v_id) LOOP
		runs := runs + 1;
		done := profiling.watch_models(done, v_id, v_run);
	END LOOP;
END
$$;
COMMENT ON FUNCTION compare_new_runs(bigint, int)
	IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings, and '
		'tells nobody; runs: how many were looked at, null when another session is at it; families: how many families '
		'of tests there are tonight, null for those of this benchmark';

CREATE FUNCTION watch_benchmark(benchmark_id bigint, families int DEFAULT NULL, OUT runs int, OUT opened int,
		OUT updated int, OUT closed int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_all record;
	v_done profiling.changes;
	v_night bigint;
BEGIN
	PERFORM profiling.need_access('watch_benchmark'::text, 'admin'::text);
	PERFORM profiling.keep_corrections_out();
	v_all := profiling.compare_new_runs(watch_benchmark.benchmark_id, watch_benchmark.families);
	v_done := v_all.done;
	runs := v_all.runs;
	opened := v_done.opened;
	updated := v_done.updated;
	closed := v_done.closed;
	IF runs > 0 THEN
		-- a night of one benchmark
		INSERT INTO profiling.job_log AS l (started_at, benchmark_id, step, outcome, detail, kept_back)
		VALUES (v_started, watch_benchmark.benchmark_id, 'watch_benchmark', 'ok',
			profiling.changes_in_words(runs, v_done), profiling.kept_back(v_done))
		RETURNING l.log_id INTO v_night;
		PERFORM profiling.finish_night(v_night);
	END IF;
END
$$;
COMMENT ON FUNCTION watch_benchmark(bigint, int)
	IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings and '
		'sends NOTIFY profiling_regression with ids; returns how many runs were looked at (null: another session '
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
	SELECT count(*) INTO v_families
	FROM profiling.rollups_of(detect.benchmark_id, ARRAY[v_run]) AS r,
		profiling.watches_of(r.benchmark_id, r.event) AS w
	WHERE r.span = 'run' AND w.method NOT IN ('integral', 'local_statistics');
	RETURN QUERY
	SELECT d.*
	FROM profiling.rollups_of(detect.benchmark_id, ARRAY[v_run]) AS r,
		profiling.watches_of(r.benchmark_id, r.event) AS w,
		LATERAL profiling.found(w, r.benchmark_id, r.event, r.unit, r.branch, ARRAY[v_run],
			v_families::float8) AS f,
		LATERAL profiling.with_team(f, profiling.summed(r.flamegraph, r.benchmark_id, r.pending)) AS d
	WHERE r.span = 'run' AND w.method NOT IN ('integral', 'local_statistics')
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
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_all CONSTANT bigint[] := ARRAY(SELECT b.benchmark_id FROM profiling.benchmark AS b);
	v_new CONSTANT bigint[] := ARRAY(SELECT DISTINCT r.benchmark_id FROM profiling.rollup AS r
		WHERE r.checked_at IS NULL AND profiling.has_begun(r.started_at));
BEGIN
	RETURN ARRAY(SELECT b.id FROM unnest(v_all) AS b (id)
		WHERE b.id = ANY (v_new) OR cardinality(profiling.unfitted_runs(b.id)) > 0 ORDER BY b.id);
END
$$;
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

CREATE FUNCTION watch_step(benchmark_id bigint, families int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done record;
	v_detail text;
BEGIN
	PERFORM profiling.keep_corrections_out();
	v_done := profiling.compare_new_runs(watch_step.benchmark_id, watch_step.families);
	IF v_done.runs IS NULL THEN
		PERFORM profiling.log_job('watch'::text, 'skipped'::text, v_started, 'another session is at it'::text,
			watch_step.benchmark_id);
	ELSIF v_done.runs > 0 THEN
		PERFORM profiling.log_job('watch'::text, 'ok'::text, v_started,
			profiling.changes_in_words(v_done.runs, v_done.done), watch_step.benchmark_id,
			profiling.kept_back(v_done.done));
	END IF;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job('watch'::text, 'failed'::text, v_started,
		concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')), watch_step.benchmark_id);
END
$$;
COMMENT ON FUNCTION watch_step(bigint, int)
	IS 'compare_new_runs(); what it did, or why it failed, is recorded in job_log';

CREATE FUNCTION warn_of_night(log_id bigint) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	n record;
BEGIN
	SELECT count(*) AS missed, count(*) FILTER (WHERE l.outcome = 'failed') AS failed INTO n
	FROM (SELECT DISTINCT ON (o.benchmark_id) o.outcome FROM profiling.job_log AS o
		WHERE o.step = 'watch' AND o.log_id > warn_of_night.log_id
		ORDER BY o.benchmark_id, o.log_id DESC) AS l
	WHERE l.outcome <> 'ok';
	IF n.missed > 0 THEN
		RAISE WARNING '% not compared', CASE n.missed WHEN 1 THEN '1 benchmark was'
			ELSE format('%s benchmarks were', n.missed) END
			USING DETAIL = format('%s failed, %s skipped.', n.failed, n.missed - n.failed),
				HINT = 'SELECT * FROM profiling.night_health says why.';
	END IF;
END
$$;
COMMENT ON FUNCTION warn_of_night(bigint)
	IS 'a WARNING when the last comparison of a benchmark since this line of job_log failed or was skipped';

CREATE PROCEDURE watch_run()
	LANGUAGE plpgsql AS $$
DECLARE
	v_night pg_catalog.record;
	v_ids bigint[];
	v_id bigint;
BEGIN
	PERFORM profiling.need_access('watch_run'::pg_catalog.text, 'admin'::pg_catalog.text);
	v_night := profiling.begin_night();
	v_ids := profiling.benchmarks_to_watch();
	CALL profiling.commit_or_say('watch_run() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	FOREACH v_id IN ARRAY v_ids LOOP
		PERFORM profiling.watch_step(v_id, v_night.families);
		COMMIT;
	END LOOP;
	PERFORM profiling.finish_night(v_night.log_id);
	COMMIT;
	PERFORM profiling.warn_of_night(v_night.log_id);
END
$$;
COMMENT ON PROCEDURE watch_run()
	IS 'every night: compares the new runs of all benchmarks, each in a transaction of its own, and then tells what '
		'was found; what fails is recorded in job_log and the others go on, with a WARNING at the end; called alone';
