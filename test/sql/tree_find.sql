-- find_frames, frame_groups: functions by their names; what is said of a frame that does not occur.
\pset null NULL
CREATE TEMP TABLE web (fg flamegraph);
INSERT INTO web VALUES (E'main;app.js:keyOf;libc:malloc 3\nmain;app.js:keysOf;app.js:keyOf 2\nmain;lib.js:Parse;lib.js:parse 4\nmain 1\nlibc:free 6');

-- a part of the name, in any case; the largest total first
SELECT f.* FROM web, find_frames(fg, 'KEY') f;
SELECT pattern, ARRAY(SELECT frame FROM find_frames(fg, pattern)) AS frames
FROM web, unnest(ARRAY['parse', 'app.js:', '', 'none', 'app.js:*', '*of', 'm*n', '*', '*key*f', 'main*main', 'libc:*', 'KEY*']) WITH ORDINALITY AS p (pattern, n) ORDER BY n;
-- letters beyond ASCII match themselves; what is special elsewhere is not special here
SELECT pattern, ARRAY(SELECT frame FROM find_frames(E'ä 1\nÄ 2\na%b 3\na_c 4\noperator*(int) 5\noperator+ 6\na\\\\d 7', pattern)) AS frames
FROM unnest(ARRAY['ä', 'Ä', '%', '_', 'operator*', '*\*', '\', '+', '.', '[a]']) WITH ORDINALITY AS p (pattern, n) ORDER BY n;
-- values are those of top(); with lower() and strpos() as the second judge of names
SELECT count(*) AS rows, count(*) FILTER (WHERE f IS DISTINCT FROM t) AS wrong
FROM web, unnest(ARRAY['', 'key', 'LIB', 'e']) p, LATERAL (SELECT * FROM find_frames(fg, p)) f
	FULL JOIN LATERAL (SELECT * FROM top(fg, NULL) t WHERE strpos(lower(t.frame), lower(p)) > 0) t ON t.frame = f.frame;
SELECT count(*) AS rows, count(*) FILTER (WHERE (frame IN (SELECT frame FROM find_frames(fg, p))) IS DISTINCT FROM (lower(frame) LIKE lower(replace(p, '*', '%')))) AS wrong
FROM web, unnest(ARRAY['*', 'm*', '*s:*o*', 'lib*e', '*:*:*', 'l*b*f*']) p, unnest(frames(fg)) frame;
SELECT count(*) AS rows FROM find_frames('', '');
SELECT count(*) AS rows, sum(self) AS self, max(total) AS total, count(self_share) AS shares FROM find_frames(E'a;b 1\na;c -1', '');
SELECT count(*) AS rows FROM find_frames(NULL, 'a') a, find_frames('a 1', NULL) b;

-- groups: a stack counts once in each, an own value in one
SELECT g.* FROM web, frame_groups(fg, '^([^:]+):') g;
SELECT g.* FROM web, frame_groups(fg, '\.js:|^main', 'js & co') g;
-- a group by hand: the stacks that have such a frame, and those that end in one
SELECT count(*) AS groups, count(*) FILTER (WHERE g.total IS DISTINCT FROM b.total OR g.self IS DISTINCT FROM b.self OR g.frames IS DISTINCT FROM b.frames) AS wrong
FROM web, LATERAL (SELECT * FROM frame_groups(fg, '^([^:]+):')) g FULL JOIN LATERAL (
	SELECT name, sum(value) FILTER (WHERE first) AS total, coalesce(sum(value) FILTER (WHERE last), 0) AS self, count(DISTINCT frame)::int AS frames
	FROM (SELECT value, frame, split_part(frame, ':', 1) AS name, n = array_length(a, 1) AS last, row_number() OVER (PARTITION BY stack, split_part(frame, ':', 1) ORDER BY n) = 1 AS first
		  FROM stacks(fg), frames(stack) a, unnest(a) WITH ORDINALITY AS u (frame, n)) x GROUP BY name) b ON b.name = g.frame_group;
-- templates: groups, the whole match, a literal; a name for which nothing is left stays itself
SELECT frame_group, frames, total FROM frame_groups(E'a.b.C;a.b.D;x.Y 1\nz 2', '^(\w+)\.(\w+)', '\2 in \1');
SELECT frame_group, frames, total FROM frame_groups(E'a.b.C;a.b.D;x.Y 1\nz 2', '[a-z]+\.', '<\&>');
SELECT frame_group, frames, total FROM frame_groups(E'a.b.C;a.b.D;x.Y 1\nz 2', '^(?:(\w)\.)?');
SELECT frame_group, frames, total, total_share FROM frame_groups(E'f1 2\nf2;f1 3\nf2 -5\n 7', '\d+$', 'f');
SELECT count(*) AS rows FROM frame_groups('', 'a', 'b');

-- a frame that does not occur: once for each call, whatever the number of rows
SELECT c.* FROM web, callers(fg, 'keyOf') c;
SELECT c.* FROM web, callees(fg, 'mian') c;
SELECT c.* FROM web, call_sites(fg, 'app.js:keysof') c;
SELECT focus(fg, 'parse') = '' AS focus, callers_of(fg, 'nothing like it') = '' AS callers_of FROM web, generate_series(1, 3);
SELECT count(focus(fg, 'lib.js:Parse')) FROM web, generate_series(1, 3);
-- a name that was loaded writes nothing on a terminal
SELECT focus(E'load\x1b[31mer\u009b\u202e 1', 'load') = '' AS nothing;
SELECT count(*) AS nothing_to_say FROM callers('', 'a');
SET client_min_messages = warning;
SELECT count(*) AS unheard FROM web, callers(fg, 'keyOf');
RESET client_min_messages;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT frame_groups('a 1', '(', 'x')$$,
	$$SELECT frame_groups('a 1', 'a')$$,
	$$SELECT frame_groups('a 1', '(a)\1')$$,
	$$SELECT count(*) FROM frame_groups('a 1', '(a)', '\2')$$,
	$$SELECT count(*) FROM frame_groups(E'a;b 1e308\nc;b 1e308', '.', 'x')$$,
	$$SELECT count(*) FROM find_frames(E'b 1e308\nc 1e308', 'b')$$);
