/*
 * metrics.h
 *	  What a profile says about each function (Lumnitz 2021, section 3.3.2).
 *
 * One pass over the tree, whatever the number of functions.
 */
#ifndef FG_METRICS_H
#define FG_METRICS_H

#include "core/profile/tree.h"

typedef struct FgFrameMetrics
{
	double		total;			/* method samples: of stacks with the frame, each once (eq. 3.5) */
	double		self;			/* of stacks that end in it */
	uint32_t	nodes;			/* calling contexts that end in it (eq. 3.3) */
	uint32_t	recursion_free; /* those without the frame further up (eq. 3.4) */
	uint32_t	callers;		/* distinct frames right above it, itself included */
	uint32_t	callees;		/* and right below it */
	uint32_t	threads;		/* distinct first frames of the stacks that have it below */
} FgFrameMetrics;

/* metrics[f] for each frame of the dictionary.  FG_ERROR_RANGE when a sum overflows. */
extern bool fg_frame_metrics(FgContext *ctx, const FgTree *tree, FgFrameMetrics *metrics);

#endif							/* FG_METRICS_H */
