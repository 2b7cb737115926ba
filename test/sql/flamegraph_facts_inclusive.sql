-- More facts about a profile: inclusive values, values of frames, the frames
-- themselves, signs.
\pset null NULL

-- ->> and total_at: the inclusive value of a calling context, 0 if there is none
SELECT p AS path, f ->> p AS "->>", total_at(f, p), f -> p AS "->"
FROM (VALUES (flamegraph E' 7\nA 2\nA;B 1\nA;C;D 5\nA;C;D;A -1.5\nE;F 3\nA\\;B 9')) v(f),
	(VALUES (stackpath ''), ('A'), ('A;B'), ('A;C'), ('A;C;D'), ('A;C;D;A'), ('A;C;D;A;A'), ('E'), ('E;F'), ('B'), ('A;E'), ('C;D'), ('a'), ('A\;B')) w(p);
SELECT flamegraph '' ->> '' AS empty, flamegraph '' ->> 'a' AS in_empty, flamegraph 'a;b 3' ->> 'a' AS literal, (flamegraph 'a;b 3' ->> 'a') / 3 AS divided, flamegraph E'a;b 1\na;c -1' ->> 'a' AS cancels, flamegraph E'a;b 0.1\na;c 0.2\na;d 0.3' ->> 'a' BETWEEN 0.599999999 AND 0.600000001 AS decimals, pg_typeof(flamegraph '' ->> 'a');
-- the whole below the root is the total; children and own value add up
SELECT f ->> '' = total(f) AS total, (SELECT bool_and(f ->> n.stack = n.total) FROM nodes(f) n) AS as_nodes, (SELECT bool_and(cumulate(f) -> n.stack = n.total) FROM nodes(f) n) AS as_cumulate, (SELECT bool_and(f ->> stack = total(filter_stacks(f, ('"' || array_to_string(frames(stack), '";"') || '";*')::stackquery))) FROM nodes(f)) AS as_filter
FROM (VALUES (flamegraph E' 1\nA 2\nA;B 4\nA;C;D 8\nA;C;A 16\nE;F -32\nB;A;A 64'), ('a 1'), (' 1')) v(f);

-- frame_total: each stack with the frame once; frame_self: stacks that end in it
SELECT fr AS frame, frame_total(f, fr), frame_self(f, fr) FROM (VALUES (flamegraph E' 1\nA 2\nA;B 4\nA;C;D 8\nA;C;A 16\nE;F -32\nB;A;A 64\nA\\;B 128')) v(f), unnest(ARRAY['A', 'B', 'C', 'D', 'E', 'F', 'x', '', 'A;B', 'a', ' A']) fr;
SELECT frame_total('', 'a') AS empty, frame_self('', 'a') AS empty_self, frame_total((repeat('f;', 65534) || 'f 3')::flamegraph, 'f') AS deep, frame_self((repeat('f;', 65534) || 'f 3')::flamegraph, 'f') AS deep_self, frame_total(E'a;b 1\na;c -1', 'a') AS cancels, abs(frame_total(E'x;f 0.1\ny;f 0.2\nz;f 0.3', 'f') - 0.6) < 1e-9 AS decimals;

-- frames: each once, bytewise
SELECT frames(f), nframes(f) = cardinality(frames(f)) AS counted FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), (E'b;a 1\na;b 2\nC;é;a b 3\n a\\;x;\\;  -4'), ('f;f;f 1')) v(f);
SELECT pg_typeof(frames(flamegraph 'a 1')), array_dims(frames(flamegraph 'a;b;c 1')), frames(flamegraph E'a;b 1' - 'a;b 1') AS gone, frames(flamegraph E'a;b 1\nc 1' - 'c 1') AS rest;

-- is_positive: is it a flame graph?
SELECT f, is_positive(f) FROM (VALUES (flamegraph ''), ('a 1'), ('a -1'), (E'a;b 5e-324'), (E' -1'), (' 1')) v(f);
SELECT is_positive(E'a 1\nb -1e-300') AS one_negative, is_positive(flamegraph 'a 1' - 'b 1') AS difference, is_positive(positive_part(E'a 1\nb -1')) AS part, is_positive(-flamegraph 'a -1') AS negated, is_positive(sum(f)) AS aggregate FROM (VALUES (flamegraph E'a 1\nb -1'), ('b 2')) v(f);

-- ? ?| ?& and their function twins
SELECT fr AS frame, f ? fr AS "?", has_frame(f, fr) FROM (VALUES (flamegraph E' 1\na;b 1\nc\\;d;é -1')) v(f), unnest(ARRAY['a', 'b', 'c;d', 'c', 'é', '', 'A', 'a;b', ' a', 'e']) fr;
SELECT f AS profile, a AS frames, f ?| a AS "?|", f ?& a AS "?&", has_any_frame(f, a), has_all_frames(f, a)
FROM (VALUES (flamegraph 'a;b;c 1'), ('')) v(f), (VALUES ('{a}'::text[]), ('{a,x}'), ('{x,y}'), ('{c,a,b}'), ('{}'), ('{a,NULL}'), ('{x,NULL}'), ('{NULL}'), ('{{a,b},{c,x}}'), ('{a,a}'), ('{""}')) w(a);
SELECT flamegraph 'a;b 1' ? 'a' AS literal, flamegraph 'a;b 1' ? '{a,b}' AS one_frame, flamegraph 'a;b 1' ?| '{a,x}' AS any_literal, sum(f) ? 'b' AS aggregate, (flamegraph E'a 1\nb 1' - 'b 1') ? 'b' AS gone, focus('a;b 1', 'x') ? 'a' AS cut_away FROM (VALUES (flamegraph 'a 1'), ('b 1')) v(f);
-- of stored values: plain, compressed, out of line
CREATE TEMP TABLE stored (id int, f flamegraph);
INSERT INTO stored VALUES (1, 'main;f7 1'), (2, (SELECT flamegraph_agg(ARRAY['main', 'f' || i % 100, 'g' || i], i) FROM generate_series(1, 1000) i)), (3, (SELECT flamegraph_agg(ARRAY['main', md5(i::text)], i) FROM generate_series(1, 2000) i)), (4, '');
ALTER TABLE stored ADD COLUMN e flamegraph;
ALTER TABLE stored ALTER COLUMN e SET STORAGE external;
UPDATE stored SET e = f;
SELECT id, f ->> 'main' AS main, f ->> 'main;f7' AS f7, frame_total(f, 'f7'), frame_self(f, 'f7'), cardinality(frames(f)), is_positive(f), f ? 'f7' AS has, f ?| '{g1000,c4ca4238a0b923820dcc509a6f75849b}' AS has_any, e ->> 'main' = f ->> 'main' AND frame_total(e, 'f7') = frame_total(f, 'f7') AND frames(e) = frames(f) AND is_positive(e) = is_positive(f) AND (e ? 'f7') = (f ? 'f7') AS same FROM stored ORDER BY id;
-- GIN finds the same rows
CREATE TEMP TABLE many AS SELECT i AS id, flamegraph_agg(ARRAY['main', 'f' || i % 10, repeat('long ', 60) || i % 7, 'g' || i], 1) AS f FROM generate_series(1, 300) i GROUP BY i;
CREATE INDEX many_gin ON many USING gin (f);
CREATE FUNCTION pg_temp.counted(condition text, OUT by_index bigint, OUT by_scan bigint, OUT indexed boolean) LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = on;
	EXECUTE 'SELECT count(*) FROM many WHERE ' || condition INTO by_scan;
	SET LOCAL enable_bitmapscan = on; SET LOCAL enable_seqscan = off;
	EXECUTE 'SELECT count(*) FROM many WHERE ' || condition INTO by_index;
	EXECUTE 'EXPLAIN (COSTS OFF, FORMAT json) SELECT count(*) FROM many WHERE ' || condition INTO plan;
	indexed := plan::text LIKE '%Bitmap Index Scan%';
END
$$;
SELECT left(condition, 60) AS condition, by_scan, by_index = by_scan AS equal, indexed FROM (VALUES ($$f ? 'f3'$$), ($$f ? 'nowhere'$$), ($$f ? ''$$), ($$f ?| '{f3,f4}'$$), ($$f ?| '{}'$$), ($$f ?& '{f3,main}'$$), ($$f ?& '{f3,f4}'$$), ($$f ?& '{}'$$), ($$f ?& '{NULL}'$$), ($$f ?| '{NULL,f3}'$$), ($$f ~ 'main;f3;*'$$), ($$f ~ '*;f3|f4;*'$$), ($$f ~ '*;g1*'$$), ($$f ~ '*'$$), ($$f ~ '!main;*'$$), ($$f ~ '*;!f3;*'$$), ($$f ~ '*;f3{0};*'$$), ($$f ~ '*;F3@;*'$$), ($$f ~ '*;~"^f3$";*'$$), ($$f ~ ('*;"' || repeat('long ', 60) || '3";*')::stackquery$$), ($$f ~ ('*;"' || repeat('long ', 60) || '"*;*')::stackquery$$), ($$f ~ ('*;"' || repeat('long ', 48) || '"*;*')::stackquery$$), ($$f ? (repeat('long ', 60) || '3')$$), ($$f ? (repeat('long ', 60) || '9')$$), ($$f ~ ANY ('{main;f1;*,main;f2;*}')$$)) v(condition), pg_temp.counted(condition);

-- null in, null out
SELECT NULL::flamegraph ->> 'a' AS "->>", flamegraph 'a 1' ->> NULL AS "->> 2", total_at(NULL, 'a'), frame_total(NULL, 'a'), frame_total('a 1', NULL), frame_self(NULL, 'a'), frame_self('a 1', NULL), frames(NULL::flamegraph), is_positive(NULL), NULL::flamegraph ? 'a' AS "?", flamegraph 'a 1' ? NULL AS "? 2", flamegraph 'a 1' ?| NULL AS "?|", flamegraph 'a 1' ?& NULL AS "?&", has_frame(flamegraph 'a 1', NULL);
\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT flamegraph 'a 1' ->> 'a;'$$,
	$$SELECT flamegraph E'a;b 1.7e308\na;c 1.7e308' ->> 'a'$$,
	$$SELECT flamegraph E'a;b 1.7e308\na;c 1.7e308' ->> ''$$,
	$$SELECT flamegraph E'a;b 1.7e308\na;c 1.7e308' ->> 'a;b'$$,
	$$SELECT frame_total(E'a;b 1.7e308\na;c 1.7e308', 'a')$$,
	$$SELECT frame_self(E'x;f 1.7e308\ny;f 1.7e308', 'f')$$,
	$$SELECT flamegraph 'a 1' ? ARRAY['a']$$,
	$$SELECT flamegraph 'a 1' ?| 'a'$$,
	$$SELECT frames('a 1')$$,
	$$SELECT is_positive('a')$$);
