/*
 * test_event_names.c
 *	  What a store calls the events of a recording, and what it adds up.
 */
#include "recordings.h"

#include "core/formats/event_names.h"

#define MOST 8

typedef struct Case
{
	const char *event;			/* the caller's */
	const char *recorded[MOST][3];	/* event, name, unit */
	const char *named;			/* event/unit of each */
	const char *sharing;
	bool		unused;
} Case;

static const Case cases[] = {
	/* the only profile: what the caller says, even when that is the default */
	{NULL, {{"wall", "wall", "samples"}}, "wall/samples ", "", false},
	{"cpu", {{"wall", "wall", "samples"}}, "cpu/samples ", "", false},
	{"lock", {{"", "", ""}}, "lock/samples ", "", false},
	{NULL, {{"", "x", ""}}, "cpu/samples ", "", false},
	/* several: the caller's event is for those without one */
	{"lock", {{"wall", "w", "ns"}, {"", "n", "ns"}}, "wall/ns lock/ns ", "", false},
	{NULL, {{"wall", "w", "ns"}, {"", "n", "ns"}}, "wall/ns cpu/ns ", "", false},
	{"io", {{"wall", "w", "ns"}, {"cpu", "n", "ns"}}, "wall/ns cpu/ns ", "", true},
	{"w", {{"wall", "w", "ns"}, {"cpu", "n", "ns"}}, "wall/ns cpu/ns ", "", false},
	{"cpu", {{"wall", "w", "ns"}, {"cpu", "n", "ns"}}, "wall/ns cpu/ns ", "", false},
	/* one event, two units: two measurements */
	{NULL, {{"cpu", "samples", "count"}, {"cpu", "cpu", "ns"}}, "cpu/count cpu/ns ", "", false},
	/* one event, one unit: one measurement, which the caller may name */
	{NULL, {{"cpu", "cycles:u", "events"}, {"cpu", "cycles", "events"}}, "cpu/events cpu/events ",
	"cpu in events: cycles:u, cycles", false},
	{"wall", {{"cpu", "cycles:u", "events"}, {"cpu", "cycles", "events"}}, "wall/events wall/events ",
	"wall in events: cycles:u, cycles", false},
	{"wall", {{"cpu", "c:u", "events"}, {"x", "x", "events"}, {"cpu", "c", "events"}, {"x", "x:u", "events"}},
		"cpu/events x/events cpu/events x/events ", "cpu in events: c:u, c; x in events: x, x:u", true},
	/* shared only since the event or the unit is filled in */
	{NULL, {{"", "x", "ns"}, {"cpu", "samples", "ns"}}, "cpu/ns cpu/ns ", "cpu in ns: x, samples", false},
	{NULL, {{"cpu", "x", ""}, {"cpu", "", "samples"}}, "cpu/samples cpu/samples ",
	"cpu in samples: x, (no name)", false},
};

static FgRecording
recording_of(const Case *c, FgRecorded *profiles)
{
	FgRecording recording = {.profiles = profiles};

	for (; recording.count < MOST && c->recorded[recording.count][0] != NULL; recording.count++)
	{
		const char *const *texts = c->recorded[recording.count];

		profiles[recording.count] = (FgRecorded) {
			.event = (char *) texts[0], .name = (char *) texts[1], .unit = (char *) texts[2]
		};
	}
	return recording;
}

static bool
name_case(FgContext *ctx, const Case *c, char *got, size_t size)
{
	FgRecorded	profiles[MOST];
	FgRecording recording = recording_of(c, profiles);
	FgEventName *names;
	FgBuffer	sharing = {.data = NULL};
	size_t		length = 0;
	bool		ok = fg_event_names(ctx, &recording, c->event, &names) &&
		fg_event_sharing(ctx, &recording, names, &sharing);

	got[0] = '\0';
	for (size_t i = 0; ok && i < recording.count; i++)
		length += (size_t) snprintf(got + length, size - length, "%s/%s ", names[i].event, names[i].unit);
	if (ok)
	{
		CHECK(strcmp(sharing.size > 0 ? (char *) sharing.data : "", c->sharing) == 0);
		CHECK(fg_event_is_unused(&recording, names, c->event) == c->unused);
	}
	fg_release(ctx, sharing.data);
	fg_release(ctx, names);
	return ok;
}

static bool
name_in_sweep(FgContext *ctx, void *arg)
{
	char		got[200];

	return name_case(ctx, arg, got, sizeof(got));
}

static void
test_names(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Case		swept = cases[12];

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		char		got[200];

		unit_case("case %u", (unsigned) i);
		CHECK(name_case(&ctx, &cases[i], got, sizeof(got)));
		CHECK_TEXT(got, strlen(got), cases[i].named);
	}
	CHECK_COUNT(memory.blocks, 0);
	unit_sweep_memory("names", name_in_sweep, &swept);
}

/* --- adding up --------------------------------------------------------------------- */

#define SAMPLE(period, event, frame) "a 1 1.5: " period " " event ": \n\tab " frame " (o)\n\n"

typedef struct Joined
{
	const char *text;			/* of perf */
	uint32_t	max_depth;
	const char *expected;		/* "event name unit period", a line for each */
	const char *complete;		/* of the first profile; the rest is by hand, too */
	const char *truncated;
	const char *samples;		/* NULL: not weighed */
	const char *noise;
} Joined;

static const Joined joined[] = {
	/* the finding: one stray sample of another modifier */
	{SAMPLE("250", "cycles:u", "f") SAMPLE("1", "cycles", "g"), 0, "cpu cycles:u + cycles events 0\n",
	"a;f 250\na;g 1", "", "a;f 1\na;g 1", "a;f 62500\na;g 1"},
	/* a period against weights: 2 of 250, then 100 and 50 */
	{SAMPLE("250", "cycles:u", "f") SAMPLE("100", "cycles", "f") SAMPLE("250", "cycles:u", "f") SAMPLE("50", "cycles", "h"), 0,
		"cpu cycles:u + cycles events 0\n",
	"a;f 600\na;h 50", "", "a;f 3\na;h 1", "a;f 135000\na;h 2500"},
	/* one period: it says as much as before */
	{SAMPLE("250", "cycles:u", "f") SAMPLE("250", "cycles:k", "f") SAMPLE("250", "cycles", "f"), 0,
	"cpu cycles:u + cycles:k + cycles events 250\n", "a;f 750", "", NULL, NULL},
	/* others stay, in their order, wherever they stand */
	{SAMPLE("3", "page-faults", "p") SAMPLE("250", "cycles:u", "f") SAMPLE("4", "instructions", "i") SAMPLE("250", "cycles", "f")
		SAMPLE("3", "page-faults:u", "p"), 0,
		"page-faults page-faults + page-faults:u events 3\ncpu cycles:u + cycles events 250\ninstructions instructions events 4\n",
	"a;p 6", "", NULL, NULL},
	/* truncated stacks; all of one are */
	{SAMPLE("250", "cycles:u", "f") SAMPLE("250", "cycles", "f"), 1, "cpu cycles:u + cycles events 250\n", "", "a;f 500", NULL, NULL},
	{"a 1 1.5: 7 cycles:u: \n\tab f (o)\n\tac g (o)\n\n" SAMPLE("9", "cycles", "f"), 2, "cpu cycles:u + cycles events 0\n", "a;f 9", "a;g;f 7",
	"a;f 1", "a;f 81"},
};

static bool
join_text(FgContext *ctx, const char *text, uint32_t max_depth, FgRecording *recording)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgEventName *names = NULL;
	bool		ok;

	options.every = true;
	options.max_depth = max_depth;
	ok = recording_read(ctx, text, strlen(text), 0, &options, recording) &&
		fg_event_names(ctx, recording, NULL, &names) && fg_event_join(ctx, recording, names);
	for (size_t i = 0; ok && i < recording->count; i++)
		CHECK(strcmp(names[i].event, recording->profiles[i].event) == 0);
	fg_release(ctx, names);
	if (!ok)
		fg_recording_free(ctx, recording);
	return ok;
}

static void
check_joined(const Joined *j)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	char		got[400] = "";
	size_t		length = 0;

	/* of a file before this one */
	fg_fail(&ctx, FG_ERROR_SYNTAX, "another file");
	if (!CHECK(join_text(&ctx, j->text, j->max_depth, &recording)))
		return;
	for (size_t i = 0; i < recording.count; i++)
		length += (size_t) snprintf(got + length, sizeof(got) - length, "%s %s %s %.15g\n", recording.profiles[i].event,
									recording.profiles[i].name, recording.profiles[i].unit, recording.profiles[i].period);
	CHECK_TEXT(got, strlen(got), j->expected);
	recording_is(&ctx, &recording.profiles[0].complete, j->complete);
	recording_is(&ctx, &recording.profiles[0].truncated, j->truncated);
	recording_weighs(&ctx, &recording.profiles[0], j->samples, j->noise);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
join_in_sweep(FgContext *ctx, void *arg)
{
	FgRecording recording;

	if (!join_text(ctx, arg, 0, &recording))
		return false;
	fg_recording_free(ctx, &recording);
	return true;
}

/* Reads two profiles of one event, changes them, and adds them up. */
static bool
join_changed(FgContext *ctx, void (*change) (FgContext *, FgRecording *), FgRecording *recording)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgEventName names[2] = {{"cpu", "events"}, {"cpu", "events"}};
	const char *text = joined[1].text;

	options.every = true;
	if (!CHECK(recording_read(ctx, text, strlen(text), 0, &options, recording)))
		return false;
	change(ctx, recording);
	/* of a file before this one */
	fg_fail(ctx, FG_ERROR_SYNTAX, "another file");
	if (fg_event_join(ctx, recording, names))
		return CHECK_COUNT(recording->count, 1);
	fg_recording_free(ctx, recording);
	return false;
}

static void
forget(FgContext *ctx, FgRecorded *recorded)
{
	fg_tree_free(ctx, &recorded->samples);
	fg_tree_free(ctx, &recorded->noise);
	recorded->weighed = false;
	recorded->period = 0;
}

static void
forget_first(FgContext *ctx, FgRecording *recording)
{
	forget(ctx, &recording->profiles[0]);
}

static void
forget_second(FgContext *ctx, FgRecording *recording)
{
	forget(ctx, &recording->profiles[1]);
}

/* The square of its one sample fits no double; a period of the same value as the other's must not stay. */
static void
make_large(FgContext *ctx, FgRecording *recording)
{
	FgRecorded *first = &recording->profiles[0];

	(void) ctx;
	first->complete.self[first->complete.nnodes] = 1e200;
	first->period = recording->profiles[1].period = 1e200;
}

static void
make_too_large(FgContext *ctx, FgRecording *recording)
{
	(void) ctx;
	for (int i = 0; i < 2; i++)
		recording->profiles[i].complete.self[recording->profiles[i].complete.nnodes] = 1e308;
}

static void
check_unknown(void (*change) (FgContext *, FgRecording *), const char *complete)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	if (!CHECK(join_changed(&ctx, change, &recording)))
		return;
	CHECK_DOUBLE(recording.profiles[0].period, 0);
	recording_is(&ctx, &recording.profiles[0].complete, complete);
	recording_weighs(&ctx, &recording.profiles[0], NULL, NULL);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_join(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	for (size_t i = 0; i < COUNT(joined); i++)
	{
		unit_case("adding up %u", (unsigned) i);
		check_joined(&joined[i]);
	}
	unit_case("weights that are not known on one side, or too large");
	check_unknown(forget_first, joined[1].complete);
	check_unknown(forget_second, joined[1].complete);
	check_unknown(make_large, "a;f 1e+200\na;h 50");
	unit_case("a sum that is no number");
	CHECK_ERROR(join_changed(&ctx, make_too_large, &recording), &ctx, FG_ERROR_RANGE);
	CHECK_COUNT(memory.blocks, 0);
	unit_case("adding up: any failure");
	unit_sweep_memory("join", join_in_sweep, (void *) joined[1].text);
	unit_sweep_interrupts("join", join_in_sweep, (void *) joined[1].text, 3);
}

int
main(void)
{
	test_names();
	test_join();
	return unit_finish();
}
