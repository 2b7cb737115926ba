
--
-- costs that only moved
--
-- A function grew because another one shrank: a part of it was moved, renamed or inlined. What holds both, a caller or
-- a part of the program, costs what it did.
--

CREATE TABLE domain (
	pattern stackquery PRIMARY KEY,
	name text NOT NULL CHECK (name <> ''),
	CONSTRAINT domain_pattern_reaches CHECK (pattern_reaches(pattern))
);
COMMENT ON TABLE domain IS 'parts of the program within which cost may move without being a regression';
COMMENT ON COLUMN domain.pattern IS 'the stacks of this part';
COMMENT ON COLUMN domain.name IS 'what it is called';

CREATE FUNCTION change_of_key(key stackpath, level text, delta flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT coalesce(CASE change_of_key.level
			WHEN 'frame' THEN frame_total(change_of_key.delta, leaf(change_of_key.key))
			WHEN 'self' THEN frame_self(change_of_key.delta, leaf(change_of_key.key))
			WHEN 'stack' THEN value_at(change_of_key.delta, change_of_key.key)
			ELSE total_at(change_of_key.delta, change_of_key.key) END, 0::float8);
	END;
COMMENT ON FUNCTION change_of_key(stackpath, text, flamegraph)
	IS 'by how much a key of a level changed; delta: the difference of the profiles';

CREATE FUNCTION contexts_above(key stackpath, level text, height int, delta flamegraph) RETURNS stackpath[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		-- By their text: pg_upgrade makes functions before the operators that sort stacks.
		WITH word AS (
			SELECT DISTINCT subpath(s.stack, 0, greatest(s.at - contexts_above.height + 1, 1))::text AS path
			FROM (SELECT c.stack, CASE WHEN contexts_above.level IN ('frame', 'self')
					THEN position_of(c.stack, contexts_above.key) ELSE depth(contexts_above.key) - 1 END AS at
				FROM stacks(contexts_above.delta) AS c
				WHERE CASE WHEN contexts_above.level IN ('frame', 'self')
					THEN has_frame(c.stack, leaf(contexts_above.key)) ELSE c.stack <@ contexts_above.key END) AS s
			WHERE s.at > 0
		), prefix AS (
			SELECT w.path::stackpath AS path FROM word AS w
		)
		SELECT pg_catalog.array_agg(p.path) FROM prefix AS p
		WHERE NOT EXISTS (SELECT 1 FROM prefix AS o WHERE o.path <> p.path AND p.path <@ o.path)
			AND (SELECT count(*) FROM prefix) <= 100;
	END;
COMMENT ON FUNCTION contexts_above(stackpath, text, int, flamegraph)
	IS 'the calling contexts that many levels above a function or a context, none within another; null when there are '
		'none, or more than 100 places';

CREATE FUNCTION within_domain(fg flamegraph, paths stackpath[], pattern stackquery) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN within_domain.pattern IS NOT NULL THEN filter_stacks(within_domain.fg, within_domain.pattern)
			WHEN within_domain.paths IS NOT NULL THEN (SELECT coalesce(flamegraph_agg(s.stack, s.value), ''::flamegraph)
				FROM stacks(within_domain.fg) AS s
				WHERE EXISTS (SELECT 1 FROM pg_catalog.unnest(within_domain.paths) AS p (path) WHERE s.stack <@ p.path))
			ELSE within_domain.fg END;
	END;
COMMENT ON FUNCTION within_domain(flamegraph, stackpath[], stackquery)
	IS 'the part of a profile that is in a domain: that of a pattern, that below some contexts, or all of it';

CREATE FUNCTION values_in_domain(profiles flamegraph[], paths stackpath[], pattern stackquery) RETURNS float8[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(CASE WHEN values_in_domain.pattern IS NOT NULL
				THEN total(filter_stacks(u.fg, values_in_domain.pattern))
			WHEN values_in_domain.paths IS NOT NULL THEN (SELECT coalesce(sum(total_at(u.fg, p.path)), 0::float8)
				FROM pg_catalog.unnest(values_in_domain.paths) AS p (path))
			ELSE total(u.fg) END ORDER BY u.n)
		FROM pg_catalog.unnest(values_in_domain.profiles) WITH ORDINALITY AS u (fg, n);
	END;
COMMENT ON FUNCTION values_in_domain(flamegraph[], stackpath[], stackquery)
	IS 'what each of some profiles spends in a domain; no pattern and no paths: all of it';

CREATE FUNCTION domains_of(key stackpath, level text, delta flamegraph)
	RETURNS TABLE (paths stackpath[], pattern stackquery)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT d.paths, d.pattern
		FROM (SELECT contexts_above(domains_of.key, domains_of.level, h.height, domains_of.delta) AS paths,
				NULL::stackquery AS pattern, h.height AS place FROM generate_series(1, 3) AS h (height)
			UNION ALL
			SELECT NULL::stackpath[], o.pattern, 4 FROM domain AS o
			WHERE abs(change_of_key(domains_of.key, domains_of.level, filter_stacks(domains_of.delta, o.pattern)))
				>= abs(change_of_key(domains_of.key, domains_of.level, domains_of.delta)) / 2::float8) AS d
		WHERE d.paths IS NOT NULL OR d.pattern IS NOT NULL
		UNION ALL SELECT NULL::stackpath[], NULL::stackquery;
	END;
COMMENT ON FUNCTION domains_of(stackpath, text, flamegraph)
	IS 'within what the cost of a finding may have moved: the contexts up to 3 levels above it, the rows of domain '
		'with at least half of its change, and the whole profile';

CREATE FUNCTION moved_back(watch watch, level text, key stackpath, change float8, before means, after means,
		delta flamegraph) RETURNS stackpath[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_keys CONSTANT profiling.regression.counterpart%TYPE := ARRAY(SELECT (t.tested).key
		FROM profiling.tested_family(watch, moved_back.level, false, before, after, (watch).alpha, 0::float8) AS t
		WHERE (t.tested).p_value <= (watch).alpha AND sign((t.tested).actual - (t.tested).expected) = - sign(change));
	v_moved float8;
	v_origins profiling.regression.counterpart%TYPE;
BEGIN
	v_origins := profiling.origins(v_keys, moved_back.level, delta);
	SELECT array_agg(o.key ORDER BY abs(o.change) DESC, o.key::text), abs(sum(o.change)) INTO v_origins, v_moved
	FROM (SELECT u.key, profiling.change_of_key(u.key, moved_back.level, delta) AS change
		FROM unnest(v_origins) AS u (key)) AS o
	WHERE sign(o.change) = - sign(moved_back.change) AND abs(o.change) >= 0.1 * abs(moved_back.change);
	RETURN CASE WHEN v_moved >= 0.5 * abs(moved_back.change) THEN v_origins[:10] END;
END
$$;
COMMENT ON FUNCTION moved_back(watch, text, stackpath, float8, means, means, flamegraph)
	IS 'the keys of a level that changed significantly the other way in a domain, whose difference of profiles delta '
		'is, by at least half of a change together; null when there are none';

CREATE FUNCTION is_still(watch watch, before float8[], after float8[], of_sample float8) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN NOT EXISTS (SELECT 1 FROM profiling.tested(watch, 'self'::text, profiling.metric_means(before),
			profiling.metric_means(after), of_sample, (watch).alpha) AS t
		WHERE t.p_value <= (watch).alpha);
END
$$;
COMMENT ON FUNCTION is_still(watch, float8[], float8[], float8)
	IS 'whether what some runs spend in a domain does not differ significantly from what those before them do';

CREATE FUNCTION shifted(watch watch, finding finding, before means, after means) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_share CONSTANT float8 := coalesce((profiling.checked_options(watch) ->> 'shift_share')::float8, 0.2);
	v_level CONSTANT text := (finding).level;
	v_key CONSTANT profiling.regression.subject%TYPE := (finding).subject;
	v_delta profiling.rollup.flamegraph%TYPE;
	v_within profiling.rollup.flamegraph%TYPE;
	v_before float8[];
	v_after float8[];
	v_change float8;
	d record;
BEGIN
	IF v_share = 0 OR v_level NOT IN ('frame', 'self', 'stack', 'node') THEN
		RETURN finding;
	END IF;
	IF (watch).method NOT IN ('deviation', 'welch') THEN
		watch.method := CASE cardinality((after).fgs) WHEN 1 THEN 'deviation' ELSE 'welch' END;
	END IF;
	v_delta := profiling.change_between((before).fgs, (after).fgs);
	FOR d IN SELECT * FROM profiling.domains_of(v_key, v_level, v_delta) LOOP
		v_before := profiling.values_in_domain((before).fgs, d.paths, d.pattern);
		v_after := profiling.values_in_domain((after).fgs, d.paths, d.pattern);
		v_within := profiling.within_domain(v_delta, d.paths, d.pattern);
		v_change := profiling.change_of_key(v_key, v_level, v_within);
		CONTINUE WHEN abs((SELECT avg(u.v) FROM unnest(v_after) AS u (v)) - (SELECT avg(u.v)
				FROM unnest(v_before) AS u (v))) >= v_share * abs(v_change)
			OR NOT profiling.is_still(watch, v_before, v_after, (after).of_sample);
		finding.counterpart := coalesce(profiling.moved_back(watch, v_level, v_key, v_change, before, after, v_within),
			-- A function that went into its caller leaves no other function with what it calls.
			CASE v_level WHEN 'frame' THEN profiling.moved_back(watch, 'self'::text, v_key, v_change, before, after,
				v_within) END, '{}');
		IF cardinality((finding).counterpart) > 0 THEN
			finding.cause := 'shift';
			RETURN finding;
		END IF;
	END LOOP;
	RETURN finding;
END
$$;
COMMENT ON FUNCTION shifted(watch, finding, means, means)
	IS 'a finding with cause shift and the subjects that moved the other way, if there is a domain (domains_of) that '
		'did not change significantly and by less than shift_share (0.2) of what the finding did; else as it was';

CREATE VIEW cost_shift AS
SELECT f.benchmark_id, f.regression_id, b.suite, b.name, b.parameters, f.event, f.unit, f.branch, f.method, f.level,
	f.subject, f.counterpart, f.kind, f.status, f.expected, f.actual, f.diff, f.relative, f.opened_at, f.closed_at,
	f.first_test_run_id, o.commit AS first_commit, f.team
FROM regression AS f JOIN benchmark AS b ON b.benchmark_id = f.benchmark_id
	LEFT JOIN test_run AS o ON o.test_run_id = f.first_test_run_id
WHERE f.cause = 'shift';
COMMENT ON VIEW cost_shift
	IS 'findings whose cost only moved: something else in the same part of the program changed the other way as much';

-- its columns say what those of the tables say
DO $do$
DECLARE
	c pg_catalog.record;
BEGIN
	FOR c IN
		SELECT v.attname, pg_catalog.col_description(r.attrelid, r.attnum::int) AS comment
		FROM pg_catalog.pg_attribute AS v JOIN pg_catalog.pg_attribute AS r
			ON r.attname OPERATOR(pg_catalog.=) CASE WHEN v.attname OPERATOR(pg_catalog.=) 'first_commit'::name
				THEN 'commit'::name ELSE v.attname END
			AND r.attrelid OPERATOR(pg_catalog.=) ('profiling.' OPERATOR(pg_catalog.||) CASE
				WHEN v.attname::text IN ('suite', 'name', 'parameters') THEN 'benchmark'
				WHEN v.attname OPERATOR(pg_catalog.=) 'first_commit'::name THEN 'test_run'
				ELSE 'regression' END)::pg_catalog.regclass::pg_catalog.oid
		WHERE v.attrelid OPERATOR(pg_catalog.=) 'profiling.cost_shift'::pg_catalog.regclass::pg_catalog.oid
			AND v.attnum OPERATOR(pg_catalog.>) 0
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN profiling.cost_shift.%I IS %L', c.attname, c.comment);
	END LOOP;
END
$do$;
