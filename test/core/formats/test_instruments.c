/*
 * test_instruments.c
 *	  Instruments: the XML of xctrace with its references, the text of a deep copy, and what
 *	  is neither.
 */
#include "recordings.h"

#define HEAD "<?xml version=\"1.0\"?>\n<trace-query-result>\n<node xpath='//a'>"
#define SCHEMA(name, weight, stack) \
	"<schema name=\"" name "\"><col><mnemonic>time</mnemonic><engineering-type>sample-time</engineering-type></col>" \
	"<col><mnemonic>weight</mnemonic><engineering-type>" weight "</engineering-type></col>" \
	"<col><mnemonic>stack</mnemonic><engineering-type>" stack "</engineering-type></col></schema>"
#define TAIL "</node></trace-query-result>\n"
#define BINARY "<binary id=\"12\" name=\"dyld\" arch=\"arm64e\" load-addr=\"0x18d36e000\" path=\"/usr/lib/dyld\"/>"

/* As xctrace of Xcode 14 writes them: what was written before is only referred to. */
static const char rows[] =
	HEAD SCHEMA("time-profile", "weight", "backtrace") "\n"
	"<row><sample-time id=\"1\" fmt=\"00:00.057.246\">57246708</sample-time><thread id=\"2\" fmt=\"main  0x84 (app, pid: 49)\">"
	"<tid id=\"3\">8683713</tid><process id=\"4\" fmt=\"app (49)\"/></thread><process ref=\"4\"/><weight id=\"9\" fmt=\"1.00 ms\">1000000</weight>"
	"<backtrace id=\"10\"><frame id=\"11\" name=\"0x18d3df0f1\" addr=\"0x18d3df0f1\">" BINARY "</frame>"
	"<frame id=\"13\" name=\"start\" addr=\"0x18d373904\"><binary ref=\"12\"/></frame></backtrace></row>\n"
	"<row><sample-time id=\"14\">59248125</sample-time><thread ref=\"2\"/><weight ref=\"9\"/><backtrace id=\"15\">"
	"<frame id=\"16\" name=\"f(a&amp;, b&lt;c&gt; const*)\" addr=\"0x1\"><binary ref=\"12\"/><source line=\"7\"><path id=\"23\">/a/f.rs</path></source></frame>"
	"<frame ref=\"13\"/></backtrace></row>\n"
	"<row><sample-time ref=\"14\"/><thread id=\"17\" fmt=\"work\"/><weight id=\"18\">2500000</weight><backtrace ref=\"10\"/></row>\n"
	"<row><sample-time id=\"19\">60000000</sample-time><thread ref=\"2\"/><weight ref=\"9\"/><sentinel/></row>\n"
	TAIL;

/* Event samples of CPU Counters, whose weights are of any type; ids count from 1 in each table. */
static const char counters[] =
	HEAD "<schema name=\"counters-profile\"><col><mnemonic>stack</mnemonic><engineering-type>backtrace</engineering-type></col>"
	"<col><mnemonic>weight</mnemonic><engineering-type>any</engineering-type></col></schema>"
	"<row><backtrace id=\"1\"><frame id=\"2\" name=\"f\"/></backtrace><pmc-event id=\"3\" fmt=\"1.00 M\">1000000</pmc-event>"
	"<pmc-events id=\"4\">40 4770</pmc-events></row>"
	"<row><backtrace ref=\"1\"/><sentinel/></row>"
	"<row><sentinel/><pmc-event ref=\"3\"/></row></node>"
	"<node>" SCHEMA("counters-profile", "any", "backtrace") "<row><backtrace id=\"1\"><frame id=\"2\" name=\"g\"/></backtrace>"
	"<pmc-event id=\"3\">5</pmc-event></row>" TAIL;

/* Two runs, of which one was recorded without stacks. */
static const char two_tables[] =
	HEAD SCHEMA("time-profile", "weight", "backtrace") "<row><weight id=\"1\">5</weight><backtrace id=\"2\"><frame id=\"3\" name=\"f\"/></backtrace></row></node>"
	"<node>" SCHEMA("time-profile", "weight", "backtrace") "<row><weight id=\"1\">4</weight><sentinel/></row>"
	"<row><weight id=\"2\">3</weight><backtrace id=\"3\"/></row>" TAIL;

/* As the instrument CPU Profiler writes them. */
static const char cycles[] =
	HEAD SCHEMA("cpu-profile", "cycle-weight", "tagged-backtrace") "\n"
	"<row><cycle-weight id=\"9\">100</cycle-weight><tagged-backtrace id=\"10\"><backtrace id=\"11\"><frame id=\"12\" name=\"g\" addr=\"0x2\"/>"
	"<frame id=\"13\" name=\"main\"/></backtrace></tagged-backtrace></row>\n"
	"<row><cycle-weight id=\"14\">50</cycle-weight><tagged-backtrace ref=\"10\"/></row>\n"
	"<row><cycle-weight ref=\"14\"/><tagged-backtrace id=\"15\"><frame ref=\"13\"/></tagged-backtrace></row>"
	"<row><cycle-weight ref=\"14\"/><tagged-backtrace ref=\"15\"/></row>"
	"<row><cycle-weight ref=\"14\"/><tagged-backtrace id=\"16\"><backtrace ref=\"11\"/></tagged-backtrace></row></node>"
	"<node><schema name=\"other\"/><row><string id=\"20\">x</string></row>" TAIL;

static const char deep_copy[] =
	"Running Time\tSelf (ms)\t\tSymbol Name\n"
	"4273.0ms   99.9%\t0\t \tstart\n"
	"4273.0ms   99.9%\t0\t \t main\n"
	"2126.0ms   49.7%\t693\t \t  delta()\n"
	"713.0ms   16.6%\t696\t \t   alpha()\n"
	"17.0ms    0.3%\t1.5\t \t    leakMemory()\n"
	"2147.0ms   50.2%\t2147\t \t  beta()\n"
	"1.0ms    0.0%\t1\t \tother thread\n";

static const char later[] =
	"Weight\tSelf Weight\tSymbol Names\n"
	"4.93 s  100.0%\t0 s\t   start\n"
	"2.45 s  \xE2\x80\x87" "0.0%\t846.00 ms\t    delta()\n"
	"797.00 ms  \xE2\x80\x87" "0.0%\t1.25 min\t     alpha()\n"
	"8.00 \xC2\xB5s  \xE2\x80\x87" "0.0%\t8.00 \xC2\xB5s\t    beta()\n";

static const char counted[] =
	"Bytes Used\tCount\t\tSymbol Name\n"
	" 3.50 KB     100.0%\t10\t \tstart\n"
	" 2.00 KB      50.4%\t7\t \t delta()\n"
	" 2.00 KB      50.4%\t6\t \t  malloc\n"
	" 100 Bytes      50.4%\t1\t \t beta\n";

static void
check(const char *name, const char *text, const char *selection, FgFrameStyle style, bool threads,
	  const char *event, const char *unit, const char *complete, const char *warning)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("%s", name);
	options.selection = selection;
	options.frame_style = style;
	options.threads = threads;
	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
	{
		printf("    line %u, column %u: %s\n", (unsigned) ctx.error.line, (unsigned) ctx.error.column, ctx.error.reason);
		return;
	}
	CHECK(recording.format == FG_FORMAT_INSTRUMENTS && recording.count == 1);
	CHECK(strcmp(recording.profiles[0].event, event) == 0);
	CHECK(strcmp(recording.profiles[0].unit, unit) == 0);
	recording_is(&ctx, &recording.profiles[0].complete, complete);
	recording_warns(&recording, warning);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_forms(void)
{
	check("a table of times", rows, NULL, FG_FRAME_FUNCTION, false, "cpu", "nanoseconds",
		  " 1000000\nstart;dyld+0x710f1 3500000\nstart;f(a&, b<c> const*) 1000000", NULL);
	check("lines", rows, "time-profile", FG_FRAME_LINE, false, "cpu", "nanoseconds",
		  " 1000000\nstart;dyld+0x710f1 3500000\nstart;f(a&, b<c> const*):7 1000000", NULL);
	check("threads", rows, NULL, FG_FRAME_FUNCTION, true, "cpu", "nanoseconds",
		  "main  0x84 (app, pid: 49) 1000000\nmain  0x84 (app, pid: 49);start;dyld+0x710f1 1000000\n"
		  "main  0x84 (app, pid: 49);start;f(a&, b<c> const*) 1000000\nwork;start;dyld+0x710f1 2500000", NULL);
	check("a table of cycles", cycles, NULL, FG_FRAME_FUNCTION, false, "cpu", "cycles",
		  "main 100\nmain;g 200", NULL);
	check("a table of events", counters, NULL, FG_FRAME_FUNCTION, false, "counters-profile", "events",
		  " 1000000\nf 1000000\ng 5", NULL);
	check("a table that has no stack, beside another", two_tables, NULL, FG_FRAME_FUNCTION, false, "cpu", "nanoseconds", " 7\nf 5",
		  "a table of Instruments has no stack in any of its rows");
	check("a deep copy", deep_copy, NULL, FG_FRAME_FUNCTION, false, "cpu", "nanoseconds",
		  "other thread 1000000\nstart;main;beta() 2147000000\nstart;main;delta() 693000000\n"
		  "start;main;delta();alpha() 696000000\nstart;main;delta();alpha();leakMemory() 1500000", "lines are missing");
	check("one of today", later, NULL, FG_FRAME_FUNCTION, false, "cpu", "nanoseconds",
		  "start;beta() 8000\nstart;delta() 846000000\nstart;delta();alpha() 75000000000", NULL);
	check("one of allocations", counted, "Bytes Used", FG_FRAME_FUNCTION, false, "alloc", "bytes",
		  "start 1436\nstart;beta 100\nstart;delta();malloc 2048", NULL);
	check("numbers of blocks", counted, "Count", FG_FRAME_FUNCTION, false, "alloc_objects", "count",
		  "start 2\nstart;beta 1\nstart;delta() 1\nstart;delta();malloc 6", NULL);
	check("a tree that was not opened, or was cut off", "Weight\tSelf Weight\t\tSymbol Name\n100.00 ms\t0 s\t\ta\n60.00 ms\t60.00 ms\t\t b\n",
		  "Weight", FG_FRAME_FUNCTION, false, "cpu", "nanoseconds", "a;b 60000000", "lines are missing");
	check("a whole tree, rounded", "Weight\tSelf Weight\t\tSymbol Name\n1.00 s\t0 s\t\ta\n998.00 ms\t998.00 ms\t\t b\n",
		  "Weight", FG_FRAME_FUNCTION, false, "cpu", "nanoseconds", "a;b 998000000", NULL);
	check("rounded sizes", "Bytes Used\tCount\t\tSymbol Name\n1.99 KB\t2\t\ta\n2.00 KB\t2\t\t b\n", "Bytes Used",
		  FG_FRAME_FUNCTION, false, "alloc", "bytes", "a;b 2048", "because the sizes are rounded");
	check("cycles in text", "Weight\tSelf Weight\t\tSymbol Name\n96.08 Gc  100.0%\t-\t \tapp (40414)\n404.75 Mc 0.5%\t404.75 Mc\t \t start\n",
		  NULL, FG_FRAME_FUNCTION, false, "cpu", "cycles", "app (40414);start 404750000", "lines are missing");
}

static void
fails(const char *text, FgErrorCode code, uint64_t line, const char *reason)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.format = FG_FORMAT_INSTRUMENTS;
	CHECK_COUNT(recording_fails(text, strlen(text), &options, code, reason).line, line);
}

/* UTF-16, with a byte order mark or without one. */
static void
fails_wide(const char *text, size_t size)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	options.format = FG_FORMAT_INSTRUMENTS;
	CHECK_COUNT(recording_fails(text, size, &options, FG_ERROR_ENCODING, "XML is read in UTF-8, not in UTF-16").line, 1);
}

#define ROW(content) HEAD SCHEMA("time-profile", "weight", "backtrace") "\n<row>" content "</row>" TAIL

static void
test_errors(void)
{
	FgReadOptions lines = FG_DEFAULT_READ_OPTIONS;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	unit_case("what is no recording");
	fails("<?xml version=\"1.0\"?>\n<trace-toc><run/></trace-toc>", FG_ERROR_SYNTAX, 0, "no table with stacks");
	fails(HEAD "<schema name=\"tick\"/><row><string>1</string></row>" TAIL, FG_ERROR_SYNTAX, 0, "no table with stacks");
	fails(ROW("<weight id=\"1\">5</weight><sentinel/>"), FG_ERROR_SYNTAX, 0, "no row of the XML of Instruments has a stack");
	fails(HEAD SCHEMA("cpu-profile", "cycle-weight", "tagged-backtrace") "<row><cycle-weight id=\"1\">5</cycle-weight><tagged-backtrace id=\"2\"/></row>"
		  TAIL, FG_ERROR_SYNTAX, 0, "no row of the XML of Instruments has a stack");
	fails(ROW("<backtrace ref=\"10\"/>"), FG_ERROR_SYNTAX, 4, "refers to 10, which is not there");
	fails(ROW("<weight ref=\"10\"/>"), FG_ERROR_SYNTAX, 4, "refers to 10");
	fails(ROW("<weight id=\"1\">5</weight><backtrace ref=\"1\"/>"), FG_ERROR_SYNTAX, 4, "refers to 1, which");
	fails(ROW("<weight id=\"1\">x</weight>"), FG_ERROR_SYNTAX, 4, "\"x\" is not a number");
	fails(ROW("<weight id=\"1\">5</weight><thread id=\"1\" fmt=\"a\"/>"), FG_ERROR_SYNTAX, 4, "two elements have the id 1");
	fails(ROW("<backtrace/><backtrace/>"), FG_ERROR_SYNTAX, 4, "a row has two stacks");
	fails(ROW("<backtrace id=\"2\"/><backtrace ref=\"2\"><frame name=\"f\"/></backtrace>"), FG_ERROR_SYNTAX, 4, "a row has two stacks");
	fails(ROW("<tagged-backtrace><frame name=\"f\"/><backtrace/></tagged-backtrace>"), FG_ERROR_SYNTAX, 4, "a row has two stacks");
	fails(ROW("<weight id=\"1\">5</weight><cycle-weight>5</cycle-weight>"), FG_ERROR_SYNTAX, 4, "a row has two weights");
	fails(ROW("<backtrace fmt=\"f \xE2\x86\x90 (2 other frames)\"><text-addresses>1 2</text-addresses></backtrace>"), FG_ERROR_SYNTAX, 4,
		  "addresses without names");
	fails(HEAD SCHEMA("time-sample", "any", "kperf-bt") "<row><kperf-bt><text-addresses>1</text-addresses></kperf-bt></row>" TAIL,
		  FG_ERROR_SYNTAX, 0, "addresses without names");
	fails(HEAD "<row>", FG_ERROR_SYNTAX, 3, "ends too early");
	fails(HEAD "<row></node>", FG_ERROR_SYNTAX, 3, "it is not XML: mismatched tag");
	fails("<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c\">]><trace-query-result/>", FG_ERROR_SYNTAX, 2, "a document type is not read");
	fails("<trace-query-result>&b;</trace-query-result>", FG_ERROR_SYNTAX, 1, "undefined entity");
	fails("<trace-query-result a=\"\xFF\"/>", FG_ERROR_ENCODING, 1, "it is not UTF-8");
	fails("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<trace-query-result/>", FG_ERROR_ENCODING, 1, "not in ISO-8859-1");
	fails_wide("\xFF\xFE<\0?\0x\0m\0l\0", 12);
	fails_wide("\xFE\xFF\0<\0a\0/\0>", 10);
	fails_wide("<\0a\0/\0>\0", 8);
	fails_wide("\0<\0a\0/\0>", 8);
	unit_case("what is no deep copy");
	fails("Weight\tName\n", FG_ERROR_SYNTAX, 1, "has no heading");
	fails("Weight\tSymbol Name\n", FG_ERROR_SYNTAX, 0, "has no lines");
	fails("Weight\tSymbol Name\n1 s\ta\n1 s\t  b\n", FG_ERROR_SYNTAX, 3, "indented too far");
	fails("Weight\tSymbol Name\n1 s\t a\n1 s\tb\n", FG_ERROR_SYNTAX, 3, "less than the first one");
	fails("Weight\tSymbol Name\n1 s\n", FG_ERROR_SYNTAX, 2, "fewer cells than the heading");
	fails("Weight\tSymbol Name\n1 parsec\ta\n", FG_ERROR_SYNTAX, 2, "the unit of a value is not known");
	fails("Weight\tSymbol Name\nx\ta\n", FG_ERROR_SYNTAX, 2, "a value is not a number");
	fails("Weight\tSymbol Name\n1 s\ta\n1 Mc\tb\n", FG_ERROR_SYNTAX, 3, "different kinds of units");
	fails("Weight\tSymbol Name\n1 s\t \n", FG_ERROR_SYNTAX, 2, "fewer cells");
	lines.frame_style = FG_FRAME_LINE;
	CHECK_ERROR(recording_read(&ctx, deep_copy, strlen(deep_copy), 0, &lines, &recording), &ctx, FG_ERROR_ARGUMENT);
	CHECK_COUNT(memory.blocks, 0);
}

/* What would take a reader memory, time or stack. */
static void
test_hostile(void)
{
	size_t		size = 6 << 20;
	char	   *text = malloc(size + 1);
	size_t		length = 0;

	unit_case("hostile XML");
	fails("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;\">]>"
		  "<trace-query-result>&d;</trace-query-result>", FG_ERROR_SYNTAX, 1, "a document type is not read");
	fails("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", FG_ERROR_SYNTAX, 1, "a document type is not read");
	for (int i = 0; i < 5000; i++)
	{
		memcpy(text + length, "<row>", 5);
		length += 5;
	}
	text[length] = '\0';
	fails(text, FG_ERROR_LIMIT, 1, "nested more than 1000 deep");
	length = (size_t) sprintf(text, "<trace-query-result><node><row><frame name=\"");
	memset(text + length, 'x', size - length);
	text[size] = '\0';
	fails(text, FG_ERROR_LIMIT, 1, "a tag is longer than");
	length = (size_t) sprintf(text, "<trace-query-result><node><row><weight>");
	memset(text + length, '1', size - length);
	fails(text, FG_ERROR_LIMIT, 1, "the text of an element is longer");
	free(text);
}

/* --- damage ----------------------------------------------------------------------------- */

/* Parts of an export that stand in each other's places where a file is damaged, or made to mislead. */
static const char *const parts[] = {
	"<row>", "</row>", "<backtrace ref=\"10\"/>", "<backtrace id=\"10\">", "</backtrace>", "<tagged-backtrace ref=\"10\"/>",
	"<frame ref=\"9\"/>", "<frame id=\"11\" name=\"\">", "<frame ref=\"999999999999999999999999999\"/>", "</frame>",
	"<weight ref=\"2\"/>", "<weight id=\"9\">-1e308</weight>", "<weight>nan</weight>", "<sample-time/>", "<thread ref=\"10\"/>",
	"<binary id=\"12\" load-addr=\"0xffffffffffffffffff\"/>", "<source line=\"-1\"/>", "<schema/>", "<node>", "</node>", "\xFF", "&#0;",
	"&#x10FFFF;", "&undefined;", "<![CDATA[<row>]]>", "<!-- ", "<?x?>", "\"", "\0"
};

/* Some bytes of a file are lost, come twice, or something else stands in their place. */
static size_t
damage(UnitRandom *random, const char *file, size_t size, char *to)
{
	size_t		at = unit_below(random, (uint32_t) size);
	size_t		length = unit_below(random, 3) == 0 ? 0 : unit_below(random, 40);
	size_t		room = size - at;
	const char *part = parts[unit_below(random, COUNT(parts))];
	size_t		part_length = *part == '\0' ? 1 : strlen(part);

	length = length < room ? length : room;
	memcpy(to, file, at);
	if (unit_below(random, 4) > 0)
	{
		memcpy(to + at, part, part_length);
		memcpy(to + at + part_length, file + at + length, room - length);
		return size + part_length - length;
	}
	memcpy(to + at, file + at, length);
	memcpy(to + at + length, file + at, room);
	return size + length;
}

/* It is read or refused, alike however it is cut, and nothing stays. */
static void
check_damaged(const char *bytes, size_t size, const FgReadOptions *options)
{
	UnitMemory	memory[2];
	FgContext	ctx[2];
	FgRecording recording[2] = {{.count = 0}, {.count = 0}};
	bool		ok[2];

	for (int i = 0; i < 2; i++)
	{
		ctx[i] = unit_context(&memory[i]);
		ok[i] = recording_read(&ctx[i], bytes, size, i == 0 ? 0 : 61, options, &recording[i]);
	}
	if (CHECK_COUNT(ok[0], ok[1]) && !ok[0])
	{
		CHECK_COUNT(ctx[0].error.code, ctx[1].error.code);
		CHECK_COUNT(ctx[0].error.line, ctx[1].error.line);
		CHECK_COUNT(ctx[0].error.column, ctx[1].error.column);
		CHECK(ctx[0].error.reason[0] != '\0' && strcmp(ctx[0].error.reason, ctx[1].error.reason) == 0);
	}
	for (size_t i = 0; ok[0] && i < recording[0].count; i++)
		CHECK(fg_tree_check(&ctx[0], &recording[0].profiles[i].complete));
	for (int i = 0; i < 2; i++)
	{
		fg_recording_free(&ctx[i], &recording[i]);
		CHECK_COUNT(memory[i].blocks, 0);
	}
}

static void
test_damage(void)
{
	static const char *const files[] = {rows, counters, cycles, deep_copy};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	UnitRandom	random = {23};
	char		once[8192];
	char		twice[8192];

	options.format = FG_FORMAT_INSTRUMENTS;
	options.every = true;
	unit_case("damaged exports");
	for (int round = 0; round < 1200; round++)
	{
		const char *file = files[round % 4];
		size_t		size = damage(&random, file, strlen(file), once);

		unit_note("round %d", round);
		options.threads = round % 3 == 0;
		options.frame_style = round % 5 == 0 ? FG_FRAME_LINE : FG_FRAME_FUNCTION;
		check_damaged(once, size, &options);
		check_damaged(twice, damage(&random, once, size, twice), &options);
	}
}

int
main(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	test_forms();
	test_errors();
	test_hostile();
	test_damage();
	unit_case("any blocks, any failure");
	options.format = FG_FORMAT_INSTRUMENTS;
	recording_check_blocks(rows, sizeof(rows) - 1, 7, &options);
	recording_check_blocks(ROW("<backtrace ref=\"10\"/>"), sizeof(ROW("<backtrace ref=\"10\"/>")) - 1, 5, &options);
	recording_check_blocks(HEAD "<row></node>", sizeof(HEAD "<row></node>") - 1, 1, &options);
	recording_check_blocks(deep_copy, sizeof(deep_copy) - 1, 1, &options);
	recording_sweep("rows", rows, sizeof(rows) - 1, &options, 1);
	recording_sweep("cycles", cycles, sizeof(cycles) - 1, &options, 1);
	recording_sweep("deep copy", deep_copy, sizeof(deep_copy) - 1, &options, 0);
	return unit_finish();
}
