/*
 * values.c
 *	  Values as function arguments and results (see values.h).
 */
#include "pg/base/values.h"

#include "pg/base/expanded_flamegraph.h"
#include "pg/base/stored.h"

FgSpan
fg_datum_span(Datum value)
{
	struct varlena *flat = PG_DETOAST_DATUM_PACKED(value);
	FgSpan		span = {VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat)};

	return span;
}

struct varlena *
fg_flamegraph_encoded(Datum value)
{
	return fg_datum_encoded(value, &fg_codec_encoding, "flamegraph");
}

const FgTree *
fg_datum_tree(FgContext *ctx, Datum value, FgTree *storage)
{
	ExpandedFlamegraph *expanded = fg_datum_expanded(value);
	struct varlena *flat;

	if (expanded != NULL)
		return fg_expanded_tree(expanded);
	flat = fg_flamegraph_encoded(value);
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
	struct varlena *flat;

	if (expanded != NULL)
		return &fg_expanded_tree(expanded)->frames;
	flat = fg_flamegraph_encoded(value);
	fg_must(ctx, fg_codec_frames(ctx, (uint8_t *) VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat),
								 storage));
	if ((Pointer) flat != DatumGetPointer(value))
		pfree(flat);
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
	slice = fg_datum_start(value, &fg_codec_encoding, "flamegraph", FG_HEADER_SIZE);
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

	return fg_codec_encode(ctx, tree, VARHDRSZ, &result, &size) &&
		fg_store_encoded(ctx, &fg_codec_encoding, result, size, value);
}

Datum
fg_tree_datum(FgContext *ctx, const FgTree *tree)
{
	Datum		value = (Datum) 0;

	fg_must(ctx, fg_tree_encode(ctx, tree, &value));
	return value;
}

Datum
fg_tree_row_datum(FgContext *ctx, const FgTree *tree)
{
	uint8_t    *result;
	size_t		size;

	fg_must(ctx, fg_codec_encode(ctx, tree, VARHDRSZ, &result, &size));
	result = fg_chunk(ctx, result, size + VARHDRSZ);
	SET_VARSIZE(result, size + VARHDRSZ);
	return PointerGetDatum(result);
}

Datum
fg_tree_datum_free(FgContext *ctx, FgTree *tree)
{
	Datum		result = fg_tree_datum(ctx, tree);

	fg_tree_free(ctx, tree);
	return result;
}
