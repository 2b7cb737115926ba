
--
-- one cause, one message
--

CREATE FUNCTION night_groups(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN '';
END
$$;
COMMENT ON FUNCTION night_groups(bigint)
	IS 'a step of finish_night(): puts the findings of a night that have one cause into groups; words for job_log, or '
		'empty';

CREATE FUNCTION night_notify(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	m record;
BEGIN
	FOR m IN
		SELECT f.benchmark_id, array_agg(f.regression_id ORDER BY f.regression_id) AS ids,
			count(*) FILTER (WHERE f.status = 'open') AS opened, count(*) FILTER (WHERE f.status <> 'open') AS closed,
			(array_agg(t.test_run_id ORDER BY t.started_at DESC, t.test_run_id DESC))[1] AS test_run_id
		FROM profiling.untold_findings(night_notify.log_id) AS f
			LEFT JOIN profiling.test_run AS t ON t.test_run_id = profiling.run_of_news(f)
		WHERE f.cause <> 'shift'
		GROUP BY f.benchmark_id ORDER BY f.benchmark_id
	LOOP
		PERFORM pg_notify('profiling_regression', json_build_object('benchmark_id', m.benchmark_id,
			'test_run_id', m.test_run_id, 'opened', m.opened, 'closed', m.closed,
			'regression_ids', m.ids[:50])::text);
		UPDATE profiling.regression AS r SET notified_at = clock_timestamp()
		WHERE r.benchmark_id = m.benchmark_id AND r.regression_id = ANY (m.ids);
	END LOOP;
	RETURN '';
END
$$;
COMMENT ON FUNCTION night_notify(bigint)
	IS 'a step of finish_night(): sends NOTIFY profiling_regression for findings that nobody was told of, and writes '
		'down that they were; words for job_log, or empty';
