/*
 * series.c
 *	  Pairs of measurements (see series.h).
 */
#include "core/base/series.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/bytes.h"

typedef struct Pair
{
	double		x;
	double		y;
} Pair;

bool
fg_series_check(FgContext *ctx, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		if (!isfinite(values[i]))
			return fg_fail(ctx, FG_ERROR_RANGE, "measurement %zu is not finite", i + 1);
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static inline bool
comes_before(Pair a, Pair b)
{
	return a.x < b.x || (a.x == b.x && a.y < b.y);
}

static bool
merge_pairs(FgContext *ctx, const Pair *from, Pair *to, size_t start, size_t middle, size_t end)
{
	size_t		i = start;
	size_t		j = middle;

	for (size_t k = start; k < end; k++)
	{
		if (!fg_check_every(ctx, k + 1))
			return false;
		to[k] = i < middle && (j >= end || !comes_before(from[j], from[i])) ? from[i++] : from[j++];
	}
	return true;
}

/* The result is in either of the two arrays, which *sorted tells. */
static bool
merge_sort(FgContext *ctx, Pair *from, Pair *to, size_t n, Pair **sorted)
{
	for (size_t width = 1; width < n; width *= 2)
	{
		Pair	   *swap = from;

		for (size_t start = 0; start < n; start += 2 * width)
		{
			size_t		left = n - start;

			if (!merge_pairs(ctx, from, to, start, left < width ? n : start + width,
							 left < 2 * width ? n : start + 2 * width))
				return false;
		}
		if (!fg_check(ctx))
			return false;
		from = to;
		to = swap;
	}
	*sorted = from;
	return true;
}

static bool
find_order(FgContext *ctx, const double *x, const double *y, size_t n, bool *sorted)
{
	*sorted = true;
	for (size_t i = 1; i < n && *sorted; i++)
	{
		*sorted = !(x[i] < x[i - 1] || (x[i] == x[i - 1] && y[i] < y[i - 1]));
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/*
 * By x alone: from the lowest digit of its bits to the highest, each pass stable.  Of a
 * million pairs it takes a quarter of the time of merging.
 */
#define DIGIT_BITS 11
#define DIGITS 6				/* of 64 bits */
#define DIGIT_VALUES (1 << DIGIT_BITS)
#define RADIX_LEAST 1024		/* pairs; fewer are merged faster */

/* Ascends with x; the zeros are equal. */
static inline uint64_t
sort_key(double x)
{
	uint64_t	bits = fg_double_bits(x + 0.0);

	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline size_t
digit_of(double x, int digit)
{
	return sort_key(x) >> (digit * DIGIT_BITS) & (DIGIT_VALUES - 1);
}

static bool
count_digits(FgContext *ctx, const Pair *pairs, size_t n, size_t (*counts)[DIGIT_VALUES])
{
	for (size_t start = 0, end; start < n; start = end)
	{
		if (!fg_next_block(ctx, start, n, &end))
			return false;
		for (size_t i = start; i < end; i++)
		{
			for (int digit = 0; digit < DIGITS; digit++)
				counts[digit][digit_of(pairs[i].x, digit)]++;
		}
	}
	return true;
}

/* "next" comes as counts. */
static bool
scatter(FgContext *ctx, const Pair *from, Pair *to, size_t n, int digit, size_t *next)
{
	size_t		place = 0;

	for (int value = 0; value < DIGIT_VALUES; value++)
	{
		size_t		count = next[value];

		next[value] = place;
		place += count;
	}
	for (size_t start = 0, end; start < n; start = end)
	{
		if (!fg_next_block(ctx, start, n, &end))
			return false;
		for (size_t i = start; i < end; i++)
			to[next[digit_of(from[i].x, digit)]++] = from[i];
	}
	return true;
}

static bool
radix_sort(FgContext *ctx, Pair *from, Pair *to, size_t n, Pair **sorted)
{
	size_t		(*counts)[DIGIT_VALUES] = fg_alloc_zero(ctx, DIGITS, sizeof(*counts));
	bool		ok = counts != NULL && count_digits(ctx, from, n, counts);

	for (int digit = 0; ok && digit < DIGITS; digit++)
	{
		Pair	   *swap = from;

		if (counts[digit][digit_of(from[0].x, digit)] == n)
			continue;			/* all the same */
		ok = scatter(ctx, from, to, n, digit, counts[digit]);
		from = to;
		to = swap;
	}
	fg_release(ctx, counts);
	*sorted = from;
	return ok;
}

/* Pairs sorted by x: those of equal x by y. */
static bool
sort_ties(FgContext *ctx, Pair *pairs, Pair *spare, size_t n)
{
	size_t		turn = 0;

	for (size_t start = 0, end; start < n; start = end)
	{
		Pair	   *sorted;
		bool		in_order = true;

		for (end = start + 1; end < n && pairs[end].x == pairs[start].x; end++)
		{
			in_order = in_order && pairs[end].y >= pairs[end - 1].y;
			if (!fg_check_every(ctx, ++turn))
				return false;
		}
		if (!fg_check_every(ctx, ++turn))
			return false;
		if (in_order)
			continue;
		if (!merge_sort(ctx, pairs + start, spare + start, end - start, &sorted))
			return false;
		if (sorted != pairs + start &&
			!fg_copy(ctx, pairs + start, sorted, (end - start) * sizeof(Pair)))
			return false;
	}
	return true;
}

static bool
sort_pairs(FgContext *ctx, Pair *pairs, Pair *spare, size_t n, Pair **sorted)
{
	if (n < RADIX_LEAST)
		return merge_sort(ctx, pairs, spare, n, sorted);
	return radix_sort(ctx, pairs, spare, n, sorted) &&
		sort_ties(ctx, *sorted, *sorted == pairs ? spare : pairs, n);
}

bool
fg_series_sort(FgContext *ctx, double *x, double *y, size_t n)
{
	Pair	   *pairs;
	Pair	   *spare;
	Pair	   *sorted = NULL;
	bool		in_order;
	bool		ok;

	if (!find_order(ctx, x, y, n, &in_order))
		return false;
	if (in_order)
		return true;
	pairs = fg_alloc(ctx, n, sizeof(Pair));
	spare = fg_alloc(ctx, n, sizeof(Pair));
	ok = pairs != NULL && spare != NULL;
	for (size_t i = 0; ok && i < n; i++)
	{
		pairs[i] = (Pair) {x[i], y[i]};
		ok = fg_check_every(ctx, i + 1);
	}
	ok = ok && sort_pairs(ctx, pairs, spare, n, &sorted);
	for (size_t i = 0; ok && i < n; i++)
	{
		x[i] = sorted[i].x;
		y[i] = sorted[i].y;
		ok = fg_check_every(ctx, i + 1);
	}
	fg_release(ctx, pairs);
	fg_release(ctx, spare);
	return ok;
}

bool
fg_sort_values(FgContext *ctx, double *values, size_t n)
{
	double	   *same = fg_alloc_zero(ctx, n, sizeof(double));
	bool		ok = same != NULL && fg_series_sort(ctx, values, same, n);

	fg_release(ctx, same);
	return ok;
}

static double
sum_scaled(const double *values, size_t n, double scale)
{
	FgDouble2	sum = {0, 0};

	for (size_t i = 0; i < n; i++)
		fg_sum_twice(&sum, values[i] * scale);
	return sum.high + sum.low;
}

double
fg_mean(const double *values, size_t n)
{
	double		sum = sum_scaled(values, n, 1);

	if (isfinite(sum))
		return sum / (double) n;
	return sum_scaled(values, n, 0x1p-64) / (double) n * 0x1p64;
}

double
fg_sum_squares(const double *values, size_t n)
{
	double		mean = fg_mean(values, n);
	double		sum = 0;
	bool		equal = true;

	for (size_t i = 0; i < n; i++)
	{
		double		deviation = values[i] - mean;

		sum += deviation * deviation;
		equal = equal && values[i] == values[0];
	}
	return equal ? 0 : sum;
}

/* The power of two that takes a deviation to about 1, where squares are safe. */
static double
scale_of(double deviation)
{
	int			exponent;

	(void) frexp(fmin(deviation, DBL_MAX), &exponent);
	return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

double
fg_deviation(const double *values, size_t n, size_t divisor)
{
	double		sum = fg_sum_squares(values, n);
	double		mean;
	double		largest = 0;
	double		scale;
	bool		equal = true;

	if (isnormal(sum))
		return sqrt(sum / (double) divisor);
	/* squares that overflow or vanish, or nothing to square */
	mean = fg_mean(values, n);
	for (size_t i = 0; i < n; i++)
	{
		largest = fmax(largest, fabs(values[i] - mean));
		equal = equal && values[i] == values[0];
	}
	scale = scale_of(largest);
	sum = 0;
	for (size_t i = 0; i < n; i++)
	{
		double		deviation = values[i] * scale - mean * scale;

		sum += deviation * deviation;
	}
	return equal ? 0 : sqrt(sum / (double) divisor) / scale;
}

double
fg_quantile(const double *sorted, size_t n, double p)
{
	double		t = p * (double) (n - 1);
	size_t		k = (size_t) floor(t);

	if (k + 1 >= n)
		return sorted[n - 1];
	return fg_between(sorted[k], sorted[k + 1], t - (double) k);
}

double
fg_between(double a, double b, double share)
{
	double		difference = b - a;

	return isfinite(difference) ? a + difference * share : a * (1 - share) + b * share;
}

double
fg_middle(double a, double b)
{
	double		sum = a + b;

	return isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

double
fg_median(const double *sorted, size_t n)
{
	size_t		middle = n / 2;

	return n % 2 == 1 ? sorted[middle] : fg_middle(sorted[middle - 1], sorted[middle]);
}

/* --- R^2 ------------------------------------------------------------------------ */

/* The points that have a fitted value. */
typedef struct Fitted
{
	FgContext  *ctx;
	const double *y;
	const double *fitted;
	size_t		n;
	size_t		known;
	double		mean;			/* of their y */
	double		least;
	double		greatest;
} Fitted;

static bool
sum_known(Fitted *f, double scale, double *sum)
{
	FgDouble2	twice = {0, 0};

	f->known = 0;
	f->least = INFINITY;
	f->greatest = -INFINITY;
	for (size_t i = 0; i < f->n; i++)
	{
		double		y = f->y[i];

		if (!fg_check_every(f->ctx, i + 1))
			return false;
		if (isnan(f->fitted[i]))
			continue;
		f->known++;
		fg_sum_twice(&twice, y * scale);
		f->least = y < f->least ? y : f->least;
		f->greatest = y > f->greatest ? y : f->greatest;
	}
	*sum = twice.high + twice.low;
	return true;
}

static bool
find_known(Fitted *f)
{
	double		sum;

	if (!sum_known(f, 1, &sum))
		return false;
	f->mean = sum / (double) f->known;
	if (isfinite(sum) || f->known == 0)
		return true;
	if (!sum_known(f, 0x1p-64, &sum))
		return false;
	f->mean = sum / (double) f->known * 0x1p64;
	return true;
}

/* Sums of squares of what the fit leaves, and of what there is; scale is a power of two. */
static bool
sum_squares(const Fitted *f, double scale, double *left, double *total)
{
	*left = 0;
	*total = 0;
	for (size_t i = 0; i < f->n; i++)
	{
		/* each one scaled: a difference may overflow */
		double		residual = f->y[i] * scale - f->fitted[i] * scale;
		double		deviation = f->y[i] * scale - f->mean * scale;

		if (!fg_check_every(f->ctx, i + 1))
			return false;
		if (isnan(f->fitted[i]))
			continue;
		*left += residual * residual;
		*total += deviation * deviation;
	}
	return true;
}

/* All y equal: is the fit exact? */
static double
fits_constant(const Fitted *f)
{
	double		slack = 1e-12 * fabs(f->least);

	for (size_t i = 0; i < f->n; i++)
	{
		if (!isnan(f->fitted[i]) && fabs(f->y[i] - f->fitted[i]) > slack)
			return 0;
	}
	return 1;
}

static double
safe_scale(const Fitted *f)
{
	return scale_of(fmax(f->greatest - f->mean, f->mean - f->least));
}

bool
fg_r_square(FgContext *ctx, const double *y, const double *fitted, size_t n, double *r_square)
{
	Fitted		f = {.ctx = ctx, .y = y, .fitted = fitted, .n = n};
	double		left;
	double		total;

	*r_square = NAN;
	if (!find_known(&f))
		return false;
	if (f.known < 2)
		return true;
	if (f.least == f.greatest)
	{
		*r_square = fits_constant(&f);
		return true;
	}
	if (!sum_squares(&f, 1, &left, &total))
		return false;
	if (!(isfinite(left) && isnormal(total)) && !sum_squares(&f, safe_scale(&f), &left, &total))
		return false;
	*r_square = fmax(1 - left / total, -DBL_MAX);
	return true;
}
