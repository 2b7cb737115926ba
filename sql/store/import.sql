
--
-- getting data in
--
-- Import runs no DDL and takes its locks in one order: benchmark, run, and then
-- profile and rollup in the order of (event, unit). Several imports in one
-- transaction should keep to one order of benchmarks, or be a transaction each.
--

CREATE FUNCTION object_id(value jsonb) RETURNS uuid
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT md5(value::text)::uuid;
	END;
COMMENT ON FUNCTION object_id(jsonb) IS 'what stands for an object of labels or parameters in a key';

CREATE FUNCTION content_id(fg flamegraph, truncated flamegraph DEFAULT NULL) RETURNS uuid
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT (lpad(to_hex(flamegraph_hash_extended(v, 1)), 16, '0')
				|| lpad(to_hex(flamegraph_hash_extended(v, 2)), 16, '0'))::uuid
		FROM (VALUES (coalesce(fg + truncated, fg))) AS t (v);
	END;
COMMENT ON FUNCTION content_id(flamegraph, flamegraph) IS '128-bit hash of a profile, with what was cut off: the same wherever the depth limit was set';

CREATE FUNCTION stats_of(stats flamestats, fg flamegraph, level text) RETURNS flamestats
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN stats_of.stats IS NOT NULL THEN stats_of.stats
					ELSE (SELECT stats(v, stats_of.level) FROM (VALUES (stats_of.fg)) AS t (v)) END;
	END;
COMMENT ON FUNCTION stats_of(flamestats, flamegraph, text) IS 'moments of a rollup at a level: its column stats_LEVEL, or those of its single profile';

CREATE FUNCTION summed(fg flamegraph, benchmark_id bigint, pending bigint[]) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN cardinality(summed.pending) = 0 THEN summed.fg
					ELSE summed.fg + coalesce((SELECT sum(d.flamegraph) FROM profile_data AS d
						WHERE d.benchmark_id = summed.benchmark_id AND d.profile_id = ANY (summed.pending)), '') END;
	END;
COMMENT ON FUNCTION summed(flamegraph, bigint, bigint[]) IS 'sum of all profiles of a rollup, from its columns: with those that are only noted in pending';

CREATE FUNCTION fold_rollups(benchmark_id bigint, test_run_id bigint DEFAULT NULL) RETURNS int
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
	g record;
	v_pending bigint[];
	v_folded int := 0;
BEGIN
	-- In the order in which imports take their locks.
	FOR g IN
		SELECT r.event, r.unit, r.branch, r.test_run_id FROM rollup AS r
		WHERE r.benchmark_id = fold_rollups.benchmark_id AND r.pending <> '{}'
			AND (fold_rollups.test_run_id IS NULL OR r.test_run_id = fold_rollups.test_run_id)
		ORDER BY r.event COLLATE "C", r.unit COLLATE "C", r.branch COLLATE "C", r.test_run_id
	LOOP
		SELECT r.pending INTO v_pending FROM rollup AS r
		WHERE r.benchmark_id = fold_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit AND r.branch = g.branch
			AND r.test_run_id = g.test_run_id AND r.pending <> '{}'
		FOR UPDATE;
		CONTINUE WHEN NOT FOUND;
		UPDATE rollup AS r SET
			flamegraph = r.flamegraph + p.fg,
			stats_stack = stats_of(r.stats_stack, r.flamegraph, 'stack') + p.stack,
			stats_node = stats_of(r.stats_node, r.flamegraph, 'node') + p.node,
			stats_frame = stats_of(r.stats_frame, r.flamegraph, 'frame') + p.frame,
			stats_self = stats_of(r.stats_self, r.flamegraph, 'self') + p.self,
			pending = '{}'
		FROM (SELECT sum(d.flamegraph) AS fg, stats(d.flamegraph, 'stack') AS stack, stats(d.flamegraph, 'node') AS node,
				stats(d.flamegraph, 'frame') AS frame, stats(d.flamegraph, 'self') AS self
			FROM profile_data AS d WHERE d.benchmark_id = fold_rollups.benchmark_id AND d.profile_id = ANY (v_pending)
			HAVING count(*) > 0) AS p
		WHERE r.benchmark_id = fold_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit AND r.branch = g.branch
			AND r.test_run_id = g.test_run_id;
		v_folded := v_folded + cardinality(v_pending);
	END LOOP;
	RETURN v_folded;
END
$$;
COMMENT ON FUNCTION fold_rollups(bigint, bigint) IS 'adds the pending profiles of a benchmark''s rollups (of one run, or of all) to their sums and moments; returns how many profiles that were';

CREATE FUNCTION ensure_benchmark(suite text, name text, parameters jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
	v_suite CONSTANT text := coalesce(ensure_benchmark.suite, '');
	v_parameters CONSTANT jsonb := coalesce(ensure_benchmark.parameters, '{}');
	v_parameters_id CONSTANT uuid := object_id(v_parameters);
	v_id bigint;
BEGIN
	IF ensure_benchmark.name IS NULL THEN
		RAISE EXCEPTION 'the name of a benchmark cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	-- Mostly it is there, and a sequence that moves on for nothing would be a pity.
	FOR i IN 1 .. 2 LOOP
		SELECT b.benchmark_id INTO v_id FROM benchmark AS b
		WHERE b.suite = v_suite AND b.name = ensure_benchmark.name AND b.parameters_id = v_parameters_id;
		IF FOUND THEN
			RETURN v_id;
		END IF;
		INSERT INTO benchmark AS b (suite, name, parameters, parameters_id)
		VALUES (v_suite, ensure_benchmark.name, v_parameters, v_parameters_id)
		ON CONFLICT ON CONSTRAINT benchmark_key DO NOTHING
		RETURNING b.benchmark_id INTO v_id;
		IF FOUND THEN
			RETURN v_id;
		END IF;
	END LOOP;
	RAISE EXCEPTION 'benchmark was deleted by a concurrent transaction' USING ERRCODE = 'serialization_failure';
END
$$;
COMMENT ON FUNCTION ensure_benchmark(text, text, jsonb) IS 'number of a benchmark, which is made if there is none';

CREATE FUNCTION ensure_test_run(started_at timestamptz, branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
	v_branch CONSTANT text := coalesce(ensure_test_run.branch, '');
	v_commit CONSTANT text := coalesce(ensure_test_run.commit, '');
	v_version CONSTANT text := coalesce(ensure_test_run.version, '');
	v_labels CONSTANT jsonb := coalesce(ensure_test_run.labels, '{}');
	v_labels_id CONSTANT uuid := object_id(v_labels);
	v_id bigint;
BEGIN
	IF ensure_test_run.started_at IS NULL THEN
		RAISE EXCEPTION 'the start of a run cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	FOR i IN 1 .. 2 LOOP
		SELECT r.test_run_id INTO v_id FROM test_run AS r
		WHERE r.started_at = ensure_test_run.started_at AND r.branch = v_branch AND r.commit = v_commit
			AND r.version = v_version AND r.labels_id = v_labels_id;
		IF FOUND THEN
			RETURN v_id;
		END IF;
		INSERT INTO test_run AS r (started_at, branch, commit, version, labels, labels_id)
		VALUES (ensure_test_run.started_at, v_branch, v_commit, v_version, v_labels, v_labels_id)
		ON CONFLICT ON CONSTRAINT test_run_key DO NOTHING
		RETURNING r.test_run_id INTO v_id;
		IF FOUND THEN
			RETURN v_id;
		END IF;
	END LOOP;
	RAISE EXCEPTION 'run was deleted by a concurrent transaction' USING ERRCODE = 'serialization_failure';
END
$$;
COMMENT ON FUNCTION ensure_test_run(timestamptz, text, text, text, jsonb) IS 'number of a run, which is made if there is none';

CREATE FUNCTION frame_rules_of(suite text, benchmark text) RETURNS text[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT array_agg(ARRAY[r.pattern, r.replacement] ORDER BY r.ordinal, r.rule_id)
		FROM frame_rule AS r
		WHERE frame_rules_of.suite LIKE r.suite AND frame_rules_of.benchmark LIKE r.benchmark;
	END;
COMMENT ON FUNCTION frame_rules_of(text, text) IS 'the frame rules of a benchmark in their order, as rename_frames() takes them; null when there are none';

CREATE FUNCTION import_flamegraph(benchmark text, fg flamegraph, truncated flamegraph DEFAULT NULL,
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		event text DEFAULT 'cpu', unit text DEFAULT NULL, period float8 DEFAULT NULL,
		recorded_at timestamptz DEFAULT NULL, duration interval DEFAULT NULL, instance text DEFAULT '',
		repetition int DEFAULT 0, metric float8 DEFAULT NULL, metric_unit text DEFAULT '',
		source text DEFAULT '', options jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
	i CONSTANT record := (SELECT r FROM (SELECT
		coalesce(import_flamegraph.suite, '') AS suite,
		coalesce(import_flamegraph.started_at, now()) AS started_at,
		coalesce(import_flamegraph.branch, '') AS branch,
		coalesce(import_flamegraph.event, 'cpu') AS event,
		coalesce(import_flamegraph.unit, 'samples') AS unit,
		coalesce(import_flamegraph.recorded_at, import_flamegraph.started_at, now()) AS recorded_at,
		coalesce(import_flamegraph.instance, '') AS instance,
		coalesce(import_flamegraph.repetition, 0) AS repetition,
		coalesce(import_flamegraph.metric_unit, '') AS metric_unit,
		coalesce(import_flamegraph.source, '') AS source,
		coalesce(import_flamegraph.labels, '{}') AS labels,
		coalesce(import_flamegraph.options, '{}') AS options) AS r);
	v_fg flamegraph := import_flamegraph.fg;
	v_truncated flamegraph := import_flamegraph.truncated;
	v_benchmark_id bigint;
	v_test_run_id bigint;
	v_profile_id bigint;
	v_content_id uuid;
	v_rules text[];
	v_truncated_total float8;
	v_total float8;
	v_pending int;
	-- A role that only loads may not.
	v_may_read CONSTANT bool := has_table_privilege('profile_data', 'SELECT');
	v_bad text;
BEGIN
	IF v_fg IS NULL THEN
		RAISE EXCEPTION 'the profile to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	SELECT min(k) INTO v_bad FROM jsonb_object_keys(i.options) AS k WHERE k <> 'max_depth';
	IF v_bad IS NOT NULL THEN
		RAISE EXCEPTION 'unrecognized option "%"', v_bad
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Available options: max_depth.';
	END IF;

	v_benchmark_id := ensure_benchmark(i.suite, import_flamegraph.benchmark, import_flamegraph.parameters);
	v_test_run_id := ensure_test_run(i.started_at, i.branch, import_flamegraph.commit, import_flamegraph.version, i.labels);

	-- Before anything is renamed or split: another rule must not make the same recording a new one.
	v_content_id := content_id(v_fg, v_truncated);
	SELECT p.profile_id INTO v_profile_id FROM profile AS p
	WHERE p.benchmark_id = v_benchmark_id AND p.test_run_id = v_test_run_id AND p.event = i.event AND p.unit = i.unit
		AND p.instance = i.instance AND p.repetition = i.repetition AND p.source = i.source
		AND p.content_id = v_content_id;
	IF FOUND THEN
		PERFORM notice_duplicate(v_profile_id);
		RETURN v_profile_id;
	END IF;

	IF i.options ? 'max_depth' THEN
		DECLARE
			v_deep CONSTANT stackquery := depth_query(i.options -> 'max_depth');
		BEGIN
			v_truncated := coalesce(v_truncated + filter_stacks(v_fg, v_deep), filter_stacks(v_fg, v_deep));
			v_fg := exclude_stacks(v_fg, v_deep);
		END;
	END IF;
	v_rules := frame_rules_of(i.suite, import_flamegraph.benchmark);
	IF v_rules IS NOT NULL THEN
		v_fg := rename_frames(v_fg, v_rules);
		v_truncated := rename_frames(v_truncated, v_rules);
	END IF;
	IF nstacks(v_truncated) = 0 THEN
		v_truncated := NULL;
	END IF;
	v_total := total(v_fg);
	v_truncated_total := coalesce(total(v_truncated), 0);

	INSERT INTO profile AS p (benchmark_id, test_run_id, event, unit, period, recorded_at, duration, instance, repetition,
		labels, metric, metric_unit, source, total, nodes, frames, truncated_share, reshaped, content_id)
	VALUES (v_benchmark_id, v_test_run_id, i.event, i.unit, import_flamegraph.period, i.recorded_at,
		import_flamegraph.duration, i.instance, i.repetition, i.labels, import_flamegraph.metric, i.metric_unit, i.source,
		v_total, nnodes(v_fg), nframes(v_fg),
		-- Of absolute values: a difference can have a total of 0.
		(@-@ coalesce(v_truncated, '')) / nullif((@-@ v_fg) + (@-@ coalesce(v_truncated, '')), 0),
		(v_fg, v_truncated) IS DISTINCT FROM (import_flamegraph.fg, import_flamegraph.truncated), v_content_id)
	ON CONFLICT ON CONSTRAINT profile_key DO NOTHING
	RETURNING p.profile_id INTO v_profile_id;
	IF NOT FOUND THEN
		-- Another loader was at it, and has committed while we waited.
		SELECT p.profile_id INTO STRICT v_profile_id FROM profile AS p
		WHERE p.benchmark_id = v_benchmark_id AND p.test_run_id = v_test_run_id AND p.event = i.event AND p.unit = i.unit
			AND p.instance = i.instance AND p.repetition = i.repetition AND p.source = i.source
			AND p.content_id = v_content_id;
		PERFORM notice_duplicate(v_profile_id);
		RETURN v_profile_id;
	END IF;
	INSERT INTO profile_data (benchmark_id, profile_id, recorded_at, flamegraph, truncated)
	VALUES (v_benchmark_id, v_profile_id, i.recorded_at, v_fg, v_truncated);

	IF v_may_read THEN
		-- It is compressed there already.
		SELECT d.flamegraph INTO STRICT v_fg FROM profile_data AS d
		WHERE d.benchmark_id = v_benchmark_id AND d.profile_id = v_profile_id AND d.recorded_at = i.recorded_at;
	END IF;

	-- Last, because its lock is what other loaders of the same run wait for.
	INSERT INTO rollup AS r (benchmark_id, event, unit, branch, test_run_id, started_at, run_ids, flamegraph, repetitions,
		total, truncated_total, metric_count, metric_sum, metric_unit)
	VALUES (v_benchmark_id, i.event, i.unit, i.branch, v_test_run_id, i.started_at, ARRAY[v_test_run_id], v_fg, 1,
		v_total, v_truncated_total, CASE WHEN import_flamegraph.metric IS NULL THEN 0 ELSE 1 END,
		import_flamegraph.metric, CASE WHEN import_flamegraph.metric IS NULL THEN '' ELSE i.metric_unit END)
	ON CONFLICT (benchmark_id, event, unit, branch, test_run_id) DO UPDATE SET
		-- Up to four at once; beyond that the sums are larger than what comes, and it is noted.
		flamegraph = CASE WHEN r.repetitions < 4 THEN r.flamegraph + EXCLUDED.flamegraph ELSE r.flamegraph END,
		stats_stack = CASE WHEN r.repetitions < 4 THEN stats_of(r.stats_stack, r.flamegraph, 'stack') + stats_of(NULL, EXCLUDED.flamegraph, 'stack') ELSE r.stats_stack END,
		stats_node = CASE WHEN r.repetitions < 4 THEN stats_of(r.stats_node, r.flamegraph, 'node') + stats_of(NULL, EXCLUDED.flamegraph, 'node') ELSE r.stats_node END,
		stats_frame = CASE WHEN r.repetitions < 4 THEN stats_of(r.stats_frame, r.flamegraph, 'frame') + stats_of(NULL, EXCLUDED.flamegraph, 'frame') ELSE r.stats_frame END,
		stats_self = CASE WHEN r.repetitions < 4 THEN stats_of(r.stats_self, r.flamegraph, 'self') + stats_of(NULL, EXCLUDED.flamegraph, 'self') ELSE r.stats_self END,
		pending = CASE WHEN r.repetitions < 4 THEN r.pending ELSE r.pending || v_profile_id END,
		repetitions = r.repetitions + 1,
		total = r.total + EXCLUDED.total,
		truncated_total = r.truncated_total + EXCLUDED.truncated_total,
		metric_count = r.metric_count + EXCLUDED.metric_count,
		metric_sum = coalesce(r.metric_sum + EXCLUDED.metric_sum, r.metric_sum, EXCLUDED.metric_sum),
		metric_unit = CASE WHEN r.metric_count = 0 THEN EXCLUDED.metric_unit ELSE r.metric_unit END,
		checked_at = NULL
	WHERE r.metric_unit = EXCLUDED.metric_unit OR r.metric_count = 0 OR EXCLUDED.metric_count = 0
	RETURNING cardinality(r.pending) - greatest(100, r.repetitions / 2) INTO v_pending;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'metrics of one run have different units' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('This one is in "%s"; benchmark %s, run %s has others.', i.metric_unit, v_benchmark_id, v_test_run_id);
	END IF;
	-- Seldom enough that folding costs each of them the same, however many there are.
	IF v_pending >= 0 AND v_may_read THEN
		PERFORM fold_rollups(v_benchmark_id, v_test_run_id);
	END IF;
	RETURN v_profile_id;
END
$$;
COMMENT ON FUNCTION import_flamegraph(text, flamegraph, flamegraph, text, jsonb, timestamptz, text, text, text, jsonb, text, text, float8, timestamptz, interval, text, int, float8, text, text, jsonb) IS 'puts a profile into the store, with benchmark and run as needed, and adds it to the rollup of its run; returns profile_id; a profile that is there already is left alone, with a NOTICE';

CREATE FUNCTION notice_duplicate(profile_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	RAISE NOTICE 'profile is in the store already' USING
		ERRCODE = 'unique_violation',
		DETAIL = format('It is profile %s.', profile_id);
END
$$;
COMMENT ON FUNCTION notice_duplicate(bigint) IS 'the NOTICE of a repeated import; its SQLSTATE is 23505';

CREATE FUNCTION depth_query(max_depth jsonb) RETURNS stackquery
	LANGUAGE plpgsql IMMUTABLE STRICT SET search_path FROM CURRENT AS $$
BEGIN
	IF jsonb_typeof(max_depth) = 'number' AND max_depth::numeric BETWEEN 1 AND 65535
			AND max_depth::numeric = trunc(max_depth::numeric) THEN
		RETURN ('*{' || max_depth::int || ',}')::stackquery;
	END IF;
	RAISE EXCEPTION 'option "max_depth" must be a whole number from 1 to 65535' USING ERRCODE = 'invalid_parameter_value';
END
$$;
COMMENT ON FUNCTION depth_query(jsonb) IS 'pattern of the stacks that a profiler with this limit has cut off';

CREATE FUNCTION import_profile(benchmark text, data bytea, format text DEFAULT 'auto',
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		event text DEFAULT 'cpu', unit text DEFAULT NULL, period float8 DEFAULT NULL,
		recorded_at timestamptz DEFAULT NULL, duration interval DEFAULT NULL, instance text DEFAULT '',
		repetition int DEFAULT 0, metric float8 DEFAULT NULL, metric_unit text DEFAULT '',
		source text DEFAULT '', options jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
	v_event CONSTANT text := coalesce(import_profile.event, 'cpu');
	r record;
	v_profile_id bigint;
	v_result bigint;
	v_best int;
BEGIN
	IF import_profile.data IS NULL THEN
		RAISE EXCEPTION 'the recording to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	FOR r IN
		WITH recorded AS MATERIALIZED (
			SELECT row_number() OVER () AS n, count(*) OVER () AS profiles,
				coalesce(nullif(f.event, ''), v_event) AS event, f.name, nullif(f.unit, '') AS unit,
				nullif(f.period, 0) AS period, f.complete, f.truncated
			FROM read_recording(import_profile.data, coalesce(import_profile.format, 'auto'), coalesce(import_profile.options, '{}')) AS f
		), named AS (
			SELECT n, name, unit, period, complete, truncated, min(unit) OVER () <> max(unit) OVER () AS several_units,
				-- An event that the caller has named is what a single profile is, whatever its file says.
				CASE WHEN profiles = 1 AND v_event <> 'cpu' THEN v_event
					 WHEN count(*) OVER (PARTITION BY event, unit) > 1 AND name <> '' THEN name
					 ELSE event END AS event
			FROM recorded
		)
		SELECT * FROM named
		-- The order of the locks.
		ORDER BY named.event COLLATE "C", named.unit COLLATE "C", named.name COLLATE "C"
	LOOP
		IF r.several_units AND import_profile.unit IS NOT NULL THEN
			RAISE EXCEPTION 'the profiles of this recording have different units' USING
				ERRCODE = 'invalid_parameter_value',
				HINT = 'Leave the argument "unit" out, or pick one event by the options.';
		END IF;
		v_profile_id := import_flamegraph(
			benchmark => import_profile.benchmark, fg => r.complete, truncated => r.truncated, suite => import_profile.suite,
			parameters => import_profile.parameters, started_at => import_profile.started_at,
			branch => import_profile.branch, commit => import_profile.commit, version => import_profile.version,
			labels => import_profile.labels, event => r.event, unit => coalesce(import_profile.unit, r.unit),
			period => coalesce(import_profile.period, r.period), recorded_at => import_profile.recorded_at,
			duration => import_profile.duration, instance => import_profile.instance,
			repetition => import_profile.repetition, metric => import_profile.metric,
			metric_unit => import_profile.metric_unit, source => import_profile.source);
		-- The event that was asked for, else what the recording has first.
		IF v_result IS NULL OR (CASE WHEN v_event IN (r.event, r.name) THEN 0 ELSE r.n END) < v_best THEN
			v_result := v_profile_id;
			v_best := CASE WHEN v_event IN (r.event, r.name) THEN 0 ELSE r.n END;
		END IF;
	END LOOP;
	IF v_result IS NULL THEN
		RAISE EXCEPTION 'the recording holds no profile' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN v_result;
END
$$;
COMMENT ON FUNCTION import_profile(text, bytea, text, text, jsonb, timestamptz, text, text, text, jsonb, text, text, float8, timestamptz, interval, text, int, float8, text, text, jsonb) IS 'reads a recording and puts its profiles into the store, one for each event; returns the profile_id of the event asked for, else of the first one; the options are those of read_recording()';

CREATE FUNCTION import_observations(benchmark text, location text[], x float8[], y float8[],
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		unit text DEFAULT '', repetition int DEFAULT 0, source text DEFAULT '') RETURNS bigint
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
	v_n CONSTANT int := coalesce(cardinality(import_observations.location), 0);
	v_unit CONSTANT text := coalesce(import_observations.unit, '');
	v_benchmark_id bigint;
	v_test_run_id bigint;
	v_load_id uuid;
	v_loaded bigint;
BEGIN
	IF coalesce(cardinality(import_observations.x), 0) <> v_n OR coalesce(cardinality(import_observations.y), 0) <> v_n THEN
		RAISE EXCEPTION 'location, x and y must have the same length' USING
			ERRCODE = 'array_subscript_error',
			DETAIL = format('They have %s, %s and %s elements.', v_n,
				coalesce(cardinality(import_observations.x), 0), coalesce(cardinality(import_observations.y), 0));
	END IF;
	IF array_position(import_observations.location, NULL) IS NOT NULL
			OR array_position(import_observations.x, NULL) IS NOT NULL
			OR array_position(import_observations.y, NULL) IS NOT NULL THEN
		RAISE EXCEPTION 'location, x and y cannot hold nulls' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	v_benchmark_id := ensure_benchmark(import_observations.suite, import_observations.benchmark, import_observations.parameters);
	v_test_run_id := ensure_test_run(coalesce(import_observations.started_at, now()), import_observations.branch,
		import_observations.commit, import_observations.version, import_observations.labels);
	v_load_id := object_id(to_jsonb(ROW(v_unit, coalesce(import_observations.repetition, 0),
		coalesce(import_observations.source, ''), import_observations.location, import_observations.x, import_observations.y)));
	INSERT INTO observation (benchmark_id, test_run_id, location, x, y, unit, load_id, ordinal)
	SELECT v_benchmark_id, v_test_run_id, u.l, u.x, u.y, v_unit, v_load_id, u.n
	FROM unnest(import_observations.location, import_observations.x, import_observations.y) WITH ORDINALITY AS u (l, x, y, n)
	ORDER BY u.n
	ON CONFLICT ON CONSTRAINT observation_key DO NOTHING;
	GET DIAGNOSTICS v_loaded = ROW_COUNT;
	IF v_loaded < v_n THEN
		RAISE NOTICE 'observations are in the store already' USING
			ERRCODE = 'unique_violation',
			DETAIL = format('%s of %s were loaded before.', v_n - v_loaded, v_n);
	END IF;
	RETURN v_loaded;
END
$$;
COMMENT ON FUNCTION import_observations(text, text[], float8[], float8[], text, jsonb, timestamptz, text, text, text, jsonb, text, int, text) IS 'puts measured points into the store; returns how many are new: arrays that were loaded before are left alone, with a NOTICE';
