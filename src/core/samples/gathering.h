/*
 * gathering.h
 *	  The sum of many small profiles, node by node.
 *
 * Workload: a million profiles of ten nodes, or thousands of some hundred.  To merge two of them
 * costs a dictionary, which is most of what they are.  Here the frames of all have one set of
 * numbers and their stacks one trie by hash (builder.h); a profile finds its nodes there and adds
 * its values.
 *
 * Profiles of one program often differ in their values only.  So the encoded form without the
 * values, the shape, is remembered with the nodes of its stacks: the next profile with these
 * bytes is not decoded any more.  There is a limit to what is remembered, and when it is reached
 * and few came again, all is forgotten.
 *
 * Invariant: a shape is remembered when its bytes have been decoded without an error, and a
 * profile is taken for one of it when all the bytes that decide on its nodes are the same.
 */
#ifndef FG_GATHERING_H
#define FG_GATHERING_H

#include "core/profile/tree.h"

typedef struct FgGathering FgGathering;

/* NULL with the error set when there is no memory.  Shapes may take so many bytes. */
extern FgGathering *fg_gathering_create(FgContext *ctx, size_t shape_bytes);
extern void fg_gathering_free(FgGathering *gathering);

/* Adds a profile by its encoded form if its shape is remembered; *known says whether it was. */
extern bool fg_gathering_add_known(FgGathering *gathering, const uint8_t *bytes, size_t size,
								   bool *known);

/*
 * Adds a profile, and remembers the shape of the encoded form that it was decoded from, unless
 * that is NULL.  FG_ERROR_RANGE when a stack's value overflows.
 */
extern bool fg_gathering_add(FgGathering *gathering, const FgTree *tree, const uint8_t *bytes,
							 size_t size);

/* The sum of what was added, canonical.  The gathering can only be freed then. */
extern bool fg_gathering_finish(FgGathering *gathering, FgTree *tree);

#endif							/* FG_GATHERING_H */
