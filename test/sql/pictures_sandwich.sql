-- sandwich_svg: one function with its callers and callees, against focus() and callers_of().
\pset null NULL

CREATE FUNCTION pg_temp.lines(svg text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT m[1] FROM regexp_matches(regexp_replace(svg, '<g class="f.*?</g>', '', 'g'), '<text [^>]*>([^<]*)</text>', 'g') AS m
$$;
-- the lines of text, title and description; a frame that does not occur, and an empty profile
SELECT pg_temp.lines(sandwich_svg(E'main;parse;read 40\nmain;parse 35\nmain;read;disk 15\nidle 10', 'read'));
SELECT pg_temp.lines(sandwich_svg(E'main;parse;read 40\nmain;parse 35', 'reed'));
SELECT pg_temp.lines(sandwich_svg('', '</title>', unit => 'bytes'));
SELECT pg_temp.lines(sandwich_svg('a;b 1', 'b', 'Title', options => '{"subtitle": "one", "notes": "two"}'));
SELECT (regexp_match(svg, '<title[^>]*?>(.*?)</title>'))[1] AS title, (regexp_match(svg, '<desc[^>]*?>(.*?)</desc>'))[1] AS description FROM sandwich_svg('a;"<b>";c 4', '"<b>"') AS svg;
-- what is too thin or too deep is counted, in both halves together
SELECT pg_temp.lines(sandwich_svg(E'a;b;f;c 96\nd;f;e 2\ng;f;h 2', 'f', width => 200, min_width => 10, options => '{"max_rows": 2}'));
-- each box is a node of its half: left edge, width, row, tooltip
CREATE TEMP TABLE random AS
SELECT id, coalesce((SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c;d', 'é', '"ab"'])[1 + t.random(format('f %s %s %s', id, i, d), 2 + id % 4)] FROM generate_series(1, 1 + t.random(format('d %s %s', id, i), 8)) d), 1 + t.random(format('v %s %s', id, i), 21)) FROM generate_series(1, 1 + id % 19) i), '') AS f FROM generate_series(1, 60) id;
CREATE TEMP TABLE box AS
SELECT id, f, frame, half[1] AS half, b[1]::int AS node, split_part(b[2], E'\n', 1) AS name, split_part(split_part(b[2], E'\n', 2), ' ', 1)::float8 AS total, substring(b[2] FROM ', self ([0-9.]+)')::float8 AS self, b[3]::float8 AS x, b[4]::float8 AS y, b[5]::float8 AS width
FROM random, unnest(frames(f)) AS frame, LATERAL regexp_matches(sandwich_svg(f, frame, width => 1020, min_width => 0, interactive => false), '<g class="(calle[re]s)">(.*?)\n</g>\n', 'g') AS half,
	LATERAL regexp_matches(half[2], '<g class="f" data-n="(\d+?)"><title>(.*?)</title><rect x="([0-9.]+?)" y="([0-9.]+?)" width="([0-9.]+?)"', 'g') AS b;
CREATE TEMP TABLE expected AS
SELECT id, u.frame, half, n.node, n.frame AS name, n.depth, n.total, CASE half WHEN 'callees' THEN n.self ELSE 0 END AS self, (SELECT coalesce(sum(e.total), 0) FROM nodes(tree) AS e WHERE e.node < n.node AND e.depth = n.depth) AS least_left, frame_total(f, u.frame) AS whole
FROM random, unnest(frames(f)) AS u (frame), LATERAL (VALUES ('callees', focus(f, u.frame)), ('callers', invert(callers_of(f, u.frame)))) AS v (half, tree), nodes(tree) AS n WHERE half = 'callees' OR n.depth > 1;
SELECT count(*) > 1000 AS many, count(*) FILTER (WHERE b.node IS NULL OR e.node IS NULL) AS missing, count(*) FILTER (WHERE b.total <> e.total OR b.self <> e.self OR replace(replace(b.name, '&quot;', '"'), '&#34;', '"') <> e.name) AS wrong_text,
	count(*) FILTER (WHERE abs(b.width - 1000 * e.total / e.whole) > 0.011) AS wrong_width, count(*) FILTER (WHERE b.x < 10 + 1000 * e.least_left / e.whole - 0.011) AS too_far_left
FROM expected AS e FULL JOIN box AS b USING (id, frame, half, node);
-- callers above the frame, callees below it, a row for each call
SELECT half, count(*) > 100 AS many, count(*) FILTER (WHERE b.y <> m.y + CASE half WHEN 'callees' THEN 18 ELSE -18 END * (e.depth - 1)) AS wrong_row
FROM box AS b JOIN expected AS e USING (id, frame, half, node) JOIN (SELECT id, frame, y FROM box WHERE half = 'callees' AND node = 1) AS m USING (id, frame) GROUP BY half ORDER BY half;
-- boxes stand within their parents' and do not overlap
SELECT count(*) AS outside FROM box AS c JOIN LATERAL (SELECT n.parent FROM nodes(CASE c.half WHEN 'callees' THEN focus(c.f, c.frame) ELSE invert(callers_of(c.f, c.frame)) END) AS n WHERE n.node = c.node) AS n ON n.parent > 1 JOIN box AS p ON p.id = c.id AND p.frame = c.frame AND p.half = c.half AND p.node = n.parent
WHERE c.id <= 15 AND (c.x < p.x - 0.011 OR c.x + c.width > p.x + p.width + 0.011);
SELECT count(*) AS overlaps FROM box AS a JOIN box AS b ON b.id = a.id AND b.frame = a.frame AND b.half = a.half AND b.y = a.y AND b.node > a.node WHERE a.x + a.width > b.x + 0.011;
-- interactive: the whole profile
SELECT count(*) AS wrong FROM random, unnest(frames(f)) AS frame WHERE flamegraph_from_svg(sandwich_svg(f, frame)) <> f;
-- highlight: by the stacks that are drawn; for the viewer in the order in which it makes the nodes:
-- callers b, a, d, a < d, a < d < d; callees b, c, c > b, c > b > a, e
SELECT line FROM pg_temp.lines(sandwich_svg(E'a;b;c 1\nd;b;e 2', 'b', options => '{"highlight": "b;e|a"}')) AS line WHERE line ~ 'highlighted';
SELECT (regexp_match(sandwich_svg(E'a;b;c 1\nd;b;e 2\na;b;c;b;a 3\nd;d;a;b;c 1', 'b', options => jsonb_build_object('highlight', query)), '"marks":(\[[^]]*\])'))[1] FROM unnest('{"b;e|a","b","b;c*;*","b;a;d;*"}'::text[]) AS query;
SELECT sandwich_svg('a;b 1', 'b', options => '{"highlight": "b", "max_nodes": 1}') ~ '"marks":', sandwich_svg('a;b 1', 'x', options => '{"highlight": "b"}') ~ '"marks":';
SELECT count(*) FROM regexp_matches(sandwich_svg(E'a;b;c 1\nd;b;e 2', 'b', interactive => false, options => '{"highlight": "b;e|a"}'), '<path d="M', 'g');
SELECT sandwich_svg(E'a;b;c 1\nd;b;e 2', 'b') = sandwich_svg(E'a;b;c 1\nd;b;e 2', 'b', NULL, 'samples', 1200, 0.5, 'frame', true, '{}') AS same, sandwich_svg(NULL, 'a') IS NULL AS no_profile;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT sandwich_svg('a 1', NULL)$$,
	$$SELECT sandwich_svg('a 1', 'a', unit => NULL)$$,
	$$SELECT sandwich_svg('a 1', 'a', color => 'red')$$,
	$$SELECT sandwich_svg('a 1', 'a', width => 100)$$,
	$$SELECT sandwich_svg('a 1', 'a', min_width => -1)$$,
	$$SELECT sandwich_svg('a 1', 'a', options => '{"sort": "name"}')$$,
	$$SELECT sandwich_svg('a 1', 'a', options => '{"highlight": "{"}')$$,
	$$SELECT sandwich_svg('a -1', 'a')$$,
	$$SELECT sandwich_svg(E'a 1e308\na;b 1e308', 'a')$$);
