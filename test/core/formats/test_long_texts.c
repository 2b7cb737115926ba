/*
 * test_long_texts.c
 *	  Lines and stacks that perf prints, and tags, texts and comments of XML, may have any length up
 *	  to their limits: those twice as long take twice the work.
 *
 * Work is counted in comparisons: clang's build of the core calls a function at each (it is what
 * guides the fuzzers), and here these functions count.  gcc's build has no such calls; there the
 * same texts are only read.
 */
#include "recordings.h"

/* --- comparisons -------------------------------------------------------------------------- */

static uint64_t comparisons;

#define COUNT_COMPARISONS(name, type) \
	extern void name(type a, type b); \
	void \
	name(type a, type b) \
	{ \
		(void) a; \
		(void) b; \
		comparisons++; \
	}

COUNT_COMPARISONS(__sanitizer_cov_trace_cmp1, uint8_t)
COUNT_COMPARISONS(__sanitizer_cov_trace_cmp2, uint16_t)
COUNT_COMPARISONS(__sanitizer_cov_trace_cmp4, uint32_t)
COUNT_COMPARISONS(__sanitizer_cov_trace_cmp8, uint64_t)
COUNT_COMPARISONS(__sanitizer_cov_trace_const_cmp1, uint8_t)
COUNT_COMPARISONS(__sanitizer_cov_trace_const_cmp2, uint16_t)
COUNT_COMPARISONS(__sanitizer_cov_trace_const_cmp4, uint32_t)
COUNT_COMPARISONS(__sanitizer_cov_trace_const_cmp8, uint64_t)

/* --- texts ------------------------------------------------------------------------------------ */

/* A part that comes again and again, between two that come once. */
typedef struct Long
{
	const char *name;
	const char *begin;
	const char *part;
	const char *end;
	FgErrorCode code;			/* FG_OK: it is read */
} Long;

static const Long of_perf[] = {
	{"a command of many words", "web", " app", " 1/2 [001] 1.5: 250 cycles: \n\t4011 main+0x1 (/web)\n\n", FG_OK},
	{"a command of one word", "web", "x", " 1/2 [001] 1.5: 250 cycles: \n\t4011 main+0x1 (/web)\n\n", FG_OK},
	{"a command that looks like what follows it", "web", " 12 [001] 1.5:", " 1/2 [001] 1.5: 250 cycles: \n\t4011 main+0x1 (/web)\n\n", FG_ERROR_SYNTAX},
	{"a symbol of one word", "web 1/2 [001] 1.5: 250 cycles: \n\t4011 ", "f", "+0x1 (/web)\n\n", FG_OK},
	{"a symbol of brackets", "web 1/2 [001] 1.5: 250 cycles: \n\t4011 ", "f (a+0x1) ", "+0x1 (/web)\n\n", FG_OK},
	{"a path of many words", "web 1/2 [001] 1.5: 250 cycles: \n\t4011 f+0x1 (/web", " (a)", ")\n\n", FG_OK},
	{"fields behind the event", "web 1/2 [001] 1.5: 250 cycles: ", " 0x12/0x34/P/-/-/0 ", "\n\t4011 main+0x1 (/web)\n\n", FG_OK},
	{"values of a tracepoint", "web 1/2 [001] 1.5: 1 sched:sched_switch: ", "prev_comm=a b [120] ", "\n\t4011 main+0x1 (/web)\n\n", FG_OK},
	{"blanks", "web 1/2 [001] 1.5: 250 cycles: \n\t4011 main+0x1", " \t", "(/web)\n\n", FG_OK},
	{"frames", "web 1/2 [001] 1.5: 250 cycles: \n", "\t4011 main+0x1 (/web)\n", "\n", FG_OK},
	{"what is no head", "web", " app", "\n", FG_ERROR_SYNTAX},
	{"a symbol of numbers", "web 1/2 [001] 1.5: 250 cycles: \n\t", "4011 ", "\n\n", FG_OK},
};

#define BEGIN "<trace-query-result><node><schema name=\"time-profile\"/>"
#define ROW "<row><weight id=\"1\">5</weight><backtrace id=\"2\"><frame id=\"3\" name=\"main\"/></backtrace></row>"
#define END "</node></trace-query-result>"

/* Of XML each is longer than a block of 64 kB, and goes on in the next one. */
static const Long of_xml[] = {
	{"a value of an attribute", BEGIN ROW "<junk a=\"", "x ", "\"/>" END, FG_OK},
	{"a value of references", BEGIN ROW "<junk a=\"", "&lt;&#65;", "\"/>" END, FG_OK},
	{"attributes", BEGIN ROW "<junk", " a='>' bc = \"/>\"", "/>" END, FG_ERROR_SYNTAX}, /* they are one and the same */
	{"blanks in a tag", BEGIN ROW "<junk a='1'", " \t\n", "/>" END, FG_OK},
	{"a tag without an end", BEGIN ROW "<junk a=\"", "x>", "", FG_ERROR_SYNTAX},
	{"attributes of a tag without an end", BEGIN ROW "<junk", " a='>'", "", FG_ERROR_SYNTAX},
	{"a comment", BEGIN ROW "<!--", " -> - ", "-->" END, FG_OK},
	{"a comment without an end", BEGIN ROW "<!--", " -> - ", "", FG_ERROR_SYNTAX},
	{"an instruction", BEGIN ROW "<?x", " ? > ", "?>" END, FG_OK},
	{"a text", BEGIN ROW "<junk>", "x ] ", "</junk>" END, FG_OK},
	{"a text of references", BEGIN ROW "<junk>", "&amp;", "</junk>" END, FG_OK},
	{"a section of CDATA", BEGIN ROW "<junk><![CDATA[", "]] > ", "]]></junk>" END, FG_OK},
	{"rows", BEGIN ROW, "<row><weight ref=\"1\"/><backtrace ref=\"2\"/></row>", END, FG_OK},
};

static char *
make_text(const Long *c, size_t times, size_t *size)
{
	size_t		part = strlen(c->part);
	char	   *text = malloc(strlen(c->begin) + times * part + strlen(c->end));

	*size = strlen(c->begin);
	memcpy(text, c->begin, *size);
	for (size_t i = 0; i < times; i++, *size += part)
		memcpy(text + *size, c->part, part);
	memcpy(text + *size, c->end, strlen(c->end));
	*size += strlen(c->end);
	return text;
}

/* In blocks of 512 bytes, so that the line comes in many pieces. */
static uint64_t
work_of(FgFormat format, const Long *c, size_t times)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	uint64_t	before = comparisons;
	size_t		size;
	char	   *text = make_text(c, times, &size);

	options.format = format;
	if (recording_read(&ctx, text, size, 512, &options, &recording))
	{
		CHECK(c->code == FG_OK);
		fg_recording_free(&ctx, &recording);
	}
	else if (!CHECK(ctx.error.code == c->code))
		printf("    line %u: %s\n", (unsigned) ctx.error.line, ctx.error.reason);
	free(text);
	CHECK_COUNT(memory.blocks, 0);
	return comparisons - before;
}

/* From "size" on each length doubles the work, but for what begins and ends a text, and room that doubles at once. */
static void
check_linear(FgFormat format, size_t size, const Long *c)
{
	size_t		times = size / strlen(c->part);
	uint64_t	works[3];

	unit_case("%s", c->name);
	for (int i = 0; i < 3; i++)
		works[i] = work_of(format, c, times << i);
	for (int i = 1; i < 3; i++)
	{
		if (!CHECK(works[i] <= works[i - 1] * 9 / 4 + 4096))
			printf("    %u comparisons, then %u\n", (unsigned) works[i - 1], (unsigned) works[i]);
	}
#ifdef __clang__
	/* else nothing was counted */
	CHECK(works[0] > 1024);
#endif
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(of_perf); i++)
		check_linear(FG_FORMAT_PERF, 16384, &of_perf[i]);
	for (size_t i = 0; i < COUNT(of_xml); i++)
		check_linear(FG_FORMAT_INSTRUMENTS, 150000, &of_xml[i]);
	return unit_finish();
}
