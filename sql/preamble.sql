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
