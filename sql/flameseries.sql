
--
-- flameseries: a sequence of profiles over one tree
--

CREATE TYPE flameseries;

CREATE FUNCTION flameseries_in(cstring) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
CREATE FUNCTION flameseries_out(flameseries) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION flameseries_recv(internal) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
CREATE FUNCTION flameseries_send(flameseries) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

CREATE TYPE flameseries (
	INPUT = flameseries_in,
	OUTPUT = flameseries_out,
	RECEIVE = flameseries_recv,
	SEND = flameseries_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);

COMMENT ON TYPE flameseries
	IS 'profiles with their times and instances over one shared tree; in text one packed word';
COMMENT ON FUNCTION flameseries_in(cstring) IS 'I/O';
COMMENT ON FUNCTION flameseries_out(flameseries) IS 'I/O';
COMMENT ON FUNCTION flameseries_recv(internal) IS 'I/O';
COMMENT ON FUNCTION flameseries_send(flameseries) IS 'I/O';

-- comparison: by the canonical bytes, so equal multisets of profiles are equal; the order is arbitrary but total

CREATE FUNCTION flameseries_eq(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flameseries_ne(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flameseries_lt(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flameseries_le(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flameseries_gt(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flameseries_ge(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flameseries_cmp(flameseries, flameseries) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;
CREATE FUNCTION flameseries_hash(flameseries) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION flameseries_hash_extended(flameseries, int8) RETURNS int8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION flameseries_eq(flameseries, flameseries) IS 'implementation of = operator';
COMMENT ON FUNCTION flameseries_ne(flameseries, flameseries) IS 'implementation of <> operator';
COMMENT ON FUNCTION flameseries_lt(flameseries, flameseries) IS 'implementation of < operator';
COMMENT ON FUNCTION flameseries_le(flameseries, flameseries) IS 'implementation of <= operator';
COMMENT ON FUNCTION flameseries_gt(flameseries, flameseries) IS 'implementation of > operator';
COMMENT ON FUNCTION flameseries_ge(flameseries, flameseries) IS 'implementation of >= operator';
COMMENT ON FUNCTION flameseries_cmp(flameseries, flameseries) IS 'less-equal-greater';
COMMENT ON FUNCTION flameseries_hash(flameseries) IS 'hash';
COMMENT ON FUNCTION flameseries_hash_extended(flameseries, int8) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR = (flameseries, flameseries) IS 'the same profiles at the same times';
COMMENT ON OPERATOR <> (flameseries, flameseries) IS 'not equal';
COMMENT ON OPERATOR < (flameseries, flameseries) IS 'less than in an arbitrary total order';
COMMENT ON OPERATOR <= (flameseries, flameseries) IS 'less than or equal in an arbitrary total order';
COMMENT ON OPERATOR > (flameseries, flameseries) IS 'greater than in an arbitrary total order';
COMMENT ON OPERATOR >= (flameseries, flameseries) IS 'greater than or equal in an arbitrary total order';

-- Without btequalimage: equal values may be compressed differently, or not at all.
CREATE OPERATOR CLASS flameseries_ops DEFAULT FOR TYPE flameseries USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 flameseries_cmp(flameseries, flameseries);
COMMENT ON OPERATOR CLASS flameseries_ops USING btree
	IS 'for ORDER BY, GROUP BY and DISTINCT; series are too large for an index';
COMMENT ON OPERATOR FAMILY flameseries_ops USING btree IS 'for ORDER BY, GROUP BY and DISTINCT';

CREATE OPERATOR CLASS flameseries_ops DEFAULT FOR TYPE flameseries USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 flameseries_hash(flameseries),
	FUNCTION 2 flameseries_hash_extended(flameseries, int8);
COMMENT ON OPERATOR CLASS flameseries_ops USING hash IS 'equality of series';
COMMENT ON OPERATOR FAMILY flameseries_ops USING hash IS 'equality of series';

-- collecting: profiles into a series, series into one, series into a profile

CREATE FUNCTION flameseries_accum(flameseries, timestamptz, flamegraph) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flameseries_accum(flameseries, timestamptz, flamegraph) IS 'aggregate transition function';
CREATE FUNCTION flameseries_accum(flameseries, timestamptz, flamegraph, text) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flameseries_accum(flameseries, timestamptz, flamegraph, text) IS 'aggregate transition function';
CREATE FUNCTION flameseries_combine(flameseries, flameseries) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flameseries_combine(flameseries, flameseries) IS 'aggregate transition and combine function';
CREATE FUNCTION flameseries_sum_accum(flamegraph, flameseries) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flameseries_sum_accum(flamegraph, flameseries) IS 'aggregate transition function';

CREATE AGGREGATE flameseries_agg(at timestamptz, fg flamegraph) (
	SFUNC = flameseries_accum,
	STYPE = flameseries,
	COMBINEFUNC = flameseries_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flameseries_agg(timestamptz, flamegraph)
	IS 'the profiles as a series, each with its time; null profiles are left out; NULL when there are none';
CREATE AGGREGATE flameseries_agg(at timestamptz, fg flamegraph, instance text) (
	SFUNC = flameseries_accum,
	STYPE = flameseries,
	COMBINEFUNC = flameseries_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flameseries_agg(timestamptz, flamegraph, text)
	IS 'the same with the name of the machine, pod or process that each profile is of; null or empty: none';
CREATE AGGREGATE flameseries_agg(fs flameseries) (
	SFUNC = flameseries_combine,
	STYPE = flameseries,
	COMBINEFUNC = flameseries_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flameseries_agg(flameseries)
	IS 'all profiles of the series as one series, in which equal profiles stay as many as they were';
CREATE AGGREGATE sum(fs flameseries) (
	SFUNC = flameseries_sum_accum,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_sum_accum,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sum(flameseries) IS 'the sum of all profiles of all series; NULL when there are none';

-- facts, read from the head of a stored value

CREATE FUNCTION profile_count(fs flameseries) RETURNS int4
	AS 'MODULE_PATHNAME', 'flameseries_profile_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION profile_count(flameseries) IS 'number of profiles';
CREATE FUNCTION since(fs flameseries) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'flameseries_since' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION since(flameseries) IS 'time of the first profile; NULL when there is none';
CREATE FUNCTION until(fs flameseries) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'flameseries_until' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION until(flameseries) IS 'time of the last profile; NULL when there is none';
CREATE FUNCTION instances(fs flameseries) RETURNS text[]
	AS 'MODULE_PATHNAME', 'flameseries_instances' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION instances(flameseries)
	IS 'whom its profiles are of, in bytewise order; an empty name first when some are of nobody';

-- windows: since is included, until is not; NULL is no bound, and all instances

-- since has no default: sum(fs) is the aggregate
CREATE FUNCTION sum(fs flameseries, since timestamptz, until timestamptz DEFAULT NULL,
					instances text[] DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flameseries_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION sum(flameseries, timestamptz, timestamptz, text[])
	IS 'the sum of the profiles from since up to, but not including, until, of these instances; NULL: no bound, all';
CREATE FUNCTION slice(fs flameseries, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
					  instances text[] DEFAULT NULL) RETURNS flameseries
	AS 'MODULE_PATHNAME', 'flameseries_slice' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION slice(flameseries, timestamptz, timestamptz, text[])
	IS 'the profiles from since up to, but not including, until, of these instances, as a series';
CREATE FUNCTION top(fs flameseries, since timestamptz, until timestamptz, max_rows int4 DEFAULT 20,
					instances text[] DEFAULT NULL,
					OUT frame text, OUT self float8, OUT self_share float8,
					OUT total float8, OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_top' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION top(flameseries, timestamptz, timestamptz, int4, text[])
	IS 'the frames in which most is spent in the window, as top(flamegraph) of its sum';
CREATE FUNCTION step_sums(fs flameseries, step interval, since timestamptz DEFAULT NULL,
						  until timestamptz DEFAULT NULL, instances text[] DEFAULT NULL,
						  OUT at timestamptz, OUT profile flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_step_sums' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 60;
COMMENT ON FUNCTION step_sums(flameseries, interval, timestamptz, timestamptz, text[])
	IS 'the sums of the profiles of each step that has some: at is when it begins, in UTC on full minutes, hours, days '
		'or on Mondays';

-- every profile, and what one function or context comes to in each

CREATE FUNCTION profiles(fs flameseries, OUT at timestamptz, OUT instance text, OUT profile flamegraph)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_profiles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1500;
COMMENT ON FUNCTION profiles(flameseries) IS 'its profiles, by time and instance';
CREATE FUNCTION trend(fs flameseries, frame text, level text DEFAULT 'total', since timestamptz DEFAULT NULL,
					  until timestamptz DEFAULT NULL, instances text[] DEFAULT NULL,
					  OUT at timestamptz, OUT instance text, OUT value float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_trend' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1500;
COMMENT ON FUNCTION trend(flameseries, text, text, timestamptz, timestamptz, text[])
	IS 'the value of a function in each profile, 0 where it does not occur; level total: with what it calls, once for '
		'a recursion; self: itself';
CREATE FUNCTION trend(fs flameseries, path stackpath, level text DEFAULT 'total', since timestamptz DEFAULT NULL,
					  until timestamptz DEFAULT NULL, instances text[] DEFAULT NULL,
					  OUT at timestamptz, OUT instance text, OUT value float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_trend_path' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1500;
COMMENT ON FUNCTION trend(flameseries, stackpath, text, timestamptz, timestamptz, text[])
	IS 'the same of a calling context; the empty path is all that a profile has';
CREATE FUNCTION frame_sum(fs flameseries, frame text, level text DEFAULT 'total', since timestamptz DEFAULT NULL,
						  until timestamptz DEFAULT NULL, instances text[] DEFAULT NULL) RETURNS float8
	AS 'MODULE_PATHNAME', 'flameseries_frame_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION frame_sum(flameseries, text, text, timestamptz, timestamptz, text[])
	IS 'the value of a function in all profiles of a window together, the sum of trend(); NULL where it does not occur';
CREATE FUNCTION stats(fs flameseries, level text) RETURNS flamestats
	AS 'MODULE_PATHNAME', 'flameseries_stats' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION stats(flameseries, text)
	IS 'statistics of its profiles at a level, as stats(flamegraph, level) of all of them; NULL when there are none';

-- what occurs in some profile: answered by the shared tree

CREATE FUNCTION has_frame(fs flameseries, frame text) RETURNS bool
	AS 'MODULE_PATHNAME', 'flameseries_has_frame' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION has_frame(flameseries, text) IS 'does some profile have this frame? The ? operator as a function';
CREATE FUNCTION has_any_frame(fs flameseries, frames text[]) RETURNS bool
	AS 'MODULE_PATHNAME', 'flameseries_has_any_frame' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION has_any_frame(flameseries, text[])
	IS 'do its profiles have any of these frames? The ?| operator as a function, where a NULL array is an empty one';
CREATE FUNCTION has_all_frames(fs flameseries, frames text[]) RETURNS bool
	AS 'MODULE_PATHNAME', 'flameseries_has_all_frames' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION has_all_frames(flameseries, text[])
	IS 'do its profiles together have all of these frames? The ?& operator as a function, where a NULL array is an '
		'empty one';

CREATE OPERATOR ? (
	LEFTARG = flameseries, RIGHTARG = text, FUNCTION = has_frame,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ? (flameseries, text) IS 'some profile has this frame';
CREATE FUNCTION flameseries_has_any_frame(flameseries, text[]) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION flameseries_has_any_frame(flameseries, text[]) IS 'implementation of ?| operator';
CREATE OPERATOR ?| (
	LEFTARG = flameseries, RIGHTARG = text[], FUNCTION = flameseries_has_any_frame,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ?| (flameseries, text[]) IS 'some profile has any of these frames';
CREATE FUNCTION flameseries_has_all_frames(flameseries, text[]) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION flameseries_has_all_frames(flameseries, text[]) IS 'implementation of ?& operator';
CREATE OPERATOR ?& (
	LEFTARG = flameseries, RIGHTARG = text[], FUNCTION = flameseries_has_all_frames,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ?& (flameseries, text[]) IS 'the profiles together have all of these frames';

-- not named has_path: of two such functions none could be called with literals
CREATE FUNCTION flameseries_has_path(flameseries, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION flameseries_has_path(flameseries, stackpath) IS 'implementation of @> operator';
CREATE FUNCTION stackpath_in_flameseries(stackpath, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION stackpath_in_flameseries(stackpath, flameseries) IS 'implementation of <@ operator';
CREATE OPERATOR @> (
	LEFTARG = flameseries, RIGHTARG = stackpath, FUNCTION = flameseries_has_path, COMMUTATOR = <@,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @> (flameseries, stackpath) IS 'a stack of some profile begins with the path';
CREATE OPERATOR <@ (
	LEFTARG = stackpath, RIGHTARG = flameseries, FUNCTION = stackpath_in_flameseries, COMMUTATOR = @>,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR <@ (stackpath, flameseries) IS 'begins a stack of some profile';

CREATE FUNCTION matches(fs flameseries, query stackquery) RETURNS bool
	AS 'MODULE_PATHNAME', 'flameseries_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION matches(flameseries, stackquery)
	IS 'does a stack of some profile match the pattern? The ~ operator as a function';
CREATE FUNCTION stackquery_matches_flameseries(stackquery, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION stackquery_matches_flameseries(stackquery, flameseries) IS 'implementation of ~ operator';
CREATE OPERATOR ~ (
	LEFTARG = flameseries, RIGHTARG = stackquery, FUNCTION = matches, COMMUTATOR = ~,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ~ (flameseries, stackquery) IS 'a stack of some profile matches the pattern';
CREATE OPERATOR ~ (
	LEFTARG = stackquery, RIGHTARG = flameseries, FUNCTION = stackquery_matches_flameseries, COMMUTATOR = ~,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR ~ (stackquery, flameseries) IS 'is matched by a stack of some profile of';

-- GIN indexes over the frames of the shared tree

CREATE FUNCTION gin_extract_flameseries(flameseries, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_extract_flameseries(flameseries, internal) IS 'GIN support';
CREATE FUNCTION gin_flameseries_extract_query(flameseries, internal, int2, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_flameseries_extract_query(flameseries, internal, int2, internal, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_flameseries_consistent(internal, int2, flameseries, int4, internal, internal, internal, internal)
	RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION
	gin_flameseries_consistent(internal, int2, flameseries, int4, internal, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_flameseries_triconsistent(internal, int2, flameseries, int4, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_flameseries_triconsistent(internal, int2, flameseries, int4, internal, internal, internal)
	IS 'GIN support';

CREATE OPERATOR CLASS gin_flameseries_ops DEFAULT FOR TYPE flameseries USING gin AS
	OPERATOR 1 ? (flameseries, text),
	OPERATOR 2 ?| (flameseries, text[]),
	OPERATOR 3 ?& (flameseries, text[]),
	OPERATOR 4 ~ (flameseries, stackquery),
	OPERATOR 5 @> (flameseries, stackpath),
	FUNCTION 1 gin_frame_compare(text, text),
	FUNCTION 2 gin_extract_flameseries(flameseries, internal),
	FUNCTION 3 gin_flameseries_extract_query(flameseries, internal, int2, internal, internal, internal, internal),
	FUNCTION 4 gin_flameseries_consistent(internal, int2, flameseries, int4, internal, internal, internal, internal),
	FUNCTION 5 gin_frame_compare_prefix(text, text, int2, internal),
	FUNCTION 6 gin_flameseries_triconsistent(internal, int2, flameseries, int4, internal, internal, internal),
	STORAGE text;
COMMENT ON OPERATOR CLASS gin_flameseries_ops USING gin IS 'series by the frames of their profiles: ? ?| ?& ~ @>';
COMMENT ON OPERATOR FAMILY gin_flameseries_ops USING gin IS 'series by the frames of their profiles';
