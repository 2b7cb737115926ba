/*
 * fuzz_recording_pprof.c
 *	  Messages of pprof.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_PPROF, data, size);
}
