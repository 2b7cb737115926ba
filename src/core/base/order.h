/*
 * order.h
 *	  The order of rows: by a number, the largest first; rows of equal numbers keep
 *	  their places, which is the bytewise order of what they are about.
 */
#ifndef FG_ORDER_H
#define FG_ORDER_H

#include "core/base/context.h"

/*
 * order[i] becomes the index of the i-th largest value; NaN comes last.  A merge
 * sort: no input makes it quadratic, and it can be interrupted.
 */
extern bool fg_order_descending(FgContext *ctx, const double *values, uint32_t count,
								uint32_t *order);

/*
 * The same by a comparison: order[i] becomes the index of the i-th element, where
 * compare(arg, a, b) is below 0, 0 or above 0 for elements a and b.  Equal ones keep
 * their places.
 */
typedef int (*FgCompare) (const void *arg, uint32_t a, uint32_t b);

extern bool fg_order_by(FgContext *ctx, uint32_t count, FgCompare compare, const void *arg,
						uint32_t *order);

#endif							/* FG_ORDER_H */
