
--
-- production: services whose instances send small profiles all the time
--
-- A profile comes into incoming, where it is seen at once. compact() makes blocks of
-- them: profiles of a stream and some hours of a day as one series, and of what is old sums
-- of minutes, hours and days. Blocks of one stream may overlap in time, but no profile is in
-- two of them, or in one and in incoming, in any snapshot: whoever reads all counts nothing
-- twice.
--
-- As profile_data, both tables are bare parents; their partitions have the keys.
--

CREATE TABLE service (
	service_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL CHECK (name <> '' AND octet_length(name) <= 500),
	labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object'),
	created_at timestamptz NOT NULL DEFAULT now(),
	CONSTRAINT service_key UNIQUE (name)
);
COMMENT ON TABLE service IS 'what runs in production and is profiled all the time';
COMMENT ON COLUMN service.service_id IS 'number of the service';
COMMENT ON COLUMN service.name IS 'its name';
COMMENT ON COLUMN service.labels IS 'object of what people want to note: owner, tier, repository';
COMMENT ON COLUMN service.created_at IS 'when its first profile came';

CREATE TABLE stream (
	service_id bigint NOT NULL,
	stream_id bigint GENERATED ALWAYS AS IDENTITY,
	event text NOT NULL CHECK (event <> '' AND octet_length(event) <= 250),
	unit text NOT NULL CHECK (unit <> '' AND octet_length(unit) <= 250),
	period float8 NOT NULL DEFAULT 0 CHECK (period >= 0::float8 AND period < 'infinity'::float8),
	labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object'),
	labels_id uuid NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (service_id, stream_id),
	CONSTRAINT stream_key UNIQUE (service_id, event, unit, period, labels_id)
);
COMMENT ON TABLE stream IS 'profiles of a service that are of one kind: of one event, unit, period and set of labels';
COMMENT ON COLUMN stream.service_id IS 'the service';
COMMENT ON COLUMN stream.stream_id IS 'number of the stream, unique in the store';
COMMENT ON COLUMN stream.event IS 'what was sampled: cpu, wall, alloc, lock, io, exception, …';
COMMENT ON COLUMN stream.unit IS 'unit of the values: samples, nanoseconds, bytes, …';
COMMENT ON COLUMN stream.period IS 'what one sample stands for, in unit; 0 when samples differ or nobody knows';
COMMENT ON COLUMN stream.labels
	IS 'object of what rarely changes: region, version, commit; what differs from pod to pod is the instance';
COMMENT ON COLUMN stream.labels_id IS 'md5 of the text of labels, their part in the key';
COMMENT ON COLUMN stream.created_at IS 'when its first profile came';

CREATE FUNCTION sum_of_sizes(fg flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT @-@ sum_of_sizes.fg;
	END;
COMMENT ON FUNCTION sum_of_sizes(flamegraph) IS 'the sum of the absolute values of a profile';

-- Whoever may load could otherwise send what has no sum with anything, and a question about all services would fail.
CREATE FUNCTION can_be_added(fg flamegraph) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	-- Sums of billions of them and fourth powers of those are numbers. The universe is 4.4e26 nanoseconds old.
	v_most CONSTANT float8 := 1e60;
	v_size float8;
BEGIN
	BEGIN
		v_size := profiling.sum_of_sizes(fg);
	EXCEPTION WHEN numeric_value_out_of_range THEN
		v_size := 'infinity';
	END;
	IF v_size > v_most THEN
		RAISE EXCEPTION 'the values of a profile of a service are too large' USING
			ERRCODE = 'numeric_value_out_of_range',
			DETAIL = format('The sum of their absolute values is %s.',
				CASE WHEN v_size = 'infinity' THEN 'more than a number can be' ELSE v_size::text END),
			HINT = format('Up to %s is taken, so that the profiles of all services can be added up.', v_most);
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION can_be_added(flamegraph)
	IS 'true, also for null; an error for a profile whose values are too large to be added up with those of others';

CREATE TABLE incoming (
	service_id bigint NOT NULL,
	stream_id bigint NOT NULL,
	recorded_at timestamptz NOT NULL CHECK (isfinite(recorded_at)),
	duration interval,
	instance text NOT NULL DEFAULT ''
		-- In a series it is a frame, and these have no line ends.
		CHECK (octet_length(instance) <= 500 AND strpos(instance, chr(10)) = 0 AND strpos(instance, chr(13)) = 0),
	flamegraph flamegraph NOT NULL,
	noise flamegraph,
	CONSTRAINT incoming_can_be_added CHECK (can_be_added(flamegraph) AND (noise IS NULL OR can_be_added(noise)))
) PARTITION BY RANGE (recorded_at);
-- The values are compressed already.
ALTER TABLE incoming ALTER flamegraph SET STORAGE EXTERNAL, ALTER noise SET STORAGE EXTERNAL;
COMMENT ON TABLE incoming IS 'profiles that are in no block yet, by hour';
COMMENT ON COLUMN incoming.service_id IS 'the service';
COMMENT ON COLUMN incoming.stream_id IS 'the stream';
COMMENT ON COLUMN incoming.recorded_at IS 'when it was recorded';
COMMENT ON COLUMN incoming.duration IS 'length of the recording';
COMMENT ON COLUMN incoming.instance IS 'which machine, pod or process, '''' when there is one';
COMMENT ON COLUMN incoming.flamegraph IS 'the profile, in stream.unit';
COMMENT ON COLUMN incoming.noise
	IS 'sum of the squared weights of the samples per stack, in unit squared, where samples weigh differently; '
		'null: stream.period * flamegraph, or unknown';

CREATE TABLE incoming_default PARTITION OF incoming (PRIMARY KEY (service_id, stream_id, recorded_at, instance))
	DEFAULT;
COMMENT ON TABLE incoming_default IS 'profiles of hours without a partition';

CREATE TABLE block (
	service_id bigint NOT NULL,
	stream_id bigint NOT NULL,
	resolution text NOT NULL CHECK (resolution IN ('raw', 'minute', 'hour', 'day')),
	since timestamptz NOT NULL,
	until timestamptz NOT NULL,
	part int NOT NULL DEFAULT 0,
	series flameseries NOT NULL,
	noise flameseries,
	counts flameseries,
	profiles bigint NOT NULL,
	stacks bigint NOT NULL,
	total float8 NOT NULL,
	CHECK (since < until AND (counts IS NULL) = (resolution = 'raw'))
) PARTITION BY RANGE (since);
ALTER TABLE block ALTER series SET STORAGE EXTERNAL, ALTER noise SET STORAGE EXTERNAL,
	ALTER counts SET STORAGE EXTERNAL;
COMMENT ON TABLE block IS 'series of profiles: of a stream and a span of time, by day';
COMMENT ON COLUMN block.service_id IS 'the service';
COMMENT ON COLUMN block.stream_id IS 'the stream';
COMMENT ON COLUMN block.resolution
	IS 'raw: profiles as they came, of hours of a day; minute: sums of minutes, of a day; hour, day: sums of hours and '
		'days, of a month';
COMMENT ON COLUMN block.since IS 'when the span begins, in UTC';
COMMENT ON COLUMN block.until IS 'when it ends, which belongs to the next one';
COMMENT ON COLUMN block.part IS 'number of the block, where several begin at the same time';
COMMENT ON COLUMN block.series IS 'the profiles or sums, in stream.unit';
COMMENT ON COLUMN block.noise
	IS 'their noise, of those that have it; a sum has it when all of its profiles have; null: of none, stream.period '
		'says it, or unknown';
COMMENT ON COLUMN block.counts
	IS 'of sums how many profiles are in each, as value of the empty stack; null for raw profiles';
COMMENT ON COLUMN block.profiles IS 'how many profiles there were';
COMMENT ON COLUMN block.stacks IS 'sum of the numbers of stacks: values that series has';
COMMENT ON COLUMN block.total IS 'total of all, in stream.unit';

CREATE TABLE block_default PARTITION OF block (PRIMARY KEY (service_id, stream_id, resolution, since, part)) DEFAULT;
CREATE INDEX block_default_series_idx ON block_default USING gin (series);
COMMENT ON TABLE block_default IS 'blocks of days without a partition';

CREATE FUNCTION ages_work(raw interval, minutes interval, hours interval, days interval) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_forever CONSTANT interval := interval '100000 years';
BEGIN
	IF least(raw, minutes, hours, days) < interval '0' OR raw < interval '1 hour' THEN
		RAISE EXCEPTION 'profiles are kept as they came for an hour at least, and no age is negative'
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- What is as old as that is of a time that there is.
	IF greatest(raw, minutes, hours, days) > interval '1000 years' THEN
		RAISE EXCEPTION 'an age of retention is at most 1000 years' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Null is for ever.';
	END IF;
	IF NOT (coalesce(raw, v_forever) <= coalesce(minutes, v_forever)
			AND coalesce(minutes, v_forever) <= coalesce(hours, v_forever)
			AND coalesce(hours, v_forever) <= coalesce(days, v_forever)) THEN
		RAISE EXCEPTION 'raw, minutes, hours and days are ages, each as old as the one before or older' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('They are %s, %s, %s and %s.', coalesce(raw::text, 'null'),
				coalesce(minutes::text, 'null'), coalesce(hours::text, 'null'), coalesce(days::text, 'null')),
			HINT = 'Null is for ever. Two ages that are the same leave out the sums between them.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION ages_work(interval, interval, interval, interval)
	IS 'true; an error for ages of retention that do not follow each other';

CREATE TABLE retention (
	service text NOT NULL DEFAULT '%',
	event text NOT NULL DEFAULT '%',
	raw interval DEFAULT '2 days',
	minutes interval DEFAULT '14 days',
	hours interval DEFAULT '90 days',
	days interval DEFAULT '1 year',
	PRIMARY KEY (service, event),
	CONSTRAINT retention_patterns_work CHECK (pattern_works(service) AND pattern_works(event)),
	CONSTRAINT retention_ages_work CHECK (ages_work(raw, minutes, hours, days))
);
COMMENT ON TABLE retention
	IS 'up to which age production profiles are kept as they came, and as sums of minutes, hours and days; the row '
		'with the most specific patterns is in force, service before event; without one the defaults are';
COMMENT ON COLUMN retention.service IS 'pattern of LIKE for the name of the service';
COMMENT ON COLUMN retention.event IS 'pattern of LIKE for the event';
COMMENT ON COLUMN retention.raw
	IS 'age up to which profiles stay as they came, and up to which late ones are taken; null: for ever';
COMMENT ON COLUMN retention.minutes IS 'age up to which there are sums of minutes; null: for ever';
COMMENT ON COLUMN retention.hours IS 'age up to which there are sums of hours; null: for ever';
COMMENT ON COLUMN retention.days IS 'age up to which there are sums of days, and then nothing; null: for ever';

CREATE FUNCTION retention_of(service text, event text, OUT raw interval, OUT minutes interval, OUT hours interval,
		OUT days interval)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT r.raw, r.minutes, r.hours, r.days INTO raw, minutes, hours, days
	FROM profiling.retention AS r
	WHERE retention_of.service LIKE r.service AND retention_of.event LIKE r.event
	ORDER BY profiling.pattern_weight(r.service) DESC, profiling.pattern_weight(r.event) DESC, r.service, r.event
	LIMIT 1;
	IF NOT FOUND THEN
		raw := '2 days';
		minutes := '14 days';
		hours := '90 days';
		days := '1 year';
	END IF;
END
$$;
COMMENT ON FUNCTION retention_of(text, text) IS 'the ages of retention that are in force for a service and an event';

CREATE VIEW service_storage AS
SELECT s.service_id, s.name AS service, t.event, t.unit, k.resolution, min(k.since) AS since, max(k.until) AS until,
	count(*) AS blocks, sum(k.profiles)::bigint AS profiles, sum(k.bytes)::bigint AS bytes,
	sum(k.bytes)::float8 / nullif(sum(k.profiles), 0::numeric)::float8 AS bytes_per_profile
FROM (SELECT b.service_id, b.stream_id, b.resolution, b.since, b.until, b.profiles,
		pg_catalog.pg_column_size(b.series)::bigint + coalesce(pg_catalog.pg_column_size(b.noise), 0)::bigint
			+ coalesce(pg_catalog.pg_column_size(b.counts), 0)::bigint AS bytes
	FROM block AS b
	UNION ALL
	SELECT i.service_id, i.stream_id, 'incoming', i.recorded_at, i.recorded_at, 1::bigint,
		pg_catalog.pg_column_size(i.flamegraph)::bigint + coalesce(pg_catalog.pg_column_size(i.noise), 0)::bigint
	FROM incoming AS i) AS k
	JOIN stream AS t ON t.service_id = k.service_id AND t.stream_id = k.stream_id
	JOIN service AS s ON s.service_id = t.service_id
GROUP BY s.service_id, s.name, t.event, t.unit, k.resolution;
COMMENT ON VIEW service_storage
	IS 'what production profiles take per service, event and resolution: values as stored, without indexes';
COMMENT ON COLUMN service_storage.service_id IS 'the service';
COMMENT ON COLUMN service_storage.service IS 'its name';
COMMENT ON COLUMN service_storage.event IS 'that of the profiles';
COMMENT ON COLUMN service_storage.unit IS 'that of the profiles';
COMMENT ON COLUMN service_storage.resolution IS 'incoming, or that of the blocks';
COMMENT ON COLUMN service_storage.since IS 'when the first span begins';
COMMENT ON COLUMN service_storage.until IS 'when the last span ends';
COMMENT ON COLUMN service_storage.blocks IS 'number of blocks; of incoming profiles';
COMMENT ON COLUMN service_storage.profiles IS 'how many profiles there were';
COMMENT ON COLUMN service_storage.bytes IS 'bytes as stored, compressed';
COMMENT ON COLUMN service_storage.bytes_per_profile IS 'bytes / profiles';
