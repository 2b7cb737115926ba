/*
 * test_sample_check.c
 *	  Checks of samples, against SciPy (kendalltau, skewtest, normaltest; Grubbs' and
 *	  Bartels' tests by their formulas over its distributions).
 */
#include "naive.h"

#include "core/compare/sample_check.h"
#include "core/compare/sample_check_internal.h"

#include <math.h>

static const double rising[] = {3.1, 2.9, 4.2, 5.5, 4.8, 6.1, 5.9, 7.3, 6.6, 8.0};
static const double tied[] = {3, 1, 2, 2, 5, 4, 4, 6, 7, 7, 6, 8};
static const double one_off[] = {
	12.1, 9.8, 10.4, 11.2, 9.1, 10.0, 10.9, 11.7, 10.3, 9.6, 10.8, 18.9
};
static const double longer[] = {
	12.1, 9.8, 10.4, 11.2, 9.1, 10.0, 10.9, 11.7, 10.3, 9.6, 10.8, 18.9, 10.1, 9.9, 11.1, 10.6,
	10.2, 9.7, 11.5, 10.7, 8.8, 12.9
};
static const double same[] = {7.1, 7.1, 7.1, 7.1, 7.1, 7.1, 7.1, 7.1, 7.1, 7.1};

static void
test_tests(void)
{
	FgContext	ctx = fg_malloc_context();
	size_t		outliers;
	double		statistic;
	double		p;

	unit_case("drift: exact without ties");
	CHECK(fg_drift_test(&ctx, rising, COUNT(rising), &statistic, &p));
	CHECK_NEAR(statistic, 0.8222222222222221, 1e-14);
	CHECK_NEAR(p, 0.0003576940035273369, 1e-12);
	unit_case("drift: normal with ties");
	CHECK(fg_drift_test(&ctx, tied, COUNT(tied), &statistic, &p));
	CHECK_NEAR(statistic, 0.7503664793768668, 1e-14);
	CHECK_NEAR(p, 0.0008909313329990803, 1e-12);
	unit_case("neighbours");
	CHECK(fg_neighbour_test(&ctx, rising, COUNT(rising), &statistic, &p));
	CHECK_NEAR(statistic, 0.793939393939394, 1e-14);
	CHECK_NEAR(p, 0.001311738049792695, 1e-10);
	CHECK(fg_neighbour_test(&ctx, tied, COUNT(tied), &statistic, &p));
	CHECK_NEAR(p, 0.0007531462985653196, 1e-10);
	CHECK(fg_neighbour_test(&ctx, one_off, COUNT(one_off), &statistic, &p));
	CHECK_NEAR(statistic, 0.09440559440559437, 1e-12);
	CHECK_NEAR(p, 0.7405390236485799, 1e-10);
	unit_case("outliers");
	CHECK(fg_outlier_test(&ctx, one_off, COUNT(one_off), 0.05, &outliers, &p));
	CHECK_COUNT(outliers, 1);
	CHECK_NEAR(p, 6.092326730880591e-05, 1e-10);
	CHECK(fg_outlier_test(&ctx, longer, COUNT(longer), 0.05, &outliers, &p));
	CHECK_COUNT(outliers, 1);	/* the second step's 0.2196 is none */
	CHECK_NEAR(p, 1.5772207259110144e-06, 1e-10);
	CHECK(fg_outlier_test(&ctx, longer, COUNT(longer), 0.25, &outliers, &p));
	CHECK_COUNT(outliers, 2);
	unit_case("normality");
	fg_normal_test(one_off, COUNT(one_off), &statistic, &p);
	CHECK_NEAR(statistic, 3.722844753482767 * 3.722844753482767, 1e-12);
	CHECK_NEAR(p, 0.00019699065658158586, 1e-11);
	fg_normal_test(rising, COUNT(rising), &statistic, &p);
	CHECK_NEAR(p, 0.7896941250340763, 1e-11);
	fg_normal_test(longer, COUNT(longer), &statistic, &p);
	CHECK_NEAR(statistic, 37.39164631776141, 1e-12);
	CHECK_NEAR(p, 7.59463956517929e-09, 1e-11);
	fg_normal_test(rising, 7, &statistic, &p);
	CHECK(isnan(statistic) && isnan(p));
}

static void
test_constant(void)
{
	FgContext	ctx = fg_malloc_context();
	size_t		outliers;
	double		statistic;
	double		p;

	unit_case("values that are all the same");
	CHECK(fg_drift_test(&ctx, same, COUNT(same), &statistic, &p));
	CHECK(statistic == 0 && p == 1);
	CHECK(fg_neighbour_test(&ctx, same, COUNT(same), &statistic, &p));
	CHECK(statistic == 0 && p == 1);
	CHECK(fg_outlier_test(&ctx, same, COUNT(same), 0.05, &outliers, &p));
	CHECK(outliers == 0 && p == 1);
	fg_normal_test(same, COUNT(same), &statistic, &p);
	CHECK(statistic == 0 && p == 1);
}

/* --- of profiles ---------------------------------------------------------------------- */

static bool
read_text(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	FgTree		tree = ((FgTree *) arg)[i];

	return fg_tree_copy(ctx, &tree, profile);
}

#define RUNS 22

/* a varies as "longer", b is the same, c is in five runs only. */
static void
make_runs(FgContext *ctx, FgTree *trees)
{
	char		text[200];

	for (int i = 0; i < RUNS; i++)
	{
		snprintf(text, sizeof(text), "a %.17g\nb 5%s", longer[i], i % 5 == 0 ? "\nc 1" : "");
		trees[i] = tree_of_text(ctx, text);
	}
}

static void
test_profiles(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		trees[RUNS];
	FgProfiles	profiles = {read_text, trees, RUNS};
	FgSampleCheck checks[FG_SAMPLE_CHECKS];

	make_runs(&ctx, trees);
	unit_case("profiles: one key of one is far from normal");
	CHECK(fg_sample_check(&ctx, &profiles, FG_LEVEL_STACK, checks));
	CHECK(strcmp(checks[0].name, "drift") == 0 && strcmp(checks[0].verdict, "ok") == 0);
	CHECK(strcmp(checks[1].name, "autocorrelation") == 0);
	CHECK(strcmp(checks[2].verdict, "suspicious") == 0 && checks[2].statistic >= 1);
	CHECK_DOUBLE(checks[3].statistic, 1);
	CHECK_NEAR(checks[3].p_value, 7.59463956517929e-09, 1e-9);
	CHECK(strcmp(checks[3].verdict, "suspicious") == 0);
	unit_case("profiles: too few");
	profiles.count = 7;
	CHECK(fg_sample_check(&ctx, &profiles, FG_LEVEL_FRAME, checks));
	CHECK(strcmp(checks[0].verdict, "ok") == 0);
	CHECK(strcmp(checks[3].verdict, "too_few_profiles") == 0 && isnan(checks[3].p_value));
	profiles.count = 0;
	CHECK(fg_sample_check(&ctx, &profiles, FG_LEVEL_SELF, checks));
	CHECK(strcmp(checks[0].verdict, "too_few_profiles") == 0);
	for (int i = 0; i < RUNS; i++)
		fg_tree_free(&ctx, &trees[i]);
}

static bool
run_check(FgContext *ctx, void *arg)
{
	FgSampleCheck checks[FG_SAMPLE_CHECKS];

	return fg_sample_check(ctx, arg, FG_LEVEL_NODE, checks);
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		trees[RUNS];
	FgProfiles	profiles = {read_text, trees, RUNS};

	make_runs(&ctx, trees);
	unit_sweep_memory("fg_sample_check", run_check, &profiles);
	unit_sweep_interrupts("fg_sample_check", run_check, &profiles, 5);
	for (int i = 0; i < RUNS; i++)
		fg_tree_free(&ctx, &trees[i]);
}

int
main(void)
{
	test_tests();
	test_constant();
	test_profiles();
	test_failures();
	return unit_finish();
}
