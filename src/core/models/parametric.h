/*
 * parametric.h
 *	  Parametric regression: which formula describes the measurements best.
 *
 * Models that do not exist on the points - too few of them, too few different ones,
 * logarithms of what is not positive, numbers that overflow - are not produced, which
 * is no error.  Numbers are finite.
 */
#ifndef FG_PARAMETRIC_H
#define FG_PARAMETRIC_H

#include "core/base/context.h"
#include "core/models/formula.h"

/* A set of formulas is the sum of their bits. */
#define FG_FORMULA_BIT(formula) (1U << (formula))
#define FG_ALL_FORMULAS (FG_FORMULA_BIT(FG_FORMULAS) - 1)

typedef struct FgParametric
{
	FgFormula	formula;
	double		b[3];			/* unused ones are 0 */
	uint32_t	nb;
	double		r_square;		/* where the line was fitted: log y for power, exponential */
	double		r_square_y;		/* of y itself */
	uint64_t	n_used;
	double		x_start;		/* of the points that were used */
	double		x_end;
	bool		best;			/* of its points and of the formulas that were wanted */
} FgParametric;

extern const char *fg_formula_word(FgFormula formula);

/* FG_ERROR_ARGUMENT for an unknown word. */
extern bool fg_formula_parse(FgContext *ctx, const char *text, size_t length, FgFormula *formula);

/*
 * Each wanted formula on all points, in the order of complexity.  models has room for
 * FG_FORMULAS; *best is the index of the best one, -1 when there is none.
 */
extern bool fg_parametric_fit(FgContext *ctx, const double *x, const double *y, size_t n,
							  unsigned wanted, FgParametric *models, uint32_t *count, int *best);

/*
 * The best model of each of "steps" parts of points sorted by x; a part on which no
 * wanted formula exists has none.  FG_ERROR_ARGUMENT when a part would have fewer
 * than three points, or steps is not positive.  *models is for fg_release; without
 * points the list is empty.
 */
extern bool fg_parametric_interval(FgContext *ctx, const double *x, const double *y, size_t n,
								   int64_t steps, unsigned wanted, FgParametric **models,
								   size_t *count);

/* The same for parts that are halved as long as the best models of the halves differ. */
extern bool fg_parametric_bisection(FgContext *ctx, const double *x, const double *y, size_t n,
									unsigned wanted, FgParametric **models, size_t *count);

#endif							/* FG_PARAMETRIC_H */
