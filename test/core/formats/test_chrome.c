/*
 * test_chrome.c
 *	  Chrome's trace events: nesting, what does not nest, times, and what is no trace.
 */
#include "recordings.h"

#define ONE_THREAD "\"pid\":1,\"tid\":1}"
#define X(name, start, duration) \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"ts\":" start ",\"dur\":" duration "," ONE_THREAD
#define B(name, start) "{\"ph\":\"B\",\"name\":\"" name "\",\"ts\":" start "," ONE_THREAD
#define E(name, start) "{\"ph\":\"E\",\"name\":\"" name "\",\"ts\":" start "," ONE_THREAD
#define END(start) "{\"ph\":\"E\",\"ts\":" start "," ONE_THREAD

/* Inner events before outer ones, two threads, details, events of other phases. */
static const char trace[] =
	"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
	X("child", "2", "3") ",\n" X("parent", "1", "10.5") ",\n"
	"{\"name\":\"Source\",\"args\":{\"detail\":\"a.h\",\"name\":\"x\"},\"ts\":12,\"dur\":1,\"tid\":1,\"pid\":1,\"ph\":\"X\"},\n"
	"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":\"t;2\",\"args\":{\"name\":\"worker\"}},\n"
	"{\"ph\":\"B\",\"name\":\"f\",\"ts\":1,\"pid\":1,\"tid\":\"t;2\",\"args\":{\"detail\":\"d\"}},\n"
	"{\"ph\":\"B\",\"name\":\"g\",\"ts\":1.5,\"pid\":1,\"tid\":\"t;2\",\"args\":\"__stripped__\"},\n"
	"{\"ph\":\"i\",\"name\":\"instant\",\"ts\":1.7,\"pid\":1,\"tid\":\"t;2\",\"s\":\"g\"},\n"
	"{\"ph\":\"E\",\"ts\":2.25,\"pid\":1,\"tid\":\"t;2\"},{},\n"
	"{\"ph\":\"E\",\"name\":\"f\",\"ts\":4,\"pid\":1,\"tid\":\"t;2\"}\n"
	"],\"otherData\":{\"version\":[1,2]}}\n";

typedef struct Case
{
	const char *text;
	const char *expected;
	const char *warning;		/* a part of it; NULL: none */
} Case;

static const char odd[] = "no begin or no end, or overlap";

static const Case cases[] = {
	{trace, "Source a.h 1000\nf d 2250\nf d;g 750\nparent 7500\nparent;child 3000", NULL},
	{"[" X("a", "1", "2") "]", "a 2000", NULL},
	{" [\n" X("a", "1", "0") "]", "", NULL},
	/* equal times: the longer one is outside, of equal ones the first of the file */
	{"[" X("a", "5", "2") "," X("b", "5", "9") "," X("c", "5", "2") "]", "b 7000\nb;a;c 2000", NULL},
	/* one follows the other at once */
	{"[" X("b", "5", "2") "," X("a", "1", "4") "," B("c", "7") "," E("c", "8") "]", "a 4000\nb 2000\nc 1000", NULL},
	/* begins and ends in any order; those of no length */
	{"[" E("f", "9") "," B("f", "1") "," B("z", "4") "," E("z", "4") "]", "f 8000", NULL},
	/* both kinds in one stack */
	{"[" B("f", "0") "," X("x", "1", "5") "," B("g", "2") "," E("g", "4") "," END("10") "]", "f 5000\nf;x 3000\nf;x;g 2000", NULL},
	/* an end without a begin is left out; a begin without an end lasts until the last event of the thread */
	{"[" E("f", "3") "," X("a", "1", "1") "]", "a 1000", odd},
	{"[" B("f", "3") "," X("a", "5", "4") "," "{\"ph\":\"X\",\"name\":\"b\",\"ts\":50,\"dur\":1,\"pid\":1,\"tid\":2}]", "b 1000\nf 2000\nf;a 4000", odd},
	{"[" "{\"ph\":\"X\",\"name\":\"f\",\"ts\":3," ONE_THREAD "," X("a", "5", "4") "]", "f 2000\nf;a 4000", odd},
	/* an end ends what was begun in it, and not what has another name */
	{"[" B("f", "0") "," B("g", "2") "," E("f", "5") "]", "f 2000\nf;g 3000", odd},
	{"[" B("f", "0") "," B("g", "2") "," E("f", "5") "," X("a", "7", "1") "]", "a 1000\nf 2000\nf;g 3000", odd},
	{"[" B("f", "0") "," E("g", "2") "," E("f", "5") "]", "f 5000", odd},
	{"[" B("f", "0") "," B("f", "1") "," E("f", "2") "," E("f", "5") "]", "f 4000\nf;f 1000", NULL},
	/* overlap: ends with what it began in; but neighbours and rounded ends are no overlap */
	{"[" X("a", "0", "10") "," X("b", "5", "10") "]", "a 5000\na;b 5000", odd},
	{"[" X("a", "0", "10") "," X("b", "7", "13") "]", "a 7000\na;b 3000", odd},
	{"[" X("a", "0", "10.5") "," X("b", "10", "2") "]", "a 10000\nb 2000", NULL},
	{"[" X("a", "0", "10") "," X("b", "5", "5.8") "]", "a 5000\na;b 5000", NULL},
	{"[" X("p", "0", "20") "," X("a", "1", "9.5") "," X("b", "10", "2") "]", "p 9000\np;a 9000\np;b 2000", NULL},
	/* clang's totals are sums of other events */
	{"[" X("a", "0", "10") "," "{\"ph\":\"X\",\"name\":\"Total a\",\"ts\":0,\"dur\":10,\"pid\":1,\"tid\":3,\"args\":{\"count\":1,\"avg ms\":0}}]", "a 10000", NULL},
	/* times of today have more digits than a double */
	{"[" X("a", "1763938291123456.789", "0.001") "," X("b", "1763938291123456.790", "1e3") "]", "a 1\nb 1000000", NULL},
	{"[" X("a", "-3.5", "0.0015") "," X("b", "1.5e1", "0.0004") "]", "a 2", NULL},
	{"[{\"ph\":\"X\",\"name\":null,\"ts\":1,\"dur\":1,\"pid\":null},{\"ph\":\"X\",\"name\":12,\"ts\":3,\"dur\":1}]", "12 1000\n[unknown] 1000", NULL},
	{"{\"traceEvents\":[]}", "", NULL},
	{"{\"traceEvents\":[{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"args\":{\"data\":{\"cpuProfile\":{}}}}]}", "", "samples of V8's profiler"},
};

static void
check_case(const Case *c)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	const FgRecorded *wall;

	if (!CHECK(recording_read(&ctx, c->text, strlen(c->text), 0, &options, &recording)))
	{
		printf("    line %u, column %u: %s\n", (unsigned) ctx.error.line, (unsigned) ctx.error.column, ctx.error.reason);
		return;
	}
	wall = &recording.profiles[0];
	CHECK(recording.format == FG_FORMAT_CHROME && recording.count == 1);
	CHECK(strcmp(wall->event, "wall") == 0 && strcmp(wall->unit, "nanoseconds") == 0);
	recording_is(&ctx, &wall->complete, c->expected);
	recording_weighs(&ctx, wall, NULL, NULL);
	CHECK((recording.noted.warning == NULL) == (c->warning == NULL));
	if (recording.noted.warning != NULL && c->warning != NULL)
		CHECK(strstr(recording.noted.warning, c->warning) != NULL);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_threads(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("threads");
	options.threads = true;
	if (!CHECK(recording_read(&ctx, trace, strlen(trace), 0, &options, &recording)))
		return;
	recording_is(&ctx, &recording.profiles[0].complete,
				 "1/1;Source a.h 1000\n1/1;parent 7500\n1/1;parent;child 3000\n"
				 "worker-1/t\\;2;f d 2250\nworker-1/t\\;2;f d;g 750");
	CHECK_COUNT(recording.noted.comments, 3);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_fails(const char *text, FgErrorCode code, uint64_t line, const char *reason)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	options.format = FG_FORMAT_CHROME;
	CHECK_ERROR(recording_read(&ctx, text, strlen(text), 0, &options, &recording), &ctx, code);
	CHECK_COUNT(ctx.error.line, line);
	if (!CHECK(strstr(ctx.error.reason, reason) != NULL))
		printf("    %s\n", ctx.error.reason);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_errors(void)
{
	FgReadOptions lines = FG_DEFAULT_READ_OPTIONS;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	unit_case("what is no trace");
	check_fails("[\n{\"ph\":\"X\",\"name\":\"a\",\"dur\":1}]", FG_ERROR_SYNTAX, 2, "an event of phase X has no time");
	check_fails("[\n" X("a", "1", "-1") "]", FG_ERROR_SYNTAX, 2, "duration of an event is below 0");
	check_fails("[\n" X("a", "3000000000000001", "1") "]", FG_ERROR_RANGE, 2, "a time is too large");
	check_fails("[\n" X("a", "9999999999999999", "1") "]", FG_ERROR_RANGE, 2, "a time is too large");
	check_fails("[\n" X("a", "1", "1e999") "]", FG_ERROR_RANGE, 2, "");
	check_fails("[" X("a", "\"1\"", "1") "]", FG_ERROR_SYNTAX, 1, "\"ts\" is a string and not a number");
	check_fails("{\"traceEvents\":[],\n\"traceEvents\":[]}", FG_ERROR_SYNTAX, 2, "two lists of events");
	check_fails("{\"nodes\":[]}", FG_ERROR_SYNTAX, 0, "the Chrome trace has no events");
	check_fails("[" X("a", "1", "1") ",\n", FG_ERROR_SYNTAX, 2, "");
	check_fails("[1]", FG_ERROR_SYNTAX, 1, "a number where a Chrome trace has an object");
	check_fails("\"x\"", FG_ERROR_SYNTAX, 1, "a string is not a Chrome trace");
	lines.frame_style = FG_FRAME_LINE;
	CHECK_ERROR(recording_read(&ctx, trace, strlen(trace), 0, &lines, &recording), &ctx, FG_ERROR_ARGUMENT);
	CHECK_COUNT(memory.blocks, 0);
}

/* As deep as a stack may be, and deeper. */
static void
test_depth(void)
{
	size_t		room = (size_t) 70 * (FG_MAX_DEPTH + 2);
	char	   *text = malloc(room);

	unit_case("the deepest stack");
	for (int extra = 0; extra < 2; extra++)
	{
		size_t		size = (size_t) snprintf(text, room, "[{}");
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
		FgRecording recording;
		bool		ok;

		options.format = FG_FORMAT_CHROME;
		for (int i = 0; i < FG_MAX_DEPTH + extra; i++)
			size += (size_t) snprintf(text + size, room - size, ",{\"ph\":\"B\",\"name\":\"a\",\"ts\":0}");
		size += (size_t) snprintf(text + size, room - size, ",{\"ph\":\"X\",\"ts\":0,\"dur\":0}]");
		ok = recording_read(&ctx, text, size, 0, &options, &recording);
		CHECK(ok == (extra == 0));
		if (ok)
			fg_recording_free(&ctx, &recording);
		else
			CHECK_COUNT(ctx.error.code, FG_ERROR_LIMIT);
		CHECK_COUNT(memory.blocks, 0);
	}
	free(text);
}

/* Events in each other, of which each begins and ends a moment of its own. */
static size_t
polls_of_nested(int count)
{
	size_t		room = (size_t) 70 * (size_t) (count + 1);
	char	   *text = malloc(room);
	size_t		size = (size_t) snprintf(text, room, "[{}");
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	options.format = FG_FORMAT_CHROME;
	for (int i = 0; i < count; i++)
		size += (size_t) snprintf(text + size, room - size, ",{\"ph\":\"X\",\"name\":\"f\",\"ts\":%d,\"dur\":%d}",
								  i, 2 * (count - i));
	size += (size_t) snprintf(text + size, room - size, "]");
	if (CHECK(recording_read(&ctx, text, size, 0, &options, &recording)))
	{
		CHECK_COUNT(recording.profiles[0].complete.nnodes, count);
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
	free(text);
	return memory.polls;
}

/* Twice as many events may take little more than twice the work, however many of them are open. */
static void
test_nested(void)
{
	size_t		polls;

	unit_case("many events that are open at once");
	polls = polls_of_nested(10000);
	CHECK(polls > 10);
	CHECK(polls_of_nested(20000) < 3 * polls);
}

int
main(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		unit_case("trace %u", (unsigned) i);
		check_case(&cases[i]);
	}
	test_threads();
	test_errors();
	test_depth();
	test_nested();
	unit_case("any blocks, any failure");
	recording_check_blocks(trace, sizeof(trace) - 1, 1, &options);
	recording_sweep("Chrome trace", trace, sizeof(trace) - 1, &options, 1);
	return unit_finish();
}
