/*
 * test_kernel.c
 *	  Kernels against their definitions, integrals and moments; sums over a Gaussian
 *	  kernel against the same sums in long double.
 */
#include "unit.h"

#include "core/models/compact_sums.h"
#include "core/models/kernel.h"

#include <math.h>

/* --- the definitions, in long double ------------------------------------------------ */

static long double
defined(FgKernel kernel, long double z)
{
	long double pi = acosl(-1);
	long double gauss = expl(-z * z / 2) / sqrtl(2 * pi);
	long double c = sqrtl(35.0L / 243);
	long double value = 0;

	switch (kernel)
	{
		case FG_GAUSSIAN:
			return gauss < 1e-290L ? 0 : gauss;
		case FG_EPANECHNIKOV:
			return z * z < 5 ? 3 / (4 * sqrtl(5)) * (1 - z * z / 5) : 0;
		case FG_TRICUBE:
			return fabsl(c * z) < 1 ? 70.0L / 81 * c * powl(1 - powl(fabsl(c * z), 3), 3) : 0;
		case FG_GAUSSIAN4:
			value = (3 - z * z) / 2 * gauss;
			return fabsl(value) < 1e-290L ? 0 : value;
		case FG_EPANECHNIKOV4:
			return fabsl(z) <= 1 ? (9 - 15 * z * z) / 8 : 0;
	}
	return value;
}

static void
test_words(void)
{
	static const struct
	{
		const char *word;
		FgKernel	kernel;
	}			rows[] = {
		{"gaussian", FG_GAUSSIAN}, {"epanechnikov", FG_EPANECHNIKOV}, {"tricube", FG_TRICUBE},
		{"gaussian4", FG_GAUSSIAN4}, {"epanechnikov4", FG_EPANECHNIKOV4},
		{"normal", FG_GAUSSIAN}, {"normal4", FG_GAUSSIAN4}
	};
	static const char *const unknown[] = {"", "cosine", "Gaussian", "gaussian ", "normal5"};
	FgContext	ctx = fg_malloc_context();
	FgKernel	kernel;

	unit_case("words of kernels");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		CHECK(fg_kernel_parse(&ctx, rows[i].word, strlen(rows[i].word), &kernel));
		CHECK_COUNT(kernel, rows[i].kernel);
		if (i < FG_KERNELS)
			CHECK(strcmp(fg_kernel_word(rows[i].kernel), rows[i].word) == 0);
	}
	for (size_t i = 0; i < COUNT(unknown); i++)
	{
		CHECK_ERROR(fg_kernel_parse(&ctx, unknown[i], strlen(unknown[i]), &kernel), &ctx,
					FG_ERROR_ARGUMENT);
		CHECK(ctx.error.hint != NULL && strncmp(ctx.error.reason, "unrecognized kernel", 19) == 0);
	}
}

static void
check_value(FgKernel kernel, double z)
{
	long double want = defined(kernel, z);
	/* what an error of one unit in z * z / 2 makes of a Gaussian, and in 1 - ... of others */
	double		scale = kernel == FG_GAUSSIAN ? (double) want * (1 + z * z) :
		kernel == FG_GAUSSIAN4 ? (fabs((double) want) + (double) defined(FG_GAUSSIAN, z)) *
		(1 + z * z) : 2;

	unit_note("[%s, z = %.17g]", fg_kernel_word(kernel), z);
	CHECK(fabsl(fg_kernel_value(kernel, z) - want) <= 4e-16L * scale);
	CHECK_DOUBLE(fg_kernel_value(kernel, -z), fg_kernel_value(kernel, z));
}

static void
test_values(void)
{
	UnitRandom	random = {1};

	for (int k = 0; k < FG_KERNELS; k++)
	{
		FgKernel	kernel = (FgKernel) k;
		double		radius = fg_kernel_radius(kernel);

		unit_case("%s: values", fg_kernel_word(kernel));
		for (int i = 0; i <= 2000; i++)
			check_value(kernel, 0.002 * i);
		for (int i = 0; i < 2000; i++)
			check_value(kernel, unit_below(&random, 40000) / 1000.0);
		unit_note("[special]");
		CHECK(isnan(fg_kernel_value(kernel, NAN)));
		CHECK_DOUBLE(fg_kernel_value(kernel, INFINITY), 0);
		CHECK_DOUBLE(fg_kernel_value(kernel, -1e300), 0);
		CHECK_DOUBLE(fg_kernel_value(kernel, nextafter(radius, 100)), 0);
		CHECK(fg_kernel_value(kernel, radius * 0.999) != 0);
	}
	unit_case("a Gaussian below 1e-290 is 0");
	CHECK(fg_kernel_value(FG_GAUSSIAN, 36.5193301) >= 1e-290);
	CHECK_DOUBLE(fg_kernel_value(FG_GAUSSIAN, 36.5193302), 0);
	CHECK(fg_kernel_value(FG_GAUSSIAN4, 36.6971595) <= -1e-290);
	CHECK_DOUBLE(fg_kernel_value(FG_GAUSSIAN4, 36.6971596), 0);
	unit_case("the support of epanechnikov4 is closed");
	CHECK_DOUBLE(fg_kernel_value(FG_EPANECHNIKOV4, 1), -0.75);
	CHECK_DOUBLE(fg_kernel_value(FG_EPANECHNIKOV4, nextafter(1, 2)), 0);
}

/* Simpson's rule on pieces of the support. */
static long double
moment(FgKernel kernel, int power)
{
	double		radius = kernel == FG_EPANECHNIKOV ? sqrt(5) : kernel == FG_TRICUBE ?
		sqrt(243 / 35.0) : kernel == FG_EPANECHNIKOV4 ? 1 : 12;
	int			pieces = 20000;
	long double sum = 0;

	for (int i = 0; i <= pieces; i++)
	{
		double		z = radius * i / pieces;

		sum += (i == 0 || i == pieces ? 1 : i % 2 == 1 ? 4 : 2) * powl(z, power) *
			fg_kernel_value(kernel, z);
	}
	return 2 * sum * radius / (3 * pieces);
}

static void
test_moments(void)
{
	static const struct
	{
		FgKernel	kernel;
		double		second;
		double		fourth;
	}			rows[] = {
		{FG_GAUSSIAN, 1, 3}, {FG_EPANECHNIKOV, 1, 15.0 / 7}, {FG_TRICUBE, 1, NAN},
		{FG_GAUSSIAN4, 0, -3}, {FG_EPANECHNIKOV4, 0, -3.0 / 35}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("%s: integral and moments", fg_kernel_word(rows[i].kernel));
		CHECK(fabsl(moment(rows[i].kernel, 0) - 1) < 1e-9L);
		CHECK(fabsl(moment(rows[i].kernel, 2) - rows[i].second) < 1e-9L);
		if (!isnan(rows[i].fourth))
			CHECK(fabsl(moment(rows[i].kernel, 4) - rows[i].fourth) < 1e-9L);
	}
}

/* Blocks must not show: any length, any place. */
static void
test_blocks(void)
{
	UnitRandom	random = {2};
	double		z[600];
	double		values[600];

	for (int k = 0; k < FG_KERNELS; k++)
	{
		unit_case("%s: many at once", fg_kernel_word((FgKernel) k));
		for (size_t n = 0; n <= COUNT(z); n += 1 + n / 5)
		{
			for (size_t i = 0; i < n; i++)
				z[i] = unit_below(&random, 8000) / 1000.0 - 4;
			memset(values, 0xA5, sizeof(values));
			fg_kernel_values((FgKernel) k, z, values, n);
			for (size_t i = 0; i < n; i++)
				CHECK_DOUBLE(values[i], fg_kernel_value((FgKernel) k, z[i]));
		}
	}
	unit_case("sums and sums of products");
	for (size_t n = 0; n <= 20; n++)
	{
		double		sum = 0;
		double		product = 0;

		for (size_t i = 0; i < n; i++)
		{
			z[i] = unit_below(&random, 1000);
			values[i] = unit_below(&random, 1000);
			sum += z[i];
			product += z[i] * values[i];
		}
		CHECK_DOUBLE(fg_sum(z, n), sum);
		CHECK_DOUBLE(fg_dot(z, values, n), product);
	}
}

/* --- sums over a Gaussian kernel ------------------------------------------------------ */

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* kind 0: uniform; 1: few distinct values; 2: dense with outliers; 3: equal; 4: near 1e9 */
static double
random_x(UnitRandom *random, int kind)
{
	double		uniform = unit_below(random, 1000000) / 1e6;

	switch (kind)
	{
		case 1:
			return unit_below(random, 12);
		case 2:
			return unit_below(random, 20) == 0 ? 1000 * uniform : uniform;
		case 3:
			return 7;
		case 4:
			return 1e9 + floor(4096 * uniform) / 256;
		default:
			return uniform;
	}
}

typedef struct Sample
{
	size_t		n;
	size_t		targets;
	double	   *x;
	double	   *y;
	double	   *target;
	double	   *sum[FG_GAUSS_SUMS];
	double		h;
	double		reach;
	FgKernel	kernel;
} Sample;

static Sample
sample_of(UnitRandom *random, size_t n, size_t targets, int kind, double h)
{
	Sample		sample = {.n = n, .targets = targets, .h = h};

	sample.x = calloc(n + 1, sizeof(double));
	sample.y = calloc(n + 1, sizeof(double));
	sample.target = calloc(targets + 1, sizeof(double));
	for (int s = 0; s < FG_GAUSS_SUMS; s++)
		sample.sum[s] = calloc(targets + 1, sizeof(double));
	for (size_t i = 0; i < n; i++)
	{
		sample.x[i] = random_x(random, kind);
		sample.y[i] = unit_below(random, 2000) / 100.0 - 10;
	}
	for (size_t i = 0; i < targets; i++)
		sample.target[i] = random_x(random, kind) * (i % 7 == 0 ? 1.25 : 1);
	qsort(sample.x, n, sizeof(double), compare);
	qsort(sample.target, targets, sizeof(double), compare);
	return sample;
}

static void
sample_free(Sample *sample)
{
	free(sample->x);
	free(sample->y);
	free(sample->target);
	for (int s = 0; s < FG_GAUSS_SUMS; s++)
		free(sample->sum[s]);
}

/* The sum and what its error is relative to. */
static void
check_target(const Sample *sample, int sums, size_t t)
{
	long double want[FG_GAUSS_SUMS] = {0};
	long double size[FG_GAUSS_SUMS] = {0};

	for (size_t i = 0; i < sample->n; i++)
	{
		long double z = ((long double) sample->x[i] - sample->target[t]) / sample->h;
		long double far = fabsl(z) + sample->reach;
		long double k = defined(sample->kernel, z);
		long double y = sample->y[i];
		/* of the distance, one unit in its last place; of a compact kernel, that of its parts */
		long double own = sample->kernel == FG_GAUSSIAN ? k * (1 + z * z / 20) : k > 0 ? 0.4L : 0;

		want[FG_SUM_K] += k;
		want[FG_SUM_KY] += k * y;
		want[FG_SUM_KZ] += k * z;
		want[FG_SUM_KZZ] += k * z * z;
		want[FG_SUM_KZY] += k * z * y;
		size[FG_SUM_K] += own;
		size[FG_SUM_KY] += own * fabsl(y);
		size[FG_SUM_KZ] += own * far;
		size[FG_SUM_KZZ] += own * far * far;
		size[FG_SUM_KZY] += own * far * fabsl(y);
	}
	unit_note("[n %zu, targets %zu, h %g, target %zu]", sample->n, sample->targets, sample->h, t);
	for (int s = 0; s < sums; s++)
		CHECK(fabsl(sample->sum[s][t] - want[s]) <=
			  1e-14L * size[s] + (sample->kernel == FG_GAUSSIAN ? 1e-285L : 1e-12L));
}

static void
test_compact_sums(void)
{
	static const double widths[] = {1e-3, 0.02, 0.2, 1, 17, 1e4, 1e9};
	static const size_t sizes[] = {0, 1, 2, 17, 300};
	UnitRandom	random = {6};

	for (int kind = 0; kind < 5; kind++)
	{
		unit_case("sums over an Epanechnikov kernel, kind %d", kind);
		for (size_t w = 0; w < COUNT(widths); w++)
		{
			for (size_t i = 0; i < COUNT(sizes); i++)
			{
				UnitMemory	memory;
				FgContext	ctx = unit_context(&memory);
				size_t		targets = sizes[unit_below(&random, COUNT(sizes))];
				Sample		sample = sample_of(&random, sizes[i], targets, kind, widths[w]);
				int			sums = unit_below(&random, 2) == 0 ? 2 : FG_GAUSS_SUMS;

				sample.kernel = FG_EPANECHNIKOV;
				if (sizes[i] == 0 || fg_compact_sums_exact(sample.x, sample.n, sample.h, sums))
				{
					CHECK(fg_compact_sums(&ctx, sample.x, sample.y, sample.n, sample.target,
										  targets, sample.h, sums, sample.sum));
					for (size_t t = 0; t < targets; t++)
						check_target(&sample, sums, t);
				}
				sample_free(&sample);
			}
		}
	}
	unit_case("windows too narrow for sums");
	CHECK(fg_compact_sums_exact((double[]) {0, 1}, 2, 1e-8, 2));
	CHECK(!fg_compact_sums_exact((double[]) {0, 1}, 2, 1e-9, FG_GAUSS_SUMS));
	CHECK(!fg_compact_sums_exact((double[]) {0, 1e300}, 2, 1e-9, 2));
	unit_case("sums too large");
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		double		k[1];
		double		ky[1];

		CHECK(fg_compact_sums(&ctx, (double[]) {0, 1}, (double[]) {1e308, 1e308}, 2,
							  (double[]) {0.5}, 1, 1, 2, (double *[]) {k, ky}));
		CHECK(isnan(k[0]));
	}
}

static bool
make_compact_sums(FgContext *ctx, void *arg)
{
	Sample	   *sample = arg;

	return fg_compact_sums(ctx, sample->x, sample->y, sample->n, sample->target, sample->targets,
						   sample->h, FG_GAUSS_SUMS, sample->sum);
}

static void
test_sums(void)
{
	static const char *const kinds[] = {"uniform", "few distinct", "outliers", "equal", "near 1e9"};
	static const double widths[] = {1e-6, 3e-4, 0.004, 0.03, 0.2, 1, 17, 1e4, 1e12};
	static const size_t sizes[] = {0, 1, 2, 3, 4, 17, 300, 1200};
	UnitRandom	random = {3};

	for (int kind = 0; kind < (int) COUNT(kinds); kind++)
	{
		unit_case("sums over a Gaussian: %s", kinds[kind]);
		for (size_t w = 0; w < COUNT(widths); w++)
		{
			for (size_t i = 0; i < COUNT(sizes); i++)
			{
				UnitMemory	memory;
				FgContext	ctx = unit_context(&memory);
				size_t		targets = sizes[unit_below(&random, COUNT(sizes))];
				Sample		sample = sample_of(&random, sizes[i], targets, kind, widths[w]);
				int			sums = unit_below(&random, 2) == 0 ? 2 : FG_GAUSS_SUMS;

				CHECK(fg_gauss_sums(&ctx, sample.x, sample.y, sample.n, sample.target, targets,
									sample.h, sums, sample.sum, &sample.reach));
				CHECK(sample.reach <= 1.0000001);
				for (size_t t = 0; t < targets; t += 1 + targets / 40)
					check_target(&sample, sums, t);
				sample_free(&sample);
			}
		}
	}
}

static bool
make_sums(FgContext *ctx, void *arg)
{
	Sample	   *sample = arg;

	return fg_gauss_sums(ctx, sample->x, sample->y, sample->n, sample->target, sample->targets,
						 sample->h, FG_GAUSS_SUMS, sample->sum, &sample->reach);
}

int
main(void)
{
	UnitRandom	random = {4};
	Sample		sample = sample_of(&random, 30000, 30000, 0, 0.05);

	test_words();
	test_values();
	test_moments();
	test_blocks();
	test_sums();
	test_compact_sums();
	unit_sweep_interrupts("sums, large clusters", make_sums, &sample, 10);
	unit_sweep_interrupts("sums over a compact kernel", make_compact_sums, &sample, 14);
	sample.h = 1e-4;
	unit_sweep_interrupts("sums, small clusters", make_sums, &sample, 50);
	sample_free(&sample);
	return unit_finish();
}
