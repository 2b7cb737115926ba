/*
 * models_fitting.h
 *	  Fits of all kinds of models to a sample, with parameters from arguments or from
 *	  options in jsonb: what the functions that return rows, fit() and the aggregates
 *	  have in common, so that they agree exactly.
 */
#ifndef FG_FITTING_H
#define FG_FITTING_H

#include "core/models/parametric.h"
#include "pg/base/rows.h"
#include "pg/models/models_sample.h"

/*
 * Fits a model and fills *model, whose columns and parameters live in the current
 * context; false when there is none: without points, or of a formula that does not
 * exist on them.  Options are checked even then.
 */
typedef bool (*FgFit) (FgContext *ctx, FgSample *sample, Jsonb *options, FgModel *model);

extern bool fg_fit_moving_average(FgContext *ctx, FgSample *sample, Jsonb *options, FgModel *model);
extern bool fg_fit_regressogram(FgContext *ctx, FgSample *sample, Jsonb *options, FgModel *model);
extern bool fg_fit_kernel_regression(FgContext *ctx, FgSample *sample, Jsonb *options,
									 FgModel *model);

/* A model without facts and columns. */
extern FgModel fg_new_model(int kind, uint64_t n);

/* A formula that was fitted. */
extern FgModel fg_formula_model(const FgParametric *fitted);

/* Takes the parameters of a model from JSON text, as PostgreSQL prints it. */
extern void fg_set_parameters(FgModel *model, const char *json);

/* Rows of x, y (null for a sample without) and fitted values (null for a NaN). */
extern void fg_add_fitted(FgRows *rows, const FgSample *sample, const double *fitted);

#endif							/* FG_FITTING_H */
