/*
 * fuzz_recording_cpuprofile.c
 *	  V8's .cpuprofile.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_CPUPROFILE, data, size);
}
