/* flamegraph: profiles as values in PostgreSQL */

-- complain if the script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION flamegraph" to load this file. \quit

-- Frames are UTF-8 text, compared bytewise; a database in another encoding could
-- neither hold nor show them.
DO LANGUAGE plpgsql $$
BEGIN
	IF pg_catalog.current_setting('server_encoding') OPERATOR(pg_catalog.<>) 'UTF8' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'feature_not_supported',
			MESSAGE = 'extension flamegraph needs a database with encoding UTF8',
			DETAIL = pg_catalog.format('The encoding of this database is %s.',
									   pg_catalog.current_setting('server_encoding')),
			HINT = 'Create a database with ENCODING ''UTF8'' TEMPLATE template0.';
	END IF;
END
$$;

-- Who can put a function or an operator into the schema that this extension goes to could have it called in the place
-- of another by everybody who uses the extension. Nothing here binds to a best match, and the closing check makes sure
-- of that; what is not trustworthy from the start is refused before anything is made. The script of a trusted extension
-- runs as a superuser, so the first thing to do is to look for names in pg_catalog only.
DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	e record;
	v_owner pg_catalog.text;
	v_planted pg_catalog.text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	SELECT x.extowner, x.extnamespace, n.nspname, n.nspowner INTO STRICT e
	FROM pg_extension AS x JOIN pg_namespace AS n ON n.oid = x.extnamespace
	WHERE x.extname = 'flamegraph';

	SELECT r.rolname INTO v_owner FROM pg_roles AS r
	WHERE r.oid = e.nspowner AND NOT r.rolsuper AND r.oid <> e.extowner AND r.rolname <> 'pg_database_owner'
		AND r.oid <> (SELECT d.datdba FROM pg_database AS d WHERE d.datname = current_database());
	IF FOUND THEN
		-- No SET ROLE: a function that is run then could RESET ROLE.
		RAISE EXCEPTION USING
			ERRCODE = 'insufficient_privilege',
			MESSAGE = format('schema "%s" belongs to role "%s"', e.nspname, v_owner),
			DETAIL = 'The owner of a schema can put functions in the way of those of the extension.',
			HINT = format('Connect as role %I to create the extension, or create it in a schema of its own: '
				'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.', v_owner);
	END IF;

	SELECT string_agg(o.name, ', ') INTO v_planted
	FROM (SELECT pg_describe_object(f.classid, f.objid, 0) || ' of ' || quote_ident(r.rolname) AS name
		FROM (SELECT 'pg_proc'::regclass AS classid, p.oid AS objid, p.proowner AS owner FROM pg_proc AS p
			WHERE p.pronamespace = e.extnamespace AND EXISTS (SELECT FROM pg_proc AS c
				WHERE c.pronamespace = 'pg_catalog'::regnamespace AND c.proname = p.proname)
			UNION ALL
			SELECT 'pg_operator'::regclass, o.oid, o.oprowner FROM pg_operator AS o
			WHERE o.oprnamespace = e.extnamespace AND EXISTS (SELECT FROM pg_operator AS c
				WHERE c.oprnamespace = 'pg_catalog'::regnamespace AND c.oprname = o.oprname)) AS f
			JOIN pg_roles AS r ON r.oid = f.owner
		WHERE NOT r.rolsuper AND r.oid <> e.extowner
		ORDER BY 1 LIMIT 5) AS o;
	IF v_planted IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = format('schema "%s" holds functions or operators of others '
				'that are named like those of PostgreSQL', e.nspname),
			DETAIL = format('Among them: %s.', v_planted),
			HINT = 'Put the extension into a schema of its own: '
				'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.';
	END IF;
	PERFORM set_config('search_path', v_path, true);
END
$$;

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

CREATE OPERATOR CLASS flamegraph_ops DEFAULT FOR TYPE flamegraph USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 flamegraph_cmp(flamegraph, flamegraph),
	FUNCTION 4 btequalimage(oid);
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

CREATE FUNCTION entries(s flamestats,
						OUT key stackpath, OUT n int8, OUT mean float8, OUT stddev float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamestats_entries' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 5000;
COMMENT ON FUNCTION entries(flamestats)
	IS 'the statistics as rows: n profiles have the key; mean and deviation over all profiles, 0 where it is missing; '
		'stddev is NULL for one profile';

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

--
-- more algebra: the parts of a change, and linear maps of profiles
--

CREATE FUNCTION appeared(before flamegraph, after flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_appeared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION appeared(flamegraph, flamegraph)
	IS 'stacks that are new after, as positive values; after - before = appeared + grown - disappeared - shrunk '
		'(Tornetta 2023)';

CREATE FUNCTION grown(before flamegraph, after flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_grown' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION grown(flamegraph, flamegraph)
	IS 'what stacks gained that were there before, as positive values; after - before = appeared + grown - disappeared '
		'- shrunk (Tornetta 2023)';

CREATE FUNCTION disappeared(before flamegraph, after flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_disappeared' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION disappeared(flamegraph, flamegraph)
	IS 'stacks that are gone after, as positive values; after - before = appeared + grown - disappeared - shrunk '
		'(Tornetta 2023)';

CREATE FUNCTION shrunk(before flamegraph, after flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_shrunk' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION shrunk(flamegraph, flamegraph)
	IS 'what stacks lost that are still there, as positive values; after - before = appeared + grown - disappeared '
		'- shrunk (Tornetta 2023)';

CREATE FUNCTION filter_stacks(fg flamegraph, query stackquery) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_filter_stacks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION filter_stacks(flamegraph, stackquery) IS 'the stacks that match the pattern';

CREATE FUNCTION exclude_stacks(fg flamegraph, query stackquery) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_exclude_stacks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION exclude_stacks(flamegraph, stackquery) IS 'the stacks that do not match the pattern';

CREATE FUNCTION drop_frames(fg flamegraph, query stackquery) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_drop_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION drop_frames(flamegraph, stackquery)
	IS 'the frames that match the one-level pattern are cut out of their stacks; the total is kept';

CREATE FUNCTION restrict(fg flamegraph, paths stackpath[]) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_restrict' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION restrict(flamegraph, stackpath[]) IS 'the values of these stacks; a NULL array is an empty one';

CREATE FUNCTION prune(fg flamegraph, min_share float8, other text DEFAULT '(other)') RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_prune' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION prune(flamegraph, float8, text)
	IS 'keeps the nodes with at least this share of the norm at and below them; the rest goes to a child "other" of '
		'its deepest kept ancestor, or away when other is NULL';

CREATE FUNCTION focus(fg flamegraph, frame text) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_focus' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION focus(flamegraph, text) IS 'the stacks through the frame, cut to start at its outermost occurrence';

CREATE FUNCTION callers_of(fg flamegraph, frame text) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_callers_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION callers_of(flamegraph, text)
	IS 'the stacks through the frame, cut to end at its outermost occurrence';

CREATE FUNCTION invert(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_invert' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION invert(flamegraph) IS 'every stack reversed, leaf first';

CREATE FUNCTION cut_depth(fg flamegraph, max_depth int4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_cut_depth' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION cut_depth(flamegraph, int4) IS 'the first max_depth frames of every stack';

CREATE FUNCTION k_context(fg flamegraph, k int4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_k_context' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION k_context(flamegraph, int4)
	IS 'the last k + 1 frames of every stack; k = 0 is the self profile by frame';

CREATE FUNCTION strip_outer(fg flamegraph, n int4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_strip_outer' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION strip_outer(flamegraph, int4) IS 'every stack without its first n frames';

CREATE FUNCTION collapse_recursion(fg flamegraph, method text DEFAULT 'direct') RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_collapse_recursion' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION collapse_recursion(flamegraph, text)
	IS 'direct: equal neighbours become one frame; cycles: a repeated frame cuts the stack back to its first '
		'occurrence';

CREATE FUNCTION cumulate(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_cumulate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION cumulate(flamegraph) IS 'the inclusive value of every calling context, as a vector';

CREATE FUNCTION frame_totals(fg flamegraph) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_frame_totals' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION frame_totals(flamegraph)
	IS 'the recursion-free inclusive value of every frame, as one-frame stacks';

CREATE FUNCTION rescale(fg flamegraph, target float8 DEFAULT 1) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_rescale' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION rescale(flamegraph, float8)
	IS 'the profile times what makes its total the target; NULL for total 0';

CREATE FUNCTION rename_frames(fg flamegraph, pattern text, replacement text) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_rename_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION rename_frames(flamegraph, text, text)
	IS 'every occurrence of the regular expression in a frame is replaced, as regexp_replace(..., g) does; stacks that '
		'become equal are added';

CREATE FUNCTION rename_frames(fg flamegraph, rules text[]) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_rename_frames_rules' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION rename_frames(flamegraph, text[])
	IS 'the same for rules {{pattern, replacement}, ...}, applied in order';

CREATE FUNCTION frame_rules(name text) RETURNS text[]
	AS 'MODULE_PATHNAME', 'flamegraph_frame_rules' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frame_rules(text)
	IS 'a shipped rule set for rename_frames: java, python, node, cpp, addresses, lines, jit_modes, threads';

CREATE FUNCTION decompose(before flamegraph, after flamegraph,
						  OUT part text, OUT value flamegraph, OUT norm float8, OUT share float8) RETURNS SETOF record
	LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE COST 50000 ROWS 4
BEGIN ATOMIC
	SELECT p.part, p.value, (@-@ p.value), (@-@ p.value) / nullif((@-@ p.whole), 0::float8)
	FROM (VALUES
		  ('appeared', appeared(before, after), after),
		  ('grown', grown(before, after), after),
		  ('disappeared', disappeared(before, after), before),
		  ('shrunk', shrunk(before, after), before)) AS p (part, value, whole);
END;
COMMENT ON FUNCTION decompose(flamegraph, flamegraph)
	IS 'the four parts of a change with their norms; share of |after| for appeared and grown, of |before| for '
		'disappeared and shrunk';

CREATE FUNCTION split_stacks(fg flamegraph, by stackquery,
							 OUT stack stackpath, OUT value flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_split_stacks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION split_stacks(flamegraph, stackquery)
	IS 'a profile for each outermost calling context that matches, with the stacks at and below it, and one with stack '
		'NULL for all others; they add up to fg';

CREATE FUNCTION split_by_root(fg flamegraph, OUT frame text, OUT value flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_split_by_root' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION split_by_root(flamegraph)
	IS 'a profile for each first frame, such as a thread, and one with frame NULL for the empty stack; they add up to '
		'fg';

--
-- analysis of the calling context tree
--

CREATE FUNCTION code_path_potential(fg flamegraph,
									OUT frame text, OUT potential float8, OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_code_path_potential' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION code_path_potential(flamegraph)
	IS 'what is spent in each frame itself, over all stacks that end in it, and its share of the total; every frame is '
		'listed (Lundberg & Rettig 2024, chapter 5)';

CREATE FUNCTION subtree_potential(fg flamegraph, degree int4,
								  OUT frame text, OUT potential float8, OUT share float8,
								  OUT naive float8, OUT correction float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_subtree_potential' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION subtree_potential(flamegraph, int4)
	IS 'what is spent in each frame and up to "degree" calls below it, corrected for recursion: each stack counts '
		'once; naive counts it for each occurrence, correction = naive - potential (Lundberg & Rettig 2024, chapter 5)';

CREATE FUNCTION node_potential(fg flamegraph, degree int4,
							   OUT stack stackpath, OUT frame text, OUT potential float8,
							   OUT correction float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_node_potential' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 50000;
COMMENT ON FUNCTION node_potential(flamegraph, int4)
	IS 'p_n and c_n of each calling context: what is spent in it and up to "degree" calls below it, and how much of '
		'that recursive calls of its frame count again; summed by frame, potential - correction is subtree_potential '
		'(Lundberg & Rettig 2024, chapter 5)';

-- recursion

CREATE FUNCTION recursion_edges(fg flamegraph,
								OUT ancestor_node int4, OUT descendant_node int4,
								OUT ancestor stackpath, OUT descendant stackpath,
								OUT distance int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_recursion_edges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 5000;
COMMENT ON FUNCTION recursion_edges(flamegraph)
	IS 'for each calling context with the same frame further up, the nearest such one; distance in calls; nodes '
		'numbered as by nodes(), in the order of the descendants (Lundberg & Rettig 2024, section 4.1.1)';

CREATE FUNCTION recursion_pairs(fg flamegraph,
								OUT ancestor_node int4, OUT descendant_node int4,
								OUT distance int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_recursion_pairs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 5000;
COMMENT ON FUNCTION recursion_pairs(flamegraph)
	IS 'recursion_edges() without the stacks: narrow rows for large profiles';

CREATE FUNCTION recursion_edge_count(fg flamegraph) RETURNS int8
	AS 'MODULE_PATHNAME', 'flamegraph_recursion_edge_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000;
COMMENT ON FUNCTION recursion_edge_count(flamegraph) IS 'number of calling contexts with the same frame further up';

-- functions

CREATE FUNCTION frame_metrics(fg flamegraph,
							  OUT frame text, OUT total float8, OUT self float8,
							  OUT total_share float8, OUT self_fraction float8,
							  OUT nodes int4, OUT recursion_free int4,
							  OUT callers int4, OUT callees int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_frame_metrics' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION frame_metrics(flamegraph)
	IS 'each frame with the sum of the stacks that have it (each once) and of those that end in it, total_share of the '
		'whole, self_fraction = self / total, its calling contexts, those of them outside any recursion, and its '
		'numbers of distinct callers and callees; the largest total first (Lumnitz 2021, section 3.3.2)';

CREATE FUNCTION frame_metrics(fg flamegraph, within stackquery,
							  OUT frame text, OUT total float8, OUT self float8,
							  OUT total_share float8, OUT self_fraction float8,
							  OUT nodes int4, OUT recursion_free int4,
							  OUT callers int4, OUT callees int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_frame_metrics_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION frame_metrics(flamegraph, stackquery)
	IS 'the same of the stacks that match, of which total_share is a share';

CREATE FUNCTION top(fg flamegraph, max_rows int4 DEFAULT 20,
					OUT frame text, OUT self float8, OUT self_share float8,
					OUT total float8, OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_top' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION top(flamegraph, int4)
	IS 'the frames in which most is spent, by their own value, with their recursion-free inclusive value; shares of '
		'the whole; max_rows NULL: all';

CREATE FUNCTION callers(fg flamegraph, frame text,
						OUT caller text, OUT samples float8, OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_callers' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 10;
COMMENT ON FUNCTION callers(flamegraph, text)
	IS 'who calls this frame: samples of the stacks with that call (each once) and their share of the frame''s own; '
		'caller NULL: the frame is the first of its stack (Lumnitz 2021, equation 3.15, corrected)';

CREATE FUNCTION callees(fg flamegraph, frame text,
						OUT callee text, OUT samples float8, OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_callees' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 10;
COMMENT ON FUNCTION callees(flamegraph, text)
	IS 'whom this frame calls: samples of the stacks with that call (each once) and their share of the frame''s own '
		'(Lumnitz 2021, equation 3.12, corrected)';

CREATE FUNCTION call_edges(fg flamegraph,
						   OUT caller text, OUT callee text, OUT samples float8,
						   OUT caller_share float8, OUT callee_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_call_edges' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 5000;
COMMENT ON FUNCTION call_edges(flamegraph)
	IS 'the call graph: samples of the stacks with each call (each once), their share of the caller''s samples and of '
		'the callee''s; caller NULL: the callee is the first of its stack';

CREATE FUNCTION frame_line(frame text) RETURNS int4
	AS 'MODULE_PATHNAME', 'flamegraph_frame_line' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION frame_line(text)
	IS 'the line number of a frame that ends in :LINE or :LINE:COLUMN, before a closing parenthesis too; NULL without '
		'one';

CREATE FUNCTION call_sites(fg flamegraph, frame text,
						   OUT line int4, OUT callee text, OUT samples float8,
						   OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_call_sites' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION call_sites(flamegraph, text)
	IS 'what a function calls from which of its lines, for frames that end in line numbers: the function and its '
		'callees are named without them; samples of the stacks with that call (each once) and their share of the '
		'function''s own; line NULL: the frame has none';

CREATE FUNCTION thread_metrics(fg flamegraph, by stackquery DEFAULT NULL,
							   OUT thread text, OUT frame text, OUT samples float8,
							   OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_thread_metrics' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION thread_metrics(flamegraph, stackquery)
	IS 'how much of each frame is spent in which thread: the first frame of a stack, or the last frame of its '
		'outermost part that matches "by"; frames below the thread''s; share of the frame''s samples in all threads; '
		'thread NULL: stacks without a match (Lumnitz 2021, equation 3.22)';

-- tasks

CREATE FUNCTION task_view(fg flamegraph, tasks jsonb, selected text[] DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_task_view' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION task_view(flamegraph, jsonb, text[])
	IS 'the stacks from their first frame on that carries a selected task (NULL: any), for metrics within tasks; '
		'tasks: {"name": {"prefix": "text"}, "name with \1": {"regex": "expression with (group)"}} '
		'(Lumnitz 2021, section 3.3.3)';

CREATE FUNCTION task_totals(fg flamegraph, tasks jsonb,
							OUT task text, OUT samples float8, OUT share float8,
							OUT value flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_task_totals' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 10;
COMMENT ON FUNCTION task_totals(flamegraph, jsonb)
	IS 'each task that some frame carries, with its samples (nested ones count once), their share of the whole, and '
		'its view';

-- contexts

CREATE FUNCTION merge_partial(fg flamegraph, partial flamegraph, match_threshold int4 DEFAULT 1,
							  OUT merged flamegraph, OUT ambiguous flamegraph,
							  OUT unmatched flamegraph) RETURNS record
	AS 'MODULE_PATHNAME', 'flamegraph_merge_partial' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 50000;
COMMENT ON FUNCTION merge_partial(flamegraph, flamegraph, int4)
	IS 'puts stacks whose outermost frames were cut off where exactly one calling context ends with their first '
		'frames, more than match_threshold of them; what fits several or too few frames is ambiguous, what fits none '
		'is unmatched (Lumnitz 2021, section 3.2.3)';

CREATE FUNCTION hot_contexts(fg flamegraph, phi float8,
							 OUT stack stackpath, OUT self float8, OUT total float8,
							 OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_hot_contexts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION hot_contexts(flamegraph, float8)
	IS 'the stacks whose own value is more than phi times the total; share of the total (Lumnitz 2021, section 6.2)';

CREATE FUNCTION hot_tree(fg flamegraph, phi float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_hot_tree' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION hot_tree(flamegraph, float8)
	IS 'the profile of the hot stacks alone: those whose own value is more than phi times the total';

CREATE FUNCTION k_contexts(fg flamegraph, k int4, OUT context stackpath, OUT value float8) RETURNS SETOF record
	LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE COST 20000 ROWS 3000
BEGIN ATOMIC
	-- stacks() has them in order. ORDER BY stack would need the operator class, which the body does not depend on:
	-- pg_upgrade would restore the function before it, and fail.
	SELECT s.stack, s.value FROM stacks(k_context(fg, k)) WITH ORDINALITY AS s (stack, value, n)
	ORDER BY s.value DESC, s.n;
END;
COMMENT ON FUNCTION k_contexts(flamegraph, int4)
	IS 'k_context() as rows, the largest first: what is spent in each frame by its k nearest callers; k = 0 frames, '
		'k = 1 calls (Lumnitz 2021, section 6.2)';

CREATE FUNCTION subsuming_frames(fg flamegraph, min_height int4 DEFAULT 4, min_distance int4 DEFAULT 4,
								 OUT frame text, OUT height int4, OUT distance int4,
								 OUT subsuming bool, OUT induced_cost float8,
								 OUT share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_subsuming_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 20000 ROWS 1000;
COMMENT ON FUNCTION subsuming_frames(flamegraph, int4, int4)
	IS 'subsuming methods: height of the largest subtree > min_height and distance to the nearest dominating frame '
		'(NULL: none) > min_distance; they take the cost of what they call up to the next one; frame NULL: cost that '
		'none has claimed (Lumnitz 2021, section 6.3)';

CREATE FUNCTION subsuming_tree(fg flamegraph, min_height int4 DEFAULT 4, min_distance int4 DEFAULT 4) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_subsuming_tree' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION subsuming_tree(flamegraph, int4, int4)
	IS 'the profile over its subsuming frames alone; the cost of the others goes to the nearest one above them, else '
		'to the empty stack';

-- two versions

CREATE FUNCTION compare_baseline(baseline flamegraph, current flamegraph,
								 OUT frame text, OUT baseline_share float8, OUT current_share float8,
								 OUT ratio float8, OUT angle float8, OUT shown_angle int4,
								 OUT red int4, OUT green int4, OUT blue int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_baseline' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION compare_baseline(flamegraph, flamegraph)
	IS 'each frame''s share of either profile, their ratio (infinite where it does not fit a float8), and the arrow '
		'between them: from -90 degrees, red (twice the share or more) to 90, green (half or less), -45 and 45 for '
		'what is new or gone; shown_angle and colour as drawn; the largest current share first '
		'(Lumnitz 2021, listing 3.6)';

CREATE FUNCTION editor_metrics(fg flamegraph, frames text[] DEFAULT NULL, prefix text DEFAULT NULL,
							   baseline flamegraph DEFAULT NULL,
							   OUT frame text, OUT total_share float8, OUT self_fraction float8,
							   OUT samples float8, OUT of_samples float8,
							   OUT callers int4, OUT callees int4, OUT threads int4,
							   OUT angle float8, OUT red int4, OUT green int4, OUT blue int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_editor_metrics' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION editor_metrics(flamegraph, text[], text, flamegraph)
	IS 'what an editor draws beside a function: its share and what fraction of that is its own, samples of how many, '
		'numbers of callers, callees and threads (first frames), and the arrow of compare_baseline; for the frames '
		'given (also those that do not occur), else for all of both profiles; prefix: only frames that start so';

-- to be read and drawn

CREATE FUNCTION tree(fg flamegraph, min_share float8 DEFAULT 0.01, max_depth int4 DEFAULT NULL) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'flamegraph_tree' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION tree(flamegraph, float8, int4)
	IS 'the profile as an indented text: total and own value in percent of the whole, frame; the largest branches '
		'first, those below min_share left out, or in one line where they reach it together';

CREATE FUNCTION flamegraph_to_json(fg flamegraph) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'flamegraph_to_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION flamegraph_to_json(flamegraph)
	IS 'nested objects {"name", "value", "children"} with inclusive values, as d3-flame-graph reads them; the '
		'outermost is called "root"';

-- functions by their names; a profile in a few lines

CREATE FUNCTION find_frames(fg flamegraph, pattern text,
							OUT frame text, OUT self float8, OUT self_share float8,
							OUT total float8, OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_find_frames' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 20;
COMMENT ON FUNCTION find_frames(flamegraph, text)
	IS 'the frames whose names contain the text, letters of ASCII in any case; with * in it the whole name has to '
		'match, and * stands for anything; with their own and recursion-free inclusive values; the largest total '
		'first';

CREATE FUNCTION frame_groups(fg flamegraph, pattern text, replacement text DEFAULT '\1',
							 OUT frame_group text, OUT frames int4, OUT self float8,
							 OUT self_share float8, OUT total float8,
							 OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_frame_groups' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION frame_groups(flamegraph, text, text)
	IS 'functions grouped by what the regular expression makes of their names (modules, libraries, packages): how '
		'many they are, and the sums of the stacks that end in one and that have one, each once; a name that does not '
		'match is a group of its own; the largest total first';

CREATE FUNCTION summary(fg flamegraph, max_stacks int4 DEFAULT 3) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_summary' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION summary(flamegraph, int4)
	IS 'total, numbers of stacks and frames, depth and the largest stacks (9 at most) in lines of at most 80 columns';

--
-- fitting models: from arrays as rows or as a perfmodel, and from rows as a perfmodel
--

CREATE FUNCTION moving_average(xs float8[], ys float8[], window_size int4 DEFAULT NULL, method text DEFAULT 'sma',
							   options jsonb DEFAULT '{}',
							   OUT x float8, OUT y float8, OUT fitted float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'models_moving_average' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION moving_average(float8[], float8[], int4, text, jsonb)
	IS 'moving averages, points sorted by x and y: sma simple or weighted, smm median, ema exponential; window_size '
		'NULL: chosen by R^2; options center, min_periods, window_type, beta (sma, smm), com, span, halflife, alpha, '
		'adjust (ema); xs NULL: positions; fitted NULL: too few points in the window';

CREATE FUNCTION regressogram(xs float8[], ys float8[], buckets int4 DEFAULT NULL, rule text DEFAULT 'doane',
							 statistic text DEFAULT 'mean',
							 OUT bucket int4, OUT x_from float8, OUT x_to float8, OUT points int4,
							 OUT fitted float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'models_regressogram' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION regressogram(float8[], float8[], int4, text, text)
	IS 'mean or median of y in buckets of equal width, their number given or by rule: auto, doane, fd, rice, scott, '
		'sqrt, sturges; fitted NULL: an empty bucket';

CREATE FUNCTION kernel_regression(xs float8[], ys float8[], kernel text DEFAULT 'epanechnikov',
								  bandwidth float8 DEFAULT NULL, rule text DEFAULT 'scott',
								  method text DEFAULT 'nadaraya_watson', degree int4 DEFAULT 3,
								  at_x float8[] DEFAULT NULL, candidates float8[] DEFAULT NULL,
								  OUT x float8, OUT y float8, OUT fitted float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'models_kernel_regression' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION kernel_regression(float8[], float8[], text, float8, text, text, int4, float8[], float8[])
	IS 'kernel regression at the sorted points, or at at_x (y is NULL then): method nadaraya_watson, local_linear or '
		'local_polynomial of a degree; kernel gaussian, epanechnikov, tricube, gaussian4, epanechnikov4; bandwidth '
		'given, or by rule scott, silverman, cv_ls, aic, the last two also over candidates';

CREATE FUNCTION parametric_models(xs float8[], ys float8[], models text[] DEFAULT NULL, method text DEFAULT 'full',
								  steps int4 DEFAULT 3,
								  OUT model perfmodel, OUT kind text, OUT coefficients float8[], OUT r_square float8,
								  OUT r_square_y float8, OUT n_used int4, OUT x_start float8, OUT x_end float8,
								  OUT best bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'models_parametric' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 6;
COMMENT ON FUNCTION parametric_models(float8[], float8[], text[], text, int4)
	IS 'least squares fits: constant, logarithmic, linear, quadratic, power, exponential (NULL: all); method full: '
		'each on all points, in the order of complexity, the best one marked; interval: the best of each of "steps" '
		'parts; bisection: of parts halved while their best models differ';

CREATE FUNCTION fit(xs float8[], ys float8[], model text, options jsonb DEFAULT '{}') RETURNS perfmodel
	AS 'MODULE_PATHNAME', 'models_fit' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION fit(float8[], float8[], text, jsonb)
	IS 'a model as a value: moving_average, regressogram, kernel_regression, parametric_regression (the best), or one '
		'formula by name; options are the arguments of these functions; NULL without points, or when the formula does '
		'not exist on them';

CREATE FUNCTION perfmodel_sample_accum(perfmodel, float8, float8) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION perfmodel_sample_accum(perfmodel, float8, float8) IS 'aggregate transition function';
CREATE FUNCTION perfmodel_sample_accum(perfmodel, float8, float8, jsonb) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION perfmodel_sample_accum(perfmodel, float8, float8, jsonb) IS 'aggregate transition function';
CREATE FUNCTION perfmodel_sample_combine(perfmodel, perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION perfmodel_sample_combine(perfmodel, perfmodel) IS 'aggregate combine function';
CREATE FUNCTION perfmodel_moving_average(perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION perfmodel_moving_average(perfmodel) IS 'aggregate final function';
CREATE FUNCTION perfmodel_regressogram(perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION perfmodel_regressogram(perfmodel) IS 'aggregate final function';
CREATE FUNCTION perfmodel_kernel_regression(perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION perfmodel_kernel_regression(perfmodel) IS 'aggregate final function';
CREATE FUNCTION perfmodel_parametric_regression(perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION perfmodel_parametric_regression(perfmodel) IS 'aggregate final function';

CREATE AGGREGATE moving_average_agg(x float8, y float8) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_moving_average,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_average_agg(float8, float8)
	IS 'the moving average of these points, as fit(..., ''moving_average''); rows with a null are skipped; NULL for '
		'none';
CREATE AGGREGATE moving_average_agg(x float8, y float8, options jsonb) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_moving_average,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_average_agg(float8, float8, jsonb)
	IS 'the same with options, which must be equal in all rows';
CREATE AGGREGATE regressogram_agg(x float8, y float8) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_regressogram,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE regressogram_agg(float8, float8)
	IS 'the regressogram of these points, as fit(..., ''regressogram''); rows with a null are skipped; NULL for none';
CREATE AGGREGATE regressogram_agg(x float8, y float8, options jsonb) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_regressogram,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE regressogram_agg(float8, float8, jsonb)
	IS 'the same with options, which must be equal in all rows';
CREATE AGGREGATE kernel_regression_agg(x float8, y float8) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_kernel_regression,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE kernel_regression_agg(float8, float8)
	IS 'the kernel regression of these points, as fit(..., ''kernel_regression''); rows with a null are skipped; NULL '
		'for none';
CREATE AGGREGATE kernel_regression_agg(x float8, y float8, options jsonb) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_kernel_regression,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE kernel_regression_agg(float8, float8, jsonb)
	IS 'the same with options, which must be equal in all rows';
CREATE AGGREGATE parametric_regression_agg(x float8, y float8) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_parametric_regression,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE parametric_regression_agg(float8, float8)
	IS 'the best parametric model of these points, as fit(..., ''parametric_regression''); rows with a null are '
		'skipped; NULL for fewer than three';
CREATE AGGREGATE parametric_regression_agg(x float8, y float8, options jsonb) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_parametric_regression,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE parametric_regression_agg(float8, float8, jsonb)
	IS 'the same with options, which must be equal in all rows';

-- facts and values of a model

CREATE FUNCTION predict(m perfmodel, x float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_predict' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION predict(perfmodel, float8)
	IS 'the value of the model at x; NULL where it has none: outside the interval of a step function, or of a formula '
		'that is not defined there';
CREATE FUNCTION points(m perfmodel, OUT x float8, OUT y float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'perfmodel_points' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION points(perfmodel)
	IS 'the curve to be drawn: its points; of a regressogram both ends of each step; of a formula 101 points over its '
		'interval';
CREATE FUNCTION coefficients(m perfmodel) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'perfmodel_coefficients' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION coefficients(perfmodel) IS 'b0, b1, ... of a formula; NULL for other models';
CREATE FUNCTION integral(m perfmodel) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_integral' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION integral(perfmodel)
	IS 'the exact integral of the model over its interval; NULL where it is not defined';
CREATE FUNCTION integral(m perfmodel, a float8, b float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_integral_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION integral(perfmodel, float8, float8)
	IS 'the exact integral of the model from a to b, negative when b is below a; NULL where it is not defined';
CREATE FUNCTION r_square(m perfmodel) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_r_square' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION r_square(perfmodel)
	IS 'goodness of fit, 1 for a perfect one; of power and exponential models measured on log y; NULL for fewer than '
		'two points';
CREATE FUNCTION kind(m perfmodel) RETURNS text
	AS 'MODULE_PATHNAME', 'perfmodel_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION kind(perfmodel)
	IS 'constant, logarithmic, linear, quadratic, power, exponential, regressogram, moving_average or '
		'kernel_regression';
CREATE FUNCTION x_start(m perfmodel) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_x_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION x_start(perfmodel) IS 'start of the interval of the model';
CREATE FUNCTION x_end(m perfmodel) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_x_end' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION x_end(perfmodel) IS 'end of the interval of the model';

-- parts

CREATE FUNCTION kernel_value(kernel text, z float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'models_kernel_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kernel_value(text, float8) IS 'a kernel at z; kernels of second order have variance 1';
CREATE FUNCTION window_weights(window_type text, window_size int4) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'models_window_weights' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION window_weights(text, int4)
	IS 'weights of a window: boxcar, triang, bartlett, blackman, hamming, blackmanharris, nuttall, parzen, bohman, '
		'barthann, kaiser (beta 14)';
CREATE FUNCTION bandwidth_objective(xs float8[], ys float8[], bandwidth float8, kernel text, method text, degree int4,
									OUT cv_ls float8, OUT aicc float8) RETURNS record
	AS 'MODULE_PATHNAME', 'models_bandwidth_objective' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION bandwidth_objective(float8[], float8[], float8, text, text, int4)
	IS 'what the searches for a bandwidth minimise: mean squared leave-one-out error, and corrected AIC; infinite '
		'where a point has no estimate';

--
-- changes between two models: baseline and target
--

CREATE FUNCTION integral_comparison(baseline perfmodel, target perfmodel,
									no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25,
									OUT result text, OUT relative_error float8, OUT confidence float8,
									OUT baseline_integral float8, OUT target_integral float8,
									OUT x_from float8, OUT x_to float8) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_integral_comparison' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION integral_comparison(perfmodel, perfmodel, float8, float8)
	IS 'change of the integral over the common interval: no_change up to 10 %, maybe_ up to 25 %, else degradation or '
		'optimization; unknown without a common interval or integral; confidence: the smaller r_square';

CREATE FUNCTION integral_intervals(baseline perfmodel, target perfmodel, intervals int4 DEFAULT 20,
								   merge bool DEFAULT false, no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25,
								   OUT x_from float8, OUT x_to float8, OUT relative_error float8, OUT result text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_integral_intervals' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 20;
COMMENT ON FUNCTION integral_intervals(perfmodel, perfmodel, int4, bool, float8, float8)
	IS 'the same on sub-intervals of equal width; merge: adjacent ones with the same change as one, without those that '
		'did not change';

CREATE FUNCTION integral_points(xs float8[], baseline float8[], target float8[], rule text DEFAULT 'trapezoid',
								no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25,
								OUT result text, OUT relative_error float8, OUT confidence float8,
								OUT baseline_integral float8, OUT target_integral float8,
								OUT x_from float8, OUT x_to float8) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_integral_points' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION integral_points(float8[], float8[], float8[], text, float8, float8)
	IS 'change of the integral of values at shared, ascending x: rule trapezoid or simpson';

CREATE FUNCTION local_statistics(baseline perfmodel, target perfmodel, samples int4 DEFAULT 1000,
								 density float8 DEFAULT 0.05, min_points int4 DEFAULT 2, no_change float8 DEFAULT 0.10,
								 change float8 DEFAULT 0.25,
								 OUT result text, OUT relative_error float8, OUT confidence float8) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_local_statistics' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION local_statistics(perfmodel, perfmodel, int4, float8, int4, float8, float8)
	IS 'change by seven statistics of both curves on sub-intervals of the common interval; relative_error: mean over '
		'them';

CREATE FUNCTION local_statistics_intervals(baseline perfmodel, target perfmodel, samples int4 DEFAULT 1000,
										   density float8 DEFAULT 0.05, min_points int4 DEFAULT 2,
										   merge bool DEFAULT false, no_change float8 DEFAULT 0.10,
										   change float8 DEFAULT 0.25,
										   OUT x_from float8, OUT x_to float8, OUT avg float8, OUT med float8,
										   OUT max float8, OUT min float8, OUT sum float8, OUT q1 float8, OUT q3 float8,
										   OUT relative_error float8, OUT score float8, OUT result text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_local_statistics_intervals' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 1000 ROWS 20;
COMMENT ON FUNCTION local_statistics_intervals(perfmodel, perfmodel, int4, float8, int4, bool, float8, float8)
	IS 'the sub-intervals of local_statistics with the relative error of each statistic; merge: adjacent ones with the '
		'same change as one, without their statistics and without those that did not change';

CREATE FUNCTION local_statistics_points(xs float8[], baseline float8[], target float8[], density float8 DEFAULT 0.05,
										min_points int4 DEFAULT 2, no_change float8 DEFAULT 0.10,
										change float8 DEFAULT 0.25,
										OUT result text, OUT relative_error float8, OUT confidence float8)
	RETURNS record
	AS 'MODULE_PATHNAME', 'detection_local_statistics_points' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION local_statistics_points(float8[], float8[], float8[], float8, int4, float8, float8)
	IS 'local_statistics of values at shared, ascending x';

CREATE FUNCTION average_amount(baseline float8[], target float8[],
							   OUT result text, OUT ratio float8, OUT baseline_mean float8, OUT target_mean float8)
	RETURNS record
	AS 'MODULE_PATHNAME', 'detection_average_amount' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION average_amount(float8[], float8[])
	IS 'ratio of the means: from 2 on degradation, up to 0.5 optimization';

CREATE FUNCTION best_model_order(baseline_x float8[], baseline_y float8[], target_x float8[], target_y float8[],
								 OUT result text, OUT rate int4, OUT confidence float8,
								 OUT baseline_kind text, OUT target_kind text) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_best_model_order' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION best_model_order(float8[], float8[], float8[], float8[])
	IS 'is the best parametric model of the target of another order than the baseline''s? rate: steps in the order of '
		'complexity, 0 unless both fit with r_square of at least 0.9';

CREATE FUNCTION model_difference(baseline perfmodel, target perfmodel, samples int4 DEFAULT 1000,
								 no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25,
								 OUT result text, OUT relative_error float8, OUT sum_abs_error float8,
								 OUT polynomial text, OUT fast_check text) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_model_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION model_difference(perfmodel, perfmodel, int4, float8, float8)
	IS 'of two formulas: change of the mean relative difference on the common interval, and of what kind the '
		'difference is: a polynomial of the least sufficient degree, and the best parametric model of it';

CREATE FUNCTION exclusive_time_outliers(baseline flamegraph, target flamegraph, cutoff float8 DEFAULT 0,
										OUT frame text, OUT delta float8, OUT share float8, OUT modified_z float8,
										OUT iqr_multiple float8, OUT stddev_multiple float8, OUT result text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_exclusive_time_outliers' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION exclusive_time_outliers(flamegraph, flamegraph, float8)
	IS 'functions whose own time changed more than that of the others: by modified z-score, interquartile range, '
		'standard deviation; share of the target''s total; rows with less than cutoff are left out; the largest '
		'increase first';

-- changes per location

CREATE FUNCTION detect_changes(locations text[], is_target bool[], xs float8[], ys float8[],
							   models text[] DEFAULT '{regressogram,moving_average,kernel_regression}',
							   methods text[] DEFAULT '{integral,local_statistics}',
							   strategy text DEFAULT 'all-nonparam', min_confidence float8 DEFAULT 0.15,
							   options jsonb DEFAULT '{}',
							   OUT location text, OUT model text, OUT method text, OUT result text, OUT severity text,
							   OUT relative_error float8, OUT confidence float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_detect_changes' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION detect_changes(text[], bool[], float8[], float8[], text[], text[], text, float8, jsonb)
	IS 'changes of the locations that baseline and target have in common: models fitted to each side are compared in '
		'the pairs of the strategy (best-model, best-param, best-nonparam, all-param, all-nonparam, all-models, '
		'best-both) by methods integral, local_statistics, average_amount, best_model_order, model_difference; pairs '
		'below min_confidence have no row; severity: kind of the difference of the best parametric models';

CREATE FUNCTION detection_summary(locations text[], is_target bool[], xs float8[], ys float8[],
								  models text[] DEFAULT '{regressogram,moving_average,kernel_regression}',
								  methods text[] DEFAULT '{integral,local_statistics}',
								  strategy text DEFAULT 'all-nonparam', min_confidence float8 DEFAULT 0.15,
								  options jsonb DEFAULT '{}',
								  OUT model text, OUT method text, OUT n_locations int4, OUT degradation int4,
								  OUT optimization int4, OUT maybe int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_summary' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION detection_summary(text[], bool[], float8[], float8[], text[], text[], text, float8, jsonb)
	IS 'how many of the common locations detect_changes reports as changed, by model and method';

--
-- two samples of profiles compared
--

CREATE FUNCTION compare_stats(before flamestats, after flamestats, correction text DEFAULT 'bh',
							  alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5,
							  OUT key stackpath, OUT mean_before float8, OUT mean_after float8, OUT delta float8,
							  OUT relative float8, OUT t float8, OUT df float8, OUT p_value float8, OUT q_value float8,
							  OUT lower float8, OUT upper float8, OUT change text, OUT significant bool)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;
COMMENT ON FUNCTION compare_stats(flamestats, flamestats, text, float8, text, float8)
	IS 'compare_profiles with method welch, from the statistics of both groups';

CREATE FUNCTION compare_profiles(before flamegraph[], after flamegraph[], level text DEFAULT 'stack',
								 method text DEFAULT 'welch', correction text DEFAULT 'bh', alpha float8 DEFAULT 0.05,
								 size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5, min_df int4 DEFAULT 1,
								 permutations int4 DEFAULT 999, seed int8 DEFAULT 42,
								 OUT key stackpath, OUT mean_before float8, OUT mean_after float8, OUT delta float8,
								 OUT relative float8, OUT t float8, OUT df float8, OUT p_value float8,
								 OUT q_value float8, OUT lower float8, OUT upper float8, OUT change text,
								 OUT significant bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_profiles' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;
COMMENT ON FUNCTION compare_profiles(flamegraph[], flamegraph[], text, text, text, float8, text, float8, int4, int4,
	int8)
	IS 'two groups of profiles, key by key: Welch''s t-test, q_value by correction bh, holm, bonferroni or none, or by '
		'method maxt; keys that fewer than min_df profiles have are left out; smallest p_value first; relative is '
		'delta / mean_before, infinite where that does not fit a float8';

CREATE FUNCTION size_factor(before flamegraph, after flamegraph, method text, min_mean float8 DEFAULT 5) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_size_factor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION size_factor(flamegraph, flamegraph, text, float8)
	IS 'by what values of after must be divided to compare with before, both means: none (1), median_ratio (of stacks '
		'whose mean over both is at least min_mean), total; NULL when there is no such stack or a total is not '
		'positive';

--
-- energy distance: two groups of profiles, and sequences that change
--

CREATE FUNCTION energy_test(before flamegraph[], after flamegraph[], normalised bool DEFAULT true,
							permutations int4 DEFAULT 999, seed int8 DEFAULT 42,
							OUT statistic float8, OUT p_value float8, OUT exact bool) RETURNS record
	AS 'MODULE_PATHNAME', 'flamegraph_energy_test' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION energy_test(flamegraph[], flamegraph[], bool, int4, int8)
	IS 'do two groups of profiles differ? energy distance of Szekely and Rizzo on L1 distances; p_value by '
		'relabelling: exact up to 20,000 relabellings, else (b + 1) / (permutations + 1); normalised: shape only, each '
		'profile divided by its norm; NULLs when a group is empty';

CREATE FUNCTION change_points(series float8[], min_segment int4 DEFAULT 5, min_effect float8 DEFAULT 0,
							  alpha float8 DEFAULT 0.01, permutations int4 DEFAULT 999, seed int8 DEFAULT 42,
							  OUT change_at int4, OUT mean_before float8, OUT mean_after float8,
							  OUT statistic float8, OUT p_value float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_change_points_series' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 5;
COMMENT ON FUNCTION change_points(float8[], int4, float8, float8, int4, int8)
	IS 'when a series changed, by E-divisive: change_at is the position of the first element after the change, counted '
		'from 1; means up to the next change on either side; changes of the mean below min_effect (a fraction) are '
		'left out; NULL elements are skipped';

CREATE FUNCTION change_points(profiles flamegraph[], min_segment int4 DEFAULT 5, min_effect float8 DEFAULT 0,
							  alpha float8 DEFAULT 0.01, permutations int4 DEFAULT 999, seed int8 DEFAULT 42,
							  OUT change_at int4, OUT distance float8, OUT statistic float8, OUT p_value float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_change_points_profiles' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000000 ROWS 5;
COMMENT ON FUNCTION change_points(flamegraph[], int4, float8, float8, int4, int8)
	IS 'when a sequence of profiles changed, by E-divisive on L1 distances: change_at is the position of the first '
		'profile after the change, counted from 1; distance of the mean profiles up to the next change on either side; '
		'changes with a distance below min_effect times the norm of the mean before are left out';

--
-- Hotelling's T2: do two groups of profiles differ, and in which stacks?
--

CREATE FUNCTION hotelling_test(before flamegraph[], after flamegraph[], alpha float8 DEFAULT 0.01,
							   level text DEFAULT 'stack', min_df int4 DEFAULT 1,
							   OUT status text, OUT n1 int4, OUT n2 int4, OUT p int4, OUT kept int4, OUT dropped int4,
							   OUT dropped_weight float8, OUT t2 float8, OUT f float8, OUT df1 int4, OUT df2 int4,
							   OUT p_value float8, OUT f_critical float8) RETURNS record
	AS 'MODULE_PATHNAME', 'flamegraph_hotelling_test' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION hotelling_test(flamegraph[], flamegraph[], float8, text, int4)
	IS 'do the means of two groups of profiles differ? One p-value for all stacks, by Hotelling''s T2; status: ok, '
		'too_many_stacks, singular, no_variation or too_few_profiles; level: stack, node, frame or self; min_df: '
		'stacks in fewer profiles of both groups together are dropped';

CREATE FUNCTION hotelling_intervals(before flamegraph[], after flamegraph[], alpha float8 DEFAULT 0.01,
									level text DEFAULT 'stack', min_df int4 DEFAULT 1,
									OUT key stackpath, OUT delta float8, OUT lower float8, OUT upper float8,
									OUT variance float8, OUT significant bool, OUT certain bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_hotelling_intervals' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION hotelling_intervals(flamegraph[], flamegraph[], float8, text, int4)
	IS 'the difference of the means of each stack with its simultaneous confidence interval; significant: 0 lies '
		'outside; certain: a constant of each group, and not the same';

CREATE FUNCTION reduced_difference(before flamegraph[], after flamegraph[], alpha float8 DEFAULT 0.01,
								   level text DEFAULT 'stack', min_df int4 DEFAULT 1, method text DEFAULT 'hotelling')
	RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_reduced_difference' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION reduced_difference(flamegraph[], flamegraph[], float8, text, int4, text)
	IS 'the difference of the means at the significant stacks: of hotelling_intervals, or with method welch of '
		'compare_profiles; NULL when nothing could be tested';

--
-- one run against those before it
--

CREATE FUNCTION deviation_scores(history flamegraph[], current flamegraph, window_size int4 DEFAULT 10,
								 metric text DEFAULT 'total', poisson_unit float8 DEFAULT 1, min_std float8 DEFAULT 0,
								 zero_std text DEFAULT 'inf',
								 OUT key stackpath, OUT expected float8, OUT stddev float8, OUT actual float8,
								 OUT diff float8, OUT score float8, OUT raw_score float8, OUT p_value float8,
								 OUT q_value float8, OUT status text, OUT n int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_deviation_scores' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 2000;
COMMENT ON FUNCTION deviation_scores(flamegraph[], flamegraph, int4, text, float8, float8, text)
	IS 'each function of one run against the last window_size of a history, oldest first: by how many standard '
		'deviations its total, self or potential:N differs from the mean; the deviation of score is at least min_std '
		'and that of a count of samples worth poisson_unit each, that of raw_score is not; p_value and q_value (bh) by '
		't; status + new, - gone; the highest score first';

CREATE FUNCTION deviation_scores(history flamestats, current flamegraph, poisson_unit float8 DEFAULT 1,
								 min_std float8 DEFAULT 0, zero_std text DEFAULT 'inf',
								 OUT key stackpath, OUT expected float8, OUT stddev float8, OUT actual float8,
								 OUT diff float8, OUT score float8, OUT raw_score float8, OUT p_value float8,
								 OUT q_value float8, OUT status text, OUT n int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_deviation_scores_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;
COMMENT ON FUNCTION deviation_scores(flamestats, flamegraph, float8, float8, text)
	IS 'the same from the statistics of all earlier runs, at their level';

CREATE FUNCTION sample_check(profiles flamegraph[], level text DEFAULT 'stack',
							 OUT check_name text, OUT statistic float8, OUT p_value float8, OUT verdict text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_sample_check' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 4;
COMMENT ON FUNCTION sample_check(flamegraph[], text)
	IS 'do runs, in their order, behave as the tests assume? drift (Kendall''s tau of the totals), autocorrelation (of '
		'the ranks of the totals, lag 1), outliers (number of outlying totals), normality (share of the keys that are '
		'far from normal); verdict ok, suspicious or too_few_profiles';

CREATE FUNCTION frame_correlation(profiles flamegraph[], metric float8[], benchmark_of text[] DEFAULT NULL,
								  level text DEFAULT 'self', method text DEFAULT 'pearson', min_profiles int4 DEFAULT 3,
								  missing text DEFAULT 'skip', combine text DEFAULT 'avg', sign text DEFAULT 'positive',
								  OUT frame text, OUT score float8, OUT benchmarks int4, OUT n int4)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_frame_correlation' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 2000;
COMMENT ON FUNCTION frame_correlation(flamegraph[], float8[], text[], text, text, int4, text, text, text)
	IS 'functions whose values follow the metric of the runs: correlation in each benchmark with at least min_profiles '
		'profiles that have the function, combined over benchmarks; level self or frame, method pearson or spearman, '
		'missing skip or zero, combine avg, max, min or median, sign positive, negative or both; the strongest first';

CREATE FUNCTION correlation_points(profiles flamegraph[], metric float8[], frame text, benchmark_of text[] DEFAULT NULL,
								   level text DEFAULT 'self', missing text DEFAULT 'skip',
								   OUT benchmark text, OUT n int4, OUT coefficient float8, OUT samples float8[],
								   OUT metrics float8[]) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_correlation_points' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION correlation_points(flamegraph[], float8[], text, text[], text, text)
	IS 'what frame_correlation saw of one function in each benchmark: the points, and Pearson''s coefficient';

CREATE FUNCTION expand_context(history flamegraph[], current flamegraph, start text, direction text DEFAULT 'child',
							   selection text DEFAULT 'greedy', options jsonb DEFAULT '{}',
							   OUT trace int4, OUT step int4, OUT frame text, OUT context stackpath, OUT diff float8,
							   OUT candidate_diff float8, OUT score float8, OUT raw_score float8, OUT status text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_expand_context' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION expand_context(flamegraph[], flamegraph, text, text, text, jsonb)
	IS 'where a function changed: from it to what it calls (direction child) or to its callers (parent), following the '
		'max_breadth contexts of the highest score at each step; selection greedy or informed (also recency of '
		'commits, compile modes, new depths); candidate_diff is the function''s in the context, diff that of the '
		'context''s other end';

CREATE FUNCTION expand_context(profiles flamegraph[], metric float8[], benchmark_of text[], start text,
							   direction text DEFAULT 'child', options jsonb DEFAULT '{}',
							   OUT trace int4, OUT step int4, OUT frame text, OUT context stackpath, OUT diff float8,
							   OUT candidate_diff float8, OUT score float8, OUT raw_score float8, OUT status text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_expand_context_correlation' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 100000 ROWS 20;
COMMENT ON FUNCTION expand_context(flamegraph[], float8[], text[], text, text, jsonb)
	IS 'in which contexts a function follows the metric of the runs: the same search by the score of frame_correlation';

CREATE FUNCTION expand_step(history flamegraph[], current flamegraph, start stackpath, direction text DEFAULT 'child',
							options jsonb DEFAULT '{}',
							OUT frame text, OUT context stackpath, OUT diff float8, OUT candidate_diff float8,
							OUT score float8, OUT raw_score float8, OUT recency float8, OUT mode_shift float8,
							OUT depth_novelty float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_expand_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION expand_step(flamegraph[], flamegraph, stackpath, text, jsonb)
	IS 'one step of such a search from any context, with every measure: for selections of your own in a recursive '
		'query';

CREATE FUNCTION regression_report(history flamegraph[], current flamegraph, candidates int4 DEFAULT 10,
								  selection text DEFAULT 'deviation', options jsonb DEFAULT '{}',
								  OUT rank int4, OUT section text, OUT trace int4, OUT step int4, OUT frame text,
								  OUT expected float8, OUT actual float8, OUT diff float8, OUT candidate_diff float8,
								  OUT score float8, OUT raw_score float8, OUT status text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_regression_report' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 200;
COMMENT ON FUNCTION regression_report(flamegraph[], flamegraph, int4, text, jsonb)
	IS 'the functions that deviate most from earlier runs (section candidate), each with the contexts in which it does '
		'(child, parent); selection deviation or informed';

--
-- recordings of other profilers
--

CREATE FUNCTION read_recording(data bytea, format text DEFAULT 'auto', options jsonb DEFAULT '{}',
							   OUT file_format text, OUT event text, OUT name text, OUT unit text, OUT period float8,
							   OUT complete flamegraph, OUT truncated flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_read_recording' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3;
COMMENT ON FUNCTION read_recording(bytea, text, jsonb)
	IS 'every event of a recording (folded, packed, austin, perf, pprof, speedscope, cpuprofile, jfr; gzip or not): '
		'what the samples count (event), the name in the file, the unit of the values, the value of one sample in it '
		'(NULL: unknown), the profile, and the stacks that were cut off';

CREATE FUNCTION flamegraph_from_austin(data text, metric text DEFAULT 'time', threads bool DEFAULT false)
	RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_austin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_from_austin(text, text, bool)
	IS 'the text of austin, a profiler for Python; metric time (microseconds), memory (bytes), in mode full also cpu '
		'and idle; threads => true: process and thread are the first frame';

CREATE FUNCTION flamegraph_from_perf(data text, event text DEFAULT NULL, threads bool DEFAULT false) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_perf' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_from_perf(text, text, bool)
	IS 'the text of perf script, one event of it; values are periods where they are printed, else samples; the command '
		'is the first frame, threads => true: command-process/thread';

--
-- recordings in pprof's format and in JSON formats
--

CREATE FUNCTION flamegraph_from_pprof(data bytea, sample_type text DEFAULT NULL,
									  frame_style text DEFAULT 'function') RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_pprof(bytea, text, text)
	IS 'reads a profile in pprof''s format, gzipped or not; sample_type: one of its own, by default its '
		'default_sample_type, else the last; frame_style: function, function:line or address';

CREATE FUNCTION flamegraph_from_speedscope(data text, profile int4 DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_speedscope(text, int4)
	IS 'reads a speedscope file, sampled or evented; profile: its index from 0, by default all profiles of the file '
		'added up';

CREATE FUNCTION flamegraph_from_cpuprofile(data text) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_cpuprofile(text)
	IS 'reads a .cpuprofile of V8 (node --cpu-prof, Chrome); values in microseconds, or samples where the file has no '
		'times';

CREATE FUNCTION flamegraph_from_jfr(data text, event text DEFAULT 'jdk.ExecutionSample',
									modes bool DEFAULT false, threads bool DEFAULT false,
									OUT complete flamegraph, OUT truncated flamegraph) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_jfr(text, text, bool, bool)
	IS 'reads what jfr print --json prints; event: a type such as jdk.ObjectAllocationSample, or cpu, alloc, lock, io, '
		'exception, error; values in samples, bytes or nanoseconds; modes: compile modes as suffixes; threads: the '
		'thread as first frame; truncated: stacks that JFR cut off';

CREATE FUNCTION flamegraph_to_pprof(fg flamegraph, sample_type text, unit text) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_to_pprof(flamegraph, text, text)
	IS 'a file in pprof''s format, gzipped; sample_type and unit name the values, such as cpu and nanoseconds, which '
		'must be whole numbers';

CREATE FUNCTION flamegraph_to_speedscope(fg flamegraph, name text, unit text) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_to_speedscope(flamegraph, text, text)
	IS 'a speedscope file with one sampled profile of this name; unit: none, nanoseconds, microseconds, milliseconds, '
		'seconds, bytes; samples and count are none';

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
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_extract_flamegraph(flamegraph, internal) IS 'GIN support';
-- GIN wants functions for each type; the query is not of that type, whatever they say
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
	AS 'MODULE_PATHNAME', 'gin_extract_frames_query' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_flamegraph_extract_query(flamegraph, internal, int2, internal, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_flamegraph_consistent(internal, int2, flamegraph, int4, internal, internal, internal, internal)
	RETURNS bool
	AS 'MODULE_PATHNAME', 'gin_frames_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gin_flamegraph_consistent(internal, int2, flamegraph, int4, internal, internal, internal, internal)
	IS 'GIN support';
CREATE FUNCTION gin_flamegraph_triconsistent(internal, int2, flamegraph, int4, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'gin_frames_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
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

--
-- nothing here is bound to what others have made
--
-- The bodies of SQL functions, casts, operators and operator classes name what they use by the oid it had when this
-- script ran. All of that is PostgreSQL's own or of this extension, and no other function or operator of the schema,
-- that could be taken for one of the extension, belongs to somebody else.
--

DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	e record;
	v_foreign pg_catalog.text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	SELECT x.oid, x.extowner, x.extnamespace INTO STRICT e FROM pg_extension AS x WHERE x.extname = 'flamegraph';

	-- What belongs to the members (rows of an operator family, array types) is looked at, too. Objects with oids
	-- below 16384 were made by initdb.
	WITH RECURSIVE ours (classid, objid) AS (
		SELECT d.classid, d.objid FROM pg_depend AS d
		WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
		UNION
		SELECT d.classid, d.objid FROM ours AS o
			JOIN pg_depend AS d ON d.refclassid = o.classid AND d.refobjid = o.objid
		WHERE d.deptype IN ('i', 'a')
	)
	SELECT string_agg(f.name, ', ') INTO v_foreign
	FROM (SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, 0) AS name
		FROM ours AS o JOIN pg_depend AS d ON d.classid = o.classid AND d.objid = o.objid
		WHERE d.refobjid >= 16384
			AND NOT EXISTS (SELECT FROM ours AS u WHERE u.classid = d.refclassid AND u.objid = d.refobjid)
			AND NOT (d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid)
			AND NOT (d.refclassid = 'pg_namespace'::regclass AND d.refobjid = e.extnamespace)
		ORDER BY 1 LIMIT 5) AS f;
	IF v_foreign IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = 'extension flamegraph would depend on what is not part of it',
			DETAIL = format('Among it: %s.', v_foreign),
			HINT = 'Drop these, or put the extension into a schema of its own: '
				'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.';
	END IF;

	SELECT string_agg(f.name, ', ') INTO v_foreign
	FROM (SELECT pg_describe_object(o.classid, o.objid, 0) || ' of ' || quote_ident(r.rolname) AS name
		FROM (SELECT 'pg_proc'::regclass AS classid, p.oid AS objid, p.proname AS name, p.proowner AS owner
			FROM pg_proc AS p WHERE p.pronamespace = e.extnamespace
			UNION ALL
			SELECT 'pg_operator'::regclass, p.oid, p.oprname, p.oprowner
			FROM pg_operator AS p WHERE p.oprnamespace = e.extnamespace) AS o
			JOIN pg_roles AS r ON r.oid = o.owner
		WHERE NOT r.rolsuper AND r.oid <> e.extowner
			AND EXISTS (SELECT FROM pg_depend AS m
					LEFT JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
					LEFT JOIN pg_operator AS q ON m.classid = 'pg_operator'::regclass AND q.oid = m.objid
				WHERE m.refclassid = 'pg_extension'::regclass AND m.refobjid = e.oid AND m.deptype = 'e'
					AND m.classid = o.classid AND coalesce(p.proname, q.oprname) = o.name)
			AND NOT EXISTS (SELECT FROM pg_depend AS m
				WHERE m.refclassid = 'pg_extension'::regclass AND m.refobjid = e.oid AND m.deptype = 'e'
					AND m.classid = o.classid AND m.objid = o.objid)
		ORDER BY 1 LIMIT 5) AS f;
	IF v_foreign IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = 'the schema of extension flamegraph holds functions or operators of others '
				'that are named like those of the extension',
			DETAIL = format('Among them: %s.', v_foreign),
			HINT = 'Drop these, or put the extension into a schema of its own: '
				'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.';
	END IF;
	PERFORM set_config('search_path', v_path, true);
END
$$;
