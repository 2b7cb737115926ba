
--
-- what pg_dump carries: every row of every table, and the sequences
--
-- One call a statement: two in one would update the same catalog row.
--

SELECT pg_catalog.pg_extension_config_dump('jobs.platform_model'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.phase_type'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.phase_type_precedence'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.resource_type'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.attribution_rule'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.issue_rule'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.job'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.phase'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.resource'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.phase_resource'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.usage_measurement'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.blocking_interval'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.graph_dataset'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.benchmark_run'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.job_job_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('jobs.benchmark_run_run_id_seq'::regclass, ''::text);
