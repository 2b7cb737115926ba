--
-- how far an attribution can be trusted, and the algorithms by themselves
--

CREATE TYPE sampling_accuracy AS (
	resource_type text,
	sampling text,
	factor integer,
	average_error float8,
	average_usage float8,
	relative_error float8
);
COMMENT ON TYPE sampling_accuracy
	IS 'row of sampling_error(): means weighted by the duration of measurements, and the first by the second';

CREATE TYPE period_sample AS (
	slice integer,
	greedy_usage float8,
	sink_usage float8,
	background_usage float8,
	usage float8
);
COMMENT ON TYPE period_sample IS 'row of algorithm1(): what a slice has, by what it comes from and in all';

CREATE FUNCTION sampling_error(
		job_id bigint,
		factors integer[],
		resource_type text DEFAULT NULL,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true
	) RETURNS SETOF sampling_accuracy
	LANGUAGE c STABLE PARALLEL SAFE ROWS 100 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_sampling_error';
COMMENT ON FUNCTION sampling_error(bigint, integer[], text, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'how well constant and phase-aware samples restore measurements of which each factor (that many) were '
		'made one; of one type of resources or all (Hegeman 2024, 5.5.1.3)';

CREATE FUNCTION attribution_difference(
		job_id bigint,
		slice interval,
		phase_type text,
		resource_type text,
		other jsonb,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT direction text,
		OUT measure text,
		OUT samples bigint,
		OUT baseline_consumption float8,
		OUT n bigint,
		OUT sum float8,
		OUT mean float8,
		OUT sd float8,
		OUT cv float8,
		OUT min float8,
		OUT q1 float8,
		OUT median float8,
		OUT q3 float8,
		OUT max float8
	) RETURNS SETOF record
	LANGUAGE c STABLE PARALLEL SAFE ROWS 6 COST 10000
	AS 'MODULE_PATHNAME', 'jobs_attribution_difference';
COMMENT ON FUNCTION attribution_difference(bigint, interval, text, text, jsonb, timestamptz, text, float8, text,
		boolean, boolean)
	IS 'what other options (an object with sampling, delta, predicate, use_greedy, use_blocking) change in '
		'the usage attributed to phases of a type: statistics of slices (magnitude), and of runs of slices '
		'(duration, area), over and under (Hegeman 2024, 5.5.1)';

CREATE FUNCTION algorithm1(
		usage float8,
		capacity float8,
		greedy_demand float8[],
		sink_count integer[]
	) RETURNS SETOF period_sample
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 100
	AS 'MODULE_PATHNAME', 'jobs_algorithm1';
COMMENT ON FUNCTION algorithm1(float8, float8, float8[], integer[])
	IS 'phase-aware samples of one measured period with a mean usage, slice by slice from 0 (Hegeman 2024, '
		'Algorithm 1); the last row, with a null slice, is what found no room';

CREATE FUNCTION algorithm2(
		sample float8,
		capacity float8,
		greedy_caps float8[],
		sink_count integer,
		OUT phase integer,
		OUT usage float8,
		OUT available_capacity float8
	) RETURNS SETOF record
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 100
	AS 'MODULE_PATHNAME', 'jobs_algorithm2';
COMMENT ON FUNCTION algorithm2(float8, float8, float8[], integer)
	IS 'the usage of one slice by its greedy phases, in the order of their caps, and its sinks, numbered '
		'from 0 (Hegeman 2024, Algorithm 2); the last row, with a null phase, is what none of them gets';

CREATE FUNCTION predicate_holds(predicate text, phase_types text[], bottlenecked boolean[],
		resource_type text DEFAULT '') RETURNS boolean
	LANGUAGE c STABLE STRICT PARALLEL RESTRICTED
	AS 'MODULE_PATHNAME', 'jobs_predicate_holds';
COMMENT ON FUNCTION predicate_holds(text, text[], boolean[], text)
	IS 'whether a phase is bottlenecked, given the types of its parts, and which of them are; null: one that '
		'cannot be (Hegeman 2024, Table 4.3); resource_type: what a predicate that is a function is told';
