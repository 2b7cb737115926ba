--
-- what limits phases, when and for how long
--
-- What may ask a predicate that is a function of somebody's is restricted to the leader of a parallel query: such
-- functions are unsafe in a worker unless they say something else.
--

CREATE FUNCTION leaf_bottlenecks(
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
		OUT scope text
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_leaf_bottlenecks';
COMMENT ON FUNCTION leaf_bottlenecks(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'when which resource limits a leaf (Hegeman 2024, equations 4.2 to 4.4); scope: blocking (it waits), '
		'resource (the resource is at delta of its capacity), phase (the leaf is at delta of what it may '
		'have)';

CREATE FUNCTION bottlenecks(
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
		OUT start_time timestamptz,
		OUT end_time timestamptz,
		OUT cause text
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_bottlenecks';
COMMENT ON FUNCTION bottlenecks(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'when which type of resource limits a phase: a leaf by any resource of the type; one with parts while '
		'predicate holds of its parts: any, all, majority, majority_any, strict_majority, '
		'strict_majority_any, at_least:F, function:SCHEMA.NAME (Hegeman 2024, equations 4.5 to 4.7). cause: '
		'blocking; saturated (the resource is at delta, one leaf uses at least half of it), contended (at delta, '
		'none does), allocation (the leaf is at delta of what it may have, the resource is not); of several '
		'resources or parts the first of these';

CREATE FUNCTION bottleneck_timeline(
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
		OUT end_time timestamptz,
		OUT resource_types text[]
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_bottleneck_timeline';
COMMENT ON FUNCTION bottleneck_timeline(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'which types of resources limit a phase at a time, in bytewise order; covers the life of each phase';

CREATE FUNCTION bottleneck_durations(
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
		OUT duration float8,
		OUT bottleneck_time float8,
		OUT fraction float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 10000 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_bottleneck_durations';
COMMENT ON FUNCTION bottleneck_durations(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'how many seconds each type of resource limits a phase; resource_type null: the time without any '
		'bottleneck';

CREATE FUNCTION bottleneck_summary(
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
		OUT duration float8,
		OUT bottleneck_time float8,
		OUT fraction float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL RESTRICTED ROWS 100 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_bottleneck_summary';
COMMENT ON FUNCTION bottleneck_summary(bigint, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'how many seconds each type of resource limits the phases of a type, of all they take together; '
		'resource_type null: the time without any bottleneck';
