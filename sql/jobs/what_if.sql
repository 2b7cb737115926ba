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
	IS 'when each phase would have run with one change: {"remove": resource type} takes the time that it limits '
		'leaves out of them, {"balance": phase type} gives phases that run at a time the mean of their durations, '
		'{"scale": [phase type, factor]} multiplies the durations of its leaves; {}: as recorded. Precedence, repetition '
		'and waiting stay; the makespan is the duration of the root. Unknown names and factors below 0 are error '
		'22023 (asked for by Hegeman 2024, 6.2.2(3))';
