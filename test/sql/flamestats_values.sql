-- Type flamestats, the state of avg, variance and stddev(flamegraph): text and
-- binary form, merging, and what each of them refuses.
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
-- 24 bytes of header, with the size of the tree at the end; the tree: in how many profiles each stack occurs
CREATE FUNCTION pg_temp.tree_size(b bytea) RETURNS int LANGUAGE sql AS $$
	SELECT get_byte(b, 16) + 256 * get_byte(b, 17) + 65536 * get_byte(b, 18)
$$;
SELECT id, substr(b, 1, 16) AS header, pg_temp.tree_size(b) = length(flamegraph_send(f)) AS size, substr(b, 20, 5) AS high, substr(b, 25, pg_temp.tree_size(b)) = flamegraph_send(f) AS support
FROM samples CROSS JOIN flamestats_send(s) b JOIN (VALUES (1, flamegraph E'a 3\nb 1\nc 1'), (2, ''), (3, E' 1\na 1\na;b 1')) v(i, f) ON i = id ORDER BY id;
-- then sums and squared deviations, a form, a unit and a value for each stack
SELECT id, substr(flamestats_send(s), 25 + pg_temp.tree_size(flamestats_send(s))) AS columns FROM samples WHERE s IS NOT NULL ORDER BY id;
-- An aggregate of the name avg, which needs no deviations, keeps sums only: the tree is the sum.
CREATE AGGREGATE pg_temp.avg(flamegraph) (SFUNC = flamestats_accum, STYPE = flamestats, COMBINEFUNC = flamestats_combine);
CREATE TEMP TABLE sums AS SELECT 1 AS id, pg_temp.avg(f) AS s FROM (VALUES (flamegraph E'a 4\nb 2'), ('a 2'), (NULL), (E'a 2\nc 1')) v(f);
INSERT INTO sums SELECT 2, pg_temp.avg(f) FROM (VALUES (flamegraph '')) v(f);
INSERT INTO sums SELECT 3, pg_temp.avg(f) FROM (VALUES (flamegraph E'a;b 0.1\n 3'), ('a -0.1')) v(f);
SELECT id, profile_count(sums.s), substr(flamestats_send(sums.s), 1, 16) AS header, substr(flamestats_send(sums.s), 25) = flamegraph_send(f) AS sum, sums.s::text::flamestats = sums.s AS exact, t.receive('flamestats', flamestats_send(sums.s)) = sums.s::text AS exact_binary,
	flamestats_avg(sums.s) = flamestats_avg(m.s) AS same_avg, sums.s = m.s AS equal
FROM sums JOIN samples m USING (id) JOIN (VALUES (1, flamegraph E'a 8\nb 2\nc 1'), (2, ''), (3, E'a -0.1\na;b 0.1\n 3')) v(i, f) ON i = id ORDER BY id;
-- the final function of avg
SELECT id, replace(flamestats_avg(s)::text, E'\n', ' | ') AS avg FROM samples ORDER BY id;
-- merging: the order does not matter
SELECT profile_count(pg_temp.merge(s)), replace(flamestats_avg(pg_temp.merge(s))::text, E'\n', ' | ') AS avg FROM samples;
SELECT pg_temp.merge(s ORDER BY id) = pg_temp.merge(s ORDER BY id DESC) AS any_order FROM samples;
SELECT (SELECT pg_temp.merge(s) FROM samples) = (SELECT pg_temp.sample(f) FROM (VALUES (flamegraph E'a 4\nb 2'), ('a 2'), (E'a 2\nc 1'), (''), (E'a;b 0.1\n 3'), ('a -0.1')) v(f)) AS as_one_sample;
SELECT pg_temp.merge(s) IS NULL AS none FROM samples WHERE id = 4;
SELECT a.id, b.id, a.s = b.s AS equal, a.s <> b.s AS unequal FROM samples a, samples b WHERE a.id <= b.id ORDER BY 1, 2;
SELECT profile_count(NULL::flamestats), flamestats_avg(NULL);
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
-- every field of the header, the tree and the two columns behind it
CREATE TEMP TABLE damaged (id serial, damage text, n bigint, value bytea);
INSERT INTO damaged (damage, n, value)
SELECT damage, n, value FROM (SELECT flamestats_send(s) AS b, pg_temp.tree_size(flamestats_send(s)) + 24 AS sums FROM samples WHERE id = 1) x, LATERAL (VALUES
	('nothing at all', 1, ''), ('one byte less than a header', 3, substr(b, 1, 23)), ('only the header', 3, substr(b, 1, 24)), ('last byte missing', 3, substr(b, 1, length(b) - 1)), ('a byte too many', 3, b || '\x00'),
	('version 0', 3, set_byte(b, 0, 0)), ('version 2', 3, set_byte(b, 0, 2)), ('level 4', 3, set_byte(b, 1, 4)), ('sums only, with moments', 3, set_byte(b, 2, 1)), ('another flag', 3, set_byte(b, 2, 2)), ('both flags', 3, set_byte(b, 2, 3)), ('reserved byte 3', 3, set_byte(b, 3, 1)), ('reserved byte 7', 3, set_byte(b, 7, 128)),
	('no profile', 0, set_byte(b, 8, 0)), ('fewer profiles than a stack has', 2, set_byte(b, 8, 2)), ('2^53 + 3 profiles', 9007199254740995, set_byte(b, 14, 32)), ('2^53 profiles', 9007199254740992, set_byte(set_byte(b, 14, 32), 8, 0)), ('2^63 + 3 profiles', 9223372036854775807, set_byte(b, 15, 128)),
	('no tree', 3, set_byte(b, 16, 0)), ('tree a byte short', 3, set_byte(b, 16, sums - 25)), ('tree a byte long', 3, set_byte(b, 16, sums - 23)), ('tree of 4 GB', 3, set_byte(b, 20, 1)), ('tree of 2^63 bytes', 3, set_byte(b, 23, 128)), ('tree longer than all', 3, set_byte(b, 17, 1)),
	('version 2 of the tree', 3, set_byte(b, 24, 2)), ('wrong total of the tree', 3, set_byte(b, 54, 1)), ('a flamegraph', 3, substr(b, 25)), ('only the tree', 3, substr(b, 1, sums)), ('half a profile', 3, substr(b, 1, 16) || set_byte('\x0000000000000000', 0, length(flamegraph_send('a 0.5'))) || flamegraph_send('a 0.5') || '\x00000000000000f03f02' || '\x00000000000000f03f00'), ('minus one profile', 3, substr(b, 1, 16) || set_byte('\x0000000000000000', 0, length(flamegraph_send('a -1'))) || flamegraph_send('a -1') || '\x00000000000000f03f02' || '\x00000000000000f03f00'),
	('whole again', 3, substr(b, 1, 16) || set_byte('\x0000000000000000', 0, length(flamegraph_send('a 1'))) || flamegraph_send('a 1') || '\x00000000000000f03f02' || '\x00000000000000f03f00'),
	('form of the sums', 3, set_byte(b, sums, 2)), ('tenths as sums', 3, set_byte(b, sums, 16)), ('unit of the sums', 3, set_byte(b, sums + 1, 1)), ('another sum', 3, set_byte(b, sums + 9, get_byte(b, sums + 9) + 2)), ('only the sums', 3, substr(b, 1, sums + 12)),
	('form of the deviations', 3, set_byte(b, sums + 12, 15)), ('unit of the deviations', 3, set_byte(b, sums + 20, 128)), ('a negative deviation', 3, set_byte(b, sums + 21, 192)), ('a deviation not a number', 3, set_byte(set_byte(b, sums + 21, 127), sums + 24, 255))) v(damage, n, value);
INSERT INTO damaged (damage, n, value)
SELECT damage, 3, value FROM (SELECT flamestats_send(s) AS b FROM sums WHERE id = 1) x, LATERAL (VALUES
	('sums: moments announced', set_byte(b, 2, 0)), ('sums: a byte too many', b || '\x00'), ('sums: last byte missing', substr(b, 1, length(b) - 1)), ('sums: tree a byte short', set_byte(b, 16, get_byte(b, 16) - 1))) v(damage, value);
SELECT damage, left(text[1], 5) AS text, left(wire[1], 5) AS wire, CASE WHEN text[2:] <> wire[2:] THEN array_to_string(text || wire, ' ') WHEN text[1] LIKE 'no%' THEN text[1] ELSE substr(text[1], 7) || ': ' || substr(text[2], 9) END AS detail
FROM (SELECT id, damage, ARRAY(SELECT btrim(t.outcome(format('SELECT profile_count(%L::flamestats)', format('{"n": %s, "level": "stack", "data": "%s"}', n, replace(encode(value, 'base64'), E'\n', '')))))) AS text,
		ARRAY(SELECT btrim(t.outcome(format('SELECT profile_count(t.receive(''flamestats'', %L)::flamestats)', value)))) AS wire
	FROM damaged OFFSET 0) x ORDER BY id;
-- a sample cannot have more than 2^53 profiles
SELECT t.outcome(format('SELECT pg_temp.merge(s) FROM (VALUES (%L::flamestats), (%L)) v(s)', big, big))
FROM (SELECT format('{"n": 9007199254740992, "level": "stack", "data": "%s"}', replace(encode(value, 'base64'), E'\n', '')) AS big FROM damaged WHERE damage = '2^53 profiles') x;
-- with and without deviations
\pset format unaligned
\pset tuples_only on
SELECT t.try(
	'SELECT profile_count(a.s + b.s) FROM samples a, sums b WHERE a.id = 1 AND b.id = 1',
	'SELECT profile_count(b.s + a.s) FROM samples a, sums b WHERE a.id = 1 AND b.id = 1',
	'SELECT profile_count(a.s + b.s) FROM samples a, samples b WHERE a.id = 1 AND b.id = 3',
	'SELECT profile_count(a.s + b.s) FROM sums a, sums b WHERE a.id = 1 AND b.id = 3',
	'SELECT flamestats_variance(s) FROM sums WHERE id = 1',
	'SELECT flamestats_stddev(s) FROM sums WHERE id = 1',
	'SELECT flamestats_variance(s) FROM sums WHERE id = 2',
	$$SELECT flamestats_accum(NULL, 'a 1')$$,
	$$SELECT flamestats_accum(s, 'a 1') FROM samples WHERE id = 1$$,
	$$SELECT flamestats_combine(s, s) FROM samples WHERE id = 1$$);
