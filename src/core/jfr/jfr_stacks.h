/*
 * jfr_stacks.h
 *	  Stacks and threads of a binary Flight Recorder file, which are constants of constants: a
 *	  stack has frames, a frame a method, a method a name and a class, a class a name.
 *
 * The description of a chunk says where these stand (fg_jfr_stacks_want); what it has none of
 * is null, as is what a key leads nowhere to.  The names of methods are kept while the chunk
 * lasts, up to a limit: most stacks have most of their frames in common with others.
 */
#ifndef FG_JFR_STACKS_H
#define FG_JFR_STACKS_H

#include "core/jfr/jfr_pools.h"
#include "core/reading/numbered.h"

/* A class whose values are looked into: where its constants are, and where its fields. */
typedef struct FgJfrShape
{
	uint32_t	class_at;		/* FG_NONE: not known */
	int			pool;			/* -1: its values stand in others */
	uint32_t	program;
	const FgJfrField *field[3];	/* NULL: it has no such field */
} FgJfrShape;

/* Where the name of a method is. */
typedef struct FgJfrSpan
{
	size_t		start;
	size_t		length;
	bool		there;
} FgJfrSpan;

typedef struct FgJfrStacks
{
	FgContext  *ctx;
	FgSink	   *sink;
	bool		lines;
	bool		modes;
	FgJfrPools	pools;
	FgJfrShape	stack;
	FgJfrShape	frame;
	FgJfrShape	method;
	FgJfrShape	class;
	FgJfrShape	thread;
	FgBuffer	names;			/* of methods */
	FgJfrSpan  *spans;			/* in names, by the number of the method; NULL: not yet */
	uint32_t   *methods;		/* of the stack that is walked, the innermost first */
	size_t		method_room;
	FgNumbered	numbered;		/* frames by the numbers of their methods */
	FgBuffer	class_name;
	FgBuffer	method_name;
	FgBuffer	text;
	FgBuffer	frame_name;
} FgJfrStacks;

extern void fg_jfr_stacks_begin(FgJfrStacks *stacks, FgSink *sink);
extern void fg_jfr_stacks_free(FgJfrStacks *stacks);

/* For the next chunk; when it is described anew, that is to be said before anything is wanted. */
extern void fg_jfr_stacks_clear(FgJfrStacks *stacks);
extern void fg_jfr_stacks_described(FgJfrStacks *stacks, FgJfrMetadata *metadata);

/* Fields of events that hold keys of stacks and of threads. */
extern bool fg_jfr_stacks_want(FgJfrStacks *stacks, const FgJfrField *field);
extern bool fg_jfr_stacks_want_thread(FgJfrStacks *stacks, const FgJfrField *field);

/* Collects the frames of the stack with this key in the sink, the innermost first. */
extern bool fg_jfr_stacks_collect(FgJfrStacks *stacks, uint64_t key, bool *truncated);

/*
 * The place of the stack with this key in a profile, below its thread, unless that is NULL.  Only
 * where frames are nothing but names (fg_jfr_stacks_are_plain), and the sink makes profiles.
 */
extern bool fg_jfr_stacks_are_plain(const FgJfrStacks *stacks);
extern bool fg_jfr_stacks_place(FgJfrStacks *stacks, uint64_t key, const FgJfrText *thread,
								uint32_t profile, FgStackPlace *place);

/* The name of a thread in Java, or else in the system; it lives until the next call. */
extern bool fg_jfr_stacks_thread(FgJfrStacks *stacks, uint64_t key, FgJfrText *name);

#endif							/* FG_JFR_STACKS_H */
