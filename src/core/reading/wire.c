/*
 * wire.c
 *	  Fields of protocol buffers (see wire.h).
 */
#include "core/reading/wire.h"

#include <inttypes.h>

/* The largest number that a field may have. */
#define MAX_NUMBER ((UINT32_C(1) << 29) - 1)

/* --- errors ---------------------------------------------------------------------------- */

bool
fg_wire_broken(const FgWireInput *input, const uint8_t *where, const char *what)
{
	uint64_t	place = input->place + (uint64_t) (where - input->start);

	return input->ctx != NULL &&
		fg_fail_at(input->ctx, FG_ERROR_SYNTAX, 0, 0, input->hint, "byte %" PRIu64 " of %s: %s",
				   place + 1, input->name, what);
}

bool
fg_wire_wrong(const FgWire *wire, const FgWireField *field)
{
	return fg_wire_broken(wire->input, field->start, "a field is of the wrong type");
}

/* --- numbers --------------------------------------------------------------------------- */

bool
fg_wire_long_varint(const uint8_t **next, const uint8_t *end, uint64_t *value)
{
	const uint8_t *at = *next;
	uint64_t	result = 0;

	for (unsigned shift = 0; shift < 7 * FG_VARINT_MAX && at < end; shift += 7)
	{
		uint8_t		byte = *at++;

		/* of the tenth byte one bit fits */
		result |= (uint64_t) (byte & 0x7F) << shift;
		if (byte >= 0x80)
			continue;
		*next = at;
		*value = result;
		return true;
	}
	return false;
}

/* --- fields ---------------------------------------------------------------------------- */

static const char bad_tag[] = "a field's number is damaged";
static const char bad_value[] = "a field is cut off or of no known type";
static const char bad_length[] = "a length reaches beyond the end of what it belongs to";

/*
 * Takes a field but for the bytes behind a length, which may not be there: NULL, or what is
 * wrong with it.  "*cut": nothing but that it is not whole.
 */
static const char *
take_head(const uint8_t **next, const uint8_t *end, FgWireField *field, bool *cut)
{
	uint64_t	tag;
	bool		known;

	field->start = *next;
	*cut = end - *next < FG_VARINT_MAX;
	if (!fg_wire_varint(next, end, &tag))
		return bad_tag;
	*cut = false;
	if (tag >> 3 == 0 || tag >> 3 > MAX_NUMBER)
		return bad_tag;
	field->number = (uint32_t) (tag >> 3);
	field->type = (FgWireType) (tag & 7);
	field->bytes = *next;
	field->size = field->type == FG_WIRE_64 ? 8 : field->type == FG_WIRE_32 ? 4 : 0;
	known = field->size > 0 || field->type == FG_WIRE_VARINT || field->type == FG_WIRE_BYTES;
	if (!known)
		return bad_value;
	*cut = (size_t) (end - *next) < (field->size > 0 ? field->size : FG_VARINT_MAX);
	if (field->size == 0)
	{
		if (!fg_wire_varint(next, end, &field->value))
			return bad_value;
		field->size = (size_t) (*next - field->bytes);
		return NULL;
	}
	if (*cut)
		return bad_value;
	*next += field->size;
	field->value = fg_load_le(field->bytes, (unsigned) field->size);
	return NULL;
}

bool
fg_wire_take(FgWire *wire, FgWireField *field)
{
	const uint8_t *next = wire->next;
	bool		cut;
	const char *damage = take_head(&next, wire->end, field, &cut);

	if (damage == NULL && field->type == FG_WIRE_BYTES)
	{
		if (field->value > (uint64_t) (wire->end - next))
			damage = bad_length;
		field->bytes = next;
		field->size = (size_t) field->value;
	}
	if (damage != NULL)
		return fg_wire_broken(wire->input, field->start, damage);
	wire->next = field->bytes + field->size;
	return true;
}

/* --- a message in blocks --------------------------------------------------------------- */

void
fg_wire_begin(FgWireStream *stream, FgContext *ctx, const char *name, const char *hint)
{
	*stream = (FgWireStream) {
		.input = {.ctx = ctx, .name = name, .hint = hint},
		.pending = {.ctx = ctx}
	};
}

void
fg_wire_free(FgWireStream *stream)
{
	fg_release(stream->pending.ctx, stream->pending.data);
	stream->pending.data = NULL;
}

typedef enum Extent
{
	WHOLE,
	CUT,						/* wanted, and not all of it is there */
	PASSED,						/* not wanted; its bytes behind the length may not be there */
	BROKEN						/* the error is set */
} Extent;

static bool
is_wanted(const FgWireStream *stream, uint32_t number)
{
	return number < 64 && (stream->wanted >> number & 1) != 0;
}

static bool
too_large(const FgWireStream *stream)
{
	return fg_fail_at(stream->input.ctx, FG_ERROR_LIMIT, 0, 0, stream->input.hint,
					  "byte %" PRIu64 " of %s: a field has more than %zu bytes",
					  stream->place + 1, stream->input.name, stream->largest);
}

/* How much of the field at the beginning of these bytes is there. */
static Extent
take_field(const FgWireStream *stream, FgWire *wire, FgWireField *field)
{
	const uint8_t *next = wire->next;
	bool		cut;
	const char *damage = take_head(&next, wire->end, field, &cut);

	if (damage != NULL && cut)
		return CUT;
	if (damage != NULL)
	{
		fg_wire_broken(wire->input, field->start, damage);
		return BROKEN;
	}
	if (field->type == FG_WIRE_BYTES)
	{
		if (!is_wanted(stream, field->number))
		{
			wire->next = next;
			return PASSED;
		}
		if (field->value > stream->largest)
		{
			too_large(stream);
			return BROKEN;
		}
		if (field->value > (uint64_t) (wire->end - next))
			return CUT;
		field->bytes = next;
		field->size = (size_t) field->value;
		next += field->size;
	}
	wire->next = next;
	return WHOLE;
}

static bool
pass_over(FgWireStream *stream, const FgWireField *field)
{
	stream->passing = field->value;
	stream->passing_place = stream->place;
	return true;
}

static bool
hand_on(const FgWireStream *stream, const FgWire *wire, const FgWireField *field)
{
	return !is_wanted(stream, field->number) || stream->take(stream->arg, wire, field);
}

/* As many fields as are whole; *used becomes their bytes. */
static bool
take_fields(FgWireStream *stream, const uint8_t *bytes, size_t size, size_t *used)
{
	FgWire		wire = {&stream->input, bytes, bytes + size};

	*used = 0;
	while (fg_wire_more(&wire) && stream->passing == 0)
	{
		FgWireField field;
		Extent		extent;

		stream->input.start = wire.next;
		stream->input.place = stream->place;
		extent = take_field(stream, &wire, &field);
		if (extent == BROKEN)
			return false;
		if (extent == CUT)
			return true;
		if (!(extent == WHOLE ? hand_on(stream, &wire, &field) : pass_over(stream, &field)) ||
			!fg_work(stream->input.ctx, (size_t) (wire.next - field.start)))
			return false;
		stream->place += (uint64_t) (wire.next - field.start);
		*used = (size_t) (wire.next - bytes);
	}
	return true;
}

/* How many bytes the pending field lacks, as far as that is known: one, as long as its head is cut. */
static size_t
missing_bytes(const FgWireStream *stream)
{
	const uint8_t *next = stream->pending.data;
	const uint8_t *end = next + stream->pending.size;
	FgWireField field;
	bool		cut;

	if (take_head(&next, end, &field, &cut) != NULL || field.type != FG_WIRE_BYTES)
		return 1;
	return (size_t) field.value - (size_t) (end - next);
}

/* Goes on with the field that is pending; the bytes behind it are left. */
static bool
complete(FgWireStream *stream, const uint8_t **bytes, size_t *size)
{
	while (stream->pending.size > 0 && *size > 0)
	{
		size_t		missing = missing_bytes(stream);
		size_t		taken = missing < *size ? missing : *size;
		size_t		used;

		if (!fg_buffer_append(&stream->pending, *bytes, taken))
			return false;
		*bytes += taken;
		*size -= taken;
		if (!take_fields(stream, stream->pending.data, stream->pending.size, &used))
			return false;
		if (used > 0)
			stream->pending.size = 0;
	}
	return true;
}

bool
fg_wire_feed(FgWireStream *stream, const void *bytes, size_t size)
{
	const uint8_t *next = bytes;

	while (size > 0)
	{
		size_t		used = stream->passing < size ? (size_t) stream->passing : size;

		if (used == 0 && stream->pending.size > 0)
		{
			if (!complete(stream, &next, &size))
				return false;
			continue;
		}
		if (used > 0)
		{
			stream->passing -= used;
			stream->place += used;
		}
		else if (!take_fields(stream, next, size, &used))
			return false;
		next += used;
		size -= used;
		if (stream->passing == 0 && used == 0)
			return fg_buffer_append(&stream->pending, next, size);
	}
	return true;
}

bool
fg_wire_finish(FgWireStream *stream)
{
	FgWireInput *input = &stream->input;
	FgWire		wire = {.input = input};
	FgWireField field;

	input->start = stream->pending.data;
	if (stream->passing > 0)
	{
		input->place = stream->passing_place;
		return fg_wire_broken(input, input->start, bad_length);
	}
	if (stream->pending.size == 0)
		return true;
	input->place = stream->place;
	wire.next = input->start;
	wire.end = input->start + stream->pending.size;
	return fg_wire_take(&wire, &field);
}
