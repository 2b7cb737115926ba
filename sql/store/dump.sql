
--
-- what pg_dump carries: every row of every table, and the sequences
--
-- One call a statement: two in one would update the same catalog row. Partitions
-- that add_partition() and compact() make are no members of the extension and dumped as they are.
--

SELECT pg_catalog.pg_extension_config_dump('profiling.benchmark'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.benchmark_alias'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.test_run'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.profile'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.profile_data_default'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.observation'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.fitted_model'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.rollup'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.watch'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.regression'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.owner'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.frame_rule'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.frame_commit'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.commit_change'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.commit_function'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.job_log'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.domain'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.regression_group'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.candidate'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.service'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.stream'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.incoming_default'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.block_default'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.retention'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.service_watch'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.service_hour'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.service_candidate'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.benchmark_benchmark_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.test_run_test_run_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.profile_profile_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.observation_observation_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.watch_watch_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.regression_regression_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.owner_owner_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.frame_rule_rule_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.job_log_log_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.regression_group_group_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.service_service_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.stream_stream_id_seq'::regclass, ''::text);
