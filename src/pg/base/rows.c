/*
 * rows.c
 *	  What set-returning functions share (see rows.h).
 */
#include "pg/base/rows.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "pg/base/values.h"

/* --- forming rows ------------------------------------------------------------------------ */

/*
 * heap_form_minimal_tuple() looks at each column twice, for any type there is, and allocates;
 * that is half of the time of functions that return a million short rows.  Ours takes
 * columns of 4 and 8 bytes and texts.
 */
static bool
is_simple(TupleDesc descriptor)
{
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		bool		is_int = column->attlen == 4 && column->attalign == TYPALIGN_INT;
		bool		is_long = column->attlen == 8 && column->attalign == TYPALIGN_DOUBLE;

		if (column->atttypid != TEXTOID && !(column->attbyval && (is_int || is_long)))
			return false;
	}
	return true;
}

/* No less than the row takes; 0 when one of its texts is only a pointer to another place. */
static Size
most_bytes(TupleDesc descriptor, const Datum *values, const bool *nulls)
{
	Size		bytes = MAXALIGN(SizeofMinimalTupleHeader + BITMAPLEN(descriptor->natts));

	for (int i = 0; i < descriptor->natts; i++)
	{
		bytes += 2 * MAXIMUM_ALIGNOF;
		if (nulls[i] || TupleDescAttr(descriptor, i)->attlen != -1)
			continue;
		if (VARATT_IS_EXTERNAL(DatumGetPointer(values[i])))
			return 0;
		bytes += VARSIZE_ANY(DatumGetPointer(values[i]));
	}
	return bytes;
}

static inline char *
put_text(char *at, const char *start, Datum value)
{
	struct varlena *text = (struct varlena *) DatumGetPointer(value);
	Size		bytes;

	if (VARATT_IS_SHORT(text))
	{
		memcpy(at, text, VARSIZE_SHORT(text));
		return at + VARSIZE_SHORT(text);
	}
	if (VARATT_CAN_MAKE_SHORT(text))
	{
		bytes = VARATT_CONVERTED_SHORT_SIZE(text);
		SET_VARSIZE_SHORT(at, bytes);
		memcpy(at + 1, VARDATA(text), bytes - 1);
		return at + bytes;
	}
	at += TYPEALIGN(sizeof(int32), at - start) - (at - start);
	memcpy(at, text, VARSIZE(text));
	return at + VARSIZE(text);
}

static inline char *
put_number(char *at, const char *start, Datum value, Size size)
{
	int32		half = DatumGetInt32(value);

	at += TYPEALIGN(size, at - start) - (at - start);
	if (size == sizeof(half))
		memcpy(at, &half, sizeof(half));
	else
		memcpy(at, &value, sizeof(value));
	return at + size;
}

/* In at most so many bytes; those between columns are 0. */
static void
form(FgRows *rows, const Datum *values, const bool *nulls, Size bytes)
{
	TupleDesc	descriptor = rows->descriptor;
	MinimalTuple tuple = rows->tuple;
	bool		has_null = memchr(nulls, 1, (size_t) descriptor->natts) != NULL;
	Size		head = MAXALIGN(SizeofMinimalTupleHeader +
								(has_null ? BITMAPLEN(descriptor->natts) : 0));
	const char *start = (char *) tuple + head;
	char	   *at = (char *) tuple + head;

	memset(tuple, 0, bytes);
	for (int i = 0; i < descriptor->natts; i++)
	{
		int			size = TupleDescAttr(descriptor, i)->attlen;

		if (nulls[i])
			continue;
		if (has_null)
			tuple->t_bits[i / 8] |= 1 << i % 8;
		if (size == -1)
			tuple->t_infomask |= HEAP_HASVARWIDTH;
		at = size == -1 ? put_text(at, start, values[i]) :
			put_number(at, start, values[i], size);
	}
	tuple->t_len = at - (char *) tuple;
	tuple->t_infomask |= has_null ? HEAP_HASNULL : 0;
	HeapTupleHeaderSetNatts(tuple, descriptor->natts);
	tuple->t_hoff = head + MINIMAL_TUPLE_OFFSET;
}

/* --- rows of a function ------------------------------------------------------------------ */

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
	return fg_rows_begin_within(fcinfo, INT_MAX);
}

FgRows
fg_rows_begin_within(FunctionCallInfo fcinfo, int kilobytes)
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
									   false, Min(work_mem, kilobytes));
	result->returnMode = SFRM_Materialize;
	result->setResult = rows.store;
	result->setDesc = rows.descriptor;
	MemoryContextSwitchTo(previous);
	rows.slot = is_simple(rows.descriptor) ?
		MakeSingleTupleTableSlot(rows.descriptor, &TTSOpsMinimalTuple) : NULL;
	rows.room = 256;
	rows.tuple = palloc(rows.room);
	rows.row = AllocSetContextCreate(CurrentMemoryContext, "row", ALLOCSET_SMALL_SIZES);
	rows.caller = NULL;
	return rows;
}

void
fg_rows_add(FgRows *rows, Datum *values, bool *nulls)
{
	Size		bytes = rows->slot == NULL ? 0 : most_bytes(rows->descriptor, values, nulls);

	if (bytes == 0)
	{
		tuplestore_putvalues(rows->store, rows->descriptor, values, nulls);
		return;
	}
	if (bytes > rows->room)
	{
		rows->tuple = repalloc(rows->tuple, bytes);
		rows->room = bytes;
	}
	form(rows, values, nulls, bytes);
	ExecStoreMinimalTuple(rows->tuple, rows->slot, false);
	tuplestore_puttupleslot(rows->store, rows->slot);
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
