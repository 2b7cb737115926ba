-- Profiles of services in production come in: what is taken, what is refused, what is known already.
SET timezone = 'UTC';
-- Single profiles are kept for ever, so that times of the past are taken. What these tests make goes in the end.
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('t-%', NULL, NULL, NULL, NULL);
CREATE VIEW t.arrived AS
SELECT s.name, m.event, m.unit, m.period, m.labels, i.recorded_at, i.duration, i.instance, i.flamegraph, i.noise
FROM profiling.incoming AS i JOIN profiling.stream AS m USING (service_id, stream_id) JOIN profiling.service AS s USING (service_id)
ORDER BY s.name COLLATE "C", m.event COLLATE "C", m.unit COLLATE "C", i.recorded_at, i.instance COLLATE "C";

-- One profile; the same again; another instance, time, unit, period, and labels in another order.
SELECT profiling.ingest('t-one', fg => 'main;a 3', recorded_at => '2020-03-01 10:00', instance => 'pod-1');
SELECT profiling.ingest('t-one', fg => 'main;a 3', recorded_at => '2020-03-01 10:00', instance => 'pod-1');
SELECT profiling.ingest('t-one', fg => 'main;b 4', recorded_at => '2020-03-01 10:00', instance => 'pod-2', duration => '60 s'),
	profiling.ingest('t-one', fg => 'main;b 5', recorded_at => '2020-03-01 10:01', instance => 'pod-1'),
	profiling.ingest('t-one', fg => 'main;b 600', recorded_at => '2020-03-01 10:00', instance => 'pod-1', unit => 'ns', period => 100, noise => 'main;b 60000'),
	profiling.ingest('t-one', fg => 'main;b 7', recorded_at => '2020-03-01 10:00', instance => 'pod-1', labels => '{"version": "v1", "zone": "a"}'),
	profiling.ingest('t-one', fg => 'main;b 8', recorded_at => '2020-03-01 10:01', instance => 'pod-1', labels => '{"zone": "a", "version": "v1"}');
SELECT count(*) FROM profiling.stream JOIN profiling.service USING (service_id) WHERE name = 't-one';
TABLE t.arrived;

-- An empty profile is one: nothing was running.
SELECT profiling.ingest('t-empty', fg => '', recorded_at => '2020-03-01 10:00');

-- What was cut off stays, below a frame of its own, whoever has cut it.
SELECT profiling.ingest('t-cut', fg => E'main;a 3\nmain;b;c;d 5', recorded_at => '2020-03-01 10:00', truncated => 'deep;x 2', noise => E'main;a 3\nmain;b;c;d 5'),
	profiling.ingest('t-cut', fg => E'main;a 3\nmain;b;c;d 5', recorded_at => '2020-03-01 10:01', options => '{"max_depth": 3}');
SELECT recorded_at, flamegraph, total(flamegraph), noise FROM t.arrived WHERE name = 't-cut';

-- Recordings are read, with an event for each thing that they count.
SELECT profiling.ingest('t-read', data => convert_to(E'main;a 3\nmain;b 4\n', 'UTF8'), recorded_at => '2020-03-01 10:00');
SELECT event, unit, flamegraph FROM t.arrived WHERE name = 't-read';

-- Many in one statement; some are known, one is there twice.
SELECT profiling.ingest_batch(ARRAY['t-many', 't-many', 't-one', 't-more', 't-many'], ARRAY['m 1', 'm 2', 'm 3', 'm 4', 'm 5']::flamegraph[],
	ARRAY['2020-03-01 10:00', '2020-03-01 10:01', '2020-03-01 10:00', '2020-03-01 10:00', '2020-03-01 10:01']::timestamptz[], ARRAY['', '', 'pod-1', 'x', '']);
SELECT name, recorded_at, instance, flamegraph FROM t.arrived WHERE name IN ('t-many', 't-more');
-- of one moment the first one
SELECT profiling.ingest_batch(array_agg('t-tie'::text), array_agg(('m ' || n)::flamegraph ORDER BY n), array_agg('2020-03-01 10:00'::timestamptz + n * 7 % 3 * interval '1 min' ORDER BY n)) FROM generate_series(1, 60) AS n;
SELECT recorded_at, flamegraph FROM t.arrived WHERE name = 't-tie' ORDER BY 1;
SELECT profiling.ingest_batch('{}', '{}', '{}');
-- whatever number the first element has
SELECT profiling.ingest_batch('{t-bounds,t-bounds}', '[7:8]={a 1,b 2}', '{2020-03-01 10:00,2020-03-01 10:00}', events => '{cpu,wall}');
SELECT profiling.ingest_batch('[0:1]={t-bounds,t-bounds}', '{c 3,d 4}', '{2020-03-01 11:00,2020-03-01 11:00}', events => '[0:1]={lock,cpu}', units => '[2:3]={ns,samples}', periods => '[0:1]={1,0}', labels => '[0:1]={"{\"a\": 1}","{}"}');
SELECT event, unit, period, labels, recorded_at, flamegraph FROM t.arrived WHERE name = 't-bounds';

-- Times that cannot be, and words that are missing.
SELECT regexp_replace(o, '"incoming_\w+" violates', '"incoming_…" violates') AS o FROM t.try(
	$$SELECT profiling.ingest('t-one', fg => 'a 1', recorded_at => '-infinity')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', recorded_at => 'infinity')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', recorded_at => '9999-01-01')$$,
	$$SELECT profiling.ingest('other', fg => 'a 1', recorded_at => '2020-03-01 10:00')$$,
	$$SELECT profiling.ingest(NULL, fg => 'a 1')$$,
	$$SELECT profiling.ingest('', fg => 'a 1')$$,
	$$SELECT profiling.ingest('t-one', fg => NULL)$$,
	$$SELECT profiling.ingest('t-one', data => NULL)$$,
	$$SELECT profiling.ingest('t-one', data => 'nonsense'::bytea)$$,
	$$SELECT profiling.ingest(repeat('x', 501), fg => 'a 1')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', event => '')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', unit => repeat('x', 251))$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', labels => '[]')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', period => -1)$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', period => 'nan')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', options => '{"depth": 3}')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', instance => repeat('x', 501))$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', instance => E'pod\n1')$$,
	$$SELECT profiling.ingest_batch('{t-one,t-one}', '{a 1,b 1}', '{2020-03-02,2020-03-02}', ARRAY['fine', E'pod\r'])$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1e61')$$,
	$$SELECT profiling.ingest('t-one', fg => E'a 1e308\nb -1e308\nc 1e308')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1', noise => 'a 1e61')$$,
	$$COPY profiling.incoming (service_id, stream_id, recorded_at, flamegraph) FROM PROGRAM 'echo "1|1|2020-03-01|a 1e61"' (DELIMITER '|')$$,
	$$INSERT INTO profiling.incoming (service_id, stream_id, recorded_at, instance, flamegraph) VALUES (1, 1, '2020-03-01', E'pod\n1', 'a 1')$$,
	$$SELECT profiling.ingest('t-one', fg => 'a 1e60', recorded_at => '-infinity')$$,
	$$SELECT profiling.ingest_batch('{a}', '{}', '{}')$$,
	$$SELECT profiling.ingest_batch('{a}', '{NULL}', '{2020-03-01}')$$,
	$$SELECT profiling.ingest_batch('{t-one}', '{a 1}', '{NULL}')$$) AS o WHERE o !~ 'Failing row|Name the format';
-- None of these has left a service behind.
SELECT name FROM profiling.service ORDER BY name COLLATE "C";

-- Retention: the most specific row is in force; late profiles are taken as long as single ones are kept.
INSERT INTO profiling.retention (service, event, raw, minutes, hours, days) VALUES ('t-late', '%', '3 hours', '1 day', '2 days', '3 days'), ('t-late', 'alloc', '1 hour', '1 hour', '1 hour', '1 hour');
SELECT r.* FROM (VALUES ('t-late', 'cpu'), ('t-late', 'alloc'), ('t-x', 'alloc'), ('any', 'cpu')) AS v (s, e), profiling.retention_of(v.s, v.e) AS r;
SELECT profiling.ingest('t-late', fg => 'a 1', recorded_at => now() - interval '2 hours 59 minutes');
SELECT regexp_replace(o, 'It is of [^;]*;', 'It is of ...;') FROM t.try($$SELECT profiling.ingest('t-late', fg => 'a 1', recorded_at => now() - interval '3 hours 1 minute')$$,
	$$SELECT profiling.ingest('t-late', fg => 'a 1', event => 'alloc', recorded_at => now() - interval '2 hours')$$,
	$$SELECT profiling.ingest_batch('{t-late,t-late}', '{a 1,a 2}', ARRAY[now(), now() - interval '2 days'])$$) AS o;
SELECT * FROM t.try($$INSERT INTO profiling.retention VALUES ('x', '%', '2 days', '1 day', '3 days', '4 days')$$,
	$$INSERT INTO profiling.retention VALUES ('x', '%', NULL, '1 day', '3 days', '4 days')$$,
	$$INSERT INTO profiling.retention VALUES ('x', '%', '1 minute', '1 day', '3 days', '4 days')$$,
	$$INSERT INTO profiling.retention VALUES ('x', '%', '1 hour', '1 day', '3 days', '-4 days')$$,
	$$INSERT INTO profiling.retention VALUES ('x', '%', '1 hour', '2000 years', NULL, NULL)$$,
	$$INSERT INTO profiling.retention VALUES ('x', '%', '1 hour', '1 day', '2 days', '1000 years 1 second')$$,
	$$INSERT INTO profiling.retention VALUES ('x\', '%')$$);
INSERT INTO profiling.retention VALUES ('t-ages', '%', '1000 years', '1000 years', NULL, NULL);
SELECT profiling.ingest('t-ages', fg => 'a 1', recorded_at => '1066-10-14');
SELECT profiling.compact_stream(m.service_id, m.stream_id, '1066-10-14') FROM profiling.stream AS m JOIN profiling.service AS s USING (service_id) WHERE s.name = 't-ages';
SELECT count(*) FROM profiling.spans_to_thin('raw');


-- Who may load may do it by these functions only, and sees nothing; a reader asks.
CREATE ROLE t_sender;
CREATE ROLE t_asker;
SELECT profiling.grant_access('t_sender', 'loader'), profiling.grant_access('t_asker', 'reader');
GRANT USAGE ON SCHEMA t, public TO t_sender, t_asker;
SET ROLE t_sender;
SELECT profiling.ingest('t-role', fg => 'main;a 1', recorded_at => '2020-03-01 10:00');
SELECT * FROM t.try($$SELECT count(*) FROM profiling.incoming$$, $$INSERT INTO profiling.service (name) VALUES ('x')$$, $$SELECT profiling.window_profile('t-role')$$, $$DELETE FROM profiling.block$$);
SET ROLE t_asker;
SELECT profiling.window_profile('t-role');
SELECT * FROM t.try($$SELECT profiling.ingest('t-role', fg => 'main;a 1')$$,
	$$SELECT profiling.store_incoming('{x}', '{cpu}', '{samples}', '{0}', '{"{}"}', '{2020-03-01}', '{NULL}', '{}', '{a 1}', '{NULL}')$$,
	$$CALL profiling.compact()$$, $$SELECT profiling.move_to_blocks(1, 1, now(), now(), 100)$$);
RESET ROLE;
SELECT profiling.revoke_access('t_sender'), profiling.revoke_access('t_asker');
REVOKE USAGE ON SCHEMA t, public FROM t_sender, t_asker;
DROP ROLE t_sender, t_asker;
TRUNCATE profiling.service, profiling.stream, profiling.incoming, profiling.block, profiling.retention;
