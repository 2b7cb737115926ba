/*
 * history.c
 *	  Arguments and options of comparisons with earlier runs (see history.h).
 */
#include "pg/compare/history.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "core/base/number.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/options.h"

FgScoring
fg_scoring_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int first)
{
	FgScoring	scoring = FG_DEFAULT_SCORING;
	FgSpan		zero_std = fg_required_word(fcinfo, first + 2, "zero_std");

	scoring.poisson_unit = fg_required_number(fcinfo, first, "poisson_unit");
	scoring.min_std = fg_required_number(fcinfo, first + 1, "min_std");
	fg_must(ctx, fg_zero_std_parse(ctx, zero_std.bytes, zero_std.size, &scoring.infinite));
	fg_must(ctx, fg_scoring_check(ctx, &scoring));
	return scoring;
}

FgNoise *
fg_noise_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int first)
{
	FgNoise    *noise = palloc0(sizeof(FgNoise));
	FgProfiles *history = palloc(sizeof(FgProfiles));
	FgTree	   *current = palloc(sizeof(FgTree));

	if (fg_has_argument(fcinfo, first))
	{
		*history = fg_profiles_argument(fcinfo, first, "history_noise");
		noise->history = history;
	}
	if (fg_has_argument(fcinfo, first + 1))
		noise->current = fg_datum_tree(ctx, PG_GETARG_DATUM(first + 1), current);
	return noise->history == NULL && noise->current == NULL ? NULL : noise;
}

/* --- options ------------------------------------------------------------------------- */

static void
read_scoring(FgContext *ctx, Jsonb *options, FgSearchOptions *o)
{
	FgScoring  *scoring = &o->expansion.scoring;
	FgSpan		word;

	fg_option_int(options, "window_size", &o->window_size);
	fg_option_double(options, "poisson_unit", &scoring->poisson_unit);
	fg_option_double(options, "min_std", &scoring->min_std);
	if (fg_option_word(options, "metric", &word))
		fg_must(ctx, fg_metric_parse(ctx, word.bytes, word.size, &o->metric));
	if (fg_option_word(options, "zero_std", &word))
		fg_must(ctx, fg_zero_std_parse(ctx, word.bytes, word.size, &scoring->infinite));
	if (fg_option_word(options, "variance", &word))
		scoring->moderated = fg_variance_word(word) == FG_VARIANCE_MODERATED;
}

static void
read_search(FgContext *ctx, Jsonb *options, FgExpansionOptions *e)
{
	int32		number;
	FgSpan		word;

	if (fg_option_int(options, "max_depth", &number))
		e->max_depth = number;
	if (fg_option_int(options, "max_breadth", &number))
		e->max_breadth = number;
	fg_option_double(options, "threshold", &e->threshold);
	fg_option_bool(options, "keep_stem", &e->keep_stem);
	fg_option_bool(options, "stop_at_equal", &e->stop_at_equal);
	if (fg_option_word(options, "measure", &word))
		fg_must(ctx, fg_measure_parse(ctx, word.bytes, word.size, &e->given));
}

static void
read_correlation(FgContext *ctx, Jsonb *options, FgCorrelationOptions *c)
{
	int32		number;
	FgSpan		word;

	if (fg_option_int(options, "min_profiles", &number))
		c->min_profiles = number;
	if (fg_option_word(options, "missing", &word))
		fg_must(ctx, fg_missing_parse(ctx, word.bytes, word.size, &c->missing_zero));
	if (fg_option_word(options, "method", &word))
		fg_must(ctx, fg_correlation_method_parse(ctx, word.bytes, word.size, &c->method));
	if (fg_option_word(options, "combine", &word))
		fg_must(ctx, fg_combination_parse(ctx, word.bytes, word.size, &c->combine));
}

/* A span of time as PostgreSQL reads it; a month counts as 30 days. */
static double
seconds_of(FgSpan text)
{
	Datum		interval = DirectFunctionCall3(interval_in,
											   CStringGetDatum(pnstrdup(text.bytes, text.size)),
											   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	Interval   *span = DatumGetIntervalP(interval);

	return span->time / (double) USECS_PER_SEC + (span->day + 30.0 * span->month) * 86400;
}

static void
read_ages(FgContext *ctx, Jsonb *ages, FgExpansionOptions *e)
{
	size_t		count = JB_ROOT_COUNT(ages);
	FgAge	   *list = fg_alloc(ctx, count, sizeof(FgAge));
	JsonbIterator *iterator = JsonbIteratorInit(&ages->root);
	JsonbIteratorToken token;
	JsonbValue	key;

	e->ages = list;
	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		FgAge	   *age = &list[e->nages];

		CHECK_FOR_INTERRUPTS();
		if (token != WJB_KEY)
			continue;
		age->frame = pnstrdup(key.val.string.val, key.val.string.len);
		age->length = (size_t) key.val.string.len;
		if (fg_option_double(ages, age->frame, &age->seconds))
			e->nages++;
	}
}

static void
read_informed(FgContext *ctx, Jsonb *options, FgSearchOptions *o)
{
	FgExpansionOptions *e = &o->expansion;
	Jsonb	   *ages;
	double	   *weights;
	size_t		count;
	FgSpan		word;

	if (fg_option_word(options, "half_life", &word))
		e->half_life = seconds_of(word);
	if (fg_option_object(options, "ages", &ages))
		read_ages(ctx, ages, e);
	fg_option_bool(options, "strip_modes", &o->strip_modes);
	if (!fg_option_doubles(options, "weights", &weights, &count))
		return;
	if (count != lengthof(e->weights))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"weights\" must have 3 numbers, not %zu", count),
				 errhint("They are those of recency, mode shift and depth novelty.")));
	memcpy(e->weights, weights, sizeof(e->weights));
}

FgSearchOptions
fg_search_options(FgContext *ctx, FunctionCallInfo fcinfo, int argument, const char *function)
{
	static const char *const keys[] = {
		"max_depth", "max_breadth", "threshold", "window_size", "metric", "poisson_unit", "min_std",
		"zero_std", "measure", "keep_stem", "stop_at_equal", "min_profiles", "missing", "method",
		"combine", "half_life", "weights", "ages", "strip_modes", "variance"
	};
	FgSearchOptions o = {
		.expansion = FG_DEFAULT_EXPANSION,
		.window_size = 10,
		.metric = FG_METRIC_TOTAL,
		.strip_modes = true
	};

	if (!PG_ARGISNULL(argument))
	{
		Jsonb	   *options = PG_GETARG_JSONB_P(argument);

		fg_options_check(options, function, keys, lengthof(keys));
		read_scoring(ctx, options, &o);
		read_search(ctx, options, &o.expansion);
		read_correlation(ctx, options, &o.expansion.correlation);
		read_informed(ctx, options, &o);
	}
	fg_must(ctx, fg_expansion_check(ctx, &o.expansion));
	return o;
}

/* --- profiles --------------------------------------------------------------------------- */

/* The sum of the noise of a window, or NULL. */
static const FgTree *
noise_of_window(FgContext *ctx, const FgProfiles *history, size_t start, FgAccumulator *sum)
{
	const FgTree *total;
	FgTree		tree;

	if (history == NULL)
		return NULL;
	for (size_t i = start; i < history->count; i++)
	{
		fg_must(ctx, history->read(ctx, history->arg, i, &tree));
		fg_must(ctx, fg_noise_check(ctx, &tree) && fg_accumulator_add(sum, &tree));
	}
	total = fg_accumulator_total(sum);
	fg_must(ctx, total != NULL);
	return total;
}

static void
read_noise(FgContext *ctx, const FgNoise *noise, size_t start, const FgVicinity *vicinity,
		   FgForest *forest)
{
	FgAccumulator sum;
	const FgTree *before;

	if (noise == NULL)
		return;
	if (noise->current != NULL)
		fg_must(ctx, fg_noise_check(ctx, noise->current));
	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_SUM);
	before = noise_of_window(ctx, noise->history, start, &sum);
	fg_must(ctx, fg_forest_add_noise(forest, before, noise->current, vicinity));
	fg_accumulator_free(&sum);
}

void
fg_read_history(FgContext *ctx, const FgProfiles *history, Datum current, const FgNoise *noise,
				const FgSearchOptions *options, const FgVicinity *vicinity, FgForest *forest)
{
	FgTree		tree;
	size_t		start;

	/* functions lend each other their variance: all of them */
	if (options->expansion.scoring.moderated)
		vicinity = NULL;
	fg_must(ctx, fg_noise_fits(ctx, history, noise) &&
			fg_history_start(ctx, history->count, options->window_size, &start));
	fg_must(ctx, fg_forest_begin(ctx, options->metric, options->strip_modes, forest));
	for (size_t i = start; i < history->count; i++)
	{
		fg_must(ctx, history->read(ctx, history->arg, i, &tree));
		fg_must(ctx, fg_forest_add(forest, &tree, vicinity));
		fg_tree_free(ctx, &tree);
	}
	fg_datum_tree_owned(ctx, current, &tree);
	fg_must(ctx, fg_forest_add(forest, &tree, vicinity));
	fg_tree_free(ctx, &tree);
	read_noise(ctx, noise, start, vicinity, forest);
	fg_must(ctx, fg_forest_end(forest));
}
