/*
 * plots_trend.c
 *	  trend_svg(): measurements of runs in their order, and what was found in them.
 */
#include "pg/base/values.h"

#include <math.h>

#include "datatype/timestamp.h"
#include "utils/timestamp.h"

#include "core/plots/plot_trend.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/jsonb_read.h"
#include "pg/picture/plots_options.h"

/* PostgreSQL's times count from 2000-01-01. */
#define SECONDS_TO_2000 (INT64CONST(86400) * (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE))

/* Microseconds are exact up to 2**53 of them since 1970, which is the year 2255. */
static double
seconds_of(TimestampTz time)
{
	int64		whole = time / USECS_PER_SEC;

	return (double) (whole + SECONDS_TO_2000) + (double) (time - whole * USECS_PER_SEC) / 1e6;
}

/* Seconds since 1970; null elements are NaN, infinite ones error 22008. */
static FgNumbers
times_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	FgArray		array = fg_array_argument(fcinfo, argument, NULL);
	FgNumbers	times = {NULL, (size_t) array.count};

	if (PG_ARGISNULL(argument))
		return times;
	times.values = palloc_extended(((size_t) array.count + 1) * sizeof(double), MCXT_ALLOC_HUGE);
	for (; fg_array_left(&array); array.next++)
	{
		TimestampTz time = array.nulls[array.next] ? 0
			: DatumGetTimestampTz(array.elements[array.next]);

		if (TIMESTAMP_NOT_FINITE(time))
			ereport(ERROR,
					(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
					 errmsg("element %d of %s is infinite", array.next + 1, name),
					 errhint("A null element is left out of the picture.")));
		times.values[array.next] = array.nulls[array.next] ? NAN : seconds_of(time);
	}
	return times;
}

/* An array of numbers, perhaps null, as long as the others. */
static const double *
numbers_like(FunctionCallInfo fcinfo, int argument, const char *name, size_t count)
{
	FgNumbers	numbers = fg_numbers_argument(fcinfo, argument, name);

	if (numbers.values != NULL)
		fg_same_length(name, numbers.count, "ys", count);
	return numbers.values;
}

static const FgText *
texts_like(FunctionCallInfo fcinfo, int argument, const char *name, size_t count)
{
	size_t		ntexts;
	FgText	   *texts = fg_texts_argument(fcinfo, argument, name, &ntexts);

	if (texts != NULL)
		fg_same_length(name, ntexts, "ys", count);
	return texts;
}

/* An element's position from 1. */
static size_t
element_at(const char *where, double position, size_t count)
{
	if (!(position >= 1 && position <= (double) count && position == floor(position)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a position in ys, from 1 to %zu, not %g", where, count,
						position)));
	return (size_t) position - 1;
}

static void
take_changes(FunctionCallInfo fcinfo, int argument, FgTrend *trend)
{
	FgArray		array = fg_array_argument(fcinfo, argument, "an element of change_at is null");
	size_t	   *changes = palloc_extended(((size_t) array.count + 1) * sizeof(size_t),
										  MCXT_ALLOC_HUGE);
	Datum		element;

	while (fg_array_next(&array, &element))
		changes[trend->nchanges++] = element_at("an element of change_at", DatumGetInt32(element),
												trend->n);
	trend->changes = changes;
}

static FgText
text_of(const FgJsonbPlace *object, const char *key)
{
	FgJsonbPlace field = fg_jsonb_key(object, key);
	FgSpan		span = {0};

	if (field.value != NULL)
		span = fg_jsonb_string(&field);
	return (FgText) {span.bytes, span.size};
}

/* [{"at": 17, "label": ..., "kind": ...}, ...] */
static void
take_findings(FunctionCallInfo fcinfo, int argument, FgTrend *trend)
{
	static const char *const keys[] = {"at", "label", "kind"};
	Jsonb	   *jsonb = DatumGetJsonbP(fg_required(fcinfo, argument, "findings"));
	JsonbValue	space;
	FgJsonbPlace all = fg_jsonb_argument(jsonb, "findings", &space);
	int			count = fg_jsonb_count(&all);
	FgFinding  *findings = palloc_extended(((size_t) count + 1) * sizeof(FgFinding),
										   MCXT_ALLOC_HUGE);

	for (int i = 0; i < count; i++)
	{
		FgJsonbPlace finding = fg_jsonb_element(&all, i);
		FgJsonbPlace at;

		CHECK_FOR_INTERRUPTS();
		fg_jsonb_check_keys(&finding, keys, lengthof(keys));
		at = fg_jsonb_key(&finding, "at");
		if (at.value == NULL)
			fg_jsonb_throw(&finding, "an object with \"at\"", NULL);
		findings[i] = (FgFinding) {
			.at = element_at(psprintf("findings[%d].at", i), fg_jsonb_number(&at), trend->n),
			.label = text_of(&finding, "label"), .kind = text_of(&finding, "kind")
		};
	}
	trend->findings = findings;
	trend->nfindings = (size_t) count;
}

static FgTrend
take_trend(FunctionCallInfo fcinfo)
{
	FgNumbers	ys = fg_numbers_argument(fcinfo, 1, "ys");
	FgNumbers	starts = times_argument(fcinfo, 0, "starts");
	FgTrend		trend = {
		.n = ys.count, .start = starts.values, .y = ys.values,
		.mean = numbers_like(fcinfo, 2, "mean", ys.count),
		.lower = numbers_like(fcinfo, 3, "lower", ys.count),
		.upper = numbers_like(fcinfo, 4, "upper", ys.count),
		.window = fg_required_int(fcinfo, 5, "window_size"),
		.k = fg_required_number(fcinfo, 6, "k"),
		.labels = texts_like(fcinfo, 8, "labels", ys.count),
		.panels = texts_like(fcinfo, 10, "panel_of", ys.count)
	};

	if (starts.values != NULL)
		fg_same_length("starts", starts.count, "ys", ys.count);
	if ((trend.lower == NULL) != (trend.upper == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lower and upper have to be given together")));
	take_changes(fcinfo, 7, &trend);
	take_findings(fcinfo, 9, &trend);
	return trend;
}

PG_FUNCTION_INFO_V1(flamegraph_trend_svg);
Datum
flamegraph_trend_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgPlotOptions options = fg_plot_defaults();
	FgTrend		trend = take_trend(fcinfo);
	FgBuffer	svg;

	options.title = fg_text_argument(fcinfo, 11);
	options.y_label = fg_text_argument(fcinfo, 12);
	options.unit = fg_text_argument(fcinfo, 13);
	fg_size_arguments(fcinfo, 14, &options);
	options.x_scale = FG_SCALE_TIME;	/* so that nobody chooses another one */
	(void) fg_plot_options(fcinfo, 16, "trend_svg", NULL, 0, &options);
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_trend_svg(&trend, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
