
--
-- the machine, not the code
--

CREATE FUNCTION night_environment(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN '';
END
$$;
COMMENT ON FUNCTION night_environment(bigint)
	IS 'a step of finish_night(): what moved many benchmarks of a night by one factor; words for job_log, or empty';
