/*
 * event_names.h
 *	  What a store calls the events of a recording, and which of its profiles are one
 *	  event there.
 *
 * A watch follows an event of a benchmark from night to night, so its name must not
 * depend on what else a file happens to hold: one sample of "cycles" beside those of
 * "cycles:u" must not give both other names.  Loaders differ in how they reach the store
 * (the client reads files itself, profiling.import_profile lets the server read them),
 * so both ask here:
 *
 *	1. a profile has the event that its format gives it, by the profile's own name; a
 *	   profile without one has the caller's, else "cpu"; one without a unit "samples";
 *	2. profiles that then share event and unit are added up;
 *	3. where one is left it has the event that the caller names, if he names one.
 */
#ifndef FG_EVENT_NAMES_H
#define FG_EVENT_NAMES_H

#include "core/base/bytes.h"
#include "core/formats/recording.h"

/* Both are texts of the recording, the caller's, or constants. */
typedef struct FgEventName
{
	const char *event;
	const char *unit;
} FgEventName;

/*
 * One for each profile of the recording, in its order, to be released by the caller.
 * "event" is NULL when the caller names none.
 */
extern bool fg_event_names(FgContext *ctx, const FgRecording *recording, const char *event,
						   FgEventName **names);

/*
 * Which profiles share event and unit, as "cpu in events: cycles:u, cycles", with a zero
 * at its end; nothing (size 0) where none do.  To be asked before they are added up.
 */
extern bool fg_event_sharing(FgContext *ctx, const FgRecording *recording,
							 const FgEventName *names, FgBuffer *text);

/*
 * Adds them up, in the places of the first ones.  The names become those of the profiles
 * that are left; FgRecorded.name is that of all, "cycles:u + cycles".
 */
extern bool fg_event_join(FgContext *ctx, FgRecording *recording, FgEventName *names);

/* Does the event that the caller names say nothing, since there are several others? */
extern bool fg_event_is_unused(const FgRecording *recording, const FgEventName *names,
							   const char *event);

#endif							/* FG_EVENT_NAMES_H */
