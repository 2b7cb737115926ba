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

CREATE FUNCTION svg_script_hash() RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_svg_script_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION svg_script_hash()
	IS 'the hash of the script in pictures, as Content-Security-Policy has it: script-src ''sha256-...''; it is the same '
		'for all pictures of one version';

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
		'level 0 is the total; nodes below min_share of the total or deeper than max_depth frames are left out, what is '
		'above keeps its values; negative values are an error';

CREATE FUNCTION nested_set(before flamegraph, after flamegraph, min_share float8 DEFAULT 0,
						   max_depth int4 DEFAULT NULL,
						   OUT level int4, OUT value float8, OUT self float8, OUT label text,
						   OUT value_right float8, OUT self_right float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_nested_set_difference' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 10000;
COMMENT ON FUNCTION nested_set(flamegraph, flamegraph, float8, int4)
	IS 'the same of two profiles, on the nodes of both: value and self are those before, value_right and self_right '
		'those after; left out are nodes below min_share of the total on both sides';
