
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
