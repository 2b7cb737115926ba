-- Loads the recording in this folder, from within it: psql -d DATABASE -f load.sql. Needs the extension flamegraph_jobs.
-- Types and rules that the model has already stay as they are.
\set ON_ERROR_STOP on
BEGIN;
CREATE TEMPORARY TABLE r_job (model text, name text, started_at timestamptz, labels jsonb) ON COMMIT DROP;
CREATE TEMPORARY TABLE r_phase_type (phase_type text, description text, parent_type text, repeat jobs.phase_repeat)
	ON COMMIT DROP;
CREATE TEMPORARY TABLE r_resource_type (resource_type text, description text, parent_type text, class jobs.resource_class,
	unit text) ON COMMIT DROP;
CREATE TEMPORARY TABLE r_rule (phase_type text, resource_type text, rule jobs.attribution_rule_kind, cap float8)
	ON COMMIT DROP;
CREATE TEMPORARY TABLE r_phase (phase_id bigint, parent_id bigint, phase_type text, instance text, start_time timestamptz,
	end_time timestamptz) ON COMMIT DROP;
CREATE TEMPORARY TABLE r_resource (resource_id bigint, parent_id bigint, resource_type text, instance text, capacity float8)
	ON COMMIT DROP;
CREATE TEMPORARY TABLE r_phase_resource (phase_id bigint, resource_id bigint) ON COMMIT DROP;
CREATE TEMPORARY TABLE r_usage (resource_id bigint, start_time timestamptz, end_time timestamptz, usage float8) ON COMMIT DROP;
CREATE TEMPORARY TABLE r_blocking (resource_id bigint, start_time timestamptz, end_time timestamptz) ON COMMIT DROP;
\copy r_job FROM 'job.csv' (FORMAT csv, HEADER true)
\copy r_phase_type FROM 'phase_type.csv' (FORMAT csv, HEADER true, FORCE_NOT_NULL (description))
\copy r_resource_type FROM 'resource_type.csv' (FORMAT csv, HEADER true, FORCE_NOT_NULL (description))
\copy r_rule FROM 'attribution_rule.csv' (FORMAT csv, HEADER true)
\copy r_phase FROM 'phase.csv' (FORMAT csv, HEADER true, FORCE_NOT_NULL (instance))
\copy r_resource FROM 'resource.csv' (FORMAT csv, HEADER true, FORCE_NOT_NULL (instance))
\copy r_phase_resource FROM 'phase_resource.csv' (FORMAT csv, HEADER true)
\copy r_usage FROM 'usage_measurement.csv' (FORMAT csv, HEADER true)
\copy r_blocking FROM 'blocking_interval.csv' (FORMAT csv, HEADER true)
INSERT INTO jobs.platform_model (model, description)
SELECT model, 'commands of a job on one machine, recorded by record-job' FROM r_job ON CONFLICT DO NOTHING;
INSERT INTO jobs.phase_type (model, phase_type, description, parent_type, repeat)
SELECT j.model, t.* FROM r_job AS j, r_phase_type AS t ON CONFLICT DO NOTHING;
INSERT INTO jobs.resource_type (model, resource_type, description, parent_type, class, unit)
SELECT j.model, t.* FROM r_job AS j, r_resource_type AS t ON CONFLICT DO NOTHING;
INSERT INTO jobs.attribution_rule (model, phase_type, resource_type, rule, cap)
SELECT j.model, t.* FROM r_job AS j, r_rule AS t ON CONFLICT DO NOTHING;
INSERT INTO jobs.job (model, name, started_at, labels) SELECT * FROM r_job RETURNING job_id \gset
INSERT INTO jobs.phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time)
SELECT :job_id, p.* FROM r_phase AS p;
INSERT INTO jobs.resource (job_id, resource_id, parent_id, resource_type, instance, capacity)
SELECT :job_id, r.* FROM r_resource AS r;
INSERT INTO jobs.phase_resource (job_id, phase_id, resource_id) SELECT :job_id, m.* FROM r_phase_resource AS m;
INSERT INTO jobs.usage_measurement (job_id, resource_id, start_time, end_time, usage) SELECT :job_id, u.* FROM r_usage AS u;
INSERT INTO jobs.blocking_interval (job_id, resource_id, start_time, end_time) SELECT :job_id, b.* FROM r_blocking AS b;
COMMIT;
\echo job :job_id
