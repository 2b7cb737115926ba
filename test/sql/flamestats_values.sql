-- Type flamestats, the state of avg(flamegraph): text and binary form, merging,
-- and what each of them refuses.
\pset null NULL
CREATE AGGREGATE pg_temp.sample(flamegraph) (SFUNC = flamestats_accum, STYPE = flamestats, COMBINEFUNC = flamestats_combine);
CREATE AGGREGATE pg_temp.merge(flamestats) (SFUNC = flamestats_combine, STYPE = flamestats);

CREATE TEMP TABLE samples (id int, s flamestats);
INSERT INTO samples SELECT 1, pg_temp.sample(f) FROM (VALUES (flamegraph E'a 4\nb 2'), ('a 2'), (NULL), (E'a 2\nc 1')) v(f);
INSERT INTO samples SELECT 2, pg_temp.sample(f) FROM (VALUES (flamegraph '')) v(f);
INSERT INTO samples SELECT 3, pg_temp.sample(f) FROM (VALUES (flamegraph E'a;b 0.1\n 3'), ('a -0.1')) v(f);
INSERT INTO samples SELECT 4, pg_temp.sample(f) FROM (VALUES (NULL::flamegraph)) v(f);
SELECT id, profile_count(s), s FROM samples ORDER BY id;
SELECT id, s::text::flamestats = s AS exact, s::text::flamestats <> s AS not_exact, t.receive('flamestats', flamestats_send(s)) = s::text AS exact_binary,
	encode(flamestats_send(s), 'base64') = replace((s::text::json ->> 'data'), E'\n', '') OR length(flamestats_send(s)) > 57 AS same_bytes, s::text::json ->> 'n' AS n, s::text::json ->> 'level' AS level
FROM samples WHERE s IS NOT NULL ORDER BY id;
-- 16 bytes of header, then the sum as flamegraph_send gives it
SELECT id, substr(flamestats_send(s), 1, 16) AS header, substr(flamestats_send(s), 17) = flamegraph_send(f) AS sum
FROM samples JOIN (VALUES (1, flamegraph E'a 8\nb 2\nc 1'), (2, ''), (3, E'a -0.1\na;b 0.1\n 3')) v(i, f) ON i = id ORDER BY id;
-- the final function of avg
SELECT id, replace(flamestats_avg(s)::text, E'\n', ' | ') AS avg FROM samples ORDER BY id;
-- merging: the order does not matter
SELECT profile_count(pg_temp.merge(s)), replace(flamestats_avg(pg_temp.merge(s))::text, E'\n', ' | ') AS avg FROM samples;
SELECT pg_temp.merge(s ORDER BY id) = pg_temp.merge(s ORDER BY id DESC) AS any_order FROM samples;
SELECT (SELECT pg_temp.merge(s) FROM samples) = (SELECT pg_temp.sample(f) FROM (VALUES (flamegraph E'a 4\nb 2'), ('a 2'), (E'a 2\nc 1'), (''), (E'a;b 0.1\n 3'), ('a -0.1')) v(f)) AS as_one_sample;
SELECT pg_temp.merge(s) IS NULL AS none FROM samples WHERE id = 4;
SELECT a.id, b.id, a.s = b.s AS equal, a.s <> b.s AS unequal FROM samples a, samples b WHERE a.id <= b.id ORDER BY 1, 2;
SELECT profile_count(NULL), flamestats_avg(NULL);
-- white space and the order of members do not matter
SELECT format(E' {\n"data" :\t"%s" , "level": "stack",\r"n":%s}  ', s::text::json ->> 'data', s::text::json ->> 'n')::flamestats = s AS same FROM samples WHERE s IS NOT NULL;
-- a large sample, out of line
INSERT INTO samples SELECT 5, pg_temp.sample(f) FROM (SELECT flamegraph_agg(ARRAY['main', md5(i::text)], i) AS f FROM generate_series(1, 5000) i) v;
SELECT profile_count(s), s::text::flamestats = s AS exact, nstacks(flamestats_avg(s)) FROM samples WHERE id = 5;

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
SELECT t.input('flamestats', '', '{}', 'null', '[]', 'a 1', '{"n": 1}', '{"n": 1, "level": "stack"}', '{"n": 1, "data": ""}', '{"level": "stack", "data": ""}', '{"n": 1, "level": "stack", "data": ""', '{"n": 1, "level": "stack", "data": ""} x', '{"n": 1, "level": "stack", "data": "',
	'{"n": 1, "level": "stack", "data": "",}', '{"n": 1, "n": 1, "level": "stack", "data": ""}', '{"n": 1, "level": "stack", "level": "stack", "data": ""}', '{"n": 1, "level": "stack", "data": "", "data": ""}', '{"n": 1, "level": "stack", "data": "", "x": 1}', '{"n" 1, "level": "stack", "data": ""}', '{n: 1, "level": "stack", "data": ""}',
	'{"n": "1", "level": "stack", "data": ""}', '{"n": -1, "level": "stack", "data": ""}', '{"n": 1.5, "level": "stack", "data": ""}', '{"n": , "level": "stack", "data": ""}', '{"n": 12345678901234567890, "level": "stack", "data": ""}', '{"n": 1, "level": stack, "data": ""}', '{"n": 1, "level": "stack", "data": null}', '{"n": 1, "level": "st\u0061ck", "data": ""}', '{"n": 1, "level": "stack" "data": ""}', '{"');
-- members are whole, but wrong
SELECT t.input('flamestats', '{"n": 1, "level": "stack", "data": ""}', '{"n": 1, "level": "stack", "data": "!!!!"}', '{"n": 1, "level": "stack", "data": "AQAB"}', '{"n": 1, "level": "stack", "data": "AQ AB"}');
SELECT t.try(format('SELECT %L::flamestats', replace(s::text, '"n": 3', '"n": 4')), format('SELECT %L::flamestats', replace(s::text, '"n": 3', '"n": 0')), format('SELECT %L::flamestats', replace(s::text, '"stack"', '"node"')), format('SELECT %L::flamestats', replace(s::text, '"stack"', '""'))) FROM samples WHERE id = 1;
\pset tuples_only off
\pset format aligned
-- every field of the header, and the sum behind it
CREATE TEMP TABLE damaged (id serial, damage text, n bigint, value bytea);
INSERT INTO damaged (damage, n, value)
SELECT damage, n, value FROM (SELECT flamestats_send(s) AS b FROM samples WHERE id = 1) x, LATERAL (VALUES
	('nothing at all', 1, ''), ('one byte less than a header', 3, substr(b, 1, 15)), ('only the header', 3, substr(b, 1, 16)), ('last byte missing', 3, substr(b, 1, length(b) - 1)), ('a byte too many', 3, b || '\x00'),
	('version 0', 3, set_byte(b, 0, 0)), ('version 2', 3, set_byte(b, 0, 2)), ('level 1', 3, set_byte(b, 1, 1)), ('no flag', 3, set_byte(b, 2, 0)), ('another flag', 3, set_byte(b, 2, 3)), ('reserved byte 3', 3, set_byte(b, 3, 1)), ('reserved byte 7', 3, set_byte(b, 7, 128)),
	('no profile', 0, set_byte(b, 8, 0)), ('2^53 + 3 profiles', 9007199254740995, set_byte(b, 14, 32)), ('2^53 profiles', 9007199254740992, set_byte(set_byte(b, 14, 32), 8, 0)), ('2^63 + 3 profiles', 9223372036854775807, set_byte(b, 15, 128)),
	('version 2 of the sum', 3, set_byte(b, 16, 2)), ('wrong total of the sum', 3, set_byte(b, 46, 1)), ('a flamegraph', 3, substr(b, 17))) v(damage, n, value);
SELECT damage, left(text[1], 5) AS text, left(wire[1], 5) AS wire, CASE WHEN text[2:] <> wire[2:] THEN array_to_string(text || wire, ' ') WHEN text[1] LIKE 'no%' THEN text[1] ELSE substr(text[1], 7) || ': ' || substr(text[2], 9) END AS detail
FROM (SELECT id, damage, ARRAY(SELECT btrim(t.outcome(format('SELECT profile_count(%L::flamestats)', format('{"n": %s, "level": "stack", "data": "%s"}', n, replace(encode(value, 'base64'), E'\n', '')))))) AS text,
		ARRAY(SELECT btrim(t.outcome(format('SELECT profile_count(t.receive(''flamestats'', %L)::flamestats)', value)))) AS wire
	FROM damaged OFFSET 0) x ORDER BY id;
-- a sample cannot have more than 2^53 profiles
SELECT t.outcome(format('SELECT pg_temp.merge(s) FROM (VALUES (%L::flamestats), (%L)) v(s)', big, big))
FROM (SELECT format('{"n": 9007199254740992, "level": "stack", "data": "%s"}', replace(encode(value, 'base64'), E'\n', '')) AS big FROM damaged WHERE damage = '2^53 profiles') x;
