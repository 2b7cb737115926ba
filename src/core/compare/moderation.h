/*
 * moderation.h
 *	  Keys lend each other their variance: moderated variances by empirical Bayes.
 *
 * Three runs say little about the variance of one key, but there are hundreds of keys.
 * Smyth (2004, sections 3 and 6) takes the variances of all keys as drawn from a scaled
 * inverse chi-squared distribution with d0 degrees of freedom around s0^2, and estimates
 * both from the logarithms of the sample variances.  s0^2 follows the logarithm of the
 * mean by a natural cubic spline (the trend of Law, Chen, Shi and Smyth 2014).  The
 * numbers are those of squeezeVar() in R's limma 3.54, its trend without robustness, unless
 * there are outliers (after Phipson et al. 2016, by a test): a lock that is hot in one run of
 * ten neither lends its variance nor borrows a smaller one.
 *
 *	e = log s^2 - digamma(d / 2) + log(d / 2),	trend: least squares of e on the spline of x
 *	v = residual variance of e - trigamma(d / 2)
 *	d0 = 2 trigamma^-1(v), s0^2 = exp(trend + digamma(d0 / 2) - log(d0 / 2))
 *	s~^2 = (d0 s0^2 + d s^2) / (d0 + d), with d0 infinite s0^2
 *
 * If v is not positive the keys differ no more than samples of one variance do, and d0 is
 * infinite: s0^2 = exp(trend), or the mean variance where the trend is a constant.
 */
#ifndef FG_MODERATION_H
#define FG_MODERATION_H

#include "core/base/context.h"

/* Which variance a test of a key uses. */
typedef enum FgVariance
{
	FG_VARIANCE_OWN,
	FG_VARIANCE_MODERATED
} FgVariance;

/*
 * What is given: "count" sample variances (or anything that is a variance up to a factor
 * that its key is known to have) of df > 0 degrees of freedom each, and a covariate for
 * each, as a rule the logarithm of the key's mean.  A key whose covariate or variance is
 * not finite, or whose variance is an outlier, takes no part: it neither lends nor borrows.
 *
 * What is found, by key: the prior variance s0^2 (NaN for a key that takes no part) and
 * the posterior one, s~^2 (the variance as given for a key that takes no part).  With a
 * single key there is nobody to lend: d0 is 0 and s~^2 = s^2.
 */
typedef struct FgModeration
{
	uint32_t	count;
	double		df;				/* d, of each variance */
	uint32_t	used;			/* keys that take part */
	double		prior_df;		/* d0, 0 to infinity */
	double		total_df;		/* of s~^2: the smaller of d + d0 and d times "used" */
	double		outlier;		/* variances of so many times their prior are outliers; or infinite */
	double	   *prior;			/* by key */
	double	   *posterior;
} FgModeration;

/*
 * variance >= 0 or not finite.  Release the result with fg_moderation_free.  False only
 * for want of memory or an interrupt.
 */
extern bool fg_moderate(FgContext *ctx, const double *variance, const double *covariate,
						uint32_t count, double df, FgModeration *result);
extern void fg_moderation_free(FgContext *ctx, FgModeration *result);

/*
 * The prior of other keys, which borrow from those of a moderation and lend them nothing:
 * that of their covariate, its logarithm linear between the covariates of the keys that
 * lent, and constant beyond these.
 */
typedef struct FgLender
{
	const FgModeration *moderation;
	uint32_t	count;
	double	   *covariate;		/* ascending */
	double	   *log_prior;
} FgLender;

/* The covariates are those of the moderation, which outlives the lender. */
extern bool fg_lender_begin(FgContext *ctx, const FgModeration *moderation,
							const double *covariate, FgLender *lender);
extern void fg_lender_free(FgContext *ctx, FgLender *lender);

/* s~^2 of another key; NaN when it may not borrow, as a key that takes no part. */
extern double fg_lender_posterior(const FgLender *lender, double variance, double covariate);

/*
 * Least squares of any values on the same spline.  A value that is NaN does not count, and gets
 * a trend; a key whose covariate is not finite gets NaN.  *explained is the sum of squares of the
 * trend, over the values that count.
 */
extern bool fg_trend(FgContext *ctx, const double *values, const double *covariate,
					 uint32_t count, double *trend, double *explained);

#endif							/* FG_MODERATION_H */
