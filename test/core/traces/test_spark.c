/*
 * test_spark.c
 *	  Spark event logs: the parts of tasks, the log of test/data/jobs whole, in blocks, packed,
 *	  backwards and damaged, and what is no such log.
 *
 * What the whole log has to give, test/t/103_jobs_import.pl has from a reader of its own;
 * here are values worked out by hand, and what holds for any log.
 */
#include "unit.h"

#include "core/reading/json_tokens.h"
#include "core/traces/spark.h"

#include <inttypes.h>
#include <stdarg.h>
#include <zlib.h>

#define LOG "test/data/jobs/spark-events.json"
#define EPOCH_MS INT64_C(946684800000)
#define MAX_UNPACKED (UINT64_C(1) << 30)

static char *events;
static size_t events_size;

/* --- what comes out -------------------------------------------------------------- */

/* A line for each row, and what holds for all of them. */
typedef struct Rows
{
	char	   *text;
	size_t		size;
	size_t		capacity;
	FgSparkPhase *phases;		/* by id - 1, without their instances */
	size_t		count;
	int64_t		usage_resource;
	int64_t		usage_end;
	bool		sound;
} Rows;

static const char *const kinds[] = {
	"application", "job", "stage", "task", "delay", "deserialize", "fetch", "compute", "gc", "write",
	"serialize", "getting"
};

__attribute__((format(printf, 2, 3)))
static void
add_line(Rows *rows, const char *format,...)
{
	va_list		args;

	if (rows->size + 1000 > rows->capacity)
	{
		rows->capacity = rows->capacity * 2 + 4000;
		rows->text = realloc(rows->text, rows->capacity);
	}
	va_start(args, format);
	rows->size += (size_t) vsnprintf(rows->text + rows->size, 1000, format, args);
	va_end(args);
}

/* Milliseconds after the log's first one. */
static int64_t
ms(int64_t time)
{
	return time / 1000 + EPOCH_MS - INT64_C(1700000000000);
}

/* Parts follow each other without a gap and fill their task. */
static bool
phase_sound(const Rows *rows, const FgSparkPhase *phase)
{
	const FgSparkPhase *parent = phase->parent > 0 ? &rows->phases[phase->parent - 1] : NULL;
	const FgSparkPhase *before = rows->count > 0 ? &rows->phases[rows->count - 1] : NULL;

	if (phase->id != (int64_t) rows->count + 1 || phase->end < phase->start ||
		(parent == NULL) != (rows->count == 0) || phase->parent >= phase->id)
		return false;
	if (before != NULL && before->kind >= FG_SPARK_TASK_PART &&
		phase->kind < FG_SPARK_TASK_PART && before->end != rows->phases[before->parent - 1].end)
		return false;
	if (phase->kind < FG_SPARK_TASK_PART)
		return parent == NULL || (int) parent->kind == (int) phase->kind - 1;
	return parent->kind == FG_SPARK_TASK && parent->depth == phase->depth &&
		phase->end > phase->start && phase->end <= parent->end &&
		phase->start == (before->kind == FG_SPARK_TASK ? parent->start : before->end);
}

static bool
take_phase(void *arg, const FgSparkPhase *phase)
{
	Rows	   *rows = arg;

	rows->sound &= phase_sound(rows, phase);
	rows->phases = realloc(rows->phases, (rows->count + 1) * sizeof(FgSparkPhase));
	rows->phases[rows->count++] = *phase;
	add_line(rows, "%" PRId64 " %" PRId64 " %s %u '%.*s' %" PRId64 "-%" PRId64 "\n", phase->id,
			 phase->parent, kinds[phase->kind], phase->depth, (int) phase->instance.size,
			 phase->instance.bytes, ms(phase->start), ms(phase->end));
	return true;
}

static bool
take_resource(void *arg, const FgSparkResource *resource)
{
	Rows	   *rows = arg;

	rows->sound &= (resource->parent == 0) == (resource->kind == FG_SPARK_EXECUTOR_BOX);
	add_line(rows, "resource %" PRId64 " %" PRId64 " %d '%.*s' %g\n", resource->id, resource->parent,
			 (int) resource->kind, (int) resource->instance.size, resource->instance.bytes,
			 resource->capacity);
	return true;
}

static bool
take_access(void *arg, int64_t phase, int64_t resource)
{
	Rows	   *rows = arg;

	rows->sound &= phase == (int64_t) rows->count &&
		rows->phases[phase - 1].kind == FG_SPARK_TASK;
	add_line(rows, "access %" PRId64 " %" PRId64 "\n", phase, resource);
	return true;
}

static bool
take_usage(void *arg, int64_t resource, int64_t start, int64_t end, double usage)
{
	Rows	   *rows = arg;

	rows->sound &= start < end && usage >= 0 && resource >= rows->usage_resource &&
		(resource > rows->usage_resource || start >= rows->usage_end);
	rows->usage_resource = resource;
	rows->usage_end = end;
	add_line(rows, "usage %" PRId64 " %" PRId64 "-%" PRId64 " %.9f\n", resource, ms(start), ms(end),
			 usage);
	return true;
}

static bool
take_blocked(void *arg, int64_t resource, int64_t start, int64_t end)
{
	Rows	   *rows = arg;

	rows->sound &= start < end;
	add_line(rows, "blocked %" PRId64 " %" PRId64 "-%" PRId64 "\n", resource, ms(start), ms(end));
	return true;
}

static void
free_rows(Rows *rows)
{
	free(rows->text);
	free(rows->phases);
}

static bool
read_log(FgContext *ctx, const char *bytes, size_t size, size_t block, FgSparkCounts *counts,
		 Rows *rows)
{
	FgSparkSink sink = {rows, take_phase, take_resource, take_access, take_usage, take_blocked};
	FgSpark    *spark = fg_spark_open(ctx, MAX_UNPACKED);
	FgSparkSummary summary;
	bool		ok = spark != NULL;

	*rows = (Rows) {.sound = true};
	for (size_t done = 0; ok && done < size; done += block)
		ok = fg_spark_feed(spark, bytes + done, size - done < block ? size - done : block);
	ok = ok && fg_spark_finish(spark, &summary);
	if (ok)
	{
		add_line(rows, "'%.*s' '%.*s' '%.*s' %" PRId64 " %u\n", (int) summary.name.size,
				 summary.name.bytes, (int) summary.id.size, summary.id.bytes,
				 (int) summary.version.size, summary.version.bytes, ms(summary.start),
				 summary.depths);
		*counts = summary.counts;
		ok = fg_spark_emit(spark, &sink);
	}
	fg_spark_close(spark);
	return ok;
}

/* Reads what has to be readable. */
static Rows
read_well(const char *bytes, size_t size, size_t block, FgSparkCounts *counts)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Rows		rows;

	CHECK(read_log(&ctx, bytes, size, block, counts, &rows));
	CHECK(rows.sound);
	CHECK_COUNT(memory.blocks, 0);
	return rows;
}

static void
has(const Rows *rows, const char *line)
{
	if (!CHECK(strstr(rows->text, line) != NULL))
		printf("    no line \"%s\"\n", line);
}

/* --- parts ------------------------------------------------------------------------- */

static void
check_parts(FgSparkTimes times, bool fits, const int64_t expected[FG_SPARK_PARTS])
{
	int64_t		parts[FG_SPARK_PARTS];

	CHECK_COUNT(fg_spark_parts(&times, parts), fits);
	CHECK(memcmp(parts, expected, sizeof(parts)) == 0);
}

static void
test_parts(void)
{
	FgSparkTimes all = {1000, 2000, 1900, true, 100, 600, 50, 200, 30, 40999999};
	FgSparkTimes times = all;

	unit_case("parts of a task");
	check_parts(all, true, (int64_t[]) {150, 100, 200, 330, 30, 40, 50, 100});
	times.getting_result = 0;
	check_parts(times, true, (int64_t[]) {250, 100, 200, 330, 30, 40, 50, 0});
	times.measured = false;
	check_parts(times, true, (int64_t[]) {0, 0, 0, 1000, 0, 0, 0, 0});

	unit_case("parts that do not fit");
	times = all;
	times.run = 780;			/* 30 too long: no delay, the result's packing gives way */
	check_parts(times, false, (int64_t[]) {0, 100, 200, 510, 30, 40, 20, 100});
	times = all;
	times.gc = 500;				/* more than the run has left */
	check_parts(times, false, (int64_t[]) {150, 100, 200, 0, 360, 40, 50, 100});
	times = all;
	times.getting_result = 500; /* before the launch */
	check_parts(times, false, (int64_t[]) {0, 0, 0, 0, 0, 0, 0, 1000});
	times = all;
	times.deserialize = -5;
	check_parts(times, false, (int64_t[]) {250, 0, 200, 330, 30, 40, 50, 100});
	times = all;
	times.finish = times.launch;
	check_parts(times, false, (int64_t[]) {0, 0, 0, 0, 0, 0, 0, 0});
}

/* --- the log ------------------------------------------------------------------------- */

static void
test_values(void)
{
	FgSparkCounts counts;
	Rows		rows = read_well(events, events_size, events_size, &counts);

	unit_case("values of the log");
	has(&rows, "'w\xC3\xB6rds' 'app-1' '3.5.1' 0 3\n");
	has(&rows, "1 0 application 0 'app-1' 0-4500\n");
	has(&rows, "2 1 job 0 '0' 1000-3002\n");
	has(&rows, "3 2 stage 0 '0.0 map at W.scala:1' 1010-1852\n");
	/* 480 ms: 45 of delay, 30, 400 with 20 of gc and 50 of writing, 5 */
	has(&rows, "4 3 task 0 '0.0' 1020-1500\naccess 4 1\n5 4 delay 0 '' 1020-1065\n"
		"6 4 deserialize 0 '' 1065-1095\n7 4 compute 0 '' 1095-1425\n8 4 gc 0 '' 1425-1445\n"
		"blocked 3 1425-1445\n9 4 write 0 '' 1445-1495\n10 4 serialize 0 '' 1495-1500\n");
	has(&rows, "'2.1 speculative killed' 1600-1855\n");
	/* attempts behind others: what failed to fetch, its input once more, itself once more */
	has(&rows, "stage 1 '1.0 reduce at W.scala:2' 1860-1960\n");
	has(&rows, "stage 1 '0.1 map at W.scala:1' 2160-2245\n");
	has(&rows, "stage 2 '1.1 reduce at W.scala:2' 2246-3001\n");
	/* the stage of two jobs is the first one's; the other begins behind nothing */
	has(&rows, "stage 0 '3.0 join at W.scala:3' 3110-3401\n");
	has(&rows, "stage 1 '4.0' 3402-3507\n");
	has(&rows, "stage 0 '5.0 save at W.scala:5' 3402-4255\n");
	/* executors by number, each with cores, gc and fetch */
	has(&rows, "resource 9 0 0 '10' nan\nresource 10 9 1 '10' 4\n");
	has(&rows, "usage 2 1065-1090 0.666666667\n");
	/* 300 ms in 380 of one task and 40 in 100 of another, added where both compute */
	has(&rows, "usage 2 1100-1200 1.189473684\n");
	has(&rows, "usage 6 1148-1848 0.142857143\n");
	CHECK_COUNT(counts.contradictory, 2);
	counts.contradictory = 0;
	CHECK(memcmp(&counts, &(FgSparkCounts) {.unreadable = 0}, sizeof(counts)) == 0);
	free_rows(&rows);
}

/* Jobs 0 to 3 list stage 1; job 0 starts last, job 1 has ended, job 3 goes on. */
static void
test_owners(void)
{
	static const int times[][2] = {{5000, 6000}, {1000, 2000}, {2500, 3000}, {2600, 0}};
	static const int submitted[] = {2700, 4000, 100};
	char		text[3000];
	size_t		size = 0;
	FgSparkCounts counts;
	Rows		rows;

	for (int i = 0; i < 4; i++)
	{
		size += (size_t) sprintf(text + size, "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":%d,"
								 "\"Submission Time\":170000000%04d,\"Stage IDs\":[1]}\n", i, times[i][0]);
		if (times[i][1] > 0)
			size += (size_t) sprintf(text + size, "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":%d,"
									 "\"Completion Time\":170000000%04d}\n", i, times[i][1]);
	}
	for (int i = 0; i < 3; i++)
		size += (size_t) sprintf(text + size, "{\"Event\":\"SparkListenerStageSubmitted\",\"Stage Info\":"
								 "{\"Stage ID\":1,\"Stage Attempt ID\":%d,\"Submission Time\":170000000%04d}}\n",
								 i, submitted[i]);
	unit_case("whose a stage is");
	rows = read_well(text, size, size, &counts);
	/* active then, the first of them; else the first that lists it */
	has(&rows, " job 0 '0' 5000-6000\n3 2 stage 0 '1.2' 100-6000\n");
	has(&rows, " job 0 '2' 2500-3000\n6 5 stage 0 '1.0' 2700-3000\n");
	has(&rows, " job 0 '3' 2600-6000\n8 7 stage 0 '1.1' 4000-6000\n");
	free_rows(&rows);
}

/* Reads once more, and compares. */
static void
same(const Rows *expected, const char *bytes, size_t size, size_t block)
{
	FgSparkCounts counts;
	Rows		rows = read_well(bytes, size, block, &counts);

	CHECK_BYTES(rows.text, rows.size, expected->text, expected->size);
	free_rows(&rows);
}

static char *
packed(const char *bytes, size_t size, size_t *packed_size)
{
	z_stream	stream = {.next_in = (Bytef *) (uintptr_t) bytes, .avail_in = (uInt) size};
	char	   *to = malloc(size + 1000);

	stream.next_out = (Bytef *) to;
	stream.avail_out = (uInt) size + 1000;
	CHECK(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
		  deflate(&stream, Z_FINISH) == Z_STREAM_END);
	*packed_size = stream.total_out;
	deflateEnd(&stream);
	return to;
}

/* The lines, the last one first. */
static char *
backwards(void)
{
	char	   *to = malloc(events_size);
	size_t		size = 0;

	for (size_t end = events_size; end > 0;)
	{
		size_t		start = end - 1;

		while (start > 0 && events[start - 1] != '\n')
			start--;
		memcpy(to + size, events + start, end - start);
		size += end - start;
		end = start;
	}
	return to;
}

static void
test_same(void)
{
	FgSparkCounts counts;
	Rows		rows = read_well(events, events_size, events_size, &counts);
	size_t		size;
	char	   *bytes = packed(events, events_size, &size);

	unit_case("in blocks and packed");
	same(&rows, events, events_size, 1);
	same(&rows, events, events_size, 61);
	same(&rows, events, events_size - 1, 4096);
	same(&rows, bytes, size, size);
	same(&rows, bytes, size, 3);
	free(bytes);
	unit_case("backwards, and every line twice");
	bytes = backwards();
	same(&rows, bytes, events_size, 1000);
	bytes = realloc(bytes, 2 * events_size);
	memcpy(bytes + events_size, events, events_size);
	same(&rows, bytes, 2 * events_size, 2 * events_size);
	free(bytes);
	free_rows(&rows);
}

/* --- damage ---------------------------------------------------------------------------- */

static void
test_cut(void)
{
	FgSparkCounts counts;
	size_t		size;
	char	   *bytes = packed(events, events_size, &size);
	Rows		rows;

	unit_case("cut off anywhere");
	for (size_t end = events_size - 1; end > 2000; end -= end < 200 ? 1 : 199)
	{
		rows = read_well(events, end, 5000, &counts);
		CHECK(counts.unreadable <= 1);
		free_rows(&rows);
	}
	unit_case("cut off in a task");
	rows = read_well(events, (size_t) (strstr(events, "\"Task ID\":2,\"Index\":2") - events), 5000,
					 &counts);
	CHECK(counts.running && counts.running_jobs == 1 && counts.running_stages == 1);
	CHECK_COUNT(counts.running_tasks, 2);
	CHECK_COUNT(counts.unreadable, 1);
	has(&rows, "1 0 application 0 'app-1' 0-1021\n2 1 job 0 '0' 1000-1021\n");
	free_rows(&rows);
	unit_case("gzip that ends in the middle");
	rows = read_well(bytes, size - 100, 5000, &counts);
	CHECK(counts.cut && counts.running);
	free_rows(&rows);
	bytes[size - 6] ^= 1;		/* the check sum */
	rows = read_well(bytes, size, 5000, &counts);
	CHECK(counts.cut && !counts.running);
	free_rows(&rows);
	free(bytes);
}

/* The log with a line put in behind the first one. */
static Rows
with_line(const char *line, size_t length, FgSparkCounts *counts)
{
	size_t		first = (size_t) (strchr(events, '\n') + 1 - events);
	char	   *bytes = malloc(events_size + length + 1);
	Rows		rows;

	memcpy(bytes, events, first);
	memcpy(bytes + first, line, length);
	bytes[first + length] = '\n';
	memcpy(bytes + first + length + 1, events + first, events_size - first);
	rows = read_well(bytes, events_size + length + 1, 100000, counts);
	free(bytes);
	return rows;
}

/* An unreadable line changes nothing but the count. */
static void
unreadable(const char *line, size_t length)
{
	FgSparkCounts counts;
	Rows		expected = read_well(events, events_size, events_size, &counts);
	Rows		rows = with_line(line, length, &counts);

	CHECK_BYTES(rows.text, rows.size, expected.text, expected.size);
	CHECK_COUNT(counts.unreadable, 1);
	CHECK_COUNT(counts.first_unreadable, 2);
	free_rows(&rows);
	free_rows(&expected);
}

static void
test_damaged_lines(void)
{
	static const char *const lines[] = {
		"{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,", "rubbish", "[]", "{}", "{\"Event\":7}",
		"{\"Event\":\"SparkListenerJobStart\"} x", "{\"Event\":\"SparkListenerJobEnd\",\"a\":\"\xFF\"}",
	};
	size_t		large = 2 * FG_JSON_MAX_STRING + 200000;
	char	   *line = malloc(large);

	unit_case("lines that cannot be read");
	for (size_t i = 0; i < COUNT(lines); i++)
		unreadable(lines[i], strlen(lines[i]));
	unreadable("{\"Event\":\"Spark\0ListenerTaskEnd\"}", 33);
	unit_case("a line nested too deep, and a string too long");
	memset(line, '[', large);
	memcpy(line, "{\"x\":", 5);
	unreadable(line, 100000);
	/* the limit that is shipped is that of the JSON formats' test; a line of it takes seconds */
	if (FG_JSON_STRING_MB <= 4)
	{
		memset(line, 'a', large);
		memcpy(line, "{\"x\":\"", 6);
		unreadable(line, large);
	}
	free(line);
}

/* What a line with values that make no sense leads to. */
static void
test_odd_values(void)
{
	FgSparkCounts counts;
	Rows		rows;
	static const char incomplete[] = "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":\"0\","
		"\"Stage Attempt ID\":0,\"Task Info\":{\"Task ID\":77,\"Index\":1e99}}";
	static const char foreign[] = "{\"x\":1,\"Event\":\"com.x.Mine\"}";
	static const char name[] = "{\"Event\":\"SparkListenerStageSubmitted\",\"Stage Info\":{"
		"\"Stage ID\":4,\"Stage Attempt ID\":0,\"Stage Name\":\"a\\u0000\\n\\\"</x>\",\"Parent IDs\":{},"
		"\"Submission Time\":-1}}";
	static const char job[] = "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":9007199254740991,"
		"\"Completion Time\":1700000000001}";

	unit_case("odd values");
	rows = with_line(incomplete, strlen(incomplete), &counts);
	CHECK_COUNT(counts.incomplete, 1);
	free_rows(&rows);
	rows = with_line(foreign, strlen(foreign), &counts);
	CHECK_COUNT(counts.unknown, 1);
	free_rows(&rows);
	rows = with_line(name, strlen(name), &counts);
	has(&rows, "stage 1 '4.0 a  \"</x>' 3402-3507\n");
	free_rows(&rows);
	rows = with_line(job, strlen(job), &counts);
	CHECK_COUNT(counts.incomplete, 1);
	free_rows(&rows);
}

static void
refused(const char *bytes, size_t size, FgErrorCode code)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgSparkCounts counts;
	Rows		rows;

	CHECK_ERROR(read_log(&ctx, bytes, size, 1000, &counts, &rows), &ctx, code);
	CHECK(ctx.error.hint != NULL);
	CHECK_COUNT(memory.blocks, 0);
	free_rows(&rows);
}

static void
test_refused(void)
{
	static const char version[] = "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"4.0.0\"}";
	static const char two[] =
		"{\"Event\":\"SparkListenerApplicationStart\",\"App ID\":\"a\",\"Timestamp\":1}\n"
		"{\"Event\":\"SparkListenerApplicationStart\",\"App ID\":\"b\",\"Timestamp\":1}\n";

	unit_case("no log of one application");
	refused("", 0, FG_ERROR_SYNTAX);
	refused("{\"Event\":\"com.x.Y\"}\nhello\n", 27, FG_ERROR_SYNTAX);
	refused("\x28\xB5\x2F\xFDx", 5, FG_ERROR_SYNTAX);
	refused("\x1F\x8Bx", 3, FG_ERROR_SYNTAX);
	refused(version, strlen(version), FG_ERROR_SYNTAX);
	refused(two, strlen(two), FG_ERROR_SYNTAX);
}

/* --- sweeps ------------------------------------------------------------------------------- */

static bool
read_once(FgContext *ctx, void *arg)
{
	FgSparkCounts counts;
	Rows		rows;
	bool		ok = read_log(ctx, events, events_size, 8000, &counts, &rows);

	(void) arg;
	free_rows(&rows);
	return ok;
}

int
main(void)
{
	FILE	   *file = fopen(LOG, "rb");

	events = calloc(1, 1 << 20);
	events_size = file != NULL ? fread(events, 1, (1 << 20) - 1, file) : 0;
	if (file == NULL || events_size == 0)
	{
		printf("no file %s\n", LOG);
		return 1;
	}
	fclose(file);
	test_parts();
	test_values();
	test_owners();
	test_same();
	test_cut();
	test_damaged_lines();
	test_odd_values();
	test_refused();
	unit_sweep_memory("reading a Spark event log", read_once, NULL);
	unit_sweep_interrupts("reading a Spark event log", read_once, NULL, 1);
	free(events);
	return unit_finish();
}
