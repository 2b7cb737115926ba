
--
-- what pages of the store are made of, and pictures of trends
--
-- The verdict first, then where, since when, and whose. A page is made of what the store holds, and of nothing else: it
-- has
-- no time of its making, and settings of the session do not change it. What draws is in functions with BEGIN ATOMIC.
--

CREATE FUNCTION page_of(title text, sections jsonb, options jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT html_report(page_of.title, page_of.sections, page_of.options);
	END;
COMMENT ON FUNCTION page_of(text, jsonb, jsonb) IS 'html_report()';

CREATE FUNCTION page_value(value float8, unit text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(format_value(page_value.value, CASE page_value.unit WHEN 's' THEN 'seconds'
			WHEN 'ms' THEN 'milliseconds' WHEN 'us' THEN 'microseconds' WHEN 'ns' THEN 'nanoseconds'
			ELSE coalesce(page_value.unit, ''::text) END), '-'::text);
	END;
COMMENT ON FUNCTION page_value(float8, text) IS
	'format_value(), also with the short names of units of time; - for null';

CREATE FUNCTION page_time(at timestamptz) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT lpad(extract(year FROM t.at)::text, 4, '0'::text) || '-' || lpad(extract(month FROM t.at)::text, 2,
			'0'::text)
			|| '-' || lpad(extract(day FROM t.at)::text, 2, '0'::text) || ' '
			|| lpad(extract(hour FROM t.at)::text, 2, '0'::text) || ':' || lpad(extract(minute FROM t.at)::text, 2,
				'0'::text)
			|| ' UTC'
		FROM (SELECT page_time.at AT TIME ZONE 'UTC'::text AS at) AS t;
	END;
COMMENT ON FUNCTION page_time(timestamptz) IS 'a time as pages write it, to the minute, in UTC';

CREATE FUNCTION page_commit(commit text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN page_commit.commit ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'::text
			THEN pg_catalog.left(page_commit.commit, 12) ELSE nullif(page_commit.commit, ''::text) END;
	END;
COMMENT ON FUNCTION page_commit(text)
	IS 'a commit as pages write it beside other things: the first 12 digits of a hash, which git takes for all of it';

CREATE FUNCTION page_percent(change float8) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN page_percent.change IS NULL THEN '-'::text
			WHEN abs(page_percent.change) > 1e6::float8 THEN CASE WHEN page_percent.change > 0::float8
				THEN 'new'::text ELSE 'gone'::text END
			ELSE CASE WHEN page_percent.change > 0::float8 THEN '+'::text ELSE ''::text END
				|| trim_scale(round(100::numeric * page_percent.change::numeric, CASE WHEN abs(page_percent.change)
					< 0.1::float8 THEN 1 ELSE 0 END))::text || ' %' END;
	END;
COMMENT ON FUNCTION page_percent(float8) IS 'a relative change as pages write it';

CREATE FUNCTION page_options(options jsonb, VARIADIC known text[]) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_options CONSTANT jsonb := coalesce(options, '{}');
	v_unknown text;
BEGIN
	IF jsonb_typeof(v_options) <> 'object' THEN
		RAISE EXCEPTION 'options must be an object' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	SELECT min(k COLLATE "C") INTO v_unknown FROM jsonb_object_keys(v_options) AS k WHERE k <> ALL (known);
	IF v_unknown IS NOT NULL THEN
		RAISE EXCEPTION 'unknown option "%"', profiling.printable(left(v_unknown, 100))
			USING ERRCODE = 'invalid_parameter_value', HINT = format('The options are %s.', array_to_string(known,
				', '));
	END IF;
	RETURN v_options;
END
$$;
COMMENT ON FUNCTION page_options(jsonb, text[]) IS 'options, {} for null; an error 22023 for one that is not known';

CREATE FUNCTION page_runs(options jsonb, default_runs int) RETURNS int
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF options ? 'runs' AND NOT coalesce(jsonb_typeof(options -> 'runs') = 'number'
			AND options ->> 'runs' ~ '^[0-9]{1,5}$' AND (options ->> 'runs')::int BETWEEN 2 AND 10000, false) THEN
		RAISE EXCEPTION 'option "runs" must be a number from 2 to 10000' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN coalesce((options ->> 'runs')::int, default_runs);
END
$$;
COMMENT ON FUNCTION page_runs(jsonb, int) IS 'option runs of pages: of how many runs trends are shown';

--
-- pictures in pages
--

CREATE FUNCTION page_trend(starts timestamptz[], ys float8[], mean float8[], lower float8[], upper float8[],
		window_size int, k float8, change_at int[], findings jsonb, panel_of text[], title text, unit text, width int,
		height int, options jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT trend_svg(page_trend.starts, page_trend.ys, page_trend.mean, page_trend.lower, page_trend.upper,
			page_trend.window_size, page_trend.k, page_trend.change_at, NULL::text[], page_trend.findings,
			page_trend.panel_of, page_trend.title, NULL::text, CASE page_trend.unit WHEN 's' THEN 'seconds'
				WHEN 'ms' THEN 'milliseconds' WHEN 'us' THEN 'microseconds' WHEN 'ns' THEN 'nanoseconds'
				ELSE page_trend.unit END, page_trend.width, page_trend.height, page_trend.options);
	END;
COMMENT ON FUNCTION page_trend(timestamptz[], float8[], float8[], float8[], float8[], int, float8, int[], jsonb, text[],
	text, text, int, int, jsonb) IS 'trend_svg() over time';

CREATE FUNCTION page_flame(fg flamegraph, title text, unit text) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT flamegraph_svg(page_flame.fg, page_flame.title, page_flame.unit, 1200, 0.5::float8, 'icicle'::text,
			'frame'::text, 'name'::text, true, '{}'::jsonb);
	END;
COMMENT ON FUNCTION page_flame(flamegraph, text, text) IS 'flamegraph_svg()';

CREATE FUNCTION page_sandwich(fg flamegraph, frame text, unit text) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT sandwich_svg(page_sandwich.fg, page_sandwich.frame, NULL::text, page_sandwich.unit, 900, 0.5::float8,
			'frame'::text, false, '{}'::jsonb);
	END;
COMMENT ON FUNCTION page_sandwich(flamegraph, text, text) IS 'sandwich_svg() without the data for a viewer';

CREATE FUNCTION page_heat(fgs flamegraph[], labels text[], title text, unit text) RETURNS text
	LANGUAGE sql IMMUTABLE COST 50000
	BEGIN ATOMIC
		SELECT heat_map_svg(page_heat.fgs, page_heat.labels, 'self'::text, 30, page_heat.title,
			CASE page_heat.unit WHEN 's' THEN 'seconds' WHEN 'ms' THEN 'milliseconds' WHEN 'us' THEN 'microseconds'
				WHEN 'ns' THEN 'nanoseconds' ELSE page_heat.unit END, 'sequential'::text, 900, '{}'::jsonb);
	END;
COMMENT ON FUNCTION page_heat(flamegraph[], text[], text, text) IS 'heat_map_svg() of functions by runs';

CREATE FUNCTION page_difference(history flamegraph[], current flamegraph, title text, unit text, window_size int,
		poisson_unit float8) RETURNS text
	LANGUAGE sql IMMUTABLE COST 100000
	BEGIN ATOMIC
		SELECT flamegraph_diff_svg(page_difference.history, page_difference.current, page_difference.title,
			page_difference.unit, 'union'::text, page_difference.window_size, page_difference.poisson_unit,
				0.05::float8,
			1200, 0.5::float8, true, '{}'::jsonb);
	END;
COMMENT ON FUNCTION page_difference(flamegraph[], flamegraph, text, text, int, float8)
	IS 'flamegraph_diff_svg() of one run against the runs before';

CREATE FUNCTION page_hot(fg flamegraph, max_rows int) RETURNS TABLE (frame text, self float8, self_share float8)
	LANGUAGE sql IMMUTABLE ROWS 20
	BEGIN ATOMIC
		SELECT t.frame, t.self, t.self_share FROM top(page_hot.fg, page_hot.max_rows) AS t
		ORDER BY t.self DESC, t.frame COLLATE "C";
	END;
COMMENT ON FUNCTION page_hot(flamegraph, int) IS 'the functions that a profile spends most in itself';

CREATE FUNCTION page_hot_rows(fgs flamegraph[], max_rows int) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_frames CONSTANT text[] := ARRAY(SELECT h.frame FROM profiling.page_hot(fgs[cardinality(fgs)], max_rows) AS h);
BEGIN
	RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('frame', h.frame, 'self', h.self, 'share', h.self_share,
		'series',
			s.series) ORDER BY h.self DESC, h.frame COLLATE "C"), '[]')
		FROM profiling.page_hot(fgs[cardinality(fgs)], max_rows) AS h
			JOIN (SELECT p.frame, jsonb_agg(p.value ORDER BY p.n) AS series
				FROM profiling.page_series(fgs, v_frames, 'self'::text) AS p GROUP BY p.frame) AS s ON s.frame =
					h.frame);
END
$$;
COMMENT ON FUNCTION page_hot_rows(flamegraph[], int)
	IS 'the functions that the last of some profiles spends most in itself, with their own value in each of them';

CREATE FUNCTION page_series(fgs flamegraph[], frames text[], measure text)
	RETURNS TABLE (frame text, n bigint, value float8)
	LANGUAGE sql IMMUTABLE ROWS 100
	BEGIN ATOMIC
		SELECT f.frame, g.n, frame_value(g.fg, f.frame, page_series.measure)
		FROM pg_catalog.unnest(page_series.fgs) WITH ORDINALITY AS g (fg, n),
			pg_catalog.unnest(page_series.frames) AS f (frame);
	END;
COMMENT ON FUNCTION page_series(flamegraph[], text[], text) IS 'frame_value() of several functions in several profiles';

CREATE FUNCTION page_scores(history flamegraph[], current flamegraph, window_size int, measure text, poisson_unit
	float8,
		frames text[]) RETURNS TABLE (frame text, q_value float8)
	LANGUAGE sql IMMUTABLE ROWS 100
	BEGIN ATOMIC
		SELECT f.frame, d.q_value
		FROM pg_catalog.unnest(page_scores.frames) AS f (frame) JOIN deviation_scores(page_scores.history,
			page_scores.current, page_scores.window_size, page_scores.measure, page_scores.poisson_unit, 0::float8,
			'inf'::text, 'own'::text, NULL::flamegraph[], NULL::flamegraph) AS d ON d.key = stackpath(ARRAY[f.frame]);
	END;
COMMENT ON FUNCTION page_scores(flamegraph[], flamegraph, int, text, float8, text[])
	IS 'q_value of deviation_scores() for some functions';

CREATE FUNCTION page_arrows(history flamegraph[], current flamegraph, frames text[])
	RETURNS TABLE (frame text, arrow jsonb)
	LANGUAGE sql IMMUTABLE ROWS 100
	BEGIN ATOMIC
		SELECT b.frame, pg_catalog.jsonb_build_object('angle', b.shown_angle, 'red', b.red, 'green', b.green, 'blue',
			b.blue)
		FROM (SELECT sum(h.fg) / count(*)::float8 AS fg FROM pg_catalog.unnest(page_arrows.history) AS h (fg)) AS m,
			compare_baseline(m.fg, page_arrows.current) AS b
		WHERE b.frame = ANY (page_arrows.frames);
	END;
COMMENT ON FUNCTION page_arrows(flamegraph[], flamegraph, text[])
	IS 'the arrows of compare_baseline() between the mean of a history and a run, for some functions';

CREATE FUNCTION run_labels(run_ids bigint[]) RETURNS text[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(pg_catalog.concat_ws(' '::text, pg_catalog.left(profiling.page_time(
			t.started_at), 16), nullif(t.commit, ''::text)) ORDER BY u.n), '{}'::text[])
		FROM pg_catalog.unnest(run_labels.run_ids) WITH ORDINALITY AS u (id, n)
			JOIN profiling.test_run AS t ON t.test_run_id = u.id;
	END;
COMMENT ON FUNCTION run_labels(bigint[]) IS 'what runs are called side by side: when they began, their commits';

CREATE FUNCTION page_changes(series float8[]) RETURNS int[]
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(c.change_at ORDER BY c.change_at), '{}'::int[])
		FROM change_points(page_changes.series, 5, 0::float8, 0.01::float8, 999, 42::bigint) AS c;
	END;
COMMENT ON FUNCTION page_changes(float8[]) IS 'positions of change_points()';

CREATE FUNCTION subject_text(subject stackpath) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT subject::text;
	END;
COMMENT ON FUNCTION subject_text(stackpath) IS 'a path as text';

--
-- the numbers of a benchmark over time
--

CREATE FUNCTION page_runs_of(benchmark_id bigint, event text, unit text, branch text, window_size int, k float8,
		runs int, metric text, until timestamptz)
	RETURNS TABLE (test_run_id bigint, started_at timestamptz, commit text, value float8, value_unit text, mean float8,
		stddev float8, lower float8, upper float8)
	LANGUAGE plpgsql STABLE ROWS 50 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_metric_unit CONSTANT text := (SELECT r.metric_unit FROM profiling.rollup AS r
		WHERE r.benchmark_id = page_runs_of.benchmark_id AND r.event = page_runs_of.event
			AND r.unit = page_runs_of.unit AND r.branch = page_runs_of.branch AND r.span = 'run' AND r.metric_count > 0
			AND r.started_at <= page_runs_of.until AND profiling.has_begun(r.started_at)
			AND page_runs_of.metric <> 'total'
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1);
BEGIN
	RETURN QUERY
	SELECT s.test_run_id, s.started_at, t.commit, s.value, coalesce(v_metric_unit, page_runs_of.unit), s.mean, s.spread,
		s.mean - page_runs_of.k * s.spread, s.mean + page_runs_of.k * s.spread
	FROM (SELECT o.*, avg(profiling.summable(o.value)) OVER w AS mean,
			stddev_samp(profiling.summable(o.value)) OVER w AS spread
		FROM (SELECT r.test_run_id, r.started_at, CASE WHEN v_metric_unit IS NULL
					THEN profiling.ratio(r.total, r.repetitions::float8)
				WHEN r.metric_unit = v_metric_unit THEN profiling.ratio(r.metric_sum, r.metric_count::float8) END AS
					value
			FROM profiling.rollup AS r
			WHERE r.benchmark_id = page_runs_of.benchmark_id AND r.event = page_runs_of.event
				AND r.unit = page_runs_of.unit AND r.branch = page_runs_of.branch AND r.span = 'run'
				AND r.started_at <= page_runs_of.until AND profiling.has_begun(r.started_at)
			ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT page_runs_of.runs + page_runs_of.window_size) AS o
		WINDOW w AS (ORDER BY o.started_at, o.test_run_id ROWS BETWEEN page_runs_of.window_size PRECEDING AND 1
			PRECEDING)
		ORDER BY o.started_at DESC, o.test_run_id DESC LIMIT page_runs_of.runs) AS s
		LEFT JOIN profiling.test_run AS t ON t.test_run_id = s.test_run_id
	ORDER BY s.started_at, s.test_run_id;
END
$$;
COMMENT ON FUNCTION page_runs_of(bigint, text, text, text, int, float8, int, text, timestamptz)
	IS 'the last so many runs of a benchmark: its metric (of benchmarks without one, and with "total", the total of '
		'their '
		'profiles), mean and deviation of the window_size runs before, and the band mean -+ k deviations';

CREATE FUNCTION page_findings(benchmark_id bigint, event text, branch text, frame text, runs bigint[]) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('at', f.at, 'kind', f.kind, 'label', f.label)
			ORDER BY f.at, f.regression_id), '[]')
		FROM (SELECT p.at, r.kind, r.regression_id, format('%s %s', CASE r.level WHEN 'metric' THEN 'the metric'
				ELSE left(profiling.subject_text(r.subject), 200) END, profiling.page_percent(r.relative)) AS label
			FROM profiling.regression AS r
				JOIN unnest(page_findings.runs) WITH ORDINALITY AS p (run, at) ON p.run = r.first_test_run_id
			WHERE r.benchmark_id = page_findings.benchmark_id AND r.event = page_findings.event
				AND r.branch = page_findings.branch AND r.status IN ('open', 'acknowledged', 'resolved')
				AND (page_findings.frame IS NULL OR r.level IN ('frame', 'self')
					AND profiling.subject_text(r.subject) = page_findings.frame)
			ORDER BY (r.level = 'metric') DESC, abs(r.diff) DESC NULLS LAST, r.regression_id LIMIT 9) AS f);
END
$$;
COMMENT ON FUNCTION page_findings(bigint, text, text, text, bigint[])
	IS 'findings that begin in one of these runs (of one function, if given; at most 9, the metric''s and the largest '
		'first), as trend_svg() takes them';

CREATE FUNCTION trend_svg(benchmark_id bigint, frame text DEFAULT NULL, metric text DEFAULT NULL,
		window_size int DEFAULT 10, k float8 DEFAULT 2, event text DEFAULT 'cpu', branch text DEFAULT NULL,
		runs int DEFAULT 50) RETURNS text
	LANGUAGE plpgsql STABLE COST 100000 SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_branch CONSTANT text := profiling.trend_branch(trend_svg.benchmark_id, trend_svg.event, trend_svg.branch);
	v_unit text;
	v_name CONSTANT text := (SELECT b.name FROM profiling.benchmark AS b
		WHERE b.benchmark_id = trend_svg.benchmark_id);
	v_measure CONSTANT text := coalesce(trend_svg.metric, CASE WHEN trend_svg.frame IS NULL THEN 'metric' ELSE 'total'
		END);
	v_values_of text := trend_svg.event;
	v record;
BEGIN
	IF trend_svg.window_size IS NULL OR trend_svg.window_size < 2 OR trend_svg.runs IS NULL OR trend_svg.runs < 1 THEN
		RAISE EXCEPTION 'window_size must be at least 2, and runs at least 1' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF trend_svg.frame IS NULL THEN
		PERFORM profiling.one_of('metric'::text, v_measure, VARIADIC '{metric,total}'::text[]);
	END IF;
	SELECT r.unit INTO v_unit FROM profiling.rollup AS r
	WHERE r.benchmark_id = trend_svg.benchmark_id AND r.event = trend_svg.event AND r.branch = v_branch AND r.span =
		'run'
	LIMIT 1;
	IF trend_svg.frame IS NOT NULL THEN
		SELECT array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id) AS ids,
			array_agg(t.started_at ORDER BY t.started_at, t.test_run_id) AS starts,
			array_agg(t.value ORDER BY t.started_at, t.test_run_id) AS ys,
			array_agg(t.mean ORDER BY t.started_at, t.test_run_id) AS means,
			array_agg(t.lower ORDER BY t.started_at, t.test_run_id) AS lowers,
			array_agg(t.upper ORDER BY t.started_at, t.test_run_id) AS uppers,
			CASE WHEN v_measure LIKE '%share' THEN 'fraction' ELSE v_unit END AS unit INTO v
		FROM (SELECT x.* FROM profiling.frame_trend(trend_svg.benchmark_id, trend_svg.frame, v_measure,
			trend_svg.window_size, trend_svg.k, trend_svg.event, v_branch) AS x
			ORDER BY x.started_at DESC, x.test_run_id DESC LIMIT trend_svg.runs) AS t;
	ELSE
		SELECT array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id) AS ids,
			array_agg(t.started_at ORDER BY t.started_at, t.test_run_id) AS starts,
			array_agg(t.value ORDER BY t.started_at, t.test_run_id) AS ys,
			array_agg(t.mean ORDER BY t.started_at, t.test_run_id) AS means,
			array_agg(t.lower ORDER BY t.started_at, t.test_run_id) AS lowers,
			array_agg(t.upper ORDER BY t.started_at, t.test_run_id) AS uppers, max(t.value_unit) AS unit INTO v
		FROM profiling.page_runs_of(trend_svg.benchmark_id, trend_svg.event, v_unit, v_branch, trend_svg.window_size,
			trend_svg.k, trend_svg.runs, v_measure,
			'infinity'::timestamptz) AS t;
	END IF;
	RETURN profiling.page_trend(coalesce(v.starts, '{}'), coalesce(v.ys, '{}'), coalesce(v.means, '{}'),
		coalesce(v.lowers, '{}'), coalesce(v.uppers, '{}'), trend_svg.window_size, trend_svg.k,
		profiling.page_changes(coalesce(v.ys, '{}')),
		profiling.page_findings(trend_svg.benchmark_id, trend_svg.event, v_branch, trend_svg.frame, v.ids),
			NULL::text[],
		concat_ws(': ', v_name, coalesce(trend_svg.frame, CASE v_measure WHEN 'total' THEN 'total' ELSE 'metric' END)),
		v.unit, 900, 360, '{}'::jsonb);
END
$$;
COMMENT ON FUNCTION trend_svg(bigint, text, text, int, float8, text, text, int)
	IS 'a benchmark over its last runs on a branch (null: that of the newest one), in SVG: its metric (null: the '
		'total of '
		'its profiles where there is none; metric total: always that), or one function by metric total, self, their '
		'shares or potential:N, as frame_trend() has it; mean and band of the window_size runs before, change points, '
		'and findings as flags where they begin';
