/*
 * fuzz_recording_stacks.c
 *	  Stacks as DTrace and bcc print them.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_STACKS, data, size);
}
