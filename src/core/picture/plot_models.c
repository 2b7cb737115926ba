/*
 * plot_models.c
 *	  Measurements and their models as a plot (see plot_models.h).
 */
#include "core/picture/plot_models.h"

#include "core/models/band.h"
#include "core/models/detection.h"
#include "core/picture/units.h"

#include <math.h>

/* One model as a layer, and what the layer points to. */
typedef struct Curve
{
	FgBuffer	name;
	double	   *numbers;		/* x, y, lower, upper */
	FgBuffer   *words;			/* of buckets: how many points */
	FgText	   *more;
	size_t		nwords;
} Curve;

typedef struct Models
{
	FgContext  *ctx;
	const double *x;
	const double *y;
	size_t		n;
	const FgPlotOptions *options;
	double		confidence;
	Curve		curves[FG_SERIES];
	FgLayer		layers[FG_SERIES];
	FgBuffer	footnote;
	FgBuffer	description;
} Models;

/* --- names -------------------------------------------------------------------------- */

static bool
put_rounded(FgBuffer *text, double value)
{
	char		number[FG_UNITS_SIZE];

	return fg_buffer_append(text, number, fg_units_rounded(value, 4, number));
}

/* " + 2.5 x", " - 2.5 x" */
static bool
put_term(FgBuffer *text, double b, const char *what)
{
	return fg_text_put(text, b < 0 ? " - " : " + ") && put_rounded(text, fabs(b)) &&
		fg_text_put(text, what);
}

static bool
put_formula(FgBuffer *text, const FgModel *model)
{
	const double *b = model->column[0];

	if (!fg_text_put(text, ": ") || !put_rounded(text, b[0]))
		return false;
	switch ((FgFormula) model->kind)
	{
		case FG_LOGARITHMIC:
			return put_term(text, b[1], " log x");
		case FG_LINEAR:
			return put_term(text, b[1], " x");
		case FG_QUADRATIC:
			return put_term(text, b[1], " x") && put_term(text, b[2], " x\xC2\xB2");
		case FG_POWER:
			return fg_text_put(text, " x^") && put_rounded(text, b[1]);
		case FG_EXPONENTIAL:
			return fg_text_put(text, " \xC2\xB7 ") && put_rounded(text, b[1]) &&
				fg_text_put(text, "^x");
		default:
			return true;
	}
}

/* "linear: 20 + 2.5 x, R² = 0.98" */
static bool
write_name(const Models *m, const FgModel *model, bool band, FgBuffer *text)
{
	if (!fg_text_put(text, fg_model_word(model->kind)) ||
		(model->kind < FG_FORMULAS && !put_formula(text, model)))
		return false;
	if (!isnan(model->r_square) &&
		!(fg_text_put(text, ", R\xC2\xB2 = ") && put_rounded(text, model->r_square)))
		return false;
	if (!band)
		return fg_text_put(text, ", no band");
	return fg_text_put(text, ", band of the mean: ") && put_rounded(text, 100 * m->confidence) &&
		fg_text_put(text, " %");
}

/* --- curves ------------------------------------------------------------------------- */

/* Equally far from each other on the picture. */
static double
place_at(const Models *m, const FgModel *model, size_t i)
{
	double		lo = model->x_start;
	double		hi = model->x_end;

	if (m->options->x_scale != FG_SCALE_LOG || lo <= 0)
		return fg_spaced(lo, hi, i, FG_CURVE_PLACES - 1);
	if (i == 0 || i == FG_CURVE_PLACES - 1)
		return i == 0 ? lo : hi;
	return exp(fg_spaced(log(lo), log(hi), i, FG_CURVE_PLACES - 1));
}

static bool
fill_curve(Models *m, const FgModel *model, double *x, double *y)
{
	FgCurve		curve;

	if (!fg_model_curve(m->ctx, model, &curve))
		return false;
	for (size_t i = 0; i < FG_CURVE_PLACES; i++)
	{
		x[i] = place_at(m, model, i);
		y[i] = fg_curve_value(&curve, x[i]);
	}
	fg_curve_free(m->ctx, &curve);
	return true;
}

static bool
fill_buckets(Models *m, const FgModel *model, Curve *curve)
{
	size_t		n = model->rows;

	curve->words = fg_alloc_zero(m->ctx, n, sizeof(FgBuffer));
	curve->more = fg_alloc(m->ctx, n, sizeof(FgText));
	if (curve->words == NULL || curve->more == NULL)
		return false;
	curve->nwords = n;
	for (size_t b = 0; b < n; b++)
	{
		double		points = model->column[1][b];

		curve->words[b].ctx = m->ctx;
		curve->numbers[b] = model->column[0][b];
		curve->numbers[n + b] = model->column[2][b];
		if (!fg_text_count(&curve->words[b], (uint64_t) points) ||
			!fg_text_put(&curve->words[b], points == 1 ? " point" : " points"))
			return false;
		curve->more[b] = fg_text_of(&curve->words[b]);
	}
	return true;
}

static bool
make_layer(Models *m, const FgModel *model, uint32_t number)
{
	Curve	   *curve = &m->curves[number];
	bool		steps = model->kind == FG_MODEL_REGRESSOGRAM;
	size_t		n = steps ? model->rows : FG_CURVE_PLACES;
	bool		band;

	curve->numbers = fg_alloc(m->ctx, 4 * n, sizeof(double));
	if (curve->numbers == NULL ||
		!(steps ? fill_buckets(m, model, curve)
		  : fill_curve(m, model, curve->numbers, curve->numbers + n)) ||
		!fg_model_band(m->ctx, model, m->x, m->y, m->n, m->confidence, curve->numbers, n,
					   curve->numbers + 2 * n, curve->numbers + 3 * n, &band) ||
		!write_name(m, model, band, &curve->name))
		return false;
	m->layers[number] = (FgLayer) {
		.mark = steps ? FG_MARK_STEPS : FG_MARK_LINE, .style = number,
		.name = fg_text_of(&curve->name), .n = n, .x = curve->numbers, .y = curve->numbers + n,
		.lower = band ? curve->numbers + 2 * n : NULL,
		.upper = band ? curve->numbers + 3 * n : NULL,
		.end = steps ? model->column[0][n] : 0, .more = curve->more, .bare = !steps
	};
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
	{
		Curve	   *curve = &m->curves[c];

		fg_release(m->ctx, curve->name.data);
		fg_release(m->ctx, curve->numbers);
		for (size_t w = 0; w < curve->nwords; w++)
			fg_release(m->ctx, curve->words[w].data);
		fg_release(m->ctx, curve->words);
		fg_release(m->ctx, curve->more);
	}
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

	for (int c = 0; c < FG_SERIES; c++)
		m.curves[c].name.ctx = ctx;
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
