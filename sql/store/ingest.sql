
--
-- profiles of production come in
--
-- A profile is known by its stream, instance and time: one that comes again, or a
-- second one of that moment, is left alone. It is put into incoming first and looked
-- for in blocks then: a compaction that has it in hand is waited for by the key, and
-- what it has committed is seen by the statement after that.
--

CREATE FUNCTION moments_in(series flameseries, since timestamptz, until timestamptz, OUT at timestamptz,
		OUT instance text)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000
	BEGIN ATOMIC
		SELECT t.at, t.instance
		FROM trend(moments_in.series, ''::stackpath, 'total'::text, moments_in.since, moments_in.until, NULL::text[])
			AS t;
	END;
COMMENT ON FUNCTION moments_in(flameseries, timestamptz, timestamptz)
	IS 'the times and instances of the profiles of a series that are in a window';

CREATE FUNCTION hour_of(moment timestamptz) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT date_trunc('hour'::text, hour_of.moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
	END;
COMMENT ON FUNCTION hour_of(timestamptz) IS 'when the hour begins, in UTC, that a moment belongs to';

CREATE FUNCTION need_arrays(lengths int[]) RETURNS void
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM unnest(lengths) AS l WHERE l <> lengths[1]) THEN
		RAISE EXCEPTION 'the arrays of a batch must have the same length' USING ERRCODE = 'array_subscript_error',
			DETAIL = format('They have %s elements.', array_to_string(lengths, ', '));
	END IF;
END
$$;
COMMENT ON FUNCTION need_arrays(int[]) IS 'an error for arrays of different lengths';

CREATE FUNCTION need_in_time(service text, event text, recorded_at timestamptz) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_raw CONSTANT interval := (profiling.retention_of(service, event)).raw;
BEGIN
	-- In UTC, as spans_to_thin() does: a day of 25 hours would let in what sums have already.
	IF recorded_at < (now() AT TIME ZONE 'UTC' - v_raw) AT TIME ZONE 'UTC' THEN
		RAISE EXCEPTION 'a profile of service "%" comes too late', profiling.printable(service) USING
			ERRCODE = 'datetime_field_overflow',
			DETAIL = format('It is of %s; single profiles of event "%s" are kept for %s, what is older are sums.',
				recorded_at, profiling.printable(event), v_raw),
			HINT = 'Look at the clock of the machine that recorded it, or give the service more time in '
				'profiling.retention.';
	END IF;
END
$$;
COMMENT ON FUNCTION need_in_time(text, text, timestamptz)
	IS 'an error for a profile that is older than its service keeps single ones';

-- Of those that are made, so that nothing is looked at for all the others. The tables' own constraints would say no
-- more than their names.
CREATE FUNCTION need_words(what text, words text[], most int) RETURNS void
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_word text;
BEGIN
	FOREACH v_word IN ARRAY words LOOP
		IF v_word IS NULL THEN
			RAISE EXCEPTION 'the % of a profile cannot be null', what USING ERRCODE = 'null_value_not_allowed';
		ELSIF v_word = '' THEN
			RAISE EXCEPTION 'the % of a profile cannot be empty', what USING ERRCODE = 'invalid_parameter_value',
				HINT = format('It is a word of up to %s bytes.', most);
		ELSIF octet_length(v_word) > most THEN
			RAISE EXCEPTION 'the % of a profile is too long', what USING ERRCODE = 'invalid_parameter_value',
				DETAIL = format('It has %s bytes and begins with "%s".', octet_length(v_word),
					profiling.printable(left(v_word, 60))),
				HINT = format('Up to %s bytes are kept.', most) || CASE what WHEN 'service' THEN ' What tells '
					'profiles of one service from each other belongs into labels, and pods into instance.'
					ELSE '' END;
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION need_words(text, text[], int)
	IS 'an error for words that are null, empty or longer than so many bytes; what: what they are, such as service';

CREATE FUNCTION need_labels(labels jsonb[], periods float8[]) RETURNS void
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_labels jsonb;
	v_period float8;
BEGIN
	FOREACH v_labels IN ARRAY labels LOOP
		IF jsonb_typeof(v_labels) IS DISTINCT FROM 'object' THEN
			RAISE EXCEPTION 'the labels of a profile must be an object' USING ERRCODE = 'invalid_parameter_value',
				DETAIL = format('They are %s.', coalesce(profiling.printable(left(v_labels::text, 60)), 'null')),
				HINT = 'For example {"version": "1.2", "region": "eu"}; without labels it is {}.';
		END IF;
	END LOOP;
	FOREACH v_period IN ARRAY periods LOOP
		IF coalesce(v_period < 0 OR v_period >= 'infinity', true) THEN
			RAISE EXCEPTION 'the period of a profile cannot be %', coalesce(v_period::text, 'null')
				USING ERRCODE = 'invalid_parameter_value',
					HINT = 'It is what one sample stands for, in the unit of the profile; 0: nobody knows.';
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION need_labels(jsonb[], float8[])
	IS 'an error for labels that are no object, and for periods that are negative, infinite or no number';

CREATE FUNCTION ensure_services(names text[]) RETURNS bigint[]
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_ids bigint[];
BEGIN
	-- Mostly all are there. The second time they are.
	FOR i IN 1 .. 2 LOOP
		SELECT array_agg(s.service_id ORDER BY u.n) INTO v_ids
		FROM unnest(names) WITH ORDINALITY AS u (name, n) LEFT JOIN profiling.service AS s ON s.name = u.name;
		EXIT WHEN array_position(v_ids, NULL) IS NULL;
		PERFORM profiling.need_words('service'::text, ARRAY(SELECT DISTINCT u.name
			FROM unnest(names, v_ids) AS u (name, id) WHERE u.id IS NULL), 500);
		-- In one order, so that two loaders that bring the same new ones wait for each other and not in a ring.
		INSERT INTO profiling.service AS s (name)
		SELECT DISTINCT u.name FROM unnest(names, v_ids) AS u (name, id) WHERE u.id IS NULL ORDER BY 1
		ON CONFLICT ON CONSTRAINT service_key DO NOTHING;
	END LOOP;
	RETURN v_ids;
END
$$;
COMMENT ON FUNCTION ensure_services(text[])
	IS 'the numbers of services by their names, in the same order, made where they are not there';

CREATE FUNCTION ensure_streams(services text[], events text[], units text[], periods float8[], labels jsonb[],
		OUT service_id bigint, OUT stream_id bigint, OUT n int) RETURNS SETOF record
	LANGUAGE plpgsql ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	-- In steps: on Citus a query cannot join what others of its transaction have written over several connections.
	v_service_ids CONSTANT bigint[] := profiling.ensure_services(services);
	v_labels_ids CONSTANT uuid[] := ARRAY(SELECT profiling.object_id(u.labels)
		FROM unnest(ensure_streams.labels) WITH ORDINALITY AS u (labels, n) ORDER BY u.n);
	v_ids bigint[];
	v_found int[];
	v_missing int[];
BEGIN
	FOR i IN 1 .. 2 LOOP
		SELECT array_agg(t.stream_id), array_agg(u.n::int) INTO v_ids, v_found
		FROM unnest(v_service_ids, events, units, periods, v_labels_ids)
				WITH ORDINALITY AS u (service_id, event, unit, period, labels_id, n)
			JOIN profiling.stream AS t ON t.service_id = u.service_id AND t.event = u.event AND t.unit = u.unit
				AND t.period = u.period AND t.labels_id = u.labels_id;
		v_missing := ARRAY(SELECT generate_series(1, cardinality(services)) EXCEPT SELECT unnest(v_found));
		EXIT WHEN v_missing = '{}';
		PERFORM profiling.need_words('event'::text, ARRAY(SELECT DISTINCT u.event
				FROM unnest(events) WITH ORDINALITY AS u (event, n) JOIN unnest(v_missing) AS m (n) ON m.n = u.n), 250),
			profiling.need_words('unit'::text, ARRAY(SELECT DISTINCT u.unit
				FROM unnest(units) WITH ORDINALITY AS u (unit, n) JOIN unnest(v_missing) AS m (n) ON m.n = u.n), 250),
			profiling.need_labels(ARRAY(SELECT u.labels FROM unnest(ensure_streams.labels) WITH ORDINALITY
				AS u (labels, n) JOIN unnest(v_missing) AS m (n) ON m.n = u.n), ARRAY(SELECT DISTINCT u.period
				FROM unnest(periods) WITH ORDINALITY AS u (period, n) JOIN unnest(v_missing) AS m (n) ON m.n = u.n));
		INSERT INTO profiling.stream (service_id, event, unit, period, labels, labels_id)
		SELECT DISTINCT ON (u.service_id, u.event, u.unit, u.period, u.labels_id) u.service_id, u.event, u.unit,
			u.period, u.labels, u.labels_id
		-- Not by subscripts: who calls may number his arrays as he likes.
		FROM unnest(v_service_ids, events, units, periods, ensure_streams.labels, v_labels_ids)
				WITH ORDINALITY AS u (service_id, event, unit, period, labels, labels_id, n)
			JOIN unnest(v_missing) AS m (n) ON m.n = u.n
		ORDER BY u.service_id, u.event, u.unit, u.period, u.labels_id
		ON CONFLICT ON CONSTRAINT stream_key DO NOTHING;
	END LOOP;
	RETURN QUERY SELECT v_service_ids[f.n], f.stream_id, f.n FROM unnest(v_ids, v_found) AS f (stream_id, n);
END
$$;
COMMENT ON FUNCTION ensure_streams(text[], text[], text[], float8[], jsonb[])
	IS 'services and streams by what they are called, made where they are not there; n: the position in the arrays';

CREATE FUNCTION need_profiles(services text[], events text[], units text[], periods float8[], labels jsonb[],
		recorded_at timestamptz[], instances text[], profiles flamegraph[]) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_oldest record;
BEGIN
	IF EXISTS (SELECT 1
			FROM unnest(services, events, units, periods, labels, need_profiles.recorded_at, instances)
				AS u (service, event, unit, period, labels, at, instance)
			WHERE u.service IS NULL OR u.event IS NULL OR u.unit IS NULL OR u.period IS NULL OR u.labels IS NULL
				OR u.at IS NULL OR u.instance IS NULL)
		OR array_position(need_profiles.profiles, NULL) IS NOT NULL THEN
		RAISE EXCEPTION 'a profile to ingest has a service, an event, a unit, a time and a value, none of them null'
			USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM profiling.need_words('instance'::text, ARRAY(SELECT u.instance FROM unnest(instances) AS u (instance)
		WHERE octet_length(u.instance) > 500 LIMIT 1), 500);
	-- One that no series takes would keep all others of its stream and hour from becoming a block.
	IF EXISTS (SELECT 1 FROM unnest(instances) AS u (instance)
			WHERE strpos(u.instance, chr(10)) > 0 OR strpos(u.instance, chr(13)) > 0) THEN
		RAISE EXCEPTION 'the instance of a profile has a line end' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'It is the name of a machine, pod or process, in one line.';
	END IF;
	PERFORM profiling.need_begun((SELECT max(u.at) FROM unnest(need_profiles.recorded_at) AS u (at)),
		'recorded_at'::text);
	IF EXISTS (SELECT 1 FROM unnest(need_profiles.recorded_at) AS u (at) WHERE u.at = '-infinity') THEN
		RAISE EXCEPTION 'recorded_at cannot be infinite' USING ERRCODE = 'datetime_field_overflow',
			HINT = 'It is when the profile was recorded; now, where it is left out.';
	END IF;
	FOR v_oldest IN
		SELECT u.service, u.event, min(u.at) AS at
		FROM unnest(services, events, need_profiles.recorded_at) AS u (service, event, at) GROUP BY 1, 2
	LOOP
		PERFORM profiling.need_in_time(v_oldest.service, v_oldest.event, v_oldest.at);
	END LOOP;
END
$$;
COMMENT ON FUNCTION need_profiles(text[], text[], text[], float8[], jsonb[], timestamptz[], text[], flamegraph[])
	IS 'an error for profiles of which something is missing, or whose time is to come or too long ago';

CREATE FUNCTION drop_known(service_ids bigint[], stream_ids bigint[], recorded_at timestamptz[], instances text[])
	RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_first timestamptz;
	v_last timestamptz;
	v_day timestamptz;
	v_there bool;
	v_dropped int;
BEGIN
	SELECT profiling.hour_of(min(a.at)), profiling.hour_of(max(a.at)), profiling.span_of('minute'::text, min(a.at))
	INTO v_first, v_last, v_day
	FROM unnest(drop_known.recorded_at) AS a (at);
	-- Mostly no block reaches to their hour yet. Planned with what it is asked for, so that it opens only their days.
	EXECUTE 'SELECT EXISTS (SELECT 1
			FROM profiling.block AS b
				JOIN (SELECT DISTINCT u.service_id, u.stream_id, profiling.hour_of(u.at) AS hour
					FROM unnest($1, $2, $3) AS u (service_id, stream_id, at)) AS a
					ON a.service_id = b.service_id AND a.stream_id = b.stream_id
						AND b.since <= a.hour AND b.until > a.hour
			WHERE b.resolution = ''raw'' AND b.since BETWEEN $6 AND $5 AND b.until > $4)'
		INTO v_there USING service_ids, stream_ids, drop_known.recorded_at, v_first, v_last, v_day;
	IF NOT v_there THEN
		RETURN 0;
	END IF;
	EXECUTE 'WITH gone AS (
			DELETE FROM profiling.incoming AS i USING (
				SELECT a.service_id, a.stream_id, a.at, a.instance
				FROM unnest($1, $2, $3, $6) AS a (service_id, stream_id, at, instance)
					JOIN (SELECT b.service_id, b.stream_id, m.at, m.instance
						FROM (SELECT h.service_id, h.stream_id, min(h.at) AS first, max(h.at) AS last
								FROM unnest($1, $2, $3) AS h (service_id, stream_id, at) GROUP BY 1, 2) AS w
							JOIN profiling.block AS b ON b.service_id = w.service_id AND b.stream_id = w.stream_id
								AND b.since <= w.last AND b.until > w.first
							CROSS JOIN LATERAL profiling.moments_in(b.series, w.first,
								w.last + interval ''1 microsecond'') AS m
						WHERE b.resolution = ''raw'' AND b.since BETWEEN $7 AND $5 AND b.until > $4)
						AS k ON k.service_id = a.service_id AND k.stream_id = a.stream_id AND k.at = a.at
							AND k.instance = a.instance) AS known
			WHERE i.service_id = known.service_id AND i.stream_id = known.stream_id AND i.recorded_at = known.at
				AND i.instance = known.instance
				AND i.recorded_at >= $4 AND i.recorded_at < $5 + interval ''1 hour''
			RETURNING 1
		)
		SELECT count(*) FROM gone'
	INTO v_dropped
	USING service_ids, stream_ids, drop_known.recorded_at, v_first, v_last, instances, v_day;
	RETURN v_dropped;
END
$$;
COMMENT ON FUNCTION drop_known(bigint[], bigint[], timestamptz[], text[])
	IS 'takes those of these profiles out of incoming that are in a block already; returns how many that were';

CREATE FUNCTION store_incoming(services text[], events text[], units text[], periods float8[], labels jsonb[],
		recorded_at timestamptz[], durations interval[], instances text[], profiles flamegraph[], noises flamegraph[])
	RETURNS int
	-- Whoever may load has no rights on these tables.
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_n CONSTANT int := coalesce(cardinality(store_incoming.profiles), 0);
	v_order int[];
	v_service_ids bigint[];
	v_stream_ids bigint[];
	v_at timestamptz[];
	v_instances text[];
BEGIN
	PERFORM profiling.need_arrays(ARRAY[v_n, coalesce(cardinality(services), 0), coalesce(cardinality(events), 0),
		coalesce(cardinality(units), 0), coalesce(cardinality(periods), 0), coalesce(cardinality(labels), 0),
		coalesce(cardinality(store_incoming.recorded_at), 0), coalesce(cardinality(durations), 0),
		coalesce(cardinality(instances), 0), coalesce(cardinality(noises), 0)]);
	IF v_n = 0 THEN
		RETURN 0;
	END IF;
	PERFORM profiling.need_profiles(services, events, units, periods, labels, store_incoming.recorded_at, instances,
		store_incoming.profiles);
	SELECT array_agg(t.service_id), array_agg(t.stream_id), array_agg(t.n) INTO v_service_ids, v_stream_ids, v_order
	FROM profiling.ensure_streams(services, events, units, periods, labels) AS t;
	WITH arrived AS (
		INSERT INTO profiling.incoming AS i (service_id, stream_id, recorded_at, duration, instance, flamegraph, noise)
		SELECT t.service_id, t.stream_id, u.at, u.duration, u.instance, u.fg, u.noise
		FROM unnest(v_service_ids, v_stream_ids, v_order) AS t (service_id, stream_id, n)
			JOIN unnest(store_incoming.recorded_at, durations, instances, store_incoming.profiles, noises)
				WITH ORDINALITY AS u (at, duration, instance, fg, noise, n) ON u.n = t.n
		-- of one moment the first one
		ORDER BY t.service_id, t.stream_id, u.at, u.instance, u.n
		ON CONFLICT DO NOTHING
		RETURNING i.service_id, i.stream_id, i.recorded_at, i.instance
	)
	SELECT array_agg(a.service_id), array_agg(a.stream_id), array_agg(a.recorded_at), array_agg(a.instance)
	INTO v_service_ids, v_stream_ids, v_at, v_instances FROM arrived AS a;
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		-- An old snapshot shows no block that was made since, and that may have one of these. Whoever makes one updates
		-- the row of its stream; where somebody has, a lock of it fails (40001).
		PERFORM FROM profiling.stream AS t
			JOIN unnest(v_service_ids, v_stream_ids) AS a (service_id, stream_id) ON a.service_id = t.service_id
				AND a.stream_id = t.stream_id
		WHERE t.xmax <> '0'::xid FOR SHARE OF t;
	END IF;
	RETURN coalesce(cardinality(v_at), 0)
		- profiling.drop_known(v_service_ids, v_stream_ids, v_at, v_instances);
END
$$;
COMMENT ON FUNCTION store_incoming(text[], text[], text[], float8[], jsonb[], timestamptz[], interval[], text[],
	flamegraph[], flamegraph[])
	IS 'puts profiles into incoming, with services and streams as needed, with the rights of the owner; those that are '
		'there already, by stream, instance and time, are left alone; returns how many are new';
-- grant_access() lets loaders and admins.
REVOKE ALL ON FUNCTION store_incoming(text[], text[], text[], float8[], jsonb[], timestamptz[], interval[], text[],
	flamegraph[], flamegraph[]) FROM PUBLIC;

CREATE FUNCTION with_truncated(fg flamegraph, truncated flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(with_truncated.truncated) > 0
			THEN with_truncated.fg + (SELECT flamegraph_agg('[truncated]'::stackpath || s.stack, s.value)
				FROM stacks(with_truncated.truncated) AS s)
			ELSE with_truncated.fg END;
	END;
COMMENT ON FUNCTION with_truncated(flamegraph, flamegraph)
	IS 'a profile with the stacks that were cut off below a frame "[truncated]"';

CREATE FUNCTION tell_known(known bigint, of_all bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF known > 0 THEN
		RAISE NOTICE '%', CASE WHEN of_all = 1 THEN 'the profile is in the store already'
				ELSE 'profiles are in the store already' END USING
			ERRCODE = 'unique_violation',
			DETAIL = CASE WHEN of_all = 1 THEN 'There is one of this stream, instance and time.'
				ELSE format('Of %s of %s there is one of the same stream, instance and time.', known, of_all) END;
	END IF;
END
$$;
COMMENT ON FUNCTION tell_known(bigint, bigint) IS 'a NOTICE about profiles that were ingested before';

CREATE FUNCTION ingest(service text, fg flamegraph, recorded_at timestamptz DEFAULT now(),
		duration interval DEFAULT NULL, instance text DEFAULT '', labels jsonb DEFAULT '{}', event text DEFAULT 'cpu',
		unit text DEFAULT NULL, period float8 DEFAULT NULL, truncated flamegraph DEFAULT NULL,
		noise flamegraph DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.import_options(ingest.options);
	v_fg profiling.incoming.flamegraph%TYPE := ingest.fg;
	v_cut profiling.incoming.flamegraph%TYPE := profiling.unless_empty(ingest.truncated);
	v_noise profiling.incoming.noise%TYPE := ingest.noise;
	v_new int;
BEGIN
	PERFORM profiling.need_access('ingest'::text, 'loader'::text);
	IF v_fg IS NULL THEN
		RAISE EXCEPTION 'the profile to ingest cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	IF v_options ? 'max_depth' THEN
		SELECT s.whole, s.cut INTO v_fg, v_cut
		FROM profiling.reshaped(v_fg, v_cut, v_options -> 'max_depth', NULL::text[]) AS s;
	END IF;
	-- Of what was cut off nobody says how its samples weigh.
	IF v_cut IS NOT NULL THEN
		v_fg := profiling.with_truncated(v_fg, v_cut);
		v_noise := NULL;
	END IF;
	v_new := profiling.store_incoming(ARRAY[ingest.service], ARRAY[coalesce(ingest.event, 'cpu')],
		ARRAY[coalesce(ingest.unit, 'samples')], ARRAY[coalesce(ingest.period, 0::float8)],
		ARRAY[coalesce(ingest.labels, '{}')], ARRAY[coalesce(ingest.recorded_at, now())], ARRAY[ingest.duration],
		ARRAY[coalesce(ingest.instance, '')], ARRAY[v_fg], ARRAY[v_noise]);
	PERFORM profiling.tell_known(1 - v_new, 1::bigint);
	RETURN v_new;
END
$$;
COMMENT ON FUNCTION ingest(text, flamegraph, timestamptz, interval, text, jsonb, text, text, float8, flamegraph,
	flamegraph, jsonb)
	IS 'takes a profile of a service in production; returns 1, or 0 with a NOTICE when there is one of this stream, '
		'instance and time already; truncated: stacks that were cut off, which are kept below a frame "[truncated]"; '
		'noise: the sum of the squared weights of the samples, where these differ';

CREATE FUNCTION ingest(service text, data bytea, recorded_at timestamptz DEFAULT now(),
		duration interval DEFAULT NULL, instance text DEFAULT '', labels jsonb DEFAULT '{}', event text DEFAULT NULL,
		unit text DEFAULT NULL, period float8 DEFAULT NULL, format text DEFAULT 'auto', options jsonb DEFAULT '{}')
	RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := jsonb_build_object('stored_names', true, 'event', ingest.event)
		|| coalesce(ingest.options, '{}');
	r record;
	v_new int := 0;
	v_found int := 0;
BEGIN
	PERFORM profiling.need_access('ingest'::text, 'loader'::text);
	IF ingest.data IS NULL THEN
		RAISE EXCEPTION 'the recording to ingest cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	FOR r IN
		WITH recorded AS MATERIALIZED (
			SELECT f.*, count(*) OVER (PARTITION BY f.event, f.unit) AS alike,
				min(f.unit) OVER () <> max(f.unit) OVER () AS several_units
			FROM profiling.recorded_profiles(ingest.data, coalesce(ingest.format, 'auto'), v_options) AS f
		)
		SELECT * FROM recorded AS o ORDER BY o.event COLLATE "C", o.unit COLLATE "C"
	LOOP
		IF r.several_units AND ingest.unit IS NOT NULL THEN
			RAISE EXCEPTION 'the profiles of this recording have different units' USING
				ERRCODE = 'invalid_parameter_value',
				HINT = 'Leave the argument "unit" out, or pick one event.';
		END IF;
		-- The second one of a moment would be taken for the first one that comes again.
		IF r.alike > 1 THEN
			RAISE EXCEPTION 'the recording has several profiles of event "%" in %', profiling.printable(r.event),
				profiling.printable(r.unit) USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Pick one of them by the argument "event" or by options of read_recording().';
		END IF;
		v_new := v_new + profiling.ingest(service => ingest.service, fg => r.complete,
			recorded_at => ingest.recorded_at, duration => ingest.duration, instance => ingest.instance,
			labels => ingest.labels, event => r.event, unit => coalesce(ingest.unit, r.unit),
			period => coalesce(ingest.period, r.period), truncated => r.truncated, noise => r.noise,
			options => '{}'::jsonb);
		v_found := v_found + 1;
	END LOOP;
	IF v_found = 0 THEN
		RAISE EXCEPTION 'the recording holds no profile' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN v_new;
END
$$;
COMMENT ON FUNCTION ingest(text, bytea, timestamptz, interval, text, jsonb, text, text, float8, text, jsonb)
	IS 'reads a recording of a service in production and takes its profiles, one for each event (or the event asked '
		'for); returns how many are new; the options are those of read_recording()';

CREATE FUNCTION ingest_batch(services text[], profiles flamegraph[], recorded_at timestamptz[],
		instances text[] DEFAULT NULL, labels jsonb[] DEFAULT NULL, events text[] DEFAULT NULL,
		units text[] DEFAULT NULL, periods float8[] DEFAULT NULL, durations interval[] DEFAULT NULL,
		noises flamegraph[] DEFAULT NULL) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_n CONSTANT int := coalesce(cardinality(ingest_batch.profiles), 0);
	v_no_noise CONSTANT profiling.incoming.noise%TYPE := NULL;
	v_new int;
BEGIN
	PERFORM profiling.need_access('ingest_batch'::text, 'loader'::text);
	v_new := profiling.store_incoming(ingest_batch.services,
		coalesce(ingest_batch.events, array_fill('cpu'::text, ARRAY[v_n])),
		coalesce(ingest_batch.units, array_fill('samples'::text, ARRAY[v_n])),
		coalesce(ingest_batch.periods, array_fill(0::float8, ARRAY[v_n])),
		coalesce(ingest_batch.labels, array_fill('{}'::jsonb, ARRAY[v_n])), ingest_batch.recorded_at,
		coalesce(ingest_batch.durations, array_fill(NULL::interval, ARRAY[v_n])),
		coalesce(ingest_batch.instances, array_fill(''::text, ARRAY[v_n])), ingest_batch.profiles,
		coalesce(ingest_batch.noises, array_fill(v_no_noise, ARRAY[v_n])));
	PERFORM profiling.tell_known((v_n - v_new)::bigint, v_n::bigint);
	RETURN v_new;
END
$$;
COMMENT ON FUNCTION ingest_batch(text[], flamegraph[], timestamptz[], text[], jsonb[], text[], text[], float8[],
	interval[], flamegraph[])
	IS 'takes many profiles in one statement, an element of each array for each; arrays that are null stand for the '
		'defaults of ingest(); returns how many are new';
