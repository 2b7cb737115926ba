-- tree and flamegraph_to_json: profiles to be read and to be drawn.
\pset null NULL

-- total and own value in percent of the whole, the largest branches first; what is below one percent is left out
SELECT tree(E'main;parse;read 400\nmain;parse 350\nmain;print 150\nmain 92\nidle 5\nmain;print;flush 3');
SELECT tree(E'main;parse;read 400\nmain;parse 350\nmain;print 150\nmain 92\nidle 5\nmain;print;flush 3', 0);
-- those below min_share are one line where they reach it together
SELECT tree(E'm;a 50\nm;b 4\nm;c;x 3\nm;c;y 1\nm;d 2\nm;e 1\nz 39', 0.05);
SELECT tree(E'm;a 50\nm;b 4\nm;c;x 3\nm;c;y 1\nm;d 2\nm;e 1\nz 39', 0.12);
SELECT tree(E'm;a 50\nm;b 4\nm;c;x 3\nm;c;y 1\nm;d 2\nm;e 1\nz 39', 0.5);
SELECT tree(E'm;a 50\nm;b 4\nm;c;x 3\nm;c;y 1\nm;d 2\nm;e 1\nz 39', 1);
SELECT tree(E'a 1\nb 1\nc 1\nd 1', 0.3);
SELECT tree('a;b 1', 1);
-- max_depth
SELECT d AS max_depth, string_agg(line, E'\n' ORDER BY i) AS tree FROM unnest(ARRAY[0, 1, 2, 3, NULL]) d, tree(E'a;b;c 2\na 1\n 1', max_depth => d) WITH ORDINALITY t(line, i) GROUP BY d ORDER BY d;
SELECT tree(fg => E'a;b 1\na;c 99', min_share => 0.02, max_depth => 2147483647);
-- ties bytewise; odd frames are as they are
SELECT tree(E'b 1\nB 1\na b 1\na\\;b 1\na;b 1\né 1\n#y 1\n"q" 1\n\\\\ 1\n x 1');
-- the empty stack comes first; signed values: of the total, kept by their absolute values
SELECT tree(E' 1\na 2\nb 1');
SELECT tree(E'a;b 30\na;c -20\nd 90');
SELECT tree(E'a;b 2\na;c -2');
SELECT tree(E'a -3\nb -1');
SELECT tree(E'a 1e-300\nb 1e300', 0);
-- nothing
SELECT v.f, (SELECT count(*) FROM tree(f)) AS rows, (SELECT count(*) FROM tree(f, 0)) AS all_rows, (SELECT count(*) FROM tree(f, 1)) AS whole, (SELECT count(*) FROM tree(f, 0, 0)) AS depth_0, (SELECT count(*) FROM tree(f, NULL)) AS no_share, (SELECT count(*) FROM tree(f, 0, NULL)) AS no_depth FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), ('b;c 1'), (NULL)) v(f);
-- flamegraph_to_json: inclusive values; no children, no key
SELECT jsonb_pretty(flamegraph_to_json(E'main;parse 35\nmain;parse;read 40\nmain 10\nidle 15'));
SELECT v.f, flamegraph_to_json(f) FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), (E' 0.5\na;b 0.1\na;c 0.2'), (E'a;b 2\na;c -2'), (E'a\\;b;\\\\; x;#y;"q";ö\t 1'), ('a 123456789012345678'), (E'b 1\nB 1\na 1\na b 1\né 1'), (NULL)) v(f);
SELECT v, (flamegraph_to_json('a 1'::flamegraph * v) -> 'children' -> 0 ->> 'value')::float8 = v AS same FROM unnest('{1e300,-1e-300,0.1,5e-324,1.7976931348623157e308,4503599627370497.5}'::float8[]) v;
SELECT pg_typeof(flamegraph_to_json('a 1')), flamegraph_to_json(fg => 'a 1') -> 'children' -> 0 ->> 'name' AS name;

--
-- Against the definitions, on random profiles; every second one is signed.
--
CREATE TEMP TABLE random AS
SELECT id, coalesce((SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c;d', 'é', '"ab"'])[1 + t.random(format('f %s %s %s', id, i, d), 2 + id % 4)] FROM generate_series(1, t.random(format('d %s %s', id, i), 8)) d), t.random(format('v %s %s', id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, id % 19) i), '') AS f FROM generate_series(1, 200) id;
CREATE TEMP TABLE node AS
SELECT id, n.node, parent, stack, frame, depth, self, total, (SELECT sum(abs(value)) FROM stacks(f) s WHERE n.stack @> s.stack) AS weight FROM random, nodes(f) n;
CREATE INDEX ON node (id, parent);
ANALYZE node;
CREATE FUNCTION pg_temp.percent(part float8, whole float8) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN whole = 0 THEN '       -' ELSE format('%8s', to_char(100 * (part / whole), 'FM9999990.00') || '%') END
$$;
-- shown: what weighs enough and is not too deep; siblings by total, then what is hidden below the same parent
CREATE FUNCTION pg_temp.outline(profile int, bar float8, deepest int, whole float8, root float8) RETURNS SETOF text LANGUAGE sql AS $$
	WITH RECURSIVE shown AS (
		SELECT *, row_number() OVER (PARTITION BY parent ORDER BY total DESC, frame COLLATE "C") AS place FROM node WHERE id = profile AND weight >= bar AND depth <= coalesce(deepest, 100)
	), hidden AS (
		SELECT parent, depth, count(*) AS n, sum(total) AS total FROM node WHERE id = profile AND weight < bar AND depth <= coalesce(deepest, 100) GROUP BY parent, depth HAVING sum(weight) >= bar
	), walk AS (
		SELECT 0 AS node, '{}'::bigint[] AS path UNION ALL SELECT s.node, path || s.place FROM walk w JOIN shown s ON s.parent = w.node
	)
	SELECT line FROM (
		SELECT path, pg_temp.percent(total, whole) || ' ' || pg_temp.percent(self, whole) || repeat('  ', depth) || frame AS line FROM walk JOIN shown USING (node)
		UNION ALL SELECT path || 1000000, pg_temp.percent(total, whole) || repeat(' ', 9) || repeat('  ', depth) || format('(%s more)', n) FROM walk JOIN hidden ON hidden.parent = walk.node
		UNION ALL SELECT '{0}', pg_temp.percent(root, whole) || ' ' || pg_temp.percent(root, whole) || '  (empty stack)' WHERE root <> 0 AND abs(root) >= bar
	) x ORDER BY path
$$;
SELECT min_share, max_depth, count(*) AS compared, sum(array_length(expected, 1)) AS lines, count(*) FILTER (WHERE found IS DISTINCT FROM expected) AS wrong, count(*) FILTER (WHERE array_to_string(found, '') LIKE '%(% more)%') AS with_more
FROM random, (VALUES (0, NULL::int), (0.01, NULL), (0.05, NULL), (0.2, NULL), (0.5, NULL), (1, NULL), (0.05, 2), (0, 1)) v(min_share, max_depth), LATERAL (SELECT ARRAY(SELECT line FROM tree(f, min_share, max_depth) line WHERE line NOT LIKE '%(empty stack)' OR abs(f -> '') >= min_share * norm(f)) AS found, ARRAY(SELECT replace(o, '-0.00%', ' 0.00%') FROM pg_temp.outline(id, min_share * norm(f), max_depth, total(f), f -> '') o) AS expected) x
GROUP BY min_share, max_depth ORDER BY min_share, max_depth;
SELECT count(*) AS compared, count(*) FILTER (WHERE ARRAY(SELECT tree(f)) <> ARRAY(SELECT tree(f, 0.01, NULL)) OR ARRAY(SELECT tree(f, 0.2)) <> ARRAY(SELECT tree(f * 4, 0.2))) AS wrong FROM random;

-- walking down the JSON: every node and its inclusive value; and back to the profile by taking away those of the children
CREATE FUNCTION pg_temp.walk(document jsonb, OUT path text[], OUT total float8, OUT self float8, OUT names text[], OUT keys text) RETURNS SETOF record LANGUAGE sql AS $$
	WITH RECURSIVE walk AS (
		SELECT '{}'::text[] AS path, document AS here UNION ALL SELECT path || (child ->> 'name'), child FROM walk, jsonb_array_elements(here -> 'children') child
	)
	SELECT path, (here ->> 'value')::float8, (here ->> 'value')::float8 - coalesce((SELECT sum((c ->> 'value')::float8) FROM jsonb_array_elements(here -> 'children') c), 0), ARRAY(SELECT c ->> 'name' FROM jsonb_array_elements(here -> 'children') c), (SELECT string_agg(k, ' ' ORDER BY k COLLATE "C") FROM jsonb_object_keys(here) k) FROM walk
$$;
CREATE TEMP TABLE walked AS SELECT id, w.* FROM random, pg_temp.walk(flamegraph_to_json(f)) w;
SELECT count(*) AS profiles, sum(nodes) AS nodes, count(*) FILTER (WHERE coalesce(back, '') <> f) AS wrong, count(*) FILTER (WHERE coalesce(inclusive, '') <> cumulate(f)) AS not_inclusive, count(*) FILTER (WHERE root <> total(f)) AS wrong_root, count(*) FILTER (WHERE nodes <> nnodes(f)) AS wrong_nodes
FROM random JOIN (SELECT id, count(*) - 1 AS nodes, flamegraph_agg(path, self) AS back, flamegraph_agg(path, total) FILTER (WHERE path <> '{}') AS inclusive, sum(total) FILTER (WHERE path = '{}') AS root FROM walked GROUP BY id) w USING (id);
SELECT keys, count(*) > 100 AS many, count(*) FILTER (WHERE names = '{}') = count(*) AS leaves, count(*) FILTER (WHERE names <> ARRAY(SELECT n FROM unnest(names) n ORDER BY n COLLATE "C")) AS unsorted FROM walked GROUP BY keys ORDER BY keys COLLATE "C";
-- the root is called "root", also where a frame is
SELECT count(*) AS compared, count(*) FILTER (WHERE j ->> 'name' <> 'root') AS wrong FROM random, flamegraph_to_json(f) j;
SELECT flamegraph_to_json('root;root 1');

-- deep: one frame, two in turn, all distinct; from depth 62 on lines say how deep they are
CREATE TEMP TABLE deep AS SELECT * FROM (VALUES ('one', (repeat('a;', 59999) || 'a 1')::flamegraph), ('two', (repeat('a;b;', 29999) || 'a;b 1')::flamegraph), ('distinct', (SELECT string_agg('f' || i, ';' ORDER BY i) || ' 1' FROM generate_series(1, 60000) i)::flamegraph)) v(kind, f);
SELECT kind, t.*, (SELECT count(*) FROM tree(f, 0.5, 1000)) AS cut FROM deep, LATERAL (SELECT count(*), max(length(line)), count(*) FILTER (WHERE line LIKE '%[%') AS numbered FROM tree(f, 0.5) line) t ORDER BY kind COLLATE "C";
SELECT regexp_replace(line, ' {20,}', '...') AS line FROM tree((repeat('a;', 62) || E'b 1\n' || repeat('a;', 61) || 'c 1')::flamegraph) WITH ORDINALITY t(line, n) WHERE n IN (1, 2) OR n >= 60;
SELECT length(flamegraph_to_json((repeat('a;', 999) || 'a 1')::flamegraph)::text) AS thousand;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT tree('a 1', -0.01)$$,
	$$SELECT tree('', 1.01)$$,
	$$SELECT tree('a 1', 'NaN')$$,
	$$SELECT tree('a 1', 'Infinity')$$,
	$$SELECT tree('a 1', 5)$$,
	$$SELECT tree('a 1', 0, -1)$$,
	$$SELECT tree('', max_depth => -2147483648)$$,
	$$SELECT tree('a 1', 'x')$$,
	$$SELECT tree(E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT flamegraph_to_json(E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT flamegraph_to_json('a')$$);
-- jsonb is made recursively: only the SQLSTATE, since the hint names a setting
SELECT DISTINCT substr(o, 5, 5) AS too_deep FROM t.outcome($$SELECT flamegraph_to_json((repeat('a;', 59999) || 'a 1')::flamegraph)$$) o WHERE o ~ '^    [0-9]';

-- summary: a few lines, never wider than a screen
\pset format aligned
\pset tuples_only off
SELECT summary(E'main;parse;read 75\nmain;parse 5\nmain;print 15\n 5\ngc -1');
SELECT summary(E'main;parse;read 75\nmain;parse 5\nmain;print 15\n 5\ngc -1', 9);
SELECT summary(E'main;parse;read 75\nmain;parse 5', 0);
SELECT summary('');
SELECT summary(E'a;b 1\na;c -1') AS total_of_0;
SELECT summary(E'a 1e300\nb -1e300\nc 0.001') AS shares_beyond_reason;
SELECT summary(E'a\\;b;c\td 1') AS escapes;
-- the end of a stack is what matters
SELECT summary(stacks, 1) FROM (SELECT flamegraph_agg(ARRAY(SELECT 'function ' || i FROM generate_series(1, 30) i), 1) AS stacks) v;
SELECT summary(flamegraph_agg(ARRAY['main', repeat('wörld 世界 ', 5000) || 'end'], 1), 1);
SELECT count(*) AS lines, max(length(l)) AS wide FROM (SELECT regexp_split_to_table(summary(flamegraph_agg(array_fill('ab'::text, ARRAY[n]), n), 9), E'\n') AS l FROM generate_series(1, 100) n) v;
SELECT bool_and(strpos(summary, stack::text) > 0) AS largest_are_there FROM (SELECT summary(fg, 3), fg FROM (SELECT flamegraph_agg(ARRAY['f' || n], n * n % 1009) AS fg FROM generate_series(1, 500) n) w) v, LATERAL (SELECT stack FROM stacks(fg) ORDER BY value DESC LIMIT 3) s;
\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT summary('a 1', -1)$$,
	$$SELECT summary('a 1', 10)$$,
	$$SELECT summary(E'a 1e308\nb 1e308')$$,
	$$SELECT summary(NULL, 3)$$);
