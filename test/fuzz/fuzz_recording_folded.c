/*
 * fuzz_recording_folded.c
 *	  Folded stacks as a recording that comes in blocks.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_FOLDED, data, size);
}
