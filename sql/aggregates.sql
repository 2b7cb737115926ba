
--
-- aggregates over profiles
--
-- The state is a visible type in expanded form, so that PostgreSQL's partial
-- aggregation, postgres_fdw and Citus can split them (docs/internals.md).
--

CREATE FUNCTION flamegraph_sum_accum(flamegraph, flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_sum_accum(flamegraph, flamegraph) IS 'aggregate transition and combine function';

CREATE AGGREGATE sum(fg flamegraph) (
	SFUNC = flamegraph_sum_accum,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_sum_accum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sum(flamegraph) IS 'sum of all non-null profiles, stack by stack; NULL when there are none';

CREATE FUNCTION flamestats_accum(flamestats, flamegraph) RETURNS flamestats
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamestats_accum(flamestats, flamegraph) IS 'aggregate transition function';
CREATE FUNCTION flamestats_combine(flamestats, flamestats) RETURNS flamestats
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamestats_combine(flamestats, flamestats) IS 'aggregate combine function';
CREATE FUNCTION flamestats_avg(flamestats) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamestats_avg(flamestats) IS 'aggregate final function';

CREATE AGGREGATE avg(fg flamegraph) (
	SFUNC = flamestats_accum,
	STYPE = flamestats,
	FINALFUNC = flamestats_avg,
	COMBINEFUNC = flamestats_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE avg(flamegraph)
	IS 'average of all non-null profiles, stack by stack, a missing stack counting as 0; NULL when there are none';

CREATE FUNCTION flamegraph_min_accum(flamegraph, flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_min_accum(flamegraph, flamegraph) IS 'aggregate transition and combine function';

CREATE AGGREGATE min(fg flamegraph) (
	SFUNC = flamegraph_min_accum,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_min_accum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(flamegraph)
	IS 'minimum of each stack over all non-null profiles, a missing stack counting as 0; NULL when there are none';

CREATE FUNCTION flamegraph_max_accum(flamegraph, flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_max_accum(flamegraph, flamegraph) IS 'aggregate transition and combine function';

CREATE AGGREGATE max(fg flamegraph) (
	SFUNC = flamegraph_max_accum,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_max_accum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(flamegraph)
	IS 'maximum of each stack over all non-null profiles, a missing stack counting as 0; NULL when there are none';

CREATE FUNCTION flamegraph_support_accum(flamegraph, flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_support_accum(flamegraph, flamegraph) IS 'aggregate transition function';

CREATE AGGREGATE support_count(fg flamegraph) (
	SFUNC = flamegraph_support_accum,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_sum_accum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE support_count(flamegraph)
	IS 'in how many of the non-null profiles each stack occurs; NULL when there are none';

CREATE FUNCTION flamestats_variance(flamestats) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamestats_variance(flamestats) IS 'aggregate final function';

CREATE AGGREGATE variance(fg flamegraph) (
	SFUNC = flamestats_accum,
	STYPE = flamestats,
	FINALFUNC = flamestats_variance,
	COMBINEFUNC = flamestats_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE variance(flamegraph)
	IS 'sample variance of each stack over all non-null profiles, a missing stack counting as 0; NULL for fewer than '
		'two';

CREATE FUNCTION flamestats_stddev(flamestats) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamestats_stddev(flamestats) IS 'aggregate final function';

CREATE AGGREGATE stddev(fg flamegraph) (
	SFUNC = flamestats_accum,
	STYPE = flamestats,
	FINALFUNC = flamestats_stddev,
	COMBINEFUNC = flamestats_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stddev(flamegraph)
	IS 'sample standard deviation of each stack over all non-null profiles, a missing stack counting as 0; NULL for '
		'fewer than two';

CREATE AGGREGATE stats(fg flamegraph) (
	SFUNC = flamestats_accum,
	STYPE = flamestats,
	COMBINEFUNC = flamestats_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stats(flamegraph)
	IS 'statistics of all non-null profiles by stacks: how many there are, sums and squared deviations; NULL when '
		'there are none';

CREATE FUNCTION flamestats_accum_level(flamestats, flamegraph, text) RETURNS flamestats
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamestats_accum_level(flamestats, flamegraph, text) IS 'aggregate transition function';

CREATE AGGREGATE stats(fg flamegraph, level text) (
	SFUNC = flamestats_accum_level,
	STYPE = flamestats,
	COMBINEFUNC = flamestats_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stats(flamegraph, text)
	IS 'the same at a level, one for all rows: stack, node (contexts with what they call), frame (functions with what '
		'they call) or self (functions themselves)';

-- percentiles: the state is the list of the profiles, behind one whose only value is the fraction

CREATE FUNCTION flamegraph_percentile_accum(flamegraph[], flamegraph, float8) RETURNS flamegraph[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION flamegraph_percentile_accum(flamegraph[], flamegraph, float8) IS 'aggregate transition function';
CREATE FUNCTION flamegraph_median_accum(flamegraph[], flamegraph) RETURNS flamegraph[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION flamegraph_median_accum(flamegraph[], flamegraph) IS 'aggregate transition function';
CREATE FUNCTION flamegraph_percentile_combine(flamegraph[], flamegraph[]) RETURNS flamegraph[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_percentile_combine(flamegraph[], flamegraph[]) IS 'aggregate combine function';
CREATE FUNCTION flamegraph_percentile_final(flamegraph[]) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_percentile_final(flamegraph[]) IS 'aggregate final function';

CREATE AGGREGATE percentile(fg flamegraph, fraction float8) (
	SFUNC = flamegraph_percentile_accum,
	STYPE = flamegraph[],
	FINALFUNC = flamegraph_percentile_final,
	COMBINEFUNC = flamegraph_percentile_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE percentile(flamegraph, float8)
	IS 'percentile of each stack over all non-null profiles, as percentile_cont has it, a missing stack counting as '
		'0; one fraction from 0 to 1 for all rows; NULL when there are none';

CREATE AGGREGATE median(fg flamegraph) (
	SFUNC = flamegraph_median_accum,
	STYPE = flamegraph[],
	FINALFUNC = flamegraph_percentile_final,
	COMBINEFUNC = flamegraph_percentile_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE median(flamegraph)
	IS 'median of each stack over all non-null profiles, a missing stack counting as 0; NULL when there are none';

CREATE FUNCTION percentile(profiles flamegraph[], fraction float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_percentile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION percentile(flamegraph[], float8) IS 'the same of an array; NULL for an empty one';
