-- flamegraph_diff_svg, flamegraph_parts_svg: what is said around the boxes, arguments, options, errors. Boxes, stripes and
-- verdicts are tested by test/t/059_differences.pl.
\pset null NULL

CREATE TEMP TABLE p AS SELECT E'main;parse;read 400\nmain;parse;tokenize;next 210\nmain;parse 90\nmain;render;paint 75\nmain;old 40\nidle 69'::flamegraph AS a,
	E'main;parse;read 410\nmain;parse;tokenize;next 330\nmain;parse 30\nmain;render;paint 12\nmain;"new" & <b> 55\nidle 69'::flamegraph AS b;
-- the lines of text around the boxes; the first line of tooltips and the labels of boxes
CREATE FUNCTION pg_temp.lines(svg text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT m[1] FROM regexp_matches(regexp_replace(svg, '<g class="f.*?</g>', '', 'g'), '<text [^>]*>([^<]*)</text>', 'g') AS m
$$;
CREATE FUNCTION pg_temp.boxes(svg text, OUT n int, OUT tooltip text, OUT label text, OUT fill text) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT m[1]::int, replace(m[2], E'\n', ' | '), (regexp_match(m[3], '<text[^>]*>([^<]*)'))[1], regexp_replace((regexp_match(m[3], 'fill="([^"]*)"'))[1], 'fg[0-9a-f]{8}', 'fg')
	FROM regexp_matches(svg, '<g class="f" data-n="(\d+?)"><title>([^<]*?)</title>(.*?)</g>', 'g') AS m
$$;
SELECT pg_temp.lines(flamegraph_diff_svg(a, b)) FROM p;
SELECT box.* FROM p, pg_temp.boxes(flamegraph_diff_svg(a, b, interactive => false)) AS box ORDER BY n \gx
SELECT pg_temp.lines(flamegraph_diff_svg(a, b, 'Last night', 'milliseconds', 'after', 'self', 'total', 1, 0.01)) FROM p;
SELECT pg_temp.lines(flamegraph_diff_svg(a, b, widths => 'before', options => '{"subtitle": "S", "notes": "N", "max_rows": 2}')) FROM p;
SELECT widths, array_agg(n ORDER BY n) AS drawn FROM p, unnest('{union,after,before,change}'::text[]) AS widths, pg_temp.boxes(flamegraph_diff_svg(a, b, widths => widths)) GROUP BY widths ORDER BY widths;
-- tests of sampling noise: one sample more or less is none
SELECT label, fill FROM pg_temp.boxes(flamegraph_diff_svg(E'a 1\nc 400'::flamegraph, E'b 1\nc 500', poisson_unit => 1));
SELECT label, fill FROM pg_temp.boxes(flamegraph_diff_svg(E'a 100\nc 400'::flamegraph, E'a 150\nc 600', size_factor => 'total', poisson_unit => 1));
-- groups, a history, statistics
SELECT pg_temp.lines(flamegraph_diff_svg(ARRAY[a, a * 1.01::float8, a * 0.99::float8], ARRAY[b, b * 1.01::float8, b * 0.99::float8])) FROM p;
SELECT pg_temp.lines(flamegraph_diff_svg(ARRAY[a, a * 1.01::float8, a * 0.99::float8], ARRAY[b, b * 1.01::float8], level => 'frame', method => 'maxt', size_factor => 'median_ratio')) FROM p;
SELECT pg_temp.lines(flamegraph_diff_svg(ARRAY[b, a, a * 1.01::float8, a * 0.99::float8], b, window_size => 3)) FROM p;
SELECT tooltip, label, fill FROM p, pg_temp.boxes(flamegraph_diff_svg(ARRAY[a], b));
SELECT pg_temp.lines(flamegraph_diff_svg((SELECT stats(a * x, level) FROM unnest('{1,1.01,0.99}'::float8[]) AS x), (SELECT stats(b * x, level) FROM unnest('{1,1.01,0.99}'::float8[]) AS x), correction => 'holm')) FROM p, unnest('{node,stack}'::text[]) AS level;
-- a group of one: nothing is tested, and grey
SELECT tooltip, fill FROM pg_temp.boxes(flamegraph_diff_svg(ARRAY['a 1']::flamegraph[], ARRAY['a 2']::flamegraph[]));
-- before the window nobody looks
SELECT count(*) FROM pg_temp.lines(flamegraph_diff_svg(ARRAY['a -1', 'a 1', 'a 2']::flamegraph[], 'a 1'::flamegraph, window_size => 2));
-- highlight: the nodes of both sides that match, drawn in either panel; in the data, whose nodes they count
SELECT line FROM p, pg_temp.lines(flamegraph_diff_svg(a, b, widths => 'after', options => '{"highlight": "*;parse|old;*"}')) AS line WHERE line ~ 'highlighted';
SELECT n FROM p, regexp_matches(flamegraph_diff_svg(a, b, options => '{"highlight": "*;parse*|old*"}'), 'data-n="(\d+?)"><title>[^<]*?</title><rect [^>]*?/><path d="M', 'g') AS m, CAST(m[1] AS int) AS n ORDER BY n;
SELECT node FROM p, nodes(a + b) WHERE stack ~ '*;parse*|old*' ORDER BY node;
SELECT (regexp_match(flamegraph_diff_svg(a, b, options => '{"highlight": "*;parse*|old*"}'), '"marked":"(\d*)"'))[1] FROM p;
SELECT (regexp_match(flamegraph_diff_svg(a, b, options => '{"highlight": "main", "max_nodes": 3}'), '"marked":"(\d*)"'))[1] FROM p;
SELECT pg_temp.lines(flamegraph_parts_svg(a, b, options => '{"highlight": "*;parse*;*"}')) FROM p;
-- palettes: what is more, less, new and gone
SELECT palette, box.label, box.fill FROM p, unnest('{warm,safe,grey}'::text[]) WITH ORDINALITY AS o (palette, i), pg_temp.boxes(flamegraph_diff_svg(a, b, interactive => false, options => jsonb_build_object('palette', palette))) AS box
WHERE box.fill NOT IN ('#e0e0e0', '#d9d9d9') ORDER BY i, n;
SELECT (regexp_match(flamegraph_diff_svg(a, b, options => jsonb_build_object('palette', palette)), '("fills":.*?),"frames'))[1] ~ 'fg[0-9a-f]{8}-n' AS textured,
	regexp_replace((regexp_match(flamegraph_diff_svg(a, b, options => jsonb_build_object('palette', palette)), '("fills":.*?),"frames'))[1], 'fg[0-9a-f]{8}', 'fg', 'g') AS fills FROM p, unnest('{warm,safe,grey}'::text[]) AS palette;
-- parts
SELECT pg_temp.lines(flamegraph_parts_svg(a, b)) FROM p;
SELECT pg_temp.lines(flamegraph_parts_svg(a, a)) FROM p;
SELECT pg_temp.lines(flamegraph_parts_svg(ARRAY[a, a * 1.01::float8, a * 0.99::float8], ARRAY[b, b * 1.01::float8, b * 0.99::float8], 'Parts', color => 'depth')) FROM p;
-- nothing
SELECT pg_temp.lines(svg) FROM unnest(ARRAY[flamegraph_diff_svg('{}'::flamegraph[], ARRAY['a 1']::flamegraph[]), flamegraph_diff_svg(NULL::flamegraph[], NULL::flamegraph[], 'T'), flamegraph_diff_svg('{}'::flamegraph[], 'a 1'::flamegraph),
	flamegraph_diff_svg(NULL::flamestats, NULL), flamegraph_parts_svg('{}'::flamegraph[], '{}'), flamegraph_diff_svg(''::flamegraph, '')]) AS svg;
SELECT flamegraph_diff_svg(NULL::flamegraph, 'a 1') IS NULL AS before, flamegraph_diff_svg('a 1'::flamegraph, NULL) IS NULL AS after, flamegraph_diff_svg(ARRAY['a 1']::flamegraph[], NULL::flamegraph) IS NULL AS run,
	flamegraph_parts_svg(NULL::flamegraph, 'a 1') IS NULL AS parts;
-- all defaults are what is written here
SELECT flamegraph_diff_svg(a, b) = flamegraph_diff_svg(a, b, NULL, 'samples', 'union', 'node', 'none', NULL, 0.05, 1200, 0.5, true, '{"palette": "warm", "theme": "auto", "truncate": "qualifier", "frame_height": 17, "font_size": 12, "max_boxes": 20000, "max_rows": 400, "max_nodes": 200000}') AS one,
	flamegraph_diff_svg(ARRAY[a, b], ARRAY[b, a]) = flamegraph_diff_svg(ARRAY[a, b], ARRAY[b, a], NULL, 'samples', 'union', 'node', 'none', 'welch', 'bh', 0.05, 1200, 0.5, true, '{}') AS groups,
	flamegraph_diff_svg(ARRAY[a, b], a) = flamegraph_diff_svg(ARRAY[a, b], a, NULL, 'samples', 'union', 10, 1, 0.05, 1200, 0.5, true, '{}') AS history,
	flamegraph_parts_svg(a, b) = flamegraph_parts_svg(a, b, NULL, 'samples', 'frame', 1200, 0.5, true, '{"palette": "warm"}') AS parts
FROM p;
CREATE FUNCTION pg_temp.fails(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE 'SELECT ' || call;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN format('%s %s [%s]', SQLSTATE, SQLERRM, hint);
END $$;
SELECT call, pg_temp.fails(call) FROM unnest(ARRAY[
	$$flamegraph_diff_svg('a -1'::flamegraph, 'a 1')$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'a -1')$$, $$flamegraph_diff_svg(E'a 1e308\nb 1e308'::flamegraph, '')$$,
	$$flamegraph_diff_svg('a 1e308'::flamegraph, 'b 1e308')$$,
	$$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', unit => NULL)$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', widths => 'both')$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', level => 'line')$$,
	$$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', size_factor => 'stable')$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'b 1', size_factor => 'median_ratio')$$,
	$$flamegraph_diff_svg(ARRAY['a 1']::flamegraph[], ARRAY['b 1']::flamegraph[], size_factor => 'median_ratio')$$, $$flamegraph_diff_svg(ARRAY['a 1']::flamegraph[], ARRAY['b 1']::flamegraph[], level => 'frame', size_factor => 'median_ratio')$$,
	$$flamegraph_diff_svg(stats('a 1'::flamegraph, 'node'), stats('b 1'::flamegraph, 'node'), size_factor => 'median_ratio')$$, $$flamegraph_diff_svg(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], size_factor => 'stable')$$,
	$$flamegraph_diff_svg(stats('a 1'::flamegraph, 'node'), stats('a 1'::flamegraph, 'node'), size_factor => 'stable')$$, $$flamegraph_diff_svg(''::flamegraph, 'b 1', size_factor => 'total')$$,
	$$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', poisson_unit => -1)$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', poisson_unit => 'NaN')$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', alpha => 0)$$,
	$$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', width => 199)$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', min_width => -1)$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', options => '{"palette": "red"}')$$, $$flamegraph_diff_svg('a 1'::flamegraph, 'a 1', options => '{"highlight": "{"}')$$,
	$$flamegraph_diff_svg(ARRAY[NULL, 'a 1']::flamegraph[], '{}'::flamegraph[])$$, $$flamegraph_diff_svg('{}'::flamegraph[], ARRAY[NULL]::flamegraph[])$$, $$flamegraph_diff_svg(ARRAY[NULL, 'a 1']::flamegraph[], 'a 1'::flamegraph)$$,
	$$flamegraph_diff_svg(ARRAY['a 1', 'a -2']::flamegraph[], ARRAY['a 1']::flamegraph[])$$, $$flamegraph_diff_svg(ARRAY['a 1']::flamegraph[], ARRAY['a 9', 'a 9', 'a 9;b -1']::flamegraph[], level => 'stack')$$,
	$$flamegraph_diff_svg(ARRAY['a 1', 'a 3', E'a 9\nb -1']::flamegraph[], ARRAY['a 1', 'b 7']::flamegraph[], level => 'frame')$$, $$flamegraph_diff_svg(ARRAY['a 1', 'a 3']::flamegraph[], ARRAY['a 1', E'a 7\nb -1', 'b 2']::flamegraph[], method => 'maxt')$$,
	$$flamegraph_diff_svg('{}'::flamegraph[], ARRAY['a 1', 'a -2']::flamegraph[])$$, $$flamegraph_diff_svg(ARRAY['a 1', E'a 7\nb -1', 'b 2']::flamegraph[], 'a 1'::flamegraph)$$, $$flamegraph_diff_svg(ARRAY[E'a 7\nb -1', 'b 2']::flamegraph[], 'a -1'::flamegraph)$$,
	$$flamegraph_diff_svg('{}'::flamegraph[], E'a 9\nb -1'::flamegraph)$$, $$flamegraph_diff_svg(ARRAY['a -1']::flamegraph[], 'a 1'::flamegraph)$$,
	$$flamegraph_diff_svg(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], method => 't')$$, $$flamegraph_diff_svg(ARRAY['a 1']::flamegraph[], ARRAY['a 1']::flamegraph[], correction => 'fdr')$$,
	$$flamegraph_diff_svg(ARRAY['a 1', 'a 2']::flamegraph[], 'a 1'::flamegraph, window_size => 1)$$, $$flamegraph_diff_svg(stats('a 1'::flamegraph, 'frame'), stats('a 1'::flamegraph, 'frame'))$$, $$flamegraph_diff_svg(stats('a 1'::flamegraph, 'node'), stats('a 1'::flamegraph, 'stack'))$$,
	$$flamegraph_parts_svg('a -1'::flamegraph, '')$$, $$flamegraph_parts_svg('a 1'::flamegraph, '', color => 'red')$$, $$flamegraph_parts_svg('a 1'::flamegraph, '', options => '{"highlight": 1}')$$, $$flamegraph_parts_svg(ARRAY['a 1', E'a 7\nb -1']::flamegraph[], ARRAY['b 2', 'b 3']::flamegraph[])$$,
	$$flamegraph_parts_svg(ARRAY['a 1', 'a 7']::flamegraph[], ARRAY['b 2', 'b 3', E'b 3\na -0.1']::flamegraph[])$$, $$flamegraph_parts_svg(ARRAY['a 1', 'a -7']::flamegraph[], '{}')$$, $$flamegraph_parts_svg(ARRAY[NULL]::flamegraph[], '{}')$$,
	$$flamegraph_parts_svg('{}'::flamegraph[], '{}', alpha => 2)$$]) AS call;
