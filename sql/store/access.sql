
--
-- who may do what
--
-- Nobody but the owner may use the schema until somebody is told so. Functions run
-- with their caller's rights, but for store_profile(); these are the rights that the
-- three kinds of users need.
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
	IF role_name IS NULL OR NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = role_name) THEN
		RAISE EXCEPTION 'role "%" does not exist', role_name
			USING ERRCODE = 'undefined_object',
				HINT = 'The argument is the name of a role, as it is in pg_roles; '
					'current_user without quotes is your own.';
	END IF;
	RETURN quote_ident(role_name);
END
$$;
COMMENT ON FUNCTION grantee(name) IS 'the role as GRANT takes it; an error for what is no role';

CREATE FUNCTION granted_function() RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT 'store_profile(profile, flamegraph, flamegraph)'::regprocedure::text;
	END;
COMMENT ON FUNCTION granted_function()
	IS 'store_profile() with its arguments, as GRANT takes it: the one function that is for those alone who may load';

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
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', profiling.granted_function(), v_role);
	END IF;
	IF access = 'loader' THEN
		-- Finding what is there takes reading these. What is new is said without its number: that comes from the
		-- sequence.
		EXECUTE format('GRANT SELECT ON profiling.benchmark, profiling.test_run, profiling.profile, '
			'profiling.observation, profiling.frame_rule TO %s', v_role);
		EXECUTE format('GRANT INSERT (suite, name, parameters, parameters_id) ON profiling.benchmark TO %s', v_role);
		EXECUTE format('GRANT INSERT (started_at, branch, commit, version, labels, labels_id) '
			'ON profiling.test_run TO %s', v_role);
		EXECUTE format('GRANT INSERT (benchmark_id, test_run_id, location, x, y, unit, load_id, ordinal) '
			'ON profiling.observation TO %s', v_role);
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
	EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %s', profiling.granted_function(), v_role);
	EXECUTE format('REVOKE ALL ON SCHEMA profiling FROM %s', v_role);
END
$$;
COMMENT ON FUNCTION revoke_access(name) IS 'takes back what grant_access() has granted';
