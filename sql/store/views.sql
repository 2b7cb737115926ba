
--
-- views for dashboards
--
-- They read scalars, rollups or the newest profiles, never all profiles.
--

CREATE FUNCTION summable(value float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN abs(summable.value) < 1e150::float8 THEN summable.value END;
	END;
COMMENT ON FUNCTION summable(float8)
	IS 'the value; null for one so large that a sum of squares with it is beyond what a number can be, and means and '
		'deviations would be errors';

-- summable() of an expression is called for each run of each window, as it uses what it is given twice; a FILTER is
-- none.
CREATE VIEW benchmark_trend AS
SELECT m.benchmark_id, b.suite, b.name, b.parameters, m.event, m.unit, m.branch, m.test_run_id, m.started_at, t.commit,
	m.metric, m.metric_unit,
	m.metric_mean, m.metric_mean - 2::float8 * m.metric_stddev AS metric_lower,
		m.metric_mean + 2::float8 * m.metric_stddev AS metric_upper,
	m.total, m.repetitions
FROM (SELECT r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id, r.started_at, r.metric, r.metric_unit, r.total,
	r.repetitions,
		avg(r.metric) FILTER (WHERE abs(r.metric) < 1e150::float8) OVER w AS metric_mean,
		stddev_samp(r.metric) FILTER (WHERE abs(r.metric) < 1e150::float8) OVER w AS metric_stddev
	FROM (SELECT o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id, o.started_at,
		ratio(o.metric_sum, o.metric_count::float8) AS metric,
			o.metric_unit, ratio(o.total, o.repetitions::float8) AS total, o.repetitions
		FROM rollup AS o WHERE o.span = 'run') AS r
	WINDOW w AS (PARTITION BY r.benchmark_id, r.event, r.unit, r.branch, r.metric_unit ORDER BY r.started_at,
		r.test_run_id
		ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING)) AS m
	JOIN benchmark AS b ON b.benchmark_id = m.benchmark_id
	JOIN test_run AS t ON t.test_run_id = m.test_run_id;
COMMENT ON VIEW benchmark_trend
	IS 'each run of each benchmark, event and branch with its metric, the band of the 10 runs before, and its total: '
		'a chart is drawn from this view alone';
COMMENT ON COLUMN benchmark_trend.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN benchmark_trend.suite IS 'its suite';
COMMENT ON COLUMN benchmark_trend.name IS 'its name';
COMMENT ON COLUMN benchmark_trend.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN benchmark_trend.event IS 'that of the profiles';
COMMENT ON COLUMN benchmark_trend.unit IS 'unit of total';
COMMENT ON COLUMN benchmark_trend.branch IS 'branch of the run';
COMMENT ON COLUMN benchmark_trend.test_run_id IS 'the run';
COMMENT ON COLUMN benchmark_trend.started_at IS 'when it began';
COMMENT ON COLUMN benchmark_trend.commit IS 'its commit';
COMMENT ON COLUMN benchmark_trend.metric IS 'mean of the repetitions'' metrics, in metric_unit';
COMMENT ON COLUMN benchmark_trend.metric_unit IS 'unit of metric and of the band';
COMMENT ON COLUMN benchmark_trend.metric_mean IS 'mean metric of the 10 runs before, in metric_unit';
COMMENT ON COLUMN benchmark_trend.metric_lower IS 'metric_mean - 2 standard deviations, in metric_unit';
COMMENT ON COLUMN benchmark_trend.metric_upper IS 'metric_mean + 2 standard deviations, in metric_unit';
COMMENT ON COLUMN benchmark_trend.total IS 'mean of the repetitions'' totals, in unit';
COMMENT ON COLUMN benchmark_trend.repetitions IS 'number of profiles of the run';

CREATE VIEW benchmark_overview AS
SELECT k.benchmark_id, b.suite, b.name, b.parameters, k.event, k.unit, n.branch, k.runs,
	n.started_at AS last_started_at, t.commit AS last_commit,
	n.metric, n.metric_unit, h.mean AS metric_mean, ratio(n.metric - h.mean, h.stddev) AS metric_score, n.total,
	(SELECT count(*) FROM regression AS f WHERE f.benchmark_id = k.benchmark_id AND f.event = k.event
		AND f.status IN ('open', 'acknowledged') AND f.kind <> 'environment'
		AND (f.unit = k.unit OR f.level = 'metric')) AS open_findings,
	n.truncated_share
FROM (SELECT r.benchmark_id, r.event, r.unit, sum(pg_catalog.cardinality(r.run_ids))::bigint AS runs FROM rollup AS r
	GROUP BY 1, 2, 3) AS k
	JOIN benchmark AS b ON b.benchmark_id = k.benchmark_id
	CROSS JOIN LATERAL (SELECT r.branch, r.test_run_id, r.started_at,
		ratio(r.metric_sum, r.metric_count::float8) AS metric, r.metric_unit,
			ratio(r.total, r.repetitions::float8) AS total,
			CASE WHEN abs(r.total) < 1e300::float8
				AND abs(r.truncated_total) < 1e300::float8 THEN ratio(r.truncated_total,
				r.total + r.truncated_total) END AS truncated_share
		FROM rollup AS r WHERE r.benchmark_id = k.benchmark_id AND r.event = k.event AND r.unit = k.unit
			AND has_begun(r.started_at)
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1) AS n
	JOIN test_run AS t ON t.test_run_id = n.test_run_id
	CROSS JOIN LATERAL (SELECT avg(summable(w.metric)) AS mean, stddev_samp(summable(w.metric)) AS stddev
		FROM (SELECT ratio(r.metric_sum, r.metric_count::float8) AS metric
			FROM rollup AS r WHERE r.benchmark_id = k.benchmark_id AND r.event = k.event AND r.unit = k.unit
				AND r.branch = n.branch
				AND r.span = 'run' AND r.metric_unit = n.metric_unit
					AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id)
			ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 10) AS w) AS h;
COMMENT ON VIEW benchmark_overview
	IS 'one row for each benchmark, event and unit: how much there is, the newest run, how unusual its metric is, '
		'what is open';
COMMENT ON COLUMN benchmark_overview.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN benchmark_overview.suite IS 'its suite';
COMMENT ON COLUMN benchmark_overview.name IS 'its name';
COMMENT ON COLUMN benchmark_overview.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN benchmark_overview.event IS 'that of the profiles';
COMMENT ON COLUMN benchmark_overview.unit IS 'unit of total';
COMMENT ON COLUMN benchmark_overview.branch
	IS 'branch of the newest run; the newest ones of other branches are in benchmark_trend';
COMMENT ON COLUMN benchmark_overview.runs IS 'number of runs, on all branches';
COMMENT ON COLUMN benchmark_overview.last_started_at IS 'when the newest run began';
COMMENT ON COLUMN benchmark_overview.last_commit IS 'commit of the newest run';
COMMENT ON COLUMN benchmark_overview.metric IS 'metric of the newest run, in metric_unit; null when it has none';
COMMENT ON COLUMN benchmark_overview.metric_unit IS 'unit of metric and metric_mean';
COMMENT ON COLUMN benchmark_overview.metric_mean
	IS 'mean metric of the 10 runs before on the same branch, in metric_unit';
COMMENT ON COLUMN benchmark_overview.metric_score IS '(metric - metric_mean) / standard deviation of these 10';
COMMENT ON COLUMN benchmark_overview.total IS 'mean of the totals of the newest run''s profiles, in unit';
COMMENT ON COLUMN benchmark_overview.open_findings
	IS 'number of findings that are open or acknowledged, but for those about the machine';
COMMENT ON COLUMN benchmark_overview.truncated_share
	IS 'share of the newest run that is in stacks that were cut off; a fraction';

-- What a loader may write: profiles whose sum is out of range only with what comes later.
CREATE FUNCTION mean_or_null(fg flamegraph, benchmark_id bigint, pending bigint[], repetitions int) RETURNS flamegraph
	LANGUAGE plpgsql STABLE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN profiling.mean_profile(mean_or_null.fg, mean_or_null.benchmark_id, mean_or_null.pending,
		mean_or_null.repetitions);
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION mean_or_null(flamegraph, bigint, bigint[], int)
	IS 'mean_profile(), null where the sum is out of range: one benchmark is no reason for a view of all to fail';

CREATE FUNCTION latest_rollups() RETURNS SETOF rollup
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.*
		FROM (SELECT DISTINCT ON (o.benchmark_id, o.event, o.unit) o.benchmark_id, o.event, o.unit, o.branch,
				o.test_run_id
			FROM rollup AS o WHERE has_begun(o.started_at)
			ORDER BY o.benchmark_id, o.event, o.unit, o.started_at DESC, o.test_run_id DESC) AS k
			JOIN rollup AS r ON r.benchmark_id = k.benchmark_id AND r.event = k.event AND r.unit = k.unit
				AND r.branch = k.branch AND r.test_run_id = k.test_run_id;
	END;
COMMENT ON FUNCTION latest_rollups() IS 'the rollup of the newest run of each benchmark, event and unit';

CREATE VIEW latest_profile AS
SELECT r.benchmark_id, b.suite, b.name, b.parameters, r.event, r.unit, r.branch, r.test_run_id, r.started_at, t.commit,
	t.version, r.repetitions,
	ratio(r.total, r.repetitions::float8) AS total,
	CASE r.repetitions WHEN 1 THEN r.flamegraph ELSE mean_or_null(r.flamegraph, r.benchmark_id, r.pending,
		r.repetitions) END AS flamegraph
FROM latest_rollups() AS r
	JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
	JOIN test_run AS t ON t.test_run_id = r.test_run_id;
COMMENT ON VIEW latest_profile
	IS 'the newest run of each benchmark, event and unit as the mean profile of its repetitions';
COMMENT ON COLUMN latest_profile.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN latest_profile.suite IS 'its suite';
COMMENT ON COLUMN latest_profile.name IS 'its name';
COMMENT ON COLUMN latest_profile.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN latest_profile.event IS 'what was sampled';
COMMENT ON COLUMN latest_profile.unit IS 'unit of total and flamegraph';
COMMENT ON COLUMN latest_profile.branch
	IS 'branch of the run; the newest of another branch: average(branch => …, runs => 1)';
COMMENT ON COLUMN latest_profile.test_run_id IS 'the run';
COMMENT ON COLUMN latest_profile.started_at IS 'when it began';
COMMENT ON COLUMN latest_profile.commit IS 'its commit';
COMMENT ON COLUMN latest_profile.version IS 'its release';
COMMENT ON COLUMN latest_profile.repetitions IS 'number of profiles in the mean';
COMMENT ON COLUMN latest_profile.total IS 'mean of their totals, in unit';
COMMENT ON COLUMN latest_profile.flamegraph IS 'mean of the profiles, in unit; null when their sum is out of range';

CREATE VIEW hot_frame AS
SELECT l.benchmark_id, l.suite, l.name, l.parameters, l.event, l.unit, l.branch, l.test_run_id, l.started_at, f.frame,
	f.self, f.self_share, f.total, f.total_share, f.rank
FROM latest_profile AS l, LATERAL (
	SELECT t.frame, t.self, t.self_share, t.total, t.total_share,
		(row_number() OVER (ORDER BY t.self DESC, t.frame COLLATE "C"))::int AS rank
	FROM top(l.flamegraph, 20) AS t) AS f;
COMMENT ON VIEW hot_frame IS 'the 20 functions in which the newest run of each benchmark and event spends most itself';
COMMENT ON COLUMN hot_frame.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN hot_frame.suite IS 'its suite';
COMMENT ON COLUMN hot_frame.name IS 'its name';
COMMENT ON COLUMN hot_frame.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN hot_frame.event IS 'what was sampled';
COMMENT ON COLUMN hot_frame.unit IS 'unit of self and total';
COMMENT ON COLUMN hot_frame.branch
	IS 'branch of the newest run; of another branch: bottlenecks(branch => …, runs => 1, measure => ''self'')';
COMMENT ON COLUMN hot_frame.test_run_id IS 'the run';
COMMENT ON COLUMN hot_frame.started_at IS 'when it began';
COMMENT ON COLUMN hot_frame.frame IS 'the function';
COMMENT ON COLUMN hot_frame.self IS 'what is spent in it itself, mean of the repetitions, in unit';
COMMENT ON COLUMN hot_frame.self_share IS 'self as a share of the profile; a fraction';
COMMENT ON COLUMN hot_frame.total IS 'what is spent in it and what it calls, recursion counted once, in unit';
COMMENT ON COLUMN hot_frame.total_share IS 'total as a share of the profile; a fraction';
COMMENT ON COLUMN hot_frame.rank IS '1 is the function with the largest self';

CREATE VIEW regression_history AS
SELECT f.benchmark_id, f.regression_id, b.suite, b.name, b.parameters, f.event, f.unit, f.branch, f.method, f.level,
	f.subject, f.kind, f.status, f.team,
	f.expected, f.actual, f.diff, f.relative, f.score, f.p_value, f.q_value, f.lower, f.upper, f.opened_at, f.closed_at,
	f.first_test_run_id, o.started_at AS first_started_at, o.commit AS first_commit,
	f.last_test_run_id, l.started_at AS last_started_at, l.commit AS last_commit, f.note,
	f.samples, f.cause, f.counterpart, f.group_id, f.seen, f.notified_at, f.baseline, o.version AS first_version
FROM regression AS f JOIN benchmark AS b ON b.benchmark_id = f.benchmark_id
	LEFT JOIN test_run AS o ON o.test_run_id = f.first_test_run_id
	LEFT JOIN test_run AS l ON l.test_run_id = f.last_test_run_id;
COMMENT ON VIEW regression_history IS 'all findings, with the names of their benchmarks and the commits of their runs';

CREATE VIEW open_regression AS
SELECT o.* FROM regression_history AS o WHERE o.status IN ('open', 'acknowledged');
COMMENT ON VIEW open_regression
	IS 'findings that are open or acknowledged, with the names of their benchmarks and the commits of their runs';

CREATE VIEW pending_regression AS
SELECT p.* FROM regression_history AS p WHERE p.status = 'pending';
COMMENT ON VIEW pending_regression
	IS 'findings that wait for later runs to show them, which nobody was told of, with the names of their benchmarks '
		'and the commits of their runs';

-- the comments of these
DO $do$
DECLARE
	c pg_catalog.record;
BEGIN
	FOR c IN
		SELECT a.attname, v.name AS view,
			coalesce(pg_catalog.col_description('profiling.regression'::pg_catalog.regclass::pg_catalog.oid,
			r.attnum::int),
			CASE WHEN a.attname OPERATOR(pg_catalog.=) 'suite'::name THEN 'suite of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'name'::name THEN 'name of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'parameters'::name THEN 'parameters of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'first_started_at'::name
				THEN 'when the run that it was first seen in began'
			WHEN a.attname OPERATOR(pg_catalog.=) 'first_commit'::name THEN 'commit of that run'
			WHEN a.attname OPERATOR(pg_catalog.=) 'first_version'::name THEN 'version of that run'
			WHEN a.attname OPERATOR(pg_catalog.=) 'last_started_at'::name
				THEN 'when the last run that it was seen in began'
			WHEN a.attname OPERATOR(pg_catalog.=) 'last_commit'::name THEN 'commit of that run' END) AS comment
		FROM (VALUES ('regression_history'), ('open_regression'), ('pending_regression')) AS v (name)
			JOIN pg_catalog.pg_class AS k
				ON k.relnamespace OPERATOR(pg_catalog.=) 'profiling'::pg_catalog.regnamespace::pg_catalog.oid
				AND k.relname OPERATOR(pg_catalog.=) v.name::name
			JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) k.oid
				AND a.attnum OPERATOR(pg_catalog.>) 0
			LEFT JOIN pg_catalog.pg_attribute AS r
				ON r.attrelid OPERATOR(pg_catalog.=) 'profiling.regression'::pg_catalog.regclass::pg_catalog.oid
				AND r.attname OPERATOR(pg_catalog.=) a.attname
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN profiling.%I.%I IS %L', c.view, c.attname, c.comment);
	END LOOP;
END
$do$;

CREATE VIEW team_regression AS
SELECT f.team, count(*) AS open, max(abs(f.relative)) AS worst, min(f.opened_at) AS oldest
FROM regression AS f
WHERE f.status IN ('open', 'acknowledged') AND f.kind = 'degradation'
GROUP BY f.team;
COMMENT ON VIEW team_regression IS 'degradations that are open or acknowledged, by team';
COMMENT ON COLUMN team_regression.team IS 'the team; empty for findings that match no owner';
COMMENT ON COLUMN team_regression.open IS 'number of open degradations';
COMMENT ON COLUMN team_regression.worst IS 'the largest relative change among them; a fraction of what was expected';
COMMENT ON COLUMN team_regression.oldest IS 'when the oldest of them was found';

CREATE VIEW model_change AS
SELECT n.benchmark_id, b.suite, b.name, b.parameters, n.location, n.unit, n.branch, n.test_run_id, n.started_at,
	n.commit, p.test_run_id AS previous_test_run_id, p.kind AS previous_kind, n.kind, p.r_square AS previous_r_square,
	n.r_square,
	p.model AS previous_model, n.model, i.relative_error, i.result
FROM (SELECT DISTINCT ON (m.benchmark_id, m.location, m.unit) m.*, r.branch, r.started_at, r.commit
	FROM fitted_model AS m JOIN test_run AS r ON r.test_run_id = m.test_run_id
	WHERE m.kind IN ('constant', 'logarithmic', 'linear', 'quadratic', 'power', 'exponential')
		AND has_begun(r.started_at)
	ORDER BY m.benchmark_id, m.location, m.unit, r.started_at DESC, r.test_run_id DESC) AS n
	JOIN benchmark AS b ON b.benchmark_id = n.benchmark_id
	CROSS JOIN LATERAL (SELECT m.test_run_id, m.kind, m.r_square, m.model
		FROM fitted_model AS m JOIN test_run AS r ON r.test_run_id = m.test_run_id
		WHERE m.benchmark_id = n.benchmark_id AND m.location = n.location AND m.unit = n.unit AND r.branch = n.branch
			AND m.kind IN ('constant', 'logarithmic', 'linear', 'quadratic', 'power', 'exponential')
			AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id)
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1) AS p
	CROSS JOIN LATERAL integral_comparison(p.model, n.model, 0.1::float8, 0.25::float8) AS i;
COMMENT ON VIEW model_change
	IS 'the best formula of each location in the newest run and in the run before on its branch';
COMMENT ON COLUMN model_change.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN model_change.suite IS 'its suite';
COMMENT ON COLUMN model_change.name IS 'its name';
COMMENT ON COLUMN model_change.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN model_change.location IS 'the function';
COMMENT ON COLUMN model_change.unit IS 'unit of what was measured';
COMMENT ON COLUMN model_change.branch IS 'branch of both runs';
COMMENT ON COLUMN model_change.test_run_id IS 'the newest run';
COMMENT ON COLUMN model_change.started_at IS 'when it began';
COMMENT ON COLUMN model_change.commit IS 'its commit';
COMMENT ON COLUMN model_change.previous_test_run_id IS 'the run before';
COMMENT ON COLUMN model_change.previous_kind IS 'kind of its best formula: constant, linear, …';
COMMENT ON COLUMN model_change.kind IS 'kind of the newest run''s best formula';
COMMENT ON COLUMN model_change.previous_r_square IS 'how well the formula before fits; 1 is perfect';
COMMENT ON COLUMN model_change.r_square IS 'how well the newest formula fits; 1 is perfect';
COMMENT ON COLUMN model_change.previous_model IS 'the model before';
COMMENT ON COLUMN model_change.model IS 'the newest model';
COMMENT ON COLUMN model_change.relative_error
	IS 'difference of their integrals, relative to the one before; a fraction';
COMMENT ON COLUMN model_change.result
	IS 'what integral_comparison() says: no_change, maybe_degradation, degradation, maybe_optimization, optimization '
		'or unknown';
