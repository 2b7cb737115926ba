/*
 * frames.h
 *	  The frame dictionary of a profile, and what a legal frame is.
 *
 * A frame is non-empty UTF-8 text of at most FG_MAX_FRAME bytes without NUL,
 * CR and LF.  A dictionary holds distinct frames in bytewise order, so that
 * comparing two frame numbers of one dictionary compares the frames: every
 * algorithm on stacks works on numbers, and no collation can change a result.
 */
#ifndef FG_FRAMES_H
#define FG_FRAMES_H

#include "core/base/context.h"

typedef struct FgFrames
{
	uint32_t	count;
	uint32_t   *offset;			/* count + 1 offsets into bytes */
	char	   *bytes;
} FgFrames;

static inline const char *
fg_frame_bytes(const FgFrames *frames, uint32_t frame)
{
	return frames->bytes + frames->offset[frame];
}

static inline uint32_t
fg_frame_length(const FgFrames *frames, uint32_t frame)
{
	return frames->offset[frame + 1] - frames->offset[frame];
}

/* Bytewise order, a prefix first: <0, 0, >0. */
extern int	fg_bytes_compare(const char *a, size_t alen, const char *b, size_t blen);

extern bool fg_frames_alloc(FgContext *ctx, FgFrames *frames, uint32_t count, size_t bytes);
extern bool fg_frames_copy(FgContext *ctx, const FgFrames *from, FgFrames *to);
extern void fg_frames_free(FgContext *ctx, FgFrames *frames);
extern bool fg_frames_equal(const FgFrames *a, const FgFrames *b);

/* The number of a frame in the dictionary, FG_NONE when it is not there. */
extern uint32_t fg_frames_find(const FgFrames *frames, const char *frame, size_t length);

/*
 * The union of two dictionaries, with the number of each input frame in it.
 * Both maps are monotone.  map_a and map_b have room for a->count and b->count
 * numbers.
 */
extern bool fg_frames_union(FgContext *ctx, const FgFrames *a, const FgFrames *b,
							FgFrames *result, uint32_t *map_a, uint32_t *map_b);

/*
 * Sorts "count" strings bytewise: order[i] becomes the number of the i-th string;
 * equal ones keep their order.  String s is bytes[offset[s] .. offset[s] + length[s]).  A merge
 * sort on (first eight bytes, number) that can be interrupted.
 */
extern bool fg_frames_sort(FgContext *ctx, const char *bytes, const size_t *offset,
						   const uint32_t *length, uint32_t count, uint32_t *order);

/* Bytes of the longest valid UTF-8 prefix; equal to length when all is valid. */
extern size_t fg_utf8_prefix(const char *text, size_t length);

/*
 * Is this a legal frame?  Otherwise false with a reason, and no place: the
 * caller knows that.
 */
extern bool fg_frame_valid(FgContext *ctx, const char *frame, size_t length);

#endif							/* FG_FRAMES_H */
