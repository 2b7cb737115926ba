/*
 * jobs_lanes.c
 *	  lanes_svg(): what the pictures of jobs are drawn with.
 */
#include "pg/base/values.h"

#include <math.h>

#include "core/lanes/lanes.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/picture/plots_options.h"

/* The columns of rows, by argument. */
enum
{
	LABELS, GROUPS, FROM, TO, HEIGHTS, SERIES, KINDS, ROW_LANE, ROW_SERIES, ROW_START, ROW_STOP,
	ROW_VALUE, TITLE, UNIT, WIDTH, OPTIONS
};

#define MOST_HEIGHT 2000

/* Whole numbers from 0 to below "limit", none of them null. */
static uint32_t *
positions_argument(FunctionCallInfo fcinfo, int argument, const char *name, size_t limit,
				   size_t *count)
{
	FgArray		array = fg_array_argument(fcinfo, argument, "the lane or series of a row is null");
	uint32_t   *positions = palloc_extended(((size_t) array.count + 1) * sizeof(uint32_t),
											MCXT_ALLOC_HUGE);
	Datum		element;

	*count = (size_t) array.count;
	while (fg_array_next(&array, &element))
	{
		int32		value = DatumGetInt32(element);

		if (value < 0 || (size_t) value >= limit)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("element %d of %s is %d, but there are %zu", array.next, name, value,
							limit),
					 errhint("Positions count from 0.")));
		positions[array.next - 1] = (uint32_t) value;
	}
	return positions;
}

static FgNumbers
required_numbers(FunctionCallInfo fcinfo, int argument, const char *name, size_t count)
{
	FgNumbers	numbers;

	(void) fg_required(fcinfo, argument, name);
	numbers = fg_numbers_argument(fcinfo, argument, name);
	fg_same_length(name, numbers.count, "the columns before", count);
	return numbers;
}

static FgText *
required_texts(FunctionCallInfo fcinfo, int argument, const char *name, size_t *count)
{
	(void) fg_required(fcinfo, argument, name);
	return fg_texts_argument(fcinfo, argument, name, count);
}

static void
take_lanes(FunctionCallInfo fcinfo, FgLanes *lanes)
{
	size_t		n;
	size_t		ngroups;
	FgText	   *labels = required_texts(fcinfo, LABELS, "labels", &n);
	FgText	   *groups = required_texts(fcinfo, GROUPS, "groups", &ngroups);
	FgNumbers	from = required_numbers(fcinfo, FROM, "lives_from", n);
	FgNumbers	to = required_numbers(fcinfo, TO, "lives_to", n);
	FgNumbers	heights = required_numbers(fcinfo, HEIGHTS, "heights", n);
	FgLane	   *all = palloc_extended((n + 1) * sizeof(FgLane), MCXT_ALLOC_HUGE);

	fg_same_length("groups", ngroups, "labels", n);
	for (size_t i = 0; i < n; i++)
	{
		if (!(heights.values[i] >= 0 && heights.values[i] <= MOST_HEIGHT))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("element %zu of heights must be between 0 and %d", i + 1,
							MOST_HEIGHT),
					 errhint("0 stands for a band of shares.")));
		all[i] = (FgLane) {labels[i], groups[i], from.values[i], to.values[i],
		(uint32_t) heights.values[i]};
	}
	lanes->lanes = all;
	lanes->nlanes = (uint32_t) n;
}

static void
take_series(FunctionCallInfo fcinfo, FgLanes *lanes)
{
	static const char *const kinds[] = {"part", "rest", "line"};
	size_t		n;
	size_t		nkinds;
	FgText	   *names = required_texts(fcinfo, SERIES, "series", &n);
	FgText	   *words = required_texts(fcinfo, KINDS, "kinds", &nkinds);
	FgLaneSeries *all = palloc_extended((n + 1) * sizeof(FgLaneSeries), MCXT_ALLOC_HUGE);

	fg_same_length("kinds", nkinds, "series", n);
	for (size_t i = 0; i < n; i++)
	{
		FgSpan		word = {words[i].bytes, words[i].length};

		all[i] = (FgLaneSeries) {names[i], (FgLaneKind) fg_word(word, "kinds", kinds,
																lengthof(kinds))};
	}
	lanes->series = all;
	lanes->nseries = (uint32_t) n;
}

static void
check_row(const FgLanes *lanes, const FgLaneRow *row, size_t i)
{
	if (!isfinite(row->start) || !isfinite(row->stop) || !isfinite(row->value))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("row %zu has a start, stop or value that is null", i + 1)));
	if (row->stop < row->start || (row->value < 0 &&
								   lanes->series[row->series].kind != FG_LANE_LINE))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("row %zu %s", i + 1, row->stop < row->start ? "stops before it starts"
						: "has a negative value")));
}

static void
take_rows(FunctionCallInfo fcinfo, FgLanes *lanes)
{
	size_t		n;
	size_t		nseries;
	uint32_t   *lane = positions_argument(fcinfo, ROW_LANE, "row_lane", lanes->nlanes, &n);
	uint32_t   *series = positions_argument(fcinfo, ROW_SERIES, "row_series", lanes->nseries,
											&nseries);
	FgNumbers	start = required_numbers(fcinfo, ROW_START, "row_start", n);
	FgNumbers	stop = required_numbers(fcinfo, ROW_STOP, "row_stop", n);
	FgNumbers	value = required_numbers(fcinfo, ROW_VALUE, "row_value", n);
	FgLaneRow  *all = palloc_extended((n + 1) * sizeof(FgLaneRow), MCXT_ALLOC_HUGE);

	fg_same_length("row_series", nseries, "row_lane", n);
	for (size_t i = 0; i < n; i++)
	{
		all[i] = (FgLaneRow) {lane[i], series[i], start.values[i], stop.values[i],
		value.values[i]};
		check_row(lanes, &all[i], i);
		if (i % 16384 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	lanes->rows = all;
	lanes->nrows = n;
}

PG_FUNCTION_INFO_V1(jobs_lanes_svg);
Datum
jobs_lanes_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgPlotOptions options = fg_plot_defaults();
	FgLanes		lanes = {.name = {"Timeline", 8}};
	FgBuffer	svg;

	take_lanes(fcinfo, &lanes);
	take_series(fcinfo, &lanes);
	take_rows(fcinfo, &lanes);
	options.title = fg_text_argument(fcinfo, TITLE);
	options.unit = fg_text_argument(fcinfo, UNIT);
	options.width = fg_width_argument(fcinfo, WIDTH);
	options.x_label = (FgText) {"from the begin of the job", 25};
	(void) fg_plot_options(fcinfo, OPTIONS, "lanes_svg", NULL, 0, &options);
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_lanes_svg(&lanes, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
