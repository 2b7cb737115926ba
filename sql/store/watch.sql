
--
-- the nightly comparison
--
-- A family is what one watch row tests of one (benchmark, event, unit, branch): all its
-- keys, and the metric. Within a family Benjamini & Hochberg, between the families of
-- a night Bonferroni: a q_value is p adjusted for both, so that of all findings of a
-- night at most the share alpha is false; of nights without any change at most the
-- share alpha has a finding.
--

CREATE FUNCTION pattern_weight(pattern text) RETURNS int
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN strpos(pattern, '%'::text) = 0 THEN 100000 ELSE 0 END + length(replace(pattern, '%'::text, ''::text));
	END;
COMMENT ON FUNCTION pattern_weight(text) IS 'how specific a pattern of LIKE is: one without % before one with, then the longer one';

CREATE FUNCTION watches_of(benchmark_id bigint, event text) RETURNS SETOF watch
	LANGUAGE sql STABLE ROWS 2
	BEGIN ATOMIC
		SELECT DISTINCT ON (w.method, w.level) w.*
		FROM (SELECT w.watch_id, rank() OVER (PARTITION BY w.method ORDER BY
					ARRAY[pattern_weight(w.benchmark), pattern_weight(w.suite), pattern_weight(w.event)] DESC) AS place
			FROM watch AS w JOIN benchmark AS b ON b.name LIKE w.benchmark AND b.suite LIKE w.suite AND watches_of.event LIKE w.event
			WHERE b.benchmark_id = watches_of.benchmark_id) AS best
			JOIN watch AS w ON w.watch_id = best.watch_id
		WHERE best.place = 1 AND w.enabled
		ORDER BY w.method, w.level, w.watch_id DESC;
	END;
COMMENT ON FUNCTION watches_of(bigint, text) IS 'the watch rows that are in force: for each method those of the most specific pattern (benchmark before suite before event), one for each level, of several the newest';

CREATE FUNCTION checked_options(watch watch) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Those that a constraint let pass, as one that was added later does.
	PERFORM profiling.options_work((watch).watch_id, (watch).options);
	RETURN (watch).options;
END
$$;
COMMENT ON FUNCTION checked_options(watch) IS 'the options of a watch row; an error for those that cannot be';

CREATE FUNCTION metric_profile(metric float8) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT flamegraph_agg(stackpath 'metric', metric_profile.metric) WHERE metric_profile.metric IS NOT NULL;
	END;
COMMENT ON FUNCTION metric_profile(float8) IS 'a metric as a profile of one frame, so that every test of profiles is one of metrics, too';

--
-- histories: means of runs
--

CREATE FUNCTION runs_before(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint, baseline text DEFAULT 'window:10') RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(h.test_run_id ORDER BY h.started_at, h.test_run_id), '{}'::bigint[])
		FROM (SELECT r.test_run_id, r.started_at
			FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
				JOIN test_run AS n ON n.test_run_id = runs_before.test_run_id
			WHERE r.benchmark_id = runs_before.benchmark_id AND r.event = runs_before.event AND r.unit = runs_before.unit AND r.span = 'run'
				AND CASE
					WHEN runs_before.baseline LIKE 'window:%' THEN r.branch = runs_before.branch
					WHEN runs_before.baseline LIKE 'branch:%' THEN r.branch = substr(runs_before.baseline, 8)
					WHEN runs_before.baseline LIKE 'commit:%' THEN starts_with(t.commit, substr(runs_before.baseline, 8))
					ELSE t.version = substr(runs_before.baseline, 9) END
				AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id) AND has_begun(r.started_at)
			ORDER BY r.started_at DESC, r.test_run_id DESC
			LIMIT CASE WHEN runs_before.baseline LIKE 'window:%' THEN substr(runs_before.baseline, 8)::int
				WHEN runs_before.baseline LIKE 'branch:%' THEN 10 ELSE 100 END) AS h;
	END;
COMMENT ON FUNCTION runs_before(bigint, text, text, text, bigint, text) IS 'the history of a run by a baseline, oldest first: runs that are older than it; of branch:NAME the newest 10, of a commit or a version at most 100';

CREATE FUNCTION mean_profile(fg flamegraph, benchmark_id bigint, pending bigint[], repetitions int) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT summed(mean_profile.fg, mean_profile.benchmark_id, mean_profile.pending) / mean_profile.repetitions::float8;
	END;
COMMENT ON FUNCTION mean_profile(flamegraph, bigint, bigint[], int) IS 'the mean of the profiles of a rollup, from its columns';

CREATE FUNCTION run_means(benchmark_id bigint, event text, unit text, run_ids bigint[], OUT fgs flamegraph[], OUT costs float8[],
		OUT metric_unit text, OUT of_sample float8)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(CASE r.repetitions WHEN 1 THEN r.flamegraph
					ELSE mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions) END ORDER BY u.n), '{}'::flamegraph[]),
			coalesce(pg_catalog.array_agg(cost_of(ratio(r.metric_sum, r.metric_count::float8), b.metric_direction) ORDER BY u.n), '{}'::float8[]),
			CASE WHEN pg_catalog.count(DISTINCT r.metric_unit) FILTER (WHERE r.metric_count > 0) = 1 THEN max(r.metric_unit) FILTER (WHERE r.metric_count > 0) END,
			min(value_of_sample(r.benchmark_id, r.event, r.unit, r.test_run_id, summed(r.flamegraph, r.benchmark_id, r.pending)) / r.repetitions::float8)
				FILTER (WHERE u.n = pg_catalog.cardinality(run_means.run_ids))
		FROM pg_catalog.unnest(run_means.run_ids) WITH ORDINALITY AS u (id, n)
			JOIN rollup AS r ON r.benchmark_id = run_means.benchmark_id AND r.event = run_means.event AND r.unit = run_means.unit
				AND r.test_run_id = u.id AND r.span = 'run'
			JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id;
	END;
COMMENT ON FUNCTION run_means(bigint, text, text, bigint[]) IS 'runs in this order, each as the mean profile of its repetitions, so that n counts runs; costs: their metrics, throughputs negated; metric_unit: null when there are several; of_sample: what a sample of the last one is worth in its mean';

CREATE FUNCTION metric_profiles(costs float8[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(metric_profile(u.cost) ORDER BY u.n), '{}'::flamegraph[]) FROM pg_catalog.unnest(costs) WITH ORDINALITY AS u (cost, n) WHERE u.cost IS NOT NULL;
	END;
COMMENT ON FUNCTION metric_profiles(float8[]) IS 'metrics as profiles of one frame, without those that are null';

--
-- tests: every key of one family, with its p-value
--
-- gated: the p-value is that of one test of whole profiles, the rows are where the
-- difference lies.
--

CREATE FUNCTION count_noise(expected float8, of_sample float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT sqrt(count_noise.of_sample * greatest(abs(count_noise.expected), count_noise.of_sample));
	END;
COMMENT ON FUNCTION count_noise(float8, float8) IS 'standard deviation of a value that is a count of samples worth of_sample each';

CREATE FUNCTION tested_by_deviation(before flamegraph[], current flamegraph, level text, of_sample float8, min_std float8, zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT d.key, d.expected, d.actual, d.score, d.p_value
		FROM deviation_scores((SELECT stats(u.fg, tested_by_deviation.level) FROM pg_catalog.unnest(tested_by_deviation.before) AS u (fg)),
			tested_by_deviation.current, tested_by_deviation.of_sample, tested_by_deviation.min_std, tested_by_deviation.zero_std) AS d;
	END;
COMMENT ON FUNCTION tested_by_deviation(flamegraph[], flamegraph, text, float8, float8, text) IS 'every key of a run against the runs before it, by deviation scores';

CREATE FUNCTION tested_by_welch(before flamegraph[], after flamegraph[], level text, of_sample float8, alpha float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8, upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t,
			-- Where nothing varied, a few samples would be a certainty.
			CASE WHEN abs(c.delta) <= 3::float8 * count_noise(c.mean_before, tested_by_welch.of_sample)
					* sqrt(1::float8 / pg_catalog.cardinality(tested_by_welch.before)::float8 + 1::float8 / pg_catalog.cardinality(tested_by_welch.after)::float8)
				THEN 1::float8 ELSE c.p_value END,
			c.lower, c.upper
		FROM compare_stats((SELECT stats(u.fg, tested_by_welch.level) FROM pg_catalog.unnest(tested_by_welch.before) AS u (fg)),
			(SELECT stats(u.fg, tested_by_welch.level) FROM pg_catalog.unnest(tested_by_welch.after) AS u (fg)),
			'none'::text, tested_by_welch.alpha, 'none'::text, 5::float8) AS c;
	END;
COMMENT ON FUNCTION tested_by_welch(flamegraph[], flamegraph[], text, float8, float8) IS 'every key of two groups of runs, by Welch''s test';

CREATE FUNCTION hotelling_p(before flamegraph[], after flamegraph[], level text, alpha float8, min_df int) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT h.p_value FROM hotelling_test(hotelling_p.before, hotelling_p.after, hotelling_p.alpha, hotelling_p.level, hotelling_p.min_df) AS h;
	END;
COMMENT ON FUNCTION hotelling_p(flamegraph[], flamegraph[], text, float8, int) IS 'probability that two groups of runs differ so much by chance, all keys jointly';

CREATE FUNCTION means_of(profiles flamegraph[], level text) RETURNS TABLE (key stackpath, mean float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT e.key, e.mean FROM entries((SELECT stats(u.fg, means_of.level) FROM pg_catalog.unnest(means_of.profiles) AS u (fg))) AS e;
	END;
COMMENT ON FUNCTION means_of(flamegraph[], text) IS 'the mean of every key of some runs';

CREATE FUNCTION tested_by_hotelling(before flamegraph[], after flamegraph[], level text, alpha float8, min_df int)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, lower float8, upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT i.key, coalesce(b.mean, 0::float8), coalesce(b.mean, 0::float8) + i.delta, ratio(i.delta, sqrt(i.variance)), i.lower, i.upper
		FROM hotelling_intervals(tested_by_hotelling.before, tested_by_hotelling.after, tested_by_hotelling.alpha, tested_by_hotelling.level,
				tested_by_hotelling.min_df) AS i
			LEFT JOIN means_of(tested_by_hotelling.before, tested_by_hotelling.level) AS b ON b.key = i.key
		WHERE i.significant;
	END;
COMMENT ON FUNCTION tested_by_hotelling(flamegraph[], flamegraph[], text, float8, int) IS 'the keys in which two groups of runs differ, when hotelling_p() says that they do';

CREATE FUNCTION energy_p(before flamegraph[], after flamegraph[], normalised bool, permutations int, seed bigint) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT e.p_value FROM energy_test(energy_p.before, energy_p.after, energy_p.normalised, energy_p.permutations, energy_p.seed) AS e;
	END;
COMMENT ON FUNCTION energy_p(flamegraph[], flamegraph[], bool, int, bigint) IS 'probability that two groups of runs differ so much by chance, by the energy test';

CREATE FUNCTION last_change(profiles flamegraph[], min_segment int, alpha float8, permutations int, seed bigint,
		OUT from_at int, OUT change_at int, OUT p_value float8)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT c.from_at, c.change_at, c.p_value
		FROM (SELECT c.change_at, c.p_value, coalesce(pg_catalog.lag(c.change_at) OVER (ORDER BY c.change_at), 1) AS from_at
			FROM change_points(last_change.profiles, last_change.min_segment, 0::float8, last_change.alpha, last_change.permutations, last_change.seed) AS c) AS c
		ORDER BY c.change_at DESC LIMIT 1;
	END;
COMMENT ON FUNCTION last_change(flamegraph[], int, float8, int, bigint) IS 'the last change point of a sequence of runs, and where what lies before it begins';

CREATE FUNCTION tested_by_parts(first flamegraph[], second flamegraph[], level text, of_sample float8, alpha float8, min_std float8, zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, lower float8, upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t, c.lower, c.upper
		FROM compare_stats((SELECT stats(u.fg, tested_by_parts.level) FROM pg_catalog.unnest(tested_by_parts.first) AS u (fg)),
				(SELECT stats(u.fg, tested_by_parts.level) FROM pg_catalog.unnest(tested_by_parts.second) AS u (fg)),
				'bh'::text, tested_by_parts.alpha, 'none'::text, 5::float8) AS c
			-- What went away again since is no finding.
			JOIN tested_by_deviation(tested_by_parts.first, tested_by_parts.second[pg_catalog.cardinality(tested_by_parts.second)], tested_by_parts.level,
				tested_by_parts.of_sample, tested_by_parts.min_std, tested_by_parts.zero_std) AS d ON d.key = c.key
		WHERE c.q_value <= tested_by_parts.alpha AND sign(c.delta) = sign(d.actual - d.expected) AND c.delta <> 0::float8
			AND abs(d.actual - d.expected) >= abs(c.delta) / 2::float8;
	END;
COMMENT ON FUNCTION tested_by_parts(flamegraph[], flamegraph[], text, float8, float8, float8, text) IS 'the keys in which the second part of a sequence of runs differs from the first one, and its last run still does';

CREATE FUNCTION tested_by_correlation(before flamegraph[], after flamegraph[], costs float8[], level text, correlation text, min_score float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT k.key, coalesce(b.mean, 0::float8), coalesce(a.mean, 0::float8), c.score
		FROM frame_correlation(tested_by_correlation.before OPERATOR(pg_catalog.||) tested_by_correlation.after, tested_by_correlation.costs, NULL::text[],
				tested_by_correlation.level, tested_by_correlation.correlation, 3, 'skip'::text, 'avg'::text, 'positive'::text) AS c
			CROSS JOIN LATERAL (SELECT stackpath(ARRAY[c.frame]) AS key) AS k
			LEFT JOIN means_of(tested_by_correlation.before, tested_by_correlation.level) AS b ON b.key = k.key
			LEFT JOIN means_of(tested_by_correlation.after, tested_by_correlation.level) AS a ON a.key = k.key
		WHERE c.score >= tested_by_correlation.min_score;
	END;
COMMENT ON FUNCTION tested_by_correlation(flamegraph[], flamegraph[], float8[], text, text, float8) IS 'functions that go with what the runs cost';

CREATE FUNCTION tested(watch watch, level text, before flamegraph[], after flamegraph[], costs float8[], of_sample float8, alpha float8,
		OUT key stackpath, OUT expected float8, OUT actual float8, OUT score float8, OUT p_value float8, OUT lower float8, OUT upper float8,
		OUT gated bool, OUT first_at int)
	RETURNS SETOF record
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_of_sample CONSTANT float8 := coalesce((v_options ->> 'poisson_unit')::float8, tested.of_sample);
	v_min_std CONSTANT float8 := coalesce((v_options ->> 'min_std')::float8, 0);
	v_zero_std CONSTANT text := coalesce(v_options ->> 'zero_std', 'inf');
	v_min_df CONSTANT int := coalesce((v_options ->> 'min_df')::int, 1);
	-- enough for a p-value below alpha, were it not for the number of arrangements
	v_permutations CONSTANT int := coalesce((v_options ->> 'permutations')::int, greatest(999, ceil(2 / greatest(tested.alpha, 0.00002))::int - 1));
	v_seed CONSTANT bigint := coalesce((v_options ->> 'seed')::bigint, 42);
	v_before CONSTANT int := cardinality(tested.before);
	v_p float8;
	v_from int := 1;
	v_to int := v_before + cardinality(tested.after);
	v_at int;
BEGIN
	IF (watch).method IN ('deviation', 'welch') AND (v_before < 2 OR (watch).method = 'welch' AND cardinality(tested.after) < 2) THEN
		RETURN;
	END IF;
	IF (watch).method = 'deviation' AND cardinality(tested.after) = 1 THEN
		RETURN QUERY
		SELECT d.key, d.expected, d.actual, d.score, d.p_value, NULL::float8, NULL::float8, false, v_before + 1
		FROM profiling.tested_by_deviation(tested.before, tested.after[1], tested.level, v_of_sample, v_min_std, v_zero_std) AS d;

	ELSIF (watch).method IN ('deviation', 'welch') THEN
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, c.p_value, c.lower, c.upper, false, v_before + 1
		FROM profiling.tested_by_welch(tested.before, tested.after, tested.level, v_of_sample, (watch).alpha) AS c;

	ELSIF (watch).method = 'hotelling' THEN
		v_p := profiling.hotelling_p(tested.before, tested.after, tested.level, tested.alpha, v_min_df);
		IF v_p <= tested.alpha THEN
			RETURN QUERY
			SELECT i.key, i.expected, i.actual, i.score, v_p, i.lower, i.upper, true, v_before + 1
			FROM profiling.tested_by_hotelling(tested.before, tested.after, tested.level, tested.alpha, v_min_df) AS i;
		END IF;

	ELSIF (watch).method = 'energy' AND v_before >= 2 THEN
		v_p := profiling.energy_p(tested.before, tested.after, coalesce((v_options ->> 'normalised')::bool, false), v_permutations, v_seed);
		v_at := v_before + 1;

	ELSIF (watch).method = 'change_point' THEN
		-- the last change, and what lies between it and the one before
		SELECT c.change_at, c.p_value, c.from_at INTO v_at, v_p, v_from
		FROM profiling.last_change(tested.before || tested.after, coalesce((v_options ->> 'min_segment')::int, 5), tested.alpha, v_permutations, v_seed) AS c;

	ELSIF (watch).method = 'correlation' AND v_before >= 2 THEN
		-- Has what the runs cost changed? Then the functions that go with it.
		SELECT min(d.p_value) INTO v_p
		FROM profiling.tested_by_deviation(profiling.metric_profiles(tested.costs[:v_before]),
			profiling.metric_profile((SELECT avg(u.cost) FROM unnest(tested.costs[v_before + 1:]) AS u (cost))), 'self'::text, 0::float8, v_min_std,
			'inf'::text) AS d;
		IF v_p <= tested.alpha THEN
			RETURN QUERY
			SELECT c.key, c.expected, c.actual, c.score, v_p, NULL::float8, NULL::float8, true, v_before + 1
			FROM profiling.tested_by_correlation(tested.before, tested.after, tested.costs, tested.level,
				coalesce(v_options ->> 'correlation', 'pearson'), coalesce((v_options ->> 'min_score')::float8, 0.8::float8)) AS c;
		END IF;
	END IF;

	IF (watch).method IN ('energy', 'change_point') AND v_p <= tested.alpha THEN
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, v_p, c.lower, c.upper, true, v_at
		FROM profiling.tested_by_parts((tested.before || tested.after)[v_from : v_at - 1], (tested.before || tested.after)[v_at : v_to], tested.level,
			v_of_sample, (watch).alpha, v_min_std, v_zero_std) AS c;
	END IF;
END
$$;
COMMENT ON FUNCTION tested(watch, text, flamegraph[], flamegraph[], float8[], float8, float8) IS 'what a watch row''s method says about every key of these run means: expected, actual, its statistic, p_value, the interval of the difference; gated: the p-value is that of one test of all keys, which were found by it; first_at: position of the first changed run in before || after. alpha: what the family has';

--
-- of nested findings the one that explains the others
--

CREATE FUNCTION change_of(key stackpath, level text, delta flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT CASE WHEN change_of.level = 'frame' THEN frame_total(change_of.delta, leaf(change_of.key)) ELSE total_at(change_of.delta, change_of.key) END;
	END;
COMMENT ON FUNCTION change_of(stackpath, text, flamegraph) IS 'by how much a function (level frame) or a calling context changed, with what it calls; delta: the difference of the profiles';

CREATE FUNCTION change_besides(key stackpath, keys stackpath[], level text, delta flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN s.others IS NULL THEN s.change
			WHEN change_besides.level = 'frame' THEN
				-- what it has without stacks that go on to one of the others
				frame_total(exclude_stacks(change_besides.delta, ('*;' || quoted_frame(leaf(change_besides.key)) || ';*;'
					|| (SELECT string_agg(quoted_frame(leaf(o.key)), '|'::text) FROM pg_catalog.unnest(s.others) AS o (key)) || ';*')::stackquery),
					leaf(change_besides.key))
			ELSE s.change - coalesce((SELECT sum(change_of(o.key, change_besides.level, change_besides.delta)) FROM pg_catalog.unnest(s.others) AS o (key)
				WHERE NOT EXISTS (SELECT FROM pg_catalog.unnest(s.others) AS n (key) WHERE n.key <> o.key AND o.key <@ n.key)), 0::float8) END
		FROM (SELECT c.change, (SELECT pg_catalog.array_agg(k.key) FROM pg_catalog.unnest(change_besides.keys) AS k (key)
				WHERE k.key <> change_besides.key AND (change_besides.level = 'frame' OR k.key <@ change_besides.key)
					AND sign(change_of(k.key, change_besides.level, change_besides.delta)) = sign(c.change)) AS others
			FROM (SELECT change_of(change_besides.key, change_besides.level, change_besides.delta) AS change OFFSET 0) AS c OFFSET 0) AS s;
	END;
COMMENT ON FUNCTION change_besides(stackpath, stackpath[], text, flamegraph) IS 'what is left of the change of a function or a calling context when that of the others, further down the stacks and in the same direction, is taken away';

CREATE FUNCTION origins(keys stackpath[], level text, delta flamegraph, OUT origins stackpath[])
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
	v_key profiling.regression.subject%TYPE;
	v_diff float8;
	v_rest float8;
BEGIN
	origins := keys;
	IF level NOT IN ('frame', 'node') OR cardinality(keys) < 2 THEN
		RETURN;
	END IF;
	-- The largest first: where two contain each other, one has to stay.
	origins := ARRAY(SELECT k FROM unnest(keys) AS k ORDER BY abs(profiling.change_of(k, level, delta)) DESC, k);
	FOREACH v_key IN ARRAY origins LOOP
		v_diff := profiling.change_of(v_key, level, delta);
		v_rest := profiling.change_besides(v_key, origins, level, delta);
		IF abs(v_rest) < abs(v_diff) / 2 OR sign(v_rest) <> sign(v_diff) OR v_diff = 0 THEN
			origins := array_remove(origins, v_key);
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION origins(stackpath[], text, flamegraph) IS 'of functions (level frame) or calling contexts (node) that changed, those whose change is not, by more than half, that of others further down the stacks; delta: the difference of the profiles';

--
-- one family
--

CREATE FUNCTION mean_total(profiles flamegraph[]) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT avg(total(u.fg)) FROM pg_catalog.unnest(mean_total.profiles) AS u (fg);
	END;
COMMENT ON FUNCTION mean_total(flamegraph[]) IS 'the mean of the totals of some profiles';

-- Not IMMUTABLE: the planner would work it out for every family, and few of them ask for it.
CREATE FUNCTION change_between(before flamegraph[], after flamegraph[]) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT (SELECT avg(u.fg) FROM pg_catalog.unnest(change_between.after) AS u (fg)) - (SELECT avg(u.fg) FROM pg_catalog.unnest(change_between.before) AS u (fg));
	END;
COMMENT ON FUNCTION change_between(flamegraph[], flamegraph[]) IS 'the mean of some profiles less that of others';

CREATE FUNCTION subject_of(level text, key stackpath) RETURNS stackpath
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN subject_of.level = 'metric' THEN ''::stackpath ELSE subject_of.key END;
	END;
COMMENT ON FUNCTION subject_of(text, stackpath) IS 'what a finding is about: the key that was tested, nothing for the metric';

CREATE FUNCTION found(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[], families int DEFAULT 1)
	RETURNS TABLE (found_unit text, first_test_run_id bigint, last_test_run_id bigint, found_level text, subject stackpath, expected float8,
		actual float8, diff float8, relative float8, score float8, p_value float8, q_value float8, lower float8, upper float8, kind text)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_method CONSTANT text := (watch).method;
	v_level CONSTANT text := CASE WHEN v_method = 'correlation' AND (watch).level NOT IN ('frame', 'self') THEN 'frame' ELSE (watch).level END;
	v_alpha CONSTANT float8 := (watch).alpha / greatest(found.families, 1);
	v_higher bool;
	v_recent int;
	v_ids bigint[] := found.run_ids;
	v_before_ids bigint[];
	v_before record;
	v_after record;
	v_metric_ids bigint[];
	v_metric_unit text;
	v_has_metric bool;
	v_size float8;
BEGIN
	IF v_level = 'location' OR v_method IN ('integral', 'local_statistics') THEN
		RAISE EXCEPTION 'method % of watch row % cannot compare at level %', v_method, (watch).watch_id, v_level
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Observations have level location and methods integral and local_statistics.';
	END IF;
	v_recent := coalesce((v_options ->> 'recent')::int, CASE v_method WHEN 'welch' THEN 2 WHEN 'hotelling' THEN 3 WHEN 'energy' THEN 5 ELSE 1 END);
	IF v_method NOT IN ('change_point', 'correlation') AND v_recent > cardinality(v_ids) THEN
		-- Methods that need several runs take those just before, too.
		v_ids := profiling.runs_before(found.benchmark_id, found.event, found.unit, found.branch, v_ids[1], 'window:' || v_recent - cardinality(v_ids)) || v_ids;
		IF cardinality(v_ids) < v_recent THEN
			RETURN;
		END IF;
	END IF;
	-- A sequence is that of one branch, and a change in it needs some runs on both sides.
	v_before_ids := profiling.runs_before(found.benchmark_id, found.event, found.unit, found.branch, v_ids[1],
		CASE WHEN v_method = 'change_point' THEN 'window:' || coalesce((v_options ->> 'history')::int, 40)
			WHEN v_method = 'correlation' AND (watch).baseline NOT LIKE 'window:%' THEN 'window:10'
			ELSE (watch).baseline END);
	IF cardinality(v_before_ids) < 2 THEN
		RETURN;
	END IF;
	v_before := profiling.run_means(found.benchmark_id, found.event, found.unit, v_before_ids);
	v_after := profiling.run_means(found.benchmark_id, found.event, found.unit, v_ids);
	v_metric_unit := CASE WHEN v_before.metric_unit = v_after.metric_unit THEN v_after.metric_unit END;
	v_has_metric := v_metric_unit IS NOT NULL AND v_after.costs[cardinality(v_ids)] IS NOT NULL
		AND cardinality(array_remove(v_before.costs, NULL)) >= 2
		-- of several events one has it
		AND found.event = (SELECT r.event FROM profiling.rollup AS r
			WHERE r.benchmark_id = found.benchmark_id AND r.test_run_id = v_ids[cardinality(v_ids)] AND r.metric_count > 0
			ORDER BY r.event <> 'cpu', r.event COLLATE "C", r.unit COLLATE "C" LIMIT 1);
	IF v_method = 'correlation' AND NOT v_has_metric OR v_level = 'metric' AND NOT v_has_metric THEN
		RETURN;
	END IF;
	-- Runs without a metric are no part of its history.
	v_metric_ids := ARRAY(SELECT u.id FROM unnest(v_before_ids || v_ids, v_before.costs || v_after.costs) WITH ORDINALITY AS u (id, cost, n)
		WHERE u.cost IS NOT NULL ORDER BY u.n);
	SELECT b.metric_direction = 'higher' INTO v_higher FROM profiling.benchmark AS b WHERE b.benchmark_id = found.benchmark_id;
	v_size := greatest(profiling.mean_total(v_after.fgs), profiling.mean_total(v_before.fgs));
	RETURN QUERY
	WITH t AS MATERIALIZED (
		SELECT v_level AS level, t.key, t.expected, t.actual, t.score, t.p_value, t.lower, t.upper, t.gated, t.first_at
		FROM profiling.tested(found.watch, v_level, v_before.fgs, v_after.fgs, v_before.costs || v_after.costs, v_after.of_sample, v_alpha) AS t
		-- What cannot become a finding is not tested: with a share of min_share it is one, from half of that on it counts as a test.
		WHERE v_level <> 'metric' AND (t.gated OR greatest(abs(t.actual), abs(t.expected)) >= (found.watch).min_share / 2 * v_size)
		UNION ALL
		-- The metric is one more key of such a family, unless it has a row of its own.
		SELECT 'metric', t.key, t.expected, t.actual, t.score, t.p_value, t.lower, t.upper, t.gated, t.first_at
		FROM profiling.tested(found.watch, 'self'::text, profiling.metric_profiles(v_before.costs), profiling.metric_profiles(v_after.costs), NULL::float8[], 0::float8, v_alpha) AS t
		WHERE v_level = 'metric' OR v_has_metric AND v_method IN ('deviation', 'welch')
			AND NOT EXISTS (SELECT FROM profiling.watches_of(found.benchmark_id, found.event) AS o WHERE o.method = v_method AND o.level = 'metric')
	), ranked AS (
		SELECT t.*, coalesce(t.p_value, 1) AS p, row_number() OVER (ORDER BY coalesce(t.p_value, 1)) AS place, count(*) OVER () AS tests
		FROM t
	), adjusted AS (
		SELECT r.*, least(1, greatest(found.families, 1)
			* CASE WHEN r.gated THEN r.p ELSE min(r.p * r.tests / r.place) OVER (ORDER BY r.place DESC ROWS UNBOUNDED PRECEDING) END) AS q
		FROM ranked AS r
	), significant AS (
		SELECT a.* FROM adjusted AS a
		WHERE a.q <= (found.watch).alpha AND a.actual <> a.expected
			AND abs(a.actual - a.expected) >= (found.watch).min_effect * abs(a.expected)
			AND (a.level = 'metric' OR greatest(abs(a.actual), abs(a.expected)) >= (found.watch).min_share * v_size)
	), origin AS (
		-- The difference of the profiles is worked out only when it is asked for.
		SELECT CASE WHEN count(*) > 1 THEN profiling.origins(array_agg(g.key), v_level, profiling.change_between(v_before.fgs, v_after.fgs))
			ELSE array_agg(g.key) END AS keys
		FROM significant AS g WHERE g.level <> 'metric'
	)
	SELECT CASE f.level WHEN 'metric' THEN v_metric_unit ELSE found.unit END,
		CASE f.level WHEN 'metric' THEN v_metric_ids[f.first_at] ELSE (v_before_ids || v_ids)[f.first_at] END, v_ids[cardinality(v_ids)], f.level,
		profiling.subject_of(f.level, f.key),
		f.sign * f.expected, f.sign * f.actual, f.sign * (f.actual - f.expected), profiling.ratio(f.sign * (f.actual - f.expected), abs(f.expected)),
		f.sign * f.score, f.p_value, f.q, CASE f.sign WHEN 1 THEN f.lower ELSE - f.upper END, CASE f.sign WHEN 1 THEN f.upper ELSE - f.lower END, f.kind
	FROM (SELECT g.*, CASE WHEN g.level = 'metric' AND v_higher THEN -1 ELSE 1 END AS sign,
			CASE WHEN g.actual > g.expected THEN 'degradation' ELSE 'optimization' END AS kind
		FROM significant AS g) AS f
	WHERE (f.level = 'metric' OR array_position((SELECT o.keys FROM origin AS o), f.key) IS NOT NULL)
		AND (found.watch).direction IN ('both', f.kind)
	ORDER BY f.level, f.p, abs(f.score) DESC, f.key;
END
$$;
COMMENT ON FUNCTION found(watch, bigint, text, text, text, bigint[], int) IS 'the findings of one family: these runs against their history by a watch row; families: how many there are tonight, which share alpha';

CREATE FUNCTION subject_id(subject stackpath) RETURNS uuid
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT md5(subject::text)::uuid;
	END;
COMMENT ON FUNCTION subject_id(stackpath) IS 'what stands for a subject in the key of findings';

CREATE FUNCTION team_of(level text, subject stackpath, fg flamegraph) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce((SELECT o.team FROM owner AS o
			WHERE team_of.subject ~ o.pattern
				-- A function is its owner's by where it is called, too: patterns match the stacks that lead to it.
				OR team_of.level IN ('frame', 'self') AND callers_of(team_of.fg, leaf(team_of.subject)) ~ o.pattern
			ORDER BY o.priority DESC, o.owner_id LIMIT 1), '');
	END;
COMMENT ON FUNCTION team_of(text, stackpath, flamegraph) IS 'the team whose pattern matches a finding: its subject, or for a function any stack of the profile that leads to it; the highest priority wins, then the lowest owner_id; empty for none';

--
-- what is open: still there?
--

CREATE FUNCTION scored_again(benchmark_id bigint, regression_ids bigint[], before flamegraph[], current flamegraph, of_sample float8)
	RETURNS TABLE (regression_id bigint, actual float8, score float8, p_value float8)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT r.regression_id, d.actual, d.score, d.p_value
		FROM (SELECT r.level FROM regression AS r WHERE r.benchmark_id = scored_again.benchmark_id AND r.regression_id = scored_again.regression_ids[1]) AS g
			CROSS JOIN LATERAL (SELECT CASE WHEN g.level = 'metric' THEN 'self' ELSE g.level END AS level) AS l
			JOIN regression AS r ON r.benchmark_id = scored_again.benchmark_id AND r.regression_id = ANY (scored_again.regression_ids)
			LEFT JOIN tested_by_deviation(scored_again.before, scored_again.current, l.level, scored_again.of_sample, 0::float8, 'inf'::text) AS d
				ON d.key = CASE WHEN r.level = 'metric' THEN 'metric'::stackpath ELSE r.subject END;
	END;
COMMENT ON FUNCTION scored_again(bigint, bigint[], flamegraph[], flamegraph, float8) IS 'how much the subjects of some findings of one level deviate in a run from runs before';

CREATE FUNCTION seen_again(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint)
	RETURNS TABLE (regression_id bigint, is_there bool, actual float8, score float8)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
	v_before record;
	v_after CONSTANT record := profiling.run_means(seen_again.benchmark_id, seen_again.event, seen_again.unit, ARRAY[seen_again.test_run_id]);
	v_higher CONSTANT bool := (SELECT b.metric_direction = 'higher' FROM profiling.benchmark AS b WHERE b.benchmark_id = seen_again.benchmark_id);
BEGIN
	FOR g IN
		SELECT r.first_test_run_id, r.level, array_agg(r.regression_id) AS ids
		FROM profiling.regression AS r
		WHERE r.benchmark_id = seen_again.benchmark_id AND r.event = seen_again.event AND r.branch = seen_again.branch
			AND r.unit = CASE r.level WHEN 'metric' THEN v_after.metric_unit ELSE seen_again.unit END
			AND r.status IN ('open', 'acknowledged') AND r.level <> 'location'
		GROUP BY 1, 2
	LOOP
		v_before := profiling.run_means(seen_again.benchmark_id, seen_again.event, seen_again.unit,
			profiling.runs_before(seen_again.benchmark_id, seen_again.event, seen_again.unit, seen_again.branch, g.first_test_run_id, 'window:10'::text));
		RETURN QUERY
		SELECT r.regression_id, coalesce(
				sign(s.sign * coalesce(d.actual, 0) - r.expected) = sign(r.diff)
				AND abs(s.sign * coalesce(d.actual, 0) - r.expected) >= 0.5 * w.min_effect * abs(r.expected)
				-- The runs before may be gone, or have had it too, if it was found late: then half of what the finding was last.
				AND (coalesce(d.p_value <= 0.05, false) OR abs(s.sign * coalesce(d.actual, 0) - r.expected) >= 0.5 * abs(r.diff)), false),
			s.sign * coalesce(d.actual, 0), s.sign * d.score
		FROM profiling.regression AS r
			CROSS JOIN LATERAL (SELECT CASE WHEN r.level = 'metric' AND v_higher THEN -1 ELSE 1 END AS sign) AS s
			CROSS JOIN LATERAL (SELECT coalesce((SELECT max(o.min_effect) FROM profiling.watches_of(r.benchmark_id, r.event) AS o WHERE o.method = r.method), 0) AS min_effect) AS w
			JOIN profiling.scored_again(seen_again.benchmark_id, g.ids,
				CASE g.level WHEN 'metric' THEN profiling.metric_profiles(v_before.costs) ELSE v_before.fgs END,
				CASE g.level WHEN 'metric' THEN profiling.metric_profile(v_after.costs[1]) ELSE v_after.fgs[1] END,
				CASE g.level WHEN 'metric' THEN 0::float8 ELSE v_after.of_sample END) AS d ON d.regression_id = r.regression_id
		WHERE r.benchmark_id = seen_again.benchmark_id AND r.regression_id = ANY (g.ids)
			-- a run without a metric says nothing about it
			AND (r.level <> 'metric' OR v_after.costs[1] IS NOT NULL);
	END LOOP;
END
$$;
COMMENT ON FUNCTION seen_again(bigint, text, text, text, bigint) IS 'for each open finding of a branch whether a run still has it: it differs from what was expected in the same direction, by at least half of min_effect, and from the 10 runs before the finding''s first one (p <= 0.05) or by half of what it did last';

--
-- observations: performance models
--

CREATE FUNCTION fit_run(benchmark_id bigint, test_run_id bigint) RETURNS int
	LANGUAGE sql
	BEGIN ATOMIC
		WITH fitted AS (
			INSERT INTO fitted_model (benchmark_id, test_run_id, location, kind, unit, model, r_square)
			SELECT fit_run.benchmark_id, fit_run.test_run_id, p.location, kind(f.model), p.unit, f.model, r_square(f.model)
			FROM (SELECT o.location, o.unit, pg_catalog.array_agg(o.x ORDER BY o.observation_id) AS xs, pg_catalog.array_agg(o.y ORDER BY o.observation_id) AS ys
					FROM observation AS o
					WHERE o.benchmark_id = fit_run.benchmark_id AND o.test_run_id = fit_run.test_run_id
					GROUP BY o.location, o.unit HAVING pg_catalog.count(DISTINCT o.x) >= 3) AS p,
				LATERAL (VALUES (fit(p.xs, p.ys, 'parametric_regression'::text, '{}'::jsonb)), (fit(p.xs, p.ys, 'regressogram'::text, '{}'::jsonb)),
					(fit(p.xs, p.ys, 'moving_average'::text, '{}'::jsonb)), (fit(p.xs, p.ys, 'kernel_regression'::text, '{}'::jsonb))) AS f (model)
			WHERE f.model IS NOT NULL
			ON CONFLICT DO NOTHING
			RETURNING 1
		)
		SELECT count(*)::int FROM fitted;
	END;
COMMENT ON FUNCTION fit_run(bigint, bigint) IS 'fits the models of a run''s observations, for every location with three or more different x: the best formula, a regressogram, a moving average and a kernel regression; returns how many are new';

CREATE FUNCTION unfitted_runs(benchmark_id bigint) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id), '{}'::bigint[])
		FROM test_run AS t
		WHERE has_begun(t.started_at) AND t.test_run_id IN (
			SELECT o.test_run_id FROM observation AS o
			WHERE o.benchmark_id = unfitted_runs.benchmark_id
				AND NOT EXISTS (SELECT FROM fitted_model AS m
					WHERE m.benchmark_id = unfitted_runs.benchmark_id AND m.test_run_id = o.test_run_id)
			GROUP BY o.test_run_id, o.location, o.unit HAVING pg_catalog.count(DISTINCT o.x) >= 3);
	END;
COMMENT ON FUNCTION unfitted_runs(bigint) IS 'runs that fit_run() can fit models to and has not yet, oldest first';

CREATE FUNCTION models_before(benchmark_id bigint, branch text, test_run_id bigint, baseline text DEFAULT 'window:10') RETURNS bigint
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT t.test_run_id
		FROM test_run AS t, test_run AS n
		WHERE n.test_run_id = models_before.test_run_id AND (t.started_at, t.test_run_id) < (n.started_at, n.test_run_id) AND has_begun(t.started_at)
			AND EXISTS (SELECT FROM fitted_model AS m WHERE m.benchmark_id = models_before.benchmark_id AND m.test_run_id = t.test_run_id)
			AND CASE
				WHEN models_before.baseline LIKE 'window:%' THEN t.branch = models_before.branch
				WHEN models_before.baseline LIKE 'branch:%' THEN t.branch = substr(models_before.baseline, 8)
				WHEN models_before.baseline LIKE 'commit:%' THEN starts_with(t.commit, substr(models_before.baseline, 8))
				ELSE t.version = substr(models_before.baseline, 9) END
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1;
	END;
COMMENT ON FUNCTION models_before(bigint, text, bigint, text) IS 'the newest run with models that a baseline names, before a run';

CREATE FUNCTION found_in_models(watch watch, benchmark_id bigint, branch text, test_run_id bigint, before_run_id bigint DEFAULT NULL)
	RETURNS TABLE (found_unit text, first_test_run_id bigint, last_test_run_id bigint, found_level text, subject stackpath, expected float8,
		actual float8, diff float8, relative float8, score float8, p_value float8, q_value float8, lower float8, upper float8, kind text)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT m.unit, found_in_models.test_run_id, found_in_models.test_run_id, 'location'::text, stackpath(ARRAY[m.location]),
			c.expected, c.actual, c.actual - c.expected, c.relative_error, c.confidence, NULL::float8, NULL::float8, NULL::float8, NULL::float8, c.result
		FROM fitted_model AS m JOIN fitted_model AS b ON b.benchmark_id = m.benchmark_id AND b.location = m.location AND b.unit = m.unit AND b.kind = m.kind
				AND b.test_run_id = coalesce(found_in_models.before_run_id,
					models_before(found_in_models.benchmark_id, found_in_models.branch, found_in_models.test_run_id, (found_in_models.watch).baseline)),
			LATERAL (
				SELECT i.result, i.relative_error, i.confidence, i.baseline_integral AS expected, i.target_integral AS actual
				FROM integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i WHERE (found_in_models.watch).method = 'integral'
				UNION ALL
				SELECT l.result, l.relative_error, l.confidence, i.baseline_integral, i.target_integral
				FROM local_statistics(b.model, m.model, 1000, 0.05::float8, 2, 0.1::float8, 0.25::float8) AS l, integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i WHERE (found_in_models.watch).method = 'local_statistics'
			) AS c
		WHERE m.benchmark_id = found_in_models.benchmark_id AND m.test_run_id = found_in_models.test_run_id
			AND m.kind = coalesce(checked_options(found_in_models.watch) ->> 'model'::text, 'regressogram'::text)
			AND c.result IN ('degradation', 'optimization') AND abs(c.relative_error) >= (found_in_models.watch).min_effect
			AND (found_in_models.watch).direction IN ('both', c.result)
		ORDER BY abs(c.relative_error) DESC, m.location COLLATE "C";
	END;
COMMENT ON FUNCTION found_in_models(watch, bigint, text, bigint, bigint) IS 'locations whose fitted model differs from that of the baseline, by integral or local_statistics: thresholds and no test, so there is no p_value; expected and actual are integrals of the models, score is the confidence';

--
-- one benchmark
--

CREATE FUNCTION new_runs(benchmark_id bigint) RETURNS TABLE (event text, unit text, branch text, run_ids bigint[], checked_ids bigint[], repetitions int[], is_newest bool)
	LANGUAGE sql STABLE ROWS 3
	BEGIN ATOMIC
		SELECT g.event, g.unit, g.branch,
			-- Where there is no history yet, the newest run is compared with the others.
			CASE WHEN g.checked >= 2 OR g.n = 1 THEN g.ids ELSE g.ids[g.n - g.newest + 1 :] END,
			g.ids, g.repetitions, g.is_newest
		FROM (SELECT u.event, u.unit, u.branch, u.ids, u.repetitions, pg_catalog.cardinality(u.ids) AS n, c.checked,
				CASE WHEN pg_catalog.cardinality(u.ids) + c.checked - u.of_newest >= 2 THEN u.of_newest ELSE 1 END AS newest,
				NOT coalesce(c.last > u.last, false) AS is_newest
			FROM (SELECT r.event, r.unit, r.branch, pg_catalog.array_agg(r.test_run_id ORDER BY r.started_at, r.test_run_id) AS ids,
						pg_catalog.array_agg(r.repetitions ORDER BY r.started_at, r.test_run_id) AS repetitions, max(r.started_at) AS last,
						-- how many of the newest executable
						(count(*) FILTER (WHERE (t.commit, t.version) = (n.commit, n.version)))::int AS of_newest
					FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
						CROSS JOIN LATERAL (SELECT v.commit, v.version
							FROM rollup AS o JOIN test_run AS v ON v.test_run_id = o.test_run_id
							WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = r.unit AND o.branch = r.branch
								AND o.checked_at IS NULL AND o.span = 'run' AND has_begun(o.started_at)
							ORDER BY o.started_at DESC, o.test_run_id DESC LIMIT 1) AS n
					WHERE r.benchmark_id = new_runs.benchmark_id AND r.checked_at IS NULL AND r.span = 'run' AND has_begun(r.started_at)
					GROUP BY r.event, r.unit, r.branch) AS u
				CROSS JOIN LATERAL (SELECT count(*)::int AS checked, max(r.started_at) AS last FROM rollup AS r
					WHERE r.benchmark_id = new_runs.benchmark_id AND r.event = u.event AND r.unit = u.unit AND r.branch = u.branch
						AND r.checked_at IS NOT NULL AND r.span = 'run' AND has_begun(r.started_at)) AS c) AS g
		ORDER BY g.event COLLATE "C", g.unit COLLATE "C", g.branch COLLATE "C";
	END;
COMMENT ON FUNCTION new_runs(bigint) IS 'runs that were not compared yet and have begun, per event, unit and branch; run_ids: those to compare (all, or without a history those of the newest executable, or the newest); is_newest: false when a newer run was compared already';

CREATE FUNCTION families_of(benchmark_id bigint) RETURNS int
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT count(*)::int FROM new_runs(families_of.benchmark_id) AS n, watches_of(families_of.benchmark_id, n.event) AS w
		WHERE w.method NOT IN ('integral', 'local_statistics');
	END;
COMMENT ON FUNCTION families_of(bigint) IS 'how many families of tests the new runs of a benchmark are';

CREATE FUNCTION open_finding(watch watch, benchmark_id bigint, event text, branch text, unit text, first_test_run_id bigint, last_test_run_id bigint,
		level text, subject stackpath, expected float8, actual float8, diff float8, relative float8, score float8, p_value float8, q_value float8,
		lower float8, upper float8, kind text, fg flamegraph) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id bigint;
	v_subject_id CONSTANT uuid := profiling.subject_id(open_finding.subject);
BEGIN
	-- What somebody has called a false positive stays one as long as it is the same change.
	IF EXISTS (SELECT FROM profiling.regression AS r WHERE r.benchmark_id = open_finding.benchmark_id AND r.event = open_finding.event
			AND r.unit = open_finding.unit AND r.branch = open_finding.branch AND r.method = (watch).method AND r.level = open_finding.level
			AND r.subject_id = v_subject_id AND r.kind = open_finding.kind AND r.status = 'false_positive'
			AND abs(r.actual - open_finding.actual) <= 0.5 * abs(r.diff)) THEN
		RETURN NULL;
	END IF;
	INSERT INTO profiling.regression AS r (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id, method, level, subject, subject_id,
		expected, actual, diff, relative, score, p_value, q_value, lower, upper, kind, team)
	VALUES (open_finding.benchmark_id, open_finding.event, open_finding.unit, open_finding.branch, open_finding.first_test_run_id,
		open_finding.last_test_run_id, (watch).method, open_finding.level, open_finding.subject, v_subject_id, open_finding.expected,
		open_finding.actual, open_finding.diff, open_finding.relative, open_finding.score, open_finding.p_value, open_finding.q_value,
		open_finding.lower, open_finding.upper, open_finding.kind, profiling.team_of(open_finding.level, open_finding.subject, open_finding.fg))
	-- Open already: one row for as long as it lasts, which seen_again() brings up to date.
	ON CONFLICT (benchmark_id, event, unit, branch, method, level, subject_id) WHERE status IN ('open', 'acknowledged') DO NOTHING
	RETURNING r.regression_id INTO v_id;
	RETURN v_id;
END
$$;
COMMENT ON FUNCTION open_finding(watch, bigint, text, text, text, bigint, bigint, text, stackpath, float8, float8, float8, float8, float8, float8, float8, float8, float8, text, flamegraph) IS 'puts a finding into regression; null when it is open already or was called a false positive';

CREATE FUNCTION open_locations(benchmark_id bigint, branch text, method text, test_run_id bigint)
	RETURNS TABLE (regression_id bigint, first_test_run_id bigint, subject_id uuid, unit text, kind text)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT r.regression_id, r.first_test_run_id, r.subject_id, r.unit, r.kind
		FROM regression AS r
		WHERE r.benchmark_id = open_locations.benchmark_id AND r.branch = open_locations.branch AND r.method = open_locations.method
			AND r.level = 'location' AND r.status IN ('open', 'acknowledged')
			AND EXISTS (SELECT FROM fitted_model AS m WHERE m.benchmark_id = open_locations.benchmark_id AND m.test_run_id = open_locations.test_run_id
				AND m.unit = r.unit AND m.location = leaf(r.subject));
	END;
COMMENT ON FUNCTION open_locations(bigint, text, text, bigint) IS 'open findings in models of a branch, for locations that a run has models of';

CREATE FUNCTION watch_benchmark(benchmark_id bigint, families int DEFAULT NULL, OUT runs int, OUT opened int, OUT updated int, OUT closed int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := watch_benchmark.benchmark_id;
	v_families int := watch_benchmark.families;
	g record;
	w profiling.watch;
	f record;
	v_run bigint;
	v_newest bigint;
	v_branch text;
	v_fg profiling.rollup.flamegraph%TYPE;
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
	v_ids bigint[] := '{}';
	v_regression_id bigint;
BEGIN
	runs := 0;
	opened := 0;
	updated := 0;
	closed := 0;
	-- Somebody else is at it; what is new is seen by that session, or the next time.
	IF NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch', v_id)) THEN
		runs := NULL;
		RETURN;
	END IF;
	v_families := coalesce(v_families, profiling.families_of(v_id));
	PERFORM profiling.fold_rollups(v_id, NULL::bigint);

	FOR g IN SELECT * FROM profiling.new_runs(v_id) LOOP
		runs := runs + cardinality(g.checked_ids);
		v_run := g.run_ids[cardinality(g.run_ids)];
		IF g.is_newest THEN
			v_newest := v_run;
			SELECT profiling.summed(r.flamegraph, r.benchmark_id, r.pending) INTO v_fg FROM profiling.rollup AS r
			WHERE r.benchmark_id = v_id AND r.event = g.event AND r.unit = g.unit AND r.branch = g.branch AND r.test_run_id = v_run;
			-- Before anything is closed: what ends tonight shall not be opened as its opposite.
			FOR w IN SELECT * FROM profiling.watches_of(v_id, g.event) AS o WHERE o.method NOT IN ('integral', 'local_statistics') LOOP
				FOR f IN SELECT * FROM profiling.found(w, v_id, g.event, g.unit, g.branch, g.run_ids, v_families) LOOP
					v_regression_id := profiling.open_finding(w, v_id, g.event, g.branch, f.found_unit, f.first_test_run_id, f.last_test_run_id, f.found_level,
						f.subject, f.expected, f.actual, f.diff, f.relative, f.score, f.p_value, f.q_value, f.lower, f.upper, f.kind, v_fg);
					IF v_regression_id IS NOT NULL THEN
						opened := opened + 1;
						v_ids := v_ids || v_regression_id;
					END IF;
				END LOOP;
			END LOOP;
			FOR f IN SELECT s.* FROM profiling.seen_again(v_id, g.event, g.unit, g.branch, v_run) AS s WHERE s.regression_id <> ALL (v_ids) LOOP
				IF f.is_there THEN
					UPDATE profiling.regression AS r SET last_test_run_id = v_run, actual = f.actual, diff = f.actual - r.expected,
						relative = profiling.ratio(f.actual - r.expected, abs(r.expected)), score = f.score
					WHERE r.benchmark_id = v_id AND r.regression_id = f.regression_id;
					updated := updated + 1;
				ELSE
					UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now()
					WHERE r.benchmark_id = v_id AND r.regression_id = f.regression_id;
					closed := closed + 1;
					v_ids := v_ids || f.regression_id;
				END IF;
			END LOOP;
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
		PERFORM profiling.fit_run(v_id, v_run);
		SELECT t.branch INTO v_branch FROM profiling.test_run AS t WHERE t.test_run_id = v_run;
		FOR w IN SELECT * FROM profiling.watches_of(v_id, ''::text) AS o WHERE o.method IN ('integral', 'local_statistics') LOOP
			-- Open ones are compared with what was before them.
			FOR f IN SELECT * FROM profiling.open_locations(v_id, v_branch, w.method, v_run) LOOP
				UPDATE profiling.regression AS r SET last_test_run_id = v_run, actual = c.actual, diff = c.diff, relative = c.relative, score = c.score
				FROM profiling.found_in_models(w, v_id, v_branch, v_run, profiling.models_before(v_id, v_branch, f.first_test_run_id, w.baseline)) AS c
				WHERE r.benchmark_id = v_id AND r.regression_id = f.regression_id AND profiling.subject_id(c.subject) = f.subject_id AND c.found_unit = f.unit AND c.kind = f.kind;
				IF FOUND THEN
					updated := updated + 1;
				ELSE
					UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now()
					WHERE r.benchmark_id = v_id AND r.regression_id = f.regression_id;
					closed := closed + 1;
					v_ids := v_ids || f.regression_id;
				END IF;
			END LOOP;
			FOR f IN SELECT * FROM profiling.found_in_models(w, v_id, v_branch, v_run, NULL::bigint) AS c
				-- back to what was before a finding that ends with this run
				WHERE NOT EXISTS (SELECT FROM profiling.regression AS r WHERE r.benchmark_id = v_id AND r.regression_id = ANY (v_ids) AND r.method = w.method
					AND r.status = 'resolved' AND r.level = 'location' AND r.subject_id = profiling.subject_id(c.subject) AND r.unit = c.found_unit AND r.branch = v_branch)
			LOOP
				v_regression_id := profiling.open_finding(w, v_id, ''::text, v_branch, f.found_unit, f.first_test_run_id, f.last_test_run_id, f.found_level, f.subject,
					f.expected, f.actual, f.diff, f.relative, f.score, f.p_value, f.q_value, f.lower, f.upper, f.kind, v_none);
				IF v_regression_id IS NOT NULL THEN
					opened := opened + 1;
					v_ids := v_ids || v_regression_id;
				END IF;
			END LOOP;
		END LOOP;
	END LOOP;

	IF opened + closed > 0 THEN
		PERFORM pg_notify('profiling_regression', json_build_object('benchmark_id', v_id, 'test_run_id', v_newest, 'opened', opened,
			'closed', closed, 'regression_ids', v_ids[:50])::text);
	END IF;
END
$$;
COMMENT ON FUNCTION watch_benchmark(bigint, int) IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings and sends one NOTIFY profiling_regression with ids; returns how many runs were looked at (null: another session is at it) and what became of findings; families: how many families of tests there are tonight, by default those of this benchmark';

CREATE FUNCTION detect(benchmark_id bigint, test_run_id bigint DEFAULT NULL)
	RETURNS TABLE (event text, unit text, branch text, first_test_run_id bigint, last_test_run_id bigint, method text, level text, subject stackpath,
		subject_id uuid, expected float8, actual float8, diff float8, relative float8, score float8, p_value float8, q_value float8,
		lower float8, upper float8, kind text, team text)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run bigint := detect.test_run_id;
	v_families int;
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
BEGIN
	IF v_run IS NULL THEN
		SELECT t.test_run_id INTO v_run FROM profiling.test_run AS t
		WHERE t.test_run_id IN (SELECT r.test_run_id FROM profiling.rollup AS r WHERE r.benchmark_id = detect.benchmark_id AND r.span = 'run'
			UNION SELECT o.test_run_id FROM profiling.fitted_model AS o WHERE o.benchmark_id = detect.benchmark_id)
			AND profiling.has_begun(t.started_at)
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1;
	END IF;
	SELECT count(*) INTO v_families FROM profiling.rollup AS r, profiling.watches_of(r.benchmark_id, r.event) AS w
	WHERE r.benchmark_id = detect.benchmark_id AND r.test_run_id = v_run AND r.span = 'run' AND w.method NOT IN ('integral', 'local_statistics');
	RETURN QUERY
	SELECT r.event, f.found_unit, r.branch, f.first_test_run_id, f.last_test_run_id, w.method, f.found_level, f.subject, profiling.subject_id(f.subject),
		f.expected, f.actual, f.diff, f.relative, f.score, f.p_value, f.q_value, f.lower, f.upper, f.kind, profiling.team_of(f.found_level, f.subject, profiling.summed(r.flamegraph, r.benchmark_id, r.pending))
	FROM profiling.rollup AS r, profiling.watches_of(r.benchmark_id, r.event) AS w,
		LATERAL profiling.found(w, r.benchmark_id, r.event, r.unit, r.branch, ARRAY[v_run], v_families) AS f
	WHERE r.benchmark_id = detect.benchmark_id AND r.test_run_id = v_run AND r.span = 'run' AND w.method NOT IN ('integral', 'local_statistics')
	UNION ALL
	SELECT '', f.found_unit, t.branch, f.first_test_run_id, f.last_test_run_id, w.method, f.found_level, f.subject, profiling.subject_id(f.subject),
		f.expected, f.actual, f.diff, f.relative, f.score, f.p_value, f.q_value, f.lower, f.upper, f.kind, profiling.team_of(f.found_level, f.subject, v_none)
	FROM profiling.test_run AS t, profiling.watches_of(detect.benchmark_id, ''::text) AS w, LATERAL profiling.found_in_models(w, detect.benchmark_id, t.branch, v_run, NULL::bigint) AS f
	WHERE t.test_run_id = v_run AND w.method IN ('integral', 'local_statistics');
END
$$;
COMMENT ON FUNCTION detect(bigint, bigint) IS 'what the nightly comparison finds in one run (by default the newest) of a benchmark; nothing is written; the columns are those of regression';

--
-- all benchmarks
--

CREATE FUNCTION benchmarks_to_watch() RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(b.benchmark_id ORDER BY b.benchmark_id), '{}'::bigint[])
		FROM benchmark AS b
		WHERE EXISTS (SELECT FROM rollup AS r WHERE r.benchmark_id = b.benchmark_id AND r.checked_at IS NULL AND has_begun(r.started_at))
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
COMMENT ON FUNCTION families_or_none(bigint) IS 'families_of() a benchmark, 0 where that fails: what is wrong with one benchmark does not keep the others from being compared';

CREATE FUNCTION begin_night(OUT log_id bigint, OUT families int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT coalesce(sum(profiling.families_or_none(b.id)), 0) INTO families FROM unnest(profiling.benchmarks_to_watch()) AS b (id);
	-- A night that was cut short goes on, and two sessions at once share one: alpha is that of all its families.
	SELECT greatest(begin_night.families, max(substring(l.detail FROM '^([0-9]{1,9}) families')::int)) INTO families FROM profiling.job_log AS l
	WHERE l.step = 'watch_run' AND l.finished_at IS NULL AND l.started_at > now() - interval '1 day';
	INSERT INTO profiling.job_log AS l (step, outcome, detail) VALUES ('watch_run', 'ok', families || ' families of tests')
	RETURNING l.log_id INTO log_id;
END
$$;
COMMENT ON FUNCTION begin_night() IS 'writes into job_log that a night begins, and how many families of tests it has: those of the benchmarks with new runs, or of a night that has not ended, if that is more';

CREATE FUNCTION end_night(log_id bigint) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		UPDATE job_log AS l SET finished_at = clock_timestamp()
		WHERE l.step = 'watch_run' AND l.finished_at IS NULL AND l.log_id <= end_night.log_id;
	END;
COMMENT ON FUNCTION end_night(bigint) IS 'writes into job_log that a night has ended, and those before it that were cut short';

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
		PERFORM profiling.log_job('watch'::text, 'skipped'::text, v_started, 'another session is at it'::text, watch_step.benchmark_id);
	ELSIF v_done.runs > 0 THEN
		PERFORM profiling.log_job('watch'::text, 'ok'::text, v_started, format('%s runs, %s opened, %s updated, %s closed', v_done.runs, v_done.opened, v_done.updated, v_done.closed),
			watch_step.benchmark_id);
	END IF;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job('watch'::text, 'failed'::text, v_started, concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')), watch_step.benchmark_id);
END
$$;
COMMENT ON FUNCTION watch_step(bigint, int) IS 'watch_benchmark(); what it did, or why it failed, is recorded in job_log';

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
COMMENT ON PROCEDURE watch_run() IS 'every night: compares the new runs of all benchmarks, each in a transaction of its own; what fails is recorded in job_log and the others go on; called alone';
