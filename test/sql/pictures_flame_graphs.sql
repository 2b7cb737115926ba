-- flamegraph_svg, flamegraph_from_svg, format_value: what is said about a profile, arguments, options, errors. Where
-- boxes are is tested by test/t/055_pictures.pl.
\pset null NULL

-- a picture, without the parts that are the same in all
SELECT line FROM regexp_split_to_table(flamegraph_svg(E'main;parse;read 40\nmain;parse 35\nmain;"a" & <b> 15\nmain 10\nidle 80', interactive => false), E'\n') AS line WHERE line !~ '^<(style|defs)';
-- the lines of text: title, subtitle, footnote, notes, legend
CREATE FUNCTION pg_temp.lines(svg text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT m[1] FROM regexp_matches(regexp_replace(svg, '<g class="f.*?</g>', '', 'g'), '<text [^>]*>([^<]*)</text>', 'g') AS m
$$;
SELECT pg_temp.lines(flamegraph_svg('a;b 1'));
SELECT pg_temp.lines(flamegraph_svg('a;b 1', 'Title', 'nanoseconds', options => '{"subtitle": "one", "notes": "two\nthree"}'));
SELECT pg_temp.lines(flamegraph_svg('a;b 1', '', options => '{"subtitle": ""}'));
SELECT pg_temp.lines(flamegraph_svg(E'a 99990\nb 4\nc 4\nd 1\ne;f;g;h 1', min_width => 100, color => 'self', options => '{"max_rows": 2}'));
SELECT pg_temp.lines(flamegraph_svg(E'a;b;c;d 5\na;b;e 5', color => 'kind', options => '{"max_rows": 2, "highlight": "*;b*;*"}'));
SELECT pg_temp.lines(flamegraph_svg((SELECT flamegraph_agg('f' || i, 1) FROM generate_series(1, 100) i), options => '{"max_boxes": 10}'));
SELECT pg_temp.lines(flamegraph_svg('', title => 'nothing'));
SELECT pg_temp.lines(flamegraph_svg('a 1', repeat('long title ', 20), width => 300, color => 'module'));
-- title and description
SELECT (regexp_match(svg, '<title[^>]*?>(.*?)</title>'))[1] AS title, (regexp_match(svg, '<desc[^>]*?>(.*?)</desc>'))[1] AS description
FROM unnest(ARRAY[flamegraph_svg(E'a;b 50\na;c 30\nd 15\ne 5'), flamegraph_svg('a 1024', '<T>', 'bytes'), flamegraph_svg('')]) AS svg;
-- highlight: the boxes that match, and how many
SELECT count(*) FROM regexp_matches(flamegraph_svg(E'a;b 1\na;c 2\nd;b 3', options => '{"highlight": "*;b"}'), '<path d="M', 'g');
-- both orientations: the same boxes in other rows
SELECT o, string_agg(m[1] || ' ' || m[2] || ' ' || m[3], ', ' ORDER BY m[1]::int) FROM unnest('{icicle,flame}'::text[]) AS o, regexp_matches(flamegraph_svg(E'a;b 3\nc 1', orientation => o), 'data-n="(\d+?)".*?<rect x="([0-9.]+?)" y="([0-9.]+?)"', 'g') AS m GROUP BY o ORDER BY o DESC;

-- all defaults are what is written here
SELECT flamegraph_svg('a;b 1') = flamegraph_svg('a;b 1', NULL, 'samples', 1200, 0.5, 'icicle', 'frame', 'name', true, '{"palette": "warm", "theme": "auto", "truncate": "qualifier", "frame_height": 17, "font_size": 12, "max_boxes": 20000, "max_rows": 400, "max_nodes": 200000}') AS same;
-- NULL
SELECT flamegraph_svg(NULL) IS NULL AS fg, flamegraph_svg('a 1', NULL) IS NOT NULL AS title, flamegraph_from_svg(NULL) IS NULL AS svg, format_value(NULL, 'x') IS NULL AS value, format_value(1, NULL) IS NULL AS unit;
CREATE FUNCTION pg_temp.fails(arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE format('SELECT flamegraph_svg(%s)', arguments);
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN format('%s %s [%s]', SQLSTATE, SQLERRM, hint);
END $$;
SELECT arguments, pg_temp.fails(arguments) FROM unnest(ARRAY[
	$$'a 1', unit => NULL$$, $$'a 1', width => NULL$$, $$'a 1', min_width => NULL$$, $$'a 1', orientation => NULL$$, $$'a 1', color => NULL$$, $$'a 1', sort => NULL$$,
	$$'a 1', interactive => NULL$$, $$'a 1', options => NULL$$,
	$$'a -1'$$, $$E'a 1e308\nb 1e308'$$,
	$$'a 1', width => 199$$, $$'a 1', width => 200$$, $$'a 1', width => 10000$$, $$'a 1', width => 10001$$,
	$$'a 1', min_width => -0.1$$, $$'a 1', min_width => 100$$, $$'a 1', min_width => 100.1$$, $$'a 1', min_width => 'NaN'$$, $$'a 1', min_width => 'Infinity'$$,
	$$'a 1', orientation => 'up'$$, $$'a 1', color => 'red'$$, $$'a 1', sort => 'self'$$,
	$$'a 1', options => '[]'$$, $$'a 1', options => '{"colour": 1}'$$, $$'a 1', options => '{"palette": "hot"}'$$, $$'a 1', options => '{"palette": 1}'$$,
	$$'a 1', options => '{"theme": "black"}'$$, $$'a 1', options => '{"truncate": "middle"}'$$, $$'a 1', options => '{"font_size": 5}'$$, $$'a 1', options => '{"font_size": 49}'$$,
	$$'a 1', options => '{"font_size": 12.5}'$$, $$'a 1', options => '{"frame_height": 7}'$$, $$'a 1', options => '{"frame_height": 11}'$$, $$'a 1', options => '{"max_boxes": 0}'$$,
	$$'a 1', options => '{"max_rows": 0}'$$, $$'a 1', options => '{"max_nodes": 0}'$$, $$'a 1', options => '{"max_nodes": 1000001}'$$, $$'a 1', options => '{"highlight": "{"}'$$,
	$$'a 1', options => '{"title": "x"}'$$, $$'a 1', options => '{"notes": 7}'$$, $$'a 1', options => '{"notes": null}'$$]) AS arguments;

-- back from the picture
SELECT flamegraph_from_svg(flamegraph_svg(fg, unit => 'bytes', min_width => 100)) = fg AS same FROM unnest(ARRAY['', ' 5', E'a;b 0.1\na 1e300', E'x\\;y;"<&>" 3\n\u202E;\u0001 4']::flamegraph[]) AS fg;
SELECT flamegraph_from_svg('');
SELECT flamegraph_from_svg('<svg/>');
SELECT flamegraph_from_svg(flamegraph_svg('a;b 1', interactive => false));
SELECT flamegraph_from_svg(flamegraph_svg('a;b 1', options => '{"max_nodes": 1}'));
SELECT flamegraph_from_svg(replace(flamegraph_svg('a;b 1'), '"total":1', '"total":2'));
SELECT flamegraph_from_svg('<metadata>{"format":1,"kind":"difference"}</metadata>');

-- format_value
SELECT unit, string_agg(format_value(value, unit), ' | ' ORDER BY value) FROM unnest('{nanoseconds,seconds,bytes,samples,fraction}'::text[]) AS unit, unnest('{0,0.000412,0.5,1,7.25,60,1536,123456,2.5e6,1e10}'::float8[]) AS value GROUP BY unit ORDER BY unit;
SELECT format_value(v, '') FROM unnest('{NaN,Infinity,-Infinity,-1234567,5e-324,1.7976931348623157e308}'::float8[]) AS v;
