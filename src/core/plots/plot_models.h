/*
 * plot_models.h
 *	  Measurements and the models that were fitted to them.
 */
#ifndef FG_PLOT_MODELS_H
#define FG_PLOT_MODELS_H

#include "core/models/model.h"
#include "core/plots/plot.h"

/*
 * Points (x, y) sorted by x, finite, of which "missing" were dropped before; each model's
 * curve on its interval, with the band of its mean (band.h) where there is one.
 * FG_ERROR_ARGUMENT for more than FG_SERIES - 1 models, for one that was not fitted, and
 * unless 0 < confidence < 1.
 */
extern bool fg_models_svg(const double *x, const double *y, size_t n, size_t missing,
						  const FgModel *models, size_t count, double confidence,
						  const FgPlotOptions *options, FgBuffer *svg);

#endif							/* FG_PLOT_MODELS_H */
