/*
 * aggregates.h
 *	  States of aggregates that are flamegraphs.
 */
#ifndef FG_AGGREGATES_H
#define FG_AGGREGATES_H

#include "pg/base/expanded_flamegraph.h"

/*
 * The state of this group as our own object: the one passed, when it is one that
 * we may change, or a new one with the same value.
 */
extern ExpandedFlamegraph *fg_flamegraph_state(FunctionCallInfo fcinfo,
											   FgAccumulation accumulation);

/* The same as the result of a transition function. */
extern Datum fg_flamegraph_state_datum(ExpandedFlamegraph *state);

#endif							/* FG_AGGREGATES_H */
