/*
 * detection.h
 *	  Has the performance changed between a baseline and a target?  The integral
 *	  comparison of two curves (Stupinsky 2019, section 6.1), and Perun's checks that need
 *	  no curve.
 *
 * Relative errors are fractions: 0.1 is 10 %.  A NaN stands for what does not exist.
 */
#ifndef FG_DETECTION_H
#define FG_DETECTION_H

#include "core/models/curve.h"

typedef enum FgChangeVerdict
{
	FG_NO_CHANGE,
	FG_MAYBE_DEGRADATION,
	FG_DEGRADATION,
	FG_MAYBE_OPTIMIZATION,
	FG_OPTIMIZATION,
	FG_UNKNOWN
} FgChangeVerdict;

/* "no_change", ... */
extern const char *fg_change_verdict_word(FgChangeVerdict result);

/* Up to "no_change" nothing has changed, up to "change" perhaps; both inclusive. */
typedef struct FgThresholds
{
	double		no_change;
	double		change;
} FgThresholds;

#define FG_DEFAULT_THRESHOLDS ((FgThresholds) {0.10, 0.25})

/* For comparisons with a threshold: what is exactly 10 % is never above 10 %. */
#define FG_SLACK 1e-12

/* FG_ERROR_ARGUMENT unless 0 <= no_change <= change. */
extern bool fg_thresholds_check(FgContext *ctx, const FgThresholds *thresholds);

/* (target - baseline) / baseline; both 0: 0; only the baseline: infinity, signed as the target. */
extern double fg_relative(double target, double baseline);

/* FG_UNKNOWN for NaN. */
extern FgChangeVerdict fg_classify(double relative, const FgThresholds *thresholds);

/* The classes by the direction of a change: of its sign. */
extern FgChangeVerdict fg_changed(double sign, bool maybe);

/*
 * Whether the curves share an interval, lo < hi; and the smaller R^2 of the two models,
 * NaN when one has none.
 */
extern bool fg_common_interval(const FgCurve *baseline, const FgCurve *target, double *lo,
							   double *hi);
extern double fg_confidence(const FgCurve *baseline, const FgCurve *target);

/* The i-th of "count" + 1 equally spaced points from lo to hi; the last is hi itself. */
extern double fg_spaced(double lo, double hi, size_t i, size_t count);

/* Of sub-intervals or samples in one call. */
#define FG_MAX_PARTS 1000000

/* FG_ERROR_ARGUMENT unless least <= count <= FG_MAX_PARTS; name is that of the parameter. */
extern bool fg_parts_check(FgContext *ctx, const char *name, int64_t count, int64_t least);

/* --- points that two curves share --------------------------------------------------- */

typedef struct FgSharedPoints
{
	size_t		n;
	double	   *x;
	double	   *baseline;
	double	   *target;
} FgSharedPoints;

/*
 * Copies the points where both values exist.  FG_ERROR_RANGE for an infinite value or an
 * x that is not finite; FG_ERROR_ARGUMENT if x has to ascend strictly and does not.
 */
extern bool fg_shared_points_copy(FgContext *ctx, const double *x, const double *baseline,
								  const double *target, size_t n, bool ascending,
								  FgSharedPoints *shared);

/* Both curves at "samples" (at least 2) points from lo to hi, where both are finite. */
extern bool fg_shared_points_of_curves(FgContext *ctx, const FgCurve *baseline,
									   const FgCurve *target, double lo, double hi,
									   size_t samples, FgSharedPoints *shared);
extern void fg_shared_points_free(FgContext *ctx, FgSharedPoints *shared);

/* --- integrals ---------------------------------------------------------------------- */

typedef struct FgIntegralComparison
{
	FgChangeVerdict result;
	double		relative_error;
	double		confidence;
	double		baseline_integral;
	double		target_integral;
	double		x_from;
	double		x_to;
} FgIntegralComparison;

/* Over the common interval; without one FG_UNKNOWN, and NaN but for the confidence. */
extern bool fg_integral_comparison(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
								   const FgThresholds *thresholds,
								   FgIntegralComparison *comparison);

/*
 * On each of "intervals" equal parts of the common interval, in *count rows (0 without a
 * common interval) to be freed with fg_release.  The confidence is that of the whole.
 */
extern bool fg_integral_intervals(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
								  int64_t intervals, const FgThresholds *thresholds,
								  FgIntegralComparison **parts, size_t *count);

/*
 * Joins adjacent parts of the same class, with the relative error of their common
 * integrals, and leaves out what has not changed or is unknown.  *count is then how many
 * are left.  Fails only when it is interrupted.
 */
extern bool fg_integral_merge(FgContext *ctx, FgIntegralComparison *parts, size_t *count);

typedef enum FgIntegralRule
{
	FG_TRAPEZOID,
	FG_SIMPSON					/* over an odd number of intervals: scipy's rule "avg" */
} FgIntegralRule;

/*
 * The same comparison of values at shared abscissae, without confidence; points where
 * one of them is NaN are left out, and fewer than two leave FG_UNKNOWN.
 */
extern bool fg_integral_points(FgContext *ctx, const double *x, const double *baseline,
							   const double *target, size_t n, FgIntegralRule rule,
							   const FgThresholds *thresholds, FgIntegralComparison *comparison);

/* --- without curves ----------------------------------------------------------------- */

typedef struct FgAverageAmount
{
	FgChangeVerdict result;
	double		ratio;
	double		baseline_mean;
	double		target_mean;
} FgAverageAmount;

/* Twice the mean is a degradation, half of it an optimization; FG_UNKNOWN without values. */
extern bool fg_average_amount(FgContext *ctx, const double *baseline, size_t nbaseline,
							  const double *target, size_t ntarget, FgAverageAmount *amount);

typedef struct FgModelOrder
{
	FgChangeVerdict result;
	int			rate;			/* steps in the order of complexity */
	double		confidence;
} FgModelOrder;

/* Of the best parametric models and their R^2. */
extern FgModelOrder fg_best_model_order(FgFormula baseline, double baseline_r_square,
										FgFormula target, double target_r_square);

#define FG_NO_FORMULA (-1)

typedef struct FgModelDifference
{
	FgChangeVerdict result;
	double		relative_error;
	double		sum_error;		/* signed */
	int			polynomial;		/* FG_CONSTANT, FG_LINEAR, FG_QUADRATIC or FG_NO_FORMULA */
	int			fast_check;		/* an FgFormula or FG_NO_FORMULA */
} FgModelDifference;

/*
 * The difference of two formulas at equally spaced points of their common interval, and
 * what kind of function it is.  Points where it is undefined or overflows are left out.
 * Only thresholds->change counts.  FG_ERROR_ARGUMENT for curves of another kind.
 */
extern bool fg_model_difference(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
								int64_t samples, const FgThresholds *thresholds,
								FgModelDifference *difference);

#endif							/* FG_DETECTION_H */
