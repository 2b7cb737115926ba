
--
-- the report of Lundberg & Rettig 2024, appendix B
--

CREATE FUNCTION ages_of(fg flamegraph, test_run_id bigint) RETURNS jsonb
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.jsonb_object_agg(a.frame, a.age), '{}'::jsonb)
		FROM (SELECT f.frame, extract(epoch FROM t.started_at - max(c.committed_at))::float8 AS age
			FROM pg_catalog.unnest(frames(ages_of.fg)) AS f (frame) JOIN frame_commit AS c
				ON stackpath(ARRAY[f.frame]) ~ c.pattern
				JOIN test_run AS t ON t.test_run_id = ages_of.test_run_id
			WHERE c.committed_at <= t.started_at AND isfinite(c.committed_at)
			GROUP BY f.frame, t.started_at) AS a;
	END;
COMMENT ON FUNCTION ages_of(flamegraph, bigint)
	IS 'how many seconds before a run the code of each function of a profile was last committed, by frame_commit, as '
		'the option ages of the searches';

CREATE FUNCTION deploy_inputs(service_id bigint, event text, unit text, hour timestamptz, version text, before text,
		OUT history flamegraph[], OUT current flamegraph, OUT starts timestamptz[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_first CONSTANT timestamptz := (SELECT n.first FROM profiling.new_versions(deploy_inputs.service_id,
		deploy_inputs.event, deploy_inputs.unit, deploy_inputs.hour) AS n WHERE n.version = deploy_inputs.version);
	v_old record;
	v_new record;
BEGIN
	IF v_first IS NULL THEN
		RETURN;
	END IF;
	v_old := profiling.pods_of_version(deploy_inputs.service_id, deploy_inputs.event, deploy_inputs.unit,
		deploy_inputs.before, v_first);
	v_new := profiling.pods_of_version(deploy_inputs.service_id, deploy_inputs.event, deploy_inputs.unit,
		deploy_inputs.version, v_first);
	IF least(cardinality(v_old.shares), cardinality(v_new.shares)) < 2 THEN
		RETURN;
	END IF;
	history := profiling.at_speed_of(v_old.shares, v_old.shares);
	current := profiling.mean_of(profiling.at_speed_of(v_old.shares, v_new.shares));
	starts := array_fill(deploy_inputs.hour, ARRAY[cardinality(history) + 1]);
END
$$;
COMMENT ON FUNCTION deploy_inputs(bigint, text, text, timestamptz, text, text)
	IS 'what a report on a deploy is made from: the pods with the version before and the mean of those with the new '
		'one, of which found_in_deploy() is; nothing where they are not there any more';

CREATE FUNCTION service_inputs(benchmark_id bigint, test_run_id bigint, event text, OUT run_id bigint, OUT unit text,
		OUT history flamegraph[], OUT current flamegraph, OUT of_sample float8, OUT starts timestamptz[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r record;
	w profiling.service_watch;
	h profiling.hour_facts;
	v_season record;
	v_since int;
	v_start timestamptz;
	v_sum record;
	v_raw profiling.means;
BEGIN
	SELECT f.unit, f.baseline, a.started_at AS first, a.version, s.service_id, s.name, t.test_run_id, t.started_at
	INTO r
	FROM profiling.regression AS f JOIN profiling.test_run AS a ON a.test_run_id = f.first_test_run_id
		JOIN profiling.test_run AS t ON t.test_run_id = coalesce(service_inputs.test_run_id, f.last_test_run_id)
		JOIN profiling.service AS s ON s.name = t.labels ->> 'service'
	WHERE f.benchmark_id = service_inputs.benchmark_id AND f.event = service_inputs.event AND f.method = 'service'
		AND t.started_at >= a.started_at
	ORDER BY t.started_at DESC, f.regression_id DESC LIMIT 1;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	unit := r.unit;
	w := profiling.service_watch_of(r.name, service_inputs.event);
	h := profiling.hour_of_service(w, r.service_id, service_inputs.event, substr(unit, length('% of ') + 1),
		r.started_at);
	IF h.profile IS NULL THEN
		RETURN;
	END IF;
	run_id := r.test_run_id;
	IF r.started_at = r.first AND r.baseline LIKE 'version:%' THEN
		SELECT d.history, d.current, d.starts INTO history, current, starts
		FROM profiling.deploy_inputs(r.service_id, h.event, h.unit, r.first, r.version,
			substr(r.baseline, length('version:') + 1)) AS d;
		IF history IS NOT NULL THEN
			RETURN;
		END IF;
	END IF;
	v_season := profiling.season_of(w.baseline);
	-- as service_history(): days that have a finding are no history of it
	v_since := floor(extract(epoch FROM r.started_at - r.first) / extract(epoch FROM v_season.period))::int + 1;
	starts := '{}';
	FOR k IN REVERSE v_since + v_season.periods - 1 .. v_since LOOP
		v_start := (r.started_at AT TIME ZONE 'UTC' - v_season.period * k) AT TIME ZONE 'UTC';
		v_sum := profiling.service_sum(r.service_id, h.event, h.unit, v_start, v_start + interval '1 hour');
		IF v_sum.profiles >= w.min_profiles AND v_sum.total > 0 THEN
			v_raw.fgs := v_raw.fgs || v_sum.profile;
			starts := starts || v_start;
		END IF;
	END LOOP;
	v_raw.fgs := profiling.as_shares(v_raw.fgs);
	history := coalesce(profiling.at_speed_of(v_raw.fgs, v_raw.fgs), '{}');
	current := coalesce((profiling.at_speed_of(v_raw.fgs, ARRAY[h.profile]))[1], h.profile);
	of_sample := h.of_sample;
	starts := starts || r.started_at;
END
$$;
COMMENT ON FUNCTION service_inputs(bigint, bigint, text)
	IS 'what a report on a service is made from: an hour that a finding begins or ends with, by default the newest, '
		'and those of its baseline, in percent at a common speed; of the hour of a deploy what deploy_inputs() has; '
		'starts: when each began, the hour itself last; nothing where none is there any more';

CREATE FUNCTION report_inputs(benchmark_id bigint, test_run_id bigint, options jsonb, OUT run_id bigint, OUT event text,
		OUT unit text,
		OUT branch text, OUT window_size int, OUT history flamegraph[], OUT current flamegraph, OUT candidates int,
			OUT selection text, OUT others jsonb, OUT starts timestamptz[])
	-- The searches compute with the numbers in others.
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := coalesce(report_inputs.options, '{}');
	v_means record;
	s record;
BEGIN
	event := coalesce(v_options ->> 'event', 'cpu');
	candidates := coalesce((v_options ->> 'candidates')::int, 10);
	selection := coalesce(v_options ->> 'selection', 'deviation');
	window_size := coalesce((v_options ->> 'window_size')::int, 10);
	SELECT r.test_run_id, r.unit, r.branch INTO run_id, unit, branch FROM profiling.rollup AS r
	WHERE r.benchmark_id = report_inputs.benchmark_id AND r.event = report_inputs.event AND r.span = 'run'
		AND CASE WHEN report_inputs.test_run_id IS NULL THEN profiling.has_begun(r.started_at)
			ELSE r.test_run_id = report_inputs.test_run_id END
		AND (v_options ->> 'unit' IS NULL OR r.unit = v_options ->> 'unit')
	ORDER BY r.started_at DESC, r.test_run_id DESC, r.unit COLLATE "C" LIMIT 1;
	IF NOT FOUND THEN
		s := profiling.service_inputs(report_inputs.benchmark_id, report_inputs.test_run_id, event);
		IF s.run_id IS NULL THEN
			RAISE EXCEPTION 'there is no run to report on' USING ERRCODE = 'invalid_parameter_value',
				DETAIL = format('Benchmark %s, run %s, event %s.', coalesce(report_inputs.benchmark_id::text, 'NULL'),
					coalesce(report_inputs.test_run_id::text, 'of any number'), event);
		END IF;
		run_id := s.run_id;
		unit := s.unit;
		branch := '';
		history := s.history;
		current := s.current;
		starts := s.starts;
		window_size := greatest(cardinality(history), 1);
		others := jsonb_build_object('poisson_unit', coalesce(s.of_sample, 0))
			|| (v_options - ARRAY['event', 'unit', 'candidates', 'selection']);
		RETURN;
	END IF;
	IF window_size NOT BETWEEN 1 AND 999999 THEN
		RAISE EXCEPTION 'option "window_size" must be between 1 and 999999' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	v_means := profiling.run_means(report_inputs.benchmark_id, event, unit, ARRAY[run_id]);
	current := v_means.fgs[1];
	others := v_options - ARRAY['event', 'unit', 'candidates', 'selection'];
	IF NOT others ? 'poisson_unit' THEN
		others := others || jsonb_build_object('poisson_unit', v_means.of_sample);
	END IF;
	v_means := profiling.run_means(report_inputs.benchmark_id, event, unit,
		profiling.runs_before(report_inputs.benchmark_id, event, unit, branch, run_id, 'window:' || window_size));
	history := v_means.fgs;
	IF selection = 'informed' AND NOT others ? 'ages' THEN
		others := others || jsonb_build_object('ages', profiling.ages_of(current, run_id));
	END IF;
END
$$;
COMMENT ON FUNCTION report_inputs(bigint, bigint, jsonb)
	IS 'what a report on a run is made from: the mean profiles of the window_size runs before on its branch, oldest '
		'first, its own, and the options of the searches; of a service that of service_inputs(), with starts';

CREATE FUNCTION compared_sides(starts timestamptz[], OUT before text, OUT now text)
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF starts IS NULL THEN
		before := 'runs before';
		now := 'this run';
	ELSIF starts[1] < starts[cardinality(starts)] OR cardinality(starts) < 2 THEN
		before := 'hours before';
		now := 'this hour';
	ELSE
		before := 'instances with the version before';
		now := 'those with the new version';
	END IF;
END
$$;
COMMENT ON FUNCTION compared_sides(timestamptz[])
	IS 'what a report calls the two sides that it compares, by the starts of report_inputs(): runs of a benchmark, '
		'hours of a service, or the instances of a deploy, which are of one hour';

CREATE FUNCTION report_rows(history flamegraph[], current flamegraph, candidates int, selection text, others jsonb)
	RETURNS TABLE (rank int, section text, trace int, step int, frame text, expected float8, actual float8, diff float8,
		candidate_diff float8,
		score float8, raw_score float8, status text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.* FROM regression_report(report_rows.history, report_rows.current, report_rows.candidates,
			report_rows.selection,
			report_rows.others) AS r;
	END;
COMMENT ON FUNCTION report_rows(flamegraph[], flamegraph, int, text, jsonb)
	IS 'the rows of a report, from what report_inputs() returns';

CREATE FUNCTION report(benchmark_id bigint, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}')
	RETURNS TABLE (rank int, section text, trace int, step int, frame text, expected float8, actual float8, diff float8,
		candidate_diff float8,
		score float8, raw_score float8, status text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.* FROM report_inputs(report.benchmark_id, report.test_run_id, report.options) AS i,
			report_rows(i.history, i.current, i.candidates, i.selection, i.others) AS r;
	END;
COMMENT ON FUNCTION report(bigint, bigint, jsonb)
	IS 'regression_report() of a run (by default the newest) against the window_size (10) runs before on its branch; '
		'options: event (cpu), unit, candidates (10), selection (deviation or informed, whose ages come from '
		'frame_commit), and those of the searches';

-- A report is posted where Markdown is rendered, by a program that may have rights
-- there: no name in it may form markup, notify somebody or become a link. Backslashes
-- are for the renderer, &#8203; (a character without width) is for what looks for
-- mentions, references and addresses in the rendered text. Control characters of
-- Unicode are folded in UTF8 only; in other encodings their numbers are other characters.
CREATE FUNCTION markdown_cell(value text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(
			-- what starts a list, a rule or the underline of a heading
			regexp_replace(regexp_replace(regexp_replace(regexp_replace(replace(replace(replace(
				btrim(regexp_replace(markdown_cell.value, CASE WHEN getdatabaseencoding()::text = 'UTF8'
					THEN '[\u0001-\u0020\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+'
						ELSE '[\u0001-\u0020\u007f]+' END, ' '::text, 'g'::text)),
				'&'::text, '&amp;'::text), '<'::text, '&lt;'::text), '>'::text, '&gt;'::text),
				'([\\|`*_\[\]#~!$])'::text, '\\\1'::text, 'g'::text),
				'(@|:(?=//)|www(?=\.)|[#!](?=[0-9])|GH-(?=[0-9]))'::text, '\1&#8203;'::text, 'gi'::text),
				'^([-+=])'::text, '\\\1'::text),
				'^([0-9]+)([.)])(?= |$)'::text, '\1\\\2'::text), ''::text);
	END;
COMMENT ON FUNCTION markdown_cell(text)
	IS 'any text as it stands in a report in Markdown: on one line, without markup, mentions or links';

CREATE FUNCTION report_number(value float8, digits int DEFAULT 1) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN value IS NULL THEN '' WHEN abs(value) < 1e15::float8 THEN trim_scale(round(value::numeric,
			digits))::text ELSE value::text END;
	END;
COMMENT ON FUNCTION report_number(float8, int) IS 'a number as a report shows it';

CREATE FUNCTION report_head(benchmark_id bigint, test_run_id bigint, branch text, event text, unit text,
		window_size int, runs int, starts timestamptz[])
	RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h record;
	v_unit CONSTANT text := profiling.markdown_cell(report_head.unit);
	v_side CONSTANT record := profiling.compared_sides(report_head.starts);
BEGIN
	SELECT b.suite, b.name, b.parameters, t.started_at, t.commit, t.version INTO h
	FROM profiling.benchmark AS b, profiling.test_run AS t
	WHERE b.benchmark_id = report_head.benchmark_id AND t.test_run_id = report_head.test_run_id;
	IF NOT FOUND THEN
		RETURN NULL;
	END IF;
	RETURN '# Result' || E'\n\n'
		'The code paths that changed the most in ' || v_side.now || ', against the ' || v_side.before || E'.\n\n'
		'- **Expected:** mean of the ' || v_side.before || ', in ' || v_unit || E'\n'
		'- **Actual:** value of ' || v_side.now || E'\n'
		'- **Diff:** actual - expected' || E'\n'
		'- **Score:** diff in standard deviations of the ' || v_side.before || '; a score of 2 lies on the edge of the'
		' band of 2 deviations' || E'\n'
		'- **Status:** `+` seen for the first time, `-` not seen any more' || E'\n\n'
		'Child traces are read from the bottom: the candidate stands there and each row above is called by the one'
		' below it. Parent traces are read from the top: each row calls the one above it.'
		' Candidate diff and score are the candidate''s in the call stack so far.' || E'\n\n'
		'## Parameters' || E'\n\n'
		'- **Benchmark group:** ' || profiling.markdown_cell(h.suite) || E'\n'
		'- **Benchmark name:** ' || profiling.markdown_cell(h.name) || E'\n'
		|| CASE WHEN h.parameters <> '{}'
			THEN '- **Benchmark parameters:** ' || profiling.markdown_cell(h.parameters::text) || E'\n' ELSE '' END
		|| '- **Git branch:** ' || profiling.markdown_cell(report_head.branch) || E'\n'
		'- **Commit:** ' || profiling.markdown_cell(h.commit) || E'\n'
		|| CASE WHEN h.version <> '' THEN '- **Version:** ' || profiling.markdown_cell(h.version) || E'\n' ELSE '' END
		|| '- **Run:** ' || report_head.test_run_id || ', '
		|| coalesce(to_char(h.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC', 'unknown') || E'\n'
		'- **Event:** ' || profiling.markdown_cell(report_head.event) || ', in ' || v_unit || E'\n'
		|| CASE WHEN report_head.starts IS NULL THEN '- **Window:** ' || report_head.window_size
			|| ' runs, of which there are ' || report_head.runs
			ELSE '- **Compared with:** ' || report_head.runs || ' ' || v_side.before END || E'\n';
END
$$;
COMMENT ON FUNCTION report_head(bigint, bigint, text, text, text, int, int, timestamptz[])
	IS 'what report_text() says before its overview: how it is read, and of what it is; runs: how many there are in '
		'the window; starts: as compared_sides() has them; null for a benchmark or a run that is not there';

CREATE FUNCTION report_text(benchmark_id bigint, test_run_id bigint DEFAULT NULL,
		options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	i CONSTANT record := profiling.report_inputs(report_text.benchmark_id, report_text.test_run_id,
		report_text.options);
	v_text CONSTANT text := profiling.report_head(report_text.benchmark_id, i.run_id, i.branch, i.event, i.unit,
		i.window_size, cardinality(i.history), i.starts);
	v_overview text := '';
	v_body text := '';
	c record;
BEGIN
	-- A deviation needs two runs.
	IF cardinality(i.history) < 2 THEN
		RETURN v_text || format(E'\n## Overview\n\nNothing to report: there are fewer than two %s.\n',
			(profiling.compared_sides(i.starts)).before);
	END IF;
	FOR c IN
		WITH r AS MATERIALIZED (
			SELECT * FROM profiling.report_rows(i.history, i.current, i.candidates, i.selection, i.others)
		), traces AS (
			SELECT x.rank, x.section, x.trace,
				format(E'\n### %s trace %s\n\n| Trace | Diff | Candidate Diff | Candidate Score | Status |\n'
					'|---|--:|--:|--:|---|\n%s', initcap(x.section), x.trace,
				string_agg(format(E'| %s | %s | %s | %s | %s |\n', profiling.markdown_cell(x.frame),
					profiling.report_number(x.diff, 1), profiling.report_number(x.candidate_diff, 1),
					profiling.report_number(x.score, 4), x.status), '' ORDER BY CASE x.section
						WHEN 'child' THEN - x.step ELSE x.step END)) AS page
			FROM r AS x
			WHERE x.section IN ('child', 'parent')
			-- a trace of one row is the candidate itself
			GROUP BY x.rank, x.section, x.trace HAVING count(*) > 1
		)
		SELECT r.*, (SELECT string_agg(t.page, '' ORDER BY t.section, t.trace) FROM traces AS t
			WHERE t.rank = r.rank) AS traces
		FROM r WHERE r.section = 'candidate' ORDER BY r.rank
	LOOP
		v_overview := v_overview || format(E'| %s | %s | %s | %s |\n', c.rank, profiling.markdown_cell(c.frame),
			profiling.report_number(c.diff, 1), profiling.report_number(c.score, 4));
		v_body := v_body || format(E'\n## Candidate %s\n\n| Code Path | Expected | Actual | Diff | Score | Status |\n'
			'|---|--:|--:|--:|--:|---|\n'
			'| %s | %s | %s | %s | %s | %s |\n', c.rank, profiling.markdown_cell(c.frame),
				profiling.report_number(c.expected, 1), profiling.report_number(c.actual, 1),
			profiling.report_number(c.diff, 1), profiling.report_number(c.score, 4), c.status)
				|| coalesce(c.traces, '');
	END LOOP;
	IF v_overview = '' THEN
		RETURN v_text || E'\n## Overview\n\nNothing to report: no function deviates.\n';
	END IF;
	RETURN v_text || E'\n## Overview\n\n| Candidate | Code Path | Diff | Score |\n|--:|---|--:|--:|\n' || v_overview
		|| v_body;
END
$$;
COMMENT ON FUNCTION report_text(bigint, bigint, jsonb)
	IS 'report() as a Markdown page: parameters, overview, and each candidate with its call stacks (Lundberg & Rettig '
		'2024, appendix B); the same options';
