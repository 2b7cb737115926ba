/*
 * numbered.h
 *	  Stacks of numbered frames on their way into the sink: for formats whose stacks refer to
 *	  frames by number.
 *
 * A frame is named once for a tree, and never again: a stack costs a comparison of numbers for
 * each frame that the stack before had in the same place, and a look-up of the node for each
 * other.  Numbers are small (they index arrays); FG_NONE is one of them, of a frame that is
 * not known.  What comes out is a place of the sink (sink.h), to which samples are added, so
 * the sink must be one that makes profiles.
 */
#ifndef FG_NUMBERED_H
#define FG_NUMBERED_H

#include "core/reading/sink.h"

/* The name of a frame; it lives until the next call. */
typedef bool (*FgNameFrame) (void *arg, uint32_t number, const char **name, size_t *length);

typedef struct FgNumberedStack
{
	const uint32_t *numbers;
	size_t		count;
	FgStackOrder order;
	bool		truncated;
	const char *thread;			/* is the first frame; NULL: it is none */
	size_t		thread_length;
} FgNumberedStack;

typedef struct FgNumberedTree FgNumberedTree;

typedef struct FgNumbered
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgNameFrame name;
	void	   *arg;
	FgNumberedTree *trees;		/* two for each profile: of complete stacks and of truncated ones */
	size_t		count;
	size_t		capacity;
} FgNumbered;

extern void fg_numbered_begin(FgNumbered *numbered, FgSink *sink, FgNameFrame name, void *arg);
extern void fg_numbered_free(FgNumbered *numbered);

/* From now on numbers stand for other frames. */
extern void fg_numbered_forget(FgNumbered *numbered);

/* Where the stack stands in a profile; which is not FG_UNWANTED. */
extern bool fg_numbered_place(FgNumbered *numbered, uint32_t profile, const FgNumberedStack *stack,
							  FgStackPlace *place);

#endif							/* FG_NUMBERED_H */
