
--
-- when: pg_cron, where it is there
--

CREATE FUNCTION scheduled_jobs(OUT ordinal int, OUT job text, OUT command text, OUT cron text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 5
	BEGIN ATOMIC
		VALUES (1, 'profiling maintain', 'CALL profiling.maintain()', NULL),
			(2, 'profiling watch_run', 'CALL profiling.watch_run()', NULL),
			(3, 'profiling prune', 'CALL profiling.prune()', NULL),
			(4, 'profiling compact', 'CALL profiling.compact()', '*/5 * * * *'),
			(5, 'profiling watch_services', 'CALL profiling.watch_services()', '12 * * * *');
	END;
COMMENT ON FUNCTION scheduled_jobs()
	IS 'what schedule() registers: a job each, because procedures that commit must be called alone; cron: when, where '
		'that is not the argument of schedule()';

CREATE FUNCTION cron_schema(cron text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Its functions are in schema cron whatever schema the extension was created in.
	IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_cron') THEN
		IF NOT has_schema_privilege('cron', 'USAGE') THEN
			RAISE EXCEPTION 'role "%" may not use pg_cron', current_user USING
				ERRCODE = 'insufficient_privilege',
				HINT = format('A superuser grants it: GRANT USAGE ON SCHEMA cron TO %I', current_user);
		END IF;
		RETURN 'cron';
	END IF;
	RAISE EXCEPTION 'pg_cron is not installed in database "%"', current_database() USING
		ERRCODE = 'feature_not_supported',
		HINT = format('Install it, or use cron.schedule_in_database() from the database that has it, '
				'or the crontab lines: %s',
			(SELECT string_agg(l.line, ' and ' ORDER BY l.ordinal)
				FROM (SELECT min(j.ordinal) AS ordinal, format('%s psql -d %s %s', coalesce(j.cron, cron_schema.cron),
						quote_literal(current_database()),
						string_agg(format('-c %L', j.command), ' ' ORDER BY j.ordinal)) AS line
					FROM profiling.scheduled_jobs() AS j GROUP BY j.cron) AS l));
END
$$;
COMMENT ON FUNCTION cron_schema(text)
	IS 'the schema of pg_cron''s functions; error 0A000 with a crontab line where it is not installed, 42501 for a '
		'role that may not use it';

-- What may be seen of a setting or a file of the server is seen by few; who may not is told how to look.
CREATE FUNCTION setting_or_null(name text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN current_setting(setting_or_null.name, true);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION setting_or_null(text) IS 'a setting; null when it does not exist or may not be seen';

CREATE FUNCTION way_in(host text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT r.auth_method FROM pg_hba_file_rules AS r
		WHERE r.error IS NULL
			AND CASE WHEN way_in.host = '' OR way_in.host LIKE '/%' THEN r.type = 'local'
				ELSE r.type IN ('host', 'hostnossl') AND (r.address IN ('127.0.0.1', '::1', '0.0.0.0', '::', 'all',
					'samehost', 'samenet', 'localhost') OR r.address = way_in.host) END
			AND ('all' = ANY (r.database) OR current_database() = ANY (r.database))
			AND ('all' = ANY (r.user_name) OR current_user = ANY (r.user_name))
		ORDER BY r.line_number LIMIT 1);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION way_in(text)
	IS 'by which method pg_hba.conf lets the caller in from this machine, as far as its rules are plain; null when '
		'none does, or it may not be read';

CREATE FUNCTION warn_of_cron() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_workers CONSTANT text := profiling.setting_or_null('cron.use_background_workers'::text);
	v_method text;
BEGIN
	IF v_workers = 'on' THEN
		RETURN;
	END IF;
	v_method := profiling.way_in(coalesce(profiling.setting_or_null('cron.host'::text), 'localhost'));
	IF v_method = 'trust' THEN
		RETURN;
	END IF;
	IF v_workers IS NULL THEN
		RAISE NOTICE 'whether pg_cron can run these jobs is not to be seen by role "%"', current_user USING
			HINT = 'Where cron.use_background_workers is off it connects like any client, and needs a way in without a '
				'password. After a night SELECT * FROM profiling.night_health, or cron.job_run_details, tells.';
		RETURN;
	END IF;
	RAISE WARNING 'pg_cron will hardly be able to connect for these jobs' USING
		DETAIL = format('cron.use_background_workers is off, so it connects like any client, and pg_hba.conf %s.',
			coalesce('asks for method ' || v_method, 'has no plain rule that lets it in')),
		HINT = 'Set cron.use_background_workers = on and restart the server, or give role ' || quote_ident(current_user)
			|| ' a way in from this machine without a password. SELECT * FROM cron.job_run_details tells whether jobs '
				'run.';
END
$$;
COMMENT ON FUNCTION warn_of_cron()
	IS 'a WARNING when pg_cron has to connect for its jobs and pg_hba.conf does not let it in without a password; a '
		'NOTICE for callers who may see neither';

CREATE FUNCTION schedule(cron text DEFAULT '15 2 * * *') RETURNS TABLE (job_id bigint, job text, command text)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	j record;
	v_schema CONSTANT text := profiling.cron_schema(coalesce(schedule.cron, '15 2 * * *'));
BEGIN
	FOR j IN SELECT * FROM profiling.scheduled_jobs() AS s ORDER BY s.ordinal LOOP
		EXECUTE format('SELECT %I.schedule($1, $2, $3)', v_schema) INTO job_id USING j.job,
			coalesce(j.cron, schedule.cron, '15 2 * * *'), j.command;
		job := j.job;
		command := j.command;
		RETURN NEXT;
	END LOOP;
	PERFORM profiling.warn_of_cron();
END
$$;
COMMENT ON FUNCTION schedule(text)
	IS 'registers maintain, watch_run and prune with pg_cron, compact for every five minutes and watch_services for '
		'every hour, as jobs of the caller, whose schedule is in GMT before pg_cron 1.5, with a WARNING when pg_cron '
		'is not likely to be let in; called again it changes the schedule; error 0A000 with a crontab line where '
		'pg_cron is not installed in this database';

CREATE FUNCTION unschedule() RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_schema CONSTANT text := profiling.cron_schema('15 2 * * *'::text);
	v_count int;
BEGIN
	EXECUTE format('SELECT count(%1$I.unschedule(c.jobid)) FROM %1$I.job AS c '
		'WHERE c.jobname = ANY ($1) AND c.username = current_user'
		' AND c.database = current_database()', v_schema)
		INTO v_count USING ARRAY(SELECT j.job FROM profiling.scheduled_jobs() AS j);
	RETURN v_count;
END
$$;
COMMENT ON FUNCTION unschedule()
	IS 'takes the caller''s jobs of schedule() out of pg_cron again; returns how many there were';
