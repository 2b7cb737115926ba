/*
 * test_multiplicity.c
 *	  Adjusted p-values: by hand, and against their definitions, pair by pair.
 */
#include "unit.h"

#include "core/compare/multiplicity.h"

#include <math.h>

static void
check_adjusted(const char *name, FgCorrection correction, const double *p, uint32_t count,
			   const double *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	double		q[16];

	unit_case("%s", name);
	CHECK(fg_adjust(&ctx, p, count, correction, q));
	for (uint32_t i = 0; i < count; i++)
	{
		if (isnan(expected[i]))
			CHECK(isnan(q[i]));
		else
			CHECK_NEAR(q[i], expected[i], 1e-15);
	}
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_by_hand(void)
{
	static const double p[] = {0.04, 0.01, 0.9, NAN, 0.02};
	/* ranks 3, 1, 4, -, 2 of 4 */
	static const double bh[] = {0.16 / 3, 0.04, 0.9, NAN, 0.04};
	static const double holm[] = {0.08, 0.04, 0.9, NAN, 0.06};
	static const double bonferroni[] = {0.16, 0.04, 1, NAN, 0.08};

	check_adjusted("Benjamini and Hochberg", FG_CORRECT_BH, p, 5, bh);
	check_adjusted("Holm", FG_CORRECT_HOLM, p, 5, holm);
	check_adjusted("Bonferroni", FG_CORRECT_BONFERRONI, p, 5, bonferroni);
	check_adjusted("none", FG_CORRECT_NONE, p, 5, p);
	for (int correction = 0; correction <= FG_CORRECT_NONE; correction++)
		check_adjusted("no test at all", (FgCorrection) correction, p, 0, p);
}

/* The number of p-values up to this one, equal ones included; or below it. */
static double
rank_of(const double *p, uint32_t count, double value, bool included)
{
	double		rank = 0;

	for (uint32_t i = 0; i < count; i++)
		rank += p[i] < value || (included && p[i] == value);
	return rank;
}

/* min over p_j >= p_i of p_j m / #{p <= p_j}, and max over p_j <= p_i of p_j (m - #{p < p_j}). */
static double
naive_adjusted(const double *p, uint32_t count, uint32_t i, FgCorrection correction)
{
	double		q = correction == FG_CORRECT_BH ? 1 : 0;

	for (uint32_t j = 0; j < count; j++)
	{
		if (correction == FG_CORRECT_BH && p[j] >= p[i])
			q = fmin(q, p[j] * count / rank_of(p, count, p[j], true));
		if (correction == FG_CORRECT_HOLM && p[j] <= p[i])
			q = fmax(q, p[j] * (count - rank_of(p, count, p[j], false)));
	}
	return fmin(q, 1);
}

static void
test_random(void)
{
	UnitRandom	random = {11};
	FgContext	ctx = fg_malloc_context();

	unit_case("random p-values with ties, in place");
	for (int round = 0; round < 200; round++)
	{
		double		p[40];
		double		q[40];
		uint32_t	count = 1 + unit_below(&random, 40);

		unit_note("[round %d]", round);
		for (uint32_t i = 0; i < count; i++)
			p[i] = unit_below(&random, 30) / 200.0;
		for (int correction = 0; correction <= FG_CORRECT_HOLM; correction++)
		{
			memcpy(q, p, sizeof(p));
			CHECK(fg_adjust(&ctx, q, count, (FgCorrection) correction, q));
			for (uint32_t i = 0; i < count; i++)
				CHECK_NEAR(q[i], naive_adjusted(p, count, i, (FgCorrection) correction), 1e-14);
		}
	}
}

static bool
adjust(FgContext *ctx, void *arg)
{
	double		q[3];

	return fg_adjust(ctx, arg, 3, FG_CORRECT_BH, q);
}

int
main(void)
{
	double		p[] = {0.1, 0.2, 0.01};

	test_by_hand();
	test_random();
	unit_sweep_memory("adjusted p-values", adjust, p);
	return unit_finish();
}
