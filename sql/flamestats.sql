
--
-- flamestats: moments of a sample of profiles
--

CREATE TYPE flamestats;

CREATE FUNCTION flamestats_in(cstring) RETURNS flamestats
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION flamestats_out(flamestats) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION flamestats_recv(internal) RETURNS flamestats
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION flamestats_send(flamestats) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

CREATE TYPE flamestats (
	INPUT = flamestats_in,
	OUTPUT = flamestats_out,
	RECEIVE = flamestats_recv,
	SEND = flamestats_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);

COMMENT ON TYPE flamestats
	IS 'moments of a sample of profiles: how many there are and, per stack, their sum and squared deviations; the '
		'state of avg, variance and stddev(flamegraph)';
COMMENT ON FUNCTION flamestats_in(cstring) IS 'I/O';
COMMENT ON FUNCTION flamestats_out(flamestats) IS 'I/O';
COMMENT ON FUNCTION flamestats_recv(internal) IS 'I/O';
COMMENT ON FUNCTION flamestats_send(flamestats) IS 'I/O';

CREATE FUNCTION flamestats_eq(flamestats, flamestats) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flamestats_ne(flamestats, flamestats) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
COMMENT ON FUNCTION flamestats_eq(flamestats, flamestats) IS 'implementation of = operator';
COMMENT ON FUNCTION flamestats_ne(flamestats, flamestats) IS 'implementation of <> operator';

CREATE OPERATOR = (
	LEFTARG = flamestats, RIGHTARG = flamestats, FUNCTION = flamestats_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel
);
CREATE OPERATOR <> (
	LEFTARG = flamestats, RIGHTARG = flamestats, FUNCTION = flamestats_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR = (flamestats, flamestats)
	IS 'equal bytes; sums that are not whole counts may depend on the order of the profiles';
COMMENT ON OPERATOR <> (flamestats, flamestats) IS 'not equal';

CREATE FUNCTION profile_count(s flamestats) RETURNS int8
	AS 'MODULE_PATHNAME', 'flamestats_profile_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION profile_count(flamestats) IS 'number of profiles in the sample';

CREATE FUNCTION flamestats_add(flamestats, flamestats) RETURNS flamestats
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamestats_add(flamestats, flamestats) IS 'implementation of + operator';
CREATE OPERATOR + (
	LEFTARG = flamestats, RIGHTARG = flamestats, FUNCTION = flamestats_add, COMMUTATOR = +
);
COMMENT ON OPERATOR + (flamestats, flamestats) IS 'both samples as one';

CREATE FUNCTION stats_level(s flamestats) RETURNS text
	AS 'MODULE_PATHNAME', 'flamestats_level' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stats_level(flamestats)
	IS 'what the statistics are of: stack, node (contexts with what they call), frame (functions with what they call) '
		'or self (functions themselves)';

CREATE FUNCTION stats_sum(s flamestats) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamestats_sum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION stats_sum(flamestats)
	IS 'the sum of the profiles, of statistics at level stack; those at other levels have none (22023)';

CREATE FUNCTION entries(s flamestats,
						OUT key stackpath, OUT n int8, OUT mean float8, OUT stddev float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamestats_entries' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 5000;
COMMENT ON FUNCTION entries(flamestats)
	IS 'the statistics as rows: n profiles have the key; mean and deviation over all profiles, 0 where it is missing; '
		'stddev is NULL for one profile';
