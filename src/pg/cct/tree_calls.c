/*
 * tree_calls.c
 *	  callers(), callees(), call_edges(), call_sites(), thread_metrics(): who calls
 *	  whom, from where, on which thread.
 */
#include "pg/base/values.h"

#include "miscadmin.h"

#include "core/cct/calls.h"
#include "core/cct/lines.h"
#include "core/profile/transform.h"
#include "pg/base/rows.h"
#include "pg/profile/frame_hints.h"
#include "pg/profile/stackquery.h"

/* A frame, or NULL for none. */
static Datum
frame_or_null(const FgFrames *frames, uint32_t frame, bool *null)
{
	*null = frame == FG_NONE;
	return *null ? (Datum) 0 : fg_frame_datum(frames, frame);
}

/* --- callers and callees ----------------------------------------------------------- */

/*
 * One side of the calls of a frame.  Shares are of the frame's own samples, in both
 * directions.
 */
static Datum
calls_of_frame(FunctionCallInfo fcinfo, FgCallChoice choice)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgSpan		name = PG_GETARG_SPAN(1);
	FgOperands	in;
	FgTally		calls;
	uint32_t	frame;
	double		total;

	fg_get_operand(fcinfo, &in);
	frame = fg_frames_find(&in.a->frames, name.bytes, name.size);
	if (frame == FG_NONE)
	{
		fg_note_missing_frame(fcinfo, &in.a->frames, name);
		return (Datum) 0;
	}
	fg_must(&in.ctx, fg_calls(&in.ctx, in.a, choice, frame, &calls, &total));
	for (uint32_t i = 0; i < calls.pairs.count; i++)
	{
		FgNumberPair pair = calls.pairs.pairs[calls.order[i]];
		double		samples = calls.value[calls.order[i]];
		Datum		values[3];
		bool		nulls[3] = {false};

		fg_rows_begin_row(&rows);
		values[0] = frame_or_null(&in.a->frames, choice == FG_CALLS_TO ? pair.a : pair.b,
								  &nulls[0]);
		values[1] = Float8GetDatum(samples);
		values[2] = fg_share(samples, total, &nulls[2]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_callers);
Datum
flamegraph_callers(PG_FUNCTION_ARGS)
{
	return calls_of_frame(fcinfo, FG_CALLS_TO);
}

PG_FUNCTION_INFO_V1(flamegraph_callees);
Datum
flamegraph_callees(PG_FUNCTION_ARGS)
{
	return calls_of_frame(fcinfo, FG_CALLS_FROM);
}

PG_FUNCTION_INFO_V1(flamegraph_call_edges);
Datum
flamegraph_call_edges(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	FgTally		calls;
	double	   *total;

	fg_get_operand(fcinfo, &in);
	total = fg_alloc(&in.ctx, in.a->frames.count, sizeof(double));
	fg_must(&in.ctx, fg_calls(&in.ctx, in.a, FG_CALLS_ALL, FG_NONE, &calls, NULL) &&
			fg_frame_total_values(&in.ctx, in.a, total));
	for (uint32_t i = 0; i < calls.pairs.count; i++)
	{
		FgNumberPair pair = calls.pairs.pairs[calls.order[i]];
		double		samples = calls.value[calls.order[i]];
		Datum		values[5];
		bool		nulls[5] = {false};

		fg_rows_begin_row(&rows);
		values[0] = frame_or_null(&in.a->frames, pair.a, &nulls[0]);
		values[1] = fg_frame_datum(&in.a->frames, pair.b);
		values[2] = Float8GetDatum(samples);
		values[3] = fg_share(samples, pair.a == FG_NONE ? 0 : total[pair.a], &nulls[3]);
		values[4] = fg_share(samples, total[pair.b], &nulls[4]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

/* --- lines --------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_frame_line);
Datum
flamegraph_frame_line(PG_FUNCTION_ARGS)
{
	FgSpan		frame = PG_GETARG_SPAN(0);
	int32_t		line = fg_frame_line(frame.bytes, frame.size);

	if (line < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT32(line);
}

PG_FUNCTION_INFO_V1(flamegraph_call_sites);
Datum
flamegraph_call_sites(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgSpan		function = PG_GETARG_SPAN(1);
	FgOperands	in;
	FgLineNames names;
	FgCallSites sites;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_line_names(&in.ctx, &in.a->frames, &names) &&
			fg_call_sites(&in.ctx, in.a, &names, function.bytes, function.size, &sites));
	if (fg_frames_find(&names.names, function.bytes, function.size) == FG_NONE)
		fg_note_missing_frame(fcinfo, &names.names, function);
	for (uint32_t i = 0; i < sites.tally.pairs.count; i++)
	{
		FgNumberPair pair = sites.tally.pairs.pairs[sites.tally.order[i]];
		double		samples = sites.tally.value[sites.tally.order[i]];
		Datum		values[4];
		bool		nulls[4] = {false};

		fg_rows_begin_row(&rows);
		nulls[0] = pair.a == FG_NONE;
		values[0] = nulls[0] ? (Datum) 0 : Int32GetDatum(sites.lines[pair.a]);
		values[1] = fg_frame_datum(&names.names, pair.b);
		values[2] = Float8GetDatum(samples);
		values[3] = fg_share(samples, sites.total, &nulls[3]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

/* --- threads --------------------------------------------------------------------------- */

/* Where the pattern says that a thread starts; NULL for the first frames. */
static uint8_t *
thread_starts(FunctionCallInfo fcinfo, FgContext *ctx, const FgTree *tree)
{
	FgPattern  *pattern;
	uint8_t    *starts;

	if (PG_ARGISNULL(1))
		return NULL;
	pattern = fg_pattern(fcinfo, PG_GETARG_DATUM(1));
	starts = fg_alloc(ctx, (size_t) tree->nnodes + 1, 1);
	if (!fg_query_match_tree(&pattern->query, pattern->match, pattern, tree, starts))
		fg_throw(&pattern->ctx, "stackquery");
	return starts;
}

PG_FUNCTION_INFO_V1(flamegraph_thread_metrics);
Datum
flamegraph_thread_metrics(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	FgTally		threads;
	double	   *total;

	if (PG_ARGISNULL(0))
		return (Datum) 0;
	fg_get_operand(fcinfo, &in);
	total = fg_alloc(&in.ctx, in.a->frames.count, sizeof(double));
	fg_must(&in.ctx, fg_threads(&in.ctx, in.a, thread_starts(fcinfo, &in.ctx, in.a), &threads,
								total));
	for (uint32_t i = 0; i < threads.pairs.count; i++)
	{
		FgNumberPair pair = threads.pairs.pairs[threads.order[i]];
		double		samples = threads.value[threads.order[i]];
		Datum		values[4];
		bool		nulls[4] = {false};

		fg_rows_begin_row(&rows);
		values[0] = frame_or_null(&in.a->frames, pair.a, &nulls[0]);
		values[1] = fg_frame_datum(&in.a->frames, pair.b);
		values[2] = Float8GetDatum(samples);
		values[3] = fg_share(samples, total[pair.b], &nulls[3]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}
