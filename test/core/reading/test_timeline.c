/*
 * test_timeline.c
 *	  The samples of recordings one by one: times, threads, what is kept back, limits.
 *	  Expected values are worked out by hand; files of real tools are compared with a
 *	  reader of their own in test/t/065_samples.pl.
 */
#include "recordings.h"

#include "core/reading/timeline.h"

#include <math.h>
#include <stdlib.h>

/* A line for each sample, in the order in which they come. */
typedef struct Lines
{
	char		text[4000];
	size_t		size;
	size_t		count;
	FgTaker		taker;
} Lines;

static bool
take_line(void *arg, const FgTimed *timed)
{
	Lines	   *lines = arg;
	char		path[100];
	int			written;

	lines->count++;
	if (timed->path_length >= sizeof(path) || lines->size + 300 > sizeof(lines->text))
		return true;
	for (size_t i = 0; i < timed->path_length; i++)
		path[i] = timed->path[i] == '\0' ? ';' : timed->path[i];
	written = snprintf(lines->text + lines->size, sizeof(lines->text) - lines->size,
					   "%u #%u %.*s %.15g..%.15g%s %.*s %g\n", (unsigned) timed->number,
					   (unsigned) timed->order,
					   timed->has_thread ? (int) timed->thread_length : 1,
					   timed->has_thread ? timed->thread : "-", timed->start, timed->stop,
					   timed->until_next ? "?" : "", (int) timed->path_length, path, timed->value);
	lines->size += (size_t) written;
	return true;
}

static void
begin_lines(Lines *lines)
{
	*lines = (Lines) {.size = 0};
	lines->taker = (FgTaker) {take_line, lines, 0};
}

/* --- what formats give -------------------------------------------------------------- */

#define FRAME(name) "\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"\",\"lineNumber\":-1,\"columnNumber\":-1}"
#define SHARED "\"shared\":{\"frames\":[{\"name\":\"f\"},{\"name\":\"g\"}]}"
#define JFR(type, fields) "{\"type\":\"jdk." type "\",\"values\":{" fields "}}"

typedef struct Row
{
	const char *what;
	const char *selection;		/* NULL: every event */
	const char *text;
	double		ticks;
	const char *lines;
} Row;

static const Row rows[] = {
	{"austin: a clock for each thread", NULL,
		"P1;T1;a 5\nP1;T2;b 7\nP1;T1;a;c 2\n", 1e6,
	"0 #0 P1:T1 0..5 a 5\n0 #1 P1:T2 0..7 b 7\n0 #2 P1:T1 5..7 a;c 2\n"},
	{"austin: every event has the time, idle samples are none of the processor's", NULL,
		"# austin: 3.5.0\nP1;T1;a 5,0,100\nP1;T1;b 7,1,0\n", 1e6,
	"0 #0 P1:T1 0..5 a 5\n1 #1 P1:T1 0..5 a 5\n2 #2 P1:T1 0..5 a 100\n0 #3 P1:T1 5..12 b 7\n"},
	{"perf: until the next of thread and event", NULL,
		"a 1 1.000000001: x: \n\t1 f\n\n" "a 2 1.5: x: \n\t1 f\n\n" "a 1 2.0: x: \n\t2 g\n\n"
		"a 1 2.5: y: \n\t2 g\n\n" "a 1 4.000000001: x: \n\t1 f\n\n", 1e9,
		"0 #0 a-1 0..999999999? a;f 1\n" "0 #2 a-1 999999999..3000000000? a;g 1\n"
		"0 #4 a-1 3000000000..nan? a;f 1\n" "0 #1 a-2 499999999..nan? a;f 1\n"
		"1 #3 a-1 1499999999..nan? a;g 1\n"},
	{"speedscope: weights from the start value, the frames at the end", NULL,
		"{\"profiles\":[{\"samples\":[[0],[0,1]],\"weights\":[2,3],\"unit\":\"seconds\",\"name\":\"t\",\"startValue\":7}],"
		SHARED "}", 1, "0 #0 t 7..9 f 2\n0 #1 t 9..12 f;g 3\n"},
	{"speedscope: spans between events", NULL,
		"{" SHARED ",\"profiles\":[{\"unit\":\"milliseconds\",\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1},"
		"{\"type\":\"O\",\"frame\":1,\"at\":3},{\"type\":\"C\",\"frame\":1,\"at\":4},{\"type\":\"C\",\"frame\":0,\"at\":4}]}]}",
	1e3, "0 #0 - 1..3 f 2\n0 #1 - 3..4 f;g 1\n"},
	{"V8: in order of time", NULL,
		"{\"nodes\":[{\"id\":1," FRAME("f") ",\"children\":[2]},{\"id\":2," FRAME("g") "}],\"startTime\":100,"
		"\"endTime\":120,\"samples\":[2,1,2],\"timeDeltas\":[5,8,-3]}", 1e6,
	"0 #0 - 0..5 f;g 5\n0 #1 - 5..8 f;g 3\n0 #2 - 8..15 f 7\n"},
	{"JFR: durations, or until the next", NULL,
		"{\"recording\":{\"events\":["
		JFR("ExecutionSample", "\"startTime\":\"2024-12-31T23:59:59.999999999Z\",\"sampledThread\":{\"javaName\":\"t\"}") ","
		JFR("ThreadPark", "\"startTime\":\"2025-01-01T01:00:00.000000001+01:00\",\"duration\":\"PT2S\"") ","
		JFR("ExecutionSample", "\"startTime\":\"2025-01-01T00:00:01Z\",\"sampledThread\":{\"javaName\":\"t\"}")
		"]}}", 1e9,
	"1 #1 - 2..2000000002  2e+09\n0 #0 t 0..1000000001?  1\n0 #2 t 1000000001..nan?  1\n"},
	{"a selection", "y",
		"a 1 1.5: x: \n\t1 f\n\n" "a 1 2.0: y: \n\t2 g\n\n", 1e9, "0 #0 a-1 500000000..nan? a;g 1\n"}
};

static void
check_row(const Row *row)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	size_t		size = strlen(row->text);
	Lines		lines;
	Lines		cut;

	unit_note("%s", row->what);
	begin_lines(&lines);
	options.selection = row->selection;
	options.every = row->selection == NULL;
	options.taker = &lines.taker;
	if (CHECK(recording_read(&ctx, row->text, size, 0, &options, &recording)))
	{
		CHECK_TEXT(lines.text, lines.size, row->lines);
		CHECK_DOUBLE(recording.ticks_per_second, row->ticks);
		fg_recording_free(&ctx, &recording);
	}
	else
		printf("    line %u: %s\n", (unsigned) ctx.error.line, ctx.error.reason);
	options.taker = &cut.taker;
	for (size_t block = 1; block < 9; block++)
	{
		begin_lines(&cut);
		CHECK(recording_read(&ctx, row->text, size, block, &options, &recording));
		CHECK_TEXT(cut.text, cut.size, row->lines);
		fg_recording_free(&ctx, &recording);
	}
	begin_lines(&cut);
	recording_sweep(row->what, row->text, size, &options, 0);
	CHECK_COUNT(memory.blocks, 0);
	unit_note("%s", "");
}

static void
test_formats(void)
{
	unit_case("what formats give");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

/* --- how long a sample lasts ----------------------------------------------------------- */

static double
stop_of(double start, double next, double period, double gap)
{
	return fg_timed_stop(&(FgTimed) {.until_next = true, .start = start, .stop = next, .period = period}, gap);
}

static void
test_stops(void)
{
	FgTimed		own = {.start = 1, .stop = 100};

	unit_case("how long a sample lasts");
	CHECK_DOUBLE(fg_timed_stop(&own, 2), 100);
	CHECK_DOUBLE(stop_of(10, 13, 2, 9), 13);
	CHECK_DOUBLE(stop_of(10, 14, 2, 9), 14);
	CHECK_DOUBLE(stop_of(10, 15, 2, 9), 14);
	CHECK_DOUBLE(stop_of(10, 15, 0, 2), 14);
	CHECK_DOUBLE(stop_of(10, NAN, 2, 9), 12);
	CHECK_DOUBLE(stop_of(10, NAN, 0, 9), 19);
	CHECK_DOUBLE(stop_of(10, NAN, 0, 0), 10);
	CHECK_DOUBLE(stop_of(10, 8, 2, 9), 12);
}

static bool
add_until_next(FgTimeline *timeline, const char *thread, double start)
{
	FgTimed		timed = {.has_thread = true, .thread = thread, .thread_length = strlen(thread),
	.until_next = true, .start = start, .path = "f", .path_length = 1};

	return fg_timeline_add(timeline, &timed);
}

static void
test_gaps(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Lines		lines;
	FgTimeline *timeline;
	double		gap;

	unit_case("the typical gap");
	begin_lines(&lines);
	timeline = fg_timeline_create(&ctx, &lines.taker);
	CHECK(fg_timeline_gap(timeline, 0, &gap));
	CHECK_DOUBLE(gap, 0);
	/* of one thread 0, 2, 2, 3; none between threads, none backwards, none of 0 */
	CHECK(add_until_next(timeline, "a", 0) && add_until_next(timeline, "b", 50) &&
		  add_until_next(timeline, "a", 2) && add_until_next(timeline, "a", 2) &&
		  add_until_next(timeline, "a", 4) && add_until_next(timeline, "a", 7) &&
		  add_until_next(timeline, "a", 1));
	CHECK(fg_timeline_gap(timeline, 0, &gap));
	CHECK_DOUBLE(gap, 2);
	/* two more gaps than are looked at: all but the first three are 10 */
	for (int i = 1; i <= FG_TIMELINE_GAPS + 2; i++)
		CHECK(add_until_next(timeline, "c", i <= FG_TIMELINE_GAPS / 2 + 2 ? i * 10 : i * 1000));
	CHECK(fg_timeline_gap(timeline, 0, &gap));
	CHECK_DOUBLE(gap, 10);
	CHECK(fg_timeline_gap(timeline, 1, &gap));
	CHECK_DOUBLE(gap, 0);
	CHECK_COUNT(lines.count, FG_TIMELINE_GAPS + 6);
	CHECK(fg_timeline_finish(timeline));
	CHECK_COUNT(lines.count, FG_TIMELINE_GAPS + 9);
	fg_timeline_free(timeline);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- limits ------------------------------------------------------------------------------ */

static void
test_limits(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Lines		lines;
	FgTimeline *timeline;
	FgTimed		large = {.has_thread = true, .thread = "t", .thread_length = 1, .until_next = true};
	size_t		size = FG_MAX_PENDING_BYTES / 2 + 1;
	char	   *path = calloc(size, 1);
	double		before = 1;
	bool		ok = true;

	unit_case("limits");
	begin_lines(&lines);
	timeline = fg_timeline_create(&ctx, &lines.taker);
	large.path = path;
	large.path_length = size;
	CHECK(fg_timeline_add(timeline, &large));
	/* the same thread again: it replaces what was kept */
	CHECK(fg_timeline_add(timeline, &large));
	large.thread = "u";
	CHECK_ERROR(fg_timeline_add(timeline, &large), &ctx, FG_ERROR_LIMIT);
	fg_timeline_free(timeline);
	free(path);

	timeline = fg_timeline_create(&ctx, &lines.taker);
	CHECK(fg_timeline_advance(timeline, "t", 1, 1e308, &before));
	CHECK_DOUBLE(before, 0);
	CHECK_ERROR(fg_timeline_advance(timeline, "t", 1, 1e308, &before), &ctx, FG_ERROR_RANGE);
	for (uint32_t i = 1; ok && i < FG_MAX_LANES; i++)
		ok = fg_timeline_advance(timeline, (char *) &i, sizeof(i), 1, &before);
	CHECK(ok);
	CHECK_ERROR(fg_timeline_advance(timeline, "more", 5, 1, &before), &ctx, FG_ERROR_LIMIT);
	CHECK(fg_timeline_advance(timeline, "\1\0\0\0", 4, 1, &before));
	CHECK_DOUBLE(before, 1);
	fg_timeline_free(timeline);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_formats();
	test_stops();
	test_gaps();
	test_limits();
	return unit_finish();
}
