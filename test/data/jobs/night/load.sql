-- The jobs of this folder in schema jobs, as model "report". Run from the top of the tree, in a database with the
-- extension flamegraph_jobs. Their labels say which run of the store each of them is.
\set ON_ERROR_STOP on
BEGIN;
CREATE TEMPORARY TABLE n_phase_type (phase_type text, description text, parent_type text,
	repeat jobs.phase_repeat) ON COMMIT DROP;
CREATE TEMPORARY TABLE n_resource_type (resource_type text, description text, parent_type text,
	class jobs.resource_class, unit text) ON COMMIT DROP;
CREATE TEMPORARY TABLE n_rule (phase_type text, resource_type text, rule jobs.attribution_rule_kind, cap float8)
	ON COMMIT DROP;
CREATE TEMPORARY TABLE n_job (job_id bigint, started_at timestamptz, labels jsonb) ON COMMIT DROP;
CREATE TEMPORARY TABLE n_id (given bigint, job_id bigint) ON COMMIT DROP;
CREATE TEMPORARY TABLE n_phase (job_id bigint, phase_id bigint, parent_id bigint, phase_type text, instance text,
	start_time timestamptz, end_time timestamptz) ON COMMIT DROP;
CREATE TEMPORARY TABLE n_resource (job_id bigint, resource_id bigint, parent_id bigint, resource_type text,
	instance text, capacity float8) ON COMMIT DROP;
CREATE TEMPORARY TABLE n_usage (job_id bigint, resource_id bigint, start_time timestamptz, end_time timestamptz,
	usage float8) ON COMMIT DROP;
\copy n_phase_type FROM 'test/data/jobs/night/phase_type.csv' (FORMAT csv, HEADER true, FORCE_NOT_NULL (description))
\copy n_resource_type FROM 'test/data/jobs/night/resource_type.csv' (FORMAT csv, HEADER true, FORCE_NOT_NULL (description))
\copy n_rule FROM 'test/data/jobs/night/attribution_rule.csv' (FORMAT csv, HEADER true)
\copy n_job FROM 'test/data/jobs/night/job.csv' (FORMAT csv, HEADER true)
\copy n_phase FROM 'test/data/jobs/night/phase.csv' (FORMAT csv, HEADER true, FORCE_NOT_NULL (instance))
\copy n_resource FROM 'test/data/jobs/night/resource.csv' (FORMAT csv, HEADER true, FORCE_NOT_NULL (instance))
\copy n_usage FROM 'test/data/jobs/night/usage_measurement.csv' (FORMAT csv, HEADER true)
INSERT INTO jobs.platform_model VALUES ('report', 'makes a report and packs it, night by night');
INSERT INTO jobs.phase_type (model, phase_type, description, parent_type, repeat) SELECT 'report', t.* FROM n_phase_type AS t;
INSERT INTO jobs.resource_type (model, resource_type, description, parent_type, class, unit)
SELECT 'report', t.* FROM n_resource_type AS t;
INSERT INTO jobs.attribution_rule (model, phase_type, resource_type, rule, cap) SELECT 'report', t.* FROM n_rule AS t;
-- Numbers of their own, whatever else is there.
WITH loaded AS (
	INSERT INTO jobs.job (model, name, started_at, labels)
	SELECT 'report', 'report', started_at, labels FROM n_job ORDER BY job_id
	RETURNING job_id, started_at)
INSERT INTO n_id SELECT n.job_id, l.job_id FROM loaded AS l JOIN n_job AS n USING (started_at);
INSERT INTO jobs.phase SELECT i.job_id, phase_id, parent_id, phase_type, instance, start_time, end_time
FROM n_phase AS p JOIN n_id AS i ON i.given = p.job_id;
INSERT INTO jobs.resource SELECT i.job_id, resource_id, parent_id, resource_type, instance, capacity
FROM n_resource AS r JOIN n_id AS i ON i.given = r.job_id;
INSERT INTO jobs.usage_measurement SELECT i.job_id, resource_id, start_time, end_time, usage
FROM n_usage AS u JOIN n_id AS i ON i.given = u.job_id;
COMMIT;
