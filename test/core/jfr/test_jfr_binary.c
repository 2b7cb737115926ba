/*
 * test_jfr_binary.c
 *	  Binary files of Java Flight Recorder, from chunks that are written here by hand, apart
 *	  from the reader.  Files of the JDK are compared with "jfr print" in test/t.
 */
#include "recordings.h"

#define DATA "test/data/formats/"

/* --- writing -------------------------------------------------------------------------- */

typedef struct Out
{
	uint8_t		bytes[1 << 16];
	size_t		size;
} Out;

static void
put(Out *out, const void *bytes, size_t size)
{
	memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

static void
byte(Out *out, int value)
{
	out->bytes[out->size++] = (uint8_t) value;
}

static void
big_endian(uint8_t *to, uint64_t value, int size)
{
	for (int i = size; i-- > 0; value >>= 8)
		to[i] = (uint8_t) value;
}

static void
number(Out *out, uint64_t value)
{
	for (int i = 0; i < 8 && value >= 0x80; i++, value >>= 7)
		byte(out, (int) (value & 0x7F) | 0x80);
	byte(out, (int) value);
}

static void
text(Out *out, const char *value)
{
	byte(out, 3);
	number(out, strlen(value));
	put(out, value, strlen(value));
}

/* Events begin with their size, here in four bytes, as the JDK writes it. */
static size_t
begin(Out *out, uint64_t type)
{
	size_t		start = out->size;

	out->size += 4;
	number(out, type);
	return start;
}

static void
end(Out *out, size_t start)
{
	size_t		size = out->size - start;

	for (int i = 0; i < 4; i++)
		out->bytes[start + (size_t) i] = (uint8_t) ((size >> (7 * i) & 0x7F) | (i < 3 ? 0x80 : 0));
}

/* --- the types -------------------------------------------------------------------------- */

enum
{
	BOOLEAN = 20, BYTE, SHORT, CHAR, INT, LONG, FLOAT, DOUBLE, STRING,
	SYMBOL = 30, CLASS, METHOD, FRAME_TYPE, FRAME, STACK, THREAD,
	SAMPLE = 300, PARK, ALLOCATION, IN_NEW, OTHER, ERROR_THROWN, CPU_TIME, WALL, MALLOC,
	JUNK = 50, INNER, TIMESPAN = 1000
};

#define CONSTANT 1
#define ARRAY 2
#define TICKS 4

typedef struct Type
{
	int			id;
	const char *name;
	bool		simple;
	struct
	{
		const char *name;
		int			type;
		int			flags;
	}			fields[8];
} Type;

static const Type types[] = {
	/* an event before the classes that it needs */
	{SAMPLE, "jdk.ExecutionSample", false, {{"startTime", LONG, 0}, {"sampledThread", THREAD, CONSTANT},
	{"stackTrace", STACK, CONSTANT}, {"state", FRAME_TYPE, CONSTANT}}},
	{BOOLEAN, "boolean", false, {{0}}}, {BYTE, "byte", false, {{0}}}, {SHORT, "short", false, {{0}}},
	{CHAR, "char", false, {{0}}}, {INT, "int", false, {{0}}}, {LONG, "long", false, {{0}}},
	{FLOAT, "float", false, {{0}}}, {DOUBLE, "double", false, {{0}}},
	{STRING, "java.lang.String", false, {{0}}}, {TIMESPAN, "jdk.jfr.Timespan", false, {{"value", STRING, 0}}},
	{SYMBOL, "jdk.types.Symbol", true, {{"string", STRING, 0}}},
	{CLASS, "java.lang.Class", false, {{"classLoader", CLASS, CONSTANT}, {"name", SYMBOL, CONSTANT}, {"hidden", BOOLEAN, 0}}},
	{METHOD, "jdk.types.Method", false, {{"type", CLASS, CONSTANT}, {"name", SYMBOL, CONSTANT}, {"modifiers", INT, 0}}},
	{FRAME_TYPE, "jdk.types.FrameType", true, {{"description", STRING, 0}}},
	{FRAME, "jdk.types.StackFrame", false, {{"method", METHOD, CONSTANT}, {"lineNumber", INT, 0},
	{"bytecodeIndex", INT, 0}, {"type", FRAME_TYPE, CONSTANT}}},
	{STACK, "jdk.types.StackTrace", false, {{"truncated", BOOLEAN, 0}, {"frames", FRAME, ARRAY}}},
	{THREAD, "java.lang.Thread", false, {{"osName", STRING, 0}, {"osThreadId", LONG, 0}, {"javaName", STRING, 0}}},
	{PARK, "jdk.ThreadPark", false, {{"startTime", LONG, 0}, {"duration", LONG, TICKS}, {"eventThread", THREAD, CONSTANT},
	{"stackTrace", STACK, CONSTANT}, {"parkedClass", CLASS, CONSTANT}}},
	{ALLOCATION, "jdk.ObjectAllocationSample", false, {{"startTime", LONG, 0}, {"junk", JUNK, ARRAY}, {"eventThread", THREAD, CONSTANT},
	{"keys", CLASS, CONSTANT | ARRAY}, {"stackTrace", STACK, CONSTANT}, {"one", JUNK, 0}, {"weight", LONG, 0}, {"more", INT, ARRAY}}},
	{IN_NEW, "jdk.ObjectAllocationInNewTLAB", false, {{"startTime", LONG, 0}, {"stackTrace", STACK, CONSTANT}, {"tlabSize", LONG, 0}}},
	{ERROR_THROWN, "jdk.JavaErrorThrow", false, {{"startTime", LONG, 0}, {"stackTrace", STACK, CONSTANT}}},
	/* as JDK 25 and async-profiler 4 describe theirs */
	{CPU_TIME, "jdk.CPUTimeSample", false, {{"startTime", LONG, 0}, {"stackTrace", STACK, CONSTANT}, {"eventThread", THREAD, CONSTANT},
	{"failed", BOOLEAN, 0}, {"samplingPeriod", LONG, TICKS}, {"biased", BOOLEAN, 0}}},
	{WALL, "profiler.WallClockSample", false, {{"startTime", LONG, 0}, {"sampledThread", THREAD, CONSTANT},
	{"stackTrace", STACK, CONSTANT}, {"state", FRAME_TYPE, CONSTANT}, {"samples", INT, 0}, {"timeSpan", LONG, TICKS}}},
	{MALLOC, "profiler.Malloc", false, {{"startTime", LONG, 0}, {"eventThread", THREAD, CONSTANT},
	{"stackTrace", STACK, CONSTANT}, {"address", LONG, 0}, {"size", LONG, 0}}},
	{OTHER, "my.Event", false, {{"startTime", LONG, 0}, {"junk", JUNK, 0}}},
	{JUNK, "my.Junk", false, {{"f", FLOAT, 0}, {"d", DOUBLE, 0}, {"texts", STRING, ARRAY}, {"inner", INNER, ARRAY},
	{"s", SHORT, 0}, {"c", CHAR, 0}, {"b", BYTE, 0}}},
	{INNER, "my.Inner", false, {{"n", INT, ARRAY}, {"m", INT, 0}}}
};

/* --- the description -------------------------------------------------------------------------- */

static const char *words[200];
static int	word_count;

static void
word(Out *out, const char *value)
{
	int			i = 0;

	while (i < word_count && strcmp(words[i], value) != 0)
		i++;
	if (i == word_count)
		words[word_count++] = value;
	number(out, (uint64_t) i);
}

static void
id_word(Out *out, int id)
{
	static char texts[2000][8];

	snprintf(texts[id], sizeof(texts[id]), "%d", id);
	word(out, texts[id]);
}

static void
put_field(Out *out, const char *name, int type, int flags)
{
	word(out, "field");
	number(out, 2 + ((flags & CONSTANT) != 0) + ((flags & ARRAY) != 0));
	word(out, "name"), word(out, name);
	word(out, "class"), id_word(out, type);
	if (flags & CONSTANT)
		word(out, "constantPool"), word(out, "true");
	if (flags & ARRAY)
		word(out, "dimension"), word(out, "1");
	number(out, (flags & TICKS) != 0);
	if (!(flags & TICKS))
		return;
	word(out, "annotation"), number(out, 2);
	word(out, "class"), id_word(out, TIMESPAN);
	word(out, "value"), word(out, "TICKS");
	number(out, 0);
}

static void
put_type(Out *out, const Type *type)
{
	int			fields = 0;

	while (fields < 8 && type->fields[fields].name != NULL)
		fields++;
	word(out, "class"), number(out, type->simple ? 3 : 2);
	word(out, "id"), id_word(out, type->id);
	word(out, "name"), word(out, type->name);
	if (type->simple)
		word(out, "simpleType"), word(out, "true");
	number(out, (uint64_t) fields);
	for (int i = 0; i < fields; i++)
		put_field(out, type->fields[i].name, type->fields[i].type, type->fields[i].flags);
}

static void
put_description(Out *out)
{
	static Out	tree;
	size_t		start = begin(out, 0);

	tree.size = 0;
	word_count = 0;
	word(&tree, "root"), number(&tree, 0), number(&tree, 2);
	word(&tree, "metadata"), number(&tree, 0), number(&tree, COUNT(types));
	for (size_t i = 0; i < COUNT(types); i++)
		put_type(&tree, &types[i]);
	word(&tree, "region"), number(&tree, 1), word(&tree, "locale"), word(&tree, "en"), number(&tree, 0);
	number(out, 5), number(out, 6), number(out, 7);
	number(out, (uint64_t) word_count);
	for (int i = 0; i < word_count; i++)
		text(out, words[i]);
	put(out, tree.bytes, tree.size);
	end(out, start);
}

/* --- constants and events ------------------------------------------------------------------------ */

static void
put_symbol(Out *out, uint64_t key, const char *value)
{
	number(out, key);
	text(out, value);
}

static void
put_frame(Out *out, uint64_t method, int line, uint64_t type)
{
	number(out, method), number(out, (uint32_t) line), number(out, 3), number(out, type);
}

/*
 * Symbols 1 .. 6, classes 1 and 2, methods 10 .. 13, stacks 100 .. 104, threads 7 .. 9, in two
 * checkpoints; what the second one has again is not what counts.
 */
static void
put_names(Out *out)
{
	size_t		start = begin(out, 1);

	number(out, 0), number(out, 0), number(out, 0), byte(out, 1), number(out, 4);
	number(out, SYMBOL), number(out, 6);
	put_symbol(out, 1, "shop/Main"), put_symbol(out, 2, "run"), put_symbol(out, 3, "write");
	/* Latin 1, UTF-16 with a character of two halves, and one as the JVM has it in UTF-8 */
	number(out, 4), byte(out, 5), number(out, 2), put(out, "\xE9x", 2);
	number(out, 5), byte(out, 4), number(out, 3), number(out, 0xD83D), number(out, 0xDE00), number(out, 0x4E2D);
	put_symbol(out, UINT64_MAX, "\xED\xA0\xBD\xED\xB8\x80y");
	number(out, CLASS), number(out, 1);
	number(out, 1), number(out, 0), number(out, 1), byte(out, 0);
	number(out, STRING), number(out, 1), put_symbol(out, 77, "pool-1");
	number(out, THREAD), number(out, 3);
	number(out, 7), text(out, "os-7"), number(out, 70), text(out, "worker");
	number(out, 8), text(out, "os-8"), number(out, 80), byte(out, 0);
	number(out, 9), text(out, "os-9"), number(out, 90), byte(out, 2), number(out, 77);
	end(out, start);
}

static void
put_stacks(Out *out, uint64_t back)
{
	size_t		start = begin(out, 1);

	number(out, 0), number(out, 0), number(out, 0 - back), byte(out, 0), number(out, 4);
	number(out, SYMBOL), number(out, 2), put_symbol(out, 1, "second"), put_symbol(out, 6, "late");
	number(out, METHOD), number(out, 4);
	number(out, 10), number(out, 1), number(out, 2), number(out, 9);
	number(out, 11), number(out, 1), number(out, 3), number(out, 9);
	number(out, 12), number(out, 0), number(out, 5), number(out, 9);
	number(out, 13), number(out, 1), number(out, UINT64_MAX), number(out, 9);
	number(out, FRAME_TYPE), number(out, 2), put_symbol(out, 1, "Interpreted"), put_symbol(out, 2, "JIT compiled");
	number(out, STACK), number(out, 5);
	number(out, 100), byte(out, 0), number(out, 2), put_frame(out, 11, 21, 2), put_frame(out, 10, 7, 1);
	number(out, 101), byte(out, 1), number(out, 1), put_frame(out, 11, -1, 1);
	number(out, 102), byte(out, 0), number(out, 0);
	number(out, 103), byte(out, 0), number(out, 2), put_frame(out, 12, 0, 1), put_frame(out, 10, 7, 1);
	/* a method that is not there */
	number(out, 104), byte(out, 0), number(out, 2), put_frame(out, 13, 5, 0), put_frame(out, 99, 6, 1);
	end(out, start);
}

#define START_TICKS 1000

static void
put_sample(Out *out, uint64_t ticks, uint64_t thread, uint64_t stack)
{
	size_t		start = begin(out, SAMPLE);

	number(out, START_TICKS + ticks), number(out, thread), number(out, stack), number(out, 1);
	end(out, start);
}

static void
put_park(Out *out, uint64_t ticks, uint64_t duration, uint64_t thread, uint64_t stack)
{
	size_t		start = begin(out, PARK);

	number(out, START_TICKS + ticks), number(out, duration), number(out, thread), number(out, stack), number(out, 1);
	end(out, start);
}

static void
put_junk(Out *out)
{
	put(out, "\x80\x81\x82\x83" "\xF0\xF1\xF2\xF3\xF4\xF5\xF6\xF7", 12);
	number(out, 4), text(out, "abc"), byte(out, 0), byte(out, 1), byte(out, 2), number(out, 77);
	number(out, 2), number(out, 3), number(out, 300), number(out, UINT64_MAX), number(out, 1), number(out, 200);
	number(out, 0), number(out, 1000);
	number(out, 0xFFFF), number(out, 0xE9), byte(out, 0x85);
}

static void
put_allocation(Out *out, uint64_t ticks, uint64_t stack, uint64_t weight)
{
	size_t		start = begin(out, ALLOCATION);

	number(out, START_TICKS + ticks), number(out, 2), put_junk(out), put_junk(out), number(out, 8);
	number(out, 2), number(out, 1), number(out, 1000), number(out, stack), put_junk(out), number(out, weight);
	number(out, 3), number(out, 400), number(out, 1), number(out, 2);
	end(out, start);
}

static void
put_in_new(Out *out, uint64_t ticks, uint64_t stack, uint64_t size)
{
	size_t		start = begin(out, IN_NEW);

	number(out, START_TICKS + ticks), number(out, stack), number(out, size);
	end(out, start);
}

static void
put_other(Out *out, uint64_t type)
{
	size_t		start = begin(out, type);

	number(out, 1), put_junk(out);
	end(out, start);
}

/* --- chunks ---------------------------------------------------------------------------------------- */

static size_t
begin_chunk(Out *out)
{
	size_t		start = out->size;

	memset(out->bytes + start, 0, 68);
	memcpy(out->bytes + start, "FLR\0\0\2\0\1", 8);
	big_endian(out->bytes + start + 32, UINT64_C(1700000000000000000), 8);
	big_endian(out->bytes + start + 48, START_TICKS, 8);
	big_endian(out->bytes + start + 56, 2000000000, 8);
	out->bytes[start + 67] = 1;
	out->size += 68;
	return start;
}

static void
end_chunk(Out *out, size_t start, size_t constants, size_t description)
{
	big_endian(out->bytes + start + 8, out->size - start, 8);
	big_endian(out->bytes + start + 16, constants - start, 8);
	big_endian(out->bytes + start + 24, description - start, 8);
}

/* Two ticks are a nanosecond.  Events are not in the order of their ends: 2, 4, 6, 8, 10, 13, 14, 20. */
static void
put_events(Out *out)
{
	put_sample(out, 2, 7, 100);
	put_park(out, 0, 20, 7, 100);
	put_other(out, OTHER);
	put_sample(out, 4, 8, 100);
	put_in_new(out, 10, 100, 5000);
	put_allocation(out, 6, 103, 3000000);
	put_other(out, 12345);
	put_sample(out, 13, 7, 101);
	put_allocation(out, 14, 102, 7);
	put_sample(out, 8, 9, 104);
}

/* Where the description stands: behind all, or in front. */
static void
put_chunk(Out *out, bool described_first)
{
	size_t		start = begin_chunk(out);
	size_t		description = out->size;
	size_t		names;
	size_t		stacks;

	if (described_first)
		put_description(out);
	put_events(out);
	names = out->size;
	put_names(out);
	put_sample(out, 16, 7, 100);
	stacks = out->size;
	put_stacks(out, stacks - names);
	if (!described_first)
	{
		description = out->size;
		put_description(out);
	}
	end_chunk(out, start, stacks, description);
}

/* --- profiles -------------------------------------------------------------------------------------- */

typedef struct Expected
{
	const char *facts;
	const char *complete;
	const char *truncated;
} Expected;

static void
check_profiles(const Out *file, FgReadOptions options, const Expected *expected, size_t count)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	char		got[300];

	if (!CHECK(recording_read(&ctx, file->bytes, file->size, 0, &options, &recording)))
	{
		printf("    %s\n", ctx.error.reason);
		return;
	}
	CHECK_COUNT(recording.format, FG_FORMAT_JFR);
	CHECK_COUNT(recording.count, count);
	for (size_t i = 0; i < count && i < recording.count; i++)
	{
		const FgRecorded *r = &recording.profiles[i];

		snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
		CHECK_TEXT(got, strlen(got), expected[i].facts);
		recording_is(&ctx, &r->complete, expected[i].complete);
		recording_is(&ctx, &r->truncated, expected[i].truncated);
	}
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

/* The emoji of the method's name, the same by both of the JVM's ways to write it. */
#define SMILE "\xF0\x9F\x98\x80"

static const Expected every[] = {
	{"cpu cpu samples 1", "[unknown];shop.Main." SMILE "y 1\nshop.Main.run;shop.Main.write 3", "shop.Main.write 1"},
	{"alloc alloc bytes 0", " 7\nshop.Main.run;" SMILE "\xE4\xB8\xAD 3000000", ""},
	{"lock lock nanoseconds 0", "shop.Main.run;shop.Main.write 10", ""}
};

static void
test_profiles(void)
{
	static Out	file;
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	for (int first = 0; first < 2; first++)
	{
		unit_case("a chunk with its description %s", first ? "in front" : "behind");
		file.size = 0;
		put_chunk(&file, first != 0);
		options = FG_DEFAULT_READ_OPTIONS;
		options.every = true;
		check_profiles(&file, options, every, COUNT(every));
		recording_check_blocks(file.bytes, file.size, 37, &options);
		options.format = FG_FORMAT_JFR;
		check_profiles(&file, options, every, COUNT(every));
		options = FG_DEFAULT_READ_OPTIONS;
		check_profiles(&file, options, every, 1);
	}
}

static void
put_cpu_time(Out *out, uint64_t ticks, uint64_t stack, uint64_t period)
{
	size_t		start = begin(out, CPU_TIME);

	number(out, START_TICKS + ticks), number(out, stack), number(out, 7), byte(out, stack == 0), number(out, period), byte(out, 0);
	end(out, start);
}

static void
put_wall(Out *out, uint64_t ticks, uint64_t stack, uint64_t samples)
{
	size_t		start = begin(out, WALL);

	number(out, START_TICKS + ticks), number(out, 7), number(out, stack), number(out, 1), number(out, samples), number(out, 900);
	end(out, start);
}

static void
put_malloc(Out *out, uint64_t ticks, uint64_t stack, uint64_t size)
{
	size_t		start = begin(out, MALLOC);

	number(out, START_TICKS + ticks), number(out, 7), number(out, stack), number(out, 0x7F00), number(out, size);
	end(out, start);
}

/* Two ticks are a nanosecond; a sample whose stack could not be walked has none, but its time. */
static void
test_other_samplers(void)
{
	static const Expected expected[] = {
		{"cpu_time cpu_time nanoseconds 0", " 10\nshop.Main.run;shop.Main.write 50", "shop.Main.write 10"},
		{"wall wall samples 0", "shop.Main.run;shop.Main.write 8", ""},
		{"malloc malloc bytes 0", "shop.Main.run;shop.Main.write 4096", ""}
	};
	static Out	file;
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	size_t		start = begin_chunk(&file);
	size_t		names;
	size_t		stacks;
	size_t		description;

	put_cpu_time(&file, 1, 100, 20);
	put_cpu_time(&file, 2, 100, 80);
	put_cpu_time(&file, 3, 0, 21);
	put_cpu_time(&file, 4, 101, 20);
	put_wall(&file, 5, 100, 1);
	put_wall(&file, 6, 100, 7);
	put_malloc(&file, 7, 100, 4096);
	names = file.size;
	put_names(&file);
	stacks = file.size;
	put_stacks(&file, stacks - names);
	description = file.size;
	put_description(&file);
	end_chunk(&file, start, stacks, description);

	unit_case("CPU time of JDK 25, and async-profiler's own types");
	options.every = true;
	check_profiles(&file, options, expected, COUNT(expected));
	options.every = false;
	options.selection = "profiler.WallClockSample";
	check_profiles(&file, options, &(Expected) {
		"wall profiler.WallClockSample samples 0", "shop.Main.run;shop.Main.write 8", ""
	}, 1);
}

static void
test_options(void)
{
	static Out	file;
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	put_chunk(&file, true);
	unit_case("threads, lines, modes; one type");
	options.selection = "jdk.ExecutionSample";
	options.threads = options.modes = true;
	options.frame_style = FG_FRAME_LINE;
	check_profiles(&file, options, &(Expected) {
		"cpu jdk.ExecutionSample samples 1",
		"os-8;shop.Main.run:7_[0];shop.Main.write:21_[j] 1\n"
		"pool-1;:6_[0];shop.Main." SMILE "y:5 1\n"
		"worker;shop.Main.run:7_[0];shop.Main.write:21_[j] 2", "worker;shop.Main.write_[0] 1"
	}, 1);
	options = FG_DEFAULT_READ_OPTIONS;
	options.selection = "jdk.ObjectAllocationInNewTLAB";
	check_profiles(&file, options, &(Expected) {
		"alloc jdk.ObjectAllocationInNewTLAB bytes 0", "shop.Main.run;shop.Main.write 5000", ""
	}, 1);

	unit_case("a limit of the depth");
	options = FG_DEFAULT_READ_OPTIONS;
	options.max_depth = 2;
	check_profiles(&file, options, &(Expected) {
		"cpu cpu samples 1", "",
		"[unknown];shop.Main." SMILE "y 1\nshop.Main.run;shop.Main.write 3\nshop.Main.write 1"
	}, 1);

	unit_case("several chunks, each with its own constants");
	file.size = 0;
	put_chunk(&file, true);
	put_chunk(&file, false);
	for (size_t i = 68; i < file.size; i++)
	{
		if (i > file.size / 2 && memcmp(file.bytes + i, "write", 5) == 0)
			memcpy(file.bytes + i, "WRITE", 5);
	}
	options = FG_DEFAULT_READ_OPTIONS;
	check_profiles(&file, options, &(Expected) {
		"cpu cpu samples 1",
		"[unknown];shop.Main." SMILE "y 2\nshop.Main.run;shop.Main.WRITE 3\nshop.Main.run;shop.Main.write 3",
		"shop.Main.WRITE 1\nshop.Main.write 1"
	}, 1);
	recording_check_blocks(file.bytes, file.size, 501, &options);
}

/* What is noted is the same for a stack that comes again. */
static void
test_notes(void)
{
	static Out	file;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	size_t		start = begin_chunk(&file);
	size_t		names;
	size_t		stacks;

	unit_case("notes");
	for (int i = 0; i < 3; i++)
		put_sample(&file, 2, 7, 104);
	put_sample(&file, 2, 7, 0);
	names = file.size;
	put_names(&file);
	stacks = file.size;
	put_stacks(&file, stacks - names);
	end_chunk(&file, start, stacks, file.size);
	put_description(&file);
	big_endian(file.bytes + start + 8, file.size, 8);
	options.every = true;
	if (!CHECK(recording_read(&ctx, file.bytes, file.size, 0, &options, &recording)))
		return;
	CHECK_COUNT(recording.noted.samples, 4);
	CHECK_COUNT(recording.noted.unknown_frames, 3);
	CHECK_COUNT(recording.noted.without_stack, 1);
	recording_warns(&recording, "some stacks, methods or threads are not in the recording");
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void check_fails(const Out *file, FgErrorCode code, const char *reason);

/* A wait of no time is one; of less there is none. */
static void
test_durations(void)
{
	static Out	file;
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	char		reason[200];

	unit_case("durations of 0 and below");
	for (int below = 0; below < 2; below++)
	{
		size_t		start;
		size_t		names;
		size_t		stacks;
		size_t		behind;

		file.size = 0;
		start = begin_chunk(&file);
		put_description(&file);
		put_park(&file, 1, 0 - (uint64_t) (below * 2), 7, 100);
		behind = file.size;
		put_park(&file, 2, 40, 7, 100);
		names = file.size;
		put_names(&file);
		stacks = file.size;
		put_stacks(&file, stacks - names);
		end_chunk(&file, start, stacks, 68);
		options.selection = "lock";
		if (below == 0)
			check_profiles(&file, options, &(Expected) {"lock lock nanoseconds 0", "shop.Main.run;shop.Main.write 20", ""}, 1);
		snprintf(reason, sizeof(reason), "byte %zu of the recording: the duration of an event before is not one", behind + 1);
		if (below == 1)
			check_fails(&file, FG_ERROR_SYNTAX, reason);
	}
}

/* --- samples one by one ------------------------------------------------------------------------------ */

typedef struct Lines
{
	char		text[2000];
	size_t		size;
} Lines;

static bool
take_line(void *arg, const FgTimed *timed)
{
	Lines	   *lines = arg;

	lines->size += (size_t) snprintf(lines->text + lines->size, sizeof(lines->text) - lines->size,
									 "%u %u %g-%g %.*s %g\n", (unsigned) timed->number,
									 (unsigned) timed->order, timed->start, fg_timed_stop(timed, 1),
									 (int) timed->thread_length, timed->thread != NULL ? timed->thread : "",
									 timed->value);
	return true;
}

static void
test_times(void)
{
	static Out	file;
	/* by hand, from the ticks at which they end: 2, 4, 6, 8, (10 does not count), 13, 14, 16, 20 */
	static const char expected[] =
		"0 0 0-2 worker 1\n"
		"0 1 1-2 os-8 1\n"
		"1 2 2-4 os-8 3e+06\n"
		"0 3 3-4 pool-1 1\n"
		"0 4 5-7 worker 1\n"
		"1 5 6-7 os-8 7\n"
		"0 6 7-8 worker 1\n"
		"2 7 -1-9 worker 10\n";
	Lines		lines = {.size = 0};
	FgTaker		taker = {take_line, &lines, 0};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	unit_case("times");
	put_chunk(&file, true);
	options.every = true;
	options.taker = &taker;
	if (!CHECK(recording_read(&ctx, file.bytes, file.size, 0, &options, &recording)))
		return;
	fg_recording_free(&ctx, &recording);
	for (const char *line = expected; *line != '\0'; line = strchr(line, '\n') + 1)
	{
		char		wanted[80];

		snprintf(wanted, sizeof(wanted), "%.*s", (int) (strchr(line, '\n') + 1 - line), line);
		if (!CHECK(strstr(lines.text, wanted) != NULL))
			printf("    %s    in\n%s", wanted, lines.text);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* --- damage ---------------------------------------------------------------------------------------------- */

static void
check_fails(const Out *file, FgErrorCode code, const char *reason)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_note("%s", reason);
	options.format = FG_FORMAT_JFR;
	CHECK_ERROR(recording_read(&ctx, file->bytes, file->size, 0, &options, &recording), &ctx, code);
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), reason);
	CHECK_COUNT(memory.blocks, 0);
	recording_check_blocks(file->bytes, file->size, 211, &options);
	unit_note("%s", "");
}

/* Puts bytes into a copy of the chunk, and how reading it then fails. */
static void
check_patch(const Out *file, size_t at, const char *bytes, size_t size, const char *reason)
{
	static Out	copy;

	copy = *file;
	memcpy(copy.bytes + at, bytes, size);
	check_fails(&copy, FG_ERROR_SYNTAX, reason);
}

#define ZEROS "\0\0\0\0\0\0\0\0"
#define ONES "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"

static void
test_headers(const Out *file)
{
	unit_case("headers");
	check_patch(file, 4, "\0\1", 2, "chunk 1 of the recording has version 1.1, but only version 2 is read");
	check_patch(file, 8, ZEROS, 8,
				"chunk 1 of the recording, at byte 1, is still being written, or its JVM was killed");
	check_patch(file, 64, "\x07", 1,
				"chunk 1 of the recording, at byte 1, is still being written, or its JVM was killed");
	check_patch(file, 8, "\0\0\0\0\0\0\0\x43", 8, "byte 9 of the recording: the size of the chunk is not one");
	check_patch(file, 8, ONES, 8, "byte 9 of the recording: the size of the chunk is not one");
	check_patch(file, 8, "\0\0\0\0\0\0\0\x44", 8, "byte 17 of the recording: the constants of the chunk are not in it");
	check_patch(file, 16, ONES, 8, "byte 17 of the recording: the constants of the chunk are not in it");
	check_patch(file, 16, "\0\0\0\0\0\0\0\x44", 8,
				"byte 69 of the recording: there are no constants where the header of the chunk says");
	check_patch(file, 24, ZEROS, 8, "byte 25 of the recording: the description of the chunk is not in it");
	check_patch(file, 24, ONES, 8, "byte 25 of the recording: the description of the chunk is not in it");
	check_patch(file, 56, ZEROS, 8, "byte 57 of the recording: the clock of the chunk does not run");
	check_patch(file, 67, "\0", 1,
				"numbers of chunk 1 of the recording are written in a way that is not known");
	check_patch(file, 67, "\5", 1,
				"numbers of chunk 1 of the recording are written in a way that is not known");
}

static void
test_damage(void)
{
	static Out	file;
	static Out	copy;
	char		reason[200];
	size_t		size;

	put_chunk(&file, false);
	size = file.size;
	test_headers(&file);

	unit_case("files that were cut off");
	copy = file;
	for (copy.size = 5; copy.size < size; copy.size += copy.size < 100 ? 7 : 113)
	{
		if (copy.size < 68)
			snprintf(reason, sizeof(reason), "the recording ends at byte %zu, in the header of chunk 1", copy.size);
		else
			snprintf(reason, sizeof(reason),
					 "the recording ends at byte %zu, in chunk 1, which has bytes 1 to %zu", copy.size, size);
		check_fails(&copy, FG_ERROR_SYNTAX, reason);
	}
	copy = file;
	put(&copy, "FLR", 4);
	snprintf(reason, sizeof(reason), "the recording ends at byte %zu, in the header of chunk 2", size + 4);
	check_fails(&copy, FG_ERROR_SYNTAX, reason);
	copy.size += 100;
	copy.bytes[size] = 'X';
	snprintf(reason, sizeof(reason), "byte %zu of the recording: there is no chunk where one should begin", size + 1);
	check_fails(&copy, FG_ERROR_SYNTAX, reason);

	/* the first event: its size in four bytes, its type in two, its start in two, its thread */
	unit_case("events");
	check_patch(&file, 68, "\x80\x80\x80\0", 4, "byte 69 of the recording: the size of an event is not one");
	check_patch(&file, 68, "\xFF\xFF\xFF\x7F", 4, "byte 69 of the recording: the size of an event is not one");
	check_patch(&file, 68, "\x88\x80\x80\0", 4, "byte 77 of the recording: a number is cut off");
}

static void
test_random_damage(void)
{
	static Out	file;
	static Out	copy;
	UnitRandom	random = {1};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	size_t		size;

	put_chunk(&file, false);
	size = file.size;
	unit_case("random damage");
	options.every = true;
	for (int round = 0; round < 4000; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgRecording recording;

		unit_note("round %d", round);
		copy = file;
		for (int i = 0; i <= round % 3; i++)
			copy.bytes[8 + unit_below(&random, (uint32_t) size - 8)] = (uint8_t) unit_random(&random);
		if (recording_read(&ctx, copy.bytes, copy.size, 0, &options, &recording))
			fg_recording_free(&ctx, &recording);
		else
			CHECK(ctx.error.reason[0] != '\0');
		CHECK_COUNT(memory.blocks, 0);
	}
	unit_note("%s", "");

	unit_case("memory that runs out, and interrupts");
	recording_sweep("binary JFR", file.bytes, size, &options, 1);
}

/* flamegraph-load reads one file after the other with the same context. */
static void
test_after_a_failure(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	Out			file = {.size = 0};

	unit_case("a file that comes in parts, after another that could not be read");
	put_chunk(&file, true);
	options.format = FG_FORMAT_JFR;		/* its content would be looked at until all is there */
	CHECK(!recording_read(&ctx, "no stack", 8, 0, &options, &recording));
	if (CHECK(recording_read(&ctx, file.bytes, file.size, 100, &options, &recording)))
		fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_profiles();
	test_after_a_failure();
	test_other_samplers();
	test_options();
	test_notes();
	test_durations();
	test_times();
	test_damage();
	test_random_damage();
	return unit_finish();
}
