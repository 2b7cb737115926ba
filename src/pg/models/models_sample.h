/*
 * models_sample.h
 *	  Points on their way to a model: arrays of a call, or the state of an aggregate.
 */
#ifndef FG_MODEL_SAMPLE_H
#define FG_MODEL_SAMPLE_H

#include "pg/models/perfmodel.h"

#include "utils/jsonb.h"

/* Pairs that a model is fitted to: finite, sorted by (x, y). */
typedef struct FgSample
{
	double	   *x;
	double	   *y;
	size_t		n;
} FgSample;

/*
 * The pairs of two float8[] arguments.  A null for xs stands for positions from 1; a
 * pair with a null element is dropped.  Errors: 2202E for unequal lengths, 22003 for
 * NaN and infinities.
 */
extern FgSample fg_sample_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int xs, int ys);

/*
 * The pairs of an aggregate's state, copied and sorted, and its options; false for a
 * state that is null or has no pair.
 */
extern bool fg_sample_state(FgContext *ctx, FunctionCallInfo fcinfo, FgSample *sample,
							Jsonb **options);

#endif							/* FG_MODEL_SAMPLE_H */
