/*
 * subset.h
 *	  The dictionary of a part: those frames of a large dictionary that it uses.
 *
 * Workload: a hundred thousand parts of one profile; each costs its own size, not
 * that of the whole dictionary.
 */
#ifndef FG_SUBSET_H
#define FG_SUBSET_H

#include "core/profile/tree.h"

typedef struct FgSubset
{
	FgContext  *ctx;
	const FgFrames *all;
	uint32_t   *number;			/* by frame: 1 + its number in the part, or 0 */
	uint32_t   *used;			/* the frames of the part */
	double	   *order_by;		/* room to sort them */
	uint32_t   *order;
} FgSubset;

/* "all" must outlive it. */
extern bool fg_subset_begin(FgContext *ctx, const FgFrames *all, FgSubset *subset);
extern void fg_subset_end(FgSubset *subset);

/*
 * Gives a tree whose nodes have the numbers of the large dictionary, and which has
 * none of its own, the dictionary of the frames that it uses.
 */
extern bool fg_subset_take(FgSubset *subset, FgTree *part);

#endif							/* FG_SUBSET_H */
