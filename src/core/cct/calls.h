/*
 * calls.h
 *	  Who calls whom: samples of calls between functions, from a line, in a thread.
 *
 * The samples of a call from p to c are the inclusive values of c's nodes right
 * below p's that have no other such node above them (Lumnitz 2021, equations 3.8
 * to 3.15, corrected: see walk.h, and the caller time is a share of the callee's
 * method samples).  A node without a parent has the caller FG_NONE.
 */
#ifndef FG_CALLS_H
#define FG_CALLS_H

#include "core/cct/tally.h"

typedef enum FgCallChoice
{
	FG_CALLS_ALL,
	FG_CALLS_TO,				/* of this callee */
	FG_CALLS_FROM				/* of this caller */
} FgCallChoice;

/*
 * Fills the tally with pairs (caller, callee), both frames of the dictionary, and
 * finishes it.  Unless all calls are wanted (then total is NULL), *total becomes the
 * recursion-free inclusive value of "frame", of which their samples are shares.
 * FG_ERROR_RANGE when a sum overflows; likewise for threads.
 */
extern bool fg_calls(FgContext *ctx, const FgTree *tree, FgCallChoice choice, uint32_t frame,
					 FgTally *tally, double *total);

/*
 * Frames by thread: pairs (frame of the thread, frame); finished.  A thread starts
 * at each outermost flagged node (starts has nnodes + 1 flags; NULL: at the first
 * frames), takes its name from that node's frame and owns the frames below it.
 * Stacks outside every thread belong to FG_NONE.  total[f] becomes the sum over all
 * threads.
 */
extern bool fg_threads(FgContext *ctx, const FgTree *tree, const uint8_t *starts, FgTally *tally,
					   double *total);

#endif							/* FG_CALLS_H */
