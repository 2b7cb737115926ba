/*
 * v8_order.h
 *	  Samples of V8 in the order of their times, each with the time until the next one.
 *
 * V8 writes samples nearly in order: what another thread took comes some samples late.  So not
 * all are kept, but the latest of them: when there are FG_V8_WINDOW these are sorted (if any is
 * out of order), and the earlier half is handed on.  A sample that is earlier than what was
 * handed on is an error: it is out of order by more than half a window, minutes at V8's rate.
 */
#ifndef FG_V8_ORDER_H
#define FG_V8_ORDER_H

#include "core/base/context.h"

#ifndef FG_V8_WINDOW
#define FG_V8_WINDOW (UINT32_C(1) << 19)
#endif

/* Takes a sample of a node that lasts from "time" to "stop". */
typedef bool (*FgV8Take) (void *arg, uint32_t node, double time, double stop);

typedef struct FgV8Order
{
	FgContext  *ctx;
	FgV8Take	take;
	void	   *arg;
	double	   *times;			/* of the window */
	size_t		times_room;
	uint32_t   *nodes;
	size_t		nodes_room;
	uint32_t	room;			/* of both, at most FG_V8_WINDOW */
	uint32_t	count;
	bool		unsorted;
	uint64_t	taken;			/* samples that were handed on */
	double		boundary;		/* where the last of them stopped */
} FgV8Order;

extern void fg_v8_order_begin(FgContext *ctx, FgV8Order *order, FgV8Take take, void *arg);
extern void fg_v8_order_free(FgV8Order *order);

/* A sample that is earlier than the one before, or for which there is no room. */
extern bool fg_v8_order_add_other(FgV8Order *order, uint32_t node, double time);

/* The next sample; of equal times the one that comes first is the earlier one. */
static inline bool
fg_v8_order_add(FgV8Order *order, uint32_t node, double time)
{
	uint32_t	count = order->count;

	if (count == 0 || count >= order->room || !(time >= order->times[count - 1]))
		return fg_v8_order_add_other(order, node, time);
	order->times[count] = time;
	order->nodes[count] = node;
	order->count = count + 1;
	return true;
}

/* Hands on what is left; the last sample lasts until "end" if that is later. */
extern bool fg_v8_order_finish(FgV8Order *order, double end);

#endif							/* FG_V8_ORDER_H */
