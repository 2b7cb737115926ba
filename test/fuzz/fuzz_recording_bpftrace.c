/*
 * fuzz_recording_bpftrace.c
 *	  Maps of stacks that bpftrace prints.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_BPFTRACE, data, size);
}
