
--
-- a benchmark by its name
--

CREATE FUNCTION benchmark_called(name text, suite text DEFAULT '%') RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_suite CONSTANT text := coalesce(benchmark_called.suite, '%');
	v_ids CONSTANT bigint[] := ARRAY(SELECT b.benchmark_id FROM profiling.benchmark AS b
		WHERE b.name = benchmark_called.name AND b.suite LIKE v_suite ORDER BY b.benchmark_id);
BEGIN
	IF cardinality(v_ids) = 1 THEN
		RETURN v_ids[1];
	END IF;
	IF cardinality(v_ids) > 1 THEN
		RAISE EXCEPTION 'there are % benchmarks "%"', cardinality(v_ids), benchmark_called.name
			USING ERRCODE = 'too_many_rows', DETAIL = (SELECT format('They are %s.', string_agg(format(
				'%s (suite "%s", parameters %s)', b.benchmark_id, profiling.printable(b.suite),
				profiling.printable(left(b.parameters::text, 200))), ', '
				ORDER BY b.benchmark_id))
			FROM profiling.benchmark AS b WHERE b.benchmark_id = ANY (v_ids[:10])),
			HINT = 'Give the number of one of them.';
	END IF;
	-- Drivers that send every parameter as text send numbers so, too.
	IF benchmark_called.name ~ '^[0-9]{1,18}$' AND EXISTS (SELECT 1 FROM profiling.benchmark AS b
			WHERE b.benchmark_id = benchmark_called.name::bigint AND b.suite LIKE v_suite) THEN
		RETURN benchmark_called.name::bigint;
	END IF;
	RAISE EXCEPTION 'there is no benchmark "%"', coalesce(benchmark_called.name, 'NULL')
		USING ERRCODE = 'no_data_found', HINT = profiling.names_hint(benchmark_called.name,
			ARRAY(SELECT DISTINCT b.name COLLATE "C" FROM profiling.benchmark AS b
				WHERE b.suite LIKE v_suite ORDER BY 1));
END
$$;
COMMENT ON FUNCTION benchmark_called(text, text)
	IS 'the number of the benchmark of this name (in suites that match a pattern of LIKE), or of this number written '
		'as text; an error that lists them when there are several, or the nearest names when there is none';

CREATE FUNCTION frame_trend(benchmark text, frame text, measure text DEFAULT 'total', window_size int DEFAULT 10,
		k float8 DEFAULT 2, event text DEFAULT 'cpu', branch text DEFAULT NULL)
	RETURNS TABLE (test_run_id bigint, started_at timestamptz, commit text, value float8, mean float8, stddev float8,
		lower float8, upper float8, score float8, outside bool)
	LANGUAGE sql STABLE COST 100000 ROWS 100
	BEGIN ATOMIC
		SELECT t.* FROM profiling.frame_trend(benchmark_called(frame_trend.benchmark, '%'::text), frame_trend.frame,
			frame_trend.measure, frame_trend.window_size, frame_trend.k, frame_trend.event, frame_trend.branch) AS t;
	END;
COMMENT ON FUNCTION frame_trend(text, text, text, int, float8, text, text)
	IS 'the same of a benchmark by its name: one function over the runs of a branch';

CREATE FUNCTION report(benchmark text, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}')
	RETURNS TABLE (rank int, section text, trace int, step int, frame text, expected float8, actual float8, diff float8,
		candidate_diff float8, score float8, raw_score float8, status text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.* FROM profiling.report(benchmark_called(report.benchmark, '%'::text), report.test_run_id,
			report.options) AS r;
	END;
COMMENT ON FUNCTION report(text, bigint, jsonb) IS 'the same of a benchmark by its name: regression_report() of a run';

CREATE FUNCTION report_text(benchmark text, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT profiling.report_text(benchmark_called(report_text.benchmark, '%'::text), report_text.test_run_id,
			report_text.options);
	END;
COMMENT ON FUNCTION report_text(text, bigint, jsonb)
	IS 'the same of a benchmark by its name: report() as a Markdown page';

CREATE FUNCTION report_html(benchmark text, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		SELECT profiling.report_html(benchmark_called(report_html.benchmark, '%'::text), report_html.test_run_id,
			report_html.options);
	END;
COMMENT ON FUNCTION report_html(text, bigint, jsonb)
	IS 'the same of a benchmark by its name: report() as a page of HTML';

CREATE FUNCTION benchmark_html(benchmark text, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		SELECT profiling.benchmark_html(benchmark_called(benchmark_html.benchmark, '%'::text), benchmark_html.options);
	END;
COMMENT ON FUNCTION benchmark_html(text, jsonb) IS 'the same of a benchmark by its name: its page';

CREATE FUNCTION trend_svg(benchmark text, frame text DEFAULT NULL, metric text DEFAULT NULL, window_size int DEFAULT 10,
		k float8 DEFAULT 2, event text DEFAULT 'cpu', branch text DEFAULT NULL, runs int DEFAULT 50) RETURNS text
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		SELECT profiling.trend_svg(benchmark_called(trend_svg.benchmark, '%'::text), trend_svg.frame, trend_svg.metric,
			trend_svg.window_size, trend_svg.k, trend_svg.event, trend_svg.branch, trend_svg.runs);
	END;
COMMENT ON FUNCTION trend_svg(text, text, text, int, float8, text, text, int)
	IS 'the same of a benchmark by its name: its metric, or one function, over its last runs';

CREATE FUNCTION detect(benchmark text, test_run_id bigint DEFAULT NULL) RETURNS SETOF finding
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT d.* FROM profiling.detect(benchmark_called(detect.benchmark, '%'::text), detect.test_run_id) AS d;
	END;
COMMENT ON FUNCTION detect(text, bigint)
	IS 'the same of a benchmark by its name: what the nightly comparison finds in a run, nothing is written';

CREATE FUNCTION watch_benchmark(benchmark text, families int DEFAULT NULL, OUT runs int, OUT opened int,
		OUT updated int, OUT closed int)
	LANGUAGE sql
	BEGIN ATOMIC
		SELECT w.runs, w.opened, w.updated, w.closed
		FROM profiling.watch_benchmark(benchmark_called(watch_benchmark.benchmark, '%'::text),
			watch_benchmark.families) AS w;
	END;
COMMENT ON FUNCTION watch_benchmark(text, int)
	IS 'the same of a benchmark by its name: compares its new runs with history';

--
-- rule sets for the names of frames
--

CREATE FUNCTION add_frame_rules(name text, suite text, benchmark text) RETURNS int
	LANGUAGE sql
	BEGIN ATOMIC
		WITH rule AS (
			SELECT i.i AS n, s.r[i.i][1] AS pattern, s.r[i.i][2] AS replacement
			FROM (SELECT frame_rules(add_frame_rules.name) AS r OFFSET 0) AS s,
				pg_catalog.generate_subscripts(s.r, 1) AS i (i)
		), added AS (
			INSERT INTO frame_rule (ordinal, suite, benchmark, pattern, replacement)
			SELECT (SELECT coalesce(max(f.ordinal), 0) FROM frame_rule AS f) + r.n, add_frame_rules.suite,
				add_frame_rules.benchmark, r.pattern, r.replacement
			FROM rule AS r
			WHERE NOT EXISTS (SELECT 1 FROM frame_rule AS f WHERE f.suite = add_frame_rules.suite
				AND f.benchmark = add_frame_rules.benchmark AND f.pattern = r.pattern
				AND f.replacement = r.replacement)
			ORDER BY r.n
			RETURNING 1
		)
		SELECT count(*)::int FROM added;
	END;
COMMENT ON FUNCTION add_frame_rules(text, text, text)
	IS 'adds the rules of frame_rules(name) that frame_rule has not yet for these suites and benchmarks, behind the '
		'others';

CREATE FUNCTION use_frame_rules(name text, suite text DEFAULT '%', benchmark text DEFAULT '%') RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Two that do it at once shall not both find that the rules are missing.
	LOCK TABLE profiling.frame_rule IN SHARE ROW EXCLUSIVE MODE;
	RETURN profiling.add_frame_rules(coalesce(use_frame_rules.name, ''), coalesce(use_frame_rules.suite, '%'),
		coalesce(use_frame_rules.benchmark, '%'));
END
$$;
COMMENT ON FUNCTION use_frame_rules(text, text, text)
	IS 'has the frames of what is loaded from now on renamed by a shipped rule set, frame_rules(name), in suites and '
		'benchmarks that match these patterns of LIKE; returns how many rules are new: 0 the second time';
