/*
 * wire.h
 *	  The wire format of protocol buffers: messages of numbered fields, read where they lie.
 *
 * A field is a tag (its number, and how it is written) and a varint, four or eight bytes, or a
 * length and so many bytes.  These may be a text, a message or a packed list of numbers;
 * nothing in the bytes says which.  So whoever reads a message knows what its fields are, asks
 * for that, and passes over those that it does not know: later versions may have added them.
 *
 *		while (fg_wire_more(&wire))
 *		{
 *			if (!fg_wire_take(&wire, &field))
 *				return false;
 *			...		fg_wire_number, fg_wire_inner, fg_wire_list by field.number
 *		}
 *
 * No length is believed before the bytes are there, no number reaches beyond its message, and
 * nothing is allocated.  An error says at which byte of the whole input it is, from 1.
 *
 * FgWireStream cuts a message that comes in blocks of any size into its fields, so that the
 * message need not be in memory as a whole: of a profile with millions of samples, only one is.
 */
#ifndef FG_WIRE_H
#define FG_WIRE_H

#include "core/base/bytes.h"

typedef enum FgWireType
{
	FG_WIRE_VARINT = 0,
	FG_WIRE_64 = 1,
	FG_WIRE_BYTES = 2,
	FG_WIRE_32 = 5
} FgWireType;

/* What the bytes belong to, for errors. */
typedef struct FgWireInput
{
	FgContext  *ctx;			/* NULL: who asks wants no errors */
	const uint8_t *start;		/* some byte of the input ... */
	uint64_t	place;			/* ... which is this one, from 0 */
	const char *name;			/* of the input: "the unpacked profile" */
	const char *hint;
} FgWireInput;

/* A message, or a list, of which the rest is to be read. */
typedef struct FgWire
{
	const FgWireInput *input;
	const uint8_t *next;
	const uint8_t *end;
} FgWire;

typedef struct FgWireField
{
	uint32_t	number;
	FgWireType	type;
	uint64_t	value;			/* of a varint or of four or eight bytes */
	const uint8_t *start;		/* of its tag */
	const uint8_t *bytes;		/* what is behind the tag, and behind the length */
	size_t		size;
} FgWireField;

/* An error at this byte. */
extern bool fg_wire_broken(const FgWireInput *input, const uint8_t *where, const char *what);

/* The field is not what its number says. */
extern bool fg_wire_wrong(const FgWire *wire, const FgWireField *field);

static inline bool
fg_wire_more(const FgWire *wire)
{
	return wire->next < wire->end;
}

/* --- numbers --------------------------------------------------------------------------- */

/* The same for numbers of several bytes. */
extern bool fg_wire_long_varint(const uint8_t **next, const uint8_t *end, uint64_t *value);

/*
 * False when it does not end, before "end" or at all.  Unlike our own varints these may have
 * zeros at their end; bits above the 64th are dropped, as other readers do.
 */
static inline bool
fg_wire_varint(const uint8_t **next, const uint8_t *end, uint64_t *value)
{
	const uint8_t *at = *next;

	if (end - at < 2 || at[0] >= 0x80)
	{
		if (end - at < 2 || at[1] >= 0x80)
			return fg_wire_long_varint(next, end, value);
		*value = (uint64_t) (at[0] & 0x7F) | (uint64_t) at[1] << 7;
		*next = at + 2;
		return true;
	}
	*value = at[0];
	*next = at + 1;
	return true;
}

/* --- fields ---------------------------------------------------------------------------- */

/* Takes the next field; there is more. */
extern bool fg_wire_take(FgWire *wire, FgWireField *field);

/* The field as a number that is written as a varint. */
static inline bool
fg_wire_number(const FgWire *wire, const FgWireField *field, uint64_t *value)
{
	*value = field->value;
	return field->type == FG_WIRE_VARINT || fg_wire_wrong(wire, field);
}

/* The field as a message; also for a text, which is then from inner->next to its end. */
static inline bool
fg_wire_inner(const FgWire *wire, const FgWireField *field, FgWire *inner)
{
	*inner = (FgWire) {wire->input, field->bytes, field->bytes + field->size};
	return field->type == FG_WIRE_BYTES || fg_wire_wrong(wire, field);
}

/*
 * The field as a list of numbers, or as a part of one: packed, or one number of it.  The parts
 * of a message are one list, whichever way each of them is written.
 */
static inline bool
fg_wire_list(const FgWire *wire, const FgWireField *field, FgWire *list)
{
	*list = (FgWire) {wire->input, field->bytes, field->bytes + field->size};
	return field->type == FG_WIRE_BYTES || field->type == FG_WIRE_VARINT || fg_wire_wrong(wire, field);
}

/* The next number of a list that has more. */
static inline bool
fg_wire_next(FgWire *list, uint64_t *value)
{
	return fg_wire_varint(&list->next, list->end, value) ||
		fg_wire_broken(list->input, list->next, "a number is cut off");
}

/* --- a message in blocks --------------------------------------------------------------- */

/* Takes a field of the message; the wire is only there for errors. */
typedef bool (*FgWireTake) (void *arg, const FgWire *wire, const FgWireField *field);

typedef struct FgWireStream
{
	FgWireInput input;
	uint64_t	wanted;			/* numbers of the fields that are taken, as bits; others are passed over */
	size_t		largest;		/* bytes that a wanted field may have */
	FgWireTake	take;
	void	   *arg;
	FgBuffer	pending;		/* the beginning of a field */
	uint64_t	place;			/* of the next byte, or of the first one that is pending */
	uint64_t	passing;		/* bytes of a field that are still to be passed over */
	uint64_t	passing_place;	/* where that field began */
} FgWireStream;

extern void fg_wire_begin(FgWireStream *stream, FgContext *ctx, const char *name, const char *hint);
extern bool fg_wire_feed(FgWireStream *stream, const void *bytes, size_t size);
extern bool fg_wire_finish(FgWireStream *stream);
extern void fg_wire_free(FgWireStream *stream);

#endif							/* FG_WIRE_H */
