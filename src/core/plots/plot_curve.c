/*
 * plot_curve.c
 *	  A model as a layer of a plot (see plot_curve.h).
 */
#include "core/plots/plot_curve.h"

#include "core/models/detection.h"
#include "core/svg/units.h"

#include <math.h>

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
write_name(const FgModel *model, FgBuffer *text)
{
	if (!fg_text_put(text, fg_model_word(model->kind)) ||
		(model->kind < FG_FORMULAS && !put_formula(text, model)))
		return false;
	return isnan(model->r_square) ||
		(fg_text_put(text, ", R\xC2\xB2 = ") && put_rounded(text, model->r_square));
}

/* --- curves ------------------------------------------------------------------------- */

/* Equally far from each other on the picture. */
static double
place_at(FgScale scale, const FgModel *model, size_t i)
{
	double		lo = model->x_start;
	double		hi = model->x_end;

	if (scale != FG_SCALE_LOG || lo <= 0)
		return fg_spaced(lo, hi, i, FG_CURVE_PLACES - 1);
	if (i == 0 || i == FG_CURVE_PLACES - 1)
		return i == 0 ? lo : hi;
	return exp(fg_spaced(log(lo), log(hi), i, FG_CURVE_PLACES - 1));
}

static bool
fill_curve(FgContext *ctx, FgScale scale, const FgModel *model, double *x, double *y)
{
	FgCurve		curve;

	if (!fg_model_curve(ctx, model, &curve))
		return false;
	for (size_t i = 0; i < FG_CURVE_PLACES; i++)
	{
		x[i] = place_at(scale, model, i);
		y[i] = fg_curve_value(&curve, x[i]);
	}
	fg_curve_free(ctx, &curve);
	return true;
}

static bool
fill_buckets(FgContext *ctx, const FgModel *model, FgPlotCurve *curve)
{
	size_t		n = model->rows;

	curve->words = fg_alloc_zero(ctx, n, sizeof(FgBuffer));
	curve->more = fg_alloc(ctx, n, sizeof(FgText));
	if (curve->words == NULL || curve->more == NULL)
		return false;
	curve->nwords = n;
	for (size_t b = 0; b < n; b++)
	{
		double		points = model->column[1][b];

		curve->words[b].ctx = ctx;
		curve->numbers[b] = model->column[0][b];
		curve->numbers[n + b] = model->column[2][b];
		if (!fg_text_count(&curve->words[b], (uint64_t) points) ||
			!fg_text_put(&curve->words[b], points == 1 ? " point" : " points"))
			return false;
		curve->more[b] = fg_text_of(&curve->words[b]);
	}
	return true;
}

bool
fg_plot_curve(FgContext *ctx, const FgModel *model, FgScale scale, uint32_t style,
			  FgPlotCurve *curve)
{
	bool		steps = model->kind == FG_MODEL_REGRESSOGRAM;
	size_t		n = steps ? model->rows : FG_CURVE_PLACES;

	*curve = (FgPlotCurve) {.name.ctx = ctx};
	curve->numbers = fg_alloc(ctx, 4 * n, sizeof(double));
	if (curve->numbers == NULL || !write_name(model, &curve->name) ||
		!(steps ? fill_buckets(ctx, model, curve)
		  : fill_curve(ctx, scale, model, curve->numbers, curve->numbers + n)))
		return false;
	curve->layer = (FgLayer) {
		.mark = steps ? FG_MARK_STEPS : FG_MARK_LINE, .style = style,
		.name = fg_text_of(&curve->name), .n = n, .x = curve->numbers, .y = curve->numbers + n,
		.end = steps ? model->column[0][n] : 0, .more = curve->more, .bare = !steps
	};
	return true;
}

void
fg_plot_curve_free(FgContext *ctx, FgPlotCurve *curve)
{
	fg_release(ctx, curve->name.data);
	fg_release(ctx, curve->numbers);
	for (size_t w = 0; w < curve->nwords; w++)
		fg_release(ctx, curve->words[w].data);
	fg_release(ctx, curve->words);
	fg_release(ctx, curve->more);
}
