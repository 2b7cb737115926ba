
--
-- a window: profiles of services in production
--
-- The same arguments everywhere: a pattern of LIKE for the service, since and until (recorded_at, the end not
-- included), event, instances, labels (all of these), version and commits, which are labels, too. Of what is kept
-- as sums those belong to the window whose step begins in it. A window reads blocks where there are any, and what
-- is not in a block yet from incoming: the result is the same before and after a compaction.
--

CREATE FUNCTION window_streams(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service_id bigint, stream_id bigint, name text, kind text, unit text, period float8)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 20
	BEGIN ATOMIC
		SELECT t.service_id, t.stream_id, s.name, t.event, t.unit,
			-- a sample is one of them
			CASE WHEN t.period = 0::float8 AND t.unit = 'samples' THEN 1::float8 ELSE t.period END
		FROM service AS s JOIN stream AS t ON t.service_id = s.service_id
		WHERE s.name LIKE coalesce(window_streams.service, '%'::text)
			AND (window_streams.event IS NULL OR t.event = window_streams.event)
			AND (window_streams.labels IS NULL OR t.labels @> window_streams.labels)
			AND (window_streams.version IS NULL OR t.labels ->> 'version'::text = window_streams.version)
			AND (window_streams.commits IS NULL OR EXISTS (SELECT 1 FROM pg_catalog.unnest(window_streams.commits) AS c
				WHERE t.labels ->> 'commit'::text = c
					OR length(c) >= 7 AND starts_with(t.labels ->> 'commit'::text, c)));
	END;
COMMENT ON FUNCTION window_streams(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the streams that a window selects; since, until and instances say nothing about them';

CREATE FUNCTION window_blocks(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service_id bigint, stream_id bigint, name text, kind text, unit text, period float8,
		resolution text, first timestamptz, ended timestamptz, is_whole bool, series flameseries, noise flameseries,
		counts flameseries, profiles bigint, total float8)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
	BEGIN ATOMIC
		SELECT s.service_id, s.stream_id, s.name, s.kind, s.unit, s.period, b.resolution, b.since, b.until,
			window_blocks.instances IS NULL AND b.since >= coalesce(window_blocks.since, '-infinity'::timestamptz)
				AND b.until <= coalesce(window_blocks.until, 'infinity'::timestamptz),
			b.series, b.noise, b.counts, b.profiles, b.total
		FROM window_streams(
			window_blocks.service, window_blocks.since, window_blocks.until, window_blocks.event,
			window_blocks.instances, window_blocks.labels, window_blocks.version, window_blocks.commits) AS s
			JOIN block AS b ON b.service_id = s.service_id AND b.stream_id = s.stream_id
		WHERE b.until > coalesce(window_blocks.since, '-infinity'::timestamptz)
			-- What reaches into the window from before it begins in its day (profiles as they came, sums of minutes) or
			-- at the begin of its month: other partitions are not planned for.
			AND (b.since >= span_of('minute'::text, coalesce(window_blocks.since, '-infinity'::timestamptz))
				OR b.since = span_of('hour'::text, coalesce(window_blocks.since, '-infinity'::timestamptz)))
			AND b.since < coalesce(window_blocks.until, 'infinity'::timestamptz);
	END;
COMMENT ON FUNCTION window_blocks(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the blocks that a window reaches into; is_whole: all that is in it belongs to the window';

CREATE FUNCTION window_incoming(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service_id bigint, stream_id bigint, name text, kind text, unit text, period float8,
		recorded_at timestamptz, instance text, flamegraph flamegraph, noise flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		SELECT s.service_id, s.stream_id, s.name, s.kind, s.unit, s.period, i.recorded_at, i.instance, i.flamegraph,
			i.noise
		FROM window_streams(
			window_incoming.service, window_incoming.since, window_incoming.until, window_incoming.event,
			window_incoming.instances, window_incoming.labels, window_incoming.version, window_incoming.commits) AS s
			JOIN incoming AS i ON i.service_id = s.service_id AND i.stream_id = s.stream_id
		WHERE i.recorded_at >= coalesce(window_incoming.since, '-infinity'::timestamptz)
			AND i.recorded_at < coalesce(window_incoming.until, 'infinity'::timestamptz)
			AND (window_incoming.instances IS NULL OR i.instance = ANY (window_incoming.instances));
	END;
COMMENT ON FUNCTION window_incoming(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the profiles of a window that are in no block yet';

CREATE FUNCTION asked_sums(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (answer timestamptz)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100 ROWS 1
	BEGIN ATOMIC
		-- Of those that are in the window: sums of a month may be before and after it.
		SELECT max((t.at AT TIME ZONE 'UTC' + step_of(b.resolution)) AT TIME ZONE 'UTC')
		FROM window_blocks(
			asked_sums.service, asked_sums.since, asked_sums.until, asked_sums.event,
			asked_sums.instances, asked_sums.labels, asked_sums.version, asked_sums.commits) AS b,
			LATERAL trend(b.counts, ''::stackpath, 'total'::text, asked_sums.since, asked_sums.until, NULL::text[])
				AS t
		WHERE b.resolution <> 'raw';
	END;
COMMENT ON FUNCTION asked_sums(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'sums_until() as part of a query, which plans it';

CREATE FUNCTION sums_until(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL) RETURNS timestamptz
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_answer timestamptz;
BEGIN
	EXECUTE 'SELECT o.answer FROM profiling.asked_sums($1, $2, $3, $4, $5, $6, $7, $8) AS o' INTO v_answer
		USING sums_until.service, sums_until.since, sums_until.until, sums_until.event, sums_until.instances,
			sums_until.labels, sums_until.version, sums_until.commits;
	RETURN v_answer;
END
$$;
COMMENT ON FUNCTION sums_until(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'up to when a window has sums in the place of single profiles; null where it has none';

--
-- why a window is empty, or has no answer
--

CREATE FUNCTION window_works(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL, one_unit bool DEFAULT true) RETURNS bool
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_units text[];
	v_event text := window_works.event;
	v_names text[];
	v_sums timestamptz;
BEGIN
	IF window_works.since >= window_works.until THEN
		RAISE EXCEPTION 'a window begins before it ends' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('This one is from %s to %s.', window_works.since, window_works.until);
	END IF;
	IF array_position(window_works.instances, NULL) IS NOT NULL THEN
		RAISE EXCEPTION 'the name of an instance is null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	v_units := ARRAY(SELECT DISTINCT s.unit FROM profiling.window_streams(
		window_works.service, window_works.since, window_works.until, window_works.event,
		window_works.instances, window_works.labels, window_works.version, window_works.commits) AS s ORDER BY 1);
	IF v_units = '{}' THEN
		v_names := ARRAY(SELECT s.name FROM profiling.service AS s ORDER BY s.name COLLATE "C");
		IF NOT EXISTS (SELECT 1 FROM unnest(v_names) AS n WHERE n LIKE coalesce(window_works.service, '%')) THEN
			RAISE NOTICE 'no profile is in the window' USING ERRCODE = '02000',
				DETAIL = CASE WHEN v_names = '{}' THEN 'No service has sent a profile yet.'
					ELSE format('There is no service "%s".', profiling.printable(window_works.service)) END,
				HINT = profiling.names_hint(window_works.service, v_names);
		ELSE
			v_names := ARRAY(SELECT DISTINCT t.event COLLATE "C"
				FROM profiling.stream AS t JOIN profiling.service AS s ON s.service_id = t.service_id
				WHERE s.name LIKE coalesce(window_works.service, '%') ORDER BY 1);
			RAISE NOTICE 'no profile is in the window' USING ERRCODE = '02000',
				DETAIL = CASE WHEN v_event = ANY (v_names) THEN 'None has these labels, this version or these '
					'commits.'
					ELSE format('There is no event "%s" of it.', profiling.printable(v_event)) END,
				HINT = CASE WHEN v_event = ANY (v_names) THEN 'Versions and commits are what labels have under these '
					'names.' ELSE profiling.names_hint(v_event, v_names) END;
		END IF;
		RETURN true;
	END IF;
	IF one_unit AND cardinality(v_units) > 1 THEN
		RAISE EXCEPTION 'the profiles of this window have different units' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('They are in %s.', profiling.printable(array_to_string(v_units[:10], ', '))),
			HINT = 'Choose one event, or services of one unit.';
	END IF;
	v_sums := CASE WHEN window_works.instances IS NOT NULL THEN profiling.sums_until(
		window_works.service, window_works.since, window_works.until, window_works.event,
		window_works.instances, window_works.labels, window_works.version, window_works.commits) END;
	IF v_sums IS NOT NULL THEN
		RAISE EXCEPTION 'instances are not known any more for all of this window' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('Before %s there are sums of all instances.', v_sums),
			HINT = format('Begin later: since => %L. Table profiling.retention says how long single profiles are '
				'kept.', v_sums);
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION window_works(text, timestamptz, timestamptz, text, text[], jsonb, text, text[], bool)
	IS 'true; an error for a window that has no answer: of different units, or of instances where only sums are '
		'left; a NOTICE when nothing can be in it';

--
-- questions
--

CREATE FUNCTION asked_profile(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (answer flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 1
	BEGIN ATOMIC
		SELECT sum(p.profile)
		FROM (SELECT sum(b.series) AS profile
				FROM window_blocks(
					asked_profile.service, asked_profile.since, asked_profile.until, asked_profile.event,
					asked_profile.instances, asked_profile.labels, asked_profile.version,
					asked_profile.commits) AS b WHERE b.is_whole
			UNION ALL
			SELECT sum(b.series, asked_profile.since, asked_profile.until, asked_profile.instances)
			FROM window_blocks(
				asked_profile.service, asked_profile.since, asked_profile.until, asked_profile.event,
				asked_profile.instances, asked_profile.labels, asked_profile.version,
				asked_profile.commits) AS b WHERE NOT b.is_whole
			UNION ALL
			SELECT sum(i.flamegraph) FROM window_incoming(
				asked_profile.service, asked_profile.since, asked_profile.until, asked_profile.event,
				asked_profile.instances, asked_profile.labels, asked_profile.version,
				asked_profile.commits) AS i) AS p
		WHERE (SELECT window_works(
			asked_profile.service, asked_profile.since, asked_profile.until, asked_profile.event,
			asked_profile.instances, asked_profile.labels, asked_profile.version, asked_profile.commits, true));
	END;
COMMENT ON FUNCTION asked_profile(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_profile() as part of a query, which plans it';

CREATE FUNCTION window_profile(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL) RETURNS flamegraph
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_answer profiling.incoming.flamegraph%TYPE;
	v_there bool;
BEGIN
	EXECUTE 'SELECT o.answer FROM profiling.asked_profile($1, $2, $3, $4, $5, $6, $7, $8) AS o' INTO v_answer
		USING window_profile.service, window_profile.since, window_profile.until, window_profile.event,
			window_profile.instances, window_profile.labels, window_profile.version, window_profile.commits;
	IF v_answer IS NOT NULL AND profiling.unless_empty(v_answer) IS NULL THEN
		-- The sum of profiles that are empty, or that of a block that has none in the window it reaches into.
		EXECUTE 'SELECT EXISTS (SELECT 1
			FROM profiling.window_values('''', ''total'', $1, $2, $3, $4, $5, $6, $7, $8))' INTO v_there
			USING window_profile.service, window_profile.since, window_profile.until, window_profile.event,
				window_profile.instances, window_profile.labels, window_profile.version, window_profile.commits;
	END IF;
	RETURN CASE WHEN v_there IS NOT FALSE THEN v_answer END;
END
$$;
COMMENT ON FUNCTION window_profile(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the sum of the profiles of a window, in their unit; null for none; error 22023 for different units, and for '
		'instances where only sums are left';

CREATE FUNCTION asked_noise(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (answer flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 1
	BEGIN ATOMIC
		SELECT CASE WHEN pg_catalog.bool_and(k.noise IS NOT NULL) THEN sum(k.noise) END
		FROM (SELECT noise_of(sum(p.profile), p.period,
					CASE WHEN sum(p.with_noise) = sum(p.profiles) THEN sum(p.noise) END) AS noise
			FROM (SELECT b.stream_id, b.period,
						sum(b.series, asked_noise.since, asked_noise.until, asked_noise.instances) AS profile,
						sum(b.noise, asked_noise.since, asked_noise.until, asked_noise.instances) AS noise,
						profile_count(slice(b.series, asked_noise.since, asked_noise.until,
						asked_noise.instances))
							AS profiles,
						coalesce(profile_count(slice(b.noise, asked_noise.since, asked_noise.until,
							asked_noise.instances)), 0) AS with_noise
					FROM window_blocks(
						asked_noise.service, asked_noise.since, asked_noise.until, asked_noise.event,
						asked_noise.instances, asked_noise.labels, asked_noise.version, asked_noise.commits) AS b
				UNION ALL
				SELECT i.stream_id, i.period, i.flamegraph, i.noise, 1, (i.noise IS NOT NULL)::int
				FROM window_incoming(
					asked_noise.service, asked_noise.since, asked_noise.until, asked_noise.event,
					asked_noise.instances, asked_noise.labels, asked_noise.version, asked_noise.commits) AS i) AS p
			WHERE (SELECT window_works(
				asked_noise.service, asked_noise.since, asked_noise.until, asked_noise.event,
				asked_noise.instances, asked_noise.labels, asked_noise.version, asked_noise.commits, true))
			GROUP BY p.stream_id, p.period HAVING sum(p.profiles) > 0::bigint) AS k;
	END;
COMMENT ON FUNCTION asked_noise(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_noise() as part of a query, which plans it';

CREATE FUNCTION window_noise(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL) RETURNS flamegraph
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_answer profiling.incoming.noise%TYPE;
BEGIN
	IF window_noise.since >= window_noise.until THEN
		-- Of such a window a plan may have nothing left that would ask whether it works.
		PERFORM profiling.window_works(window_noise.service, window_noise.since, window_noise.until);
	END IF;
	EXECUTE 'SELECT o.answer FROM profiling.asked_noise($1, $2, $3, $4, $5, $6, $7, $8) AS o' INTO v_answer
		USING window_noise.service, window_noise.since, window_noise.until, window_noise.event,
			window_noise.instances, window_noise.labels, window_noise.version, window_noise.commits;
	RETURN v_answer;
END
$$;
COMMENT ON FUNCTION window_noise(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the variance that each stack of window_profile() has because it was sampled: the sum of the squared weights of '
		'the samples; null when nobody knows it of one of the profiles';

CREATE FUNCTION window_top(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL, max_rows int DEFAULT 20)
	RETURNS TABLE (frame text, self float8, self_share float8, total float8, total_share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		SELECT t.frame, t.self, t.self_share, t.total, t.total_share
		FROM (SELECT window_profile(
			window_top.service, window_top.since, window_top.until, window_top.event,
			window_top.instances, window_top.labels, window_top.version, window_top.commits) AS profile OFFSET 0) AS w,
			LATERAL top(w.profile, window_top.max_rows) AS t;
	END;
COMMENT ON FUNCTION window_top(text, timestamptz, timestamptz, text, text[], jsonb, text, text[], int)
	IS 'the functions in which most is spent in a window: top() of window_profile()';

CREATE FUNCTION window_values(frame text, level text,
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (at timestamptz, value float8, total float8, profiles float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000
	BEGIN ATOMIC
		SELECT v.at, v.value, v.total, coalesce(v.profiles, 1::float8)
		FROM window_blocks(
			window_values.service, window_values.since, window_values.until, window_values.event,
			window_values.instances, window_values.labels, window_values.version, window_values.commits) AS b,
			-- one after another they are of the same profiles
			LATERAL ROWS FROM (
				trend(b.series, window_values.frame, window_values.level, window_values.since, window_values.until,
					window_values.instances),
				trend(b.series, ''::stackpath, 'total'::text, window_values.since, window_values.until,
					window_values.instances),
				trend(b.counts, ''::stackpath, 'total'::text, window_values.since, window_values.until,
				NULL::text[]))
			AS v (at, instance, value, same_at, same_instance, total, count_at, count_instance, profiles)
		UNION ALL
		SELECT i.recorded_at, frame_value(i.flamegraph, window_values.frame, window_values.level),
			total(i.flamegraph), 1::float8
		FROM window_incoming(
			window_values.service, window_values.since, window_values.until, window_values.event,
			window_values.instances, window_values.labels, window_values.version, window_values.commits) AS i;
	END;
COMMENT ON FUNCTION window_values(text, text, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'what a function, and everything, comes to in each profile or sum of a window, and of how many profiles';

CREATE FUNCTION asked_trend(frame text, step interval, service text, since timestamptz, until timestamptz,
		event text, instances text[], labels jsonb, version text, commits text[], level text)
	RETURNS TABLE (at timestamptz, value float8, share float8, total float8, profiles bigint)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	BEGIN ATOMIC
		SELECT s.at, s.value, ratio(s.value, s.total), s.total, s.profiles
		FROM (SELECT step_begin(coalesce(asked_trend.step, '1 minute'::interval), v.at) AS at,
			sum(v.value) AS value,
				sum(v.total) AS total, sum(v.profiles)::bigint AS profiles
			FROM window_values(asked_trend.frame, asked_trend.level,
				asked_trend.service, asked_trend.since, asked_trend.until, asked_trend.event,
				asked_trend.instances, asked_trend.labels, asked_trend.version, asked_trend.commits) AS v
			WHERE (SELECT window_works(
				asked_trend.service, asked_trend.since, asked_trend.until, asked_trend.event,
				asked_trend.instances, asked_trend.labels, asked_trend.version, asked_trend.commits, true))
				AND (SELECT one_of('level'::text, asked_trend.level, 'total'::text, 'self'::text))
			GROUP BY 1) AS s
		ORDER BY s.at;
	END;
COMMENT ON FUNCTION asked_trend(text, interval, text, timestamptz, timestamptz, text, text[], jsonb, text, text[], text)
	IS 'window_trend() as part of a query, which plans it';

CREATE FUNCTION window_trend(frame text, step interval DEFAULT '1 minute',
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL, level text DEFAULT 'total')
	RETURNS TABLE (at timestamptz, value float8, share float8, total float8, profiles bigint)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF window_trend.since >= window_trend.until THEN
		-- Of such a window a plan may have nothing left that would ask whether it works.
		PERFORM profiling.window_works(window_trend.service, window_trend.since, window_trend.until);
	END IF;
	RETURN QUERY EXECUTE 'SELECT o.* FROM profiling.asked_trend($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS o'
		USING window_trend.frame, window_trend.step, window_trend.service, window_trend.since, window_trend.until,
			window_trend.event, window_trend.instances, window_trend.labels, window_trend.version,
			window_trend.commits, window_trend.level;
END
$$;
COMMENT ON FUNCTION window_trend(text, interval, text, timestamptz, timestamptz, text, text[], jsonb, text, text[],
	text)
	IS 'what a function comes to over the time of a window, step by step: its value with what it calls (level self: '
		'without), the share of the total, the total, and how many profiles there are; steps without any are left '
		'out, and where only sums are left steps are as long as these';

CREATE FUNCTION asked_instances(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (name text, pod text, first timestamptz, last timestamptz)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
	BEGIN ATOMIC
		SELECT k.name, k.instance, min(k.since), max(k.until)
		FROM (SELECT b.name, t.instance, min(t.at) AS since, max(t.at) AS until
				FROM window_blocks(
					asked_instances.service, asked_instances.since, asked_instances.until, asked_instances.event,
					asked_instances.instances, asked_instances.labels, asked_instances.version,
					asked_instances.commits) AS b,
					LATERAL trend(b.series, ''::stackpath, 'total'::text, asked_instances.since,
					asked_instances.until,
						asked_instances.instances) AS t
				WHERE b.resolution = 'raw'
				GROUP BY b.name, t.instance
			UNION ALL
			SELECT i.name, i.instance, i.recorded_at, i.recorded_at
			FROM window_incoming(
				asked_instances.service, asked_instances.since, asked_instances.until, asked_instances.event,
				asked_instances.instances, asked_instances.labels, asked_instances.version,
				asked_instances.commits) AS i) AS k
		GROUP BY k.name, k.instance
		ORDER BY k.name COLLATE "C", k.instance COLLATE "C";
	END;
COMMENT ON FUNCTION asked_instances(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_instances() as part of a query, which plans it';

CREATE FUNCTION planned_instances(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (name text, pod text, first timestamptz, last timestamptz)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- A series with this hour in it would say the same.
	IF array_position(planned_instances.instances, NULL) IS NOT NULL
		OR planned_instances.since >= planned_instances.until THEN
		PERFORM profiling.window_works(since => planned_instances.since, until => planned_instances.until,
			instances => planned_instances.instances);
	END IF;
	RETURN QUERY EXECUTE 'SELECT o.* FROM profiling.asked_instances($1, $2, $3, $4, $5, $6, $7, $8) AS o'
		USING planned_instances.service, planned_instances.since, planned_instances.until, planned_instances.event,
			planned_instances.instances, planned_instances.labels, planned_instances.version, planned_instances.commits;
END
$$;
COMMENT ON FUNCTION planned_instances(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_instances() planned with what it is asked for; its results are not called as its arguments are';

CREATE FUNCTION window_instances(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service text, instance text, since timestamptz, until timestamptz)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
	BEGIN ATOMIC
		SELECT o.* FROM planned_instances(
			window_instances.service, window_instances.since, window_instances.until, window_instances.event,
			window_instances.instances, window_instances.labels, window_instances.version,
			window_instances.commits) AS o;
	END;
COMMENT ON FUNCTION window_instances(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'who has sent profiles in a window, and the times of the first and the last one; where only sums are left '
		'nobody knows';

CREATE FUNCTION is_one_frame(what text) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT NOT (is_one_frame.what LIKE '%;%' OR is_one_frame.what LIKE '%_*');
	END;
COMMENT ON FUNCTION is_one_frame(text) IS 'whether what window_search() looks for is a frame as it stands';

CREATE FUNCTION matched_times(series flameseries, what text, since timestamptz, until timestamptz, instances text[],
		OUT first timestamptz, OUT last timestamptz)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
	BEGIN ATOMIC
		SELECT min(m.at), max(m.at)
		FROM (SELECT p.at
				FROM profiles(CASE WHEN NOT is_one_frame(matched_times.what)
					THEN slice(matched_times.series, matched_times.since, matched_times.until,
					matched_times.instances) END)
					AS p
				WHERE p.profile ~ frame_pattern(matched_times.what)
			UNION ALL
			-- one function is a column
			SELECT t.at
			FROM trend(CASE WHEN is_one_frame(matched_times.what) THEN matched_times.series END, matched_times.what,
				'total'::text, matched_times.since, matched_times.until, matched_times.instances) AS t
			WHERE t.value <> 0::float8) AS m;
	END;
COMMENT ON FUNCTION matched_times(flameseries, text, timestamptz, timestamptz, text[])
	IS 'when the first and the last profile of a series is that has what window_search() looks for';

CREATE FUNCTION matched_value(series flameseries, is_whole bool, what text, since timestamptz, until timestamptz,
		instances text[]) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
	BEGIN ATOMIC
		-- One function is read from the sums beside the tree.
		SELECT CASE WHEN is_one_frame(matched_value.what)
				THEN frame_sum(matched_value.series, matched_value.what, 'total'::text, matched_value.since,
					matched_value.until, matched_value.instances)
			WHEN NOT matched_value.is_whole
				THEN (SELECT total(v.profile)
					FROM (SELECT filter_stacks(sum(matched_value.series, matched_value.since, matched_value.until,
						matched_value.instances), frame_pattern(matched_value.what)) AS profile OFFSET 0) AS v
					WHERE nstacks(v.profile) > 0) END;
	END;
COMMENT ON FUNCTION matched_value(flameseries, bool, text, timestamptz, timestamptz, text[])
	IS 'the value of what window_search() looks for in the part of a series that is in the window; null where it is '
		'not there, and for a pattern in a whole series, which is added to others first';

CREATE FUNCTION window_totals(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (name text, kind text, unit text, total float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 20
	BEGIN ATOMIC
		SELECT w.name, w.kind, w.unit, sum(w.total)
		FROM (SELECT b.name, b.kind, b.unit, CASE WHEN b.is_whole THEN b.total
					ELSE total(sum(b.series, window_totals.since, window_totals.until, window_totals.instances)) END
					AS total
				FROM window_blocks(
					window_totals.service, window_totals.since, window_totals.until, window_totals.event,
					window_totals.instances, window_totals.labels, window_totals.version, window_totals.commits) AS b
			UNION ALL
			SELECT i.name, i.kind, i.unit, total(i.flamegraph)
			FROM window_incoming(
				window_totals.service, window_totals.since, window_totals.until, window_totals.event,
				window_totals.instances, window_totals.labels, window_totals.version, window_totals.commits) AS i) AS w
		GROUP BY w.name, w.kind, w.unit;
	END;
COMMENT ON FUNCTION window_totals(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the total of each service, event and unit of a window';

CREATE FUNCTION search_candidates(what text, since timestamptz, until timestamptz, instances text[])
	RETURNS TABLE (service_id bigint, stream_id bigint, first timestamptz, ended timestamptz, is_whole bool,
		series flameseries)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
	BEGIN ATOMIC
		SELECT b.service_id, b.stream_id, b.since, b.until, search_candidates.instances IS NULL
				AND b.since >= coalesce(search_candidates.since, '-infinity'::timestamptz)
				AND b.until <= coalesce(search_candidates.until, 'infinity'::timestamptz), b.series
		FROM block AS b
		WHERE b.until > coalesce(search_candidates.since, '-infinity'::timestamptz)
			-- as in window_blocks()
			AND (b.since >= span_of('minute'::text, coalesce(search_candidates.since, '-infinity'::timestamptz))
				OR b.since = span_of('hour'::text, coalesce(search_candidates.since, '-infinity'::timestamptz)))
			AND b.since < coalesce(search_candidates.until, 'infinity'::timestamptz)
			-- One function is found by its name, without the tree.
			AND (is_one_frame(search_candidates.what) AND b.series ? search_candidates.what
				OR NOT is_one_frame(search_candidates.what) AND b.series ~ frame_pattern(search_candidates.what));
	END;
COMMENT ON FUNCTION search_candidates(text, timestamptz, timestamptz, text[])
	IS 'the blocks that a window reaches into and that have what window_search() looks for; is_whole: all that is in '
		'it belongs to the window';

CREATE FUNCTION asked_search(what text, min_share float8, service text, since timestamptz, until timestamptz,
		event text, instances text[], labels jsonb, version text, commits text[])
	RETURNS TABLE (name text, kind text, unit text, first_at timestamptz, last_at timestamptz, value float8,
		total float8, share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		WITH candidates AS MATERIALIZED (
			-- By itself, so that it is planned as a search of the index and not for each stream.
			SELECT c.* FROM search_candidates(
				asked_search.what, asked_search.since, asked_search.until, asked_search.instances) AS c
		), blocks AS MATERIALIZED (
			-- For a pattern whole blocks have it because their trees do, and are added up before it is looked for.
			SELECT s.name, s.kind, s.unit, f.first, f.ended, f.series,
				f.is_whole AND NOT is_one_frame(asked_search.what) AS is_added,
				matched_value(f.series, f.is_whole, asked_search.what, asked_search.since, asked_search.until,
					asked_search.instances) AS value
			FROM window_streams(
				asked_search.service, asked_search.since, asked_search.until, asked_search.event,
				asked_search.instances, asked_search.labels, asked_search.version, asked_search.commits) AS s
				JOIN candidates AS f ON f.service_id = s.service_id AND f.stream_id = s.stream_id
		), incoming AS (
			SELECT i.name, i.kind, i.unit, min(i.recorded_at) AS first, max(i.recorded_at) AS last,
				sum(total(filter_stacks(i.flamegraph, frame_pattern(asked_search.what)))) AS value
			FROM window_incoming(
				asked_search.service, asked_search.since, asked_search.until, asked_search.event,
				asked_search.instances, asked_search.labels, asked_search.version, asked_search.commits) AS i
			WHERE i.flamegraph ~ frame_pattern(asked_search.what)
			GROUP BY i.name, i.kind, i.unit
		), spans AS (
			SELECT b.name, b.kind, b.unit, min(b.ended) AS first_before, max(b.first) AS last_from,
				coalesce(sum(b.value), 0::float8) + coalesce(total(filter_stacks(
					sum(b.series) FILTER (WHERE b.is_added), frame_pattern(asked_search.what))), 0::float8) AS value
			FROM blocks AS b WHERE b.is_added OR b.value IS NOT NULL GROUP BY b.name, b.kind, b.unit
		), ends AS (
			-- Each has it somewhere: only those that begin before one has ended, or end when all have begun, say when.
			SELECT s.name, s.kind, s.unit, s.value, min(t.first) AS first, max(t.last) AS last
			FROM spans AS s JOIN blocks AS b ON b.name = s.name AND b.kind = s.kind AND b.unit = s.unit
				AND (b.is_added OR b.value IS NOT NULL) AND (b.first < s.first_before OR b.ended > s.last_from)
				CROSS JOIN LATERAL matched_times(b.series, asked_search.what, asked_search.since,
					asked_search.until, asked_search.instances) AS t
			GROUP BY s.name, s.kind, s.unit, s.value
		), found AS (
			SELECT f.name, f.kind, f.unit, min(f.first) AS first, max(f.last) AS last, sum(f.value) AS value
			FROM (SELECT e.name, e.kind, e.unit, e.first, e.last, e.value FROM ends AS e
				UNION ALL SELECT i.name, i.kind, i.unit, i.first, i.last, i.value FROM incoming AS i) AS f
			GROUP BY f.name, f.kind, f.unit
		)
		SELECT f.name, f.kind, f.unit, f.first, f.last, f.value, w.total, ratio(f.value, w.total)
		FROM found AS f JOIN window_totals(
				asked_search.service, asked_search.since, asked_search.until, asked_search.event,
				asked_search.instances, asked_search.labels, asked_search.version, asked_search.commits) AS w
			ON w.name = f.name AND w.kind = f.kind AND w.unit = f.unit
		WHERE (SELECT window_works(
			asked_search.service, asked_search.since, asked_search.until, asked_search.event,
			asked_search.instances, asked_search.labels, asked_search.version, asked_search.commits, false))
			AND (coalesce(asked_search.min_share, 0::float8) <= 0::float8
				OR ratio(f.value, w.total) >= asked_search.min_share)
		ORDER BY ratio(f.value, w.total) DESC NULLS LAST, f.name COLLATE "C", f.kind COLLATE "C", f.unit COLLATE "C";
	END;
COMMENT ON FUNCTION asked_search(text, float8, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_search() as part of a query, which plans it';

CREATE FUNCTION planned_search(what text, min_share float8, service text, since timestamptz, until timestamptz,
		event text, instances text[], labels jsonb, version text, commits text[])
	RETURNS TABLE (name text, kind text, unit text, first_at timestamptz, last_at timestamptz, value float8,
		total float8, share float8)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY EXECUTE 'SELECT o.* FROM profiling.asked_search($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS o'
		USING planned_search.what, planned_search.min_share, planned_search.service, planned_search.since,
			planned_search.until, planned_search.event, planned_search.instances, planned_search.labels,
			planned_search.version, planned_search.commits;
END
$$;
COMMENT ON FUNCTION planned_search(text, float8, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_search() planned with what it is asked for; its results are not called as its arguments are';

CREATE FUNCTION window_search(what text, min_share float8 DEFAULT 0,
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service text, event text, unit text, first_at timestamptz, last_at timestamptz,
		value float8, total float8, share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		SELECT o.* FROM planned_search(
			window_search.what, window_search.min_share, window_search.service, window_search.since,
			window_search.until, window_search.event, window_search.instances, window_search.labels,
			window_search.version, window_search.commits) AS o;
	END;
COMMENT ON FUNCTION window_search(text, float8, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'which services have a function in a window, the largest share first: what is a frame, foo* for all that '
		'begin so, or (with a semicolon) a stackquery; times of the first and the last profile that has it (of sums: '
		'when their step begins), the value of the stacks with it and its share of the total';

--
-- two windows
--

CREATE FUNCTION checked_window(selection jsonb) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_names CONSTANT text[] := '{service,since,until,event,instances,labels,version,commits}';
	v_bad text;
BEGIN
	IF selection IS NULL OR jsonb_typeof(selection) <> 'object' THEN
		RAISE EXCEPTION 'a window must be an object' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'For example {"service": "shop", "since": "2026-11-26 10:00Z", "until": "2026-11-26 11:00Z"}.';
	END IF;
	SELECT min(k) INTO v_bad FROM jsonb_object_keys(selection) AS k WHERE k <> ALL (v_names);
	IF v_bad IS NOT NULL THEN
		RAISE EXCEPTION 'unrecognized key "%" of a window', v_bad USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Available: ' || array_to_string(v_names, ', ') || '.';
	END IF;
	RETURN selection;
END
$$;
COMMENT ON FUNCTION checked_window(jsonb) IS 'the window itself; an error for what is none';

CREATE FUNCTION asked_pieces(step interval, service text, since timestamptz, until timestamptz, event text,
		instances text[], labels jsonb, version text, commits text[])
	RETURNS TABLE (stream_id bigint, kind text, unit text, period float8, at timestamptz, instance text,
		profile flamegraph, profiles float8, noise flamegraph, with_noise float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000
	BEGIN ATOMIC
		SELECT b.stream_id, b.kind, b.unit, b.period, step_begin(asked_pieces.step, p.at), p.instance, p.profile,
			CASE WHEN b.counts IS NULL THEN 1::float8 ELSE 0::float8 END, NULL::flamegraph, 0::float8
		FROM window_blocks(
			asked_pieces.service, asked_pieces.since, asked_pieces.until, asked_pieces.event,
			asked_pieces.instances, asked_pieces.labels, asked_pieces.version, asked_pieces.commits) AS b,
			LATERAL profiles(slice(b.series, asked_pieces.since, asked_pieces.until,
				asked_pieces.instances)) AS p
		UNION ALL
		-- the number of the profiles in sums comes by itself, as noise does
		SELECT b.stream_id, b.kind, b.unit, b.period, step_begin(asked_pieces.step, c.at), '', NULL::flamegraph,
			c.value, NULL::flamegraph, CASE WHEN n.at IS NULL THEN 0::float8 ELSE c.value END
		FROM window_blocks(
			asked_pieces.service, asked_pieces.since, asked_pieces.until, asked_pieces.event,
			asked_pieces.instances, asked_pieces.labels, asked_pieces.version, asked_pieces.commits) AS b,
			LATERAL (SELECT t.at, t.value
				FROM trend(b.counts, ''::stackpath, 'total'::text, asked_pieces.since, asked_pieces.until,
					NULL::text[]) AS t) AS c
			LEFT JOIN LATERAL (SELECT m.at FROM moments_in(b.noise, asked_pieces.since, asked_pieces.until) AS m) AS n
				ON n.at = c.at
		UNION ALL
		SELECT b.stream_id, b.kind, b.unit, b.period, step_begin(asked_pieces.step, p.at), p.instance,
			NULL::flamegraph, 0::float8, p.profile, CASE WHEN b.counts IS NULL THEN 1::float8 ELSE 0::float8 END
		FROM window_blocks(
			asked_pieces.service, asked_pieces.since, asked_pieces.until, asked_pieces.event,
			asked_pieces.instances, asked_pieces.labels, asked_pieces.version, asked_pieces.commits) AS b,
			LATERAL profiles(slice(b.noise, asked_pieces.since, asked_pieces.until, asked_pieces.instances)) AS p
		UNION ALL
		SELECT i.stream_id, i.kind, i.unit, i.period, step_begin(asked_pieces.step, i.recorded_at), i.instance,
			i.flamegraph, 1::float8, i.noise, (i.noise IS NOT NULL)::int::float8
		FROM window_incoming(
			asked_pieces.service, asked_pieces.since, asked_pieces.until, asked_pieces.event,
			asked_pieces.instances, asked_pieces.labels, asked_pieces.version, asked_pieces.commits) AS i;
	END;
COMMENT ON FUNCTION asked_pieces(interval, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_pieces() as part of a query, which plans it';

CREATE FUNCTION window_pieces(step interval,
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (stream_id bigint, kind text, unit text, period float8, at timestamptz, instance text,
		profile flamegraph, profiles float8, noise flamegraph, with_noise float8)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY EXECUTE 'SELECT o.* FROM profiling.asked_pieces($1, $2, $3, $4, $5, $6, $7, $8, $9) AS o'
		USING window_pieces.step, window_pieces.service, window_pieces.since, window_pieces.until,
			window_pieces.event, window_pieces.instances, window_pieces.labels, window_pieces.version,
			window_pieces.commits;
END
$$;
COMMENT ON FUNCTION window_pieces(interval, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the profiles of a window, their numbers and their noise, each by itself, with the step that they are in';

CREATE FUNCTION window_observations(selection jsonb, step interval DEFAULT '10 minutes')
	RETURNS TABLE (kind text, at timestamptz, instance text, profile flamegraph, noise flamegraph, profiles float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 100
	BEGIN ATOMIC
		SELECT p.kind || ' in '::text || p.unit, p.at, p.instance, sum(p.profile) / sum(p.profiles),
			noise_of(sum(p.profile), p.period, CASE WHEN sum(p.with_noise) = sum(p.profiles) THEN sum(p.noise) END)
				/ sum(p.profiles) / sum(p.profiles), sum(p.profiles)
		FROM (SELECT checked_window(window_observations.selection) AS o OFFSET 0) AS s,
			LATERAL (SELECT CASE WHEN s.o ? 'service'::text
						THEN selection_value(s.o, 'service'::text, 'text'::text) #>> '{}'::text[] ELSE '%'::text END
					AS service, selection_time(s.o, 'since'::text) AS since, selection_time(s.o,
					'until'::text) AS until,
				CASE WHEN s.o ? 'event'::text
						THEN selection_value(s.o, 'event'::text, 'text'::text) #>> '{}'::text[] ELSE 'cpu'::text END
					AS event,
				CASE WHEN selection_value(s.o, 'instances'::text, 'text[]'::text) IS NOT NULL
						THEN ARRAY(SELECT jsonb_array_elements_text(s.o -> 'instances'::text)) END AS instances,
				coalesce(selection_value(s.o, 'labels'::text, 'jsonb'::text), '{}'::jsonb) AS labels,
				selection_value(s.o, 'version'::text, 'text'::text) #>> '{}'::text[] AS version,
				CASE WHEN selection_value(s.o, 'commits'::text, 'text[]'::text) IS NOT NULL
						THEN ARRAY(SELECT jsonb_array_elements_text(s.o -> 'commits'::text)) END AS commits
				OFFSET 0) AS w,
			LATERAL (SELECT window_works(
				w.service, w.since, w.until, w.event,
				w.instances, w.labels, w.version, w.commits, true) AS works OFFSET 0) AS k,
			LATERAL window_pieces(coalesce(window_observations.step, '10 minutes'::interval),
				w.service, w.since, w.until, w.event,
				w.instances, w.labels, w.version, w.commits) AS p
		WHERE k.works
		GROUP BY p.stream_id, p.kind, p.unit, p.period, p.at, p.instance
		HAVING sum(p.profiles) > 0::float8;
	END;
COMMENT ON FUNCTION window_observations(jsonb, interval)
	IS 'what window_compare() compares: for each instance and step of a window, written as an object, the mean of '
		'its profiles, its noise (null when nobody knows), and of how many it is';

CREATE FUNCTION window_compare(before jsonb, after jsonb, step interval DEFAULT '10 minutes',
		level text DEFAULT 'node', method text DEFAULT 'welch', correction text DEFAULT 'bh',
		alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5, min_df int DEFAULT 1,
		permutations int DEFAULT 999, seed bigint DEFAULT 42, variance text DEFAULT 'moderated')
	RETURNS TABLE (key stackpath, mean_before float8, mean_after float8, delta float8, relative float8, t float8,
		df float8, p_value float8, q_value float8, lower float8, upper float8, change text, significant bool,
		stddev float8)
	LANGUAGE sql STABLE COST 1000000 ROWS 5000
	BEGIN ATOMIC
		SELECT c.*
		FROM (SELECT b.profiles AS before, a.profiles AS after,
				CASE WHEN b.known AND a.known THEN b.noise END AS before_noise,
				CASE WHEN b.known AND a.known THEN a.noise END AS after_noise
			FROM (SELECT pg_catalog.array_agg(p.profile ORDER BY p.at, p.instance) AS profiles,
						pg_catalog.array_agg(p.noise ORDER BY p.at, p.instance) AS noise,
						pg_catalog.bool_and(p.noise IS NOT NULL) AS known,
						pg_catalog.array_agg(DISTINCT p.kind) AS kinds
					FROM window_observations(window_compare.before, window_compare.step) AS p) AS b,
				(SELECT pg_catalog.array_agg(p.profile ORDER BY p.at, p.instance) AS profiles,
						pg_catalog.array_agg(p.noise ORDER BY p.at, p.instance) AS noise,
						pg_catalog.bool_and(p.noise IS NOT NULL) AS known,
						pg_catalog.array_agg(DISTINCT p.kind) AS kinds
					FROM window_observations(window_compare.after, window_compare.step) AS p) AS a
			WHERE one_event(b.kinds OPERATOR(pg_catalog.||) a.kinds) OFFSET 0) AS s,
			LATERAL compare_profiles(s.before, s.after, window_compare.level, window_compare.method,
				window_compare.correction, window_compare.alpha, window_compare.size_factor,
				window_compare.min_mean,
				window_compare.min_df, window_compare.permutations, window_compare.seed,
				coalesce(window_compare.variance, 'moderated'::text), 0, s.before_noise, s.after_noise) AS c;
	END;
COMMENT ON FUNCTION window_compare(jsonb, jsonb, interval, text, text, text, float8, text, float8, int, int, bigint,
	text)
	IS 'which stacks, calling contexts or functions differ between two windows, written as objects: '
		'compare_profiles() of the mean profiles of each instance and step, with moderated variances, and with the '
		'noise as their floor where it is known';
