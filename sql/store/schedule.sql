
--
-- when: pg_cron, where it is there
--

CREATE FUNCTION scheduled_jobs(OUT ordinal int, OUT job text, OUT command text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
	BEGIN ATOMIC
		VALUES (1, 'profiling maintain', 'CALL profiling.maintain()'),
			(2, 'profiling watch_run', 'CALL profiling.watch_run()'),
			(3, 'profiling prune', 'CALL profiling.prune()');
	END;
COMMENT ON FUNCTION scheduled_jobs()
	IS 'what schedule() registers: a job each, because procedures that commit must be called alone';

CREATE FUNCTION cron_schema(cron text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Its functions are in schema cron whatever schema the extension was created in.
	IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_cron') THEN
		RETURN 'cron';
	END IF;
	RAISE EXCEPTION 'pg_cron is not installed in database "%"', current_database() USING
		ERRCODE = 'feature_not_supported',
		HINT = format('Install it, or use cron.schedule_in_database() from the database that has it, '
				'or the crontab line: %s psql -d %s %s',
			cron, quote_literal(current_database()),
			(SELECT string_agg(format('-c %L', j.command), ' ' ORDER BY j.ordinal)
				FROM profiling.scheduled_jobs() AS j));
END
$$;
COMMENT ON FUNCTION cron_schema(text)
	IS 'the schema of pg_cron''s functions; error 0A000 with a crontab line where it is not installed';

CREATE FUNCTION schedule(cron text DEFAULT '15 2 * * *') RETURNS TABLE (job_id bigint, job text, command text)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	j record;
	v_schema CONSTANT text := profiling.cron_schema(coalesce(schedule.cron, '15 2 * * *'));
BEGIN
	FOR j IN SELECT * FROM profiling.scheduled_jobs() AS s ORDER BY s.ordinal LOOP
		EXECUTE format('SELECT %I.schedule($1, $2, $3)', v_schema) INTO job_id USING j.job,
			coalesce(schedule.cron, '15 2 * * *'), j.command;
		job := j.job;
		command := j.command;
		RETURN NEXT;
	END LOOP;
END
$$;
COMMENT ON FUNCTION schedule(text)
	IS 'registers maintain, watch_run and prune with pg_cron, as jobs of the caller, whose schedule is in GMT before '
		'pg_cron 1.5; called again it changes the schedule; error 0A000 with a crontab line where pg_cron is not '
		'installed in this database';

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
