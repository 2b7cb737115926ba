-- profiling.check() finds what is wrong; storage; who may do what.
BEGIN;
SELECT profiling.import_flamegraph('checked', E'a;b 1\na 2', started_at => '2026-02-01', labels => '{"a": 1}') AS one \gset
SELECT profiling.import_flamegraph('checked', E'a;b 1\na 3', started_at => '2026-02-01', labels => '{"a": 1}', truncated => 'x 1') AS two \gset
SELECT benchmark_id, test_run_id FROM profiling.profile WHERE profile_id = :one \gset
SELECT profiles, nodes, bytes_per_node = bytes / 4.0 AS bytes_per_node FROM profiling.storage WHERE name = 'checked';
CREATE FUNCTION t.found(deep bool DEFAULT false) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s, %s %s', problem, table_name, detail) FROM profiling.check(deep) ORDER BY problem COLLATE "C", table_name COLLATE "C", detail COLLATE "C"
$$;
SELECT t.found(true);
SELECT profiling.add_partition('1999-01-01');
-- each kind of harm by itself
CREATE FUNCTION t.harmed(VARIADIC statements text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	s text;
	found text[];
BEGIN
	FOREACH s IN ARRAY statements LOOP
		BEGIN
			EXECUTE s;
			found := ARRAY(SELECT regexp_replace(f, ' [0-9]+', ' N', 'g') FROM t.found(true) AS f);
			RAISE EXCEPTION 'undo';
		EXCEPTION WHEN raise_exception THEN
			RETURN NEXT s;
			RETURN QUERY SELECT '    ' || f FROM unnest(found) AS f;
		END;
	END LOOP;
END
$$;
SELECT set_config('t.one', :'one', true), set_config('t.two', :'two', true), set_config('t.b', :'benchmark_id', true), set_config('t.r', :'test_run_id', true) \gset x
SELECT * FROM t.harmed(
	$$DELETE FROM profiling.profile_data WHERE profile_id = current_setting('t.one')::int$$,
	$$DELETE FROM profiling.profile WHERE profile_id = current_setting('t.one')::int$$,
	$$DELETE FROM profiling.benchmark WHERE name = 'checked'$$,
	$$DELETE FROM profiling.test_run WHERE test_run_id = current_setting('t.r')::int$$,
	$$DELETE FROM profiling.rollup WHERE benchmark_id = current_setting('t.b')::int$$,
	$$INSERT INTO profiling.profile_data SELECT benchmark_id, profile_id, '1999-01-01', flamegraph FROM profiling.profile_full WHERE profile_id = current_setting('t.one')::int$$,
	$$UPDATE profiling.profile SET total = total + 1 WHERE profile_id = current_setting('t.one')::int$$,
	$$UPDATE profiling.profile SET nodes = 7, frames = 8, truncated_share = 0.5 WHERE profile_id = current_setting('t.two')::int$$,
	$$UPDATE profiling.profile SET content_id = md5('')::uuid, labels = '{}' WHERE profile_id = current_setting('t.two')::int$$,
	$$UPDATE profiling.profile SET recorded_at = '2026-02-02' WHERE profile_id = current_setting('t.two')::int$$,
	$$UPDATE profiling.rollup SET flamegraph = flamegraph * 2, total = total * 2 WHERE benchmark_id = current_setting('t.b')::int$$,
	$$UPDATE profiling.rollup SET flamegraph = 'a;b 7' WHERE benchmark_id = current_setting('t.b')::int$$,
	$$UPDATE profiling.rollup SET branch = 'x', started_at = '2026-01-01', total = 1 WHERE benchmark_id = current_setting('t.b')::int$$,
	$$UPDATE profiling.rollup SET repetitions = 3 WHERE benchmark_id = current_setting('t.b')::int$$,
	$$UPDATE profiling.benchmark SET parameters = '{"n": 1}' WHERE name = 'checked'$$,
	$$UPDATE profiling.test_run SET labels = '{"n": 1}' WHERE test_run_id = current_setting('t.r')::int$$,
	$$INSERT INTO profiling.observation (benchmark_id, test_run_id, location, x, y) VALUES (-1, -2, 'f', 1, 1)$$,
	$$INSERT INTO profiling.test_run (started_at, labels_id) VALUES ('9999-12-31 UTC', profiling.object_id('{}'))$$,
	$$INSERT INTO profiling.profile (benchmark_id, test_run_id, event, unit, recorded_at, labels, total, nodes, frames, reshaped, content_id)
	SELECT benchmark_id, test_run_id, event, 'later', '9999-12-31 UTC', labels, total, nodes, frames, reshaped, content_id FROM profiling.profile WHERE profile_id = current_setting('t.one')::int$$);
ROLLBACK;

-- Roles: who has been told nothing sees nothing; a reader reads, a loader imports, an admin does what needs no DDL.
CREATE ROLE regress_store_nobody;
CREATE ROLE regress_store_reader;
CREATE ROLE regress_store_loader;
CREATE ROLE regress_store_admin;
SELECT profiling.grant_access('regress_store_reader', 'reader'), profiling.grant_access('regress_store_loader', 'loader'), profiling.grant_access('regress_store_admin', 'admin');
SELECT * FROM t.try($$SELECT profiling.grant_access('regress_store_reader', 'owner')$$, $$SELECT profiling.grant_access('regress_store_reader', NULL)$$,
	$$SELECT profiling.grant_access('public', 'reader')$$, $$SELECT profiling.grant_access('none', 'reader')$$, $$SELECT profiling.grant_access('regress_nobody_there', 'loader')$$,
	$$SELECT profiling.revoke_access('public')$$);
GRANT USAGE ON SCHEMA t TO PUBLIC;
CREATE FUNCTION t.may(role name) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	s text;
BEGIN
	FOREACH s IN ARRAY ARRAY['SELECT count(*) > 0 FROM profiling.profile_full', 'SELECT count(*) > 0 FROM profiling.profile', 'SELECT count(*) > 0 FROM profiling.watch',
			'SELECT count(*) > 0 FROM profiling.storage', 'SELECT count(*) FROM profiling.check()',
			'SELECT profiling.import_flamegraph(''loaded'', ''a 1'', started_at => ''2026-02-01'') > 0', 'SELECT profiling.import_flamegraph(''loaded'', ''a 2'', started_at => ''2026-02-01'', unit => ''us'', samples => ''a 2'', noise => ''a 3'') > 0',
			'SELECT profiling.import_observations(''loaded'', ''{f}'', ''{1}'', ''{1}'')',
			'DELETE FROM profiling.profile WHERE false', 'UPDATE profiling.profile SET total = 0 WHERE false', 'DELETE FROM profiling.profile_data WHERE false',
			'DELETE FROM profiling.rollup WHERE false', 'UPDATE profiling.benchmark SET metric_direction = ''higher'' WHERE false', 'SELECT count(*) > 0 FROM profiling.rollup',
			'UPDATE profiling.regression SET status = ''acknowledged'' WHERE false', 'INSERT INTO profiling.owner (pattern, team) VALUES (''a'', ''b'')',
			'SELECT profiling.add_partition(''1999-01-01'')', 'SELECT profiling.prune_month(''2020-02-01'', 1)',
			'SELECT count(*) FROM profiling.verdict(''nothing'')', 'SELECT profiling.watch_benchmark(-1)', 'CALL profiling.watch_run()', 'CALL profiling.maintain()', 'CALL profiling.prune()',
			'SELECT count(samples) + count(noise) >= 0 FROM profiling.profile_full', 'SELECT count(samples) + count(noise) >= 0 FROM profiling.rollup',
			'SELECT count(*) >= 0 FROM profiling.pending_regression, profiling.cost_shift, profiling.open_group', 'SELECT count(*) >= 0 FROM profiling.night_filters',
			'SELECT count(*) >= 0 FROM profiling.domain, profiling.regression_group, profiling.commit_change, profiling.commit_function', 'SELECT profiling.suspects(-1)',
			'UPDATE profiling.watch SET confirm = 1 WHERE false', 'INSERT INTO profiling.domain (pattern, name) VALUES (''*;a;*'', ''b'')',
			'INSERT INTO profiling.commit_change (commit, committed_at, file) VALUES (''c'', now(), ''f'')', 'DELETE FROM profiling.commit_function WHERE false',
			'UPDATE profiling.regression_group SET log_id = 1 WHERE false', 'UPDATE profiling.job_log SET kept_back = ''{}'' WHERE false',
			'SELECT profiling.finish_night(-1)'] LOOP
		BEGIN
			EXECUTE format('SET LOCAL ROLE %I', role);
			EXECUTE s;
			RETURN NEXT s || ': may';
			RAISE EXCEPTION 'undo';
		EXCEPTION
			WHEN raise_exception THEN NULL;
			WHEN OTHERS THEN RETURN NEXT s || ': ' || SQLSTATE || ' ' || SQLERRM;
		END;
	END LOOP;
END
$$;
SELECT t.may('regress_store_nobody');
SELECT t.may('regress_store_reader');
SELECT t.may('regress_store_loader');
SELECT t.may('regress_store_admin');
SELECT profiling.revoke_access('regress_store_reader'), profiling.revoke_access('regress_store_loader'), profiling.revoke_access('regress_store_admin');
SELECT count(*) FROM unnest(ARRAY['reader', 'loader', 'admin']) AS r, t.may('regress_store_' || r::text) AS line WHERE line LIKE '%: may';
DROP ROLE regress_store_nobody, regress_store_reader, regress_store_loader, regress_store_admin;
