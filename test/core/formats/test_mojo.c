/*
 * test_mojo.c
 *	  Austin's binary files: what each event means, all versions, numbers of all sizes, and
 *	  files that are cut off or wrong.  Files were written by hand after the description of the
 *	  format, and what they come to was worked out by hand.
 */
#include "recordings.h"

/* A text and its NUL; what follows begins with another escape or literal. */
#define S(text) text "\0"
#define BEGIN(version) "MOJ" version

/* Keys 2, 3, 4, and 65 of two bytes. */
#define NAMES \
	"\13\2" S("a.py") "\13\3" S("main") "\13\4" S("f") "\13\201\1" S("g;h")

#define V1 \
	BEGIN("\1") "\1" S("austin") S("3.4.0") "\1" S("interval") S("100") "\1" S("mode") S("wall") \
	"\2\7" S("1f") NAMES "\3\1\2\3\14" "\3\2\2\4\15" "\3\3\2\201\1\1" \
	"\5\1\5\2\11\12" \
	"\2\7" S("20") "\5\1\5\3\4\7\6" S("do_sys") "\11\200\1" \
	"\2\7" S("1f") "\5\1\5\2\11\5" \
	"\2\7" S("1f") "\11\1"

#define V3 \
	BEGIN("\3") "\1" S("mode") S("full") \
	"\2\7\0" S("1") NAMES "\3\1\2\3\14\0\0\0" "\5\1\11\12\12\24" \
	"\2\7\0" S("1") "\5\1\10\11\12\12\124" \
	"\2\10\1" S("1") "\13\2" S("b.py") "\3\1\2\1\0\0\0\0" "\14\2" "\5\1\11\12\12\0"

/* The last stack of a thread, without the native frames at its end, below what is new. */
#define V4 \
	BEGIN("\4") "\1" S("mode") S("cpu") \
	"\2\7\0" S("1") NAMES "\13\5" S("lib.so") "\3\1\2\3\14\0\0\0" "\3\2\5\4\0\0\0\0" "\3\3\2\4\1\0\0\0" \
	"\5\1\5\2\11\1" \
	"\2\7\0" S("2") "\5\3\15\11\2" \
	"\2\7\0" S("1") "\5\3\15\11\4" \
	"\2\7\0" S("1") "\15\11\10"

static FgReadOptions
options_of(const char *selection, bool threads)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.selection = selection;
	options.threads = threads;
	return options;
}

static void
check_file(const void *bytes, size_t size, FgReadOptions options, const char *facts, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	const FgRecorded *r;
	char		got[200];

	if (!CHECK(recording_read(&ctx, bytes, size, 0, &options, &recording)))
	{
		printf("    %s\n", ctx.error.reason);
		return;
	}
	CHECK_COUNT(recording.format, FG_FORMAT_AUSTIN);
	if (CHECK_COUNT(recording.count, 1))
	{
		r = &recording.profiles[0];
		snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
		CHECK_TEXT(got, strlen(got), facts);
		recording_is(&ctx, &r->complete, expected);
	}
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
	recording_check_blocks(bytes, size, 1, &options);
}

#define CHECK_FILE(bytes, options, facts, expected) \
	check_file(bytes, sizeof(bytes) - 1, options, facts, expected)

static void
test_files(void)
{
	static const char v1[] = V1;
	static const char v3[] = V3;
	static const char v4[] = V4;
	static const char early[] = BEGIN("\1") NAMES "\3\1\2\3\14" "\2\7" S("1") "\5\1\11\3";
	static const char memory[] = BEGIN("\2") "\2\7" S("1") NAMES "\3\1\2\3\14\1\1\1" "\5\1\12\377\1" "\2\7" S("1") "\5\1\12\277\1";

	unit_case("version 1");
	CHECK_FILE(v1, options_of(NULL, false), "wall time microseconds 100",
			   " 1\na.py:main:12;a.py:f:13 15\na.py:main:12;a.py:g\\;h:1;:INVALID:;:GC:;kernel:do_sys:0 64");
	CHECK_FILE(v1, options_of(NULL, true), "wall time microseconds 100",
			   "P7:T1f 1\nP7:T1f;a.py:main:12;a.py:f:13 15\n"
			   "P7:T20;a.py:main:12;a.py:g\\;h:1;:INVALID:;:GC:;kernel:do_sys:0 64");
	unit_case("version 3, full: processes have names and frames of their own");
	CHECK_FILE(v3, options_of("time", true), "wall time microseconds 10",
			   "P7:T0:1;a.py:main:12 20\nP8:T1:1;b.py:<unknown>:0 10");
	CHECK_FILE(v3, options_of("cpu", false), "cpu cpu microseconds 10", "a.py:main:12 10\nb.py:<unknown>:0 10");
	CHECK_FILE(v3, options_of("idle", false), "idle idle microseconds 0", "a.py:main:12 10");
	/* 20 - 20 */
	CHECK_FILE(v3, options_of("memory", false), "memory memory bytes 0", "");
	unit_case("names before all stacks");
	CHECK_FILE(early, options_of(NULL, false), "wall time microseconds 0", "a.py:main:12 3");
	unit_case("version 2, memory");
	CHECK_FILE(memory, options_of(NULL, false), "memory memory bytes 0", "");
	unit_case("version 4, repeated stacks");
	CHECK_FILE(v4, options_of(NULL, true), "cpu time microseconds 0",
			   "P7:T0:1;a.py:main:12;a.py:f:1 12\nP7:T0:1;a.py:main:12;lib.so:f:0 1\nP7:T0:2;a.py:f:1 2");
}

/* What is kept from one sample to the next is right only as long as it is the same. */
static void
test_repetitions(void)
{
	static const char turns[] = BEGIN("\3") "\2\7\0" S("1") NAMES "\3\1\2\3\14\0\0\0" "\5\1\11\12"
		"\2\10\0" S("1") "\13\2" S("b.py") "\3\1\2\1\0\0\0\0" "\5\1\11\12"
		"\2\7\0" S("1") "\5\1\11\12" "\2\7\0" S("1") "\5\1\11\12" "\2\7\1" S("1") "\5\1\11\12"
		"\3\1\2\4\15\0\0\0" "\2\7\0" S("1") "\5\1\11\12" "\2\7\0" S("11") "\5\1\11\12";
	static const char controls[] = BEGIN("\1") NAMES "\13\6" S("c\1\2") "\3\1\6\3\14"
		"\2\7" S("1") "\5\1\11\5" "\2\7" S("1") "\5\1\11\5" "\2\7" S("1") "\11\5" "\2\7" S("1") "\11\5";
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(NULL, false);
	FgRecording recording;

	unit_case("processes that take turns, a frame that is defined anew");
	CHECK_FILE(turns, options_of(NULL, true), "wall time microseconds 10",
			   "P7:T0:1;a.py:f:13 10\nP7:T0:1;a.py:main:12 30\nP7:T0:11;a.py:f:13 10\nP7:T1:1;a.py:main:12 10\n"
			   "P8:T0:1;b.py:<unknown>:0 10");
	unit_case("what is noted is noted for each sample");
	if (!CHECK(recording_read(&ctx, controls, sizeof(controls) - 1, 0, &options, &recording)))
		return;
	CHECK_COUNT(recording.noted.samples, 4);
	CHECK_COUNT(recording.noted.control_characters, 4);
	CHECK_COUNT(recording.noted.without_stack, 2);
	recording_is(&ctx, &recording.profiles[0].complete, " 10\nc  :main:12 10");
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

/* A whole number beyond 2^53 becomes the nearest double, and that is told. */
static void
test_large_metric(void)
{
	static const char large[] = BEGIN("\1") NAMES "\3\1\2\3\14" "\2\7" S("1") "\5\1\11\201\200\200\200\200\200\200\40";
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(NULL, false);
	FgRecording recording;

	unit_case("a metric that no double is");
	CHECK_FILE(large, options, "wall time microseconds 0", "a.py:main:12 9007199254740992");
	if (!CHECK(recording_read(&ctx, large, sizeof(large) - 1, 0, &options, &recording)))
		return;
	recording_warns(&recording, "more digits than a double holds");
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- what is wrong --------------------------------------------------------------------------- */

static void
check_fails(const void *bytes, size_t size, FgErrorCode code, const char *reason)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgError		error;

	unit_case("%s", reason);
	options.format = FG_FORMAT_AUSTIN;
	error = recording_fails(bytes, size, &options, code, reason);
	CHECK_TEXT(error.reason, strlen(error.reason), reason);
	recording_check_blocks(bytes, size, 1, &options);
}

#define CHECK_FAILS(bytes, code, reason) check_fails(bytes, sizeof(bytes) - 1, code, reason)

static void
test_bad(void)
{
	CHECK_FAILS("MOX\1", FG_ERROR_SYNTAX, "this is no binary file of austin");
	CHECK_FAILS(BEGIN("\5") "\1", FG_ERROR_SYNTAX, "the binary file of austin has version 5");
	CHECK_FAILS(BEGIN("\101"), FG_ERROR_SYNTAX, "the binary file of austin has version -1");
	CHECK_FAILS(BEGIN("\1") "\16", FG_ERROR_SYNTAX, "there is no event 14, which stands at byte 4");
	CHECK_FAILS(BEGIN("\1") "\0", FG_ERROR_SYNTAX, "there is no event 0, which stands at byte 4");
	CHECK_FAILS(BEGIN("\1") "\11\1", FG_ERROR_SYNTAX, "a metric belongs to no stack, in the event at byte 4");
	CHECK_FAILS(BEGIN("\1") "\7", FG_ERROR_SYNTAX, "a frame belongs to no stack, in the event at byte 4");
	CHECK_FAILS(BEGIN("\1") "\10", FG_ERROR_SYNTAX, "idleness belongs to no stack, in the event at byte 4");
	CHECK_FAILS(BEGIN("\4") "\15", FG_ERROR_SYNTAX, "a repetition belongs to no stack, in the event at byte 4");
	CHECK_FAILS(BEGIN("\1") "\2\1" S("1") "\5\7", FG_ERROR_SYNTAX, "a frame is not defined, in the event at byte 8");
	CHECK_FAILS(BEGIN("\1") "\3\1\2\3\4", FG_ERROR_SYNTAX, "a name is not defined, in the event at byte 4");
	CHECK_FAILS(BEGIN("\1") "\2\1" S("1") "\2\1" S("1"), FG_ERROR_SYNTAX, "the sample before has no metric, in the event at byte 8");
	CHECK_FAILS(BEGIN("\1") "\2\377\377\377\377\377\377\377\377\377\177", FG_ERROR_SYNTAX, "a number has more than 63 bits, in the event at byte 4");
	CHECK_FAILS(BEGIN("\1") "\2\1" S("1") "\11\1" "\2\1" S("1") "\11\1\12\1", FG_ERROR_SYNTAX, "the number of metrics changes");
	CHECK_FAILS(BEGIN("\1") "\2\1" S("1") "\6" S("\377") "\11\1", FG_ERROR_ENCODING, "a frame is not valid UTF-8");
}

/* Each cut is an error, or is between two samples. */
static void
test_cuts(void)
{
	static const char v1[] = V1;
	unsigned	errors = 0;

	unit_case("cut off at each byte");
	for (size_t size = 0; size < sizeof(v1) - 1; size++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
		FgRecording recording;

		options.format = FG_FORMAT_AUSTIN;
		if (recording_read(&ctx, v1, size, 0, &options, &recording))
			fg_recording_free(&ctx, &recording);
		else
			errors += CHECK_COUNT(ctx.error.code, FG_ERROR_SYNTAX);
		CHECK_COUNT(memory.blocks, 0);
	}
	CHECK(errors > sizeof(v1) / 2);
}

/* A name that comes in pieces, and one that never ends. */
static void
test_long_names(void)
{
	size_t		room = (size_t) 3 << 20;
	char	   *bytes = malloc(room);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	unit_case("a name that never ends");
	memset(bytes, 'x', room);
	memcpy(bytes, BEGIN("\1") "\13\1", 6);
	CHECK_ERROR(recording_read(&ctx, bytes, room, 4096, &options, &recording), &ctx, FG_ERROR_SYNTAX);
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), "a name is longer than 2 MiB, in the event at byte 4");
	CHECK_COUNT(memory.blocks, 0);
	free(bytes);
}

int
main(void)
{
	static const char v1[] = V1;
	static const char v4[] = V4;
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	test_files();
	test_repetitions();
	test_large_metric();
	test_bad();
	test_cuts();
	test_long_names();
	unit_case("any failure");
	recording_sweep("binary file of austin", v1, sizeof(v1) - 1, &options, 1);
	recording_sweep("binary file of austin with repeated stacks", v4, sizeof(v4) - 1, &options, 1);
	return unit_finish();
}
