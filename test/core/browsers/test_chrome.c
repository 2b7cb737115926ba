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
#define MOMENT(phase, name, time, rest) "{\"ph\":\"" phase "\",\"name\":\"" name "\",\"ts\":" time ",\"pid\":1,\"tid\":1" rest "}"
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
	{"\xEF\xBB\xBF[" X("a", "1", "2") "]", "a 2000", NULL},
	/* events that are equal are nested, as all that begin and end together */
	{"[" X("a", "1", "2") "," X("a", "1", "2") "," X("b", "1", "2") "," X("a", "1", "2") "]", "a;a;b;a 2000", NULL},
	{"[" B("f", "1") "," B("f", "1") "," E("f", "3") "," E("f", "3") "]", "f;f 2000", NULL},
	/* times as strings; the length of a thread's clock, where there is no other */
	{"[" X("a", "\"3\"", "\"1.5\"") "]", "a 1500", NULL},
	{"[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"tts\":9,\"tdur\":2," ONE_THREAD "," X("b", "5", "3,\"tdur\":1") "]", "a 2000\nb 3000", NULL},
	/* a list that was never closed, as the format allows */
	{"[\n" X("a", "1", "2") ",\n" X("b", "2", "1") "\n", "a 1000\na;b 1000", "has no end"},
	{" [" X("a", "1", "2") ",\n ", "a 2000", "has no end"},
	/* an end without a name, in another way; asynchronous events need no time, as they are not read */
	{"[" B("f", "0") "," B("g", "1") "," E("", "3") "," E("", "5") "]", "f 3000\nf;g 2000", NULL},
	{"[" MOMENT("e", "paint", "null", ",\"id\":\"0x1\"") "," X("a", "1", "2") "]", "a 2000", NULL},
	/* nothing is said of profiles */
	{"{\"traceEvents\":[{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"args\":{}}],\"samples\":[],\"stackFrames\":{}}", "", NULL},
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
	recording_warns(&recording, c->warning);
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
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.format = FG_FORMAT_CHROME;
	CHECK_COUNT(recording_fails(text, strlen(text), &options, code, reason).line, line);
}

/* Threads whose names are of one length, by turns; and keys of which there are more than any format has. */
static void
test_turns(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	static const char *const processes[] = {"2", "1", "\"1/2\"", "1"};
	static const char *const threads[] = {"\"2-3\"", "\"2-3\"", "3", "\"2-3\""};
	static char text[20000];
	size_t		size = 1;
	FgRecording recording;

	unit_case("threads by turns, and many keys");
	options.threads = true;
	text[0] = '[';
	for (int i = 0; i < 6; i++)
	{
		size += (size_t) snprintf(text + size, sizeof(text) - size, "%s{\"ph\":\"X\",\"name\":\"f\"", i > 0 ? "," : "");
		for (int k = 0; k < 150; k++)
			size += (size_t) snprintf(text + size, sizeof(text) - size, ",\"k%d\":%d", k, k);
		size += (size_t) snprintf(text + size, sizeof(text) - size, ",\"ts\":%d,\"dur\":%d,\"pid\":%s,\"tid\":%s}",
								  10 * i, i + 1, processes[i % 4], threads[i % 4]);
	}
	text[size++] = ']';
	if (CHECK(recording_read(&ctx, text, size, 0, &options, &recording)))
	{
		recording_is(&ctx, &recording.profiles[0].complete, "1/2-3;f 12000\n1/2/3;f 3000\n2/2-3;f 6000");
		fg_recording_free(&ctx, &recording);
	}
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
	check_fails("[" X("a", "true", "1") "]", FG_ERROR_SYNTAX, 1, "\"ts\" is a boolean");
	check_fails("[" X("a", "\"1x\"", "1") "]", FG_ERROR_SYNTAX, 1, "");
	check_fails("[" X("a", "\"\"", "1") "]", FG_ERROR_SYNTAX, 1, "");
	check_fails("[" X("a", "\"inf\"", "1") "]", FG_ERROR_SYNTAX, 1, "");
	check_fails("{\"traceEvents\":[],\n\"traceEvents\":[]}", FG_ERROR_SYNTAX, 2, "two lists of events");
	check_fails("{\"nodes\":[]}", FG_ERROR_SYNTAX, 0, "the Chrome trace has no events");
	/* only the list itself may lack its end, and only behind an event */
	check_fails("[\n", FG_ERROR_SYNTAX, 2, "ends too early");
	check_fails("[" X("a", "1", "1") ",\n{\"ph\":\"X\"", FG_ERROR_SYNTAX, 2, "ends too early");
	check_fails("[" X("a", "1", "1") ",,\n", FG_ERROR_SYNTAX, 1, "unallowed token");
	check_fails("{\"traceEvents\":[" X("a", "1", "1") ",\n", FG_ERROR_SYNTAX, 2, "ends too early");
	check_fails("[" MOMENT("X", "a", "null", ",\"dur\":1") "]", FG_ERROR_SYNTAX, 1, "an event of phase X has no time");
	check_fails("[1]", FG_ERROR_SYNTAX, 1, "a number where a Chrome trace has an object");
	check_fails("\"x\"", FG_ERROR_SYNTAX, 1, "a string is not a Chrome trace");
	lines.frame_style = FG_FRAME_LINE;
	CHECK_ERROR(recording_read(&ctx, trace, strlen(trace), 0, &lines, &recording), &ctx, FG_ERROR_ARGUMENT);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- CPU profiles ---------------------------------------------------------------------- */

#define ROOT "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":0}}"
#define NODE(id, parent, name) \
	"{\"id\":" id ",\"parent\":" parent ",\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"http://h/a/" "m.js?v=1\"," \
	"\"lineNumber\":6,\"columnNumber\":3}}"
#define PROFILE(thread, id, start) \
	"{\"args\":{\"data\":{\"startTime\":" start "}},\"cat\":\"c\",\"id\":\"" id "\",\"name\":\"Profile\",\"ph\":\"P\",\"pid\":1," \
	"\"tid\":" thread ",\"ts\":" start "}"
#define CHUNK(id, time, nodes, samples, deltas, rest) \
	"{\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[" nodes "],\"samples\":[" samples "]},\"lines\":[1],\"timeDeltas\":[" deltas "]" rest "}}," \
	"\"id\":\"" id "\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":" time "}"
#define BOTH_DELTAS(inner, data) \
	"{\"args\":{\"data\":{" data "\"cpuProfile\":{\"nodes\":[" ROOT "," NODE("2", "1", "f") "],\"samples\":[2,2,1]," \
	"\"timeDeltas\":[" inner "],\"endTime\":40}"
#define BOTH_END "}},\"id\":\"0x1\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":10}"
#define NO_DATA "{\"args\":{},\"id\":\"0x1\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":1,\"tid\":9,\"ts\":1}"

/* Chunks not in the order of their times; V8's samples are not in order either. */
static const char chunks[] =
	"[" X("task", "100", "20") ",\n"
	CHUNK("0x1", "300", NODE("3", "2", ""), "3,2", "-2,12", ",\"endTime\":130") ",\n" NO_DATA ",\n"
	CHUNK("0x1", "200", ROOT "," NODE("2", "1", "f"), "2,1", "5,10", "") ",\n"
	PROFILE("1", "0x1", "100") ",\n"
	PROFILE("2", "0x2", "102") ",\n"
	CHUNK("0x2", "205", ROOT "," NODE("2", "1", "g"), "2,2", "1,4", "") ",\n"
	"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"DedicatedWorker\"}}]";

/* Hermes': numbers as texts, a stack for each, names with their script; two threads. */
#define SAMPLE(time, thread, frame) \
	"{\"cpu\":\"-1\",\"name\":\"\",\"ts\":\"" time "\",\"pid\":7,\"tid\":\"" thread "\",\"weight\":\"1\",\"sf\":" frame "}"
static const char hermes[] =
	"{\"traceEvents\":[{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":7,\"ts\":\"100\",\"tid\":\"1\",\"args\":{\"name\":\"js\"}}],\n"
	"\"samples\":[" SAMPLE("115", "1", "3") "," SAMPLE("100", "1", "2") "," SAMPLE("130", "1", "\"1\"") "," SAMPLE("120", "2", "4") ",\n"
	SAMPLE("121.5", "2", "4") "," SAMPLE("128", "2", "null") "],\n"
	"\"stackFrames\":{\"1\":{\"name\":\"[root]\",\"category\":\"root\"},\n"
	"\"2\":{\"name\":\"f(http://h:81/index.bundle?dev=false&x=(1):17:3)\",\"category\":\"JavaScript\",\"parent\":1},\n"
	"\"3\":{\"category\":\"JavaScript\",\"name\":\"(http://h/a.js:17:3)\",\"parent\":\"2\",\"funcLine\":\"16\",\"funcColumn\":\"2\"},\n"
	"\"4\":{\"name\":\"[GC(x:1:2)]\",\"category\":\"Metadata\",\"parent\":1}}}";

static void
check_cpu(const char *name, const char *text, const char *selection, int profile, const char *unit,
		  const char *complete, const char *truncated, const char *warning)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	const FgRecorded *cpu;

	unit_case("%s", name);
	options.selection = selection;
	options.profile = profile;
	options.threads = strchr(complete, '/') != NULL;
	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
	{
		printf("    line %u, column %u: %s\n", (unsigned) ctx.error.line, (unsigned) ctx.error.column, ctx.error.reason);
		return;
	}
	cpu = &recording.profiles[0];
	CHECK_COUNT(recording.count, 1);
	CHECK(strcmp(cpu->event, selection != NULL && strcmp(selection, "cycles:HG") == 0 ? selection : "cpu") == 0);
	CHECK(strcmp(cpu->unit, unit) == 0);
	recording_is(&ctx, &cpu->complete, complete);
	recording_is(&ctx, &cpu->truncated, truncated != NULL ? truncated : "");
	recording_warns(&recording, warning);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static const char named[] =
	"{\"traceEvents\":[],\"stackFrames\":{\"a\":{\"name\":\"main\"},\"b\":{\"name\":\"f\",\"parent\":\"a\"}},\"samples\":["
	"{\"name\":\"cycles:HG\",\"ts\":1,\"weight\":250,\"sf\":\"b\",\"tid\":1},{\"name\":\"cycles:HG\",\"ts\":2,\"weight\":50,\"sf\":\"b\",\"tid\":1}]}";

static void
test_cpu(void)
{
	check_cpu("chunks of V8", chunks, NULL, -1, "microseconds",
			  " 10\nm.js:f 13\nm.js:f;m.js:(anonymous):7:4 2\nm.js:g 4", NULL, NULL);
	check_cpu("threads", chunks, NULL, -1, "microseconds",
			  "1/1 10\n1/1;m.js:f 13\n1/1;m.js:f;m.js:(anonymous):7:4 2\nDedicatedWorker-1/2;m.js:g 4", NULL, NULL);
	check_cpu("numbers of samples", chunks, "samples", -1, "samples",
			  " 1\nm.js:f 2\nm.js:f;m.js:(anonymous):7:4 1\nm.js:g 2", NULL, NULL);
	check_cpu("one profile", chunks, NULL, 1, "microseconds", "m.js:g 4", NULL, NULL);
	check_cpu("Hermes", hermes, NULL, -1, "microseconds",
			  "[root];[GC(x:1:2)] 8\n[root];index.bundle:f 15\n[root];index.bundle:f;a.js:(anonymous):16:2 15", NULL, NULL);
	check_cpu("Hermes' threads", hermes, NULL, -1, "microseconds",
			  "7/2;[root];[GC(x:1:2)] 8\njs-7/1;[root];index.bundle:f 15\n"
			  "js-7/1;[root];index.bundle:f;a.js:(anonymous):16:2 15", NULL, NULL);
	check_cpu("numbers of Hermes' samples", hermes, "samples", -1, "samples",
			  " 1\n[root] 1\n[root];[GC(x:1:2)] 2\n[root];index.bundle:f 1\n"
			  "[root];index.bundle:f;a.js:(anonymous):16:2 1", NULL, NULL);
	check_cpu("samples with a name", named, "cycles:HG", -1, "events", "main;f 300", NULL, NULL);
	/* a whole .cpuprofile in a chunk, which has times of its own: the chunk's count, wherever they stand */
	check_cpu("times within and without", "[" PROFILE("1", "0x1", "9") "," BOTH_DELTAS("7,7,7", "") ",\"timeDeltas\":[1,4,2]" BOTH_END "]",
			  NULL, -1, "microseconds", " 24\nm.js:f 6", NULL, NULL);
	check_cpu("times without and within", "[" PROFILE("1", "0x1", "9") "," BOTH_DELTAS("7,7,7", "\"timeDeltas\":[1,4,2],") BOTH_END "]",
			  NULL, -1, "microseconds", " 24\nm.js:f 6", NULL, NULL);
	check_cpu("times within", "[" PROFILE("1", "0x1", "9") "," BOTH_DELTAS("1,4,2", "") BOTH_END "]",
			  NULL, -1, "microseconds", " 24\nm.js:f 6", NULL, NULL);
	check_cpu("a profile that began before", "[" CHUNK("0x7", "5", "", "8", "1", "") ","
			  PROFILE("1", "0x1", "9") "," CHUNK("0x1", "10", ROOT "," NODE("2", "1", "f"), "2,2", "1,4", "") "]",
			  NULL, -1, "microseconds", "m.js:f 4", NULL, "began before it");
	check_cpu("a lost chunk", "[" PROFILE("1", "0x1", "9") ","
			  CHUNK("0x1", "10", ROOT "," NODE("3", "2", "f"), "3,8,1", "1,4,2", ",\"endTime\":20") "]",
			  NULL, -1, "microseconds", " 4", "[unknown] 2\nm.js:f 4", "lacks some of its parts");
	check_cpu("profiles of one thread", "[" PROFILE("1", "0x1", "9") "," PROFILE("1", "0x2", "10") ","
			  CHUNK("0x1", "10", ROOT, "1,1", "1,4", "") "," CHUNK("0x2", "10", ROOT, "1,1", "1,4", "") "]",
			  NULL, -1, "microseconds", " 8", NULL, "one thread overlap");
	check_cpu("one of them", "[" PROFILE("1", "0x1", "9") "," PROFILE("1", "0x2", "10") ","
			  CHUNK("0x1", "10", ROOT, "1,1", "1,4", "") "," CHUNK("0x2", "10", ROOT, "1,1", "1,4", "") "]",
			  NULL, 1, "microseconds", " 4", NULL, NULL);
}

/*
 * Instants and samples with a stack, written after the document of the format: as the frame of
 * an id, which may be a number and stand behind, or as a list from the root.  The document's other
 * stacks are where an event that lasts began and ended.
 */
static const char moments[] =
	"{\"traceEvents\":[" MOMENT("i", "block", "1", ",\"s\":\"t\",\"sf\":7") "," MOMENT("P", "tick", "2.5", ",\"stack\":[\"main\",\"f\"]") ","
	MOMENT("I", "block", "3", ",\"sf\":\"8\",\"args\":{\"stack\":[\"x\"]}") "," MOMENT("R", "tick", "4", ",\"stack\":[\"main\",\"g\",\"f\"]") ","
	MOMENT("P", "tick", "5", ",\"stack\":[\"main\",\"f\"],\"sf\":null") "," MOMENT("i", "block", "6", ",\"stack\":[]") ","
	MOMENT("i", "silent", "7", "") "," MOMENT("P", "silent", "7", ",\"sf\":null") "," X("a", "1", "2") "],\n"
	"\"stackFrames\":{\"7\":{\"name\":\"f\",\"parent\":5},\"5\":{\"name\":\"main\",\"category\":\"app\"},\"8\":{\"name\":\"g\",\"parent\":\"7\"}}}";
static const char lasting[] =
	"{\"traceEvents\":[" MOMENT("X", "a", "1", ",\"dur\":3,\"sf\":1,\"esf\":1") "],\"stackFrames\":{\"1\":{\"name\":\"main\"}}}";

static void
check_moments(const char *selection, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	options.selection = selection;
	if (!CHECK(recording_read(&ctx, moments, strlen(moments), 0, &options, &recording)))
		return;
	CHECK_COUNT(recording.count, 1);
	CHECK(strcmp(recording.profiles[0].event, selection != NULL ? selection : "wall") == 0);
	recording_is(&ctx, &recording.profiles[0].complete, expected);
	CHECK_COUNT(recording.noted.comments, 2);
	recording_warns(&recording, NULL);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

/* A name ends at a NUL in C: what differs behind one are two events all the same. */
static void
test_control_characters(void)
{
	static const char text[] = "[" MOMENT("i", "a\\u0000b", "1", ",\"stack\":[\"f\"]") ","
		MOMENT("i", "a\\u0000c", "2", ",\"stack\":[\"f\"]") "]";
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	unit_case("names of events with control characters");
	options.every = true;
	if (!CHECK(recording_read(&ctx, text, sizeof(text) - 1, 0, &options, &recording)))
		return;
	CHECK_COUNT(recording.count, 2);
	for (size_t i = 0; i < recording.count; i++)
		CHECK(strcmp(recording.profiles[i].name, i == 0 ? "a b" : "a c") == 0);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_moments(void)
{
	static const Case stacks_of_events[] = {
		{"[" MOMENT("B", "a", "1", ",\"stack\":[\"main\"]") "," MOMENT("E", "a", "3", ",\"stack\":[]") "]", "a 2000", "in no profile"},
		{"[" MOMENT("X", "a", "1", ",\"dur\":2,\"estack\":[\"0x1\"]") "]", "a 2000", "in no profile"},
		{lasting, "a 3000", "in no profile"},
	};

	unit_case("instants and samples with a stack");
	check_moments("block", " 1\nmain;f 1\nmain;f;g 1");
	check_moments("tick", "main;f 2\nmain;g;f 1");
	check_moments(NULL, "a 2000");
	for (size_t i = 0; i < COUNT(stacks_of_events); i++)
		check_case(&stacks_of_events[i]);
	check_fails("[\n" MOMENT("i", "a", "1", ",\"sf\":1,\"stack\":[\"f\"]") "]", FG_ERROR_SYNTAX, 2, "a stack and a stack frame");
	check_fails("[\n" MOMENT("i", "a", "1", ",\"stack\":\"f\"") "]", FG_ERROR_SYNTAX, 2, "is no list");
	check_fails("[\n" MOMENT("i", "a", "1", ",\"stack\":[[]]") "]", FG_ERROR_SYNTAX, 2, "an array where a Chrome trace has a string");
	check_fails("[\n{\"ph\":\"i\",\"name\":\"a\",\"sf\":1}]", FG_ERROR_SYNTAX, 2, "of phase i has no time");
	check_fails("[\n" MOMENT("i", "a", "1", ",\"sf\":1") "]", FG_ERROR_SYNTAX, 0, "there is no stack frame \"1\"");
}

/* What node wrote: both profiles, and the one that V8 wrote as a file, too. */
static void
test_file(void)
{
	static const char *const truths[] = {"app.trace.folded", "app.trace.own.folded"};
	size_t		size;
	char	   *bytes = recording_file("test/data/formats/app.trace.gz", &size);

	unit_case("a trace of node");
	for (int i = 0; i < 2; i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
		FgRecording recording;
		char		path[80];

		options.profile = i - 1;
		snprintf(path, sizeof(path), "test/data/formats/%s", truths[i]);
		if (!CHECK(recording_read(&ctx, bytes, size, 1000, &options, &recording)))
			break;
		recording_is_file(&ctx, &recording.profiles[0].complete, path);
		fg_recording_free(&ctx, &recording);
		CHECK_COUNT(memory.blocks, 0);
	}
	free(bytes);
}

static void
test_cpu_errors(void)
{
	unit_case("what is no profile");
	check_fails("[" PROFILE("1", "0x1", "1") ",\n" PROFILE("1", "0x1", "1") "]", FG_ERROR_SYNTAX, 2, "two profiles of a process have one id");
	check_fails("[\n" CHUNK("0x1", "1", ROOT, "1,1", "1", "") "]", FG_ERROR_SYNTAX, 2, "2 samples and 1 times");
	check_fails("[\n" CHUNK("0x1", "1", "{\"parent\":1}", "1", "1", "") "]", FG_ERROR_SYNTAX, 2, "a node has no id");
	check_fails("[\n" CHUNK("0x1", "1", ROOT "," ROOT, "1", "1", "") "," PROFILE("1", "0x1", "1") "]", FG_ERROR_SYNTAX, 0, "two nodes have the id 1");
	check_fails("[\n" CHUNK("0x1", "1", "", "", "", ",\"timeDeltas\":[]") "]", FG_ERROR_SYNTAX, 2, "two lists of times");
	check_fails("{\"traceEvents\":[],\n\"samples\":[" SAMPLE("1", "1", "2") "," SAMPLE("2", "1", "2") "]}", FG_ERROR_SYNTAX, 0, "there is no stack frame \"2\"");
	check_fails("{\"traceEvents\":[],\n\"samples\":[{}]}", FG_ERROR_SYNTAX, 2, "a sample has no time");
	check_fails("{\"traceEvents\":[],\n\"samples\":[{\"ts\":1,\"weight\":2}]}", FG_ERROR_SYNTAX, 2, "without a name has the weight 2");
	check_fails("{\"stackFrames\":{\"1\":{\"parent\":1}},\"samples\":[" SAMPLE("1", "1", "1") "]}", FG_ERROR_SYNTAX, 0, "a stack frame is below itself");
	check_fails("{\"stackFrames\":{\"1\":{},\n\"1\":{}}}", FG_ERROR_SYNTAX, 2, "two stack frames have one id");
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
	test_turns();
	test_errors();
	test_cpu();
	test_file();
	test_cpu_errors();
	test_moments();
	test_control_characters();
	test_depth();
	test_nested();
	unit_case("any blocks, any failure");
	recording_check_blocks(trace, sizeof(trace) - 1, 1, &options);
	options.selection = "cpu";
	recording_check_blocks(chunks, sizeof(chunks) - 1, 7, &options);
	recording_check_blocks(hermes, sizeof(hermes) - 1, 7, &options);
	options.selection = NULL;
	recording_sweep("Chrome trace", trace, sizeof(trace) - 1, &options, 1);
	recording_sweep("profiles of V8", chunks, sizeof(chunks) - 1, &options, 1);
	recording_sweep("instants with a stack", moments, sizeof(moments) - 1, &options, 1);
	recording_sweep("samples of Hermes", hermes, sizeof(hermes) - 1, &options, 1);
	return unit_finish();
}
