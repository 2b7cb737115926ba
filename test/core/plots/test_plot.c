/*
 * test_plot.c
 *	  Plots without a server: colours, limits, what fails on the way.  Where marks are is
 *	  tested in SQL (063_plots.pl).
 */
#include "unit.h"

#include "core/models/amdahl.h"
#include "core/models/trailing_band.h"
#include "core/plots/plot_change.h"
#include "core/plots/plot_correlation.h"
#include "core/plots/plot_models.h"
#include "core/plots/plot_rows.h"
#include "core/plots/plot_scaling.h"
#include "core/plots/plot_trend.h"

#include <math.h>

#define TEXT(words) {words, sizeof(words) - 1}

static void
test_contrast(void)
{
	unit_case("each colour stands out on light and on dark");
	for (uint32_t style = 0; style <= FG_PLAIN_STYLE; style++)
	{
		unit_note("style %u", style);
		CHECK(fg_contrast(fg_series_color(style), fg_background(FG_THEME_LIGHT)) >= 3);
		CHECK(fg_contrast(fg_series_color(style), fg_background(FG_THEME_DARK)) >= 3);
		for (uint32_t other = 0; other < style; other++)
			CHECK(fg_series_color(style) != fg_series_color(other) &&
				  strcmp(fg_series_dashes(style), fg_series_dashes(other)) != 0);
	}
}

/* --- plots of rows ------------------------------------------------------------------- */

#define MOST 6000

typedef struct Sample
{
	FgPlotRows	rows;
	FgPlotOptions options;
	double		numbers[4][MOST];
	FgText		words[MOST];
} Sample;

static Sample sample;
static const FgText names[] = {
	TEXT("<a>"), TEXT("\xE2\x80\xAE" "b"), TEXT(""), TEXT("d]]>"), TEXT("e&#0;"), TEXT("f"),
	TEXT("g\x01"), TEXT("h"), TEXT("i")
};

/* So many rows in so many series. */
static void
make_sample(size_t n, size_t series, FgMark mark)
{
	sample.options = fg_plot_defaults();
	for (size_t i = 0; i < n; i++)
	{
		sample.numbers[0][i] = 1 + (double) (i * 7919 % n) / 3;
		sample.numbers[1][i] = 10 + sin((double) i) * 5;
		sample.numbers[2][i] = sample.numbers[1][i] - 1;
		sample.numbers[3][i] = i % 5 == 4 ? NAN : sample.numbers[1][i] + 1;
		sample.words[i] = names[i % series];
	}
	sample.rows = (FgPlotRows) {
		.n = n, .x = sample.numbers[0], .y = sample.numbers[1], .lower = sample.numbers[2],
		.upper = sample.numbers[3], .series = sample.words, .panels = sample.words, .mark = mark
	};
}

static bool
draw_sample(FgContext *ctx, void *arg)
{
	FgBuffer	svg = {.ctx = ctx};
	bool		ok = fg_plot_rows_svg(&sample.rows, &sample.options, &svg);

	(void) arg;
	fg_release(ctx, svg.data);
	return ok;
}

static void
test_sweeps(void)
{
	static const char *const words[] = {"points", "line", "steps", "bars"};

	for (int mark = 0; mark < 4; mark++)
	{
		make_sample(60, 3, (FgMark) mark);
		unit_case("memory runs out: %s", words[mark]);
		unit_sweep_memory(words[mark], draw_sample, NULL);
	}
	make_sample(MOST, 1, FG_MARK_POINTS);
	unit_case("interrupts");
	unit_sweep_interrupts("cells", draw_sample, NULL, 2);
	make_sample(MOST, 1, FG_MARK_LINE);
	unit_sweep_interrupts("a long line", draw_sample, NULL, 2);
}

/* A line and steps, drawn with their bands. */
static bool
draw_models(FgContext *ctx, void *arg)
{
	static double b[] = {1, 2};
	static double edges[] = {1, 3, 6};
	static double points[] = {2, 3};
	static double values[] = {4, 9};
	static const double x[] = {1, 2, 3, 4, 6};
	static const double y[] = {3, 5.5, 7, 8, 12};
	const FgModel models[] = {
		{.kind = FG_LINEAR, .n = 5, .x_start = 1, .x_end = 6, .r_square = 0.9, .rows = 2,
		.column = {b}},
		{.kind = FG_MODEL_REGRESSOGRAM, .n = 5, .x_start = 1, .x_end = 6, .r_square = NAN,
		.parameters = "{}", .parameters_size = 2, .rows = 2, .column = {edges, points, values}}
	};
	FgPlotOptions options = fg_plot_defaults();
	FgBuffer	svg = {.ctx = ctx};
	bool		ok = fg_models_svg(x, y, 5, 1, models, 2, 0.95, &options, &svg);

	(void) arg;
	fg_release(ctx, svg.data);
	return ok;
}

static void
test_models(void)
{
	unit_case("memory runs out: models");
	unit_sweep_memory("models", draw_models, NULL);
}

/* Two panels with changes, findings and runs outside. */
static bool
draw_trend(FgContext *ctx, void *arg)
{
	static const size_t changes[] = {9, 3, 9};
	static const FgFinding findings[] = {
		{9, TEXT("</title>"), TEXT("degradation")}, {4, {NULL, 0}, {NULL, 0}}
	};
	FgPlotOptions options = fg_plot_defaults();
	FgBuffer	svg = {.ctx = ctx};
	FgTrend		trend = {
		.n = 12, .start = sample.numbers[0], .y = sample.numbers[1], .window = 3, .k = 1,
		.labels = sample.words, .panels = arg == NULL ? NULL : sample.words, .changes = changes,
		.nchanges = 3, .findings = findings, .nfindings = 2
	};
	bool		ok = fg_trend_svg(&trend, &options, &svg);

	fg_release(ctx, svg.data);
	return ok;
}

static void
test_trend(void)
{
	FgContext	ctx = fg_malloc_context();
	double		mean;
	double		ends[2];

	make_sample(12, 2, FG_MARK_LINE);
	unit_case("memory runs out: trends");
	unit_sweep_memory("trend", draw_trend, NULL);
	unit_sweep_memory("panels of trends", draw_trend, &sample);
	unit_case("limits of a band");
	CHECK_ERROR(fg_trailing_band(&ctx, sample.numbers[1], 1, 1, 2, &mean, ends, ends + 1), &ctx,
				FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_trailing_band(&ctx, sample.numbers[1], 1, 5, NAN, &mean, ends, ends + 1), &ctx,
				FG_ERROR_ARGUMENT);
	CHECK(fg_trailing_band(&ctx, sample.numbers[1], 1, 5, 2, &mean, ends, ends + 1) && isnan(mean));
}

/* --- changes of models ----------------------------------------------------------------- */

static bool
draw_change(FgContext *ctx, void *arg)
{
	static double before[] = {1, 2};
	static double edges[] = {1, 3, 6};
	static double points[] = {2, 3};
	static double values[] = {2, 19};
	const FgModel models[] = {
		{.kind = FG_LINEAR, .n = 5, .x_start = 1, .x_end = 6, .r_square = 0.9, .rows = 2,
		.column = {before}},
		{.kind = FG_MODEL_REGRESSOGRAM, .n = 5, .x_start = 1, .x_end = 6, .r_square = NAN,
		.parameters = "{}", .parameters_size = 2, .rows = 2, .column = {edges, points, values}}
	};
	FgModelChange change = {&models[0], &models[1], 6, FG_DEFAULT_THRESHOLDS};
	FgPlotOptions options = fg_plot_defaults();
	FgBuffer	svg = {.ctx = ctx};
	bool		ok = fg_model_change_svg(&change, &options, &svg);

	(void) arg;
	fg_release(ctx, svg.data);
	return ok;
}

static void
test_change(void)
{
	unit_case("memory runs out: changes of models");
	unit_sweep_memory("changes", draw_change, NULL);
}

/* --- speed-ups ------------------------------------------------------------------------ */

static bool
draw_scaling(FgContext *ctx, void *arg)
{
	static const double workers[] = {1, 1, 2, 4, 4, 8};
	static const double times[] = {10, 11, 6, 3.5, 4, 2.5};
	FgPlotOptions options = fg_plot_defaults();
	FgBuffer	svg = {.ctx = ctx};
	FgScaling	scaling = {.n = 6, .workers = workers, .times = times, .unit = TEXT("]]>")};
	bool		ok = fg_scaling_svg(&scaling, &options, &svg);

	(void) arg;
	fg_release(ctx, svg.data);
	return ok;
}

/* Times that follow the law have its share again, whatever they are told against. */
static void
test_amdahl(void)
{
	FgContext	ctx = fg_malloc_context();
	FgAmdahl	fit;
	double		workers[] = {2, 4, 8, 8};
	double		times[4];

	unit_case("the share of a law");
	for (int base = 1; base <= 2; base++)
	{
		for (int i = 0; i < 4; i++)
			times[i] = (0.25 + 0.75 / workers[i]) / (0.25 + 0.75 / base);
		CHECK(fg_amdahl_fit(&ctx, workers, times, 4, base, &fit));
		CHECK_NEAR(fit.serial, 0.25, 1e-14);
		CHECK_NEAR(fit.r_square, 1, 1e-14);
		CHECK_NEAR(fg_amdahl_speedup(&fit, 8), 1 / times[3], 1e-14);
	}
	unit_case("no law");
	workers[0] = workers[1] = workers[2] = workers[3] = 2;
	CHECK(fg_amdahl_fit(&ctx, workers, times, 4, 2, &fit));
	CHECK(isnan(fit.serial) && isnan(fit.fixed) && isnan(fg_amdahl_speedup(&fit, 4)));
	unit_case("times that fall below 0, or that none could take");
	fit = (FgAmdahl) {.base = 1, .fixed = -0.5};
	CHECK(isnan(fg_amdahl_speedup(&fit, 4)));
	CHECK(fg_amdahl_fit(&ctx, (double[]) {4, 8, 16}, (double[]) {1, 2, 4}, 3, 4, &fit));
	CHECK(isnan(fit.serial) && fit.fixed > 1);
}

static void
test_scaling(void)
{
	test_amdahl();
	unit_case("memory runs out: speed-ups");
	unit_sweep_memory("speed-ups", draw_scaling, NULL);
}

/* --- correlations ---------------------------------------------------------------------- */

static bool
draw_correlation(FgContext *ctx, void *arg)
{
	static double x[] = {1, 2, 3};
	static double y[] = {300, 200, 250};
	FgCorrelationPanel panels[] = {
		{TEXT("]]>"), 3, x, y, -0.5, -0.5}, {TEXT("one"), 1, y, x, NAN, NAN}
	};
	FgPlotOptions options = fg_plot_defaults();
	FgBuffer	svg = {.ctx = ctx};
	FgCorrelationPlot plot = {
		.frame = TEXT("f"), .level = TEXT("self"), .panels = panels, .npanels = 2,
		.score = {-0.5, 1, 3}, .missing = 1, .without = 2
	};
	bool		ok;

	options.free_x = options.free_y = true;
	if (arg != NULL)
		plot.npanels = FG_MOST_PANELS + 1;
	ok = fg_correlation_svg(&plot, &options, &svg);
	fg_release(ctx, svg.data);
	return ok;
}

static void
test_correlation(void)
{
	FgContext	ctx = fg_malloc_context();

	unit_case("memory runs out: correlations");
	unit_sweep_memory("correlations", draw_correlation, NULL);
	unit_case("panels");
	CHECK_ERROR(draw_correlation(&ctx, &ctx), &ctx, FG_ERROR_ARGUMENT);
}

static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();

	unit_case("limits");
	make_sample(9, 9, FG_MARK_POINTS);
	CHECK_ERROR(draw_sample(&ctx, NULL), &ctx, FG_ERROR_ARGUMENT);
	CHECK(strstr(ctx.error.hint, "panel_of") != NULL);
	make_sample(8, 8, FG_MARK_POINTS);
	CHECK(draw_sample(&ctx, NULL));
	make_sample(FG_MOST_POINTS, 1, FG_MARK_BARS);
	CHECK(draw_sample(&ctx, NULL));
	make_sample(FG_MOST_POINTS + 1, 1, FG_MARK_BARS);
	CHECK_ERROR(draw_sample(&ctx, NULL), &ctx, FG_ERROR_ARGUMENT);
	make_sample(3, 1, FG_MARK_LINE);
	sample.numbers[1][1] = 1e201;
	CHECK_ERROR(draw_sample(&ctx, NULL), &ctx, FG_ERROR_RANGE);
}

/* --- documents ----------------------------------------------------------------------- */

static char *
svg_of_sample(FgContext *ctx)
{
	FgBuffer	svg = {.ctx = ctx};

	CHECK(fg_plot_rows_svg(&sample.rows, &sample.options, &svg) && fg_buffer_append(&svg, "", 1));
	return (char *) svg.data;
}

static void
test_identity(void)
{
	FgContext	ctx = fg_malloc_context();
	char	   *first;
	char	   *again;
	char	   *other;

	unit_case("same numbers, same bytes; others have another id");
	make_sample(20, 2, FG_MARK_LINE);
	first = svg_of_sample(&ctx);
	again = svg_of_sample(&ctx);
	CHECK(strcmp(first, again) == 0);
	sample.numbers[3][0] += 1e-12;
	other = svg_of_sample(&ctx);
	CHECK(memcmp(strstr(first, "id=\"fg"), strstr(other, "id=\"fg"), 14) != 0);
	fg_release(&ctx, first);
	fg_release(&ctx, again);
	fg_release(&ctx, other);
}

static void
test_nothing(void)
{
	FgContext	ctx = fg_malloc_context();
	char	   *svg;

	unit_case("nothing to draw");
	make_sample(3, 1, FG_MARK_POINTS);
	for (int i = 0; i < 3; i++)
		sample.numbers[1][i] = NAN;
	svg = svg_of_sample(&ctx);
	CHECK(strstr(svg, "nothing to draw; 3 dropped (null or not a number)") != NULL);
	CHECK(strstr(svg, "<line") == NULL);
	fg_release(&ctx, svg);
}

int
main(void)
{
	test_contrast();
	test_sweeps();
	test_models();
	test_trend();
	test_change();
	test_scaling();
	test_correlation();
	test_limits();
	test_identity();
	test_nothing();
	return unit_finish();
}
