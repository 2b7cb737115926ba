/*
 * test_change_points.c
 *	  Changes of sequences: against a slow implementation in another language, by their
 *	  size, and how often they are found or invented.
 */
#include "naive.h"

#include "core/compare/change_points.h"

#include <math.h>

static const FgChangeOptions defaults = {5, 0, 0.01, 999, 42};

/* From a program in Python that takes every mean from the definition. */
static void
test_known(void)
{
	static const double up_and_down[] = {
		12, 10, 11, 13, 12, 14, 11, 12, 10, 13, 17, 18, 16, 19, 17, 18, 20, 16, 18, 17,
		11, 12, 13, 10, 12, 11, 14, 12, 12, 11
	};
	static const double restless[] = {2, 6, 4, 3, 1, 0, 0, 7, 3, 5, 5, 3, 3, 3, 5, 12, 7, 7};
	static const struct
	{
		size_t		at;
		double		statistic;
		double		p_value;
	}			expected[] = {
		{4, 6.857142857142856, 0.2}, {7, 12.05194805194805, 0.02}, {15, 12.380952380952376, 0.14}
	};
	FgChangeOptions options = {4, 0, 0.05, 99, 7};
	FgContext	ctx = fg_malloc_context();
	FgChangePoint *points;
	size_t		count;

	unit_case("a rise that is taken back");
	if (CHECK(fg_change_points_of_series(&ctx, up_and_down, 30, &options, &points, &count)) &&
		CHECK_COUNT(count, 2))
	{
		CHECK_COUNT(points[0].at, 10);
		CHECK_NEAR(points[0].statistic, 42.888888888888886, 1e-13);
		CHECK_NEAR(points[0].p_value, 0.01, 1e-15);
		CHECK_NEAR(points[0].before, 11.8, 1e-15);
		CHECK_NEAR(points[0].after, 17.6, 1e-15);
		CHECK_COUNT(points[1].at, 20);
		CHECK_NEAR(points[1].statistic, 44.222222222222214, 1e-13);
		CHECK_NEAR(points[1].before, 17.6, 1e-15);
		CHECK_NEAR(points[1].after, 11.8, 1e-15);
	}
	fg_release(&ctx, points);

	unit_case("divisions that are barely significant");
	options = (FgChangeOptions) {3, 0, 0.3, 49, 27};
	if (CHECK(fg_change_points_of_series(&ctx, restless, 18, &options, &points, &count)) &&
		CHECK_COUNT(count, COUNT(expected)))
	{
		for (size_t i = 0; i < count; i++)
		{
			CHECK_COUNT(points[i].at, expected[i].at);
			CHECK_NEAR(points[i].statistic, expected[i].statistic, 1e-13);
			CHECK_NEAR(points[i].p_value, expected[i].p_value, 1e-15);
		}
	}
	fg_release(&ctx, points);
}

/* --- sizes ---------------------------------------------------------------------------- */

static size_t
changes(const double *values, size_t n, double min_effect, size_t *first)
{
	FgContext	ctx = fg_malloc_context();
	FgChangeOptions options = defaults;
	FgChangePoint *points;
	size_t		count;

	options.min_effect = min_effect;
	CHECK(fg_change_points_of_series(&ctx, values, n, &options, &points, &count));
	*first = count > 0 ? points[0].at : 0;
	for (size_t i = 0; i < count; i++)
		CHECK(fabs(points[i].after - points[i].before) >= min_effect * fabs(points[i].before));
	fg_release(&ctx, points);
	return count;
}

static void
test_sizes(void)
{
	double		steps[60];		/* 100 up to 20, 103 up to 40, then 150 */
	double		bump[60];		/* 100, 130 from 20 to 30, 100 */
	double		zero[60];		/* 0, from 30 on 1 */
	double		same[60];
	size_t		first;

	for (int i = 0; i < 60; i++)
	{
		steps[i] = (i < 20 ? 100 : i < 40 ? 103 : 150) + i % 3 * 0.1;
		bump[i] = (i >= 20 && i < 30 ? 130 : 100) + i % 3 * 0.1;
		zero[i] = i >= 30;
		same[i] = 1e6 / 3;
	}
	unit_case("changes that are too small are left out");
	CHECK_COUNT(changes(steps, 60, 0, &first), 2);
	CHECK_COUNT(first, 20);
	CHECK_COUNT(changes(steps, 60, 0.05, &first), 1);
	CHECK_COUNT(first, 40);
	CHECK_COUNT(changes(steps, 60, 0.6, &first), 0);
	CHECK_COUNT(changes(bump, 60, 0.2, &first), 2);
	CHECK_COUNT(first, 20);
	CHECK_COUNT(changes(bump, 60, 0.25, &first), 0);	/* the way down is 23 % */
	CHECK_COUNT(changes(zero, 60, 1e9, &first), 1);
	CHECK_COUNT(first, 30);
	CHECK_COUNT(changes(same, 60, 0, &first), 0);
	CHECK_COUNT(changes(steps, 9, 0, &first), 0);
	CHECK_COUNT(changes(steps, 0, 0, &first), 0);
}

/* --- profiles ----------------------------------------------------------------------------- */

static bool
read_value(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const double *values = arg;
	char		text[64];

	snprintf(text, sizeof(text), "main;f %.17g\ng 5", values[i]);
	*profile = tree_of_text(ctx, text);
	return true;
}

static void
test_profiles(void)
{
	FgContext	ctx = fg_malloc_context();
	FgChangeOptions options = {3, 0, 0.05, 199, 5};
	UnitRandom	random = {65};

	unit_case("profiles with one stack that varies are like its values");
	for (int round = 0; round < 20; round++)
	{
		double		values[40];
		FgProfiles	profiles = {read_value, values, 40};
		FgChangePoint *of_values;
		FgChangePoint *of_profiles;
		size_t		nvalues;
		size_t		nprofiles;

		for (int i = 0; i < 40; i++)
			values[i] = 1 + unit_below(&random, 20) + (i >= 15 ? 15 : 0) + (i >= 30 ? 20 : 0);
		if (!CHECK(fg_change_points_of_series(&ctx, values, 40, &options, &of_values, &nvalues)) ||
			!CHECK(fg_change_points_of_profiles(&ctx, &profiles, &options, &of_profiles, &nprofiles)))
			continue;
		CHECK(nvalues > 0);
		CHECK_COUNT(nprofiles, nvalues);
		for (size_t i = 0; i < nvalues && i < nprofiles; i++)
		{
			CHECK_COUNT(of_profiles[i].at, of_values[i].at);
			CHECK_NEAR(of_profiles[i].statistic, of_values[i].statistic, 1e-12);
			CHECK_DOUBLE(of_profiles[i].p_value, of_values[i].p_value);
			CHECK_NEAR(of_profiles[i].distance, fabs(of_values[i].after - of_values[i].before),
					   1e-12);
		}
		fg_release(&ctx, of_values);
		fg_release(&ctx, of_profiles);
	}
}

/* --- quality -------------------------------------------------------------------------------- */

/* Normal: the sum of twelve uniform numbers has variance 1. */
static double
noise(UnitRandom *random)
{
	double		sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double) (unit_random(random) >> 11) * 0x1p-53;
	return sum;
}

/*
 * Sixty runs.  Of 2,000 series without a change 1 % had one at alpha 0.01, and of 1,000
 * steps of three deviations 99 % were dated within two runs; the bounds leave room for chance.
 */
static void
test_quality(void)
{
	FgContext	ctx = fg_malloc_context();
	FgChangeOptions options = defaults;
	UnitRandom	random = {66};
	int			alarms = 0;
	int			dated = 0;

	unit_case("false alarms and dates");
	options.permutations = 199;
	for (int round = 0; round < 300; round++)
	{
		size_t		at = round < 200 ? 60 : 10 + unit_below(&random, 41);
		double		values[60];
		FgChangePoint *points;
		size_t		count;
		bool		found = false;

		for (size_t i = 0; i < 60; i++)
			values[i] = 100 + noise(&random) + (i >= at ? 3 : 0);
		if (!CHECK(fg_change_points_of_series(&ctx, values, 60, &options, &points, &count)))
			continue;
		for (size_t i = 0; i < count; i++)
			found = found || (points[i].at + 2 >= at && points[i].at <= at + 2);
		alarms += at == 60 && count > 0;
		dated += at < 60 && found;
		fg_release(&ctx, points);
	}
	unit_note("%d false alarms, %d dated", alarms, dated);
	CHECK(alarms <= 10);
	CHECK(dated >= 90);
}

/* --- errors ----------------------------------------------------------------------------------- */

static void
test_errors(void)
{
	static const struct
	{
		FgChangeOptions options;
		FgErrorCode code;
	}			rows[] = {
		{{1, 0, 0.01, 99, 1}, FG_ERROR_ARGUMENT}, {{5, -1, 0.01, 99, 1}, FG_ERROR_ARGUMENT},
		{{5, 0, 0, 99, 1}, FG_ERROR_ARGUMENT}, {{5, 0, 1, 99, 1}, FG_ERROR_ARGUMENT},
		{{5, 0, 0.01, 0, 1}, FG_ERROR_ARGUMENT}, {{5, NAN, 0.01, 99, 1}, FG_ERROR_RANGE},
		{{5, 0, NAN, 99, 1}, FG_ERROR_RANGE}, {{5, INFINITY, 0.01, 99, 1}, FG_ERROR_RANGE}
	};
	double		values[20] = {0};
	FgContext	ctx = fg_malloc_context();
	FgChangePoint *points;
	size_t		count;

	unit_case("what is refused");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("row %zu", i);
		CHECK_ERROR(fg_change_points_of_series(&ctx, values, 20, &rows[i].options, &points, &count),
					&ctx, rows[i].code);
	}
	CHECK_ERROR(fg_change_points_of_series(&ctx, values, FG_MAX_SEQUENCE + 1, &defaults, &points,
										   &count), &ctx, FG_ERROR_LIMIT);
	values[3] = INFINITY;
	CHECK_ERROR(fg_change_points_of_series(&ctx, values, 20, &defaults, &points, &count), &ctx,
				FG_ERROR_RANGE);
	values[3] = 1e308;
	values[9] = -1e308;
	CHECK_ERROR(fg_change_points_of_series(&ctx, values, 20, &defaults, &points, &count), &ctx,
				FG_ERROR_RANGE);
}

typedef struct Input
{
	double		values[40];
	size_t		n;
} Input;

static bool
run_series(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgChangeOptions options = {4, 0.1, 0.1, 19, 1};
	FgChangePoint *points;
	size_t		count;

	if (!fg_change_points_of_series(ctx, input->values, input->n, &options, &points, &count))
		return false;
	fg_release(ctx, points);
	return true;
}

static bool
read_copy(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	FgTree	   *trees = arg;

	return fg_tree_copy(ctx, &trees[i], profile);
}

static bool
run_profiles(FgContext *ctx, void *arg)
{
	FgProfiles	profiles = {read_copy, arg, 16};
	FgChangeOptions options = {4, 0.01, 0.1, 19, 1};
	FgChangePoint *points;
	size_t		count;

	if (!fg_change_points_of_profiles(ctx, &profiles, &options, &points, &count))
		return false;
	fg_release(ctx, points);
	return true;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	Input		input = {.n = 40};
	FgTree		trees[16];

	for (size_t i = 0; i < 40; i++)
		input.values[i] = (double) (i % 5) + (i >= 20 ? 10 : 0);
	for (size_t i = 0; i < COUNT(trees); i++)
		CHECK(read_value(&ctx, input.values + 12, i, &trees[i]));
	unit_sweep_memory("change_points of a series", run_series, &input);
	unit_sweep_interrupts("change_points of a series", run_series, &input, 1000);
	unit_sweep_memory("change_points of profiles", run_profiles, trees);
	unit_sweep_interrupts("change_points of profiles", run_profiles, trees, 500);
	for (size_t i = 0; i < COUNT(trees); i++)
		fg_tree_free(&ctx, &trees[i]);
}

int
main(void)
{
	test_known();
	test_sizes();
	test_profiles();
	test_quality();
	test_errors();
	test_failures();
	return unit_finish();
}
