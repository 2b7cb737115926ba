/*
 * unit.c
 *	  The harness of the unit tests (see unit.h).
 */
#include "unit.h"

#include <malloc.h>
#include <math.h>
#include <stdarg.h>

/* --- cases and checks ---------------------------------------------------- */

#define MAX_SHOWN 5				/* failures of one case that are printed */

static char case_name[256];
static char note[256];
static unsigned failures;		/* of this case */
static unsigned passed;
static unsigned failed;

static void
end_case(void)
{
	if (case_name[0] != '\0')
	{
		passed += failures == 0;
		failed += failures > 0;
	}
	failures = 0;
	note[0] = '\0';
}

void
unit_case(const char *format,...)
{
	va_list		args;

	end_case();
	va_start(args, format);
	vsnprintf(case_name, sizeof(case_name), format, args);
	va_end(args);
}

void
unit_note(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	vsnprintf(note, sizeof(note), format, args);
	va_end(args);
}

int
unit_finish(void)
{
	end_case();
	printf("%u passed, %u failed\n", passed, failed);
	return failed > 0 || passed == 0;
}

static bool
show_failure(const char *file, int line, const char *what)
{
	if (failures++ >= MAX_SHOWN)
		return false;
	printf("%s:%d: %s%s%s: %s", file, line, case_name, note[0] != '\0' ? " " : "", note, what);
	return true;
}

bool
unit_check(bool ok, const char *file, int line, const char *what)
{
	if (!ok && show_failure(file, line, what))
	{
		printf("\n");
		fflush(stdout);
	}
	return ok;
}

bool
unit_check_count(uint64_t got, uint64_t expected, const char *file, int line, const char *what)
{
	if (got != expected && show_failure(file, line, what))
		printf(" is %llu, expected %llu\n", (unsigned long long) got,
			   (unsigned long long) expected);
	return got == expected;
}

bool
unit_check_double(double got, double expected, const char *file, int line, const char *what)
{
	bool		ok = fg_double_bits(got) == fg_double_bits(expected) ||
		(isnan(got) && isnan(expected));

	if (!ok && show_failure(file, line, what))
		printf(" is %.17g, expected %.17g\n", got, expected);
	return ok;
}

static void
show_bytes(const char *label, const uint8_t *bytes, size_t size)
{
	printf("    %s (%zu bytes): ", label, size);
	for (size_t i = 0; i < size && i < 400; i++)
	{
		if (bytes[i] >= 0x20 && bytes[i] < 0x7F)
			putchar(bytes[i]);
		else
			printf("<%02X>", bytes[i]);
	}
	printf("\n");
}

bool
unit_check_bytes(const void *got, size_t size, const void *expected, size_t expected_size,
				 const char *file, int line, const char *what)
{
	bool		ok = size == expected_size && (size == 0 || memcmp(got, expected, size) == 0);

	if (!ok && show_failure(file, line, what))
	{
		printf("\n");
		show_bytes("got", got, size);
		show_bytes("expected", expected, expected_size);
	}
	return ok;
}

bool
unit_near(double got, double expected, double relative)
{
	return got == expected || fabs(got - expected) <= relative * fabs(expected);
}

/* --- memory --------------------------------------------------------------- */

#define GARBAGE 16384

static void *
unit_alloc(void *arg, size_t size)
{
	UnitMemory *memory = arg;
	void	   *pointer;

	memory->bytes += size;
	if (++memory->allocations == memory->fail_at)
		return NULL;
	pointer = malloc(size);
	if (pointer == NULL)
		return NULL;
	/* garbage; not all over the large arrays, or it would take most of the time */
	memset(pointer, 0xA5, size < GARBAGE ? size : GARBAGE);
	memory->blocks++;
	return pointer;
}

static void
unit_release(void *arg, void *pointer)
{
	UnitMemory *memory = arg;

	memory->blocks--;
	free(pointer);
}

static void *
unit_resize(void *arg, void *pointer, size_t size)
{
	size_t		old = malloc_usable_size(pointer);
	void	   *moved = unit_alloc(arg, size);

	if (moved == NULL)
		return NULL;
	memcpy(moved, pointer, old < size ? old : size);
	unit_release(arg, pointer);
	return moved;
}

static bool
unit_interrupted(void *arg)
{
	UnitMemory *memory = arg;

	return ++memory->polls == memory->cancel_at;
}

FgContext
unit_context(UnitMemory *memory)
{
	FgContext	ctx;

	memset(&ctx, 0, sizeof(ctx));
	memset(memory, 0, sizeof(*memory));
	ctx.alloc = unit_alloc;
	ctx.resize = unit_resize;
	ctx.release = unit_release;
	ctx.interrupted = unit_interrupted;
	ctx.arg = memory;
	return ctx;
}

/* UNIT_SWEEPS=few, for the second compiler, leaves out ever more of the later calls, and random inputs. */
static bool
few_sweeps(void)
{
	return getenv("UNIT_SWEEPS") != NULL;
}

int
unit_rounds(int rounds)
{
	return few_sweeps() ? (rounds + 4) / 5 : rounds;
}

size_t
unit_stride(size_t stride)
{
	return few_sweeps() ? 5 * stride : stride;
}

/* The next call that is to fail. */
static size_t
next_failure(size_t n)
{
	return few_sweeps() ? 2 * n + 1 : n + 1;
}

void
unit_sweep_memory(const char *name, UnitOperation operation, void *arg)
{
	unit_case("%s: every allocation fails once", name);
	for (size_t n = 1;; n = next_failure(n))
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		bool		ok;

		unit_note("[allocation %zu]", n);
		memory.fail_at = n;
		ok = operation(&ctx, arg);
		CHECK_COUNT(memory.blocks, 0);
		if (memory.allocations < n)
		{
			CHECK(ok);
			CHECK(n > 1);
			return;
		}
		CHECK_ERROR(ok, &ctx, FG_ERROR_MEMORY);
	}
}

void
unit_sweep_interrupts(const char *name, UnitOperation operation, void *arg, size_t min_polls)
{
	size_t		step = 1;

	unit_case("%s: every poll cancels once", name);
	for (size_t n = 1;; n += step)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		bool		ok;

		unit_note("[poll %zu]", n);
		memory.cancel_at = n;
		ok = operation(&ctx, arg);
		CHECK_COUNT(memory.blocks, 0);
		if (memory.polls < n)
		{
			CHECK(ok);
			CHECK(memory.polls >= min_polls);
			return;
		}
		CHECK_ERROR(ok, &ctx, FG_ERROR_CANCELLED);
		CHECK_COUNT(memory.polls, n);	/* it ended at once */
		step = few_sweeps() ? 1 + 3 * n : 1 + n / 3;
	}
}

/* --- random numbers -------------------------------------------------------- */

uint64_t
unit_random(UnitRandom *random)
{
	uint64_t	z = random->state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

uint32_t
unit_below(UnitRandom *random, uint32_t limit)
{
	return (uint32_t) ((unit_random(random) >> 32) * limit >> 32);
}
