/*
 * plots_change.c
 *	  model_change_svg(): two models and the intervals where they differ.
 */
#include "pg/base/values.h"

#include "core/plots/plot_change.h"
#include "pg/base/arguments.h"
#include "pg/models/models_sample.h"
#include "pg/picture/plots_options.h"

PG_FUNCTION_INFO_V1(flamegraph_model_change_svg);
Datum
flamegraph_model_change_svg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgPlotOptions options = fg_plot_defaults();
	FgModelChange change;
	FgModel		models[2];
	FgBuffer	svg;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	fg_datum_model(&ctx, PG_GETARG_DATUM(0), &models[0]);
	fg_datum_model(&ctx, PG_GETARG_DATUM(1), &models[1]);
	change = (FgModelChange) {
		.baseline = &models[0], .target = &models[1],
		.intervals = fg_required_int(fcinfo, 2, "intervals"),
		.thresholds = {
			fg_required_number(fcinfo, 3, "no_change"), fg_required_number(fcinfo, 4, "change")
		}
	};
	options.title = fg_text_argument(fcinfo, 5);
	options.x_label = fg_text_argument(fcinfo, 6);
	options.y_label = fg_text_argument(fcinfo, 7);
	options.unit = fg_text_argument(fcinfo, 8);
	fg_size_arguments(fcinfo, 9, &options);
	(void) fg_plot_options(fcinfo, 11, "model_change_svg", NULL, 0, &options);
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_model_change_svg(&change, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
