/*
 * fuzz_recording_gperftools.c
 *	  Files of gperftools and jemalloc.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_GPERFTOOLS, data, size);
}
