
--
-- stackquery: a pattern over stacks, lquery for frames
--

CREATE TYPE stackquery;

CREATE FUNCTION stackquery_in(cstring) RETURNS stackquery
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION stackquery_out(stackquery) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION stackquery_recv(internal) RETURNS stackquery
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION stackquery_send(stackquery) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE stackquery (
	INPUT = stackquery_in,
	OUTPUT = stackquery_out,
	RECEIVE = stackquery_recv,
	SEND = stackquery_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);

COMMENT ON TYPE stackquery
	IS 'a pattern over stacks: levels joined by ";", e.g. main;*;parse*{1,2};!read|write; "quoted frame", '
		'~"regular expression"';
COMMENT ON FUNCTION stackquery_in(cstring) IS 'I/O';
COMMENT ON FUNCTION stackquery_out(stackquery) IS 'I/O';
COMMENT ON FUNCTION stackquery_recv(internal) IS 'I/O';
COMMENT ON FUNCTION stackquery_send(stackquery) IS 'I/O';

-- comparison, by the canonical text

CREATE FUNCTION stackquery_eq(stackquery, stackquery) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_eq(stackquery, stackquery) IS 'implementation of = operator';
CREATE FUNCTION stackquery_ne(stackquery, stackquery) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_ne(stackquery, stackquery) IS 'implementation of <> operator';
CREATE FUNCTION stackquery_lt(stackquery, stackquery) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_lt(stackquery, stackquery) IS 'implementation of < operator';
CREATE FUNCTION stackquery_le(stackquery, stackquery) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_le(stackquery, stackquery) IS 'implementation of <= operator';
CREATE FUNCTION stackquery_gt(stackquery, stackquery) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_gt(stackquery, stackquery) IS 'implementation of > operator';
CREATE FUNCTION stackquery_ge(stackquery, stackquery) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_ge(stackquery, stackquery) IS 'implementation of >= operator';
CREATE OPERATOR = (
	LEFTARG = stackquery, RIGHTARG = stackquery, FUNCTION = stackquery_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (stackquery, stackquery) IS 'equal';
CREATE OPERATOR <> (
	LEFTARG = stackquery, RIGHTARG = stackquery, FUNCTION = stackquery_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (stackquery, stackquery) IS 'not equal';
CREATE OPERATOR < (
	LEFTARG = stackquery, RIGHTARG = stackquery, FUNCTION = stackquery_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (stackquery, stackquery) IS 'less than';
CREATE OPERATOR <= (
	LEFTARG = stackquery, RIGHTARG = stackquery, FUNCTION = stackquery_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (stackquery, stackquery) IS 'less than or equal';
CREATE OPERATOR > (
	LEFTARG = stackquery, RIGHTARG = stackquery, FUNCTION = stackquery_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (stackquery, stackquery) IS 'greater than';
CREATE OPERATOR >= (
	LEFTARG = stackquery, RIGHTARG = stackquery, FUNCTION = stackquery_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (stackquery, stackquery) IS 'greater than or equal';

CREATE FUNCTION stackquery_cmp(stackquery, stackquery) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_cmp(stackquery, stackquery) IS 'less-equal-greater';
CREATE FUNCTION stackquery_hash(stackquery) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_hash(stackquery) IS 'hash';
CREATE FUNCTION stackquery_hash_extended(stackquery, int8) RETURNS int8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stackquery_hash_extended(stackquery, int8) IS 'hash';

CREATE OPERATOR CLASS stackquery_ops DEFAULT FOR TYPE stackquery USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 stackquery_cmp(stackquery, stackquery),
	FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS stackquery_ops USING btree IS 'patterns in the order of their text';
COMMENT ON OPERATOR FAMILY stackquery_ops USING btree IS 'patterns in the order of their text';
CREATE OPERATOR CLASS stackquery_ops DEFAULT FOR TYPE stackquery USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 stackquery_hash(stackquery),
	FUNCTION 2 stackquery_hash_extended(stackquery, int8);
COMMENT ON OPERATOR CLASS stackquery_ops USING hash IS 'equality of patterns';
COMMENT ON OPERATOR FAMILY stackquery_ops USING hash IS 'equality of patterns';

-- matching; several patterns: path ~ ANY (queries)

CREATE FUNCTION matches(path stackpath, query stackquery) RETURNS bool
	AS 'MODULE_PATHNAME', 'stackpath_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION matches(stackpath, stackquery)
	IS 'does the whole stack match the pattern? The ~ operator as a function';
CREATE FUNCTION stackquery_matches_stackpath(stackquery, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION stackquery_matches_stackpath(stackquery, stackpath) IS 'implementation of ~ operator';
CREATE FUNCTION matches(fg flamegraph, query stackquery) RETURNS bool
	AS 'MODULE_PATHNAME', 'flamegraph_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION matches(flamegraph, stackquery)
	IS 'does some stack with a value match the pattern? The ~ operator as a function';
CREATE FUNCTION stackquery_matches_flamegraph(stackquery, flamegraph) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION stackquery_matches_flamegraph(stackquery, flamegraph) IS 'implementation of ~ operator';

CREATE OPERATOR ~ (
	LEFTARG = stackpath, RIGHTARG = stackquery, FUNCTION = matches, COMMUTATOR = ~,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ~ (stackpath, stackquery) IS 'matches the pattern';
CREATE OPERATOR ~ (
	LEFTARG = stackquery, RIGHTARG = stackpath, FUNCTION = stackquery_matches_stackpath, COMMUTATOR = ~,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ~ (stackquery, stackpath) IS 'is matched by';
CREATE OPERATOR ~ (
	LEFTARG = flamegraph, RIGHTARG = stackquery, FUNCTION = matches, COMMUTATOR = ~,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ~ (flamegraph, stackquery) IS 'some stack matches the pattern';
CREATE OPERATOR ~ (
	LEFTARG = stackquery, RIGHTARG = flamegraph, FUNCTION = stackquery_matches_flamegraph, COMMUTATOR = ~,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ~ (stackquery, flamegraph) IS 'is matched by some stack of';
