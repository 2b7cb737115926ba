/*
 * stackpath.c
 *	  Type stackpath: input, output, conversions and parts.
 */
#include "pg/base/values.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "mb/pg_wchar.h"

#include "core/profile/frames.h"
#include "core/profile/path.h"
#include "pg/base/arrays.h"

#define STACKPATH_WIRE_VERSION 1

/* --- input and output ------------------------------------------------------ */

/* Appends the path of a text; a soft error returns false. */
static bool
parse_path(FgBuffer *path, FgSpan text, FgSource source, struct Node *escontext)
{
	if (fg_path_parse(path, text.bytes, text.size, 1))
		return true;
	fg_report(path->ctx, "stackpath", source, escontext);
	return false;
}

/* 0 after a soft error */
static Datum
buffer_datum(const FgBuffer *buffer, struct Node *escontext)
{
	return PointerGetDatum(fg_varlena_softly(buffer->data, buffer->size, escontext));
}

PG_FUNCTION_INFO_V1(stackpath_in);
Datum
stackpath_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);
	FgSpan		span = {text, strlen(text)};
	FgContext	ctx = fg_current_context();
	FgBuffer	path = {.ctx = &ctx};

	if (!parse_path(&path, span, FG_FROM_TEXT, fcinfo->context))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(buffer_datum(&path, fcinfo->context));
}

static FgBuffer
print_path(FgContext *ctx, FgSpan path)
{
	FgBuffer	text = {.ctx = ctx};

	if (!fg_path_print(&text, path.bytes, path.size))
		fg_throw(ctx, "stackpath");
	return text;
}

PG_FUNCTION_INFO_V1(stackpath_out);
Datum
stackpath_out(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgBuffer	text = print_path(&ctx, PG_GETARG_SPAN(0));

	if (!fg_buffer_append(&text, "", 1))
		fg_throw(&ctx, "stackpath");
	PG_RETURN_CSTRING(fg_chunk(&ctx, text.data, text.size));
}

/* On the wire: a version byte and the text form, as ltree does. */
PG_FUNCTION_INFO_V1(stackpath_recv);
Datum
stackpath_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			version = pq_getmsgbyte(message);
	FgContext	ctx = fg_current_context();
	FgBuffer	path = {.ctx = &ctx};
	FgSpan		text;
	int			size;

	if (version != STACKPATH_WIRE_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("unsupported version of type stackpath: %d", version)));
	text.bytes = pq_getmsgtext(message, message->len - message->cursor, &size);
	text.size = (size_t) size;
	parse_path(&path, text, FG_FROM_WIRE, NULL);
	PG_RETURN_DATUM(buffer_datum(&path, NULL));
}

PG_FUNCTION_INFO_V1(stackpath_send);
Datum
stackpath_send(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgBuffer	text = print_path(&ctx, PG_GETARG_SPAN(0));
	StringInfoData message;

	pq_begintypsend(&message);
	pq_sendbyte(&message, STACKPATH_WIRE_VERSION);
	pq_sendtext(&message, (char *) text.data, (int) text.size);
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/* --- arrays ---------------------------------------------------------------- */

/* Appends one frame as it stands. */
static void
append_frame(FgBuffer *path, FgSpan frame)
{
	FgContext  *ctx = path->ctx;

	if (!fg_frame_valid(ctx, frame.bytes, frame.size) ||
		(path->size > 0 && !fg_buffer_append(path, "", 1)) ||
		!fg_buffer_append(path, frame.bytes, frame.size))
		fg_throw(ctx, "stackpath");
}

static void
check_depth(FgContext *ctx, uint64 depth)
{
	if (depth <= FG_MAX_DEPTH)
		return;
	fg_fail(ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	fg_throw(ctx, "stackpath");
}

PG_FUNCTION_INFO_V1(stackpath_from_array);
Datum
stackpath_from_array(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	FgContext	ctx = fg_current_context();
	FgBuffer	path = {.ctx = &ctx};
	FgArray		frames;
	Datum		frame;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("a stackpath is made of a one-dimensional array")));
	frames = fg_array(array, "a frame of a stackpath is null");
	check_depth(&ctx, (uint64) frames.count);
	while (fg_array_next(&frames, &frame))
		append_frame(&path, fg_datum_span(frame));
	PG_RETURN_DATUM(buffer_datum(&path, NULL));
}

static Datum
text_datum(const char *bytes, size_t size)
{
	return PointerGetDatum(fg_varlena(bytes, size));
}

PG_FUNCTION_INFO_V1(stackpath_frames);
Datum
stackpath_frames(PG_FUNCTION_ARGS)
{
	FgSpan		path = PG_GETARG_SPAN(0);
	FgPathWalk	walk = fg_path_walk(path.bytes, path.size);
	uint32		depth = fg_path_depth(path.bytes, path.size);
	Datum	   *frames = palloc((depth + 1) * sizeof(Datum));
	int			count = 0;

	while (fg_path_next(&walk))
	{
		CHECK_FOR_INTERRUPTS();
		frames[count++] = text_datum(walk.frame, walk.length);
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(frames, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* --- parts ----------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(stackpath_depth);
Datum
stackpath_depth(PG_FUNCTION_ARGS)
{
	FgSpan		path = PG_GETARG_SPAN(0);

	PG_RETURN_INT32((int32) fg_path_depth(path.bytes, path.size));
}

/* The frame at a position that may count from the end; NULL outside. */
static Datum
frame_at(FunctionCallInfo fcinfo, FgSpan path, int64 position)
{
	int64		depth = fg_path_depth(path.bytes, path.size);
	const char *frame;
	size_t		size;

	if (position < 0)
		position += depth;
	if (position < 0 || position >= depth)
		PG_RETURN_NULL();
	fg_path_slice(path.bytes, path.size, (uint32) position, 1, &frame, &size);
	PG_RETURN_DATUM(text_datum(frame, size));
}

PG_FUNCTION_INFO_V1(stackpath_frame);
Datum
stackpath_frame(PG_FUNCTION_ARGS)
{
	return frame_at(fcinfo, PG_GETARG_SPAN(0), PG_GETARG_INT32(1));
}

PG_FUNCTION_INFO_V1(stackpath_root);
Datum
stackpath_root(PG_FUNCTION_ARGS)
{
	return frame_at(fcinfo, PG_GETARG_SPAN(0), 0);
}

PG_FUNCTION_INFO_V1(stackpath_leaf);
Datum
stackpath_leaf(PG_FUNCTION_ARGS)
{
	return frame_at(fcinfo, PG_GETARG_SPAN(0), -1);
}

static Datum
slice_datum(FgSpan path, int64 start, int64 count)
{
	const char *slice;
	size_t		size;

	fg_path_slice(path.bytes, path.size, (uint32) start, (uint32) count, &slice, &size);
	return PointerGetDatum(fg_varlena(slice, size));
}

PG_FUNCTION_INFO_V1(stackpath_parent);
Datum
stackpath_parent(PG_FUNCTION_ARGS)
{
	FgSpan		path = PG_GETARG_SPAN(0);
	int64		depth = fg_path_depth(path.bytes, path.size);

	if (depth == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(slice_datum(path, 0, depth - 1));
}

/*
 * As ltree's subpath: a negative start counts from the end, a negative length
 * leaves that many frames off the end, and a start outside is an error.
 */
static Datum
subpath(FgSpan path, int64 start, int64 length)
{
	int64		depth = fg_path_depth(path.bytes, path.size);
	int64		end;

	if (start < 0)
		start += depth;
	end = length < 0 ? depth + length : start + length;
	if (end > depth)
		end = depth;
	if (start < 0 || start >= depth || end < start)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid positions of a subpath"),
				 errdetail("The path has depth " INT64_FORMAT ".", depth),
				 errhint("Positions count from 0, negative ones from the end.")));
	return slice_datum(path, start, end - start);
}

PG_FUNCTION_INFO_V1(stackpath_subpath);
Datum
stackpath_subpath(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(subpath(PG_GETARG_SPAN(0), PG_GETARG_INT32(1), FG_MAX_DEPTH + 1));
}

PG_FUNCTION_INFO_V1(stackpath_subpath_length);
Datum
stackpath_subpath_length(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(subpath(PG_GETARG_SPAN(0), PG_GETARG_INT32(1), PG_GETARG_INT32(2)));
}

/* --- concatenation --------------------------------------------------------- */

static Datum
concatenate(FgContext *ctx, FgSpan a, FgSpan b)
{
	FgBuffer	path = {.ctx = ctx};
	bool		both = a.size > 0 && b.size > 0;

	check_depth(ctx, (uint64) fg_path_depth(a.bytes, a.size) + fg_path_depth(b.bytes, b.size));
	if (!fg_buffer_append(&path, a.bytes, a.size) ||
		(both && !fg_buffer_append(&path, "", 1)) ||
		!fg_buffer_append(&path, b.bytes, b.size))
		fg_throw(ctx, "stackpath");
	return buffer_datum(&path, NULL);
}

/* A text operand of || is a path in text form. */
static FgSpan
text_path(FgContext *ctx, FgSpan text)
{
	FgBuffer	path = {.ctx = ctx};
	FgSpan		span;

	parse_path(&path, text, FG_FROM_TEXT, NULL);
	span.bytes = (char *) path.data;
	span.size = path.size;
	return span;
}

PG_FUNCTION_INFO_V1(stackpath_concat);
Datum
stackpath_concat(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();

	PG_RETURN_DATUM(concatenate(&ctx, PG_GETARG_SPAN(0), PG_GETARG_SPAN(1)));
}

PG_FUNCTION_INFO_V1(stackpath_concat_text);
Datum
stackpath_concat_text(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();

	PG_RETURN_DATUM(concatenate(&ctx, PG_GETARG_SPAN(0), text_path(&ctx, PG_GETARG_SPAN(1))));
}

PG_FUNCTION_INFO_V1(text_concat_stackpath);
Datum
text_concat_stackpath(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();

	PG_RETURN_DATUM(concatenate(&ctx, text_path(&ctx, PG_GETARG_SPAN(0)), PG_GETARG_SPAN(1)));
}

PG_FUNCTION_INFO_V1(stackpath_append_frame);
Datum
stackpath_append_frame(PG_FUNCTION_ARGS)
{
	FgSpan		path = PG_GETARG_SPAN(0);
	FgContext	ctx = fg_current_context();
	FgBuffer	result = {.ctx = &ctx};

	check_depth(&ctx, (uint64) fg_path_depth(path.bytes, path.size) + 1);
	if (!fg_buffer_append(&result, path.bytes, path.size))
		fg_throw(&ctx, "stackpath");
	append_frame(&result, PG_GETARG_SPAN(1));
	PG_RETURN_DATUM(buffer_datum(&result, NULL));
}

/* --- common ancestors and positions ------------------------------------------ */

static Datum
common_ancestor(FgSpan a, FgSpan b)
{
	return PointerGetDatum(fg_varlena(a.bytes, fg_path_common(a.bytes, a.size, b.bytes, b.size)));
}

PG_FUNCTION_INFO_V1(stackpath_lca);
Datum
stackpath_lca(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(common_ancestor(PG_GETARG_SPAN(0), PG_GETARG_SPAN(1)));
}

/* NULL for no path; a null array is an empty one. */
PG_FUNCTION_INFO_V1(stackpath_lca_array);
Datum
stackpath_lca_array(PG_FUNCTION_ARGS)
{
	FgArray		paths;
	Datum		element;
	FgSpan		common = {NULL, 0};

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	paths = fg_array_argument(fcinfo, 0, "a stack of the array is null");
	while (fg_array_next(&paths, &element))
	{
		FgSpan		path = fg_datum_span(element);

		if (paths.next == 1)
			common = path;
		common.size = fg_path_common(common.bytes, common.size, path.bytes, path.size);
	}
	if (paths.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PointerGetDatum(fg_varlena(common.bytes, common.size)));
}

static int32
position_of(FgSpan path, FgSpan part, int64 start)
{
	FgContext	ctx = fg_current_context();
	int64		depth = fg_path_depth(path.bytes, path.size);
	uint32_t	position;

	if (start < 0)
		start = Max(start + depth, 0);
	if (start > depth)
		return -1;
	position = fg_path_position(&ctx, path.bytes, path.size, part.bytes, part.size, (uint32_t) start);
	return position == FG_NONE ? -1 : (int32) position;
}

PG_FUNCTION_INFO_V1(stackpath_position_of);
Datum
stackpath_position_of(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(position_of(PG_GETARG_SPAN(0), PG_GETARG_SPAN(1), 0));
}

PG_FUNCTION_INFO_V1(stackpath_position_of_start);
Datum
stackpath_position_of_start(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(position_of(PG_GETARG_SPAN(0), PG_GETARG_SPAN(1), PG_GETARG_INT32(2)));
}
