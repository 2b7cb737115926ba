/*
 * test_json_formats.c
 *	  Recordings in JSON: speedscope, V8's .cpuprofile and .heapprofile, JFR; and the stream that they are
 *	  read from.  Expected stacks are worked out by hand from the formats' documentation;
 *	  files of the real tools are compared with independent readers in test/t.
 */
#include "recordings.h"

#include "core/reading/json_stream.h"
#include "core/reading/json_tokens.h"

#include <math.h>

static FgReadOptions
options_of(FgFormat format)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.format = format;
	return options;
}

/* Facts and stacks of each profile, as "event name unit period" and texts. */
typedef struct Expected
{
	const char *facts;
	const char *complete;
	const char *truncated;
} Expected;

static void
check_profiles(const char *text, FgReadOptions options, FgFormat format,
			   const Expected *expected, size_t count)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	char		got[300];

	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
	{
		printf("    line %u, column %u: %s\n", (unsigned) ctx.error.line,
			   (unsigned) ctx.error.column, ctx.error.reason);
		return;
	}
	CHECK_COUNT(recording.format, format);
	CHECK_COUNT(recording.count, count);
	for (size_t i = 0; i < count && i < recording.count; i++)
	{
		const FgRecorded *r = &recording.profiles[i];

		snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
		CHECK_TEXT(got, strlen(got), expected[i].facts);
		recording_is(&ctx, &r->complete, expected[i].complete);
		recording_is(&ctx, &r->truncated, expected[i].truncated);
	}
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check_one(const char *text, FgReadOptions options, FgFormat format, const char *facts,
		  const char *complete, const char *truncated)
{
	Expected	expected = {facts, complete, truncated};

	check_profiles(text, options, format, &expected, 1);
	options.format = FG_FORMAT_AUTO;
	check_profiles(text, options, format, &expected, 1);
	recording_check_blocks(text, strlen(text), 1, &options);
}

static void
check_fails(const char *text, FgReadOptions options, FgErrorCode code, uint64_t line,
			uint64_t column, const char *reason)
{
	FgError		error;

	unit_note("%.60s", text);
	error = recording_fails(text, strlen(text), &options, code, reason);
	CHECK_COUNT(error.line, line);
	CHECK_COUNT(error.column, column);
	CHECK_TEXT(error.reason, strlen(error.reason), reason);
	recording_check_blocks(text, strlen(text), 1, &options);
	unit_note("%s", "");
}

/* --- the stream ------------------------------------------------------------------- */

enum
{
	A = 1, LIST, ELEMENT, B
};

static const FgJsonRule stream_rules[] = {
	{FG_JSON_ROOT, "a", A, FG_JSON_NUMBER | FG_JSON_STRING | FG_JSON_BOOL | FG_JSON_NULL},
	{FG_JSON_ROOT, "list", LIST, FG_JSON_ARRAY},
	{LIST, NULL, ELEMENT, FG_JSON_OBJECT},
	{ELEMENT, "b", B, FG_JSON_STRING},
	{0, NULL, 0, 0}
};

typedef struct Heard
{
	char		text[2000];
	size_t		length;
} Heard;

/* "place:text" for scalars, "place(" and "place)" around objects and arrays. */
static bool
hear(void *arg, int place, const FgJsonValue *value)
{
	Heard	   *heard = arg;
	bool		scalar = value->type < FG_JSON_OBJECT;

	heard->length += (size_t) snprintf(heard->text + heard->length,
									   sizeof(heard->text) - heard->length, "%d%s%.*s ", place,
									   scalar ? ":" : value->end ? ")" : "(",
									   (int) value->length, value->text != NULL ? value->text : "");
	return true;
}

static void
check_stream(const char *text, const char *expected)
{
	for (size_t block = 1; block <= strlen(text); block++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Heard		heard = {.length = 0};
		FgJson	   *json = fg_json_open(&ctx, "test", stream_rules, hear, &heard);
		bool		ok = true;

		for (size_t at = 0; ok && at < strlen(text); at += block)
			ok = fg_json_feed(json, text + at,
							  strlen(text) - at < block ? strlen(text) - at : block);
		CHECK(ok && fg_json_finish(json));
		CHECK_TEXT(heard.text, heard.length, expected);
		fg_json_close(json);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
check_stream_fails(const char *text, size_t size, FgErrorCode code, uint64_t line,
				   uint64_t column, const char *reason)
{
	for (size_t block = 1; block <= size; block++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Heard		heard = {.length = 0};
		FgJson	   *json = fg_json_open(&ctx, "test", stream_rules, hear, &heard);
		bool		ok = true;

		for (size_t at = 0; ok && at < size; at += block)
			ok = fg_json_feed(json, text + at, size - at < block ? size - at : block);
		CHECK_ERROR(ok && fg_json_finish(json), &ctx, code);
		CHECK_COUNT(ctx.error.line, line);
		CHECK_COUNT(ctx.error.column, column);
		CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), reason);
		fg_json_close(json);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_stream(void)
{
	unit_case("JSON: the wanted values, and no others");
	check_stream("{\"a\": 12345678901234567890.5, \"x\": [{\"a\": 1}], \"list\": [{\"b\": \"\\u00e9\\n\"},\n"
				 "{\"c\": {\"b\": \"no\"}, \"b\": \"\"}], \"a\": null}",
				 "0( 1:12345678901234567890.5 2( 3( 4:\xC3\xA9\n 3) 3( 4: 3) 2) 1: 0) ");
	check_stream("\xEF\xBB\xBF{}", "0( 0) ");
	check_stream("{\"a\": \"\\ud83d\\ude00 \\ud83dx \\udc00 \\ud83d\\u0041 \\u07ff\\uffff\\/\\b\"}",
				 "0( 1:\xF0\x9F\x98\x80 ?x ? ?A \xDF\xBF\xEF\xBF\xBF/\b 0) ");
	check_stream("{\"a\\u0000b\": 1, \"a\": -1e5}", "0( 1:-1e5 0) ");

	unit_case("JSON: errors have line and column");
	check_stream_fails("{\n \"list\": [\n  {\"b\": 1}]}", 25, FG_ERROR_SYNTAX, 3, 9,
					   "\"b\" is a number and not a string");
	check_stream_fails("{\"list\": [\n[]]}", 15, FG_ERROR_SYNTAX, 2, 1,
					   "an array where a test has an object");
	check_stream_fails("[]", 2, FG_ERROR_SYNTAX, 1, 1, "an array is not a test");
	check_stream_fails("{\"a\": \n", 7, FG_ERROR_SYNTAX, 2, 1, "the JSON text ends too early");
	check_stream_fails("{}\n x", 5, FG_ERROR_SYNTAX, 2, 2,
					   "not JSON: trailing garbage");
	check_stream_fails("{} \"x", 5, FG_ERROR_SYNTAX, 1, 5, "not JSON: trailing garbage");
	check_stream_fails("{\"x\": [1, 02]}", 14, FG_ERROR_SYNTAX, 1, 12,
					   "not JSON: after array element, I expect ',' or ']'");
	check_stream_fails("{\"x\": \"\xED\xA0\x80\"}", 13, FG_ERROR_ENCODING, 1, 10, "a string is not UTF-8");
	check_stream_fails("{\"a\": nul}", 10, FG_ERROR_SYNTAX, 1, 9, "not JSON: invalid string in json text");
	check_stream_fails("{\"a\": \"b\xFF\"}", 11, FG_ERROR_ENCODING, 1, 9, "a string is not UTF-8");
	check_stream_fails("\xEF\xBBx", 3, FG_ERROR_SYNTAX, 1, 1, "not JSON: invalid char in json text");
}

/* Blocks have 64 kB; each byte of a value has to survive being the last one. */
static void
test_block_ends(void)
{
	static const char text[] = "{\"a\": \"\\u00e9\xC3\xA9\\n\",\n\"a\": -12.5e3, \"a\": false, \"list\": [{}]}";
	static const char expected[] = "0( 1:\xC3\xA9\xC3\xA9\n 1:-12.5e3 1: 2( 3( 3) 2) 0) ";
	static char padded[65536 + sizeof(text)];

	unit_case("JSON: values that lie across the end of a block");
	for (size_t before = 65536 - sizeof(text); before <= 65536; before++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Heard		heard = {.length = 0};
		FgJson	   *json = fg_json_open(&ctx, "test", stream_rules, hear, &heard);

		memset(padded, ' ', before);
		memcpy(padded + before, text, sizeof(text) - 1);
		CHECK(fg_json_feed(json, padded, before + sizeof(text) - 1) && fg_json_finish(json));
		CHECK_TEXT(heard.text, heard.length, expected);
		fg_json_close(json);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_limits(void)
{
	size_t		size = 2 * FG_JSON_MAX_STRING + 200000;
	char	   *text = malloc(size);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Heard		heard = {.length = 0};
	FgJson	   *json = fg_json_open(&ctx, "test", stream_rules, hear, &heard);
	char		expected[60];

	unit_case("JSON: limits of depth and strings");
	snprintf(expected, sizeof(expected), "a string is longer than %d bytes", FG_JSON_STRING_MB << 20);
	memset(text, '[', size);
	memcpy(text, "{\"x\":", 5);
	CHECK_ERROR(fg_json_feed(json, text, size), &ctx, FG_ERROR_LIMIT);
	CHECK_COUNT(ctx.error.column, 5 + FG_JSON_MAX_DEPTH);
	fg_json_close(json);
	json = fg_json_open(&ctx, "test", stream_rules, hear, &heard);
	memset(text, 'a', size);
	memcpy(text, "{\"x\":\"", 6);
	CHECK_ERROR(fg_json_feed(json, text, size), &ctx, FG_ERROR_LIMIT);
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), expected);
	fg_json_close(json);
	json = fg_json_open(&ctx, "test", stream_rules, hear, &heard);
	memset(text, '1', size);
	memcpy(text, "{\"x\":", 5);
	CHECK_ERROR(fg_json_feed(json, text, size), &ctx, FG_ERROR_LIMIT);
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), "a number is longer than 65536 bytes");
	fg_json_close(json);
	CHECK_COUNT(memory.blocks, 0);
	free(text);
}

/* Elements one by one, as the handler gets them, or those that follow each as it asks for them. */
typedef struct Run
{
	FgJson	   *json;
	uint32_t	calls;
	uint32_t	count;
	double		sum;
} Run;

static bool
take_run(void *arg, int place, const FgJsonValue *value)
{
	Run		   *run = arg;
	double		number;

	if (place != B)
		return true;
	run->calls++;
	if (!fg_json_number(run->json, value, &number))
		return false;
	do
	{
		run->count++;
		run->sum += number;
	} while (fg_json_next_number(run->json, &number));
	return true;
}

static void
test_runs(void)
{
	static const FgJsonRule run_rules[] = {
		{FG_JSON_ROOT, "list", LIST, FG_JSON_ARRAY}, {FG_JSON_ROOT, "b", B, FG_JSON_NUMBER},
		{LIST, NULL, B, FG_JSON_NUMBER}, {0, NULL, 0, 0}
	};
	static const struct
	{
		const char *text;
		uint32_t	calls;
		uint32_t	count;
		double		sum;
	}			cases[] = {
		{"{\"list\": [1,2 , 3,\n\t4]}", 1, 4, 10},
		{"{\"list\": [1,2.5,3,-1,1e1,5]}", 3, 6, 20.5},
		{"{\"list\": [123456789,1234567890,7]}", 1, 3, 1358024686},
		{"{\"list\": [0,0.1 ,999999999999999,1234567890123456,0.25]}", 2, 5,
		0.1 + 999999999999999.0 + 1234567890123456.0 + 0.25},
		{"{\"list\": [0, 0.00000000000003,1.000000000000003, 0]}", 2, 4, 0.00000000000003 + 1.000000000000003},
		{"{\"b\": 1, \"list\": [5]}", 2, 2, 6}
	};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	unit_case("JSON: numbers of an array in runs");
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		Run			run = {.count = 0};

		run.json = fg_json_open(&ctx, "test", run_rules, take_run, &run);
		CHECK(fg_json_feed(run.json, cases[i].text, strlen(cases[i].text)) && fg_json_finish(run.json));
		CHECK_COUNT(run.calls, cases[i].calls);
		CHECK_COUNT(run.count, cases[i].count);
		CHECK(run.sum == cases[i].sum);
		fg_json_close(run.json);
	}
	/* where an element cannot follow, the error is the stream's */
	for (size_t i = 0; i < 6; i++)
	{
		static const char *const wrong[] = {
			"{\"b\": 1,2}", "{\"list\": [1,02]}", "{\"list\": [1,2", "{\"list\": [1,2.]}",
			"{\"list\": [1,02.5]}", "{\"list\": [1,2.5.5]}"
		};
		Run			run = {.count = 0};

		run.json = fg_json_open(&ctx, "test", run_rules, take_run, &run);
		CHECK_ERROR(fg_json_feed(run.json, wrong[i], strlen(wrong[i])) && fg_json_finish(run.json), &ctx,
					FG_ERROR_SYNTAX);
		fg_json_close(run.json);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* A column as a handler takes it: the first element, then those behind it in pieces of four. */
typedef struct Column
{
	FgJson	   *json;
	bool		indices;
	uint32_t	calls;
	size_t		count;
	double		items[64];
} Column;

static size_t
take_piece(Column *column)
{
	uint32_t	numbers[4];
	size_t		count;

	if (!column->indices)
	{
		count = fg_json_next_numbers(column->json, column->items + column->count, 4);
		column->count += count;
		return count;
	}
	count = fg_json_next_indices(column->json, numbers, 4);
	for (size_t i = 0; i < count; i++)
		column->items[column->count++] = numbers[i] == FG_NONE ? NAN : (double) numbers[i];
	return count;
}

static bool
take_column(void *arg, int place, const FgJsonValue *value)
{
	Column	   *column = arg;
	double		number = NAN;

	if (place != B)
		return true;
	column->calls++;
	if (value->type == FG_JSON_NUMBER && !fg_json_number(column->json, value, &number))
		return false;
	column->items[column->count++] = number;
	while (take_piece(column) == 4)
		continue;
	return true;
}

static void
check_column(bool indices, const char *elements, const double *expected, size_t count, uint32_t calls)
{
	static const FgJsonRule column_rules[] = {
		{FG_JSON_ROOT, "list", LIST, FG_JSON_ARRAY}, {LIST, NULL, B, FG_JSON_NUMBER | FG_JSON_NULL}, {0, NULL, 0, 0}
	};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Column		column = {.indices = indices};
	char		text[200];

	snprintf(text, sizeof(text), "{\"list\":[%s]}", elements);
	column.json = fg_json_open(&ctx, "test", column_rules, take_column, &column);
	CHECK(fg_json_feed(column.json, text, strlen(text)) && fg_json_finish(column.json));
	CHECK_COUNT(column.calls, calls);
	CHECK_COUNT(column.count, count);
	for (size_t i = 0; i < count; i++)
		CHECK(isnan(expected[i]) ? isnan(column.items[i]) : column.items[i] == expected[i]);
	fg_json_close(column.json);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_columns(void)
{
	unit_case("JSON: columns of numbers in pieces");
	/* the same again, longer ones that begin or end like it, blanks, the end of the list */
	check_column(true, "7,7,7,77,7,17,7 ,7, 7,7\n,7,7", (double[]) {7, 7, 7, 77, 7, 17, 7, 7, 7, 7, 7, 7}, 12, 1);
	check_column(true, "1,123456,123456,1234567,1234567,123456789,123456789,2",
				 (double[]) {1, 123456, 123456, 1234567, 1234567, 123456789, 123456789, 2}, 8, 1);
	check_column(true, "5,null,null,-1,-1,6,null", (double[]) {5, NAN, NAN, NAN, NAN, 6, NAN}, 7, 1);
	check_column(false, "null,0.25,0.25,0.255,null,0.5,0.5,1,10", (double[]) {NAN, 0.25, 0.25, 0.255, NAN, 0.5, 0.5, 1, 10}, 9, 1);
	/* what is written otherwise comes to the handler */
	check_column(true, "1,2.0,3,1e0,3", (double[]) {1, 2, 3, 1, 3}, 5, 3);
	check_column(false, "1,-1,-1,2e1,20", (double[]) {1, -1, -1, 20, 20}, 5, 4);
}

/* --- speedscope ------------------------------------------------------------------------ */

#define SCHEMA "\"$schema\": \"https://www.speedscope.app/file-format-schema.json\""

/* Frames behind the profiles and weights before the samples, as some tools write them. */
static const char sampled[] =
"{" SCHEMA ", \"profiles\": [\n"
"{\"endValue\": 6, \"name\": \"t1\", \"weights\": [1, 2.5, 0.25, 4], \"samples\": [[0, 1], [0], [0, 2], []],\n"
" \"startValue\": 0, \"type\": \"sampled\", \"unit\": \"milliseconds\"},\n"
"{\"type\": \"sampled\", \"name\": \"t2\", \"unit\": \"milliseconds\", \"samples\": [[0, 1, 1]], \"weights\": [8]}],\n"
"\"shared\": {\"frames\": [{\"name\": \"main\", \"file\": \"a.c\", \"line\": 7}, {\"name\": \"f;g\"},\n"
" {\"name\": \"main\", \"file\": \"b.c\", \"line\": 9}]}, \"activeProfileIndex\": null}";

/* a open 2..10, b inside 3..6 and again 6..7, nothing open 10..12, a 12..13 */
static const char evented[] =
"{" SCHEMA ",\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":[{\"type\":\"evented\","
"\"unit\":\"none\",\"startValue\":0,\"endValue\":20,\"events\":["
"{\"type\":\"O\",\"frame\":0,\"at\":2},{\"at\":3,\"frame\":1,\"type\":\"O\"},{\"type\":\"C\",\"frame\":1,\"at\":6},"
"{\"type\":\"O\",\"frame\":1,\"at\":6},{\"type\":\"C\",\"frame\":1,\"at\":7},{\"type\":\"C\",\"frame\":0,\"at\":10},"
"{\"type\":\"O\",\"frame\":0,\"at\":12},{\"type\":\"C\",\"frame\":0,\"at\":13}]}]}";

#define SHARED "{\"shared\":{\"frames\":[{\"name\":\"a\"}]},\n\"profiles\":["

static void
test_speedscope(void)
{
	FgReadOptions options = options_of(FG_FORMAT_SPEEDSCOPE);

	unit_case("speedscope: sampled profiles, added up or one of them");
	check_one(sampled, options, FG_FORMAT_SPEEDSCOPE, "cpu  milliseconds 0",
			  " 4\nmain 2.5\nmain;f\\;g 1\nmain;f\\;g;f\\;g 8\nmain;main 0.25", "");
	options.profile = 1;
	check_one(sampled, options, FG_FORMAT_SPEEDSCOPE, "cpu  milliseconds 0",
			  "main;f\\;g;f\\;g 8", "");
	options.profile = 0;
	options.frame_style = FG_FRAME_LINE;
	check_one(sampled, options, FG_FORMAT_SPEEDSCOPE, "cpu  milliseconds 0",
			  " 4\nmain:7 2.5\nmain:7;f\\;g 1\nmain:7;main:9 0.25", "");
	options = options_of(FG_FORMAT_SPEEDSCOPE);
	options.max_depth = 2;
	check_one(sampled, options, FG_FORMAT_SPEEDSCOPE, "cpu  milliseconds 0", " 4\nmain 2.5",
			  "main;f\\;g 1\nmain;f\\;g;f\\;g 8\nmain;main 0.25");
	options.max_depth = 0;

	unit_case("speedscope: a sample that differs from the one before in its first frame only");
	check_one("{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":[{\"type\":\"sampled\","
			  "\"samples\":[[0,1,0],[1,1,0],[1,1],[],[1,1,0]],\"weights\":[1,2,4,8,16]}]}", options,
			  FG_FORMAT_SPEEDSCOPE, "cpu  samples 0", " 8\na;b;a 1\nb;b 4\nb;b;a 18", "");

	unit_case("speedscope: samples that come again, as they are or with more frames, and in a profile that is not chosen");
#define AGAIN "[[0,1],[0,1],[0,1,0],[0,1,0],[0,1],[],[],[0],[0 ],[0]]"
	check_one("{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":[{\"type\":\"sampled\","
			  "\"samples\":" AGAIN ",\"weights\":[1,2,4,8,16,32,64,128,256,512]}]}", options,
			  FG_FORMAT_SPEEDSCOPE, "cpu  samples 0", " 96\na 896\na;b 19\na;b;a 12", "");
	options.profile = 1;
	check_one("{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"}]},\"profiles\":[{\"type\":\"sampled\","
			  "\"samples\":[[0,1]],\"weights\":[1]},{\"type\":\"sampled\",\"samples\":[[0,1],[0,1]],\"weights\":[2,4]}]}",
			  options, FG_FORMAT_SPEEDSCOPE, "cpu  samples 0", "a;b 6", "");
	options.profile = -1;

	unit_case("speedscope: evented profiles");
	check_one(evented, options, FG_FORMAT_SPEEDSCOPE, "cpu  samples 0", "a 5\na;b 4", "");
}

static void
test_speedscope_errors(void)
{
	FgReadOptions options = options_of(FG_FORMAT_SPEEDSCOPE);

	unit_case("speedscope: errors");
	options.profile = 2;
	check_fails(sampled, options, FG_ERROR_ARGUMENT, 0, 0,
				"there is no profile 2, the file has 2 of them");
	options.profile = -1;
	options.selection = "cpu";
	check_fails(sampled, options, FG_ERROR_ARGUMENT, 0, 0,
				"recordings of this format have one event, without a name");
	options.selection = NULL;
	check_fails("{}", options, FG_ERROR_SYNTAX, 0, 0, "the speedscope file has no frames");
	check_fails("{\"shared\":{\"frames\":[]},\"profiles\":[]}", options, FG_ERROR_SYNTAX, 0, 0,
				"the speedscope file has no profile");
	check_fails(SHARED "{\"samples\":[[0],[1]],\"weights\":[1,1]}]}", options, FG_ERROR_SYNTAX, 2, 30,
				"there is no frame 1, the file has 1 of them");
	check_fails(SHARED "{\"samples\":[[0],[0]],\"weights\":[1]}]}", options, FG_ERROR_SYNTAX, 2, 47,
				"profile 0 has 2 samples and 1 weights");
	check_fails(SHARED "{\"samples\":[[0.5]],\"weights\":[1]}]}", options, FG_ERROR_SYNTAX, 2, 28,
				"0.5 is not a whole number that can be an index");
	check_fails(SHARED "{\"samples\":[[0],[[0]]],\"weights\":[1,1]}]}", options, FG_ERROR_SYNTAX, 2, 30,
				"a frame of a sample is a list and not a number");
	check_fails(SHARED "{\"samples\":[[0],[null]],\"weights\":[1,1]}]}", options, FG_ERROR_SYNTAX, 2, 33,
				"a frame of a sample is something else and not a number");
	check_fails(SHARED "{\"samples\":[[-1]],\"weights\":[1]}]}", options, FG_ERROR_SYNTAX, 2, 27,
				"-1 is not a whole number that can be an index");
	check_fails(SHARED "{\"samples\":[[0]],\"weights\":[1e999]}]}", options, FG_ERROR_RANGE, 2, 45,
				"1e999 is too large");
	check_fails(SHARED "{\"unit\":\"bytes\",\"samples\":[],\"weights\":[]},\n{\"samples\":[],\"weights\":[]}]}",
				options, FG_ERROR_ARGUMENT, 3, 27, "the profiles have several units, bytes and none");
	check_fails(SHARED "{}]}", options, FG_ERROR_SYNTAX, 2, 14,
				"profile 0 has neither samples nor events");
	check_fails(SHARED "{\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1}]}]}", options, FG_ERROR_SYNTAX,
				2, 54, "profile 0 ends with 1 open frames");
	check_fails(SHARED "{\"events\":[{\"type\":\"C\",\"frame\":0,\"at\":1}]}]}", options, FG_ERROR_SYNTAX,
				2, 52, "frame 0 is closed, but it is not the one that was opened last");
	check_fails(SHARED "{\"events\":[{\"type\":\"O\",\"frame\":0}]}]}", options, FG_ERROR_SYNTAX,
				2, 45, "an event is not complete");
	check_fails(SHARED "{\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"C\",\"frame\":0,\"at\":0}]}]}",
				options, FG_ERROR_SYNTAX, 2, 82, "an event is earlier than the one before it");
	check_fails("{\"shared\":{\"frames\":[{\"file\":\"a\"}]}}", options, FG_ERROR_SYNTAX, 1, 33,
				"a frame has no name");
	check_fails("{\"shared\":{\"frames\":[]},\"shared\":{\"frames\":[]}}", options, FG_ERROR_SYNTAX, 1, 44,
				"there are two lists of frames");
	check_fails("{\"shared\":{\"frames\":[]},\"profiles\":[],\"profiles\":[]}", options, FG_ERROR_SYNTAX, 1, 50,
				"there are two lists of profiles");
	check_fails(SHARED "{\"samples\":[[0]],\"weights\":[1],\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"C\",\"frame\":0,\"at\":5}]}]}",
				options, FG_ERROR_SYNTAX, 2, 114, "profile 0 has both samples and events");
}

/* --- V8 ------------------------------------------------------------------------------------ */

#define FRAME(function, url, line, column) \
	"\"callFrame\":{\"functionName\":\"" function "\",\"scriptId\":\"1\",\"url\":\"" url \
	"\",\"lineNumber\":" #line ",\"columnNumber\":" #column "}"

/* Samples of f, the module, f, gc at 5, 11, 9 and 20; the end is at 30. */
static const char v8[] =
"{\"nodes\":[{\"id\":1," FRAME("(root)", "", -1, -1) ",\"hitCount\":0,\"children\":[2,5]},\n"
"{\"id\":2," FRAME("", "file:///srv/app/main.js", 0, 0) ",\"hitCount\":1,\"children\":[3,4]},\n"
"{\"id\":3," FRAME("f", "file:///srv/app/node_modules/x/node_modules/@y/z/lib/i.js?v#1", 4, 2) ",\"hitCount\":2},\n"
"{\"id\":4," FRAME("", "node:fs", 9, 0) ",\"hitCount\":7},\n"
"{\"id\":5," FRAME("(garbage collector)", "", -1, -1) ",\"hitCount\":1}],\n"
"\"startTime\":3,\"endTime\":30,\"samples\":[3,2,3,5],\"timeDeltas\":[2,6,-2,11]}";

/* Times are added up while they come, or in the end, as the order of the file has it. */
static void
test_orders_of_lists(void)
{
	static const char *const lists[] = {
		"\"timeDeltas\":[2,6,-2,11],\"startTime\":3,\"endTime\":30,\"samples\":[3,2,3,5]",
		"\"samples\":[3,2,3,5],\"timeDeltas\":[2,6,-2,11],\"startTime\":3,\"endTime\":30",
		"\"endTime\":30,\"startTime\":3,\"samples\":[3,2,3,5],\"timeDeltas\":[2,6,-2,11]",
		"\"startTime\":3,\"samples\":[3,2,3,5],\"timeDeltas\":[2,6,-2.0,11.0],\"endTime\":3e1"
	};
	FgReadOptions options = options_of(FG_FORMAT_CPUPROFILE);
	const char *nodes = strchr(v8, '[');
	int			size = (int) (strstr(v8, ",\n\"startTime\"") - nodes);
	char		text[2000];

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) * 2; i++)
	{
		const char *list = lists[i / 2];

		unit_case("V8: the lists in order %zu", i);
		if (i % 2 == 0)
			snprintf(text, sizeof(text), "{\"nodes\":%.*s,%s}", size, nodes, list);
		else
			snprintf(text, sizeof(text), "{%s,\"nodes\":%.*s}", list, size, nodes);
		check_one(text, options, FG_FORMAT_CPUPROFILE, "cpu cpu microseconds 0",
				  "(garbage collector) 10\nmain.js 9\nmain.js;@y/z/lib/i.js:f 6", "");
	}
	unit_case("V8: more times than samples, fewer, and a sample of no node, while times are added up");
#define LISTS(samples, deltas) \
	"{\"nodes\":[{\"id\":1}],\"startTime\":0,\"samples\":[" samples "],\"timeDeltas\":[" deltas "]}"
	check_fails(LISTS("1", "1,2"), options, FG_ERROR_SYNTAX, 0, 0, "there are 1 samples and 2 times between them");
	check_fails(LISTS("1,1,1", "1,2"), options, FG_ERROR_SYNTAX, 0, 0, "there are 3 samples and 2 times between them");
	check_fails(LISTS("1,1,3", "1,2"), options, FG_ERROR_SYNTAX, 0, 0, "sample 3 refers to node 3, which does not exist");
	check_fails(LISTS("1,2,1", "1,2,x"), options, FG_ERROR_SYNTAX, 0, 0, "sample 2 refers to node 2, which does not exist");
#undef LISTS
}

static void
test_cpuprofile(void)
{
	FgReadOptions options = options_of(FG_FORMAT_CPUPROFILE);

	unit_case("V8: times until the next sample, in their order; names of frames");
	check_one(v8, options, FG_FORMAT_CPUPROFILE, "cpu cpu microseconds 0",
			  "(garbage collector) 10\nmain.js 9\nmain.js;@y/z/lib/i.js:f 6", "");
	options.selection = "samples";
	check_one(v8, options, FG_FORMAT_CPUPROFILE, "cpu samples samples 1",
			  "(garbage collector) 1\nmain.js 1\nmain.js;@y/z/lib/i.js:f 2", "");
	options.selection = NULL;

	unit_case("V8: hits where there are no samples; parents in place of children");
	check_one("{\"nodes\":[{\"id\":9,\"parent\":7," FRAME("f", "", -1, -1) ",\"hitCount\":3},"
			  "{\"id\":7,\"parent\":1," FRAME("", "C:\\\\app\\\\b.js", 11, 3) ",\"hitCount\":2},"
			  "{\"id\":1," FRAME("(root)", "", -1, -1) "}]}",
			  options, FG_FORMAT_CPUPROFILE, "cpu samples samples 1",
			  "b.js:(anonymous):12:4 2\nb.js:(anonymous):12:4;f 3", "");
	check_one("{\"nodes\":[{\"id\":1," FRAME("", "", -1, -1) "}],\"samples\":[1,1]}",
			  options, FG_FORMAT_CPUPROFILE, "cpu samples samples 1", "(anonymous) 2", "");

	unit_case("V8: a start of which a double does not hold the last digits; places as texts");
	check_one("{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"\",\"url\":\"a.js\",\"lineNumber\":\"6\",\"columnNumber\":\"2\"}},"
			  "{\"id\":2," FRAME("g", "", -1, -1) "}],\"startTime\":63842293195420264,\"endTime\":63842293195420304,"
			  "\"samples\":[1,2,1],\"timeDeltas\":[1,2,7]}", options, FG_FORMAT_CPUPROFILE, "cpu cpu microseconds 0",
			  "a.js:(anonymous):7:3 32\ng 7", "");

	unit_case("V8: errors");
	check_fails("{\"nodes\":[{\"id\":1,\"locationId\":7}]}", options, FG_ERROR_SYNTAX, 0, 0, "no node of the V8 CPU profile has a callFrame");
	check_fails("{\"nodes\":[{\"id\":1,\"callFrame\":{\"lineNumber\":\"x\"}}]}", options, FG_ERROR_SYNTAX, 1, 47,
				"\"x\" is not a number");
	check_fails("{}", options, FG_ERROR_SYNTAX, 0, 0, "the V8 CPU profile has no nodes");
	check_fails("{\"nodes\":[{}]}", options, FG_ERROR_SYNTAX, 1, 12, "a node has no id");
	check_fails("{\"nodes\":[{\"id\":1,\"children\":[5]}]}", options, FG_ERROR_SYNTAX, 0, 0,
				"node 1 refers to node 5, which does not exist");
	check_fails("{\"nodes\":[{\"id\":1,\"parent\":5}]}", options, FG_ERROR_SYNTAX, 0, 0,
				"node 1 refers to node 5, which does not exist");
	check_fails("{\"nodes\":[{\"id\":1},{\"id\":1}]}", options, FG_ERROR_SYNTAX, 0, 0,
				"two nodes have the id 1");
	check_fails("{\"nodes\":[{\"id\":1,\"children\":[3]},{\"id\":2,\"children\":[3]},{\"id\":3}]}", options,
				FG_ERROR_SYNTAX, 0, 0, "node 3 has two parents");
	check_fails("{\"nodes\":[{\"id\":1,\"children\":[2]},{\"id\":2,\"children\":[1]}],\"samples\":[2]}",
				options, FG_ERROR_SYNTAX, 0, 0, "node 2 is below itself");
	check_fails("{\"nodes\":[{\"id\":1}],\"samples\":[1,2]}", options, FG_ERROR_SYNTAX, 0, 0,
				"sample 2 refers to node 2, which does not exist");
	check_fails("{\"nodes\":[{\"id\":1}],\"samples\":[1],\"timeDeltas\":[]}", options, FG_ERROR_SYNTAX,
				0, 0, "there are 1 samples and 0 times between them");
	check_fails("{\"nodes\":[],\"nodes\":[]}", options, FG_ERROR_SYNTAX, 1, 21,
				"there are two lists of nodes");
}

/* A head as v8-profiler writes it: f at 10, the module at 13, f at 12, gc at 20; the end is at 30. */
#define OLD(id, name, url, line, hits, children) \
	"{\"functionName\":\"" name "\",\"url\":\"" url "\",\"lineNumber\":" #line ",\"id\":" #id \
	",\"hitCount\":" #hits ",\"children\":[" children "]}"
#define OLD_HEAD \
	"{\"head\":" OLD(1, "(root)", "", -1, 0, \
		OLD(2, "", "/srv/app/main.js", 1, 1, OLD(3, "f", "fs.js", 7, 2, "")) "," \
		OLD(5, "(garbage collector)", "", 0, 1, ""))
#define OLD_TREE OLD_HEAD ",\n\"startTime\":0.00001,\"endTime\":0.00003,\"samples\":[3,2,3,5]"

static const char old_v8[] = OLD_TREE ",\"timestamps\":[10,13,12,20]}";

static void
test_old_cpuprofile(void)
{
	FgReadOptions options = options_of(FG_FORMAT_CPUPROFILE);

	unit_case("old V8: times until the next sample, lines from 1");
	check_one(old_v8, options, FG_FORMAT_CPUPROFILE, "cpu cpu microseconds 0",
			  "(garbage collector) 10\nmain.js:(anonymous):1 7\nmain.js:(anonymous):1;fs.js:f 3", "");

	unit_case("old V8: a timestamp more is the end; none, hits");
	check_one(OLD_TREE ",\"timestamps\":[10,13,12,20,21]}", options, FG_FORMAT_CPUPROFILE,
			  "cpu cpu microseconds 0",
			  "(garbage collector) 1\nmain.js:(anonymous):1 7\nmain.js:(anonymous):1;fs.js:f 3", "");
	check_one(OLD_HEAD "}", options, FG_FORMAT_CPUPROFILE, "cpu samples samples 1",
			  "(garbage collector) 1\nmain.js:(anonymous):1 1\nmain.js:(anonymous):1;fs.js:f 2", "");

	unit_case("old V8: errors");
	check_fails(OLD_TREE ",\"timestamps\":[1,2,3]}", options, FG_ERROR_SYNTAX, 0, 0,
				"there are 4 samples and 3 times between them");
	check_fails(OLD_TREE ",\"timestamps\":[1],\"timeDeltas\":[1]}", options, FG_ERROR_SYNTAX, 2, 89,
				"there are two lists of times");
	check_fails("{\"head\":{},\"nodes\":[]}", options, FG_ERROR_SYNTAX, 1, 20,
				"there are two lists of nodes");
	check_fails("{\"head\":{\"children\":[{\"id\":4},{\"id\":4}]}}", options, FG_ERROR_SYNTAX, 0, 0,
				"two nodes have the id 4");
	check_fails("{\"head\":{},\"samples\":[1]}", options, FG_ERROR_SYNTAX, 0, 0,
				"sample 1 refers to node 1, which does not exist");
}

#define HEAP(name, size, id, children) \
	"{" FRAME(name, "", 1, 1) ",\"selfSize\":" #size id ",\"children\":[" children "]}"

/* The children come before the name of their parent; node 9 is not in the tree. */
static const char heap[] =
"{\"samples\":[{\"size\":8,\"nodeId\":3,\"ordinal\":1},{\"nodeId\":2,\"size\":4},{\"nodeId\":3,\"size\":8},{\"nodeId\":9,\"size\":1}],\n"
"\"head\":{\"id\":1,\"children\":[{\"children\":[" HEAP("g", 17, ",\"id\":3", "") "],\"id\":2,\"selfSize\":4,"
FRAME("f", "a.js", 0, 0) "}]," FRAME("(root)", "", -1, -1) ",\"selfSize\":0}}";

static void
check_heap_weights(const char *text, const char *samples, const char *noise)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(FG_FORMAT_HEAPPROFILE);
	FgRecording recording;

	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
		return;
	recording_weighs(&ctx, &recording.profiles[0], samples, noise);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_heapprofile(void)
{
	FgReadOptions options = options_of(FG_FORMAT_HEAPPROFILE);
	static const char plain[] = "{\"head\":" HEAP("(root)", 0, "", HEAP("f", 3, "", HEAP("f", 1e308, "", ""))) "}";

	unit_case("V8 heap: the nodes' bytes, and what the samples say of them");
	check_one(heap, options, FG_FORMAT_HEAPPROFILE, "inuse_space inuse_space bytes 0",
			  "a.js:f 4\na.js:f;g 17", "");
	check_heap_weights(heap, "a.js:f 1\na.js:f;g 2", "a.js:f 16\na.js:f;g 128");
	check_one(plain, options, FG_FORMAT_HEAPPROFILE, "inuse_space inuse_space bytes 0",
			  "f 3\nf;f 1e+308", "");
	check_heap_weights(plain, NULL, NULL);

	unit_case("V8 heap: errors");
	check_fails("{}", options, FG_ERROR_SYNTAX, 0, 0, "the V8 heap profile has no head");
	check_fails("{\"head\":{\"selfSize\":-1}}", options, FG_ERROR_SYNTAX, 1, 22, "a size is below 0");
	check_fails("{\"head\":{},\n\"head\":{}}", options, FG_ERROR_SYNTAX, 2, 8, "there are two heads");
	check_fails("{\"head\":{\"selfSize\":1e309}}", options, FG_ERROR_RANGE, 1, 25, "1e309 is too large");
	check_fails("{\"samples\":[],\"samples\":[]}", options, FG_ERROR_SYNTAX, 1, 25,
				"there are two lists of samples");
	check_fails("{\"samples\":[{\"size\":1}]}", options, FG_ERROR_SYNTAX, 1, 22, "a sample is not complete");
	check_fails("{\"samples\":[{\"nodeId\":1,\"nodeId\":1}]}", options, FG_ERROR_SYNTAX, 1, 34,
				"a sample has two nodes");
	check_fails("{\"head\":{\"id\":0.5}}", options, FG_ERROR_SYNTAX, 1, 17,
				"0.5 is not a whole number that can be an index");
	options.taker = &(FgTaker) {.take = NULL};
	check_fails(plain, options, FG_ERROR_ARGUMENT, 0, 0, "format heapprofile has no times");
}

/* --- JFR -------------------------------------------------------------------------------------- */

#define METHOD(type, name, line, mode) \
	"{\"method\":{\"type\":{\"name\":\"" type "\"},\"name\":\"" name "\",\"descriptor\":\"()V\"},\"lineNumber\":" \
	#line ",\"bytecodeIndex\":1,\"type\":\"" mode "\"}"
#define STACK(truncated, frames) \
	"\"stackTrace\":{\"truncated\":" #truncated ",\"frames\":[" frames "]}"
#define THREAD(kind, name) \
	"\"" kind "\":{\"osName\":\"os\",\"javaName\":" name ",\"group\":{\"name\":\"main\"}}"
#define EVENT(type, values) "{\"type\":\"jdk." type "\",\"values\":{" values "}}"
#define LEAF METHOD("a\\/b\\/C", "f", 12, "Inlined")
#define MAIN METHOD("a\\/Main", "main", 3, "JIT compiled")
#define NATIVE METHOD("java\\/lang\\/Thread", "sleep", -1, "Native")

static const char jfr[] =
"{\n \"recording\": {\"events\": [\n"
EVENT("GarbageCollection", "\"stackTrace\":7,\"duration\":8") ",\n"
EVENT("ExecutionSample", THREAD("sampledThread", "\"w;1\"") "," STACK(false, LEAF "," MAIN)) ",\n"
EVENT("ExecutionSample", THREAD("sampledThread", "null") "," STACK(true, LEAF)) ",\n"
EVENT("NativeMethodSample", THREAD("sampledThread", "\"\"") "," STACK(false, NATIVE "," MAIN)) ",\n"
EVENT("ExecutionSample", "\"sampledThread\":null,\"stackTrace\":null") ",\n"
EVENT("ObjectAllocationSample", "\"weight\":1234567890123," STACK(false, MAIN)) ",\n"
EVENT("ObjectAllocationInNewTLAB", "\"allocationSize\":16,\"tlabSize\":4096," STACK(false, MAIN)) ",\n"
EVENT("JavaMonitorEnter", "\"duration\":\"PT1H2M3.000000004S\"," STACK(false, MAIN)) ",\n"
EVENT("ThreadPark", "\"duration\":\"PT0.5S\"," STACK(false, LEAF "," MAIN)) ",\n"
EVENT("SocketRead", "\"duration\":\"PT0S\"," STACK(false, MAIN)) ",\n"
EVENT("FileWrite", "\"duration\":\"PT0.000058518S\"," STACK(false, MAIN)) ",\n"
"{\"values\":{" STACK(false, MAIN) "},\"type\":\"jdk.JavaExceptionThrow\"},\n"
EVENT("JavaErrorThrow", STACK(false, MAIN)) "]}}\n";

static const Expected jfr_profiles[] = {
	{"cpu cpu samples 1", " 1\na.Main.main;a.b.C.f 1\na.Main.main;java.lang.Thread.sleep 1", "a.b.C.f 1"},
	{"alloc alloc bytes 0", "a.Main.main 1234567890123", ""},
	{"lock lock nanoseconds 0", "a.Main.main 3723000000004\na.Main.main;a.b.C.f 500000000", ""},
	{"io io nanoseconds 0", "a.Main.main 58518", ""},
	{"exception exception samples 1", "a.Main.main 1", ""},
	{"error error samples 1", "a.Main.main 1", ""}
};

#define OWN(type, values) "{\"type\":\"profiler." type "\",\"values\":{" values "}}"

static const char samplers[] =
"{\"recording\":{\"events\":[\n"
EVENT("CPUTimeSample", "\"failed\":false,\"samplingPeriod\":\"PT0.01S\"," STACK(false, LEAF "," MAIN)) ",\n"
EVENT("CPUTimeSample", "\"failed\":true,\"samplingPeriod\":\"PT0.02S\",\"stackTrace\":null") ",\n"
OWN("WallClockSample", "\"samples\":3,\"timeSpan\":\"PT0.15S\"," STACK(false, MAIN)) ",\n"
OWN("LiveObject", "\"allocationSize\":24,\"allocationTime\":5," STACK(false, MAIN)) ",\n"
OWN("Malloc", "\"address\":4096,\"size\":77," STACK(false, MAIN)) ",\n"
OWN("Free", "\"address\":4096,\"stackTrace\":null") ",\n"
EVENT("ObjectAllocationSample", "\"weight\":5," STACK(false, MAIN)) ",\n"
OWN("NativeLock", "\"address\":4096,\"duration\":\"PT0.5S\"," STACK(false, MAIN)) "]}}\n";

/* What lives is not what was allocated, and does not decide which events count as that. */
static const Expected sampler_profiles[] = {
	{"cpu_time cpu_time nanoseconds 0", " 20000000\na.Main.main;a.b.C.f 10000000", ""},
	{"wall wall samples 0", "a.Main.main 3", ""},
	{"inuse_space inuse_space bytes 0", "a.Main.main 24", ""},
	{"malloc malloc bytes 0", "a.Main.main 77", ""},
	{"alloc alloc bytes 0", "a.Main.main 5", ""},
	{"native_lock native_lock nanoseconds 0", "a.Main.main 500000000", ""}
};

static void
test_jfr(void)
{
	FgReadOptions options = options_of(FG_FORMAT_JFR);

	unit_case("JFR: a profile for each event");
	options.every = true;
	check_profiles(jfr, options, FG_FORMAT_JFR, jfr_profiles, COUNT(jfr_profiles));
	recording_check_blocks(jfr, sizeof(jfr) - 1, 1, &options);
	options.every = false;
	check_one(jfr, options, FG_FORMAT_JFR, jfr_profiles[0].facts, jfr_profiles[0].complete,
			  jfr_profiles[0].truncated);

	unit_case("JFR: one type; threads, lines, modes");
	options.selection = "jdk.ExecutionSample";
	options.threads = true;
	options.modes = true;
	options.frame_style = FG_FRAME_LINE;
	check_one(jfr, options, FG_FORMAT_JFR, "cpu jdk.ExecutionSample samples 1",
			  "[unknown] 1\nw\\;1;a.Main.main:3_[j];a.b.C.f:12_[i] 1", "os;a.b.C.f:12_[i] 1");
	options.selection = "jdk.NativeMethodSample";
	check_one(jfr, options, FG_FORMAT_JFR, "cpu jdk.NativeMethodSample samples 1",
			  "os;a.Main.main:3_[j];java.lang.Thread.sleep 1", "");
	options = options_of(FG_FORMAT_JFR);
	options.selection = "jdk.ObjectAllocationInNewTLAB";
	check_one(jfr, options, FG_FORMAT_JFR, "alloc jdk.ObjectAllocationInNewTLAB bytes 0",
			  "a.Main.main 4096", "");

	unit_case("JFR: CPU time of JDK 25, and async-profiler's own types");
	options.selection = NULL;
	options.every = true;
	check_profiles(samplers, options, FG_FORMAT_JFR, sampler_profiles, COUNT(sampler_profiles));
	options.every = false;

	unit_case("JFR: no event at all is an empty profile");
	options.selection = NULL;
	check_one("{\"recording\":{\"events\":[]}}", options, FG_FORMAT_JFR, "cpu  samples 0", "", "");

	unit_case("JFR: errors");
	options.selection = "nothing";
	check_fails(jfr, options, FG_ERROR_ARGUMENT, 0, 0,
				"the recording has no event \"nothing\"; it has cpu, alloc, lock, io, exception, error");
	options.selection = NULL;
	check_fails("{}", options, FG_ERROR_SYNTAX, 0, 0, "the JFR recording has no list of events");
	check_fails("{\"recording\":{\"events\":[{}]}}", options, FG_ERROR_SYNTAX, 1, 26,
				"an event has no type");
	options.selection = "alloc";
	check_fails("{\"recording\":{\"events\":[\n" EVENT("ObjectAllocationSample", "\"weight\":null") "]}}",
				options, FG_ERROR_SYNTAX, 2, 62, "an event jdk.ObjectAllocationSample has no weight");
	options.selection = "io";
	check_fails("{\"recording\":{\"events\":[\n" EVENT("FileRead", "\"duration\":\"PT1.5M\"") "]}}",
				options, FG_ERROR_SYNTAX, 2, 54, "\"PT1.5M\" is not a duration");
}

/* What is said of a recording of so many stacks of this depth, and more of another. */
static bool
warned(uint32_t stacks, uint32_t depth, uint32_t others, uint32_t other)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = options_of(FG_FORMAT_JFR);
	FgBuffer	text = {.ctx = &ctx};
	FgRecording recording;
	bool		result;
	static const char begin[] = "{\"recording\":{\"events\":[";

	options.selection = "cpu";
	CHECK(fg_buffer_append(&text, begin, sizeof(begin) - 1));
	for (uint32_t i = 0; i < stacks + others; i++)
	{
		static const char head[] = "{\"type\":\"jdk.ExecutionSample\",\"values\":{\"stackTrace\":{\"frames\":[";
		uint32_t	frames = i < stacks ? depth : other;

		CHECK(i == 0 || fg_buffer_append(&text, ",", 1));
		CHECK(fg_buffer_append(&text, head, sizeof(head) - 1));
		for (uint32_t f = 0; f < frames; f++)
			CHECK((f == 0 || fg_buffer_append(&text, ",", 1)) &&
				  fg_buffer_append(&text, MAIN, sizeof(MAIN) - 1));
		CHECK(fg_buffer_append(&text, "]}}}", 4));
	}
	CHECK(fg_buffer_append(&text, "]}}", 3));
	CHECK(recording_read(&ctx, text.data, text.size, 0, &options, &recording));
	result = recording.warnings.count > 0;
	CHECK(!result || strstr(recording.warnings.list[0].hint, "--stack-depth") != NULL);
	fg_recording_free(&ctx, &recording);
	fg_release(&ctx, text.data);
	CHECK_COUNT(memory.blocks, 0);
	return result;
}

static void
test_cut_stacks(void)
{
	unit_case("JFR: stacks that jfr print has cut");
	CHECK(warned(20, 5, 1, 5));
	CHECK(warned(10, 5, 1, 1));
	CHECK(warned(10, 5, 300, 3));	/* most of them are not cut */
	CHECK(!warned(8, 5, 1, 5));	/* too few */
	CHECK(!warned(20, 5, 1, 6));	/* one is deeper */
	CHECK(!warned(20, 4, 1, 5));
	CHECK(!warned(20, 6, 1, 5));
	CHECK(!warned(20, 0, 1, 5));
}

/* --- files of the real tools ------------------------------------------------------------------ */

#define DATA "test/data/formats/"

/* fold.py, which shares nothing with the readers, made the folded files. */
static void
check_file(const char *path, const char *selection, FgReadOptions options, const char *facts,
		   const char *complete, const char *truncated)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	size_t		size;
	char	   *bytes = recording_file(path, &size);
	FgRecording recording;
	char		got[300];

	unit_case("%s, %s", path, selection != NULL ? selection : "default");
	options.selection = selection;
	if (CHECK(recording_read(&ctx, bytes, size, 4093, &options, &recording)))
	{
		const FgRecorded *r = &recording.profiles[0];

		snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
		CHECK_TEXT(got, strlen(got), facts);
		if (complete != NULL)
			recording_is_file(&ctx, &r->complete, complete);
		if (truncated != NULL)
			recording_is_file(&ctx, &r->truncated, truncated);
		fg_recording_free(&ctx, &recording);
	}
	else
		printf("    line %u: %s\n", (unsigned) ctx.error.line, ctx.error.reason);
	free(bytes);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_files(void)
{
	FgReadOptions plain = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions full = FG_DEFAULT_READ_OPTIONS;
	static const char recording[] = DATA "work.jfr.json.gz";

	full.threads = full.modes = true;
	full.frame_style = FG_FRAME_LINE;
	check_file(DATA "app.cpuprofile.gz", NULL, plain, "cpu cpu microseconds 0",
			   DATA "app.cpuprofile.folded", NULL);
	check_file(DATA "app.heapprofile.gz", NULL, plain, "inuse_space inuse_space bytes 0",
			   DATA "app.heapprofile.folded", NULL);
	check_file(recording, NULL, plain, "cpu cpu samples 1", DATA "work.cpu.folded",
			   DATA "work.cpu.truncated.folded");
	check_file(recording, "jdk.ExecutionSample", full, "cpu jdk.ExecutionSample samples 1",
			   DATA "work.full.folded", NULL);
	check_file(recording, "alloc", plain, "alloc alloc bytes 0", DATA "work.alloc.folded", NULL);
	check_file(recording, "lock", plain, "lock lock nanoseconds 0", DATA "work.lock.folded", NULL);
	check_file(recording, "io", plain, "io io nanoseconds 0", DATA "work.io.folded", NULL);
	check_file(recording, "error", plain, "error error samples 1", DATA "work.error.folded",
			   NULL);
}

int
main(void)
{
	FgReadOptions options = options_of(FG_FORMAT_AUTO);

	test_stream();
	test_block_ends();
	test_limits();
	test_runs();
	test_columns();
	test_speedscope();
	test_speedscope_errors();
	test_cpuprofile();
	test_orders_of_lists();
	test_old_cpuprofile();
	test_heapprofile();
	test_jfr();
	test_cut_stacks();
	test_files();
	unit_case("memory that runs out, and interrupts");
	recording_sweep("speedscope, sampled", sampled, sizeof(sampled) - 1, &options, 1);
	recording_sweep("speedscope, evented", evented, sizeof(evented) - 1, &options, 1);
	recording_sweep("V8", v8, sizeof(v8) - 1, &options, 1);
	recording_sweep("V8, a head", old_v8, sizeof(old_v8) - 1, &options, 1);
	recording_sweep("V8 heap", heap, sizeof(heap) - 1, &options, 1);
	recording_sweep("JFR", jfr, sizeof(jfr) - 1, &options, 1);
	return unit_finish();
}
