/*
 * known_frames.h
 *	  Numbers the frames of encoded dictionaries among names that come again and again.
 *
 * Workload: thousands of profiles a second, each with some hundred names of 80 bytes, which are a
 * small part of all that a series has.  Each is put together from its dictionary (codec.h), hashed
 * and compared with the name of that hash; but a hundred of them at once, so that they wait for
 * memory together.  Walking through the names, sorted, beside a dictionary reads fewer bytes, and is
 * faster where a profile has more than a third of them (14 ns a name in place of 18 where it has
 * all); where it has a seventh, it takes 36 ns in place of 25, as it stops at three or four other
 * names for each.
 *
 * Invariant: a frame has the number of a name only when all of its bytes are the same.  So frames in
 * a wrong order, or twice, have right numbers, too; whoever relies on the order looks at what they
 * are used for.
 */
#ifndef FG_KNOWN_FRAMES_H
#define FG_KNOWN_FRAMES_H

#include "core/base/bytes.h"
#include "core/profile/names.h"

typedef struct FgKnownFrames
{
	FgContext  *ctx;
	FgNames    *names;			/* of somebody else; they are numbered here */
	uint32_t   *found;			/* by frame of the dictionary at hand: its number */
	size_t		found_capacity;
	char	   *text;			/* of the frames at hand */
	size_t		text_capacity;
} FgKnownFrames;

extern void fg_known_frames_begin(FgContext *ctx, FgNames *names, FgKnownFrames *known);
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

#endif							/* FG_KNOWN_FRAMES_H */
