/*
 * slots.c
 *	  Slots of a hash table (see slots.h).
 */
#include "core/base/slots.h"

bool
fg_slots_grow(FgContext *ctx, uint64_t **slots, uint32_t *mask)
{
	uint32_t	wider = *mask * 2 + 1;
	uint64_t   *all = fg_alloc_zero(ctx, (size_t) wider + 1, sizeof(uint64_t));

	if (all == NULL)
		return false;
	for (uint32_t i = 0; i <= *mask; i++)
	{
		if (!fg_check_every(ctx, i))
		{
			fg_release(ctx, all);
			return false;
		}
		if ((*slots)[i] != 0)
			fg_slots_put(all, wider, (*slots)[i]);
	}
	fg_release(ctx, *slots);
	*slots = all;
	*mask = wider;
	return true;
}
