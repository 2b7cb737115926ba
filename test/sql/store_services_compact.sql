-- Blocks of profiles, sums of what is old, and what goes: nothing is lost, nothing is there twice.
SET timezone = 'UTC';
-- A partition is made at once or not at all: a vacuum that is at work would keep it from being made here.
ALTER TABLE profiling.incoming_default SET (autovacuum_enabled = off);
ALTER TABLE profiling.block_default SET (autovacuum_enabled = off);
TRUNCATE profiling.service, profiling.stream, profiling.incoming, profiling.block, profiling.retention RESTART IDENTITY;
DELETE FROM profiling.job_log WHERE step = 'compact';
-- Ages are from now on, times are of 2020: for ever, or gone.
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('%', NULL, NULL, NULL, NULL);

-- Three days over the end of a month: two pods, a profile every 10 minutes each, a deploy in the middle; values by hand.
-- The list of all of them is what blocks are compared with.
CREATE TABLE t.sent AS
SELECT timestamptz '2020-02-29 12:00 UTC' + g * interval '10 min' + p * interval '7 s' AS at, 'pod-' || p AS pod,
	format(E'main;serve;f%s %s\nmain;serve;g %s\nmain;µ 1', g % 5, 1 + g % 7, p + 1)::flamegraph AS fg,
	jsonb_build_object('version', CASE WHEN g < 200 THEN 'v1' ELSE 'v2' END) AS labels
FROM generate_series(0, 431) AS g, generate_series(1, 2) AS p;
SELECT profiling.ingest_batch(array_agg('shop'::text), array_agg(fg), array_agg(at), array_agg(pod), array_agg(labels), noises => array_agg(fg * 3)) FROM t.sent;
CREATE FUNCTION t.stream(version text) RETURNS bigint LANGUAGE sql AS $$SELECT stream_id FROM profiling.stream AS m WHERE labels ->> 'version' = version$$;
CREATE VIEW t.blocks AS
SELECT m.labels ->> 'version' AS version, b.resolution, b.since, b.until, b.part, b.profiles, profile_count(b.series) AS n, b.stacks, b.total,
	profile_count(b.noise) AS noise, profile_count(b.counts) AS counts, total(sum(b.counts, NULL)) AS counted, total(sum(b.series, NULL)) = b.total AS total_is_right
FROM profiling.block AS b JOIN profiling.stream AS m USING (service_id, stream_id) ORDER BY b.since, m.labels ->> 'version', b.part;
-- what should be there at every time, and what is
CREATE FUNCTION t.all_there() RETURNS TABLE (profiles bool, noise bool, count bool) LANGUAGE sql AS $$
	SELECT (SELECT sum(fg) FROM t.sent) = (SELECT sum(p) FROM (SELECT flamegraph FROM profiling.incoming UNION ALL SELECT sum(series, NULL) FROM profiling.block) AS x (p)),
		(SELECT sum(fg * 3) FROM t.sent) = (SELECT sum(p) FROM (SELECT noise FROM profiling.incoming UNION ALL SELECT sum(noise, NULL) FROM profiling.block) AS x (p)),
		(SELECT count(*) FROM t.sent) = (SELECT count(*) FROM profiling.incoming) + (SELECT sum(b.profiles) FROM profiling.block AS b)
$$;

-- One hour of one stream, then all that is over.
SELECT profiling.compact_stream(1, t.stream('v1'), '2020-02-29 13:59:59');
SELECT version, resolution, since, until, profiles, n, stacks, total FROM t.blocks;
SELECT * FROM t.all_there();
SELECT count(*) FROM profiling.hours_to_compact('2020-02-29 15:59');
CALL profiling.compact();
SELECT count(*), min(since), max(until), sum(profiles), bool_and(n = profiles AND total_is_right) FROM t.blocks;
SELECT count(*) FROM profiling.incoming;
SELECT * FROM t.all_there();
SELECT flameseries_agg(series) = (SELECT flameseries_agg(at, fg, pod) FROM t.sent) AS same_series, flameseries_agg(noise) = (SELECT flameseries_agg(at, fg * 3, pod) FROM t.sent) AS same_noise
FROM profiling.block;
-- again: nothing to do
CALL profiling.compact();
SELECT step, outcome, detail FROM profiling.job_log WHERE step = 'compact';

-- A late profile goes into a block of its day; one that is there is not taken, nor is it when it came by COPY.
SELECT profiling.ingest('shop', fg => 'main;late 5', recorded_at => '2020-02-29 13:00', instance => 'pod-3', labels => '{"version": "v1"}', noise => 'main;late 15');
SELECT profiling.ingest('shop', fg => fg, recorded_at => at, instance => pod, labels => labels) FROM t.sent WHERE at < '2020-02-29 12:10' ORDER BY at;
INSERT INTO t.sent VALUES ('2020-02-29 13:00', 'pod-3', 'main;late 5', '{"version": "v1"}');
INSERT INTO profiling.incoming (service_id, stream_id, recorded_at, instance, flamegraph) SELECT 1, t.stream('v1'), at, pod, fg FROM t.sent WHERE at < '2020-02-29 12:30';
CALL profiling.compact();
SELECT since, profiles, n FROM t.blocks WHERE since < '2020-02-29 15:00';
SELECT * FROM t.all_there();

-- Blocks are bounded: what would be too much is another part, also when small ones are put together.
BEGIN;
SELECT count(*), sum(profiling.ingest('big', fg => format(E'a;%s 1\nb 1\nc 2', n)::flamegraph, recorded_at => timestamptz '2020-02-01 UTC' + n * interval '1 min')) FROM generate_series(0, 9) AS n;
SELECT profiling.move_to_blocks(s.service_id, m.stream_id, '2020-02-01 00:00', '2020-02-01 01:00', 25) FROM profiling.service AS s JOIN profiling.stream AS m USING (service_id) WHERE s.name = 'big';
SELECT b.part, b.profiles, b.stacks, since(b.series), until(b.series) FROM profiling.block AS b JOIN profiling.service AS s USING (service_id) WHERE s.name = 'big' ORDER BY 1;
SELECT profiling.ingest('big', fg => E'a 1\nb 1\nc 1\nd 1\ne 1', recorded_at => '2020-02-01 00:03:30'), profiling.ingest('big', fg => 'a 1', recorded_at => '2020-02-01 00:03:31');
SELECT profiling.move_to_blocks(s.service_id, m.stream_id, '2020-02-01 00:00', '2020-02-01 01:00', 25) FROM profiling.service AS s JOIN profiling.stream AS m USING (service_id) WHERE s.name = 'big';
SELECT b.part, b.profiles, b.stacks, since(b.series), until(b.series) FROM profiling.block AS b JOIN profiling.service AS s USING (service_id) WHERE s.name = 'big' ORDER BY 1;
SELECT profiling.merge_small_blocks(s.service_id, m.stream_id, '2020-02-01 00:00', 20, 100, true) FROM profiling.service AS s JOIN profiling.stream AS m USING (service_id) WHERE s.name = 'big';
SELECT b.part, b.profiles, b.stacks, since(b.series), until(b.series) FROM profiling.block AS b JOIN profiling.service AS s USING (service_id) WHERE s.name = 'big' ORDER BY 1;
SELECT total(profiling.window_profile('big'));
ROLLBACK;

-- Hour by hour small blocks become one, as digits carry: each time that something is written again it is twice as large. One that has so many
-- values and profiles is left alone. The columns are the profiles of each block.
CREATE FUNCTION t.tiers(hours timestamptz[], small bigint) RETURNS TABLE (hour text, blocks text) LANGUAGE plpgsql AS $$
DECLARE
	v_hour timestamptz;
BEGIN
	FOREACH v_hour IN ARRAY hours LOOP
		hour := to_char(v_hour, 'MM-DD HH24:MI');
		PERFORM profiling.move_to_blocks(m.service_id, m.stream_id, v_hour, v_hour + interval '1 hour', 1000),
			profiling.merge_small_blocks(m.service_id, m.stream_id, v_hour, 1000, small, false) FROM profiling.service AS s JOIN profiling.stream AS m USING (service_id) WHERE s.name = 'tiers';
		SELECT string_agg(format('%s-%s.%s: %s', to_char(b.since, 'DD HH24'), to_char(b.until, 'HH24'), b.part, b.profiles), ', ' ORDER BY b.since, b.part) INTO blocks
		FROM profiling.block AS b JOIN profiling.service AS s USING (service_id) WHERE s.name = 'tiers';
		RETURN NEXT;
	END LOOP;
END
$$;
CREATE FUNCTION t.send(at timestamptz, n int, value int DEFAULT 1) RETURNS bigint LANGUAGE sql AS $$
	SELECT sum(profiling.ingest('tiers', fg => format('a %s', value)::flamegraph, recorded_at => at + g * interval '1 min', instance => value::text)) FROM generate_series(0, n - 1) AS g
$$;
BEGIN;
SELECT sum(t.send(at, 2)) FROM generate_series(timestamptz '2020-02-03', '2020-02-03 07:00', '1 hour') AS at;
SELECT * FROM t.tiers(ARRAY(SELECT generate_series(timestamptz '2020-02-03', '2020-02-03 07:00', '1 hour')), 100);
SELECT sum(t.send(at, 2)) FROM generate_series(timestamptz '2020-02-04', '2020-02-04 07:00', '1 hour') AS at;
SELECT * FROM t.tiers(ARRAY(SELECT generate_series(timestamptz '2020-02-04', '2020-02-04 07:00', '1 hour')), 10) OFFSET 3;
-- A late one makes a block beside the large ones, which are of its hour, too; two of these become one, however small they are.
SELECT t.send('2020-02-04 02:30', 1, 2), t.send('2020-02-04 03:30', 1, 4);
SELECT * FROM t.tiers('{2020-02-04 02:00,2020-02-04 03:00}', 10);
SELECT profiling.ingest('tiers', fg => 'a 1', recorded_at => '2020-02-04 02:01', instance => '1'), profiling.ingest('tiers', fg => 'a 1', recorded_at => '2020-02-04 03:30', instance => '4');
SELECT total(profiling.window_profile('tiers')), total(profiling.window_profile('tiers', since => '2020-02-04 02:00', until => '2020-02-04 04:00')) AS two_hours;
-- What is left of a day that is over becomes one block, if that is one that may be; what is over several days does not.
SELECT t.send('2020-02-05 00:00', 8), t.send('2020-02-05 01:00', 4), t.send('2020-02-05 23:00', 2), t.send('2020-02-06 00:00', 1);
SELECT * FROM t.tiers('{2020-02-05 00:00,2020-02-05 01:00,2020-02-05 23:00,2020-02-06}', 100) OFFSET 3;
SELECT day FROM profiling.days_to_merge('2020-02-05 23:59');
SELECT d.day, profiling.merge_stream(d.service_id, d.stream_id, d.day) FROM profiling.days_to_merge('2020-02-06') AS d;
SELECT * FROM t.tiers('{2020-02-07}', 100);
SELECT d.day FROM profiling.days_to_merge('2020-02-06') AS d;
-- One step may be of several days: each has its blocks.
SELECT t.send('2020-02-08 22:00', 3), t.send('2020-02-09 01:00', 1);
SELECT profiling.compact_stream(service_id, stream_id, '2020-02-08 20:00', 6) FROM profiling.service JOIN profiling.stream USING (service_id) WHERE name = 'tiers';
SELECT since, until, part, profiles FROM profiling.block JOIN profiling.service USING (service_id) WHERE name = 'tiers' AND since >= '2020-02-08' ORDER BY 1;
-- Sums that are more than a number can be, where an owner lets them in: blocks stay apart, in compactions and when their day is over.
ALTER TABLE profiling.incoming DROP CONSTRAINT incoming_can_be_added;
SELECT profiling.ingest('sums', fg => 'a 1e308', recorded_at => '2020-02-03 01:00'), profiling.ingest('sums', fg => 'a 1e308', recorded_at => '2020-02-03 02:00');
SELECT profiling.compact_stream(service_id, stream_id, h) FROM profiling.service JOIN profiling.stream USING (service_id), unnest('{2020-02-03 01:00,2020-02-03 02:00}'::timestamptz[]) AS h WHERE name = 'sums';
SELECT since, part, total FROM profiling.block JOIN profiling.service USING (service_id) WHERE name = 'sums' ORDER BY 1;
SELECT profiling.merge_stream(service_id, stream_id, '2020-02-03'), (SELECT count(*) FROM profiling.days_to_merge(now()) AS d WHERE d.service_id = s.service_id) FROM profiling.service AS s JOIN profiling.stream USING (service_id) WHERE name = 'sums';
SELECT count(*) FROM profiling.block JOIN profiling.service USING (service_id) WHERE name = 'sums';
SELECT problem, table_name, detail FROM profiling.check(true) WHERE table_name IN ('block', 'incoming');
ROLLBACK;
DROP FUNCTION t.tiers(timestamptz[], bigint), t.send(timestamptz, int, int);

-- An empty profile counts as one.
SELECT profiling.ingest('idle', fg => '', recorded_at => timestamptz '2020-02-01 UTC' + n * interval '1 min') FROM generate_series(0, 1) AS n;
CALL profiling.compact();
SELECT b.profiles, profile_count(b.series), b.stacks, b.total FROM profiling.block AS b JOIN profiling.service AS s USING (service_id) WHERE s.name = 'idle';

-- check() finds what is wrong with them.
SELECT count(*) FROM profiling.check(true) WHERE table_name IN ('service', 'stream', 'block', 'incoming');
BEGIN;
UPDATE profiling.block SET total = total + 1 WHERE since = '2020-02-29 12:00';
UPDATE profiling.block SET profiles = profiles + 1 WHERE since = '2020-03-02 00:00';
INSERT INTO profiling.block SELECT service_id, stream_id, resolution, since, until, 7, slice(series, NULL, '2020-03-03 00:00:10'), NULL, NULL, 1, 1, total(sum(series, NULL, '2020-03-03 00:00:10')) FROM profiling.block WHERE since = '2020-03-03 00:00';
DELETE FROM profiling.stream USING profiling.service AS s WHERE s.service_id = stream.service_id AND s.name = 'idle';
DELETE FROM profiling.service WHERE name = 'shop';
SELECT problem, table_name, detail FROM profiling.check(true) WHERE table_name IN ('service', 'stream', 'block', 'incoming') ORDER BY problem COLLATE "C", detail COLLATE "C", id;
ROLLBACK;

-- Sums of minutes, of hours, of days: exactly the sums, with the numbers and the noise of their profiles.
SELECT since, count(*) FROM profiling.spans_to_thin('raw') GROUP BY 1;
UPDATE profiling.retention SET raw = '1 day';
SELECT service_id, stream_id = t.stream('v1') AS is_v1, since FROM profiling.spans_to_thin('raw') ORDER BY 3, 2;
CALL profiling.compact();
SELECT * FROM t.blocks;
SELECT bool_and(s.at = d.at AND s.sum = d.profile AND s.n = d.counted) AS each_minute, count(*)
FROM (SELECT date_trunc('minute', at) AS at, sum(fg), count(*) AS n FROM t.sent GROUP BY 1) AS s
	FULL JOIN (SELECT p.at, p.profile, total(c.profile) AS counted FROM profiling.block AS b JOIN profiling.service USING (service_id), profiles(b.series) AS p, profiles(b.counts) AS c
		WHERE name = 'shop' AND c.at = p.at) AS d ON d.at = s.at;
SELECT profiles, noise FROM t.all_there();
-- a profile that was let in and is of a day that has become sums meanwhile
INSERT INTO profiling.incoming (service_id, stream_id, recorded_at, instance, flamegraph, noise) VALUES (1, t.stream('v1'), '2020-02-29 12:30', 'pod-4', 'main;later 1', 'main;later 3');
INSERT INTO t.sent VALUES ('2020-02-29 12:30', 'pod-4', 'main;later 1', '{"version": "v1"}');
CALL profiling.compact();
SELECT profiles, n, counts, counted, noise FROM t.blocks WHERE since = '2020-02-29 UTC' AND version = 'v1';
UPDATE profiling.retention SET minutes = '1 day';
CALL profiling.compact();
SELECT * FROM t.blocks;
UPDATE profiling.retention SET hours = '1 day';
CALL profiling.compact();
SELECT * FROM t.blocks;
SELECT profiles, noise FROM t.all_there();
SELECT p.at, p.profile, total(c.profile) FROM profiling.block AS b, profiles(b.series) AS p, profiles(b.counts) AS c WHERE b.since = '2020-03-01 UTC' AND c.at = p.at ORDER BY 1;
-- Without noise of all there is none of the sum, nor is that of some what a sample stands for; sums of other minutes keep theirs.
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('half', NULL, NULL, NULL, NULL);
SELECT profiling.ingest('half', fg => 'a 1', recorded_at => '2020-03-03 10:00:00Z', noise => 'a 1'), profiling.ingest('half', fg => 'a 1', recorded_at => '2020-03-03 10:00:00Z', instance => 'x'),
	profiling.ingest('half', fg => 'a 2', recorded_at => '2020-03-03 10:02:00Z', noise => 'a 8');
CREATE VIEW t.half AS
SELECT w.profiles, w.of_sample, profiling.window_noise('half', since, until) AS noise, (SELECT sum(o.noise * o.profiles * o.profiles) FROM profiling.window_observations(jsonb_build_object('service', 'half', 'since', since, 'until', until)) AS o) AS noise_of_observations
FROM (VALUES (timestamptz '2020-03-03 10:00Z', timestamptz '2020-03-03 11:00Z'), ('2020-03-03 10:00Z', '2020-03-03 10:02Z'), ('2020-03-03 10:02Z', '2020-03-03 11:00Z')) AS v (since, until), profiling.service AS s,
	profiling.service_sum(s.service_id, 'cpu', 'samples', v.since, v.until) AS w
WHERE s.name = 'half' ORDER BY 1 DESC;
SELECT * FROM t.half;
CALL profiling.compact();
SELECT profile_count(b.series), profile_count(b.noise) FROM profiling.block AS b JOIN profiling.service AS s USING (service_id) WHERE s.name = 'half';
SELECT * FROM t.half;
UPDATE profiling.retention SET raw = '1 day' WHERE service = 'half';
CALL profiling.compact();
SELECT profile_count(b.series), profile_count(b.noise), total(sum(b.counts, NULL)) AS profiles FROM profiling.block AS b JOIN profiling.service AS s USING (service_id) WHERE s.name = 'half';
SELECT * FROM t.half;
DROP VIEW t.half;
DELETE FROM profiling.retention WHERE service = 'half';
DELETE FROM profiling.block AS b USING profiling.service AS s WHERE s.service_id = b.service_id AND s.name = 'half';
-- and in the end nothing is left
UPDATE profiling.retention SET days = '2 days';
CALL profiling.compact();
SELECT * FROM t.blocks;
SELECT outcome, detail FROM profiling.job_log WHERE step = 'compact' ORDER BY log_id;
DELETE FROM profiling.job_log WHERE step = 'compact';

-- Partitions: of this hour and the next 24, of the days with profiles and their months; the empty ones of the past go.
SELECT parent, count(*), min(since) = date_trunc('hour', now(), 'UTC') AS from_now FROM profiling.partitions_wanted(24) GROUP BY 1;
SELECT p.partition ~ '^incoming_\d{10}$' AND until - since = interval '1 hour' AS by_hour, count(*) BETWEEN 25 AND 26 AS a_day FROM profiling.production_partitions('incoming') AS p GROUP BY 1;
SELECT profiling.add_production_partition('incoming', '2020-01-01 05:30'), profiling.add_production_partition('incoming', '2020-01-01 05:59'), profiling.add_production_partition('block', '2020-01-01 05:30');
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid), i.indexrelid::regclass, pg_get_indexdef(i.indexrelid) FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indrelid = c.oid WHERE c.relname IN ('incoming_2020010105', 'block_20200101') ORDER BY 1, 3;
SELECT obj_description(oid), (SELECT count(*) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c') FROM pg_class AS c WHERE c.relname IN ('incoming_2020010105', 'block_20200101') ORDER BY 1;
INSERT INTO profiling.incoming (service_id, stream_id, recorded_at, flamegraph) VALUES (1, 1, '2020-01-01 05:30', 'a 1'), (1, 1, '2020-01-01 06:30', 'a 1');
SELECT tableoid::regclass, recorded_at FROM profiling.incoming WHERE recorded_at < '2020-02-01' ORDER BY 2;
-- not where there are rows in the default partition; not dropped while there are rows
SELECT profiling.add_production_partition('incoming', '2020-01-01 06:10'), profiling.drop_production_partition('incoming', 'incoming_2020010105'), profiling.drop_production_partition('block', 'block_20200101'), profiling.drop_production_partition('incoming', 'incoming_default');
DELETE FROM profiling.incoming WHERE recorded_at < '2020-02-01';
CALL profiling.compact();
SELECT count(*) FROM pg_class WHERE relname = 'incoming_2020010105';
-- The partition that a month begins with stays while there are days of it whose sums will be there.
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('month', '400 days', '400 days', NULL, NULL);
SELECT profiling.ingest('month', fg => 'a 1', recorded_at => date_trunc('month', now() - interval '70 days', 'UTC') + interval '20 days');
CALL profiling.compact('0');
CALL profiling.compact('0');
UPDATE profiling.retention SET raw = '1 day', minutes = '1 day' WHERE service = 'month';
CALL profiling.compact('0');
SELECT b.resolution, b.tableoid::regclass::text = 'profiling.block_' || to_char(b.since AT TIME ZONE 'UTC', 'YYYYMMDD') AS in_its_month FROM profiling.block AS b JOIN profiling.service AS s USING (service_id) WHERE s.name = 'month';
DELETE FROM profiling.block AS b USING profiling.service AS s WHERE s.service_id = b.service_id AND s.name = 'month';
CALL profiling.compact('0');
SELECT count(*) FROM profiling.production_partitions('block') AS p WHERE p.since = date_trunc('month', now() - interval '70 days', 'UTC');
SELECT * FROM t.try($$SELECT profiling.add_production_partition('profile', now())$$, $$CALL profiling.compact('-1 hour')$$, $$SELECT profiling.drop_production_partition('profile_data', 'x')$$);
TRUNCATE profiling.service, profiling.stream, profiling.incoming, profiling.block, profiling.retention;
DROP VIEW t.blocks;
DROP FUNCTION t.all_there(), t.stream(text);
DROP TABLE t.sent;
