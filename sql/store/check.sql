
--
-- is everything right, and how large is it
--

CREATE VIEW storage AS
SELECT d.benchmark_id, b.suite, b.name, d.month, count(*) AS profiles, sum(p.nodes)::bigint AS nodes,
	sum(d.bytes)::bigint AS bytes,
	sum(d.bytes)::float8 / nullif(sum(p.nodes), 0::bigint)::float8 AS bytes_per_node
FROM (SELECT o.benchmark_id, o.profile_id, month_of(o.recorded_at) AS month,
		pg_catalog.pg_column_size(o.flamegraph) + coalesce(pg_catalog.pg_column_size(o.truncated), 0)
			+ coalesce(pg_catalog.pg_column_size(o.samples), 0) + coalesce(pg_catalog.pg_column_size(o.noise),
				0) AS bytes
	FROM profile_data AS o) AS d
	JOIN profile AS p ON p.benchmark_id = d.benchmark_id AND p.profile_id = d.profile_id
	JOIN benchmark AS b ON b.benchmark_id = d.benchmark_id
GROUP BY d.benchmark_id, b.suite, b.name, d.month;
COMMENT ON VIEW storage IS 'what profiles take per benchmark and month: values as stored, without indexes and rollups';
COMMENT ON COLUMN storage.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN storage.suite IS 'its suite';
COMMENT ON COLUMN storage.name IS 'its name';
COMMENT ON COLUMN storage.month IS 'first day of the month, in UTC';
COMMENT ON COLUMN storage.profiles IS 'number of profiles';
COMMENT ON COLUMN storage.nodes IS 'nodes of their calling context trees';
COMMENT ON COLUMN storage.bytes IS 'bytes as stored, compressed';
COMMENT ON COLUMN storage.bytes_per_node IS 'bytes / nodes';

CREATE FUNCTION rollup_profiles() RETURNS TABLE (benchmark_id bigint, test_run_id bigint, event text, unit text,
		flamegraph flamegraph, period float8, samples flamegraph, noise flamegraph, pending bigint[], repetitions int,
		profile_ids bigint[])
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.benchmark_id, r.test_run_id, r.event, r.unit, r.flamegraph, r.period, r.samples, r.noise, r.pending,
			r.repetitions, s.ids
		FROM rollup AS r, LATERAL (
			SELECT pg_catalog.array_agg(p.profile_id ORDER BY p.profile_id) AS ids
			FROM profile AS p JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id
				AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
			WHERE p.benchmark_id = r.benchmark_id AND p.event = r.event AND p.unit = r.unit
				AND p.test_run_id = ANY (r.run_ids)) AS s;
	END;
COMMENT ON FUNCTION rollup_profiles() IS 'every rollup with the profiles of it that are there';

CREATE FUNCTION wrong_samples(deep bool, OUT problem text, OUT table_name text, OUT benchmark_id bigint, OUT id bigint,
		OUT detail text)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT 'wrong copy', 'profile', d.benchmark_id, d.profile_id, 'samples and noise'
		FROM profile_data AS d, LATERAL (SELECT f.positive AND f.complete AS are_right
			FROM weights_facts(d.flamegraph, d.samples, d.noise) AS f) AS w
		WHERE (d.samples IS NOT NULL OR d.noise IS NOT NULL) AND w.are_right IS NOT TRUE
		UNION ALL
		SELECT 'wrong copy', 'rollup', r.benchmark_id, r.test_run_id, 'samples, noise and period'
		FROM rollup AS r
		WHERE (r.samples IS NULL) <> (r.noise IS NULL) OR r.samples IS NOT NULL AND r.period IS NOT NULL
		UNION ALL
		-- One that says nothing is not wrong: it may have been summed up before anybody asked.
		SELECT 'wrong sum', 'rollup', r.benchmark_id, r.test_run_id,
			pg_catalog.format('%s, %s: samples off by %s, noise by %s', r.event, r.unit, o.samples_off, o.noise_off)
		FROM rollup_profiles() AS r, LATERAL (
			SELECT recorded_of(r.benchmark_id, r.profile_ids) AS recorded OFFSET 0) AS k, LATERAL (
			SELECT samples_of((k.recorded).flamegraph, (k.recorded).period, (k.recorded).samples) AS samples,
				noise_of((k.recorded).flamegraph, (k.recorded).period, (k.recorded).noise) AS noise OFFSET 0) AS e,
					LATERAL (
			SELECT distance(e.samples, summed_samples(r.flamegraph, r.period, r.samples, r.benchmark_id, r.pending),
					1::float8) AS samples_off,
				distance(e.noise, summed_noise(r.flamegraph, r.period, r.noise, r.benchmark_id, r.pending),
					1::float8) AS noise_off OFFSET 0) AS o
		WHERE wrong_samples.deep AND pg_catalog.cardinality(r.profile_ids) = r.repetitions
			AND (o.samples_off > 1e-9::float8 * (@-@ e.samples) OR o.noise_off > 1e-9::float8 * (@-@ e.noise));
	END;
COMMENT ON FUNCTION wrong_samples(bool) IS 'what check() says of numbers of samples and of their squared weights';

CREATE FUNCTION wrong_blocks(deep bool, OUT problem text, OUT table_name text, OUT benchmark_id bigint, OUT id bigint,
		OUT detail text)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT 'no service', 'stream', NULL::bigint, t.stream_id, 'service_id '::text || t.service_id::text
		FROM stream AS t WHERE NOT EXISTS (SELECT 1 FROM service AS s WHERE s.service_id = t.service_id)
		UNION ALL
		SELECT 'no stream', o.table_name, NULL::bigint, o.stream_id, 'service_id '::text || o.service_id::text
		FROM (SELECT DISTINCT 'block' AS table_name, b.service_id, b.stream_id FROM block AS b
			UNION ALL SELECT DISTINCT 'incoming', i.service_id, i.stream_id FROM incoming AS i) AS o
		WHERE NOT EXISTS (SELECT 1 FROM stream AS t WHERE t.service_id = o.service_id AND t.stream_id = o.stream_id)
		UNION ALL
		SELECT 'wrong copy', 'block', NULL::bigint, b.stream_id,
			pg_catalog.format('%s from %s: profiles', b.resolution, b.since)
		FROM block AS b
		WHERE CASE WHEN b.counts IS NULL THEN profile_count(b.series)::float8
			ELSE total(sum(b.counts, NULL::timestamptz, NULL::timestamptz, NULL::text[])) END <> b.profiles::float8
		UNION ALL
		SELECT 'wrong copy', 'block', NULL::bigint, b.stream_id,
			pg_catalog.format('%s from %s: total', b.resolution, b.since)
		FROM block AS b, LATERAL (SELECT sum(b.series, NULL::timestamptz, NULL::timestamptz, NULL::text[]) AS profile
			OFFSET 0) AS s
		WHERE wrong_blocks.deep AND abs(total(s.profile) - b.total) > 1e-9::float8 * (@-@ s.profile)
		UNION ALL
		SELECT 'several rows', 'block', NULL::bigint, k.stream_id, pg_catalog.format('%s at %s', k.instance, k.at)
		FROM (SELECT b.stream_id, m.instance, m.at
			FROM block AS b, LATERAL moments_in(b.series, NULL::timestamptz, NULL::timestamptz) AS m
			WHERE wrong_blocks.deep AND b.resolution = 'raw') AS k
		GROUP BY k.stream_id, k.instance, k.at HAVING count(*) > 1;
	END;
COMMENT ON FUNCTION wrong_blocks(bool) IS 'what check() says of services in production';

CREATE FUNCTION "check"(deep bool DEFAULT false, OUT problem text, OUT table_name text, OUT benchmark_id bigint,
		OUT id bigint, OUT detail text)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		-- orphans
		SELECT 'no benchmark', o.table_name, o.benchmark_id, o.id, ''
		FROM (SELECT 'profile' AS table_name, p.benchmark_id, p.profile_id AS id FROM profile AS p
			UNION ALL SELECT 'observation', o.benchmark_id, o.observation_id FROM observation AS o
			UNION ALL SELECT 'fitted_model', m.benchmark_id, m.test_run_id FROM fitted_model AS m
			UNION ALL SELECT 'rollup', r.benchmark_id, r.test_run_id FROM rollup AS r
			UNION ALL SELECT 'regression', f.benchmark_id, f.regression_id FROM regression AS f) AS o
		WHERE NOT EXISTS (SELECT 1 FROM benchmark AS b WHERE b.benchmark_id = o.benchmark_id)
		UNION ALL
		SELECT 'no test_run', o.table_name, o.benchmark_id, o.id, 'test_run_id '::text || o.test_run_id::text
		FROM (SELECT 'profile' AS table_name, p.benchmark_id, p.profile_id AS id, p.test_run_id FROM profile AS p
			UNION ALL SELECT 'observation', o.benchmark_id, o.observation_id, o.test_run_id FROM observation AS o
			UNION ALL SELECT 'fitted_model', m.benchmark_id, m.test_run_id, m.test_run_id FROM fitted_model AS m
			UNION ALL SELECT 'rollup', r.benchmark_id, r.test_run_id, pg_catalog.unnest(r.run_ids) FROM rollup AS r
			UNION ALL SELECT 'regression', f.benchmark_id, f.regression_id,
				pg_catalog.unnest(ARRAY[f.first_test_run_id, f.last_test_run_id])
				FROM regression AS f) AS o
		WHERE NOT EXISTS (SELECT 1 FROM test_run AS t WHERE t.test_run_id = o.test_run_id)
		UNION ALL
		SELECT 'no profile_data', 'profile', p.benchmark_id, p.profile_id, ''
		FROM profile AS p
		WHERE NOT EXISTS (SELECT 1 FROM profile_data AS d WHERE d.benchmark_id = p.benchmark_id
			AND d.profile_id = p.profile_id)
		UNION ALL
		SELECT 'no profile', 'profile_data', d.benchmark_id, d.profile_id, ''
		FROM profile_data AS d
		WHERE NOT EXISTS (SELECT 1 FROM profile AS p WHERE p.benchmark_id = d.benchmark_id
			AND p.profile_id = d.profile_id)
		UNION ALL
		-- twice, in two partitions: their keys cannot see each other
		SELECT 'several rows', 'profile_data', d.benchmark_id, d.profile_id, count(*)::text || ' rows'::text
		FROM profile_data AS d GROUP BY d.benchmark_id, d.profile_id HAVING count(*) > 1
		UNION ALL
		SELECT 'no rollup', 'profile', p.benchmark_id, min(p.profile_id),
			pg_catalog.format('run %s, %s, %s', p.test_run_id, p.event, p.unit)
		FROM profile AS p
		WHERE NOT EXISTS (SELECT 1 FROM rollup AS r WHERE r.benchmark_id = p.benchmark_id AND r.event = p.event
			AND r.unit = p.unit
			AND p.test_run_id = ANY (r.run_ids))
		GROUP BY p.benchmark_id, p.test_run_id, p.event, p.unit
		UNION ALL
		-- copies
		SELECT 'wrong copy', 'profile', p.benchmark_id, p.profile_id, w.detail
		FROM profile AS p JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id,
			LATERAL (VALUES
				('recorded_at', d.recorded_at = p.recorded_at),
				('total', total(d.flamegraph) = p.total),
				('nodes', nnodes(d.flamegraph) = p.nodes),
				('frames', nframes(d.flamegraph) = p.frames),
				('truncated_share', coalesce(@-@ d.truncated,
					0::float8) / nullif((@-@ d.flamegraph) + coalesce(@-@ d.truncated, 0::float8), 0::float8)
					IS NOT DISTINCT FROM p.truncated_share),
				('content_id', CASE WHEN "check".deep AND NOT p.reshaped THEN content_id(d.flamegraph,
					d.truncated) = p.content_id ELSE true END)
			) AS w (detail, is_right)
		WHERE NOT w.is_right
		UNION ALL
		SELECT 'wrong copy', 'profile', p.benchmark_id, p.profile_id, 'labels'
		FROM profile AS p JOIN test_run AS t ON t.test_run_id = p.test_run_id
		WHERE p.labels <> t.labels
		UNION ALL
		SELECT 'wrong copy', 'rollup', r.benchmark_id, r.test_run_id, w.detail
		FROM (SELECT o.*, o.repetitions - pg_catalog.cardinality(o.pending) AS folded,
				coalesce(o.flamegraph + d.fg, o.flamegraph) AS fg
			-- summed(), as part of the query
			FROM rollup AS o, LATERAL (
				SELECT sum(d.flamegraph) AS fg FROM profile_data AS d
				WHERE pg_catalog.cardinality(o.pending) > 0 AND d.benchmark_id = o.benchmark_id
					AND d.profile_id = ANY (o.pending)) AS d) AS r
			JOIN test_run AS t ON t.test_run_id = r.test_run_id,
			LATERAL (VALUES
				('branch', r.branch = t.branch),
				('started_at', r.started_at = t.started_at),
				('total', abs(r.total - total(r.fg)) <= 1e-9::float8 * (@-@ r.fg)),
				('repetitions', r.folded = 1 OR r.folded = profile_count(r.stats_stack)
					AND r.folded = profile_count(r.stats_node)
					AND r.folded = profile_count(r.stats_frame) AND r.folded = profile_count(r.stats_self))
			) AS w (detail, is_right)
		WHERE NOT w.is_right
		UNION ALL
		SELECT 'wrong copy', 'benchmark', b.benchmark_id, b.benchmark_id, 'parameters_id'
		FROM benchmark AS b WHERE b.parameters_id <> object_id(b.parameters)
		UNION ALL
		SELECT 'wrong copy', 'test_run', NULL::bigint, t.test_run_id, 'labels_id'
		FROM test_run AS t WHERE t.labels_id <> object_id(t.labels)
		UNION ALL
		-- Loads find the benchmark before the alias.
		SELECT 'hidden alias', 'benchmark_alias', b.benchmark_id, NULL::bigint,
			benchmark_in_words(a.suite, a.name, b.parameters)
		FROM benchmark_alias AS a JOIN benchmark AS b ON b.suite = a.suite AND b.name = a.name
			AND (a.parameters IS NULL OR a.parameters_id = b.parameters_id)
		UNION ALL
		SELECT 'no benchmark', 'benchmark_alias', NULL::bigint, NULL::bigint,
			benchmark_in_words(a.new_suite, a.new_name, coalesce(a.new_parameters, '{}'::jsonb))
		FROM benchmark_alias AS a
		WHERE NOT EXISTS (SELECT 1 FROM benchmark AS b WHERE b.suite = a.new_suite AND b.name = a.new_name
				AND (a.new_parameters IS NULL OR b.parameters = a.new_parameters))
			AND NOT EXISTS (SELECT 1 FROM benchmark_alias AS n WHERE n.suite = a.new_suite AND n.name = a.new_name)
		UNION ALL
		-- the sum of a run whose profiles are all here, or of a month with those of its runs that came later
		SELECT 'wrong sum', 'rollup', r.benchmark_id, r.test_run_id,
			pg_catalog.format('%s, %s: off by %s', r.event, r.unit, s.off)
		FROM (SELECT o.benchmark_id, o.test_run_id, o.event, o.unit, o.run_ids, o.repetitions + l.repetitions
					AS repetitions, o.total + l.total AS total,
				coalesce(o.flamegraph + d.fg, o.flamegraph) + l.fg AS fg
			FROM rollup AS o, LATERAL (
				SELECT sum(d.flamegraph) AS fg FROM profile_data AS d
				WHERE pg_catalog.cardinality(o.pending) > 0 AND d.benchmark_id = o.benchmark_id
					AND d.profile_id = ANY (o.pending)) AS d, LATERAL (
				SELECT coalesce(sum(k.repetitions), 0::bigint) AS repetitions, coalesce(sum(k.total),
						0::float8) AS total,
					coalesce(sum(coalesce(k.flamegraph + d.fg, k.flamegraph)), ''::flamegraph) AS fg
				FROM rollup AS k, LATERAL (
					SELECT sum(d.flamegraph) AS fg FROM profile_data AS d
					WHERE pg_catalog.cardinality(k.pending) > 0 AND d.benchmark_id = k.benchmark_id
						AND d.profile_id = ANY (k.pending)) AS d
				WHERE o.span = 'month' AND k.benchmark_id = o.benchmark_id AND k.event = o.event
					AND k.unit = o.unit AND k.branch = o.branch AND k.test_run_id = ANY (o.run_ids)
					AND k.test_run_id <> o.test_run_id) AS l
			WHERE NOT EXISTS (SELECT 1 FROM rollup AS m, pg_catalog.unnest(m.run_ids) AS u (id)
				WHERE m.span = 'month' AND m.benchmark_id = o.benchmark_id AND m.event = o.event AND m.unit = o.unit
					AND m.branch = o.branch AND u.id = o.test_run_id
					AND m.test_run_id <> o.test_run_id)) AS r, LATERAL (
			SELECT count(*) AS profiles, CASE WHEN "check".deep THEN distance(sum(CASE WHEN "check".deep
					THEN d.flamegraph END), r.fg, 1::float8)
				ELSE abs(sum(p.total) - r.total) END AS off, sum(abs(p.total)) AS size
			FROM profile AS p LEFT JOIN profile_data AS d
				ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
			WHERE p.benchmark_id = r.benchmark_id AND p.event = r.event AND p.unit = r.unit
				AND p.test_run_id = ANY (r.run_ids)) AS s
		WHERE s.profiles = r.repetitions AND s.off > 1e-9::float8 * s.size OR s.profiles > r.repetitions
		UNION ALL
		SELECT w.problem, w.table_name, w.benchmark_id, w.id, w.detail FROM wrong_samples("check".deep) AS w
		UNION ALL
		SELECT w.problem, w.table_name, w.benchmark_id, w.id, w.detail FROM wrong_blocks("check".deep) AS w
		UNION ALL
		-- Later ones would all be older. Their profiles may be in the default partition for good.
		SELECT 'of the future', 'test_run', NULL::bigint, t.test_run_id, 'started_at '::text || t.started_at::text
		FROM test_run AS t WHERE NOT has_begun(t.started_at)
		UNION ALL
		SELECT 'of the future', 'profile', p.benchmark_id, p.profile_id, 'recorded_at '::text || p.recorded_at::text
		FROM profile AS p WHERE NOT has_begun(p.recorded_at);
	END;
COMMENT ON FUNCTION "check"(bool)
	IS 'what is wrong in the store: rows without the rows they belong to, copies and sums that differ, times that lie '
		'in the future; deep: every profile is read and its content hashed; no rows when all is well';
