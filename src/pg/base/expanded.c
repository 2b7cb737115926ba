/*
 * expanded.c
 *	  What our expanded objects have in common (see expanded.h).
 */
#include "pg/base/expanded.h"

#include "utils/memutils.h"

#include "pg/base/errors.h"

/* The stored form of the object, in its context. */
static bool
flatten(FgExpanded *object, uint8_t **bytes, size_t *size)
{
	FgContext  *ctx = &object->ctx;
	uint8_t    *encoded;
	uint8_t    *compressed;
	size_t		compressed_size;

	if (!object->kind->encode(object, &encoded, size))
		return false;
	*bytes = encoded;
	if (object->kind->encoding == NULL)
		return true;
	if (!fg_compress(ctx, object->kind->encoding, encoded, *size, 0, &compressed, &compressed_size))
		return false;
	if (compressed == NULL)
		return true;
	fg_release(ctx, encoded);
	*bytes = compressed;
	*size = compressed_size;
	return true;
}

static Size
flat_size(ExpandedObjectHeader *header)
{
	FgExpanded *object = (FgExpanded *) header;

	if (object->flat == NULL)
	{
		uint8_t    *bytes = NULL;
		size_t		size = 0;

		/* whole or not at all: an encoder that fails may leave bytes behind */
		fg_expanded_must(object, flatten(object, &bytes, &size));
		object->flat = bytes;
		object->flat_size = size;
		ereport(DEBUG1,
				(errmsg_internal("flattened a state of type %s", object->kind->type)));
	}
	return object->flat_size + VARHDRSZ;
}

static void
flatten_into(ExpandedObjectHeader *header, void *result, Size size)
{
	FgExpanded *object = (FgExpanded *) header;

	if (object->flat == NULL || size != object->flat_size + VARHDRSZ)
		elog(ERROR, "flattened size of type %s changed", object->kind->type);
	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), object->flat, object->flat_size);
}

/* Also the mark by which our objects are told from others. */
static const ExpandedObjectMethods methods = {flat_size, flatten_into};

void *
fg_expanded_create(MemoryContext parent, const FgExpandedKind *kind)
{
	MemoryContext memory = AllocSetContextCreate(parent, "expanded profile",
												 ALLOCSET_START_SMALL_SIZES);
	FgExpanded *object = MemoryContextAllocZero(memory, kind->size);

	MemoryContextSetIdentifier(memory, kind->type);
	EOH_init_header(&object->header, &methods, memory);
	object->kind = kind;
	object->ctx = fg_context_in(memory);
	return object;
}

void *
fg_expanded_of(Datum value, const FgExpandedKind *kind)
{
	FgExpanded *object;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return NULL;
	object = (FgExpanded *) DatumGetEOHP(value);
	if (object->header.eoh_methods != &methods || object->kind != kind)
		return NULL;
	return object;
}

Datum
fg_expanded_datum(FgExpanded *object)
{
	return EOHPGetRWDatum(&object->header);
}

void
fg_expanded_change(FgExpanded *object)
{
	fg_release(&object->ctx, object->flat);
	object->flat = NULL;
}

void
fg_expanded_must(FgExpanded *object, bool ok)
{
	if (!ok)
		fg_throw(&object->ctx, object->kind->type);
}

/* --- states of aggregates -------------------------------------------------------- */

MemoryContext
fg_aggregate_memory(FunctionCallInfo fcinfo)
{
	MemoryContext memory;

	if (!AggCheckCallContext(fcinfo, &memory))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this function is called by aggregates only")));
	return memory;
}

void *
fg_aggregate_state(FunctionCallInfo fcinfo, const FgExpandedKind *kind)
{
	if (PG_ARGISNULL(0) || !VARATT_IS_EXTERNAL_EXPANDED_RW(PG_GETARG_POINTER(0)))
		return NULL;
	return fg_expanded_of(PG_GETARG_DATUM(0), kind);
}

Datum
fg_unchanged_state(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
