
--
-- benchmarks under another name, and two that are one: corrections (corrections.sql), too
--

CREATE FUNCTION tell_lost_patterns(suite text, name text, new_suite text, new_name text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_lost text;
BEGIN
	SELECT string_agg(format('%s %s', o.what, o.ids), ', ' ORDER BY o.what DESC) INTO v_lost
	FROM (SELECT p.what, string_agg(p.id::text, ', ' ORDER BY p.id) AS ids
		FROM (SELECT 'watch' AS what, w.watch_id AS id, w.suite, w.benchmark FROM profiling.watch AS w
			UNION ALL SELECT 'frame_rule', r.rule_id, r.suite, r.benchmark FROM profiling.frame_rule AS r) AS p
		WHERE tell_lost_patterns.suite LIKE p.suite AND tell_lost_patterns.name LIKE p.benchmark
			AND NOT (tell_lost_patterns.new_suite LIKE p.suite AND tell_lost_patterns.new_name LIKE p.benchmark)
		GROUP BY p.what) AS o;
	IF v_lost IS NOT NULL THEN
		RAISE NOTICE 'the patterns of some rows match the old name only' USING
			DETAIL = format('They are: %s.', v_lost),
			HINT = 'They have no effect on the benchmark any more. If they should, change their suite and benchmark.';
	END IF;
END
$$;
COMMENT ON FUNCTION tell_lost_patterns(text, text, text, text)
	IS 'the NOTICE about rows of watch and frame_rule that a benchmark loses with its name';

CREATE FUNCTION refuse_name(suite text, name text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_suites CONSTANT text[] := ARRAY(SELECT DISTINCT b.suite COLLATE "C" FROM profiling.benchmark AS b
		WHERE b.name = refuse_name.name ORDER BY 1);
BEGIN
	RAISE EXCEPTION 'there is no benchmark "%" in suite "%"', refuse_name.name, refuse_name.suite USING
		ERRCODE = 'no_data_found',
		HINT = CASE WHEN cardinality(v_suites) > 0
			THEN format('There is one of this name in suite %s.', profiling.quoted_names(v_suites[:5]))
			ELSE profiling.names_hint(refuse_name.name, ARRAY(SELECT DISTINCT b.name COLLATE "C"
				FROM profiling.benchmark AS b WHERE b.suite = refuse_name.suite ORDER BY 1)) END;
END
$$;
COMMENT ON FUNCTION refuse_name(text, text) IS 'the error for a benchmark that is not there';

CREATE FUNCTION name_is_free(suite text, name text, old_suite text, old_name text) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_pairs text;
BEGIN
	SELECT string_agg(format('SELECT profiling.merge_benchmarks(%s, %s);', f.benchmark_id, i.benchmark_id), ' '
		ORDER BY f.benchmark_id) INTO v_pairs
	FROM profiling.benchmark AS f JOIN profiling.benchmark AS i ON i.parameters_id = f.parameters_id
	WHERE f.suite = old_suite AND f.name = old_name AND i.suite = name_is_free.suite AND i.name = name_is_free.name;
	IF v_pairs IS NOT NULL THEN
		RAISE EXCEPTION 'there is a benchmark % already', profiling.benchmark_in_words(name_is_free.suite,
				name_is_free.name, '{}'::jsonb) USING
			ERRCODE = 'unique_violation',
			HINT = format('To make one of two: %s', v_pairs);
	END IF;
	IF EXISTS (SELECT 1 FROM profiling.benchmark_alias AS a WHERE a.suite = name_is_free.suite
			AND a.name = name_is_free.name AND (a.new_suite, a.new_name) <> (old_suite, old_name)) THEN
		RAISE EXCEPTION 'what is loaded for benchmark % goes to another one', profiling.benchmark_in_words(
				name_is_free.suite, name_is_free.name, '{}'::jsonb) USING
			ERRCODE = 'unique_violation',
			HINT = format('To let the name free: DELETE FROM profiling.benchmark_alias WHERE suite = %L AND name = %L.',
				name_is_free.suite, name_is_free.name);
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION name_is_free(text, text, text, text)
	IS 'true; an error where a benchmark cannot be given this name: one with the same parameters has it, or loads '
		'under it go elsewhere';

CREATE FUNCTION rename_benchmark(old_name text, new_name text, suite text DEFAULT '',
		new_suite text DEFAULT NULL) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_suite CONSTANT text := coalesce(rename_benchmark.suite, '');
	v_new_suite CONSTANT text := coalesce(rename_benchmark.new_suite, rename_benchmark.suite, '');
	v_done profiling.correction := profiling.nothing_corrected();
BEGIN
	PERFORM profiling.begin_correction('rename_benchmark'::text);
	IF rename_benchmark.new_name IS NULL OR (v_suite, old_name) = (v_new_suite, rename_benchmark.new_name) THEN
		RAISE EXCEPTION 'the new name must be another one, and cannot be null'
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF NOT EXISTS (SELECT 1 FROM profiling.benchmark AS b WHERE b.suite = v_suite AND b.name = old_name) THEN
		PERFORM profiling.refuse_name(v_suite, old_name);
	END IF;
	PERFORM profiling.name_is_free(v_new_suite, rename_benchmark.new_name, v_suite, old_name);
	UPDATE profiling.benchmark AS b SET suite = v_new_suite, name = rename_benchmark.new_name
	WHERE b.suite = v_suite AND b.name = old_name;
	GET DIAGNOSTICS v_done.benchmarks = ROW_COUNT;
	-- The new name has been an old one of the same benchmark, and is its own again; what was merged stays so.
	DELETE FROM profiling.benchmark_alias AS a WHERE a.suite = v_new_suite AND a.name = rename_benchmark.new_name
		AND (a.parameters IS NULL OR a.parameters = a.new_parameters
			OR EXISTS (SELECT 1 FROM profiling.benchmark AS b
				WHERE b.suite = a.suite AND b.name = a.name AND b.parameters_id = a.parameters_id));
	UPDATE profiling.benchmark_alias AS a SET new_suite = v_new_suite, new_name = rename_benchmark.new_name
	WHERE a.new_suite = v_suite AND a.new_name = old_name;
	INSERT INTO profiling.benchmark_alias AS a (suite, name, parameters_id, new_suite, new_name)
	VALUES (v_suite, old_name, profiling.object_id('null'::jsonb), v_new_suite, rename_benchmark.new_name)
	ON CONFLICT (suite, name, parameters_id) DO UPDATE SET new_suite = EXCLUDED.new_suite,
		new_name = EXCLUDED.new_name;
	PERFORM profiling.tell_lost_patterns(v_suite, old_name, v_new_suite, rename_benchmark.new_name);
	PERFORM profiling.log_correction(format('rename_benchmark() %s to %s',
		profiling.benchmark_in_words(v_suite, old_name, '{}'::jsonb),
		profiling.benchmark_in_words(v_new_suite, rename_benchmark.new_name, '{}'::jsonb)), v_done, NULL::bigint);
	RETURN v_done;
END
$$;
COMMENT ON FUNCTION rename_benchmark(text, text, text, text)
	IS 'gives a benchmark, with whatever parameters, another name or suite; what is loaded under the old one goes '
		'there, by benchmark_alias; for access admin';

--
-- two that are one
--

CREATE FUNCTION join_rollups(from_id bigint, into_id bigint, event text, unit text, branch text,
		keys bigint[], months bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
BEGIN
	PERFORM profiling.fold_rollups(b.id, k.id) FROM unnest(ARRAY[from_id, into_id]) AS b (id), unnest(keys) AS k (id);
	FOR g IN
		SELECT o.is_month, o.part, CASE WHEN o.is_month THEN o.unit_of_metric END AS metric_unit,
			array_agg(DISTINCT o.test_run_id) AS ids,
			array_agg(DISTINCT o.unit_of_metric) FILTER (WHERE o.metric_count > 0) AS units
		FROM (SELECT r.test_run_id, r.metric_count, r.metric_unit AS unit_of_metric,
				r.run_ids && months AS is_month,
				CASE WHEN r.run_ids && months THEN profiling.month_of(r.started_at)::text
					ELSE r.test_run_id::text END AS part
			FROM profiling.rollup AS r
			WHERE r.benchmark_id IN (from_id, into_id) AND r.event = join_rollups.event
				AND r.unit = join_rollups.unit AND r.branch = join_rollups.branch AND r.test_run_id = ANY (keys)) AS o
		GROUP BY 1, 2, 3
		ORDER BY 1, 2, 3
	LOOP
		IF cardinality(g.units) > 1 THEN
			RAISE EXCEPTION 'metrics of one run have different units' USING
				ERRCODE = 'invalid_parameter_value',
				DETAIL = format('Those of run %s are in %s.', g.part, array_to_string(g.units, ', '));
		END IF;
		PERFORM profiling.merge_rows(ARRAY[into_id, from_id], join_rollups.event, join_rollups.unit,
			join_rollups.branch, coalesce(g.units[1], ''), g.ids,
			CASE WHEN g.is_month THEN 'month' ELSE 'run' END);
	END LOOP;
END
$$;
COMMENT ON FUNCTION join_rollups(bigint, bigint, text, text, text, bigint[], bigint[])
	IS 'makes one rollup of those that two benchmarks have for a run or a month, from their sums and moments; keys: '
		'these rollups; months: the runs of them that are in months';

CREATE FUNCTION shared_runs(from_id bigint, into_id bigint, event text, unit text, branch text) RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Two sums of one month are one, too, though they share no run.
	RETURN ARRAY(SELECT DISTINCT u.id
		FROM profiling.rollup AS f JOIN profiling.rollup AS i ON i.benchmark_id = into_id AND i.event = f.event
				AND i.unit = f.unit AND i.branch = f.branch
				AND (i.run_ids && f.run_ids OR i.span = 'month' AND f.span = 'month'
					AND i.metric_unit = f.metric_unit
					AND profiling.month_of(i.started_at) = profiling.month_of(f.started_at)),
			unnest(f.run_ids || i.run_ids) AS u (id)
		WHERE f.benchmark_id = from_id AND f.event = shared_runs.event AND f.unit = shared_runs.unit
			AND f.branch = shared_runs.branch);
END
$$;
COMMENT ON FUNCTION shared_runs(bigint, bigint, text, text, text)
	IS 'the runs of the rollups of two benchmarks that must become one';

CREATE FUNCTION equal_profiles(from_id bigint, into_id bigint)
	RETURNS TABLE (benchmark_id bigint, profile_id bigint, test_run_id bigint, event text, unit text)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN f.profile_id > i.profile_id THEN f.benchmark_id ELSE i.benchmark_id END,
			greatest(f.profile_id, i.profile_id), f.test_run_id, f.event, f.unit
		FROM profile AS f JOIN profile AS i ON i.benchmark_id = equal_profiles.into_id
			AND i.test_run_id = f.test_run_id AND i.event = f.event AND i.unit = f.unit AND i.instance = f.instance
			AND i.repetition = f.repetition AND i.content_id = f.content_id
		WHERE f.benchmark_id = equal_profiles.from_id;
	END;
COMMENT ON FUNCTION equal_profiles(bigint, bigint)
	IS 'the profiles that two benchmarks both have, by their key: those of them that were loaded later';

CREATE FUNCTION move_profiles(from_id bigint, into_id bigint, ids bigint[]) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_moved bigint;
BEGIN
	DELETE FROM profiling.profile_data AS d
	WHERE d.benchmark_id IN (from_id, into_id) AND d.profile_id = ANY (ids);
	DELETE FROM profiling.profile AS p WHERE p.benchmark_id IN (from_id, into_id) AND p.profile_id = ANY (ids);
	UPDATE profiling.profile_data AS d SET benchmark_id = into_id WHERE d.benchmark_id = from_id;
	UPDATE profiling.profile AS p SET benchmark_id = into_id WHERE p.benchmark_id = from_id;
	GET DIAGNOSTICS v_moved = ROW_COUNT;
	RETURN v_moved;
END
$$;
COMMENT ON FUNCTION move_profiles(bigint, bigint, bigint[])
	IS 'gives the profiles of a benchmark to another one, without these, which both have; returns how many';

CREATE FUNCTION checked_runs(benchmark_ids bigint[], event text, unit text, branch text, keys bigint[]) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(o.id), '{}'::bigint[])
		FROM (SELECT r.test_run_id AS id FROM rollup AS r
			WHERE r.benchmark_id = ANY (checked_runs.benchmark_ids) AND r.event = checked_runs.event
				AND r.unit = checked_runs.unit AND r.branch = checked_runs.branch
				AND r.test_run_id = ANY (checked_runs.keys)
			GROUP BY r.test_run_id HAVING pg_catalog.bool_and(r.checked_at IS NOT NULL)) AS o;
	END;
COMMENT ON FUNCTION checked_runs(bigint[], text, text, text, bigint[])
	IS 'those of these rollups of some benchmarks that the night has looked at in each of them';

CREATE FUNCTION move_rollups(from_id bigint, into_id bigint, OUT profiles bigint, OUT rollups bigint,
		OUT rebuilt bigint)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_equal CONSTANT bigint[] := ARRAY(SELECT e.profile_id FROM profiling.equal_profiles(from_id, into_id) AS e);
	v_both CONSTANT bigint[] := ARRAY[into_id, from_id];
	v_groups jsonb := '[]';
	g record;
	t record;
BEGIN
	rebuilt := 0;
	FOR g IN
		SELECT o.event, o.unit, o.branch, profiling.shared_runs(from_id, into_id, o.event, o.unit, o.branch) AS shared
		FROM (SELECT DISTINCT r.event, r.unit, r.branch FROM profiling.rollup AS r WHERE r.benchmark_id = from_id) AS o
		ORDER BY 1, 2, 3
	LOOP
		CONTINUE WHEN cardinality(g.shared) = 0;
		t := profiling.touched_rollups(v_both, g.event, g.unit, g.branch, g.shared);
		rebuilt := rebuilt + cardinality(t.keys);
		v_groups := v_groups || jsonb_build_object('event', g.event, 'unit', g.unit, 'branch', g.branch,
			'runs', CASE WHEN t.present = t.repetitions THEN t.runs ELSE '{}' END, 'months', t.months,
			'checked', profiling.checked_runs(v_both, g.event, g.unit, g.branch, t.keys));
		IF t.present = t.repetitions THEN
			-- All profiles are here: one after the other, when they have moved.
			DELETE FROM profiling.rollup AS r WHERE r.benchmark_id = ANY (v_both) AND r.event = g.event
				AND r.unit = g.unit AND r.branch = g.branch AND r.test_run_id = ANY (t.keys);
			CONTINUE;
		END IF;
		IF EXISTS (SELECT 1 FROM profiling.equal_profiles(from_id, into_id) AS e
				WHERE e.event = g.event AND e.unit = g.unit AND e.test_run_id = ANY (t.runs)) THEN
			PERFORM profiling.refuse_months('a profile that both benchmarks have'::text, into_id, g.event, g.branch,
				'delete_run(…, benchmark_id) takes the run away from one of them.'::text);
		END IF;
		PERFORM profiling.join_rollups(from_id, into_id, g.event, g.unit, g.branch, t.keys, t.months);
	END LOOP;
	UPDATE profiling.rollup AS r SET benchmark_id = into_id WHERE r.benchmark_id = from_id;
	GET DIAGNOSTICS rollups = ROW_COUNT;
	profiles := profiling.move_profiles(from_id, into_id, v_equal);
	FOR g IN SELECT * FROM jsonb_to_recordset(v_groups) AS o (event text, unit text, branch text, runs bigint[],
		months bigint[], checked bigint[])
	LOOP
		PERFORM profiling.replay_runs(into_id, g.event, g.unit, g.branch, g.runs);
		PERFORM profiling.merge_replayed(into_id, g.event, g.unit, g.branch,
			ARRAY(SELECT u.id FROM unnest(g.months) AS u (id) WHERE u.id = ANY (g.runs)));
		UPDATE profiling.rollup AS r SET checked_at = now()
		WHERE r.benchmark_id = into_id AND r.event = g.event AND r.unit = g.unit AND r.branch = g.branch
			AND r.test_run_id = ANY (g.checked) AND r.checked_at IS NULL;
	END LOOP;
END
$$;
COMMENT ON FUNCTION move_rollups(bigint, bigint)
	IS 'gives profiles and rollups of a benchmark to another one; where both have a run or a month, it is computed '
		'anew from the profiles, or merged where some of these are gone';

CREATE FUNCTION move_models(from_id bigint, into_id bigint, OUT observations bigint, OUT models bigint)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	-- Runs that both have points of: the models are of all of these.
	v_runs CONSTANT bigint[] := ARRAY(SELECT DISTINCT m.test_run_id FROM profiling.fitted_model AS m
		WHERE m.benchmark_id IN (from_id, into_id)
			AND EXISTS (SELECT 1 FROM profiling.observation AS o WHERE o.benchmark_id = from_id
				AND o.test_run_id = m.test_run_id)
			AND EXISTS (SELECT 1 FROM profiling.observation AS o WHERE o.benchmark_id = into_id
				AND o.test_run_id = m.test_run_id) ORDER BY 1);
BEGIN
	DELETE FROM profiling.observation AS o USING profiling.observation AS i
	WHERE o.benchmark_id IN (from_id, into_id) AND i.benchmark_id IN (from_id, into_id)
		AND o.benchmark_id <> i.benchmark_id AND i.test_run_id = o.test_run_id AND i.load_id = o.load_id
		AND i.ordinal = o.ordinal AND i.observation_id < o.observation_id;
	UPDATE profiling.observation AS o SET benchmark_id = into_id WHERE o.benchmark_id = from_id;
	GET DIAGNOSTICS observations = ROW_COUNT;
	DELETE FROM profiling.fitted_model AS m
	WHERE m.benchmark_id IN (from_id, into_id) AND m.test_run_id = ANY (v_runs);
	-- Of points that are gone one model stays.
	DELETE FROM profiling.fitted_model AS m USING profiling.fitted_model AS i
	WHERE m.benchmark_id = from_id AND i.benchmark_id = into_id AND i.test_run_id = m.test_run_id
		AND i.location = m.location AND i.kind = m.kind AND i.unit = m.unit;
	UPDATE profiling.fitted_model AS m SET benchmark_id = into_id WHERE m.benchmark_id = from_id;
	GET DIAGNOSTICS models = ROW_COUNT;
	models := models + coalesce((SELECT sum(profiling.fit_run(into_id, u.id)) FROM unnest(v_runs) AS u (id)), 0);
END
$$;
COMMENT ON FUNCTION move_models(bigint, bigint)
	IS 'gives observations and models of a benchmark to another one; models of runs that both have are fitted to the '
		'points of both';

CREATE FUNCTION move_findings(from_id bigint, into_id bigint) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_moved bigint;
BEGIN
	-- Open in both: one row from the first run to the last one.
	WITH twin AS (
		DELETE FROM profiling.regression AS f USING profiling.regression AS o
		WHERE f.benchmark_id = from_id AND f.status IN ('open', 'acknowledged', 'pending') AND o.benchmark_id = into_id
			AND o.status IN ('open', 'acknowledged', 'pending') AND o.event = f.event AND o.unit = f.unit
			AND o.branch = f.branch AND o.method = f.method AND o.level = f.level AND o.subject_id = f.subject_id
		RETURNING o.regression_id AS kept_id, f.first_test_run_id, f.last_test_run_id,
			f.status
	)
	UPDATE profiling.regression AS r SET
		status = CASE r.status WHEN 'pending' THEN w.status ELSE r.status END,
		first_test_run_id = (SELECT t.test_run_id FROM profiling.test_run AS t
			WHERE t.test_run_id IN (r.first_test_run_id, w.first_test_run_id)
			ORDER BY t.started_at, t.test_run_id LIMIT 1),
		last_test_run_id = (SELECT t.test_run_id FROM profiling.test_run AS t
			WHERE t.test_run_id IN (r.last_test_run_id, w.last_test_run_id)
			ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1)
	FROM twin AS w WHERE r.benchmark_id = into_id AND r.regression_id = w.kept_id;
	UPDATE profiling.regression AS f SET benchmark_id = into_id WHERE f.benchmark_id = from_id;
	GET DIAGNOSTICS v_moved = ROW_COUNT;
	RETURN v_moved;
END
$$;
COMMENT ON FUNCTION move_findings(bigint, bigint)
	IS 'gives the findings of a benchmark to another one; of two that are open for the same one stays';

CREATE FUNCTION merge_look_again(from_id bigint, into_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	UPDATE profiling.rollup AS r SET checked_at = NULL
	FROM (SELECT DISTINCT ON (o.event, o.unit, o.branch) o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id
		FROM profiling.rollup AS o
		WHERE o.benchmark_id IN (from_id, into_id) AND o.span = 'run' AND profiling.has_begun(o.started_at)
			AND EXISTS (SELECT 1 FROM profiling.rollup AS g WHERE g.benchmark_id = from_id AND g.event = o.event
				AND g.unit = o.unit AND g.branch = o.branch)
		ORDER BY o.event, o.unit, o.branch, o.started_at DESC, o.test_run_id DESC) AS n
	WHERE r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.unit = n.unit AND r.branch = n.branch
		AND r.test_run_id = n.test_run_id;
END
$$;
COMMENT ON FUNCTION merge_look_again(bigint, bigint)
	IS 'lets the next night compare the newest run again of each event, unit and branch that a benchmark brings to '
		'another one';

CREATE FUNCTION may_be_merged(from_id bigint, into_id bigint) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_missing bigint;
BEGIN
	SELECT u.id INTO v_missing FROM unnest(ARRAY[from_id, into_id]) AS u (id)
	WHERE NOT EXISTS (SELECT 1 FROM profiling.benchmark AS b WHERE b.benchmark_id = u.id) LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'there is no benchmark %', coalesce(v_missing::text, 'NULL') USING
			ERRCODE = 'no_data_found', HINT = 'The numbers of benchmarks are in profiling.benchmark.';
	END IF;
	IF from_id = into_id THEN
		RAISE EXCEPTION 'a benchmark cannot be merged with itself' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF (SELECT count(DISTINCT b.metric_direction) > 1 FROM profiling.benchmark AS b
			WHERE b.benchmark_id IN (from_id, into_id)) THEN
		RAISE EXCEPTION 'the metrics of the two benchmarks have opposite directions' USING
			ERRCODE = 'invalid_parameter_value',
			HINT = 'UPDATE profiling.benchmark SET metric_direction = … makes them agree.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION may_be_merged(bigint, bigint) IS 'true; an error for benchmarks that cannot become one';

CREATE FUNCTION merge_benchmarks(from_id bigint, into_id bigint) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_done profiling.correction := profiling.nothing_corrected();
	f record;
	i record;
	v_rollups record;
	v_models record;
BEGIN
	IF profiling.is_on_citus('profile'::text) THEN
		RAISE EXCEPTION 'benchmarks cannot be merged in a store on Citus' USING
			ERRCODE = 'feature_not_supported',
			DETAIL = 'Their rows may be on different servers, and do not move between them.',
			HINT = 'Load the profiles of the one under the name of the other, and delete it.';
	END IF;
	PERFORM profiling.begin_correction('merge_benchmarks'::text);
	PERFORM profiling.may_be_merged(from_id, into_id);
	PERFORM profiling.merge_look_again(from_id, into_id);
	v_rollups := profiling.move_rollups(from_id, into_id);
	v_done.profiles := v_rollups.profiles;
	v_done.rollups := v_rollups.rollups;
	v_done.rebuilt := v_rollups.rebuilt;
	v_models := profiling.move_models(from_id, into_id);
	v_done.observations := v_models.observations;
	v_done.models := v_models.models;
	v_done.findings := profiling.move_findings(from_id, into_id);
	DELETE FROM profiling.candidate AS c WHERE c.benchmark_id = from_id;
	UPDATE profiling.job_log AS l SET benchmark_id = into_id WHERE l.benchmark_id = from_id;
	DELETE FROM profiling.benchmark AS b WHERE b.benchmark_id = from_id RETURNING b.* INTO f;
	v_done.benchmarks := 1;
	UPDATE profiling.benchmark AS b SET created_at = least(b.created_at, f.created_at)
	WHERE b.benchmark_id = into_id RETURNING b.* INTO i;
	UPDATE profiling.benchmark_alias AS a SET new_suite = i.suite, new_name = i.name, new_parameters = i.parameters
	WHERE a.new_suite = f.suite AND a.new_name = f.name AND a.new_parameters = f.parameters;
	INSERT INTO profiling.benchmark_alias AS a (suite, name, parameters, parameters_id, new_suite, new_name,
		new_parameters)
	VALUES (f.suite, f.name, f.parameters, f.parameters_id, i.suite, i.name, i.parameters)
	ON CONFLICT (suite, name, parameters_id) DO UPDATE SET new_suite = EXCLUDED.new_suite,
		new_name = EXCLUDED.new_name, new_parameters = EXCLUDED.new_parameters;
	PERFORM profiling.tell_lost_patterns(f.suite, f.name, i.suite, i.name);
	PERFORM profiling.log_correction(format('merge_benchmarks(%s, %s) %s into %s', from_id, into_id,
		profiling.benchmark_in_words(f.suite, f.name, f.parameters),
		profiling.benchmark_in_words(i.suite, i.name, i.parameters)), v_done, into_id);
	RETURN v_done;
END
$$;
COMMENT ON FUNCTION merge_benchmarks(bigint, bigint)
	IS 'gives all that is known of a benchmark to another one and takes the first away: runs that both have are summed '
		'up together, profiles that both have count once; what is loaded for the first goes to the other, by '
		'benchmark_alias; for access admin';
