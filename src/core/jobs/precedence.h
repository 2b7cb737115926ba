/*
 * precedence.h
 *	  The types of subphases in an order in which none stands before one that it waits for.
 */
#ifndef FG_PRECEDENCE_ORDER_H
#define FG_PRECEDENCE_ORDER_H

#include "core/jobs/job.h"

/*
 * type[first[t] .. first[t + 1]) are the types below type t in that order, place[] the place
 * of a type among those; before[first_before[t] ..] the types that t waits for directly.
 */
typedef struct FgPrecedenceOrder
{
	uint32_t   *type;
	uint32_t   *first;
	uint32_t   *place;
	uint32_t   *before;
	uint32_t   *first_before;
} FgPrecedenceOrder;

/* Of types without a cycle, which is FG_ERROR_ARGUMENT.  Must be freed when it fails, too. */
extern bool fg_precedence_order(FgContext *ctx, const FgJob *job, FgPrecedenceOrder *order);
extern void fg_precedence_order_free(FgContext *ctx, FgPrecedenceOrder *order);

#endif							/* FG_PRECEDENCE_ORDER_H */
