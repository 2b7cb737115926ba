/*
 * fuzz_recording_perf.c
 *	  The text of perf script.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_PERF, data, size);
}
