-- Flame charts: which stack was on when. An aggregate over rows, of any order; the sum of a chart is
-- flamegraph_agg(stack, stop_at - start_at). There is no combine function: a partial state is as large as its rows, and
-- what takes time is the picture, which is drawn once.

CREATE FUNCTION flame_chart_accum(internal, stackpath, float8, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'flamegraph_chart_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION flame_chart_accum(internal, stackpath, float8, float8) IS 'aggregate transition function';
CREATE FUNCTION flame_chart_accum(internal, stackpath, float8, float8, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'flamegraph_chart_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION flame_chart_accum(internal, stackpath, float8, float8, text) IS 'aggregate transition function';
CREATE FUNCTION flame_chart_accum(internal, stackpath, float8, float8, text, jsonb) RETURNS internal
	AS 'MODULE_PATHNAME', 'flamegraph_chart_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION flame_chart_accum(internal, stackpath, float8, float8, text, jsonb)
	IS 'aggregate transition function';
CREATE FUNCTION flame_chart_final(internal) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_chart_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION flame_chart_final(internal) IS 'aggregate final function';

CREATE AGGREGATE flame_chart_svg(stack stackpath, start_at float8, stop_at float8) (
	SFUNC = flame_chart_accum,
	STYPE = internal,
	FINALFUNC = flame_chart_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flame_chart_svg(stackpath, float8, float8)
	IS 'the samples as a flame chart in SVG: time to the right, stacks downwards; samples that follow each other and '
		'touch share the boxes of the frames that their stacks begin with, overlapping ones stand in lanes of their '
		'own; data-n as by nodes() of flamegraph_agg(stack, stop_at - start_at). Rows with a null are left out, those '
		'without duration are counted; NULL when there are none';

CREATE AGGREGATE flame_chart_svg(stack stackpath, start_at float8, stop_at float8, thread text) (
	SFUNC = flame_chart_accum,
	STYPE = internal,
	FINALFUNC = flame_chart_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flame_chart_svg(stackpath, float8, float8, text)
	IS 'the same with a lane for each thread, in the order of their first samples, and the share of the time for which '
		'it was busy; a null or empty name is that of no thread';

CREATE AGGREGATE flame_chart_svg(stack stackpath, start_at float8, stop_at float8, thread text, options jsonb) (
	SFUNC = flame_chart_accum,
	STYPE = internal,
	FINALFUNC = flame_chart_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE flame_chart_svg(stackpath, float8, float8, text, jsonb)
	IS 'the same with options, one set for all rows: title, unit (seconds), width (1200), min_width (0.5), color, '
		'from_time and to_time (what is drawn), interactive, max_boxes, max_samples (of the data for the viewer, '
		'1,000,000), max_gap (between samples that still touch, 0), merge (false: boxes of its own for each row), '
		'palette, theme, truncate';
