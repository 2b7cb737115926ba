
--
-- who may do what
--
-- Nobody but the owner may use the schema until somebody is told so. Functions run
-- with their caller's rights; these are the rights that the three kinds of users need.
--

CREATE FUNCTION grant_access(role_name name, access text) RETURNS void
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF role_name IS NULL OR access IS NULL OR access NOT IN ('reader', 'loader', 'admin') THEN
		RAISE EXCEPTION 'unrecognized access "%"', access
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Available: reader, loader, admin.';
	END IF;
	EXECUTE format('GRANT USAGE ON SCHEMA profiling TO %I', role_name);
	IF access = 'loader' THEN
		-- Finding what is there takes reading these; the profiles themselves are written only.
		EXECUTE format('GRANT SELECT, INSERT ON profiling.benchmark, profiling.test_run, profiling.profile, profiling.observation TO %I', role_name);
		EXECUTE format('GRANT SELECT ON profiling.frame_rule TO %I', role_name);
		EXECUTE format('GRANT INSERT ON profiling.profile_data TO %I', role_name);
		EXECUTE format('GRANT SELECT, INSERT, UPDATE ON profiling.rollup TO %I', role_name);
		RETURN;
	END IF;
	EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA profiling TO %I', role_name);
	IF access = 'admin' THEN
		EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA profiling TO %I', role_name);
	END IF;
END
$$;
COMMENT ON FUNCTION grant_access(name, text) IS 'grants a role what a reader, a loader or an admin of the store needs; for the owner of the tables';

CREATE FUNCTION revoke_access(role_name name) RETURNS void
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA profiling FROM %I', role_name);
	EXECUTE format('REVOKE ALL ON SCHEMA profiling FROM %I', role_name);
END
$$;
COMMENT ON FUNCTION revoke_access(name) IS 'takes back what grant_access() has granted';
