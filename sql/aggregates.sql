
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
