/*
 * fuzz_recording_stackprof.c
 *	  Profiles of stackprof as JSON.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_STACKPROF, data, size);
}
