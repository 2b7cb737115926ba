/*
 * otlp_tables.h
 *	  The dictionary of a message of OTLP profiles: what its profiles refer to by index.
 *
 * The message is in memory as a whole, and texts stay where they lie in it.  Of all else a few
 * numbers are kept.  An index is looked up when it is used: nothing is wrong with a dictionary
 * whose entries nobody uses.  Index 0 of each table is nothing: no text, no function, no mapping.
 */
#ifndef FG_OTLP_TABLES_H
#define FG_OTLP_TABLES_H

#include "core/reading/sink.h"
#include "core/reading/wire.h"

typedef struct FgOtlpText
{
	const char *bytes;
	size_t		length;
} FgOtlpText;

typedef struct FgOtlpFunction
{
	uint64_t	name;			/* texts */
	uint64_t	system_name;
} FgOtlpFunction;

typedef struct FgOtlpMapping
{
	uint64_t	start;
	uint64_t	limit;			/* where it is not mapped any more; 0: not known */
	uint64_t	offset;
	uint64_t	file;			/* text */
} FgOtlpMapping;

typedef struct FgOtlpLocation
{
	uint64_t	mapping;
	uint64_t	address;
	size_t		lines;			/* how many lines there are up to the end of its own */
} FgOtlpLocation;

typedef struct FgOtlpLine
{
	uint64_t	function;
	int64_t		line;
} FgOtlpLine;

/* A text or a number; of other kinds nothing is kept but the key. */
typedef struct FgOtlpAttribute
{
	uint64_t	key;			/* text */
	bool		is_text;
	bool		is_number;
	FgOtlpText	text;
	int64_t		number;
} FgOtlpAttribute;

typedef struct FgOtlpTables
{
	FgContext  *ctx;
	FgFrameStyle style;
	FgOtlpText *texts;
	size_t		text_count;
	size_t		text_room;
	FgOtlpFunction *functions;
	size_t		function_count;
	size_t		function_room;
	FgOtlpMapping *mappings;
	size_t		mapping_count;
	size_t		mapping_room;
	FgOtlpLocation *locations;
	size_t		location_count;
	size_t		location_room;
	FgOtlpLine *lines;
	size_t		line_count;
	size_t		line_room;
	size_t	   *stacks;			/* how many indices there are up to the end of its own */
	size_t		stack_count;
	size_t		stack_room;
	uint64_t   *indices;		/* of locations, of all stacks, the innermost first */
	size_t		index_count;
	size_t		index_room;
	FgOtlpAttribute *attributes;
	size_t		attribute_count;
	size_t		attribute_room;
	size_t		link_count;
	uint32_t   *numbers;		/* of the frames of the stack that was asked for last */
	size_t		number_count;
	size_t		number_room;
	FgBuffer	frame;			/* one that is more than a name */
} FgOtlpTables;

extern void fg_otlp_tables_begin(FgContext *ctx, FgOtlpTables *tables, FgFrameStyle style);
extern void fg_otlp_tables_free(FgOtlpTables *tables);

/* Takes a dictionary, or a part of it. */
extern bool fg_otlp_tables_take(FgOtlpTables *tables, FgWire *message);

/* A text by its index; "what" says whose it is. */
extern bool fg_otlp_text(const FgOtlpTables *tables, uint64_t index, const char *what, FgOtlpText *text);

/*
 * The frames of a stack as numbers, the innermost first: each line is a frame, and behind the lines
 * each location that stands for itself.
 */
extern bool fg_otlp_number(FgOtlpTables *tables, uint64_t stack);

/* What such a frame is called (numbered.h); "arg" are the tables. */
extern bool fg_otlp_name(void *arg, uint32_t number, const char **name, size_t *length);

/* Collects the frames of a stack in the sink, the innermost first. */
extern bool fg_otlp_collect(FgOtlpTables *tables, uint64_t stack, FgSink *sink);

#endif							/* FG_OTLP_TABLES_H */
