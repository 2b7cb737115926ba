/*
 * regressogram.c
 *	  Regressogram (see regressogram.h).
 *
 * Time is that of a few passes over the points: quartiles and medians are selected,
 * not sorted for, and a bucket is guessed by division before edges are compared.
 */
#include "core/models/regressogram.h"

#include "core/base/series.h"

#include <math.h>
#include <string.h>

static const char *const rule_words[] = {
	"auto", "doane", "fd", "rice", "scott", "sqrt", "sturges"
};

static const char *const statistic_words[] = {"mean", "median"};

const char *
fg_bucket_rule_word(FgBucketRule rule)
{
	return rule_words[rule];
}

const char *
fg_bucket_statistic_word(FgBucketStatistic statistic)
{
	return statistic_words[statistic];
}

bool
fg_bucket_rule_parse(FgContext *ctx, const char *text, size_t length, FgBucketRule *rule)
{
	static const FgChoice choice = {
		"rule", "Available: auto, doane, fd, rice, scott, sqrt, sturges.", rule_words,
		FG_BUCKETS_STURGES + 1
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*rule = (FgBucketRule) place;
	return true;
}

bool
fg_bucket_statistic_parse(FgContext *ctx, const char *text, size_t length,
						  FgBucketStatistic *statistic)
{
	static const FgChoice choice = {
		"statistic", "Available: mean, median.", statistic_words, FG_BUCKET_MEDIAN + 1
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*statistic = (FgBucketStatistic) place;
	return true;
}

/* --- selection ------------------------------------------------------------------ */

/*
 * Quickselect.  Pivots are random and the seed is secret, so that no order of the
 * points makes it slow; many equal values do not either.
 */
typedef struct Selection
{
	FgContext  *ctx;
	double	   *values;
	uint64_t	random;
	size_t		unchecked;
} Selection;

static size_t
random_below(Selection *s, size_t limit)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (size_t) (s->random % limit);
}

/* Median of three values between start and end. */
static double
choose_pivot(Selection *s, size_t start, size_t end)
{
	double		a = s->values[start + random_below(s, end - start)];
	double		b = s->values[start + random_below(s, end - start)];
	double		c = s->values[start + random_below(s, end - start)];

	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/*
 * Moves the values below the limit (or equal to it) to the front and sets *middle
 * behind them.  No branch depends on a value: it would be guessed wrong half the time.
 */
static bool
partition(Selection *s, size_t start, size_t end, double limit, bool equal, size_t *middle)
{
	double	   *values = s->values;
	size_t		m = start;

	for (size_t i = start; i < end; i++)
	{
		double		value = values[i];

		values[i] = values[m];
		values[m] = value;
		m += equal ? value == limit : value < limit;
		if (!fg_check_every(s->ctx, ++s->unchecked))
			return false;
	}
	*middle = m;
	return true;
}

/*
 * Brings the values of [start, end) so far into order that values[place] is what it
 * would be after sorting, nothing larger is before it and nothing smaller behind it.
 */
static bool
select_place(Selection *s, size_t start, size_t end, size_t place)
{
	while (end - start > 1)
	{
		double		pivot = choose_pivot(s, start, end);
		size_t		middle;

		if (!partition(s, start, end, pivot, false, &middle))
			return false;
		if (place < middle)
		{
			end = middle;
			continue;
		}
		if (!partition(s, middle, end, pivot, true, &start))
			return false;
		if (place < start)
			return true;
	}
	return true;
}

/* The least of the values from start on. */
static bool
find_least(Selection *s, size_t start, size_t end, double *least)
{
	*least = s->values[start];
	for (size_t i = start; i < end; i++)
	{
		if (!fg_check_every(s->ctx, ++s->unchecked))
			return false;
		*least = s->values[i] < *least ? s->values[i] : *least;
	}
	return true;
}

/* fg_quantile of values that are in no order, except that those before "start" are least. */
static bool
select_quantile(Selection *s, size_t start, size_t n, double p, double *quantile)
{
	double		t = p * (double) (n - 1);
	size_t		k = (size_t) floor(t);
	double		next;

	if (!select_place(s, start, n, k))
		return false;
	*quantile = s->values[k];
	if (k + 1 >= n)
		return true;
	if (!find_least(s, k + 1, n, &next))
		return false;
	*quantile = fg_between(*quantile, next, t - (double) k);
	return true;
}

/* Of the values in [start, end), at least one. */
static bool
select_median(Selection *s, size_t start, size_t end, double *median)
{
	size_t		place = start + (end - start - 1) / 2;
	double		next;

	if (!select_place(s, start, end, place))
		return false;
	*median = s->values[place];
	if ((end - start) % 2 == 1)
		return true;
	if (!find_least(s, place + 1, end, &next))
		return false;
	*median = fg_middle(*median, next);
	return true;
}

static bool
selection_begin(FgContext *ctx, size_t n, Selection *s)
{
	*s = (Selection) {.ctx = ctx, .random = ctx->seed | 1};
	s->values = fg_alloc(ctx, n, sizeof(double));
	return s->values != NULL;
}

/* --- number of buckets ---------------------------------------------------------- */

static bool
interquartile_range(FgContext *ctx, const double *x, size_t n, double *range)
{
	Selection	s;
	double		low;
	double		high;
	bool		ok = selection_begin(ctx, n, &s) &&
		fg_copy(ctx, s.values, x, n * sizeof(double)) &&
		select_quantile(&s, 0, n, 0.25, &low) &&
		select_quantile(&s, (size_t) floor(0.25 * (double) (n - 1)), n, 0.75, &high);

	if (ok)
		*range = high - low;
	fg_release(ctx, s.values);
	return ok;
}

static double
population_deviation(const double *x, size_t n)
{
	return fg_deviation(x, n, n);
}

static double
sturges_width(double range, size_t n)
{
	return range / (log2((double) n) + 1);
}

static bool
doane_width(FgContext *ctx, const double *x, size_t n, double range, double *width)
{
	double		points = (double) n;
	double		mean = fg_mean(x, n);
	double		deviation = population_deviation(x, n);
	double		spread = sqrt(6 * (points - 2) / ((points + 1) * (points + 3)));
	double		cubes = 0;

	*width = 0;
	if (n <= 2)
		return true;
	for (size_t i = 0; i < n; i++)
	{
		double		z = (x[i] - mean) / deviation;

		if (!fg_check_every(ctx, i))
			return false;
		cubes += z * z * z;
	}
	*width = range / (1 + log2(points) + log2(1 + fabs(cubes / points) / spread));
	return true;
}

static bool
fd_width(FgContext *ctx, const double *x, size_t n, double *width)
{
	double		range = 0;

	if (!interquartile_range(ctx, x, n, &range))
		return false;
	*width = 2 * range * pow((double) n, -1.0 / 3);
	return true;
}

/* The operations are in numpy's order: the quotient of range and width is rounded up. */
static bool
rule_width(FgContext *ctx, const double *x, size_t n, double range, FgBucketRule rule,
		   double *width)
{
	double		points = (double) n;
	double		sturges = sturges_width(range, n);

	switch (rule)
	{
		case FG_BUCKETS_AUTO:
			if (!fd_width(ctx, x, n, width))
				return false;
			*width = *width > 0 && *width < sturges ? *width : sturges;
			return true;
		case FG_BUCKETS_DOANE:
			return doane_width(ctx, x, n, range, width);
		case FG_BUCKETS_FD:
			return fd_width(ctx, x, n, width);
		case FG_BUCKETS_RICE:
			*width = range / (2 * pow(points, 1.0 / 3));
			return true;
		case FG_BUCKETS_SCOTT:
			*width = pow(24 * sqrt(M_PI) / points, 1.0 / 3) * population_deviation(x, n);
			return true;
		case FG_BUCKETS_SQRT:
			*width = range / sqrt(points);
			return true;
		case FG_BUCKETS_STURGES:
			*width = sturges;
			return true;
	}
	return true;
}

static bool
count_buckets(FgContext *ctx, const double *x, size_t n, double range, FgBucketRule rule,
			  uint32_t *buckets)
{
	double		width = 0;
	double		count;

	*buckets = 1;
	if (range == 0)
		return true;
	if (!rule_width(ctx, x, n, range, rule, &width))
		return false;
	if (!(width > 0))
		return true;
	count = ceil(range / width);
	if (count > 1)
		*buckets = count < FG_MAX_BUCKETS ? (uint32_t) count : FG_MAX_BUCKETS;
	return fg_check(ctx);
}

/* --- edges ---------------------------------------------------------------------- */

static bool
find_range(FgContext *ctx, const double *x, const double *y, size_t n, FgRegressogram *r)
{
	r->x_start = r->y_start = INFINITY;
	r->x_end = -INFINITY;
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		r->x_start = x[i] < r->x_start ? x[i] : r->x_start;
		r->x_end = x[i] > r->x_end ? x[i] : r->x_end;
		r->y_start = y[i] < r->y_start ? y[i] : r->y_start;
	}
	if (!isfinite(r->x_end - r->x_start))
		return fg_fail(ctx, FG_ERROR_RANGE, "the range of x is too large for a regressogram");
	return true;
}

static bool
make_edges(FgContext *ctx, FgRegressogram *r)
{
	double		step;

	if (r->x_start == r->x_end)
	{
		r->x_start -= 0.5;
		r->x_end += 0.5;
	}
	step = (r->x_end - r->x_start) / r->buckets;
	for (uint32_t k = 0; k < r->buckets; k++)
	{
		if (!fg_check_every(ctx, k))
			return false;
		r->edge[k] = k * step + r->x_start;
		r->value[k] = NAN;
	}
	r->edge[r->buckets] = r->x_end;
	return true;
}

/* Is x in the bucket, or to the right of it (when both edges are equal)? */
static inline bool
is_in_bucket(const FgRegressogram *r, uint32_t bucket, double x)
{
	return r->edge[bucket] <= x && (bucket + 1 == r->buckets || x < r->edge[bucket + 1]);
}

/* The last bucket whose left edge is not above x. */
static uint32_t
search_bucket(const FgRegressogram *r, double x)
{
	uint32_t	low = 0;
	uint32_t	high = r->buckets;

	while (high - low > 1)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (r->edge[middle] <= x)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * Dividing by the width gives the bucket or, seldom, its neighbour.  Where the edges
 * are so close that they are rounded together the guess is worth nothing.
 */
static inline uint32_t
find_bucket(const FgRegressogram *r, double per_x, double x)
{
	double		place = (x - r->x_start) * per_x;
	uint32_t	guess = place < r->buckets ? (uint32_t) place : r->buckets - 1;

	if (is_in_bucket(r, guess, x))
		return guess;
	return search_bucket(r, x);
}

static bool
find_buckets(FgContext *ctx, const double *x, size_t n, FgRegressogram *r, uint32_t *bucket)
{
	double		per_x = r->buckets / (r->x_end - r->x_start);

	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		bucket[i] = find_bucket(r, per_x, x[i]);
		r->points[bucket[i]]++;
	}
	return true;
}

/* --- values --------------------------------------------------------------------- */

static bool
sum_buckets(FgContext *ctx, const double *y, size_t n, const uint32_t *bucket, double scale,
			FgDouble2 *sum)
{
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		fg_sum_twice(&sum[bucket[i]], y[i] * scale);
	}
	return true;
}

/* Means of the buckets from scaled sums, but not of those whose mean is known. */
static bool
divide_sums(FgContext *ctx, FgDouble2 *sum, double scale, FgRegressogram *r, bool *overflow)
{
	*overflow = false;
	for (uint32_t b = 0; b < r->buckets; b++)
	{
		double		total = sum[b].high + sum[b].low;

		if (!fg_check_every(ctx, b))
			return false;
		sum[b] = (FgDouble2) {0, 0};
		if (r->points[b] == 0 || !isnan(r->value[b]))
			continue;
		if (isfinite(total))
			r->value[b] = total / (double) r->points[b] / scale;
		else
			*overflow = true;
	}
	return true;
}

static bool
take_means(FgContext *ctx, const double *y, size_t n, const uint32_t *bucket, FgRegressogram *r)
{
	FgDouble2  *sum = fg_alloc_zero(ctx, r->buckets, sizeof(FgDouble2));
	bool		overflow = true;
	bool		ok = sum != NULL;

	/* a sum may overflow whose mean does not: those are taken again, of smaller numbers */
	for (double scale = 1; ok && overflow; scale *= 0x1p-64)
		ok = sum_buckets(ctx, y, n, bucket, scale, sum) &&
			divide_sums(ctx, sum, scale, r, &overflow);
	fg_release(ctx, sum);
	return ok;
}

/* Puts the y of each bucket together; end[b] becomes the place behind those of bucket b. */
static bool
group_values(FgContext *ctx, const double *y, size_t n, const uint32_t *bucket,
			 const FgRegressogram *r, double *grouped, uint64_t *end)
{
	uint64_t	start = 0;

	for (uint32_t b = 0; b < r->buckets; b++)
	{
		if (!fg_check_every(ctx, b))
			return false;
		end[b] = start;
		start += r->points[b];
	}
	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		grouped[end[bucket[i]]++] = y[i];
	}
	return true;
}

static bool
take_medians(FgContext *ctx, const double *y, size_t n, const uint32_t *bucket, FgRegressogram *r)
{
	Selection	s;
	uint64_t   *end = fg_alloc(ctx, r->buckets, sizeof(uint64_t));
	bool		ok = selection_begin(ctx, n, &s) && end != NULL &&
		group_values(ctx, y, n, bucket, r, s.values, end);

	for (uint32_t b = 0; ok && b < r->buckets; b++)
	{
		ok = fg_check_every(ctx, b);
		if (ok && r->points[b] > 0)
			ok = select_median(&s, end[b] - r->points[b], end[b], &r->value[b]);
	}
	fg_release(ctx, end);
	fg_release(ctx, s.values);
	return ok;
}

static bool
take_r_square(FgContext *ctx, const double *y, size_t n, const uint32_t *bucket,
			  FgRegressogram *r)
{
	double	   *fitted = fg_alloc(ctx, n, sizeof(double));
	bool		ok = fitted != NULL;

	for (size_t i = 0; ok && i < n; i++)
	{
		ok = fg_check_every(ctx, i);
		fitted[i] = r->value[bucket[i]];
	}
	ok = ok && fg_r_square(ctx, y, fitted, n, &r->r_square);
	fg_release(ctx, fitted);
	return ok;
}

static bool
fill_buckets(FgContext *ctx, const double *x, const double *y, size_t n,
			 FgBucketStatistic statistic, FgRegressogram *r)
{
	uint32_t   *bucket = fg_alloc(ctx, n, sizeof(uint32_t));
	bool		ok = bucket != NULL && make_edges(ctx, r) && find_buckets(ctx, x, n, r, bucket) &&
		(statistic == FG_BUCKET_MEAN ? take_means(ctx, y, n, bucket, r)
		 : take_medians(ctx, y, n, bucket, r)) &&
		take_r_square(ctx, y, n, bucket, r);

	fg_release(ctx, bucket);
	return ok;
}

static bool
make_room(FgContext *ctx, FgRegressogram *r)
{
	r->edge = fg_alloc(ctx, (size_t) r->buckets + 1, sizeof(double));
	r->value = fg_alloc(ctx, r->buckets, sizeof(double));
	r->points = fg_alloc_zero(ctx, r->buckets, sizeof(uint64_t));
	return r->edge != NULL && r->value != NULL && r->points != NULL;
}

static bool
make_regressogram(FgContext *ctx, const double *x, const double *y, size_t n, int64_t buckets,
				  FgBucketRule rule, FgBucketStatistic statistic, FgRegressogram *r)
{
	if (!find_range(ctx, x, y, n, r))
		return false;
	r->buckets = (uint32_t) buckets;
	if (buckets == FG_NOT_GIVEN &&
		!count_buckets(ctx, x, n, r->x_end - r->x_start, rule, &r->buckets))
		return false;
	return make_room(ctx, r) && fill_buckets(ctx, x, y, n, statistic, r);
}

bool
fg_regressogram(FgContext *ctx, const double *x, const double *y, size_t n, int64_t buckets,
				FgBucketRule rule, FgBucketStatistic statistic, FgRegressogram *result)
{
	*result = (FgRegressogram) {
		.x_start = NAN, .x_end = NAN, .y_start = NAN, .r_square = NAN
	};
	if (buckets != FG_NOT_GIVEN && (buckets < 1 || buckets > FG_MAX_BUCKETS))
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Give a number from 1 to 1000000, or none to go by the rule.",
						  "buckets is out of range: %lld", (long long) buckets);
	if (n == 0 || make_regressogram(ctx, x, y, n, buckets, rule, statistic, result))
		return true;
	fg_regressogram_free(ctx, result);
	return false;
}

void
fg_regressogram_free(FgContext *ctx, FgRegressogram *result)
{
	fg_release(ctx, result->edge);
	fg_release(ctx, result->value);
	fg_release(ctx, result->points);
	result->edge = result->value = NULL;
	result->points = NULL;
	result->buckets = 0;
}
