/*
 * occurrence.c
 *	  Occurrences of contexts (see occurrence.h).
 */
#include "core/compare/occurrence.h"

#include "core/compare/observations.h"

#include <math.h>
#include <string.h>

static bool
append(FgContext *ctx, FgOccurrences *to, uint32_t frame, uint32_t anchor, uint32_t tip)
{
	if (!fg_reserve(ctx, (void **) &to->list, &to->capacity, to->count + 1, sizeof(FgOccurrence)))
		return false;
	to->list[to->count++] = (FgOccurrence) {frame, anchor, tip};
	return fg_check_every(ctx, to->count);
}

static bool
in_order(const FgOccurrence *list, size_t count)
{
	for (size_t i = 1; i < count; i++)
	{
		if (list[i].frame < list[i - 1].frame)
			return false;
	}
	return true;
}

static bool
merge_by_frame(FgContext *ctx, const FgOccurrence *from, FgOccurrence *to, size_t start,
			   size_t middle, size_t end)
{
	size_t		i = start;
	size_t		j = middle;

	for (size_t k = start; k < end; k++)
	{
		if (!fg_check_every(ctx, k + 1))
			return false;
		to[k] = i < middle && (j >= end || from[j].frame >= from[i].frame) ? from[i++] : from[j++];
	}
	return true;
}

static bool
sort_by_frame(FgContext *ctx, FgOccurrences *all)
{
	size_t		count = all->count;
	FgOccurrence *from = all->list;
	FgOccurrence *spare;
	FgOccurrence *to;
	bool		ok = true;

	/* a list is mostly shorter than what fg_check_every() lets pass */
	if (!fg_check(ctx))
		return false;
	if (in_order(all->list, count))
		return true;
	to = spare = fg_alloc(ctx, count, sizeof(FgOccurrence));
	if (spare == NULL)
		return false;
	for (size_t width = 1; ok && width < count; width *= 2)
	{
		FgOccurrence *swap = from;

		for (size_t start = 0; ok && start < count; start += 2 * width)
		{
			size_t		left = count - start;

			ok = merge_by_frame(ctx, from, to, start, left < width ? count : start + width,
								left < 2 * width ? count : start + 2 * width);
		}
		from = to;
		to = swap;
	}
	if (ok && from != all->list)
		ok = fg_copy(ctx, all->list, from, count * sizeof(FgOccurrence));
	fg_release(ctx, spare);
	return ok;
}

bool
fg_occurrences_of(FgContext *ctx, const FgForestPart *part, uint32_t frame, FgOccurrences *result)
{
	*result = (FgOccurrences) {NULL, 0, 0};
	for (uint32_t i = 0; i < part->count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (part->frame[i] == frame && !append(ctx, result, frame, i, i))
			return false;
	}
	return true;
}

/* Where each frame's nodes begin, in next[], for the counts in it. */
static void
start_frames(size_t *next, uint32_t nframes)
{
	size_t		start = 0;

	for (uint32_t f = 0; f < nframes; f++)
	{
		size_t		count = next[f];

		next[f] = start;
		start += count;
	}
}

/* By counting: a whole profile at once, where sorting would be most of the work. */
bool
fg_occurrences_all(FgContext *ctx, const FgForestPart *part, uint32_t nframes,
				   FgOccurrences *result)
{
	size_t	   *next = fg_alloc_zero(ctx, nframes, sizeof(size_t));
	bool		ok;

	*result = (FgOccurrences) {.list = fg_alloc(ctx, part->count, sizeof(FgOccurrence))};
	ok = next != NULL && result->list != NULL && fg_check(ctx);
	for (uint32_t i = 0; ok && i < part->count; i++)
	{
		next[part->frame[i]]++;
		ok = fg_check_every(ctx, i + 1);
	}
	if (ok)
		start_frames(next, nframes);
	for (uint32_t i = 0; ok && i < part->count; i++)
	{
		uint32_t	frame = part->frame[i];

		result->list[next[frame]++] = (FgOccurrence) {frame, i, i};
		ok = fg_check_every(ctx, i + 1);
	}
	if (ok)
		result->count = result->capacity = part->count;
	fg_release(ctx, next);
	return ok;
}

/* Children follow each other where their elder siblings end. */
static bool
append_children(FgContext *ctx, const FgForestPart *part, FgOccurrence at, FgOccurrences *result)
{
	for (uint32_t c = at.tip + 1; c <= part->last[at.tip]; c = part->last[c] + 1)
	{
		if (!fg_steps(ctx, 1) ||
			(part->parent[c] == at.tip && !append(ctx, result, part->frame[c], at.anchor, c)))
			return false;
	}
	return true;
}

bool
fg_occurrences_extend(FgContext *ctx, const FgForestPart *part, const FgOccurrence *list,
					  size_t count, bool upwards, FgOccurrences *result)
{
	*result = (FgOccurrences) {NULL, 0, 0};
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	parent = part->parent[list[i].tip];

		if (!upwards)
		{
			if (!append_children(ctx, part, list[i], result))
				return false;
		}
		else if (parent != FG_NO_NODE &&
				 !append(ctx, result, part->frame[parent], list[i].anchor, parent))
			return false;
	}
	return sort_by_frame(ctx, result);
}

/* --- sets of nodes -------------------------------------------------------------------- */

bool
fg_node_set_begin(FgContext *ctx, FgNodeSet *set)
{
	*set = (FgNodeSet) {.ctx = ctx};
	set->nearest = fg_alloc(ctx, FG_MAX_DEPTH + 1, sizeof(uint32_t));
	return set->nearest != NULL;
}

void
fg_node_set_free(FgNodeSet *set)
{
	if (set->ctx == NULL)
		return;
	fg_release(set->ctx, set->nodes);
	fg_release(set->ctx, set->spare);
	fg_release(set->ctx, set->nearest);
	memset(set, 0, sizeof(*set));
}

static bool
merge_nodes(FgContext *ctx, const uint32_t *from, uint32_t *to, size_t start, size_t middle,
			size_t end)
{
	size_t		i = start;
	size_t		j = middle;

	for (size_t k = start; k < end; k++)
	{
		if (!fg_check_every(ctx, k + 1))
			return false;
		to[k] = i < middle && (j >= end || from[j] >= from[i]) ? from[i++] : from[j++];
	}
	return true;
}

static bool
sort_nodes(FgNodeSet *set)
{
	uint32_t   *from = set->nodes;
	uint32_t   *to;

	if (!fg_reserve(set->ctx, (void **) &set->spare, &set->spare_capacity, set->count,
					sizeof(uint32_t)))
		return false;
	to = set->spare;
	for (size_t width = 1; width < set->count; width *= 2)
	{
		uint32_t   *swap = from;

		for (size_t start = 0; start < set->count; start += 2 * width)
		{
			size_t		left = set->count - start;

			if (!merge_nodes(set->ctx, from, to, start, left < width ? set->count : start + width,
							 left < 2 * width ? set->count : start + 2 * width))
				return false;
		}
		from = to;
		to = swap;
	}
	return from == set->nodes ||
		fg_copy(set->ctx, set->nodes, from, set->count * sizeof(uint32_t));
}

bool
fg_node_set_fill(FgNodeSet *set, const FgOccurrence *list, size_t count, bool tips)
{
	bool		sorted = true;
	size_t		distinct = 0;

	if (!fg_reserve(set->ctx, (void **) &set->nodes, &set->capacity, count, sizeof(uint32_t)))
		return false;
	set->count = count;
	for (size_t i = 0; i < count; i++)
	{
		set->nodes[i] = tips ? list[i].tip : list[i].anchor;
		sorted = sorted && (i == 0 || set->nodes[i - 1] < set->nodes[i]);
		if (!fg_check_every(set->ctx, i))
			return false;
	}
	if (sorted)
		return true;
	if (!sort_nodes(set))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		if (i == 0 || set->nodes[i] != set->nodes[distinct - 1])
			set->nodes[distinct++] = set->nodes[i];
	}
	set->count = distinct;
	return true;
}

/* Members below another one are in its total already. */
static double
total_of(const FgNodeSet *set, const FgForestPart *part)
{
	double		sum = 0;

	for (size_t i = 0, next = 0; i < set->count; i++)
	{
		if (set->nodes[i] < next)
			continue;
		sum += part->total[set->nodes[i]];
		next = (size_t) part->last[set->nodes[i]] + 1;
	}
	return sum;
}

static double
self_of(const FgNodeSet *set, const FgForestPart *part)
{
	double		sum = 0;

	for (size_t i = 0; i < set->count; i++)
		sum += part->self[set->nodes[i]];
	return sum;
}

#define NONE_ABOVE FG_NONE

/* nearest[d] is the depth of the nearest member above the path's node at depth d, or of it. */
static bool
potential_of(FgNodeSet *set, const FgForestPart *part, uint32_t degree, double *sum)
{
	size_t		k = 0;

	*sum = 0;
	while (k < set->count)
	{
		uint32_t	top = set->nodes[k];

		for (uint32_t i = top; i <= part->last[top]; i++)
		{
			uint32_t	d = part->depth[i];

			if (!fg_check_every(set->ctx, i))
				return false;
			if (k < set->count && set->nodes[k] == i)
			{
				set->nearest[d] = d;
				k++;
			}
			else
				set->nearest[d] = part->parent[i] == FG_NO_NODE ? NONE_ABOVE : set->nearest[d - 1];
			if (set->nearest[d] != NONE_ABOVE && d - set->nearest[d] <= degree)
				*sum += part->self[i];
		}
	}
	return true;
}

bool
fg_node_set_value(FgNodeSet *set, const FgForestPart *part, uint32_t metric, double *value)
{
	*value = 0;
	if (metric == FG_METRIC_TOTAL)
		*value = total_of(set, part);
	else if (metric == FG_METRIC_SELF)
		*value = self_of(set, part);
	else if (!potential_of(set, part, metric, value))
		return false;
	if (!isfinite(*value))
		return fg_fail(set->ctx, FG_ERROR_RANGE, "the value of a context is out of range");
	return true;
}
