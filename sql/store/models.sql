
--
-- observations: performance models
--

CREATE FUNCTION fit_run(benchmark_id bigint, test_run_id bigint) RETURNS int
	LANGUAGE sql
	BEGIN ATOMIC
		WITH fitted AS (
			INSERT INTO fitted_model (benchmark_id, test_run_id, location, kind, unit, model, r_square)
			SELECT fit_run.benchmark_id, fit_run.test_run_id, p.location, kind(f.model), p.unit, f.model,
				r_square(f.model)
			FROM (SELECT o.location, o.unit, pg_catalog.array_agg(o.x ORDER BY o.observation_id) AS xs,
				pg_catalog.array_agg(o.y ORDER BY o.observation_id) AS ys
					FROM observation AS o
					WHERE o.benchmark_id = fit_run.benchmark_id AND o.test_run_id = fit_run.test_run_id
					GROUP BY o.location, o.unit HAVING pg_catalog.count(DISTINCT o.x) >= 3) AS p,
				LATERAL (VALUES (fit(p.xs, p.ys, 'parametric_regression'::text, '{}'::jsonb)),
					(fit(p.xs, p.ys, 'regressogram'::text, '{}'::jsonb)),
					(fit(p.xs, p.ys, 'moving_average'::text, '{}'::jsonb)),
						(fit(p.xs, p.ys, 'kernel_regression'::text, '{}'::jsonb))) AS f (model)
			WHERE f.model IS NOT NULL
			ON CONFLICT DO NOTHING
			RETURNING 1
		)
		SELECT count(*)::int FROM fitted;
	END;
COMMENT ON FUNCTION fit_run(bigint, bigint)
	IS 'fits the models of a run''s observations, for every location with three or more different x: the best '
		'formula, a regressogram, a moving average and a kernel regression; returns how many are new';

CREATE FUNCTION unfitted_runs(benchmark_id bigint) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id), '{}'::bigint[])
		FROM test_run AS t
		WHERE has_begun(t.started_at) AND t.test_run_id IN (
			SELECT o.test_run_id FROM observation AS o
			WHERE o.benchmark_id = unfitted_runs.benchmark_id
				AND NOT EXISTS (SELECT 1 FROM fitted_model AS m
					WHERE m.benchmark_id = unfitted_runs.benchmark_id AND m.test_run_id = o.test_run_id)
			GROUP BY o.test_run_id, o.location, o.unit HAVING pg_catalog.count(DISTINCT o.x) >= 3);
	END;
COMMENT ON FUNCTION unfitted_runs(bigint) IS 'runs that fit_run() can fit models to and has not yet, oldest first';

CREATE FUNCTION models_before(benchmark_id bigint, branch text, test_run_id bigint,
		baseline text DEFAULT 'window:10') RETURNS bigint
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT t.test_run_id
		FROM test_run AS t, test_run AS n
		WHERE n.test_run_id = models_before.test_run_id AND (t.started_at, t.test_run_id) < (n.started_at,
			n.test_run_id) AND has_begun(t.started_at)
			AND EXISTS (SELECT 1 FROM fitted_model AS m WHERE m.benchmark_id = models_before.benchmark_id
				AND m.test_run_id = t.test_run_id)
			AND CASE
				WHEN models_before.baseline LIKE 'window:%' THEN t.branch = models_before.branch
				WHEN models_before.baseline LIKE 'season:%' THEN t.branch = models_before.branch
					AND EXISTS (SELECT 1 FROM season_phases(models_before.baseline, n.started_at) AS p
						WHERE t.started_at BETWEEN p.phase - p.tolerance AND p.phase + p.tolerance)
				WHEN models_before.baseline LIKE 'branch:%' THEN t.branch = substr(models_before.baseline, 8)
				WHEN models_before.baseline LIKE 'commit:%' THEN starts_with(t.commit,
					substr(models_before.baseline, 8))
				ELSE t.version = substr(models_before.baseline, 9) END
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1;
	END;
COMMENT ON FUNCTION models_before(bigint, text, bigint, text)
	IS 'the newest run with models that a baseline names, before a run';

CREATE FUNCTION compared_models(watch watch, benchmark_id bigint, branch text, test_run_id bigint,
		before_run_id bigint)
	RETURNS SETOF finding
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT ''::text, m.unit, compared_models.branch, compared_models.test_run_id, compared_models.test_run_id,
			(compared_models.watch).method, 'location'::text, stackpath(ARRAY[m.location]),
			subject_id(stackpath(ARRAY[m.location])),
			c.expected, c.actual, c.actual - c.expected, c.relative_error, c.confidence,
			NULL::float8, NULL::float8, NULL::float8, NULL::float8, c.result, NULL::text,
			NULL::float8, ''::text, '{}'::stackpath[]
		FROM fitted_model AS m
			JOIN fitted_model AS b ON b.benchmark_id = m.benchmark_id AND b.location = m.location AND b.unit = m.unit
				AND b.kind = m.kind AND b.test_run_id = compared_models.before_run_id,
			LATERAL (
				SELECT i.result, i.relative_error, i.confidence, i.baseline_integral AS expected,
					i.target_integral AS actual
				FROM integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i
				WHERE (compared_models.watch).method = 'integral'
				UNION ALL
				SELECT l.result, l.relative_error, l.confidence, i.baseline_integral, i.target_integral
				FROM local_statistics(b.model, m.model, 1000, 0.05::float8, 2, 0.1::float8, 0.25::float8) AS l,
					integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i
				WHERE (compared_models.watch).method = 'local_statistics'
			) AS c
		WHERE m.benchmark_id = compared_models.benchmark_id AND m.test_run_id = compared_models.test_run_id
			AND m.kind = coalesce(checked_options(compared_models.watch) ->> 'model'::text, 'regressogram'::text)
			AND c.result IN ('degradation', 'optimization')
				AND abs(c.relative_error) >= (compared_models.watch).min_effect
			AND (compared_models.watch).direction IN ('both', c.result)
		ORDER BY abs(c.relative_error) DESC, m.location COLLATE "C";
	END;
COMMENT ON FUNCTION compared_models(watch, bigint, text, bigint, bigint)
	IS 'found_in_models() against the models of one run';

CREATE FUNCTION found_in_models(watch watch, benchmark_id bigint, branch text, test_run_id bigint,
		before_run_id bigint DEFAULT NULL)
	RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_before CONSTANT bigint := coalesce(before_run_id, profiling.models_before(found_in_models.benchmark_id,
		found_in_models.branch, found_in_models.test_run_id, (watch).baseline));
BEGIN
	IF v_before IS NOT NULL THEN
		RETURN QUERY
		SELECT c.* FROM profiling.compared_models(watch, found_in_models.benchmark_id, found_in_models.branch,
			found_in_models.test_run_id, v_before) AS c;
	END IF;
END
$$;
COMMENT ON FUNCTION found_in_models(watch, bigint, text, bigint, bigint)
	IS 'locations whose fitted model differs from that of the baseline, by integral or local_statistics: thresholds '
		'and no test, so there is no p_value; expected and actual are integrals of the models, score is the '
		'confidence; without their teams';

CREATE FUNCTION open_locations(benchmark_id bigint, branch text, method text, test_run_id bigint)
	RETURNS TABLE (regression_id bigint, first_test_run_id bigint, subject_id uuid, unit text, kind text, status text)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT r.regression_id, r.first_test_run_id, r.subject_id, r.unit, r.kind, r.status
		FROM regression AS r
		WHERE r.benchmark_id = open_locations.benchmark_id AND r.branch = open_locations.branch
			AND r.method = open_locations.method
			AND r.level = 'location' AND r.status IN ('open', 'acknowledged', 'pending')
			AND EXISTS (SELECT 1 FROM fitted_model AS m WHERE m.benchmark_id = open_locations.benchmark_id
				AND m.test_run_id = open_locations.test_run_id
				AND m.unit = r.unit AND m.location = leaf(r.subject));
	END;
COMMENT ON FUNCTION open_locations(bigint, text, text, bigint)
	IS 'findings in models of a branch that are open or pending, for locations that a run has models of';
