/*
 * tree_find.c
 *	  find_frames(), frame_groups(): functions by what their names have in common.
 */
#include "pg/base/values.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/base/order.h"
#include "core/cct/groups.h"
#include "core/cct/metrics.h"
#include "core/patterns/find.h"
#include "core/profile/names.h"
#include "pg/base/rows.h"
#include "pg/profile/stackquery.h"

/* self, self_share, total, total_share */
static void
put_values(double self, double total, double whole, Datum *values, bool *nulls)
{
	values[0] = Float8GetDatum(self);
	values[1] = fg_share(self, whole, &nulls[1]);
	values[2] = Float8GetDatum(total);
	values[3] = fg_share(total, whole, &nulls[3]);
}

static uint32_t *
descending(FgContext *ctx, const double *values, uint32_t count)
{
	uint32_t   *order = fg_alloc(ctx, count, sizeof(uint32_t));

	fg_must(ctx, fg_order_descending(ctx, values, count, order));
	return order;
}

/* --- find_frames --------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_find_frames);
Datum
flamegraph_find_frames(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgSpan		pattern = PG_GETARG_SPAN(1);
	FgOperands	in;
	FgFacts		facts;
	FgFrameMetrics *metrics;
	uint32_t	count;
	uint8_t    *found;
	double	   *total;
	uint32_t   *order;

	fg_get_operand(fcinfo, &in);
	count = in.a->frames.count;
	metrics = fg_alloc(&in.ctx, count, sizeof(FgFrameMetrics));
	found = fg_alloc(&in.ctx, count, 1);
	total = fg_alloc(&in.ctx, count, sizeof(double));
	fg_must(&in.ctx, fg_find_frames(&in.ctx, &in.a->frames, pattern.bytes, pattern.size, found) &&
			fg_tree_facts(&in.ctx, in.a, &facts) && fg_frame_metrics(&in.ctx, in.a, metrics));
	for (uint32_t f = 0; f < count; f++)
	{
		if (f % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		total[f] = metrics[f].total;
	}
	order = descending(&in.ctx, total, count);
	for (uint32_t i = 0; i < count; i++)
	{
		const FgFrameMetrics *m = &metrics[order[i]];
		Datum		values[5];
		bool		nulls[5] = {false};

		if (!found[order[i]])
		{
			if (i % FG_CHECK_NODES == 0)
				CHECK_FOR_INTERRUPTS();
			continue;
		}
		fg_rows_begin_row(&rows);
		values[0] = fg_frame_datum(&in.a->frames, order[i]);
		put_values(m->self, m->total, facts.total, &values[1], &nulls[1]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

/* --- frame_groups ------------------------------------------------------------------------ */

/* The groups in the bytewise order of their names, and the group of each frame. */
typedef struct Groups
{
	FgFrames	names;
	uint32_t   *of_frame;
	int32	   *frames;			/* how many functions each has */
} Groups;

/*
 * The name of each frame's group, under the numbers in which the names come.  What the
 * expression leaves on the way goes before the next frame.
 */
static void
name_groups(FgContext *ctx, const FgFrames *frames, FgSpan pattern, FgSpan replacement,
			FgNames *names, uint32_t *number)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "frame groups",
												 ALLOCSET_DEFAULT_SIZES);
	FgRegex    *regex = fg_regex_compile(pattern.bytes, pattern.size, false, memory);
	StringInfoData name;

	fg_regex_check_template(regex, replacement);
	initStringInfo(&name);
	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *bytes = fg_frame_bytes(frames, f);
		size_t		length = fg_frame_length(frames, f);

		CHECK_FOR_INTERRUPTS();
		resetStringInfo(&name);
		if (fg_regex_expand(regex, bytes, length, replacement, &name) && name.len > 0)
		{
			bytes = name.data;
			length = (size_t) name.len;
		}
		fg_must(ctx, fg_names_add(names, bytes, length, &number[f]));
	}
	pfree(name.data);
	MemoryContextDelete(memory);
}

static Groups
make_groups(FgContext *ctx, const FgFrames *frames, FgSpan pattern, FgSpan replacement)
{
	Groups		groups = {.of_frame = fg_alloc(ctx, frames->count, sizeof(uint32_t))};
	FgNames		names;
	uint32_t   *place;

	fg_must(ctx, fg_names_begin(ctx, &names));
	name_groups(ctx, frames, pattern, replacement, &names, groups.of_frame);
	place = fg_alloc(ctx, names.count, sizeof(uint32_t));
	groups.frames = fg_alloc_zero(ctx, names.count, sizeof(int32));
	fg_must(ctx, fg_names_sort(&names, &groups.names, place));
	for (uint32_t f = 0; f < frames->count; f++)
	{
		if (f % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		groups.of_frame[f] = place[groups.of_frame[f]];
		groups.frames[groups.of_frame[f]]++;
	}
	fg_names_free(&names);
	fg_release(ctx, place);
	return groups;
}

PG_FUNCTION_INFO_V1(flamegraph_frame_groups);
Datum
flamegraph_frame_groups(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	FgFacts		facts;
	Groups		groups;
	double	   *self;
	double	   *total;
	uint32_t   *order;

	fg_get_operand(fcinfo, &in);
	groups = make_groups(&in.ctx, &in.a->frames, PG_GETARG_SPAN(1), PG_GETARG_SPAN(2));
	self = fg_alloc(&in.ctx, groups.names.count, sizeof(double));
	total = fg_alloc(&in.ctx, groups.names.count, sizeof(double));
	fg_must(&in.ctx, fg_tree_facts(&in.ctx, in.a, &facts) &&
			fg_group_values(&in.ctx, in.a, groups.of_frame, groups.names.count, self, total));
	order = descending(&in.ctx, total, groups.names.count);
	for (uint32_t i = 0; i < groups.names.count; i++)
	{
		uint32_t	g = order[i];
		Datum		values[6];
		bool		nulls[6] = {false};

		fg_rows_begin_row(&rows);
		values[0] = fg_frame_datum(&groups.names, g);
		values[1] = Int32GetDatum(groups.frames[g]);
		put_values(self[g], total[g], facts.total, &values[2], &nulls[2]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}
