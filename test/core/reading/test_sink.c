/*
 * test_sink.c
 *	  How many samples each stack of a recording has, and the sum of their squared
 *	  weights.  Expected values are worked out by hand; files of real tools are
 *	  compared with a reader of their own in test/t/050_formats.pl.
 */
#include "recordings.h"

#include <stdlib.h>

typedef struct Row
{
	const char *what;
	FgFormat	format;
	const char *selection;
	uint32_t	max_depth;
	const char *text;
	double		period;
	const char *complete;
	const char *samples;		/* NULL: none, which also the noise then has */
	const char *noise;
} Row;

#define FRAME(name) "\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"\",\"lineNumber\":-1,\"columnNumber\":-1}"
#define V8(lists) \
	"{\"nodes\":[{\"id\":1," FRAME("f") ",\"children\":[2]},{\"id\":2," FRAME("g") "}]," lists "}"
#define SPEEDSCOPE(profiles) \
	"{\"shared\":{\"frames\":[{\"name\":\"f\"},{\"name\":\"g\"}]},\"profiles\":[" profiles "]}"
#define SAMPLED(stacks, weights) \
	"{\"type\":\"sampled\",\"unit\":\"seconds\",\"samples\":[" stacks "],\"weights\":[" weights "]}"
#define EVENTED \
	"{\"type\":\"evented\",\"unit\":\"seconds\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0}," \
	"{\"type\":\"C\",\"frame\":0,\"at\":8}]}"
#define PARK(duration, truncated, frame) \
	"{\"type\":\"jdk.ThreadPark\",\"values\":{\"duration\":\"PT" duration "S\",\"stackTrace\":{\"truncated\":" \
	truncated ",\"frames\":[{\"method\":{\"name\":\"" frame "\"}}]}}}"
#define JFR(events) "{\"recording\":{\"events\":[" events "]}}"

static const Row rows[] = {
	/* samples of g at 2, 5, 5 and of f at 9, the end is at 10 */
	{"V8: a sample lasts until the next one, one of no time is a sample", FG_FORMAT_CPUPROFILE, NULL, 0,
		V8("\"samples\":[2,2,2,1],\"timeDeltas\":[2,3,0,4],\"startTime\":0,\"endTime\":10"),
	0, "f 1\nf;g 7", "f 1\nf;g 3", "f 1\nf;g 25"},
	{"V8: a stack whose samples have no time is still counted", FG_FORMAT_CPUPROFILE, NULL, 0,
		V8("\"samples\":[2,1],\"timeDeltas\":[2,3],\"startTime\":0"),
	0, "f;g 3", "f 1\nf;g 1", "f;g 9"},
	{"V8: out of order", FG_FORMAT_CPUPROFILE, NULL, 0,
		V8("\"samples\":[1,2,1],\"timeDeltas\":[4,-2,10],\"startTime\":0,\"endTime\":13"),
	0, "f 9\nf;g 2", "f 2\nf;g 1", "f 65\nf;g 4"},
	{"V8: all of them last the same", FG_FORMAT_CPUPROFILE, NULL, 0,
		V8("\"samples\":[1,2,1],\"timeDeltas\":[4,4,4],\"startTime\":0,\"endTime\":16"),
	4, "f 8\nf;g 4", NULL, NULL},
	{"V8: samples are counted", FG_FORMAT_CPUPROFILE, "samples", 0,
		V8("\"samples\":[1,2,1],\"timeDeltas\":[4,4,4],\"startTime\":0,\"endTime\":16"),
	1, "f 2\nf;g 1", NULL, NULL},

	{"austin: lines", FG_FORMAT_AUSTIN, NULL, 0, "P1;T1;a 5\nP1;T1;a;b 7\nP1;T1;a 3\nP1;T1;c 0\n",
	0, "a 8\na;b 7", "a 2\na;b 1\nc 1", "a 34\na;b 49"},
	{"austin: as long as the interval", FG_FORMAT_AUSTIN, NULL, 0, "# interval: 5\nP1;T1;a 5\nP1;T1;a 5\n",
	5, "a 10", NULL, NULL},
	{"austin: the same, but not the interval", FG_FORMAT_AUSTIN, NULL, 0,
		"# interval: 4\nP1;T1;a 5\nP1;T1;a 5\n",
	4, "a 10", "a 2", "a 50"},
	{"austin: the same, no interval", FG_FORMAT_AUSTIN, NULL, 0, "P1;T1;a 5\nP1;T1;a 5\n",
	5, "a 10", NULL, NULL},
	{"austin: one sample says nothing of others", FG_FORMAT_AUSTIN, NULL, 0, "P1;T1;a 5\n",
	0, "a 5", "a 1", "a 25"},
	{"austin: cpu has the samples that were not idle", FG_FORMAT_AUSTIN, "cpu", 0,
		"# austin: 3\nP1;T1;a 5,0,0\nP1;T1;a 7,1,0\nP1;T1;a 6,0,0\n",
	0, "a 11", "a 2", "a 61"},
	{"austin: idle has the others", FG_FORMAT_AUSTIN, "idle", 0,
		"# austin: 3\nP1;T1;a 5,0,0\nP1;T1;a 7,1,0\nP1;T1;a 6,1,0\n",
	0, "a 13", "a 2", "a 85"},
	{"austin: memory has the changes", FG_FORMAT_AUSTIN, "memory", 0,
		"# austin: 3\nP1;T1;a 5,0,0\nP1;T1;a 7,1,16\nP1;T1;a 6,1,8\n",
	0, "a 24", "a 2", "a 320"},
	{"austin: memory that was released is no amount", FG_FORMAT_AUSTIN, "memory", 0,
		"# austin: 3\nP1;T1;a 5,0,-16\nP1;T1;a 7,1,16\nP1;T1;b 6,1,8\n",
	0, "b 8", NULL, NULL},
	{"austin: cut off stacks are not of the complete ones", FG_FORMAT_AUSTIN, NULL, 2,
		"P1;T1;a 5\nP1;T1;a;b 7\nP1;T1;a 3\n",
	0, "a 8", "a 2", "a 34"},

	{"speedscope: entries", FG_FORMAT_SPEEDSCOPE, NULL, 0,
		SPEEDSCOPE(SAMPLED("[0],[0,1],[0],[],[1]", "0.5,2,1.5,4,0")),
	0, " 4\nf 2\nf;g 2", " 1\nf 2\nf;g 1\ng 1", " 16\nf 2.5\nf;g 4"},
	{"speedscope: of several profiles", FG_FORMAT_SPEEDSCOPE, NULL, 0,
		SPEEDSCOPE(SAMPLED("[0],[0]", "1,2") "," SAMPLED("[0],[1]", "4,8")),
	0, "f 7\ng 8", "f 3\ng 1", "f 21\ng 64"},
	{"speedscope: equal weights", FG_FORMAT_SPEEDSCOPE, NULL, 0, SPEEDSCOPE(SAMPLED("[0],[0,1]", "0.25,0.25")),
	0.25, "f 0.25\nf;g 0.25", NULL, NULL},
	{"speedscope: weights of nothing", FG_FORMAT_SPEEDSCOPE, NULL, 0, SPEEDSCOPE(SAMPLED("[0],[0]", "0,0")),
	0, "", "f 2", ""},
	{"speedscope: events are no samples", FG_FORMAT_SPEEDSCOPE, NULL, 0,
		SPEEDSCOPE(SAMPLED("[0],[0]", "1,2") "," EVENTED),
	0, "f 11", NULL, NULL},
	{"speedscope: a weight below 0", FG_FORMAT_SPEEDSCOPE, NULL, 0, SPEEDSCOPE(SAMPLED("[0],[1]", "1,-2")),
	0, "f 1\ng -2", "f 1\ng 1", "f 1\ng 4"},
	{"speedscope: all weights below 0", FG_FORMAT_SPEEDSCOPE, NULL, 0, SPEEDSCOPE(SAMPLED("[0],[1]", "-2,-2")),
	0, "f -2\ng -2", "f 1\ng 1", "f 4\ng 4"},
	{"speedscope: squares that do not fit", FG_FORMAT_SPEEDSCOPE, NULL, 0,
		SPEEDSCOPE(SAMPLED("[0],[1],[0]", "1,1e200,1")),
	0, "f 2\ng 1e+200", NULL, NULL},
	{"speedscope: squares of which the sum does not fit", FG_FORMAT_SPEEDSCOPE, NULL, 0,
		SPEEDSCOPE(SAMPLED("[0],[1],[]", "1.2e154,1.2e154,1")),
	0, " 1\nf 1.2e+154\ng 1.2e+154", NULL, NULL},

	{"perf: periods", FG_FORMAT_PERF, NULL, 0,
		"a 1 1.5: 3 cycles: \n\tab f (o)\n\na 1 1.6: 4 cycles: \n\tab f (o)\n\na 1 1.7: 2 cycles: \n\tac g (o)\n\n",
	0, "a;f 7\na;g 2", "a;f 2\na;g 1", "a;f 25\na;g 4"},
	{"perf: one period", FG_FORMAT_PERF, NULL, 0,
		"a 1 1.5: 3 cycles: \n\tab f (o)\n\na 1 1.6: 3 cycles: \n\tab f (o)\n\n",
	3, "a;f 6", NULL, NULL},
	{"perf: no period", FG_FORMAT_PERF, NULL, 0,
		"a 1 1.5: cycles: \n\tab f (o)\n\na 1 1.6: cycles: \n\tab f (o)\n\n",
	1, "a;f 2", NULL, NULL},

	{"JFR: durations; cut off stacks are not of the complete ones", FG_FORMAT_JFR, "lock", 0,
		JFR(PARK("0.000000003", "false", "f") "," PARK("0.000000004", "false", "f") ","
			PARK("0.000000007", "true", "f") "," PARK("0.000000001", "false", "g")),
	0, "f 7\ng 1", "f 2\ng 1", "f 25\ng 1"},
	{"JFR: events that weigh 1", FG_FORMAT_JFR, "exception", 0,
		JFR("{\"type\":\"jdk.JavaExceptionThrow\",\"values\":{}},{\"type\":\"jdk.JavaExceptionThrow\",\"values\":{}}"),
	1, " 2", NULL, NULL},

	{"folded: sums only", FG_FORMAT_FOLDED, NULL, 0, "a 3\na 4\nb 1\n", 0, "a 7\nb 1", NULL, NULL}
};

static void
check_row(const Row *row)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("%s", row->what);
	options.format = row->format;
	options.selection = row->selection;
	options.max_depth = row->max_depth;
	if (!CHECK(recording_read(&ctx, row->text, strlen(row->text), 0, &options, &recording)))
	{
		printf("    line %u: %s\n", (unsigned) ctx.error.line, ctx.error.reason);
		return;
	}
	CHECK(recording.profiles[0].period == row->period);
	recording_is(&ctx, &recording.profiles[0].complete, row->complete);
	recording_weighs(&ctx, &recording.profiles[0], row->samples, row->noise);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
	recording_check_blocks(row->text, strlen(row->text), 1, &options);
}

/* --- files that were summed up before -------------------------------------------------- */

/* So many lines of austin, each with a stack of its own; the last one twice if wanted. */
static void
check_summed(int count, bool again, bool weighed)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	char		text[2000];
	size_t		size = 0;

	for (int i = 0; i < count + again; i++)
		size += (size_t) snprintf(text + size, sizeof(text) - size, "P1;T1;f%d %d\n",
								  i < count ? i : count - 1, i + 1);
	if (CHECK(recording_read(&ctx, text, size, 0, &options, &recording)))
	{
		CHECK(recording.profiles[0].weighed == weighed);
		CHECK(recording.profiles[0].period == 0);
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_summed(void)
{
	unit_case("a file in which no stack has two samples was summed up before");
	check_summed(19, false, true);
	check_summed(20, false, false);
	check_summed(20, true, true);
}

/* --- every failure ------------------------------------------------------------------------ */

static void
test_sweep(void)
{
	static const char text[] = "P1;T1;a;b 5\nP1;T1;a 7\nP1;T1;a;b 3\nP1;T1;c 0\n";
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	unit_case("weights: any failure");
	recording_sweep("weights", text, sizeof(text) - 1, &options, 1);
	recording_sweep("weights over positions", rows[15].text, strlen(rows[15].text), &options, 1);
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(&rows[i]);
	test_summed();
	test_sweep();
	return unit_finish();
}
