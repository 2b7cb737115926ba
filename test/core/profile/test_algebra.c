/*
 * test_algebra.c
 *	  The vector space of profiles: against the naive list, and its laws.
 */
#include "naive.h"

#include "core/profile/algebra.h"

#include <float.h>
#include <math.h>

static bool
same_tree(const FgTree *a, const FgTree *b)
{
	if (a->nnodes != b->nnodes || !fg_frames_equal(&a->frames, &b->frames))
		return false;
	for (uint32_t i = 0; i <= a->nnodes; i++)
	{
		if (a->key[i] != b->key[i] || a->self[i] != b->self[i])
			return false;
	}
	return true;
}

/* Has the value "text" stands for; frees it. */
static void
check_result(FgContext *ctx, FgTree *tree, const char *text)
{
	Naive		naive = naive_of_text(text);

	naive_matches(ctx, &naive, tree);
	naive_free(&naive);
	fg_tree_free(ctx, tree);
}

static void
check_failed(FgContext *ctx, bool ok, const FgTree *tree, FgErrorCode code)
{
	CHECK_ERROR(ok, ctx, code);
	CHECK(tree->key == NULL && tree->self == NULL && tree->frames.offset == NULL);
}

/* --- combinations of two given profiles ------------------------------------------ */

static void
test_combine(void)
{
	static const struct
	{
		const char *what;
		const char *a;
		double		x;
		const char *b;
		double		y;
		const char *result;
	}			rows[] = {
		{"golden algebra_add", "A;B 1\nA;C;D 5\nA;C 1\nA 2", 1, "A;B 2\nX;Y 1\nA -2", 1,
		"A;B 3\nA;C 1\nA;C;D 5\nX;Y 1"},
		{"golden algebra_sub", "A 4\nA;C 1\nA;C;D 3\nA;C;E 2", -1, "A 2\nA;B 1\nA;C 2\nA;C;D 5", 1,
		"A -2\nA;B 1\nA;C 1\nA;C;D 2\nA;C;E -2"},
		{"empty and empty", "", 1, "", 1, ""},
		{"empty and some", "", 1, "a;b 3", 1, "a;b 3"}, {"some and empty", "a;b 3", -1, "", 5, "a;b -3"},
		{"the empty stack", " 1\na 2", 1, " 3\nb 4", 2, " 7\na 2\nb 8"},
		{"the empty stack cancels", " 1\na 2", 1, " 1", -1, "a 2"},
		{"coefficients 0", "a 1\nb 2", 0, "b 5", 0, ""}, {"one coefficient 0", "a 1\nb 2", 0, "b 5", 1, "b 5"},
		{"disjoint, interleaved frames", "a;c 1\ne;g 2", 1, "b;d 4\nf;h 8", 1,
		"a;c 1\nb;d 4\ne;g 2\nf;h 8"},
		{"one dictionary within the other", "a;b;c;d 1", 1, "b;d 2", 1, "a;b;c;d 1\nb;d 2"},
		{"one tree within the other", "a 1\na;b 1\na;b;c 1", 1, "a;b 4", 1, "a 1\na;b 5\na;b;c 1"},
		{"a leaf becomes inner and back", "a;b 1\na;b;c 2", 1, "a;b;c 2", -1, "a;b 1"},
		{"a subtree cancels with its frames", "a;x;y 1\nb 1", 1, "a;x;y 1", -1, "b 1"},
		{"fractions", "a 1\nb 2", 0.5, "a 3\nc 1", 0.25, "a 1.25\nb 1\nc 0.25"},
		{"recursion", "f;f;f 1\nf 1", 1, "f;f 1\nf;f;f;f 1", 1, "f 1\nf;f 1\nf;f;f 1\nf;f;f;f 1"}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		a = tree_of_text(&ctx, rows[i].a);
		FgTree		b = tree_of_text(&ctx, rows[i].b);
		FgTree		result;

		unit_case("combination: %s", rows[i].what);
		if (CHECK(fg_combine(&ctx, &a, rows[i].x, &b, rows[i].y, &result)))
			check_result(&ctx, &result, rows[i].result);
		fg_tree_free(&ctx, &a);
		fg_tree_free(&ctx, &b);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_same_tree_twice(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		a = tree_of_text(&ctx, " 1\na;b 2\nc 3");
	FgTree		result;

	unit_case("a tree combined with itself");
	CHECK(fg_combine(&ctx, &a, 2, &a, -1, &result));
	check_result(&ctx, &result, " 1\na;b 2\nc 3");
	CHECK(fg_combine(&ctx, &a, 1, &a, -1, &result));
	check_result(&ctx, &result, "");
	fg_tree_free(&ctx, &a);
}

static void
test_scale(void)
{
	static const struct
	{
		const char *text;
		double		k;
		const char *result;
	}			rows[] = {
		/* golden algebra_scale, algebra_scale_zero */
		{"A;B 1\nA;C;D 5\nA;C 1\nA 2", -0.5, "A -1\nA;B -0.5\nA;C -0.5\nA;C;D -2.5"},
		{"A;B 1\nA;C;D 5\nA;C 1\nA 2", 0, ""}, {"a 1", -0.0, ""},
		{"a;b 3\nc 4", 1, "a;b 3\nc 4"}, {" 2\na 1", 3, " 6\na 3"}, {"", 5, ""}, {"", 0, ""},
		{"a 1e300", 1e8, "a 1e308"}, {"a 1e-300", 1e-20, "a 1e-320"}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		a = tree_of_text(&ctx, rows[i].text);
		FgTree		result;

		unit_case("scaling by %g, row %zu", rows[i].k, i);
		if (CHECK(fg_scale(&ctx, &a, rows[i].k, &result)))
			check_result(&ctx, &result, rows[i].result);
		fg_tree_free(&ctx, &a);
	}
}

static void
test_divide(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		a = tree_of_text(&ctx, " 6\na;b 1\nc -3");
	FgTree		result;

	unit_case("division rounds once");
	CHECK(fg_divide(&ctx, &a, 3, &result));
	CHECK_DOUBLE(result.self[0], 2);
	CHECK_DOUBLE(result.self[2], 1.0 / 3);
	CHECK_DOUBLE(result.self[3], -1);
	fg_tree_free(&ctx, &result);
	a.self[0] = 49;
	CHECK(fg_divide(&ctx, &a, 49, &result));
	CHECK_DOUBLE(result.self[0], 1);	/* 49 * (1.0 / 49) is less */
	fg_tree_free(&ctx, &result);
	a.self[0] = 6;
	CHECK(fg_divide(&ctx, &a, -0.5, &result));
	check_result(&ctx, &result, " -12\na;b -2\nc 6");
	unit_case("division by what cannot be divided by");
	check_failed(&ctx, fg_divide(&ctx, &a, 0, &result), &result, FG_ERROR_ARGUMENT);
	check_failed(&ctx, fg_divide(&ctx, &a, -0.0, &result), &result, FG_ERROR_ARGUMENT);
	check_failed(&ctx, fg_divide(&ctx, &a, NAN, &result), &result, FG_ERROR_ARGUMENT);
	check_failed(&ctx, fg_divide(&ctx, &a, INFINITY, &result), &result, FG_ERROR_ARGUMENT);
	fg_tree_free(&ctx, &a);
	unit_case("quotients out of range");
	a = tree_of_text(&ctx, "a 1e-300\nb 1");
	check_failed(&ctx, fg_divide(&ctx, &a, 1e100, &result), &result, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &a);
	a = tree_of_text(&ctx, "a 1e300\nb 1");
	check_failed(&ctx, fg_divide(&ctx, &a, 1e-100, &result), &result, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &a);
}

static void
test_round(void)
{
	static const struct
	{
		const char *text;
		int			digits;
		const char *result;
	}			rows[] = {
		{"a 1.4\nb -1.6\nc 0.4\nd;e -0.3", 0, "a 1\nb -2"},
		{"a 0.5\nb 1.5\nc 2.5\nd -2.5", 0, "b 2\nc 2\nd -2"},
		/* 1.005 is a little less than it says, 0.125 is exact */
		{"a 1.005\nb 0.125\nc 0.375\nd 2.675", 2, "a 1\nb 0.12\nc 0.38\nd 2.67"},
		{"a 15\nb 25\nc 26\nd -15\ne 4\nf 5", -1, "a 20\nb 20\nc 30\nd -20"},
		{"a 149.9\nb 150\nc 150.1\nd 250", -2, "a 100\nb 200\nc 200\nd 200"},
		{"a 1e15\nb 1.5e300", 300, "a 1e15\nb 1.5e300"},
		{"a 1e15\nb 1.5e300", -300, "b 2e300"},
		{"a 5e-324\nb 1e-310", 1000000, "a 5e-324\nb 1e-310"},
		{"a 5e-324\nb 1.24e-310", 311, "b 1.2e-310"},
		{"a 1.7e308\nb 4e307", -2147483647, ""}, {" 2.4\na;b 0.2", 0, " 2"}, {"", 3, ""}
	};
	FgContext	ctx = fg_malloc_context();
	FgTree		a;
	FgTree		result;

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		a = tree_of_text(&ctx, rows[i].text);
		unit_case("rounding to %d digits, row %zu", rows[i].digits, i);
		if (CHECK(fg_round(&ctx, &a, rows[i].digits, &result)))
			check_result(&ctx, &result, rows[i].result);
		fg_tree_free(&ctx, &a);
	}
	unit_case("rounding up beyond the largest number");
	a = tree_of_text(&ctx, "a 1.7e308");
	check_failed(&ctx, fg_round(&ctx, &a, -308, &result), &result, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &a);
}

/* What printf says of random numbers, small and large, and of whole ones divided by tens. */
static void
test_random_rounding(void)
{
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {99};

	unit_case("rounding as printf does");
	for (int round = 0; round < 3000; round++)
	{
		double		value = (double) unit_random(&random) / (double) (1 + unit_random(&random) % 100000);
		int			digits = (int) unit_below(&random, 25) - 6;
		char		text[400];
		FgTree		a = tree_of_text(&ctx, "a 1");
		FgTree		result;

		value = ldexp(value, -(int) unit_below(&random, 90));
		a.self[1] = round % 2 == 0 ? value : -value;
		snprintf(text, sizeof(text), "%.*f", digits < 0 ? 0 : digits, a.self[1]);
		if (digits < 0)			/* of a long double, which has more digits */
			snprintf(text, sizeof(text), "%.0Lf%0*d", a.self[1] / powl(10, -digits), -digits, 0);
		unit_note("[%.17g to %d]", a.self[1], digits);
		CHECK(fg_round(&ctx, &a, digits, &result));
		CHECK_DOUBLE(result.nnodes == 0 ? 0 : result.self[1], strtod(text, NULL) + 0.0);
		fg_tree_free(&ctx, &a);
		fg_tree_free(&ctx, &result);
	}
	unit_note("%s", "");
}

static void
test_range(void)
{
	static const struct
	{
		const char *a;
		double		x;
		const char *b;
		double		y;
	}			rows[] = {
		/* golden algebra_scale_overflow, algebra_scale_underflow */
		{"a 1e300\nb 1", 1e10, "", 1}, {"a 1e-300\nb 1", 1e-200, "", 1},
		{"a 1.5e308", 1, "a 1.5e308", 1}, {"a -1.5e308", 1, "a 1.5e308", -1},
		{" 1.5e308", 1, " 1.5e308", 1}, {"a 1e308", 10, "a 1e308", -10},
		/* a product that vanishes, also where the sum would not */
		{"a 5e-324", 0.5, "a 1", 1}, {"a 1", 1, "a 5e-324\nb 1", 0.25},
		{" 5e-324", -0.1, "", 1}, {"", 1, " 5e-324", 0.1},
		{"a 1", (double) NAN, "", 1}, {"a 1", 1, "", (double) NAN},
		{"a 1", (double) INFINITY, "", 1}, {"", 1, "a 1", (double) -INFINITY},
		{"", (double) NAN, "", 1}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		a = tree_of_text(&ctx, rows[i].a);
		FgTree		b = tree_of_text(&ctx, rows[i].b);
		FgTree		result;

		unit_case("out of range %zu: %s times %g", i, rows[i].a, rows[i].x);
		check_failed(&ctx, fg_combine(&ctx, &a, rows[i].x, &b, rows[i].y, &result), &result,
					 FG_ERROR_RANGE);
		if (b.nnodes == 0 && b.self[0] == 0 && rows[i].y == 1)
			check_failed(&ctx, fg_scale(&ctx, &a, rows[i].x, &result), &result, FG_ERROR_RANGE);
		fg_tree_free(&ctx, &a);
		fg_tree_free(&ctx, &b);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_parts(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		delta = tree_of_text(&ctx, " -1\nA -2\nA;B 1\nA;C 1\nA;C;D 2\nA;C;E -2\nB 0.5");
	FgTree		part;

	/* golden algebra_figure3_4, with an empty stack and a fraction added */
	unit_case("the positive part");
	CHECK(fg_part(&ctx, &delta, FG_PART_POSITIVE, &part));
	check_result(&ctx, &part, "A;B 1\nA;C 1\nA;C;D 2\nB 0.5");
	unit_case("the negative part");
	CHECK(fg_part(&ctx, &delta, FG_PART_NEGATIVE, &part));
	check_result(&ctx, &part, " 1\nA 2\nA;C;E 2");
	unit_case("absolute values");
	CHECK(fg_part(&ctx, &delta, FG_PART_ABSOLUTE, &part));
	check_result(&ctx, &part, " 1\nA 2\nA;B 1\nA;C 1\nA;C;D 2\nA;C;E 2\nB 0.5");
	fg_tree_free(&ctx, &delta);
	unit_case("parts of nothing");
	CHECK(fg_tree_empty(&ctx, &delta));
	CHECK(fg_part(&ctx, &delta, FG_PART_NEGATIVE, &part));
	check_result(&ctx, &part, "");
	fg_tree_free(&ctx, &delta);
}

/* --- norms --------------------------------------------------------------------------- */

static void
test_norms(void)
{
	static const struct
	{
		const char *text;
		double		l1;			/* -1: out of range */
		double		l2;
		double		max;
	}			rows[] = {
		/* golden algebra_norms, _norms_empty, _norms_huge, _norms_overflow */
		{"a -3\nb 4\nc;d 0.5", 7.5, 5.024937810560445, 4}, {"", 0, 0, 0},
		{"a 1e300\nb -1e300\nc 1e300", 3e300, 1.7320508075688774e300, 1e300},
		{"a 1.5e308\nb -1.5e308", -1, -1, 1.5e308},
		{" -2", 2, 2, 2}, {"a 5e-324", 5e-324, 5e-324, 5e-324}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		a = tree_of_text(&ctx, rows[i].text);
		FgTree		none = tree_of_text(&ctx, "");
		const double orders[] = {1, 2, INFINITY};
		const double norms[] = {rows[i].l1, rows[i].l2, rows[i].max};

		unit_case("norms of profile %zu", i);
		for (size_t p = 0; p < 3; p++)
		{
			double		norm = -1;
			double		distance = -1;
			bool		ok = fg_norm(&ctx, &a, orders[p], &norm);
			bool		far = fg_distance(&ctx, &none, &a, orders[p], &distance);

			if (norms[p] < 0)
			{
				CHECK_ERROR(ok, &ctx, FG_ERROR_RANGE);
				CHECK_ERROR(far, &ctx, FG_ERROR_RANGE);
				continue;
			}
			CHECK(ok && far);
			CHECK_NEAR(norm, norms[p], 1e-15);
			CHECK_NEAR(distance, norms[p], 1e-15);
		}
		fg_tree_free(&ctx, &a);
		fg_tree_free(&ctx, &none);
	}
}

static void
test_refused_norms(void)
{
	const double orders[] = {0, 0.5, 3, -1, -INFINITY, NAN, 1.5};
	FgContext	ctx = fg_malloc_context();
	FgTree		a = tree_of_text(&ctx, "a 1");
	FgTree		b = tree_of_text(&ctx, "a -1.5e308");
	double		norm;

	unit_case("norms that do not exist here");
	for (size_t p = 0; p < COUNT(orders); p++)
	{
		CHECK_ERROR(fg_norm(&ctx, &a, orders[p], &norm), &ctx, FG_ERROR_ARGUMENT);
		CHECK(ctx.error.hint != NULL);
		CHECK_ERROR(fg_distance(&ctx, &a, &a, orders[p], &norm), &ctx, FG_ERROR_ARGUMENT);
	}
	fg_tree_free(&ctx, &a);
	unit_case("a distance that overflows");
	a = tree_of_text(&ctx, "a 1.5e308");
	CHECK_ERROR(fg_distance(&ctx, &a, &b, INFINITY, &norm), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_distance(&ctx, &a, &b, 1, &norm), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &a);
	fg_tree_free(&ctx, &b);
}

static void
test_similarity(void)
{
	static const struct
	{
		const char *a;
		const char *b;
		double		distance;	/* -1: not asked for */
		double		similarity;
	}			rows[] = {
		/* golden similarity_* */
		{"", "# nothing", 0, 1}, {"a 1", "b 7", 8, 0}, {"a 1\nb 3", "a 3\nc 1", 6, 0.25},
		{"a 1e308\nb 1e308", "a 1e308\nc 1e308", -1, 0.5}, {"a;b 2", "", 2, 0},
		{"a 1\nb;c 2", "a 1\nb;c 2", 0, 1}, {" 1", " 3", 2, 0.5}, {"a 1", "a -1", 2, 0},
		{"a 1.5e308", "a -1.5e308", -1, 0}, {"a 1.7e308\nb 1.7e308", "a 1.7e308\nb 1.7e308", 0, 1},
		{"a 5e-324", "a 5e-324", 0, 1}, {"a 5e-324", "b 5e-324", 1e-323, 0},
		{"a 1e308", "b 1", -1, 0}, {"a 3", "a 1", 2, 0.5}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		a = tree_of_text(&ctx, rows[i].a);
		FgTree		b = tree_of_text(&ctx, rows[i].b);
		double		distance = -1;
		double		similarity = -1;

		unit_case("similarity %zu", i);
		CHECK(rows[i].distance < 0 || fg_distance(&ctx, &a, &b, 1, &distance));
		CHECK_DOUBLE(distance, rows[i].distance);
		CHECK(fg_similarity(&ctx, &a, &b, &similarity));
		CHECK_NEAR(similarity, rows[i].similarity, 1e-15);
		CHECK(fg_similarity(&ctx, &b, &a, &similarity));
		CHECK_NEAR(similarity, rows[i].similarity, 1e-15);
		fg_tree_free(&ctx, &a);
		fg_tree_free(&ctx, &b);
	}
}

/* --- random profiles: against the naive list ------------------------------------------- */

typedef struct Three
{
	Naive		naive[3];
	FgTree		tree[3];
} Three;

/* Of different size; sometimes of the same stacks, sometimes of none in common. */
static Three
random_three(FgContext *ctx, UnitRandom *random, int values)
{
	Three		three;

	for (int i = 0; i < 3; i++)
	{
		NaiveShape	shape = {unit_below(random, 2) ? unit_below(random, 80) : unit_below(random, 6),
		1 + unit_below(random, 8), 1 + unit_below(random, 40), values};

		three.naive[i] = naive_random(random, shape);
		if (i > 0 && unit_below(random, 4) == 0)
		{
			Naive		mixed = naive_combination(&three.naive[i], unit_below(random, 2),
												  &three.naive[i - 1], 2);

			naive_free(&three.naive[i]);
			three.naive[i] = mixed;
		}
		three.tree[i] = naive_tree(ctx, &three.naive[i]);
	}
	return three;
}

static void
free_three(FgContext *ctx, Three *three)
{
	for (int i = 0; i < 3; i++)
	{
		naive_free(&three->naive[i]);
		fg_tree_free(ctx, &three->tree[i]);
	}
}

static void
test_random_combinations(void)
{
	UnitRandom	random = {900};

	unit_case("x*a + y*b of random profiles is that of the naive lists");
	for (int round = 0; round < 1500; round++)
	{
		static const double coefficients[] = {1, -1, 2, -3, 0.5, 0, 1000003, -0.25, 1.0 / 3};
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Three		t = random_three(&ctx, &random, round % 2 ? NAIVE_SIGNED : NAIVE_DOUBLES);
		double		x = coefficients[unit_below(&random, COUNT(coefficients))];
		double		y = coefficients[unit_below(&random, COUNT(coefficients))];
		Naive		expected = naive_combination(&t.naive[0], x, &t.naive[1], y);
		FgTree		result;

		unit_note("[round %d]", round);
		if (CHECK(fg_combine(&ctx, &t.tree[0], x, &t.tree[1], y, &result)))
		{
			naive_matches(&ctx, &expected, &result);
			fg_tree_free(&ctx, &result);
		}
		naive_free(&expected);
		free_three(&ctx, &t);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static FgTree
sum_of(FgContext *ctx, const FgTree *a, double x, const FgTree *b, double y)
{
	FgTree		result;

	CHECK(fg_combine(ctx, a, x, b, y, &result));
	return result;
}

static FgTree
product_of(FgContext *ctx, const FgTree *a, double k)
{
	FgTree		result;

	CHECK(fg_scale(ctx, a, k, &result));
	return result;
}

/* Both are freed. */
static void
check_equal(FgContext *ctx, FgTree left, FgTree right)
{
	CHECK(same_tree(&left, &right));
	fg_tree_free(ctx, &left);
	fg_tree_free(ctx, &right);
}

/* Adds and frees both. */
static FgTree
add_away(FgContext *ctx, FgTree a, FgTree b)
{
	FgTree		result = sum_of(ctx, &a, 1, &b, 1);

	fg_tree_free(ctx, &a);
	fg_tree_free(ctx, &b);
	return result;
}

static FgTree
scale_away(FgContext *ctx, FgTree a, double k)
{
	FgTree		result = product_of(ctx, &a, k);

	fg_tree_free(ctx, &a);
	return result;
}

static FgTree
copy_of(FgContext *ctx, const FgTree *a)
{
	FgTree		copy;

	CHECK(fg_tree_copy(ctx, a, &copy));
	return copy;
}

static void
check_laws(FgContext *ctx, const FgTree *a, const FgTree *b, const FgTree *c, double k, double l)
{
	FgTree		zero;

	CHECK(fg_tree_empty(ctx, &zero));
	/* (a + b) + c = a + (b + c), a + b = b + a, a + 0 = a, a - a = 0 */
	check_equal(ctx, add_away(ctx, sum_of(ctx, a, 1, b, 1), copy_of(ctx, c)),
				add_away(ctx, copy_of(ctx, a), sum_of(ctx, b, 1, c, 1)));
	check_equal(ctx, sum_of(ctx, a, 1, b, 1), sum_of(ctx, b, 1, a, 1));
	check_equal(ctx, sum_of(ctx, a, 1, &zero, 1), copy_of(ctx, a));
	check_equal(ctx, sum_of(ctx, a, 1, a, -1), copy_of(ctx, &zero));
	/* k(a + b) = ka + kb, (k + l)a = ka + la, k(la) = (kl)a, 1a = a, 0a = 0 */
	check_equal(ctx, scale_away(ctx, sum_of(ctx, a, 1, b, 1), k), sum_of(ctx, a, k, b, k));
	check_equal(ctx, product_of(ctx, a, k + l), sum_of(ctx, a, k, a, l));
	check_equal(ctx, scale_away(ctx, product_of(ctx, a, l), k), product_of(ctx, a, k * l));
	check_equal(ctx, product_of(ctx, a, 1), copy_of(ctx, a));
	check_equal(ctx, product_of(ctx, a, 0), copy_of(ctx, &zero));
	/* a - b = a + (-1)b, (a - b) + b = a */
	check_equal(ctx, sum_of(ctx, a, 1, b, -1),
				add_away(ctx, copy_of(ctx, a), product_of(ctx, b, -1)));
	check_equal(ctx, add_away(ctx, sum_of(ctx, a, 1, b, -1), copy_of(ctx, b)), copy_of(ctx, a));
	fg_tree_free(ctx, &zero);
}

static void
check_part_laws(FgContext *ctx, const FgTree *a)
{
	FgTree		positive;
	FgTree		negative;
	FgTree		absolute;

	CHECK(fg_part(ctx, a, FG_PART_POSITIVE, &positive));
	CHECK(fg_part(ctx, a, FG_PART_NEGATIVE, &negative));
	CHECK(fg_part(ctx, a, FG_PART_ABSOLUTE, &absolute));
	CHECK(fg_tree_check(ctx, &positive));
	CHECK(fg_tree_check(ctx, &negative));
	CHECK(fg_tree_check(ctx, &absolute));
	for (uint32_t i = 0; i <= positive.nnodes; i++)
		CHECK(positive.self[i] >= 0);
	for (uint32_t i = 0; i <= negative.nnodes; i++)
		CHECK(negative.self[i] >= 0);
	check_equal(ctx, sum_of(ctx, &positive, 1, &negative, -1), copy_of(ctx, a));
	check_equal(ctx, sum_of(ctx, &positive, 1, &negative, 1), copy_of(ctx, &absolute));
	fg_tree_free(ctx, &positive);
	fg_tree_free(ctx, &negative);
	fg_tree_free(ctx, &absolute);
}

static void
test_laws(void)
{
	UnitRandom	random = {901};

	unit_case("the laws of a vector space, exactly, on whole values");
	for (int round = 0; round < 400; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Three		t = random_three(&ctx, &random, round % 3 ? NAIVE_SIGNED : NAIVE_COUNTS);
		double		k = (double) unit_below(&random, 11) - 5;
		double		l = (double) unit_below(&random, 11) - 5;

		unit_note("[round %d]", round);
		check_laws(&ctx, &t.tree[0], &t.tree[1], &t.tree[2], k, l);
		check_part_laws(&ctx, &t.tree[0]);
		if (k != 0)
		{
			FgTree		product = product_of(&ctx, &t.tree[0], k);
			FgTree		quotient;

			CHECK(fg_divide(&ctx, &product, k, &quotient));
			check_equal(&ctx, quotient, copy_of(&ctx, &t.tree[0]));
			fg_tree_free(&ctx, &product);
		}
		free_three(&ctx, &t);
		CHECK_COUNT(memory.blocks, 0);
	}
	unit_case("parts of doubles are exact too");
	for (int round = 0; round < 200; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Three		t = random_three(&ctx, &random, NAIVE_DOUBLES);

		unit_note("[round %d]", round);
		check_part_laws(&ctx, &t.tree[0]);
		free_three(&ctx, &t);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static double
naive_norm(const Naive *naive, double p)
{
	long double sum = 0;
	double		largest = 0;

	for (size_t i = 0; i < naive->count; i++)
	{
		double		value = fabs(naive->entries[i].value);

		sum += p == 1 ? value : (long double) value * value;
		largest = value > largest ? value : largest;
	}
	if (isinf(p))
		return largest;
	return (double) (p == 1 ? sum : sqrtl(sum));
}

static void
check_norm_laws(FgContext *ctx, const Three *t, double p, bool whole)
{
	const FgTree *a = &t->tree[0];
	const FgTree *b = &t->tree[1];
	const FgTree *c = &t->tree[2];
	Naive		delta = naive_combination(&t->naive[0], 1, &t->naive[1], -1);
	FgTree		difference = sum_of(ctx, a, 1, b, -1);
	FgTree		scaled = product_of(ctx, a, -4);
	double		ab = NAN;
	double		ba = NAN;
	double		bc = NAN;
	double		ac = NAN;
	double		norm = NAN;
	double		norm_a = NAN;

	CHECK(fg_distance(ctx, a, b, p, &ab));
	CHECK(fg_distance(ctx, b, a, p, &ba));
	CHECK(fg_distance(ctx, b, c, p, &bc));
	CHECK(fg_distance(ctx, a, c, p, &ac));
	CHECK(fg_norm(ctx, a, p, &norm_a));
	CHECK(fg_norm(ctx, &scaled, p, &norm));
	CHECK_NEAR(norm, 4 * norm_a, 1e-15);
	CHECK_NEAR(norm_a, naive_norm(&t->naive[0], p), 1e-14);
	CHECK(fg_norm(ctx, &difference, p, &norm));
	CHECK_DOUBLE(ab, ba);
	CHECK_NEAR(ab, norm, 1e-15);
	CHECK_NEAR(ab, naive_norm(&delta, p), 1e-14);
	CHECK(ac <= (ab + bc) * (1 + 1e-14));
	CHECK((ab == 0) == (difference.nnodes == 0 && difference.self[0] == 0));
	if (whole && p != 2)
	{
		CHECK_DOUBLE(ab, naive_norm(&delta, p));
		CHECK(ac <= ab + bc);
	}
	fg_tree_free(ctx, &difference);
	fg_tree_free(ctx, &scaled);
	naive_free(&delta);
}

static void
check_similarity_laws(FgContext *ctx, const Three *t, bool positive)
{
	Naive		delta = naive_combination(&t->naive[0], 1, &t->naive[1], -1);
	double		size = naive_norm(&t->naive[0], 1) + naive_norm(&t->naive[1], 1);
	double		similarity;
	double		reverse;

	CHECK(fg_similarity(ctx, &t->tree[0], &t->tree[1], &similarity));
	CHECK(fg_similarity(ctx, &t->tree[1], &t->tree[0], &reverse));
	CHECK_DOUBLE(similarity, reverse);
	CHECK(similarity >= 0 && similarity <= 1);
	CHECK(unit_near(similarity, size == 0 ? 1 : 1 - naive_norm(&delta, 1) / size, 1e-13) ||
		  fabs(similarity - (1 - naive_norm(&delta, 1) / size)) < 1e-14);
	CHECK(!positive || size == 0 || (similarity == 1) == (delta.count == 0));
	CHECK(fg_similarity(ctx, &t->tree[2], &t->tree[2], &similarity));
	CHECK_DOUBLE(similarity, 1);
	naive_free(&delta);
}

static void
test_norm_laws(void)
{
	static const int kinds[] = {NAIVE_COUNTS, NAIVE_SIGNED, NAIVE_DOUBLES};
	UnitRandom	random = {902};

	for (size_t kind = 0; kind < COUNT(kinds); kind++)
	{
		unit_case("laws of norms, distance and similarity, kind of values %zu", kind);
		for (int round = 0; round < 250; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Three		t = random_three(&ctx, &random, kinds[kind]);
			bool		whole = kinds[kind] != NAIVE_DOUBLES;

			unit_note("[round %d]", round);
			check_norm_laws(&ctx, &t, 1, whole);
			check_norm_laws(&ctx, &t, 2, whole);
			check_norm_laws(&ctx, &t, INFINITY, whole);
			check_similarity_laws(&ctx, &t, kinds[kind] == NAIVE_COUNTS);
			free_three(&ctx, &t);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* --- memory and interrupts ------------------------------------------------------------------ */

typedef struct Two
{
	const FgTree *a;
	const FgTree *b;
} Two;

static bool
keep(FgContext *ctx, bool ok, FgTree *result)
{
	if (ok)
		fg_tree_free(ctx, result);
	else
		CHECK(result->key == NULL && result->self == NULL && result->frames.offset == NULL);
	return ok;
}

static bool
calculate(FgContext *ctx, void *arg)
{
	const Two  *two = arg;
	FgTree		result;
	double		number;

	return keep(ctx, fg_combine(ctx, two->a, 1, two->b, -1, &result), &result) &&
		keep(ctx, fg_combine(ctx, two->a, 1, two->a, -1, &result), &result) &&
		keep(ctx, fg_scale(ctx, two->a, 0, &result), &result) &&
		keep(ctx, fg_scale(ctx, two->b, 3, &result), &result) &&
		keep(ctx, fg_divide(ctx, two->a, 3, &result), &result) &&
		keep(ctx, fg_round(ctx, two->a, 1, &result), &result) &&
		keep(ctx, fg_part(ctx, two->a, FG_PART_NEGATIVE, &result), &result) &&
		fg_distance(ctx, two->a, two->b, 1, &number) &&
		fg_similarity(ctx, two->a, two->b, &number);
}

static FgTree
wide_tree(FgContext *ctx, const char *name)
{
	Naive		naive = {0};
	FgTree		tree;

	for (uint32_t i = 0; i < 150000; i++)
	{
		char		path[40];
		int			length = snprintf(path, sizeof(path), "%s%03u%c%03u", name, i / 400, 0, i % 400);

		naive_add(&naive, path, (size_t) length, i % 3 ? 2 : -1);
	}
	tree = naive_tree(ctx, &naive);
	naive_free(&naive);
	return tree;
}

static void
test_memory(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		a = tree_of_text(&ctx, "a;b 1\na;c -2\nd 3\nx;y;z 4");
	FgTree		b = tree_of_text(&ctx, "a;b 1\na;e 5\nd 3\nx;y;z 4\nx;y 1");
	Two			two = {&a, &b};

	unit_sweep_memory("algebra", calculate, &two);
	two.b = &a;					/* one dictionary */
	unit_sweep_memory("algebra of a tree with itself", calculate, &two);
	fg_tree_free(&ctx, &a);
	fg_tree_free(&ctx, &b);
	a = wide_tree(&ctx, "m");
	b = wide_tree(&ctx, "n");
	two = (Two) {&a, &b};
	unit_sweep_interrupts("algebra", calculate, &two, 10);
	fg_tree_free(&ctx, &a);
	fg_tree_free(&ctx, &b);
}

int
main(void)
{
	test_combine();
	test_same_tree_twice();
	test_scale();
	test_divide();
	test_round();
	test_random_rounding();
	test_range();
	test_parts();
	test_norms();
	test_refused_norms();
	test_similarity();
	test_random_combinations();
	test_laws();
	test_norm_laws();
	test_memory();
	return unit_finish();
}
