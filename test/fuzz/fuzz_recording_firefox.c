/*
 * fuzz_recording_firefox.c
 *	  Profiles of the Firefox Profiler, and of Firefox itself.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_FIREFOX, data, size);
}
