/*
 * test_wire.c
 *	  The wire format of protocol buffers: numbers and fields as its documentation has them,
 *	  every way to cut them short, lengths that lie, and messages in blocks.
 */
#include "unit.h"

#include "core/reading/wire.h"

typedef struct Bytes
{
	const char *bytes;
	size_t		size;
} Bytes;

#define BYTES(text) ((Bytes) {text, sizeof(text) - 1})

/* --- numbers --------------------------------------------------------------------------- */

static void
test_numbers(void)
{
	static const struct
	{
		Bytes		bytes;
		uint64_t	value;
		size_t		used;		/* 0: it does not end */
	}			cases[] = {
		{{"\x00", 1}, 0, 1},
		{{"\x7F\xFF", 2}, 127, 1},
		{{"\x80\x01", 2}, 128, 2},
		{{"\x96\x01\x00", 3}, 150, 2},
		{{"\xFF\x7F\x00", 3}, 16383, 2},
		{{"\x80\x80\x01", 3}, 16384, 3},
		{{"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 10}, UINT64_MAX, 10},
		{{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10}, UINT64_C(1) << 63, 10},
		/* longer than needed, and with bits that nothing holds */
		{{"\x81\x00", 2}, 1, 2},
		{{"\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10}, 1, 10},
		{{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7E", 10}, 0, 10},
		/* eleven bytes, and ends */
		{{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11}, 0, 0},
		{{"", 0}, 0, 0},
		{{"\x80", 1}, 0, 0},
		{{"\x80\x80", 2}, 0, 0},
		{{"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 9}, 0, 0}
	};

	unit_case("varints");
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		/* of just this size, so that a read too far is seen */
		uint8_t    *copy = malloc(cases[i].bytes.size + 1);
		const uint8_t *next = copy + 1;
		uint64_t	value = 77;

		unit_note("%zu", i);
		if (cases[i].bytes.size > 0)
			memcpy(copy + 1, cases[i].bytes.bytes, cases[i].bytes.size);
		CHECK(fg_wire_varint(&next, copy + 1 + cases[i].bytes.size, &value) == (cases[i].used > 0));
		CHECK_COUNT(next - copy - 1, cases[i].used);
		if (cases[i].used > 0)
			CHECK_COUNT(value, cases[i].value);
		free(copy);
	}
	unit_note("%s", "");
}

/* --- fields as text -------------------------------------------------------------------- */

/* What a message was found to hold, "1=150 2:abc 3,5=7". */
typedef struct Seen
{
	char		text[1000];
	size_t		size;
	bool		lists;			/* fields of bytes are lists of numbers */
} Seen;

static bool
see(void *arg, const FgWire *wire, const FgWireField *field)
{
	Seen	   *seen = arg;
	char	   *to = seen->text + seen->size;
	size_t		room = sizeof(seen->text) - seen->size;
	FgWire		list;
	uint64_t	value;

	if (room < 100)
		return true;
	if (field->type == FG_WIRE_BYTES && !seen->lists)
		seen->size += (size_t) snprintf(to, room, "%u:%.*s ", field->number,
										field->size < 9 ? (int) field->size : 9, (const char *) field->bytes);
	else if (!seen->lists)
		seen->size += (size_t) snprintf(to, room, "%u,%d=%llu ", field->number, field->type,
										(unsigned long long) field->value);
	if (!seen->lists)
		return true;
	if (!fg_wire_list(wire, field, &list))
		return false;
	while (fg_wire_more(&list))
	{
		if (!fg_wire_next(&list, &value))
			return false;
		to = seen->text + seen->size;
		room = sizeof(seen->text) - seen->size;
		seen->size += (size_t) snprintf(to, room, "%llu ", (unsigned long long) value);
	}
	return true;
}

/* In blocks of "block" bytes, which are gone when they were read. */
static bool
read_blocks(FgContext *ctx, Bytes message, size_t block, uint64_t wanted, Seen *seen)
{
	FgWireStream stream;
	bool		ok = true;

	seen->size = 0;
	seen->text[0] = '\0';
	fg_wire_begin(&stream, ctx, "the message", "Look.");
	stream.wanted = wanted;
	stream.largest = 1000;
	stream.take = see;
	stream.arg = seen;
	for (size_t done = 0; ok && done < message.size; done += block)
	{
		size_t		count = message.size - done < block ? message.size - done : block;
		char	   *copy = malloc(count);

		memcpy(copy, message.bytes + done, count);
		ok = fg_wire_feed(&stream, copy, count);
		free(copy);
	}
	ok = ok && fg_wire_finish(&stream);
	fg_wire_free(&stream);
	return ok;
}

/* The same whatever the blocks are; "reason" NULL: it is read whole. */
static void
check_message(Bytes message, uint64_t wanted, bool lists, const char *expected, const char *reason)
{
	for (size_t block = 1; block <= message.size + 1; block++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Seen		seen = {.lists = lists};
		bool		ok = read_blocks(&ctx, message, block, wanted, &seen);

		unit_note("blocks of %zu", block);
		CHECK_TEXT(seen.text, seen.size, expected);
		CHECK(ok == (reason == NULL));
		if (!ok && reason != NULL)
		{
			CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), reason);
			CHECK_TEXT(ctx.error.hint, strlen(ctx.error.hint), "Look.");
		}
		CHECK_COUNT(memory.blocks, 0);
		CHECK(memory.bytes < 10000);
	}
	unit_note("%s", "");
}

#define ALL UINT64_MAX
#define ONLY(number) (UINT64_C(1) << (number))

static void
test_fields(void)
{
	unit_case("fields of each type, in blocks");
	check_message(BYTES(""), ALL, false, "", NULL);
	/* the documentation's own: field 1 is 150, field 2 a text */
	check_message(BYTES("\x08\x96\x01\x12\x07testing"), ALL, false, "1,0=150 2:testing ", NULL);
	check_message(BYTES("\x09\x01\x02\x03\x04\x05\x06\x07\x08\x15\x01\x02\x03\x04\x1A\x00"), ALL, false,
				  "1,1=578437695752307201 2,5=67305985 3: ", NULL);
	check_message(BYTES("\x0A\x03" "abc\x0A\x01" "d"), ONLY(1), false, "1:abc 1:d ", NULL);

	unit_case("fields that nobody wants are passed over");
	check_message(BYTES("\x0A\x03" "abc\x12\x02xy\x0A\x01" "d\x18\x05\x10\x07"), ONLY(1), false, "1:abc 1:d ", NULL);
	check_message(BYTES("\xF8\xFF\xFF\xFF\x0F\x01\x0A\x01" "d"), ALL, false, "1:d ", NULL);
	check_message(BYTES("\x82\x04\x03" "abc\x0A\x01" "d"), ALL, false, "1:d ", NULL);

	unit_case("lists: packed, one by one, both, empty");
	check_message(BYTES("\x22\x06\x03\x8E\x02\x9E\xA7\x05\x20\x01\x22\x00\x22\x01\x02"), ALL, true,
				  "3 270 86942 1 2 ", NULL);
	check_message(BYTES("\x22\x03\x03\x8E\x82"), ALL, true, "3 ",
				  "byte 4 of the message: a number is cut off");
	check_message(BYTES("\x08\x01\x25\x03\x04\x05\x06"), ALL, true, "1 ",
				  "byte 3 of the message: a field is of the wrong type");
}

static void
test_damage(void)
{
	char		large[1100] = "\x08\x01\x0A\xE9\x07";

	unit_case("a field that is cut off");
	check_message(BYTES("\x08\x01\x92"), ALL, false, "1,0=1 ", "byte 3 of the message: a field's number is damaged");
	check_message(BYTES("\x08\x01\x10"), ALL, false, "1,0=1 ", "byte 3 of the message: a field is cut off or of no known type");
	check_message(BYTES("\x08\x01\x10\x80"), ALL, false, "1,0=1 ", "byte 3 of the message: a field is cut off or of no known type");
	check_message(BYTES("\x08\x01\x11\x01\x02\x03\x04\x05\x06\x07"), ALL, false, "1,0=1 ",
				  "byte 3 of the message: a field is cut off or of no known type");
	check_message(BYTES("\x08\x01\x15\x01\x02\x03"), ALL, false, "1,0=1 ",
				  "byte 3 of the message: a field is cut off or of no known type");
	check_message(BYTES("\x08\x01\x12\x03" "ab"), ALL, false, "1,0=1 ",
				  "byte 3 of the message: a length reaches beyond the end of what it belongs to");
	check_message(BYTES("\x08\x01\x12\x03" "ab"), ONLY(1), false, "1,0=1 ",
				  "byte 3 of the message: a length reaches beyond the end of what it belongs to");

	unit_case("numbers and types that no field has");
	check_message(BYTES("\x08\x01\x00\x01"), ALL, false, "1,0=1 ", "byte 3 of the message: a field's number is damaged");
	check_message(BYTES("\x08\x01\x80\x80\x80\x80\x10\x01"), ALL, false, "1,0=1 ",
				  "byte 3 of the message: a field's number is damaged");
	check_message(BYTES("\x08\x01\x88\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x01"), ALL, false, "1,0=1 ",
				  "byte 3 of the message: a field's number is damaged");
	for (int type = 3; type < 8; type++)
	{
		char		bytes[] = {0x08, 0x01, (char) (0x08 | type), 1, 1, 1};

		if (type != 5)
			check_message((Bytes) {bytes, sizeof(bytes)}, ALL, false, "1,0=1 ",
						  "byte 3 of the message: a field is cut off or of no known type");
	}

	unit_case("lengths that lie take no memory");
	check_message(BYTES("\x08\x01\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" "abc"), ONLY(1), false, "1,0=1 ",
				  "byte 3 of the message: a length reaches beyond the end of what it belongs to");
	check_message(BYTES("\x08\x01\x12\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01" "abc"), ALL, false, "1,0=1 ",
				  "byte 3 of the message: a field has more than 1000 bytes");
	check_message((Bytes) {large, 5 + 1001}, ALL, false, "1,0=1 ", "byte 3 of the message: a field has more than 1000 bytes");
	large[3] = '\xE8';
	check_message((Bytes) {large, 4 + 1000}, ALL, false, "1,0=1 ",
				  "byte 3 of the message: a length reaches beyond the end of what it belongs to");
}

/* A message within a message ends with it. */
static void
test_inner(void)
{
	static const uint8_t bytes[] = {0x0A, 0x04, 0x12, 0x02, 'a', 'b', 0x0A, 0x03, 0x12, 0x02, 'a'};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgWireInput input = {&ctx, bytes, 100, "the file", NULL};
	FgWire		wire = {&input, bytes, bytes + sizeof(bytes)};
	FgWireField field;
	FgWire		inner;
	uint64_t	number;

	unit_case("messages in messages, with places of the whole input");
	CHECK(fg_wire_take(&wire, &field) && fg_wire_inner(&wire, &field, &inner));
	CHECK(fg_wire_take(&inner, &field) && field.number == 2 && !fg_wire_more(&inner));
	CHECK(!fg_wire_number(&inner, &field, &number));
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), "byte 103 of the file: a field is of the wrong type");
	CHECK(fg_wire_take(&wire, &field) && fg_wire_inner(&wire, &field, &inner) && !fg_wire_more(&wire));
	CHECK(!fg_wire_take(&inner, &field));
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason),
			   "byte 109 of the file: a length reaches beyond the end of what it belongs to");

	unit_case("without a context there is no error to set");
	input.ctx = NULL;
	CHECK(!fg_wire_take(&inner, &field) && !fg_wire_wrong(&inner, &field));
}

static bool
read_once(FgContext *ctx, void *arg)
{
	Seen		seen = {.lists = false};

	return read_blocks(ctx, *(const Bytes *) arg, 3, ALL, &seen);
}

static void
test_memory(void)
{
	Bytes		message = BYTES("\x08\x96\x01\x12\x07testing\x12\x01x");
	char	   *many = calloc(1, 3 << 20);
	Bytes		zeros = {many, 3 << 20};

	unit_case("memory that runs out");
	unit_sweep_memory("wire", read_once, &message);
	unit_case("interrupts");
	for (size_t i = 0; i < zeros.size; i += 2)
		many[i] = 0x12;
	unit_sweep_interrupts("wire", read_once, &zeros, 20);
	free(many);
}

int
main(void)
{
	test_numbers();
	test_fields();
	test_damage();
	test_inner();
	test_memory();
	return unit_finish();
}
