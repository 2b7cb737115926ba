
--
-- tests: every key of one family, with its p-value
--
-- gated: the p-value is that of one test of whole profiles, the rows are where the
-- difference lies.
--

CREATE TYPE tested_key AS (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
	upper float8,
	gated bool, first_at int, samples_before float8, samples_after float8, samples float8);
COMMENT ON TYPE tested_key
	IS 'what a method says about a key: expected, actual, its statistic, p_value, the interval of the difference; '
		'gated: the p-value is that of one test of all keys, which were found by it; first_at: position of the first '
		'changed run in before || after; samples_before, samples_after: what was tested, where that are numbers of '
		'samples, of one run at the speed of the history; samples: how many of the new runs are behind the key';

CREATE FUNCTION count_noise(expected float8, of_sample float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT sqrt(count_noise.of_sample * greatest(abs(count_noise.expected), count_noise.of_sample));
	END;
COMMENT ON FUNCTION count_noise(float8, float8)
	IS 'standard deviation of a value that is a count of samples worth of_sample each';

CREATE FUNCTION tested_by_deviation(before flamegraph[], current flamegraph, level text, of_sample float8,
		min_std float8, zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT d.key, d.expected, d.actual, d.score, d.p_value
		FROM deviation_scores((SELECT stats(u.fg, tested_by_deviation.level)
			FROM pg_catalog.unnest(tested_by_deviation.before) AS u (fg)),
			tested_by_deviation.current, tested_by_deviation.of_sample, tested_by_deviation.min_std,
				tested_by_deviation.zero_std) AS d;
	END;
COMMENT ON FUNCTION tested_by_deviation(flamegraph[], flamegraph, text, float8, float8, text)
	IS 'every key of a run against the runs before it, by deviation scores';

CREATE FUNCTION variance_of(watch watch, before means, after means) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
		SELECT coalesce((variance_of.watch).options ->> 'variance'::text,
			CASE WHEN (variance_of.before).samples_known AND (variance_of.after).samples_known
				THEN 'moderated'::text ELSE 'own'::text END);
	END;
COMMENT ON FUNCTION variance_of(watch, means, means)
	IS 'option variance of a watch row; moderated where it says nothing and the samples of all compared runs are known';

CREATE FUNCTION test_unit(means means, by_samples bool) RETURNS float8
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
		SELECT CASE WHEN test_unit.by_samples
			THEN (SELECT avg(1::float8 / u.r::float8) FROM pg_catalog.unnest((test_unit.means).repetitions) AS u (r))
			ELSE (test_unit.means).of_sample END;
	END;
COMMENT ON FUNCTION test_unit(means, bool)
	IS 'what one sample is worth in these means, or in their mean numbers of samples';

CREATE FUNCTION means_of(profiles flamegraph[], level text) RETURNS TABLE (key stackpath, mean float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT e.key, e.mean FROM entries((SELECT stats(u.fg, means_of.level)
			FROM pg_catalog.unnest(means_of.profiles) AS u (fg))) AS e;
	END;
COMMENT ON FUNCTION means_of(flamegraph[], text) IS 'the mean of every key of some runs';

CREATE FUNCTION scored_run(history flamegraph[], current flamegraph, level text, variance text, unit float8,
		min_std float8, zero_std text, unit_now float8, repeated flamegraph[], before flamegraph[], after flamegraph)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, samples_before float8,
		samples_after float8, samples float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT s.key, s.value_before, s.value_after, s.score, s.p_value, s.expected, s.actual,
			s.measured / nullif(scored_run.unit_now, 0::float8)
		FROM run_scores(scored_run.history, scored_run.current, scored_run.level, scored_run.variance,
				scored_run.unit, scored_run.min_std, scored_run.zero_std, scored_run.unit_now, NULL::flamegraph[],
				NULL::flamegraph, scored_run.repeated, scored_run.before, scored_run.after) AS s;
	END;
COMMENT ON FUNCTION scored_run(flamegraph[], flamegraph, text, text, float8, float8, text, float8, flamegraph[],
		flamegraph[], flamegraph)
	IS 'run_scores() of numbers of samples beside the means of the values before and after; before and after null: of '
		'the values themselves';

-- Numbers of samples are tested, values told: a pause of the machine is one sample more, and a quarter of a second.
CREATE FUNCTION tested_run(before means, after means, level text, variance text, of_sample float8, min_std float8,
		zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, samples_before float8,
		samples_after float8, samples float8)
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_by_samples CONSTANT bool := (before).samples IS NOT NULL AND (after).samples IS NOT NULL;
	v_known CONSTANT bool := (before).samples_known AND (after).samples_known;
	v_unit_now CONSTANT float8 := CASE WHEN v_by_samples THEN profiling.test_unit(after, true)
		ELSE tested_run.of_sample END;
BEGIN
	IF coalesce(cardinality((before).fgs), 0) < 2 THEN
		-- What an open finding was compared with may have been deleted: what the run has is left to say.
		RETURN QUERY
		SELECT m.key, NULL::float8, m.mean, NULL::float8, NULL::float8, NULL::float8, NULL::float8, NULL::float8
		FROM profiling.means_of((after).fgs, tested_run.level) AS m;
		RETURN;
	ELSIF NOT coalesce(v_known, false) AND tested_run.variance = 'own' THEN
		RETURN QUERY
		SELECT d.key, d.expected, d.actual, d.score, d.p_value, NULL::float8, NULL::float8, NULL::float8
		FROM profiling.tested_by_deviation((before).fgs, (after).fgs[1], tested_run.level, tested_run.of_sample,
			tested_run.min_std, tested_run.zero_std) AS d;
		RETURN;
	END IF;
	RETURN QUERY
	SELECT d.key, d.expected, d.actual, d.score, d.p_value, CASE WHEN v_known THEN d.samples_before END,
		CASE WHEN v_known THEN d.samples_after END, CASE WHEN v_known THEN d.samples END
	FROM profiling.scored_run(
		CASE WHEN v_by_samples THEN (before).samples ELSE (before).fgs END,
		CASE WHEN v_by_samples THEN (after).samples[1] ELSE (after).fgs[1] END, tested_run.level,
		tested_run.variance,
		CASE WHEN v_by_samples THEN profiling.test_unit(before, true) ELSE tested_run.of_sample END,
		CASE WHEN v_by_samples THEN 0 ELSE tested_run.min_std END, tested_run.zero_std, v_unit_now,
		CASE WHEN v_by_samples = ((after).samples IS NOT NULL) THEN (after).repeated END,
		CASE WHEN v_by_samples THEN (before).fgs END, CASE WHEN v_by_samples THEN (after).fgs[1] END) AS d;
END
$$;
COMMENT ON FUNCTION tested_run(means, means, text, text, float8, float8, text)
	IS 'every key of a run against the runs before it, by run_scores() of numbers of samples where all runs have them; '
		'expected and actual are in the unit of the event, samples_before and samples_after are what was tested; '
		'without two runs before only actual is known';

CREATE FUNCTION as_tested(t tested_key, min_effect float8) RETURNS tested_key
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_more CONSTANT float8 := t.samples_after - t.samples_before;
BEGIN
	-- Where pauses of the machine hide what the samples show, these are told at the weight that they had before.
	IF t.samples_before > 0 AND t.expected > 0 AND (sign(t.actual - t.expected) <> sign(v_more)
			OR abs(t.actual - t.expected) < min_effect * t.expected
			OR abs(v_more) < min_effect * t.samples_before) THEN
		t.actual := t.expected * (t.samples_after / t.samples_before);
	END IF;
	RETURN t;
END
$$;
COMMENT ON FUNCTION as_tested(tested_key, float8)
	IS 'a tested key whose difference in the unit of the event agrees with that of the numbers of samples that were '
		'tested: in direction, and on whether it is at least min_effect';

CREATE FUNCTION tested_by_welch(before flamegraph[], after flamegraph[], level text, of_sample float8, alpha float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t,
			-- Where nothing varied, a few samples would be a certainty.
			CASE WHEN abs(c.delta) <= 3::float8 * count_noise(c.mean_before, tested_by_welch.of_sample)
					* sqrt(1::float8 / pg_catalog.cardinality(tested_by_welch.before)::float8
						+ 1::float8 / pg_catalog.cardinality(tested_by_welch.after)::float8)
				THEN 1::float8 ELSE c.p_value END,
			c.lower, c.upper
		FROM compare_stats((SELECT stats(u.fg, tested_by_welch.level)
			FROM pg_catalog.unnest(tested_by_welch.before) AS u (fg)),
			(SELECT stats(u.fg, tested_by_welch.level) FROM pg_catalog.unnest(tested_by_welch.after) AS u (fg)),
			'none'::text, tested_by_welch.alpha, 'none'::text, 5::float8) AS c;
	END;
COMMENT ON FUNCTION tested_by_welch(flamegraph[], flamegraph[], text, float8, float8)
	IS 'every key of two groups of runs, by Welch''s test';

CREATE FUNCTION noise_of_means(samples flamegraph[], repetitions int[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(u.fg / u.r::float8 ORDER BY u.n)
		FROM ROWS FROM (pg_catalog.unnest(noise_of_means.samples), pg_catalog.unnest(noise_of_means.repetitions))
			WITH ORDINALITY AS u (fg, r, n);
	END;
COMMENT ON FUNCTION noise_of_means(flamegraph[], int[])
	IS 'the variance that mean numbers of samples have because they were sampled, each of so many repetitions';

CREATE FUNCTION counts_of(means means, of_sample float8) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN (counts_of.means).samples IS NULL
			THEN (SELECT pg_catalog.array_agg(u.fg / counts_of.of_sample)
				FROM pg_catalog.unnest((counts_of.means).fgs) AS u (fg) WHERE counts_of.of_sample > 0::float8)
			ELSE (SELECT pg_catalog.array_agg(u.fg * u.r::float8)
				FROM ROWS FROM (pg_catalog.unnest((counts_of.means).samples),
					pg_catalog.unnest((counts_of.means).repetitions)) AS u (fg, r)) END
		WHERE (counts_of.means).samples_known;
	END;
COMMENT ON FUNCTION counts_of(means, float8)
	IS 'the numbers of samples of some runs, not of their means; null when they are unknown; of_sample: what one is '
		'worth in the means, where all weigh the same';

CREATE FUNCTION compared_groups(before flamegraph[], after flamegraph[], level text, variance text, alpha float8,
		unit float8, before_noise flamegraph[], after_noise flamegraph[], told_before flamegraph[],
		told_after flamegraph[], counts flamegraph[])
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8, samples_before float8, samples_after float8, samples float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, w.expected, w.actual, c.t, c.p_value, c.lower * w.weight, c.upper * w.weight, c.mean_before,
			c.mean_after, coalesce(n.mean, 0::float8) * pg_catalog.cardinality(compared_groups.counts)::float8
		FROM compare_profiles(compared_groups.before, compared_groups.after, compared_groups.level, 'welch'::text,
				'none'::text, compared_groups.alpha, 'none'::text, 5::float8, 1, 999, 42::bigint,
				compared_groups.variance, compared_groups.unit, compared_groups.before_noise,
				compared_groups.after_noise) AS c
			LEFT JOIN means_of(compared_groups.told_before, compared_groups.level) AS b ON b.key = c.key
			LEFT JOIN means_of(compared_groups.told_after, compared_groups.level) AS a ON a.key = c.key
			LEFT JOIN means_of(compared_groups.counts, compared_groups.level) AS n ON n.key = c.key
			-- what is told of a number: at the weight that its samples had before
			CROSS JOIN LATERAL (SELECT coalesce(b.mean, 0::float8) AS expected, coalesce(a.mean, 0::float8) AS actual,
				coalesce(ratio(b.mean, c.mean_before), ratio(a.mean, c.mean_after), 1::float8) AS weight) AS w;
	END;
COMMENT ON FUNCTION compared_groups(flamegraph[], flamegraph[], text, text, float8, float8, flamegraph[], flamegraph[],
		flamegraph[], flamegraph[], flamegraph[])
	IS 'compare_profiles() of numbers of samples, or of values, beside the means of the values that are told, and how '
		'many samples are behind them: counts, of each run';

-- Numbers of samples are tested, values told, as tested_run() does.
CREATE FUNCTION tested_groups(before means, after means, level text, variance text, of_sample float8, alpha float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8, samples_before float8, samples_after float8, samples float8)
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_by_samples CONSTANT bool := (before).samples IS NOT NULL AND (after).samples IS NOT NULL;
	v_known CONSTANT bool := coalesce((before).samples_known AND (after).samples_known, false);
BEGIN
	IF NOT v_known AND tested_groups.variance = 'own' THEN
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, c.p_value, c.lower, c.upper, NULL::float8, NULL::float8,
			NULL::float8
		FROM profiling.tested_by_welch((before).fgs, (after).fgs, tested_groups.level, tested_groups.of_sample,
			tested_groups.alpha) AS c;
		RETURN;
	END IF;
	RETURN QUERY
	SELECT c.key, c.expected, c.actual, c.score, c.p_value, c.lower, c.upper,
		CASE WHEN v_by_samples THEN c.samples_before END, CASE WHEN v_by_samples THEN c.samples_after END, c.samples
	FROM profiling.compared_groups(CASE WHEN v_by_samples THEN (before).samples ELSE (before).fgs END,
			CASE WHEN v_by_samples THEN (after).samples ELSE (after).fgs END, tested_groups.level,
			tested_groups.variance, tested_groups.alpha, CASE WHEN v_by_samples THEN 0 ELSE tested_groups.of_sample END,
			CASE WHEN v_by_samples THEN profiling.noise_of_means((before).samples, (before).repetitions) END,
			CASE WHEN v_by_samples THEN profiling.noise_of_means((after).samples, (after).repetitions) END,
			(before).fgs, (after).fgs, profiling.counts_of(after, tested_groups.of_sample)) AS c;
END
$$;
COMMENT ON FUNCTION tested_groups(means, means, text, text, float8, float8)
	IS 'every key of two groups of runs, by Welch''s test of numbers of samples where all runs have them, with their '
		'noise as floor; expected, actual, lower and upper are in the unit of the event';

CREATE FUNCTION hotelling_p(before flamegraph[], after flamegraph[], level text, alpha float8,
		min_df int) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT h.p_value FROM hotelling_test(hotelling_p.before, hotelling_p.after, hotelling_p.alpha,
			hotelling_p.level, hotelling_p.min_df) AS h;
	END;
COMMENT ON FUNCTION hotelling_p(flamegraph[], flamegraph[], text, float8, int)
	IS 'probability that two groups of runs differ so much by chance, all keys jointly';

CREATE FUNCTION hotelling_status(before flamegraph[], after flamegraph[], level text, alpha float8,
		min_df int) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT h.status FROM hotelling_test(hotelling_status.before, hotelling_status.after, hotelling_status.alpha,
			hotelling_status.level, hotelling_status.min_df) AS h;
	END;
COMMENT ON FUNCTION hotelling_status(flamegraph[], flamegraph[], text, float8, int)
	IS 'ok, or why hotelling_p() of the same groups of runs is null';

CREATE FUNCTION tested_by_hotelling(before flamegraph[], after flamegraph[], level text, alpha float8, min_df int)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, lower float8, upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT i.key, coalesce(b.mean, 0::float8), coalesce(b.mean, 0::float8) + i.delta,
			ratio(i.delta, sqrt(i.variance)), i.lower, i.upper
		FROM hotelling_intervals(tested_by_hotelling.before, tested_by_hotelling.after, tested_by_hotelling.alpha,
			tested_by_hotelling.level,
				tested_by_hotelling.min_df) AS i
			LEFT JOIN means_of(tested_by_hotelling.before, tested_by_hotelling.level) AS b ON b.key = i.key
		WHERE i.significant;
	END;
COMMENT ON FUNCTION tested_by_hotelling(flamegraph[], flamegraph[], text, float8, int)
	IS 'the keys in which two groups of runs differ, when hotelling_p() says that they do';

CREATE FUNCTION energy_p(before flamegraph[], after flamegraph[], normalised bool, permutations int,
		seed bigint) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT e.p_value FROM energy_test(energy_p.before, energy_p.after, energy_p.normalised, energy_p.permutations,
			energy_p.seed) AS e;
	END;
COMMENT ON FUNCTION energy_p(flamegraph[], flamegraph[], bool, int, bigint)
	IS 'probability that two groups of runs differ so much by chance, by the energy test';

CREATE FUNCTION last_change(profiles flamegraph[], min_segment int, alpha float8, permutations int, seed bigint,
		OUT from_at int, OUT change_at int, OUT p_value float8)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT c.from_at, c.change_at, c.p_value
		FROM (SELECT c.change_at, c.p_value, coalesce(pg_catalog.lag(c.change_at) OVER (ORDER BY c.change_at),
			1) AS from_at
			FROM change_points(last_change.profiles, last_change.min_segment, 0::float8, last_change.alpha,
				last_change.permutations, last_change.seed) AS c) AS c
		ORDER BY c.change_at DESC LIMIT 1;
	END;
COMMENT ON FUNCTION last_change(flamegraph[], int, float8, int, bigint)
	IS 'the last change point of a sequence of runs, and where what lies before it begins';

CREATE FUNCTION tested_by_parts(first flamegraph[], second flamegraph[], level text, of_sample float8, alpha float8,
		min_std float8, zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, lower float8, upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t, c.lower, c.upper
		FROM compare_stats((SELECT stats(u.fg, tested_by_parts.level)
			FROM pg_catalog.unnest(tested_by_parts.first) AS u (fg)),
				(SELECT stats(u.fg, tested_by_parts.level) FROM pg_catalog.unnest(tested_by_parts.second) AS u (fg)),
				'bh'::text, tested_by_parts.alpha, 'none'::text, 5::float8) AS c
			-- What went away again since is no finding.
			JOIN tested_by_deviation(tested_by_parts.first,
				tested_by_parts.second[pg_catalog.cardinality(tested_by_parts.second)], tested_by_parts.level,
				tested_by_parts.of_sample, tested_by_parts.min_std, tested_by_parts.zero_std) AS d ON d.key = c.key
		WHERE c.q_value <= tested_by_parts.alpha AND sign(c.delta) = sign(d.actual - d.expected)
			AND c.delta <> 0::float8
			AND abs(d.actual - d.expected) >= abs(c.delta) / 2::float8;
	END;
COMMENT ON FUNCTION tested_by_parts(flamegraph[], flamegraph[], text, float8, float8, float8, text)
	IS 'the keys in which the second part of a sequence of runs differs from the first one, and its last run still '
		'does';

CREATE FUNCTION tested_by_correlation(before flamegraph[], after flamegraph[], costs float8[], level text,
		correlation text, min_score float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT k.key, coalesce(b.mean, 0::float8), coalesce(a.mean, 0::float8), c.score
		FROM frame_correlation(tested_by_correlation.before OPERATOR(pg_catalog.||) tested_by_correlation.after,
			tested_by_correlation.costs, NULL::text[],
				tested_by_correlation.level, tested_by_correlation.correlation, 3, 'skip'::text, 'avg'::text,
					'positive'::text) AS c
			CROSS JOIN LATERAL (SELECT stackpath(ARRAY[c.frame]) AS key) AS k
			LEFT JOIN means_of(tested_by_correlation.before, tested_by_correlation.level) AS b ON b.key = k.key
			LEFT JOIN means_of(tested_by_correlation.after, tested_by_correlation.level) AS a ON a.key = k.key
		WHERE c.score >= tested_by_correlation.min_score;
	END;
COMMENT ON FUNCTION tested_by_correlation(flamegraph[], flamegraph[], float8[], text, text, float8)
	IS 'functions that go with what the runs cost';

CREATE FUNCTION tested_key_by_key(watch watch, level text, before means, after means, of_sample float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_at CONSTANT int := cardinality((before).fgs) + 1;
BEGIN
	IF cardinality((before).fgs) < 2 OR (watch).method IN ('welch', 'drift') AND cardinality((after).fgs) < 2 THEN
		RETURN;
	ELSIF (watch).method = 'deviation' AND cardinality((after).fgs) = 1 THEN
		RETURN QUERY
		SELECT d.key, d.expected, d.actual, d.score, d.p_value, NULL::float8, NULL::float8, false, v_at,
			d.samples_before, d.samples_after, d.samples
		FROM profiling.tested_run(before, after, tested_key_by_key.level,
			profiling.variance_of(watch, before, after), tested_key_by_key.of_sample,
			coalesce((v_options ->> 'min_std')::float8, 0), coalesce(v_options ->> 'zero_std', 'inf')) AS d;
	ELSE
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, c.p_value, c.lower, c.upper, false, v_at,
			c.samples_before, c.samples_after, c.samples
		FROM profiling.tested_groups(before, after, tested_key_by_key.level,
			profiling.variance_of(watch, before, after), tested_key_by_key.of_sample, (watch).alpha) AS c;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_key_by_key(watch, text, means, means, float8)
	IS 'tested() by deviation and welch, where each key has a p-value of its own';

CREATE FUNCTION tested_jointly(watch watch, level text, before flamegraph[], after flamegraph[], alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_min_df CONSTANT int := coalesce((profiling.checked_options(watch) ->> 'min_df')::int, 1);
	v_p CONSTANT float8 := profiling.hotelling_p(before, after, tested_jointly.level, tested_jointly.alpha, v_min_df);
BEGIN
	IF v_p <= tested_jointly.alpha THEN
		RETURN QUERY
		SELECT i.key, i.expected, i.actual, i.score, v_p, i.lower, i.upper, true, cardinality(before) + 1,
			NULL::float8, NULL::float8, NULL::float8
		FROM profiling.tested_by_hotelling(before, after, tested_jointly.level, tested_jointly.alpha, v_min_df) AS i;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_jointly(watch, text, flamegraph[], flamegraph[], float8)
	IS 'tested() by hotelling: all keys jointly, then those in which the runs differ';

CREATE FUNCTION tested_in_parts(watch watch, level text, before flamegraph[], after flamegraph[], of_sample float8,
		alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	-- enough for a p-value below alpha, were it not for the number of arrangements
	v_permutations CONSTANT int := coalesce((v_options ->> 'permutations')::int,
		greatest(999, ceil(2 / greatest(tested_in_parts.alpha, 0.00002))::int - 1));
	v_seed CONSTANT bigint := coalesce((v_options ->> 'seed')::bigint, 42);
	v_to CONSTANT int := cardinality(before) + cardinality(after);
	v_p float8;
	v_from int := 1;
	v_at int := cardinality(before) + 1;
BEGIN
	IF (watch).method = 'change_point' THEN
		-- the last change, and what lies between it and the one before
		SELECT c.change_at, c.p_value, c.from_at INTO v_at, v_p, v_from
		FROM profiling.last_change(before || after, coalesce((v_options ->> 'min_segment')::int, 5),
			tested_in_parts.alpha,
			v_permutations, v_seed) AS c;
	ELSIF cardinality(before) >= 2 THEN
		v_p := profiling.energy_p(before, after, coalesce((v_options ->> 'normalised')::bool, false), v_permutations,
			v_seed);
	END IF;
	IF v_p <= tested_in_parts.alpha THEN
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, v_p, c.lower, c.upper, true, v_at,
			NULL::float8, NULL::float8, NULL::float8
		FROM profiling.tested_by_parts((before || after)[v_from : v_at - 1], (before || after)[v_at : v_to],
			tested_in_parts.level,
			tested_in_parts.of_sample, (watch).alpha, coalesce((v_options ->> 'min_std')::float8, 0),
			coalesce(v_options ->> 'zero_std', 'inf')) AS c;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_in_parts(watch, text, flamegraph[], flamegraph[], float8, float8)
	IS 'tested() by energy and change_point: whole profiles before and after, then the keys in which these two parts '
		'differ';

CREATE FUNCTION tested_by_cost(watch watch, level text, before flamegraph[], after flamegraph[], costs float8[],
		alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_before CONSTANT int := cardinality(before);
	v_p float8;
BEGIN
	IF v_before < 2 THEN
		RETURN;
	END IF;
	-- Has what the runs cost changed? Then the functions that go with it.
	SELECT min(d.p_value) INTO v_p
	FROM profiling.tested_by_deviation(profiling.metric_profiles(costs[:v_before]),
		profiling.metric_profile((SELECT avg(u.cost) FROM unnest(costs[v_before + 1:]) AS u (cost))), 'self'::text,
			0::float8,
		coalesce((v_options ->> 'min_std')::float8, 0), 'inf'::text) AS d;
	IF v_p <= tested_by_cost.alpha THEN
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, v_p, NULL::float8, NULL::float8, true, v_before + 1,
			NULL::float8, NULL::float8, NULL::float8
		FROM profiling.tested_by_correlation(before, after, costs, tested_by_cost.level,
			coalesce(v_options ->> 'correlation', 'pearson'),
				coalesce((v_options ->> 'min_score')::float8, 0.8::float8)) AS c;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_by_cost(watch, text, flamegraph[], flamegraph[], float8[], float8)
	IS 'tested() by correlation: the metrics, then the functions that go with them';

CREATE FUNCTION tested(watch watch, level text, before means, after means, of_sample float8, alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_of_sample CONSTANT float8 := coalesce((profiling.checked_options(watch) ->> 'poisson_unit')::float8,
		tested.of_sample);
BEGIN
	CASE (watch).method
		WHEN 'deviation', 'welch', 'drift' THEN
			RETURN QUERY SELECT * FROM profiling.tested_key_by_key(watch, tested.level, before, after, v_of_sample);
		WHEN 'hotelling' THEN
			RETURN QUERY SELECT * FROM profiling.tested_jointly(watch, tested.level, (before).fgs, (after).fgs,
				tested.alpha);
		WHEN 'energy', 'change_point' THEN
			RETURN QUERY SELECT * FROM profiling.tested_in_parts(watch, tested.level, (before).fgs, (after).fgs,
				v_of_sample,
				tested.alpha);
		WHEN 'correlation' THEN
			RETURN QUERY SELECT * FROM profiling.tested_by_cost(watch, tested.level, (before).fgs, (after).fgs,
				(before).costs || (after).costs,
				tested.alpha);
	END CASE;
END
$$;
COMMENT ON FUNCTION tested(watch, text, means, means, float8, float8)
	IS 'what a watch row''s method says about every key of these run means; alpha: what the family has';

CREATE FUNCTION tested_family(watch watch, level text, with_metric bool, before means, after means, alpha float8,
		size float8)
	RETURNS TABLE (found_level text, tested tested_key)
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF (before).moments IS NOT NULL THEN
		RETURN QUERY
		SELECT tested_family.level, ROW(t.key, t.expected, t.actual, t.score, t.p_value, t.lower, t.upper, false,
			cardinality((before).fgs) + 1, NULL, NULL, NULL)::profiling.tested_key
		FROM profiling.tested_by_drift((before).moments, (after).fgs, (after).of_sample, (watch).alpha) AS t
		WHERE greatest(abs(t.actual), abs(t.expected)) >= (watch).min_share / 2 * tested_family.size;
	ELSIF tested_family.level <> 'metric' THEN
		RETURN QUERY
		SELECT tested_family.level, t
		FROM profiling.tested(watch, tested_family.level, before, after, (after).of_sample, tested_family.alpha) AS t
		-- What cannot become a finding is not tested: with a share of min_share it is one, from half of that on it
		-- counts as a test.
		WHERE t.gated OR greatest(abs(t.actual), abs(t.expected)) >= (watch).min_share / 2 * tested_family.size;
	END IF;
	IF with_metric THEN
		RETURN QUERY
		SELECT 'metric', t
		FROM profiling.tested(watch, 'self'::text, profiling.metric_means((before).costs),
			profiling.metric_means((after).costs), 0::float8, tested_family.alpha) AS t;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_family(watch, text, bool, means, means, float8, float8)
	IS 'what a watch row tests of some runs and those before them: the keys of its level that are large enough for '
		'the size of a profile, and with_metric the metric';
