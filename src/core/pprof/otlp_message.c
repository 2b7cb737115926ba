/*
 * otlp_message.c
 *	  What is a message of OTLP profiles (see otlp_message.h).
 */
#include "core/pprof/otlp_message.h"

#include "core/pprof/otlp_json.h"
#include "core/reading/wire.h"

typedef enum Verdict
{
	NOTHING,					/* it may be either */
	OTLP,
	OTHER
} Verdict;

/* The tag and, of bytes, the length of the next field; false: it is not there as a whole. */
static bool
take_tag(const uint8_t **next, const uint8_t *end, uint64_t *tag, uint64_t *length)
{
	return fg_wire_varint(next, end, tag) && fg_wire_varint(next, end, length);
}

/*
 * What a field of the message shows, as far as it is there.  In pprof field 1 has two numbers,
 * here it has messages; in pprof field 2 has no fields 5 to 7, here they are texts, attributes
 * and stacks.
 */
static Verdict
judge(uint32_t field, const uint8_t *next, const uint8_t *end)
{
	Verdict		verdict = NOTHING;

	while (next < end)
	{
		uint64_t	tag;
		uint64_t	length;

		if (!take_tag(&next, end, &tag, &length))
			return verdict;
		if ((tag & 7) != FG_WIRE_BYTES || tag >> 3 == 0 || tag >> 3 > (field == FG_OTLP_RESOURCES ? 3 : 7))
			return OTHER;
		if (field == FG_OTLP_RESOURCES || tag >> 3 >= 5)
			verdict = OTLP;
		if (length > (uint64_t) (end - next))
			return verdict;
		next += length;
	}
	return verdict;
}

static bool
is_message(const uint8_t *next, const uint8_t *end)
{
	bool		shown = false;

	while (next < end)
	{
		uint64_t	tag;
		uint64_t	length;
		const uint8_t *stop;
		Verdict		verdict;

		if (!take_tag(&next, end, &tag, &length))
			return shown;
		if (tag != (FG_OTLP_RESOURCES << 3 | FG_WIRE_BYTES) && tag != (FG_OTLP_DICTIONARY << 3 | FG_WIRE_BYTES))
			return false;
		stop = length > (uint64_t) (end - next) ? end : next + length;
		verdict = judge((uint32_t) (tag >> 3), next, stop);
		if (verdict == OTHER)
			return false;
		shown |= verdict == OTLP;
		if (length > (uint64_t) (end - next))
			return shown;
		next = stop;
	}
	return shown;
}

bool
fg_otlp_recognise(const char *head, size_t size, bool whole)
{
	const uint8_t *next = (const uint8_t *) head;
	const uint8_t *end = next + size;
	size_t		length;

	(void) whole;
	if (fg_otlp_json_recognise(head, size))
		return true;
	if (size <= FG_OTLP_HEAD_BYTES || next[0] >= FG_OTLP_FIRST_TAG)
		return is_message(next, end);
	length = (size_t) next[0] << 24 | (size_t) next[1] << 16 | (size_t) next[2] << 8 | next[3];
	next += FG_OTLP_HEAD_BYTES;
	return is_message(next, length < (size_t) (end - next) ? next + length : end);
}
