/*
 * distances.c
 *	  Distances between all pairs of profiles (see distances.h).
 */
#include "core/samples/distances.h"

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/sums.h"
#include "core/profile/tree_pair.h"
#include "core/samples/accumulator.h"

#include <math.h>
#include <string.h>

void
fg_distances_free(FgContext *ctx, FgDistances *distances)
{
	fg_release(ctx, distances->distance);
	fg_release(ctx, distances->content);
	memset(distances, 0, sizeof(*distances));
}

/* --- the stacks of all profiles ------------------------------------------------------ */

static uint64_t
mix(uint64_t hash, uint64_t word)
{
	return fg_fold_multiply(hash ^ word, UINT64_C(0x9E3779B97F4A7C15)) + UINT64_C(0x94D049BB133111EB);
}

/* A result depends on it (which permutations are drawn), so it has no seed. */
static bool
hash_tree(FgContext *ctx, const FgTree *tree, uint64_t *hash)
{
	const FgFrames *frames = &tree->frames;
	const uint8_t *bytes = (const uint8_t *) frames->bytes;
	size_t		size = frames->offset[frames->count];
	size_t		done = 0;
	uint64_t	h = mix(tree->nnodes, frames->count);

	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		h = mix(mix(h, tree->key[i]), fg_double_bits(tree->self[i]));
	}
	for (uint32_t i = 0; i <= frames->count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		h = mix(h, frames->offset[i]);
	}
	for (; size - done >= 8; done += 8)
	{
		if (!fg_check_every(ctx, done / 8))
			return false;
		h = mix(h, fg_load_le(bytes + done, 8));
	}
	*hash = mix(h, fg_load_le(bytes + done, (unsigned) (size - done)));
	return true;
}

/* Marks the stacks of a profile with 1, so that a sum of such loses none. */
static bool
mark_stacks(FgContext *ctx, FgTree *tree, size_t *stacks)
{
	*stacks = 0;
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		*stacks += tree->self[i] != 0;
		tree->self[i] = tree->self[i] != 0;
	}
	return true;
}

/* Their hashes, how many stacks each has, and in *all every stack that one of them has. */
static bool
look_at_all(FgContext *ctx, const FgProfiles *profiles, uint64_t *content, size_t *stacks,
			FgTree *all)
{
	FgAccumulator sum;
	const FgTree *total;
	bool		ok = true;

	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_SUM);
	for (size_t i = 0; ok && i < profiles->count; i++)
	{
		FgTree		profile;

		if (!fg_check(ctx) || !profiles->read(ctx, profiles->arg, i, &profile))
		{
			ok = false;
			break;
		}
		ok = hash_tree(ctx, &profile, &content[i]) && mark_stacks(ctx, &profile, &stacks[i]);
		if (ok)
			ok = fg_accumulator_add(&sum, &profile);
		else
			fg_tree_free(ctx, &profile);
	}
	total = ok ? fg_accumulator_total(&sum) : NULL;
	ok = total != NULL && fg_tree_copy(ctx, total, all);
	fg_accumulator_free(&sum);
	return ok;
}

/* --- profiles as lists ------------------------------------------------------------------ */

typedef struct List
{
	size_t		count;
	uint32_t   *stack;			/* ascending node numbers of the tree of all */
	double	   *value;
} List;

#define LIST_BYTES(stacks) ((stacks) * (sizeof(uint32_t) + sizeof(double)))

static void
free_list(FgContext *ctx, List *list)
{
	fg_release(ctx, list->stack);
	fg_release(ctx, list->value);
	memset(list, 0, sizeof(*list));
}

/* "all" (b of the pair) has every node of the profile (a). */
static bool
fill_list(FgContext *ctx, const FgTreePair *pair, List *list)
{
	uint32_t	na = pair->a->nnodes;
	uint32_t	i = 0;

	for (uint32_t j = 0; i <= na; j++)
	{
		if (!fg_check_every(ctx, j))
			return false;
		if (pair->key_a[i] != pair->key_b[j])
			continue;
		if (pair->a->self[i] != 0)
		{
			list->stack[list->count] = j;
			list->value[list->count++] = pair->a->self[i];
		}
		i++;
	}
	return true;
}

static bool
normalise(FgContext *ctx, List *list)
{
	double		sum;
	double		norm;

	if (!fg_sums(ctx, list->value, list->count, &sum, &norm))
		return false;
	if (isinf(norm))
		return fg_fail(ctx, FG_ERROR_RANGE, "the norm of a profile does not fit a double");
	for (size_t k = 0; k < list->count; k++)
		list->value[k] /= norm;
	return true;
}

static bool
list_of_tree(FgContext *ctx, const FgTree *profile, const FgTree *all, bool normalised,
			 List *list)
{
	FgTreePair	pair;
	bool		ok;

	if (!fg_tree_pair_begin(ctx, profile, all, &pair))
		return false;
	ok = fill_list(ctx, &pair, list) && (!normalised || normalise(ctx, list));
	fg_tree_pair_end(ctx, &pair);
	return ok;
}

static bool
read_list(FgContext *ctx, const FgProfiles *profiles, size_t i, const FgTree *all,
		  size_t stacks, bool normalised, List *list)
{
	FgTree		profile;
	bool		ok;

	memset(list, 0, sizeof(*list));
	if (!fg_check(ctx) || !profiles->read(ctx, profiles->arg, i, &profile))
		return false;
	list->stack = fg_alloc(ctx, stacks, sizeof(uint32_t));
	list->value = fg_alloc(ctx, stacks, sizeof(double));
	ok = list->stack != NULL && list->value != NULL &&
		list_of_tree(ctx, &profile, all, normalised, list);
	fg_tree_free(ctx, &profile);
	if (!ok)
		free_list(ctx, list);
	return ok;
}

/* --- distances ---------------------------------------------------------------------------- */

/* Between two checks; also how many terms are summed up by themselves, for the rounding. */
#define STEPS 4096

static bool
add_rest(FgContext *ctx, const double *value, size_t count, double *distance)
{
	for (size_t end, start = 0; start < count; start = end)
	{
		double		sum = 0;

		end = count - start > STEPS ? start + STEPS : count;
		for (size_t k = start; k < end; k++)
			sum += fabs(value[k]);
		*distance += sum;
		if (!fg_check(ctx))
			return false;
	}
	return true;
}

static inline double
value_or_zero(double value, bool take)
{
	return fg_bits_double(fg_double_bits(value) & -(uint64_t) take);
}

/* Which list has the next stack is as good as random, so comparisons become masks (algebra.c). */
static bool
list_distance(FgContext *ctx, const List *a, const List *b, double *distance)
{
	size_t		i = 0;
	size_t		j = 0;

	*distance = 0;
	while (i < a->count && j < b->count)
	{
		size_t		left = a->count - i < b->count - j ? a->count - i : b->count - j;
		double		sum = 0;

		for (size_t k = left < STEPS ? left : STEPS; k > 0; k--)
		{
			uint32_t	stack_a = a->stack[i];
			uint32_t	stack_b = b->stack[j];
			bool		take_a = stack_a <= stack_b;
			bool		take_b = stack_b <= stack_a;

			sum += fabs(value_or_zero(a->value[i], take_a) - value_or_zero(b->value[j], take_b));
			i += take_a;
			j += take_b;
		}
		*distance += sum;
		if (!fg_check(ctx))
			return false;
	}
	return add_rest(ctx, a->value + i, a->count - i, distance) &&
		add_rest(ctx, b->value + j, b->count - j, distance);
}

typedef struct Work
{
	FgContext  *ctx;
	const FgProfiles *profiles;
	bool		normalised;
	size_t		memory;			/* for the lists of one block */
	FgTree		all;
	size_t	   *stacks;			/* by profile: how many */
	List	   *lists;			/* by profile: empty unless its block is in memory */
	FgDistances *distances;
} Work;

/* The block that starts at "start" ends before the profile that does not fit. */
static size_t
block_end(const Work *work, size_t start)
{
	size_t		bytes = 0;
	size_t		end = start;

	do
		bytes += LIST_BYTES(work->stacks[end++]);
	while (end < work->profiles->count &&
		   bytes + LIST_BYTES(work->stacks[end]) <= work->memory);
	return end;
}

static bool
read_block(Work *work, size_t start, size_t end)
{
	for (size_t i = start; i < end; i++)
	{
		if (!read_list(work->ctx, work->profiles, i, &work->all, work->stacks[i],
					   work->normalised, &work->lists[i]))
			return false;
	}
	return true;
}

static void
free_block(Work *work, size_t start, size_t end)
{
	for (size_t i = start; i < end; i++)
		free_list(work->ctx, &work->lists[i]);
}

/* Of each profile in [a, a_end) to those before it in [b, b_end). */
static bool
compare_blocks(Work *work, size_t a, size_t a_end, size_t b, size_t b_end)
{
	double	   *square = work->distances->distance;
	size_t		n = work->profiles->count;

	for (size_t i = a; i < a_end; i++)
	{
		for (size_t j = b; j < b_end && j < i; j++)
		{
			double		distance;

			if (!fg_check(work->ctx) ||
				!list_distance(work->ctx, &work->lists[i], &work->lists[j], &distance))
				return false;
			square[i * n + j] = distance;
			square[j * n + i] = distance;
		}
	}
	return true;
}

static bool
compare_all(Work *work)
{
	size_t		n = work->profiles->count;

	for (size_t a_end, a = 0; a < n; a = a_end)
	{
		a_end = block_end(work, a);
		if (!read_block(work, a, a_end) || !compare_blocks(work, a, a_end, a, a_end))
			return false;
		for (size_t b_end, b = 0; b < a; b = b_end)
		{
			b_end = block_end(work, b);
			if (!read_block(work, b, b_end) || !compare_blocks(work, a, a_end, b, b_end))
				return false;
			free_block(work, b, b_end);
		}
		free_block(work, a, a_end);
	}
	return true;
}

static bool
check_sum(FgContext *ctx, const FgDistances *distances)
{
	double		sum = 0;

	for (size_t i = 0; i < distances->count * distances->count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		sum += distances->distance[i];
	}
	return isfinite(sum) ||
		fg_fail(ctx, FG_ERROR_RANGE, "the sum of the distances does not fit a double");
}

bool
fg_distances(FgContext *ctx, const FgProfiles *profiles, bool normalised, size_t memory,
			 FgDistances *distances)
{
	size_t		n = profiles->count;
	Work		work = {
		.ctx = ctx, .profiles = profiles, .normalised = normalised, .memory = memory / 2,
		.distances = distances
	};
	bool		ok;

	memset(distances, 0, sizeof(*distances));
	if (n > FG_MAX_COMPARED)
		return fg_fail(ctx, FG_ERROR_LIMIT, "%zu profiles are more than the %d that can be compared pair by pair",
					   n, FG_MAX_COMPARED);
	distances->count = n;
	distances->distance = fg_alloc_zero(ctx, n * n, sizeof(double));
	distances->content = fg_alloc(ctx, n, sizeof(uint64_t));
	work.stacks = fg_alloc(ctx, n, sizeof(size_t));
	work.lists = fg_alloc_zero(ctx, n, sizeof(List));
	ok = distances->distance != NULL && distances->content != NULL && work.stacks != NULL &&
		work.lists != NULL &&
		look_at_all(ctx, profiles, distances->content, work.stacks, &work.all) &&
		compare_all(&work) && check_sum(ctx, distances);
	if (work.lists != NULL)
		free_block(&work, 0, n);
	fg_tree_free(ctx, &work.all);
	fg_release(ctx, work.stacks);
	fg_release(ctx, work.lists);
	if (!ok)
		fg_distances_free(ctx, distances);
	return ok;
}
