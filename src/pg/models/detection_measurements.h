/*
 * detection_measurements.h
 *	  Measurements of many locations of a program, in a baseline and a target.
 */
#ifndef FG_MEASUREMENTS_H
#define FG_MEASUREMENTS_H

#include "pg/base/values.h"

typedef struct FgMeasurement
{
	FgSpan		location;
	bool		is_target;
	int			order;			/* of the row, for positions */
	double		x;
	double		y;
} FgMeasurement;

/*
 * The measurements of arguments locations, is_target, xs and ys, the first four, sorted
 * by location (bytewise) and side.  Without xs, x is the position among those of the
 * same location and side; rows without x or y are left out.
 */
extern FgMeasurement *fg_measurements(FgContext *ctx, FunctionCallInfo fcinfo, size_t *count);

extern bool fg_same_location(const FgMeasurement *a, const FgMeasurement *b);

#endif							/* FG_MEASUREMENTS_H */
