/*
 * hotelling_internal.h
 *	  What only the tests of Hotelling's test look at by itself.
 */
#ifndef FG_HOTELLING_INTERNAL_H
#define FG_HOTELLING_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* sqrt(F* variance / G^2), the half width of an interval. */
extern double fg_hotelling_half_width(size_t n1, size_t n2, uint32_t p, double f_critical,
									  double variance);

#endif							/* FG_HOTELLING_INTERNAL_H */
