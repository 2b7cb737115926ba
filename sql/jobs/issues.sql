--
-- what phases lose: issues, and what they cost
--

CREATE FUNCTION phase_imbalance(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_id bigint,
		OUT phase_type text,
		OUT actual_makespan float8,
		OUT optimal_makespan float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_phase_imbalance';
COMMENT ON FUNCTION phase_imbalance(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'for each phase and type of phases below it, itself included: seconds that these take, and would take '
		'if those that run at a time took equally long (Hegeman 2024, Algorithm 4)';

CREATE FUNCTION imbalance_issues(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_id bigint,
		OUT phase_type text,
		OUT actual_makespan float8,
		OUT optimal_makespan float8,
		OUT estimated_impact float8,
		OUT relative_impact float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 1000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_imbalance_issues';
COMMENT ON FUNCTION imbalance_issues(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'types of phases whose imbalance costs a phase time: how many seconds, and which share of its '
		'duration';

CREATE FUNCTION bottleneck_issues(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_id bigint,
		OUT resource_type text,
		OUT estimated_impact float8,
		OUT relative_impact float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_bottleneck_issues';
COMMENT ON FUNCTION bottleneck_issues(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'types of resources that cost a phase time: how many seconds it would gain at most without these '
		'bottlenecks, and which share of its duration (Hegeman 2024, Algorithm 5)';

CREATE FUNCTION performance_issues(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_id bigint,
		OUT issue text,
		OUT source text,
		OUT estimated_impact float8,
		OUT relative_impact float8,
		OUT rank integer
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_performance_issues';
COMMENT ON FUNCTION performance_issues(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'what each phase loses, the costliest first: issue bottleneck, whose source is a type of resources, imbalance, '
		'of phases, and the rules of issue_rule, of what they say';

CREATE FUNCTION stragglers(
		job_id bigint,
		phase_type text DEFAULT NULL,
		threshold float8 DEFAULT 0.10,
		OUT phase_id bigint,
		OUT group_phase_id bigint,
		OUT duration float8,
		OUT median float8,
		OUT ratio float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 100 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_stragglers';
COMMENT ON FUNCTION stragglers(bigint, text, float8)
	IS 'phases of a type (null: of any) that take more than threshold over the median of those of their type below '
		'the same parent, group_phase_id; seconds, and duration / median, null for a median of 0 (Hegeman 2024, '
		'Figure 5.15). Error: a type that the model does not have, a threshold that is negative or not finite';
