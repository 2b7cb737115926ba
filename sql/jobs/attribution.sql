--
-- what phases use: waiting, activity, expected load, samples of usage, its attribution
--
-- All functions that analyse a job have the same arguments behind job_id. They read the
-- tables with the rights of the caller.
--
CREATE FUNCTION blocked_intervals(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_id bigint,
		OUT resource_id bigint,
		OUT start_time timestamptz,
		OUT end_time timestamptz
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_blocked_intervals';
COMMENT ON FUNCTION blocked_intervals(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'when which leaf of a job waits on which blocking resource; slice: times are moved to multiples of it '
		'after origin, which is the start of the job if null';

CREATE FUNCTION active_phases(
		job_id bigint,
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
	AS 'MODULE_PATHNAME', 'jobs_active_phases';
COMMENT ON FUNCTION active_phases(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'when each leaf of a job is active: alive, and waiting on no blocking resource';

CREATE FUNCTION estimated_workload(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT resource_id bigint,
		OUT start_time timestamptz,
		OUT end_time timestamptz,
		OUT greedy_demand float8,
		OUT sink_count integer
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_estimated_workload';
COMMENT ON FUNCTION estimated_workload(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'what the active leaves are expected to use of each consumable resource: the sum of the caps of '
		'greedy ones, and how many sinks there are (Hegeman 2024, 4.4.2.5)';

CREATE FUNCTION upsample_usage(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT resource_id bigint,
		OUT start_time timestamptz,
		OUT end_time timestamptz,
		OUT usage float8,
		OUT greedy_usage float8,
		OUT sink_usage float8,
		OUT background_usage float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 100000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_upsample_usage';
COMMENT ON FUNCTION upsample_usage(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'the usage of each consumable resource over time, from its means over measured periods; sampling: '
		'phase_aware (Hegeman 2024, Algorithm 1; only then are there parts), constant, or linear, which needs '
		'a slice';

CREATE FUNCTION unplaced_usage(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT resource_id bigint,
		OUT start_time timestamptz,
		OUT end_time timestamptz,
		OUT usage float8,
		OUT unplaced float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 100 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_unplaced_usage';
COMMENT ON FUNCTION unplaced_usage(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'measurements above the capacity, and how much of each (unit times seconds) found no room in its '
		'period';

CREATE FUNCTION attribute_usage(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_id bigint,
		OUT resource_id bigint,
		OUT start_time timestamptz,
		OUT end_time timestamptz,
		OUT usage float8,
		OUT available_capacity float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 100000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_attribute_usage';
COMMENT ON FUNCTION attribute_usage(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'what each leaf uses of each consumable resource over time, and what it could use (Hegeman 2024, '
		'Algorithm 2); where both are 0 there is no row';

CREATE FUNCTION unattributed_usage(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT resource_id bigint,
		OUT start_time timestamptz,
		OUT end_time timestamptz,
		OUT usage float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 1000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_unattributed_usage';
COMMENT ON FUNCTION unattributed_usage(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'usage that no leaf gets, as only greedy leaves or none are active: the background';

CREATE FUNCTION phase_consumption(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_id bigint,
		OUT resource_id bigint,
		OUT consumption float8,
		OUT available float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_phase_consumption';
COMMENT ON FUNCTION phase_consumption(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'what each phase uses of each consumable resource during its life, and what it could use, in unit '
		'times seconds; phases with parts have the sum of their leaves';

CREATE FUNCTION consumption_summary(
		job_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT phase_type text,
		OUT resource_type text,
		OUT consumption float8,
		OUT available float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 100 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_consumption_summary';
COMMENT ON FUNCTION consumption_summary(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'what all phases of a type use of all resources of a type, and what they could use, in unit times '
		'seconds';
