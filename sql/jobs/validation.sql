
--
-- what is wrong with a job
--

CREATE FUNCTION validate_job(job_id bigint, slice interval DEFAULT NULL, origin timestamptz DEFAULT NULL,
		OUT severity text, OUT code text, OUT phase_id bigint, OUT resource_id bigint, OUT detail text)
	RETURNS SETOF record LANGUAGE c STABLE PARALLEL SAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'jobs_validate_job';
COMMENT ON FUNCTION validate_job(bigint, interval, timestamptz)
	IS 'all that is wrong with a job: errors, which every analysis refuses, and where there are none warnings; slice '
		'and origin as of the analyses, for what they leave no time';
