/*
 * fuzz_recording_auto.c
 *	  Recognition of formats, and gzip before it.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_AUTO, data, size);
}
