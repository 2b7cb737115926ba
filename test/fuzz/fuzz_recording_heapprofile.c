/*
 * fuzz_recording_heapprofile.c
 *	  V8's .heapprofile.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_HEAPPROFILE, data, size);
}
