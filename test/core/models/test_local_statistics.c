/*
 * test_local_statistics.c
 *	  Local statistics: scores and chunks by hand, and all numbers against plain
 *	  definitions.
 */
#include "unit.h"

#include "core/models/local_statistics.h"

#include <math.h>

static const FgLocalOptions usual = {0.05, 2, {0.10, 0.25}};

static double
random_between(UnitRandom *random, double lo, double hi)
{
	return lo + (hi - lo) * unit_below(random, 1000000) / 1e6;
}

static void
check_argument(FgContext *ctx, bool ok, const char *name)
{
	CHECK_ERROR(ok, ctx, FG_ERROR_ARGUMENT);
	CHECK(strstr(ctx->error.reason, name) != NULL);
	CHECK(ctx->error.hint != NULL);
}

/* --- one chunk ---------------------------------------------------------------------- */

static void
test_scores(void)
{
	static const struct
	{
		const char *name;
		double		baseline[6];
		double		target[6];
		double		score;
		double		error;
		FgChangeVerdict result;
		FgChangeVerdict overall;
	}			rows[] = {
		{"the same", {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, 0, 0, FG_NO_CHANGE, FG_NO_CHANGE},
		{"all maybe", {5, 5, 5, 5, 5, 5}, {6, 6, 6, 6, 6, 6}, 3.5, 0.2,
		FG_MAYBE_DEGRADATION, FG_MAYBE_DEGRADATION},
		{"all maybe faster", {5, 5, 5, 5, 5, 5}, {4, 4, 4, 4, 4, 4}, -3.5, -0.2,
		FG_MAYBE_OPTIMIZATION, FG_MAYBE_OPTIMIZATION},
		{"exactly 10 percent", {10, 10, 10, 10, 10, 10}, {11, 11, 11, 11, 11, 11}, 0,
		0.1, FG_NO_CHANGE, FG_NO_CHANGE},
		{"only max", {10, 10, 10, 10, 10, 10}, {10, 10, 10, 10, 10, 14}, 1,
		0.4 * (1 + 1.0 / 6 + 1.0 / 6) / 7, FG_NO_CHANGE, FG_NO_CHANGE},
		{"q1 and min from 0", {0, 0, 0, 2, 2, 2}, {1, 1, 1, 2, 2, 2}, 5, 0.3,
		FG_DEGRADATION, FG_DEGRADATION},
		{"all from 0", {0, 0, 0, 0, 0, 0}, {1, 2, 3, 4, 5, 6}, 7, INFINITY,
		FG_DEGRADATION, FG_DEGRADATION},
		{"all from 0 down", {0, 0, 0, 0, 0, 0}, {-1, -2, -3, -4, -5, -6}, -7, -INFINITY,
		FG_OPTIMIZATION, FG_OPTIMIZATION},
		{"zeros", {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, 0, 0, FG_NO_CHANGE, FG_NO_CHANGE},
		{"to zero", {1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 0}, -7, -1, FG_OPTIMIZATION,
		FG_OPTIMIZATION}
	};
	static const double x[] = {0, 1, 2, 3, 4, 5};
	FgContext	ctx = fg_malloc_context();
	FgLocalStatistics local;

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("score: %s", rows[i].name);
		CHECK(fg_local_statistics_points(&ctx, x, rows[i].baseline, rows[i].target, 6, &usual,
										 &local));
		if (!CHECK_COUNT(local.count, 1))
			continue;
		CHECK_DOUBLE(local.chunks[0].score, rows[i].score);
		CHECK_NEAR(local.chunks[0].relative_error, rows[i].error, 1e-12);
		CHECK_COUNT(local.chunks[0].result, rows[i].result);
		CHECK_DOUBLE(local.chunks[0].x_from, 0);
		CHECK_DOUBLE(local.chunks[0].x_to, 5);
		CHECK_DOUBLE(local.relative_error, local.chunks[0].relative_error);
		CHECK_COUNT(local.result, rows[i].overall);
		CHECK(isnan(local.confidence));
		fg_release(&ctx, local.chunks);
	}
}

static void
test_statistics(void)
{
	static const double x[] = {3, 1, 4, 1, 5};
	static const double baseline[] = {1, 1, 1, 1, 1};
	static const double target[] = {9, 2, 4, 3, 7};
	static const double errors[FG_STATISTICS] = {4, 3, 8, 1, 4, 2, 6};
	FgLocalOptions none = {0.05, 2, {0, 0}};
	FgLocalOptions wide = {0.05, 2, {5, 7}};
	FgContext	ctx = fg_malloc_context();
	FgLocalStatistics local;

	unit_case("the statistics");
	CHECK(fg_local_statistics_points(&ctx, x, baseline, target, 5, &none, &local));
	for (int i = 0; i < FG_STATISTICS; i++)
		CHECK_DOUBLE(local.chunks[0].errors[i], errors[i]);
	CHECK_DOUBLE(local.chunks[0].score, 7);
	CHECK_DOUBLE(local.chunks[0].relative_error, 4);
	CHECK_DOUBLE(local.chunks[0].x_from, 3);
	CHECK_DOUBLE(local.chunks[0].x_to, 5);
	fg_release(&ctx, local.chunks);

	unit_case("other thresholds");
	CHECK(fg_local_statistics_points(&ctx, x, baseline, target, 5, &wide, &local));
	CHECK_DOUBLE(local.chunks[0].score, 1.5);
	CHECK_COUNT(local.chunks[0].result, FG_MAYBE_DEGRADATION);
	CHECK_COUNT(local.result, FG_NO_CHANGE);
	fg_release(&ctx, local.chunks);

	unit_case("thresholds 0 and nothing changed");
	CHECK(fg_local_statistics_points(&ctx, x, target, target, 5, &none, &local));
	CHECK_COUNT(local.result, FG_NO_CHANGE);
	CHECK_COUNT(local.chunks[0].result, FG_NO_CHANGE);
	fg_release(&ctx, local.chunks);
}

/* --- chunks ------------------------------------------------------------------------- */

static void
test_chunk_sizes(void)
{
	static const struct
	{
		size_t		n;
		double		density;
		int64_t		min_points;
		size_t		count;
		size_t		last;
	}			rows[] = {
		{1, 0.05, 2, 1, 1},
		{38, 0.05, 2, 1, 38},
		{40, 0.05, 2, 20, 2},
		{100, 0.05, 2, 20, 5},
		{130, 0.05, 2, 22, 4},
		{20, 0.05, 1, 20, 1},
		{19, 0.05, 1, 1, 19},
		{50, 0.1, 6, 1, 50},
		{60, 0.1, 6, 10, 6},
		{10, 0.3, 2, 4, 1},
		{100, 0.29, 2, 4, 13},
		{10, 1, 2, 1, 10},
		{10, 0, 1, 1, 10},
		{10, 1, INT64_MAX, 1, 10}
	};
	double		values[130];
	FgContext	ctx = fg_malloc_context();
	FgLocalStatistics local;

	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (double) i + 1;
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgLocalOptions options = {rows[i].density, rows[i].min_points, {0.1, 0.25}};

		unit_case("chunks of %zu points, density %g, at least %lld", rows[i].n, rows[i].density,
				  (long long) rows[i].min_points);
		CHECK(fg_local_statistics_points(&ctx, values, values, values, rows[i].n, &options,
										 &local));
		if (!CHECK_COUNT(local.count, rows[i].count))
			continue;
		CHECK_DOUBLE(local.chunks[0].x_from, 1);
		CHECK_DOUBLE(local.chunks[local.count - 1].x_from, (double) (rows[i].n - rows[i].last + 1));
		CHECK_DOUBLE(local.chunks[local.count - 1].x_to, (double) rows[i].n);
		fg_release(&ctx, local.chunks);
	}
}

static void
test_overall(void)
{
	static const double zero[] = {0, 0, 0, 0, 0, 0};
	static const double both[] = {1, 1, -1, -1, 1, 1};
	static const double tie[] = {1, 1, -1, -1};
	static const double some[] = {1, 1, 0, 0, 1, 1};
	FgLocalOptions pairs = {1.0 / 3, 2, {0.1, 0.25}};
	FgLocalOptions halves = {0.5, 2, {0.1, 0.25}};
	FgContext	ctx = fg_malloc_context();
	FgLocalStatistics local;

	unit_case("overall: all infinite, the majority");
	CHECK(fg_local_statistics_points(&ctx, zero, zero, both, 6, &pairs, &local));
	CHECK_COUNT(local.count, 3);
	CHECK_DOUBLE(local.relative_error, INFINITY);
	CHECK_COUNT(local.result, FG_DEGRADATION);
	fg_release(&ctx, local.chunks);

	unit_case("overall: as many of both infinities");
	CHECK(fg_local_statistics_points(&ctx, zero, zero, tie, 4, &halves, &local));
	CHECK_COUNT(local.count, 2);
	CHECK(isnan(local.relative_error));
	CHECK_COUNT(local.result, FG_UNKNOWN);
	fg_release(&ctx, local.chunks);

	unit_case("overall: the mean of the finite");
	CHECK(fg_local_statistics_points(&ctx, zero, zero, some, 6, &pairs, &local));
	CHECK_DOUBLE(local.relative_error, 0);
	CHECK_COUNT(local.result, FG_NO_CHANGE);
	fg_release(&ctx, local.chunks);
}

static void
test_not_finite(void)
{
	static const double zero[] = {0, 0, 0, 0, 0, 0};
	static const double some[] = {1, 1, 0, 0, 1, 1};
	static const double gaps[] = {1, NAN, 0, NAN, 1, 1};
	static const double nothing[] = {NAN, NAN};
	static const double huge[] = {1.7e308, 1.7e308};
	static const double infinite[] = {1, INFINITY};
	FgLocalOptions halves = {0.5, 2, {0.1, 0.25}};
	FgContext	ctx = fg_malloc_context();
	FgLocalStatistics local;

	unit_case("points without a value are left out");
	CHECK(fg_local_statistics_points(&ctx, some, zero, gaps, 6, &halves, &local));
	CHECK_COUNT(local.count, 2);
	CHECK_DOUBLE(local.chunks[0].x_to, 0);
	fg_release(&ctx, local.chunks);
	CHECK(fg_local_statistics_points(&ctx, some, nothing, some, 2, &usual, &local));
	CHECK(local.chunks == NULL && local.count == 0 && isnan(local.relative_error));
	CHECK_COUNT(local.result, FG_UNKNOWN);
	CHECK(fg_local_statistics_points(&ctx, NULL, NULL, NULL, 0, &usual, &local));
	CHECK_COUNT(local.result, FG_UNKNOWN);

	unit_case("a sum that overflows");
	CHECK(fg_local_statistics_points(&ctx, some, some, huge, 2, &usual, &local));
	CHECK_DOUBLE(local.chunks[0].errors[FG_STATISTIC_SUM], INFINITY);
	CHECK_COUNT(local.result, FG_DEGRADATION);
	fg_release(&ctx, local.chunks);
	CHECK(fg_local_statistics_points(&ctx, some, huge, huge, 2, &usual, &local));
	CHECK_COUNT(local.result, FG_NO_CHANGE);
	fg_release(&ctx, local.chunks);

	unit_case("infinities");
	CHECK_ERROR(fg_local_statistics_points(&ctx, some, some, infinite, 2, &usual, &local), &ctx,
				FG_ERROR_RANGE);
	CHECK_ERROR(fg_local_statistics_points(&ctx, infinite, some, some, 2, &usual, &local), &ctx,
				FG_ERROR_RANGE);
	CHECK(local.chunks == NULL);
}

static void
test_merge(void)
{
	static const char *const letters = "NmDoOU";
	static const char *const classes = "DDNDOUOOmmm";
	static const char *const merged = "DDOOm";
	static const double ends[][2] = {{0, 2}, {3, 4}, {4, 5}, {6, 8}, {8, 11}};
	FgLocalChunk chunks[11];
	FgLocalStatistics local = {.chunks = chunks, .count = strlen(classes)};

	unit_case("merging");
	memset(chunks, 0, sizeof(chunks));
	for (size_t i = 0; i < local.count; i++)
	{
		chunks[i].result = (FgChangeVerdict) (strchr(letters, classes[i]) - letters);
		chunks[i].x_from = (double) i;
		chunks[i].x_to = (double) i + 1;
		chunks[i].relative_error = (double) i;
		chunks[i].score = (double) i / 2;
		for (int s = 0; s < FG_STATISTICS; s++)
			chunks[i].errors[s] = s == 0 ? -INFINITY : s == 1 && i == 0 ? INFINITY :
				(double) (i * i);
	}
	fg_merge_chunks(&local);
	if (!CHECK_COUNT(local.count, strlen(merged)))
		return;
	for (size_t i = 0; i < local.count; i++)
	{
		CHECK_COUNT(letters[chunks[i].result], merged[i]);
		CHECK_DOUBLE(chunks[i].x_from, ends[i][0]);
		CHECK_DOUBLE(chunks[i].x_to, ends[i][1]);
		CHECK_DOUBLE(chunks[i].errors[0], -INFINITY);
	}
	CHECK_DOUBLE(chunks[0].relative_error, 0.5);
	CHECK_DOUBLE(chunks[0].score, 0.25);
	CHECK_DOUBLE(chunks[0].errors[1], 1);
	CHECK_DOUBLE(chunks[0].errors[2], 0.5);
	CHECK_DOUBLE(chunks[4].relative_error, 9);
	CHECK_DOUBLE(chunks[4].errors[6], (64 + 81 + 100) / 3.0);
	local.count = 0;
	fg_merge_chunks(&local);
	CHECK_COUNT(local.count, 0);
}

static void
test_parameters(void)
{
	static const double bad_densities[] = {-0.01, 1.01, NAN, INFINITY};
	double		x[] = {1, 2};
	FgContext	ctx = fg_malloc_context();
	FgCurve		curve = fg_curve_formula(FG_LINEAR, x, 0, 1, NAN);
	FgLocalStatistics local;
	FgLocalOptions options = usual;

	unit_case("parameters");
	for (size_t i = 0; i < COUNT(bad_densities); i++)
	{
		options.density = bad_densities[i];
		check_argument(&ctx, fg_local_statistics(&ctx, &curve, &curve, 9, &options, &local),
					   "density");
		check_argument(&ctx, fg_local_statistics_points(&ctx, x, x, x, 2, &options, &local),
					   "density");
	}
	options = usual;
	options.min_points = 0;
	check_argument(&ctx, fg_local_statistics(&ctx, &curve, &curve, 9, &options, &local),
				   "min_points");
	options = usual;
	options.thresholds.change = 0;
	check_argument(&ctx, fg_local_statistics_points(&ctx, x, x, x, 2, &options, &local), "change");
	check_argument(&ctx, fg_local_statistics(&ctx, &curve, &curve, 1, &usual, &local), "samples");
	check_argument(&ctx, fg_local_statistics(&ctx, &curve, &curve, FG_MAX_PARTS + 1, &usual,
											 &local), "samples");
}

/* --- curves, against plain definitions ---------------------------------------------- */

#define SAMPLES 103

static int
by_value(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static double
naive_statistic(const double *values, size_t n, int statistic)
{
	double		sorted[SAMPLES];
	double		sum = 0;
	double		place;
	size_t		below;

	memcpy(sorted, values, n * sizeof(double));
	qsort(sorted, n, sizeof(double), by_value);
	for (size_t i = 0; i < n; i++)
		sum += values[i];
	switch (statistic)
	{
		case FG_STATISTIC_AVG:
			return sum / (double) n;
		case FG_STATISTIC_SUM:
			return sum;
		case FG_STATISTIC_MIN:
			return sorted[0];
		case FG_STATISTIC_MAX:
			return sorted[n - 1];
		default:
			break;
	}
	place = (double) (n - 1) * (statistic == FG_STATISTIC_MED ? 0.5 :
								statistic == FG_STATISTIC_Q1 ? 0.25 : 0.75);
	below = (size_t) place;
	return below + 1 >= n ? sorted[n - 1] :
		sorted[below] + (sorted[below + 1] - sorted[below]) * (place - (double) below);
}

static void
check_chunk(const FgLocalChunk *chunk, const double *baseline, const double *target, size_t n)
{
	double		score = 0;
	double		sum = 0;

	for (int s = 0; s < FG_STATISTICS; s++)
	{
		double		before = naive_statistic(baseline, n, s);
		double		r = (naive_statistic(target, n, s) - before) / before;

		CHECK(fabs(chunk->errors[s] - r) < 1e-11);
		score += (fabs(r) <= 0.1 ? 0 : fabs(r) <= 0.25 ? 0.5 : 1) * (r < 0 ? -1 : 1);
		sum += r;
	}
	CHECK_DOUBLE(chunk->score, score);
	CHECK(fabs(chunk->relative_error - sum / FG_STATISTICS) < 1e-11);
	CHECK_COUNT(chunk->result, fabs(score) < 1.4 ? FG_NO_CHANGE :
				fabs(score) < 3.6 ? (score > 0 ? FG_MAYBE_DEGRADATION : FG_MAYBE_OPTIMIZATION) :
				score > 0 ? FG_DEGRADATION : FG_OPTIMIZATION);
}

static FgCurve
random_points(FgContext *ctx, UnitRandom *random)
{
	double		x[40];
	double		y[COUNT(x)];
	FgCurve		curve;

	for (size_t i = 0; i < COUNT(x); i++)
	{
		x[i] = (i == 0 ? random_between(random, 0, 3) : x[i - 1]) + random_between(random, 0.1, 1);
		y[i] = random_between(random, 3, 6);
	}
	CHECK(fg_curve_points(ctx, x, y, COUNT(x), random_between(random, 0, 1), &curve));
	return curve;
}

static void
check_local(FgContext *ctx, const FgCurve *before, const FgCurve *after)
{
	double		lo = fmax(before->start, after->start);
	double		hi = fmin(before->end, after->end);
	double		baseline[SAMPLES];
	double		target[SAMPLES];
	double		sum = 0;
	FgLocalStatistics local;

	for (size_t i = 0; i < SAMPLES; i++)
	{
		double		x = i == SAMPLES - 1 ? hi : lo + (hi - lo) * (double) i / (SAMPLES - 1);

		baseline[i] = fg_curve_value(before, x);
		target[i] = fg_curve_value(after, x);
	}
	if (!CHECK(fg_local_statistics(ctx, before, after, SAMPLES, &usual, &local)) ||
		!CHECK_COUNT(local.count, 21))
		return;
	for (size_t i = 0; i < local.count; i++)
	{
		check_chunk(&local.chunks[i], baseline + 5 * i, target + 5 * i, i == 20 ? 3 : 5);
		sum += local.chunks[i].relative_error;
	}
	CHECK_DOUBLE(local.chunks[0].x_from, lo);
	CHECK_DOUBLE(local.chunks[20].x_to, hi);
	CHECK(fabs(local.relative_error - sum / 21) < 1e-12);
	CHECK_COUNT(local.result, fg_classify(local.relative_error, &usual.thresholds));
	CHECK_DOUBLE(local.confidence, fmin(before->r_square, after->r_square));
	fg_release(ctx, local.chunks);
}

static void
test_random_curves(void)
{
	UnitRandom	random = {31};
	FgContext	ctx = fg_malloc_context();

	unit_case("random curves");
	for (int round = 0; round < 200; round++)
	{
		FgCurve		before = random_points(&ctx, &random);
		FgCurve		after = random_points(&ctx, &random);

		unit_note("[round %d]", round);
		check_local(&ctx, &before, &after);
		fg_curve_free(&ctx, &before);
		fg_curve_free(&ctx, &after);
	}
}

static void
test_curves(void)
{
	static const double b[] = {0, 1};
	FgContext	ctx = fg_malloc_context();
	FgCurve		line = fg_curve_formula(FG_LINEAR, b, 0, 10, 0.5);
	FgCurve		apart = fg_curve_formula(FG_LINEAR, b, 10, 12, 0.7);
	FgCurve		logs = fg_curve_formula(FG_LOGARITHMIC, b, -10, 10, NAN);
	FgLocalStatistics local;

	unit_case("no common interval");
	CHECK(fg_local_statistics(&ctx, &line, &apart, 100, &usual, &local));
	CHECK_COUNT(local.result, FG_UNKNOWN);
	CHECK(local.chunks == NULL && local.count == 0);
	CHECK(isnan(local.relative_error));
	CHECK_DOUBLE(local.confidence, 0.5);

	unit_case("a curve that is not defined everywhere");
	CHECK(fg_local_statistics(&ctx, &logs, &line, 11, &usual, &local));
	CHECK_COUNT(local.count, 1);
	CHECK_DOUBLE(local.chunks[0].x_from, 1);
	CHECK_DOUBLE(local.chunks[0].x_to, 10);
	CHECK(isnan(local.confidence));
	fg_release(&ctx, local.chunks);
}

/* --- failures ----------------------------------------------------------------------- */

#define MANY (2 * FG_CHECK_NODES)

typedef struct Input
{
	int64_t		n;
	FgLocalOptions options;
	double	   *values;
	FgCurve		curve;
} Input;

static bool
run_curves(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgLocalStatistics local;

	if (!fg_local_statistics(ctx, &input->curve, &input->curve, input->n, &input->options, &local))
		return false;
	fg_release(ctx, local.chunks);
	return true;
}

static bool
run_points(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgLocalStatistics local;

	if (!fg_local_statistics_points(ctx, input->values, input->values, input->values,
									(size_t) input->n, &input->options, &local))
		return false;
	fg_release(ctx, local.chunks);
	return true;
}

static void
test_failures(void)
{
	static const double b[] = {10, -1};
	Input		input = {
		.n = MANY, .options = usual, .values = malloc(MANY * sizeof(double)),
		.curve = fg_curve_formula(FG_LINEAR, b, 0, 20, NAN)
	};

	for (size_t i = 0; i < MANY; i++)
		input.values[i] = (double) (i * 7 % 1000);
	unit_sweep_interrupts("fg_local_statistics", run_curves, &input, 100);
	unit_sweep_interrupts("fg_local_statistics_points", run_points, &input, 100);
	input.options.density = 1;
	unit_sweep_interrupts("one large chunk", run_points, &input, 20);
	input.options = usual;
	input.n = 50;
	unit_sweep_memory("fg_local_statistics", run_curves, &input);
	unit_sweep_memory("fg_local_statistics_points", run_points, &input);
	free(input.values);
}

int
main(void)
{
	test_scores();
	test_statistics();
	test_chunk_sizes();
	test_overall();
	test_not_finite();
	test_merge();
	test_parameters();
	test_random_curves();
	test_curves();
	test_failures();
	return unit_finish();
}
