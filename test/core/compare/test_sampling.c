/*
 * test_sampling.c
 *	  p-values of two counts against sums of exact fractions (Python), keys of all levels,
 *	  failures.
 */
#include "naive.h"

#include "core/compare/sampling.h"

#include <math.h>

typedef struct Two
{
	FgTree		before;
	FgTree		after;
} Two;

static void
test_p_values(void)
{
	static const double cases[][4] = {
		{0, 1, 1, 1}, {1, 0, 1, 1}, {0, 5, 1, 0.0625}, {0, 6, 1, 0.03125}, {5, 5, 1, 1},
		{100, 150, 1, 0.001883300935076157}, {100, 150, 1.5, 1}, {0, 3, 0.25, 0.016},
		{3, 0, 0.25, 1}, {40, 10, 0.5, 0.05688062707633914},
		{200, 260, 1.125, 0.13535588889923997}, {300, 250, 1, 0.036578745549102704},
		{0, 900, 1, 2.3661043723335494e-271}, {20, 21, 0.0009765625, 3.1455510905714985e-52},
		{7, 2, 1099511627776, 3.706241464387486e-83}, {0, 0, 2, 1}
	};

	unit_case("p of two counts");
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		unit_note("case %zu", i);
		CHECK_NEAR(fg_counts_p_value(cases[i][0], cases[i][1], cases[i][2]), cases[i][3], 1e-11);
		CHECK_NEAR(fg_counts_p_value(cases[i][1], cases[i][0], 1 / cases[i][2]), cases[i][3],
				   1e-11);
	}
	unit_case("many samples: the normal distribution goes on where the binomial ends");
	CHECK_NEAR(fg_counts_p_value(5000000, 5006001, 1), fg_counts_p_value(4997000, 5003001, 1),
			   1e-2);
	CHECK(fg_counts_p_value(1e300, 1e300, 1) == 1);
	CHECK(fg_counts_p_value(1e15, 2e15, 1) == 0);
}

/* The key of one frame, or of two. */
static const FgDifference *
row_of(const FgWelchComparison *c, const char *path, size_t length)
{
	uint32_t	node = fg_tree_find(&c->keys, path, length);

	for (uint32_t i = 0; i < c->count; i++)
		if (c->rows[i].node == node)
			return &c->rows[i];
	return NULL;
}

static void
check_level(FgContext *ctx, const Two *two, FgLevel level, uint32_t keys, double before,
			double after)
{
	FgWelchComparison c;
	const FgDifference *row;

	unit_case("level %s", fg_level_word(level));
	if (!CHECK(fg_compare_recordings(ctx, &two->before, &two->after, level, 2, 10, &c)))
		return;
	CHECK_COUNT(c.count, keys);
	row = row_of(&c, "a", 1);
	if (CHECK(row != NULL))
	{
		CHECK_DOUBLE(row->mean_before, before);
		CHECK_DOUBLE(row->mean_after, after / 2);
		CHECK_DOUBLE(row->delta, after / 2 - before);
		CHECK_NEAR(row->p, fg_counts_p_value(before / 10, after / 10, 2), 1e-15);
		CHECK(row->q >= row->p && row->q <= 1);
		CHECK(isnan(row->df) && isnan(row->error));
	}
	fg_comparison_free(ctx, &c);
	CHECK(fg_compare_recordings(ctx, &two->before, &two->after, level, 1, 0, &c));
	for (uint32_t i = 0; i < c.count; i++)
		CHECK(isnan(c.rows[i].p) && isnan(c.rows[i].q));
	fg_comparison_free(ctx, &c);
}

static void
test_units(const Two *two)
{
	FgContext	ctx = fg_malloc_context();
	FgWelchComparison c;

	unit_case("units that are none");
	CHECK_ERROR(fg_compare_recordings(&ctx, &two->before, &two->after, FG_LEVEL_NODE, 1, -1, &c),
				&ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(fg_compare_recordings(&ctx, &two->before, &two->after, FG_LEVEL_NODE, 1, NAN, &c),
				&ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_compare_recordings(&ctx, &two->before, &two->after, FG_LEVEL_NODE, 5e-324, 1,
									  &c), &ctx, FG_ERROR_RANGE);
}

/* A clock that is set back makes negative weights. */
static void
test_negative(FgContext *ctx)
{
	Two			two = {tree_of_text(ctx, "a -3\nb 4\nc 5"), tree_of_text(ctx, "a 1\nb -40000\nc 6")};
	FgWelchComparison c;

	unit_case("values below 0");
	if (CHECK(fg_compare_recordings(ctx, &two.before, &two.after, FG_LEVEL_STACK, 1, 1, &c)))
	{
		CHECK(isnan(row_of(&c, "a", 1)->p) && isnan(row_of(&c, "a", 1)->q));
		CHECK(isnan(row_of(&c, "b", 1)->p) && isnan(row_of(&c, "b", 1)->q));
		CHECK(row_of(&c, "c", 1)->q == row_of(&c, "c", 1)->p);
		fg_comparison_free(ctx, &c);
	}
	fg_tree_free(ctx, &two.before);
	fg_tree_free(ctx, &two.after);
}

static bool
run(FgContext *ctx, void *arg)
{
	const Two  *two = arg;
	FgWelchComparison c;

	if (!fg_compare_recordings(ctx, &two->before, &two->after, FG_LEVEL_NODE, 1, 1, &c))
		return false;
	fg_comparison_free(ctx, &c);
	return true;
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	Two			small = {tree_of_text(&ctx, "a;b 30\na 10\nc 20"), tree_of_text(&ctx, "a;d 300\ne;a 100\na 90\n 5")};
	Two			large = {naive_wide(&ctx, 300, 300, true), naive_wide(&ctx, 300, 300, false)};

	test_p_values();
	check_level(&ctx, &small, FG_LEVEL_STACK, 6, 10, 90);
	check_level(&ctx, &small, FG_LEVEL_NODE, 6, 40, 390);
	check_level(&ctx, &small, FG_LEVEL_FRAME, 5, 40, 490);
	check_level(&ctx, &small, FG_LEVEL_SELF, 4, 10, 190);
	test_units(&small);
	test_negative(&ctx);
	unit_sweep_memory("fg_compare_recordings", run, &small);
	unit_sweep_interrupts("fg_compare_recordings", run, &large, 5);
	fg_tree_free(&ctx, &small.before);
	fg_tree_free(&ctx, &small.after);
	fg_tree_free(&ctx, &large.before);
	fg_tree_free(&ctx, &large.after);
	return unit_finish();
}
