
--
-- months: partitions come ahead of time, and whole ones go
--
-- All of this is for the owner of the tables. maintain() and prune() commit as they
-- go, so they are called alone and keep no search path: every name and operator is
-- qualified, and what they do is in functions that have one.
--

CREATE FUNCTION month_start(month date) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT date_trunc('month'::text, month::timestamp) AT TIME ZONE 'UTC';
	END;
COMMENT ON FUNCTION month_start(date)
	IS 'when a month begins: months are those of UTC, whatever the session''s time zone is';

CREATE FUNCTION month_of(moment timestamptz) RETURNS date
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT date_trunc('month'::text, moment AT TIME ZONE 'UTC')::date;
	END;
COMMENT ON FUNCTION month_of(timestamptz) IS 'first day of the month, in UTC, that a moment belongs to';

CREATE FUNCTION partition_months(OUT partition text, OUT month date) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT c.relname::text, to_date(right(c.relname::text, 6), 'YYYYMM'::text)
		FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'profile_data'::regclass::oid AND c.relname::text ~ '^profile_data_[0-9]{6}$'::text
		ORDER BY 2;
	END;
COMMENT ON FUNCTION partition_months()
	IS 'the partitions of profile_data and their months; the default partition is not one';

-- Bounds are put into statements as text. In ISO it says how far from UTC it is; the other styles name the zone, and
-- IST, CST and others are several.
CREATE FUNCTION add_partition(month date) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' SET datestyle = 'ISO' AS $$
#variable_conflict use_column
DECLARE
	v_month CONSTANT date := date_trunc('month', add_partition.month::timestamp);
	v_name CONSTANT text := 'profile_data_' || to_char(v_month, 'YYYYMM');
	v_from CONSTANT timestamptz := profiling.month_start(v_month);
	v_to CONSTANT timestamptz := profiling.month_start((v_month + interval '1 month')::date);
BEGIN
	IF add_partition.month IS NULL OR v_month NOT BETWEEN date '1000-01-01' AND date '9999-11-01' THEN
		RAISE EXCEPTION 'no partition can be made for month %', coalesce(add_partition.month::text, 'NULL')
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- Loaders wait here. ATTACH would let them in, but one that has chosen the default partition for its row by then
	-- would fail as soon as it is allowed to write.
	LOCK TABLE ONLY profiling.profile_data IN SHARE ROW EXCLUSIVE MODE;
	IF EXISTS (SELECT 1 FROM profiling.partition_months() AS p WHERE p.partition = v_name) THEN
		RETURN v_name;
	END IF;
	LOCK TABLE profiling.profile_data_default IN ACCESS EXCLUSIVE MODE;

	EXECUTE format('CREATE TABLE profiling.%I (LIKE profiling.profile_data INCLUDING COMPRESSION INCLUDING STORAGE,'
		' CONSTRAINT of_month CHECK (recorded_at >= %L AND recorded_at < %L)) WITH (parallel_workers = 4)', v_name,
			v_from, v_to);
	EXECUTE format('COMMENT ON TABLE profiling.%I IS %L', v_name, 'profiles recorded in '
		|| to_char(v_month, 'YYYY-MM'));
	EXECUTE format('ALTER TABLE profiling.%I OWNER TO %I', v_name,
		(SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'profiling.profile_data'::regclass));
	EXECUTE format('WITH moved AS (DELETE FROM profiling.profile_data_default '
		'WHERE recorded_at >= %L AND recorded_at < %L RETURNING *)'
		' INSERT INTO profiling.%I SELECT * FROM moved', v_from, v_to, v_name);
	EXECUTE format('ALTER TABLE profiling.%I ADD PRIMARY KEY (benchmark_id, profile_id)', v_name);
	EXECUTE format('CREATE INDEX %I ON profiling.%I USING gin (flamegraph)', v_name || '_flamegraph_idx', v_name);
	-- The check spares ATTACH reading the table.
	EXECUTE format('ALTER TABLE profiling.profile_data ATTACH PARTITION profiling.%I FOR VALUES FROM (%L) TO (%L)',
		v_name, v_from, v_to);
	EXECUTE format('ALTER TABLE profiling.%I DROP CONSTRAINT of_month', v_name);
	RETURN v_name;
END
$$;
COMMENT ON FUNCTION add_partition(date)
	IS 'makes the partition of the month that this day is in, moves its rows out of the default partition, and '
		'returns its name; does nothing when it is there';

CREATE FUNCTION log_job(step text, outcome text, started_at timestamptz, detail text DEFAULT '',
		benchmark_id bigint DEFAULT NULL, kept_back jsonb DEFAULT '{}') RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		INSERT INTO job_log (started_at, finished_at, benchmark_id, step, outcome, detail, kept_back)
		VALUES (log_job.started_at, clock_timestamp(), log_job.benchmark_id, log_job.step, log_job.outcome,
			log_job.detail, log_job.kept_back);
	END;
COMMENT ON FUNCTION log_job(text, text, timestamptz, text, bigint, jsonb) IS 'writes a line into job_log';

CREATE FUNCTION runs_to_keep(keep_runs int DEFAULT 30, OUT benchmark_id bigint, OUT event text,
		OUT test_run_id bigint) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		-- the newest ones: as many as were asked for, and as any watch row looks back
		SELECT n.benchmark_id, n.event, n.test_run_id
		FROM (SELECT DISTINCT r.benchmark_id, r.event, r.test_run_id,
				dense_rank() OVER (PARTITION BY r.benchmark_id, r.event, r.branch ORDER BY r.started_at DESC,
					r.test_run_id DESC) AS age
			FROM rollup AS r WHERE r.span = 'run') AS n
		WHERE n.age <= greatest(runs_to_keep.keep_runs,
			(SELECT 1 + max(substring(w.baseline FROM '^window:([0-9]+)$'::text)::int) FROM watch AS w WHERE w.enabled))
		UNION
		-- what a season goes back to
		SELECT r.benchmark_id, r.event, r.test_run_id
		FROM rollup AS r JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
			JOIN watch AS w ON b.suite LIKE w.suite AND b.name LIKE w.benchmark AND r.event LIKE w.event AND w.enabled
			CROSS JOIN LATERAL season_of(w.baseline) AS s
		WHERE r.span = 'run' AND r.started_at >= (now() AT TIME ZONE 'UTC'
			- s.period * (s.periods::float8 + 0.05::float8)) AT TIME ZONE 'UTC'
		UNION
		-- what a finding refers to that is open or pending
		SELECT f.benchmark_id, f.event, u.test_run_id
		FROM regression AS f, pg_catalog.unnest(ARRAY[f.first_test_run_id, f.last_test_run_id]) AS u (test_run_id)
		WHERE f.status IN ('open', 'acknowledged', 'pending')
		UNION
		-- what a baseline names
		SELECT r.benchmark_id, r.event, r.test_run_id
		FROM rollup AS r JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
			JOIN test_run AS t ON t.test_run_id = r.test_run_id
			JOIN watch AS w ON b.suite LIKE w.suite AND b.name LIKE w.benchmark AND r.event LIKE w.event AND w.enabled
		WHERE CASE WHEN w.baseline LIKE 'commit:%' THEN starts_with(t.commit, substr(w.baseline, 8))
				   WHEN w.baseline LIKE 'version:%' THEN t.version = substr(w.baseline, 9)
				   ELSE false END;
	END;
COMMENT ON FUNCTION runs_to_keep(int)
	IS 'what retention keeps however old it is: the newest runs of each benchmark, event and branch, runs that open '
		'findings refer to, and runs that baselines name or go back to';

CREATE AGGREGATE merged_stats(flamestats) (
	SFUNC = flamestats_combine,
	STYPE = flamestats,
	COMBINEFUNC = flamestats_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE merged_stats(flamestats) IS 'several samples of one level as one; NULL when there are none';

-- Rows of one metric_unit, or without a metric, all of them folded, locked by the caller. Merged in the order of their
-- runs, so that the same runs make the same bytes whenever they are merged.
CREATE FUNCTION merge_rows(benchmark_ids bigint[], event text, unit text, branch text, metric_unit text,
		test_run_ids bigint[], span text) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		WITH gone AS (
			DELETE FROM rollup AS r
			WHERE r.benchmark_id = ANY (merge_rows.benchmark_ids) AND r.event = merge_rows.event
				AND r.unit = merge_rows.unit
				AND r.branch = merge_rows.branch AND r.test_run_id = ANY (merge_rows.test_run_ids)
			RETURNING r.*
		), facts AS (
			SELECT (pg_catalog.array_agg(o.test_run_id ORDER BY o.started_at DESC,
				o.test_run_id DESC))[1] AS test_run_id,
				max(o.started_at) AS started_at, sum(o.repetitions)::int AS repetitions,
					sum(o.total ORDER BY o.started_at, o.test_run_id) AS total,
				sum(o.truncated_total ORDER BY o.started_at, o.test_run_id) AS truncated_total,
					sum(o.metric_count)::int AS metric_count,
				sum(o.metric_sum ORDER BY o.started_at, o.test_run_id) AS metric_sum,
				sum(o.flamegraph ORDER BY o.started_at, o.test_run_id) AS flamegraph,
				recorded_sum(ROW(o.flamegraph, o.period, o.samples, o.noise)::recorded
					ORDER BY o.started_at, o.test_run_id) AS recorded,
				merged_stats(stats_of(o.stats_stack, o.flamegraph, 'stack'::text)
					ORDER BY o.started_at, o.test_run_id) AS stats_stack,
				merged_stats(stats_of(o.stats_node, o.flamegraph, 'node'::text)
					ORDER BY o.started_at, o.test_run_id) AS stats_node,
				merged_stats(stats_of(o.stats_frame, o.flamegraph, 'frame'::text)
					ORDER BY o.started_at, o.test_run_id) AS stats_frame,
				merged_stats(stats_of(o.stats_self, o.flamegraph, 'self'::text)
					ORDER BY o.started_at, o.test_run_id) AS stats_self
			FROM gone AS o
		)
		INSERT INTO rollup AS r (benchmark_id, event, unit, branch, test_run_id, span, started_at, run_ids, flamegraph,
			stats_stack, stats_node, stats_frame, stats_self, repetitions, total, truncated_total, metric_count,
				metric_sum,
			metric_unit, checked_at, period, samples, noise)
		SELECT merge_rows.benchmark_ids[1], merge_rows.event, merge_rows.unit, merge_rows.branch, f.test_run_id,
			merge_rows.span, f.started_at,
			(SELECT pg_catalog.array_agg(DISTINCT u.id ORDER BY u.id) FROM gone AS o,
				pg_catalog.unnest(o.run_ids) AS u (id)), f.flamegraph,
			CASE WHEN f.repetitions > 1 THEN f.stats_stack END, CASE WHEN f.repetitions > 1 THEN f.stats_node END,
			CASE WHEN f.repetitions > 1 THEN f.stats_frame END, CASE WHEN f.repetitions > 1 THEN f.stats_self END,
			f.repetitions, f.total, f.truncated_total, f.metric_count, f.metric_sum, merge_rows.metric_unit,
			CASE merge_rows.span WHEN 'month' THEN now() END,
			(f.recorded).period, (f.recorded).samples, (f.recorded).noise
		FROM facts AS f;
	END;
COMMENT ON FUNCTION merge_rows(bigint[], text, text, text, text, bigint[], text)
	IS 'puts one rollup, of a month or of a run, in the place of these ones; it is of the first of the benchmarks';

CREATE FUNCTION merge_month(benchmark_id bigint, event text, unit text, branch text, metric_unit text,
		test_run_ids bigint[]) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		SELECT merge_rows(ARRAY[merge_month.benchmark_id], merge_month.event, merge_month.unit, merge_month.branch,
			merge_month.metric_unit, merge_month.test_run_ids, 'month'::text);
	END;
COMMENT ON FUNCTION merge_month(bigint, text, text, text, text, bigint[])
	IS 'puts one rollup of a month in the place of these ones';

CREATE FUNCTION merge_rollups(benchmark_id bigint, merge_after interval DEFAULT '1 year',
		keep_runs int DEFAULT 30) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_cutoff CONSTANT timestamptz := profiling.month_start(profiling.month_of(now() - merge_rollups.merge_after));
	g record;
	v_keep_events text[];
	v_keep_runs bigint[];
	v_ids bigint[];
	v_merged int := 0;
BEGIN
	PERFORM profiling.keep_corrections_out();
	-- It goes by months, and the night by runs: each would wait for the other.
	PERFORM pg_advisory_xact_lock(hashtextextended('flamegraph_store months', merge_rollups.benchmark_id));
	SELECT array_agg(k.event), array_agg(k.test_run_id) INTO v_keep_events, v_keep_runs
	FROM profiling.runs_to_keep(merge_rollups.keep_runs) AS k WHERE k.benchmark_id = merge_rollups.benchmark_id;
	FOR g IN
		SELECT r.event, r.unit, r.branch, r.metric_unit, profiling.month_of(r.started_at) AS month
		FROM profiling.rollup AS r
		WHERE r.benchmark_id = merge_rollups.benchmark_id AND r.span = 'run' AND r.started_at < v_cutoff
		GROUP BY 1, 2, 3, 4, 5
		ORDER BY 1, 2, 3, 4, 5
	LOOP
		-- Locked, so that an import into one of these runs waits, and then makes a row of its own.
		SELECT array_agg(l.test_run_id) INTO v_ids
		FROM (SELECT r.test_run_id FROM profiling.rollup AS r
			WHERE r.benchmark_id = merge_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.metric_unit = g.metric_unit AND profiling.month_of(r.started_at) = g.month
				AND (r.span = 'month' OR (r.event, r.test_run_id) NOT IN (SELECT *
					FROM unnest(v_keep_events, v_keep_runs)))
			ORDER BY r.test_run_id FOR UPDATE) AS l;
		CONTINUE WHEN v_ids IS NULL;
		PERFORM profiling.fold_rollups(merge_rollups.benchmark_id, u.id) FROM unnest(v_ids) AS u (id);
		CONTINUE WHEN NOT EXISTS (SELECT 1 FROM profiling.rollup AS r
			WHERE r.benchmark_id = merge_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.test_run_id = ANY (v_ids) AND r.span = 'run');
		PERFORM profiling.merge_month(merge_rollups.benchmark_id, g.event, g.unit, g.branch, g.metric_unit, v_ids);
		v_merged := v_merged + 1;
	END LOOP;
	RETURN v_merged;
END
$$;
COMMENT ON FUNCTION merge_rollups(bigint, interval, int)
	IS 'merges the rollups of a benchmark that are older than this to months, but for runs_to_keep(); returns how '
		'many months were written';

CREATE FUNCTION months_wanted(months int, keep interval) RETURNS date[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		-- What somebody has loaded with a date beyond these stays in the default partition: nobody but the owner
		-- decides how many partitions there are.
		SELECT pg_catalog.array_agg(t.m ORDER BY t.m)
		FROM (SELECT (month_of(now()) + g::float8 * '1 month'::interval)::date
			FROM generate_series(0, months_wanted.months) AS g
			UNION SELECT DISTINCT month_of(d.recorded_at) FROM profile_data_default AS d
			WHERE d.recorded_at >= month_start(month_of(now() - months_wanted.keep))
				AND d.recorded_at < month_start((month_of(now()) + (greatest(months_wanted.months,
					0) + 1)::float8 * '1 month'::interval)::date)
			EXCEPT SELECT p.month FROM partition_months() AS p) AS t (m);
	END;
COMMENT ON FUNCTION months_wanted(int, interval)
	IS 'months that maintain() makes partitions for: this one, the next ones, and of the older ones those younger '
		'than keep with rows in the default partition';

CREATE FUNCTION maintain_month(month date) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_name text;
BEGIN
	FOR attempt IN 1 .. 5 LOOP
		BEGIN
			v_name := profiling.add_partition(maintain_month.month);
			PERFORM profiling.log_job('maintain'::text, 'ok'::text, v_started, 'partition ' || v_name, NULL::bigint);
			RETURN;
		EXCEPTION
			WHEN lock_not_available OR deadlock_detected THEN
				IF attempt = 5 THEN
					PERFORM profiling.log_job('maintain'::text, 'failed'::text, v_started,
						format('partition of %s: %s', to_char(maintain_month.month, 'YYYY-MM'), SQLERRM), NULL::bigint);
				END IF;
			WHEN OTHERS THEN
				PERFORM profiling.log_job('maintain'::text, 'failed'::text, v_started,
					format('partition of %s: %s', to_char(maintain_month.month, 'YYYY-MM'), SQLERRM), NULL::bigint);
				RETURN;
		END;
		PERFORM pg_sleep(attempt);
	END LOOP;
END
$$;
COMMENT ON FUNCTION maintain_month(date) IS 'add_partition() with retries; a failure is recorded in job_log';

CREATE FUNCTION maintain_benchmark(benchmark_id bigint, merge_after interval, keep_runs int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_merged int;
BEGIN
	v_merged := profiling.merge_rollups(maintain_benchmark.benchmark_id, maintain_benchmark.merge_after,
		maintain_benchmark.keep_runs);
	IF v_merged > 0 THEN
		PERFORM profiling.log_job('maintain'::text, 'ok'::text, v_started, format('%s months of rollups', v_merged),
			maintain_benchmark.benchmark_id);
	END IF;
EXCEPTION WHEN OTHERS THEN
	PERFORM profiling.log_job('maintain'::text, 'failed'::text, v_started, 'rollups: ' || SQLERRM,
		maintain_benchmark.benchmark_id);
END
$$;
COMMENT ON FUNCTION maintain_benchmark(bigint, interval, int) IS 'merge_rollups(); a failure is recorded in job_log';

CREATE FUNCTION benchmark_ids() RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(b.benchmark_id ORDER BY b.benchmark_id), '{}'::bigint[])
			FROM benchmark AS b;
	END;
COMMENT ON FUNCTION benchmark_ids() IS 'all benchmarks, for loops that commit';

CREATE PROCEDURE maintain(months int DEFAULT 3, keep interval DEFAULT '90 days', merge_after interval DEFAULT '1 year',
	keep_runs int DEFAULT 30)
	LANGUAGE plpgsql AS $$
DECLARE
	v_months date[];
	v_month date;
	v_ids bigint[];
	v_id bigint;
BEGIN
	PERFORM profiling.need_owner('maintain'::pg_catalog.text);
	v_months := profiling.months_wanted(months, keep);
	CALL profiling.commit_or_say('maintain() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	IF v_months IS NOT NULL THEN
		FOREACH v_month IN ARRAY v_months LOOP
			PERFORM profiling.maintain_month(v_month);
			COMMIT;
		END LOOP;
	END IF;
	v_ids := profiling.benchmark_ids();
	FOREACH v_id IN ARRAY v_ids LOOP
		PERFORM profiling.maintain_benchmark(v_id, merge_after, keep_runs);
		COMMIT;
	END LOOP;
END
$$;
COMMENT ON PROCEDURE maintain(int, interval, interval, int)
	IS 'partitions for this month and the next ones, rows moved out of the default partition for months younger than '
		'keep, rollups older than merge_after merged to months; called alone, by the owner';

CREATE FUNCTION fold_before(before timestamptz) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	o record;
	v_folded int;
BEGIN
	FOR o IN
		SELECT DISTINCT r.benchmark_id, r.test_run_id
		FROM profiling.rollup AS r JOIN profiling.profile AS p ON p.benchmark_id = r.benchmark_id
			AND p.profile_id = ANY (r.pending)
		WHERE r.pending <> '{}' AND p.recorded_at < fold_before.before
		ORDER BY 1, 2
	LOOP
		v_folded := coalesce(v_folded, 0) + profiling.fold_rollups(o.benchmark_id, o.test_run_id);
	END LOOP;
	RETURN v_folded;
END
$$;
COMMENT ON FUNCTION fold_before(timestamptz)
	IS 'fold_rollups() of all runs with pending profiles that were recorded before this; returns how many profiles '
		'were added';

CREATE FUNCTION prune_month(month date, keep_runs int) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
	v_name text;
	v_kept bigint;
BEGIN
	PERFORM profiling.keep_corrections_out();
	-- Before it is decided what to keep: nothing comes into this month any more.
	LOCK TABLE ONLY profiling.profile_data IN ACCESS EXCLUSIVE MODE;
	SELECT p.partition INTO v_name FROM profiling.partition_months() AS p WHERE p.month = prune_month.month;
	IF NOT FOUND THEN
		RETURN 0;
	END IF;
	-- A sum needs its profiles until they are in it.
	PERFORM profiling.fold_before(profiling.month_start((prune_month.month + interval '1 month')::date));
	EXECUTE format('ALTER TABLE profiling.profile_data DETACH PARTITION profiling.%I', v_name);
	EXECUTE format('WITH runs AS MATERIALIZED (SELECT k.* FROM profiling.runs_to_keep($1) AS k),'
		' kept AS (INSERT INTO profiling.profile_data_default SELECT d.* FROM profiling.%I AS d'
		' WHERE EXISTS (SELECT 1 FROM profiling.profile AS p JOIN runs AS k'
		' ON k.benchmark_id = p.benchmark_id AND k.event = p.event AND k.test_run_id = p.test_run_id'
		' WHERE p.benchmark_id = d.benchmark_id AND p.profile_id = d.profile_id) RETURNING 1)'
		' SELECT count(*) FROM kept', v_name) INTO v_kept USING prune_month.keep_runs;
	EXECUTE format('DROP TABLE profiling.%I', v_name);
	RETURN v_kept;
END
$$;
COMMENT ON FUNCTION prune_month(date, int)
	IS 'drops the partition of a month and keeps what runs_to_keep() names in the default partition; returns how many '
		'rows that were';

CREATE FUNCTION service_runs_to_leave(before timestamptz) RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_all CONSTANT bigint[] := ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t
		-- What watch_services() looks at is a day old at most.
		WHERE t.started_at < least(service_runs_to_leave.before, now() - interval '2 days')
			AND t.labels ? 'service' AND t.started_at = profiling.hour_of(t.started_at));
	-- In steps: Citus joins no table that is everywhere with what is missing in one that is in parts.
	v_named CONSTANT bigint[] := ARRAY(
		SELECT f.first_test_run_id FROM profiling.regression AS f WHERE f.method = 'service'
		UNION SELECT f.last_test_run_id FROM profiling.regression AS f WHERE f.method = 'service');
BEGIN
	RETURN ARRAY(SELECT a.id FROM unnest(v_all) AS a (id) EXCEPT SELECT n.id FROM unnest(v_named) AS n (id));
END
$$;
COMMENT ON FUNCTION service_runs_to_leave(timestamptz)
	IS 'runs before this that stand for hours of services and that no finding begins or ends with any more; among them '
		'those of benchmarks that somebody has given the label service';

CREATE FUNCTION prune_profiles(before timestamptz, keep_runs int, max_rows int) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_deleted bigint;
	v_rows bigint;
BEGIN
	-- What goes is chosen once: a table that is not analyzed yet looks as if it had one row, and a subquery would then
	-- be run again for each row of another one.
	-- profiles that are kept in the default partition no longer
	WITH kept AS MATERIALIZED (
		SELECT k.benchmark_id, k.event, k.test_run_id FROM profiling.runs_to_keep(prune_profiles.keep_runs) AS k
	), old AS MATERIALIZED (
		SELECT o.benchmark_id, o.profile_id
		FROM profiling.profile_data_default AS o
		WHERE o.recorded_at < prune_profiles.before AND NOT EXISTS (
			SELECT 1 FROM profiling.profile AS p JOIN kept AS k
				ON k.benchmark_id = p.benchmark_id AND k.event = p.event AND k.test_run_id = p.test_run_id
			WHERE p.benchmark_id = o.benchmark_id AND p.profile_id = o.profile_id)
			-- what has come since
			AND NOT EXISTS (SELECT 1 FROM profiling.rollup AS r WHERE r.benchmark_id = o.benchmark_id
				AND r.pending <> '{}' AND o.profile_id = ANY (r.pending))
		LIMIT prune_profiles.max_rows
	)
	DELETE FROM profiling.profile_data_default AS d USING old
	WHERE d.benchmark_id = old.benchmark_id AND d.profile_id = old.profile_id;
	GET DIAGNOSTICS v_deleted = ROW_COUNT;
	-- what was known about profiles that are gone
	WITH old AS MATERIALIZED (
		SELECT o.benchmark_id, o.profile_id
		FROM profiling.profile AS o
		WHERE o.recorded_at < prune_profiles.before AND NOT EXISTS (SELECT 1 FROM profiling.profile_data AS d
			WHERE d.benchmark_id = o.benchmark_id AND d.profile_id = o.profile_id AND d.recorded_at = o.recorded_at)
		LIMIT prune_profiles.max_rows
	)
	DELETE FROM profiling.profile AS p USING old
	WHERE p.benchmark_id = old.benchmark_id AND p.profile_id = old.profile_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	RETURN v_deleted + v_rows;
END
$$;
COMMENT ON FUNCTION prune_profiles(timestamptz, int, int)
	IS 'deletes what the default partition keeps no longer, and rows of profiles that are gone, as many of each at '
		'most; returns how many';

CREATE FUNCTION prune_rows(before timestamptz, keep_runs int, max_rows int DEFAULT 5000) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_deleted bigint;
	v_rows bigint;
BEGIN
	PERFORM profiling.keep_corrections_out();
	PERFORM profiling.fold_before(prune_rows.before);
	v_deleted := profiling.prune_profiles(prune_rows.before, prune_rows.keep_runs, prune_rows.max_rows);
	WITH old AS MATERIALIZED (
		SELECT v.benchmark_id, v.observation_id
		FROM profiling.observation AS v JOIN profiling.test_run AS t ON t.test_run_id = v.test_run_id
		WHERE t.started_at < prune_rows.before
			AND (v.benchmark_id, v.test_run_id) NOT IN (SELECT k.benchmark_id, k.test_run_id
				FROM profiling.runs_to_keep(prune_rows.keep_runs) AS k)
			-- of benchmarks without profiles the newest runs, too
			AND (v.benchmark_id, v.test_run_id) NOT IN (
				SELECT r.benchmark_id, r.test_run_id
				FROM (SELECT DISTINCT w.benchmark_id, w.test_run_id,
						dense_rank() OVER (PARTITION BY w.benchmark_id, u.branch ORDER BY u.started_at DESC,
							u.test_run_id DESC) AS age
					FROM (SELECT DISTINCT benchmark_id, test_run_id FROM profiling.observation) AS w
						JOIN profiling.test_run AS u ON u.test_run_id = w.test_run_id) AS r
				WHERE r.age <= prune_rows.keep_runs)
		LIMIT prune_rows.max_rows
	)
	DELETE FROM profiling.observation AS o USING old
	WHERE o.benchmark_id = old.benchmark_id AND o.observation_id = old.observation_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	v_deleted := v_deleted + v_rows;
	DELETE FROM profiling.job_log AS l USING (
		SELECT o.log_id FROM profiling.job_log AS o WHERE o.started_at < prune_rows.before
			LIMIT prune_rows.max_rows) AS old
	WHERE l.log_id = old.log_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	RETURN v_deleted + v_rows + profiling.leave_test_runs(profiling.service_runs_to_leave(prune_rows.before));
END
$$;
COMMENT ON FUNCTION prune_rows(timestamptz, int, int)
	IS 'a batch of what prune() deletes row by row: small rows of dropped profiles, what the default partition keeps '
		'no longer, observations, runs of hours of services that no finding names, the log; returns how many rows went';

CREATE FUNCTION prune_step(month date, before timestamptz, keep_runs int) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_what CONSTANT text := coalesce('partition of ' || to_char(prune_step.month, 'YYYY-MM'), 'rows');
	v_count bigint;
BEGIN
	FOR attempt IN 1 .. 5 LOOP
		BEGIN
			IF prune_step.month IS NULL THEN
				v_count := profiling.prune_rows(prune_step.before, prune_step.keep_runs, 5000);
				IF v_count > 0 THEN
					PERFORM profiling.log_job('prune'::text, 'ok'::text, v_started, format('%s rows deleted', v_count),
						NULL::bigint);
				END IF;
				RETURN v_count;
			END IF;
			v_count := profiling.prune_month(prune_step.month, prune_step.keep_runs);
			PERFORM profiling.log_job('prune'::text, 'ok'::text, v_started,
				format('%s dropped, %s rows kept', v_what, v_count), NULL::bigint);
			RETURN v_count;
		EXCEPTION
			WHEN lock_not_available OR deadlock_detected THEN
				IF attempt = 5 THEN
					PERFORM profiling.log_job('prune'::text, 'failed'::text, v_started, v_what || ': ' || SQLERRM,
						NULL::bigint);
				END IF;
			WHEN OTHERS THEN
				PERFORM profiling.log_job('prune'::text, 'failed'::text, v_started, v_what || ': ' || SQLERRM,
					NULL::bigint);
				RETURN 0;
		END;
		PERFORM pg_sleep(attempt);
	END LOOP;
	RETURN 0;
END
$$;
COMMENT ON FUNCTION prune_step(date, timestamptz, int)
	IS 'prune_month(), or prune_rows() for no month, with retries; a failure is recorded in job_log';

CREATE FUNCTION months_to_prune(before timestamptz) RETURNS date[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(p.month ORDER BY p.month), '{}'::date[]) FROM partition_months() AS p
		WHERE month_start((p.month + '1 month'::interval)::date) <= months_to_prune.before;
	END;
COMMENT ON FUNCTION months_to_prune(timestamptz) IS 'months with a partition that ended before this';

CREATE PROCEDURE prune(keep interval DEFAULT '90 days', keep_runs int DEFAULT 30)
	LANGUAGE plpgsql AS $$
DECLARE
	v_before timestamptz;
	v_months date[];
	v_month date;
BEGIN
	IF keep IS NULL OR keep OPERATOR(pg_catalog.<) '0'::pg_catalog.interval OR keep_runs IS NULL
		OR keep_runs OPERATOR(pg_catalog.<) 0 THEN
		RAISE EXCEPTION 'keep and keep_runs cannot be null or negative' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	PERFORM profiling.need_owner('prune'::pg_catalog.text);
	-- Whole months: a month goes when its last day is old enough.
	v_before := profiling.month_start(profiling.month_of(pg_catalog.now() OPERATOR(pg_catalog.-) keep));
	v_months := profiling.months_to_prune(v_before);
	CALL profiling.commit_or_say('prune() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	FOREACH v_month IN ARRAY v_months LOOP
		PERFORM profiling.prune_step(v_month, v_before, keep_runs);
		COMMIT;
	END LOOP;
	WHILE profiling.prune_step(NULL::pg_catalog.date, v_before, keep_runs) OPERATOR(pg_catalog.>) 0 LOOP
		COMMIT;
	END LOOP;
END
$$;
COMMENT ON PROCEDURE prune(interval, int)
	IS 'drops whole months that ended longer ago than keep, but for runs_to_keep(), which go to the default '
		'partition; called alone, by the owner';
