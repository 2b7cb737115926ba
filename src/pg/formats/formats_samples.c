/*
 * formats_samples.c
 *	  recording_samples(): the samples of a recording one by one, in order of time.
 *
 * Samples come from the core in the order in which they end, as ticks since a zero of
 * the file's own.  They go through PostgreSQL's sort, which spills to disk beyond
 * work_mem: only then is it known which was the first, and how long those last that no
 * other follows.
 *
 * Stacks are kept once each, as far as another work_mem reaches, and what is sorted has
 * their numbers: rows of some 100 bytes where a stack alone has 600.  Stacks beyond go
 * through the sort as they are.
 */
#include "pg/base/values.h"

#include <math.h>

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "core/profile/names.h"
#include "pg/base/arguments.h"
#include "pg/base/options.h"
#include "pg/base/rows.h"
#include "pg/formats/recordings.h"

/* The columns of what is sorted. */
enum
{
	START, ORDER, STOP, PERIOD, UNTIL_NEXT, NUMBER, THREAD, STACK, STACK_NUMBER, VALUE,
	COLUMNS
};

static const Oid column_types[COLUMNS] = {
	FLOAT8OID, INT8OID, FLOAT8OID, FLOAT8OID, BOOLOID, INT4OID, TEXTOID, BYTEAOID, INT4OID,
	FLOAT8OID
};

/* Of a stack that is kept, beside its bytes. */
#define STACK_OVERHEAD 64

typedef struct Samples
{
	Tuplesortstate *sort;
	TupleTableSlot *slot;		/* of a sample that comes */
	TupleTableSlot *sorted;
	MemoryContext row;
	FgNames		stacks;			/* those that are kept once */
	size_t		kept_bytes;
	size_t		most_bytes;
	uint32		newest;			/* the one that came last, FG_NONE: it is not among them */
} Samples;

/* By start, then by their place in the file. */
static void
begin_samples(FgContext *ctx, Samples *samples)
{
	TupleDesc	descriptor = CreateTemplateTupleDesc(COLUMNS);
	AttrNumber	keys[2] = {START + 1, ORDER + 1};
	Oid			operators[2];
	Oid			collations[2] = {InvalidOid, InvalidOid};
	bool		nulls_first[2] = {false, false};

	for (int i = 0; i < COLUMNS; i++)
		TupleDescInitEntry(descriptor, (AttrNumber) (i + 1), NULL, column_types[i], -1, 0);
	for (int i = 0; i < 2; i++)
		operators[i] = lookup_type_cache(column_types[keys[i] - 1], TYPECACHE_LT_OPR)->lt_opr;
	samples->slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	samples->sorted = MakeSingleTupleTableSlot(descriptor, &TTSOpsMinimalTuple);
	samples->sort = tuplesort_begin_heap(descriptor, 2, keys, operators, collations, nulls_first,
										 work_mem, NULL, 0);
	samples->row = AllocSetContextCreate(CurrentMemoryContext, "sample", ALLOCSET_DEFAULT_SIZES);
	samples->newest = FG_NONE;
	samples->kept_bytes = 0;
	samples->most_bytes = Min((size_t) work_mem * 1024, FG_MAX_BYTES);
	if (!fg_names_begin(ctx, &samples->stacks))
		fg_throw(ctx, "flamegraph");
}

/* Is this the stack that has this number? */
static bool
is_stack(const FgNames *stacks, uint32 number, const FgTimed *timed)
{
	return number != FG_NONE && stacks->length[number] == timed->path_length &&
		memcmp(stacks->bytes + stacks->offset[number], timed->path, timed->path_length) == 0;
}

/* The stack's number, "newest"; FG_NONE where there is no place for another one. */
static bool
number_stack(Samples *samples, const FgTimed *timed)
{
	FgNames    *stacks = &samples->stacks;
	uint32		hash;

	/* a sample mostly has the stack of the one before */
	if (is_stack(stacks, samples->newest, timed))
		return true;
	if (!fg_work(stacks->ctx, timed->path_length))
		return false;
	hash = fg_names_hash(stacks, timed->path, timed->path_length);
	samples->newest = fg_names_find(stacks, timed->path, timed->path_length, hash);
	if (samples->newest != FG_NONE ||
		timed->path_length + STACK_OVERHEAD > samples->most_bytes - samples->kept_bytes)
		return true;
	samples->kept_bytes += timed->path_length + STACK_OVERHEAD;
	return fg_names_append(stacks, timed->path, timed->path_length, hash, &samples->newest);
}

/* FgTaker.take */
static bool
take_sample(void *arg, const FgTimed *timed)
{
	Samples    *samples = arg;
	TupleTableSlot *slot = samples->slot;
	MemoryContext caller;
	Datum	   *values;
	bool	   *nulls;

	if (!number_stack(samples, timed))
		return false;
	caller = MemoryContextSwitchTo(samples->row);
	ExecClearTuple(slot);
	values = slot->tts_values;
	nulls = slot->tts_isnull;
	memset(nulls, 0, COLUMNS * sizeof(bool));
	values[START] = Float8GetDatum(timed->start);
	values[ORDER] = Int64GetDatum((int64) timed->order);
	values[STOP] = Float8GetDatum(timed->stop);
	values[PERIOD] = Float8GetDatum(timed->period);
	values[UNTIL_NEXT] = BoolGetDatum(timed->until_next);
	values[NUMBER] = Int32GetDatum((int32) timed->number);
	nulls[THREAD] = !timed->has_thread;
	values[THREAD] = timed->has_thread
		? PointerGetDatum(fg_varlena(timed->thread, timed->thread_length)) : (Datum) 0;
	nulls[STACK] = samples->newest != FG_NONE;
	values[STACK] = nulls[STACK]
		? (Datum) 0 : PointerGetDatum(fg_varlena(timed->path, timed->path_length));
	nulls[STACK_NUMBER] = !nulls[STACK];
	values[STACK_NUMBER] = UInt32GetDatum(samples->newest);
	values[VALUE] = Float8GetDatum(timed->value);
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(samples->sort, slot);
	MemoryContextSwitchTo(caller);
	MemoryContextReset(samples->row);
	return true;
}

/* What a sorted row says, but for its texts. */
static FgTimed
sorted_sample(const TupleTableSlot *slot)
{
	const Datum *values = slot->tts_values;

	return (FgTimed)
	{
		.number = (uint32) DatumGetInt32(values[NUMBER]),
			.start = DatumGetFloat8(values[START]),
			.stop = DatumGetFloat8(values[STOP]),
			.period = DatumGetFloat8(values[PERIOD]),
			.until_next = DatumGetBool(values[UNTIL_NEXT])
	};
}

/* What is the same in all rows of an event, or of all. */
typedef struct Constants
{
	Datum		format;
	Datum	   *events;
	Datum	   *units;
} Constants;

static Constants
make_constants(const FgRecording *recording, const FgEventName *names)
{
	Constants	constants = {
		.format = CStringGetTextDatum(fg_format_names[recording->format]),
		.events = palloc(recording->count * sizeof(Datum) + 1),
		.units = palloc(recording->count * sizeof(Datum) + 1)
	};

	for (size_t i = 0; i < recording->count; i++)
	{
		constants.events[i] = CStringGetTextDatum(names[i].event);
		constants.units[i] = CStringGetTextDatum(names[i].unit);
	}
	return constants;
}

/*
 * The stack of a sorted row.  One that has a number is made when it is not that of the row
 * before, which "made" keeps, a new datum in the place of the old one.
 */
typedef struct MadeStack
{
	uint32		number;
	Datum		value;
} MadeStack;

static Datum
sorted_stack(const Samples *samples, MadeStack *made)
{
	const TupleTableSlot *slot = samples->sorted;
	const FgNames *stacks = &samples->stacks;
	uint32		number = DatumGetUInt32(slot->tts_values[STACK_NUMBER]);

	if (slot->tts_isnull[STACK_NUMBER])
		return slot->tts_values[STACK];
	if (number == made->number)
		return made->value;
	if (made->number != FG_NONE)
		pfree(DatumGetPointer(made->value));
	made->number = number;
	made->value = PointerGetDatum(fg_varlena(stacks->bytes + stacks->offset[number],
											 stacks->length[number]));
	return made->value;
}

static void
add_rows(FgRows *rows, Samples *samples, const FgRecording *recording, const Constants *constants)
{
	TupleTableSlot *slot = samples->sorted;
	double		ticks = recording->ticks_per_second;
	double		first = 0;
	bool		has_first = false;
	MadeStack	made = {FG_NONE, 0};

	while (tuplesort_gettupleslot(samples->sort, true, false, slot, NULL))
	{
		FgTimed		timed;
		Datum		values[8];
		bool		nulls[8] = {false};

		slot_getallattrs(slot);
		timed = sorted_sample(slot);
		if (!has_first)
			first = timed.start;
		has_first = true;
		values[0] = constants->format;
		values[1] = constants->events[timed.number];
		values[2] = constants->units[timed.number];
		values[3] = slot->tts_values[THREAD];
		nulls[3] = slot->tts_isnull[THREAD];
		values[4] = fg_finite((timed.start - first) / ticks, "a time");
		values[5] = fg_finite((fg_timed_stop(&timed, recording->profiles[timed.number].gap) -
							   first) / ticks, "a time");
		values[6] = sorted_stack(samples, &made);
		values[7] = slot->tts_values[VALUE];
		fg_rows_add(rows, values, nulls);
		CHECK_FOR_INTERRUPTS();
	}
}

/* The seconds that a sample lasts where the file does not say it; 0: it is not given. */
static double
get_interval(Jsonb *json)
{
	double		interval = 0;

	if (fg_option_double(json, "interval", &interval) && !(interval >= 1e-9 && interval <= 1e9))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"interval\" must be seconds from 1e-9 to 1e9")));
	return interval;
}

PG_FUNCTION_INFO_V1(flamegraph_recording_samples);
Datum
flamegraph_recording_samples(PG_FUNCTION_ARGS)
{
	static const char *const keys[] = {FG_READ_KEYS, "interval"};
	FgSpan		data = PG_GETARG_SPAN(0);
	Jsonb	   *json = PG_GETARG_JSONB_P(2);
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "flamegraph recording",
												 ALLOCSET_DEFAULT_SIZES);
	FgContext	ctx = fg_context_in(memory);
	FgRows		rows = fg_rows_begin(fcinfo);
	FgReadOptions options;
	FgRecording recording;
	Samples		samples;
	FgTaker		taker = {take_sample, &samples, 0};
	Constants	constants;

	fg_options_check(json, "recording_samples", keys, lengthof(keys));
	options = fg_read_options(json, data);
	options.format = (FgFormat) fg_word(PG_GETARG_SPAN(1), "format", fg_format_names,
										lengthof(fg_format_names));
	taker.interval = get_interval(json);
	options.taker = &taker;
	begin_samples(&ctx, &samples);
	fg_read_recording(&ctx, data, &options, &recording);
	tuplesort_performsort(samples.sort);
	constants = make_constants(&recording, fg_recording_names(&ctx, json, &recording, true));
	add_rows(&rows, &samples, &recording, &constants);
	tuplesort_end(samples.sort);
	ExecDropSingleTupleTableSlot(samples.slot);
	ExecDropSingleTupleTableSlot(samples.sorted);
	MemoryContextDelete(memory);
	return (Datum) 0;
}
