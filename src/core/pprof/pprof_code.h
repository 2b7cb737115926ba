/*
 * pprof_code.h
 *	  What the numbers in a pprof profile refer to: texts, functions, mappings and locations, and
 *	  the frames that a location stands for.
 *
 * A location has a line for each function that is inlined in it, the innermost first; a line has
 * a function, a function a name.  They may stand anywhere in the message, so nothing is looked up
 * before all of them are there (fg_pprof_code_finish).  Of each a few numbers are kept, and all
 * texts, which are once in the file; a text is copied only where a frame is more than a name.
 */
#ifndef FG_PPROF_CODE_H
#define FG_PPROF_CODE_H

#include "core/reading/id_index.h"
#include "core/reading/recorded.h"
#include "core/reading/wire.h"

/* Functions and mappings may be named by any ids, none of them 0. */
typedef struct FgPprofIds
{
	const char *what;			/* for errors */
	uint64_t   *ids;
	size_t		count;
	size_t		room;
	FgIdIndex	index;
} FgPprofIds;

typedef struct FgPprofFunction
{
	int64_t		name;			/* texts */
	int64_t		system_name;
} FgPprofFunction;

typedef struct FgPprofMapping
{
	uint64_t	start;
	uint64_t	limit;			/* where it is not mapped any more; 0: not known */
	uint64_t	offset;
	int64_t		file;			/* text */
} FgPprofMapping;

typedef struct FgPprofLocation
{
	uint64_t	mapping;		/* id, 0: none */
	uint64_t	address;
	size_t		lines;			/* how many lines there are up to the end of its own */
} FgPprofLocation;

typedef struct FgPprofLine
{
	uint64_t	function;		/* id, 0: none */
	int64_t		line;
} FgPprofLine;

typedef struct FgPprofFrame
{
	size_t		start;			/* in the texts, or in the frames' own texts */
	uint32_t	length;
	uint32_t	control_characters;
	bool		own;
} FgPprofFrame;

typedef struct FgPprofCode
{
	FgContext  *ctx;
	FgFrameStyle style;
	FgBuffer	texts;
	size_t	   *text_ends;
	size_t		text_count;
	size_t		text_room;
	FgPprofIds	function_ids;
	FgPprofFunction *functions;
	size_t		function_room;
	FgPprofIds	mapping_ids;
	FgPprofMapping *mappings;
	size_t		mapping_room;
	FgPprofIds	location_ids;
	FgPprofLocation *locations;
	size_t		location_room;
	FgPprofLine *lines;
	size_t		line_count;
	size_t		line_room;

	/* when it is finished */
	FgBuffer	own;
	FgPprofFrame *frames;
	size_t		frame_count;
	size_t		frame_room;
	bool		notable;		/* some frame is empty, has control characters, or may make a stack too long */
	size_t		longest;		/* frames that a location has at most */
	size_t	   *first;			/* of each location's frames; one more at the end */
} FgPprofCode;

extern void fg_pprof_code_begin(FgContext *ctx, FgPprofCode *code, FgFrameStyle style);
extern void fg_pprof_code_free(FgPprofCode *code);

/* Take the messages. */
extern bool fg_pprof_code_text(FgPprofCode *code, const FgWire *text);
extern bool fg_pprof_code_function(FgPprofCode *code, FgWire *message);
extern bool fg_pprof_code_mapping(FgPprofCode *code, FgWire *message);
extern bool fg_pprof_code_location(FgPprofCode *code, FgWire *message);

/* What they take, about. */
extern uint64_t fg_pprof_code_bytes(const FgPprofCode *code);

/* Looks everything up, and makes the frames of all locations. */
extern bool fg_pprof_code_finish(FgPprofCode *code);

/* A text by its number; "what" and "number" say whose it is. */
typedef struct FgPprofText
{
	const char *bytes;
	size_t		length;
} FgPprofText;

extern bool fg_pprof_code_find_text(const FgPprofCode *code, int64_t at, const char *what,
									size_t number, FgPprofText *text);

/* Which location has this id, SIZE_MAX: none.  Its frames are from first[i] to first[i + 1]. */
extern size_t fg_pprof_code_location_of(const FgPprofCode *code, uint64_t id);
extern FgPprofText fg_pprof_code_frame(const FgPprofCode *code, size_t frame);

#endif							/* FG_PPROF_CODE_H */
