
--
-- nothing here is bound to what others have made
--
-- Views, SQL bodies, constraints and indexes name what they use by the oid it had when this script ran. All of that is
-- PostgreSQL's own, of this extension or of flamegraph as it was installed: what the owner of that extension may have
-- added to it later is somebody's own.
--

DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	n record;
	v_foreign pg_catalog.text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	SELECT x.oid AS store, x.extnamespace AS schema, f.oid AS flamegraph INTO STRICT n
	FROM pg_extension AS x, pg_extension AS f
	WHERE x.extname = 'flamegraph_store' AND f.extname = 'flamegraph';

	-- What belongs to the members (rules of views, constraints, indexes, row types) is looked at, too. Objects with
	-- oids below 16384 were made by initdb.
	WITH RECURSIVE ours (extension, classid, objid) AS (
		SELECT d.refobjid, d.classid, d.objid FROM pg_depend AS d
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND (d.refobjid = n.store
			OR d.refobjid = n.flamegraph AND NOT EXISTS (SELECT 1 FROM pg_shdepend AS s JOIN pg_roles AS r
				ON r.oid = s.refobjid
				WHERE s.dbid = (SELECT b.oid FROM pg_database AS b WHERE b.datname = current_database())
					AND s.classid = d.classid AND s.objid = d.objid AND s.objsubid = 0
					AND s.refclassid = 'pg_authid'::regclass AND s.deptype = 'o'
					AND NOT r.rolsuper AND r.rolname <> current_user))
		UNION
		SELECT o.extension, d.classid, d.objid
		FROM ours AS o JOIN pg_depend AS d ON d.refclassid = o.classid AND d.refobjid = o.objid
		WHERE d.deptype IN ('i', 'a')
	)
	SELECT string_agg(f.name, ', ') INTO v_foreign
	FROM (SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, 0) AS name
		FROM ours AS o JOIN pg_depend AS d ON d.classid = o.classid AND d.objid = o.objid
		WHERE o.extension = n.store AND d.refobjid >= 16384
			AND NOT EXISTS (SELECT 1 FROM ours AS u WHERE u.classid = d.refclassid AND u.objid = d.refobjid)
			AND NOT (d.refclassid = 'pg_extension'::regclass AND d.refobjid = n.store)
			AND NOT (d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.schema)
			-- dropped and created again
			AND NOT EXISTS (SELECT 1 FROM pg_language AS l WHERE d.refclassid = 'pg_language'::regclass
				AND l.oid = d.refobjid AND l.lanname = 'plpgsql')
		ORDER BY 1 LIMIT 5) AS f;
	IF v_foreign IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = 'extension flamegraph_store would depend on what is part neither of it nor of flamegraph',
			DETAIL = format('Among it: %s.', v_foreign),
			HINT = 'Drop these, or have flamegraph in a schema of its own: '
				'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.';
	END IF;
	PERFORM set_config('search_path', v_path, true);
END
$$;
