/*
 * chart.c
 *	  The samples of a flame chart, as they come (see chart.h).
 */
#include "core/picture/chart.h"

#include <math.h>

/* Numbers of samples are 32 bits, and arrays of them below 8 GB. */
#define MOST_SAMPLES (UINT32_C(1) << 28)

FgChartOptions
fg_chart_defaults(void)
{
	FgChartOptions options = {.look = fg_flame_defaults(), .merge = true, .max_samples = 1000000};

	options.look.unit = (FgText) {"seconds", 7};
	options.look.interactive = true;
	return options;
}

bool
fg_chart_begin(FgContext *ctx, FgChart *chart)
{
	*chart = (FgChart) {.ctx = ctx, .stacks = fg_builder_create(ctx)};
	return chart->stacks != NULL && fg_names_begin(ctx, &chart->threads);
}

void
fg_chart_free(FgChart *chart)
{
	if (chart->stacks != NULL)
		fg_builder_free(chart->stacks);
	fg_names_free(&chart->threads);
	fg_release(chart->ctx, chart->samples);
	*chart = (FgChart) {.ctx = chart->ctx};
}

static bool
check_times(FgContext *ctx, double start, double stop)
{
	if (!isfinite(start))
		return fg_fail(ctx, FG_ERROR_RANGE, "start_at must be finite, not %g", start);
	if (!isfinite(stop))
		return fg_fail(ctx, FG_ERROR_RANGE, "stop_at must be finite, not %g", stop);
	if (stop < start)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "A sample lasts from start_at to stop_at; a duration is added to its start.",
						  "a sample stops at %.17g, before it starts at %.17g", stop, start);
	if (!isfinite(stop - start))
		return fg_fail(ctx, FG_ERROR_RANGE, "the duration of a sample is out of range");
	return true;
}

bool
fg_chart_add(FgChart *chart, FgText stack, double start, double stop, FgText thread)
{
	FgContext  *ctx = chart->ctx;
	FgChartSample sample = {.start = start + 0.0, .stop = stop + 0.0};

	if (!check_times(ctx, start, stop))
		return false;
	if (stop == start)
	{
		chart->instants++;
		return true;
	}
	if (chart->count >= MOST_SAMPLES)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a flame chart has more than %u samples", MOST_SAMPLES);
	if (!fg_builder_add(chart->stacks, stack.bytes, stack.length, '\0', false, 0) ||
		!fg_names_add(&chart->threads, thread.bytes == NULL ? "" : thread.bytes, thread.length,
					  &sample.thread) ||
		!fg_reserve(ctx, (void **) &chart->samples, &chart->capacity, (size_t) chart->count + 1,
					sizeof(FgChartSample)))
		return false;
	sample.node = fg_builder_newest(chart->stacks);
	chart->samples[chart->count++] = sample;
	return true;
}
