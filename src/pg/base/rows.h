/*
 * rows.h
 *	  Set-returning functions: small results as a tuplestore, others a row a call.
 */
#ifndef FG_ROWS_H
#define FG_ROWS_H

#include "pg/base/pg_compat.h"

#include "access/tupdesc.h"
#include "funcapi.h"
#include "utils/tuplestore.h"

#include "core/profile/frames.h"

typedef struct FgRows
{
	TupleDesc	descriptor;
	Tuplestorestate *store;
	TupleTableSlot *slot;		/* NULL: rows have columns that we leave to PostgreSQL */
	MinimalTuple tuple;			/* the row in the slot */
	Size		room;			/* of it, in bytes */
	MemoryContext row;			/* of the values of one row */
	MemoryContext caller;
} FgRows;

/* Sets the call up for materialize mode and returns where the rows go. */
extern FgRows fg_rows_begin(FunctionCallInfo fcinfo);

/* Rows beyond so many kilobytes, or beyond work_mem where that is less, go to disk. */
extern FgRows fg_rows_begin_within(FunctionCallInfo fcinfo, int kilobytes);
extern void fg_rows_add(FgRows *rows, Datum *values, bool *nulls);

/*
 * Around the making of a row: what is allocated between the two is released when the
 * row is stored.  The second one checks for interrupts.
 */
extern void fg_rows_begin_row(FgRows *rows);
extern void fg_rows_end_row(FgRows *rows, Datum *values, bool *nulls);

/* The first call's work of a function that returns a row a call: what rows are like. */
extern FuncCallContext *fg_value_per_call_begin(FunctionCallInfo fcinfo);

/* part / whole, NULL (true in *null) when the whole is 0. */
extern Datum fg_share(double part, double whole, bool *null);

/*
 * A change or ratio relative to "before", infinite where "before" is so small that the
 * quotient does not fit a double; NULL when it is 0.
 */
extern Datum fg_relative_to(double value, double before, bool *null);

/* A number, or NULL for a NaN. */
extern Datum fg_number_or_null(double value, bool *null);

/*
 * The same, or a number at all, where infinity would be a sum that does not fit and not
 * an answer: then error 22003, "what is out of range".
 */
extern Datum fg_finite_or_null(double value, const char *what, bool *null);
extern Datum fg_finite(double value, const char *what);

/* The OUT parameters of a function that returns one row. */
extern Datum fg_record_datum(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

/* A frame as text. */
extern Datum fg_frame_datum(const FgFrames *frames, uint32_t frame);

#endif							/* FG_ROWS_H */
