/*
 * plots_correlation.c
 *	  correlation_svg(): what a function costs against what its run costs.
 */
#include "pg/compare/benchmarks.h"

#include <math.h>

#include "miscadmin.h"

#include "core/plots/plot_correlation.h"
#include "pg/base/arguments.h"
#include "pg/picture/plots_options.h"

/* The points of one benchmark, and their coefficients; false when it has none. */
static bool
take_panel(FgContext *ctx, FgBenchmarks *b, uint32_t benchmark, bool missing_zero,
		   const FgObservation *list, size_t count, FgCorrelationPanel *panel)
{
	size_t		n = fg_runs_pairs(&b->runs, benchmark, missing_zero, list, count);

	if (n == 0)
		return false;
	*panel = (FgCorrelationPanel) {.n = n, .pearson = NAN, .spearman = NAN};
	panel->x = palloc_extended(n * sizeof(double), MCXT_ALLOC_HUGE);
	panel->y = palloc_extended(n * sizeof(double), MCXT_ALLOC_HUGE);
	memcpy(panel->x, b->runs.x, n * sizeof(double));
	memcpy(panel->y, b->runs.y, n * sizeof(double));
	if (b->names.count > 0)
		panel->benchmark = (FgText) {
			fg_frame_bytes(&b->names, benchmark), fg_frame_length(&b->names, benchmark)
		};
	if (n < 2)
		return true;
	fg_must(ctx, fg_correlation(ctx, panel->x, panel->y, n, FG_PEARSON, &panel->pearson));
	fg_must(ctx, fg_correlation(ctx, panel->x, panel->y, n, FG_SPEARMAN, &panel->spearman));
	return true;
}

/* The rows of correlation_points(), as panels. */
static void
take_panels(FgContext *ctx, FgBenchmarks *b, const FgCorrelationOptions *options,
			const FgObservations *all, uint32_t frame, FgCorrelationPlot *plot)
{
	size_t		at = all->first[frame];
	size_t		end;

	plot->panels = palloc_extended(((size_t) b->runs.benchmarks + 1) * sizeof(FgCorrelationPanel),
								   MCXT_ALLOC_HUGE);
	fg_must(ctx, fg_correlate(&b->runs, options, all->list + at, all->first[frame + 1] - at,
							  &plot->score));
	for (uint32_t i = 0; i < b->runs.benchmarks; i++, at = end)
	{
		FgCorrelationPanel *panel = &plot->panels[plot->npanels];
		size_t		runs = b->runs.first[i + 1] - b->runs.first[i];

		CHECK_FOR_INTERRUPTS();
		for (end = at; end < all->first[frame + 1] && all->list[end].profile < b->runs.first[i + 1];)
			end++;
		plot->without += runs;
		if (!take_panel(ctx, b, i, options->missing_zero, all->list + at, end - at, panel))
			continue;
		plot->without -= panel->n;
		plot->npanels++;
	}
}

/* Without profiles, or a function that occurs in one, there is nothing to draw. */
static FgCorrelationPlot
take_plot(FgContext *ctx, FunctionCallInfo fcinfo)
{
	uint32_t	metric = fg_correlation_level(fcinfo, 4);
	FgCorrelationOptions options = fg_correlation_arguments(ctx, fcinfo, -1, -1, 5, -1);
	FgBenchmarks b = fg_benchmarks_arguments(ctx, fcinfo, 0, 1, 3);
	FgCorrelationPlot plot = {
		.frame = fg_text_argument(fcinfo, 2), .level = fg_text_argument(fcinfo, 4),
		.missing = b.profiles.count - b.runs.count
	};
	FgObservations all;
	uint32_t	frame;

	plot.without = b.runs.count;
	if (PG_ARGISNULL(2))
		return plot;
	fg_must(ctx, fg_runs_observe(ctx, &b.runs, &b.profiles, metric, &all));
	frame = fg_observed_name(ctx, &all, PG_GETARG_SPAN(2));
	if (frame == FG_NONE)
		return plot;
	plot.without = 0;
	take_panels(ctx, &b, &options, &all, frame, &plot);
	return plot;
}

PG_FUNCTION_INFO_V1(flamegraph_correlation_svg);
Datum
flamegraph_correlation_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgPlotOptions options = fg_plot_defaults();
	FgCorrelationPlot plot = take_plot(&ctx, fcinfo);
	FgBuffer	svg;

	options.title = fg_text_argument(fcinfo, 6);
	options.x_label = fg_text_argument(fcinfo, 7);
	options.y_label = fg_text_argument(fcinfo, 8);
	options.width = fg_width_argument(fcinfo, 9);
	options.free_x = options.free_y = true;
	(void) fg_plot_options(fcinfo, 10, "correlation_svg", NULL, 0, &options);
	options.free_x = options.free_y;
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_correlation_svg(&plot, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
