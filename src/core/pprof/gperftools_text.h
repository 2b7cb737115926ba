/*
 * gperftools_text.h
 *	  Lines of the texts of gperftools and jemalloc: what they count, and for each stack.
 */
#ifndef FG_GPERFTOOLS_TEXT_H
#define FG_GPERFTOOLS_TEXT_H

#include "core/reading/sink.h"

/* Values of a stack. */
#define FG_GPERFTOOLS_VALUES 4

/* Whole numbers up to here are exact as doubles; no program counts so far. */
#define FG_GPERFTOOLS_MAX_NUMBER (UINT64_C(1) << 53)

typedef enum FgGperftoolsKind
{
	FG_GPERFTOOLS_CPU,			/* words, not text */
	FG_GPERFTOOLS_HEAP,
	FG_GPERFTOOLS_JEMALLOC,		/* a heap, too, but a stack's numbers are on lines of their own */
	FG_GPERFTOOLS_GROWTH,
	FG_GPERFTOOLS_CONTENTION
} FgGperftoolsKind;

typedef struct FgGperftoolsText
{
	FgContext  *ctx;
	FgGperftoolsKind kind;
	bool		threads;		/* wanted: jemalloc's numbers of each thread */
	double		period;			/* CPU: nanoseconds; contention: how many of which one was seen */
	double		rate;			/* of a heap, in bytes; 0: all was seen */
	bool		has_allocated;	/* more was allocated than is in use */
	bool		has_stack;		/* jemalloc: the lines before the first one are sums */
	double		cycles;			/* contention: of the processor, per second; 0: not known */
} FgGperftoolsText;

typedef struct FgGperftoolsLine
{
	const char *reason;			/* what is wrong with the line; static */
	bool		begins;			/* a stack; otherwise it is still that of the last line */
	bool		ends;			/* it has all its values */
	size_t		addresses;		/* where they begin in the line */
	double		values[FG_GPERFTOOLS_VALUES];
	size_t		thread;			/* its name: the first bytes of the line */
} FgGperftoolsLine;

/* Could this be the first line of a heap?  Those of Go are none: names are missing. */
extern bool fg_gperftools_is_heap(const char *line, size_t length);

/* The first line. */
extern bool fg_gperftools_begin(FgGperftoolsText *text, const char *line, size_t length);

/* Another line; no blanks around it. */
extern bool fg_gperftools_line(FgGperftoolsText *text, const char *line, size_t length,
							   FgGperftoolsLine *got);

/* What the values are; says how many there are. */
extern size_t fg_gperftools_kinds(const FgGperftoolsText *text, FgKind kinds[FG_GPERFTOOLS_VALUES]);

#endif							/* FG_GPERFTOOLS_TEXT_H */
