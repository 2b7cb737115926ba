
--
-- pages and pictures of the store: what people look at
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

--
-- the page of one run (Lundberg & Rettig 2024, appendix B)
--

CREATE FUNCTION finding_rows(benchmark_id bigint, event text, branch text, closed bool) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('what', CASE r.level WHEN 'metric' THEN 'the metric'
				ELSE profiling.subject_text(r.subject) END, 'kind', r.kind, 'status', r.status, 'change', r.relative,
			'values', format('%s to %s', profiling.page_value(r.expected, r.unit),
				profiling.page_value(r.actual, r.unit)), 'q', r.q_value,
			'since', concat_ws(', ', coalesce(profiling.page_time(r.first_started_at), 'unknown'),
				profiling.page_commit(r.first_commit)), 'event', r.event, 'branch', nullif(r.branch, ''), 'team',
					coalesce(nullif(r.team, ''), 'nobody'),
			'closed', profiling.page_time(r.closed_at), 'note', nullif(concat_ws(' ', CASE r.cause WHEN 'shift'
				THEN 'The cost moved.' WHEN 'environment' THEN 'The machine changed.' END, nullif(r.note, '')), ''))
			ORDER BY r.kind COLLATE "C", (r.level = 'metric') DESC, abs(r.diff) DESC NULLS LAST, r.regression_id), '[]')
		FROM profiling.regression_history AS r
		WHERE r.benchmark_id = finding_rows.benchmark_id
			AND (finding_rows.event IS NULL OR r.event = finding_rows.event)
			AND (finding_rows.branch IS NULL OR r.branch = finding_rows.branch)
			AND CASE WHEN finding_rows.closed THEN r.status IN ('resolved', 'false_positive', 'went_away')
				ELSE r.status IN ('open', 'acknowledged', 'pending') END);
END
$$;
COMMENT ON FUNCTION finding_rows(bigint, text, text, bool)
	IS 'open or closed findings of a benchmark (event and branch null: of all) as rows of a page';

CREATE FUNCTION finding_columns(rows jsonb, closed bool) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN '[{"name": "what", "label": "What"}, {"name": "kind", "label": "Kind", "kind": "status"},
		{"name": "change", "label": "Change", "kind": "share", "signed": true},
		{"name": "values", "label": "Before and now"},
		{"name": "q", "label": "q", "kind": "number"},
		{"name": "since", "label": "Since"}, {"name": "team", "label": "Team"},
		{"name": "status", "label": "Status", "kind": "status"}]'::jsonb
		|| CASE WHEN (SELECT count(DISTINCT (r ->> 'event', r ->> 'branch')) > 1 FROM jsonb_array_elements(rows) AS r)
			THEN '[{"name": "event", "label": "Event"}, {"name": "branch", "label": "Branch"}]'::jsonb
			ELSE '[]'::jsonb END
		|| CASE WHEN closed THEN '[{"name": "closed", "label": "Closed"}]'::jsonb ELSE '[]'::jsonb END
		|| CASE WHEN EXISTS (SELECT 1 FROM jsonb_array_elements(rows) AS r WHERE r ->> 'note' IS NOT NULL)
			THEN '[{"name": "note", "label": "Note"}]'::jsonb ELSE '[]'::jsonb END;
END
$$;
COMMENT ON FUNCTION finding_columns(jsonb, bool) IS 'the columns of finding_rows() that these rows need';

CREATE FUNCTION finding_section(heading text, rows jsonb, closed bool, caption text, else_words text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN jsonb_build_array(jsonb_build_object('heading', heading), CASE WHEN rows = '[]'
		THEN jsonb_build_object('text', else_words) ELSE jsonb_strip_nulls(jsonb_build_object('caption', caption))
			|| jsonb_build_object('table', rows, 'columns', profiling.finding_columns(rows, closed)) END);
END
$$;
COMMENT ON FUNCTION finding_section(text, jsonb, bool, text, text) IS 'findings under a heading, or words for none';

CREATE FUNCTION trace_sections(rows jsonb, rank int, section text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- A trace of one row is the candidate itself. Child traces have it at the bottom, parent traces at the top.
	RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('table', t.steps, 'caption', t.caption, 'columns',
			'[{"name": "frame", "label": "Trace"},
			{"name": "diff", "label": "Diff", "kind": "number", "signed": true},
			{"name": "candidate_diff", "label": "Candidate diff", "kind": "number", "signed": true},
			{"name": "score", "label": "Candidate score", "kind": "number"},
			{"name": "status", "label": "Status", "kind": "status"}]'::jsonb) ORDER BY t.trace), '[]')
		FROM (SELECT (x.row ->> 'trace')::int AS trace, jsonb_agg(x.row ORDER BY CASE trace_sections.section
					WHEN 'child' THEN - (x.row ->> 'step')::int ELSE (x.row ->> 'step')::int END) AS steps,
				CASE trace_sections.section WHEN 'child' THEN
					format('Child trace %s: read from the bottom, each row is '
					'called by the one below it', x.row ->> 'trace')
				ELSE format('Parent trace %s: read from the top, each row calls the one above it', x.row ->> 'trace')
				END AS caption
			FROM jsonb_array_elements(trace_sections.rows) AS x (row)
			WHERE x.row ->> 'section' = trace_sections.section AND (x.row ->> 'rank')::int = trace_sections.rank
			GROUP BY 1, 3 HAVING count(*) > 1) AS t);
END
$$;
COMMENT ON FUNCTION trace_sections(jsonb, int, text) IS 'the child or parent traces of a candidate as tables of a page';

CREATE FUNCTION verdict_text(benchmark_id bigint, event text, branch text, candidates jsonb, runs int, before text,
		unit text)
	RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f record;
	c CONSTANT jsonb := (SELECT x FROM jsonb_array_elements(verdict_text.candidates) AS x
		WHERE (x ->> 'q')::float8 <= 0.05 ORDER BY (x ->> 'rank')::int LIMIT 1);
	v_count CONSTANT bigint := (SELECT count(*) FROM jsonb_array_elements(verdict_text.candidates) AS x
		WHERE (x ->> 'q')::float8 <= 0.05);
BEGIN
	SELECT r.*, count(*) OVER () AS findings INTO f FROM profiling.regression_history AS r
	WHERE r.benchmark_id = verdict_text.benchmark_id AND r.event = verdict_text.event
		AND r.branch = verdict_text.branch AND r.status IN ('open', 'acknowledged') AND r.kind = 'degradation'
	ORDER BY (r.level = 'metric'), abs(r.diff) DESC NULLS LAST, r.regression_id LIMIT 1;
	IF f.regression_id IS NOT NULL THEN
		RETURN format('Degraded: %s %s%s, since the run of %s%s; team: %s. %s open.', CASE f.level WHEN 'metric'
			THEN 'the metric' ELSE profiling.subject_text(f.subject) END, profiling.page_percent(f.relative),
			CASE WHEN f.level <> 'metric' THEN format(' (%s instead of %s)', profiling.page_value(f.actual, f.unit),
				profiling.page_value(f.expected, f.unit)) ELSE '' END,
			coalesce(profiling.page_time(f.first_started_at), 'unknown'),
			coalesce(' (commit ' || profiling.page_commit(f.first_commit) || ')', ''),
			coalesce(nullif(f.team, ''), 'nobody'),
			CASE f.findings WHEN 1 THEN 'One degradation is' ELSE f.findings || ' degradations are' END);
	END IF;
	IF runs < 2 THEN
		RETURN format('Nothing to compare with: there are fewer than two %s.', before);
	END IF;
	IF c IS NULL THEN
		RETURN format('Nothing stands out: no function differs from the %s %s by more than chance explains.', runs,
			before);
	END IF;
	RETURN format('%s from the %s %s (q at most 0.05), the most %s: %s instead of %s.', CASE v_count WHEN 1
		THEN 'One of the functions below differs' ELSE v_count || ' of the functions below differ' END, runs, before,
		c ->> 'frame',
		profiling.page_value((c ->> 'actual')::float8, unit), profiling.page_value((c ->> 'expected')::float8, unit));
END
$$;
COMMENT ON FUNCTION verdict_text(bigint, text, text, jsonb, int, text, text)
	IS 'a report in a sentence: what, by how much, since when, whose; before: what it is compared with, and runs: how '
		'many of them';

CREATE FUNCTION run_facts(benchmark_id bigint, test_run_id bigint, branch text, event text, unit text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT jsonb_build_array(jsonb_build_array('Suite', nullif(b.suite, '')),
			jsonb_build_array('Benchmark', b.name))
			|| CASE WHEN b.parameters = '{}' THEN '[]'::jsonb
				ELSE jsonb_build_array(jsonb_build_array('Parameters', b.parameters::text)) END
			|| jsonb_build_array(jsonb_build_array('Branch', nullif(run_facts.branch, '')),
				jsonb_build_array('Commit', nullif(t.commit, '')))
			|| CASE WHEN t.version = '' THEN '[]'::jsonb
				ELSE jsonb_build_array(jsonb_build_array('Version', t.version)) END
			|| jsonb_build_array(jsonb_build_array('Run', format('%s, %s', t.test_run_id,
				profiling.page_time(t.started_at))),
				jsonb_build_array('Event', format('%s, in %s', run_facts.event, run_facts.unit)))
		FROM profiling.benchmark AS b, profiling.test_run AS t
		WHERE b.benchmark_id = run_facts.benchmark_id AND t.test_run_id = run_facts.test_run_id);
END
$$;
COMMENT ON FUNCTION run_facts(bigint, bigint, text, text, text) IS 'what a page is about, for its facts';

CREATE FUNCTION candidate_columns(unit text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN '[{"name": "rank", "label": "Rank", "kind": "number"}, {"name": "frame", "label": "Function", "link":
		"link"}]'
		|| jsonb_build_array(jsonb_build_object('name', 'expected', 'label', 'Expected', 'kind', 'number', 'unit',
			unit),
			jsonb_build_object('name', 'actual', 'label', 'Actual', 'kind', 'number', 'unit', unit),
			jsonb_build_object('name', 'diff', 'label', 'Diff', 'kind', 'number', 'signed', true, 'unit',
				unit))
		|| '[{"name": "score", "label": "Score", "kind": "number"}, {"name": "q", "label": "q", "kind": "number"},
			{"name": "status", "label": "Status", "kind": "status"}, {"name": "series", "label": "Values",
				"kind": "spark"},
			{"name": "arrow", "label": "Share", "kind": "arrow"}]'::jsonb;
END
$$;
COMMENT ON FUNCTION candidate_columns(text) IS 'the columns of the candidates of a report';

CREATE FUNCTION candidate_section(c jsonb, rows jsonb, fg flamegraph, unit text, trend text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN jsonb_build_object('details', format('Candidate %s: %s', c ->> 'rank', c ->> 'frame'), 'anchor',
		'candidate-' || (c ->> 'rank'), 'sections',
		jsonb_build_array(jsonb_build_object('table', jsonb_build_array(c - 'link'), 'columns',
				profiling.candidate_columns(unit) #- '{1,link}'))
		|| CASE WHEN trend IS NULL THEN '[]' ELSE jsonb_build_array(jsonb_build_object('svg', trend)) END
		|| profiling.trace_sections(rows, (c ->> 'rank')::int, 'child'::text)
		|| profiling.trace_sections(rows, (c ->> 'rank')::int, 'parent'::text)
		|| jsonb_build_array(jsonb_build_object('svg', profiling.page_sandwich(fg, c ->> 'frame', unit), 'caption',
			'Above the function its callers, below it what it calls; values are the actual ones')));
END
$$;
COMMENT ON FUNCTION candidate_section(jsonb, jsonb, flamegraph, text, text)
	IS 'all about one candidate, as a part of a page that opens; trend: a picture, null where there is none';

CREATE FUNCTION how_computed(window_size int, runs int, starts timestamptz[], measure text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_side CONSTANT record := profiling.compared_sides(starts);
BEGIN
	RETURN jsonb_build_object('details', 'How this was computed', 'sections', jsonb_build_array(
		jsonb_build_object('text',
			format('Expected is the mean of the %s %s%s; actual is the value of %s, diff their difference. Values are '
				'those of measure "%s".', runs, v_side.before, CASE WHEN starts IS NULL THEN format(' on the same '
				'branch (the window is %s), each the mean of its repetitions', window_size) ELSE '' END, v_side.now,
				measure)),
		jsonb_build_object('text',
			format('Score is diff in standard deviations of the %s, which are at least those of a count of samples: a '
				'score of 2 lies on the edge of the band of 2 deviations. q is the probability of a difference like '
				'this by chance (t test), corrected for the number of functions (Benjamini and Hochberg).',
				v_side.before)),
		jsonb_build_object('text',
			format('Status: + seen for the first time, - not seen any more. Values: of the %s, and of %s last. '
				'Share: the arrow between the share of the function before and now; up costs more.', v_side.before,
				v_side.now)),
		jsonb_build_object('text',
			'Child traces are read from the bottom: the candidate stands there and each row above is called by the '
			'one below it. Parent traces are read from the top: each row calls the one above it. Candidate diff and '
			'score '
			'are the candidate''s in the call stack so far.'),
		jsonb_build_object('text',
			'Candidates are looked for and followed as by Lundberg and Rettig (2024); report() has the same rows '
			'in SQL, report_text() in Markdown.')));
END
$$;
COMMENT ON FUNCTION how_computed(int, int, timestamptz[], text)
	IS 'how to read a report, as a part of a page that opens; starts: as compared_sides() has them';

CREATE FUNCTION page_candidates(rows jsonb, fgs flamegraph[], history flamegraph[], current flamegraph, window_size int,
		measure text, poisson_unit float8) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_frames CONSTANT text[] := ARRAY(SELECT x.row ->> 'frame' FROM jsonb_array_elements(rows) AS x (row)
		WHERE x.row ->> 'section' = 'candidate');
BEGIN
	RETURN (SELECT coalesce(jsonb_agg(x.row || jsonb_build_object('q', q.q_value, 'arrow', a.arrow, 'link',
			'candidate-' || (x.row ->> 'rank'), 'series', s.series) ORDER BY (x.row ->> 'rank')::int), '[]')
		FROM jsonb_array_elements(page_candidates.rows) AS x (row)
			LEFT JOIN profiling.page_scores(page_candidates.history, page_candidates.current,
				page_candidates.window_size,
				page_candidates.measure, page_candidates.poisson_unit, v_frames) AS q ON q.frame = x.row ->> 'frame'
			LEFT JOIN profiling.page_arrows(page_candidates.history, page_candidates.current, v_frames) AS a
				ON a.frame = x.row ->> 'frame'
			LEFT JOIN (SELECT p.frame, jsonb_agg(p.value ORDER BY p.n) AS series
				FROM profiling.page_series(page_candidates.fgs, v_frames, page_candidates.measure) AS p GROUP BY
					p.frame) AS s
				ON s.frame = x.row ->> 'frame'
		WHERE x.row ->> 'section' = 'candidate');
END
$$;
COMMENT ON FUNCTION page_candidates(jsonb, flamegraph[], flamegraph[], flamegraph, int, text, float8)
	IS 'the candidates of a report with what a page has besides: q, the arrow, and their values in the last runs';

CREATE FUNCTION candidate_trend(c jsonb, starts timestamptz[], window_size int, poisson_unit float8, unit text,
		findings jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- The pods of a deploy are of one hour.
	IF starts[1] = starts[cardinality(starts)] THEN
		RETURN NULL;
	END IF;
	RETURN (SELECT profiling.page_trend(candidate_trend.starts, array_agg(m.value ORDER BY m.n),
			array_agg(m.mean ORDER BY m.n), array_agg(m.mean - 2 * m.spread ORDER BY m.n),
			array_agg(m.mean + 2 * m.spread ORDER BY m.n), candidate_trend.window_size, 2::float8, NULL::int[],
			candidate_trend.findings, NULL::text[], candidate_trend.c ->> 'frame', candidate_trend.unit, 900, 320,
			'{}'::jsonb)
		FROM (SELECT s.n, s.value, s.mean, CASE WHEN s.spread IS NOT NULL THEN greatest(s.spread,
				sqrt(candidate_trend.poisson_unit * greatest(s.mean, candidate_trend.poisson_unit))) END AS spread
			FROM (SELECT v.n, v.value, avg(v.value) OVER w AS mean, stddev_samp(v.value) OVER w AS spread
				FROM (SELECT e.n, e.value::float8 AS value
					FROM jsonb_array_elements_text(candidate_trend.c -> 'series') WITH ORDINALITY AS e (value, n)) AS v
				WINDOW w AS (ORDER BY v.n ROWS BETWEEN candidate_trend.window_size PRECEDING AND 1 PRECEDING)) AS s) AS
					m);
END
$$;
COMMENT ON FUNCTION candidate_trend(jsonb, timestamptz[], int, float8, text, jsonb)
	IS 'a candidate over the last runs, with the band that its score is about; null where these are of one time';

CREATE FUNCTION metric_trend(benchmark_id bigint, event text, unit text, branch text, window_size int, runs int,
		until timestamptz, title text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT profiling.page_trend(t.starts, t.ys, t.means, t.lowers, t.uppers, metric_trend.window_size,
		2::float8,
			profiling.page_changes(t.ys), profiling.page_findings(metric_trend.benchmark_id, metric_trend.event,
				metric_trend.branch, NULL::text, t.ids), NULL::text[], metric_trend.title, t.unit, 900, 360,
					'{}'::jsonb)
		FROM (SELECT array_agg(x.test_run_id ORDER BY x.started_at, x.test_run_id) AS ids,
				array_agg(x.started_at ORDER BY x.started_at, x.test_run_id) AS starts,
				array_agg(x.value ORDER BY x.started_at, x.test_run_id) AS ys,
				array_agg(x.mean ORDER BY x.started_at, x.test_run_id) AS means,
				array_agg(x.lower ORDER BY x.started_at, x.test_run_id) AS lowers,
				array_agg(x.upper ORDER BY x.started_at, x.test_run_id) AS uppers, max(x.value_unit) AS unit
			FROM profiling.page_runs_of(metric_trend.benchmark_id, metric_trend.event, metric_trend.unit,
				metric_trend.branch, metric_trend.window_size, 2::float8, metric_trend.runs, 'metric'::text,
				metric_trend.until) AS x) AS t
		WHERE t.ids IS NOT NULL);
END
$$;
COMMENT ON FUNCTION metric_trend(bigint, text, text, text, int, int, timestamptz, text)
	IS 'the metric of a benchmark over its last runs up to a time, with change points and findings';

-- Not of a service, which has no metric, and whose candidates have trends of their own.
CREATE FUNCTION since_when(benchmark_id bigint, event text, unit text, branch text, window_size int, runs int,
		run_id bigint, title text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN jsonb_build_array(jsonb_build_object('heading', 'Since when'), jsonb_build_object('svg',
		profiling.metric_trend(benchmark_id, event, unit, branch, window_size, runs,
			(SELECT t.started_at FROM profiling.test_run AS t WHERE t.test_run_id = run_id), title)));
END
$$;
COMMENT ON FUNCTION since_when(bigint, text, text, text, int, int, bigint, text)
	IS 'metric_trend() up to a run, as a part of a page';

CREATE FUNCTION where_section(history flamegraph[], current flamegraph, name text, unit text, window_size int,
		poisson_unit float8, starts timestamptz[]) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_side CONSTANT record := profiling.compared_sides(starts);
BEGIN
	RETURN jsonb_build_array(jsonb_build_object('heading', 'Where'), jsonb_build_object('svg',
		CASE WHEN cardinality(history) > 0 THEN profiling.page_difference(history, current, format(
			'%s %s against %s', cardinality(history), v_side.before, v_side.now), unit, window_size, poisson_unit)
		ELSE profiling.page_flame(current, name, unit) END));
END
$$;
COMMENT ON FUNCTION where_section(flamegraph[], flamegraph, text, text, int, float8, timestamptz[])
	IS 'a run against the runs before as a picture of a page, or alone where there are none; starts: as '
		'compared_sides() has them';

CREATE FUNCTION candidate_sections(benchmark_id bigint, event text, branch text, unit text, candidates jsonb, rows
	jsonb,
		current flamegraph, ids bigint[], starts timestamptz[], window_size int, poisson_unit float8) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF candidates = '[]' THEN
		RETURN candidates;
	END IF;
	RETURN jsonb_build_array(jsonb_build_object('heading', 'Candidates'))
		|| (SELECT jsonb_agg(profiling.candidate_section(c, rows, current, unit, profiling.candidate_trend(c, starts,
				window_size, poisson_unit, unit, profiling.page_findings(benchmark_id, event, branch, c ->> 'frame',
					ids)))
				ORDER BY n)
			FROM jsonb_array_elements(candidates) WITH ORDINALITY AS e (c, n));
END
$$;
COMMENT ON FUNCTION candidate_sections(bigint, text, text, text, jsonb, jsonb, flamegraph, bigint[], timestamptz[], int,
	float8) IS 'all candidates of a report as parts of a page';

CREATE FUNCTION page_history(benchmark_id bigint, event text, unit text, branch text, run_id bigint, runs int,
		history flamegraph[], current flamegraph, service_starts timestamptz[], OUT ids bigint[],
		OUT starts timestamptz[], OUT fgs flamegraph[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF service_starts IS NOT NULL THEN
		-- Hours of a service are no runs, but for that which has the finding.
		starts := service_starts;
		ids := array_fill(NULL::bigint, ARRAY[cardinality(history)]) || page_history.run_id;
		fgs := history || current;
		RETURN;
	END IF;
	ids := profiling.runs_before(page_history.benchmark_id, page_history.event, page_history.unit,
		page_history.branch, page_history.run_id, 'window:' || greatest(runs - 1, 1)) || page_history.run_id;
	starts := ARRAY(SELECT t.started_at FROM unnest(ids) WITH ORDINALITY AS u (id, n)
		JOIN profiling.test_run AS t ON t.test_run_id = u.id ORDER BY u.n);
	IF cardinality(history) >= 2 THEN
		fgs := (profiling.run_means(page_history.benchmark_id, page_history.event, page_history.unit, ids)).fgs;
	END IF;
END
$$;
COMMENT ON FUNCTION page_history(bigint, text, text, text, bigint, int, flamegraph[], flamegraph, timestamptz[])
	IS 'the runs that the trends of a page show: their numbers, starts and mean profiles, where there are enough to '
		'compare; of a service its hours';

CREATE FUNCTION report_html(benchmark_id bigint, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS
	text
	LANGUAGE plpgsql STABLE COST 100000 SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := coalesce(report_html.options, '{}');
	v_runs CONSTANT int := profiling.page_runs(v_options, 30);
	v_theme CONSTANT jsonb := jsonb_strip_nulls(jsonb_build_object('theme', v_options -> 'theme'));
	i CONSTANT record := profiling.report_inputs(report_html.benchmark_id, report_html.test_run_id,
		v_options - '{theme,runs}'::text[]);
	v_measure CONSTANT text := coalesce(i.others ->> 'metric', 'total');
	v_unit_of CONSTANT float8 := (i.others ->> 'poisson_unit')::float8;
	v_facts CONSTANT jsonb := profiling.run_facts(report_html.benchmark_id, i.run_id, i.branch, i.event, i.unit);
	v_name CONSTANT text := (SELECT b.name FROM profiling.benchmark AS b
		WHERE b.benchmark_id = report_html.benchmark_id);
	v_shown CONSTANT record := profiling.page_history(report_html.benchmark_id, i.event, i.unit, i.branch, i.run_id,
		v_runs, i.history, i.current, i.starts);
	v_ids CONSTANT bigint[] := v_shown.ids;
	v_starts CONSTANT timestamptz[] := v_shown.starts;
	v_earlier CONSTANT int := cardinality(i.history);
	v_before CONSTANT text := (profiling.compared_sides(i.starts)).before;
	v_rows jsonb := '[]';
	v_candidates jsonb := '[]';
	v_sections jsonb;
	v_open CONSTANT jsonb := profiling.finding_rows(report_html.benchmark_id, i.event, i.branch, false);
BEGIN
	-- A deviation needs two runs.
	IF v_earlier >= 2 THEN
		v_rows := (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM profiling.report_rows(i.history, i.current,
			i.candidates,
			i.selection, i.others) AS r);
		v_candidates := profiling.page_candidates(v_rows, v_shown.fgs, i.history, i.current, i.window_size, v_measure,
			v_unit_of);
	END IF;
	v_sections := jsonb_build_array(jsonb_build_object('facts', v_facts || jsonb_build_array(CASE WHEN i.starts IS NULL
		THEN jsonb_build_array('Window', format('%s runs, of which there are %s', i.window_size, v_earlier))
		ELSE jsonb_build_array('Compared with', format('%s %s', v_earlier, v_before)) END)));
	IF v_candidates <> '[]' THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Overview'),
			jsonb_build_object('table', v_candidates, 'columns', profiling.candidate_columns(i.unit), 'caption',
				'The functions that differ most from the ' || v_before));
	END IF;
	v_sections := v_sections || profiling.where_section(i.history, i.current, v_name, i.unit, i.window_size, v_unit_of,
		i.starts);
	v_sections := v_sections || CASE WHEN i.starts IS NULL
			THEN profiling.since_when(report_html.benchmark_id, i.event, i.unit, i.branch, i.window_size, v_runs,
				i.run_id, v_name)
			ELSE '[]' END
		|| profiling.finding_section('Whose'::text, v_open, false,
			'Open findings of this benchmark, event and branch'::text, 'No finding is open.'::text);
	v_sections := v_sections || profiling.candidate_sections(report_html.benchmark_id, i.event, i.branch, i.unit,
		v_candidates,
		v_rows, i.current, v_ids, v_starts, i.window_size, v_unit_of);
	v_sections := v_sections || profiling.how_computed(i.window_size, v_earlier, i.starts, v_measure);
	RETURN profiling.page_of(format('%s: run %s, %s', v_name, i.run_id,
		profiling.page_time(v_starts[cardinality(v_starts)])),
		v_sections, v_theme || jsonb_build_object('subtitle', profiling.verdict_text(report_html.benchmark_id, i.event,
			i.branch, v_candidates, v_earlier, v_before, i.unit)));
END
$$;
COMMENT ON FUNCTION report_html(bigint, bigint, jsonb)
	IS 'report() as a page of HTML (Lundberg & Rettig 2024, appendix B): the verdict, what it is of, the candidates '
		'with q '
		'and their last values, where the difference is, since when, whose findings are open, and each candidate with '
		'its '
		'trend, its traces and its callers and callees; the options of report(), theme (auto, light, dark) and runs '
		'(30) '
		'of trends';

--
-- the page of a night
--

CREATE FUNCTION newest_day() RETURNS timestamptz
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT date_trunc('day'::text, max(r.started_at) AT TIME ZONE 'UTC'::text) AT TIME ZONE 'UTC'::text
		FROM rollup AS r WHERE r.span = 'run' AND has_begun(r.started_at);
	END;
COMMENT ON FUNCTION newest_day() IS 'the begin of the newest day, in UTC, on which there are runs';

CREATE FUNCTION series_of_night(since timestamptz)
	RETURNS TABLE (benchmark_id bigint, event text, unit text, branch text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT DISTINCT ON (r.benchmark_id, r.branch) r.benchmark_id, r.event, r.unit, r.branch
		FROM rollup AS r
		WHERE r.span = 'run' AND r.started_at >= series_of_night.since AND has_begun(r.started_at)
		-- One event of each: cpu where there is one, as the metric is the same for all.
		ORDER BY r.benchmark_id, r.branch, (r.event = 'cpu') DESC, r.event COLLATE "C", r.unit COLLATE "C";
	END;
COMMENT ON FUNCTION series_of_night(timestamptz)
	IS 'benchmarks and branches with a run since a time, one event and unit of each';

CREATE FUNCTION night_lines(since timestamptz, runs int)
	RETURNS TABLE (benchmark_id bigint, suite text, name text, parameters jsonb, event text, unit text, branch text,
		test_run_id bigint, value float8, value_unit text, change float8, score float8, degradations bigint,
		optimizations bigint, starts timestamptz[], series float8[])
	LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT k.benchmark_id, b.suite, b.name, b.parameters, k.event, k.unit, k.branch, n.test_run_id, n.value,
		n.value_unit,
		profiling.ratio(n.value - n.mean, abs(n.mean)), profiling.ratio(n.value - n.mean, n.stddev),
		(SELECT count(*) FROM profiling.findings_of(k.benchmark_id) AS f WHERE f.branch = k.branch
			AND f.status IN ('open', 'acknowledged') AND f.kind = 'degradation'),
		(SELECT count(*) FROM profiling.findings_of(k.benchmark_id) AS f WHERE f.branch = k.branch
			AND f.status IN ('open', 'acknowledged') AND f.kind = 'optimization'), n.starts, n.series
	FROM profiling.series_of_night(night_lines.since) AS k
		JOIN profiling.benchmark AS b ON b.benchmark_id = k.benchmark_id
		CROSS JOIN LATERAL (SELECT (array_agg(x.test_run_id ORDER BY x.started_at DESC, x.test_run_id DESC))[1] AS
			test_run_id,
				(array_agg(x.value ORDER BY x.started_at DESC, x.test_run_id DESC))[1] AS value, max(x.value_unit) AS
					value_unit,
				(array_agg(x.mean ORDER BY x.started_at DESC, x.test_run_id DESC))[1] AS mean,
				(array_agg(x.stddev ORDER BY x.started_at DESC, x.test_run_id DESC))[1] AS stddev,
				array_agg(x.started_at ORDER BY x.started_at, x.test_run_id) AS starts,
				array_agg(x.value ORDER BY x.started_at, x.test_run_id) AS series
			FROM profiling.page_runs_of(k.benchmark_id, k.event, k.unit, k.branch, 10, 2::float8, night_lines.runs,
				'metric'::text, 'infinity'::timestamptz) AS x) AS n;
END
$$;
COMMENT ON FUNCTION night_lines(timestamptz, int)
	IS 'each benchmark and branch that has runs since then: the newest run''s metric (or total) against the 10 before, '
		'open findings, the last so many values';

CREATE FUNCTION night_findings(since timestamptz, shown bigint[])
	RETURNS TABLE (team text, benchmark text, what text, kind text, status text, change float8, first_at timestamptz,
		first_commit text, is_new bool, link text)
	LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT coalesce(nullif(r.team, ''), 'nobody'), concat_ws(' ', r.name, nullif(nullif(r.event, 'cpu'), ''),
			nullif(r.branch, '')),
		CASE r.level WHEN 'metric' THEN 'the metric' ELSE profiling.subject_text(r.subject) END, r.kind, r.status,
		r.relative, r.first_started_at, r.first_commit, coalesce(r.last_started_at >= night_findings.since
			AND r.first_started_at >= night_findings.since, false),
		CASE WHEN r.benchmark_id = ANY (night_findings.shown) THEN 'benchmark-' || r.benchmark_id END
	FROM profiling.regression_history AS r
	WHERE r.status IN ('open', 'acknowledged')
		OR r.status = 'resolved' AND r.closed_at >= night_findings.since
	ORDER BY 1, (r.status = 'resolved'), (r.kind <> 'degradation'), abs(r.relative) DESC NULLS LAST, r.regression_id;
END
$$;
COMMENT ON FUNCTION night_findings(timestamptz, bigint[])
	IS 'findings that are open, and those that went away since, by team; is_new: first seen since then; link: to those '
		'benchmarks that the page shows';

CREATE FUNCTION night_verdict(lines int, findings jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	f CONSTANT record := (SELECT x FROM (SELECT
		count(*) FILTER (WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved') AS open,
		count(*) FILTER (WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved' AND (e ->> 'is_new')::bool)
			AS fresh,
		count(DISTINCT e ->> 'benchmark') FILTER (WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved')
			AS benchmarks,
		count(*) FILTER (WHERE e ->> 'status' = 'resolved') AS resolved
		FROM jsonb_array_elements(findings) AS e) AS x);
	v_teams CONSTANT text := (SELECT string_agg(format('%s %s', t.team, t.n), ', ' ORDER BY t.n DESC, t.team COLLATE
		"C")
		FROM (SELECT e ->> 'team' AS team, count(*) AS n FROM jsonb_array_elements(findings) AS e
			WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved' GROUP BY 1) AS t);
	v_worst CONSTANT jsonb := (SELECT e FROM jsonb_array_elements(findings) WITH ORDINALITY AS x (e, n)
		WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved'
		ORDER BY (e ->> 'is_new')::bool DESC, abs((e ->> 'change')::float8) DESC NULLS LAST, n LIMIT 1);
BEGIN
	IF f.open = 0 THEN
		RETURN format('All is well: no degradation is open in %s of this night%s.', CASE lines WHEN 1
			THEN 'the one benchmark' ELSE 'the ' || lines || ' benchmarks' END,
			CASE WHEN f.resolved > 0 THEN format('; %s went away', f.resolved) ELSE '' END);
	END IF;
	RETURN format('%s: %s of %s new. The largest: %s in %s %s, since %s. By team: %s.', CASE f.benchmarks WHEN 1
			THEN 'One benchmark is degraded' ELSE f.benchmarks || ' benchmarks are degraded' END, f.fresh,
		CASE f.open WHEN 1 THEN 'one finding is' ELSE f.open || ' findings are' END, v_worst ->> 'what',
		v_worst ->> 'benchmark', profiling.page_percent((v_worst ->> 'change')::float8), v_worst ->> 'since', v_teams);
END
$$;
COMMENT ON FUNCTION night_verdict(int, jsonb) IS 'a night in a sentence';

CREATE FUNCTION night_trends(since timestamptz, runs int, shown int) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT profiling.page_trend(array_agg(v.start ORDER BY o.n, v.at), array_agg(v.value ORDER BY o.n, v.at),
			NULL::float8[], NULL::float8[], NULL::float8[], 10, 2::float8, NULL::int[], '[]'::jsonb,
			array_agg(o.label ORDER BY o.n, v.at), 'Last runs of each benchmark'::text, NULL::text, 900, 150,
			'{"free_y": true, "columns": 3}'::jsonb)
		FROM (SELECT x.*, concat_ws(', ', concat_ws(' ', x.name, nullif(x.branch, ''), CASE WHEN x.same > 1
					THEN '(' || x.benchmark_id || ')' END), nullif(x.value_unit, '')) AS label
			FROM (SELECT l.*, row_number() OVER (ORDER BY l.degradations DESC, l.name COLLATE "C", l.branch COLLATE "C",
					l.benchmark_id) AS n, count(*) OVER (PARTITION BY l.name, l.branch, l.value_unit) AS same
				FROM profiling.night_lines(night_trends.since, night_trends.runs) AS l) AS x
			WHERE x.n <= night_trends.shown) AS o
			CROSS JOIN LATERAL unnest(o.starts, o.series) WITH ORDINALITY AS v (start, value, at));
END
$$;
COMMENT ON FUNCTION night_trends(timestamptz, int, int) IS
	'the metrics of the benchmarks of a night as small multiples';

CREATE FUNCTION night_details(benchmark_id bigint, name text, event text, unit text, branch text, runs int) RETURNS
	jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_rows CONSTANT jsonb := profiling.finding_rows(benchmark_id, NULL::text, NULL::text, false);
BEGIN
	RETURN jsonb_build_object('details', concat_ws(' ', name, nullif(branch, '')), 'anchor', 'benchmark-' ||
		benchmark_id,
		'sections', jsonb_build_array(
			jsonb_build_object('table', v_rows, 'columns', profiling.finding_columns(v_rows, false)),
			jsonb_build_object('svg', profiling.metric_trend(benchmark_id, event, unit, branch, 10, runs,
				'infinity'::timestamptz, name))));
END
$$;
COMMENT ON FUNCTION night_details(bigint, text, text, text, text, int)
	IS 'a benchmark with findings, as a part of the page of a night';

CREATE FUNCTION night_columns(of_findings bool) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF of_findings THEN
		RETURN '[{"name": "team", "label": "Team"},
				{"name": "benchmark", "label": "Benchmark", "link": "link"}, {"name": "what", "label": "What"},
				{"name": "change", "label": "Change", "kind": "share", "signed": true},
				{"name": "kind", "label": "Kind", "kind": "status"},
				{"name": "since", "label": "Since"}, {"name": "status", "label": "Status", "kind": "status"}]'::jsonb;
	END IF;
	RETURN '[{"name": "benchmark", "label": "Benchmark", "link": "link"}, {"name": "suite", "label": "Suite"},
				{"name": "branch", "label": "Branch"}, {"name": "metric", "label": "Metric"},
				{"name": "change", "label": "Change", "kind": "share", "signed": true},
				{"name": "score", "label": "Score", "kind": "number"},
				{"name": "degradations", "label": "Degradations", "kind": "number"},
				{"name": "optimizations", "label": "Optimizations", "kind": "number"},
				{"name": "series", "label": "Last runs", "kind": "spark"}]'::jsonb;
END
$$;
COMMENT ON FUNCTION night_columns(bool) IS 'the columns of the findings of a night, or of its benchmarks';

CREATE FUNCTION all_night_details(since timestamptz) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT jsonb_agg(profiling.night_details(d.benchmark_id, d.name, d.event, d.unit, d.branch, 50) ORDER BY
		d.degradations DESC,
		d.name COLLATE "C", d.benchmark_id)
	FROM (SELECT DISTINCT ON (l.benchmark_id) l.* FROM profiling.night_lines(all_night_details.since, 2) AS l
		WHERE l.degradations + l.optimizations > 0
		ORDER BY l.benchmark_id, l.degradations DESC, l.branch COLLATE "C") AS d);
END
$$;
COMMENT ON FUNCTION all_night_details(timestamptz) IS
	'night_details() of each benchmark that has findings; null for none';

CREATE FUNCTION night_html(since timestamptz DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE plpgsql STABLE COST 1000000 SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.page_options(options, VARIADIC '{theme,runs}'::text[]);
	v_runs CONSTANT int := profiling.page_runs(v_options, 20);
	v_since CONSTANT timestamptz := coalesce(night_html.since, profiling.newest_day());
	v_most_trends CONSTANT int := 99;
	v_lines jsonb;
	v_findings jsonb;
	v_sections jsonb;
	v_ids bigint[];
	v_last timestamptz;
BEGIN
	SELECT coalesce(jsonb_agg(jsonb_build_object('benchmark', concat_ws(' ', l.name, CASE WHEN l.parameters <> '{}'
				THEN l.parameters::text END), 'suite', nullif(l.suite, ''), 'branch', nullif(l.branch, ''),
			'metric', profiling.page_value(l.value, l.value_unit), 'change', l.change, 'score', l.score,
			'degradations', nullif(l.degradations, 0), 'optimizations', nullif(l.optimizations, 0), 'series', l.series,
			'link', CASE WHEN l.degradations + l.optimizations > 0 THEN 'benchmark-' || l.benchmark_id END)
			ORDER BY l.degradations DESC, abs(l.score) DESC NULLS LAST, l.name COLLATE "C", l.branch COLLATE "C",
			l.benchmark_id), '[]'),
		array_agg(DISTINCT l.benchmark_id) FILTER (WHERE l.degradations + l.optimizations > 0),
		max(l.starts[cardinality(l.starts)])
	INTO v_lines, v_ids, v_last FROM profiling.night_lines(v_since, v_runs) AS l;
	SELECT coalesce(jsonb_agg(to_jsonb(f) || jsonb_build_object('since', concat_ws(', ', coalesce(
			profiling.page_time(f.first_at), 'unknown'), profiling.page_commit(f.first_commit)))), '[]')
	INTO v_findings FROM profiling.night_findings(v_since, coalesce(v_ids, '{}')) AS f;
	v_sections := '[]';
	IF v_findings <> '[]' THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Findings by team'),
			jsonb_build_object('table', v_findings, 'columns', profiling.night_columns(true)));
	END IF;
	IF v_lines <> '[]' THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Benchmarks'),
			jsonb_build_object('table', v_lines, 'caption', 'The newest run of each against the 10 before', 'columns',
				profiling.night_columns(false)),
			jsonb_build_object('heading', 'Trends'), jsonb_build_object('svg', profiling.night_trends(v_since, v_runs,
				v_most_trends)) || CASE WHEN jsonb_array_length(v_lines) > v_most_trends THEN
					jsonb_build_object('caption',
				format('The first %s of %s; the table has them all.', v_most_trends, jsonb_array_length(v_lines)))
				ELSE '{}' END);
		v_sections := v_sections || coalesce(jsonb_build_array(jsonb_build_object('heading',
			'Benchmarks with findings'))
			|| profiling.all_night_details(v_since), '[]');
	END IF;
	RETURN profiling.page_of(CASE WHEN v_since IS NULL THEN 'Night' ELSE 'Night of ' ||
		left(profiling.page_time(v_since), 10)
		END, v_sections, jsonb_strip_nulls(jsonb_build_object('theme', v_options -> 'theme', 'subtitle',
			CASE WHEN v_lines = '[]' THEN 'There are no runs.' ELSE profiling.night_verdict(jsonb_array_length(v_lines),
				v_findings) END, 'notes', 'newest run: ' || profiling.page_time(v_last))));
END
$$;
COMMENT ON FUNCTION night_html(timestamptz, jsonb)
	IS 'a night as a page of HTML: the verdict, findings by team, a line for each benchmark that has runs since then '
		'(null: the newest day in UTC that has some), their trends, and those with findings in detail; options: theme '
		'(auto, light, dark), runs (20) of lines and trends';

--
-- the page of a benchmark
--

CREATE FUNCTION benchmark_verdict(benchmark_id bigint) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r record;
BEGIN
	SELECT h.*, count(*) OVER () AS findings INTO r FROM profiling.regression_history AS h
	WHERE h.benchmark_id = benchmark_verdict.benchmark_id AND h.status IN ('open', 'acknowledged')
		AND h.kind = 'degradation'
	ORDER BY (h.level = 'metric'), abs(h.diff) DESC NULLS LAST, h.regression_id LIMIT 1;
	RETURN coalesce(format('Degraded: %s %s since %s%s; team: %s. %s open.', CASE r.level WHEN 'metric' THEN
		'the metric'
			ELSE profiling.subject_text(r.subject) END, profiling.page_percent(r.relative),
		coalesce(profiling.page_time(r.first_started_at), 'unknown'), coalesce(' (commit '
			|| profiling.page_commit(r.first_commit) || ')', ''), coalesce(nullif(r.team, ''), 'nobody'),
			CASE r.findings WHEN 1 THEN 'One degradation is'
			ELSE r.findings || ' degradations are' END), 'No degradation is open.');
END
$$;
COMMENT ON FUNCTION benchmark_verdict(bigint) IS 'a benchmark in a sentence: what is degraded, since when, whose it is';

CREATE FUNCTION benchmark_html(benchmark_id bigint, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE plpgsql STABLE COST 100000 SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.page_options(options, VARIADIC '{theme,runs,event,branch}'::text[]);
	v_runs CONSTANT int := profiling.page_runs(v_options, 50);
	v_name CONSTANT text := (SELECT b.name FROM profiling.benchmark AS b
		WHERE b.benchmark_id = benchmark_html.benchmark_id);
	v_sections jsonb;
	n record;
	v_means record;
	v_heat bigint[];
	v_open CONSTANT jsonb := profiling.finding_rows(benchmark_html.benchmark_id, NULL::text, NULL::text, false);
	v_closed CONSTANT jsonb := profiling.finding_rows(benchmark_html.benchmark_id, NULL::text, NULL::text, true);
BEGIN
	IF v_name IS NULL THEN
		RAISE EXCEPTION 'there is no benchmark %', coalesce(benchmark_html.benchmark_id::text, 'NULL')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Table profiling.benchmark lists them.';
	END IF;
	SELECT r.test_run_id, r.event, r.unit, r.branch, r.started_at INTO n FROM profiling.rollup AS r
	WHERE r.benchmark_id = benchmark_html.benchmark_id AND r.span = 'run' AND profiling.has_begun(r.started_at)
		AND (v_options ->> 'event' IS NULL OR r.event = v_options ->> 'event')
		AND (v_options ->> 'branch' IS NULL OR r.branch = v_options ->> 'branch')
	ORDER BY (r.event = 'cpu') DESC, r.started_at DESC, r.test_run_id DESC, r.event COLLATE "C", r.unit COLLATE "C"
		LIMIT 1;
	v_sections := '[]';
	IF n.test_run_id IS NULL THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('text', 'There are no runs.'));
	ELSE
		v_heat := profiling.runs_before(benchmark_html.benchmark_id, n.event, n.unit, n.branch, n.test_run_id,
			'window:29')
			|| n.test_run_id;
		v_means := profiling.run_means(benchmark_html.benchmark_id, n.event, n.unit, v_heat);
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('facts', profiling.run_facts(
				benchmark_html.benchmark_id, n.test_run_id, n.branch, n.event, n.unit)),
			jsonb_build_object('heading', 'Since when'),
			jsonb_build_object('svg', profiling.metric_trend(benchmark_html.benchmark_id, n.event, n.unit, n.branch, 10,
				v_runs, 'infinity'::timestamptz, v_name)));
	END IF;
	v_sections := v_sections || profiling.finding_section('Open findings'::text, v_open, false, NULL::text,
		'None.'::text);
	IF n.test_run_id IS NOT NULL THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Where'),
			jsonb_build_object('svg', profiling.page_heat(v_means.fgs, profiling.run_labels(v_heat),
				'Functions, run by run', n.unit)),
			jsonb_build_object('table', profiling.page_hot_rows(v_means.fgs, 20), 'caption',
				'Functions by their own value in the newest run, and in the runs before', 'columns', jsonb_build_array(
				jsonb_build_object('name', 'frame', 'label', 'Function'),
				jsonb_build_object('name', 'self', 'label', 'Self', 'kind', 'bar', 'unit', n.unit),
				jsonb_build_object('name', 'share', 'label', 'Share', 'kind', 'share'),
				jsonb_build_object('name', 'series', 'label', 'Last runs', 'kind', 'spark'))),
			jsonb_build_object('svg', profiling.page_flame(v_means.fgs[cardinality(v_means.fgs)], 'The newest run',
				n.unit)));
	END IF;
	v_sections := v_sections || profiling.finding_section('Closed findings'::text, v_closed, true, NULL::text,
		'None.'::text);
	RETURN profiling.page_of(v_name, v_sections, jsonb_strip_nulls(jsonb_build_object('theme', v_options -> 'theme',
		'subtitle', profiling.benchmark_verdict(benchmark_html.benchmark_id))));
END
$$;
COMMENT ON FUNCTION benchmark_html(bigint, jsonb)
	IS 'a benchmark as a page of HTML: the verdict, its metric over the last runs with change points and findings, '
		'open '
		'findings, its functions run by run, the flame graph of the newest run, closed findings; options: theme (auto, '
		'light, dark), runs (50) of the trend, event and branch (those of the newest run, cpu first)';
