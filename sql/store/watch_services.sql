
--
-- comparing services
--
-- Each hour of a service by its row of service_watch: what is compared, what is found, and what becomes of it.
--

--
-- what is compared
--

CREATE FUNCTION service_sum(service_id bigint, event text, unit text, since timestamptz, until timestamptz,
		OUT profile flamegraph, OUT profiles bigint, OUT total float8, OUT of_sample float8)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT sum(p.profile), coalesce(sum(p.profiles), 0::float8)::bigint, coalesce(sum(total(p.profile)), 0::float8),
			-- That of a mean sample, where they weigh differently; nothing is known of what one alone does not say.
			CASE WHEN pg_catalog.bool_and(p.squares IS NOT NULL) THEN ratio(sum(p.squares), sum(total(p.profile))) END
		FROM (SELECT k.profile, k.profiles, coalesce(k.squares, total(k.profile) * nullif(k.period, 0::float8))
				AS squares
			FROM (SELECT sum(b.series, service_sum.since, service_sum.until, NULL::text[]) AS profile,
						total(sum(b.noise, service_sum.since, service_sum.until, NULL::text[])) AS squares,
						-- of those that have no noise
						CASE WHEN t.period = 0::float8 AND t.unit = 'samples' THEN 1::float8 ELSE t.period END
							AS period,
						CASE WHEN b.counts IS NULL
							THEN profile_count(slice(b.series, service_sum.since, service_sum.until, NULL::text[]))
								::float8
							ELSE total(sum(b.counts, service_sum.since, service_sum.until, NULL::text[])) END
							AS profiles
					FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
					WHERE t.service_id = service_sum.service_id AND t.event = service_sum.event
						AND t.unit = service_sum.unit
						-- Of a day nobody knows the hours.
						AND b.resolution <> 'day' AND b.until > service_sum.since AND b.since < service_sum.until
						AND b.since > service_sum.since - '32 days'::interval
				UNION ALL
				SELECT i.flamegraph, total(i.noise),
					CASE WHEN t.period = 0::float8 AND t.unit = 'samples' THEN 1::float8 ELSE t.period END, 1::float8
				FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
				WHERE t.service_id = service_sum.service_id AND t.event = service_sum.event
					AND t.unit = service_sum.unit
					AND i.recorded_at >= service_sum.since AND i.recorded_at < service_sum.until) AS k
			WHERE k.profiles > 0::float8) AS p;
	END;
COMMENT ON FUNCTION service_sum(bigint, text, text, timestamptz, timestamptz)
	IS 'the sum of the profiles of a service in some time, of one event and unit, of how many it is, its total, and '
		'what a sample stands for, null when nobody knows';

CREATE FUNCTION service_instances(service_id bigint, event text, unit text, version text, since timestamptz,
		until timestamptz, most int, OUT instances text[], OUT n bigint)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(d.instance ORDER BY d.place) FILTER (WHERE d.place
			<= service_instances.most::bigint), count(*)
		-- By chance, but the same ones in the next hour.
		FROM (SELECT k.instance, row_number() OVER (ORDER BY md5(k.instance), k.instance COLLATE "C") AS place
			FROM (SELECT u.instance
					FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
						CROSS JOIN LATERAL (SELECT CASE WHEN b.since >= service_instances.since
								AND b.until <= service_instances.until THEN b.series
							ELSE slice(b.series, service_instances.since, service_instances.until, NULL::text[])
							END AS series
							OFFSET 0) AS s
						CROSS JOIN LATERAL pg_catalog.unnest(CASE
							WHEN instances(s.series) OPERATOR(pg_catalog.<>) '{}'::text[] THEN instances(s.series)
							WHEN profile_count(s.series) > 0 THEN '{""}'::text[] END)
							AS u (instance)
					WHERE t.service_id = service_instances.service_id AND t.event = service_instances.event
						AND t.unit = service_instances.unit AND b.resolution = 'raw'
						AND (service_instances.version IS NULL
							OR t.labels ->> 'version'::text = service_instances.version)
						AND b.until > service_instances.since
						AND b.since < service_instances.until
						AND b.since >= span_of('minute'::text, service_instances.since)
				UNION
				SELECT i.instance
				FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
				WHERE t.service_id = service_instances.service_id AND t.event = service_instances.event
					AND t.unit = service_instances.unit
					AND (service_instances.version IS NULL
						OR t.labels ->> 'version'::text = service_instances.version)
					AND i.recorded_at >= service_instances.since AND i.recorded_at < service_instances.until) AS k)
			AS d;
	END;
COMMENT ON FUNCTION service_instances(bigint, text, text, text, timestamptz, timestamptz, int)
	IS 'how many instances a service has in some time, and so many of them; version null: of any';

CREATE FUNCTION service_pods(service_id bigint, event text, unit text, version text, since timestamptz,
		until timestamptz, instances text[]) RETURNS TABLE (instance text, profile flamegraph, profiles bigint)
	LANGUAGE sql STABLE ROWS 50
	BEGIN ATOMIC
		SELECT k.instance, sum(k.profile), sum(k.profiles)
		FROM (SELECT u.instance, sum(o.series, NULL::timestamptz, NULL::timestamptz, ARRAY[u.instance]) AS profile,
					profile_count(slice(o.series, NULL::timestamptz, NULL::timestamptz, ARRAY[u.instance])) AS profiles
				FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
					-- These first, and then each of them: a block may have a million others.
					CROSS JOIN LATERAL (SELECT slice(b.series, service_pods.since, service_pods.until,
						service_pods.instances) AS series OFFSET 0) AS o
					CROSS JOIN LATERAL pg_catalog.unnest(service_pods.instances) AS u (instance)
				WHERE t.service_id = service_pods.service_id AND t.event = service_pods.event
					AND t.unit = service_pods.unit AND b.resolution = 'raw'
					AND (service_pods.version IS NULL OR t.labels ->> 'version'::text = service_pods.version)
					AND b.until > service_pods.since AND b.since < service_pods.until
					AND b.since >= span_of('minute'::text, service_pods.since)
					AND (u.instance = '' OR u.instance = ANY (instances(o.series)))
			UNION ALL
			SELECT i.instance, i.flamegraph, 1
			FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
			WHERE t.service_id = service_pods.service_id AND t.event = service_pods.event
				AND t.unit = service_pods.unit
				AND (service_pods.version IS NULL OR t.labels ->> 'version'::text = service_pods.version)
				AND i.recorded_at >= service_pods.since AND i.recorded_at < service_pods.until
				AND i.instance = ANY (service_pods.instances)) AS k
		GROUP BY k.instance;
	END;
COMMENT ON FUNCTION service_pods(bigint, text, text, text, timestamptz, timestamptz, text[])
	IS 'the sum of the profiles of each of some instances of a service in some time, and of how many it is; version '
		'null: of any';

CREATE FUNCTION as_shares(profiles flamegraph[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(u.fg / (total(u.fg) / 100::float8) ORDER BY u.n), '{}'::flamegraph[])
		FROM pg_catalog.unnest(as_shares.profiles) WITH ORDINALITY AS u (fg, n) WHERE total(u.fg) > 0::float8;
	END;
COMMENT ON FUNCTION as_shares(flamegraph[])
	IS 'profiles in percent of their totals, without those that have nothing';

CREATE FUNCTION service_history(watch service_watch, service_id bigint, event text, unit text, hour timestamptz,
		first timestamptz) RETURNS flamegraph[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_season CONSTANT record := profiling.season_of((watch).baseline);
	-- Days that have a finding are no history of it.
	v_since CONSTANT int := floor(extract(epoch FROM hour - first) / extract(epoch FROM v_season.period))::int + 1;
	v_start timestamptz;
	v_sum record;
	v_all profiling.means;
BEGIN
	FOR k IN REVERSE v_since + v_season.periods - 1 .. v_since LOOP
		-- A day has 24 hours, as in the names of blocks: the hour of UTC.
		v_start := (hour AT TIME ZONE 'UTC' - v_season.period * k) AT TIME ZONE 'UTC';
		v_sum := profiling.service_sum(service_id, event, unit, v_start, v_start + interval '1 hour');
		IF v_sum.profiles >= (watch).min_profiles THEN
			v_all.fgs := v_all.fgs || v_sum.profile;
		END IF;
	END LOOP;
	RETURN profiling.as_shares(v_all.fgs);
END
$$;
COMMENT ON FUNCTION service_history(service_watch, bigint, text, text, timestamptz, timestamptz)
	IS 'the hours that an hour of a service is compared with, in shares, oldest first; of those before the hour first';

CREATE FUNCTION means_of_shares(profiles flamegraph[], of_sample float8, repeated flamegraph[])
	RETURNS means
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW(means_of_shares.profiles, NULL, NULL, coalesce(means_of_shares.of_sample, 0::float8), NULL, NULL,
			pg_catalog.array_fill(1, ARRAY[pg_catalog.cardinality(means_of_shares.profiles)]),
			means_of_shares.of_sample IS NOT NULL,
			CASE WHEN pg_catalog.cardinality(means_of_shares.repeated) >= 3 THEN means_of_shares.repeated END)::means;
	END;
COMMENT ON FUNCTION means_of_shares(flamegraph[], float8, flamegraph[])
	IS 'hours or instances as tests take runs; of_sample: what a sample is worth; repeated: of an hour its instances';

CREATE FUNCTION as_watch(watch service_watch, method text) RETURNS watch
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	w profiling.watch;
BEGIN
	w.watch_id := -1;
	w.method := as_watch.method;
	w.level := (as_watch.watch).level;
	w.baseline := (as_watch.watch).baseline;
	w.alpha := (as_watch.watch).alpha;
	w.min_share := (as_watch.watch).min_share;
	w.min_effect := (as_watch.watch).min_effect;
	w.direction := (as_watch.watch).direction;
	w.confirm := (as_watch.watch).confirm;
	w.options := '{"variance": "moderated"}';
	RETURN w;
END
$$;
COMMENT ON FUNCTION as_watch(service_watch, text)
	IS 'a row of service_watch as one of watch that compares by a method, for the tests of benchmarks';

CREATE FUNCTION at_speed_of(reference flamegraph[], profiles flamegraph[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
	BEGIN ATOMIC
		-- Of stacks with a fifth of a percent, as smaller ones are there by chance in short times; where there are
		-- none, of those with a twentieth.
		SELECT pg_catalog.array_agg(u.fg / coalesce(nullif(size_factor(r.mean, u.fg, 'median_ratio'::text,
			0.2::float8), 0::float8), nullif(size_factor(r.mean, u.fg, 'median_ratio'::text, 0.05::float8), 0::float8),
			1::float8) ORDER BY u.n)
		FROM (SELECT avg(o.fg) AS mean FROM pg_catalog.unnest(at_speed_of.reference) AS o (fg) OFFSET 0) AS r,
			pg_catalog.unnest(at_speed_of.profiles) WITH ORDINALITY AS u (fg, n);
	END;
COMMENT ON FUNCTION at_speed_of(flamegraph[], flamegraph[])
	IS 'profiles in shares, each divided by the quotient that most of its stacks have to the mean of others: where '
		'something grows, the shares of everything else are smaller, and what they are of is another total';

CREATE FUNCTION at_common_speed(means means, reference means) RETURNS means
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF cardinality((reference).fgs) > 0 THEN
		means.fgs := profiling.at_speed_of((reference).fgs, (means).fgs);
		means.repeated := profiling.at_speed_of((reference).fgs, (means).repeated);
	END IF;
	RETURN means;
END
$$;
COMMENT ON FUNCTION at_common_speed(means, means)
	IS 'hours or instances as parts of what is 100 percent of the mean of others';

CREATE FUNCTION in_most_pods(pods flamegraph[], level text, subject stackpath, expected float8, diff float8)
	RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
	BEGIN ATOMIC
		SELECT coalesce(percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY sign(in_most_pods.diff)
			* (value_in(u.fg, in_most_pods.level, in_most_pods.subject) - in_most_pods.expected))
				>= abs(in_most_pods.diff) / 2::float8, true)
		FROM pg_catalog.unnest(in_most_pods.pods) AS u (fg);
	END;
COMMENT ON FUNCTION in_most_pods(flamegraph[], text, stackpath, float8, float8)
	IS 'whether the median of some instances differs from what was expected as a finding does, by at least half of '
		'that: one odd instance moves the mean and not the median';

CREATE FUNCTION findings_in_service(watch service_watch, method text, event text, unit text, before means, after means,
		pods flamegraph[], families float8, OUT findings finding[], OUT p_value float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f profiling.finding;
	r CONSTANT record := profiling.found_between(profiling.as_watch(watch, findings_in_service.method),
		NULL::bigint, findings_in_service.event, '% of ' || findings_in_service.unit, ''::text, (watch).level,
		NULL::text, false,
		array_fill(NULL::bigint, ARRAY[cardinality((before).fgs) + cardinality((after).fgs)]), before, after, families);
BEGIN
	findings := '{}';
	p_value := r.p_value;
	FOREACH f IN ARRAY coalesce(r.findings, '{}') LOOP
		CONTINUE WHEN NOT profiling.in_most_pods(findings_in_service.pods, f.level, f.subject, f.expected, f.diff);
		f.method := 'service';
		findings := findings || f;
	END LOOP;
END
$$;
COMMENT ON FUNCTION findings_in_service(service_watch, text, text, text, means, means, flamegraph[], float8)
	IS 'found_between() of hours or instances of a service at a common speed: what differs, and in most of some '
		'instances, as findings without their runs';

CREATE FUNCTION found_in_service(watch service_watch, method text, event text, unit text, before means, after means,
		pods flamegraph[], families float8, OUT findings finding[], OUT p_value float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_before CONSTANT profiling.means := profiling.at_common_speed(before, before);
	v_after CONSTANT profiling.means := profiling.at_common_speed(after, before);
	v_pods profiling.means;
	r record;
BEGIN
	v_pods.fgs := profiling.at_speed_of((before).fgs, pods);
	r := profiling.findings_in_service(watch, found_in_service.method, found_in_service.event, found_in_service.unit,
		v_before, v_after, v_pods.fgs, found_in_service.families);
	findings := r.findings;
	IF r.p_value IS NOT NULL AND found_in_service.families > 1 THEN
		r := profiling.findings_in_service(watch, found_in_service.method, found_in_service.event,
			found_in_service.unit, v_before, v_after, v_pods.fgs, 1::float8);
	END IF;
	-- Of what could be a finding if it were the only service: an odd pod selects nothing.
	p_value := (SELECT min(f.q_value) FROM unnest(r.findings) AS f);
END
$$;
COMMENT ON FUNCTION found_in_service(service_watch, text, text, text, means, means, flamegraph[], float8)
	IS 'what differs between hours or instances of a service, by a method of watch, as findings without their runs; '
		'pods: instances of which most have to show it; families: how many such tests share alpha; p_value: the '
		'smallest adjusted one in this comparison of what would be a finding without others, null for none';

CREATE TYPE hour_facts AS (service_id bigint, event text, unit text, hour timestamptz, instances bigint,
	profiles bigint, profile flamegraph, of_sample float8, pods flamegraph[], not_compared text);
COMMENT ON TYPE hour_facts
	IS 'an hour of a service: profile in shares, pods: some of its instances in shares; of_sample: what a sample is '
		'worth in profile; not_compared: why it is too little to compare';

CREATE FUNCTION hour_of_service(watch service_watch, service_id bigint, event text, unit text, hour timestamptz)
	RETURNS hour_facts
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_until CONSTANT timestamptz := hour + interval '1 hour';
	s CONSTANT record := profiling.service_sum(service_id, event, unit, hour, v_until);
	-- That many say what others would.
	i CONSTANT record := profiling.service_instances(service_id, event, unit, NULL::text, hour, v_until, 50);
	h profiling.hour_facts := ROW(service_id, event, unit, hour, i.n, s.profiles, NULL, NULL, NULL, NULL);
BEGIN
	h.not_compared := CASE
		WHEN s.profiles < (watch).min_profiles THEN format('it has %s profiles, %s are needed', s.profiles,
			(watch).min_profiles)
		WHEN i.n < (watch).min_instances THEN format('it has %s instances, %s are needed', i.n, (watch).min_instances)
		WHEN s.total <= 0 THEN 'its profiles have no samples' END;
	IF h.not_compared IS NULL THEN
		h.profile := (profiling.as_shares(ARRAY[s.profile]))[1];
		h.of_sample := s.of_sample / (s.total / 100);
		h.pods := profiling.as_shares(ARRAY(SELECT p.profile FROM profiling.service_pods(service_id, event, unit,
			NULL::text, hour, v_until, i.instances) AS p ORDER BY p.instance COLLATE "C"));
	END IF;
	RETURN h;
END
$$;
COMMENT ON FUNCTION hour_of_service(service_watch, bigint, text, text, timestamptz)
	IS 'what watch_services() knows of an hour of a service';

CREATE FUNCTION found_in_hour(watch service_watch, hour hour_facts, families float8, OUT findings finding[],
		OUT p_value float8, OUT compared_with int, OUT not_compared text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v_history profiling.means;
BEGIN
	not_compared := h.not_compared;
	IF not_compared IS NOT NULL THEN
		RETURN;
	END IF;
	v_history := profiling.means_of_shares(profiling.service_history(watch, h.service_id, h.event, h.unit, h.hour,
		h.hour), h.of_sample, NULL);
	compared_with := cardinality(v_history.fgs);
	-- As of runs: the deviation of two says nothing.
	IF compared_with < 3 THEN
		not_compared := format('too little history: %s %s by baseline "%s" with at least %s profiles, 3 are needed',
			compared_with, CASE compared_with WHEN 1 THEN 'hour' ELSE 'hours' END,
			(watch).baseline, (watch).min_profiles);
		compared_with := NULL;
		RETURN;
	END IF;
	SELECT f.findings, f.p_value INTO findings, p_value
	FROM profiling.found_in_service(watch, 'deviation'::text, h.event, h.unit, v_history,
		profiling.means_of_shares(ARRAY[h.profile], h.of_sample, h.pods), h.pods, families) AS f;
END
$$;
COMMENT ON FUNCTION found_in_hour(service_watch, hour_facts, float8)
	IS 'compares an hour of a service with those of its baseline: the findings, without runs, and with how many hours '
		'it was compared, or why not';

--
-- versions
--

CREATE FUNCTION new_versions(service_id bigint, event text, unit text, hour timestamptz, OUT version text,
		OUT first timestamptz, OUT before text, OUT versions bigint)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 1
	BEGIN ATOMIC
		WITH seen AS (
			SELECT k.version, min(k.hour) AS hour, min(k.first) AS first, sum(k.profiles) AS profiles
			FROM (SELECT t.labels ->> 'version'::text AS version, b.since AS hour, since(o.series) AS first,
						coalesce(profile_count(o.series), 0)::bigint AS profiles
					FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
						-- of others it is enough to know that there is one
						CROSS JOIN LATERAL (SELECT CASE WHEN b.until > new_versions.hour - '1 hour'::interval
							THEN slice(b.series, new_versions.hour - '1 hour'::interval,
								new_versions.hour + '1 hour'::interval, NULL::text[]) END AS series OFFSET 0) AS o
					WHERE t.service_id = new_versions.service_id AND t.event = new_versions.event
						AND t.unit = new_versions.unit AND b.resolution = 'raw'
						-- A block has a profile in its last hour, and if it reaches into the day before, then into
						-- that before these two hours.
						AND b.until > new_versions.hour - '24 hours'::interval
						AND b.since >= span_of('minute'::text, new_versions.hour - '24 hours'::interval)
						AND b.since < new_versions.hour + '1 hour'::interval
				UNION ALL
				SELECT t.labels ->> 'version'::text, hour_of(i.recorded_at), i.recorded_at,
					CASE WHEN i.recorded_at >= new_versions.hour - '1 hour'::interval THEN 1::bigint
						ELSE 0::bigint END
				FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
				WHERE t.service_id = new_versions.service_id AND t.event = new_versions.event
					AND t.unit = new_versions.unit AND i.recorded_at >= new_versions.hour - '24 hours'::interval
					AND i.recorded_at < new_versions.hour + '1 hour'::interval) AS k
			WHERE k.version IS NOT NULL
			GROUP BY k.version
		), fresh AS (
			SELECT s.version, s.first, count(*) OVER () AS versions
			FROM seen AS s
			-- Half an hour from then is over; of those before, the hour before has looked at them.
			WHERE s.hour >= new_versions.hour - '1 hour'::interval
				AND s.first >= new_versions.hour - '30 minutes'::interval
				AND s.first < new_versions.hour + '30 minutes'::interval
				-- The first one that a service ever has is not new.
				AND EXISTS (SELECT 1 FROM seen AS e WHERE e.hour < s.hour OR e.first < s.first)
			ORDER BY s.version COLLATE "C" LIMIT 10
		)
		SELECT f.version, f.first, (SELECT o.version FROM seen AS o
				WHERE o.profiles > 0::numeric AND (o.hour < hour_of(f.first) OR o.first < f.first)
				ORDER BY o.profiles DESC, o.version COLLATE "C" LIMIT 1), f.versions
		FROM fresh AS f ORDER BY f.version COLLATE "C";
	END;
COMMENT ON FUNCTION new_versions(bigint, text, text, timestamptz)
	IS 'versions of a service that came in the hour around the beginning of an hour, and were not there for a day, '
		'when they came, and the one that most others have, null where there is none; at most ten of versions';

CREATE FUNCTION pods_of_version(service_id bigint, event text, unit text, version text, first timestamptz, OUT n bigint,
		OUT profiles bigint, OUT shares flamegraph[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	-- The same time for all versions, so that what changes with it is not what is found.
	v_since CONSTANT timestamptz := first - interval '30 minutes';
	v_until CONSTANT timestamptz := first + interval '30 minutes';
	v_pods CONSTANT record := profiling.service_instances(pods_of_version.service_id, pods_of_version.event,
		pods_of_version.unit, pods_of_version.version, v_since, v_until, 50);
BEGIN
	n := v_pods.n;
	SELECT coalesce(sum(p.profiles), 0), profiling.as_shares(coalesce(array_agg(p.profile
		ORDER BY p.instance COLLATE "C"), '{}'))
	INTO profiles, shares
	FROM profiling.service_pods(pods_of_version.service_id, pods_of_version.event, pods_of_version.unit,
		pods_of_version.version, v_since, v_until, v_pods.instances) AS p;
END
$$;
COMMENT ON FUNCTION pods_of_version(bigint, text, text, text, timestamptz)
	IS 'the instances that have a version half an hour before and after a version came: how many, and of at most 50 '
		'how many profiles they have together and the shares of each that has samples';

CREATE FUNCTION found_in_deploy(watch service_watch, hour hour_facts, version text, before text, first timestamptz,
		families float8, OUT findings finding[], OUT p_value float8, OUT words text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v_needed CONSTANT int := greatest((watch).min_instances, 2);
	v_name CONSTANT text := format('version "%s"', profiling.printable(version));
	v_old record;
	v_new record;
	v_before profiling.means;
	v_after profiling.means;
BEGIN
	IF before IS NULL THEN
		words := v_name || ': no instance has an earlier one';
		RETURN;
	END IF;
	v_old := profiling.pods_of_version(h.service_id, h.event, h.unit, before, first);
	v_new := profiling.pods_of_version(h.service_id, h.event, h.unit, version, first);
	words := format('%s: %s instances, %s with "%s"', v_name, v_new.n, v_old.n, profiling.printable(before));
	IF least(v_old.n, v_new.n) < v_needed THEN
		words := format('%s, %s of each are needed', words, v_needed);
		RETURN;
	END IF;
	IF least(v_old.profiles, v_new.profiles) < (watch).min_profiles THEN
		words := format('%s, with %s and %s profiles, %s are needed', words, v_new.profiles, v_old.profiles,
			(watch).min_profiles);
		RETURN;
	END IF;
	v_before := profiling.means_of_shares(v_old.shares, NULL::float8, NULL);
	v_after := profiling.means_of_shares(v_new.shares, NULL::float8, NULL);
	IF least(cardinality(v_before.fgs), cardinality(v_after.fgs)) < v_needed THEN
		words := words || ', with profiles that have no samples';
		RETURN;
	END IF;
	SELECT f.findings, f.p_value INTO findings, p_value
	FROM profiling.found_in_service(watch, 'welch'::text, h.event, h.unit, v_before, v_after, NULL, families) AS f;
	words := words || ', compared';
END
$$;
COMMENT ON FUNCTION found_in_deploy(service_watch, hour_facts, text, text, timestamptz, float8)
	IS 'compares instances with a version with those that have the one before, half an hour before and after it came: '
		'the findings, without runs, null where there is no verdict, and in words what was compared, or why not';

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
			g.started_at), h.of_sample, NULL);
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
