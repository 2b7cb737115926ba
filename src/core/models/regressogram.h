/*
 * regressogram.h
 *	  Mean or median of y in buckets of equal width of x.
 *
 * Buckets contain their left edge but not their right one, except that the last
 * contains both.  Which bucket a point is in is decided by comparing it with the
 * rounded edges.
 */
#ifndef FG_REGRESSOGRAM_H
#define FG_REGRESSOGRAM_H

#include "core/base/context.h"
#include "core/base/choice.h"

/* No rule makes more, and no caller may ask for more. */
#define FG_MAX_BUCKETS 1000000

/* Rules for the number of buckets, as numpy.histogram_bin_edges has them. */
typedef enum FgBucketRule
{
	FG_BUCKETS_AUTO,
	FG_BUCKETS_DOANE,
	FG_BUCKETS_FD,
	FG_BUCKETS_RICE,
	FG_BUCKETS_SCOTT,
	FG_BUCKETS_SQRT,
	FG_BUCKETS_STURGES
} FgBucketRule;

typedef enum FgBucketStatistic
{
	FG_BUCKET_MEAN,
	FG_BUCKET_MEDIAN
} FgBucketStatistic;

typedef struct FgRegressogram
{
	uint32_t	buckets;		/* 0 without points; the arrays are NULL then */
	double	   *edge;			/* buckets + 1 */
	double	   *value;			/* NaN for an empty bucket */
	uint64_t   *points;
	double		x_start;		/* the first and the last edge */
	double		x_end;
	double		y_start;		/* the least y */
	double		r_square;
} FgRegressogram;

extern const char *fg_bucket_rule_word(FgBucketRule rule);
extern const char *fg_bucket_statistic_word(FgBucketStatistic statistic);

/* FG_ERROR_ARGUMENT for an unknown word. */
extern bool fg_bucket_rule_parse(FgContext *ctx, const char *text, size_t length,
								 FgBucketRule *rule);
extern bool fg_bucket_statistic_parse(FgContext *ctx, const char *text, size_t length,
									  FgBucketStatistic *statistic);

/*
 * buckets is FG_NOT_GIVEN to go by the rule.  Numbers are finite, in any order.
 * FG_ERROR_ARGUMENT for a number of buckets that is not in 1 .. FG_MAX_BUCKETS,
 * FG_ERROR_RANGE when the width of the whole does not fit a double.
 */
extern bool fg_regressogram(FgContext *ctx, const double *x, const double *y, size_t n,
							int64_t buckets, FgBucketRule rule, FgBucketStatistic statistic,
							FgRegressogram *result);
extern void fg_regressogram_free(FgContext *ctx, FgRegressogram *result);

#endif							/* FG_REGRESSOGRAM_H */
