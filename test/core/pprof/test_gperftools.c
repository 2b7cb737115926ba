/*
 * test_gperftools.c
 *	  Files of gperftools and jemalloc: words of both sizes and orders, texts, mapped files
 *	  and symbols, and what is cut off or wrong.  Expected values are worked out by hand.
 */
#include "recordings.h"

#define MAPS \
	"MAPPED_LIBRARIES:\n" \
	"00400000-00500000 r--p 00000000 fe:00 1 /srv/app\n" \
	"  build=/srv\n" \
	"00500000-00600000 r-xp 00100000 fe:00 1                  /srv/app\n" \
	"7f0000001000-7f0000002000 r-xp 00000000 fe:00 7  /usr/lib/libc.so.6 (deleted)\n" \
	"7f0000003000-7f0000004000: /lib/short.so\n" \
	"7f0000009000-7f000000a000 r-xp 00002000 00:00 0\n"

/* --- words -------------------------------------------------------------------------------- */

typedef struct Words
{
	uint8_t		bytes[2000];
	size_t		size;
} Words;

static void
append_text(Words *words, const char *text)
{
	memcpy(words->bytes + words->size, text, strlen(text));
	words->size += strlen(text);
}

static Words
make_words(const uint64_t *numbers, size_t count, size_t size, bool big_endian, const char *text)
{
	Words		words = {.size = 0};

	for (size_t i = 0; i < count; i++)
	{
		for (size_t j = 0; j < size; j++)
			words.bytes[words.size++] = (uint8_t) (numbers[i] >> 8 * (big_endian ? size - 1 - j : j));
	}
	append_text(&words, text);
	return words;
}

/* Twice the leaf; no frames; a leaf alone. */
static const uint64_t cpu[] = {
	0, 3, 0, 10000, 0,
	2, 3, 0x500010, 0x500010, 0x500101,
	3, 2, 0x500020, 0x500101,
	1, 0,
	4, 1, 0x90,
	0, 1, 5,
	0, 1, 0
};

static void
check_file(const void *bytes, size_t size, FgReadOptions options, const char *facts, const char *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	const FgRecorded *r;
	char		got[200];

	if (!CHECK(recording_read(&ctx, bytes, size, 0, &options, &recording)))
	{
		printf("    line %u: %s\n", (unsigned) ctx.error.line, ctx.error.reason);
		return;
	}
	CHECK_COUNT(recording.format, FG_FORMAT_GPERFTOOLS);
	if (CHECK_COUNT(recording.count, 1))
	{
		r = &recording.profiles[0];
		snprintf(got, sizeof(got), "%s %s %s %.10g", r->event, r->name, r->unit, r->period);
		CHECK_TEXT(got, strlen(got), facts);
		recording_is(&ctx, &r->complete, expected);
	}
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_words(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions counts = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions addresses = FG_DEFAULT_READ_OPTIONS;

	counts.selection = "samples";
	addresses.frame_style = FG_FRAME_ADDRESS;
	for (int kind = 0; kind < 4; kind++)
	{
		Words		words = make_words(cpu, COUNT(cpu), kind < 2 ? 4 : 8, kind % 2 == 1, MAPS);

		unit_case("words of %d bits, %s first", kind < 2 ? 32 : 64, kind % 2 == 1 ? "high bytes" : "low bytes");
		check_file(words.bytes, words.size, options, "cpu cpu nanoseconds 10000000",
				   " 10000000\n0x90 40000000\napp+0x100100;app+0x100010 20000000\napp+0x100100;app+0x100020 30000000");
		check_file(words.bytes, words.size, counts, "samples samples count 1",
				   " 1\n0x90 4\napp+0x100100;app+0x100010 2\napp+0x100100;app+0x100020 3");
		check_file(words.bytes, words.size, addresses, "cpu cpu nanoseconds 10000000",
				   " 10000000\n0x500100;0x500010 20000000\n0x500100;0x500020 30000000\n0x90 40000000");
		recording_check_blocks(words.bytes, words.size, 1, &options);
	}
}

/* --- texts ----------------------------------------------------------------------------------- */

typedef struct Case
{
	const char *text;
	const char *selection;
	const char *facts;
	const char *expected;
} Case;

#define HEAP \
	"heap profile:     3:   300 [    10:  1000] @ heapprofile\r\n" \
	"     1:    100 [     2:    200] @ 0x500011 0x500101\n# comment\n\n" \
	"     2:    200 [     8:    800] @ 0x7f0000001001 0x7f0000003001 0x7f0000009001\n"

static const char jemalloc[] =
	"heap_v2/1000\n  t*: 9: 9000 [0: 0]\n  t0: 9: 9000 [0: 0]\n"
	"@ 0x500011 0x500101\n  t*: 2: 2000 [0: 0]\n  t0: 1: 1000 [0: 0]\n  t12: 1: 1000 [0: 0] worker\n"
	"@ 0x500021\n  t*: 1: 100 [0: 0]\n  t0: 1: 100 [0: 0]\n" MAPS;

static const Case cases[] = {
	{HEAP MAPS, NULL, "inuse_space inuse_space bytes 0", "0x7f0000009000;short.so+0x0;libc.so.6+0x0 200\napp+0x100100;app+0x100010 100"},
	{HEAP MAPS, "inuse_objects", "inuse_objects inuse_objects count 0", "0x7f0000009000;short.so+0x0;libc.so.6+0x0 2\napp+0x100100;app+0x100010 1"},
	{HEAP MAPS, "alloc_space", "alloc alloc_space bytes 0", "0x7f0000009000;short.so+0x0;libc.so.6+0x0 800\napp+0x100100;app+0x100010 200"},
	{HEAP, "alloc_objects", "alloc_objects alloc_objects count 0", "0x500100;0x500010 2\n0x7f0000009000;0x7f0000003000;0x7f0000001000 8"},
	/* of blocks of 1000 bytes at a rate of 1000 bytes 1 - 1/e is seen; 1 / (1 - e^-0.1) is 10.5083 */
	{jemalloc, NULL, "inuse_space inuse_space bytes 0", "app+0x100020 1050.8331944775043\napp+0x100100;app+0x100010 3163.953413738653"},
	{"heap profile: 1: 100 [1: 100] @ heap_v2/1000\n 1: 100 [0: 0] @ 0x21\n", "inuse_objects", "inuse_objects inuse_objects count 0", "0x20 10.508331944775044"},
	{"heap profile: 1: 100 [1: 100] @ heapz_v2/1\n 1: 100 [0: 0] @ 0x21\n 0: 0 [0: 0] @ 0x22\n ", NULL, "inuse_space inuse_space bytes 0", "0x20 100"},
	{"heap profile: 2: 20 [2: 20] @ growthz\n 2: 20 [2: 20] @ 0x21 0x0\n", NULL, "space space bytes 0", "0x0;0x20 20"},
	{"--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\nms since reset = 5\n 40 3 @ 0x21\n--- Memory map: ---\n  00000000-00001000: /a\n",
	NULL, "lock delay nanoseconds 0", "a+0x20 2000"},
	{"--- contentionz 1 ---\nsampling period = 10\n 40 3 @ 0x21\n", NULL, "lock delay cycles 0", "0x20 400"},
	{"--- contention\n 40 3 @ 0x21\n", "contentions", "contentions contentions count 0", "0x20 3"},
	{"--- symbol\nbinary=/srv/app\n0x0000000000000020 outer--inner\n0x30 operator--\n0x41 by one\n---\n--- heap\n"
	"heap profile: 1: 1 [0: 0] @ heapprofile\n1: 1 [0: 0] @ 0x21 0x31 0x41\n", NULL, "inuse_space inuse_space bytes 0", "by one;operator--;outer;inner 1"},
	/* what google-pprof takes from nm has the symbol's address behind it, which is another in each build */
	{"--- symbol\n0x20 outer<00000000000012a0>--inner<000012a0>\n0x30 f<12a0>\n0x40 g<000000000000000g>\n0x50 <0000000000001190>\n---\n--- heap\n"
	"heap profile: 1: 1 [0: 0] @ heapprofile\n1: 1 [0: 0] @ 0x21 0x31 0x41 0x51\n", NULL, "inuse_space inuse_space bytes 0",
	"<0000000000001190>;g<000000000000000g>;f<12a0>;outer;inner 1"}
};

/* Whether a text is told to be cut off. */
static void
check_told(const char *text, bool told)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	options.every = true;
	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
		return;
	CHECK((recording.warnings.count > 0) == told);
	fg_recording_free(&ctx, &recording);
}

static void
test_ends(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	unit_case("a text without its list of libraries may be cut off");
	check_told(HEAP MAPS, false);
	check_told(HEAP, true);
	check_told(cases[COUNT(cases) - 1].text, false);
	unit_case("half a line is an error");
	recording_fails(HEAP MAPS, sizeof(HEAP MAPS) - 2, &options, FG_ERROR_SYNTAX, "the last line has no end");
	recording_fails(HEAP, sizeof(HEAP) - 2, &options, FG_ERROR_SYNTAX, "the last line has no end");
}

static void
test_texts(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		unit_case("text %u", (unsigned) i);
		options.selection = cases[i].selection;
		check_file(cases[i].text, strlen(cases[i].text), options, cases[i].facts, cases[i].expected);
		recording_check_blocks(cases[i].text, strlen(cases[i].text), 1, &options);
	}
	unit_case("threads of jemalloc");
	options.selection = "inuse_objects";
	options.threads = true;
	check_file(jemalloc, strlen(jemalloc), options, "inuse_objects inuse_objects count 0",
			   "t0;app+0x100020 10.508331944775044\nt0;app+0x100100;app+0x100010 1.5819767068693265\n"
			   "t12;app+0x100100;app+0x100010 1.5819767068693265");
}

/* Symbols, then words, with the last stack and without. */
static void
test_symbols_and_words(void)
{
	static const uint64_t tail[] = {0, 3, 0, 1, 0, 7, 2, 0x10, 0x31, 0, 1, 0};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	unit_case("symbols and words");
	for (size_t missing = 0; missing <= 3; missing += 3)
	{
		Words		tailed = make_words(tail, COUNT(tail) - missing, 8, false, "");
		Words		words = {.size = 0};

		append_text(&words, "--- symbol\n0x10 leaf\n0x30 root\n---\n--- profile\n");
		memcpy(words.bytes + words.size, tailed.bytes, tailed.size);
		words.size += tailed.size;
		check_file(words.bytes, words.size, options, "cpu cpu nanoseconds 1000", "root;leaf 7000");
		recording_check_blocks(words.bytes, words.size, 1, &options);
		if (!CHECK(recording_read(&ctx, words.bytes, words.size, 0, &options, &recording)))
			return;
		recording_warns(&recording, "the period of the samples is lost");
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* --- what is wrong --------------------------------------------------------------------------- */

static void
check_fails(const void *bytes, size_t size, FgErrorCode code, unsigned line, const char *reason)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgError		error;

	unit_case("%s", reason);
	options.format = FG_FORMAT_GPERFTOOLS;
	error = recording_fails(bytes, size, &options, code, reason);
	CHECK_COUNT(error.line, line);
	CHECK_TEXT(error.reason, strlen(error.reason), reason);
	recording_check_blocks(bytes, size, 1, &options);
}

static void
check_bad_words(const uint64_t *numbers, size_t count, size_t cut, FgErrorCode code, const char *reason)
{
	Words		words = make_words(numbers, count, 8, false, "");

	check_fails(words.bytes, words.size - cut, code, 0, reason);
}

static void
test_bad_words(void)
{
	static const uint64_t java[] = {0, 3, 1, 100, 0, 0, 1, 0};
	static const uint64_t period[] = {0, 3, 0, UINT64_MAX, 0, 0, 1, 0};
	static const uint64_t deep[] = {0, 3, 0, 1, 0, 1, UINT64_MAX};
	static const uint64_t many[] = {0, 3, 0, 1, 0, UINT64_C(1) << 63, 1, 1};
	static const uint64_t other[] = {0, 4, 0, 1, 0, 1, 1, 1};

	check_bad_words(java, COUNT(java), 0, FG_ERROR_SYNTAX, "this is a CPU profile of Java in gperftools' form");
	check_bad_words(period, COUNT(period), 0, FG_ERROR_RANGE, "the period of 18446744073709551615 microseconds is too large");
	check_bad_words(deep, COUNT(deep), 0, FG_ERROR_SYNTAX, "the number of frames 18446744073709551615 at byte 48 is too large");
	check_bad_words(many, COUNT(many), 0, FG_ERROR_SYNTAX, "the number of samples 9223372036854775808 at byte 40 is too large");
	check_bad_words(other, COUNT(other), 0, FG_ERROR_SYNTAX, "the CPU profile of gperftools has no header");
	check_bad_words(cpu, 2, 0, FG_ERROR_SYNTAX, "the CPU profile of gperftools has no header");
	/* cut off at each byte */
	for (size_t cut = 1; cut <= 8 * (COUNT(cpu) - 5); cut++)
	{
		char		reason[100];

		snprintf(reason, sizeof(reason), "the CPU profile of gperftools ends too early, behind %zu bytes", 8 * COUNT(cpu) - cut);
		check_bad_words(cpu, COUNT(cpu), cut, FG_ERROR_SYNTAX, reason);
	}
}

static void
test_bad_texts(void)
{
	static const struct
	{
		const char *text;
		unsigned	line;
		const char *reason;
	}			bad[] = {
		{"heap profile: 1: 1 [1: 1] @ heap/1048576\n", 1, "this is no first line of a profile of gperftools or jemalloc"},
		{"heap_v2/x\n", 1, "this is no first line of a profile of gperftools or jemalloc"},
		{"\nhello\n", 2, "this is no first line of a profile of gperftools or jemalloc"},
		{"heap_v2/99999999999999999999\n", 1, "this is no first line of a profile of gperftools or jemalloc"},
		{"heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: 1]\n", 2, "the addresses of a stack are missing"},
		{"heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: 1] @ 0x1 main\n", 2, "an address is not hexadecimal, or has more than 64 bits"},
		{"heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: 1] @ 0x10000000000000000\n", 2, "an address is not hexadecimal, or has more than 64 bits"},
		{"heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1\n", 2, "a stack has four numbers, \"1: 4096 [1: 4096]\", of at most 2^53"},
		{"heap profile: 1: 1 [1: 1] @ heapprofile\n1: 9007199254740993 [1: 1] @ 0x1\n", 2, "a stack has four numbers, \"1: 4096 [1: 4096]\", of at most 2^53"},
		{"heap profile: 1: 1 [1: 1] @ heapprofile\n0: 7 [1: 1] @ 0x1\n", 2, "no blocks cannot have bytes, nor can blocks have a size below 0"},
		{"heap profile: 1: 1 [1: 1] @ heap_v2/512\n1: -7 [1: 1] @ 0x1\n", 2, "no blocks cannot have bytes, nor can blocks have a size below 0"},
		{"heap_v2/512\n@ 0x1\n x*: 1: 1 [0: 0]\n", 3, "a line has the addresses of a stack, or the numbers of a thread"},
		{"--- contentionz 1 ---\nsampling period = 0\n", 2, "this is no whole number above 0"},
		{"--- contentionz 1 ---\n1 @ 0x1\n", 2, "a stack has two numbers of at most 2^53, and then its addresses"},
		{"--- symbol\n0x1 a\n0x1 b\n---\nheap_v2/512\n", 0, "the address 0x1 has two names"},
		{"--- symbol\n0x1\n", 2, "a symbol has an address and a name"},
		{"--- symbol\n0x1 a\n---\n--- profile\n", 0, "the file has no profile of gperftools or jemalloc"},
		{"--- symbol\n0x1 a\n", 0, "the file has no profile of gperftools or jemalloc"}
	};

	for (size_t i = 0; i < COUNT(bad); i++)
		check_fails(bad[i].text, strlen(bad[i].text), FG_ERROR_SYNTAX, bad[i].line, bad[i].reason);
}

int
main(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	Words		words = make_words(cpu, COUNT(cpu), 4, true, MAPS);

	test_words();
	test_texts();
	test_ends();
	test_symbols_and_words();
	test_bad_words();
	test_bad_texts();
	unit_case("any failure");
	recording_sweep("gperftools, words", words.bytes, words.size, &options, 1);
	options.threads = true;
	recording_sweep("jemalloc", jemalloc, sizeof(jemalloc) - 1, &options, 1);
	return unit_finish();
}
