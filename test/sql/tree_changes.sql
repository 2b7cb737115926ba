-- diff_tree, tree with bars, flamegraph_to_json of two profiles: what changed, to be read and to be drawn.
\pset null NULL

-- after - before, in percent of before; the largest changes first, whatever their sign
SELECT diff_tree(flamegraph E'main;parse 100\nmain;a 5\nmain;gone 20\nmain;b 100.001\nsame 7', E'main;parse 150\nmain;a;q 1\nmain;new 7\nmain;b 100\nsame 7', 0);
-- those below min_share of the sum of all changes: in one line where they reach it together
SELECT diff_tree(flamegraph E'm;a 50\nm;b 4\nm;c;x 3\nm;c;y 1\nm;d 2\nz 39', E'm;a 90\nm;b 8\nm;c;x 1\nm;c;y 3\nm;d 6\nz 39', 0.1, bar_width => 0);
-- work that moved within a function changes it by nothing
SELECT diff_tree(flamegraph E'f;old 10\ng 5', E'f;new 10\ng 5');
SELECT diff_tree(flamegraph E'f;old 10\ng 5', E'f;new 10\ng 5', max_depth => 1);
-- the empty stack; wide numbers; signed profiles
SELECT diff_tree(flamegraph E' 5\na 1', E' 10\na 1');
SELECT diff_tree(flamegraph 'a 1', E' 10\na 2', bar_width => 5);
SELECT diff_tree(flamegraph E' 5\na 1', 'a 1', bar_width => 5);
SELECT diff_tree(flamegraph E'a 1\nb 123456789\nc 1e-9\nd 1e300', E'a 1e20\nb 123.4\nc 2e-9\nd 1e299', 0, bar_width => 8);
SELECT diff_tree(flamegraph E'a -4\nb;c 5\nb;d -5', E'a -1\nb;c 6\nb;d -5', bar_width => 8);
-- nothing changed, nothing is there
SELECT count(*) FROM diff_tree(flamegraph 'a;b 1', 'a;b 1', 0);
SELECT count(*) FROM diff_tree(flamegraph '', '', 0);
SELECT count(*) FROM unnest(ARRAY[NULL, flamegraph 'a 1']) AS b, unnest(ARRAY[NULL, flamegraph 'a 2']) AS a, unnest('{NULL,0}'::float8[]) AS s, diff_tree(b, a, s) WHERE b IS NULL OR a IS NULL OR s IS NULL;

-- bars: of the total, solid as far as the frame itself; 0 prints what there is without
SELECT tree(E'main;parse;read 400\nmain;parse 350\nmain;print 150\nmain 92\nidle 5\nmain;print;flush 3', bar_width => 20);
SELECT tree(E'm;a 50\nm;b 4\nm;c;x 3\nm;c;y 1\nm;d 2\nm;e 1\nz 39', 0.05, bar_width => 8);
SELECT tree(E' 1\na 3', bar_width => 4);
SELECT tree(E'a;b 30\na;c -20\nd 90', bar_width => 10);
SELECT tree(E'a;b 2\na;c -2', bar_width => 10);
SELECT count(*) AS wrong FROM unnest(ARRAY['', E'a;b 3\na 1\nc 2', E'a -1\nb 2']::flamegraph[]) AS f WHERE ARRAY(SELECT tree(f)) <> ARRAY(SELECT tree(f, bar_width => 0));

--
-- Against the algebra, on random profiles; every second one is signed.
--
CREATE TEMP TABLE random AS
SELECT id, coalesce((SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c;d', 'é', '"ab"'])[1 + t.random(format('f %s %s %s', id, i, d), 2 + id % 4)] FROM generate_series(1, t.random(format('d %s %s', id, i), 8)) d), t.random(format('v %s %s', id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, id % 19) i), '') AS f FROM generate_series(1, 200) id;
CREATE TEMP TABLE pair AS SELECT a.id, a.f AS before, b.f AS after FROM random a JOIN random b ON b.id = a.id % 200 + 1;
CREATE TEMP TABLE node AS
SELECT id, n.node, parent, stack, frame, depth, self, total, (SELECT sum(abs(value)) FROM stacks(after - before) s WHERE n.stack @> s.stack) AS weight, before, after FROM pair, nodes(after - before) n;
CREATE INDEX ON node (id, parent);
ANALYZE node;
-- values are whole and small, so that they are written as they are
CREATE FUNCTION pg_temp.relative(change float8, was float8, is_new bool, is_gone bool) RETURNS text LANGUAGE sql AS $$
	SELECT format('%9s', CASE WHEN is_new THEN 'new' WHEN is_gone THEN 'gone' WHEN was = 0 THEN '-' ELSE CASE WHEN change > 0 THEN '+' ELSE '' END || CASE WHEN change = 0 THEN '0' WHEN abs(p) >= 9.95 THEN round(p)::text ELSE trim_scale(round(p, 1))::text END || ' %' END)
	FROM (SELECT (100 * change / nullif(abs(was), 0))::numeric AS p) x
$$;
CREATE FUNCTION pg_temp.outline(profile int, bar float8, deepest int, root_was float8, root_is float8) RETURNS SETOF text LANGUAGE sql AS $$
	WITH RECURSIVE shown AS (
		SELECT *, row_number() OVER (PARTITION BY parent ORDER BY abs(total) DESC, frame COLLATE "C") AS place FROM node WHERE id = profile AND weight >= bar AND depth <= coalesce(deepest, 100)
	), hidden AS (
		SELECT parent, depth, count(*) AS n, sum(total) AS total FROM node WHERE id = profile AND weight < bar AND depth <= coalesce(deepest, 100) GROUP BY parent, depth HAVING sum(weight) >= bar
	), walk AS (
		SELECT 0 AS node, '{}'::bigint[] AS path UNION ALL SELECT s.node, path || s.place FROM walk w JOIN shown s ON s.parent = w.node
	)
	SELECT line FROM (
		SELECT path, format('%9s', CASE WHEN total > 0 THEN '+' ELSE '' END || total) || pg_temp.relative(total, before ->> stack, NOT EXISTS (SELECT FROM stacks(before) b WHERE shown.stack @> b.stack), NOT EXISTS (SELECT FROM stacks(after) a WHERE shown.stack @> a.stack)) || repeat('  ', depth) || frame AS line FROM walk JOIN shown USING (node)
		UNION ALL SELECT path || 1000000, format('%9s', CASE WHEN total > 0 THEN '+' ELSE '' END || total) || repeat(' ', 9) || repeat('  ', depth) || format('(%s more)', n) FROM walk JOIN hidden ON hidden.parent = walk.node
		UNION ALL SELECT '{0}', format('%9s', CASE WHEN root_is > root_was THEN '+' ELSE '' END || root_is - root_was) || pg_temp.relative(root_is - root_was, root_was, root_was = 0, root_is = 0) || '  (empty stack)' WHERE root_was <> root_is AND abs(root_is - root_was) >= bar
	) x ORDER BY path
$$;
SELECT min_share, max_depth, count(*) AS compared, sum(array_length(expected, 1)) > 300 AS many, count(*) FILTER (WHERE found IS DISTINCT FROM expected) AS wrong, count(*) FILTER (WHERE array_to_string(found, '') LIKE '%(% more)%') > 0 AS with_more
FROM pair, (VALUES (0, NULL::int), (0.0523, NULL), (0.2, NULL), (1, NULL), (0.0523, 2), (0, 1)) v(min_share, max_depth), LATERAL (SELECT ARRAY(SELECT diff_tree(before, after, min_share, max_depth, 0)) AS found, ARRAY(SELECT pg_temp.outline(id, min_share * norm(after - before), max_depth, before -> '', after -> '')) AS expected) x
GROUP BY min_share, max_depth ORDER BY min_share, max_depth;
-- a bar stands between the numbers and the name, as many columns wide as it was asked for
SELECT count(*) AS lines, count(*) FILTER (WHERE length(long) <> length(short) + 13 OR left(long, 18) <> left(short, 18) OR right(long, -31) <> right(short, -18)) AS wrong
FROM pair, LATERAL (SELECT array_agg(l) AS narrow FROM diff_tree(before, after, bar_width => 0) l) n, LATERAL (SELECT array_agg(l) AS wide FROM diff_tree(before, after, bar_width => 12) l) w, LATERAL unnest(n.narrow, w.wide) AS u (short, long);

-- flamegraph_to_json: both values, their difference, and the width that both have together
SELECT jsonb_pretty(flamegraph_to_json(E'main;parse 35\nmain 10\nidle 15', E'main;parse 40\nmain 4\nmain;new 1'));
SELECT flamegraph_to_json('', ''), flamegraph_to_json(' 1', ' 3'), flamegraph_to_json(NULL, 'a 1'), flamegraph_to_json('a 1', NULL);
CREATE FUNCTION pg_temp.walk(document jsonb, OUT path text[], OUT value float8, OUT before float8, OUT after float8, OUT delta float8, OUT names text[], OUT keys text) RETURNS SETOF record LANGUAGE sql AS $$
	WITH RECURSIVE walk AS (
		SELECT '{}'::text[] AS path, document AS here UNION ALL SELECT path || (child ->> 'name'), child FROM walk, jsonb_array_elements(here -> 'children') child
	)
	SELECT path, (here ->> 'value')::float8, (here ->> 'before')::float8, (here ->> 'after')::float8, (here ->> 'delta')::float8, ARRAY(SELECT c ->> 'name' FROM jsonb_array_elements(here -> 'children') c), (SELECT string_agg(k, ' ' ORDER BY k COLLATE "C") FROM jsonb_object_keys(here) k) FROM walk
$$;
CREATE TEMP TABLE walked AS SELECT id, b, a, w.* FROM (SELECT id, absolute(before) AS b, absolute(after) AS a FROM pair) p, pg_temp.walk(flamegraph_to_json(b, a)) w;
SELECT count(*) > 1000 AS many, count(*) FILTER (WHERE before <> (b ->> stackpath(path))) AS wrong_before, count(*) FILTER (WHERE after <> (a ->> stackpath(path))) AS wrong_after, count(*) FILTER (WHERE delta <> after - before) AS wrong_delta, count(*) FILTER (WHERE value <> (b + positive_part(a - b) ->> stackpath(path))) AS wrong_value FROM walked;
SELECT count(*) AS profiles, count(*) FILTER (WHERE n - 1 <> nnodes(b + a)) AS wrong_nodes FROM (SELECT id, b, a, count(*) AS n FROM walked GROUP BY id, b, a) x;
SELECT keys, count(*) > 100 AS many, count(*) FILTER (WHERE names = '{}') = count(*) AS leaves, count(*) FILTER (WHERE names <> ARRAY(SELECT n FROM unnest(names) n ORDER BY n COLLATE "C")) AS unsorted FROM walked GROUP BY keys ORDER BY keys COLLATE "C";

-- deep
SELECT count(*), max(length(line)) FROM diff_tree((repeat('a;', 59999) || 'a 1')::flamegraph, (repeat('a;', 59999) || 'a 3')::flamegraph) line;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT diff_tree(flamegraph 'a 1', 'a 2', -0.01)$$,
	$$SELECT diff_tree(flamegraph 'a 1', 'a 2', 'NaN')$$,
	$$SELECT diff_tree(flamegraph 'a 1', 'a 2', 0, -1)$$,
	$$SELECT diff_tree(flamegraph 'a 1', 'a 2', bar_width => -1)$$,
	$$SELECT diff_tree(flamegraph 'a 1', 'a 2', bar_width => 1001)$$,
	$$SELECT diff_tree(flamegraph 'a 1', 'a 2', bar_width => NULL)$$,
	$$SELECT tree('a 1', bar_width => -1)$$,
	$$SELECT tree('a 1', bar_width => NULL)$$,
	$$SELECT diff_tree(flamegraph 'a 1.7e308', 'a -1.7e308')$$,
	$$SELECT diff_tree(flamegraph E'a;b 1.7e308\na;c 1.7e308', 'a 1')$$,
	$$SELECT flamegraph_to_json(E'a 1\nb -1', 'a 1')$$,
	$$SELECT flamegraph_to_json('a 1', E'a 1\nb -1')$$,
	$$SELECT flamegraph_to_json('a 1', E'a;b 1.7e308\na;c 1.7e308')$$);
SELECT DISTINCT substr(o, 5, 5) AS too_deep FROM t.outcome($$SELECT flamegraph_to_json((repeat('a;', 59999) || 'a 1')::flamegraph, 'a 1')$$) o WHERE o ~ '^    [0-9]';
