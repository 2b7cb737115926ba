/*
 * event_names.c
 *	  What a store calls the events of a recording (see event_names.h).
 */
#include "core/formats/event_names.h"

#include <stdio.h>
#include <string.h>

static const char default_event[] = "cpu";
static const char default_unit[] = "samples";

static const char *
unit_of(const FgRecorded *recorded)
{
	return recorded->unit[0] != '\0' ? recorded->unit : default_unit;
}

/* By rules 1 and 2. */
static const char *
plain_event(const FgRecording *recording, size_t i, const char *event)
{
	const char *recorded = recording->profiles[i].event;

	if (recording->count == 1 && event != NULL)
		return event;
	if (recorded[0] != '\0')
		return recorded;
	return event != NULL ? event : default_event;
}

/* Has another profile the same event and unit? */
static bool
is_shared(const FgRecording *recording, size_t i, const char *event)
{
	const char *plain = plain_event(recording, i, event);
	const char *unit = unit_of(&recording->profiles[i]);

	for (size_t k = 0; k < recording->count; k++)
	{
		if (k != i && strcmp(plain, plain_event(recording, k, event)) == 0 &&
			strcmp(unit, unit_of(&recording->profiles[k])) == 0)
			return true;
	}
	return false;
}

static bool
is_taken(const FgEventName *names, size_t count, const char *event, const char *unit)
{
	for (size_t i = 0; i < count; i++)
	{
		if (strcmp(names[i].event, event) == 0 && strcmp(names[i].unit, unit) == 0)
			return true;
	}
	return false;
}

/*
 * Rule 4: the event with the first number that none before it has.  Names and units
 * together are distinct in a recording, so only a few can ask for the same event.
 */
static char *
free_name(FgContext *ctx, const FgEventName *names, size_t count, const char *event,
		  const char *unit)
{
	size_t		size = strlen(event) + sizeof(" 4294967295");
	char	   *text = fg_alloc(ctx, size, 1);

	if (text == NULL)
		return NULL;
	snprintf(text, size, "%s", event);
	for (unsigned number = 2; is_taken(names, count, text, unit); number++)
		snprintf(text, size, "%s %u", event, number);
	return text;
}

bool
fg_event_names(FgContext *ctx, const FgRecording *recording, const char *event,
			   FgEventName **names)
{
	FgEventName *made = fg_alloc_zero(ctx, recording->count, sizeof(FgEventName));

	*names = NULL;
	if (made == NULL)
		return false;
	for (size_t i = 0; i < recording->count; i++)
	{
		const FgRecorded *recorded = &recording->profiles[i];
		bool		by_name = recorded->name[0] != '\0' && is_shared(recording, i, event);

		made[i].unit = unit_of(recorded);
		made[i].event = !fg_check(ctx) ? NULL :
			free_name(ctx, made, i, by_name ? recorded->name : plain_event(recording, i, event),
					  made[i].unit);
		if (made[i].event != NULL)
			continue;
		fg_event_names_free(ctx, made, i);
		return false;
	}
	*names = made;
	return true;
}

void
fg_event_names_free(FgContext *ctx, FgEventName *names, size_t count)
{
	for (size_t i = 0; names != NULL && i < count; i++)
		fg_release(ctx, names[i].event);
	fg_release(ctx, names);
}
