-- Pictures: SVG that is complete by itself. A picture is a function of its arguments: no setting, table or clock is
-- read.

CREATE FUNCTION flamegraph_svg(fg flamegraph, title text DEFAULT NULL, unit text DEFAULT 'samples',
							   width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5, orientation text DEFAULT 'icicle',
							   color text DEFAULT 'frame', sort text DEFAULT 'name', interactive bool DEFAULT true,
							   options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_svg(flamegraph, text, text, int4, float8, text, text, text, bool, jsonb)
	IS 'the profile as a flame graph in SVG: a box per node, as wide as its inclusive value, data-n as by nodes() '
		'(0: all); boxes thinner than min_width pixels are put together or left out, and counted; orientation icicle '
		'or flame; color frame, module, kind, self, depth or none; sort name or value; interactive: with the data of '
		'all nodes, which flamegraph_from_svg() reads; negative values are an error';

CREATE FUNCTION sandwich_svg(fg flamegraph, frame text, title text DEFAULT NULL, unit text DEFAULT 'samples',
							 width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5, color text DEFAULT 'frame',
							 interactive bool DEFAULT true, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_sandwich_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION sandwich_svg(flamegraph, text, text, text, int4, float8, text, bool, jsonb)
	IS 'one function in SVG, as wide as its recursion-free total: below it what it calls, data-n as by '
		'nodes(focus(fg, frame)), above it who calls it, data-n as by nodes(invert(callers_of(fg, frame))); shares '
		'are those of the whole profile, of which interactive holds all nodes; a frame that does not occur gives a '
		'picture that says so; negative values are an error';

CREATE FUNCTION flamegraph_from_svg(data text) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_svg' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flamegraph_from_svg(text)
	IS 'the profile that a picture of flamegraph_svg(interactive => true) holds, exactly; an error when the picture '
		'holds no data, or not all of them';

CREATE FUNCTION svg_script_hash(picture text DEFAULT 'flame_graph') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_svg_script_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION svg_script_hash(text)
	IS 'the hash of the script in pictures, as Content-Security-Policy has it: script-src ''sha256-...''; it is the '
		'same for all pictures of one version: that of flame_graph, differences and parts, or that of flame_chart';

CREATE FUNCTION format_value(value float8, unit text) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_format_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION format_value(float8, text)
	IS 'a value for people, with three significant digits: nanoseconds, microseconds, milliseconds and seconds as ns '
		'to h, bytes as B to EiB, fraction as percent; any other unit behind a number in groups of three digits, from '
		'a million on with a prefix (M, G, T, P, E, Z, Y)';

-- rows that other viewers draw

CREATE FUNCTION nested_set(fg flamegraph, min_share float8 DEFAULT 0, max_depth int4 DEFAULT NULL,
						   OUT level int4, OUT value float8, OUT self float8, OUT label text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_nested_set' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 10000;
COMMENT ON FUNCTION nested_set(flamegraph, float8, int4)
	IS 'the rows of Grafana''s flame graph panel, parents before children: level, inclusive and own value, frame; '
		'level 0 is the total; nodes below min_share of the total or deeper than max_depth frames are left out, what '
		'is above keeps its values; negative values are an error';

CREATE FUNCTION nested_set(before flamegraph, after flamegraph, min_share float8 DEFAULT 0,
						   max_depth int4 DEFAULT NULL,
						   OUT level int4, OUT value float8, OUT self float8, OUT label text,
						   OUT value_right float8, OUT self_right float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_nested_set_difference' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 10000;
COMMENT ON FUNCTION nested_set(flamegraph, flamegraph, float8, int4)
	IS 'the same of two profiles, on the nodes of both: value and self are those before, value_right and self_right '
		'those after; left out are nodes below min_share of the total on both sides';

CREATE FUNCTION flamegraph_diff_svg(before flamegraph, after flamegraph, title text DEFAULT NULL,
									unit text DEFAULT 'samples', widths text DEFAULT 'union', level text DEFAULT 'node',
									size_factor text DEFAULT 'none', poisson_unit float8 DEFAULT NULL,
									alpha float8 DEFAULT 0.05, width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5,
									interactive bool DEFAULT true, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION flamegraph_diff_svg(flamegraph, flamegraph, text, text, text, text, text, float8, float8, int4,
	float8, bool, jsonb)
	IS 'the difference of two profiles in SVG: boxes over the stacks of both, each the sum of what is common, grown, '
		'appeared, shrunk and disappeared (its stripe); widths union (the larger value), after, before or change; '
		'colour: how the value of the key changed that level names (node, stack, frame, self), in classes by ratio; '
		'values of after are divided by the size_factor none, total or median_ratio. With poisson_unit, the value of '
		'one sample, a change is grey unless an exact conditional binomial test of the two counts, corrected after '
		'Benjamini and Hochberg over all keys, has q <= alpha: sampling noise only. Negative values are an error';

CREATE FUNCTION flamegraph_diff_svg(before flamegraph[], after flamegraph[], title text DEFAULT NULL,
									unit text DEFAULT 'samples', widths text DEFAULT 'union', level text DEFAULT 'node',
									size_factor text DEFAULT 'none', method text DEFAULT 'welch',
									correction text DEFAULT 'bh', alpha float8 DEFAULT 0.05, width int4 DEFAULT 1200,
									min_width float8 DEFAULT 0.5, interactive bool DEFAULT true,
									options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_svg_groups' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_diff_svg(flamegraph[], flamegraph[], text, text, text, text, text, text, text, float8,
	int4, float8, bool, jsonb)
	IS 'two groups of profiles: drawn are their means, and a key has a colour where compare_profiles(before, after, '
		'level, method, correction, alpha, size_factor) calls it significant';

CREATE FUNCTION flamegraph_diff_svg(before flamegraph[], after flamegraph, title text DEFAULT NULL,
									unit text DEFAULT 'samples', widths text DEFAULT 'union',
									window_size int4 DEFAULT 10, poisson_unit float8 DEFAULT 1,
									alpha float8 DEFAULT 0.05, width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5,
									interactive bool DEFAULT true, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_svg_history' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_diff_svg(flamegraph[], flamegraph, text, text, text, int4, float8, float8, int4, float8,
	bool, jsonb)
	IS 'one run against the mean of the last window_size ones before it, oldest first: a function has a colour, in all '
		'its boxes, where deviation_scores(before, after, window_size, poisson_unit) has q_value <= alpha';

CREATE FUNCTION flamegraph_diff_svg(before flamestats, after flamestats, title text DEFAULT NULL,
									unit text DEFAULT 'samples', widths text DEFAULT 'union',
									size_factor text DEFAULT 'none', correction text DEFAULT 'bh',
									alpha float8 DEFAULT 0.05, width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5,
									interactive bool DEFAULT true, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_svg_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_diff_svg(flamestats, flamestats, text, text, text, text, text, float8, int4, float8,
	bool, jsonb)
	IS 'two groups from their statistics at level node or stack: a key has a colour where compare_stats(before, after, '
		'correction, alpha, size_factor) calls it significant; the mean self value of a node is its mean without '
		'those of its children';

CREATE FUNCTION flamegraph_parts_svg(before flamegraph, after flamegraph, title text DEFAULT NULL,
									 unit text DEFAULT 'samples', color text DEFAULT 'frame', width int4 DEFAULT 1200,
									 min_width float8 DEFAULT 0.5, interactive bool DEFAULT true,
									 options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_parts_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION flamegraph_parts_svg(flamegraph, flamegraph, text, text, text, int4, float8, bool, jsonb)
	IS 'the parts of a change (decompose) as four flame graphs on one scale in SVG: appeared and grown, with shares of '
		'after, disappeared and shrunk, with shares of before; colours as in flamegraph_svg';

CREATE FUNCTION flamegraph_parts_svg(before flamegraph[], after flamegraph[], title text DEFAULT NULL,
									 unit text DEFAULT 'samples', color text DEFAULT 'frame', width int4 DEFAULT 1200,
									 min_width float8 DEFAULT 0.5, interactive bool DEFAULT true,
									 options jsonb DEFAULT '{}', alpha float8 DEFAULT 0.05) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_parts_svg_groups' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION flamegraph_parts_svg(flamegraph[], flamegraph[], text, text, text, int4, float8, bool, jsonb,
		float8)
	IS 'the same of two groups: the parts of the difference of their means at the stacks that '
		'reduced_difference(before, after, alpha, method => ''welch'') keeps';
