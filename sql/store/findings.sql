
--
-- a finding: what regression says of it
--

CREATE TYPE finding AS (event text, unit text, branch text, first_test_run_id bigint, last_test_run_id bigint,
	method text, level text,
	subject stackpath, subject_id uuid, expected float8, actual float8, diff float8, relative float8, score float8,
	p_value float8, q_value float8, lower float8, upper float8, kind text, team text, samples float8, cause text,
	counterpart stackpath[]);
COMMENT ON TYPE finding IS 'a change that was found in a benchmark; the columns are those of regression';

CREATE FUNCTION subject_of(level text, key stackpath) RETURNS stackpath
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN subject_of.level = 'metric' THEN ''::stackpath ELSE subject_of.key END;
	END;
COMMENT ON FUNCTION subject_of(text, stackpath)
	IS 'what a finding is about: the key that was tested, nothing for the metric';

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
COMMENT ON FUNCTION team_of(text, stackpath, flamegraph)
	IS 'the team whose pattern matches a finding: its subject, or for a function any stack of the profile that leads '
		'to it; the highest priority wins, then the lowest owner_id; empty for none';

CREATE FUNCTION with_team(finding finding, fg flamegraph) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	finding.team := profiling.team_of((finding).level, (finding).subject, fg);
	RETURN finding;
END
$$;
COMMENT ON FUNCTION with_team(finding, flamegraph)
	IS 'a finding with the team whose it is; fg: the profile it was found in, null for a model';

CREATE FUNCTION open_finding(benchmark_id bigint, finding finding, fg flamegraph, confirm int DEFAULT 0) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f CONSTANT profiling.finding := profiling.with_team(finding, fg);
	v_new profiling.regression;
BEGIN
	-- What somebody has called a false positive stays one as long as it is the same change.
	IF EXISTS (SELECT 1 FROM profiling.regression AS r WHERE r.benchmark_id = open_finding.benchmark_id
		AND r.event = f.event
			AND r.unit = f.unit AND r.branch = f.branch AND r.method = f.method AND r.level = f.level
			AND r.subject_id = f.subject_id AND r.kind = f.kind AND r.status = 'false_positive'
			AND abs(r.actual - f.actual) <= 0.5 * abs(r.diff)) THEN
		RETURN NULL;
	END IF;
	INSERT INTO profiling.regression AS r (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id,
		method, level,
		subject, subject_id, expected, actual, diff, relative, score, p_value, q_value, lower, upper, kind, team,
			samples,
		cause, counterpart)
	SELECT open_finding.benchmark_id, f.*
	-- Open already: one row for as long as it lasts, which seen_again() brings up to date.
	ON CONFLICT (benchmark_id, event, unit, branch, method, level, subject_id)
		WHERE status IN ('open', 'acknowledged', 'pending') DO NOTHING
	RETURNING r.* INTO v_new;
	IF FOUND THEN
		PERFORM profiling.wait_or_open(v_new, open_finding.confirm);
	END IF;
	RETURN v_new.regression_id;
END
$$;
COMMENT ON FUNCTION open_finding(bigint, finding, flamegraph, int)
	IS 'puts a finding into regression, with its team, pending until more than confirm runs have shown it; null when '
		'it is open already or was called a false positive';


--
-- of nested findings the one that explains the others
--

CREATE FUNCTION origins(keys stackpath[], level text, delta flamegraph, OUT origins stackpath[])
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN origins.level IN ('frame', 'node')
				THEN change_origins(origins.keys, origins.delta, origins.level)
			ELSE origins.keys END;
	END;
COMMENT ON FUNCTION origins(stackpath[], text, flamegraph)
	IS 'of functions (level frame) or calling contexts (node) that changed, those whose change is not, by more than '
		'half, that of others further down the stacks; delta: the difference of the profiles';

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
		SELECT (SELECT avg(u.fg) FROM pg_catalog.unnest(change_between.after) AS u (fg)) - (SELECT avg(u.fg)
			FROM pg_catalog.unnest(change_between.before) AS u (fg));
	END;
COMMENT ON FUNCTION change_between(flamegraph[], flamegraph[]) IS 'the mean of some profiles less that of others';

CREATE FUNCTION run_change(history flamegraph[], current flamegraph, variance text, unit float8, unit_now float8,
		repeated flamegraph[]) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 200000
	BEGIN ATOMIC
		SELECT run_difference(run_change.history, run_change.current, run_change.variance, run_change.unit,
			run_change.unit_now, NULL::flamegraph[], NULL::flamegraph, run_change.repeated);
	END;
COMMENT ON FUNCTION run_change(flamegraph[], flamegraph, text, float8, float8, flamegraph[])
	IS 'a run less those before it, as scored_run() compares them';

-- A caller looks changed by itself when values hide what the test saw: pauses, and the speed of the machine.
CREATE FUNCTION tested_change(watch watch, before means, after means) RETURNS flamegraph
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_by_samples CONSTANT bool := (before).samples IS NOT NULL AND (after).samples IS NOT NULL;
	v_known CONSTANT bool := coalesce((before).samples_known AND (after).samples_known, false);
	v_variance CONSTANT text := profiling.variance_of(watch, before, after);
	v_of_sample CONSTANT float8 := coalesce((profiling.checked_options(watch) ->> 'poisson_unit')::float8,
		(after).of_sample);
BEGIN
	IF (watch).method IN ('deviation', 'welch', 'drift') AND cardinality((after).fgs) > 1 AND v_by_samples
			AND (before).moments IS NULL THEN
		RETURN profiling.change_between((before).samples, (after).samples);
	ELSIF (watch).method <> 'deviation' OR cardinality((after).fgs) <> 1 OR cardinality((before).fgs) < 2
			OR NOT v_known AND v_variance = 'own' THEN
		RETURN profiling.change_between((before).fgs, (after).fgs);
	END IF;
	RETURN profiling.run_change(
		CASE WHEN v_by_samples THEN (before).samples ELSE (before).fgs END,
		CASE WHEN v_by_samples THEN (after).samples[1] ELSE (after).fgs[1] END, v_variance,
		CASE WHEN v_by_samples THEN profiling.test_unit(before, true) ELSE v_of_sample END,
		CASE WHEN v_by_samples THEN profiling.test_unit(after, true) ELSE v_of_sample END,
		CASE WHEN v_by_samples = ((after).samples IS NOT NULL) THEN (after).repeated END);
END
$$;
COMMENT ON FUNCTION tested_change(watch, means, means)
	IS 'the difference of the profiles that a watch row''s method saw: of the numbers of samples where these were '
		'tested (tested_run), at the speed of the history';


--
-- one family
--

CREATE FUNCTION significant(watch watch, level text, with_metric bool, before means, after means, families float8)
	RETURNS TABLE (found_level text, tested tested_key, p float8, q float8)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_size CONSTANT float8 := greatest(profiling.mean_total((after).fgs), profiling.mean_total((before).fgs));
BEGIN
	RETURN QUERY
	WITH ranked AS (
		SELECT t.found_level, t.tested, coalesce((t.tested).p_value, 1) AS p,
			row_number() OVER (ORDER BY coalesce((t.tested).p_value, 1)) AS place, count(*) OVER () AS tests
		FROM profiling.tested_family(watch, significant.level, with_metric, before, after, (watch).alpha / families,
			v_size) AS t
	), adjusted AS (
		SELECT r.found_level, r.tested, r.p, CASE WHEN (r.tested).gated THEN r.p
			ELSE least(1, min(r.p * r.tests / r.place) OVER (ORDER BY r.place DESC ROWS UNBOUNDED PRECEDING)) END AS q
		FROM ranked AS r
	)
	SELECT a.found_level, v.as_tested, a.p, a.q
	FROM adjusted AS a
		CROSS JOIN LATERAL (SELECT t AS as_tested, (t).expected, (t).actual
			FROM profiling.as_tested(a.tested, (watch).min_effect) AS t) AS v
	WHERE a.q <= (watch).alpha AND v.actual <> v.expected
		AND abs(v.actual - v.expected) >= (watch).min_effect * abs(v.expected)
		AND (a.found_level = 'metric' OR greatest(abs(v.actual), abs(v.expected)) >= (watch).min_share * v_size);
END
$$;
COMMENT ON FUNCTION significant(watch, text, bool, means, means, float8)
	IS 'what differs in some runs from those before them, more than a watch row lets pass, as if there were one family '
		'of tests: q is p adjusted for the tests of this one; families: those that share the alpha of tests of whole '
		'profiles';

CREATE FUNCTION finding_of(benchmark_id bigint, event text, unit text, branch text, method text, metric_unit text,
		ids bigint[],
		costs float8[], level text, tested tested_key, q float8) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	t CONSTANT profiling.tested_key := tested;
	v_metric CONSTANT bool := finding_of.level = 'metric';
	-- Of a throughput the cost is its negative.
	v_sign CONSTANT int := CASE WHEN v_metric AND (SELECT b.metric_direction = 'higher' FROM profiling.benchmark AS b
		WHERE b.benchmark_id = finding_of.benchmark_id) THEN -1 ELSE 1 END;
	f profiling.finding;
BEGIN
	f.event := finding_of.event;
	f.cause := '';
	f.counterpart := '{}';
	f.unit := CASE WHEN v_metric THEN finding_of.metric_unit ELSE finding_of.unit END;
	f.branch := finding_of.branch;
	-- Runs without a metric are no part of its history.
	f.first_test_run_id := CASE WHEN v_metric THEN (ARRAY(SELECT u.id
		FROM unnest(ids, costs) WITH ORDINALITY AS u (id, cost, n)
			WHERE u.cost IS NOT NULL ORDER BY u.n))[t.first_at]
		ELSE ids[t.first_at] END;
	f.last_test_run_id := ids[cardinality(ids)];
	f.method := finding_of.method;
	f.level := finding_of.level;
	f.subject := profiling.subject_of(finding_of.level, t.key);
	f.subject_id := profiling.subject_id(f.subject);
	f.expected := v_sign * t.expected;
	f.actual := v_sign * t.actual;
	f.diff := v_sign * (t.actual - t.expected);
	f.relative := profiling.ratio(f.diff, abs(t.expected));
	f.score := v_sign * t.score;
	f.p_value := t.p_value;
	f.q_value := finding_of.q;
	f.lower := CASE v_sign WHEN 1 THEN t.lower ELSE - t.upper END;
	f.upper := CASE v_sign WHEN 1 THEN t.upper ELSE - t.lower END;
	f.kind := CASE WHEN t.actual > t.expected THEN 'degradation' ELSE 'optimization' END;
	f.samples := t.samples;
	RETURN f;
END
$$;
COMMENT ON FUNCTION finding_of(bigint, text, text, text, text, text, bigint[], float8[], text, tested_key, float8)
	IS 'a key that changed as a finding; ids: the runs before and those compared, with their costs; a metric in its '
		'own unit and direction';

CREATE FUNCTION divided(means means, factor float8) RETURNS means
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT ROW(
			(SELECT pg_catalog.array_agg(u.fg / divided.factor ORDER BY u.n)
				FROM pg_catalog.unnest((divided.means).fgs) WITH ORDINALITY AS u (fg, n)),
			(divided.means).costs, (divided.means).metric_unit, (divided.means).of_sample, (divided.means).moments,
			(SELECT pg_catalog.array_agg(u.fg / divided.factor ORDER BY u.n)
				FROM pg_catalog.unnest((divided.means).samples) WITH ORDINALITY AS u (fg, n)),
			(divided.means).repetitions, (divided.means).samples_known,
			(SELECT pg_catalog.array_agg(u.fg / divided.factor ORDER BY u.n)
				FROM pg_catalog.unnest((divided.means).repeated) WITH ORDINALITY AS u (fg, n)))::means;
	END;
COMMENT ON FUNCTION divided(means, float8)
	IS 'runs with all values and numbers of samples divided by a factor, not metrics';

CREATE FUNCTION at_host_speed(watch watch, benchmark_id bigint, event text, unit text, branch text,
		before_ids bigint[], run_ids bigint[]) RETURNS means
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_means CONSTANT profiling.means := profiling.run_means(at_host_speed.benchmark_id, at_host_speed.event,
		at_host_speed.unit, at_host_speed.run_ids);
BEGIN
	IF profiling.checked_options(watch) ->> 'size_factor' IS DISTINCT FROM 'host' OR cardinality(before_ids) = 0 THEN
		RETURN v_means;
	END IF;
	RETURN profiling.divided(v_means, profiling.host_factor(at_host_speed.benchmark_id, at_host_speed.event,
		at_host_speed.unit, at_host_speed.branch, at_host_speed.before_ids, at_host_speed.run_ids));
END
$$;
COMMENT ON FUNCTION at_host_speed(watch, bigint, text, text, text, bigint[], bigint[])
	IS 'the means of new runs; with the watch option size_factor host, divided by how much slower all benchmarks of '
		'their host were than at the time of the runs before';

CREATE FUNCTION found_between(watch watch, benchmark_id bigint, event text, unit text, branch text, level text,
		metric_unit text, with_metric bool, ids bigint[], before means, after means, families float8,
		OUT findings finding[], OUT p_value float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	WITH outstanding AS MATERIALIZED (
		SELECT s.* FROM profiling.significant(watch, found_between.level, with_metric, before, after,
			greatest(found_between.families, 1)) AS s
	), significant AS (
		SELECT o.found_level AS level, (o.tested).key AS key, o.tested, o.p,
			least(1, greatest(found_between.families, 1) * o.q) AS q
		FROM outstanding AS o WHERE greatest(found_between.families, 1) * o.q <= (watch).alpha
	), origin AS (
		-- The difference of the profiles is worked out only when it is asked for.
		SELECT CASE WHEN count(*) > 1
			THEN profiling.origins(array_agg(g.key), found_between.level, profiling.tested_change(watch, before, after))
			ELSE array_agg(g.key) END AS keys
		FROM significant AS g WHERE g.level <> 'metric'
	)
	SELECT array_agg(s ORDER BY g.level, g.p, abs((g.tested).score) DESC, g.key),
		(SELECT min(o.q) FROM outstanding AS o) INTO findings, p_value
	FROM significant AS g
		CROSS JOIN LATERAL profiling.finding_of(found_between.benchmark_id, found_between.event,
			found_between.unit, found_between.branch, (watch).method, metric_unit,
			ids, (before).costs || (after).costs, g.level, g.tested, g.q) AS f
		CROSS JOIN LATERAL profiling.shifted(watch, f, before, after) AS s
	WHERE (g.level = 'metric' OR array_position((SELECT o.keys FROM origin AS o), g.key) IS NOT NULL)
		AND (watch).direction IN ('both', f.kind);
END
$$;
COMMENT ON FUNCTION found_between(watch, bigint, text, text, text, text, text, bool, bigint[], means, means, float8)
	IS 'found_in_family() of these runs and those before them; ids: those of all of them';

CREATE FUNCTION found_in_family(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families float8, OUT findings finding[], OUT p_value float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_method CONSTANT text := (watch).method;
	v_level CONSTANT text := CASE WHEN v_method = 'correlation' AND (watch).level NOT IN ('frame', 'self') THEN 'frame'
		ELSE (watch).level END;
	v_runs record;
	v_before profiling.means;
	v_after profiling.means;
	v_metric_unit text;
	v_with_metric bool;
BEGIN
	v_runs := profiling.compared_runs(watch, found_in_family.benchmark_id, found_in_family.event, found_in_family.unit,
		found_in_family.branch, found_in_family.run_ids);
	IF cardinality(v_runs.before_ids) < 2 - (v_method = 'drift')::int THEN
		RETURN;
	END IF;
	v_before := CASE WHEN v_method = 'drift' THEN profiling.drift_means(found_in_family.benchmark_id,
			found_in_family.event, found_in_family.unit, found_in_family.branch, v_runs.before_ids, v_level)
		ELSE profiling.run_means(found_in_family.benchmark_id, found_in_family.event, found_in_family.unit,
			v_runs.before_ids) END;
	v_after := profiling.at_host_speed(watch, found_in_family.benchmark_id, found_in_family.event,
		found_in_family.unit, found_in_family.branch, v_runs.before_ids, v_runs.ids);
	v_metric_unit := profiling.metric_unit_of(found_in_family.benchmark_id, found_in_family.event,
		v_runs.ids[cardinality(v_runs.ids)], v_before, v_after);
	IF v_metric_unit IS NULL AND (v_method = 'correlation' OR v_level = 'metric') THEN
		RETURN;
	END IF;
	-- The metric is one more key of such a family, unless it has a row of its own.
	v_with_metric := v_level = 'metric' OR v_metric_unit IS NOT NULL AND v_method IN ('deviation', 'welch')
		AND NOT EXISTS (SELECT 1 FROM profiling.watches_of(found_in_family.benchmark_id, found_in_family.event) AS o
			WHERE o.method = v_method AND o.level = 'metric');
	SELECT b.findings, b.p_value INTO findings, p_value
	FROM profiling.found_between(watch, found_in_family.benchmark_id, found_in_family.event, found_in_family.unit,
		found_in_family.branch, v_level, v_metric_unit, v_with_metric, v_runs.before_ids || v_runs.ids, v_before,
		v_after, found_in_family.families) AS b;
END
$$;
COMMENT ON FUNCTION found_in_family(watch, bigint, text, text, text, bigint[], float8)
	IS 'the findings of one family, without their teams, when so many families share alpha, and the smallest p-value '
		'adjusted within the family, of what is large enough to be a finding; null when that is above alpha';

CREATE FUNCTION found(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families float8 DEFAULT 1)
	RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF (watch).level = 'location' OR (watch).method IN ('integral', 'local_statistics') THEN
		RAISE EXCEPTION 'method % of watch row % cannot compare at level %', (watch).method, (watch).watch_id,
			(watch).level USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Observations have level location and methods integral and local_statistics.';
	END IF;
	RETURN QUERY
	SELECT u.* FROM unnest((profiling.found_in_family(watch, found.benchmark_id, found.event, found.unit, found.branch,
		found.run_ids, found.families)).findings) AS u;
END
$$;
COMMENT ON FUNCTION found(watch, bigint, text, text, text, bigint[], float8)
	IS 'the findings of one family, without their teams: these runs against their history by a watch row; families: '
		'how many there are tonight, which share alpha; fewer of those that were selected';


--
-- what is open: still there?
--

CREATE FUNCTION scored_again(benchmark_id bigint, regression_ids bigint[], before means, after means,
		of_sample float8)
	RETURNS TABLE (regression_id bigint, actual float8, score float8, p_value float8, expected float8)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT r.regression_id, d.actual, d.score, d.p_value, d.expected
		FROM (SELECT r.level FROM regression AS r WHERE r.benchmark_id = scored_again.benchmark_id
			AND r.regression_id = scored_again.regression_ids[1]) AS g
			CROSS JOIN LATERAL (SELECT CASE WHEN g.level = 'metric' THEN 'self' ELSE g.level END AS level) AS l
			JOIN regression AS r ON r.benchmark_id = scored_again.benchmark_id
				AND r.regression_id = ANY (scored_again.regression_ids)
			LEFT JOIN tested_run(scored_again.before, scored_again.after, l.level,
				CASE WHEN (scored_again.before).samples_known AND (scored_again.after).samples_known
					THEN 'moderated'::text ELSE 'own'::text END, scored_again.of_sample, 0::float8, 'inf'::text) AS d
				ON d.key = CASE WHEN r.level = 'metric' THEN 'metric'::stackpath ELSE r.subject END;
	END;
COMMENT ON FUNCTION scored_again(bigint, bigint[], means, means, float8)
	IS 'how much the subjects of some findings of one level deviate in a run from runs before';

CREATE FUNCTION watch_behind(benchmark_id bigint, event text, method text, level text) RETURNS watch
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT o FROM watches_of(watch_behind.benchmark_id, watch_behind.event) AS o
		WHERE o.method = watch_behind.method
		ORDER BY o.level = watch_behind.level DESC, o.watch_id DESC LIMIT 1;
	END;
COMMENT ON FUNCTION watch_behind(bigint, text, text, text)
	IS 'the watch row in force that findings of a method and level are of: that of the level, else (for a metric) '
		'another one of the method; null for none';

CREATE FUNCTION followed_against(watch watch, benchmark_id bigint, event text, unit text, branch text,
		first_test_run_id bigint, test_run_id bigint) RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_season CONSTANT record := profiling.season_of((watch).baseline);
	v_first CONSTANT profiling.test_run := (SELECT t FROM profiling.test_run AS t
		WHERE t.test_run_id = followed_against.first_test_run_id);
	v_since CONSTANT interval := (SELECT t.started_at FROM profiling.test_run AS t
		WHERE t.test_run_id = followed_against.test_run_id) - v_first.started_at;
	v_ids bigint[];
BEGIN
	IF v_season.period IS NULL OR (watch).method IN ('change_point', 'correlation', 'drift') THEN
		RETURN profiling.runs_before(followed_against.benchmark_id, followed_against.event, followed_against.unit,
			followed_against.branch, followed_against.first_test_run_id,
			CASE WHEN (watch).method IN ('deviation', 'welch', 'hotelling', 'energy') THEN (watch).baseline
				ELSE 'window:10' END);
	END IF;
	-- Each run has a phase of its own. Those since the finding was first seen are no history of it.
	v_ids := profiling.runs_before(followed_against.benchmark_id, followed_against.event, followed_against.unit,
		followed_against.branch, followed_against.test_run_id, regexp_replace((watch).baseline, '[0-9]+$',
			least(999, v_season.periods + ceil(extract(epoch FROM v_since)
				/ extract(epoch FROM v_season.period)))::int::text));
	v_ids := ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t
		WHERE t.test_run_id = ANY (v_ids) AND (t.started_at, t.test_run_id) < (v_first.started_at, v_first.test_run_id)
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT v_season.periods);
	RETURN ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t WHERE t.test_run_id = ANY (v_ids)
		ORDER BY t.started_at, t.test_run_id);
END
$$;
COMMENT ON FUNCTION followed_against(watch, bigint, text, text, text, bigint, bigint)
	IS 'the history that a later run is compared with to see whether it still has a finding: that of the finding''s '
		'first run by the baseline of its watch row; of a season, runs before that one at the phase of the later run';

CREATE FUNCTION at_phase(value float8, expected float8, expected_first float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN at_phase.expected > 0::float8 AND at_phase.expected_first > 0::float8
			THEN at_phase.value * (at_phase.expected_first / at_phase.expected) ELSE at_phase.value END;
	END;
COMMENT ON FUNCTION at_phase(float8, float8, float8)
	IS 'a value of one phase of a season, of which expected is usual, as it would be at the phase of which '
		'expected_first is';

-- On most nights nothing is open, and no profile need be read.
CREATE FUNCTION has_open(benchmark_id bigint, event text) RETURNS bool
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT EXISTS (SELECT 1 FROM regression AS r
			WHERE r.benchmark_id = has_open.benchmark_id AND r.event = has_open.event
				AND r.status IN ('open', 'acknowledged', 'pending') AND r.level <> 'location');
	END;
COMMENT ON FUNCTION has_open(bigint, text) IS 'has a benchmark findings that later runs are followed for?';

CREATE FUNCTION seen_again(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint)
	RETURNS TABLE (regression_id bigint, is_there bool, actual float8, score float8)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
	v_watch profiling.watch;
	v_ids bigint[];
	v_before profiling.means;
	v_now profiling.means;
	v_after CONSTANT profiling.means := CASE WHEN profiling.has_open(seen_again.benchmark_id, seen_again.event)
		THEN profiling.run_means(benchmark_id, event, unit, ARRAY[test_run_id]) END;
	v_higher CONSTANT bool := (SELECT b.metric_direction = 'higher' FROM profiling.benchmark AS b
		WHERE b.benchmark_id = seen_again.benchmark_id);
BEGIN
	FOR g IN
		SELECT r.first_test_run_id, r.level, r.method, array_agg(r.regression_id) AS ids
		FROM profiling.regression AS r
		WHERE r.benchmark_id = seen_again.benchmark_id AND r.event = seen_again.event AND r.branch = seen_again.branch
			AND r.unit = CASE r.level WHEN 'metric' THEN v_after.metric_unit ELSE seen_again.unit END
			AND r.status IN ('open', 'acknowledged', 'pending') AND r.level <> 'location'
			AND r.kind <> 'environment'
		GROUP BY 1, 2, 3
	LOOP
		v_watch := profiling.watch_behind(seen_again.benchmark_id, seen_again.event, g.method, g.level);
		v_ids := profiling.followed_against(v_watch, seen_again.benchmark_id, seen_again.event, seen_again.unit,
			seen_again.branch, g.first_test_run_id, seen_again.test_run_id);
		IF cardinality(v_ids) < 2 THEN
			v_ids := profiling.runs_before(seen_again.benchmark_id, seen_again.event, seen_again.unit,
				seen_again.branch, g.first_test_run_id, 'window:10'::text);
		END IF;
		v_before := profiling.run_means(seen_again.benchmark_id, seen_again.event, seen_again.unit, v_ids);
		v_now := CASE WHEN v_watch.options ->> 'size_factor' = 'host' THEN
			profiling.at_host_speed(v_watch, seen_again.benchmark_id, seen_again.event, seen_again.unit,
				seen_again.branch, v_ids, ARRAY[seen_again.test_run_id]) ELSE v_after END;
		RETURN QUERY
		SELECT r.regression_id, coalesce(
				sign(a.actual - r.expected) = sign(r.diff)
				AND abs(a.actual - r.expected) >= 0.5 * w.min_effect * abs(r.expected)
				-- The runs before may be gone, or have had it too, if it was found late: then half of what the finding
				-- was last.
				AND (coalesce(d.p_value <= 0.05, false) OR abs(a.actual - r.expected) >= 0.5 * abs(r.diff)), false),
			a.actual, s.sign * d.score
		FROM profiling.findings_of(seen_again.benchmark_id) AS r
			CROSS JOIN LATERAL (SELECT CASE WHEN r.level = 'metric' AND v_higher THEN -1 ELSE 1 END AS sign) AS s
			CROSS JOIN LATERAL (SELECT coalesce((SELECT max(o.min_effect) FROM profiling.watches_of(r.benchmark_id,
				r.event) AS o WHERE o.method = r.method), 0) AS min_effect) AS w
			JOIN profiling.scored_again(seen_again.benchmark_id, g.ids,
				CASE g.level WHEN 'metric' THEN profiling.metric_means(v_before.costs) ELSE v_before END,
				CASE g.level WHEN 'metric' THEN profiling.metric_means(v_after.costs) ELSE v_now END,
				CASE g.level WHEN 'metric' THEN 0 ELSE v_after.of_sample END) AS d ON d.regression_id = r.regression_id
			CROSS JOIN LATERAL (SELECT CASE WHEN v_watch.baseline LIKE 'season:%'
				THEN profiling.at_phase(s.sign * coalesce(d.actual, 0), s.sign * d.expected, r.expected)
				ELSE s.sign * coalesce(d.actual, 0) END AS actual) AS a
		WHERE r.regression_id = ANY (g.ids)
			-- a run without a metric says nothing about it
			AND (r.level <> 'metric' OR v_after.costs[1] IS NOT NULL);
	END LOOP;
END
$$;
COMMENT ON FUNCTION seen_again(bigint, text, text, text, bigint)
	IS 'for each finding of a branch that is open or pending whether a run still has it: it differs from what was '
		'expected in the same direction, by at least half of min_effect, and from the runs before the finding''s first '
		'one by the baseline of its watch row (p <= 0.05) or by half of what it did last; of a season, actual is told '
		'as at the phase of the first one';
