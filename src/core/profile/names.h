/*
 * names.h
 *	  Frames of many profiles under common numbers.
 *
 * Each profile has a dictionary of its own.  Names are numbered as they come, so
 * that a profile costs a look-up a frame and no earlier one has to be touched; at the
 * end they are sorted once, and numbers compare as frames do.
 */
#ifndef FG_NAMES_H
#define FG_NAMES_H

#include "core/profile/frames.h"

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
	uint32_t   *slot;			/* number + 1 of the name that lies there, 0 for none */
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

#endif							/* FG_NAMES_H */
