/*
 * distribution_internal.h
 *	  What only the tests of distributions look at by itself.
 */
#ifndef FG_DISTRIBUTION_INTERNAL_H
#define FG_DISTRIBUTION_INTERNAL_H

/* z with fg_normal_survival(z) = p. */
extern double fg_normal_upper_quantile(double p);

#endif							/* FG_DISTRIBUTION_INTERNAL_H */
