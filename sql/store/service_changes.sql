
--
-- what changed in an hour of a service, and in a deploy
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
		FROM (SELECT sum(k.profile) AS profile, sum(coalesce(k.in_sums, k.entries::float8)) AS profiles,
				-- The noise of a stream is known where all of its profiles have it: of some it is too little.
				CASE WHEN sum(k.with_noise) = sum(k.entries) THEN sum(k.squares)
					ELSE sum(total(k.profile)) * nullif(k.period, 0::float8) END AS squares
			FROM (SELECT t.stream_id, sum(b.series, service_sum.since, service_sum.until, NULL::text[]) AS profile,
						total(sum(b.noise, service_sum.since, service_sum.until, NULL::text[])) AS squares,
						CASE WHEN t.period = 0::float8 AND t.unit = 'samples' THEN 1::float8 ELSE t.period END
							AS period,
						total(sum(b.counts, service_sum.since, service_sum.until, NULL::text[])) AS in_sums,
						profile_count(slice(coalesce(b.counts, b.series), service_sum.since, service_sum.until,
							NULL::text[])) AS entries,
						coalesce(profile_count(slice(b.noise, service_sum.since, service_sum.until,
							NULL::text[])), 0) AS with_noise
					FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
					WHERE t.service_id = service_sum.service_id AND t.event = service_sum.event
						AND t.unit = service_sum.unit
						-- Of a day nobody knows the hours.
						AND b.resolution <> 'day' AND b.until > service_sum.since AND b.since < service_sum.until
						AND b.since > service_sum.since - '32 days'::interval
				UNION ALL
				SELECT t.stream_id, i.flamegraph, total(i.noise),
					CASE WHEN t.period = 0::float8 AND t.unit = 'samples' THEN 1::float8 ELSE t.period END,
					NULL::float8, 1, (i.noise IS NOT NULL)::int
				FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
				WHERE t.service_id = service_sum.service_id AND t.event = service_sum.event
					AND t.unit = service_sum.unit
					AND i.recorded_at >= service_sum.since AND i.recorded_at < service_sum.until) AS k
			WHERE k.entries > 0 GROUP BY k.stream_id, k.period) AS p;
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
	v_none CONSTANT profiling.hour_facts.pods%TYPE := NULL;
	v_history profiling.means;
BEGIN
	not_compared := h.not_compared;
	IF not_compared IS NOT NULL THEN
		RETURN;
	END IF;
	v_history := profiling.means_of_shares(profiling.service_history(watch, h.service_id, h.event, h.unit, h.hour,
		h.hour), h.of_sample, v_none);
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
	v_none CONSTANT profiling.hour_facts.pods%TYPE := NULL;
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
	v_before := profiling.means_of_shares(v_old.shares, NULL::float8, v_none);
	v_after := profiling.means_of_shares(v_new.shares, NULL::float8, v_none);
	IF least(cardinality(v_before.fgs), cardinality(v_after.fgs)) < v_needed THEN
		words := words || ', with profiles that have no samples';
		RETURN;
	END IF;
	SELECT f.findings, f.p_value INTO findings, p_value
	FROM profiling.found_in_service(watch, 'welch'::text, h.event, h.unit, v_before, v_after, v_none, families) AS f;
	words := words || ', compared';
END
$$;
COMMENT ON FUNCTION found_in_deploy(service_watch, hour_facts, text, text, timestamptz, float8)
	IS 'compares instances with a version with those that have the one before, half an hour before and after it came: '
		'the findings, without runs, null where there is no verdict, and in words what was compared, or why not';
