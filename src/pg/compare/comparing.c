/*
 * comparing.c
 *	  compare_profiles() and compare_stats(): which keys differ between two groups of
 *	  profiles, and whether that is more than noise (core/compare/welch.h, core/compare/max_t.h).
 */
#include "pg/samples/flamestats.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/compare/max_t.h"
#include "core/compare/welch.h"
#include "core/profile/walk.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/node_walk.h"
#include "pg/base/rows.h"

/* --- arguments --------------------------------------------------------------------------- */

static FgCorrection
correction_argument(FunctionCallInfo fcinfo, int argument)
{
	static const char *const words[] = {"bh", "holm", "bonferroni", "none"};

	return (FgCorrection) fg_word_argument(fcinfo, argument, "correction", words, lengthof(words));
}

static FgSizeFactor
size_argument(FunctionCallInfo fcinfo, int argument)
{
	static const char *const words[] = {"none", "median_ratio", "total", "stable"};

	return (FgSizeFactor) fg_word_argument(fcinfo, argument, "size_factor", words, lengthof(words));
}

/* --- rows ----------------------------------------------------------------------------------- */

/* The SQL of 0.1.0 has no stddev: rows have as many columns as are asked for. */
#define COLUMNS 14

/* What is needed from call to call; all of it lives as long as the calls go on. */
typedef struct Answer
{
	FgNodeList	list;			/* the keys */
	FgWelchComparison comparison;
	FgIntervals intervals;
	uint32_t   *order;
} Answer;

static Answer *
answer_begin(FuncCallContext *call, double alpha)
{
	Answer	   *answer = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(Answer));

	answer->list.ctx = fg_context_in(call->multi_call_memory_ctx);
	answer->intervals.alpha = alpha;
	return answer;
}

/* The comparison is complete: its keys get their paths, its rows their order. */
static void
answer_ready(Answer *answer)
{
	FgContext  *ctx = &answer->list.ctx;
	FgWelchComparison *comparison = &answer->comparison;

	answer->list.tree = comparison->keys;
	answer->list.parents = fg_alloc(ctx, (size_t) comparison->keys.nnodes + 1, sizeof(uint32_t));
	answer->order = fg_alloc(ctx, comparison->count, sizeof(uint32_t));
	fg_must(ctx, fg_tree_parents(ctx, &comparison->keys, answer->list.parents) &&
			fg_comparison_order(ctx, comparison, answer->order));
}

static void
put_change(const FgDifference *row, Datum *value, bool *null)
{
	static const char *const words[] = {"appeared", "grown", "disappeared", "shrunk"};
	FgChange	change;

	*null = !fg_difference_change(row, &change);
	if (!*null)
		*value = CStringGetTextDatum(words[change]);
}

static Datum
next_row(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_PERCALL_SETUP();
	Answer	   *answer = call->user_fctx;
	const FgDifference *row;
	double		lower;
	double		upper;
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

	if (call->call_cntr >= answer->comparison.count)
		SRF_RETURN_DONE(call);
	row = &answer->comparison.rows[answer->order[call->call_cntr]];
	fg_difference_interval(row, &answer->intervals, &lower, &upper);
	values[0] = fg_node_list_stack(&answer->list, row->node);
	values[1] = Float8GetDatum(row->mean_before);
	values[2] = Float8GetDatum(row->mean_after);
	values[3] = Float8GetDatum(row->delta);
	values[4] = fg_relative_to(row->delta, row->mean_before, &nulls[4]);
	values[5] = fg_number_or_null(row->t, &nulls[5]);
	values[6] = fg_number_or_null(row->df, &nulls[6]);
	values[7] = fg_number_or_null(row->p, &nulls[7]);
	values[8] = fg_number_or_null(row->q, &nulls[8]);
	values[9] = fg_finite_or_null(lower, "a bound of a confidence interval", &nulls[9]);
	values[10] = fg_finite_or_null(upper, "a bound of a confidence interval", &nulls[10]);
	put_change(row, &values[11], &nulls[11]);
	values[12] = BoolGetDatum(row->q <= answer->intervals.alpha);
	nulls[12] = isnan(row->q);
	values[13] = fg_number_or_null(row->stddev, &nulls[13]);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

/* --- compare_profiles -------------------------------------------------------------------- */

typedef struct MaxT
{
	bool		wanted;
	uint32_t	permutations;
	uint64_t	seed;
} MaxT;

static MaxT
max_t_arguments(FunctionCallInfo fcinfo, FgCorrection correction)
{
	static const char *const words[] = {"welch", "maxt"};
	MaxT		max_t = {
		.wanted = fg_word_argument(fcinfo, 3, "method", words, lengthof(words)) == 1,
		.permutations = fg_positive_argument(fcinfo, 9, "permutations"),
		.seed = (uint64_t) DatumGetInt64(fg_required(fcinfo, 10, "seed"))
	};

	/* bh is the default, and may just not have been asked for */
	if (max_t.wanted && (correction == FG_CORRECT_HOLM || correction == FG_CORRECT_BONFERRONI))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"maxt\" is a correction itself"),
				 errhint("Leave the argument correction out.")));
	return max_t;
}

/* The arguments from "first" on, which the SQL of 0.1.0 does not have. */
static void
variance_arguments(FunctionCallInfo fcinfo, int first, FgCompareOptions *options)
{
	options->variance = fg_variance_argument(fcinfo, first);
	options->poisson_unit = PG_NARGS() <= first + 1 ? 0 :
		fg_required_number(fcinfo, first + 1, "poisson_unit");
}

static void
noise_arguments(FunctionCallInfo fcinfo, int first, FgProfiles noise[2])
{
	noise[0] = noise[1] = (FgProfiles) {.count = 0};
	if (PG_NARGS() <= first + 1)
		return;
	noise[0] = fg_profiles_argument(fcinfo, first, "before_noise");
	noise[1] = fg_profiles_argument(fcinfo, first + 1, "after_noise");
}

static void
compare_arrays(FunctionCallInfo fcinfo, Answer *answer, const FgCompareOptions *options)
{
	FgContext  *ctx = &answer->list.ctx;
	FgProfiles	noise[2];
	FgProfiles	before = fg_profiles_argument(fcinfo, 0, "before");
	FgProfiles	after = fg_profiles_argument(fcinfo, 1, "after");
	MaxT		max_t = max_t_arguments(fcinfo, options->correction);

	noise_arguments(fcinfo, 13, noise);
	if (max_t.wanted)
		fg_must(ctx, fg_max_t(ctx, &before, &after, noise, options, max_t.permutations,
							  max_t.seed, &answer->comparison));
	else
		fg_must(ctx, fg_compare_profiles(ctx, &before, &after, noise, options, NULL,
										 &answer->comparison));
}

PG_FUNCTION_INFO_V1(flamegraph_compare_profiles);
Datum
flamegraph_compare_profiles(PG_FUNCTION_ARGS)
{
	FgCompareOptions options;
	Answer	   *answer;

	if (SRF_IS_FIRSTCALL())
	{
		FuncCallContext *call = fg_value_per_call_begin(fcinfo);

		options.level = fg_level_argument(fcinfo, 2);
		options.correction = correction_argument(fcinfo, 4);
		options.size = size_argument(fcinfo, 6);
		options.min_mean = fg_required_number(fcinfo, 7, "min_mean");
		options.min_df = fg_positive_argument(fcinfo, 8, "min_df");
		variance_arguments(fcinfo, 11, &options);
		answer = answer_begin(call, fg_alpha_argument(fcinfo, 5));
		compare_arrays(fcinfo, answer, &options);
		answer_ready(answer);
		call->user_fctx = answer;
	}
	return next_row(fcinfo);
}

/* --- compare_stats ------------------------------------------------------------------------- */

/* The noise of a group, a vector over stacks, at the level of its statistics; NULL: not known. */
static const FgTree *
noise_argument(FunctionCallInfo fcinfo, int argument, FgContext *ctx, FgLevel level,
			   FgTree *storage)
{
	FgTree		room;
	const FgTree *noise;

	if (PG_NARGS() <= argument || PG_ARGISNULL(argument))
		return NULL;
	noise = fg_datum_tree(ctx, PG_GETARG_DATUM(argument), &room);
	fg_must(ctx, fg_level_apply(ctx, noise, level, storage));
	return storage;
}

static void
compare_samples(FunctionCallInfo fcinfo, Answer *answer, FgCompareOptions *options)
{
	FgTree		noise[2];
	FgContext  *ctx = &answer->list.ctx;
	FgContext	here = fg_current_context();
	FgMoments	storage[2];
	FgLevel		level[2] = {FG_LEVEL_STACK, FG_LEVEL_STACK};
	FgGroup		before = fg_stats_group(fcinfo, 0, &here, &storage[0], &level[0]);
	FgGroup		after = fg_stats_group(fcinfo, 1, &here, &storage[1], &level[1]);

	fg_check_same_level(&before, &after, level);
	options->level = level[0];
	before.noise = noise_argument(fcinfo, 8, &here, level[0], &noise[0]);
	after.noise = noise_argument(fcinfo, 9, &here, level[0], &noise[1]);
	fg_must(ctx, fg_compare(ctx, &before, &after, options, &answer->comparison));
}

PG_FUNCTION_INFO_V1(flamegraph_compare_stats);
Datum
flamegraph_compare_stats(PG_FUNCTION_ARGS)
{
	FgCompareOptions options = {.min_df = 1};
	Answer	   *answer;

	if (SRF_IS_FIRSTCALL())
	{
		FuncCallContext *call = fg_value_per_call_begin(fcinfo);

		options.correction = correction_argument(fcinfo, 2);
		options.size = size_argument(fcinfo, 4);
		options.min_mean = fg_required_number(fcinfo, 5, "min_mean");
		variance_arguments(fcinfo, 6, &options);
		answer = answer_begin(call, fg_alpha_argument(fcinfo, 3));
		compare_samples(fcinfo, answer, &options);
		answer_ready(answer);
		call->user_fctx = answer;
	}
	return next_row(fcinfo);
}

/* --- size_factor ----------------------------------------------------------------------------- */

/* The factor that makes "after" comparable with "before"; both are means. */
PG_FUNCTION_INFO_V1(flamegraph_size_factor);
Datum
flamegraph_size_factor(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"none", "median_ratio", "total"};
	int			method = fg_word(PG_GETARG_SPAN(2), "method", methods, lengthof(methods));
	double		min_mean = PG_GETARG_FLOAT8(3);
	FgOperands	in;
	double		factor;
	bool		defined;

	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_size_factor(&in.ctx, in.a, in.b, (FgSizeFactor) method, min_mean, &factor,
									&defined));
	if (!defined)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(factor);
}
