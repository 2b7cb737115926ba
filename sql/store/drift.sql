
--
-- drift: what grows too slowly to stand out among the runs just before
--
-- The newest runs against runs of long ago. These may be merged to months by then, whose
-- moments are those of single profiles: as long as no run has repetitions, of runs. Else
-- the variance between profiles stands for that between the means of runs, which is not
-- larger, but a month then counts as one run more or less: its degrees of freedom are
-- those of its runs.
--

CREATE FUNCTION ago_of(watch watch) RETURNS interval
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN coalesce(profiling.checked_options(watch) ->> 'ago', '60 days')::interval;
END
$$;
COMMENT ON FUNCTION ago_of(watch) IS 'how old the runs are at least that a watch row of method drift compares with';

CREATE FUNCTION runs_long_before(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		ago interval) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(h.test_run_id ORDER BY h.started_at, h.test_run_id), '{}'::bigint[])
		FROM (SELECT r.test_run_id, r.started_at, sum(pg_catalog.cardinality(r.run_ids))
					OVER (ORDER BY r.started_at DESC, r.test_run_id DESC) - pg_catalog.cardinality(r.run_ids) AS newer
			FROM rollup AS r JOIN test_run AS n ON n.test_run_id = runs_long_before.test_run_id
			WHERE r.benchmark_id = runs_long_before.benchmark_id AND r.event = runs_long_before.event
				AND r.unit = runs_long_before.unit AND r.branch = runs_long_before.branch
				AND r.started_at <= (n.started_at AT TIME ZONE 'UTC' - runs_long_before.ago) AT TIME ZONE 'UTC') AS h
		WHERE h.newer < 10;
	END;
COMMENT ON FUNCTION runs_long_before(bigint, text, text, text, bigint, interval)
	IS 'the newest runs of a branch that are at least so much older than a run, oldest first: 10 of them, or as many '
		'more as the oldest month has that is needed for 10; a month is named by its newest run';

CREATE FUNCTION moments_of(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		level text) RETURNS flamestats
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT merged_stats(CASE
			-- The profiles of a month are its runs; else the mean of a run, and of a month, is one observation.
			WHEN r.span = 'month' AND r.repetitions = pg_catalog.cardinality(r.run_ids)
					AND r.pending OPERATOR(pg_catalog.=) '{}'::bigint[] AND r.repetitions > 1
				THEN CASE moments_of.level WHEN 'stack' THEN r.stats_stack WHEN 'node' THEN r.stats_node
					WHEN 'frame' THEN r.stats_frame ELSE r.stats_self END
			ELSE (SELECT stats(p.fg, moments_of.level)
				FROM (SELECT mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions) AS fg) AS p) END)
		FROM rollups_of(moments_of.benchmark_id, moments_of.run_ids) AS r
		WHERE r.event = moments_of.event AND r.unit = moments_of.unit
			AND r.branch = moments_of.branch AND r.test_run_id = ANY (moments_of.run_ids);
	END;
COMMENT ON FUNCTION moments_of(bigint, text, text, text, bigint[], text)
	IS 'the moments of some rollups, each run one observation; a month in which runs have repetitions is one, too';

CREATE FUNCTION drift_means(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		level text) RETURNS means
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_all profiling.means;
	v_months bool;
BEGIN
	v_all := profiling.run_means(drift_means.benchmark_id, drift_means.event, drift_means.unit, drift_means.run_ids);
	SELECT coalesce(bool_or(r.span = 'month'), false) INTO v_months FROM profiling.rollup AS r
	WHERE r.benchmark_id = drift_means.benchmark_id AND r.event = drift_means.event AND r.unit = drift_means.unit
		AND r.branch = drift_means.branch AND r.test_run_id = ANY (drift_means.run_ids);
	IF NOT v_months THEN
		RETURN v_all;
	END IF;
	SELECT array_agg(profiling.mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions) ORDER BY u.n),
		array_agg(profiling.cost_of(profiling.ratio(r.metric_sum, r.metric_count), b.metric_direction) ORDER BY u.n),
		CASE WHEN count(DISTINCT r.metric_unit) FILTER (WHERE r.metric_count > 0) = 1
			THEN max(r.metric_unit) FILTER (WHERE r.metric_count > 0) END
	INTO v_all.fgs, v_all.costs, v_all.metric_unit
	FROM unnest(drift_means.run_ids) WITH ORDINALITY AS u (id, n)
		JOIN profiling.rollups_of(drift_means.benchmark_id, drift_means.run_ids) AS r ON r.event = drift_means.event
			AND r.unit = drift_means.unit AND r.branch = drift_means.branch AND r.test_run_id = u.id
		JOIN profiling.benchmark AS b ON b.benchmark_id = r.benchmark_id;
	IF drift_means.level <> 'metric' THEN
		v_all.moments := profiling.moments_of(drift_means.benchmark_id, drift_means.event, drift_means.unit,
			drift_means.branch, drift_means.run_ids, drift_means.level);
	END IF;
	RETURN v_all;
END
$$;
COMMENT ON FUNCTION drift_means(bigint, text, text, text, bigint[], text)
	IS 'run_means() of runs of which some were merged to months: a month is one mean profile, and moments has all runs';

CREATE FUNCTION tested_by_drift(before flamestats, after flamegraph[], of_sample float8, alpha float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t, c.p_value, c.lower, c.upper
		FROM compare_stats(tested_by_drift.before,
			(SELECT stats(u.fg, stats_level(tested_by_drift.before))
				FROM pg_catalog.unnest(tested_by_drift.after) AS u (fg)),
			'none'::text, tested_by_drift.alpha, 'none'::text, 5::float8,
			poisson_unit => coalesce(tested_by_drift.of_sample, 0::float8)) AS c;
	END;
COMMENT ON FUNCTION tested_by_drift(flamestats, flamegraph[], float8, float8)
	IS 'every key of some runs against the moments of runs of long ago, by Welch''s test; no variance is below that of '
		'counts of samples worth of_sample';
