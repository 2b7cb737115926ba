/*
 * glue.c
 *	  Memory, interrupts, errors and values between PostgreSQL and the core (see
 *	  glue.h).
 */
#include "glue.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "expanded.h"

PG_MODULE_MAGIC;

/* --- the core's surroundings --------------------------------------------- */

/* Decoded profiles may exceed 1 GB (codec.h), hence the huge allocations. */
static void *
context_alloc(void *arg, size_t size)
{
	return MemoryContextAllocExtended((MemoryContext) arg, size, MCXT_ALLOC_HUGE);
}

static void *
context_resize(void *arg, void *pointer, size_t size)
{
	(void) arg;
	return repalloc_huge(pointer, size);
}

static void
context_release(void *arg, void *pointer)
{
	(void) arg;
	pfree(pointer);
}

static bool
context_interrupted(void *arg)
{
	(void) arg;
	CHECK_FOR_INTERRUPTS();
	return false;
}

FgContext
fg_context_in(MemoryContext memory)
{
	FgContext	ctx;

	memset(&ctx, 0, sizeof(ctx));
	ctx.alloc = context_alloc;
	ctx.resize = context_resize;
	ctx.release = context_release;
	ctx.interrupted = context_interrupted;
	ctx.arg = memory;
	return ctx;
}

/* --- errors ---------------------------------------------------------------- */

static int
error_sqlstate(FgErrorCode code, FgSource source)
{
	switch (code)
	{
		case FG_ERROR_SYNTAX:
			return source == FG_FROM_WIRE ? ERRCODE_INVALID_BINARY_REPRESENTATION
				: ERRCODE_INVALID_TEXT_REPRESENTATION;
		case FG_ERROR_RANGE:
			return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
		case FG_ERROR_ENCODING:
			return ERRCODE_CHARACTER_NOT_IN_REPERTOIRE;
		case FG_ERROR_LIMIT:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case FG_ERROR_ARGUMENT:
			return ERRCODE_INVALID_PARAMETER_VALUE;
		case FG_ERROR_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		case FG_ERROR_CANCELLED:
			return ERRCODE_QUERY_CANCELED;
		case FG_ERROR_CORRUPT:
			if (source == FG_FROM_WIRE)
				return ERRCODE_INVALID_BINARY_REPRESENTATION;
			return source == FG_FROM_TEXT ? ERRCODE_INVALID_TEXT_REPRESENTATION
				: ERRCODE_DATA_CORRUPTED;
		case FG_OK:
			break;
	}
	return ERRCODE_INTERNAL_ERROR;
}

static int
error_message(FgErrorCode code, const char *type, FgSource source)
{
	switch (code)
	{
		case FG_ERROR_SYNTAX:
			return errmsg("invalid input syntax for type %s", type);
		case FG_ERROR_RANGE:
			return errmsg("value out of range for type %s", type);
		case FG_ERROR_ENCODING:
			return errmsg("invalid UTF-8 text for type %s", type);
		case FG_ERROR_LIMIT:
			return errmsg("limit of type %s exceeded", type);
		case FG_ERROR_ARGUMENT:
			return errmsg("invalid argument of a function on type %s", type);
		case FG_ERROR_CORRUPT:
			if (source == FG_FROM_STORAGE)
				return errmsg("corrupt value of type %s", type);
			return errmsg("invalid packed value of type %s", type);
		default:
			return errmsg("operation on type %s failed", type);
	}
}

/* "Line 3, column 7: the value is missing." */
static char *
error_detail(const FgError *error)
{
	StringInfoData detail;

	initStringInfo(&detail);
	if (error->line > 0)
		appendStringInfo(&detail, "Line " UINT64_FORMAT, error->line);
	if (error->line > 0 && error->column > 0)
		appendStringInfo(&detail, ", column " UINT64_FORMAT, error->column);
	else if (error->column > 0)
		appendStringInfo(&detail, "Column " UINT64_FORMAT, error->column);
	if (detail.len > 0)
		appendStringInfo(&detail, ": %s.", error->reason);
	else
		appendStringInfo(&detail, "%c%s.", pg_toupper((unsigned char) error->reason[0]),
						 error->reason + 1);
	return detail.data;
}

void
fg_report(const FgContext *ctx, const char *type, FgSource source, struct Node *escontext)
{
	const FgError *error = &ctx->error;

	fg_errsave(escontext,
			   (errcode(error_sqlstate(error->code, source)),
				error_message(error->code, type, source),
				errdetail_internal("%s", error_detail(error)),
				error->hint != NULL ? errhint("%s", error->hint) : 0));
}

void
fg_throw(const FgContext *ctx, const char *type)
{
	fg_report(ctx, type, FG_FROM_STORAGE, NULL);
	pg_unreachable();
}

int
fg_word(FgSpan word, const char *argument, const char *const *words, int count)
{
	StringInfoData hint;

	for (int i = 0; i < count; i++)
	{
		if (strlen(words[i]) == word.size && memcmp(words[i], word.bytes, word.size) == 0)
			return i;
	}
	initStringInfo(&hint);
	for (int i = 0; i < count; i++)
		appendStringInfo(&hint, "%s\"%s\"", i == 0 ? "" : (i == count - 1 ? " or " : ", "), words[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized value for argument \"%s\": \"%.*s\"", argument,
					pg_mbcliplen(word.bytes, (int) Min(word.size, 100), 100), word.bytes),
			 errhint("Use %s.", hint.data)));
	return -1;
}

/* --- values ---------------------------------------------------------------- */

FgSpan
fg_datum_span(Datum value)
{
	struct varlena *flat = PG_DETOAST_DATUM_PACKED(value);
	FgSpan		span = {VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat)};

	return span;
}

struct varlena *
fg_varlena(const void *bytes, size_t size)
{
	struct varlena *result;

	if (size > MaxAllocSize - VARHDRSZ)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("result is too long"),
				 errdetail("It has %zu bytes, the limit is %zu.", size,
						   (size_t) (MaxAllocSize - VARHDRSZ))));
	result = palloc(size + VARHDRSZ);
	SET_VARSIZE(result, size + VARHDRSZ);
	if (size > 0)
		memcpy(VARDATA(result), bytes, size);
	return result;
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

		fg_tree_facts(tree, &header.facts);
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

Datum
fg_tree_datum(FgContext *ctx, const FgTree *tree)
{
	uint8_t    *result;
	size_t		size;

	fg_must(ctx, fg_codec_encode(ctx, tree, VARHDRSZ, &result, &size));
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
