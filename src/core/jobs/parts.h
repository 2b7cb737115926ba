/*
 * parts.h
 *	  When a predicate holds of the parts of a composite phase (Hegeman 2024, equation 4.7).
 *
 * A part is a child that is defined for a type of resources, with the times at which it is
 * limited.  Whatever the predicate is, it is decided between two neighbouring times at which
 * a part begins, ends or changes, by counters.
 */
#ifndef FG_PARTS_H
#define FG_PARTS_H

#include "core/jobs/analysis.h"
#include "core/jobs/keys_sort.h"
#include "core/jobs/predicate_memo.h"
#include "core/jobs/tracks.h"

typedef struct FgPart
{
	uint32_t	child;
	size_t		track;			/* tracks[track] of the bottlenecks */
} FgPart;

/* What is kept from one composite to the next. */
typedef struct FgPartCounter
{
	const FgAnalysis *analysis;
	const FgBottlenecks *bottlenecks;
	FgSortKey  *keys;
	FgSortKey  *spare_keys;
	size_t		key_capacity;
	size_t		spare_capacity;
	FgTimeRanges united;
	FgTimeRanges spare;
	FgPredicateMemo memo;
	FgPartCount *counts;		/* by place of a type among its siblings */
	size_t		count_capacity;
	uint32_t   *sibling;		/* by phase type: that place */
} FgPartCounter;

extern bool fg_part_counter_begin(const FgAnalysis *analysis, const FgBottlenecks *bottlenecks,
								  FgPartCounter *counter);
extern void fg_part_counter_free(FgPartCounter *counter);

/* Room for so many keys, and as many to sort them with. */
extern bool fg_part_counter_reserve(FgPartCounter *counter, size_t count);

/* The times of the parts within a life, one part's behind the other's, appended to "to". */
extern bool fg_parts_add_times(const FgPartCounter *counter, const FgPart *parts, size_t count,
							   FgTimeRange life, FgTimeRanges *to);

/*
 * When a predicate in words holds of these parts within a life; a normal list in "to",
 * which is empty at first.  Puts the parts in the order of their types where that matters.
 */
extern bool fg_parts_hold(FgPartCounter *counter, const FgPredicate *predicate, FgPart *parts,
						  size_t count, FgTimeRange life, FgTimeRanges *to);

/*
 * The same by a function of the user's with this number, which is asked about all children
 * of the phase, and of the resource type.
 */
extern bool fg_parts_ask(FgPartCounter *counter, uint32_t function, uint32_t phase,
						 uint32_t resource_type, const FgPart *parts, size_t count,
						 FgTimeRanges *to);

#endif							/* FG_PARTS_H */
