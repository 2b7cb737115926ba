
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
