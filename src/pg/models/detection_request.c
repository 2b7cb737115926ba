/*
 * detection_request.c
 *	  Arguments of detect_changes() (see detection_request.h).
 */
#include "pg/models/detection_request.h"

#include <math.h>

#include "utils/fmgrprotos.h"

#include "core/models/parametric.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/options.h"
#include "pg/models/detection.h"

static const FgDetectionStrategy strategies[] = {
	{"best-model", true, true, true, false},
	{"best-param", true, true, false, false},
	{"best-nonparam", true, false, true, false},
	{"all-param", false, true, false, false},
	{"all-nonparam", false, false, true, false},
	{"all-models", false, true, true, false},
	{"best-both", true, true, true, true}
};

static const char *const method_words[FG_DETECTION_METHODS] = {
	"integral", "local_statistics", "average_amount", "best_model_order", "model_difference"
};

const char *
fg_detection_method_word(FgDetectionMethod method)
{
	return method_words[method];
}

static void
add_smoother(FgDetectionRequest *request, int smoother)
{
	for (int i = 0; i < request->nsmoothers; i++)
	{
		if (request->smoother[i] == smoother)
			return;
	}
	request->smoother[request->nsmoothers++] = smoother;
}

static void
add_model(FgDetectionRequest *request, FgSpan word)
{
	static const char *const words[] = {
		"constant", "logarithmic", "linear", "quadratic", "power", "exponential",
		"regressogram", "moving_average", "kernel_regression", "parametric_regression"
	};
	int			model = fg_word(word, "model", words, lengthof(words));

	if (model < FG_FORMULAS)
		request->formulas |= FG_FORMULA_BIT(model);
	else if (model < FG_FORMULAS + FG_SMOOTHERS)
		add_smoother(request, model - FG_FORMULAS);
	else
		request->formulas = FG_ALL_FORMULAS;
}

/* Formulas cost little and give the severity: without any of its own a request has all. */
static void
set_models(FunctionCallInfo fcinfo, int argument, FgDetectionRequest *request)
{
	int			count;
	FgSpan	   *words = fg_words_argument(fcinfo, argument, "models", &count);

	for (int i = 0; i < count; i++)
		add_model(request, words[i]);
	if (PG_ARGISNULL(argument))
	{
		for (int i = 0; i < FG_SMOOTHERS; i++)
			add_smoother(request, i);
	}
	if (request->strategy->nonparametric && !request->strategy->parametric &&
		request->nsmoothers == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("strategy %s compares none of the models", request->strategy->word),
				 errhint("Choose all-param or best-param, or name regressogram, moving_average "
						 "or kernel_regression.")));
	if (request->formulas == 0)
		request->formulas = FG_ALL_FORMULAS;
}

static void
set_methods(FunctionCallInfo fcinfo, int argument, FgDetectionRequest *request)
{
	int			count;
	FgSpan	   *words = fg_words_argument(fcinfo, argument, "methods", &count);

	if (PG_ARGISNULL(argument))
	{
		request->method[request->nmethods++] = FG_INTEGRAL;
		request->method[request->nmethods++] = FG_LOCAL_STATISTICS;
	}
	for (int i = 0; i < count; i++)
	{
		FgDetectionMethod method = (FgDetectionMethod)
			fg_word(words[i], "method", method_words, FG_DETECTION_METHODS);
		bool		known = false;

		for (int k = 0; k < request->nmethods; k++)
			known = known || request->method[k] == method;
		if (!known)
			request->method[request->nmethods++] = method;
		if (method == FG_MODEL_DIFFERENCE_METHOD && !request->strategy->parametric)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("method model_difference compares parametric models only"),
					 errhint("Choose strategy all-param, best-param, best-both or all-models.")));
	}
}

static const FgDetectionStrategy *
find_strategy(FgSpan word)
{
	const char *words[lengthof(strategies)];

	for (size_t i = 0; i < lengthof(strategies); i++)
		words[i] = strategies[i].word;
	return &strategies[fg_word(word, "strategy", words, lengthof(strategies))];
}

static Jsonb *
empty_object(void)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
}

static void
set_options(FgContext *ctx, Jsonb *options, FgDetectionRequest *request)
{
	static const char *const keys[] = {
		"regressogram", "moving_average", "kernel_regression",
		"no_change", "change", "samples", "density", "min_points"
	};
	FgLocalStatistics none;
	int32		number;

	request->local = FG_DEFAULT_LOCAL_OPTIONS;
	request->samples = FG_DEFAULT_SAMPLES;
	if (options == NULL)
		options = empty_object();
	fg_options_check(options, "detect_changes", keys, lengthof(keys));
	for (int i = 0; i < FG_SMOOTHERS; i++)
	{
		if (!fg_option_object(options, keys[i], &request->options[i]))
			request->options[i] = empty_object();
	}
	fg_option_double(options, "no_change", &request->local.thresholds.no_change);
	fg_option_double(options, "change", &request->local.thresholds.change);
	fg_option_double(options, "density", &request->local.density);
	if (fg_option_int(options, "samples", &number))
		request->samples = number;
	if (fg_option_int(options, "min_points", &number))
		request->local.min_points = number;
	/* no point, but all of the checks */
	fg_model_must(ctx, fg_parts_check(ctx, "samples", request->samples, 2) &&
				  fg_local_statistics_points(ctx, NULL, NULL, NULL, 0, &request->local, &none));
}

/* The fits check their options even without points. */
const FgFit fg_smoothers[FG_SMOOTHERS] = {
	fg_fit_regressogram, fg_fit_moving_average, fg_fit_kernel_regression
};

static void
check_smoothers(FgContext *ctx, FgDetectionRequest *request)
{
	double		none;
	FgSample	empty = {&none, &none, 0};
	FgModel		model;

	for (int i = 0; i < FG_SMOOTHERS; i++)
		fg_smoothers[i] (ctx, &empty, request->options[i], &model);
}

FgDetectionRequest
fg_detection_request(FgContext *ctx, FunctionCallInfo fcinfo)
{
	FgDetectionRequest request = {0};

	request.strategy = PG_ARGISNULL(6) ? find_strategy((FgSpan) {"all-nonparam", 12})
		: find_strategy(PG_GETARG_SPAN(6));
	set_models(fcinfo, 4, &request);
	set_methods(fcinfo, 5, &request);
	request.min_confidence = PG_ARGISNULL(7) ? 0.15 : PG_GETARG_FLOAT8(7);
	if (isnan(request.min_confidence))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_confidence is not a number")));
	set_options(ctx, PG_ARGISNULL(8) ? NULL : PG_GETARG_JSONB_P(8), &request);
	check_smoothers(ctx, &request);
	return request;
}

