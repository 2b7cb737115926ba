/*
 * stored.c
 *	  Profiles, series and statistics as they are stored (see stored.h).
 */
#include "pg/base/stored.h"

#include "utils/memutils.h"

#include "pg/base/errors.h"
#include "pg/base/varlena.h"

/* --- reading ----------------------------------------------------------------- */

static const uint8_t *
bytes_of(const struct varlena *flat)
{
	return (const uint8_t *) VARDATA_ANY(flat);
}

/* The bytes of an extent of a compressed value, which is given back unless it is the argument. */
static struct varlena *
decompress(FgContext *ctx, const FgEncoding *encoding, const char *type, struct varlena *flat,
		   FgExtent extent, Datum value)
{
	struct varlena *result = palloc(extent.whole + VARHDRSZ);

	SET_VARSIZE(result, extent.whole + VARHDRSZ);
	if (!fg_decompress(ctx, encoding, bytes_of(flat), VARSIZE_ANY_EXHDR(flat), extent,
					   (uint8_t *) VARDATA(result)))
		fg_throw(ctx, type);
	if ((Pointer) flat != DatumGetPointer(value))
		pfree(flat);
	return result;
}

static FgExtent
extent_of(FgContext *ctx, const FgEncoding *encoding, const char *type, const struct varlena *flat,
		  size_t wanted)
{
	FgExtent	extent = {0};

	if (!fg_compressed_extent(ctx, encoding, bytes_of(flat), VARSIZE_ANY_EXHDR(flat), wanted,
							  &extent))
		fg_throw(ctx, type);
	return extent;
}

struct varlena *
fg_datum_encoded(Datum value, const FgEncoding *encoding, const char *type)
{
	FgContext	ctx = fg_current_context();
	struct varlena *flat = PG_DETOAST_DATUM_PACKED(value);

	if (!fg_is_compressed(bytes_of(flat), VARSIZE_ANY_EXHDR(flat)))
		return flat;
	return decompress(&ctx, encoding, type, flat, extent_of(&ctx, encoding, type, flat, SIZE_MAX),
					  value);
}

static struct varlena *
slice_of(Datum value, size_t size)
{
	return PG_DETOAST_DATUM_SLICE(value, 0, (int32) Min(size, MaxAllocSize));
}

struct varlena *
fg_datum_start(Datum value, const FgEncoding *encoding, const char *type, size_t wanted)
{
	FgContext	ctx = fg_current_context();
	size_t		head = wanted <= encoding->header ? wanted : encoding->header + FG_PARTS_MAX;
	struct varlena *slice = slice_of(value, head);
	FgExtent	extent;

	if (!fg_is_compressed(bytes_of(slice), VARSIZE_ANY_EXHDR(slice)))
	{
		if (wanted <= head)
			return slice;
		pfree(slice);
		return slice_of(value, wanted);
	}
	if (wanted <= encoding->header)
	{
		/* the headers of both forms are the same, but for the first byte */
		*(uint8_t *) VARDATA_ANY(slice) = FG_ENCODED;
		return slice;
	}
	extent = extent_of(&ctx, encoding, type, slice, wanted);
	pfree(slice);
	return decompress(&ctx, encoding, type, slice_of(value, extent.stored), extent, (Datum) 0);
}

/* --- making ------------------------------------------------------------------- */

bool
fg_store_encoded(FgContext *ctx, const FgEncoding *encoding, uint8_t *buffer, size_t size,
				 Datum *value)
{
	uint8_t    *compressed;
	size_t		compressed_size;

	if (!fg_compress(ctx, encoding, buffer + VARHDRSZ, size, VARHDRSZ, &compressed,
					 &compressed_size))
	{
		fg_release(ctx, buffer);
		return false;
	}
	if (compressed != NULL)
	{
		fg_release(ctx, buffer);
		buffer = compressed;
		size = compressed_size;
	}
	buffer = fg_chunk(ctx, buffer, size + VARHDRSZ);
	SET_VARSIZE(buffer, size + VARHDRSZ);
	*value = PointerGetDatum(buffer);
	return true;
}

Datum
fg_stored_softly(FgContext *ctx, const FgEncoding *encoding, const char *type, const void *bytes,
				 size_t size, struct Node *escontext)
{
	uint8_t    *buffer;
	size_t		compressed_size;

	if (!fg_compress(ctx, encoding, bytes, size, VARHDRSZ, &buffer, &compressed_size))
		fg_throw(ctx, type);
	if (buffer == NULL)
		return PointerGetDatum(fg_varlena_softly(bytes, size, escontext));
	buffer = fg_chunk(ctx, buffer, compressed_size + VARHDRSZ);
	SET_VARSIZE(buffer, compressed_size + VARHDRSZ);
	return PointerGetDatum(buffer);
}
