/*
 * tasks.c
 *	  Tasks of a profile (see tasks.h).
 */
#include "core/cct/tasks.h"

#include "core/base/pairs.h"
#include "core/profile/walk.h"

#include <math.h>
#include <string.h>

/* --- sums of subtrees ----------------------------------------------------------- */

/*
 * Subtrees that start with the same frame are merged node by node: the nodes that
 * become one node of the result, and then all their children, sorted by frame.  A
 * node that merges with no other one is copied with all that is below it, and most
 * nodes are soon of that kind.  Items wait on a stack, those that come first in the
 * result on its top.
 */
static bool
check_work(FgSubtrees *sum, size_t work)
{
	return fg_steps(sum->ctx, work);
}

static inline uint64_t
place_of(const FgTree *tree, uint32_t node)
{
	return (uint64_t) fg_key_frame(tree->key[node]) << 32 | node;
}

/* From the right: over each child's subtree in one step. */
static bool
find_ends(FgSubtrees *sum)
{
	const uint64_t *key = sum->tree->key;
	uint32_t	nnodes = sum->tree->nnodes;

	for (uint32_t i = nnodes; i > 0; i--)
	{
		uint32_t	depth = fg_key_depth(key[i]);
		uint32_t	next = i + 1;

		while (next <= nnodes && fg_key_depth(key[next]) > depth)
			next = sum->end[next];
		sum->end[i] = next;
		if (!fg_check_every(sum->ctx, i))
			return false;
	}
	return true;
}

#define SHORT_RUN 24

static void
insertion_sort(uint64_t *places, size_t count)
{
	for (size_t i = 1; i < count; i++)
	{
		uint64_t	place = places[i];
		size_t		j = i;

		for (; j > 0 && places[j - 1] > place; j--)
			places[j] = places[j - 1];
		places[j] = place;
	}
}

static void
merge_runs(const uint64_t *from, size_t middle, size_t end, uint64_t *to)
{
	size_t		i = 0;
	size_t		j = middle;

	for (size_t k = 0; k < end; k++)
		to[k] = i < middle && (j >= end || from[i] < from[j]) ? from[i++] : from[j++];
}

/* A merge sort; the result is in places, which has room for twice as many. */
static bool
sort_places(FgSubtrees *sum, uint64_t *places, size_t count)
{
	uint64_t   *from = places;
	uint64_t   *to = places;

	if (count == 0)
		return true;
	to += count;
	for (size_t start = 0; start < count; start += SHORT_RUN)
	{
		insertion_sort(places + start, count - start < SHORT_RUN ? count - start : SHORT_RUN);
		if (!check_work(sum, SHORT_RUN))
			return false;
	}
	for (size_t width = SHORT_RUN; width < count; width *= 2)
	{
		uint64_t   *swap = from;

		for (size_t start = 0; start < count; start += 2 * width)
		{
			size_t		left = count - start;

			merge_runs(from + start, left < width ? left : width,
					   left < 2 * width ? left : 2 * width, to + start);
			if (!check_work(sum, left < 2 * width ? left : 2 * width))
				return false;
		}
		from = to;
		to = swap;
	}
	return from == places || fg_copy(sum->ctx, places, from, count * sizeof(uint64_t));
}

/* Puts sorted places on the stack, the first one on top. */
static bool
push_places(FgSubtrees *sum, const uint64_t *places, size_t count, uint32_t depth)
{
	if (!fg_reserve(sum->ctx, (void **) &sum->items, &sum->capacity, sum->count + count,
					sizeof(FgSubtreeItem)))
		return false;
	for (size_t i = count; i > 0; i--)
		sum->items[sum->count++] = (FgSubtreeItem) {places[i - 1], depth};
	return check_work(sum, count);
}

static bool
copy_subtree(FgSubtrees *sum, uint32_t node, uint32_t depth)
{
	/* all depths change by the same; unsigned arithmetic wraps as it should */
	uint64_t	shift = fg_key(depth, 0) - fg_key(fg_key_depth(sum->tree->key[node]), 0);
	size_t		count = sum->end[node] - node;
	const uint64_t *key = sum->tree->key + node;
	const double *self = sum->tree->self + node;
	uint64_t   *to_key = sum->result->key + sum->nodes + 1;
	double	   *to_self = sum->result->self + sum->nodes + 1;

	for (size_t start = 0, end = 0; start < count; start = end)
	{
		end = count - start > FG_CHECK_NODES ? start + FG_CHECK_NODES : count;
		for (size_t i = start; i < end; i++)
			to_key[i] = key[i] + shift;
		for (size_t i = start; i < end; i++)
			to_self[i] = self[i];
		if (!check_work(sum, end - start))
			return false;
	}
	sum->nodes += (uint32_t) count;
	return true;
}

static bool
add_children(FgSubtrees *sum, uint32_t node, size_t *count)
{
	for (uint32_t child = node + 1; child < sum->end[node]; child = sum->end[child])
	{
		if (!fg_reserve(sum->ctx, (void **) &sum->children, &sum->children_capacity, *count + 1,
						sizeof(uint64_t)))
			return false;
		sum->children[(*count)++] = place_of(sum->tree, child);
		if (!check_work(sum, 1))
			return false;
	}
	return true;
}

/* The topmost items up to "bottom" become one node, whose children wait next. */
static bool
merge_items(FgSubtrees *sum, size_t bottom)
{
	FgSubtreeItem first = sum->items[sum->count - 1];
	uint32_t	to = ++sum->nodes;
	size_t		count = 0;
	double		self = 0;
	bool		had_value = false;

	for (; sum->count > bottom; sum->count--)
	{
		uint32_t	node = (uint32_t) sum->items[sum->count - 1].place;

		self += sum->tree->self[node];
		had_value |= sum->tree->self[node] != 0;
		if (!add_children(sum, node, &count))
			return false;
	}
	sum->result->key[to] = fg_key(first.depth, (uint32_t) (first.place >> 32));
	sum->result->self[to] = self;
	sum->check += self * 0;
	sum->vanished |= had_value && self == 0;
	return fg_reserve(sum->ctx, (void **) &sum->children, &sum->children_capacity, 2 * count,
					  sizeof(uint64_t)) &&
		sort_places(sum, sum->children, count) &&
		push_places(sum, sum->children, count, first.depth + 1);
}

static bool
sum_items(FgSubtrees *sum)
{
	while (sum->count > 0)
	{
		FgSubtreeItem first = sum->items[sum->count - 1];
		size_t		bottom = sum->count - 1;

		while (bottom > 0 && sum->items[bottom - 1].depth == first.depth &&
			   sum->items[bottom - 1].place >> 32 == first.place >> 32)
			bottom--;
		if (bottom == sum->count - 1)
		{
			sum->count--;
			if (!copy_subtree(sum, (uint32_t) first.place, first.depth))
				return false;
		}
		else if (!merge_items(sum, bottom))
			return false;
	}
	return true;
}

static bool
push_roots(FgSubtrees *sum, const uint32_t *nodes, uint32_t count)
{
	if (!fg_reserve(sum->ctx, (void **) &sum->children, &sum->children_capacity,
					2 * (size_t) count, sizeof(uint64_t)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		sum->children[i] = place_of(sum->tree, nodes[i]);
	return sort_places(sum, sum->children, count) && push_places(sum, sum->children, count, 1);
}

/* Only values of nodes that were merged can have changed. */
static bool
finish_sum(FgSubtrees *sum)
{
	if (sum->check != 0)
		return fg_fail(sum->ctx, FG_ERROR_RANGE, "the value of a stack is out of range");
	sum->result->nnodes = sum->nodes;
	return fg_subset_take(&sum->subset, sum->result) &&
		(!sum->vanished || fg_tree_prune_zeros(sum->ctx, sum->result));
}

bool
fg_subtrees_begin(FgContext *ctx, const FgTree *tree, FgSubtrees *sum)
{
	*sum = (FgSubtrees) {.ctx = ctx, .tree = tree};
	sum->end = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	if (sum->end != NULL && find_ends(sum) && fg_subset_begin(ctx, &tree->frames, &sum->subset))
		return true;
	fg_subtrees_end(sum);
	return false;
}

void
fg_subtrees_end(FgSubtrees *sum)
{
	fg_release(sum->ctx, sum->end);
	fg_release(sum->ctx, sum->items);
	fg_release(sum->ctx, sum->children);
	fg_subset_end(&sum->subset);
}

bool
fg_subtrees_sum(FgSubtrees *sum, const uint32_t *nodes, uint32_t count, FgTree *result)
{
	uint32_t	size = 0;

	for (uint32_t i = 0; i < count; i++)
		size += sum->end[nodes[i]] - nodes[i];
	if (!fg_tree_alloc(sum->ctx, result, size))
		return false;
	sum->result = result;
	sum->nodes = 0;
	sum->count = 0;
	sum->check = 0;
	sum->vanished = false;
	if (push_roots(sum, nodes, count) && sum_items(sum) && finish_sum(sum))
		return true;
	fg_tree_free(sum->ctx, result);
	return false;
}

/* --- views -------------------------------------------------------------------------- */

/* The first flagged nodes of all stacks, in preorder. */
static bool
first_flagged(const FgSubtrees *subtrees, const uint8_t *flags, uint32_t **roots, uint32_t *count)
{
	FgContext  *ctx = subtrees->ctx;
	const FgTree *tree = subtrees->tree;
	size_t		capacity = 0;
	uint32_t	node = 1;

	for (size_t turn = 0; node <= tree->nnodes; turn++)
	{
		if (!fg_check_every(ctx, turn))
			return false;
		if (!flags[fg_key_frame(tree->key[node])])
		{
			node++;
			continue;
		}
		if (!fg_reserve(ctx, (void **) roots, &capacity, (size_t) *count + 1, sizeof(uint32_t)))
			return false;
		(*roots)[(*count)++] = node;
		node = subtrees->end[node];
	}
	return true;
}

bool
fg_task_view(FgContext *ctx, const FgTree *tree, const uint8_t *flags, FgTree *result)
{
	uint32_t   *roots = NULL;
	uint32_t	count = 0;
	FgSubtrees	subtrees;
	bool		ok;

	if (!fg_subtrees_begin(ctx, tree, &subtrees))
		return false;
	ok = first_flagged(&subtrees, flags, &roots, &count) &&
		fg_subtrees_sum(&subtrees, roots, count, result);
	fg_subtrees_end(&subtrees);
	fg_release(ctx, roots);
	return ok;
}

/* --- all tasks at once ---------------------------------------------------------------- */

/* Roots as (task, node), in preorder. */
typedef struct Found
{
	FgNumberPair *roots;
	size_t		capacity;
	uint32_t	count;
} Found;

/*
 * Nodes times the tasks that each starts: as many as the tree has nodes, where most have
 * one, and this many in any case.
 */
#define MOST_ROOTS (UINT32_C(1) << 24)

static bool
add_root(FgContext *ctx, const FgTree *tree, Found *found, uint32_t task, uint32_t node)
{
	if (found->count >= MOST_ROOTS && found->count >= tree->nnodes)
		return fg_fail_at(ctx, FG_ERROR_LIMIT, 0, 0,
						  "Use fewer tasks at a time, or ones that fewer frames carry.",
						  "tasks start at more than %u places together", found->count);
	if (!fg_reserve(ctx, (void **) &found->roots, &found->capacity, (size_t) found->count + 1,
					sizeof(FgNumberPair)))
		return false;
	found->roots[found->count++] = (FgNumberPair) {task, node};
	return true;
}

static bool
find_roots(FgContext *ctx, const FgTree *tree, const FgFrameTasks *tasks, uint32_t *latest,
		   Found *found)
{
	FgWalk		walk;
	bool		ok = fg_walk_begin(ctx, tree, &walk);

	while (ok && fg_walk_next(&walk))
	{
		for (uint32_t t = tasks->first[walk.frame]; ok && t < tasks->first[walk.frame + 1]; t++)
		{
			uint32_t	task = tasks->task[t];

			ok = fg_steps(ctx, 1);
			if (fg_walk_below(&walk, latest[task]))
				continue;
			latest[task] = walk.node;
			ok = ok && add_root(ctx, tree, found, task, walk.node);
		}
	}
	return fg_walk_end(&walk) && ok;
}

/* Groups them by task; the order within each stays. */
static bool
group_roots(FgContext *ctx, const Found *found, uint32_t ntasks, uint32_t *next,
			FgTaskRoots *roots)
{
	for (uint32_t i = 0; i < found->count; i++)
		roots->first[found->roots[i].a + 1]++;
	for (uint32_t t = 0; t < ntasks; t++)
	{
		roots->first[t + 1] += roots->first[t];
		next[t] = roots->first[t];
	}
	for (uint32_t i = 0; i < found->count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		roots->node[next[found->roots[i].a]++] = found->roots[i].b;
	}
	return true;
}

bool
fg_task_roots(FgContext *ctx, const FgTree *tree, const FgFrameTasks *tasks, FgTaskRoots *roots)
{
	uint32_t   *latest = fg_alloc_zero(ctx, tasks->ntasks, sizeof(uint32_t));
	Found		found = {NULL, 0, 0};
	bool		ok;

	memset(roots, 0, sizeof(*roots));
	roots->first = fg_alloc_zero(ctx, (size_t) tasks->ntasks + 1, sizeof(uint32_t));
	ok = latest != NULL && roots->first != NULL && find_roots(ctx, tree, tasks, latest, &found);
	if (ok)
		roots->node = fg_alloc(ctx, found.count, sizeof(uint32_t));
	ok = ok && roots->node != NULL && group_roots(ctx, &found, tasks->ntasks, latest, roots);
	fg_release(ctx, latest);
	fg_release(ctx, found.roots);
	if (!ok)
		fg_task_roots_free(ctx, roots);
	return ok;
}

bool
fg_task_samples(FgContext *ctx, const FgTree *tree, const FgTaskRoots *roots, uint32_t ntasks,
				double *samples)
{
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	bool		ok = totals != NULL && fg_tree_totals(ctx, tree, totals);

	for (uint32_t t = 0; ok && t < ntasks; t++)
	{
		samples[t] = 0;
		for (uint32_t i = roots->first[t]; i < roots->first[t + 1]; i++)
			samples[t] += totals[roots->node[i]];
		ok = fg_steps(ctx, roots->first[t + 1] - roots->first[t] + 1);
		if (ok && !isfinite(samples[t]))
			ok = fg_fail(ctx, FG_ERROR_RANGE, "an inclusive value is out of range");
	}
	fg_release(ctx, totals);
	return ok;
}

void
fg_task_roots_free(FgContext *ctx, FgTaskRoots *roots)
{
	fg_release(ctx, roots->first);
	fg_release(ctx, roots->node);
	memset(roots, 0, sizeof(*roots));
}
