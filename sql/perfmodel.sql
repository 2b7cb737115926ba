
--
-- perfmodel: a fitted performance model y = f(x)
--

CREATE TYPE perfmodel;

CREATE FUNCTION perfmodel_in(cstring) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION perfmodel_out(perfmodel) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION perfmodel_recv(internal) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION perfmodel_send(perfmodel) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

CREATE TYPE perfmodel (
	INPUT = perfmodel_in,
	OUTPUT = perfmodel_out,
	RECEIVE = perfmodel_recv,
	SEND = perfmodel_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);

COMMENT ON TYPE perfmodel
	IS 'a performance model y = f(x): kind, parameters, curve, interval, number of points, goodness; as text JSON that '
		'reads back exactly';
COMMENT ON FUNCTION perfmodel_in(cstring) IS 'I/O';
COMMENT ON FUNCTION perfmodel_out(perfmodel) IS 'I/O';
COMMENT ON FUNCTION perfmodel_recv(internal) IS 'I/O';
COMMENT ON FUNCTION perfmodel_send(perfmodel) IS 'I/O';

CREATE FUNCTION perfmodel_eq(perfmodel, perfmodel) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION perfmodel_eq(perfmodel, perfmodel) IS 'implementation of = operator';
CREATE FUNCTION perfmodel_ne(perfmodel, perfmodel) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION perfmodel_ne(perfmodel, perfmodel) IS 'implementation of <> operator';

CREATE OPERATOR = (
	LEFTARG = perfmodel, RIGHTARG = perfmodel, FUNCTION = perfmodel_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (perfmodel, perfmodel) IS 'equal in every part, the parameters included';
CREATE OPERATOR <> (
	LEFTARG = perfmodel, RIGHTARG = perfmodel, FUNCTION = perfmodel_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (perfmodel, perfmodel) IS 'not equal';

CREATE FUNCTION perfmodel_to_jsonb(perfmodel) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION perfmodel_to_jsonb(perfmodel) IS 'implementation of the cast to jsonb';
CREATE CAST (perfmodel AS jsonb) WITH FUNCTION perfmodel_to_jsonb(perfmodel);
COMMENT ON CAST (perfmodel AS jsonb) IS 'kind, facts, parameters and columns of a model; the text form parsed';
