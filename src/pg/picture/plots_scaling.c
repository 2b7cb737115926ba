/*
 * plots_scaling.c
 *	  scaling_svg(): how much faster more workers are.
 */
#include "pg/base/values.h"

#include <math.h>

#include "miscadmin.h"

#include "core/base/series.h"
#include "core/plots/plot_scaling.h"
#include "pg/picture/plots_options.h"

/* Numbers that are there have to be positive, whether their pair is drawn or not. */
static void
check_positive(FgContext *ctx, FgNumbers numbers, const char *name)
{
	for (size_t i = 0; i < numbers.count; i++)
	{
		fg_must(ctx, fg_check_every(ctx, i));
		if (numbers.values[i] <= 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("element %zu of %s is not positive: %g", i + 1, name,
							numbers.values[i]),
					 errhint("A null element is left out of the picture.")));
	}
}

/* The pairs that have both numbers, sorted by workers. */
static FgScaling
take_scaling(FgContext *ctx, FunctionCallInfo fcinfo)
{
	FgNumbers	workers = fg_numbers_argument(fcinfo, 0, "workers");
	FgNumbers	times = fg_numbers_argument(fcinfo, 1, "times");
	size_t		n = 0;

	fg_same_length("times", times.count, "workers", workers.count);
	check_positive(ctx, workers, "workers");
	check_positive(ctx, times, "times");
	for (size_t i = 0; i < times.count; i++)
	{
		fg_must(ctx, fg_check_every(ctx, i));
		if (isnan(workers.values[i]) || isnan(times.values[i]))
			continue;
		workers.values[n] = workers.values[i];
		times.values[n++] = times.values[i];
	}
	fg_must(ctx, fg_series_sort(ctx, workers.values, times.values, n));
	return (FgScaling) {
		.n = n, .workers = workers.values, .times = times.values, .missing = times.count - n
	};
}

PG_FUNCTION_INFO_V1(flamegraph_scaling_svg);
Datum
flamegraph_scaling_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgPlotOptions options = fg_plot_defaults();
	FgScaling	scaling = take_scaling(&ctx, fcinfo);
	FgBuffer	svg;

	options.title = fg_text_argument(fcinfo, 2);
	scaling.unit = fg_text_argument(fcinfo, 3);
	fg_size_arguments(fcinfo, 4, &options);
	(void) fg_plot_options(fcinfo, 6, "scaling_svg", NULL, 0, &options);
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_scaling_svg(&scaling, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
