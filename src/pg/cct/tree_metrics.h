/*
 * tree_metrics.h
 *	  The rows of top(), for profiles that are no argument.
 */
#ifndef FG_TREE_METRICS_H
#define FG_TREE_METRICS_H

#include "pg/base/rows.h"
#include "pg/base/values.h"

/* Error 22023 for a number of rows below 0; NULL stands for all. */
extern void fg_check_max_rows(FunctionCallInfo fcinfo, int argument);

/* As many rows as that argument says. */
extern void fg_top_rows(FgRows *rows, FgContext *ctx, const FgTree *tree, FunctionCallInfo fcinfo,
						int max_rows);

#endif							/* FG_TREE_METRICS_H */
