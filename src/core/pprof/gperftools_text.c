/*
 * gperftools_text.c
 *	  Lines of the texts of gperftools and jemalloc (see gperftools_text.h).
 */
#include "core/pprof/gperftools_text.h"

#include <math.h>
#include <string.h>

/* A line that is taken apart from its begin; what was not there leaves ok false. */
typedef struct Walk
{
	const char *text;
	size_t		length;
	size_t		at;
	bool		ok;
} Walk;

static void
skip_blanks(Walk *walk)
{
	while (walk->at < walk->length && (walk->text[walk->at] == ' ' || walk->text[walk->at] == '\t'))
		walk->at++;
}

static bool
holds(const Walk *walk, const char *word)
{
	size_t		size = strlen(word);

	return walk->length - walk->at >= size && memcmp(walk->text + walk->at, word, size) == 0;
}

static void
expect(Walk *walk, const char *word)
{
	skip_blanks(walk);
	walk->ok = walk->ok && holds(walk, word);
	if (walk->ok)
		walk->at += strlen(word);
}

static double
take_number(Walk *walk)
{
	bool		negative;
	uint64_t	number = 0;
	size_t		digits;

	skip_blanks(walk);
	negative = holds(walk, "-");
	walk->at += negative;
	for (digits = walk->at; walk->at < walk->length && walk->text[walk->at] >= '0' &&
		 walk->text[walk->at] <= '9' && number <= FG_GPERFTOOLS_MAX_NUMBER; walk->at++)
		number = number * 10 + (uint64_t) (walk->text[walk->at] - '0');
	walk->ok = walk->ok && walk->at > digits && number <= FG_GPERFTOOLS_MAX_NUMBER;
	return negative ? -(double) number : (double) number;
}

/* "1: 4096 [2: 8192]": in use, then allocated. */
typedef struct Blocks
{
	double		count;
	double		bytes;
	double		allocated_count;
	double		allocated_bytes;
} Blocks;

static Blocks
take_blocks(Walk *walk)
{
	Blocks		blocks;

	blocks.count = take_number(walk);
	expect(walk, ":");
	blocks.bytes = take_number(walk);
	expect(walk, "[");
	blocks.allocated_count = take_number(walk);
	expect(walk, ":");
	blocks.allocated_bytes = take_number(walk);
	expect(walk, "]");
	return blocks;
}

/* --- the first line ------------------------------------------------------------------ */

/* Where all that was allocated is in use, or nothing was counted, the second pair says nothing. */
static bool
is_more(const Blocks *blocks)
{
	return (blocks->allocated_count != blocks->count && blocks->allocated_count != 0) ||
		(blocks->allocated_bytes != blocks->bytes && blocks->allocated_bytes != 0);
}

static bool
take_rate(Walk *walk, double *rate)
{
	*rate = 0;
	if (holds(walk, "/"))
	{
		walk->at++;
		*rate = take_number(walk);
	}
	/* a rate of one byte sees every block */
	if (*rate <= 1)
		*rate = 0;
	return walk->ok;
}

static bool
begin_heap(FgGperftoolsText *text, Walk *walk)
{
	Blocks		blocks;

	expect(walk, "heap profile:");
	blocks = take_blocks(walk);
	expect(walk, "@");
	skip_blanks(walk);
	text->kind = FG_GPERFTOOLS_HEAP;
	text->has_allocated = is_more(&blocks);
	if (!walk->ok)
		return false;
	if (holds(walk, "growth") || holds(walk, "fragmentation"))
	{
		text->kind = FG_GPERFTOOLS_GROWTH;
		return true;
	}
	if (holds(walk, "heapprofile"))
		return true;
	expect(walk, holds(walk, "heapz_v2") ? "heapz_v2" : "heap_v2");
	return take_rate(walk, &text->rate);
}

bool
fg_gperftools_is_heap(const char *line, size_t length)
{
	FgGperftoolsText text = {.kind = FG_GPERFTOOLS_HEAP};
	Walk		walk = {line, length, 0, true};

	return begin_heap(&text, &walk);
}

bool
fg_gperftools_begin(FgGperftoolsText *text, const char *line, size_t length)
{
	Walk		walk = {line, length, 0, true};

	text->period = 1;
	if (holds(&walk, "--- contention"))
	{
		text->kind = FG_GPERFTOOLS_CONTENTION;
		return true;
	}
	if (holds(&walk, "heap_v2/"))
	{
		text->kind = FG_GPERFTOOLS_JEMALLOC;
		walk.at += strlen("heap_v2");
		return take_rate(&walk, &text->rate) && walk.at == length;
	}
	return begin_heap(text, &walk);
}

/* --- stacks ------------------------------------------------------------------------------ */

/* From what was seen to what there was. */
static bool
estimate(const FgGperftoolsText *text, double count, double bytes, double to[2])
{
	double		scale = 1;

	if (count == 0 && bytes != 0)
		return false;
	if (text->rate > 0)
		scale = count == 0 || bytes == 0 ? 0 : 1 / (1 - exp(-(bytes / count) / text->rate));
	to[0] = count * scale;
	to[1] = bytes * scale;
	return true;
}

static bool
take_values(const FgGperftoolsText *text, Walk *walk, FgGperftoolsLine *got)
{
	Blocks		blocks = take_blocks(walk);
	double	   *in_use = got->values + (text->has_allocated ? 2 : 0);

	got->reason = "a stack has four numbers, \"1: 4096 [1: 4096]\", of at most 2^53";
	if (!walk->ok)
		return false;
	got->reason = "no blocks cannot have bytes, nor can blocks have a size below 0";
	return (blocks.count == 0 || blocks.bytes / blocks.count >= 0) &&
		(!text->has_allocated ||
		 (blocks.allocated_count >= 0 && blocks.allocated_bytes >= 0 &&
		  estimate(text, blocks.allocated_count, blocks.allocated_bytes, got->values))) &&
		estimate(text, blocks.count, blocks.bytes, in_use);
}

/* "12 3 @ 0x1 0x2": cycles, and how often. */
static bool
take_contention(FgGperftoolsText *text, Walk *walk, FgGperftoolsLine *got)
{
	double		cycles = take_number(walk);
	double		count = take_number(walk);

	expect(walk, "@");
	got->reason = "a stack has two numbers of at most 2^53, and then its addresses";
	got->values[0] = count * text->period;
	got->values[1] = cycles * text->period / (text->cycles > 0 ? text->cycles / 1e9 : 1);
	got->begins = got->ends = true;
	return walk->ok && cycles >= 0 && count >= 0;
}

/* "sampling period = 100", before all stacks. */
static bool
take_attribute(FgGperftoolsText *text, const char *line, size_t length, const char *equals,
			   FgGperftoolsLine *got)
{
	static const char rate[] = "cycles/second";
	static const char period[] = "sampling period";
	static const char java[] = "format = java";
	Walk		walk = {line, length, (size_t) (equals - line) + 1, true};
	double	   *to = NULL;

	if (length > sizeof(rate) && memcmp(line, rate, sizeof(rate) - 1) == 0)
		to = &text->cycles;
	if (length > sizeof(period) && memcmp(line, period, sizeof(period) - 1) == 0)
		to = &text->period;
	got->reason = "this is a profile of Java in gperftools' form, which pprof -proto converts";
	if (length == sizeof(java) - 1 && memcmp(line, java, length) == 0)
		return false;
	if (to == NULL)
		return true;
	*to = take_number(&walk);
	got->reason = "this is no whole number above 0";
	return walk.ok && walk.at == length && *to > 0;
}

/* "@ 0x1 0x2", then "t*: 1: 4096 [0: 0]" and the same for each thread. */
static bool
take_jemalloc(FgGperftoolsText *text, Walk *walk, FgGperftoolsLine *got)
{
	bool		all;

	if (holds(walk, "@"))
	{
		walk->at++;
		text->has_stack = got->begins = true;
		return true;
	}
	got->reason = "a line has the addresses of a stack, or the numbers of a thread";
	if (!holds(walk, "t"))
		return false;
	walk->at++;
	all = holds(walk, "*");
	if (all)
		walk->at++;
	else
		take_number(walk);
	got->thread = walk->at;
	expect(walk, ":");
	if (!walk->ok)
		return false;
	if (!text->has_stack && all)
	{
		Walk		sums = *walk;
		Blocks		blocks = take_blocks(&sums);

		text->has_allocated = sums.ok && is_more(&blocks);
	}
	got->ends = text->has_stack && all != text->threads;
	return take_values(text, walk, got);
}

bool
fg_gperftools_line(FgGperftoolsText *text, const char *line, size_t length, FgGperftoolsLine *got)
{
	Walk		walk = {line, length, 0, true};
	const char *equals;

	*got = (FgGperftoolsLine) {.addresses = length};
	if (text->kind == FG_GPERFTOOLS_JEMALLOC)
	{
		if (!take_jemalloc(text, &walk, got))
			return false;
		skip_blanks(&walk);
		got->addresses = got->begins ? walk.at : length;
		return true;
	}
	equals = memchr(line, '=', length);
	if (text->kind == FG_GPERFTOOLS_CONTENTION && equals != NULL)
		return take_attribute(text, line, length, equals, got);
	if (text->kind == FG_GPERFTOOLS_CONTENTION)
	{
		if (!take_contention(text, &walk, got))
			return false;
	}
	else
	{
		if (!take_values(text, &walk, got))
			return false;
		expect(&walk, "@");
		got->reason = "the addresses of a stack are missing";
		got->begins = got->ends = true;
	}
	skip_blanks(&walk);
	got->addresses = walk.at;
	return walk.ok;
}

/* --- what the values are ------------------------------------------------------------------ */

size_t
fg_gperftools_kinds(const FgGperftoolsText *text, FgKind kinds[FG_GPERFTOOLS_VALUES])
{
	size_t		count = 0;

	switch (text->kind)
	{
		case FG_GPERFTOOLS_CPU:
			kinds[count++] = (FgKind) {"samples", "samples", "count", 1};
			kinds[count++] = (FgKind) {"cpu", "cpu", "nanoseconds", text->period};
			return count;
		case FG_GPERFTOOLS_GROWTH:
			kinds[count++] = (FgKind) {"objects", "objects", "count", 0};
			kinds[count++] = (FgKind) {"space", "space", "bytes", 0};
			return count;
		case FG_GPERFTOOLS_CONTENTION:
			kinds[count++] = (FgKind) {"contentions", "contentions", "count", 0};
			kinds[count++] = (FgKind) {"lock", "delay", text->cycles > 0 ? "nanoseconds" : "cycles", 0};
			return count;
		default:
			break;
	}
	if (text->has_allocated)
	{
		kinds[count++] = (FgKind) {"alloc_objects", "alloc_objects", "count", 0};
		kinds[count++] = (FgKind) {"alloc", "alloc_space", "bytes", 0};
	}
	kinds[count++] = (FgKind) {"inuse_objects", "inuse_objects", "count", 0};
	kinds[count++] = (FgKind) {"inuse_space", "inuse_space", "bytes", 0};
	return count;
}
