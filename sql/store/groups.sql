
--
-- one cause, one message
--
-- A library that became slower is found in every benchmark, branch and event that uses it. Findings of one night with
-- one cause are a group: people read one row, and are told once.
--

CREATE TABLE regression_group (
	group_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	log_id bigint NOT NULL,
	opened_at timestamptz NOT NULL DEFAULT now(),
	first_test_run_id bigint NOT NULL
);
CREATE INDEX regression_group_idx ON regression (group_id) WHERE group_id IS NOT NULL;
COMMENT ON TABLE regression_group IS 'findings with one cause: those of regression that have its number';
COMMENT ON COLUMN regression_group.group_id IS 'number of the group';
COMMENT ON COLUMN regression_group.log_id IS 'the night: its line in job_log';
COMMENT ON COLUMN regression_group.opened_at IS 'when it was made';
COMMENT ON COLUMN regression_group.first_test_run_id IS 'the oldest of the runs in which its findings were first seen';

CREATE FUNCTION watch_option(benchmark_id bigint, event text, method text, level text, name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT w.options ->> watch_option.name FROM watches_of(watch_option.benchmark_id, watch_option.event) AS w
		WHERE w.method = coalesce(watch_option.method, w.method) AND w.options ? watch_option.name
		ORDER BY w.level = watch_option.level DESC NULLS LAST, w.watch_id DESC LIMIT 1;
	END;
COMMENT ON FUNCTION watch_option(bigint, text, text, text, text)
	IS 'an option of the watch row in force that a finding of this method and level comes from, or of another row of '
		'the method that has it; method null: of any; null when none has it';

CREATE FUNCTION is_told(finding regression) RETURNS bool
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN (is_told.finding).cause = 'shift' THEN coalesce(watch_option((is_told.finding).benchmark_id,
			(is_told.finding).event, (is_told.finding).method, (is_told.finding).level, 'notify_shift'::text) = 'true',
			false) ELSE true END;
	END;
COMMENT ON FUNCTION is_told(regression)
	IS 'whether people are told of a finding that is open: not of a cost that only moved, unless the option '
		'notify_shift asks for it';

--
-- which findings have one cause
--

CREATE FUNCTION cause_name(level text, subject stackpath) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN cause_name.level <> 'metric' THEN leaf(cause_name.subject) END;
	END;
COMMENT ON FUNCTION cause_name(text, stackpath)
	IS 'the function that a finding is about, of a stack the one that it leads to; null for the metric';

CREATE FUNCTION significant_change(before flamegraph[], current flamegraph, of_sample float8) RETURNS flamegraph
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT flamegraph_agg(c.key, c.diff / c.size)
		FROM (SELECT d.key, d.diff, sum(abs(d.diff)) OVER () AS size
			FROM deviation_scores((SELECT stats(u.fg, 'self'::text)
				FROM pg_catalog.unnest(significant_change.before) AS u (fg)), significant_change.current,
				significant_change.of_sample, 0::float8, 'inf'::text) AS d
			WHERE d.p_value <= 0.01::float8 AND abs(d.diff) BETWEEN 1e-150::float8 AND 1e150::float8) AS c;
	END;
COMMENT ON FUNCTION significant_change(flamegraph[], flamegraph, float8)
	IS 'by how much the own value of each function differs from that of the runs before (p <= 0.01), as a share of all '
		'these differences, so that benchmarks of any size and unit are alike; null when none differs';

CREATE FUNCTION change_of_family(benchmark_id bigint, event text, unit text, branch text, first_id bigint,
		last_id bigint) RETURNS flamegraph
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_before CONSTANT record := profiling.run_means(change_of_family.benchmark_id, change_of_family.event,
		change_of_family.unit, profiling.runs_before(change_of_family.benchmark_id, change_of_family.event,
			change_of_family.unit, change_of_family.branch, first_id, 'window:10'::text));
	v_after CONSTANT record := profiling.run_means(change_of_family.benchmark_id, change_of_family.event,
		change_of_family.unit, ARRAY[last_id]);
BEGIN
	IF cardinality(v_before.fgs) < 3 OR cardinality(v_after.fgs) = 0 THEN
		RETURN NULL;
	END IF;
	RETURN profiling.significant_change(v_before.fgs, v_after.fgs[1], v_after.of_sample);
END
$$;
COMMENT ON FUNCTION change_of_family(bigint, text, text, text, bigint, bigint)
	IS 'significant_change() of the last run of a finding against the 10 runs before its first one; null when there '
		'are fewer than 3';

CREATE FUNCTION are_alike(a flamegraph, b flamegraph) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(similarity(are_alike.a, are_alike.b) >= 0.5::float8, false);
	END;
COMMENT ON FUNCTION are_alike(flamegraph, flamegraph)
	IS 'whether two changes share more than half; false where one is null';

CREATE FUNCTION same_token(labels int[], tokens text[]) RETURNS int[]
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_labels int[];
BEGIN
	LOOP
		-- the least label of a token, then of all that had the same label before
		v_labels := ARRAY(SELECT min(t.least) OVER (PARTITION BY t.label) FROM (
				SELECT u.n, u.label, CASE WHEN u.token IS NULL THEN u.label
					ELSE min(u.label) OVER (PARTITION BY u.token) END AS least
				FROM unnest(labels, tokens) WITH ORDINALITY AS u (label, token, n)) AS t ORDER BY t.n);
		EXIT WHEN v_labels = labels;
		labels := v_labels;
	END LOOP;
	RETURN labels;
END
$$;
COMMENT ON FUNCTION same_token(int[], text[])
	IS 'labels of sets in which those that have one token, not null, are one set with all that were in theirs';

CREATE FUNCTION like_families(keys text[], changes flamegraph[]) RETURNS text[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_labels int[] := ARRAY(SELECT generate_series(1, cardinality(keys)));
	p record;
BEGIN
	FOR p IN
		SELECT a.n AS first, b.n AS second
		FROM unnest(changes) WITH ORDINALITY AS a (change, n) JOIN unnest(changes) WITH ORDINALITY AS b (change, n)
			ON a.n < b.n AND profiling.are_alike(a.change, b.change)
	LOOP
		-- When all are alike, most pairs say what is known: a library became slower in a thousand benchmarks.
		CONTINUE WHEN v_labels[p.first] = v_labels[p.second];
		v_labels := ARRAY(SELECT CASE WHEN u.label = v_labels[p.second] THEN v_labels[p.first] ELSE u.label END
			FROM unnest(v_labels) WITH ORDINALITY AS u (label, n) ORDER BY u.n);
	END LOOP;
	RETURN ARRAY(SELECT keys[u.label] FROM unnest(v_labels) WITH ORDINALITY AS u (label, n) ORDER BY u.n);
END
$$;
COMMENT ON FUNCTION like_families(text[], flamegraph[])
	IS 'for each of these families, by their keys, one whose change is alike, or alike to one that is, and so on';

CREATE TYPE grouped_finding AS (benchmark_id bigint, regression_id bigint, family text, subject text, size float8,
	apart text);
COMMENT ON TYPE grouped_finding
	IS 'what night_groups() knows about a finding: its benchmark, event and branch as one text, cause_name(), the size '
		'of its change, and what keeps it out of groups of others: shift, or its number (environment, option groups)';

CREATE FUNCTION last_of_families(findings grouped_finding[]) RETURNS TABLE (family text, benchmark_id bigint,
		event text, unit text, branch text, first_test_run_id bigint, last_test_run_id bigint)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT DISTINCT ON (f.family) f.family, o.benchmark_id, o.event,
		CASE o.level WHEN 'metric' THEN u.unit ELSE o.unit END, o.branch, o.first_test_run_id, o.last_test_run_id
	FROM unnest(findings) AS f JOIN profiling.regression AS o ON o.benchmark_id = f.benchmark_id
			AND o.regression_id = f.regression_id
		CROSS JOIN LATERAL (SELECT min(c.unit) AS unit FROM profiling.rollup AS c
			WHERE c.benchmark_id = o.benchmark_id AND c.event = o.event AND c.branch = o.branch
				AND c.test_run_id = o.last_test_run_id) AS u
	WHERE f.apart = '' ORDER BY f.family, o.level = 'metric', o.regression_id;
END
$$;
COMMENT ON FUNCTION last_of_families(grouped_finding[])
	IS 'of each family of findings that go together one finding: what is compared of the family';

CREATE FUNCTION families_alike(findings grouped_finding[]) RETURNS TABLE (family text, kin text)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_keys text[];
	v_kin text[];
BEGIN
	v_keys := ARRAY(SELECT DISTINCT f.family FROM unnest(findings) AS f WHERE f.apart = '' ORDER BY 1);
	v_kin := v_keys;
	IF cardinality(v_keys) > 1 THEN
		v_kin := profiling.like_families(v_keys, ARRAY(SELECT profiling.change_of_family(r.benchmark_id, r.event,
				r.unit, r.branch, r.first_test_run_id, r.last_test_run_id)
			FROM profiling.last_of_families(findings) AS r ORDER BY r.family));
	END IF;
	RETURN QUERY SELECT u.family, u.kin FROM unnest(v_keys, v_kin) AS u (family, kin);
END
$$;
COMMENT ON FUNCTION families_alike(grouped_finding[])
	IS 'for each family with a finding that is not apart one with the same change: profiles before and after differ '
		'alike (are_alike)';

CREATE FUNCTION cause_labels(findings grouped_finding[]) RETURNS int[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_labels int[] := ARRAY(SELECT generate_series(1, cardinality(findings)));
	v_kin jsonb;
	v_of_kin jsonb;
BEGIN
	SELECT coalesce(jsonb_object_agg(a.family, a.kin), '{}') INTO v_kin FROM profiling.families_alike(findings) AS a;
	SELECT coalesce(jsonb_object_agg(k.kin, k.families), '{}') INTO v_of_kin
	FROM (SELECT a.value AS kin, count(*) AS families FROM jsonb_each_text(v_kin) AS a GROUP BY 1) AS k;
	v_labels := profiling.same_token(v_labels, ARRAY(SELECT f.apart || ' ' || f.subject
		FROM unnest(findings) WITH ORDINALITY AS f ORDER BY f.ordinality));
	-- One run of a benchmark is one change, but for functions that changed in other benchmarks, too.
	v_labels := profiling.same_token(v_labels, ARRAY(SELECT CASE
			WHEN (v_of_kin ->> (v_kin ->> o.family))::int > 1 AND o.apart = '' THEN v_kin ->> o.family
			WHEN o.families = 1 THEN concat_ws(' ', o.family, o.apart) END
		FROM (SELECT f.ordinality, f.family, f.apart, CASE WHEN f.subject IS NULL THEN 0
				ELSE dense_rank() OVER (PARTITION BY f.apart, f.subject ORDER BY f.family)
					+ dense_rank() OVER (PARTITION BY f.apart, f.subject ORDER BY f.family DESC) - 1 END AS families
			FROM unnest(findings) WITH ORDINALITY AS f) AS o ORDER BY o.ordinality));
	-- The metric goes with the largest change of its family.
	RETURN profiling.same_token(v_labels, ARRAY(SELECT CASE WHEN f.place = 1 OR f.subject IS NULL
			THEN concat_ws(' ', f.family, f.apart) END
		FROM (SELECT o.*, row_number() OVER (PARTITION BY o.family, o.apart, o.subject IS NULL
			ORDER BY o.size DESC NULLS LAST) AS place FROM unnest(findings) WITH ORDINALITY AS o) AS f
		ORDER BY f.ordinality));
END
$$;
COMMENT ON FUNCTION cause_labels(grouped_finding[])
	IS 'for each of these findings the number of its group: those of the same function are one, and those of families '
		'that changed alike; what is left of a family is one, and the metric goes with its largest change';

CREATE FUNCTION night_groups(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_findings profiling.grouped_finding[];
	v_labels int[];
	v_used bigint[];
	v_groups int := 0;
	v_id bigint;
	g record;
BEGIN
	v_used := ARRAY(SELECT DISTINCT r.group_id FROM profiling.regression AS r WHERE r.group_id IS NOT NULL);
	DELETE FROM profiling.regression_group AS o WHERE o.group_id <> ALL (v_used);
	v_findings := ARRAY(SELECT ROW(r.benchmark_id, r.regression_id,
			concat_ws(E'\x1f', r.benchmark_id, r.event, r.branch),
			r.kind || ' ' || profiling.cause_name(r.level, r.subject), abs(r.diff),
			CASE WHEN r.kind = 'environment' OR profiling.watch_option(r.benchmark_id, r.event, r.method, r.level,
				'groups'::text) = 'false' THEN format('alone %s', r.regression_id)
				ELSE r.cause END)::profiling.grouped_finding
		FROM profiling.untold_findings(night_groups.log_id) AS r
		WHERE r.status = 'open' AND r.group_id IS NULL ORDER BY r.benchmark_id, r.regression_id);
	v_labels := profiling.cause_labels(v_findings);
	FOR g IN
		SELECT array_agg(f.benchmark_id) AS benchmark_ids, array_agg(f.regression_id) AS ids,
			(array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id))[1] AS first_id
		FROM unnest(v_findings) WITH ORDINALITY AS f JOIN profiling.regression AS r
				ON r.benchmark_id = f.benchmark_id AND r.regression_id = f.regression_id
			LEFT JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
		GROUP BY v_labels[f.ordinality] ORDER BY min(f.ordinality)
	LOOP
		INSERT INTO profiling.regression_group AS n (log_id, first_test_run_id)
		VALUES (night_groups.log_id, g.first_id) RETURNING n.group_id INTO v_id;
		UPDATE profiling.regression AS r SET group_id = v_id
		WHERE r.benchmark_id = ANY (g.benchmark_ids) AND r.regression_id = ANY (g.ids);
		v_groups := v_groups + 1;
	END LOOP;
	RETURN CASE WHEN v_groups < cardinality(v_findings)
		THEN format('%s findings in %s groups', cardinality(v_findings), v_groups) ELSE '' END;
END
$$;
COMMENT ON FUNCTION night_groups(bigint)
	IS 'a step of finish_night(): puts the findings of a night that have one cause into groups; words for job_log, or '
		'empty';

--
-- what people start their day with
--

CREATE VIEW open_group AS
SELECT g.group_id, g.kind, g.subjects, g.findings, g.benchmarks, g.names, g.events, g.branches, g.relative,
	g.opened_at, t.test_run_id AS first_test_run_id, t.started_at AS first_started_at, g.previous_commit,
	t.commit AS first_commit, g.team, g.notified_at, g.regression_ids
FROM (SELECT f.group_id, (pg_catalog.array_agg(f.kind ORDER BY f.place))[1] AS kind,
		pg_catalog.array_agg(f.name ORDER BY f.place) FILTER (WHERE f.is_first) AS subjects,
		count(*) AS findings, pg_catalog.count(DISTINCT f.benchmark_id) AS benchmarks,
		pg_catalog.array_agg(DISTINCT b.name) AS names, pg_catalog.array_agg(DISTINCT f.event) AS events,
		pg_catalog.array_agg(DISTINCT f.branch) AS branches,
		(pg_catalog.array_agg(f.relative ORDER BY f.place))[1] AS relative, min(f.opened_at) AS opened_at,
		(pg_catalog.array_agg(f.team ORDER BY f.place))[1] AS team, max(f.notified_at) AS notified_at,
		pg_catalog.array_agg(f.regression_id ORDER BY f.place) AS regression_ids,
		(pg_catalog.array_agg(f.previous_commit ORDER BY o.started_at, f.first_test_run_id, f.place))[1]
			AS previous_commit,
		(pg_catalog.array_agg(f.first_test_run_id ORDER BY o.started_at, f.first_test_run_id, f.place))[1] AS first_id
	FROM (SELECT n.*, n.name IS NOT NULL AND row_number() OVER (PARTITION BY n.group_id,
				CASE WHEN n.group_id IS NULL THEN n.regression_id END, n.name ORDER BY n.place) = 1 AS is_first
		FROM (SELECT r.*, cause_name(r.level, r.subject) AS name, row_number() OVER (ORDER BY
				CASE r.kind WHEN 'environment' THEN 0 WHEN 'degradation' THEN 1 ELSE 2 END,
				abs(r.relative) DESC NULLS FIRST, r.level = 'metric', r.regression_id) AS place
			-- of every finding, as the rows of a benchmark are on one server
			FROM (SELECT q.*, p.commit AS previous_commit
				FROM (SELECT e.*, a.branch AS first_branch, a.started_at AS first_started_at
					FROM regression AS e LEFT JOIN test_run AS a ON a.test_run_id = e.first_test_run_id
					WHERE e.status IN ('open', 'acknowledged') AND e.cause <> 'shift') AS q
					LEFT JOIN LATERAL (SELECT v.commit
						FROM rollup AS u JOIN test_run AS v ON v.test_run_id = u.test_run_id
						WHERE u.benchmark_id = q.benchmark_id AND u.event = q.event AND u.branch = q.first_branch
							AND u.span = 'run'
							AND (u.started_at, u.test_run_id) < (q.first_started_at, q.first_test_run_id)
						ORDER BY u.started_at DESC, u.test_run_id DESC LIMIT 1) AS p ON true) AS r) AS n) AS f
		JOIN benchmark AS b ON b.benchmark_id = f.benchmark_id
		LEFT JOIN test_run AS o ON o.test_run_id = f.first_test_run_id
	GROUP BY f.group_id, CASE WHEN f.group_id IS NULL THEN f.regression_id END) AS g
	LEFT JOIN test_run AS t ON t.test_run_id = g.first_id;
COMMENT ON VIEW open_group
	IS 'what is open or acknowledged, a row for each cause: findings of one group, in how many benchmarks, the worst '
		'change and between which commits it came; what was found before there were groups has a row for each finding; '
		'without costs that only moved (cost_shift)';
COMMENT ON COLUMN open_group.group_id IS 'the row of regression_group; null for a finding without a group';
COMMENT ON COLUMN open_group.kind IS 'that of its worst finding: environment, degradation or optimization';
COMMENT ON COLUMN open_group.subjects
	IS 'the functions that changed, the worst first, a stack by the one that it leads to; null when it is the metric '
		'alone';
COMMENT ON COLUMN open_group.findings IS 'number of its findings that are open or acknowledged';
COMMENT ON COLUMN open_group.benchmarks IS 'number of their benchmarks';
COMMENT ON COLUMN open_group.names IS 'names of these benchmarks';
COMMENT ON COLUMN open_group.events IS 'events of the profiles';
COMMENT ON COLUMN open_group.branches IS 'branches of the runs';
COMMENT ON COLUMN open_group.relative
	IS 'the worst relative change, a fraction of what was expected; null for what nothing was expected of';
COMMENT ON COLUMN open_group.opened_at IS 'when the first of the findings was found';
COMMENT ON COLUMN open_group.first_test_run_id IS 'the oldest run in which one of them was first seen';
COMMENT ON COLUMN open_group.first_started_at IS 'when that run began';
COMMENT ON COLUMN open_group.previous_commit
	IS 'commit of the run before it of the same benchmark, event and branch: the change came after that one';
COMMENT ON COLUMN open_group.first_commit IS 'commit of that run: the change came with it or before it';
COMMENT ON COLUMN open_group.team IS 'team of the worst finding';
COMMENT ON COLUMN open_group.notified_at IS 'when somebody was told last; null: nobody yet';
COMMENT ON COLUMN open_group.regression_ids IS 'the findings, the worst first';

--
-- who is told
--

CREATE FUNCTION news_of(findings regression[]) RETURNS json
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Any role of the database may listen: no names. A payload has at most 8000 bytes.
	RETURN (SELECT json_build_object('benchmark_id', w.benchmark_ids[1], 'test_run_id', w.test_run_ids[1],
			'opened', w.opened, 'closed', w.closed, 'regression_ids', to_json(w.ids[:50]), 'group_id', w.group_id,
			'kind', w.kinds[1], 'cause', w.causes[1], 'relative', w.relatives[1]::text,
			'benchmarks', w.benchmarks, 'benchmark_ids', to_json(w.all_benchmark_ids[:20]))
		FROM (SELECT max(f.group_id) AS group_id, count(*) FILTER (WHERE f.status = 'open') AS opened,
				count(*) FILTER (WHERE f.status <> 'open') AS closed, count(DISTINCT f.benchmark_id) AS benchmarks,
				array_agg(DISTINCT f.benchmark_id) AS all_benchmark_ids,
				array_agg(f.benchmark_id ORDER BY f.place) AS benchmark_ids,
				array_agg(f.test_run_id ORDER BY f.place) AS test_run_ids,
				array_agg(f.regression_id ORDER BY f.regression_id) AS ids, array_agg(f.kind ORDER BY f.place) AS kinds,
				array_agg(f.cause ORDER BY f.place) AS causes, array_agg(f.relative ORDER BY f.place) AS relatives
			FROM (SELECT r.*, profiling.run_of_news(r) AS test_run_id, row_number() OVER (ORDER BY r.status <> 'open',
					CASE r.kind WHEN 'environment' THEN 0 WHEN 'degradation' THEN 1 ELSE 2 END,
					abs(r.relative) DESC NULLS FIRST, r.level = 'metric', r.regression_id) AS place
				FROM unnest(findings) AS r) AS f) AS w);
END
$$;
COMMENT ON FUNCTION news_of(regression[])
	IS 'what is told about the findings of one group that were opened or closed: ids, counts, and of the worst one its '
		'benchmark, run, kind, cause and relative change (as text: it can be infinite); no names';

CREATE FUNCTION night_notify(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_kept int := 0;
	v_more int := 0;
	v_now timestamptz;
	g record;
BEGIN
	FOR g IN
		SELECT array_agg(f) AS findings, f.is_told FROM (SELECT r AS f, r.benchmark_id, r.regression_id, r.group_id,
				profiling.is_told(r) AS is_told
			FROM profiling.untold_findings(night_notify.log_id) AS r) AS f
		GROUP BY f.is_told, f.group_id, CASE WHEN f.group_id IS NULL OR NOT f.is_told THEN f.benchmark_id END
		ORDER BY min(f.benchmark_id), min(f.regression_id)
	LOOP
		IF g.is_told THEN
			PERFORM pg_notify('profiling_regression', profiling.news_of(g.findings)::text);
			v_more := v_more + cardinality(g.findings) - 1;
			v_now := clock_timestamp();
			UPDATE profiling.regression AS r SET notified_at = v_now
			FROM unnest(g.findings) AS f WHERE r.benchmark_id = f.benchmark_id AND r.regression_id = f.regression_id;
		ELSE
			v_kept := v_kept + (SELECT count(*) FROM unnest(g.findings) AS f JOIN profiling.job_log AS l
				ON l.log_id = night_notify.log_id AND f.status = 'open' AND f.opened_at >= l.started_at);
		END IF;
	END LOOP;
	PERFORM profiling.count_kept(night_notify.log_id, 'groups'::text, v_more);
	RETURN CASE WHEN v_kept > 0 THEN format('%s shifted', v_kept) ELSE '' END;
END
$$;
COMMENT ON FUNCTION night_notify(bigint)
	IS 'a step of finish_night(): sends one NOTIFY profiling_regression for each group of findings of which nobody was '
		'told, and writes down that they were; costs that only moved are not told (option notify_shift); words for '
		'job_log, or empty';
