/*
 * tree_metrics.c
 *	  frame_metrics(), top(), compare_baseline(), editor_metrics(): a row for each
 *	  function.
 */
#include "pg/cct/tree_metrics.h"

#include "miscadmin.h"

#include "core/base/order.h"
#include "core/cct/baseline.h"
#include "core/cct/metrics.h"
#include "core/profile/algebra.h"
#include "core/profile/transform.h"
#include "pg/base/arrays.h"
#include "pg/profile/stackquery.h"

/* The metrics of a profile: of every frame of its dictionary. */
typedef struct Metrics
{
	FgContext  *ctx;
	const FgTree *tree;
	FgFrameMetrics *frames;
	double		total;			/* of the whole */
} Metrics;

static Metrics
metrics_of(FgContext *ctx, const FgTree *tree)
{
	Metrics		metrics = {ctx, tree, NULL, 0};
	FgFacts		facts;

	metrics.frames = fg_alloc(ctx, tree->frames.count, sizeof(FgFrameMetrics));
	fg_must(ctx, fg_tree_facts(ctx, tree, &facts) && fg_frame_metrics(ctx, tree, metrics.frames));
	metrics.total = facts.total;
	return metrics;
}

/* The frames by total or by self, the largest first. */
static uint32_t *
metrics_order(const Metrics *metrics, bool by_self)
{
	uint32_t	count = metrics->tree->frames.count;
	double	   *value = fg_alloc(metrics->ctx, count, sizeof(double));
	uint32_t   *order = fg_alloc(metrics->ctx, count, sizeof(uint32_t));

	for (uint32_t f = 0; f < count; f++)
	{
		if (f % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		value[f] = by_self ? metrics->frames[f].self : metrics->frames[f].total;
	}
	fg_must(metrics->ctx, fg_order_descending(metrics->ctx, value, count, order));
	fg_release(metrics->ctx, value);
	return order;
}

/* --- frame_metrics, top --------------------------------------------------------------- */

static void
frame_metrics_rows(FgRows *rows, const Metrics *metrics)
{
	const uint32_t *order = metrics_order(metrics, false);

	for (uint32_t i = 0; i < metrics->tree->frames.count; i++)
	{
		const FgFrameMetrics *m = &metrics->frames[order[i]];
		Datum		values[9];
		bool		nulls[9] = {false};

		fg_rows_begin_row(rows);
		values[0] = fg_frame_datum(&metrics->tree->frames, order[i]);
		values[1] = Float8GetDatum(m->total);
		values[2] = Float8GetDatum(m->self);
		values[3] = fg_share(m->total, metrics->total, &nulls[3]);
		values[4] = fg_share(m->self, m->total, &nulls[4]);
		values[5] = Int32GetDatum((int32) m->nodes);
		values[6] = Int32GetDatum((int32) m->recursion_free);
		values[7] = Int32GetDatum((int32) m->callers);
		values[8] = Int32GetDatum((int32) m->callees);
		fg_rows_end_row(rows, values, nulls);
	}
}

PG_FUNCTION_INFO_V1(flamegraph_frame_metrics);
Datum
flamegraph_frame_metrics(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	Metrics		metrics;

	fg_get_operand(fcinfo, &in);
	metrics = metrics_of(&in.ctx, in.a);
	frame_metrics_rows(&rows, &metrics);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_frame_metrics_within);
Datum
flamegraph_frame_metrics_within(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgPattern  *pattern = fg_pattern(fcinfo, PG_GETARG_DATUM(1));
	FgOperands	in;
	FgTree		within;
	Metrics		metrics;
	uint8_t    *keep;

	fg_get_operand(fcinfo, &in);
	keep = fg_alloc(&in.ctx, (size_t) in.a->nnodes + 1, 1);
	if (!fg_query_match_tree(&pattern->query, pattern->match, pattern, in.a, keep))
		fg_throw(&pattern->ctx, "stackquery");
	fg_must(&in.ctx, fg_select_stacks(&in.ctx, in.a, keep, &within));
	metrics = metrics_of(&in.ctx, &within);
	frame_metrics_rows(&rows, &metrics);
	return (Datum) 0;
}

void
fg_check_max_rows(FunctionCallInfo fcinfo, int argument)
{
	if (!PG_ARGISNULL(argument) && PG_GETARG_INT32(argument) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_rows must not be negative: %d", PG_GETARG_INT32(argument)),
				 errhint("NULL stands for all rows.")));
}

void
fg_top_rows(FgRows *rows, FgContext *ctx, const FgTree *tree, FunctionCallInfo fcinfo,
			int max_rows)
{
	Metrics		metrics = metrics_of(ctx, tree);
	uint32_t   *order = metrics_order(&metrics, true);
	uint32_t	count = tree->frames.count;

	if (!PG_ARGISNULL(max_rows) && (uint32_t) PG_GETARG_INT32(max_rows) < count)
		count = (uint32_t) PG_GETARG_INT32(max_rows);
	for (uint32_t i = 0; i < count; i++)
	{
		const FgFrameMetrics *m = &metrics.frames[order[i]];
		Datum		values[5];
		bool		nulls[5] = {false};

		fg_rows_begin_row(rows);
		values[0] = fg_frame_datum(&tree->frames, order[i]);
		values[1] = Float8GetDatum(m->self);
		values[2] = fg_share(m->self, metrics.total, &nulls[2]);
		values[3] = Float8GetDatum(m->total);
		values[4] = fg_share(m->total, metrics.total, &nulls[4]);
		fg_rows_end_row(rows, values, nulls);
	}
}

PG_FUNCTION_INFO_V1(flamegraph_top);
Datum
flamegraph_top(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;

	if (PG_ARGISNULL(0))
		return (Datum) 0;
	fg_check_max_rows(fcinfo, 1);
	fg_get_operand(fcinfo, &in);
	fg_top_rows(&rows, &in.ctx, in.a, fcinfo, 1);
	return (Datum) 0;
}

/* --- comparison with a baseline ------------------------------------------------------------ */

/*
 * A frame's share of a whole: 0 for a frame that does not occur, NULL for a whole
 * of 0.
 */
static Datum
share_in(const Metrics *metrics, uint32_t frame, bool *null)
{
	return fg_share(frame == FG_NONE ? 0 : metrics->frames[frame].total, metrics->total, null);
}

/* angle, [shown_angle,] red, green, blue; without both shares there is no arrow. */
static void
put_arrow(Datum baseline, bool no_baseline, Datum current, bool no_current, bool shown,
		  Datum *values, bool *nulls)
{
	int			column = 0;
	FgArrow		arrow;

	if (no_baseline || no_current)
	{
		memset(nulls, true, shown ? 5 : 4);
		return;
	}
	arrow = fg_arrow(DatumGetFloat8(baseline), DatumGetFloat8(current));
	values[column++] = Float8GetDatum(arrow.angle);
	if (shown)
		values[column++] = Int32GetDatum(arrow.shown);
	values[column++] = Int32GetDatum(arrow.red);
	values[column++] = Int32GetDatum(arrow.green);
	values[column] = Int32GetDatum(arrow.blue);
}

/*
 * Frames of two profiles, and of a list: one dictionary, with the number of each in
 * either profile or FG_NONE.
 */
typedef struct Union
{
	FgFrames	frames;
	uint32_t   *before;
	uint32_t   *now;
} Union;

static void
number_in(const FgFrames *frames, const FgFrames *where, uint32_t *number)
{
	for (uint32_t f = 0; f < frames->count; f++)
	{
		/* frames may be long, and a search compares a score of them */
		CHECK_FOR_INTERRUPTS();
		number[f] = fg_frames_find(where, fg_frame_bytes(frames, f), fg_frame_length(frames, f));
	}
}

static Union
union_of(FgContext *ctx, const FgFrames *before, const FgFrames *now)
{
	uint32_t   *map_before = fg_alloc(ctx, before->count, sizeof(uint32_t));
	uint32_t   *map_now = fg_alloc(ctx, now->count, sizeof(uint32_t));
	Union		all;

	fg_must(ctx, fg_frames_union(ctx, before, now, &all.frames, map_before, map_now));
	all.before = fg_alloc(ctx, all.frames.count, sizeof(uint32_t));
	all.now = fg_alloc(ctx, all.frames.count, sizeof(uint32_t));
	memset(all.before, 0xFF, all.frames.count * sizeof(uint32_t));
	memset(all.now, 0xFF, all.frames.count * sizeof(uint32_t));
	for (uint32_t f = 0; f < before->count; f++)
	{
		if (f % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		all.before[map_before[f]] = f;
	}
	for (uint32_t f = 0; f < now->count; f++)
	{
		if (f % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		all.now[map_now[f]] = f;
	}
	fg_release(ctx, map_before);
	fg_release(ctx, map_now);
	return all;
}

/* By the total in the current profile, the largest first. */
static uint32_t *
union_order(const Union *all, const Metrics *now)
{
	double	   *value = fg_alloc(now->ctx, all->frames.count, sizeof(double));
	uint32_t   *order = fg_alloc(now->ctx, all->frames.count, sizeof(uint32_t));

	for (uint32_t f = 0; f < all->frames.count; f++)
	{
		if (f % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		value[f] = all->now[f] == FG_NONE ? 0 : now->frames[all->now[f]].total;
	}
	fg_must(now->ctx, fg_order_descending(now->ctx, value, all->frames.count, order));
	fg_release(now->ctx, value);
	return order;
}

static Datum
share_ratio(Datum baseline, bool no_baseline, Datum current, bool no_current, bool *null)
{
	if (!no_baseline && !no_current)
		return fg_relative_to(DatumGetFloat8(current), DatumGetFloat8(baseline), null);
	*null = true;
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flamegraph_compare_baseline);
Datum
flamegraph_compare_baseline(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	Metrics		before;
	Metrics		now;
	Union		all;
	uint32_t   *order;

	fg_get_operands(fcinfo, &in);
	before = metrics_of(&in.ctx, in.a);
	now = metrics_of(&in.ctx, in.b);
	all = union_of(&in.ctx, &in.a->frames, &in.b->frames);
	order = union_order(&all, &now);
	for (uint32_t i = 0; i < all.frames.count; i++)
	{
		uint32_t	f = order[i];
		Datum		values[9];
		bool		nulls[9] = {false};

		fg_rows_begin_row(&rows);
		values[0] = fg_frame_datum(&all.frames, f);
		values[1] = share_in(&before, all.before[f], &nulls[1]);
		values[2] = share_in(&now, all.now[f], &nulls[2]);
		values[3] = share_ratio(values[1], nulls[1], values[2], nulls[2], &nulls[3]);
		put_arrow(values[1], nulls[1], values[2], nulls[2], true, &values[4], &nulls[4]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

/* --- editor_metrics --------------------------------------------------------------------- */

static bool
has_prefix(const FgFrames *frames, uint32_t f, FgSpan prefix)
{
	return prefix.size == 0 || (fg_frame_length(frames, f) >= prefix.size &&
		memcmp(fg_frame_bytes(frames, f), prefix.bytes, prefix.size) == 0);
}

/* The frames of the rows: those asked for, else all of both profiles. */
static Union
editor_frames(FunctionCallInfo fcinfo, FgContext *ctx, const FgTree *before, const FgTree *now)
{
	Union		all;

	if (PG_ARGISNULL(1))
		return union_of(ctx, &before->frames, &now->frames);
	all.frames = fg_text_set(ctx, PG_GETARG_DATUM(1), "a frame of the array is null");
	all.before = fg_alloc(ctx, all.frames.count, sizeof(uint32_t));
	all.now = fg_alloc(ctx, all.frames.count, sizeof(uint32_t));
	number_in(&all.frames, &before->frames, all.before);
	number_in(&all.frames, &now->frames, all.now);
	return all;
}

static void
editor_row(FgRows *rows, const Union *all, uint32_t f, const Metrics *before, const Metrics *now,
		   bool with_baseline)
{
	static const FgFrameMetrics nothing = {0};
	const FgFrameMetrics *m = all->now[f] == FG_NONE ? &nothing : &now->frames[all->now[f]];
	Datum		values[12];
	bool		nulls[12] = {false};
	bool		no_baseline = false;
	Datum		baseline;

	fg_rows_begin_row(rows);
	values[0] = fg_frame_datum(&all->frames, f);
	values[1] = fg_share(m->total, now->total, &nulls[1]);
	values[2] = fg_share(m->self, m->total, &nulls[2]);
	values[3] = Float8GetDatum(m->total);
	values[4] = Float8GetDatum(now->total);
	values[5] = Int32GetDatum((int32) m->callers);
	values[6] = Int32GetDatum((int32) m->callees);
	values[7] = Int32GetDatum((int32) m->threads);
	baseline = share_in(before, all->before[f], &no_baseline);
	put_arrow(baseline, no_baseline || !with_baseline, values[1], nulls[1], false, &values[8],
			  &nulls[8]);
	fg_rows_end_row(rows, values, nulls);
}

PG_FUNCTION_INFO_V1(flamegraph_editor_metrics);
Datum
flamegraph_editor_metrics(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgTree		storage[2];
	const FgTree *now_tree;
	const FgTree *before_tree = &storage[1];
	FgSpan		prefix = {NULL, 0};
	Metrics		before;
	Metrics		now;
	Union		all;
	uint32_t   *order;

	if (PG_ARGISNULL(0))
		return (Datum) 0;
	if (!PG_ARGISNULL(2))
		prefix = PG_GETARG_SPAN(2);
	now_tree = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage[0]);
	if (PG_ARGISNULL(3))
		fg_must(&ctx, fg_tree_empty(&ctx, &storage[1]));
	else
		before_tree = fg_datum_tree(&ctx, PG_GETARG_DATUM(3), &storage[1]);
	before = metrics_of(&ctx, before_tree);
	now = metrics_of(&ctx, now_tree);
	all = editor_frames(fcinfo, &ctx, before_tree, now_tree);
	order = union_order(&all, &now);
	for (uint32_t i = 0; i < all.frames.count; i++)
	{
		if (has_prefix(&all.frames, order[i], prefix))
			editor_row(&rows, &all, order[i], &before, &now, !PG_ARGISNULL(3));
	}
	return (Datum) 0;
}
