-- Facts about a profile: counts, sums, the value of a stack.
\pset null NULL

-- unaligned: psql 14 takes 🔥 for one column wide
\pset format unaligned
SELECT t.shown(f::text) AS profile, total(f), nstacks(f), nnodes(f), nframes(f), depth(f)
FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), ('a;b;c 1'), (E'A;B 1\nA;C;D 5\nA;C 1\nA 2'), (E'a;a;a 1\na;a 1'), (E'a;b 1\nb;a 2\n -3'), (E'x -1\ny 1'), (E'a 0.1\nb 0.2'), (E'é;日本 1\né;🔥 2'), (E'a;b;c 1\nd;b;c 1')) v(f);
\pset format aligned
SELECT pg_typeof(total(f)), pg_typeof(nstacks(f)), pg_typeof(nnodes(f)), pg_typeof(nframes(f)), pg_typeof(depth(f)), pg_typeof(f -> 'a') FROM (VALUES (flamegraph '')) v(f);
-- the empty stack counts as a stack, not as a node; it is part of the total
SELECT nstacks(f), nnodes(f), total(f), f -> '' AS root FROM (VALUES (flamegraph E' 5\na;b 2')) v(f);

-- -> and value_at: the value of this stack itself, 0 if it has none
SELECT p AS path, f -> p AS "->", value_at(f, p)
FROM (VALUES (flamegraph E' 7\nA 2\nA;B 1\nA;C;D 5\nA;C;D;A -1.5\nE;F 3\nA\\;B 9')) v(f),
	(VALUES (stackpath ''), ('A'), ('A;B'), ('A;C'), ('A;C;D'), ('A;C;D;A'), ('A;C;D;A;A'), ('E'), ('E;F'), ('B'), ('A;E'), ('C;D'), ('F'), ('a'), ('A\;B'), ('A;B;C;D;E;F;G;H')) w(p);
SELECT flamegraph 'a;b 3' -> 'a;b' AS literal, (flamegraph 'a;b 3' -> 'a;b') * 100 AS times, flamegraph 'a;b 3' -> stackpath(ARRAY['a', 'b']) AS array, flamegraph '' -> 'a' AS in_empty, flamegraph '' -> '' AS empty_in_empty;
-- every stack is found again
SELECT bool_and(f -> stack = value) AS found, count(*)
FROM (SELECT flamegraph_agg(ARRAY['r', 'f' || i % 7, 'g' || i % 13, 'f' || i], i) AS f FROM generate_series(1, 500) i) v, stacks(f);
SELECT sum(f -> p) AS sum_of_prefixes
FROM (SELECT flamegraph_agg(ARRAY['r', 'f' || i % 7, 'g' || i % 13, 'f' || i], i) AS f FROM generate_series(1, 500) i) v,
	(SELECT DISTINCT stackpath(ARRAY['r', 'f' || i % 7, 'g' || i % 13]) AS p FROM generate_series(1, 500) i) w;

-- of stored values: plain, compressed, out of line
CREATE TEMP TABLE stored (id int, f flamegraph);
INSERT INTO stored VALUES (1, 'a;b 1'),
	(2, (SELECT flamegraph_agg(ARRAY['main', 'f' || i % 100, 'g' || i], i) FROM generate_series(1, 1000) i)),
	(3, (SELECT flamegraph_agg(ARRAY['main', md5(i::text)], i) FROM generate_series(1, 2000) i)), (4, '');
ALTER TABLE stored ADD COLUMN e flamegraph;
ALTER TABLE stored ALTER COLUMN e SET STORAGE external;
UPDATE stored SET e = f;
SELECT id, total(f), nstacks(f), nnodes(f), nframes(f), depth(f), @-@ f AS norm, e = f AS equal,
	total(e) = total(f) AND nstacks(e) = nstacks(f) AND nnodes(e) = nnodes(f) AND nframes(e) = nframes(f) AND depth(e) = depth(f) AS same
FROM stored ORDER BY id;
-- of a value that an aggregate has just made, and of one in a variable
SELECT total(sum(f)), nstacks(sum(f)), nnodes(sum(f)), nframes(sum(f)), depth(sum(f)), @-@ sum(f) AS norm, sum(f) -> 'a;b' AS value FROM stored WHERE id IN (1, 2);
DO $$
DECLARE f flamegraph;
BEGIN
	SELECT sum(s.f) INTO f FROM stored s;
	RAISE NOTICE '% % % % %', total(f), nstacks(f), nnodes(f), nframes(f), depth(f);
	f := f - f;
	RAISE NOTICE '% % % % %', total(f), nstacks(f), nnodes(f), nframes(f), depth(f);
END
$$;

-- null in, null out
SELECT total(NULL), nstacks(NULL), nnodes(NULL), nframes(NULL), depth(NULL::flamegraph), NULL::flamegraph -> 'a' AS "-> 1", flamegraph 'a 1' -> NULL AS "-> 2", value_at(NULL, 'a'), value_at('a 1', NULL);

-- the deepest tree, and a wide one
SELECT total(f), nstacks(f), nnodes(f), nframes(f), depth(f), f -> (repeat('f;', 65534) || 'f')::stackpath AS deepest, f -> (repeat('f;', 65533) || 'f')::stackpath AS above FROM (SELECT (repeat('f;', 65534) || 'f 3')::flamegraph AS f OFFSET 0) v;
SELECT total(f), nstacks(f), nnodes(f), nframes(f), depth(f), f -> '77777' AS one FROM (SELECT flamegraph_agg(i::text::stackpath, 1) AS f FROM generate_series(1, 100000) i) v;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT flamegraph 'a 1' -> 'a;'$$,
	$$SELECT total('a')$$,
	$$SELECT depth('a;b')$$,
	$$SELECT total(stackpath 'a')$$);
