-- Pictures of stored values; of text; how large they are. Variables: runs, slow_runs, nodes, large, sizes.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

-- A picture with these arguments, of a profile of so many nodes.
CREATE FUNCTION bench.drawn(arguments text, size bigint) RETURNS text LANGUAGE sql AS $$
	SELECT format('SELECT octet_length(flamegraph_svg(fg%s)) FROM bench.picture WHERE size = %s AND run = 0',
		arguments, size)
$$;

-- --- times ----------------------------------------------------------------------------------------------------------

SELECT bench.measure('picture_static', 'ours', n, 1, :runs, bench.drawn(', interactive => false', n)),
	bench.measure('picture_interactive', 'ours', n, 1, :runs, bench.drawn('', n))
FROM unnest(ARRAY[:nodes, :large]) AS n;
CREATE TEMP TABLE kept AS SELECT flamegraph_svg(fg) AS svg FROM bench.picture WHERE size = :nodes AND run = 0;
SELECT bench.measure('picture_read', 'ours', :nodes, 1, :runs, 'SELECT nnodes(flamegraph_from_svg(svg)) FROM kept');
SELECT bench.measure('picture_text', 'ours', :large, octet_length(data), :slow_runs,
	replace(bench.drawn(', interactive => false', :large), '(fg,', '(flamegraph_from_folded(data),'))
FROM bench.picture WHERE size = :large AND run = 0;
SELECT bench.measure('grow_picture_static', 'ours', n, 1, :runs, bench.drawn(', interactive => false', n)),
	bench.measure('grow_picture_interactive', 'ours', n, 1, :runs,
		bench.drawn($$, options => '{"max_nodes": 1000000}'$$, n))
FROM unnest(:'sizes'::int[]) AS n;

-- Half the least width, and half of that: what can be seen is paid for.
SELECT bench.measure('picture_width_' || w, 'ours', :nodes, 1, :runs,
	bench.drawn(format(', min_width => %s, interactive => false', w), :nodes))
FROM unnest('{0.5,0.25,0.125}'::text[]) AS w;
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'picture_halved', 'ours', :nodes, max(quotient), 0
FROM (SELECT seconds / lag(seconds) OVER (ORDER BY width DESC) AS quotient
	FROM (SELECT substr(measure, 15)::numeric AS width,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS seconds
		FROM bench.sample WHERE measure ~ '^picture_width_' GROUP BY measure) AS m) AS q;

-- --- bytes ----------------------------------------------------------------------------------------------------------

CREATE TEMP TABLE drawn AS
SELECT size, flamegraph_svg(fg, interactive => false) AS static, flamegraph_svg(fg) AS interactive, fg
FROM bench.picture WHERE size IN (:nodes, :large) AND run = 0;
CREATE TEMP TABLE box AS
SELECT size, m[1]::int AS node FROM drawn, regexp_matches(static, 'data-n="(\d+)"', 'g') AS m;
-- What a box (170), its name twice, and the document around it (4 kB) may take; nodes, names and script.
CREATE TEMP TABLE allowed AS
SELECT size, count(*) AS boxes, 170 * count(*) + 2 * sum(octet_length(coalesce(f.frame, 'all'))) + 4000.0 AS static,
	(SELECT 9 * nnodes(d.fg) + sum(octet_length(name)) + 24000.0
	 FROM drawn AS d, unnest(frames(d.fg)) AS name WHERE d.size = b.size GROUP BY d.fg) AS data
FROM box AS b LEFT JOIN (SELECT size, n.node, n.frame FROM drawn, node_facts(fg) AS n) AS f USING (size, node)
GROUP BY size;
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT measure, 'ours', size, work, 0
FROM drawn AS d JOIN allowed AS a USING (size), LATERAL (VALUES
	('picture_static_bytes', octet_length(d.static) / a.static),
	('picture_interactive_bytes', octet_length(d.interactive) / (a.static + a.data)),
	('picture_box_bytes', octet_length(d.static)::numeric / a.boxes),
	('picture_boxes', a.boxes)) AS v (measure, work);

-- --- what else is drawn ---------------------------------------------------------------------------------------------

SELECT bench.measure('picture_nested_set', 'ours', :nodes, 1, :runs,
	format('SELECT count(*) FROM bench.picture, nested_set(fg) WHERE size = %s AND run = 0', :nodes));
SELECT count(*) > 0 AS has_differences FROM pg_proc WHERE proname = 'flamegraph_diff_svg' \gset
\if :has_differences
CREATE TEMP TABLE groups AS
SELECT array_agg(fg ORDER BY run) FILTER (WHERE run % 2 = 1) AS before,
	array_agg(fg ORDER BY run) FILTER (WHERE run % 2 = 0) AS after
FROM bench.picture WHERE run > 0;
SELECT bench.measure('picture_difference', 'ours', :nodes, 1, :runs,
	'SELECT octet_length(flamegraph_diff_svg(before[1], after[1])) FROM groups');
SELECT bench.measure('picture_groups', 'ours', :nodes, 1, :slow_runs,
	'SELECT octet_length(flamegraph_diff_svg(before, after)) FROM groups');
SELECT bench.measure('picture_compare', 'ours', :nodes, 1, :slow_runs,
	'SELECT count(c) FROM (SELECT compare_profiles(before, after, ''node'') AS c FROM groups OFFSET 0) AS s');
-- what drawing takes beyond the comparison
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'picture_groups_beyond', 'ours', :nodes, 1, sum(CASE measure WHEN 'picture_groups' THEN median ELSE -median END)
FROM (SELECT measure, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median
	FROM bench.sample WHERE measure IN ('picture_groups', 'picture_compare') GROUP BY measure) AS m;
\endif
