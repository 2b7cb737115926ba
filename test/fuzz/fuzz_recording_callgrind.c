/*
 * fuzz_recording_callgrind.c
 *	  Call graphs of callgrind.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_CALLGRIND, data, size);
}
