/*
 * level.h
 *	  What of a profile is compared: its vector over stacks, contexts or functions.
 */
#ifndef FG_LEVEL_H
#define FG_LEVEL_H

#include "core/profile/tree.h"

typedef enum FgLevel
{
	FG_LEVEL_STACK,				/* self values of stacks: the profile itself */
	FG_LEVEL_NODE,				/* inclusive values of calling contexts: fg_cumulate */
	FG_LEVEL_FRAME,				/* recursion-free totals of functions: fg_frame_totals */
	FG_LEVEL_SELF				/* what is spent in each function itself, over all stacks */
} FgLevel;

#define FG_LEVELS (FG_LEVEL_SELF + 1)

extern const char *fg_level_word(FgLevel level);

/* FG_ERROR_ARGUMENT for an unknown word. */
extern bool fg_level_parse(FgContext *ctx, const char *text, size_t length, FgLevel *level);

/* The profile at a level, as a vector over keys; functions are stacks of one frame. */
extern bool fg_level_apply(FgContext *ctx, const FgTree *profile, FgLevel level, FgTree *result);

#endif							/* FG_LEVEL_H */
