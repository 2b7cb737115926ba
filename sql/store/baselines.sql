
--
-- the nightly comparison
--
-- A family is what one watch row tests of one (benchmark, event, unit, branch): all its
-- keys, and the metric. Within a family Benjamini & Hochberg, between the families of
-- a night Bonferroni, or where several stand out the selection of Benjamini & Bogomolov
-- (families.sql): a q_value is p adjusted for both, so that of all findings of a night at
-- most the share alpha is false; of nights without any change at most the share alpha has
-- a finding.
--

CREATE FUNCTION pattern_weight(pattern text) RETURNS int
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN strpos(pattern, '%'::text) = 0 THEN 100000
			ELSE 0 END + length(replace(pattern, '%'::text, ''::text));
	END;
COMMENT ON FUNCTION pattern_weight(text)
	IS 'how specific a pattern of LIKE is: one without % before one with, then the longer one';

CREATE FUNCTION watches_of(benchmark_id bigint, event text) RETURNS SETOF watch
	LANGUAGE sql STABLE ROWS 2
	BEGIN ATOMIC
		SELECT DISTINCT ON (w.method, w.level) w.*
		FROM (SELECT w.watch_id, rank() OVER (PARTITION BY w.method ORDER BY
					ARRAY[pattern_weight(w.benchmark), pattern_weight(w.suite), pattern_weight(w.event)] DESC) AS place
			FROM watch AS w JOIN benchmark AS b ON b.name LIKE w.benchmark AND b.suite LIKE w.suite
				AND watches_of.event LIKE w.event
			WHERE b.benchmark_id = watches_of.benchmark_id) AS best
			JOIN watch AS w ON w.watch_id = best.watch_id
		WHERE best.place = 1 AND w.enabled
		ORDER BY w.method, w.level, w.watch_id DESC;
	END;
COMMENT ON FUNCTION watches_of(bigint, text)
	IS 'the watch rows that are in force: for each method those of the most specific pattern (benchmark before suite '
		'before event), one for each level, of several the newest';

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
COMMENT ON FUNCTION metric_profile(float8)
	IS 'a metric as a profile of one frame, so that every test of profiles is one of metrics, too';

CREATE FUNCTION metric_profiles(costs float8[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(metric_profile(u.cost) ORDER BY u.n), '{}'::flamegraph[])
			FROM pg_catalog.unnest(costs) WITH ORDINALITY AS u (cost, n) WHERE u.cost IS NOT NULL;
	END;
COMMENT ON FUNCTION metric_profiles(float8[]) IS 'metrics as profiles of one frame, without those that are null';


--
-- histories: means of runs
--

CREATE FUNCTION runs_in_season(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		baseline text) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(h.test_run_id ORDER BY h.started_at, h.test_run_id), '{}'::bigint[])
		FROM (SELECT DISTINCT ON (p.phase) r.test_run_id, r.started_at
			FROM test_run AS n
				CROSS JOIN LATERAL season_phases(runs_in_season.baseline, n.started_at) AS p
				JOIN rollup AS r ON r.benchmark_id = runs_in_season.benchmark_id AND r.event = runs_in_season.event
					AND r.unit = runs_in_season.unit AND r.branch = runs_in_season.branch AND r.span = 'run'
					AND r.started_at BETWEEN p.phase - p.tolerance AND p.phase + p.tolerance
			WHERE n.test_run_id = runs_in_season.test_run_id
				AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id) AND has_begun(r.started_at)
			ORDER BY p.phase, greatest(r.started_at - p.phase, p.phase - r.started_at), r.test_run_id DESC) AS h;
	END;
COMMENT ON FUNCTION runs_in_season(bigint, text, text, text, bigint, text)
	IS 'the history of a run by a baseline season:INTERVAL*N, oldest first: of each of the N periods before it the run '
		'nearest to the same phase, at most a twentieth of the period away';

-- plpgsql keeps the plan from benchmark to benchmark: planning takes longer than looking.
CREATE FUNCTION runs_before(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		baseline text DEFAULT 'window:10') RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF runs_before.baseline LIKE 'season:%' THEN
		RETURN profiling.runs_in_season(runs_before.benchmark_id, runs_before.event, runs_before.unit,
			runs_before.branch, runs_before.test_run_id, runs_before.baseline);
	END IF;
	RETURN (
		SELECT coalesce(array_agg(h.test_run_id ORDER BY h.started_at, h.test_run_id), '{}'::bigint[])
		FROM (SELECT r.test_run_id, r.started_at
			FROM profiling.rollup AS r JOIN profiling.test_run AS t ON t.test_run_id = r.test_run_id
				JOIN profiling.test_run AS n ON n.test_run_id = runs_before.test_run_id
			WHERE r.benchmark_id = runs_before.benchmark_id AND r.event = runs_before.event
				AND r.unit = runs_before.unit AND r.span = 'run'
				AND CASE
					WHEN runs_before.baseline LIKE 'window:%' THEN r.branch = runs_before.branch
					WHEN runs_before.baseline LIKE 'branch:%' THEN r.branch = substr(runs_before.baseline, 8)
					WHEN runs_before.baseline LIKE 'commit:%' THEN starts_with(t.commit,
						substr(runs_before.baseline, 8))
					ELSE t.version = substr(runs_before.baseline, 9) END
				AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id) AND profiling.has_begun(r.started_at)
			ORDER BY r.started_at DESC, r.test_run_id DESC
			LIMIT CASE WHEN runs_before.baseline LIKE 'window:%' THEN substr(runs_before.baseline, 8)::int
				WHEN runs_before.baseline LIKE 'branch:%' THEN 10 ELSE 100 END) AS h);
END
$$;
COMMENT ON FUNCTION runs_before(bigint, text, text, text, bigint, text)
	IS 'the history of a run by a baseline, oldest first: runs that are older than it; of branch:NAME the newest 10, '
		'of a commit or a version at most 100, of season:INTERVAL*N one of each period';

CREATE FUNCTION mean_profile(fg flamegraph, benchmark_id bigint, pending bigint[], repetitions int) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT summed(mean_profile.fg, mean_profile.benchmark_id,
			mean_profile.pending) / mean_profile.repetitions::float8;
	END;
COMMENT ON FUNCTION mean_profile(flamegraph, bigint, bigint[], int)
	IS 'the mean of the profiles of a rollup, from its columns';

CREATE FUNCTION has_samples(samples flamegraph, benchmark_id bigint, pending bigint[]) RETURNS bool
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT has_samples.samples IS NOT NULL OR pg_catalog.cardinality(has_samples.pending) > 0
			AND EXISTS (SELECT 1 FROM profile_data AS d WHERE d.benchmark_id = has_samples.benchmark_id
				AND d.profile_id = ANY (has_samples.pending) AND d.samples IS NOT NULL);
	END;
COMMENT ON FUNCTION has_samples(flamegraph, bigint, bigint[])
	IS 'do the samples of a rollup, from its columns, weigh differently, and are their numbers known?';

CREATE FUNCTION nullif_incomplete(profiles flamegraph[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT nullif_incomplete.profiles WHERE pg_catalog.array_position(nullif_incomplete.profiles, NULL) IS NULL;
	END;
COMMENT ON FUNCTION nullif_incomplete(flamegraph[]) IS 'an array, or null when an element of it is null';

CREATE FUNCTION repeated_profiles(benchmark_id bigint, event text, unit text, test_run_id bigint,
		of_samples bool) RETURNS flamegraph[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT nullif_incomplete(pg_catalog.array_agg(CASE WHEN repeated_profiles.of_samples
			THEN samples_of(d.flamegraph, p.period, d.samples) ELSE d.flamegraph END ORDER BY p.profile_id))
		FROM profile AS p JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id
		WHERE p.benchmark_id = repeated_profiles.benchmark_id AND p.event = repeated_profiles.event
			AND p.unit = repeated_profiles.unit AND p.test_run_id = repeated_profiles.test_run_id
		HAVING pg_catalog.count(*) >= 3;
	END;
COMMENT ON FUNCTION repeated_profiles(bigint, text, text, bigint, bool)
	IS 'the profiles of a run, or their numbers of samples, when there are three or more of them';

CREATE TYPE means AS (fgs flamegraph[], costs float8[], metric_unit text, of_sample float8, moments flamestats,
	samples flamegraph[], repetitions int[], samples_known bool, repeated flamegraph[]);
COMMENT ON TYPE means
	IS 'runs in their order, each as the mean profile of its repetitions, so that n counts runs; costs: their '
		'metrics, throughputs negated; metric_unit: null when there are several; of_sample: what a sample of the last '
		'one is worth in its mean; moments: those of all runs of a history of which some were merged to months, else '
		'null; samples: where samples weigh differently, their mean numbers, null when a run does '
		'not have them; samples_known: these, or all samples weigh the same; repeated: of a single run its profiles, '
		'or their numbers of samples, three or more of them';

CREATE FUNCTION metric_means(costs float8[]) RETURNS means
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW(metric_profiles(metric_means.costs), metric_means.costs, NULL, 0, NULL, NULL, NULL, false,
			NULL)::means;
	END;
COMMENT ON FUNCTION metric_means(float8[]) IS 'metrics as the means of runs, of which nobody knows samples';

CREATE FUNCTION mean_samples(fg flamegraph, period float8, samples flamegraph, benchmark_id bigint, pending bigint[],
		repetitions int) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT CASE mean_samples.repetitions
			WHEN 1 THEN summed_samples(mean_samples.fg, mean_samples.period, mean_samples.samples,
				mean_samples.benchmark_id, mean_samples.pending)
			ELSE summed_samples(mean_samples.fg, mean_samples.period, mean_samples.samples,
				mean_samples.benchmark_id, mean_samples.pending) / mean_samples.repetitions::float8 END;
	END;
COMMENT ON FUNCTION mean_samples(flamegraph, float8, flamegraph, bigint, bigint[], int)
	IS 'the mean numbers of samples of the profiles of a rollup, from its columns';

-- plpgsql keeps the plan from benchmark to benchmark.
CREATE FUNCTION run_means(benchmark_id bigint, event text, unit text, run_ids bigint[]) RETURNS means
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (
		SELECT ROW(
			coalesce(array_agg(CASE r.repetitions WHEN 1 THEN r.flamegraph
				ELSE profiling.mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions) END
				ORDER BY r.n), '{}'),
			coalesce(array_agg(profiling.cost_of(profiling.ratio(r.metric_sum, r.metric_count::float8),
				b.metric_direction) ORDER BY r.n), '{}'),
			CASE WHEN count(DISTINCT r.metric_unit) FILTER (WHERE r.metric_count > 0) = 1
				THEN max(r.metric_unit) FILTER (WHERE r.metric_count > 0) END,
			min(profiling.value_of_sample(r.benchmark_id, r.event, r.unit, r.test_run_id,
				profiling.summed(r.flamegraph, r.benchmark_id, r.pending), CASE WHEN r.noise IS NOT NULL
					THEN profiling.summed_noise(r.flamegraph, r.period, r.noise, r.benchmark_id, r.pending) END)
					/ r.repetitions) FILTER (WHERE r.n = cardinality(run_means.run_ids)),
			NULL,
			CASE WHEN bool_or(r.any_samples) THEN
				profiling.nullif_incomplete(array_agg(profiling.mean_samples(r.flamegraph, r.period, r.samples,
					r.benchmark_id, r.pending, r.repetitions) ORDER BY r.n) FILTER (WHERE r.any_samples)) END,
			array_agg(r.repetitions ORDER BY r.n),
			bool_and(r.unit = 'samples' OR r.samples IS NOT NULL OR r.period IS NOT NULL),
			CASE WHEN cardinality(run_means.run_ids) = 1 AND max(r.repetitions) >= 3
				THEN profiling.repeated_profiles(run_means.benchmark_id, run_means.event, run_means.unit,
					run_means.run_ids[1], bool_or(r.any_samples)) END)::profiling.means
		-- Whether any of them has samples is asked first, as all of their values are divided where one has.
		FROM (SELECT o.*, u.n,
				bool_or(profiling.has_samples(o.samples, o.benchmark_id, o.pending)) OVER () AS any_samples
			FROM unnest(run_means.run_ids) WITH ORDINALITY AS u (id, n)
				JOIN profiling.rollups_of(run_means.benchmark_id, run_means.run_ids) AS o ON o.event = run_means.event
					AND o.unit = run_means.unit AND o.test_run_id = u.id AND o.span = 'run') AS r
			JOIN profiling.benchmark AS b ON b.benchmark_id = r.benchmark_id);
END
$$;
COMMENT ON FUNCTION run_means(bigint, text, text, bigint[]) IS 'the means of some runs';

CREATE FUNCTION recent_runs(watch watch) RETURNS int
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN coalesce((profiling.checked_options(watch) ->> 'recent')::int,
		CASE (watch).method WHEN 'welch' THEN 2 WHEN 'hotelling' THEN 3 WHEN 'energy' THEN 5 WHEN 'drift' THEN 5
			ELSE 1 END);
END
$$;
COMMENT ON FUNCTION recent_runs(watch) IS 'how many of the newest runs a watch row compares at least';

CREATE FUNCTION compared_runs(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		OUT before_ids bigint[], OUT ids bigint[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_method CONSTANT text := (watch).method;
	v_recent CONSTANT int := profiling.recent_runs(watch);
BEGIN
	ids := compared_runs.run_ids;
	IF v_method NOT IN ('change_point', 'correlation') AND v_recent > cardinality(ids) THEN
		-- Methods that need several runs take those just before, too.
		ids := profiling.runs_before(compared_runs.benchmark_id, compared_runs.event, compared_runs.unit,
			compared_runs.branch,
			ids[1], 'window:' || v_recent - cardinality(ids)) || ids;
		IF cardinality(ids) < v_recent THEN
			before_ids := '{}';
			RETURN;
		END IF;
	END IF;
	IF v_method = 'drift' THEN
		before_ids := profiling.runs_long_before(compared_runs.benchmark_id, compared_runs.event, compared_runs.unit,
			compared_runs.branch, ids[cardinality(ids)], profiling.ago_of(watch));
		RETURN;
	ELSIF (watch).baseline LIKE 'season:%' AND v_method NOT IN ('change_point', 'correlation') THEN
		-- Each of the runs has its phase; none of them is history.
		before_ids := ARRAY(SELECT DISTINCT b.id
			FROM unnest(ids) AS r (id), unnest(profiling.runs_before(compared_runs.benchmark_id, compared_runs.event,
				compared_runs.unit, compared_runs.branch, r.id, (watch).baseline)) AS b (id)
			WHERE b.id <> ALL (ids));
		before_ids := ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t
			WHERE t.test_run_id = ANY (before_ids) ORDER BY t.started_at, t.test_run_id);
		RETURN;
	END IF;
	-- A sequence is that of one branch, and a change in it needs some runs on both sides.
	before_ids := profiling.runs_before(compared_runs.benchmark_id, compared_runs.event, compared_runs.unit,
		compared_runs.branch, ids[1],
		CASE WHEN v_method = 'change_point' THEN 'window:' || coalesce((v_options ->> 'history')::int, 40)
			WHEN v_method = 'correlation' AND (watch).baseline NOT LIKE 'window:%' THEN 'window:10'
			ELSE (watch).baseline END);
END
$$;
COMMENT ON FUNCTION compared_runs(watch, bigint, text, text, text, bigint[])
	IS 'the runs that a watch row compares, and the history that it compares them with; no history: there are too few '
		'runs for its method';

CREATE FUNCTION metric_unit_of(benchmark_id bigint, event text, test_run_id bigint, before means,
		after means) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF (before).metric_unit = (after).metric_unit AND (after).costs[cardinality((after).costs)] IS NOT NULL
			AND cardinality(array_remove((before).costs, NULL)) >= 2
			-- of several events one has it
			AND metric_unit_of.event = (SELECT r.event FROM profiling.rollup AS r
				WHERE r.benchmark_id = metric_unit_of.benchmark_id AND r.test_run_id = metric_unit_of.test_run_id
					AND r.metric_count > 0
				ORDER BY r.event <> 'cpu', r.event COLLATE "C", r.unit COLLATE "C" LIMIT 1) THEN
		RETURN (after).metric_unit;
	END IF;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION metric_unit_of(bigint, text, bigint, means, means)
	IS 'the unit of the metric of a run and of those before it; null when there is nothing to compare, or when it '
		'belongs to another event';
