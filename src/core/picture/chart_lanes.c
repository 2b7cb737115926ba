/*
 * chart_lanes.c
 *	  The lanes of a flame chart: one for each thread, more where its samples overlap.
 *
 * A sample goes to the first lane of its thread that is free when it starts.  Which lanes are
 * busy until when is a heap, which are free another one, so it is n log n of samples even where
 * each overlaps all others.  As many lanes come of it as samples overlap at most (interval
 * partitioning; Kleinberg and Tardos 2005, section 4.1).
 */
#include "core/picture/chart_internal.h"

/* --- heaps -------------------------------------------------------------------------- */

typedef struct HeapEntry
{
	double		key;
	uint32_t	lane;
} HeapEntry;

/* The entry with the smallest key is entry 0. */
typedef struct Heap
{
	HeapEntry  *entries;
	size_t		capacity;
	size_t		count;
} Heap;

static bool
heap_push(FgContext *ctx, Heap *heap, HeapEntry entry)
{
	size_t		at = heap->count;

	if (!fg_reserve(ctx, (void **) &heap->entries, &heap->capacity, heap->count + 1,
					sizeof(HeapEntry)))
		return false;
	for (; at > 0 && entry.key < heap->entries[(at - 1) / 2].key; at = (at - 1) / 2)
		heap->entries[at] = heap->entries[(at - 1) / 2];
	heap->entries[at] = entry;
	heap->count++;
	return true;
}

/* Of a heap that is not empty. */
static HeapEntry
heap_pop(Heap *heap)
{
	HeapEntry	first = heap->entries[0];
	HeapEntry	last = heap->entries[--heap->count];
	size_t		at = 0;

	for (size_t child = 1; child < heap->count; child = 2 * at + 1)
	{
		if (child + 1 < heap->count && heap->entries[child + 1].key < heap->entries[child].key)
			child++;
		if (!(heap->entries[child].key < last.key))
			break;
		heap->entries[at] = heap->entries[child];
		at = child;
	}
	if (heap->count > 0)
		heap->entries[at] = last;
	return first;
}

/* --- sorting by thread, then by lane -------------------------------------------------- */

/* start[k + 1] holds how many are of kind k; becomes where those of kind k + 1 begin. */
static bool
add_up(FgContext *ctx, uint32_t *start, uint32_t kinds)
{
	for (uint32_t k = 0; k < kinds; k++)
	{
		start[k + 1] += start[k];
		if (!fg_check_every(ctx, k))
			return false;
	}
	return true;
}

/* Threads get numbers in the order in which they come; samples keep these. */
static bool
number_threads(FgChartTime *t)
{
	uint32_t   *number = fg_alloc_zero(t->ctx, t->threads.count, sizeof(uint32_t));
	bool		ok;

	t->thread = fg_alloc_zero(t->ctx, t->threads.count, sizeof(FgChartThread));
	ok = number != NULL && t->thread != NULL;
	for (uint32_t i = 0; ok && i < t->count; i++)
	{
		uint32_t	name = t->samples[i].thread;

		if (number[name] == 0)
		{
			t->thread[t->nthreads++].name = name;
			number[name] = t->nthreads;
		}
		t->samples[i].thread = number[name] - 1;
		t->thread[number[name] - 1].samples++;
		ok = fg_check_every(t->ctx, i);
	}
	fg_release(t->ctx, number);
	return ok;
}

typedef struct Lanes
{
	FgChartTime *time;
	uint32_t   *by_thread;		/* numbers of samples */
	uint32_t   *lane;			/* by place in by_thread */
	Heap		busy;			/* by the time until which they are */
	Heap		free;			/* by number */
} Lanes;

static bool
sort_by_thread(Lanes *l)
{
	FgChartTime *t = l->time;
	uint32_t   *start = fg_alloc_zero(t->ctx, (size_t) t->nthreads + 1, sizeof(uint32_t));
	bool		ok = start != NULL;

	for (uint32_t k = 0; ok && k < t->nthreads; k++)
	{
		start[k + 1] = t->thread[k].samples;
		ok = fg_check_every(t->ctx, k);
	}
	ok = ok && add_up(t->ctx, start, t->nthreads);
	for (uint32_t i = 0; ok && i < t->count; i++)
	{
		l->by_thread[start[t->samples[i].thread]++] = i;
		ok = fg_check_every(t->ctx, i);
	}
	fg_release(t->ctx, start);
	return ok;
}

/* --- lanes -------------------------------------------------------------------------- */

static bool
free_lanes(Lanes *l, double start)
{
	FgContext  *ctx = l->time->ctx;

	while (l->busy.count > 0 && l->busy.entries[0].key <= start + fg_chart_touch(start))
	{
		HeapEntry	entry = heap_pop(&l->busy);

		if (!fg_steps(ctx, 16) ||
			!heap_push(ctx, &l->free, (HeapEntry) {entry.lane, entry.lane}))
			return false;
	}
	return true;
}

/* Lanes of one thread, whose samples begin at "first" in by_thread; and how long it was busy. */
static bool
lanes_of_thread(Lanes *l, FgChartThread *thread, uint32_t first)
{
	FgChartTime *t = l->time;
	double		until = t->from;	/* what lies before has been counted, or is not to be */

	l->busy.count = l->free.count = 0;
	thread->first_lane = t->nlanes;
	for (uint32_t k = first; k < first + thread->samples; k++)
	{
		const FgChartSample *sample = &t->samples[l->by_thread[k]];
		double		start = sample->start > until ? sample->start : until;
		double		stop = sample->stop < t->to ? sample->stop : t->to;
		uint32_t	lane;

		if (!free_lanes(l, sample->start) || !fg_steps(t->ctx, 16))
			return false;
		lane = l->free.count > 0 ? heap_pop(&l->free).lane : thread->lanes++;
		if (!heap_push(t->ctx, &l->busy, (HeapEntry) {sample->stop, lane}))
			return false;
		l->lane[k] = t->nlanes + lane;
		if (stop > start)
		{
			thread->busy += stop - start;
			until = stop;
		}
	}
	t->nlanes += thread->lanes;
	return true;
}

static bool
sort_by_lane(Lanes *l)
{
	FgChartTime *t = l->time;
	uint32_t   *next;
	bool		ok;

	t->lane_start = fg_alloc_zero(t->ctx, (size_t) t->nlanes + 1, sizeof(uint32_t));
	next = fg_alloc(t->ctx, (size_t) t->nlanes + 1, sizeof(uint32_t));
	ok = t->lane_start != NULL && next != NULL;
	for (uint32_t k = 0; ok && k < t->count; k++)
	{
		t->lane_start[l->lane[k] + 1]++;
		ok = fg_check_every(t->ctx, k);
	}
	ok = ok && add_up(t->ctx, t->lane_start, t->nlanes) &&
		fg_copy(t->ctx, next, t->lane_start, ((size_t) t->nlanes + 1) * sizeof(uint32_t));
	for (uint32_t k = 0; ok && k < t->count; k++)
	{
		t->by_lane[next[l->lane[k]]++] = l->by_thread[k];
		ok = fg_check_every(t->ctx, k);
	}
	fg_release(t->ctx, next);
	return ok;
}

bool
fg_chart_lanes(FgChartTime *t)
{
	Lanes		l = {.time = t};
	uint32_t	first = 0;
	bool		ok;

	l.by_thread = fg_alloc(t->ctx, t->count, sizeof(uint32_t));
	l.lane = fg_alloc(t->ctx, t->count, sizeof(uint32_t));
	t->by_lane = fg_alloc(t->ctx, t->count, sizeof(uint32_t));
	ok = l.by_thread != NULL && l.lane != NULL && t->by_lane != NULL && number_threads(t) &&
		sort_by_thread(&l);
	for (uint32_t k = 0; ok && k < t->nthreads; k++)
	{
		ok = lanes_of_thread(&l, &t->thread[k], first);
		first += t->thread[k].samples;
	}
	ok = ok && sort_by_lane(&l);
	fg_release(t->ctx, l.by_thread);
	fg_release(t->ctx, l.lane);
	fg_release(t->ctx, l.busy.entries);
	fg_release(t->ctx, l.free.entries);
	return ok;
}
