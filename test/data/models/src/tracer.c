/*
 * tracer.c
 *		Run times of functions (see tracer.h).  Compiled without instrumentation.
 */
#include "tracer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_DEPTH 256
#define TABLE_SIZE 8192			/* 13 bits; well above the number of functions */

typedef struct Row
{
	uint64_t	call;			/* its number */
	double		x;
	int64_t		total;
	int64_t		own;
} Row;

typedef struct Function
{
	uintptr_t	address;		/* 0: an empty place in the table */
	char	   *name;
	uint64_t	calls;
	uint64_t	sampled;
	int64_t		own;			/* of the sampled calls */
	uint64_t	random;			/* state of the draws */
	Row		   *rows;
	unsigned	count;
} Function;

/* A call that is under way. */
typedef struct Call
{
	Function   *function;
	bool		sampled;
	bool		timed;			/* sampled, or called by one that is */
	int64_t		start;
	int64_t		callees;
} Call;

static unsigned every;
static unsigned most;
static Function functions[TABLE_SIZE];	/* a hash table by address */

static bool running;
static double size;
static Call stack[MAX_DEPTH];
static unsigned depth;

_Noreturn static void
fail(const char *why)
{
	fprintf(stderr, "tracer: %s\n", why);
	exit(1);
}

/* --- functions ------------------------------------------------------------------ */

/* Its place in the table, which is empty for an unknown one. */
static Function *
find_function(uintptr_t address)
{
	uint64_t	hash = (uint64_t) address * UINT64_C(0x9E3779B97F4A7C15);
	size_t		at = hash >> 51;

	while (functions[at].address != 0 && functions[at].address != address)
		at = (at + 1) % TABLE_SIZE;
	return &functions[at];
}

void
tracer_open(const char *symbols, unsigned every_call, unsigned most_rows)
{
	FILE	   *file = fopen(symbols, "r");
	unsigned long address;
	char		name[200];
	unsigned	count = 0;

	if (file == NULL || every_call == 0)
		fail("no symbols, or every 0th call");
	every = every_call;
	most = most_rows;
	for (; fscanf(file, "%lx %199s", &address, name) == 2; count++)
	{
		Function   *function = find_function(address);

		if (count == TABLE_SIZE / 2)
			fail("too many functions");
		function->address = address;
		function->name = strdup(name);
		function->rows = calloc(most, sizeof(Row));
	}
	fclose(file);
}

/* --- calls ---------------------------------------------------------------------- */

static inline int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Knuth's linear congruential generator, of each function its own. */
static uint64_t
draw(Function *function, uint64_t below)
{
	function->random = function->random * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (function->random >> 33) % below;
}

static void
keep(Function *function, int64_t total, int64_t own)
{
	uint64_t	place = function->sampled++;

	function->own += own;
	if (place < most)
		function->count++;
	else
		place = draw(function, function->sampled);
	if (place < most)
		function->rows[place] = (Row) {function->sampled, size, total, own};
}

/* The hooks that the compiler calls. */
extern void __cyg_profile_func_enter(void *function, void *site);
extern void __cyg_profile_func_exit(void *function, void *site);

void
__cyg_profile_func_enter(void *function, void *site)
{
	Call	   *call = &stack[depth];

	(void) site;
	if (!running)
		return;
	if (depth == MAX_DEPTH)
		fail("too deep");
	call->function = find_function((uintptr_t) function);
	if (call->function->name == NULL)
		fail("a function without a name");
	call->sampled = ++call->function->calls % every == 0;
	call->timed = call->sampled || (depth > 0 && stack[depth - 1].sampled);
	call->callees = 0;
	depth++;
	if (call->timed)
		call->start = now();
}

void
__cyg_profile_func_exit(void *function, void *site)
{
	Call	   *call;
	int64_t		total;

	(void) function;
	(void) site;
	if (!running)
		return;
	call = &stack[--depth];
	if (!call->timed)
		return;
	total = now() - call->start;
	if (depth > 0)
		stack[depth - 1].callees += total;
	if (call->sampled)
		keep(call->function, total, total - call->callees);
}

void
tracer_start(double x)
{
	size = x;
	running = true;
}

void
tracer_stop(void)
{
	running = false;
}

/* --- output --------------------------------------------------------------------- */

static int
compare_names(const void *a, const void *b)
{
	return strcmp((*(Function *const *) a)->name, (*(Function *const *) b)->name);
}

/* The functions that have been sampled, by name. */
static unsigned
sorted_functions(Function **sorted)
{
	unsigned	count = 0;

	for (unsigned i = 0; i < TABLE_SIZE; i++)
	{
		if (functions[i].sampled > 0)
			sorted[count++] = &functions[i];
	}
	qsort(sorted, count, sizeof(Function *), compare_names);
	return count;
}

static int
compare_rows(const void *a, const void *b)
{
	uint64_t	call = ((const Row *) a)->call;
	uint64_t	other = ((const Row *) b)->call;

	return (call > other) - (call < other);
}

void
tracer_print_rows(FILE *to)
{
	Function   *sorted[TABLE_SIZE];
	unsigned	count = sorted_functions(sorted);

	for (unsigned i = 0; i < count; i++)
	{
		Row		   *rows = sorted[i]->rows;

		qsort(rows, sorted[i]->count, sizeof(Row), compare_rows);
		for (unsigned r = 0; r < sorted[i]->count; r++)
			fprintf(to, "%s,%.0f,%lld,%lld\n", sorted[i]->name, rows[r].x,
					(long long) rows[r].total, (long long) rows[r].own);
	}
}

void
tracer_print_profile(FILE *to)
{
	Function   *sorted[TABLE_SIZE];
	unsigned	count = sorted_functions(sorted);

	for (unsigned i = 0; i < count; i++)
		fprintf(to, "%s %lld\n", sorted[i]->name, (long long) (sorted[i]->own * every));
}
