
--
-- who may do what
--
-- Nobody but the owner may use the schema until somebody is told so. Functions run
-- with their caller's rights, but for store_profile() and store_incoming(); these are the
-- rights that the three kinds of users need.
--

CREATE FUNCTION grantee(role_name name) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- GRANT takes some words for more than names, "public" for everybody even in what quote_ident() makes of it.
	IF role_name = 'public' THEN
		RAISE EXCEPTION 'access to the store is granted to roles, not to everybody'
			USING ERRCODE = 'invalid_grant_operation',
				HINT = 'Grant it to a role and make others its members: '
					'CREATE ROLE profile_reader NOLOGIN; GRANT profile_reader TO name.';
	END IF;
	IF role_name IS NULL OR NOT EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = role_name) THEN
		RAISE EXCEPTION 'role "%" does not exist', role_name
			USING ERRCODE = 'undefined_object',
				HINT = 'The argument is the name of a role, as it is in pg_roles; '
					'current_user without quotes is your own.';
	END IF;
	RETURN quote_ident(role_name);
END
$$;
COMMENT ON FUNCTION grantee(name) IS 'the role as GRANT takes it; an error for what is no role';

CREATE FUNCTION granted_functions() RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT 'store_profile'::regproc::oid::regprocedure::text || ', '::text
			|| 'store_incoming'::regproc::oid::regprocedure::text;
	END;
COMMENT ON FUNCTION granted_functions()
	IS 'store_profile() and store_incoming() with their arguments, as GRANT takes them: the functions that are for '
		'those alone who may load';

CREATE FUNCTION grant_access(role_name name, access text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_role text;
BEGIN
	IF access IS NULL OR access NOT IN ('reader', 'loader', 'admin') THEN
		RAISE EXCEPTION 'unrecognized access "%"', access
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Available: reader, loader, admin.';
	END IF;
	v_role := profiling.grantee(role_name);
	EXECUTE format('GRANT USAGE ON SCHEMA profiling TO %s', v_role);
	IF access IN ('loader', 'admin') THEN
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', profiling.granted_functions(), v_role);
	END IF;
	IF access = 'loader' THEN
		-- Finding what is there takes reading these. What is new is said without its number: that comes from the
		-- sequence.
		EXECUTE format('GRANT SELECT ON profiling.benchmark, profiling.benchmark_alias, profiling.test_run, '
			'profiling.profile, profiling.observation, profiling.frame_rule TO %s', v_role);
		EXECUTE format('GRANT INSERT (suite, name, parameters, parameters_id) ON profiling.benchmark TO %s', v_role);
		EXECUTE format('GRANT INSERT (started_at, branch, commit, version, labels, labels_id) '
			'ON profiling.test_run TO %s', v_role);
		EXECUTE format('GRANT INSERT (benchmark_id, test_run_id, location, x, y, unit, load_id, ordinal) '
			'ON profiling.observation TO %s', v_role);
		-- Citus hands no rights on columns on, and locks the rows of tables that every server has a copy of as an
		-- UPDATE does.
		IF profiling.is_on_citus('test_run'::text) THEN
			EXECUTE format('GRANT INSERT, UPDATE ON profiling.benchmark, profiling.test_run TO %s', v_role);
			EXECUTE format('GRANT INSERT ON profiling.observation TO %s', v_role);
		END IF;
		RETURN;
	END IF;
	EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA profiling TO %s', v_role);
	IF access = 'admin' THEN
		EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA profiling TO %s', v_role);
	END IF;
END
$$;
COMMENT ON FUNCTION grant_access(name, text)
	IS 'grants a role what a reader, a loader or an admin of the store needs; for the owner of the tables';

CREATE FUNCTION revoke_access(role_name name) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_role CONSTANT text := profiling.grantee(role_name);
BEGIN
	EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA profiling FROM %s', v_role);
	EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %s', profiling.granted_functions(), v_role);
	EXECUTE format('REVOKE ALL ON SCHEMA profiling FROM %s', v_role);
END
$$;
COMMENT ON FUNCTION revoke_access(name) IS 'takes back what grant_access() has granted';

--
-- errors that say what is missing
--

CREATE FUNCTION need_access(what text, access text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_may CONSTANT bool := CASE access
		WHEN 'reader' THEN has_table_privilege('profiling.rollup'::regclass, 'SELECT')
		-- Those that run with the rights of the owner, by their names: to look for them reads all of pg_proc, for each
		-- profile that is loaded.
		WHEN 'loader' THEN has_any_column_privilege('profiling.test_run'::regclass, 'INSERT')
			AND (SELECT bool_and(has_function_privilege(p.oid, 'EXECUTE')) FROM pg_proc AS p
				WHERE p.proname IN ('store_profile', 'store_incoming')
					AND p.pronamespace = 'profiling'::regnamespace AND p.prosecdef)
		ELSE has_table_privilege('profiling.regression'::regclass, 'INSERT') END;
BEGIN
	IF NOT v_may THEN
		RAISE EXCEPTION '%() needs access "%" to the store', what, access USING
			ERRCODE = 'insufficient_privilege',
			HINT = format('The owner of the store grants it: SELECT profiling.grant_access(%L, %L)', current_user,
				access);
	END IF;
END
$$;
COMMENT ON FUNCTION need_access(text, text)
	IS 'an error where the caller has not got an access of grant_access() that a function needs';

CREATE FUNCTION need_owner(what text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_owner CONSTANT oid := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = 'profiling.profile_data'::regclass);
BEGIN
	IF NOT pg_has_role(v_owner, 'USAGE') THEN
		RAISE EXCEPTION '%() is for the owner of the store', what USING
			ERRCODE = 'insufficient_privilege',
			DETAIL = 'It makes and drops partitions, which no access of grant_access() allows.',
			HINT = format('Call it as role %I, or as a member of it.', pg_get_userbyid(v_owner));
	END IF;
END
$$;
COMMENT ON FUNCTION need_owner(text) IS 'an error for callers who do not have the rights of the owner of the tables';

-- Nothing in SQL tells whether there is a transaction block: times differ for those who parse, bind and execute, too.
-- But the error of PostgreSQL comes with the statement that it was in.
CREATE PROCEDURE commit_or_say(words text)
	LANGUAGE plpgsql AS $$
BEGIN
	COMMIT;
END
$$;
COMMENT ON PROCEDURE commit_or_say(text)
	IS 'commits; where that is not allowed, in a transaction block or a function, these words are in the context of '
		'the error';
