-- prune(fg, min_share, other): small parts of the tree become one child of what
-- is kept of their ancestors.
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- golden/algebra: prune_drop, prune_signed
SELECT name, pg_temp.line(p) AS value, md5(flamegraph_to_folded(p)) = md5 AS md5, nstacks(p) = stacks AS stacks, total(p) = total AS total, @-@ p = norm AS norm
FROM (VALUES ('prune_drop', prune(E'a 50\na;b 3\na;b;c 4\nd 2\ne;f 41', 0.05, NULL), '159933b5bb40e929a728509985928423', 3, 94, 94), ('prune_signed', prune(E'a;b 10\na;c -10\nd 1\ne;g -1\ne;h 1', 0.06), 'c07278d75c51c4a377bb85b36c353f56', 3, 1, 21)) v(name, p, md5, stacks, total, norm);

-- every share: a node stays when the values at and below it, without sign, come to that share of the norm
SELECT s AS min_share, pg_temp.line(prune(f, s)) AS pruned, pg_temp.line(prune(f, s, NULL)) AS dropped, total(prune(f, s)) = total(f) AS total, @-@ prune(f, s) = @-@ f AS norm
FROM (VALUES (flamegraph E'a 50\na;b 3\na;b;c 4\nd 2\ne;f 41')) v(f), unnest(ARRAY[0, 0.01, 0.02, 0.021, 0.04, 0.05, 0.07, 0.071, 0.41, 0.42, 0.57, 0.58, 1, '-0', 1e-300]::float8[]) s;
-- share 0 keeps all, share 1 the chain that everything goes through
SELECT pg_temp.line(f) AS f, prune(f, 0) = f AS zero, pg_temp.line(prune(f, 1)) AS one, pg_temp.line(prune(f, 1, NULL)) AS one_dropped
FROM (VALUES (flamegraph ''), (' 5'), (E' 1\na 1'), ('a;b;c 3'), (E'a;b;c 3\na;b;d 1'), (E'a;b 3\na -3'), (E'a 1\nb -1'), ('a -1'), (E'a;b;c 3\na;b 1')) v(f);
-- own values stay where they are, cut off is only what is below
SELECT pg_temp.line(prune(E'main 90\nmain;a 4\nmain;b 3\nmain;c;d 3', 0.05)) AS one_child, pg_temp.line(prune(E'x;y;z 1\nx;w 1\nx;y;v 98', 0.5)) AS deepest, pg_temp.line(prune(E' 1\nb 99', 0.5)) AS root_stays;
-- the exact border: at least, not more than
SELECT pg_temp.line(prune(E'a 1\nb 3', 0.25)) AS kept, pg_temp.line(prune(E'a 1\nb 9', 0.1)) AS tenth, pg_temp.line(prune(E'a 3\nb 7', 0.3)) AS three_tenths, pg_temp.line(prune(E'a 1\nb 2', 1 / 3.0::float8)) AS third;

-- "other": any frame, also one that occurs
SELECT pg_temp.line(prune(f, 0.1, o)) AS pruned, o AS other FROM (VALUES (flamegraph E'a 90\nb 4\nc 3\nd;e 3')) v(f), (VALUES ('(other)'), ('a'), ('b'), ('z'), ('x;y'), (' '), ('\'), ('#'), ('日本'), (NULL)) w(o);
SELECT pg_temp.line(prune(E'(other) 50\n(other);x 1\na 1', 0.1)) AS twice, pg_temp.line(prune(prune(E'a 90\nb 4\nc;d 6', 0.05), 0.1)) AS again, pg_temp.line(prune(E'a 50\nb -1\na;b 1', 0.1, 'a')) AS signed, pg_temp.line(prune(E'a 50\nb 3\nc -3', 0.1)) AS cancels, pg_temp.line(prune(E'a;x -50\nb;c 1', 0.1, 'x')) AS below;
SELECT frames(prune(E'a 90\nb;c 4', 0.1, NULL)) AS frames, nnodes(prune(E'a 90\nb;c 4', 0.1, NULL)) AS nodes, prune(E'a 90\nb;c 4', 0.1, NULL) = 'a 90' AS equal, prune(E' 90\nb;c 4', 0.1, NULL) = ' 90' AS root_only, prune(E'b -1\nc 1', 1, NULL) = '' AS nothing, prune('', 1) = '' AS empty;

-- against the definition, on random profiles of either sign
CREATE TEMP TABLE random AS
SELECT id, flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c', '(other)'])[1 + t.random(format('f %s %s %s', id, i, d), 4)] FROM generate_series(1, t.random(format('d %s %s', id, i), 6)) d), (t.random(format('v %s %s', id, i), 40) - 8) ^ 3) AS f
FROM generate_series(1, 60) id, LATERAL generate_series(1, 1 + t.random('n' || id, 30)) i GROUP BY id;
CREATE TEMP TABLE below AS
SELECT id, node, depth(node) AS depth, total_at(absolute(f), node) AS weight FROM (SELECT DISTINCT id, f, subpath(stack, 0, n) AS node FROM random, stacks(f), generate_series(1, depth(stack)) n) v;
CREATE TEMP TABLE cut AS
SELECT id, s AS share, stack, value, coalesce(max(depth) FILTER (WHERE node @> stack AND weight >= s * (SELECT sum(abs(value)) FROM stacks(f))), 0) AS kept FROM random CROSS JOIN stacks(f) CROSS JOIN unnest(ARRAY[0, 0.01, 0.05, 0.2, 0.5, 1]) s LEFT JOIN below USING (id) WHERE node @> stack OR stack = '' GROUP BY id, f, s, stack, value;
CREATE TEMP TABLE naive AS
SELECT id, share, other, coalesce(flamegraph_agg((frames(stack))[1:kept] || CASE WHEN kept < depth(stack) THEN ARRAY[other] ELSE '{}' END, value) FILTER (WHERE kept = depth(stack) OR other IS NOT NULL), '') AS f FROM cut, unnest(ARRAY['(other)', 'a', NULL]) other GROUP BY id, share, other;
SELECT share, other, count(*) AS profiles, count(*) FILTER (WHERE prune(r.f, share, other) <> n.f) AS wrong, count(*) FILTER (WHERE n.f <> r.f) > 0 AS something_done, bool_and(total(prune(r.f, share, other)) = total(r.f)) AS keeps_total
FROM random r JOIN naive n USING (id) GROUP BY share, other ORDER BY share, other;
SELECT bool_and(@-@ prune(absolute(f), 0.1) = @-@ f) AS norm_of_positive, bool_and(prune(f * 4, 0.1) = prune(f, 0.1) * 4) AS scale FROM random;

-- large, deep
SELECT nstacks(prune(f, 0.0001)) AS stacks, nstacks(prune(f, 0.00015)) AS stacks_2, total(prune(f, 0.01)) AS total FROM (SELECT flamegraph_agg(ARRAY['main', 'f' || i % 10, 'g' || i], 1) AS f FROM generate_series(1, 10000) i) v;
SELECT depth(prune(f, 0.5)) AS depth, pg_temp.line(collapse_recursion(prune(f, 0.5))) AS collapsed FROM (SELECT ((repeat('f;', 65533) || 'f 3') || E'\n' || repeat('f;', 100) || 'f 4')::flamegraph AS f OFFSET 0) v;
-- where there is no room below
SELECT t.outcome($$SELECT depth(prune((repeat('f;', 65533) || 'f 90' || E'\n' || repeat('f;', 65534) || 'g 1')::flamegraph, 0.5))$$);

-- null in, null out, but for "other"
SELECT prune(NULL, 0.1) AS value, prune('a 1', NULL) AS share, prune(NULL, NULL, NULL) AS all, prune('a 1', 0.1, NULL) AS other;
SELECT pg_temp.line(prune(fg => E'a 9\nb 1', min_share => 0.5, other => 'rest')) AS named;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT prune('a 1', -1)$$,
	$$SELECT prune('a 1', -5e-324)$$,
	$$SELECT prune('a 1', 1.0000000000000002)$$,
	$$SELECT prune('a 1', 5)$$,
	$$SELECT prune('', 2)$$,
	$$SELECT prune('a 1', 'NaN')$$,
	$$SELECT prune('a 1', 'Infinity')$$,
	$$SELECT prune('a 1', '-Infinity')$$,
	$$SELECT prune('a 1', '5%')$$,
	$$SELECT prune('a 1', 0.1, '')$$,
	$$SELECT prune('', 0.1, '')$$,
	$$SELECT prune('a 1', 0.1, E'a\nb')$$,
	$$SELECT prune('a 1', 0.1, E'a\rb')$$,
	$$SELECT prune('a 1', 0.1, repeat('x', 1048577))$$);
SELECT t.try(
	$$SELECT prune(E'a 1.5e308\nb 1.5e308', 0)$$,
	$$SELECT prune(E'a 1.5e308\nb 1.5e308', 0.5)$$,
	$$SELECT prune(E'a 1.5e308\nb -1.5e308\nc 1', 0.1)$$,
	$$SELECT prune(E'a;b 8e307\na;c 8e307', 0.9)$$,
	$$SELECT prune(E'a 5e-324\nb 5e-324\nc 1e-323', 0.5)$$);
