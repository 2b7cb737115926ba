/*
 * builder_internal.h
 *	  What only the tests of the builder look at by itself.
 */
#ifndef FG_BUILDER_INTERNAL_H
#define FG_BUILDER_INTERNAL_H

#include "core/profile/builder.h"

/* Nodes so far, those of stacks that cancelled out included. */
extern uint32_t fg_builder_nodes(const FgBuilder *builder);

#endif							/* FG_BUILDER_INTERNAL_H */
