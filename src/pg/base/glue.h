/*
 * glue.h
 *	  Between PostgreSQL and the core: memory, interrupts, errors, and values as
 *	  function arguments and results.
 *
 * A flamegraph is a varlena whose payload is the encoded form of codec.h, or an
 * expanded object (expanded.h).  A stackpath is a varlena whose payload is the
 * path of path.h.
 */
#ifndef FG_GLUE_H
#define FG_GLUE_H

#include "pg/base/pg_compat.h"

#include "core/base/context.h"
#include "core/profile/codec.h"
#include "core/profile/tree.h"

/*
 * A core context whose memory comes from a MemoryContext: allocation throws, so
 * core functions see no failure, and the interrupt hook is
 * CHECK_FOR_INTERRUPTS().  Whatever they hold then goes with the context.
 */
extern FgContext fg_context_in(MemoryContext memory);
#define fg_current_context() fg_context_in(CurrentMemoryContext)

/* Where bytes that break the format come from decides the SQLSTATE. */
typedef enum FgSource
{
	FG_FROM_STORAGE,			/* XX001 */
	FG_FROM_TEXT,				/* 22P02 */
	FG_FROM_WIRE				/* 22P03 */
} FgSource;

/*
 * Reports ctx->error for a value of the type named.  Throws, unless "escontext"
 * catches soft errors (PostgreSQL 16).
 */
extern void fg_report(const FgContext *ctx, const char *type, FgSource source,
					  struct Node *escontext);

/* The parts of such a report, for messages of another kind: SQLSTATE and detail. */
extern int	fg_error_sqlstate(FgErrorCode code, FgSource source);
extern char *fg_error_detail(const FgError *error);

/* Throws ctx->error; for everything but input functions. */
pg_noreturn extern void fg_throw(const FgContext *ctx, const char *type);

/* For code that cannot go on: if (!core_call()) fg_throw() in one line. */
#define fg_must(ctx, call) \
	do { \
		if (!(call)) \
			fg_throw(ctx, "flamegraph"); \
	} while (0)

/*
 * The tree of an argument: that of an expanded object, which is borrowed, or one
 * decoded into *storage.
 */
extern const FgTree *fg_datum_tree(FgContext *ctx, Datum value, FgTree *storage);

/* The same as a tree of its own, for functions that go on in later calls. */
extern void fg_datum_tree_owned(FgContext *ctx, Datum value, FgTree *tree);

/*
 * The first one or two arguments of a function as trees, with the context in which
 * they are decoded.
 */
typedef struct FgOperands
{
	FgContext	ctx;
	FgTree		storage[2];
	const FgTree *a;
	const FgTree *b;
} FgOperands;

extern void fg_get_operand(FunctionCallInfo fcinfo, FgOperands *operands);
extern void fg_get_operands(FunctionCallInfo fcinfo, FgOperands *operands);

/* The frame dictionary of an argument alone, borrowed or decoded likewise. */
extern const FgFrames *fg_datum_frames(FgContext *ctx, Datum value, FgFrames *storage);

/* The facts of an argument, from the header alone when it is stored flat. */
extern FgFacts fg_datum_facts(Datum value, uint32_t *nframes);

/* Encodes a tree as a new flat value; false, with an error in ctx, when it is too large. */
extern bool fg_tree_encode(FgContext *ctx, const FgTree *tree, Datum *value);

/* The same, and throws. */
extern Datum fg_tree_datum(FgContext *ctx, const FgTree *tree);

/* Likewise, and the tree is released. */
extern Datum fg_tree_datum_free(FgContext *ctx, FgTree *tree);

/* A new varlena with this payload; 54000 when it is too long. */
extern struct varlena *fg_varlena(const void *bytes, size_t size);

/* The same for input functions, with a soft error and NULL. */
extern struct varlena *fg_varlena_softly(const void *bytes, size_t size, struct Node *escontext);

/* The bytes of a text or stackpath argument, detoasted. */
typedef struct FgSpan
{
	const char *bytes;
	size_t		size;
} FgSpan;

extern FgSpan fg_datum_span(Datum value);
#define PG_GETARG_SPAN(n) fg_datum_span(PG_GETARG_DATUM(n))

/*
 * Base64 between prefix and suffix, as a C string that may exceed 1 GB (the
 * caller's output function then reports that); and back, NULL when the text is
 * not base64.
 */
extern char *fg_base64_encode(const char *prefix, FgSpan bytes, const char *suffix);
extern char *fg_base64_decode(FgSpan text, size_t *size);

/* One word of a list, else 22023 with a hint that names them all. */
extern int	fg_word(FgSpan word, const char *argument, const char *const *words, int count);

/*
 * The texts of a text[] as a dictionary: sorted bytewise, each once.  A null element
 * is error 22004 with this message.
 */
extern FgFrames fg_text_set(FgContext *ctx, Datum array, const char *null_message);

#endif							/* FG_GLUE_H */
