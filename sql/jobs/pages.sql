
--
-- the page of a job (Hegeman 2024, section 4.4.5)
--
-- The verdict first, then what costs most, what would help, where, when, and whose. All of it is rows that the analyses
-- return; the page has no time of its making, and settings of the session do not change it.
--

CREATE FUNCTION page_of(title text, sections jsonb, options jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT html_report(page_of.title, page_of.sections, page_of.options);
	END;
COMMENT ON FUNCTION page_of(text, jsonb, jsonb) IS 'html_report()';

CREATE FUNCTION page_seconds(seconds float8) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(format_value(page_seconds.seconds, 'seconds'::text), '-'::text);
	END;
COMMENT ON FUNCTION page_seconds(float8) IS 'format_value() of seconds; - for null';

CREATE FUNCTION report_options(options jsonb) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_types CONSTANT jsonb := '{"theme": "string", "rows": "number", "phase": "number", "resource": "number",
		"threshold": "number", "changes": "array", "instances": "boolean", "slice": "string", "origin": "string",
		"sampling": "string", "delta": "number", "predicate": "string", "use_greedy": "boolean",
		"use_blocking": "boolean"}';
	v_options CONSTANT jsonb := coalesce(options, '{}');
	o record;
BEGIN
	IF jsonb_typeof(v_options) <> 'object' THEN
		RAISE EXCEPTION 'options of report_html must be a JSON object' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Write {"option": value, ...}.';
	END IF;
	FOR o IN SELECT e.key, e.value, v_types ->> e.key AS type FROM jsonb_each(v_options) AS e ORDER BY e.key COLLATE "C"
	LOOP
		IF o.type IS NULL THEN
			RAISE EXCEPTION 'unrecognized option % of report_html', to_jsonb(left(o.key, 100))
				USING ERRCODE = 'invalid_parameter_value', HINT = format('Available: %s.',
					(SELECT string_agg(k, ', ') FROM jsonb_object_keys(v_types) AS k));
		END IF;
		IF jsonb_typeof(o.value) <> o.type THEN
			RAISE EXCEPTION 'option "%" of report_html must be of type %', o.key, o.type
				USING ERRCODE = 'invalid_parameter_value';
		END IF;
		IF o.key = ANY ('{rows,phase,resource}'::text[]) AND o.value::text !~ '^-?[0-9]{1,18}$'
			OR o.key = 'rows' AND NOT o.value::numeric BETWEEN 1 AND 1000 THEN
			RAISE EXCEPTION 'option "%" of report_html must be a whole number%', o.key, CASE o.key WHEN 'rows'
					THEN ' from 1 to 1000' ELSE '' END
				USING ERRCODE = 'invalid_parameter_value';
		END IF;
	END LOOP;
	RETURN v_options;
END
$$;
COMMENT ON FUNCTION report_options(jsonb)
	IS 'options of report_html(), {} for null; an error 22023 for one that it does not have, or of another type';

-- What a time without a zone is does not depend on the session.
CREATE FUNCTION report_analysis(options jsonb) RETURNS analysis
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
	SET intervalstyle = 'postgres' AS $$
BEGIN
	RETURN ROW((options ->> 'slice')::interval, (options ->> 'origin')::timestamptz,
		coalesce(options ->> 'sampling', 'phase_aware'), coalesce((options ->> 'delta')::float8, 0.95),
		coalesce(options ->> 'predicate', 'any'), coalesce((options ->> 'use_greedy')::bool, true),
		coalesce((options ->> 'use_blocking')::bool, true))::jobs.analysis;
END
$$;
COMMENT ON FUNCTION report_analysis(jsonb) IS 'the arguments of analyses that report_html() has as options';

--
-- what a job is
--

CREATE FUNCTION report_resources(job_id bigint) RETURNS text
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN count(*) = 0 THEN 'none' ELSE concat_ws(', ',
		format('%s consumable with %s measurements', count(*) FILTER (WHERE t.class::text = 'consumable'),
			(SELECT count(*) FROM jobs.usage_measurement AS u WHERE u.job_id = $1)),
		format('%s blocking with %s intervals', count(*) FILTER (WHERE t.class::text = 'blocking'),
			(SELECT count(*) FROM jobs.blocking_interval AS b WHERE b.job_id = $1)),
		format('%s that contain them', count(*) FILTER (WHERE t.class IS NULL))) END
	FROM jobs.job AS j JOIN jobs.resource AS r ON r.job_id = j.job_id
		LEFT JOIN jobs.resource_type AS t ON t.model = j.model AND t.resource_type = r.resource_type
	WHERE j.job_id = $1
	$$;
COMMENT ON FUNCTION report_resources(bigint) IS 'the resources of a job, and what was measured of them, in words';

CREATE FUNCTION report_warnings(job_id bigint, how analysis) RETURNS text
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(string_agg(format('%s: %s', w.code, w.n), ', ' ORDER BY w.code COLLATE "C"), 'none')
	FROM (SELECT v.code, count(*) AS n FROM jobs.validate_job($1, ($2).slice, ($2).origin) AS v GROUP BY v.code) AS w
	$$;
COMMENT ON FUNCTION report_warnings(bigint, analysis) IS 'how many warnings validate_job() has of each kind, in words';

CREATE FUNCTION report_facts(job_id bigint, how analysis, options jsonb) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT jsonb_build_array(
			jsonb_build_array('Job', format('%s%s', j.job_id, ', ' || nullif(j.name, ''))),
			jsonb_build_array('Platform', concat_ws(': ', j.model, nullif(m.description, ''))),
			jsonb_build_array('Began', to_char(h.start_time AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'),
			jsonb_build_array('Took', jobs.page_seconds(jobs.seconds_since(h.start_time, h.end_time))),
			jsonb_build_array('Phases', (SELECT format('%s of %s types', count(*), count(DISTINCT p.phase_type))
				FROM jobs.phase AS p WHERE p.job_id = j.job_id)),
			jsonb_build_array('Resources', jobs.report_resources(j.job_id)),
			jsonb_build_array('Warnings', jobs.report_warnings(j.job_id, how)))
			|| CASE WHEN j.labels = '{}' THEN '[]' ELSE jsonb_build_array(jsonb_build_array('Labels', j.labels::text))
				END
			|| CASE WHEN j.test_run_id IS NULL THEN '[]'
				ELSE jsonb_build_array(jsonb_build_array('Run', j.test_run_id)) END
			|| CASE WHEN options = '{}' THEN '[]' ELSE jsonb_build_array(jsonb_build_array('Options', options::text))
				END
		FROM jobs.job AS j JOIN jobs.phase AS h ON h.job_id = j.job_id AND h.parent_id IS NULL
			LEFT JOIN jobs.platform_model AS m ON m.model = j.model
		WHERE j.job_id = report_facts.job_id);
END
$$;
COMMENT ON FUNCTION report_facts(bigint, analysis, jsonb) IS 'what a job is, for the facts of its page';

--
-- what costs most, and what would help
--

CREATE FUNCTION report_issues(job_id bigint, how analysis, most int, OUT rows jsonb, OUT parts bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_root CONSTANT bigint := (SELECT p.phase_id FROM jobs.phase AS p
		WHERE p.job_id = report_issues.job_id AND p.parent_id IS NULL);
BEGIN
	-- A job of many phases has more issues than a page could hold: rows are made of those that it shows.
	WITH issue AS MATERIALIZED (
		SELECT i.* FROM jobs.performance_issues(report_issues.job_id, how.slice, how.origin, how.sampling, how.delta,
			how.predicate, how.use_greedy, how.use_blocking) AS i
	), part AS (
		(SELECT i.* FROM issue AS i WHERE i.phase_id <> v_root
		ORDER BY i.estimated_impact DESC, i.phase_id, i.rank LIMIT report_issues.most)
		UNION
		-- The costliest of a phase with parts: it is drawn when what limits that one.
		(SELECT i.* FROM issue AS i WHERE i.phase_id <> v_root AND i.phase_id IN (SELECT c.parent_id
			FROM jobs.phase AS c WHERE c.job_id = report_issues.job_id)
		ORDER BY i.estimated_impact DESC, i.phase_id, i.rank LIMIT 1)
	), shown AS (
		SELECT i.*, true AS root FROM issue AS i WHERE i.phase_id = v_root
		UNION ALL
		SELECT i.*, false FROM part AS i
	)
	SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.phase_id, 'phase', jobs.phase_name(p.phase_type, p.instance),
			'issue', i.issue, 'source', i.source, 'impact', i.estimated_impact, 'relative', i.relative_impact,
			'rank', i.rank, 'root', i.root, 'class', t.class)
			ORDER BY i.root DESC, CASE WHEN i.root THEN i.rank END, i.estimated_impact DESC, p.phase_id, i.rank), '[]'),
		(SELECT count(*) FROM issue AS x WHERE x.phase_id <> v_root)
	INTO rows, parts
	FROM shown AS i JOIN jobs.phase AS p ON p.job_id = report_issues.job_id AND p.phase_id = i.phase_id
		JOIN jobs.job AS j ON j.job_id = p.job_id
		LEFT JOIN jobs.resource_type AS t ON i.issue = 'bottleneck' AND t.model = j.model
			AND t.resource_type = i.source;
END
$$;
COMMENT ON FUNCTION report_issues(bigint, analysis, int)
	IS 'performance_issues() as rows of a page: those of the whole job first, then those of its parts by their impact, '
		'at most so many and the first one of a phase that has parts; and how many its parts have';

-- What simulate() can balance: a type that runs at a time, or is there once in each phase of one that does.
CREATE FUNCTION balanced_types(job_id bigint) RETURNS SETOF text
	LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE type AS (
		SELECT t.model, t.phase_type FROM jobs.job AS j JOIN jobs.phase_type AS t ON t.model = j.model
		WHERE j.job_id = $1 AND t.repeat::text = 'concurrent'
		UNION
		SELECT c.model, c.phase_type FROM type AS t
			JOIN jobs.phase_type AS c ON c.model = t.model AND c.parent_type = t.phase_type
		WHERE c.repeat::text = 'once'
	)
	SELECT t.phase_type FROM type AS t
	$$;
COMMENT ON FUNCTION balanced_types(bigint) IS 'phase types of the model of a job that simulate() can balance';

CREATE FUNCTION proposed_changes(job_id bigint, issues jsonb, most int, OUT n int, OUT words text, OUT change jsonb)
	RETURNS SETOF record
	LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
	WITH issue AS (
		SELECT (e.row ->> 'rank')::int AS rank, e.row ->> 'issue' AS issue, e.row ->> 'source' AS source,
			e.row ->> 'class' AS class
		FROM jsonb_array_elements($2) AS e (row) WHERE (e.row ->> 'root')::bool
	), waiting AS (
		-- More of what leaves wait for alone may help nobody, if it is their work that takes so long.
		SELECT i.source FROM issue AS i WHERE i.class = 'blocking' ORDER BY i.rank LIMIT 1
	), leaf AS (
		SELECT p.phase_type, sum(jobs.seconds_since(p.start_time, p.end_time)) AS seconds
		FROM jobs.phase AS p WHERE p.job_id = $1 AND NOT EXISTS (SELECT FROM jobs.phase AS c
			WHERE c.job_id = $1 AND c.parent_id = p.phase_id)
		GROUP BY p.phase_type ORDER BY 2 DESC, p.phase_type COLLATE "C" LIMIT 3
	), choice AS (
		(SELECT 1 AS part, i.rank AS place, CASE i.issue WHEN 'bottleneck' THEN 'without ' || i.source
				ELSE 'with ' || i.source || ' balanced' END AS words,
			CASE i.issue WHEN 'bottleneck' THEN jsonb_build_object('remove', i.source)
				ELSE jsonb_build_object('balance', i.source) END AS change
		FROM issue AS i WHERE i.issue = 'bottleneck'
			OR i.issue = 'imbalance' AND i.source IN (SELECT b FROM jobs.balanced_types($1) AS b)
		ORDER BY i.rank LIMIT $3)
		UNION ALL
		SELECT 2, row_number() OVER (ORDER BY l.seconds DESC, l.phase_type COLLATE "C"), format(
			'with %s twice as fast%s', l.phase_type, ' and without ' || w.source),
			jsonb_build_object('scale', jsonb_build_array(l.phase_type, 0.5))
				|| CASE WHEN w.source IS NULL THEN '{}' ELSE jsonb_build_object('remove', w.source) END
		FROM leaf AS l LEFT JOIN waiting AS w ON true WHERE l.seconds > 0
	)
	SELECT row_number() OVER (ORDER BY c.part, c.place)::int, c.words, c.change FROM choice AS c
	$$;
COMMENT ON FUNCTION proposed_changes(bigint, jsonb, int)
	IS 'what to try with simulate(): each issue of the whole job mended, at most so many, and the leaves of the three '
		'types that take longest twice as fast, then also without the waiting that costs most';

CREATE FUNCTION given_changes(changes jsonb, OUT n int, OUT words text, OUT change jsonb) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
	SELECT e.n::int, 'with ' || e.change::text, e.change
	-- makespans() says what is wrong with another value.
	FROM jsonb_array_elements(CASE jsonb_typeof($1) WHEN 'array' THEN $1 ELSE '[]' END)
		WITH ORDINALITY AS e (change, n)
	$$;
COMMENT ON FUNCTION given_changes(jsonb)
	IS 'the changes that replays() and option "changes" of report_html() are given';

CREATE FUNCTION replayed_changes(job_id bigint, how analysis, issues jsonb, changes jsonb, most int, OUT n int,
		OUT words text, OUT change jsonb, OUT makespan float8, OUT gain float8, OUT relative_gain float8,
		OUT estimated_impact float8) RETURNS SETOF record
	LANGUAGE sql STABLE ROWS 15 SET search_path = pg_catalog, pg_temp AS $$
	WITH c AS MATERIALIZED (
		SELECT p.* FROM jobs.proposed_changes($1, $3, $5) AS p WHERE $4 IS NULL
		UNION ALL
		SELECT g.* FROM jobs.given_changes($4) AS g WHERE $4 IS NOT NULL
	), m AS MATERIALIZED (
		SELECT x.* FROM jobs.makespans($1, coalesce($4, (SELECT jsonb_agg(c.change ORDER BY c.n) FROM c), '[]'),
			($2).slice, ($2).origin, ($2).sampling, ($2).delta, ($2).predicate, ($2).use_greedy, ($2).use_blocking) AS x
	), issue AS (
		SELECT jsonb_build_object(CASE e.row ->> 'issue' WHEN 'bottleneck' THEN 'remove' ELSE 'balance' END,
			e.row ->> 'source') AS change, (e.row ->> 'impact')::float8 AS impact
		FROM jsonb_array_elements($3) AS e (row)
		WHERE (e.row ->> 'root')::bool AND e.row ->> 'issue' IN ('bottleneck', 'imbalance')
	)
	SELECT m.n, coalesce(c.words, 'as it was'), coalesce(c.change, '{}'), m.makespan, f.makespan - m.makespan,
		jobs.quotient(f.makespan - m.makespan, f.makespan), (SELECT i.impact FROM issue AS i WHERE i.change = c.change)
	FROM m JOIN m AS f ON f.n = 0 LEFT JOIN c ON c.n = m.n
	ORDER BY m.n
	$$;
COMMENT ON FUNCTION replayed_changes(bigint, analysis, jsonb, jsonb, int)
	IS 'what replays() returns, with what a page calls a change; issues: rows of report_issues()';

CREATE FUNCTION replays(
		job_id bigint,
		changes jsonb DEFAULT NULL,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true,
		OUT n integer,
		OUT change jsonb,
		OUT makespan float8,
		OUT gain float8,
		OUT relative_gain float8,
		OUT estimated_impact float8
	) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 15 COST 1000000 SET search_path = pg_catalog, pg_temp
	SET extra_float_digits = 1 AS $$
	SELECT r.n, r.change, r.makespan, r.gain, r.relative_gain, r.estimated_impact
	FROM (SELECT ROW($3, $4, $5, $6, $7, $8, $9)::jobs.analysis AS how) AS a
		CROSS JOIN LATERAL jobs.report_issues($1, a.how, 1) AS i
		CROSS JOIN LATERAL jobs.replayed_changes($1, a.how, i.rows, $2, 10) AS r
	ORDER BY r.n
	$$;
COMMENT ON FUNCTION replays(bigint, jsonb, interval, timestamptz, text, float8, text, boolean, boolean)
	IS 'what changes of a job would gain: how many seconds it took (n = 0), and would have taken with each change of a '
		'JSON array, as simulate() replays them (n from 1); changes null: each of the ten costliest issues of the job '
		'mended, and each of the three types of leaves that take longest twice as fast, then also without the waiting '
		'that costs most. gain: seconds less than it took, below 0 where it takes longer; relative_gain: as a share of '
		'what it took; estimated_impact: what performance_issues() says of a change that mends one of its issues';

CREATE FUNCTION report_changes(job_id bigint, how analysis, issues jsonb, changes jsonb, most int) RETURNS jsonb
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
	SELECT jsonb_agg(jsonb_build_object('words', r.words, 'change', r.change::text, 'seconds', r.makespan,
		'gain', r.gain, 'share', r.relative_gain, 'impact', r.estimated_impact) ORDER BY r.n)
	FROM jobs.replayed_changes($1, $2, $3, $4, $5) AS r
	$$;
COMMENT ON FUNCTION report_changes(bigint, analysis, jsonb, jsonb, int)
	IS 'replays(), of what is proposed or, unless null, asked for, as rows of a page; the first is the job as it was';

CREATE FUNCTION report_verdict(issues jsonb, changes jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_took CONSTANT float8 := (changes -> 0 ->> 'seconds')::float8;
	v_start CONSTANT text := format('It took %s', jobs.page_seconds(v_took));
	i CONSTANT jsonb := CASE WHEN (issues -> 0 ->> 'root')::bool THEN issues -> 0 END;
	v_source CONSTANT text := i ->> 'source';
	v_mended CONSTANT jsonb := (SELECT e FROM jsonb_array_elements(changes) AS e WHERE e ->> 'change' =
		jsonb_build_object(CASE i ->> 'issue' WHEN 'bottleneck' THEN 'remove' ELSE 'balance' END, v_source)::text
		LIMIT 1);
	-- Less than a thousandth nobody would change anything for. What mends an issue goes before what is only faster.
	v_best CONSTANT jsonb := (SELECT e FROM jsonb_array_elements(changes) WITH ORDINALITY AS x (e, n)
		ORDER BY e ->> 'impact' IS NOT NULL AND (e ->> 'gain')::float8 >= 0.001 * v_took DESC,
			(e ->> 'seconds')::float8, n LIMIT 1);
	v_helps CONSTANT bool := coalesce((v_best ->> 'gain')::float8 >= 0.001 * v_took AND v_took > 0, false);
BEGIN
	RETURN CASE WHEN i IS NULL THEN v_start || ', and no issue was found'
		ELSE format('%s, of which %s at most%s', v_start, jobs.page_seconds((i ->> 'impact')::float8), coalesce(' ('
			|| jobs.percent_text((i ->> 'relative')::float8, 1) || ')', '')) || CASE i ->> 'issue' WHEN 'bottleneck'
			THEN format(CASE i ->> 'class' WHEN 'blocking' THEN ' are lost to waiting for %s'
				ELSE ' are lost to the limits of %s' END, v_source)
			WHEN 'imbalance' THEN format(' are lost to the imbalance of %s', v_source)
			ELSE format(' are lost to %s: %s', i ->> 'issue', v_source) END END
		|| CASE WHEN v_mended IS NULL OR v_helps AND v_mended = v_best THEN ''
			WHEN abs((v_mended ->> 'gain')::float8) < 0.001 * v_took THEN '; mending that alone gains nothing'
			ELSE format('; with that mended a replay takes %s', jobs.page_seconds((v_mended ->> 'seconds')::float8))
			END
		|| CASE WHEN v_helps THEN format('; %s a replay takes %s, %s', v_best ->> 'words',
				jobs.page_seconds((v_best ->> 'seconds')::float8), CASE WHEN v_best ->> 'impact' IS NULL
				THEN 'the least of the changes below' ELSE 'which gains most of all issues that are mended' END)
			WHEN jsonb_array_length(changes) > 1 THEN '; none of the changes below makes it shorter' ELSE '' END || '.';
END
$$;
COMMENT ON FUNCTION report_verdict(jsonb, jsonb)
	IS 'a job in a sentence: how long it took, what costs it most, what would help most';

--
-- where: each machine over time
--

CREATE FUNCTION phase_places(job_id bigint, OUT phase_id bigint, OUT place text) RETURNS SETOF record
	LANGUAGE sql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE box AS (
		-- for each resource the container that it is in: the machine, where it is in several
		SELECT r.resource_id, CASE WHEN t.class IS NULL THEN r.resource_id END AS box
		FROM jobs.job AS j JOIN jobs.resource AS r ON r.job_id = j.job_id
			LEFT JOIN jobs.resource_type AS t ON t.model = j.model AND t.resource_type = r.resource_type
		WHERE j.job_id = $1 AND r.parent_id IS NULL
		UNION ALL
		SELECT r.resource_id, CASE WHEN t.class IS NULL THEN r.resource_id ELSE b.box END
		FROM box AS b JOIN jobs.resource AS r ON r.job_id = $1 AND r.parent_id = b.resource_id
			JOIN jobs.job AS j ON j.job_id = r.job_id
			LEFT JOIN jobs.resource_type AS t ON t.model = j.model AND t.resource_type = r.resource_type
	), named AS (
		SELECT r.resource_id, l.label || CASE WHEN count(*) OVER (PARTITION BY l.label) > 1
			THEN format(' (%s)', r.resource_id) ELSE '' END AS name
		FROM jobs.resource AS r CROSS JOIN LATERAL (SELECT jobs.phase_name(r.resource_type, r.instance)) AS l (label)
		WHERE r.job_id = $1
	), mapped AS (
		-- Who is in no container is a place itself: a lock, a queue.
		SELECT m.phase_id, min(coalesce(b.box, b.resource_id)) AS least, max(coalesce(b.box, b.resource_id)) AS most
		FROM jobs.phase_resource AS m JOIN box AS b ON b.resource_id = m.resource_id
		WHERE m.job_id = $1 GROUP BY m.phase_id
	), everywhere AS (
		-- A phase that is mapped to nothing may use all; that is a place when there is one machine.
		SELECT min(b.box) AS least, max(b.box) AS most FROM box AS b
		WHERE NOT EXISTS (SELECT FROM jobs.resource AS r JOIN box AS c ON c.resource_id = r.resource_id
			WHERE r.job_id = $1 AND r.parent_id = b.resource_id AND c.box = r.resource_id)
	), owned AS (
		SELECT h.phase_id, m.least, m.most FROM jobs.phase AS h LEFT JOIN mapped AS m ON m.phase_id = h.phase_id
		WHERE h.job_id = $1 AND h.parent_id IS NULL
		UNION ALL
		SELECT h.phase_id, coalesce(m.least, o.least), coalesce(m.most, o.most)
		FROM owned AS o JOIN jobs.phase AS h ON h.job_id = $1 AND h.parent_id = o.phase_id
			LEFT JOIN mapped AS m ON m.phase_id = h.phase_id
	)
	SELECT o.phase_id, n.name
	FROM owned AS o CROSS JOIN everywhere AS e
		LEFT JOIN named AS n ON n.resource_id = CASE WHEN coalesce(o.least, e.least) = coalesce(o.most, e.most)
			THEN coalesce(o.least, e.least) END
	$$;
COMMENT ON FUNCTION phase_places(bigint)
	IS 'where each phase of a job runs: the container of the resources that it is mapped to, or that resource where it '
		'is in none; null: in several';

CREATE FUNCTION chart_rows(job_id bigint, instances bool, OUT frames text[], OUT start_at float8, OUT stop_at float8,
		OUT place text) RETURNS SETOF record
	LANGUAGE sql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE down AS (
		SELECT h.phase_id, ARRAY[f.frame] AS frames, h.start_time AS begun, h.start_time, h.end_time
		FROM jobs.phase AS h CROSS JOIN LATERAL (SELECT CASE WHEN $2 THEN jobs.phase_name(h.phase_type, h.instance)
			ELSE h.phase_type END) AS f (frame)
		WHERE h.job_id = $1 AND h.parent_id IS NULL
		UNION ALL
		SELECT h.phase_id, d.frames || f.frame, d.begun, h.start_time, h.end_time
		FROM down AS d JOIN jobs.phase AS h ON h.job_id = $1 AND h.parent_id = d.phase_id
			CROSS JOIN LATERAL (SELECT CASE WHEN $2 THEN jobs.phase_name(h.phase_type, h.instance)
				ELSE h.phase_type END) AS f (frame)
	)
	SELECT d.frames, jobs.seconds_since(d.begun, d.start_time), jobs.seconds_since(d.begun, d.end_time), p.place
	FROM down AS d JOIN jobs.phase_places($1) AS p ON p.phase_id = d.phase_id
	WHERE NOT EXISTS (SELECT FROM jobs.phase AS c WHERE c.job_id = $1 AND c.parent_id = d.phase_id)
	$$;
COMMENT ON FUNCTION chart_rows(bigint, bool)
	IS 'the leaves of a job with their types (or names) from the root, when they ran in seconds of the job, and where';

CREATE FUNCTION job_chart(job_id bigint, instances bool, options jsonb) RETURNS text
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT flame_chart_svg(stackpath(c.frames), c.start_at, c.stop_at, c.place, job_chart.options)
		FROM chart_rows(job_chart.job_id, job_chart.instances) AS c;
	END;
COMMENT ON FUNCTION job_chart(bigint, bool, jsonb) IS 'flame_chart_svg() of chart_rows(), with a lane for each place';

--
-- when: what limits it, and who uses what limits it
--

CREATE FUNCTION report_phase(job_id bigint, issues jsonb, options jsonb, OUT id bigint, OUT title text,
		OUT why text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r record;
BEGIN
	IF options ? 'phase' THEN
		r := jobs.drawn_phase(report_phase.job_id, (options ->> 'phase')::bigint);
		id := r.id;
		title := 'What limits ' || r.name;
		why := 'This phase was asked for.';
		RETURN;
	END IF;
	-- A leaf shows little that its parent does not.
	SELECT (e.row ->> 'id')::bigint AS id, e.row AS issue INTO r
	FROM jsonb_array_elements(issues) WITH ORDINALITY AS e (row, n)
	WHERE NOT (e.row ->> 'root')::bool AND EXISTS (SELECT FROM jobs.phase AS c WHERE c.job_id = report_phase.job_id
		AND c.parent_id = (e.row ->> 'id')::bigint)
	ORDER BY e.n LIMIT 1;
	id := r.id;
	title := 'What limits ' || (r.issue ->> 'phase');
	why := format('Of the phases that have parts %s loses most: %s at most to %s.', r.issue ->> 'phase',
		jobs.page_seconds((r.issue ->> 'impact')::float8), r.issue ->> 'source');
END
$$;
COMMENT ON FUNCTION report_phase(bigint, jsonb, jsonb)
	IS 'which phase below the root report_html() shows when, and why; null: none';

CREATE FUNCTION limiting_resource(job_id bigint, of_type text, how analysis, OUT id bigint, OUT seconds float8)
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT r.resource_id, sum(jobs.seconds_since(b.start_time, b.end_time))
	FROM jobs.leaf_bottlenecks($1, ($3).slice, ($3).origin, ($3).sampling, ($3).delta, ($3).predicate, ($3).use_greedy,
			($3).use_blocking) AS b
		JOIN jobs.resource AS r ON r.job_id = $1 AND r.resource_id = b.resource_id
	WHERE r.resource_type = $2 GROUP BY r.resource_id ORDER BY 2 DESC, r.resource_id LIMIT 1
	$$;
COMMENT ON FUNCTION limiting_resource(bigint, text, analysis)
	IS 'which resource of a type limits leaves for the longest, in sum';

CREATE FUNCTION most_used_resource(job_id bigint, OUT id bigint, OUT share float8)
	LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT r.resource_id, jobs.quotient(sum(u.usage * jobs.seconds_since(u.start_time, u.end_time)),
		r.capacity * sum(jobs.seconds_since(u.start_time, u.end_time)))
	FROM jobs.usage_measurement AS u JOIN jobs.resource AS r ON r.job_id = u.job_id AND r.resource_id = u.resource_id
	WHERE u.job_id = $1 GROUP BY r.resource_id, r.capacity ORDER BY 2 DESC NULLS LAST, r.resource_id LIMIT 1
	$$;
COMMENT ON FUNCTION most_used_resource(bigint)
	IS 'the resource that is used most, as a share of its capacity while it is measured; null: none is measured';

CREATE FUNCTION report_resource(job_id bigint, how analysis, issues jsonb, options jsonb, OUT id bigint, OUT why text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_issue CONSTANT jsonb := (SELECT e.row FROM jsonb_array_elements(issues) WITH ORDINALITY AS e (row, n)
		WHERE (e.row ->> 'root')::bool AND e.row ->> 'class' = 'consumable' ORDER BY e.n LIMIT 1);
	r record;
BEGIN
	IF options ? 'resource' THEN
		id := (options ->> 'resource')::bigint;
		why := 'This resource was asked for.';
		RETURN;
	END IF;
	IF v_issue IS NOT NULL THEN
		SELECT x.* INTO r FROM jobs.limiting_resource(report_resource.job_id, v_issue ->> 'source', how) AS x;
		id := r.id;
		why := format('Of all that is measured %s costs the job most, %s at most; this one limits leaves for the '
			'longest, %s in sum.', v_issue ->> 'source', jobs.page_seconds((v_issue ->> 'impact')::float8),
			jobs.page_seconds(r.seconds));
		RETURN;
	END IF;
	SELECT x.* INTO r FROM jobs.most_used_resource(report_resource.job_id) AS x;
	id := r.id;
	why := CASE WHEN r.id IS NULL THEN 'Nothing is measured of any resource.'
		ELSE 'Nothing that is measured limits the job. This resource is used most' || coalesce(': '
			|| jobs.percent_text(r.share, 1) || ' of its capacity', '') || '.' END;
END
$$;
COMMENT ON FUNCTION report_resource(bigint, analysis, jsonb, jsonb)
	IS 'of which resource report_html() shows the usage, and why; null: of none';

CREATE FUNCTION report_when(job_id bigint, how analysis, issues jsonb, options jsonb) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	p CONSTANT record := jobs.report_phase(report_when.job_id, issues, options);
	r CONSTANT record := jobs.report_resource(report_when.job_id, how, issues, options);
	v_sections jsonb := jsonb_build_array(jsonb_build_object('heading', 'When'));
BEGIN
	IF NOT EXISTS (SELECT FROM jobs.resource AS s WHERE s.job_id = report_when.job_id)
		AND NOT options ?| '{phase,resource}' THEN
		RETURN v_sections || jsonb_build_array(jsonb_build_object('text',
			'The job has no resources, so nothing is known of what limits it.'));
	END IF;
	v_sections := v_sections || jsonb_build_array(jsonb_build_object('svg', jobs.bottleneck_report_svg(
		report_when.job_id, NULL::bigint, how.slice, how.origin, how.sampling, how.delta, how.predicate, how.use_greedy,
		how.use_blocking, width => 900), 'anchor', 'bottlenecks'));
	IF p.id IS NOT NULL THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('details', p.title, 'open', options ? 'phase',
			'sections', jsonb_build_array(jsonb_build_object('svg', jobs.bottleneck_report_svg(report_when.job_id, p.id,
				how.slice, how.origin, how.sampling, how.delta, how.predicate, how.use_greedy, how.use_blocking,
				width => 900), 'caption', p.why))));
	END IF;
	v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Who uses it'));
	IF r.id IS NULL THEN
		RETURN v_sections || jsonb_build_array(jsonb_build_object('text', r.why));
	END IF;
	RETURN v_sections || jsonb_build_array(jsonb_build_object('svg', jobs.usage_svg(report_when.job_id, r.id,
		how.slice, how.origin, how.sampling, how.delta, how.predicate, how.use_greedy, how.use_blocking, width => 900),
		'caption', r.why, 'anchor', 'usage'));
END
$$;
COMMENT ON FUNCTION report_when(bigint, analysis, jsonb, jsonb)
	IS 'what limits a job when, and who uses what limits it, as sections of a page';

--
-- whose: stragglers
--

CREATE FUNCTION report_stragglers(job_id bigint, threshold float8, most int, OUT rows jsonb, OUT total bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
BEGIN
	WITH straggler AS MATERIALIZED (
		SELECT x.* FROM jobs.stragglers(report_stragglers.job_id, NULL, report_stragglers.threshold) AS x
	), longest AS (
		SELECT x.* FROM straggler AS x ORDER BY x.duration - x.median DESC, x.phase_id LIMIT report_stragglers.most
	)
	SELECT coalesce(jsonb_agg(jsonb_build_object('phase', jobs.phase_name(p.phase_type, p.instance), 'id', p.phase_id,
			'parent', jobs.phase_name(q.phase_type, q.instance), 'place', l.place, 'duration', s.duration,
			'median', s.median, 'ratio', s.ratio, 'over', s.duration - s.median)
			ORDER BY s.duration - s.median DESC, s.phase_id), '[]'), (SELECT count(*) FROM straggler)
	INTO rows, total
	FROM longest AS s JOIN jobs.phase AS p ON p.job_id = report_stragglers.job_id AND p.phase_id = s.phase_id
		JOIN jobs.phase AS q ON q.job_id = report_stragglers.job_id AND q.phase_id = s.group_phase_id
		LEFT JOIN jobs.phase_places(report_stragglers.job_id) AS l ON l.phase_id = s.phase_id;
END
$$;
COMMENT ON FUNCTION report_stragglers(bigint, float8, int)
	IS 'stragglers() of all types as rows of a page, those first that are longest above the median, at most so many; '
		'and how many there are';

--
-- the page
--

CREATE FUNCTION report_columns(part text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN CASE part WHEN 'issues' THEN '[{"name": "rank", "label": "Rank", "kind": "number"},
			{"name": "issue", "label": "Issue"}, {"name": "source", "label": "Source"},
			{"name": "impact", "label": "Costs at most", "kind": "bar", "unit": "seconds"},
			{"name": "relative", "label": "Share", "kind": "share"}]'
		WHEN 'parts' THEN '[{"name": "phase", "label": "Phase"}, {"name": "id", "label": "Number", "kind": "number"},
			{"name": "rank", "label": "Rank", "kind": "number"}, {"name": "issue", "label": "Issue"},
			{"name": "source", "label": "Source"},
			{"name": "impact", "label": "Costs at most", "kind": "bar", "unit": "seconds"},
			{"name": "relative", "label": "Share", "kind": "share"}]'
		WHEN 'changes' THEN '[{"name": "words", "label": "Change"},
			{"name": "seconds", "label": "Replay takes", "kind": "bar", "unit": "seconds"},
			{"name": "gain", "label": "Gain", "kind": "number", "unit": "seconds"},
			{"name": "share", "label": "Share", "kind": "share"},
			{"name": "impact", "label": "Estimate", "kind": "number", "unit": "seconds"},
			{"name": "change", "label": "simulate()"}]'
		WHEN 'stragglers' THEN '[{"name": "phase", "label": "Phase"},
			{"name": "id", "label": "Number", "kind": "number"}, {"name": "parent", "label": "Part of"},
			{"name": "place", "label": "On"},
			{"name": "duration", "label": "Took", "kind": "bar", "unit": "seconds"},
			{"name": "median", "label": "Median", "kind": "number", "unit": "seconds"},
			{"name": "ratio", "label": "Ratio", "kind": "number"},
			{"name": "over", "label": "Longer by", "kind": "number", "unit": "seconds"}]' END::jsonb;
END
$$;
COMMENT ON FUNCTION report_columns(text) IS 'the columns of a table of report_html()';

CREATE FUNCTION report_table(rows jsonb, part text, most int, all_of_them text, caption text, else_words text)
	RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_shown CONSTANT jsonb := (SELECT coalesce(jsonb_agg(e.row ORDER BY e.n), '[]')
		FROM jsonb_array_elements(rows) WITH ORDINALITY AS e (row, n) WHERE e.n <= most);
BEGIN
	IF v_shown = '[]' THEN
		RETURN jsonb_build_object('text', else_words);
	END IF;
	RETURN jsonb_build_object('table', v_shown, 'columns', jobs.report_columns(part), 'anchor', part, 'caption',
		caption || CASE WHEN jsonb_array_length(rows) > most THEN format('; the first %s of %s, %s has them all', most,
			jsonb_array_length(rows), all_of_them) ELSE '' END);
END
$$;
COMMENT ON FUNCTION report_table(jsonb, text, int, text, text, text)
	IS 'rows as a table of a page that says how many it leaves out, or words for none';

CREATE FUNCTION report_how(options jsonb) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN jsonb_build_object('details', 'How this was computed', 'sections', jsonb_build_array(
		jsonb_build_object('text',
			'Issues are the rows of performance_issues() (Hegeman 2024, Algorithms 3 to 5): bottlenecks by type of '
			'resource, imbalance by type of phase. What one costs is an estimate of what mending it would gain at '
			'most; several overlap, and cannot be added up.'),
		jsonb_build_object('text',
			'A replay is simulate(): the same phases with shorter ones among them, in the order that the platform '
			'keeps. What runs beside others and lasts as long may keep the job as long as it was.'),
		jsonb_build_object('text',
			'Where: the leaves of the tree of phases over time, by the machine whose resources they are mapped to; '
			'those of several machines stand in a lane without a name. A machine has as many lanes as leaves run on '
			'it at a time. Boxes go on over gaps of less than a pixel.'),
		jsonb_build_object('text',
			'When: the rows of bottleneck_timeline(); who uses it: those of attribute_usage(), unattributed_usage() '
			'and leaf_bottlenecks().'),
		jsonb_build_object('text', format(
			'Whose: the rows of stragglers(), phases that take more than %s %% over the median of those of their '
			'type below the same parent.', trim_scale(100 * coalesce((options ->> 'threshold')::numeric, 0.10))))));
END
$$;
COMMENT ON FUNCTION report_how(jsonb) IS 'how to read the page of a job, as a part of it that opens';

CREATE FUNCTION report_html(job_id bigint, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 1000000 SET search_path = pg_catalog, pg_temp
	SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := jobs.report_options(report_html.options);
	v_most CONSTANT int := coalesce((v_options ->> 'rows')::int, 20);
	v_how CONSTANT jobs.analysis := jobs.report_analysis(v_options);
	i CONSTANT record := jobs.report_issues(report_html.job_id, v_how, v_most);
	v_issues CONSTANT jsonb := i.rows;
	v_of_job CONSTANT jsonb := (SELECT coalesce(jsonb_agg(e.row ORDER BY e.n), '[]')
		FROM jsonb_array_elements(v_issues) WITH ORDINALITY AS e (row, n) WHERE (e.row ->> 'root')::bool);
	v_of_parts CONSTANT jsonb := (SELECT coalesce(jsonb_agg(x.row ORDER BY x.n), '[]') FROM (SELECT e.*
		FROM jsonb_array_elements(v_issues) WITH ORDINALITY AS e (row, n) WHERE NOT (e.row ->> 'root')::bool
		ORDER BY e.n LIMIT v_most) AS x);
	v_changes CONSTANT jsonb := jobs.report_changes(report_html.job_id, v_how, v_issues, v_options -> 'changes', 10);
	s CONSTANT record := jobs.report_stragglers(report_html.job_id, coalesce((v_options ->> 'threshold')::float8, 0.10),
		v_most);
	v_name CONSTANT text := (SELECT coalesce(nullif(j.name, ''), j.model) FROM jobs.job AS j
		WHERE j.job_id = report_html.job_id);
	v_sections jsonb;
BEGIN
	v_sections := jsonb_build_array(jsonb_build_object('facts', jobs.report_facts(report_html.job_id, v_how,
			v_options - 'theme')),
		jsonb_build_object('heading', 'What costs most'),
		jobs.report_table(v_of_job, 'issues', v_most, 'performance_issues()', 'Issues of the whole job',
			'No issue of the whole job was found.'));
	IF v_of_parts <> '[]' THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('details', format('Issues of its parts (%s)',
			i.parts), 'sections', jsonb_build_array(jobs.report_table(v_of_parts, 'parts', v_most, NULL,
			'Issues of phases below the job, by what they cost' || CASE WHEN i.parts > v_most THEN format(
				'; the first %s of %s, performance_issues() has them all', v_most, i.parts) ELSE '' END, NULL))));
	END IF;
	v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'What would help'),
		jobs.report_table(v_changes, 'changes', jsonb_array_length(v_changes), NULL,
			'How long the job takes when it is replayed with a change', NULL),
		jsonb_build_object('heading', 'Where'),
		jsonb_build_object('svg', jobs.job_chart(report_html.job_id,
			coalesce((v_options ->> 'instances')::bool, false), jsonb_build_object('title',
			'The parts of the job on each machine', 'max_gap', (v_changes -> 0 ->> 'seconds')::float8 / 1200)),
			'anchor', 'chart'))
		|| jobs.report_when(report_html.job_id, v_how, v_issues, v_options)
		|| jsonb_build_array(jsonb_build_object('heading', 'Whose'),
			jobs.report_table(s.rows, 'stragglers', v_most, NULL, 'Phases that take much longer than those beside them'
				|| CASE WHEN s.total > v_most THEN format('; the first %s of %s, stragglers() has them all', v_most,
				s.total) ELSE '' END, 'No phase takes much longer than those beside it.'), jobs.report_how(v_options));
	RETURN jobs.page_of(format('Job %s%s', report_html.job_id, ': ' || v_name), v_sections, jsonb_strip_nulls(
		jsonb_build_object('theme', v_options -> 'theme', 'subtitle', jobs.report_verdict(v_issues, v_changes))));
END
$$;
COMMENT ON FUNCTION report_html(bigint, jsonb)
	IS 'a job as a page of HTML (Hegeman 2024, section 4.4.5): the verdict, what it is, its issues, what replays of '
		'changes gain, its phases on each machine over time, when what limits it and the phase that loses most, who '
		'uses the resource that limits it most, stragglers. Options: theme (auto, light, dark), rows of tables (20), '
		'phase and resource (numbers: of which the pictures are), threshold of stragglers (0.10), changes (an array: '
		'what to simulate()), instances (names of phases in the chart), and the arguments of analyses (slice, origin, '
		'sampling, delta, predicate, use_greedy, use_blocking)';
