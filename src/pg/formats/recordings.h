/*
 * recordings.h
 *	  What functions that read whole recordings share.
 */
#ifndef FG_PG_RECORDINGS_H
#define FG_PG_RECORDINGS_H

#include "pg/base/values.h"

#include "utils/jsonb.h"

#include "core/formats/event_names.h"
#include "core/formats/recording.h"

/* The keys that fg_read_options and fg_recording_names know. */
#define FG_READ_KEYS \
	"selection", "threads", "modes", "inlined", "frame_style", "profile", "max_depth", \
	"max_bytes", "stored_names", "event"

/*
 * The options of an object whose keys were checked.  "data" are the bytes to be read,
 * which say what gzip may unpack to.
 */
extern FgReadOptions fg_read_options(Jsonb *json, FgSpan data);

/* Into the context's memory; throws with the format and the place when it cannot be read. */
extern void fg_read_recording(FgContext *ctx, FgSpan data, const FgReadOptions *options,
							  FgRecording *recording);

/*
 * What a store calls the events, when the options ask for that (stored_names) or say what
 * the caller calls them (event); else NULL.  Profiles that share a name are then added up.
 * "samples": in any case, and nothing is added up, because there are samples and no trees.
 */
extern FgEventName *fg_recording_names(FgContext *ctx, Jsonb *json, FgRecording *recording,
									   bool samples);

#endif							/* FG_PG_RECORDINGS_H */
