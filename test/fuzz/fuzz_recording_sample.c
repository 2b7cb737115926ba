/*
 * fuzz_recording_sample.c
 *	  Call graphs of macOS's sample.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_SAMPLE, data, size);
}
