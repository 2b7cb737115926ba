
--
-- is it there again? findings that wait for later runs
--
-- A machine that pauses makes a finding that nobody can do anything about, and the next run is as before. With
-- watch.confirm a finding is pending, and nobody is told, until as many later runs, or repetitions of its run that were
-- loaded later, have shown it. One that they do not show went away.
--

CREATE FUNCTION confirm_of(benchmark_id bigint, event text, method text) RETURNS int
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN confirm_of.method = 'service'
			THEN (SELECT (service_watch_of(b.name, confirm_of.event)).confirm FROM benchmark AS b
				WHERE b.benchmark_id = confirm_of.benchmark_id)
			ELSE (SELECT coalesce(max(w.confirm), 0) FROM watches_of(confirm_of.benchmark_id, confirm_of.event) AS w
				WHERE w.method = confirm_of.method) END;
	END;
COMMENT ON FUNCTION confirm_of(bigint, text, text)
	IS 'how many later runs must show a finding of a method, by the watch rows in force, or of a service that of '
		'service_watch';

CREATE FUNCTION value_in(fg flamegraph, level text, subject stackpath) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce((SELECT e.mean FROM entries((SELECT stats(f.fg, value_in.level)
			FROM (VALUES (value_in.fg)) AS f (fg))) AS e WHERE e.key = value_in.subject), 0::float8);
	END;
COMMENT ON FUNCTION value_in(flamegraph, text, stackpath)
	IS 'what a profile has of the subject of a finding, at its level; 0 for what is not in it';

CREATE FUNCTION shows(finding regression, fg flamegraph, metric float8) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_diff CONSTANT float8 := CASE (finding).level WHEN 'metric' THEN metric
		ELSE profiling.value_in(fg, (finding).level, (finding).subject) END - (finding).expected;
BEGIN
	RETURN coalesce(sign(v_diff) = sign((finding).diff) AND abs(v_diff) >= 0.5 * abs((finding).diff), false);
END
$$;
COMMENT ON FUNCTION shows(regression, flamegraph, float8)
	IS 'whether a profile, or the metric that came with it, differs from what was expected in the direction of a '
		'finding, by at least half of what it did last';

CREATE FUNCTION runs_that_show(finding regression, run_ids bigint[]) RETURNS int
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT count(DISTINCT r.test_run_id)
		FROM profiling.rollups_of((finding).benchmark_id, runs_that_show.run_ids) AS r
		WHERE r.event = (finding).event AND r.branch = (finding).branch
			AND r.span = 'run' AND r.test_run_id = ANY (runs_that_show.run_ids)
			AND CASE (finding).level WHEN 'metric' THEN r.metric_unit ELSE r.unit END = (finding).unit
			AND profiling.shows(finding, CASE WHEN (finding).level <> 'metric' THEN profiling.mean_profile(r.flamegraph,
				r.benchmark_id, r.pending, r.repetitions) END,
				profiling.ratio(r.metric_sum, r.metric_count::float8)));
END
$$;
COMMENT ON FUNCTION runs_that_show(regression, bigint[]) IS 'how many of some runs show a finding, each by itself';

CREATE FUNCTION later_repetitions(benchmark_id bigint, event text, unit text, test_run_id bigint, known int,
		OUT later int, OUT fg flamegraph, OUT metric float8)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT count(*)::int, avg(d.flamegraph), avg(p.metric)
		FROM (SELECT o.benchmark_id, o.profile_id, o.recorded_at, o.metric FROM profile AS o
				WHERE o.benchmark_id = later_repetitions.benchmark_id AND o.event = later_repetitions.event
					AND o.unit = later_repetitions.unit AND o.test_run_id = later_repetitions.test_run_id
				ORDER BY o.profile_id OFFSET later_repetitions.known) AS p
			JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id
				AND d.recorded_at = p.recorded_at
		WHERE later_repetitions.known IS NOT NULL;
	END;
COMMENT ON FUNCTION later_repetitions(bigint, text, text, bigint, int)
	IS 'the mean of the repetitions of a run that were loaded after so many others; later: how many these are';

CREATE FUNCTION repetitions_of(finding regression) RETURNS int
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT max(r.repetitions) FROM rollup AS r
		WHERE r.benchmark_id = (repetitions_of.finding).benchmark_id AND r.event = (repetitions_of.finding).event
			AND r.branch = (repetitions_of.finding).branch
			AND r.test_run_id = (repetitions_of.finding).last_test_run_id
			AND (r.unit = (repetitions_of.finding).unit OR (repetitions_of.finding).level = 'metric');
	END;
COMMENT ON FUNCTION repetitions_of(regression)
	IS 'how many repetitions the last run of a finding has; null for a model';

CREATE FUNCTION wait_or_open(finding regression, confirm int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_seen int := 1;
	v_ids bigint[];
	v_repetitions CONSTANT int := profiling.repetitions_of(finding);
BEGIN
	-- Several runs that were compared together may confirm each other.
	IF confirm > 0 AND (finding).first_test_run_id <> (finding).last_test_run_id THEN
		v_ids := ARRAY(SELECT r.test_run_id FROM profiling.rollup AS r
			JOIN profiling.test_run AS a ON a.test_run_id = (finding).first_test_run_id
			JOIN profiling.test_run AS z ON z.test_run_id = (finding).last_test_run_id
			WHERE r.benchmark_id = (finding).benchmark_id AND r.event = (finding).event
				AND r.branch = (finding).branch AND r.span = 'run'
				AND (r.started_at, r.test_run_id) >= (a.started_at, a.test_run_id)
				AND (r.started_at, r.test_run_id) <= (z.started_at, z.test_run_id));
		v_seen := greatest(1, profiling.runs_that_show(finding, v_ids));
	END IF;
	UPDATE profiling.regression AS r SET seen = v_seen, last_repetitions = v_repetitions,
		status = CASE WHEN v_seen <= confirm THEN 'pending' ELSE 'open' END
	WHERE r.benchmark_id = (finding).benchmark_id AND r.regression_id = (finding).regression_id;
END
$$;
COMMENT ON FUNCTION wait_or_open(regression, int)
	IS 'writes into a new finding how many runs show it: open when these are more than confirm, else pending';

CREATE FUNCTION seen_more(finding regression, unit text, run_ids bigint[]) RETURNS int
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run CONSTANT bigint := run_ids[cardinality(run_ids)];
	l record;
BEGIN
	IF v_run <> (finding).last_test_run_id THEN
		RETURN 1 + CASE WHEN (finding).status = 'pending' AND cardinality(run_ids) > 1
			THEN profiling.runs_that_show(finding, array_remove(array_remove(run_ids, v_run),
				(finding).last_test_run_id)) ELSE 0 END;
	END IF;
	-- The same run again: by what was loaded since.
	l := profiling.later_repetitions((finding).benchmark_id, (finding).event, seen_more.unit, v_run,
		(finding).last_repetitions);
	RETURN CASE WHEN l.later = 0 THEN NULL WHEN profiling.shows(finding, l.fg, l.metric) THEN l.later ELSE 0 END;
END
$$;
COMMENT ON FUNCTION seen_more(regression, text, bigint[])
	IS 'how many new runs show a finding, of which the newest does, or how many later repetitions of the run that has '
		'shown it; null for the same run without any';

CREATE FUNCTION went_away(so_far changes, benchmark_id bigint, regression_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	UPDATE profiling.regression AS r SET status = 'went_away', closed_at = now()
	WHERE r.benchmark_id = went_away.benchmark_id AND r.regression_id = went_away.regression_id;
	so_far.went_away := so_far.went_away + 1;
	so_far.ids := so_far.ids || went_away.regression_id;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION went_away(changes, bigint, bigint)
	IS 'closes a finding that was gone before it was confirmed, counted';

CREATE FUNCTION seen_by(so_far changes, benchmark_id bigint, regression_id bigint, more int, run_id bigint)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r profiling.regression;
	v_opens bool;
	v_repetitions int;
BEGIN
	SELECT o.* INTO r FROM profiling.regression AS o
	WHERE o.benchmark_id = seen_by.benchmark_id AND o.regression_id = seen_by.regression_id;
	v_opens := r.status = 'pending' AND more > 0
		AND r.seen + more > profiling.confirm_of(r.benchmark_id, r.event, r.method);
	r.last_test_run_id := run_id;
	v_repetitions := profiling.repetitions_of(r);
	UPDATE profiling.regression AS o SET last_test_run_id = run_id, seen = o.seen + coalesce(more, 0),
		last_repetitions = v_repetitions, status = CASE WHEN v_opens THEN 'open' ELSE o.status END,
		-- It is there on another night, too: it was not the machine.
		cause = CASE WHEN v_opens AND o.cause = 'environment' THEN '' ELSE o.cause END
	WHERE o.benchmark_id = seen_by.benchmark_id AND o.regression_id = seen_by.regression_id;
	IF v_opens THEN
		SELECT o.* INTO r FROM profiling.regression AS o
		WHERE o.benchmark_id = seen_by.benchmark_id AND o.regression_id = seen_by.regression_id;
		RETURN profiling.opened_now(so_far, r);
	END IF;
	so_far.updated := so_far.updated + 1;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION seen_by(changes, bigint, bigint, int, bigint)
	IS 'writes into a finding that a run, and so many runs or repetitions more than before, show it; a pending one '
		'that this confirms is open; counted';
