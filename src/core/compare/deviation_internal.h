/*
 * deviation_internal.h
 *	  What only the tests of deviations look at by itself.
 */
#ifndef FG_DEVIATION_INTERNAL_H
#define FG_DEVIATION_INTERNAL_H

/* P(|T| > |t|) of the new run, t = score / sqrt(1 + 1/n) with n - 1 degrees of freedom. */
extern double fg_deviation_p_value(double score, double n);

#endif							/* FG_DEVIATION_INTERNAL_H */
