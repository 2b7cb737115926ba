/*
 * test_recording.c
 *	  Reading recordings: the frame (gzip, recognition, selections, truncation) and
 *	  the text formats, on files of the real tools and on texts for each rule.
 */
#include "naive.h"
#include "recordings.h"

#include "core/profile/codec.h"
#include "core/reading/gunzip.h"

#include <zlib.h>

#define DATA "test/data/formats/"

static FgReadOptions
options_of(FgFormat format)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.format = format;
	return options;
}

/* --- checks -------------------------------------------------------------------- */

/* One profile with these facts and stacks. */
static void
check_read(const char *text, FgReadOptions options, FgFormat format, const char *facts,
		   const char *complete, const char *truncated)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	char		got[300];

	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
	{
		printf("    line %u: %s\n", (unsigned) ctx.error.line, ctx.error.reason);
		return;
	}
	CHECK_COUNT(recording.format, format);
	if (CHECK_COUNT(recording.count, 1))
	{
		const FgRecorded *r = &recording.profiles[0];

		snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
		CHECK_TEXT(got, strlen(got), facts);
		recording_is(&ctx, &r->complete, complete);
		recording_is(&ctx, &r->truncated, truncated);
	}
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_bytes_fail(const void *bytes, size_t size, FgReadOptions options, FgErrorCode code,
				 uint64_t line, uint64_t column, const char *reason)
{
	FgError		error = recording_fails(bytes, size, &options, code, reason);

	if (!CHECK_COUNT(error.line, line) || !CHECK_COUNT(error.column, column))
		printf("    %s\n", error.reason);
}

static void
check_fails(const char *text, FgReadOptions options, FgErrorCode code, uint64_t line,
			uint64_t column, const char *reason)
{
	check_bytes_fail(text, strlen(text), options, code, line, column, reason);
}

/* A file's profile of this name is what the folded file says. */
static void
check_file(const char *path, FgReadOptions options, const char *facts, const char *folded_path)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	size_t		size;
	size_t		folded_size;
	char	   *bytes = recording_file(path, &size);
	char	   *folded = recording_file(folded_path, &folded_size);
	FgReadOptions plain = options_of(FG_FORMAT_FOLDED);
	FgRecording got;
	FgRecording expected;
	char		got_facts[300];

	if (CHECK(recording_read(&ctx, bytes, size, 4096, &options, &got)))
	{
		CHECK(recording_read(&ctx, folded, folded_size, 0, &plain, &expected));
		snprintf(got_facts, sizeof(got_facts), "%s %s %s %.10g", got.profiles[0].event,
				 got.profiles[0].name, got.profiles[0].unit, got.profiles[0].period);
		CHECK_TEXT(got_facts, strlen(got_facts), facts);
		if (CHECK_COUNT(got.profiles[0].complete.nnodes, expected.profiles[0].complete.nnodes))
		{
			Naive		stacks = naive_of_tree(&expected.profiles[0].complete);

			CHECK(naive_matches(&ctx, &stacks, &got.profiles[0].complete));
			naive_free(&stacks);
		}
		fg_recording_free(&ctx, &expected);
		fg_recording_free(&ctx, &got);
	}
	else
		printf("    line %u: %s\n", (unsigned) ctx.error.line, ctx.error.reason);
	free(bytes);
	free(folded);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- gzip -------------------------------------------------------------------------- */

static uint8_t *
gzipped(const void *bytes, size_t size, size_t *packed_size)
{
	z_stream	stream;
	uint8_t    *packed;

	memset(&stream, 0, sizeof(stream));
	deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
	*packed_size = deflateBound(&stream, size) + 64;
	packed = malloc(*packed_size);
	stream.next_in = (Bytef *) (uintptr_t) bytes;
	stream.avail_in = (uInt) size;
	stream.next_out = packed;
	stream.avail_out = (uInt) *packed_size;
	deflate(&stream, Z_FINISH);
	*packed_size = stream.total_out;
	deflateEnd(&stream);
	return packed;
}

static void
test_gzip(void)
{
	static const char text[] = "a;b 1\na;c 2\n";
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	size_t		size;
	uint8_t    *packed = gzipped(text, sizeof(text) - 1, &size);
	uint8_t    *twice = calloc(1, 2 * size + 3);

	unit_case("gzip is recognised");
	CHECK(recording_read(&ctx, packed, size, 0, &options, &recording));
	CHECK(recording.gzip);
	recording_is(&ctx, &recording.profiles[0].complete, "a;b 1\na;c 2");
	fg_recording_free(&ctx, &recording);
	recording_check_blocks(packed, size, 1, &options);
	recording_sweep("gzip", packed, size, &options, 1);

	unit_case("gzip: several members and padding");
	memcpy(twice, packed, size);
	memcpy(twice + size, packed, size);
	CHECK(recording_read(&ctx, twice, 2 * size + 3, 0, &options, &recording));
	recording_is(&ctx, &recording.profiles[0].complete, "a;b 2\na;c 4");
	fg_recording_free(&ctx, &recording);
	recording_check_blocks(twice, 2 * size + 3, 1, &options);

	unit_case("gzip: other bytes behind it");
	twice[2 * size + 1] = 'x';
	check_bytes_fail(twice, 2 * size + 3, options, FG_ERROR_CORRUPT, 0, 0, "other bytes follow");

	unit_case("gzip: the end is missing");
	for (size_t cut = 2; cut < size; cut++)
	{
		char		place[60];

		snprintf(place, sizeof(place), "in the middle, after %zu bytes", cut);
		check_bytes_fail(packed, cut, options, FG_ERROR_CORRUPT, 0, 0, place);
	}
	unit_case("gzip: a wrong check sum");
	packed[size - 6] ^= 1;
	check_bytes_fail(packed, size, options, FG_ERROR_CORRUPT, 0, 0, "incorrect data check");
	recording_check_blocks(packed, size, 1, &options);
	free(packed);
	free(twice);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_bomb(void)
{
	size_t		size = (size_t) 16 << 20;
	char	   *zeros = malloc(size);
	size_t		packed_size;
	uint8_t    *packed;
	FgReadOptions options = options_of(FG_FORMAT_AUTO);

	unit_case("gzip: blocks of nothing, at which polls are counted by what comes in");
	{
		static const uint8_t head[10] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3};
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgReadOptions defaults = FG_DEFAULT_READ_OPTIONS;
		FgRecording nothing;
		size_t		empty_size = sizeof(head) + 5 * ((size_t) 8 << 20) / 5;
		uint8_t    *empty = calloc(empty_size, 1);

		memcpy(empty, head, sizeof(head));
		/* stored blocks, none of them the last one: length 0, and its complement */
		for (size_t i = sizeof(head); i + 5 <= empty_size; i += 5)
			empty[i + 3] = empty[i + 4] = 0xFF;
		CHECK_ERROR(recording_read(&ctx, empty, empty_size, 0, &defaults, &nothing), &ctx,
					FG_ERROR_CORRUPT);
		CHECK(memory.polls >= 8);
		CHECK_COUNT(memory.blocks, 0);
		free(empty);
	}

	unit_case("gzip: a bomb stops at the limit");
	options.format = FG_FORMAT_FOLDED;
	memset(zeros, '\n', size);
	packed = gzipped(zeros, size, &packed_size);
	CHECK(packed_size < size / 500);
	options.max_bytes = 1000000;
	check_bytes_fail(packed, packed_size, options, FG_ERROR_LIMIT, 0, 0, "more than 1000000 bytes");

	unit_case("gzip: the limit is a limit of the unpacked size");
	options.max_bytes = size - 1;
	check_bytes_fail(packed, packed_size, options, FG_ERROR_LIMIT, 0, 0, "unpack to more than");
	options.max_bytes = size;
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgRecording recording;

		CHECK(recording_read(&ctx, packed, packed_size, 0, &options, &recording));
		CHECK(memory.bytes < 1000000);
		fg_recording_free(&ctx, &recording);
	}
	free(zeros);
	free(packed);
}

/* --- recognition --------------------------------------------------------------------- */

static void
test_recognition(void)
{
	static const struct
	{
		const char *text;
		FgFormat	format;
	}			rows[] = {
		{"a 1", FG_FORMAT_FOLDED}, {"# a comment\n\na;b c 1.5e3\n", FG_FORMAT_FOLDED},
		{"\xEF\xBB\xBF" "a 1\n", FG_FORMAT_FOLDED}, {"# only a comment", FG_FORMAT_FOLDED},
		{" 5", FG_FORMAT_FOLDED}, {"postgres 1234", FG_FORMAT_FOLDED},
		{"Thread 12;run 5", FG_FORMAT_FOLDED}, {"P5;main 3", FG_FORMAT_FOLDED},
		{"# austin: 3.4.1\n# mode: wall\nP1;T1;a:b:1 5", FG_FORMAT_AUSTIN},
		{"P1;T1;a:b:1 5", FG_FORMAT_AUSTIN}, {"P1;T0:0x7f1c;a:b:1 5,0,0", FG_FORMAT_AUSTIN},
		{"Thread 7f1c 5\nThread 7f1c;f (m);L1 5", FG_FORMAT_AUSTIN},
		{"Process 3;Thread 7f1c;f (m:1) 5", FG_FORMAT_AUSTIN},
		{"postgres 1234 1.5: cycles: \n\t ab f (o)\n\n", FG_FORMAT_PERF},
		{"# captured on\n#\nWeb Content 1234/1235 [001] 1.5:   100 cycles:u: \n\tab f+0x1 (o)\n\n",
		FG_FORMAT_PERF},
		{"   python3 12 1.5: 100 cycles:    55d0 main+0x1 (/bin/x)\n", FG_FORMAT_PERF},
		{"postgres 1234\n\t ab f (o)\n\n", FG_FORMAT_PERF},
		{"swapper 0 0.0: PERF_RECORD_MMAP -1/0: x\npostgres 1234\n\t ab f (o)\n\n", FG_FORMAT_PERF}
	};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(FG_FORMAT_AUTO);

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgRecording recording;

		unit_case("recognised: %s", rows[i].text);
		if (CHECK(recording_read(&ctx, rows[i].text, strlen(rows[i].text), 0, &options, &recording)))
			CHECK_COUNT(recording.format, rows[i].format);
		else
			printf("    %s\n", ctx.error.reason);
		fg_recording_free(&ctx, &recording);
		recording_check_blocks(rows[i].text, strlen(rows[i].text), 1, &options);
	}
	unit_case("not recognised");
	check_fails("", options, FG_ERROR_SYNTAX, 0, 0, "is empty");
	check_fails(" \t\r\n\n", options, FG_ERROR_SYNTAX, 0, 0, "is empty");
	check_fails("\xEF\xBB\xBF", options, FG_ERROR_SYNTAX, 0, 0, "is empty");
	check_fails("hello\n", options, FG_ERROR_SYNTAX, 0, 0, "it starts with \"hello.\"");
	options.discreet = true;
	check_fails("hello\n", options, FG_ERROR_SYNTAX, 0, 0, "its format was not recognised");
	CHECK(strstr(ctx.error.reason, "hello") == NULL);
	check_fails("PERFILE2xxxx", options, FG_ERROR_SYNTAX, 0, 0, "perf record");
	options.discreet = false;
	check_bytes_fail("\0\1\2", 3, options, FG_ERROR_SYNTAX, 0, 0, "not recognised");
	check_fails("PERFILE2xxxx", options, FG_ERROR_SYNTAX, 0, 0, "perf record");
	check_bytes_fail("\xFF\xFE" "a\0", 4, options, FG_ERROR_SYNTAX, 0, 0, "UTF-16");
	check_fails("\x28\xB5\x2F\xFDxxxx", options, FG_ERROR_SYNTAX, 0, 0, "zstd");
	check_fails("x", options, FG_ERROR_SYNTAX, 0, 0, "not recognised");
}

static void
test_head_size(void)
{
	size_t		line = 2 * 65536;
	char	   *text = malloc(line + 8);
	FgReadOptions options = options_of(FG_FORMAT_AUTO);

	unit_case("a comment longer than what is looked at");
	memset(text, '#', line);
	strcpy(text + line, "\na 5\n");
	check_fails(text, options, FG_ERROR_SYNTAX, 1, line + 1, "value is missing");
	text[1] = ' ';
	check_read(text, options, FG_FORMAT_FOLDED, "cpu  samples 0", "a 5", "");
	free(text);
}

/* --- what errors quote ------------------------------------------------------------------ */

static void
check_quote(const char *text, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgRecording recording;

	unit_note("%s", text);
	CHECK(!recording_read(&ctx, text, strlen(text), 0, &options, &recording));
	CHECK_TEXT(ctx.error.quote, strlen(ctx.error.quote), expected);
	unit_note("%s", "");
}

static void
test_quotes(void)
{
	unit_case("the line that is wrong");
	check_quote("a 1\n\tq;r x \r\nc 1\n", "\tq;r x");
	check_quote("a 1 1.5: cycles: \n\tab f (o)\n\tg (o)\n", "\tg (o)");
	check_quote("P1;T1;a.py:m:5 100\nP1;T1;a.py:m:6 many", "P1;T1;a.py:m:6 many");
	unit_case("in JSON what stands around the place");
	check_quote("{\"nodes\": [\n{\"id\": 1, \"callFrame\": 5, \"children\": []}],\n\"endTime\": 2}",
				"{\"id\": 1, \"callFrame\": 5, \"children\": []}],");
	unit_case("nothing when no line is to blame");
	check_quote("a 1 1.5: x: \n\tab f (o)\n\na 1 1.5: y: \n\tab f (o)\n\n", "");
	check_quote("{\"nodes\": [\n{\"id\": 1, \"callFrame\": ", "");
	check_quote("hello\n", "");
}

/* --- folded and packed ---------------------------------------------------------------- */

static void
test_folded(void)
{
	static const char *const texts[] = {
		"# c\na;b 1\r\n\n;x 1\na\tb 1\nb x", "\xEF\xBB\xBF" "a;b 1\nb;\xC3\xA9 5\n;x 1"
	};
	FgReadOptions options = options_of(FG_FORMAT_FOLDED);
	FgReadOptions deep = options;
	FgReadOptions selecting = options;

	unit_case("folded");
	check_read("# c\na;b 1\n\na;b 2\r\n;x 1\na\tb 1", options, FG_FORMAT_FOLDED, "cpu  samples 0",
			   "[unknown];x 1\na;b 3\na b 1", "");
	check_read("", options, FG_FORMAT_FOLDED, "cpu  samples 0", "", "");
	check_read("a\\;b 1", options, FG_FORMAT_FOLDED, "cpu  samples 0", "a\\\\;b 1", "");

	unit_case("folded: stacks that reach the depth");
	deep.max_depth = 3;
	check_read("a 1\na;b 2\na;b;c 4\na;b;c;d 8\n 16", deep, FG_FORMAT_FOLDED, "cpu  samples 0",
			   " 16\na 1\na;b 2", "a;b;c 4\na;b;c;d 8");

	unit_case("folded: places of errors");
	check_fails("a 1\nb x\n", options, FG_ERROR_SYNTAX, 2, 3, "\"x\" is not a value");
	check_fails("a 1\n\nb", options, FG_ERROR_SYNTAX, 3, 2, "value is missing");
	check_fails("a 1\nb\xFF" "b 2", options, FG_ERROR_ENCODING, 2, 2, "0xff");
	check_fails("a 1\n# \xE9\nb 2", options, FG_ERROR_ENCODING, 2, 3, "0xe9");
	check_bytes_fail("a 1\nb\0b 2", 9, options, FG_ERROR_ENCODING, 2, 2, "0x00");
	check_fails("a 1e308\na 1e308", options, FG_ERROR_RANGE, 2, 1, "");
	selecting.selection = "x";
	check_fails("a 1", selecting, FG_ERROR_ARGUMENT, 0, 0, "without a name");

	unit_case("folded: any blocks, any failure");
	for (size_t i = 0; i < COUNT(texts); i++)
		recording_check_blocks(texts[i], strlen(texts[i]), 1, &options);
	recording_sweep("folded", texts[1], strlen(texts[1]), &deep, 1);
}

static void
test_packed(void)
{
	/* printed by the type's output function with a limit of 0 bytes (the codec is tested elsewhere) */
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "a 1\na;b 2\na;b;c 4");
	static const char *const behind[] = {"\n", " ", "\r\n", " \t \r\n\n ", "\n \n"};
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	uint8_t    *bytes;
	size_t		size;
	char		text[1000] = "flamegraph:1:";
	size_t		at = strlen(text);

	CHECK(fg_codec_encode(&ctx, &tree, 0, &bytes, &size));
	for (size_t i = 0; i < size; i += 3)
	{
		uint32_t	group = (uint32_t) bytes[i] << 16 |
			(uint32_t) (i + 1 < size ? bytes[i + 1] : 0) << 8 | (i + 2 < size ? bytes[i + 2] : 0);

		for (unsigned d = 0; d < 4; d++)
			text[at++] = d > size - i ? '=' : digits[group >> (18 - 6 * d) & 63];
	}
	text[at] = '\0';
	fg_tree_free(&ctx, &tree);
	fg_release(&ctx, bytes);
	CHECK_COUNT(memory.blocks, 0);

	unit_case("packed");
	check_read(text, options, FG_FORMAT_PACKED, "cpu  samples 0", "a 1\na;b 2\na;b;c 4", "");
	recording_check_blocks(text, at, 1, &options);
	recording_sweep("packed", text, at, &options, 1);
	unit_case("packed: blanks and line ends behind it");
	for (size_t i = 0; i < COUNT(behind); i++)
	{
		snprintf(text + at, sizeof(text) - at, "%s", behind[i]);
		check_read(text, options, FG_FORMAT_PACKED, "cpu  samples 0", "a 1\na;b 2\na;b;c 4", "");
		recording_check_blocks(text, strlen(text), 1, &options);
	}
	unit_case("packed: with a value behind it, it is a stack");
	snprintf(text + at, sizeof(text) - at, " 5");
	check_read(text, options, FG_FORMAT_FOLDED, "cpu  samples 0", text, "");
	text[at] = '\0';
	options.max_depth = 2;
	check_read(text, options, FG_FORMAT_PACKED, "cpu  samples 0", "a 1", "a;b 2\na;b;c 4");
	recording_sweep("packed, truncated", text, at, &options, 1);

	unit_case("packed: damaged");
	text[at] = 'A';
	if (text[at - 1] == '=')
		check_fails(text, options, FG_ERROR_CORRUPT, 1, at + 1, "follow the end");
	text[at] = '\0';
	text[20] = '!';
	check_fails(text, options, FG_ERROR_CORRUPT, 1, 21, "does not belong to base64");
	text[20] = '\0';
	check_fails(text, options, FG_ERROR_CORRUPT, 1, 21, "ends in the middle");
	check_fails("flamegraph:2:AAAA", options, FG_ERROR_CORRUPT, 1, 12, "version 1");
	check_fails("flamegraph:1:AAAA", options, FG_ERROR_CORRUPT, 0, 0, "");
	check_fails("flamegraph:1:A===", options, FG_ERROR_CORRUPT, 1, 15, "wrong place");
}

/* --- austin ------------------------------------------------------------------------------- */

static void
test_austin(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgReadOptions cpu = options;
	FgReadOptions idle = options;
	FgReadOptions memory = options;
	FgReadOptions threads = options;
	size_t		size;
	char	   *full = recording_file(DATA "full.austin", &size);

	full = realloc(full, size + 1);
	full[size] = '\0';
	cpu.selection = "cpu";
	idle.selection = "idle";
	memory.selection = "memory";
	threads.threads = true;

	unit_case("austin: each metric of the full mode");
	check_read(full, options, FG_FORMAT_AUSTIN, "wall time microseconds 100",
			   " 50\n:INVALID: 10\napp.py:<module>:10;app.py:main:5;app.py:work:21 220\n"
			   "app.py:<module>:10;app.py:main:5;app.py:work:22 80\n"
			   "app.py:<module>:10;app.py:main:6;/usr/lib/python3.11/threading.py:wait:320 300\n"
			   "app.py:<module>:11;app.py:main:5;:GC: 30", "");
	check_read(full, cpu, FG_FORMAT_AUSTIN, "cpu cpu microseconds 100",
			   " 50\n:INVALID: 10\napp.py:<module>:10;app.py:main:5;app.py:work:21 220\n"
			   "app.py:<module>:10;app.py:main:5;app.py:work:22 80\n"
			   "app.py:<module>:11;app.py:main:5;:GC: 30", "");
	check_read(full, idle, FG_FORMAT_AUSTIN, "idle idle microseconds 100",
			   "app.py:<module>:10;app.py:main:6;/usr/lib/python3.11/threading.py:wait:320 300", "");
	check_read(full, memory, FG_FORMAT_AUSTIN, "memory memory bytes 0",
			   " 1024\napp.py:<module>:10;app.py:main:5;app.py:work:21 4096\n"
			   "app.py:<module>:10;app.py:main:5;app.py:work:22 -2048\n"
			   "app.py:<module>:11;app.py:main:5;:GC: 512", "");
	unit_case("austin: threads, alternative form, other modes");
	check_read("P1;T0:7;a:b;L1;c:d;L22 5\nP1;T0:8 6", threads, FG_FORMAT_AUSTIN,
			   "wall time microseconds 0", "P1:T0:7;a:b:1;c:d:22 5\nP1:T0:8 6", "");
	check_read("# mode: cpu\nP1;T1;a:b:1 5", options, FG_FORMAT_AUSTIN, "cpu time microseconds 0",
			   "a:b:1 5", "");
	check_read("# austin: 3\n# mode: memory\nP1;T1;a:b:1 -5", options, FG_FORMAT_AUSTIN,
			   "memory memory bytes 0", "a:b:1 -5", "");
	check_read("Thread ab;f (m);L1 100 4 0\nThread ab;f (m);L1 100 0 -3", memory, FG_FORMAT_AUSTIN,
			   "memory memory kilobytes 0", "f (m):1 1", "");

	check_read("P1;T1;a:b:1 5", memory, FG_FORMAT_AUSTIN, "memory memory kilobytes 0", "a:b:1 5", "");

	unit_case("austin: any blocks, any failure");
	recording_check_blocks(full, size, 1, &options);
	recording_sweep("austin", full, size, &threads, 1);
	free(full);
}

static void
test_austin_errors(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgReadOptions memory = options;

	memory.selection = "memory";
	unit_case("austin: errors");
	check_fails("P1;T1;a:b:1 5\nx", options, FG_ERROR_SYNTAX, 2, 1, "neither a comment nor a sample");
	check_fails("P1;T1;a:b:1 5\nP1;T1;a:b:1", options, FG_ERROR_SYNTAX, 2, 12, "metrics are missing");
	check_fails("P1;T1;a:b:1 5\nP1;T1;a:b:1 5,6", options, FG_ERROR_SYNTAX, 2, 13, "two metrics");
	check_fails("P1;T1;a:b:1 5\nP1;T1;a:b:1 5,0,6", options, FG_ERROR_SYNTAX, 2, 13, "changes");
	check_fails("P1;T1;a:b:1 5,0,6,7", options, FG_ERROR_SYNTAX, 1, 19, "more than three");
	check_fails("P1;T1;a:b:1 5,x,6", options, FG_ERROR_SYNTAX, 1, 15, "not a whole number");
	check_fails("P1;T1;a\xFF:b:1 5", options_of(FG_FORMAT_AUSTIN), FG_ERROR_ENCODING, 1, 0, "UTF-8");
	check_fails("# austin: 3\n# mode: wall\nP1;T1;a:b:1 5", memory, FG_ERROR_ARGUMENT, 0, 0,
				"no event \"memory\"; it has time");
	check_read("# austin: 3\n", options, FG_FORMAT_AUSTIN, "cpu  samples 0", "", "");
}

static void
test_austin_files(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgReadOptions memory = options;

	memory.selection = "memory";
	unit_case("austin: files of Austin 1.0.1");
	check_file(DATA "wall.austin1", options, "wall time microseconds 0", DATA "wall.austin1.folded");
	check_file(DATA "full.austin1", options, "wall time microseconds 0",
			   DATA "full.austin1.time.folded");
	check_file(DATA "full.austin1", memory, "memory memory kilobytes 0",
			   DATA "full.austin1.memory.folded");
	check_file(DATA "alternative.austin1", options, "wall time microseconds 0",
			   DATA "alternative.austin1.folded");
}

/* Files that were taken for another format, or for none. */
static const struct
{
	const char *text;
	const char *reason;
}			lookalikes[] = {
	{"version: 1\ncreator: callgrind-3.19.0\nevents: Ir\n", "callgrind"},
	{"# callgrind format\nversion: 1\n", "callgrind"},
	{"JAVA PROFILE 1.0.2", "heap dump of Java"},
	{"goroutine profile: total 7\n3 @ 0x1 0x2\n", "goroutines"},
	{"threadcreate profile: total 7\n1 @ 0x44cb3 0x45045\n", "threads of Go"},
	{"goroutine 1 [running]:\nmain.main()\n\t/app/main.go:5 +0x1d\n", "stacks of goroutines"},
	{"go 1.19 trace\x01\x02\x03", "execution trace of Go"},
	{"heap profile: 1: 2 [3: 4] @ heap/1048576\n", "heap profile of Go"},
	{"--- contention:\ncycles/second = 1\n", "blocking of Go"},
	{"\n0x118 [0xa0]: event: 1\n. ... raw event: size 160 bytes\n1 2 0x118 [0xa0]: PERF_RECORD_MMAP 3/4: x 5\n",
	"perf script -D"},
	{"{\"format\": \"profileJSONWithSymbolicationTable,1\",\"profileJSON\":[]}", "Cleopatra"},
	{"\x04\x08{\rI:\fversion", "dump of Ruby"},
	{"Analysis of sampling x (pid 1) every 1 millisecond\n", "macOS sample"},
	{"PERFFILEx", "old perf record"},
	{"memray", "memray"},
	{"SIMPLEPERF", "simpleperf"},
	{"*version\n3\n", "Android"},
	{"gmon\x01", "gprof"},
	{"Flat profile:\n\nEach sample counts as 0.01 seconds.\n", "gprof"},
	{"desc: --massif-out-file=x\ncmd: ./x 1\n", "massif"},
	{"Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n", "thread dump"},
	{"Function Stack,CPU Time:Self\n", "VTune"},
	{"Level,Function Name,Number of Calls\n", "Visual Studio"},
	{"\tThu Jan 1 00:00 1970 Time and Allocation Profiling Report  (Final)\n", "GHC"},
	{"v 10400 3\nX ./app 1\nI 1000 1 2\n", "heaptrack"},
	{"{\"type\": \"attached_probes\", \"data\": {\"probes\": 1}}\n", "JSON of bpftrace"},
	{"\xFB)\x03\xFA", "cProfile"},
	{"QPERFSTREAM", "hotspot"},
	{"\x7F" "ELFx", "a program or a library"},
	{"positions: line\nevents: cpu(ms)\n\nfn=(1) main\n", "callgrind"},
	{"SLOW\xF3", "Android"},
	{"index  % time    self  children\n", "gprof"},
	{"v8-version,6,0,287,53,0\n", "the log of V8"},
	{"PeriodType: cpu nanoseconds\nPeriod: 10000000\n", "pprof -raw"},
	{"Showing nodes accounting for 1.12s, 100% of 1.12s total\n", "report of pprof"},
	{"# tracer: nop\n#\n", "ftrace"},
	{"PAR1", "Parquet"},
	{"\xEF\xBB\xBFLevel,Function Name,Number of Calls\n", "Visual Studio"},
	{"File: app\nType: cpu\nTime: Nov 1, 2026\nShowing nodes accounting for 1.12s, 100% of 1.12s total\n", "report of pprof"},
	/* packets of Perfetto: a clock and its user; a time and its sequence; packed ones; one that is cut off */
	{"\n\x06\x32\x02\x0A\x01\x18\x01\n\x04\x40\x7B\x50\x02\n\x04\x92\x03\x01z\n\x7F\x50", "trace of Perfetto"},
	{"\n\x04\x40\x7B\x50\x02\n\x03\x5A\x01x", "was not recognised"},
	{"# captured on: Thu\n# hostname : h\n#\n# Overhead  Command\n", "the report of perf"},
	{"{\"program\": \"p\",\n\"rts_arguments\": [\"-pj\"],\n\"cost_centres\": []}", "GHC's profiler as JSON"},
	{"{\n    \"alloc_samples\": 17,\n    \"args\": [\n        \"main.py\"\n    ],\n    \"elapsed_time_sec\": 3.5,\n    \"files\": {}\n}", "Scalene"},
	{"{\"start_time\": 1.5, \"duration\": 0.25, \"sample_count\": 230, \"program\": \"p.py\", \"cpu_time\": 0.2, \"root_frame\": {}}", "pyinstrument"},
	{"Process 8: python3 p.py\nPython v3.11.2 (/usr/bin/python3.11)\n\nThread 8 (active): \"MainThread\"\n    f (p.py:3)\n", "py-spy dump"},
	{"{\"version\":1,\"recording\":{\"records\":[{\"type\":\"timeline-record-type-cpu\"}]}}", "Safari"},
	{"{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\"]}}}", "heap snapshot of V8"},
	/* the first lines of what the tools of Debian 12 print */
	{"4369:\n2026-11-28 05:10:32\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n", "thread dump of Java"},
	{"4369:\n num     #instances         #bytes  class name (module)\n", "histogram of Java's heap"},
	{"jdk.SafepointBegin {\n  startTime = 05:09:59.101\n", "text of jfr print"},
	{"<?xml version=\"1.0\"?>\n<recording xmlns:xsi=\"x\">\n  <events>\n    <event type=\"jdk.SafepointBegin\">\n", "XML of jfr print"},
	{"\n Version: 2.1\n Chunks: 1\n Start: 2026-11-28 05:09:59 (UTC)\n", "summary of jfr"},
	{"# To display the perf.data header info, please use --header/--header-only options.\n#\n", "the report of perf"},
	{" Percent |\tSource code & Disassembly of work for cpu-clock (1136 samples)\n", "perf annotate"},
	{"# started on Sat Nov 28 05:05:37 2026\n\n\n", "counts of perf stat"},
	{"\n Performance counter stats for './work':\n", "counts of perf stat"},
	{"\t\t\tCall graph\n\n", "the report of gprof"},
	{"0x000055ee58cd0142 in inner () at loop.c:3\n\nThread 1 (LWP 9):\n#0  0x000055ee58cd0142 in inner () at loop.c:3\n"
	"#1  0x000055ee58cd0163 in outer () at loop.c:3\n", "stacks of a debugger"},
	{"PID 9 - process\nTID 9:\n#0  0x000055ee58cd0142 inner\n#1  0x000055ee58cd0163 outer\n", "stacks of a debugger"},
	{"sample.interval=5000\n\"leaf\" \"a\" \n", "profile of R"},
	{"memory profiling: line profiling: sample.interval=5000\n", "profile of R"},
	{"NYTProf 5 0\n", "profile of Perl"},
	{"# Profile data generated by Devel::NYTProf::Reader\n# Version: v6.12\n", "table of Perl"},
	{"TRACE START [2026-11-28 05:13:04.608509]\n    0.0005     391808   -> {main}() Command line code:0\n", "Xdebug"},
	{"Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-28 05:13:04.800913]\n", "Xdebug"},
	{"\xFB\xA9\x03\xDA\x07profile", "cProfile"},
	{"         902289 function calls in 0.220 seconds\n\n   ncalls  tottime  percall  cumtime\n", "report of Python's cProfile"},
	{"\x80\x05\x95y", "pickle of Python"},
	{"%% Analysis results:\n{  analysis_options,\n", "fprof"},
	{"\n****** Process <0.85.0>    -- 100.00 % of profiled time *** \nFUNCTION  CALLS        %  TIME  [uS / CALLS]\n", "eprof"},
	{"JOB \"A +RTS -hc\"\nDATE \"Sat Nov 28 05:13 2026\"\n", "heap profile of GHC"},
	{"hdrbhetbetb", "event log of GHC"},
	{"==================================\n  Mode: cpu(1000)\n", "report of stackprof"},
	{"Statistical profiling result from v8.log, (374 ticks, 56 unaccounted, 0 excluded).\n", "node --prof-process"},
	{"desc: I1 cache:         32768 B, 64 B, 8-way associative\ncmd: ./work\nevents: Ir\nfn=main\n1 5\n", "cachegrind"},
	{"----\nCommand:            ./work 1\nMassif arguments:   \nms_print arguments: out.massif\n", "massif"},
	{"----\nProfile data file 'out.callgrind' (creator: callgrind-3.19.0)\n", "report of callgrind_annotate"},
	{"File: gp\nType: cpu\nDuration: 904.75ms, Total samples = 720ms (79.58%)\n-----------+-----\n", "report of pprof"},
	{"execve(\"./work\", [\"./work\"], 0x7ffd /* 30 vars */) = 0\nbrk(NULL) = 0x55\n", "strace"},
	{"\x5E\x97\xCA\xFD\x01", "sysprof"},
	{"<!DOCTYPE html>\n<html lang=\"en\">\n", "page of HTML"},
	{"<?xml version=\"1.0\" standalone=\"no\"?>\n<!DOCTYPE svg PUBLIC>\n<svg version=\"1.1\">", "picture (SVG)"},
	{"\x04\x22\x4D\x18x", "packed by lz4"},
	{"\x1F\x9D\x90x", "packed by compress"},
	{"{\"log\":{\"version\":\"1.2\",\"creator\":{},\"entries\":[]}}", "archive of requests"},
	{"{\"result\":[{\"scriptId\":\"10\",\"functions\":[{\"ranges\":[],\"isBlockCoverage\":false}]}]}", "coverage of V8"},
	{"{\"code\": [{\"name\": \"node\", \"type\": \"SHARED_LIB\"}], \"functions\": []}", "log of V8 as JSON"},
	{"{\"resourceSpans\":[]}", "traces of OpenTelemetry"},
	{"{\"resourceLogs\":[]}", "logs of OpenTelemetry"},
	{"{\"resourceMetrics\":[]}", "metrics of OpenTelemetry"},
	{"write(1, \"a\", 1) = 1\nwrite(1, \"bb\", 2) = 2\n", "strace or ltrace"},
	{"9461  12:00:00.123456 close(3)                         = 0\n9461  +++ exited with 0 +++\n", "strace or ltrace"},
	{"[pid  9461] brk(NULL)   = 0x55e0\n", "strace or ltrace"},
	{"[00007f15b6b5ac47] brk(NULL)            = 0x557d3aec1000 <0.000313>\n", "strace or ltrace"},
	{"ROUTINE ====================== work\n    35     50 samples (flat, cumulative) 100.0% of total\n", "report of google-pprof"},
	{"# ========\n# captured on    : Sat Nov 28 12:16:41 2026\n# ========\n#\n", "without samples"},
	{"__libc_start_main(0x401136, 1, 0x7ffd, 0x401150 <unfinished ...>\nputs(\"x\") = 6\n", "strace or ltrace"},
	{"OS Version: 10.0.19041, Trace Size: 12345KB, Events Lost: 0\n", "report of xperf"},
	{"desc: (none)\ncmd: ./x 1\ntime_unit: i\n", "massif"},
	{"% time     seconds  usecs/call     calls    errors syscall\n", "counts of strace"},
	{"     0.018 ( 0.000 ms): ls/145954 close(fd: 3)                            = 0\n", "perf trace"},
	{"         ? (         ): ls/145954  ... [continued]: execve())             = 0\n", "perf trace"},
	{"\n Summary of events:\n\n ls (2034), 310 events, 99.4%\n", "counts of perf trace"},
	{"{\"linux-perf-json-version\": 1, \"headers\": {}, \"samples\": []}", "perf data convert"},
	{"{\"counter-value\" : \"12.5\", \"unit\" : \"msec\", \"event\" : \"task-clock\"}\n", "counts of perf stat"},
	{"==12345== Memcheck, a memory error detector\n==12345== Command: ./a 12\n", "log of valgrind"},
	{"<?xml version=\"1.0\"?>\n\n<valgrindoutput>\n", "log of valgrind as XML"},
	{"=================================================================\n==1234==ERROR: AddressSanitizer\n", "sanitizer"},
	{"--------\n-- Metadata\n--------\nInvocation:       /usr/bin/cg_annotate x\nCommand:          ./a\nEvents recorded:  Ir\n", "cg_annotate"},
	{"Total: 72 samples\n      20  27.8%  27.8%       72 100.0% work\n", "report of google-pprof"},
	{"Total: 1.2 MB\n     0.6  50.0%  50.0%      0.6  50.0% f\n", "jeprof"},
	{"Total: 720ms\nROUTINE ======================== main.f in /x.go\n", "listing of pprof"},
	{"digraph \"app\" {\nnode [style=filled]\n", "Graphviz"},
	{"granularity: each sample hit covers 4 byte(s) for 0.50% of 2.00 seconds\n", "the report of gprof"},
	{"Functions sorted by metric: Exclusive Total CPU Time\n", "gprofng"},
	{"CPU: Intel Haswell, speed 3500 MHz (estimated)\nCounted CPU_CLK_UNHALTED events with a unit mask of 0x00 count 100000\n", "OProfile"},
	{"samples  %        symbol name\n100       50.0000  f\n", "OProfile"},
	{"# DURATION     TID     FUNCTION\n            [ 28141] | main() {\n", "trace of uftrace"},
	{"[12:00:00.123456789] (+?.????" "????" "?) host a: { cpu_id = 0 }, { n = 1 }\n", "trace of LTTng"},
	{"\xC1\x1F\xFC\xC1xxxx", "trace in CTF"},
	{"\x17\x08\x44tracing6", "trace of trace-cmd"},
	{"cpus=4\n            bash-1977  [000] 17284.993652: sched_switch: x\n", "report of trace-cmd"},
	{"# HELP go_goroutines Number of goroutines.\n# TYPE go_goroutines gauge\ngo_goroutines 7\n", "metrics"},
	{"# TYPE a counter\na_total 7\n", "metrics"},
	{"CMDLINE /usr/bin/python3 x.py 100\nMEM 1.953125 1700000000.1234\n", "mprof"},
	{"\n  _     ._   __/__   _ _  _  _ _/_   Recorded: 10:01:30  Samples:  230\n /_//_/// /_\\ / //_// / //_'/ //     Duration: 2.345     CPU time: 1.234\n", "text of pyinstrument"},
	{"Timer unit: 1e-06 s\n\nTotal time: 0.5 s\n", "line_profiler"},
	{"Filename: x.py\n\nLine #    Mem usage    Increment  Occurrences   Line Contents\n", "memory_profiler"},
	{"Clock type: CPU\nOrdered by: totaltime, desc\n", "yappi"},
	{"0 usleep <internal>:-1\n1 <main> <internal>:-1\n\n", "phpspy"},
	{"{\"main()==>strlen\":{\"ct\":1,\"wt\":12},\"main()\":{\"ct\":1,\"wt\":1234}}", "xhprof"},
	{"a:1:{s:14:\"main()==>strlen\";a:2:{s:2:\"ct\";i:1;s:2:\"wt\";i:12;}}", "xhprof"},
	{"[events]\n0 1 0 0\n", "SPX"},
	{"file-format: BlackfireProbe\ncost-dimensions: wt\n", "Blackfire"},
	{"Nettrace\x14", "trace of .NET"},
	{"tr\xFDPx", "Tracy"},
	{"MMPD\x09", "rustc"},
	{"\x81rforpl\xFFx", "profile of LLVM"},
	{"Function,CPU Time,CPU Time:Effective Time,Module\nf,1.5,1.5,app\n", "VTune"},
	{"==1234== NVPROF is profiling process 1234, command: ./a\n", "nvprof"},
	{"{\"profile\": {\"samples\": [{\"stack_id\": 0}], \"stacks\": [[0]], \"frames\": [{\"function\": \"f\"}]}}", "Sentry"},
	{"{\"name\":\"root\",\"value\":10,\"children\":[]}", "d3-flame-graph"},
	{"Measure Mode: wall_time\nThread ID: 12345\n", "ruby-prof"},
	{"% self  % total  name\n 50.00   100.00  f - x.rb:1\n", "rbspy"},
	{"JAVA PROFILE 1.0.1, created Thu Jan  1 00:00:00 1970\n", "old profiler of Java"},
	{"--- Execution profile ---\nTotal samples       : 1234\n", "async-profiler"},
	{"{\"data\":[{\"traceID\":\"1\",\"spans\":[]}]}", "Jaeger"},
	{"@reads[bash]: 5\n@reads[ls]: 3\n", "without stacks"},
	{"@: 5\n", "without stacks"},
	{"Date/Time:        2023-01-01 10:00:00 +0000\nOS Version:       macOS 13.1\nReport Version:   40\n", "spindump"},
	{"@ CPU_CLK_UNHALTED_CORE [9 samples]\n\n12.50%  [1]  foo @ /bin/x\n", "pmcstat"},
	{"12 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n", "TAU"},
	{"reading file \"heaptrack.app.zst\" - please wait\nDebuggee command was: ./app\n", "heaptrack_print"},
	{"___ Begin jemalloc statistics ___\n", "statistics of jemalloc"},
	{"panic: x\n\ngoroutine 1 [running]:\nmain.main()\n", "stacks of goroutines"},
	{"H4sIAAAAAAAAA0u0TlIw5AIA\n", "base64"},
	{"\\x1f8b0800\n", "hexadecimal"},
	{"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "Git LFS"},
	{"<!DOCTYPE HTML PUBLIC \"x\">\n", "page of HTML"},
	{"\n<!DOCTYPE html>\n", "page of HTML"},
	{"openat@SYS(AT_FDCWD, \"/etc/ld.so.cache\", 0x80000, 00) = 3\n", "strace or ltrace"},
	{"SYS_openat(0xffffff9c, 0x7f3a, 0x80000, 0)       = 3\n", "strace or ltrace"},
	{"processor\t: 0\ncore id\t\t: 3\n", "cpuinfo"},
	{"133 337 342\n70 222 304\n", "table of numbers"},
	{" -0.18e+01  8.5e-01\r\n  1.5\t-3.25\r\n", "table of numbers"},
	{"4000873412/4294967295 1881463335/32 6 0:65535 17\n4000873422/4294967295 18814/32 6 0:65535 18\n", "table of numbers"},
	{"round1, 1.08, 1.10\nround2, 1.15, 1.06\n", "CSV"},
	{", 11, 12\n, 1.12, 1.13\n", "CSV"},
	{"real 67.42\nuser 67.20\nsys 0.01\n", "what time prints"},
	{"     2 __might_sleep                              0.0038\n    14 do_syscall_64                              0.1200\n", "readprofile"},
	{"\n  sshd                                                             12\n  bash                                                            130\n",
	"table of names and numbers"},
	{"cpu,host=a usage_idle=99.5,usage_user=0.5 1434055562000000000\nmem,host=a free=12i 1434055562000000000\n", "InfluxDB"},
	{"MEM 1.953125 1700000000.1234\nMEM 2.0 1700000000.2234\n", "mprof"},
	{"MDMP\x93\xA7", "minidump"},
	{"2CRTx", "Unreal"},
	{"        -:    0:Source:a.c\n        -:    0:Graph:a.gcno\n", "gcov"},
	{"\n ------------------\n  Task                  |   Runtime ms  | Switches | Average delay ms |\n", "perf sched"},
	{"           time    cpu  task name                       wait time  sch delay   run time\n", "perf sched"},
	{"[{\"traceId\":\"5af7\",\"id\":\"5af7\",\"localEndpoint\":{\"serviceName\":\"a\"}}]", "Zipkin"},
	{"Line #, Process, Stack, Count\r\n1, app.exe (34020), , 1581\r\n2, , [Root], 1579\r\n", "Windows Performance Analyzer"},
	{"Line #, DPC/ISR, Module, Stack, Count, Weight (in view) (ms), TimeStamp (s), % Weight\n6, , ,   |    |- a.sys!f, 40246, 39.992,941, , 4,13\n",
	"Windows Performance Analyzer"},
	{"\xEF\xBB\xBFProcess,Count,Weight (in view) (ms)\napp.exe (8872),12,11.99\n", "Windows Performance Analyzer"},
	{"Process,Thread ID,Stack\napp.exe (8872),6148,[Root]/ntdll.dll!RtlUserThreadStart/app.exe!main\n", "Windows Performance Analyzer"},
	{"BeginHeader\r\n                P-Start,  TimeStamp,     Process Name ( PID),  ParentPID\r\n", "dump of xperf"},
	/* a line of JSON that would be a head of perf's text: "… 21 types: …" */
	{"{\"n\": \"468 events of 21 types: a b\", \"c\": 1}\n\n", "was not recognised"}
};

static void
test_lookalikes(void)
{
	unit_case("files that are not read are named");
	for (size_t i = 0; i < COUNT(lookalikes); i++)
		check_fails(lookalikes[i].text, options_of(FG_FORMAT_AUTO), FG_ERROR_SYNTAX, 0, 0, lookalikes[i].reason);
}

/* Those that have zeros among their bytes. */
static void
test_binary_lookalikes(void)
{
	static const char wide[] = "main;f 1\nmain;g 2\n";
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	char		bytes[512] = "out.perf";
	uint8_t	   *once;
	uint8_t	   *twice;
	size_t		size;

	unit_case("archives, text in UTF-16, and what was packed twice");
	memcpy(bytes + 257, "ustar  ", 7);
	recording_fails(bytes, sizeof(bytes), &options, FG_ERROR_SYNTAX, "archive of tar");
	for (size_t first = 0; first < 2; first++)
	{
		memset(bytes, 0, sizeof(bytes));
		for (size_t i = 0; i < sizeof(wide) - 1; i++)
			bytes[2 * i + first] = wide[i];
		recording_fails(bytes, 2 * (sizeof(wide) - 1), &options, FG_ERROR_SYNTAX, "UTF-16");
	}
	recording_fails("\x7F" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0", 18, &options, FG_ERROR_SYNTAX, "core dump");
	recording_fails("\x7F" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 18, &options, FG_ERROR_SYNTAX, "a program or a library");
	recording_fails("\x10\0\4FxT\x16\0", 8, &options, FG_ERROR_SYNTAX, "trace of Fuchsia");
	recording_fails("\x14\0\0\0!FastSerialization.1", 24, &options, FG_ERROR_SYNTAX, "heap dump of .NET");
	for (char width = 1; width <= 2; width++)
	{
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, "\0\2\0\0\xB8\1", 6);
		memcpy(bytes + 0x48, "\2\0\0\xC0\x6C\1", 6);
		bytes[0x4A] = width;
		recording_fails(bytes, 0x200, &options, FG_ERROR_SYNTAX, "event log of Windows (ETL)");
		bytes[4] = 0;
		bytes[5] = 4;
		recording_fails(bytes, 0x200, &options, FG_ERROR_SYNTAX, "was not recognised");
	}
	recording_fails("PD3U\1\0\5\0\x28\x10\x21\x20\0\0\0\0", 16, &options, FG_ERROR_SYNTAX, "Unity's Profiler");
	recording_fails("PD3U\1\0\5\0\x28\x10\x21\x30\0\0\0\0", 16, &options, FG_ERROR_SYNTAX, "was not recognised");
	once = gzipped(wide, sizeof(wide) - 1, &size);
	twice = gzipped(once, size, &size);
	recording_fails(twice, size, &options, FG_ERROR_SYNTAX, "gzip twice");
	free(once);
	free(twice);
}

/* A text of this many bytes between two others; to be freed. */
static char *
long_text(const char *start, const char *part, size_t size, const char *end)
{
	char	   *text = malloc(strlen(start) + size + strlen(part) + strlen(end) + 1);
	char	   *to = stpcpy(text, start);

	for (size_t done = 0; done < size; done += strlen(part))
		to = stpcpy(to, part);
	strcpy(to, end);
	return text;
}

static void
test_long_heads(void)
{
	static const char *const folded[] = {
		"execve(void);load 3\n", "write(int, char);f 1\n", "operator=(A const&);f(B) = 2\n", "@main;f 5\n", "@f: 5;g 5\n", "==1==;f 2\n", "Total;f 3\n",
		"[events];f 1\n", "cpu;digraph 3\n",
		"1;2 3\n4;5 6\n", "1 2\n", "a.c:5/7 3 2\na.c:6/7 3 2\n", "1:2 3\n4:5 6\n", "draw (in view), f;g 3\n", "Line #, a;b 1\n2, a;b 1\n", "a,b\t1 2\nc,[Root]/d;e 3\n", "  main;f  3\n  main;g  4\n", "MEM;f 1 2\nMEM;g 1 3\n", "f(int, int) 1\ng(a, b) 2\n", "a;b, 3\na;c, 4\n", "a operator=(A) 1000000000\nb c=1 1000000000\n"
	};
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	char	   *text;

	unit_case("folded: names that look like what other tools write");
	for (size_t i = 0; i < COUNT(folded); i++)
	{
		if (!CHECK(recording_read(&ctx, folded[i], strlen(folded[i]), 0, &options, &recording)))
			continue;
		CHECK_COUNT(recording.format, FG_FORMAT_FOLDED);
		fg_recording_free(&ctx, &recording);
	}
	unit_case("perf: a header that is longer than the head");
	text = long_text("# ========\n# captured on    : Sat Nov 28 12:16:41 2026\n", "#      L3 Unified 32768K [0-7]\n", 100000,
					 "a 1 1.5: 9 cycles: \n\t90c0 g (o)\n\n");
	check_read(text, options, FG_FORMAT_PERF, "cpu cycles events 9", "a;g 9", "");
	free(text);
	unit_case("folded: a first line that is longer than the head");
	text = long_text("f", ";some.package.Class.method", 100000, " 3\n");
	if (CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
	{
		CHECK_COUNT(recording.format, FG_FORMAT_FOLDED);
		fg_recording_free(&ctx, &recording);
	}
	free(text);
	unit_case("JSON: what shows the format stands behind a long list");
	text = long_text("{\"timeDeltas\":[0", ",0", 100000, "],\"samples\":[],\"nodes\":[{\"id\":1,\"callFrame\":"
					 "{\"functionName\":\"(root)\"}}]}");
	CHECK(!recording_read(&ctx, text, strlen(text), 0, &options, &recording));
	CHECK(strstr(ctx.error.reason, "not recognised") == NULL);
	free(text);
	CHECK_COUNT(memory.blocks, 0);
	unit_case("text that is not UTF-8 is an error of its line");
	check_fails("caf\xE9 main 3\n", options, FG_ERROR_ENCODING, 1, 4, "UTF-8");
	check_fails("caf\xE9 1 1.5: 9 cycles: \n\t90c0 g (o)\n\n", options, FG_ERROR_ENCODING, 1, 0, "UTF-8");
}

/* What is read, and what is said of it. */
static void
check_warning(const char *text, const char *warning)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgRecording recording;

	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
		return;
	recording_warns(&recording, warning);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_folded_values(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);

	unit_case("folded: differences, and numbers of too many digits");
	check_warning("cksum;main 31 56\ncksum;cksum 6 2\n", "all lines end in two numbers");
	check_warning("main;g 9007199254740993\nf 1\n", "more digits than a double holds");
	check_warning("main;g -9007199254740993\nf 1\n", "more digits than a double holds");
	check_warning("main 1 9007199254740993\nf 2 1\n", "all lines end in two numbers|more digits than a double holds|no stack has more than one frame");
	check_warning("worker 1 5\nmain;g 9007199254740992\n", NULL);
	check_warning("forward 2\n# a;b\ndown 4\n", "no stack has more than one frame");
	check_warning("forward 2\n;down 4\n", NULL);
	check_warning("worker 1 5\n", NULL);
	check_read("worker 1 5\n", options, FG_FORMAT_FOLDED, "cpu  samples 0", "worker 1 5", "");
	check_read("worker 1 5\nmain 6\n", options, FG_FORMAT_FOLDED, "cpu  samples 0", "main 6\nworker 1 5", "");
	check_fails("a 1e308\nb 1e308\n", options, FG_ERROR_RANGE, 0, 0, "total of all samples is out of range");
	check_read("main 9007199254740992\n", options, FG_FORMAT_FOLDED, "cpu  samples 0", "main 9007199254740992", "");
}

/* What is read of a whole number that no double is, and that the recording tells so, once. */
static void
check_rounded(FgFormat format, const char *text, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(format);
	FgRecording recording;

	unit_case("%s: a whole number of too many digits", fg_format_names[format]);
	options.every = true;
	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
		return;
	recording_is(&ctx, &recording.profiles[0].complete, expected);
	recording_warns(&recording, "more digits than a double holds");
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

#define LARGE "9007199254740993"
#define EVEN "9007199254740992"

static void
test_rounded_values(void)
{
	check_rounded(FG_FORMAT_FOLDED, "f " LARGE "\n", "f " EVEN);
	check_rounded(FG_FORMAT_AUSTIN, "P1;T1;a.py:f:1 " LARGE "\n", "a.py:f:1 " EVEN);
	check_rounded(FG_FORMAT_PERF, "a 1 1.5: " LARGE " cycles: \n\t90c0 g (o)\n\n", "a;g " EVEN);
	check_rounded(FG_FORMAT_BPFTRACE, "@[\n    f+1\n]: " LARGE "\n", "f " EVEN);
	check_rounded(FG_FORMAT_STACKS, "\n    f\n        " LARGE "\n\n", "f " EVEN);
	check_rounded(FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n1 " LARGE "\n", "f " EVEN);
	check_rounded(FG_FORMAT_SPEEDSCOPE, "{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{\"type\":\"sampled\","
				  "\"unit\":\"bytes\",\"samples\":[[0]],\"weights\":[" LARGE "]}]}", "f " EVEN);
	check_rounded(FG_FORMAT_JFR, "{\"recording\":{\"events\":[{\"type\":\"jdk.ObjectAllocationSample\",\"values\":{\"weight\":" LARGE
				  ",\"stackTrace\":{\"truncated\":false,\"frames\":[{\"method\":{\"type\":{\"name\":\"A\"},\"name\":\"f\"},"
				  "\"lineNumber\":1,\"type\":\"Inlined\"}]}}}]}}", "A.f " EVEN);
	check_rounded(FG_FORMAT_HEAPPROFILE, "{\"head\":{\"callFrame\":{\"functionName\":\"(root)\",\"url\":\"\"},\"selfSize\":0,\"id\":1,"
				  "\"children\":[{\"callFrame\":{\"functionName\":\"f\",\"url\":\"\"},\"selfSize\":" LARGE ",\"id\":2,\"children\":[]}]}}",
				  "f " EVEN);
}

/* --- perf ----------------------------------------------------------------------------------- */

/* What an event is called depends on its own name alone. */
static void
test_perf_events(void)
{
	static const char *const events[][2] = {
		{"cycles", "cpu cycles events 9"},
		{"cycles:u", "cpu cycles:u events 9"},
		{"cycles:ppp", "cpu cycles:ppp events 9"},
		{"cpu-cycles:uhH", "cpu cpu-cycles:uhH events 9"},
		{"cycles/freq=199/u", "cpu cycles/freq=199/u events 9"},
		{"cycles/call-graph=fp,period=9/", "cpu cycles/call-graph=fp,period=9/ events 9"},
		{"cpu/cycles/ppp", "cpu cpu/cycles/ppp events 9"},
		{"cpu_core/cycles,period=9/P", "cpu cpu_core/cycles,period=9/P events 9"},
		{"cpu_atom/cpu-cycles/", "cpu cpu_atom/cpu-cycles/ events 9"},
		{"cpu-clock:uhH", "cpu cpu-clock:uhH nanoseconds 9"},
		{"task-clock:u", "task-clock task-clock:u nanoseconds 9"},
		{"ref-cycles", "ref-cycles ref-cycles events 9"},
		{"instructions:u", "instructions instructions:u events 9"},
		{"cpu_core/instructions/u", "instructions cpu_core/instructions/u events 9"},
		{"cpu/mem-loads,ldlat=30/P", "cpu/mem-loads,ldlat=30/ cpu/mem-loads,ldlat=30/P events 9"},
		{"cpu/event=0x3c,umask=0x0/k", "cpu/event=0x3c,umask=0x0/ cpu/event=0x3c,umask=0x0/k events 9"},
		{"power/energy-pkg/", "power/energy-pkg/ power/energy-pkg/ events 9"},
		{"intel_pt//", "intel_pt intel_pt// events 9"},
		{"page-faults/period=40/", "page-faults page-faults/period=40/ events 9"},
		{"sched:sched_switch", "sched:sched_switch sched:sched_switch events 9"},
		{"L1-dcache-load-misses:u", "L1-dcache-load-misses L1-dcache-load-misses:u events 9"}
	};
	FgReadOptions options = options_of(FG_FORMAT_PERF);

	unit_case("perf: what events are called");
	for (size_t i = 0; i < COUNT(events); i++)
	{
		char		text[200];

		snprintf(text, sizeof(text), "a 1 1.5: 9 %s: \n\t90c0 g (o)\n\n", events[i][0]);
		check_read(text, options, FG_FORMAT_PERF, events[i][1], "a;g 9", "");
	}
}

static bool
take_time(void *arg, const FgTimed *timed)
{
	(void) timed;
	(*(int *) arg)++;
	return true;
}

/* How many samples with times are read, or an error of this line; of one event or of all. */
static void
check_times(const char *text, const char *selection, int samples, uint64_t line, const char *reason)
{
	int			taken = 0;
	FgTaker		taker = {take_time, &taken, 0};
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	options.taker = &taker;
	options.selection = selection;
	if (reason != NULL)
		CHECK_COUNT(recording_fails(text, strlen(text), &options, FG_ERROR_RANGE, reason).line, line);
	else if (CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
		fg_recording_free(&ctx, &recording);
	if (reason == NULL)
		CHECK_COUNT(taken, samples);
	CHECK_COUNT(memory.blocks, 0);
}

/* perf record --off-cpu gives sums a time that is none, from 2^64 - 2^32 nanoseconds on; later versions have samples besides. */
static void
test_perf_times(void)
{
	static const char text[] = "sh     7 [000]   100.414584:    2528851 cycles: \n\t7f0935280e4c main+0x10 (/bin/sh)\n\n"
		"sh     7 [000]   101.414584:    2528851 offcpu-time: \n\t7f0935280e4c read+0x10 (/lib/libc.so.6)\n\n"
		"sh     7 [000] 18446744069.414584:    2528851 offcpu-time: \n\t7f0935280e4c read+0x10 (/lib/libc.so.6)\n\n";

	unit_case("perf: times that no clock shows");
	check_times(text, NULL, 0, 7, "this is a sum of offcpu-time, of which perf does not say when it was");
	check_times(text, "offcpu-time", 0, 7, "this is a sum of offcpu-time");
	check_times(text, "cycles", 1, 0, NULL);
	check_times("sh     7 [000] 18446744073.709551:    2528851 cycles: \n\t7f0935280e4c main+0x10 (/bin/sh)\n\n", NULL, 0, 1, "a time is too large");
}

static void
test_perf_threads(void)
{
	unit_case("perf: the time that threads slept");
	check_read("sh 1410180 [000] 18446744069.414584:    2528851 offcpu-time: \n\t7f0935280e4c read+0x10 (/lib/libc.so.6)\n\n",
			   options_of(FG_FORMAT_AUTO), FG_FORMAT_PERF, "offcpu-time offcpu-time nanoseconds 2528851", "sh;read 2528851", "");
	test_perf_times();
	unit_case("perf: a frame behind the text of an event");
	check_read("     fio 236193/236193 [021] 1.791544:          1    block:block_rq_issue: 259,76 R 4096 () 57622160 + 8 [fio] "
			   "ffffffff8beead90 blk_mq_start_request ([kernel.kallsyms])\n"
			   "     fio 236193/236193 [021] 1.791628:          1    block:block_rq_issue: 259,76 R 4096 () 82612968 + 8 [fio] "
			   "          401b94 main+0x1c (/bin/fio)\n", options_of(FG_FORMAT_AUTO), FG_FORMAT_PERF,
			   "block:block_rq_issue block:block_rq_issue events 1", "fio;blk_mq_start_request_[k] 1\nfio;main 1", "");
	check_read("            :256     256 [016] 105373.359913:   vpa-dtl: timebase: 214036, waiting_to_ready_time:511842115 "
			   "c0000000000fcd28 plpar_hcall+0x18 ([kernel.kallsyms])\n", options_of(FG_FORMAT_AUTO), FG_FORMAT_PERF,
			   "vpa-dtl vpa-dtl samples 0", ":256;plpar_hcall_[k] 1", "");
	check_read("a 7 [001] 1.5:   1 sched:sched_waking: comm=x pid=5 401b94 main (/bin/a)\n\n", options_of(FG_FORMAT_PERF), FG_FORMAT_PERF,
			   "sched:sched_waking sched:sched_waking events 1", "a 1", "");
	unit_case("perf: a thread that perf does not know");
	check_read(":-1      -1 [111] 150135.364248:     372482 cycles:P: \n\tffffffff810a3c1e g+0x1 ([kernel.kallsyms])\n\n",
			   options_of(FG_FORMAT_AUTO), FG_FORMAT_PERF, "cpu cycles:P events 372482", ":-1;g_[k] 372482", "");
}

static void
test_perf(void)
{
	static const char two[] =
		"Web Content 12/34 [001] 1.500000:    250 cycles:u: \n"
		"\tffffffff810a3c1e do_syscall_64+0x71 ([kernel.kallsyms])\n"
		"\t    55d0c1a2b3c4 operator new(unsigned long)+0x24 (/memfd:x (deleted))\n"
		"\t    55d0c1a2b3c5 [unknown] (/usr/lib/x.so)\n"
		"\n"
		"Web Content 12/34 [001] 1.600000:    150 cycles:u: \n"
		"\t    55d0c1a2b3c4 inner (inlined)\n"
		"\tffffffff810a3c1e [unknown] ([kernel.kallsyms])\n";
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgReadOptions threads = options;
	FgReadOptions address = options;
	FgReadOptions line = options;
	FgReadOptions deep = options;

	threads.threads = true;
	address.frame_style = FG_FRAME_ADDRESS;
	line.frame_style = FG_FRAME_LINE;
	deep.max_depth = 3;
	unit_case("perf: symbols, kernel, objects, periods");
	check_read(two, options, FG_FORMAT_PERF, "cpu cycles:u events 0",
			   "Web Content;[kernel];inner 150\n"
			   "Web Content;[unknown];operator new(unsigned long);do_syscall_64_[k] 250", "");
	check_read(two, threads, FG_FORMAT_PERF, "cpu cycles:u events 0",
			   "Web Content-12/34;[kernel];inner 150\n"
			   "Web Content-12/34;[unknown];operator new(unsigned long);do_syscall_64_[k] 250", "");
	check_read(two, address, FG_FORMAT_PERF, "cpu cycles:u events 0",
			   "Web Content;0x55d0c1a2b3c5;0x55d0c1a2b3c4;0xffffffff810a3c1e 250\n"
			   "Web Content;0xffffffff810a3c1e;0x55d0c1a2b3c4 150", "");
	check_read(two, deep, FG_FORMAT_PERF, "cpu cycles:u events 0", "Web Content;[kernel];inner 150",
			   "Web Content;[unknown];operator new(unsigned long);do_syscall_64_[k] 250");

	unit_case("perf: what is no address, in the upper half");
	check_read("main 7 1.5: 10 cycles: \n\tffffffffa2200002 [unknown] ([unknown])\n\t    5642 sort+0x2a8 (/main)\n"
			   "\tbebebebebebebebe [unknown] ([unknown])\n\tc008000000000000 [unknown]\n\n"
			   "main 7 1.6: 20 cycles: \n\tc000000000b2c3d4 [unknown] ([kernel.kallsyms])\n\tc000000000a1b2c3 read+0x4 ([unknown])\n\n",
			   options, FG_FORMAT_PERF, "cpu cycles events 0",
			   "main;[unknown];[unknown];sort;[kernel] 10\nmain;read_[k];[kernel] 20", "");

	unit_case("perf: places in source files");
	check_read("a 1 1.5: cpu-clock: \n\tab f+0x1 (o)\n  x.c:12\n\tac g (o)\n  ??:0\n\n", options,
			   FG_FORMAT_PERF, "cpu cpu-clock samples 0", "a;g;f 1", "");
	check_read("a 1 1.5: 7 cpu-clock: \n\tab f+0x1 (o)\n  x.c:12\n\tac g (o)\n  ??:0\n\n", line,
			   FG_FORMAT_PERF, "cpu cpu-clock nanoseconds 7", "a;g;f:12 7", "");

	/* as perf 6.1 prints what dwarf says was inlined */
	check_read("a 1 1.5: 7 cpu-clock: \n\tab __GI___libc_malloc+0x199\n  malloc.c:3315 (inlined)\n\tac g (o)\n  ??:0\n\n", line, FG_FORMAT_PERF,
			   "cpu cpu-clock nanoseconds 7", "a;g;__GI___libc_malloc:3315 7", "");

	unit_case("perf: any blocks, any failure");
	recording_check_blocks(two, sizeof(two) - 1, 1, &options);
	recording_sweep("perf", two, sizeof(two) - 1, &options, 1);
}

static void
test_frame_styles(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgReadOptions address = options;
	FgReadOptions line = options;

	address.frame_style = FG_FRAME_ADDRESS;
	line.frame_style = FG_FRAME_LINE;
	unit_case("perf: places of which nothing is known");
	check_read("a 1 1.5: c: \n\tab f+0x1 (o)\n  x.c:12\n\tac g (o)\n  libc.so.6[29d90]\n\tad h (o)\n  h+4\n"
			   "\tae i (o)\n  ??:?\n\n", line, FG_FORMAT_PERF, "c c samples 0", "a;i;h;g;f:12 1", "");
	unit_case("perf: places are asked for, and there are none");
	check_fails("a 1 1.5: c: \n\tab f+0x1 (o)\n  f+4\n\n", line, FG_ERROR_ARGUMENT, 0, 0,
				"the recording has no lines of source files");
	check_fails("a 1 1.5: c: \n\tab f+0x1 (o)\n  []\n\n", options, FG_ERROR_SYNTAX, 3, 1,
				"this is not a frame of a sample");
	unit_case("perf: symbols were not printed; [unknown] is one that perf looked for");
	check_fails("a 1 1.5: c: \n\tab (o)\n\tac\n\n", options, FG_ERROR_ARGUMENT, 0, 0, "printed without symbols");
	check_fails("\tab\n\n\tac\n\n", options_of(FG_FORMAT_PERF), FG_ERROR_ARGUMENT, 0, 0, "printed without symbols");
	check_read("a 1 1.5: c: \n\tab (o)\n\tac\n\n", address, FG_FORMAT_PERF, "c c samples 0", "a;0xac;0xab 1", "");
	check_read("a 1 1.5: c: \n\tab [unknown] (o)\n\n", options, FG_FORMAT_PERF, "c c samples 0", "a;[unknown] 1", "");
	check_read("a 1 1.5: c: \n\n", options, FG_FORMAT_PERF, "c c samples 0", "a 1", "");
	unit_case("styles that a format does not have");
	check_fails("a;b 1\n", line, FG_ERROR_ARGUMENT, 0, 0, "format folded has no lines");
	check_fails("a;b 1\n", address, FG_ERROR_ARGUMENT, 0, 0, "format folded has no addresses");
}

static void
test_perf_fewer_fields(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);

	unit_case("perf: fewer fields");
	check_read("a b 1\n\tab f (o)\n\na b 1\n\tab f (o)\n\n", options, FG_FORMAT_PERF,
			   "cpu  samples 1", "a b;f 2", "");
	check_read("\tab f\n\tac g\n\n\tab f\n\tac g\n", options_of(FG_FORMAT_PERF), FG_FORMAT_PERF,
			   "cpu  samples 1", "g;f 2", "");
	check_read("work 27918/27918 \n\tab f\n\n", options, FG_FORMAT_PERF, "cpu  samples 0", "work;f 1", "");
	check_read("12 1.5: 3 faults: \n\tab f (o)\n\n", options, FG_FORMAT_PERF, "faults faults events 3",
			   "f 3", "");
	check_read("      ed 12 1.5: cycles: \n      ed 12 1.6: cycles: \n", options, FG_FORMAT_PERF,
			   "cpu cycles samples 1", "ed 2", "");
	check_read("      ed    12         40 page-faults/period=40/:   7f f (o)\n"
			   "      ed    12         40 page-faults/period=40/:   7f f (o)\n", options, FG_FORMAT_PERF,
			   "page-faults page-faults/period=40/ events 40", "ed;f 80", "");
	check_read("a 1 [000] 1.5: kmem:kfree: call_site=ab ptr=(nil)\n\tab f (o)\n\n", options,
			   FG_FORMAT_PERF, "kmem:kfree kmem:kfree samples 0", "a;f 1", "");
}

/* Fields that are not the usual ones: frames come from below the head, or it is an error. */
static void
test_perf_other_fields(void)
{
	FgReadOptions options = options_of(FG_FORMAT_PERF);

	unit_case("perf: addresses of data, and what the memory said of them");
	check_read("ls  9592  1392.268676:          1 page-faults:     5556de14b5c0 __progname+0x0 (/usr/bin/ls)\n"
			   "\tffffffff817554ea elf_load+0x28a ([kernel.kallsyms])\n"
			   "\tffffffff81755b8a load_elf_binary+0x66a ([kernel.kallsyms])\n\n", options_of(FG_FORMAT_AUTO),
			   FG_FORMAT_PERF, "page-faults page-faults events 1",
			   "ls;load_elf_binary_[k];elf_load_[k] 1", "");
	check_read("cc1 12 [001] 1.5: 250 cpu/mem-loads,ldlat=30/P:     7f0012345678 68100142 |OP LOAD|LVL L1 hit|"
			   "SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A \n\t55d0c1a2b3c4 main+0x24 (/bin/web)\n\n", options,
			   FG_FORMAT_PERF, "cpu/mem-loads,ldlat=30/ cpu/mem-loads,ldlat=30/P events 250", "cc1;main 250", "");
	check_fails("ls 1 1.5: 1 page-faults:     7f9e4c956408 [unknown] (//anon)     563ecf3b752d f (/bin/x)\n", options,
				FG_ERROR_SYNTAX, 1, 1, "several addresses");
	check_fails("ls 1 1.5: 1 page-faults:     7f9e4c956408 [unknown]     563ecf3b752d f\n", options,
				FG_ERROR_SYNTAX, 1, 1, "several addresses");

	unit_case("perf: fields between the command and the period");
	check_read("bash  9461 K    1389.802680:    2004008 cpu-clock: \n\tffffffff813d8e0f f+0x2f ([kernel.kallsyms])\n\n"
			   "bash  9461 U    1389.815219:          2 cpu-clock: \n\t90c0 g+0x360 (/usr/lib/ld.so)\n\n", options,
			   FG_FORMAT_PERF, "cpu cpu-clock nanoseconds 0", "bash;f_[k] 2004008\nbash;g 2", "");
	check_read(" 1389.802680:    2004008 cpu-clock: \n\t90c0 g (o)\n\n", options, FG_FORMAT_PERF,
			   "cpu cpu-clock nanoseconds 2004008", "g 2004008", "");
	check_read("bash 1389.802680: cpu-clock: \n\t90c0 g (o)\n\n", options, FG_FORMAT_PERF,
			   "cpu cpu-clock samples 0", "bash;g 1", "");
	check_read("bash     250000 cpu-clock: \n\t90c0 g (o)\n\n", options, FG_FORMAT_PERF,
			   "cpu cpu-clock nanoseconds 250000", "bash;g 250000", "");
	check_read("bash  5993 VM:  42 VCPU:003 [001] U      2026-11-23 10:00:00.123456 1389.802680: cpu-clock: \n"
			   "\t90c0 g (o)\n\n", options, FG_FORMAT_PERF, "cpu cpu-clock samples 0", "bash;g 1", "");
	check_fails("  5993     250000 \n\t90c0 g (o)\n\n", options, FG_ERROR_SYNTAX, 1, 1,
				"its number may be the process or the period");
	check_fails("bash  5993     250000 \n\t90c0 g (o)\n\n", options, FG_ERROR_SYNTAX, 1, 1,
				"its number may be the process or the period");
	check_fails("bash U         250000 cpu-clock: \n\t90c0 g (o)\n\n", options, FG_ERROR_SYNTAX, 1, 1,
				"not clear where its command ends");
	check_fails("bash 5993 x 1389.8: 1 cpu-clock: \n\t90c0 g (o)\n\n", options, FG_ERROR_SYNTAX, 1, 1,
				"a field before its time is not known");
	check_fails("bash 5993 12:00:01.5: 9 cpu-clock: \n\t90c0 g (o)\n\n", options, FG_ERROR_SYNTAX, 1, 1, "a time in this form is not known");
	check_fails("bash 5993 [001] 1389,8: 1 cpu-clock: \n\t90c0 g (o)\n\n", options, FG_ERROR_SYNTAX, 1, 1, "a time in this form is not known");
	check_fails("bash 5993 x [001] cpu-clock: \n\t90c0 g (o)\n\n", options, FG_ERROR_SYNTAX, 1, 1,
				"not the head of a sample");

}

/* As perf's sources print the fields insn, disasm and ipc. */
static void
test_perf_instructions(void)
{
	FgReadOptions options = options_of(FG_FORMAT_PERF);

	unit_case("perf: instructions, as bytes and as texts, of samples with and without a call chain");
	check_read("            perf 17423 [000] 423271.557970005:          9 cycles:      7f2d95f16217 __GI___ioctl+0x7 (/lib/libc-2.27.so)\t\tcmpq $-0xfff, %rax\n"
			   "            perf 17423 [000] 423271.557970338:          9 cycles:      5593ad3346db f\t\tadd (%rax), %rbx\n"
			   "            perf 17423 [000] 423271.557970338:          9 cycles:      5593ad3346db g ilen: 3 insn: 48 8b 50\t\tmovq 0x20(%rax), %rdx\n"
			   "            perf 17423 [000] 423271.557970338:          9 cycles:      5593ad3346db h 0x1/0x2/P/-/-/0 \t\tretq\n",
			   options, FG_FORMAT_PERF, "cpu cycles events 9", "perf;__GI___ioctl 9\nperf;f 9\nperf;g 9\nperf;h 9", "");
	check_read("web    12 [001]     1.500000:          9 cycles: \n\t    55d0c1a2b3c4 f+0x24 (/bin/web)\n\t    55d0c1a2b3c5 main+0x1 (/bin/web)\n\t\tmovq 0xa8(%r12), %rax\n"
			   "web    12 [001]     1.500000:          9 cycles: \n\t    55d0c1a2b3c4 f+0x24 (/bin/web)\n\t    55d0c1a2b3c5 main+0x1 (/bin/web)\n\t\tadd $8, %rsp\n"
			   "web    12 [001]     1.500000:          9 cycles: \n\t    55d0c1a2b3c4 f+0x24 (/bin/web)\n\t    55d0c1a2b3c5 main+0x1 (/bin/web)\n\t\t48 8b 84 24\n"
			   "web    12 [001]     1.500000:          9 cycles: \n\t    55d0c1a2b3c4 f+0x24 (/bin/web)\n\t    55d0c1a2b3c5 main+0x1 (/bin/web)\n ilen: 1 insn: c3\t\tretq \t IPC: 0.50 (1/2) \n"
			   "web    12 [001]     1.500000:          9 cycles: \n\t    55d0c1a2b3c4 f+0x24 (/bin/web)\n\t    55d0c1a2b3c5 main+0x1 (/bin/web)\n 0x1/0x2/P/-/-/0 \t\tretq\n"
			   "web    12 [001]     1.500000:          9 cycles: \n\t    55d0c1a2b3c4 f+0x24 (/bin/web)\n\t    55d0c1a2b3c5 main+0x1 (/bin/web)\n \t IPC: 0.50 (1/2) \n",
			   options, FG_FORMAT_PERF, "cpu cycles events 9", "web;main;f 54", "");
	check_read("web    12 [001]     1.500000:          9 cycles:      55d0c1a2b3c4 f\n  f.c:12\t\tadd $8, %rsp\n"
			   "web    12 [001]     1.500000:          9 cycles:      55d0c1a2b3c4 f \t IPC: 0.50 (1/2) \n", options, FG_FORMAT_PERF, "cpu cycles events 9", "web;f 18", "");
	/* instructions between branches are no frames, also where their function has no name, which stands in a line of its own */
	check_fails("web    12 [001]     1.500000:          9 cycles:      55d0c1a2b3c4 f\n\t000055d0c1a2b3c4\tinsn: 48 8b\n\n", options, FG_ERROR_SYNTAX, 2, 1,
				"an instruction between branches");
	check_fails("web    12 [001]     1.500000:          9 cycles:      55d0c1a2b3c4 f\n\tffffffff81000000\tinsn: c3                       \t# PRED 3 cycles\n\n", options,
				FG_ERROR_SYNTAX, 2, 1, "an instruction between branches");
	check_fails("web    12 [001]     1.500000:          9 cycles:      55d0c1a2b3c4 f\n\t000055d0c1a2b3c4\tjmp 0x401147\n\n", options, FG_ERROR_SYNTAX, 2, 1,
				"an instruction between branches");
	check_read("web 12 [001] 1.5: 9 cycles: \n\t401147\tmain (/bin/web)\n\tffffffff81000000\tg\n\n", options, FG_FORMAT_PERF, "cpu cycles events 9",
			   "web;g_[k];main 9", "");
	/* instructions without a place; the text of a tracepoint may have tabs */
	check_read("web    12 [001]     1.500000:          9 cycles: \t\tadd $8, %rsp\nweb    12 [001]     1.500000:          9 cycles: \t\tcall f+0x1\n", options, FG_FORMAT_PERF,
			   "cpu cycles events 9", "web 18", "");
	check_read("a 7 [001] 1.5: 1 ftrace:print: x: a\t\tb           401b94 main (/bin/a)\n\n", options, FG_FORMAT_PERF,
			   "ftrace:print ftrace:print events 1", "a;main 1", "");
	/* texts that were indented by another tab */
	check_read("\tweb 12 [001] 1.5: 9 cycles: \n\t\t55d0c1a2b3c4 f+0x24 (/bin/web)\n\t\t  f.c:12\n\t\t55d0c1a2b3c5 main+0x1 (/bin/web)\n\t\t 0x1/0x2/P/-/-/0 \n\n",
			   options, FG_FORMAT_PERF, "cpu cycles events 9", "web;main;f 9", "");
	check_read("web    12 [001]     1.500000:          9 cycles: \n\t\t    55d0c1a2b3c4 f+0x24 (/bin/web)\n\t\tffffffff81000000 g ([kernel.kallsyms])\n\t\t401020 main (/bin/web)\n"
			   "\t\t0x401020 start (/bin/web)\n\n", options, FG_FORMAT_PERF, "cpu cycles events 9", "web;start;main;g_[k];f 9", "");
}

static void
test_perf_other_lines(void)
{
	FgReadOptions options = options_of(FG_FORMAT_PERF);

	unit_case("perf: branch stacks, instructions and registers are no frames");
	check_read("web 12 [001] 1.5: 250 cycles: \n\t55d0c1a2b3c4 main+0x24 (/bin/web) 0x1/0x2/P/-/-/0  0x3/0x4/M/-/-/12 \n\n",
			   options, FG_FORMAT_PERF, "cpu cycles events 250", "web;main 250", "");
	check_read("web 12 [001] 1.5: 250 cycles: \n\t55d0c1a2b3c4 main+0x24 (/bin/web)\n 0x1/0x2/P/-/-/0 \n"
			   "web 12 [001] 1.6: 250 cycles:  55d0c1a2b3c4 f+0x24 (/bin/web) ilen: 6 insn: 48 89\n", options,
			   FG_FORMAT_PERF, "cpu cycles events 250", "web;f 250\nweb;main 250", "");
	/* later versions of perf say of branches whether they were not taken (N), and of what kind they are */
	check_read("web 12 [001] 1.5: 250 cycles: \n\t55d0c1a2b3c4 main+0x24 (/bin/web)\n 0x1/0x2/PN/-/-/0/COND/-  0x3/0x4/MN/-/-/12//- \n\n"
			   "web 12 [001] 1.6: 250 cycles: 55d0c1a2b3c4 f+0x24 0x1/0x2/PN/-/-/0/COND/- \n", options, FG_FORMAT_PERF, "cpu cycles events 250", "web;f 250\nweb;main 250", "");
	check_read("web 12 [001] 1.5: 250 cycles: 55d0c1a2b3c4 main ilen: 6 insn: 48 89\n"
			   "web 12 [001] 1.6: 250 cycles: 55d0c1a2b3c4 f+0x24 ABI:2    AX:0x7f IP:0x55d0\n", options, FG_FORMAT_PERF, "cpu cycles events 250",
			   "web;f 250\nweb;main 250", "");
	check_fails("web 12 [001] 1.5: 250 cycles: 55d0 main+0x24 operator new(unsigned long)+0x24/f+0x0/P/-/-/0 \n", options, FG_ERROR_SYNTAX, 1, 1,
				"behind the frame's offset is not known");
	check_fails("web 12 [001] 1.5: 250 cycles: 55d0 f (/bin/x) what: 1\n", options, FG_ERROR_SYNTAX, 1, 1,
				"behind the frame's object is not known");
	check_fails("web 12 [001] 1.5: 250 cycles: |OP LOAD|\n", options, FG_ERROR_SYNTAX, 1, 1,
				"behind the event is not known");
	unit_case("perf: frames that belong to no sample");
	check_fails("a 26037 8801.19: 250000 cpu-clock:u: \n\n\t401b94 main+0x1c (./a)\n\n", options,
				FG_ERROR_SYNTAX, 3, 1, "belongs to no sample");
	check_fails("\t401b94 main+0x1c (./a)\n\na 26037 8801.19: 250000 cpu-clock:u: \n\n", options,
				FG_ERROR_SYNTAX, 3, 1, "those before it have none");

	unit_case("perf: what was cut off");
	check_fails("a 1 [001] 1.5: 9 cycles: \n\t401000 leaf+0x1 (/bin/a)\n\t401020 midd", options,
				FG_ERROR_SYNTAX, 3, 1, "the last line has no end");
	check_fails("a 1 [001] 1.5: 9 cycles: \n\t401000 f() (/bin/a (deleted)", options, FG_ERROR_SYNTAX, 2, 1, "the last line has no end");
	check_fails("a 1 [001] 1.5: 9 cycles:", options, FG_ERROR_SYNTAX, 1, 1, "the last line has no end");
	check_read("a 1 [001] 1.5: 9 cycles: \n\t401000 f() (/bin/a (deleted))", options,
			   FG_FORMAT_PERF, "cpu cycles events 9", "a;f() 9", "");
	check_fails("a 1 [001] 1.5: 9 cycles: \n\t401000 start_thread (/lib/x86_64-linux-gnu\n\n", options,
				FG_ERROR_SYNTAX, 2, 1, "is not closed");

	unit_case("perf: frames that lost their indent");
	check_read("java 25375 1.5: cpu-clock: \n7f00 f (/a.so)\n7f01 g (/a.so)\n\n", options_of(FG_FORMAT_AUTO),
			   FG_FORMAT_PERF, "cpu cpu-clock samples 0", "java;g;f 1", "");
}

static void
test_perf_errors(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgReadOptions other = options;

	other.selection = "z";
	unit_case("perf: errors");
	check_fails("a 1 1.5: cycles: \n\tab f (o)\n\nnonsense\n", options, FG_ERROR_SYNTAX, 4, 1,
				"not the head of a sample");
	check_fails("a 1 1.5: cycles: \n\tab f (o)\n\tg (o)\n", options, FG_ERROR_SYNTAX, 3, 1,
				"not a frame");
	check_fails("a 1 1.5: cycles: \n\tab f\xFF (o)\n\n", options_of(FG_FORMAT_PERF),
				FG_ERROR_ENCODING, 1, 0, "UTF-8");
	check_fails("a 1 1.5: x: \n\tab f (o)\n\na 1 1.5: y: \n\tab f (o)\n\n", options,
				FG_ERROR_ARGUMENT, 0, 0, "several events: x, y");
	check_fails("a 1 1.5: x: \n\tab f (o)\n\na 1 1.5: y: \n\tab f (o)\n\n", other,
				FG_ERROR_ARGUMENT, 0, 0, "no event \"z\"; it has x, y");
}

static void
test_perf_files(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgReadOptions cpu = options;
	FgReadOptions faults = options;
	FgReadOptions sched = options;
	size_t		size;
	char	   *bytes = recording_file(DATA "postgres.perf.gz", &size);

	cpu.selection = "cpu-clock/freq=199/";
	faults.selection = "page-faults/period=40/";
	sched.selection = "sched:sched_switch";
	unit_case("perf: recorded files");
	check_file(DATA "postgres.perf.gz", cpu, "cpu cpu-clock/freq=199/ nanoseconds 5025125",
			   DATA "postgres.cpu-clock.folded");
	check_file(DATA "postgres.perf.gz", faults, "page-faults page-faults/period=40/ events 40",
			   DATA "postgres.page-faults.folded");
	check_file(DATA "flat.perf", options, "cpu cpu-clock nanoseconds 10101010", DATA "flat.folded");
	check_file(DATA "tracepoints.perf", sched, "sched:sched_switch sched:sched_switch samples 1",
			   DATA "tracepoints.sched_switch.folded");
	recording_check_blocks(bytes, size, 997, &cpu);
	free(bytes);
}

/* Every event at once. */
static void
test_every(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(FG_FORMAT_AUTO);
	FgRecording recording;
	size_t		size;
	char	   *bytes = recording_file(DATA "full.austin", &size);

	unit_case("every event of a recording");
	options.every = true;
	if (CHECK(recording_read(&ctx, bytes, size, 0, &options, &recording)) &&
		CHECK_COUNT(recording.count, 3))
	{
		static const char *const names[] = {"time", "cpu", "memory"};

		for (size_t i = 0; i < 3; i++)
			CHECK_TEXT(recording.profiles[i].name, strlen(recording.profiles[i].name), names[i]);
		CHECK_COUNT(recording.noted.samples, 7);
		CHECK_COUNT(recording.noted.without_stack, 1);
		CHECK_COUNT(recording.noted.comments, 6);
	}
	fg_recording_free(&ctx, &recording);
	recording_sweep("every event", bytes, size, &options, 1);
	free(bytes);
	bytes = recording_file(DATA "postgres.perf.gz", &size);
	if (CHECK(recording_read(&ctx, bytes, size, 0, &options, &recording)))
	{
		CHECK_COUNT(recording.count, 2);
		CHECK_COUNT(recording.noted.samples, 156);
		CHECK_COUNT(recording.noted.unknown_frames, 0);
	}
	fg_recording_free(&ctx, &recording);
	free(bytes);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_gzip();
	test_bomb();
	test_recognition();
	test_head_size();
	test_quotes();
	test_folded();
	test_packed();
	test_austin();
	test_austin_errors();
	test_austin_files();
	test_lookalikes();
	test_binary_lookalikes();
	test_long_heads();
	test_folded_values();
	test_rounded_values();
	test_perf_events();
	test_perf();
	test_perf_threads();
	test_frame_styles();
	test_perf_fewer_fields();
	test_perf_other_fields();
	test_perf_instructions();
	test_perf_other_lines();
	test_perf_errors();
	test_perf_files();
	test_every();
	return unit_finish();
}
