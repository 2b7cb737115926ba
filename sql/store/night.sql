
--
-- the end of a night
--
-- What was found is told when all benchmarks were compared: what moved all of them, and what has one cause, is seen
-- only
-- then. Nothing of this is kept in memory. Findings that nobody was told of have no notified_at, so a night that was
-- killed loses none of them: the next one tells what it has not.
--

CREATE FUNCTION untold_findings(log_id bigint) RETURNS SETOF regression
	LANGUAGE sql ROWS 10
	BEGIN ATOMIC
		SELECT r.* FROM regression AS r JOIN job_log AS l ON l.log_id = untold_findings.log_id
			AND (l.benchmark_id IS NULL OR l.benchmark_id = r.benchmark_id)
			-- Findings of a night that is under way wait for its end.
			AND (l.step <> 'watch_services' OR r.method = 'service')
		WHERE r.notified_at IS NULL AND (r.status = 'open'
			-- That a cost has moved back, of which nobody was told, is no news for ever: not when notify_shift is set.
			OR r.status = 'resolved' AND (r.cause <> 'shift' OR r.closed_at > now() - '7 days'::interval))
		ORDER BY r.benchmark_id, r.regression_id
		-- Another session has it in hand, and tells it.
		FOR UPDATE OF r SKIP LOCKED;
	END;
COMMENT ON FUNCTION untold_findings(bigint)
	IS 'findings that were opened or closed and nobody was told of, those whose cost only moved for a week after they '
		'were closed; log_id: the line of job_log of a night, or of one benchmark: then those of this one; locks them';

CREATE FUNCTION run_of_news(finding regression) RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF (finding).status <> 'resolved' THEN
		RETURN (finding).last_test_run_id;
	END IF;
	-- It was closed in the transaction in which the run without it was looked at.
	RETURN coalesce((SELECT r.test_run_id FROM profiling.rollup AS r
		WHERE r.benchmark_id = (finding).benchmark_id AND r.event = (finding).event AND r.branch = (finding).branch
			AND (r.unit = (finding).unit OR (finding).level = 'metric') AND r.checked_at = (finding).closed_at
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1), (finding).last_test_run_id);
END
$$;
COMMENT ON FUNCTION run_of_news(regression)
	IS 'the run that the news of a finding is about: the last one that has it, or of a closed one the first that has '
		'it not';

CREATE FUNCTION first_of_night(log_id bigint) RETURNS bigint
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(min(l.log_id), first_of_night.log_id) FROM job_log AS n JOIN job_log AS l
			ON l.step = 'watch_run' AND n.step = 'watch_run' AND l.log_id < n.log_id AND l.finished_at IS NULL
				AND l.started_at > n.started_at - '1 day'::interval
		WHERE n.log_id = first_of_night.log_id;
	END;
COMMENT ON FUNCTION first_of_night(bigint)
	IS 'the line of job_log with which a night began: its own, or that of one that was cut short within the day '
		'before, which it ends';

CREATE FUNCTION count_kept(log_id bigint, filter text, findings bigint) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		UPDATE job_log AS l SET kept_back = l.kept_back || pg_catalog.jsonb_build_object(count_kept.filter,
			coalesce((l.kept_back ->> count_kept.filter)::bigint, 0::bigint) + count_kept.findings)
		WHERE l.log_id = count_kept.log_id AND count_kept.findings <> 0::bigint;
	END;
COMMENT ON FUNCTION count_kept(bigint, text, bigint)
	IS 'adds to what a filter kept from people, in a line of job_log; below 0 for findings that are others now';

CREATE FUNCTION count_benchmarks(log_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_first CONSTANT bigint := profiling.first_of_night(count_benchmarks.log_id);
BEGIN
	PERFORM profiling.count_kept(count_benchmarks.log_id, k.filter, k.findings)
	FROM (SELECT e.key AS filter, sum(e.value::bigint)::bigint AS findings
		FROM profiling.job_log AS n JOIN profiling.job_log AS l ON l.log_id > v_first
			CROSS JOIN LATERAL jsonb_each_text(l.kept_back) AS e
		WHERE n.log_id = count_benchmarks.log_id AND n.step = 'watch_run' AND l.step = 'watch'
			-- Most lines have nothing to add.
			AND l.kept_back <> '{}' GROUP BY 1) AS k;
END
$$;
COMMENT ON FUNCTION count_benchmarks(bigint)
	IS 'adds up in the line of a night what the filters of its benchmarks kept from people';

CREATE FUNCTION night_step(log_id bigint, step text) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_detail text;
BEGIN
	RETURN CASE step
		WHEN 'night_selection' THEN profiling.night_selection(log_id)
		WHEN 'night_environment' THEN profiling.night_environment(log_id)
		WHEN 'night_groups' THEN profiling.night_groups(log_id)
		ELSE profiling.night_notify(log_id) END;
EXCEPTION WHEN OTHERS THEN
	-- What was found is told nevertheless, now or by the next night.
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job(step, 'failed'::text, v_started, concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')),
		NULL::bigint);
	RETURN '';
END
$$;
COMMENT ON FUNCTION night_step(bigint, text)
	IS 'one step of finish_night(), by its name, and what it says for job_log; why it failed is recorded there, and '
		'the others go on';

CREATE FUNCTION finish_night(log_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_step text;
	v_words text := '';
BEGIN
	-- Findings are opened here, too, and groups made: none of what a correction has just removed.
	PERFORM profiling.keep_corrections_out();
	PERFORM profiling.count_benchmarks(finish_night.log_id);
	FOREACH v_step IN ARRAY ARRAY['night_selection', 'night_environment', 'night_groups', 'night_notify'] LOOP
		v_words := concat_ws(', ', nullif(v_words, ''), nullif(profiling.night_step(finish_night.log_id, v_step), ''));
	END LOOP;
	UPDATE profiling.job_log AS l SET finished_at = clock_timestamp(),
		detail = concat_ws(', ', l.detail, CASE l.log_id WHEN finish_night.log_id THEN nullif(v_words, '') END)
	FROM profiling.job_log AS n
	WHERE n.log_id = finish_night.log_id AND (l.log_id = n.log_id
		-- and nights before it that were cut short
		OR n.step = 'watch_run' AND l.step = 'watch_run' AND l.finished_at IS NULL AND l.log_id < n.log_id);
END
$$;
COMMENT ON FUNCTION finish_night(bigint)
	IS 'the end of a night, or of the comparison of one benchmark, by its line in job_log: families that stand out '
		'together are tested again, what moved many benchmarks is seen, findings with one cause are made a group, and '
		'what nobody was told of is told; writes into job_log '
		'that it has ended';

--
-- what the filters did
--

CREATE VIEW night_filters AS
SELECT l.log_id, l.started_at, l.finished_at, l.benchmark_id, b.suite, b.name, b.parameters,
	coalesce((l.kept_back ->> 'pending'::text)::bigint, 0::bigint) AS pending,
	coalesce((l.kept_back ->> 'went_away'::text)::bigint, 0::bigint) AS went_away,
	coalesce((l.kept_back ->> 'environment'::text)::bigint, 0::bigint) AS environment,
	coalesce((l.kept_back ->> 'shift'::text)::bigint, 0::bigint) AS shift,
	coalesce((l.kept_back ->> 'groups'::text)::bigint, 0::bigint) AS groups
FROM job_log AS l LEFT JOIN benchmark AS b ON b.benchmark_id = l.benchmark_id
WHERE l.step IN ('watch_run', 'watch', 'watch_benchmark') AND l.outcome = 'ok';
COMMENT ON VIEW night_filters
	IS 'how many findings each filter kept from people: a row for each night (benchmark_id null), for each benchmark '
		'of it, and for each that was compared alone';
COMMENT ON COLUMN night_filters.log_id IS 'the line of job_log';
COMMENT ON COLUMN night_filters.started_at IS 'when the night, or the comparison of the benchmark, began';
COMMENT ON COLUMN night_filters.finished_at IS 'when it ended; null for a night that was cut short';
COMMENT ON COLUMN night_filters.benchmark_id IS 'the benchmark; null for all of a night';
COMMENT ON COLUMN night_filters.suite IS 'its suite';
COMMENT ON COLUMN night_filters.name IS 'its name';
COMMENT ON COLUMN night_filters.parameters IS 'its parameters';
COMMENT ON COLUMN night_filters.pending IS 'findings that wait for later runs from then on (watch.confirm)';
COMMENT ON COLUMN night_filters.went_away IS 'findings that had waited, and were gone in the next run';
COMMENT ON COLUMN night_filters.environment
	IS 'findings that wait because their machine changed; of a night, not of a benchmark';
COMMENT ON COLUMN night_filters.shift IS 'findings that were opened and not told, because their cost only moved';
COMMENT ON COLUMN night_filters.groups
	IS 'findings that were told in the message of another one, with which they have a cause; of a night, or of a '
		'benchmark that was compared alone';
