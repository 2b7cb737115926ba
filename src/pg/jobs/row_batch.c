/*
 * row_batch.c
 *	  Rows for a table, many to an INSERT (see row_batch.h).
 */
#include "pg/jobs/row_batch.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define BATCH_ROWS 4096

void
fg_batch_begin(FgRowBatch *batch, const char *statement, int64 job, const Oid *types, int columns)
{
	Oid			arguments[FG_BATCH_COLUMNS + 1] = {INT8OID};

	*batch = (FgRowBatch) {.job = Int64GetDatum(job), .columns = columns};
	for (int i = 0; i < columns; i++)
	{
		batch->types[i] = types[i];
		batch->values[i] = palloc(BATCH_ROWS * sizeof(Datum));
		batch->nulls[i] = palloc(BATCH_ROWS * sizeof(bool));
		arguments[i + 1] = get_array_type(types[i]);
	}
	batch->plan = SPI_prepare(statement, columns + 1, arguments);
	if (batch->plan == NULL)
		elog(ERROR, "cannot prepare \"%s\": %s", statement, SPI_result_code_string(SPI_result));
	batch->memory = AllocSetContextCreate(CurrentMemoryContext, "flamegraph rows",
										  ALLOCSET_DEFAULT_SIZES);
}

Datum
fg_batch_text(FgRowBatch *batch, FgSpan text)
{
	MemoryContext caller = MemoryContextSwitchTo(batch->memory);
	Datum		value = PointerGetDatum(cstring_to_text_with_len(text.size > 0 ? text.bytes : "",
																 (int) text.size));

	MemoryContextSwitchTo(caller);
	return value;
}

static Datum
column_array(FgRowBatch *batch, int column)
{
	int			dimensions[1] = {batch->count};
	int			bounds[1] = {1};
	int16		length;
	bool		by_value;
	char		alignment;

	get_typlenbyvalalign(batch->types[column], &length, &by_value, &alignment);
	return PointerGetDatum(construct_md_array(batch->values[column], batch->nulls[column], 1,
											  dimensions, bounds, batch->types[column], length,
											  by_value, alignment));
}

void
fg_batch_flush(FgRowBatch *batch)
{
	Datum		arguments[FG_BATCH_COLUMNS + 1];
	MemoryContext caller;

	if (batch->count == 0)
		return;
	caller = MemoryContextSwitchTo(batch->memory);
	arguments[0] = batch->job;
	for (int i = 0; i < batch->columns; i++)
		arguments[i + 1] = column_array(batch, i);
	MemoryContextSwitchTo(caller);
	if (SPI_execute_plan(batch->plan, arguments, NULL, false, 0) != SPI_OK_INSERT)
		elog(ERROR, "rows of a job were not inserted");
	batch->inserted += (uint64) batch->count;
	batch->count = 0;
	MemoryContextReset(batch->memory);
}

void
fg_batch_add(FgRowBatch *batch, const Datum *values, const bool *nulls)
{
	for (int i = 0; i < batch->columns; i++)
	{
		batch->values[i][batch->count] = values[i];
		batch->nulls[i][batch->count] = nulls != NULL && nulls[i];
	}
	if (++batch->count == BATCH_ROWS)
		fg_batch_flush(batch);
}
