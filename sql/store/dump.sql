
--
-- what pg_dump carries: every row of every table, and the sequences
--
-- One call a statement: two in one would update the same catalog row. Partitions
-- that add_partition() makes are no members of the extension and dumped as they are.
--

SELECT pg_extension_config_dump('benchmark', '');
SELECT pg_extension_config_dump('test_run', '');
SELECT pg_extension_config_dump('profile', '');
SELECT pg_extension_config_dump('profile_data_default', '');
SELECT pg_extension_config_dump('observation', '');
SELECT pg_extension_config_dump('fitted_model', '');
SELECT pg_extension_config_dump('rollup', '');
SELECT pg_extension_config_dump('watch', '');
SELECT pg_extension_config_dump('regression', '');
SELECT pg_extension_config_dump('owner', '');
SELECT pg_extension_config_dump('frame_rule', '');
SELECT pg_extension_config_dump('frame_commit', '');
SELECT pg_extension_config_dump('job_log', '');
SELECT pg_extension_config_dump('benchmark_benchmark_id_seq', '');
SELECT pg_extension_config_dump('test_run_test_run_id_seq', '');
SELECT pg_extension_config_dump('profile_profile_id_seq', '');
SELECT pg_extension_config_dump('observation_observation_id_seq', '');
SELECT pg_extension_config_dump('watch_watch_id_seq', '');
SELECT pg_extension_config_dump('regression_regression_id_seq', '');
SELECT pg_extension_config_dump('owner_owner_id_seq', '');
SELECT pg_extension_config_dump('frame_rule_rule_id_seq', '');
SELECT pg_extension_config_dump('job_log_log_id_seq', '');
