/*
 * v8_order.c
 *	  Samples of V8 in the order of their times (see v8_order.h).
 */
#include "core/browsers/v8_order.h"

#include "core/base/order.h"

#include <inttypes.h>
#include <string.h>

void
fg_v8_order_begin(FgContext *ctx, FgV8Order *order, FgV8Take take, void *arg)
{
	*order = (FgV8Order) {.ctx = ctx, .take = take, .arg = arg};
}

void
fg_v8_order_free(FgV8Order *order)
{
	fg_release(order->ctx, order->times);
	fg_release(order->ctx, order->nodes);
	order->times = NULL;
	order->nodes = NULL;
}

/* Puts copies of the times and nodes back in the order "by", of negated times. */
static bool
permute(FgV8Order *o, const uint32_t *by, double *times, uint32_t *nodes)
{
	memcpy(times, o->times, o->count * sizeof(double));
	memcpy(nodes, o->nodes, o->count * sizeof(uint32_t));
	for (uint32_t i = 0; i < o->count; i++)
	{
		if (!fg_check_every(o->ctx, i))
			return false;
		o->times[i] = -times[by[i]];
		o->nodes[i] = nodes[by[i]];
	}
	o->unsorted = false;
	return true;
}

static bool
sort_window(FgV8Order *o)
{
	double	   *times;
	uint32_t   *nodes;
	uint32_t   *by;
	bool		ok;

	if (!o->unsorted)
		return true;
	times = fg_alloc(o->ctx, o->count, sizeof(double));
	nodes = fg_alloc(o->ctx, o->count, sizeof(uint32_t));
	by = fg_alloc(o->ctx, o->count, sizeof(uint32_t));
	ok = times != NULL && nodes != NULL && by != NULL;
	for (uint32_t i = 0; ok && i < o->count; i++)
		o->times[i] = -o->times[i];
	ok = ok && fg_order_descending(o->ctx, o->times, o->count, by) && permute(o, by, times, nodes);
	fg_release(o->ctx, times);
	fg_release(o->ctx, nodes);
	fg_release(o->ctx, by);
	return ok;
}

static bool
take_some(FgV8Order *o, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		if (!o->take(o->arg, o->nodes[i], o->times[i], o->times[i + 1]) || !fg_check_every(o->ctx, i))
			return false;
	}
	return true;
}

static bool
take_half(FgV8Order *o)
{
	uint32_t	half = o->count / 2;

	if (!sort_window(o) || !take_some(o, half))
		return false;
	o->taken += half;
	o->count -= half;
	o->boundary = o->times[half];
	memmove(o->times, o->times + half, o->count * sizeof(double));
	memmove(o->nodes, o->nodes + half, o->count * sizeof(uint32_t));
	return true;
}

/* Room for another sample. */
static bool
make_room(FgV8Order *o)
{
	size_t		room;

	if (o->count < o->room)
		return true;
	if (o->count == FG_V8_WINDOW)
		return take_half(o);
	if (!fg_reserve(o->ctx, (void **) &o->times, &o->times_room, (size_t) o->count + 1, sizeof(double)) ||
		!fg_reserve(o->ctx, (void **) &o->nodes, &o->nodes_room, (size_t) o->count + 1, sizeof(uint32_t)))
		return false;
	room = o->times_room < o->nodes_room ? o->times_room : o->nodes_room;
	o->room = room < FG_V8_WINDOW ? (uint32_t) room : FG_V8_WINDOW;
	return true;
}

bool
fg_v8_order_add_other(FgV8Order *o, uint32_t node, double time)
{
	if (!make_room(o))
		return false;
	if (o->taken > 0 && time < o->boundary)
		return fg_fail(o->ctx, FG_ERROR_LIMIT, "sample %" PRIu64 " is out of order by more than %u samples",
					   o->taken + o->count + 1, (unsigned) FG_V8_WINDOW / 2);
	o->unsorted |= o->count > 0 && time < o->times[o->count - 1];
	o->times[o->count] = time;
	o->nodes[o->count++] = node;
	return true;
}

bool
fg_v8_order_finish(FgV8Order *o, double end)
{
	double		last;

	if (o->count == 0)
		return true;
	if (!sort_window(o) || !take_some(o, o->count - 1))
		return false;
	last = o->times[o->count - 1];
	return o->take(o->arg, o->nodes[o->count - 1], last, end > last ? end : last);
}
