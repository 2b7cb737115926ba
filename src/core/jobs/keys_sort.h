/*
 * keys_sort.h
 *	  Sorts numbers that carry another one along: change points and what changes there.
 *
 * Workload: hundred thousands of times within some days, in runs that are sorted already.
 */
#ifndef FG_KEYS_SORT_H
#define FG_KEYS_SORT_H

#include "core/base/context.h"

typedef struct FgSortKey
{
	int64_t		key;
	uint32_t	item;
} FgSortKey;

/*
 * Sorts keys[0 .. count) ascending; equal keys keep their order.  "spare" has room for as
 * many.  Takes linear time and a pass for each 11 bits in which the keys differ.
 */
extern bool fg_sort_keys(FgContext *ctx, FgSortKey *keys, size_t count, FgSortKey *spare);

#endif							/* FG_KEYS_SORT_H */
