
--
-- pictures of jobs (Hegeman 2024, Figures 4.11 and 5.7)
--
-- They are drawn of the rows that the analyses return, so the same question in SQL gives the numbers behind a picture.
--

CREATE FUNCTION lanes_svg(labels text[], groups text[], lives_from float8[], lives_to float8[], heights float8[],
		series text[], kinds text[], row_lane int[], row_series int[], row_start float8[], row_stop float8[],
		row_value float8[], title text DEFAULT NULL, unit text DEFAULT '', width int DEFAULT 1200,
		options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10000
	AS 'MODULE_PATHNAME', 'jobs_lanes_svg';
COMMENT ON FUNCTION lanes_svg(text[], text[], float8[], float8[], float8[], text[], text[], int[], int[], float8[],
	float8[], float8[], text, text, int, jsonb)
	IS 'lanes over one axis of seconds, in SVG. A lane has a label, a group, a life (null: none is drawn) and a '
		'height in '
		'pixels, 0 for a band whose parts are shares of one; a series is a part, a rest (hatched) or a line; rows name '
		'their lane and series by position from 0 and have a start, a stop and a value. Options as those of plot_svg()';

CREATE FUNCTION seconds_since(begin timestamptz, at timestamptz) RETURNS float8
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		-- extract() of an interval is immutable, so a query takes this expression in and calls nothing.
		SELECT extract(epoch FROM seconds_since.at - seconds_since.begin)::float8;
	END;
COMMENT ON FUNCTION seconds_since(timestamptz, timestamptz) IS
	'seconds from one time to another, whatever the time zone';

CREATE FUNCTION phase_name(phase_type text, instance text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT phase_name.phase_type || CASE WHEN phase_name.instance = ''::text THEN ''::text
			ELSE ' '::text || phase_name.instance END;
	END;
COMMENT ON FUNCTION phase_name(text, text) IS 'what a phase or a resource is called in pictures: its type and instance';

CREATE FUNCTION percent_text(part float8, whole float8) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT round((100::float8 * jobs.quotient(percent_text.part, percent_text.whole))::numeric, 1)::text ||
			' %'::text;
	END;
COMMENT ON FUNCTION percent_text(float8, float8) IS 'part of a whole in percent, with one decimal; null of nothing';

-- What a picture is drawn of, row by row: parts of lanes, and lanes that have no part.
CREATE TYPE lane_row AS (lane int, label text, heading text, life_from float8, life_to float8, height float8, series
	int,
	name text, kind text, start float8, stop float8, value float8);
COMMENT ON TYPE lane_row
	IS 'a lane and what stands in it from start to stop, in seconds of the job; series null: nothing';

CREATE FUNCTION lanes_picture(rows lane_row[], title text, unit text, width int, options jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
	WITH r AS MATERIALIZED (
		SELECT u.* FROM unnest($1) AS u
	), lane AS (
		SELECT DISTINCT r.lane, r.label, r.heading, r.life_from, r.life_to, r.height FROM r
	), series AS (
		SELECT DISTINCT r.series, r.name, r.kind FROM r WHERE r.series IS NOT NULL
	)
	SELECT jobs.lanes_svg(l.labels, l.headings, l.froms, l.tos, l.heights, s.names, s.kinds, b.lanes, b.series,
		b.starts,
		b.stops, b.shares, $2, $3, $4, $5)
	FROM (SELECT array_agg(o.label ORDER BY o.lane) AS labels, array_agg(o.heading ORDER BY o.lane) AS headings,
			array_agg(o.life_from ORDER BY o.lane) AS froms, array_agg(o.life_to ORDER BY o.lane) AS tos,
			array_agg(o.height ORDER BY o.lane) AS heights FROM lane AS o) AS l,
		(SELECT coalesce(array_agg(o.name ORDER BY o.series), '{}') AS names,
			coalesce(array_agg(o.kind ORDER BY o.series), '{}') AS kinds FROM series AS o) AS s,
		-- sorted once for all five: each aggregate with an order of its own would sort them again
		(SELECT coalesce(array_agg(o.lane), '{}') AS lanes, coalesce(array_agg(o.series), '{}') AS series,
			coalesce(array_agg(o.start), '{}') AS starts, coalesce(array_agg(o.stop), '{}') AS stops,
			coalesce(array_agg(o.value), '{}') AS shares
			FROM (SELECT r.lane, r.series - (SELECT min(x.series) FROM series AS x) AS series, r.start, r.stop, r.value
				FROM r WHERE r.series IS NOT NULL AND r.start IS NOT NULL
				ORDER BY r.lane, r.start, r.stop, r.series, r.value) AS o) AS b
	$$;
COMMENT ON FUNCTION lanes_picture(lane_row[], text, text, int, jsonb)
	IS 'lanes_svg() of rows; lanes and series count from 0, and each number up to the largest has a row';

CREATE FUNCTION drawn_phase(job_id bigint, phase_id bigint, OUT id bigint, OUT name text, OUT begun timestamptz,
		OUT start_time timestamptz, OUT end_time timestamptz, OUT parts int)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT h.phase_id, jobs.phase_name(h.phase_type, h.instance), h.start_time, h.end_time
	INTO id, name, start_time, end_time FROM jobs.phase AS h
	WHERE h.job_id = drawn_phase.job_id AND CASE WHEN drawn_phase.phase_id IS NULL THEN h.parent_id IS NULL
		ELSE h.phase_id = drawn_phase.phase_id END
	LIMIT 1;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'there is no phase % of job %', coalesce(drawn_phase.phase_id::text, 'without a parent'),
				coalesce(drawn_phase.job_id::text, 'NULL')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Table jobs.phase lists the phases of each job.';
	END IF;
	begun := (SELECT h.start_time FROM jobs.phase AS h
		WHERE h.job_id = drawn_phase.job_id AND h.parent_id IS NULL LIMIT 1);
	parts := (SELECT count(*) FROM jobs.phase AS h WHERE h.job_id = drawn_phase.job_id AND h.parent_id = id);
END
$$;
COMMENT ON FUNCTION drawn_phase(bigint, bigint)
	IS 'a phase (null: the whole job) with its name, and how many parts it has; begun: when its job began. Error 22023 '
		'for one that is not there';

CREATE TYPE analysis AS (slice interval, origin timestamptz, sampling text, delta float8, predicate text,
	use_greedy boolean, use_blocking boolean);
COMMENT ON TYPE analysis IS 'the arguments that all analyses of jobs have';

CREATE FUNCTION bottleneck_stretches(job_id bigint, phase_id bigint, most_parts int, how analysis, OUT lane int,
		OUT label text, OUT start_time timestamptz, OUT end_time timestamptz, OUT resource_type text,
		OUT from_time timestamptz, OUT to_time timestamptz, OUT share float8) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
	WITH part AS (
		-- itself, then those of its parts that took longest, in the order of their begin
		SELECT 0 AS lane, p.phase_id AS id, jobs.phase_name(p.phase_type, p.instance) AS label, p.start_time, p.end_time
		FROM jobs.phase AS p WHERE p.job_id = $1 AND p.phase_id = $2
		UNION ALL
		SELECT row_number() OVER (ORDER BY c.start_time, c.phase_id)::int, c.phase_id,
			jobs.phase_name(c.phase_type, c.instance), c.start_time, c.end_time
		FROM (SELECT h.* FROM jobs.phase AS h WHERE h.job_id = $1 AND h.parent_id = $2
			ORDER BY h.end_time - h.start_time DESC, h.phase_id LIMIT $3) AS c
	), limits AS MATERIALIZED (
		-- of all phases of a large job there are millions: those that are drawn come out before types are told apart
		SELECT t.phase_id, t.start_time, t.end_time, t.resource_types
		FROM jobs.bottleneck_timeline($1, ($4).slice, ($4).origin, ($4).sampling, ($4).delta, ($4).predicate,
			($4).use_greedy, ($4).use_blocking) AS t
		WHERE t.phase_id IN (SELECT p.id FROM part AS p)
	)
	SELECT o.lane, o.label, o.start_time, o.end_time, x.resource_type, x.start_time, x.end_time, x.share
	FROM part AS o LEFT JOIN (SELECT l.phase_id, l.start_time, l.end_time, r.resource_type,
			1::float8 / cardinality(l.resource_types) AS share
		FROM limits AS l CROSS JOIN LATERAL unnest(l.resource_types) AS r (resource_type)) AS x ON x.phase_id = o.id
	$$;
COMMENT ON FUNCTION bottleneck_stretches(bigint, bigint, int, analysis)
	IS 'a phase (lane 0) and its longest parts with what limits them when, and which share of the height that has; '
		'resource_type null: nothing does';

CREATE FUNCTION bottleneck_lanes(job_id bigint, phase_id bigint, begun timestamptz, most_parts int, how analysis,
		OUT rows lane_row[], OUT types text[], OUT seconds float8[], OUT free float8)
	LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
	WITH stretch AS MATERIALIZED (
		SELECT x.* FROM jobs.bottleneck_stretches($1, $2, $4, $5) AS x
	), ranked AS (
		-- what limits the phase itself longest comes first; of more than 16 types the last ones are one
		SELECT y.resource_type, y.own, least(row_number() OVER (ORDER BY y.own DESC, y.seconds DESC,
			y.resource_type COLLATE "C")::int - 1, 15) AS series
		FROM (SELECT s.resource_type, sum(jobs.seconds_since(s.from_time, s.to_time)) AS seconds,
				coalesce(sum(jobs.seconds_since(s.from_time, s.to_time)) FILTER (WHERE s.lane = 0), 0) AS own
			FROM stretch AS s WHERE s.resource_type IS NOT NULL GROUP BY s.resource_type) AS y
	), series AS (
		SELECT r.series, CASE WHEN count(*) > 1 THEN format('(%s more)', count(*)) ELSE min(r.resource_type) END AS name
		FROM ranked AS r GROUP BY r.series
	), box AS (
		SELECT CASE WHEN s.lane = 0 THEN 0 ELSE s.lane + (SELECT count(*)::int FROM series) END AS lane, s.label,
			CASE WHEN s.lane = 0 THEN 'Phase' ELSE 'Its parts' END AS heading, s.start_time, s.end_time, r.series,
			s.from_time, s.to_time, s.share
		FROM stretch AS s LEFT JOIN ranked AS r ON r.resource_type = s.resource_type
		UNION ALL
		SELECT n.series + 1, n.name, 'By resource', p.start_time, p.end_time, n.series, s.from_time, s.to_time, 1
		FROM (SELECT x.start_time, x.end_time FROM stretch AS x WHERE x.lane = 0 LIMIT 1) AS p
			CROSS JOIN series AS n LEFT JOIN ranked AS r ON r.series = n.series
			LEFT JOIN stretch AS s ON s.lane = 0 AND s.resource_type = r.resource_type
	)
	SELECT (SELECT array_agg(ROW(b.lane, b.label, b.heading, jobs.seconds_since($3, b.start_time),
			jobs.seconds_since($3, b.end_time), 0, b.series, n.name, 'part', jobs.seconds_since($3, b.from_time),
			jobs.seconds_since($3, b.to_time), b.share)::jobs.lane_row)
			FROM box AS b LEFT JOIN series AS n ON n.series = b.series),
		(SELECT array_agg(r.resource_type ORDER BY r.own DESC, r.resource_type COLLATE "C") FROM ranked AS r WHERE r.own
			> 0),
		(SELECT array_agg(r.own ORDER BY r.own DESC, r.resource_type COLLATE "C") FROM ranked AS r WHERE r.own > 0),
		(SELECT min(jobs.seconds_since(s.start_time, s.end_time)) FROM stretch AS s WHERE s.lane = 0)
			- (SELECT coalesce(sum(jobs.seconds_since(d.from_time, d.to_time)), 0)
				FROM (SELECT DISTINCT s.from_time, s.to_time FROM stretch AS s
					WHERE s.lane = 0 AND s.resource_type IS NOT NULL) AS d)
	$$;
COMMENT ON FUNCTION bottleneck_lanes(bigint, bigint, timestamptz, int, analysis)
	IS 'what bottleneck_report_svg() draws; types: those that limit the phase, the longest first, for so many seconds; '
		'free: seconds in which none does';

CREATE FUNCTION bottleneck_report_svg(
		job_id bigint,
		phase_id bigint DEFAULT NULL,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		title text DEFAULT NULL,
		width int DEFAULT 1200,
		options jsonb DEFAULT '{}'
	) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_most_parts CONSTANT int := 60;
	p CONSTANT record := jobs.drawn_phase(bottleneck_report_svg.job_id, bottleneck_report_svg.phase_id);
	v CONSTANT record := jobs.bottleneck_lanes(bottleneck_report_svg.job_id, p.id, p.begun, v_most_parts,
		ROW(slice, origin, sampling, delta, predicate, use_greedy, use_blocking)::jobs.analysis);
	v_seconds CONSTANT float8 := jobs.seconds_since(p.start_time, p.end_time);
	v_words CONSTANT text := (SELECT string_agg(format('%s %s', t.type, jobs.percent_text(t.seconds, v_seconds)), ', '
			ORDER BY t.n) || format('; none %s of the time', jobs.percent_text(v.free, v_seconds))
		FROM unnest(v.types[:5], v.seconds[:5]) WITH ORDINALITY AS t (type, seconds, n));
BEGIN
	RETURN jobs.lanes_picture(v.rows, coalesce(title, 'What limits ' || p.name), '', width, jsonb_build_object(
		'subtitle', coalesce(v_words, 'nothing that is measured limits it'),
		'notes', 'Bands: when which type of resource is a bottleneck; those at a time share the height, and where a '
		'frame '
			'is empty there is none.' || CASE WHEN p.parts > v_most_parts THEN format(
				' Of %s parts those %s are shown that took longest.', p.parts, v_most_parts) ELSE '' END) || options);
END
$$;
COMMENT ON FUNCTION bottleneck_report_svg(bigint, bigint, interval, timestamptz, text, float8, text, boolean, boolean,
	text, int,
	jsonb)
	IS 'when what limits a phase (null: the whole job), in SVG with one axis of time: the phase itself, each type of '
		'resource, and each part of the phase, of more than 60 the longest; rows of bottleneck_timeline() '
		'(Hegeman 2024, Figure 4.11). Options as those of plot_svg(). Error 22023 for a phase that is not there';

CREATE TYPE drawn_resource AS (id bigint, name text, capacity float8, unit text, class text, start_time timestamptz,
	end_time timestamptz);
COMMENT ON TYPE drawn_resource IS 'a consumable resource with its name, and when its job began and ended';

CREATE FUNCTION resource_to_draw(job_id bigint, resource_id bigint) RETURNS drawn_resource
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r jobs.drawn_resource;
BEGIN
	SELECT s.resource_id, jobs.phase_name(s.resource_type, s.instance), s.capacity, coalesce(t.unit, ''), t.class::text,
		h.start_time, h.end_time INTO r
	FROM jobs.job AS j JOIN jobs.resource AS s ON s.job_id = j.job_id
		LEFT JOIN jobs.resource_type AS t ON t.model = j.model AND t.resource_type = s.resource_type
		LEFT JOIN jobs.phase AS h ON h.job_id = j.job_id AND h.parent_id IS NULL
	WHERE j.job_id = resource_to_draw.job_id AND s.resource_id = resource_to_draw.resource_id LIMIT 1;
	IF r.class IS DISTINCT FROM 'consumable' THEN
		RAISE EXCEPTION 'resource % of job % is %', coalesce(resource_to_draw.resource_id::text, 'NULL'),
				coalesce(resource_to_draw.job_id::text, 'NULL'),
				CASE WHEN r.id IS NULL THEN 'not there' ELSE 'not consumable: nothing is used of it' END
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Table jobs.resource lists the resources of each job; bottleneck_report_svg() shows blocking ones.';
	END IF;
	RETURN r;
END
$$;
COMMENT ON FUNCTION resource_to_draw(bigint, bigint)
	IS 'a consumable resource with its name, and when its job began and ended. Error 22023 for another one';

CREATE FUNCTION limited_times(job_id bigint, resource_id bigint, how analysis, OUT phase_type text,
		OUT start_time timestamptz, OUT end_time timestamptz) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
	SELECT i.phase_type, min(i.start_time), max(i.end_time)
	FROM (SELECT g.*, sum(g.is_new) OVER (PARTITION BY g.phase_type ORDER BY g.start_time, g.end_time
			ROWS UNBOUNDED PRECEDING) AS number
		FROM (SELECT h.phase_type, b.start_time, b.end_time, (b.start_time > coalesce(max(b.end_time) OVER (
				PARTITION BY h.phase_type ORDER BY b.start_time, b.end_time ROWS BETWEEN UNBOUNDED PRECEDING
					AND 1 PRECEDING), '-infinity'))::int AS is_new
			FROM jobs.leaf_bottlenecks($1, ($3).slice, ($3).origin, ($3).sampling, ($3).delta, ($3).predicate,
					($3).use_greedy, ($3).use_blocking) AS b
				JOIN jobs.phase AS h ON h.job_id = $1 AND h.phase_id = b.phase_id
			WHERE b.resource_id = $2) AS g) AS i
	GROUP BY i.phase_type, i.number
	$$;
COMMENT ON FUNCTION limited_times(bigint, bigint, analysis)
	IS 'when a resource limits any leaf of a type';

CREATE FUNCTION usage_pieces(job_id bigint, resource_id bigint, how analysis, OUT kind text, OUT phase_type text,
		OUT start_time timestamptz, OUT end_time timestamptz, OUT value float8, OUT available float8)
	RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
	SELECT 'used', h.phase_type, u.start_time, u.end_time, u.usage, u.available_capacity
	FROM jobs.attribute_usage($1, ($3).slice, ($3).origin, ($3).sampling, ($3).delta, ($3).predicate, ($3).use_greedy,
			($3).use_blocking) AS u
		JOIN jobs.phase AS h ON h.job_id = $1 AND h.phase_id = u.phase_id
	WHERE u.resource_id = $2
	UNION ALL
	-- Measurements begin before a job, and end after it.
	SELECT 'rest', NULL, greatest(u.start_time, h.start_time), least(u.end_time, h.end_time), greatest(u.usage, 0), NULL
	FROM jobs.unattributed_usage($1, ($3).slice, ($3).origin, ($3).sampling, ($3).delta, ($3).predicate,
			($3).use_greedy, ($3).use_blocking) AS u
		JOIN jobs.phase AS h ON h.job_id = $1 AND h.parent_id IS NULL
	WHERE u.resource_id = $2 AND u.start_time < h.end_time AND u.end_time > h.start_time
	$$;
COMMENT ON FUNCTION usage_pieces(bigint, bigint, analysis)
	IS 'what a resource was used for when: used by leaves of a type, or the rest that no phase gets';

CREATE FUNCTION usage_lanes(job_id bigint, resource drawn_resource, how analysis, OUT rows lane_row[],
		OUT given float8, OUT left_over float8)
	LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	WITH piece AS MATERIALIZED (
		SELECT u.* FROM jobs.usage_pieces(usage_lanes.job_id, resource.id, how) AS u
	), ranked AS (
		SELECT u.phase_type, sum(u.value * jobs.seconds_since(u.start_time, u.end_time)) AS consumption
		FROM piece AS u WHERE u.kind = 'used' GROUP BY u.phase_type
	), type AS (
		-- Those that use next to nothing are one.
		SELECT o.phase_type, o.consumption, least(row_number() OVER (ORDER BY o.consumption DESC,
				o.phase_type COLLATE "C")::int - 1, 14, (SELECT greatest(count(*), 1)::int FROM ranked AS b
				WHERE b.consumption >= 0.005 * (SELECT sum(a.consumption) FROM ranked AS a))) AS series
		FROM ranked AS o
	), series AS (
		SELECT t.series, CASE WHEN count(*) > 1 THEN format('(%s more types)', count(*)) ELSE min(t.phase_type) END AS
			name
		FROM type AS t GROUP BY t.series
	), stretch AS MATERIALIZED (
		SELECT t.series, x.start_time, x.end_time FROM jobs.limited_times(usage_lanes.job_id, resource.id, how) AS x
			JOIN type AS t ON t.phase_type = x.phase_type
	), band AS (
		SELECT i.series, row_number() OVER (ORDER BY i.series)::int AS lane FROM (SELECT DISTINCT series FROM stretch)
			AS i
	), box AS (
		SELECT 0 AS lane, t.series, n.name, 'part' AS kind, u.start_time, u.end_time, u.value
		FROM piece AS u JOIN type AS t ON t.phase_type = u.phase_type JOIN series AS n ON n.series = t.series
		UNION ALL
		SELECT 0, c.types + x.place, x.name, x.kind, u.start_time, u.end_time, CASE x.place WHEN 0 THEN u.value
			WHEN 1 THEN u.available ELSE resource.capacity END
		FROM (SELECT count(*)::int AS types FROM series) AS c,
			(VALUES (0, 'of no phase', 'rest'), (1, 'what phases may have', 'line'), (2, 'capacity', 'line'))
				AS x (place, name, kind)
			LEFT JOIN (SELECT p.* FROM piece AS p UNION ALL
				SELECT 'all', NULL, resource.start_time, resource.end_time, NULL, NULL WHERE resource.capacity IS NOT
					NULL) AS u
				ON u.kind = CASE x.place WHEN 0 THEN 'rest' WHEN 1 THEN 'used' ELSE 'all' END
		UNION ALL
		SELECT b.lane, i.series, n.name, 'part', i.start_time, i.end_time, 1
		FROM stretch AS i JOIN band AS b ON b.series = i.series JOIN series AS n ON n.series = i.series
	)
	SELECT (SELECT array_agg(ROW(b.lane, CASE b.lane WHEN 0 THEN resource.name ELSE b.name END, CASE b.lane WHEN 0 THEN
		''
			ELSE 'It limits' END, NULL, NULL, CASE b.lane WHEN 0 THEN 240 ELSE 0 END, b.series, b.name, b.kind,
			jobs.seconds_since(resource.start_time, b.start_time), jobs.seconds_since(resource.start_time, b.end_time),
			b.value)::jobs.lane_row) FROM box AS b), coalesce((SELECT sum(t.consumption) FROM ranked AS t), 0),
		coalesce((SELECT sum(u.value * jobs.seconds_since(u.start_time, u.end_time)) FROM piece AS u WHERE u.kind =
			'rest'), 0)
	INTO rows, given, left_over;
END
$$;
COMMENT ON FUNCTION usage_lanes(bigint, drawn_resource, analysis)
	IS 'what usage_svg() draws; given and left_over: what phases used, and what nobody did, in unit times seconds';

CREATE FUNCTION usage_svg(
		job_id bigint,
		resource_id bigint,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		title text DEFAULT NULL,
		width int DEFAULT 1200,
		options jsonb DEFAULT '{}'
	) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r CONSTANT jobs.drawn_resource := jobs.resource_to_draw(usage_svg.job_id, usage_svg.resource_id);
	v CONSTANT record := jobs.usage_lanes(usage_svg.job_id, r,
		ROW(slice, origin, sampling, delta, predicate, use_greedy, use_blocking)::jobs.analysis);
BEGIN
	RETURN jobs.lanes_picture(v.rows, coalesce(title, format('Usage of %s', r.name)), r.unit, width, jsonb_build_object(
		'subtitle', concat_ws(', ', CASE WHEN r.capacity > 0 THEN format('%s of the capacity is used',
			jobs.percent_text(
				v.given + v.left_over, r.capacity * jobs.seconds_since(r.start_time, r.end_time))) END,
			CASE WHEN v.given + v.left_over > 0 THEN format('%s of it by no phase', jobs.percent_text(v.left_over,
				v.given + v.left_over)) END),
		'notes', 'What phases may have: the sum of what the rules leave to each.') || options);
END
$$;
COMMENT ON FUNCTION usage_svg(bigint, bigint, interval, timestamptz, text, float8, text, boolean, boolean, text, int,
	jsonb)
	IS 'what a consumable resource was used for over time, in SVG: usage by type of phase on top of each other, what '
		'belongs to no phase, what phases may have and the capacity as lines; below it when phases of which type it '
		'limits (Hegeman 2024, Figure 5.7); rows of attribute_usage(), unattributed_usage() and leaf_bottlenecks(). '
		'Options as those of plot_svg(). Error 22023 for a resource that is not there or not consumable';
