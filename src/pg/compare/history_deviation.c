/*
 * history_deviation.c
 *	  deviation_scores(): one run against those before it, from profiles or from
 *	  their statistics (core/compare/deviation.h); run_scores(): with its repetitions and
 *	  brought to a common speed (core/compare/run_scores.h); run_difference(): what is
 *	  compared there.
 */
#include "pg/compare/history.h"
#include "pg/samples/flamestats.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/compare/run_scores.h"
#include "core/profile/walk.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/node_walk.h"
#include "pg/base/rows.h"

#define COLUMNS 15				/* of run_scores(); deviation_scores() has 12 (11 in 0.1.0) */

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
	values[11] = Float8GetDatum(row->df);
	values[12] = Float8GetDatum(row->measured);
	values[13] = Float8GetDatum(row->value_before);
	values[14] = Float8GetDatum(row->value_after);
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

	scoring.moderated = fg_variance_argument(fcinfo, 7) == FG_VARIANCE_MODERATED;
	fg_must(ctx, fg_metric_parse(ctx, metric_word.bytes, metric_word.size, &metric));
	current = fg_datum_tree(ctx, PG_GETARG_DATUM(1), &storage);
	fg_must(ctx, fg_deviations(ctx, &history, current, window_size, metric, &scoring,
							   fg_noise_arguments(ctx, fcinfo, 8), &answer->deviations));
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

/* A noise argument at the level of the statistics, or NULL. */
static const FgTree *
level_noise(FgContext *ctx, FunctionCallInfo fcinfo, int argument, FgLevel level)
{
	FgTree	   *at_level;
	FgTree		storage;
	const FgTree *noise;

	if (!fg_has_argument(fcinfo, argument))
		return NULL;
	at_level = palloc(sizeof(FgTree));
	noise = fg_datum_tree(ctx, PG_GETARG_DATUM(argument), &storage);
	fg_must(ctx, fg_noise_check(ctx, noise) && fg_level_apply(ctx, noise, level, at_level));
	if (noise == &storage)
		fg_tree_free(ctx, &storage);
	return at_level;
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
	FgDeviationNoise noise = {0};
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
	scoring.moderated = fg_variance_argument(fcinfo, 5) == FG_VARIANCE_MODERATED;
	noise.history = level_noise(ctx, fcinfo, 6, stats.level);
	noise.current = level_noise(ctx, fcinfo, 7, stats.level);
	fg_must(ctx, fg_stats_deviations(ctx, moments, stats.n, &current, &scoring,
									 noise.history == NULL && noise.current == NULL ? NULL : &noise,
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

/* Arguments 11 and 12, in another unit than what is tested. */
static void
value_arguments(FgContext *ctx, FunctionCallInfo fcinfo, FgRunScoresInput *input)
{
	FgProfiles *history = palloc(sizeof(FgProfiles));

	if (!PG_ARGISNULL(11))
	{
		*history = fg_profiles_argument(fcinfo, 11, "value_history");
		input->value_history = history;
	}
	if (!PG_ARGISNULL(12))
		input->value_current = fg_datum_tree(ctx, PG_GETARG_DATUM(12), palloc(sizeof(FgTree)));
}

/* --- a run with its repetitions --------------------------------------------------------- */

/* What input points to. */
typedef struct RunArguments
{
	FgRunScoresInput input;
	FgProfiles	history;
	FgProfiles	repetitions;
	FgTree		storage;
} RunArguments;

/*
 * variance, current_unit and what follows it are arguments number "variance", "unit" and
 * on; the scoring and the level are the caller's.
 */
static void
run_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int variance, int unit, FgScoring scoring,
			  RunArguments *run)
{
	FgNoise    *noise = fg_noise_arguments(ctx, fcinfo, unit + 1);
	FgRunScoresInput *input = &run->input;

	run->history = fg_profiles_argument(fcinfo, 0, "history");
	run->repetitions = fg_profiles_argument(fcinfo, unit + 3, "repetitions");
	*input = (FgRunScoresInput) {
		.history = &run->history, .scoring = scoring, .repetitions = &run->repetitions
	};
	input->scoring.moderated = fg_variance_argument(fcinfo, variance) == FG_VARIANCE_MODERATED;
	input->unit_now = PG_ARGISNULL(unit) ? scoring.poisson_unit
		: fg_required_number(fcinfo, unit, "current_unit");
	if (noise != NULL)
		input->noise = *noise;
	input->current = fg_datum_tree(ctx, PG_GETARG_DATUM(1), &run->storage);
}

static void
run_arguments_free(FgContext *ctx, RunArguments *run)
{
	if (run->input.current == &run->storage)
		fg_tree_free(ctx, &run->storage);
}

static Answer *
score_run(FunctionCallInfo fcinfo, FuncCallContext *call)
{
	Answer	   *answer = answer_begin(call);
	FgContext  *ctx = &answer->list.ctx;
	RunArguments run;

	run_arguments(ctx, fcinfo, 3, 7, fg_scoring_arguments(ctx, fcinfo, 4), &run);
	run.input.level = fg_level_argument(fcinfo, 2);
	value_arguments(ctx, fcinfo, &run.input);
	fg_must(ctx, fg_run_scores(ctx, &run.input, &answer->deviations));
	run_arguments_free(ctx, &run);
	answer_ready(answer);
	return answer;
}

PG_FUNCTION_INFO_V1(flamegraph_run_scores);
Datum
flamegraph_run_scores(PG_FUNCTION_ARGS)
{
	if (SRF_IS_FIRSTCALL())
	{
		FuncCallContext *call = fg_value_per_call_begin(fcinfo);

		call->user_fctx = PG_ARGISNULL(1) ? NULL : score_run(fcinfo, call);
	}
	return next_row(fcinfo);
}

PG_FUNCTION_INFO_V1(flamegraph_run_difference);
Datum
flamegraph_run_difference(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgScoring	scoring = FG_DEFAULT_SCORING;
	RunArguments run;
	FgTree		difference;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	scoring.poisson_unit = fg_required_number(fcinfo, 3, "poisson_unit");
	run_arguments(&ctx, fcinfo, 2, 4, scoring, &run);
	fg_must(&ctx, fg_run_difference(&ctx, &run.input, &difference));
	run_arguments_free(&ctx, &run);
	return fg_tree_datum_free(&ctx, &difference);
}
