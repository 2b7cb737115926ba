/*
 * flameseries_agg.c
 *	  flameseries_agg: profiles and series collected into one, and sum(flameseries).
 *
 * The state of flameseries_agg is a flameseries, held as an expanded object that collects
 * profiles in a builder; it is sorted and flattened once, when bytes are needed.  The state may
 * also arrive flat: as the first input of the strict combine function, and from other processes.
 */
#include "pg/series/flameseries.h"

#include "utils/timestamp.h"

#include "core/series/flameseries_build.h"
#include "pg/base/expanded.h"
#include "pg/profile/aggregates.h"

typedef struct ExpandedSeries
{
	FgExpanded	base;
	FgFlameseriesBuilder builder;
	bool		is_built;		/* the series holds everything, the builder is gone */
	FgFlameseries series;
} ExpandedSeries;

static bool
build(ExpandedSeries *state)
{
	if (state->is_built)
		return true;
	if (!fg_flameseries_build(&state->builder, &state->series))
		return false;
	fg_flameseries_builder_free(&state->builder);
	state->is_built = true;
	return true;
}

static bool
encode(FgExpanded *object, uint8_t **bytes, size_t *size)
{
	ExpandedSeries *state = (ExpandedSeries *) object;

	return build(state) && fg_flameseries_encode(&object->ctx, &state->series, 0, bytes, size);
}

static const FgExpandedKind kind = {"flameseries", sizeof(ExpandedSeries), &fg_flameseries_encoding,
	encode};

static ExpandedSeries *
series_create(MemoryContext parent)
{
	ExpandedSeries *state = fg_expanded_create(parent, &kind);

	fg_expanded_must(&state->base, fg_flameseries_builder_begin(&state->base.ctx, &state->builder));
	return state;
}

/* A series that was asked for its bytes goes on collecting, as a moving frame of a window does. */
static void
prepare_to_add(ExpandedSeries *state)
{
	fg_expanded_change(&state->base);
	if (!state->is_built)
		return;
	fg_expanded_must(&state->base,
					 fg_flameseries_builder_begin(&state->base.ctx, &state->builder) &&
					 fg_flameseries_add_series(&state->builder, &state->series,
											   &FG_FLAMESERIES_WHOLE));
	fg_flameseries_free(&state->base.ctx, &state->series);
	state->is_built = false;
}

static void
add_series(ExpandedSeries *state, Datum value)
{
	FgContext  *ctx = &state->base.ctx;
	FgSpan		bytes = fg_series_encoded(value);
	FgFlameseries series;

	prepare_to_add(state);
	fg_expanded_must(&state->base, fg_flameseries_decode(ctx, (const uint8_t *) bytes.bytes,
														 bytes.size, &series));
	fg_expanded_must(&state->base, fg_flameseries_add_series(&state->builder, &series,
															 &FG_FLAMESERIES_WHOLE));
	fg_flameseries_free(ctx, &series);
}

/* The state of this group as an object of ours that we may change. */
static ExpandedSeries *
own_state(FunctionCallInfo fcinfo)
{
	MemoryContext aggregate = fg_aggregate_memory(fcinfo);
	ExpandedSeries *state = fg_aggregate_state(fcinfo, &kind);

	if (state != NULL)
		return state;
	state = series_create(aggregate);
	if (!PG_ARGISNULL(0))
		add_series(state, PG_GETARG_DATUM(0));
	return state;
}

static TimestampTz
profile_time(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the time of a profile is null")));
	if (TIMESTAMP_NOT_FINITE(PG_GETARG_TIMESTAMPTZ(1)))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("the time of a profile must be finite")));
	return PG_GETARG_TIMESTAMPTZ(1);
}

static FgSpan
instance_name(Datum value)
{
	FgSpan		name = fg_datum_span(value);
	FgContext	ctx = fg_current_context();

	if (name.size > 0 && !fg_frame_valid(&ctx, name.bytes, name.size))
		ereport(ERROR,
				(errcode(ctx.error.code == FG_ERROR_LIMIT ? ERRCODE_PROGRAM_LIMIT_EXCEEDED
						 : ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid name of an instance"),
				 errdetail("It has to be a legal frame, but %s.", ctx.error.reason)));
	return name;
}

/* A profile that is stored comes encoded, and no tree of it is made with all its frames. */
static void
add_profile(ExpandedSeries *state, TimestampTz at, FgSpan instance, Datum value)
{
	struct varlena *flat;
	FgTree		storage;

	if (fg_datum_expanded(value) != NULL)
	{
		const FgTree *tree = fg_datum_tree(&state->base.ctx, value, &storage);

		fg_expanded_must(&state->base, fg_flameseries_add(&state->builder, at, instance.bytes,
														  instance.size, tree));
		return;
	}
	flat = fg_flamegraph_encoded(value);
	fg_expanded_must(&state->base,
					 fg_flameseries_add_encoded(&state->builder, at, instance.bytes, instance.size,
												(uint8_t *) VARDATA_ANY(flat),
												VARSIZE_ANY_EXHDR(flat)));
	if ((Pointer) flat != DatumGetPointer(value))
		pfree(flat);
}

/* state, time, profile[, instance] */
PG_FUNCTION_INFO_V1(flameseries_accum);
Datum
flameseries_accum(PG_FUNCTION_ARGS)
{
	FgSpan		instance = {"", 0};
	ExpandedSeries *state;
	TimestampTz at;

	if (PG_ARGISNULL(2))
		return fg_unchanged_state(fcinfo);
	at = profile_time(fcinfo);
	if (PG_NARGS() > 3 && !PG_ARGISNULL(3))
		instance = instance_name(PG_GETARG_DATUM(3));
	state = own_state(fcinfo);
	prepare_to_add(state);
	add_profile(state, at, instance, PG_GETARG_DATUM(2));
	return fg_expanded_datum(&state->base);
}

PG_FUNCTION_INFO_V1(flameseries_combine);
Datum
flameseries_combine(PG_FUNCTION_ARGS)
{
	ExpandedSeries *state = own_state(fcinfo);

	add_series(state, PG_GETARG_DATUM(1));
	return fg_expanded_datum(&state->base);
}

/* sum(flameseries): the state is a flamegraph. */
PG_FUNCTION_INFO_V1(flameseries_sum_accum);
Datum
flameseries_sum_accum(PG_FUNCTION_ARGS)
{
	ExpandedFlamegraph *state;
	FgContext  *ctx;
	FgSpan		head;
	FgTree		sum;

	if (PG_ARGISNULL(1))
		return fg_unchanged_state(fcinfo);
	state = fg_flamegraph_state(fcinfo, FG_ACCUMULATE_SUM);
	ctx = &fg_expanded_base(state)->ctx;
	head = fg_series_through_sums(PG_GETARG_DATUM(1));
	fg_series_must(ctx, fg_flameseries_sum(ctx, (const uint8_t *) head.bytes, head.size,
										   &FG_FLAMESERIES_WHOLE, &sum));
	fg_expanded_add_tree(state, &sum);
	return fg_flamegraph_state_datum(state);
}
