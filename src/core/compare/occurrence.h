/*
 * occurrence.h
 *	  Where a context occurs in a profile, and what it has there.
 *
 * An occurrence is a pair of nodes: the anchor, of the function that the search began
 * with, and the tip at the other end of the context.  A step moves the tips to their
 * children, or to their parents.  Values are those of a set of nodes, without recursion.
 */
#ifndef FG_OCCURRENCE_H
#define FG_OCCURRENCE_H

#include "core/compare/forest.h"

typedef struct FgOccurrence
{
	uint32_t	frame;			/* of the tip */
	uint32_t	anchor;
	uint32_t	tip;
} FgOccurrence;

typedef struct FgOccurrences
{
	FgOccurrence *list;
	size_t		count;
	size_t		capacity;
} FgOccurrences;

/*
 * Nodes of one frame, or all nodes ordered by frame, as contexts of one frame.  All frames
 * are below nframes.
 */
extern bool fg_occurrences_of(FgContext *ctx, const FgForestPart *part, uint32_t frame,
							  FgOccurrences *result);
extern bool fg_occurrences_all(FgContext *ctx, const FgForestPart *part, uint32_t nframes,
							   FgOccurrences *result);

/* One step further, ordered by frame. */
extern bool fg_occurrences_extend(FgContext *ctx, const FgForestPart *part,
								  const FgOccurrence *list, size_t count, bool upwards, FgOccurrences *result);

/* Room for the work below, kept from call to call. */
typedef struct FgNodeSet
{
	FgContext  *ctx;
	uint32_t   *nodes;			/* ascending, each once */
	size_t		count;
	size_t		capacity;
	uint32_t   *spare;
	size_t		spare_capacity;
	uint32_t   *nearest;		/* by depth */
} FgNodeSet;

extern bool fg_node_set_begin(FgContext *ctx, FgNodeSet *set);
extern void fg_node_set_free(FgNodeSet *set);

/* The tips, or the anchors, of some occurrences. */
extern bool fg_node_set_fill(FgNodeSet *set, const FgOccurrence *list, size_t count, bool tips);

/*
 * Its value by a metric (observations.h): of the stacks that pass through a node of the
 * set, and end within the metric's reach of the last one they pass.  FG_ERROR_RANGE when
 * it overflows.
 */
extern bool fg_node_set_value(FgNodeSet *set, const FgForestPart *part, uint32_t metric,
							  double *value);

#endif							/* FG_OCCURRENCE_H */
