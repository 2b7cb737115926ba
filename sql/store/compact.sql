
--
-- compaction and retention of production profiles
--
-- A block of profiles as they came is of some hours of a day. As the trees that databases merge,
-- blocks of a day become one as long as they are small: a block has its names and its tree once, so
-- many small ones would be nothing else, and a search would open all of them. What is large enough
-- is not written again.
--
-- Each step is one transaction: what leaves one place is in another one, or nothing has
-- happened. One stream is worked on by one compaction at a time; who finds another one at
-- it leaves the stream to that one. All of this is for the owner of the tables.
--
-- Partitions are made ahead of time and dropped when they are empty, each with a lock that is
-- waited for a tenth of a second: whoever loads waits no longer behind it.
--

CREATE FUNCTION production_partitions(parent text, OUT partition text, OUT since timestamptz, OUT until timestamptz)
	RETURNS SETOF record LANGUAGE plpgsql STABLE ROWS 50 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT p.name, p.since, p.since + CASE parent WHEN 'incoming' THEN interval '1 hour' ELSE interval '24 hours' END
	FROM (SELECT c.relname::text AS name, to_timestamp(rpad(substring(c.relname FROM '[0-9]+$'), 10, '0')
			|| ' +00', 'YYYYMMDDHH24 TZH') AS since
		FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
		WHERE i.inhparent = format('profiling.%I', parent)::regclass AND c.relname ~ '_[0-9]{8}([0-9]{2})?$') AS p
	ORDER BY p.since;
END
$$;
COMMENT ON FUNCTION production_partitions(text)
	IS 'the partitions of incoming, by hour, or of block, by day, and their spans; the default partition is not one';

-- The style of its bounds is that of add_partition().
CREATE FUNCTION add_production_partition(parent text, since timestamptz) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' SET datestyle = 'ISO' AS $$
#variable_conflict use_column
DECLARE
	v_is_hour CONSTANT bool := parent = 'incoming';
	v_from CONSTANT timestamptz := date_trunc(CASE WHEN v_is_hour THEN 'hour' ELSE 'day' END, since, 'UTC');
	v_to CONSTANT timestamptz := v_from + CASE WHEN v_is_hour THEN interval '1 hour' ELSE interval '24 hours' END;
	v_name CONSTANT text := parent || '_' || to_char(v_from AT TIME ZONE 'UTC',
		CASE WHEN v_is_hour THEN 'YYYYMMDDHH24' ELSE 'YYYYMMDD' END);
	v_there bool;
BEGIN
	PERFORM profiling.one_of('table'::text, parent, VARIADIC '{incoming,block}'::text[]);
	-- Writers wait here: one that has chosen the default partition by then would fail. See add_partition().
	EXECUTE format('LOCK TABLE ONLY profiling.%I IN SHARE ROW EXCLUSIVE MODE', parent);
	IF EXISTS (SELECT 1 FROM profiling.production_partitions(parent) AS p WHERE p.partition = v_name) THEN
		RETURN v_name;
	END IF;
	EXECUTE format('LOCK TABLE profiling.%I IN ACCESS EXCLUSIVE MODE', parent || '_default');
	-- What is there is compacted soon, or dropped by age. Moving it would take longer than anybody should wait.
	EXECUTE format('SELECT EXISTS (SELECT 1 FROM profiling.%I WHERE %I >= $1 AND %2$I < $2)', parent || '_default',
		CASE WHEN v_is_hour THEN 'recorded_at' ELSE 'since' END) INTO v_there USING v_from, v_to;
	IF v_there THEN
		RETURN NULL;
	END IF;
	EXECUTE format('CREATE TABLE profiling.%I (LIKE profiling.%I INCLUDING COMPRESSION INCLUDING STORAGE '
		'INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', v_name, parent);
	EXECUTE format('COMMENT ON TABLE profiling.%I IS %L', v_name, CASE WHEN v_is_hour THEN 'profiles recorded in the '
		'hour from ' || to_char(v_from AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC'
		ELSE 'blocks of spans that begin on ' || to_char(v_from AT TIME ZONE 'UTC', 'YYYY-MM-DD') END);
	EXECUTE format('ALTER TABLE profiling.%I OWNER TO %I', v_name,
		(SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = format('profiling.%I', parent)::regclass));
	EXECUTE format('ALTER TABLE profiling.%I ADD PRIMARY KEY (%s)', v_name, CASE WHEN v_is_hour
		THEN 'service_id, stream_id, recorded_at, instance' ELSE 'service_id, stream_id, resolution, since, part' END);
	IF NOT v_is_hour THEN
		EXECUTE format('CREATE INDEX %I ON profiling.%I USING gin (series)', v_name || '_series_idx', v_name);
	END IF;
	EXECUTE format('ALTER TABLE profiling.%I ATTACH PARTITION profiling.%I FOR VALUES FROM (%L) TO (%L)', parent,
		v_name, v_from, v_to);
	RETURN v_name;
END
$$;
COMMENT ON FUNCTION add_production_partition(text, timestamptz)
	IS 'makes the partition of incoming or block for the hour or day that a moment is in, and returns its name; null '
		'where the default partition has rows of it; does nothing when it is there';

CREATE FUNCTION drop_production_partition(parent text, partition text) RETURNS bool
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
#variable_conflict use_column
DECLARE
	v_is_empty bool;
BEGIN
	PERFORM profiling.one_of('table'::text, parent, VARIADIC '{incoming,block}'::text[]);
	IF NOT EXISTS (SELECT 1 FROM profiling.production_partitions(parent) AS p
			WHERE p.partition = drop_production_partition.partition) THEN
		RETURN false;
	END IF;
	-- Nobody can put a row into it any more when it is looked at.
	EXECUTE format('LOCK TABLE ONLY profiling.%I, profiling.%I IN ACCESS EXCLUSIVE MODE', parent, partition);
	EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM profiling.%I)', partition) INTO v_is_empty;
	IF v_is_empty THEN
		EXECUTE format('DROP TABLE profiling.%I', partition);
	END IF;
	RETURN v_is_empty;
END
$$;
COMMENT ON FUNCTION drop_production_partition(text, text)
	IS 'drops a partition of incoming or block that is empty; returns whether it was';

CREATE FUNCTION partitions_wanted(hours int, OUT parent text, OUT since timestamptz) RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT w.parent, w.since
	FROM (SELECT 'incoming' AS parent, profiling.hour_of(now()) + make_interval(hours => g) AS since
			FROM generate_series(0, partitions_wanted.hours) AS g
		UNION
		SELECT 'block', profiling.span_of(r.resolution, i.hour)
		FROM (SELECT DISTINCT date_trunc('day', d.recorded_at, 'UTC') AS hour FROM profiling.incoming AS d
				UNION SELECT date_trunc('day', now(), 'UTC')) AS i,
			(VALUES ('minute'), ('hour')) AS r (resolution)
		-- Whoever sends profiles of the past does not decide how many partitions there are.
		WHERE i.hour BETWEEN now() - interval '400 days' AND now()) AS w
	WHERE NOT EXISTS (SELECT 1 FROM profiling.production_partitions(w.parent) AS p WHERE p.since = w.since)
	ORDER BY 1, 2;
END
$$;
COMMENT ON FUNCTION partitions_wanted(int)
	IS 'partitions that are not there: of incoming for this hour and as many of the next, of block for the days and '
		'months that there are profiles of';

CREATE FUNCTION span_of(resolution text, moment timestamptz) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT date_trunc(CASE span_of.resolution WHEN 'raw' THEN 'hour' WHEN 'minute' THEN 'day' ELSE 'month' END,
			span_of.moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
	END;
COMMENT ON FUNCTION span_of(text, timestamptz)
	IS 'when the span of a resolution begins that a moment is in: an hour, where profiles are as they came, the day of '
		'sums of minutes, or the month of others';

CREATE FUNCTION span_end(resolution text, since timestamptz) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (span_end.since AT TIME ZONE 'UTC' + CASE span_end.resolution WHEN 'raw' THEN '1 hour'::interval
			WHEN 'minute' THEN '1 day'::interval ELSE '1 month'::interval END) AT TIME ZONE 'UTC';
	END;
COMMENT ON FUNCTION span_end(text, timestamptz) IS 'when such a span ends';

CREATE FUNCTION values_of_block() RETURNS bigint
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT 4000000::bigint;
	END;
COMMENT ON FUNCTION values_of_block()
	IS 'how many values a block has at most, unless a single profile has more, where a profile itself is five and each '
		'two bytes of its instance are one: some 8 MB';

CREATE FUNCTION values_of_small_block() RETURNS bigint
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT 65536::bigint;
	END;
COMMENT ON FUNCTION values_of_small_block()
	IS 'a block of raw profiles with as many values and profiles together, or eight times as many bytes, is not merged '
		'with others any more: some hundred kilobytes';

-- The only thing that is waited for is another transaction that brings or takes the same profiles.
CREATE FUNCTION may_compact(service_id bigint, stream_id bigint) RETURNS bool
	LANGUAGE sql VOLATILE
	BEGIN ATOMIC
		SELECT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store compact '::text
			|| may_compact.service_id::text || ' '::text || may_compact.stream_id::text, 0::bigint));
	END;
COMMENT ON FUNCTION may_compact(bigint, bigint)
	IS 'takes the lock of a stream until the end of the transaction; false when another compaction has it';

-- Statements that touch few partitions are planned when they are called, with what they are asked for: the others are
-- not even opened then. So they are dynamic, and name by its schema what belongs to the extension of the types.
CREATE FUNCTION types_schema() RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT quote_ident(n.nspname) FROM pg_extension AS x JOIN pg_namespace AS n ON n.oid = x.extnamespace
		WHERE x.extname = 'flamegraph');
END
$$;
COMMENT ON FUNCTION types_schema()
	IS 'the schema of the extension flamegraph, quoted, for statements that are put together';

CREATE FUNCTION move_to_blocks(service_id bigint, stream_id bigint, since timestamptz, until timestamptz,
		max_values bigint) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_moved bigint;
BEGIN
	EXECUTE replace($query$
		WITH moved AS (
			DELETE FROM profiling.incoming AS i
			WHERE i.service_id = $1 AND i.stream_id = $2 AND i.recorded_at >= $3 AND i.recorded_at < $4
			RETURNING i.recorded_at, i.instance, i.flamegraph, i.noise
		), there AS MATERIALIZED (
			SELECT b.since, max(b.part) AS part FROM profiling.block AS b
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = 'raw' AND b.since >= $3 AND b.since < $4
			GROUP BY b.since
		), known AS MATERIALIZED (
			SELECT m.at, m.instance
			FROM profiling.block AS b CROSS JOIN LATERAL profiling.moments_in(b.series, $3, $4) AS m
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = 'raw' AND b.since >= $6 AND b.since < $4
				AND b.until > $3
		), fresh AS MATERIALIZED (
			-- What COPY has brought a second time is in a block already.
			SELECT m.recorded_at, m.instance, m.flamegraph, m.noise, types.nstacks(m.flamegraph)::bigint AS stacks
			FROM moved AS m
			WHERE NOT EXISTS (SELECT 1 FROM known AS k WHERE k.at = m.recorded_at AND k.instance = m.instance)
		), numbered AS MATERIALIZED (
			SELECT f.*, profiling.span_of('minute', f.recorded_at) AS day,
				-- Instances may all differ, and then they are most of the block.
				floor(sum(f.stacks + 5 + octet_length(f.instance) / 2) OVER (ORDER BY f.recorded_at, f.instance)
					/ $5::numeric) AS piece
			FROM fresh AS f
		), made AS (
			SELECT n.piece, profiling.hour_of(min(n.recorded_at)) AS since,
				profiling.span_end('raw', profiling.hour_of(max(n.recorded_at))) AS until,
				types.flameseries_agg(n.recorded_at, n.flamegraph, n.instance) AS series,
				types.flameseries_agg(n.recorded_at, n.noise, n.instance) AS noise, count(*) AS profiles,
				sum(n.stacks)::bigint AS stacks, sum(types.total(n.flamegraph)) AS total
			FROM numbered AS n GROUP BY n.day, n.piece
		), written AS (
			INSERT INTO profiling.block AS b (service_id, stream_id, resolution, since, until, part, series, noise,
				profiles, stacks, total)
			SELECT $1, $2, 'raw', m.since, m.until, coalesce(t.part, -1)
				+ (row_number() OVER (PARTITION BY m.since ORDER BY m.piece))::int,
				m.series, m.noise, m.profiles, m.stacks, m.total
			FROM made AS m LEFT JOIN there AS t ON t.since = m.since
			RETURNING 1
		)
		SELECT count(*) FROM fresh WHERE (SELECT count(*) FROM written) >= 0
		$query$, 'types.', profiling.types_schema() || '.')
	INTO v_moved USING move_to_blocks.service_id, move_to_blocks.stream_id, move_to_blocks.since, move_to_blocks.until,
		move_to_blocks.max_values, profiling.span_of('minute'::text, move_to_blocks.since);
	RETURN v_moved;
END
$$;
COMMENT ON FUNCTION move_to_blocks(bigint, bigint, timestamptz, timestamptz, bigint)
	IS 'moves the profiles of a stream and of hours from incoming into a new block of each day, or several ones where '
		'one would have more values than this; returns how many these were; what is in a block already is dropped';

CREATE FUNCTION merge_small_blocks(service_id bigint, stream_id bigint, day timestamptz, max_values bigint,
		small bigint, every bool) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_since CONSTANT timestamptz := profiling.span_of('minute'::text, merge_small_blocks.day);
	v_until CONSTANT timestamptz := profiling.span_end('minute'::text, v_since);
	v_times timestamptz[];
	v_parts int[];
	v_pieces numeric[];
	v_profiles bigint;
BEGIN
	-- In two steps: on Citus a result of one cannot be read by the other within a block that catches errors.
	WITH there AS (
		SELECT b.since, b.part, b.stacks, b.stacks + b.profiles AS weight,
			sum(b.stacks + b.profiles) OVER (ORDER BY b.stacks + b.profiles, b.since, b.part) AS so_far
		FROM profiling.block AS b
		WHERE b.service_id = merge_small_blocks.service_id AND b.stream_id = merge_small_blocks.stream_id
			AND b.resolution = 'raw' AND b.since >= v_since AND b.since < v_until
			AND b.stacks + b.profiles < merge_small_blocks.small
			AND pg_column_size(b.series) < profiling.values_of_small_block() * 8
	), chosen AS (
		-- The smallest ones, up to the last that is no larger than all before it. So whatever is written again
		-- becomes part of something twice as large, and of what is left each is larger than all smaller ones.
		SELECT t.since, t.part,
			floor(sum(t.stacks) OVER (ORDER BY t.since, t.part) / merge_small_blocks.max_values::numeric) AS piece
		FROM there AS t
		WHERE merge_small_blocks.every
			OR t.so_far <= (SELECT max(o.so_far) FROM there AS o WHERE o.weight <= o.so_far - o.weight)
	)
	SELECT array_agg(c.since), array_agg(c.part), array_agg(c.piece) INTO v_times, v_parts, v_pieces FROM chosen AS c;
	IF cardinality(v_times) IS NULL OR cardinality(v_times) < 2 THEN
		RETURN 0;
	END IF;
	EXECUTE replace($query$
		WITH taken AS (
			DELETE FROM profiling.block AS b
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = 'raw'
				AND b.since >= $3 AND b.since < $4 AND (b.since, b.part) IN (SELECT * FROM unnest($5, $6))
			RETURNING b.since, b.part, b.until, b.series, b.noise, b.profiles, b.stacks, b.total
		), written AS (
			INSERT INTO profiling.block AS b (service_id, stream_id, resolution, since, until, part, series, noise,
				profiles, stacks, total)
			-- The place of the first one is free again.
			SELECT $1, $2, 'raw', min(t.since), max(t.until), (array_agg(t.part ORDER BY t.since, t.part))[1],
				types.flameseries_agg(t.series), types.flameseries_agg(t.noise), sum(t.profiles)::bigint,
				sum(t.stacks)::bigint, sum(t.total)
			FROM taken AS t JOIN unnest($5, $6, $7) AS c (since, part, piece) ON c.since = t.since AND c.part = t.part
			GROUP BY c.piece
			RETURNING b.profiles
		)
		SELECT coalesce(sum(w.profiles), 0::numeric)::bigint FROM written AS w
		$query$, 'types.', profiling.types_schema() || '.')
	INTO v_profiles USING merge_small_blocks.service_id, merge_small_blocks.stream_id, v_since, v_until, v_times,
		v_parts, v_pieces;
	RETURN v_profiles;
EXCEPTION WHEN numeric_value_out_of_range OR program_limit_exceeded THEN
	-- The sum is more than a number can be, or their instances are more than a series holds: they stay apart.
	RETURN 0;
END
$$;
COMMENT ON FUNCTION merge_small_blocks(bigint, bigint, timestamptz, bigint, bigint, bool)
	IS 'makes one of the blocks of a stream and a day that have fewer values and profiles than small, and are not '
		'large because of their instances, of every one or of the smallest that together are as large as the next one; '
		'several where it would have more values than max_values; returns of how many profiles';

CREATE FUNCTION step_of(resolution text) RETURNS interval
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE step_of.resolution WHEN 'minute' THEN '1 minute'::interval WHEN 'hour' THEN '1 hour'::interval
			WHEN 'day' THEN '1 day'::interval END;
	END;
COMMENT ON FUNCTION step_of(text) IS 'of how long the sums of a resolution are; null for raw profiles';

CREATE FUNCTION step_begin(step interval, moment timestamptz) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		-- A Monday. A timestamp without time zone, so that nobody's days are 23 hours long.
		SELECT date_bin(step_begin.step, step_begin.moment AT TIME ZONE 'UTC', '2001-01-01'::timestamp)
			AT TIME ZONE 'UTC';
	END;
COMMENT ON FUNCTION step_begin(interval, timestamptz)
	IS 'when the step begins that a moment is in: in UTC, on full minutes, hours and days, and Mondays';

CREATE FUNCTION counts_in(series flameseries, counts flameseries, OUT at timestamptz, OUT profiles float8)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000
	BEGIN ATOMIC
		SELECT t.at, CASE WHEN counts_in.counts IS NULL THEN 1::float8 ELSE t.value END
		FROM trend(coalesce(counts_in.counts, counts_in.series), ''::stackpath) AS t;
	END;
COMMENT ON FUNCTION counts_in(flameseries, flameseries)
	IS 'how many profiles there are at each time of a block, from its columns series and counts';

CREATE FUNCTION thin_blocks(service_id bigint, stream_id bigint, resolution text, since timestamptz,
		until timestamptz, target text, max_values bigint) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_profiles bigint;
BEGIN
	EXECUTE replace($query$
		WITH gone AS (
			DELETE FROM profiling.block AS b
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = $3 AND b.since >= $4 AND b.since < $5
			RETURNING b.series, b.noise, b.counts, b.profiles
		), taken AS (
			-- Sums of other days of the month, or of profiles that came before others of this day did.
			DELETE FROM profiling.block AS b
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = $6 AND b.since = $8
				AND EXISTS (SELECT 1 FROM gone)
			RETURNING b.series, b.noise, b.counts, b.profiles
		), pieces AS MATERIALIZED (
			SELECT g.* FROM gone AS g UNION ALL SELECT t.* FROM taken AS t
		), sums AS (
			SELECT s.at, types.sum(s.profile) AS profile
			FROM pieces AS p, LATERAL types.step_sums(p.series, profiling.step_of($6), $9, $9, $10) AS s
			GROUP BY s.at
		), counts AS (
			SELECT c.at, types.flamegraph_agg(''::types.stackpath, c.n) AS profile
			FROM (SELECT profiling.step_begin(profiling.step_of($6), n.at) AS at, sum(n.profiles) AS n
				FROM pieces AS p, LATERAL profiling.counts_in(p.series, p.counts) AS n GROUP BY 1) AS c GROUP BY c.at
		), bare AS MATERIALIZED (
			-- Steps with something that has no noise. A sum has noise when all that is in it has.
			SELECT profiling.step_begin(profiling.step_of($6), m.at) AS at
			FROM pieces AS p, LATERAL profiling.moments_in(p.series, $9, $9) AS m
			EXCEPT ALL SELECT profiling.step_begin(profiling.step_of($6), m.at)
			FROM pieces AS p, LATERAL profiling.moments_in(p.noise, $9, $9) AS m
		), noises AS (
			SELECT s.at, types.sum(s.profile) AS profile
			FROM pieces AS p, LATERAL types.step_sums(p.noise, profiling.step_of($6), $9, $9, $10) AS s
			WHERE s.at NOT IN (SELECT b.at FROM bare AS b) GROUP BY s.at
		), numbered AS (
			SELECT s.at, s.profile, c.profile AS count, n.profile AS noise, types.nstacks(s.profile)::bigint AS stacks,
				floor(sum(types.nstacks(s.profile)) OVER (ORDER BY s.at)::numeric / $7::numeric)::int AS part
			FROM sums AS s JOIN counts AS c ON c.at = s.at LEFT JOIN noises AS n ON n.at = s.at
		), written AS (
			INSERT INTO profiling.block AS b (service_id, stream_id, resolution, since, until, part, series, noise,
				counts, profiles, stacks, total)
			SELECT $1, $2, $6, $8, profiling.span_end($6, $8), n.part, types.flameseries_agg(n.at, n.profile),
				types.flameseries_agg(n.at, n.noise), types.flameseries_agg(n.at, n.count),
				sum(types.total(n.count))::bigint, sum(n.stacks)::bigint, sum(types.total(n.profile))
			FROM numbered AS n GROUP BY n.part
			RETURNING 1
		)
		SELECT coalesce(sum(g.profiles), 0::numeric)::bigint FROM gone AS g
		WHERE (SELECT count(*) FROM written) >= 0::bigint
		$query$, 'types.', profiling.types_schema() || '.')
	INTO v_profiles USING thin_blocks.service_id, thin_blocks.stream_id, thin_blocks.resolution, thin_blocks.since,
		thin_blocks.until, thin_blocks.target, thin_blocks.max_values,
		profiling.span_of(thin_blocks.target, thin_blocks.since), NULL::timestamptz, NULL::text[];
	RETURN v_profiles;
END
$$;
COMMENT ON FUNCTION thin_blocks(bigint, bigint, text, timestamptz, timestamptz, text, bigint)
	IS 'puts sums of the steps of a coarser resolution in the place of the blocks of a stream that begin in this time; '
		'returns of how many profiles';

CREATE FUNCTION compact_stream(service_id bigint, stream_id bigint, hour timestamptz, hours int DEFAULT 1)
	RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_since CONSTANT timestamptz := profiling.hour_of(compact_stream.hour);
	v_until CONSTANT timestamptz := v_since + make_interval(hours => compact_stream.hours);
	v_values bigint := profiling.values_of_block();
	v_moved bigint;
BEGIN
	IF NOT profiling.may_compact(compact_stream.service_id, compact_stream.stream_id) THEN
		RETURN NULL;
	END IF;
	WHILE v_moved IS NULL LOOP
		BEGIN
			v_moved := profiling.move_to_blocks(compact_stream.service_id, compact_stream.stream_id, v_since, v_until,
				v_values);
		EXCEPTION WHEN numeric_value_out_of_range OR program_limit_exceeded THEN
			-- A series keeps the sum of its profiles, which here is more than a number can be. Each of them is none, so
			-- that smaller blocks hold them, at the latest one for each profile. Of several hours each is tried alone.
			IF v_values = 1 OR compact_stream.hours > 1 THEN
				RAISE;
			END IF;
			v_values := greatest(v_values / 16, 1);
		END;
	END LOOP;
	IF v_moved > 0 THEN
		-- So that store_incoming() can see it from an old snapshot.
		UPDATE profiling.stream AS t SET created_at = t.created_at
		WHERE t.service_id = compact_stream.service_id AND t.stream_id = compact_stream.stream_id;
		PERFORM profiling.merge_small_blocks(compact_stream.service_id, compact_stream.stream_id, v_since,
			profiling.values_of_block(), profiling.values_of_small_block(), false);
	END IF;
	RETURN v_moved;
END
$$;
COMMENT ON FUNCTION compact_stream(bigint, bigint, timestamptz, int)
	IS 'puts what a stream has in incoming of the hour that a moment is in, and of the hours after it, into a block, '
		'and this together with small ones of the same day; several where the sum of a block is more than a number can '
		'be; returns how many profiles that were, null when another compaction has the stream in hand';

CREATE FUNCTION merge_stream(service_id bigint, stream_id bigint, day timestamptz) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT profiling.may_compact(merge_stream.service_id, merge_stream.stream_id) THEN
		RETURN NULL;
	END IF;
	RETURN profiling.merge_small_blocks(merge_stream.service_id, merge_stream.stream_id, merge_stream.day,
		profiling.values_of_block(), profiling.values_of_small_block(), true);
END
$$;
COMMENT ON FUNCTION merge_stream(bigint, bigint, timestamptz)
	IS 'makes one block of the small ones that a stream has of the day that a moment is in; returns of how many '
		'profiles, null when another compaction has the stream in hand';

CREATE FUNCTION thin_stream(service_id bigint, stream_id bigint, resolution text, since timestamptz) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_target CONSTANT text := CASE thin_stream.resolution WHEN 'raw' THEN 'minute' WHEN 'minute' THEN 'hour'
		WHEN 'hour' THEN 'day' END;
	-- raw profiles by days, sums of minutes by their days, those of hours by their months
	v_span CONSTANT text := CASE thin_stream.resolution WHEN 'raw' THEN 'minute' ELSE thin_stream.resolution END;
	v_since CONSTANT timestamptz := profiling.span_of(v_span, thin_stream.since);
	v_until CONSTANT timestamptz := profiling.span_end(v_span, v_since);
	v_profiles bigint;
BEGIN
	IF NOT profiling.may_compact(thin_stream.service_id, thin_stream.stream_id) THEN
		RETURN NULL;
	END IF;
	IF v_target IS NOT NULL THEN
		RETURN profiling.thin_blocks(thin_stream.service_id, thin_stream.stream_id, thin_stream.resolution, v_since,
			v_until, v_target, profiling.values_of_block());
	END IF;
	WITH gone AS (
		DELETE FROM profiling.block AS b
		WHERE b.service_id = thin_stream.service_id AND b.stream_id = thin_stream.stream_id
			AND b.resolution = thin_stream.resolution AND b.since >= v_since AND b.since < v_until
		RETURNING b.profiles
	)
	SELECT coalesce(sum(g.profiles), 0) INTO v_profiles FROM gone AS g;
	RETURN v_profiles;
END
$$;
COMMENT ON FUNCTION thin_stream(bigint, bigint, text, timestamptz)
	IS 'puts sums of the next resolution in the place of the blocks of a stream, of the day or month that a moment is '
		'in, or nothing in the place of sums of days; returns of how many profiles, null when another compaction has '
		'the stream in hand';

CREATE FUNCTION hours_to_compact(before timestamptz, OUT service_id bigint, OUT stream_id bigint, OUT hour timestamptz,
		OUT profiles bigint)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT i.service_id, i.stream_id, hour_of(i.recorded_at), count(*)
		FROM incoming AS i WHERE i.recorded_at < hour_of(hours_to_compact.before)
		GROUP BY 1, 2, 3
		ORDER BY 3, 1, 2;
	END;
COMMENT ON FUNCTION hours_to_compact(timestamptz)
	IS 'the streams and hours with profiles in incoming, of hours that ended before this, and how many these are';

-- A statement for each hour would cost small services more than their profiles do. A day at most, because what one
-- stream adds to the index of one day is added for all of its hours at once. Who sends a profile again while it is
-- moved waits until all of these are.
CREATE FUNCTION spans_to_compact(before timestamptz, OUT service_id bigint, OUT stream_id bigint, OUT since timestamptz,
		OUT hours int)
	RETURNS SETOF record LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_max_profiles CONSTANT bigint := 1000;
	v_profiles bigint;
	v_day timestamptz;
	h record;
BEGIN
	FOR h IN
		SELECT k.*, date_trunc('day', k.hour, 'UTC') AS day FROM profiling.hours_to_compact(before) AS k
		ORDER BY 5, 1, 2, 3
	LOOP
		IF (service_id, stream_id, v_day) = (h.service_id, h.stream_id, h.day)
			AND v_profiles + h.profiles <= v_max_profiles THEN
			hours := extract(epoch FROM h.hour - since)::int / 3600 + 1;
			v_profiles := v_profiles + h.profiles;
			CONTINUE;
		END IF;
		IF since IS NOT NULL THEN
			RETURN NEXT;
		END IF;
		service_id := h.service_id;
		stream_id := h.stream_id;
		since := h.hour;
		hours := 1;
		v_day := h.day;
		v_profiles := h.profiles;
	END LOOP;
	IF since IS NOT NULL THEN
		RETURN NEXT;
	END IF;
END
$$;
COMMENT ON FUNCTION spans_to_compact(timestamptz)
	IS 'hours_to_compact() in pieces: hours of a stream that follow each other in a day, as many as have a thousand '
		'profiles together, or one';

CREATE FUNCTION days_to_merge(before timestamptz, OUT service_id bigint, OUT stream_id bigint, OUT day timestamptz)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT b.service_id, b.stream_id, span_of('minute'::text, b.since)
		FROM block AS b
		WHERE b.resolution = 'raw' AND b.stacks + b.profiles < values_of_small_block()
			AND pg_catalog.pg_column_size(b.series) < values_of_small_block() * 8
			AND b.since < span_of('minute'::text, days_to_merge.before)
		GROUP BY 1, 2, 3
		-- The sum of a block is a number: what has none would be tried again and again.
		HAVING count(*) > 1 AND sum(abs(b.total) / 1000000::float8) < 1e302::float8
		ORDER BY 3, 1, 2;
	END;
COMMENT ON FUNCTION days_to_merge(timestamptz)
	IS 'the streams and days, over before this, that have several small blocks of raw profiles';

CREATE FUNCTION spans_to_thin(resolution text, OUT service_id bigint, OUT stream_id bigint, OUT since timestamptz)
	RETURNS SETOF record LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_span CONSTANT text := CASE spans_to_thin.resolution WHEN 'raw' THEN 'minute' ELSE spans_to_thin.resolution END;
	v_names text[];
	v_events text[];
	v_ages interval[];
BEGIN
	-- In steps: on Citus nothing that reads a table is called for rows that are on other servers.
	SELECT array_agg(k.name), array_agg(k.event) INTO v_names, v_events
	FROM (SELECT DISTINCT s.name, t.event
		FROM profiling.service AS s JOIN profiling.stream AS t ON t.service_id = s.service_id) AS k;
	SELECT array_agg(CASE spans_to_thin.resolution WHEN 'raw' THEN r.raw WHEN 'minute' THEN r.minutes
		WHEN 'hour' THEN r.hours ELSE r.days END ORDER BY k.n) INTO v_ages
	FROM unnest(v_names, v_events) WITH ORDINALITY AS k (name, event, n)
		CROSS JOIN LATERAL profiling.retention_of(k.name, k.event) AS r;
	RETURN QUERY
	SELECT p.service_id, p.stream_id, p.since
	FROM (SELECT DISTINCT b.service_id, b.stream_id, profiling.span_of(v_span, b.since) AS since
			FROM profiling.block AS b WHERE b.resolution = spans_to_thin.resolution) AS p
		JOIN profiling.stream AS t ON t.service_id = p.service_id AND t.stream_id = p.stream_id
		JOIN profiling.service AS s ON s.service_id = p.service_id
		JOIN unnest(v_names, v_events, v_ages) AS a (name, event, age) ON a.name = s.name AND a.event = t.event
	-- The whole of it is old enough.
	WHERE profiling.span_end(v_span, p.since) <= (now() AT TIME ZONE 'UTC' - a.age) AT TIME ZONE 'UTC'
	ORDER BY p.since, p.service_id, p.stream_id;
END
$$;
COMMENT ON FUNCTION spans_to_thin(text)
	IS 'the streams with blocks of a resolution, and days or months of them that are older than retention lets them '
		'stay as they are';

CREATE FUNCTION compact_step(step text, name text, service_id bigint, stream_id bigint, since timestamptz,
		hours int DEFAULT 1) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
BEGIN
	CASE step
		WHEN 'partition' THEN
			PERFORM profiling.add_production_partition(name, since);
		WHEN 'drop' THEN
			PERFORM profiling.drop_production_partition(CASE WHEN name LIKE 'incoming%' THEN 'incoming'
				ELSE 'block' END, name);
		WHEN 'compact' THEN
			RETURN profiling.compact_stream(service_id, stream_id, since, hours);
		WHEN 'merge' THEN
			RETURN profiling.merge_stream(service_id, stream_id, since);
		ELSE
			RETURN profiling.thin_stream(service_id, stream_id, name, since);
	END CASE;
	RETURN 0;
EXCEPTION
	-- Somebody reads or loads. The next call tries again; until then the default partition serves.
	WHEN lock_not_available THEN
		IF step IN ('partition', 'drop') THEN
			RETURN NULL;
		END IF;
		RAISE;
	WHEN OTHERS THEN
		-- The others are not to wait for the hour that fails.
		IF hours > 1 THEN
			RETURN (SELECT sum(profiling.compact_step(step, name, service_id, stream_id,
				since + make_interval(hours => h), 1)) FROM generate_series(0, hours - 1) AS h);
		END IF;
		PERFORM profiling.log_job('compact'::text, 'failed'::text, v_started, concat_ws(' ', step, nullif(name, step),
			CASE WHEN service_id IS NOT NULL THEN format('of service %s, stream %s', service_id, stream_id) END,
			to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')) || ': ' || SQLERRM, NULL::bigint);
		RETURN NULL;
END
$$;
COMMENT ON FUNCTION compact_step(text, text, bigint, bigint, timestamptz, int)
	IS 'one step of compact(); a failure is recorded in job_log, and null returned';

CREATE FUNCTION steps_of_compaction(phase text, before timestamptz, OUT names text[], OUT services bigint[],
		OUT streams bigint[], OUT times timestamptz[], OUT hours int[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_days timestamptz[];
BEGIN
	CASE phase
		WHEN 'partition' THEN
			SELECT array_agg(w.parent), array_agg(w.since) INTO names, times
			FROM profiling.partitions_wanted(24) AS w;
		WHEN 'compact' THEN
			SELECT array_agg(h.service_id), array_agg(h.stream_id), array_agg(h.since), array_agg(h.hours)
			INTO services, streams, times, hours
			FROM profiling.spans_to_compact(before) AS h;
		WHEN 'merge' THEN
			SELECT array_agg(d.service_id), array_agg(d.stream_id), array_agg(d.day) INTO services, streams, times
			FROM profiling.days_to_merge(before) AS d;
		WHEN 'drop' THEN
			v_days := ARRAY(SELECT DISTINCT date_trunc('day', b.since, 'UTC') FROM profiling.block AS b);
			SELECT array_agg(p.partition), array_agg(p.since) INTO names, times
			-- Whoever has a snapshot from before a partition was emptied does not see yet where its rows have gone. A
			-- deletion leaves them to him, a table that is dropped does not: so it stays for the next hour.
			FROM (SELECT i.partition, i.since FROM profiling.production_partitions('incoming'::text) AS i
					WHERE i.until <= profiling.hour_of(before) - interval '1 hour'
				UNION ALL
				-- the one of today is wanted, and those of this month soon may be
				SELECT b.partition, b.since FROM profiling.production_partitions('block'::text) AS b
				WHERE b.until <= date_trunc('day', now(), 'UTC') - interval '1 day'
					AND b.since <> profiling.span_of('hour'::text, now())
					AND date_trunc('day', b.since, 'UTC') <> ALL (v_days)
					-- Sums of hours and days of a month begin with it, and come when its days are old.
					AND NOT EXISTS (SELECT 1 FROM unnest(v_days) AS d (day)
						WHERE profiling.span_of('hour'::text, d.day) = b.since)) AS p;
		ELSE
			SELECT array_agg(t.service_id), array_agg(t.stream_id), array_agg(t.since) INTO services, streams, times
			FROM profiling.spans_to_thin(phase) AS t;
	END CASE;
	times := coalesce(times, '{}');
END
$$;
COMMENT ON FUNCTION steps_of_compaction(text, timestamptz)
	IS 'what compact() has to do in a phase: drop, partition, compact, merge or a resolution';

CREATE PROCEDURE compact(lag interval DEFAULT '5 minutes')
	LANGUAGE plpgsql AS $$
DECLARE
	v_phase pg_catalog.text;
	v_before timestamptz;
	v_steps record;
	v_started timestamptz;
	v_done bigint;
	v_profiles bigint;
	v_count bigint;
BEGIN
	IF lag IS NULL OR lag OPERATOR(pg_catalog.<) '0'::pg_catalog.interval THEN
		RAISE EXCEPTION 'lag cannot be null or negative' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	PERFORM profiling.need_owner('compact'::pg_catalog.text);
	v_before := pg_catalog.now() OPERATOR(pg_catalog.-) lag;
	CALL profiling.commit_or_say('compact() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	-- What this call empties is dropped by a later one: see steps_of_compaction().
	FOREACH v_phase IN ARRAY '{drop,partition,compact,merge,raw,minute,hour,day}'::pg_catalog.text[] LOOP
		v_started := pg_catalog.clock_timestamp();
		v_profiles := 0;
		v_count := 0;
		v_steps := profiling.steps_of_compaction(v_phase, v_before);
		FOR i IN 1 .. pg_catalog.cardinality(v_steps.times) LOOP
			v_done := profiling.compact_step(v_phase, COALESCE(v_steps.names[i], v_phase), v_steps.services[i],
				v_steps.streams[i], v_steps.times[i], COALESCE(v_steps.hours[i], 1));
			IF v_done OPERATOR(pg_catalog.>) 0 THEN
				v_profiles := v_profiles OPERATOR(pg_catalog.+) v_done;
				v_count := v_count OPERATOR(pg_catalog.+) 1;
			END IF;
			COMMIT;
		END LOOP;
		IF v_profiles OPERATOR(pg_catalog.>) 0 THEN
			PERFORM profiling.log_job('compact'::pg_catalog.text, 'ok'::pg_catalog.text, v_started,
				profiling.compacted_in_words(v_phase, v_profiles, v_count), NULL::pg_catalog.int8);
			COMMIT;
		END IF;
	END LOOP;
END
$$;
COMMENT ON PROCEDURE compact(interval)
	IS 'makes blocks of the profiles in incoming whose hour ended this long ago, sums of what is older than retention '
		'lets it stay as it is, and partitions for the hours to come; called alone, by the owner, every few minutes';

CREATE FUNCTION compacted_in_words(phase text, profiles bigint, steps bigint) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT profiles::text || ' profiles '::text || CASE phase WHEN 'compact' THEN 'into blocks'
			WHEN 'merge' THEN 'into larger blocks'
			WHEN 'raw' THEN 'into sums of minutes' WHEN 'minute' THEN 'into sums of hours'
			WHEN 'hour' THEN 'into sums of days' ELSE 'gone by age' END || ', '::text || steps::text
			|| ' times a stream and a span'::text;
	END;
COMMENT ON FUNCTION compacted_in_words(text, bigint, bigint) IS 'what a phase of compact() has done, for job_log';
