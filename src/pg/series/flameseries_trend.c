/*
 * flameseries_trend.c
 *	  trend(): what a function or a calling context comes to in each profile of a series.
 */
#include "pg/series/flameseries.h"

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

typedef uint8_t *(*ChooseStacks) (FgFlameseriesReader *reader, const char *name, size_t length,
								  bool self);

static Datum
trend(FunctionCallInfo fcinfo, ChooseStacks choose)
{
	static const char *const levels[] = {"total", "self"};
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
