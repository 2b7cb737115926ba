/*
 * distribution_internal.h
 *	  What only the tests of distributions look at by itself.
 */
#ifndef FG_DISTRIBUTION_INTERNAL_H
#define FG_DISTRIBUTION_INTERNAL_H

/* x with fg_beta_survival(x, a, b) = p, 0 <= p <= 1. */
extern double fg_beta_upper_quantile(double p, double a, double b);

/* P(T > t); df > 0, real, may be infinite (normal). */
extern double fg_t_survival(double t, double df);

/* z with fg_normal_survival(z) = p. */
extern double fg_normal_upper_quantile(double p);

#endif							/* FG_DISTRIBUTION_INTERNAL_H */
