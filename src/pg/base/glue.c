/*
 * glue.c
 *	  Memory, interrupts, errors and values between PostgreSQL and the core (see
 *	  glue.h).
 */
#include "pg/base/glue.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/base/bytes.h"
#include "pg/base/expanded.h"
#include "pg/base/linalg.h"

FG_MODULE_MAGIC("flamegraph");

/*
 * A profile of 60,000 nodes is some arrays of half a megabyte, and each function
 * has its own.  By default malloc gives these back to the system as soon as they
 * are free and the next call pays a page fault for every 4 kB again, which costs
 * more than the work on them.  The model of a million measurements needs 70 to 90 MB.
 */
extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 96 << 20);
#endif
	fg_linalg_init();
}

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

/* One secret for the life of the process; hash tables need no better. */
static uint64
process_seed(void)
{
	static uint64 seed = 0;

	while (seed == 0)
	{
		if (!pg_strong_random(&seed, sizeof(seed)))
			seed = (uint64) GetCurrentTimestamp() ^ (uint64) MyProcPid << 32;
	}
	return seed;
}

FgContext
fg_context_in(MemoryContext memory)
{
	FgContext	ctx;

	memset(&ctx, 0, sizeof(ctx));
	ctx.seed = process_seed();
	ctx.alloc = context_alloc;
	ctx.resize = context_resize;
	ctx.release = context_release;
	ctx.interrupted = context_interrupted;
	ctx.arg = memory;
	return ctx;
}

/* --- errors ---------------------------------------------------------------- */

int
fg_error_sqlstate(FgErrorCode code, FgSource source)
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
			return source == FG_FROM_WIRE ? errmsg("invalid binary value of type %s", type)
				: errmsg("invalid input syntax for type %s", type);
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
			if (source == FG_FROM_WIRE)
				return errmsg("invalid binary value of type %s", type);
			return errmsg("invalid packed value of type %s", type);
		default:
			return errmsg("operation on type %s failed", type);
	}
}

/* "Line 3, column 7: the value is missing." */
char *
fg_error_detail(const FgError *error)
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
			   (errcode(fg_error_sqlstate(error->code, source)),
				error_message(error->code, type, source),
				errdetail_internal("%s", fg_error_detail(error)),
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

/* --- base64 ---------------------------------------------------------------- */

/*
 * A block at a time: common/base64.h computes sizes in int, which overflow at
 * 512 MB, and has no interrupt check.
 */
#define BASE64_BLOCK_BYTES	(FG_CHECK_BYTES / 4 * 3)
#define BASE64_BLOCK_CHARS	FG_CHECK_BYTES

char *
fg_base64_encode(const char *prefix, FgSpan bytes, const char *suffix)
{
	Size		room = ((Size) bytes.size + 2) / 3 * 4;
	Size		length = strlen(prefix);
	char	   *text = MemoryContextAllocHuge(CurrentMemoryContext,
											  length + room + strlen(suffix) + 1);

	strcpy(text, prefix);
	for (size_t done = 0; done < bytes.size; done += BASE64_BLOCK_BYTES)
	{
		int			block = (int) Min(bytes.size - done, BASE64_BLOCK_BYTES);
		int			size = pg_b64_encode(FG_B64_BYTES(bytes.bytes + done), block, text + length,
										 BASE64_BLOCK_CHARS);

		if (size < 0)
			elog(ERROR, "could not encode a value in base64");
		length += (Size) size;
		CHECK_FOR_INTERRUPTS();
	}
	strcpy(text + length, suffix);
	return text;
}

char *
fg_base64_decode(FgSpan text, size_t *size)
{
	Size		room = (Size) text.size / 4 * 3 + 3;
	char	   *bytes = MemoryContextAllocHuge(CurrentMemoryContext, room + 1);

	*size = 0;
	for (size_t done = 0; done < text.size; done += BASE64_BLOCK_CHARS)
	{
		int			block = (int) Min(text.size - done, BASE64_BLOCK_CHARS);
		int			decoded = pg_b64_decode(text.bytes + done, block,
											FG_B64_BYTES(bytes + *size), (int) Min(room - *size, BASE64_BLOCK_BYTES + 3));

		if (decoded < 0)
			return NULL;
		*size += (size_t) decoded;
		CHECK_FOR_INTERRUPTS();
	}
	return bytes;
}

/* --- values ---------------------------------------------------------------- */

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

/* --- arrays ------------------------------------------------------------------ */

FgFrames
fg_text_set(FgContext *ctx, Datum array, const char *null_message)
{
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	size_t	   *offset;
	uint32_t   *length;
	uint32_t   *order;
	FgBuffer	bytes = {.ctx = ctx};
	const char *all;
	FgFrames	frames;
	uint32_t	distinct = 0;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	offset = fg_alloc(ctx, count, sizeof(size_t));
	length = fg_alloc(ctx, count, sizeof(uint32_t));
	order = fg_alloc(ctx, count, sizeof(uint32_t));
	for (int i = 0; i < count; i++)
	{
		FgSpan		frame;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s", null_message),
					 errhint("array_remove(..., NULL) takes nulls out.")));
		frame = fg_datum_span(elements[i]);
		offset[i] = bytes.size;
		length[i] = (uint32_t) frame.size;
		fg_must(ctx, fg_buffer_append(&bytes, frame.bytes, frame.size));
	}
	all = bytes.data != NULL ? (char *) bytes.data : "";
	fg_must(ctx, fg_frames_sort(ctx, all, offset, length, (uint32_t) count, order) &&
			fg_frames_alloc(ctx, &frames, (uint32_t) count, bytes.size));
	frames.offset[0] = 0;
	for (int i = 0; i < count; i++)
	{
		const char *frame = all + offset[order[i]];
		uint32_t	size = length[order[i]];

		CHECK_FOR_INTERRUPTS();
		if (distinct > 0 &&
			fg_bytes_compare(fg_frame_bytes(&frames, distinct - 1),
							 fg_frame_length(&frames, distinct - 1), frame, size) == 0)
			continue;
		memcpy(frames.bytes + frames.offset[distinct], frame, size);
		frames.offset[distinct + 1] = frames.offset[distinct] + size;
		distinct++;
	}
	frames.count = distinct;
	return frames;
}
