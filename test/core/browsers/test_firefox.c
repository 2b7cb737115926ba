/*
 * test_firefox.c
 *	  Profiles of the Firefox Profiler: tables of threads and shared ones, before and behind
 *	  the samples, Gecko's own form, names of frames, events, times, and what is no such
 *	  profile.  Expected stacks are worked out by hand, names after the Firefox Profiler's own
 *	  processing of Gecko's texts.
 */
#include "recordings.h"

/* main calls f, which calls 0x10 of a library and g. */
#define STACKS "\"stackTable\":{\"length\":4,\"frame\":[0,1,2,3],\"prefix\":[null,0,1,1]}"
#define OFFSETS "\"stackTable\":{\"frame\":[0,1,2,3],\"prefixOffset\":[0,1,1,2],\"length\":4}"
#define FRAMES "\"frameTable\":{\"length\":4,\"func\":[0,1,2,3],\"line\":[3,null,9,0],\"address\":[-1,-1,4660,-1]}"
#define FUNCS "\"funcTable\":{\"length\":4,\"name\":[0,1,2,3],\"resource\":[-1,null,0,0],\"isJS\":[false,true,false,false]}"
#define RESOURCES "\"resourceTable\":{\"length\":1,\"name\":[4],\"type\":[1]}"
#define STRINGS "[\"main\",\"f\",\"0x7f10\",\"g\",\"libx.so\"]"
#define TABLES(stacks, strings) stacks "," FRAMES "," FUNCS "," RESOURCES "," strings
#define META(version) "\"meta\":{\"interval\":2,\"startTime\":5000,\"preprocessedProfileVersion\":" version \
	",\"sampleUnits\":{\"time\":\"ms\",\"threadCPUDelta\":\"ns\"},\"categories\":[{\"name\":\"Other\",\"subcategories\":[]}]}"
#define SAMPLES "\"samples\":{\"length\":4,\"stack\":[2,3,null,2],\"time\":[10,12.5,14,16],\"weight\":null,\"weightType\":\"samples\"}"
#define ID "\"name\":\"GeckoMain\",\"pid\":\"12\",\"tid\":34"

/* Tables of the thread behind its samples; all shared; only the texts shared, behind the threads. */
static const char own[] = "{" META("55") ",\"libs\":[],\n\"threads\":[{" ID "," SAMPLES ",\"markers\":{\"data\":[{\"stack\":{\"samples\":{}}}]},"
	TABLES(STACKS, "\"stringArray\":" STRINGS) "}]}\n";
static const char shared[] = "{" META("70") ",\"shared\":{" TABLES(OFFSETS, "\"stringArray\":" STRINGS) "},\"threads\":[{" ID "," SAMPLES "}]}";
static const char behind[] = "{\"threads\":[{" TABLES(STACKS, ID) "," SAMPLES "}],\"shared\":{\"stringArray\":" STRINGS "}," META("57") "}";

#define EXPECTED " 1\nmain;f;g 1\nmain;f;libx.so+0x1234 2"

/* Gecko's own form: another process in it, addresses in its libraries, rows before their schema. */
#define GECKO_TABLES(order1, order2) \
	"\"stackTable\":{" order1 "}," \
	"\"frameTable\":{\"schema\":{\"location\":0,\"relevantForJS\":1,\"line\":2},\"data\":[[0],[1,false,7],[2,true],[3],[4],[5],[6],[7]]}," \
	"\"stringTable\":[\"(root)\",\"0x1234\",\"g (http://a.b/c(d).js:10:2)[3]\",\"non-virtual thunk to A::f(int) (in XUL) + 12\"," \
	"\"x -> http://a.b/c.js:1\",\"Startup::XRE_Main\",\"0x99\",\"h(int) (in XUL) (a.cpp:3)\"]," order2
#define GECKO_SCHEMA "\"schema\":{\"prefix\":0,\"frame\":1}"
#define GECKO_DATA "\"data\":[[null,0],[0,1],[1,2],[2,3],[3,4],[4,5],[5,6],[6,7]]"
#define GECKO_SAMPLES "\"samples\":{\"schema\":{\"stack\":1,\"time\":0,\"threadCPUDelta\":3},\"data\":[[1,7,{\"x\":[1]},5],[2.5,1,[],6],[3],[4,7,0,null]]}"
#define GECKO_META(start) "\"meta\":{\"version\":30,\"interval\":1,\"startTime\":" start "}"
#define GECKO_LIBS "\"libs\":[{\"name\":\"/usr/lib/b\",\"start\":4096,\"end\":8192,\"offset\":256},{\"name\":\"a\",\"start\":1,\"end\":2}]"
#define GECKO "{" GECKO_LIBS "," GECKO_META("1000") ",\"threads\":[{" ID "," GECKO_TABLES(GECKO_SCHEMA "," GECKO_DATA, GECKO_SAMPLES) "}],\n" \
	"\"processes\":[{\"threads\":[{" GECKO_TABLES(GECKO_DATA "," GECKO_SCHEMA, GECKO_SAMPLES) "}],\"processes\":[],\"libs\":[]," GECKO_META("1500") "}]}"
static const char gecko[] = GECKO;

/* What the developer tools saved around it. */
static const char tools[] = "{\"label\":\"\",\"duration\":5.5,\"markers\":[{\"stack\":1}],\"frames\":[null,{\"line\":3}],"
	"\"profile\":" GECKO ",\"fileType\":\"Recorded Performance Data\",\"version\":2}";

/* The same as texts of JSON, as Firefox before 59 had it. */
static const char texts[] = "{" GECKO_META("1000") ",\"libs\":\"[{\\\"name\\\":\\\"b\\\",\\\"start\\\":4096,\\\"end\\\":8192,\\\"offset\\\":256}]\",\"threads\":["
	"\"{\\\"meta\\\":{\\\"startTime\\\":1500},\\\"libs\\\":[],\\\"threads\\\":[{\\\"samples\\\":{\\\"schema\\\":{\\\"stack\\\":0,\\\"time\\\":1},\\\"data\\\":[[0,1]]},"
	"\\\"stackTable\\\":{\\\"schema\\\":{\\\"prefix\\\":0,\\\"frame\\\":1},\\\"data\\\":[[null,0]]},\\\"frameTable\\\":{\\\"schema\\\":{\\\"location\\\":0},\\\"data\\\":[[0]]},"
	"\\\"stringTable\\\":[\\\"0x1000\\\"]}]}\","
	"{\"samples\":{\"schema\":{\"stack\":0},\"data\":[[0]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
	"\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},\"stringTable\":[\"0x1000\"]}]}";
#define GECKO_DEEP ";g;A::f(int);(root scope) http://a.b/c.js;Startup::XRE_Main;0x99;h(int)"

/* Weights, CPU time and allocations. */
#define WITH(lists) "{" META("60") ",\"shared\":{" TABLES(STACKS, "\"stringArray\":" STRINGS) "},\"threads\":[{" ID "," lists "}]}"
static const char events[] = WITH("\"samples\":{\"stack\":[0,1,3],\"timeDeltas\":[1,2,3],\"weight\":[1,-2,4],\"weightType\":\"samples\",\"threadCPUDelta\":[9,null,70]},"
	"\"jsAllocations\":{\"stack\":[0,0],\"time\":[1,2],\"weight\":[16,8],\"weightType\":\"bytes\"},"
	"\"nativeAllocations\":{\"stack\":[0,1,1],\"time\":[1,2,3],\"duration\":[100,-60,-40]}");
static const char tracing[] = WITH("\"samples\":{\"stack\":[0,1],\"time\":[1,3],\"weight\":[2,0.5],\"weightType\":\"tracing-ms\"}");

typedef struct Case
{
	const char *text;
	const char *selection;
	const char *facts;
	const char *expected;
} Case;

static const Case cases[] = {
	{own, NULL, "wall samples samples 1", EXPECTED},
	{shared, NULL, "wall samples samples 1", EXPECTED},
	{behind, NULL, "wall samples samples 1", EXPECTED},
	{gecko, NULL, "wall samples samples 1", " 2\n(root);0x1234 1\n(root);0x1234" GECKO_DEEP " 2\n(root);b+0x334 1\n(root);b+0x334" GECKO_DEEP " 2"},
	{tools, NULL, "wall samples samples 1", " 2\n(root);0x1234 1\n(root);0x1234" GECKO_DEEP " 2\n(root);b+0x334 1\n(root);b+0x334" GECKO_DEEP " 2"},
	{gecko, "threadCPUDelta", "cpu threadCPUDelta units 6", "(root);0x1234 6\n(root);b+0x334 6"},
	{texts, NULL, "wall samples samples 1", "0x1000 1\nb+0x100 1"},
	{events, NULL, "wall samples samples 1", "main 1\nmain;f -2\nmain;f;g 4"},
	{events, "threadCPUDelta", "cpu threadCPUDelta nanoseconds 0", "main;f;g 70"},
	{events, "jsAllocations", "alloc jsAllocations bytes 0", "main 24"},
	{events, "nativeAllocations", "alloc nativeAllocations bytes 0", "main 100"},
	{events, "nativeDeallocations", "nativeDeallocations nativeDeallocations bytes 0", "main;f 100"},
	{tracing, NULL, "wall samples milliseconds 0", "main 2\nmain;f 0.5"},
	/* before version 2 the names of functions say where they are */
	{"{\"meta\":{\"version\":4},\"threads\":[{\"stringArray\":[\"f (a.js:3)\",\"a.js:1\"],\"samples\":{\"stack\":[1]},"
		"\"stackTable\":{\"prefix\":[-1,0],\"frame\":[1,0]},\"frameTable\":{\"func\":[0,1]},\"funcTable\":{\"name\":[0,1],\"resource\":[-1,-1]}}]}",
		NULL, "wall samples samples 1", "(root scope) a.js;f 1"},
	{"{\"meta\":{\"preprocessedProfileVersion\":70},\"threads\":[]}", NULL, "wall samples samples 1", ""}
};

static void
check_case(const Case *c)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	const FgRecorded *r;
	char		got[200];

	options.selection = c->selection;
	if (!CHECK(recording_read(&ctx, c->text, strlen(c->text), 0, &options, &recording)))
	{
		printf("    line %u, column %u: %s\n", (unsigned) ctx.error.line, (unsigned) ctx.error.column, ctx.error.reason);
		return;
	}
	r = &recording.profiles[0];
	CHECK(recording.format == FG_FORMAT_FIREFOX && recording.count == 1);
	snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
	CHECK_TEXT(got, strlen(got), c->facts);
	recording_is(&ctx, &r->complete, c->expected);
	recording_warns(&recording, c->expected[0] == ' ' ? "some samples have no stack" : NULL);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_options(const char *text, const FgReadOptions *options, const char *complete, const char *truncated)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, options, &recording)))
		return;
	recording_is(&ctx, &recording.profiles[0].complete, complete);
	recording_is(&ctx, &recording.profiles[0].truncated, truncated);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_options(void)
{
	FgReadOptions lines = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions threads = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions deep = FG_DEFAULT_READ_OPTIONS;

	unit_case("options");
	lines.frame_style = FG_FRAME_LINE;
	threads.threads = true;
	deep.max_depth = 3;
	check_options(own, &lines, " 1\nmain:3;f;g 1\nmain:3;f;libx.so+0x1234:9 2", "");
	check_options(shared, &threads, "GeckoMain-12/34 1\nGeckoMain-12/34;main;f;g 1\nGeckoMain-12/34;main;f;libx.so+0x1234 2", "");
	check_options(shared, &deep, " 1", "main;f;g 1\nmain;f;libx.so+0x1234 2");
	recording_check_blocks(own, sizeof(own) - 1, 7, &lines);
	recording_check_blocks(gecko, sizeof(gecko) - 1, 7, &threads);
}

typedef struct Bad
{
	const char *text;
	FgErrorCode code;
	const char *reason;
} Bad;

#define ONE(tables) "{\"meta\":{},\"threads\":[{" tables "}]}"

static const Bad bads[] = {
	{"{}", FG_ERROR_SYNTAX, "has no threads"},
	{ONE("\"samples\":{\"stack\":[0]}"), FG_ERROR_SYNTAX, "a sample refers to stack 0, there are 0"},
	{ONE("\"samples\":{\"stack\":[0.5]}"), FG_ERROR_SYNTAX, "0.5 is not a whole number"},
	{ONE("\"samples\":{\"stack\":[null],\"weight\":[1,2]}"), FG_ERROR_SYNTAX, "1 samples and 2 weights"},
	{ONE("\"samples\":{\"stack\":[null],\"weight\":[null]}"), FG_ERROR_SYNTAX, "sample 0 of a thread has no weight"},
	{ONE("\"samples\":{\"stack\":[null],\"threadCPUDelta\":[1,2]}"), FG_ERROR_SYNTAX, "1 samples and 2 CPU deltas"},
	{ONE("\"samples\":{\"weightType\":\"apples\"}"), FG_ERROR_SYNTAX, "no weight type \"apples\""},
	{ONE("\"samples\":{\"stack\":[null],\"stack\":[null]}"), FG_ERROR_SYNTAX, "two lists of this name"},
	{ONE("\"stackTable\":{\"frame\":[0],\"prefix\":[]}"), FG_ERROR_SYNTAX, "stackTable has 1 rows and 0 in its column prefix"},
	{ONE("\"stackTable\":{\"frame\":[0],\"prefix\":[null]}"), FG_ERROR_SYNTAX, "stack 0 refers to frame 0, there are 0"},
	{ONE("\"stackTable\":{\"frame\":[null],\"prefix\":[null]}"), FG_ERROR_SYNTAX, "stack 0 has no frame"},
	{ONE(TABLES("\"stackTable\":{\"frame\":[0,0],\"prefix\":[1,null]}", "\"stringArray\":" STRINGS)), FG_ERROR_SYNTAX, "stack 0 extends one that does not stand before it"},
	{ONE(TABLES("\"stackTable\":{\"frame\":[0,0],\"prefixOffset\":[0,2]}", "\"stringArray\":" STRINGS)), FG_ERROR_SYNTAX, "stack 1 extends one"},
	{ONE(STACKS "," FRAMES "," RESOURCES ",\"stringArray\":[\"a\"]"), FG_ERROR_SYNTAX, "frame 0 refers to function 0, there are 0"},
	{ONE(TABLES(STACKS, "\"stringArray\":[\"a\"]")), FG_ERROR_SYNTAX, "function 1 refers to text 1, there are 1"},
	{ONE(STACKS "," FRAMES "," FUNCS ",\"stringArray\":" STRINGS), FG_ERROR_SYNTAX, "function 2 refers to resource 0, there are 0"},
	{ONE("\"stringArray\":[],\"stringTable\":[]"), FG_ERROR_SYNTAX, "two lists of texts"},
	{ONE("\"stackTable\":{\"data\":[[null,0]]}"), FG_ERROR_SYNTAX, "rows and no schema"},
	{ONE("\"stackTable\":{\"schema\":{\"prefix\":99}}"), FG_ERROR_LIMIT, "more than 32 fields"},
	{ONE("\"stackTable\":{\"schema\":{\"prefix\":0},\"data\":[[\"a\"]]}"), FG_ERROR_SYNTAX, "not a number"},
	{ONE("\"stackTable\":{\"schema\":{\"prefix\":0},\"data\":[[1.5]]}"), FG_ERROR_SYNTAX, "no whole number"},
	{"{\"shared\":{},\"shared\":{}}", FG_ERROR_SYNTAX, "two objects \"shared\""},
	{"{\"meta\":{\"interval\":-1}}", FG_ERROR_SYNTAX, "interval is negative"},
	{"{\"libs\":[{\"start\":1.5}]}", FG_ERROR_SYNTAX, "not an address"},
	{"{\"libs\":\"[1]\"}", FG_ERROR_SYNTAX, "a number where"},
	{"{\"threads\":[\"{\\\"threads\\\":[\\\"{\\\\\\\"threads\\\\\\\":[\\\\\\\"{}\\\\\\\"]}\\\"]}\"]}", FG_ERROR_LIMIT, "text of a text"},
	{ONE("\"samples\":{}") "x", FG_ERROR_SYNTAX, "trailing garbage"},
	{"{\"threads\":[{", FG_ERROR_SYNTAX, "ends too early"}
};

static void
check_bad(const Bad *bad)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	unit_case("%.60s", bad->text);
	options.format = FG_FORMAT_FIREFOX;
	recording_fails(bad->text, strlen(bad->text), &options, bad->code, bad->reason);
}

/* --- times --------------------------------------------------------------------------------- */

typedef struct Taken
{
	char		text[1000];
	size_t		size;
} Taken;

static bool
take(void *arg, const FgTimed *timed)
{
	Taken	   *taken = arg;
	const char *path = timed->path != NULL ? timed->path : "";
	char		length[32];

	snprintf(length, sizeof(length), timed->until_next ? "+%g" : "-%g", timed->until_next ? timed->period : timed->stop);
	taken->size += (size_t) snprintf(taken->text + taken->size, sizeof(taken->text) - taken->size, "%.*s %g%s %.*s %g\n",
									 (int) timed->thread_length, timed->thread != NULL ? timed->thread : "", timed->start, length,
									 (int) strnlen(path, timed->path_length), path, timed->value);
	return true;
}

static void
check_times(const char *text, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Taken		taken = {.size = 0};
	FgTaker		taker = {take, &taken, 0};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	options.format = FG_FORMAT_FIREFOX;
	options.taker = &taker;
	if (CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
		fg_recording_free(&ctx, &recording);
	CHECK_TEXT(taken.text, taken.size, expected);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_times(void)
{
	unit_case("times");
	check_times(own, "GeckoMain-12/34 10+2 main 1\nGeckoMain-12/34 12.5+2 main 1\nGeckoMain-12/34 14+2  1\nGeckoMain-12/34 16+2 main 1\n");
	check_times(events, "GeckoMain-12/34 1+2 main 1\nGeckoMain-12/34 3+0 main -2\nGeckoMain-12/34 6+8 main 4\n");
	check_times(tracing, "GeckoMain-12/34 1-3 main 2\nGeckoMain-12/34 3-3.5 main 0.5\n");
	/* the other process started half a second later */
	check_times("{" GECKO_META("1000") ",\"threads\":[],\"processes\":[{" GECKO_META("1500") ",\"threads\":[{\"samples\":{\"schema\":{\"time\":0},\"data\":[[7]]}}]}]}",
				" 507+1  1\n");
}

#define LONG 2600

/* Sample i of lists that are longer than what is packed together: weights are the same first. */
static double
long_weight(unsigned i)
{
	return i < 1100 ? 2 : i % 5 + 0.25;
}

static void
print_sums(char *to, const double *sums)
{
	static const char *const stacks[] = {"", "main", "main;f", "main;f;libx.so+0x1234"};

	for (int i = 0; i < 4; i++)
		to += sprintf(to, "%s%s %.10g", i > 0 ? "\n" : "", stacks[i], sums[i]);
}

static void
test_long_lists(void)
{
	static char text[LONG * 24 + 2000];
	static char expected[200];
	char	   *to = text;
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	double		weights[4] = {0};
	double		cpu[4] = {0};

	unit_case("lists of %d samples", LONG);
	to += sprintf(to, "{" META("60") ",\"shared\":{" TABLES(STACKS, "\"stringArray\":" STRINGS) "},\"threads\":[{" ID
				  ",\"samples\":{\"weightType\":\"samples\",\"stack\":[");
	for (unsigned i = 0; i < LONG; i++)
	{
		unsigned	stack = i % 7 == 0 ? 0 : i / 40 % 3 + 1;

		to += stack == 0 ? sprintf(to, "%snull", i > 0 ? "," : "") : sprintf(to, "%s%u", i > 0 ? "," : "", stack - 1);
		weights[stack] += long_weight(i);
		cpu[stack] += i % 9 == 0 ? 0 : i % 4;
	}
	to += sprintf(to, "],\"weight\":[");
	for (unsigned i = 0; i < LONG; i++)
		to += sprintf(to, "%s%g", i > 0 ? "," : "", long_weight(i));
	to += sprintf(to, "],\"threadCPUDelta\":[");
	for (unsigned i = 0; i < LONG; i++)
		to += i % 9 == 0 ? sprintf(to, "%snull", i > 0 ? "," : "") : sprintf(to, ",%u", i % 4);
	sprintf(to, "]}}]}");
	options.selection = "samples";
	print_sums(expected, weights);
	check_options(text, &options, expected, "");
	options.selection = "threadCPUDelta";
	print_sums(expected, cpu);
	check_options(text, &options, expected, "");
}

int
main(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		unit_case("profile %u", (unsigned) i);
		check_case(&cases[i]);
	}
	test_options();
	for (size_t i = 0; i < COUNT(bads); i++)
		check_bad(&bads[i]);
	test_times();
	test_long_lists();
	unit_case("any blocks, any failure");
	recording_check_blocks(shared, sizeof(shared) - 1, 3, &options);
	options.every = true;
	recording_sweep("firefox", events, sizeof(events) - 1, &options, 1);
	recording_sweep("firefox, gecko", gecko, sizeof(gecko) - 1, &options, 1);
	recording_sweep("firefox, texts", texts, sizeof(texts) - 1, &options, 1);
	return unit_finish();
}
