/*
 * moving_average_internal.h
 *	  What only the fuzzer of models calls by itself.
 */
#ifndef FG_MOVING_AVERAGE_INTERNAL_H
#define FG_MOVING_AVERAGE_INTERNAL_H

#include "core/models/moving_average.h"

/* FG_ERROR_ARGUMENT for options out of range, or that the method does not have. */
extern bool fg_average_check(FgContext *ctx, const FgAverageOptions *options);

#endif							/* FG_MOVING_AVERAGE_INTERNAL_H */
