/*
 * detection_internal.h
 *	  What only the tests of change detection look at by itself.
 */
#ifndef FG_DETECTION_INTERNAL_H
#define FG_DETECTION_INTERNAL_H

#include "core/models/detection.h"

/* The integral of n values at strictly ascending x. */
extern double fg_integral_of(FgIntegralRule rule, const double *x, const double *y, size_t n);

#endif							/* FG_DETECTION_INTERNAL_H */
