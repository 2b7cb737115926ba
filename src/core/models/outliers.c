/*
 * outliers.c
 *	  Outliers among the changes of exclusive times (see outliers.h).
 */
#include "core/models/outliers.h"

#include "core/base/series.h"

#include <math.h>
#include <string.h>

#define Z_FACTOR 0.6745
#define Z_LIMIT 3.5
#define IQR_FENCE 1.5
#define STDDEV_LIMIT 2

typedef struct Outliers
{
	FgContext  *ctx;
	double	   *delta;			/* by function */
	double	   *spare;
	size_t		n;
	double		total_target;
	double		median;
	double		mad;			/* median absolute deviation */
	double		q1;
	double		q3;
	double		stddev;			/* of the functions that are no outliers */
} Outliers;

const char *
fg_outlier_word(FgOutlierClass result)
{
	static const char *const words[] = {
		"no_change", "not_in_baseline", "not_in_target", "severe_degradation",
		"severe_optimization", "degradation", "optimization", "maybe_degradation",
		"maybe_optimization", "total_degradation", "total_optimization"
	};

	return words[result];
}

/* --- measures of one change --------------------------------------------------------- */

/* Of something by a spread that may be 0. */
static double
multiple_of(double value, double spread)
{
	if (spread != 0)
		return value / spread;
	return value == 0 ? 0 : copysign(INFINITY, value);
}

static double
modified_z(const Outliers *o, double delta)
{
	double		deviation = fabs(delta - o->median);

	return o->mad == 0 ? multiple_of(deviation, 0) : Z_FACTOR * deviation / o->mad;
}

/* Beyond a fence this is positive on both sides. */
static double
iqr_multiple(const Outliers *o, double delta)
{
	double		iqr = o->q3 - o->q1;

	if (delta < o->q1 - IQR_FENCE * iqr)
		return multiple_of(o->q1 - delta, iqr);
	if (delta > o->q3 + IQR_FENCE * iqr)
		return multiple_of(delta - o->q3, iqr);
	return NAN;
}

static bool
is_outlier(const Outliers *o, double delta)
{
	return modified_z(o, delta) > Z_LIMIT || !isnan(iqr_multiple(o, delta));
}

/* --- measures of all ---------------------------------------------------------------- */

static bool
find_deltas(Outliers *o, const double *baseline, const double *target, const bool *in_baseline,
			const bool *in_target, double *total_delta)
{
	for (size_t i = 0; i < o->n; i++)
	{
		double		before = in_baseline[i] ? baseline[i] : 0;
		double		after = in_target[i] ? target[i] : 0;

		if (!fg_check_every(o->ctx, i))
			return false;
		o->delta[i] = after - before;
		o->total_target += after;
		*total_delta += o->delta[i];
		if (!isfinite(o->delta[i]) || !isfinite(o->total_target) || !isfinite(*total_delta))
			return fg_fail(o->ctx, FG_ERROR_RANGE, "exclusive times are out of range");
	}
	return true;
}

static bool
find_quartiles(Outliers *o)
{
	if (!fg_copy(o->ctx, o->spare, o->delta, o->n * sizeof(double)) ||
		!fg_sort_values(o->ctx, o->spare, o->n))
		return false;
	o->median = fg_median(o->spare, o->n);
	o->q1 = fg_quantile(o->spare, o->n, 0.25);
	o->q3 = fg_quantile(o->spare, o->n, 0.75);
	for (size_t i = 0; i < o->n; i++)
		o->spare[i] = fabs(o->delta[i] - o->median);
	if (!fg_sort_values(o->ctx, o->spare, o->n))
		return false;
	o->mad = fg_median(o->spare, o->n);
	return true;
}

static bool
find_stddev(Outliers *o)
{
	size_t		m = 0;

	for (size_t i = 0; i < o->n; i++)
	{
		if (!fg_check_every(o->ctx, i))
			return false;
		if (!is_outlier(o, o->delta[i]))
			o->spare[m++] = o->delta[i];
	}
	o->stddev = m < 2 ? 0 : fg_deviation(o->spare, m, m - 1);
	return true;
}

/* A change of 0 is none, however unlike the others it is. */
static FgOutlierClass
classify(const FgOutlier *row)
{
	bool		worse = row->delta > 0;

	if (row->delta == 0)
		return FG_OUTLIER_NONE;
	if (row->modified_z > Z_LIMIT)
		return worse ? FG_OUTLIER_SEVERE_DEGRADATION : FG_OUTLIER_SEVERE_OPTIMIZATION;
	if (!isnan(row->iqr_multiple))
		return worse ? FG_OUTLIER_DEGRADATION : FG_OUTLIER_OPTIMIZATION;
	if (fabs(row->stddev_multiple) > STDDEV_LIMIT)
		return worse ? FG_OUTLIER_MAYBE_DEGRADATION : FG_OUTLIER_MAYBE_OPTIMIZATION;
	return FG_OUTLIER_NONE;
}

static FgOutlier
measure(const Outliers *o, size_t function, bool in_baseline, bool in_target)
{
	double		delta = o->delta[function];
	FgOutlier	row = {
		.function = function, .delta = delta,
		.share = o->total_target == 0 ? NAN : delta / o->total_target,
		.modified_z = modified_z(o, delta), .iqr_multiple = iqr_multiple(o, delta),
		.stddev_multiple = multiple_of(delta, o->stddev)
	};

	if (!in_baseline)
		row.result = FG_OUTLIER_NOT_IN_BASELINE;
	else if (!in_target)
		row.result = FG_OUTLIER_NOT_IN_TARGET;
	else
		row.result = classify(&row);
	return row;
}

static bool
find_rows(const Outliers *o, const bool *in_baseline, const bool *in_target, double cutoff,
		  FgOutliers *outliers)
{
	outliers->rows = fg_alloc(o->ctx, o->n, sizeof(FgOutlier));
	for (size_t i = 0; outliers->rows != NULL && i < o->n; i++)
	{
		FgOutlier	row = measure(o, i, in_baseline[i], in_target[i]);

		/* not ">=": a row without share stays */
		if (!(fabs(row.share) < cutoff))
			outliers->rows[outliers->count++] = row;
		if (fg_check_every(o->ctx, i))
			continue;
		fg_release(o->ctx, outliers->rows);
		outliers->rows = NULL;
	}
	return outliers->rows != NULL;
}

bool
fg_outliers(FgContext *ctx, const double *baseline, const double *target, const bool *in_baseline,
			const bool *in_target, size_t n, double cutoff, FgOutliers *outliers)
{
	Outliers	o = {.ctx = ctx, .n = n};
	bool		ok;

	memset(outliers, 0, sizeof(*outliers));
	if (!(cutoff >= 0))
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Use a fraction of the total time, for example 0.01.",
						  "cutoff must not be %g", cutoff);
	if (n == 0)
		return true;
	o.delta = fg_alloc(ctx, n, sizeof(double));
	o.spare = fg_alloc(ctx, n, sizeof(double));
	ok = o.delta != NULL && o.spare != NULL &&
		find_deltas(&o, baseline, target, in_baseline, in_target, &outliers->total_delta) &&
		find_quartiles(&o) && find_stddev(&o) &&
		find_rows(&o, in_baseline, in_target, cutoff, outliers);
	if (outliers->total_delta != 0)
		outliers->result = outliers->total_delta > 0 ? FG_OUTLIER_TOTAL_DEGRADATION :
			FG_OUTLIER_TOTAL_OPTIMIZATION;
	fg_release(ctx, o.delta);
	fg_release(ctx, o.spare);
	return ok;
}
