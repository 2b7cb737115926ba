
--
-- families of a night
--
-- A family that stands out less than Bonferroni asks for waits until all benchmarks were compared. When several
-- families of a night stand out, each of them may be believed earlier (Benjamini & Bogomolov 2014): of m families
-- those R are selected whose smallest adjusted p-value is small enough for Benjamini & Hochberg among families,
-- and what is in them is tested at alpha * R / m. Without any change R is 0 but in the share alpha of nights, so
-- that these have no more findings than before.
--

CREATE TABLE candidate (
	benchmark_id bigint NOT NULL,
	event text NOT NULL,
	unit text NOT NULL,
	branch text NOT NULL,
	watch_id bigint NOT NULL,
	run_ids bigint[] NOT NULL,
	families int NOT NULL CHECK (families > 0),
	p_value float8 NOT NULL CHECK (p_value BETWEEN 0::float8 AND 1::float8),
	alpha float8 NOT NULL CHECK (alpha > 0::float8),
	found_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (benchmark_id, event, unit, branch, watch_id)
);
COMMENT ON TABLE candidate
	IS 'families of tests of the night that stand out by themselves, until the end of the night selects some of them; '
		'empty by day';
COMMENT ON COLUMN candidate.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN candidate.event IS 'that of the profiles';
COMMENT ON COLUMN candidate.unit IS 'that of the profiles';
COMMENT ON COLUMN candidate.branch IS 'that of the runs';
COMMENT ON COLUMN candidate.watch_id IS 'the row of watch whose tests they are';
COMMENT ON COLUMN candidate.run_ids IS 'the new runs that were compared';
COMMENT ON COLUMN candidate.families IS 'how many families the night has';
COMMENT ON COLUMN candidate.p_value
	IS 'the smallest p-value adjusted within the family, of what is large enough to be a finding; at most alpha';
COMMENT ON COLUMN candidate.alpha IS 'that of the row of watch';
COMMENT ON COLUMN candidate.found_at IS 'when the runs were compared';

CREATE FUNCTION propose_family(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int, p_value float8) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- of a night that was cut short, and older than what was compared now
	DELETE FROM profiling.candidate AS c WHERE c.benchmark_id = propose_family.benchmark_id
		AND c.event = propose_family.event AND c.unit = propose_family.unit AND c.branch = propose_family.branch
		AND c.watch_id = (watch).watch_id;
	IF families < 2 OR coalesce(p_value > (watch).alpha, true)
			OR profiling.checked_options(watch) ->> 'families' IS NOT DISTINCT FROM 'bonferroni' THEN
		RETURN;
	END IF;
	INSERT INTO profiling.candidate (benchmark_id, event, unit, branch, watch_id, run_ids, families, p_value, alpha)
	VALUES (propose_family.benchmark_id, propose_family.event, propose_family.unit, propose_family.branch,
		(watch).watch_id, propose_family.run_ids, propose_family.families, propose_family.p_value, (watch).alpha);
END
$$;
COMMENT ON FUNCTION propose_family(watch, bigint, text, text, text, bigint[], int, float8)
	IS 'keeps a family whose smallest adjusted p-value is at most alpha for the end of the night, unless there is no '
		'other one, or the watch option families is bonferroni';

CREATE FUNCTION candidates_of(log_id bigint) RETURNS SETOF candidate
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT c.* FROM candidate AS c JOIN job_log AS l ON l.log_id = candidates_of.log_id
			AND (l.benchmark_id IS NULL OR l.benchmark_id = c.benchmark_id);
	END;
COMMENT ON FUNCTION candidates_of(bigint)
	IS 'the candidates of a night, or of one benchmark, by its line in job_log';

CREATE FUNCTION selected_families(log_id bigint, OUT families int, OUT selected int)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		-- One that is smaller than another has no larger need, so that the last one that has what it needs counts.
		SELECT max(p.families), coalesce(max(p.place) FILTER (WHERE p.need <= p.place::float8), 0::bigint)::int
		FROM (SELECT c.families, c.p_value / c.alpha * max(c.families) OVER ()::float8 AS need,
				row_number() OVER (ORDER BY c.p_value / c.alpha) AS place
			FROM candidates_of(selected_families.log_id) AS c) AS p;
	END;
COMMENT ON FUNCTION selected_families(bigint)
	IS 'how many of the families of a night stand out, by Benjamini & Hochberg among families: the largest R of which '
		'each has a p-value of at most alpha * R / families';

CREATE FUNCTION profile_of_run(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint)
	RETURNS flamegraph
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT summed(r.flamegraph, r.benchmark_id, r.pending)
		FROM rollups_of(profile_of_run.benchmark_id, ARRAY[profile_of_run.test_run_id]) AS r
		WHERE r.event = profile_of_run.event
			AND r.unit = profile_of_run.unit AND r.branch = profile_of_run.branch
			AND r.test_run_id = profile_of_run.test_run_id;
	END;
COMMENT ON FUNCTION profile_of_run(bigint, text, text, text, bigint) IS 'a run: the sum of its repetitions';

CREATE FUNCTION adjust_finding(candidate candidate, finding finding) RETURNS bool
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.candidate := candidate;
	f CONSTANT profiling.finding := finding;
BEGIN
	UPDATE profiling.regression AS r SET q_value = CASE WHEN r.status IN ('open', 'pending') THEN f.q_value
		ELSE r.q_value END
	WHERE r.benchmark_id = c.benchmark_id AND r.event = f.event AND r.unit = f.unit AND r.branch = f.branch
		AND r.method = f.method AND r.level = f.level AND r.subject_id = f.subject_id
		AND (r.opened_at = c.found_at OR r.closed_at >= c.found_at);
	RETURN FOUND;
END
$$;
COMMENT ON FUNCTION adjust_finding(candidate, finding)
	IS 'whether the comparison of a candidate has opened a finding already, which gets its new q_value, or closed it: '
		'what ends is not opened as its opposite';

CREATE FUNCTION take_explained(so_far changes, candidate candidate, method text, baseline text, level text,
		subject_ids uuid[]) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.candidate := candidate;
	v_gone profiling.regression[];
	g record;
BEGIN
	WITH gone AS (
		DELETE FROM profiling.regression AS r
		WHERE r.benchmark_id = c.benchmark_id AND r.event = c.event AND r.unit = c.unit AND r.branch = c.branch
			AND r.method = take_explained.method AND r.baseline = take_explained.baseline
			AND r.level = take_explained.level AND r.subject_id <> ALL (take_explained.subject_ids)
			AND r.opened_at = c.found_at AND r.notified_at IS NULL AND r.status IN ('open', 'pending')
		RETURNING r
	)
	SELECT array_agg(o.r) INTO v_gone FROM gone AS o;
	SELECT count(*) FILTER (WHERE o.status = 'pending') AS pending,
		count(*) FILTER (WHERE o.status = 'open' AND NOT profiling.is_told(o)) AS shifted INTO g
	FROM unnest(v_gone) AS o;
	so_far.pending := so_far.pending - g.pending;
	so_far.shifted := so_far.shifted - g.shifted;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION take_explained(changes, candidate, text, text, text, uuid[])
	IS 'takes away what the comparison of a candidate has opened at first and is explained by these subjects, which '
		'were found now, counted';

CREATE FUNCTION find_in_selected(so_far changes, candidate candidate, families float8) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.candidate := candidate;
	w CONSTANT profiling.watch := (SELECT o FROM profiling.watch AS o WHERE o.watch_id = (candidate).watch_id);
	v_fg CONSTANT profiling.rollup.flamegraph%TYPE := profiling.profile_of_run(c.benchmark_id, c.event, c.unit,
		c.branch, c.run_ids[cardinality(c.run_ids)]);
	f profiling.finding;
	v_level text;
	v_subjects uuid[] := '{}';
BEGIN
	IF w.watch_id IS NULL THEN
		RETURN so_far;
	END IF;
	FOR f IN SELECT * FROM profiling.found(w, c.benchmark_id, c.event, c.unit, c.branch, c.run_ids, families) LOOP
		IF f.level <> 'metric' THEN
			v_level := f.level;
			v_subjects := v_subjects || f.subject_id;
		END IF;
		CONTINUE WHEN profiling.adjust_finding(c, f);
		so_far := profiling.opened(so_far, c.benchmark_id, f, v_fg, w.confirm);
	END LOOP;
	RETURN profiling.take_explained(so_far, c, w.method, ''::text, v_level, v_subjects);
END
$$;
COMMENT ON FUNCTION find_in_selected(changes, candidate, float8)
	IS 'tests a family that was selected again, by what alpha has for each of fewer families, and opens what that '
		'finds more, counted';

CREATE FUNCTION night_selection(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	s CONSTANT record := profiling.selected_families(night_selection.log_id);
	c profiling.candidate;
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done profiling.changes := ROW(0, 0, 0, '{}'::bigint[], 0, 0, 0, NULL);
BEGIN
	-- One alone is tested as Bonferroni has it, and was.
	FOR c IN SELECT o.* FROM profiling.candidates_of(night_selection.log_id) AS o
		WHERE s.selected > 1 AND o.p_value / o.alpha * s.families <= s.selected
		ORDER BY o.benchmark_id, o.event COLLATE "C", o.unit COLLATE "C", o.branch COLLATE "C", o.watch_id
	LOOP
		BEGIN
			v_done := profiling.find_in_selected(v_done, c, s.families::float8 / s.selected);
		EXCEPTION WHEN OTHERS THEN
			-- What is wrong with one of them does not keep the others from being found.
			PERFORM profiling.log_job('night_selection'::text, 'failed'::text, v_started,
				concat_ws(' ', SQLSTATE, SQLERRM), c.benchmark_id);
		END;
	END LOOP;
	FOR c IN SELECT o.* FROM profiling.candidates_of(night_selection.log_id) AS o LOOP
		DELETE FROM profiling.candidate AS d
		WHERE d.benchmark_id = c.benchmark_id AND d.event = c.event AND d.unit = c.unit AND d.branch = c.branch
			AND d.watch_id = c.watch_id AND d.found_at = c.found_at;
	END LOOP;
	PERFORM profiling.count_kept(night_selection.log_id, 'pending'::text, v_done.pending);
	PERFORM profiling.count_kept(night_selection.log_id, 'shift'::text, v_done.shifted);
	RETURN CASE WHEN s.selected > 1 THEN format('%s of %s families selected, %s findings more', s.selected, s.families,
		v_done.opened + v_done.pending) ELSE '' END;
END
$$;
COMMENT ON FUNCTION night_selection(bigint)
	IS 'a step of finish_night(), the first one: tests the families that stand out together at alpha * R / families '
		'and opens what that finds more (selected_families); words for job_log, or empty';
