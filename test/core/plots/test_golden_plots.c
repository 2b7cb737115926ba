/*
 * test_golden_plots.c
 *	  The plots in test/data/golden/pictures, byte by byte: every compiler, machine and
 *	  server makes the same (013_golden_pictures.pl draws them in SQL).
 *
 * With UNIT_REDRAW in the environment the test writes the files instead; each of them is to be
 * looked at then.
 */
#include "recordings.h"

#include "core/lanes/lanes.h"
#include "core/models/parametric.h"
#include "core/models/regressogram.h"
#include "core/plots/plot_change.h"
#include "core/plots/plot_correlation.h"
#include "core/plots/plot_models.h"
#include "core/plots/plot_rows.h"
#include "core/plots/plot_scaling.h"
#include "core/plots/plot_trend.h"

#include <math.h>

#define FOLDER "test/data/golden/pictures/"

#define TEXT(words) {words, sizeof(words) - 1}

/* --- what is drawn, as arguments.tsv has it ------------------------------------------------ */

#define POINTS 12

static double xs[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24};
static double ys[] = {3.1, 4.9, 7.2, 8.8, 11.3, 12.7, 17.4, 20.6, 25.5, 32.9, 40.2, 49.1};
static double zs[] = {3, 5.1, 7.1, 9.2, 13.9, 15.8, 21.3, 25.9, 24.1, 30.8, 33.6, 40.9};
static const double lower[] = {2.5, 4, 6.5, 8, 10, 12, 16, 19, 24, 30, 38, 46};
static const double upper[] = {4, 5.5, 8, 10, 12.5, 13, 19, 22, 27, NAN, 42, 52};

static const FgText series[] = {
	TEXT("old"), TEXT("</title><script>"), TEXT("old"), TEXT("</title><script>"), TEXT("old"),
	TEXT("</title><script>"), TEXT("old"), TEXT("</title><script>"), TEXT("old"),
	TEXT("</title><script>"), TEXT("old"), TEXT("</title><script>")
};

static const FgText panels[] = {
	TEXT("small"), TEXT("small"), TEXT("small"), TEXT("small"), TEXT("small"), TEXT("small"),
	TEXT("large"), TEXT("large"), TEXT("large"), TEXT("large"), TEXT("large"), TEXT("large")
};

static FgPlotOptions
options_of(FgText title, uint32_t width, uint32_t height)
{
	FgPlotOptions options = fg_plot_defaults();

	options.title = title;
	options.width = width;
	options.height = height;
	return options;
}

/* --- plots of rows ----------------------------------------------------------------------- */

static bool
draw_points(FgContext *ctx, FgBuffer *svg)
{
	FgPlotOptions options = options_of((FgText) TEXT("Points & \"ranges\""), 480, 260);
	FgPlotRows	rows = {
		.n = POINTS, .x = xs, .y = ys, .lower = lower, .upper = upper, .series = series
	};

	(void) ctx;
	options.x_label = (FgText) TEXT("rows");
	options.y_label = (FgText) TEXT("duration");
	options.unit = (FgText) TEXT("milliseconds");
	return fg_plot_rows_svg(&rows, &options, svg);
}

static bool
draw_line(FgContext *ctx, FgBuffer *svg)
{
	FgPlotOptions options = options_of((FgText) TEXT("A line in the dark"), 400, 240);
	FgPlotRows	rows = {
		.n = POINTS, .x = xs, .y = ys, .lower = lower, .upper = upper, .mark = FG_MARK_LINE
	};

	(void) ctx;
	options.theme = FG_THEME_DARK;
	options.notes = (FgText) TEXT("one line\nanother one");
	return fg_plot_rows_svg(&rows, &options, svg);
}

static bool
draw_steps(FgContext *ctx, FgBuffer *svg)
{
	FgPlotOptions options = options_of((FgText) {.length = 0}, 400, 240);
	FgPlotRows	rows = {.n = POINTS, .x = xs, .y = ys, .mark = FG_MARK_STEPS};

	(void) ctx;
	options.x_scale = options.y_scale = FG_SCALE_LOG;
	options.unit = (FgText) TEXT("bytes");
	options.grid = false;
	return fg_plot_rows_svg(&rows, &options, svg);
}

static bool
draw_bars(FgContext *ctx, FgBuffer *svg)
{
	FgPlotOptions options = options_of((FgText) TEXT("Bars"), 640, 240);
	FgPlotRows	rows = {
		.n = POINTS, .x = xs, .y = ys, .series = series, .panels = panels, .mark = FG_MARK_BARS
	};

	(void) ctx;
	options.unit = (FgText) TEXT("bytes");
	return fg_plot_rows_svg(&rows, &options, svg);
}

static bool
draw_named(FgContext *ctx, FgBuffer *svg)
{
	static const FgText names[] = {
		TEXT("old"), TEXT("<new>"), TEXT("a name that is longer than there is room"), TEXT("main")
	};
	FgPlotOptions options = options_of((FgText) TEXT("Bars with names"), 400, 260);
	FgPlotRows	rows = {
		.n = 4, .x = xs, .y = ys, .names = names, .nnames = COUNT(names), .mark = FG_MARK_BARS
	};

	(void) ctx;
	return fg_plot_rows_svg(&rows, &options, svg);
}

#define CLOUD 5001

static bool
draw_cells(FgContext *ctx, FgBuffer *svg)
{
	static double x[CLOUD];
	static double y[CLOUD];
	FgPlotOptions options = options_of((FgText) TEXT("Cells"), 240, 200);

	(void) ctx;
	for (int i = 0; i < CLOUD; i++)
	{
		x[i] = (i + 1) * (i + 1) % 29;
		y[i] = (i + 1) % 7;
	}
	return fg_plot_rows_svg(&(FgPlotRows) {.n = CLOUD, .x = x, .y = y}, &options, svg);
}

static bool
draw_nothing(FgContext *ctx, FgBuffer *svg)
{
	FgPlotOptions options = options_of((FgText) {.length = 0}, 200, 100);

	(void) ctx;
	return fg_plot_rows_svg(&(FgPlotRows) {.n = 0, .x = xs, .y = ys}, &options, svg);
}

/* --- models --------------------------------------------------------------------------------- */

/* Drawn are its numbers; the caller keeps them. */
static FgModel
line_through(FgContext *ctx, double *y, FgParametric *fitted)
{
	uint32_t	count;
	int			best;

	CHECK(fg_parametric_fit(ctx, xs, y, POINTS, FG_FORMULA_BIT(FG_LINEAR), fitted, &count, &best) &&
		  count == 1);
	return (FgModel)
	{
		.kind = FG_LINEAR, .n = fitted->n_used, .x_start = fitted->x_start, .x_end = fitted->x_end,
			.r_square = fitted->r_square, .r_square_y = fitted->r_square_y, .parameters = "{}",
			.parameters_size = 2, .rows = fitted->nb, .column = {fitted->b}
	};
}

static FgModel
steps_through(FgContext *ctx, double *y, FgRegressogram *made, double *points)
{
	static const char parameters[] = "{\"rule\": \"user\", \"statistic\": \"mean\"}";

	CHECK(fg_regressogram(ctx, xs, y, POINTS, 4, FG_BUCKETS_DOANE, FG_BUCKET_MEAN, made));
	for (uint32_t i = 0; i < made->buckets; i++)
		points[i] = (double) made->points[i];
	return (FgModel)
	{
		.kind = FG_MODEL_REGRESSOGRAM, .n = POINTS, .x_start = made->x_start, .x_end = made->x_end,
			.y_start = made->y_start, .r_square = made->r_square, .parameters = parameters,
			.parameters_size = sizeof(parameters) - 1, .rows = made->buckets,
			.column = {made->edge, points, made->value}
	};
}

static bool
draw_models(FgContext *ctx, FgBuffer *svg)
{
	FgPlotOptions options = options_of((FgText) TEXT("Models"), 520, 300);
	FgParametric fitted[FG_FORMULAS];
	FgRegressogram made;
	double		points[4];
	FgModel		models[2];
	bool		ok;

	models[0] = line_through(ctx, ys, fitted);
	models[1] = steps_through(ctx, ys, &made, points);
	options.unit = (FgText) TEXT("milliseconds");
	ok = fg_models_svg(xs, ys, POINTS, 0, models, 2, 0.9, &options, svg);
	fg_regressogram_free(ctx, &made);
	return ok;
}

static bool
draw_change(FgContext *ctx, FgBuffer *svg)
{
	FgPlotOptions options = options_of((FgText) TEXT("A change"), 520, 300);
	FgParametric fitted[FG_FORMULAS];
	FgRegressogram made;
	double		points[4];
	FgModel		models[2];
	FgModelChange change = {&models[0], &models[1], 8, {0.05, 0.1}};
	bool		ok;

	models[0] = line_through(ctx, ys, fitted);
	models[1] = steps_through(ctx, zs, &made, points);
	options.x_label = (FgText) TEXT("rows");
	ok = fg_model_change_svg(&change, &options, svg);
	fg_regressogram_free(ctx, &made);
	return ok;
}

/* --- trends ------------------------------------------------------------------------------------ */

#define NIGHTS 14

static const double nights[] = {10, 10.5, 9.5, 10, 11, 10, 9, 10, 10.5, 14, 14.5, NAN, 14, 15};

static bool
draw_trend(FgContext *ctx, FgBuffer *svg)
{
	static const size_t changes[] = {9};
	static const FgFinding findings[] = {{9, TEXT("parse() <b>"), TEXT("degradation")}};
	FgPlotOptions options = options_of((FgText) TEXT("Nights"), 520, 300);
	double		start[NIGHTS];

	(void) ctx;
	options.x_scale = FG_SCALE_TIME;
	for (int i = 0; i < NIGHTS; i++)
		start[i] = 1790000000 + 86400.0 * (i + 1);
	options.y_label = (FgText) TEXT("duration");
	options.unit = (FgText) TEXT("seconds");
	return fg_trend_svg(&(FgTrend) {
		.n = NIGHTS, .start = start, .y = nights, .window = 5, .k = 2, .changes = changes,
		.nchanges = 1, .findings = findings, .nfindings = 1
	}, &options, svg);
}

static bool
draw_commits(FgContext *ctx, FgBuffer *svg)
{
	static const FgText commits[] = {
		TEXT("4be1c02"), TEXT("4be1c03"), TEXT("4be1c04"), TEXT("4be1c05"), TEXT("4be1c06"),
		TEXT("4be1c07"), TEXT("4be1c08"), TEXT("4be1c09"), TEXT("4be1c0a"), TEXT("4be1c0b"),
		TEXT("4be1c0c"), TEXT("4be1c0d"), TEXT("4be1c0e"), TEXT("4be1c0f")
	};
	static const FgText benchmarks[] = {
		TEXT("a"), TEXT("a"), TEXT("a"), TEXT("a"), TEXT("a"), TEXT("a"), TEXT("a"),
		TEXT("b"), TEXT("b"), TEXT("b"), TEXT("b"), TEXT("b"), TEXT("b"), TEXT("b")
	};
	static const double mean[] = {10, 10, 10, 10, 10, 10, 10, 13, 13, 13, 13, 13, 13, 13};
	static const double low[] = {9, 9, 9, 9, 9, 9, 9.5, 12, 12, 12, 12, 12, 12, 12};
	static const double high[] = {11, 11, 11, 11, 11, 11, 11, 14, 14, 14, 14, 14, 14, 14};
	FgPlotOptions options = options_of((FgText) TEXT("Commits"), 560, 280);

	(void) ctx;
	options.x_scale = FG_SCALE_TIME;
	options.theme = FG_THEME_LIGHT;
	options.free_y = true;
	return fg_trend_svg(&(FgTrend) {
		.n = NIGHTS, .y = nights, .mean = mean, .lower = low, .upper = high, .window = 10, .k = 2,
		.labels = commits, .panels = benchmarks
	}, &options, svg);
}

/* --- what has a law ------------------------------------------------------------------------------ */

static bool
draw_scaling(FgContext *ctx, FgBuffer *svg)
{
	static const double workers[] = {1, 1, 2, 2, 4, 4, 8, 16};
	static const double times[] = {10, 10.5, 5.4, 5.6, 3.1, 3.3, 1.9, 1.4};
	FgPlotOptions options = options_of((FgText) TEXT("Workers"), 480, 300);

	(void) ctx;
	return fg_scaling_svg(&(FgScaling) {
		.n = COUNT(workers), .workers = workers, .times = times, .unit = TEXT("seconds")
	}, &options, svg);
}

/* Two benchmarks of six runs each. */
static bool
draw_correlation(FgContext *ctx, FgBuffer *svg)
{
	FgPlotOptions options = options_of((FgText) TEXT("Correlation"), 560, 400);
	FgCorrelationPanel both[2];
	double		sum = 0;

	options.free_x = options.free_y = true;
	for (int i = 0; i < 2; i++)
	{
		FgCorrelationPanel *panel = &both[i];

		*panel = (FgCorrelationPanel) {.benchmark = panels[(size_t) (1 - i) * 6], .n = 6,
		.x = xs + (size_t) (1 - i) * 6, .y = zs + (size_t) (1 - i) * 6};
		CHECK(fg_correlation(ctx, panel->x, panel->y, 6, FG_PEARSON, &panel->pearson) &&
			  fg_correlation(ctx, panel->x, panel->y, 6, FG_SPEARMAN, &panel->spearman));
		sum += panel->pearson;
	}
	return fg_correlation_svg(&(FgCorrelationPlot) {
		.frame = TEXT("parse"), .level = TEXT("self"), .panels = both, .npanels = 2,
		.score = {sum / 2, 2, POINTS}
	}, &options, svg);
}

/* --- lanes of a job ----------------------------------------------------------------------------------- */

static bool
draw_lanes(FgContext *ctx, FgBuffer *svg)
{
	static const FgLane lanes[] = {
		{TEXT("cpu"), TEXT("machine <1>"), NAN, NAN, 80}, {TEXT("load"), TEXT("parts"), 0, 4, 0},
		{TEXT("work"), TEXT("parts"), 2, 10, 0}
	};
	static const FgLaneSeries names[] = {
		{TEXT("load"), FG_LANE_PART}, {TEXT("work"), FG_LANE_PART}, {TEXT("nobody"), FG_LANE_REST},
		{TEXT("capacity"), FG_LANE_LINE}
	};
	static const FgLaneRow rows[] = {
		{0, 0, 0, 4, 1.5}, {0, 1, 2, 10, 2}, {0, 2, 5, 7, 0.5}, {0, 3, 0, 10, 4}, {1, 0, 1, 3, 1},
		{2, 1, 2, 3, 1}, {2, 2, 2.5, 6, 1}
	};
	FgPlotOptions options = options_of((FgText) TEXT("Lanes"), 560, 400);

	(void) ctx;
	options.unit = (FgText) TEXT("cores");
	options.x_label = (FgText) TEXT("from the begin of the job");
	return fg_lanes_svg(&(FgLanes) {
		.name = TEXT("Timeline"), .lanes = lanes, .nlanes = COUNT(lanes), .series = names,
		.nseries = COUNT(names), .rows = rows, .nrows = COUNT(rows)
	}, &options, svg);
}

static const struct
{
	const char *name;
	bool		(*draw) (FgContext *ctx, FgBuffer *svg);
} plots[] = {
	{"plot-points", draw_points}, {"plot-line", draw_line}, {"plot-steps", draw_steps},
	{"plot-bars", draw_bars}, {"plot-named", draw_named},
	{"plot-cells", draw_cells}, {"plot-nothing", draw_nothing},
	{"models", draw_models}, {"model-change", draw_change}, {"trend", draw_trend},
	{"trend-commits", draw_commits}, {"scaling", draw_scaling}, {"correlation", draw_correlation},
	{"lanes", draw_lanes}
};

static void
redraw(const char *path, const FgBuffer *svg)
{
	FILE	   *file = fopen(path, "wb");

	CHECK(file != NULL && fwrite(svg->data, 1, svg->size, file) == svg->size && fclose(file) == 0);
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	bool		write = getenv("UNIT_REDRAW") != NULL;

	for (size_t i = 0; i < COUNT(plots); i++)
	{
		FgBuffer	svg = {.ctx = &ctx};
		char		path[200];
		size_t		size;
		char	   *kept;

		unit_case("golden plot %s", plots[i].name);
		CHECK(plots[i].draw(&ctx, &svg));
		snprintf(path, sizeof(path), FOLDER "%s.svg", plots[i].name);
		if (write)
			redraw(path, &svg);
		kept = recording_file(path, &size);
		CHECK_BYTES(svg.data, svg.size, kept, size);
		free(kept);
		fg_release(&ctx, svg.data);
	}
	return unit_finish();
}
