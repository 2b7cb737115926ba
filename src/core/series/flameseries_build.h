/*
 * flameseries_build.h
 *	  Makes a series of profiles and of other series, in any order.
 *
 * Workload: compaction, twenty thousand profiles of some 700 nodes a second, of which each shares
 * nearly all nodes with those before.  Stacks are numbered by a trie of runs (tree_sum_nodes.h), of
 * an encoded profile without its frames; the entries of a series that is merged cost a look-up in
 * an array.  The nodes are sorted once, at the end.
 *
 * After an error the builder can only be freed.
 */
#ifndef FG_FLAMESERIES_BUILD_H
#define FG_FLAMESERIES_BUILD_H

#include "core/merging/tree_sum_nodes.h"
#include "core/profile/names.h"
#include "core/series/flameseries.h"

typedef struct FgFlameseriesBuilder
{
	FgContext  *ctx;
	FgTreeSum  *stacks;			/* with the number of profiles that have a value */
	FgNames		instances;
	int64_t    *at;				/* by profile */
	size_t		at_capacity;
	uint32_t   *instance;		/* by profile: 1 + its number among the names, 0 for none */
	size_t		instance_capacity;
	uint32_t   *start;			/* by profile, and the end */
	size_t		start_capacity;
	uint32_t	count;
	uint32_t   *node;			/* by entry, as the trie numbers them */
	size_t		node_capacity;
	double	   *value;			/* by entry */
	size_t		value_capacity;
} FgFlameseriesBuilder;

extern bool fg_flameseries_builder_begin(FgContext *ctx, FgFlameseriesBuilder *builder);
extern void fg_flameseries_builder_free(FgFlameseriesBuilder *builder);

/*
 * Adds a profile.  The name of its instance is a legal frame (frames.h) or empty.  FG_ERROR_LIMIT
 * beyond FG_FLAMESERIES_MAX_PROFILES and FG_FLAMESERIES_MAX_VALUES.
 */
extern bool fg_flameseries_add(FgFlameseriesBuilder *builder, int64_t at, const char *instance,
							  size_t length, const FgTree *tree);

/* The same by its encoded form, with the errors of fg_codec_decode, too. */
extern bool fg_flameseries_add_encoded(FgFlameseriesBuilder *builder, int64_t at,
									   const char *instance, size_t length,
									   const uint8_t *bytes, size_t size);

/* Adds the profiles of a series that are in the window. */
extern bool fg_flameseries_add_series(FgFlameseriesBuilder *builder, const FgFlameseries *series,
								 const FgFlameseriesWindow *window);

/*
 * Makes the series; the builder can then only be freed.  FG_ERROR_CORRUPT when the dictionary of a
 * profile that came encoded was not in order.
 */
extern bool fg_flameseries_build(FgFlameseriesBuilder *builder, FgFlameseries *series);

#endif							/* FG_FLAMESERIES_BUILD_H */
