
--
-- jobs are profiles
--

CREATE FUNCTION job_profile(
		job_id bigint,
		measure text DEFAULT 'time',
		resource_type text DEFAULT NULL,
		instances boolean DEFAULT false,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true
	) RETURNS flamegraph
	LANGUAGE c STABLE PARALLEL SAFE COST 10000
	AS 'MODULE_PATHNAME', 'jobs_job_profile';
COMMENT ON FUNCTION job_profile(bigint, text, text, boolean, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'a job as a profile: stacks are the phase types from the root to a leaf, with instances type:instance; values '
		'are sums over leaves. measure: time (seconds of life), usage and available (of a consumable resource_type, '
		'in its unit times seconds), waiting (seconds, for a blocking resource_type or any), bottleneck (seconds in '
		'which a resource_type, or any, limits the leaf). An error (22023) for another measure, for a resource_type '
		'that is missing, not in the model or of the wrong class';
