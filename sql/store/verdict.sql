
--
-- what is to be said of a commit
--
-- CI asks for a verdict and goes on by it: so there is a row for whatever was loaded, and one without a finding is only
-- called good when something was compared.
--

CREATE FUNCTION runs_of_commit(commit text) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(t.test_run_id ORDER BY t.test_run_id), '{}'::bigint[])
		FROM test_run AS t
		WHERE t.commit = runs_of_commit.commit
			OR length(runs_of_commit.commit) >= 7 AND starts_with(t.commit, runs_of_commit.commit)
				AND NOT EXISTS (SELECT 1 FROM test_run AS w WHERE w.commit = runs_of_commit.commit);
	END;
COMMENT ON FUNCTION runs_of_commit(text)
	IS 'the runs of a commit, which is given whole or, if none has that one, by at least 7 characters';

CREATE FUNCTION percent(part float8) RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN CASE WHEN part IS NULL THEN 'new' WHEN abs(part) >= 1e6 THEN format('by a factor of %s', part + 1)
		ELSE format('%s %%', to_char(100 * part::numeric, 'SGFM99999999990')) END;
END
$$;
COMMENT ON FUNCTION percent(float8) IS 'a relative change in words; new for null, what nothing was expected of';

CREATE FUNCTION waits(finding regression, confirm int) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (waits.finding).status = 'pending' OR (waits.finding).status IN ('open', 'acknowledged')
			AND (waits.finding).seen <= waits.confirm;
	END;
COMMENT ON FUNCTION waits(regression, int)
	IS 'whether a finding is not confirmed by later runs or repetitions: it is pending, or not more than confirm runs '
		'have shown it';

CREATE FUNCTION worst_finding(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[], confirm int,
		that_wait bool) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT format('%s %s (%s)', CASE f.level WHEN 'metric' THEN 'the metric'
			ELSE format('%s "%s"', f.level, CASE WHEN length(f.subject::text) > 200
				THEN '…' || right(f.subject::text, 199) ELSE f.subject::text END) END,
			profiling.percent(f.relative), f.method)
		FROM profiling.findings_of(worst_finding.benchmark_id) AS f
		WHERE f.event = worst_finding.event
			AND (f.unit = worst_finding.unit OR f.level = 'metric') AND f.branch = worst_finding.branch
			AND f.first_test_run_id = ANY (run_ids) AND f.kind = 'degradation' AND f.cause <> 'shift'
			AND f.status IN ('open', 'acknowledged', 'pending') AND profiling.waits(f, confirm) = that_wait
		ORDER BY abs(f.relative) DESC NULLS FIRST, f.regression_id LIMIT 1);
END
$$;
COMMENT ON FUNCTION worst_finding(bigint, text, text, text, bigint[], int, bool)
	IS 'the largest of the open degradations that were first seen in some runs, or of those that wait for later ones: '
		'level, subject, relative change, method';

CREATE FUNCTION waiting_in_words(benchmark_id bigint, event text, run_ids bigint[], confirm int, worst text)
	RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT format('%s is pending: %s of %s runs or later repetitions have shown it', worst, min(f.seen),
			1 + greatest(confirm, 1, max(profiling.confirm_of(f.benchmark_id, f.event, f.method))))
		FROM profiling.findings_of(waiting_in_words.benchmark_id) AS f
		WHERE f.event = waiting_in_words.event
			AND f.first_test_run_id = ANY (run_ids) AND f.kind = 'degradation' AND f.cause <> 'shift'
			AND profiling.waits(f, confirm));
END
$$;
COMMENT ON FUNCTION waiting_in_words(bigint, text, bigint[], int, text) IS 'the reason of the verdict pending';

CREATE FUNCTION not_watched(benchmark_id bigint) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN coalesce((SELECT CASE l.outcome WHEN 'failed' THEN 'the comparison failed: ' || l.detail
			WHEN 'skipped' THEN 'the comparison was skipped: ' || l.detail END
		FROM profiling.job_log AS l WHERE l.benchmark_id = not_watched.benchmark_id AND l.step = 'watch'
		ORDER BY l.log_id DESC LIMIT 1), 'watch_run() was not called since it was loaded');
END
$$;
COMMENT ON FUNCTION not_watched(bigint) IS 'why a benchmark has runs that the night has not looked at';

CREATE FUNCTION optimizations_only(benchmark_id bigint, event text) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Observations, which have no event, are compared by methods of their own.
	RETURN (SELECT coalesce(bool_and(w.direction = 'optimization'), false)
		FROM profiling.watches_of(optimizations_only.benchmark_id, optimizations_only.event) AS w
		WHERE (w.method IN ('integral', 'local_statistics')) = (optimizations_only.event = ''));
END
$$;
COMMENT ON FUNCTION optimizations_only(bigint, text)
	IS 'whether no watch row in force would find a degradation, because of its direction: then having none says '
		'nothing';

CREATE FUNCTION compared_in_words(compared_with int, group_size bigint, gone bigint, earlier bigint, shifted bigint)
	RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN concat_ws('; ', format('compared with %s %s before it', compared_with,
			CASE compared_with WHEN 1 THEN 'run' ELSE 'runs' END)
			|| CASE WHEN group_size > 1 THEN format(', as one of %s new runs', group_size) ELSE '' END,
		CASE WHEN gone > 0 THEN format('%s of its findings closed since', gone) END,
		CASE WHEN earlier > 0 THEN format('%s of earlier runs still open', earlier) END,
		CASE WHEN shifted > 0 THEN format('cost moved within it in %s', CASE shifted WHEN 1 THEN '1 place'
			ELSE shifted || ' places' END) END);
END
$$;
COMMENT ON FUNCTION compared_in_words(int, bigint, bigint, bigint, bigint) IS 'the reason of the verdict ok';

CREATE FUNCTION counted_findings(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		newest_id bigint, since_id bigint, confirm int, OUT here int, OUT gone bigint, OUT of_group bigint,
		OUT earlier bigint, OUT waiting int, OUT shifted bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT count(*) FILTER (WHERE o.is_open AND o.is_here AND NOT o.is_shift AND NOT o.waits),
		count(*) FILTER (WHERE o.is_here AND NOT o.is_open AND NOT o.waits),
		count(*) FILTER (WHERE o.is_open AND NOT o.is_here AND o.first_id = since_id),
		count(*) FILTER (WHERE o.is_open AND NOT o.is_here AND o.is_earlier),
		count(*) FILTER (WHERE o.is_here AND NOT o.is_shift AND o.waits),
		count(*) FILTER (WHERE o.is_here AND o.is_shift AND (o.is_open OR o.waits))
	INTO here, gone, of_group, earlier, waiting, shifted
	FROM (SELECT f.status IN ('open', 'acknowledged') AS is_open, profiling.waits(f, confirm) AS waits,
			f.cause = 'shift' AS is_shift, f.first_test_run_id = ANY (run_ids) AS is_here,
			f.first_test_run_id AS first_id, (t.started_at, t.test_run_id) < (n.started_at, n.test_run_id) AS is_earlier
		FROM profiling.findings_of(counted_findings.benchmark_id) AS f
			LEFT JOIN profiling.test_run AS t ON t.test_run_id = f.first_test_run_id
			LEFT JOIN profiling.test_run AS n ON n.test_run_id = newest_id
		WHERE f.event = counted_findings.event
			AND (f.unit = counted_findings.unit OR f.level IN ('metric', 'location'))
			AND f.branch = counted_findings.branch AND f.kind = 'degradation') AS o;
END
$$;
COMMENT ON FUNCTION counted_findings(bigint, text, text, text, bigint[], bigint, bigint, int)
	IS 'degradations: here: open ones that were first seen in some runs; gone: closed ones of these; of_group: open '
		'ones of the runs with which the newest was compared as a group; earlier: open ones that were seen before; '
		'waiting: those seen first in these runs that are not confirmed; shifted: of these, cost that only moved';

CREATE FUNCTION newest_of_runs(run_ids bigint[]) RETURNS TABLE (benchmark_id bigint, event text, unit text,
		branch text, is_new bool, test_run_id bigint, span text, started_at timestamptz, compared_with int,
		compared_since bigint, not_compared text, group_size bigint)
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT g.benchmark_id, g.event, g.unit, g.branch, g.is_new, r.test_run_id, r.span, r.started_at,
			r.compared_with, r.compared_since, r.not_compared, s.group_size
		FROM (SELECT o.benchmark_id, o.event, o.unit, o.branch,
				bool_or(o.span = 'run' AND o.checked_at IS NULL) AS is_new,
				(pg_catalog.array_agg(o.test_run_id ORDER BY o.started_at DESC, o.test_run_id DESC))[1] AS newest_id
			FROM rollup AS o WHERE o.run_ids OPERATOR(pg_catalog.&&) newest_of_runs.run_ids
			GROUP BY o.benchmark_id, o.event, o.unit, o.branch) AS g
			JOIN rollup AS r ON r.benchmark_id = g.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.test_run_id = g.newest_id
			CROSS JOIN LATERAL (SELECT count(*) AS group_size FROM rollup AS o
				WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = r.unit AND o.branch = r.branch
					AND o.compared_since = r.compared_since) AS s;
	END;
COMMENT ON FUNCTION newest_of_runs(bigint[])
	IS 'of some runs the newest of each benchmark, event, unit and branch: what it was compared with, and together '
		'with how many others; is_new: whether the night has yet to look at one of them';

CREATE FUNCTION judged_profiles(run_ids bigint[], confirm int)
	RETURNS TABLE (benchmark_id bigint, event text, unit text, branch text, verdict text, reason text, findings int)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT g.benchmark_id, g.event, g.unit, g.branch,
		CASE WHEN c.here > 0 THEN 'regressed' WHEN c.waiting > 0 THEN 'pending' WHEN w.words IS NULL THEN 'ok'
			ELSE 'not_examined' END,
		CASE WHEN c.here + c.waiting > 0 THEN CASE WHEN greatest(c.here, c.waiting * (c.here = 0)::int) > 1
				THEN 'the worst: ' ELSE '' END
			|| CASE WHEN c.here > 0 THEN n.worst ELSE profiling.waiting_in_words(g.benchmark_id, g.event,
				judged_profiles.run_ids, judged_profiles.confirm, n.worst) END
			ELSE coalesce(w.words, profiling.compared_in_words(g.compared_with, g.group_size, c.gone, c.earlier,
				c.shifted)) END,
		CASE WHEN c.here > 0 THEN c.here ELSE c.waiting END
	FROM profiling.newest_of_runs(judged_profiles.run_ids) AS g
		CROSS JOIN LATERAL profiling.counted_findings(g.benchmark_id, g.event, g.unit, g.branch,
			judged_profiles.run_ids, g.test_run_id, g.compared_since, judged_profiles.confirm) AS c
		CROSS JOIN LATERAL (SELECT CASE WHEN c.here + c.waiting > 0 THEN profiling.worst_finding(g.benchmark_id,
			g.event,
			g.unit, g.branch, judged_profiles.run_ids, judged_profiles.confirm, c.here = 0) END AS worst) AS n
		CROSS JOIN LATERAL (SELECT CASE
			WHEN NOT profiling.has_begun(g.started_at) THEN format('the run lies in the future: %s', g.started_at)
			WHEN g.is_new THEN profiling.not_watched(g.benchmark_id)
			WHEN g.span = 'month' THEN 'its runs were merged to a month, and what they were compared with is not kept'
			WHEN g.not_compared IS NOT NULL THEN g.not_compared
			WHEN g.compared_with IS NULL THEN 'nothing is known about a comparison'
			WHEN profiling.optimizations_only(g.benchmark_id, g.event) THEN 'the watch rows look for optimizations only'
			WHEN c.of_group > 0 THEN format('one of %s runs that were compared together, and %s first seen in the '
				'oldest of them: which one changed is not known', g.group_size,
				CASE c.of_group WHEN 1 THEN 'a finding was' ELSE format('%s findings were', c.of_group) END)
			END AS words) AS w;
END
$$;
COMMENT ON FUNCTION judged_profiles(bigint[], int)
	IS 'what is to be said of some runs of one commit by their profiles: a row for each benchmark, event, unit and '
		'branch, by the newest run; one that was not looked at yet leaves the verdict open';

CREATE FUNCTION newest_observed(run_ids bigint[]) RETURNS TABLE (benchmark_id bigint, branch text, newest_id bigint,
		started_at timestamptz, models bigint)
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT g.benchmark_id, g.branch, g.newest_id, g.started_at, m.models
		FROM (SELECT o.benchmark_id, t.branch, (pg_catalog.array_agg(t.test_run_id ORDER BY t.started_at DESC,
				t.test_run_id DESC))[1] AS newest_id, max(t.started_at) AS started_at
			FROM (SELECT DISTINCT p.benchmark_id, p.test_run_id FROM observation AS p
				WHERE p.test_run_id = ANY (newest_observed.run_ids)) AS o
				JOIN test_run AS t ON t.test_run_id = o.test_run_id GROUP BY o.benchmark_id, t.branch) AS g
			CROSS JOIN LATERAL (SELECT count(*) AS models FROM fitted_model AS m
				WHERE m.benchmark_id = g.benchmark_id AND m.test_run_id = g.newest_id) AS m;
	END;
COMMENT ON FUNCTION newest_observed(bigint[])
	IS 'of some runs the newest with observations of each benchmark and branch, and how many models it has';

CREATE FUNCTION judged_models(run_ids bigint[], confirm int)
	RETURNS TABLE (benchmark_id bigint, event text, unit text, branch text, verdict text, reason text, findings int)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT g.benchmark_id, '', '', g.branch,
		CASE WHEN c.here > 0 THEN 'regressed' WHEN c.waiting > 0 THEN 'pending' WHEN w.words IS NULL THEN 'ok'
			ELSE 'not_examined' END,
		CASE WHEN c.here > 0 THEN CASE WHEN c.here > 1 THEN 'the worst: ' ELSE '' END || n.worst
			WHEN c.waiting > 0 THEN CASE WHEN c.waiting > 1 THEN 'the worst: ' ELSE '' END
				|| profiling.waiting_in_words(g.benchmark_id, ''::text, judged_models.run_ids, judged_models.confirm,
					n.worst)
			ELSE coalesce(w.words, profiling.compared_in_words(1, 1::bigint, c.gone, c.earlier, c.shifted)) END,
		CASE WHEN c.here > 0 THEN c.here ELSE c.waiting END
	FROM profiling.newest_observed(judged_models.run_ids) AS g
		CROSS JOIN LATERAL profiling.counted_findings(g.benchmark_id, ''::text, ''::text, g.branch,
			judged_models.run_ids, g.newest_id, NULL::bigint, judged_models.confirm) AS c
		CROSS JOIN LATERAL (SELECT (SELECT format('location "%s" %s (%s)', f.subject, profiling.percent(f.relative),
				f.method)
			FROM profiling.findings_of(g.benchmark_id) AS f WHERE f.level = 'location'
				AND f.branch = g.branch AND f.kind = 'degradation' AND f.status IN ('open', 'acknowledged', 'pending')
				AND profiling.waits(f, judged_models.confirm) = (c.here = 0)
				AND f.first_test_run_id = ANY (judged_models.run_ids)
			ORDER BY abs(f.relative) DESC NULLS FIRST, f.regression_id LIMIT 1) AS worst) AS n
		CROSS JOIN LATERAL (SELECT count(*) AS rows,
			max(profiling.models_before(g.benchmark_id, g.branch, g.newest_id, a.baseline)) AS before_id
			FROM profiling.watches_of(g.benchmark_id, ''::text) AS a
			WHERE a.method IN ('integral', 'local_statistics')) AS a
		CROSS JOIN LATERAL (SELECT CASE
			WHEN NOT profiling.has_begun(g.started_at) THEN format('the run lies in the future: %s', g.started_at)
			WHEN g.newest_id = ANY (profiling.unfitted_runs(g.benchmark_id)) THEN profiling.not_watched(g.benchmark_id)
			WHEN a.rows = 0 THEN 'no watch row compares observations, by integral or local_statistics'
			WHEN g.models = 0 THEN 'no location has 3 different x, so there is no model'
			WHEN a.before_id IS NULL THEN 'too little history: no run before it has models'
			WHEN profiling.optimizations_only(g.benchmark_id, ''::text)
				THEN 'the watch rows look for optimizations only' END AS words) AS w;
END
$$;
COMMENT ON FUNCTION judged_models(bigint[], int)
	IS 'what is to be said of some runs of one commit by the models of their observations, event '''': a row for each '
		'benchmark and branch';

CREATE FUNCTION refuse_commit(commit text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_ids CONSTANT bigint[] := profiling.runs_of_commit(refuse_commit.commit);
BEGIN
	IF cardinality(v_ids) = 0 THEN
		RAISE EXCEPTION 'no run has commit "%"', refuse_commit.commit USING ERRCODE = 'no_data_found',
			HINT = 'A commit is given whole, or by at least its first 7 characters; it is what was loaded with '
				'--commit, see profiling.test_run.';
	END IF;
	RAISE EXCEPTION 'nothing of commit "%" was loaded that is asked for', refuse_commit.commit
		USING ERRCODE = 'no_data_found', DETAIL = coalesce('It has ' || profiling.printable((SELECT
				string_agg(o.words, '; ')
			FROM (SELECT DISTINCT format('%s%s, event "%s", branch "%s"', nullif(b.suite, '') || ' ', b.name, j.event,
					j.branch) AS words
				FROM (SELECT * FROM profiling.judged_profiles(v_ids, 0) UNION ALL SELECT *
					FROM profiling.judged_models(v_ids, 0)) AS j
					JOIN profiling.benchmark AS b ON b.benchmark_id = j.benchmark_id ORDER BY 1 LIMIT 10) AS o)) || '.',
			'It has a run, and no profile in it.');
END
$$;
COMMENT ON FUNCTION refuse_commit(text) IS 'the error for a commit that there is no verdict for';

CREATE FUNCTION judged(of_commit text, of_benchmark text, of_suite text, of_branch text, of_event text, confirm int)
	RETURNS TABLE (benchmark text, event text, verdict text, reason text, findings int)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_ids bigint[];
BEGIN
	PERFORM profiling.need_access('verdict'::text, 'reader'::text);
	v_ids := profiling.runs_of_commit(of_commit);
	IF coalesce(of_commit, '') = '' THEN
		RAISE EXCEPTION 'the commit cannot be null or empty' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF coalesce(confirm, -1) < 0 THEN
		RAISE EXCEPTION 'confirm cannot be null or negative' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN QUERY
	SELECT j.name, j.event, j.verdict, concat_ws(': ', nullif(concat_ws(', ',
			CASE WHEN min(j.suite) OVER w <> max(j.suite) OVER w THEN format('suite "%s"', j.suite) END,
			CASE WHEN min(j.parameters::text) OVER w <> max(j.parameters::text) OVER w
				THEN format('parameters %s', j.parameters) END,
			CASE WHEN min(j.branch) OVER w <> max(j.branch) OVER w THEN format('branch "%s"', j.branch) END,
			CASE WHEN min(j.unit) OVER w <> max(j.unit) OVER w THEN format('unit "%s"', j.unit) END), ''), j.reason),
		j.findings
	FROM (SELECT b.suite, b.name, b.parameters, o.*
		FROM (SELECT p.* FROM profiling.judged_profiles(v_ids, confirm) AS p
			UNION ALL SELECT m.* FROM profiling.judged_models(v_ids, confirm) AS m) AS o
			JOIN profiling.benchmark AS b ON b.benchmark_id = o.benchmark_id
		WHERE b.name LIKE coalesce(of_benchmark, '%') AND b.suite LIKE coalesce(of_suite, '%')
			AND (of_branch IS NULL OR o.branch = of_branch) AND (of_event IS NULL OR o.event = of_event)) AS j
	WINDOW w AS (PARTITION BY j.name, j.event)
	ORDER BY j.name COLLATE "C", j.event COLLATE "C", j.suite COLLATE "C", j.parameters::text COLLATE "C",
		j.branch COLLATE "C", j.unit COLLATE "C";
	IF NOT FOUND THEN
		PERFORM profiling.refuse_commit(of_commit);
	END IF;
END
$$;
COMMENT ON FUNCTION judged(text, text, text, text, text, int) IS 'verdict(), whose arguments and columns share names';

CREATE FUNCTION verdict(commit text, benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL,
		event text DEFAULT NULL, confirm int DEFAULT 0)
	RETURNS TABLE (benchmark text, event text, verdict text, reason text, findings int)
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT j.benchmark, j.event, j.verdict, j.reason, j.findings
		FROM judged(verdict.commit, verdict.benchmark, verdict.suite, verdict.branch, verdict.event,
			verdict.confirm) AS j;
	END;
COMMENT ON FUNCTION verdict(text, text, text, text, text, int)
	IS 'for CI: what became of a commit (whole, or its first 7 characters or more), a row for each benchmark, event, '
		'unit and branch that has a run of it; verdict: regressed (open degradations that were first seen in it), '
		'pending (these were not confirmed yet), ok (compared, none) or not_examined; confirm: how many later runs, or '
		'later repetitions of its run, must show what is called regressed; reason says more; benchmark and suite are '
		'patterns of LIKE; error P0002 for a commit without a run';
