/*
 * recordings.h
 *	  For tests of recordings: read a text, compare the profiles.
 */
#ifndef RECORDINGS_H
#define RECORDINGS_H

#include "unit.h"

#include "core/formats/recording.h"

/* Reads in blocks of "block" bytes (0: all at once), from memory of just their size. */
extern bool recording_read(FgContext *ctx, const void *bytes, size_t size, size_t block,
						   const FgReadOptions *options, FgRecording *recording);

/* The profile's stacks as text in the exact dialect. */
extern bool recording_is(FgContext *ctx, const FgTree *tree, const char *expected);

/*
 * That the bytes are refused with this code and with words that hold "reason", and that nothing
 * stays allocated; returns the error, for its place.
 */
extern FgError recording_fails(const void *bytes, size_t size, const FgReadOptions *options,
							   FgErrorCode code, const char *reason);

/* The content of a file, the path from the top of the source tree; free() it. */
extern char *recording_file(const char *path, size_t *size);

/* Numbers of samples and noise as such texts; NULL for both: the recording has none. */
extern void recording_weighs(FgContext *ctx, const FgRecorded *recorded, const char *samples,
							 const char *noise);

/* That these and no others are the warnings of the recording, in this order: words of each, with "|" between them. */
extern void recording_warns(const FgRecording *recording, const char *expected);

/* Equal as vectors: the tree and the folded file at the path. */
extern void recording_is_file(FgContext *ctx, const FgTree *tree, const char *path);

/*
 * Reads bytes with each way to cut them into two blocks, and one by one; the results
 * (or the error and its place) must all be the same.  Long ones are cut at every
 * "step"-th byte only.
 */
extern void recording_check_blocks(const void *bytes, size_t size, size_t step,
								   const FgReadOptions *options);

/* With allocations that fail and interrupts in every place. */
extern void recording_sweep(const char *name, const void *bytes, size_t size,
							const FgReadOptions *options, size_t min_polls);

#endif							/* RECORDINGS_H */
