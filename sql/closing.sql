
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
