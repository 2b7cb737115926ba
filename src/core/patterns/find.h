/*
 * find.h
 *	  Frames found by what somebody remembers of their names: by a part, by a pattern
 *	  with "*", or by a name that is not quite theirs.
 *
 * Letters of ASCII match in any case.  Other bytes match themselves, so a pattern cuts
 * no character of UTF-8 in two that a frame has whole.
 */
#ifndef FG_FIND_H
#define FG_FIND_H

#include "core/profile/frames.h"

/*
 * found[f] for each frame: does its name contain the text?  With a "*" in the text the
 * whole name has to match, and each "*" stands for anything.  The empty text is in all.
 * Takes time in the length of the names, whatever the text is.
 */
extern bool fg_find_frames(FgContext *ctx, const FgFrames *frames, const char *text,
						   size_t length, uint8_t *found);

/* So many names are suggested at most. */
#define FG_MAX_NEAREST 3

/*
 * The frames whose names come nearest to one that does not occur, the nearest first:
 * few letters differ, or one name is a part of the other.  Returns how many they are
 * in *count.
 */
extern bool fg_nearest_frames(FgContext *ctx, const FgFrames *frames, const char *name,
							  size_t length, uint32_t *nearest, uint32_t *count);

#endif							/* FG_FIND_H */
