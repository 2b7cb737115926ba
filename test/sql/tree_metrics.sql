-- frame_metrics and top: a row for each function (Lumnitz 2021, sections 3.3.1 and 3.3.2).
\pset null NULL

-- metrics_figure_3_6_like: by hand; share = total / 15, self_fraction = self / total
SELECT * FROM frame_metrics(E'a 1\na;b;c 2\na;b;a 3\na;c;c 4\na;c;b;c 5');
-- metrics_literal_set_trap: the nearest c above the innermost c is not called by m, yet a stack counts once
SELECT * FROM frame_metrics(E'm;c;x;c;m;c 10\nm;d 10');
-- metrics_signed_zero: shares of 0 are null
SELECT * FROM frame_metrics(E'a;b 2\na;c -2');
-- the empty stack is part of the whole, and no frame's
SELECT * FROM frame_metrics(E' 5\na;b 3\na 2');
-- an outer a that calls itself: two contexts, one free of recursion; it is its own caller and callee
SELECT * FROM frame_metrics('a;a 1');
-- equal totals in bytewise order
SELECT frame, total FROM frame_metrics(E'b;B;é;a b;a;#c;"d";e\\;f;g\\\\h 1');
-- within: the metrics of the stacks that match, their sum is the whole
SELECT q AS within, m.* FROM (VALUES (1, stackquery '*;c;*'), (2, '*;c'), (3, 'a'), (4, '*'), (5, 'x')) v(i, q), frame_metrics(E'a 1\na;b;c 2\na;b;a 3\na;c;c 4\na;c;b;c 5', q) m ORDER BY i, m.total DESC, m.frame COLLATE "C";
SELECT * FROM frame_metrics(fg => E'T1;f;g 3\nT2;f 4', within => 'T1;*');

-- top: by the value of the frame itself
SELECT * FROM top(E'main;parse;read 40\nmain;parse 35\nmain;print 15\nmain 10\nmain;parse;parse 100');
SELECT n AS max_rows, (SELECT string_agg(frame, ' ') FROM top(E'a 1\nb 2\nc 2\nd;a 4', n)) AS frames FROM unnest(ARRAY[NULL, 0, 1, 2, 3, 4, 5, 2147483647]) n;
SELECT count(*) AS by_default, min(self) AS least FROM top((SELECT flamegraph_agg('f' || i, i) FROM generate_series(1, 30) i));
SELECT count(*) AS all_rows FROM top((SELECT flamegraph_agg('f' || i, i) FROM generate_series(1, 30) i), NULL);
SELECT * FROM top(E'a;b 2\na;c -2');
SELECT * FROM top(fg => E' 7\na;b 3', max_rows => 1);

-- nothing, the empty stack, null
SELECT v.f, (SELECT count(*) FROM frame_metrics(f)) AS metrics, (SELECT count(*) FROM frame_metrics(f, '*')) AS within, (SELECT count(*) FROM top(f)) AS top FROM (VALUES (flamegraph ''), (' 5'), (NULL)) v(f);
SELECT (SELECT count(*) FROM frame_metrics('a 1', NULL)) AS within_null, (SELECT count(*) FROM frame_metrics('', '*')) AS empty, (SELECT count(*) FROM top(NULL, 5)) AS top, (SELECT count(*) FROM top(NULL, NULL)) AS top_2;
SELECT pg_typeof(nodes), pg_typeof(recursion_free), pg_typeof(callers), pg_typeof(callees), pg_typeof(total_share) FROM frame_metrics('a 1');
SELECT (top(flamegraph 'a 1')).frame, (frame_metrics(flamegraph 'a;b 1')).callers;
SELECT i, m.frame, m.total FROM (VALUES (1, flamegraph 'a 1'), (2, NULL), (3, ''), (4, 'b;c 2')) v(i, f), frame_metrics(f) m ORDER BY i, m.frame COLLATE "C";

--
-- Against the definitions, on random profiles; every second one is signed.
--
CREATE TEMP TABLE random AS
SELECT id, (SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c;d', 'é'])[1 + t.random(format('f %s %s %s', id, i, d), 1 + id % 4)] FROM generate_series(1, t.random(format('d %s %s', id, i), 9)) d), t.random(format('v %s %s', id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, 2 + id % 19) i) AS f FROM generate_series(1, 200) id;
CREATE TEMP TABLE node AS SELECT id, n.node, parent, stack, frame, recursion, self FROM random, nodes(f) n;
CREATE TEMP TABLE stack AS SELECT id, frames(stack) AS frames, stack, value FROM random, stacks(f);
ANALYZE node, stack;
-- total: the stacks that hold the frame, each once; self: those that end in it; contexts, callers and callees by node
CREATE TEMP TABLE expected AS
SELECT id, frame, coalesce((SELECT sum(value) FROM stack s WHERE s.id = f.id AND f.frame = ANY (frames)), 0) AS total, coalesce((SELECT sum(value) FROM stack s WHERE s.id = f.id AND f.frame = frames[cardinality(frames)]), 0) AS self,
	nodes, recursion_free, (SELECT count(DISTINCT p.frame) FROM node n JOIN node p ON p.id = n.id AND p.node = n.parent WHERE n.id = f.id AND n.frame = f.frame) AS callers, (SELECT count(DISTINCT n.frame) FROM node n JOIN node p ON p.id = n.id AND p.node = n.parent WHERE n.id = f.id AND p.frame = f.frame) AS callees
FROM (SELECT id, frame, count(*) AS nodes, count(*) FILTER (WHERE recursion = 0) AS recursion_free FROM node GROUP BY id, frame) f;
SELECT (SELECT count(*) FROM expected) AS expected, count(*) AS found, count(*) FILTER (WHERE e.frame IS NULL OR m.frame IS NULL) AS unmatched, count(*) FILTER (WHERE e.total <> m.total OR e.self <> m.self) AS wrong_sums, count(*) FILTER (WHERE e.nodes <> m.nodes OR e.recursion_free <> m.recursion_free) AS wrong_nodes, count(*) FILTER (WHERE e.callers <> m.callers OR e.callees <> m.callees) AS wrong_calls,
	count(*) FILTER (WHERE m.total_share IS DISTINCT FROM e.total / nullif(total(f), 0) OR m.self_fraction IS DISTINCT FROM e.self / nullif(e.total, 0)) AS wrong_shares, count(*) FILTER (WHERE m.recursion_free < m.nodes) AS recursive
FROM expected e FULL JOIN (SELECT id, m.* FROM random, frame_metrics(f) m) m USING (id, frame) JOIN random USING (id);
SELECT count(*) AS found, count(*) FILTER (WHERE total > before OR total = before AND frame COLLATE "C" <= before_frame COLLATE "C") AS out_of_order
FROM (SELECT total, frame, lag(total) OVER w AS before, lag(frame) OVER w AS before_frame FROM random, frame_metrics(f) WITH ORDINALITY WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
-- the same numbers from other functions
SELECT count(*) AS compared, count(*) FILTER (WHERE total <> frame_total(f, frame) OR self <> frame_self(f, frame)) AS not_frame_total, count(*) FILTER (WHERE total <> frame_totals(f) -> ARRAY[frame]::stackpath) AS not_frame_totals FROM random, frame_metrics(f);
-- within: as if the other stacks were not there
SELECT q AS within, sum(found) AS found, sum(wrong) AS wrong FROM random, unnest(ARRAY[stackquery '*', '*;a', 'a;*', '*;a;b;*', '!a;*', '*{0}', '*{3,}', 'x']) WITH ORDINALITY u(q, n),
	LATERAL (SELECT count(*) AS found, count(*) FILTER (WHERE m IS DISTINCT FROM e) AS wrong FROM (SELECT * FROM frame_metrics(f, q) WITH ORDINALITY) m FULL JOIN (SELECT * FROM frame_metrics(filter_stacks(f, q)) WITH ORDINALITY) e USING (ordinality)) x GROUP BY q, n ORDER BY n;
-- top: the same numbers, by self
SELECT count(*) AS found, count(*) FILTER (WHERE e.frame IS NULL OR m.frame IS NULL OR (e.self, e.total) IS DISTINCT FROM (m.self, m.total) OR m.self_share IS DISTINCT FROM e.self / nullif(total(f), 0) OR m.total_share IS DISTINCT FROM e.total / nullif(total(f), 0)) AS wrong
FROM expected e FULL JOIN (SELECT id, m.* FROM random, top(f) m) m USING (id, frame) JOIN random USING (id);
SELECT count(*) AS found, count(*) FILTER (WHERE frame <> expected) AS wrong FROM random, top(f, 2) WITH ORDINALITY m, LATERAL (SELECT frame AS expected FROM expected e WHERE e.id = random.id ORDER BY e.self DESC, e.frame COLLATE "C" OFFSET m.ordinality - 1 LIMIT 1) e;
-- total and self are linear
SELECT count(*) AS compared, count(*) FILTER (WHERE m.total <> coalesce(x.total, 0) + coalesce(y.total, 0) OR m.self <> coalesce(x.self, 0) + coalesce(y.self, 0)) AS wrong
FROM random a JOIN random b ON b.id = a.id + 1 CROSS JOIN frame_metrics(a.f + b.f) m LEFT JOIN expected x ON x.id = a.id AND x.frame = m.frame LEFT JOIN expected y ON y.id = b.id AND y.frame = m.frame;

-- deep: one frame, two in turn, all distinct
CREATE TEMP TABLE deep AS SELECT * FROM (VALUES ('one', (repeat('a;', 59999) || 'a 1')::flamegraph), ('two', (repeat('a;b;', 29999) || 'a;b 1')::flamegraph)) v(kind, f);
SELECT kind, m.* FROM deep, frame_metrics(f) m ORDER BY kind COLLATE "C", frame COLLATE "C";
SELECT count(*), sum(total), sum(self), sum(nodes), sum(recursion_free), sum(callers) AS callers, sum(callees) AS callees, min(total) FROM frame_metrics((SELECT string_agg('f' || i, ';') || ' 1' FROM generate_series(1, 60000) i)::flamegraph);
SELECT kind, o.* FROM deep, top(f, 1) o ORDER BY kind COLLATE "C";

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM top('a 1', -1)$$,
	$$SELECT * FROM top('', -2147483648)$$,
	$$SELECT * FROM top('a 1', 2147483648)$$,
	$$SELECT * FROM frame_metrics('a 1', '')$$,
	$$SELECT * FROM frame_metrics('a 1', '~"("')$$,
	$$SELECT * FROM frame_metrics('a 1', 'a;')$$,
	$$SELECT * FROM frame_metrics('a')$$,
	$$SELECT * FROM frame_metrics(E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT * FROM frame_metrics(E'a;b 1.7e308\nc -1.7e308\nd;b 1.7e308')$$,
	$$SELECT * FROM frame_metrics(E'a;b 1.7e308\nc -1.7e308\nd;b 1.7e308', '*;b')$$,
	$$SELECT * FROM frame_metrics(E'a 1e300\nb -1e300\nc 1e-10')$$,
	$$SELECT * FROM top(E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT * FROM top(E'a;b 1.7e308\nc -1.7e308\nd;b 1.7e308')$$);
