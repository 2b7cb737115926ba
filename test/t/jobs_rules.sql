-- Algorithms 4 and 5 of the thesis (Hegeman 2024) as issue rules of a user, in SQL functions: by the definition, without any of
-- the code of the built-in rules. Records are passed on with the type of the phase that they are of ("from").
CREATE FUNCTION rules.seconds(j bigint, p bigint, OUT type text, OUT seconds float8) LANGUAGE sql STABLE AS $$
	SELECT phase_type, extract(epoch FROM end_time - start_time)::float8 FROM jobs.phase WHERE job_id = j AND phase_id = p
$$;
CREATE FUNCTION rules.repeats(j bigint, type text) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT t.repeat::text FROM jobs.phase_type AS t JOIN jobs.job AS b USING (model) WHERE b.job_id = j AND t.phase_type = type
$$;

-- imbalance
CREATE FUNCTION rules.imbalance_leaf(job_id bigint, phase_id bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_array(jsonb_build_object('from', s.type, 'of', s.type, 'actual', s.seconds, 'optimal', s.seconds))
	FROM rules.seconds($1, $2) AS s
$$;
CREATE FUNCTION rules.imbalance_composite(job_id bigint, phase_id bigint, records jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT rules.imbalance_leaf($1, $2) || coalesce(jsonb_agg(jsonb_build_object('from', s.type, 'of', g.of,
		'actual', CASE WHEN g.n = 1 OR g.repeats = 'sequential' THEN g.actual_sum ELSE g.actual_max END,
		'optimal', CASE WHEN g.n = 1 OR g.repeats = 'sequential' THEN g.optimal_sum ELSE g.optimal_sum / g.n END)), '[]')
	FROM rules.seconds($1, $2) AS s,
		(SELECT r.from, r.of, count(*) AS n, rules.repeats($1, r.from) AS repeats, sum(r.actual) AS actual_sum, max(r.actual) AS actual_max, sum(r.optimal) AS optimal_sum
			FROM jsonb_to_recordset($3) AS r ("from" text, of text, actual float8, optimal float8) GROUP BY r.from, r.of) AS g
$$;
CREATE FUNCTION rules.imbalance_extract(job_id bigint, phase_id bigint, records jsonb) RETURNS TABLE (source text, impact float8) LANGUAGE sql STABLE AS $$
	SELECT r.of, r.actual - r.optimal FROM jsonb_to_recordset($3) AS r (of text, actual float8, optimal float8) WHERE r.actual > r.optimal * (1 + 1e-9::float8)
$$;

-- bottlenecks
CREATE FUNCTION rules.bottleneck_leaf(job_id bigint, phase_id bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
	SELECT jsonb_agg(jsonb_build_object('from', s.type, 'by', d.resource_type, 'impact', d.bottleneck_time))
	FROM rules.seconds($1, $2) AS s, jobs.bottleneck_durations($1) AS d WHERE d.phase_id = $2 AND d.resource_type IS NOT NULL
$$;
CREATE FUNCTION rules.bottleneck_composite(job_id bigint, phase_id bigint, records jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
	WITH RECURSIVE model AS (SELECT b.model FROM jobs.job AS b WHERE b.job_id = $1),
		source AS (SELECT DISTINCT r.by FROM jsonb_to_recordset($3) AS r (by text)),
		weight AS (
			SELECT t.phase_type AS type, x.by, coalesce(CASE WHEN t.repeat = 'sequential' THEN sum(r.impact) ELSE avg(r.impact) END, 0) AS impact
			FROM rules.seconds($1, $2) AS s JOIN jobs.phase_type AS t ON t.parent_type = s.type JOIN model USING (model) CROSS JOIN source AS x
				LEFT JOIN jsonb_to_recordset($3) AS r ("from" text, by text, impact float8) ON r.from = t.phase_type AND r.by = x.by
			GROUP BY t.phase_type, t.repeat, x.by),
		path AS (
			SELECT w.type, w.by, w.impact FROM weight AS w
			UNION ALL
			SELECT w.type, w.by, p.impact + w.impact
			FROM path AS p JOIN jobs.phase_type_precedence AS e ON e.before = p.type JOIN model USING (model) JOIN weight AS w ON w.type = e.after AND w.by = p.by)
	SELECT jsonb_agg(jsonb_build_object('from', s.type, 'by', h.by, 'impact', h.impact))
	FROM rules.seconds($1, $2) AS s, (SELECT p.by, max(p.impact) AS impact FROM path AS p GROUP BY p.by) AS h
$$;
CREATE FUNCTION rules.bottleneck_extract(job_id bigint, phase_id bigint, records jsonb) RETURNS TABLE (source text, impact float8) LANGUAGE sql STABLE AS $$
	SELECT r.by, r.impact FROM jsonb_to_recordset($3) AS r (by text, impact float8)
$$;
