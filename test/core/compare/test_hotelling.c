/*
 * test_hotelling.c
 *	  Keys of samples by document frequency; Hotelling's T^2, its statuses and intervals.
 *	  Linear algebra comes from plain code of our own, as no library is linked here.
 */
#include "naive.h"

#include "core/base/distribution.h"
#include "core/compare/hotelling.h"
#include "core/compare/hotelling_internal.h"
#include "core/compare/reduced.h"

#include <math.h>

/* --- linear algebra, plain ------------------------------------------------------------ */

static int	qr_calls;
static int	singular_calls;
static FgLinalgResult linalg_answer;

/* Householder's reflections, column by column. */
static FgLinalgResult
naive_qr(double *a, int rows, int columns, int stride)
{
	qr_calls++;
	for (int j = 0; j < columns && j < rows - 1; j++)
	{
		double	   *x = a + (size_t) j * (size_t) stride;
		double		norm = 0;
		double		beta;

		for (int i = j; i < rows; i++)
			norm += x[i] * x[i];
		norm = x[j] > 0 ? -sqrt(norm) : sqrt(norm);
		if (norm == 0)
			continue;
		x[j] -= norm;
		beta = 0;
		for (int i = j; i < rows; i++)
			beta += x[i] * x[i];
		for (int k = j + 1; k < columns; k++)
		{
			double	   *y = a + (size_t) k * (size_t) stride;
			double		dot = 0;

			for (int i = j; i < rows; i++)
				dot += x[i] * y[i];
			for (int i = j; i < rows; i++)
				y[i] -= 2 * dot / beta * x[i];
		}
		/* below R stays the reflection, as in LAPACK: nobody may read it */
		x[j] = norm;
	}
	return linalg_answer;
}

/* By the inverse, column by column. */
static FgLinalgResult
naive_condition(const double *r, int n, int stride, double *reciprocal)
{
	double		norm = 0;
	double		inverse = 0;
	double	   *x = malloc((size_t) n * sizeof(double));

	for (int j = 0; j < n; j++)
	{
		double		sum = 0;
		double		inverse_sum = 0;

		for (int i = j; i >= 0; i--)
		{
			x[i] = i == j;
			for (int k = i + 1; k <= j; k++)
				x[i] -= r[i + k * stride] * x[k];
			x[i] /= r[i + i * stride];
			inverse_sum += fabs(x[i]);
			sum += fabs(r[i + j * stride]);
		}
		norm = fmax(norm, sum);
		inverse = fmax(inverse, inverse_sum);
	}
	free(x);
	*reciprocal = isfinite(inverse) ? 1 / (norm * inverse) : 0;
	return FG_LINALG_OK;
}

static int
descending(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x < y) - (x > y);
}

/* One-sided Jacobi. */
static FgLinalgResult
naive_singular_values(double *a, int rows, int columns, int stride, double *values)
{
	singular_calls++;
	for (int sweep = 0; sweep < 60; sweep++)
	{
		for (int j = 0; j < columns; j++)
		{
			for (int k = j + 1; k < columns; k++)
			{
				double	   *x = a + j * stride;
				double	   *y = a + k * stride;
				double		xx = 0;
				double		yy = 0;
				double		xy = 0;
				double		zeta;
				double		t;
				double		c;

				for (int i = 0; i < rows; i++)
				{
					xx += x[i] * x[i];
					yy += y[i] * y[i];
					xy += x[i] * y[i];
				}
				if (xy == 0)
					continue;
				zeta = (yy - xx) / (2 * xy);
				t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
				c = 1 / sqrt(1 + t * t);
				for (int i = 0; i < rows; i++)
				{
					double		old = x[i];

					x[i] = c * (old - t * y[i]);
					y[i] = c * (t * old + y[i]);
				}
			}
		}
	}
	for (int j = 0; j < columns; j++)
	{
		values[j] = 0;
		for (int i = 0; i < rows; i++)
			values[j] += a[i + j * stride] * a[i + j * stride];
		values[j] = sqrt(values[j]);
	}
	qsort(values, (size_t) columns, sizeof(double), descending);
	return FG_LINALG_OK;
}

static const FgLinalg *
naive_linalg(void)
{
	static const FgLinalg functions = {naive_qr, naive_condition, naive_singular_values};

	return &functions;
}

/* For tests that have nothing to factorise: the library is not even loaded. */
static const FgLinalg *
no_linalg(void)
{
	CHECK(!"the library was asked for");
	return NULL;
}

/* --- samples ------------------------------------------------------------------------------ */

static bool
read_text(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	FgContext	plain = fg_malloc_context();
	FgTree		tree = tree_of_text(&plain, ((const char *const *) arg)[i]);
	bool		ok = fg_tree_copy(ctx, &tree, profile);

	fg_tree_free(&plain, &tree);
	return ok;
}

#define SAMPLE(texts) ((FgProfiles) {read_text, (void *) (texts), COUNT(texts)})

/* Numbers: row i is profile i, column k the stack "m;<letter k>". */
typedef struct Numbers
{
	const double *values;
	size_t		columns;
} Numbers;

static bool
read_numbers(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const Numbers *numbers = arg;
	FgContext	plain = fg_malloc_context();
	Naive		naive = {0};
	FgTree		tree;
	bool		ok;

	for (size_t k = 0; k < numbers->columns; k++)
	{
		char		path[3] = {'m', 0, (char) ('a' + k)};

		naive_add(&naive, path, 3, numbers->values[i * numbers->columns + k]);
	}
	naive_settle(&naive);
	tree = naive_tree(&plain, &naive);
	ok = fg_tree_copy(ctx, &tree, profile);
	fg_tree_free(&plain, &tree);
	naive_free(&naive);
	return ok;
}

static const char *const before_texts[] = {
	"a 10\nb 20\nk 5", "a 12\nb 19\nk 5", "a 11\nb 23\nk 5", "a 9\nb 20\nk 5", "a 10\nb 22\nk 5"
};
static const char *const after_texts[] = {
	"a 14\nb 21\nk 5\nn 3", "a 15\nb 20\nk 5\nn 3", "a 13\nb 22\nk 5\nn 3", "a 16\nb 19\nk 5\nn 3"
};

/* --- keys ------------------------------------------------------------------------------------ */

static void
check_values(FgContext *ctx, const FgKeys *keys, FgLevel level, const char *text,
			 const double *expected, double dropped)
{
	FgProfiles	one = {read_text, (void *) &text, 1};
	double		values[8];
	FgDouble2	sum = {0, 0};

	CHECK(fg_keys_values(ctx, keys, &one, 0, level, values, &sum));
	for (uint32_t k = 0; k < keys->count; k++)
		CHECK_DOUBLE(values[k], expected[k]);
	CHECK_DOUBLE(sum.high + sum.low, dropped);
}

static void
test_keys(void)
{
	static const char *const texts[] = {"a 1\nb;c 2\n 4", "a 1\nb;c 2\nb;d 7", "b 3\nz 1"};
	static const char *const others[] = {"a;x 1\nb;c -2"};
	FgProfiles	samples[2] = {SAMPLE(texts), SAMPLE(others)};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgKeys		keys;

	/* documents: '' 1, a 2, a;x 1, b 1, b;c 3, b;d 1, z 1 */
	unit_case("keys by document frequency, over both samples");
	CHECK(fg_keys_find(&ctx, samples, 2, FG_LEVEL_STACK, 2, NULL, &keys));
	CHECK_COUNT(keys.count, 2);
	CHECK_COUNT(keys.dropped, 5);
	CHECK_COUNT(keys.tree.nnodes, 3);
	CHECK_DOUBLE(keys.tree.self[1], 2);
	CHECK_DOUBLE(keys.tree.self[3], 3);
	check_values(&ctx, &keys, FG_LEVEL_STACK, "a 1\nb;c 2\n 4", (double[]) {1, 2}, 4);
	check_values(&ctx, &keys, FG_LEVEL_STACK, "a;x -1\nb;d -2\nq 3", (double[]) {0, 0}, 6);
	check_values(&ctx, &keys, FG_LEVEL_STACK, "", (double[]) {0, 0}, 0);
	fg_keys_free(&ctx, &keys);

	unit_case("every key: root first");
	CHECK(fg_keys_find(&ctx, samples, 2, FG_LEVEL_STACK, 1, NULL, &keys));
	CHECK_COUNT(keys.count, 7);
	CHECK_COUNT(keys.dropped, 0);
	check_values(&ctx, &keys, FG_LEVEL_STACK, " 4\nb 3\nb;c 2\nz 1", (double[]) {4, 0, 0, 3, 2, 0, 1},
				 0);
	fg_keys_free(&ctx, &keys);

	unit_case("keys of functions");
	CHECK(fg_keys_find(&ctx, samples, 2, FG_LEVEL_FRAME, 2, NULL, &keys));
	CHECK_COUNT(keys.count, 3);
	check_values(&ctx, &keys, FG_LEVEL_FRAME, "a;b;c 2\nb 1", (double[]) {2, 3, 2}, 0);
	fg_keys_free(&ctx, &keys);

	unit_case("no profile, no key");
	samples[0].count = samples[1].count = 0;
	CHECK(fg_keys_find(&ctx, samples, 2, FG_LEVEL_NODE, 1, NULL, &keys));
	CHECK_COUNT(keys.count, 0);
	fg_keys_free(&ctx, &keys);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- the test ----------------------------------------------------------------------------------- */

static void
test_example(void)
{
	unit_case("intervals of example 3.1 by the formula of section 3.3");
	CHECK_NEAR(fg_hotelling_half_width(100, 100, 3, 3.8, 5000), 100 - 66.06428646600716, 1e-12);
	CHECK_NEAR(fg_hotelling_half_width(100, 100, 3, 3.8, 7500), 200000 - 199958.43740889223, 1e-9);
	CHECK_NEAR(fg_hotelling_half_width(100, 100, 3, 3.8, 10000), 200 - 152.00765367141912, 1e-12);
	unit_case("what the paper prints lacks n1 n2 / (n1 + n2) = 50");
	CHECK_NEAR(fg_hotelling_half_width(100, 100, 3, 3.8, 5000) * sqrt(50), 239.96, 1e-4);
	CHECK_NEAR(fg_hotelling_half_width(100, 100, 3, 3.8, 7500) * sqrt(50), 293.89, 1e-4);
	CHECK_NEAR(fg_hotelling_half_width(100, 100, 3, 3.8, 10000) * sqrt(50), 339.36, 1e-4);
}

/* Golden case t2_constant_stacks, worked out by hand in rational arithmetic. */
static void
test_constants(void)
{
	FgProfiles	before = SAMPLE(before_texts);
	FgProfiles	after = SAMPLE(after_texts);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgHotelling test;
	FgInterval	interval;
	FgTree		reduced;
	Naive		expected = {0};

	unit_case("constant keys leave the test");
	CHECK(fg_hotelling(&ctx, &before, &after, FG_LEVEL_STACK, 1, 0.05, naive_linalg, &test));
	CHECK_COUNT(test.status, FG_HOTELLING_OK);
	CHECK_COUNT(test.p, 2);
	CHECK_COUNT(test.keys.count, 4);
	CHECK_DOUBLE(test.df1, 2);
	CHECK_DOUBLE(test.df2, 6);
	CHECK_NEAR(test.t2, 30.28899161102551, 1e-13);
	CHECK_NEAR(test.f, 12.980996404725218, 1e-13);
	CHECK_NEAR(test.p_value, 0.006615340499523867, 1e-12);
	CHECK_NEAR(test.f_critical, 5.143252849784719, 1e-12);
	CHECK_DOUBLE(test.variance[2], 0);
	CHECK_NEAR(test.variance[0], 1.457142857142857, 1e-15);

	unit_case("intervals: significant, not, equal constants, different constants");
	interval = fg_hotelling_interval(&test, 0);
	CHECK(interval.exists && interval.significant && !interval.certain);
	CHECK_NEAR(interval.lower, 1.2947946848455776, 1e-12);
	CHECK_NEAR(interval.upper, 6.905205315154422, 1e-12);
	interval = fg_hotelling_interval(&test, 1);
	CHECK(interval.exists && !interval.significant && !interval.certain);
	interval = fg_hotelling_interval(&test, 2);
	CHECK(interval.exists && !interval.significant && !interval.certain);
	CHECK_DOUBLE(interval.lower, 0);
	interval = fg_hotelling_interval(&test, 3);
	CHECK(interval.exists && interval.significant && interval.certain);
	CHECK_DOUBLE(interval.lower, 3);
	CHECK_DOUBLE(interval.upper, 3);

	unit_case("the reduced difference");
	CHECK(fg_hotelling_reduced(&ctx, &test, &reduced));
	naive_add(&expected, "a", 1, test.delta[0]);
	naive_add(&expected, "n", 1, 3);
	CHECK_NEAR(test.delta[0], 4.1, 1e-15);
	CHECK(naive_matches(&ctx, &expected, &reduced));
	naive_free(&expected);
	fg_tree_free(&ctx, &reduced);
	fg_hotelling_free(&ctx, &test);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_interval_at_zero(void)
{
	FgHotelling test = {.status = FG_HOTELLING_OK};

	unit_case("an interval that ends at 0 is not significant");
	test.n1 = test.n2 = 100;
	test.p = 3;
	test.f_critical = 3.8;
	test.variance = (double[]) {5000, 5000};
	test.delta = (double[]) {fg_hotelling_half_width(100, 100, 3, 3.8, 5000), 33.94};
	CHECK(!fg_hotelling_interval(&test, 0).significant);
	CHECK(fg_hotelling_interval(&test, 1).significant);
}

static void
check_status(const char *name, FgProfiles before, FgProfiles after, FgHotellingStatus expected,
			 uint32_t p)
{
	FgContext	ctx = fg_malloc_context();
	FgHotelling test;
	bool		factorises = expected == FG_HOTELLING_OK || expected == FG_HOTELLING_SINGULAR;

	unit_case("status %s: %s", fg_hotelling_word(expected), name);
	if (!CHECK(fg_hotelling(&ctx, &before, &after, FG_LEVEL_STACK, 1, 0.05,
							factorises ? naive_linalg : no_linalg, &test)))
		return;
	CHECK_COUNT(test.status, expected);
	CHECK_COUNT(test.p, p);
	CHECK(isnan(test.p_value) == (expected != FG_HOTELLING_OK));
	CHECK(isnan(test.f_critical) == !factorises);
	CHECK(isnan(test.df2) == (expected == FG_HOTELLING_TOO_FEW));
	for (uint32_t k = 0; k < test.keys.count; k++)
	{
		FgInterval	interval = fg_hotelling_interval(&test, k);
		bool		constant = expected != FG_HOTELLING_TOO_FEW && test.variance[k] == 0;

		CHECK(interval.exists == (factorises || constant));
		CHECK(interval.exists || !interval.significant);
		CHECK(interval.exists == !isnan(interval.lower));
	}
	fg_hotelling_free(&ctx, &test);
}

static void
test_statuses(void)
{
	static const char *const one[] = {"a 1"};
	static const char *const two[] = {"a 2", "a 3"};
	static const char *const same[] = {"a 1", "a 1"};
	static const char *const more[] = {"a 1\nb 2", "a 1\nb 2"};
	static const char *const three1[] = {"a 1\nb 2\nc 3", "a 2\nb 1\nc 5"};
	static const char *const three2[] = {"a 2\nb 2\nc 4", "a 1\nb 3\nc 4"};
	static const char *const double1[] = {"a 1\nb 2\nc 5", "a 2\nb 4\nc 3", "a 3\nb 6\nc 4", "a 4\nb 8\nc 6"};
	static const char *const double2[] = {"a 2\nb 4\nc 5", "a 5\nb 10\nc 4", "a 3\nb 6\nc 7"};
	FgProfiles	none = {read_text, NULL, 0};

	check_status("one profile", SAMPLE(one), SAMPLE(two), FG_HOTELLING_TOO_FEW, 0);
	check_status("no profile", none, SAMPLE(two), FG_HOTELLING_TOO_FEW, 0);
	check_status("nothing at all", none, none, FG_HOTELLING_TOO_FEW, 0);
	check_status("constants", SAMPLE(same), SAMPLE(more), FG_HOTELLING_NO_VARIATION, 0);
	check_status("p = n1 + n2 - 1", SAMPLE(three1), SAMPLE(three2), FG_HOTELLING_TOO_MANY, 3);
	check_status("b = 2 a", SAMPLE(double1), SAMPLE(double2), FG_HOTELLING_SINGULAR, 3);
	check_status("one key", SAMPLE(same), SAMPLE(two), FG_HOTELLING_OK, 1);
}

/* --- against the definition ------------------------------------------------------------------ */

#define COLUMNS 4

/* d' S^-1 d by Gaussian elimination in long double. */
static double
naive_t2(const double *x, size_t n1, size_t n2, size_t p)
{
	long double mean[2][COLUMNS] = {{0}};
	long double s[COLUMNS][COLUMNS + 1] = {{0}};
	long double d[COLUMNS];
	long double sum = 0;
	size_t		n = n1 + n2;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < p; k++)
			mean[i >= n1][k] += x[i * p + k] / (long double) (i < n1 ? n1 : n2);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < p; j++)
			for (size_t k = 0; k < p; k++)
				s[j][k] += (x[i * p + j] - mean[i >= n1][j]) * (x[i * p + k] - mean[i >= n1][k]) /
					(long double) (n - 2);
	for (size_t k = 0; k < p; k++)
		s[k][p] = d[k] = mean[1][k] - mean[0][k];
	for (size_t j = 0; j < p; j++)
		for (size_t i = 0; i < p; i++)
		{
			long double factor = s[i][j] / s[j][j];

			for (size_t k = 0; i != j && k <= p; k++)
				s[i][k] -= factor * s[j][k];
		}
	for (size_t k = 0; k < p; k++)
		sum += d[k] * s[k][p] / s[k][k];
	return (double) (sum * (long double) n1 * (long double) n2 / (long double) n);
}

static void
check_random(UnitRandom *random, size_t n1, size_t n2, size_t p, double correlation,
			 double tolerance)
{
	FgContext	ctx = fg_malloc_context();
	double	   *x = malloc((n1 + n2) * p * sizeof(double));
	Numbers		first = {x, p};
	Numbers		second = {x + n1 * p, p};
	FgProfiles	before = {read_numbers, &first, n1};
	FgProfiles	after = {read_numbers, &second, n2};
	FgHotelling test;

	for (size_t i = 0; i < (n1 + n2) * p; i++)
		x[i] = 1e4 + unit_below(random, 1000) / 8.0 + (i >= n1 * p);
	/* the second column nearly the first */
	for (size_t i = 0; correlation != 0 && i < n1 + n2; i++)
		x[i * p + 1] = x[i * p] + correlation * x[i * p + 1];
	if (CHECK(fg_hotelling(&ctx, &before, &after, FG_LEVEL_STACK, 1, 0.01, naive_linalg, &test)))
	{
		CHECK_COUNT(test.status, FG_HOTELLING_OK);
		CHECK_COUNT(test.p, p);
		CHECK_NEAR(test.t2, naive_t2(x, n1, n2, p), tolerance);
		CHECK_NEAR(test.p_value, fg_f_survival(test.f, test.df1, test.df2), 1e-14);
		fg_hotelling_free(&ctx, &test);
	}
	free(x);
}

static void
test_random(void)
{
	UnitRandom	random = {6};

	for (size_t round = 0; round < 40; round++)
	{
		size_t		p = 1 + round % COLUMNS;

		unit_case("T2 of random samples, %zu", round);
		check_random(&random, 4 + unit_below(&random, 9), 3 + unit_below(&random, 9), p, 0, 1e-10);
	}
	unit_case("more profiles than a block has rows");
	qr_calls = 0;
	check_random(&random, 1500, 700, 3, 0, 1e-10);
	CHECK_COUNT(qr_calls, 3);
	unit_case("an ill-conditioned covariance is no singular one");
	singular_calls = 0;
	check_random(&random, 20, 20, 3, 1e-6, 1e-6);
	CHECK_COUNT(singular_calls, 1);
	unit_case("one key: the square of Student's t");
	check_random(&random, 3, 2, 1, 0, 1e-12);
}

/* Profiles with very many keys, nearly all of them constant. */
#define MANY 1050

static bool
read_many(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const FgTree *model = arg;

	if (!fg_tree_copy(ctx, model, profile))
		return false;
	profile->self[1] += (double) (i % 7);
	profile->self[500] += (double) (i * i % 11);
	return true;
}

static bool
read_few(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const double values[] = {100 + (double) (i % 7), 100 + (double) (i * i % 11)};
	Numbers		numbers = {values, 2};

	(void) arg;
	return read_numbers(ctx, &numbers, 0, profile);
}

static bool
read_all_vary(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	if (!fg_tree_copy(ctx, arg, profile))
		return false;
	for (uint32_t k = 1; k <= profile->nnodes; k++)
		profile->self[k] = 1 + (double) ((i + k) % 3);
	return true;
}

static void
test_many_keys(void)
{
	FgContext	ctx = fg_malloc_context();
	Naive		naive = {0};
	FgTree		model;
	FgProfiles	before;
	FgProfiles	after;
	FgHotelling many;
	FgHotelling few;

	for (int k = 0; k < MANY; k++)
	{
		char		path[8];

		naive_add(&naive, path, (size_t) snprintf(path, sizeof(path), "f%d", k), 100);
	}
	naive_settle(&naive);
	model = naive_tree(&ctx, &naive);
	naive_free(&naive);

	unit_case("values that are not all kept in memory: profiles are read again");
	before = (FgProfiles) {read_many, &model, 1200};
	after = (FgProfiles) {read_many, &model, 900};
	CHECK(fg_hotelling(&ctx, &before, &after, FG_LEVEL_STACK, 1, 0.01, naive_linalg, &many));
	CHECK_COUNT(many.keys.count, MANY);
	CHECK_COUNT(many.p, 2);
	before.read = after.read = read_few;
	CHECK(fg_hotelling(&ctx, &before, &after, FG_LEVEL_STACK, 1, 0.01, naive_linalg, &few));
	CHECK_NEAR(many.t2, few.t2, 1e-12);
	fg_hotelling_free(&ctx, &many);
	fg_hotelling_free(&ctx, &few);

	unit_case("more than 1000 varying keys");
	before = (FgProfiles) {read_all_vary, &model, 600};
	after = (FgProfiles) {read_all_vary, &model, 600};
	CHECK(fg_hotelling(&ctx, &before, &after, FG_LEVEL_STACK, 1, 0.01, no_linalg, &many));
	CHECK_COUNT(many.status, FG_HOTELLING_TOO_MANY);
	CHECK_COUNT(many.p, MANY);
	CHECK_DOUBLE(many.df2, 1200 - MANY - 1);
	fg_hotelling_free(&ctx, &many);
	fg_tree_free(&ctx, &model);
}

/* --- errors ---------------------------------------------------------------------------------------- */

static void
check_error(const char *name, FgProfiles before, FgProfiles after, double alpha, FgErrorCode code)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgHotelling test;

	unit_case("error: %s", name);
	CHECK_ERROR(fg_hotelling(&ctx, &before, &after, FG_LEVEL_STACK, 1, alpha, naive_linalg, &test),
				&ctx, code);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
whole_test(FgContext *ctx, void *arg)
{
	FgProfiles	before = SAMPLE(before_texts);
	FgProfiles	after = SAMPLE(after_texts);
	FgHotelling test;
	FgTree		reduced;
	bool		ok;

	if (!fg_hotelling(ctx, &before, &after, *(FgLevel *) arg, 2, 0.05, naive_linalg, &test))
		return false;
	ok = fg_hotelling_reduced(ctx, &test, &reduced);
	if (ok)
		fg_tree_free(ctx, &reduced);
	fg_hotelling_free(ctx, &test);
	return ok;
}

static bool
whole_welch(FgContext *ctx, void *arg)
{
	FgProfiles	before = SAMPLE(before_texts);
	FgProfiles	after = SAMPLE(after_texts);
	FgTree		reduced;

	if (!fg_reduced_welch(ctx, &before, &after, *(FgLevel *) arg, 1, FG_VARIANCE_OWN, 0.05, &reduced))
		return false;
	fg_tree_free(ctx, &reduced);
	return true;
}

/*
 * Golden case welch_small: q of n is 0, of a 0.0047, of b and k 1.  Without n three keys
 * are left, and q of a is 3 p = 0.00705.
 */
static void
check_welch(double alpha, uint32_t min_df, const char *text)
{
	FgProfiles	before = SAMPLE(before_texts);
	FgProfiles	after = SAMPLE(after_texts);
	FgContext	ctx = fg_malloc_context();
	Naive		expected = naive_of_text(text);
	FgTree		reduced;

	unit_case("Welch at %g, min_df %u", alpha, min_df);
	if (CHECK(fg_reduced_welch(&ctx, &before, &after, FG_LEVEL_STACK, min_df, FG_VARIANCE_OWN, alpha,
							   &reduced)))
	{
		for (uint32_t i = 0; i <= reduced.nnodes; i++)
			reduced.self[i] = rint(reduced.self[i] * 1e9) / 1e9;
		CHECK(naive_matches(&ctx, &expected, &reduced));
		fg_tree_free(&ctx, &reduced);
	}
	naive_free(&expected);
}

static void
test_errors(void)
{
	static const char *const huge[] = {"a 1e200", "a 2e200"};
	static const char *const tiny[] = {"a 1e-200", "a 2e-200"};
	FgLevel		stack = FG_LEVEL_STACK;
	FgLevel		frame = FG_LEVEL_FRAME;

	check_error("a variance that overflows", SAMPLE(huge), SAMPLE(huge), 0.01, FG_ERROR_RANGE);
	check_error("a variance that vanishes", SAMPLE(tiny), SAMPLE(tiny), 0.01, FG_ERROR_RANGE);
	check_error("alpha 0", SAMPLE(before_texts), SAMPLE(after_texts), 0, FG_ERROR_ARGUMENT);
	check_error("alpha 1", SAMPLE(before_texts), SAMPLE(after_texts), 1, FG_ERROR_ARGUMENT);
	check_error("alpha NaN", SAMPLE(before_texts), SAMPLE(after_texts), NAN, FG_ERROR_ARGUMENT);
	linalg_answer = FG_LINALG_NO_MEMORY;
	check_error("no memory for LAPACK", SAMPLE(before_texts), SAMPLE(after_texts), 0.01,
				FG_ERROR_MEMORY);
	linalg_answer = FG_LINALG_DIVERGED;
	check_error("no convergence", SAMPLE(before_texts), SAMPLE(after_texts), 0.01, FG_ERROR_RANGE);
	linalg_answer = FG_LINALG_OK;
	unit_sweep_memory("hotelling, stacks", whole_test, &stack);
	unit_sweep_memory("hotelling, functions", whole_test, &frame);
	unit_sweep_interrupts("hotelling", whole_test, &stack, 18);
	unit_sweep_memory("Welch", whole_welch, &frame);
}

int
main(void)
{
	test_keys();
	test_example();
	test_constants();
	test_interval_at_zero();
	test_statuses();
	test_random();
	test_many_keys();
	check_welch(0.005, 1, "a 4.1\nn 3");
	check_welch(0.004, 1, "n 3");
	check_welch(0.008, 5, "a 4.1");
	check_welch(0.007, 5, "");
	test_errors();
	return unit_finish();
}
