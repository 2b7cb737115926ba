/*
 * values.h
 *	  Values as function arguments and results.
 *
 * A flamegraph is a varlena whose payload is the encoded form of codec.h, the same
 * compressed (stored.h), or an expanded object (expanded_flamegraph.h).  A stackpath is a varlena whose payload
 * is the path of path.h.
 */
#ifndef FG_PG_VALUES_H
#define FG_PG_VALUES_H

#include "pg/base/pg_compat.h"

#include "core/base/span.h"
#include "core/profile/codec.h"
#include "core/profile/tree.h"
#include "pg/base/errors.h"
#include "pg/base/memory.h"
#include "pg/base/varlena.h"

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

/*
 * The same, never compressed: for rows of which there are many, and which are added up or looked at
 * as soon as they are there.
 */
extern Datum fg_tree_row_datum(FgContext *ctx, const FgTree *tree);

/* As fg_tree_datum, and the tree is released. */
extern Datum fg_tree_datum_free(FgContext *ctx, FgTree *tree);

/* The encoded form of a flamegraph: detoasted, and decompressed where it is not stored so. */
extern struct varlena *fg_flamegraph_encoded(Datum value);

/* The bytes of a text or stackpath argument, detoasted. */
extern FgSpan fg_datum_span(Datum value);
#define PG_GETARG_SPAN(n) fg_datum_span(PG_GETARG_DATUM(n))

#endif							/* FG_PG_VALUES_H */
