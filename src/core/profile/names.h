/*
 * names.h
 *	  Names of frames under numbers, in the order in which they come.
 *
 * A profile under construction meets each of its frames many times; profiles that are
 * worked on together have a dictionary each.  Either costs a look-up a frame, and
 * nothing that came earlier has to be touched; at the end the names are sorted once, and
 * numbers compare as frames do.
 *
 * The table keeps the hash of each name beside its number, so that a look-up reads the
 * bytes of one name and growing reads none.
 */
#ifndef FG_NAMES_H
#define FG_NAMES_H

#include "core/base/hash.h"
#include "core/profile/frames.h"

#include <string.h>

typedef struct FgNames
{
	FgContext  *ctx;
	char	   *bytes;
	size_t		size;
	size_t		bytes_capacity;
	size_t	   *offset;
	size_t		offset_capacity;
	uint32_t   *length;
	size_t		length_capacity;
	uint32_t	count;
	uint64_t   *slot;			/* hash in the high half, number + 1 in the low; 0 for none */
	uint32_t	mask;
} FgNames;

extern bool fg_names_begin(FgContext *ctx, FgNames *names);
extern void fg_names_free(FgNames *names);

/* The number of a name, a new one for a new name. */
extern bool fg_names_add(FgNames *names, const char *name, size_t length, uint32_t *number);

/* numbers[f] for each frame of a dictionary. */
extern bool fg_names_add_frames(FgNames *names, const FgFrames *frames, uint32_t *numbers);

/* The names as a dictionary; place[number] is where a name stands in it. */
extern bool fg_names_sort(FgNames *names, FgFrames *frames, uint32_t *place);

/* --- the halves of fg_names_add, for who has to look at a new name first ----------- */

static inline uint32_t
fg_names_hash(const FgNames *names, const char *name, size_t length)
{
	return fg_hash_bytes(names->ctx->seed, name, length);
}

/* The number of the name with this hash, FG_NONE when it is new. */
static inline uint32_t
fg_names_find(const FgNames *names, const char *name, size_t length, uint32_t hash)
{
	for (uint32_t at = hash & names->mask; names->slot[at] != 0; at = (at + 1) & names->mask)
	{
		uint32_t	number = (uint32_t) names->slot[at] - 1;

		if ((uint32_t) (names->slot[at] >> 32) == hash && names->length[number] == length &&
			fg_same_bytes(names->bytes + names->offset[number], name, length))
			return number;
	}
	return FG_NONE;
}

/* Gives a name that was not found the next number. */
extern bool fg_names_append(FgNames *names, const char *name, size_t length, uint32_t hash,
							uint32_t *number);

#endif							/* FG_NAMES_H */
