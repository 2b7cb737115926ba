/*
 * fuzz_recording_speedscope.c
 *	  Files of speedscope.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_SPEEDSCOPE, data, size);
}
