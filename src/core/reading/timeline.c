/*
 * timeline.c
 *	  The samples of a recording one by one (see timeline.h).
 */
#include "core/reading/timeline.h"

#include "core/base/bytes.h"
#include "core/base/series.h"
#include "core/profile/names.h"

#include <math.h>

/* Bytes of an event's number before the thread in the name of a lane. */
#define PREFIX 4

/* The event whose lanes are the clocks of threads. */
#define CLOCK FG_NONE

/* A thread of an event. */
typedef struct Lane
{
	FgTimed		last;			/* without its texts */
	FgBuffer	path;
	bool		pending;
	double		clock;
} Lane;

typedef struct Gaps
{
	double	   *values;
	size_t		count;
	size_t		capacity;
} Gaps;

struct FgTimeline
{
	FgContext  *ctx;
	const FgTaker *taker;
	uint64_t	order;
	FgNames		names;			/* of lanes: the event's number in PREFIX bytes, the thread */
	FgBuffer	key;
	Lane	   *lanes;
	size_t		count;
	size_t		capacity;
	size_t		pending_bytes;
	Gaps	   *gaps;			/* by event */
	size_t		gaps_count;
	size_t		gaps_capacity;
};

double
fg_timed_stop(const FgTimed *timed, double gap)
{
	double		period = timed->period > 0 ? timed->period : gap;

	if (!timed->until_next)
		return timed->stop;
	/* none follows, or the one that does is earlier: files may be put together */
	if (!(timed->stop >= timed->start))
		return timed->start + period;
	return fmin(timed->stop, timed->start + 2 * period);
}

/* --- lanes ----------------------------------------------------------------------- */

static bool
find_lane(FgTimeline *t, uint32_t number, const char *thread, size_t length, Lane **lane)
{
	uint8_t		prefix[PREFIX];
	uint32_t	at;

	fg_store_le(prefix, number, sizeof(prefix));
	t->key.size = 0;
	if (!fg_buffer_append(&t->key, prefix, sizeof(prefix)) ||
		!fg_buffer_append(&t->key, thread, length) ||
		!fg_names_add(&t->names, (char *) t->key.data, t->key.size, &at))
		return false;
	if (at == t->count)
	{
		if (t->count >= FG_MAX_LANES)
			return fg_fail(t->ctx, FG_ERROR_LIMIT, "the recording has more than %u threads",
						   FG_MAX_LANES);
		if (!fg_reserve(t->ctx, (void **) &t->lanes, &t->capacity, t->count + 1, sizeof(Lane)))
			return false;
		t->lanes[t->count++] = (Lane) {.path = {.ctx = t->ctx}};
	}
	*lane = &t->lanes[at];
	return true;
}

bool
fg_timeline_advance(FgTimeline *t, const char *thread, size_t length, double ticks,
					double *before)
{
	Lane	   *lane;

	if (!find_lane(t, CLOCK, thread, length, &lane))
		return false;
	*before = lane->clock;
	lane->clock += ticks;
	return isfinite(lane->clock) ||
		fg_fail(t->ctx, FG_ERROR_RANGE, "the times of a thread add up to more than fits");
}

/* --- gaps -------------------------------------------------------------------------- */

static bool
add_gap(FgTimeline *t, uint32_t number, double gap)
{
	Gaps	   *gaps;

	if (!fg_reserve(t->ctx, (void **) &t->gaps, &t->gaps_capacity, (size_t) number + 1,
					sizeof(Gaps)))
		return false;
	while (t->gaps_count <= number)
		t->gaps[t->gaps_count++] = (Gaps) {.values = NULL};
	gaps = &t->gaps[number];
	if (gaps->count >= FG_TIMELINE_GAPS)
		return true;
	if (!fg_reserve(t->ctx, (void **) &gaps->values, &gaps->capacity, gaps->count + 1,
					sizeof(double)))
		return false;
	gaps->values[gaps->count++] = gap;
	return true;
}

bool
fg_timeline_gap(FgTimeline *t, uint32_t number, double *gap)
{
	*gap = 0;
	if (number >= t->gaps_count || t->gaps[number].count == 0)
		return true;
	if (!fg_sort_values(t->ctx, t->gaps[number].values, t->gaps[number].count))
		return false;
	*gap = fg_median(t->gaps[number].values, t->gaps[number].count);
	return true;
}

/* --- samples ------------------------------------------------------------------------ */

/* The sample that a lane keeps; the lane's name ends with the thread. */
static bool
hand_on(FgTimeline *t, size_t at, double stop)
{
	Lane	   *lane = &t->lanes[at];
	FgTimed		timed = lane->last;

	timed.thread = timed.has_thread ? t->names.bytes + t->names.offset[at] + PREFIX : NULL;
	timed.thread_length = t->names.length[at] - PREFIX;
	timed.path = (char *) lane->path.data;
	timed.path_length = lane->path.size;
	timed.stop = stop;
	lane->pending = false;
	t->pending_bytes -= lane->path.size;
	return t->taker->take(t->taker->arg, &timed);
}

static bool
keep(FgTimeline *t, Lane *lane, const FgTimed *timed)
{
	lane->path.size = 0;
	if (timed->path_length > FG_MAX_PENDING_BYTES - t->pending_bytes)
		return fg_fail(t->ctx, FG_ERROR_LIMIT,
					   "the last stacks of all threads have more than %u bytes",
					   FG_MAX_PENDING_BYTES);
	if (!fg_buffer_append(&lane->path, timed->path, timed->path_length))
		return false;
	t->pending_bytes += timed->path_length;
	lane->last = *timed;
	lane->pending = true;
	return true;
}

bool
fg_timeline_add(FgTimeline *t, FgTimed *timed)
{
	Lane	   *lane;

	timed->order = t->order++;
	if (!timed->until_next)
		return t->taker->take(t->taker->arg, timed);
	if (!find_lane(t, timed->number, timed->has_thread ? timed->thread : "",
				   timed->has_thread ? timed->thread_length : 0, &lane))
		return false;
	if (lane->pending)
	{
		double		gap = timed->start - lane->last.start;

		if (gap > 0 && !add_gap(t, timed->number, gap))
			return false;
		if (!hand_on(t, (size_t) (lane - t->lanes), timed->start))
			return false;
	}
	return keep(t, lane, timed);
}

bool
fg_timeline_finish(FgTimeline *t)
{
	for (size_t i = 0; i < t->count; i++)
	{
		if (!fg_check_every(t->ctx, i))
			return false;
		if (t->lanes[i].pending && !hand_on(t, i, NAN))
			return false;
	}
	return true;
}

/* --- life --------------------------------------------------------------------------- */

FgTimeline *
fg_timeline_create(FgContext *ctx, const FgTaker *taker)
{
	FgTimeline *t = fg_alloc_zero(ctx, 1, sizeof(FgTimeline));

	if (t == NULL)
		return NULL;
	t->ctx = t->key.ctx = ctx;
	t->taker = taker;
	if (fg_names_begin(ctx, &t->names))
		return t;
	fg_timeline_free(t);
	return NULL;
}

void
fg_timeline_free(FgTimeline *t)
{
	if (t == NULL)
		return;
	for (size_t i = 0; i < t->count; i++)
		fg_release(t->ctx, t->lanes[i].path.data);
	for (size_t i = 0; i < t->gaps_count; i++)
		fg_release(t->ctx, t->gaps[i].values);
	fg_release(t->ctx, t->lanes);
	fg_release(t->ctx, t->gaps);
	fg_release(t->ctx, t->key.data);
	fg_names_free(&t->names);
	fg_release(t->ctx, t);
}
