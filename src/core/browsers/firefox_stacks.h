/*
 * firefox_stacks.h
 *	  The tables of a profile of the Firefox Profiler, and the stacks that samples take from
 *	  them.
 *
 * A sample refers to a stack, which has a frame and the stack above it; a frame has a
 * function, that a name.  Tables come in any order and are whole before the first stack is
 * taken from them (fg_firefox_tables_check).  Stacks stand behind those that they extend, as
 * the Firefox Profiler itself relies on.
 *
 * A stack is walked once for a profile, with threads as frames once for each: what it came to is kept beside it.
 */
#ifndef FG_FIREFOX_STACKS_H
#define FG_FIREFOX_STACKS_H

#include "core/base/bytes.h"
#include "core/reading/sink.h"

/* Samples in three units, their CPU time, allocations of JavaScript, native ones, freed ones. */
#define FG_FIREFOX_PROFILES 7

typedef enum FgFirefoxColumn
{
	FG_FIREFOX_STACK_FRAME,
	FG_FIREFOX_STACK_PREFIX,
	FG_FIREFOX_STACK_OFFSET,	/* to the prefix, backwards; 0: none (from version 66 on) */
	FG_FIREFOX_FRAME_FUNC,
	FG_FIREFOX_FRAME_LOCATION,	/* a text: Gecko's own form has no functions */
	FG_FIREFOX_FRAME_LINE,
	FG_FIREFOX_FUNC_NAME,
	FG_FIREFOX_FUNC_RESOURCE,
	FG_FIREFOX_RESOURCE_NAME,
	FG_FIREFOX_RESOURCE_TYPE,
	FG_FIREFOX_COLUMNS
} FgFirefoxColumn;

/* Numbers; FG_NONE for null and -1. */
typedef struct FgFirefoxNumbers
{
	uint32_t   *items;
	size_t		count;
	size_t		capacity;
} FgFirefoxNumbers;

typedef struct FgFirefoxDoubles
{
	double	   *items;			/* NAN for null */
	size_t		count;
	size_t		capacity;
} FgFirefoxDoubles;

typedef struct FgFirefoxStrings
{
	FgBuffer	bytes;
	size_t	   *ends;
	size_t		count;
	size_t		capacity;
} FgFirefoxStrings;

/* What a library's code is mapped to, in Gecko's own form. */
typedef struct FgFirefoxLib
{
	uint64_t	start;
	uint64_t	end;
	uint64_t	offset;			/* of start in the library */
	size_t		name;			/* in "names" */
	size_t		length;
} FgFirefoxLib;

typedef struct FgFirefoxLibs
{
	FgFirefoxLib *items;		/* by start, once they are sorted */
	size_t		count;
	size_t		capacity;
	FgBuffer	names;
} FgFirefoxLibs;

/* A stack in the tree of a profile, for the thread with this number. */
typedef struct FgFirefoxNode
{
	uint32_t	thread;
	uint32_t	node;
	uint32_t	unknown_frames;
	uint32_t	control_characters;
} FgFirefoxNode;

typedef struct FgFirefoxTables
{
	FgContext  *ctx;
	FgFirefoxNumbers columns[FG_FIREFOX_COLUMNS];
	FgFirefoxDoubles addresses; /* of frames, in their library */
	FgFirefoxStrings strings;
	bool		has_strings;
	bool		checked;
	uint32_t   *depths;			/* of stacks, with their own frame */

	/* by the number of the profile */
	FgFirefoxNode *nodes[FG_FIREFOX_PROFILES];
	FgKnownFrame *known[FG_FIREFOX_PROFILES];
	bool	   *is_known[FG_FIREFOX_PROFILES];
} FgFirefoxTables;

extern FgFirefoxTables *fg_firefox_tables_create(FgContext *ctx);
extern void fg_firefox_tables_free(FgFirefoxTables *tables);

extern bool fg_firefox_number(FgContext *ctx, FgFirefoxNumbers *numbers, uint32_t number);
extern bool fg_firefox_double(FgContext *ctx, FgFirefoxDoubles *doubles, double number);
/* Room for another element, which need not come from these. */
extern bool fg_firefox_numbers_room(FgContext *ctx, FgFirefoxNumbers *numbers);
extern bool fg_firefox_doubles_room(FgContext *ctx, FgFirefoxDoubles *doubles);

extern bool fg_firefox_string(FgContext *ctx, FgFirefoxStrings *strings, const char *text,
							  size_t length);

/*
 * A profile may share only its texts, or all of its tables: what is needed to name a frame.
 * "strings" may be those of "tables".
 */
typedef struct FgFirefoxStacks
{
	FgSink	   *sink;
	FgFirefoxTables *tables;
	const FgFirefoxStrings *strings;
	const FgFirefoxLibs *libs;	/* of the process, in Gecko's own form */
	bool		old;			/* before version 2: names of functions hold where they are */
	bool		with_lines;
	uint32_t	thread;			/* from 1 on; one for all of them where they are no frames */
	const char *thread_name;	/* NULL: it is no frame */
	size_t		thread_length;
	FgBuffer	text;			/* a frame's */
} FgFirefoxStacks;

/* Do all references of the tables lead somewhere? */
extern bool fg_firefox_tables_check(const FgFirefoxStacks *stacks);

/* Adds so many samples of one weight with this stack to the profile; FG_NONE: no stack. */
extern bool fg_firefox_add(FgFirefoxStacks *stacks, uint32_t profile, uint32_t stack, double weight,
						   size_t times);

/* Collects the stack in the sink, from its leaf. */
extern bool fg_firefox_collect(FgFirefoxStacks *stacks, uint32_t stack);

/* By start. */
extern void fg_firefox_libs_sort(FgFirefoxLibs *libs);

#endif							/* FG_FIREFOX_STACKS_H */
