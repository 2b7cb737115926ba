/*
 * models_kernel_regression.c
 *	  kernel_regression(), kernel regressions as models, kernel_value() and
 *	  bandwidth_objective().
 */
#include "pg/models/models_fitting.h"

#include <math.h>

#include "core/base/series.h"
#include "core/models/kernel_regression.h"
#include "pg/base/arrays.h"
#include "pg/base/options.h"
#include "pg/base/rows.h"

/* Arguments before they are complete: a bandwidth that is given wins over the rule. */
typedef struct Request
{
	FgKernelOptions options;
	FgEstimator estimator;
	int32		order;
	double	   *at;				/* NULL: at the points */
	size_t		nat;
} Request;

static Request
new_request(void)
{
	return (Request) {
		.options = {.kernel = FG_EPANECHNIKOV, .rule = FG_BANDWIDTH_SCOTT},
		.estimator = FG_NADARAYA_WATSON,
		.order = 3
	};
}

static void
set_kernel(FgContext *ctx, Request *request, FgSpan word)
{
	fg_model_must(ctx, fg_kernel_parse(ctx, word.bytes, word.size, &request->options.kernel));
}

static void
set_rule(FgContext *ctx, Request *request, FgSpan word)
{
	fg_model_must(ctx, fg_bandwidth_rule_parse(ctx, word.bytes, word.size,
											   &request->options.rule));
}

static void
set_estimator(FgContext *ctx, Request *request, FgSpan word)
{
	fg_model_must(ctx, fg_estimator_parse(ctx, word.bytes, word.size, &request->estimator));
}

static void
set_bandwidth(Request *request, double bandwidth)
{
	request->options.rule = FG_BANDWIDTH_GIVEN;
	request->options.bandwidth = bandwidth;
}

/* Checks what can be checked without data. */
static void
complete(FgContext *ctx, Request *request)
{
	fg_model_must(ctx, fg_estimator_degree(ctx, request->estimator, request->order,
										   &request->options.degree));
	fg_model_must(ctx, fg_kernel_options_check(ctx, &request->options));
	if (request->at != NULL)
		fg_model_must(ctx, fg_series_check(ctx, request->at, request->nat));
}

/* --- as a model ------------------------------------------------------------------------ */

static Request
read_request(FgContext *ctx, Jsonb *options)
{
	static const char *const keys[] = {
		"kernel", "bandwidth", "rule", "method", "degree", "at_x", "candidates"
	};
	Request		request = new_request();
	double	   *candidates;
	double		bandwidth;
	FgSpan		word;

	fg_options_check(options, "kernel_regression", keys, lengthof(keys));
	if (fg_option_word(options, "kernel", &word))
		set_kernel(ctx, &request, word);
	if (fg_option_word(options, "rule", &word))
		set_rule(ctx, &request, word);
	if (fg_option_word(options, "method", &word))
		set_estimator(ctx, &request, word);
	fg_option_int(options, "degree", &request.order);
	if (fg_option_double(options, "bandwidth", &bandwidth))
		set_bandwidth(&request, bandwidth);
	if (fg_option_doubles(options, "candidates", &candidates, &request.options.ncandidates))
		request.options.candidates = candidates;
	fg_option_doubles(options, "at_x", &request.at, &request.nat);
	complete(ctx, &request);
	return request;
}

static void
set_parameters(FgModel *model, const Request *request, const FgKernelFit *fit)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "{\"kernel\": \"%s\", \"method\": \"%s\", \"rule\": \"%s\", \"bandwidth\": ",
					 fg_kernel_word(request->options.kernel),
					 fg_estimator_word(request->estimator),
					 request->options.rule == FG_BANDWIDTH_GIVEN ? "user"
					 : fg_bandwidth_rule_word(request->options.rule));
	fg_append_number(&text, fit->bandwidth);
	appendStringInfoString(&text, ", \"score\": ");
	/* infinite when no candidate has an estimate everywhere, which JSON cannot say */
	fg_append_number(&text, isfinite(fit->score) ? fit->score : NAN);
	if (request->estimator == FG_LOCAL_POLYNOMIAL)
		appendStringInfo(&text, ", \"degree\": %d", request->order);
	appendStringInfoChar(&text, '}');
	fg_set_parameters(model, text.data);
}

/* Where a model of at_x has its points: sorted, without measurements. */
static void
set_points(FgContext *ctx, const FgSample *sample, const Request *request, FgModel *model)
{
	if (request->at == NULL)
	{
		model->rows = sample->n;
		model->column[0] = sample->x;
		model->column[1] = sample->y;
		return;
	}
	model->rows = request->nat;
	model->column[0] = request->at;
	fg_model_must(ctx, fg_sort_values(ctx, request->at, request->nat));
	model->column[1] = fg_alloc(ctx, request->nat, sizeof(double));
	for (size_t i = 0; i < request->nat; i++)
		model->column[1][i] = NAN;
}

bool
fg_fit_kernel_regression(FgContext *ctx, FgSample *sample, Jsonb *options, FgModel *model)
{
	Request		request = read_request(ctx, options);
	FgKernelFit fit;

	if (sample->n == 0)
		return false;
	*model = fg_new_model(FG_MODEL_KERNEL_REGRESSION, sample->n);
	set_points(ctx, sample, &request, model);
	model->column[2] = fg_alloc(ctx, (size_t) model->rows, sizeof(double));
	fg_model_must(ctx, fg_kernel_regression(ctx, &request.options, sample->x, sample->y,
											sample->n, request.at, request.nat,
											model->column[2], &fit));
	model->x_start = fit.x_start;
	model->x_end = fit.x_end;
	model->r_square = fit.r_square;
	set_parameters(model, &request, &fit);
	return true;
}

/* --- as rows ------------------------------------------------------------------------------ */

static Request
arguments(FgContext *ctx, FunctionCallInfo fcinfo)
{
	Request		request = new_request();

	if (!PG_ARGISNULL(2))
		set_kernel(ctx, &request, PG_GETARG_SPAN(2));
	if (!PG_ARGISNULL(4))
		set_rule(ctx, &request, PG_GETARG_SPAN(4));
	if (!PG_ARGISNULL(5))
		set_estimator(ctx, &request, PG_GETARG_SPAN(5));
	if (!PG_ARGISNULL(6))
		request.order = PG_GETARG_INT32(6);
	if (!PG_ARGISNULL(3))
		set_bandwidth(&request, PG_GETARG_FLOAT8(3));
	if (!PG_ARGISNULL(7))
		request.at = fg_doubles_argument(fcinfo, 7, "at_x", &request.nat);
	if (!PG_ARGISNULL(8))
		request.options.candidates = fg_doubles_argument(fcinfo, 8, "candidates",
														 &request.options.ncandidates);
	complete(ctx, &request);
	return request;
}

PG_FUNCTION_INFO_V1(models_kernel_regression);
Datum
models_kernel_regression(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	Request		request = arguments(&ctx, fcinfo);
	FgSample	sample = fg_sample_arguments(&ctx, fcinfo, 0, 1);
	size_t		count = request.at == NULL ? sample.n : request.nat;
	FgKernelFit fit;
	double	   *fitted;

	if (sample.n == 0)
		return (Datum) 0;
	fitted = fg_alloc(&ctx, count, sizeof(double));
	fg_model_must(&ctx, fg_kernel_regression(&ctx, &request.options, sample.x, sample.y, sample.n,
											 request.at, request.nat, fitted, &fit));
	if (request.at != NULL)
		sample = (FgSample) {request.at, NULL, request.nat};
	fg_add_fitted(&rows, &sample, fitted);
	return (Datum) 0;
}

/* --- parts --------------------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(models_kernel_value);
Datum
models_kernel_value(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	Request		request = new_request();
	double		z = PG_GETARG_FLOAT8(1);

	set_kernel(&ctx, &request, PG_GETARG_SPAN(0));
	fg_model_must(&ctx, fg_series_check(&ctx, &z, 1));
	PG_RETURN_FLOAT8(fg_kernel_value(request.options.kernel, z));
}

PG_FUNCTION_INFO_V1(models_bandwidth_objective);
Datum
models_bandwidth_objective(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	Request		request = new_request();
	FgSample	sample;
	FgSmoother	smoother;
	double		objective[2];
	Datum		values[2];
	bool		nulls[2] = {false};

	for (int i = 2; i < 6; i++)
	{
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	}
	set_bandwidth(&request, PG_GETARG_FLOAT8(2));
	set_kernel(&ctx, &request, PG_GETARG_SPAN(3));
	set_estimator(&ctx, &request, PG_GETARG_SPAN(4));
	request.order = PG_GETARG_INT32(5);
	complete(&ctx, &request);
	sample = fg_sample_arguments(&ctx, fcinfo, 0, 1);
	smoother = (FgSmoother) {
		request.options.kernel, request.options.degree, request.options.bandwidth
	};
	fg_model_must(&ctx, fg_bandwidth_objective(&ctx, &smoother, sample.x, sample.y, sample.n,
											   &objective[0], &objective[1]));
	for (int i = 0; i < 2; i++)
		values[i] = fg_number_or_null(objective[i], &nulls[i]);
	return fg_record_datum(fcinfo, values, nulls);
}
