
--
-- flamegraph: a profile, a sparse vector over call stacks
--

CREATE TYPE flamegraph;

CREATE FUNCTION flamegraph_in(cstring) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION flamegraph_out(flamegraph) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION flamegraph_recv(internal) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION flamegraph_send(flamegraph) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

CREATE TYPE flamegraph (
	INPUT = flamegraph_in,
	OUTPUT = flamegraph_out,
	RECEIVE = flamegraph_recv,
	SEND = flamegraph_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);

COMMENT ON TYPE flamegraph
	IS 'a profile: a sparse vector over call stacks; in text a line per stack, frames joined by ";", a space, the '
		'value; larger than 64 KiB one packed word';
COMMENT ON FUNCTION flamegraph_in(cstring) IS 'I/O';
COMMENT ON FUNCTION flamegraph_out(flamegraph) IS 'I/O';
COMMENT ON FUNCTION flamegraph_recv(internal) IS 'I/O';
COMMENT ON FUNCTION flamegraph_send(flamegraph) IS 'I/O';

-- facts: all but the last are read from the header, without the rest of a stored value

CREATE FUNCTION total(fg flamegraph) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total(flamegraph) IS 'sum of all values, in their unit';

CREATE FUNCTION nstacks(fg flamegraph) RETURNS int4
	AS 'MODULE_PATHNAME', 'flamegraph_nstacks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION nstacks(flamegraph) IS 'number of stacks with a value, the empty stack included';

CREATE FUNCTION nnodes(fg flamegraph) RETURNS int4
	AS 'MODULE_PATHNAME', 'flamegraph_nnodes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION nnodes(flamegraph) IS 'number of nodes of the calling context tree, without the virtual root';

CREATE FUNCTION nframes(fg flamegraph) RETURNS int4
	AS 'MODULE_PATHNAME', 'flamegraph_nframes' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION nframes(flamegraph) IS 'number of distinct frames';

CREATE FUNCTION depth(fg flamegraph) RETURNS int4
	AS 'MODULE_PATHNAME', 'flamegraph_depth' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION depth(flamegraph) IS 'number of frames of the deepest stack';

CREATE FUNCTION value_at(fg flamegraph, path stackpath) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_value_at' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION value_at(flamegraph, stackpath)
	IS 'value of this stack itself, 0 if it has none; the -> operator as a function';

CREATE OPERATOR -> (LEFTARG = flamegraph, RIGHTARG = stackpath, FUNCTION = value_at);
COMMENT ON OPERATOR -> (flamegraph, stackpath) IS 'value of this stack itself, 0 if it has none';

CREATE FUNCTION total_at(fg flamegraph, path stackpath) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_total_at' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION total_at(flamegraph, stackpath)
	IS 'inclusive value of this calling context: the sum of the stacks that start so; the ->> operator as a function';

CREATE OPERATOR ->> (LEFTARG = flamegraph, RIGHTARG = stackpath, FUNCTION = total_at);
COMMENT ON OPERATOR ->> (flamegraph, stackpath) IS 'inclusive value of this calling context, 0 if there is none';

CREATE FUNCTION frame_total(fg flamegraph, frame text) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_frame_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION frame_total(flamegraph, text)
	IS 'recursion-free inclusive value of a frame: the sum of the stacks that have it, each once';

CREATE FUNCTION frame_self(fg flamegraph, frame text) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_frame_self' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION frame_self(flamegraph, text) IS 'sum of the stacks that end in this frame';

CREATE FUNCTION frames(fg flamegraph) RETURNS text[]
	AS 'MODULE_PATHNAME', 'flamegraph_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION frames(flamegraph) IS 'its distinct frames, in bytewise order';

CREATE FUNCTION is_positive(fg flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME', 'flamegraph_is_positive' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION is_positive(flamegraph) IS 'is no value negative?';

CREATE FUNCTION has_frame(fg flamegraph, frame text) RETURNS bool
	AS 'MODULE_PATHNAME', 'flamegraph_has_frame' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION has_frame(flamegraph, text) IS 'does the profile have this frame? The ? operator as a function';
CREATE FUNCTION has_any_frame(fg flamegraph, frames text[]) RETURNS bool
	AS 'MODULE_PATHNAME', 'flamegraph_has_any_frame' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION has_any_frame(flamegraph, text[])
	IS 'does the profile have any of these frames? The ?| operator as a function, where a NULL array is an empty one';
CREATE FUNCTION has_all_frames(fg flamegraph, frames text[]) RETURNS bool
	AS 'MODULE_PATHNAME', 'flamegraph_has_all_frames' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION has_all_frames(flamegraph, text[])
	IS 'does the profile have all of these frames? The ?& operator as a function, where a NULL array is an empty one';

CREATE OPERATOR ? (
	LEFTARG = flamegraph, RIGHTARG = text, FUNCTION = has_frame,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ? (flamegraph, text) IS 'has this frame';
CREATE FUNCTION flamegraph_has_any_frame(flamegraph, text[]) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION flamegraph_has_any_frame(flamegraph, text[]) IS 'implementation of ?| operator';
CREATE OPERATOR ?| (
	LEFTARG = flamegraph, RIGHTARG = text[], FUNCTION = flamegraph_has_any_frame,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ?| (flamegraph, text[]) IS 'has any of these frames';
CREATE FUNCTION flamegraph_has_all_frames(flamegraph, text[]) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION flamegraph_has_all_frames(flamegraph, text[]) IS 'implementation of ?& operator';
CREATE OPERATOR ?& (
	LEFTARG = flamegraph, RIGHTARG = text[], FUNCTION = flamegraph_has_all_frames,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ?& (flamegraph, text[]) IS 'has all of these frames';

-- vector space

CREATE FUNCTION flamegraph_add(flamegraph, flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_add(flamegraph, flamegraph) IS 'implementation of + operator';
CREATE FUNCTION flamegraph_subtract(flamegraph, flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_subtract(flamegraph, flamegraph) IS 'implementation of - operator';
CREATE FUNCTION flamegraph_negate(flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_negate(flamegraph) IS 'implementation of - operator';
CREATE FUNCTION flamegraph_multiply(flamegraph, float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_multiply(flamegraph, float8) IS 'implementation of * operator';
CREATE FUNCTION float8_multiply_flamegraph(float8, flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION float8_multiply_flamegraph(float8, flamegraph) IS 'implementation of * operator';
CREATE FUNCTION flamegraph_divide(flamegraph, float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_divide(flamegraph, float8) IS 'implementation of / operator';

CREATE OPERATOR + (
	LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_add, COMMUTATOR = +
);
COMMENT ON OPERATOR + (flamegraph, flamegraph) IS 'add, stack by stack';
CREATE OPERATOR - (LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_subtract);
COMMENT ON OPERATOR - (flamegraph, flamegraph) IS 'subtract, stack by stack';
CREATE OPERATOR - (RIGHTARG = flamegraph, FUNCTION = flamegraph_negate);
COMMENT ON OPERATOR - (NONE, flamegraph) IS 'negate';
CREATE OPERATOR * (
	LEFTARG = flamegraph, RIGHTARG = float8, FUNCTION = flamegraph_multiply, COMMUTATOR = *
);
COMMENT ON OPERATOR * (flamegraph, float8) IS 'multiply every value';
CREATE OPERATOR * (
	LEFTARG = float8, RIGHTARG = flamegraph, FUNCTION = float8_multiply_flamegraph, COMMUTATOR = *
);
COMMENT ON OPERATOR * (float8, flamegraph) IS 'multiply every value';
CREATE OPERATOR / (LEFTARG = flamegraph, RIGHTARG = float8, FUNCTION = flamegraph_divide);
COMMENT ON OPERATOR / (flamegraph, float8) IS 'divide every value';

CREATE FUNCTION flamegraph_norm_l1(flamegraph) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION flamegraph_norm_l1(flamegraph) IS 'implementation of @-@ operator';
CREATE OPERATOR @-@ (RIGHTARG = flamegraph, FUNCTION = flamegraph_norm_l1);
COMMENT ON OPERATOR @-@ (NONE, flamegraph) IS 'L1 norm: sum of the absolute values';

CREATE FUNCTION norm(fg flamegraph, p float8 DEFAULT 1) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_norm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION norm(flamegraph, float8) IS 'p-norm for p = 1, 2 or infinity; 1 is read from the header';

CREATE FUNCTION flamegraph_distance_l1(flamegraph, flamegraph) RETURNS float8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_distance_l1(flamegraph, flamegraph) IS 'implementation of <-> operator';
CREATE OPERATOR <-> (
	LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_distance_l1,
	COMMUTATOR = <->
);
COMMENT ON OPERATOR <-> (flamegraph, flamegraph) IS 'L1 distance: norm of the difference';

CREATE FUNCTION distance(a flamegraph, b flamegraph, p float8 DEFAULT 1) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION distance(flamegraph, flamegraph, float8) IS 'p-norm of a - b for p = 1, 2 or infinity';

CREATE FUNCTION similarity(a flamegraph, b flamegraph) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_similarity' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION similarity(flamegraph, flamegraph)
	IS '1 - |a-b| / (|a|+|b|), from 0 (no stack in common) to 1 (equal); 1 for two empty profiles (Tornetta 2023)';

CREATE FUNCTION positive_part(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_positive_part' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION positive_part(flamegraph)
	IS 'the stacks with positive values; fg = positive_part(fg) - negative_part(fg)';

CREATE FUNCTION negative_part(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_negative_part' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION negative_part(flamegraph) IS 'the stacks with negative values, as positive numbers';

CREATE FUNCTION absolute(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_absolute' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION absolute(flamegraph) IS 'every value without its sign';

-- comparison: by the canonical bytes, so equal vectors are equal; the order is arbitrary but total

CREATE FUNCTION flamegraph_eq(flamegraph, flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flamegraph_ne(flamegraph, flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flamegraph_lt(flamegraph, flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flamegraph_le(flamegraph, flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flamegraph_gt(flamegraph, flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flamegraph_ge(flamegraph, flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flamegraph_cmp(flamegraph, flamegraph) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flamegraph_hash(flamegraph) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION flamegraph_hash_extended(flamegraph, int8) RETURNS int8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION flamegraph_eq(flamegraph, flamegraph) IS 'implementation of = operator';
COMMENT ON FUNCTION flamegraph_ne(flamegraph, flamegraph) IS 'implementation of <> operator';
COMMENT ON FUNCTION flamegraph_lt(flamegraph, flamegraph) IS 'implementation of < operator';
COMMENT ON FUNCTION flamegraph_le(flamegraph, flamegraph) IS 'implementation of <= operator';
COMMENT ON FUNCTION flamegraph_gt(flamegraph, flamegraph) IS 'implementation of > operator';
COMMENT ON FUNCTION flamegraph_ge(flamegraph, flamegraph) IS 'implementation of >= operator';
COMMENT ON FUNCTION flamegraph_cmp(flamegraph, flamegraph) IS 'less-equal-greater';
COMMENT ON FUNCTION flamegraph_hash(flamegraph) IS 'hash';
COMMENT ON FUNCTION flamegraph_hash_extended(flamegraph, int8) IS 'hash';
CREATE FUNCTION content_hash(fg flamegraph) RETURNS uuid
	AS 'MODULE_PATHNAME', 'flamegraph_content_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION content_hash(flamegraph)
	IS 'what stands for a profile in a key: 128 bits, those of flamegraph_hash_extended() for 1 and for 2';

CREATE OPERATOR = (
	LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = flamegraph, RIGHTARG = flamegraph, FUNCTION = flamegraph_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR = (flamegraph, flamegraph) IS 'equal as vectors';
COMMENT ON OPERATOR <> (flamegraph, flamegraph) IS 'not equal';
COMMENT ON OPERATOR < (flamegraph, flamegraph) IS 'less than in an arbitrary total order';
COMMENT ON OPERATOR <= (flamegraph, flamegraph) IS 'less than or equal in an arbitrary total order';
COMMENT ON OPERATOR > (flamegraph, flamegraph) IS 'greater than in an arbitrary total order';
COMMENT ON OPERATOR >= (flamegraph, flamegraph) IS 'greater than or equal in an arbitrary total order';

-- Without btequalimage: equal values may be compressed differently, or not at all.
CREATE OPERATOR CLASS flamegraph_ops DEFAULT FOR TYPE flamegraph USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 flamegraph_cmp(flamegraph, flamegraph);
COMMENT ON OPERATOR CLASS flamegraph_ops USING btree
	IS 'for ORDER BY, GROUP BY and DISTINCT; profiles are too large for an index';
COMMENT ON OPERATOR FAMILY flamegraph_ops USING btree IS 'for ORDER BY, GROUP BY and DISTINCT';

CREATE OPERATOR CLASS flamegraph_ops DEFAULT FOR TYPE flamegraph USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 flamegraph_hash(flamegraph),
	FUNCTION 2 flamegraph_hash_extended(flamegraph, int8);
COMMENT ON OPERATOR CLASS flamegraph_ops USING hash IS 'equality of profiles';
COMMENT ON OPERATOR FAMILY flamegraph_ops USING hash IS 'equality of profiles';

-- does a calling context exist?

CREATE FUNCTION has_path(fg flamegraph, path stackpath) RETURNS bool
	AS 'MODULE_PATHNAME', 'flamegraph_has_path' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION has_path(flamegraph, stackpath)
	IS 'does some stack begin with the path? The @> operator as a function';
CREATE FUNCTION stackpath_in_flamegraph(stackpath, flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION stackpath_in_flamegraph(stackpath, flamegraph) IS 'implementation of <@ operator';

CREATE OPERATOR @> (
	LEFTARG = flamegraph, RIGHTARG = stackpath, FUNCTION = has_path, COMMUTATOR = <@,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @> (flamegraph, stackpath) IS 'some stack begins with the path';
CREATE OPERATOR <@ (
	LEFTARG = stackpath, RIGHTARG = flamegraph, FUNCTION = stackpath_in_flamegraph, COMMUTATOR = @>,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR <@ (stackpath, flamegraph) IS 'begins some stack of';

-- values that are easier to read

-- Both arguments: with one, round('2.5') would be ambiguous for everybody.
CREATE FUNCTION round(fg flamegraph, digits int4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_round' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION round(flamegraph, int4)
	IS 'every value rounded to so many decimal places, ties to the even digit; negative: to tens, hundreds, ...; '
		'stacks whose value becomes 0 go';
