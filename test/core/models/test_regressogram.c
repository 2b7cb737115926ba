/*
 * test_regressogram.c
 *	  Regressograms: by hand, against edges compared one by one, and the rules against
 *	  their formulas over sorted values; also the R^2 that they share with other models.
 */
#include "unit.h"

#include "core/base/series.h"
#include "core/models/regressogram.h"

#include <float.h>
#include <math.h>

static double
uniform(UnitRandom *random)
{
	return (double) (unit_random(random) >> 11) * 0x1p-53;
}

static FgRegressogram
fit(const double *x, const double *y, size_t n, int64_t buckets, FgBucketRule rule,
	FgBucketStatistic statistic)
{
	FgContext	ctx = fg_malloc_context();
	FgRegressogram r;

	CHECK(fg_regressogram(&ctx, x, y, n, buckets, rule, statistic, &r));
	return r;
}

static void
release(FgRegressogram *r)
{
	FgContext	ctx = fg_malloc_context();

	fg_regressogram_free(&ctx, r);
}

static int
compare(const void *a, const void *b)
{
	const double *x = a;
	const double *y = b;

	return (*x > *y) - (*x < *y);
}

/* --- words ---------------------------------------------------------------------- */

static void
test_words(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBucketRule rule;
	FgBucketStatistic statistic;

	unit_case("words of rules and statistics, there and back");
	for (int i = 0; i <= FG_BUCKETS_STURGES; i++)
	{
		const char *word = fg_bucket_rule_word((FgBucketRule) i);

		CHECK(fg_bucket_rule_parse(&ctx, word, strlen(word), &rule));
		CHECK_COUNT(rule, i);
	}
	CHECK(fg_bucket_rule_parse(&ctx, "doane", 5, &rule) && rule == FG_BUCKETS_DOANE);
	for (int i = 0; i <= FG_BUCKET_MEDIAN; i++)
	{
		const char *word = fg_bucket_statistic_word((FgBucketStatistic) i);

		CHECK(fg_bucket_statistic_parse(&ctx, word, strlen(word), &statistic));
		CHECK_COUNT(statistic, i);
	}
	unit_case("unknown rules and statistics");
	CHECK_ERROR(fg_bucket_rule_parse(&ctx, "stone", 5, &rule), &ctx, FG_ERROR_ARGUMENT);
	CHECK(ctx.error.hint != NULL && strstr(ctx.error.reason, "stone") != NULL);
	CHECK_ERROR(fg_bucket_statistic_parse(&ctx, "mode", 4, &statistic), &ctx, FG_ERROR_ARGUMENT);
}

/* --- by hand -------------------------------------------------------------------- */

static void
test_by_hand(void)
{
	static const double x[] = {4, 0, 1, 2, 3, 0.5};
	static const double y[] = {10, 1, 4, -6, 2, 3};
	FgRegressogram r;

	unit_case("means by hand, points on edges");
	r = fit(x, y, 6, 4, FG_BUCKETS_AUTO, FG_BUCKET_MEAN);
	CHECK_COUNT(r.buckets, 4);
	for (uint32_t k = 0; k <= 4; k++)
		CHECK_DOUBLE(r.edge[k], k);
	for (uint32_t b = 0; b < 4; b++)
	{
		CHECK_DOUBLE(r.value[b], ((double[]) {2, 4, -6, 6})[b]);
		CHECK_COUNT(r.points[b], ((uint64_t[]) {2, 1, 1, 2})[b]);
	}
	CHECK_DOUBLE(r.x_start, 0);
	CHECK_DOUBLE(r.x_end, 4);
	CHECK_DOUBLE(r.y_start, -6);
	/* residuals 4, 1, 0, 0, 4, 1 -> 34 of SS 166 - 14^2 / 6 */
	CHECK_NEAR(r.r_square, 1 - 34 / (166 - 196.0 / 6), 1e-14);
	release(&r);

	unit_case("empty buckets");
	r = fit((double[]) {0, 0.5, 10}, y, 3, 5, FG_BUCKETS_AUTO, FG_BUCKET_MEDIAN);
	CHECK_DOUBLE(r.value[0], 5.5);
	for (uint32_t b = 1; b < 4; b++)
	{
		CHECK_DOUBLE(r.value[b], NAN);
		CHECK_COUNT(r.points[b], 0);
	}
	CHECK_DOUBLE(r.value[4], 4);
	release(&r);

	unit_case("edges that are rounded");
	{
		double		tenths[11];

		for (int i = 0; i <= 10; i++)
			tenths[i] = i / 10.0;
		r = fit(tenths, tenths, 11, 10, FG_BUCKETS_AUTO, FG_BUCKET_MEAN);
		for (uint32_t k = 0; k < 10; k++)
			CHECK_DOUBLE(r.edge[k], k * (1.0 / 10));
		/* 3 * 0.1 is above 0.3, so 0.3 stays left of its edge */
		CHECK_COUNT(r.points[2], 2);
		CHECK_COUNT(r.points[3], 0);
		release(&r);
	}
}

static void
test_few_points(void)
{
	static const double five[] = {2.5, 2.5, 2.5, 2.5, 2.5};
	static const double y[] = {5, 1, 2, 3, 4};
	FgRegressogram r;

	unit_case("no points");
	r = fit(five, y, 0, FG_NOT_GIVEN, FG_BUCKETS_FD, FG_BUCKET_MEAN);
	CHECK_COUNT(r.buckets, 0);
	CHECK(r.edge == NULL && r.value == NULL && r.points == NULL && isnan(r.r_square));
	release(&r);
	for (int rule = 0; rule <= FG_BUCKETS_STURGES; rule++)
	{
		unit_case("one point: %s", fg_bucket_rule_word((FgBucketRule) rule));
		r = fit(five, y, 1, FG_NOT_GIVEN, (FgBucketRule) rule, FG_BUCKET_MEDIAN);
		CHECK_COUNT(r.buckets, 1);
		CHECK_DOUBLE(r.edge[0], 2);
		CHECK_DOUBLE(r.edge[1], 3);
		CHECK_DOUBLE(r.value[0], 5);
		CHECK_DOUBLE(r.r_square, NAN);
		release(&r);
		unit_case("equal x: %s", fg_bucket_rule_word((FgBucketRule) rule));
		r = fit(five, y, 5, FG_NOT_GIVEN, (FgBucketRule) rule, FG_BUCKET_MEDIAN);
		CHECK_COUNT(r.buckets, 1);
		CHECK_DOUBLE(r.value[0], 3);
		CHECK_DOUBLE(r.r_square, 0);
		release(&r);
	}
	unit_case("two points");
	r = fit((double[]) {1, 5}, y, 2, FG_NOT_GIVEN, FG_BUCKETS_DOANE, FG_BUCKET_MEAN);
	CHECK_COUNT(r.buckets, 1);
	release(&r);
	r = fit((double[]) {1, 5}, y, 2, FG_NOT_GIVEN, FG_BUCKETS_STURGES, FG_BUCKET_MEAN);
	CHECK_COUNT(r.buckets, 2);
	CHECK_DOUBLE(r.r_square, 1);
	release(&r);
	unit_case("equal x in three buckets: the middle one");
	r = fit(five, y, 5, 3, FG_BUCKETS_AUTO, FG_BUCKET_MEAN);
	CHECK_COUNT(r.points[1], 5);
	CHECK_DOUBLE(r.value[1], 3);
	CHECK(isnan(r.value[0]) && isnan(r.value[2]));
	release(&r);
	unit_case("equal x beyond halves");
	r = fit((double[]) {0x1p60, 0x1p60}, y, 2, 3, FG_BUCKETS_AUTO, FG_BUCKET_MEAN);
	CHECK_COUNT(r.points[2], 2);
	release(&r);
}

static void
test_out_of_range(void)
{
	static const double five[] = {2.5, 2.5, 2.5, 2.5, 2.5};
	static const double y[] = {5, 1, 2, 3, 4};
	FgContext	ctx = fg_malloc_context();
	FgRegressogram r;

	unit_case("numbers of buckets out of range");
	for (int i = 0; i < 5; i++)
	{
		int64_t		bad[] = {0, -1, FG_MAX_BUCKETS + 1, INT64_MAX, INT64_MIN + 1};

		for (size_t n = 0; n < 3; n++)
		{
			CHECK_ERROR(fg_regressogram(&ctx, five, y, n, bad[i], FG_BUCKETS_AUTO, FG_BUCKET_MEAN,
										&r), &ctx, FG_ERROR_ARGUMENT);
			CHECK(strstr(ctx.error.reason, "buckets") != NULL && ctx.error.hint != NULL);
		}
	}
	unit_case("a range that overflows");
	CHECK_ERROR(fg_regressogram(&ctx, (double[]) {-1.7e308, 1.7e308}, y, 2, 2, FG_BUCKETS_AUTO,
								FG_BUCKET_MEAN, &r), &ctx, FG_ERROR_RANGE);
}

/* --- against the definition ----------------------------------------------------- */

static double
naive_quantile(const double *sorted, size_t n, double p)
{
	size_t		k = (size_t) (p * (double) (n - 1));

	if (k + 1 >= n)
		return sorted[n - 1];
	return sorted[k] + (sorted[k + 1] - sorted[k]) * (p * (double) (n - 1) - (double) k);
}

static double
naive_width(const double *sorted, size_t n, FgBucketRule rule)
{
	double		r = sorted[n - 1] - sorted[0];
	double		sturges = r / (log2((double) n) + 1);
	double		fd = 2 * (naive_quantile(sorted, n, 0.75) - naive_quantile(sorted, n, 0.25)) *
		pow((double) n, -1.0 / 3);
	long double mean = 0;
	long double squares = 0;
	long double cubes = 0;
	double		k = (double) n;

	for (size_t i = 0; i < n; i++)
		mean += (long double) sorted[i] / n;
	for (size_t i = 0; i < n; i++)
		squares += (sorted[i] - mean) * (sorted[i] - mean) / n;
	for (size_t i = 0; i < n; i++)
		cubes += powl((sorted[i] - mean) / sqrtl(squares), 3) / n;
	switch (rule)
	{
		case FG_BUCKETS_AUTO:
			return fd > 0 && fd < sturges ? fd : sturges;
		case FG_BUCKETS_FD:
			return fd;
		case FG_BUCKETS_DOANE:
			return n <= 2 ? 0 : r / (1 + log2(k) + log2(1 + fabs((double) cubes) /
														sqrt(6 * (k - 2) / ((k + 1) * (k + 3)))));
		case FG_BUCKETS_RICE:
			return r / (2 * pow((double) n, 1.0 / 3));
		case FG_BUCKETS_SCOTT:
			return pow(24 * sqrt(M_PI) / (double) n, 1.0 / 3) * (double) sqrtl(squares);
		case FG_BUCKETS_SQRT:
			return r / sqrt((double) n);
		default:
			return sturges;
	}
}

/* The width is right, except where its last bits decide about a bucket more or less. */
static void
check_count(const double *x, size_t n, FgBucketRule rule, uint32_t buckets)
{
	double	   *sorted = malloc(n * sizeof(double));
	double		range;
	double		width;

	memcpy(sorted, x, n * sizeof(double));
	qsort(sorted, n, sizeof(double), compare);
	range = sorted[n - 1] - sorted[0];
	width = naive_width(sorted, n, rule);
	if (range == 0 || !(width > 0))
		CHECK_COUNT(buckets, 1);
	else
		CHECK(buckets >= range / width * (1 - 1e-12) && buckets < range / width * (1 + 1e-12) + 1);
	free(sorted);
}

static void
check_buckets(const double *x, const double *y, size_t n, FgBucketStatistic statistic,
			  const FgRegressogram *r)
{
	double	   *inside = malloc(n * sizeof(double));
	long double left = 0;
	long double total = 0;
	long double mean = 0;
	uint64_t	points = 0;

	CHECK_DOUBLE(r->edge[0], r->x_start);
	CHECK_DOUBLE(r->edge[r->buckets], r->x_end);
	for (size_t i = 0; i < n; i++)
		mean += (long double) y[i] / n;
	for (uint32_t b = 0; b < r->buckets; b++)
	{
		size_t		m = 0;
		long double sum = 0;
		double		value;

		for (size_t i = 0; i < n; i++)
		{
			if (x[i] >= r->edge[b] && (b + 1 == r->buckets || x[i] < r->edge[b + 1]))
				inside[m++] = y[i];
		}
		CHECK_COUNT(r->points[b], m);
		points += m;
		if (m == 0)
		{
			CHECK_DOUBLE(r->value[b], NAN);
			continue;
		}
		qsort(inside, m, sizeof(double), compare);
		for (size_t i = 0; i < m; i++)
			sum += inside[i];
		value = statistic == FG_BUCKET_MEAN ? (double) (sum / m) :
			(inside[(m - 1) / 2] + inside[m / 2]) / 2;
		if (statistic == FG_BUCKET_MEAN)
			CHECK(fabs(r->value[b] - value) <= 1e-14 * 20);
		else
			CHECK_DOUBLE(r->value[b], value);
		for (size_t i = 0; i < m; i++)
		{
			left += (inside[i] - value) * (inside[i] - value);
			total += (inside[i] - mean) * (inside[i] - mean);
		}
	}
	CHECK_COUNT(points, n);
	if (n >= 2 && total > 0)
		CHECK(fabs(r->r_square - (double) (1 - left / total)) <= 1e-12);
	free(inside);
}

static void
test_random(void)
{
	UnitRandom	random = {7};

	unit_case("random points");
	for (int round = 0; round < 400; round++)
	{
		size_t		n = 1 + unit_below(&random, round < 300 ? 40 : 400);
		double	   *x = malloc(n * sizeof(double));
		double	   *y = malloc(n * sizeof(double));
		FgBucketRule rule = (FgBucketRule) (round % 7);
		FgBucketStatistic statistic = (FgBucketStatistic) (round % 2);
		int64_t		buckets = round % 3 == 0 ? 1 + unit_below(&random, 50) : FG_NOT_GIVEN;
		FgRegressogram r;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < n; i++)
		{
			double		u = uniform(&random);

			/* even, skewed, on a grid, all but one equal */
			x[i] = round % 4 == 0 ? u * 100 - 50 : round % 4 == 1 ? 1 / (u + 0.01)
				: round % 4 == 2 ? floor(u * 10) / 10 : i == 0;
			y[i] = round % 5 == 0 ? floor(uniform(&random) * 4) : uniform(&random) * 20 - 10;
		}
		r = fit(x, y, n, buckets, rule, statistic);
		if (buckets == FG_NOT_GIVEN)
			check_count(x, n, rule, r.buckets);
		else
			CHECK_COUNT(r.buckets, (uint64_t) buckets);
		check_buckets(x, y, n, statistic, &r);
		release(&r);
		free(x);
		free(y);
	}
}

/* --- extremes ------------------------------------------------------------------- */

#define MANY 300000

static void
test_extremes(void)
{
	double	   *x = malloc(MANY * sizeof(double));
	double	   *y = malloc(MANY * sizeof(double));
	FgRegressogram r;

	unit_case("a million edges rounded to a handful");
	for (size_t i = 0; i < MANY; i++)
	{
		x[i] = 1e16 + 2 * (double) (i % 3);
		y[i] = (double) (i % 3);
	}
	r = fit(x, y, MANY, FG_MAX_BUCKETS, FG_BUCKETS_AUTO, FG_BUCKET_MEAN);
	CHECK_DOUBLE(r.value[FG_MAX_BUCKETS - 1], 2);
	CHECK_COUNT(r.points[FG_MAX_BUCKETS - 1], MANY / 3);
	CHECK_DOUBLE(r.r_square, 1);
	release(&r);

	unit_case("more buckets than the cap");
	x[0] = -1e30;
	r = fit(x, y, MANY, FG_NOT_GIVEN, FG_BUCKETS_FD, FG_BUCKET_MEDIAN);
	CHECK_COUNT(r.buckets, FG_MAX_BUCKETS);
	release(&r);

	unit_case("widths near the least number");
	for (size_t i = 0; i < 100; i++)
		x[i] = (double) (i % 4) * 5e-324;
	r = fit(x, y, 100, 1000, FG_BUCKETS_FD, FG_BUCKET_MEAN);
	check_buckets(x, y, 100, FG_BUCKET_MEAN, &r);
	release(&r);
	free(x);
	free(y);
}

static void
test_many_values(void)
{
	double	   *x = malloc(MANY * sizeof(double));
	double	   *y = malloc(MANY * sizeof(double));
	UnitRandom	random = {8};
	FgRegressogram r;

	unit_case("many equal y are reproduced exactly enough");
	for (size_t i = 0; i < MANY; i++)
	{
		x[i] = uniform(&random);
		y[i] = 0.1;
	}
	r = fit(x, y, MANY, 1, FG_BUCKETS_AUTO, FG_BUCKET_MEAN);
	CHECK_NEAR(r.value[0], 0.1, 2e-16);
	CHECK_DOUBLE(r.r_square, 1);
	release(&r);

	unit_case("medians of many equal, sorted and falling values");
	for (int shape = 0; shape < 4; shape++)
	{
		for (size_t i = 0; i < MANY; i++)
			y[i] = ((double[]) {5, (double) i, -(double) i, (double) (i % 2)})[shape];
		r = fit(x, y, MANY, 1, FG_BUCKETS_AUTO, FG_BUCKET_MEDIAN);
		CHECK_DOUBLE(r.value[0], ((double[]) {5, (MANY - 1) / 2.0, -(MANY - 1) / 2.0, 0.5})[shape]);
		release(&r);
	}
	free(x);
	free(y);
}

static void
test_units(void)
{
	double		x[200];
	double		y[200];
	FgRegressogram r;

	unit_case("the number of buckets does not depend on the unit of x");
	for (int rule = 0; rule <= FG_BUCKETS_STURGES; rule++)
	{
		uint32_t	buckets = 0;

		for (int e = -1000; e <= 900; e += 475)
		{
			unit_note("[%s, 2^%d]", fg_bucket_rule_word((FgBucketRule) rule), e);
			for (size_t i = 0; i < 200; i++)
			{
				x[i] = ldexp((double) (i * i), e);
				y[i] = (double) (i % 2);
			}
			r = fit(x, y, 200, FG_NOT_GIVEN, (FgBucketRule) rule, FG_BUCKET_MEAN);
			if (e == -1000)
				buckets = r.buckets;
			CHECK_COUNT(r.buckets, buckets);
			CHECK(r.buckets > 4);
			release(&r);
		}
	}
}

static void
test_overflow(void)
{
	double		x[8];
	double		y[8];
	FgRegressogram r;

	unit_case("sums and squares that overflow");
	for (size_t i = 0; i < 8; i++)
	{
		x[i] = (double) i;
		y[i] = i < 4 ? 1.5e308 : (double) i;
	}
	for (int statistic = 0; statistic < 2; statistic++)
	{
		r = fit(x, y, 8, 2, FG_BUCKETS_AUTO, (FgBucketStatistic) statistic);
		CHECK_DOUBLE(r.value[0], 1.5e308);
		CHECK_DOUBLE(r.value[1], 5.5);
		CHECK_DOUBLE(r.r_square, 1);
		release(&r);
	}
}

/* --- R^2 and means -------------------------------------------------------------- */

static double
r_square(const double *y, const double *fitted, size_t n)
{
	FgContext	ctx = fg_malloc_context();
	double		result;

	CHECK(fg_r_square(&ctx, y, fitted, n, &result));
	return result;
}

static void
test_r_square(void)
{
	unit_case("R^2 of fewer than two points");
	CHECK_DOUBLE(r_square(NULL, NULL, 0), NAN);
	CHECK_DOUBLE(r_square((double[]) {1}, (double[]) {1}, 1), NAN);
	CHECK_DOUBLE(r_square((double[]) {1, 2, 3}, (double[]) {NAN, 2, NAN}, 3), NAN);
	unit_case("R^2 by hand, values that do not exist left out");
	CHECK_DOUBLE(r_square((double[]) {1, 3}, (double[]) {1, 3}, 2), 1);
	CHECK_DOUBLE(r_square((double[]) {1, 9, 3}, (double[]) {2, NAN, 2}, 3), 0);
	CHECK_DOUBLE(r_square((double[]) {1, 3}, (double[]) {3, 1}, 2), -3);
	unit_case("R^2 of equal y");
	CHECK_DOUBLE(r_square((double[]) {8, 2, 2}, (double[]) {NAN, 2, 2}, 3), 1);
	CHECK_DOUBLE(r_square((double[]) {2, 2}, (double[]) {2, 2 + 1e-11}, 2), 0);
	CHECK_DOUBLE(r_square((double[]) {0, 0}, (double[]) {0, 5e-324}, 2), 0);
	CHECK_DOUBLE(r_square((double[]) {0, 0}, (double[]) {0, 0}, 2), 1);
	unit_case("R^2 of very large and very small y");
	CHECK_DOUBLE(r_square((double[]) {1e300, 3e300}, (double[]) {2e300, 2e300}, 2), 0);
	CHECK_DOUBLE(r_square((double[]) {-0x1p1023, 0x1p1023}, (double[]) {-0x1p1023, 0}, 2), 0.5);
	CHECK_NEAR(r_square((double[]) {1e-300, 3e-300}, (double[]) {1.5e-300, 3e-300}, 2), 0.875,
			   1e-15);
	CHECK_DOUBLE(r_square((double[]) {1, 3}, (double[]) {1e300, 3}, 2), -DBL_MAX);
	unit_case("means");
	CHECK_DOUBLE(fg_mean((double[]) {1e16, 1, -1e16}, 3), 1.0 / 3);
	CHECK_DOUBLE(fg_mean((double[]) {1.5e308, 1.5e308, 1.5e308}, 3), 1.5e308);
	CHECK_DOUBLE(fg_mean((double[]) {1.5e308, 1.5e308, -1.5e308, -1.5e308}, 4), 0);
	CHECK_DOUBLE(fg_middle(1.5e308, 1.7e308), 1.6e308);
	CHECK_DOUBLE(fg_sum_squares((double[]) {0.1, 0.1, 0.1}, 3), 0);
	unit_case("sorting pairs");
	{
		FgContext	ctx = fg_malloc_context();
		UnitRandom	random = {2};
		double		x[100];
		double		y[100];

		for (size_t n = 0; n <= 100; n++)
		{
			double		sum = 0;

			for (size_t i = 0; i < n; i++)
			{
				x[i] = unit_below(&random, 10);
				y[i] = unit_below(&random, 10);
				sum += 100 * x[i] + y[i];
			}
			CHECK(fg_series_sort(&ctx, x, y, n));
			for (size_t i = 0; i < n; i++)
			{
				sum -= 100 * x[i] + y[i];
				CHECK(i == 0 || x[i - 1] < x[i] || (x[i - 1] == x[i] && y[i - 1] <= y[i]));
			}
			CHECK_DOUBLE(sum, 0);
		}
	}
}

/* --- memory and interrupts ------------------------------------------------------ */

typedef struct Points
{
	double	   *x;
	double	   *y;
	size_t		n;
} Points;

static bool
fit_all_ways(FgContext *ctx, void *arg)
{
	Points	   *p = arg;
	FgRegressogram r;

	for (int rule = 0; rule <= FG_BUCKETS_STURGES; rule += 2)
	{
		if (!fg_regressogram(ctx, p->x, p->y, p->n, FG_NOT_GIVEN, (FgBucketRule) rule,
							 (FgBucketStatistic) (rule % 4 / 2), &r))
			return false;
		fg_regressogram_free(ctx, &r);
	}
	return true;
}

static bool
sort_points(FgContext *ctx, void *arg)
{
	Points	   *p = arg;
	double	   *x = fg_alloc(ctx, p->n, sizeof(double));
	double	   *y = fg_alloc(ctx, p->n, sizeof(double));
	bool		ok = x != NULL && y != NULL && fg_copy(ctx, x, p->x, p->n * sizeof(double)) &&
		fg_copy(ctx, y, p->y, p->n * sizeof(double)) && fg_series_sort(ctx, x, y, p->n);

	fg_release(ctx, x);
	fg_release(ctx, y);
	return ok;
}

static void
test_sweeps(void)
{
	UnitRandom	random = {5};
	Points		p = {malloc(MANY * sizeof(double)), malloc(MANY * sizeof(double)), MANY};

	for (size_t i = 0; i < p.n; i++)
	{
		p.x[i] = uniform(&random);
		p.y[i] = uniform(&random);
	}
	unit_sweep_interrupts("regressogram", fit_all_ways, &p, 80);
	unit_sweep_interrupts("sorting", sort_points, &p, 7 * (MANY / FG_CHECK_NODES));
	p.n = 50;
	unit_sweep_memory("regressogram", fit_all_ways, &p);
	free(p.x);
	free(p.y);
}

int
main(void)
{
	test_words();
	test_by_hand();
	test_few_points();
	test_out_of_range();
	test_random();
	test_extremes();
	test_many_values();
	test_units();
	test_overflow();
	test_r_square();
	test_sweeps();
	return unit_finish();
}
