/*
 * rows.c
 *	  What set-returning functions share (see rows.h).
 */
#include "pg/base/rows.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "pg/base/values.h"

/* Of a function that returns rows, or values: these are rows of one column. */
static TupleDesc
row_descriptor(FunctionCallInfo fcinfo)
{
	TupleDesc	descriptor;
	Oid			type;

	switch (get_call_result_type(fcinfo, &type, &descriptor))
	{
		case TYPEFUNC_COMPOSITE:
			return descriptor;
		case TYPEFUNC_SCALAR:
			descriptor = CreateTemplateTupleDesc(1);
			TupleDescInitEntry(descriptor, 1, "value", type, -1, 0);
			return descriptor;
		default:
			elog(ERROR, "return type must be a row type or a scalar");
			return NULL;		/* keep compiler quiet */
	}
}

FgRows
fg_rows_begin(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext previous;
	FgRows		rows;

	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		(result->allowedModes & SFRM_Materialize) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("set-valued function called in context that cannot accept a set")));
	previous = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	rows.descriptor = row_descriptor(fcinfo);
	rows.store = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
									   false, work_mem);
	result->returnMode = SFRM_Materialize;
	result->setResult = rows.store;
	result->setDesc = rows.descriptor;
	MemoryContextSwitchTo(previous);
	rows.row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_SMALL_SIZES);
	rows.caller = NULL;
	return rows;
}

void
fg_rows_add(FgRows *rows, Datum *values, bool *nulls)
{
	tuplestore_putvalues(rows->store, rows->descriptor, values, nulls);
}

void
fg_rows_begin_row(FgRows *rows)
{
	rows->caller = MemoryContextSwitchTo(rows->row);
}

void
fg_rows_end_row(FgRows *rows, Datum *values, bool *nulls)
{
	fg_rows_add(rows, values, nulls);
	MemoryContextSwitchTo(rows->caller);
	MemoryContextReset(rows->row);
	CHECK_FOR_INTERRUPTS();
}

FuncCallContext *
fg_value_per_call_begin(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_FIRSTCALL_INIT();
	MemoryContext previous = MemoryContextSwitchTo(call->multi_call_memory_ctx);
	TupleDesc	descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	call->tuple_desc = BlessTupleDesc(descriptor);
	MemoryContextSwitchTo(previous);
	return call;
}

Datum
fg_share(double part, double whole, bool *null)
{
	double		share = whole == 0 ? 0 : part / whole;

	*null = whole == 0;
	if (!isfinite(part) || !isfinite(whole) || !isfinite(share))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a share is out of range")));
	return Float8GetDatum(share + 0.0);	/* not -0 */
}

Datum
fg_relative_to(double value, double before, bool *null)
{
	*null = before == 0;
	return *null ? (Datum) 0 : Float8GetDatum(value / before + 0.0);	/* not -0 */
}

Datum
fg_number_or_null(double value, bool *null)
{
	*null = isnan(value);
	return *null ? (Datum) 0 : Float8GetDatum(value + 0.0);	/* not -0 */
}

Datum
fg_finite(double value, const char *what)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s is out of range", what)));
	return Float8GetDatum(value + 0.0);	/* not -0 */
}

Datum
fg_finite_or_null(double value, const char *what, bool *null)
{
	*null = isnan(value);
	return *null ? (Datum) 0 : fg_finite(value, what);
}

Datum
fg_record_datum(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

Datum
fg_frame_datum(const FgFrames *frames, uint32_t frame)
{
	return PointerGetDatum(fg_varlena(fg_frame_bytes(frames, frame),
									  fg_frame_length(frames, frame)));
}
