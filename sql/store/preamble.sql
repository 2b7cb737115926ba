/* flamegraph_store: what a team runs, tables and functions around flamegraph */

-- complain if the script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION flamegraph_store" to load this file. \quit

-- While this script runs the search path is: schema profiling, the schema of
-- flamegraph, pg_temp. Tables, views and functions with BEGIN ATOMIC bind to what they
-- name here, and every function and operator that they name matches its arguments
-- exactly, so that nobody can put a better match in its place. Functions in PL/pgSQL
-- look for names when they run, in pg_catalog only; procedures that commit can keep
-- no setting and qualify every name. What needs a function or an operator of flamegraph
-- is therefore in a function with BEGIN ATOMIC, or in a statement that is put together and
-- names its schema (types_schema()).
--
-- Why there are no foreign keys between these tables, no keys on the partitioned
-- parent and one pg_extension_config_dump a statement: docs/decisions.md, "The store".

-- Who can put functions into one of the two schemas could let the store run them. So schema
-- profiling is new or empty and of whoever creates the store, and nobody else may
-- create anything in it or in the schema of flamegraph. Names are looked up in
-- pg_catalog from the first statement on.
DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	n record;
	v_role record;
	v_objects pg_catalog.text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	SELECT x.extnamespace AS store, f.oid AS flamegraph, f.extnamespace AS types, f.extowner AS types_owner,
		s.nspname AS types_name,
		(SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user) AS me
	INTO STRICT n
	FROM pg_extension AS x, pg_extension AS f JOIN pg_namespace AS s ON s.oid = f.extnamespace
	WHERE x.extname = 'flamegraph_store' AND f.extname = 'flamegraph';

	-- Owners first. A grant or a schema of pg_database_owner is the owner's of the database.
	FOR v_role IN
		SELECT m.schema, m.role = 0 AS everybody, m.owns, r.rolname
		FROM (SELECT c.schema, c.owns, CASE WHEN c.role = g.oid THEN d.datdba ELSE c.role END AS role
			FROM (SELECT s.oid AS schema, true AS owns, s.nspowner AS role FROM pg_namespace AS s
				UNION ALL
				SELECT s.oid, false, a.grantee FROM pg_namespace AS s, aclexplode(s.nspacl) AS a
				WHERE a.privilege_type = 'CREATE' AND a.grantee <> s.nspowner) AS c,
				pg_roles AS g, pg_database AS d
			WHERE g.rolname = 'pg_database_owner' AND d.datname = current_database()
				AND (c.schema = n.store OR c.schema = n.types)) AS m
			LEFT JOIN pg_roles AS r ON r.oid = m.role
		WHERE NOT coalesce(r.rolsuper OR r.oid = n.me OR r.oid = n.types_owner AND m.schema <> n.store, false)
		ORDER BY m.schema <> n.store, NOT m.owns, m.role LIMIT 1
	LOOP
		IF v_role.schema = n.store AND v_role.owns THEN
			RAISE EXCEPTION USING
				ERRCODE = 'insufficient_privilege',
				MESSAGE = format('schema "profiling" belongs to role "%s"', v_role.rolname),
				DETAIL = 'The owner of a schema can put functions in the way of those of the store.',
				HINT = format('Connect as role %I to create the extension, or drop the schema first.', v_role.rolname);
		END IF;
		RAISE EXCEPTION USING
			ERRCODE = 'insufficient_privilege',
			MESSAGE = CASE WHEN v_role.everybody THEN 'everybody' ELSE format('role "%s"', v_role.rolname) END
				|| format(' may create objects in schema "%s"', CASE WHEN v_role.schema = n.store THEN 'profiling'
					ELSE n.types_name END),
			DETAIL = CASE WHEN v_role.schema = n.store THEN 'Functions could be put in the way of those of the store.'
				ELSE 'Extension flamegraph is there; '
					'functions could be put in the way of those that the store calls.' END,
			HINT = CASE WHEN v_role.owns THEN format('Connect as role %I to create the store', v_role.rolname)
				ELSE format('REVOKE CREATE ON SCHEMA %I FROM %s', CASE WHEN v_role.schema = n.store THEN 'profiling'
					ELSE n.types_name END,
					CASE WHEN v_role.everybody THEN 'PUBLIC' ELSE quote_ident(v_role.rolname) END) END
				|| CASE WHEN v_role.schema = n.store THEN '.'
					ELSE ', or have flamegraph in a schema of its own: '
						'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.' END;
	END LOOP;

	SELECT string_agg(o.name, ', ') INTO v_objects
	FROM (SELECT pg_describe_object(d.classid, d.objid, 0) AS name
		FROM pg_depend AS d
		WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.store AND d.classid <> 'pg_extension'::regclass
			AND NOT EXISTS (SELECT 1 FROM pg_depend AS m
				WHERE m.classid = d.classid AND m.objid = d.objid AND m.deptype = 'e'
					AND m.refclassid = 'pg_extension'::regclass AND m.refobjid = n.flamegraph)
		ORDER BY 1 LIMIT 5) AS o;
	IF v_objects IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = 'schema "profiling" is not empty',
			DETAIL = format('Among what is there: %s.', v_objects),
			HINT = 'Drop what is there, or move it to another schema.';
	END IF;
	PERFORM set_config('search_path', v_path, true);
END
$$;
