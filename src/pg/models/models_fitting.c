/*
 * models_fitting.c
 *	  fit(), the final functions of the aggregates over points, and parametric_models().
 */
#include "pg/models/models_fitting.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "core/models/parametric.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/options.h"
#include "pg/base/rows.h"

FgModel
fg_new_model(int kind, uint64_t n)
{
	return (FgModel) {
		.kind = kind,
		.n = n,
		.x_start = NAN,
		.x_end = NAN,
		.r_square = NAN,
		.r_square_y = NAN,
		.y_start = NAN
	};
}

void
fg_set_parameters(FgModel *model, const char *json)
{
	Jsonb	   *canonical = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
	StringInfoData text;

	initStringInfo(&text);
	JsonbToCString(&text, &canonical->root, VARSIZE(canonical));
	model->parameters = text.data;
	model->parameters_size = (size_t) text.len;
}

void
fg_add_fitted(FgRows *rows, const FgSample *sample, const double *fitted)
{
	for (size_t i = 0; i < sample->n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false};

		fg_rows_begin_row(rows);
		values[0] = Float8GetDatum(sample->x[i]);
		values[1] = sample->y != NULL ? Float8GetDatum(sample->y[i]) : (Datum) 0;
		nulls[1] = sample->y == NULL;
		values[2] = fg_number_or_null(fitted[i], &nulls[2]);
		fg_rows_end_row(rows, values, nulls);
	}
}

static Jsonb *
no_options(void)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
}

/* --- parametric models ----------------------------------------------------------------- */

FgModel
fg_formula_model(const FgParametric *fitted)
{
	FgModel		model = fg_new_model(fitted->formula, fitted->n_used);

	model.x_start = fitted->x_start;
	model.x_end = fitted->x_end;
	model.r_square = fitted->r_square;
	model.r_square_y = fitted->r_square_y;
	model.rows = fitted->nb;
	model.column[0] = palloc(3 * sizeof(double));
	memcpy(model.column[0], fitted->b, 3 * sizeof(double));
	fg_set_parameters(&model, "{}");
	return model;
}

static unsigned
formula_bit(FgContext *ctx, FgSpan word)
{
	FgFormula	formula;

	fg_model_must(ctx, fg_formula_parse(ctx, word.bytes, word.size, &formula));
	return FG_FORMULA_BIT(formula);
}

/* The best of the wanted formulas on all points. */
static bool
best_formula(FgContext *ctx, const FgSample *sample, unsigned wanted, FgModel *model)
{
	FgParametric models[FG_FORMULAS];
	uint32_t	count;
	int			best;

	fg_model_must(ctx, fg_parametric_fit(ctx, sample->x, sample->y, sample->n, wanted, models,
										 &count, &best));
	if (best < 0)
		return false;
	*model = fg_formula_model(&models[best]);
	return true;
}

static bool
fit_parametric_regression(FgContext *ctx, FgSample *sample, Jsonb *options, FgModel *model)
{
	static const char *const keys[] = {"models", "method"};
	static const char *const methods[] = {"full", "interval", "bisection"};
	unsigned	wanted = FG_ALL_FORMULAS;
	FgSpan	   *words;
	FgSpan		method;
	size_t		count;

	fg_options_check(options, "parametric_regression", keys, lengthof(keys));
	if (fg_option_word(options, "method", &method) && fg_word(method, "method", methods, 3) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%.*s\" gives more than one model", (int) method.size,
						method.bytes),
				 errhint("parametric_models() returns them as rows.")));
	if (fg_option_words(options, "models", &words, &count))
	{
		wanted = 0;
		for (size_t i = 0; i < count; i++)
			wanted |= formula_bit(ctx, words[i]);
	}
	return best_formula(ctx, sample, wanted, model);
}

/* --- by name ------------------------------------------------------------------------------ */

/* A model of one of four kinds, or a formula alone; "options" may be NULL for none. */
static bool
fit_named(FgContext *ctx, FgSample *sample, FgSpan name, Jsonb *options, FgModel *model)
{
	static const char *const words[] = {
		"moving_average", "regressogram", "kernel_regression", "parametric_regression",
		"constant", "logarithmic", "linear", "quadratic", "power", "exponential"
	};
	static const FgFit fits[] = {
		fg_fit_moving_average, fg_fit_regressogram, fg_fit_kernel_regression,
		fit_parametric_regression
	};
	int			word = fg_word(name, "model", words, lengthof(words));

	if (options == NULL)
		options = no_options();
	if (word < (int) lengthof(fits))
		return fits[word] (ctx, sample, options, model);
	fg_options_check(options, words[word], NULL, 0);
	return best_formula(ctx, sample, formula_bit(ctx, name), model);
}

PG_FUNCTION_INFO_V1(models_fit);
Datum
models_fit(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgSample	sample;
	FgModel		model;

	if (PG_ARGISNULL(2))
		PG_RETURN_NULL();
	sample = fg_sample_arguments(&ctx, fcinfo, 0, 1);
	if (!fit_named(&ctx, &sample, PG_GETARG_SPAN(2),
					  PG_ARGISNULL(3) ? NULL : PG_GETARG_JSONB_P(3), &model))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(fg_model_datum(&ctx, &model));
}

/* --- aggregates ---------------------------------------------------------------------------- */

static Datum
fit_state(FunctionCallInfo fcinfo, FgFit fit)
{
	FgContext	ctx = fg_current_context();
	FgSample	sample;
	Jsonb	   *options;
	FgModel		model;

	if (!fg_sample_state(&ctx, fcinfo, &sample, &options) || !fit(&ctx, &sample, options, &model))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(fg_model_datum(&ctx, &model));
}

PG_FUNCTION_INFO_V1(perfmodel_moving_average);
Datum
perfmodel_moving_average(PG_FUNCTION_ARGS)
{
	return fit_state(fcinfo, fg_fit_moving_average);
}

PG_FUNCTION_INFO_V1(perfmodel_regressogram);
Datum
perfmodel_regressogram(PG_FUNCTION_ARGS)
{
	return fit_state(fcinfo, fg_fit_regressogram);
}

PG_FUNCTION_INFO_V1(perfmodel_kernel_regression);
Datum
perfmodel_kernel_regression(PG_FUNCTION_ARGS)
{
	return fit_state(fcinfo, fg_fit_kernel_regression);
}

PG_FUNCTION_INFO_V1(perfmodel_parametric_regression);
Datum
perfmodel_parametric_regression(PG_FUNCTION_ARGS)
{
	return fit_state(fcinfo, fit_parametric_regression);
}

/* --- parametric_models ------------------------------------------------------------------------ */

static unsigned
wanted_formulas(FgContext *ctx, FunctionCallInfo fcinfo, int argument)
{
	unsigned	wanted = 0;
	int			count;
	FgSpan	   *words = fg_words_argument(fcinfo, argument, "models", &count);

	if (PG_ARGISNULL(argument))
		return FG_ALL_FORMULAS;
	for (int i = 0; i < count; i++)
		wanted |= formula_bit(ctx, words[i]);
	return wanted;
}

static Datum
coefficient_array(const double *b, uint32_t count)
{
	Datum		elements[3];

	for (uint32_t i = 0; i < count; i++)
		elements[i] = Float8GetDatum(b[i]);
	return PointerGetDatum(construct_array(elements, (int) count, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
add_parametric(FgRows *rows, FgContext *ctx, const FgParametric *fitted)
{
	FgModel		model;
	Datum		values[9];
	bool		nulls[9] = {false};

	fg_rows_begin_row(rows);
	model = fg_formula_model(fitted);
	values[0] = fg_model_datum(ctx, &model);
	values[1] = CStringGetTextDatum(fg_formula_word(fitted->formula));
	values[2] = coefficient_array(fitted->b, fitted->nb);
	values[3] = Float8GetDatum(fitted->r_square);
	nulls[4] = isnan(fitted->r_square_y);
	values[4] = Float8GetDatum(fitted->r_square_y);
	values[5] = Int32GetDatum((int32) fitted->n_used);
	values[6] = Float8GetDatum(fitted->x_start);
	values[7] = Float8GetDatum(fitted->x_end);
	values[8] = BoolGetDatum(fitted->best);
	fg_rows_end_row(rows, values, nulls);
}

PG_FUNCTION_INFO_V1(models_parametric);
Datum
models_parametric(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"full", "interval", "bisection"};
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	unsigned	wanted = wanted_formulas(&ctx, fcinfo, 2);
	int			method = PG_ARGISNULL(3) ? 0 : fg_word(PG_GETARG_SPAN(3), "method", methods, 3);
	int64		steps = PG_ARGISNULL(4) ? 3 : PG_GETARG_INT32(4);
	FgSample	sample = fg_sample_arguments(&ctx, fcinfo, 0, 1);
	FgParametric all[FG_FORMULAS];
	FgParametric *models = all;
	size_t		count = 0;
	uint32_t	found = 0;
	int			best;

	if (method == 0)
	{
		fg_model_must(&ctx, fg_parametric_fit(&ctx, sample.x, sample.y, sample.n, wanted, all,
											  &found, &best));
		count = found;
	}
	else if (method == 1)
		fg_model_must(&ctx, fg_parametric_interval(&ctx, sample.x, sample.y, sample.n, steps,
												   wanted, &models, &count));
	else
		fg_model_must(&ctx, fg_parametric_bisection(&ctx, sample.x, sample.y, sample.n, wanted,
													&models, &count));
	for (size_t i = 0; i < count; i++)
		add_parametric(&rows, &ctx, &models[i]);
	return (Datum) 0;
}
