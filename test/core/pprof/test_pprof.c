/*
 * test_pprof.c
 *	  pprof's format, both ways: messages that are put together here byte by byte, every
 *	  reference that leads nowhere, and what the writer writes.
 */
#include "messages.h"
#include "recordings.h"

#include "core/pprof/pprof_samples.h"
#include "core/pprof/pprof_write.h"
#include "core/profile/builder.h"
#include "core/profile/folded.h"

#include <inttypes.h>

/* --- parts of a profile ---------------------------------------------------------- */

/* A message of numbers, fields 1, 2, ...; UINT64_MAX leaves a field out. */
static Message
numbers(const uint64_t *values, unsigned count)
{
	Message		m = {.size = 0};

	for (unsigned i = 0; i < count; i++)
	{
		if (values[i] != UINT64_MAX)
			put_number(&m, i + 1, values[i]);
	}
	return m;
}

#define NUMBERS(...) \
	numbers((const uint64_t[]) {__VA_ARGS__}, sizeof((const uint64_t[]) {__VA_ARGS__}) / 8)

static void
put_texts(Message *m, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_bytes(m, 6, texts[i], strlen(texts[i]));
}

static void
put_location(Message *m, uint64_t id, uint64_t mapping, uint64_t address,
			 const uint64_t (*lines)[2], size_t count)
{
	Message		location = NUMBERS(id, mapping, address);

	for (size_t i = 0; i < count; i++)
	{
		Message		line = numbers(lines[i], 2);

		put_message(&location, 4, &line);
	}
	put_message(m, 4, &location);
}

/* One number after the other, or packed: both are right. */
static void
put_sample(Message *m, bool packed, const uint64_t *locations, size_t nlocations,
		   const uint64_t *values, size_t nvalues, size_t labels)
{
	Message		sample = {.size = 0};
	Message		list = {.size = 0};

	for (size_t i = 0; i < nlocations; i++)
	{
		if (packed)
			put_varint(&list, locations[i]);
		else
			put_number(&sample, 1, locations[i]);
	}
	if (packed)
		put_message(&sample, 1, &list);
	list.size = 0;
	for (size_t i = 0; i < nvalues; i++)
		put_varint(&list, values[i]);
	put_message(&sample, 2, &list);
	for (size_t i = 0; i < labels; i++)
		put_bytes(&sample, 3, "\x08\x01", 2);
	put_message(m, 2, &sample);
}

static const char *const texts[] = {
	"", "samples", "count", "cpu", "nanoseconds", "main", "inner", "_ZN3fooEv", "/lib/libx.so.6", "a\nb"
};

enum
{
	T_EMPTY, T_SAMPLES, T_COUNT, T_CPU, T_NANOSECONDS, T_MAIN, T_INNER, T_FOO, T_LIBX, T_BREAK
};

#define LIST(...) (const uint64_t[]) {__VA_ARGS__}, sizeof((const uint64_t[]) {__VA_ARGS__}) / 8

/* Fields in the order of Go, which writes the texts last. */
static void
put_types(Message *m)
{
	Message		samples = NUMBERS(T_SAMPLES, T_COUNT);
	Message		cpu = NUMBERS(T_CPU, T_NANOSECONDS);

	put_message(m, 1, &samples);
	put_message(m, 1, &cpu);
	put_number(m, 9, 1700000000);
	put_message(m, 11, &cpu);
	put_number(m, 12, 10000000);
}

static void
put_code(Message *m)
{
	Message		mapping = NUMBERS(7, 0x1000, 0x9000, 0x200, T_LIBX);
	Message		main_function = NUMBERS(30, T_MAIN, T_FOO, T_EMPTY, 1);
	Message		inner_function = NUMBERS(31, T_INNER);
	Message		mangled_function = NUMBERS(UINT64_C(1) << 63, T_EMPTY, T_FOO);

	put_message(m, 3, &mapping);
	put_location(m, 1, 7, 0x1100, (const uint64_t[][2]) {{31, 12}, {30, 3}}, 2);
	put_location(m, 500, 7, 0x1200, (const uint64_t[][2]) {{UINT64_C(1) << 63, 0}}, 1);
	put_location(m, 3, 7, 0x1300, NULL, 0);
	put_location(m, 4, 0, 0x40, NULL, 0);
	put_message(m, 5, &main_function);
	put_message(m, 5, &inner_function);
	put_message(m, 5, &mangled_function);
}

static void
put_whole(Message *m)
{
	put_types(m);
	put_sample(m, false, LIST(500, 1), LIST(2, 20000000), 0);
	put_sample(m, true, LIST(3, 1), LIST(1, 10000000), 2);
	put_sample(m, true, LIST(4), LIST(0, (uint64_t) -5), 1);
	put_sample(m, true, NULL, 0, LIST(3, 0), 0);
	put_code(m);
	put_texts(m, texts, COUNT(texts));
}

static Message
whole_profile(void)
{
	Message		m = {.size = 0};

	put_whole(&m);
	return m;
}

/* --- reading -------------------------------------------------------------------- */

static FgReadOptions
pprof_options(const char *selection, FgFrameStyle style)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.selection = selection;
	options.frame_style = style;
	return options;
}

static void
check_read(const Message *m, FgReadOptions options, const char *facts, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	char		got[300];

	if (!CHECK(recording_read(&ctx, m->bytes, m->size, 0, &options, &recording)))
	{
		printf("    %s\n", ctx.error.reason);
		return;
	}
	CHECK_COUNT(recording.format, FG_FORMAT_PPROF);
	if (CHECK_COUNT(recording.count, 1))
	{
		snprintf(got, sizeof(got), "%s %s %s %.10g", recording.profiles[0].event,
				 recording.profiles[0].name, recording.profiles[0].unit,
				 recording.profiles[0].period);
		CHECK_TEXT(got, strlen(got), facts);
		recording_is(&ctx, &recording.profiles[0].complete, expected);
	}
	CHECK_COUNT(recording.noted.labels, 3);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
	recording_check_blocks(m->bytes, m->size, 7, &options);
}

static void
check_fails(const Message *m, FgErrorCode code, const char *reason)
{
	FgReadOptions options = pprof_options(NULL, FG_FRAME_FUNCTION);
	FgError		error;

	options.format = FG_FORMAT_PPROF;
	error = recording_fails(m->bytes, m->size, &options, code, reason);
	CHECK_TEXT(error.reason, strlen(error.reason), reason);
}

static void
test_reading(void)
{
	Message		m = whole_profile();
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = pprof_options(NULL, FG_FRAME_FUNCTION);
	FgRecording recording;

	unit_case("sample types: the last, one by its name, a default, all");
	check_read(&m, options, "cpu cpu nanoseconds 10000000",
			   "0x40 -5\nmain;inner;_ZN3fooEv 20000000\nmain;inner;libx.so.6+0x500 10000000");
	check_read(&m, pprof_options("samples", FG_FRAME_FUNCTION), "samples samples count 0",
			   " 3\nmain;inner;_ZN3fooEv 2\nmain;inner;libx.so.6+0x500 1");
	put_number(&m, 14, T_SAMPLES);
	check_read(&m, options, "samples samples count 0",
			   " 3\nmain;inner;_ZN3fooEv 2\nmain;inner;libx.so.6+0x500 1");
	put_number(&m, 14, T_MAIN);
	check_read(&m, options, "cpu cpu nanoseconds 10000000",
			   "0x40 -5\nmain;inner;_ZN3fooEv 20000000\nmain;inner;libx.so.6+0x500 10000000");
	options.every = true;
	if (CHECK(recording_read(&ctx, m.bytes, m.size, 0, &options, &recording)))
	{
		CHECK_COUNT(recording.count, 2);
		CHECK_COUNT(recording.noted.without_stack, 1);
		fg_recording_free(&ctx, &recording);
	}

	unit_case("a period below 0 is told, for whoever stores it to refuse");
	m = whole_profile();
	put_number(&m, 12, (uint64_t) -1);
	check_read(&m, pprof_options("cpu", FG_FRAME_FUNCTION), "cpu cpu nanoseconds -1",
			   "0x40 -5\nmain;inner;_ZN3fooEv 20000000\nmain;inner;libx.so.6+0x500 10000000");

	unit_case("the profile's documentation is the number of a text, and in front of all");
	m = (Message) {.size = 0};
	put_number(&m, 15, T_MAIN);
	put_whole(&m);
	options.every = false;
	check_read(&m, options, "cpu cpu nanoseconds 10000000",
			   "0x40 -5\nmain;inner;_ZN3fooEv 20000000\nmain;inner;libx.so.6+0x500 10000000");

	unit_case("frames with lines, and by address");
	m = whole_profile();
	check_read(&m, pprof_options("cpu", FG_FRAME_LINE), "cpu cpu nanoseconds 10000000",
			   "0x40 -5\nmain:3;inner:12;_ZN3fooEv 20000000\nmain:3;inner:12;libx.so.6+0x500 10000000");
	check_read(&m, pprof_options("cpu", FG_FRAME_ADDRESS), "cpu cpu nanoseconds 10000000",
			   "0x1100;0x1200 20000000\n0x1100;0x1300 10000000\n0x40 -5");

	unit_case("addresses outside of their mapping");
	put_sample(&m, true, LIST(10, 11), LIST(1, 1), 0);
	put_location(&m, 10, 7, 0x9001, NULL, 0);
	put_location(&m, 11, 7, 0x9000, NULL, 0);
	check_read(&m, pprof_options("cpu", FG_FRAME_FUNCTION), "cpu cpu nanoseconds 10000000",
			   "0x40 -5\nlibx.so.6+0x8200;0x9001 1\nmain;inner;_ZN3fooEv 20000000\nmain;inner;libx.so.6+0x500 10000000");

	unit_case("memory that runs out, and interrupts");
	options.every = false;
	recording_sweep("pprof", m.bytes, m.size, &options, 1);
}

/* The whole profile with one part more, or one in place of another. */
static Message
with_message(unsigned field, Message part)
{
	Message		m = whole_profile();

	put_message(&m, field, &part);
	return m;
}

/* The first "size" bytes of a message are damaged at this byte, from 1. */
static void
check_damage(Message *m, size_t size, size_t at, const char *what)
{
	char		reason[200];

	m->size = size;
	snprintf(reason, sizeof(reason), "byte %zu of the unpacked profile: %s", at, what);
	check_fails(m, FG_ERROR_SYNTAX, reason);
}

static void
test_references(void)
{
	Message		m;

	unit_case("what does not exist is an error that names it");
	m = with_message(5, NUMBERS(40, 10));
	put_location(&m, 9, 0, 1, (const uint64_t[][2]) {{40, 0}}, 1);
	check_fails(&m, FG_ERROR_SYNTAX, "function 4 has text 10, but there are 10 texts");
	m = with_message(5, NUMBERS(40, (uint64_t) -2));
	put_location(&m, 9, 0, 1, (const uint64_t[][2]) {{40, 0}}, 1);
	check_fails(&m, FG_ERROR_SYNTAX, "function 4 has text -2, but there are 10 texts");
	m = whole_profile();
	put_location(&m, 9, 0, 1, (const uint64_t[][2]) {{99, 0}}, 1);
	check_fails(&m, FG_ERROR_SYNTAX, "location 5 has function 99, which does not exist");
	m = whole_profile();
	put_location(&m, 9, 8, 1, NULL, 0);
	check_fails(&m, FG_ERROR_SYNTAX, "location 5 has mapping 8, which does not exist");
	m = with_message(3, NUMBERS(8, 0, 0, 0, 77));
	put_location(&m, 9, 8, 1, NULL, 0);
	check_fails(&m, FG_ERROR_SYNTAX, "mapping 2 has text 77, but there are 10 texts");
	m = whole_profile();
	put_sample(&m, true, LIST(1, 2), LIST(1, 1), 0);
	check_fails(&m, FG_ERROR_SYNTAX, "sample 5 has location 2, which does not exist");
	m = whole_profile();
	put_sample(&m, true, LIST(1), LIST(1, 1, 1), 0);
	check_fails(&m, FG_ERROR_SYNTAX, "sample 5 has 3 values, but there are 2 sample types");
	m = with_message(5, NUMBERS(30));
	check_fails(&m, FG_ERROR_SYNTAX, "functions 1 and 4 have the same id 30");
	m = with_message(3, NUMBERS(0));
	check_fails(&m, FG_ERROR_SYNTAX, "mapping 2 has no id");
	m = with_message(1, NUMBERS(99, T_COUNT));
	check_fails(&m, FG_ERROR_SYNTAX, "sample type 3 has text 99, but there are 10 texts");
	m = with_message(1, NUMBERS(T_CPU, 99));
	check_fails(&m, FG_ERROR_SYNTAX, "sample type 3 has text 99, but there are 10 texts");
	m = with_message(1, NUMBERS(T_SAMPLES, T_COUNT));
	check_fails(&m, FG_ERROR_SYNTAX, "sample types 1 and 3 are both samples in count");
	m = whole_profile();
	put_number(&m, 14, 99);
	check_fails(&m, FG_ERROR_SYNTAX, "sample type 3 has text 99, but there are 10 texts");
	m = (Message) {.size = 0};
	check_fails(&m, FG_ERROR_SYNTAX, "the profile has no sample type");
	m = with_message(5, NUMBERS(50, 10));
	put_bytes(&m, 6, "\xFF", 1);
	put_location(&m, 9, 0, 1, (const uint64_t[][2]) {{50, 0}}, 1);
	put_sample(&m, true, LIST(9), LIST(1, 1), 0);
	check_fails(&m, FG_ERROR_ENCODING, "sample 5: a frame is not valid UTF-8");
}

/* Whether a NOTICE tells of functions that pprof would leave out. */
static void
check_dropped(const Message *m, bool told)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = pprof_options(NULL, FG_FRAME_FUNCTION);
	FgRecording recording;

	if (!CHECK(recording_read(&ctx, m->bytes, m->size, 0, &options, &recording)))
		return;
	CHECK((recording.warnings.count > 0) == told);
	fg_recording_free(&ctx, &recording);
}

static void
test_dropped(void)
{
	Message		m = whole_profile();

	unit_case("functions that pprof leaves out are told, where the profile has any");
	check_dropped(&m, false);
	put_number(&m, 7, T_EMPTY);
	check_dropped(&m, false);
	put_number(&m, 7, T_MAIN);
	check_dropped(&m, true);
	put_number(&m, 7, 99);
	check_fails(&m, FG_ERROR_SYNTAX, "field 7 has text 99, but there are 10 texts");
	m = (Message) {.size = 0};
	put_types(&m);
	put_texts(&m, texts, COUNT(texts));
	put_number(&m, 7, T_MAIN);
	check_dropped(&m, false);
}

static void
test_damage(void)
{
	Message		m;
	Message		part = {.size = 0};
	size_t		at;

	unit_case("damage is an error with its place");
	m = whole_profile();
	at = m.size + 1;
	/* the last text, with three letters, begins five bytes before the end */
	check_damage(&m, m.size - 1, m.size - 4, "a length reaches beyond the end of what it belongs to");
	put_number(&part, 1, 1);
	put_varint(&part, 4 << 3 | 2);
	put_varint(&part, UINT64_C(1) << 40);
	m = with_message(4, part);
	/* behind tag and length of the location, and its id */
	check_damage(&m, m.size, at + 4, "a length reaches beyond the end of what it belongs to");
	m = whole_profile();
	put_number(&m, 2, 5);
	check_damage(&m, m.size, at, "a field is of the wrong type");
	m = whole_profile();
	put_varint(&m, 3);
	check_damage(&m, m.size, at, "a field's number is damaged");
	m = whole_profile();
	put_varint(&m, 20 << 3 | 3);
	check_damage(&m, m.size, at, "a field is cut off or of no known type");
}

/* The first of several faults is the one that is said; damage of the message before all others. */
static void
test_order_of_faults(void)
{
	Message		m = whole_profile();
	Message		part = {.size = 0};

	unit_case("the first sample that is wrong, and damage before that");
	put_sample(&m, true, LIST(2), LIST(1, 1), 0);
	put_sample(&m, true, LIST(1), LIST(1), 0);
	check_fails(&m, FG_ERROR_SYNTAX, "sample 5 has location 2, which does not exist");
	m = whole_profile();
	put_sample(&m, true, LIST(1), LIST(1), 0);
	put_sample(&m, true, LIST(2), LIST(1, 1), 0);
	check_fails(&m, FG_ERROR_SYNTAX, "sample 5 has 1 values, but there are 2 sample types");
	/* a list of ids, in the middle of which a number does not end */
	put_bytes(&part, 1, "\x01\x81\x81\x81\x81\x81\x81\x81\x81\x81\x81\x01", 12);
	m = whole_profile();
	put_message(&m, 2, &part);
	check_damage(&m, m.size, m.size - 10, "a number is cut off");
	part.size = 0;
	put_bytes(&part, 1, "\x01\x81", 2);
	put_number(&part, 1, 1);
	m = whole_profile();
	put_message(&m, 2, &part);
	check_damage(&m, m.size, m.size - 2, "a number is cut off");
	m = with_message(1, NUMBERS(T_CPU, T_COUNT));
	put_sample(&m, true, LIST(2), LIST(1, 1), 0);
	check_fails(&m, FG_ERROR_SYNTAX, "sample 1 has 2 values, but there are 3 sample types");
}

/* Values beyond 2^53 become the nearest doubles, and that is told. */
static void
test_large_values(void)
{
	static const uint64_t values[] = {
		UINT64_C(1) << 53, (UINT64_C(1) << 53) + 2, UINT64_C(1) << 62, UINT64_C(1) << 63,
		(UINT64_C(1) << 53) + 1, UINT64_C(0x7FFFFFFFFFFFFFFF), -((UINT64_C(1) << 53) + 1)
	};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = pprof_options("cpu", FG_FRAME_FUNCTION);
	FgRecording recording;

	for (size_t i = 0; i < COUNT(values); i++)
	{
		Message		m = {.size = 0};

		unit_case("value %" PRIu64, values[i]);
		put_types(&m);
		put_sample(&m, true, LIST(4), LIST(1, values[i]), 0);
		put_sample(&m, true, LIST(3), LIST(1, values[i]), 0);
		put_code(&m);
		put_texts(&m, texts, COUNT(texts));
		if (!CHECK(recording_read(&ctx, m.bytes, m.size, 0, &options, &recording)))
			continue;
		CHECK_COUNT(recording.profiles[0].complete.nnodes, 2);
		CHECK(recording.profiles[0].complete.self[1] == (double) (int64_t) values[i]);
		recording_warns(&recording, i < 4 ? NULL : "more digits than a double holds");
		CHECK_COUNT(i < 4 ? 2 : recording.warnings.list[0].count, 2);
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* Samples that stand apart, in other ways of writing the same, are of one stack. */
static void
test_equal_stacks(void)
{
	Message		m = whole_profile();
	Message		other = whole_profile();
	Message		sample = {.size = 0};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = pprof_options("samples", FG_FRAME_FUNCTION);
	FgRecording recording;

	unit_case("one stack, written as one list, as two and number by number");
	put_sample(&m, true, LIST(500, 1), LIST(10, 0), 0);
	put_sample(&m, true, LIST(4), LIST(100, 0), 0);
	put_sample(&m, false, LIST(500, 1), LIST(1000, 0), 0);
	put_bytes(&sample, 1, "\xF4\x03", 2);
	put_bytes(&sample, 1, "\x81\x00", 2);
	put_bytes(&sample, 2, "\x90\x4E", 2);
	put_number(&sample, 2, 0);
	put_message(&m, 2, &sample);
	put_number(&m, 20, 5);
	put_bytes(&m, 21, "later", 5);
	check_read(&m, options, "samples samples count 0",
			   " 3\n0x40 100\nmain;inner;_ZN3fooEv 11012\nmain;inner;libx.so.6+0x500 1");

	unit_case("a stack does not go on where another one has been");
	put_sample(&other, true, LIST(500, 4), LIST(1, 0), 0);
	put_sample(&other, true, LIST(3), LIST(10, 0), 0);
	put_sample(&other, true, LIST(500, 3), LIST(100, 0), 0);
	check_read(&other, options, "samples samples count 0",
			   " 3\n0x40;_ZN3fooEv 1\nlibx.so.6+0x500 10\nlibx.so.6+0x500;_ZN3fooEv 100\n"
			   "main;inner;_ZN3fooEv 2\nmain;inner;libx.so.6+0x500 1");

	unit_case("what was noted is of samples");
	put_sample(&m, true, LIST(9, 500, 1), LIST(1, 0), 0);
	put_sample(&m, true, LIST(9, 500, 1), LIST(0, 0), 0);
	put_sample(&m, true, LIST(9, 500, 1), LIST(0, 7), 0);
	put_sample(&m, true, NULL, 0, LIST(3, 0), 0);
	put_location(&m, 9, 0, 1, (const uint64_t[][2]) {{0, 0}, {70, 0}}, 2);
	sample = NUMBERS(70, T_BREAK);
	put_message(&m, 5, &sample);
	if (CHECK(recording_read(&ctx, m.bytes, m.size, 0, &options, &recording)))
	{
		recording_is(&ctx, &recording.profiles[0].complete,
					 " 6\n0x40 100\nmain;inner;_ZN3fooEv 11012\nmain;inner;_ZN3fooEv;a b;[unknown] 1\n"
					 "main;inner;libx.so.6+0x500 1");
		CHECK_COUNT(recording.noted.samples, 9);
		CHECK_COUNT(recording.noted.other_events, 4);
		CHECK_COUNT(recording.noted.without_stack, 2);
		CHECK_COUNT(recording.noted.unknown_frames, 3);
		CHECK_COUNT(recording.noted.control_characters, 3);
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* Many samples: of each stack some in a row, and later one more. */
static void
test_many_samples(void)
{
	enum
	{
		STACKS = 48, DEPTH = 6
	};
	Message		m = {.size = 0};
	char		expected[STACKS * 120] = "";

	unit_case("more samples than wait together");
	put_types(&m);
	put_sample(&m, true, LIST(3), LIST(1, 0), 3);
	for (unsigned round = 0; round < 2; round++)
	{
		for (unsigned stack = 0; stack < STACKS; stack++)
		{
			uint64_t	ids[DEPTH];

			for (unsigned i = 0; i < DEPTH; i++)
				ids[i] = stack >> i & 1 ? 500 : 4;
			for (unsigned i = 0; i <= (round == 0 ? stack % 3 : 0); i++)
				put_sample(&m, true, ids, DEPTH, LIST(stack + 1, 0), 0);
		}
	}
	for (unsigned stack = 0; stack < STACKS; stack++)
	{
		for (unsigned i = DEPTH; i-- > 0;)
			strcat(strcat(expected, stack >> i & 1 ? "_ZN3fooEv" : "0x40"), i > 0 ? ";" : " ");
		sprintf(expected + strlen(expected), "%u\n", (stack + 1) * (stack % 3 + 2));
	}
	strcat(expected, "libx.so.6+0x500 1");
	put_code(&m);
	put_texts(&m, texts, COUNT(texts));
	check_read(&m, pprof_options("samples", FG_FRAME_FUNCTION), "samples samples count 0", expected);
}

/* What comes first among those that wait has the stack of the last one before them. */
static void
test_samples_again(void)
{
	Message		m = {.size = 0};

	unit_case("samples that wait begin with a stack that was there before");
	put_types(&m);
	put_sample(&m, true, LIST(4), LIST(1, 0), 3);
	for (unsigned i = 1; i < FG_PPROF_WAITING + 1; i++)
		put_sample(&m, true, LIST(3), LIST(1, 0), 0);
	put_sample(&m, true, LIST(4), LIST(100, 0), 0);
	put_code(&m);
	put_texts(&m, texts, COUNT(texts));
	check_read(&m, pprof_options("samples", FG_FRAME_FUNCTION), "samples samples count 0",
			   "0x40 101\nlibx.so.6+0x500 32");
}

/* The only type there is has a value of each stack; those that are 0, or add up to it, make no nodes. */
static void
test_zero_values(void)
{
	Message		m = {.size = 0};
	Message		samples = NUMBERS(T_SAMPLES, T_COUNT);

	unit_case("values of 0");
	put_message(&m, 1, &samples);
	put_sample(&m, true, LIST(4), LIST(0), 3);
	put_sample(&m, true, LIST(500, 3, 4), LIST(5), 0);
	put_sample(&m, true, LIST(3, 4), LIST(7), 0);
	put_sample(&m, false, LIST(500, 3, 4), LIST((uint64_t) -5), 0);
	put_sample(&m, true, LIST(4, 500), LIST(0), 0);
	put_sample(&m, true, LIST(1), LIST(2), 0);
	put_code(&m);
	put_texts(&m, texts, COUNT(texts));
	check_read(&m, pprof_options("samples", FG_FRAME_FUNCTION), "samples samples count 0",
			   "0x40;libx.so.6+0x500 7\nmain;inner 2");
}

/* A tree goes on from where the stack leaves the last one of its own, which is not always the one before. */
static void
test_stacks_of_some_types(void)
{
	Message		m = {.size = 0};

	unit_case("a type that some stacks have no value of");
	put_types(&m);
	put_sample(&m, true, LIST(4, 4, 4, 4), LIST(1, 1), 3);
	put_sample(&m, true, LIST(500, 4, 4), LIST(0, 2), 0);
	put_sample(&m, true, LIST(3, 4, 4), LIST(4, 4), 0);
	put_sample(&m, true, LIST(500, 500, 500, 4), LIST(0, 8), 0);
	put_sample(&m, true, LIST(3, 500, 500, 4), LIST(16, 16), 0);
	put_code(&m);
	put_texts(&m, texts, COUNT(texts));
	check_read(&m, pprof_options("samples", FG_FRAME_FUNCTION), "samples samples count 0",
			   "0x40;0x40;0x40;0x40 1\n0x40;0x40;libx.so.6+0x500 4\n0x40;_ZN3fooEv;_ZN3fooEv;libx.so.6+0x500 16");
	check_read(&m, pprof_options("cpu", FG_FRAME_FUNCTION), "cpu cpu nanoseconds 10000000",
			   "0x40;0x40;0x40;0x40 1\n0x40;0x40;_ZN3fooEv 2\n0x40;0x40;libx.so.6+0x500 4\n"
			   "0x40;_ZN3fooEv;_ZN3fooEv;_ZN3fooEv 8\n0x40;_ZN3fooEv;_ZN3fooEv;libx.so.6+0x500 16");
}

/* Samples of each stack of some frames, each either of two locations: as many as its number says. */
static void
put_all_stacks(Message *m, unsigned depth)
{
	for (unsigned stack = 1; stack < 1U << depth; stack++)
	{
		uint64_t	ids[16];

		for (unsigned i = 0; i < depth; i++)
			ids[i] = stack >> i & 1 ? 500 : 4;
		put_sample(m, true, ids, depth, LIST(stack, 0), 0);
	}
}

static void
print_all_stacks(char *text, unsigned depth)
{
	for (unsigned stack = 1; stack < 1U << depth; stack++)
	{
		for (unsigned i = depth; i-- > 0;)
			text += sprintf(text, "%s%s", stack >> i & 1 ? "_ZN3fooEv" : "0x40", i > 0 ? ";" : " ");
		text += sprintf(text, "%u\n", stack);
	}
}

/* Locations of one frame and of two, whose ids have two bytes as in large profiles, in stacks of each length. */
static void
test_inlined_frames(void)
{
	enum
	{
		DEPTH = 9, FIRST = 130
	};
	Message		m = {.size = 0};
	static char expected[DEPTH * DEPTH * 100];
	char	   *text = expected;

	unit_case("frames that were inlined");
	put_types(&m);
	for (unsigned depth = 1; depth <= DEPTH; depth++)
	{
		for (unsigned inlined = 0; inlined < depth; inlined++)
		{
			uint64_t	ids[DEPTH];

			for (unsigned i = 0; i < depth; i++)
				ids[i] = FIRST + (i == inlined);
			put_sample(&m, true, ids, depth, LIST(depth * 10 + inlined, 0), depth == 1 ? 3 : 0);
		}
	}
	put_code(&m);
	/* ids up to twice as many as there are locations are looked up in a table */
	for (uint64_t id = 10; id < 100; id++)
		put_location(&m, id, 0, id, NULL, 0);
	put_location(&m, FIRST, 0, 0x40, NULL, 0);
	put_location(&m, FIRST + 1, 7, 0x1100, (const uint64_t[][2]) {{31, 12}, {30, 3}}, 2);
	put_texts(&m, texts, COUNT(texts));
	for (unsigned outer = DEPTH; outer-- > 0;)
	{
		for (unsigned inner = 0; outer + 1 + inner <= DEPTH; inner++)
		{
			for (unsigned i = 0; i < outer; i++)
				text += sprintf(text, "0x40;");
			text += sprintf(text, "main;inner");
			for (unsigned i = 0; i < inner; i++)
				text += sprintf(text, ";0x40");
			text += sprintf(text, " %u\n", (outer + 1 + inner) * 10 + inner);
		}
	}
	text[-1] = '\0';
	check_read(&m, pprof_options("samples", FG_FRAME_FUNCTION), "samples samples count 0", expected);
}

/* A tree of clean frames is made in another way than one with a frame of which there is something to tell. */
static void
test_clean_frames(void)
{
	enum
	{
		DEPTH = 9
	};
	static char expected[(1 << DEPTH) * 100];
	FgReadOptions options = pprof_options("samples", FG_FRAME_FUNCTION);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	for (unsigned unclean = 0; unclean < 2; unclean++)
	{
		Message		m = {.size = 0};
		Message		function = NUMBERS(70, T_BREAK);

		unit_case("all stacks of %d frames, %u unclean", DEPTH, unclean);
		put_types(&m);
		put_all_stacks(&m, DEPTH);
		if (unclean)
			put_sample(&m, true, LIST(3, 9), LIST(1, 0), 0);
		put_sample(&m, true, LIST(3), LIST(1, 0), 3);
		put_code(&m);
		put_location(&m, 9, 0, 1, (const uint64_t[][2]) {{70, 0}}, 1);
		put_message(&m, 5, &function);
		put_texts(&m, texts, COUNT(texts));
		print_all_stacks(expected, DEPTH);
		if (unclean)
			strcat(expected, "a b;libx.so.6+0x500 1\n");
		strcat(expected, "libx.so.6+0x500 1");
		options.max_depth = 0;
		check_read(&m, options, "samples samples count 0", expected);

		options.max_depth = DEPTH;
		if (!CHECK(recording_read(&ctx, m.bytes, m.size, 0, &options, &recording)))
			continue;
		recording_is(&ctx, &recording.profiles[0].complete,
					 unclean ? "a b;libx.so.6+0x500 1\nlibx.so.6+0x500 1" : "libx.so.6+0x500 1");
		*strrchr(expected, '\n') = '\0';
		if (unclean)
			*strrchr(expected, '\n') = '\0';
		recording_is(&ctx, &recording.profiles[0].truncated, expected);
		CHECK_COUNT(recording.noted.samples, (1 << DEPTH) - 1 + 1 + unclean);
		CHECK_COUNT(recording.noted.control_characters, unclean);
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* A list that lies alone, between others that lie together. */
static void
test_long_lists(void)
{
	enum
	{
		DEPTH = 2100
	};
	static char expected[DEPTH * 12 + 100];
	static uint64_t ids[DEPTH];
	Message		m = {.size = 0};
	char	   *text = expected;

	unit_case("a stack of %d frames", DEPTH);
	for (unsigned i = 0; i < DEPTH; i++)
	{
		ids[i] = 500;
		text += sprintf(text, "_ZN3fooEv%s", i + 1 < DEPTH ? ";" : " 7\nlibx.so.6+0x500 4");
	}
	memmove(expected + strlen("0x40 1\n"), expected, (size_t) (text - expected) + 1);
	memcpy(expected, "0x40 1\n", strlen("0x40 1\n"));
	put_types(&m);
	put_sample(&m, true, LIST(4), LIST(1, 0), 0);
	put_sample(&m, true, ids, DEPTH, LIST(2, 0), 0);
	put_sample(&m, true, LIST(3), LIST(4, 0), 0);
	put_sample(&m, true, ids, DEPTH, LIST(5, 0), 3);
	put_code(&m);
	put_texts(&m, texts, COUNT(texts));
	check_read(&m, pprof_options("samples", FG_FRAME_FUNCTION), "samples samples count 0", expected);
}

/* Ids of one and two bytes, and more of them than a word has bits; some take a byte more than they need. */
static void
test_long_stacks(void)
{
	enum
	{
		DEPTH = 90
	};
	Message		m = {.size = 0};
	Message		list = {.size = 0};
	Message		sample = {.size = 0};
	char		expected[DEPTH * 10] = "";

	unit_case("a stack of %d frames", DEPTH);
	put_types(&m);
	for (unsigned i = 0; i < DEPTH; i++)
	{
		put_varint(&list, i % 3 == 0 ? 500 : 4);
		if (i % 7 > 0)
			continue;
		list.bytes[list.size - 1] |= 0x80;
		list.bytes[list.size++] = 0;
	}
	put_message(&sample, 1, &list);
	put_bytes(&sample, 2, "\x01\x00", 2);
	put_message(&m, 2, &sample);
	put_sample(&m, true, NULL, 0, LIST(5, 0), 3);
	put_code(&m);
	put_texts(&m, texts, COUNT(texts));
	strcat(expected, " 5\n");
	for (unsigned i = DEPTH; i-- > 0;)
		strcat(strcat(expected, i % 3 == 0 ? "_ZN3fooEv" : "0x40"), i > 0 ? ";" : " 1");
	check_read(&m, pprof_options("samples", FG_FRAME_FUNCTION), "samples samples count 0", expected);

	unit_case("a number in a list does not end");
	memset(list.bytes, 0xFF, 11);
	memset(list.bytes + 11, 4, 20);
	for (size_t at = 11; at < 31; at++)
	{
		Message		damaged = {.size = 0};

		put_types(&damaged);
		sample.size = 0;
		list.size = at;
		put_message(&sample, 1, &list);
		put_bytes(&sample, 2, "\x01\x00", 2);
		put_message(&damaged, 2, &sample);
		put_code(&damaged);
		put_texts(&damaged, texts, COUNT(texts));
		check_fails(&damaged, FG_ERROR_SYNTAX, "byte 34 of the unpacked profile: a number is cut off");
	}
}

/* --- hostile messages ------------------------------------------------------------ */

static void
append(FgBuffer *to, const Message *m)
{
	CHECK(fg_buffer_append(to, m->bytes, m->size));
}

/* Fails with no more than so many bytes of memory taken, and returns how often it polled. */
static size_t
check_bounded(const FgBuffer *bytes, FgErrorCode code, const char *reason, size_t most)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = pprof_options(NULL, FG_FRAME_FUNCTION);
	FgRecording recording;
	bool		ok;

	options.format = FG_FORMAT_PPROF;
	ok = recording_read(&ctx, bytes->data, bytes->size, 65536, &options, &recording);
	CHECK(ok == (code == FG_OK));
	if (ok)
		fg_recording_free(&ctx, &recording);
	CHECK_COUNT(ctx.error.code, code);
	if (code != FG_OK)
		CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), reason);
	CHECK(memory.bytes < most);
	CHECK_COUNT(memory.blocks, 0);
	return memory.polls;
}

/* A sample of so many times location 1, of profiles with one sample type. */
static void
append_deep_sample(FgBuffer *to, size_t depth)
{
	Message		m = {.size = 0};
	Message		list = {.size = 0};

	put_varint(&list, 1 << 3 | 2);
	put_varint(&list, depth);
	put_varint(&m, 2 << 3 | 2);
	put_varint(&m, list.size + depth + 3);
	append(to, &m);
	append(to, &list);
	CHECK(fg_buffer_room(to, depth));
	memset(to->data + to->size, 1, depth);
	to->size += depth;
	CHECK(fg_buffer_append(to, "\x12\x01\x05", 3));
}

static void
test_hostile(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	bytes = {.ctx = &ctx};
	Message		m = whole_profile();

	unit_case("millions of empty samples take no memory");
	CHECK(fg_buffer_room(&bytes, 4 << 20));
	for (; bytes.size < 4 << 20; bytes.size += 2)
		memcpy(bytes.data + bytes.size, "\x12\x00", 2);
	CHECK(check_bounded(&bytes, FG_ERROR_SYNTAX, "the profile has no sample type", 100000) > 100);

	unit_case("many samples of a few stacks take what these do");
	bytes.size = 0;
	append(&bytes, &m);
	m.size = 0;
	put_sample(&m, true, LIST(500, 1), LIST(1, 2), 0);
	put_sample(&m, true, LIST(4), LIST(1, 2), 0);
	for (int i = 0; i < 20000; i++)
		append(&bytes, &m);
	CHECK(check_bounded(&bytes, FG_OK, "", 200000) >= 1);

	unit_case("a text that is too long");
	bytes.size = m.size = 0;
	put_varint(&m, 6 << 3 | 2);
	put_varint(&m, (16 << 20) + 1);
	append(&bytes, &m);
	check_bounded(&bytes, FG_ERROR_LIMIT, "byte 1 of the unpacked profile: a field has more than 16777216 bytes", 10000);
	fg_release(&ctx, bytes.data);
}

static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	bytes = {.ctx = &ctx};
	Message		m = {.size = 0};
	Message		type = NUMBERS(T_CPU, T_NANOSECONDS);
	Message		list = {.size = 0};

	unit_case("more sample types than anybody has");
	put_message(&m, 1, &type);
	for (int i = 0; i < 1001; i++)
		append(&bytes, &m);
	check_bounded(&bytes, FG_ERROR_LIMIT, "the profile has more than 1000 sample types", 200000);
	bytes.size = m.size = 0;
	put_message(&m, 1, &type);
	put_texts(&m, texts, COUNT(texts));
	for (int i = 0; i < 1001; i++)
		put_varint(&list, 1);
	put_varint(&m, 2 << 3 | 2);
	put_varint(&m, list.size + 3);
	put_message(&m, 2, &list);
	append(&bytes, &m);
	check_bounded(&bytes, FG_ERROR_SYNTAX, "sample 1 has 1001 values, but there are 1 sample types", 200000);

	unit_case("stacks that are too deep, by their locations and by what is inlined in these");
	m.size = bytes.size = 0;
	put_message(&m, 1, &type);
	put_texts(&m, texts, COUNT(texts));
	put_location(&m, 1, 0, 7, NULL, 0);
	append(&bytes, &m);
	append_deep_sample(&bytes, 65535);
	check_bounded(&bytes, FG_OK, "", 20000000);
	append_deep_sample(&bytes, 65536);
	check_bounded(&bytes, FG_ERROR_LIMIT, "a stack has more than 65535 frames", 20000000);
	bytes.size = m.size = 0;
	put_message(&m, 1, &type);
	put_texts(&m, texts, COUNT(texts));
	put_location(&m, 1, 0, 7, (const uint64_t[][2]) {{0, 1}, {0, 2}}, 2);
	append(&bytes, &m);
	append_deep_sample(&bytes, 32768);
	check_bounded(&bytes, FG_ERROR_LIMIT, "a stack has more than 65535 frames", 20000000);
	fg_release(&ctx, bytes.data);
}

/* --- writing ---------------------------------------------------------------------- */

static void
check_written(const char *folded)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgFoldedOptions plain = {FG_FOLDED_EXACT, false, false};
	FgFoldedReport report;
	FgReadOptions options = pprof_options(NULL, FG_FRAME_FUNCTION);
	FgBuffer	file = {.ctx = &ctx};
	FgRecording recording;
	FgTree		tree;

	CHECK(fg_folded_parse(&ctx, folded, strlen(folded), plain, &tree, &report));
	CHECK(fg_pprof_write(&file, &tree, "heap", 4, "bytes", 5, SIZE_MAX / 2));
	if (CHECK(recording_read(&ctx, file.data, file.size, 0, &options, &recording)))
	{
		CHECK_COUNT(recording.format, FG_FORMAT_PPROF);
		CHECK(recording.gzip);
		CHECK_TEXT(recording.profiles[0].name, strlen(recording.profiles[0].name), "heap");
		CHECK_TEXT(recording.profiles[0].unit, strlen(recording.profiles[0].unit), "bytes");
		recording_is(&ctx, &recording.profiles[0].complete, folded);
		fg_recording_free(&ctx, &recording);
	}
	file.size = 0;
	CHECK_ERROR(fg_pprof_write(&file, &tree, "heap", 4, "bytes", 5, 10), &ctx, FG_ERROR_LIMIT);
	fg_release(&ctx, file.data);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
write_once(FgContext *ctx, void *arg)
{
	const char *folded = arg;
	FgFoldedOptions plain = {FG_FOLDED_EXACT, false, false};
	FgFoldedReport report;
	FgBuffer	file = {.ctx = ctx};
	FgTree		tree;
	bool		ok;

	if (!fg_folded_parse(ctx, folded, strlen(folded), plain, &tree, &report))
		return false;
	ok = fg_pprof_write(&file, &tree, "heap", 4, "bytes", 5, SIZE_MAX / 2);
	fg_release(ctx, file.data);
	fg_tree_free(ctx, &tree);
	return ok;
}

static void
test_writing(void)
{
	static const struct
	{
		const char *text;
		bool		fits;
	}			large[] = {
		{"a 9223372036854774784", true}, {"a -9223372036854774784", true},
		{"a 9223372036854775808", false}, {"a -9223372036854775808", false},
		{"a 1e300", false}, {"a 4611686018427387904\nb 4611686018427386880", true},
		{"a 4611686018427387904\nb 4611686018427387904", false},
		{"a 9223372036854774784\nb -9223372036854774784", false},
		{"a 1e308\nb 1e308", false}
	};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuffer	file = {.ctx = &ctx};
	FgFoldedOptions plain = {FG_FOLDED_EXACT, false, false};
	FgFoldedReport report;
	FgTree		tree;

	unit_case("what is written reads back");
	check_written("");
	check_written(" 5\na 1\na;b -9007199254740992\na;b;c\\;d 18014398509481984\nb;a 7\n\xC3\xA9 1");

	unit_case("values that are not whole are refused");
	CHECK(fg_folded_parse(&ctx, "a 1\na;b 0.5", 11, plain, &tree, &report));
	CHECK_ERROR(fg_pprof_write(&file, &tree, "x", 1, "y", 1, SIZE_MAX / 2), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &tree);
	fg_release(&ctx, file.data);
	CHECK_COUNT(memory.blocks, 0);

	unit_case("values and sums that need more than 64 bits are refused");
	for (size_t i = 0; i < COUNT(large); i++)
	{
		unit_note("%s", large[i].text);
		file = (FgBuffer) {.ctx = &ctx};
		CHECK(fg_folded_parse(&ctx, large[i].text, strlen(large[i].text), plain, &tree, &report));
		if (large[i].fits)
			CHECK(fg_pprof_write(&file, &tree, "x", 1, "y", 1, SIZE_MAX / 2));
		else
			CHECK_ERROR(fg_pprof_write(&file, &tree, "x", 1, "y", 1, SIZE_MAX / 2), &ctx,
						FG_ERROR_RANGE);
		fg_tree_free(&ctx, &tree);
		fg_release(&ctx, file.data);
	}
	CHECK_COUNT(memory.blocks, 0);

	unit_case("writing: memory that runs out, and interrupts");
	unit_sweep_memory("pprof writer", write_once, (char *) (uintptr_t) "a 1\na;b 2");
}

/* --- Go's own files, compared with what fold.py makes of them --------------------- */

#define DATA "test/data/formats/"

static void
check_file(const char *path, FgReadOptions options, const char *facts, const char *folded)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	size_t		size;
	char	   *bytes = recording_file(path, &size);
	FgRecording recording;
	char		got[300];

	unit_case("%s, as in %s", path, folded);
	if (CHECK(recording_read(&ctx, bytes, size, 1000, &options, &recording)))
	{
		const FgRecorded *r = &recording.profiles[0];

		snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
		CHECK_TEXT(got, strlen(got), facts);
		recording_is_file(&ctx, &r->complete, folded);
		fg_recording_free(&ctx, &recording);
	}
	else
		printf("    %s\n", ctx.error.reason);
	free(bytes);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_files(void)
{
	check_file(DATA "go-cpu.pb.gz", pprof_options(NULL, FG_FRAME_FUNCTION),
			   "cpu cpu nanoseconds 10000000", DATA "go-cpu.folded");
	check_file(DATA "go-cpu.pb.gz", pprof_options("samples", FG_FRAME_LINE),
			   "samples samples count 0", DATA "go-cpu.samples.lines.folded");
	check_file(DATA "go-heap.pb.gz", pprof_options(NULL, FG_FRAME_FUNCTION),
			   "inuse_space inuse_space bytes 0", DATA "go-heap.folded");
	check_file(DATA "go-heap.pb.gz", pprof_options("alloc_space", FG_FRAME_FUNCTION),
			   "alloc alloc_space bytes 0", DATA "go-heap.alloc_space.folded");
}

int
main(void)
{
	test_reading();
	test_references();
	test_dropped();
	test_damage();
	test_order_of_faults();
	test_large_values();
	test_equal_stacks();
	test_many_samples();
	test_inlined_frames();
	test_clean_frames();
	test_long_lists();
	test_samples_again();
	test_zero_values();
	test_stacks_of_some_types();
	test_long_stacks();
	test_hostile();
	test_limits();
	test_writing();
	test_files();
	return unit_finish();
}
