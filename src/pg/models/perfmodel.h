/*
 * perfmodel.h
 *	  Performance models as PostgreSQL values.
 */
#ifndef FG_PERFMODEL_H
#define FG_PERFMODEL_H

#include "pg/base/values.h"

#include "lib/stringinfo.h"

#include "core/models/model.h"

/* Throws ctx->error of a core function on models. */
pg_noreturn extern void fg_throw_model(const FgContext *ctx);

#define fg_model_must(ctx, call) \
	do { \
		if (!(call)) \
			fg_throw_model(ctx); \
	} while (0)

/* Decodes a value; the parameters point into it. */
extern void fg_datum_model(FgContext *ctx, Datum value, FgModel *model);
extern Datum fg_model_datum(FgContext *ctx, const FgModel *model);

/* A number as JSON: the shortest text that reads back, or null for a NaN. */
extern void fg_append_number(StringInfo text, double value);

#endif							/* FG_PERFMODEL_H */
