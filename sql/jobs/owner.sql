
--
-- whose tables these are
--
-- The script of a trusted extension may run as a superuser on behalf of somebody else. Tables and views belong to who
-- creates the extension, so that a dump can be restored by that role, access be granted by it, and views read with its
-- rights only. Functions stay with the superuser: those in C have to.
--

DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	n record;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	FOR n IN
		SELECT c.oid::regclass AS relation, x.extowner::regrole AS owner
		FROM pg_extension AS x JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid
			JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
		WHERE x.extname = 'flamegraph_jobs' AND d.deptype = 'e' AND c.relkind IN ('r', 'v')
			AND c.relowner <> x.extowner
	LOOP
		EXECUTE format('ALTER TABLE %s OWNER TO %s', n.relation, n.owner);
	END LOOP;
	PERFORM set_config('search_path', v_path, true);
END
$$;
