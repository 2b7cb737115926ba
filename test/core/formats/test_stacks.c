/*
 * test_stacks.c
 *	  Printed stacks: the maps of bpftrace, and the blocks of DTrace and bcc.
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

static const Case cases[] = {
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
	{FG_FORMAT_BPFTRACE, "@[\n    f+1\n]: 9007199254740993\n", FG_ERROR_RANGE, 3, 4, "more digits"},
	{FG_FORMAT_STACKS, "\n    f\n    g\n", FG_ERROR_SYNTAX, 2, 0, "ends within the stack"},
	{FG_FORMAT_STACKS, "\n    f\n        1", FG_ERROR_SYNTAX, 3, 0, "may be cut off"},
	{FG_FORMAT_STACKS, "\n    f\nDetaching\n", FG_ERROR_SYNTAX, 3, 1, "lacks its count"},
	{FG_FORMAT_STACKS, "\n    f\n    value  ------------- Distribution ------------- count\n", FG_ERROR_SYNTAX, 3, 5, "a distribution"},
	{FG_FORMAT_STACKS, "\n    target:          ssh\n    f\n    1\n", FG_ERROR_SYNTAX, 2, 5, "wakeuptime"},
	{FG_FORMAT_STACKS, "\n    f\n        9007199254740993\n", FG_ERROR_RANGE, 3, 9, "more digits"},
	{FG_FORMAT_STACKS, "\n    9007199254740993\n\n", FG_ERROR_RANGE, 2, 5, "more digits"},
	{FG_FORMAT_STACKS, "\n    f\n  \xFFg    5\n", FG_ERROR_ENCODING, 3, 0, "UTF-8"},
};

static void
check_wrong(const Wrong *w)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;

	options.format = w->format;
	options.every = true;
	CHECK_ERROR(recording_read(&ctx, w->text, strlen(w->text), 0, &options, &recording), &ctx, w->code);
	CHECK_COUNT(ctx.error.line, w->line);
	CHECK_COUNT(ctx.error.column, w->column);
	if (!CHECK(strstr(ctx.error.reason, w->reason) != NULL))
		printf("    %s\n", ctx.error.reason);
	CHECK_COUNT(memory.blocks, 0);
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
		{"@a;b 1\n", FG_FORMAT_FOLDED}, {"main;b 1\n  main 2\n", FG_FORMAT_FOLDED},
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
check_file(const char *name, const char *selection, const char *folded)
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
	if (CHECK(recording_read(&ctx, bytes, size, 0, &options, &recording)))
	{
		snprintf(path, sizeof(path), "test/data/formats/%s", folded);
		recording_is_file(&ctx, &recording.profiles[0].complete, path);
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
	check_file("maps.bpftrace.gz", "cpu", "maps.cpu.folded");
	check_file("maps.bpftrace.gz", "both", "maps.both.folded");
	check_file("kernel.dtrace", NULL, "dtrace.folded");
	check_file("profile.bcc", NULL, "bcc.folded");
	unit_case("any blocks, any failure");
	recording_check_blocks(maps, sizeof(maps) - 1, 1, &options);
	recording_check_blocks(blocks, sizeof(blocks) - 1, 1, &options);
	recording_sweep("maps of bpftrace", maps, sizeof(maps) - 1, &options, 1);
	recording_sweep("blocks of frames", blocks, sizeof(blocks) - 1, &options, 1);
	return unit_finish();
}
