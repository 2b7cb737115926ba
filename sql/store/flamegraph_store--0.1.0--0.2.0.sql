-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION flamegraph_store UPDATE TO '0.2.0'" to load this file. \quit

-- Written by tools/upgrade_script.py: by hand is only what comes from sql/store/upgrade-0.1.0.sql.

CREATE TABLE kept_rights AS
SELECT p.proname::text AS name, g.rolname::text AS role
FROM pg_catalog.pg_proc AS p CROSS JOIN LATERAL pg_catalog.aclexplode(p.proacl) AS a
	JOIN pg_catalog.pg_roles AS g ON g.oid OPERATOR(pg_catalog.=) a.grantee
WHERE p.pronamespace OPERATOR(pg_catalog.=) 'profiling'::pg_catalog.regnamespace
	AND a.grantee OPERATOR(pg_catalog.<>) p.proowner AND a.privilege_type OPERATOR(pg_catalog.=) 'EXECUTE';

DROP ROUTINE compare(jsonb, jsonb, text, text, text, float8, text, float8, int, int, bigint),
	end_night(bigint),
	found_in_models(watch, bigint, text, bigint, bigint);

--
-- noise of recordings
--

ALTER TABLE profile_data ADD COLUMN samples flamegraph, ADD COLUMN noise flamegraph;
ALTER TABLE rollup ADD COLUMN samples flamegraph, ADD COLUMN noise flamegraph;
-- replaced: profiles, profiles_of, selected_profiles

--
-- findings: what is behind them, and what becomes of them
--

-- made anew: found_in_models
ALTER TABLE watch ADD COLUMN confirm int NOT NULL DEFAULT 0 CHECK (confirm >= 0 AND confirm <= 1000);
ALTER TABLE regression
	ADD COLUMN samples float8,
	ADD COLUMN cause text NOT NULL DEFAULT '' CHECK (cause IN ('', 'shift', 'environment')),
	ADD COLUMN counterpart stackpath[] NOT NULL DEFAULT '{}',
	ADD COLUMN group_id bigint,
	ADD COLUMN seen int NOT NULL DEFAULT 1,
	-- Of what was found before, somebody was told.
	ADD COLUMN notified_at timestamptz;
UPDATE regression SET notified_at = opened_at;
ALTER TABLE regression DROP CONSTRAINT regression_kind_check,
	ADD CONSTRAINT regression_kind_check CHECK (kind IN ('degradation', 'optimization', 'environment'));
DROP INDEX regression_open_key;
CREATE UNIQUE INDEX regression_open_key ON regression (benchmark_id, event, unit, branch, method, level, subject_id)
	WHERE status IN ('open', 'acknowledged', 'pending');
ALTER TYPE finding ADD ATTRIBUTE samples float8, ADD ATTRIBUTE cause text, ADD ATTRIBUTE counterpart stackpath[];
-- replaced: detect, found, with_team
-- replaced: watches_of

COMMENT ON COLUMN profile_data.samples
	IS 'number of samples per stack of flamegraph, where samples weigh differently; null: flamegraph / period, or '
		'unknown';

COMMENT ON COLUMN profile_data.noise
	IS 'sum of the squared weights of the samples per stack, in unit squared: the variance of flamegraph by chance '
		'alone; null: period * flamegraph, or unknown';

CREATE OR REPLACE VIEW profile_full AS
SELECT p.benchmark_id, p.profile_id, p.test_run_id, b.suite, b.name AS benchmark, b.parameters, t.branch, t.commit,
	t.version, t.started_at, p.event, p.unit, p.period, d.recorded_at, p.duration, p.instance, p.repetition, p.labels,
	p.metric, p.metric_unit, p.source, p.total, p.nodes, p.frames, p.truncated_share, p.reshaped, p.content_id,
	d.flamegraph, d.truncated, d.samples, d.noise
FROM profile AS p JOIN profile_data AS d
		ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
	LEFT JOIN benchmark AS b ON b.benchmark_id = p.benchmark_id
	LEFT JOIN test_run AS t ON t.test_run_id = p.test_run_id;

DO $do$
DECLARE
	c pg_catalog.record;
BEGIN
	FOR c IN
		SELECT v.attname, pg_catalog.col_description(r.attrelid, r.attnum::int) AS comment
		FROM pg_catalog.pg_attribute AS v JOIN pg_catalog.pg_attribute AS r
			ON r.attname OPERATOR(pg_catalog.=) CASE WHEN v.attname OPERATOR(pg_catalog.=) 'benchmark'::name
				THEN 'name'::name ELSE v.attname END
			AND r.attrelid OPERATOR(pg_catalog.=) ('profiling.' OPERATOR(pg_catalog.||) CASE
				WHEN v.attname::text IN ('suite', 'benchmark', 'parameters') THEN 'benchmark'
				WHEN v.attname::text IN ('branch', 'commit', 'version', 'started_at') THEN 'test_run'
				WHEN v.attname::text IN ('flamegraph', 'truncated', 'samples', 'noise') THEN 'profile_data'
				ELSE 'profile' END)::pg_catalog.regclass::pg_catalog.oid
		WHERE v.attrelid OPERATOR(pg_catalog.=) 'profiling.profile_full'::pg_catalog.regclass::pg_catalog.oid
			AND v.attnum OPERATOR(pg_catalog.>) 0
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN profiling.profile_full.%I IS %L', c.attname, c.comment);
	END LOOP;
END
$do$;

COMMENT ON COLUMN rollup.pending
	IS 'profile_id of profiles that flamegraph and the moments do not have yet; all other columns but samples '
		'and noise have them';

COMMENT ON COLUMN rollup.samples
	IS 'sum of the samples of the profiles in flamegraph; null when none of them has weights of its own, or the '
		'weights of one are unknown';

COMMENT ON COLUMN rollup.noise IS 'sum of the noise of the profiles in flamegraph, null as samples is';

CREATE OR REPLACE FUNCTION status_works(status text, closed_at timestamptz) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.word_works('status'::text, status, 'open'::text, 'acknowledged'::text, 'resolved'::text,
		'false_positive'::text, 'pending'::text, 'went_away'::text);
	IF closed_at IS NULL AND status IN ('resolved', 'false_positive', 'went_away') THEN
		RAISE EXCEPTION 'a finding with status "%" has a date in closed_at', status
			USING ERRCODE = 'check_violation', HINT = format('SET status = %L, closed_at = now()', status);
	END IF;
	IF closed_at IS NOT NULL AND status IN ('open', 'acknowledged', 'pending') THEN
		RAISE EXCEPTION 'a finding with status "%" has no date in closed_at', status
			USING ERRCODE = 'check_violation', HINT = format('SET status = %L, closed_at = NULL', status);
	END IF;
	RETURN true;
END
$$;

COMMENT ON COLUMN watch.confirm
	IS 'how many later runs must show a finding in the same direction before it is open and told; 0: the first one '
		'is enough';

COMMENT ON COLUMN regression.kind IS 'degradation, optimization, or environment: the machine and not the code';

COMMENT ON COLUMN regression.status
	IS 'open, acknowledged, resolved or false_positive; pending: not confirmed by later runs yet; went_away: gone '
		'before it was confirmed';

COMMENT ON COLUMN regression.closed_at
	IS 'when it went away or was closed; null while it is open, acknowledged or pending';

COMMENT ON COLUMN regression.samples
	IS 'how many samples of the new run are behind actual; null when the recordings do not say';

COMMENT ON COLUMN regression.cause
	IS 'shift: the cost moved here from counterpart; environment: the machine changed, not the code; else empty';

COMMENT ON COLUMN regression.counterpart IS 'of a shift the subjects that moved the other way';

COMMENT ON COLUMN regression.group_id IS 'the row of regression_group: findings with one cause';

COMMENT ON COLUMN regression.seen IS 'how many runs have shown it';

COMMENT ON COLUMN regression.notified_at IS 'when somebody was told, null: nobody yet';

CREATE OR REPLACE FUNCTION recorded_profiles(data bytea, format text, options jsonb,
		OUT event text, OUT name text, OUT unit text, OUT period float8, OUT complete flamegraph,
			OUT truncated flamegraph) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000 ROWS 3
	BEGIN ATOMIC
		SELECT r.event, r.name, r.unit, r.period, r.complete, r.truncated
		FROM read_recording(recorded_profiles.data, recorded_profiles.format, recorded_profiles.options) AS r;
	END;

CREATE OR REPLACE FUNCTION merge_rows(benchmark_ids bigint[], event text, unit text, branch text, metric_unit text,
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
			metric_unit, checked_at)
		SELECT merge_rows.benchmark_ids[1], merge_rows.event, merge_rows.unit, merge_rows.branch, f.test_run_id,
			merge_rows.span, f.started_at,
			(SELECT pg_catalog.array_agg(DISTINCT u.id ORDER BY u.id) FROM gone AS o,
				pg_catalog.unnest(o.run_ids) AS u (id)), f.flamegraph,
			CASE WHEN f.repetitions > 1 THEN f.stats_stack END, CASE WHEN f.repetitions > 1 THEN f.stats_node END,
			CASE WHEN f.repetitions > 1 THEN f.stats_frame END, CASE WHEN f.repetitions > 1 THEN f.stats_self END,
			f.repetitions, f.total, f.truncated_total, f.metric_count, f.metric_sum, merge_rows.metric_unit,
			CASE merge_rows.span WHEN 'month' THEN now() END
		FROM facts AS f;
	END;

CREATE OR REPLACE FUNCTION selected_profiles(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL) RETURNS SETOF profile_full
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		-- the columns of profile_full; what the selection has joined need not be joined again
		SELECT s.benchmark_id, s.profile_id, s.test_run_id, s.suite, s.benchmark, s.parameters, s.branch, s.commit,
			s.version, s.started_at, s.event, s.unit, p.period, d.recorded_at, p.duration, p.instance, p.repetition,
			p.labels, p.metric, p.metric_unit, p.source, p.total, p.nodes, p.frames, p.truncated_share, p.reshaped,
			p.content_id, d.flamegraph, d.truncated, d.samples, d.noise
		FROM profiling.selected(benchmark => selected_profiles.benchmark, suite => selected_profiles.suite, branch => selected_profiles.branch, commits => selected_profiles.commits, version => selected_profiles.version, event => selected_profiles.event, instances => selected_profiles.instances, labels => selected_profiles.labels, since => selected_profiles.since, until => selected_profiles.until, runs => selected_profiles.runs) AS s
			JOIN profile AS p ON p.benchmark_id = s.benchmark_id AND p.profile_id = s.profile_id
			JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id
				AND d.recorded_at = p.recorded_at;
	END;

CREATE OR REPLACE FUNCTION profiles(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL) RETURNS SETOF profile_full
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		SELECT p.* FROM profiling.selected_profiles(benchmark => profiles.benchmark, suite => profiles.suite, branch => profiles.branch, commits => profiles.commits, version => profiles.version, event => profiles.event, instances => profiles.instances, labels => profiles.labels, since => profiles.since, until => profiles.until, runs => profiles.runs) AS p
		WHERE (SELECT something_selected(benchmark => profiles.benchmark, suite => profiles.suite, branch => profiles.branch, commits => profiles.commits, version => profiles.version, event => profiles.event, instances => profiles.instances, labels => profiles.labels, since => profiles.since, until => profiles.until, runs => profiles.runs));
	END;

DO $do$
BEGIN
	EXECUTE (SELECT pg_catalog.concat('CREATE OR REPLACE FUNCTION profiles_of(selection jsonb) RETURNS SETOF profile_full '
		'LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000'
		' BEGIN ATOMIC SELECT p.* FROM (SELECT profiling.checked_selection(profiles_of.selection) AS o OFFSET 0) AS s, '
		'LATERAL profiling.profiles(',
		pg_catalog.string_agg(pg_catalog.format(a.name OPERATOR(pg_catalog.||) ' => ' OPERATOR(pg_catalog.||) CASE
			WHEN a.type OPERATOR(pg_catalog.=) 'text' AND a.default_value OPERATOR(pg_catalog.<>) 'NULL' THEN
				'CASE WHEN s.o ? %1$L::text THEN profiling.selection_value(s.o, %1$L::text, %2$L::text) #>> '
					'''{}''::text[] ELSE %3$s::text END'
			WHEN a.type OPERATOR(pg_catalog.=) 'text' THEN
				'profiling.selection_value(s.o, %1$L::text, %2$L::text) #>> ''{}''::text[]'
			WHEN a.type OPERATOR(pg_catalog.=) 'text[]' THEN
				'CASE WHEN profiling.selection_value(s.o, %1$L::text, %2$L::text) IS NOT NULL THEN '
					'ARRAY(SELECT jsonb_array_elements_text(s.o -> %1$L::text)) END'
			WHEN a.type OPERATOR(pg_catalog.=) 'jsonb' THEN
				'coalesce(profiling.selection_value(s.o, %1$L::text, %2$L::text), ''{}''::jsonb)'
			WHEN a.type OPERATOR(pg_catalog.=) 'timestamptz' THEN 'profiling.selection_time(s.o, %1$L::text)'
			ELSE 'profiling.selection_value(s.o, %1$L::text, %2$L::text)::%2$s' END, a.name, a.type, a.default_value),
				', ' ORDER BY a.ordinal),
		') AS p; END') FROM profiling.selection_arguments() AS a);
END
$do$;

CREATE OR REPLACE FUNCTION merged(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT sum(p.flamegraph) FROM profiles(benchmark => merged.benchmark, suite => merged.suite, branch => merged.branch, commits => merged.commits, version => merged.version, event => merged.event, instances => merged.instances, labels => merged.labels, since => merged.since, until => merged.until, runs => merged.runs) AS p
		WHERE may_be_summed(benchmark => merged.benchmark, suite => merged.suite, branch => merged.branch, commits => merged.commits, version => merged.version, event => merged.event, instances => merged.instances, labels => merged.labels, since => merged.since, until => merged.until, runs => merged.runs, mix => merged.mix);
	END;

CREATE OR REPLACE FUNCTION average(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT sum(p.flamegraph) / nullif(count(*), 0)::float8 FROM profiles(benchmark => average.benchmark, suite => average.suite, branch => average.branch, commits => average.commits, version => average.version, event => average.event, instances => average.instances, labels => average.labels, since => average.since, until => average.until, runs => average.runs) AS p
		WHERE may_be_summed(benchmark => average.benchmark, suite => average.suite, branch => average.branch, commits => average.commits, version => average.version, event => average.event, instances => average.instances, labels => average.labels, since => average.since, until => average.until, runs => average.runs, mix => average.mix);
	END;

CREATE OR REPLACE FUNCTION complete(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN s.truncated IS NULL THEN s.whole ELSE (SELECT m.merged
			FROM merge_partial(s.whole, s.truncated, 1) AS m) END
		FROM (SELECT sum(p.flamegraph) AS whole, sum(p.truncated) AS truncated FROM profiles(benchmark => complete.benchmark, suite => complete.suite, branch => complete.branch, commits => complete.commits, version => complete.version, event => complete.event, instances => complete.instances, labels => complete.labels, since => complete.since, until => complete.until, runs => complete.runs) AS p
			WHERE may_be_summed(benchmark => complete.benchmark, suite => complete.suite, branch => complete.branch, commits => complete.commits, version => complete.version, event => complete.event, instances => complete.instances, labels => complete.labels, since => complete.since, until => complete.until, runs => complete.runs, mix => false)) AS s;
	END;

CREATE OR REPLACE FUNCTION sums_per_benchmark(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, OUT sums flamegraph[], OUT whole flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(s.fg), sum(s.fg)
		FROM (SELECT sum(p.flamegraph) AS fg FROM selected_profiles(benchmark => sums_per_benchmark.benchmark, suite => sums_per_benchmark.suite, branch => sums_per_benchmark.branch, commits => sums_per_benchmark.commits, version => sums_per_benchmark.version, event => sums_per_benchmark.event, instances => sums_per_benchmark.instances, labels => sums_per_benchmark.labels, since => sums_per_benchmark.since, until => sums_per_benchmark.until, runs => sums_per_benchmark.runs) AS p
			GROUP BY p.benchmark_id) AS s;
	END;

CREATE OR REPLACE FUNCTION hottest_by_share(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, measure text DEFAULT 'total_share', max_rows int DEFAULT 20)
	RETURNS TABLE (frame text, value float8, share float8, benchmarks int)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		WITH part AS MATERIALIZED (
			-- what has several events or units has a share in each, which are one together
			SELECT s.benchmark_id, s.fg, (count(*) OVER (PARTITION BY s.benchmark_id))::float8 AS parts
			FROM (SELECT p.benchmark_id, sum(p.flamegraph) AS fg
				FROM selected_profiles(benchmark => hottest_by_share.benchmark, suite => hottest_by_share.suite, branch => hottest_by_share.branch, commits => hottest_by_share.commits, version => hottest_by_share.version, event => hottest_by_share.event, instances => hottest_by_share.instances, labels => hottest_by_share.labels, since => hottest_by_share.since, until => hottest_by_share.until, runs => hottest_by_share.runs) AS p
				GROUP BY p.benchmark_id, p.event, p.unit) AS s
			WHERE total(s.fg) <> 0::float8
		), f AS (
			SELECT t.frame, sum(CASE WHEN hottest_by_share.measure = 'self_share' THEN t.self_share
				ELSE t.total_share END / p.parts) AS share, pg_catalog.count(DISTINCT p.benchmark_id)::int AS benchmarks
			FROM part AS p, top(p.fg, NULL::int) AS t GROUP BY t.frame
		), mean AS (
			SELECT f.frame, f.benchmarks,
				f.share / (SELECT pg_catalog.count(DISTINCT p.benchmark_id)::float8 FROM part AS p) AS share
			FROM f
		)
		SELECT m.frame, m.share, m.share, m.benchmarks FROM mean AS m
		ORDER BY m.share DESC, m.frame COLLATE "C"
		LIMIT hottest_by_share.max_rows;
	END;

CREATE OR REPLACE FUNCTION in_runs(min_runs int DEFAULT 2, benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL)
	RETURNS TABLE (frame text, runs int, of_runs int, share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 500
	BEGIN ATOMIC
		WITH part AS MATERIALIZED (
			SELECT s.test_run_id, s.fg, (count(*) FILTER (WHERE total(s.fg) <> 0::float8)
				OVER (PARTITION BY s.test_run_id))::float8 AS parts
			FROM (SELECT p.test_run_id, sum(p.flamegraph) AS fg FROM profiles(benchmark => in_runs.benchmark, suite => in_runs.suite, branch => in_runs.branch, commits => in_runs.commits, version => in_runs.version, event => in_runs.event, instances => in_runs.instances, labels => in_runs.labels, since => in_runs.since, until => in_runs.until, runs => in_runs.runs) AS p
				GROUP BY p.test_run_id, p.event, p.unit) AS s
		), f AS (
			SELECT t.frame, pg_catalog.count(DISTINCT p.test_run_id)::int AS runs,
				sum(t.total_share / p.parts) AS share
			FROM part AS p, top(p.fg, NULL::int) AS t GROUP BY t.frame
		)
		SELECT f.frame, f.runs, n.of_runs, f.share / n.of_runs::float8
		FROM f, (SELECT pg_catalog.count(DISTINCT p.test_run_id)::int AS of_runs FROM part AS p) AS n
		WHERE f.runs >= coalesce(in_runs.min_runs, 1)
		ORDER BY f.runs DESC, f.share DESC, f.frame COLLATE "C";
	END;

CREATE OR REPLACE FUNCTION compare(before jsonb, after jsonb, level text DEFAULT 'node', method text DEFAULT 'welch',
		correction text DEFAULT 'bh',
		alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5, min_df int DEFAULT 1,
		permutations int DEFAULT 999, seed bigint DEFAULT 42, variance text DEFAULT 'own')
	RETURNS TABLE (key stackpath, mean_before float8, mean_after float8, delta float8, relative float8, t float8,
		df float8,
		p_value float8, q_value float8, lower float8, upper float8, change text, significant bool,
		stddev float8)
	LANGUAGE sql STABLE COST 1000000 ROWS 5000
	BEGIN ATOMIC
		SELECT c.*
		FROM (SELECT b.profiles AS before, a.profiles AS after
			FROM (SELECT pg_catalog.array_agg(p.flamegraph ORDER BY p.recorded_at, p.profile_id) AS profiles,
				pg_catalog.array_agg(DISTINCT p.event || ' in ' || p.unit) AS kinds
					FROM profiles_of(compare.before) AS p) AS b,
				(SELECT pg_catalog.array_agg(p.flamegraph ORDER BY p.recorded_at, p.profile_id) AS profiles,
					pg_catalog.array_agg(DISTINCT p.event || ' in ' || p.unit) AS kinds
					FROM profiles_of(compare.after) AS p) AS a
			WHERE one_event(b.kinds OPERATOR(pg_catalog.||) a.kinds) OFFSET 0) AS s,
			LATERAL compare_profiles(s.before, s.after, compare.level, compare.method, compare.correction,
				compare.alpha,
				compare.size_factor, compare.min_mean, compare.min_df, compare.permutations, compare.seed,
				compare.variance) AS c;
	END;

COMMENT ON FUNCTION compare(jsonb, jsonb, text, text, text, float8, text, float8, int, int, bigint, text)
	IS 'which stacks, calling contexts or functions differ between two selections, written as objects: '
		'compare_profiles() of them; each profile is an observation';

CREATE OR REPLACE FUNCTION frame_search(what text, min_share float8 DEFAULT 0, per text DEFAULT 'profile', benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL,
		sort text DEFAULT 'share')
	RETURNS TABLE (suite text, benchmark text, test_run_id bigint, commit text, profile_id bigint, event text,
		samples float8, total float8, share float8, started_at timestamptz)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
	BEGIN ATOMIC
		WITH found AS (
			SELECT s.benchmark_id, s.suite, s.benchmark, s.event, s.unit, s.total, s.started_at,
				CASE WHEN frame_search.per <> 'benchmark' THEN s.test_run_id END AS run,
				CASE WHEN frame_search.per <> 'benchmark' THEN s.commit END AS commit,
				CASE WHEN frame_search.per = 'profile' THEN s.profile_id END AS profile,
				total(filter_stacks(d.flamegraph, frame_pattern(frame_search.what))) AS samples
			FROM profile_data AS d JOIN selected(benchmark => frame_search.benchmark, suite => frame_search.suite, branch => frame_search.branch, commits => frame_search.commits, version => frame_search.version, event => frame_search.event, instances => frame_search.instances, labels => frame_search.labels, since => frame_search.since, until => frame_search.until, runs => frame_search.runs) AS s
				ON s.benchmark_id = d.benchmark_id AND s.profile_id = d.profile_id AND s.recorded_at = d.recorded_at
			WHERE d.flamegraph ~ frame_pattern(frame_search.what)
		), grouped AS (
			SELECT f.benchmark_id, f.suite, f.benchmark, f.event, f.unit, f.run, f.commit, f.profile,
				sum(f.samples) AS samples, sum(f.total) AS found_total, max(f.started_at) AS started_at
			FROM found AS f GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
		), whole AS (
			-- of a run or a benchmark, profiles without the frame count, too; they need not be read
			SELECT s.benchmark_id, s.event, s.unit, CASE WHEN frame_search.per = 'run' THEN s.test_run_id END AS run,
				sum(s.total) AS total
			FROM selected(benchmark => frame_search.benchmark, suite => frame_search.suite, branch => frame_search.branch, commits => frame_search.commits, version => frame_search.version, event => frame_search.event, instances => frame_search.instances, labels => frame_search.labels, since => frame_search.since, until => frame_search.until, runs => frame_search.runs) AS s
			WHERE frame_search.per <> 'profile'
			GROUP BY 1, 2, 3, 4
		), compared AS (
			SELECT g.*, CASE WHEN frame_search.per = 'profile' THEN g.found_total ELSE w.total END AS total
			FROM grouped AS g LEFT JOIN whole AS w ON w.benchmark_id = g.benchmark_id AND w.event = g.event
				AND w.unit = g.unit
				AND w.run IS NOT DISTINCT FROM g.run
		)
		SELECT c.suite, c.benchmark, c.run, c.commit, c.profile, c.event, c.samples, c.total, ratio(c.samples, c.total),
			c.started_at
		FROM compared AS c
		WHERE (SELECT search_works(frame_search.what, frame_search.per, frame_search.sort)
				AND something_selected(benchmark => frame_search.benchmark, suite => frame_search.suite, branch => frame_search.branch, commits => frame_search.commits, version => frame_search.version, event => frame_search.event, instances => frame_search.instances, labels => frame_search.labels, since => frame_search.since, until => frame_search.until, runs => frame_search.runs))
			AND (coalesce(frame_search.min_share, 0::float8) <= 0::float8
				OR ratio(c.samples, c.total) >= frame_search.min_share)
		ORDER BY CASE WHEN frame_search.sort = 'time' THEN c.started_at END, ratio(c.samples, c.total) DESC NULLS LAST,
			c.suite COLLATE "C", c.benchmark COLLATE "C", c.run, c.profile;
	END;

CREATE OR REPLACE FUNCTION watches_of(benchmark_id bigint, event text) RETURNS SETOF watch
	LANGUAGE sql STABLE ROWS 2
	BEGIN ATOMIC
		SELECT DISTINCT ON (w.method, w.level) w.*
		FROM (SELECT w.watch_id, rank() OVER (PARTITION BY w.method ORDER BY
					ARRAY[pattern_weight(w.benchmark), pattern_weight(w.suite), pattern_weight(w.event)] DESC) AS place
			FROM watch AS w JOIN benchmark AS b ON b.name LIKE w.benchmark AND b.suite LIKE w.suite
				AND watches_of.event LIKE w.event
			WHERE b.benchmark_id = watches_of.benchmark_id) AS best
			JOIN watch AS w ON w.watch_id = best.watch_id
		WHERE best.place = 1 AND w.enabled
		ORDER BY w.method, w.level, w.watch_id DESC;
	END;

CREATE OR REPLACE FUNCTION tested_by_welch(before flamegraph[], after flamegraph[], level text, of_sample float8, alpha float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t,
			-- Where nothing varied, a few samples would be a certainty.
			CASE WHEN abs(c.delta) <= 3::float8 * count_noise(c.mean_before, tested_by_welch.of_sample)
					* sqrt(1::float8 / pg_catalog.cardinality(tested_by_welch.before)::float8
						+ 1::float8 / pg_catalog.cardinality(tested_by_welch.after)::float8)
				THEN 1::float8 ELSE c.p_value END,
			c.lower, c.upper
		FROM compare_stats((SELECT stats(u.fg, tested_by_welch.level)
			FROM pg_catalog.unnest(tested_by_welch.before) AS u (fg)),
			(SELECT stats(u.fg, tested_by_welch.level) FROM pg_catalog.unnest(tested_by_welch.after) AS u (fg)),
			'none'::text, tested_by_welch.alpha, 'none'::text, 5::float8) AS c;
	END;

CREATE OR REPLACE FUNCTION tested_by_parts(first flamegraph[], second flamegraph[], level text, of_sample float8, alpha float8,
		min_std float8, zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, lower float8, upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t, c.lower, c.upper
		FROM compare_stats((SELECT stats(u.fg, tested_by_parts.level)
			FROM pg_catalog.unnest(tested_by_parts.first) AS u (fg)),
				(SELECT stats(u.fg, tested_by_parts.level) FROM pg_catalog.unnest(tested_by_parts.second) AS u (fg)),
				'bh'::text, tested_by_parts.alpha, 'none'::text, 5::float8) AS c
			-- What went away again since is no finding.
			JOIN tested_by_deviation(tested_by_parts.first,
				tested_by_parts.second[pg_catalog.cardinality(tested_by_parts.second)], tested_by_parts.level,
				tested_by_parts.of_sample, tested_by_parts.min_std, tested_by_parts.zero_std) AS d ON d.key = c.key
		WHERE c.q_value <= tested_by_parts.alpha AND sign(c.delta) = sign(d.actual - d.expected)
			AND c.delta <> 0::float8
			AND abs(d.actual - d.expected) >= abs(c.delta) / 2::float8;
	END;

CREATE OR REPLACE FUNCTION with_team(finding finding, fg flamegraph) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	finding.team := profiling.team_of((finding).level, (finding).subject, fg);
	RETURN finding;
END
$$;

CREATE OR REPLACE FUNCTION open_finding(benchmark_id bigint, finding finding, fg flamegraph) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f CONSTANT profiling.finding := profiling.with_team(finding, fg);
	v_id bigint;
BEGIN
	-- What somebody has called a false positive stays one as long as it is the same change.
	IF EXISTS (SELECT FROM profiling.regression AS r WHERE r.benchmark_id = open_finding.benchmark_id
		AND r.event = f.event
			AND r.unit = f.unit AND r.branch = f.branch AND r.method = f.method AND r.level = f.level
			AND r.subject_id = f.subject_id AND r.kind = f.kind AND r.status = 'false_positive'
			AND abs(r.actual - f.actual) <= 0.5 * abs(r.diff)) THEN
		RETURN NULL;
	END IF;
	INSERT INTO profiling.regression AS r (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id,
		method, level,
		subject, subject_id, expected, actual, diff, relative, score, p_value, q_value, lower, upper, kind, team, samples,
		cause, counterpart)
	SELECT open_finding.benchmark_id, f.*
	-- Open already: one row for as long as it lasts, which seen_again() brings up to date.
	ON CONFLICT (benchmark_id, event, unit, branch, method, level, subject_id)
		WHERE status IN ('open', 'acknowledged', 'pending') DO NOTHING
	RETURNING r.regression_id INTO v_id;
	RETURN v_id;
END
$$;

CREATE OR REPLACE FUNCTION finding_of(benchmark_id bigint, event text, unit text, branch text, method text, metric_unit text,
		ids bigint[],
		costs float8[], level text, tested tested_key, q float8) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	t CONSTANT profiling.tested_key := tested;
	v_metric CONSTANT bool := finding_of.level = 'metric';
	-- Of a throughput the cost is its negative.
	v_sign CONSTANT int := CASE WHEN v_metric AND (SELECT b.metric_direction = 'higher' FROM profiling.benchmark AS b
		WHERE b.benchmark_id = finding_of.benchmark_id) THEN -1 ELSE 1 END;
	f profiling.finding;
BEGIN
	f.event := finding_of.event;
	f.cause := '';
	f.counterpart := '{}';
	f.unit := CASE WHEN v_metric THEN finding_of.metric_unit ELSE finding_of.unit END;
	f.branch := finding_of.branch;
	-- Runs without a metric are no part of its history.
	f.first_test_run_id := CASE WHEN v_metric THEN (ARRAY(SELECT u.id
		FROM unnest(ids, costs) WITH ORDINALITY AS u (id, cost, n)
			WHERE u.cost IS NOT NULL ORDER BY u.n))[t.first_at]
		ELSE ids[t.first_at] END;
	f.last_test_run_id := ids[cardinality(ids)];
	f.method := finding_of.method;
	f.level := finding_of.level;
	f.subject := profiling.subject_of(finding_of.level, t.key);
	f.subject_id := profiling.subject_id(f.subject);
	f.expected := v_sign * t.expected;
	f.actual := v_sign * t.actual;
	f.diff := v_sign * (t.actual - t.expected);
	f.relative := profiling.ratio(f.diff, abs(t.expected));
	f.score := v_sign * t.score;
	f.p_value := t.p_value;
	f.q_value := finding_of.q;
	f.lower := CASE v_sign WHEN 1 THEN t.lower ELSE - t.upper END;
	f.upper := CASE v_sign WHEN 1 THEN t.upper ELSE - t.lower END;
	f.kind := CASE WHEN t.actual > t.expected THEN 'degradation' ELSE 'optimization' END;
	RETURN f;
END
$$;

CREATE OR REPLACE FUNCTION found(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int DEFAULT 1)
	RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_method CONSTANT text := (watch).method;
	v_level CONSTANT text := CASE WHEN v_method = 'correlation' AND (watch).level NOT IN ('frame', 'self') THEN 'frame'
		ELSE (watch).level END;
	v_runs record;
	v_last bigint;
	v_before profiling.means;
	v_after profiling.means;
	v_metric_unit text;
	v_with_metric bool;
BEGIN
	IF v_level = 'location' OR v_method IN ('integral', 'local_statistics') THEN
		RAISE EXCEPTION 'method % of watch row % cannot compare at level %', v_method, (watch).watch_id, v_level USING
			ERRCODE = 'invalid_parameter_value',
			HINT = 'Observations have level location and methods integral and local_statistics.';
	END IF;
	v_runs := profiling.compared_runs(watch, found.benchmark_id, found.event, found.unit, found.branch, found.run_ids);
	IF cardinality(v_runs.before_ids) < 2 THEN
		RETURN;
	END IF;
	v_last := v_runs.ids[cardinality(v_runs.ids)];
	v_before := profiling.run_means(found.benchmark_id, found.event, found.unit, v_runs.before_ids);
	v_after := profiling.run_means(found.benchmark_id, found.event, found.unit, v_runs.ids);
	v_metric_unit := profiling.metric_unit_of(found.benchmark_id, found.event, v_last, v_before, v_after);
	IF v_metric_unit IS NULL AND (v_method = 'correlation' OR v_level = 'metric') THEN
		RETURN;
	END IF;
	-- The metric is one more key of such a family, unless it has a row of its own.
	v_with_metric := v_level = 'metric' OR v_metric_unit IS NOT NULL AND v_method IN ('deviation', 'welch')
		AND NOT EXISTS (SELECT FROM profiling.watches_of(found.benchmark_id, found.event) AS o
			WHERE o.method = v_method AND o.level = 'metric');
	RETURN QUERY
	WITH significant AS MATERIALIZED (
		SELECT s.found_level AS level, (s.tested).key AS key, s.*
		FROM profiling.significant(watch, v_level, v_with_metric, v_before, v_after, greatest(found.families, 1)) AS s
	), origin AS (
		-- The difference of the profiles is worked out only when it is asked for.
		SELECT CASE WHEN count(*) > 1
			THEN profiling.origins(array_agg(g.key), v_level, profiling.change_between(v_before.fgs, v_after.fgs))
			ELSE array_agg(g.key) END AS keys
		FROM significant AS g WHERE g.level <> 'metric'
	)
	SELECT f.* FROM significant AS g
		CROSS JOIN LATERAL profiling.finding_of(found.benchmark_id, found.event, found.unit, found.branch, v_method,
			v_metric_unit,
			v_runs.before_ids || v_runs.ids, v_before.costs || v_after.costs, g.level, g.tested, g.q) AS f
	WHERE (g.level = 'metric' OR array_position((SELECT o.keys FROM origin AS o), g.key) IS NOT NULL)
		AND (watch).direction IN ('both', f.kind)
	ORDER BY g.level, g.p, abs((g.tested).score) DESC, g.key;
END
$$;

CREATE OR REPLACE FUNCTION found_in_models(watch watch, benchmark_id bigint, branch text, test_run_id bigint,
		before_run_id bigint DEFAULT NULL)
	RETURNS SETOF finding
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT ''::text, m.unit, found_in_models.branch, found_in_models.test_run_id, found_in_models.test_run_id,
			(found_in_models.watch).method, 'location'::text, s.subject, subject_id(s.subject),
			c.expected, c.actual, c.actual - c.expected, c.relative_error, c.confidence,
			NULL::float8, NULL::float8, NULL::float8, NULL::float8, c.result, NULL::text,
			NULL::float8, ''::text, '{}'::stackpath[]
		FROM fitted_model AS m
			CROSS JOIN LATERAL (SELECT stackpath(ARRAY[m.location]) AS subject) AS s
			JOIN fitted_model AS b ON b.benchmark_id = m.benchmark_id AND b.location = m.location AND b.unit = m.unit
				AND b.kind = m.kind AND b.test_run_id = coalesce(found_in_models.before_run_id,
					models_before(found_in_models.benchmark_id, found_in_models.branch, found_in_models.test_run_id,
						(found_in_models.watch).baseline)),
			LATERAL (
				SELECT i.result, i.relative_error, i.confidence, i.baseline_integral AS expected,
					i.target_integral AS actual
				FROM integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i
				WHERE (found_in_models.watch).method = 'integral'
				UNION ALL
				SELECT l.result, l.relative_error, l.confidence, i.baseline_integral, i.target_integral
				FROM local_statistics(b.model, m.model, 1000, 0.05::float8, 2, 0.1::float8, 0.25::float8) AS l,
					integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i
				WHERE (found_in_models.watch).method = 'local_statistics'
			) AS c
		WHERE m.benchmark_id = found_in_models.benchmark_id AND m.test_run_id = found_in_models.test_run_id
			AND m.kind = coalesce(checked_options(found_in_models.watch) ->> 'model'::text, 'regressogram'::text)
			AND c.result IN ('degradation', 'optimization')
				AND abs(c.relative_error) >= (found_in_models.watch).min_effect
			AND (found_in_models.watch).direction IN ('both', c.result)
		ORDER BY abs(c.relative_error) DESC, m.location COLLATE "C";
	END;

COMMENT ON FUNCTION found_in_models(watch, bigint, text, bigint, bigint)
	IS 'locations whose fitted model differs from that of the baseline, by integral or local_statistics: thresholds '
		'and no test, so there is no p_value; expected and actual are integrals of the models, score is the '
		'confidence; without their teams';

CREATE OR REPLACE FUNCTION families_of(benchmark_id bigint) RETURNS int
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT count(*)::int FROM new_runs(families_of.benchmark_id) AS n,
			watches_of(families_of.benchmark_id, n.event) AS w
		WHERE w.method NOT IN ('integral', 'local_statistics');
	END;

CREATE OR REPLACE FUNCTION changes_in_words(runs int, done changes) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN format('%s runs, %s opened, %s updated, %s closed', runs, (done).opened, (done).updated, (done).closed);
END
$$;

COMMENT ON FUNCTION changes_in_words(int, changes) IS 'what became of the findings of a benchmark, for job_log';

CREATE OR REPLACE FUNCTION resolved(so_far changes, benchmark_id bigint, regression_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Who was told that it is there is told that it is gone.
	UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now(), notified_at = NULL
	WHERE r.benchmark_id = resolved.benchmark_id AND r.regression_id = resolved.regression_id;
	so_far.closed := so_far.closed + 1;
	so_far.ids := so_far.ids || resolved.regression_id;
	RETURN so_far;
END
$$;

CREATE OR REPLACE FUNCTION compare_new_runs(benchmark_id bigint, families int, OUT runs int, OUT done changes)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := compare_new_runs.benchmark_id;
	v_families CONSTANT int := coalesce(compare_new_runs.families, profiling.families_of(v_id));
	g record;
	v_run bigint;
BEGIN
	done := ROW(0, 0, 0, '{}'::bigint[]);
	-- Somebody else is at it; what is new is seen by that session, or the next time.
	IF NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch', v_id)) THEN
		RETURN;
	END IF;
	runs := 0;
	PERFORM profiling.fold_rollups(v_id, NULL::bigint);
	FOR g IN SELECT * FROM profiling.new_runs(v_id) LOOP
		runs := runs + cardinality(g.checked_ids);
		IF g.is_newest THEN
			done := profiling.watch_group(done, v_id, g.event, g.unit, g.branch, g.run_ids, v_families);
		END IF;
		PERFORM profiling.mark_checked(v_id, g.event, g.unit, g.branch, g.run_ids, g.checked_ids, g.repetitions,
			g.is_newest, v_families);
	END LOOP;
	FOREACH v_run IN ARRAY profiling.unfitted_runs(v_id) LOOP
		runs := runs + 1;
		done := profiling.watch_models(done, v_id, v_run);
	END LOOP;
END
$$;

COMMENT ON FUNCTION compare_new_runs(bigint, int)
	IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings, and '
		'tells nobody; runs: how many were looked at, null when another session is at it; families: how many families '
		'of tests there are tonight, null for those of this benchmark';

CREATE OR REPLACE FUNCTION watch_benchmark(benchmark_id bigint, families int DEFAULT NULL, OUT runs int, OUT opened int,
		OUT updated int, OUT closed int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_all record;
	v_done profiling.changes;
	v_night bigint;
BEGIN
	PERFORM profiling.need_access('watch_benchmark'::text, 'admin'::text);
	PERFORM profiling.keep_corrections_out();
	v_all := profiling.compare_new_runs(watch_benchmark.benchmark_id, watch_benchmark.families);
	v_done := v_all.done;
	runs := v_all.runs;
	opened := v_done.opened;
	updated := v_done.updated;
	closed := v_done.closed;
	IF runs > 0 THEN
		-- a night of one benchmark
		INSERT INTO profiling.job_log AS l (started_at, benchmark_id, step, outcome, detail)
		VALUES (v_started, watch_benchmark.benchmark_id, 'watch_benchmark', 'ok',
			profiling.changes_in_words(runs, v_done))
		RETURNING l.log_id INTO v_night;
		PERFORM profiling.finish_night(v_night);
	END IF;
END
$$;

COMMENT ON FUNCTION watch_benchmark(bigint, int)
	IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings and '
		'sends NOTIFY profiling_regression with ids; returns how many runs were looked at (null: another session '
		'is at it) and what became of findings; families: how many families of tests there are tonight, by default '
		'those of this benchmark';

CREATE OR REPLACE FUNCTION detect(benchmark_id bigint, test_run_id bigint DEFAULT NULL) RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run bigint := detect.test_run_id;
	v_families int;
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
BEGIN
	IF v_run IS NULL THEN
		SELECT t.test_run_id INTO v_run FROM profiling.test_run AS t
		WHERE t.test_run_id IN (
				SELECT r.test_run_id FROM profiling.rollup AS r WHERE r.benchmark_id = detect.benchmark_id
					AND r.span = 'run'
				UNION SELECT o.test_run_id FROM profiling.fitted_model AS o WHERE o.benchmark_id = detect.benchmark_id)
			AND profiling.has_begun(t.started_at)
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1;
	END IF;
	SELECT count(*) INTO v_families FROM profiling.rollup AS r, profiling.watches_of(r.benchmark_id, r.event) AS w
	WHERE r.benchmark_id = detect.benchmark_id AND r.test_run_id = v_run AND r.span = 'run'
		AND w.method NOT IN ('integral', 'local_statistics');
	RETURN QUERY
	SELECT d.*
	FROM profiling.rollup AS r, profiling.watches_of(r.benchmark_id, r.event) AS w,
		LATERAL profiling.found(w, r.benchmark_id, r.event, r.unit, r.branch, ARRAY[v_run], v_families) AS f,
		LATERAL profiling.with_team(f, profiling.summed(r.flamegraph, r.benchmark_id, r.pending)) AS d
	WHERE r.benchmark_id = detect.benchmark_id AND r.test_run_id = v_run AND r.span = 'run'
		AND w.method NOT IN ('integral', 'local_statistics')
	UNION ALL
	SELECT d.*
	FROM profiling.test_run AS t, profiling.watches_of(detect.benchmark_id, ''::text) AS w,
		LATERAL profiling.found_in_models(w, detect.benchmark_id, t.branch, v_run, NULL::bigint) AS f,
		LATERAL profiling.with_team(f, v_none) AS d
	WHERE t.test_run_id = v_run AND w.method IN ('integral', 'local_statistics');
END
$$;

CREATE OR REPLACE FUNCTION watch_step(benchmark_id bigint, families int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done record;
	v_detail text;
BEGIN
	PERFORM profiling.keep_corrections_out();
	v_done := profiling.compare_new_runs(watch_step.benchmark_id, watch_step.families);
	IF v_done.runs IS NULL THEN
		PERFORM profiling.log_job('watch'::text, 'skipped'::text, v_started, 'another session is at it'::text,
			watch_step.benchmark_id);
	ELSIF v_done.runs > 0 THEN
		PERFORM profiling.log_job('watch'::text, 'ok'::text, v_started,
			profiling.changes_in_words(v_done.runs, v_done.done), watch_step.benchmark_id);
	END IF;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job('watch'::text, 'failed'::text, v_started,
		concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')), watch_step.benchmark_id);
END
$$;

COMMENT ON FUNCTION watch_step(bigint, int)
	IS 'compare_new_runs(); what it did, or why it failed, is recorded in job_log';

CREATE OR REPLACE PROCEDURE watch_run()
	LANGUAGE plpgsql AS $$
DECLARE
	v_night pg_catalog.record;
	v_ids bigint[];
	v_id bigint;
BEGIN
	PERFORM profiling.need_access('watch_run'::pg_catalog.text, 'admin'::pg_catalog.text);
	v_night := profiling.begin_night();
	v_ids := profiling.benchmarks_to_watch();
	CALL profiling.commit_or_say('watch_run() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	FOREACH v_id IN ARRAY v_ids LOOP
		PERFORM profiling.watch_step(v_id, v_night.families);
		COMMIT;
	END LOOP;
	PERFORM profiling.finish_night(v_night.log_id);
	COMMIT;
	PERFORM profiling.warn_of_night(v_night.log_id);
END
$$;

COMMENT ON PROCEDURE watch_run()
	IS 'every night: compares the new runs of all benchmarks, each in a transaction of its own, and then tells what '
		'was found; what fails is recorded in job_log and the others go on, with a WARNING at the end; called alone';

CREATE OR REPLACE FUNCTION night_environment(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN '';
END
$$;

COMMENT ON FUNCTION night_environment(bigint)
	IS 'a step of finish_night(): what moved many benchmarks of a night by one factor; words for job_log, or empty';

CREATE OR REPLACE FUNCTION night_groups(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN '';
END
$$;

COMMENT ON FUNCTION night_groups(bigint)
	IS 'a step of finish_night(): puts the findings of a night that have one cause into groups; words for job_log, or '
		'empty';

CREATE OR REPLACE FUNCTION night_notify(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	m record;
BEGIN
	FOR m IN
		SELECT f.benchmark_id, array_agg(f.regression_id ORDER BY f.regression_id) AS ids,
			count(*) FILTER (WHERE f.status = 'open') AS opened, count(*) FILTER (WHERE f.status <> 'open') AS closed,
			(array_agg(t.test_run_id ORDER BY t.started_at DESC, t.test_run_id DESC))[1] AS test_run_id
		FROM profiling.untold_findings(night_notify.log_id) AS f
			LEFT JOIN profiling.test_run AS t ON t.test_run_id = profiling.run_of_news(f)
		WHERE f.cause <> 'shift'
		GROUP BY f.benchmark_id ORDER BY f.benchmark_id
	LOOP
		PERFORM pg_notify('profiling_regression', json_build_object('benchmark_id', m.benchmark_id,
			'test_run_id', m.test_run_id, 'opened', m.opened, 'closed', m.closed,
			'regression_ids', m.ids[:50])::text);
		UPDATE profiling.regression AS r SET notified_at = clock_timestamp()
		WHERE r.benchmark_id = m.benchmark_id AND r.regression_id = ANY (m.ids);
	END LOOP;
	RETURN '';
END
$$;

COMMENT ON FUNCTION night_notify(bigint)
	IS 'a step of finish_night(): sends NOTIFY profiling_regression for findings that nobody was told of, and writes '
		'down that they were; words for job_log, or empty';

CREATE OR REPLACE FUNCTION untold_findings(log_id bigint) RETURNS SETOF regression
	LANGUAGE sql ROWS 10
	BEGIN ATOMIC
		SELECT r.* FROM regression AS r JOIN job_log AS l ON l.log_id = untold_findings.log_id
			AND (l.benchmark_id IS NULL OR l.benchmark_id = r.benchmark_id)
		WHERE r.notified_at IS NULL AND r.status IN ('open', 'resolved')
		ORDER BY r.benchmark_id, r.regression_id
		-- Another session has it in hand, and tells it.
		FOR UPDATE OF r SKIP LOCKED;
	END;

COMMENT ON FUNCTION untold_findings(bigint)
	IS 'findings that were opened or closed and nobody was told of; log_id: the line of job_log of a night, or of one '
		'benchmark: then those of this one; locks them';

CREATE OR REPLACE FUNCTION run_of_news(finding regression) RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF (finding).status <> 'resolved' THEN
		RETURN (finding).last_test_run_id;
	END IF;
	-- It was closed in the transaction in which the run without it was looked at.
	RETURN coalesce((SELECT r.test_run_id FROM profiling.rollup AS r
		WHERE r.benchmark_id = (finding).benchmark_id AND r.event = (finding).event AND r.branch = (finding).branch
			AND (r.unit = (finding).unit OR (finding).level = 'metric') AND r.checked_at = (finding).closed_at
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1), (finding).last_test_run_id);
END
$$;

COMMENT ON FUNCTION run_of_news(regression)
	IS 'the run that the news of a finding is about: the last one that has it, or of a closed one the first that has '
		'it not';

CREATE OR REPLACE FUNCTION night_step(log_id bigint, step text) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_detail text;
BEGIN
	RETURN CASE step
		WHEN 'night_environment' THEN profiling.night_environment(log_id)
		WHEN 'night_groups' THEN profiling.night_groups(log_id)
		ELSE profiling.night_notify(log_id) END;
EXCEPTION WHEN OTHERS THEN
	-- What was found is told nevertheless, now or by the next night.
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job(step, 'failed'::text, v_started, concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')),
		NULL::bigint);
	RETURN '';
END
$$;

COMMENT ON FUNCTION night_step(bigint, text)
	IS 'one step of finish_night(), by its name, and what it says for job_log; why it failed is recorded there, and the '
		'others go on';

CREATE OR REPLACE FUNCTION finish_night(log_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_step text;
	v_words text := '';
BEGIN
	FOREACH v_step IN ARRAY ARRAY['night_environment', 'night_groups', 'night_notify'] LOOP
		v_words := concat_ws(', ', nullif(v_words, ''), nullif(profiling.night_step(finish_night.log_id, v_step), ''));
	END LOOP;
	UPDATE profiling.job_log AS l SET finished_at = clock_timestamp(),
		detail = concat_ws(', ', l.detail, CASE l.log_id WHEN finish_night.log_id THEN nullif(v_words, '') END)
	FROM profiling.job_log AS n
	WHERE n.log_id = finish_night.log_id AND (l.log_id = n.log_id
		-- and nights before it that were cut short
		OR n.step = 'watch_run' AND l.step = 'watch_run' AND l.finished_at IS NULL AND l.log_id < n.log_id);
END
$$;

COMMENT ON FUNCTION finish_night(bigint)
	IS 'the end of a night, or of the comparison of one benchmark, by its line in job_log: what moved many benchmarks '
		'is seen, findings with one cause are made a group, and what nobody was told of is told; writes into job_log '
		'that it has ended';

DO $do$
DECLARE
	c pg_catalog.record;
BEGIN
	FOR c IN
		SELECT a.attname, v.name AS view,
			coalesce(pg_catalog.col_description('profiling.regression'::pg_catalog.regclass::pg_catalog.oid,
			r.attnum::int),
			CASE WHEN a.attname OPERATOR(pg_catalog.=) 'suite'::name THEN 'suite of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'name'::name THEN 'name of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'parameters'::name THEN 'parameters of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'first_started_at'::name
				THEN 'when the run that it was first seen in began'
			WHEN a.attname OPERATOR(pg_catalog.=) 'first_commit'::name THEN 'commit of that run'
			WHEN a.attname OPERATOR(pg_catalog.=) 'last_started_at'::name
				THEN 'when the last run that it was seen in began'
			WHEN a.attname OPERATOR(pg_catalog.=) 'last_commit'::name THEN 'commit of that run' END) AS comment
		FROM (VALUES ('regression_history'), ('open_regression')) AS v (name)
			JOIN pg_catalog.pg_class AS k
				ON k.relnamespace OPERATOR(pg_catalog.=) 'profiling'::pg_catalog.regnamespace::pg_catalog.oid
				AND k.relname OPERATOR(pg_catalog.=) v.name::name
			JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) k.oid
				AND a.attnum OPERATOR(pg_catalog.>) 0
			LEFT JOIN pg_catalog.pg_attribute AS r
				ON r.attrelid OPERATOR(pg_catalog.=) 'profiling.regression'::pg_catalog.regclass::pg_catalog.oid
				AND r.attname OPERATOR(pg_catalog.=) a.attname
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN profiling.%I.%I IS %L', c.view, c.attname, c.comment);
	END LOOP;
END
$do$;

CREATE OR REPLACE FUNCTION detect(benchmark text, test_run_id bigint DEFAULT NULL) RETURNS SETOF finding
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT d.* FROM profiling.detect(benchmark_called(detect.benchmark, '%'::text), detect.test_run_id) AS d;
	END;

DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	r pg_catalog.record;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	FOR r IN
		SELECT DISTINCT c.oid::regclass AS relation, a.privilege_type AS right, g.rolname AS role
		FROM pg_class AS f CROSS JOIN LATERAL aclexplode(f.relacl) AS a JOIN pg_roles AS g ON g.oid = a.grantee,
			pg_class AS c
		WHERE f.oid = 'profiling.regression'::regclass AND a.grantee <> f.relowner
			AND c.relnamespace = f.relnamespace AND c.relkind IN ('r', 'v', 'p')
			AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
			AND NOT has_table_privilege(g.oid, c.oid, a.privilege_type)
	LOOP
		EXECUTE format('GRANT %s ON %s TO %I', r.right, r.relation, r.role);
	END LOOP;
	FOR r IN
		SELECT DISTINCT p.oid::regprocedure AS routine, k.role
		FROM profiling.kept_rights AS k JOIN pg_proc AS p ON p.proname = k.name
		WHERE p.pronamespace = 'profiling'::regnamespace AND NOT has_function_privilege(k.role, p.oid, 'EXECUTE')
	LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', r.routine, r.role);
	END LOOP;
	PERFORM set_config('search_path', v_path, true);
END
$$;

DROP TABLE kept_rights;

DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	n record;
	v_foreign pg_catalog.text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	SELECT x.oid AS store, x.extnamespace AS schema, f.oid AS flamegraph INTO STRICT n
	FROM pg_extension AS x, pg_extension AS f
	WHERE x.extname = 'flamegraph_store' AND f.extname = 'flamegraph';

	-- What belongs to the members (rules of views, constraints, indexes, row types) is looked at, too. Objects with
	-- oids below 16384 were made by initdb.
	WITH RECURSIVE ours (extension, classid, objid) AS (
		SELECT d.refobjid, d.classid, d.objid FROM pg_depend AS d
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND (d.refobjid = n.store
			OR d.refobjid = n.flamegraph AND NOT EXISTS (SELECT FROM pg_shdepend AS s JOIN pg_roles AS r
				ON r.oid = s.refobjid
				WHERE s.dbid = (SELECT b.oid FROM pg_database AS b WHERE b.datname = current_database())
					AND s.classid = d.classid AND s.objid = d.objid AND s.objsubid = 0
					AND s.refclassid = 'pg_authid'::regclass AND s.deptype = 'o'
					AND NOT r.rolsuper AND r.rolname <> current_user))
		UNION
		SELECT o.extension, d.classid, d.objid
		FROM ours AS o JOIN pg_depend AS d ON d.refclassid = o.classid AND d.refobjid = o.objid
		WHERE d.deptype IN ('i', 'a')
	)
	SELECT string_agg(f.name, ', ') INTO v_foreign
	FROM (SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, 0) AS name
		FROM ours AS o JOIN pg_depend AS d ON d.classid = o.classid AND d.objid = o.objid
		WHERE o.extension = n.store AND d.refobjid >= 16384
			AND NOT EXISTS (SELECT FROM ours AS u WHERE u.classid = d.refclassid AND u.objid = d.refobjid)
			AND NOT (d.refclassid = 'pg_extension'::regclass AND d.refobjid = n.store)
			AND NOT (d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.schema)
			-- dropped and created again
			AND NOT EXISTS (SELECT FROM pg_language AS l WHERE d.refclassid = 'pg_language'::regclass
				AND l.oid = d.refobjid AND l.lanname = 'plpgsql')
		ORDER BY 1 LIMIT 5) AS f;
	IF v_foreign IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = 'extension flamegraph_store would depend on what is part neither of it nor of flamegraph',
			DETAIL = format('Among it: %s.', v_foreign),
			HINT = 'Drop these, or have flamegraph in a schema of its own: '
				'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.';
	END IF;
	PERFORM set_config('search_path', v_path, true);
END
$$;
