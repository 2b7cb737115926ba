/*
 * firefox.c
 *	  Profiles of the Firefox Profiler, as it saves them and as samply and others write them
 *	  ("processed", all versions), and as Firefox itself dumps them ("Gecko").
 *
 * Both are threads with samples, and tables that these refer to: texts, stacks, frames,
 * functions, libraries.  A table is an object of columns; in Gecko's form it has a schema,
 * the places of the columns in a row, and rows.  Tables belong to a thread, or from version
 * 56 and 60 on to the profile ("shared"); a profile of Gecko's holds those of further
 * processes.
 *
 * Samples may stand before what they refer to.  So what is kept of a thread is its tables and
 * some bytes a sample, until the thread ends where all is known by then, else until its
 * process does.  Then stacks are taken from the tables (firefox_stacks.h).
 *
 * Events: the samples with their weights; what each thread used of the CPU until a sample
 * (threadCPUDelta); allocations of JavaScript; native allocations, and what was freed.
 * Stacks of markers are not samples.
 */
#include "core/browsers/firefox_rows.h"
#include "core/browsers/firefox_samples.h"

#include "core/reading/json_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Process
{
	FgFirefoxLibs libs;
	double		start;			/* meta.startTime */
	bool		has_meta;
	size_t		first_thread;	/* of those that are kept */
} Process;

#define MAX_PROCESSES 64		/* inside each other */
#define MAX_TEXTS 2

typedef struct Firefox
{
	FgFirefox	whole;
	FgContext  *ctx;
	FgJson	   *json;
	int			texts;			/* in which "json" is */
	bool		has_threads;
	bool		shared_ended;
	Process    *processes;		/* that are open, the whole profile first */
	size_t		process_count;
	size_t		process_capacity;
	FgFirefoxThread *threads;	/* that are kept */
	size_t		thread_count;
	size_t		thread_capacity;
	FgFirefoxTables *tables;	/* that are being read: of the thread, or the shared ones */
	FgFirefoxSamples *list;
	FgFirefoxLib lib;
	FgFirefoxRows rows;			/* of the table that is being read */
	int			row_place;		/* of those that stand before their schema */
} Firefox;

/* --- places -------------------------------------------------------------------------- */

enum
{
	PROCESS = 1, TOOLS, PROCESSES, META, LIBS, LIB, SHARED, THREADS, THREAD,
	INTERVAL, START_TIME, PREPROCESSED, SAMPLE_UNITS, CPU_UNIT, TIME_UNIT,
	LIB_NAME, LIB_START, LIB_END, LIB_OFFSET,
	THREAD_NAME, THREAD_PID, THREAD_TID,
	STRINGS, STRING,
	STACK_TABLE, FRAME_TABLE, FUNC_TABLE, RESOURCE_TABLE,
	SAMPLE_LIST, JS_LIST, NATIVE_LIST,
	/* columns, in the order of FgFirefoxColumn, and their elements */
	COLUMN,
	ELEMENT = COLUMN + FG_FIREFOX_COLUMNS,
	ADDRESSES = ELEMENT + FG_FIREFOX_COLUMNS,
	ADDRESS,
	STACKS, SAMPLE_STACK, TIMES, TIME, DELTAS, DELTA, WEIGHTS, WEIGHT, CPUS, CPU, WEIGHT_TYPE,
	/* Gecko's form */
	SCHEMA, FIELD, STACK_ROWS, STACK_ROW, FRAME_ROWS, FRAME_ROW, SAMPLE_ROWS, SAMPLE_ROW, CELL
};

#define NUMBERS (FG_JSON_NUMBER | FG_JSON_NULL)
#define LIST_OR_NULL (FG_JSON_ARRAY | FG_JSON_NULL)

#define OF_PROFILE(parent) \
	{parent, "meta", META, FG_JSON_OBJECT}, \
	{parent, "libs", LIBS, FG_JSON_ARRAY | FG_JSON_STRING | FG_JSON_NULL}, \
	{parent, "shared", SHARED, FG_JSON_OBJECT}, \
	{parent, "threads", THREADS, FG_JSON_ARRAY}, \
	{parent, "processes", PROCESSES, LIST_OR_NULL}

#define OF_TABLES(parent) \
	{parent, "stringArray", STRINGS, FG_JSON_ARRAY}, \
	{parent, "stringTable", STRINGS, FG_JSON_ARRAY}, \
	{parent, "stackTable", STACK_TABLE, FG_JSON_OBJECT}, \
	{parent, "frameTable", FRAME_TABLE, FG_JSON_OBJECT}, \
	{parent, "funcTable", FUNC_TABLE, FG_JSON_OBJECT}, \
	{parent, "resourceTable", RESOURCE_TABLE, FG_JSON_OBJECT}

#define OF_SAMPLES(parent) \
	{parent, "stack", STACKS, FG_JSON_ARRAY}, \
	{parent, "time", TIMES, LIST_OR_NULL}, \
	{parent, "timeDeltas", DELTAS, LIST_OR_NULL}, \
	{parent, "weight", WEIGHTS, LIST_OR_NULL}, \
	{parent, "duration", WEIGHTS, LIST_OR_NULL}, \
	{parent, "weightType", WEIGHT_TYPE, FG_JSON_STRING | FG_JSON_NULL}

#define OF_LIB(parent) \
	{parent, "name", LIB_NAME, FG_JSON_STRING}, \
	{parent, "start", LIB_START, NUMBERS}, \
	{parent, "end", LIB_END, NUMBERS}, \
	{parent, "offset", LIB_OFFSET, NUMBERS}

static const FgJsonRule lib_rules[] = {
	{FG_JSON_ROOT, NULL, LIB, FG_JSON_OBJECT},
	OF_LIB(LIB),
	{0, NULL, 0, 0}
};

static const FgJsonRule rules[] = {
	OF_PROFILE(FG_JSON_ROOT),
	/* what the developer tools of Firefox saved before they opened profiler.firefox.com */
	{FG_JSON_ROOT, "profile", TOOLS, FG_JSON_OBJECT},
	OF_PROFILE(TOOLS),
	OF_PROFILE(PROCESS),
	{PROCESSES, NULL, PROCESS, FG_JSON_OBJECT | FG_JSON_STRING},
	{META, "interval", INTERVAL, NUMBERS},
	{META, "startTime", START_TIME, NUMBERS},
	{META, "preprocessedProfileVersion", PREPROCESSED, FG_JSON_NUMBER},
	{META, "sampleUnits", SAMPLE_UNITS, FG_JSON_OBJECT | FG_JSON_NULL},
	{SAMPLE_UNITS, "threadCPUDelta", CPU_UNIT, FG_JSON_STRING | FG_JSON_NULL},
	{SAMPLE_UNITS, "time", TIME_UNIT, FG_JSON_STRING | FG_JSON_NULL},
	{LIBS, NULL, LIB, FG_JSON_OBJECT},
	OF_LIB(LIB),
	OF_TABLES(SHARED),
	{THREADS, NULL, THREAD, FG_JSON_OBJECT | FG_JSON_STRING},
	{THREAD, "name", THREAD_NAME, FG_JSON_STRING | FG_JSON_NULL},
	{THREAD, "pid", THREAD_PID, FG_JSON_STRING | NUMBERS},
	{THREAD, "tid", THREAD_TID, FG_JSON_STRING | NUMBERS},
	{THREAD, "samples", SAMPLE_LIST, FG_JSON_OBJECT},
	{THREAD, "jsAllocations", JS_LIST, FG_JSON_OBJECT | FG_JSON_NULL},
	{THREAD, "nativeAllocations", NATIVE_LIST, FG_JSON_OBJECT | FG_JSON_NULL},
	OF_TABLES(THREAD),
	{STRINGS, NULL, STRING, FG_JSON_STRING},
	{STACK_TABLE, "frame", COLUMN + FG_FIREFOX_STACK_FRAME, FG_JSON_ARRAY},
	{STACK_TABLE, "prefix", COLUMN + FG_FIREFOX_STACK_PREFIX, FG_JSON_ARRAY},
	{STACK_TABLE, "prefixOffset", COLUMN + FG_FIREFOX_STACK_OFFSET, FG_JSON_ARRAY},
	{STACK_TABLE, "schema", SCHEMA, FG_JSON_OBJECT},
	{STACK_TABLE, "data", STACK_ROWS, FG_JSON_ARRAY},
	{FRAME_TABLE, "func", COLUMN + FG_FIREFOX_FRAME_FUNC, FG_JSON_ARRAY},
	{FRAME_TABLE, "line", COLUMN + FG_FIREFOX_FRAME_LINE, FG_JSON_ARRAY},
	{FRAME_TABLE, "address", ADDRESSES, FG_JSON_ARRAY},
	{FRAME_TABLE, "schema", SCHEMA, FG_JSON_OBJECT},
	{FRAME_TABLE, "data", FRAME_ROWS, FG_JSON_ARRAY},
	{FUNC_TABLE, "name", COLUMN + FG_FIREFOX_FUNC_NAME, FG_JSON_ARRAY},
	{FUNC_TABLE, "resource", COLUMN + FG_FIREFOX_FUNC_RESOURCE, FG_JSON_ARRAY},
	{RESOURCE_TABLE, "name", COLUMN + FG_FIREFOX_RESOURCE_NAME, FG_JSON_ARRAY},
	{RESOURCE_TABLE, "type", COLUMN + FG_FIREFOX_RESOURCE_TYPE, FG_JSON_ARRAY},
	OF_SAMPLES(SAMPLE_LIST),
	{SAMPLE_LIST, "threadCPUDelta", CPUS, LIST_OR_NULL},
	{SAMPLE_LIST, "schema", SCHEMA, FG_JSON_OBJECT},
	{SAMPLE_LIST, "data", SAMPLE_ROWS, FG_JSON_ARRAY},
	OF_SAMPLES(JS_LIST),
	OF_SAMPLES(NATIVE_LIST),
	{COLUMN + FG_FIREFOX_STACK_FRAME, NULL, ELEMENT + FG_FIREFOX_STACK_FRAME, NUMBERS},
	{COLUMN + FG_FIREFOX_STACK_PREFIX, NULL, ELEMENT + FG_FIREFOX_STACK_PREFIX, NUMBERS},
	{COLUMN + FG_FIREFOX_STACK_OFFSET, NULL, ELEMENT + FG_FIREFOX_STACK_OFFSET, NUMBERS},
	{COLUMN + FG_FIREFOX_FRAME_FUNC, NULL, ELEMENT + FG_FIREFOX_FRAME_FUNC, NUMBERS},
	{COLUMN + FG_FIREFOX_FRAME_LINE, NULL, ELEMENT + FG_FIREFOX_FRAME_LINE, NUMBERS},
	{COLUMN + FG_FIREFOX_FUNC_NAME, NULL, ELEMENT + FG_FIREFOX_FUNC_NAME, NUMBERS},
	{COLUMN + FG_FIREFOX_FUNC_RESOURCE, NULL, ELEMENT + FG_FIREFOX_FUNC_RESOURCE, NUMBERS},
	{COLUMN + FG_FIREFOX_RESOURCE_NAME, NULL, ELEMENT + FG_FIREFOX_RESOURCE_NAME, NUMBERS},
	{COLUMN + FG_FIREFOX_RESOURCE_TYPE, NULL, ELEMENT + FG_FIREFOX_RESOURCE_TYPE, NUMBERS},
	{ADDRESSES, NULL, ADDRESS, NUMBERS},
	{STACKS, NULL, SAMPLE_STACK, NUMBERS},
	{TIMES, NULL, TIME, NUMBERS},
	{DELTAS, NULL, DELTA, NUMBERS},
	{WEIGHTS, NULL, WEIGHT, NUMBERS},
	{CPUS, NULL, CPU, NUMBERS},
	{SCHEMA, FG_JSON_OTHER_KEYS, FIELD, FG_JSON_NUMBER},
	{STACK_ROWS, NULL, STACK_ROW, FG_JSON_ARRAY},
	{FRAME_ROWS, NULL, FRAME_ROW, FG_JSON_ARRAY},
	{SAMPLE_ROWS, NULL, SAMPLE_ROW, FG_JSON_ARRAY},
	{STACK_ROW, NULL, CELL, FG_JSON_ANY},
	{FRAME_ROW, NULL, CELL, FG_JSON_ANY},
	{SAMPLE_ROW, NULL, CELL, FG_JSON_ANY},
	{0, NULL, 0, 0}
};

/* --- columns --------------------------------------------------------------------------- */

/* Numbers of a column that are taken together and not kept as they are. */
#define PIECE 128

/* An index; FG_NONE for null and -1. */
static bool
take_index(Firefox *f, const FgJsonValue *value, uint32_t *number)
{
	*number = FG_NONE;
	return value->type == FG_JSON_NULL || fg_json_equals(value, "-1") ||
		fg_json_index(f->json, value, number);
}

/* The elements behind one of a column, as far as they are plain numbers. */
static bool
take_next(Firefox *f, FgPackedDoubles *doubles)
{
	do
	{
		doubles->count += fg_json_next_numbers(f->json, doubles->items + doubles->count,
											   doubles->capacity - doubles->count);
		if (doubles->count < doubles->capacity)
			return true;
	} while (fg_json_at(f->json, fg_packed_doubles_room(f->ctx, doubles, FG_MAX_KEPT_SAMPLES)));
	return false;
}

/* An element, and those behind it. */
static bool
take_doubles(Firefox *f, const FgJsonValue *value, FgPackedDoubles *doubles)
{
	double		number = NAN;

	return (value->type != FG_JSON_NUMBER || fg_json_number(f->json, value, &number)) &&
		fg_json_at(f->json, fg_firefox_keep_double(f->ctx, doubles, number)) && take_next(f, doubles);
}

/* These are asked for in any order later. */
static bool
take_addresses(Firefox *f, const FgJsonValue *value, FgFirefoxDoubles *addresses)
{
	double		number = NAN;

	if (value->type == FG_JSON_NUMBER && !fg_json_number(f->json, value, &number))
		return false;
	do
	{
		if (!fg_json_at(f->json, fg_firefox_double(f->ctx, addresses, number)))
			return false;
	} while (fg_json_next_numbers(f->json, &number, 1) == 1);
	return true;
}

static bool
take_weights(Firefox *f, const FgJsonValue *value, FgFirefoxWeights *weights)
{
	double		piece[PIECE] = {NAN};
	size_t		count = 1;

	if (value->type == FG_JSON_NUMBER && !fg_json_number(f->json, value, &piece[0]))
		return false;
	do
	{
		if (!fg_json_at(f->json, fg_firefox_weights_add(f->ctx, weights, piece, count)))
			return false;
		if (fg_packed_doubles_count(&weights->rest) > 0)
			return take_next(f, &weights->rest);
		count = fg_json_next_numbers(f->json, piece, PIECE);
	} while (count > 0);
	return true;
}

static bool
take_stacks(Firefox *f, const FgJsonValue *value, FgPackedIndices *stacks)
{
	uint32_t	number;

	if (!take_index(f, value, &number) || !fg_json_at(f->json, fg_firefox_keep_index(f->ctx, stacks, number)))
		return false;
	do
	{
		stacks->count += fg_json_next_indices(f->json, stacks->items + stacks->count, stacks->capacity - stacks->count);
		if (stacks->count < stacks->capacity)
			return true;
	} while (fg_json_at(f->json, fg_packed_indices_room(f->ctx, stacks, FG_MAX_KEPT_SAMPLES)));
	return false;
}

static bool
take_numbers(Firefox *f, const FgJsonValue *value, FgFirefoxNumbers *numbers)
{
	uint32_t	number;

	if (!take_index(f, value, &number) || !fg_json_at(f->json, fg_firefox_number(f->ctx, numbers, number)))
		return false;
	do
	{
		numbers->count += fg_json_next_indices(f->json, numbers->items + numbers->count,
											   numbers->capacity - numbers->count);
		if (numbers->count < numbers->capacity)
			return true;
	} while (fg_json_at(f->json, fg_firefox_numbers_room(f->ctx, numbers)));
	return false;
}

/* A second column of the same name would mix with the first. */
static bool
begin_column(Firefox *f, const FgJsonValue *value, size_t count)
{
	return value->end || count == 0 ||
		fg_json_fail(f->json, FG_ERROR_SYNTAX, NULL, "there are two lists of this name");
}

static bool
take_weight_type(Firefox *f, const FgJsonValue *value)
{
	return value->type == FG_JSON_NULL || fg_firefox_weight_type(value, &f->list->weight_type) ||
		fg_json_fail(f->json, FG_ERROR_SYNTAX, "Weights are samples, tracing-ms or bytes.",
					 "there is no weight type \"%.*s\"", (int) (value->length < 40 ? value->length : 40), value->text);
}

/* Times and CPU deltas are kept only where they are wanted. */
static bool
take_sample(Firefox *f, int place, const FgJsonValue *value)
{
	double		unwanted[PIECE];

	switch (place)
	{
		case SAMPLE_STACK:
			return take_stacks(f, value, &f->list->stacks);
		case TIME:
		case DELTA:
			if (fg_sink_is_timed(f->whole.sink))
				return take_doubles(f, value, &f->list->times);
			while (fg_json_next_numbers(f->json, unwanted, PIECE) == PIECE)
				continue;
			return true;
		case WEIGHT:
			return take_weights(f, value, &f->list->weights);
		default:
			return take_doubles(f, value, &f->list->cpu);
	}
}

/* --- rows of Gecko's form ---------------------------------------------------------------- */

static bool
add_row_number(Firefox *f, FgFirefoxField field, FgFirefoxNumbers *numbers)
{
	uint32_t	number;

	return fg_firefox_rows_index(&f->rows, f->json, field, &number) &&
		fg_json_at(f->json, fg_firefox_number(f->ctx, numbers, number));
}

static bool
add_row_double(Firefox *f, FgFirefoxField field, FgPackedDoubles *doubles)
{
	return fg_json_at(f->json, fg_firefox_keep_double(f->ctx, doubles, f->rows.row[field]));
}

static bool
add_row_stack(Firefox *f)
{
	uint32_t	stack;

	return fg_firefox_rows_index(&f->rows, f->json, FG_FIREFOX_FIELD_STACK, &stack) &&
		fg_json_at(f->json, fg_firefox_keep_index(f->ctx, &f->list->stacks, stack));
}

static bool
end_row(Firefox *f, int place)
{
	FgFirefoxNumbers *columns = f->tables->columns;

	if (place == STACK_ROW)
		return add_row_number(f, FG_FIREFOX_FIELD_PREFIX, &columns[FG_FIREFOX_STACK_PREFIX]) &&
			add_row_number(f, FG_FIREFOX_FIELD_FRAME, &columns[FG_FIREFOX_STACK_FRAME]);
	if (place == FRAME_ROW)
		return add_row_number(f, FG_FIREFOX_FIELD_LOCATION, &columns[FG_FIREFOX_FRAME_LOCATION]) &&
			add_row_number(f, FG_FIREFOX_FIELD_LINE, &columns[FG_FIREFOX_FRAME_LINE]);
	return add_row_stack(f) &&
		(!fg_sink_is_timed(f->whole.sink) ||
		 add_row_double(f, FG_FIREFOX_FIELD_TIME, &f->list->times)) &&
		add_row_double(f, FG_FIREFOX_FIELD_CPU, &f->list->cpu);
}

static bool
take_row(Firefox *f, int place, const FgJsonValue *value)
{
	if (!value->end)
	{
		fg_firefox_rows_begin(&f->rows);
		return true;
	}
	if (f->rows.has_schema)
		return end_row(f, place);
	f->row_place = place;
	return fg_firefox_rows_keep(&f->rows);
}

/* The rows of a table that stood before its schema. */
static bool
take_kept_rows(Firefox *f)
{
	FgFirefoxRows *rows = &f->rows;

	if (rows->kept.count > 0 && !rows->has_schema)
		return fg_json_fail(f->json, FG_ERROR_SYNTAX, NULL, "this table has rows and no schema");
	while (fg_firefox_rows_next(rows))
	{
		if (!fg_check_every(f->ctx, rows->taken) || !end_row(f, f->row_place))
			return false;
	}
	return true;
}

/* --- threads and processes ------------------------------------------------------------------ */

static void
free_thread(Firefox *f, FgFirefoxThread *thread)
{
	fg_firefox_tables_free(thread->tables);
	for (int i = 0; i < FG_FIREFOX_LISTS; i++)
		fg_firefox_samples_free(f->ctx, &thread->lists[i]);
	fg_release(f->ctx, thread->name.data);
	fg_release(f->ctx, thread->pid.data);
	fg_release(f->ctx, thread->tid.data);
}

static bool
begin_thread(Firefox *f)
{
	FgFirefoxThread *thread;

	if (!fg_reserve(f->ctx, (void **) &f->threads, &f->thread_capacity, f->thread_count + 1, sizeof(FgFirefoxThread)))
		return false;
	thread = &f->threads[f->thread_count];
	*thread = (FgFirefoxThread) {.name.ctx = f->ctx, .pid.ctx = f->ctx, .tid.ctx = f->ctx};
	thread->lists[FG_FIREFOX_JS_ALLOCATIONS].weight_type = thread->lists[FG_FIREFOX_NATIVE_ALLOCATIONS].weight_type = FG_FIREFOX_WEIGHT_BYTES;
	thread->tables = f->tables = fg_firefox_tables_create(f->ctx);
	f->thread_count += thread->tables != NULL;
	return thread->tables != NULL;
}

/* Takes the stacks of all threads that are kept from this one on. */
static bool
add_threads(Firefox *f, size_t first)
{
	const Process *process = &f->processes[f->process_count - 1];
	bool		ok = true;

	f->whole.start = f->processes[0].start;
	for (size_t i = first; ok && i < f->thread_count; i++)
		ok = fg_firefox_add_thread(&f->whole, &f->threads[i], &process->libs, process->start);
	while (f->thread_count > first)
		free_thread(f, &f->threads[--f->thread_count]);
	return ok;
}

/* Is all known that the stacks of this thread need? */
static bool
is_complete(const Firefox *f, const FgFirefoxTables *tables)
{
	return f->whole.preprocessed && f->processes[f->process_count - 1].has_meta &&
		(f->shared_ended || (tables->has_strings && tables->columns[FG_FIREFOX_STACK_FRAME].count > 0));
}

static bool
end_thread(Firefox *f)
{
	const FgFirefoxTables *tables = f->threads[f->thread_count - 1].tables;

	f->tables = NULL;
	return !is_complete(f, tables) || add_threads(f, f->thread_count - 1);
}

static bool
begin_process(Firefox *f)
{
	if (f->process_count >= MAX_PROCESSES)
		return fg_fail(f->ctx, FG_ERROR_LIMIT, "more than %d processes are inside each other", MAX_PROCESSES);
	if (!fg_reserve(f->ctx, (void **) &f->processes, &f->process_capacity, f->process_count + 1,
					sizeof(Process)))
		return false;
	f->processes[f->process_count++] = (Process) {
		.libs.names.ctx = f->ctx,
		.first_thread = f->thread_count
	};
	return true;
}

static void
free_process(Firefox *f, Process *process)
{
	fg_release(f->ctx, process->libs.items);
	fg_release(f->ctx, process->libs.names.data);
}

static bool
end_process(Firefox *f)
{
	Process    *process = &f->processes[f->process_count - 1];
	bool		ok;

	fg_firefox_libs_sort(&process->libs);
	ok = add_threads(f, process->first_thread);
	free_process(f, process);
	f->process_count--;
	return ok;
}

static bool take_value(void *arg, int place, const FgJsonValue *value);

/*
 * Firefox before 59 wrote profiles of other processes, and lists of libraries, as texts that hold
 * JSON.
 */
static bool
take_text(Firefox *f, const FgJsonValue *value, const FgJsonRule *text_rules)
{
	FgJson	   *outer = f->json;
	bool		ok;

	if (f->texts >= MAX_TEXTS)
		return fg_json_fail(f->json, FG_ERROR_LIMIT, NULL, "a text of a text of a text is JSON");
	f->json = fg_json_open(f->ctx, "text of a Firefox profile", text_rules, take_value, f);
	if (f->json != NULL && text_rules == lib_rules)
		fg_json_allow_array(f->json);
	f->texts++;
	ok = f->json != NULL && fg_json_feed(f->json, value->text, value->length) && fg_json_finish(f->json);
	f->texts--;
	fg_json_close(f->json);
	f->json = outer;
	return ok;
}

static bool
take_process(Firefox *f, const FgJsonValue *value)
{
	if (value->type == FG_JSON_STRING)
		return begin_process(f) && take_text(f, value, rules) && end_process(f);
	return value->end ? end_process(f) : begin_process(f);
}

/* --- what surrounds the samples ---------------------------------------------------------------- */

static bool
take_unit(Firefox *f, int place, const FgJsonValue *value)
{
	if (value->type == FG_JSON_NULL)
		return true;
	if (place == TIME_UNIT)
		f->whole.time_is_bytes = fg_json_equals(value, "bytes");
	else if (fg_json_equals(value, "ns"))
		f->whole.cpu_unit = "nanoseconds";
	else if (fg_json_equals(value, "\xC2\xB5s") || fg_json_equals(value, "\xCE\xBCs"))
		f->whole.cpu_unit = "microseconds";
	else if (fg_json_equals(value, "variable CPU cycles"))
		f->whole.cpu_unit = "cycles";
	return true;
}

static bool
take_meta(Firefox *f, int place, const FgJsonValue *value)
{
	Process    *process = &f->processes[f->process_count - 1];

	switch (place)
	{
		case META:
			process->has_meta |= value->end;
			return true;
		case INTERVAL:
			if (value->type == FG_JSON_NULL)
				return true;
			return fg_json_number(f->json, value, &f->whole.interval) &&
				(f->whole.interval >= 0 ||
				 fg_json_fail(f->json, FG_ERROR_SYNTAX, NULL, "the interval is negative"));
		case START_TIME:
			return value->type == FG_JSON_NULL || fg_json_number(f->json, value, &process->start);
		case PREPROCESSED:
			f->whole.preprocessed = true;
			return true;
		default:
			return take_unit(f, place, value);
	}
}

/* An address; fractions and exponents are none. */
static bool
take_address(Firefox *f, const FgJsonValue *value, uint64_t *address)
{
	*address = 0;
	if (value->type == FG_JSON_NULL)
		return true;
	for (size_t i = 0; i < value->length; i++)
	{
		char		c = value->text[i];

		if (c < '0' || c > '9' || *address > (UINT64_MAX - 9) / 10)
			return fg_json_fail(f->json, FG_ERROR_SYNTAX, NULL, "this is not an address of 64 bits");
		*address = *address * 10 + (uint64_t) (c - '0');
	}
	return true;
}

/* Old versions have the whole path. */
static bool
name_lib(Firefox *f, FgFirefoxLibs *libs, const FgJsonValue *value)
{
	size_t		start = value->length;

	while (start > 0 && value->text[start - 1] != '/' && value->text[start - 1] != '\\')
		start--;
	f->lib.name = libs->names.size;
	f->lib.length = value->length - start;
	return fg_buffer_append(&libs->names, value->text + start, f->lib.length);
}

static bool
take_lib(Firefox *f, int place, const FgJsonValue *value)
{
	FgFirefoxLibs *libs = &f->processes[f->process_count - 1].libs;

	switch (place)
	{
		case LIB:
			if (!value->end)
			{
				f->lib = (FgFirefoxLib) {.name = libs->names.size};
				return true;
			}
			if (f->lib.length == 0 || f->lib.end <= f->lib.start)
				return true;
			if (!fg_reserve(f->ctx, (void **) &libs->items, &libs->capacity, libs->count + 1,
							sizeof(FgFirefoxLib)))
				return false;
			libs->items[libs->count++] = f->lib;
			return true;
		case LIB_NAME:
			return name_lib(f, libs, value);
		case LIB_START:
			return take_address(f, value, &f->lib.start);
		case LIB_END:
			return take_address(f, value, &f->lib.end);
		default:
			return take_address(f, value, &f->lib.offset);
	}
}

static bool
take_thread(Firefox *f, int place, const FgJsonValue *value)
{
	FgFirefoxThread *thread;
	FgBuffer   *text;

	if (place == THREAD)
	{
		if (value->type == FG_JSON_STRING)
			return take_process(f, value);
		return value->end ? end_thread(f) : begin_thread(f);
	}
	thread = &f->threads[f->thread_count - 1];
	text = place == THREAD_NAME ? &thread->name : place == THREAD_PID ? &thread->pid : &thread->tid;
	text->size = 0;
	return value->type == FG_JSON_NULL || fg_buffer_append(text, value->text, value->length);
}

static bool
take_strings(Firefox *f, int place, const FgJsonValue *value)
{
	if (place == STRING)
		return fg_firefox_string(f->ctx, &f->tables->strings, value->text, value->length);
	if (value->end)
		return true;
	if (f->tables->has_strings)
		return fg_json_fail(f->json, FG_ERROR_SYNTAX, NULL, "there are two lists of texts");
	f->tables->has_strings = true;
	return true;
}

static bool
take_shared(Firefox *f, const FgJsonValue *value)
{
	if (value->end)
	{
		f->tables = NULL;
		f->shared_ended = true;
		return true;
	}
	if (f->whole.shared != NULL)
		return fg_json_fail(f->json, FG_ERROR_SYNTAX, NULL, "there are two objects \"shared\"");
	f->whole.shared = f->tables = fg_firefox_tables_create(f->ctx);
	return f->whole.shared != NULL;
}

/* A table or a list begins: the schema is its own. */
static bool
begin_table(Firefox *f, int place, const FgJsonValue *value)
{
	if (value->end)
		return take_kept_rows(f);
	if (value->type == FG_JSON_NULL)
		return true;
	f->rows.has_schema = false;
	if (place >= SAMPLE_LIST)
		f->list = &f->threads[f->thread_count - 1].lists[place - SAMPLE_LIST];
	return true;
}

/* The lists of a list of samples. */
static bool
begin_samples(Firefox *f, int place, const FgJsonValue *value)
{
	const FgFirefoxSamples *list = f->list;

	if (value->type == FG_JSON_NULL || value->end)
		return true;
	if (place == DELTAS)
		f->list->are_deltas = true;
	return begin_column(f, value, place == STACKS ? fg_packed_indices_count(&list->stacks)
						: place == WEIGHTS ? fg_firefox_weight_count(&list->weights)
						: fg_packed_doubles_count(place == CPUS ? &list->cpu : &list->times));
}

static bool
take_table(Firefox *f, int place, const FgJsonValue *value)
{
	if (place >= COLUMN && place < ELEMENT)
		return begin_column(f, value, f->tables->columns[place - COLUMN].count);
	if (place >= ELEMENT && place < ADDRESSES)
		return take_numbers(f, value, &f->tables->columns[place - ELEMENT]);
	switch (place)
	{
		case ADDRESSES:
			return begin_column(f, value, f->tables->addresses.count);
		case ADDRESS:
			return take_addresses(f, value, &f->tables->addresses);
		case STACKS:
		case TIMES:
		case DELTAS:
		case WEIGHTS:
		case CPUS:
			return begin_samples(f, place, value);
		case WEIGHT_TYPE:
			return take_weight_type(f, value);
		case SCHEMA:
			if (!value->end)
				fg_firefox_rows_schema(&f->rows);
			return true;
		case FIELD:
			return fg_firefox_rows_field(&f->rows, f->json, value);
		case STACK_ROWS:
		case FRAME_ROWS:
		case SAMPLE_ROWS:
			return true;
		case STACK_ROW:
		case FRAME_ROW:
		case SAMPLE_ROW:
			return take_row(f, place, value);
		case CELL:
			return fg_firefox_rows_cell(&f->rows, f->json, value);
		default:
			return take_sample(f, place, value);
	}
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	Firefox    *f = arg;

	if (place >= COLUMN)
		return take_table(f, place, value);
	switch (place)
	{
		case PROCESS:
			return fg_json_at(f->json, take_process(f, value));
		case LIBS:
			return value->type != FG_JSON_STRING || fg_json_at(f->json, take_text(f, value, lib_rules));
		case META:
		case INTERVAL:
		case START_TIME:
		case PREPROCESSED:
		case CPU_UNIT:
		case TIME_UNIT:
			return take_meta(f, place, value);
		case LIB:
		case LIB_NAME:
		case LIB_START:
		case LIB_END:
		case LIB_OFFSET:
			return take_lib(f, place, value);
		case SHARED:
			return take_shared(f, value);
		case THREADS:
			f->has_threads = true;
			return true;
		case THREAD:
		case THREAD_NAME:
		case THREAD_PID:
		case THREAD_TID:
			return fg_json_at(f->json, take_thread(f, place, value));
		case STRINGS:
		case STRING:
			return take_strings(f, place, value);
		case STACK_TABLE:
		case FRAME_TABLE:
		case FUNC_TABLE:
		case RESOURCE_TABLE:
		case SAMPLE_LIST:
		case JS_LIST:
		case NATIVE_LIST:
			return begin_table(f, place, value);
		default:
			return true;
	}
}

/* --- the reader ---------------------------------------------------------------------------------- */

static void
firefox_free(void *state)
{
	Firefox    *f = state;

	if (f == NULL)
		return;
	fg_json_close(f->json);
	while (f->thread_count > 0)
		free_thread(f, &f->threads[--f->thread_count]);
	while (f->process_count > 0)
		free_process(f, &f->processes[--f->process_count]);
	fg_firefox_tables_free(f->whole.shared);
	fg_release(f->ctx, f->threads);
	fg_release(f->ctx, f->processes);
	fg_firefox_rows_free(&f->rows);
	fg_release(f->ctx, f->whole.lane.data);
	fg_release(f->ctx, f->whole.stacks.text.data);
	fg_release(f->ctx, f);
}

static void *
firefox_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Firefox    *f = fg_alloc_zero(ctx, 1, sizeof(Firefox));

	if (f == NULL)
		return NULL;
	f->whole.sink = f->whole.stacks.sink = sink;
	f->ctx = f->rows.ctx = f->whole.ctx = f->whole.lane.ctx = f->whole.stacks.text.ctx = ctx;
	f->whole.cpu_unit = "units";
	f->whole.stacks.with_lines = fg_sink_options(sink)->frame_style == FG_FRAME_LINE;
	fg_sink_ticks(sink, 1e3);
	f->json = fg_json_open(ctx, "Firefox profile", rules, take_value, f);
	if (f->json != NULL && begin_process(f) && fg_sink_default(sink, "samples"))
		return f;
	firefox_free(f);
	return NULL;
}

static bool
firefox_feed(void *state, const char *bytes, size_t size)
{
	return fg_json_feed(((Firefox *) state)->json, bytes, size);
}

static bool
firefox_finish(void *state)
{
	static const FgKind none = {"wall", "samples", "samples", 1};
	Firefox    *f = state;
	const FgNoted *noted;
	uint32_t	profile;

	if (!fg_json_finish(f->json))
		return false;
	if (!f->has_threads)
		return fg_fail_at(f->ctx, FG_ERROR_SYNTAX, 0, 0, "Save it from profiler.firefox.com, or record it with samply.",
						  "the Firefox profile has no threads");
	if (!end_process(f))
		return false;
	noted = fg_sink_noted(f->whole.sink);
	if (noted->without_stack > 0)
		fg_sink_warn(f->whole.sink, &(FgWarning) {
			.text = "some samples have no stack, and are added to the root", .hint = "The Firefox Profiler does not count them."
		});
	return noted->samples > 0 || noted->other_events > 0 ||
		fg_sink_profile(f->whole.sink, &none, &profile);
}

/* The names of the tables; the version stands in all but the oldest and Gecko's own. */
static bool
firefox_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	return fg_json_begins(head, size) &&
		(fg_json_holds(head, size, "\"preprocessedProfileVersion\"") ||
		 (fg_json_holds(head, size, "\"stackTable\"") && fg_json_holds(head, size, "\"frameTable\"")));
}

const FgFormatReader fg_firefox_reader = {
	.format = FG_FORMAT_FIREFOX,
	.recognise = firefox_recognise,
	.begin = firefox_begin,
	.feed = firefox_feed,
	.finish = firefox_finish,
	.free = firefox_free
};
