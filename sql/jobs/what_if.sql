--
-- what a change would gain, and rules that fit the measurements
--

CREATE FUNCTION simulate(
		job_id bigint,
		change jsonb,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_id bigint,
		OUT start_time timestamptz,
		OUT end_time timestamptz
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_simulate';
COMMENT ON FUNCTION simulate(bigint, jsonb, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'when each phase would have run with a change: {"remove": resource type} takes the time that it limits '
		'leaves out of them, {"balance": phase type} gives phases that run at a time the mean of their durations, '
		'{"scale": [phase type, factor]} multiplies the durations of its leaves, also with "remove"; {}: as recorded. '
		'Precedence, repetition and waiting stay; the makespan is the duration of the root. Unknown names and factors '
		'below 0 are error 22023 (asked for by Hegeman 2024, 6.2.2(3))';

CREATE FUNCTION makespans(
		job_id bigint,
		changes jsonb,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT n integer,
		OUT makespan float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 15 COST 100000
	AS 'MODULE_PATHNAME', 'jobs_makespans';
COMMENT ON FUNCTION makespans(bigint, jsonb, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'how many seconds a job would have taken with each change of an array, numbered from 1, and did take (0): the '
		'duration of the root by simulate()';

CREATE FUNCTION suggest_rules(
		job_id bigint,
		factor integer DEFAULT 8,
		of_type text DEFAULT NULL,
		evaluations integer DEFAULT 1000,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_type text,
		OUT resource_type text,
		OUT rule text,
		OUT cap float8,
		OUT error_now float8,
		OUT error_suggested float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 10 COST 1000000
	AS 'MODULE_PATHNAME', 'jobs_suggest_rules';
COMMENT ON FUNCTION suggest_rules(bigint, integer, text, integer, interval, timestamptz, text, float8, text,
		boolean, boolean)
	IS 'attribution rules under which phase-aware samples restore measurements better of which each factor (that many) '
		'were made one: a search that changes the rule of one phase type at a time, tries at most so many sets of '
		'rules (evaluations; a notice says how many), and returns those that differ from the model; errors are '
		'relative and of all suggestions for a resource type (of_type, or all) together (asked for by Hegeman 2024, '
		'6.2.2(2))';
