/*
 * flameseries_facts.c
 *	  What the head of a series tells: counts, times, instances, frames and stacks.
 */
#include "pg/series/flameseries.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/timestamp.h"

#include "core/profile/codec.h"
#include "pg/profile/frame_sets.h"
#include "pg/profile/indexes.h"
#include "pg/profile/stackquery.h"

/* --- facts of the header ---------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flameseries_profile_count);
Datum
flameseries_profile_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) fg_series_header(PG_GETARG_DATUM(0)).count);
}

PG_FUNCTION_INFO_V1(flameseries_since);
Datum
flameseries_since(PG_FUNCTION_ARGS)
{
	FgFlameseriesHeader header = fg_series_header(PG_GETARG_DATUM(0));

	if (header.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(header.since);
}

PG_FUNCTION_INFO_V1(flameseries_until);
Datum
flameseries_until(PG_FUNCTION_ARGS)
{
	FgFlameseriesHeader header = fg_series_header(PG_GETARG_DATUM(0));

	if (header.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(header.until);
}

/* --- instances ----------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flameseries_instances);
Datum
flameseries_instances(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgSpan		head = fg_series_through_instances(PG_GETARG_DATUM(0));
	int			count = 0;
	FgTree		tree;
	Datum	   *names;

	fg_series_must(&ctx, fg_flameseries_instances(&ctx, (const uint8_t *) head.bytes, head.size,
												  &tree));
	names = palloc_extended(((Size) tree.frames.count + 1) * sizeof(Datum), MCXT_ALLOC_HUGE);
	if (tree.self[0] != 0)
		names[count++] = fg_instance_datum(&tree.frames, 0);
	for (uint32_t i = 0; i < tree.frames.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		names[count++] = fg_instance_datum(&tree.frames, i + 1);
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* --- frames -------------------------------------------------------------------------- */

/* The encoded form of the shared tree. */
static FgSpan
tree_bytes(FgContext *ctx, Datum value)
{
	FgSpan		head = fg_series_through_tree(value);

	fg_series_must(ctx, head.size >= FG_FLAMESERIES_HEADER ||
				   fg_fail(ctx, FG_ERROR_CORRUPT, "the header is cut short"));
	return (FgSpan) {head.bytes + FG_FLAMESERIES_HEADER, head.size - FG_FLAMESERIES_HEADER};
}

/* The dictionary of the shared tree: it is the first thing there. */
static void
series_frames(FgContext *ctx, Datum value, FgFrames *frames)
{
	FgSpan		tree = tree_bytes(ctx, value);

	fg_series_must(ctx, fg_codec_frames(ctx, (const uint8_t *) tree.bytes, tree.size, frames));
}

PG_FUNCTION_INFO_V1(flameseries_has_frame);
Datum
flameseries_has_frame(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgSpan		frame = PG_GETARG_SPAN(1);
	FgSpan		tree = tree_bytes(&ctx, PG_GETARG_DATUM(0));
	uint32_t	number;

	fg_series_must(&ctx, fg_codec_find_frame(&ctx, (const uint8_t *) tree.bytes, tree.size,
											 frame.bytes, frame.size, &number));
	PG_RETURN_BOOL(number != FG_NONE);
}

/* As a function, not as an operator, a null array is an empty one. */
static Datum
has_frames(FunctionCallInfo fcinfo, bool all)
{
	FgContext	ctx = fg_current_context();
	FgFrames	frames;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_BOOL(all);
	series_frames(&ctx, PG_GETARG_DATUM(0), &frames);
	PG_RETURN_BOOL(fg_frames_have(&frames, PG_GETARG_ARRAYTYPE_P(1), all));
}

PG_FUNCTION_INFO_V1(flameseries_has_any_frame);
Datum
flameseries_has_any_frame(PG_FUNCTION_ARGS)
{
	return has_frames(fcinfo, false);
}

PG_FUNCTION_INFO_V1(flameseries_has_all_frames);
Datum
flameseries_has_all_frames(PG_FUNCTION_ARGS)
{
	return has_frames(fcinfo, true);
}

PG_FUNCTION_INFO_V1(gin_extract_flameseries);
Datum
gin_extract_flameseries(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFrames	frames;

	series_frames(&ctx, PG_GETARG_DATUM(0), &frames);
	PG_RETURN_POINTER(fg_gin_series_keys(&frames, (int32 *) PG_GETARG_POINTER(1)));
}

/* --- stacks -------------------------------------------------------------------------- */

/* Does a stack of some profile begin with the path?  All stacks begin with the empty one. */
static bool
has_path(Datum value, FgSpan path)
{
	FgContext	ctx = fg_current_context();
	uint32_t	node;
	FgTree		tree;

	fg_series_tree(&ctx, value, &tree);
	node = fg_tree_find(&tree, path.bytes, path.size);
	return node != FG_NONE && (node != 0 || tree.nnodes > 0 || tree.self[0] != 0);
}

PG_FUNCTION_INFO_V1(flameseries_has_path);
Datum
flameseries_has_path(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(has_path(PG_GETARG_DATUM(0), PG_GETARG_SPAN(1)));
}

PG_FUNCTION_INFO_V1(stackpath_in_flameseries);
Datum
stackpath_in_flameseries(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(has_path(PG_GETARG_DATUM(1), PG_GETARG_SPAN(0)));
}

static bool
matches(FunctionCallInfo fcinfo, Datum value, Datum query)
{
	FgPattern  *pattern = fg_pattern(fcinfo, query);
	FgContext	ctx = fg_current_context();
	FgTree		tree;

	fg_series_tree(&ctx, value, &tree);
	return fg_pattern_matches(pattern, &ctx, &tree);
}

PG_FUNCTION_INFO_V1(flameseries_matches);
Datum
flameseries_matches(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(matches(fcinfo, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(stackquery_matches_flameseries);
Datum
stackquery_matches_flameseries(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(matches(fcinfo, PG_GETARG_DATUM(1), PG_GETARG_DATUM(0)));
}
