/*
 * distribution.h
 *	  The beta, F, t and normal distributions: regularised functions, survival
 *	  functions and their inverses; and derivatives of log Gamma.
 *
 * Relative error at most 1e-12, survival down to 1e-300: upper tails are computed as
 * such and never as 1 - cdf.  NaN for NaN or parameters outside their domain.
 */
#ifndef FG_DISTRIBUTION_H
#define FG_DISTRIBUTION_H

/* I_x(a, b) and 1 - I_x(a, b), each to full precision; a, b > 0, 0 <= x <= 1. */
extern double fg_beta_cdf(double x, double a, double b);
extern double fg_beta_survival(double x, double a, double b);

/* P(F > f) and f with that probability; df1, df2 > 0, real. */
extern double fg_f_survival(double f, double df1, double df2);
extern double fg_f_upper_quantile(double p, double df1, double df2);

/* P(|T| > |t|); t with P(T > t) = p; df > 0, real, may be infinite (normal). */
extern double fg_t_two_sided(double t, double df);
extern double fg_t_upper_quantile(double p, double df);

extern double fg_normal_survival(double z);

/*
 * The first and second derivative of log Gamma(x), x > 0, and the x whose trigamma is y,
 * y > 0 (Smyth 2004, appendix).  NaN outside; an infinite x or y gives the limit.
 * digamma has an absolute error of 1e-15 where it is below 1.
 */
extern double fg_digamma(double x);
extern double fg_trigamma(double x);
extern double fg_trigamma_inverse(double y);

#endif							/* FG_DISTRIBUTION_H */
