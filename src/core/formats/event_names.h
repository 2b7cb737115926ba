/*
 * event_names.h
 *	  What a store calls the events of a recording.
 *
 * A store tells the profiles of a recording apart by event and unit; two of the same
 * event and unit would count as repetitions of one measurement.  Loaders differ in
 * how they reach the store (the client reads files itself, profiling.import_profile
 * lets the server read them), so both ask here:
 *
 *	1. the only profile of a recording has the event that the caller names, if he
 *	   names one, whatever the recording says;
 *	2. a profile without an event has the caller's, else "cpu"; one without a unit has
 *	   "samples";
 *	3. profiles that then share event and unit go by their names in the recording;
 *	4. those that have no name, or still share it, are numbered: "cpu", "cpu 2".
 */
#ifndef FG_EVENT_NAMES_H
#define FG_EVENT_NAMES_H

#include "core/formats/recording.h"

typedef struct FgEventName
{
	char	   *event;
	const char *unit;			/* of the recording, or a constant */
} FgEventName;

/* One for each profile of the recording, in its order.  "event" is NULL when the caller names none. */
extern bool fg_event_names(FgContext *ctx, const FgRecording *recording, const char *event,
						   FgEventName **names);
extern void fg_event_names_free(FgContext *ctx, FgEventName *names, size_t count);

#endif							/* FG_EVENT_NAMES_H */
