/*
 * formats_recordings.h
 *	  Recordings of other profilers as arguments of functions (core/formats).
 */
#ifndef FG_RECORDINGS_H
#define FG_RECORDINGS_H

#include "pg/base/values.h"

#include "core/formats/recording.h"

/*
 * Reads a recording into the context's memory.  Throws with the format and the place
 * when it cannot be read; a NOTICE says what was cleaned.
 */
extern void fg_read_recording(FgContext *ctx, FgSpan data, const FgReadOptions *options,
							  FgRecording *recording);

/* What gzip may unpack to in these bytes when nobody says otherwise. */
extern uint64 fg_server_max_bytes(FgSpan data);

/*
 * The one profile of a recording, for functions that return it: reads, and releases
 * everything but the value.
 */
extern Datum fg_read_profile(FgSpan data, const FgReadOptions *options);

/* A text argument as a C string; NULL when it is null. */
#define PG_GETARG_CSTRING_OR_NULL(n) \
	(PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n)))

#endif							/* FG_RECORDINGS_H */
