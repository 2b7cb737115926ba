/*
 * frame_sets.h
 *	  Which frames a dictionary holds.
 */
#ifndef FG_FRAME_SETS_H
#define FG_FRAME_SETS_H

#include "pg/base/values.h"

#include "utils/array.h"

/* Any or all frames of a text[]; null elements are ignored: any of none is false, all of none true. */
extern bool fg_frames_have(const FgFrames *frames, ArrayType *array, bool all);

#endif							/* FG_FRAME_SETS_H */
