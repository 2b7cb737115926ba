/*
 * rows.h
 *	  Set-returning functions: small results as a tuplestore.
 */
#ifndef FG_ROWS_H
#define FG_ROWS_H

#include "pg_compat.h"

#include "access/tupdesc.h"
#include "utils/tuplestore.h"

typedef struct FgRows
{
	TupleDesc	descriptor;
	Tuplestorestate *store;
} FgRows;

/* Sets the call up for materialize mode and returns where the rows go. */
extern FgRows fg_rows_begin(FunctionCallInfo fcinfo);
extern void fg_rows_add(FgRows *rows, Datum *values, bool *nulls);

/* part / whole, NULL (true in *null) when the whole is 0. */
extern Datum fg_share(double part, double whole, bool *null);

#endif							/* FG_ROWS_H */
