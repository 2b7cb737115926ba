/*
 * sink_internal.h
 *	  What a sink is made of; for sink.c, which fills it, and sink_end.c, which makes trees of it.
 */
#ifndef FG_SINK_INTERNAL_H
#define FG_SINK_INTERNAL_H

#include "core/base/bytes.h"
#include "core/reading/sink.h"
#include "core/reading/timeline.h"

/* Names of events that a recording has, to be listed when the one asked for is not there. */
#define FG_SINK_LISTED 16

/* Which of a builder's values (builder.h) are what. */
enum
{
	FG_SINK_VALUE, FG_SINK_SAMPLES, FG_SINK_NOISE
};

typedef struct FgSinkProfile
{
	char	   *event;
	char	   *name;
	char	   *unit;
	double		period;
	bool		period_varies;
	FgWeights	weights;
	FgBuilder  *complete;
	FgBuilder  *truncated;
	FgTree		given;			/* instead of the builders; key is NULL when there is none */
} FgSinkProfile;

typedef struct FgSinkFrame
{
	size_t		offset;
	size_t		length;
} FgSinkFrame;

struct FgSink
{
	FgContext  *ctx;
	const FgReadOptions *options;
	FgNoted		noted;
	FgWarnings	warnings;
	FgSinkProfile *profiles;
	size_t		count;
	size_t		capacity;
	char	   *default_name;	/* NULL: none was said */
	char	   *listed[FG_SINK_LISTED];
	size_t		nlisted;
	FgBuffer	bytes;			/* of the collected frames */
	FgSinkFrame *frames;
	size_t		nframes;
	size_t		frames_capacity;
	FgBuffer	thread;
	bool		has_thread;
	FgBuffer	path;
	bool		may_be_summed;
	FgNoted		cleared;		/* "noted" at fg_sink_clear */

	/* samples one by one, for a taker */
	FgTimeline *timeline;		/* NULL: there is none */
	double		ticks;			/* per second */
	FgTimed		timed;			/* of the collected stack */
	FgBuffer	lane;
	FgBuffer	checked;		/* the path before, whose frames were found to be valid */
};

/* Another profile of this kind, whether the options select it or not. */
extern bool fg_sink_add_profile(FgSink *sink, const FgKind *kind);

#endif							/* FG_SINK_INTERNAL_H */
