
--
-- stackpath: one call stack, root first
--

CREATE TYPE stackpath;

CREATE FUNCTION stackpath_in(cstring) RETURNS stackpath
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION stackpath_out(stackpath) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION stackpath_recv(internal) RETURNS stackpath
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION stackpath_send(stackpath) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE stackpath (
	INPUT = stackpath_in,
	OUTPUT = stackpath_out,
	RECEIVE = stackpath_recv,
	SEND = stackpath_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);

COMMENT ON TYPE stackpath
	IS 'a call stack, root first: frames joined by ";", e.g. main;parse;read; \; is a semicolon inside a frame';
COMMENT ON FUNCTION stackpath_in(cstring) IS 'I/O';
COMMENT ON FUNCTION stackpath_out(stackpath) IS 'I/O';
COMMENT ON FUNCTION stackpath_recv(internal) IS 'I/O';
COMMENT ON FUNCTION stackpath_send(stackpath) IS 'I/O';

-- parts

CREATE FUNCTION depth(path stackpath) RETURNS int4
	AS 'MODULE_PATHNAME', 'stackpath_depth' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION depth(stackpath) IS 'number of frames; 0 for the empty path';

CREATE FUNCTION frame(path stackpath, n int4) RETURNS text
	AS 'MODULE_PATHNAME', 'stackpath_frame' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frame(stackpath, int4)
	IS 'the frame at position n, counted from 0 at the root, from -1 at the leaf; NULL outside';

CREATE FUNCTION root(path stackpath) RETURNS text
	AS 'MODULE_PATHNAME', 'stackpath_root' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION root(stackpath) IS 'the first frame; NULL for the empty path';

CREATE FUNCTION leaf(path stackpath) RETURNS text
	AS 'MODULE_PATHNAME', 'stackpath_leaf' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION leaf(stackpath) IS 'the last frame; NULL for the empty path';

CREATE FUNCTION parent(path stackpath) RETURNS stackpath
	AS 'MODULE_PATHNAME', 'stackpath_parent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION parent(stackpath) IS 'the path without its last frame; NULL for the empty path';

CREATE FUNCTION frames(path stackpath) RETURNS text[]
	AS 'MODULE_PATHNAME', 'stackpath_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frames(stackpath) IS 'the frames, root first';

CREATE FUNCTION stackpath(frames text[]) RETURNS stackpath
	AS 'MODULE_PATHNAME', 'stackpath_from_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath(text[])
	IS 'the path of these frames, taken as they stand: no escapes; write stackpath(ARRAY[...]), for '
		'stackpath(''{a,b}'') is one frame';

CREATE FUNCTION subpath(path stackpath, start int4) RETURNS stackpath
	AS 'MODULE_PATHNAME', 'stackpath_subpath' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION subpath(stackpath, int4) IS 'the frames from position start on; negative: that many from the end';

CREATE FUNCTION subpath(path stackpath, start int4, len int4) RETURNS stackpath
	AS 'MODULE_PATHNAME', 'stackpath_subpath_length' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION subpath(stackpath, int4, int4)
	IS 'len frames from position start on; a negative len leaves that many off the end';

CREATE FUNCTION append_frame(path stackpath, frame text) RETURNS stackpath
	AS 'MODULE_PATHNAME', 'stackpath_append_frame' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION append_frame(stackpath, text) IS 'the path with one more frame, taken as it stands';

CREATE FUNCTION position_of(path stackpath, sub stackpath) RETURNS int4
	AS 'MODULE_PATHNAME', 'stackpath_position_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION position_of(stackpath, stackpath)
	IS 'where the frames of sub first follow each other in the path; -1 when nowhere';

CREATE FUNCTION position_of(path stackpath, sub stackpath, start int4) RETURNS int4
	AS 'MODULE_PATHNAME', 'stackpath_position_of_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION position_of(stackpath, stackpath, int4)
	IS 'the same from position start on; negative: that many from the end';

CREATE FUNCTION lca(a stackpath, b stackpath) RETURNS stackpath
	AS 'MODULE_PATHNAME', 'stackpath_lca' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lca(stackpath, stackpath) IS 'the longest common prefix, the paths themselves included';

CREATE FUNCTION lca(paths stackpath[]) RETURNS stackpath
	AS 'MODULE_PATHNAME', 'stackpath_lca_array' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION lca(stackpath[]) IS 'the longest common prefix of all; NULL for no path';

CREATE AGGREGATE lca_agg(stackpath) (
	SFUNC = lca,
	STYPE = stackpath,
	COMBINEFUNC = lca,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE lca_agg(stackpath) IS 'the longest common prefix of all non-null paths; NULL when there are none';

CREATE FUNCTION stackpath_upper(path stackpath) RETURNS stackpath
	AS 'MODULE_PATHNAME', 'stackpath_upper' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath_upper(stackpath)
	IS 'end of the range of its descendants: x <@ path means x >= path and x < stackpath_upper(path); NULL for the '
		'empty path, which has no end';

-- Casts between text and stackpath are the automatic ones; declaring one here
-- would take the assignment to text columns away.
CREATE CAST (text[] AS stackpath) WITH FUNCTION stackpath(text[]);
COMMENT ON CAST (text[] AS stackpath) IS 'the path of these frames';
CREATE CAST (stackpath AS text[]) WITH FUNCTION frames(stackpath);
COMMENT ON CAST (stackpath AS text[]) IS 'the frames, root first';

-- concatenation

CREATE FUNCTION stackpath_concat(stackpath, stackpath) RETURNS stackpath
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath_concat(stackpath, stackpath) IS 'implementation of || operator';
CREATE FUNCTION stackpath_concat_text(stackpath, text) RETURNS stackpath
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath_concat_text(stackpath, text) IS 'implementation of || operator';
CREATE FUNCTION text_concat_stackpath(text, stackpath) RETURNS stackpath
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text_concat_stackpath(text, stackpath) IS 'implementation of || operator';

CREATE OPERATOR || (LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_concat);
COMMENT ON OPERATOR || (stackpath, stackpath) IS 'concatenate';
CREATE OPERATOR || (LEFTARG = stackpath, RIGHTARG = text, FUNCTION = stackpath_concat_text);
COMMENT ON OPERATOR || (stackpath, text) IS 'concatenate; the text is read as a path';
CREATE OPERATOR || (LEFTARG = text, RIGHTARG = stackpath, FUNCTION = text_concat_stackpath);
COMMENT ON OPERATOR || (text, stackpath) IS 'concatenate; the text is read as a path';

-- comparison: bytewise frame by frame, a prefix first, independent of collation

CREATE FUNCTION stackpath_eq(stackpath, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION stackpath_ne(stackpath, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION stackpath_lt(stackpath, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION stackpath_le(stackpath, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION stackpath_gt(stackpath, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION stackpath_ge(stackpath, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION stackpath_cmp(stackpath, stackpath) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION stackpath_hash(stackpath) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION stackpath_hash_extended(stackpath, int8) RETURNS int8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath_eq(stackpath, stackpath) IS 'implementation of = operator';
COMMENT ON FUNCTION stackpath_ne(stackpath, stackpath) IS 'implementation of <> operator';
COMMENT ON FUNCTION stackpath_lt(stackpath, stackpath) IS 'implementation of < operator';
COMMENT ON FUNCTION stackpath_le(stackpath, stackpath) IS 'implementation of <= operator';
COMMENT ON FUNCTION stackpath_gt(stackpath, stackpath) IS 'implementation of > operator';
COMMENT ON FUNCTION stackpath_ge(stackpath, stackpath) IS 'implementation of >= operator';
COMMENT ON FUNCTION stackpath_cmp(stackpath, stackpath) IS 'less-equal-greater';
COMMENT ON FUNCTION stackpath_hash(stackpath) IS 'hash';
COMMENT ON FUNCTION stackpath_hash_extended(stackpath, int8) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR = (stackpath, stackpath) IS 'equal';
COMMENT ON OPERATOR <> (stackpath, stackpath) IS 'not equal';
COMMENT ON OPERATOR < (stackpath, stackpath) IS 'less than: frame by frame, bytewise, a prefix first';
COMMENT ON OPERATOR <= (stackpath, stackpath) IS 'less than or equal';
COMMENT ON OPERATOR > (stackpath, stackpath) IS 'greater than';
COMMENT ON OPERATOR >= (stackpath, stackpath) IS 'greater than or equal';

CREATE OPERATOR CLASS stackpath_ops DEFAULT FOR TYPE stackpath USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 stackpath_cmp(stackpath, stackpath),
	FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS stackpath_ops USING btree
	IS 'stacks in canonical order; for stacks whose compressed form stays below 2,700 bytes';
COMMENT ON OPERATOR FAMILY stackpath_ops USING btree IS 'stacks in canonical order';

CREATE OPERATOR CLASS stackpath_ops DEFAULT FOR TYPE stackpath USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 stackpath_hash(stackpath),
	FUNCTION 2 stackpath_hash_extended(stackpath, int8);
COMMENT ON OPERATOR CLASS stackpath_ops USING hash IS 'equality of stacks of any length';
COMMENT ON OPERATOR FAMILY stackpath_ops USING hash IS 'equality of stacks of any length';

-- ancestors and descendants; with a constant on one side a btree index serves them

CREATE FUNCTION stackpath_contains_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath_contains_support(internal) IS 'planner support for @> operator';
CREATE FUNCTION stackpath_contained_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath_contained_support(internal) IS 'planner support for <@ operator';

CREATE FUNCTION stackpath_contains(stackpath, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT stackpath_contains_support;
COMMENT ON FUNCTION stackpath_contains(stackpath, stackpath) IS 'implementation of @> operator';
CREATE FUNCTION stackpath_contained(stackpath, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT stackpath_contained_support;
COMMENT ON FUNCTION stackpath_contained(stackpath, stackpath) IS 'implementation of <@ operator';

CREATE OPERATOR @> (
	LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_contains,
	COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @> (stackpath, stackpath) IS 'is an ancestor of, or equal';
CREATE OPERATOR <@ (
	LEFTARG = stackpath, RIGHTARG = stackpath, FUNCTION = stackpath_contained,
	COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@ (stackpath, stackpath) IS 'is a descendant of, or equal';

-- frames of a stack

CREATE FUNCTION has_frame(path stackpath, frame text) RETURNS bool
	AS 'MODULE_PATHNAME', 'stackpath_has_frame' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION has_frame(stackpath, text) IS 'does the stack have this frame? The ? operator as a function';
CREATE FUNCTION has_any_frame(path stackpath, frames text[]) RETURNS bool
	AS 'MODULE_PATHNAME', 'stackpath_has_any_frame' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION has_any_frame(stackpath, text[])
	IS 'does the stack have any of these frames? The ?| operator as a function, where a NULL array is an empty one';
CREATE FUNCTION has_all_frames(path stackpath, frames text[]) RETURNS bool
	AS 'MODULE_PATHNAME', 'stackpath_has_all_frames' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION has_all_frames(stackpath, text[])
	IS 'does the stack have all of these frames? The ?& operator as a function, where a NULL array is an empty one';

CREATE OPERATOR ? (
	LEFTARG = stackpath, RIGHTARG = text, FUNCTION = has_frame,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ? (stackpath, text) IS 'has this frame';
CREATE FUNCTION stackpath_has_any_frame(stackpath, text[]) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath_has_any_frame(stackpath, text[]) IS 'implementation of ?| operator';
CREATE OPERATOR ?| (
	LEFTARG = stackpath, RIGHTARG = text[], FUNCTION = stackpath_has_any_frame,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ?| (stackpath, text[]) IS 'has any of these frames';
CREATE FUNCTION stackpath_has_all_frames(stackpath, text[]) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackpath_has_all_frames(stackpath, text[]) IS 'implementation of ?& operator';
CREATE OPERATOR ?& (
	LEFTARG = stackpath, RIGHTARG = text[], FUNCTION = stackpath_has_all_frames,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ?& (stackpath, text[]) IS 'has all of these frames';
