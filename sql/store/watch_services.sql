
--
-- comparing services
--
-- Each hour of a service by its row of service_watch: what is compared, what is found, and what becomes of it.
--

--
-- findings
--

CREATE FUNCTION service_run(service text, hour timestamptz, version text, commit text) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN profiling.ensure_test_run(hour, ''::text, commit, version, jsonb_build_object('service', service));
END
$$;
COMMENT ON FUNCTION service_run(text, timestamptz, text, text)
	IS 'the run that stands for an hour of a service, which is made if there is none';

CREATE FUNCTION service_labels(service_id bigint, event text, unit text, hour timestamptz, version text,
		OUT only_version text, OUT only_commit text)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN min(k.version) = max(k.version) THEN min(k.version) ELSE '' END,
			CASE WHEN min(k.commit) = max(k.commit) THEN min(k.commit) ELSE '' END
		FROM (SELECT coalesce(t.labels ->> 'version'::text, ''::text) AS version,
				coalesce(t.labels ->> 'commit'::text, ''::text) AS commit
			FROM stream AS t
			WHERE t.service_id = service_labels.service_id AND t.event = service_labels.event
				AND t.unit = service_labels.unit
				AND (service_labels.version IS NULL OR t.labels ->> 'version'::text = service_labels.version)
				AND (EXISTS (SELECT 1 FROM block AS b
						WHERE b.service_id = t.service_id AND b.stream_id = t.stream_id AND b.resolution = 'raw'
							AND b.until > service_labels.hour AND b.since <= service_labels.hour
							AND b.since >= span_of('minute'::text, service_labels.hour)
							AND profile_count(slice(b.series, service_labels.hour,
								service_labels.hour + '1 hour'::interval, NULL::text[])) > 0)
					OR EXISTS (SELECT 1 FROM incoming AS i
						WHERE i.service_id = t.service_id AND i.stream_id = t.stream_id
							AND i.recorded_at >= service_labels.hour
							AND i.recorded_at < service_labels.hour + '1 hour'::interval))) AS k;
	END;
COMMENT ON FUNCTION service_labels(bigint, text, text, timestamptz, text)
	IS 'the version and the commit that all of an hour of a service has, or of a version in it; empty where they '
		'differ';

CREATE FUNCTION opened_in_service(so_far changes, service text, hour hour_facts, findings finding[], version text,
		baseline text, confirm int) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v_known CONSTANT int := cardinality((so_far).ids);
	v_labels record;
	v_benchmark bigint;
	v_run bigint;
	f profiling.finding;
BEGIN
	IF coalesce(cardinality(findings), 0) = 0 THEN
		RETURN so_far;
	END IF;
	v_labels := profiling.service_labels(h.service_id, h.event, h.unit, h.hour, opened_in_service.version);
	v_benchmark := profiling.ensure_benchmark('production'::text, opened_in_service.service, '{}'::jsonb);
	v_run := profiling.service_run(opened_in_service.service, h.hour,
		coalesce(opened_in_service.version, v_labels.only_version, ''), coalesce(v_labels.only_commit, ''));
	FOREACH f IN ARRAY findings LOOP
		f.first_test_run_id := v_run;
		f.last_test_run_id := v_run;
		so_far := profiling.opened(so_far, v_benchmark, f, h.profile, confirm);
	END LOOP;
	UPDATE profiling.regression AS r SET baseline = opened_in_service.baseline
	WHERE r.benchmark_id = v_benchmark AND r.regression_id = ANY ((so_far).ids[v_known + 1 :]);
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION opened_in_service(changes, text, hour_facts, finding[], text, text, int)
	IS 'opens findings of an hour of a service, counted; baseline: what it was compared with';

CREATE FUNCTION service_seen_again(watch service_watch, benchmark_id bigint, hour hour_facts)
	RETURNS TABLE (regression_id bigint, is_there bool, actual float8, score float8)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v_none CONSTANT profiling.hour_facts.pods%TYPE := NULL;
	g record;
	v_before profiling.means;
	v_after profiling.means;
BEGIN
	FOR g IN
		SELECT t.started_at, r.level, array_agg(r.regression_id) AS ids
		FROM profiling.findings_of(service_seen_again.benchmark_id) AS r
			JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
		WHERE r.event = h.event AND r.unit = '% of ' || h.unit AND r.method = 'service' AND t.started_at < h.hour
			AND r.status IN ('open', 'acknowledged', 'pending')
		GROUP BY 1, 2
	LOOP
		v_before := profiling.means_of_shares(profiling.service_history(watch, h.service_id, h.event, h.unit, h.hour,
			g.started_at), h.of_sample, v_none);
		v_after := profiling.at_common_speed(profiling.means_of_shares(ARRAY[h.profile], h.of_sample, h.pods),
			v_before);
		v_before := profiling.at_common_speed(v_before, v_before);
		RETURN QUERY
		SELECT r.regression_id, coalesce(sign(a.actual - r.expected) = sign(r.diff)
				AND abs(a.actual - r.expected) >= 0.5 * (watch).min_effect * abs(r.expected)
				-- As seen_again(): by the hours before it, or where these are too few by what it did last.
				AND (coalesce(d.p_value <= 0.05, false) OR abs(a.actual - r.expected) >= 0.5 * abs(r.diff)), false),
			a.actual, d.score
		FROM profiling.findings_of(service_seen_again.benchmark_id) AS r
			JOIN profiling.scored_again(service_seen_again.benchmark_id, g.ids, v_before, v_after,
				(v_after).of_sample) AS d ON d.regression_id = r.regression_id
			CROSS JOIN LATERAL (SELECT profiling.at_phase(coalesce(d.actual, 0), d.expected, r.expected) AS actual) AS a
		WHERE r.regression_id = ANY (g.ids);
	END LOOP;
END
$$;
COMMENT ON FUNCTION service_seen_again(service_watch, bigint, hour_facts)
	IS 'for each finding of a service that is open or pending whether a later hour still has it, as seen_again()';

CREATE FUNCTION followed_in_service(so_far changes, watch service_watch, service text, hour hour_facts)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	-- the number that it has by now, whatever it is called
	v_benchmark CONSTANT bigint := (profiling.called_now('production'::text, followed_in_service.service,
		'{}'::jsonb)).benchmark_id;
	v_labels record;
	v_run bigint;
	s record;
BEGIN
	IF h.not_compared IS NOT NULL OR v_benchmark IS NULL OR NOT profiling.has_open(v_benchmark, h.event) THEN
		RETURN so_far;
	END IF;
	v_labels := profiling.service_labels(h.service_id, h.event, h.unit, h.hour, NULL::text);
	FOR s IN SELECT a.* FROM profiling.service_seen_again(watch, v_benchmark, h) AS a
		WHERE a.regression_id <> ALL ((so_far).ids) ORDER BY a.regression_id
	LOOP
		v_run := coalesce(v_run, profiling.service_run(followed_in_service.service, h.hour,
			coalesce(v_labels.only_version, ''), coalesce(v_labels.only_commit, '')));
		so_far := profiling.seen_or_gone(so_far, v_benchmark, '% of ' || h.unit, s.regression_id, s.is_there,
			s.actual, s.score, ARRAY[v_run]);
	END LOOP;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION followed_in_service(changes, service_watch, text, hour_facts)
	IS 'brings the findings of a service up to date by an hour, or closes them, counted';

--
-- one hour
--

CREATE FUNCTION propose_service(watch service_watch, hour hour_facts, comparison text, version text, before text,
		first timestamptz, families float8, p_value float8) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Alone in its hour it was tested with all of alpha.
	IF families <= 1 OR coalesce(p_value > (watch).alpha, true) THEN
		RETURN;
	END IF;
	INSERT INTO profiling.service_candidate (service_id, event, unit, hour, comparison, version, before, first,
		families, p_value, alpha)
	VALUES ((hour).service_id, (hour).event, (hour).unit, (hour).hour, propose_service.comparison,
		propose_service.version, propose_service.before, propose_service.first, propose_service.families,
		propose_service.p_value, (watch).alpha)
	ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION propose_service(service_watch, hour_facts, text, text, text, timestamptz, float8, float8)
	IS 'keeps a comparison whose smallest adjusted p-value is at most alpha until all of its hour are there';

CREATE FUNCTION check_deploys(INOUT so_far changes, watch service_watch, service text, hour hour_facts,
		families float8, OUT words text, OUT compared int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v record;
	d record;
BEGIN
	compared := 0;
	FOR v IN SELECT n.*, row_number() OVER () AS place
		FROM profiling.new_versions(h.service_id, h.event, h.unit, h.hour) AS n WHERE (watch).deploys
	LOOP
		-- No more services have one in this hour than there are.
		d := profiling.found_in_deploy(watch, h, v.version, v.before, v.first, families * v.versions);
		words := concat_ws('; ', words, d.words, CASE WHEN v.place = 10 AND v.versions > 10
			THEN format('%s more versions are not compared', v.versions - 10) END);
		CONTINUE WHEN d.findings IS NULL;
		compared := compared + 1;
		so_far := profiling.opened_in_service(so_far, service, h, d.findings, v.version, 'version:' || v.before,
			(watch).confirm);
		PERFORM profiling.propose_service(watch, h, 'version'::text, v.version, v.before, v.first,
			families * v.versions, d.p_value);
	END LOOP;
END
$$;
COMMENT ON FUNCTION check_deploys(changes, service_watch, text, hour_facts, float8)
	IS 'compares versions that came around the beginning of an hour of a service with the one before them, and opens '
		'what differs, counted; compared: how many they were';

CREATE FUNCTION check_hour(so_far changes, service_id bigint, event text, unit text, hour timestamptz, families int)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_service CONSTANT text := (SELECT s.name FROM profiling.service AS s WHERE s.service_id = check_hour.service_id);
	w CONSTANT profiling.service_watch := profiling.service_watch_of(v_service, check_hour.event);
	v_families CONSTANT float8 := greatest(check_hour.families, 1);
	h profiling.hour_facts;
	d record;
	f record;
BEGIN
	-- of another session, or of a call before this one
	IF EXISTS (SELECT 1 FROM profiling.service_hour AS o WHERE o.service_id = check_hour.service_id
			AND o.event = check_hour.event AND o.unit = check_hour.unit AND o.hour >= check_hour.hour) THEN
		RETURN so_far;
	END IF;
	IF NOT w.enabled THEN
		INSERT INTO profiling.service_hour (service_id, event, unit, hour, not_compared)
		VALUES (check_hour.service_id, check_hour.event, check_hour.unit, check_hour.hour,
			'service_watch says that it is not watched');
		RETURN so_far;
	END IF;
	h := profiling.hour_of_service(w, check_hour.service_id, check_hour.event, check_hour.unit, check_hour.hour);
	d := profiling.check_deploys(so_far, w, v_service, h, v_families);
	so_far := d.so_far;
	f := profiling.found_in_hour(w, h, v_families);
	so_far := profiling.opened_in_service(so_far, v_service, h, f.findings, NULL::text, w.baseline, w.confirm);
	PERFORM profiling.propose_service(w, h, 'days'::text, ''::text, ''::text, NULL::timestamptz, v_families, f.p_value);
	so_far := profiling.followed_in_service(so_far, w, v_service, h);
	INSERT INTO profiling.service_hour (service_id, event, unit, hour, instances, profiles, compared_with,
		not_compared, deploy, deploys)
	VALUES (check_hour.service_id, check_hour.event, check_hour.unit, check_hour.hour, h.instances, h.profiles,
		f.compared_with, f.not_compared, d.words, d.compared);
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION check_hour(changes, bigint, text, text, timestamptz, int)
	IS 'compares an hour of a service by the row of service_watch that is in force: opens, updates and closes '
		'findings, counted; nothing for an hour that was looked at, or is older than one that was';

--
-- several services of an hour
--

CREATE FUNCTION selected_services(hour timestamptz, comparison text, OUT families bigint, OUT selected bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- What had no history was not tested, and takes nothing of alpha.
	SELECT CASE selected_services.comparison WHEN 'days' THEN count(*) FILTER (WHERE o.compared_with > 0)
		ELSE coalesce(sum(o.deploys), 0) END INTO families
	FROM profiling.service_hour AS o WHERE o.hour = selected_services.hour;
	SELECT coalesce(max(p.place) FILTER (WHERE p.need <= p.place), 0) INTO selected
	FROM (SELECT c.p_value / c.alpha * selected_services.families AS need,
			row_number() OVER (ORDER BY c.p_value / c.alpha) AS place
		FROM profiling.service_candidate AS c
		WHERE c.hour = selected_services.hour AND c.comparison = selected_services.comparison) AS p;
END
$$;
COMMENT ON FUNCTION selected_services(timestamptz, text)
	IS 'how many comparisons were made in an hour, and how many of them stand out, by Benjamini & Hochberg among them: '
		'the largest R of which each has a p-value of at most alpha * R / families';

CREATE FUNCTION find_in_service(so_far changes, candidate service_candidate, families float8) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.service_candidate := candidate;
	v_service CONSTANT text := (SELECT s.name FROM profiling.service AS s WHERE s.service_id = c.service_id);
	w CONSTANT profiling.service_watch := profiling.service_watch_of(v_service, c.event);
	h CONSTANT profiling.hour_facts := profiling.hour_of_service(w, c.service_id, c.event, c.unit, c.hour);
	v_baseline CONSTANT text := CASE c.comparison WHEN 'days' THEN w.baseline ELSE 'version:' || c.before END;
	v_as CONSTANT profiling.candidate := ROW((profiling.called_now('production'::text, v_service,
		'{}'::jsonb)).benchmark_id, c.event, '% of ' || c.unit, '', -1, '{}', 1, c.p_value, c.alpha, c.found_at);
	v_found profiling.finding[];
	v_new profiling.finding[] := '{}';
	f profiling.finding;
BEGIN
	IF NOT w.enabled THEN
		RETURN so_far;
	END IF;
	v_found := CASE c.comparison WHEN 'days' THEN (profiling.found_in_hour(w, h, families)).findings
		ELSE (profiling.found_in_deploy(w, h, c.version, c.before, c.first, families)).findings END;
	FOREACH f IN ARRAY coalesce(v_found, '{}') LOOP
		f.branch := '';
		CONTINUE WHEN profiling.adjust_finding(v_as, f);
		v_new := v_new || f;
	END LOOP;
	so_far := profiling.opened_in_service(so_far, v_service, h, v_new,
		CASE c.comparison WHEN 'version' THEN c.version END, v_baseline, w.confirm);
	RETURN profiling.take_explained(so_far, v_as, 'service'::text, v_baseline, w.level,
		ARRAY(SELECT o.subject_id FROM unnest(v_found) AS o));
END
$$;
COMMENT ON FUNCTION find_in_service(changes, service_candidate, float8)
	IS 'makes a comparison that was selected again, by what alpha has for each of fewer families, and opens what that '
		'finds more, counted';

CREATE FUNCTION select_services(hour timestamptz) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done profiling.changes := profiling.no_changes();
	v_days CONSTANT record := profiling.selected_services(select_services.hour, 'days'::text);
	v_versions CONSTANT record := profiling.selected_services(select_services.hour, 'version'::text);
	s record;
	c profiling.service_candidate;
BEGIN
	FOR c IN SELECT o.* FROM profiling.service_candidate AS o WHERE o.hour = select_services.hour
		ORDER BY o.service_id, o.event, o.unit, o.comparison, o.version
	LOOP
		-- Somebody else is at it, and selects when he is done.
		CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch service', c.service_id));
		s := CASE c.comparison WHEN 'days' THEN v_days ELSE v_versions END;
		DELETE FROM profiling.service_candidate AS d
		WHERE d.service_id = c.service_id AND d.event = c.event AND d.unit = c.unit AND d.hour = c.hour
			AND d.comparison = c.comparison AND d.version = c.version;
		CONTINUE WHEN s.selected = 0 OR c.p_value / c.alpha * s.families > s.selected
			OR s.families::float8 / s.selected >= c.families;
		BEGIN
			v_done := profiling.find_in_service(v_done, c, s.families::float8 / s.selected);
		EXCEPTION WHEN OTHERS THEN
			-- What is wrong with one of them does not keep the others from being found.
			PERFORM profiling.log_job('watch_services'::text, 'failed'::text, v_started, format('%s %s (selection of '
				'service %s, event "%s", hour %s)', SQLSTATE, SQLERRM, c.service_id, c.event, c.hour), NULL::bigint);
		END;
	END LOOP;
	RETURN v_done;
END
$$;
COMMENT ON FUNCTION select_services(timestamptz)
	IS 'when all services of an hour were compared: tests those that stand out together at alpha * R / families and '
		'opens what that finds more, counted (selected_services)';

CREATE FUNCTION detect_service(service text, hour timestamptz DEFAULT NULL, event text DEFAULT 'cpu')
	RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_names CONSTANT text[] := ARRAY(SELECT s.name FROM profiling.service AS s ORDER BY s.name COLLATE "C");
	v_id CONSTANT bigint := (SELECT s.service_id FROM profiling.service AS s WHERE s.name = detect_service.service);
	v_hour CONSTANT timestamptz := profiling.hour_of(coalesce(detect_service.hour, now() - interval '1 hour'));
	w CONSTANT profiling.service_watch := profiling.service_watch_of(detect_service.service, detect_service.event);
	v_unit text;
	h profiling.hour_facts;
	v record;
	f profiling.finding;
	r record;
BEGIN
	IF v_id IS NULL THEN
		RAISE EXCEPTION 'there is no service "%"', profiling.printable(detect_service.service)
			USING ERRCODE = 'undefined_object',
				HINT = profiling.names_hint(detect_service.service, v_names);
	ELSIF NOT isfinite(v_hour) THEN
		RAISE EXCEPTION 'hour cannot be infinite' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	FOR v_unit IN SELECT DISTINCT t.unit COLLATE "C" FROM profiling.stream AS t
		WHERE t.service_id = v_id AND t.event = detect_service.event ORDER BY 1
	LOOP
		h := profiling.hour_of_service(w, v_id, detect_service.event, v_unit, v_hour);
		r := profiling.found_in_hour(w, h, 1);
		IF r.not_compared IS NOT NULL THEN
			RAISE NOTICE 'the hour from % is not compared with earlier ones', v_hour USING DETAIL = r.not_compared;
		END IF;
		FOREACH f IN ARRAY coalesce(r.findings, '{}') LOOP
			RETURN NEXT profiling.with_team(f, h.profile);
		END LOOP;
		FOR v IN SELECT n.* FROM profiling.new_versions(v_id, detect_service.event, v_unit, v_hour) AS n WHERE w.deploys
		LOOP
			FOREACH f IN ARRAY coalesce((profiling.found_in_deploy(w, h, v.version, v.before,
				v.first, v.versions)).findings, '{}') LOOP
				RETURN NEXT profiling.with_team(f, h.profile);
			END LOOP;
		END LOOP;
	END LOOP;
END
$$;
COMMENT ON FUNCTION detect_service(text, timestamptz, text)
	IS 'what watch_services() finds in one hour of a service, by default the last one that is over, if it is the only '
		'service; nothing is written; the columns are those of regression, without runs; a NOTICE says why an hour is '
		'not compared';

--
-- all services
--

CREATE FUNCTION hours_to_watch(before timestamptz, OUT service_id bigint, OUT event text, OUT unit text,
		OUT hour timestamptz, OUT families int) RETURNS SETOF record
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT h.service_id, h.event, h.unit, h.hour, (count(*) OVER (PARTITION BY h.hour))::int
		FROM (SELECT DISTINCT t.service_id, t.event, t.unit, k.hour
			-- Blocks are looked into only for hours after the last one that was looked at.
			FROM (SELECT b.service_id, b.stream_id, hour_of(m.at) AS hour
					FROM stream AS s JOIN block AS b ON b.service_id = s.service_id AND b.stream_id = s.stream_id
						LEFT JOIN (SELECT o.service_id, o.event, o.unit, max(o.hour) AS hour FROM service_hour AS o
							GROUP BY o.service_id, o.event, o.unit) AS d
							ON d.service_id = s.service_id AND d.event = s.event AND d.unit = s.unit
						CROSS JOIN LATERAL moments_in(b.series, greatest(d.hour + '1 hour'::interval,
							hour_of(hours_to_watch.before) - '24 hours'::interval), hour_of(hours_to_watch.before)) AS m
					WHERE b.resolution = 'raw' AND b.since < hour_of(hours_to_watch.before)
						AND b.since >= span_of('minute'::text, hour_of(hours_to_watch.before) - '24 hours'::interval)
						AND b.until > greatest(d.hour + '1 hour'::interval,
							hour_of(hours_to_watch.before) - '24 hours'::interval)
				UNION
				SELECT i.service_id, i.stream_id, hour_of(i.recorded_at) FROM incoming AS i
				WHERE i.recorded_at >= hour_of(hours_to_watch.before) - '24 hours'::interval
					AND i.recorded_at < hour_of(hours_to_watch.before)) AS k
				JOIN stream AS t ON t.service_id = k.service_id AND t.stream_id = k.stream_id) AS h
			LEFT JOIN (SELECT o.service_id, o.event, o.unit, max(o.hour) AS hour FROM service_hour AS o
				GROUP BY o.service_id, o.event, o.unit) AS c
				ON c.service_id = h.service_id AND c.event = h.event AND c.unit = h.unit
		WHERE h.hour > coalesce(c.hour, '-infinity'::timestamptz)
		ORDER BY 4, 1, 2, 3;
	END;
COMMENT ON FUNCTION hours_to_watch(timestamptz)
	IS 'hours of services that are over, of the day before a time, and were not looked at, nor a later one; families: '
		'how many there are of this hour';

CREATE FUNCTION watch_hour(service_id bigint, event text, unit text, hour timestamptz, families int) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_none CONSTANT profiling.changes := profiling.no_changes();
	v_detail text;
BEGIN
	PERFORM profiling.keep_corrections_out();
	-- Somebody else is at it.
	IF NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch service', watch_hour.service_id)) THEN
		RETURN v_none;
	END IF;
	RETURN profiling.check_hour(v_none, watch_hour.service_id, watch_hour.event, watch_hour.unit, watch_hour.hour,
		watch_hour.families);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job('watch_services'::text, 'failed'::text, v_started, concat_ws(' ', SQLSTATE, SQLERRM,
		nullif(v_detail, ''), format('(service "%s", event "%s", hour %s)', (SELECT s.name FROM profiling.service AS s
			WHERE s.service_id = watch_hour.service_id), watch_hour.event, watch_hour.hour)), NULL::bigint);
	RETURN v_none;
END
$$;
COMMENT ON FUNCTION watch_hour(bigint, text, text, timestamptz, int)
	IS 'check_hour(), unless another session is at the service; why it failed is recorded in job_log';

CREATE FUNCTION add_changes(so_far changes, more changes) RETURNS changes
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW((add_changes.so_far).opened + (add_changes.more).opened,
			(add_changes.so_far).updated + (add_changes.more).updated,
			(add_changes.so_far).closed + (add_changes.more).closed, '{}'::bigint[],
			(add_changes.so_far).pending + (add_changes.more).pending,
			(add_changes.so_far).went_away + (add_changes.more).went_away,
			(add_changes.so_far).shifted + (add_changes.more).shifted, NULL)::changes;
	END;
COMMENT ON FUNCTION add_changes(changes, changes) IS 'what became of the findings of two benchmarks, without their ids';

CREATE FUNCTION finish_services(started timestamptz, hours int, done changes) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id bigint;
	v_words text;
BEGIN
	PERFORM profiling.keep_corrections_out();
	DELETE FROM profiling.service_hour AS h WHERE h.hour < finish_services.started - interval '30 days';
	-- What a session that was killed has found and not told is told, too.
	INSERT INTO profiling.job_log AS l (started_at, step, outcome, detail, kept_back)
	VALUES (finish_services.started, 'watch_services', 'ok',
		replace(profiling.changes_in_words(finish_services.hours, finish_services.done), ' runs,', ' hours,'),
		profiling.kept_back(finish_services.done))
	RETURNING l.log_id INTO v_id;
	v_words := concat_ws(', ', nullif(profiling.night_step(v_id, 'night_groups'), ''),
		nullif(profiling.night_step(v_id, 'night_notify'), ''));
	UPDATE profiling.job_log AS l SET finished_at = clock_timestamp(), detail = concat_ws(', ', l.detail,
		nullif(v_words, ''))
	WHERE l.log_id = v_id;
END
$$;
COMMENT ON FUNCTION finish_services(timestamptz, int, changes)
	IS 'the end of watch_services(): findings with one cause are made a group, and what nobody was told of is told; '
		'writes into job_log what was done';

CREATE FUNCTION no_changes() RETURNS changes
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW(0, 0, 0, '{}'::bigint[], 0, 0, 0, NULL)::changes;
	END;
COMMENT ON FUNCTION no_changes() IS 'counts of findings, of which none was looked at yet';

CREATE FUNCTION begin_services(lag interval, OUT services bigint[], OUT events text[], OUT units text[],
		OUT hours timestamptz[], OUT families int[], OUT done changes)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_hour timestamptz;
BEGIN
	PERFORM profiling.need_access('watch_services'::text, 'admin'::text);
	IF lag IS NULL OR lag < interval '0' OR NOT isfinite(now() - lag) THEN
		RAISE EXCEPTION 'lag cannot be null, negative or infinite' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- The clock has been put back: these hours are still to come.
	DELETE FROM profiling.service_hour AS h WHERE h.hour > now();
	SELECT array_agg(h.service_id), array_agg(h.event), array_agg(h.unit), coalesce(array_agg(h.hour), '{}'),
		array_agg(h.families) INTO services, events, units, hours, families
	FROM profiling.hours_to_watch(now() - lag) AS h;
	-- of a call that was killed between the last service of an hour and its selection
	done := profiling.no_changes();
	FOR v_hour IN SELECT DISTINCT c.hour FROM profiling.service_candidate AS c WHERE c.hour <> ALL (hours) ORDER BY 1
	LOOP
		done := profiling.add_changes(done, profiling.select_services(v_hour));
	END LOOP;
END
$$;
COMMENT ON FUNCTION begin_services(interval)
	IS 'the hours that watch_services() has to look at, for a loop that commits; an error for callers and arguments '
		'that cannot be; done: what was found in hours that a call before has left without their selection';

CREATE FUNCTION ends_hour(hours timestamptz[], place int) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ends_hour.hours[ends_hour.place + 1] IS DISTINCT FROM ends_hour.hours[ends_hour.place];
	END;
COMMENT ON FUNCTION ends_hour(timestamptz[], int) IS 'whether this one of some hours is the last that is the same';

CREATE PROCEDURE watch_services(lag interval DEFAULT '10 minutes')
	LANGUAGE plpgsql AS $$
DECLARE
	v_started timestamptz;
	v_hours pg_catalog.record;
	v_done profiling.changes;
BEGIN
	v_started := pg_catalog.clock_timestamp();
	v_hours := profiling.begin_services(lag);
	CALL profiling.commit_or_say('watch_services() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	v_done := v_hours.done;
	FOR i IN 1 .. pg_catalog.cardinality(v_hours.hours) LOOP
		v_done := profiling.add_changes(v_done, profiling.watch_hour(v_hours.services[i], v_hours.events[i],
			v_hours.units[i], v_hours.hours[i], v_hours.families[i]));
		COMMIT;
		IF profiling.ends_hour(v_hours.hours, i) THEN
			v_done := profiling.add_changes(v_done, profiling.select_services(v_hours.hours[i]));
			COMMIT;
		END IF;
	END LOOP;
	PERFORM profiling.finish_services(v_started, pg_catalog.cardinality(v_hours.hours), v_done);
	COMMIT;
END
$$;
COMMENT ON PROCEDURE watch_services(interval)
	IS 'every hour: compares the hours of services that ended this long ago with those of earlier days, and versions '
		'that came with those before them, each hour of a service in a transaction of its own, and then tells what was '
		'found; what fails is recorded in job_log and the others go on; called alone';
