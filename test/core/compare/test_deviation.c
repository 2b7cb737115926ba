/*
 * test_deviation.c
 *	  Scores of a run against earlier ones: the thesis' numbers, the definition, profiles
 *	  against their statistics. Correlation with the cost of runs.
 */
#include "naive.h"

#include "core/compare/correlation.h"
#include "core/compare/deviation.h"
#include "core/compare/deviation_internal.h"
#include "core/compare/observations.h"
#include "core/compare/welch.h"
#include "core/samples/accumulator.h"

#include <math.h>

static const FgScoring raw = {0, 0, true, false};
static const FgScoring counts = FG_DEFAULT_SCORING;

/* --- one value ------------------------------------------------------------------------ */

static FgDeviation
deviation_of(const FgScoring *scoring, const double *history, size_t n, double actual)
{
	FgContext	ctx = fg_malloc_context();
	FgDeviation d = {0};
	size_t		before = 0;

	for (size_t i = 0; i < n; i++)
		before += history[i] != 0;
	CHECK(fg_deviation_of(&ctx, scoring, history, n, actual, before, actual != 0, &d));
	return d;
}

static void
test_scores(void)
{
	static const double once[10] = {0, 0, 0, 1};
	static const double twice[10] = {0, 1, 0, 0, 0, 0, 1};
	static const double same[3] = {0.1, 0.1, 0.1};
	FgScoring	zero = {0, 0, false, false};
	FgScoring	least = {0, 2, true, false};
	FgDeviation d;

	unit_case("Lundberg & Rettig 2024, appendix B");
	d = deviation_of(&raw, once, 10, 7);
	CHECK_NEAR(d.expected, 0.1, 1e-15);
	CHECK_NEAR(d.diff, 6.9, 1e-15);
	CHECK(fabs(d.score - 21.8197) < 5e-5 && d.raw_score == d.score);
	d = deviation_of(&raw, twice, 10, 8);
	CHECK_NEAR(d.diff, 7.8, 1e-15);
	CHECK(fabs(d.score - 18.4993) < 5e-5);

	unit_case("a floor under the deviation");
	d = deviation_of(&counts, twice, 10, 8);
	CHECK_DOUBLE(d.score, d.diff);	/* max(0.2, 1) samples deviate by 1 */
	CHECK(fabs(d.raw_score - 18.4993) < 5e-5);
	d = deviation_of(&least, twice, 10, 8);
	CHECK_DOUBLE(d.score, d.diff / 2);

	unit_case("a history that does not vary");
	d = deviation_of(&raw, same, 3, 0.2);
	CHECK(d.stddev == 0 && d.score == INFINITY && d.raw_score == INFINITY);
	d = deviation_of(&raw, same, 3, 0.05);
	CHECK(d.score == -INFINITY);
	d = deviation_of(&raw, same, 3, 0.1);
	CHECK(d.diff == 0 && d.score == 0);
	d = deviation_of(&zero, same, 3, 0.2);
	CHECK(d.score == 0 && d.raw_score == 0);

	unit_case("status");
	CHECK(strcmp(deviation_of(&raw, once, 2, 1).status, "+") == 0);
	CHECK(strcmp(deviation_of(&raw, once, 10, 0).status, "-") == 0);
	CHECK(strcmp(deviation_of(&raw, once, 2, 0).status, "") == 0);

	unit_case("p-value of a new run");
	CHECK_NEAR(fg_deviation_p_value(2.5, 4), 0.11136715471408382, 1e-12);
	CHECK_DOUBLE(fg_deviation_p_value(0, 4), 1);
	CHECK_DOUBLE(fg_deviation_p_value(INFINITY, 4), 0);
	CHECK_DOUBLE(fg_deviation_p_value(-INFINITY, 4), 0);
}

static void
test_arguments(void)
{
	static const double huge[2] = {1e308, -1e308};
	FgContext	ctx = fg_malloc_context();
	FgScoring	wrong = {NAN, 0, true, false};
	FgDeviation d;
	uint32_t	metric;
	size_t		start;

	unit_case("arguments");
	CHECK_ERROR(fg_scoring_check(&ctx, &wrong), &ctx, FG_ERROR_RANGE);
	wrong = (FgScoring) {0, -1, true, false};
	CHECK_ERROR(fg_scoring_check(&ctx, &wrong), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_deviation_of(&ctx, &raw, huge, 2, 0, 2, false, &d), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_history_start(&ctx, 1, 10, &start), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_history_start(&ctx, 5, 1, &start), &ctx, FG_ERROR_ARGUMENT);
	CHECK(fg_history_start(&ctx, 5, 3, &start) && start == 2);
	CHECK(fg_history_start(&ctx, 5, 6, &start) && start == 0);
	CHECK(fg_metric_parse(&ctx, "total", 5, &metric) && metric == FG_METRIC_TOTAL);
	CHECK(fg_metric_parse(&ctx, "self", 4, &metric) && metric == FG_METRIC_SELF);
	CHECK(fg_metric_parse(&ctx, "potential:12", 12, &metric) && metric == 12);
	CHECK_ERROR(fg_metric_parse(&ctx, "potential:", 10, &metric), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_metric_parse(&ctx, "potential:-1", 12, &metric), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_metric_parse(&ctx, "potential:70000", 15, &metric), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_metric_parse(&ctx, "totals", 6, &metric), &ctx, FG_ERROR_ARGUMENT);
}

/* --- profiles and their statistics ----------------------------------------------------------- */

static bool
read_tree(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	return fg_tree_copy(ctx, (FgTree *) arg + i, profile);
}

static bool
same_number(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

/* The row of the same one-frame key. */
static const FgDeviation *
row_of(const FgDeviations *d, const char *frame, size_t length)
{
	for (uint32_t i = 0; i < d->count; i++)
	{
		uint64_t	key = d->keys.key[d->node[i]];
		uint32_t	f = fg_key_frame(key);

		if (d->node[i] != 0 && fg_key_depth(key) == 1 &&
			fg_frame_length(&d->keys.frames, f) == length &&
			memcmp(fg_frame_bytes(&d->keys.frames, f), frame, length) == 0)
			return &d->rows[i];
	}
	return NULL;
}

static void
compare_ways(FgContext *ctx, FgTree *trees, size_t n, FgLevel level, uint32_t metric)
{
	FgProfiles	history = {read_tree, trees, n};
	FgAccumulator sum;
	FgTree		current;
	FgDeviations a;
	FgDeviations b;

	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_MOMENTS);
	CHECK(fg_accumulate_profiles(ctx, &history, level, &sum, NULL));
	CHECK(fg_level_apply(ctx, &trees[n], level, &current));
	if (CHECK(fg_deviations(ctx, &history, &trees[n], 1000, metric, &counts, NULL, &a)) &&
		CHECK(fg_stats_deviations(ctx, fg_accumulator_moments(&sum), n, &current, &counts, NULL, &b)))
	{
		for (uint32_t i = 0; i < a.count; i++)
		{
			uint32_t	f = fg_key_frame(a.keys.key[a.node[i]]);
			const FgDeviation *row = &a.rows[i];
			const FgDeviation *other = row_of(&b, fg_frame_bytes(&a.keys.frames, f),
											  fg_frame_length(&a.keys.frames, f));

			CHECK(a.q_value[i] >= a.p_value[i] * (1 - 1e-15));
			if (other == NULL)
				CHECK(row->expected == 0 && row->actual == 0);
			else
				CHECK(same_number(row->expected, other->expected) &&
					  same_number(row->stddev, other->stddev) && row->actual == other->actual &&
					  same_number(row->score, other->score));
			if (i > 0)
				CHECK(a.rows[a.order[i]].score <= a.rows[a.order[i - 1]].score);
		}
		fg_deviations_free(&a);
		fg_deviations_free(&b);
	}
	fg_tree_free(ctx, &current);
	fg_accumulator_free(&sum);
}

static void
test_ways(void)
{
	UnitRandom	random = {11};

	unit_case("profiles and their statistics give the same scores");
	for (int round = 0; round < 100; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		trees[8];
		size_t		n = 2 + unit_below(&random, 6);

		unit_note("[round %d]", round);
		for (size_t i = 0; i <= n; i++)
		{
			NaiveShape	shape = {1 + unit_below(&random, 30), 1 + unit_below(&random, 6),
								 1 + unit_below(&random, 12), NAIVE_COUNTS};
			Naive		profile = naive_random(&random, shape);

			trees[i] = naive_tree(&ctx, &profile);
			naive_free(&profile);
		}
		compare_ways(&ctx, trees, n, FG_LEVEL_FRAME, FG_METRIC_TOTAL);
		compare_ways(&ctx, trees, n, FG_LEVEL_SELF, FG_METRIC_SELF);
		for (size_t i = 0; i <= n; i++)
			fg_tree_free(&ctx, &trees[i]);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* Tenths add up to what no tenth is, in whatever order samples are merged. */
static void
test_constant_fractions(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		trees[8];
	FgProfiles	history = {read_tree, trees, 7};
	FgAccumulator sum;
	FgDeviations d;

	unit_case("equal fractions have no deviation, from statistics either");
	for (int i = 0; i < 8; i++)
		trees[i] = tree_of_text(&ctx, i < 7 ? "a 0.1\nb 0.3" : "a 0.1\nb 0.4");	/* a stays */
	fg_accumulator_init(&ctx, &sum, FG_ACCUMULATE_MOMENTS);
	CHECK(fg_accumulate_profiles(&ctx, &history, FG_LEVEL_STACK, &sum, NULL));
	CHECK(fg_stats_deviations(&ctx, fg_accumulator_moments(&sum), 7, &trees[7], &raw, NULL, &d));
	CHECK_COUNT(d.count, 2);
	CHECK(d.rows[0].stddev == 0 && d.rows[1].stddev == 0);
	CHECK(d.rows[d.order[0]].score == INFINITY && d.rows[d.order[1]].score == 0);
	fg_deviations_free(&d);
	fg_accumulator_free(&sum);
	for (int i = 0; i < 8; i++)
		fg_tree_free(&ctx, &trees[i]);
}

/* --- correlation ---------------------------------------------------------------------------------- */

static double
correlation_of(const double *x, const double *y, size_t n, FgCorrelationMethod method)
{
	FgContext	ctx = fg_malloc_context();
	double		r = NAN;

	CHECK(fg_correlation(&ctx, x, y, n, method, &r));
	return r;
}

static void
test_correlation(void)
{
	static const double x[] = {1, 2, 2, 4, 5, 7};
	static const double y[] = {10, 30, 20, 20, 50, 40};
	double		small[6];
	double		large[6];
	double		shifted[6];

	unit_case("coefficients (SciPy)");
	CHECK_NEAR(correlation_of(x, y, 6, FG_PEARSON), 0.7520710469952336, 1e-14);
	CHECK_NEAR(correlation_of(x, y, 6, FG_SPEARMAN), 0.8088235294117647, 1e-14);
	unit_case("coefficients in any unit");
	for (int i = 0; i < 6; i++)
	{
		small[i] = x[i] * 1e-300;
		large[i] = y[i] * 1e300;
		shifted[i] = 1e6 + x[i] * 1e-3;
	}
	CHECK_NEAR(correlation_of(small, large, 6, FG_PEARSON), 0.7520710469952336, 1e-13);
	CHECK_NEAR(correlation_of(shifted, y, 6, FG_PEARSON), 0.7520710469952336, 1e-6);
	unit_case("coefficients of a constant");
	for (int i = 0; i < 6; i++)
		small[i] = 0.1;
	CHECK_DOUBLE(correlation_of(small, y, 6, FG_PEARSON), 0);
	CHECK_DOUBLE(correlation_of(y, small, 6, FG_SPEARMAN), 0);
	CHECK_DOUBLE(correlation_of(x, x, 6, FG_PEARSON), 1);
	CHECK_DOUBLE(correlation_of(x, y, 1, FG_PEARSON), 0);
}

static void
test_benchmarks(void)
{
	/* benchmark 1 in profiles 0, 2, 3, 5; benchmark 0 in 1, 4, 6; 3 has no metric */
	static const uint32_t benchmark[] = {1, 0, 1, 1, 0, 1, 0};
	static const double metric[] = {1, 30, 2, NAN, 20, 3, 10};
	FgContext	ctx = fg_malloc_context();
	FgCorrelationOptions options = FG_DEFAULT_CORRELATION;
	/* by run: 0, 1, 2 are profiles 1, 4, 6; 3, 4, 5 are 0, 2, 5 */
	FgObservation list[] = {{0, 0, 3}, {0, 1, 2}, {0, 2, 1}, {0, 3, 6}, {0, 5, 5}};
	FgCorrelationScore score;
	FgRuns		runs;

	unit_case("benchmarks");
	CHECK(fg_runs_begin(&ctx, benchmark, 2, metric, 7, &runs));
	CHECK_COUNT(runs.count, 6);
	CHECK_COUNT(runs.profile[1], 4);
	CHECK_COUNT(runs.profile[5], 5);
	CHECK(fg_correlate(&runs, &options, list, 5, &score));
	CHECK(score.benchmarks == 1 && score.n == 3);
	CHECK_NEAR(score.score, 1, 1e-15);
	options.min_profiles = 2;	/* (6, 1), (5, 3) */
	CHECK(fg_correlate(&runs, &options, list, 5, &score));
	CHECK(score.benchmarks == 2 && score.n == 5);
	CHECK(fabs(score.score) < 1e-15);
	options.missing_zero = true;	/* (6, 1), (0, 2), (5, 3): -sqrt(3)/(2 sqrt(31)) */
	CHECK(fg_correlate(&runs, &options, list, 5, &score));
	CHECK(score.n == 6);
	CHECK_NEAR(score.score, (1 - sqrt(3.0) / (2 * sqrt(31.0))) / 2, 1e-14);
	options.combine = FG_COMBINE_MIN;
	CHECK(fg_correlate(&runs, &options, list, 5, &score));
	CHECK_NEAR(score.score, -sqrt(3.0) / (2 * sqrt(31.0)), 1e-14);
	options.combine = FG_COMBINE_MAX;
	CHECK(fg_correlate(&runs, &options, list, 5, &score));
	CHECK_NEAR(score.score, 1, 1e-14);
	options.combine = FG_COMBINE_MEDIAN;
	CHECK(fg_correlate(&runs, &options, list, 5, &score));
	CHECK_NEAR(score.score, (1 - sqrt(3.0) / (2 * sqrt(31.0))) / 2, 1e-14);
	CHECK(fg_correlate(&runs, &options, list, 0, &score));
	CHECK(isnan(score.score) && score.benchmarks == 0);
	fg_runs_free(&runs);
}

/* --- failures ----------------------------------------------------------------------------------------- */

static FgTree *
sweep_trees(FgContext *ctx)
{
	static const char *const texts[] = {"a;b 1\na;c 2", "a;b 3\nd 1", "a 5\na;c;a 1", "a;b 9\ne 2"};
	FgTree	   *trees = malloc(4 * sizeof(FgTree));

	for (int i = 0; i < 4; i++)
		trees[i] = tree_of_text(ctx, texts[i]);
	return trees;
}

static bool
run_deviations(FgContext *ctx, void *arg)
{
	FgTree	   *trees = arg;
	FgProfiles	history = {read_tree, trees, 3};
	FgDeviations d;

	if (!fg_deviations(ctx, &history, &trees[3], 10, 1, &counts, NULL, &d))
		return false;
	fg_deviations_free(&d);
	return true;
}

static bool
run_stats(FgContext *ctx, void *arg)
{
	FgTree	   *trees = arg;
	FgProfiles	history = {read_tree, trees, 3};
	FgAccumulator sum;
	const FgMoments *moments;
	FgDeviations d;
	bool		ok;

	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_MOMENTS);
	ok = fg_accumulate_profiles(ctx, &history, FG_LEVEL_STACK, &sum, NULL) &&
		(moments = fg_accumulator_moments(&sum)) != NULL &&
		fg_stats_deviations(ctx, moments, 3, &trees[3], &counts, NULL, &d);
	fg_accumulator_free(&sum);
	if (ok)
		fg_deviations_free(&d);
	return ok;
}

static bool
run_correlation(FgContext *ctx, void *arg)
{
	static const uint32_t benchmark[] = {0, 0, 0, 0};
	static const double metric[] = {1, 2, 4, 3};
	FgCorrelationOptions options = {FG_SPEARMAN, FG_COMBINE_MEDIAN, true, 2};
	FgProfiles	profiles = {read_tree, arg, 4};
	FgCorrelationScore score;
	FgObservations all;
	FgRuns		runs;
	bool		ok = fg_runs_begin(ctx, benchmark, 1, metric, 4, &runs);

	if (!ok)
		return false;
	ok = fg_runs_observe(ctx, &runs, &profiles, FG_METRIC_TOTAL, &all);
	if (ok)
	{
		ok = fg_correlate(&runs, &options, all.list, all.first[1], &score);
		fg_observations_free(&all);
	}
	fg_runs_free(&runs);
	return ok;
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree	   *trees = sweep_trees(&ctx);

	test_scores();
	test_arguments();
	test_ways();
	test_constant_fractions();
	test_correlation();
	test_benchmarks();
	unit_sweep_memory("fg_deviations", run_deviations, trees);
	unit_sweep_interrupts("fg_deviations", run_deviations, trees, 5);
	unit_sweep_memory("fg_stats_deviations", run_stats, trees);
	unit_sweep_interrupts("fg_stats_deviations", run_stats, trees, 5);
	unit_sweep_memory("correlation", run_correlation, trees);
	unit_sweep_interrupts("correlation", run_correlation, trees, 5);
	for (int i = 0; i < 4; i++)
		fg_tree_free(&ctx, &trees[i]);
	free(trees);
	return unit_finish();
}
