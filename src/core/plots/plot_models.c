/*
 * plot_models.c
 *	  Measurements and their models as a plot (see plot_models.h).
 */
#include "core/plots/plot_models.h"

#include "core/models/band.h"
#include "core/plots/plot_curve.h"
#include "core/svg/units.h"

#include <math.h>

typedef struct Models
{
	FgContext  *ctx;
	const double *x;
	const double *y;
	size_t		n;
	const FgPlotOptions *options;
	double		confidence;
	FgPlotCurve curves[FG_SERIES];
	FgLayer		layers[FG_SERIES];
	FgBuffer	footnote;
	FgBuffer	description;
} Models;

/* --- layers -------------------------------------------------------------------------- */

static bool
put_band_name(const Models *m, bool band, FgBuffer *text)
{
	char		number[FG_UNITS_SIZE];

	if (!band)
		return fg_text_put(text, ", no band");
	return fg_text_put(text, ", band of the mean: ") &&
		fg_buffer_append(text, number, fg_units_rounded(100 * m->confidence, 4, number)) &&
		fg_text_put(text, " %");
}

static bool
make_layer(Models *m, const FgModel *model, uint32_t number)
{
	FgPlotCurve *curve = &m->curves[number];
	FgLayer    *layer = &m->layers[number];
	size_t		n;
	bool		band;

	if (!fg_plot_curve(m->ctx, model, m->options->x_scale, number, curve))
		return false;
	n = curve->layer.n;
	if (!fg_model_band(m->ctx, model, m->x, m->y, m->n, m->confidence, curve->numbers, n,
					   curve->numbers + 2 * n, curve->numbers + 3 * n, &band) ||
		!put_band_name(m, band, &curve->name))
		return false;
	*layer = curve->layer;
	layer->name = fg_text_of(&curve->name);
	layer->lower = band ? curve->numbers + 2 * n : NULL;
	layer->upper = band ? curve->numbers + 3 * n : NULL;
	return true;
}

/* --- plot --------------------------------------------------------------------------- */

static bool
check(Models *m, const FgModel *models, size_t count)
{
	if (!(m->confidence > 0 && m->confidence < 1))
		return fg_fail(m->ctx, FG_ERROR_ARGUMENT, "confidence must be between 0 and 1, not %g",
					   m->confidence);
	if (count > FG_SERIES - 1)
		return fg_fail(m->ctx, FG_ERROR_ARGUMENT, "a plot has at most %d models", FG_SERIES - 1);
	for (size_t i = 0; i < count; i++)
	{
		if (models[i].kind == FG_MODEL_SAMPLE)
			return fg_fail(m->ctx, FG_ERROR_ARGUMENT, "a model was not fitted");
	}
	return true;
}

static bool
write_texts(Models *m, size_t missing, size_t count)
{
	FgBuffer   *text = &m->footnote;
	size_t		below = 0;

	for (size_t i = 0; i < m->n; i++)
	{
		if (!fg_check_every(m->ctx, i))
			return false;
		below += (m->options->x_scale == FG_SCALE_LOG && m->x[i] <= 0) ||
			(m->options->y_scale == FG_SCALE_LOG && m->y[i] <= 0);
	}
	if (!(m->n == 0 ? fg_text_put(text, "no points") : fg_text_count(text, m->n) &&
		  fg_text_put(text, m->n == 1 ? " point" : " points")) ||
		!(missing == 0 || (fg_text_put(text, "; ") && fg_text_count(text, missing) &&
						   fg_text_put(text, " dropped (null or not a number)"))))
		return false;
	if (below > 0 && !(fg_text_put(text, "; ") && fg_text_count(text, below) &&
					   fg_text_put(text, " not drawn: not positive, on a logarithmic scale")))
		return false;
	return fg_text_put(&m->description, "Plot of ") && fg_text_count(&m->description, m->n) &&
		fg_text_put(&m->description, m->n == 1 ? " point" : " points") &&
		fg_text_put(&m->description, " and ") && fg_text_count(&m->description, count) &&
		fg_text_put(&m->description, count == 1 ? " model." : " models.");
}

static void
release(Models *m)
{
	for (int c = 0; c < FG_SERIES; c++)
		fg_plot_curve_free(m->ctx, &m->curves[c]);
	fg_release(m->ctx, m->footnote.data);
	fg_release(m->ctx, m->description.data);
}

bool
fg_models_svg(const double *x, const double *y, size_t n, size_t missing, const FgModel *models,
			  size_t count, double confidence, const FgPlotOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Models		m = {
		.ctx = ctx, .x = x, .y = y, .n = n, .options = options, .confidence = confidence,
		.footnote.ctx = ctx, .description.ctx = ctx
	};
	FgPlot		plot = {.name = {"Models", 6}, .npanels = 1, .layers = m.layers};
	bool		ok;

	ok = check(&m, models, count) && write_texts(&m, missing, count);
	for (size_t i = 0; ok && i < count; i++)
		ok = make_layer(&m, &models[i], (uint32_t) i);
	/* in front of the bands; there are fewer models than series */
	if (ok)
		m.layers[count] = (FgLayer) {
			.mark = FG_MARK_POINTS, .style = FG_PLAIN_STYLE, .n = n, .x = x, .y = y
		};
	plot.nlayers = count + 1;
	plot.footnote = fg_text_of(&m.footnote);
	plot.description = fg_text_of(&m.description);
	ok = ok && fg_plot_svg(&plot, options, svg);
	release(&m);
	return ok;
}
