/*
 * test_event_names.c
 *	  What a store calls the events of a recording: each rule, and what is left over.
 */
#include "unit.h"

#include "core/formats/event_names.h"

#include <stdio.h>
#include <string.h>

#define MOST 8

typedef struct Case
{
	const char *event;			/* the caller's */
	const char *recorded[MOST][3];	/* event, name, unit */
	const char *named;			/* event/unit of each */
} Case;

static const Case cases[] = {
	/* the only profile: what the caller says, even when that is the default */
	{NULL, {{"wall", "wall", "samples"}}, "wall/samples "},
	{"cpu", {{"wall", "wall", "samples"}}, "cpu/samples "},
	{"lock", {{"", "", ""}}, "lock/samples "},
	{NULL, {{"", "x", ""}}, "cpu/samples "},
	/* several: the caller's event is for those without one */
	{"lock", {{"wall", "w", "ns"}, {"", "n", "ns"}}, "wall/ns lock/ns "},
	{NULL, {{"wall", "w", "ns"}, {"", "n", "ns"}}, "wall/ns cpu/ns "},
	/* one event, two units: no need for more */
	{NULL, {{"cpu", "samples", "count"}, {"cpu", "cpu", "ns"}}, "cpu/count cpu/ns "},
	/* one event, one unit: names of the recording */
	{NULL, {{"io", "FileRead", "ns"}, {"io", "SocketRead", "ns"}}, "FileRead/ns SocketRead/ns "},
	/* shared only since the event or the unit is filled in */
	{NULL, {{"", "x", "ns"}, {"cpu", "samples", "ns"}}, "x/ns samples/ns "},
	{"wall", {{"", "x", "ns"}, {"wall", "y", "ns"}, {"cpu", "z", "ns"}}, "x/ns y/ns cpu/ns "},
	{NULL, {{"cpu", "x", ""}, {"cpu", "y", "samples"}}, "x/samples y/samples "},
	/* a name that is missing, or says the same: numbers */
	{NULL, {{"", "", "ns"}, {"cpu", "cpu", "ns"}}, "cpu/ns cpu 2/ns "},
	{NULL, {{"a", "n", ""}, {"a", "n", "samples"}, {"n", "m", "samples"}}, "n/samples n 2/samples n 3/samples "},
	{NULL, {{"a 2", "", "ns"}, {"a", "", "ns"}, {"a", "a", "ns"}}, "a 2/ns a/ns a 3/ns "},
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
	size_t		length = 0;

	got[0] = '\0';
	if (!fg_event_names(ctx, &recording, c->event, &names))
	{
		CHECK(names == NULL);
		return false;
	}
	for (size_t i = 0; i < recording.count; i++)
		length += (size_t) snprintf(got + length, size - length, "%s/%s ", names[i].event, names[i].unit);
	fg_event_names_free(ctx, names, recording.count);
	return true;
}

static bool
name_in_sweep(FgContext *ctx, void *arg)
{
	char		got[200];

	return name_case(ctx, arg, got, sizeof(got));
}

int
main(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Case		swept = cases[sizeof(cases) / sizeof(cases[0]) - 1];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char		got[200];

		unit_case("case %u", (unsigned) i);
		CHECK(name_case(&ctx, &cases[i], got, sizeof(got)));
		CHECK_TEXT(got, strlen(got), cases[i].named);
	}
	CHECK_COUNT(memory.blocks, 0);
	unit_sweep_memory("names", name_in_sweep, &swept);
	unit_sweep_interrupts("names", name_in_sweep, &swept, 3);
	return unit_finish();
}
