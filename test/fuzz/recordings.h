/*
 * recordings.h
 *	  What the fuzz targets of the formats of recordings share.
 */
#ifndef FUZZ_RECORDINGS_H
#define FUZZ_RECORDINGS_H

#include "support.h"

#include "core/formats/recording.h"

/*
 * Reads the input as a recording: the first byte picks the options, the second how
 * the rest is cut into blocks, the rest are the bytes.  Properties: profiles are
 * canonical; the blocks do not matter, neither for profiles nor for samples one by one; an
 * error has a reason.
 */
extern int	fuzz_recording(FgFormat format, const uint8_t *data, size_t size);

#endif							/* FUZZ_RECORDINGS_H */
