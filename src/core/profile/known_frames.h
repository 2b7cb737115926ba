/*
 * known_frames.h
 *	  Numbers the frames of encoded dictionaries among names that come again and again.
 *
 * Workload: thousands of profiles a second, each with some hundred names of 80 bytes, which are a
 * small part of all that a series has.  To look each of them up costs its bytes three times: they
 * are put together, hashed and compared.  But both a dictionary and the names, once sorted, are
 * walked in order, and each entry of a dictionary says how many bytes it shares with the one
 * before (codec.h).  So the walk knows how many bytes the next name of the dictionary has in
 * common with the one at hand of the sorted ones; of those that have more in common with each
 * other nothing is read but that, of those that have as many a byte, and only where that is the
 * same, too, are the rest of the bytes compared: of nearly all frames each byte once.
 *
 * Names that are new wait in a hash table (names.h) until they are many, and are then sorted in.
 *
 * Invariants:
 *	- a frame that the walk finds has all bytes of that name; one that it does not find is looked
 *	  up, so a dictionary in a wrong order, which is refused, could not give wrong numbers
 *	- the walk passes at most FG_KNOWN_WALK sorted names for each frame of a dictionary; where that
 *	  would be more, all its frames are looked up
 */
#ifndef FG_KNOWN_FRAMES_H
#define FG_KNOWN_FRAMES_H

#include "core/base/bytes.h"
#include "core/profile/names.h"

#define FG_KNOWN_WALK 16

typedef struct FgKnownFrames
{
	FgContext  *ctx;
	FgNames    *names;			/* of somebody else; they are numbered here */
	FgFrames	sorted;			/* those that have been sorted in */
	uint32_t   *number;			/* by place in the order */
	uint8_t    *shared;			/* bytes in common with the one before, at most 127 */
	uint8_t    *next;			/* the byte behind these */
	size_t		missed;			/* frames that were looked up since names were sorted in */
	uint32_t   *found;			/* by frame of the dictionary at hand: its number */
	size_t		found_capacity;
	char	   *text;			/* of the frame at hand */
	size_t		text_capacity;
} FgKnownFrames;

/* Names that there are are those of numbers below the count. */
extern bool fg_known_frames_begin(FgContext *ctx, FgNames *names, FgKnownFrames *known);
extern void fg_known_frames_free(FgKnownFrames *known);

/*
 * (*number)[] by frame of a section DICTIONARY with so many frames; it holds until the next one.
 * New frames are checked (fg_frame_valid).  False when the section is damaged, with no error, or
 * with one.
 */
extern bool fg_known_frames_number(FgKnownFrames *known, FgReader section, uint32_t count,
								   const uint32_t **number);

/* The same of a dictionary that has been decoded. */
extern bool fg_known_frames_number_all(FgKnownFrames *known, const FgFrames *frames,
									   const uint32_t **number);

/* The names as a dictionary, taken out; place[number] is where a name stands in it. */
extern bool fg_known_frames_finish(FgKnownFrames *known, FgFrames *frames, uint32_t *place);

#endif							/* FG_KNOWN_FRAMES_H */
