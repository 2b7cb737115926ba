
--
-- building and reading
--

CREATE FUNCTION flamegraph_agg_stackpath(flamegraph, stackpath, float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION flamegraph_agg_stackpath(flamegraph, stackpath, float8) IS 'aggregate transition function';
CREATE FUNCTION flamegraph_agg_text(flamegraph, text, float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION flamegraph_agg_text(flamegraph, text, float8) IS 'aggregate transition function';
CREATE FUNCTION flamegraph_agg_array(flamegraph, text[], float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION flamegraph_agg_array(flamegraph, text[], float8) IS 'aggregate transition function';

CREATE AGGREGATE flamegraph_agg(stack stackpath, value float8) (
	SFUNC = flamegraph_agg_stackpath,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_sum_accum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flamegraph_agg(stackpath, float8)
	IS 'the profile of these stacks; equal stacks add up; rows with a null are skipped; NULL when there are none';
CREATE AGGREGATE flamegraph_agg(stack text, value float8) (
	SFUNC = flamegraph_agg_text,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_sum_accum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flamegraph_agg(text, float8) IS 'the profile of these stacks; each text is read as a path, a;b;c';
CREATE AGGREGATE flamegraph_agg(stack text[], value float8) (
	SFUNC = flamegraph_agg_array,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_sum_accum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flamegraph_agg(text[], float8)
	IS 'the profile of these stacks; each array holds the frames as they stand';

CREATE FUNCTION flamegraph_from_folded(data text, on_error text DEFAULT 'error') RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_folded' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_folded(text, text)
	IS 'reads folded stacks of other tools: no escapes, an empty frame is [unknown]; on_error ''skip'' counts lines '
		'that do not parse, or whose value is out of range, in a WARNING';
CREATE FUNCTION flamegraph_from_folded(data bytea, on_error text DEFAULT 'error') RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_folded_bytes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_folded(bytea, text)
	IS 'reads folded stacks of other tools from the bytes of a file, which must be UTF-8';

CREATE FUNCTION flamegraph_to_folded(fg flamegraph, raw bool DEFAULT false) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_to_folded' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_to_folded(flamegraph, bool)
	IS 'folded text of any size that reads back exactly; raw => true for other tools: no escapes, ";" inside a frame '
		'becomes ":"';

CREATE FUNCTION stacks(fg flamegraph, OUT stack stackpath, OUT value float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_stacks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 3000;
COMMENT ON FUNCTION stacks(flamegraph) IS 'the stacks with their values, in canonical order';

CREATE FUNCTION nodes(fg flamegraph,
					  OUT node int4, OUT parent int4, OUT stack stackpath, OUT frame text,
					  OUT depth int4, OUT recursion int4, OUT self float8, OUT total float8,
					  OUT self_share float8, OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_nodes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 50000;
COMMENT ON FUNCTION nodes(flamegraph)
	IS 'the calling context tree in preorder, numbered from 1, the virtual root (0) left out; recursion: ancestors '
		'with the same frame; total: inclusive value; shares of the whole, NULL when that is 0';

CREATE FUNCTION node_facts(fg flamegraph,
						   OUT node int4, OUT parent int4, OUT frame text,
						   OUT depth int4, OUT recursion int4, OUT self float8, OUT total float8,
						   OUT self_share float8, OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_node_facts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 50000;
COMMENT ON FUNCTION node_facts(flamegraph) IS 'nodes() without the stack: narrow rows for large profiles';
