/*
 * detection_measurements.c
 *	  Arrays of measurements (see detection_measurements.h).
 */
#include "pg/models/detection_measurements.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "pg/base/arrays.h"

static int
compare_locations(FgSpan a, FgSpan b)
{
	int			order = memcmp(a.bytes, b.bytes, Min(a.size, b.size));

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int
compare_measurements(const void *left, const void *right)
{
	const FgMeasurement *a = left;
	const FgMeasurement *b = right;
	int			order = compare_locations(a->location, b->location);

	CHECK_FOR_INTERRUPTS();
	if (order != 0)
		return order;
	if (a->is_target != b->is_target)
		return a->is_target - b->is_target;
	return a->order < b->order ? -1 : 1;
}

bool
fg_same_location(const FgMeasurement *a, const FgMeasurement *b)
{
	return compare_locations(a->location, b->location) == 0;
}

static bool *
side_elements(FunctionCallInfo fcinfo, int *count)
{
	FgArray		array = fg_array_argument(fcinfo, 1, "an element of is_target is null");
	bool	   *sides = palloc_extended(array.count + 1, MCXT_ALLOC_HUGE);
	Datum		side;

	array.null_hint = "It is true for the target and false for the baseline.";
	while (fg_array_next(&array, &side))
		sides[array.next - 1] = DatumGetBool(side);
	*count = array.count;
	return sides;
}

FgMeasurement *
fg_measurements(FgContext *ctx, FunctionCallInfo fcinfo, size_t *count)
{
	bool		positions = PG_ARGISNULL(2);
	int			nlocations;
	int			nsides;
	FgSpan	   *locations = fg_words_argument(fcinfo, 0, "locations", &nlocations);
	bool	   *sides = side_elements(fcinfo, &nsides);
	size_t		nx;
	size_t		ny;
	double	   *x = fg_doubles_or_nan(fcinfo, 2, &nx);
	double	   *y = fg_doubles_or_nan(fcinfo, 3, &ny);
	FgMeasurement *rows = fg_alloc(ctx, ny, sizeof(FgMeasurement));

	if ((size_t) nlocations != ny || (size_t) nsides != ny || (!positions && nx != ny))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("locations has %d elements, is_target %d, xs %zu, ys %zu", nlocations,
						nsides, nx, ny),
				 errhint("Each measurement has a location, a side, x and y; NULL for xs stands "
						 "for positions.")));
	*count = 0;
	for (size_t i = 0; i < ny; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (isnan(y[i]) || (!positions && isnan(x[i])))
			continue;
		rows[(*count)++] = (FgMeasurement) {
			locations[i], sides[i], (int) i, positions ? 0 : x[i], y[i]
		};
	}
	qsort(rows, *count, sizeof(FgMeasurement), compare_measurements);
	for (size_t i = 0, position = 0; positions && i < *count; i++)
	{
		bool		continues = i > 0 && rows[i].is_target == rows[i - 1].is_target &&
			fg_same_location(&rows[i], &rows[i - 1]);

		position = continues ? position + 1 : 1;
		rows[i].x = (double) position;
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return rows;
}
