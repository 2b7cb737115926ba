/*
 * plots_models.c
 *	  model_svg(): measurements and the models that were fitted to them.
 */
#include "pg/base/values.h"

#include "utils/fmgrprotos.h"

#include <math.h>

#include "core/base/series.h"
#include "core/models/parametric.h"
#include "core/plots/plot_models.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/models/models_fitting.h"
#include "pg/picture/plots_options.h"

/* The pairs that have both numbers, sorted by x; *missing are the others. */
static FgSample
take_sample(FgContext *ctx, FunctionCallInfo fcinfo, size_t *missing)
{
	FgNumbers	ys = fg_numbers_argument(fcinfo, 1, "ys");
	FgNumbers	xs = fg_numbers_argument(fcinfo, 0, "xs");
	FgSample	sample = {ys.values, ys.values, 0};

	if (xs.values != NULL)
		fg_same_length("ys", ys.count, "xs", xs.count);
	sample.x = palloc_extended((ys.count + 1) * sizeof(double), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < ys.count; i++)
	{
		double		x = xs.values == NULL ? (double) (i + 1) : xs.values[i];

		fg_must(ctx, fg_check_every(ctx, i));
		if (isnan(x) || isnan(ys.values[i]))
			continue;
		sample.x[sample.n] = x;
		sample.y[sample.n++] = ys.values[i];
	}
	*missing = ys.count - sample.n;
	fg_must(ctx, fg_series_sort(ctx, sample.x, sample.y, sample.n));
	return sample;
}

/* The best formula and a regressogram, as far as they exist. */
static size_t
fit_models(FgContext *ctx, FgSample *sample, FgModel *models)
{
	FgParametric fitted[FG_FORMULAS];
	Jsonb	   *none = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
	uint32_t	found;
	int			best;
	size_t		count = 0;

	if (sample->n == 0)
		return 0;
	fg_model_must(ctx, fg_parametric_fit(ctx, sample->x, sample->y, sample->n, FG_ALL_FORMULAS,
										 fitted, &found, &best));
	if (best >= 0)
		models[count++] = fg_formula_model(&fitted[best]);
	count += fg_fit_regressogram(ctx, sample, none, &models[count]);
	return count;
}

static size_t
take_models(FgContext *ctx, FunctionCallInfo fcinfo, FgModel *models)
{
	FgArray		array = fg_array_argument(fcinfo, 2, "a model is null");
	Datum		model;
	size_t		count = 0;

	for (; fg_array_next(&array, &model); count++)
	{
		if (count == FG_SERIES)
			break;
		fg_datum_model(ctx, model, &models[count]);
	}
	return count;
}

PG_FUNCTION_INFO_V1(flamegraph_model_svg);
Datum
flamegraph_model_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgPlotOptions options = fg_plot_defaults();
	double		confidence = fg_required_number(fcinfo, 3, "confidence");
	FgModel		models[FG_SERIES];
	FgSample	sample;
	size_t		missing;
	size_t		count;
	FgBuffer	svg;

	sample = take_sample(&ctx, fcinfo, &missing);
	options.title = fg_text_argument(fcinfo, 4);
	options.x_label = fg_text_argument(fcinfo, 5);
	options.y_label = fg_text_argument(fcinfo, 6);
	options.unit = fg_text_argument(fcinfo, 7);
	fg_size_arguments(fcinfo, 8, &options);
	(void) fg_plot_options(fcinfo, 10, "model_svg", NULL, 0, &options);
	count = PG_ARGISNULL(2) ? fit_models(&ctx, &sample, models) : take_models(&ctx, fcinfo, models);
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_models_svg(sample.x, sample.y, sample.n, missing, models, count, confidence,
								&options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
