
--
-- getting data in
--
-- Import runs no DDL and takes its locks in one order: benchmark, run, and then
-- profile and rollup in the order of (event, unit). Several imports in one
-- transaction should keep to one order of benchmarks, or be a transaction each.
-- Before all of these it takes the lock that keeps corrections out: what one of them
-- takes away or renames is looked up before or after it, never in between.
--
-- Who loads neither reads profiles nor touches sums. All of import runs with the rights of
-- its caller but for store_profile(), which puts a new profile where it belongs and adds it
-- to the sum of its run: whole, and once.
--

CREATE FUNCTION refuse_future(moment timestamptz, what text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RAISE EXCEPTION '% lies in the future', what USING
		ERRCODE = 'datetime_field_overflow',
		DETAIL = format('It is %s.', moment),
		HINT = 'Look at the clock of the machine that recorded the profile, or at the dates of its files.';
END
$$;
COMMENT ON FUNCTION refuse_future(timestamptz, text) IS 'the error for a time that has not begun, by has_begun()';

CREATE FUNCTION keep_corrections_out() RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		SELECT pg_advisory_xact_lock_shared(hashtextextended('flamegraph_store correction'::text, 0::bigint));
	END;
COMMENT ON FUNCTION keep_corrections_out()
	IS 'waits for a correction that is at work (delete_run() and the like), and lets none begin before the end of the '
		'transaction';

CREATE FUNCTION benchmark_in_words(suite text, name text, parameters jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN profiling.printable(format('"%s"', name)
		|| CASE suite WHEN '' THEN '' ELSE format(' of suite "%s"', suite) END
		|| CASE parameters WHEN '{}' THEN '' ELSE format(' with parameters %s', parameters) END);
END
$$;
COMMENT ON FUNCTION benchmark_in_words(text, text, jsonb) IS 'a benchmark as messages call it';

CREATE FUNCTION called_now(INOUT suite text, INOUT name text, INOUT parameters jsonb, OUT benchmark_id bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	a record;
BEGIN
	-- An alias can lead to another one. Should somebody have made a circle by hand, it ends, too.
	FOR hop IN 1 .. 20 LOOP
		SELECT b.benchmark_id INTO called_now.benchmark_id FROM profiling.benchmark AS b
		WHERE b.suite = called_now.suite AND b.name = called_now.name
			AND b.parameters_id = profiling.object_id(called_now.parameters);
		EXIT WHEN FOUND;
		SELECT o.* INTO a FROM profiling.benchmark_alias AS o
		WHERE o.suite = called_now.suite AND o.name = called_now.name
			AND (o.parameters IS NULL OR o.parameters_id = profiling.object_id(called_now.parameters))
		ORDER BY o.parameters IS NULL LIMIT 1;
		EXIT WHEN NOT FOUND;
		called_now.suite := a.new_suite;
		called_now.name := a.new_name;
		called_now.parameters := coalesce(a.new_parameters, called_now.parameters);
	END LOOP;
END
$$;
COMMENT ON FUNCTION called_now(text, text, jsonb)
	IS 'what a benchmark is called now, by benchmark_alias, and its number; null when there is none';

CREATE FUNCTION ensure_benchmark(suite text, name text, parameters jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_suite CONSTANT text := coalesce(ensure_benchmark.suite, '');
	v_parameters CONSTANT jsonb := coalesce(ensure_benchmark.parameters, '{}');
	n record;
BEGIN
	IF ensure_benchmark.name IS NULL THEN
		RAISE EXCEPTION 'the name of a benchmark cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM profiling.keep_corrections_out();
	-- Mostly it is there, and a sequence that moves on for nothing would be a pity.
	FOR i IN 1 .. 2 LOOP
		n := profiling.called_now(v_suite, ensure_benchmark.name, v_parameters);
		IF i = 1 AND (n.suite, n.name, n.parameters) <> (v_suite, ensure_benchmark.name, v_parameters) THEN
			RAISE NOTICE 'benchmark % is called % now',
				profiling.benchmark_in_words(v_suite, ensure_benchmark.name, v_parameters),
				profiling.benchmark_in_words(n.suite, n.name, n.parameters) USING
				DETAIL = 'What is loaded under the old name goes there, by profiling.benchmark_alias.';
		END IF;
		IF n.benchmark_id IS NOT NULL THEN
			RETURN n.benchmark_id;
		END IF;
		INSERT INTO profiling.benchmark AS b (suite, name, parameters, parameters_id)
		VALUES (n.suite, n.name, n.parameters, profiling.object_id(n.parameters))
		ON CONFLICT ON CONSTRAINT benchmark_key DO NOTHING
		RETURNING b.benchmark_id INTO n.benchmark_id;
		IF FOUND THEN
			RETURN n.benchmark_id;
		END IF;
	END LOOP;
	RAISE EXCEPTION 'benchmark was deleted by a concurrent transaction' USING ERRCODE = 'serialization_failure';
END
$$;
COMMENT ON FUNCTION ensure_benchmark(text, text, jsonb)
	IS 'number of a benchmark, which is made if there is none; a name that it had before it was renamed or merged is '
		'as good, and brings a NOTICE';

CREATE FUNCTION ensure_test_run(started_at timestamptz, branch text DEFAULT '', commit text DEFAULT '',
		version text DEFAULT '', labels jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_branch CONSTANT text := coalesce(ensure_test_run.branch, '');
	v_commit CONSTANT text := coalesce(ensure_test_run.commit, '');
	v_version CONSTANT text := coalesce(ensure_test_run.version, '');
	v_labels CONSTANT jsonb := coalesce(ensure_test_run.labels, '{}');
	v_labels_id CONSTANT uuid := profiling.object_id(v_labels);
	v_id bigint;
BEGIN
	IF ensure_test_run.started_at IS NULL THEN
		RAISE EXCEPTION 'the start of a run cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	IF NOT profiling.has_begun(ensure_test_run.started_at) THEN
		PERFORM profiling.refuse_future(ensure_test_run.started_at, 'started_at'::text);
	END IF;
	PERFORM profiling.keep_corrections_out();
	FOR i IN 1 .. 2 LOOP
		SELECT r.test_run_id INTO v_id FROM profiling.test_run AS r
		WHERE r.started_at = ensure_test_run.started_at AND r.branch = v_branch AND r.commit = v_commit
			AND r.version = v_version AND r.labels_id = v_labels_id;
		IF FOUND THEN
			RETURN v_id;
		END IF;
		INSERT INTO profiling.test_run AS r (started_at, branch, commit, version, labels, labels_id)
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
COMMENT ON FUNCTION ensure_test_run(timestamptz, text, text, text, jsonb)
	IS 'number of a run, which is made if there is none';

CREATE FUNCTION frame_rules_of(suite text, benchmark text) RETURNS text[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT array_agg(ARRAY[r.pattern, r.replacement] ORDER BY r.ordinal, r.rule_id)
		FROM profiling.frame_rule AS r
		WHERE frame_rules_of.suite LIKE r.suite AND frame_rules_of.benchmark LIKE r.benchmark);
END
$$;
COMMENT ON FUNCTION frame_rules_of(text, text)
	IS 'the frame rules of a benchmark in their order, as rename_frames() takes them; null when there are none';

CREATE FUNCTION depth_pattern(max_depth jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF jsonb_typeof(max_depth) = 'number' AND max_depth::numeric BETWEEN 1 AND 65535
			AND max_depth::numeric = trunc(max_depth::numeric) THEN
		RETURN '*{' || max_depth::int || ',}';
	END IF;
	RAISE EXCEPTION 'option "max_depth" must be a whole number from 1 to 65535'
		USING ERRCODE = 'invalid_parameter_value';
END
$$;
COMMENT ON FUNCTION depth_pattern(jsonb) IS 'pattern of the stacks that a profiler with this limit has cut off';

CREATE FUNCTION unless_empty(fg flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(unless_empty.fg) > 0 THEN unless_empty.fg END;
	END;
COMMENT ON FUNCTION unless_empty(flamegraph) IS 'the profile, null for an empty one: nothing was cut off';

CREATE FUNCTION reshaped(fg flamegraph, truncated flamegraph, max_depth jsonb, rules text[],
		OUT whole flamegraph, OUT cut flamegraph, OUT differs bool)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		-- Each step is computed once: OFFSET 0 keeps it from being copied into what uses it.
		-- No IS DISTINCT FROM: a dump shows it without the schema of its operator, and pg_upgrade would not find that.
		SELECT t.whole, t.cut,
			t.whole <> reshaped.fg OR (t.cut IS NULL) <> (reshaped.truncated IS NULL)
				OR coalesce(t.cut <> reshaped.truncated, false)
		FROM (SELECT r.whole, unless_empty(r.cut) AS cut
			FROM (SELECT CASE WHEN reshaped.rules IS NULL THEN d.whole
				ELSE rename_frames(d.whole, reshaped.rules) END AS whole,
					CASE WHEN reshaped.rules IS NULL THEN d.cut ELSE rename_frames(d.cut, reshaped.rules) END AS cut
				FROM (SELECT CASE WHEN q.query IS NULL THEN reshaped.fg
					ELSE exclude_stacks(reshaped.fg, q.query) END AS whole,
						CASE WHEN q.query IS NULL THEN reshaped.truncated
							ELSE coalesce(reshaped.truncated + filter_stacks(reshaped.fg, q.query),
								filter_stacks(reshaped.fg, q.query)) END AS cut
					FROM (SELECT depth_pattern(reshaped.max_depth)::stackquery AS query OFFSET 0) AS q OFFSET 0) AS d
				OFFSET 0) AS r OFFSET 0) AS t;
	END;
COMMENT ON FUNCTION reshaped(flamegraph, flamegraph, jsonb, text[])
	IS 'a recording as it is stored: stacks of max_depth frames apart as cut off, frames renamed by the rules; '
		'whether that made a difference; null for cut when nothing is';

CREATE FUNCTION measures_of(fg flamegraph, truncated flamegraph,
		OUT total float8, OUT truncated_total float8, OUT truncated_share float8, OUT nodes int,
			OUT frames int) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1
	BEGIN ATOMIC
		SELECT total(measures_of.fg), coalesce(total(measures_of.truncated), 0::float8),
			-- Of absolute values: a difference can have a total of 0.
			coalesce(@-@ measures_of.truncated,
				0::float8) / nullif((@-@ measures_of.fg) + coalesce(@-@ measures_of.truncated, 0::float8), 0::float8),
			nnodes(measures_of.fg), nframes(measures_of.fg);
	END;
COMMENT ON FUNCTION measures_of(flamegraph, flamegraph) IS 'what profile and rollup say about a profile in numbers';

CREATE FUNCTION known_profile(facts profile) RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT p.profile_id FROM profiling.profile AS p
		WHERE p.benchmark_id = facts.benchmark_id AND p.test_run_id = facts.test_run_id AND p.event = facts.event
			AND p.unit = facts.unit
			AND p.instance = facts.instance AND p.repetition = facts.repetition AND p.content_id = facts.content_id);
END
$$;
COMMENT ON FUNCTION known_profile(profile)
	IS 'the profile_id that is there already for these facts, by their key; null for none';

CREATE FUNCTION notice_duplicate(facts profile) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_source CONSTANT text := (SELECT p.source FROM profiling.profile AS p
		WHERE p.benchmark_id = facts.benchmark_id AND p.profile_id = facts.profile_id);
BEGIN
	IF v_source <> facts.source THEN
		RAISE NOTICE 'profile is in the store already' USING
			ERRCODE = 'unique_violation',
			COLUMN = 'source',
			DETAIL = format('It is profile %s, which came %s.', facts.profile_id,
				CASE v_source WHEN '' THEN 'without a source'
					ELSE format('from "%s"', profiling.printable(v_source)) END),
			HINT = 'Equal recordings of one run count once. If they are repetitions, give each a number of its own.';
	ELSE
		RAISE NOTICE 'profile is in the store already' USING
			ERRCODE = 'unique_violation',
			DETAIL = format('It is profile %s.', facts.profile_id);
	END IF;
END
$$;
COMMENT ON FUNCTION notice_duplicate(profile)
	IS 'the NOTICE of a repeated import, whose SQLSTATE is 23505; where the source is another one it names the first, '
		'and says column "source"';

CREATE FUNCTION notice_units(facts profile, branch text, started_at timestamptz) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	b record;
BEGIN
	FOR b IN
		SELECT u.what, u.new_unit, u.old_unit, u.test_run_id, u.run_at
		FROM (SELECT o.* FROM (SELECT 'the profile' AS what, facts.unit AS new_unit, r.unit AS old_unit, r.test_run_id,
					r.started_at AS run_at
				FROM profiling.rollup AS r
				WHERE r.benchmark_id = facts.benchmark_id AND r.event = facts.event AND r.branch = notice_units.branch
					AND (r.started_at, r.test_run_id) < (notice_units.started_at, facts.test_run_id)
				-- a run can have profiles of several units
				ORDER BY r.started_at DESC, r.test_run_id DESC, r.unit <> facts.unit LIMIT 1) AS o
			UNION ALL
			SELECT o.* FROM (SELECT 'the metric', facts.metric_unit, r.metric_unit, r.test_run_id, r.started_at
				FROM profiling.rollup AS r
				WHERE r.benchmark_id = facts.benchmark_id AND r.event = facts.event AND r.branch = notice_units.branch
					AND (r.started_at, r.test_run_id) < (notice_units.started_at, facts.test_run_id)
					AND r.metric_count > 0 AND facts.metric IS NOT NULL
				ORDER BY r.started_at DESC, r.test_run_id DESC, r.metric_unit <> facts.metric_unit LIMIT 1) AS o) AS u
		WHERE u.new_unit <> u.old_unit
	LOOP
		RAISE NOTICE '% is in %, that of the run before in %', b.what,
			coalesce('"' || nullif(b.new_unit, '') || '"', 'no unit'),
			coalesce('"' || profiling.printable(nullif(b.old_unit, '')) || '"', 'no unit') USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('The run before is number %s, of %s. What has another unit is not compared with it.',
				b.test_run_id, b.run_at),
			HINT = format('If the unit is wrong, take the new run away by profiling.delete_run(%s) and load it again.',
				facts.test_run_id);
	END LOOP;
END
$$;
COMMENT ON FUNCTION notice_units(profile, text, timestamptz)
	IS 'the NOTICE for a profile, or its metric, whose unit is not that of the newest run before it of the same '
		'benchmark, event and branch; its SQLSTATE is 22023';

CREATE FUNCTION add_to_rollup(facts profile, branch text, started_at timestamptz, fg flamegraph,
		truncated_total float8, samples flamegraph, noise flamegraph) RETURNS bool
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_is_first bool;
BEGIN
	INSERT INTO profiling.rollup AS r (benchmark_id, event, unit, branch, test_run_id, started_at, run_ids, flamegraph,
		repetitions,
		total, truncated_total, metric_count, metric_sum, metric_unit, period, samples, noise)
	VALUES (facts.benchmark_id, facts.event, facts.unit, add_to_rollup.branch, facts.test_run_id,
		add_to_rollup.started_at, ARRAY[facts.test_run_id], fg, 1,
		facts.total, add_to_rollup.truncated_total, CASE WHEN facts.metric IS NULL THEN 0 ELSE 1 END,
		facts.metric, CASE WHEN facts.metric IS NULL THEN '' ELSE facts.metric_unit END,
		profiling.period_of(fg, add_to_rollup.samples, facts.period), add_to_rollup.samples, add_to_rollup.noise)
	ON CONFLICT (benchmark_id, event, unit, branch, test_run_id) DO UPDATE SET
		flamegraph = profiling.added(r.repetitions, r.flamegraph, EXCLUDED.flamegraph),
		stats_stack = profiling.added_stats(r.repetitions, r.stats_stack, r.flamegraph, 'stack'::text,
			EXCLUDED.flamegraph),
		stats_node = profiling.added_stats(r.repetitions, r.stats_node, r.flamegraph, 'node'::text,
			EXCLUDED.flamegraph),
		stats_frame = profiling.added_stats(r.repetitions, r.stats_frame, r.flamegraph, 'frame'::text,
			EXCLUDED.flamegraph),
		stats_self = profiling.added_stats(r.repetitions, r.stats_self, r.flamegraph, 'self'::text,
			EXCLUDED.flamegraph),
		period = profiling.added_period(r.repetitions, r.flamegraph, r.period, r.samples, EXCLUDED.flamegraph,
			EXCLUDED.period, EXCLUDED.samples),
		samples = profiling.added_samples(r.repetitions, r.flamegraph, r.period, r.samples, EXCLUDED.flamegraph,
			EXCLUDED.period, EXCLUDED.samples),
		noise = profiling.added_noise(r.repetitions, r.flamegraph, r.period, r.noise, EXCLUDED.flamegraph,
			EXCLUDED.period, EXCLUDED.noise),
		pending = CASE WHEN profiling.adds_at_once(r.repetitions, r.flamegraph, EXCLUDED.flamegraph) THEN r.pending
			ELSE r.pending || facts.profile_id END,
		repetitions = r.repetitions + 1,
		total = r.total + EXCLUDED.total,
		truncated_total = r.truncated_total + EXCLUDED.truncated_total,
		metric_count = r.metric_count + EXCLUDED.metric_count,
		metric_sum = coalesce(r.metric_sum + EXCLUDED.metric_sum, r.metric_sum, EXCLUDED.metric_sum),
		metric_unit = CASE WHEN r.metric_count = 0 THEN EXCLUDED.metric_unit ELSE r.metric_unit END,
		checked_at = NULL
	WHERE r.metric_unit = EXCLUDED.metric_unit OR r.metric_count = 0 OR EXCLUDED.metric_count = 0
	RETURNING r.repetitions = 1 OR r.metric_count = 1 AND facts.metric IS NOT NULL INTO v_is_first;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'metrics of one run have different units' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('This one is in "%s"; benchmark %s, run %s has others.', facts.metric_unit,
				facts.benchmark_id,
				facts.test_run_id);
	END IF;
	RETURN v_is_first;
END
$$;
COMMENT ON FUNCTION add_to_rollup(profile, text, timestamptz, flamegraph, float8, flamegraph, flamegraph)
	IS 'adds a profile that has just been stored to the rollup of its run; fg, samples, noise: its columns of '
		'profile_data; returns whether it is the first one there, or the first one with a metric';

CREATE FUNCTION pending_too_many(facts profile, branch text) RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Seldom enough that writing the sums again costs each of them about the same, however many there are; and often
	-- enough that the others are not done long before who folds the last ones.
	RETURN (SELECT r.pending FROM profiling.rollup AS r
		WHERE r.benchmark_id = facts.benchmark_id AND r.event = facts.event AND r.unit = facts.unit
			AND r.branch = pending_too_many.branch AND r.test_run_id = facts.test_run_id
			AND cardinality(r.pending) + 1 >= greatest(100, r.repetitions / 5));
END
$$;
COMMENT ON FUNCTION pending_too_many(profile, text)
	IS 'what the rollup of a profile has noted, when it is time to fold that before the profile is added; else null';

-- Folding takes as long as dozens of imports, and what it reads does not change. So it is done by one loader of the
-- run, while the others go on.
CREATE FUNCTION fold_in_time(facts profile, branch text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_pending bigint[];
BEGIN
	IF profiling.pending_too_many(facts, fold_in_time.branch) IS NULL
			OR NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store fold', facts.test_run_id)) THEN
		RETURN;
	END IF;
	-- who had the lock has folded them, perhaps
	v_pending := profiling.pending_too_many(facts, fold_in_time.branch);
	IF v_pending IS NULL THEN
		RETURN;
	END IF;
	PERFORM profiling.fold_rollup(facts.benchmark_id, facts.event, facts.unit, fold_in_time.branch, facts.test_run_id,
		v_pending);
END
$$;
COMMENT ON FUNCTION fold_in_time(profile, text)
	IS 'adds what the rollup of a profile has noted to its sums and moments when that has become much, and nobody else '
		'is at it';

CREATE FUNCTION need_begun(at timestamptz, what text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT profiling.has_begun(at) THEN
		PERFORM profiling.refuse_future(at, what);
	END IF;
END
$$;
COMMENT ON FUNCTION need_begun(timestamptz, text) IS 'an error for a time that is to come, by the name of the argument';

-- With the rights of the owner. What could disagree with something else is not believed: labels, branch and start are
-- those of the run, totals and counts those of the values; there is no way to the sums but by a new row of profile.
CREATE FUNCTION store_profile(facts profile, fg flamegraph, truncated flamegraph, samples flamegraph DEFAULT NULL,
		noise flamegraph DEFAULT NULL) RETURNS bigint
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	run record;
	m record;
	d record;
BEGIN
	IF store_profile.fg IS NULL THEN
		RAISE EXCEPTION 'the profile to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM profiling.weights_work(store_profile.fg, store_profile.samples, store_profile.noise);
	PERFORM profiling.keep_corrections_out();
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		-- An old snapshot still shows what a correction has taken away; a lock of the row fails (40001).
		PERFORM FROM profiling.benchmark AS b WHERE b.benchmark_id = facts.benchmark_id FOR KEY SHARE;
		PERFORM FROM profiling.test_run AS t WHERE t.test_run_id = facts.test_run_id FOR KEY SHARE;
	END IF;
	SELECT t.started_at, t.branch, t.labels INTO run FROM profiling.test_run AS t
		WHERE t.test_run_id = facts.test_run_id;
	IF NOT FOUND OR NOT EXISTS (SELECT 1 FROM profiling.benchmark AS b WHERE b.benchmark_id = facts.benchmark_id) THEN
		RAISE EXCEPTION 'there is no such benchmark, or no such run' USING
			ERRCODE = 'foreign_key_violation',
			DETAIL = format('Benchmark %s, run %s.', facts.benchmark_id, facts.test_run_id);
	END IF;
	PERFORM profiling.need_begun(run.started_at, 'started_at'::text);
	PERFORM profiling.need_begun(facts.recorded_at, 'recorded_at'::text);

	SELECT * INTO m FROM profiling.measures_of(store_profile.fg, store_profile.truncated);
	facts.total := m.total;
	INSERT INTO profiling.profile AS p (benchmark_id, test_run_id, event, unit, period, recorded_at, duration, instance,
		repetition,
		labels, metric, metric_unit, source, total, nodes, frames, truncated_share, reshaped, content_id)
	VALUES (facts.benchmark_id, facts.test_run_id, facts.event, facts.unit, facts.period, facts.recorded_at,
		facts.duration, facts.instance, facts.repetition, run.labels, facts.metric, facts.metric_unit, facts.source,
		m.total, m.nodes, m.frames, m.truncated_share, facts.reshaped, facts.content_id)
	ON CONFLICT ON CONSTRAINT profile_key DO NOTHING
	RETURNING p.profile_id INTO facts.profile_id;
	IF NOT FOUND THEN
		-- Another loader was at it, and has committed while we waited.
		facts.profile_id := profiling.known_profile(facts);
		PERFORM profiling.notice_duplicate(facts);
		RETURN facts.profile_id;
	END IF;
	INSERT INTO profiling.profile_data (benchmark_id, profile_id, recorded_at, flamegraph, truncated, samples, noise)
	VALUES (facts.benchmark_id, facts.profile_id, facts.recorded_at, store_profile.fg, store_profile.truncated,
		store_profile.samples, store_profile.noise);
	-- They are compressed there already.
	SELECT o.flamegraph, o.samples, o.noise INTO STRICT d FROM profiling.profile_data AS o
	WHERE o.benchmark_id = facts.benchmark_id AND o.profile_id = facts.profile_id AND o.recorded_at = facts.recorded_at;
	PERFORM profiling.fold_in_time(facts, run.branch);
	-- Last, because its lock is what other loaders of the same run wait for.
	IF profiling.add_to_rollup(facts, run.branch, run.started_at, d.flamegraph, m.truncated_total, d.samples,
			d.noise) THEN
		PERFORM profiling.notice_units(facts, run.branch, run.started_at);
	END IF;
	RETURN facts.profile_id;
END
$$;
COMMENT ON FUNCTION store_profile(profile, flamegraph, flamegraph, flamegraph, flamegraph)
	IS 'stores a profile that is new and adds it to the rollup of its run, with the rights of the owner; of facts it '
		'takes benchmark, run, event, unit, period, recorded_at, duration, instance, repetition, metric, source, '
		'reshaped and content_id; returns profile_id; a profile that is there already is left alone, with a NOTICE';
-- grant_access() lets loaders and admins.
REVOKE ALL ON FUNCTION store_profile(profile, flamegraph, flamegraph, flamegraph, flamegraph) FROM PUBLIC;

CREATE FUNCTION import_options(options jsonb) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_options CONSTANT jsonb := coalesce(import_options.options, '{}');
	v_bad CONSTANT text := (SELECT min(k) FROM jsonb_object_keys(v_options) AS k WHERE k <> 'max_depth');
BEGIN
	IF v_bad IS NULL THEN
		RETURN v_options;
	END IF;
	RAISE EXCEPTION 'unrecognized option "%"', v_bad
		USING ERRCODE = 'invalid_parameter_value', HINT = 'Available options: max_depth.';
END
$$;
COMMENT ON FUNCTION import_options(jsonb) IS 'the options of an import; an error for a key that is none';

CREATE FUNCTION import_flamegraph(benchmark text, fg flamegraph, truncated flamegraph DEFAULT NULL,
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		event text DEFAULT 'cpu', unit text DEFAULT NULL, period float8 DEFAULT NULL,
		recorded_at timestamptz DEFAULT NULL, duration interval DEFAULT NULL, instance text DEFAULT '',
		repetition int DEFAULT 0, metric float8 DEFAULT NULL, metric_unit text DEFAULT '',
		source text DEFAULT '', options jsonb DEFAULT '{}', samples flamegraph DEFAULT NULL,
		noise flamegraph DEFAULT NULL) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options jsonb;
	v_no CONSTANT profiling.profile_data.truncated%TYPE := NULL;
	v_samples profiling.profile_data.samples%TYPE := import_flamegraph.samples;
	v_noise profiling.profile_data.noise%TYPE := import_flamegraph.noise;
	v_fg profiling.profile_data.flamegraph%TYPE := import_flamegraph.fg;
	v_truncated profiling.profile_data.truncated%TYPE := profiling.unless_empty(import_flamegraph.truncated);
	v_rules text[];
	p profiling.profile;
BEGIN
	PERFORM profiling.need_access('import_flamegraph'::text, 'loader'::text);
	IF import_flamegraph.fg IS NULL THEN
		RAISE EXCEPTION 'the profile to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	v_options := profiling.import_options(import_flamegraph.options);
	p.event := coalesce(import_flamegraph.event, 'cpu');
	p.unit := coalesce(import_flamegraph.unit, 'samples');
	p.period := import_flamegraph.period;
	p.recorded_at := coalesce(import_flamegraph.recorded_at, import_flamegraph.started_at, now());
	p.duration := import_flamegraph.duration;
	p.instance := coalesce(import_flamegraph.instance, '');
	p.repetition := coalesce(import_flamegraph.repetition, 0);
	p.metric := import_flamegraph.metric;
	p.metric_unit := coalesce(import_flamegraph.metric_unit, '');
	p.source := coalesce(import_flamegraph.source, '');
	p.benchmark_id := profiling.ensure_benchmark(import_flamegraph.suite, import_flamegraph.benchmark,
		import_flamegraph.parameters);
	p.test_run_id := profiling.ensure_test_run(coalesce(import_flamegraph.started_at, now()), import_flamegraph.branch,
		import_flamegraph.commit, import_flamegraph.version, import_flamegraph.labels);

	-- Before anything is renamed or split: another rule must not make the same recording a new one.
	p.content_id := profiling.content_id(v_fg, v_truncated);
	p.profile_id := profiling.known_profile(p);
	IF p.profile_id IS NOT NULL THEN
		PERFORM profiling.notice_duplicate(p);
		RETURN p.profile_id;
	END IF;

	p.reshaped := false;
	v_rules := (SELECT profiling.frame_rules_of(b.suite, b.name) FROM profiling.benchmark AS b
		WHERE b.benchmark_id = p.benchmark_id); -- as it is called now
	IF v_options ? 'max_depth' OR v_rules IS NOT NULL THEN
		SELECT s.whole, s.cut, s.differs INTO v_fg, v_truncated, p.reshaped
		FROM profiling.reshaped(v_fg, v_truncated, v_options -> 'max_depth', v_rules) AS s;
		v_samples := (SELECT s.whole FROM profiling.reshaped(v_samples, v_no, v_options -> 'max_depth', v_rules) AS s);
		v_noise := (SELECT s.whole FROM profiling.reshaped(v_noise, v_no, v_options -> 'max_depth', v_rules) AS s);
	END IF;
	RETURN profiling.store_profile(p, v_fg, v_truncated, v_samples, v_noise);
END
$$;
COMMENT ON FUNCTION import_flamegraph(text, flamegraph, flamegraph, text, jsonb, timestamptz, text, text, text, jsonb,
	text, text, float8, timestamptz, interval, text, int, float8, text, text, jsonb, flamegraph, flamegraph)
	IS 'puts a profile into the store, with benchmark and run as needed, and adds it to the rollup of its run; '
		'returns profile_id; a profile that is there already is left alone, with a NOTICE; samples, noise: how many '
		'samples the stacks of fg have, and the sum of their squared weights, where these differ';

CREATE FUNCTION recorded_profiles(data bytea, format text, options jsonb,
		OUT event text, OUT name text, OUT unit text, OUT period float8, OUT complete flamegraph,
			OUT truncated flamegraph, OUT samples flamegraph, OUT noise flamegraph) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000 ROWS 3
	BEGIN ATOMIC
		SELECT r.event, r.name, r.unit, r.period, r.complete, r.truncated, r.samples, r.noise
		FROM read_recording(recorded_profiles.data, recorded_profiles.format, recorded_profiles.options) AS r;
	END;
COMMENT ON FUNCTION recorded_profiles(bytea, text, jsonb)
	IS 'what read_recording() finds in a recording, for import_profile(); the options ask for the events as they are '
		'stored';

CREATE FUNCTION import_profile(benchmark text, data bytea, format text DEFAULT 'auto',
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		event text DEFAULT NULL, unit text DEFAULT NULL, period float8 DEFAULT NULL,
		recorded_at timestamptz DEFAULT NULL, duration interval DEFAULT NULL, instance text DEFAULT '',
		repetition int DEFAULT 0, metric float8 DEFAULT NULL, metric_unit text DEFAULT '',
		source text DEFAULT '', options jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_event CONSTANT text := coalesce(import_profile.event, 'cpu');
	v_options CONSTANT jsonb := jsonb_build_object('stored_names', true, 'event', import_profile.event)
		|| coalesce(import_profile.options, '{}');
	r record;
	v_profile_id bigint;
	v_result bigint;
	v_place int;
	v_best int;
BEGIN
	PERFORM profiling.need_access('import_profile'::text, 'loader'::text);
	IF import_profile.data IS NULL THEN
		RAISE EXCEPTION 'the recording to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	FOR r IN
		WITH recorded AS MATERIALIZED (
			SELECT row_number() OVER () AS n, min(f.unit) OVER () <> max(f.unit) OVER () AS several_units, f.*
			FROM profiling.recorded_profiles(import_profile.data, coalesce(import_profile.format, 'auto'),
				v_options) AS f
		)
		-- The order of the locks, which is that of flamegraph-load, too.
		SELECT * FROM recorded AS o ORDER BY o.event COLLATE "C", o.unit COLLATE "C", o.name COLLATE "C"
	LOOP
		IF r.several_units AND import_profile.unit IS NOT NULL THEN
			RAISE EXCEPTION 'the profiles of this recording have different units' USING
				ERRCODE = 'invalid_parameter_value',
				HINT = 'Leave the argument "unit" out, or pick one event by the options.';
		END IF;
		v_profile_id := profiling.import_flamegraph(
			benchmark => import_profile.benchmark, fg => r.complete, truncated => r.truncated,
			suite => import_profile.suite, parameters => import_profile.parameters,
			started_at => import_profile.started_at, branch => import_profile.branch,
			commit => import_profile.commit, version => import_profile.version, labels => import_profile.labels,
			event => r.event, unit => coalesce(import_profile.unit, r.unit),
			period => coalesce(import_profile.period, nullif(r.period, 0)), recorded_at => import_profile.recorded_at,
			duration => import_profile.duration, instance => import_profile.instance, source => import_profile.source,
			repetition => import_profile.repetition, metric => import_profile.metric, options => '{}'::jsonb,
			metric_unit => import_profile.metric_unit, samples => r.samples, noise => r.noise);
		-- The event that was asked for, else what the recording has first.
		v_place := CASE WHEN v_event IN (r.event, r.name) THEN 0 ELSE r.n END;
		IF v_result IS NULL OR v_place < v_best THEN
			v_result := v_profile_id;
			v_best := v_place;
		END IF;
	END LOOP;
	IF v_result IS NULL THEN
		RAISE EXCEPTION 'the recording holds no profile' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN v_result;
END
$$;
COMMENT ON FUNCTION import_profile(text, bytea, text, text, jsonb, timestamptz, text, text, text, jsonb, text, text,
	float8, timestamptz, interval, text, int, float8, text, text, jsonb)
	IS 'reads a recording and puts its profiles into the store, one for each event; returns the profile_id of the '
		'event asked for, else of the first one; the options are those of read_recording()';

CREATE FUNCTION import_observations(benchmark text, location text[], x float8[], y float8[],
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		unit text DEFAULT '', repetition int DEFAULT 0) RETURNS bigint
	-- The text that they are recognised by has all digits.
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_n CONSTANT int := coalesce(cardinality(import_observations.location), 0);
	v_unit CONSTANT text := coalesce(import_observations.unit, '');
	v_benchmark_id bigint;
	v_test_run_id bigint;
	v_load_id uuid;
	v_loaded bigint;
BEGIN
	PERFORM profiling.need_access('import_observations'::text, 'loader'::text);
	IF coalesce(cardinality(import_observations.x), 0) <> v_n
		OR coalesce(cardinality(import_observations.y), 0) <> v_n THEN
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
	v_benchmark_id := profiling.ensure_benchmark(import_observations.suite, import_observations.benchmark,
		import_observations.parameters);
	v_test_run_id := profiling.ensure_test_run(coalesce(import_observations.started_at, now()),
		import_observations.branch,
		import_observations.commit, import_observations.version, import_observations.labels);
	v_load_id := profiling.object_id(to_jsonb(ROW(v_unit, coalesce(import_observations.repetition, 0),
		import_observations.location, import_observations.x, import_observations.y)));
	-- What is returned is counted: on Citus the row count of an INSERT .. SELECT is that of the rows offered.
	WITH loaded AS (
		INSERT INTO profiling.observation (benchmark_id, test_run_id, location, x, y, unit, load_id, ordinal)
		SELECT v_benchmark_id, v_test_run_id, u.l, u.x, u.y, v_unit, v_load_id, u.n
		FROM unnest(import_observations.location, import_observations.x, import_observations.y) WITH ORDINALITY
			AS u (l, x, y, n)
		ORDER BY u.n
		ON CONFLICT ON CONSTRAINT observation_key DO NOTHING
		RETURNING 1
	)
	SELECT count(*) INTO v_loaded FROM loaded;
	IF v_loaded < v_n THEN
		RAISE NOTICE 'observations are in the store already' USING
			ERRCODE = 'unique_violation',
			DETAIL = format('%s of %s were loaded before.', v_n - v_loaded, v_n);
	END IF;
	RETURN v_loaded;
END
$$;
COMMENT ON FUNCTION import_observations(text, text[], float8[], float8[], text, jsonb, timestamptz, text, text, text,
	jsonb, text, int)
	IS 'puts measured points into the store; returns how many are new: arrays that were loaded before are left alone, '
		'with a NOTICE';
