/*
 * intervals.h
 *	  Sets of times as lists of half-open intervals [start, end).
 *
 * A list is normal when its intervals are sorted, none is empty and no two overlap or
 * touch.  Times are ticks (slices.h).
 */
#ifndef FG_INTERVALS_H
#define FG_INTERVALS_H

#include "core/base/context.h"

/* The difference of two ticks never overflows: none is farther from 0. */
#define FG_MAX_TICKS (INT64_C(1) << 62)

typedef struct FgTimeRange
{
	int64_t		start;
	int64_t		end;
} FgTimeRange;

typedef struct FgTimeRanges
{
	FgTimeRange *list;
	size_t		count;
	size_t		capacity;
	size_t		runs;			/* ascending runs, by start, of what fg_intervals_add() got */
} FgTimeRanges;

/* Appends as it is; empty ones are left out. */
static inline bool
fg_intervals_add(FgContext *ctx, FgTimeRanges *to, int64_t start, int64_t end)
{
	if (start >= end)
		return true;
	if (to->count == to->capacity &&
		!fg_reserve(ctx, (void **) &to->list, &to->capacity, to->count + 1, sizeof(FgTimeRange)))
		return false;
	if (to->count == 0 || start < to->list[to->count - 1].start)
		to->runs++;
	to->list[to->count++] = (FgTimeRange) {start, end};
	return true;
}

/* The same for ascending starts, behind list[from]: what touches the last one extends it. */
static inline bool
fg_intervals_extend(FgContext *ctx, FgTimeRanges *to, size_t from, int64_t start, int64_t end)
{
	FgTimeRange *last;

	if (start >= end || to->count == from)
		return fg_intervals_add(ctx, to, start, end);
	last = &to->list[to->count - 1];
	if (start > last->end)
		return fg_intervals_add(ctx, to, start, end);
	last->end = end > last->end ? end : last->end;
	return true;
}

static inline void
fg_intervals_clear(FgTimeRanges *intervals)
{
	intervals->count = 0;
	intervals->runs = 0;
}

extern void fg_intervals_free(FgContext *ctx, FgTimeRanges *intervals);

/*
 * Makes a list normal: sorts it, and unites what overlaps or touches.  A merge of the runs
 * it consists of, so lists that were put one behind the other cost little.
 */
extern bool fg_intervals_unite(FgContext *ctx, FgTimeRanges *intervals, FgTimeRanges *spare);

/* The first of a normal list that ends after "time"; count when there is none. */
static inline size_t
fg_intervals_seek(const FgTimeRange *list, size_t count, int64_t time)
{
	size_t		low = 0;

	while (low < count)
	{
		size_t		middle = low + (count - low) / 2;

		if (list[middle].end <= time)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Appends the part of a normal list that lies in [start, end). */
extern bool fg_intervals_add_clipped(FgContext *ctx, FgTimeRanges *to, const FgTimeRange *list,
									 size_t count, int64_t start, int64_t end);

/* Appends what two normal lists have in common, as a normal list. */
extern bool fg_intervals_intersect(FgContext *ctx, const FgTimeRanges *a, const FgTimeRanges *b,
								   FgTimeRanges *to);

#endif							/* FG_INTERVALS_H */
