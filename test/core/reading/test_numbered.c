/*
 * test_numbered.c
 *	  Stacks of numbered frames: they come out as those that are collected frame by frame,
 *	  and a frame is named once for each tree.
 */
#include "recordings.h"

#include "core/reading/numbered.h"

static const char *const names[] = {"main", "a\tb", "", "leaf"};

static bool
name_frame(void *arg, uint32_t number, const char **name, size_t *length)
{
	++*(size_t *) arg;
	*name = number == FG_NONE ? "nobody" : names[number];
	*length = strlen(*name);
	return true;
}

typedef struct Case
{
	uint32_t	numbers[4];
	size_t		count;
	bool		truncated;
	const char *thread;
} Case;

#define NOBODY FG_NONE

/* Leaf first; what a stack shares with the one before is more, less, and with another thread in between. */
static const Case cases[] = {
	{{3, 1, 0}, 3, false, NULL},
	{{3, 1, 0}, 3, false, NULL},
	{{1, 0}, 2, false, NULL},
	{{3, 2, 1, 0}, 4, false, NULL},
	{{0}, 0, false, NULL},
	{{3, NOBODY, 0}, 3, false, NULL},
	{{3, 1, 0}, 3, true, NULL},
	{{3, 0}, 2, false, "worker\n1"},
	{{1, 0}, 2, false, "worker\n1"},
	{{1, 0}, 2, false, ""},
	{{0}, 0, false, "idle"},
	{{3, 1, 0}, 3, false, NULL}
};

static bool
add_collected(FgSink *sink, uint32_t profile, const Case *c, size_t *named)
{
	fg_sink_clear(sink);
	for (size_t i = 0; i < c->count; i++)
	{
		const char *name;
		size_t		length;

		name_frame(named, c->numbers[i], &name, &length);
		if (!fg_sink_frame(sink, name, length))
			return false;
	}
	return (c->thread == NULL || fg_sink_thread(sink, c->thread, strlen(c->thread))) &&
		fg_sink_sample(sink, profile, FG_LEAF_FIRST, c->truncated, 2);
}

static bool
add_numbered(FgSink *sink, FgNumbered *numbered, uint32_t profile, const Case *c, bool reversed)
{
	uint32_t	turned[4];
	FgNumberedStack stack = {c->numbers, c->count, FG_LEAF_FIRST, c->truncated, c->thread, 0};
	FgStackPlace place;

	stack.thread_length = c->thread != NULL ? strlen(c->thread) : 0;
	for (size_t i = 0; i < c->count; i++)
		turned[i] = c->numbers[c->count - 1 - i];
	if (reversed)
	{
		stack.numbers = turned;
		stack.order = FG_ROOT_FIRST;
	}
	return fg_numbered_place(numbered, profile, &stack, &place) && fg_sink_sample_at(sink, &place, 2);
}

/* The cases "times" times over; false with an error. */
static bool
read_cases(FgContext *ctx, uint32_t max_depth, bool collect, bool forget, size_t times, FgRecording *recording,
		   size_t *named)
{
	static const FgKind kind = {"cpu", "cpu", "samples", 0};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgSink	   *sink;
	FgNumbered	numbered;
	uint32_t	profile;
	bool		ok;

	options.max_depth = max_depth;
	*named = 0;
	memset(recording, 0, sizeof(*recording));
	sink = fg_sink_create(ctx, &options);
	if (sink == NULL)
		return false;
	fg_numbered_begin(&numbered, sink, name_frame, named);
	ok = fg_sink_profile(sink, &kind, &profile);
	for (size_t i = 0; ok && i < COUNT(cases) * times; i++)
	{
		const Case *c = &cases[i % COUNT(cases)];

		if (forget && i % 3 == 0)
			fg_numbered_forget(&numbered);
		ok = collect ? add_collected(sink, profile, c, named)
			: add_numbered(sink, &numbered, profile, c, i % 2 == 1);
	}
	ok = ok && fg_sink_finish(sink, recording);
	fg_numbered_free(&numbered);
	fg_sink_free(sink);
	if (!ok)
		fg_recording_free(ctx, recording);
	return ok;
}

static void
test_same(uint32_t max_depth, const char *complete, const char *truncated)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	for (int way = 0; way < 3; way++)
	{
		FgRecording recording;
		size_t		named;

		unit_case("%s, stacks of %u frames are cut", way == 0 ? "collected" : way == 1 ? "numbered" : "forgotten",
				  (unsigned) max_depth);
		if (!CHECK(read_cases(&ctx, max_depth, way == 0, way == 2, 1, &recording, &named)))
			continue;
		recording_is(&ctx, &recording.profiles[0].complete, complete);
		recording_is(&ctx, &recording.profiles[0].truncated, truncated);
		CHECK_COUNT(recording.noted.samples, 12);
		CHECK_COUNT(recording.noted.without_stack, 2);
		CHECK_COUNT(recording.noted.unknown_frames, 1);
		/* of eight frames a\tb, and of two threads */
		CHECK_COUNT(recording.noted.control_characters, 10);
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* However many stacks there are: four frames and nobody in one tree, three in the other. */
static void
test_named_once(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	for (size_t times = 1; times <= 1000; times *= 1000)
	{
		FgRecording recording;
		size_t		named;

		unit_case("frames are named once, %zu times the stacks", times);
		if (CHECK(read_cases(&ctx, 0, false, false, times, &recording, &named)))
			CHECK_COUNT(named, 8);
		fg_recording_free(&ctx, &recording);
	}
	CHECK_COUNT(memory.blocks, 0);
}

static bool
read_swept(FgContext *ctx, void *arg)
{
	FgRecording recording;
	size_t		named;

	(void) arg;
	if (!read_cases(ctx, 0, false, true, 1, &recording, &named))
		return false;
	fg_recording_free(ctx, &recording);
	return true;
}

int
main(void)
{
	test_same(0, " 2\n[unknown];main;a b 2\nidle 2\nmain;a b 2\nmain;a b;[unknown];leaf 2\nmain;a b;leaf 6\n"
			  "main;nobody;leaf 2\nworker 1;main;a b 2\nworker 1;main;leaf 2", "main;a b;leaf 2");
	test_same(3, " 2\n[unknown];main;a b 2\nidle 2\nmain;a b 2\nworker 1;main;a b 2\nworker 1;main;leaf 2",
			  "main;a b;[unknown];leaf 2\nmain;a b;leaf 8\nmain;nobody;leaf 2");
	test_named_once();
	unit_case("without memory");
	unit_sweep_memory("numbered", read_swept, NULL);
	return unit_finish();
}
