/*
 * history_deviation.c
 *	  deviation_scores(): one run against those before it, from profiles or from
 *	  their statistics (core/compare/deviation.h).
 */
#include "pg/compare/history.h"
#include "pg/samples/flamestats.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/profile/walk.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/node_walk.h"
#include "pg/base/rows.h"

#define COLUMNS 11

/* Lives as long as the calls go on. */
typedef struct Answer
{
	FgNodeList	list;			/* the keys */
	FgDeviations deviations;
} Answer;

static Answer *
answer_begin(FuncCallContext *call)
{
	Answer	   *answer = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(Answer));

	answer->list.ctx = fg_context_in(call->multi_call_memory_ctx);
	return answer;
}

static void
answer_ready(Answer *answer)
{
	FgContext  *ctx = &answer->list.ctx;
	FgDeviations *d = &answer->deviations;

	answer->list.tree = d->keys;
	answer->list.parents = fg_alloc(ctx, (size_t) d->keys.nnodes + 1, sizeof(uint32_t));
	fg_must(ctx, fg_tree_parents(ctx, &d->keys, answer->list.parents));
}

static Datum
next_row(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_PERCALL_SETUP();
	Answer	   *answer = call->user_fctx;
	FgDeviations *d = &answer->deviations;
	const FgDeviation *row;
	uint32_t	i;
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

	if (answer == NULL || call->call_cntr >= d->count)
		SRF_RETURN_DONE(call);
	i = d->order[call->call_cntr];
	row = &d->rows[i];
	values[0] = fg_node_list_stack(&answer->list, d->node[i]);
	values[1] = Float8GetDatum(row->expected);
	values[2] = Float8GetDatum(row->stddev);
	values[3] = Float8GetDatum(row->actual);
	values[4] = Float8GetDatum(row->diff);
	values[5] = Float8GetDatum(row->score);
	values[6] = Float8GetDatum(row->raw_score);
	values[7] = Float8GetDatum(d->p_value[i]);
	values[8] = Float8GetDatum(d->q_value[i]);
	values[9] = CStringGetTextDatum(row->status);
	values[10] = Int32GetDatum((int32) Min(d->n, PG_INT32_MAX));
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

static Answer *
score_arrays(FunctionCallInfo fcinfo, FuncCallContext *call)
{
	Answer	   *answer = answer_begin(call);
	FgContext  *ctx = &answer->list.ctx;
	FgScoring	scoring = fg_scoring_arguments(ctx, fcinfo, 4);
	FgProfiles	history = fg_profiles_argument(fcinfo, 0, "history");
	int32		window_size = fg_required_int(fcinfo, 2, "window_size");
	FgSpan		metric_word = fg_required_word(fcinfo, 3, "metric");
	const FgTree *current;
	FgTree		storage;
	uint32_t	metric;

	fg_must(ctx, fg_metric_parse(ctx, metric_word.bytes, metric_word.size, &metric));
	current = fg_datum_tree(ctx, PG_GETARG_DATUM(1), &storage);
	fg_must(ctx, fg_deviations(ctx, &history, current, window_size, metric, &scoring,
							   &answer->deviations));
	if (current == &storage)
		fg_tree_free(ctx, &storage);
	answer_ready(answer);
	return answer;
}

PG_FUNCTION_INFO_V1(flamegraph_deviation_scores);
Datum
flamegraph_deviation_scores(PG_FUNCTION_ARGS)
{
	if (SRF_IS_FIRSTCALL())
	{
		FuncCallContext *call = fg_value_per_call_begin(fcinfo);

		call->user_fctx = PG_ARGISNULL(1) ? NULL : score_arrays(fcinfo, call);
	}
	return next_row(fcinfo);
}

static Answer *
score_stats(FunctionCallInfo fcinfo, FuncCallContext *call)
{
	Answer	   *answer = answer_begin(call);
	FgContext  *ctx = &answer->list.ctx;
	FgScoring	scoring = fg_scoring_arguments(ctx, fcinfo, 2);
	FgMoments	storage;
	FgStats		stats;
	const FgMoments *moments = fg_datum_stats(ctx, PG_GETARG_DATUM(0), &stats, &storage);
	const FgTree *profile;
	FgTree		tree;
	FgTree		current;

	if (stats.sums_only)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("these statistics hold sums only, as avg needs them")));
	profile = fg_datum_tree(ctx, PG_GETARG_DATUM(1), &tree);
	fg_must(ctx, fg_level_apply(ctx, profile, stats.level, &current));
	if (profile == &tree)
		fg_tree_free(ctx, &tree);
	fg_must(ctx, fg_stats_deviations(ctx, moments, stats.n, &current, &scoring,
									 &answer->deviations));
	fg_tree_free(ctx, &current);
	if (moments == &storage)
		fg_moments_free(ctx, &storage);
	answer_ready(answer);
	return answer;
}

PG_FUNCTION_INFO_V1(flamegraph_deviation_scores_stats);
Datum
flamegraph_deviation_scores_stats(PG_FUNCTION_ARGS)
{
	if (SRF_IS_FIRSTCALL())
	{
		FuncCallContext *call = fg_value_per_call_begin(fcinfo);
		bool		none = PG_ARGISNULL(0) || PG_ARGISNULL(1);

		call->user_fctx = none ? NULL : score_stats(fcinfo, call);
	}
	return next_row(fcinfo);
}
