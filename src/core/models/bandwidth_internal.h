/*
 * bandwidth_internal.h
 *	  The rules of thumb by themselves, for their tests.
 */
#ifndef FG_BANDWIDTH_INTERNAL_H
#define FG_BANDWIDTH_INTERNAL_H

#include <stddef.h>

/*
 * Scott: 1.059 A n^(-1/5), Silverman: 0.9 A n^(-1/5), where A is the smaller one of the
 * standard deviation and the interquartile range / 1.349, without the latter if it is 0.
 * 1 where A is 0 or there are fewer than two points.  x ascends.
 */
extern double fg_bandwidth_scott(const double *x, size_t n);
extern double fg_bandwidth_silverman(const double *x, size_t n);

#endif							/* FG_BANDWIDTH_INTERNAL_H */
