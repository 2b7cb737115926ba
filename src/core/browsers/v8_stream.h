/*
 * v8_stream.h
 *	  The samples of a .cpuprofile while it is read.
 *
 * A file of six hours has 22 million of them, and the times between them stand behind them all.
 * So what comes first is kept in few bytes (kept_numbers.h), and when the nodes, the samples and
 * the beginning are known before the times, as V8 writes them, each time goes to its sample at
 * once: no times are kept, and what is kept of the samples becomes less from then on.  In
 * any other order both are kept until the end.
 */
#ifndef FG_V8_STREAM_H
#define FG_V8_STREAM_H

#include "core/browsers/v8_profile.h"
#include "core/reading/kept_numbers.h"

typedef struct FgV8Stream
{
	FgContext  *ctx;
	FgV8Profile *profile;
	FgKeptNumbers ids;			/* of the samples' nodes */
	FgKeptNumbers deltas;		/* or times, where these are given */
	bool		are_times;

	/* samples that go to their nodes */
	bool		merging;
	FgKeptWalk	walk;			/* of the ids */
	size_t		merged;
	uint64_t	delta_count;
	double		time;
	uint32_t	id;				/* of the last sample, and its node */
	uint32_t	node;
	FgV8Order	order;
	FgWeights	weights;		/* of the samples' times */
	FgV8Spread	spread;
} FgV8Stream;

extern void fg_v8_stream_begin(FgContext *ctx, FgV8Profile *profile, FgV8Stream *stream);
extern void fg_v8_stream_free(FgV8Stream *stream);

/* For handlers; they take what follows in the list, too. */
extern bool fg_v8_stream_sample(FgV8Stream *stream, FgJson *json, const FgJsonValue *value);
extern bool fg_v8_stream_delta(FgV8Stream *stream, FgJson *json, const FgJsonValue *value);

/* Nodes, samples and the beginning are known: deltas that come from now on are added up. */
extern bool fg_v8_stream_merge(FgV8Stream *stream);

/* When all has come: counts the samples of each node; their times are not wanted, or there are none. */
extern bool fg_v8_stream_count(FgV8Stream *stream);

/* The time of each node, as fg_v8_times; or the samples one by one, as fg_v8_take, from the first one on. */
extern bool fg_v8_stream_times(FgV8Stream *stream);
extern bool fg_v8_stream_take(FgV8Stream *stream, FgV8Handing *handing);

#endif							/* FG_V8_STREAM_H */
