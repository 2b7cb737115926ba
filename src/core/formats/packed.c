/*
 * packed.c
 *	  The packed text form of the type flamegraph as a recording:
 *	  "flamegraph:1:" and base64 of the encoded form (codec.h), blanks and line
 *	  ends behind it.
 */
#include "core/reading/sink.h"

#include "core/base/bytes.h"
#include "core/profile/codec.h"

static const char prefix[] = "flamegraph:1:";
static const char blanks[] = " \t\r\n";

#define PREFIX_SIZE (sizeof(prefix) - 1)
#define NAME_SIZE (sizeof("flamegraph:") - 1)

static const FgKind kind = {.event = "cpu", .name = "", .unit = "samples"};

/* Values of characters that are no digits of base64. */
#define PADDING 64
#define BLANK 65
#define NO_DIGIT 255

typedef struct Packed
{
	FgContext  *ctx;
	FgSink	   *sink;
	uint32_t	number;
	uint64_t	position;		/* of the next character */
	FgBuffer	bytes;
	uint32_t	group;			/* digits of base64 that make no bytes yet */
	unsigned	digits;
	unsigned	padding;
	bool		ended;			/* only blanks may follow */
	uint8_t		value[256];
} Packed;

/* In folded text something follows the first blank, the value; here more blanks may. */
static bool
ends_with_blanks(const char *head, size_t size)
{
	const char *blank = memchr(head, ' ', size);

	while (blank != NULL && blank < head + size)
	{
		if (memchr(blanks, *blank++, sizeof(blanks) - 1) == NULL)
			return false;
	}
	return true;
}

/* Any version, so that a newer one is refused by what it is. */
static bool
recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	return size > NAME_SIZE && memcmp(head, prefix, NAME_SIZE) == 0 &&
		head[NAME_SIZE] >= '0' && head[NAME_SIZE] <= '9' && ends_with_blanks(head, size);
}

static bool
fail_at(Packed *p, const char *what)
{
	return fg_fail_at(p->ctx, FG_ERROR_CORRUPT, 1, p->position + 1, NULL, "%s", what);
}

static bool
add_digit(Packed *p, uint8_t value)
{
	uint8_t		bytes[3];

	if (p->ended || p->padding > 0)
		return fail_at(p, "characters follow the end of the base64 text");
	p->group = p->group << 6 | value;
	if (++p->digits < 4)
		return true;
	bytes[0] = (uint8_t) (p->group >> 16);
	bytes[1] = (uint8_t) (p->group >> 8);
	bytes[2] = (uint8_t) p->group;
	p->digits = 0;
	p->group = 0;
	if (p->bytes.size > FG_MAX_BYTES)
		return fg_fail(p->ctx, FG_ERROR_LIMIT, "a value has more than %u bytes", FG_MAX_BYTES);
	return fg_buffer_append(&p->bytes, bytes, sizeof(bytes));
}

/* "=" stands for the digits that are missing in the last group of four. */
static bool
add_padding(Packed *p)
{
	uint8_t		bytes[2];
	unsigned	count;

	if (p->ended || p->digits < 2)
		return fail_at(p, "the base64 text has a \"=\" in a wrong place");
	if (p->digits + ++p->padding < 4)
		return true;
	count = p->digits - 1;
	p->group <<= 6 * p->padding;
	bytes[0] = (uint8_t) (p->group >> 16);
	bytes[1] = (uint8_t) (p->group >> 8);
	p->ended = true;
	p->digits = p->padding = 0;
	return fg_buffer_append(&p->bytes, bytes, count);
}

static bool
add_character(Packed *p, char character)
{
	uint8_t		value = p->value[(uint8_t) character];

	if (p->position < PREFIX_SIZE)
		return character == prefix[p->position] ||
			fail_at(p, "this is not version 1 of the packed form");
	if (value < PADDING)
		return add_digit(p, value);
	if (value == PADDING)
		return add_padding(p);
	if (value != BLANK)
		return fail_at(p, "this character does not belong to base64");
	p->ended = true;
	return p->digits == 0 || fail_at(p, "the base64 text ends in the middle");
}

static bool
feed(void *state, const char *bytes, size_t size)
{
	Packed	   *p = state;

	for (size_t i = 0; i < size; i++)
	{
		if (!add_character(p, bytes[i]))
			return false;
		p->position++;
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	return true;
}

static bool
finish(void *state)
{
	Packed	   *p = state;
	FgTree		tree;

	if (p->position < PREFIX_SIZE || p->digits > 0)
		return fail_at(p, "the base64 text ends in the middle");
	return fg_codec_validate(p->ctx, p->bytes.data, p->bytes.size, &tree) &&
		fg_sink_tree(p->sink, p->number, &tree);
}

static void
end(void *state)
{
	Packed	   *p = state;

	fg_release(p->ctx, p->bytes.data);
	fg_release(p->ctx, p);
}

static void *
begin(FgSink *sink)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	FgContext  *ctx = fg_sink_context(sink);
	Packed	   *p = fg_alloc_zero(ctx, 1, sizeof(Packed));

	if (p == NULL)
		return NULL;
	p->ctx = p->bytes.ctx = ctx;
	p->sink = sink;
	memset(p->value, NO_DIGIT, sizeof(p->value));
	for (size_t i = 0; i < sizeof(digits) - 1; i++)
		p->value[(uint8_t) digits[i]] = (uint8_t) i;
	for (size_t i = 0; i < sizeof(blanks) - 1; i++)
		p->value[(uint8_t) blanks[i]] = BLANK;
	p->value['='] = PADDING;
	if (fg_sink_whole(sink, &kind, &p->number))
		return p;
	end(p);
	return NULL;
}

const FgFormatReader fg_packed_reader = {
	.format = FG_FORMAT_PACKED,
	.recognise = recognise,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
