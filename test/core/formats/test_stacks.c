/*
 * test_stacks.c
 *	  Printed stacks and trees: the maps of bpftrace, the blocks of DTrace and bcc, the call graph
 *	  of macOS's sample, and what callgrind's says of stacks.
 */
#include "recordings.h"

typedef struct Case
{
	FgFormat	format;
	const char *text;
	const char *event;			/* NULL: there is no profile */
	const char *unit;
	const char *expected;
	const char *truncated;		/* NULL: none */
} Case;

/* What stands in them is that of bpftrace 0.17 and, of the unwinder's failure, of its source. */
static const char maps[] =
	"Attaching 2 probes...\n\n\n"
	"@calls[\n    do_syscall_64+113\n    entry_SYSCALL_64_after_hwframe+118\n, \n    read+13\n    main+36\n, web, 12]: 3\n"
	"@calls[, \n    main+40\n, web, 12]: 2\n"
	"@calls[, , idle, 0]: 7\n"
	"@calls[\n    f+1\n    <unwind failure>\n, , web, 12]: 4\n"
	"@calls[web, \n\tffffffff810a3c1e do_syscall_64+113\n\t5647b5c6021a f(int (*)(int))+7 (/bin/x (deleted))\n\t4011 0x4011 ([unknown])\n]: 1\n"
	"@count: 5\n@seen[web]: 9\n"
	"@us: \n[2, 4)                 5 |@@@@@@@|\n\n";

/* DTrace, with and without keys; bcc, in its several ways. */
static const char blocks[] =
	"CPU     ID                    FUNCTION:NAME\n"
	"  0  64091                        :tick-60s \n\n\n"
	"              unix`trap+0x2c7\n              unix`0xfffffffffb8001d6\n\n              libc.so.1`read+0xa\n              a.out`f(int, A<B>)+0x1\n                2\n\n"
	"              unix`trap\n                1\n";

static const char report[] =
	"Analysis of sampling x (pid 1) every 1 millisecond\n\nCall graph:\n"
	"    10 Thread_1\n    + 10 a  (in x) + 1  [0x1]\n    +   3 b  (in x) + 1  [0x1]\n    +   ! 3 c  (in x) + 1  [0x1]\n    +   2 ???  (in x)  [0x1]\n"
	"    4 Thread_2: w\n      4 b\n\nTotal number in stack\n        5       b\n";

/* Two events, calls of itself, a circle, two callers, parts of a file, names without numbers. */
static const char graph[] =
	"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npositions: instr line\nevents: Ir Dr\n\n"
	"ob=(1) x\nfl=(1) x.c\nfn=(1) main\n0x10 1 5 2\n+3 * 4\ncfi=(2) y.c\ncfn=(2) f\ncalls=2 0x20 9\n* * 100 50\ncfn=(3) g\ncalls=1 0 0\n* +1 7\n"
	"fn=(2)\nfe=(3)\n0x20 -2 30 1\ncfn=(2)\ncalls=1 0\n* * 9 9\ncfn=(3)\ncalls=1 0\n* * 1\njump=1 0x30 4\n* *\n"
	"fn=(3)\n0x30 1 8\ncfn=(4) h\ncalls=1 0\n* * 1\nfn=(4)\n0x40 1 2\n"
	"fn=(5) p\n0x1 1 6\ncfn=(6) q\ncalls=1 0\n* * 3\nfn=(6)\n0x1 1 3\ncfn=(5)\ncalls=1 0\n* * 1\ntotals: 58 3\n"
	"events: Ir Dr\nfn=(1)\n0 0 1\n";

static const Case cases[] = {
	{FG_FORMAT_SAMPLE, report, "wall", "samples", "a 5\na;[unknown] 2\na;b;c 3\nb 4", NULL},
	{FG_FORMAT_SAMPLE, "Call graph:\n\nTotal number in stack\n", "wall", "samples", "", NULL},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n1 2\ncfn=(below main)\ncalls=1 1\n1 3\nfn=(below main)\n1 3\n", "Ir", "events", "f 2\nf;(below main) 3", NULL},
	/* jumps into another file and function, which may have its name there alone */
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=(1) main\n1 2\njfi=(2) b.c\njfn=(2) g\njcnd=1/2 5\n1\njfi=(2)\njump=3 7\n1\n3 4\nfn=(2)\n5 7\n", "Ir", "events",
		"g 7\nmain 6", NULL},
	/* costs with few digits and with many, tabs, leading zeros, a cost below 0, none */
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n+1\t999999999999999\n-2 -5\n0x10 1000000000000000\n  3 \t 007\n* \n4\n"
		"cfn=g\ncalls=1 1\n5 70\n6 -1\nfn=g\n* 1\n", "Ir", "events", "f 2000000000000000\nf;g 1", NULL},
	{FG_FORMAT_BPFTRACE, maps, "calls", "samples",
	"idle;0 7\nweb;0x4011;f(int (*)(int));do_syscall_64_[k] 1\nweb;12;main 2\n"
	"web;12;main;read;entry_SYSCALL_64_after_hwframe;do_syscall_64 3", "web;12;f 4"},
	{FG_FORMAT_BPFTRACE, "@[\nf+1\ng+2\n]: 3\n@[]: 2\n", "cpu", "samples", " 2\ng;f 3", NULL},
	{FG_FORMAT_BPFTRACE, "@[\n    operator++10\n    0x7f3a\n    f+g\n]: -3\n", "cpu", "samples", "f+g;0x7f3a;operator+ -3", NULL},
	{FG_FORMAT_BPFTRACE, "@[\n\tffff f+1\n\tdead g+1\n\t12ab\n]: 1\n", "cpu", "samples", "12ab;g;f 1", NULL},
	{FG_FORMAT_BPFTRACE, "@[a, b[x]: y, \n    f+1\n]: 1\n", "cpu", "samples", "a;b[x]: y;f 1", NULL},
	{FG_FORMAT_STACKS, blocks, "cpu", "samples",
	"a.out`f(int, A<B>);libc.so.1`read;unix`0xfffffffffb8001d6;unix`trap 2\nunix`trap 1", NULL},
	/* keys of DTrace: before the stack, behind it; numbers; an empty stack */
	{FG_FORMAT_STACKS, "  bash                                  1234\n              libc`read+0x1\n              0x4011\n                2\n"
		"      77\n              libc`g\n                3\n", "cpu", "samples", "77;libc`g 3\nbash;1234;0x4011;libc`read 2", NULL},
	{FG_FORMAT_STACKS, "\n              libc`read+0x1\n  bash        12                3\n", "cpu", "samples", "bash;12;libc`read 3", NULL},
	{FG_FORMAT_STACKS, "\n              f\n                1\n\n                9\n\n                4\n", "cpu", "samples", " 13\nf 1", NULL},
	{FG_FORMAT_STACKS, "\n              f\n                1\n                9\n                4\n", "cpu", "samples", " 13\nf 1", NULL},
	/* bcc */
	{FG_FORMAT_STACKS, "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n^C\n"
		"    nf_hook+0x1 [nf]\n    vfs_read+0x5d [kernel]\n    read+0xa [libc.so.6]\n    [unknown]\n    -                my (x) (9036)\n        4\n\n"
		"    0xffffffff810a3c1e vfs_read\n    --\n    0x00007f read\n    -                dd (1)\n        1\n\n"
		"    -                swapper/0 (0)\n        72\n\n",
	"cpu", "samples", "dd;read;vfs_read_[k] 1\nmy (x);[unknown];read;vfs_read_[k];nf_hook_[k] 4\nswapper/0 72", NULL},
	{FG_FORMAT_STACKS, "Tracing off-CPU time (us) of all threads by kernel stack... Hit Ctrl-C to end.\n^C\n"
		"    schedule\n    -                chmod (7)\n        13\n\n", "offcpu", "microseconds", "chmod;schedule 13", NULL},
	{FG_FORMAT_STACKS, "Tracing 1 functions for \"c:\"malloc\"\"... Hit Ctrl-C to end.\n^C\n"
		"  ffffffff813bd3b1 submit_bio\n  submit_bh\n    --\n  f\n    jbd2/xvda1-8 [405]\n    2\n\n12:00:01\n  submit_bio\n    3\n\nDetaching...\n",
	"c:\"malloc\"", "samples", "jbd2/xvda1-8;f;submit_bh_[k];submit_bio_[k] 2\nsubmit_bio 3", NULL},
	/* SystemTap, as stackcollapse-stap.pl of FlameGraph and its own sources have it; one function at two places */
	{FG_FORMAT_STACKS, " 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]\n 0xffffffff8101c6a3 : default_idle+0x53/0x1d0 [kernel]\n\t2404\n"
		" 0xffffffff8103ce3c : native_safe_halt+0xc/0x10 [kernel] (inexact)\n 0xffffffff8101c6a3 : default_idle+0x53/0x1d0 [kernel] (inexact)\n\t6\n"
		" 0x7f401b : main+0x1a/0x20 [/usr/bin/foo]\n 0x7f402b [/usr/lib64/libc-2.17.so+0x36a20/0x3bd000]\n\t3\n",
	"cpu", "samples", "[/usr/lib64/libc-2.17.so+0x36a20/0x3bd000];main 3\ndefault_idle_[k];native_safe_halt_[k] 2410", NULL},
	/* the tools of bcc in C, with -v: numbers of frames, addresses and places */
	{FG_FORMAT_STACKS, "Sampling at 49 Hertz of all threads by user + kernel... Hit Ctrl-C to end.\n"
		"    #0  0xffffffc01018b7e8 nanosleep+0x10\n    --\n    #1  0x0000007fa0bffd14 f(int)+0x94 (/usr/lib/libc-2.31.so+0x9ed14)\n"
		"    #2  0x0000007fa0bffd18 (/usr/lib/libc-2.31.so+0x9ed18)\n    -                app (123)\n        5\n\n"
		"    0xffffffc01018b7e9 nanosleep+0x11\n    --\n    0x0000007fa0bffd15 f(int)+0x95 (/usr/lib/libc-2.31.so+0x9ed15)\n    0x0000007fa0bffd18 (/usr/lib/libc-2.31.so+0x9ed18)\n"
		"    -                app (123)\n        2\n\n",
	"cpu", "samples", "app;(/usr/lib/libc-2.31.so+0x9ed18);f(int);nanosleep_[k] 7", NULL},
	/* names that end like a size, or in the types of arguments */
	{FG_FORMAT_STACKS, "    f/0x10\n    g (int)\n    #x\n    1\n", "cpu", "samples", "#x;g (int);f/0x10 1", NULL},
	{FG_FORMAT_STACKS, "CPU     ID                    FUNCTION:NAME\n", NULL, NULL, NULL, NULL},
};

static void
check_case(const Case *c)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	options.format = c->format;
	options.every = true;
	if (!CHECK(recording_read(&ctx, c->text, strlen(c->text), 0, &options, &recording)))
	{
		printf("    line %u, column %u: %s\n", (unsigned) ctx.error.line, (unsigned) ctx.error.column, ctx.error.reason);
		return;
	}
	CHECK_COUNT(recording.count, c->event != NULL);
	if (recording.count == 1 && c->event != NULL)
	{
		CHECK(strcmp(recording.profiles[0].event, c->event) == 0);
		CHECK(strcmp(recording.profiles[0].unit, c->unit) == 0);
		recording_is(&ctx, &recording.profiles[0].complete, c->expected);
		recording_is(&ctx, &recording.profiles[0].truncated, c->truncated != NULL ? c->truncated : "");
		recording_weighs(&ctx, &recording.profiles[0], NULL, NULL);
	}
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

typedef struct Wrong
{
	FgFormat	format;
	const char *text;
	FgErrorCode code;
	uint64_t	line;
	uint64_t	column;
	const char *reason;
} Wrong;

static const Wrong wrong[] = {
	{FG_FORMAT_BPFTRACE, "@[\n    f+1\n", FG_ERROR_SYNTAX, 1, 1, "ends within this entry"},
	{FG_FORMAT_BPFTRACE, "@[\n    f+1\n]: 12", FG_ERROR_SYNTAX, 3, 0, "may be cut off"},
	{FG_FORMAT_BPFTRACE, "\n@[\n    f+1\n\n]: 12\n", FG_ERROR_SYNTAX, 2, 1, "has no end"},
	{FG_FORMAT_BPFTRACE, "@[\n    f+1\n@[\n    g+1\n]: 12\n", FG_ERROR_SYNTAX, 1, 1, "has no end"},
	{FG_FORMAT_BPFTRACE, "@[\n    f+1\n]: \n[2, 4) 1 |@|\n", FG_ERROR_SYNTAX, 3, 3, "not a whole number"},
	{FG_FORMAT_BPFTRACE, "@[\n    f+1\n]: count 1, average 3, total 3\n", FG_ERROR_SYNTAX, 3, 4, "not a whole number"},
	{FG_FORMAT_BPFTRACE, "@[\n    f+1\n, web]: 1.5\n", FG_ERROR_SYNTAX, 3, 9, "not a whole number"},
	{FG_FORMAT_BPFTRACE, "@[\n    f+1\n, web\n]: 1\n", FG_ERROR_SYNTAX, 3, 1, "follows these keys"},
	/* of perf report -q, where a caller without a name is an address: 0 */
	{FG_FORMAT_STACKS, "    66.75%  [.] work\n            |\n            ---work\n               0\n\n", FG_ERROR_SYNTAX, 1, 5, "the report of perf"},
	{FG_FORMAT_SAMPLE, "x\n", FG_ERROR_SYNTAX, 0, 0, "no call graph"},
	{FG_FORMAT_SAMPLE, "Call graph:\n    1 T\n", FG_ERROR_SYNTAX, 2, 0, "ends within the call graph"},
	{FG_FORMAT_SAMPLE, "Call graph:\n    1 T\n     1 f\n", FG_ERROR_SYNTAX, 3, 6, "indented"},
	{FG_FORMAT_SAMPLE, "Call graph:\n    1 T\n    +   1 f\n", FG_ERROR_SYNTAX, 3, 9, "indented"},
	{FG_FORMAT_SAMPLE, "Call graph:\n    1 T\n    + ! :\n", FG_ERROR_SYNTAX, 3, 10, "are missing"},
	{FG_FORMAT_SAMPLE, "Call graph:\n    1 T\n    + f\n", FG_ERROR_SYNTAX, 3, 7, "are missing"},
	{FG_FORMAT_SAMPLE, "Call graph:\n    1 T\n  x\n", FG_ERROR_SYNTAX, 3, 1, "no part of the call graph"},
	{FG_FORMAT_SAMPLE, "Call graph:\n    1 T\n      2 f\nTotal number in stack\n", FG_ERROR_SYNTAX, 2, 0, "more samples than itself"},
	{FG_FORMAT_CALLGRIND, "version: 1\n", FG_ERROR_SYNTAX, 0, 0, "no line \"events:\""},
	{FG_FORMAT_CALLGRIND, "fn=f\n", FG_ERROR_SYNTAX, 1, 1, "before the line \"events:\""},
	{FG_FORMAT_CALLGRIND, "events:\n", FG_ERROR_SYNTAX, 1, 1, "no events"},
	{FG_FORMAT_CALLGRIND, "events: Ir\n1 2\n", FG_ERROR_SYNTAX, 2, 1, "before the first function"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=(1)\n1 2\n", FG_ERROR_SYNTAX, 2, 4, "no name yet"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n1 2 3\n", FG_ERROR_SYNTAX, 3, 5, "more costs than events"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n1 x\n", FG_ERROR_SYNTAX, 3, 3, "not a whole number"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\nx 1\n", FG_ERROR_SYNTAX, 3, 1, "not a line of positions"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\ncalls=1 1\n", FG_ERROR_SYNTAX, 3, 1, "before its functions"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nevents: Dr\n", FG_ERROR_SYNTAX, 2, 1, "different events"},
	{FG_FORMAT_CALLGRIND, "creator: callgrind-3\nevents: Ir\nfn=f\n1 2\n", FG_ERROR_SYNTAX, 4, 0, "cut off"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\ncfn=g\ncalls=1 1\n", FG_ERROR_SYNTAX, 4, 0, "cut off"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\ncfn=g\ncalls=1 1\nfn=g\n1 2\n", FG_ERROR_SYNTAX, 5, 1, "costs of the call"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n1 2 \t3\n", FG_ERROR_SYNTAX, 3, 6, "more costs than events"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n1 2x\n", FG_ERROR_SYNTAX, 3, 3, "not a whole number"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n1+3 2\n", FG_ERROR_SYNTAX, 3, 1, "not a line of positions"},
	{FG_FORMAT_CALLGRIND, "events: Ir\nfn=f\n+ 2\n", FG_ERROR_SYNTAX, 3, 1, "not a line of positions"},
	{FG_FORMAT_STACKS, "\n    f\n    g\n", FG_ERROR_SYNTAX, 2, 0, "ends within the stack"},
	{FG_FORMAT_STACKS, "\n    f\n        1", FG_ERROR_SYNTAX, 3, 0, "may be cut off"},
	/* as gatherhc-kern.d and gatherthc-kern.d of FlameGraph let DTrace print them */
	{FG_FORMAT_AUTO, "CPU     ID                    FUNCTION:NAME\n  0  64091                        :tick-60s \n\n              unix`trap+0x2c7\n              unix`f+0x1\noncpu:1 ms:2664\n",
	FG_ERROR_SYNTAX, 6, 1, "the stack above it lacks its count"},
	{FG_FORMAT_AUTO, "\n              unix`trap+0x2c7\nthread:123 pid:826 tid:3 name:mysqld oncpu:1 ms:2664\n", FG_ERROR_SYNTAX, 3, 1, "the stack above it lacks its count"},
	{FG_FORMAT_STACKS, "\n    f\nDetaching\n", FG_ERROR_SYNTAX, 3, 1, "lacks its count"},
	{FG_FORMAT_STACKS, "\n    f\n    value  ------------- Distribution ------------- count\n", FG_ERROR_SYNTAX, 3, 5, "a distribution"},
	{FG_FORMAT_STACKS, "\n    target:          ssh\n    f\n    1\n", FG_ERROR_SYNTAX, 2, 5, "wakeuptime"},
	{FG_FORMAT_STACKS, "\n    f\n  \xFFg    5\n", FG_ERROR_ENCODING, 3, 0, "UTF-8"},
};

static void
check_wrong(const Wrong *w)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgError		error;

	options.format = w->format;
	options.every = true;
	error = recording_fails(w->text, strlen(w->text), &options, w->code, w->reason);
	CHECK_COUNT(error.line, w->line);
	CHECK_COUNT(error.column, w->column);
}

/* Which format a text is taken for; FG_FORMAT_AUTO: none. */
static void
test_recognition(void)
{
	static const struct
	{
		const char *text;
		FgFormat	format;
	}			texts[] = {
		{maps, FG_FORMAT_BPFTRACE}, {blocks, FG_FORMAT_STACKS},
		{"@[\n    f+1\n]: 3\n", FG_FORMAT_BPFTRACE},
		{"\n    f\n    g\n        1\n\n", FG_FORMAT_STACKS},
		{"  bash      1234\n       read\n        1\n", FG_FORMAT_STACKS},
		{report, FG_FORMAT_SAMPLE},
		{"@a;b 1\n", FG_FORMAT_FOLDED}, {"main;b 1\n  main 2\n", FG_FORMAT_FOLDED},
		{"  a`f+0x1;b`g+0x2 5\nmain 6\n", FG_FORMAT_FOLDED}, {"  see `f`\nhello\n", FG_FORMAT_AUTO},
		{"{\"a\":\n  [\n  1\n]}", FG_FORMAT_AUTO}, {"hello\n  world\n", FG_FORMAT_AUTO}
	};

	unit_case("recognition");
	for (size_t i = 0; i < COUNT(texts); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
		FgRecordingReader *reader = fg_recording_open(&ctx, &options);
		FgRecording recording = {.count = 0};

		options.every = true;
		(void) (fg_recording_feed(reader, texts[i].text, strlen(texts[i].text)) &&
				fg_recording_finish(reader, &recording));
		CHECK_COUNT(fg_recording_format(reader), texts[i].format);
		fg_recording_free(&ctx, &recording);
		fg_recording_close(reader);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_threads(void)
{
	static const char text[] = "\n    f\n    -                dd (1)\n        1\n\n";
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("threads");
	options.threads = true;
	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
		return;
	recording_is(&ctx, &recording.profiles[0].complete, "dd-1;f 1");
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

/* A map that was not asked for may hold anything. */
static void
test_selection(void)
{
	static const char text[] = "@x[\n    f+1\n]: 1\n@y[\n    f+1\n]: count 1, average 3, total 3\n";
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("selection");
	options.selection = "x";
	if (!CHECK(recording_read(&ctx, text, strlen(text), 0, &options, &recording)))
		return;
	recording_is(&ctx, &recording.profiles[0].complete, "f 1");
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

/* Both events of a call graph. */
static void
test_call_graph(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("call graph");
	options.format = FG_FORMAT_CALLGRIND;
	options.every = true;
	if (!CHECK(recording_read(&ctx, graph, strlen(graph), 0, &options, &recording)))
		return;
	CHECK_COUNT(recording.count, 2);
	recording_is(&ctx, &recording.profiles[0].complete, "main 10\nmain;f 30");
	recording_is(&ctx, &recording.profiles[0].truncated, "g 8\ng;h 2\np;q 3\nq;p 6");
	CHECK(strcmp(recording.profiles[1].event, "Dr") == 0);
	recording_is(&ctx, &recording.profiles[1].complete, "main 2\nmain;f 1");
	recording_is(&ctx, &recording.profiles[1].truncated, "");
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

/* "A->B": B is inlined in A, unless it is the operator; only where that is asked for. */
static void
test_inlined(void)
{
	static const struct
	{
		const char *text;
		const char *plain;
		const char *inlined;
	}			texts[] = {
		{"java 1 1.5: 5 cycles: \n\t7f89 Lio/Writer;::flush->Lio/Stream;::write->Lio/Encoder;::encode+0x4b (/tmp/perf-1.map)\n\t7f8a LCounter;::run+0x50 (/tmp/perf-1.map)\n\n",
		"java;LCounter\\;::run;Lio/Writer\\;::flush->Lio/Stream\\;::write->Lio/Encoder\\;::encode 5",
		"java;LCounter\\;::run;Lio/Writer\\;::flush;Lio/Stream\\;::write;Lio/Encoder\\;::encode 5"},
		{"c 1 1.5: 5 cycles: \n\t7f89 ptr<A>::operator->() const (/x)\n\t7f8a f->g::operator->*+0x1 (/x)\n\n",
		"c;f->g::operator->*;ptr<A>::operator->() const 5", "c;f;g::operator->*;ptr<A>::operator->() const 5"},
		{"\n  test`baz\n  test`foo->bar\n  1\n", "test`foo->bar;test`baz 1", "test`foo;bar;test`baz 1"},
		{"@[\n    a->b+1\n    ->+1\n]: 1\n", "->;a->b 1", "->;a;b 1"}
	};

	for (size_t i = 0; i < COUNT(texts) * 2; i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
		FgRecording recording;

		unit_case("inlined %u", (unsigned) i);
		options.inlined = i % 2 == 1;
		if (!CHECK(recording_read(&ctx, texts[i / 2].text, strlen(texts[i / 2].text), 0, &options, &recording)))
			continue;
		recording_is(&ctx, &recording.profiles[0].complete,
					 options.inlined ? texts[i / 2].inlined : texts[i / 2].plain);
		fg_recording_free(&ctx, &recording);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* Every line of a sample is kept until its count comes. */
static void
test_lines(void)
{
	size_t		lines = FG_MAX_DEPTH + 100;
	char	   *text = malloc(lines * 4);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("too many lines");
	options.format = FG_FORMAT_STACKS;
	for (size_t i = 0; i < lines; i++)
		memcpy(text + i * 4, "  f\n", 4);
	CHECK_ERROR(recording_read(&ctx, text, lines * 4, 0, &options, &recording), &ctx, FG_ERROR_LIMIT);
	CHECK_COUNT(ctx.error.line, 1);
	CHECK_COUNT(memory.blocks, 0);
	free(text);
}

/* Files, against what a reader of regular expressions makes of them. */
static void
check_file(FgFormat format, const char *name, const char *selection, const char *folded,
		   const char *truncated)
{
	char		path[100];
	size_t		size;
	char	   *bytes;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	unit_case("file %s", folded);
	snprintf(path, sizeof(path), "test/data/formats/%s", name);
	bytes = recording_file(path, &size);
	options.selection = selection;
	options.format = format;
	options.threads = format == FG_FORMAT_AUTO && selection == NULL && strstr(name, ".sample") != NULL;
	if (CHECK(recording_read(&ctx, bytes, size, 0, &options, &recording)))
	{
		snprintf(path, sizeof(path), "test/data/formats/%s", folded);
		recording_is_file(&ctx, &recording.profiles[0].complete, path);
		if (truncated != NULL)
		{
			snprintf(path, sizeof(path), "test/data/formats/%s", truncated);
			recording_is_file(&ctx, &recording.profiles[0].truncated, path);
		}
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
	free(bytes);
}

int
main(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		unit_case("stacks %u", (unsigned) i);
		check_case(&cases[i]);
	}
	for (size_t i = 0; i < COUNT(wrong); i++)
	{
		unit_case("wrong %u", (unsigned) i);
		check_wrong(&wrong[i]);
	}
	test_recognition();
	test_threads();
	test_selection();
	test_lines();
	test_call_graph();
	test_inlined();
	check_file(FG_FORMAT_AUTO, "maps.bpftrace.gz", "cpu", "maps.cpu.folded", NULL);
	check_file(FG_FORMAT_AUTO, "maps.bpftrace.gz", "both", "maps.both.folded", NULL);
	check_file(FG_FORMAT_AUTO, "kernel.dtrace", NULL, "dtrace.folded", NULL);
	check_file(FG_FORMAT_AUTO, "profile.bcc", NULL, "bcc.folded", NULL);
	check_file(FG_FORMAT_AUTO, "report.sample", NULL, "sample.folded", NULL);
	check_file(FG_FORMAT_CALLGRIND, "app.callgrind.gz", NULL, "callgrind.complete.folded",
			   "callgrind.truncated.folded");
	unit_case("any blocks, any failure");
	recording_check_blocks(maps, sizeof(maps) - 1, 1, &options);
	recording_check_blocks(blocks, sizeof(blocks) - 1, 1, &options);
	recording_check_blocks(report, sizeof(report) - 1, 1, &options);
	recording_sweep("call graph of sample", report, sizeof(report) - 1, &options, 1);
	options.format = FG_FORMAT_CALLGRIND;
	options.every = true;
	recording_check_blocks(graph, sizeof(graph) - 1, 1, &options);
	recording_sweep("call graph of callgrind", graph, sizeof(graph) - 1, &options, 1);
	options.format = FG_FORMAT_AUTO;
	recording_sweep("maps of bpftrace", maps, sizeof(maps) - 1, &options, 1);
	recording_sweep("blocks of frames", blocks, sizeof(blocks) - 1, &options, 1);
	return unit_finish();
}
