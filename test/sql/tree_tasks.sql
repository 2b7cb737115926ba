-- task_view and task_totals: parts of a program by name (Lumnitz 2021, section 3.3.3).
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- tasks_prefix: two definitions, three tasks; the nested registration counts in the service and on its own
CREATE TEMP TABLE example AS SELECT flamegraph E'main;com.mycompany.service.UserRegister.run;mail.check 3\nmain;com.mycompany.service.Order.run;mail.check 40\nmain;idle 7\nmain;com.mycompany.service.Order.run;com.mycompany.service.UserRegister.run;db 2' AS f,
	jsonb '{"user-register": {"prefix": "com.mycompany.service.UserRegister"}, "service-\\1": {"regex": "^com\\.mycompany\\.service\\.([^.]*)"}}' AS tasks;
SELECT task, samples, share, pg_temp.line(value) AS value FROM example, task_totals(f, tasks);
SELECT pg_temp.line(task_view(f, tasks, '{user-register}')) AS register, pg_temp.line(task_view(f, tasks, '{service-Order}')) AS "order" FROM example;
SELECT pg_temp.line(task_view(f, tasks)) AS "any" FROM example;
-- equation 3.25: times within the task
SELECT frame, total, total_share FROM example, frame_metrics(task_view(f, tasks, '{user-register}'));
-- tasks_two_selected: cut at the first frame that carries one of those selected; others stay below it
CREATE TEMP TABLE two AS SELECT flamegraph E'r;S.a;x 1\nr;S.b;x 2\nr;S.a;S.b;S.a;x 4\nr;x 8\nS.b;r;S.b;x 16' AS f, jsonb '{"t-\\1": {"regex": "^S\\.(.)"}}' AS tasks;
SELECT s AS selected, pg_temp.line(task_view(f, tasks, s)) AS view FROM two, (VALUES (1, '{t-b,none}'::text[]), (2, '{t-a}'), (3, '{t-a,t-b}'), (4, NULL), (5, '{}'), (6, '{none}'), (7, '{t-b,t-b}'), (8, '{{t-a},{t-b}}')) v(i, s) ORDER BY i;
SELECT task, samples, share, pg_temp.line(value) AS value FROM two, task_totals(f, tasks);

-- a task carried twice by one frame, by two definitions or by both groups, is one; two frames can carry the same
SELECT task, samples, share, pg_temp.line(value) AS value FROM task_totals(E'x;ab 1\nx;ab;c 2\nc 4', '{"t": {"prefix": "a"}, "\\1": {"regex": "^(t|)a?b?c?$"}, "t\\1": {"regex": "^a(b?)b$|c"}}');
-- names: groups 1 to 9, \& for the match, \\ for a backslash, anything else is itself; a group that is not part of the match is empty
SELECT name, task FROM unnest(ARRAY['\1', '\1-\2', '\2\1', '[\&]', '\\', '\\1', '\0', '\x', 'a\', '', '&', '\3', '\1\1\1', '"\1"', 'é;\1']) WITH ORDINALITY n(name, i), LATERAL (SELECT string_agg(task, ',') AS task FROM task_totals('x.com/é(1)z 1', jsonb_build_object(name, jsonb_build_object('regex', '^x\.(\w+)/([^(]*)(q)?'))) t) t ORDER BY i;
-- the name of a prefix is as it is
SELECT name, (SELECT task FROM task_totals('a 1', jsonb_build_object(name, '{"prefix": "a"}'::jsonb))) = name AS same FROM unnest(ARRAY['\1', '\&', '\\', '\\\\', 'a;b', '', ' ', '#t', 'ü"']) name;
-- prefixes are bytes, not patterns; the empty one is every frame's; expressions match anywhere in a frame
SELECT d AS definition, pg_temp.line(task_view(E'm;a\\;b;x 1\nm;A%;y 2\nm; q;"z" 4\nm;\\\\ü;#v 8\n 16', jsonb_build_object('t', d::jsonb))) AS view
FROM unnest(ARRAY['{"prefix": "a"}', '{"prefix": "a;b"}', '{"prefix": "A%"}', '{"prefix": " q"}', '{"prefix": "\""}', '{"prefix": "\\"}', '{"prefix": "\\\u00fc"}', '{"prefix": "#"}', '{"prefix": ""}', '{"prefix": "b"}', '{"prefix": "x longer"}', '{"regex": ";"}', '{"regex": "(?i)^a"}', '{"regex": "\\W"}', '{"regex": "^.$"}', '{"regex": ""}', '{"regex": "^(?!m)"}']) WITH ORDINALITY u(d, i) ORDER BY i;
-- rows in bytewise order of the names when samples are equal
SELECT string_agg(task, ' ') FROM task_totals(E'x 1', '{"b": {"prefix": "x"}, "a b": {"prefix": "x"}, "B": {"prefix": "x"}, "a": {"prefix": "x"}, "é": {"prefix": "x"}, "aa": {"prefix": "x"}}');
-- nothing to view, nothing to list
SELECT v.f, task_view(f, '{}') = '' AS no_tasks, pg_temp.line(task_view(f, '{"t": {"prefix": "a"}}')) AS view, pg_temp.line(task_view(f, '{"t": {"prefix": "a"}}', '{}')) AS none_selected, (SELECT count(*) FROM task_totals(f, '{}')) AS no_rows, (SELECT count(*) FROM task_totals(f, '{"t": {"prefix": "a"}}')) AS rows FROM (VALUES (flamegraph ''), (' 5'), ('a 1'), ('b 1'), (NULL)) v(f);
SELECT task_view(NULL, '{}'), task_view('a 1', NULL), task_view('a 1', NULL, '{t}'), (SELECT count(*) FROM task_totals(NULL, '{}')) AS no_profile, (SELECT count(*) FROM task_totals('a 1', NULL)) AS no_tasks;
-- a task whose samples cancel is carried all the same; shares of 0 are null
SELECT task, samples, share, pg_temp.line(value) AS value FROM task_totals(E'm;a;b 2\nm;a;c -2', '{"t": {"prefix": "a"}, "u": {"prefix": "b"}}');
SELECT task, samples, share, value = '' AS nothing FROM task_totals(E'm;a;b 2\nn;a;b -2\n 8', '{"t": {"prefix": "a"}}');
SELECT pg_temp.line(task_view(fg => 'a;b 1', tasks => '{"t": {"prefix": "b"}}', selected => NULL)) AS named, (task_totals(flamegraph 'a;b 1', '{"t": {"prefix": "b"}}')).task;
SELECT i, o.task, o.samples FROM (VALUES (1, flamegraph 'a 1'), (2, NULL), (3, ''), (4, 'b;ac 2')) v(i, f), task_totals(f, '{"t": {"prefix": "a"}}') o;

--
-- Against the definition, on random profiles: stacks cut at their first frame that carries a selected task. Every
-- second one is signed.
--
CREATE TEMP TABLE random AS
SELECT id, (SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['p.a', 'p.b', 'c;d', 'é', 'p.é'])[1 + t.random(format('f %s %s %s', id, i, d), 2 + id % 4)] FROM generate_series(1, t.random(format('d %s %s', id, i), 9)) d), t.random(format('v %s %s', id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, 2 + id % 19) i) AS f FROM generate_series(1, 200) id;
CREATE TEMP TABLE stack AS SELECT id, frames(stack) AS frames, value FROM random, stacks(f);
-- which frame carries what
CREATE TEMP TABLE definition AS SELECT jsonb '{"p": {"prefix": "p."}, "\\1": {"regex": "^p\\.(.)"}, "é": {"prefix": "é"}, "b": {"regex": "d$|b"}}' AS tasks;
CREATE TEMP TABLE carries AS SELECT * FROM (VALUES ('p.a', '{p,a}'::text[]), ('p.b', '{p,b}'), ('c;d', '{b}'), ('é', '{é}'), ('p.é', '{p,é}')) v(frame, tasks);
CREATE FUNCTION pg_temp.cut(profile int, wanted text[]) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT coalesce((SELECT flamegraph_agg(frames[n:], value) FROM stack, LATERAL (SELECT min(i) AS n FROM unnest(frames) WITH ORDINALITY u(frame, i) JOIN carries USING (frame) WHERE tasks && wanted) x WHERE id = profile AND n IS NOT NULL), '')
$$;
SELECT s AS selected, count(*) AS compared, count(*) FILTER (WHERE task_view(f, tasks, s) <> pg_temp.cut(id, coalesce(s, '{p,a,b,é}'))) AS wrong, count(*) FILTER (WHERE task_view(f, tasks, s) <> f) AS cut
FROM random, definition, (VALUES (1, NULL::text[]), (2, '{p}'), (3, '{a}'), (4, '{b}'), (5, '{é,b}'), (6, '{a,é,x}'), (7, '{}')) v(i, s) GROUP BY i, s ORDER BY i;
SELECT count(x.id) AS expected, count(o.id) AS found, count(*) FILTER (WHERE x.id IS NULL OR o.id IS NULL OR o.value <> pg_temp.cut(x.id, ARRAY[x.task]) OR o.samples <> total(o.value) OR o.share IS DISTINCT FROM o.samples / nullif(total(random.f), 0)) AS wrong
FROM (SELECT DISTINCT id, unnest(tasks) AS task FROM stack, unnest(frames) frame JOIN carries USING (frame)) x FULL JOIN (SELECT id, o.* FROM random, definition, task_totals(f, tasks) o) o USING (id, task) JOIN random USING (id);
SELECT count(*) AS found, count(*) FILTER (WHERE samples > before OR samples = before AND task COLLATE "C" <= before_task COLLATE "C") AS out_of_order
FROM (SELECT samples, task, lag(samples) OVER w AS before, lag(task) OVER w AS before_task FROM random, definition, task_totals(f, tasks) WITH ORDINALITY WINDOW w AS (PARTITION BY id ORDER BY ordinality)) x;
-- linear; the view of a view is the view
SELECT count(*) AS compared, count(*) FILTER (WHERE task_view(a.f + 3 * b.f, tasks, s) <> task_view(a.f, tasks, s) + 3 * task_view(b.f, tasks, s)) AS not_linear, count(*) FILTER (WHERE task_view(task_view(a.f, tasks, s), tasks, s) <> task_view(a.f, tasks, s)) AS not_idempotent
FROM random a JOIN random b ON b.id = a.id + 1, definition, (VALUES (NULL::text[]), ('{p}'), ('{a}'), ('{b}'), ('{é,b}')) v(s);

-- deep: one frame, two in turn, all distinct
CREATE TEMP TABLE deep AS SELECT * FROM (VALUES ('one', (repeat('a;', 59999) || 'a 1')::flamegraph), ('two', (repeat('a;b;', 29999) || 'a;b 1')::flamegraph), ('distinct', (SELECT string_agg('f' || i, ';' ORDER BY i) || ' 1' FROM generate_series(1, 60000) i)::flamegraph)) v(kind, f);
SELECT kind, depth(task_view(f, '{"t": {"prefix": "b"}, "u": {"regex": "^f9+$"}}')) AS depth, depth(task_view(f, '{"t": {"regex": "[a0]$"}}')) AS depth_2, o.task, o.samples, o.share, depth(o.value) AS part FROM deep LEFT JOIN task_totals(f, '{"t": {"prefix": "b"}, "\\&": {"regex": "^f9+$"}}') o ON true ORDER BY kind COLLATE "C", task COLLATE "C";

-- many definitions with long names for few frames, and every frame of a deep stack a task
SELECT nnodes(task_view(f, d)) AS nodes, (SELECT sum(samples) FROM task_totals(f, d)) AS samples FROM (VALUES (flamegraph E'a;b 1\nc 2')) v(f), (SELECT jsonb_object_agg(repeat('task', 200) || i, '{"prefix": ""}'::jsonb) AS d FROM generate_series(1, 2000) i) x;
SELECT count(*) AS tasks, sum(nnodes(value)) AS nodes FROM (SELECT flamegraph_agg(frames, 1) AS f FROM (SELECT array_agg('f' || i ORDER BY i) AS frames FROM generate_series(1, 500) i) x) y, task_totals(f, '{"\\1": {"regex": "^(.*)$"}}');

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT task_view('a 1', '[]')$$,
	$$SELECT task_view('', '"t"')$$,
	$$SELECT task_totals('a 1', '5')$$,
	$$SELECT task_view('a 1', 'null')$$,
	$$SELECT task_view('a 1', '{"t": "a"}')$$,
	$$SELECT task_view('a 1', '{"t": ["prefix"]}')$$,
	$$SELECT task_view('a 1', '{"t": null}')$$,
	$$SELECT task_view('', '{"t": {"prefix": "a", "regex": "a"}}')$$,
	$$SELECT task_view('a 1', '{"t": {}}')$$,
	$$SELECT task_view('a 1', '{"t": {"suffix": "a"}}')$$,
	$$SELECT task_view('a 1', '{"t": {"prefix": "a", "name": "b"}}')$$,
	$$SELECT task_view('a 1', '{"t": {"prefix": 1}}')$$,
	$$SELECT task_view('a 1', '{"t": {"regex": {}}}')$$,
	$$SELECT task_view('a 1', '{"t": {"prefix": null}}')$$,
	$$SELECT task_totals('a 1', '{"a": {"prefix": "a"}, "t": {"regex": "("}}')$$,
	$$SELECT task_view('a 1', '{"t": {"regex": "(a)\\1"}}')$$,
	$$SELECT task_view('a 1', '{"\\1": {"regex": "a"}}')$$,
	$$SELECT task_view('a 1', '{"\\1\\3": {"regex": "(a)(b)?"}}')$$,
	$$SELECT task_view('a 1', jsonb_build_object(repeat('é', 200), 1))$$,
	$$SELECT task_view('a 1', '{"t": {"prefix": "a"}}', ARRAY['t', NULL])$$,
	$$SELECT task_view('a 1', '{}', '{NULL}')$$,
	$$SELECT task_view(E'x;a 1.7e308\ny;a 1.7e308', '{"t": {"prefix": "a"}}')$$,
	$$SELECT task_totals(E'x;a 1.7e308\ny;a 1.7e308', '{"t": {"prefix": "a"}}')$$,
	$$SELECT task_totals(E'c -1.7e308\nd -1.7e308\nx;a;b 1.7e308\ny;a 1.7e308', '{"t": {"prefix": "a"}}')$$,
	$$SELECT task_totals(E'a 1.7e308\nb 1.7e308', '{"t": {"prefix": "a"}}')$$,
	$$SELECT task_totals(E'x;a;b 1.7e308\nc -1.7e308\ny;a 1.7e308', '{"t": {"prefix": "a"}}')$$,
	$$SELECT task_totals(E'a 1e300\nb -1e300\nc 1e-10', '{"t": {"prefix": "a"}}')$$);

-- frames times definitions are counted and not collected; of a task carried twice by a frame one place is enough
SELECT t.outcome($$SELECT count(*) FROM task_totals((SELECT flamegraph_agg(stackpath(ARRAY['f' || g]), 1) FROM generate_series(1, 30000) g), (SELECT jsonb_object_agg('t' || i, jsonb '{"prefix": ""}') FROM generate_series(1, 3000) i))$$);
SELECT count(*), sum(samples) FROM task_totals((SELECT flamegraph_agg(stackpath(ARRAY['f' || g]), 1) FROM generate_series(1, 3000) g), (SELECT jsonb_object_agg('t\' || i % 10, jsonb '{"regex": "()()()()()()()()()"}') || jsonb_object_agg('t' || i, jsonb '{"prefix": "f"}') FROM generate_series(1, 100) i));
SELECT t.outcome($$SELECT task_view('a 1', jsonb_build_object('t', jsonb_build_object('regex', repeat('a', 1048577))))$$);
