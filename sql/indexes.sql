
--
-- GIN indexes over frames
--

CREATE FUNCTION gin_frame_compare(text, text) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_frame_compare(text, text) IS 'GIN support';
CREATE FUNCTION gin_frame_compare_prefix(text, text, int2, internal) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_frame_compare_prefix(text, text, int2, internal) IS 'GIN support';
CREATE FUNCTION gin_extract_stackpath(stackpath, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_extract_stackpath(stackpath, internal) IS 'GIN support';
CREATE FUNCTION gin_extract_flamegraph(flamegraph, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'gin_extract_flamegraph_short' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_extract_flamegraph(flamegraph, internal) IS 'GIN support';
CREATE FUNCTION gin_stackpath_extract_query(stackpath, internal, int2, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME', 'gin_extract_frames_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_stackpath_extract_query(stackpath, internal, int2, internal, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_stackpath_consistent(internal, int2, stackpath, int4, internal, internal, internal, internal)
	RETURNS bool
	AS 'MODULE_PATHNAME', 'gin_frames_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_stackpath_consistent(internal, int2, stackpath, int4, internal, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_stackpath_triconsistent(internal, int2, stackpath, int4, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'gin_frames_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_stackpath_triconsistent(internal, int2, stackpath, int4, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_flamegraph_extract_query(flamegraph, internal, int2, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_flamegraph_extract_query(flamegraph, internal, int2, internal, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_flamegraph_consistent(internal, int2, flamegraph, int4, internal, internal, internal, internal)
	RETURNS bool
	AS 'MODULE_PATHNAME', 'gin_flameseries_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_flamegraph_consistent(internal, int2, flamegraph, int4, internal, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_flamegraph_triconsistent(internal, int2, flamegraph, int4, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'gin_flameseries_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_flamegraph_triconsistent(internal, int2, flamegraph, int4, internal, internal, internal)
	IS 'GIN support';

CREATE OPERATOR CLASS gin_stackpath_ops DEFAULT FOR TYPE stackpath USING gin AS
	OPERATOR 1 ? (stackpath, text),
	OPERATOR 2 ?| (stackpath, text[]),
	OPERATOR 3 ?& (stackpath, text[]),
	OPERATOR 4 ~ (stackpath, stackquery),
	FUNCTION 1 gin_frame_compare(text, text),
	FUNCTION 2 gin_extract_stackpath(stackpath, internal),
	FUNCTION 3 gin_stackpath_extract_query(stackpath, internal, int2, internal, internal, internal, internal),
	FUNCTION 4 gin_stackpath_consistent(internal, int2, stackpath, int4, internal, internal, internal, internal),
	FUNCTION 5 gin_frame_compare_prefix(text, text, int2, internal),
	FUNCTION 6 gin_stackpath_triconsistent(internal, int2, stackpath, int4, internal, internal, internal),
	STORAGE text;
COMMENT ON OPERATOR CLASS gin_stackpath_ops USING gin IS 'stacks by their frames: ? ?| ?& ~';
COMMENT ON OPERATOR FAMILY gin_stackpath_ops USING gin IS 'stacks by their frames';

CREATE OPERATOR CLASS gin_flamegraph_ops DEFAULT FOR TYPE flamegraph USING gin AS
	OPERATOR 1 ? (flamegraph, text),
	OPERATOR 2 ?| (flamegraph, text[]),
	OPERATOR 3 ?& (flamegraph, text[]),
	OPERATOR 4 ~ (flamegraph, stackquery),
	OPERATOR 5 @> (flamegraph, stackpath),
	FUNCTION 1 gin_frame_compare(text, text),
	FUNCTION 2 gin_extract_flamegraph(flamegraph, internal),
	FUNCTION 3 gin_flamegraph_extract_query(flamegraph, internal, int2, internal, internal, internal, internal),
	FUNCTION 4 gin_flamegraph_consistent(internal, int2, flamegraph, int4, internal, internal, internal, internal),
	FUNCTION 5 gin_frame_compare_prefix(text, text, int2, internal),
	FUNCTION 6 gin_flamegraph_triconsistent(internal, int2, flamegraph, int4, internal, internal, internal),
	STORAGE text;
COMMENT ON OPERATOR CLASS gin_flamegraph_ops USING gin IS 'profiles by their frames: ? ?| ?& ~ @>';
COMMENT ON OPERATOR FAMILY gin_flamegraph_ops USING gin IS 'profiles by their frames';
