/*
 * algebra.c
 *	  Linear algebra on profiles (see algebra.h).
 */
#include "algebra.h"

#include "bytes.h"
#include "sums.h"

#include <math.h>
#include <string.h>

/* --- two trees over one dictionary -------------------------------------- */

/* The keys of two trees numbered by one dictionary. */
typedef struct Aligned
{
	const FgTree *a;
	const FgTree *b;
	const uint64_t *key_a;
	const uint64_t *key_b;
	uint64_t   *own_a;			/* what has to be released, or NULL */
	uint64_t   *own_b;
	FgFrames	frames;			/* the union, empty when both have the same */
	bool		shared;
} Aligned;

static bool
is_identity(const uint32_t *map, uint32_t count)
{
	return count == 0 || map[count - 1] == count - 1;	/* maps are strictly monotone */
}

static bool
renumber(FgContext *ctx, const FgTree *tree, const uint32_t *map, uint64_t **keys)
{
	uint64_t   *renumbered;

	*keys = NULL;
	if (is_identity(map, tree->frames.count))
		return true;
	renumbered = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint64_t));
	if (renumbered == NULL)
		return false;
	renumbered[0] = FG_ROOT_KEY;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint64_t	key = tree->key[i];

		renumbered[i] = (key & ~(uint64_t) UINT32_MAX) | map[fg_key_frame(key)];
	}
	*keys = renumbered;
	return true;
}

static void
aligned_free(FgContext *ctx, Aligned *both)
{
	fg_release(ctx, both->own_a);
	fg_release(ctx, both->own_b);
	fg_frames_free(ctx, &both->frames);
}

static bool
align(FgContext *ctx, const FgTree *a, const FgTree *b, Aligned *both)
{
	uint32_t   *map_a;
	uint32_t   *map_b;
	bool		ok;

	memset(both, 0, sizeof(*both));
	both->a = a;
	both->b = b;
	both->key_a = a->key;
	both->key_b = b->key;
	both->shared = fg_frames_equal(&a->frames, &b->frames);
	if (both->shared)
		return true;
	map_a = fg_alloc(ctx, a->frames.count, sizeof(uint32_t));
	map_b = fg_alloc(ctx, b->frames.count, sizeof(uint32_t));
	ok = map_a != NULL && map_b != NULL &&
		fg_frames_union(ctx, &a->frames, &b->frames, &both->frames, map_a, map_b) &&
		renumber(ctx, a, map_a, &both->own_a) && renumber(ctx, b, map_b, &both->own_b);
	fg_release(ctx, map_a);
	fg_release(ctx, map_b);
	if (!ok)
	{
		aligned_free(ctx, both);
		return false;
	}
	if (both->own_a != NULL)
		both->key_a = both->own_a;
	if (both->own_b != NULL)
		both->key_b = both->own_b;
	return true;
}

/* --- linear combinations ------------------------------------------------ */

static inline double
value_or_zero(double value, bool take)
{
	return fg_bits_double(fg_double_bits(value) & -(uint64_t) take);
}

/*
 * x*a + y*b node by node.  Which stream has the next node is as good as random,
 * so comparisons become masks, not branches; a block is as long as neither
 * stream can end in it.
 */
static bool
merge_nodes(FgContext *ctx, const Aligned *both, double x, double y, FgTree *result)
{
	const uint32_t na = both->a->nnodes;
	const uint32_t nb = both->b->nnodes;
	const double *self_a = both->a->self;
	const double *self_b = both->b->self;
	uint64_t   *key = result->key;
	double	   *self = result->self;
	uint32_t	i = 1;
	uint32_t	j = 1;
	uint32_t	n = 1;

	self[0] = x * self_a[0] + y * self_b[0];
	while (i <= na && j <= nb)
	{
		uint32_t	steps = na - i < nb - j ? na - i + 1 : nb - j + 1;

		if (steps > FG_CHECK_NODES)
			steps = FG_CHECK_NODES;
		for (uint32_t end = n + steps; n < end; n++)
		{
			uint64_t	a = both->key_a[i];
			uint64_t	b = both->key_b[j];
			bool		take_a = a <= b;
			bool		take_b = b <= a;

			key[n] = take_a ? a : b;
			self[n] = x * value_or_zero(self_a[i], take_a) + y * value_or_zero(self_b[j], take_b);
			i += take_a;
			j += take_b;
		}
		if (!fg_check(ctx))
			return false;
	}
	for (; i <= na; i++, n++)
	{
		key[n] = both->key_a[i];
		self[n] = x * self_a[i];
	}
	for (; j <= nb; j++, n++)
	{
		key[n] = both->key_b[j];
		self[n] = y * self_b[j];
	}
	result->nnodes = n - 1;
	return true;
}

/* Only leaves without a value make a tree non-canonical after a merge. */
static bool
has_empty_leaf(const FgTree *tree)
{
	bool		found = false;

	for (uint32_t i = 1; i < tree->nnodes; i++)
		found |= (tree->self[i] == 0) & (tree->key[i + 1] >> 32 >= tree->key[i] >> 32);
	return found || (tree->nnodes > 0 && tree->self[tree->nnodes] == 0);
}

static bool
all_finite(const double *values, size_t count)
{
	double		check = 0;

	for (size_t i = 0; i < count; i++)
		check += values[i] * 0;
	return check == 0;
}

/* Gives back the room of nodes that both inputs had, and drops empty leaves. */
static bool
settle(FgContext *ctx, FgTree *tree, uint32_t capacity)
{
	if (!all_finite(tree->self, (size_t) tree->nnodes + 1))
		return fg_fail(ctx, FG_ERROR_RANGE, "a value of the result is out of range");
	if (has_empty_leaf(tree) && !fg_tree_prune_zeros(ctx, tree))
		return false;
	if (tree->nnodes < capacity / 4 * 3)
	{
		size_t		nodes = (size_t) tree->nnodes + 1;
		uint64_t   *key = fg_resize(ctx, tree->key, nodes, sizeof(uint64_t));
		double	   *self = fg_resize(ctx, tree->self, nodes, sizeof(double));

		if (key != NULL)
			tree->key = key;
		if (self != NULL)
			tree->self = self;
		return key != NULL && self != NULL;
	}
	return true;
}

/* A product that vanishes would drop a stack without a word. */
static bool
check_products(FgContext *ctx, const FgTree *tree, double k)
{
	bool		vanished = false;

	if (!isfinite(k))
		return fg_fail(ctx, FG_ERROR_RANGE, "a coefficient is not finite");
	if (k == 0 || fabs(k) >= 1)
		return true;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
		vanished |= (tree->self[i] != 0) & (tree->self[i] * k == 0);
	return !vanished || fg_fail(ctx, FG_ERROR_RANGE, "a value of the result is too small");
}

static bool
copy_frames(FgContext *ctx, const FgFrames *from, FgFrames *to)
{
	if (!fg_frames_alloc(ctx, to, from->count, from->offset[from->count]))
		return false;
	memcpy(to->offset, from->offset, ((size_t) from->count + 1) * sizeof(uint32_t));
	memcpy(to->bytes, from->bytes, from->offset[from->count]);
	return true;
}

bool
fg_combine(FgContext *ctx, const FgTree *a, double x, const FgTree *b, double y, FgTree *result)
{
	uint64_t	capacity = (uint64_t) a->nnodes + b->nnodes;
	Aligned		both;
	bool		ok;

	memset(result, 0, sizeof(*result));
	if (!check_products(ctx, a, x) || !check_products(ctx, b, y) || !align(ctx, a, b, &both))
		return false;
	/* two trees of at most 2^27 - 1 nodes each may still have a small union */
	ok = fg_tree_alloc_unlimited(ctx, result, capacity) && merge_nodes(ctx, &both, x, y, result);
	if (ok && both.shared)
		ok = copy_frames(ctx, &a->frames, &result->frames);
	else if (ok)
	{
		result->frames = both.frames;
		memset(&both.frames, 0, sizeof(both.frames));
	}
	ok = ok && settle(ctx, result, (uint32_t) capacity);
	if (ok && result->nnodes > FG_MAX_NODES)
		ok = fg_fail(ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
	aligned_free(ctx, &both);
	if (!ok)
		fg_tree_free(ctx, result);
	return ok;
}

/* --- maps of the values alone ------------------------------------------- */

static bool
finish_map(FgContext *ctx, FgTree *result)
{
	if (settle(ctx, result, result->nnodes))
		return true;
	fg_tree_free(ctx, result);
	return false;
}

bool
fg_scale(FgContext *ctx, const FgTree *a, double k, FgTree *result)
{
	memset(result, 0, sizeof(*result));
	if (!check_products(ctx, a, k) || !fg_tree_copy(ctx, a, result))
		return false;
	for (uint32_t i = 0; i <= result->nnodes; i++)
		result->self[i] *= k;
	return finish_map(ctx, result);
}

bool
fg_divide(FgContext *ctx, const FgTree *a, double k, FgTree *result)
{
	bool		vanished = false;

	memset(result, 0, sizeof(*result));
	if (k == 0 || !isfinite(k))
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "a divisor is zero or not finite");
	if (!fg_tree_copy(ctx, a, result))
		return false;
	for (uint32_t i = 0; i <= result->nnodes; i++)
	{
		result->self[i] /= k;
		vanished |= (result->self[i] == 0) & (a->self[i] != 0);
	}
	if (!vanished)
		return finish_map(ctx, result);
	fg_tree_free(ctx, result);
	return fg_fail(ctx, FG_ERROR_RANGE, "a value of the result is too small");
}

bool
fg_part(FgContext *ctx, const FgTree *a, FgPart part, FgTree *result)
{
	if (!fg_tree_copy(ctx, a, result))
		return false;
	for (uint32_t i = 0; i <= result->nnodes; i++)
	{
		double		value = result->self[i];

		if (part == FG_PART_ABSOLUTE)
			value = fabs(value);
		else if (part == FG_PART_NEGATIVE)
			value = value < 0 ? -value : 0;
		else
			value = value > 0 ? value : 0;
		result->self[i] = value;
	}
	return finish_map(ctx, result);
}

/* --- norms --------------------------------------------------------------- */

static bool
norm_of(FgContext *ctx, const double *values, size_t count, double p, double *norm)
{
	double		sum;

	if (p == 1)
		fg_sums(values, count, &sum, norm);
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
	Aligned		both;
	FgTree		nodes = {0};
	bool		ok;

	if (!align(ctx, a, b, &both))
		return false;
	ok = fg_tree_alloc_unlimited(ctx, &nodes, (uint64_t) a->nnodes + b->nnodes) &&
		merge_nodes(ctx, &both, scale, -scale, &nodes);
	aligned_free(ctx, &both);
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

static double
scaled_norm(const FgTree *tree, double scale)
{
	double		sum;
	double		norm;

	fg_sums(tree->self, (size_t) tree->nnodes + 1, &sum, &norm);
	if (scale == 1)
		return norm;
	norm = 0;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
		norm += fabs(tree->self[i]) * scale;
	return norm;
}

/* Above this a sum of FG_MAX_NODES values might overflow. */
#define LARGE_VALUE	0x1p900
#define SMALL_SCALE	0x1p-200

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

	*similarity = 1;
	if (largest == 0)
		return true;
	if (!differences(ctx, a, b, scale, &values, &count))
		return false;
	fg_sums(values, count, &sum, &distance);
	fg_release(ctx, values);
	*similarity = 1 - distance / (scaled_norm(a, scale) + scaled_norm(b, scale));
	/* rounding may leave disjoint profiles a last bit below 0 */
	if (*similarity < 0)
		*similarity = 0;
	return true;
}
