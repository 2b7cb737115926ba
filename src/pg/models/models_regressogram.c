/*
 * models_regressogram.c
 *	  regressogram(), and regressograms as models.
 */
#include "pg/models/models_fitting.h"

#include <math.h>

#include "core/models/regressogram.h"
#include "pg/base/options.h"
#include "pg/base/rows.h"

typedef struct Request
{
	int64		buckets;		/* FG_NOT_GIVEN: by the rule */
	FgBucketRule rule;
	FgBucketStatistic statistic;
} Request;

static void
set_rule(FgContext *ctx, Request *request, FgSpan word)
{
	fg_model_must(ctx, fg_bucket_rule_parse(ctx, word.bytes, word.size, &request->rule));
}

static void
set_statistic(FgContext *ctx, Request *request, FgSpan word)
{
	fg_model_must(ctx, fg_bucket_statistic_parse(ctx, word.bytes, word.size,
												 &request->statistic));
}

static FgRegressogram
make(FgContext *ctx, const FgSample *sample, const Request *request)
{
	FgRegressogram result;

	fg_model_must(ctx, fg_regressogram(ctx, sample->x, sample->y, sample->n, request->buckets,
									   request->rule, request->statistic, &result));
	return result;
}

bool
fg_fit_regressogram(FgContext *ctx, FgSample *sample, Jsonb *options, FgModel *model)
{
	static const char *const keys[] = {"buckets", "rule", "statistic"};
	Request		request = {FG_NOT_GIVEN, FG_BUCKETS_DOANE, FG_BUCKET_MEAN};
	FgRegressogram result;
	FgSpan		word;
	int32		buckets;

	fg_options_check(options, "regressogram", keys, lengthof(keys));
	if (fg_option_int(options, "buckets", &buckets))
		request.buckets = buckets;
	if (fg_option_word(options, "rule", &word))
		set_rule(ctx, &request, word);
	if (fg_option_word(options, "statistic", &word))
		set_statistic(ctx, &request, word);
	result = make(ctx, sample, &request);
	if (result.buckets == 0)
		return false;
	*model = fg_new_model(FG_MODEL_REGRESSOGRAM, sample->n);
	model->x_start = result.x_start;
	model->x_end = result.x_end;
	model->y_start = result.y_start;
	model->r_square = result.r_square;
	model->rows = result.buckets;
	model->column[0] = result.edge;
	model->column[1] = fg_alloc(ctx, result.buckets, sizeof(double));
	for (uint32_t i = 0; i < result.buckets; i++)
		model->column[1][i] = (double) result.points[i];
	model->column[2] = result.value;
	fg_set_parameters(model, psprintf("{\"rule\": \"%s\", \"statistic\": \"%s\"}",
									  request.buckets != FG_NOT_GIVEN ? "user"
									  : fg_bucket_rule_word(request.rule),
									  fg_bucket_statistic_word(request.statistic)));
	return true;
}

PG_FUNCTION_INFO_V1(models_regressogram);
Datum
models_regressogram(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	Request		request = {FG_NOT_GIVEN, FG_BUCKETS_DOANE, FG_BUCKET_MEAN};
	FgRegressogram result;
	FgSample	sample;

	if (!PG_ARGISNULL(2))
		request.buckets = PG_GETARG_INT32(2);
	if (!PG_ARGISNULL(3))
		set_rule(&ctx, &request, PG_GETARG_SPAN(3));
	if (!PG_ARGISNULL(4))
		set_statistic(&ctx, &request, PG_GETARG_SPAN(4));
	sample = fg_sample_arguments(&ctx, fcinfo, 0, 1);
	result = make(&ctx, &sample, &request);
	for (uint32_t i = 0; i < result.buckets; i++)
	{
		Datum		values[5];
		bool		nulls[5] = {false};

		fg_rows_begin_row(&rows);
		values[0] = Int32GetDatum((int32) i);
		values[1] = Float8GetDatum(result.edge[i]);
		values[2] = Float8GetDatum(result.edge[i + 1]);
		values[3] = Int32GetDatum((int32) result.points[i]);
		nulls[4] = isnan(result.value[i]);
		values[4] = Float8GetDatum(result.value[i]);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}
