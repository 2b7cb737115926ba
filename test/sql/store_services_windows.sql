-- Windows of production: the same before and after every compaction, and what a list of all profiles says.
SET timezone = 'UTC';
TRUNCATE profiling.service, profiling.stream, profiling.incoming, profiling.block, profiling.retention RESTART IDENTITY;
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('%', NULL, NULL, NULL, NULL);
CREATE TABLE t.sent AS
SELECT s AS service, timestamptz '2020-02-10 08:00 UTC' + g * interval '1 min' + p * interval '7 s' AS at, 'pod-' || p AS pod, 'cpu' AS event, 'samples' AS unit,
	format(E'main;serve;f%s %s\nmain;serve;g %s\nmain;r;r 1%s', g % 5, 1 + g % 7, p + 1, CASE WHEN s = 'shop' AND g > 100 THEN E'\nmain;serve;slow;sleep 9' ELSE '' END)::flamegraph AS fg,
	jsonb_build_object('version', CASE WHEN g < 90 THEN 'v1' ELSE 'v2' END, 'commit', CASE WHEN g < 90 THEN '0123456789' ELSE '89abcdef01' END, 'zone', s) AS labels
FROM generate_series(0, 179) AS g, generate_series(1, 3) AS p, (VALUES ('shop'), ('search')) AS v (s)
UNION ALL
SELECT 'shop', timestamptz '2020-02-10 08:00 UTC' + g * interval '1 min', 'pod-1', 'alloc', 'bytes', format('main;new %s', 1024 * g)::flamegraph, '{}' FROM generate_series(0, 179) AS g;
SELECT profiling.ingest_batch(array_agg(service), array_agg(fg), array_agg(at), array_agg(pod), array_agg(labels), array_agg(event), array_agg(unit)) FROM t.sent;

-- windows, and what they come to by the list
CREATE TABLE t.asked (n int, service text, since timestamptz, until timestamptz, event text, instances text[], labels jsonb, version text, commits text[]);
INSERT INTO t.asked VALUES (1, '%', NULL, NULL, 'cpu', NULL, '{}', NULL, NULL), (2, 'shop', NULL, NULL, 'cpu', NULL, '{}', NULL, NULL),
	(3, 'shop', '2020-02-10 08:30', '2020-02-10 10:15:07', 'cpu', NULL, '{}', NULL, NULL), (4, 's%', '2020-02-10 09:00', '2020-02-10 10:00', 'cpu', NULL, '{}', NULL, NULL),
	(5, 'shop', '2020-02-10 09:00:07', '2020-02-10 09:00:08', 'cpu', '{pod-1,pod-9}', '{}', NULL, NULL), (6, '%', NULL, '2020-02-10 10:00', 'cpu', '{pod-2}', NULL, NULL, NULL),
	(7, 'search', NULL, NULL, 'cpu', NULL, '{"zone": "search"}', 'v2', NULL), (8, '%', '2020-02-10 08:10', NULL, 'cpu', NULL, '{}', NULL, '{0123456}'), (9, 'shop', NULL, NULL, 'alloc', NULL, '{}', NULL, NULL),
	(10, 'shop', '2021-01-01', NULL, 'cpu', NULL, '{}', NULL, NULL), (11, NULL, NULL, NULL, 'alloc', NULL, '{}', NULL, '{0123456789,89abcdef01}'),
	-- none, in an hour that has some
	(12, 'shop', '2020-02-10 08:00:22', '2020-02-10 08:01:07', 'cpu', NULL, '{}', NULL, NULL), (13, 'shop', '2020-02-10 09:00', '2020-02-10 09:30', 'cpu', '{pod-9}', '{}', NULL, NULL);
CREATE VIEW t.by_list AS
SELECT a.n, sum(s.fg) AS profile, count(s.fg) AS profiles
FROM t.asked AS a LEFT JOIN t.sent AS s ON s.service LIKE coalesce(a.service, '%') AND s.at >= coalesce(a.since, '-infinity') AND s.at < coalesce(a.until, 'infinity') AND s.event = a.event
	AND (a.instances IS NULL OR s.pod = ANY (a.instances)) AND (a.labels IS NULL OR s.labels @> a.labels) AND (a.version IS NULL OR s.labels ->> 'version' = a.version)
	AND (a.commits IS NULL OR EXISTS (SELECT FROM unnest(a.commits) AS c WHERE starts_with(s.labels ->> 'commit', c)))
GROUP BY a.n;
CREATE FUNCTION t.windows(but int[] DEFAULT '{}') RETURNS TABLE (n int, profiles bigint, same_profile bool, same_top bool, same_trend bool, same_noise bool) LANGUAGE sql AS $$
	SELECT a.n, l.profiles, w.profile IS NOT DISTINCT FROM l.profile,
		(SELECT array_agg(t) FROM profiling.window_top(a.service, a.since, a.until, a.event, a.instances, a.labels, a.version, a.commits) AS t) IS NOT DISTINCT FROM (SELECT array_agg(t) FROM top(l.profile) AS t),
		(SELECT (sum(t.value), sum(t.total), sum(t.profiles)) FROM profiling.window_trend('r', '1 hour', a.service, a.since, a.until, a.event, a.instances, a.labels, a.version, a.commits) AS t)
			IS NOT DISTINCT FROM (SELECT (frame_total(l.profile, 'r'), total(l.profile), nullif(l.profiles, 0)::numeric)),
		profiling.window_noise(a.service, a.since, a.until, a.event, a.instances, a.labels, a.version, a.commits) IS NOT DISTINCT FROM CASE WHEN a.event = 'cpu' THEN l.profile END
	FROM t.asked AS a JOIN t.by_list AS l USING (n), LATERAL (SELECT profiling.window_profile(a.service, a.since, a.until, a.event, a.instances, a.labels, a.version, a.commits) AS profile) AS w
	WHERE a.n <> ALL (but) ORDER BY a.n
$$;
SET client_min_messages = 'warning';
SELECT * FROM t.windows();
-- a name that is null is none, and that is said before it is in a block, too
SELECT * FROM t.try($$SELECT profiling.window_profile('shop', instances => '{pod-1,NULL}')$$, $$SELECT count(*) FROM profiling.window_instances('shop', instances => '{pod-1,NULL}')$$);
SELECT count(*), sum(profiling.compact_stream(h.service_id, h.stream_id, h.hour)) FROM profiling.hours_to_compact('2020-02-10 10:00') AS h;
SELECT * FROM t.windows() WHERE (same_profile AND same_top AND same_trend AND same_noise) IS NOT TRUE;
CALL profiling.compact();
SELECT count(*), (SELECT count(*) FROM profiling.incoming) FROM profiling.block;
SELECT * FROM t.windows() WHERE (same_profile AND same_top AND same_trend AND same_noise) IS NOT TRUE;
RESET client_min_messages;
-- A profile that is empty is one.
SELECT profiling.ingest('empty', fg => '', recorded_at => '2020-02-10 08:10');
SELECT profiling.window_profile('empty', '2020-02-10 08:00', '2020-02-10 08:11') = '' AS empty, profiling.window_profile('empty', '2020-02-10 08:00', '2020-02-10 08:10') IS NULL AS none;
CALL profiling.compact();
SELECT profiling.window_profile('empty', '2020-02-10 08:00', '2020-02-10 08:11') = '' AS empty, profiling.window_profile('empty', '2020-02-10 08:00', '2020-02-10 08:10') IS NULL AS none;
DELETE FROM profiling.block WHERE total = 0;
DELETE FROM profiling.stream AS m USING profiling.service AS s WHERE s.service_id = m.service_id AND s.name = 'empty';
DELETE FROM profiling.service WHERE name = 'empty';

-- The trend of a function, by hand: 3 pods, a profile a minute each, of 14 or so samples; slow costs 9 in each from minute 101 on.
SELECT * FROM profiling.window_trend('slow', '30 min', 'shop');
SELECT sum(value) FROM profiling.window_trend('serve', '1 min', 'shop', level => 'self');
SELECT count(*), min(at), max(at), sum(value), sum(profiles) FROM profiling.window_trend('slow', '1 min', 'shop', since => '2020-02-10 09:40', until => '2020-02-10 09:45', instances => '{pod-2,pod-3}');
SELECT * FROM profiling.window_trend('nowhere', '1 day', 'shop');
-- a week begins on a Monday; NULL is the default
SELECT at, profiles FROM profiling.window_trend('slow', '7 days', 'shop');
SELECT count(*) FROM profiling.window_trend('slow', NULL, 'shop');

-- Where does a function occur, since when, and how much is it?
SELECT * FROM profiling.window_search('slow');
SELECT * FROM profiling.window_search('sl*');
SELECT * FROM profiling.window_search('*;slow;sleep', since => '2020-02-10 10:00', instances => '{pod-3}');
SELECT * FROM profiling.window_search('r', event => NULL, until => '2020-02-10 08:02');
SELECT service, value, total FROM profiling.window_search('g');
SELECT service FROM profiling.window_search('slow', min_share => 0.5);
SELECT * FROM profiling.window_search('slow', until => '2020-02-10 09:41');
-- a profile that has just come is found, too, and counts
SELECT profiling.ingest('search', fg => 'main;slow 3', recorded_at => now(), labels => '{"zone": "search"}');
SELECT service, first_at = last_at AND first_at > '2021-01-01' AS just_now, value, total FROM profiling.window_search('slow', service => 'search');
DELETE FROM profiling.incoming;
EXPLAIN (COSTS OFF) SELECT count(*) FROM profiling.block_default WHERE series ? 'slow';

-- Blocks may overlap: half of the profiles in one block of three hours, the others in one for each hour.
CREATE TABLE t.found AS SELECT * FROM profiling.window_search('sl*') UNION ALL SELECT * FROM profiling.window_search('slow', since => '2020-02-10 09:43:10', until => '2020-02-10 10:51') UNION ALL SELECT * FROM profiling.window_search('*;f3');
BEGIN;
DELETE FROM profiling.block;
SET LOCAL client_min_messages = 'warning';
SELECT profiling.ingest_batch(array_agg(service), array_agg(fg), array_agg(at), array_agg(pod), array_agg(labels), array_agg(event), array_agg(unit)) FROM t.sent WHERE extract(minute FROM at)::int % 2 = 1;
SELECT sum(profiling.move_to_blocks(service_id, stream_id, '2020-02-10', '2020-02-11', 1000000)) FROM profiling.stream;
SELECT profiling.ingest_batch(array_agg(service), array_agg(fg), array_agg(at), array_agg(pod), array_agg(labels), array_agg(event), array_agg(unit)) FROM t.sent;
SELECT sum(profiling.move_to_blocks(service_id, stream_id, h, h + interval '1 hour', 1000000)) FROM profiling.stream, generate_series(timestamptz '2020-02-10 08:00', '2020-02-10 10:00', '1 hour') AS h;
SELECT count(*), max(until - since) FROM profiling.block;
SELECT * FROM t.windows() WHERE (same_profile AND same_top AND same_trend AND same_noise) IS NOT TRUE;
SELECT count(*), (SELECT count(*) FROM t.found) FROM (SELECT * FROM profiling.window_search('sl*') UNION ALL SELECT * FROM profiling.window_search('slow', since => '2020-02-10 09:43:10', until => '2020-02-10 10:51') UNION ALL SELECT * FROM profiling.window_search('*;f3')
	INTERSECT ALL SELECT * FROM t.found) AS same;
ROLLBACK;
DROP TABLE t.found;

-- Who has sent profiles
SELECT * FROM profiling.window_instances('shop');
SELECT * FROM profiling.window_instances(since => '2020-02-10 10:59:10', until => '2020-02-10 10:59:20');

-- What has changed with the deploy: observations are pods and steps. The oracle is compare_profiles() of the means that the list has.
CREATE FUNCTION t.means(v text) RETURNS flamegraph[] LANGUAGE sql AS $$
	SELECT array_agg(m ORDER BY at, pod) FROM (SELECT date_bin('10 min', at, '2020-01-01 UTC') AS at, pod, sum(fg) / count(*) AS m FROM t.sent WHERE service = 'shop' AND event = 'cpu' AND labels ->> 'version' = v GROUP BY 1, 2) AS o
$$;
SELECT count(*), count(*) FILTER (WHERE c.key = o.key AND c.delta = o.delta AND abs(c.mean_before - o.mean_before) < 1e-12) AS same_changes, count(*) FILTER (WHERE c.p_value <= 1) AS tested
FROM profiling.window_compare('{"service": "shop", "version": "v1"}', '{"service": "shop", "version": "v2"}', level => 'frame') AS c FULL JOIN compare_profiles(t.means('v1'), t.means('v2'), 'frame') AS o USING (key);
SELECT key, round(mean_before::numeric, 3) AS before, round(mean_after::numeric, 3) AS after, change, significant FROM profiling.window_compare('{"service": "shop", "version": "v1"}', '{"service": "shop", "version": "v2"}', level => 'frame') WHERE significant ORDER BY 1;
SELECT count(*), sum(profiles), bool_and(noise = profile / profiles) AS noise_by_period FROM profiling.window_observations('{"service": "shop", "instances": ["pod-1", "pod-2"], "commits": ["89abcdef01"], "labels": {"zone": "shop"}, "until": "2020-02-10 10:00", "since": null}', '5 min');
SELECT * FROM t.try($$SELECT profiling.window_compare('{"services": "shop"}', '{}')$$, $$SELECT profiling.window_compare('[]', '{}')$$, $$SELECT profiling.window_compare('{"service": 3}', '{}')$$,
	$$SELECT profiling.window_compare('{"since": "soon"}', '{}')$$, $$SELECT profiling.window_compare('{"service": "shop"}', '{"service": "shop", "event": "alloc"}')$$);

-- Words that nothing has, windows that have no answer
SELECT profiling.window_profile('shp');
SELECT profiling.window_profile('shop', event => 'allocs');
SELECT profiling.window_profile('shop', version => 'v3');
SELECT profiling.window_profile(since => '2020-02-11', until => '2020-02-12') IS NULL AS nothing;
SELECT * FROM t.try($$SELECT profiling.window_profile(since => '2020-02-11', until => '2020-02-10')$$, $$SELECT profiling.window_profile(event => NULL)$$,
	$$SELECT profiling.window_noise(since => 'infinity', until => '2020-02-10')$$, $$SELECT count(*) FROM profiling.window_trend('slow', since => 'infinity', until => '2020-02-10')$$, $$SELECT count(*) FROM profiling.window_instances(since => '2020-02-11', until => '2020-02-11')$$,
	$$SELECT count(*) FROM profiling.window_trend('slow', '1 month')$$, $$SELECT count(*) FROM profiling.window_trend('slow', '0')$$, $$SELECT count(*) FROM profiling.window_trend('slow', level => 'both')$$,
	$$SELECT count(*) FROM profiling.window_search('a{')$$, $$SELECT count(*) FROM profiling.window_search('a;{')$$);

-- Sums: steps that begin in the window belong to it; instances are forgotten, and that is said.
UPDATE profiling.retention SET raw = '1 day';
CALL profiling.compact();
SELECT resolution, count(*) FROM profiling.block GROUP BY 1;
SET client_min_messages = 'warning';
SELECT * FROM t.windows('{3,5,6,12,13}') WHERE (same_profile AND same_top AND same_trend AND same_noise) IS NOT TRUE;
RESET client_min_messages;
SELECT profiling.window_profile('shop', '2020-02-10 08:30', '2020-02-10 10:15:07') = sum(fg) AS whole_minutes FROM t.sent WHERE service = 'shop' AND event = 'cpu' AND at >= '2020-02-10 08:30' AND at < '2020-02-10 10:16';
SELECT * FROM profiling.window_trend('slow', '30 min', 'shop', since => '2020-02-10 09:30');
SELECT * FROM profiling.window_trend('slow', '10 s', 'shop', since => '2020-02-10 10:58', until => '2020-02-10 11:00');
SELECT * FROM profiling.window_search('slow');
SELECT key, round(mean_before::numeric, 3) AS before, round(mean_after::numeric, 3) AS after, change FROM profiling.window_compare('{"service": "shop", "version": "v1"}', '{"service": "shop", "version": "v2"}', level => 'frame') WHERE significant ORDER BY 1;
SELECT count(*), sum(profiles) FROM profiling.window_observations('{"service": "shop"}');
SELECT * FROM profiling.window_instances('shop');
SELECT * FROM t.try($$SELECT profiling.window_profile('shop', instances => '{pod-1}')$$, $$SELECT profiling.window_profile('shop', since => '2020-02-10 11:00', instances => '{pod-1}')$$);
-- Sums before and after a window are no sums in it; a day is one of UTC.
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('gap', NULL, NULL, NULL, NULL);
SELECT profiling.ingest('gap', fg => 'main;a 1', recorded_at => h, instance => 'x') FROM unnest('{2020-03-07 08:00,2020-03-07 15:00,2020-03-08 01:00}'::timestamptz[]) AS h;
UPDATE profiling.retention SET raw = '1 day', minutes = '1 day', hours = '1 day' WHERE service = 'gap';
CALL profiling.compact();
SET timezone = 'America/New_York';
SELECT * FROM t.try($$SELECT profiling.window_profile('gap', '2020-03-07 09:00Z', '2020-03-07 10:00Z', instances => '{x}') IS NULL AS nothing$$, $$SELECT profiling.window_profile('gap', '2020-03-07Z', instances => '{x}')$$);
SET timezone = 'UTC';
DELETE FROM profiling.block AS b USING profiling.service AS s WHERE s.service_id = b.service_id AND s.name = 'gap';
DELETE FROM profiling.stream AS m USING profiling.service AS s WHERE s.service_id = m.service_id AND s.name = 'gap';
DELETE FROM profiling.service WHERE name = 'gap';
DELETE FROM profiling.retention WHERE service = 'gap';
UPDATE profiling.retention SET minutes = '1 day', hours = '1 day';
CALL profiling.compact();
SELECT resolution, count(*), sum(profiles) FROM profiling.block GROUP BY 1;
SELECT profiling.window_profile('%') = profile AS everything FROM t.by_list WHERE n = 1;
SELECT * FROM profiling.window_trend('slow', '1 hour', 'shop');
SELECT since, until, blocks, profiles FROM profiling.service_storage ORDER BY service COLLATE "C", event COLLATE "C";

-- However many partitions there are, a question opens those of its window: here its hour of incoming, its day of blocks, and the day where
-- the sums of its month would be. Partitions that a statement looks at are locked by its transaction.
-- A partition is made at once or not at all: a vacuum that is at work would keep it from being made here.
ALTER TABLE profiling.incoming_default SET (autovacuum_enabled = off);
ALTER TABLE profiling.block_default SET (autovacuum_enabled = off);
SELECT count(profiling.add_production_partition('block', timestamptz '2020-01-01 UTC' + n * interval '1 day')) AS days, count(profiling.add_production_partition('incoming', timestamptz '2020-01-05 UTC' + n * interval '1 hour')) AS hours FROM generate_series(0, 9) AS n;
CREATE FUNCTION t.opened() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT string_agg(DISTINCT c.relname, ' ' ORDER BY c.relname) FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation JOIN pg_inherits AS i ON i.inhrelid = c.oid
	WHERE l.pid = pg_backend_pid() AND i.inhparent IN ('profiling.block'::regclass, 'profiling.incoming'::regclass)
$$;
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('opened', NULL, NULL, NULL, NULL);
SELECT profiling.ingest('opened', fg => 'main;a 1', recorded_at => '2020-01-05 03:30Z', instance => 'x');
BEGIN;
SELECT profiling.window_profile('opened', '2020-01-05 03:00Z', '2020-01-05 04:00Z', instances => '{x}');
SELECT t.opened();
ROLLBACK;
BEGIN;
SELECT frame, total FROM profiling.window_top('opened', '2020-01-05 03:00Z', '2020-01-05 04:00Z');
SELECT value FROM profiling.window_trend('a', '1 hour', 'opened', '2020-01-05 03:00Z', '2020-01-05 04:00Z');
SELECT value FROM profiling.window_search('a', 0, 'opened', '2020-01-05 03:00Z', '2020-01-05 04:00Z');
SELECT instance FROM profiling.window_instances('opened', '2020-01-05 03:00Z', '2020-01-05 04:00Z');
SELECT profiling.window_noise('opened', '2020-01-05 03:00Z', '2020-01-05 04:00Z');
SELECT profiles FROM profiling.window_observations('{"service": "opened", "since": "2020-01-05 03:00Z", "until": "2020-01-05 04:00Z"}');
SELECT t.opened();
ROLLBACK;
-- so do ingest() and a compaction
BEGIN;
SELECT profiling.ingest('opened', fg => 'main;a 1', recorded_at => '2020-01-05 03:31Z', instance => 'x');
SELECT t.opened();
ROLLBACK;
BEGIN;
SELECT profiling.compact_stream(m.service_id, m.stream_id, '2020-01-05 03:00Z') FROM profiling.stream AS m JOIN profiling.service AS s USING (service_id) WHERE s.name = 'opened';
SELECT t.opened();
ROLLBACK;
DELETE FROM profiling.incoming AS i USING profiling.service AS s WHERE s.service_id = i.service_id AND s.name = 'opened';
SELECT count(*) FROM profiling.production_partitions('block') AS p WHERE p.since < '2020-01-11' AND profiling.drop_production_partition('block', p.partition);
SELECT count(*) FROM profiling.production_partitions('incoming') AS p WHERE p.since < '2020-01-06' AND profiling.drop_production_partition('incoming', p.partition);
DROP FUNCTION t.opened();

TRUNCATE profiling.service, profiling.stream, profiling.incoming, profiling.block, profiling.retention;
DELETE FROM profiling.job_log WHERE step = 'compact';
DROP FUNCTION t.windows(int[]), t.means(text);
DROP VIEW t.by_list;
DROP TABLE t.asked, t.sent;
