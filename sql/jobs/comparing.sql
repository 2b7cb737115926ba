
--
-- two jobs: what one takes more of than the other
--
-- Phases have no numbers that two jobs share, so what is compared are types of phases: their names, as the models of
-- the two jobs have them. What one of the jobs has none of counts as 0.
--

CREATE FUNCTION job_measures(
		job_id bigint,
		slice interval,
		origin timestamptz,
		sampling text,
		delta float8,
		predicate text,
		use_greedy boolean,
		use_blocking boolean,
		OUT phase_type text,
		OUT resource_type text,
		OUT measure text,
		OUT value float8
	) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
	WITH summary AS MATERIALIZED (
		SELECT s.phase_type, s.resource_type, s.duration, s.bottleneck_time
		FROM jobs.bottleneck_summary($1, $2, $3, $4, $5, $6, $7, $8) AS s)
	SELECT s.phase_type, NULL::text, 'duration'::text, s.duration FROM summary AS s WHERE s.resource_type IS NULL
	UNION ALL
	SELECT s.phase_type, s.resource_type, 'bottleneck_time'::text, s.bottleneck_time
	FROM summary AS s WHERE s.resource_type IS NOT NULL
	UNION ALL
	SELECT c.phase_type, c.resource_type, 'consumption'::text, c.consumption
	FROM jobs.consumption_summary($1, $2, $3, $4, $5, $6, $7, $8) AS c
	UNION ALL
	SELECT p.phase_type, NULL::text, 'phases'::text, count(*)::float8
	FROM jobs.phase AS p WHERE p.job_id = $1 GROUP BY p.phase_type
	UNION ALL
	SELECT i.phase_type, NULL::text, 'imbalance'::text,
		CASE WHEN i.actual_makespan > i.optimal_makespan THEN i.actual_makespan - i.optimal_makespan ELSE 0::float8 END
	FROM jobs.phase_imbalance($1, $2, $3, $4, $5, $6, $7, $8) AS i
		JOIN jobs.phase AS p ON p.job_id = $1 AND p.phase_id = i.phase_id AND p.parent_id IS NULL;
$$;
COMMENT ON FUNCTION job_measures(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'what compare_jobs() compares, of one job';

CREATE FUNCTION compare_jobs(
		baseline bigint,
		target bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_type text,
		OUT resource_type text,
		OUT measure text,
		OUT baseline float8,
		OUT target float8,
		OUT delta float8,
		OUT relative float8
	) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1000
BEGIN ATOMIC
	SELECT m.phase_type, m.resource_type, m.measure, m.baseline, m.target, m.target - m.baseline,
		jobs.quotient(m.target - m.baseline, m.baseline)
	FROM (SELECT v.phase_type, v.resource_type, v.measure,
			coalesce(sum(v.value) FILTER (WHERE NOT v.of_target), 0::float8) AS baseline,
			coalesce(sum(v.value) FILTER (WHERE v.of_target), 0::float8) AS target
		FROM (SELECT false AS of_target, b.phase_type, b.resource_type, b.measure, b.value
				FROM jobs.job_measures($1, $3, $4, $5, $6, $7, $8, $9) AS b
			UNION ALL
			SELECT true, t.phase_type, t.resource_type, t.measure, t.value
				FROM jobs.job_measures($2, $3, $4, $5, $6, $7, $8, $9) AS t) AS v
		GROUP BY v.phase_type, v.resource_type, v.measure) AS m
	ORDER BY m.phase_type COLLATE pg_catalog."C", m.resource_type COLLATE pg_catalog."C" NULLS FIRST,
		m.measure COLLATE pg_catalog."C";
END;
COMMENT ON FUNCTION compare_jobs(bigint, bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'what all phases of a type have in two jobs: duration and bottleneck_time in seconds, phases, consumption in '
		'unit x seconds, imbalance: what the job would gain at most if they took equally long, in seconds. relative: '
		'delta / baseline, null for a baseline of 0';

CREATE FUNCTION compare_issues(
		baseline bigint,
		target bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_type text,
		OUT issue text,
		OUT source text,
		OUT change text,
		OUT baseline float8,
		OUT target float8,
		OUT delta float8,
		OUT relative float8
	) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
	SELECT c.phase_type, c.issue, c.source,
		CASE WHEN c.baseline = 0::float8 THEN 'new'::text WHEN c.target = 0::float8 THEN 'gone'::text
			WHEN c.target > c.baseline THEN 'grown'::text ELSE 'shrunk'::text END,
		c.baseline, c.target, c.target - c.baseline, jobs.quotient(c.target - c.baseline, c.baseline)
	FROM (SELECT v.phase_type, v.issue, v.source,
			coalesce(sum(v.impact) FILTER (WHERE NOT v.of_target), 0::float8) AS baseline,
			coalesce(sum(v.impact) FILTER (WHERE v.of_target), 0::float8) AS target
		-- Each issue has its phase; the joins are outer ones so that both functions are called, and refuse no job.
		FROM (SELECT false AS of_target, p.phase_type, i.issue, i.source, i.estimated_impact AS impact
				FROM jobs.performance_issues($1, $3, $4, $5, $6, $7, $8, $9) AS i
					LEFT JOIN jobs.phase AS p ON p.job_id = $1 AND p.phase_id = i.phase_id
			UNION ALL
			SELECT true, p.phase_type, i.issue, i.source, i.estimated_impact
				FROM jobs.performance_issues($2, $3, $4, $5, $6, $7, $8, $9) AS i
					LEFT JOIN jobs.phase AS p ON p.job_id = $2 AND p.phase_id = i.phase_id) AS v
		GROUP BY v.phase_type, v.issue, v.source) AS c
	WHERE abs(c.target - c.baseline) > 5e-7::float8
	ORDER BY abs(c.target - c.baseline) DESC, c.phase_type COLLATE pg_catalog."C", c.issue COLLATE pg_catalog."C",
		c.source COLLATE pg_catalog."C";
$$;
COMMENT ON FUNCTION compare_issues(bigint, bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'issues of all phases of a type that are new, gone, grown or shrunk from one job to another, by the sum of '
		'their estimated impacts in seconds; what differs by less than a microsecond is left out';
