/*
 * intervals.c
 *	  Union and cutting of lists of intervals (see intervals.h).
 */
#include "core/jobs/intervals.h"

void
fg_intervals_free(FgContext *ctx, FgTimeRanges *intervals)
{
	fg_release(ctx, intervals->list);
	*intervals = (FgTimeRanges) {.list = NULL};
}

/* The end of the ascending run that begins here. */
static size_t
run_end(const FgTimeRange *list, size_t start, size_t count)
{
	size_t		end = start < count ? start + 1 : start;

	while (end < count && list[end].start >= list[end - 1].start)
		end++;
	return end;
}

static bool
merge(FgContext *ctx, const FgTimeRange *from, FgTimeRange *to, size_t start, size_t middle,
	  size_t end)
{
	size_t		i = start;
	size_t		j = middle;

	for (size_t k = start; k < end; k++)
	{
		if (!fg_check_every(ctx, k - start + 1))
			return false;
		if (i < middle && (j >= end || from[i].start <= from[j].start))
			to[k] = from[i++];
		else
			to[k] = from[j++];
	}
	return fg_steps(ctx, 1);
}

/* Merges pairs of neighbouring runs; how many runs are left is in *runs. */
static bool
merge_runs(FgContext *ctx, const FgTimeRange *from, FgTimeRange *to, size_t count, size_t *runs)
{
	*runs = 0;
	for (size_t start = 0; start < count;)
	{
		size_t		middle = run_end(from, start, count);
		size_t		end = run_end(from, middle, count);

		if (!merge(ctx, from, to, start, middle, end))
			return false;
		start = end;
		++*runs;
	}
	return true;
}

static void
coalesce(FgTimeRanges *intervals)
{
	FgTimeRange *list = intervals->list;
	size_t		kept = 0;

	for (size_t i = 1; i < intervals->count; i++)
	{
		if (list[i].start > list[kept].end)
			list[++kept] = list[i];
		else if (list[i].end > list[kept].end)
			list[kept].end = list[i].end;
	}
	intervals->count = kept + 1;
}

bool
fg_intervals_unite(FgContext *ctx, FgTimeRanges *intervals, FgTimeRanges *spare)
{
	size_t		count = intervals->count;

	if (count < 2)
		return true;
	if (intervals->runs > 1 &&
		!fg_reserve(ctx, (void **) &spare->list, &spare->capacity, count, sizeof(FgTimeRange)))
		return false;
	while (intervals->runs > 1)
	{
		FgTimeRanges swap = *intervals;
		size_t		runs;

		if (!merge_runs(ctx, intervals->list, spare->list, count, &runs))
			return false;
		*intervals = *spare;
		*spare = swap;
		intervals->count = count;
		intervals->runs = runs;
	}
	coalesce(intervals);
	return fg_steps(ctx, count);
}

bool
fg_intervals_add_clipped(FgContext *ctx, FgTimeRanges *to, const FgTimeRange *list, size_t count,
						 int64_t start, int64_t end)
{
	for (size_t i = fg_intervals_seek(list, count, start); i < count && list[i].start < end; i++)
	{
		if (!fg_intervals_add(ctx, to, list[i].start > start ? list[i].start : start,
							  list[i].end < end ? list[i].end : end) ||
			!fg_steps(ctx, 1))
			return false;
	}
	return true;
}

bool
fg_intervals_intersect(FgContext *ctx, const FgTimeRanges *a, const FgTimeRanges *b,
					   FgTimeRanges *to)
{
	for (size_t i = 0, k = 0; i < a->count && k < b->count;)
	{
		FgTimeRange x = a->list[i];
		FgTimeRange y = b->list[k];

		if (!fg_intervals_add(ctx, to, x.start > y.start ? x.start : y.start,
							  x.end < y.end ? x.end : y.end))
			return false;
		if (x.end < y.end)
			i++;
		else
			k++;
		if (!fg_steps(ctx, 1))
			return false;
	}
	return true;
}
