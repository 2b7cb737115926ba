/*
 * test_jfr_hostile.c
 *	  Binary files of Java Flight Recorder that nobody but an attacker writes: descriptions and
 *	  constants that hold themselves, counts and sizes that lie, texts and numbers out of
 *	  range.  Each is an error with its reason, in memory that goes with the bytes of the file.
 */
#include "recordings.h"

typedef struct Out
{
	uint8_t		bytes[1 << 14];
	size_t		size;
} Out;

static void
put(Out *out, const void *bytes, size_t size)
{
	memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

#define PUT(out, literal) put(out, literal, sizeof(literal) - 1)

static void
number(Out *out, uint64_t value)
{
	for (int i = 0; i < 8 && value >= 0x80; i++, value >>= 7)
		out->bytes[out->size++] = (uint8_t) (value | 0x80);
	out->bytes[out->size++] = (uint8_t) value;
}

static void
numbers(Out *out, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		number(out, values[i]);
}

#define NUMBERS(out, ...) \
	numbers(out, (const uint64_t[]) {__VA_ARGS__}, sizeof((const uint64_t[]) {__VA_ARGS__}) / 8)

static void
text(Out *out, const char *value)
{
	number(out, 3);
	number(out, strlen(value));
	put(out, value, strlen(value));
}

/* Its size in four bytes, the type, the body. */
static void
put_event(Out *out, uint64_t type, const Out *body)
{
	size_t		start = out->size;
	size_t		size;

	out->size += 4;
	number(out, type);
	put(out, body->bytes, body->size);
	size = out->size - start;
	for (int i = 0; i < 4; i++)
		out->bytes[start + (size_t) i] = (uint8_t) ((size >> (7 * i) & 0x7F) | (i < 3 ? 0x80 : 0));
}

/* --- descriptions ------------------------------------------------------------------------ */

/*
 * Words of descriptions by number.  A class is "ID NAME" and its fields "NAME CLASS", where "!"
 * behind the class makes it a key of a constant, "*" a list; "+" in front of the id a class that
 * stands for its field.
 */
static const char *words[300];
static size_t word_count;
static char letters[8000];
static size_t letter_count;

static uint64_t
word(const char *value, size_t length)
{
	for (size_t i = 0; i < word_count; i++)
	{
		if (strlen(words[i]) == length && memcmp(words[i], value, length) == 0)
			return i;
	}
	words[word_count] = letters + letter_count;
	memcpy(letters + letter_count, value, length);
	letters[letter_count + length] = '\0';
	letter_count += length + 1;
	return word_count++;
}

static uint64_t
plain(const char *value)
{
	return word(value, strlen(value));
}

/* The next part of a class, up to a blank. */
static const char *
part(const char **at, size_t *length)
{
	const char *start = *at;

	*length = strcspn(start, " ");
	*at += *length + (start[*length] == ' ');
	return start;
}

static void
put_class(Out *out, const char *spec)
{
	bool		simple = spec[0] == '+';
	const char *at = spec + simple;
	size_t		length;
	const char *id = part(&at, &length);
	uint64_t	id_number = word(id, length);
	const char *name = part(&at, &length);
	uint64_t	name_number = word(name, length);
	size_t		fields = 0;

	for (const char *rest = at; *rest != '\0'; fields++)
		part(&rest, &length), part(&rest, &length);
	NUMBERS(out, plain("class"), simple ? 3 : 2, plain("id"), id_number, plain("name"), name_number);
	if (simple)
		NUMBERS(out, plain("simpleType"), plain("true"));
	number(out, fields);
	while (*at != '\0')
	{
		const char *field = part(&at, &length);
		uint64_t	field_number = word(field, length);
		const char *class = part(&at, &length);
		char		last = class[length - 1];
		bool		marked = last == '!' || last == '*';

		NUMBERS(out, plain("field"), marked ? 3 : 2, plain("name"), field_number, plain("class"),
				word(class, length - marked));
		if (marked)
			NUMBERS(out, plain(last == '!' ? "constantPool" : "dimension"), plain(last == '!' ? "true" : "1"));
		number(out, 0);
	}
}

#define NO_ID 9999

/* The body of a description: the texts, then the tree. */
static void
put_description(Out *out, const Out *tree, size_t texts)
{
	Out			body = {.size = 0};

	NUMBERS(&body, 1, 2, 3, texts == NO_ID ? word_count : texts);
	for (size_t i = 0; i < word_count; i++)
		text(&body, words[i]);
	put(&body, tree->bytes, tree->size);
	put_event(out, 0, &body);
}

static Out
tree_of(const char *const *classes, size_t count)
{
	Out			tree = {.size = 0};

	word_count = letter_count = 0;
	NUMBERS(&tree, plain("root"), 0, 1, plain("metadata"), 0, count);
	for (size_t i = 0; i < count; i++)
		put_class(&tree, classes[i]);
	return tree;
}

/* --- chunks ------------------------------------------------------------------------------ */

static void
big_endian(uint8_t *to, uint64_t value)
{
	for (int i = 8; i-- > 0; value >>= 8)
		to[i] = (uint8_t) value;
}

static void
begin_file(Out *file)
{
	file->size = 68;
	memset(file->bytes, 0, 68);
	memcpy(file->bytes, "FLR\0\0\2\0\1", 8);
	big_endian(file->bytes + 24, 68);
	big_endian(file->bytes + 32, UINT64_C(1700000000000000000));
	big_endian(file->bytes + 48, 1000);
	big_endian(file->bytes + 56, 1000000000);
	file->bytes[67] = 1;
}

static void
end_file(Out *file)
{
	big_endian(file->bytes + 8, file->size);
}

static bool
ignore(void *arg, const FgTimed *timed)
{
	(void) arg;
	(void) timed;
	return true;
}

/* Reads it, as profiles or one by one; reason NULL: it is right, with this profile. */
static void
check_file(const Out *file, bool timed, const char *reason, const char *profile)
{
	static const FgTaker taker = {ignore, NULL, 0};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	bool		ok;

	options.format = FG_FORMAT_JFR;
	options.taker = timed ? &taker : NULL;
	ok = recording_read(&ctx, file->bytes, file->size, 0, &options, &recording);
	CHECK(ok == (reason == NULL));
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), reason == NULL ? "" : reason);
	if (ok && profile != NULL)
		recording_is(&ctx, &recording.profiles[0].complete, profile);
	if (ok)
		fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
	/* what a reader needs for any file, and then some for each byte */
	CHECK(memory.bytes < 1000000);
}

/* Types of a recording whose samples have stacks of methods with names. */
static const char *const right[] = {
	"1 boolean", "2 int", "3 long", "4 java.lang.String", "+5 Symbol string 4",
	"6 Class name 5!", "7 Method type 6! name 5!", "8 Frame method 7! lineNumber 2",
	"9 Stack truncated 1 frames 8*", "10 Thread osName 4 javaName 4",
	"20 jdk.ExecutionSample startTime 3 sampledThread 10! stackTrace 9!",
	"21 jdk.ThreadPark startTime 3 duration 3 stackTrace 9!"
};

/* A file of these types, a checkpoint with this body behind its head, and a sample of stack 1. */
static size_t constants_at;		/* of the last one: where in the file the constants begin */

static Out
file_of(const char *const *classes, size_t count, const Out *constants, uint64_t start_time)
{
	Out			file;
	Out			tree = tree_of(classes, count);
	Out			body = {.size = 0};

	begin_file(&file);
	put_description(&file, &tree, NO_ID);
	NUMBERS(&body, 0, 0, 0, 0);
	constants_at = file.size + 5 + body.size;
	put(&body, constants->bytes, constants->size);
	put_event(&file, 1, &body);
	body.size = 0;
	NUMBERS(&body, start_time, 1, 1);
	put_event(&file, 20, &body);
	end_file(&file);
	return file;
}

#define RIGHT right, COUNT(right)

/* A stack of one frame, whose method has this name, under a class without one. */
static Out
constants_named(const void *name, size_t size)
{
	Out			constants = {.size = 0};

	NUMBERS(&constants, 3, 9, 1, 1, 0, 1, 1, 5);
	NUMBERS(&constants, 7, 1, 1, 0, 1);
	NUMBERS(&constants, 5, 1, 1);
	put(&constants, name, size);
	return constants;
}

#define NAMED(literal) constants_named(literal, sizeof(literal) - 1)

static void
check_name(const Out constants, const char *reason, const char *profile)
{
	Out			file = file_of(RIGHT, &constants, 2000);

	check_file(&file, false, reason, profile);
	check_file(&file, true, reason, NULL);
}

/* So many bytes of the constants are right. */
static void
check_constants(const Out constants, size_t right_bytes, const char *what)
{
	Out			file = file_of(RIGHT, &constants, 2000);
	char		reason[200];

	snprintf(reason, sizeof(reason), "byte %zu of the recording: %s", constants_at + right_bytes + 1, what);
	check_file(&file, false, reason, NULL);
	check_file(&file, true, reason, NULL);
}

/* The text of the name begins behind so many bytes. */
#define NAME_AT 16

/* --- types that hold themselves ---------------------------------------------------------- */

static void
test_types(void)
{
	static const char *const self[] = {"2 int", "20 jdk.ExecutionSample n 2 again 20"};
	static const char *const circle[] = {"2 int", "30 A b 31", "31 B a 30", "20 jdk.ExecutionSample n 2 a 30"};
	static const char *const lists[] = {"2 int", "30 A as 30*", "20 jdk.ExecutionSample n 2 as 30*"};
	static const char *const unknown[] = {"2 int", "20 jdk.ExecutionSample n 2 what 77"};
	static const char *const empty[] = {"30 Nothing", "20 jdk.ExecutionSample what 30"};
	static const char parts[] = "values of class jdk.ExecutionSample cannot be read: they have too many parts, or hold themselves";
	const char *doubles[20];
	char		specs[20][60];
	Out			none = {.size = 0};
	Out			file;

	number(&none, 0);
	unit_case("classes that hold themselves, in one step and in two, and in lists");
	file = file_of(self, COUNT(self), &none, 0);
	check_file(&file, false, parts, NULL);
	file = file_of(circle, COUNT(circle), &none, 0);
	check_file(&file, false, parts, NULL);
	file = file_of(lists, COUNT(lists), &none, 0);
	check_file(&file, false, parts, NULL);

	unit_case("classes that have two of the next, and so a million of the last");
	doubles[0] = "20 jdk.ExecutionSample a 100* b 100";
	for (int i = 0; i < 18; i++)
	{
		snprintf(specs[i], sizeof(specs[i]), "%d C a %d b %d", 100 + i, 101 + i, 101 + i);
		doubles[i + 1] = specs[i];
	}
	doubles[19] = "118 int";
	file = file_of(doubles, COUNT(doubles), &none, 0);
	check_file(&file, false, parts, NULL);

	unit_case("classes that are not described, and that have nothing in them");
	file = file_of(unknown, COUNT(unknown), &none, 0);
	check_file(&file, false, "values of class jdk.ExecutionSample cannot be read: a class in them is not described", NULL);
	file = file_of(empty, COUNT(empty), &none, 0);
	check_file(&file, false,
			   "values of class jdk.ExecutionSample cannot be read: a class in them has no fields and is no number", NULL);
}

/* --- descriptions that lie ----------------------------------------------------------------- */

/* With this tree of elements, behind so many texts; NO_ID: as many as there are. */
static void
check_tree(const Out *tree, size_t texts, const char *what)
{
	Out			file;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	begin_file(&file);
	put_description(&file, tree, texts);
	end_file(&file);
	options.format = FG_FORMAT_JFR;
	CHECK_ERROR(recording_read(&ctx, file.bytes, file.size, 0, &options, &recording), &ctx, FG_ERROR_SYNTAX);
	CHECK(strncmp(ctx.error.reason, "byte ", 5) == 0);
	CHECK_TEXT(strchr(ctx.error.reason, ':') + 2, strlen(strchr(ctx.error.reason, ':') + 2), what);
	CHECK_COUNT(memory.blocks, 0);
	CHECK(memory.bytes < 100000);
}

static void
test_descriptions(void)
{
	static const char *const twice[] = {"7 A", "7 B"};
	static const char *const odd[] = {"7x A"};
	static const char *const longer[] = {"123456789012345678901 A"};
	static const char too_long[] = "a list is longer than what holds it";
	Out			tree = tree_of(NULL, 0);

	unit_case("descriptions whose counts and numbers lie");
	check_tree(&tree, UINT64_C(1) << 31, too_long);
	tree.size = 0;
	NUMBERS(&tree, 0, UINT64_C(1) << 31);
	check_tree(&tree, NO_ID, too_long);
	tree.size = 0;
	NUMBERS(&tree, 0, 0, UINT64_C(1) << 31);
	check_tree(&tree, NO_ID, too_long);
	tree.size = 0;
	NUMBERS(&tree, 77, 0, 0);
	check_tree(&tree, NO_ID, "the description refers to a text that is not there");
	tree.size = 0;
	NUMBERS(&tree, 0, 1, 0, UINT64_MAX, 0);
	check_tree(&tree, NO_ID, "the description refers to a text that is not there");
	tree = tree_of(twice, 2);
	check_tree(&tree, NO_ID, "two classes of the description have one number");
	tree = tree_of(odd, 1);
	check_tree(&tree, NO_ID, "a class of the description has no number");
	tree = tree_of(longer, 1);
	check_tree(&tree, NO_ID, "a class of the description has no number");

	unit_case("elements in elements in elements");
	tree = tree_of(NULL, 0);
	tree.size = 0;
	for (int i = 0; i < 1000; i++)
		NUMBERS(&tree, 0, 0, 1);
	check_tree(&tree, NO_ID, "the elements of the description are nested too deep");
	tree.size = 0;
	for (int i = 0; i < 10; i++)
		NUMBERS(&tree, 0, 0, 1);
	check_tree(&tree, NO_ID, too_long);
}

/* --- constants ------------------------------------------------------------------------------ */

static void
test_constants(void)
{
	static const char *const circle[] = {
		"1 boolean", "2 int", "3 long", "4 java.lang.String", "+5 Symbol string 5!",
		"6 Class name 5!", "7 Method type 6! name 5!", "8 Frame method 7! lineNumber 2",
		"9 Stack truncated 1 frames 8*",
		"20 jdk.ExecutionSample startTime 3 sampledThread 3 stackTrace 9!"
	};
	Out			constants;
	Out			file;

	unit_case("a name that is right");
	check_name(NAMED("\x03\x02ok"), NULL, "ok 1");

	unit_case("constants that refer to themselves end in null");
	constants = constants_named("\x01", 1);
	file = file_of(circle, COUNT(circle), &constants, 2000);
	check_file(&file, false, "fields sampledThread of the recording are not of one class whose values are constants", NULL);
	/* a text whose key is that of its own text */
	constants = NAMED("\x02\x4D");
	constants.bytes[0] = 4;
	NUMBERS(&constants, 4, 1, 0x4D);
	PUT(&constants, "\x02\x4D");
	check_name(constants, NULL, "[unknown] 1");

	unit_case("counts of constants and of frames");
	constants.size = 0;
	NUMBERS(&constants, 1, 9, UINT64_C(1) << 31);
	check_constants(constants, 7, "a list is longer than what holds it");
	constants.size = 0;
	NUMBERS(&constants, UINT64_C(1) << 31);
	check_constants(constants, 5, "a list is longer than what holds it");
	constants.size = 0;
	NUMBERS(&constants, 1, 9, 1, 1, 0, UINT64_C(1) << 31, 1, 5);
	check_constants(constants, 10, "a list is longer than what holds it");
	constants.size = 0;
	NUMBERS(&constants, 1, 9, 1, 1, 0, 3, 1, 5, 1);
	check_constants(constants, 6, "a list is longer than what holds it");

	unit_case("constants of no class, and bytes behind them");
	constants.size = 0;
	NUMBERS(&constants, 1, 77, 1, 1);
	check_constants(constants, 3, "there are constants of a class that is not described");
	constants.size = 0;
	NUMBERS(&constants, 0, 1);
	check_constants(constants, 1, "a list of constants is shorter than what holds it");
}

static void
test_texts(void)
{
	unit_case("texts of each coding whose lengths lie");
	check_constants(NAMED("\x03\xFF\xFF\xFF\xFF\x07x"), NAME_AT + 6, "a list is longer than what holds it");
	check_constants(NAMED("\x04\xFF\xFF\xFF\xFF\x07x"), NAME_AT + 6, "a list is longer than what holds it");
	check_constants(NAMED("\x05\xFF\xFF\xFF\xFF\x07x"), NAME_AT + 6, "a list is longer than what holds it");
	check_constants(NAMED("\x04\x02\x80\x80"), NAME_AT + 2, "a number is cut off");
	check_constants(NAMED("\x02\x80"), NAME_AT + 1, "a number is cut off");
	check_constants(NAMED(""), NAME_AT, "a text is cut off");
	check_constants(NAMED("\x06"), NAME_AT, "a text is written in no known way");

	unit_case("texts that are no text");
	check_name(NAMED("\x03\x01\xFF"), "a name in the recording is not valid UTF-8", NULL);
	check_name(NAMED("\x03\x03\xED\xA0\xBD"), "a name in the recording is not valid UTF-8", NULL);
	check_constants(NAMED("\x03\x02\xC3"), NAME_AT + 2, "a list is longer than what holds it");
	/* halves of characters, and units of more than 16 bits, of which the JVM has the lower ones */
	check_name(NAMED("\x04\x01\xBD\xB0\x03"), NULL, "\xEF\xBF\xBD 1");
	check_name(NAMED("\x04\x01\x80\xB8\x03"), NULL, "\xEF\xBF\xBD 1");
	check_name(NAMED("\x04\x01\xC1\x80\x04"), NULL, "A 1");
	/* the character 0, as the JVM writes it, is a blank like all control characters */
	check_name(NAMED("\x03\x04" "a\xC0\x80z"), NULL, "a z 1");
}

/* --- numbers -------------------------------------------------------------------------------- */

/* Wrong at a byte that is so many behind the last one, or in front of it. */
static void
check_end(Out *file, long behind, const char *what)
{
	char		reason[200];
	size_t		end = file->size;

	snprintf(reason, sizeof(reason), "byte %zu of the recording: %s", (size_t) ((long) end + behind), what);
	check_file(file, false, reason, NULL);
}

static void
check_time(uint64_t start, uint64_t ticks_per_second, const char *reason)
{
	Out			constants = NAMED("\x03\x02ok");
	Out			file = file_of(RIGHT, &constants, start);

	big_endian(file.bytes + 56, ticks_per_second);
	check_file(&file, false, NULL, "ok 1");
	check_file(&file, true, reason, NULL);
}

static void
test_numbers(void)
{
	static const char no_time[] = "the start time of an event jdk.ExecutionSample is not one";
	Out			constants = NAMED("\x03\x02ok");
	Out			file = file_of(RIGHT, &constants, 2000);
	Out			body = {.size = 0};
	size_t		end = file.size;

	unit_case("times before and after all times");
	check_time(UINT64_C(1) << 63, 1000000000, no_time);
	check_time((UINT64_C(1) << 63) - 1, 1000000000, no_time);
	check_time(UINT64_MAX, 1000000000, NULL);
	check_time(1000 + (UINT64_C(1) << 62), 1, no_time);
	check_time(1000 + (UINT64_C(1) << 62), UINT64_MAX / 2, NULL);

	unit_case("a clock that goes backwards, and a start that is no instant");
	big_endian(file.bytes + 56, UINT64_C(1) << 63);
	check_file(&file, false, "byte 57 of the recording: the clock of the chunk does not run", NULL);
	big_endian(file.bytes + 56, 1000000000);
	big_endian(file.bytes + 32, UINT64_MAX / 2);
	check_file(&file, true, no_time, NULL);
	big_endian(file.bytes + 32, 0);

	unit_case("a duration without a unit");
	NUMBERS(&body, 2000, 5, 1);
	put_event(&file, 21, &body);
	end_file(&file);
	check_end(&file, 1, "the duration of an event before is not one");

	unit_case("events without a body, and of sizes that lie");
	file.size = end;
	PUT(&file, "\x01\x14");
	end_file(&file);
	check_end(&file, -1, "the size of an event is not one");
	file.size = end;
	PUT(&file, "\x02\x14");
	end_file(&file);
	check_end(&file, 1, "a number is cut off");
	file.size = end;
	PUT(&file, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x14");
	end_file(&file);
	check_end(&file, -9, "the size of an event is not one");
	file.size = end;
	PUT(&file, "\x80\x80");
	end_file(&file);
	check_end(&file, -1, "a number is cut off");
}

static void
test_chunk_sizes(void)
{
	Out			constants = NAMED("\x03\x02ok");
	Out			file = file_of(RIGHT, &constants, 2000);
	char		reason[200];

	unit_case("chunks of sizes that lie");
	big_endian(file.bytes + 8, UINT64_MAX / 2 - 1);
	snprintf(reason, sizeof(reason), "the recording ends at byte %zu, in chunk 1, which has bytes 1 to 9223372036854775806", file.size);
	check_file(&file, false, reason, NULL);
	big_endian(file.bytes + 8, UINT64_C(1) << 63);
	check_file(&file, false, "byte 9 of the recording: the size of the chunk is not one", NULL);
	/* the last event has nine bytes */
	big_endian(file.bytes + 8, file.size - 1);
	check_end(&file, -8, "the size of an event is not one");
}

/* How far it is from one checkpoint to the one before is nothing to go by: a circle is none. */
static void
test_chains(void)
{
	Out			constants = NAMED("\x03\x02ok");
	Out			file = file_of(RIGHT, &constants, 2000);
	Out			body = {.size = 0};

	unit_case("checkpoints in a circle");
	NUMBERS(&body, 0, 0, 0, 0, 0);
	for (int i = 0; i < 100; i++)
		put_event(&file, 1, &body);
	body.size = 0;
	NUMBERS(&body, 0, 0, UINT64_MAX, 0, 0);
	put_event(&file, 1, &body);
	end_file(&file);
	check_file(&file, false, NULL, "ok 1");
}

int
main(void)
{
	test_types();
	test_descriptions();
	test_constants();
	test_texts();
	test_numbers();
	test_chunk_sizes();
	test_chains();
	return unit_finish();
}
