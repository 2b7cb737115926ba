/*
 * expanded_flamegraph.h
 *	  A flamegraph in memory: an expanded object (utils/expandeddatum.h) that
 *	  holds an accumulator (a sum, minimum or maximum), and stacks that are still
 *	  being collected.
 *
 * It is the state of the aggregates: inputs are merged into it, and it is
 * flattened once when PostgreSQL needs bytes (the result, or a partial result
 * for another process).  The object lives in a memory context of its own below
 * the aggregate's, which is what lets nodeAgg.c keep it instead of copying it.
 */
#ifndef FG_EXPANDED_FLAMEGRAPH_H
#define FG_EXPANDED_FLAMEGRAPH_H

#include "pg/base/memory.h"

#include "core/profile/builder.h"
#include "core/samples/accumulator.h"

typedef struct ExpandedFlamegraph ExpandedFlamegraph;

/* The object behind a datum, NULL when it is flat or of another kind. */
extern ExpandedFlamegraph *fg_datum_expanded(Datum value);

/* A new object (empty) in a context below "parent". */
extern ExpandedFlamegraph *fg_expanded_create(MemoryContext parent, FgAccumulation kind);

/* The context in which its trees are allocated. */
extern FgContext *fg_expanded_context(ExpandedFlamegraph *expanded);

extern FgAccumulation fg_expanded_kind(const ExpandedFlamegraph *expanded);

/* The read-write pointer to it; always the same one. */
extern Datum fg_expanded_datum(ExpandedFlamegraph *expanded);

/* Everything merged into one tree, which stays the object's. */
extern const FgTree *fg_expanded_tree(ExpandedFlamegraph *expanded);

/*
 * Adds a tree and takes it over.  Trees are released where the object's are: one
 * allocated by a context that outlives the object may be given, too.
 */
extern void fg_expanded_add_tree(ExpandedFlamegraph *expanded, FgTree *tree);

/* Adds one stack, a path with NUL between its frames. */
extern void fg_expanded_add_stack(ExpandedFlamegraph *expanded, const char *path, size_t length,
								  double value);

#endif							/* FG_EXPANDED_FLAMEGRAPH_H */
