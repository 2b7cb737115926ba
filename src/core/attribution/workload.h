/*
 * workload.h
 *	  How much the phases of a job are expected to use of a consumable resource over time
 *	  (Hegeman 2024, 4.4.2.5): the estimate that measurements are distributed by.
 *
 * Between two neighbouring change points (starts and ends of active times of leaves that
 * use the resource, and of its measured periods) everything is constant: such a segment is
 * what all further steps look at, however many slices it has.  Segments follow
 * each other without gaps.  Each leaf remembers the segments of its active times, so
 * nothing has to be searched for later.
 *
 * Loads are sums of a cap times a whole number, never running sums: equal sets of active
 * leaves have equal loads, to the last bit.
 */
#ifndef FG_WORKLOAD_H
#define FG_WORKLOAD_H

#include "core/jobs/analysis.h"
#include "core/jobs/keys_sort.h"

typedef struct FgSegment
{
	int64_t		start;			/* tick; it ends where the next one starts */
	double		greedy;			/* sum of the caps of active greedy leaves */
	uint32_t	sinks;			/* active sink leaves */
	uint32_t	row;			/* the measurement, as a row of usages; FG_NONE without one */
} FgSegment;

/* Leaves that use the resource by one rule. */
typedef struct FgUseKind
{
	FgRuleKind	kind;			/* greedy or sink */
	double		cap;			/* 0 of sinks */
	double		delta;
} FgUseKind;

typedef struct FgUser
{
	uint32_t	leaf;
	uint32_t	slot;			/* of this use (FgUses.first_slot) */
	uint32_t	kind;
	uint32_t	first_span;
} FgUser;

/* An active time: from one segment up to another, which is not part of it. */
typedef struct FgSegmentSpan
{
	uint32_t	kind;
	uint32_t	start;
	uint32_t	end;
} FgSegmentSpan;

typedef struct FgWorkload
{
	const FgAnalysis *analysis;
	uint32_t	resource;
	double		capacity;
	double		delta;			/* of the resource */
	FgSegment  *segments;		/* one more than segment_count: the end of the last */
	uint32_t	segment_count;
	FgUseKind  *kinds;			/* in the order of the leaves' lists */
	uint32_t	kind_count;
	FgUser	   *users;			/* by leaf */
	uint32_t	user_count;
	FgSegmentSpan *spans;		/* of users[u]: first_span up to that of the next one */
	uint32_t	span_count;

	/* Only for the making of it; kept from one resource to the next. */
	size_t		segment_capacity;
	size_t		kind_capacity;
	size_t		user_capacity;
	size_t		span_capacity;
	FgSortKey  *events;
	FgSortKey  *spare;
	size_t		event_capacity;
	size_t		spare_capacity;
	FgUser	   *unsorted;
	size_t		unsorted_capacity;
	uint32_t   *kind_of_rule;	/* by rule, and of the default behind them */
	uint32_t   *active;			/* by kind */
	double	   *sums;			/* a tree of sums over kinds */
	size_t		active_capacity;
	size_t		sums_capacity;
} FgWorkload;

extern bool fg_workload_begin(const FgAnalysis *analysis, FgWorkload *workload);
extern void fg_workload_free(FgWorkload *workload);

/* That of another resource, which is consumable. */
extern bool fg_workload_load(FgWorkload *workload, uint32_t resource);

static inline int64_t
fg_segment_ticks(const FgSegment *segment)
{
	return segment[1].start - segment[0].start;
}

/* The spans of a user. */
static inline uint32_t
fg_user_end(const FgWorkload *workload, const FgUser *user)
{
	return user + 1 < workload->users + workload->user_count ? user[1].first_span :
		workload->span_count;
}

#endif							/* FG_WORKLOAD_H */
