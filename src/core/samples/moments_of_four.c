/*
 * moments_of_four.c
 *	  The moments of four profiles in one pass (see moments_of_four.h).
 *
 * Nodes are taken in blocks: first the values that their stacks have in each profile, 0 where
 * one lacks it, then the moments of all of the block, in a loop that compilers turn into vector
 * instructions.
 */
#include "core/samples/moments_of_four.h"

#include "core/profile/tree_pair.h"
#include "core/samples/moment.h"

#include <string.h>

#define BLOCK 256

/* Four trees over one dictionary, and how far each has been read. */
typedef struct Four
{
	const FgTree *tree;			/* four of them */
	const uint64_t *key[FG_FOUR];	/* by the common dictionary */
	uint64_t   *own[FG_FOUR];	/* what has to be released, or NULL */
	uint64_t	head[FG_FOUR];	/* key of the next node, UINT64_MAX behind the last one */
	uint32_t	next[FG_FOUR];
	FgFrames	frames;			/* the union, empty when all have the same */
} Four;

typedef struct Block
{
	uint32_t	count;
	double		value[FG_FOUR][BLOCK];
} Block;

/* --- one dictionary ------------------------------------------------------------- */

static bool
have_one_dictionary(const FgTree *tree)
{
	for (int s = 1; s < FG_FOUR; s++)
	{
		if (!fg_frames_equal(&tree[0].frames, &tree[s].frames))
			return false;
	}
	return true;
}

/* Follows a frame of one of two unions into the union of both. */
static void
follow(uint32_t *map, uint32_t count, const uint32_t *further)
{
	for (uint32_t f = 0; f < count; f++)
		map[f] = further[map[f]];
}

static bool
unite(FgContext *ctx, Four *four, uint32_t *map[FG_FOUR])
{
	const FgTree *tree = four->tree;
	FgFrames	half[2] = {{0}, {0}};
	uint32_t   *further[2] = {NULL, NULL};
	bool		ok = true;

	for (int h = 0; ok && h < 2; h++)
	{
		ok = fg_frames_union(ctx, &tree[2 * h].frames, &tree[2 * h + 1].frames, &half[h], map[2 * h],
							 map[2 * h + 1]) &&
			(further[h] = fg_alloc(ctx, half[h].count, sizeof(uint32_t))) != NULL;
	}
	ok = ok && fg_frames_union(ctx, &half[0], &half[1], &four->frames, further[0], further[1]);
	for (int s = 0; ok && s < FG_FOUR; s++)
	{
		follow(map[s], tree[s].frames.count, further[s / 2]);
		ok = fg_check(ctx) && fg_tree_renumber(ctx, &tree[s], map[s], &four->own[s]);
	}
	for (int h = 0; h < 2; h++)
	{
		fg_frames_free(ctx, &half[h]);
		fg_release(ctx, further[h]);
	}
	return ok;
}

static bool
find_common_dictionary(FgContext *ctx, Four *four)
{
	uint32_t   *map[FG_FOUR] = {NULL};
	bool		ok = true;

	if (have_one_dictionary(four->tree))
		return true;
	for (int s = 0; ok && s < FG_FOUR; s++)
		ok = (map[s] = fg_alloc(ctx, four->tree[s].frames.count, sizeof(uint32_t))) != NULL;
	ok = ok && unite(ctx, four, map);
	for (int s = 0; s < FG_FOUR; s++)
		fg_release(ctx, map[s]);
	return ok;
}

static bool
take_frames(FgContext *ctx, Four *four, FgFrames *frames)
{
	if (four->frames.offset == NULL)
		return fg_frames_copy(ctx, &four->tree[0].frames, frames);
	*frames = four->frames;
	memset(&four->frames, 0, sizeof(four->frames));
	return true;
}

/* --- the walk ------------------------------------------------------------------- */

static void
rewind_four(Four *four)
{
	for (int s = 0; s < FG_FOUR; s++)
	{
		four->key[s] = four->own[s] != NULL ? four->own[s] : four->tree[s].key;
		four->head[s] = four->key[s][0];
		four->next[s] = 0;
	}
}

static inline void
advance(Four *four, int s, uint32_t nodes)
{
	four->next[s] += nodes;
	four->head[s] = four->next[s] <= four->tree[s].nnodes ? four->key[s][four->next[s]] : UINT64_MAX;
}

/* How many nodes from here on all four have, of at most so many. */
static uint32_t
common_run(const Four *four, uint32_t most)
{
	const uint64_t *key[FG_FOUR];
	uint32_t	run = 0;

	for (int s = 0; s < FG_FOUR; s++)
	{
		uint32_t	left = four->tree[s].nnodes + 1 - four->next[s];

		key[s] = four->key[s] + four->next[s];
		most = left < most ? left : most;
	}
	while (run < most && key[0][run] == key[1][run] && key[0][run] == key[2][run] &&
		   key[0][run] == key[3][run])
		run++;
	return run;
}

static void
take_run(Four *four, uint32_t run, Block *block, uint64_t *key)
{
	memcpy(key, four->key[0] + four->next[0], run * sizeof(uint64_t));
	for (int s = 0; s < FG_FOUR; s++)
	{
		memcpy(block->value[s] + block->count, four->tree[s].self + four->next[s], run * sizeof(double));
		advance(four, s, run);
	}
	block->count += run;
}

/* The node that comes next in the union. */
static void
take_node(Four *four, Block *block, uint64_t *key)
{
	uint64_t	low = four->head[0] < four->head[1] ? four->head[0] : four->head[1];
	uint64_t	high = four->head[2] < four->head[3] ? four->head[2] : four->head[3];

	*key = low < high ? low : high;
	for (int s = 0; s < FG_FOUR; s++)
	{
		bool		has = four->head[s] == *key;

		block->value[s][block->count] = has ? four->tree[s].self[four->next[s]] : 0;
		if (has)
			advance(four, s, 1);
	}
	block->count++;
}

/* The next nodes of the union, and their keys; none behind the last one. */
static void
take_block(Four *four, Block *block, uint64_t *key)
{
	block->count = 0;
	while (block->count < BLOCK)
	{
		const uint64_t *head = four->head;

		if (head[0] == head[1] && head[0] == head[2] && head[0] == head[3])
		{
			if (head[0] == UINT64_MAX)
				return;
			take_run(four, common_run(four, BLOCK - block->count), block, key + block->count);
		}
		else
			take_node(four, block, key + block->count);
	}
}

/* --- moments -------------------------------------------------------------------- */

/*
 * fg_moment_merge of each two, and of both results, without its branches: where a side has no
 * value both products are 0, and so is the divisor, for which 1 is as good.  Divisors of two
 * values are powers of two.  An overflow is left to who looks at the results.
 */
static void
moments_of_block(const Block *block, double *restrict n, double *restrict sum, double *restrict m2)
{
	const double *restrict a = block->value[0];
	const double *restrict b = block->value[1];
	const double *restrict c = block->value[2];
	const double *restrict d = block->value[3];

	for (uint32_t i = 0; i < block->count; i++)
	{
		double		na = a[i] != 0 ? 1 : 0;
		double		nb = b[i] != 0 ? 1 : 0;
		double		nc = c[i] != 0 ? 1 : 0;
		double		nd = d[i] != 0 ? 1 : 0;
		double		low = na + nb;
		double		high = nc + nd;
		double		low_cross = a[i] * nb - b[i] * na;
		double		high_cross = c[i] * nd - d[i] * nc;
		double		cross = (a[i] + b[i]) * high - (c[i] + d[i]) * low;
		double		divisor = low * high * (low + high);

		n[i] = low + high;
		sum[i] = (a[i] + b[i]) + (c[i] + d[i]);
		m2[i] = (low_cross * low_cross * 0.5 + high_cross * high_cross * 0.5) +
			cross * cross / (divisor != 0 ? divisor : 1);
	}
}

/* The same where squares overflow. */
static void
careful_moments_of_block(const Block *block, double *n, double *sum, double *m2)
{
	for (uint32_t i = 0; i < block->count; i++)
	{
		FgMoment	low = fg_moment_merge(fg_moment_of(block->value[0][i]), fg_moment_of(block->value[1][i]));
		FgMoment	high = fg_moment_merge(fg_moment_of(block->value[2][i]), fg_moment_of(block->value[3][i]));
		FgMoment	both = fg_moment_merge(low, high);

		n[i] = both.n;
		sum[i] = both.sum;
		m2[i] = both.m2;
	}
}

static bool
fill(FgContext *ctx, Four *four, bool careful, FgMoments *moments)
{
	Block		block;
	uint64_t	nodes = 0;

	rewind_four(four);
	while (take_block(four, &block, moments->support.key + nodes), block.count > 0)
	{
		(careful ? careful_moments_of_block : moments_of_block) (&block, moments->support.self + nodes,
																 moments->sum + nodes, moments->m2 + nodes);
		nodes += block.count;
		if (!fg_check(ctx))
			return false;
	}
	if (nodes - 1 > FG_MAX_NODES)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
	moments->support.nnodes = (uint32_t) (nodes - 1);
	return true;
}

static bool
allocate(FgContext *ctx, const Four *four, FgMoments *moments)
{
	uint64_t	capacity = 0;

	for (int s = 0; s < FG_FOUR; s++)
		capacity += four->tree[s].nnodes;
	if (!fg_tree_alloc_unlimited(ctx, &moments->support, capacity))
		return false;
	moments->sum = fg_alloc(ctx, capacity + 1, sizeof(double));
	moments->m2 = fg_alloc(ctx, capacity + 1, sizeof(double));
	return moments->sum != NULL && moments->m2 != NULL;
}

bool
fg_moments_of_four(FgContext *ctx, const FgTree profiles[FG_FOUR], FgMoments *moments)
{
	Four		four = {.tree = profiles};
	bool		ok;

	memset(moments, 0, sizeof(*moments));
	ok = find_common_dictionary(ctx, &four) && allocate(ctx, &four, moments) &&
		fill(ctx, &four, false, moments) &&
		(fg_moments_finite(moments) || (fill(ctx, &four, true, moments) && fg_moments_check(ctx, moments))) &&
		take_frames(ctx, &four, &moments->support.frames);
	for (int s = 0; s < FG_FOUR; s++)
		fg_release(ctx, four.own[s]);
	fg_frames_free(ctx, &four.frames);
	if (!ok)
		fg_moments_free(ctx, moments);
	return ok;
}
