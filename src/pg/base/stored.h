/*
 * stored.h
 *	  Profiles, series and statistics as they are stored: encoded, or compressed
 *	  (core/profile/compression.h).
 *
 * Whoever makes a value compresses it where that is worth it; whoever reads one gets its encoded
 * form from here and from nowhere else.
 */
#ifndef FG_STORED_H
#define FG_STORED_H

#include "pg/base/pg_compat.h"

#include "core/profile/compression.h"
#include "pg/base/memory.h"

/*
 * The encoded form of a value: a new varlena, or the value itself where it is that already.  Errors
 * name the type.
 */
extern struct varlena *fg_datum_encoded(Datum value, const FgEncoding *encoding, const char *type);

/* The first "wanted" bytes of it, or more, or all there are; always a new varlena. */
extern struct varlena *fg_datum_start(Datum value, const FgEncoding *encoding, const char *type,
									  size_t wanted);

/*
 * A value of bytes that the core has encoded behind VARHDRSZ free ones, which are taken over; false
 * with an error in ctx.
 */
extern bool fg_store_encoded(FgContext *ctx, const FgEncoding *encoding, uint8_t *buffer,
							 size_t size, Datum *value);

/* A value of bytes that have been validated; 0 after a soft error. */
extern Datum fg_stored_softly(FgContext *ctx, const FgEncoding *encoding, const char *type,
							  const void *bytes, size_t size, struct Node *escontext);

#endif							/* FG_STORED_H */
