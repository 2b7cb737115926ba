-- The four parts of a change: appeared, grown, disappeared, shrunk, decompose.
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- golden/algebra: algebra_figure3_4, decompose_signed
CREATE TEMP TABLE golden (name text, before flamegraph, after flamegraph, md5 text[]);
INSERT INTO golden VALUES
	('algebra_figure3_4', E'A 4\nA;C 1\nA;C;D 3\nA;C;E 2', E'A 2\nA;B 1\nA;C 2\nA;C;D 5', '{fdb6342cbf39df3a01c12a75ebadcfe1,2e37a25951057bc4476bcb4f2b95f586,3ae69e05431231e29c24ddf01f94f819,628a788ab3d547bca3129ca8477752c3,60c191ed0ffbbb47cbf4ad92a07dcff2,07cc7bae68bcf3dd63a043b7ae6a7d31,ca0bdc3ac478b310c43f1178ccfa2047}'),
	('decompose_signed', E'a 2\nb -3\nc -1\nd 4', E'a -2\nc -1\nd 4\ne -5\nf 1', '{10f2f49548cd2fd33288a2b32687516c,6ad79934ac094e74d40881c566103a26,459da320155f9b351d700ed45f754fe0,6233d2974417fa1527c457cbe53177ed,0b4295461a1a42959cde463fca0cbe99,d41d8cd98f00b204e9800998ecf8427e,459da320155f9b351d700ed45f754fe0}');
SELECT name, part, pg_temp.line(value) AS value, md5(flamegraph_to_folded(value)) = m.md5 AS md5
FROM golden, LATERAL (VALUES (1, 'delta', after - before), (2, 'positive', positive_part(after - before)), (3, 'negative', negative_part(after - before)), (4, 'appeared', appeared(before, after)), (5, 'grown', grown(before, after)), (6, 'disappeared', disappeared(before, after)), (7, 'shrunk', shrunk(before, after))) v(n, part, value), unnest(golden.md5) WITH ORDINALITY m(md5, ord) WHERE ord = n ORDER BY name, n;
SELECT name, d.part, pg_temp.line(d.value) AS value, d.norm, d.share FROM golden, decompose(before, after) d ORDER BY name;
-- what grew and appeared minus what shrank and disappeared is the difference (Tornetta 2023, section 3.1)
SELECT name, after - before = appeared(before, after) + grown(before, after) - disappeared(before, after) - shrunk(before, after) AS identity, bool_and(is_positive(value) OR value = '') AS positive, sum(norm) = before <-> after AS norms, sum(value) = absolute(after - before) AS disjoint FROM golden, decompose(before, after) GROUP BY name, before, after ORDER BY name;

-- every sign before and after
SELECT b, a, pg_temp.line(appeared(before, after)) AS appeared, pg_temp.line(grown(before, after)) AS grown, pg_temp.line(disappeared(before, after)) AS disappeared, pg_temp.line(shrunk(before, after)) AS shrunk
FROM unnest(ARRAY[-2, 0, 2]) b, unnest(ARRAY[-3, -2, 0, 2, 3]) a, LATERAL (SELECT flamegraph 'x 1' * b AS before, flamegraph 'x 1' * a AS after) v ORDER BY b, a;
-- the empty profile, equal profiles, the empty stack, nothing in common
SELECT pg_temp.line(before) AS before, pg_temp.line(after) AS after, part, pg_temp.line(value) AS value, norm, share
FROM (VALUES (flamegraph '', flamegraph ''), ('', 'a 2'), ('a 2', ''), ('a;b 2', 'a;b 2'), (E' 1\na 1', E' 3\na 1'), ('a 4', 'b 1'), ('a;b 1', 'a 1'), (E'a 1\nb -1', E'a 2\nb 1\nc 5')) v(before, after), decompose(before, after);
SELECT part FROM decompose('a 1', 'b 1');
SELECT pg_typeof(part), pg_typeof(value), pg_typeof(norm), pg_typeof(share) FROM decompose('a 1', 'b 1') LIMIT 1;
-- frames of a part are those of its stacks
SELECT frames(appeared(E'a;b 1\nc 1', E'a;b 1\nd;e 1')) AS appeared, frames(disappeared(E'a;b 1\nc 1', E'a;b 1\nd;e 1')) AS disappeared, frames(grown('a;b 1', 'a;b 1')) AS grown, grown('a;b 1', 'a;b 1') = '' AS empty;
-- joined with other columns
SELECT id, part, norm FROM (VALUES (1, flamegraph 'a 1', flamegraph 'a 3'), (2, 'a 1', NULL), (3, NULL, NULL)) v(id, before, after), decompose(before, after) WHERE norm > 0;
SELECT id, part, norm FROM (VALUES (1, flamegraph 'a 1', flamegraph 'a 3'), (2, 'a 1', NULL)) v(id, before, after) LEFT JOIN decompose(before, after) ON norm > 0 ORDER BY id;

-- against rows, on random profiles of either sign
CREATE TEMP TABLE random AS
SELECT id, coalesce((SELECT flamegraph_agg(ARRAY(SELECT 'f' || t.random(format('f %s %s %s', id, i, d), 3) FROM generate_series(1, t.random(format('d %s %s', id, i), 5)) d), t.random(format('v %s %s', id, i), 9) - 4) FROM generate_series(1, t.random('n' || id, 30)) i), '') AS f FROM generate_series(1, 100) id;
CREATE TEMP TABLE pairs AS SELECT a.id, a.f AS before, b.f AS after FROM random a JOIN random b ON b.id = a.id % 100 + 1;
SELECT name, count(*) FILTER (WHERE got <> coalesce(wanted, '')) AS wrong, count(*) FILTER (WHERE got <> '') > 50 AS often
FROM pairs p, LATERAL (SELECT flamegraph_agg(stack, a - b) FILTER (WHERE b = 0 AND a > b) AS appeared, flamegraph_agg(stack, a - b) FILTER (WHERE b <> 0 AND a > b) AS grown, flamegraph_agg(stack, b - a) FILTER (WHERE a = 0 AND a < b) AS disappeared, flamegraph_agg(stack, b - a) FILTER (WHERE a <> 0 AND a < b) AS shrunk
	FROM (SELECT stack, coalesce(x.value, 0) AS b, coalesce(y.value, 0) AS a FROM stacks(p.before) x FULL JOIN stacks(p.after) y USING (stack)) j) w,
	LATERAL (VALUES (1, 'appeared', appeared(before, after), w.appeared), (2, 'grown', grown(before, after), w.grown), (3, 'disappeared', disappeared(before, after), w.disappeared), (4, 'shrunk', shrunk(before, after), w.shrunk)) v(n, name, got, wanted) GROUP BY n, name ORDER BY n;
SELECT bool_and(after - before = appeared(before, after) + grown(before, after) - disappeared(before, after) - shrunk(before, after)) AS identity, bool_and(positive_part(after - before) = appeared(before, after) + grown(before, after)) AS positive, bool_and(negative_part(after - before) = disappeared(before, after) + shrunk(before, after)) AS negative FROM pairs;
-- for profiles that are flame graphs the other direction swaps the parts
SELECT bool_and(appeared(absolute(before), absolute(after)) = disappeared(absolute(after), absolute(before))) AS appeared, bool_and(grown(absolute(before), absolute(after)) = shrunk(absolute(after), absolute(before))) AS grown FROM pairs;
SELECT bool_and(d.norm = @-@ d.value) AS norm, bool_and(d.share IS NOT DISTINCT FROM d.norm / nullif(@-@ CASE WHEN d.part IN ('appeared', 'grown') THEN after ELSE before END, 0)) AS share, count(*) FROM pairs, decompose(before, after) d;

-- null in, null out
SELECT appeared(NULL, 'a 1') AS appeared, appeared('a 1', NULL) AS appeared_2, grown(NULL, NULL) AS grown, disappeared('a 1', NULL) AS disappeared, shrunk(NULL, 'a 1') AS shrunk, (SELECT count(*) FROM decompose(NULL, 'a 1')) AS decompose, (SELECT count(*) FROM decompose('a 1', NULL)) AS decompose_2;
\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT shrunk('a 1.7e308', 'a -1.7e308')$$,
	$$SELECT grown('a -1.7e308', 'a 1.7e308')$$,
	$$SELECT appeared('a 1.7e308', 'b 1.7e308')$$,
	$$SELECT appeared('a -1.7e308', 'a 1.7e308')$$,
	$$SELECT count(*) FROM decompose('a 1.7e308', 'a -1.7e308')$$,
	$$SELECT count(norm) FROM decompose('', E'a 1.7e308\nb 1.7e308')$$,
	$$SELECT string_agg(concat_ws(' ', part, norm, share), ', ') FROM decompose('', E'x 1e300\ny 1e-300')$$,
	$$SELECT appeared('a', 'b 1')$$);
