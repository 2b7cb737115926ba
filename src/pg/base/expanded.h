/*
 * expanded.h
 *	  What our expanded objects (utils/expandeddatum.h) have in common, which are the
 *	  states of aggregates.
 *
 * An object lives in a memory context of its own below the aggregate's, which is what
 * lets nodeAgg.c keep it instead of copying it.  It becomes bytes when PostgreSQL needs
 * them: as a result, or for another process.
 */
#ifndef FG_EXPANDED_H
#define FG_EXPANDED_H

#include "core/profile/compression.h"
#include "pg/base/memory.h"

#include "utils/expandeddatum.h"

struct FgExpandedKind;

/* The head of every object. */
typedef struct FgExpanded
{
	ExpandedObjectHeader header;
	const struct FgExpandedKind *kind;
	FgContext	ctx;			/* allocates in header.eoh_context */
	uint8_t    *flat;			/* the stored form until something changes, or NULL */
	size_t		flat_size;
} FgExpanded;

typedef struct FgExpandedKind
{
	const char *type;			/* of SQL, for messages */
	size_t		size;			/* of the object */
	const FgEncoding *encoding; /* how its bytes are compressed, NULL: they are not */
	/* Encodes the object in its own context; false with the error in its context. */
	bool		(*encode) (FgExpanded *object, uint8_t **bytes, size_t *size);
} FgExpandedKind;

/* A new object below "parent", zero behind its head. */
extern void *fg_expanded_create(MemoryContext parent, const FgExpandedKind *kind);

/* The object behind a datum, NULL when it is flat or of another kind. */
extern void *fg_expanded_of(Datum value, const FgExpandedKind *kind);

/* The read-write pointer to it; always the same one. */
extern Datum fg_expanded_datum(FgExpanded *object);

/* To be called before an object is changed. */
extern void fg_expanded_change(FgExpanded *object);

/* Throws the error in the object's context unless "ok". */
extern void fg_expanded_must(FgExpanded *object, bool ok);

/* --- states of aggregates -------------------------------------------------------- */

/* The memory of the aggregate that calls, else error 0A000. */
extern MemoryContext fg_aggregate_memory(FunctionCallInfo fcinfo);

/* The first argument when it is an object of this kind that the caller may change, else NULL. */
extern void *fg_aggregate_state(FunctionCallInfo fcinfo, const FgExpandedKind *kind);

/* The first argument as the result: a row that adds nothing. */
extern Datum fg_unchanged_state(FunctionCallInfo fcinfo);

#endif							/* FG_EXPANDED_H */
