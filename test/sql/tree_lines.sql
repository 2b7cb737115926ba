-- frame_line and call_sites: what is called from which line, for frames that end in line numbers.
\pset null NULL

-- function and line; line and column; both in parentheses
SELECT f AS frame, frame_line(f) AS line FROM unnest(ARRAY['parse.py:load:12', 'render app.js:10:5', 'load (parse.py:12)', 'f (app.js:7:3)', 'f:0', 'f:007', 'é:5', 'a;b:6', '"q":7', 'a\:8', ' :9', 'f:2147483647']) f;
-- none: no number, no name before it, something behind it, more than an int holds
SELECT f AS frame, frame_line(f) AS line FROM unnest(ARRAY['f', '', ':', ':5', '5', 'f:', 'f:5 ', 'f:5a', 'f:a5', 'f: 5', 'f:-5', 'f:+5', 'f:5.5', 'f:5))', 'f:5]', ')', ':5)', 'f:)', 'f5', 'f::', 'f:٣', 'f:2147483648', 'f:99999999999999999999999999']) f WHERE frame_line(f) IS NOT NULL OR f IN ('f', ':5', 'f:2147483648');
-- at most a line and a column are taken
SELECT f AS frame, frame_line(f) AS line FROM unnest(ARRAY['a:1:2:3', 'a:1:2:3:4', 'a::2', ':1:2', '::2', 'a:1:2)', 'std::f:3', 'a:1:99999999999', 'a:b:1', '1:2', '1:2:3', '12:34)']) f;
SELECT frame_line(NULL), frame_line(frame => 'f:1'), pg_typeof(frame_line('f:1')), frame_line(repeat('f', 100000) || ':12'), frame_line('f:' || repeat('0', 100000) || '1') AS zeros;

-- which lines of main call what: callees lose their lines, too
SELECT * FROM call_sites(E'main:10;parse:1;read:5 3\nmain:10;parse:2 1\nmain:12;parse:1 4\nmain:12 2\nmain;log:3 5\nother:1;main:10;log 6', 'main');
-- the function given with its line is that frame alone only when no function bears such a name without one
SELECT * FROM call_sites(E'main:10;parse:1 3\nmain:12;parse:1 4', 'main:10');
SELECT * FROM call_sites(E'main:10:3;parse:1 3\nmain:10;log 2\nmain:12;parse:1 4', 'main:10');
SELECT * FROM call_sites(E'main:10:1:2;a 3\nmain:10;b 4', 'main:10');
-- a frame without lines is a function like any other
SELECT * FROM call_sites(E'a;b 1\na;c 2\na 3', 'a');
-- a recursive call counts once per stack for each line; shares are of the samples of all lines
SELECT * FROM call_sites(E'f:1;f:2;f:1;g:1 6\nf:2;g 4', 'f');
SELECT * FROM call_sites('f:1;f:1;f:1 6', 'f');
-- lines and columns, in parentheses
SELECT * FROM call_sites(E'load (a.py:3);read (b.py:7) 1\nload (a.py:4);read (b.py:8) 2\nrender app.js:10:5;read (b.py:7) 4', 'load (a.py)');
SELECT * FROM call_sites(E'render app.js:10:5;g x.js:1:1 4\nrender app.js:10:7;g x.js:1:2 8', 'render app.js');
-- a line that does not fit is none, but belongs to the function
SELECT * FROM call_sites(E'f:99999999999;g 1\nf;g 2\nf:1;g 4', 'f');
-- equal values: by line as a number, calls from a frame without a line last, then by callee
SELECT line, callee FROM call_sites(E'f:10;b 1\nf:9;b 1\nf:9;B 1\nf;a 1\nf:9;a b 1\nf:9;a 1\nf:9;é 1', 'f');
-- shares of 0 are null
SELECT * FROM call_sites(E'f:1;g 2\nf:2;h -2', 'f');
-- odd frames
SELECT * FROM call_sites(E'a\\;b:1; x:2 1\na\\;b:1;#y 2\na\\;b:3;"q":4:5 4\na\\;b:3;\\\\:6 8', 'a;b');

-- nothing, the empty stack, unknown functions, null
SELECT v.f, (SELECT count(*) FROM call_sites(f, 'a')) AS sites, (SELECT count(*) FROM call_sites(f, '')) AS no_name FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), ('a;b 1'), ('a:1;b 1'), ('b;a 1'), (NULL)) v(f);
SELECT (SELECT count(*) FROM call_sites('a;b 1', NULL)) AS no_frame, (SELECT count(*) FROM call_sites(NULL, 'a')) AS no_profile, (call_sites(flamegraph 'a:1;b 1', 'a')).line;
SELECT i, c.* FROM (VALUES (1, flamegraph 'a:1;b 1'), (2, NULL), (3, ''), (4, 'a:2;c 2')) v(i, f), call_sites(fg => f, frame => 'a') c;

--
-- Against the definition, on random profiles of functions with and without lines; every second one is signed.
--
CREATE TEMP TABLE random AS
SELECT id, (SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['f', 'g', 'é (x)'])[1 + t.random(format('f %s %s %s', id, i, d), 1 + id % 3)] || (ARRAY['', ':1', ':2', ':10:4', ':10:5'])[1 + t.random(format('l %s %s %s', id, i, d), 5)] FROM generate_series(1, t.random(format('d %s %s', id, i), 7)) d), t.random(format('v %s %s', id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, 2 + id % 19) i) AS f FROM generate_series(1, 200) id;
UPDATE random SET f = rename_frames(f, '^é \(x\)(.+)$', 'é (x\1)');
-- a frame's name and its line, by regular expressions
CREATE TEMP TABLE stack AS
SELECT id, value, ARRAY(SELECT regexp_replace(x, '(:\d+){1,2}(\)?)$', '\2') FROM unnest(frames(stack)) WITH ORDINALITY u(x, i) ORDER BY i) AS names, ARRAY(SELECT substring(x FROM ':(\d+)(?::\d+)?\)?$')::int FROM unnest(frames(stack)) WITH ORDINALITY u(x, i) ORDER BY i) AS lines FROM random, stacks(f);
SELECT count(DISTINCT n) AS names, count(DISTINCT l) AS lines FROM stack, unnest(names, lines) u(n, l);
SELECT count(*) AS compared, count(*) FILTER (WHERE frame_line(x) IS DISTINCT FROM substring(x FROM ':(\d+)(?::\d+)?\)?$')::int) AS wrong FROM random, unnest(frames(f)) x;
-- the names are those of the rule set "lines"
SELECT count(*) AS compared, count(*) FILTER (WHERE rename_frames(f, frame_rules('lines')) <> (SELECT flamegraph_agg(names, value) FROM stack s WHERE s.id = r.id)) AS wrong FROM random r;
-- stacks that hold the call as neighbours, each stack once
CREATE TEMP TABLE expected AS
SELECT id, name, line, callee, sum(value) AS samples, (SELECT sum(value) FROM stack w WHERE w.id = s.id AND d.name = ANY (w.names)) AS whole
FROM stack s, LATERAL (SELECT DISTINCT names[i] AS name, lines[i] AS line, names[i + 1] AS callee FROM generate_series(1, cardinality(names) - 1) i) d GROUP BY id, name, line, callee;
SELECT (SELECT count(*) FROM expected) AS expected, count(*) AS found, count(*) FILTER (WHERE x.id IS NULL OR c.id IS NULL OR x.samples <> c.samples OR c.share IS DISTINCT FROM x.samples / nullif(x.whole, 0)) AS wrong, count(*) FILTER (WHERE c.line IS NULL) AS no_line
FROM (SELECT *, coalesce(line, -1) AS l FROM expected) x FULL JOIN (SELECT id, name, c.*, coalesce(line, -1) AS l FROM random, unnest(ARRAY['f', 'g', 'é (x)']) name, call_sites(f, name) c) c USING (id, name, l, callee);
SELECT count(*) AS found, count(*) FILTER (WHERE samples > before OR samples = before AND (k, callee) <= (before_k, before_callee)) AS out_of_order
FROM (SELECT *, lag(samples) OVER w AS before, lag(k) OVER w AS before_k, lag(callee) OVER w AS before_callee FROM (SELECT id, ordinality, samples, coalesce(line, 2147483647) AS k, callee COLLATE "C" AS callee FROM random, call_sites(f, 'f') WITH ORDINALITY) y WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
-- of frames without lines: the callees
SELECT count(*) AS compared, count(*) FILTER (WHERE c IS DISTINCT FROM e) AS wrong FROM random, LATERAL (SELECT rename_frames(f, '(:\d+){1,2}(\)?)$', '\2') AS g) r, unnest(ARRAY['f', 'g', 'é (x)']) name, LATERAL (SELECT c, e FROM (SELECT callee, samples, share, ordinality FROM call_sites(g, name) WITH ORDINALITY) c FULL JOIN (SELECT * FROM callees(g, name) WITH ORDINALITY) e USING (ordinality)) x;
-- linear
SELECT count(*) AS compared, count(*) FILTER (WHERE c.samples <> coalesce(x.samples, 0) + coalesce(y.samples, 0)) AS wrong
FROM random a JOIN random b ON b.id = a.id + 3 CROSS JOIN call_sites(a.f + b.f, 'f') c LEFT JOIN expected x ON x.id = a.id AND x.name = 'f' AND coalesce(x.line, -1) = coalesce(c.line, -1) AND x.callee = c.callee LEFT JOIN expected y ON y.id = b.id AND y.name = 'f' AND coalesce(y.line, -1) = coalesce(c.line, -1) AND y.callee = c.callee;

-- deep
SELECT kind, c.* FROM (VALUES ('one', (repeat('a:1;', 59999) || 'a:2 1')::flamegraph), ('two', (repeat('a:1;a:2;', 29999) || 'a:1;b 1')::flamegraph)) v(kind, f), call_sites(f, 'a') c ORDER BY kind COLLATE "C", line, callee COLLATE "C";
SELECT count(*) AS lines, sum(samples), bool_and(share = 1) AS shares, bool_and(callee = 'f') AS callees FROM call_sites((SELECT string_agg('f:' || i, ';' ORDER BY i) || ' 1' FROM generate_series(1, 60000) i)::flamegraph, 'f');

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT * FROM call_sites('a 1')$$,
	$$SELECT * FROM call_sites('a', 'a')$$,
	$$SELECT frame_line(5)$$,
	$$SELECT * FROM call_sites(E'a:1;b 1.7e308\na:1;c 1.7e308', 'a')$$,
	$$SELECT * FROM call_sites(E'a:1;b 1.7e308\nc -1.7e308\nd;a:2;b 1.7e308', 'a')$$,
	$$SELECT * FROM call_sites(E'a:1;b 1.7e308\nc -1.7e308\nd;a:1;b 1.7e308', 'a')$$,
	$$SELECT * FROM call_sites(E'a:1 1e300\na:1;b -1e300\na:1;c 1e-10', 'a')$$);
