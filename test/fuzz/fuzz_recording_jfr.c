/*
 * fuzz_recording_jfr.c
 *	  What jfr print --json prints.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_JFR, data, size);
}
