/*
 * hotelling.c
 *	  hotelling_test(), hotelling_intervals(), reduced_difference(): do two groups of
 *	  profiles differ, and in which stacks?
 */
#include "pg/base/node_walk.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/compare/hotelling.h"
#include "core/compare/reduced.h"
#include "core/profile/walk.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/linalg.h"
#include "pg/base/rows.h"

/* --- arguments --------------------------------------------------------------------- */

/* What the three functions begin with: before, after, alpha, level, min_df. */
typedef struct Arguments
{
	FgProfiles	before;
	FgProfiles	after;
	double		alpha;
	FgLevel		level;
	uint32_t	min_df;
} Arguments;

static Arguments
get_arguments(FunctionCallInfo fcinfo)
{
	return (Arguments) {
		.alpha = fg_alpha_argument(fcinfo, 2),
		.level = fg_level_argument(fcinfo, 3),
		.min_df = fg_positive_argument(fcinfo, 4, "min_df"),
		.before = fg_profiles_argument(fcinfo, 0, "before"),
		.after = fg_profiles_argument(fcinfo, 1, "after")
	};
}

/*
 * What the numbers do not say: a min_df above the size of one group drops the stacks that
 * only this group has, which are what a regression adds; and intervals that hold for p
 * stacks together are too wide to find much where p is more than a fifth of the profiles.
 */
static void
warn(const FgHotelling *test, uint32_t min_df, bool by_stack)
{
	size_t		n = test->n1 + test->n2;

	if (test->status == FG_HOTELLING_TOO_FEW)
		return;
	if (min_df > Min(test->n1, test->n2) && test->keys.dropped > 0)
		ereport(WARNING,
				(errmsg("stacks of one group only may have been dropped"),
				 errdetail("min_df is %u, the smaller group has %zu profiles.", min_df,
						   Min(test->n1, test->n2)),
				 errhint("Use a min_df of at most the size of the smaller group.")));
	if (test->status == FG_HOTELLING_TOO_MANY)
		ereport(NOTICE,
				(errmsg("too many stacks for Hotelling's test"),
				 errdetail("%u stacks vary, at most %zu can be tested together.", test->p,
						   Min(n - 2, (size_t) FG_HOTELLING_MAX_KEYS)),
				 errhint("A larger min_df keeps fewer stacks; compare_profiles() tests any number of them.")));
	else if (by_stack && test->p > n / 5)
		ereport(WARNING,
				(errmsg("intervals of %u stacks from %zu profiles are wide", test->p, n),
				 errhint("A larger min_df keeps fewer stacks; compare_profiles() tests each stack by itself.")));
}

static void
run_test(FgContext *ctx, const Arguments *in, bool by_stack, FgHotelling *test)
{
	fg_must(ctx, fg_hotelling(ctx, &in->before, &in->after, in->level, in->min_df, in->alpha,
							  fg_linalg, test));
	warn(test, in->min_df, by_stack);
}

/* --- hotelling_test ------------------------------------------------------------------- */

static Datum
int_or_null(double value, bool *null)
{
	*null = isnan(value);
	return *null ? (Datum) 0 : Int32GetDatum((int32) value);
}

PG_FUNCTION_INFO_V1(flamegraph_hotelling_test);
Datum
flamegraph_hotelling_test(PG_FUNCTION_ARGS)
{
	Arguments	in = get_arguments(fcinfo);
	FgContext	ctx = fg_current_context();
	FgHotelling test;
	Datum		values[13];
	bool		nulls[13] = {false};

	run_test(&ctx, &in, false, &test);
	values[0] = CStringGetTextDatum(fg_hotelling_word(test.status));
	values[1] = Int32GetDatum((int32) test.n1);
	values[2] = Int32GetDatum((int32) test.n2);
	values[3] = Int32GetDatum((int32) test.p);
	nulls[3] = test.status == FG_HOTELLING_TOO_FEW;
	values[4] = Int32GetDatum((int32) test.keys.count);
	values[5] = Int32GetDatum((int32) test.keys.dropped);
	values[6] = Float8GetDatum(test.dropped_weight);
	values[7] = fg_number_or_null(test.t2, &nulls[7]);
	values[8] = fg_number_or_null(test.f, &nulls[8]);
	values[9] = int_or_null(test.df1, &nulls[9]);
	values[10] = int_or_null(test.df2, &nulls[10]);
	values[11] = fg_number_or_null(test.p_value, &nulls[11]);
	values[12] = fg_number_or_null(test.f_critical, &nulls[12]);
	PG_RETURN_DATUM(fg_record_datum(fcinfo, values, nulls));
}

/* --- hotelling_intervals ----------------------------------------------------------------- */

/* The rows: nodes of the tree of keys, the largest differences first. */
typedef struct Intervals
{
	FgHotelling test;
	FgNodeList	list;
	uint32_t   *key_of;			/* by node */
} Intervals;

static Intervals *
intervals_begin(FunctionCallInfo fcinfo, FuncCallContext *call)
{
	MemoryContext caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
	Arguments	in = get_arguments(fcinfo);
	Intervals  *intervals = palloc0(sizeof(Intervals));
	FgHotelling *test = &intervals->test;
	FgNodeList *list = &intervals->list;
	FgContext  *ctx = &list->ctx;
	size_t		nodes;
	double	   *distance;

	*ctx = fg_current_context();
	run_test(ctx, &in, true, test);
	list->tree = test->keys.tree;
	nodes = (size_t) list->tree.nnodes + 1;
	list->parents = fg_alloc(ctx, nodes, sizeof(uint32_t));
	list->nodes = fg_alloc(ctx, nodes, sizeof(uint32_t));
	intervals->key_of = fg_alloc(ctx, nodes, sizeof(uint32_t));
	distance = fg_alloc(ctx, nodes, sizeof(double));
	fg_must(ctx, fg_tree_parents(ctx, &list->tree, list->parents));
	for (uint32_t i = 0; i < nodes && test->status != FG_HOTELLING_TOO_FEW; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (list->tree.self[i] == 0)
			continue;
		distance[i] = fabs(test->delta[list->count]);
		intervals->key_of[i] = list->count;
		list->nodes[list->count++] = i;
	}
	fg_node_list_sort(list, distance);
	fg_release(ctx, distance);
	MemoryContextSwitchTo(caller);
	return intervals;
}

PG_FUNCTION_INFO_V1(flamegraph_hotelling_intervals);
Datum
flamegraph_hotelling_intervals(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	Intervals  *intervals;
	FgInterval	interval;
	Datum		values[7];
	bool		nulls[7] = {false};
	uint32_t	node;
	uint32_t	key;

	if (SRF_IS_FIRSTCALL())
	{
		call = fg_value_per_call_begin(fcinfo);
		call->user_fctx = intervals_begin(fcinfo, call);
	}
	call = SRF_PERCALL_SETUP();
	intervals = call->user_fctx;
	if (call->call_cntr >= intervals->list.count)
		SRF_RETURN_DONE(call);
	node = intervals->list.nodes[call->call_cntr];
	key = intervals->key_of[node];
	interval = fg_hotelling_interval(&intervals->test, key);
	values[0] = fg_node_list_stack(&intervals->list, node);
	values[1] = Float8GetDatum(intervals->test.delta[key]);
	values[2] = fg_number_or_null(interval.lower, &nulls[2]);
	values[3] = fg_number_or_null(interval.upper, &nulls[3]);
	values[4] = Float8GetDatum(intervals->test.variance[key]);
	values[5] = BoolGetDatum(interval.significant);
	nulls[5] = !interval.exists;
	values[6] = BoolGetDatum(interval.certain);
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

/* --- reduced_difference --------------------------------------------------------------------- */

/* Nothing could be tested, which is not the same as nothing found: false. */
static bool
reduced_hotelling(FgContext *ctx, const Arguments *in, FgTree *result)
{
	FgHotelling test;

	run_test(ctx, in, true, &test);
	if (test.status == FG_HOTELLING_TOO_FEW || test.status == FG_HOTELLING_TOO_MANY)
		return false;
	fg_must(ctx, fg_hotelling_reduced(ctx, &test, result));
	return true;
}

static bool
reduced_welch(FgContext *ctx, const Arguments *in, FgVariance variance, FgTree *result)
{
	if (in->before.count < 2 || in->after.count < 2)
		return false;
	fg_must(ctx, fg_reduced_welch(ctx, &in->before, &in->after, in->level, in->min_df, variance,
								  in->alpha, result));
	return true;
}

PG_FUNCTION_INFO_V1(flamegraph_reduced_difference);
Datum
flamegraph_reduced_difference(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"hotelling", "welch"};
	Arguments	in = get_arguments(fcinfo);
	bool		welch = fg_word_argument(fcinfo, 5, "method", methods, lengthof(methods)) == 1;
	FgVariance	variance = fg_variance_argument(fcinfo, 6);
	FgContext	ctx = fg_current_context();
	FgTree		result;
	bool		tested = welch ? reduced_welch(&ctx, &in, variance, &result) :
		reduced_hotelling(&ctx, &in, &result);

	if (!tested)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &result));
}
