/*
 * speedscope_stacks.h
 *	  The stacks of a speedscope file, over positions in its list of frames until that is read.
 *
 * The list may stand at the end of the file.  So stacks are built of positions, and get their
 * names when all is read (fg_speedscope_name); samples that somebody wants one by one are kept
 * until then, too.  A position that leads nowhere is an error at the place of its first use.
 */
#ifndef FG_SPEEDSCOPE_STACKS_H
#define FG_SPEEDSCOPE_STACKS_H

#include "core/base/bytes.h"
#include "core/base/pairs.h"
#include "core/reading/json_stream.h"
#include "core/reading/sink.h"

/* A frame by its position, as the builder knows it: with the place of its first use. */
typedef struct FgSpeedscopeReference
{
	uint32_t	position;
	uint64_t	line;
	uint64_t	column;
} FgSpeedscopeReference;

typedef struct FgSpeedscopeName
{
	size_t		start;			/* in "names" */
	size_t		length;
} FgSpeedscopeName;

/* A node of the stacks over positions, for who walks from a leaf to the root. */
typedef struct FgSpeedscopeUp
{
	uint32_t	parent;
	uint32_t	position;
} FgSpeedscopeUp;

/* A sample with its time, until frames have names. */
typedef struct FgSpeedscopeTimed
{
	uint32_t	node;
	uint32_t	profile;		/* which of the chosen ones, in "lanes" */
	double		start;
	double		stop;
	double		value;
} FgSpeedscopeTimed;

typedef struct FgSpeedscopeStacks
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;			/* for places of errors */
	int			number;			/* of the profile that is being read, from 0 */

	/* the shared frames */
	FgBuffer	names;
	FgSpeedscopeName *frames;
	size_t		frame_count;
	size_t		frame_capacity;

	/* the stacks over positions */
	FgBuilder  *builder;
	FgPairs		positions;		/* of frames, and 0: their number in the builder */
	FgSpeedscopeReference *references;	/* by this number */
	size_t		reference_count;
	size_t		reference_capacity;
	uint64_t	samples;
	FgWeights	weights;

	/* the samples with their times, when somebody takes them (fg_sink_is_timed) */
	bool		timed;
	FgSpeedscopeUp *ups;		/* by node */
	size_t		up_count;
	size_t		up_capacity;
	FgSpeedscopeTimed *taken;
	size_t		taken_count;
	size_t		taken_capacity;
	FgBuffer	lane_names;		/* of the chosen profiles */
	FgSpeedscopeName *lanes;
	size_t		lane_count;
	size_t		lane_capacity;

	char		common_unit[32];	/* of all profiles that are added up */
	uint32_t   *images;			/* the node that each depth of the finished tree became */
	uint32_t   *renamed;		/* and the number of each frame */
} FgSpeedscopeStacks;

/* "json" comes later. */
extern bool fg_speedscope_begin(FgSpeedscopeStacks *stacks, FgSink *sink);
extern void fg_speedscope_free(FgSpeedscopeStacks *stacks);

/* The child of a node with the frame at this position. */
extern bool fg_speedscope_child(FgSpeedscopeStacks *stacks, uint32_t parent, uint32_t position,
								uint32_t *node);

/* A value, or a sample of this weight. */
extern bool fg_speedscope_add_value(FgSpeedscopeStacks *stacks, uint32_t node, double value);
extern bool fg_speedscope_add_weight(FgSpeedscopeStacks *stacks, uint32_t node, double weight);

/* Another profile is chosen, whose samples follow. */
extern bool fg_speedscope_begin_lane(FgSpeedscopeStacks *stacks);

/* A sample from "start" to "stop", to be handed on when frames have names. */
extern bool fg_speedscope_take(FgSpeedscopeStacks *stacks, uint32_t node, double start, double stop,
							   double value);

/* An error: the profile has too many samples. */
extern bool fg_speedscope_too_many(FgSpeedscopeStacks *stacks);

/* All is read. */
extern bool fg_speedscope_name(FgSpeedscopeStacks *stacks);

#endif							/* FG_SPEEDSCOPE_STACKS_H */
