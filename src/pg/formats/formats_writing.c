/*
 * formats_writing.c
 *	  flamegraph_to_pprof() and flamegraph_to_speedscope().
 */
#include "pg/base/jsonb_build.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/pprof/pprof_write.h"
#include "core/profile/walk.h"
#include "core/svg/drawing.h"
#include "pg/base/arguments.h"
#include "pg/base/rows.h"
#include "pg/base/values.h"

/* --- pprof -------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_to_pprof);
Datum
flamegraph_to_pprof(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgSpan		type = PG_GETARG_SPAN(1);
	FgSpan		unit = PG_GETARG_SPAN(2);
	FgBuffer	file;
	static const char header[VARHDRSZ];

	fg_get_operand(fcinfo, &in);
	file = (FgBuffer) {.ctx = &in.ctx};
	fg_must(&in.ctx, fg_buffer_append(&file, header, VARHDRSZ));
	fg_must(&in.ctx, fg_pprof_write(&file, in.a, type.bytes, type.size, unit.bytes, unit.size,
									MaxAllocSize - VARHDRSZ));
	file.data = fg_chunk(&in.ctx, file.data, file.size);
	SET_VARSIZE(file.data, file.size);
	PG_RETURN_BYTEA_P(file.data);
}

/* --- speedscope ------------------------------------------------------------------ */

static void
push_member(JsonbParseState **state, const char *key, const char *text, size_t size)
{
	fg_push_string(state, WJB_KEY, key, strlen(key));
	fg_push_string(state, WJB_VALUE, text, size);
}

static void
push_frames(JsonbParseState **state, const FgFrames *frames)
{
	fg_push_string(state, WJB_KEY, "shared", 6);
	pushJsonbValue(state, WJB_BEGIN_OBJECT, NULL);
	fg_push_string(state, WJB_KEY, "frames", 6);
	pushJsonbValue(state, WJB_BEGIN_ARRAY, NULL);
	for (uint32_t f = 0; f < frames->count; f++)
	{
		CHECK_FOR_INTERRUPTS();
		pushJsonbValue(state, WJB_BEGIN_OBJECT, NULL);
		push_member(state, "name", fg_frame_bytes(frames, f), fg_frame_length(frames, f));
		pushJsonbValue(state, WJB_END_OBJECT, NULL);
	}
	pushJsonbValue(state, WJB_END_ARRAY, NULL);
	pushJsonbValue(state, WJB_END_OBJECT, NULL);
}

static void
push_samples(JsonbParseState **state, FgContext *ctx, const FgTree *tree)
{
	FgWalk		walk;

	fg_push_string(state, WJB_KEY, "samples", 7);
	pushJsonbValue(state, WJB_BEGIN_ARRAY, NULL);
	if (tree->self[0] != 0)
	{
		pushJsonbValue(state, WJB_BEGIN_ARRAY, NULL);
		pushJsonbValue(state, WJB_END_ARRAY, NULL);
	}
	fg_must(ctx, fg_walk_begin(ctx, tree, &walk));
	while (fg_walk_next(&walk))
	{
		if (tree->self[walk.node] == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		pushJsonbValue(state, WJB_BEGIN_ARRAY, NULL);
		for (uint32_t d = 1; d <= walk.depth; d++)
			fg_push_number(state, WJB_ELEM, fg_key_frame(tree->key[walk.path[d]]));
		pushJsonbValue(state, WJB_END_ARRAY, NULL);
	}
	fg_must(ctx, fg_walk_end(&walk));
	pushJsonbValue(state, WJB_END_ARRAY, NULL);
}

static void
push_weights(JsonbParseState **state, const FgTree *tree)
{
	fg_push_string(state, WJB_KEY, "weights", 7);
	pushJsonbValue(state, WJB_BEGIN_ARRAY, NULL);
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (tree->self[i] == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		fg_push_number(state, WJB_ELEM, tree->self[i]);
	}
	pushJsonbValue(state, WJB_END_ARRAY, NULL);
}

static JsonbValue *
speedscope_json(FgContext *ctx, const FgTree *tree, double total, FgSpan name, const char *unit)
{
	static const char schema[] = "https://www.speedscope.app/file-format-schema.json";
	JsonbParseState *state = NULL;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	push_member(&state, "$schema", schema, sizeof(schema) - 1);
	push_member(&state, "exporter", "flamegraph", 10);
	push_member(&state, "name", name.bytes, name.size);
	push_frames(&state, &tree->frames);
	fg_push_string(&state, WJB_KEY, "profiles", 8);
	pushJsonbValue(&state, WJB_BEGIN_ARRAY, NULL);
	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	push_member(&state, "type", "sampled", 7);
	push_member(&state, "name", name.bytes, name.size);
	push_member(&state, "unit", unit, strlen(unit));
	fg_push_string(&state, WJB_KEY, "startValue", 10);
	fg_push_number(&state, WJB_VALUE, 0);
	fg_push_string(&state, WJB_KEY, "endValue", 8);
	fg_push_number(&state, WJB_VALUE, total);
	push_samples(&state, ctx, tree);
	push_weights(&state, tree);
	pushJsonbValue(&state, WJB_END_OBJECT, NULL);
	pushJsonbValue(&state, WJB_END_ARRAY, NULL);
	return pushJsonbValue(&state, WJB_END_OBJECT, NULL);
}

/*
 * Each frame of each stack is a number of at least 8 bytes in jsonb, which ends at 256
 * MB, and making it takes several times as much memory; what cannot fit is refused
 * before.
 */
static void
check_size(FgContext *ctx, const FgTree *tree)
{
	uint64		numbers = 0;
	FgWalk		walk;

	fg_must(ctx, fg_walk_begin(ctx, tree, &walk));
	while (fg_walk_next(&walk))
		numbers += tree->self[walk.node] != 0 ? walk.depth : 0;
	fg_must(ctx, fg_walk_end(&walk));
	if (numbers <= JENTRY_OFFLENMASK / 8)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("profile is too large for jsonb"),
			 errdetail("Its stacks have " UINT64_FORMAT " frames in all.", numbers),
			 errhint("prune() cuts small branches off; flamegraph_to_pprof() has no such limit.")));
}

PG_FUNCTION_INFO_V1(flamegraph_to_speedscope);
Datum
flamegraph_to_speedscope(PG_FUNCTION_ARGS)
{
	/* speedscope's words, and two for "none" that profiles have */
	static const char *const units[] = {
		"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes", "samples", "count"
	};
	FgOperands	in;
	FgSpan		name = PG_GETARG_SPAN(1);
	int			unit = fg_word(PG_GETARG_SPAN(2), "unit", units, lengthof(units));
	FgFacts		facts;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_check_not_negative(&in.ctx, in.a,
										   "Export positive_part(fg) and negative_part(fg)."));
	check_size(&in.ctx, in.a);
	fg_must(&in.ctx, fg_tree_facts(&in.ctx, in.a, &facts));
	fg_finite(facts.total, "the total");
	PG_RETURN_JSONB_P(JsonbValueToJsonb(speedscope_json(&in.ctx, in.a, facts.total, name,
														units[unit < 6 ? unit : 0])));
}
