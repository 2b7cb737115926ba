-- Plots: numbers with axes, as SVG. Like all pictures they are functions of their arguments.

CREATE FUNCTION plot_svg(xs float8[], ys float8[], series text[] DEFAULT NULL, lower float8[] DEFAULT NULL,
						 upper float8[] DEFAULT NULL, panel_of text[] DEFAULT NULL, mark text DEFAULT 'points',
						 title text DEFAULT NULL, x_label text DEFAULT NULL, y_label text DEFAULT NULL,
						 unit text DEFAULT NULL, width int4 DEFAULT 800, height int4 DEFAULT 400,
						 options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_plot_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION plot_svg(float8[], float8[], text[], float8[], float8[], text[], text, text, text, text, text, int4,
	int4, jsonb)
	IS 'pairs of numbers in SVG: mark points, line, steps or bars (lines and steps in the order of xs; null xs: 1, 2, '
		'...), a colour, shape and dashes per series, a panel per panel_of, lower and upper as ranges or bands; pairs '
		'with a null or NaN are dropped and counted; more than 5,000 points become cells of 4 x 4 pixels by count; '
		'unit is that of ys, as in format_value(); options: x_scale and y_scale linear or log, y_zero, grid, legend, '
		'columns (panels a row), free_y, labels (names of xs 1, 2, ...), subtitle, notes, theme';

CREATE FUNCTION model_svg(xs float8[], ys float8[], models perfmodel[] DEFAULT NULL, confidence float8 DEFAULT 0.95,
						  title text DEFAULT NULL, x_label text DEFAULT NULL, y_label text DEFAULT NULL,
						  unit text DEFAULT NULL, width int4 DEFAULT 800, height int4 DEFAULT 400,
						  options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_model_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION model_svg(float8[], float8[], perfmodel[], float8, text, text, text, text, int4, int4, jsonb)
	IS 'measurements and their models in SVG: points, each model''s curve with its formula and R^2, and the band of '
		'the mean at that confidence (formulas: t in the scale of the fit, taken back; regressograms of means: mean +- '
		't s / sqrt(n) of each bucket; other models have none); without models the best formula and a regressogram';

CREATE FUNCTION trend_svg(starts timestamptz[], ys float8[], mean float8[] DEFAULT NULL, lower float8[] DEFAULT NULL,
						  upper float8[] DEFAULT NULL, window_size int4 DEFAULT 10, k float8 DEFAULT 2,
						  change_at int4[] DEFAULT NULL, labels text[] DEFAULT NULL, findings jsonb DEFAULT '[]',
						  panel_of text[] DEFAULT NULL, title text DEFAULT NULL, y_label text DEFAULT NULL,
						  unit text DEFAULT NULL, width int4 DEFAULT 800, height int4 DEFAULT 400,
						  options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_trend_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION trend_svg(timestamptz[], float8[], float8[], float8[], float8[], int4, float8, int4[], text[],
	jsonb, text[], text, text, text, int4, int4, jsonb)
	IS 'measurements of runs in SVG, in the order of their starts: mean and band lower .. upper as given, else of the '
		'window_size values before (mean +- k deviations); those outside as diamonds with their score; change_at '
		'(positions from 1, as change_points() has them): a line, the means before and after; labels: runs at equal '
		'distances, else a scale of time in UTC; findings [{"at": 17, "label": "...", "kind": "..."}]: flags, listed '
		'below; panel_of: a panel for each; pairs with a null or NaN are dropped and counted; options as plot_svg() '
		'without x_scale';

CREATE FUNCTION scaling_svg(workers float8[], times float8[], title text DEFAULT NULL, unit text DEFAULT NULL,
							width int4 DEFAULT 800, height int4 DEFAULT 400, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_scaling_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION scaling_svg(float8[], float8[], text, text, int4, int4, jsonb)
	IS 'how much faster more workers are, in SVG: the mean time of 1 worker (of the fewest, where there is none of 1) '
		'over that of each number of workers, from the least to the largest where there are several; the ideal; of '
		'three numbers of workers on Amdahl''s law, t(n) = t(1) (s + (1 - s) / n), with the serial share s of the '
		'least squares of the times; pairs with a null or NaN are dropped and counted; unit is that of times, as in '
		'format_value(); options as plot_svg()';

CREATE FUNCTION correlation_svg(profiles flamegraph[], metric float8[], frame text, benchmark_of text[] DEFAULT NULL,
								level text DEFAULT 'self', missing text DEFAULT 'skip', title text DEFAULT NULL,
								x_label text DEFAULT NULL, y_label text DEFAULT NULL, width int4 DEFAULT 800,
								options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_correlation_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION correlation_svg(flamegraph[], float8[], text, text[], text, text, text, text, text, int4, jsonb)
	IS 'what a function costs against the metric of its runs, in SVG: the points of correlation_points(), a panel with '
		'scales of its own for each benchmark, and the coefficients of Pearson and Spearman; above it their mean, as '
		'frame_correlation() has it; level self, frame, total, potential:N or node, missing skip or zero; options as '
		'plot_svg(), free_y also for x';

CREATE FUNCTION heat_map_svg(columns text[], lines text[], cells float8[], title text DEFAULT NULL,
							 unit text DEFAULT NULL, scale text DEFAULT 'sequential', width int4 DEFAULT 800,
							 options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_heat_map_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION heat_map_svg(text[], text[], float8[], text, text, text, int4, jsonb)
	IS 'numbers by column and line as colours, in SVG: an element of each array is a cell; columns and lines in the '
		'order in which they first come; a cell that is not given, null or NaN is hatched; a column and line that '
		'come twice: error 22023; columns narrower than 4 pixels are averaged; scale sequential (light to dark) or '
		'diverging (blue, white at 0, red); options: subtitle, notes, theme, legend, cell_height (18), truncate '
		'(names of lines: qualifier, end, start)';

CREATE FUNCTION heat_map_svg(profiles flamegraph[], labels text[] DEFAULT NULL, level text DEFAULT 'self',
							 max_rows int4 DEFAULT 30, title text DEFAULT NULL, unit text DEFAULT NULL,
							 scale text DEFAULT 'sequential', width int4 DEFAULT 800, options jsonb DEFAULT '{}')
	RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_heat_map_svg_profiles' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50000;
COMMENT ON FUNCTION heat_map_svg(flamegraph[], text[], text, int4, text, text, text, int4, jsonb)
	IS 'functions (level self or frame), calling contexts (node) or stacks (stack) by runs as colours, in SVG: the '
		'max_rows with the largest sums of squares, largest first; what the others have is said; a null profile is '
		'a hatched column; labels of runs, else their numbers from 1; scale and options as in the other form';

CREATE FUNCTION model_change_svg(baseline perfmodel, target perfmodel, intervals int4 DEFAULT 20,
								 no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25, title text DEFAULT NULL,
								 x_label text DEFAULT NULL, y_label text DEFAULT NULL, unit text DEFAULT NULL,
								 width int4 DEFAULT 800, height int4 DEFAULT 400, options jsonb DEFAULT '{}')
	RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_model_change_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;
COMMENT ON FUNCTION model_change_svg(perfmodel, perfmodel, int4, float8, float8, text, text, text, text, int4, int4,
	jsonb)
	IS 'two models and where they differ, in SVG: both curves, the intervals of integral_intervals(merge => true) '
		'hatched by result with their relative errors above, the result of integral_comparison() over all; options as '
		'plot_svg()';
