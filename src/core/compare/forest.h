/*
 * forest.h
 *	  Many profiles as trees over common names, for searches that go from node to node
 *	  in all of them at once.
 *
 * Workload: ten runs of sixty thousand nodes, asked for hundreds of contexts.  Each
 * profile is read once; inclusive values are kept beside the nodes, and of a profile
 * only what lies within reach of the function in question.
 */
#ifndef FG_FOREST_H
#define FG_FOREST_H

#include "core/profile/names.h"
#include "core/profile/tree.h"

#define FG_NO_NODE FG_NONE

/* Nodes 0 .. count - 1 in preorder. */
typedef struct FgForestPart
{
	uint32_t	count;
	uint32_t   *frame;			/* after the end: a number of forest->frames */
	uint32_t   *parent;			/* FG_NO_NODE when it was not kept */
	uint32_t   *last;			/* the last node below it, or itself */
	uint32_t   *depth;			/* in the profile */
	double	   *total;
	double	   *self;			/* NULL when the metric is 'total' */
	char	   *mode;			/* how it was compiled, '-' when its name does not say */
} FgForestPart;

typedef struct FgForest
{
	FgContext  *ctx;
	uint32_t	metric;			/* observations.h */
	bool		strip_modes;	/* names without the suffixes of compile modes */
	FgNames		names;
	FgFrames	frames;			/* after the end */
	FgForestPart *parts;
	size_t		count;			/* without noise */
	size_t		capacity;
	bool		noise;			/* two more parts: of all runs but the last one, and of that */
} FgForest;

/* How many parts there are, with those of noise. */
static inline size_t
fg_forest_parts(const FgForest *forest)
{
	return forest->count + (forest->noise ? 2 : 0);
}

/* What of a profile is kept: nodes around those of a function. */
typedef struct FgVicinity
{
	const char *frame;
	size_t		length;
	bool		upwards;		/* callers; else what is called */
	uint64_t	reach;			/* calls */
} FgVicinity;

/* _[j] compiled, _[i] inlined, _[0] interpreted, _[1] by the first compiler (async-profiler). */
extern size_t fg_mode_strip(const char *frame, size_t length, char *mode);

extern bool fg_forest_begin(FgContext *ctx, uint32_t metric, bool strip_modes, FgForest *forest);

/* vicinity NULL: everything. */
extern bool fg_forest_add(FgForest *forest, const FgTree *tree, const FgVicinity *vicinity);

/*
 * After all profiles: their noise (deviation.h), the sum of those before the last one and that
 * of the last one, either of them NULL when it is unknown.
 */
extern bool fg_forest_add_noise(FgForest *forest, const FgTree *before, const FgTree *now,
								const FgVicinity *vicinity);
extern bool fg_forest_end(FgForest *forest);
extern void fg_forest_free(FgForest *forest);

#endif							/* FG_FOREST_H */
