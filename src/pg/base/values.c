/*
 * values.c
 *	  Values as function arguments and results (see values.h).
 */
#include "pg/base/values.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "pg/base/expanded_flamegraph.h"

FgSpan
fg_datum_span(Datum value)
{
	struct varlena *flat = PG_DETOAST_DATUM_PACKED(value);
	FgSpan		span = {VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat)};

	return span;
}

/* Bytes copied between two interrupt checks. */
#define COPY_BLOCK ((size_t) 16 * FG_CHECK_BYTES)

struct varlena *
fg_varlena_softly(const void *bytes, size_t size, struct Node *escontext)
{
	struct varlena *result;

	if (size > MaxAllocSize - VARHDRSZ)
	{
		fg_errsave(escontext,
				   (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("result is too long"),
					errdetail("It has %zu bytes, the limit is %zu.", size,
							  (size_t) (MaxAllocSize - VARHDRSZ))));
		return NULL;
	}
	result = palloc(size + VARHDRSZ);
	SET_VARSIZE(result, size + VARHDRSZ);
	for (size_t done = 0; done < size; done += COPY_BLOCK)
	{
		memcpy(VARDATA(result) + done, (const char *) bytes + done, Min(size - done, COPY_BLOCK));
		if (size - done > COPY_BLOCK)
			CHECK_FOR_INTERRUPTS();
	}
	return result;
}

struct varlena *
fg_varlena(const void *bytes, size_t size)
{
	return fg_varlena_softly(bytes, size, NULL);
}

const FgTree *
fg_datum_tree(FgContext *ctx, Datum value, FgTree *storage)
{
	ExpandedFlamegraph *expanded = fg_datum_expanded(value);
	struct varlena *flat;

	if (expanded != NULL)
		return fg_expanded_tree(expanded);
	flat = PG_DETOAST_DATUM_PACKED(value);
	fg_must(ctx, fg_codec_decode(ctx, (uint8_t *) VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat),
								 storage));
	if ((Pointer) flat != DatumGetPointer(value))
		pfree(flat);
	return storage;
}

/* An expanded argument need not outlive the call. */
void
fg_datum_tree_owned(FgContext *ctx, Datum value, FgTree *tree)
{
	const FgTree *borrowed = fg_datum_tree(ctx, value, tree);

	if (borrowed != tree)
		fg_must(ctx, fg_tree_copy(ctx, borrowed, tree));
}

void
fg_get_operand(FunctionCallInfo fcinfo, FgOperands *operands)
{
	operands->ctx = fg_current_context();
	operands->a = fg_datum_tree(&operands->ctx, PG_GETARG_DATUM(0), &operands->storage[0]);
	operands->b = NULL;
}

void
fg_get_operands(FunctionCallInfo fcinfo, FgOperands *operands)
{
	fg_get_operand(fcinfo, operands);
	operands->b = fg_datum_tree(&operands->ctx, PG_GETARG_DATUM(1), &operands->storage[1]);
}

const FgFrames *
fg_datum_frames(FgContext *ctx, Datum value, FgFrames *storage)
{
	ExpandedFlamegraph *expanded = fg_datum_expanded(value);
	FgSpan		flat;

	if (expanded != NULL)
		return &fg_expanded_tree(expanded)->frames;
	flat = fg_datum_span(value);
	fg_must(ctx, fg_codec_frames(ctx, (const uint8_t *) flat.bytes, flat.size, storage));
	return storage;
}

FgFacts
fg_datum_facts(Datum value, uint32_t *nframes)
{
	FgContext	ctx = fg_current_context();
	ExpandedFlamegraph *expanded = fg_datum_expanded(value);
	FgHeader	header = {0};
	struct varlena *slice;

	if (expanded != NULL)
	{
		const FgTree *tree = fg_expanded_tree(expanded);

		fg_must(&ctx, fg_tree_facts(&ctx, tree, &header.facts));
		*nframes = tree->frames.count;
		return header.facts;
	}
	slice = PG_DETOAST_DATUM_SLICE(value, 0, FG_HEADER_SIZE);
	if (VARSIZE_ANY_EXHDR(slice) < FG_HEADER_SIZE)
		fg_fail(&ctx, FG_ERROR_CORRUPT, "the header is cut short");
	else
		fg_codec_header(&ctx, (uint8_t *) VARDATA_ANY(slice), SIZE_MAX, &header);
	if (ctx.error.code != FG_OK)
		fg_throw(&ctx, "flamegraph");
	*nframes = header.nframes;
	return header.facts;
}

bool
fg_tree_encode(FgContext *ctx, const FgTree *tree, Datum *value)
{
	uint8_t    *result;
	size_t		size;

	if (!fg_codec_encode(ctx, tree, VARHDRSZ, &result, &size))
		return false;
	result = fg_chunk(ctx, result, size + VARHDRSZ);
	SET_VARSIZE(result, size + VARHDRSZ);
	*value = PointerGetDatum(result);
	return true;
}

Datum
fg_tree_datum(FgContext *ctx, const FgTree *tree)
{
	Datum		value = (Datum) 0;

	fg_must(ctx, fg_tree_encode(ctx, tree, &value));
	return value;
}

Datum
fg_tree_datum_free(FgContext *ctx, FgTree *tree)
{
	Datum		result = fg_tree_datum(ctx, tree);

	fg_tree_free(ctx, tree);
	return result;
}
