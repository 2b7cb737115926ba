/*
 * band.h
 *	  The confidence band of a model's mean, where theory has one.
 *
 * Formulas: the t interval of the mean of a linear regression in the scale in which the
 * formula was fitted (log x, log y), taken back to y (Draper and Smith 1998, section 1.4).
 * Regressograms of means: the t interval of each bucket's mean.
 */
#ifndef FG_BAND_H
#define FG_BAND_H

#include "core/models/model.h"

/*
 * The band at "count" places within the model's interval; of a regressogram the places are
 * its buckets, and "at" is not read.  NaN where there is none: of a bucket with one point.
 * *exists is false for other models, for points that the model was not fitted to, as far as
 * that can be seen, and without degrees of freedom.  x and y are finite, 0 < confidence < 1.
 */
extern bool fg_model_band(FgContext *ctx, const FgModel *model, const double *x, const double *y,
						  size_t n, double confidence, const double *at, size_t count,
						  double *lower, double *upper, bool *exists);

#endif							/* FG_BAND_H */
