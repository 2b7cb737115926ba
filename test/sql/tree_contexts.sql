-- hot_contexts, hot_tree, k_contexts, subsuming_frames, subsuming_tree: fewer contexts (Lumnitz 2021, chapter 6).
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- hot_contexts_small: more than 0.05 of 200, so a with exactly 10 is not hot
SELECT * FROM hot_contexts(E'a 10\na;b 89\na;b;c 1\nd;e 100', 0.05);
SELECT phi, pg_temp.line(hot_tree(f, phi)) AS tree, (SELECT string_agg(h.stack::text, ' ') FROM hot_contexts(f, phi) h) AS hot FROM (VALUES (flamegraph E'a 10\na;b 89\na;b;c 1\nd;e 100')) v(f), unnest(ARRAY[0, 0.004, 0.005, 0.05, 0.49, 0.5, 1]) phi;
-- no floor: seconds, where the floor of phi * N is 0
SELECT pg_temp.line(hot_tree(E'a 0.004\na;b 0.09\nc 0.006', 0.1)) AS seconds;
-- equal ones by stack; the empty stack has a value of its own; its total is that of the whole
SELECT * FROM hot_contexts(E'b 1\nB 1\na;b 1\na b 1\na 1\n 1\né 1', 0);
-- signed: self > phi * total; of a total of 0 what is positive, of a negative one what is above it
SELECT * FROM hot_contexts(E'a;b 3\na;c -3', 0.5);
SELECT * FROM hot_contexts(E'a 1\nb -9\nc -4', 0.5);
SELECT pg_temp.line(hot_tree(E'a 1\nb -9\nc -4', 0.5)) AS half, pg_temp.line(hot_tree(E'a 1\nb -9\nc -4', 0)) AS none;
-- k_contexts: k_context() as rows. After Ausiello et al.: the 2-context of r;a;b;c;v is b;c;v
SELECT k, x.* FROM generate_series(0, 4) k, k_contexts(E'r;a;b;c;v 3\nb;c;v 4\nc;v 5\nx;c;v 6\n 7', k) x;
SELECT * FROM k_contexts(E'b;x 1\nB;x 1\na;x 1\né;x 1\nc;x -1\nx 1\nd;x 2\nd;x;d;x -2', 1);
SELECT count(*) FROM k_contexts(fg => 'a;b;c 1', k => 2147483647);

-- subsuming_small: b is dominated by m alone, 3 calls away at most; a by m, 2 calls away; nothing dominates m
SELECT * FROM subsuming_frames(E'm;a;b;c;d;e 1\nm;x;a;b;c;d 2\nm;y;b;c 4\nm;a 8', 1, 1);
SELECT pg_temp.line(subsuming_tree(E'm;a;b;c;d;e 1\nm;x;a;b;c;d 2\nm;y;b;c 4\nm;a 8', 1, 1));
-- both bounds are exceeded, not met; unclaimed cost is a row without a frame
SELECT h AS min_height, d AS min_distance, (SELECT string_agg(format('%s %s', coalesce(frame, '-'), induced_cost), ', ') FROM subsuming_frames(f, h, d) WHERE subsuming OR frame IS NULL) AS subsuming, pg_temp.line(subsuming_tree(f, h, d)) AS tree
FROM (VALUES (flamegraph E'm;a;b;c;d;e 1\nm;x;a;b;c;d 2\nm;y;b;c 4\nm;a 8\nz 16\n 32')) v(f), (VALUES (0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (2147483647, 0), (0, 2147483647)) w(h, d);
SELECT * FROM subsuming_frames(E'm;a;b;c;d;e 1\nm;x;a;b;c;d 2\nz 16\n 32');
SELECT f IS NULL AS no_profile, pg_temp.line(subsuming_tree(f)), subsuming_tree(f) = subsuming_tree(f, 4, 4) AS defaults, (SELECT count(*) FROM subsuming_frames(f)) = (SELECT count(*) FROM subsuming_frames(f, min_distance => 4, min_height => 4)) AS same FROM (VALUES (flamegraph E'a;b;c;d;e;f 1\na;b;c;d;e;g;h;i;j;k 2\n 3'), (NULL)) v(f);
-- a frame does not dominate itself; the nearest of several nodes of the dominating one counts
SELECT frame, height, distance FROM subsuming_frames('a;a;b;a;c 1', 0, 0);
SELECT frame, height, distance FROM subsuming_frames(E'r;p;x;v 1\nr;p;p;y;z;v 1\nq;w 1\nr;w 1', 0, 0);
-- costs that cancel; shares of 0 are null
SELECT * FROM subsuming_frames(E'a;b;c 3\na;b -3\nd -1\nd;e 1', 0, 0);
SELECT * FROM subsuming_frames(E'a 5\nb -5', 0, 0);
-- odd frames
SELECT * FROM subsuming_frames(E'a\\;b;\\\\; x;#y;"q";ö 1\na\\;b;ö;z 2', 1, 0);
SELECT pg_temp.line(subsuming_tree(E'a\\;b;\\\\; x;#y;"q";ö 1\na\\;b;ö;z 2', 1, 0)) AS tree, pg_temp.line(hot_tree(E'a\\;b;\\\\; x;#y;"q";ö 1\na\\;b;ö;z 2', 0.5)) AS hot;

-- nothing, the empty stack, null
SELECT v.f, (SELECT count(*) FROM hot_contexts(f, 0)) AS hot, hot_tree(f, 0.1) AS hot_tree, (SELECT count(*) FROM k_contexts(f, 1)) AS contexts, (SELECT count(*) FROM subsuming_frames(f)) AS subsuming, subsuming_tree(f) AS tree FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), (NULL)) v(f);
SELECT (SELECT count(*) FROM hot_contexts('a 1', NULL)) AS hot, hot_tree('a 1', NULL), (SELECT count(*) FROM k_contexts('a 1', NULL)) AS contexts, (SELECT count(*) FROM subsuming_frames('a 1', NULL)) AS subsuming, (SELECT count(*) FROM subsuming_frames('a 1', 0, NULL)) AS subsuming_2, subsuming_tree('a 1', NULL) AS tree, subsuming_tree('a 1', 0, NULL) AS tree_2;
SELECT (hot_contexts(flamegraph 'a 1', 0)).stack, (k_contexts(flamegraph 'a 1', 0)).context, (subsuming_frames(flamegraph 'a 1', 0)).frame;

--
-- Against the definitions, on random profiles; every second one is signed.
--
CREATE TEMP TABLE random AS
SELECT id, (SELECT flamegraph_agg(ARRAY(SELECT chr(97 + t.random(format('f %s %s %s', id, i, d), 2 + id % 5)) FROM generate_series(1, t.random(format('d %s %s', id, i), 10)) d), t.random(format('v %s %s', id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, 2 + id % 13) i) AS f FROM generate_series(1, 250) id;
CREATE TEMP TABLE stack AS SELECT id, stack, frames(stack) AS frames, value FROM random, stacks(f);
CREATE TEMP TABLE node AS SELECT id, n.node, stack, frames(stack) AS frames, frame, depth FROM random, nodes(f) n;
ANALYZE node;
-- hot
SELECT phi, count(x.stack) AS expected, count(h.stack) AS found, count(*) FILTER (WHERE x.stack IS NULL OR h.stack IS NULL OR h.self <> x.value OR h.total <> total_at(f, x.stack) OR h.share IS DISTINCT FROM x.value / nullif(total(f), 0)) AS wrong
FROM (SELECT phi, stack.* FROM stack JOIN random USING (id), unnest(ARRAY[0, 0.02, 0.1, 0.3, 1]) phi WHERE value > phi * total(f)) x FULL JOIN (SELECT id, phi, h.* FROM random, unnest(ARRAY[0, 0.02, 0.1, 0.3, 1]) phi, hot_contexts(f, phi) h) h USING (id, phi, stack) JOIN random USING (id) GROUP BY phi ORDER BY phi;
SELECT count(*) AS found, count(*) FILTER (WHERE self > before OR self = before AND stack <= before_stack) AS out_of_order FROM (SELECT self, stack, lag(self) OVER w AS before, lag(stack) OVER w AS before_stack FROM random, hot_contexts(f, 0.02) WITH ORDINALITY WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
SELECT count(*) AS compared, count(*) FILTER (WHERE hot_tree(f, phi) <> coalesce((SELECT flamegraph_agg(stack, self) FROM hot_contexts(f, phi)), '')) AS wrong, count(*) FILTER (WHERE hot_tree(3 * f, phi) <> 3 * hot_tree(f, phi)) AS not_homogeneous FROM random, unnest(ARRAY[0, 0.02, 0.1, 0.3, 1]) phi;
-- k_contexts
SELECT count(x.value) AS expected, count(c.value) AS found, count(*) FILTER (WHERE x.value IS DISTINCT FROM c.value) AS wrong
FROM (SELECT id, k, stackpath(frames[greatest(1, cardinality(frames) - k):]) AS context, sum(value) AS value FROM stack, generate_series(0, 3) k GROUP BY 1, 2, 3 HAVING sum(value) <> 0) x FULL JOIN (SELECT id, k, c.* FROM random, generate_series(0, 3) k, k_contexts(f, k) c) c USING (id, k, context);
SELECT count(*) AS found, count(*) FILTER (WHERE value > before OR value = before AND context <= before_context) AS out_of_order FROM (SELECT value, context, lag(value) OVER w AS before, lag(context) OVER w AS before_context FROM random, k_contexts(f, 2) WITH ORDINALITY WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
-- subsuming: height by node; p dominates m when it is above every node of m, as far away as where it is farthest
CREATE TEMP TABLE height AS SELECT id, frame, max(height) AS height, count(*) AS nodes FROM (SELECT a.id, a.frame, max(d.depth) - a.depth AS height FROM node a JOIN node d ON d.id = a.id AND a.stack @> d.stack GROUP BY a.id, a.node, a.frame, a.depth) x GROUP BY id, frame;
CREATE TEMP TABLE dominating AS
SELECT id, frame, above, max(distance) AS distance FROM (SELECT id, node, frame, frames[i] AS above, min(depth - i) AS distance FROM node, generate_series(1, depth - 1) i WHERE frames[i] <> frame GROUP BY id, node, frame, frames[i]) x JOIN height USING (id, frame) GROUP BY id, frame, above, nodes HAVING count(*) = nodes;
CREATE TEMP TABLE method AS
SELECT id, h, d, frame, height, distance, height > h AND coalesce(distance > d, true) AS subsuming FROM (SELECT id, frame, height.height, (SELECT min(distance) FROM dominating WHERE dominating.id = height.id AND dominating.frame = height.frame) AS distance FROM height) x, (VALUES (0, 0), (1, 1), (2, 1), (1, 3), (4, 4)) v(h, d);
CREATE INDEX ON method (id, h, d, frame);
ANALYZE method;
-- each stack's value goes to its last subsuming frame, and its path is that of its subsuming frames
CREATE TEMP TABLE claim AS
SELECT id, h, d, value, ARRAY(SELECT frame FROM unnest(frames) WITH ORDINALITY u(frame, i) JOIN method m USING (frame) WHERE m.id = s.id AND m.h = v.h AND m.d = v.d AND subsuming ORDER BY i) AS path FROM stack s, (VALUES (0, 0), (1, 1), (2, 1), (1, 3), (4, 4)) v(h, d);
SELECT h, d, count(x.cost) AS expected, count(s.induced_cost) AS found, count(*) FILTER (WHERE x.cost IS NULL OR s.induced_cost IS NULL OR (s.height, s.distance, s.subsuming, s.induced_cost) IS DISTINCT FROM (x.height, x.distance, x.subsuming, x.cost) OR s.share IS DISTINCT FROM s.induced_cost / nullif(total(f), 0)) AS wrong, count(*) FILTER (WHERE s.subsuming) AS subsuming, count(*) FILTER (WHERE s.frame = '') AS unclaimed
FROM (SELECT m.*, coalesce(cost, 0) AS cost FROM method m LEFT JOIN (SELECT id, h, d, path[cardinality(path)] AS frame, sum(value) AS cost FROM claim GROUP BY 1, 2, 3, 4) c USING (id, h, d, frame) UNION ALL SELECT id, h, d, '', NULL, NULL, NULL, sum(value) FROM claim WHERE path = '{}' GROUP BY id, h, d HAVING sum(value) <> 0) x
	FULL JOIN (SELECT id, h, d, coalesce(s.frame, '') AS frame, height, distance, subsuming, induced_cost, share FROM random, (VALUES (0, 0), (1, 1), (2, 1), (1, 3), (4, 4)) v(h, d), subsuming_frames(f, h, d) s) s USING (id, h, d, frame) JOIN random USING (id) GROUP BY h, d ORDER BY h, d;
SELECT count(*) AS compared, count(*) FILTER (WHERE subsuming_tree(f, h, d) <> x.tree) AS wrong, count(*) FILTER (WHERE total(subsuming_tree(f, h, d)) <> total(f)) AS lost FROM random JOIN (SELECT id, h, d, flamegraph_agg(path, value) AS tree FROM claim GROUP BY id, h, d) x USING (id);
SELECT count(*) AS found, count(*) FILTER (WHERE cost > before OR cost = before AND frame <= before_frame) AS out_of_order FROM (SELECT *, lag(cost) OVER w AS before, lag(frame) OVER w AS before_frame FROM (SELECT id, ordinality, induced_cost AS cost, coalesce(frame, chr(1114111)) COLLATE "C" AS frame FROM random, subsuming_frames(f, 1, 1) WITH ORDINALITY) y WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;

-- deep: one frame, two in turn, all distinct
CREATE TEMP TABLE deep AS SELECT * FROM (VALUES ('one', (repeat('a;', 59999) || 'a 1')::flamegraph), ('two', (repeat('a;b;', 29999) || 'a;b 1')::flamegraph), ('distinct', (SELECT string_agg('f' || i, ';' ORDER BY i) || ' 1' FROM generate_series(1, 60000) i)::flamegraph)) v(kind, f);
SELECT kind, hot_tree(f, 0.5) = f AS hot, (SELECT depth(stack) FROM hot_contexts(f, 0.5)) AS hot_depth, (SELECT depth(context) FROM k_contexts(f, 59998)) AS context, (SELECT context FROM k_contexts(f, 1)) AS call, depth(subsuming_tree(f)) AS subsuming, depth(subsuming_tree(f, 4, 0)) AS tree, depth(subsuming_tree(f, 59990, 0)) AS tree_2 FROM deep ORDER BY kind COLLATE "C";
SELECT kind, count(*), min(height), max(height), min(distance), max(distance), count(*) FILTER (WHERE subsuming) AS subsuming, sum(induced_cost) AS cost, max(frame COLLATE "C") FILTER (WHERE induced_cost > 0) AS claims FROM deep, subsuming_frames(f, 100, 0) GROUP BY kind ORDER BY kind COLLATE "C";
-- the only dominating frame is far away
SELECT frame, height, distance, subsuming FROM subsuming_frames((E'r;x 1\nr;' || (SELECT string_agg('f' || i, ';' ORDER BY i) FROM generate_series(1, 50000) i) || ';x 1')::flamegraph, 0, 0) WHERE frame IN ('r', 'x', 'f1', 'f50000') ORDER BY frame COLLATE "C";

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT hot_contexts('a 1', -0.1)$$,
	$$SELECT hot_contexts('', 1.5)$$,
	$$SELECT hot_contexts('a 1', 'NaN')$$,
	$$SELECT hot_tree('a 1', 'Infinity')$$,
	$$SELECT hot_tree('', -1e-300)$$,
	$$SELECT hot_tree('a 1', 5)$$,
	$$SELECT * FROM hot_contexts(E'a;b 1.7e308\na;c 1.7e308', 0.1)$$,
	$$SELECT hot_tree(E'a 1.7e308\nb 1.7e308', 0.1)$$,
	$$SELECT * FROM hot_contexts(E'a 1e300\nb -1e300\nc 1e-10', 0)$$,
	$$SELECT k_contexts('a 1', -1)$$,
	$$SELECT k_contexts('', -2147483648)$$,
	$$SELECT * FROM k_contexts(E'x;a 1.7e308\ny;a 1.7e308', 0)$$,
	$$SELECT subsuming_frames('a 1', -1)$$,
	$$SELECT subsuming_frames('', 0, -1)$$,
	$$SELECT subsuming_tree('a 1', -1, 0)$$,
	$$SELECT subsuming_tree('a 1', min_distance => -2147483648)$$,
	$$SELECT * FROM subsuming_frames(E'a;b 1.7e308\na;c 1.7e308', 0, 0)$$,
	$$SELECT * FROM subsuming_frames(E'a;b 1.7e308\nc;b 1.7e308', 0, 0)$$,
	$$SELECT * FROM subsuming_frames(E'a 1.7e308\nb 1.7e308')$$,
	$$SELECT subsuming_tree(E'a 1.7e308\nb 1.7e308')$$);
