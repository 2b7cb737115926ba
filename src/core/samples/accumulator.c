/*
 * accumulator.c
 *	  Sum, minimum, maximum or moments of many profiles (see accumulator.h).
 */
#include "core/samples/accumulator.h"

#include "core/profile/algebra.h"
#include "core/profile/codec.h"

#include <string.h>

void
fg_accumulator_init(FgContext *ctx, FgAccumulator *accumulator, FgAccumulation kind)
{
	memset(accumulator, 0, sizeof(*accumulator));
	accumulator->ctx = ctx;
	accumulator->kind = kind;
}

void
fg_accumulator_free(FgAccumulator *accumulator)
{
	while (accumulator->count > 0)
		fg_moments_free(accumulator->ctx, &accumulator->partial[--accumulator->count]);
	while (accumulator->waiting > 0)
		fg_tree_free(accumulator->ctx, &accumulator->profile[--accumulator->waiting]);
	fg_tree_sum_free(accumulator->sum);
	accumulator->sum = NULL;
	fg_gathering_free(accumulator->gathering);
	accumulator->gathering = NULL;
}

static bool
merge_pair(FgAccumulator *accumulator, const FgMoments *a, const FgMoments *b, FgMoments *merged)
{
	FgContext  *ctx = accumulator->ctx;

	memset(merged, 0, sizeof(*merged));
	switch (accumulator->kind)
	{
		case FG_ACCUMULATE_SUM:
			return fg_combine(ctx, &a->support, 1, &b->support, 1, &merged->support);
		case FG_ACCUMULATE_MIN:
			return fg_min(ctx, &a->support, &b->support, &merged->support);
		case FG_ACCUMULATE_MAX:
			return fg_max(ctx, &a->support, &b->support, &merged->support);
		case FG_ACCUMULATE_MOMENTS:
			break;
	}
	return fg_moments_merge(ctx, a, b, merged);
}

/* Replaces the two newest partial results by their union. */
static bool
merge_newest(FgAccumulator *accumulator)
{
	FgMoments  *older = &accumulator->partial[accumulator->count - 2];
	FgMoments  *newer = &accumulator->partial[accumulator->count - 1];
	FgMoments	merged;

	if (!merge_pair(accumulator, older, newer, &merged))
		return false;
	fg_moments_free(accumulator->ctx, newer);
	fg_moments_free(accumulator->ctx, older);
	*older = merged;
	accumulator->count--;
	return true;
}

/* What a tree costs to merge: its nodes, and its dictionary for tiny ones. */
static uint64_t
weight(const FgMoments *partial)
{
	return (uint64_t) partial->support.nnodes + partial->support.frames.count + 1;
}

/* A merge that failed leaves both its inputs, so the stack can fill up after errors. */
static bool
push(FgAccumulator *accumulator, FgMoments *partial)
{
	if (accumulator->count == FG_MAX_PARTIALS)
	{
		fg_moments_free(accumulator->ctx, partial);
		return fg_fail(accumulator->ctx, FG_ERROR_LIMIT, "an accumulator was used after errors");
	}
	accumulator->partial[accumulator->count++] = *partial;
	while (accumulator->count > 1)
	{
		const FgMoments *newest = &accumulator->partial[accumulator->count - 1];

		if (weight(newest - 1) >= 2 * weight(newest) && accumulator->count < FG_MAX_PARTIALS)
			break;
		if (!merge_newest(accumulator))
			return false;
	}
	return true;
}

/* --- sums that grow in place ------------------------------------------------------------------ */

/* A sum of fewer nodes, or of fewer profiles, is merged as quickly. */
#define IN_PLACE_NODES 1000
#define IN_PLACE_PROFILES 4

static bool
merge_all(FgAccumulator *accumulator)
{
	while (accumulator->count > 1)
	{
		if (!merge_newest(accumulator))
			return false;
	}
	return true;
}

static bool
push_tree(FgAccumulator *accumulator, FgTree *tree)
{
	FgMoments	partial = {.support = *tree};

	memset(tree, 0, sizeof(*tree));
	return push(accumulator, &partial);
}

/* The sum becomes a partial result again. */
static bool
end_sum(FgAccumulator *accumulator)
{
	FgTree		tree;
	bool		ok;

	if (accumulator->sum == NULL)
		return true;
	ok = fg_tree_sum_finish(accumulator->sum, &tree);
	fg_tree_sum_free(accumulator->sum);
	accumulator->sum = NULL;
	return ok && push_tree(accumulator, &tree);
}

/* The partial results, when there are some, become the sum. */
static bool
begin_sum(FgAccumulator *accumulator)
{
	if (!merge_all(accumulator))
		return false;
	accumulator->sum = fg_tree_sum_create(accumulator->ctx);
	if (accumulator->sum == NULL)
		return false;
	if (accumulator->count == 0)
		return true;
	if (!fg_tree_sum_add(accumulator->sum, &accumulator->partial[0].support))
		return false;
	fg_moments_free(accumulator->ctx, &accumulator->partial[0]);
	accumulator->count = 0;
	return true;
}

/* Is a profile of so many nodes added in place?  Counts it. */
static bool
prepare_sum(FgAccumulator *accumulator, uint32_t nodes, bool *in_place)
{
	accumulator->profiles++;
	*in_place = accumulator->sum != NULL;
	if (*in_place || accumulator->profiles < IN_PLACE_PROFILES)
		return true;
	*in_place = nodes >= IN_PLACE_NODES ||
		(accumulator->count > 0 && accumulator->partial[0].support.nnodes >= IN_PLACE_NODES);
	return !*in_place || begin_sum(accumulator);
}

static bool
add_to_sum(FgAccumulator *accumulator, FgTree *tree)
{
	bool		in_place;
	bool		ok = prepare_sum(accumulator, tree->nnodes, &in_place);

	if (ok && !in_place)
		return push_tree(accumulator, tree);
	ok = ok && fg_tree_sum_add(accumulator->sum, tree);
	fg_tree_free(accumulator->ctx, tree);
	return ok;
}

/* --- moments ------------------------------------------------------------------------------------ */

static bool
push_four(FgAccumulator *accumulator)
{
	FgMoments	partial;

	if (!fg_moments_of_four(accumulator->ctx, accumulator->profile, &partial))
		return false;
	while (accumulator->waiting > 0)
		fg_tree_free(accumulator->ctx, &accumulator->profile[--accumulator->waiting]);
	return push(accumulator, &partial);
}

static bool
add_to_moments(FgAccumulator *accumulator, FgTree *tree)
{
	/* an error has left four of them */
	if (accumulator->waiting == FG_FOUR && !push_four(accumulator))
	{
		fg_tree_free(accumulator->ctx, tree);
		return false;
	}
	accumulator->profile[accumulator->waiting++] = *tree;
	memset(tree, 0, sizeof(*tree));
	return accumulator->waiting < FG_FOUR || push_four(accumulator);
}

/* Those that wait become partial results, the last one first. */
static bool
end_waiting(FgAccumulator *accumulator)
{
	FgMoments	partial;

	while (accumulator->waiting > 0)
	{
		if (!fg_moments_of_one(accumulator->ctx, &accumulator->profile[--accumulator->waiting], &partial) ||
			!push(accumulator, &partial))
			return false;
	}
	return true;
}

/* --- many small profiles ----------------------------------------------------------------------- */

/* Larger ones are merged as quickly. */
#define SMALL_NODES 1000

/* Fewer are not worth a hash table. */
#define SMALL_PROFILES 16

/* What their shapes may take. */
#define SHAPE_BYTES ((size_t) 16 << 20)

/* Is a profile of so many nodes gathered?  Counts it when it is small. */
static bool
begin_gathering(FgAccumulator *accumulator, uint32_t nodes, bool *gathers)
{
	*gathers = false;
	if (accumulator->kind != FG_ACCUMULATE_SUM || nodes > SMALL_NODES)
		return true;
	if (accumulator->gathering == NULL)
	{
		if (++accumulator->small_profiles < SMALL_PROFILES)
			return true;
		accumulator->gathering = fg_gathering_create(accumulator->ctx, SHAPE_BYTES);
	}
	*gathers = accumulator->gathering != NULL;
	return *gathers;
}

/* What was gathered becomes a partial result. */
static bool
end_gathering(FgAccumulator *accumulator)
{
	FgTree		tree;
	bool		ok;

	accumulator->small_profiles = 0;
	if (accumulator->gathering == NULL)
		return true;
	ok = fg_gathering_finish(accumulator->gathering, &tree);
	fg_gathering_free(accumulator->gathering);
	accumulator->gathering = NULL;
	return ok && push_tree(accumulator, &tree);
}

static bool
add_tree(FgAccumulator *accumulator, FgTree *tree)
{
	if (accumulator->kind == FG_ACCUMULATE_SUM)
		return add_to_sum(accumulator, tree);
	return accumulator->kind == FG_ACCUMULATE_MOMENTS ? add_to_moments(accumulator, tree)
		: push_tree(accumulator, tree);
}

bool
fg_accumulator_add_encoded(FgAccumulator *accumulator, const uint8_t *bytes, size_t size)
{
	FgContext  *ctx = accumulator->ctx;
	FgHeader	header;
	FgTree		tree;
	bool		gathers;
	bool		known = false;
	bool		ok;

	if (!fg_codec_header(ctx, bytes, size, &header) ||
		!begin_gathering(accumulator, header.facts.nnodes, &gathers))
		return false;
	if (gathers && !fg_gathering_add_known(accumulator->gathering, bytes, size, &known))
		return false;
	if (known)
		return true;
	if (!gathers && accumulator->sum != NULL)
		return fg_tree_sum_add_encoded(accumulator->sum, bytes, size);
	if (!fg_codec_decode(ctx, bytes, size, &tree))
		return false;
	if (!gathers)
		return add_tree(accumulator, &tree);
	ok = fg_gathering_add(accumulator->gathering, &tree, bytes, size);
	fg_tree_free(ctx, &tree);
	return ok;
}

bool
fg_accumulator_add(FgAccumulator *accumulator, FgTree *tree)
{
	bool		gathers;
	bool		ok = begin_gathering(accumulator, tree->nnodes, &gathers);

	if (ok && !gathers)
		return add_tree(accumulator, tree);
	ok = ok && fg_gathering_add(accumulator->gathering, tree, NULL, 0);
	fg_tree_free(accumulator->ctx, tree);
	return ok;
}

bool
fg_accumulator_add_moments(FgAccumulator *accumulator, FgMoments *moments)
{
	FgMoments	partial = *moments;

	memset(moments, 0, sizeof(*moments));
	return push(accumulator, &partial);
}

const FgMoments *
fg_accumulator_moments(FgAccumulator *accumulator)
{
	if (!end_sum(accumulator) || !end_gathering(accumulator) || !end_waiting(accumulator))
		return NULL;
	if (accumulator->count == 0)
	{
		FgTree		empty;

		if (!fg_tree_empty(accumulator->ctx, &empty) || !fg_accumulator_add(accumulator, &empty) ||
			!end_waiting(accumulator))
			return NULL;
	}
	return merge_all(accumulator) ? &accumulator->partial[0] : NULL;
}

const FgTree *
fg_accumulator_total(FgAccumulator *accumulator)
{
	const FgMoments *total = fg_accumulator_moments(accumulator);

	return total != NULL ? &total->support : NULL;
}
