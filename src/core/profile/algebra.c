/*
 * algebra.c
 *	  Linear algebra on profiles (see algebra.h).
 */
#include "core/profile/algebra.h"

#include "core/base/bytes.h"
#include "core/base/sums.h"
#include "core/profile/tree_pair.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- linear combinations ------------------------------------------------ */

static inline double
value_or_zero(double value, bool take)
{
	return fg_bits_double(fg_double_bits(value) & -(uint64_t) take);
}

/* As many nodes at once as are compared, when both trees have the same ones. */
#define RUN 8

static inline bool
same_run(const uint64_t *a, const uint64_t *b)
{
	uint64_t	differ = 0;

	for (int k = 0; k < RUN; k++)
		differ |= a[k] ^ b[k];
	return differ == 0;
}

/* A run that both trees have. */
static inline void
merge_run(const uint64_t *restrict from, const double *restrict self_a,
		  const double *restrict self_b, double x, double y, uint64_t *restrict key,
		  double *restrict self)
{
	for (int k = 0; k < RUN; k++)
	{
		key[k] = from[k];
		self[k] = x * self_a[k] + y * self_b[k];
	}
}

/* The nodes of the tree that goes on alone become nodes n, n + 1, ... of the result. */
static bool
append_scaled(FgContext *ctx, const uint64_t *key, const double *self, uint32_t count, double k,
			  FgTree *result, uint32_t n)
{
	for (uint32_t i = 0; i < count; i++)
	{
		result->key[n + i] = key[i];
		result->self[n + i] = k * self[i];
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/*
 * x*a + y*b node by node.  This is the walk of tree_pair.h once more, because sums and
 * differences spend their time here: of two recordings of 60,000 nodes each, fg_max by
 * the general walk takes a sixth longer than their sum.  Profiles that are worth adding
 * share most of their nodes, so runs that both have are taken as a whole.  Between
 * these, which stream has the next node is as good as random, so comparisons become
 * masks, not branches; a block is as long as neither stream can end in it.
 */
static bool
merge_nodes(FgContext *ctx, const FgTreePair *both, double x, double y, FgTree *result)
{
	const uint32_t na = both->a->nnodes;
	const uint32_t nb = both->b->nnodes;
	const uint64_t *restrict key_a = both->key_a;
	const uint64_t *restrict key_b = both->key_b;
	const double *restrict self_a = both->a->self;
	const double *restrict self_b = both->b->self;
	uint64_t   *restrict key = result->key;
	double	   *restrict self = result->self;
	uint32_t	i = 1;
	uint32_t	j = 1;
	uint32_t	n = 1;

	self[0] = x * self_a[0] + y * self_b[0];
	while (i <= na && j <= nb)
	{
		uint32_t	steps = na - i < nb - j ? na - i + 1 : nb - j + 1;

		if (steps > FG_CHECK_NODES)
			steps = FG_CHECK_NODES;
		for (uint32_t end = n + steps; n < end;)
		{
			uint32_t	some = end - n < RUN ? end - n : RUN;

			for (; end - n >= RUN && same_run(key_a + i, key_b + j); n += RUN, i += RUN, j += RUN)
				merge_run(key_a + i, self_a + i, self_b + j, x, y, key + n, self + n);
			if (end - n < some)
				some = end - n;
			for (; some > 0; some--, n++)
			{
				uint64_t	a = key_a[i];
				uint64_t	b = key_b[j];
				bool		take_a = a <= b;
				bool		take_b = b <= a;

				key[n] = take_a ? a : b;
				self[n] = x * value_or_zero(self_a[i], take_a) + y * value_or_zero(self_b[j], take_b);
				i += take_a;
				j += take_b;
			}
		}
		if (!fg_check(ctx))
			return false;
	}
	result->nnodes = n + (na + 1 - i) + (nb + 1 - j) - 1;
	return append_scaled(ctx, key_a + i, self_a + i, na + 1 - i, x, result, n) &&
		append_scaled(ctx, key_b + j, self_b + j, nb + 1 - j, y, result, n + (na + 1 - i));
}

/* What a result needs: are all its values finite, and do all leaves have one? */
typedef struct Survey
{
	bool		finite;
	bool		empty_leaf;		/* only these make a tree non-canonical after a merge */
} Survey;

static void
survey_block(const FgTree *tree, size_t start, size_t end, Survey *survey)
{
	double		check = 0;
	bool		empty = false;

	for (size_t i = start; i < end; i++)
		check += tree->self[i] * 0;
	for (size_t i = start < 1 ? 1 : start; i < end && i < tree->nnodes; i++)
		empty |= (tree->self[i] == 0) & (tree->key[i + 1] >> 32 >= tree->key[i] >> 32);
	survey->finite &= check == 0;
	survey->empty_leaf |= empty;
}

static bool
survey_tree(FgContext *ctx, const FgTree *tree, Survey *survey)
{
	size_t		count = (size_t) tree->nnodes + 1;

	survey->finite = true;
	survey->empty_leaf = tree->nnodes > 0 && tree->self[tree->nnodes] == 0;
	for (size_t start = 0, end = 0; start < count; start = end)
	{
		if (!fg_next_block(ctx, start, count, &end))
			return false;
		survey_block(tree, start, end, survey);
	}
	return true;
}

bool
fg_settle(FgContext *ctx, FgTree *tree, uint32_t capacity)
{
	Survey		survey;
	size_t		nodes;
	uint64_t   *key;
	double	   *self;

	if (!survey_tree(ctx, tree, &survey))
		return false;
	if (!survey.finite)
		return fg_fail(ctx, FG_ERROR_RANGE, "a value of the result is out of range");
	if (survey.empty_leaf && !fg_tree_prune_zeros(ctx, tree))
		return false;
	if (tree->nnodes >= capacity / 4 * 3)
		return true;
	nodes = (size_t) tree->nnodes + 1;
	key = fg_resize(ctx, tree->key, (size_t) capacity + 1, nodes, sizeof(uint64_t));
	if (key != NULL)
		tree->key = key;
	self = fg_resize(ctx, tree->self, (size_t) capacity + 1, nodes, sizeof(double));
	if (self != NULL)
		tree->self = self;
	return key != NULL && self != NULL;
}

/* A product or quotient that vanishes would drop a stack without a word. */
static bool
too_small(FgContext *ctx)
{
	return fg_fail(ctx, FG_ERROR_RANGE, "a value of the result is too small");
}

static bool
check_products(FgContext *ctx, const FgTree *tree, double k)
{
	bool		vanished = false;

	if (!isfinite(k))
		return fg_fail(ctx, FG_ERROR_RANGE, "a factor must be finite");
	if (k == 0 || fabs(k) >= 1)
		return true;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		vanished |= (tree->self[i] != 0) & (tree->self[i] * k == 0);
		if (!fg_check_every(ctx, i))
			return false;
	}
	return !vanished || too_small(ctx);
}

/* What is done with two values: x*a + y*b, or a function when there is one. */
typedef double (*PairFunction) (double a, double b);

typedef struct Merge
{
	double		x;
	double		y;
	PairFunction function;
} Merge;

static bool map_pairs(FgContext *ctx, const FgTreePair *both, PairFunction function,
					  FgTree *result);

static bool
merge_trees(FgContext *ctx, const FgTree *a, const FgTree *b, const Merge *merge, FgTree *result)
{
	uint64_t	capacity = (uint64_t) a->nnodes + b->nnodes;
	FgTreePair	both;
	bool		ok;

	memset(result, 0, sizeof(*result));
	if (!fg_tree_pair_begin(ctx, a, b, &both))
		return false;
	/* two trees of at most 2^27 - 1 nodes each may still have a small union */
	ok = fg_tree_alloc_unlimited(ctx, result, capacity) &&
		(merge->function != NULL ? map_pairs(ctx, &both, merge->function, result)
		 : merge_nodes(ctx, &both, merge->x, merge->y, result));
	ok = ok && fg_tree_pair_take_frames(ctx, &both, &result->frames) &&
		fg_settle(ctx, result, (uint32_t) capacity);
	if (ok && result->nnodes > FG_MAX_NODES)
		ok = fg_fail(ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
	fg_tree_pair_end(ctx, &both);
	if (!ok)
		fg_tree_free(ctx, result);
	return ok;
}

bool
fg_combine(FgContext *ctx, const FgTree *a, double x, const FgTree *b, double y, FgTree *result)
{
	Merge		merge = {x, y, NULL};

	memset(result, 0, sizeof(*result));
	return check_products(ctx, a, x) && check_products(ctx, b, y) &&
		merge_trees(ctx, a, b, &merge, result);
}

/* --- maps of the values alone ------------------------------------------- */

typedef double (*ValueFunction) (double value, double parameter);

/* function(v, k) of every value, which must give 0 for 0. */
static bool
map_values(FgContext *ctx, const FgTree *a, ValueFunction function, double k, FgTree *result)
{
	if (!fg_tree_copy(ctx, a, result))
		return false;
	for (size_t i = 0; i <= result->nnodes; i++)
	{
		result->self[i] = function(result->self[i], k);
		if (fg_check_every(ctx, i))
			continue;
		fg_tree_free(ctx, result);
		return false;
	}
	if (fg_settle(ctx, result, result->nnodes))
		return true;
	fg_tree_free(ctx, result);
	return false;
}

static double
product(double value, double k)
{
	return value * k;
}

static double
quotient(double value, double k)
{
	return value / k;
}

static double
positive(double value, double unused)
{
	(void) unused;
	return value > 0 ? value : 0;
}

static double
negative(double value, double unused)
{
	(void) unused;
	return value < 0 ? -value : 0;
}

static double
absolute(double value, double unused)
{
	(void) unused;
	return fabs(value);
}

/*
 * From so many places on every double is what it was: the last digit of the smallest one
 * that has seventeen stands at place 325, and the sum of both bounds the text below.
 */
#define MAX_PLACES 342

static double
rounded_to_places(double value, double places)
{
	char		text[1 + DBL_MAX_10_EXP + 2 + MAX_PLACES + 1];

	if (places == 0)
		return rint(value) + 0.0;	/* not -0 */
	if (fabs(value) >= 0x1p52 || value == rint(value))
		return value;
	snprintf(text, sizeof(text), "%.*f", (int) places, value);
	return strtod(text, NULL) + 0.0;
}

/* fmod is exact, so the nearest multiple is found without rounding on the way. */
static double
rounded_to_multiple(double value, double unit)
{
	double		rest = fmod(fabs(value), unit);
	double		below = fabs(value) - rest;
	bool		up = rest > unit - rest || (rest == unit - rest && fmod(below / unit, 2) != 0);

	return copysign(up ? below + unit : below, value) + 0.0;
}

bool
fg_round(FgContext *ctx, const FgTree *a, int digits, FgTree *result)
{
	memset(result, 0, sizeof(*result));
	if (digits < -DBL_MAX_10_EXP)
		return fg_scale(ctx, a, 0, result);
	if (digits < 0)
		return map_values(ctx, a, rounded_to_multiple, pow(10, -digits), result);
	return map_values(ctx, a, rounded_to_places, digits < MAX_PLACES ? digits : MAX_PLACES, result);
}

bool
fg_scale(FgContext *ctx, const FgTree *a, double k, FgTree *result)
{
	memset(result, 0, sizeof(*result));
	return check_products(ctx, a, k) && map_values(ctx, a, product, k, result);
}

static bool
check_quotients(FgContext *ctx, const FgTree *tree, double k)
{
	bool		vanished = false;

	if (k == 0 || !isfinite(k))
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "a divisor is zero or not finite");
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		vanished |= (tree->self[i] != 0) & (tree->self[i] / k == 0);
		if (!fg_check_every(ctx, i))
			return false;
	}
	return !vanished || too_small(ctx);
}

bool
fg_divide(FgContext *ctx, const FgTree *a, double k, FgTree *result)
{
	memset(result, 0, sizeof(*result));
	return check_quotients(ctx, a, k) && map_values(ctx, a, quotient, k, result);
}

bool
fg_part(FgContext *ctx, const FgTree *a, FgSignPart part, FgTree *result)
{
	static const ValueFunction functions[] = {positive, negative, absolute};

	memset(result, 0, sizeof(*result));
	return map_values(ctx, a, functions[part], 0, result);
}

/* --- any function of two values --------------------------------------------- */

/* function(a, b) node by node; it must give 0 for 0 and 0. */
static bool
map_pairs(FgContext *ctx, const FgTreePair *both, PairFunction function, FgTree *result)
{
	const double *self_a = both->a->self;
	const double *self_b = both->b->self;
	FgTreeWalk	walk = fg_tree_pair_walk(both);

	while (fg_tree_pair_next(&walk))
	{
		if (!fg_check_every(ctx, walk.node))
			return false;
		result->key[walk.node] = walk.key;
		result->self[walk.node] = function(walk.a != FG_NONE ? self_a[walk.a] : 0,
										   walk.b != FG_NONE ? self_b[walk.b] : 0);
	}
	result->nnodes = walk.node;
	return true;
}

static bool
combine_pairs(FgContext *ctx, const FgTree *a, const FgTree *b, PairFunction function,
			  FgTree *result)
{
	Merge		merge = {.function = function};

	return merge_trees(ctx, a, b, &merge, result);
}

static double
appeared_value(double before, double after)
{
	return before == 0 && after > 0 ? after : 0;
}

static double
grown_value(double before, double after)
{
	return before != 0 && after > before ? after - before : 0;
}

static double
disappeared_value(double before, double after)
{
	return after == 0 && before > 0 ? before : 0;
}

static double
shrunk_value(double before, double after)
{
	return after != 0 && after < before ? before - after : 0;
}

static double
smaller_value(double a, double b)
{
	return a < b ? a : b;
}

static double
larger_value(double a, double b)
{
	return a > b ? a : b;
}

bool
fg_change(FgContext *ctx, const FgTree *before, const FgTree *after, FgChange part,
		  FgTree *result)
{
	static const PairFunction functions[] = {
		appeared_value, grown_value, disappeared_value, shrunk_value
	};

	return combine_pairs(ctx, before, after, functions[part], result);
}

bool
fg_min(FgContext *ctx, const FgTree *a, const FgTree *b, FgTree *result)
{
	return combine_pairs(ctx, a, b, smaller_value, result);
}

bool
fg_max(FgContext *ctx, const FgTree *a, const FgTree *b, FgTree *result)
{
	return combine_pairs(ctx, a, b, larger_value, result);
}

static double
restricted_value(double a, double which)
{
	return which != 0 ? a : 0;
}

bool
fg_restrict(FgContext *ctx, const FgTree *a, const FgTree *which, FgTree *result)
{
	return combine_pairs(ctx, a, which, restricted_value, result);
}

bool
fg_support(FgContext *ctx, const FgTree *a, FgTree *result)
{
	if (!fg_tree_copy(ctx, a, result))
		return false;
	for (uint32_t i = 0; i <= result->nnodes; i++)
	{
		result->self[i] = result->self[i] != 0;
		if (fg_check_every(ctx, i))
			continue;
		fg_tree_free(ctx, result);
		return false;
	}
	return true;
}

/* --- norms --------------------------------------------------------------- */

static bool
norm_of(FgContext *ctx, const double *values, size_t count, double p, double *norm)
{
	double		sum;

	if (p == 1)
	{
		if (!fg_sums(ctx, values, count, &sum, norm))
			return false;
	}
	else if (p == 2)
		*norm = fg_euclidean(values, count);
	else if (isinf(p) && p > 0)
		*norm = fg_max_absolute(values, count);
	else
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Use 1, 2 or infinity.",
						  "there is no norm of this order here");
	return isfinite(*norm) || fg_fail(ctx, FG_ERROR_RANGE, "the norm is out of range");
}

bool
fg_norm(FgContext *ctx, const FgTree *a, double p, double *norm)
{
	return norm_of(ctx, a->self, (size_t) a->nnodes + 1, p, norm);
}

/* The differences of all stacks of either tree, scaled; *count of them. */
static bool
differences(FgContext *ctx, const FgTree *a, const FgTree *b, double scale, double **values,
			size_t *count)
{
	FgTreePair	both;
	FgTree		nodes = {0};
	bool		ok;

	if (!fg_tree_pair_begin(ctx, a, b, &both))
		return false;
	ok = fg_tree_alloc_unlimited(ctx, &nodes, (uint64_t) a->nnodes + b->nnodes) &&
		merge_nodes(ctx, &both, scale, -scale, &nodes);
	fg_tree_pair_end(ctx, &both);
	*values = nodes.self;
	*count = (size_t) nodes.nnodes + 1;
	if (ok)
		nodes.self = NULL;
	fg_tree_free(ctx, &nodes);
	return ok;
}

bool
fg_distance(FgContext *ctx, const FgTree *a, const FgTree *b, double p, double *distance)
{
	double	   *values;
	size_t		count;
	bool		ok;

	if (!differences(ctx, a, b, 1, &values, &count))
		return false;
	ok = norm_of(ctx, values, count, p, distance);
	fg_release(ctx, values);
	return ok;
}

/* Above this a sum of FG_MAX_NODES values might overflow. */
#define LARGE_VALUE	0x1p900
#define SMALL_SCALE	0x1p-200

/* L1 norm of a tree whose values are scaled first. */
static bool
scaled_norm(FgContext *ctx, const FgTree *tree, double scale, double *norm)
{
	FgTree		scaled;
	double		sum;
	bool		ok;

	if (scale == 1)
		return fg_sums(ctx, tree->self, (size_t) tree->nnodes + 1, &sum, norm);
	/* values that vanish beside the largest do not matter here */
	if (!map_values(ctx, tree, product, scale, &scaled))
		return false;
	ok = fg_sums(ctx, scaled.self, (size_t) scaled.nnodes + 1, &sum, norm);
	fg_tree_free(ctx, &scaled);
	return ok;
}

bool
fg_similarity(FgContext *ctx, const FgTree *a, const FgTree *b, double *similarity)
{
	double		largest = fmax(fg_max_absolute(a->self, (size_t) a->nnodes + 1),
							   fg_max_absolute(b->self, (size_t) b->nnodes + 1));
	double		scale = largest < LARGE_VALUE ? 1 : SMALL_SCALE;
	double	   *values;
	size_t		count;
	double		sum;
	double		distance;
	double		norm_a;
	double		norm_b;
	bool		ok;

	*similarity = 1;
	if (largest == 0)
		return true;
	if (!differences(ctx, a, b, scale, &values, &count))
		return false;
	ok = fg_sums(ctx, values, count, &sum, &distance) &&
		scaled_norm(ctx, a, scale, &norm_a) && scaled_norm(ctx, b, scale, &norm_b);
	fg_release(ctx, values);
	if (!ok)
		return false;
	*similarity = 1 - distance / (norm_a + norm_b);
	/* rounding may leave disjoint profiles a last bit below 0 */
	if (*similarity < 0)
		*similarity = 0;
	return true;
}
