
--
-- the machine, not the code
--
-- When another program runs beside the benchmarks of a night, or the machine is another one, what they cost changes
-- together, in all of their functions. That is one finding about the machine; the others of the night wait.
--

CREATE TYPE host_change AS (host text, level text, benchmark_id bigint, name text, event text, unit text, branch text,
	test_run_id bigint, metric_unit text, expected float8, actual float8, change float8, score float8);
COMMENT ON TYPE host_change
	IS 'how the total (level stack) or the metric of a benchmark''s newest run compares with the median of the 10 runs '
		'before it on the same host, or of a new host on any: change is the logarithm of their quotient, of a '
		'throughput the negative one, score that in standard deviations';

CREATE FUNCTION host_of(labels jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(host_of.labels ->> 'host'::text, '');
	END;
COMMENT ON FUNCTION host_of(jsonb) IS 'the host of a run, by its labels; empty when they do not say';

CREATE FUNCTION history_on_host(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		host text, OUT totals float8[], OUT metrics float8[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_host text;
	v_runs int;
BEGIN
	-- What ran elsewhere until yesterday is compared with that: all of it changes together when the machine is another.
	FOREACH v_host IN ARRAY ARRAY[history_on_host.host, NULL] LOOP
		SELECT array_agg(h.total) FILTER (WHERE h.total > 0 AND h.total < 1e300),
			array_agg(h.metric) FILTER (WHERE h.metric > 0 AND h.metric < 1e300), count(*)
		INTO totals, metrics, v_runs
		FROM (SELECT profiling.ratio(r.total, r.repetitions::float8) AS total,
				CASE r.metric_unit WHEN n.metric_unit THEN profiling.ratio(r.metric_sum, r.metric_count::float8) END
					AS metric
			FROM profiling.rollup AS n JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id
				AND r.event = n.event AND r.unit = n.unit AND r.branch = n.branch AND r.span = 'run'
				AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id)
				JOIN profiling.test_run AS t ON t.test_run_id = r.test_run_id
					AND profiling.host_of(t.labels) = coalesce(v_host, profiling.host_of(t.labels))
			WHERE n.benchmark_id = history_on_host.benchmark_id AND n.event = history_on_host.event
				AND n.unit = history_on_host.unit AND n.branch = history_on_host.branch
				AND n.test_run_id = history_on_host.test_run_id
			ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 10) AS h;
		EXIT WHEN v_runs >= 5;
	END LOOP;
END
$$;
COMMENT ON FUNCTION history_on_host(bigint, text, text, text, bigint, text)
	IS 'totals and metrics of the 10 runs before one on the same branch and host, or where the host has fewer than 5 '
		'on any host; those that have a logarithm';

CREATE FUNCTION log_change(value float8, before float8[], OUT expected float8, OUT change float8, OUT score float8)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		WITH logs AS (SELECT ln(u.v) AS v FROM pg_catalog.unnest(log_change.before) AS u (v)),
			middle AS (SELECT percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY l.v) AS v, count(*) AS n
				FROM logs AS l),
			spread AS (SELECT 1.4826::float8 * percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY abs(l.v - m.v)) AS v
				FROM logs AS l, middle AS m)
		SELECT exp(m.v), c.v - m.v,
			-- Totals of a few runs are sometimes the same; a machine is not.
			(c.v - m.v) / (greatest(s.v, 0.01::float8) * sqrt(1::float8 + 1::float8 / m.n::float8))
		FROM middle AS m, spread AS s,
			-- Where this is part of a larger query, WHERE may come after what is selected.
			(SELECT ln(CASE WHEN log_change.value > 0::float8 AND log_change.value < 1e300::float8
				THEN log_change.value END) AS v) AS c
		WHERE m.n >= 5 AND c.v IS NOT NULL;
	END;
COMMENT ON FUNCTION log_change(float8, float8[])
	IS 'the logarithm of a value less the median of those of at least 5 before, and that in standard deviations, '
		'estimated by the median absolute deviation, at least 0.01; expected: the median';

CREATE FUNCTION newest_checked(since timestamptz) RETURNS TABLE (host text, benchmark_id bigint, name text,
		metric_direction text, event text, unit text, branch text, test_run_id bigint, started_at timestamptz,
		total float8, repetitions int, metric_count int, metric_sum float8, metric_unit text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT DISTINCT ON (r.benchmark_id, r.event, r.unit, r.branch) host_of(t.labels), r.benchmark_id, b.name,
			b.metric_direction, r.event, r.unit, r.branch, r.test_run_id, r.started_at, r.total, r.repetitions,
			r.metric_count, r.metric_sum, r.metric_unit
		FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
			JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
		WHERE r.checked_at >= newest_checked.since AND r.span = 'run' AND has_begun(r.started_at)
		ORDER BY r.benchmark_id, r.event, r.unit, r.branch, r.started_at DESC, r.test_run_id DESC;
	END;
COMMENT ON FUNCTION newest_checked(timestamptz)
	IS 'the newest run of each benchmark, event, unit and branch, of those that were looked at since a time';

CREATE FUNCTION host_changes(since timestamptz) RETURNS SETOF host_change
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT n.host, v.level, n.benchmark_id, n.name, n.event, n.unit, n.branch, n.test_run_id, n.metric_unit,
			c.expected, v.value, v.sign * c.change, v.sign * c.score
		FROM newest_checked(host_changes.since) AS n
			CROSS JOIN LATERAL history_on_host(n.benchmark_id, n.event, n.unit, n.branch, n.test_run_id, n.host) AS h
			CROSS JOIN LATERAL (VALUES ('stack', ratio(n.total, n.repetitions::float8), h.totals, 1::float8),
				('metric', ratio(n.metric_sum, n.metric_count::float8), h.metrics,
					CASE n.metric_direction WHEN 'higher' THEN -1::float8 ELSE 1::float8 END))
				AS v (level, value, before, sign)
			CROSS JOIN LATERAL log_change(v.value, v.before) AS c
		WHERE c.change IS NOT NULL
			AND (NOT EXISTS (SELECT 1 FROM watch AS w WHERE w.options ->> 'environment'::text = 'false')
			OR NOT EXISTS (SELECT 1 FROM watches_of(n.benchmark_id, n.event) AS w
				WHERE w.options ->> 'environment'::text = 'false'));
	END;
COMMENT ON FUNCTION host_changes(timestamptz)
	IS 'how the newest runs of all benchmarks that were looked at since a time compare with those before on their '
		'hosts, but for benchmarks with a watch row whose option environment is false';

CREATE FUNCTION typical_change(before flamegraph[], current flamegraph) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT min(s.change) FILTER (WHERE s.below >= s.whole / 2::float8)
		FROM (SELECT f.change, sum(f.expected) OVER (ORDER BY f.change, f.n) AS below, sum(f.expected) OVER () AS whole
			FROM (SELECT b.mean AS expected, row_number() OVER () AS n,
					ln(least(greatest(ratio(coalesce(a.mean, 0::float8), b.mean), 1e-9::float8), 1e9::float8)) AS change
				FROM means_of(typical_change.before, 'self'::text) AS b
					LEFT JOIN means_of(ARRAY[typical_change.current], 'self'::text) AS a ON a.key = b.key
				WHERE b.mean BETWEEN 1e-150::float8 AND 1e150::float8) AS f) AS s;
	END;
COMMENT ON FUNCTION typical_change(flamegraph[], flamegraph)
	IS 'the logarithm of the factor by which the typical function of a run changed: the median over the functions, '
		'weighted by what each of them cost itself before; that a few functions changed does not move it';

CREATE FUNCTION is_everywhere(change host_change, total_change float8) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	c CONSTANT profiling.host_change := change;
	v_before CONSTANT record := profiling.run_means(c.benchmark_id, c.event, c.unit, profiling.runs_before(
		c.benchmark_id, c.event, c.unit, c.branch, c.test_run_id, 'window:10'::text));
	v_now CONSTANT record := profiling.run_means(c.benchmark_id, c.event, c.unit, ARRAY[c.test_run_id]);
BEGIN
	-- What a few functions have more than the typical one is the code's.
	RETURN (total_change - coalesce(profiling.typical_change(v_before.fgs, v_now.fgs[1]), 0)) * sign(c.change)
		<= abs(c.change) / 2;
END
$$;
COMMENT ON FUNCTION is_everywhere(host_change, float8)
	IS 'whether at most half of the change of a benchmark is that of a few functions; total_change: the change of its '
		'total, 0 when it is not known';

CREATE FUNCTION one_for_each(changes host_change[], host text, level text) RETURNS host_change[]
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN ARRAY(SELECT c.c FROM (SELECT u AS c, row_number() OVER w AS place,
			count(*) OVER (PARTITION BY u.benchmark_id) AS rows
		FROM unnest(changes) AS u WHERE u.host = one_for_each.host AND u.level = one_for_each.level
		WINDOW w AS (PARTITION BY u.benchmark_id ORDER BY u.change, u.event, u.unit, u.branch)) AS c
		WHERE c.place = (c.rows + 1) / 2 ORDER BY (c.c).benchmark_id);
END
$$;
COMMENT ON FUNCTION one_for_each(host_change[], text, text)
	IS 'the changes of a host and level, for each benchmark its middle one';

CREATE FUNCTION host_median(changes host_change[], OUT change float8, OUT score float8, OUT moved host_change[],
		OUT n int)
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
BEGIN
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY u.change), percentile_cont(0.5) WITHIN GROUP (ORDER BY u.score),
		count(*) INTO change, score, n
	FROM unnest(changes) AS u;
	moved := ARRAY(SELECT u FROM unnest(changes) AS u WHERE sign(u.change) = sign(host_median.change)
		AND abs(u.change) BETWEEN abs(host_median.change) / 3 AND abs(host_median.change) * 3 AND abs(u.score) >= 3
		-- the most typical first
		ORDER BY abs(u.change - host_median.change), u.benchmark_id);
END
$$;
COMMENT ON FUNCTION host_median(host_change[])
	IS 'the median change and score of some benchmarks, and those that moved like it: the same way, by a third to '
		'three times as much on the logarithmic scale and by at least 3 standard deviations, the most typical one '
		'first';

CREATE FUNCTION moved_host(changes host_change[], host text, level text, refs text[]) RETURNS host_change[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_all CONSTANT profiling.host_change[] := profiling.one_for_each(changes, host, level);
	v_refs CONSTANT profiling.host_change[] := ARRAY(SELECT u FROM unnest(v_all) AS u WHERE u.name = ANY (refs));
	m record;
BEGIN
	IF cardinality(v_refs) > 0 THEN
		-- A fixed loop knows: when it stands still, it is the code.
		m := profiling.host_median(v_refs);
		RETURN CASE WHEN abs(m.change) >= ln(1.05::float8) AND abs(m.score) >= 4 THEN m.moved ELSE '{}' END;
	END IF;
	m := profiling.host_median(v_all);
	IF m.n < 3 OR abs(m.change) < ln(1.1::float8) OR abs(m.score) < 3 OR 2 * cardinality(m.moved) <= m.n THEN
		RETURN '{}';
	END IF;
	-- Of many benchmarks 20 say what the others do.
	m.moved := ARRAY(SELECT v FROM unnest(m.moved[:20]) AS v WHERE profiling.is_everywhere(v, coalesce((SELECT t.change
		FROM unnest(changes) AS t WHERE t.level = 'stack' AND t.benchmark_id = v.benchmark_id AND t.event = v.event
			AND t.unit = v.unit AND t.branch = v.branch), 0)));
	RETURN CASE WHEN 2 * cardinality(m.moved) > least(m.n, 20) THEN m.moved ELSE '{}' END;
END
$$;
COMMENT ON FUNCTION moved_host(host_change[], text, text, text[])
	IS 'the benchmarks that show that a host changed, the most typical one first; none when it did not: with '
		'references (refs: names) when they moved by 5 percent and 4 standard deviations, else when the median of at '
		'least 3 benchmarks moved by 10 percent and 3, and more than half of them like it and everywhere '
		'(is_everywhere)';

--
-- one finding, and others that wait
--

CREATE FUNCTION open_environments(host text) RETURNS SETOF regression
	LANGUAGE sql STABLE ROWS 1
	BEGIN ATOMIC
		SELECT r.* FROM regression AS r JOIN test_run AS t ON t.test_run_id = r.first_test_run_id
		WHERE r.kind = 'environment' AND r.status IN ('open', 'acknowledged')
			AND host_of(t.labels) = open_environments.host;
	END;
COMMENT ON FUNCTION open_environments(text) IS 'findings about a host that are open';

CREATE FUNCTION open_environment(host text, moved host_change[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.host_change := moved[1];
	v_nothing CONSTANT profiling.regression.subject%TYPE := '';
	o profiling.regression;
BEGIN
	FOR o IN SELECT f.* FROM profiling.open_environments(open_environment.host) AS f LOOP
		UPDATE profiling.regression AS r SET last_test_run_id = c.test_run_id, seen = r.seen + 1
		WHERE r.benchmark_id = o.benchmark_id AND r.regression_id = o.regression_id;
	END LOOP;
	IF FOUND THEN
		RETURN;
	END IF;
	INSERT INTO profiling.regression AS r (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id,
		method, level, subject, subject_id, expected, actual, diff, relative, score, kind, cause, note)
	SELECT c.benchmark_id, c.event, CASE c.level WHEN 'metric' THEN c.metric_unit ELSE c.unit END, c.branch,
		c.test_run_id, c.test_run_id, 'environment', c.level, v_nothing, profiling.subject_id(v_nothing), c.expected,
		c.actual, c.actual - c.expected, profiling.ratio(c.actual - c.expected, c.expected), c.score, 'environment',
		'environment', format('%s benchmarks%s changed together, by factors from %s to %s: %s', cardinality(moved),
			CASE open_environment.host WHEN '' THEN '' ELSE format(' on host "%s"', open_environment.host) END,
			round(exp(greatest(least(min(u.change), 700), -700))::numeric, 2),
			round(exp(greatest(least(max(u.change), 700), -700))::numeric, 2),
			left(string_agg(u.name, ', ' ORDER BY u.name COLLATE "C"), 500))
	FROM unnest(moved) AS u
	ON CONFLICT (benchmark_id, event, unit, branch, method, level, subject_id)
		WHERE status IN ('open', 'acknowledged', 'pending') DO NOTHING;
END
$$;
COMMENT ON FUNCTION open_environment(text, host_change[])
	IS 'puts into regression that a host changed, on the most typical of the benchmarks that show it; or brings what '
		'is open about it up to date';

CREATE FUNCTION hold_back(host text, since timestamptz) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_held int := 0;
	f record;
BEGIN
	FOR f IN
		SELECT r.benchmark_id, r.regression_id, r.event, r.method, r.level
		FROM profiling.regression AS r JOIN profiling.test_run AS t ON t.test_run_id = r.last_test_run_id
		WHERE r.opened_at >= since AND r.status IN ('open', 'pending') AND r.notified_at IS NULL
			AND r.kind <> 'environment' AND profiling.host_of(t.labels) = hold_back.host
		ORDER BY r.benchmark_id, r.regression_id
	LOOP
		CONTINUE WHEN profiling.watch_option(f.benchmark_id, f.event, f.method, f.level, 'environment'::text) = 'false';
		UPDATE profiling.regression AS r SET status = 'pending',
			-- A cost that only moved stays one, whatever the machine did.
			cause = CASE r.cause WHEN 'shift' THEN r.cause ELSE 'environment' END
		WHERE r.benchmark_id = f.benchmark_id AND r.regression_id = f.regression_id;
		v_held := v_held + 1;
	END LOOP;
	RETURN v_held;
END
$$;
COMMENT ON FUNCTION hold_back(text, timestamptz)
	IS 'makes the findings of a host that were opened since a time pending, until a later run shows them, too; returns '
		'how many';

CREATE FUNCTION night_environment(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_night CONSTANT profiling.job_log := (SELECT l FROM profiling.job_log AS l
		WHERE l.log_id = night_environment.log_id);
	v_since CONSTANT timestamptz := (SELECT l.started_at FROM profiling.job_log AS l
		WHERE l.log_id = profiling.first_of_night(night_environment.log_id));
	v_changes CONSTANT profiling.host_change[] := ARRAY(SELECT c FROM profiling.host_changes(v_since) AS c);
	v_refs CONSTANT text[] := ARRAY(SELECT DISTINCT w.options ->> 'reference' FROM profiling.watch AS w
		WHERE w.enabled AND w.options ? 'reference');
	v_moved profiling.host_change[];
	v_held int := 0;
	v_hosts int := 0;
	h record;
	o profiling.regression;
BEGIN
	-- One benchmark alone says nothing about its machine.
	IF v_night.benchmark_id IS NOT NULL THEN
		RETURN '';
	END IF;
	FOR h IN SELECT u.host, count(DISTINCT u.benchmark_id) AS benchmarks, bool_or(u.name = ANY (v_refs)) AS has_ref
		FROM unnest(v_changes) AS u GROUP BY 1 ORDER BY 1
	LOOP
		v_moved := profiling.moved_host(v_changes, h.host, 'stack'::text, v_refs);
		IF cardinality(v_moved) = 0 THEN
			v_moved := profiling.moved_host(v_changes, h.host, 'metric'::text, v_refs);
		END IF;
		IF cardinality(v_moved) > 0 THEN
			v_hosts := v_hosts + 1;
			v_held := v_held + profiling.hold_back(h.host, v_since);
			PERFORM profiling.open_environment(h.host, v_moved);
		ELSIF h.benchmarks >= 3 OR h.has_ref THEN
			FOR o IN SELECT f.* FROM profiling.open_environments(h.host) AS f LOOP
				UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now(), notified_at = NULL
				WHERE r.benchmark_id = o.benchmark_id AND r.regression_id = o.regression_id;
			END LOOP;
		END IF;
	END LOOP;
	PERFORM profiling.count_kept(night_environment.log_id, 'environment'::text, v_held);
	RETURN CASE WHEN v_hosts > 0 THEN format('%s hosts changed, %s findings wait', v_hosts, v_held) ELSE '' END;
END
$$;
COMMENT ON FUNCTION night_environment(bigint)
	IS 'a step of finish_night(): hosts on which unrelated benchmarks changed together (moved_host) get one finding of '
		'kind environment, closed when they do not any more; what else was found on them waits as pending; words for '
		'job_log, or empty';

--
-- the speed of a host
--

CREATE FUNCTION total_between(benchmark_id bigint, host text, since timestamptz, until timestamptz) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY ln(k.total))
		FROM (SELECT ratio(r.total, r.repetitions::float8) AS total,
				rank() OVER (ORDER BY r.event, r.unit, r.branch) AS place
			FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
			WHERE r.benchmark_id = total_between.benchmark_id AND r.span = 'run'
				AND host_of(t.labels) = total_between.host
				AND r.started_at BETWEEN total_between.since AND total_between.until) AS k
		-- of several events and branches one
		WHERE k.place = 1 AND k.total > 0::float8 AND k.total < 1e300::float8;
	END;
COMMENT ON FUNCTION total_between(bigint, text, timestamptz, timestamptz)
	IS 'the logarithm of the median total of a benchmark''s runs on a host in a time; of the first event and branch';

CREATE FUNCTION host_factor(benchmark_id bigint, event text, unit text, branch text, before_ids bigint[],
		run_ids bigint[]) RETURNS float8
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_host CONSTANT text := (SELECT profiling.host_of(t.labels) FROM profiling.test_run AS t
		WHERE t.test_run_id = run_ids[cardinality(run_ids)]);
	v_of CONSTANT text := profiling.watch_option(host_factor.benchmark_id, host_factor.event, NULL::text, NULL::text,
		'reference'::text);
	v_factor float8;
BEGIN
	WITH spans AS (
		SELECT u.is_new, min(t.started_at) - interval '12 hours' AS since,
			max(t.started_at) + interval '12 hours' AS until
		FROM (SELECT o.id, false AS is_new FROM unnest(before_ids) AS o (id)
			UNION ALL SELECT n.id, true FROM unnest(run_ids) AS n (id)) AS u
			JOIN profiling.test_run AS t ON t.test_run_id = u.id GROUP BY 1
	), changes AS (
		SELECT b.name = v_of AS is_reference, profiling.total_between(b.benchmark_id, v_host, n.since, n.until)
			- profiling.total_between(b.benchmark_id, v_host, o.since, least(o.until, n.since)) AS change
		FROM profiling.benchmark AS b, spans AS n, spans AS o WHERE n.is_new AND NOT o.is_new
	)
	SELECT CASE WHEN count(*) FILTER (WHERE c.is_reference) > 0
			THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY c.change) FILTER (WHERE c.is_reference)
		WHEN count(*) >= 3 THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY c.change) ELSE 0 END INTO v_factor
	FROM changes AS c WHERE c.change IS NOT NULL;
	RETURN exp(least(greatest(v_factor, -230), 230));
END
$$;
COMMENT ON FUNCTION host_factor(bigint, text, text, text, bigint[], bigint[])
	IS 'by what values of some runs must be divided to be compared with earlier runs, when their host was faster or '
		'slower: the median over all benchmarks of the host of the quotient of their totals, within 12 hours of these '
		'runs and in the time of the earlier ones; that of the benchmark of the option reference where there is one; 1 '
		'where fewer than 3 benchmarks say something';
