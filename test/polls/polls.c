/*
 * polls.c
 *	  Counts the work between two interrupt polls, in a test build of the extension.
 *
 * "A cancelled query ends soon" cannot be tested by a clock: a busy machine makes
 * everything late.  It can be tested by counting: whatever a function does between
 * two polls is bounded, however large its arguments are.  The test build is compiled
 * with -fsanitize-coverage=trace-pc, so that every basic block of our code calls
 * __sanitizer_cov_trace_pc() below, and polls.h adds bytes moved by library calls.
 * A poll, and the begin and end of an outermost call of one of our functions (by
 * fmgr_hook; the executor polls between calls), close an interval.
 *
 * For each function, by its OID: how often it was called, the largest interval and
 * where it was closed, the work of its largest call, and for an interval that went
 * beyond the limit where the work was at that moment.
 */
#define _GNU_SOURCE			/* dladdr() */
#include "postgres.h"

#include <dlfcn.h>
#include <execinfo.h>

#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#define HIDDEN __attribute__((visibility("hidden")))

#define TABLE_SIZE	2048		/* far more than there are functions */
#define FRAMES		12
#define DEPTH		64

typedef struct Trace
{
	int			count;
	void	   *address[FRAMES];
} Trace;

typedef struct Function
{
	Oid			oid;			/* 0: our code while none of our functions runs, as sort support */
	bool		used;
	uint64		calls;
	uint64		polls;
	uint64		longest;		/* the largest interval */
	uint64		work;			/* of the largest call */
	Trace		closed;			/* by whom the largest interval was */
	Trace		overrun;		/* where that interval went beyond the limit */
} Function;

typedef struct Call
{
	Function   *function;
	uint64		begin;			/* all work up to it */
} Call;

extern uint64 fg_polls_work HIDDEN;
extern void fg_polls_poll(void) HIDDEN;
extern void __sanitizer_cov_trace_pc(void) HIDDEN;

uint64		fg_polls_work;

static uint64 limit = UINT64_MAX;
static uint64 alarm_at = UINT64_MAX;	/* the limit, until an interval has exceeded it */
static uint64 earlier_work;		/* all closed intervals */
static Function table[TABLE_SIZE];
static Trace overrun;			/* of this interval */
static Function *outermost = &table[0]; /* OID 0 */
static Call calls[DEPTH];
static int	depth;

static needs_fmgr_hook_type next_needs_hook;
static fmgr_hook_type next_hook;

/* --- counting --------------------------------------------------------------- */

static void
take_trace(Trace *trace)
{
	trace->count = backtrace(trace->address, FRAMES);
}

static pg_noinline void
note_overrun(void)
{
	alarm_at = UINT64_MAX;
	take_trace(&overrun);
}

void
__sanitizer_cov_trace_pc(void)
{
	if (unlikely(++fg_polls_work > alarm_at))
		note_overrun();
}

static void
close_interval(void)
{
	if (fg_polls_work > outermost->longest)
	{
		outermost->longest = fg_polls_work;
		take_trace(&outermost->closed);
		outermost->overrun = overrun;
	}
	overrun.count = 0;
	earlier_work += fg_polls_work;
	fg_polls_work = 0;
	alarm_at = limit;
}

void
fg_polls_poll(void)
{
	outermost->polls++;
	close_interval();
}

/* --- calls -------------------------------------------------------------------- */

static Function *
function_of(Oid oid)
{
	uint32		i = oid % TABLE_SIZE;

	while (table[i].used && table[i].oid != oid)
		i = (i + 1) % TABLE_SIZE;
	table[i].used = true;
	table[i].oid = oid;
	return &table[i];
}

/* All of C in this database is ours, or built in, which is never asked about. */
static bool
needs_hook(Oid oid)
{
	HeapTuple	tuple;
	bool		ours;

	if (next_needs_hook != NULL && next_needs_hook(oid))
		return true;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	if (!HeapTupleIsValid(tuple))
		return false;
	ours = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId;
	ReleaseSysCache(tuple);
	return ours;
}

static void
begin_call(Oid oid)
{
	if (depth == 0)
	{
		/* Work between the calls: of objects and comparators that PostgreSQL calls by itself. */
		close_interval();
		outermost = function_of(oid);
	}
	if (depth < DEPTH)
	{
		calls[depth].function = function_of(oid);
		calls[depth].begin = earlier_work + fg_polls_work;
		calls[depth].function->calls++;
	}
	depth++;
}

static void
end_call(void)
{
	if (--depth < DEPTH)
	{
		Function   *function = calls[depth].function;
		uint64		work = earlier_work + fg_polls_work - calls[depth].begin;

		function->work = Max(function->work, work);
	}
	if (depth == 0)
	{
		close_interval();
		outermost = &table[0];
	}
}

static void
hook(FmgrHookEventType event, FmgrInfo *flinfo, Datum *private)
{
	if (next_hook != NULL)
		next_hook(event, flinfo, private);
	if (event == FHET_START)
		begin_call(flinfo->fn_oid);
	else
		end_call();
}

/* The library is preloaded: the hook has to be there when the first function is looked up. */
__attribute__((constructor)) static void
install(void)
{
	table[0].used = true;
	next_needs_hook = needs_fmgr_hook;
	needs_fmgr_hook = needs_hook;
	next_hook = fmgr_hook;
	fmgr_hook = hook;
}

/* --- the test's functions -------------------------------------------------------- */

PG_FUNCTION_INFO_V1(fg_polls_reset);
PG_FUNCTION_INFO_V1(fg_polls_report);

/* fg_polls_reset(bound int8): begins to count. */
Datum
fg_polls_reset(PG_FUNCTION_ARGS)
{
	limit = (uint64) PG_GETARG_INT64(0);
	for (int i = 0; i < TABLE_SIZE; i++)
	{
		Function	empty = {.oid = table[i].oid, .used = table[i].used};

		table[i] = empty;
	}
	PG_RETURN_VOID();
}

/* Addresses within this library, as addr2line takes them. */
static void
append_trace(StringInfo text, const Trace *trace)
{
	Dl_info		own;
	Dl_info		other;

	appendStringInfoChar(text, ' ');
	if (dladdr((void *) fg_polls_report, &own) == 0)
		return;
	for (int i = 0; i < trace->count; i++)
	{
		if (dladdr(trace->address[i], &other) != 0 && other.dli_fbase == own.dli_fbase)
			appendStringInfo(text, "%lx,", (unsigned long) ((char *) trace->address[i] -
															(char *) own.dli_fbase));
	}
	appendStringInfoChar(text, '-');
}

/* fg_polls_report(): a line for each function, "oid calls polls longest work closed overrun". */
Datum
fg_polls_report(PG_FUNCTION_ARGS)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < TABLE_SIZE; i++)
	{
		const Function *f = &table[i];

		if (!f->used || f->calls + f->longest == 0)
			continue;
		appendStringInfo(&text, "%u " UINT64_FORMAT " " UINT64_FORMAT " " UINT64_FORMAT " " UINT64_FORMAT,
						 f->oid, f->calls, f->polls, f->longest, f->work);
		append_trace(&text, &f->closed);
		append_trace(&text, &f->overrun);
		appendStringInfoChar(&text, '\n');
	}
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}
