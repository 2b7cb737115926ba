/*
 * errors.h
 *	  Errors of the core as PostgreSQL reports them.
 */
#ifndef FG_ERRORS_H
#define FG_ERRORS_H

#include "pg/base/pg_compat.h"

#include "core/base/context.h"
#include "core/base/warnings.h"

/* Where bytes that break the format come from decides the SQLSTATE. */
typedef enum FgSource
{
	FG_FROM_STORAGE,			/* XX001 */
	FG_FROM_TEXT,				/* 22P02 */
	FG_FROM_WIRE				/* 22P03 */
} FgSource;

/*
 * Reports ctx->error for a value of the type named.  Throws, unless "escontext"
 * catches soft errors (PostgreSQL 16).
 */
extern void fg_report(const FgContext *ctx, const char *type, FgSource source,
					  struct Node *escontext);

/* The parts of such a report, for messages of another kind: SQLSTATE and detail. */
extern int	fg_error_sqlstate(FgErrorCode code, FgSource source);
extern char *fg_error_detail(const FgError *error);

/* A NOTICE for each kind. */
extern void fg_report_warnings(const FgWarnings *warnings);

/* Throws ctx->error; for everything but input functions. */
pg_noreturn extern void fg_throw(const FgContext *ctx, const char *type);

/* For code that cannot go on: if (!core_call()) fg_throw() in one line. */
#define fg_must(ctx, call) \
	do { \
		if (!(call)) \
			fg_throw(ctx, "flamegraph"); \
	} while (0)

#endif							/* FG_ERRORS_H */
