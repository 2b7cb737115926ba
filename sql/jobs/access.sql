
--
-- who may do what
--
-- Nobody but the owner may use the schema until somebody is told so. Functions run with
-- their caller's rights; these are the rights that the three kinds of users need.
--

CREATE FUNCTION grantee(role_name name) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- GRANT takes some words for more than names, "public" for everybody even in what quote_ident() makes of it.
	IF role_name = 'public' THEN
		RAISE EXCEPTION 'access to jobs is granted to roles, not to everybody'
			USING ERRCODE = 'invalid_grant_operation',
				HINT = 'Grant it to a role and make others its members: '
					'CREATE ROLE job_reader NOLOGIN; GRANT job_reader TO name.';
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

-- GRANT by somebody who may not is a warning to those who have some right, and no error.
CREATE FUNCTION need_owner(what text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_owner CONSTANT oid := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = 'jobs.job'::regclass);
BEGIN
	IF NOT pg_has_role(v_owner, 'USAGE') THEN
		RAISE EXCEPTION '%() is for the owner of the tables of jobs', what USING
			ERRCODE = 'insufficient_privilege',
			HINT = format('Call it as role %I, or as a member of it.', pg_get_userbyid(v_owner));
	END IF;
END
$$;
COMMENT ON FUNCTION need_owner(text) IS 'an error for callers who do not have the rights of the owner of the tables';

CREATE FUNCTION grant_access(role_name name, access text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_role text;
BEGIN
	IF access IS NULL OR access NOT IN ('reader', 'loader', 'admin') THEN
		RAISE EXCEPTION 'unrecognized access "%"', access
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Available: reader, loader, admin.';
	END IF;
	v_role := jobs.grantee(role_name);
	PERFORM jobs.need_owner('grant_access');
	EXECUTE format('GRANT USAGE ON SCHEMA jobs TO %s', v_role);
	EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA jobs TO %s', v_role);
	IF access = 'loader' THEN
		EXECUTE format('GRANT INSERT ON jobs.platform_model, jobs.phase_type, jobs.phase_type_precedence, '
			'jobs.resource_type, jobs.attribution_rule, jobs.job, jobs.phase, jobs.resource, jobs.phase_resource, '
			'jobs.usage_measurement, jobs.blocking_interval, jobs.graph_dataset, jobs.benchmark_run TO %s', v_role);
		-- publish() writes there which run of the store a job is
		EXECUTE format('GRANT UPDATE (test_run_id) ON jobs.job TO %s', v_role);
	ELSIF access = 'admin' THEN
		EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA jobs TO %s', v_role);
	END IF;
END
$$;
COMMENT ON FUNCTION grant_access(name, text)
	IS 'grants a role what a reader, a loader or an admin of jobs needs; for the owner of the tables';

CREATE FUNCTION revoke_access(role_name name) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_role CONSTANT text := jobs.grantee(role_name);
BEGIN
	PERFORM jobs.need_owner('revoke_access');
	EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA jobs FROM %s', v_role);
	EXECUTE format('REVOKE ALL ON SCHEMA jobs FROM %s', v_role);
END
$$;
COMMENT ON FUNCTION revoke_access(name) IS 'takes back what grant_access() has granted';
