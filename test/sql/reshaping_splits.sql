-- split_by_root and split_stacks: one profile as several that add up to it.
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- by root: a row for each first frame, one with NULL for the empty stack
SELECT pg_temp.line(f) AS f, s.frame, pg_temp.line(s.value) AS value FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), (E'T1;main;f 1\nT1;gc 2\nT2;main -3\nT2 4'), (E' 5\nb;x 1\na 2'), (E'a;b 1\na;c -1'), (E'a\\;b;c 1\na;b;c 2'), ('a;a;a 1')) v(f) LEFT JOIN split_by_root(f) s ON true;
-- by pattern: a row for each outermost calling context that matches, one with NULL for what is outside
SELECT q AS "by", s.stack, pg_temp.line(s.value) AS value FROM (VALUES (flamegraph E' 1\nmain 2\nmain;a;f 4\nmain;b;f;g 8\nmain;b;f;f 16\nmain;b 32\nidle 64')) v(f), unnest(ARRAY[stackquery '*;f', '*{1}', '*', '*{0}', 'main;*{1}', '*;f;f', 'x', 'main', '!main', '*;g|a', '*;b;*', 'idle;*']) q LEFT JOIN split_stacks(f, q) s ON true;
SELECT count(*) AS rows FROM split_stacks('', '*');
SELECT stack, value FROM split_stacks(' 3', 'x');
-- an inner context matches though it has no value of its own; one whose values cancel is there, too
SELECT stack, pg_temp.line(value) FROM split_stacks(E'a;b;c 1\na;b;d -1', 'a;b');
SELECT pg_typeof(stack), pg_typeof(value) FROM split_stacks('a 1', 'a') UNION ALL SELECT pg_typeof(frame), pg_typeof(value) FROM split_by_root('a 1');
-- a part holds its own frames only
SELECT frame, frames(value), depth(value), value = filter_stacks(f, (frame || ';*')::stackquery) AS filtered FROM (VALUES (flamegraph E'a;b;c 1\nd;e 2\na;f 3')) v(f), split_by_root(f);
SELECT stack, frames(value), value = E'd;e 2' AS equal FROM split_stacks(E'a;b;c 1\nd;e 2', 'a;b');
SELECT frames(value), value = ' 2' AS root_only FROM split_stacks(E'a;b;c 1\n 2', 'a') WHERE stack IS NULL;
SELECT frame, value = ' 2' AS root_only, frames(value) FROM split_by_root(E'a;b;c 1\n 2') ORDER BY 1;

-- the parts add up to the whole, and share no stack
CREATE TEMP TABLE random AS
SELECT id, coalesce((SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c', 'a;b'])[1 + t.random(format('f %s %s %s', id, i, d), 4)] FROM generate_series(1, t.random(format('d %s %s', id, i), 6)) d), t.random(format('v %s %s', id, i), 13) - 6) FROM generate_series(1, t.random('n' || id, 25)) i), '') AS f FROM generate_series(1, 80) id;
SELECT q AS "by", sum(parts) AS parts, count(*) FILTER (WHERE whole <> f) AS not_the_whole, count(*) FILTER (WHERE stacks <> nstacks(f)) AS overlap, count(*) FILTER (WHERE NOT named) AS wrong_names
FROM random, unnest(ARRAY[stackquery '*', '*{1}', '*;a', '*;b;*', 'a;*{1,2}', '*;!a;b', '*{2};a|c', 'x', '*{0}']) WITH ORDINALITY u(q, n), LATERAL (SELECT count(*) AS parts, coalesce(sum(value), '') AS whole, coalesce(sum(nstacks(value)), 0) AS stacks, coalesce(bool_and(stack IS NULL OR stack ~ q), true) AND count(*) FILTER (WHERE stack IS NULL) <= 1 AND coalesce(bool_and((SELECT bool_and(p.stack IS NULL OR p.stack @> s.stack) FROM stacks(p.value) s)), true) AS named FROM split_stacks(f, q) p) x GROUP BY q, n ORDER BY n;
SELECT count(*) FILTER (WHERE whole <> f) AS not_the_whole, count(*) FILTER (WHERE parts <> distinct_parts) AS repeated, count(*) FILTER (WHERE same) = count(*) AS as_split_stacks
FROM random, LATERAL (SELECT count(*) AS parts, count(DISTINCT coalesce(frame, '')) AS distinct_parts, coalesce(sum(value), '') AS whole FROM split_by_root(f)) x, LATERAL (SELECT NOT EXISTS (SELECT stackpath(ARRAY[frame]) AS stack, value FROM split_by_root(f) WHERE frame IS NOT NULL EXCEPT SELECT stack, value FROM split_stacks(f, '*{1}')) AS same) y;
SELECT (SELECT sum(strip_outer(value, 1)) FROM split_by_root(f) WHERE frame IS NOT NULL) = strip_outer(f, 1) AS same FROM (VALUES (flamegraph E'T1;main;f 1\nT1;gc 2\nT2;main -3\nT2 4')) v(f);

-- many, deep
SELECT count(*) AS parts, sum(total(value)) AS total, min(nnodes(value)) AS nodes FROM (SELECT flamegraph_agg(ARRAY['T' || i % 1000, 'f' || i], 1) AS f FROM generate_series(1, 5000) i) v, split_by_root(f);
SELECT depth(stack) AS stack, depth(value) AS depth, total(value) FROM split_stacks((repeat('f;', 65533) || E'f 1\nf;g 2')::flamegraph, '*{60000}');
-- null in, no row
SELECT (SELECT count(*) FROM split_by_root(NULL)) AS by_root, (SELECT count(*) FROM split_stacks(NULL, 'a')) AS stacks, (SELECT count(*) FROM split_stacks('a 1', NULL)) AS pattern;
SELECT (split_by_root('a 1')).frame AS select_list;
\pset format unaligned
\pset tuples_only on
SELECT t.try($$SELECT * FROM split_stacks('a 1', '')$$, $$SELECT * FROM split_stacks('a 1', '~"("')$$, $$SELECT * FROM split_stacks('a 1')$$, $$SELECT * FROM split_by_root('a')$$);
