/*
 * reshaping.c
 *	  Linear maps of profiles in SQL: filters, cuts, collapses, renaming.
 */
#include "pg/base/values.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/profile/algebra.h"
#include "core/profile/builder.h"
#include "core/profile/transform.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/rows.h"
#include "pg/profile/frame_hints.h"
#include "pg/profile/stackquery.h"

/* The number of a frame; of one that does not occur a NOTICE, and FG_NONE. */
static uint32_t
frame_argument(FunctionCallInfo fcinfo, const FgTree *tree, FgSpan frame)
{
	uint32_t	number = fg_frames_find(&tree->frames, frame.bytes, frame.size);

	if (number == FG_NONE)
		fg_note_missing_frame(fcinfo, &tree->frames, frame);
	return number;
}

/* A count that may not be negative. */
static uint32_t
count_argument(int32 value, const char *name)
{
	if (value < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be negative: %d", name, value)));
	return (uint32_t) value;
}

/* --- by pattern -------------------------------------------------------------------- */

static Datum
select_matching(FunctionCallInfo fcinfo, bool wanted)
{
	FgPattern  *pattern = fg_pattern(fcinfo, PG_GETARG_DATUM(1));
	FgOperands	in;
	FgTree		result;
	uint8_t    *keep;

	fg_get_operand(fcinfo, &in);
	keep = fg_alloc(&in.ctx, (size_t) in.a->nnodes + 1, 1);
	if (!fg_query_match_tree(&pattern->query, pattern->match, pattern, in.a, keep))
		fg_throw(&pattern->ctx, "stackquery");
	for (uint32_t i = 0; i <= in.a->nnodes; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		keep[i] = (keep[i] != 0) == wanted;
	}
	fg_must(&in.ctx, fg_select_stacks(&in.ctx, in.a, keep, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_filter_stacks);
Datum
flamegraph_filter_stacks(PG_FUNCTION_ARGS)
{
	return select_matching(fcinfo, true);
}

PG_FUNCTION_INFO_V1(flamegraph_exclude_stacks);
Datum
flamegraph_exclude_stacks(PG_FUNCTION_ARGS)
{
	return select_matching(fcinfo, false);
}

/* A pattern of one level says which frames; more levels would say nothing. */
PG_FUNCTION_INFO_V1(flamegraph_drop_frames);
Datum
flamegraph_drop_frames(PG_FUNCTION_ARGS)
{
	FgPattern  *pattern = fg_pattern(fcinfo, PG_GETARG_DATUM(1));
	FgOperands	in;
	FgTree		result;
	uint8_t    *drop;

	if (pattern->query.nlevels != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a pattern of frames to drop must have one level"),
				 errhint("Alternatives are separated by \"|\".")));
	if (!pattern->query.levels[0].any &&
		(pattern->query.levels[0].min != 1 || pattern->query.levels[0].max != 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a pattern of frames to drop takes no repetition count")));
	fg_get_operand(fcinfo, &in);
	drop = fg_alloc(&in.ctx, in.a->frames.count, 1);
	for (uint32_t f = 0; f < in.a->frames.count; f++)
	{
		CHECK_FOR_INTERRUPTS();
		drop[f] = fg_level_matches(&pattern->query, &pattern->query.levels[0], pattern->match,
								   pattern, fg_frame_bytes(&in.a->frames, f),
								   fg_frame_length(&in.a->frames, f));
	}
	fg_must(&in.ctx, fg_drop_frames(&in.ctx, in.a, drop, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

/* The stacks of an array as a tree; a null array is an empty one. */
static void
paths_tree(FunctionCallInfo fcinfo, int argument, FgContext *ctx, FgTree *tree)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	FgArray		paths = fg_array_argument(fcinfo, argument, "a stack of the array is null");
	Datum		element;

	while (fg_array_next(&paths, &element))
	{
		FgSpan		path = fg_datum_span(element);

		fg_must(ctx, fg_builder_add(builder, path.bytes, path.size, '\0', false, 1));
	}
	fg_must(ctx, fg_builder_finish(builder, tree));
	fg_builder_free(builder);
}

PG_FUNCTION_INFO_V1(flamegraph_restrict);
Datum
flamegraph_restrict(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	FgTree		paths;
	FgTree		result;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	paths_tree(fcinfo, 1, &ctx, &paths);
	fg_must(&ctx, fg_restrict(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage), &paths,
							  &result));
	return fg_tree_datum_free(&ctx, &result);
}

/* --- by frame ------------------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(flamegraph_focus);
Datum
flamegraph_focus(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_focus(&in.ctx, in.a, frame_argument(fcinfo, in.a, PG_GETARG_SPAN(1)),
							  &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_callers_of);
Datum
flamegraph_callers_of(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_callers_of(&in.ctx, in.a, frame_argument(fcinfo, in.a, PG_GETARG_SPAN(1)),
								   &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

/* --- by shape ------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamegraph_invert);
Datum
flamegraph_invert(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_invert(&in.ctx, in.a, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_cut_depth);
Datum
flamegraph_cut_depth(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_cut_depth(&in.ctx, in.a, count_argument(PG_GETARG_INT32(1), "max_depth"),
							   &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_k_context);
Datum
flamegraph_k_context(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_k_context(&in.ctx, in.a, count_argument(PG_GETARG_INT32(1), "k"), &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_strip_outer);
Datum
flamegraph_strip_outer(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_strip_outer(&in.ctx, in.a, count_argument(PG_GETARG_INT32(1), "n"), &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_collapse_recursion);
Datum
flamegraph_collapse_recursion(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"direct", "cycles"};
	int			method = fg_word(PG_GETARG_SPAN(1), "method", methods, lengthof(methods));
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, method == 0 ? fg_collapse_direct(&in.ctx, in.a, &result)
			: fg_collapse_cycles(&in.ctx, in.a, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_cumulate);
Datum
flamegraph_cumulate(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_cumulate(&in.ctx, in.a, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_frame_totals);
Datum
flamegraph_frame_totals(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_frame_totals(&in.ctx, in.a, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

/* A frame that an argument makes; the reason goes to the detail. */
static void
check_new_frame(FgContext *ctx, FgSpan frame, const char *message)
{
	if (fg_frame_valid(ctx, frame.bytes, frame.size))
		return;
	ereport(ERROR,
			(errcode(ctx->error.code == FG_ERROR_LIMIT ? ERRCODE_PROGRAM_LIMIT_EXCEEDED
					 : ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 errdetail_internal("%c%s.", pg_toupper((unsigned char) ctx->error.reason[0]),
								ctx->error.reason + 1)));
}

/* NULL for "other" drops what is cut off; the other arguments may not be null. */
PG_FUNCTION_INFO_V1(flamegraph_prune);
Datum
flamegraph_prune(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	FgTree		result;
	FgSpan		other = {NULL, 0};
	double		share;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	share = PG_GETARG_FLOAT8(1);
	if (!(share >= 0 && share <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_share must be between 0 and 1"),
				 errhint("Shares are fractions: 0.05 is five percent.")));
	if (!PG_ARGISNULL(2))
	{
		other = PG_GETARG_SPAN(2);
		check_new_frame(&ctx, other, "invalid frame for argument \"other\"");
	}
	fg_must(&ctx, fg_prune(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage), share,
						   other.bytes, other.size, &result));
	return fg_tree_datum_free(&ctx, &result);
}

/* --- the four parts of a change --------------------------------------------------------- */

static Datum
change(FunctionCallInfo fcinfo, FgChange part)
{
	FgOperands	in;
	FgTree		result;

	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_change(&in.ctx, in.a, in.b, part, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_appeared);
Datum
flamegraph_appeared(PG_FUNCTION_ARGS)
{
	return change(fcinfo, FG_CHANGE_APPEARED);
}

PG_FUNCTION_INFO_V1(flamegraph_grown);
Datum
flamegraph_grown(PG_FUNCTION_ARGS)
{
	return change(fcinfo, FG_CHANGE_GROWN);
}

PG_FUNCTION_INFO_V1(flamegraph_disappeared);
Datum
flamegraph_disappeared(PG_FUNCTION_ARGS)
{
	return change(fcinfo, FG_CHANGE_DISAPPEARED);
}

PG_FUNCTION_INFO_V1(flamegraph_shrunk);
Datum
flamegraph_shrunk(PG_FUNCTION_ARGS)
{
	return change(fcinfo, FG_CHANGE_SHRUNK);
}

/* --- scale ----------------------------------------------------------------------------------- */

/* target / total may overflow or vanish where the products do not, so divide first. */
PG_FUNCTION_INFO_V1(flamegraph_rescale);
Datum
flamegraph_rescale(PG_FUNCTION_ARGS)
{
	double		target = PG_GETARG_FLOAT8(1);
	FgOperands	in;
	FgTree		normal;
	FgTree		result;
	FgFacts		facts;

	if (!isfinite(target))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the target of rescale must be finite")));
	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_tree_facts(&in.ctx, in.a, &facts));
	if (facts.total == 0)
		PG_RETURN_NULL();
	fg_finite(facts.total, "the total");
	fg_must(&in.ctx, fg_divide(&in.ctx, in.a, facts.total, &normal));
	if (target == 1)
		return fg_tree_datum_free(&in.ctx, &normal);
	fg_must(&in.ctx, fg_scale(&in.ctx, &normal, target, &result));
	fg_tree_free(&in.ctx, &normal);
	return fg_tree_datum_free(&in.ctx, &result);
}

/* --- renaming ---------------------------------------------------------------------------------- */

/* PostgreSQL caches compiled expressions, and each distinct frame is looked at once. */
static Datum
replace_all(Datum text, Datum pattern, Datum replacement)
{
	return DirectFunctionCall4Coll(textregexreplace, C_COLLATION_OID, text, pattern, replacement,
								   PointerGetDatum(cstring_to_text("g")));
}

/*
 * The name of a frame after all rules.  What the rules leave on the way, a text each
 * and what the engine allocates, goes before the next frame.
 */
static FgSpan
apply_rules(const FgTree *tree, uint32_t frame, const Datum *rules, int count,
			MemoryContext work)
{
	MemoryContext previous = MemoryContextSwitchTo(work);
	Datum		name = fg_frame_datum(&tree->frames, frame);
	FgSpan		span;

	for (int i = 0; i < count; i += 2)
	{
		CHECK_FOR_INTERRUPTS();
		name = replace_all(name, rules[i], rules[i + 1]);
	}
	span = fg_datum_span(name);
	MemoryContextSwitchTo(previous);
	span.bytes = pnstrdup(span.bytes, span.size);
	MemoryContextReset(work);
	return span;
}

/* rules: pattern, replacement, pattern, ... applied in order. */
static Datum
rename_frames(FgContext *ctx, const FgTree *tree, const Datum *rules, int count)
{
	uint32_t	nframes = tree->frames.count;
	const char **bytes = fg_alloc(ctx, nframes, sizeof(char *));
	size_t	   *length = fg_alloc(ctx, nframes, sizeof(size_t));
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "renaming",
											   ALLOCSET_DEFAULT_SIZES);
	FgTree		result;

	for (int i = 0; i < count; i += 2)
	{
		CHECK_FOR_INTERRUPTS();
		fg_regex_check(fg_datum_span(rules[i]), NULL);
	}
	for (uint32_t f = 0; f < nframes; f++)
	{
		FgSpan		span = apply_rules(tree, f, rules, count, work);

		if (span.size == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a rule leaves nothing of frame \"%.*s\"",
							pg_mbcliplen(fg_frame_bytes(&tree->frames, f),
										 (int) fg_frame_length(&tree->frames, f), 100),
							fg_frame_bytes(&tree->frames, f)),
					 errhint("Use drop_frames to cut frames out.")));
		check_new_frame(ctx, span, "invalid frame after renaming");
		bytes[f] = span.bytes;
		length[f] = span.size;
	}
	MemoryContextDelete(work);
	fg_must(ctx, fg_rename_frames(ctx, tree, bytes, length, &result));
	return fg_tree_datum_free(ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_rename_frames);
Datum
flamegraph_rename_frames(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	Datum		rule[2];

	rule[0] = PG_GETARG_DATUM(1);
	rule[1] = PG_GETARG_DATUM(2);
	return rename_frames(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage), rule, 2);
}

/* The patterns and replacements of an argument, pair by pair. */
static FgArray
rules_argument(FunctionCallInfo fcinfo, int argument)
{
	FgArray		rules = fg_array_argument(fcinfo, argument,
										  "a pattern or replacement of the rules is null");
	ArrayType  *array = PG_ARGISNULL(argument) ? NULL : PG_GETARG_ARRAYTYPE_P(argument);
	Datum		rule;

	if (array != NULL && ARR_NDIM(array) != 0 &&
		(ARR_NDIM(array) != 2 || ARR_DIMS(array)[1] != 2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rules must be an array of pairs"),
				 errhint("Write ARRAY[[pattern, replacement], ...].")));
	rules.null_hint = NULL;		/* array_remove is for arrays of one dimension */
	while (fg_array_next(&rules, &rule))
		continue;
	return rules;
}

PG_FUNCTION_INFO_V1(flamegraph_rename_frames_rules);
Datum
flamegraph_rename_frames_rules(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	FgArray		rules;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	rules = rules_argument(fcinfo, 1);
	return rename_frames(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage), rules.elements,
						 rules.count);
}
