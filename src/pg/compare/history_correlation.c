/*
 * history_correlation.c
 *	  frame_correlation() and correlation_points(): functions whose cost follows that of
 *	  the runs (core/compare/correlation.h).
 */
#include "pg/compare/benchmarks.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/base/order.h"
#include "core/profile/path.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/rows.h"

/* --- arguments ------------------------------------------------------------------------- */

pg_noreturn static void
throw_lengths(size_t profiles, const char *other, size_t count)
{
	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("profiles has %zu elements, %s has %zu", profiles, other, count),
			 errhint("The arrays belong together, element by element.")));
}

/* benchmark[i] of each profile. */
static uint32_t *
number_benchmarks(FgContext *ctx, FunctionCallInfo fcinfo, int argument, size_t profiles,
				  FgFrames *names)
{
	uint32_t   *number = fg_alloc_zero(ctx, profiles, sizeof(uint32_t));
	FgSpan	   *words;
	int			count;

	if (PG_ARGISNULL(argument))
		return number;
	words = fg_words_argument(fcinfo, argument, "benchmark_of", &count);
	if ((size_t) count != profiles)
		throw_lengths(profiles, "benchmark_of", (size_t) count);
	*names = fg_text_set(ctx, PG_GETARG_DATUM(argument), "a benchmark of the array is null");
	for (size_t i = 0; i < profiles; i++)
		number[i] = fg_frames_find(names, words[i].bytes, words[i].size);
	return number;
}

FgBenchmarks
fg_benchmarks_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int profiles, int metric,
						int benchmark_of)
{
	FgBenchmarks b = {.profiles = fg_profiles_argument(fcinfo, profiles, "profiles")};
	size_t		count;
	double	   *metrics = fg_doubles_or_nan(fcinfo, metric, &count);
	uint32_t   *number;

	if (count != b.profiles.count)
		throw_lengths(b.profiles.count, "metric", count);
	number = number_benchmarks(ctx, fcinfo, benchmark_of, count, &b.names);
	fg_must(ctx, fg_runs_begin(ctx, number, PG_ARGISNULL(benchmark_of) ? 1 : b.names.count, metrics,
							   count, &b.runs));
	return b;
}

FgCorrelationOptions
fg_correlation_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int method, int min_profiles,
						 int missing, int combine)
{
	FgCorrelationOptions options = FG_DEFAULT_CORRELATION;
	FgSpan		word = fg_required_word(fcinfo, missing, "missing");

	fg_must(ctx, fg_missing_parse(ctx, word.bytes, word.size, &options.missing_zero));
	if (method < 0)
		return options;
	word = fg_required_word(fcinfo, method, "method");
	fg_must(ctx, fg_correlation_method_parse(ctx, word.bytes, word.size, &options.method));
	word = fg_required_word(fcinfo, combine, "combine");
	fg_must(ctx, fg_combination_parse(ctx, word.bytes, word.size, &options.combine));
	options.min_profiles = fg_required_int(fcinfo, min_profiles, "min_profiles");
	fg_must(ctx, fg_correlation_check(ctx, &options));
	return options;
}

static bool
is_word(FgSpan word, const char *name)
{
	return word.size == strlen(name) && memcmp(word.bytes, name, word.size) == 0;
}

uint32_t
fg_correlation_level(FunctionCallInfo fcinfo, int argument)
{
	FgContext	ctx = fg_current_context();
	FgSpan		word = fg_required_word(fcinfo, argument, "level");
	uint32_t	metric;

	if (is_word(word, "frame"))
		return FG_METRIC_TOTAL;
	if (is_word(word, "node"))
		return FG_METRIC_NODE;
	if (!fg_metric_parse(&ctx, word.bytes, word.size, &metric))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized level \"%.*s\"",
						pg_mbcliplen(word.bytes, (int) Min(word.size, 100), 100), word.bytes),
				 errhint("Available: self, frame, total, node, potential:N, with N from 0 to 65535.")));
	return metric;
}

/* --- names ------------------------------------------------------------------------------- */

/* A function's name, or the text of a context's path. */
static Datum
name_datum(FgContext *ctx, const FgObservations *all, uint32_t number)
{
	const FgFrames *names = &all->frames;
	FgBuffer	text = {.ctx = ctx};
	Datum		datum;

	if (all->metric != FG_METRIC_NODE)
		return fg_frame_datum(names, number);
	fg_must(ctx, fg_path_print(&text, fg_frame_bytes(names, number), fg_frame_length(names, number)));
	datum = PointerGetDatum(fg_varlena(text.data, text.size));
	fg_release(ctx, text.data);
	return datum;
}

uint32_t
fg_observed_name(FgContext *ctx, const FgObservations *all, FgSpan name)
{
	FgBuffer	path = {.ctx = ctx};

	if (all->metric != FG_METRIC_NODE)
		return fg_frames_find(&all->frames, name.bytes, name.size);
	fg_must(ctx, fg_path_parse(&path, name.bytes, name.size, 1));
	return fg_frames_find(&all->frames, (const char *) path.data, path.size);
}

/* --- frame_correlation --------------------------------------------------------------------- */

typedef enum Sign
{
	SIGN_POSITIVE,
	SIGN_NEGATIVE,
	SIGN_BOTH
} Sign;

static bool
has_sign(double score, Sign sign)
{
	if (isnan(score))
		return false;			/* in no benchmark often enough */
	return sign == SIGN_BOTH || (sign == SIGN_POSITIVE ? score > 0 : score < 0);
}

static void
correlation_rows(FgRows *rows, FgContext *ctx, const FgObservations *all,
				 const FgCorrelationScore *scores, Sign sign)
{
	uint32_t	count = all->frames.count;
	double	   *value = fg_alloc(ctx, count, sizeof(double));
	uint32_t   *order = fg_alloc(ctx, count, sizeof(uint32_t));

	/* the strongest first; of both signs in descending order */
	for (uint32_t f = 0; f < count; f++)
	{
		fg_must(ctx, fg_check_every(ctx, f));
		value[f] = sign == SIGN_NEGATIVE ? -scores[f].score : scores[f].score;
	}
	fg_must(ctx, fg_order_descending(ctx, value, count, order));
	for (uint32_t i = 0; i < count; i++)
	{
		const FgCorrelationScore *score = &scores[order[i]];
		Datum		values[4];
		bool		nulls[4] = {false};

		fg_must(ctx, fg_check_every(ctx, i));
		if (!has_sign(score->score, sign))
			continue;
		fg_rows_begin_row(rows);
		values[0] = name_datum(ctx, all, order[i]);
		values[1] = Float8GetDatum(score->score);
		values[2] = Int32GetDatum((int32) score->benchmarks);
		values[3] = Int32GetDatum((int32) score->n);
		fg_rows_end_row(rows, values, nulls);
	}
}

PG_FUNCTION_INFO_V1(flamegraph_frame_correlation);
Datum
flamegraph_frame_correlation(PG_FUNCTION_ARGS)
{
	static const char *const signs[] = {"positive", "negative", "both"};
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	uint32_t	metric = fg_correlation_level(fcinfo, 3);
	FgCorrelationOptions options = fg_correlation_arguments(&ctx, fcinfo, 4, 5, 6, 7);
	Sign		sign = (Sign) fg_word_argument(fcinfo, 8, "sign", signs, lengthof(signs));
	FgBenchmarks b = fg_benchmarks_arguments(&ctx, fcinfo, 0, 1, 2);
	FgCorrelationScore *scores;
	FgObservations all;

	fg_must(&ctx, fg_runs_observe(&ctx, &b.runs, &b.profiles, metric, &all));
	scores = fg_alloc(&ctx, all.frames.count, sizeof(FgCorrelationScore));
	for (uint32_t f = 0; f < all.frames.count; f++)
	{
		CHECK_FOR_INTERRUPTS();
		fg_must(&ctx, fg_correlate(&b.runs, &options, all.list + all.first[f],
								   all.first[f + 1] - all.first[f], &scores[f]));
	}
	correlation_rows(&rows, &ctx, &all, scores, sign);
	return (Datum) 0;
}

/* --- correlation_points ------------------------------------------------------------------------ */

static Datum
doubles_datum(const double *values, size_t count)
{
	Datum	   *elements = palloc((count + 1) * sizeof(Datum));

	for (size_t i = 0; i < count; i++)
		elements[i] = Float8GetDatum(values[i]);
	return PointerGetDatum(construct_array(elements, (int) count, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* The points of one benchmark; none when the function never occurs in it. */
static void
points_row(FgRows *rows, FgContext *ctx, FgBenchmarks *b, uint32_t benchmark, bool missing_zero,
		   const FgObservation *list, size_t count)
{
	size_t		n = fg_runs_pairs(&b->runs, benchmark, missing_zero, list, count);
	double		coefficient = NAN;
	Datum		values[5];
	bool		nulls[5] = {false};

	if (n == 0)
		return;
	if (n >= 2)
		fg_must(ctx, fg_correlation(ctx, b->runs.x, b->runs.y, n, FG_PEARSON, &coefficient));
	fg_rows_begin_row(rows);
	nulls[0] = b->names.count == 0;
	if (!nulls[0])
		values[0] = fg_frame_datum(&b->names, benchmark);
	values[1] = Int32GetDatum((int32) n);
	values[2] = fg_number_or_null(coefficient, &nulls[2]);
	values[3] = doubles_datum(b->runs.x, n);
	values[4] = doubles_datum(b->runs.y, n);
	fg_rows_end_row(rows, values, nulls);
}

PG_FUNCTION_INFO_V1(flamegraph_correlation_points);
Datum
flamegraph_correlation_points(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	uint32_t	metric = fg_correlation_level(fcinfo, 4);
	FgCorrelationOptions options = fg_correlation_arguments(&ctx, fcinfo, -1, -1, 5, -1);
	FgBenchmarks b = fg_benchmarks_arguments(&ctx, fcinfo, 0, 1, 3);
	FgObservations all;
	const FgObservation *list;
	uint32_t	frame;
	size_t		at;
	size_t		end;

	if (PG_ARGISNULL(2))
		return (Datum) 0;
	fg_must(&ctx, fg_runs_observe(&ctx, &b.runs, &b.profiles, metric, &all));
	frame = fg_observed_name(&ctx, &all, PG_GETARG_SPAN(2));
	if (frame == FG_NONE)
		return (Datum) 0;
	list = all.list;
	at = all.first[frame];
	for (uint32_t i = 0; i < b.runs.benchmarks; i++, at = end)
	{
		for (end = at; end < all.first[frame + 1] && list[end].profile < b.runs.first[i + 1];)
			end++;
		points_row(&rows, &ctx, &b, i, options.missing_zero, list + at, end - at);
	}
	return (Datum) 0;
}
