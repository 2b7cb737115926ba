-- Months that come and go; what is kept; rollups of months.
-- Three months of weekly runs on two branches, all in the default partition. Times are UTC's.
SET timezone = 'UTC';
SELECT count(profiling.import_flamegraph('kept', format(E'main;a %s\nmain;b 1', g + r)::flamegraph, started_at => d, branch => b, commit => 'c' || g,
	version => CASE WHEN g = 3 THEN 'v1' ELSE '' END, repetition => r, metric => g, metric_unit => 's')) AS loaded
FROM generate_series(0, 12) AS g, LATERAL (VALUES (timestamptz '2020-01-01 UTC' + make_interval(days => 7 * g))) AS t (d),
	(VALUES ('main'), ('dev')) AS b (b), generate_series(0, 1) AS r;
SELECT count(profiling.import_flamegraph('quiet', 'main 1', started_at => timestamptz '2020-01-15 UTC' + make_interval(days => g))) AS loaded FROM generate_series(0, 2) AS g;
CREATE VIEW t.months AS
SELECT d.tableoid::regclass AS partition, b.name, r.branch, count(*), min(recorded_at)::date AS first, max(recorded_at)::date AS last
FROM profiling.profile_data AS d JOIN profiling.benchmark AS b USING (benchmark_id)
	JOIN profiling.profile AS p USING (benchmark_id, profile_id, recorded_at) JOIN profiling.test_run AS r USING (test_run_id)
WHERE b.name IN ('kept', 'quiet')
GROUP BY 1, 2, 3 ORDER BY d.tableoid::regclass::text COLLATE "C", b.name COLLATE "C", r.branch COLLATE "C";
SELECT * FROM t.months;
-- the sum of everything, which no maintenance may change
SELECT sum(flamegraph) AS everything FROM profiling.profile_full JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'kept' \gset

-- Partitions move their rows out of the default one; the second time nothing happens; the time zone does not matter.
SET timezone = 'Asia/Tokyo';
SELECT profiling.add_partition('2020-01-31'), profiling.add_partition('2020-01-01'), profiling.add_partition('2020-03-15');
SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'profile_data_202001';
SET timezone = 'UTC';
SELECT * FROM t.months;
SELECT sum(flamegraph) = :'everything' AS unchanged FROM profiling.profile_full JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'kept';
-- the keys, the index, the number of workers; the rows are found by it
SELECT i.relname, pg_get_indexdef(i.oid) FROM pg_index JOIN pg_class AS i ON i.oid = indexrelid WHERE indrelid = 'profiling.profile_data_202001'::regclass ORDER BY 1;
SELECT reloptions, obj_description(oid) FROM pg_class WHERE relname = 'profile_data_202001';
SELECT count(*) FROM profiling.profile_data WHERE flamegraph ? 'b' AND recorded_at < '2020-02-01';
SELECT * FROM profiling.partition_months() WHERE month < '2021-01-01';
SELECT * FROM t.try($$SELECT profiling.add_partition(NULL)$$, $$SELECT profiling.add_partition('infinity')$$);

-- Months that maintain() wants: this one, the next three, and young ones with rows in the default partition.
SELECT m - date_trunc('month', now() AT TIME ZONE 'UTC')::date >= 0 AS from_now, count(*) FROM unnest(profiling.months_wanted(3, '90 days')) AS m GROUP BY 1;
SELECT m FROM unnest(profiling.months_wanted(-1, now() - timestamptz '2020-02-20 UTC')) AS m WHERE m < '2021-01-01';
SELECT m FROM unnest(profiling.months_wanted(-1, now() - timestamptz '2020-03-01 UTC')) AS m WHERE m < '2021-01-01';
-- What claims to be later than these months gets no partition; it stays in the default one.
BEGIN;
INSERT INTO profiling.profile_data SELECT 1, -g, now() + make_interval(years => g), 'a 1' FROM generate_series(1, 8000) AS g;
SELECT count(*) FROM unnest(profiling.months_wanted(3, '90 days')) AS m;
SELECT count(*) FROM unnest(profiling.months_wanted(0, '90 days')) AS m;
ROLLBACK;
CALL profiling.maintain(months => 0, keep => now() - timestamptz '2020-02-20 UTC', merge_after => '100 years');
SELECT * FROM t.months;

-- What retention keeps: the newest runs of each branch, what open findings refer to, what baselines name.
CREATE FUNCTION t.kept(n int) RETURNS TABLE (name text, branch text, runs text) LANGUAGE sql AS $$
	SELECT b.name, t.branch, string_agg(to_char(t.started_at, 'MM-DD'), ' ' ORDER BY t.started_at)
	FROM profiling.runs_to_keep(n) AS k JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS t USING (test_run_id)
	WHERE b.name IN ('kept', 'quiet') GROUP BY 1, 2 ORDER BY b.name COLLATE "C", t.branch COLLATE "C"
$$;
UPDATE profiling.watch SET baseline = 'window:1';
SELECT * FROM t.kept(3);
-- a window looks back further
UPDATE profiling.watch SET baseline = 'window:4';
SELECT * FROM t.kept(3);
UPDATE profiling.watch SET enabled = false;
SELECT * FROM t.kept(2);
INSERT INTO profiling.watch (benchmark, event, baseline) VALUES ('kep%', 'cpu', 'commit:c1'), ('kept', '%', 'version:v1'), ('kept', 'alloc', 'commit:c5'), ('other', '%', 'commit:c5');
INSERT INTO profiling.regression (benchmark_id, event, unit, first_test_run_id, last_test_run_id, method, level, subject, subject_id, kind, status, closed_at)
SELECT benchmark_id, 'cpu', 'samples', r.first, r.last, 'deviation', 'frame', s::stackpath, md5(s)::uuid, 'degradation', s, closed
FROM profiling.benchmark, (VALUES ('open', 0, 4, NULL), ('resolved', 7, 8, now())) AS v (s, g, h, closed),
	LATERAL (SELECT min(test_run_id) FILTER (WHERE commit = 'c' || g), min(test_run_id) FILTER (WHERE commit = 'c' || h) FROM profiling.test_run WHERE branch = 'main') AS r (first, last)
WHERE name = 'kept';
SELECT * FROM t.kept(2);

-- Dropping whole months: February is not over on its 20th.
CALL profiling.prune(keep => now() - timestamptz '2020-02-20 UTC', keep_runs => 2);
SELECT * FROM t.months;
SELECT * FROM profiling.partition_months() WHERE month < '2021-01-01';
SELECT to_char(t.started_at, 'MM-DD') AS run, t.branch, t.commit, t.version, count(*), count(d.profile_id) AS with_data
FROM profiling.profile AS p JOIN profiling.test_run AS t USING (test_run_id) JOIN profiling.benchmark AS b USING (benchmark_id)
	LEFT JOIN profiling.profile_data AS d USING (benchmark_id, profile_id)
WHERE b.name = 'kept' AND p.recorded_at < '2020-02-01' GROUP BY 1, 2, 3, 4 ORDER BY 1, t.branch COLLATE "C";
-- rollups, the history, are all there still
SELECT b.name, count(*), sum(total) FROM profiling.rollup JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name IN ('kept', 'quiet') GROUP BY 1 ORDER BY b.name COLLATE "C";
SELECT * FROM profiling.check(true);
-- The finding is closed, the baselines are gone: the next time their runs go, from the default partition, too.
UPDATE profiling.regression SET status = 'resolved', closed_at = now() WHERE status = 'open';
DELETE FROM profiling.watch WHERE watch_id <> 0;
CALL profiling.prune(keep => now() - timestamptz '2020-02-20 UTC', keep_runs => 2);
SELECT * FROM t.months;
CALL profiling.prune(keep => now() - timestamptz '2020-06-20 UTC', keep_runs => 0);
SELECT * FROM t.months;
SELECT count(*) FROM profiling.profile AS p JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name IN ('kept', 'quiet');
SELECT * FROM t.try($$CALL profiling.prune('-1 days')$$, $$CALL profiling.prune('90 days', NULL)$$, $$CALL profiling.prune('90 days', -1)$$);
-- with the path of nobody, too: procedures qualify every name
SET search_path = pg_temp;
CALL profiling.maintain(0);
CALL profiling.prune(keep => pg_catalog.now() - timestamptz '2020-01-01 UTC');
RESET search_path;
SELECT step, outcome, detail FROM profiling.job_log WHERE detail !~ 'profile_data_20(2[1-9]|[3-9])' ORDER BY log_id;

-- Rollups of old runs become rollups of months: sums and moments stay what they are.
UPDATE profiling.watch SET baseline = 'window:1', enabled = true;
CREATE VIEW t.history AS
SELECT branch, span, to_char(started_at, 'MM-DD') AS newest, cardinality(run_ids) AS runs, repetitions AS reps, total, metric_count AS metrics, metric_sum, metric_unit,
	profile_count(profiling.stats_of(stats_node, flamegraph, 'node')) AS n, run_ids[cardinality(run_ids)] = test_run_id AS last_is_key, checked_at IS NOT NULL AS checked
FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'kept' ORDER BY branch COLLATE "C", started_at;
CREATE FUNCTION t.all_of(OUT fg flamegraph, OUT moments text) LANGUAGE sql AS $$
	SELECT sum(flamegraph), (SELECT string_agg(format('%s %s %s %s', key, n, round(mean::numeric, 9), round(stddev::numeric, 9)), ', ')
		FROM entries(profiling.merged_stats(profiling.stats_of(stats_node, flamegraph, 'node'))))
	FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'kept'
$$;
SELECT * FROM t.all_of() \gset before_
SELECT profiling.merge_rollups(benchmark_id, now() - timestamptz '2020-03-20 UTC', 3) AS months FROM profiling.benchmark WHERE name = 'kept';
SELECT * FROM t.history;
SELECT fg = :'before_fg' AS sum, moments = :'before_moments' AS moments FROM t.all_of();
-- again: nothing new
SELECT profiling.merge_rollups(benchmark_id, now() - timestamptz '2020-03-20 UTC', 3) AS months FROM profiling.benchmark WHERE name = 'kept';
-- A late repetition of a run that is in a month: at first a row of its own, then in the month, the run counted once.
SELECT profiling.import_flamegraph('kept', 'main;late 1', started_at => '2020-02-05 UTC', branch => 'main', commit => 'c5', repetition => 9) IS NOT NULL AS loaded;
SELECT * FROM t.history WHERE reps = 1;
SELECT profiling.merge_rollups(benchmark_id, now() - timestamptz '2020-03-20 UTC', 3) AS months FROM profiling.benchmark WHERE name = 'kept';
SELECT * FROM t.history WHERE metric_unit = '';
SELECT profiling.import_flamegraph('kept', 'main;late 1', started_at => '2020-02-12 UTC', branch => 'main', commit => 'c6', repetition => 9, metric => 0, metric_unit => 's') IS NOT NULL AS loaded;
SELECT profiling.merge_rollups(benchmark_id, now() - timestamptz '2020-03-20 UTC', 3) AS months FROM profiling.benchmark WHERE name = 'kept';
SELECT * FROM t.history WHERE newest LIKE '02-%' AND branch = 'main';
SELECT (fg - :'before_fg'::flamegraph) FROM t.all_of();
SELECT * FROM profiling.check(true);
UPDATE profiling.watch SET baseline = 'window:10' WHERE watch_id = 0;
RESET timezone;
