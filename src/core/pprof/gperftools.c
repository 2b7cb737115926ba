/*
 * gperftools.c
 *	  Files of gperftools and jemalloc: CPU profiles (words of the machine), profiles of heap,
 *	  heap growth and contention (text).
 *
 * They have addresses and, behind the stacks, what was mapped where; so the stacks are kept
 * until all is read: of each address its number, which is a byte or two, because those that
 * are in many stacks come early.  A file that pprof made with symbols has these
 * before the profile (--- symbol).  As in pprof, an address is that of a call and not of the
 * return from it, one byte less; only where a CPU profile was interrupted it is exact, and
 * there the same address twice is one frame.
 *
 * A heap that was sampled says so in its first line (heap_v2/RATE): of blocks of mean size s
 * a part 1 - exp(-s / RATE) was seen, and numbers and bytes are divided by it.
 */
#include "core/reading/numbered.h"

#include "core/base/bytes.h"
#include "core/pprof/code_map.h"
#include "core/pprof/gperftools_text.h"
#include "core/profile/names.h"
#include "core/reading/chunks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define HEADER_WORDS 5
#define MAX_HEAD (HEADER_WORDS * 8)

typedef enum Phase
{
	FIRST_BYTE,					/* words or text? */
	HEAD,						/* of words: which kind? */
	WORDS,
	FIRST_LINE,
	SYMBOLS,
	SAMPLES,
	MAPPINGS
} Phase;

/* What the next word is. */
typedef enum Expected
{
	COUNT,
	DEPTH,
	ADDRESS
} Expected;

/* The one that is being read; its addresses, the innermost first, are g->frames. */
typedef struct Stack
{
	uint32_t	depth;
	uint32_t	thread;			/* of "threads"; FG_NONE: not known */
	double		values[FG_GPERFTOOLS_VALUES];
} Stack;

/* An address that came not long ago; 0 is never one. */
typedef struct Recent
{
	uint64_t	address;
	uint32_t	number;
} Recent;

#define RECENT 2048

/* The names of an address in "called", the innermost first. */
typedef struct Code
{
	uint32_t	first;
	uint32_t	count;			/* 0: it was not looked at yet */
} Code;

/* Numbers of frames. */
typedef struct Numbers
{
	uint32_t   *items;
	size_t		count;
	size_t		capacity;
} Numbers;

typedef struct Gperftools
{
	FgSink	   *sink;
	FgContext  *ctx;
	Phase		phase;
	uint64_t	line_number;
	uint64_t	bytes;			/* that were words */
	FgBuffer	partial;		/* a line, or the bytes of a word */
	bool		big_endian;
	size_t		word_size;
	Expected	expected;
	uint32_t	missing;		/* addresses of the stack that is being read */
	FgGperftoolsText text;
	FgNames		addresses;		/* eight bytes each */
	Recent		recent[RECENT];	/* of these, by their lower bits */
	FgNames		threads;
	FgChunks	kept;			/* the stacks: depth, thread, values, and the numbers of addresses */
	uint64_t	frame_count;	/* of them all */
	Stack		stack;
	uint32_t   *frames;
	size_t		frames_room;
	bool		has_symbols;	/* there was a section of them */
	FgCodeMap	map;
	FgBuffer	name;

	/* what addresses are called, once all is read */
	FgNames		names;
	Code	   *codes;			/* by number of the address */
	Numbers		called;
	Numbers		called_stack;	/* of the stack that is being added */
	FgNumbered	numbered;		/* stacks by numbers of names */
} Gperftools;

/* --- stacks ------------------------------------------------------------------------------ */

static void
begin_stack(Gperftools *g)
{
	g->stack = (Stack) {.thread = FG_NONE};
}

/* Stacks share most of their addresses with others. */
static bool
number_address(Gperftools *g, uint64_t address, uint32_t *number)
{
	Recent	   *recent = &g->recent[(address ^ address >> 11) % RECENT];

	if (recent->address != address || address == 0)
	{
		if (!fg_names_add(&g->addresses, (char *) &address, sizeof(address), number))
			return false;
		*recent = (Recent) {address, *number};
	}
	*number = recent->number;
	return true;
}

static bool
add_address(Gperftools *g, uint64_t address)
{
	uint32_t	number;

	if (g->stack.depth >= FG_MAX_DEPTH)
		return fg_fail_at(g->ctx, FG_ERROR_LIMIT, g->line_number, 0, NULL, "a stack is deeper than %d",
						  FG_MAX_DEPTH);
	if (g->frame_count >= FG_MAX_KEPT_SAMPLES)
		return fg_fail_at(g->ctx, FG_ERROR_LIMIT, g->line_number, 0, NULL,
						  "the stacks have more than %u frames", FG_MAX_KEPT_SAMPLES);
	if (!number_address(g, address, &number) ||
		!fg_reserve(g->ctx, (void **) &g->frames, &g->frames_room, (size_t) g->stack.depth + 1,
					sizeof(uint32_t)))
		return false;
	g->frames[g->stack.depth++] = number;
	g->frame_count++;
	return true;
}

/* Numbers of a program are whole; what a sampled heap is estimated to have is not. */
#define NOT_WHOLE 1

static bool
keep_value(Gperftools *g, double value)
{
	uint8_t    *to = fg_chunks_room(&g->kept, FG_VARINT_MAX + sizeof(double));

	if (to == NULL)
		return false;
	if (value >= 0 && value <= (double) FG_GPERFTOOLS_MAX_NUMBER && (double) (uint64_t) value == value &&
		!signbit(value))
		to = fg_chunk_put(to, (uint64_t) value << 1);
	else
	{
		to = fg_chunk_put(to, NOT_WHOLE);
		memcpy(to, &value, sizeof(value));
		to += sizeof(value);
	}
	fg_chunks_written(&g->kept, to);
	return true;
}

static double
kept_value(FgChunkWalk *walk)
{
	uint64_t	number;
	double		value;

	fg_chunk_walk_more(walk);
	number = fg_chunk_take(walk);
	if (number != NOT_WHOLE)
		return (double) (number >> 1);
	memcpy(&value, walk->next, sizeof(value));
	walk->next += sizeof(value);
	return value;
}

static bool
keep_number(Gperftools *g, uint64_t number)
{
	uint8_t    *to = fg_chunks_room(&g->kept, FG_VARINT_MAX);

	if (to == NULL)
		return false;
	fg_chunks_written(&g->kept, fg_chunk_put(to, number));
	return true;
}

static uint32_t
kept_number(FgChunkWalk *walk)
{
	fg_chunk_walk_more(walk);
	return (uint32_t) fg_chunk_take(walk);
}

static bool
end_stack(Gperftools *g)
{
	/* FG_NONE becomes 0 */
	bool		ok = keep_number(g, g->stack.depth) && keep_number(g, (uint32_t) (g->stack.thread + 1));

	for (size_t i = 0; ok && i < FG_GPERFTOOLS_VALUES; i++)
		ok = keep_value(g, g->stack.values[i]);
	for (uint32_t i = 0; ok && i < g->stack.depth; i++)
		ok = keep_number(g, g->frames[i]);
	return ok;
}

/* The stack that was kept next becomes the one of g. */
static bool
read_kept(Gperftools *g, FgChunkWalk *walk)
{
	if (!fg_chunk_walk_more(walk))
		return false;
	if (walk->chunk != g->kept.first)
		fg_chunks_drop(&g->kept, walk->chunk);
	g->stack.depth = kept_number(walk);
	g->stack.thread = kept_number(walk) - 1;
	for (size_t i = 0; i < FG_GPERFTOOLS_VALUES; i++)
		g->stack.values[i] = kept_value(walk);
	for (uint32_t i = 0; i < g->stack.depth; i++)
		g->frames[i] = kept_number(walk);
	return true;
}

/* --- words ------------------------------------------------------------------------------------ */

static uint64_t
word_at(const uint8_t *bytes, size_t size, bool big_endian)
{
	uint64_t	word = 0;

	for (size_t i = 0; i < size; i++)
		word = word << 8 | bytes[big_endian ? i : size - 1 - i];
	return word;
}

typedef struct Head
{
	size_t		word_size;		/* 0: it is none */
	bool		big_endian;
	uint64_t	language;		/* 0: C, 1: Java */
	uint64_t	period;			/* microseconds */
} Head;

static Head
parse_head(const uint8_t *bytes, size_t size)
{
	for (int kind = 0; kind < 4; kind++)
	{
		Head		head = {.word_size = kind < 2 ? 4 : 8, .big_endian = kind % 2 == 1};
		uint64_t	words[HEADER_WORDS];

		if (size < head.word_size * HEADER_WORDS)
			continue;
		for (size_t i = 0; i < HEADER_WORDS; i++)
			words[i] = word_at(bytes + i * head.word_size, head.word_size, head.big_endian);
		head.language = words[2];
		head.period = words[3];
		if (words[0] == 0 && words[1] == 3 && words[2] <= 1 && words[3] > 0 && words[4] == 0)
			return head;
	}
	return (Head) {.word_size = 0};
}

static bool
begin_words(Gperftools *g, const Head *head)
{
	if (head->word_size == 0)
		return fg_fail(g->ctx, FG_ERROR_SYNTAX, "the CPU profile of gperftools has no header");
	if (head->language != 0)
		return fg_fail_at(g->ctx, FG_ERROR_SYNTAX, 0, 0, "Convert it: pprof -proto FILE >profile.pb.gz.",
						  "this is a CPU profile of Java in gperftools' form");
	if (head->period > UINT64_C(1) << 40)
		return fg_fail(g->ctx, FG_ERROR_RANGE, "the period of %" PRIu64 " microseconds is too large",
					   head->period);
	if (g->has_symbols && head->period == 1)
		fg_sink_warn(g->sink, &(FgWarning) {
			.text = "the period of the samples is lost, so the times are not those of the program",
			.hint = "google-pprof --raw writes a microsecond in its place: take the event samples."
		});
	g->word_size = head->word_size;
	g->big_endian = head->big_endian;
	g->bytes = head->word_size * HEADER_WORDS;
	g->text.kind = FG_GPERFTOOLS_CPU;
	g->text.period = (double) head->period * 1000;
	g->phase = WORDS;
	return true;
}

static bool
fail_word(Gperftools *g, uint64_t word, const char *what)
{
	return fg_fail(g->ctx, FG_ERROR_SYNTAX, "%s %" PRIu64 " at byte %" PRIu64 " is too large", what,
				   word, g->bytes - g->word_size);
}

/* A count of 0 with the single address 0 is the end. */
static bool
take_address(Gperftools *g, uint64_t word)
{
	bool		leaf = g->stack.depth == 0;

	if (leaf && g->missing == 1 && word == 0 && g->stack.values[0] == 0)
	{
		g->phase = MAPPINGS;
		return true;
	}
	if (--g->missing == 0)
		g->expected = COUNT;
	return add_address(g, leaf || word == 0 ? word : word - 1) &&
		(g->missing > 0 || end_stack(g));
}

static bool
take_word(Gperftools *g, uint64_t word)
{
	g->bytes += g->word_size;
	switch (g->expected)
	{
		case COUNT:
			if (word > FG_GPERFTOOLS_MAX_NUMBER)
				return fail_word(g, word, "the number of samples");
			begin_stack(g);
			g->stack.values[0] = (double) word;
			g->stack.values[1] = (double) word * g->text.period;
			g->expected = DEPTH;
			return true;
		case DEPTH:
			if (word > FG_MAX_DEPTH)
				return fail_word(g, word, "the number of frames");
			g->missing = (uint32_t) word;
			g->expected = word > 0 ? ADDRESS : COUNT;
			return word > 0 || end_stack(g);
		default:
			return take_address(g, word);
	}
}

/* Words may be cut anywhere; says how many bytes were taken. */
static bool
take_words(Gperftools *g, const char *bytes, size_t size, size_t *taken)
{
	*taken = 0;
	while (g->phase == WORDS && *taken < size)
	{
		size_t		rest = g->word_size - g->partial.size;
		const uint8_t *word = (const uint8_t *) bytes + *taken;

		if (rest > size - *taken || g->partial.size > 0)
		{
			size_t		part = rest < size - *taken ? rest : size - *taken;

			if (!fg_buffer_append(&g->partial, word, part))
				return false;
			*taken += part;
			if (g->partial.size < g->word_size)
				return true;
			word = g->partial.data;
			g->partial.size = 0;
		}
		else
			*taken += g->word_size;
		if (!take_word(g, word_at(word, g->word_size, g->big_endian)) ||
			!fg_work(g->ctx, g->word_size))
			return false;
	}
	return true;
}

/* Collects what says how long words are, and in which order their bytes. */
static bool
take_head(Gperftools *g, const char *bytes, size_t size, size_t *taken)
{
	Head		head;

	*taken = 0;
	while (*taken < size && g->partial.size < MAX_HEAD)
	{
		if (!fg_buffer_append(&g->partial, bytes + *taken, 1))
			return false;
		++*taken;
		head = parse_head(g->partial.data, g->partial.size);
		if (head.word_size == 0 && g->partial.size < MAX_HEAD)
			continue;
		g->partial.size = 0;
		return begin_words(g, &head);
	}
	return true;
}

/* --- lines -------------------------------------------------------------------------------------- */

static bool
begins_with(const char *line, size_t length, const char *word)
{
	size_t		size = strlen(word);

	return length >= size && memcmp(line, word, size) == 0;
}

static bool
fail_line(Gperftools *g, const char *line, size_t length, const char *reason)
{
	fg_fail_at(g->ctx, FG_ERROR_SYNTAX, g->line_number, 0, NULL, "%s", reason);
	fg_quote(g->ctx, line, length, 0);
	return false;
}

static bool
take_symbol(Gperftools *g, const char *line, size_t length)
{
	uint64_t	address;
	size_t		at;

	if (begins_with(line, length, "---"))
	{
		g->phase = FIRST_BYTE;
		return true;
	}
	at = begins_with(line, length, "0x") ? fg_parse_hex(line, length, &address) : 0;
	while (at > 0 && at < length && (line[at] == ' ' || line[at] == '\t'))
		at++;
	if (at > 0 && at < length)
		return fg_code_map_symbol(&g->map, address, line + at, length - at);
	/* binary=NAME, and whatever else is said of the program */
	return length == 0 || memchr(line, '=', length) != NULL ||
		fail_line(g, line, length, "a symbol has an address and a name");
}

static bool
take_first_line(Gperftools *g, const char *line, size_t length)
{
	if (length == 0)
		return true;
	if (begins_with(line, length, "--- symbol"))
	{
		g->phase = SYMBOLS;
		g->has_symbols = true;
		return true;
	}
	/* where symbols are, the profile has a line of its own before it */
	if (begins_with(line, length, "--- ") && g->has_symbols &&
		!begins_with(line, length, "--- contention"))
	{
		g->phase = FIRST_BYTE;
		return true;
	}
	if (!fg_gperftools_begin(&g->text, line, length))
		return g->ctx->error.code != FG_OK ? false
			: fail_line(g, line, length, "this is no first line of a profile of gperftools or jemalloc");
	g->phase = SAMPLES;
	return true;
}

static bool
take_sample(Gperftools *g, const char *line, size_t length)
{
	FgGperftoolsLine got;

	if (length == 0 || line[0] == '#')
		return true;
	if (begins_with(line, length, "MAPPED_LIBRARIES:") || begins_with(line, length, "--- Memory map"))
	{
		g->phase = MAPPINGS;
		return true;
	}
	if (!fg_gperftools_line(&g->text, line, length, &got))
		return fail_line(g, line, length, got.reason);
	if (got.begins)
		begin_stack(g);
	for (size_t at = got.addresses; at < length;)
	{
		uint64_t	address;
		size_t		bytes = fg_parse_hex(line + at, length - at, &address);

		if (bytes == 0)
			return fail_line(g, line, length, "an address is not hexadecimal, or has more than 64 bits");
		if (!add_address(g, address > 0 ? address - 1 : 0))
			return false;
		for (at += bytes; at < length && line[at] == ' ';)
			at++;
	}
	memcpy(g->stack.values, got.values, sizeof(got.values));
	if (got.ends && got.thread > 0 && g->text.threads &&
		!fg_names_add(&g->threads, line, got.thread, &g->stack.thread))
		return false;
	return !got.ends || end_stack(g);
}

static bool
take_line(Gperftools *g, const char *line, size_t length)
{
	g->line_number++;
	while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	while (length > 0 && g->phase != SYMBOLS && (line[0] == ' ' || line[0] == '\t'))
	{
		line++;
		length--;
	}
	switch (g->phase)
	{
		case SYMBOLS:
			return take_symbol(g, line, length);
		case SAMPLES:
			return take_sample(g, line, length);
		case MAPPINGS:
			return fg_code_map_line(&g->map, line, length);
		default:
			return take_first_line(g, line, length);
	}
}

/* A line may be cut anywhere; says how many bytes were taken. */
static bool
take_text(Gperftools *g, const char *bytes, size_t size, size_t *taken)
{
	const char *end = memchr(bytes, '\n', size);
	size_t		length = end == NULL ? size : (size_t) (end - bytes);
	bool		ok;

	*taken = length + (end != NULL);
	if (!fg_work(g->ctx, *taken) || !fg_steps(g->ctx, 1))
		return false;
	if (end != NULL && g->partial.size == 0)
		return take_line(g, bytes, length);
	if (!fg_buffer_append(&g->partial, bytes, length))
		return false;
	if (end == NULL)
		return true;
	ok = take_line(g, (char *) g->partial.data, g->partial.size);
	g->partial.size = 0;
	return ok;
}

/* --- the profiles ---------------------------------------------------------------------------------- */

static bool
append_number(Gperftools *g, Numbers *numbers, uint32_t number)
{
	if (!fg_reserve(g->ctx, (void **) &numbers->items, &numbers->capacity, numbers->count + 1,
					sizeof(uint32_t)))
		return false;
	numbers->items[numbers->count++] = number;
	return true;
}

static bool
call(Gperftools *g, const char *name, size_t length)
{
	uint32_t	number;

	return fg_names_add(&g->names, name, length, &number) && append_number(g, &g->called, number);
}

/*
 * google-pprof takes the symbols of a program from nm, and tells those of one name apart by their
 * addresses, "f<00000000000012a0>".  Its reports leave that out; it is another in each build.
 */
static size_t
without_address(const char *name, size_t length)
{
	static const size_t digits[] = {16, 8};
	uint64_t	address;

	for (size_t i = 0; i < 2; i++)
	{
		size_t		without = digits[i] + 2 < length ? length - digits[i] - 2 : 0;

		if (without > 0 && name[without] == '<' && name[length - 1] == '>' &&
			fg_parse_hex(name + without + 1, digits[i], &address) == digits[i])
			return without;
	}
	return length;
}

/* Finds out what an address is called. */
static bool
call_address(Gperftools *g, uint64_t address)
{
	size_t		length = 0;
	const char *name;

	g->name.size = 0;
	if (fg_sink_options(g->sink)->frame_style == FG_FRAME_ADDRESS)
	{
		char		text[32];
		int			size = snprintf(text, sizeof(text), "0x%" PRIx64, address);

		return call(g, text, (size_t) size);
	}
	name = fg_code_map_name(&g->map, address, &length);
	if (name == NULL)
		name = fg_code_map_name(&g->map, address + 1, &length);
	if (name == NULL)
		return fg_code_map_place(&g->map, address, &g->name) &&
			call(g, (char *) g->name.data, g->name.size);
	/* "outer--inner" */
	for (size_t end = length, at = length; at > 0; at--)
	{
		bool		inner = at >= 2 && name[at - 1] == '-' && name[at - 2] == '-' && end > at;
		const char *part = name + (inner ? at : 0);

		if ((inner || at == 1) && !call(g, part, without_address(part, end - (inner ? at : 0))))
			return false;
		if (inner)
		{
			at--;
			end = at - 1;
		}
	}
	return true;
}

/* Adds the frames of an address to the stack, the innermost first. */
static bool
add_frames(Gperftools *g, uint32_t number)
{
	Code	   *code = &g->codes[number];
	uint64_t	address;

	if (code->count == 0)
	{
		memcpy(&address, g->addresses.bytes + g->addresses.offset[number], sizeof(address));
		code->first = (uint32_t) g->called.count;
		if (!call_address(g, address) || !fg_work(g->ctx, 64))
			return false;
		code->count = (uint32_t) (g->called.count - code->first);
	}
	for (uint32_t i = 0; i < code->count; i++)
	{
		if (!append_number(g, &g->called_stack, g->called.items[code->first + i]))
			return false;
	}
	return true;
}

static bool
name_of(void *arg, uint32_t number, const char **name, size_t *length)
{
	const FgNames *names = &((Gperftools *) arg)->names;

	*name = names->bytes + names->offset[number];
	*length = names->length[number];
	return true;
}

/* Where a signal interrupted the program its address comes twice at times. */
static bool
is_twice(const Gperftools *g, const Stack *stack)
{
	uint64_t	address[2];

	if (g->text.kind != FG_GPERFTOOLS_CPU || stack->depth < 2)
		return false;
	for (size_t i = 0; i < 2; i++)
		memcpy(&address[i], g->addresses.bytes + g->addresses.offset[g->frames[i]],
			   sizeof(address[i]));
	return address[0] == address[1] + 1;
}

/* What its frames have to be noted for is noted once, whatever number of profiles it goes to. */
static bool
add_values(Gperftools *g, const FgNumberedStack *called, const double *values, const uint32_t *profiles,
		   size_t count)
{
	bool		noted = false;

	for (size_t i = 0; i < count; i++)
	{
		FgStackPlace place;

		if (profiles[i] == FG_UNWANTED)
		{
			fg_sink_noted(g->sink)->other_events++;
			continue;
		}
		if (!fg_numbered_place(&g->numbered, profiles[i], called, &place))
			return false;
		if (noted)
			place.unknown_frames = place.control_characters = 0;
		noted = true;
		if (!fg_sink_add_at(g->sink, &place, values[i]))
			return false;
	}
	return true;
}

static bool
add_stacks(Gperftools *g, const uint32_t *profiles, size_t count)
{
	FgChunkWalk walk;

	g->codes = fg_alloc_zero(g->ctx, g->addresses.count, sizeof(Code));
	if (g->codes == NULL)
		return false;
	walk = fg_chunks_walk(&g->kept);
	while (read_kept(g, &walk))
	{
		const Stack *stack = &g->stack;
		bool		twice = is_twice(g, stack);
		FgNumberedStack called = {.order = FG_LEAF_FIRST};

		g->called_stack.count = 0;
		for (uint32_t j = 0; j < stack->depth; j++)
		{
			if (!(twice && j == 1) && !add_frames(g, g->frames[j]))
				return false;
		}
		called.numbers = g->called_stack.items;
		called.count = g->called_stack.count;
		if (stack->thread != FG_NONE)
		{
			called.thread = g->threads.bytes + g->threads.offset[stack->thread];
			called.thread_length = g->threads.length[stack->thread];
		}
		if (!add_values(g, &called, stack->values, profiles, count) ||
			!fg_work(g->ctx, called.count * 2))
			return false;
	}
	return true;
}

static bool
make_profiles(Gperftools *g)
{
	FgKind		kinds[FG_GPERFTOOLS_VALUES];
	uint32_t	profiles[FG_GPERFTOOLS_VALUES];
	size_t		count = fg_gperftools_kinds(&g->text, kinds);

	/* as pprof has it: what comes last is what is looked at first */
	if (!fg_sink_default(g->sink, kinds[count - 1].name))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		if (!fg_sink_profile(g->sink, &kinds[i], &profiles[i]))
			return false;
	}
	return fg_code_map_finish(&g->map) && add_stacks(g, profiles, count);
}

/* --- the reader -------------------------------------------------------------------------------------- */

static void
gperftools_free(void *state)
{
	Gperftools *g = state;

	if (g == NULL)
		return;
	fg_names_free(&g->addresses);
	fg_names_free(&g->threads);
	fg_names_free(&g->names);
	fg_numbered_free(&g->numbered);
	fg_code_map_free(&g->map);
	fg_release(g->ctx, g->partial.data);
	fg_chunks_free(&g->kept);
	fg_release(g->ctx, g->frames);
	fg_release(g->ctx, g->name.data);
	fg_release(g->ctx, g->codes);
	fg_release(g->ctx, g->called.items);
	fg_release(g->ctx, g->called_stack.items);
	fg_release(g->ctx, g);
}

static void *
gperftools_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Gperftools *g = fg_alloc_zero(ctx, 1, sizeof(Gperftools));

	if (g == NULL)
		return NULL;
	g->sink = sink;
	g->ctx = g->partial.ctx = g->name.ctx = g->text.ctx = g->kept.ctx = ctx;
	g->text.threads = fg_sink_options(sink)->threads;
	fg_code_map_begin(ctx, &g->map);
	fg_numbered_begin(&g->numbered, sink, name_of, g);
	if (fg_names_begin(ctx, &g->addresses) && fg_names_begin(ctx, &g->threads) &&
		fg_names_begin(ctx, &g->names))
		return g;
	gperftools_free(g);
	return NULL;
}

static bool
gperftools_feed(void *state, const char *bytes, size_t size)
{
	Gperftools *g = state;

	while (size > 0)
	{
		size_t		taken;
		bool		ok;

		if (g->phase == FIRST_BYTE)
			g->phase = bytes[0] == '\0' ? HEAD : FIRST_LINE;
		ok = g->phase == HEAD ? take_head(g, bytes, size, &taken)
			: g->phase == WORDS ? take_words(g, bytes, size, &taken)
			: take_text(g, bytes, size, &taken);
		if (!ok)
			return false;
		bytes += taken;
		size -= taken;
	}
	return true;
}

/*
 * Half an address is another one, and half a library's name, too.  What tells where a text
 * ends is the list of libraries alone, which the tools write behind all stacks.
 */
static bool
check_end(Gperftools *g)
{
	for (size_t i = 0; i < g->partial.size; i++)
	{
		if (strchr(" \t\r", g->partial.data[i]) == NULL)
			return fg_fail_at(g->ctx, FG_ERROR_SYNTAX, g->line_number + 1, 0, NULL,
							  "the last line has no end, so the profile may be cut off");
	}
	if (g->phase == SAMPLES && !g->has_symbols)
		fg_sink_warn(g->sink, &(FgWarning) {
			.text = "the profile has no list of libraries, so it may be cut off",
			.hint = "Without the list frames are addresses, which differ from run to run."
		});
	return true;
}

static bool
gperftools_finish(void *state)
{
	Gperftools *g = state;

	if (g->phase == HEAD)
		return begin_words(g, &(Head) {.word_size = 0});
	/* what pprof writes behind symbols has no last stack */
	if (g->phase == WORDS && g->has_symbols && g->expected == COUNT && g->partial.size == 0)
		return make_profiles(g);
	if (g->phase == WORDS)
		return fg_fail(g->ctx, FG_ERROR_SYNTAX,
					   "the CPU profile of gperftools ends too early, behind %" PRIu64 " bytes",
					   g->bytes + g->partial.size);
	if (!check_end(g))
		return false;
	if (g->phase != SAMPLES && g->phase != MAPPINGS)
		return fg_fail(g->ctx, FG_ERROR_SYNTAX, "the file has no profile of gperftools or jemalloc");
	return make_profiles(g);
}

static bool
gperftools_recognise(const char *head, size_t size, bool whole)
{
	static const char *const begins[] = {
		"--- symbol", "--- contentionz ", "--- contention\n", "heap_v2/"
	};
	const char *line;

	(void) whole;
	if (parse_head((const uint8_t *) head, size).word_size != 0)
		return true;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
	{
		if (begins_with(head, size, begins[i]))
			return true;
	}
	line = memchr(head, '\n', size);
	return begins_with(head, size, "heap profile: ") &&
		fg_gperftools_is_heap(head, line == NULL ? size : (size_t) (line - head));
}

const FgFormatReader fg_gperftools_reader = {
	.format = FG_FORMAT_GPERFTOOLS,
	.recognise = gperftools_recognise,
	.begin = gperftools_begin,
	.feed = gperftools_feed,
	.finish = gperftools_finish,
	.free = gperftools_free
};
