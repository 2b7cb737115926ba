/*
 * expanded_flamegraph.h
 *	  A flamegraph in memory: an expanded object (expanded.h) that holds an
 *	  accumulator (a sum, minimum or maximum), and stacks that are still being
 *	  collected.
 *
 * It is the state of the aggregates: inputs are merged into it, and it is
 * flattened once when PostgreSQL needs bytes (the result, or a partial result
 * for another process).
 */
#ifndef FG_EXPANDED_FLAMEGRAPH_H
#define FG_EXPANDED_FLAMEGRAPH_H

#include "pg/base/expanded.h"

#include "core/samples/accumulator.h"

typedef struct ExpandedFlamegraph ExpandedFlamegraph;

/* The object behind a datum, NULL when it is flat or of another kind. */
extern ExpandedFlamegraph *fg_datum_expanded(Datum value);

/* A new object (empty) in a context below "parent". */
extern ExpandedFlamegraph *fg_expanded_flamegraph(MemoryContext parent, FgAccumulation accumulation);

/* The state passed to a transition function when the caller may change it, else NULL. */
extern ExpandedFlamegraph *fg_aggregate_flamegraph(FunctionCallInfo fcinfo,
												   FgAccumulation accumulation);

/* What all objects have; its context is where the trees are allocated. */
extern FgExpanded *fg_expanded_base(ExpandedFlamegraph *expanded);

/* Everything merged into one tree, which stays the object's. */
extern const FgTree *fg_expanded_tree(ExpandedFlamegraph *expanded);

/*
 * Adds a tree and takes it over.  Trees are released where the object's are: one
 * allocated by a context that outlives the object may be given, too.
 */
extern void fg_expanded_add_tree(ExpandedFlamegraph *expanded, FgTree *tree);

/* Adds a profile by its encoded form, which stays the caller's. */
extern void fg_expanded_add_encoded(ExpandedFlamegraph *expanded, const uint8_t *bytes, size_t size);

/* Adds one stack, a path with NUL between its frames. */
extern void fg_expanded_add_stack(ExpandedFlamegraph *expanded, const char *path, size_t length,
								  double value);

#endif							/* FG_EXPANDED_FLAMEGRAPH_H */
