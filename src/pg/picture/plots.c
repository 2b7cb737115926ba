/*
 * plots.c
 *	  plot_svg(): rows of numbers as points, lines, steps or bars.
 */
#include "pg/base/values.h"

#include <math.h>

#include "core/plots/plot_rows.h"
#include "pg/base/arguments.h"
#include "pg/base/options.h"
#include "pg/picture/plots_options.h"

/* A null for xs stands for positions from 1. */
static FgNumbers
positions(size_t count)
{
	FgNumbers	numbers = {palloc_extended((count + 1) * sizeof(double), MCXT_ALLOC_HUGE), count};

	for (size_t i = 0; i < count; i++)
		numbers.values[i] = (double) (i + 1);
	return numbers;
}

/* The arrays have the length of ys. */
static void
take_rows(FunctionCallInfo fcinfo, FgPlotRows *rows)
{
	FgNumbers	ys = fg_numbers_argument(fcinfo, 1, "ys");
	FgNumbers	xs = PG_ARGISNULL(0) ? positions(ys.count) : fg_numbers_argument(fcinfo, 0, "xs");
	FgNumbers	lower = fg_numbers_argument(fcinfo, 3, "lower");
	FgNumbers	upper = fg_numbers_argument(fcinfo, 4, "upper");
	size_t		nseries;
	size_t		npanels;

	fg_same_length("ys", ys.count, "xs", xs.count);
	if ((lower.values == NULL) != (upper.values == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lower and upper have to be given together")));
	if (lower.values != NULL)
	{
		fg_same_length("lower", lower.count, "xs", xs.count);
		fg_same_length("upper", upper.count, "xs", xs.count);
	}
	rows->series = fg_texts_argument(fcinfo, 2, "series", &nseries);
	rows->panels = fg_texts_argument(fcinfo, 5, "panel_of", &npanels);
	if (rows->series != NULL)
		fg_same_length("series", nseries, "xs", xs.count);
	if (rows->panels != NULL)
		fg_same_length("panel_of", npanels, "xs", xs.count);
	rows->n = xs.count;
	rows->x = xs.values;
	rows->y = ys.values;
	rows->lower = lower.values;
	rows->upper = upper.values;
}

/* Option "labels": names of x = 1, 2, ... */
static void
take_names(FgContext *ctx, Jsonb *json, const FgPlotOptions *options, FgPlotRows *rows)
{
	FgSpan	   *words;
	size_t		count;
	FgText	   *names;

	if (!fg_option_words(json, "labels", &words, &count))
		return;
	if (count > FG_MOST_POINTS || options->x_scale == FG_SCALE_LOG)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 count > FG_MOST_POINTS ? errmsg("option \"labels\" takes at most %d labels, not %zu",
												 FG_MOST_POINTS, count)
				 : errmsg("option \"labels\" cannot be given with a logarithmic x_scale")));
	for (size_t i = 0; i < rows->n; i++)
	{
		double		x = rows->x[i];

		fg_must(ctx, fg_check_every(ctx, i));
		if (!isnan(x) && !(x >= 1 && x <= (double) count && x == floor(x)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("element %zu of xs is %g, but there are %zu labels", i + 1, x, count),
					 errhint("With labels xs are their positions, from 1.")));
	}
	names = palloc((count + 1) * sizeof(FgText));
	for (size_t i = 0; i < count; i++)
		names[i] = (FgText) {words[i].bytes, words[i].size};
	rows->names = count > 0 ? names : NULL;
	rows->nnames = (uint32_t) count;
}

PG_FUNCTION_INFO_V1(flamegraph_plot_svg);
Datum
flamegraph_plot_svg(PG_FUNCTION_ARGS)
{
	static const char *const marks[] = {"points", "line", "steps", "bars"};
	static const char *const more[] = {"labels"};
	FgContext	ctx = fg_current_context();
	FgPlotOptions options = fg_plot_defaults();
	FgPlotRows	rows = {0};
	Jsonb	   *json;
	FgBuffer	svg;

	take_rows(fcinfo, &rows);
	rows.mark = (FgMark) fg_word_argument(fcinfo, 6, "mark", marks, lengthof(marks));
	options.title = fg_text_argument(fcinfo, 7);
	options.x_label = fg_text_argument(fcinfo, 8);
	options.y_label = fg_text_argument(fcinfo, 9);
	options.unit = fg_text_argument(fcinfo, 10);
	fg_size_arguments(fcinfo, 11, &options);
	json = fg_plot_options(fcinfo, 13, "plot_svg", more, lengthof(more), &options);
	take_names(&ctx, json, &options, &rows);
	svg = fg_picture_buffer(&ctx);
	fg_must(&ctx, fg_plot_rows_svg(&rows, &options, &svg));
	PG_RETURN_DATUM(fg_picture_text(&ctx, &svg));
}
