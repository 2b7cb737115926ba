/*
 * fuzz_model.c
 *	  Performance models: damaged bytes of models, and fits to series made of the
 *	  input's bytes.
 *
 * The first byte chooses.  Properties of bytes: what the decoder accepts encodes to
 * bytes that decode to the same, and can be evaluated, integrated and compared without
 * harm; compared with itself it has not changed.  Of series: every fit is a model that
 * may be stored, its values are finite or do not exist, R^2 is at most 1, windows agree
 * with a plain loop, and scaling y (or x) by a power of two scales the result exactly.
 */
#include "support.h"

#include "core/base/series.h"
#include "core/models/bandwidth.h"
#include "core/models/curve.h"
#include "core/models/detection.h"
#include "core/models/kernel_regression.h"
#include "core/models/local_statistics.h"
#include "core/models/model.h"
#include "core/models/moving_average.h"
#include "core/models/moving_average_internal.h"
#include "core/models/outliers.h"
#include "core/models/parametric.h"
#include "core/models/regressogram.h"

#include <math.h>

#define MAX_POINTS 96

/* --- what every model has to fulfil ---------------------------------------------------- */

static bool
is_result(FgChangeVerdict result)
{
	return result >= FG_NO_CHANGE && result <= FG_UNKNOWN;
}

/* Memory may run out, numbers may overflow; nothing else has a reason to fail. */
static bool
done(FgContext *ctx, bool ok)
{
	REQUIRE(ok || ctx->error.code == FG_ERROR_MEMORY || ctx->error.code == FG_ERROR_RANGE);
	return ok;
}

static bool
same_double(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void
require_same_model(const FgModel *a, const FgModel *b)
{
	REQUIRE(a->kind == b->kind && a->n == b->n && a->rows == b->rows);
	REQUIRE(same_double(a->x_start, b->x_start) && same_double(a->x_end, b->x_end));
	REQUIRE(same_double(a->r_square, b->r_square) && same_double(a->r_square_y, b->r_square_y));
	REQUIRE(same_double(a->y_start, b->y_start));
	REQUIRE(a->parameters_size == b->parameters_size);
	REQUIRE(a->parameters_size == 0 ||
			memcmp(a->parameters, b->parameters, a->parameters_size) == 0);
	for (uint32_t c = 0; c < fg_model_columns(a->kind); c++)
	{
		for (uint64_t i = 0; i < fg_model_column_rows(a->kind, c, a->rows); i++)
			REQUIRE(same_double(a->column[c][i], b->column[c][i]));
	}
}

/* There and back; the second encoding is that of the first. */
static void
require_encoding(FgContext *ctx, const FgModel *model)
{
	FgModel		again;
	size_t		size;
	size_t		size_again;
	uint8_t    *bytes;
	uint8_t    *bytes_again;

	REQUIRE(fg_model_check(ctx, model));
	REQUIRE(fg_model_size(ctx, model, &size));
	bytes = malloc(size);
	REQUIRE(fg_model_encode(ctx, model, bytes));
	if (fg_model_decode(ctx, bytes, size, &again))
	{
		require_same_model(model, &again);
		REQUIRE(fg_model_size(ctx, &again, &size_again) && size_again == size);
		bytes_again = malloc(size);
		REQUIRE(fg_model_encode(ctx, &again, bytes_again));
		REQUIRE(memcmp(bytes, bytes_again, size) == 0);
		fg_model_free(ctx, &again);
		free(bytes_again);
	}
	else
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
	free(bytes);
}

static void
require_curve(const FgCurve *curve)
{
	static const double shares[] = {-0.5, 0, 0.1, 0.5, 0.9, 1, 1.5};
	double		least = INFINITY;
	double		greatest = -INFINITY;

	for (size_t i = 0; curve->kind != FG_CURVE_FORMULA && i < curve->n; i++)
	{
		REQUIRE(!isinf(curve->y[i]) && isfinite(curve->x[i]));
		REQUIRE(i == 0 || (curve->kind == FG_CURVE_POINTS ? curve->x[i] > curve->x[i - 1]
						   : curve->x[i] >= curve->x[i - 1]));
		least = fmin(least, curve->y[i]);
		greatest = fmax(greatest, curve->y[i]);
	}
	if (isnan(curve->start))
		return;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
	{
		double		t = curve->start + (curve->end - curve->start) * shares[i];
		double		value = fg_curve_value(curve, t);
		double		slack = 1e-15 * fmax(fabs(least), fabs(greatest));

		if (!isfinite(t))
			continue;
		if (curve->kind != FG_CURVE_FORMULA)
			REQUIRE(isnan(value) || (value >= least - slack && value <= greatest + slack));
		REQUIRE(same_double(fg_curve_integral(curve, t, curve->end),
							-fg_curve_integral(curve, curve->end, t)));
		if (curve->kind == FG_CURVE_POINTS)
			REQUIRE(fg_curve_integral(curve, t, t) == 0);
	}
	if (curve->kind == FG_CURVE_POINTS && curve->n > 0)
	{
		REQUIRE(fg_curve_value(curve, curve->start) == curve->y[0]);
		REQUIRE(fg_curve_value(curve, curve->end) == curve->y[curve->n - 1]);
	}
}

static void
require_intervals(FgContext *ctx, const FgCurve *a, const FgCurve *b, bool same)
{
	FgThresholds thresholds = FG_DEFAULT_THRESHOLDS;
	FgIntegralComparison *parts;
	size_t		count;
	size_t		merged;

	if (!done(ctx, fg_integral_intervals(ctx, a, b, 7, &thresholds, &parts, &count)))
		return;
	REQUIRE(count == 0 || count == 7);
	for (size_t i = 0; i < count; i++)
	{
		REQUIRE(parts[i].result == fg_classify(parts[i].relative_error, &thresholds));
		REQUIRE(parts[i].x_from <= parts[i].x_to);
		REQUIRE(i == 0 || parts[i].x_from == parts[i - 1].x_to);
		REQUIRE(!same || parts[i].result == FG_NO_CHANGE || parts[i].result == FG_UNKNOWN);
	}
	merged = count;
	REQUIRE(fg_integral_merge(ctx, parts, &merged));
	REQUIRE(merged <= count && (!same || merged == 0));
	for (size_t i = 0; i < merged; i++)
	{
		REQUIRE(parts[i].result != FG_NO_CHANGE && parts[i].result != FG_UNKNOWN);
		REQUIRE(i == 0 || parts[i].x_from >= parts[i - 1].x_to);
	}
	fg_release(ctx, parts);
}

static void
require_chunks(FgContext *ctx, const FgCurve *a, const FgCurve *b, bool same)
{
	FgLocalOptions options = {same ? 0.05 : 0.1, 1, FG_DEFAULT_THRESHOLDS};
	FgLocalStatistics local;

	if (!done(ctx, fg_local_statistics(ctx, a, b, 60, &options, &local)))
		return;
	REQUIRE(local.result == fg_classify(local.relative_error, &options.thresholds));
	for (size_t i = 0; i < local.count; i++)
	{
		REQUIRE(is_result(local.chunks[i].result) && fabs(local.chunks[i].score) <= 7);
		REQUIRE(local.chunks[i].x_from <= local.chunks[i].x_to);
		REQUIRE(!same || local.chunks[i].result == FG_NO_CHANGE ||
				local.chunks[i].result == FG_UNKNOWN);
	}
	fg_merge_chunks(&local);
	for (size_t i = 0; i < local.count; i++)
		REQUIRE(local.chunks[i].result != FG_NO_CHANGE && local.chunks[i].result != FG_UNKNOWN);
	fg_release(ctx, local.chunks);
}

static void
require_comparison(FgContext *ctx, const FgCurve *a, const FgCurve *b, bool same)
{
	FgThresholds thresholds = FG_DEFAULT_THRESHOLDS;
	FgIntegralComparison comparison;
	FgModelDifference difference;

	REQUIRE(fg_integral_comparison(ctx, a, b, &thresholds, &comparison));
	REQUIRE(comparison.result == fg_classify(comparison.relative_error, &thresholds));
	REQUIRE(!same || comparison.result == FG_NO_CHANGE || comparison.result == FG_UNKNOWN);
	require_intervals(ctx, a, b, same);
	require_chunks(ctx, a, b, same);
	if (a->kind != FG_CURVE_FORMULA || b->kind != FG_CURVE_FORMULA)
	{
		REQUIRE(!fg_model_difference(ctx, a, b, 40, &thresholds, &difference));
		REQUIRE(ctx->error.code == FG_ERROR_ARGUMENT);
		return;
	}
	if (!done(ctx, fg_model_difference(ctx, a, b, 40, &thresholds, &difference)))
		return;
	REQUIRE(is_result(difference.result) && difference.polynomial < FG_LOGARITHMIC + 3);
	REQUIRE(!same || difference.result == FG_NO_CHANGE || difference.result == FG_UNKNOWN);
}

/* A model with itself, and with another one. */
static void
use_models(FgContext *ctx, const FgModel *model, const FgModel *other)
{
	FgCurve		curve;
	FgCurve		second;

	if (model->kind == FG_MODEL_SAMPLE)
	{
		REQUIRE(!fg_model_curve(ctx, model, &curve) && ctx->error.code == FG_ERROR_ARGUMENT);
		return;
	}
	if (!done(ctx, fg_model_curve(ctx, model, &curve)))
		return;
	require_curve(&curve);
	require_comparison(ctx, &curve, &curve, true);
	if (other != NULL && other->kind != FG_MODEL_SAMPLE &&
		done(ctx, fg_model_curve(ctx, other, &second)))
	{
		require_comparison(ctx, &curve, &second, false);
		require_comparison(ctx, &second, &curve, false);
		fg_curve_free(ctx, &second);
	}
	fg_curve_free(ctx, &curve);
}

/* --- bytes --------------------------------------------------------------------------------- */

static bool
decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgModel *model)
{
	if (fg_model_decode(ctx, bytes, size, model))
	{
		require_encoding(ctx, model);
		return true;
	}
	REQUIRE(ctx->error.code == FG_ERROR_CORRUPT || ctx->error.code == FG_ERROR_MEMORY);
	for (int c = 0; c < FG_MODEL_COLUMNS; c++)
		REQUIRE(model->column[c] == NULL);
	return false;
}

/* Two models: the size of the first in two bytes, then both. */
static void
fuzz_bytes(FgContext *ctx, FuzzInput *input)
{
	size_t		first = (size_t) fuzz_byte(input) | (size_t) fuzz_byte(input) << 8;
	size_t		size = (size_t) (input->end - input->next);
	uint8_t    *bytes;
	uint8_t    *rest;
	FgModel		model;
	FgModel		other;
	bool		ok;
	bool		both;

	if (first > size)
		first = size;
	/* exact, so that a read too far is seen */
	bytes = malloc(first + (first == 0));
	rest = malloc(size - first + (size == first));
	memcpy(bytes, input->next, first);
	memcpy(rest, input->next + first, size - first);
	ok = decode(ctx, bytes, first, &model);
	both = decode(ctx, rest, size - first, &other);
	if (ok)
		use_models(ctx, &model, both ? &other : NULL);
	if (ok)
		fg_model_free(ctx, &model);
	if (both)
		fg_model_free(ctx, &other);
	free(bytes);
	free(rest);
}

/* --- series -------------------------------------------------------------------------------- */

static const double odd_values[16] = {
	1e300, -1e300, 1.7e308, -1.7e308, 5e-324, -5e-324, 1e-300, 0x1p-1022,
	0x1p53, -0x1p53, 1e15, 123456.789, -0.001, 1e-160, 1e160, 0.1
};

typedef struct Series
{
	FgContext  *ctx;
	FuzzInput  *input;
	size_t		n;
	bool		moderate;		/* no number is so large or small that scaling it is not exact */
	double		x[MAX_POINTS];
	double		y[MAX_POINTS];
	double		scaled[MAX_POINTS];
} Series;

static double
take_value(Series *s)
{
	uint8_t		byte = fuzz_byte(s->input);

	if (byte < 0x60)
		return byte;
	if (byte < 0xA0)
		return (byte - 0x80) / 8.0;
	if (byte < 0xF0)
		return (byte + (fuzz_byte(s->input) << 8)) * 0.01;
	s->moderate = s->moderate && byte >= 0xFA && byte != 0xFD && byte != 0xFE;
	return odd_values[byte & 15];
}

static void
take_series(Series *s)
{
	size_t		n = fuzz_byte(s->input) % (MAX_POINTS + 1);

	s->moderate = true;
	for (s->n = 0; s->n < n; s->n++)
	{
		s->x[s->n] = take_value(s);
		s->y[s->n] = take_value(s);
	}
}

/* Any order of the same pairs sorts to the same. */
static void
require_sort(Series *s)
{
	double		x[MAX_POINTS];
	double		y[MAX_POINTS];

	for (size_t i = 0; i < s->n; i++)
	{
		x[i] = s->x[s->n - 1 - i];
		y[i] = s->y[s->n - 1 - i];
	}
	REQUIRE(fg_series_sort(s->ctx, x, y, s->n) && fg_series_sort(s->ctx, s->x, s->y, s->n));
	for (size_t i = 0; i < s->n; i++)
	{
		REQUIRE(s->x[i] == x[i] && s->y[i] == y[i]);
		REQUIRE(i == 0 || s->x[i] > s->x[i - 1] ||
				(s->x[i] == s->x[i - 1] && s->y[i] >= s->y[i - 1]));
	}
}

static void
require_fitted(const Series *s, const double *fitted, double r_square)
{
	for (size_t i = 0; i < s->n; i++)
		REQUIRE(!isinf(fitted[i]));
	REQUIRE(isnan(r_square) || (isfinite(r_square) && r_square <= 1));
	REQUIRE(s->n < 2 || !isnan(r_square) || isnan(fitted[0]) || isnan(fitted[s->n - 1]));
}

static void
scale_y(Series *s, double factor)
{
	for (size_t i = 0; i < s->n; i++)
		s->scaled[i] = s->y[i] * factor;
}

static void
require_scaled(const double *values, const double *scaled, size_t n, double factor)
{
	for (size_t i = 0; i < n; i++)
		REQUIRE(same_double(values[i] * factor, scaled[i]));
}

/* A fit as a model: it can be stored and used. */
static void
require_model(Series *s, FgModel *model)
{
	model->parameters = "{}";
	model->parameters_size = 2;
	require_encoding(s->ctx, model);
	use_models(s->ctx, model, NULL);
}

static FgModel
points_model(Series *s, int kind, double *fitted, double r_square)
{
	return (FgModel) {
		.kind = kind, .n = s->n, .x_start = s->x[0], .x_end = s->x[s->n - 1],
		.r_square = r_square, .r_square_y = NAN, .y_start = NAN, .rows = s->n,
		.column = {s->x, s->y, fitted}
	};
}

/* --- parametric models ------------------------------------------------------------------------ */

static void
require_parametric(Series *s, FgParametric *fit)
{
	FgModel		model = {
		.kind = (int) fit->formula, .n = fit->n_used, .x_start = fit->x_start,
		.x_end = fit->x_end, .r_square = fit->r_square, .r_square_y = fit->r_square_y,
		.y_start = NAN, .rows = fit->nb, .column = {fit->b}
	};

	REQUIRE(fit->nb == fg_formula_coefficients(fit->formula));
	REQUIRE(isfinite(fit->b[0]) && isfinite(fit->b[1]) && isfinite(fit->b[2]));
	REQUIRE(fit->r_square >= 0 && fit->r_square <= 1 && !(fit->r_square_y > 1));
	REQUIRE(fit->n_used >= 3 && fit->n_used <= s->n && fit->x_start <= fit->x_end);
	require_model(s, &model);
}

static void
require_list(Series *s, bool ok, FgParametric *models, size_t count)
{
	REQUIRE(ok || s->ctx->error.code == FG_ERROR_MEMORY ||
			s->ctx->error.code == FG_ERROR_ARGUMENT);
	for (size_t i = 0; ok && i < count; i++)
	{
		REQUIRE(models[i].best);
		REQUIRE(i == 0 || models[i].x_start >= models[i - 1].x_start);
		require_parametric(s, &models[i]);
	}
	if (ok)
		fg_release(s->ctx, models);
}

static void
fuzz_parametric(Series *s)
{
	unsigned	wanted = fuzz_byte(s->input) & FG_ALL_FORMULAS;
	int64_t		steps = fuzz_byte(s->input) % 12;
	FgParametric models[FG_FORMULAS];
	FgParametric scaled[FG_FORMULAS];
	FgParametric *list;
	uint32_t	count;
	uint32_t	count_scaled;
	size_t		parts;
	int			best;
	int			best_scaled;

	if (!done(s->ctx, fg_parametric_fit(s->ctx, s->x, s->y, s->n, wanted, models, &count, &best)))
		return;
	REQUIRE((count == 0) == (best < 0) && best < (int) count);
	for (uint32_t i = 0; i < count; i++)
	{
		REQUIRE(wanted & FG_FORMULA_BIT(models[i].formula));
		REQUIRE(i == 0 || models[i].formula > models[i - 1].formula);
		REQUIRE(models[i].best == ((int) i == best));
		require_parametric(s, &models[i]);
	}
	require_list(s, fg_parametric_interval(s->ctx, s->x, s->y, s->n, steps, wanted, &list, &parts),
				 list, parts);
	require_list(s, fg_parametric_bisection(s->ctx, s->x, s->y, s->n, wanted, &list, &parts),
				 list, parts);
	if (!s->moderate)
		return;
	wanted &= FG_FORMULA_BIT(FG_LOGARITHMIC) | FG_FORMULA_BIT(FG_LINEAR) |
		FG_FORMULA_BIT(FG_QUADRATIC);
	scale_y(s, 0x1p-40);
	if (!fg_parametric_fit(s->ctx, s->x, s->y, s->n, wanted, models, &count, &best) ||
		!fg_parametric_fit(s->ctx, s->x, s->scaled, s->n, wanted, scaled, &count_scaled,
						   &best_scaled))
		return;
	REQUIRE(count == count_scaled && best == best_scaled);
	for (uint32_t i = 0; i < count; i++)
	{
		require_scaled(models[i].b, scaled[i].b, 3, 0x1p-40);
		REQUIRE(models[i].r_square == scaled[i].r_square);
		REQUIRE(same_double(models[i].r_square_y, scaled[i].r_square_y));
	}
}

/* --- regressograms ------------------------------------------------------------------------------ */

/* Counts, and values between the least and the greatest y of the bucket. */
static void
require_buckets(const Series *s, const FgRegressogram *r)
{
	for (uint32_t b = 0; b < r->buckets; b++)
	{
		double		least = INFINITY;
		double		greatest = -INFINITY;
		uint64_t	points = 0;

		REQUIRE(r->edge[b] <= r->edge[b + 1]);
		for (size_t i = 0; i < s->n; i++)
		{
			if (s->x[i] < r->edge[b] || (b + 1 < r->buckets && s->x[i] >= r->edge[b + 1]))
				continue;
			points++;
			least = fmin(least, s->y[i]);
			greatest = fmax(greatest, s->y[i]);
		}
		REQUIRE(points == r->points[b] && (points == 0) == (isnan(r->value[b]) != 0));
		if (points > 0)
			REQUIRE(r->value[b] >= least - 1e-15 * fabs(least) &&
					r->value[b] <= greatest + 1e-15 * fabs(greatest));
	}
	REQUIRE(s->n == 0 || s->x[0] == s->x[s->n - 1] || r->points[r->buckets - 1] > 0);
}

static void
fuzz_regressogram(Series *s)
{
	uint8_t		byte = fuzz_byte(s->input);
	FgBucketRule rule = (FgBucketRule) (byte % (FG_BUCKETS_STURGES + 1));
	FgBucketStatistic statistic = byte & 0x80 ? FG_BUCKET_MEDIAN : FG_BUCKET_MEAN;
	/* the rules may make a million buckets where some x is far away, which takes its time */
	double		range = s->n == 0 ? 0 : s->x[s->n - 1] - s->x[0];
	bool		by_rule = (byte & 0x40) == 0 && (range < 1e5 || (byte & 0x3C) == 0x3C);
	int64_t		buckets = by_rule ? FG_NOT_GIVEN : fuzz_byte(s->input) + 1;
	double		points[256];
	FgRegressogram r;
	FgRegressogram scaled;
	FgModel		model;

	if (!done(s->ctx, fg_regressogram(s->ctx, s->x, s->y, s->n, buckets, rule, statistic, &r)))
		return;
	REQUIRE((r.buckets == 0) == (s->n == 0));
	REQUIRE(isnan(r.r_square) ? s->n < 2 : r.r_square <= 1);
	if (r.buckets > 0 && r.buckets <= 256)
	{
		require_buckets(s, &r);
		for (uint32_t b = 0; b < r.buckets; b++)
			points[b] = (double) r.points[b];
		model = (FgModel) {
			.kind = FG_MODEL_REGRESSOGRAM, .n = s->n, .x_start = r.x_start, .x_end = r.x_end,
			.r_square = r.r_square, .r_square_y = NAN, .y_start = r.y_start, .rows = r.buckets,
			.column = {r.edge, points, r.value}
		};
		require_model(s, &model);
	}
	if (r.buckets > 1000)
	{
		fg_regressogram_free(s->ctx, &r);
		return;
	}
	scale_y(s, 0x1p50);
	if (s->moderate && fg_regressogram(s->ctx, s->x, s->scaled, s->n, buckets, rule, statistic,
									   &scaled))
	{
		REQUIRE(scaled.buckets == r.buckets && same_double(scaled.r_square, r.r_square));
		require_scaled(r.value, scaled.value, r.buckets, 0x1p50);
		fg_regressogram_free(s->ctx, &scaled);
	}
	/* x far away from where squares are safe: the same buckets */
	for (size_t i = 0; i < s->n; i++)
		s->scaled[i] = s->x[i] * 0x1p-700;
	if (s->moderate && s->n > 0 && s->x[0] != s->x[s->n - 1] &&
		fg_regressogram(s->ctx, s->scaled, s->y, s->n, buckets, rule, statistic, &scaled))
	{
		REQUIRE(scaled.buckets == r.buckets);
		require_scaled(r.edge, scaled.edge, (size_t) r.buckets + 1, 0x1p-700);
		require_scaled(r.value, scaled.value, r.buckets, 1);
		fg_regressogram_free(s->ctx, &scaled);
	}
	fg_regressogram_free(s->ctx, &r);
}

/* --- moving averages ------------------------------------------------------------------------------ */

static FgAverageOptions
take_average(Series *s)
{
	uint8_t		byte = fuzz_byte(s->input);
	FgAverageOptions o = fg_average_defaults((FgAverage) (byte % 3));

	o.center = (byte & 0x80) == 0;
	o.adjust = (byte & 0x80) == 0;
	if (byte & 0x40)
		o.min_periods = fuzz_byte(s->input) % 8;
	if (o.method == FG_EMA)
	{
		*(byte & 0x20 ? byte & 0x10 ? &o.com : &o.span : byte & 0x10 ? &o.halflife : &o.alpha) =
			take_value(s);
		return o;
	}
	if (byte & 0x20)
		o.window_size = fuzz_byte(s->input);
	if (byte & 0x10)
		o.window_size = (int64_t) 1 << (fuzz_byte(s->input) % 63);
	o.weighted = o.method == FG_SMA && byte & 0x08;
	if (o.weighted)
		o.window_type = (FgWindow) (fuzz_byte(s->input) % (FG_WINDOW_KAISER + 1));
	if (o.weighted && o.window_type == FG_WINDOW_KAISER)
		o.beta = take_value(s);
	return o;
}

/* The window of point i by its definition. */
static void
require_window(const Series *s, const FgAverageOptions *o, const FgMovingAverage *m, size_t i)
{
	int64_t		w = m->window_size;
	int64_t		off = o->center ? (w - 1) / 2 : 0;
	int64_t		least = o->min_periods == FG_NOT_GIVEN || o->min_periods > w ? w : o->min_periods;
	int64_t		points = 0;
	long double sum = 0;
	double		largest = 0;
	double		values[MAX_POINTS];

	for (int64_t p = 0; p < (int64_t) s->n; p++)
	{
		if (p - (int64_t) i - off > 0 || p - (int64_t) i - off <= -w)
			continue;
		values[points++] = s->y[p];
		sum += s->y[p];
		largest = fmax(largest, fabs(s->y[p]));
	}
	if (points < least)
		REQUIRE(isnan(m->fitted[i]));
	else if (o->method == FG_SMM)
	{
		REQUIRE(fg_sort_values(s->ctx, values, (size_t) points));
		REQUIRE(m->fitted[i] == fg_median(values, (size_t) points));
	}
	else if (!o->weighted)
		REQUIRE(fabsl(m->fitted[i] - sum / points) <= 1e-15L * largest + 5e-324);
}

static void
fuzz_average(Series *s)
{
	FgAverageOptions o = take_average(s);
	FgMovingAverage m;
	FgMovingAverage scaled;
	FgModel		model;

	if (!fg_average_check(s->ctx, &o))
	{
		REQUIRE(s->ctx->error.code == FG_ERROR_ARGUMENT);
		REQUIRE(!fg_moving_average(s->ctx, s->x, s->y, s->n, &o, &m));
		return;
	}
	if (!done(s->ctx, fg_moving_average(s->ctx, s->x, s->y, s->n, &o, &m)))
		return;
	REQUIRE((m.fitted == NULL) == (s->n == 0));
	if (s->n > 0)
	{
		require_fitted(s, m.fitted, m.r_square);
		for (size_t i = 0; o.method != FG_EMA && i < s->n; i++)
			require_window(s, &o, &m, i);
		model = points_model(s, FG_MODEL_MOVING_AVERAGE, m.fitted, m.r_square);
		require_model(s, &model);
	}
	scale_y(s, 0x1p-60);
	if (s->moderate && fg_moving_average(s->ctx, s->x, s->scaled, s->n, &o, &scaled))
	{
		REQUIRE(m.window_size == scaled.window_size && same_double(m.r_square, scaled.r_square));
		require_scaled(m.fitted, scaled.fitted, s->n, 0x1p-60);
		fg_moving_average_free(s->ctx, &scaled);
	}
	fg_moving_average_free(s->ctx, &m);
}

/* --- kernel regression ------------------------------------------------------------------------------ */

static FgKernelOptions
take_kernel(Series *s, double *candidates)
{
	uint8_t		byte = fuzz_byte(s->input);
	uint8_t		rest = fuzz_byte(s->input);
	FgKernelOptions o = {
		.kernel = (FgKernel) (byte % FG_KERNELS),
		.rule = (FgBandwidthRule) (byte / FG_KERNELS % FG_BANDWIDTH_RULES),
		.degree = rest & 0x40 ? rest % (FG_MAX_DEGREE + 1) : rest & 1
	};

	if (o.rule == FG_BANDWIDTH_GIVEN)
		o.bandwidth = take_value(s);
	/* a search takes 44 times as long */
	if (o.rule >= FG_BANDWIDTH_CV_LS && s->n > 12 && (rest & 0x3C) != 0x3C)
		s->n = 12;
	if (o.rule < FG_BANDWIDTH_CV_LS || !(rest & 0x80))
		return o;
	o.ncandidates = 1 + rest % 3;
	for (size_t i = 0; i < o.ncandidates; i++)
		candidates[i] = take_value(s);
	o.candidates = candidates;
	return o;
}

static void
require_scaled_kernel(Series *s, const FgKernelOptions *o, const double *fitted,
					  const FgKernelFit *fit)
{
	double		scaled[MAX_POINTS];
	FgKernelFit again;

	/* the logarithm of aic is rounded in other places */
	if (!s->moderate || o->rule == FG_BANDWIDTH_AIC || fit->bandwidth < 1e-30)
		return;
	scale_y(s, 0x1p70);
	if (!done(s->ctx, fg_kernel_regression(s->ctx, o, s->x, s->scaled, s->n, NULL, 0, scaled,
										   &again)))
		return;
	REQUIRE(again.bandwidth == fit->bandwidth && same_double(again.r_square, fit->r_square));
	REQUIRE(same_double(again.score, fit->score * 0x1p140));
	require_scaled(fitted, scaled, s->n, 0x1p70);
}

static void
fuzz_kernel(Series *s)
{
	double		candidates[3];
	FgKernelOptions o = take_kernel(s, candidates);
	double		fitted[MAX_POINTS];
	double		at[4];
	double		values[4];
	double		cv_ls;
	double		aicc;
	FgKernelFit fit;
	FgModel		model;

	if (!fg_kernel_options_check(s->ctx, &o))
	{
		REQUIRE(s->ctx->error.code == FG_ERROR_ARGUMENT);
		return;
	}
	if (!done(s->ctx, fg_kernel_regression(s->ctx, &o, s->x, s->y, s->n, NULL, 0, fitted, &fit)))
		return;
	if (s->n == 0)
		return;
	require_fitted(s, fitted, fit.r_square);
	REQUIRE(fit.bandwidth > 0 && isfinite(fit.bandwidth));
	REQUIRE(o.rule >= FG_BANDWIDTH_CV_LS || isnan(fit.score));
	model = points_model(s, FG_MODEL_KERNEL_REGRESSION, fitted, fit.r_square);
	require_model(s, &model);
	require_scaled_kernel(s, &o, fitted, &fit);
	if (done(s->ctx, fg_bandwidth_objective(s->ctx,
											&(FgSmoother) {o.kernel, o.degree, fit.bandwidth},
											s->x, s->y, s->n, &cv_ls, &aicc)) &&
		!isnan(fit.score))
		REQUIRE(fit.score == (o.rule == FG_BANDWIDTH_AIC ? aicc : cv_ls));
	/* at the points again, in another order */
	for (int i = 0; i < 4; i++)
		at[i] = s->x[(3 - (size_t) i) * s->n / 4];
	if (!done(s->ctx, fg_kernel_regression(s->ctx, &o, s->x, s->y, s->n, at, 4, values, &fit)))
		return;
	for (int i = 0; i < 4; i++)
		REQUIRE(same_double(values[i], fitted[(3 - (size_t) i) * s->n / 4]) || s->n >= 64);
}

/* --- detections without models ------------------------------------------------------------------------ */

static void
fuzz_detection(Series *s)
{
	FgThresholds thresholds = FG_DEFAULT_THRESHOLDS;
	FgLocalOptions options = {fuzz_byte(s->input) / 255.0, 1 + fuzz_byte(s->input) % 4, thresholds};
	FgIntegralRule rule = (FgIntegralRule) (fuzz_byte(s->input) % 2);
	size_t		half = s->n / 2;
	bool		present[2][MAX_POINTS];
	FgIntegralComparison comparison;
	FgLocalStatistics local;
	FgAverageAmount amount;
	FgOutliers	outliers;

	if (fg_integral_points(s->ctx, s->x, s->y, s->y + half, half, rule, &thresholds, &comparison))
		REQUIRE(is_result(comparison.result));
	else
		REQUIRE(s->ctx->error.code == FG_ERROR_ARGUMENT || s->ctx->error.code == FG_ERROR_MEMORY);
	if (done(s->ctx, fg_local_statistics_points(s->ctx, s->x, s->y, s->y + half, half, &options,
												&local)))
	{
		REQUIRE(is_result(local.result) && local.count <= half);
		fg_merge_chunks(&local);
		fg_release(s->ctx, local.chunks);
	}
	if (done(s->ctx, fg_average_amount(s->ctx, s->y, half, s->y + half, s->n - half, &amount)))
		REQUIRE((amount.result == FG_UNKNOWN) == (half == 0));
	for (size_t i = 0; i < half; i++)
	{
		uint8_t		byte = fuzz_byte(s->input);

		present[0][i] = (byte & 3) != 1;
		present[1][i] = (byte & 3) != 2;
	}
	if (!done(s->ctx, fg_outliers(s->ctx, s->y, s->y + half, present[0], present[1], half,
								  options.density, &outliers)))
		return;
	REQUIRE(outliers.count <= half);
	for (size_t i = 0; i < outliers.count; i++)
		REQUIRE(outliers.rows[i].function < half && isfinite(outliers.rows[i].delta));
	fg_release(s->ctx, outliers.rows);
}

static void
fuzz_series(FgContext *ctx, FuzzInput *input)
{
	Series		s = {.ctx = ctx, .input = input};

	take_series(&s);
	require_sort(&s);
	fuzz_parametric(&s);
	fuzz_regressogram(&s);
	fuzz_average(&s);
	fuzz_average(&s);
	fuzz_kernel(&s);
	fuzz_detection(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	input = {data, data + size};
	FgContext	ctx = fuzz_context();

	ctx.seed = size;
	if (fuzz_byte(&input) & 1)
		fuzz_series(&ctx, &input);
	else
		fuzz_bytes(&ctx, &input);
	fuzz_finish();
	return 0;
}
