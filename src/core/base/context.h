/*
 * context.h
 *	  What every core function needs from its surroundings: memory, a way to be
 *	  interrupted, and a place to leave an error.
 *
 * The core never prints, exits or jumps.  A function that can fail returns
 * false (or NULL) after filling ctx->error; everything it allocated so far is
 * then either freed or still reachable from the object it was building.  The
 * PostgreSQL glue installs an allocator over a MemoryContext whose calls throw
 * instead of returning NULL; the core must therefore also be safe when an
 * allocation or the interrupt hook never returns.
 */
#ifndef FG_CONTEXT_H
#define FG_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Limits of one value, all reported as FG_ERROR_LIMIT.  Depth fits 16 bits and
 * the node count leaves the decoded arrays (16 bytes a node) below 2 GB.  The
 * byte limit is 3/4 of a gigabyte and not PostgreSQL's full 1 GB - 1: in base64
 * a value must fit a COPY row, or it could be stored and never be dumped.
 */
#define FG_MAX_DEPTH		65535
#define FG_MAX_NODES		((UINT32_C(1) << 27) - 1)
#define FG_MAX_FRAME		(UINT32_C(1) << 20)
#define FG_MAX_BYTES		(UINT32_C(750) << 20)

/* The number of no node, no frame, no caller: above every limit, so it sorts last. */
#define FG_NONE				UINT32_MAX

/*
 * Work between two calls of the interrupt hook: a few milliseconds at most.  A test
 * build makes them smaller.
 */
#ifndef FG_CHECK_NODES
#define FG_CHECK_NODES		65536
#endif
#ifndef FG_CHECK_BYTES
#define FG_CHECK_BYTES		(1024 * 1024)
#endif
/* Turns of a loop that are counted together (fg_check_every). */
#define FG_COUNT_NODES		(FG_CHECK_NODES / 64)

/* Arrays of so many bytes may come from elsewhere than small ones (arenas.h), so one that becomes so large is a new one. */
#define FG_LARGE_ARRAY ((size_t) 64 * 1024)

typedef enum FgErrorCode
{
	FG_OK = 0,
	FG_ERROR_SYNTAX,			/* text that does not follow the grammar */
	FG_ERROR_RANGE,				/* a number too large, too small, NaN or infinite */
	FG_ERROR_ENCODING,			/* bytes that are not UTF-8 */
	FG_ERROR_CORRUPT,			/* encoded bytes that break the format */
	FG_ERROR_LIMIT,				/* one of the limits above */
	FG_ERROR_ARGUMENT,			/* a parameter outside its domain */
	FG_ERROR_MEMORY,			/* the allocator returned NULL */
	FG_ERROR_CANCELLED			/* the interrupt hook returned true */
} FgErrorCode;

/* How much of a line an error shows. */
#define FG_QUOTE_BYTES 80

/* line and column count from 1; 0 means that the error has no such place. */
typedef struct FgError
{
	FgErrorCode code;
	uint64_t	line;
	uint64_t	column;			/* in bytes */
	char		reason[200];	/* a sentence without place, no final stop */
	char		quote[FG_QUOTE_BYTES + 16]; /* the text around the place; "": not known */
	const char *hint;			/* static text or NULL */
} FgError;

typedef struct FgContext
{
	void	   *(*alloc) (void *arg, size_t size);
	void	   *(*resize) (void *arg, void *pointer, size_t size);
	void		(*release) (void *arg, void *pointer);
	bool		(*interrupted) (void *arg); /* NULL: never */
	void	   *arg;
	uint64_t	seed;			/* of hash tables; secret, so that no file can aim at it */
	size_t		work;			/* since the last poll (fg_work) */
	uint64_t	rounded;		/* whole numbers that were read and that no double is (number.h) */
	FgError		error;
} FgContext;

/* A context over malloc, for the client, the tests and the benchmarks. */
extern FgContext fg_malloc_context(void);

/*
 * Records an error and returns false, so that callers can write
 * "return fg_fail(...)".  reason is a printf format.
 */
extern bool fg_fail(FgContext *ctx, FgErrorCode code, const char *reason,...)
			__attribute__((format(printf, 3, 4)));
extern bool fg_fail_at(FgContext *ctx, FgErrorCode code, uint64_t line, uint64_t column,
					   const char *hint, const char *reason,...)
			__attribute__((format(printf, 6, 7)));

/* Polls the interrupt hook; false (with the error set) when work must end. */
extern bool fg_check(FgContext *ctx);

/*
 * The same when FG_CHECK_BYTES of work have come together.  They are counted in the
 * context, not in the loop: of loops within loops over data of users neither knows how
 * much the other one does, and many short loops make a long one.  "bytes" may count
 * anything else that takes a nanosecond or less each.
 */
static inline bool
fg_work(FgContext *ctx, size_t bytes)
{
	ctx->work += bytes + 64;	/* an item costs something even when it is short */
	return ctx->work < FG_CHECK_BYTES || fg_check(ctx);
}

/* The same for steps that do little: when FG_CHECK_NODES of them have come together. */
static inline bool
fg_steps(FgContext *ctx, size_t steps)
{
	ctx->work += steps * (FG_CHECK_BYTES / FG_CHECK_NODES);
	return ctx->work < FG_CHECK_BYTES || fg_check(ctx);
}

/*
 * The same for a turn of a loop, and in its first one.  Turns are counted in blocks,
 * because a store in each of them takes a tenth of the time of a pass over a tree.
 */
static inline bool
fg_check_every(FgContext *ctx, size_t turn)
{
	if (turn % FG_COUNT_NODES != 0)
		return true;
	return turn % FG_CHECK_NODES == 0 ? fg_check(ctx) : fg_steps(ctx, FG_COUNT_NODES);
}

/*
 * Splits [0, count) into blocks small enough to need no check inside: a loop over
 * blocks, with *end set to the end of the one that starts at "start"; false when
 * work must end.
 */
static inline bool
fg_next_block(FgContext *ctx, size_t start, size_t count, size_t *end)
{
	*end = count - start > FG_CHECK_NODES ? start + FG_CHECK_NODES : count;
	return fg_check(ctx);
}

/*
 * Adds to the error what stands at its place: a line of the input, around the byte
 * "at" (from 0) if it is long.  Bytes are copied as they are.
 */
extern void fg_quote(FgContext *ctx, const char *line, size_t length, size_t at);

/*
 * count * size bytes with the product checked; NULL with the error set.  A
 * count of 0 gives a pointer that may be released but not read.  Zeroing and
 * copying poll the interrupt hook: touching a gigabyte takes its time.
 */
extern void *fg_alloc(FgContext *ctx, size_t count, size_t size);
extern void *fg_alloc_zero(FgContext *ctx, size_t count, size_t size);
extern bool fg_copy(FgContext *ctx, void *to, const void *from, size_t bytes);

/* Makes an array of "had" elements one of "count". */
extern void *fg_resize(FgContext *ctx, void *pointer, size_t had, size_t count, size_t size);
extern void fg_release(FgContext *ctx, void *pointer);

/*
 * Makes room for at least "needed" elements in an array of *capacity elements,
 * growing by half.  *array stays valid when it fails.
 */
extern bool fg_reserve(FgContext *ctx, void **array, size_t *capacity, size_t needed, size_t size);

#endif							/* FG_CONTEXT_H */
