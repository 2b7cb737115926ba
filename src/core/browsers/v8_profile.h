/*
 * v8_profile.h
 *	  V8's profiles, whichever file they are in: .cpuprofile, .heapprofile, and the chunks in
 *	  a trace of Chrome.
 *
 * A tree of nodes with call frames, then the node of each sample and the microseconds
 * between them.  Nodes are linked by the numbers of their parents, by lists of children, or
 * by standing in each other (fg_v8_open).  A sample stands for the time until the next one,
 * the last for that until the end.  V8 writes samples out of order at times; they are put in
 * order of their time.
 *
 * A frame is file:function.  The file is the part of its path that is the same on
 * every machine: what follows node_modules/, or else the name alone; names of
 * node's own modules, such as node:fs, stay as they are.  The body of a module is
 * its file, a function without a name has its place, file:(anonymous):LINE:COLUMN.
 * Lines of other functions are left out, since they move with every edit above.
 * (idle), (program) and (garbage collector) are stacks of their own, as in V8.
 *
 * Numbers of nodes are checked by fg_v8_resolve, since the nodes may stand behind what refers
 * to them.  A recording that lost some of its parts has_gaps: a stack whose callers are not
 * known is one that was cut off, and a sample of a node that is not there one of an unknown
 * frame.
 */
#ifndef FG_V8_PROFILE_H
#define FG_V8_PROFILE_H

#include "core/base/bytes.h"
#include "core/browsers/v8_order.h"
#include "core/profile/names.h"
#include "core/reading/id_index.h"
#include "core/reading/json_stream.h"
#include "core/reading/sink.h"

/* Names of functions and files, and of frames; those of all profiles of a file. */
typedef struct FgV8Texts
{
	FgNames		texts;
	FgNames		frames;
	FgBuffer	name;			/* of a frame that is being made */
} FgV8Texts;

typedef struct FgV8Node
{
	uint32_t	parent;			/* position; FG_NONE: none */
	uint32_t	parent_id;		/* FG_NONE: none is given */
	uint32_t	id;				/* FG_NONE: none is given */
	uint32_t	function;		/* texts; FG_NONE: empty */
	uint32_t	url;
	uint32_t	frame;
	bool		cut;			/* its parent is not there */
	double		line;			/* from 0; -1: none */
	double		column;
	double		hits;			/* or bytes */
	double		samples;
	FgSum		sum;
} FgV8Node;

typedef struct FgV8Link
{
	uint32_t	parent;			/* position */
	uint32_t	child;			/* id */
} FgV8Link;

typedef struct FgV8Profile
{
	FgContext  *ctx;
	FgV8Texts  *texts;
	FgV8Node   *nodes;
	uint32_t	count;
	size_t		node_capacity;
	uint32_t	open;			/* the node that is being read; FG_NONE: none */
	bool		by_place;		/* nodes stand in their parents, and need no numbers */
	bool		may_lack_nodes; /* samples of a node that is not there get FG_NONE */
	bool		has_gaps;
	uint32_t	unknown;		/* the node of unknown ones, once there is one; else FG_NONE */
	FgV8Link   *links;
	size_t		link_count;
	size_t		link_capacity;
	uint32_t   *samples;		/* ids, then positions */
	size_t		sample_count;
	size_t		sample_capacity;
	double	   *deltas;
	size_t		delta_count;
	size_t		delta_capacity;
	bool		has_samples;
	bool		has_deltas;
	double		start;
	double		end;
	bool		has_end;
	uint64_t   *ids;
	FgIdIndex	index;
	const char *thread;			/* whose it is, not terminated; NULL: the file does not say it */
	size_t		thread_length;
} FgV8Profile;

extern bool fg_v8_texts_begin(FgContext *ctx, FgV8Texts *texts);
extern void fg_v8_texts_free(FgV8Texts *texts);

/* The frame of a function; lines and columns count from 0, below 0 there is none. */
extern bool fg_v8_frame(FgV8Texts *texts, const char *function, size_t function_length,
						const char *url, size_t length, double line, double column,
						uint32_t *frame);

extern void fg_v8_begin(FgContext *ctx, FgV8Texts *texts, FgV8Profile *p);
extern void fg_v8_free(FgV8Profile *p);

/*
 * A node begins, in the one that is open; until it is closed it is nodes[open].  Errors of
 * these are about the value that the handler was called with.  Those of lists take what
 * follows in the list, too (fg_json_next_index).
 */
extern bool fg_v8_open(FgV8Profile *p, FgJson *json);
extern bool fg_v8_close(FgV8Profile *p, FgJson *json);
extern bool fg_v8_text(FgV8Profile *p, FgJson *json, const FgJsonValue *value, uint32_t *number);

/* The file of the open node, which often is that of the node before. */
extern bool fg_v8_url(FgV8Profile *p, FgJson *json, const FgJsonValue *value);
extern bool fg_v8_children(FgV8Profile *p, FgJson *json, const FgJsonValue *value);
extern bool fg_v8_samples(FgV8Profile *p, FgJson *json, const FgJsonValue *value);
extern bool fg_v8_deltas(FgV8Profile *p, FgJson *json, const FgJsonValue *value);

/* Names of frames, parents, and the nodes of samples. */
extern bool fg_v8_resolve(FgV8Profile *p);

/*
 * The value of each node: the time of its samples, which are added to the weights, or the
 * number of its samples or hits.
 */
extern bool fg_v8_times(FgV8Profile *p, FgWeights *weights);
extern bool fg_v8_counts(FgV8Profile *p);

/* Adds what the nodes have. */
extern bool fg_v8_add(FgV8Profile *p, FgSink *sink, uint32_t profile);

/*
 * For who keeps the samples elsewhere: what takes them in order of their times, to add up the time of each
 * node, or to hand them to a taker one by one.  Times count from "zero" in "ticks" a microsecond then;
 * each sample has its time, or counts 1.
 */
typedef struct FgV8Spread
{
	FgV8Profile *profile;
	FgWeights  *weights;
} FgV8Spread;

typedef struct FgV8Handing
{
	FgV8Profile *profile;
	FgSink	   *sink;
	uint32_t	number;			/* of the sink's profile */
	bool		counts;
	double		zero;
	double		ticks;
} FgV8Handing;

extern bool fg_v8_spread(void *arg, uint32_t node, double time, double stop);
extern bool fg_v8_hand_on(void *arg, uint32_t node, double time, double stop);

/* The node of a sample (counted from 0). */
extern bool fg_v8_node_of(FgV8Profile *p, uint64_t sample, uint32_t id, uint32_t *node);

extern bool fg_v8_check_counts(FgContext *ctx, size_t samples, size_t times);

/* The samples one by one. */
extern bool fg_v8_take(FgV8Profile *p, const FgV8Handing *handing);

/* The earliest time of a sample; INFINITY: there is none. */
extern double fg_v8_zero(const FgV8Profile *p);

#endif							/* FG_V8_PROFILE_H */
