/*
 * test_kernel_regression.c
 *	  Kernel regression against the textbook: each estimate from the weights of all
 *	  points, in long double; the objectives from these; and the searches by what they
 *	  promise.
 */
#include "unit.h"

#include "core/base/series.h"
#include "core/models/bandwidth.h"
#include "core/models/bandwidth_internal.h"
#include "core/models/kernel_regression.h"
#include "core/models/smoother.h"

#include <math.h>

/* --- the textbook ---------------------------------------------------------------------- */

#define MAX_TERMS 8

/*
 * The equations in powers have so little left of long double at degree 5 that it is the
 * textbook that errs then.
 */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 Quad;
#else
typedef long double Quad;
#endif

typedef struct Naive
{
	bool		exists;
	double		value;
	double		hat;
	double		gain;			/* sum of the |weights| of the y: how errors grow */
} Naive;

/* K(z) by the formulas of textbooks, scaled as kernel.h says, with z in double precision. */
static long double
naive_weight(FgKernel kernel, double z)
{
	long double gauss = expl(-(long double) z * z / 2) / sqrtl(2 * acosl(-1));

	if (kernel == FG_GAUSSIAN)
		return gauss < 1e-290L ? 0 : gauss;
	if (kernel == FG_GAUSSIAN4)
	{
		gauss *= (3 - (long double) z * z) / 2;
		return fabsl(gauss) < 1e-290L ? 0 : gauss;
	}
	return fg_kernel_value(kernel, z);
}

static uint32_t
naive_degree(const double *x, const long double *w, size_t n, long double largest, uint32_t q)
{
	uint32_t	distinct = 0;
	size_t		last = SIZE_MAX;

	for (size_t i = 0; i < n; i++)
	{
		if (fabsl(w[i]) <= 1e-10L * largest)
			continue;
		distinct += last == SIZE_MAX || x[i] != x[last];
		last = i;
	}
	return distinct - 1 < q ? distinct - 1 : q;
}

static Quad
size_of(Quad value)
{
	return value < 0 ? -value : value;
}

static Quad
power(Quad base, uint32_t exponent)
{
	Quad		result = 1;

	for (uint32_t i = 0; i < exponent; i++)
		result *= base;
	return result;
}

/* Gauss-Jordan with complete pivoting; the right-hand side is the last column. */
static bool
naive_solve(Quad m[MAX_TERMS][MAX_TERMS + 1], uint32_t terms, Quad *solution)
{
	uint32_t	column_of[MAX_TERMS];
	bool		used[MAX_TERMS] = {false};

	for (uint32_t k = 0; k < terms; k++)
	{
		uint32_t	row = k;
		uint32_t	column = 0;
		Quad		largest = 0;

		for (uint32_t i = k; i < terms; i++)
		{
			for (uint32_t j = 0; j < terms; j++)
			{
				if (!used[j] && size_of(m[i][j]) > largest)
				{
					largest = size_of(m[i][j]);
					row = i;
					column = j;
				}
			}
		}
		if (largest == 0)
			return false;
		for (uint32_t j = 0; j <= terms; j++)
		{
			Quad		swap = m[k][j];

			m[k][j] = m[row][j];
			m[row][j] = swap;
		}
		used[column] = true;
		column_of[k] = column;
		for (uint32_t i = 0; i < terms; i++)
		{
			Quad		factor = m[i][column] / m[k][column];

			for (uint32_t j = 0; i != k && j <= terms; j++)
				m[i][j] -= factor * m[k][j];
		}
	}
	for (uint32_t k = 0; k < terms; k++)
		solution[column_of[k]] = m[k][terms] / m[k][column_of[k]];
	return true;
}

/*
 * Positions relative to t in bandwidths, then moved to their weighted mean and
 * divided by their weighted deviation.  Of degree 0 they are only measured in
 * bandwidths.
 */
static void
naive_positions(const double *x, const long double *w, size_t n, double t, double bandwidth,
				uint32_t degree, Quad *v, Quad *centre, long double *scale)
{
	long double sum = 0;
	long double squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabsl(w[i]);
	*centre = 0;
	for (size_t i = 0; i < n; i++)
	{
		if (w[i] == 0)
			continue;
		v[i] = ((Quad) x[i] - t) / bandwidth;
		*centre += degree == 0 ? 0 : fabsl(w[i]) / sum * v[i];
	}
	for (size_t i = 0; i < n; i++)
	{
		if (w[i] == 0)
			continue;
		v[i] -= *centre;
		squares += fabsl(w[i]) * (long double) (v[i] * v[i]);
	}
	*scale = degree == 0 ? 1 : sqrtl(squares / sum);
	for (size_t i = 0; i < n; i++)
		v[i] /= *scale;
}

static Naive
naive_estimate(const FgSmoother *smoother, const double *x, const double *y, size_t n, double t,
			   size_t left_out)
{
	Naive		naive = {.exists = false};
	long double *w = calloc(n + 1, sizeof(long double));
	Quad	   *v = calloc(n + 1, sizeof(Quad));
	Quad		m[MAX_TERMS][MAX_TERMS + 1] = {{0}};
	Quad		moment[2 * MAX_TERMS] = {0};
	Quad		g[MAX_TERMS] = {0};
	Quad		value = 0;
	Quad		hat = 0;
	Quad		centre;
	long double largest = 0;
	long double scale;
	uint32_t	degree = 0;

	for (size_t i = 0; i < n; i++)
	{
		w[i] = i == left_out ? 0 : naive_weight(smoother->kernel, (x[i] - t) / smoother->bandwidth);
		largest = fmaxl(largest, fabsl(w[i]));
	}
	if (largest > 0)
		degree = naive_degree(x, w, n, largest, smoother->degree);
	naive_positions(x, w, n, t, smoother->bandwidth, degree, v, &centre, &scale);
	for (size_t i = 0; i < n; i++)
	{
		Quad		term = w[i];

		for (uint32_t j = 0; w[i] != 0 && j <= 2 * degree; j++)
		{
			moment[j] += term;
			term *= v[i];
		}
	}
	for (uint32_t j = 0; j <= degree; j++)
	{
		for (uint32_t k = 0; k <= degree; k++)
			m[j][k] = moment[j + k];
		m[j][degree + 1] = power(-centre / scale, j);
	}
	if (largest > 0 && (degree > 0 || m[0][0] > 0))
		naive.exists = naive_solve(m, degree + 1, g);
	for (size_t i = 0; naive.exists && i < n; i++)
	{
		Quad		weight = 0;

		for (uint32_t j = degree + 1; w[i] != 0 && j-- > 0;)
			weight = weight * v[i] + g[j];
		weight *= w[i];
		value += weight * y[i];
		naive.gain += (double) size_of(weight);
	}
	for (uint32_t j = 0; j <= degree; j++)
		hat += g[j] * power(-centre / scale, j);
	naive.value = (double) value;
	naive.hat = (double) (hat * naive_weight(smoother->kernel, 0));
	free(w);
	free(v);
	return naive;
}

/* --- data -------------------------------------------------------------------------------- */

typedef struct Data
{
	size_t		n;
	double	   *x;
	double	   *y;
	double	   *fitted;
} Data;

static const char *const kinds[] = {
	"uniform", "whole numbers", "dense with outliers", "equal x", "near 1e9", "equal y"
};

static double
random_x(UnitRandom *random, int kind)
{
	double		uniform = unit_below(random, 1000000) / 1e5;

	switch (kind)
	{
		case 1:
			return unit_below(random, 12);
		case 2:
			return unit_below(random, 20) == 0 ? 300 * uniform : uniform;
		case 3:
			return 7;
		case 4:
			return 1e9 + floor(256 * uniform) / 256;
		default:
			return uniform;
	}
}

static Data
data_of(UnitRandom *random, size_t n, int kind)
{
	FgContext	ctx = fg_malloc_context();
	Data		data = {
		n, calloc(n + 1, sizeof(double)), calloc(n + 1, sizeof(double)),
		calloc(n + 1, sizeof(double))
	};

	for (size_t i = 0; i < n; i++)
	{
		data.x[i] = random_x(random, kind);
		data.y[i] = kind == 5 ? 0.1 :
			5 * sin(data.x[i]) + unit_below(random, 1000) / 500.0 - (i % 2 == 0 ? 3 : 0);
	}
	CHECK(fg_series_sort(&ctx, data.x, data.y, n));
	return data;
}

static void
data_free(Data *data)
{
	free(data->x);
	free(data->y);
	free(data->fitted);
}

/* --- estimates ----------------------------------------------------------------------------- */

/* NULL where the textbook says NULL, else near to it. */
static void
check_estimate(double got, const Naive *naive, uint32_t degree)
{
	double		tolerance = degree <= 1 ? 1e-12 : 1e-10;

	/* the weights cancel each other: nothing is certain, not even that there is a value */
	if (naive->exists && naive->gain > 1e4)
		return;
	if (!naive->exists)
		CHECK(isnan(got));
	else if (!CHECK(fabs(got - naive->value) <= tolerance * 15 * naive->gain))
		printf("    got %.17g, expected %.17g, gain %g\n", got, naive->value, naive->gain);
}

static void
check_points(const Data *data, const FgSmoother *smoother, size_t step)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	double		trace;
	double		hats = 0;
	bool		certain = step == 1;

	CHECK(fg_smooth_points(&ctx, smoother, data->x, data->y, data->n, false, data->fitted, &trace));
	for (size_t i = 0; i < data->n; i += step)
	{
		Naive		naive = naive_estimate(smoother, data->x, data->y, data->n, data->x[i],
										   SIZE_MAX);

		check_estimate(data->fitted[i], &naive, smoother->degree);
		hats += naive.exists ? naive.hat : NAN;
		certain = certain && naive.exists && naive.gain < 100;
	}
	if (certain)
		CHECK_NEAR(trace, hats, smoother->degree <= 1 ? 1e-11 : 1e-8);
	CHECK(fg_smooth_points(&ctx, smoother, data->x, data->y, data->n, true, data->fitted, &trace));
	for (size_t i = 0; i < data->n; i += step)
	{
		Naive		naive = naive_estimate(smoother, data->x, data->y, data->n, data->x[i], i);

		check_estimate(data->fitted[i], &naive, smoother->degree);
	}
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_at(UnitRandom *random, const Data *data, const FgSmoother *smoother, int kind)
{
	FgContext	ctx = fg_malloc_context();
	double		at[100];
	double		fitted[100];
	size_t		count = unit_below(random, 2) == 0 ? COUNT(at) : unit_below(random, 10);

	for (size_t i = 0; i < count; i++)
		at[i] = random_x(random, kind) * (i % 5 == 0 ? 1.5 : 1) - (i % 9 == 0 ? 2 : 0);
	CHECK(fg_smooth(&ctx, smoother, data->x, data->y, data->n, at, count, fitted));
	for (size_t i = 0; i < count; i += 1 + count / 30)
	{
		Naive		naive = naive_estimate(smoother, data->x, data->y, data->n, at[i], SIZE_MAX);

		check_estimate(fitted[i], &naive, smoother->degree);
	}
}

static void
test_estimates(void)
{
	static const double widths[] = {1e-5, 0.003, 0.04, 0.3, 1, 3.7, 40, 1e5};
	static const size_t sizes[] = {0, 1, 2, 3, 7, 30, 80};
	UnitRandom	random = {11};

	for (int k = 0; k < FG_KERNELS; k++)
	{
		for (uint32_t degree = 0; degree <= 5; degree++)
		{
			unit_case("%s, degree %u: estimates", fg_kernel_word((FgKernel) k), degree);
			for (int round = 0; round < (degree <= 1 ? 80 : 40); round++)
			{
				int			kind = round % (int) COUNT(kinds);
				size_t		n = sizes[unit_below(&random, COUNT(sizes))];
				Data		data = data_of(&random, n, kind);
				FgSmoother	smoother = {
					(FgKernel) k, degree, widths[unit_below(&random, COUNT(widths))]
				};

				unit_note("[round %d: %s, n %zu, h %g]", round, kinds[kind], n,
						  smoother.bandwidth);
				check_points(&data, &smoother, 1);
				check_at(&random, &data, &smoother, kind);
				data_free(&data);
			}
		}
	}
}

/*
 * Enough points for windows of many blocks, and for clusters that are worth it.
 * Each kind of data and each width meets each degree in another company.
 */
static void
test_many_points(void)
{
	static const double widths[] = {0.002, 0.03, 0.4, 8, 3000};
	UnitRandom	random = {12};

	for (size_t kind = 0; kind < COUNT(kinds); kind++)
	{
		unit_case("1000 points, %s", kinds[kind]);
		for (size_t w = 0; w < COUNT(widths); w++)
		{
			uint32_t	degree = (uint32_t) ((kind + w) % 3);
			Data		data = data_of(&random, 1000, (int) kind);
			FgSmoother	smoother = {
				w % 2 == 0 || degree < 2 ? FG_GAUSSIAN : FG_TRICUBE, degree, widths[w]
			};

			unit_note("[degree %u, h %g]", degree, widths[w]);
			check_points(&data, &smoother, 97);
			data_free(&data);
		}
	}
}

static void
test_special(void)
{
	FgContext	ctx = fg_malloc_context();
	FgSmoother	smoother = {FG_EPANECHNIKOV, 1, 1};
	double		x[] = {0, 1, 2, 3, 10};
	double		y[] = {1, 3, 5, 7, 42};
	double		at[] = {20, 10, -0.5, 6, 1.5};
	double		fitted[5];
	double		trace;

	unit_case("a line is continued, a lonely point is a constant, nothing is NULL");
	CHECK(fg_smooth(&ctx, &smoother, x, y, 5, at, 5, fitted));
	CHECK(isnan(fitted[0]));
	CHECK_NEAR(fitted[1], 42, 1e-15);
	CHECK(fabs(fitted[2]) < 1e-14);
	CHECK(isnan(fitted[3]));
	CHECK_NEAR(fitted[4], 4, 1e-14);
	unit_case("no value, no trace");
	CHECK(fg_smooth_points(&ctx, &smoother, x, y, 5, false, fitted, &trace));
	CHECK(!isnan(trace));
	smoother.kernel = FG_GAUSSIAN4;
	smoother.degree = 0;
	smoother.bandwidth = 0.5;
	CHECK(fg_smooth(&ctx, &smoother, x, y, 4, (double[]) {4.2}, 1, fitted));
	CHECK(isnan(fitted[0]));
	unit_case("evaluation points must be finite");
	at[2] = INFINITY;
	CHECK_ERROR(fg_smooth(&ctx, &smoother, x, y, 5, at, 5, fitted), &ctx, FG_ERROR_ARGUMENT);
	at[2] = NAN;
	CHECK_ERROR(fg_smooth(&ctx, &smoother, x, y, 5, at, 5, fitted), &ctx, FG_ERROR_ARGUMENT);
	CHECK(strstr(ctx.error.reason, "at_x") != NULL && ctx.error.hint != NULL);
	unit_case("sums beyond all numbers");
	for (int i = 0; i < 5; i++)
		y[i] = 1.7e308;
	smoother = (FgSmoother) {FG_GAUSSIAN, 0, 100};
	CHECK_ERROR(fg_smooth(&ctx, &smoother, x, y, 5, x, 5, fitted), &ctx, FG_ERROR_RANGE);
	unit_case("distances beyond all numbers");
	for (uint32_t degree = 0; degree <= 3; degree++)
	{
		double		far[] = {-1.7e308, 0, 1, 1.7e308};
		double		far_y[] = {1, 2, 3, 4};

		for (int k = 0; k < FG_KERNELS; k++)
		{
			smoother = (FgSmoother) {(FgKernel) k, degree, 0.25};
			CHECK(fg_smooth(&ctx, &smoother, far, far_y, 4, far, 4, fitted));
			CHECK_NEAR(fitted[0], 1, 1e-15);
			CHECK_NEAR(fitted[3], 4, 1e-15);
		}
	}
}

/* --- words and options ------------------------------------------------------------------------ */

static void
test_words(void)
{
	static const struct
	{
		const char *word;
		FgEstimator estimator;
	}			rows[] = {
		{"nadaraya_watson", FG_NADARAYA_WATSON}, {"local_linear", FG_LOCAL_LINEAR},
		{"local_polynomial", FG_LOCAL_POLYNOMIAL}, {"lc", FG_NADARAYA_WATSON},
		{"spatial-average", FG_NADARAYA_WATSON}, {"ll", FG_LOCAL_LINEAR}
	};
	FgContext	ctx = fg_malloc_context();
	FgEstimator estimator;
	FgBandwidthRule rule;
	uint32_t	degree;

	unit_case("words of estimators");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		CHECK(fg_estimator_parse(&ctx, rows[i].word, strlen(rows[i].word), &estimator));
		CHECK_COUNT(estimator, rows[i].estimator);
		if (i < FG_ESTIMATORS)
			CHECK(strcmp(fg_estimator_word(estimator), rows[i].word) == 0);
	}
	CHECK_ERROR(fg_estimator_parse(&ctx, "lp", 2, &estimator), &ctx, FG_ERROR_ARGUMENT);
	unit_case("degrees of estimators");
	CHECK(fg_estimator_degree(&ctx, FG_NADARAYA_WATSON, -5, &degree) && degree == 0);
	CHECK(fg_estimator_degree(&ctx, FG_LOCAL_LINEAR, 99, &degree) && degree == 1);
	CHECK(fg_estimator_degree(&ctx, FG_LOCAL_POLYNOMIAL, 0, &degree) && degree == 0);
	CHECK(fg_estimator_degree(&ctx, FG_LOCAL_POLYNOMIAL, 20, &degree) && degree == 20);
	CHECK_ERROR(fg_estimator_degree(&ctx, FG_LOCAL_POLYNOMIAL, -1, &degree), &ctx,
				FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_estimator_degree(&ctx, FG_LOCAL_POLYNOMIAL, 21, &degree), &ctx,
				FG_ERROR_ARGUMENT);
	unit_case("words of rules");
	for (int r = FG_BANDWIDTH_SCOTT; r < FG_BANDWIDTH_RULES; r++)
	{
		const char *word = fg_bandwidth_rule_word((FgBandwidthRule) r);

		CHECK(fg_bandwidth_rule_parse(&ctx, word, strlen(word), &rule));
		CHECK_COUNT(rule, r);
	}
	CHECK_ERROR(fg_bandwidth_rule_parse(&ctx, "botev", 5, &rule), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_bandwidth_rule_parse(&ctx, "user", 4, &rule), &ctx, FG_ERROR_ARGUMENT);
}

static void
test_options(void)
{
	static const double fine[] = {1, 2};
	static const double bad[] = {1, -2};
	static const struct
	{
		const char *what;
		const char *names;
		FgKernelOptions options;
	}			rows[] = {
		{"bandwidth 0", "bandwidth", {FG_GAUSSIAN, 0, FG_BANDWIDTH_GIVEN, 0, NULL, 0}},
		{"bandwidth < 0", "bandwidth", {FG_GAUSSIAN, 0, FG_BANDWIDTH_GIVEN, -1, NULL, 0}},
		{"bandwidth NaN", "bandwidth", {FG_GAUSSIAN, 0, FG_BANDWIDTH_GIVEN, NAN, NULL, 0}},
		{"bandwidth infinite", "bandwidth", {FG_GAUSSIAN, 0, FG_BANDWIDTH_GIVEN, INFINITY, NULL, 0}},
		{"degree 21", "degree", {FG_GAUSSIAN, 21, FG_BANDWIDTH_SCOTT, 0, NULL, 0}},
		{"candidates with scott", "candidates", {FG_GAUSSIAN, 0, FG_BANDWIDTH_SCOTT, 0, fine, 2}},
		{"candidates with a number", "candidates", {FG_GAUSSIAN, 0, FG_BANDWIDTH_GIVEN, 1, fine, 2}},
		{"no candidates", "candidates", {FG_GAUSSIAN, 0, FG_BANDWIDTH_AIC, 0, fine, 0}},
		{"a candidate < 0", "candidates", {FG_GAUSSIAN, 0, FG_BANDWIDTH_CV_LS, 0, bad, 2}}
	};
	FgContext	ctx = fg_malloc_context();
	FgKernelFit fit;
	double		fitted[1];

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("refused, without data too: %s", rows[i].what);
		CHECK_ERROR(fg_kernel_regression(&ctx, &rows[i].options, NULL, NULL, 0, NULL, 0, fitted,
										 &fit), &ctx, FG_ERROR_ARGUMENT);
		CHECK(strstr(ctx.error.reason, rows[i].names) != NULL && ctx.error.hint != NULL);
	}
	unit_case("refused: bandwidth of an objective");
	CHECK_ERROR(fg_bandwidth_objective(&ctx, &(FgSmoother) {FG_GAUSSIAN, 0, 0}, NULL, NULL, 0,
									   &fitted[0], &fit.score), &ctx, FG_ERROR_ARGUMENT);
}

/* --- bandwidths ----------------------------------------------------------------------------- */

static void
test_thumb(void)
{
	double		x[] = {1, 2, 3, 4, 5, 6, 7, 8};
	double		y[] = {1, 1, 1, 1, 1, 1, 1, 9};

	unit_case("rules of thumb");
	CHECK_NEAR(fg_bandwidth_scott(x, 8), 1.059 * sqrt(6) * pow(8, -0.2), 1e-14);
	CHECK_NEAR(fg_bandwidth_silverman(x, 8), 0.9 * sqrt(6) * pow(8, -0.2), 1e-14);
	CHECK_NEAR(fg_bandwidth_scott(y, 8), 1.059 * sqrt(8) * pow(8, -0.2), 1e-14);
	CHECK_DOUBLE(fg_bandwidth_scott(x, 0), 1);
	CHECK_DOUBLE(fg_bandwidth_scott(x, 1), 1);
	CHECK_DOUBLE(fg_bandwidth_silverman(y, 7), 1);
}

static double
naive_cv(const Data *data, const FgSmoother *smoother)
{
	double		sum = 0;

	for (size_t i = 0; i < data->n; i++)
	{
		Naive		naive = naive_estimate(smoother, data->x, data->y, data->n, data->x[i], i);

		if (!naive.exists)
			return INFINITY;
		sum += (data->y[i] - naive.value) * (data->y[i] - naive.value);
	}
	return sum / (double) data->n;
}

static double
naive_aicc(const Data *data, const FgSmoother *smoother)
{
	double		n = (double) data->n;
	double		sum = 0;
	double		trace = 0;

	for (size_t i = 0; i < data->n; i++)
	{
		Naive		naive = naive_estimate(smoother, data->x, data->y, data->n, data->x[i],
										   SIZE_MAX);

		if (!naive.exists)
			return INFINITY;
		sum += (data->y[i] - naive.value) * (data->y[i] - naive.value);
		trace += naive.hat;
	}
	if (trace + 2 >= n)
		return INFINITY;
	sum = fmax(sum / n, 1e-20 * fg_sum_squares(data->y, data->n) / n);
	return log(sum) + (1 + trace / n) / (1 - (trace + 2) / n);
}

static void
test_objectives(void)
{
	static const double widths[] = {0.01, 0.1, 0.5, 1, 4, 100};
	static const size_t sizes[] = {1, 2, 3, 5, 20, 90};
	UnitRandom	random = {13};
	FgContext	ctx = fg_malloc_context();

	for (int k = 0; k < FG_KERNELS; k++)
	{
		unit_case("%s: objectives", fg_kernel_word((FgKernel) k));
		/* of 4th order only without a slope: their polynomials can be anything */
		for (int round = 0; round < unit_rounds(30); round++)
		{
			Data		data = data_of(&random, sizes[unit_below(&random, COUNT(sizes))],
									   round % 3);
			FgSmoother	smoother = {
				(FgKernel) k, k >= FG_GAUSSIAN4 ? 0 : unit_below(&random, 3),
				widths[unit_below(&random, COUNT(widths))]
			};
			double		cv;
			double		aicc;

			unit_note("[round %d: n %zu, degree %u, h %g]", round, data.n, smoother.degree,
					  smoother.bandwidth);
			CHECK(fg_bandwidth_objective(&ctx, &smoother, data.x, data.y, data.n, &cv, &aicc));
			CHECK_NEAR(cv, naive_cv(&data, &smoother), 1e-6);
			CHECK(unit_near(aicc, naive_aicc(&data, &smoother), 1e-9) ||
				  fabs(aicc - naive_aicc(&data, &smoother)) < 1e-8);
			data_free(&data);
		}
	}
	unit_case("equal y: the objectives are exact");
	{
		Data		data = data_of(&random, 30, 5);
		double		cv;
		double		aicc;

		CHECK(fg_bandwidth_objective(&ctx, &(FgSmoother) {FG_GAUSSIAN, 1, 1}, data.x, data.y,
									 data.n, &cv, &aicc));
		CHECK_DOUBLE(cv, 0);
		CHECK_DOUBLE(aicc, -INFINITY);
		data_free(&data);
	}
}

static double
start_of_search(const Data *data)
{
	return 1.06 * sqrt(fg_sum_squares(data->x, data->n) / (double) data->n) *
		pow((double) data->n, -0.2);
}

/* No candidate is better, and the score is the objective at the bandwidth. */
static void
check_search(const Data *data, const FgKernelOptions *options)
{
	FgContext	ctx = fg_malloc_context();
	FgSmoother	smoother = {options->kernel, options->degree, 0};
	bool		cv = options->rule == FG_BANDWIDTH_CV_LS;
	double		value[2];
	FgKernelFit fit;

	CHECK(fg_kernel_regression(&ctx, options, data->x, data->y, data->n, NULL, 0, data->fitted,
							   &fit));
	smoother.bandwidth = fit.bandwidth;
	CHECK(fg_bandwidth_objective(&ctx, &smoother, data->x, data->y, data->n, &value[0], &value[1]));
	CHECK_DOUBLE(fit.score, value[cv ? 0 : 1]);
	for (int k = -14; k <= 10; k++)
	{
		smoother.bandwidth = start_of_search(data) * pow(2, k / 2.0);
		CHECK(fg_bandwidth_objective(&ctx, &smoother, data->x, data->y, data->n, &value[0],
									 &value[1]));
		CHECK(value[cv ? 0 : 1] >= fit.score - 1e-11 * (1 + fabs(fit.score)));
	}
}

static void
check_bandwidth(const Data *data, FgKernelOptions options, double bandwidth, double score)
{
	FgContext	ctx = fg_malloc_context();
	FgKernelFit fit;

	CHECK(fg_kernel_regression(&ctx, &options, data->x, data->y, data->n, NULL, 0, data->fitted,
							   &fit));
	CHECK_NEAR(fit.bandwidth, bandwidth, 1e-14);
	if (isnan(score) || isinf(score))
		CHECK_DOUBLE(fit.score, score);
}

static void
test_searches(void)
{
	UnitRandom	random = {14};
	FgKernelOptions options = {FG_GAUSSIAN, 0, FG_BANDWIDTH_CV_LS, 0, NULL, 0};
	Data		data;

	for (int k = 0; k <= FG_TRICUBE; k++)
	{
		unit_case("%s: no candidate beats the search", fg_kernel_word((FgKernel) k));
		for (int round = 0; round < 8; round++)
		{
			data = data_of(&random, round % 2 == 0 ? 40 : 150, round % 3);
			unit_note("[round %d]", round);
			options = (FgKernelOptions) {
				(FgKernel) k, unit_below(&random, 3),
				round % 2 == 0 ? FG_BANDWIDTH_CV_LS : FG_BANDWIDTH_AIC, 0, NULL, 0
			};
			check_search(&data, &options);
			data_free(&data);
		}
	}
	options = (FgKernelOptions) {FG_GAUSSIAN, 1, FG_BANDWIDTH_CV_LS, 0, NULL, 0};
	data = data_of(&random, 60, 0);
	unit_case("the wider the better: the largest bandwidth");
	for (size_t i = 0; i < data.n; i++)
		data.y[i] = 2 * data.x[i] + 1;
	check_bandwidth(&data, options, start_of_search(&data) * 32, 0);
	options.rule = FG_BANDWIDTH_AIC;
	check_bandwidth(&data, options, start_of_search(&data) * 32, 0);
	unit_case("equal y: the largest bandwidth, without a search");
	for (size_t i = 0; i < data.n; i++)
		data.y[i] = 0.1;
	check_bandwidth(&data, options, start_of_search(&data) * 32, NAN);
	data_free(&data);
	unit_case("the narrower the better: the smallest bandwidth");
	data = data_of(&random, 2000, 0);
	for (size_t i = 0; i < data.n; i++)
	{
		/* twins agree, neighbours do not */
		data.x[i] = (double) (i / 2) / 1000;
		data.y[i] = sin((double) (i / 2) * 2.2);
	}
	options = (FgKernelOptions) {FG_GAUSSIAN, 0, FG_BANDWIDTH_CV_LS, 0, NULL, 0};
	check_bandwidth(&data, options, start_of_search(&data) / 128, 0);
	data_free(&data);
}

static void
test_no_search(void)
{
	static const double candidates[] = {3, 0.001, 2, 2, 5};
	UnitRandom	random = {15};
	FgContext	ctx = fg_malloc_context();
	FgKernelOptions options = {FG_GAUSSIAN, 0, FG_BANDWIDTH_AIC, 0, NULL, 0};
	FgKernelFit fit;
	Data		data;

	for (size_t n = 1; n <= 3; n++)
	{
		unit_case("%zu points: scott instead of aic", n);
		data = data_of(&random, n, 0);
		check_bandwidth(&data, options, fg_bandwidth_scott(data.x, n), NAN);
		data_free(&data);
	}
	unit_case("equal x: scott, which is 1");
	data = data_of(&random, 20, 3);
	check_bandwidth(&data, options, 1, NAN);
	unit_case("candidates: the first when all are infinite");
	options.candidates = candidates;
	options.ncandidates = 2;
	options.rule = FG_BANDWIDTH_CV_LS;
	data.n = 1;
	check_bandwidth(&data, options, 3, INFINITY);
	data_free(&data);
	unit_case("candidates: the first of the best");
	data = data_of(&random, 20, 5);
	options.ncandidates = COUNT(candidates);
	options.rule = FG_BANDWIDTH_AIC;
	check_bandwidth(&data, options, 3, -INFINITY);
	data_free(&data);
	data = data_of(&random, 20, 0);
	options.degree = 1;
	for (size_t i = 0; i < data.n; i++)
		data.y[i] = pow(-1, (double) i);
	options.rule = FG_BANDWIDTH_CV_LS;
	check_bandwidth(&data, options, 5, 0);
	data_free(&data);
	unit_case("no data");
	options = (FgKernelOptions) {FG_GAUSSIAN, 0, FG_BANDWIDTH_CV_LS, 0, NULL, 0};
	{
		double		at[] = {1, 2};
		double		fitted[] = {5, 5};

		CHECK(fg_kernel_regression(&ctx, &options, NULL, NULL, 0, at, 2, fitted, &fit));
		CHECK(isnan(fitted[0]) && isnan(fitted[1]) && isnan(fit.bandwidth) &&
			  isnan(fit.r_square) && isnan(fit.x_start));
	}
}

static void
test_model(void)
{
	UnitRandom	random = {16};
	FgContext	ctx = fg_malloc_context();
	FgKernelOptions options = {FG_EPANECHNIKOV, 0, FG_BANDWIDTH_SILVERMAN, 0, NULL, 0};
	Data		data = data_of(&random, 50, 0);
	double		at[] = {3, 1, 2};
	double		fitted[3];
	double		again[3];
	double		r_square;
	FgKernelFit fit;
	FgKernelFit at_points;

	unit_case("facts of the model");
	CHECK(fg_kernel_regression(&ctx, &options, data.x, data.y, 50, NULL, 0, data.fitted, &fit));
	CHECK_DOUBLE(fit.bandwidth, fg_bandwidth_silverman(data.x, 50));
	CHECK_DOUBLE(fit.x_start, data.x[0]);
	CHECK_DOUBLE(fit.x_end, data.x[49]);
	CHECK(isnan(fit.score));
	CHECK(fg_r_square(&ctx, data.y, data.fitted, 50, &r_square));
	CHECK_DOUBLE(fit.r_square, r_square);
	unit_case("other points: the same model");
	CHECK(fg_kernel_regression(&ctx, &options, data.x, data.y, 50, at, 3, fitted, &at_points));
	CHECK_DOUBLE(at_points.r_square, r_square);
	CHECK_DOUBLE(at_points.bandwidth, fit.bandwidth);
	CHECK(fg_smooth(&ctx, &(FgSmoother) {FG_EPANECHNIKOV, 0, fit.bandwidth}, data.x, data.y, 50,
					at, 3, again));
	for (int i = 0; i < 3; i++)
		CHECK_DOUBLE(fitted[i], again[i]);
	data_free(&data);
}

/* --- failures ------------------------------------------------------------------------------- */

typedef struct Job
{
	Data		data;
	FgKernelOptions options;
	size_t		points;			/* that the model is evaluated at, 0: the data's */
} Job;

static bool
run_job(FgContext *ctx, void *arg)
{
	Job		   *job = arg;
	FgKernelFit fit;

	return fg_kernel_regression(ctx, &job->options, job->data.x, job->data.y, job->data.n,
								job->points > 0 ? job->data.y : NULL, job->points,
								job->data.fitted, &fit);
}

static void
test_failures(void)
{
	UnitRandom	random = {17};
	Job			job = {.data = data_of(&random, 70, 0), .points = 68};

	job.options = (FgKernelOptions) {FG_GAUSSIAN, 1, FG_BANDWIDTH_AIC, 0, NULL, 0};
	unit_sweep_memory("search and other points", run_job, &job);
	unit_sweep_interrupts("search and other points", run_job, &job, 44);
	data_free(&job.data);
	job = (Job) {.data = data_of(&random, 800, 0)};
	job.options = (FgKernelOptions) {FG_GAUSSIAN4, 2, FG_BANDWIDTH_GIVEN, 1, NULL, 0};
	unit_sweep_interrupts("direct estimates", run_job, &job, 800 * 800 / FG_CHECK_NODES);
	data_free(&job.data);
	job = (Job) {.data = data_of(&random, 20000, 0)};
	job.options = (FgKernelOptions) {FG_GAUSSIAN, 1, FG_BANDWIDTH_SCOTT, 0, NULL, 0};
	unit_sweep_interrupts("estimates from sums", run_job, &job, 20);
	data_free(&job.data);
}

int
main(void)
{
	test_estimates();
	test_many_points();
	test_special();
	test_words();
	test_options();
	test_thumb();
	test_objectives();
	test_searches();
	test_no_search();
	test_model();
	test_failures();
	return unit_finish();
}
