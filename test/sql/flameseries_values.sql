-- Values of type flameseries: text and binary form, what is refused, order, facts, what has which frames and stacks.
\pset null NULL
SET timezone = 'UTC';

-- two profiles, the second of an instance; and none at all
CREATE TEMP TABLE two AS SELECT flameseries_agg(at::timestamptz, fg, instance) AS fs
FROM (VALUES ('2026-01-01 00:00:01Z', flamegraph E'main;a 3\nmain;b 1.5', NULL), ('2026-01-01 00:00:03Z', 'main;a 2', 'pod-1')) AS v (at, fg, instance);
CREATE TEMP TABLE none AS SELECT slice(fs, '2030-01-01') AS fs FROM two;

-- The bytes, put together by hand from docs/format.md.
CREATE FUNCTION pg_temp.le(n int8, bytes int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(lpad(to_hex(n >> 8 * i & 255), 2, '0'), '' ORDER BY i) FROM generate_series(0, bytes - 1) AS i
$$;
CREATE FUNCTION pg_temp.double(x float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(lpad(to_hex(get_byte(float8send(x), 7 - i)), 2, '0'), '' ORDER BY i) FROM generate_series(0, 7) AS i
$$;
SELECT encode(flameseries_send(fs), 'hex') = concat(
	-- version, mode 0 with one digit, no flag, 0; profiles, values, stacks
	'01', '10', '00', '00', pg_temp.le(2, 4), pg_temp.le(3, 4), pg_temp.le(2, 4),
	-- the first time and the last one: 9,497 days since 2000-01-01
	pg_temp.le((9497::int8 * 86400 + 1) * 1000000, 8), pg_temp.le((9497::int8 * 86400 + 3) * 1000000, 8),
	-- 30, 15 and 20 tenths: multiples of 5; the total
	pg_temp.double(5), pg_temp.double(6.5),
	pg_temp.le(length(tree) / 2, 4), pg_temp.le(length(instances) / 2, 4), pg_temp.le(11, 4), pg_temp.le(2, 4),
	tree, instances,
	-- SUMS: one digit, unit 5, 10 and 3 as zigzag
	'10', pg_temp.double(5), '14', '06',
	-- DIRECTORY: the block begins at the first time, and has 13 bytes
	'00', '0d',
	-- its second profile is 2,000,000 microseconds later; instances 0 and 1
	'80897a', '00', '01',
	-- the first stack, two values that both have, from 4 on (zigzag 8), 2 bits each: 2 and 0
	'00', '01', '42', '02',
	-- the next stack, one value, at place 0, from 3 on, no bits
	'00', '00', '00', '30') AS same_bytes
FROM two, (SELECT encode(flamegraph_send(E'main;a 2\nmain;b 1'), 'hex') AS tree, encode(flamegraph_send(E' 1\npod-1 1'), 'hex') AS instances) AS sections;
SELECT encode(flameseries_send(fs), 'hex') = concat('01000000', repeat('00', 28), pg_temp.double(1), pg_temp.double(0), pg_temp.le(65, 4), pg_temp.le(65, 4), pg_temp.le(9, 4), pg_temp.le(0, 4),
	encode(flamegraph_send(''), 'hex'), encode(flamegraph_send(''), 'hex'), '00', pg_temp.double(1)) AS same_bytes
FROM none;

-- text and binary read back
SELECT left(fs::text, 14) AS start, fs::text::flameseries = fs AS exact, (fs::text || E' \n')::flameseries = fs AS blanks_behind, t.receive('flameseries', flameseries_send(fs))::flameseries = fs AS exact_binary
FROM (SELECT * FROM two UNION ALL SELECT * FROM none) AS v;

-- what is refused
\pset format unaligned
\pset tuples_only on
SELECT t.input('flameseries', '', 'main;a 1', 'flameseries', 'flameseries:', 'flameseries:1', 'flameseries:x:AAAA', ' flameseries:1:AAAA', 'flameseries:1:AA AA', 'flameseries:2:AAAA', 'flameseries:12:AAAA', 'flameseries:1:!!!!', 'flameseries:1:A', 'flameseries:1:', 'flameseries:1:AAAA', 'flamegraph:1:AAAA');
\pset tuples_only off
\pset format aligned
-- each field of the header and each section with other bytes
CREATE FUNCTION pg_temp.received(value bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	v_detail text;
BEGIN
	PERFORM t.receive('flameseries', value)::flameseries;
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || v_detail;
END
$$;
SELECT what, pg_temp.received(set_byte(flameseries_send(fs), at, byte)) AS outcome
FROM two, (VALUES (1, 'version', 0, 2), (2, 'mode', 1, 2), (3, 'digits', 1, 32), (4, 'flags', 2, 1), (5, 'unknown flag', 2, 2), (6, 'reserved', 3, 1), (7, 'profiles', 4, 3), (8, 'values', 8, 2), (9, 'stacks', 12, 3),
	(10, 'first time', 16, 0), (11, 'last time', 24, 0), (12, 'unit', 39, 127), (13, 'total', 47, 63), (14, 'section', 48, 255), (15, 'tree', 64, 2), (16, 'instances', 156, 9)) AS v (n, what, at, byte)
ORDER BY n;
SELECT count(*) AS cut, count(*) FILTER (WHERE outcome LIKE '22P03: %') AS refused FROM two, generate_series(0, length(flameseries_send(fs)) - 1, 9) AS n, pg_temp.received(substr(flameseries_send(fs), 1, n)) AS outcome;
SELECT pg_temp.received(flameseries_send(fs) || '\x00') AS one_byte_more FROM two;
-- times that are no timestamps: the value of one profile without frames, at infinity and before all time
SELECT pg_temp.received(substr(b, 1, 16) || decode(repeat(at, 2), 'hex') || substr(b, 33)) AS outcome
FROM (SELECT flameseries_send(flameseries_agg('2026-01-01Z', flamegraph ''))) AS v (b), (VALUES (pg_temp.le(9223372036854775807, 8)), (pg_temp.le(-9223372036854775808, 8)), (pg_temp.le(-300000000000000000, 8)), (pg_temp.le(0, 8))) AS t (at);

-- equal are the same profiles, whatever they were collected from; the order is total
CREATE TEMP TABLE several AS
SELECT n, flameseries_agg(at::timestamptz, fg, i ORDER BY at DESC) AS fs
FROM (VALUES (1, '2026-01-01Z', flamegraph 'a 1', 'p'), (1, '2026-01-02Z', 'a 2', 'p'), (2, '2026-01-02Z', 'a 2', 'p'), (2, '2026-01-01Z', 'a 1', 'p'),
	(3, '2026-01-01Z', 'a 1', 'p'), (4, '2026-01-01Z', 'a 1', 'q'), (5, '2026-01-02Z', 'a 1', 'p'), (6, '2026-01-01Z', 'a 2', 'p'), (7, '2026-01-01Z', 'b 1', 'p'), (8, '2026-01-01Z', 'a 1', 'p'), (8, '2026-01-01Z', 'a 1', 'p')) AS v (n, at, fg, i)
GROUP BY n;
SELECT a.n, b.n FROM several AS a JOIN several AS b ON a.fs = b.fs AND a.n < b.n;
SELECT count(*) AS groups FROM (SELECT fs FROM several GROUP BY fs) AS g;
SELECT count(DISTINCT fs) AS sorted, (SELECT count(*) FROM (SELECT DISTINCT fs FROM several) AS d) AS hashed FROM several;
SELECT bool_and((a.fs = b.fs) = (flameseries_cmp(a.fs, b.fs) = 0) AND (a.fs <> b.fs) = (flameseries_cmp(a.fs, b.fs) <> 0) AND (a.fs < b.fs) = (flameseries_cmp(a.fs, b.fs) < 0) AND (a.fs <= b.fs) = (flameseries_cmp(a.fs, b.fs) <= 0)
	AND (a.fs > b.fs) = (flameseries_cmp(b.fs, a.fs) < 0) AND (a.fs >= b.fs) = (flameseries_cmp(b.fs, a.fs) <= 0) AND (a.fs <> b.fs OR flameseries_hash(a.fs) = flameseries_hash(b.fs)) AND (a.fs <> b.fs OR flameseries_hash_extended(a.fs, 7) = flameseries_hash_extended(b.fs, 7))) AS agree
FROM several AS a, several AS b;

-- facts
SELECT profile_count(fs), since(fs), until(fs), instances(fs) FROM (SELECT * FROM two UNION ALL SELECT * FROM none) AS v;
SELECT instances(flameseries_agg('2026-01-01Z', flamegraph 'a 1', i)) FROM (VALUES ('é'), ('b;c'), ('a'), ('b'), ('a')) AS v (i);
-- of an expanded value, which no table has seen
SELECT profile_count(fs), until(fs), fs ? 'a' AS has FROM (SELECT flameseries_agg('2026-01-01Z', flamegraph 'a 1') AS fs OFFSET 0) AS v;

-- frames and stacks of some profile: what only another one has counts, too
SELECT fs ? 'b' AS b, fs ? 'c' AS c, has_frame(fs, 'main') AS main, fs ?| '{c,b}' AS any_of, fs ?| '{c,NULL}' AS any_of_none, fs ?& '{a,b}' AS all_of, fs ?& '{a,c}' AS not_all_of, has_any_frame(fs, NULL) AS any_of_null, has_all_frames(fs, NULL) AS all_of_null FROM two;
SELECT fs @> 'main' AS main, fs @> 'main;b' AS b, 'a'::stackpath <@ fs AS a, fs @> ''::stackpath AS empty_path, fs @> 'main;a;b' AS deeper, fs ~ 'main;*' AS stacks, fs ~ 'main' AS no_stack, '*;b|c'::stackquery ~ fs AS commuted, matches(fs, 'x;*') AS x FROM two;
SELECT fs ? 'a' AS a, fs @> ''::stackpath AS empty_path, fs ~ '*' AS any_stack FROM none;

-- an index finds what a scan finds
CREATE TEMP TABLE indexed AS
SELECT n, flameseries_agg('2026-01-01Z'::timestamptz + i * interval '1 min', flamegraph_agg) AS fs
FROM (SELECT n, i, flamegraph_agg(ARRAY['main', 'f' || n % 13, CASE WHEN n = 5 THEN repeat('long', 100) || i ELSE 'g' || (n * i) % 17 END], 1) FROM generate_series(1, 60) AS n, generate_series(1, 3) AS i GROUP BY n, i) AS v
GROUP BY n;
CREATE INDEX ON indexed USING gin (fs);
ANALYZE indexed;
CREATE FUNCTION pg_temp.found(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	scanned int[];
	sought int[];
	plan json;
BEGIN
	SET LOCAL enable_seqscan = off;
	SET LOCAL enable_bitmapscan = on;
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT n FROM indexed WHERE ' || condition INTO plan;
	EXECUTE 'SELECT array_agg(n ORDER BY n) FROM indexed WHERE ' || condition INTO sought;
	SET LOCAL enable_seqscan = on;
	SET LOCAL enable_bitmapscan = off;
	EXECUTE 'SELECT array_agg(n ORDER BY n) FROM indexed WHERE ' || condition INTO scanned;
	RETURN format('%s found%s%s', coalesce(cardinality(sought), 0), CASE WHEN plan::text ~ 'Bitmap Index Scan' THEN ' by the index' END, CASE WHEN scanned IS DISTINCT FROM sought THEN ', NOT THE SAME' END);
END
$$;
SELECT c, pg_temp.found(c) FROM unnest(ARRAY[$$fs ? 'f3'$$, $$fs ? 'nobody'$$, $$fs ?| '{f3,f4}'$$, $$fs ?& '{f3,g7}'$$, $$fs ?& '{}'$$, $$fs ~ 'main;f3;*'$$, $$fs ~ '*;g1*'$$, $$fs ~ '*;f1|f2;!g3'$$, $$fs @> 'main;f3;g7'$$, $$fs @> 'f3'$$,
	$$fs ? (repeat('long', 100) || '2')$$, $$fs ? (repeat('long', 100) || '7')$$]) AS c;
-- Keys are short: names that begin alike are told from each other by a hash, and prefixes that are longer than keys by what is found.
INSERT INTO indexed
SELECT 60 + n, flameseries_agg('2026-01-01Z', fg) FROM (SELECT n, flamegraph_agg(ARRAY['com/example/shop/Handler' || n || '.handle', CASE n % 2 WHEN 0 THEN 'exactly_twenty_bytes' ELSE 'exactly_twenty_bytes_' END], 1) AS fg FROM generate_series(1, 12) AS n GROUP BY n) AS v GROUP BY n;
SELECT c, pg_temp.found(c) FROM unnest(ARRAY[$$fs ? 'com/example/shop/Handler3.handle'$$, $$fs ? 'com/example/shop/Handler99.handle'$$, $$fs ? 'com/example/shop/Handler'$$, $$fs ?& '{com/example/shop/Handler4.handle,exactly_twenty_bytes}'$$,
	$$fs ? 'exactly_twenty_bytes'$$, $$fs ~ '*;com/ex*;*'$$, $$fs ~ '*;com/example/shop/Handler1*;*'$$, $$fs ~ '*;com/example/shop/Handler99*;*'$$, $$fs ~ '*;exactly_twenty_bytes_*'$$, $$fs @> 'com/example/shop/Handler5.handle;exactly_twenty_bytes_'$$]) AS c;
