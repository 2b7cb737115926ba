/*
 * test_cpuprofile.c
 *	  Long lists of a .cpuprofile, which are taken many numbers at once, and keys that are nearly the
 *	  ones of a node.  Expected values are added up while the text is written.
 */
#include "recordings.h"

#include <stdarg.h>

#define NODE(id, name) "{\"id\":" id ",\"callFrame\":{\"functiontionName\":\"no\",\"functionName\":\"" name \
	"\",\"functionnName\":\"no\",\"url\":\"\",\"lineNumber\":1,\"columnNumber\":1}"
#define NODES "{\"nodes\":[" NODE("1", "(root)") ",\"children\":[2,3]}," NODE("2", "a") "}," NODE("3", "b") "}]," \
	"\"startTime\":0,\n\"samples\":["

typedef struct Text
{
	char		bytes[20000];
	size_t		size;
} Text;

static void __attribute__((format(printf, 2, 3)))
put(Text *text, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	text->size += (size_t) vsnprintf(text->bytes + text->size, sizeof(text->bytes) - text->size, format, args);
	va_end(args);
}

static FgReadOptions
plain(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.format = FG_FORMAT_CPUPROFILE;
	return options;
}

/* Samples that stay at a node for up to "stay" and times that stay the same as long; with fractions or without. */
static void
check_lists(UnitRandom *random, uint32_t count, uint32_t stay, bool fractions)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = plain();
	Text	   *text = calloc(1, sizeof(Text));
	uint32_t   *nodes = calloc(count, sizeof(uint32_t));
	double		sums[4] = {0};
	uint64_t	samples[4] = {0};
	double		delta = 0;
	char		expected[2][80];
	FgRecording recording;

	unit_case("%u samples, up to %u alike", count, stay);
	put(text, NODES);
	for (uint32_t i = 0; i < count; i++)
	{
		nodes[i] = i > 0 && unit_below(random, stay) > 0 ? nodes[i - 1] : 2 + unit_below(random, 2);
		samples[nodes[i]]++;
		put(text, "%s%u", i == 0 ? "" : i % 7 == 0 ? ", " : ",", nodes[i]);
	}
	put(text, "],\n\"timeDeltas\":[");
	for (uint32_t i = 0; i < count; i++)
	{
		if (i == 0 || unit_below(random, stay) == 0)
			delta = unit_below(random, 100000) / (fractions ? 4.0 : 1);
		sums[i > 0 ? nodes[i - 1] : 0] += delta;
		put(text, "%s%.10g", i > 0 ? "," : "", delta);
	}
	put(text, "]}");
	snprintf(expected[0], sizeof(expected[0]), "a %.17g\nb %.17g", sums[2], sums[3]);
	snprintf(expected[1], sizeof(expected[1]), "a %u\nb %u", (unsigned) samples[2], (unsigned) samples[3]);
	if (CHECK(recording_read(&ctx, text->bytes, text->size, 0, &options, &recording)))
	{
		CHECK_COUNT(recording.noted.samples, count);
		recording_is(&ctx, &recording.profiles[0].complete, expected[0]);
		fg_recording_free(&ctx, &recording);
	}
	options.selection = "samples";
	if (CHECK(recording_read(&ctx, text->bytes, text->size, 1000, &options, &recording)))
	{
		recording_is(&ctx, &recording.profiles[0].complete, expected[1]);
		fg_recording_free(&ctx, &recording);
	}
	free(nodes);
	free(text);
	CHECK_COUNT(memory.blocks, 0);
}

/* What is no number of a list is an error at its place, however many have come before it. */
static void
check_odd(uint32_t before, const char *odd, bool of_times, const char *reason)
{
	FgReadOptions options = plain();
	Text	   *text = calloc(1, sizeof(Text));
	FgError		error;

	unit_case("%s behind %u numbers", odd, before);
	put(text, NODES "%s", of_times ? "],\"timeDeltas\":[" : "");
	for (uint32_t i = 0; i < before; i++)
		put(text, "\n2,");
	put(text, "\n%s]}", odd);
	error = recording_fails(text->bytes, text->size, &options, FG_ERROR_SYNTAX, reason);
	CHECK_COUNT(error.line, before + 3);
	CHECK_COUNT(error.column, strlen(odd));
	free(text);
}

int
main(void)
{
	UnitRandom	random = {5};

	check_lists(&random, 20, 1, false);
	check_lists(&random, 127, 1, false);
	check_lists(&random, 700, 1, true);
	check_lists(&random, 700, 300, false);
	check_lists(&random, 700, 9, true);
	for (uint32_t before = 0; before < 400; before += 131)
	{
		check_odd(before, "null", false, "null where a V8 CPU profile has a number");
		check_odd(before, "-1", false, "-1 is not a whole number that can be an index");
		check_odd(before, "null", true, "null where a V8 CPU profile has a number");
	}
	return unit_finish();
}
