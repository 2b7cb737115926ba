-- callers, callees, call_edges, thread_metrics: who calls whom, and on which thread (Lumnitz 2021, section 3.3.2).
\pset null NULL

-- callers_top_frame: NULL is "no caller"; shares of the samples of m
SELECT * FROM callers(E'm 3\nm;m 4\nq;m 5\nq;m;r;q;m 6', 'm');
-- metrics_literal_set_trap: by the letter of equation 3.11 c would have all 20 samples
SELECT * FROM callees(E'm;c;x;c;m;c 10\nm;d 10', 'm');
SELECT * FROM callers(E'm;c;x;c;m;c 10\nm;d 10', 'c');
-- a call counts once per stack, however often it is in it
SELECT * FROM callees('a;b;a;b;a 7', 'a');
SELECT * FROM callers('a;b;a;b;a 7', 'a');
SELECT * FROM call_edges('a;b;a;b;a 7');
SELECT * FROM call_edges(E'm;c;x;c;m;c 10\nm;d 10\n 5');
-- caller_share: of the samples of the caller, callee_share: of those of the callee
SELECT * FROM call_edges(E'a;b 1\nc;b 3\na 2');
-- shares of 0 are null; a call whose values cancel is a call
SELECT * FROM call_edges(E'a;b 2\na;c -2');
SELECT * FROM callees(E'a;b 2\na;c -2', 'a');
SELECT * FROM callees(E'a;b;x 2\na;b;y -2\na 1', 'a');
-- equal values: bytewise, no caller last
SELECT * FROM callers(E'é;x 1\nb;x 1\nB;x 1\na b;x 1\na;x 1\nx 1', 'x');
SELECT caller, callee, samples FROM call_edges(E'a;b 1\nb;a 1');

-- threads: the first frame of a stack; a frame of which nothing but the thread itself is known has no row
SELECT * FROM thread_metrics(E'T1;f;g 3\nT1;g 1\nT2;f;f 4\nT2 9\nT3;h;T3 2\n 5');
-- the last frame of the outermost part that matches; the frames above are nobody's; what has no match is in no thread
SELECT * FROM thread_metrics(E'P;T1;f;g 3\nP;T1 8\nP;T2;f 4\nP;idle 5\nQ;T1;f 7\nf;g 9', '*{1};T*');
SELECT * FROM thread_metrics(E'P;T1;f;T2;g 3\nP;T2;g 4', by => '*;T*');
SELECT * FROM thread_metrics(E'a;b 3\nb 4', 'x');
SELECT * FROM thread_metrics(E'a;b 3\nb 4', '*{0}');
SELECT * FROM thread_metrics(E'a;b 3\na;c;b 4', '*');
-- two samples cancel: a row with 0, of 0
SELECT * FROM thread_metrics(E'T1;f 2\nT2;f -2\nT3;g 1\nT3;g;h -1');

-- odd frames
SELECT f.frame, callers.* FROM (VALUES (flamegraph E'a\\;b;\\\\; x;#y;"q" 1\nö;"q" 2')) v(fg), unnest(ARRAY['a;b', '\', ' x', '#y', '"q"', 'ö', 'o', 'x', '']) WITH ORDINALITY f(frame, i), callers(fg, f.frame) ORDER BY i, callers.samples DESC;
SELECT f.frame, callees.* FROM (VALUES (flamegraph E'a\\;b;\\\\; x;#y;"q" 1\nö;"q" 2')) v(fg), unnest(ARRAY['a;b', '\', ' x', '#y', '"q"', 'ö', 'o', 'x', '']) WITH ORDINALITY f(frame, i), callees(fg, f.frame) ORDER BY i;
SELECT * FROM call_edges(E'a\\;b;\\\\; x;#y;"q" 1\nö;"q" 2');
SELECT * FROM thread_metrics(E'a\\;b;\\\\; x 1\nö;"q" 2');
-- nothing, the empty stack, null, unknown frames
SELECT v.f, (SELECT count(*) FROM callers(f, 'a')) AS callers, (SELECT count(*) FROM callees(f, 'a')) AS callees, (SELECT count(*) FROM call_edges(f)) AS edges, (SELECT count(*) FROM thread_metrics(f)) AS threads, (SELECT count(*) FROM thread_metrics(f, '*')) AS by_any FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), ('b;c 1'), (NULL)) v(f);
SELECT (SELECT count(*) FROM callers('a 1', NULL)) AS callers, (SELECT count(*) FROM callees('a 1', NULL)) AS callees, (SELECT count(*) FROM thread_metrics(NULL, '*')) AS threads, (SELECT count(*) FROM thread_metrics('a;b 1', NULL)) AS by_root;
SELECT (callees(flamegraph 'a;b 1', 'a')).callee, (call_edges(flamegraph 'a;b 1')).callee AS edge, (thread_metrics(flamegraph 'a;b 1')).thread;
SELECT i, c.* FROM (VALUES (1, flamegraph 'a;b 1'), (2, NULL), (3, ''), (4, 'a;c 2')) v(i, f), callees(fg => f, frame => 'a') c;

--
-- Against the definitions, on random profiles; every second one is signed.
--
CREATE TEMP TABLE random AS
SELECT id, (SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c;d', 'é'])[1 + t.random(format('f %s %s %s', id, i, d), 1 + id % 4)] FROM generate_series(1, t.random(format('d %s %s', id, i), 9)) d), t.random(format('v %s %s', id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, 2 + id % 19) i) AS f FROM generate_series(1, 200) id;
CREATE TEMP TABLE stack AS SELECT id, frames(stack) AS frames, stack, value FROM random, stacks(f);
-- stacks that hold the frame, and those that hold the call as neighbours; each stack once
CREATE TEMP TABLE method AS SELECT id, frame, sum(value) AS samples FROM stack, LATERAL (SELECT DISTINCT unnest(frames) AS frame) d GROUP BY id, frame;
CREATE TEMP TABLE expected AS
SELECT id, caller, callee, sum(value) AS samples FROM stack, LATERAL (SELECT DISTINCT CASE WHEN i > 1 THEN frames[i - 1] END AS caller, frames[i] AS callee FROM generate_series(1, cardinality(frames)) i) d GROUP BY id, caller, callee;
SELECT (SELECT count(*) FROM expected) AS expected, count(*) AS found, count(*) FILTER (WHERE x.callee IS NULL OR e.callee IS NULL OR x.samples <> e.samples) AS wrong, count(*) FILTER (WHERE e.caller_share IS DISTINCT FROM x.samples / nullif(p.samples, 0) OR e.callee_share IS DISTINCT FROM x.samples / nullif(c.samples, 0)) AS wrong_shares
FROM expected x FULL JOIN (SELECT id, e.* FROM random, call_edges(f) e) e ON e.id = x.id AND coalesce(e.caller, '') = coalesce(x.caller, '') AND e.callee = x.callee LEFT JOIN method p ON p.id = x.id AND p.frame = x.caller LEFT JOIN method c ON c.id = x.id AND c.frame = x.callee;
SELECT (SELECT count(*) FROM expected) AS expected, count(*) AS found, count(*) FILTER (WHERE x.callee IS NULL OR e.callee IS NULL OR x.samples <> e.samples OR e.share IS DISTINCT FROM x.samples / nullif(c.samples, 0)) AS wrong
FROM expected x FULL JOIN (SELECT id, m.frame AS callee, e.* FROM random JOIN method m USING (id) CROSS JOIN callers(f, m.frame) e) e ON e.id = x.id AND coalesce(e.caller, '') = coalesce(x.caller, '') AND e.callee = x.callee LEFT JOIN method c ON c.id = x.id AND c.frame = x.callee;
SELECT (SELECT count(caller) FROM expected) AS expected, count(*) AS found, count(*) FILTER (WHERE x.callee IS NULL OR e.callee IS NULL OR x.samples <> e.samples OR e.share IS DISTINCT FROM x.samples / nullif(p.samples, 0)) AS wrong
FROM (SELECT * FROM expected WHERE caller IS NOT NULL) x FULL JOIN (SELECT id, m.frame AS caller, e.* FROM random JOIN method m USING (id) CROSS JOIN callees(f, m.frame) e) e USING (id, caller, callee) LEFT JOIN method p ON p.id = x.id AND p.frame = x.caller;
-- the largest first, then by caller and callee, no caller last
SELECT count(*) AS found, count(*) FILTER (WHERE samples > before OR samples = before AND (k, callee) <= (before_k, before_callee)) AS out_of_order
FROM (SELECT *, lag(samples) OVER w AS before, lag(k) OVER w AS before_k, lag(callee) OVER w AS before_callee FROM (SELECT id, ordinality, samples, coalesce(caller, chr(1114111)) COLLATE "C" AS k, callee COLLATE "C" AS callee FROM random, call_edges(f) WITH ORDINALITY) y WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
SELECT count(*) AS found, count(*) FILTER (WHERE samples > before OR samples = before AND k <= before_k) AS out_of_order
FROM (SELECT *, lag(samples) OVER w AS before, lag(k) OVER w AS before_k FROM (SELECT id, ordinality, samples, coalesce(caller, chr(1114111)) COLLATE "C" AS k FROM random, callers(f, 'a') WITH ORDINALITY) y WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
-- as many as frame_metrics says
SELECT count(*) AS compared, count(*) FILTER (WHERE (SELECT count(caller) FROM callers(f, frame)) <> callers OR (SELECT count(*) FROM callees(f, frame)) <> callees) AS wrong FROM random, frame_metrics(f);
-- linear
SELECT count(*) AS compared, count(*) FILTER (WHERE e.samples <> coalesce(x.samples, 0) + coalesce(y.samples, 0)) AS wrong
FROM random a JOIN random b ON b.id = a.id + 1 CROSS JOIN call_edges(a.f + b.f) e LEFT JOIN expected x ON x.id = a.id AND coalesce(x.caller, '') = coalesce(e.caller, '') AND x.callee = e.callee LEFT JOIN expected y ON y.id = b.id AND coalesce(y.caller, '') = coalesce(e.caller, '') AND y.callee = e.callee;

-- threads: the outermost part of each stack that matches; without a pattern, its first frame
CREATE TEMP TABLE thread AS
SELECT id, q, n, frames[n] AS thread, frames, value FROM stack, unnest(ARRAY['', '*', '*{1}', '*;b', '*;a;b|é', '*{2};!a', 'b;*', '*{0}', 'x']) q,
	LATERAL (SELECT min(i) AS n FROM generate_series(1, cardinality(frames)) i WHERE CASE WHEN q = '' THEN i = 1 ELSE subpath(stack, 0, i) ~ q::stackquery END) m;
CREATE TEMP TABLE expected_thread AS
SELECT id, q, thread, frame, sum(value) AS samples, sum(sum(value)) OVER (PARTITION BY id, q, frame) AS whole FROM thread, LATERAL (SELECT DISTINCT unnest(frames[coalesce(n, 0) + 1:]) AS frame) d GROUP BY id, q, thread, frame;
SELECT q AS "by", count(x.frame) AS expected, count(m.frame) AS found, count(*) FILTER (WHERE x.frame IS NULL OR m.frame IS NULL OR x.samples <> m.samples OR m.share IS DISTINCT FROM x.samples / nullif(x.whole, 0)) AS wrong, count(*) FILTER (WHERE m.thread IS NULL) AS no_thread
FROM (SELECT *, coalesce(thread, '') AS t FROM expected_thread) x FULL JOIN (SELECT id, q, coalesce(m.thread, '') AS t, m.* FROM random, unnest(ARRAY['', '*', '*{1}', '*;b', '*;a;b|é', '*{2};!a', 'b;*', '*{0}', 'x']) q, thread_metrics(f, nullif(q, '')::stackquery) m) m USING (id, q, t, frame) GROUP BY q ORDER BY q COLLATE "C";

-- deep: one frame, two in turn, all distinct
CREATE TEMP TABLE deep AS SELECT * FROM (VALUES ('one', (repeat('a;', 59999) || 'a 1')::flamegraph), ('two', (repeat('a;b;', 29999) || 'a;b 1')::flamegraph)) v(kind, f);
SELECT kind, callers.* FROM deep, callers(f, 'a') ORDER BY kind COLLATE "C", caller COLLATE "C";
SELECT kind, callees.* FROM deep, callees(f, 'a') ORDER BY kind COLLATE "C";
SELECT kind, thread_metrics.* FROM deep, thread_metrics(f) ORDER BY kind COLLATE "C", frame COLLATE "C";
SELECT (SELECT count(*) FROM call_edges(f)) AS edges, (SELECT min(samples) FROM call_edges(f)) AS samples, (SELECT caller FROM callers(f, 'f30000')) AS caller, (SELECT callee FROM callees(f, 'f30000')) AS callee, (SELECT count(*) FROM thread_metrics(f)) AS thread_rows, (SELECT count(*) FROM thread_metrics(f, '*{100};*')) AS below FROM (SELECT (string_agg('f' || i, ';' ORDER BY i) || ' 1')::flamegraph AS f FROM generate_series(1, 60000) i OFFSET 0) v;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM thread_metrics('a 1', '')$$,
	$$SELECT * FROM thread_metrics('a 1', '~"("')$$,
	$$SELECT * FROM callers('a 1')$$,
	$$SELECT * FROM callees(E'a;b 1.7e308\na;c 1.7e308', 'a')$$,
	$$SELECT * FROM callers(E'a;b 1.7e308\nc -1.7e308\nd;b 1.7e308', 'b')$$,
	$$SELECT * FROM callees(E'a;b 1.7e308\nc -1.7e308\nd;a;c 1.7e308', 'a')$$,
	$$SELECT * FROM thread_metrics(E'T1;f 1.7e308\nT2;g -1.7e308\nT3;f 1.7e308')$$,
	$$SELECT * FROM call_edges(E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT * FROM callers(E'a;b 1.7e308\nc -1.7e308\nd;a;b 1.7e308', 'b')$$,
	$$SELECT * FROM call_edges(E'a;b 1.7e308\nc -1.7e308\nd;a;b 1.7e308')$$,
	$$SELECT * FROM thread_metrics(E'T1;f 1.7e308\nT1;g 1.7e308')$$,
	$$SELECT * FROM callees(E'a 1e300\na;b -1e300\na;c 1e-10', 'a')$$,
	$$SELECT * FROM call_edges(E'a;b 1.7e308\nc -1.7e308\nd;b 1.7e308')$$);
