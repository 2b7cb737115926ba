/*
 * test_stackprof.c
 *	  Profiles of stackprof: modes, frames before and behind the stacks, lines, times, and
 *	  what is no such profile.  Expected stacks are worked out by hand.
 */
#include "recordings.h"

#define HEAD(mode, interval, samples) \
	"{\"version\":1.2,\"mode\":\"" mode "\",\"interval\":" interval ",\"samples\":" samples \
	",\"gc_samples\":1,\"missed_samples\":0,\"metadata\":{},\n"
#define FRAMES \
	"\"frames\":{\"7\":{\"name\":\"<main>\",\"file\":\"a.rb\",\"line\":1,\"edges\":{\"8\":3},\"lines\":{\"3\":[1,0]}},\n" \
	"\"8\":{\"name\":\"Shop#serve; all\",\"file\":\"a.rb\"},\"139651299259480\":{\"name\":\"(garbage collection)\",\"file\":\"\"},\n" \
	"\"9\":{\"file\":\"b.rb\"}}"
#define RAW "\"raw\":[2,7,8,3,\n1,139651299259480,1,2,7,8,1,2,7,9,1,0,2,1,7,0]"
#define LINES "\"raw_lines\":[2,3,12,3,1,0,1,2,3,13,1,2,3,1,1,0,2,1,3,0]"
#define DELTAS "\"raw_timestamp_deltas\":[10,1000,990,1200,-100,1000,1000,1000]"

static const char whole[] = HEAD("cpu", "1000", "8") FRAMES ",\n" RAW "," LINES "," DELTAS "}\n";
static const char reversed[] =
	"{" DELTAS "," LINES "," RAW "," FRAMES ",\"interval\":1e3,\"mode\":\"cpu\",\"missed_samples\":2,\"gc_samples\":0}";

typedef struct Case
{
	const char *text;
	const char *facts;			/* event, name, unit, period */
	const char *expected;
	const char *warning;		/* a part of it; NULL: none */
} Case;

#define STACKS(all, four, two, one) \
	" " two "\n(garbage collection) " one "\n<main>;Shop#serve\\; all " four "\n<main>;[unknown] " one

static const Case cases[] = {
	{whole, "cpu cpu microseconds 1000", STACKS("", "4000", "2000", "1000"), NULL},
	{reversed, "cpu cpu microseconds 1000", STACKS("", "4000", "2000", "1000"), "stackprof missed samples"},
	{HEAD("wall", "0.5", "8") FRAMES "," RAW "}", "wall wall microseconds 0.5", STACKS("", "2", "1", "0.5"), NULL},
	{HEAD("object", "20", "8") FRAMES "," RAW "}", "alloc_objects object count 20", STACKS("", "80", "40", "20"), NULL},
	{HEAD("object", "null", "8") FRAMES "," RAW "}", "alloc_objects object count 1", STACKS("", "4", "2", "1"), NULL},
	{HEAD("custom", "null", "8") FRAMES "," RAW "}", "custom custom samples 1", STACKS("", "4", "2", "1"), NULL},
	{HEAD("custom", "9", "8") FRAMES "," RAW "}", "custom custom samples 1", STACKS("", "4", "2", "1"), NULL},
	/* of no sample there are no stacks */
	{HEAD("wall", "1000", "0") "\"frames\":{}}", "wall wall microseconds 1000", "", NULL},
	{HEAD("wall", "1000", "0") "\"frames\":{},\"raw\":[]}", "wall wall microseconds 1000", "", NULL},
	{HEAD("wall", "1000", "0") "\"frames\":{},\"raw\":null}", "wall wall microseconds 1000", "", NULL}
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

	if (!CHECK(recording_read(&ctx, c->text, strlen(c->text), 0, &options, &recording)))
	{
		printf("    line %u, column %u: %s\n", (unsigned) ctx.error.line, (unsigned) ctx.error.column, ctx.error.reason);
		return;
	}
	r = &recording.profiles[0];
	CHECK(recording.format == FG_FORMAT_STACKPROF && recording.count == 1);
	snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
	CHECK_TEXT(got, strlen(got), c->facts);
	recording_is(&ctx, &r->complete, c->expected);
	recording_weighs(&ctx, r, NULL, NULL);
	CHECK_COUNT(recording.noted.samples, c->expected[0] == '\0' ? 0 : 8);
	recording_warns(&recording, c->warning);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_lines(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("lines");
	options.frame_style = FG_FRAME_LINE;
	if (!CHECK(recording_read(&ctx, whole, strlen(whole), 0, &options, &recording)))
		return;
	recording_is(&ctx, &recording.profiles[0].complete,
				 " 2000\n(garbage collection) 1000\n<main>:3;:1 1000\n<main>:3;Shop#serve\\; all:12 3000\n"
				 "<main>:3;Shop#serve\\; all:13 1000");
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
	recording_check_blocks(whole, sizeof(whole) - 1, 1, &options);
}

typedef struct Bad
{
	const char *text;
	FgErrorCode code;
	unsigned	line;
	unsigned	column;
	const char *reason;
} Bad;

static void
check_bad(const Bad *bad, FgFrameStyle style)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgError		error;

	unit_case("%.60s", bad->text);
	options.format = FG_FORMAT_STACKPROF;
	options.frame_style = style;
	error = recording_fails(bad->text, strlen(bad->text), &options, bad->code, bad->reason);
	CHECK_COUNT(error.line, bad->line);
	CHECK_COUNT(error.column, bad->column);
	CHECK_TEXT(error.reason, strlen(error.reason), bad->reason);
}

#define ONE "{\"mode\":\"custom\",\"frames\":{\"7\":{\"name\":\"a\"}},\n"

static const Bad bads[] = {
	{"{\"mode\":\"wall\",\"interval\":10,\"samples\":3,\"frames\":{}}", FG_ERROR_SYNTAX, 0, 0, "the stackprof profile has no stacks"},
	{"{\"mode\":\"wall\",\"interval\":10,\"samples\":3,\"frames\":{},\"raw\":null}", FG_ERROR_SYNTAX, 0, 0, "the stackprof profile has no stacks"},
	{"{\"mode\":\"wal\",\"interval\":10}", FG_ERROR_SYNTAX, 0, 0, "the stackprof profile has no mode that is known"},
	{"{\"interval\":10}", FG_ERROR_SYNTAX, 0, 0, "the stackprof profile has no mode that is known"},
	{"{\"mode\":\"cpu\"}", FG_ERROR_SYNTAX, 0, 0, "the stackprof profile has no interval"},
	{"{\"mode\":\"wall\",\"interval\":null}", FG_ERROR_SYNTAX, 0, 0, "the stackprof profile has no interval"},
	{"{\"interval\":0}", FG_ERROR_SYNTAX, 1, 13, "the interval is not above 0"},
	{"{\"interval\":-1}", FG_ERROR_SYNTAX, 1, 14, "the interval is not above 0"},
	{"{\"interval\":1e999}", FG_ERROR_RANGE, 1, 17, "1e999 is too large"},
	{"{\"mode\":\"cpu\",\"interval\":1e308,\"frames\":{\"7\":{\"name\":\"a\"}},\"raw\":[1,7,2]}", FG_ERROR_RANGE, 0, 0, "the sum of the values of one stack is out of range"},
	{ONE "\"frames\":{}}", FG_ERROR_SYNTAX, 2, 10, "there are two lists of frames"},
	{ONE "\"raw\":[],\n\"raw\":[]}", FG_ERROR_SYNTAX, 3, 7, "there are two lists of stacks (raw)"},
	{ONE "\"raw_lines\":[],\n\"raw_lines\":[]}", FG_ERROR_SYNTAX, 3, 13, "there are two lists of lines (raw_lines)"},
	{ONE "\"raw_timestamp_deltas\":[],\n\"raw_timestamp_deltas\":[]}", FG_ERROR_SYNTAX, 3, 24, "there are two lists of times (raw_timestamp_deltas)"},
	{"{\"frames\":{\"7\":{},\n\"7\":{}}}", FG_ERROR_SYNTAX, 2, 5, "there are two frames 7"},
	{ONE "\"raw\":[1,7]}", FG_ERROR_SYNTAX, 2, 11, "the list raw ends within a stack"},
	{ONE "\"raw\":[2,7]}", FG_ERROR_SYNTAX, 2, 11, "the list raw ends within a stack"},
	{ONE "\"raw\":[1]}", FG_ERROR_SYNTAX, 2, 9, "the list raw ends within a stack"},
	{ONE "\"raw\":[1,8,1]}", FG_ERROR_SYNTAX, 2, 10, "there is no frame 8"},
	{ONE "\"raw\":[1,7.0,1]}", FG_ERROR_SYNTAX, 2, 12, "there is no frame 7.0"},
	{"{\"mode\":\"custom\",\"raw\":[1,8,1],\"frames\":{}}", FG_ERROR_SYNTAX, 0, 0, "a stack refers to frame 8, which does not exist"},
	{"{\"mode\":\"custom\",\"raw\":[1,8,1]}", FG_ERROR_SYNTAX, 0, 0, "a stack refers to frame 8, which does not exist"},
	{ONE "\"raw\":[-1,7,1]}", FG_ERROR_SYNTAX, 2, 9, "-1 is not a whole number that can be an index"},
	{ONE "\"raw\":[1,7,1.5]}", FG_ERROR_SYNTAX, 2, 14, "1.5 is not a whole number that can be an index"},
	{ONE "\"raw\":[65536,7,1]}", FG_ERROR_LIMIT, 2, 12, "a stack is deeper than 65535"},
	{ONE "\"raw\":[[1,7,1]]}", FG_ERROR_SYNTAX, 2, 8, "an array where a stackprof profile has a number"},
	{ONE "\"raw\":[1,7,1]", FG_ERROR_SYNTAX, 2, 13, "the JSON text ends too early"},
	{"[]", FG_ERROR_SYNTAX, 1, 1, "an array is not a stackprof profile"}
};

static const Bad bad_lines[] = {
	{ONE "\"raw\":[1,7,1]}", FG_ERROR_ARGUMENT, 0, 0, "the stackprof profile has no lines (raw_lines)"},
	{ONE "\"raw\":[1,7,1],\"raw_lines\":[1,2]}", FG_ERROR_SYNTAX, 0, 0, "raw has 3 numbers, and raw_lines 2"},
	{ONE "\"raw\":[1,7,1],\"raw_lines\":[1,-2,1]}", FG_ERROR_SYNTAX, 2, 31, "-2 is not a whole number that can be an index"}
};

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

	taken->size += (size_t) snprintf(taken->text + taken->size, sizeof(taken->text) - taken->size, "%g+%g %.*s %g\n", timed->start,
									 timed->period, (int) strnlen(timed->path, timed->path_length), timed->path, timed->value);
	return true;
}

static bool
read_times(FgContext *ctx, const char *text, Taken *taken)
{
	FgTaker		taker = {take, taken, 0};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	taken->size = 0;
	options.format = FG_FORMAT_STACKPROF;
	options.taker = &taker;
	if (!recording_read(ctx, text, strlen(text), 0, &options, &recording))
		return false;
	fg_recording_free(ctx, &recording);
	return true;
}

static void
test_times(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Taken		taken;

	unit_case("times");
	CHECK(read_times(&ctx, whole, &taken));
	CHECK_TEXT(taken.text, taken.size,
			   "10+1000 <main> 1000\n1010+1000 <main> 1000\n2000+1000 <main> 1000\n3200+1000 (garbage collection) 1000\n"
			   "3100+1000 <main> 1000\n4100+1000 <main> 1000\n5100+1000  1000\n6100+1000  1000\n");
	CHECK(read_times(&ctx, HEAD("object", "5", "2") FRAMES ",\"raw\":[1,7,2],\"raw_timestamp_deltas\":[1,2]}", &taken));
	CHECK_TEXT(taken.text, taken.size, "1+0 <main> 5\n3+0 <main> 5\n");
	CHECK_ERROR(read_times(&ctx, HEAD("wall", "1", "8") FRAMES "," RAW "}", &taken), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(read_times(&ctx, HEAD("wall", "1", "2") FRAMES ",\"raw\":[1,7,2],\"raw_timestamp_deltas\":[1]}", &taken), &ctx, FG_ERROR_SYNTAX);
	CHECK_ERROR(read_times(&ctx, HEAD("wall", "1", "2") FRAMES ",\"raw\":[1,7,2],\"raw_timestamp_deltas\":[1,2,3]}", &taken), &ctx, FG_ERROR_SYNTAX);
	CHECK_COUNT(memory.blocks, 0);
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
	test_lines();
	for (size_t i = 0; i < COUNT(bads); i++)
		check_bad(&bads[i], FG_FRAME_FUNCTION);
	for (size_t i = 0; i < COUNT(bad_lines); i++)
		check_bad(&bad_lines[i], FG_FRAME_LINE);
	test_times();
	unit_case("any blocks, any failure");
	recording_check_blocks(whole, sizeof(whole) - 1, 1, &options);
	recording_sweep("stackprof", whole, sizeof(whole) - 1, &options, 1);
	options.frame_style = FG_FRAME_LINE;
	recording_sweep("stackprof, lines", reversed, sizeof(reversed) - 1, &options, 1);
	return unit_finish();
}
