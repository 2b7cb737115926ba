/*
 * history_expansion.c
 *	  expand_context() and expand_step(): from a function to the contexts in which it
 *	  changed, or follows what runs cost (core/compare/expansion.h).
 */
#include "pg/compare/benchmarks.h"
#include "pg/compare/history.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/profile/path.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/rows.h"

/* The frames of some steps as a stackpath; upwards the first step is its last frame. */
static Datum
context_datum(const FgFrames *frames, const FgContextStep *steps, size_t count, bool upwards)
{
	size_t		size = 0;
	struct varlena *path;
	char	   *to;

	for (size_t i = 0; i < count; i++)
		size += fg_frame_length(frames, steps[i].frame) + (i > 0);
	if (size > FG_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a context is too long")));
	path = palloc(VARHDRSZ + size);
	SET_VARSIZE(path, VARHDRSZ + size);
	to = VARDATA(path);
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	frame = steps[upwards ? count - 1 - i : i].frame;

		if (i > 0)
			*to++ = FG_PATH_SEPARATOR;
		memcpy(to, fg_frame_bytes(frames, frame), fg_frame_length(frames, frame));
		to += fg_frame_length(frames, frame);
	}
	return PointerGetDatum(path);
}

/* --- expand_context ------------------------------------------------------------------------- */

typedef struct Traces
{
	FgRows	   *rows;
	const FgFrames *frames;
	bool		upwards;
} Traces;

static void
trace_row(const Traces *traces, uint32_t trace, const FgContextStep *steps, size_t i)
{
	const FgContextStep *step = &steps[i];
	Datum		values[9];
	bool		nulls[9] = {false};

	fg_rows_begin_row(traces->rows);
	values[0] = Int32GetDatum((int32) trace);
	values[1] = Int32GetDatum((int32) i);
	values[2] = fg_frame_datum(traces->frames, step->frame);
	values[3] = context_datum(traces->frames, steps, i + 1, traces->upwards);
	values[4] = fg_number_or_null(step->diff, &nulls[4]);
	values[5] = fg_number_or_null(step->candidate_diff, &nulls[5]);
	values[6] = Float8GetDatum(step->score);
	values[7] = fg_number_or_null(step->raw_score, &nulls[7]);
	values[8] = CStringGetTextDatum(step->status);
	fg_rows_end_row(traces->rows, values, nulls);
}

static bool
put_trace(void *arg, uint32_t trace, const FgContextStep *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		trace_row(arg, trace, steps, i);
	return true;
}

static void
put_traces(FgContext *ctx, FgRows *rows, const FgForest *forest, FgRuns *runs,
		   const FgExpansionOptions *options, const FgVicinity *start)
{
	uint32_t	frame = fg_frames_find(&forest->frames, start->frame, start->length);
	Traces		traces = {rows, &forest->frames, options->upwards};
	FgExpander *expander;

	if (frame == FG_NONE)
		return;
	expander = fg_expander_create(ctx, forest, runs, options);
	fg_must(ctx, expander != NULL && fg_expand(expander, frame, put_trace, &traces));
}

/* The frame asked for, and as much around it as a search can reach. */
static FgVicinity
start_argument(FunctionCallInfo fcinfo, int argument, const FgSearchOptions *options)
{
	FgSpan		frame = PG_GETARG_SPAN(argument);
	FgVicinity	start = {
		frame.bytes, frame.size, options->expansion.upwards,
		(uint64_t) options->expansion.max_depth
	};
	char		mode;

	if (options->strip_modes)
		start.length = fg_mode_strip(start.frame, start.length, &mode);
	return start;
}

static bool
direction_argument(FgContext *ctx, FunctionCallInfo fcinfo, int argument)
{
	FgSpan		word = fg_required_word(fcinfo, argument, "direction");
	bool		upwards;

	fg_must(ctx, fg_direction_parse(ctx, word.bytes, word.size, &upwards));
	return upwards;
}

PG_FUNCTION_INFO_V1(flamegraph_expand_context);
Datum
flamegraph_expand_context(PG_FUNCTION_ARGS)
{
	static const char *const selections[] = {"greedy", "informed"};
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgSearchOptions options;
	FgProfiles	history;
	FgVicinity	start;
	FgForest	forest;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;
	options = fg_search_options(&ctx, fcinfo, 5, "expand_context");
	options.expansion.upwards = direction_argument(&ctx, fcinfo, 3);
	options.expansion.informed = fg_word_argument(fcinfo, 4, "selection", selections,
												  lengthof(selections)) == 1;
	options.strip_modes = options.strip_modes && options.expansion.informed;
	history = fg_profiles_argument(fcinfo, 0, "history");
	start = start_argument(fcinfo, 2, &options);
	fg_read_history(&ctx, &history, PG_GETARG_DATUM(1), fg_noise_arguments(&ctx, fcinfo, 6),
					&options, &start, &forest);
	put_traces(&ctx, &rows, &forest, NULL, &options.expansion, &start);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_expand_context_correlation);
Datum
flamegraph_expand_context_correlation(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgSearchOptions options;
	FgBenchmarks b;
	FgVicinity	start;
	FgForest	forest;
	FgTree		tree;

	if (PG_ARGISNULL(3))
		return (Datum) 0;
	options = fg_search_options(&ctx, fcinfo, 5, "expand_context");
	options.expansion.upwards = direction_argument(&ctx, fcinfo, 4);
	options.strip_modes = false;
	b = fg_benchmarks_arguments(&ctx, fcinfo, 0, 1, 2);
	start = start_argument(fcinfo, 3, &options);
	fg_must(&ctx, fg_forest_begin(&ctx, options.metric, false, &forest));
	for (uint32_t run = 0; run < b.runs.count; run++)
	{
		fg_must(&ctx, b.profiles.read(&ctx, b.profiles.arg, b.runs.profile[run], &tree));
		fg_must(&ctx, fg_forest_add(&forest, &tree, &start));
		fg_tree_free(&ctx, &tree);
	}
	fg_must(&ctx, fg_forest_end(&forest));
	put_traces(&ctx, &rows, &forest, &b.runs, &options.expansion, &start);
	return (Datum) 0;
}

/* --- expand_step ---------------------------------------------------------------------------------- */

/* A context of one step more than the one asked for. */
typedef struct NextContext
{
	const FgForest *forest;
	FgContextStep *steps;		/* only their frames; [count - 1] is the new one */
	uint32_t	count;
	bool		upwards;
} NextContext;

static void
step_row(FgRows *rows, NextContext *next, const FgContextStep *step)
{
	Datum		values[9];
	bool		nulls[9] = {false};

	fg_rows_begin_row(rows);
	next->steps[next->count - 1].frame = step->frame;
	values[0] = fg_frame_datum(&next->forest->frames, step->frame);
	values[1] = context_datum(&next->forest->frames, next->steps, next->count, next->upwards);
	values[2] = Float8GetDatum(step->diff);
	values[3] = Float8GetDatum(step->candidate_diff);
	values[4] = Float8GetDatum(step->score);
	values[5] = Float8GetDatum(step->raw_score);
	values[6] = Float8GetDatum(step->recency);
	values[7] = Float8GetDatum(step->mode_shift);
	values[8] = Float8GetDatum(step->depth_novelty);
	fg_rows_end_row(rows, values, nulls);
}

/* The frames of the path; false when one of them occurs in no profile. */
static bool
find_frames(const FgForest *forest, FgSpan path, uint32_t *frames)
{
	FgPathWalk	walk = fg_path_walk(path.bytes, path.size);
	uint32_t	count = 0;
	char		mode;

	while (fg_path_next(&walk))
	{
		size_t		length = walk.length;

		CHECK_FOR_INTERRUPTS();
		if (forest->strip_modes)
			length = fg_mode_strip(walk.frame, length, &mode);
		frames[count] = fg_frames_find(&forest->frames, walk.frame, length);
		if (frames[count++] == FG_NONE)
			return false;
	}
	return true;
}

/* What is near the function at one end of the path. */
static FgVicinity
path_vicinity(FgSpan path, uint32_t depth, const FgSearchOptions *options)
{
	FgVicinity	near = {.upwards = options->expansion.upwards, .reach = depth};
	char		mode;

	fg_path_slice(path.bytes, path.size, near.upwards ? depth - 1 : 0, 1, &near.frame,
				  &near.length);
	if (options->strip_modes)
		near.length = fg_mode_strip(near.frame, near.length, &mode);
	return near;
}

static void
step_rows(FgRows *rows, FgContext *ctx, const FgForest *forest, FgSpan path, uint32_t depth,
		  const FgExpansionOptions *options)
{
	uint32_t   *frames = fg_alloc(ctx, depth, sizeof(uint32_t));
	NextContext next = {forest, fg_alloc_zero(ctx, (size_t) depth + 1, sizeof(FgContextStep)),
		depth + 1, options->upwards};
	FgContextStep *steps;
	FgExpander *expander;
	size_t		count;

	if (!find_frames(forest, path, frames))
		return;
	for (uint32_t i = 0; i < depth; i++)
		next.steps[options->upwards ? depth - 1 - i : i].frame = frames[i];
	expander = fg_expander_create(ctx, forest, NULL, options);
	fg_must(ctx, expander != NULL &&
			fg_expand_step(expander, frames, depth, &steps, &count));
	for (size_t i = 0; i < count; i++)
		step_row(rows, &next, &steps[i]);
}

PG_FUNCTION_INFO_V1(flamegraph_expand_step);
Datum
flamegraph_expand_step(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgSearchOptions options;
	FgProfiles	history;
	FgVicinity	near;
	FgForest	forest;
	FgSpan		path;
	uint32_t	depth;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;
	options = fg_search_options(&ctx, fcinfo, 4, "expand_step");
	options.expansion.upwards = direction_argument(&ctx, fcinfo, 3);
	history = fg_profiles_argument(fcinfo, 0, "history");
	path = PG_GETARG_SPAN(2);
	depth = fg_path_depth(path.bytes, path.size);
	if (depth == 0)
		return (Datum) 0;		/* no function to start from */
	near = path_vicinity(path, depth, &options);
	fg_read_history(&ctx, &history, PG_GETARG_DATUM(1), fg_noise_arguments(&ctx, fcinfo, 5),
					&options, &near, &forest);
	step_rows(&rows, &ctx, &forest, path, depth, &options.expansion);
	return (Datum) 0;
}
