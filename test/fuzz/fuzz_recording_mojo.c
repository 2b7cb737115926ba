/*
 * fuzz_recording_mojo.c
 *	  Binary files of austin.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_AUSTIN, data, size);
}
