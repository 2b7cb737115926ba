/*
 * recording.h
 *	  Reads the recordings of other profilers: bytes in, profiles out.
 *
 * A reader is pushed: bytes come in blocks of any size, and how they are cut never
 * changes the result.  Beside the profiles it builds, a reader needs constant
 * memory, and what later bytes refer to: names and numbers of frames, or of pprof, where
 * these come behind the samples, the distinct stacks.  Server and client share this code.
 *
 *	bytes -> [gunzip] -> [recognition by the first bytes] -> format -> sink -> trees
 *
 * gzip is recognised by its first two bytes, whatever the format is said to be.
 * Input that does not follow its format is an error with its place: line and
 * column of text (of the unpacked text), the byte's position in the reason where
 * the format has no lines.  Nothing is skipped in silence: what a format leaves
 * out or replaces is counted in FgNoted.
 *
 * What can be asked for and what comes out is in recorded.h; formats are written
 * against sink.h.
 */
#ifndef FG_RECORDING_H
#define FG_RECORDING_H

#include "core/reading/recorded.h"

typedef struct FgRecordingReader FgRecordingReader;

/* The options, and the text they point to, must live as long as the reader. */
extern FgRecordingReader *fg_recording_open(FgContext *ctx, const FgReadOptions *options);
extern bool fg_recording_feed(FgRecordingReader *reader, const void *bytes, size_t size);

/*
 * Ends the input.  Without "every" there is exactly one profile, or an error that
 * names what the recording has instead; a recording without any sample is an empty
 * profile.  The reader can then only be freed.
 */
extern bool fg_recording_finish(FgRecordingReader *reader, FgRecording *recording);
extern void fg_recording_close(FgRecordingReader *reader);

/* The format that was named or recognised; FG_FORMAT_AUTO as long as there is none. */
extern FgFormat fg_recording_format(const FgRecordingReader *reader);

extern void fg_recording_free(FgContext *ctx, FgRecording *recording);

/* One of its profiles, which is left without texts and trees. */
extern void fg_recorded_free(FgContext *ctx, FgRecorded *recorded);

#endif							/* FG_RECORDING_H */
