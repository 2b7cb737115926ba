/*
 * row_batch.h
 *	  Rows for a table, many to an INSERT: as the caller, with all that the table checks.
 *
 * The statement takes the rows as arrays, a parameter for each column:
 * INSERT INTO t (a, b, c) SELECT $1, u.* FROM unnest($2, $3) AS u, where $1 is the job.
 */
#ifndef FG_ROW_BATCH_H
#define FG_ROW_BATCH_H

#include "pg/base/pg_compat.h"

#include "executor/spi.h"

#include "core/base/span.h"

#define FG_BATCH_COLUMNS 6

typedef struct FgRowBatch
{
	SPIPlanPtr	plan;
	Datum		job;
	int			columns;
	Oid			types[FG_BATCH_COLUMNS];	/* of the elements */
	Datum	   *values[FG_BATCH_COLUMNS];
	bool	   *nulls[FG_BATCH_COLUMNS];
	int			count;
	uint64		inserted;
	MemoryContext memory;		/* of the values of one batch */
} FgRowBatch;

/* While SPI is connected; lives as long as that. */
extern void fg_batch_begin(FgRowBatch *batch, const char *statement, int64 job, const Oid *types,
						   int columns);
extern void fg_batch_add(FgRowBatch *batch, const Datum *values, const bool *nulls);

/* Inserts what has not been inserted yet. */
extern void fg_batch_flush(FgRowBatch *batch);

/* A text in the batch's memory. */
extern Datum fg_batch_text(FgRowBatch *batch, FgSpan text);

#endif							/* FG_ROW_BATCH_H */
