/*
 * frame_sets.c
 *	  Which frames a stack or a profile holds: ? ?| ?&.
 */
#include "pg/profile/frame_sets.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/profile/frames.h"
#include "core/profile/path.h"
#include "pg/base/arrays.h"

static bool
path_has(FgSpan path, FgSpan frame)
{
	FgPathWalk	walk = fg_path_walk(path.bytes, path.size);

	while (fg_path_next(&walk))
	{
		CHECK_FOR_INTERRUPTS();
		if (walk.length == frame.size && memcmp(walk.frame, frame.bytes, frame.size) == 0)
			return true;
	}
	return false;
}

typedef struct FrameSet
{
	FgSpan		path;			/* of a stackpath ... */
	const FgFrames *frames;		/* ... or of a flamegraph, or the path's as a dictionary */
} FrameSet;

static bool
set_has(const FrameSet *set, FgSpan frame)
{
	if (set->frames != NULL)
		return fg_frames_find(set->frames, frame.bytes, frame.size) != FG_NONE;
	return path_has(set->path, frame);
}

/* More frames than this are not sought one by one in a path. */
#define MOST_WALKS 16

/* The frames of a path, sorted once; equal ones stay. */
static FgFrames
path_frames(FgContext *ctx, FgSpan path)
{
	uint32_t	depth = fg_path_depth(path.bytes, path.size);
	size_t	   *offset = fg_alloc(ctx, depth, sizeof(size_t));
	uint32_t   *length = fg_alloc(ctx, depth, sizeof(uint32_t));
	uint32_t   *order = fg_alloc(ctx, depth, sizeof(uint32_t));
	FgPathWalk	walk = fg_path_walk(path.bytes, path.size);
	FgFrames	frames;
	uint32_t	count = 0;

	for (; fg_path_next(&walk); count++)
	{
		offset[count] = (size_t) (walk.frame - path.bytes);
		length[count] = (uint32_t) walk.length;
	}
	fg_must(ctx, fg_frames_sort(ctx, path.bytes, offset, length, depth, order) &&
			fg_frames_alloc(ctx, &frames, depth, path.size));
	for (uint32_t i = 0; i < depth; i++)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy(frames.bytes + frames.offset[i], path.bytes + offset[order[i]], length[order[i]]);
		frames.offset[i + 1] = frames.offset[i] + length[order[i]];
	}
	fg_release(ctx, offset);
	fg_release(ctx, length);
	fg_release(ctx, order);
	return frames;
}

/* Null elements are ignored: any of none is false, all of none is true. */
static bool
set_has_array(const FrameSet *set, ArrayType *array, bool all)
{
	FrameSet	sought = *set;
	FgFrames	sorted;
	FgArray		frames = fg_array(array, NULL);

	if (set->path.bytes != NULL && frames.count > MOST_WALKS && set->path.size <= FG_MAX_BYTES)
	{
		FgContext	ctx = fg_current_context();

		sorted = path_frames(&ctx, set->path);
		sought.frames = &sorted;
	}
	for (; fg_array_left(&frames); frames.next++)
	{
		if (!frames.nulls[frames.next] &&
			set_has(&sought, fg_datum_span(frames.elements[frames.next])) != all)
			return !all;
	}
	return all;
}

/* The second argument; as a function, not as an operator, a null array is an empty one. */
static bool
set_has_argument(FunctionCallInfo fcinfo, const FrameSet *set, bool all)
{
	return PG_ARGISNULL(1) ? all : set_has_array(set, PG_GETARG_ARRAYTYPE_P(1), all);
}

bool
fg_frames_have(const FgFrames *frames, ArrayType *array, bool all)
{
	FrameSet	set = {.frames = frames};

	return set_has_array(&set, array, all);
}

static FrameSet
path_set(Datum value)
{
	FrameSet	set = {.path = fg_datum_span(value)};

	return set;
}

static FrameSet
flamegraph_set(FgContext *ctx, Datum value, FgFrames *storage)
{
	FrameSet	set = {.frames = fg_datum_frames(ctx, value, storage)};

	return set;
}

PG_FUNCTION_INFO_V1(stackpath_has_frame);
Datum
stackpath_has_frame(PG_FUNCTION_ARGS)
{
	FrameSet	set = path_set(PG_GETARG_DATUM(0));

	PG_RETURN_BOOL(set_has(&set, PG_GETARG_SPAN(1)));
}

PG_FUNCTION_INFO_V1(stackpath_has_any_frame);
Datum
stackpath_has_any_frame(PG_FUNCTION_ARGS)
{
	FrameSet	set;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	set = path_set(PG_GETARG_DATUM(0));
	PG_RETURN_BOOL(set_has_argument(fcinfo, &set, false));
}

PG_FUNCTION_INFO_V1(stackpath_has_all_frames);
Datum
stackpath_has_all_frames(PG_FUNCTION_ARGS)
{
	FrameSet	set;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	set = path_set(PG_GETARG_DATUM(0));
	PG_RETURN_BOOL(set_has_argument(fcinfo, &set, true));
}

PG_FUNCTION_INFO_V1(flamegraph_has_frame);
Datum
flamegraph_has_frame(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFrames	storage;
	FrameSet	set = flamegraph_set(&ctx, PG_GETARG_DATUM(0), &storage);

	PG_RETURN_BOOL(set_has(&set, PG_GETARG_SPAN(1)));
}

PG_FUNCTION_INFO_V1(flamegraph_has_any_frame);
Datum
flamegraph_has_any_frame(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFrames	storage;
	FrameSet	set;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	set = flamegraph_set(&ctx, PG_GETARG_DATUM(0), &storage);
	PG_RETURN_BOOL(set_has_argument(fcinfo, &set, false));
}

PG_FUNCTION_INFO_V1(flamegraph_has_all_frames);
Datum
flamegraph_has_all_frames(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFrames	storage;
	FrameSet	set;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	set = flamegraph_set(&ctx, PG_GETARG_DATUM(0), &storage);
	PG_RETURN_BOOL(set_has_argument(fcinfo, &set, true));
}

PG_FUNCTION_INFO_V1(flamegraph_frames);
Datum
flamegraph_frames(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgFrames	storage;
	const FgFrames *frames = fg_datum_frames(&ctx, PG_GETARG_DATUM(0), &storage);
	Datum	   *elements = palloc((frames->count + 1) * sizeof(Datum));

	for (uint32_t f = 0; f < frames->count; f++)
	{
		CHECK_FOR_INTERRUPTS();
		elements[f] = PointerGetDatum(fg_varlena(fg_frame_bytes(frames, f),
												 fg_frame_length(frames, f)));
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(elements, (int) frames->count, TEXTOID, -1, false,
										  TYPALIGN_INT));
}
