/*
 * flameseries_trend.c
 *	  trend(): what a function or a calling context comes to in each profile of a series;
 *	  frame_sum(): what a function comes to in all of them.
 */
#include "pg/series/flameseries.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "pg/base/arguments.h"
#include "pg/base/rows.h"

/* series, frame or path, level, since, until, instances */
static const FgWindowArguments trend_arguments = {3, 4, 5};

/* By number of instance: its name, which many rows share. */
static Datum *
instance_names(const FgFrames *names)
{
	Datum	   *texts = palloc_extended(((Size) names->count + 1) * sizeof(Datum), MCXT_ALLOC_HUGE);

	for (uint32_t i = 0; i <= names->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		texts[i] = fg_instance_datum(names, i);
	}
	return texts;
}

static void
add_rows(FgRows *rows, const FgFlameseriesTrend *trend, const Datum *names)
{
	bool		nulls[3] = {false};

	for (uint32_t i = 0; i < trend->count; i++)
	{
		Datum		values[3] = {TimestampTzGetDatum(trend->at[i]), names[trend->instance[i]],
		Float8GetDatum(trend->value[i] + 0.0)};	/* not -0 */

		CHECK_FOR_INTERRUPTS();
		fg_rows_add(rows, values, nulls);
	}
}

static const char *const levels[] = {"total", "self"};

typedef uint8_t *(*ChooseStacks) (FgFlameseriesReader *reader, const char *name, size_t length,
								  bool self);

static Datum
trend(FunctionCallInfo fcinfo, ChooseStacks choose)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgFlameseriesReader *reader;
	FgFlameseriesWindow window;
	FgFlameseriesTrend trend;
	const FgFrames *names;
	uint8_t    *chosen;
	FgSpan		name;
	bool		self;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	name = PG_GETARG_SPAN(1);
	self = fg_word_argument(fcinfo, 2, "level", levels, lengthof(levels)) == 1;
	reader = fg_series_open(&ctx, PG_GETARG_DATUM(0));
	names = fg_flameseries_instance_names(reader);
	fg_series_must(&ctx, names != NULL);
	window = fg_window(fcinfo, trend_arguments, names);
	chosen = choose(reader, name.bytes, name.size, self);
	fg_series_must(&ctx, chosen != NULL &&
				   fg_flameseries_trend(reader, &window, chosen, &trend));
	add_rows(&rows, &trend, instance_names(names));
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flameseries_trend);
Datum
flameseries_trend(PG_FUNCTION_ARGS)
{
	return trend(fcinfo, fg_flameseries_choose_frame);
}

PG_FUNCTION_INFO_V1(flameseries_trend_path);
Datum
flameseries_trend_path(PG_FUNCTION_ARGS)
{
	return trend(fcinfo, fg_flameseries_choose_path);
}

/* --- one number for all profiles ------------------------------------------------------ */

static bool
is_any(const uint8_t *chosen, uint32_t stacks)
{
	return stacks > 0 && memchr(chosen, 1, stacks) != NULL;
}

/* Of everything: from the sums that are stored beside the tree, so blocks are not fetched.  False: nowhere. */
static bool
sum_of_all(FgContext *ctx, Datum value, FgSpan frame, bool self, double *sum)
{
	FgSpan		head = fg_series_through_sums(value);
	FgFlameseriesReader *reader = fg_flameseries_open(ctx, (const uint8_t *) head.bytes, head.size);
	uint8_t    *chosen;
	bool		found;

	fg_series_must(ctx, reader != NULL);
	chosen = fg_flameseries_choose_frame(reader, frame.bytes, frame.size, self);
	fg_series_must(ctx, chosen != NULL);
	found = is_any(chosen, fg_flameseries_stacks(reader));
	if (found)
		fg_series_must(ctx, fg_flameseries_chosen_sum(reader, chosen, sum));
	fg_release(ctx, chosen);
	fg_flameseries_close(reader);
	return found;
}

static bool
sum_of_window(FunctionCallInfo fcinfo, FgContext *ctx, FgSpan frame, bool self, double *sum)
{
	FgFlameseriesReader *reader = fg_series_open(ctx, PG_GETARG_DATUM(0));
	const FgFrames *names = fg_flameseries_instance_names(reader);
	FgFlameseriesWindow window;
	FgFlameseriesTrend trend;
	uint8_t    *chosen;
	bool		found = false;

	fg_series_must(ctx, names != NULL);
	window = fg_window(fcinfo, trend_arguments, names);
	chosen = fg_flameseries_choose_frame(reader, frame.bytes, frame.size, self);
	fg_series_must(ctx, chosen != NULL && fg_flameseries_trend(reader, &window, chosen, &trend));
	*sum = 0;
	for (uint32_t i = 0; i < trend.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		found |= trend.value[i] != 0;
		*sum += trend.value[i];
	}
	fg_flameseries_trend_free(ctx, &trend);
	fg_release(ctx, chosen);
	fg_flameseries_close(reader);
	return found;
}

/* series, frame, level, since, until, instances; NULL when no profile of the window has the frame */
PG_FUNCTION_INFO_V1(flameseries_frame_sum);
Datum
flameseries_frame_sum(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFlameseriesWindow window = fg_window_times(fcinfo, trend_arguments);
	double		sum = 0;
	FgSpan		frame;
	bool		self;
	bool		found;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	frame = PG_GETARG_SPAN(1);
	self = fg_word_argument(fcinfo, 2, "level", levels, lengthof(levels)) == 1;
	if (PG_ARGISNULL(5) && fg_series_has_sums(PG_GETARG_DATUM(0), &window))
		found = sum_of_all(&ctx, PG_GETARG_DATUM(0), frame, self, &sum);
	else
		found = sum_of_window(fcinfo, &ctx, frame, self, &sum);
	if (!found)
		PG_RETURN_NULL();
	if (!isfinite(sum))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("the sum of a function does not fit a double")));
	PG_RETURN_FLOAT8(sum + 0.0);	/* not -0 */
}
