/*
 * slots.h
 *	  Slots of a hash table with open addressing, whose entries are numbered and lie elsewhere.
 *
 * A slot has the hash of its entry in the high half and the number of it, plus 1, in the low one; 0 is
 * none. There are "mask" + 1 of them, a power of two. Who looks for an entry begins at its hash and ends
 * at the first slot that is free, so some always have to be.
 */
#ifndef FG_SLOTS_H
#define FG_SLOTS_H

#include "core/base/context.h"

static inline void
fg_slots_put(uint64_t *slots, uint32_t mask, uint64_t slot)
{
	uint32_t	at = (uint32_t) (slot >> 32) & mask;

	while (slots[at] != 0)
		at = (at + 1) & mask;
	slots[at] = slot;
}

/* Twice as many. The old ones hold until the new ones are full: after an error all is as before. */
extern bool fg_slots_grow(FgContext *ctx, uint64_t **slots, uint32_t *mask);

#endif							/* FG_SLOTS_H */
